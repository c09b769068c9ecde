#!/usr/bin/env python3
"""Trip counts of loops whose ends are known before the launch, against those that are counted.

usage: known_trips.py BUILD-ROOT [--count=N] [SEED]

Start, bound and step are constants, or made of %ntid.x, which .reqntid or --block tells; the
counter may wrap around. A model says how often each loop runs; loops that run more often than it
counts to stand in the text but are jumped over. What is told as a constant has to be the count, and
the simulator has to agree with the model.
"""
import dataclasses
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from expression import evaluate, names, signed
from tap import add_case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
OPTIONS = [option[8:] for option in sys.argv[2:] if option.startswith('--count=')]
SEEDS = [option for option in sys.argv[2:] if not option.startswith('--')]
TIMES = int(OPTIONS[0]) if OPTIONS else 12
SEED = int(SEEDS[0]) if SEEDS else 7
LOOPS, MOST = 40, 3000

HEAD = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u32 zero)
%s{
.reg .pred %%p, %%never; .reg .b64 %%a; .reg .b32 %%n;
ld.param.u64 %%a, [a];
ld.param.u32 %%n, [zero];
setp.eq.u32 %%never, %%n, 0;
'''
COMPARE = {'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b, 'gt': lambda a, b: a > b,
           'ge': lambda a, b: a >= b, 'ne': lambda a, b: a != b, 'eq': lambda a, b: a == b}
SWAPPED = {'lt': 'gt', 'le': 'ge', 'gt': 'lt', 'ge': 'le', 'ne': 'ne', 'eq': 'eq'}
NEGATED = {'lt': 'ge', 'le': 'gt', 'gt': 'le', 'ge': 'lt', 'ne': 'eq', 'eq': 'ne'}
# How a value comes of %ntid.x and a number, which {n} and {v} hold.
MADE = {
    'ntid': ('mov.b32 {v}, {n};', lambda n, c: n),
    'more': ('add.s32 {v}, {n}, {c};', lambda n, c: n + c),
    'less': ('sub.s32 {v}, {c}, {n};', lambda n, c: c - n),
    'shifted': ('shl.b32 {v}, {n}, 1;', lambda n, c: 2 * n),
    'half': ('shr.u32 {v}, {n}, 1;', lambda n, c: n // 2),
    'part': ('and.b32 {v}, {n}, 28;', lambda n, c: n & 28),
}


@dataclasses.dataclass(frozen=True)
class Value:
    """A constant, or made of %ntid.x"""
    made: str = ''
    constant: int = 0

    def worth(self, ntid):
        return MADE[self.made][1](ntid, self.constant) if self.made else self.constant

    def text(self, to, bits):
        if not self.made:
            return 'mov.b%d %s, %d;' % (bits, to, signed(self.constant, bits))
        narrow = MADE[self.made][0].format(v='%T', n='%N', c=self.constant)
        last = 'mov.b32 %s, %%T;' if bits == 32 else 'cvt.%s.s32 %%s, %%%%T;' % ('s%d' % bits)
        return 'mov.u32 %N, %ntid.x; ' + narrow + ' ' + last % to


@dataclasses.dataclass(frozen=True)
class Loop:
    start: Value
    bound: Value
    bits: int = 32
    sign: str = 's'
    compare: str = 'lt'
    step: int = 1
    at_top: bool = False
    steps_last: bool = False  # behind the comparison, at the bottom
    step_in_bound: bool = False  # what is compared is a step further
    swapped: bool = False
    leaves: bool = False  # the branch is taken to leave
    immediate: bool = False  # the bound

    def seen(self, value):
        value &= (1 << self.bits) - 1
        return signed(value, self.bits) if self.sign == 's' else value

    def run(self, ntid):
        """How often the body runs, None if too often; and whether the counter wraps around"""
        x, bound = self.seen(self.start.worth(ntid)), self.seen(self.bound.worth(ntid))
        wraps = self.start.worth(ntid) != x or self.bound.worth(ntid) != bound
        for count in range(MOST):
            compared = self.seen(x + self.step * self.step_in_bound)
            wraps |= compared != x + self.step * self.step_in_bound
            if self.at_top and not COMPARE[self.compare](compared, bound):
                return count, wraps
            old, x = x, self.seen(x + self.step)
            wraps |= x != old + self.step
            compared = self.seen((old if self.steps_last else x) + self.step * self.step_in_bound)
            if not self.at_top and not COMPARE[self.compare](compared, bound):
                return count + 1, wraps
        return None, True

    def text(self, i, skipped):
        b, x, v, c = self.bits, '%%x%d' % i, '%%v%d' % i, '%%c%d' % i
        lines = ['{ .reg .b32 %N, %T;', '.reg .b%d %s, %s, %s;' % (b, x, v, c),
                 self.start.text(x, b), self.bound.text(v, b)]
        lines += ['@%%never bra OUT%d;' % i] if skipped else []
        bound = str(self.bound.constant) if self.immediate and not self.bound.made else v
        compared = [x, bound]
        test = []
        if self.step_in_bound:
            test, compared = ['add.s%d %s, %s, %d;' % (b, c, x, self.step)], [c, bound]
        word = self.compare
        if self.swapped and bound == v:
            word, compared = SWAPPED[word], compared[::-1]
        word = NEGATED[word] if self.leaves else word
        test.append('setp.%s.%s%d %%p, %s, %s;' % (word, self.sign, b, *compared))
        body, step = ['st.global.b32 [%a], 0;'], ['add.s%d %s, %s, %d;' % (b, x, x, self.step)]
        begin, out = ['LOOP%d:' % i], ['OUT%d:' % i]
        leave = ['@%s%%p bra OUT%d;' % ('' if self.leaves else '!', i)]
        if self.at_top:
            around = begin + test + leave + body + step + ['bra LOOP%d;' % i]
        else:
            last = leave + ['bra LOOP%d;' % i] if self.leaves else ['@%%p bra LOOP%d;' % i]
            around = begin + body + (test + step if self.steps_last else step + test) + last
        return '\n'.join(lines + around + out) + '\n}\n'


def random_value(draw, bits):
    if draw.random() < 0.4:
        return Value(draw.choice(list(MADE)), draw.randrange(0, 100))
    edges = (0, 1, -1, (1 << (bits - 1)) - 1, -(1 << (bits - 1)), (1 << bits) - 2, draw.randrange(300))
    near = draw.choice(edges) + draw.choice((0, 0, draw.randrange(-4, 5)))
    return Value('', signed(near, bits) if draw.random() < 0.5 else draw.randrange(-50, 200))


def random_loop(draw):
    bits = draw.choice((16, 32, 32, 32, 64))
    compare = draw.choice(list(COMPARE))
    up = compare in ('lt', 'le') or (compare in ('ne', 'eq') and draw.random() < 0.5)
    up ^= draw.random() < 0.1
    at_top = draw.random() < 0.4
    return Loop(random_value(draw, bits), random_value(draw, bits), bits, draw.choice('su'), compare,
                draw.choice((1, 1, 1, 2, 3, 4, 7)) * (1 if up else -1), at_top,
                not at_top and draw.random() < 0.4, draw.random() < 0.2, draw.random() < 0.3,
                draw.random() < 0.5, draw.random() < 0.5)


def told_of(block):
    """The constant that the block is judged at; 1 may mean that nothing is known"""
    return round((block['words_in'] - block['bw_tx']) / block['saved_tx'])


def measure(folder, loops, ntid, known):
    """[(blocks of the loops, iterations)]"""
    text = HEAD % ('.reqntid %d\n' % ntid if known == 'reqntid' else '.maxntid 1024\n')
    runs = [loop.run(ntid)[0] for loop in loops]
    text += ''.join(loop.text(i, n is None) for i, (loop, n) in enumerate(zip(loops, runs)))
    (folder / 'k.ptx').write_text(text + 'ret;\n}\n')
    options = ['--block=%d' % ntid] if known == 'block' else []
    ends(run([BUILD / 'cli/ptxoffload', 'k.ptx', '-o', 'out.ptx', '-w', '--cost=tom',
              '--metadata=m.json', *options], folder), 0)
    ends(run([BUILD / 'cli/ptxoffload-sim', 'k.ptx', '--functional', '--kernel', 'k', '--grid', '1',
              '--block', str(ntid), '--arg', 'buf:u32:64:zero', '--arg', 'u32:0',
              '--profile-out=p.json'], folder), 0)
    blocks = json.loads((folder / 'm.json').read_text())['kernels'][0]['blocks']
    blocks = sorted((b for b in blocks if b['kind'] == 'loop'), key=lambda b: b['begin_line'])
    counts = json.loads((folder / 'p.json').read_text())['kernels'][0]['functions'][-1]['loops']
    counts.sort(key=lambda loop: loop['line'])
    return runs, blocks, counts


def fault(loop, i, ntid, counted, block, measured):
    if counted is not None:
        passes = (measured['iterations'] - measured['entries'] * loop.at_top) // measured['entries']
        if passes != counted:
            return 'the model says %d, the simulator %d' % (counted, passes)
    if not block['condition']:
        told = told_of(block)
        right = told in (1, counted) or (counted is None and told > MOST)
        return None if right else 'told %d, counted %s' % (told, counted)
    text, (_, wraps) = block['condition']['value'], loop.run(ntid)
    values = {'%%x%d' % i: loop.start.worth(ntid), '%%v%d' % i: loop.bound.worth(ntid),
              '%ntid.x': ntid}
    if counted is None or wraps or any(name not in values for name in names(text)):
        return None
    told = evaluate(text, lambda name: signed(values[name], 32 if name[1] == 'n' else loop.bits))
    return None if told == counted else '%s is %d, counted %d' % (text, told, counted)


def check(folder, part, tally):
    draw = random.Random(SEED * 1000 + part)
    ntid = draw.choice((1, 2, 9, 31, 64, 100, 256))
    known = draw.choice(('reqntid', 'block', 'reqntid', 'block', 'not'))
    loops = [random_loop(draw) for _ in range(LOOPS)]
    runs, blocks, counts = measure(folder, loops, ntid, known)
    same(len(counts), len(loops))
    shown = {block['begin_line']: block for block in blocks}
    for i, (loop, counted, at) in enumerate(zip(loops, runs, counts)):
        block = shown.get(at['line'])
        if not block or (loop.compare == 'eq' and counted == 0):
            continue
        tally['loops'] += 1
        tally['constants'] += not block['condition'] and told_of(block) != 1
        why = fault(loop, i, ntid, counted, block, at)
        assert not why, '%s\n%s\n%%ntid.x is %d, known by %s\n%s' % (
            why, loop, ntid, known, loop.text(i, counted is None))


def check_tally(folder, tally):
    print('# %(constants)d of %(loops)d loops have a constant count' % tally)
    assert tally['loops'] > 30 * TIMES and tally['constants'] > tally['loops'] // 4, tally


TALLY = {'loops': 0, 'constants': 0}
for number in range(TIMES):
    add_case('%d loops, part %d' % (LOOPS, number), check, number, TALLY)
add_case('how many are known', check_tally, TALLY)
main()
