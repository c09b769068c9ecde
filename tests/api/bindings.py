#!/usr/bin/env python3
"""The library as it is installed: the examples in C, and the Python module.

usage: bindings.py BUILD-ROOT
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, Skip, case, ends, environment, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ['samples/vecadd/vecadd.ptx', 'samples/bfs/bfs.ptx', 'samples/srad/srad.ptx']
EXAMPLE = ROOT / 'examples' / 'api'


def need(*programs):
    if SANITIZED:
        raise Skip('the library needs the run-time of the sanitizers')
    for program in programs:
        if not shutil.which(program):
            raise Skip('no ' + program)


def install(folder):
    """Installs into the folder; returns the prefix and the environment to use it."""
    need('meson')
    ends(run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', folder / 'root'],
             folder), 0)
    library, = (folder / 'root').rglob('libptxoffload.so')
    program, = (folder / 'root').rglob('bin/ptxoffload')
    prefix = program.parents[1]
    return prefix, environment(LD_LIBRARY_PATH=str(library.parent),
                               PKG_CONFIG_PATH=str(library.parent / 'pkgconfig'),
                               PKG_CONFIG_SYSROOT_DIR=str(folder / 'root'))


def command(folder, source, *options):
    """What the command writes of a source: the text and the metadata."""
    ends(run([BUILD / 'cli/ptxoffload', ROOT / source, '-o', 'command.ptx', '--metadata=command.json',
              *options], folder), 0)
    return [(folder / name).read_bytes() for name in ('command.ptx', 'command.json')]


def tags_as_command(folder, program, env, source):
    text, _ = command(folder, source)
    said = ends(run([program, ROOT / source, 'command.ptx'], folder, env=env), 0).out
    same((folder / 'command.ptx').read_bytes(), text)
    assert b'saves' in said or b'rejected' in said, said


def build(folder, *arguments):
    """Builds the example by pkg-config."""
    need('cc', 'pkg-config')
    prefix, env = install(folder)
    flags = ends(run(['pkg-config', '--cflags', '--libs', *arguments, 'libptxoffload'], folder, env=env),
                 0).out.decode().split()
    ends(run(['cc', '-Wall', '-Werror', EXAMPLE / 'tag.c', '-o', 'tag', *flags], folder, env=env), 0)
    return env


@case
def shared(folder):
    """the example in C tags as the command does"""
    env = build(folder)
    for source in SAMPLES:
        tags_as_command(folder, folder / 'tag', env, source)
    ends(run([folder / 'tag', ROOT / 'README.md', 'x.ptx'], folder, env=env), 1, None)


@case
def static(folder):
    """the static library has no other symbols, and the example works with it"""
    env = build(folder)
    library, = (folder / 'root').rglob('libptxoffload.a')
    names = ends(run(['nm', '--defined-only', '--extern-only', '--format=just-symbols', library], folder),
                 0).out.decode().split()
    odd = [name for name in names
           if not name.startswith('ptxoffload_') and not name.endswith('.o:')]
    same(odd, [])
    needs = ends(run(['pkg-config', '--libs', '--static', 'libptxoffload'], folder, env=env),
                 0).out.decode().split()
    needs = [name for name in needs if name not in ('-lptxoffload',)]
    header = min((folder / 'root').rglob('ptxoffload.h'), key=lambda path: len(path.parts))
    ends(run(['cc', EXAMPLE / 'tag.c', '-o', 'static', '-I', header.parents[1], library, *needs], folder,
             env=env), 0)
    tags_as_command(folder, folder / 'static', environment(), SAMPLES[0])


@case
def cmake(folder):
    """the example builds with find_package"""
    need('cmake', 'cc')
    prefix, env = install(folder)
    shutil.copytree(EXAMPLE, folder / 'source')
    programs = environment(PATH='%s:%s' % (prefix / 'bin', os.environ['PATH']))
    ends(run(['cmake', '-S', 'source', '-B', 'built', '-DCMAKE_PREFIX_PATH=%s' % prefix], folder,
             env=programs), 0, None, None)
    ends(run(['cmake', '--build', 'built'], folder, env=programs), 0, None, None)
    tags_as_command(folder, folder / 'built' / 'tag', env, SAMPLES[0])
    wrong = (folder / 'source/CMakeLists.txt').read_text().replace('ptxoffload 0.1', 'ptxoffload 99')
    (folder / 'source/CMakeLists.txt').write_text(wrong)
    ends(run(['cmake', '-S', 'source', '-B', 'other', '-DCMAKE_PREFIX_PATH=%s' % prefix], folder,
             env=programs), 1, None, None)


def python(folder):
    """An interpreter with the packages, and the environment in which it finds module and library."""
    need()
    found = [path for path in (sys.executable, '/usr/bin/python3') if path and not
             subprocess.run([path, '-c', 'import cffi, numpy'], capture_output=True, check=False).returncode]
    if not found:
        raise Skip('no Python with cffi and numpy')
    return found[0], environment(PYTHONPATH=str(ROOT / 'python'), PYTHONDONTWRITEBYTECODE='1',
                                 PTXOFFLOAD_LIBRARY=str(BUILD / 'api/libptxoffload.so.0'))


def evaluate(folder, text, *arguments):
    """Runs Python text; returns what it prints as JSON."""
    interpreter, env = python(folder)
    done = ends(run([interpreter, '-c', 'import json, sys, numpy, ptxoffload\n' + text, *arguments],
                    folder, env=env), 0)
    return json.loads(done.out)


@case
def python_tags(folder):
    """the Python module tags as the command does"""
    for source in SAMPLES:
        text, metadata = command(folder, source)
        got = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], output='command.ptx')
print(json.dumps([p.ptx, p.metadata, ptxoffload.strip(p.ptx) == open(sys.argv[1]).read()]))
''', ROOT / source)
        same(got[0].encode(), text)
        same(got[1], json.loads(metadata))
    plain = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], reorder=False)
print(json.dumps(ptxoffload.strip(p.ptx) == open(sys.argv[1]).read()))
''', ROOT / SAMPLES[0])
    same(plain, True)


@case
def python_options(folder):
    """options of the Python module do what those of the command do"""
    for options, given in ((['--cost=tom', '--fma=split', '--no-reorder'],
                            "cost='tom', split_fma=True, reorder=False"),
                           (['--restrict', '--block=128', '--tags=comment', '--min-saving=3'],
                            "restrict=True, block=(128,), tags='comment', min_saving=3")):
        text, metadata = command(folder, SAMPLES[2], *options)
        got = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], output='command.ptx', %s)
print(json.dumps([p.ptx, p.metadata]))''' % given, ROOT / SAMPLES[2])
        same(got, [text.decode(), json.loads(metadata)])


@case
def python_errors(folder):
    """errors of the Python module have places and rules"""
    got = evaluate(folder, r'''
def tried(call):
    try:
        call()
    except ptxoffload.Error as error:
        return [error.status, str(error)]
text = '.version 8.0\n.target sm_80\n.entry k(.param .u32 n)\n{\nbra nowhere;\n}\n'
good = text.replace('bra nowhere', 'ret')
device = ptxoffload.Device(good, functional=True)
print(json.dumps([tried(lambda: ptxoffload.check(text, name='a.ptx')),
                  tried(lambda: ptxoffload.Device(good, policy='onmi')),
                  tried(lambda: device.run('k', 1, 2048, 1)),
                  tried(lambda: device.run('j', 1, 1, 1)),
                  len(ptxoffload.check(good))]))
''')
    same([one[0] for one in got[:4]], [1, 1, 2, 2])
    assert got[0][1].startswith('a.ptx:5:'), got[0]
    assert 'onmi' in got[1][1] and 'limit 1024' in got[2][1] and "'j'" in got[3][1], got
    same(got[4], 0)


@case
def python_runs(folder):
    """the example in Python runs a program under every policy, as ptxoffload-sim does"""
    interpreter, env = python(folder)
    done = ends(run([interpreter, EXAMPLE / 'policies.py', ROOT / SAMPLES[0]], folder, env=env), 0)
    lines = [line.split() for line in done.out.decode().splitlines()]
    same([line[0] for line in lines], ['baseline', 'llc', 'omni', 'adaptive'])
    ends(run([BUILD / 'cli/ptxoffload', ROOT / SAMPLES[0], '-o', 'tagged.ptx'], folder), 0)
    count = 65536
    for line in lines:
        ends(run([BUILD / 'cli/ptxoffload-sim', 'tagged.ptx', '--grid=%d' % (count // 256), '--block=256',
                  *['--arg=buf:f32:%d:zero' % count] * 3, '--arg=u32:%d' % count,
                  '--policy=' + line[0], '--json=run.json'], folder), 0, None, None)
        total = json.loads((folder / 'run.json').read_text())['total']
        same([int(line[1]), int(line[3])], [total['cycles'], total['noc']['weighted_hops']])


@case
def python_installs(folder):
    """`pip install .` installs the module with its header"""
    interpreter, env = python(folder)
    if subprocess.run([interpreter, '-c', 'import setuptools, wheel, pip'], capture_output=True,
                      check=False).returncode:
        raise Skip('no pip, setuptools or wheel')
    source = folder / 'tree'
    for name in ('python', 'include', 'pyproject.toml', 'setup.py', 'meson.build', 'README.md'):
        of = ROOT / name
        (shutil.copytree if of.is_dir() else shutil.copy)(of, (source / name) if of.is_dir()
                                                          else source)
    ends(run([interpreter, '-m', 'pip', 'install', '--quiet', '--no-build-isolation', '--no-deps',
              '--no-index', '--target', folder / 'site', '.'], source, env=environment()), 0, None, None)
    env['PYTHONPATH'] = str(folder / 'site')
    done = ends(run([interpreter, '-c', 'import ptxoffload; print(ptxoffload.version(), '
                     'ptxoffload.__file__)'], folder, env=env), 0).out.decode()
    assert str(folder / 'site') in done, done


main()
