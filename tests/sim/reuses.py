#!/usr/bin/env python3
"""Predicted reuse of lines against that which is counted.

usage: reuses.py BUILD-ROOT [SEED]

Random kernels with a loop and some loads in it write down the addresses that they load from. Of
these the lines are counted that a warp finds because the same load brought them in an earlier
iteration, because another load of the warp did, or because another warp of the CTA did, in this
order, warps in step. Each CTA begins at another place of a line, so that all places count the same,
unless all begin at the start of one.
"""
import array
import collections
import os
import pathlib
import random
import re
import sys
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 7
KERNELS_AT_A_TIME, TIMES = 10, 10
LINE, WARP = 128, 32
ENOUGH = 1 << 16  # bytes in front of what is loaded, for those who go backwards

Kernel = collections.namedtuple('Kernel', 'unit apart lane row step offsets block')

HEAD = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 log)
{
.reg .pred %%p; .reg .b64 %%a, %%b, %%l, %%o; .reg .b32 %%x, %%y, %%c, %%i, %%t, %%u; .reg .f32 %%f<5>;
ld.param.u64 %%a, [a]; cvta.to.global.u64 %%a, %%a;
ld.param.u64 %%l, [log]; cvta.to.global.u64 %%l, %%l;
mov.u32 %%x, %%tid.x; mov.u32 %%y, %%tid.y; mov.u32 %%c, %%ctaid.x; mov.u32 %%i, 0;
mad.lo.s32 %%t, %%y, %(width)d, %%x;
mad.lo.s32 %%t, %%c, %(threads)d, %%t;
mul.lo.s32 %%u, %%t, %(entries)d; mul.wide.s32 %%o, %%u, 4; add.s64 %%l, %%l, %%o;
mul.wide.s32 %%o, %%x, %(lane)d; add.s64 %%b, %%a, %%o;
mul.wide.s32 %%o, %%y, %(row)d; add.s64 %%b, %%b, %%o;
mul.wide.s32 %%o, %%c, %(apart)d; add.s64 %%b, %%b, %%o;
L:
'''
TAIL = '''add.s64 %%b, %%b, %(step)d; add.s64 %%l, %%l, %(logged)d;
add.s32 %%i, %%i, 1; setp.lt.s32 %%p, %%i, %(iterations)d;
@%%p bra L;
ret;
}
'''
LOADS = {4: 'ld.global.f32 %f1', 8: 'ld.global.v2.f32 {%f1, %f2}',
         16: 'ld.global.v4.f32 {%f1, %f2, %f3, %f4}'}


def remembered(kernel):
    """Iterations that a line stays: until the loop has gone on by a line, or one"""
    return 1 + LINE // abs(kernel.step) if abs(kernel.step) < LINE and kernel.step else 1


def threads(kernel):
    return kernel.block[0] * kernel.block[1]


def text_of(kernel):
    values = kernel._asdict() | {
        'width': kernel.block[0], 'threads': threads(kernel),
        'iterations': remembered(kernel) + 1, 'logged': 4 * len(kernel.offsets),
        'entries': len(kernel.offsets) * (remembered(kernel) + 1)}
    body = ''
    for place, offset in enumerate(kernel.offsets):
        at = ENOUGH + offset
        body += ('%s, [%%b+%d];\nadd.s64 %%o, %%b, %d; sub.s64 %%o, %%o, %%a; cvt.u32.u64 %%u, %%o;\n'
                 'st.global.u32 [%%l+%d], %%u;\n' % (LOADS[kernel.unit], at, at, 4 * place))
    return HEAD % values + body + TAIL % values


def addresses(folder, kernel):
    """[CTA][iteration][load][thread]"""
    ctas, loads, rounds = LINE // kernel.apart, len(kernel.offsets), remembered(kernel) + 1
    ends(run([BUILD / 'cli' / 'ptxoffload-sim', 'in.ptx', '--kernel', 'k', '--grid', str(ctas),
              '--block', '%d,%d' % kernel.block, '--arg', 'buf:u32:%d:zero' % ENOUGH, '--arg',
              'buf:u32:%d:zero' % (ctas * threads(kernel) * loads * rounds),
              '--save', '1=log.npy'], folder), 0)
    found = array.array('I', (folder / 'log.npy').read_bytes()[-4 * ctas * threads(kernel) *
                                                               loads * rounds:])
    def of(cta, turn, load, thread):
        return found[((cta * threads(kernel) + thread) * rounds + turn) * loads + load]
    return [[[[of(cta, turn, load, thread) for thread in range(threads(kernel))]
              for load in range(loads)] for turn in range(rounds)] for cta in range(ctas)]


def lines_of(kernel, accesses):
    """Sets of lines, one for each warp"""
    return [{byte // LINE for address in accesses[first:first + WARP]
             for byte in (address, address + kernel.unit - 1)}
            for first in range(0, len(accesses), WARP)]


def counted(folder, kernel):
    """For each load: [by itself, by another, by another warp, new], as parts of the lines"""
    counts = [[0] * 4 for _ in kernel.offsets]
    for cta in addresses(folder, kernel):
        lines = [[lines_of(kernel, accesses) for accesses in turn] for turn in cta]
        for load, count in enumerate(counts):
            before = [[lines[-1][other] for other in range(load)]] + lines[:-1]
            every = {line for turn in before for access in turn for own in access for line in own}
            for warp, own in enumerate(lines[-1][load]):
                for line in own:
                    loop = any(line in turn[load][warp] for turn in lines[:-1])
                    other = any(line in access[warp] for turn in before for access in turn)
                    count[0 if loop else 1 if other else 2 if line in every else 3] += 1
                every |= own
    return [[Fraction(part, sum(count)) for part in count] for count in counts]


CAUSES = (r'each iteration goes on', r'the load in line \d+( and others)? touch', r'warps of a CTA')


def predicted(folder, kernel):
    done = run([BUILD / 'cli' / 'ptxoffload', 'in.ptx', '--remarks-analysis', '--block=%d,%d' %
                kernel.block], folder)
    found = []
    for line in ends(done, 0, out='').err.decode().splitlines():
        if ': remark: ' not in line or '; ' not in line:
            continue
        told = line.split('; ', 1)[1]
        parts = [Fraction(0)] * 4
        if told.startswith('no line'):
            parts[3] = Fraction(1)
        elif told.startswith('the address is the same'):
            parts[0] = Fraction(1)
        else:
            shares = [int(share) for share in re.findall(r'\(serves (\d+) ', told)]
            rest = re.search(r': (\d+) of (\d+) lines', told)
            of = re.search(r'\(serves \d+ of (\d+) lines', told)
            fresh, lines = map(int, rest.groups()) if rest else (0, int(of.group(1)) if of else 1)
            causes = [i for i, cause in enumerate(CAUSES) if re.search(cause, told)]
            for cause, share in zip(causes, shares or [lines - fresh], strict=True):
                parts[cause] = Fraction(share, lines)
            parts[3] = Fraction(fresh, lines)
            same((sum(parts), told), (1, told))
        found.append(parts)
    return found


def compare(folder, kernel):
    (folder / 'in.ptx').write_text(text_of(kernel))
    same((kernel, predicted(folder, kernel)), (kernel, counted(folder, kernel)))


def random_kernel(chance):
    unit = chance.choice([4, 4, 8, 16])
    block = chance.choice([(32, 1), (64, 1), (128, 1), (256, 1), (16, 8), (32, 4), (8, 4), (12, 8)])
    lane = unit * chance.choice([0, 1, 1, 2, 3, 5, 8, 33])
    row = lane * block[0] if chance.random() < 0.5 else unit * chance.choice([0, 1, 4, 9, 40])
    step = unit * chance.choice([0, 1, 1, 2, 3, 4, 7, 8, 32, 64, 70, -1, -5])
    offsets = [unit * chance.choice([0, 0, 1, 2, 3, 16, 32, 64, 500, -1, -32])
               for _ in range(chance.choice([1, 1, 2, 3, 4]))]
    apart = unit if step % LINE else chance.choice([unit, LINE])
    return Kernel(unit, apart, lane, row, step, tuple(offsets), block)


def check(folder, number):
    chance = random.Random(SEED * 1000 + number)
    for _ in range(KERNELS_AT_A_TIME):
        compare(folder, random_kernel(chance))


for number in range(TIMES):
    add_case('random kernels, %d of %d' % (number + 1, TIMES), check, number)


@case
def two_causes(folder):
    """loop and warps together: 744 + 7 + 1 of 752 lines"""
    kernel = Kernel(4, 4, 8, 0, 4, (0,), (256, 1))
    compare(folder, kernel)
    same(predicted(folder, kernel), [[Fraction(744, 752), 0, Fraction(7, 752), Fraction(1, 752)]])


main(os.cpu_count())
