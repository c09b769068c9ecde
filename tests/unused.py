#!/usr/bin/env python3
"""Functions of the product that the product does not call, and structs that are defined twice.

usage: unused.py BUILD-ROOT [--list | --update]

A function with external linkage has a caller if another object file of the product refers to it or if
a source file names it besides its definition. A static function in a header has one if any other line
of the product names it. tests/unused.allowed has the exceptions, one a line: what, name, reason. Fails for
what is not listed there, and for what is listed and no longer true: --update removes such lines. A `port`
is a function for code that users add to the tree: it may have a caller, or only one in tests.
--list prints all that is found. Needs `nm`.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import Failure, add_case, main

ROOT = pathlib.Path(__file__).resolve().parents[1]
ALLOWED = ROOT / 'tests' / 'unused.allowed'
FOLDERS = ('support', 'frontend', 'ir', 'passes', 'backend', 'tagger', 'runtime-sim', 'tools', 'report',
           'campaign', 'cli', 'api', 'lsp', 'include')
PUBLIC = ROOT / 'include/ptxoffload'  # its functions have callers outside
GENERATED = '_generated.a.p'  # what flex and bison write
ENTRIES = re.compile(r'libcuda[^/]*\.p/')  # of libraries: other programs call them
NO_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
INLINE = re.compile(r'^static inline\b[^;{=()]*?\b(\w+)\(', re.M)
AGGREGATE = re.compile(r'^[ \t]*(?:typedef )?(?:struct|union|enum) (\w+)(?: ATTRIBUTE\S*)?\s*\{', re.M)
WORD = re.compile(r'\b[A-Za-z_]\w*\b')
KINDS = {
    'nobody': 'nobody calls',
    'tests': 'only tests or benchmarks call',
    'twice': 'is defined twice:',
}


def source_of(path):
    """The text without comments, strings and characters."""
    return NO_CODE.sub(' ', path.read_text(encoding='utf-8'))


def sources(*suffixes):
    return sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob('*')
                  if path.suffix in suffixes)


def symbols_of(build, objects):
    """For each object file the functions that it defines and the symbols that it refers to."""
    found = {path: (set(), set()) for path in objects}
    done = subprocess.run(['nm', '-A', '-P', '-g', *objects], cwd=build, check=True,
                          stdout=subprocess.PIPE)
    for line in done.stdout.decode().splitlines():
        path, rest = line.split(': ', 1)
        name, kind = rest.split()[:2]
        if kind in 'TW':
            found[path][0].add(name)
        elif kind in 'Uwv':
            found[path][1].add(name)
    return found


def objects_of(build):
    """The object files of the product and those of tests and benchmarks."""
    product, others = [], []
    for path in sorted(build.rglob('*.o')):
        name = str(path.relative_to(build))
        (others if name.split('/')[0] in ('tests', 'bench') else product).append(name)
    return product, others


def functions_without_caller(build):
    product, others = objects_of(build)
    found = symbols_of(build, product + others)
    used = collections.Counter(name for path in product for name in found[path][1])
    tested = {name for path in others for name in found[path][1]}
    words = collections.Counter(word for path in sources('.c', '.def', '.inc', '.l', '.y')
                                for word in WORD.findall(source_of(path)))
    public = {word for path in PUBLIC.glob('*.h') for word in WORD.findall(source_of(path))}
    for path in product:
        if GENERATED not in path and not ENTRIES.search(path):
            for name in found[path][0] - set(used) - public - {'main'}:
                if words[name] < 2:
                    yield 'tests' if name in tested else 'nobody', name


def inline_without_caller():
    texts = {path: source_of(path) for path in sources('.c', '.h', '.inc', '.def', '.l', '.y')}
    words = collections.Counter(word for text in texts.values() for word in WORD.findall(text))
    tests = {word for folder in ('tests', 'bench') for path in (ROOT / folder).rglob('*.[ch]')
             for word in WORD.findall(source_of(path))}
    for path, text in texts.items():
        if path.suffix == '.h' and PUBLIC not in path.parents:
            for name in INLINE.findall(text):
                if words[name] < 2:
                    yield 'tests' if name in tests else 'nobody', name


def defined_twice():
    places = collections.defaultdict(list)
    for path in sources('.c', '.h', '.inc'):
        for name in AGGREGATE.findall(source_of(path)):
            places[name].append(str(path.relative_to(ROOT)))
    for name, where in sorted(places.items()):
        if len(where) > 1:
            yield 'twice', '%s' % name


def find_all(build):
    return set(functions_without_caller(build)) | set(inline_without_caller()) | set(defined_twice())


def read_allowed():
    rows = [line.split(None, 2) for line in ALLOWED.read_text(encoding='utf-8').splitlines()
            if line and not line.startswith('#')]
    for row in rows:
        assert len(row) == 3 and row[0] in (*KINDS, 'port'), 'what, name and reason: %s' % ' '.join(row)
    return {(row[0], row[1]): row[2] for row in rows}


def fresh(found, allowed, kind, folder):
    new = sorted(name for what, name in found - set(allowed)
                 if what == kind and ('port', name) not in allowed)
    if new:
        raise Failure('%s %s\ncall it, remove it, or list it in tests/unused.allowed with the reason'
                      % (KINDS[kind], ' '.join(new)))


def current(found, allowed, folder):
    gone = sorted(' '.join(row) for row in set(allowed) - found if row[0] != 'port')
    if gone:
        raise Failure('\n'.join(gone + ['no longer true: run tests/unused.py build --update']))


def update(found):
    lines = [line for line in ALLOWED.read_text(encoding='utf-8').splitlines(True)
             if not line.strip() or line.startswith('#') or line.startswith('port ') or
             tuple(line.split()[:2]) in found]
    ALLOWED.write_text(''.join(lines), encoding='utf-8')


def run(build, options):
    found = find_all(build)
    if options == ['--list']:
        print(''.join('%s %s\n' % row for row in sorted(found)), end='')
    elif options == ['--update']:
        update(found)
    elif options:
        sys.exit(__doc__)
    else:
        allowed = read_allowed()
        for kind in KINDS:
            add_case('nothing new: ' + kind, lambda folder, kind: fresh(found, allowed, kind, folder),
                     kind)
        add_case('the exceptions are true', lambda folder: current(found, allowed, folder))
        main()


if __name__ == '__main__':
    run(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:])
