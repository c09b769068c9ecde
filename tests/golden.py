#!/usr/bin/env python3
"""Runs the tests that are one file with its answer beside it.

A case is CASES/GROUP/NAME.EXT with lines in its first comment that say what to do:

    // RUN: ptxoffload %s -o %t
    // RUN: cat %t
    // REQUIRES: ptxas

Each RUN line goes to sh, in the case's folder: %s is the case's file, %t a name (a suffix may follow)
in a folder of its own, %b the build folder; %% is a percent sign. `#` may stand for `//`. With a REQUIRES
program that is not installed the case is skipped. NAME.EXT's answer is NAME.expected: standard
output and error together and, where a command's exit code is not 0, a line `[exit N]`. --update
writes the answers instead of comparing them.
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DIRECTIVE = re.compile(rb'\s*(?://|#)\s*(RUN|REQUIRES):\s*(.*?)\s*$')
HEAD_LINES = 20
SECONDS = 120


def directives(path):
    """The RUN commands and the REQUIRES programs at the top of `path`."""
    found = {'RUN': [], 'REQUIRES': []}
    with open(path, 'rb') as file:
        for line in file.read(1 << 14).split(b'\n')[:HEAD_LINES]:
            match = DIRECTIVE.match(line)
            if match:
                found[match.group(1).decode()].append(os.fsdecode(match.group(2)))
    return found['RUN'], ' '.join(found['REQUIRES']).split()


def find_cases(root, parts):
    for path in sorted(root.glob('*/*')):
        name = '%s/%s' % (path.parent.name, path.name)
        wanted = not parts or any(part in name for part in parts)
        if wanted and path.suffix != '.expected' and path.is_file() and directives(path)[0]:
            yield name, path


def answer_of(path, commands, build):
    """What the case prints, with the names of temporary files taken out."""
    environment = dict(os.environ, LC_ALL='C.UTF-8', NO_COLOR='1',
                       PATH='%s/cli:%s' % (build, os.environ['PATH']))
    answer = b''
    with tempfile.TemporaryDirectory(prefix='ptxoffload-test-') as folder:
        names = {'%s': path.name, '%t': os.path.join(folder, 'out'), '%b': str(build),
                 '%%': '%'}
        for command in commands:
            line = re.sub('%[stb%]', lambda match: names[match.group()], command)
            try:
                done = subprocess.run(['sh', '-c', line], cwd=path.parent, env=environment,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, timeout=SECONDS)
            except subprocess.TimeoutExpired as late:
                return answer + (late.stdout or b'') + b'[no end after %d s]\n' % SECONDS
            answer += done.stdout
            if done.returncode:
                answer += b'[exit %d]\n' % done.returncode
        answer = answer.replace(os.fsencode(folder) + b'/out', b'%t')
    return answer.replace(os.fsencode(str(build)), b'%b')


def difference(expected, answer, name):
    old, new = (os.fsdecode(text).splitlines() for text in (expected, answer))
    return ['# ' + line for line in difflib.unified_diff(old, new, name, 'printed', lineterm='')]


def run_case(case, build, update):
    """(verdict, lines of explanation); the verdict is `ok`, `not ok` or a reason to skip."""
    name, path = case
    commands, programs = directives(path)
    absent = [program for program in programs if not shutil.which(program)]
    if absent:
        return 'no ' + absent[0], []
    answer = answer_of(path, commands, build)
    beside = path.with_suffix('.expected')
    if update:
        if not beside.exists() or beside.read_bytes() != answer:
            beside.write_bytes(answer)
            return 'ok', ['# %s: new answer' % beside.name]
        return 'ok', []
    if not beside.exists():
        return 'not ok', ['# it has no answer yet: run with --update, then read the answer']
    expected = beside.read_bytes()
    if expected == answer:
        return 'ok', []
    return 'not ok', difference(expected, answer, beside.name)


def main():
    here = pathlib.Path(__file__).resolve().parent
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('--update', action='store_true', help='write the answers')
    options.add_argument('--cases', type=pathlib.Path, default=here / 'cases', metavar='FOLDER')
    options.add_argument('-j', type=int, default=os.cpu_count(), metavar='N', help='cases at a time')
    options.add_argument('build', type=pathlib.Path, help='build folder')
    options.add_argument('parts', nargs='*', help='only cases with one of these in GROUP/NAME.EXT')
    options = options.parse_args()
    parts = options.parts or os.environ.get('GOLDEN_CASES', '').split()
    build = options.build.resolve()
    cases = list(find_cases(options.cases.resolve(), parts))
    print('1..%d' % len(cases))
    failed = False
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        results = pool.map(lambda case: run_case(case, build, options.update), cases)
        for number, (case, (verdict, lines)) in enumerate(zip(cases, results), 1):
            if verdict in ('ok', 'not ok'):
                print(verdict, number, '-', case[0])
            else:
                print('ok %d - %s # SKIP %s' % (number, case[0], verdict))
            failed |= verdict == 'not ok'
            for line in lines:
                print(line)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
