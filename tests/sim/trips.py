#!/usr/bin/env python3
"""Predicted trip counts against those that the simulator counts.

usage: trips.py BUILD-ROOT [SEED]

One thread runs many loops one after the other. What a loop's start, bound and step are made of
comes from memory, so that the analysis cannot know it; the count is an expression of registers whose
contents the test does know. A loop that fails is made simpler as long as it fails.
"""
import dataclasses
import json
import os
import pathlib
import random
import re
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from expression import evaluate, names, quotient, signed
from tap import add_case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
SEED = int(sys.argv[2]) if len(sys.argv) > 2 else 7
LOOPS_AT_A_TIME, TIMES = 50, 25
HEAD = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 five)
{
.reg .pred %p; .reg .b64 %a, %b;
ld.param.u64 %a, [a];
ld.param.u64 %b, [b];
'''

# How a bound comes of %y and %z in the loop: PTX with {b} bits and {s} for the type, and its value.
BOUNDS = {
    'plain': ('mov.b{b} %v{i}, %y{i};', lambda y, z: y),
    'add': ('add.s{b} %v{i}, %y{i}, %z{i};', lambda y, z: y + z),
    'sub': ('sub.s{b} %v{i}, %y{i}, %z{i};', lambda y, z: y - z),
    'mul': ('mul.lo.s{b} %v{i}, %y{i}, %z{i};', lambda y, z: y * z),
    'shl': ('shl.b{b} %v{i}, %y{i}, 2;', lambda y, z: y * 4),
    'mad': ('mad.lo.s{b} %v{i}, %y{i}, 3, %z{i};', lambda y, z: y * 3 + z),
    'min': ('min.{s}{b} %v{i}, %y{i}, %z{i};', min),
    'max': ('max.{s}{b} %v{i}, %y{i}, %z{i};', max),
    'select': ('setp.lt.{s}{b} %q{i}, %y{i}, %z{i};\nselp.b{b} %v{i}, %z{i}, %y{i}, %q{i};',
               lambda y, z: z if y < z else y),
    'div': ('div.{s}{b} %v{i}, %y{i}, 3;', lambda y, z: quotient(y, 3)),
    'rem': ('rem.{s}{b} %v{i}, %y{i}, 7;', lambda y, z: y - quotient(y, 7) * 7),
    'shr': ('shr.{s}{b} %v{i}, %y{i}, 1;', lambda y, z: y >> 1),
    'and': ('and.b{b} %v{i}, %y{i}, 12;', lambda y, z: y & 12),
    'shifted': ('add.s{b} %v{i}, %y{i}, 5;', lambda y, z: y + 5),
    'several': ('add.s{b} %v{i}, %y{i}, %z{i};\nadd.s{b} %v{i}, %v{i}, %z{i};\n'
                'sub.s{b} %v{i}, %v{i}, 3;', lambda y, z: y + 2 * z - 3),
    'byte': ('and.b{b} %v{i}, %y{i}, 255;', lambda y, z: y & 255),
}
COMPARE = {'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b, 'gt': lambda a, b: a > b,
           'ge': lambda a, b: a >= b, 'ne': lambda a, b: a != b}


@dataclasses.dataclass(frozen=True)
class Loop:
    bits: int = 32
    sign: str = 's'
    compare: str = 'lt'
    bound: str = 'plain'
    step: int = 1
    in_register: bool = False  # the step
    twice: bool = False        # the step is added in two places
    at_top: bool = False
    skips: bool = False        # a part of the body is jumped over, then ways meet
    scale: int = 1             # what is compared is so many times the counter
    widens: bool = False       # before it is compared
    x: int = 0
    y: int = 20
    z: int = 2
    back: str = ''             # it starts a step before x: '', 'constant' or 'register'

    def seen(self, value):
        value = signed(value, self.bits)
        return value if self.sign == 's' else value & ((1 << self.bits) - 1)

    def whole_step(self):
        return self.step * (1 + self.twice)

    def start(self):
        """For !=, one from which the bound is met."""
        if self.back:
            return (0 if self.back == 'constant' else self.x) - self.whole_step()
        if self.compare != 'ne':
            return self.x
        return self.target() - 3 * self.whole_step() if self.scale == 1 else self.x

    def target(self):
        return self.seen(BOUNDS[self.bound][1](self.y, self.z))

    def valid(self):
        """It ends soon, and the counter does not wrap around."""
        if self.sign == 'u' and min(self.y, self.z) < 0:
            return False
        if self.compare == 'ne' and self.scale != 1:
            return False
        if self.widens and (self.bits == 64 or (self.scale != 1 and self.in_register)):
            return False
        if self.compare != 'ne' and (self.compare[0] == 'l') != (self.step > 0):
            return False
        if self.back and (self.at_top or self.in_register or self.scale != 1 or self.compare == 'ne'):
            return False
        x = self.start()
        for turn in range(400):
            wraps = self.seen(x) != x or self.seen(x * self.scale) != x * self.scale
            if wraps and (turn or not self.back or self.widens):
                return False
            if not self.at_top:
                x += self.whole_step()
                if self.seen(x) != x or self.seen(x * self.scale) != x * self.scale:
                    return False
            if not COMPARE[self.compare](x * self.scale, self.target()):
                return self.target() == BOUNDS[self.bound][1](self.y, self.z) or self.bits == 32
            if self.at_top:
                x += self.whole_step()
        return False

    def text(self, i):
        b, s = self.bits, self.sign
        bound = BOUNDS[self.bound][0].format(b=b, s=s, i=i)
        lines = ['.reg .pred %%q%d, %%o%d; .reg .b%d %s;' % (i, i, b, ', '.join(
            '%%%s%d' % (name, i) for name in 'xyzwvct'))]
        if self.widens:
            lines.append('.reg .b64 %%C%d, %%V%d;' % (i, i))
        lines += ['ld.global.b%d %%%s%d, [%%b+%d];' % (b, name, i, 32 * i + 8 * k)
                  for k, name in enumerate('xyzw')]
        step = '%%w%d' % i if self.in_register else str(self.step)
        steps = ['add.s%d %%x%d, %%x%d, %s;' % (b, i, i, step)] * (1 + self.twice)
        scaled = '%%x%d' % i
        test = [bound]
        if self.scale != 1:
            test.append('mul.lo.s%d %%c%d, %%x%d, %d;' % (b, i, i, self.scale))
            scaled = '%%c%d' % i
        limit, width = '%%v%d' % i, b
        if self.widens:
            test += ['cvt.%s64.%s%d %%C%d, %s;' % (s, s, b, i, scaled),
                     'cvt.%s64.%s%d %%V%d, %s;' % (s, s, b, i, limit)]
            scaled, limit, width = '%%C%d' % i, '%%V%d' % i, 64
        test.append('setp.%s.%s%d %%o%d, %s, %s;' % (self.compare, s, width, i, scaled, limit))
        if self.back == 'constant':
            lines.append('mov.b%d %%x%d, %d;' % (b, i, self.start()))
        elif self.back:
            lines.append('sub.s%d %%x%d, %%x%d, %d;' % (b, i, i, self.whole_step()))
        body = ['st.global.b32 [%a], 0;']
        if self.skips:
            body += ['setp.eq.s%d %%p, %%x%d, 3;' % (b, i), '@%%p bra SKIP%d;' % i,
                     'mov.b%d %%t%d, 1;' % (b, i), 'SKIP%d:' % i]
        if self.at_top:
            lines += ['LOOP%d:' % i] + test + ['@!%%o%d bra OUT%d;' % (i, i)] + body + steps
            lines += ['bra LOOP%d;' % i, 'OUT%d:' % i]
        else:
            lines += ['LOOP%d:' % i] + body + steps + test + ['@%%o%d bra LOOP%d;' % (i, i)]
        return '\n'.join(lines) + '\n'


def fill(loops):
    data = b''.join(struct.pack('<4q', signed(loop.start() + bool(loop.back) * loop.whole_step()),
                                signed(loop.y), signed(loop.z),
                                signed(loop.step)) for loop in loops)
    header = b"{'descr': '<u8', 'fortran_order': False, 'shape': (%d,), }" % (len(data) // 8)
    header = header.ljust(117) + b'\n'
    return b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header + data


def measure(folder, loops):
    """[(condition or None, counted)]"""
    (folder / 'k.ptx').write_text(HEAD + ''.join(loop.text(i) for i, loop in enumerate(loops)) +
                                  'ret;\n}\n')
    (folder / 'in.npy').write_bytes(fill(loops))
    ends(run([BUILD / 'cli/ptxoffload', 'k.ptx', '-o', 'out.ptx', '--cost=tom', '--metadata=m.json'],
             folder), 0)
    ends(run([BUILD / 'cli/ptxoffload-sim', 'k.ptx', '--functional', '--kernel', 'k', '--grid', '1',
              '--block', '1', '--arg', 'buf:u32:64:zero', '--arg',
              'buf:u64:%d:in.npy' % (4 * len(loops)), '--arg', 'u32:5', '--profile-out=p.json'],
             folder), 0)
    blocks = json.loads((folder / 'm.json').read_text())['kernels'][0]['blocks']
    blocks = sorted((b for b in blocks if b['kind'] == 'loop'), key=lambda b: b['begin_line'])
    counts = json.loads((folder / 'p.json').read_text())['kernels'][0]['functions'][-1]['loops']
    counts.sort(key=lambda loop: loop['line'])
    assert len(blocks) == len(counts) == len(loops), (len(blocks), len(counts), len(loops))
    return [(block['condition'], block['live_in'],
             count['iterations'] - count['entries'] * loop.at_top)
            for block, count, loop in zip(blocks, counts, loops)]


def fault(loop, i, condition, live_in, counted):
    if condition is None:
        return 'no condition'
    text = condition['value']
    values = {'%%%s%d' % (name, i): value for name, value in
              zip('xyzw', (loop.start(), loop.y, loop.z, loop.step))}
    for name in names(text):
        if name not in live_in:
            return '%s of %s is not among the live-ins' % (name, text)
    predicted = evaluate(text, lambda name: signed(values[name], loop.bits))
    return None if predicted == counted else '%s is %d, counted %d' % (text, predicted, counted)


def shrink(folder, loop):
    """The simplest loop that still fails."""
    smaller = True
    while smaller:
        smaller = False
        for field in dataclasses.fields(Loop):
            less = dataclasses.replace(loop, **{field.name: field.default})
            if less != loop and less.valid() and fault(less, 0, *measure(folder, [less])[0]):
                loop, smaller = less, True
    return loop


def random_loop(draw):
    while True:
        compare = draw.choice(list(COMPARE))
        up = compare in ('lt', 'le') or (compare == 'ne' and draw.random() < 0.5)
        loop = Loop(bits=draw.choice((16, 32, 32, 64)), sign=draw.choice('su'), compare=compare,
                    bound=draw.choice(list(BOUNDS)), step=draw.choice((1, 2, 3, 4, 16)) *
                    (1 if up else -1), in_register=draw.random() < 0.4 and up,
                    twice=draw.random() < 0.2, at_top=draw.random() < 0.5,
                    skips=draw.random() < 0.2, scale=draw.choice((1, 1, 1, 4)),
                    widens=draw.random() < 0.2,
                    x=draw.choice((0, 1, draw.randrange(-40, 60))),
                    y=draw.choice((0, 1, draw.randrange(-20, 90))), z=draw.randrange(-5, 30),
                    back=draw.choice(('', '', '', 'constant', 'register')))
        if loop.valid():
            return loop


def check(folder, part):
    draw = random.Random(SEED * 1000 + part)
    loops = [random_loop(draw) for _ in range(LOOPS_AT_A_TIME)]
    for i, (loop, result) in enumerate(zip(loops, measure(folder, loops))):
        why = fault(loop, i, *result)
        if why:
            least = shrink(folder, loop)
            why = fault(least, 0, *measure(folder, [least])[0]) or why
            raise AssertionError('%s\n%s\n%s' % (why, least, least.text(0)))


def free(name):
    return name.startswith('[') or re.fullmatch(r'%(tid|ntid|ctaid|nctaid)\.[xyz]', name)


def check_names(folder):
    """What a condition names, the launcher of the block knows."""
    seen = 0
    for path in sorted([*(ROOT / 'samples').glob('*/*.ptx'),
                        *(ROOT / 'tests/sim/programs').glob('*.ptx')]):
        for cost in ('tom', 'refined'):
            ends(run([BUILD / 'cli/ptxoffload', path, '-o', 'out.ptx', '--cost=' + cost, '-w',
                      '--metadata=m.json'], folder), 0)
            for kernel in json.loads((folder / 'm.json').read_text())['kernels']:
                for block in kernel['blocks']:
                    for name in names((block['condition'] or {'value': '0'})['value']):
                        seen += 1
                        assert free(name) or name in block['live_in'], (path, block, name)
    assert seen > 50, seen


# What the register that an inner loop's condition names holds, each time that control comes there.
OUTER = {'below': lambda n: range(1, n), 'down': lambda n: range(1, n + 1)}
TRIANGLES = ROOT / 'tests/sim/triangles.ptx'


def count_loops(folder, kernel, n):
    """Iterations of each loop of a kernel in triangles.ptx, by line, for one thread"""
    kind = 's64' if kernel == 'up_long' else 's32'
    ends(run([BUILD / 'cli/ptxoffload-sim', TRIANGLES, '--functional', '--kernel', kernel, '--grid', '1',
              '--block', '1', '--arg', 'buf:f32:64:zero', '--arg', 'buf:f32:1:zero', '--arg',
              '%s:%d' % (kind, n), '--profile-out=p.json'], folder), 0)
    loops = json.loads((folder / 'p.json').read_text())['kernels'][0]['functions'][-1]['loops']
    return [loop['iterations'] for loop in sorted(loops, key=lambda loop: loop['line'])]


def check_triangles(folder):
    """As a compiler writes them, over whole runs"""
    ends(run([BUILD / 'cli/ptxoffload', TRIANGLES, '-o', 'out.ptx', '--cost=tom', '-w',
              '--metadata=m.json'], folder), 0)
    checked = 0
    for kernel in json.loads((folder / 'm.json').read_text())['kernels']:
        loops = sorted((b for b in kernel['blocks'] if b['kind'] == 'loop'),
                       key=lambda b: b['begin_line'])
        assert len(loops) == 2, kernel['name']
        condition = loops[1]['condition']
        for n in (1, 2, 5, 12):
            told = sum(evaluate(condition['value'], lambda name: n if name[0] == '[' else outer)
                       for outer in OUTER.get(kernel['name'], range)(n))
            same((kernel['name'], n, told),
                 (kernel['name'], n, count_loops(folder, kernel['name'], n)[1]))
            checked += 1
    same(checked, 44)


add_case('triangles', check_triangles)
add_case('conditions of samples name live-ins', check_names)
for part in range(TIMES):
    add_case('%d random loops, part %d' % (LOOPS_AT_A_TIME, part), check, part)
main(2)
