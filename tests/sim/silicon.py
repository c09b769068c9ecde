#!/usr/bin/env python3
"""Machines beside measurements of hardware: latencies by chains of dependent instructions, and bandwidths.

usage: silicon.py BUILD-ROOT
"""
import json
import math
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, ends, main, run

SIMULATOR = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload-sim'
HEAD = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n, .param .u32 step)
{
    .shared .align 8 .b8 s[64];
    .reg .pred %q<3>; .reg .b32 %r<20>; .reg .b64 %d<30>; .reg .f32 %f<9>; .reg .f64 %g<20>;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [step];
    mov.u32 %r3, 0; mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x;
'''
BASE, LONG = 123148523536384, 512
# The least and the most that the sources of published measurements have (runtime-sim/configs/NAME.yaml names them), in cycles
# and, for bandwidths, bytes per cycle of a core.
ALU = {'fp32 fma': (4.12, 4.12), 'int add': (4.31, 4.31), 'int mad': (4.31, 4.31), 'fp64 fma': (8, 8.06), 'sqrt': (21.1, 21.1)}


def per_core(least, most, cores, clock):
    """of GB/s at a clock in MHz"""
    return tuple(value * 1e3 / clock / cores for value in (least, most))


# Arithmetic and atomics were measured on V100 and TITAN V; the f32 multiply-add also on an H100, with the loop in its 4.44 cycles.
MACHINES = {
    'v100': {'cores': 80, **ALU, 'shared memory': (23.49, 27.01), 'L1 hit': (27.9, 36), 'L2 near': (211.07, 221),
             'L2 far': (211.07, 221), 'atomic': (243.6, 245), 'DRAM': (407.91, 460), 'L1 bandwidth': (116.4, 125.4),
             'L2 bandwidth': (22.1, 22.1), 'DRAM bandwidth': per_core(867, 867, 80, 1380)},
    'a100': {'cores': 108, **ALU, 'shared memory': (29.88, 29.88), 'L1 hit': (33, 39), 'L2 near': (205.7, 221),
             'L2 far': (1.75 * 205.7, 397.2), 'DRAM': (516.7, 640.1), 'L1 bandwidth': (125.4, 125.4),
             'L2 bandwidth': per_core(5400, 7050, 108, 1410), 'DRAM bandwidth': per_core(1500, 1500, 108, 1410)},
    'a100-80gb': {'cores': 108, 'DRAM': (516.7, 640.1), 'DRAM bandwidth': per_core(1776, 1880, 108, 1410)},
    'h100': {'cores': 132, **ALU, 'fp32 fma': (4.12, 4.44), 'shared memory': (29.88, 29.88), 'L1 hit': (32, 40),
             'L2 near': (219.35, 291), 'L2 far': (515.5, 515.5), 'DRAM': (658, 834.5), 'L1 bandwidth': (126, 126)},
    'h100-pcie': {'cores': 114, 'L2 bandwidth': (7000e3 / 1755 / 114, 7000e3 / 1395 / 114), 'DRAM bandwidth': per_core(1942, 1962, 114, 1755)},
    'h200': {'cores': 132, 'L2 bandwidth': per_core(9900, 9900, 132, 1980), 'DRAM bandwidth': per_core(3888, 3916, 132, 1980)},
}
ARITHMETIC = {
    'fp32 fma': ('mov.f32 %f1, 0f3F800000;', 'fma.rn.f32 %f1, %f1, %f1, %f1;', 'st.global.f32 [%d1], %f1;'),
    'int add': ('mov.u32 %r7, %r1;', 'add.u32 %r7, %r7, %r1;', 'st.global.u32 [%d1], %r7;'),
    'int mad': ('mov.u32 %r7, %r1;', 'mad.lo.u32 %r7, %r7, %r1, %r7;', 'st.global.u32 [%d1], %r7;'),
    'fp64 fma': ('mov.f64 %g1, 0d3FF0000000000000;', 'fma.rn.f64 %g1, %g1, %g1, %g1;', 'st.global.f64 [%d1], %g1;'),
    'sqrt': ('mov.f32 %f1, 0f3F800000;', 'sqrt.approx.f32 %f1, %f1;', 'st.global.f32 [%d1], %f1;'),
}


# The kernels have the order of machine code.
AS_WRITTEN = '--set=core.schedule=0'


def cycles(folder, machine, body, count, fill, grid=1, block=1, n=0, step=0, copies='false'):
    (folder / 'k.ptx').write_text(HEAD + body + '    ret;\n}\n')
    (folder / 'k.yaml').write_text('''program: k.ptx
buffers:
  p: {type: u64, count: %d, address: %d, fill: "%s"}
launches: [{kernel: k, grid: %d, block: %d, args: [p, %d, %d]}]
''' % (count, BASE, fill, grid, block, n, step))
    ends(run([SIMULATOR, 'k.yaml', '--config=' + machine, '--stats=s.json', '-q', AS_WRITTEN, '--set',
              'machine.copies_to_llc=' + copies], folder), 0)
    return json.loads((folder / 's.json').read_text())['total']['statistics']['machine.cycles']


def arithmetic(folder, machine, name):
    first, step, last = ARITHMETIC[name]
    lengths = [cycles(folder, machine, '%s\n%s%s\n' % (first, (step + '\n') * length, last), 64, 'zero', n=1)
               for length in (64, 64 + LONG)]
    return (lengths[1] - lengths[0]) / LONG


def chase(folder, machine, load, count, stride, warm=True):
    """cycles of a load in a chain; `warm`: each line of the chain was loaded before"""
    body = 'mov.u64 %d2, %d1;\nL:\n' + (load + ' %d2, [%d2];\n') * 16 + '''add.u32 %r3, %r3, 16; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;
st.global.u64 [%d1], %d2;
'''
    steps = count // math.gcd(count, stride) // 16 * 16 + 16 if warm else 96
    fill = '= %d + ((i + %d) %% %d) * 8' % (BASE, stride, count)
    ends_at = [cycles(folder, machine, body, count, fill, n=n) for n in (steps, steps + LONG)]
    return (ends_at[1] - ends_at[0]) / LONG


def lines(folder, machine):
    """cycles of an L2 hit for each of twelve lines, which are in slices at both sides"""
    body = 'shl.b32 %r7, %r1, 12; cvt.u64.u32 %d3, %r7; add.u64 %d2, %d1, %d3;\nL:\n' + 'ld.global.cg.u64 %d2, [%d2];\n' * 16 + \
           'add.u32 %r3, %r3, 16; setp.lt.u32 %q1, %r3, %r2; @%q1 bra L;\nst.global.u64 [%d1], %d2;\n'
    for line in range(12):
        ends_at = [cycles(folder, machine, body, 1 << 13, '= %d + i * 8' % BASE, n=line, step=n) for n in (32, 160)]
        yield (ends_at[1] - ends_at[0]) / 128


def shared(folder, machine):
    body = 'mov.u32 %r7, s; st.shared.u32 [%r7], %r7;\nL:\n' + 'ld.shared.u32 %r7, [%r7];\n' * 16 + \
           'add.u32 %r3, %r3, 16; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;\nst.global.u32 [%d1], %r7;\n'
    ends_at = [cycles(folder, machine, body, 64, 'zero', n=n) for n in (LONG, 2 * LONG)]
    return (ends_at[1] - ends_at[0]) / LONG


def atomic(folder, machine):
    body = 'mov.u32 %r7, 0;\nL:\n' + 'atom.global.add.u32 %r7, [%d1], %r7;\n' * 16 + \
           'add.u32 %r3, %r3, 16; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;\nst.global.u32 [%d1], %r7;\n'
    ends_at = [cycles(folder, machine, body, 64, 'zero', n=n) for n in (32, 160)]
    return (ends_at[1] - ends_at[0]) / 128


def bandwidth(folder, machine, load, start, mask, step, count, rounds, copies='false', cores=0):
    """bytes per cycle of a core, of all or of some: two CTAs of 1,024 threads on each, or one, eight loads of 8 bytes in flight"""
    grid = cores or 2 * MACHINES[machine]['cores']
    body = start + '\nL:\n'
    for i in range(8):
        body += 'and.b32 %%r8, %%r7, %d; cvt.u64.u32 %%d2, %%r8; add.u64 %%d%d, %%d5, %%d2; add.u32 %%r7, %%r7, %%r2;\n' % (
            mask - (1 << 32 if mask > 0x7fffffff else 0), 10 + i)
    body += ''.join(load + ' %%g%d, [%%d%d];\n' % (2 + i, 10 + i) for i in range(8))
    body += ''.join('add.f64 %%g1, %%g1, %%g%d;\n' % (2 + i) for i in range(8))
    body = 'mov.f64 %g1, 0d0000000000000000;\n' + body + '''add.u32 %r3, %r3, 8; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;
setp.eq.f64 %q2, %g1, 0d3FF8000000000000; @%q2 st.global.f64 [%d1], %g1;
'''
    ends_at = [cycles(folder, machine, body, count, 'zero', grid=grid, block=1024, n=n, step=step(machine), copies=copies)
               for n in rounds]
    return (1 if cores else 2) * 1024 * 8 * (rounds[1] - rounds[0]) / (ends_at[1] - ends_at[0])


OWN = 'shl.b32 %r7, %r6, 3; mul.wide.u32 %d4, %r4, 32768; add.u64 %d5, %d1, %d4;'  # each CTA has 32 KB
SAME = 'mul.lo.u32 %r7, %r4, 8192; mad.lo.u32 %r7, %r6, 8, %r7; mov.u64 %d5, %d1;'  # all have four MB, from their own place
ALL = 'mad.lo.u32 %r7, %r4, %r5, %r6; shl.b32 %r7, %r7, 3; mov.u64 %d5, %d1;'  # a stream


def stream(machine):
    return MACHINES[machine]['cores'] * 2048 * 8


MEASURES = {
    **{name: lambda folder, machine, name=name: arithmetic(folder, machine, name) for name in ARITHMETIC},
    'shared memory': shared,
    'L1 hit': lambda folder, machine: chase(folder, machine, 'ld.global.u64', 2048, 4),
    'L2 near': lambda folder, machine: min(lines(folder, machine)),
    'L2 far': lambda folder, machine: max(lines(folder, machine)),
    'atomic': atomic,
    'DRAM': lambda folder, machine: chase(folder, machine, 'ld.global.cg.u64', 1 << 22, 4 * 1021, warm=False),
    'L1 bandwidth': lambda folder, machine: bandwidth(folder, machine, 'ld.global.f64', OWN, 32767, lambda _: 8192, 16 * 4096, (64, 320), cores=16),
    'L2 bandwidth': lambda folder, machine: bandwidth(folder, machine, 'ld.global.cg.f64', SAME, (1 << 22) - 1, lambda _: 8192 * 7, 1 << 19, (8, 24),
                                                      'true'),
    'DRAM bandwidth': lambda folder, machine: bandwidth(folder, machine, 'ld.global.f64', ALL, (1 << 32) - 1, stream, stream(machine) * 3, (8, 24)),
}


def beside(folder, machine, name, low, high):
    have = MEASURES[name](folder, machine)
    print('# %s, %s: %.4g; measured on hardware: %.4g to %.4g' % (machine, name, have, low, high), flush=True)
    apart = max(low - have, have - high)
    # Latencies are whole numbers of cycles.
    assert apart <= .05 * high or name in ARITHMETIC and apart < .5, '%s of %s is %.4g, not %.4g to %.4g within 5 %%' % (
        name, machine, have, low, high)


def is_slow(name, quantity):
    return name != 'v100' and quantity in ('L2 bandwidth', 'DRAM bandwidth')


def add_cases(slow):
    for name, measured in MACHINES.items():
        for quantity, limits in measured.items():
            if quantity in MEASURES and is_slow(name, quantity) == slow:
                add_case('%s: %s' % (name, quantity), beside, name, quantity, *limits)


if __name__ == '__main__':
    add_cases(False)
    main()
