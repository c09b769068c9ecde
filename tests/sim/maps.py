#!/usr/bin/env python3
"""Maps that are compiled from kernels leave the memory that the kernels leave.

usage: maps.py BUILD-ROOT

Each sample runs with `spatial.automatic`; so do random kernels without loops. Every refusal names a rule,
and every rule that a kernel can break has a kernel here that breaks it.
"""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within
from sample_runs import LESS, PROGRAM, TAGGER, RUNS, SAMPLES, buffers_of, name_of, same_buffers

ROOT = SAMPLES.parent
RULES = re.findall(r'^MAP_RULE\(\w+, "([\w-]+)"', (ROOT / 'passes/base/rules.def').read_text(), re.M)
AUTOMATIC = ('--config=rgpu', '--set=spatial.automatic=true', '--set=spatial.gain=0', '-v')
HEAD = '.version 7.5\n.target sm_75\n.address_size 64\n'
RANDOM = int(os.environ.get('PTXOFFLOAD_TEST_KERNELS', 60))


def notes(err):
    """(kernel, whether it ran a map, rule of the refusal) of each line about a map"""
    found = []
    for line in err.decode().splitlines():
        match = re.fullmatch(r"kernel '(\S+)' (runs a compiled map|runs without a map: (.*))", line)
        if match:
            found.append((match.group(1), not match.group(3), (match.group(3) or '').split(':')[0]))
    return found


def execute(folder, run_file, names, *options):
    saves = ['--save=%s=%s.npy' % (name, name) for name in names]
    result = ends(run([PROGRAM, run_file, *saves, *options], folder), 0)
    return [(name, (folder / (name + '.npy')).read_bytes()) for name in names], result.err


def sample(folder, path):
    text = re.sub(r'(?m)^ *spatial: .*\n|spatial: [\w.-]+, ', '', path.read_text())
    program = re.search(r'^program: *(\S+)', text, re.M).group(1)
    (folder / 'run.yaml').write_text(text.replace('program: ' + program, 'program: %s' % (path.parent / program), 1))
    names = buffers_of(path)
    less = [option for value in LESS.get(path.parent.name, ()) for option in ('--set', value)]
    expected, _ = execute(folder, 'run.yaml', names, '--functional', *less)
    found, err = execute(folder, 'run.yaml', names, *AUTOMATIC, *less)
    same_buffers(found, expected, 'compiled maps')
    decisions = notes(err)
    assert decisions, err
    for kernel, _, rule in decisions:
        assert not rule or rule in RULES or rule.startswith('the map requires '), (kernel, rule)


@case
def rules(folder):
    """docs/reference/rgpu.md lists the rules of refusals"""
    listed = re.search(r'<!-- rules of maps -->(.*)<!-- end', (ROOT / 'docs' / 'reference' / 'rgpu.md').read_text(), re.S).group(1)
    same(re.findall(r'^\| `([\w-]+)` ', listed, re.M), RULES)


def compiled(folder, body, params='.param .u64 a, .param .u64 o, .param .u32 n'):
    """What --emit=map writes for a kernel"""
    (folder / 'p.ptx').write_text(HEAD + """.func helper()
{
    ret;
}
.visible .entry k(%s)
{
    .reg .pred %%p<9>; .reg .b16 %%rs<9>; .reg .b32 %%r<99>; .reg .f32 %%f<99>; .reg .f64 %%fd<9>; .reg .b64 %%rd<99>;
    .shared .b32 s[64];
    ld.param.u64 %%rd1, [a];
    ld.param.u64 %%rd2, [o];
    ld.param.u32 %%r9, [n];
    mov.u32 %%r1, %%ctaid.x;
    mov.u32 %%r2, %%ntid.x;
    mov.u32 %%r3, %%tid.x;
    mad.lo.s32 %%r4, %%r1, %%r2, %%r3;
    mul.wide.s32 %%rd3, %%r4, 4;
    add.s64 %%rd4, %%rd1, %%rd3;
    add.s64 %%rd5, %%rd2, %%rd3;
%s
    ret;
}
""" % (params, body))
    ends(run([TAGGER, 'p.ptx', '--emit=map', '-o', 'p.ptx.out', '-q'], folder), 0)
    return (folder / 'p.map.yaml').read_text() if (folder / 'p.map.yaml').exists() else (
        folder / 'p.ptx.map.yaml').read_text()


