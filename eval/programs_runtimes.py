#!/usr/bin/env python3
"""Runs programs with the static and with the shared CUDA runtime, and compares what they print and write.

usage: programs_runtimes.py BUILD-ROOT [--rodinia=FOLDER] [--polybench=FOLDER] [--hecbench=FOLDER] [--samples=FOLDER]
                            [--only=NAME,NAME…] [--at-most=N] [--seconds=N] [--arch=sm_80]

FOLDER is as for programs.py. The programs are those that ran in eval/programs.jsonl within --seconds of CPU time (2 if
absent). Each is built twice, with `nvcc -cudart static` and `-cudart shared`, and runs functionally in a folder of its own.
Lines that speak of times, rates or dates may differ; everything else, files included, must be the same byte for byte.
"""
import argparse
import copy
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import copy_of, read_rows  # noqa: E402
from programs_run import change_copy, compile_sources, make_modules, make_program, run  # noqa: E402
from programs_suites import SUITES  # noqa: E402

TIMED = re.compile(rb'time|took|elapsed|sec(ond)?s?\b|\b[mnu]?s\b|/s\b|clock|speed|rate|throughput|perf|flops|date|seed', re.I)
UNWRITTEN = {'MALLOC_PERTURB_': '85'}  # fills memory of malloc, which some programs read before they write it
BUILT = {'.o', '.a', '.so', '.simulated', '.json'}


def untimed(data):
    """The lines without those that speak of times, and without a number alone that follows one."""
    kept, timed = [], False
    for line in data.splitlines():
        timed = bool(TIMED.search(line)) or timed and re.fullmatch(rb'\s*[\d.]*\s*', line)
        if not timed:
            kept.append(line)
    return b'\n'.join(kept)


def outcome(program, source, row, cudart, options):
    """(exit code, what was printed without times, files written by the run), or why it was not built."""
    with tempfile.TemporaryDirectory(prefix='ptxoffload-programs-') as work:
        # both builds are in folders of the same name, which a program may print
        work = pathlib.Path(work) / 'suite'
        copy_of(program, source, work)
        folder = work / program['folder']
        to = folder / 'program.simulated'
        options.cudart = cudart
        change_copy(program, folder)
        make_modules(program, folder, options)
        wrong = make_program(folder, to, options)[0] if program.get('makefile') else \
            compile_sources(program, folder, to, options)
        if wrong:
            return wrong
        before = {path: path.stat().st_mtime_ns for path in work.rglob('*') if path.is_file()}
        code, text, _ = run([options.build / 'cli' / 'ptxoffload-run', '-w', '-q', '--functional', *program.get('run', []),
                             '--', to, *row['arguments'].split()], folder, 4 * options.seconds + 8, UNWRITTEN)
        written = {str(path.relative_to(work)): untimed(path.read_bytes()) for path in work.rglob('*')
                   if path.is_file() and path.suffix not in BUILT and before.get(path) != path.stat().st_mtime_ns}
        return code, untimed(text.encode().replace(str(work).encode(), b'')), written


def compare(suite, source, programs, options, counts):
    rows = read_rows()
    for program in programs:
        row = rows.get((suite, program['name']), {})
        if counts['same'] + counts['differ'] >= options.at_most or row.get('ran') != 'ran' or \
                row['seconds'] > options.seconds or options.only and program['name'] not in options.only.split(','):
            continue
        static, shared = (outcome(copy.deepcopy(program), source, row, kind, options) for kind in ('static', 'shared'))
        if isinstance(static, str) or isinstance(shared, str):
            verdict = 'not built'
        else:
            verdict = 'same' if static == shared else 'differ'
        counts[verdict] += 1
        size = '' if verdict == 'not built' else '%d bytes, %d files' % (len(static[1]), len(static[2]))
        print('%-12s %-28s %-10s %s' % (suite, program['name'], verdict, size), flush=True)
        if verdict == 'differ':
            for one, other in zip(static[1].splitlines(), shared[1].splitlines()):
                if one != other:
                    print('  static: %r\n  shared: %r' % (one[:120], other[:120]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', type=pathlib.Path)
    for name in SUITES:
        parser.add_argument('--' + name, type=pathlib.Path)
    parser.add_argument('--only')
    parser.add_argument('--at-most', type=int, default=10 ** 9)
    parser.add_argument('--seconds', type=float, default=2)
    parser.add_argument('--arch', default='sm_80')
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.seconds = int(options.seconds)
    counts = {'same': 0, 'differ': 0, 'not built': 0}
    for name, (suite, find) in SUITES.items():
        folder = getattr(options, name)
        if folder:
            compare(suite, folder.resolve(), find(folder.resolve()), options, counts)
    print(', '.join('%d %s' % (count, name) for name, count in counts.items()))
    sys.exit(1 if counts['differ'] or not counts['same'] else 0)


main()
