#!/usr/bin/env python3
"""Products of matrices by wgmma in shapes that are drawn at random.

usage: wgmma.py BUILD-ROOT

A producer warp loads tiles of A and B by tensor maps into a ring of buffers in dynamic shared memory, whose mbarriers count the bytes. Each
consumer warpgroup multiplies 64 rows of A with the whole tile of B, in one instruction of its width for each 16 columns. A is M x K, B is N x K,
D is M x N with sums of f32. The kernels are written for each shape, so no nvcc is needed; programs/wgmma.c compares with plain loops.
"""
import random
import shutil

import lib
from tap import add_case, ends, main, run

CUDA = lib.BUILD / 'cli' / 'cuda'
MODES = {'values': ['--functional'], 'cycles': ['--config=h100']}
HEAD = '''.version 8.0
.target sm_90a
.address_size 64
.extern .shared .align 1024 .b8 tiles[];
.visible .entry gemm(.param .align 64 .b8 of_a[128], .param .align 64 .b8 of_b[128], .param .u64 to, .param .u32 m, .param .u32 n,
                     .param .u32 k)
.reqntid {threads}, 1, 1
{{
    .shared .align 8 .b64 bars[{bars}];
    .reg .pred %p<4>; .reg .b32 %r<40>; .reg .b64 %d<20>; .reg .b64 %x; .reg .b64 %y; .reg .f32 %f<{sums}>;
    mov.u32 %r1, %tid.x; mov.u32 %r2, tiles; mov.u32 %r3, bars;
    ld.param.u32 %r4, [m]; ld.param.u32 %r5, [n]; ld.param.u32 %r6, [k];
    mov.u32 %r7, %ctaid.y; mul.lo.u32 %r7, %r7, {tile_m}; mov.u32 %r8, %ctaid.x; mul.lo.u32 %r8, %r8, {tile_n};
    add.u32 %r9, %r6, {tile_k} - 1; div.u32 %r9, %r9, {tile_k};
    mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, %r2;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra READY;
'''
# r10: step, r11: stage, r12: parity of the round, r13: the stage's buffer.
WAIT = '''{name}:
    mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r14], %r15;
    @!%p2 bra {name};
'''
NEXT = '''    add.u32 %r10, %r10, 1; add.u32 %r11, %r11, 1; add.u32 %r13, %r13, {stage_bytes}; setp.eq.u32 %p2, %r11, {stages};
    @%p2 mov.u32 %r11, 0; @%p2 mov.u32 %r13, %r2; @%p2 xor.b32 %r12, %r12, 1;
    setp.lt.u32 %p2, %r10, %r9;
    @%p2 bra {loop};
'''


