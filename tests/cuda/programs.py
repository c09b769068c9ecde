#!/usr/bin/env python3
"""CUDA programs that check themselves, compiled here, run by values, by cycles and with offloading.

usage: programs.py BUILD-ROOT
"""
import sys

import lib
from lib import build, simulate
from tap import add_case, case, ends, main, same, within

ARCH = '-arch=sm_80'
MODES = {
    'values': ['--functional'],
    'cycles': ['-w'],
    'offloading': ['-w', '--offload', '--policy=omni'],
    'offloading of blocks': ['-w', '--offload', '--config=tom', '--policy=tom-ctrl'],
}
SHORT = ['memory.cu', 'streams.cu', 'kernels.cu', 'textures.cu', 'threads.cu']


def passes(folder, source, options, mode, more=()):
    program = build(source, ARCH, *more)
    result = ends(simulate(folder, program, *options), 0)
    within('PASSED', result.out.decode())
    same(list(folder.iterdir()), [])  # nothing is written


for name in SHORT:
    for mode, options in MODES.items():
        add_case('%s, %s' % (name, mode), passes, name, options, mode)
for mode in ('values', 'cycles'):
    add_case('two sources, ' + mode, passes, ('two_files_a.cu', 'two_files_b.cu'), MODES[mode], mode)
    add_case('the driver, ' + mode, passes, ('driver.cpp',), MODES[mode], mode,
             ('-L' + str(lib.BUILD / 'cli' / 'cuda'), '-lcuda'))
add_case('the template libraries', passes, 'templates.cu', MODES['values'], 'values')


@case
def order_of_output(folder):
    """the output of kernels appears when the host waits"""
    text = simulate(folder, build('kernels.cu', ARCH), '--functional').out.decode()
    same(text.split('\n')[:3], ['before the kernel\'s output', 'block 0 of kernel 42', 'block 1 of kernel 42'])


@case
def packed(folder):
    """fatbins that are not packed, or packed with other methods"""
    for option in ('-Xfatbinary=-compress=false', '-compress-mode=speed', '-compress-mode=size',
                   '-compress-mode=none'):
        program = build('two_files_b.cu', ARCH, '-Xcompiler=-Dother=main', option) if False else \
            build('threads.cu', ARCH, option)
        within('PASSED', ends(simulate(folder, program, '--functional'), 0).out.decode())


@case
def best_text(folder):
    """of several modules of PTX the newest is taken; --arch takes an older one"""
    program = build('kernels.cu', '-gencode=arch=compute_75,code=compute_75',
                    '-gencode=arch=compute_90,code=compute_90')
    for arch in ((), ('--arch=sm_75',)):
        within('PASSED', ends(simulate(folder, program, '--functional', *arch), 0).out.decode())


main()
