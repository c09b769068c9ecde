#!/usr/bin/env python3
"""ptxoffload-sim: operands that are expressions have the values of the instructions that spell them out.

usage: expressions.py BUILD-ROOT

Each case is a kernel in two forms: with the expressions, and with an instruction for each. Both run
without and with time, as written and tagged, and must leave the same memory.
"""
import itertools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from simulated import BUILD, PROGRAM
from tap import add_case, ends, main, run, same

HEAD = '''.version 8.0
.target sm_80
.address_size 64
.global .align 16 .b32 gv[64];
.shared .align 16 .b32 sv[64];
.func fn() { ret; }
.visible .entry k(.param .u64 pp)
{
.reg .pred %p<5>; .reg .b16 %h<9>; .reg .b32 %r<20>; .reg .b64 %d<20>; .reg .f32 %f<5>; .reg .f64 %e<5>;
ld.param.u64 %d0, [pp];
mov.u32 %r0, %tid.x;
mad.wide.u32 %d1, %r0, 32, %d0;
ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];
ld.global.v2.u64 {%d2, %d3}, [%d1+16];
cvt.u16.u32 %h1, %r1; cvt.u16.u32 %h2, %r2; cvt.u16.u32 %h3, %r3;
mul.wide.u32 %d4, %r0, 32; add.u64 %d4, %d4, %d0; add.u64 %d4, %d4, 1024;
mov.u64 %d15, 0; mov.u64 %d16, 0;
'''
TAIL = '''st.global.v2.u64 [%d4], {%d15, %d16};
ret;
}
'''
BITS = {'h': 16, 'r': 32, 'd': 64}
# Instructions on integers, with the classes of their operands: the result comes first.
OPERATIONS = [
    *(f'{op}.{kind}{bits} {reg} {reg} {reg}' for op in ('add', 'sub', 'min', 'max', 'mul.lo', 'div', 'rem')
      for kind in 'us' for bits, reg in ((16, 'h'), (32, 'r'), (64, 'd'))),
    *(f'{op}.b{bits} {reg} {reg} {reg}' for op in ('and', 'or', 'xor')
      for bits, reg in ((16, 'h'), (32, 'r'), (64, 'd'))),
    *(f'{op}.{kind}{bits} {reg} {reg} r' for op, kind in (('shl', 'b'), ('shr', 'u'), ('shr', 's'))
      for bits, reg in ((16, 'h'), (32, 'r'), (64, 'd'))),
    *(f'{op}.{kind} {to} {reg} {reg} {to}' for op, to_of in (('mad.lo', None), ('mad.wide', 1))
      for kind, reg, wide in (('u32', 'r', 'd'), ('s32', 'r', 'd'), ('u16', 'h', 'r'))
      for to in (wide if to_of else reg,)),
    *(f'cvt.{to}.{of} {a} {b}' for (to, a), (of, b) in itertools.product(
        (('u64', 'd'), ('s64', 'd'), ('u32', 'r'), ('u16', 'h')),
        (('u8', 'r'), ('s8', 'h'), ('s16', 'h'), ('u16', 'r'), ('u32', 'r'), ('s32', 'd'), ('u64', 'd'))) if to != of),
    'mul.hi.u32 r r r', 'sad.u32 r r r r', 'abs.s32 r r', 'neg.s64 d d', 'not.b32 r r', 'cnot.b32 r r',
    'popc.b32 r r', 'clz.b64 r d', 'brev.b32 r r', 'bfind.u32 r r', 'bfe.s32 r r r r', 'bfi.b32 r r r r r',
    'prmt.b32 r r r r', 'shf.l.wrap.b32 r r r r', 'dp4a.u32.s32 r r r r', 'dp2a.lo.s32.u32 r r r r',
    'mov.u16 h h', 'mov.b32 r r', 'mov.s64 d d', 'mul24.lo.u32 r r r', 'addc.u32 r r r', 'add.cc.u32 r r r',
    'fns.b32 r r r r', 'lop3.b32 r r r r 0x6a', 'selp.u32 r r r %p1', 'slct.s32.s32 r r r r',
    'set.lt.u32.s32 r r r', 'bmsk.clamp.b32 r r r', 'szext.wrap.s32 r r r', 'vadd.u32.s32.u32.add r %r1 %r2 r',
]
CONSTANTS = (1, -1, 7, 65537, -4294967290, 0x123456789)
WIDEN = {'h': 'cvt.u64.u16', 'r': 'cvt.u64.u32', 'd': 'mov.b64'}


