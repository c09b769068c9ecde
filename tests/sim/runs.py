#!/usr/bin/env python3
"""ptxoffload-sim: what it reads, writes and says.

usage: runs.py BUILD-ROOT [--update]

--update writes the tables of keys in docs/simulator.md instead of comparing them.
"""
import hashlib
import json
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (add_case, case, cpu_seconds, ends, environment, fresh_document, main, run, same,
                 wait_for, within)

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES, STORE = ROOT / 'samples', ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'
DOCUMENT = ROOT / 'docs' / 'simulator.md'

# Counts down from its parameter, so that a run can be made as long as is wanted.
SLOW = b'''.version 7.0
.target sm_70
.address_size 64
.visible .entry slow(.param .u64 slow_param_0)
{
    .reg .b64 %rd<2>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [slow_param_0];
again:
    sub.s64 %rd1, %rd1, 1;
    setp.ne.s64 %p1, %rd1, 0;
    @%p1 bra again;
    ret;
}
'''


def sim(folder, *arguments, **settings):
    return run([PROGRAM, '--functional', *arguments], folder, **settings)


def npy(path):
    """(type, shape, values) of a file that the simulator wrote; read without its code"""
    data = path.read_bytes()
    same(data[:8], b'\x93NUMPY\x01\x00')
    length = struct.unpack('<H', data[8:10])[0]
    header = eval(data[10:10 + length], {'__builtins__': {}})  # a Python dictionary, by its definition
    same(header['fortran_order'], False)
    letter = {'<f4': 'f', '<i4': 'i', '<u4': 'I', '|u1': 'B', '<f8': 'd', '<u2': 'H'}[header['descr']]
    return header['descr'], header['shape'], [value for value, in
                                              struct.iter_unpack('<' + letter, data[10 + length:])]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_run(folder, text, name='run.yaml'):
    (folder / 'store.ptx').write_bytes(STORE.read_bytes())
    (folder / name).write_text('program: store.ptx\n' + text)


def splitmix(seed):
    while True:
        seed = (seed + 0x9e3779b97f4a7c15) % 2**64
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        yield z ^ z >> 31


@case
def command_line(folder):
    """one launch: buffers, arguments, results; silent in a pipe"""
    ends(sim(folder, SAMPLES / 'vecadd/vecadd.ptx', '--kernel', 'vecadd', '--grid', '2', '--block',
             '64', '--arg', 'buf:f32:100:uniform', '--arg', 'buf:f32:100:uniform:9', '--arg',
             'buf:f32:100:zero', '--arg', 'u32:100', '--save', '0=a.npy', '--save', '2=c.npy'),
         0, err='', out='')
    a, b = splitmix(1), splitmix(9)
    first = [(next(a) >> 40) / 2**24 for _ in range(100)]
    second = [(next(b) >> 40) / 2**24 for _ in range(100)]
    same(npy(folder / 'a.npy'), ('<f4', (100,), first))
    sums = [struct.unpack('f', struct.pack('f', x + y))[0] for x, y in zip(first, second)]
    same(npy(folder / 'c.npy')[2], sums)
    same(names(folder), ['a.npy', 'c.npy'])


@case
def summary(folder):
    """--json has the counts, the digests and null for what needs cycles"""
    write_run(folder, 'buffers: {out: {type: u32, count: 64}}\n'
              'launches:\n- repeat:\n    times: 3\n    launches:\n'
              '    - {kernel: store, grid: 2, block: 32, args: [out]}\n'
              'expect: [{buffer: out, fill: iota}, {buffer: out, fill: zero}]\n')
    ends(sim(folder, 'run.yaml', '--json=out.json'), 3)
    found = json.loads((folder / 'out.json').read_text())
    kernel, = found['kernels']
    same((kernel['name'], kernel['launches'], kernel['warp_instructions'],
          kernel['thread_instructions']), ('store', 3, 3 * 2 * 9, 3 * 64 * 9))
    for counts in (kernel, found['total']):
        for key in ('cycles', 'ipc'):
            same(counts[key], None)
        for key in ('offload', 'noc', 'memory'):
            assert counts[key] and all(value is None for value in counts[key].values())
    same(found['total']['thread_instructions'], kernel['thread_instructions'])
    same((found['checks'], found['exit_code'], found['outcome'], found['fault'], found['mode']),
         ({'passed': 1, 'failed': 1, 'reports': None}, 3, 'check failed', None, 'functional'))
    same(found['program']['sha256'], subprocess.run(
        ['sha256sum', 'store.ptx'], cwd=folder, stdout=subprocess.PIPE).stdout[:64].decode())
    host = found['host']
    assert 0 < host['kernel_cpu_seconds'] < host['cpu_seconds'] < 60
    assert 1 << 20 < host['peak_rss_bytes'] < 64 << 20, host


