#!/usr/bin/env python3
"""Builds programs of benchmark suites and runs them with ptxoffload-run.

usage: programs.py BUILD-ROOT [--rodinia=FOLDER] [--polybench=FOLDER] [--hecbench=FOLDER] [--samples=FOLDER]
                   [--folder=FOLDER]... [--only=NAME,NAME…] [--at-most=N] [--policies=baseline,omni,tom-ctrl]
                   [--seconds=N] [--timed-seconds=N] [--timed-limit=N] [--arch=sm_80] [--cudart=static] [--again]
       programs.py --table

FOLDER is an unpacked suite: Rodinia, PolyBench-GPU, src of HeCBench, or NVIDIA's samples. Any other folder is searched
for sources: each folder in it with .cu files is a program that is built of all its sources and run without arguments.
Everything is built and run in a temporary folder, to which the program's sources are copied; nothing of them stays.

Each program runs functionally for at most --seconds of CPU time. One that is too large is tried again with smaller
arguments. With --policies, a program that took at most --timed-limit seconds is also run by cycles, tagged, under these
policies. Each result is a row of eval/programs.jsonl; a program that has one is not run again without --again.
--table writes docs/results/programs.md from the rows.
"""
import argparse
import datetime
import json
import pathlib
import shutil
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs_run import POLICIES, run_program  # noqa: E402
from programs_suites import SUITES, programs_in  # noqa: E402
from programs_table import write_table  # noqa: E402

ROWS = pathlib.Path(__file__).resolve().parent / 'programs.jsonl'


def read_rows():
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    return {(row['suite'], row['name']): row for row in map(json.loads, lines)}


def write_rows(rows):
    beside = ROWS.with_suffix('.new')
    beside.write_text(''.join(json.dumps(rows[key]) + '\n' for key in sorted(rows)))
    beside.rename(ROWS)


def copy_of(program, source, work):
    """The program's folder in a copy; of a small suite all of it."""
    if not work.exists():
        work.mkdir(parents=True)
        for name in program.get('shared', ()):
            if (source / name).exists():
                shutil.copytree(source / name, work / name, symlinks=True)
    if program.get('alone'):
        shutil.copytree(source / program['folder'], work / program['folder'], symlinks=True, dirs_exist_ok=True)
    else:
        shutil.copytree(source, work, symlinks=True, dirs_exist_ok=True)


def run_suite(suite, source, programs, options):
    left = options.at_most
    for program in programs:
        key = (suite, program['name'])
        if options.only and program['name'] not in options.only.split(','):
            continue
        if (key in read_rows() and not options.again) or left <= 0:
            continue
        left -= 1
        with tempfile.TemporaryDirectory(prefix='ptxoffload-programs-') as work:
            copy_of(program, source, pathlib.Path(work) / 'suite')
            row = run_program(program, pathlib.Path(work) / 'suite', options)
        row = {'suite': suite, 'name': program['name'], 'date': datetime.date.today().isoformat(), **row}
        print('%-28s %-14s %-8s %s' % (row['name'], row['ran'], row['check'], row['reason']), flush=True)
        write_rows({**read_rows(), key: row})


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', nargs='?', type=pathlib.Path)
    for name in SUITES:
        parser.add_argument('--' + name, type=pathlib.Path)
    parser.add_argument('--folder', type=pathlib.Path, action='append', default=[])
    parser.add_argument('--only')
    parser.add_argument('--at-most', type=int, default=10 ** 9)
    parser.add_argument('--policies', default='')
    parser.add_argument('--seconds', type=int, default=30)
    parser.add_argument('--timed-seconds', type=int, default=60)
    parser.add_argument('--timed-limit', type=float, default=2)
    parser.add_argument('--arch', default='sm_80')
    parser.add_argument('--cudart', default='static')
    for flag in 'again', 'table', 'shows':
        parser.add_argument('--' + flag, action='store_true')
    options = parser.parse_args()
    options.policies = [name for name in options.policies.split(',') if name]
    if not options.table and not options.build or set(options.policies) - set(POLICIES):
        sys.exit(__doc__)
    if options.table:
        write_table(read_rows().values())
        return
    options.build = options.build.resolve()
    for name, (suite, find) in SUITES.items():
        folder = getattr(options, name)
        if folder:
            run_suite(suite, folder.resolve(), find(folder.resolve()), options)
    for folder in options.folder:
        run_suite(folder.name, folder.resolve(), programs_in(folder.resolve()), options)


if __name__ == '__main__':
    main()
