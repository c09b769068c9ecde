#!/usr/bin/env python3
"""The builds under examples/, as the documentation shows them, with ptxoffload as it is installed.

usage: recipes.py BUILD-ROOT

Each is built, built again with nothing changed, and after a change of a file that only a depfile
knows of. Programs are linked and looked into, not run: there need be no GPU.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, environment, main, run, same, within

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip('no ' + program)


class Project:
    """A copy of an example, in a folder with a blank, and an installed ptxoffload."""

    def __init__(self, folder, example):
        self.source = folder / 'a project'
        shutil.copytree(ROOT / 'examples' / example, self.source)
        stage = folder / 'stage'
        ends(run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--destdir', stage], folder), 0)
        program, = stage.rglob('bin/ptxoffload')
        self.prefix = program.parents[1]
        self.env = environment(PATH='%s:%s' % (program.parent, os.environ['PATH']))

    def run(self, *command):
        return ends(run(command, self.source, env=self.env), 0).out.decode()

    def modules(self, path):
        listed = json.loads(self.run('ptxoffload', path, '--list', '--report=json'))
        return [module['module'] for module in listed['modules'] if module['kind'] == 'ptx']

    def tagged(self, path, kernel):
        """Whether the kernel's PTX in the program has tags of a chain."""
        for number in self.modules(path):
            text = self.run('ptxoffload', path, '--module=%d' % number, '-o', '-', '--tags=none',
                            '--no-reorder')
            if '%sP' % kernel in text:
                return '.pragma "ptxoffload.chain 0 01' in text
        raise AssertionError('%s is not in %s' % (kernel, path))

    def touch(self, name, built):
        """Makes a source younger than what was built of it."""
        path = self.source / name
        later = (self.source / built).stat().st_mtime_ns + 10**7
        os.utime(path, ns=(later, later))
        return path


def ages(project, *names):
    return [(project.source / name).stat().st_mtime_ns for name in names]


def rebuilds(project, build, changed, affected, others):
    """Builds again: nothing at first, then what depends on a changed file."""
    files = affected + others
    before = ages(project, *files)
    build()
    same(ages(project, *files), before)
    project.touch(changed, affected[0])
    build()
    after = ages(project, *files)
    for name, old, new in zip(files, before, after):
        assert (old != new) == (name in affected), '%s: %d, %d' % (name, old, new)


@case
def with_make(folder):
    """make: a program of two CUDA files, linked with -rdc=true"""
    need('nvcc', 'make')
    project = Project(folder, 'make')
    build = lambda: project.run('make')
    build()
    assert project.tagged('app', 'add')
    rebuilds(project, build, 'add.cuh', ['add.o', 'main.o', 'app', 'add.compute_80.json'], [])


def with_cmake(folder, generator, tool):
    need('nvcc', 'cmake', tool)
    project = Project(folder, 'cmake')
    project.run('cmake', '-G', generator, '-S', '.', '-B', 'b',
                '-DCMAKE_PREFIX_PATH=%s' % project.prefix)
    build = lambda: project.run('cmake', '--build', 'b')
    build()
    assert project.tagged('b/app', 'add')
    assert project.tagged('b/app', 'scale') is False  # it calls a function between load and store
    within('ptxoffload.', (project.source / 'b/metadata/scale.cu.compute_80.ptx').read_text())
    for name, reorder in (('b/CMakeFiles/app.dir/kernels/add.cu.compute_80.json', False),
                          ('b/metadata/scale.cu.compute_80.json', True)):
        same(json.loads((project.source / name).read_text())['options']['reorder'], reorder)
    within('.pragma "ptxoffload.chain', (project.source / 'b/difference.tagged.ptx').read_text())
    rebuilds(project, build, 'kernels/kernels.cuh',
             ['b/app', 'b/libscale.a', 'b/CMakeFiles/app.dir/kernels/add.cu.compute_80.json'],
             ['b/difference.tagged.ptx'])
    rebuilds(project, build, 'kernels/difference.ptx',
             ['b/difference.tagged.ptx', 'b/difference.tagged.json'], ['b/app'])


for generator, tool in (('Ninja', 'ninja'), ('Unix Makefiles', 'make')):
    add_case('cmake, %s: program, library with -rdc, PTX' % generator, with_cmake, generator, tool)


@case
def with_meson(folder):
    """meson: PTX, and a program of CUDA files where there is nvcc"""
    project = Project(folder, 'meson')
    project.run('meson', 'setup', 'b')
    build = lambda: project.run('meson', 'compile', '-C', 'b')
    build()
    tagged = ['b/%s.%s' % (name, end) for name in ('difference', 'product')
              for end in ('tagged.ptx', 'json')]
    for name in tagged[::2]:
        within('.pragma "ptxoffload.chain 0 01', (project.source / name).read_text())
    rebuilds(project, build, 'product.ptx', tagged[2:], tagged[:2])
    if shutil.which('nvcc'):
        assert project.tagged('b/app', 'add')
        rebuilds(project, build, 'add.cuh', ['b/app', 'b/add.o', 'b/add.compute_80.json'], tagged)


main()