@case
def fault_summary(folder):
    """a fault is in the summary, with its place; nothing is saved"""
    ends(sim(folder, STORE, '--grid', '2', '--block', '32', '--arg', 'buf:u32:40:zero', '--save',
             '0=x.npy', '--json=out.json'), 5)
    found = json.loads((folder / 'out.json').read_text())
    fault = found['fault']
    line = STORE.read_text().splitlines()[fault['line'] - 1]
    same(line[fault['column'] - 1:], 'st.global.u32 [%rd3], %r4;')
    same((fault['kernel'], fault['launch'], fault['cta'], fault['thread']),
         ('store', 1, [1, 0, 0], [8, 0, 0]))
    same(fault['nearest'], "at the end of 'arg0' (160 bytes)")
    same(names(folder), ['out.json'])


@case
def cooperative(folder):
    """a cooperative launch: too large a grid, and what is no flag, are refused"""
    text = ('buffers: {out: {type: u32, count: 64}}\n'
            'launches: [{kernel: store, grid: %d, block: 1024, args: [out], cooperative: %s}]\n')
    for grid, flag, code, err in ((321, 'true', 1, 'run.yaml:3:12: error: the 321 CTAs of a '
                                   'cooperative launch must be there at once, and a GPU of 160 '
                                   'multiprocessors has room for 320 of them [run-file]'),
                                  (321, 'false', 5, "at the end of 'out'"),
                                  (320, 'true', 5, "at the end of 'out'"),
                                  (1, 'yes', 1, "run.yaml:3:76: error: this is 'true' or 'false'")):
        write_run(folder, text % (grid, flag))
        within(err, ends(sim(folder, 'run.yaml'), code).err.decode())
    within('it does not go with --cooperative',
           ends(sim(folder, 'run.yaml', '--cooperative'), 2).err.decode())
    ends(sim(folder, STORE, '--cooperative', '--grid', '2', '--block', '32', '--arg',
             'buf:u32:64:zero'), 0, err='', out='')


@case
def folders(folder):
    """files to read count from the run file's folder, files to write from the current one"""
    (folder / 'sub').mkdir()
    (folder / 'here').mkdir()
    write_run(folder / 'sub', 'buffers: {out: {type: u32, count: 64, save: out.npy}}\n'
              'launches: [{kernel: store, grid: 2, block: 32, args: [out]}]\n')
    ends(sim(folder / 'here', '../sub/run.yaml'), 0, err='', out='')
    same(npy(folder / 'here' / 'out.npy')[2], list(range(64)))
    os.rename(folder / 'here' / 'out.npy', folder / 'sub' / 'expected.npy')
    with open(folder / 'sub' / 'run.yaml', 'a') as file:
        file.write('expect: [{buffer: out, file: expected.npy}]\n')
    ends(sim(folder / 'here', '../sub/run.yaml', '--save', 'out=other.npy', '--json=-'), 0)
    same(names(folder / 'here'), ['other.npy'])


@case
def shapes(folder):
    """a .npy file gives type, number and shape, and gets them back"""
    header = b"{'descr': '<u4', 'fortran_order': False, 'shape': (4, 16), }\n"
    (folder / 'in.npy').write_bytes(b'\x93NUMPY\x02\x00' + struct.pack('<I', len(header)) + header +
                                    bytes(256))
    write_run(folder, 'buffers: {out: {fill: in.npy, save: out.npy}}\n'
              'launches: [{kernel: store, grid: 2, block: 32, args: [out]}]\n')
    result = sim(folder, 'run.yaml', '--json=-')
    ends(result, 0, err='')
    same(npy(folder / 'out.npy'), ('<u4', (4, 16), list(range(64))))
    file, = json.loads(result.out)['inputs']
    same(file['file'], 'in.npy')
    (folder / 'in.npy').write_bytes(b'\x93NUMPY\x02\x00' + struct.pack('<I', len(header)) + header +
                                    bytes(255))
    result = ends(sim(folder, 'run.yaml'), 1)
    within(b"run.yaml:2:23: error: 'in.npy': byte 73: the header promises 64 values of 4 bytes, and "
           b'255 bytes follow [run-file]', result.err)


CLUSTERED = """.version 7.8
.target sm_90
.address_size 64
.entry ranks(.param .u64 out)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %ctaid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    mov.u32 %r2, %cluster_ctarank;
    mov.u32 %r3, %cluster_nctarank;
    mad.lo.u32 %r2, %r2, 10, %r3;
    st.global.u32 [%rd3], %r2;
    ret;
}
"""


