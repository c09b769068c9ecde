#!/usr/bin/env python3
"""Builds programs of benchmark suites and runs them with ptxoffload-run.

usage: programs.py BUILD-ROOT [--rodinia=FOLDER] [--polybench=FOLDER] [--folder=FOLDER]...
                   [--out=FILE.md] [--only=NAME,NAME…] [--timed] [--options=OPTIONS] [--seconds=N] [--arch=sm_80]

Rodinia and PolyBench-GPU are built by eval/programs_suites.py. Any other folder is searched for
sources: each folder in it with .cu files is a program that is built of all its sources and run without
arguments. Everything is built and run in a temporary folder, to which the suite's sources are copied;
nothing of them stays. With --only the other rows of the table stay as they are. The result is a table of all programs: what ran, and what its own check says.
"""
import datetime
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs_suites import SUITES  # noqa: E402

OLD = pathlib.Path(__file__).resolve().parent / 'programs_old'
HEAD = '''# Programs of benchmark suites

**%d of %d programs run, and %d of %d of their own checks pass.** The tables have the reason for each failure.

Each program was compiled from its own sources by nvcc %s with `-cudart shared -arch=%s`, and run by
`ptxoffload-run%s`. `eval/programs_suites.py` makes the inputs; their small sizes let the whole
table take minutes. "Check" is the program's own comparison with the CPU. Most programs of Rodinia have none; for these the
table states only that they ended with exit code 0 and without a fault.

    eval/programs.py BUILD --rodinia=FOLDER --polybench=FOLDER --out=docs/results/programs.md

'''


class Options:
    def __init__(self, words):
        self.folders, self.flags = [], {}
        self.build = pathlib.Path(words[0]).resolve()
        for word in words[1:]:
            name, _, value = word[2:].partition('=')
            if name in ('rodinia', 'polybench', 'folder'):
                suite = {'rodinia': 'Rodinia', 'polybench': 'PolyBench-GPU'}.get(name)
                self.folders.append((suite, pathlib.Path(value).resolve()))
            else:
                self.flags[name] = value or True

    def get(self, name, default=None):
        return self.flags.get(name, default)


def nvcc():
    return shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'


def run(command, folder, seconds):
    begun = time.monotonic()
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=seconds, stdin=subprocess.DEVNULL)
        text, code = done.stdout.decode(errors='replace'), done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = (late.stdout or b'').decode(errors='replace'), None
    return code, text, time.monotonic() - begun


def first_error(text):
    for line in text.splitlines():
        if re.search(r'error|undefined reference|fatal', line, re.I):
            return re.sub(r'/\S*/', '', line.strip())[:160]
    return (text.strip().splitlines() or ['no message'])[-1][:160]


def sources_of(folder, patterns):
    found = []
    for pattern in patterns:
        found += sorted(folder.glob(pattern)) if '*' in pattern else [folder / pattern]
    return list(dict.fromkeys(found))


def change_copy(program, folder):
    """Makes the edits, and replaces sizes that are defined in the program's header."""
    def smaller(match):
        return match[1] + str(min(int(match[3]), program['sizes'].get(match[2], 256)))
    for name, before, after in program.get('edits', ()):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(before, after))
    for path in folder.glob(program.get('header', '')) if program.get('header') else ():
        text = path.read_text()
        path.write_text(re.sub(r'^(\s*#\s*define\s+(\w+)\s+)(\d+)', smaller, text, flags=re.M))


def compile_program(program, folder, to, options):
    command = [nvcc(), '-w', '-O2', '-arch=' + options.get('arch', 'sm_80'), '-cudart', 'shared',
               '-include', OLD / 'old_names.h', '-I', OLD, '-L', options.build / 'cli' / 'cuda', *program.get('options', []), '-o', to,
               *sources_of(folder, program['sources'])]
    code, text, _ = run(command, folder, 600)
    return None if code == 0 else 'does not compile: ' + first_error(text)