def add(result, source, constant):
    """The addition of a constant, in as many bits as the registers have."""
    bits = BITS[result[1]]
    return f'add.u{bits} {result}, {source}, {constant % (1 << bits)};'


def operations():
    """(name, with expressions, spelled out); both leave their result in %d15 and %d16."""
    turn = 0
    for row in OPERATIONS:
        name, *operands = row.split()
        to, *sources = operands
        wide = f'{WIDEN[to]} %d15, %{to}8;'
        first = [f'%{kind}{n}' if len(kind) == 1 else kind for n, kind in enumerate(sources, 1)]
        plain = list(first)
        before = ''
        for n, kind in enumerate(sources):
            if len(kind) > 1:
                continue
            constant, turn = CONSTANTS[turn % len(CONSTANTS)], turn + 1
            temporary = {'h': '%h', 'r': '%r1', 'd': '%d1'}[kind] + str(n + 4 if kind == 'h' else n)
            before += add(temporary, first[n], constant)
            first[n], plain[n] = f'{first[n]} + {constant}', temporary
        guard = 'setp.lt.s32 %p1, %r1, 0; '
        yield (f'{name} {" ".join(sources)}', f'{guard}{name} %{to}8, {", ".join(first)}; {wide}',
               f'{guard}{before}{name} %{to}8, {", ".join(plain)}; {wide}')