REFUSED = {
    'map-call': '    call helper;\n    st.global.u32 [%rd5], %r4;',
    'map-barrier': '    bar.sync 0;',
    'map-atomic': '    atom.global.add.u32 %r5, [%rd5], 1;',
    'map-alias': '    mul.wide.s32 %rd6, %r9, 4;\n    add.s64 %rd7, %rd5, %rd6;\n    ld.global.f32 %f1, [%rd4];\n'
                 '    st.global.f32 [%rd5], %f1;\n    ld.global.f32 %f2, [%rd7];\n    st.global.f32 [%rd4], %f2;',
    'map-type': '    ld.global.f64 %fd1, [%rd4];\n    st.global.f64 [%rd5], %fd1;',
    'map-operation': '    mov.u32 %r5, %clock;\n    st.global.u32 [%rd5], %r5;',
    'map-offset': '    ld.global.u32 %r5, [%rd4];\n    mul.wide.u32 %rd6, %r5, 4;\n    add.s64 %rd7, %rd2, %rd6;\n'
                  '    st.global.u32 [%rd7], %r5;',
    'map-cores': '    ld.global.f32 %f1, [%rd4];\n' + ''.join(
        '    add.f32 %%f%d, %%f%d, 0f3F800000;\n' % (i + 1, i) for i in range(1, 40)) + '    st.global.f32 [%rd5], %f40;',
    'map-lsus': ''.join('    ld.global.f32 %%f%d, [%%rd4+%d];\n' % (i, 4 * i) for i in range(1, 21)) + ''.join(
        '    add.f32 %%f%d, %%f%d, %%f%d;\n' % (20 + i, i, 19 + i if i > 1 else 20) for i in range(1, 20)) +
        '    st.global.f32 [%rd5], %f39;',
    'map-loop': 'L1:\n    mov.u32 %r8, 0;\nL2:\n    add.s32 %r8, %r8, 1;\n    setp.lt.s32 %p2, %r8, 5;\n    @%p2 bra L2;\n'
                '    add.s32 %r9, %r9, -1;\n    setp.gt.s32 %p1, %r9, 0;\n    @%p1 bra L1;\n    st.global.u32 [%rd5], %r9;',
    'map-trip': 'L1:\n    shr.s32 %r9, %r9, 1;\n    setp.gt.s32 %p1, %r9, 0;\n    @%p1 bra L1;\n    st.global.u32 [%rd5], %r9;',
    'map-diverges': '    ld.global.u32 %r5, [%rd4];\n    mov.u32 %r8, 0;\n    setp.eq.u32 %p1, %r5, 1;\n    @%p1 bra B;\n'
                    'A:\n    add.s32 %r8, %r8, 1;\n    setp.lt.s32 %p2, %r8, 5;\n    @%p2 bra A;\nB:\n'
                    '    st.global.u32 [%rd5], %r8;',
    'map-inputs': '    ld.global.u32 %r5, [%rd4];\n    ld.global.u32 %r6, [%rd4+4];\n    bfi.b32 %r7, %r5, %r6, %r5, %r6;\n'
                  '    st.global.u32 [%rd5], %r7;',
    # Each of fifteen words has a use among its neighbours and one far away.
    'map-lanes': ''.join('    ld.global.f32 %%f%d, [%%rd4+%d];\n' % (i, 4096 * i) for i in range(15)) + ''.join(
        '    mul.f32 %%f%d, %%f%d, %%f%d;\n' % (15 + i, i, (3 * i + 7) % 15) for i in range(15)) + ''.join(
        '    add.f32 %%f%d, %%f%d, %%f%d;\n' % (30 + i, 29 + i if i > 1 else 15, 15 + i) for i in range(1, 15)) +
        '    st.global.f32 [%rd5], %f44;',
    # The word of the last iteration and this one meet: FIFOs that eight threads fill are full. For four threads there
    # are too few lanes.
    'map-rate': '    mov.u32 %r5, 0;\n    mov.f32 %f98, 0f00000000;\n    mov.f32 %f97, 0f00000000;\nL:\n' + ''.join(
        '    ld.global.f32 %%f%d, [%%rd4+%d];\n' % (i, 4096 * i) for i in range(14)) + ''.join(
        '    mul.f32 %%f%d, %%f%d, %%f%d;\n' % (15 + i, i, (3 * i + 7) % 14) for i in range(14)) + ''.join(
        '    add.f32 %%f%d, %%f%d, %%f%d;\n' % (30 + i, 29 + i if i > 1 else 15, 15 + i) for i in range(1, 14)) +
        '    fma.rn.f32 %f96, %f98, %f0, %f43;\n    mov.f32 %f98, %f0;\n    add.f32 %f97, %f97, %f96;\n'
        '    add.s64 %rd4, %rd4, 4;\n    add.s32 %r5, %r5, 1;\n    setp.lt.s32 %p1, %r5, %r9;\n    @%p1 bra L;\n'
        '    st.global.f32 [%rd5], %f97;',
}


def refused(folder, rule):
    text = compiled(folder, REFUSED[rule])
    within('[%s]' % rule, text)
    assert re.search(r'^# k: (line \d+: )?\S', text, re.M), text


@case
def all_rules(folder):
    """each rule has a kernel, but the one that a launch decides"""
    same([rule for rule in RULES if rule not in REFUSED], ['map-no-gain'])


for rule in REFUSED:
    add_case('%s: a kernel is refused by it' % rule, refused, rule)


# Kernels whose map must leave the memory of the kernel. %r4: number of the thread; %rd4, %rd5: its words of a and o
MAPPED = {
    'a store before the bound that ends threads': '    st.global.u32 [%rd5], %r4;\n    setp.ge.s32 %p1, %r4, %r9;\n'
        '    @%p1 bra DONE;\n    st.global.u32 [%rd5+1024], %r4;\nDONE:',
    'real constants of two ways': '    ld.global.f32 %f1, [%rd4];\n    setp.gt.f32 %p1, %f1, 0f3F000000;\n'
        '    mov.f32 %f2, 0f3FC00000;\n    @%p1 bra KEEP;\n    mov.f32 %f2, 0fBF400000;\nKEEP:\n'
        '    st.global.f32 [%rd5], %f2;',
    'a real constant that is stored as bits': '    mov.b32 %r5, 0f3FC00000;\n    st.global.u32 [%rd5], %r5;',
    'halves that a load has extended': '    cvt.s64.s32 %rd6, %r4;\n    add.s64 %rd7, %rd1, %rd6;\n'
        '    ld.global.s8 %rs1, [%rd7];\n    ld.global.u8 %rs2, [%rd7];\n    cvt.rn.f32.s16 %f1, %rs1;\n'
        '    cvt.rn.f32.u16 %f2, %rs2;\n    setp.lt.s16 %p1, %rs1, -5;\n    selp.f32 %f3, %f1, %f2, %p1;\n'
        '    st.global.f32 [%rd5], %f3;',
}


def mapped(folder, name):
    compiled(folder, MAPPED[name])
    (folder / 'run.yaml').write_text('''program: p.ptx
buffers:
  a: {type: f32, count: 600, fill: "range:0:1:7"}
  o: {type: u32, count: 600, fill: zero}
launches:
  - {kernel: k, grid: 4, block: 64, args: [a, o, 100]}
''')
    expected, _ = execute(folder, 'run.yaml', 'ao', '--functional')
    found, err = execute(folder, 'run.yaml', 'ao', *AUTOMATIC)
    same(notes(err), [('k', True, '')])
    same_buffers(found, expected, name)


for name in MAPPED:
    add_case('%s: the memory is that of the kernel' % name, mapped, name)


@case
def lines_of_tiles(folder):
    """a map is refused whose tiles use an eighth of lines that the L1 does not keep"""
    path = ROOT / 'eval' / 'runs' / 'rgpu-stencil.yaml'
    # The second has few lines, at a distance of 32 KiB: they are in one set.
    for size in (('nx=64', 'ny=34', 'nz=96'), ('nx=128', 'ny=64', 'nz=24')):
        options = ['--set=values.%s' % value for value in ('version=1', *size)]
        result = ends(run([PROGRAM, path, *options, '--config=rgpu', '--set=spatial.automatic=true', '-v'], folder), 0)
        same(notes(result.err), [('stencil_walk', False, 'map-no-gain')])


