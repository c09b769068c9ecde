#!/usr/bin/env python3
"""Scopes, calls and interleaved chains: under every policy a program leaves in memory what it leaves
without a clock.

usage: scopes.py BUILD-ROOT
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import add_case, ends, main, run, same

PTXOFFLOAD, SIM = (os.path.join(sys.argv[1], 'cli', name) for name in ('ptxoffload', 'ptxoffload-sim'))
POLICIES = [(config, policy) for config in ('isca19', 'tom', 'isca19-stacks')
            for policy in policies_of(SIM, config, baseline=False)]
LAUNCH = ['--kernel=k', '--grid=8', '--block=128', '--arg=buf:u32:8192:iota', '--arg=buf:u32:8192:iota', '--arg=u32:3']

HEAD = '''.version 7.0
.target sm_80
.address_size 64
%s
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
    .reg .b64 %%a, %%b, %%o;
    .reg .b32 %%i<6>, %%t, %%n;
    .reg .pred %%p<3>;
    ld.param.u64 %%a, [a];
    ld.param.u64 %%b, [b];
    mov.u32 %%t, %%ctaid.x;
    mov.u32 %%n, %%tid.x;
    mad.lo.u32 %%t, %%t, 128, %%n;
    ld.param.u32 %%n, [n];
    mul.wide.u32 %%o, %%t, 4;
    add.u64 %%a, %%a, %%o;
    add.u64 %%b, %%b, %%o;
    mov.u32 %%i1, 5;
'''
FUNCTIONS = '''.func (.param .b32 r) twice(.param .b32 x)
{
    .reg .b32 %a;
    ld.param.b32 %a, [x];
    add.u32 %a, %a, %a;
    st.param.b32 [r], %a;
    ret;
}
.func (.reg .b32 %r) sum(.reg .b64 %p)
{
    .reg .b32 %a, %b;
    ld.global.u32 %a, [%p];
    ld.global.u32 %b, [%p+4096];
    add.u32 %r, %a, %b;
    ret;
}
.func (.param .b32 r) deep(.param .b32 x)
{
    .reg .b32 %a;
    ld.param.b32 %a, [x];
    {
        .param .b32 u;
        .param .b32 v;
        st.param.b32 [u], %a;
        call.uni (v), twice, (u);
        ld.param.b32 %a, [v];
    }
    add.u32 %a, %a, 1;
    st.param.b32 [r], %a;
    ret;
}
'''
LOADS = 'ld.global.u32 %i2, [%a]; ld.global.u32 %i3, [%a+4096]; ld.global.u32 %i4, [%a+8192];\n'
STORES = 'st.global.u32 [%b], %i0; st.global.u32 [%b+4096], %i1;\n'
# What writes %i0 with a shadow of %i0 around.
INNER = 'ld.global.u32 %i0, [%a]; add.u32 %i0, %i0, %t; st.global.u32 [%b+12288], %i0;\n'
PROGRAMS = {
    'an inner register shadows a live-out':
        'mov.u32 %i0, 1; bar.sync 0;\n' + LOADS + '{ .reg .b32 %i0; ' + INNER + '}\n'
        'add.u32 %i0, %i2, %i3; bar.sync 0;\n' + STORES,
    'an inner family shadows a live-out':
        'mov.u32 %i0, 1; bar.sync 0;\n' + LOADS + '{ .reg .b32 %i<6>; ' + INNER + '}\n'
        'add.u32 %i0, %i2, %i3; bar.sync 0;\n' + STORES,
    'inner registers of another size':
        'mov.u32 %i0, 1; bar.sync 0;\n' + LOADS + '{ .reg .b64 %i0; mul.wide.u32 %i0, %i3, %i2; st.global.u32 [%b+12288], %t; cvt.u32.u64 %i4, %i0; }\n'
        '{ .reg .pred %i0; setp.lt.u32 %i0, %i2, 7; @%i0 st.global.u32 [%b+8192], %i4; }\n'
        'add.u32 %i0, %i2, %i3; bar.sync 0;\n' + STORES,
    'three scopes in each other, and two beside each other':
        'mov.u32 %i0, 1; bar.sync 0;\n' + LOADS + '{ .reg .b32 %i0; ' + INNER + '{ .reg .b32 %i0; ' + INNER +
        '{ .reg .b32 %i0; ' + INNER + '} add.u32 %i0, %i0, 3; st.global.u32 [%b+16384], %i0; }\n'
        'add.u32 %i0, %i0, 5; st.global.u32 [%b+20480], %i0; }\n{ .reg .b32 %i0; ' + INNER + '}\n'
        'add.u32 %i0, %i2, %i3; bar.sync 0;\n' + STORES,
    'an inner register is live across blocks of its scope':
        'mov.u32 %i0, 1;\n{ .reg .b32 %i0; bar.sync 0;\n' + LOADS + 'add.u32 %i0, %i2, %i3;\n'
        'add.u32 %i1, %i3, %i4; bar.sync 0;\n' + STORES + '}\nst.global.u32 [%b+8192], %i0;\n',
    'a loop counts with a shadowed register':
        'mov.u32 %i0, 2; mov.u32 %i5, 0;\n{ .reg .b32 %i0, %n; mov.u32 %n, %i1; mov.u32 %i0, 0;\nLOOP:\n' + LOADS +
        'add.u32 %i5, %i5, %i2; add.u32 %i5, %i5, %i3; xor.b32 %i5, %i5, %i4; st.global.u32 [%b+12288], %i5;\n'
        'add.u64 %a, %a, 4; add.u32 %i0, %i0, 1; setp.lt.u32 %p1, %i0, %n; @%p1 bra LOOP;\n}\n'
        'add.u32 %i0, %i0, %n;\n' + STORES,
    'a loop has bounds of two registers with one name':
        'mov.u32 %i0, 9; mov.u32 %i5, 0;\n{ .reg .b32 %m; mov.u32 %m, %i0; sub.u32 %i0, %i0, %n;\n'
        '{ .reg .b32 %i0; add.u32 %i0, %m, 4; mov.u32 %i1, %n;\nLOOP:\n' + LOADS +
        'add.u32 %i5, %i5, %i2; add.u32 %i5, %i5, %i3; st.global.u32 [%b+12288], %i5; add.u64 %a, %a, 4;\n'
        'add.u32 %i1, %i1, 1; setp.lt.u32 %p1, %i1, %i0; @%p1 bra LOOP;\n}\n}\n' + STORES,
    'a call has its arguments and results in parameter space':
        LOADS + '{ .param .b32 x; .param .b32 r; st.param.b32 [x], %i2; call.uni (r), twice, (x); ld.param.b32 %i0, [r]; }\n'
        + STORES,
    'two calls in each other, and one beside them':
        LOADS + '{ .param .b32 x; .param .b32 r; st.param.b32 [x], %i2; call.uni (r), deep, (x); ld.param.b32 %i0, [r]; }\n'
        '{ .param .b32 x; .param .b32 r; st.param.b32 [x], %i3; call.uni (r), twice, (x); ld.param.b32 %i1, [r]; }\n'
        'call.uni (%i4), sum, (%a); st.global.u32 [%b+8192], %i4;\n' + STORES,
    'a parameter scope has several basic blocks':
        '{ .param .b32 x; .param .b32 r;\n' + LOADS + 'st.param.b32 [x], %i2; st.global.u32 [%b+12288], %i3;\n'
        'setp.lt.u32 %p1, %t, 100; @%p1 bra OVER;\n' + LOADS +
        'add.u32 %i2, %i2, %i3; st.param.b32 [x], %i2; st.global.u32 [%b+12288], %i4;\nOVER: bar.sync 0;\n'
        'call.uni (r), twice, (x);\n' + LOADS + 'ld.param.b32 %i0, [r]; st.global.u32 [%b+8192], %i3; }\n' + STORES,
    'a store of one chain follows the comparison of another':
        'ld.global.u32 %i2, [%a];\nNEXT:\nld.global.u32 %i3, [%b+4096];\nsetp.eq.s32 %p1, %i2, 7;\n'
        'st.global.u32 [%a], %i3;\n@%p1 st.global.u32 [%b], 1;\n',
    'stores of several chains follow comparisons of several others':
        'ld.global.u32 %i2, [%a]; ld.global.u32 %i4, [%a+4096];\nNEXT:\n'
        'ld.global.u32 %i3, [%b+4096]; ld.global.u32 %i5, [%b+8192];\nsetp.lt.u32 %p0, %i2, 7;\n'
        'add.u32 %i3, %i3, 1; setp.eq.s32 %p1, %i4, 99;\nst.global.u32 [%a], %i3; add.u32 %i5, %i5, 3;\n'
        'st.global.u32 [%a+4096], %i5;\n@%p1 st.global.u32 [%b], 1;\n@%p0 st.global.u32 [%b], 2;\n',
    'a store of a chain precedes the load of a comparison':
        'ld.global.u32 %i3, [%b+4096];\nadd.u32 %i3, %i3, 1;\nst.global.u32 [%a], %i3;\n'
        'ld.global.u32 %i2, [%a];\nNEXT:\nsetp.lt.u32 %p1, %i2, 7;\n@%p1 st.global.u32 [%b], 1;\n',
}


def execute(folder, name, *options):
    """The contents of both buffers."""
    saved = [folder / ('%s%d.npy' % (name, i)) for i in (0, 1)]
    save = ['--save=%d=%s' % (i, path) for i, path in enumerate(saved)]
    ends(run([SIM, 'tagged.ptx', *LAUNCH, *save, *options], folder), 0)
    return [path.read_bytes() for path in saved]


def program(folder, body):
    (folder / 'k.ptx').write_text(HEAD % FUNCTIONS + body + 'ret;\n}\n')
    for options in ([], ['--no-reorder'], ['--cost=tom'], ['--tags=full', '--fma=split']):
        ends(run([PTXOFFLOAD, 'k.ptx', '-o', 'tagged.ptx', *options], folder), 0, '')
        expected = execute(folder, 'plain', '--functional')
        for config, policy in POLICIES:
            same(execute(folder, 'timed', '--config=' + config, '--policy=' + policy), expected)


for program_name, text in PROGRAMS.items():
    add_case(program_name, program, text)
main()
