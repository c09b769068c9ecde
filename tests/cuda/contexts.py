#!/usr/bin/env python3
"""The driver's contexts: a stack for each thread, and the errors without one.

usage: contexts.py BUILD-ROOT
"""
import lib
from tap import case, ends, main, run

CUDA = lib.BUILD / 'cli' / 'cuda'


@case
def model(folder):
    """random calls in several threads have the results of a model"""
    ends(run(['cc', '-w', '-o', 'contexts', lib.PROGRAMS / 'contexts.c', CUDA / 'libcuda.so.1', '-lpthread'], folder), 0)
    ends(lib.simulate(folder, './contexts', '--functional'), 0, '', 'PASSED\n')


main()