SPELLED = {
    'setp': ('setp.lt.s32 %p1|%p2, %r1+5, %r2+-5; selp.u64 %d15, 1, 0, %p1; selp.u64 %d16, 1, 0, %p2;',
             'add.u32 %r8, %r1, 5; add.u32 %r9, %r2, -5; setp.lt.s32 %p1|%p2, %r8, %r9;'
             'selp.u64 %d15, 1, 0, %p1; selp.u64 %d16, 1, 0, %p2;'),
    'a guarded store': ('setp.lt.s32 %p1, %r1, 0; @%p1 st.global.u64 [%d4+16], %d2 + 1;',
                        'setp.lt.s32 %p1, %r1, 0; add.u64 %d8, %d2, 1; @%p1 st.global.u64 [%d4+16], %d8;'),
    'stores of parts': ('st.global.u8 [%d4+16], %r1+300; st.global.u16 [%d4+18], %h1+65537;'
                        'st.global.u16 [%d4+20], %r1+65537; st.global.u8 [%d4+22], %h1+255;',
                        'add.u32 %r8, %r1, 300; st.global.u8 [%d4+16], %r8; add.u16 %h8, %h1, 1;'
                        'st.global.u16 [%d4+18], %h8; add.u32 %r8, %r1, 65537; st.global.u16 [%d4+20], %r8;'
                        'add.u16 %h8, %h1, 255; st.global.u8 [%d4+22], %h8;'),
    'atomics': ('atom.global.add.u32 %r8, [%d4+16], %r1+3; atom.global.cas.b32 %r9, [%d4+20], 0+0, %r2+9;',
                'add.u32 %r10, %r1, 3; atom.global.add.u32 %r8, [%d4+16], %r10; add.u32 %r11, %r2, 9;'
                'atom.global.cas.b32 %r9, [%d4+20], 0, %r11;'),
    'a reduction': ('red.global.xor.b32 [%d4+16], %r1+1;',
                    'add.u32 %r8, %r1, 1; red.global.xor.b32 [%d4+16], %r8;'),
    'a special register': ('mov.u32 %r8, %laneid+-7; add.u32 %r9, %laneid+5, %r1; mov.b64 %d15, {%r8, %r9};',
                           'mov.u32 %r10, %laneid; add.u32 %r8, %r10, -7; add.u32 %r10, %r10, 5;'
                           'add.u32 %r9, %r10, %r1; mov.b64 %d15, {%r8, %r9};'),
    'a special register in a vector': ('mov.b64 %d15, {%laneid, %r1}; st.global.v2.u32 [%d4+16], {%r2, %laneid};',
                                       'mov.u32 %r8, %laneid; mov.b64 %d15, {%r8, %r1};'
                                       'st.global.v2.u32 [%d4+16], {%r2, %r8};'),
    'variables': ('add.u64 %d15, %d2, gv+4; mov.u64 %d16, gv+8; st.global.u64 [%d4+16], gv+12;'
                  'isspacep.global %p1, gv+4; cvta.global.u64 %d9, gv+8; @%p1 add.u64 %d15, %d15, %d9;',
                  'mov.u64 %d8, gv; add.u64 %d9, %d8, 4; add.u64 %d15, %d2, %d9; add.u64 %d16, %d8, 8;'
                  'add.u64 %d10, %d8, 12; st.global.u64 [%d4+16], %d10; isspacep.global %p1, %d9;'
                  'cvta.global.u64 %d9, %d16; @%p1 add.u64 %d15, %d15, %d9;'),
    'a shared variable': ('add.u64 %d15, %d2, sv+4; cvta.shared.u64 %d16, sv+16;',
                          'mov.u64 %d8, sv; add.u64 %d8, %d8, 4; add.u64 %d15, %d2, %d8; mov.u64 %d9, sv;'
                          'add.u64 %d9, %d9, 16; cvta.shared.u64 %d16, %d9;'),
    'functions': ('st.global.u64 [%d4+16], fn; add.u64 %d15, %d2, k; min.u64 %d16, fn, %d3;',
                  'mov.u64 %d8, fn; st.global.u64 [%d4+16], %d8; mov.u64 %d9, k; add.u64 %d15, %d2, %d9;'
                  'min.u64 %d16, %d8, %d3;'),
    'an address in a register': ('mov.u64 %d8, %d1+4; ld.global.u32 %r8, [%d8]; mov.u64 %d9, %d4+16;'
                                 'st.global.u32 [%d9+4], %r8; ld.global.u32 %r9, [%d4+20]; cvt.u64.u32 %d15, %r9;',
                                 'ld.global.u32 %r8, [%d1+4]; st.global.u32 [%d4+20], %r8; cvt.u64.u32 %d15, %r8;'),
    'sinks': ('mov.v2.b32 {%r8, _}, {%r1, %r2}; mov.v4.u32 {_, _, %r9, _}, {%r1, %r2, %r3, %r4};'
              'mov.b64 %d15, {%r8, %r9};', 'mov.b64 %d15, {%r1, %r3};'),
    'the lowest byte': ('mov.b32 {%r8}, %r1; mov.b64 {%d16}, %d2; mov.b32 %r9, {%r2}; mov.b64 %d15, {%r8, %r9};'
                        'mov.b32 {%r10}, 1000; add.u32 %r10, %r10, %r9; st.global.u32 [%d4+16], %r10;',
                        'and.b32 %r8, %r1, 255; and.b64 %d16, %d2, 255; and.b32 %r9, %r2, 255;'
                        'mov.b64 %d15, {%r8, %r9}; add.u32 %r10, %r9, 232; st.global.u32 [%d4+16], %r10;'),
    'pieces': ('mov.v4.u32 {%r8, %r9, %r10, %r11}, %r1; mov.v2.u64 {%d15, %d16}, %d2;'
               'mov.v4.u32 {%r12, %r13, %r14, _}, %r2+1; mov.v2.b32 {%r1, %r2}, %r1;'
               'st.global.v4.u32 [%d4+16], {%r8, %r9, %r1, %r2}; mad.lo.u32 %r10, %r10, %r11, %r12;'
               'mad.lo.u32 %r10, %r10, %r13, %r14; cvt.u64.u32 %d9, %r10; xor.b64 %d15, %d15, %d9;',
               'and.b32 %r8, %r1, 255; bfe.u32 %r9, %r1, 8, 8; bfe.u32 %r10, %r1, 16, 8; shr.u32 %r11, %r1, 24;'
               'mov.b64 {%r15, %r16}, %d2; cvt.u64.u32 %d15, %r15; cvt.u64.u32 %d16, %r16; add.u32 %r2, %r2, 1;'
               'and.b32 %r12, %r2, 255; bfe.u32 %r13, %r2, 8, 8; bfe.u32 %r14, %r2, 16, 8;'
               'shr.u32 %r2, %r1, 16; and.b32 %r1, %r1, 65535;'
               'st.global.v4.u32 [%d4+16], {%r8, %r9, %r1, %r2}; mad.lo.u32 %r10, %r10, %r11, %r12;'
               'mad.lo.u32 %r10, %r10, %r13, %r14; cvt.u64.u32 %d9, %r10; xor.b64 %d15, %d15, %d9;'),
    'pieces of two bytes': ('mov.v4.u16 {%h4, %h5, %h6, %h7}, %h1; mov.v2.b16 {%h8, %h1}, %h2;'
                            'mov.b64 %d15, {%h4, %h5, %h6, %h7}; mov.b64 %d16, {%h8, %h1, %h2, %h3};',
                            'and.b16 %h4, %h1, 255; shr.u16 %h5, %h1, 8; mov.u16 %h6, 0; and.b16 %h8, %h2, 255;'
                            'shr.u16 %h1, %h2, 8;'
                            'mov.b64 %d15, {%h4, %h5, %h6, %h6}; mov.b64 %d16, {%h8, %h1, %h2, %h3};'),
    'registers that are vectors': ('.reg .v4 .b32 %v; mov.v4.b32 %v, {%r1, %r2, %r3, %r4};'
                                   'mov.v4.b32 {%r8, %r9, _, %r10}, %v; mov.b64 %d15, {%r8, %r9};'
                                   'cvt.u64.u32 %d16, %r10;',
                                   'mov.b64 %d15, {%r1, %r2}; cvt.u64.u32 %d16, %r4;'),
    'barriers': ('bar.sync 4294967297, 4294967328; mov.u64 %d15, 1; bar.sync 0+0, 4294967296; mov.u64 %d16, 2;',
                 'bar.sync 1, 32; mov.u64 %d15, 1; bar.sync 0; mov.u64 %d16, 2;'),
    'a loop': ('mov.u32 %r8, 0; mov.u64 %d8, 0; L: mov.u32 %r9, %r8+1; mov.u32 %r8, %r9;'
               'mad.wide.u32 %d8, %r8+2, 3, %d8+1; setp.lt.u32 %p1, %r9+1, 11; @%p1 bra L; mov.u64 %d15, %d8;',
               'mov.u32 %r8, 0; mov.u64 %d8, 0; L: add.u32 %r9, %r8, 1; mov.u32 %r8, %r9; add.u32 %r10, %r8, 2;'
               'add.u64 %d8, %d8, 1; mad.wide.u32 %d8, %r10, 3, %d8; add.u32 %r11, %r9, 1;'
               'setp.lt.u32 %p1, %r11, 11; @%p1 bra L; mov.u64 %d15, %d8;'),
    'a chain': ('ld.global.u32 %r8, [%d1+4]; add.u32 %r9, %r8+5, 7; st.global.u32 [%d4+16], %r9;'
                'ld.global.u32 %r10, [%d1+8]; add.u32 %r11, %r10, 7; st.global.u32 [%d4+20], %r11+9;'
                'ld.global.u32 %r12, [%d1+12]; st.global.u32 [%d4+24], %r12+1;',
                'ld.global.u32 %r8, [%d1+4]; add.u32 %r8, %r8, 5; add.u32 %r9, %r8, 7; st.global.u32 [%d4+16], %r9;'
                'ld.global.u32 %r10, [%d1+8]; add.u32 %r11, %r10, 16; st.global.u32 [%d4+20], %r11;'
                'ld.global.u32 %r12, [%d1+12]; add.u32 %r12, %r12, 1; st.global.u32 [%d4+24], %r12;'),
}