DECAY = """    ld.global.u32 %r34, [%rd4];
    mov.u32 %r40, 0;
    mov.u32 %r41, 0;
L:
    ld.global.u32 %r35, [%rd4+4];
    STEP.s32 %r36, %r34, Q;
    OP.TYPE %r34, ORDER;
    xor.b32 %r41, %r41, %r34;
    add.s64 %rd4, %rd4, 256;
    add.s32 %r40, %r40, 1;
    setp.lt.s32 %p1, %r40, 9;
    @%p1 bra L;
    st.global.u32 [%rd5], %r41;"""


@case
def decays(folder):
    """w = max(a, w - q) is one instruction of the loop, also where w - q wraps around"""
    for op, kind, step, q, order in (('max', 's32', 'sub', '1879048192', '%r35, %r36'), ('min', 's32', 'add', '1879048192', '%r36, %r35'),
                                     ('max', 'u32', 'sub', '%r9', '%r35, %r36'), ('min', 'u32', 'sub', '-7', '%r35, %r36'),
                                     ('max', 's32', 'add', '%r9', '%r35, %r36')):
        body = DECAY
        for word, text in zip(('STEP', 'Q', 'OP', 'TYPE', 'ORDER'), (step, q, op, kind, order)):
            body = re.sub(r'\b%s\b' % word, text, body)
        within('v%s.%s.%s.%s.add' % (op, kind, kind, kind), compiled(folder, body))
        (folder / 'run.yaml').write_text("""program: p.ptx
buffers:
  a: {type: u32, count: 1000, fill: "= i * 2654435761 % 4294967296"}
  o: {type: u32, count: 256, fill: zero}
launches:
  - {kernel: k, grid: 4, block: 64, args: [a, o, 2147483600]}
""")
        expected, _ = execute(folder, 'run.yaml', 'o', '--functional')
        found, err = execute(folder, 'run.yaml', 'o', *AUTOMATIC)
        same(notes(err), [('k', True, '')])
        same_buffers(found, expected, op + kind + step)


ROWS = """    mov.u32 %r5, %ctaid.y;
    mad.lo.s32 %r6, %r5, %r9, %r4;
    mul.wide.s32 %rd6, %r6, 4;
    mul.wide.s32 %rd7, %r9, 4;
    add.s64 %rd8, %rd1, %rd6;
    add.s64 %rd9, %rd8, %rd7;
    add.s64 %rd10, %rd9, %rd7;
    add.s64 %rd11, %rd2, %rd6;
    ld.global.f32 %f1, [%rd8];
    ld.global.f32 %f2, [%rd9];
    ld.global.f32 %f3, [%rd10];
    add.f32 %f4, %f1, %f2;
    add.f32 %f5, %f4, %f3;
    st.global.f32 [%rd11], %f5;"""