class Shape:
    """A kernel. `row`: bytes of a tile's row, and so of its swizzle."""

    def __init__(self, groups, tile_n, row, stages):
        self.tile_m, self.tile_n, self.tile_k, self.row, self.stages, self.groups = 64 * groups, tile_n, row // 2, row, stages, groups
        self.a_bytes = self.tile_m * row
        self.stage_bytes = self.a_bytes + (tile_n * row + 1023 & ~1023)
        self.threads = 128 * groups + 32

    def kernel(self):
        words = {'threads': self.threads, 'bars': 2 * self.stages, 'sums': self.tile_n // 2, 'tile_m': self.tile_m, 'tile_n': self.tile_n,
                 'tile_k': self.tile_k, 'stage_bytes': self.stage_bytes, 'stages': self.stages}
        text = HEAD.format(**words)
        for i in range(self.stages):
            text += '    mbarrier.init.shared::cta.b64 [%%r3+%d], 1;\n' % (8 * i)
            text += '    mbarrier.init.shared::cta.b64 [%%r3+%d], %d;\n' % (8 * (self.stages + i), 128 * self.groups)
        text += '    fence.mbarrier_init.release.cluster;\nREADY:\n    bar.sync 0;\n    setp.lt.u32 %%p1, %%r1, %d;\n    @%%p1 bra CONSUME;\n' % (
            128 * self.groups)
        return text + self.producer(words) + self.consumer(words) + self.stores() + 'END:\n    ret;\n}\n'

    def producer(self, words):
        text = '    setmaxnreg.dec.sync.aligned.u32 24;\n' if self.groups == 2 else ''
        text += '    setp.ne.u32 %%p1, %%r1, %d;\n    @%%p1 bra END;\nLOAD:\n' % (128 * self.groups)
        text += '    shl.b32 %%r16, %%r11, 3; add.u32 %%r16, %%r16, %%r3; add.u32 %%r14, %%r16, %d; xor.b32 %%r15, %%r12, 1;\n' % (8 * self.stages)
        text += WAIT.format(name='FREE')
        text += '    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%r16], %d;\n' % (self.a_bytes + self.tile_n * self.row)
        text += '    mul.lo.u32 %%r17, %%r10, %d; add.u32 %%r18, %%r13, %d;\n' % (self.tile_k, self.a_bytes)
        for tile, source, line in (('%r13', 'of_a', '%r7'), ('%r18', 'of_b', '%r8')):
            text += '    mov.u64 %%d1, %s; cvta.param.u64 %%d1, %%d1;\n' % source
            text += '    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%%d1, {%%r17, %s}], [%%r16];\n' % (
                tile, line)
        return text + NEXT.format(loop='LOAD', **words) + '    bra END;\n'

    def consumer(self, words):
        text = 'CONSUME:\n' + ('    setmaxnreg.inc.sync.aligned.u32 240;\n' if self.groups == 2 else '')
        text += ''.join('    mov.f32 %%f%d, 0f00000000;\n' % i for i in range(self.tile_n // 2))
        text += '    shr.u32 %%r20, %%r1, 7; mul.lo.u32 %%r20, %%r20, %d;\nMULTIPLY:\n' % (64 * self.row)
        text += '    shl.b32 %r14, %r11, 3; add.u32 %r14, %r14, %r3; mov.u32 %r15, %r12;\n' + WAIT.format(name='FULL')
        constant = 1 << 16 | 8 * self.row // 16 << 32 | {128: 1, 64: 2, 32: 3}[self.row] << 62
        for value, first in (('%x', 'add.u32 %r21, %r13, %r20'), ('%y', 'add.u32 %%r21, %%r13, %d' % self.a_bytes)):
            text += '    %s; shr.u32 %%r21, %%r21, 4; and.b32 %%r21, %%r21, 0x3fff; cvt.u64.u32 %s, %%r21; or.b64 %s, %s, 0x%x;\n' % (
                first, value, value, value, constant)
        text += '    wgmma.fence.sync.aligned;\n'
        for _ in range(self.tile_k // 16):
            text += '    wgmma.mma_async.sync.aligned.m64n%dk16.f32.f16.f16 {%s}, %%x, %%y, 1, 1, 1, 0, 0;\n' % (
                self.tile_n, ', '.join('%%f%d' % i for i in range(self.tile_n // 2)))
            text += '    add.u64 %x, %x, 2; add.u64 %y, %y, 2;\n'
        text += '    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 0;\n'
        text += '    add.u32 %%r14, %%r14, %d; mbarrier.arrive.shared::cta.b64 _, [%%r14];\n' % (8 * self.stages)
        return text + NEXT.format(loop='MULTIPLY', **words)

    def stores(self):
        text = '''    ld.param.u64 %d2, [to]; cvta.to.global.u64 %d2, %d2;
    shr.u32 %r22, %r1, 5; shl.b32 %r22, %r22, 4; and.b32 %r23, %r1, 31; shr.u32 %r24, %r23, 2; add.u32 %r22, %r22, %r24; add.u32 %r22, %r22, %r7;
    and.b32 %r23, %r23, 3; shl.b32 %r23, %r23, 1; add.u32 %r23, %r23, %r8;
'''
        for i in range(self.tile_n // 2):
            text += '    add.u32 %%r25, %%r22, %d; add.u32 %%r26, %%r23, %d; mad.lo.u32 %%r27, %%r25, %%r5, %%r26; mul.wide.u32 %%d3, %%r27, 4;\n' % (
                i // 2 % 2 * 8, i // 4 * 8 + i % 2)
            text += '    add.u64 %%d3, %%d2, %%d3; setp.lt.u32 %%p1, %%r25, %%r4; setp.lt.and.u32 %%p1, %%r26, %%r5, %%p1; @%%p1 st.global.f32 [%%d3], %%f%d;\n' % i
        return text


def compiled():
    folder = lib.pathlib.Path(lib.MADE.name)
    ends(run(['cc', '-O1', '-w', '-no-pie', lib.PROGRAMS / 'wgmma.c', CUDA / 'libcuda.so.1', '-o', 'wgmma'], folder), 0)
    return folder / 'wgmma'


PROGRAM = compiled()


def passes(folder, mode, shape, sizes, seed):
    (folder / 'wgmma.ptx').write_text(shape.kernel())
    arguments = [*sizes, shape.tile_m, shape.tile_n, shape.row, shape.stages * shape.stage_bytes, shape.threads, seed]
    ends(lib.simulate(folder, PROGRAM, *MODES[mode], arguments=map(str, arguments)), 0, out='PASSED\n')


def draw(random_state):
    """A shape whose buffers fit, and sizes"""
    while True:
        shape = Shape(random_state.randint(1, 3), 8 * random_state.randint(1, 32), random_state.choice((32, 64, 128)), random_state.randint(1, 5))
        if shape.stages * shape.stage_bytes < 220000 and shape.groups * shape.tile_n <= 512:
            return shape, (random_state.randint(1, 2 * shape.tile_m), 4 * random_state.randint(1, shape.tile_n // 2),
                           8 * random_state.randint(1, 5 * shape.tile_k // 8))


# The tile of 128 x 256 x 64 with two consumers.
for MODE in MODES:
    for SIZES in ((128, 256, 256), (256, 512, 192), (200, 260, 136)):
        add_case('two warpgroups of m64n256k16, %d x %d x %d, %s' % (*SIZES, MODE), passes, MODE, Shape(2, 256, 128, 4), SIZES, 1)
STATE = random.Random(45)
for SEED in range(12):
    SHAPE, SIZES = draw(STATE)
    add_case('%d warpgroups of m64n%dk16, swizzle of %d bytes, %d stages, %d x %d x %d' % (
        SHAPE.groups, SHAPE.tile_n, SHAPE.row, SHAPE.stages, *SIZES), passes, 'cycles' if SEED % 4 == 3 else 'values', SHAPE, SIZES, SEED)

main()
