#!/usr/bin/env python3
"""Programs for compute capability 9.0: tensor maps, mbarriers, wgmma and clusters.

usage: hopper.py BUILD-ROOT
"""
import json
import shutil

import lib
from tap import add_case, case, ends, main, run

CUDA = lib.BUILD / 'cli' / 'cuda'
KEYS = ['core.try_wait=20000', 'core.matrix_f16=512', 'core.wgmma_bytes=128', 'core.cluster_latency=180',
        'core.cluster_bytes=32', 'core.bulk_latency=100', 'machine.cluster_cores=[16,18]']
MODES = {'values': ['--functional'], 'cycles on v100': ['--config=v100'],
         'cycles with all keys': ['--config=v100', *['--set=' + key for key in KEYS]],
         'cycles on isca19': ['--config=isca19', '--set=core.registers=65536', '--set=core.shared_bytes=65536']}


def compiled():
    """A program that needs no nvcc."""
    folder = lib.pathlib.Path(lib.MADE.name)
    shutil.copy(lib.PROGRAMS / 'hopper.ptx', folder)
    ends(run(['cc', '-O1', '-w', '-no-pie', lib.PROGRAMS / 'hopper.c', CUDA / 'libcuda.so.1', '-o', 'hopper'], folder), 0)
    return folder / 'hopper'


PROGRAM = compiled()


def passes(folder, mode, arguments):
    ends(lib.simulate(folder, PROGRAM, *MODES[mode], arguments=map(str, arguments)), 0, out='PASSED\n')


for mode in MODES:
    for arguments in ((64, 64, 64, 500, 1), (128, 192, 256, 3000, 2), (100, 72, 200, 1000, 3), (1, 4, 8, 1, 4),
                      (65, 68, 520, 97, 5)):
        add_case('products of %d x %d x %d and a histogram of %d, %s' % (*arguments[:4], mode), passes, mode,
                 arguments)


@case
def same_with_threads(folder):
    """the same values with several host threads, and the same cycles in any order of evaluation"""
    ends(lib.simulate(folder, PROGRAM, '--functional', '--threads=3', arguments=['128', '128', '128', '999', '7']), 0,
         out='PASSED\n')
    cycles = []
    for seed in (1, 5):
        ends(lib.simulate(folder, PROGRAM, *MODES['cycles with all keys'], '--shuffle=%d' % seed, '--json=out.json',
                          arguments=['128', '128', '256', '999', '7']), 0, out='PASSED\n')
        cycles.append([kernel['cycles'] for kernel in json.loads((folder / 'out.json').read_text())['kernels']])
    assert cycles[0] == cycles[1], cycles


main()
