#!/usr/bin/env python3
"""Full/empty bits in CUDA programs by include/ptxoffload/cuda_overlap.h: values, times, faults.

usage: overlap.py BUILD-ROOT
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from lib import build, simulate  # noqa: E402
from tap import add_case, case, ends, main, same, within  # noqa: E402

INCLUDE = pathlib.Path(__file__).resolve().parents[2] / 'include'
SAMPLES_AT = pathlib.Path(__file__).resolve().parent / 'samples'
BITS = ('--config=gtx580', '--set', 'fe.enabled=true', '-q')
N = 32768
TRANSFER = 4 * N / 6800  # us
# Microseconds without the kernel's time [001 Table 2, Fig. 7]: start, finish.
PATTERNS = {(0, 0): 17.2 + 2 * TRANSFER, (1, 0): 14.2 + 2 * TRANSFER, (0, 1): 11.2 + TRANSFER + 128 / 6800,
            (1, 1): 8.2 + TRANSFER + 128 / 6800}


def program():
    return build('overlap.cu', '-arch=sm_75', '-I%s' % INCLUDE)


def runtime(folder, pattern, *options):
    found = ends(simulate(folder, program(), *BITS, '--json=run.json', *options, arguments=[*map(str, pattern), str(N)]),
                 0).out.decode()
    same(found, '0 words of 1 rounds are wrong, cudaSuccess\n')
    return json.loads((folder / 'run.json').read_text())['host_clock']['runtime_us']


@case
def patterns(folder):
    """the four patterns of [001 Fig. 7] take 17.2, 14.2, 11.2 and 8.2 us and the transfers"""
    times = {}
    for pattern, least in PATTERNS.items():
        got = runtime(folder, pattern, '--functional')
        assert abs(got - least) < 0.001, (pattern, got, least)
        times[pattern] = runtime(folder, pattern, '-w')
        assert times[pattern] >= least, (pattern, times[pattern], least)
    assert times[1, 1] < min(times[1, 0], times[0, 1]) < times[0, 0], times


@case
def static_runtime(folder):
    """a program with nvcc's static runtime finds the functions"""
    static = build('overlap.cu', '-arch=sm_75', '-I%s' % INCLUDE, cudart='static')
    got = ends(simulate(folder, static, *BITS, '--set', 'fe.counter_bits=2', '-w', arguments=['1', '1', '300', '3', 'counts']), 0)
    same(got.out.decode(), 'counts: cudaSuccess\n0 words of 3 rounds are wrong, cudaSuccess\n')


@case
def rounds(folder):
    """a loop of rounds waits for the words of its round, under every order of evaluation"""
    for options in (['--functional'], ['-w'], ['-w', '--shuffle=5']):
        for pattern in PATTERNS:
            got = ends(simulate(folder, program(), *BITS, *options, arguments=[*map(str, pattern), '300', '3']), 0)
            same(got.out.decode(), '0 words of 3 rounds are wrong, cudaSuccess\n')
            got = ends(simulate(folder, program(), *BITS, '--set', 'fe.counter_bits=2', *options,
                                arguments=[*map(str, pattern), '300', '3', 'counts']), 0)
            same(got.out.decode(), 'counts: cudaSuccess\n0 words of 3 rounds are wrong, cudaSuccess\n')


@case
def stuck(folder):
    """a copy that waits for what nobody fills is reported with its word"""
    for mode in ('-w', '--functional'):
        got = ends(simulate(folder, program(), *BITS, mode, arguments=['1', '1', '1', '1']), 0)
        within('cudaErrorLaunchTimeout', got.out.decode())
        within('error: deadlock: no command of any stream can proceed [no-progress]', got.err.decode())
        within("(4 bytes) does not have the state that is waited for", got.err.decode())
        within('no issued command changes its state', got.err.decode())


@case
def advice(folder):
    """--overlap on a program, whose output stays as it is"""
    got = ends(simulate(folder, program(), *BITS, '--functional', '--overlap', arguments=['0', '0', str(N)]), 0)
    same(got.out.decode(), '0 words of 1 rounds are wrong, cudaSuccess\n')
    text = got.err.decode()
    for line in ('round 1: twice\n', 'copy of 131072 bytes to the device, parameter 0 of twice: may overlap',
                 'copy of 131072 bytes to the host, parameter 1 of twice: may overlap',
                 'full overlap; excluding the kernels\' time, %.2f us instead of %.2f us' % (
                     PATTERNS[1, 1], PATTERNS[0, 0])):
        within(line, text)


@case
def released(folder):
    """a kernel that waits for what no command fills goes on after cudaOverlapRelease"""
    for mode in ('-w', '--functional'):
        got = ends(simulate(folder, program(), *BITS, mode, arguments=['1', '1', '300', '-2']), 0)
        same(got.out.decode(), 'release: cudaSuccess\nwait: cudaSuccess\n')


@case
def refused(folder):
    """wrong arguments, memory without bits, a machine without bits"""
    got = ends(simulate(folder, program(), *BITS, '-w', arguments=['1', '1', '300', '-1']), 0)
    same(got.out.decode().split('\n'), ['trigger: cudaErrorInvalidValue', 'overlap: cudaErrorInvalidValue',
                                        'host: cudaErrorInvalidValue', 'state: cudaErrorInvalidValue',
                                        'release: cudaErrorInvalidValue', 'counts: cudaErrorInvalidValue',
                                        'fills: cudaErrorInvalidValue', 'plain: cudaSuccess', ''])
    within('source and destination overlap', got.err.decode())
    within('neither side is on the device', got.err.decode())
    got = ends(simulate(folder, program(), '--config=gtx580', '-q', '-w', arguments=['1', '1', '300', '-1']), 0)
    same(got.out.decode().split('\n'), ['trigger: cudaErrorInvalidValue', 'overlap: cudaErrorInvalidValue',
                                        'host: cudaErrorNotSupported', 'state: cudaErrorNotSupported',
                                        'release: cudaErrorNotSupported', 'counts: cudaErrorNotSupported',
                                        'fills: cudaErrorNotSupported', 'plain: cudaSuccess', ''])


SAMPLES = ('vecadd', 'matrixmul', 'histogram64', 'blackscholes', 'bfs', 'hotspot', 'fiblookup')


def sample(folder, name):
    program = build(SAMPLES_AT / (name + '.cu'), '-arch=sm_80', '-I%s' % INCLUDE.parent)
    times = {}
    for pattern in PATTERNS:
        for options in (['--functional'], ['-w', '--shuffle=5'], ['-w', '--json=run.json']):
            got = ends(simulate(folder, program, *BITS, *options, arguments=map(str, pattern)), 0)
            same(got.out.decode(), 'PASSED\n')
        times[pattern] = json.loads((folder / 'run.json').read_text())['host_clock']['runtime_us']
    assert max(times[1, 0], times[0, 1], times[1, 1]) <= times[0, 0], times
    assert times[1, 1] < times[0, 0], times


for one in SAMPLES:
    add_case('%s of [001 Table 3]: its check holds in the four patterns, and overlap saves time' % one, sample, one)

main()
