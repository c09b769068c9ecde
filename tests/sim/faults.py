#!/usr/bin/env python3
"""Address faults: with time, and under each policy, what runs without time report.

usage: faults.py BUILD-ROOT [--all]

Each kernel makes one access that faults, in one lane or in several. Message, place and exit code of
a functional run are those of timed runs. Without --all, each spelling gets a few of its addresses.
"""
import hashlib
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import add_case, ends, main, run

BUILD = pathlib.Path(sys.argv[1]).resolve()
ALL = '--all' in sys.argv
FEW = 2  # addresses of a spelling, without --all
POLICIES = policies_of(BUILD / 'cli' / 'ptxoffload-sim')
TOP = 1 << 64

# Registers of a value, by its type.
REGISTERS = {'b8': '%h', 'u16': '%h', 'u32': '%r', 'u64': '%d', 'b128': '%q'}
BYTES = {'b8': 1, 'u16': 2, 'u32': 4, 'u64': 8, 'b128': 16}
SHAPES = [('b8', 1), ('u16', 1), ('u32', 1), ('u64', 1), ('u32', 2), ('u64', 2), ('u32', 4),
          ('u16', 4), ('b8', 4), ('b128', 1)]

HEAD = '''.version 8.6
.target sm_90
.address_size 64
.const .align 16 .b8 constants[64];
.visible .entry k(.param .u64 A, .param .u64 X, .param .u64 step)
{
    .reg .b16 %%h<9>;
    .reg .b32 %%r<9>;
    .reg .b64 %%d<9>, %%a, %%x, %%s, %%t, %%ok;
    .reg .b128 %%q<3>;
    .reg .f32 %%f<9>;
    .reg .pred %%p;
    .shared .align 16 .b8 tile[256];
    .local .align 16 .b8 stack[256];
    ld.param.u64 %%a, [A];
    ld.param.u64 %%x, [X];
    ld.param.u64 %%s, [step];
    mov.u32 %%r8, %%tid.x;
    cvt.u64.u32 %%t, %%r8;
    mad.lo.s64 %%x, %%t, %%s, %%x;
    mul.lo.s64 %%ok, %%t, 4;
    add.s64 %%ok, %%a, %%ok;
    mov.u64 %%d8, 7;
    mov.u32 %%r7, 7;
    setp.lt.u32 %%p, %%r8, 5;
%s
    %s
    ret;
}
'''


def operand(kind, count):
    names = ['%s%d' % (REGISTERS[kind], i + 1) for i in range(count)]
    return '{%s}' % ', '.join(names) if count > 1 else names[0]


def initial(kind, count):
    """a store's registers have values"""
    if kind == 'b128':
        return '    mov.b128 %q1, {%d8, %d8};'
    moved = {'b8': 'u16', 'u16': 'u16', 'u32': 'u32', 'u64': 'u64'}[kind]
    return '\n'.join('    mov.%s %s%d, %d;' % (moved, REGISTERS[kind], i + 1, i + 1)
                     for i in range(count))


def plain():
    """(name, lines before, access, bytes, space)"""
    for kind, count in SHAPES:
        size = BYTES[kind] * count
        vector = '.v%d' % count if count > 1 else ''
        spelled = '%s.%s' % (vector, kind)
        to = operand(kind, count)
        for space in ('global', 'shared', 'local', 'const', ''):
            dot = '.' + space if space else ''
            yield ('ld%s%s' % (dot, spelled), '', 'ld%s%s %s, [%%x];' % (dot, spelled, to), size,
                   space)
            if space != 'const':
                yield ('st%s%s' % (dot, spelled), initial(kind, count),
                       'st%s%s [%%x], %s;' % (dot, spelled, to), size, space)
    for words in ('ld.volatile.global', 'ld.relaxed.gpu.global', 'ld.global.nc', 'ld.global.cg',
                  'ld.global.cv'):
        yield words, '', words + '.u32 %r1, [%x];', 4, 'global'
    for words in ('st.volatile.global', 'st.release.sys.global', 'st.global.cs'):
        yield words, '', words + '.u32 [%x], %r7;', 4, 'global'


def atomics():
    for space in ('global', 'shared', ''):
        dot = '.' + space if space else ''
        for kind, value, to in (('u32', '%r7', '%r1'), ('u64', '%d8', '%d1')):
            yield ('atom%s.add.%s' % (dot, kind), '',
                   'atom%s.add.%s %s, [%%x], %s;' % (dot, kind, to, value), BYTES[kind], space)
            yield ('red%s.add.%s' % (dot, kind), '',
                   'red%s.add.%s [%%x], %s;' % (dot, kind, value), BYTES[kind], space)
            b = kind.replace('u', 'b')
            yield ('atom%s.cas.%s' % (dot, b), '',
                   'atom%s.cas.%s %s, [%%x], %s, %s;' % (dot, b, to, value, value), BYTES[kind],
                   space)


