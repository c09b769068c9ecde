#!/usr/bin/env python3
"""Predicted reuse of lines against that which is counted.

usage: reuses.py BUILD-ROOT [SEED]

Kernels with a loop and some loads in it write down the addresses that they load from: random ones,
and forms as programs have them. Of these the lines are counted that a warp finds because the same
load brought them in an earlier iteration, because another load of the warp did, or because another
warp of the CTA did, in this order, warps in step. Each CTA begins at another place of a line, so
that all places count the same, unless all begin at the start of one.

Where the number of iterations is a constant, all of them are counted; else the last, behind as many
as a line stays.
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
WORDS = 1 << 20   # of what is loaded

# rounds: of the loop, None if the kernel is told how many; outer: how often, and how much further
Kernel = collections.namedtuple('Kernel', 'unit apart lane row step offsets block rounds outer',
                                defaults=(None, (1, 0)))

HEAD = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 log, .param .u32 n)
{
.reg .pred %%p; .reg .b64 %%a, %%b, %%B, %%l, %%o; .reg .b32 %%x, %%y, %%c, %%i, %%t, %%u, %%n, %%j; .reg .f32 %%f<5>;
ld.param.u64 %%a, [a]; cvta.to.global.u64 %%a, %%a;
ld.param.u64 %%l, [log]; cvta.to.global.u64 %%l, %%l;
ld.param.u32 %%n, [n]; mov.u32 %%j, 0;
mov.u32 %%x, %%tid.x; mov.u32 %%y, %%tid.y; mov.u32 %%c, %%ctaid.x;
mad.lo.s32 %%t, %%y, %(width)d, %%x;
mad.lo.s32 %%t, %%c, %(threads)d, %%t;
mul.lo.s32 %%u, %%t, %(entries)d; mul.wide.s32 %%o, %%u, 4; add.s64 %%l, %%l, %%o;
mul.wide.s32 %%o, %%x, %(lane)d; add.s64 %%B, %%a, %%o;
mul.wide.s32 %%o, %%y, %(row)d; add.s64 %%B, %%B, %%o;
mul.wide.s32 %%o, %%c, %(apart)d; add.s64 %%B, %%B, %%o;
OUTER: mov.u32 %%i, 0; mov.u64 %%b, %%B;
L:
'''
TAIL = '''add.s64 %%b, %%b, %(step)d; add.s64 %%l, %%l, %(logged)d;
add.s32 %%i, %%i, 1; setp.lt.s32 %%p, %%i, %(bound)s;
@%%p bra L;
add.s64 %%B, %%B, %(further)d; add.s32 %%j, %%j, 1; setp.lt.s32 %%p, %%j, %(times)d;
@%%p bra OUTER;
ret;
}
'''
LOADS = {4: 'ld.global.f32 %f1', 8: 'ld.global.v2.f32 {%f1, %f2}',
         16: 'ld.global.v4.f32 {%f1, %f2, %f3, %f4}'}


def remembered(kernel):
    """Iterations that a line stays: until the loop has gone on by a line, or one"""
    return LINE // abs(kernel.step) if abs(kernel.step) < LINE and kernel.step else 1


def iterations(kernel):
    return kernel.rounds or remembered(kernel) + 1


def threads(kernel):
    return kernel.block[0] * kernel.block[1]


def text_of(kernel):
    rounds = iterations(kernel)
    values = kernel._asdict() | {
        'width': kernel.block[0], 'threads': threads(kernel),
        'bound': kernel.rounds or '%n', 'logged': 4 * len(kernel.offsets),
        'times': kernel.outer[0], 'further': kernel.outer[1],
        'entries': len(kernel.offsets) * rounds * kernel.outer[0]}
    body = ''
    for place, offset in enumerate(kernel.offsets):
        at = ENOUGH + offset
        body += ('%s, [%%b+%d];\nadd.s64 %%o, %%b, %d; sub.s64 %%o, %%o, %%a; cvt.u32.u64 %%u, %%o;\n'
                 'st.global.u32 [%%l+%d], %%u;\n' % (LOADS[kernel.unit], at, at, 4 * place))
    return HEAD % values + body + TAIL % values


def addresses(folder, kernel):
    """[CTA and turn of the outer loop][iteration][load][thread]"""
    ctas, loads, rounds, times = LINE // kernel.apart, len(kernel.offsets), iterations(kernel), \
        kernel.outer[0]
    size = ctas * threads(kernel) * loads * rounds * times
    ends(run([BUILD / 'cli' / 'ptxoffload-sim', 'in.ptx', '--functional', '--kernel', 'k', '--grid', str(ctas),
              '--block', '%d,%d' % kernel.block, '--arg', 'buf:u32:%d:zero' % WORDS, '--arg',
              'buf:u32:%d:zero' % size, '--arg', 'u32:%d' % rounds, '--save', '1=log.npy'],
             folder), 0)
    found = array.array('I', (folder / 'log.npy').read_bytes()[-4 * size:])

    def of(cta, time, turn, load):
        first = ((cta * threads(kernel) * times + time) * rounds + turn) * loads + load
        return found[first:first + threads(kernel) * times * rounds * loads:times * rounds * loads]
    return [[[of(cta, time, turn, load) for load in range(loads)] for turn in range(rounds)]
            for cta in range(ctas) for time in range(times)]


def lines_of(kernel, accesses):
    """Sets of lines, one for each warp"""
    return [{byte // LINE for address in accesses[first:first + WARP]
             for byte in (address, address + kernel.unit - 1)}
            for first in range(0, len(accesses), WARP)]


def count_round(lines, turn, back, counts):
    """Adds what one iteration finds: lines[iteration][load][warp]"""
    known = lines[max(turn - back, 0):turn]
    for load, count in enumerate(counts):
        before = [lines[turn][:load]] + known
        every = {line for turn in before for access in turn for own in access for line in own}
        for warp, own in enumerate(lines[turn][load]):
            for line in own:
                loop = any(line in earlier[load][warp] for earlier in known)
                other = any(line in access[warp] for earlier in before for access in earlier)
                count[0 if loop else 1 if other else 2 if line in every else 3] += 1
            every |= own


def counted(folder, kernel):
    """For each load: [by itself, by another, by another warp, new], as parts of the lines"""
    counts = [[0] * 4 for _ in kernel.offsets]
    for run_of_loop in addresses(folder, kernel):
        lines = [[lines_of(kernel, accesses) for accesses in turn] for turn in run_of_loop]
        for turn in range(len(lines)) if kernel.rounds else [len(lines) - 1]:
            count_round(lines, turn, remembered(kernel), counts)
    return [[Fraction(part, sum(count)) for part in count] for count in counts]


SAME = 'the address is the same in all iterations: only the first iteration brings lines'
CAUSES = (r'each iteration advances|the address is the same', r'the load in line \d+( and others)? touch', r'warps of a CTA')


def shares_of(told, rounds):
    """The same from the words of a remark"""
    if told.startswith('no line'):
        return [Fraction(0)] * 3 + [Fraction(1)]
    if told.startswith(SAME):
        return [1 - rounds, Fraction(0), Fraction(0), rounds]
    parts = [Fraction(0)] * 4
    shares = [int(share) for share in re.findall(r'\(serves (\d+) ', told)]
    rest = re.search(r': (\d+) of (\d+) lines', told)
    of = re.search(r'\(serves \d+ of (\d+) lines', told)
    fresh, lines = map(int, rest.groups()) if rest else (0, int(of.group(1)) if of else 1)
    causes = [i for i, cause in enumerate(CAUSES) if re.search(cause, told)]
    for cause, share in zip(causes, shares or [lines - fresh], strict=True):
        parts[cause] = Fraction(share, lines)
    parts[3] = Fraction(fresh, lines)
    same((sum(parts), told), (1, told))
    return parts


def predicted(folder, kernel):
    done = run([BUILD / 'cli' / 'ptxoffload', 'in.ptx', '--remarks-analysis', '--block=%d,%d' %
                kernel.block], folder)
    found = []
    for line in ends(done, 0, out='').err.decode().splitlines():
        if ': remark: ' not in line or '; ' not in line:
            continue
        found.append(shares_of(line.split('; ', 1)[1],
                               Fraction(1, kernel.rounds) if kernel.rounds else Fraction(0)))
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


def random_counted(chance):
    """One whose loop runs so many times, of few threads: all iterations are looked at"""
    kernel = random_kernel(chance)
    rounds = chance.choice([1, 2, 3, 4, 5, 8, 16, 31, 32, 33, 40])
    lane = chance.choice([kernel.lane, rounds * abs(kernel.step)])
    return kernel._replace(rounds=rounds, lane=lane, block=chance.choice([(32, 1), (64, 1), (16, 4)]),
                           apart=chance.choice([kernel.unit, 32, LINE]))


def check(folder, number, make):
    chance = random.Random(SEED * 1000 + number)
    for _ in range(KERNELS_AT_A_TIME):
        compare(folder, make(chance))


for number in range(TIMES):
    add_case('random kernels, %d of %d' % (number + 1, TIMES), check, number, random_kernel)
for number in range(TIMES):
    add_case('random kernels with a constant count, %d of %d' % (number + 1, TIMES), check,
             number + TIMES, random_counted)

# What programs have. A row is 512 words or 2 KiB long, a CTA begins at the start of a line.
FORMS = {'chunks of %d' % n: Kernel(4, LINE, 4 * n, 0, 4, (0,), (64, 1), n)
         for n in (2, 3, 4, 7, 8, 16, 24, 31, 32, 33, 48, 64)} | {
    'chunks of 32 that begin anywhere': Kernel(4, 4, 128, 0, 4, (0,), (64, 1), 32),
    'chunks of 100 that begin anywhere': Kernel(4, 4, 400, 0, 4, (0,), (32, 1), 100),
    'chunks of 16, backwards': Kernel(4, LINE, 64, 0, -4, (60,), (64, 1), 16),
    'chunks of 32 unrolled by 4': Kernel(4, LINE, 128, 0, 16, (0, 4, 8, 12), (64, 1), 8),
    'chunks of 8 float4': Kernel(16, LINE, 128, 0, 16, (0,), (64, 1), 8),
    'chunks of 64 of 8 bytes': Kernel(8, LINE, 512, 0, 8, (0,), (64, 1), 64),
    'chunks of 32 for 8 warps': Kernel(4, LINE, 128, 0, 4, (0,), (256, 1), 32),
    'a row of its own for each thread': Kernel(4, LINE, 2048, 0, 4, (0,), (32, 1), 50),
    'a row, column by column': Kernel(4, LINE, 4, 0, 128, (0,), (32, 1), 9),
    'a column, row by row': Kernel(4, LINE, 4, 0, 2048, (0,), (64, 1), 12),
    'a column of 16 x 4, row by row': Kernel(4, LINE, 4, 64, 256, (0,), (16, 4), 12),
    'one row for all': Kernel(4, LINE, 0, 0, 4, (0,), (128, 1), 40),
    'one word for all': Kernel(4, LINE, 0, 0, 0, (0,), (128, 1), 6),
    'rows of a tile': Kernel(4, LINE, 4, 2048, 128, (0,), (32, 4), 6),
    'columns of a tile': Kernel(4, LINE, 2048, 4, 128, (0,), (8, 8), 6),
    'a stencil along rows': Kernel(4, LINE, 4, 0, 128, (-4, 0, 4), (32, 1), 6),
    'a stencil down columns': Kernel(4, LINE, 4, 0, 2048, (-2048, 0, 2048), (64, 1), 10),
    'a stencil of five': Kernel(4, 4, 4, 0, 2048, (-2048, -4, 0, 4, 2048), (32, 1), 5),
    'a stencil in chunks': Kernel(4, LINE, 64, 0, 4, (-4, 0, 4), (32, 1), 16),
    'fields of a structure': Kernel(4, LINE, 12, 0, 768, (0, 4, 8), (64, 1), 4),
    'structures in chunks': Kernel(4, LINE, 96, 0, 12, (0, 4, 8), (64, 1), 8),
    'structures of 20 in chunks of 5': Kernel(4, LINE, 100, 0, 20, (0, 8, 16), (64, 1), 5),
    'rows of 8 in a matrix, for each thread': Kernel(4, LINE, 32, 0, 4, (0,), (32, 1), 8, (3, 2048)),
    'a window that goes on by a word': Kernel(4, LINE, 4, 0, 4, (0,), (64, 1), 9, (32, 4)),
    'chunks again and again': Kernel(4, LINE, 128, 0, 4, (0,), (64, 1), 32, (3, 0)),
    'rows told by the launch, twice': Kernel(4, 4, 2048, 0, 4, (0,), (32, 1), None, (2, 4)),
}
for name, kernel in FORMS.items():
    add_case(name, compare, kernel)


@case
def two_causes(folder):
    """loop and warps together: 744 + 7 + 1 of 752 lines"""
    kernel = Kernel(4, 4, 8, 0, 4, (0,), (256, 1))
    compare(folder, kernel)
    same(predicted(folder, kernel), [[Fraction(744, 752), 0, Fraction(7, 752), Fraction(1, 752)]])


main(os.cpu_count())
