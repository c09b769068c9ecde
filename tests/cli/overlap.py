#!/usr/bin/env python3
"""ptxoffload --overlap= which copies of a kernel's arrays may overlap it.

usage: overlap.py BUILD-ROOT
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'

HEAD = '''.version 7.0
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
.reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .pred %p<4>;
ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r9, [n];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mov.u32 %r4, %nctaid.x;
mad.lo.s32 %r5, %r1, %r2, %r3;
'''
FIRST = 'mul.wide.s32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n'
MAY_START, MAY_FINISH = 'copy to the device may overlap: ', 'copy to the host may overlap: '
MUST_END = 'copy to the device must end before the kernel starts: the kernel writes words that it has not'
MUST = 'copy to the host must wait for the kernel\'s end: '
IN_ORDER = 'the kernel reads it in the order'
WRITES = 'the kernel writes it in the order'
LATE = 'each CTA needs words that a copy delivers late'
DATA = 'the order of its reads depends on data'

# Name: body, what is said of `a` and of `b`, in the order of printing.
BODIES = {
    'an element for each thread':
        (FIRST + 'ld.global.f32 %r6, [%rd4]; st.global.f32 [%rd5], %r6; ret;\n',
         [MAY_START + IN_ORDER], [MAY_FINISH + WRITES]),
    'a bound of the index':
        ('setp.ge.s32 %p1, %r5, %r9; @%p1 ret;\n' + FIRST +
         'ld.global.f32 %r6, [%rd4]; st.global.f32 [%rd5], %r6; ret;\n',
         [MAY_START + IN_ORDER], [MAY_FINISH + WRITES]),
    'all CTAs step together':
        ('mul.lo.s32 %r7, %r2, %r4; A:\n' + FIRST +
         'ld.global.f32 %r6, [%rd4]; st.global.f32 [%rd5], %r6; add.s32 %r5, %r5, %r7;\n'
         'setp.lt.s32 %p1, %r5, %r9; @%p1 bra A; ret;\n',
         [MAY_START + IN_ORDER], [MAY_FINISH + WRITES]),
    'each CTA reads all':
        (FIRST + 'mov.u32 %r7, 0; mov.u32 %r8, 0; A:\nmul.wide.s32 %rd6, %r7, 4;\n'
         'add.s64 %rd6, %rd1, %rd6; ld.global.u32 %r6, [%rd6]; add.s32 %r8, %r8, %r6;\n'
         'add.s32 %r7, %r7, 1; setp.lt.s32 %p1, %r7, %r9; @%p1 bra A;\n'
         'st.global.u32 [%rd5], %r8; ret;\n',
         [MAY_START + LATE], [MAY_FINISH + WRITES]),
    'from the end':
        ('sub.s32 %r5, 65535, %r5;\n' + FIRST + 'ld.global.f32 %r6, [%rd4]; st.global.f32 [%rd5], %r6; ret;\n',
         [MAY_START + LATE], [MAY_FINISH + 'each CTA writes words that a copy takes late']),
    'a gather':
        (FIRST + 'ld.global.u32 %r6, [%rd5]; mul.wide.s32 %rd6, %r6, 4; add.s64 %rd6, %rd1, %rd6;\n'
         'ld.global.u32 %r7, [%rd6]; st.global.u32 [%rd5], %r7; ret;\n',
         [MAY_START + DATA],
         [MAY_START + IN_ORDER, MUST + 'the kernel reads it, too']),
    'in place':
        (FIRST + 'ld.global.u32 %r6, [%rd5]; st.global.u32 [%rd5], %r6; ret;\n',
         [], [MAY_START + IN_ORDER, MUST + 'the kernel reads it, too']),
    'one element further':
        (FIRST + 'ld.global.u32 %r6, [%rd5]; st.global.u32 [%rd5+4], %r6; ret;\n',
         [], [MUST_END, MUST + 'the kernel reads it, too']),
    'in place, but the load by a condition':
        (FIRST + 'setp.ge.s32 %p1, %r5, %r9; @%p1 ld.global.u32 %r6, [%rd5]; st.global.u32 [%rd5], %r6; ret;\n',
         [], [MUST_END, MUST + 'the kernel reads it, too']),
    'written before it is read':
        (FIRST + 'st.global.u32 [%rd5], %r5; ld.global.u32 %r6, [%rd5]; ret;\n',
         [], [MUST_END, MUST + 'the kernel reads it, too']),
    'atomics':
        (FIRST + 'ld.global.u32 %r6, [%rd4]; red.global.add.u32 [%rd2], %r6; ret;\n',
         [MAY_START + IN_ORDER], [MAY_START, MUST + 'its words are final only when']),
    'a store by data':
        (FIRST + 'ld.global.u32 %r6, [%rd4]; setp.eq.s32 %p1, %r6, 0; @%p1 bra B;\n'
         'st.global.u32 [%rd5], %r6; B: ret;\n',
         [MAY_START + IN_ORDER], [MUST + 'a store depends on data']),
    'a guard by data':
        (FIRST + 'ld.global.u32 %r6, [%rd4]; setp.eq.s32 %p1, %r6, 0; @%p1 st.global.u32 [%rd5], %r6; ret;\n',
         [MAY_START + IN_ORDER], [MUST + 'a store depends on data']),
}


def advise(folder, path, *arguments, code=0):
    return ends(run([PROGRAM, path, '--overlap', *arguments], folder), code)


def advice_of(text, parameter):
    part = re.search(r'^  parameter \d+, %s\n((?:    .*\n)*)' % parameter, text, re.M)
    return [line.strip() for line in part.group(1).splitlines()] if part else []


def check_body(folder, body, *expected):
    (folder / 'k.ptx').write_text(HEAD + body + '}\n')
    text = advise(folder, 'k.ptx').out.decode()
    for parameter, lines in zip('ab', expected):
        found = advice_of(text, parameter)
        assert len(found) == len(lines), text
        for got, wanted in zip(found, lines):
            assert got.startswith(wanted), (parameter, got, wanted)


for title, (code, *said) in BODIES.items():
    add_case(title, check_body, code, *said)


@case
def patterns(folder):
    """the pattern and the predicted gain of samples"""
    for name, expected in (('vecadd', 'full overlap; predicted gain over copies and kernel in one '
                                      'stream: 9 us of the driver'),
                           ('bfs', 'overlap-start; predicted gain over copies and kernel in one '
                                   'stream: 3 us of the driver')):
        within('pattern: ' + expected,
               advise(folder, SAMPLES / name / (name + '.ptx')).out.decode())


@case
def earlier_spellings(folder):
    """options of earlier versions of the simulator name those that replace them"""
    simulator = PROGRAM.parent / 'ptxoffload-sim'
    for option, replacement in (('--overlap=advise', 'use --overlap or --overlap=FILE'),
                                ('--overlap=advise:f', 'use --overlap or --overlap=FILE'),
                                ('--overlap=', "needs an argument after '='"),
                                ('--registers=8', '--set=core.thread_registers=N sets a number')):
        within(replacement, ends(run([simulator, SAMPLES / 'vecadd/run.yaml', option], folder), 2, out='').err.decode())
    same(list(folder.iterdir()), [])


@case
def all_samples(folder):
    """each sample gets advice for each of its kernels, and nothing is written"""
    for path in sorted(SAMPLES.glob('*/*.ptx')):
        text = advise(folder, path).out.decode()
        kernels = re.findall(r'\.entry\s+(\w+)', path.read_text())
        same(re.findall(r'^kernel (\w+)$', text, re.M), kernels)
    same(list(folder.iterdir()), [])


@case
def combinations(folder):
    """--overlap excludes outputs and other modes"""
    path = SAMPLES / 'vecadd' / 'vecadd.ptx'
    for more in (['-o', 'x.ptx'], ['--check'], ['--list'], ['--report=text']):
        within('--overlap', advise(folder, path, *more, code=2).err.decode())
    within('takes no argument', ends(run([PROGRAM, path, '--overlap=never'], folder), 2).err.decode())


@case
def bad_input(folder):
    """a program with errors gets no advice"""
    (folder / 'k.ptx').write_text(HEAD + 'add.s32 %r1, %r2, %undeclared; ret;\n}\n')
    same(advise(folder, 'k.ptx', code=1).out, b'')


main()