ROWS = 32 # rows of the table in one kernel


def in_one(rows):
    """Both bodies of several pairs: the results of each lie behind those of the one before."""
    bodies = ['', '']
    for n, (_, *forms) in enumerate(rows):
        for k, form in enumerate(forms):
            bodies[k] += f'{form}\nst.global.v2.u64 [%d4+{1024 * n}], {{%d15, %d16}};\n'
    return bodies


def write(folder, name, body, options):
    path, out = folder / f'{name}.ptx', folder / f'{name}-tagged.ptx'
    path.write_text(HEAD + body + '\n' + TAIL)
    if options is None:
        return path
    ends(run([BUILD / 'cli' / 'ptxoffload', path, '-o', out, *options], folder), 0)
    return out


# How a program is written, and how it is run.
MODES = {
    'functional': (None, ['--functional']),
    'timed': (None, []),
    'plain lanes': (None, ['--functional', '--lanes=plain']),
    'omni': ([], ['--policy=omni']),
    'llc': ([], ['--policy=llc']),
    'tom': ([], ['--config=tom', '--policy=tom-no-ctrl']),
}


def memory(folder, name, body, mode, rows):
    tags, options = MODES[mode]
    saved = folder / f'{name}.npy'
    done = run([PROGRAM, write(folder, name, body, tags), '--kernel=k', '--grid=1', '--block=32', *options,
                f'--arg=buf:u32:{256 * (rows + 1)}:range:0:4294967295:7', f'--save=0={saved}'], folder)
    ends(done, 0)
    return saved.read_bytes()