@case
def clusters(folder):
    """the cluster is that of the kernel, or of the launch"""
    own = CLUSTERED.replace('.explicitcluster\n.reqnctapercluster 2, 1, 1\n', '')
    for text, more, expected in ((CLUSTERED, (), [2, 12, 2, 12]), (own, (), [1, 1, 1, 1]),
                                 (own, ('--cluster', '4'), [4, 14, 24, 34]),
                                 (CLUSTERED, ('--cluster', '2'), [2, 12, 2, 12])):
        (folder / 'ranks.ptx').write_text(text)
        ends(sim(folder, 'ranks.ptx', '--grid', '4', '--block', '1', '--arg', 'buf:u32:4:zero',
                 '--save', '0=out.npy', *more), 0, err='')
        same(npy(folder / 'out.npy'), ('<u4', (4,), expected))
    result = ends(sim(folder, 'ranks.ptx', '--grid', '4', '--block', '1', '--arg', 'buf:u32:4:zero',
                      '--cluster', '4'), 1)
    within(b'the kernel has clusters of 2 x 1 x 1 CTAs', result.err)
    result = ends(sim(folder, 'ranks.ptx', '--grid', '3', '--block', '1', '--arg', 'buf:u32:4:zero'), 1)
    within(b'the grid is no multiple of the cluster', result.err)


@case
def settings(folder):
    """--set gives a value of the run file another value, from which others are computed"""
    write_run(folder, 'values: {n: 32, ctas: n / 32}\nbuffers: {out: {type: u32, count: n}}\n'
              'launches: [{kernel: store, grid: ctas, block: 32, args: [out]}]\n')
    ends(sim(folder, 'run.yaml', '--save', 'out=a.npy'), 0)
    same(npy(folder / 'a.npy')[1], (32,))
    ends(sim(folder, 'run.yaml', '--set', 'values.n=3 * 32', '--save', 'out=a.npy'), 0)
    same(npy(folder / 'a.npy')[2], list(range(96)))
    write_run(folder, 'values: {number: 32, ctas: number / 32}\n'
              'buffers: {out: {type: u32, count: number, fill: "= number + i"}}\n'
              'launches: [{kernel: store, grid: ctas, block: number, args: [out]}]\n')
    for setting, text in (
            ('m=1', "--set:1:8: error: there is no value 'm' to be set [run-file]\n"),
            ('nubmer=1', "--set:1:8: error: there is no value 'nubmer' to be set; did you mean 'number'?"),
            ('number=abc', "--set:1:15: error: there is no 'abc' [run-file]\n"),
            ('number=3 +', '--set:1:18: error: '), ('number=1 / 0', '--set:1:15: error: '),
            ('number=ctas', "--set:1:15: error: there is no 'ctas' [run-file]\n")):
        err = ends(sim(folder, 'run.yaml', '--set', 'values.' + setting), 1).err.decode()
        assert err.startswith(text) and err.count('error:') == 1, err
    within(b'SECTION.KEY of the machine, or values.NAME', ends(
        sim(folder, 'run.yaml', '--set', 'n=48'), 2).err)


@case
def programs(folder):
    """tagged and reordered PTX, and objects, compute what the original does"""
    launch = ['--grid', '4', '--block', '64', '--arg', 'buf:f32:250:uniform', '--arg',
              'buf:f32:250:uniform:2', '--arg', 'buf:f32:250:zero', '--arg', 'u32:250']
    sample = SAMPLES / 'vecadd/vecadd.ptx'
    ends(sim(folder, sample, *launch, '--save', '2=c.npy'), 0)
    expected = (folder / 'c.npy').read_bytes()
    ends(run([TAGGER, sample, '-o', 'tagged.ptx', '--emit=ptx,elf'], folder), 0)
    within(b'.pragma "ptxoffload.', (folder / 'tagged.ptx').read_bytes())
    for name in ('tagged.ptx', 'tagged.elf'):
        ends(sim(folder, name, *launch, '--save', '2=c.npy'), 0, err='')
        same((folder / 'c.npy').read_bytes(), expected)


@case
def modules(folder):
    """one of several modules is chosen by its number"""
    library = BUILD / 'tests' / 'fuzz' / 'elf64'
    launch = ['--grid', '1', '--block', '1']
    within(b'matching modules of PTX: select one with --module=N; ptxoffload --list shows them',
           ends(sim(folder, library, *launch), 1).err)
    within(b'99',
           ends(sim(folder, library, '--module=99', *launch), 1).err)
    within(b'is PTX text', ends(sim(folder, STORE, '--module=0', *launch), 1).err)
    (folder / 'run.yaml').write_text('program: %s\nmodule: 99\nlaunches: []\n' % library)
    within(b'99', ends(sim(folder, 'run.yaml'), 1).err)


@case
def same_bytes(folder):
    """equal runs give equal bytes, on any number of threads and any instruction set"""
    expected = None
    for options in ([], ['--threads=2'], ['--threads=7'], ['--lanes=plain']):
        ends(sim(folder, SAMPLES / 'kmn/run.yaml', '--save', 'centre=c.npy', '--save',
                 'member=m.npy', '--json=out.json', *options), 0, err='')
        found = json.loads((folder / 'out.json').read_text())
        del found['host']
        answer = (folder / 'c.npy').read_bytes(), (folder / 'm.npy').read_bytes(), found
        expected = expected or answer
        same(answer, expected)