def verdict_of(program, code, text):
    """What ran, and what the check says."""
    fault = re.search(r'ptxoffload-run: error: (.*)|\.ptx: error: (.*)|\.ptx:\d+:\d+: error: (.*)', text)
    missing = re.findall(r'note: (\w+) is not supported', text)
    note = 'without ' + ', '.join(missing) if missing else program.get('note', '')
    if code not in range(-64, 256):
        return 'time is over', '', note
    if fault:
        return 'fault', '', next(filter(None, fault.groups()))[:200]
    if code < 0:
        return 'signal %d' % -code, '', note
    check = 'none'
    if program.get('failed') and program['failed'] in text:
        check = 'failed'
    if program.get('passed'):
        check = 'passed' if any(one in text for one in program['passed']) else 'failed'
    elif program.get('failed') and check != 'failed':
        check = 'passed'
    return ('ran' if code == 0 else 'exit code %d' % code), check, note


def run_program(program, suite, work, options):
    folder = work / program['folder']
    if program.get('needs'):
        return 'not run', '', program['needs'], 0
    if not folder.is_dir():
        return 'not there', '', '', 0
    to = folder / 'program.simulated'
    change_copy(program, folder)
    wrong = compile_program(program, folder, to, options)
    if wrong:
        return 'not built', '', wrong, 0
    for name, make, *arguments in program.get('made', []):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path, *arguments)
    mode = [] if options.get('timed') else ['--functional']
    more = options.get('options', '').split() if options.get('options') else []
    code, text, seconds = run([options.build / 'cli' / 'ptxoffload-run', '-w', *mode, *more,
                               *program.get('run', []), '--', to,
                               *program.get('arguments', [])], folder, int(options.get('seconds', 300)))
    if options.get('only') and not options.get('out'):
        print(text)
    return (*verdict_of(program, code, text), seconds)


def programs_in(folder):
    """One program for each folder with CUDA sources."""
    found = sorted({path.parent for path in folder.rglob('*.cu')})
    return [{'name': str(path.relative_to(folder)), 'folder': str(path.relative_to(folder)),
             'sources': ['*.cu', '*.c', '*.cpp']} for path in found]


def kept_rows(options):
    """The rows of the table that there is."""
    path = pathlib.Path(options.get('out', ''))
    lines = path.read_text().splitlines() if path.is_file() else []
    cells = [[cell.strip() for cell in line.split('|')[1:-1]] for line in lines if line.startswith('| ')]
    return [(*row, 0) for row in cells if len(row) == 4]


def run_suite(suite, source, options):
    rows, kept = [], kept_rows(options)
    programs = SUITES[suite] if suite else programs_in(source)
    with tempfile.TemporaryDirectory(prefix='ptxoffload-programs-') as work:
        work = pathlib.Path(work) / 'suite'
        shutil.copytree(source, work, symlinks=True)
        for program in programs:
            if options.get('only') and program['name'] not in options.get('only').split(','):
                rows += [row for row in kept if row[0] == program['name']]
                continue
            row = (program['name'], *run_program(program, suite, work, options))
            print('%-24s %-14s %-8s %6.1f s  %s' % (row[0], row[1], row[2], row[4], row[3]), flush=True)
            rows.append(row)
    return rows


def counts(rows):
    """programs that ran, programs, passed checks, checks"""
    return (sum(row[1] == 'ran' for row in rows), len(rows), sum(row[2] == 'passed' for row in rows),
            sum(row[2] in ('passed', 'failed') for row in rows))


def table(suite, rows):
    lines = ['## %s' % suite, '', '%d of %d programs ran; %d of %d checks passed.' % counts(rows), '', '| program | | check | reason |', '|---|---|---|---|']
    lines += ['| %s | %s | %s | %s |' % (row[0], row[1], row[2], row[3].replace('|', '\\|')) for row in rows]
    return '\n'.join(lines) + '\n\n'


def version():
    text = run([nvcc(), '--version'], '.', 60)[1]
    return (re.search(r'release ([\d.]+)', text) or [None, '?'])[1]


def main():
    if len(sys.argv) < 3 or not all(word.startswith('--') for word in sys.argv[2:]):
        sys.exit(__doc__)
    options = Options(sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    mode = '' if options.get('timed') else ' --functional'
    tables, every = '', []
    for suite, folder in options.folders:
        rows = run_suite(suite, folder, options)
        every += rows
        tables += table(suite or folder.name, rows)
    text = HEAD % (*counts(every), version(), options.get('arch', 'sm_80'), mode) + tables
    text += 'Run on %s.\n' % datetime.date.today().isoformat()
    if options.get('out'):
        pathlib.Path(options.get('out')).write_text(text)
    print('%d programs ran' % counts(every)[0])


main()