@case
def rows_in_the_l1(folder):
    """a map has no more copies than the L1 has room for the rows that are read again"""
    compiled(folder, ROWS)
    copies = {}
    for width in (256, 1536, 2048, 6144):
        (folder / 'run.yaml').write_text("""program: p.ptx
buffers:
  a: {type: f32, count: %d, fill: "range:0:1:7"}
  o: {type: f32, count: %d, fill: zero}
launches:
  - {kernel: k, grid: [%d, 64], block: 64, args: [a, o, %d]}
""" % (66 * width, 64 * width, width // 64, width))
        expected, _ = execute(folder, 'run.yaml', 'o', '--functional')
        found, err = execute(folder, 'run.yaml', 'o', *AUTOMATIC, '--stats=stats.txt')
        same(notes(err), [('k', True, '')])
        same_buffers(found, expected, width)
        copies[width] = int(re.search(r'(?m)^spatial.map_copies = (\d+)', (folder / 'stats.txt').read_text()).group(1))
    # A row of 1,536 words for each of three loads: 18 KiB. If no row can stay, more copies run; a fourth one would
    # have no row of its own: 64 rows are two for each of 45 copies, and of 60.
    same(copies, {256: 3, 1536: 2, 2048: 1, 6144: 3})


# y = y / 2 + a for each row of a, stored or summed up
TURNS = '''.visible .entry k(.param .u64 a, .param .u64 o, .param .u32 w, .param .u32 h)
{
    .reg .pred %%p<9>; .reg .b32 %%r<9>; .reg .f32 %%f<9>; .reg .b64 %%rd<9>;
    ld.param.u64 %%rd1, [a];
    ld.param.u64 %%rd2, [o];
    ld.param.u32 %%r1, [w];
    ld.param.u32 %%r2, [h];
    mov.u32 %%r3, 0;
ROW:
    mov.u32 %%r4, 0;
    mov.f32 %%f1, 0f00000000;
    mul.lo.s32 %%r5, %%r3, %%r1;
    mul.wide.s32 %%rd3, %%r5, 4;
    add.s64 %%rd4, %%rd1, %%rd3;
    add.s64 %%rd5, %%rd2, %%rd3;
WORD:
    ld.global.f32 %%f2, [%%rd4];
    fma.rn.f32 %%f1, %%f1, 0f3F000000, %%f2;
%s
    add.s64 %%rd4, %%rd4, 4;
    add.s64 %%rd5, %%rd5, 4;
    add.s32 %%r4, %%r4, 1;
    setp.lt.s32 %%p1, %%r4, %%r1;
    @%%p1 bra WORD;
%s
    add.s32 %%r3, %%r3, 1;
    setp.lt.s32 %%p2, %%r3, %%r2;
    @%%p2 bra ROW;
    ret;
}
'''
STORE = '    st.global.f32 [%rd5], %f1;'


def turns_of(folder, rows, lines):
    """Runs the kernel of p.ptx; returns its cycles, and the copies and cores of its map"""
    (folder / 'run.yaml').write_text('''program: p.ptx
buffers:
  a: {type: f32, count: %d, fill: "range:0:1:7"}
  o: {type: f32, count: %d, fill: zero}
launches:
  - {kernel: k, grid: 1, block: 1, args: [a, o, 128, %d]}
''' % (128 * rows, 128 * rows + 8, rows))
    expected, _ = execute(folder, 'run.yaml', 'o', '--functional')
    found, err = execute(folder, 'run.yaml', 'o', *AUTOMATIC, '--stats=stats.txt', '--set=spatial.store_lines=%d' % lines)
    same(notes(err), [('k', True, '')])
    same_buffers(found, expected, (rows, lines))
    text = (folder / 'stats.txt').read_text()
    return [int(re.search(r'(?m)^%s = (\d+)' % name, text).group(1))
            for name in ('machine.cycles', 'spatial.map_cores', 'spatial.stores_sent')]


# The word %rd5 of a thread, %r4 of n.
THREAD = """
    .reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %rd<9>;
    ld.param.u64 %rd2, [o];
    ld.param.u32 %r9, [n];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    setp.ge.s32 %p1, %r4, %r9;
    @%p1 bra END;
    mul.wide.s32 %rd3, %r4, 4;
    add.s64 %rd5, %rd2, %rd3;
"""

# Values with three origins; B has two ways in, and its value is one of two words.
SEVERAL = """.visible .entry several(.param .u64 a, .param .u64 o, .param .u32 n)
{
""" + THREAD + """
    ld.param.u64 %rd1, [a];
    add.s64 %rd4, %rd1, %rd3;
    ld.global.u32 %r5, [%rd4];
    mov.u32 %r7, 50;
    setp.eq.s32 %p2, %r5, 1;
    @%p2 bra A;
    setp.lt.s32 %p3, %r5, 0;
    mov.u32 %r7, 60;
    @%p3 bra B;
    setp.gt.s32 %p4, %r5, 2;
    mov.u32 %r7, 70;
    @%p4 bra B;
    mov.u32 %r6, 3;
    bra C;
A:
    mov.u32 %r6, 1;
    bra C;
B:
    add.s32 %r6, %r7, %r5;
C:
    add.s32 %r6, %r6, %r7;
    st.global.u32 [%rd5], %r6;
END:
    ret;
}
"""


@case
def several_origins(folder):
    """a value behind a switch is that of the edge whose predicate is 1"""
    (folder / 'p.ptx').write_text(HEAD + SEVERAL)
    (folder / 'run.yaml').write_text(
        'program: p.ptx\nbuffers:\n  a: {type: s32, count: 300, fill: "range:-4:6:5"}\n  o: {type: s32, count: 300, fill: zero}\n'
        'launches:\n  - {kernel: several, grid: 5, block: 64, args: [a, o, 300]}\n')
    expected, _ = execute(folder, 'run.yaml', ['o'], '--functional')
    found, err = execute(folder, 'run.yaml', ['o'], *AUTOMATIC)
    same_buffers(found, expected, 'several origins')
    same(notes(err), [('several', True, '')])
    assert len(set(expected[0][1][i:i + 4] for i in range(0, 1200, 4))) > 8


# Words of one array that differ if its parts do.
PARTS = """.visible .entry parts(.param .u64 o, .param .u32 n, .param .u32 pitch)
{
""" + THREAD + """
    ld.param.u32 %r8, [pitch];
    ld.global.u32 %r5, [%rd5];
    add.s32 %r6, %r5, 7;
    st.global.u32 [%rd5], %r6;
    add.s32 %r7, %r4, %r8;
    mul.wide.s32 %rd4, %r7, 4;
    add.s64 %rd6, %rd2, %rd4;
    ld.global.u32 %r10, [%rd6];
    mul.lo.s32 %r11, %r10, 3;
    st.global.u32 [%rd6], %r11;
END:
    ret;
}
"""


@case
def parts_of_an_array(folder):
    """accesses at a distance that the launch gives need parts that do not overlap"""
    (folder / 'p.ptx').write_text(HEAD + PARTS)
    for pitch, runs in ((64, True), (100, True), (-64, True), (0, False), (63, False), (-40, False)):
        (folder / 'run.yaml').write_text(
            'program: p.ptx\nbuffers:\n  o: {type: s32, count: 300, fill: "range:-4:6:5"}\n'
            'launches:\n  - {kernel: parts, grid: 1, block: 64, args: ["&o[100]", 64, %d]}\n' % pitch)
        expected, _ = execute(folder, 'run.yaml', ['o'], '--functional')
        found, err = execute(folder, 'run.yaml', ['o'], *AUTOMATIC)
        if runs: # without a map threads of several warps race
            same_buffers(found, expected, 'pitch %d' % pitch)
        same([ran for _, ran, _ in notes(err)], [runs])


@case
def many_accesses(folder):
    """a kernel with more accesses than any machine has units for is refused without comparing all of them"""
    (folder / 'p.ptx').write_text(
        HEAD + '.visible .entry many(.param .u64 o, .param .u32 n)\n{\n' + THREAD +
        ''.join('    st.global.u32 [%%rd5+%d], %%r4;\n' % (4 * i) for i in range(4000)) + 'END:\n    ret;\n}\n')
    ends(run([TAGGER, 'p.ptx', '--emit=map', '-o', 'out.ptx'], folder), 0)
    within('more than 256 accesses [map-lsus]', (folder / 'out.map.yaml').read_text())


@case
def rows_that_take_turns(folder):
    """eight rows go through the cores of one, if a unit collects the lines of their stores"""
    (folder / 'p.ptx').write_text(HEAD + TURNS % (STORE, ''))
    alone, turns = turns_of(folder, 240, 1), turns_of(folder, 240, 8)
    # Of the rows one by one each has an addition. Rows in turn have one, and one for the addresses.
    assert alone[1] > turns[1] == 2, (alone, turns)
    assert turns[0] < 0.8 * alone[0], (alone, turns)
    # A row has four lines.
    same(turns[2], 4 * 240)
    # Too few rows to take turns.
    assert turns_of(folder, 5, 8)[1] > 2
    assert turns_of(folder, 8, 8)[1] == 2


@case
def sums_that_take_turns(folder):
    """rows that store behind the loop only need no lines"""
    (folder / 'p.ptx').write_text(HEAD + TURNS % ('', STORE.replace('rd5', 'rd5+-4')))
    same(turns_of(folder, 64, 1)[1], 2)


@case
def storage_of_fifos(folder):
    """data FIFOs that share their storage are as deep as it is for all copies"""
    path = SAMPLES / 'conv' / 'run.yaml'
    names = buffers_of(path)
    expected, _ = execute(folder, path, names, '--functional')
    rates = {}
    for words in (0, 448, 896):
        found, _ = execute(folder, path, names, '--config=rgpu', '--set=spatial.fifo_words=%d' % words, '--stats=stats.txt')
        same_buffers(found, expected, words)
        rates[words] = int(re.search(r'(?m)^spatial.map_rate = (\d+)', (folder / 'stats.txt').read_text()).group(1))
    # The bound is (D + 3) / 19 for up to 16 entries: one more than with places that are reserved, because a loaded word may
    # wait in its unit. Two copies have 44 FIFOs.
    same(rates, {0: 11 * 1000000 // 19, 448: 13 * 1000000 // 19, 896: 1000000})


for path in RUNS:
    add_case('%s: the memory is that of the kernels' % name_of(path), sample, path)


# Random kernels

FLOAT_OPS = ['add.f32', 'mul.f32', 'sub.f32', 'min.f32', 'max.f32', 'fma.rn.f32', 'neg.f32', 'abs.f32', 'selp', 'select']
INT_OPS = ['add.s32', 'xor.b32', 'and.b32', 'min.s32', 'shl.b32', 'mad.lo.s32']


class Kernel:
    """A kernel of one or two dimensions whose threads load, compute and store."""

    def __init__(self, rng):
        self.rng = rng
        self.rows = rng.random() < 0.5
        self.lines = []
        self.count = {'f': 0, 'r': 100, 'p': 10}
        self.labels = 0
        self.floats, self.ints = [], []
        self.body()

    def emit(self, text, *values):
        self.lines.append('    ' + text % values + ';')

    def new(self, kind):
        self.count[kind] += 1
        return '%%%s%d' % (kind, self.count[kind])

    def index(self):
        rng = self.rng
        self.emit('mov.u32 %%r1, %%ctaid.x')
        self.emit('mov.u32 %%r2, %%ntid.x')
        self.emit('mov.u32 %%r3, %%tid.x')
        self.emit('mad.lo.s32 %%r4, %%r1, %%r2, %%r3')
        if self.rows:
            self.emit('mov.u32 %%r5, %%ctaid.y')
            self.emit('mov.u32 %%r6, %%ntid.y')
            self.emit('mov.u32 %%r7, %%tid.y')
            self.emit('mad.lo.s32 %%r8, %%r5, %%r6, %%r7')
        low = rng.choice([0, 0, 1, 2])
        self.emit('setp.ge.s32 %%p1, %%r4, %%r20')
        guards = ['%p1']
        if self.rows:
            self.emit('setp.ge.s32 %%p2, %%r8, %%r21')
            guards.append('%p2')
        if low:
            self.emit('setp.lt.s32 %%p3, %%r4, %d', low)
            guards.append('%p3')
        joined = guards[0]
        for number, guard in enumerate(guards[1:]):
            self.emit('or.pred %%p%d, %s, %s', 5 + number, joined, guard)
            joined = '%%p%d' % (5 + number)
        self.emit('@%s bra DONE', joined)
        if self.rows:
            self.emit('mad.lo.s32 %%r9, %%r8, %%r22, %%r4')
        else:
            self.emit('mov.u32 %%r9, %%r4')
        self.emit('mul.wide.s32 %%rd9, %%r9, 4')
        for number, pointer in enumerate('abo'):
            self.emit('add.s64 %%rd%d, %%rd%d, %%rd9', 10 + number, 1 + number)

    def load(self):
        value = self.new('f')
        self.emit('ld.global.f32 %s, [%%rd%d+%d]', value, self.rng.choice([10, 11]), 4 * self.rng.randrange(6))
        self.floats.append(value)

    def condition(self):
        predicate = self.new('p')
        if self.rng.random() < 0.4:
            self.emit('setp.%s.s32 %s, %s, %d', self.rng.choice(['lt', 'gt', 'ne']), predicate,
                      self.rng.choice(self.ints), self.rng.randrange(40))
        else:
            self.emit('setp.%s.f32 %s, %s, %s', self.rng.choice(['lt', 'ge', 'neu']), predicate,
                      self.rng.choice(self.floats), self.rng.choice(self.floats))
        return predicate

    def real(self):
        rng, value = self.rng, self.new('f')
        op = rng.choice(FLOAT_OPS)
        source = lambda: rng.choice(self.floats + ['%f200', '0f%08X' % rng.choice([0x3F800000, 0x40490FDB, 0xBF000000])])
        first = rng.choice(self.floats)
        if op == 'selp':
            self.emit('selp.f32 %s, %s, %s, %s', value, first, source(), self.condition())
        elif op == 'select':
            predicate = self.condition()
            self.labels += 1
            self.emit('mov.f32 %s, %s', value, first)
            self.emit('@%s bra L%d', predicate, self.labels)
            self.emit('mul.f32 %s, %s, %s', value, rng.choice(self.floats), source())
            self.lines.append('L%d:' % self.labels)
        elif op in ('neg.f32', 'abs.f32'):
            self.emit('%s %s, %s', op, value, first)
        elif op == 'fma.rn.f32':
            self.emit('%s %s, %s, %s, %s', op, value, first, source(), source())
        else:
            self.emit('%s %s, %s, %s', op, value, first, source())
        self.floats.append(value)

    def integer(self):
        rng, value = self.rng, self.new('r')
        op = rng.choice(INT_OPS)
        first = rng.choice(self.ints)
        if op == 'mad.lo.s32':
            self.emit('%s %s, %s, %d, %s', op, value, first, rng.randrange(1, 9), rng.choice(self.ints))
        elif op == 'shl.b32':
            self.emit('%s %s, %s, %d', op, value, first, rng.randrange(5))
        else:
            self.emit('%s %s, %s, %s', op, value, first, rng.choice(self.ints + ['%r23', str(rng.randrange(100))]))
        self.ints.append(value)

    def body(self):
        rng = self.rng
        self.index()
        self.ints = ['%r4', '%r9'] + (['%r8'] if self.rows else [])
        for _ in range(rng.randrange(1, 5)):
            self.load()
        for _ in range(rng.randrange(1, 7)):
            rng.choice([self.real, self.real, self.integer])()
        if rng.random() < 0.4:
            value = self.new('f')
            self.emit('cvt.rn.f32.s32 %s, %s', value, rng.choice(self.ints))
            self.floats.append(value)
            self.real()
        guard = '@%s ' % self.condition() if rng.random() < 0.25 else ''
        self.emit('%sst.global.f32 [%%rd12+%d], %s', guard, 4 * rng.randrange(3), self.floats[-1])

    def text(self, name):
        head = '.visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 o, .param .u32 w, .param .u32 h, ' \
               '.param .u32 pitch, .param .u32 m, .param .f32 k)\n{\n' % name
        declared = '    .reg .pred %p<99>; .reg .b32 %r<199>; .reg .f32 %f<299>; .reg .b64 %rd<19>;\n'
        params = ''.join('    ld.param.u64 %%rd%d, [%s];\n' % (number + 1, name) for number, name in enumerate('abo'))
        params += ''.join('    ld.param.u32 %%r%d, [%s];\n' % (number, name)
                          for number, name in zip((20, 21, 22, 23), ('w', 'h', 'pitch', 'm')))
        params += '    ld.param.f32 %f200, [k];\n'
        return head + declared + params + '\n'.join(self.lines) + '\nDONE:\n    ret;\n}\n'


def random_kernels(folder, seed):
    rng = random.Random(seed)
    kernels = [Kernel(rng) for _ in range(10)]
    (folder / 'p.ptx').write_text(HEAD + ''.join(kernel.text('k%d' % number) for number, kernel in enumerate(kernels)))
    buffers, launches = '', ''
    for number, kernel in enumerate(kernels):
        width, height = rng.randrange(3, 300), rng.randrange(1, 30) if kernel.rows else 1
        pitch = width + rng.randrange(6)
        count = (height + 1) * (pitch + 16)
        shape = ([(width + 31) // 32, (height + 3) // 4], [32, 4]) if kernel.rows else ([(width + 63) // 64], [64])
        for name in 'ab':
            buffers += '  %s%d: {type: f32, count: %d, fill: "range:-3:3:%d"}\n' % (name, number, count, seed % 99 + 1)
        buffers += '  o%d: {type: f32, count: %d, fill: zero}\n' % (number, count)
        launches += '  - {kernel: k%d, grid: %s, block: %s, args: [a%d, b%d, o%d, %d, %d, %d, %d, 1.5]}\n' % (
            number, shape[0], shape[1], number, number, number, width, height, pitch, rng.randrange(50))
    (folder / 'run.yaml').write_text('program: p.ptx\nbuffers:\n%slaunches:\n%s' % (buffers, launches))
    names = re.findall(r'^  (\w+):', buffers, re.M)
    expected, _ = execute(folder, 'run.yaml', names, '--functional')
    found, err = execute(folder, 'run.yaml', names, *AUTOMATIC)
    same_buffers(found, expected, 'seed %d' % seed)
    decisions = notes(err)
    same(len(decisions), 10)
    again, _ = execute(folder, 'run.yaml', names, *AUTOMATIC, '--shuffle=5')
    same_buffers(again, expected, 'seed %d, shuffled' % seed)
    return decisions


def random_case(folder, seeds):
    decisions = [one for seed in seeds for one in random_kernels(folder, seed)]
    maps = sum(ran for _, ran, _ in decisions)
    assert maps >= 0.5 * len(decisions), decisions


# Random loops

class Loop(Kernel):
    """Threads with a loop: values go from one iteration to the next, and are used behind the loop."""

    COUNT, SEEDS = 8, 3

    def address(self, pointer, per_thread, per_iteration):
        """A register with the address of a word: of the thread, of the iteration, or of both"""
        index, wide, at = self.new('r'), self.new('d'), self.new('d')
        self.emit('mul.lo.s32 %s, %%r40, %s', index, '%r22' if per_iteration and per_thread else str(int(per_iteration)))
        if per_thread:
            self.emit('add.s32 %s, %s, %%r4', index, index)
        self.emit('mul.wide.s32 %s, %s, 4', wide, index)
        self.emit('add.s64 %s, %s, %s', at, pointer, wide)
        return at

    def word(self, pointer, *place):
        value = self.new('f')
        self.emit('ld.global.f32 %s, [%s+%d]', value, self.address(pointer, *place), 4 * self.rng.randrange(4))
        return value

    def new(self, kind):
        self.count[kind] = self.count.get(kind, 300) + 1
        return '%%%s%d' % ({'d': 'rd'}.get(kind, kind), self.count[kind])

    def body(self):
        rng = self.rng
        self.rows = False
        self.index()
        self.ints = ['%r4']
        self.emit('mov.u32 %%r40, 0')
        self.floats = [self.word('%rd1', True, False) for _ in range(rng.randrange(3))]
        firsts = self.floats + ['0f%08X' % rng.choice([0, 0x3F800000, 0xC0490FDB]), '%f200']
        carried = ['%%f%d' % (250 + number) for number in range(rng.randrange(1, 4))]
        for value in carried:
            self.emit('mov.f32 %s, %s', value, rng.choice(firsts))
        integer = rng.random() < 0.4
        self.emit('mov.u32 %%r41, %s', rng.choice(['0', '7', '%r23', '%r4']))
        self.emit('setp.lt.s32 %%p50, %%r21, 1')
        self.emit('@%%p50 bra BEHIND')
        self.lines.append('LOOP:')
        outer = list(self.floats)
        self.floats += carried
        for _ in range(rng.randrange(1, 4)):
            self.floats.append(self.word(rng.choice(['%rd1', '%rd2']), *rng.choice([(True, True), (False, True), (True, False)])))
        for _ in range(rng.randrange(1, 5)):
            self.real()
        if integer:
            self.ints.append('%r40')
            self.emit('mad.lo.s32 %%r41, %%r41, %d, %s', rng.randrange(1, 4), rng.choice(['%r4', '%r40', '%r23']))
        for value in carried:
            self.emit('%s %s, %s, %s', rng.choice(['add.f32', 'max.f32', 'sub.f32']), value,
                      value if rng.random() < 0.8 else rng.choice(carried), self.floats[-1])
        if rng.random() < 0.3:
            self.emit('st.global.f32 [%s], %s', self.address('%rd8', True, True), rng.choice(carried))
        self.emit('add.s32 %%r40, %%r40, 1')
        self.emit('setp.%s.s32 %%p51, %%r40, %%r21', rng.choice(['lt', 'ne']))
        self.emit('@%%p51 bra LOOP')
        self.lines.append('BEHIND:')
        self.floats = carried + outer
        if rng.random() < 0.5:
            self.real()
        self.emit('st.global.f32 [%%rd12], %s', self.floats[-1] if rng.random() < 0.5 else carried[0])
        if integer:
            self.emit('mul.wide.s32 %%rd20, %%r22, 4')
            self.emit('add.s64 %%rd20, %%rd20, %%rd12')
            self.emit('st.global.u32 [%%rd20], %%r41')

    def text(self, name):
        text = super().text(name).replace('.param .f32 k)', '.param .f32 k, .param .u64 q)')
        text = text.replace('%rd<19>', '%rd<399>').replace('%r<199>', '%r<399>').replace('%f<299>', '%f<399>')
        text = text.replace('    ld.param.f32', '    ld.param.u64 %rd8, [q];\n    ld.param.f32', 1)
        for label in ('LOOP', 'BEHIND', 'DONE', 'OUTER', 'INNER', 'FIRST'):
            text = re.sub(r'\b%s\b' % label, '%s_%s' % (label, name), text)
        return re.sub(r'\bL(\d+)\b', r'L\1_%s' % name, text)


class Rows(Loop):
    """One thread with two loops: rows that take turns if none of them needs another one's words."""

    def index(self):
        self.across = self.rng.random() < 0.2  # rows are columns of the arrays
        self.emit('mov.u32 %%r4, 0')
        self.lines.append('ROW:')
        self.emit('mul.wide.s32 %%rd26, %%r4, 4')
        self.emit('mul.lo.s32 %%r9, %%r4, %%r24')
        self.emit('mul.wide.s32 %%rd9, %%r9, 4')
        self.emit('add.s64 %%rd12, %%rd3, %%rd9')

    def address(self, pointer, per_row, per_iteration):
        at = super().address(pointer, False, False)
        if per_row:
            self.emit('add.s64 %s, %s, %s', at, at, '%rd26' if self.across else '%rd9')
        if per_iteration:
            wide, index = self.new('d'), self.new('r')
            self.emit('mul.lo.s32 %s, %%r40, %s', index, '%r24' if self.across else '1')
            self.emit('mul.wide.s32 %s, %s, 4', wide, index)
            self.emit('add.s64 %s, %s, %s', at, at, wide)
        return at

    def body(self):
        rng = self.rng
        super().body()
        if rng.random() < 0.3:  # a row of q is changed in its place, or takes words of the row above
            at = self.lines.index('LOOP:') + 1
            own, self.lines = self.lines, []
            word, value, other = self.address('%rd8', True, True), self.new('f'), self.new('f')
            self.emit('ld.global.f32 %s, [%s+4]', value, word)
            self.emit('add.f32 %s, %s, 0f3F800000', other, value)
            if rng.random() < 0.3:
                self.emit('sub.s64 %s, %s, %%rd25', word, word)
            self.emit('st.global.f32 [%s+4], %s', word, other)
            self.lines = own[:at] + self.lines + own[at:]
        self.emit('add.s32 %%r4, %%r4, 1')
        self.emit('setp.lt.s32 %%p60, %%r4, %%r20')
        self.emit('@%%p60 bra ROW')

    def text(self, name):
        text = super().text(name)
        text = re.sub(r'\bROW\b', 'ROW_' + name, text)
        return text.replace('    mov.u32 %r4, 0;', '    add.s32 %r24, %r22, 32;\n    mul.wide.s32 %rd25, %r24, 4;\n'
                            '    add.s64 %rd8, %rd8, %rd25;\n    mov.u32 %r4, 0;', 1)


class Nest(Loop):
    """One thread with two loops: a word depends on those to the west, to the north and on the corner."""

    COUNT, SEEDS = 2, 1

    def body(self):
        rng = self.rng
        self.rows = False
        weights = [rng.randrange(1, 4) for _ in range(3)]
        self.lines = ['    ' + line for line in """mov.u32 %r40, 0;
add.s32 %r30, %r20, PAD;
OUTER:
mul.lo.s32 %r31, %r40, %r30;
mul.wide.s32 %rd10, %r31, 4;
add.s64 %rd11, %rd3, %rd10;
mul.wide.s32 %rd12, %r30, 4;
add.s64 %rd13, %rd11, %rd12;
mul.wide.s32 %rd14, %r40, 4;
add.s64 %rd15, %rd1, %rd14;
ld.global.u32 %r32, [%rd15];
FIRST
mov.u64 %rd16, %rd2;
mov.u32 %r41, 0;
INNER:
ld.global.u32 %r35, [%rd16];
ld.global.u32 %r36, [%rd11+4];
MIX
st.global.u32 [%rd13+4], %r34;
NORTH
add.s64 %rd11, %rd11, 4;
add.s64 %rd13, %rd13, 4;
add.s64 %rd16, %rd16, 4;
add.s32 %r41, %r41, 1;
setp.lt.s32 %p1, %r41, %r20;
@%p1 bra INNER;
add.s32 %r40, %r40, 1;
setp.ne.s32 %p2, %r40, %r21;
@%p2 bra OUTER;""".replace('PAD', str(rng.randrange(1, 5))).replace(
            'FIRST', rng.choice(['ld.global.u32 %r33, [%rd11];\nld.global.u32 %r34, [%rd13];',
                                 'mov.u32 %r33, 5;\nmov.u32 %r34, 0;'])).replace(
            'MIX', rng.choice(['', 'sub.s32 %r35, %r35, %r32;\n']) + rng.choice([
                'mad.lo.s32 %%r34, %%r34, %d, %%r35;\nmad.lo.s32 %%r34, %%r36, %d, %%r34;\nadd.s32 %%r34, %%r34, %%r33;',
                'max.s32 %%r34, %%r34, %%r35;\nadd.s32 %%r37, %%r36, %d;\nmin.s32 %%r34, %%r34, %%r37;\n'
                'mad.lo.s32 %%r34, %%r33, %d, %%r34;',
                'add.s32 %%r34, %%r34, %%r35;\nmad.lo.s32 %%r37, %%r36, %d, %%r33;\nsub.s32 %%r34, %%r34, %%r36;\n'
                'sub.s32 %%r37, %%r37, %%r34;\nadd.s32 %%r34, %%r37, %d;',
                'sub.s32 %%r38, %%r36, %d;\nsub.s32 %%r34, %%r34, %d;\nadd.s32 %%r39, %%r33, %%r35;\n'
                'max.s32 %%r39, %%r39, %%r38;\nmax.s32 %%r34, %%r39, %%r34;',
                'max.s32 %%r34, %%r34, %%r35;\nadd.s32 %%r37, %%r33, %d;\nmax.s32 %%r34, %%r34, %%r36;\n'
                'max.s32 %%r34, %%r37, %%r34;\nxor.b32 %%r34, %%r34, %d;']) % (weights[0], weights[1])).replace(
            'NORTH', 'mov.u32 %r33, %r36;').split('\n')]


class Second(Nest):
    """The same behind a loop, which stores the row above the first one, or something else."""

    FIRST = """mov.u32 %r50, 0;
mov.u32 %r51, %r23;
mov.u64 %rd30, TARGET;
mov.u64 %rd31, %rd1;
FIRST:
ld.global.u32 %r52, [%rd31];
COMPUTE
st.global.u32 [%rd30+4], %r51;
add.s64 %rd30, %rd30, 4;
add.s64 %rd31, %rd31, 4;
add.s32 %r50, %r50, 1;
setp.lt.s32 %p3, %r50, BOUND;
@%p3 bra FIRST;"""

    def body(self):
        rng = self.rng
        super().body()
        # Another array, or another number of words: the nest must not wait for them.
        target, bound = rng.choice([('%rd3', '%r20')] * 8 + [('%rd2', '%r20'), ('%rd8', '%r20'), ('%rd3', '3')])
        compute = rng.choice(['add.s32 %r51, %r51, %r52;', 'mov.u32 %r51, %r52;', 'sub.s32 %r51, %r51, 3;\n'
                              'max.s32 %r51, %r51, %r52;', 'add.s32 %r51, %r51, %r52;\nadd.s32 %r51, %r51, %r50;'])
        text = self.FIRST.replace('TARGET', target).replace('BOUND', bound).replace('COMPUTE', compute)
        self.lines = ['    ' + line for line in text.split('\n')] + self.lines


def random_loops(folder, seed, kind):
    rng = random.Random(seed)
    kernels = [kind(rng) for _ in range(kind.COUNT)]
    (folder / 'p.ptx').write_text(HEAD + ''.join(kernel.text('k%d' % number) for number, kernel in enumerate(kernels)))
    buffers, launches = '', ''
    for number in range(kind.COUNT):
        width, trip = rng.randrange(8, 200), rng.randrange(0 if kind is Loop else 1, 20)
        pitch = width + rng.randrange(6)
        width = rng.randrange(1, 60) if kind is Rows else width
        words = (trip + 2) * (pitch + 16) if kind is not Rows else (max(width, trip) + 3) * (pitch + 32)
        for name in 'ab':
            buffers += '  %s%d: {type: %s, count: %d, fill: "range:-3:3:%d"}\n' % (
                name, number, 'f32' if kind in (Loop, Rows) else 's32', words, seed % 99 + 1)
        for name in 'oq':
            buffers += '  %s%d: {type: %s, count: %d, fill: zero}\n' % (
                name, number, 'f32' if kind in (Loop, Rows) else 's32', words)
        shape = (1, 1) if kind is not Loop else ((width + 63) // 64, 64)
        launches += '  - {kernel: k%d, grid: %d, block: %d, args: [a%d, b%d, o%d, %d, %d, %d, %d, 1.5, q%d]}\n' % (
            number, *shape, number, number, number, width, trip, pitch, rng.randrange(50), number)
    (folder / 'run.yaml').write_text('program: p.ptx\nbuffers:\n%slaunches:\n%s' % (buffers, launches))
    names = re.findall(r'^  (\w+):', buffers, re.M)
    expected, _ = execute(folder, 'run.yaml', names, '--functional')
    lines = '--set=spatial.store_lines=%d' % rng.choice([1, 3, 8, 16])
    found, err = execute(folder, 'run.yaml', names, *AUTOMATIC)
    same_buffers(found, expected, 'seed %d' % seed)
    again, _ = execute(folder, 'run.yaml', names, *AUTOMATIC, '--shuffle=5', lines)
    same_buffers(again, expected, 'seed %d, shuffled' % seed)
    return notes(err)


DECISIONS = {}  # by the name of the kind


def random_loop_case(folder, seeds, kind):
    for seed in seeds:
        DECISIONS.setdefault(kind.__name__, []).extend(random_loops(folder, seed, kind))


def enough_maps(folder):
    for name, decisions in DECISIONS.items():
        maps = sum(ran for _, ran, _ in decisions)
        assert maps >= 0.4 * len(decisions), (name, decisions)


for kind in (Loop, Rows, Nest, Second):
    for first in range(0, RANDOM // 10, 3):
        add_case('random kernels: %s, seeds %d to %d' % (kind.__name__.lower(), first, first + kind.SEEDS - 1),
                 random_loop_case, range(first, first + kind.SEEDS), kind)

add_case('random kernels: four of ten have maps', enough_maps)

for first in range(0, RANDOM // 10, 3):
    add_case('random kernels %d to %d' % (10 * first, 10 * min(first + 3, RANDOM // 10) - 1), random_case,
             range(first, min(first + 3, RANDOM // 10)))

main()