@case
def checks(folder):
    """--check counts what it finds, and fails the run"""
    case_file = ROOT / 'tests' / 'cases' / 'diagnostics' / 'race.ptx'
    launch = [case_file, '--grid', '1', '--block', '64', '--arg', 'buf:u32:64:zero', '--json=-']
    result = ends(sim(folder, *launch, '--kernel=racy', '--check=race,uninit'), 3)
    found = json.loads(result.out)
    same((found['outcome'], found['checks']['reports'] > 0), ('check failed', True))
    result = ends(sim(folder, *launch, '--kernel=ordered', '--check=uninit,race'), 0, err='')
    same(json.loads(result.out)['checks']['reports'], 0)
    within(b'--check cannot be', ends(sim(folder, *launch, '--check=races'), 2).err)


def clean(folder, path):
    ends(sim(folder, path, '--check=race,uninit'), 0, err='', out='')


for path in sorted(SAMPLES.glob('*/run*.yaml')):
    if 'large' not in path.name:
        add_case('no race and no read of nothing in %s' % path.relative_to(SAMPLES), clean, path)


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
    ends(sim(folder, 'prints.ptx', '--grid', '1', '--block', '1'), 0, '', text + '\n')


for name, *rest in FORMATS:
    add_case('printf: ' + name, formats, *rest)


@case
def printing(folder):
    """what kernels print goes to standard output"""
    (folder / 'prints.ptx').write_bytes(PRINTS)
    ends(sim(folder, 'prints.ptx', '--grid', '1', '--block', '3'), 0, '',
         'tid 0!\ntid 1!\ntid 2!\n')


VARIABLES = b'''.version 7.0
.target sm_70
.address_size 64
.const .align 4 .b8 factors[16];
.global .align 4 .u32 sums[4] = {1, 2, 3, 4};
.visible .entry add()
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<6>;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd1, %r1, 4;
    mov.u64 %rd2, factors;
    add.s64 %rd3, %rd2, %rd1;
    ld.const.u32 %r2, [%rd3];
    mov.u64 %rd4, sums;
    add.s64 %rd5, %rd4, %rd1;
    ld.global.u32 %r3, [%rd5];
    add.u32 %r4, %r3, %r2;
    st.global.u32 [%rd5], %r4;
    ret;
}
'''


@case
def standard_streams(folder):
    """'-' is standard input for the program and standard output for results, at once"""
    launch = ['-', '--grid', '1', '--block', '32', '--arg', 'buf:u32:32:zero']
    result = ends(sim(folder, *launch, '--json=-', stdin=STORE.read_bytes()), 0, '')
    same(json.loads(result.out)['kernels'][0]['name'], 'store')
    same(ends(sim(folder, *launch, '--save=0=-', stdin=STORE.read_bytes()), 0, '').out[:6],
         b'\x93NUMPY')
    within(b"'-' is standard input", sim(folder, '--help').out)


@case
def missing_inputs(folder):
    """an input that is not there is reported before anything else"""
    for name in ('run.ymal', 'run.yaml', 'no/k.ptx'):
        ends(sim(folder, name), 1, "ptxoffload-sim: error: cannot read '%s': No such file or "
             'directory\n' % name, '')
    (folder / 'k.ptx').write_bytes(STORE.read_bytes())
    within(b'a launch needs --grid', ends(sim(folder, 'k.ptx'), 2).err)


@case
def variables(folder):
    """buffers that stand for variables of the program"""
    (folder / 'add.ptx').write_bytes(VARIABLES)
    text = ('program: add.ptx\nbuffers:\n  f: {type: u32, variable: factors, fill: "= 10 * i"}\n'
            '  s: {type: u32, variable: sums, save: s.npy%s}\n'
            'launches: [{kernel: add, grid: 1, block: 4}, {kernel: add, grid: 1, block: 4}]\n')
    (folder / 'run.yaml').write_text(text % '')
    ends(sim(folder, 'run.yaml', '--check=uninit'), 0, '', '')
    same(npy(folder / 's.npy'), ('<u4', (4,), [1, 22, 43, 64]))
    (folder / 'run.yaml').write_text(text % ', count: 2, fill: zero')
    ends(sim(folder, 'run.yaml'), 0, '', '')
    same(npy(folder / 's.npy'), ('<u4', (2,), [0, 20]))
    (folder / 'run.yaml').write_text(text % ', count: 5')
    within(b'the count is 5, and must be 0 to 4', ends(sim(folder, 'run.yaml'), 1).err)
    (folder / 'run.yaml').write_text(text.replace('factors', 'factor') % '')
    within(b"there is no variable 'factor'; did you mean 'factors'?",
           ends(sim(folder, 'run.yaml'), 1).err)


