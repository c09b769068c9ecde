#!/usr/bin/env python3
"""How time and memory of tagging grow with programs that are large in one way.

usage: growth.py PTXOFFLOAD [--sizes=N,…] [--keep=FOLDER] [SHAPE]…

Each shape is a program that a generator or an unrolling compiler may write: many branches, loops,
values, labels, calls, scopes. Sizes are those of the text in KB; each is twice the one before it. A
line is a shape: CPU seconds and peak memory per byte of the text for each size, and the exponent of the
growth of time between the last two sizes, which is 1 if time is linear.
"""
import math
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from throughput import run

SIZES = (250, 500, 1000)
HEAD = '.version 7.8\n.target sm_80\n.address_size 64\n'
KERNEL = '''.visible .entry k(.param .u64 a, .param .u32 n)
{
.reg .b64 %%a, %%e; .reg .b32 %%n, %%i, %%v, %%t, %%r<%d>; .reg .f32 %%f<%d>; .reg .pred %%p, %%q;
ld.param.u64 %%a, [a]; ld.param.u32 %%n, [n];
mov.u32 %%t, %%tid.x; mul.wide.u32 %%e, %%t, 4; add.s64 %%a, %%a, %%e; mov.u32 %%v, 0;
'''


def kernel(lines, registers=1, floats=1):
    return HEAD + KERNEL % (registers, floats) + ''.join(lines) + 'st.global.u32 [%a], %v;\nret;\n}\n'


def diamond(i, value='%v'):
    return ('setp.eq.u32 %%p, %%t, %d; @%%p bra A%d; add.u32 %s, %s, %d; bra B%d;\n'
            'A%d: sub.u32 %s, %s, 3; B%d:\n' % (i, i, value, value, i, i, i, value, value, i))


def diamonds(n):
    """one after the other"""
    return kernel(diamond(i) for i in range(n))