def compare(folder, given, plain, mode, rows):
    first = memory(folder, 'given', given, mode, rows)
    same(first, memory(folder, 'plain', plain, mode, rows))
    same(first, memory(folder, 'functional', given, 'functional', rows))


def round_trip(folder, bodies):
    """What the program prints is read again, to the same text; tags are removed without a trace."""
    tool = BUILD / 'cli' / 'ptxoffload'
    for n, body in enumerate(bodies):
        path = write(folder, f'p{n}', body, None)
        ends(run([tool, path, '-o', folder / 'a.ptx', '--emit=ir'], folder), 0)
        ends(run([tool, folder / 'a.ir', '--check'], folder), 0)
        ends(run([tool, path, '-o', folder / 'a.ptx', '--no-reorder'], folder), 0)
        ends(run([tool, folder / 'a.ptx', '--strip', '-o', folder / 'b.ptx'], folder), 0)
        same((folder / 'b.ptx').read_bytes(), path.read_bytes())
        ends(run([tool, path, '--format', '-o', folder / 'f.ptx'], folder), 0)
        ends(run([tool, folder / 'f.ptx', '--check'], folder), 0)


def add_cases():
    table, spelled = list(operations()), [(name, *forms) for name, forms in SPELLED.items()]
    for mode in MODES:
        for at in range(0, len(table), ROWS):
            rows = table[at:at + ROWS]
            add_case(f'{mode}: {rows[0][0]} to {rows[-1][0]}', compare, *in_one(rows), mode, len(rows))
        for name, given, plain in spelled:
            add_case(f'{mode}: {name}', compare, given, plain, mode, 1)
    add_case('printed, read again, tagged and stripped', round_trip,
             [in_one(table)[0], *(given for _, given, _ in spelled)])


if __name__ == '__main__':
    add_cases()
    main()