@case
def resets_variables(folder):
    """a buffer that stands for a variable is given its initial value again"""
    (folder / 'add.ptx').write_bytes(VARIABLES)
    text = ('program: add.ptx\nbuffers:\n  f: {type: u32, variable: factors, fill: "= 10 * i"}\n'
            '  s: {type: u32, variable: sums, save: s.npy}\n'
            'launches: [{repeat: {times: 3, reset: [s, f], '
            'launches: [{kernel: add, grid: 1, block: 4}]}}]\n')
    (folder / 'run.yaml').write_text(text)
    ends(sim(folder, 'run.yaml'), 0, '', '')
    same(npy(folder / 's.npy'), ('<u4', (4,), [1, 12, 23, 34]))


@case
def too_much(folder):
    """what there is no memory for, and what does not fit, is told at its place"""
    for buffer, message in (
            ('{type: u64, count: 1000000000000}',
             '3:5: error: there is no memory for 8000000000000 bytes [run-file]'),
            ('{type: u32, count: 4611686018427387904 * 4 + 64}',
             '3:27: error: the count has more than 64 bits [run-file]')):
        write_run(folder, 'buffers:\n    a: %s\n'
                  'launches: [{kernel: store, grid: 2, block: 32, args: [a]}]\n' % buffer)
        within(('run.yaml:' + message).encode(), ends(sim(folder, 'run.yaml'), 1).err)
    for argument, message in (
            ('["u32:1"]', '4:55: error: the parameter has 8 bytes, and these are 4 [run-file]'),
            ('-a', "4:56: error: a buffer's name alone is its address"),
            ('min(a, 3)', "4:56: error: a buffer's name alone is its address")):
        write_run(folder, 'buffers:\n    a: {type: u32, count: 64}\n'
                  'launches: [{kernel: store, grid: 2, block: 32, args: [\'%s\']}]\n'.replace(
                      "'", '"' if argument[0] != '[' else '') % argument)
        within(message.encode(), ends(sim(folder, 'run.yaml'), 1).err)


@case
def prints_nowhere(folder):
    """what is printed and cannot be written is told"""
    (folder / 'prints.ptx').write_bytes(PRINTS)
    with open('/dev/full', 'wb') as full:
        result = subprocess.run([PROGRAM, '--functional', 'prints.ptx', '--grid', '1', '--block',
                                 '3', '--json=out.json'], cwd=folder, stdout=full,
                                stderr=subprocess.PIPE, env=environment())
    same((result.returncode, result.stderr), (1, b'ptxoffload-sim: error: cannot write standard '
                                              b'output: what kernels printed is lost\n'))
    same(json.loads((folder / 'out.json').read_text())['exit_code'], 1)


@case
def blocks_of_kernels(folder):
    """a block must be what .reqntid says, and no more than .maxntid"""
    (folder / 'k.ptx').write_bytes(
        b'.version 8.0\n.target sm_90\n.address_size 64\n'
        b'.visible .entry needs() .reqntid 64, 2\n{\n    ret;\n}\n'
        b'.visible .entry most() .maxntid 64, 2\n{\n    ret;\n}\n')
    for kernel, block, code in (('needs', '64,2', 0), ('needs', '64,2,1', 0), ('needs', '128', 1),
                                ('needs', '2,64', 1), ('most', '128', 0), ('most', '1,1,64', 0),
                                ('most', '129', 1), ('most', '32,5', 1)):
        result = ends(sim(folder, 'k.ptx', '--kernel', kernel, '--grid', '1', '--block', block), code)
        if code:
            within(b'<command line>:1:', result.err)
            within(b'the kernel has .reqntid 64, 2, 1, and the block is '
                   if kernel == 'needs' else b'the kernel has .maxntid 64, 2, 1, and', result.err)


FIRST_FAULT = b'''.version 7.0
.target sm_70
.address_size 64
.visible .entry late(.param .u64 late_param_0)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [late_param_0];
    mov.u32 %r1, %ctaid.x;
    setp.ne.u32 %p1, %r1, 3;
    mov.u32 %r2, 0;
    setp.lt.u32 %p2, %r1, 3;
    @%p2 ret;
    @%p1 bra now;
again:
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p2, %r2, 100000;
    @%p2 bra again;
now:
    mul.wide.u32 %rd2, %r1, 64;
    add.s64 %rd2, %rd1, %rd2;
    st.global.u32 [%rd2], %r2;
    ret;
}
'''


@case
def first_fault(folder):
    """of several faults the one of the first CTA is told, on any number of threads"""
    (folder / 'late.ptx').write_bytes(FIRST_FAULT)
    expected = None
    for options in ([], ['--threads=2'], ['--threads=5'], ['--threads=2'], ['--lanes=plain']):
        result = ends(sim(folder, 'late.ptx', '--grid', '500', '--block', '32', '--arg',
                          'buf:u32:4:zero', '--json=out.json', *options), 5)
        within(b'CTA (3, 0, 0), thread (0, 0, 0)', result.err)
        within(b"176 bytes behind 'arg0' (16 bytes)", result.err)
        found = json.loads((folder / 'out.json').read_text())
        del found['host']
        expected = expected or found
        same(found, expected)


