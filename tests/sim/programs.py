#!/usr/bin/env python3
"""What nvcc makes of programs of our own computes what the same programs do on this machine.

usage: programs.py BUILD-ROOT

tests/sim/programs has them; common.h says how they are written. Every kernel is run with both
instruction sets and on two threads, which must not make a difference.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, ends, main, run

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload-sim'
SOURCES = pathlib.Path(__file__).resolve().parent / 'programs'
VARIANTS = [('sm_75',), ('sm_80', '-G'), ('sm_86', '-Xcicc', '-O1'), ('sm_90', '-rdc=true')]
MODES = [(), ('--lanes=plain',), ('--threads=2',)]


def tool(*names):
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Skip('there is no ' + names[0])


def compile_with(*command):
    done = subprocess.run([os.fspath(word) for word in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode()
    if 'Unsupported gpu architecture' in text or 'is not defined for option' in text:
        raise Skip('this nvcc does not know the architecture')
    assert not done.returncode, text


REFERENCES = tempfile.TemporaryDirectory(prefix='ptxoffload-test-programs-')
DONE = {}


def references(source):
    """The folder with the references, and a list of name, type, count and launch; made once."""
    if source not in DONE:
        folder = pathlib.Path(REFERENCES.name) / source
        folder.mkdir()
        compile_with(tool('g++'), '-std=c++17', '-O1', '-ffp-contract=off', '-frounding-math', '-w',
                     '-x', 'c++', SOURCES / (source + '.cu'), '-o', folder / 'reference')
        lines = ends(run([folder / 'reference', folder], folder), 0).out.decode().splitlines()
        DONE[source] = folder, [line.split('|') for line in lines]
    return DONE[source]


def content(path):
    data = path.read_bytes()
    return data[10 + int.from_bytes(data[8:10], 'little'):]


def launch(folder, line, expected):
    name, kind, count, shape = line
    grid, block, shared = shape.split(';')
    for mode in MODES:
        ends(run([PROGRAM, '--functional', '-w', 'program.ptx', '--kernel=k_' + name, '--grid=' + grid,
                  '--block=' + block, '--shared=' + shared, '--arg=buf:%s:%s:const:0' % (kind, count),
                  '--save=0=out.npy', *mode], folder), 0)
        got = content(folder / 'out.npy')
        if got != expected:
            first = next(i for i in range(len(got)) if got[i] != expected[i])
            raise AssertionError('%s%s: byte %d of %d differs' % (name, mode, first, len(got)))


def program(folder, source, variant):
    nvcc = tool('nvcc', '/usr/local/cuda/bin/nvcc')
    kept, lines = references(source)
    compile_with(nvcc, '-ptx', '-w', '-std=c++17', '-arch=' + variant[0], *variant[1:], '-o',
                 folder / 'program.ptx', SOURCES / (source + '.cu'))
    assert lines
    for line in lines:
        launch(folder, line, (kept / (line[0] + '.ref')).read_bytes())


for source in ('integers', 'numbers', 'warps', 'language', 'memory'):
    for variant in VARIANTS:
        add_case('%s (%s)' % (source, ' '.join(variant)), program, source, variant)

main()
