#!/usr/bin/env python3
"""ptxas accepts random kernels: they are PTX, and not only to us.

usage: accepted.py DIFFERENTIAL   (the program that makes them)
"""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, case, main

KERNELS = 40


@case
def accepted(folder):
    """ptxas accepts random kernels"""
    ptxas = shutil.which('ptxas') or shutil.which('ptxas', path='/usr/local/cuda/bin')
    if not ptxas:
        raise Skip('there is no ptxas')
    for seed in range(1, KERNELS + 1):
        path = folder / ('%d.ptx' % seed)
        with open(path, 'w') as to:
            subprocess.run([sys.argv[1], '--print', str(seed)], stdout=to, check=True)
        done = subprocess.run([ptxas, '-arch=sm_80', '-O0', str(path), '-o', str(folder / 'cubin')],
                              capture_output=True, text=True)
        if done.returncode:
            raise AssertionError('seed %d: %s' % (seed, done.stderr))


main()