@case
def whole_or_not(folder):
    """results are written whole or not at all"""
    (folder / 'c.npy').write_bytes(b'old')
    launch = [STORE, '--grid', '1', '--block', '32', '--arg', 'buf:u32:32:zero', '--save', '0=c.npy']
    for more in (['--json=/dev/full'], ['--json=none/x'], ['--arg', 'u32:1']):
        ends(sim(folder, *launch, *more), 1)
        same((names(folder), (folder / 'c.npy').read_bytes()), (['c.npy'], b'old'))
    ends(sim(folder, *launch), 0)
    same(npy(folder / 'c.npy')[2], list(range(32)))


@case
def overwriting(folder):
    """what is read is not overwritten, and nothing is written twice"""
    write_run(folder, 'buffers: {a: {type: u32, count: 64, fill: "raw:in"}, '
              'b: {type: u32, count: 64}}\n'
              'launches: [{kernel: store, grid: 2, block: 32, args: [a]}]\n')
    (folder / 'in').write_bytes(bytes(256))
    (folder / 'sub').mkdir()
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    for options, message in (
            (['--json=./run.yaml'], "--json would overwrite the input 'run.yaml'"),
            (['--save', 'a=store.ptx'], "'a' would overwrite the program 'store.ptx'"),
            (['--save', 'b=sub/../in'], "'b' would overwrite the file 'in'"),
            (['--save', 'a=x', '--save', 'b=x'], "'a' and 'b' are both written to 'x'"),
            (['--save', 'a=-', '--json=-'], "'a' and --json are both written to '-'")):
        ends(sim(folder, 'run.yaml', *options), 1, 'ptxoffload-sim: error: %s\n' % message, '')
        same({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}, before)


@case
def overwriting_expected(folder):
    """what results are compared with is not overwritten, by whatever name it goes"""
    (folder / 'sub').mkdir()
    (folder / 'sub' / 'raw').write_bytes(bytes(256))
    (folder / 'sub' / 'raw.npy').symlink_to('raw')
    write_run(folder / 'sub', 'buffers: {a: {type: u32, count: 64, save: sub/raw}}\n'
              'launches: [{kernel: store, grid: 2, block: 32, args: [a]}]\n'
              'expect: [{buffer: a, file: raw}]\n')
    write_run(folder / 'sub', 'buffers: {a: {type: u32, count: 64}}\n'
              'launches: [{kernel: store, grid: 2, block: 32, args: [a]}]\n'
              'expect: [{buffer: a, fill: "raw:raw"}]\n', 'fill.yaml')
    for file, options in (('run', []), ('run', ['--save', 'a=sub/raw.npy']),
                          ('fill', ['--save', 'a=sub/raw'])):
        result = ends(sim(folder, 'sub/%s.yaml' % file, *options), 1)
        within("ptxoffload-sim: error: 'a' would overwrite the expected file 'sub/raw'",
               result.err.decode())
        same((folder / 'sub' / 'raw').read_bytes(), bytes(256))
    ends(sim(folder, 'sub/fill.yaml', '--json=sub/raw'), 1)
    same((folder / 'sub' / 'raw').read_bytes(), bytes(256))
    ends(sim(folder, 'sub/fill.yaml', '--save', 'a=other'), 3)


def start_slow(folder, *arguments, **settings):
    (folder / 'slow.ptx').write_bytes(SLOW)
    return subprocess.Popen([PROGRAM, '--functional', 'slow.ptx', '--grid', '1', '--block', '1',
                             '--arg', 'u64:1000000000000', *arguments], cwd=folder,
                            env=environment(TERM='xterm'), **settings)


@case
def interrupted(folder):
    """an interrupt ends a run and leaves no file but a summary of what was done"""
    running = start_slow(folder, '--json=out.json', '--save', 'x=y', stderr=subprocess.PIPE)
    within(b"there is no buffer 'x'", running.communicate()[1])
    for threads in ('1', '2'):
        running = start_slow(folder, '--json=out.json', '--threads', threads,
                             stderr=subprocess.PIPE)
        wait_for(lambda: cpu_seconds(running) > 0.2, running)
        running.send_signal(signal.SIGINT)
        same((running.communicate()[1], running.returncode),
             (b'ptxoffload-sim: interrupted in launch 1; statistics until then are in out.json\n',
              -signal.SIGINT))
        same(names(folder), ['out.json', 'slow.ptx'])
        found = json.loads((folder / 'out.json').read_text())
        same((found['exit_code'], found['outcome'], found['partial'], found['fault']),
             (128 + signal.SIGINT, 'interrupted', True, None))
        assert found['total']['thread_instructions'] > 1000, found['total']
        os.remove(folder / 'out.json')


    running = start_slow(folder, '--json=out.json', stderr=subprocess.PIPE)
    wait_for(lambda: cpu_seconds(running) > 0.2, running)
    running.send_signal(signal.SIGTERM)
    same((running.communicate()[1], running.returncode),
         (b'ptxoffload-sim: interrupted in launch 1; statistics until then are in out.json\n',
          -signal.SIGTERM))
    found = json.loads((folder / 'out.json').read_text())
    same((found['exit_code'], found['outcome']), (128 + signal.SIGTERM, 'interrupted'))