def others():
    tile = '    mov.u32 %r6, tile;'
    for size in (4, 8, 16):
        yield ('cp.async from global, %d' % size, tile,
               'cp.async.ca.shared.global [%%r6], [%%x], %d;' % size, size, 'global')
        yield ('cp.async to shared, %d' % size, '    cvt.u32.u64 %r6, %x;',
               'cp.async.ca.shared.global [%%r6], [%%a], %d;' % size, size, 'shared')
    yield ('ldmatrix', '', 'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%x];', 16, 'shared')
    yield ('stmatrix', '', 'stmatrix.sync.aligned.m8n8.x1.shared.b16 [%x], {%r7};', 16, 'shared')
    yield ('mbarrier.init', '', 'mbarrier.init.shared.b64 [%x], 1;', 8, 'shared')
    yield ('prefetch', '', 'prefetch.global.L1 [%x];', 4, 'global')
    yield ('tex', '', 'tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%x, {%r7}];', 0, 'handle')


def barriers():
    """operands that differ within a warp"""
    for words in ('barrier.red.popc.u32 %r1, %r8, %p;', 'barrier.red.and.pred %p, 1, %r8, %p;',
                  'barrier.sync %r8;', 'barrier.arrive 0, %r8;', 'barrier.red.or.pred %p, %r8, %p;'):
        yield words, '', words, 0, 'handle'


# Chains: two loads, an operation, a store; one of the three faults.
def chains():
    for bad in range(3):
        at = ['%x' if i == bad else '%ok' for i in range(3)]
        yield ('chain with %s' % ['a first load', 'a second load', 'a store'][bad], '',
               'ld.global.f32 %%f1, [%s];\n    ld.global.f32 %%f2, [%s];\n'
               '    add.f32 %%f3, %%f1, %%f2;\n    st.global.f32 [%s], %%f3;' % tuple(at), 4,
               'global')


# Addresses as (name, X relative to the buffer or not, X, step of a lane).
def addresses(size, space):
    if space == 'handle':
        return [('no handle', False, 64, 0)]
    one = max(size, 1)
    found = [('null', False, 0, 0 if space in ('global', '', 'const') else 4096 * one),
             ('a page', False, 4096, one),
             ('the end', False, TOP - one, 0),
             ('a row to the end', False, TOP - 32 * one, one),
             ('the last byte', False, TOP - 1, 0),
             ('a row across the end', False, TOP - 16 * one, one),
             ('lanes far apart', False, TOP - one, 1 << 40)]
    if one > 1:
        found += [('across the end', False, TOP - one // 2, 0)]
    if space == 'local':  # at 0 a thread has its own
        found[0] = ('behind', False, 256, 0)
    if space in ('global', ''):
        found += [('in front', True, -one, 0), ('behind', True, 512, one),
                  ('partly behind', True, 512 - one * 31, one),
                  ('far behind', True, 1 << 30, 1 << 20),
                  ('lanes out of order', True, 128, TOP - 128)]
        found += [('misaligned', True, one // 2, one)] if one > 1 else []
        found += [('one lane misaligned', True, 0, one + one // 2)] if one > 1 else []
    if space == 'shared':
        found += [('behind', False, 256, one)]
        found += [('misaligned', False, 1, one)] if one > 1 else []
        found += [('another CTA', False, 1 << 24, 0), ('the end of 32 bits', False, (1 << 32) - 4, 0)]
    return found


def runs(folder, kernel, far, base, step, timed):
    """(exit code, standard error)"""
    words = ['k.ptx', '--kernel', 'k', '--grid', '1', '--block', '32', '--arg', 'buf:u32:128:zero',
             '--arg', 'u64:%d' % (far % TOP), '--arg', 'u64:%d' % (step % TOP), *timed]
    result = run([BUILD / 'cli' / 'ptxoffload-sim', *words], folder)
    return result.code, result.err.decode()


def compare(folder, before, access, relative, far, step, harmless, chain):
    before = before + ('\n    add.s64 %x, %x, %a;' if relative else '')
    (folder / 'k.ptx').write_text(HEAD % (before, access))
    if chain:
        ends(run([BUILD / 'cli' / 'ptxoffload', 'k.ptx', '-o', 'k.ptx'], folder), 0)
        assert 'pattern' in (folder / 'k.ptx').read_text(), 'there is no chain'
    expected = runs(folder, access, far, relative, step, ['--functional'])
    assert expected[0] == (0 if harmless else 5), expected
    for policy in POLICIES if chain else POLICIES[:1]:
        got = runs(folder, access, far, relative, step, ['--policy', policy])
        assert got == expected, '%s: got %r, expected %r' % (policy, got, expected)


def chosen(name, found):
    """some of the addresses, others for each spelling"""
    if ALL or len(found) <= FEW:
        return found
    return sorted(found, key=lambda one: hashlib.sha256((name + one[0]).encode()).digest())[:FEW]


for form in (plain(), atomics(), others(), barriers(), chains()):
    for name, before, access, size, space in form:
        chain = name.startswith('chain')
        found = addresses(size, space)
        for where, relative, far, step in found if chain else chosen(name, found):
            if 'shared' in name and '%r6, %x' in before:
                far, step = far % (1 << 32), step % (1 << 32)
            add_case('%s: %s' % (name, where), compare, before, access, relative, far, step,
                     name == 'prefetch', chain)

main(at_a_time=os.cpu_count())