def diamonds_in_loop(n):
    """with values that live through all of them"""
    return kernel(['mov.u32 %i, 0;\nL:\n', *(diamond(i, '%%r%d' % (i % 50)) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n',
                   *('add.u32 %%v, %%v, %%r%d;\n' % i for i in range(50))], 50)


def own_values(n):
    """diamonds in a loop, each with a value of its own that lives around the loop"""
    return kernel(['mov.u32 %i, 0;\nL:\n', *(diamond(i, '%%r%d' % i) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n',
                   *('add.u32 %%v, %%v, %%r%d;\n' % i for i in range(n))], n)


def long_lived(n):
    """values that are defined first and read last, with branches between"""
    return kernel([*('add.u32 %%r%d, %%t, %d;\n' % (i, i) for i in range(n)),
                   *('setp.eq.u32 %%p, %%t, %d; @%%p bra C%d; add.u32 %%v, %%v, 1; C%d:\n' % (i, i, i)
                     for i in range(n)),
                   *('add.u32 %%v, %%v, %%r%d;\n' % i for i in range(n))], n)


def crossing(n):
    """each value lives through the half of the branches"""
    half = n // 2
    return kernel([*('add.u32 %%r%d, %%t, %d; setp.eq.u32 %%p, %%t, %d; @%%p bra C%d; ld.global.u32 %%v, [%%a+%d]; C%d:\n'
                     % (i, i, i, i, 4 * (i % 99), i) for i in range(half)),
                   *('setp.eq.u32 %%p, %%r%d, %d; @%%p bra D%d; add.u32 %%v, %%v, %%r%d; D%d:\n' % (i, i, i, i, i)
                     for i in range(half))], half)


def early_exits(n):
    """branches that all lead to the end"""
    return kernel([*('ld.global.u32 %%r%d, [%%a+%d]; setp.eq.u32 %%p, %%r%d, 0; @%%p bra END;\n'
                     % (i, 4 * i, i) for i in range(n)), 'END:\n'], n)


def loop_open(i, label):
    return 'mov.u32 %%r%d, 0;\n%s%d:\n' % (i, label, i)


def loop_close(i, label):
    return ('ld.global.u32 %%v, [%%a+%d]; add.u32 %%r%d, %%r%d, 1; setp.lt.u32 %%p, %%r%d, %%n; '
            '@%%p bra %s%d;\n' % (4 * (i % 1000), i, i, i, label, i))


def loops_wide(n):
    """one after the other"""
    return kernel((loop_open(i, 'L') + loop_close(i, 'L') for i in range(n)), n)


def loops_in_loop(n):
    """side by side in one"""
    return kernel(['mov.u32 %i, 0;\nO:\n', *(loop_open(i, 'L') + loop_close(i, 'L') for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra O;\n'], n)


def loops_deep(n):
    """each within the one before it"""
    return kernel([*(loop_open(i, 'L') for i in range(n)),
                   *(loop_close(i, 'L') for i in reversed(range(n)))], n)


def loops_tested_first(n):
    """each within the one before it, with the test at the start"""
    return kernel([*('mov.u32 %%r%d, 0;\nL%d: setp.ge.u32 %%p, %%r%d, %%n; @%%p bra X%d;\n' % (i, i, i, i)
                     for i in range(n)),
                   *('ld.global.u32 %%v, [%%a+%d]; add.u32 %%r%d, %%r%d, 1; bra L%d;\nX%d:\n'
                     % (4 * (i % 1000), i, i, i, i) for i in reversed(range(n)))], n)


def loops_with_ways_out(n):
    """each within the one before it, with code at the end of the kernel on the way out of each"""
    return kernel([*(loop_open(i, 'L') + 'setp.eq.u32 %%p, %%r%d, 77; @%%p bra Y%d; Z%d:\n' % (i, i, i)
                     for i in range(n)),
                   *(loop_close(i, 'L') for i in reversed(range(n))), 'bra END;\n',
                   *('Y%d: st.global.u32 [%%a], %%r%d; bra Z%d;\n' % (i, i, i) for i in range(n)), 'END:\n'], n)


def loops_tree(n):
    """a binary tree of loops"""
    def tree(first, end):
        if first >= end:
            return []
        middle = (first + 1 + end) // 2
        return [loop_open(first, 'L'), *tree(first + 1, middle), *tree(middle, end), loop_close(first, 'L')]
    return kernel(tree(0, n), n)


def branches_deep(n):
    """conditions within conditions"""
    return kernel([*('setp.gt.u32 %%p, %%t, %d; @%%p bra E%d; ld.global.u32 %%v, [%%a+%d];\n' % (i, i, 4 * (i % 999))
                     for i in range(n)),
                   *('st.global.u32 [%%a+%d], %%v; E%d:\n' % (4 * i % 4096, i) for i in reversed(range(n)))])


def two_sided(n):
    """conditions within conditions, with two branches each"""
    return kernel([*('setp.gt.u32 %%p, %%t, %d; @%%p bra E%d; add.u32 %%v, %%v, %d;\n' % (i, i, i) for i in range(n)),
                   *('bra F%d; E%d: sub.u32 %%v, %%v, 7; F%d:\n' % (i, i, i) for i in reversed(range(n)))])


def switch(n):
    """an indirect branch to many places"""
    return kernel(['T: .branchtargets %s;\nbrx.idx %%t, T;\n' % ', '.join('S%d' % i for i in range(n)),
                   *('S%d: add.u32 %%v, %%v, %d; bra END;\n' % (i, i) for i in range(n)), 'END:\n'])


def switches_in_loop(n):
    """many indirect branches in a loop, as in an interpreter"""
    cases = 16
    return kernel(['mov.u32 %i, 0;\nL:\n',
                   *('T%d: .branchtargets %s; brx.idx %%i, T%d;\n' % (k, ', '.join(
                       'S%d_%d' % (k, i) for i in range(cases)), k) +
                     ''.join('S%d_%d: add.u32 %%v, %%v, %d; bra Z%d;\n' % (k, i, i, k) for i in range(cases)) +
                     'Z%d:\n' % k for k in range(n // cases + 1)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n'])


def if_chain(n):
    """a comparison with each of many values, as a compiler writes a sparse switch"""
    return kernel([*('setp.eq.u32 %%p, %%t, %d; @%%p bra S%d;\n' % (i * 7, i) for i in range(n)), 'bra END;\n',
                   *('S%d: ld.global.u32 %%v, [%%a+%d]; bra END;\n' % (i, 4 * (i % 999)) for i in range(n)), 'END:\n'])


def kernels(n):
    """many of them"""
    return HEAD + ''.join((KERNEL % (1, 1)).replace('k(', 'k%d(' % i) +
                          'ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }\n'
                          for i in range(n))


def straight(n):
    """values of one block"""
    return kernel((('ld.global.f32 %%f%d, [%%a+%d]; add.f32 %%f%d, %%f%d, %%f%d; st.global.f32 [%%a+%d], %%f%d;\n'
                    % (i, 8 * i, n + i, i, max(i - 1, 0), 8 * i + 4, n + i)) for i in range(n)), 1, 2 * n)


def pressure(n):
    """loads first, uses last, in one block"""
    return kernel([*('ld.global.f32 %%f%d, [%%a+%d];\n' % (i, 4 * i) for i in range(n)),
                   *('add.f32 %%f%d, %%f%d, 0f3f800000; st.global.f32 [%%a+%d], %%f%d;\n' % (i, i, 4 * i, i)
                     for i in reversed(range(n)))], 1, n)


def one_value(n):
    """one value with many definitions and uses, in loops and branches"""
    return kernel(['mov.u32 %i, 0;\nL:\n', *(diamond(i) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n'])


def labels(n):
    """at nearly every instruction, none of them a target"""
    return kernel('M%d: add.u32 %%v, %%v, %d;\n' % (i, i) for i in range(n))


def functions(n):
    """each calls the next one"""
    body = ('.func (.param .b32 r) f%d(.param .b32 x)\n{\n.reg .b32 %%v;\nld.param.b32 %%v, [x];\n%s'
            'st.param.b32 [r], %%v; ret;\n}\n')
    call = '{ .param .b32 p; .param .b32 q; st.param.b32 [p], %%v; call (q), f%d, (p); ld.param.b32 %%v, [q]; }\n'
    return (HEAD + ''.join('.func (.param .b32 r) f%d(.param .b32 x);\n' % i for i in range(n)) +
            ''.join(body % (i, call % (i + 1) if i + 1 < n else '') for i in range(n)) +
            KERNEL % (1, 1) + call % 0 + 'st.global.u32 [%a], %v; ret; }\n')


def calls(n):
    """many, in one kernel, with addresses of shared memory among the arguments"""
    head = ('.func (.param .b32 r) f(.param .b64 x)\n{\n.reg .b32 %v; .reg .b64 %x;\nld.param.b64 %x, [x];\n'
            'ld.u32 %v, [%x]; st.param.b32 [r], %v; ret;\n}\n.shared .b32 tile[64];\n')
    return HEAD + head + kernel(['cvta.shared.u64 %e, tile;\n'] + [
        '{ .param .b64 p; .param .b32 q; st.param.b64 [p], %s; call (q), f, (p); ld.param.b32 %%v, [q]; }\n'
        % ('%e' if i % 3 else '%a') for i in range(n)])[len(HEAD):]


DEEP = 500 # scopes


def scopes_deep(n):
    """within each other, with registers of their own"""
    return kernel(line for k in range(n // DEEP + 1) for line in
                  [*('{ .reg .b32 %%s%d; add.u32 %%s%d, %%t, %d;\n' % (i, i, i) for i in range(min(n, DEEP))),
                   *('add.u32 %%v, %%v, %%s%d; }\n' % i for i in reversed(range(min(n, DEEP))))])


def scopes_wide(n):
    """one after the other, with the same names"""
    return kernel('{ .reg .b32 %%s; add.u32 %%s, %%t, %d; add.u32 %%v, %%v, %%s; }\n' % i for i in range(n))


def generic(n):
    """addresses without a space, through branches and memory, in a loop"""
    return kernel(['.shared .b32 tile[64]; .reg .b64 %g<50>;\nmov.u32 %i, 0; cvta.shared.u64 %e, tile;\n',
                   *('mov.u64 %%g%d, %%a;\n' % i for i in range(50)), 'L:\n',
                   *('setp.eq.u32 %%p, %%t, %d; @%%p bra A%d; add.u64 %%g%d, %%e, %d; A%d: ld.u32 %%v, [%%g%d];\n'
                     % (i, i, i % 50, 4 * (i % 9), i, i * 7 % 50) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n'])


def array(n):
    """one initialiser"""
    return HEAD + '.global .b32 table[%d] = {%s};\n' % (n, ', '.join(str(i * 7919) for i in range(n))) + \
        kernel([])[len(HEAD):]


def strings(n):
    """many initialised variables"""
    return HEAD + ''.join('.global .align 1 .b8 s%d[4] = {%d, 2, 3, 4};\n' % (i, i % 256) for i in range(n)) + \
        kernel([])[len(HEAD):]


def loop_carried(n):
    """a loop whose values all go around it"""
    return kernel([*('mov.f32 %%f%d, 0f00000000;\n' % i for i in range(n)), 'mov.u32 %i, 0;\nL:\n',
                   *('add.f32 %%f%d, %%f%d, %%f%d;\n' % (i, i, (i + 1) % n) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;\n',
                   *('st.global.f32 [%%a+%d], %%f%d;\n' % (4 * i, i) for i in range(n))], 1, n)


def accesses(n):
    """loads and stores at many addresses, in a loop"""
    return kernel(['mov.u32 %i, 0;\nL:\n',
                   *('ld.global.u32 %%v, [%%a+%d]; add.u32 %%v, %%v, %%i; st.global.u32 [%%a+%d], %%v;\n'
                     % (512 * i, 512 * i + 128) for i in range(n)),
                   'add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 64; @%p bra L;\n'])


def unstructured(n):
    """branches that cross, forwards and back"""
    return kernel([*('U%d: ld.global.u32 %%v, [%%a+%d]; setp.eq.u32 %%p, %%v, %d; @%%p bra U%d;\n'
                     % (i, 4 * (i % 999), i, (i * 7919 + 13) % n) for i in range(n))])


def barriers(n):
    """parts of a kernel between barriers"""
    return kernel(('ld.global.u32 %%v, [%%a+%d]; add.u32 %%v, %%v, 1; st.global.u32 [%%a+%d], %%v; bar.sync 0;\n'
                   % (4 * i, 4 * i) for i in range(n)))


def guards(n):
    """instructions with guards"""
    return kernel(('setp.eq.u32 %%p, %%t, %d; @%%p add.u32 %%v, %%v, 1; @!%%p ld.global.u32 %%v, [%%a+%d];\n'
                   % (i, 4 * (i % 999)) for i in range(n)))


SHAPES = [diamonds, diamonds_in_loop, own_values, long_lived, crossing, early_exits, loops_wide, loops_in_loop,
          loops_deep, loops_tested_first, loops_with_ways_out, loops_tree, branches_deep, two_sided, switch, switches_in_loop, if_chain, kernels, straight,
          pressure, one_value, labels, functions, calls, scopes_deep, scopes_wide, generic, array, strings,
          loop_carried, accesses, unstructured, barriers, guards]


def text_of(shape, kilobytes):
    """A text of about this size."""
    count = 64
    while True:
        text = shape(count)
        if len(text) >= 900 * kilobytes:
            return text
        count = max(count + 1, int(count * 1000 * kilobytes / len(text)))


def measure(program, text, folder, options=('-w',)):
    """(CPU seconds, peak bytes per byte of the text)"""
    source = pathlib.Path(folder) / 'in.ptx'
    source.write_text(text)
    seconds, peak = run([program, str(source), '-o', os.path.join(folder, 'out.ptx'), *options])
    return seconds, peak / len(text)


def main(program, *words):
    options = dict(word[2:].split('=') for word in words if word.startswith('--'))
    sizes = [int(size) for size in options['sizes'].split(',')] if 'sizes' in options else SIZES
    names = [word for word in words if not word.startswith('--')]
    with tempfile.TemporaryDirectory() as folder:
        for shape in [shape for shape in SHAPES if not names or shape.__name__ in names]:
            found = []
            for size in sizes:
                text = text_of(shape, size)
                if 'keep' in options:
                    (pathlib.Path(options['keep']) / ('%s-%d.ptx' % (shape.__name__, size))).write_text(text)
                seconds, peak = measure(program, text, folder, ['-w', '--report=text'])
                found.append((len(text), seconds, peak))
                if seconds > 60:
                    break
            power = math.log(found[-1][1] / found[-2][1], found[-1][0] / found[-2][0]) if len(found) > 1 else 1
            print('%-18s %s   %5.2f' % (shape.__name__, '   '.join(
                '%7.2f s %4.0f B' % (seconds, peak) for _, seconds, peak in found), power), flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