# Warps 0 and 1 wait at a barrier, warp 2 at another, warp 3 ends.
PARTED = b'''.version 7.0
.target sm_70
.address_size 64
.visible .entry parted()
{
    .reg .b32 %r<3>;
    .reg .pred %p<3>;
    mov.u32 %r1, %tid.x;
    setp.gt.u32 %p1, %r1, 95;
    @%p1 ret;
    setp.gt.u32 %p2, %r1, 63;
    @%p2 bra other;
    bar.sync 0;
    ret;
other:
    bar.sync 1, 96;
    ret;
}
'''


@case
def source_lines(folder):
    """the summary has the places that .loc names, from the inside out"""
    case = ROOT / 'tests' / 'cases' / 'run' / 'source-lines.ptx'
    ends(sim(folder, case, '--kernel', 'beyond', '--grid', '1', '--block', '32', '--arg',
             'buf:u32:8:zero', '--json=out.json'), 5)
    same(json.loads((folder / 'out.json').read_text())['fault']['source'],
         [{'file': 'put.h', 'line': 5, 'column': 1, 'function': '_Z3putPj'},
          {'file': 'kernel.cu', 'line': 14, 'column': 9, 'function': None}])


@case
def stalled(folder):
    """a launch that stands still: who waits for whom, at which line; in the summary, too"""
    (folder / 'parted.ptx').write_bytes(PARTED)
    said = ('2 warps of 1 CTA, one of them warp 0 of CTA (0, 0, 0), wait at barrier 0: 2 of 3 warps '
            'have come; missing: warp 2 at line 16; ended: warp 3')
    for threads in ('1', '2'):
        result = ends(sim(folder, 'parted.ptx', '--grid', '1', '--block', '128', '--json=out.json',
                          '--threads', threads), 4)
        found = json.loads((folder / 'out.json').read_text())
        same((found['outcome'], found['partial'], found['exit_code']), ('no progress', True, 4))
        text = result.err.decode()
        within('parted.ptx: error: no thread of the launch can go on: kernel \'parted\', launch 1 '
               '[no-progress]\nparted.ptx:13:5: note: %s\n' % said, text)
        first, second = found['fault']['stalls']
        same(first, {'text': said, 'warps': 2, 'ctas': 1, 'cta': [0, 0, 0], 'warp': 0, 'line': 13,
                     'column': 5, 'source': None})
        same((second['line'], second['warps'], second['warp']), (16, 1, 2))
        within('warp 2 of CTA (0, 0, 0) waits at barrier 1: 32 of 96 threads have come; missing: '
               'warp 0 at line 13, warp 1 at line 13, warp 3, which has ended; ended: warp 3', text)


@case
def stalled_lanes(folder):
    """half of a warp has come to a barrier; CTAs that have ended or not begun are counted"""
    (folder / 'half.ptx').write_bytes(PARTED.replace(b'%r1, 63', b'%r1, 15').replace(
        b'%r1, %tid.x;', b'%r1, %tid.x; mov.u32 %r2, %ctaid.x; setp.ne.u32 %p1, %r2, 1;\n'
        b'@%p1 ret;'))
    text = ends(sim(folder, 'half.ptx', '--cooperative', '--grid', '3', '--block', '32'),
                4).err.decode()
    within('note: warp 0 of CTA (1, 0, 0), lanes 0x0000ffff, waits at barrier 0: 0 of 1 warps have '
           'come; missing: lanes 0xffff0000 of warp 0 at line 17\n', text)
    within('half.ptx: note: of 3 CTAs: 2 ended, 0 not begun\n', text)


