#!/usr/bin/env python3
"""Samples as CUDA programs: host code with its own check around a sample's kernels, by values, by
cycles, and offloaded; also with nvcc's static runtime.

usage: samples.py BUILD-ROOT
"""
import lib
from lib import build, simulate
from tap import add_case, case, ends, main, same, within

SAMPLES = lib.PROGRAMS.parent / 'samples'
MODES = [('values', ['--functional']), ('cycles', ['-w']),
         ('omni', ['-w', '--offload', '--policy=omni']),
         ('tom', ['-w', '--offload', '--config=tom', '--policy=tom-ctrl'])]


def passes(folder, source, options):
    program = build(source, '-arch=sm_80', '-I' + str(SAMPLES.parents[2]))
    within('PASSED', ends(simulate(folder, program, *options), 0).out.decode())
    same(list(folder.iterdir()), [])


def static(folder, source):
    """With nvcc's static runtime the same is printed as with the shared one, and the statistics are the same."""
    options = ['-arch=sm_80', '-I' + str(SAMPLES.parents[2])]
    for mode in (['--functional'], ['-w', '--stats=s.csv']):
        expected = ends(simulate(folder, build(source, *options), *mode), 0)
        counts = [path.read_text() for path in folder.iterdir()]
        program = build(source, *options, cudart='static')
        ends(simulate(folder, program, *mode), 0, expected.err.decode(), expected.out.decode())
        same([path.read_text() for path in folder.iterdir()], counts)


@case
def all_samples(folder):
    """each sample has a program"""
    samples = {path.parent.name for path in SAMPLES.parents[2].glob('samples/*/*.cu')}
    same(sorted(path.stem for path in SAMPLES.glob('*.cu')), sorted(samples))


for path in sorted(SAMPLES.glob('*.cu')):
    for name, options in MODES:
        add_case('%s, %s' % (path.stem, name), passes, path, options)
    add_case('%s, static' % path.stem, static, path)
main()
