#!/usr/bin/env python3
"""Programs that ptxoffload-nvcc has built run under the policies that read their tags, with right values.

usage: wrapped.py BUILD-ROOT

nvcc packs the PTX of a program, and a program may have several modules, each with tags of its own.
"""
import itertools
import json

import lib
from lib import build, simulate
from tap import add_case, case, ends, main, run, same, within

ARCH = '-arch=sm_80'
SAMPLES = lib.PROGRAMS.parent / 'samples'
POLICIES = {
    'llc': ['--policy=llc'],
    'omni': ['--policy=omni'],
    'adaptive': ['--policy=adaptive'],
    'tom-ctrl': ['--config=tom', '--policy=tom-ctrl'],
}
DRIVER = ['-L' + str(lib.BUILD / 'cli' / 'cuda'), '-lcuda']
PROGRAMS = {
    'memory': ('memory.cu',), 'streams': ('streams.cu',), 'kernels': ('kernels.cu',), 'textures': ('textures.cu',),
    'threads': ('threads.cu',), 'two sources': ('two_files_a.cu', 'two_files_b.cu'), 'driver': ('driver.cpp',),
    **{name: (SAMPLES / (name + '.cu'),) for name in ('vecadd', 'triad', 'hist', 'compare', 'density', 'norm', 'red')},
}


def wrapped(sources, *options):
    more = DRIVER if 'driver.cpp' in sources else []
    return build(sources, '-I' + str(SAMPLES.parents[2]), *options, *more, wrapped=True)


def check(folder, name, policy, options):
    program = wrapped(PROGRAMS[name], *options)
    result = ends(simulate(folder, program, '-w', *POLICIES[policy]), 0)
    within('PASSED', result.out.decode())
    if name != 'driver':  # which loads PTX without tags as well
        for word in ('error: ', 'tag it'):
            same(word in result.err.decode(), False)


for one, under in itertools.product(PROGRAMS, POLICIES):
    add_case('%s, %s' % (one, under), check, one, under, [ARCH])
for option in ('-lineinfo', '-G', '-compress-mode=none', '-compress-mode=size'):
    add_case('vecadd with ' + option, check, 'vecadd', 'llc', [ARCH, option])
add_case('two sources with -lineinfo', check, 'two sources', 'tom-ctrl', [ARCH, '-lineinfo'])


@case
def offloads(folder):
    """the tags have an effect: chains are offloaded, as with those made for the run"""
    counts = []
    for options, program in (([], wrapped(PROGRAMS['vecadd'], ARCH)),
                             (['--offload'], build(PROGRAMS['vecadd'], ARCH, '-I' + str(SAMPLES.parents[2])))):
        ends(simulate(folder, program, '-w', '--policy=llc', '--stats=s.csv', *options), 0)
        rows = [line for line in (folder / 's.csv').read_text().splitlines() if 'chains' in line]
        assert rows and any(not line.endswith(',0') for line in rows), rows
        counts.append(rows)
    same(counts[0], counts[1])


@case
def two_architectures(folder):
    """each architecture has tags of its own"""
    program = wrapped(PROGRAMS['vecadd'], '-gencode=arch=compute_75,code=compute_75',
                      '-gencode=arch=compute_90,code=compute_90')
    for arch in ([], ['--arch=sm_75']):
        result = ends(simulate(folder, program, '-w', '--policy=llc', *arch), 0, err='')
        within('PASSED', result.out.decode())


@case
def recorded(folder):
    """the PTX of --record has the tags of all modules"""
    program = wrapped(PROGRAMS['two sources'], ARCH)
    ends(simulate(folder, program, '--functional', '--record=kept'), 0)
    runs = sorted((folder / 'kept').glob('run-*.yaml'))
    assert runs
    for path in runs:
        ends(run([lib.SIM, '-w', '--policy=llc', path], folder), 0)


@case
def simulated(folder):
    """ptxoffload-sim reads the tags of a module of the program"""
    program = wrapped(PROGRAMS['vecadd'], ARCH)
    listed = json.loads(ends(run([lib.TAGGER, program, '--list', '--report=json'], folder), 0).out)['modules']
    number, = [one['module'] for one in listed if one['kind'] == 'ptx']
    text = ends(run([lib.TAGGER, program, '--module=%d' % number, '-o', 'out.ptx'], folder), 0)
    same(text.err, b'')
    launch = SAMPLES.parents[2] / 'samples/vecadd/run.yaml'
    ends(run([lib.SIM, '-w', '--policy=llc', launch, '--program=out.ptx'], folder), 0, err='')


def damaged(folder, name, sources, patch):
    """The program with another instruction than was tagged, in an unpacked module."""
    program = wrapped(sources, ARCH, '-compress-mode=none')
    content = program.read_bytes()
    old, new = patch
    assert content.count(old) == 1, content.count(old)
    (folder / name).write_bytes(content.replace(old, new))
    (folder / name).chmod(0o755)
    return './' + name


@case
def refused(folder):
    """a module that was changed after it was tagged: a message, and the error of all calls; no crash"""
    program = damaged(folder, 'managed', ('managed.cu',), (b'mul.f32', b'add.f32'))
    result = ends(simulate(folder, program, '--policy=llc'), 1)
    same(result.out.decode(), 'malloc: 218 cudaErrorInvalidPtx\nlaunch: 218 cudaErrorInvalidPtx\n'
                              'synchronise: 218 cudaErrorInvalidPtx\nwrong: 4095\n')
    within("error: the tags of 'managed' cannot be used: line", result.err.decode())
    within('the program is not the one that was tagged', result.err.decode())
    functional = ends(simulate(folder, program, '--functional'), 1, err='').out.decode()
    within('launch: 0 cudaSuccess', functional)


@case
def unreadable(folder):
    """a module that is no PTX that can be run"""
    program = damaged(folder, 'managed', ('managed.cu',), (b'mul.f32', b'mul.f33'))
    for mode in (['--functional'], ['-w'], ['-w', '--offload', '--policy=omni']):
        result = ends(simulate(folder, program, *mode), 1)
        within('malloc: 218 cudaErrorInvalidPtx\n', result.out.decode())
        within('error: ', result.err.decode())


main()