@case
def instructions(folder):
    """--max-instructions ends a loop that would not end by itself"""
    (folder / 'loop.ptx').write_bytes(b'''.version 7.0
.target sm_70
.address_size 64
.visible .entry loop(.param .u64 to)
{
    .reg .b64 %rd<2>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, 0;
again:
    st.global.u32 [%rd1], %r1;
    add.u32 %r1, %r1, 1;
    bra again;
}
''')
    line = ['loop.ptx', '--grid', '3', '--block', '64', '--arg', 'buf:u32:1:zero']
    note = 'ptxoffload-sim: note: --max-instructions has ended the run before it was done\n'
    for options in ([], ['--threads=3']):
        ends(sim(folder, *line, '--max-instructions=100000', '--save', '0=o.npy',
                 '--json=out.json', *options), 0, note)
        found = json.loads((folder / 'out.json').read_text())
        same((found['outcome'], found['exit_code'], found['partial']),
             ('instruction limit', 0, True))
        assert 100000 <= found['total']['warp_instructions'] < 200000, found['total']
        assert not (folder / 'o.npy').exists()
    within(b'--max-instructions is for --functional', ends(
        run([PROGRAM, *line, '--max-instructions=5'], folder), 2).err)


@case
def progress(folder):
    """a long run shows on a terminal what it is at"""
    main_end, other_end = pty.openpty()
    running = start_slow(folder, stderr=other_end, stdout=subprocess.DEVNULL)
    os.close(other_end)
    said = b''
    while b'launch 1, slow, ' not in said:
        said += os.read(main_end, 1000)
    running.kill()
    running.wait()
    assert re.match(rb'\r\x1b\[Klaunch 1, slow, \d+ s', said), said


@case
def help_fits(folder):
    """--help and --help=run are no wider than a terminal"""
    for option, width in (('--help', 90), ('--help=run', 100)):
        text = ends(run([PROGRAM, option], folder), 0, '').out.decode()
        wide = [line for line in text.splitlines() if len(line) > width]
        assert not wide, wide
    for option in ('--grid', '--arg', '--save', '--json', '--functional', '--threads', '--set'):
        within('\n  %s' % option, ends(run([PROGRAM, '--help'], folder), 0).out.decode())


# The documentation

BEGIN, END = '<!-- keys -->\n', '<!-- end of keys -->\n'


def tables():
    """The keys of run files, as tables"""
    return '\n%s\n' % subprocess.run([PROGRAM, '--help=run-markdown'],
                                     stdout=subprocess.PIPE).stdout.decode()


def with_tables():
    text = DOCUMENT.read_text(encoding='utf-8')
    head, rest = text.split(BEGIN)
    return head + BEGIN + tables() + END + rest.split(END)[1]


@case
def keys_documented(folder):
    """docs/simulator.md has the tables of keys"""
    fresh_document(DOCUMENT, with_tables(), False, 'tests/sim/runs.py build --update')


@case
def examples_work(folder):
    """the commands in docs/simulator.md do what it says when they are typed"""
    text = DOCUMENT.read_text(encoding='utf-8')
    commands = re.findall(r'^    (build/cli/ptxoffload(?:-sim)? (?:.*\\\n)*.*)', text, re.M)
    same(len(commands), 9)
    (folder / 'build').symlink_to(BUILD)
    (folder / 'samples').symlink_to(SAMPLES)
    (folder / 'tests').symlink_to(ROOT / 'tests')
    for command in commands:
        note = ('ptxoffload-sim: note: --checkpoint empties the caches after each launch that it '
                'writes: cycles differ from those of a run without\n'
                'ptxoffload-sim: note: --stop-after has ended the run after launch 9\n'
                if '--stop-after' in command else '')
        ends(run(['sh', '-c', command], folder), 0, note, '')
    within('c.npy', names(folder))
    within('c.json', names(folder))
    within('srad.json', names(folder))
    scaled = npy(folder / 'scaled.npy')
    (folder / 'scaled.npy').unlink()
    lines = re.search(r'^    program: textures.ptx\n(?:    .*\n)*', text, re.M).group()
    (folder / 'run.yaml').write_text(re.sub('^    ', '', lines, flags=re.M))
    (folder / 'textures.ptx').symlink_to(ROOT / 'tests' / 'sim' / 'textures' / 'textures.ptx')
    ends(sim(folder, 'run.yaml'), 0, '', '')
    assert npy(folder / 'scaled.npy') == scaled


@case
def json_documented(folder):
    """docs/simulator.md names every key of the summary"""
    text = DOCUMENT.read_text(encoding='utf-8')
    result = sim(folder, STORE, '--grid', '2', '--block', '32', '--arg', 'buf:u32:40:zero',
                 '--json=-')
    found = json.loads(result.out)
    for where in (found, found['kernels'][0], found['fault'], found['host'], found['checks']):
        for key in where:
            within('`%s`' % key, text)
    assert 'run' not in found, found['run']
    write_run(folder, 'launches: [{kernel: store, grid: 1, block: 32, args: [0]}]\n')
    found = json.loads(sim(folder, 'run.yaml', '--json=-').out)
    digest = hashlib.sha256((folder / 'run.yaml').read_bytes()).hexdigest()
    same(found['run'], {'file': 'run.yaml', 'sha256': digest})


if '--update' in sys.argv[2:]:
    DOCUMENT.write_text(with_tables(), encoding='utf-8')
else:
    main()
