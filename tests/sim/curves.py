#!/usr/bin/env python3
"""Machines beside curves of hardware: single points, the page, and the programs that measure a GPU.

usage: curves.py BUILD-ROOT
"""
import argparse
import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SILICON = ROOT / 'eval' / 'silicon'
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from cuda_toolkit import nvcc  # noqa: E402
from tap import add_case, case, ends, main, run, same, within  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()


def load(name):
    spec = importlib.util.spec_from_file_location('silicon_' + name, SILICON / (name + '.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


CURVES, RUN = load('curves'), load('run')


def point_of(curve, x):
    return next(point for point in CURVES.points(1) if point['curve'] == curve and point['x'] == x)


def beside(_, curve, x):
    point = point_of(curve, x)
    found = CURVES.MEASURES[point['suite']](argparse.Namespace(build=BUILD), point)
    assert abs(found / point['measured'] - 1) < .15, '%.1f, measured %.1f' % (found, point['measured'])


for name, size in (('V100 PCIe 16 GB, gpu-latency', 95.5), ('V100 PCIe 16 GB, gpu-latency', 1466.6), ('V100 PCIe 16 GB, gpu-cache', 44),
                   ('A100 40 GB, gpu-stream 5pt', 5184)):
    add_case('%s, %g' % (name, size), beside, name, size)


@case
def stored(_):
    """the page and its figure are those of the store, whose points are in the table of measurements"""
    page = (ROOT / 'docs/results/modern.md').read_text()
    within(CURVES.section(CURVES.STORE, CURVES.EVERY), page)
    same((ROOT / 'docs/results/modern-curves.svg').read_text(), CURVES.figure(CURVES.STORE, CURVES.EVERY))
    known = {(point['curve'], point['x']): point['measured'] for point in CURVES.points(1)}
    for key, point in CURVES.read_store(CURVES.STORE).items():
        same((key, point['measured']), (key, known[key]))


@case
def table(_):
    """lines of programs, beside a GPU or alone"""
    values = RUN.read_values('L1 hit 32.0\nL2 near 216.5\n\n')
    same(values, {'L1 hit': 32.0, 'L2 near': 216.5})
    text = '\n'.join(RUN.compare(values, {'L1 hit': 30.0}))
    within('L1 hit                 32.0       30.0    +6.7 %', text)
    within('L2 near               216.5          -', text)


@case
def needs(_):
    """without nvcc it says so"""
    RUN.find_nvcc = lambda: None
    sys.argv[1:] = ['build']
    try:
        RUN.main()
    except SystemExit as end:
        same(end.code, 'run.py: there is no nvcc; install the CUDA toolkit or add it to PATH')
    else:
        assert False


@case
def programs(folder):
    """the program of latencies gives those of the machine"""
    nvcc()
    done = ends(run([sys.executable, SILICON / 'run.py', BUILD, '--config=v100', '--quick'], folder), 0).out.decode()
    expected = {'fp32 fma': 4, 'fp64 fma': 8, 'sqrt': 21, 'shared memory': 25, 'L1 hit': 32, 'L2 near': 216, 'atomic': 245, 'DRAM': 434}
    found = {line[:16].strip(): float(line[16:27]) for line in done.splitlines() if line[:16].strip() in expected}
    same(sorted(found), sorted(expected))
    for quantity, value in expected.items():
        assert abs(found[quantity] / value - 1) < .06, '%s: %g, of %g' % (quantity, found[quantity], value)


main()
