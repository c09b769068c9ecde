#!/usr/bin/env python3
"""ptxoffload-sim: what kernels print.

usage: prints.py BUILD-ROOT
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from simulated import PROGRAM, sim
from tap import add_case, case, ends, environment, main, same

PRINTS = b'''.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[9] = {116, 105, 100, 32, 37, 100, 33, 10, 0};
.visible .entry prints()
{
    .local .align 8 .b8 arguments[8];
    .reg .b32 %r<3>;
    .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x;
    st.local.u32 [arguments], %r1;
    mov.u64 %rd1, text;
    cvta.global.u64 %rd2, %rd1;
    mov.u64 %rd3, arguments;
    cvta.local.u64 %rd3, %rd3;
    {
    .param .b64 a;
    .param .b64 b;
    .param .b32 r;
    st.param.b64 [a], %rd2;
    st.param.b64 [b], %rd3;
    call.uni (r), vprintf, (a, b);
    }
    ret;
}
'''


# Name, format, what is put at which place behind the arguments' begin, what is printed.
FORMATS = [
    ('lengths', '%hd %hhx %u %ld %llx', {0: 'u32 0x18001', 4: 'u32 0x1ff', 8: 'u32 -1',
                                         16: 'u64 -5', 24: 'u64 0xfedcba9876543210'},
     '-32767 ff 4294967295 -5 fedcba9876543210'),
    ('flags', '[%-5d|%05u|%+d|%#x|% d|%3c]', {0: 'u32 42', 4: 'u32 42', 8: 'u32 7', 12: 'u32 255',
                                              16: 'u32 3', 20: 'u32 65'},
     '[42   |00042|+7|0xff| 3|  A]'),
    ('real numbers', '%5.2f %e %g %a', {0: 'f64 0d400921FB54442D18', 8: 'f64 0d3FF0000000000000',
                                        16: 'f64 0d3FE0000000000000', 24: 'f64 0d4000000000000000'},
     ' 3.14 1.000000e+00 0.5 0x1p+1'),
    ('widths that are arguments', '[%*d|%-*d|%.*f]', {0: 'u32 5', 4: 'u32 42', 8: 'u32 4',
                                                     12: 'u32 7', 16: 'u32 2',
                                                     24: 'f64 0d400921FB54442D18'},
     '[   42|7   |3.14]'),
    ('no conversions', '100%% %k', {}, '100% %k'),
    ('a string that is null', '%s|%.3s', {0: 'u64 0', 8: 'u64 0'}, '(null)|(nu'),
]


def formats(folder, form, values, text):
    form += '\n'
    stores = ['st.local.%s [arguments+%d], %s;' % (value.split()[0], place, value.split()[1])
              for place, value in values.items()]
    program = PRINTS.decode().replace('text[9]', 'text[%d]' % (len(form) + 1))
    program = re.sub('= {.*?}', '= {%s, 0}' % ', '.join(str(ord(c)) for c in form), program)
    program = program.replace('arguments[8]', 'arguments[64]')
    program = program.replace('st.local.u32 [arguments], %r1;', '\n    '.join(stores))
    (folder / 'prints.ptx').write_text(program)
    ends(sim(folder, 'prints.ptx', '--grid', '1', '--block', '1', '--json=counts.json'), 0, '', text + '\n')


for name, *rest in FORMATS:
    add_case('printf: ' + name, formats, *rest)


@case
def printing(folder):
    """what kernels print goes to standard output"""
    (folder / 'prints.ptx').write_bytes(PRINTS)
    ends(sim(folder, 'prints.ptx', '--grid', '1', '--block', '3', '--json=counts.json'), 0, '',
         'tid 0!\ntid 1!\ntid 2!\n')


@case
def prints_nowhere(folder):
    """what is printed and cannot be written is told"""
    (folder / 'prints.ptx').write_bytes(PRINTS)
    with open('/dev/full', 'wb') as full:
        result = subprocess.run([PROGRAM, '--functional', 'prints.ptx', '--grid', '1', '--block',
                                 '3', '--json=out.json'], cwd=folder, stdout=full,
                                stderr=subprocess.PIPE, env=environment())
    same((result.returncode, result.stderr), (1, b'ptxoffload-sim: error: cannot write standard '
                                              b'output: output of the kernels is lost\n'))
    same(json.loads((folder / 'out.json').read_text())['exit_code'], 1)


main()
