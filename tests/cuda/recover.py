#!/usr/bin/env python3
"""CUDA programs that reset the device after faults.

usage: recover.py BUILD-ROOT [SEEDS]

Needs no nvcc: programs/recover.c registers a fatbin of stored PTX.
"""
import sys

from lib import BUILD, PROGRAMS, fatbin, simulate
from tap import add_case, ends, main, run

SEEDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
HEAD = '.version 7.5\n.target sm_75\n.address_size 64\n.global .u32 counted = 5;\n'
ADD = 'ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, 7; st.global.u32 [%rd1], %r2;\n'
KERNELS = {
    'add': ADD,
    'count': 'setp.ne.u32 %p, %r1, 0; @%p ret; ld.global.u32 %r2, [counted]; add.u32 %r2, %r2, 1;\n'
             'st.global.u32 [counted], %r2; st.global.u32 [%rd1], %r2;\n',
    'wild': ADD + 'setp.eq.u32 %p, %r1, 300; shl.b64 %rd2, %rd1, 12; @%p ld.global.u32 %r2, [%rd2];\n' + ADD,
    'trap': ADD + 'setp.eq.u32 %p, %r1, 300; @%p trap;\n' + ADD,
    'stuck': ADD + 'setp.lt.u32 %p, %r3, 32; @%p bar.sync 0, 96; @%p bar.sync 1, 96;\n' + ADD,
}
TEXT = HEAD + ''.join('''.visible .entry %s(.param .u64 to)
{
.reg .b32 %%r<6>; .reg .b64 %%rd<4>; .reg .pred %%p;
ld.param.u64 %%rd1, [to]; cvta.to.global.u64 %%rd1, %%rd1;
mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%ntid.x; mov.u32 %%r3, %%tid.x;
mad.lo.u32 %%r1, %%r1, %%r2, %%r3; mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd2;
%sret;
}
''' % item for item in KERNELS.items())
QUICK = ['-w', '--set=machine.watchdog=20000']
MODES = {
    'without time': ['--functional'],
    'with time': QUICK,
    'with time for one kernel': [*QUICK, '--timed=add'],
    'with time for the kernels that fault': [*QUICK, '--timed=wild', '--timed=trap'],
    'omni': [*QUICK, '--offload', '--policy=omni'],
    'adaptive': [*QUICK, '--offload', '--policy=adaptive'],
    'tom': [*QUICK, '--offload', '--config=tom', '--policy=tom-ctrl'],
    'two devices': [*QUICK, '--devices=2', '--timed=add'],
}


def recovers(folder, options):
    ends(run(['cc', '-w', *fatbin(folder, TEXT.encode()), PROGRAMS / 'recover.c',
              BUILD / 'cli/cuda/libcudart.so.13', '-o', 'app'], folder), 0)
    faults = 0
    for seed in range(1, SEEDS + 1):
        done = ends(simulate(folder, folder / 'app', *options, arguments=[str(seed), '12']), 0, None, None)
        faults += int(done.out)
    assert faults


for name, mode in MODES.items():
    add_case('a device is as new after faults and cudaDeviceReset: ' + name, recovers, mode)

main()
