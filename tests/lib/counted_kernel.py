"""A kernel for which each event of energy is counted by hand."""
import re

# Behind each instruction: its unit, registers it reads and writes. A register that is named twice is
# read once.
COUNTED = '''
    ld.param.u64 %rd1, [in];            // int 0 1
    ld.param.u64 %rd2, [out];           // int 0 1
    mov.u32 %r1, %tid.x;                // int 0 1
    mul.wide.u32 %rd3, %r1, 4;          // int 1 1
    add.u64 %rd1, %rd1, %rd3;           // int 2 1
    add.u64 %rd2, %rd2, %rd3;           // int 2 1
    ld.global.f32 %f1, [%rd1];          // memory 1 1
    mul.f32 %f2, %f1, 0f40000000;       // fp32 1 1
    ld.global.f32 %f4, [%rd1];          // memory 1 1
    fma.rn.f32 %f3, %f2, %f1, %f4;      // fp32 3 1
    sqrt.approx.f32 %f3, %f3;           // sfu 1 1
    cvt.f64.f32 %d1, %f3;               // int 1 1
    add.f64 %d2, %d1, %d1;              // fp64 1 1
    mov.u32 %r3, tile;                  // int 0 1
    shl.b32 %r2, %r1, 2;                // int 1 1
    add.u32 %r3, %r3, %r2;              // int 2 1
    st.shared.f32 [%r3], %f3;           // shared 2 0
    ld.shared.f32 %f4, [%r3];           // shared 1 1
    st.global.f32 [%rd1], %f4;          // memory 2 0
    st.global.f32 [%rd2], %f4;          // memory 2 0
    ret;                                // control 0 0
'''
HEAD = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry counted(.param .u64 in, .param .u64 out)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    .reg .f32 %f<5>;
    .reg .f64 %d<3>;
    .shared .align 4 .b8 tile[256];
'''
RUN = '''program: counted.ptx
buffers:
  a: {type: f32, count: 64, fill: uniform}
  b: {type: f32, count: 64}
launches:
  - {kernel: counted, grid: 1, block: 64, args: [a, b]}
  - {kernel: counted, grid: 1, block: 64, args: [a, b]}
'''
LAUNCHES, WARPS, THREADS, LINES, CODE_LINES = 2, 2, 64, 2, 2
LINE_BITS = 8 * 128


def counted(folder):
    (folder / 'counted.ptx').write_text(HEAD + COUNTED + '}\n')
    (folder / 'counted.yaml').write_text(RUN)
    return [re.search(r'// (\w+) (\d) (\d)$', line).groups() for line in
            COUNTED.strip().splitlines()]
