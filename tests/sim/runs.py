#!/usr/bin/env python3
"""ptxoffload-sim: what it reads and writes. ends.py and prints.py have the rest.

usage: runs.py BUILD-ROOT [--update]

--update writes the tables of keys in docs/reference/run-files.md instead of comparing them.
"""
import hashlib
import json
import os
import re
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from simulated import BUILD, PROGRAM, ROOT, STORE, names, npy, sim, write_run
from tap import add_case, case, ends, fresh_document, main, run, same, within

TAGGER = BUILD / 'cli' / 'ptxoffload'
SAMPLES, REFERENCE = ROOT / 'samples', ROOT / 'docs' / 'reference'
DOCUMENT, GUIDE = REFERENCE / 'run-files.md', ROOT / 'docs' / 'guide' / 'simulator.md'


def splitmix(seed):
    while True:
        seed = (seed + 0x9e3779b97f4a7c15) % 2**64
        z = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9 % 2**64
        z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
        yield z ^ z >> 31


# Allocates `bytes` before and after it frees `given`, whose last element it reads first.
HEAP = '''.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry k(.param .u64 given, .param .u64 to, .param .u64 bytes)
{
    .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [given];
    ld.param.u64 %rd2, [to];
    ld.param.u64 %rd3, [bytes];
    ld.u64 %rd4, [%rd1+392];
    st.global.u64 [%rd2+16], %rd4;
    { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3; call (r), malloc, (n); ld.param.b64 %rd5, [r]; }
    st.global.u64 [%rd2], %rd5;
    { .param .b64 p; st.param.b64 [p], %rd1; call free, (p); }
    { .param .b64 n; .param .b64 r; st.param.b64 [n], %rd3; call (r), malloc, (n); ld.param.b64 %rd5, [r]; }
    st.global.u64 [%rd2+8], %rd5;
    ret;
}
'''


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
                                   'cooperative launch must be resident at once, but a GPU with 160 '
                                   'multiprocessors has room for 320 of them [run-file]'),
                                  (321, 'false', 5, "at the end of 'out'"),
                                  (320, 'true', 5, "at the end of 'out'"),
                                  (1, 'yes', 1, "run.yaml:3:76: error: expected 'true' or 'false'")):
        write_run(folder, text % (grid, flag))
        within(err, ends(sim(folder, 'run.yaml'), code).err.decode())
    within('it cannot be combined with --cooperative',
           ends(sim(folder, 'run.yaml', '--cooperative'), 2).err.decode())
    ends(sim(folder, STORE, '--cooperative', '--grid', '2', '--block', '32', '--arg',
             'buf:u32:64:zero'), 0, '')


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
    within(b"run.yaml:2:23: error: 'in.npy': byte 73: the header declares 64 values of 4 bytes, and "
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
    within(b'the grid is not a multiple of the cluster', result.err)


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
            ('m=1', "--set:1:8: error: unknown value 'm' [run-file]\n"),
            ('nubmer=1', "--set:1:8: error: unknown value 'nubmer'; did you mean 'number'?"),
            ('number=abc', "--set:1:15: error: unknown name 'abc' [run-file]\n"),
            ('number=3 +', '--set:1:18: error: '), ('number=1 / 0', '--set:1:15: error: '),
            ('number=ctas', "--set:1:15: error: unknown name 'ctas' [run-file]\n")):
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
    within(b'matching PTX modules: select one with --module=N; ptxoffload --list shows them',
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


@case
def summary(folder):
    """a run that writes nothing prints a report; one that writes does not"""
    launch = ['--grid', '2', '--block', '32', '--arg', 'buf:u32:64:zero']
    ends(sim(folder, STORE, *launch), 0, '',
         'kernel  launches  warp instructions  thread instructions\n'
         'store          1                 18                  576\n')
    ends(sim(folder, STORE, *launch, '--json=out.json'), 0, '', '')
    ends(sim(folder, STORE, *launch, '--save=0=out.npy'), 0, '', '')
    bfs = ROOT / 'samples' / 'bfs' / 'run.yaml'
    rows = [line.split() for line in ends(sim(folder, bfs), 0, '').out.decode().splitlines()]
    same([row[0] for row in rows], ['kernel', 'bfs_expand', 'bfs_commit', 'total'])
    counts = [[int(cell) for cell in row[1:]] for row in rows[1:]]
    same(counts[2], [a + b for a, b in zip(*counts[:2])])
    timed = run([PROGRAM, bfs, '--timed=bfs_commit:2'], folder)
    lines = ends(timed, 0, '').out.decode().splitlines()
    same(lines[0], '%s on isca19, policy baseline' % bfs)
    rows = [line.split() for line in lines[3:6]]
    same([row[2] == '-' for row in rows], [True, False, False])
    same([rows[1][2], rows[1][-1]], [rows[2][2], rows[2][-1]])


def clean(folder, path):
    ends(sim(folder, path, '--check=race,uninit'), 0, '')


for path in sorted(SAMPLES.glob('*/run*.yaml')):
    if 'large' not in path.name:
        add_case('no race and no read of nothing in %s' % path.relative_to(SAMPLES), clean, path)


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
    within(b"'-' is standard input", b' '.join(sim(folder, '--help').out.split()))


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
    ends(sim(folder, 'run.yaml', '--check=uninit'), 0, '')
    same(npy(folder / 's.npy'), ('<u4', (4,), [1, 22, 43, 64]))
    (folder / 'run.yaml').write_text(text % ', count: 2, fill: zero')
    ends(sim(folder, 'run.yaml'), 0, '')
    same(npy(folder / 's.npy'), ('<u4', (2,), [0, 20]))
    (folder / 'run.yaml').write_text(text % ', count: 5')
    within(b'the count is 5, but must be 0 to 4', ends(sim(folder, 'run.yaml'), 1).err)
    (folder / 'run.yaml').write_text(text.replace('factors', 'factor') % '')
    within(b"unknown variable 'factor'; did you mean 'factors'?",
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
    ends(sim(folder, 'run.yaml'), 0, '')
    same(npy(folder / 's.npy'), ('<u4', (4,), [1, 12, 23, 34]))


@case
def heap(folder):
    """heap: memory that kernels can allocate; a buffer in it counts, and a kernel can free it"""
    (folder / 'heap.ptx').write_text(HEAP)
    text = ('{program: heap.ptx, %s buffers: {a: {type: u64, count: 50, fill: iota, %s}, to: {type: u64, count: 3, '
            'save: to.npy}}, launches: [{kernel: k, grid: 1, block: 1, args: [a, to, 1000]}]}')
    for size, fits in (('', (1, 1)), ('heap: 1399,', (0, 1)), ('heap: 1400,', (1, 0)), ('heap: 900 + 99,', (0, 0))):
        (folder / 'run.yaml').write_text(text % (size, 'heap: true'))
        ends(sim(folder, 'run.yaml'), 0, '')
        got = struct.unpack('<3Q', (folder / 'to.npy').read_bytes()[-24:])
        same((got[0] > 0, got[1] > 0, got[2]), (*fits, 49))
    (folder / 'run.yaml').write_text(text % ('heap: 399,', 'heap: true'))
    done = ends(sim(folder, 'run.yaml'), 1)
    within('the heap has not enough room for 400 bytes', done.err.decode())
    (folder / 'run.yaml').write_text(text % ('', 'heap: false'))
    within('free of an address that malloc did not return', ends(sim(folder, 'run.yaml'), 5).err.decode())


@case
def too_much(folder):
    """what there is no memory for, and what does not fit, is told at its place"""
    for buffer, message in (
            ('{type: u64, count: 1000000000000}',
             '3:5: error: not enough memory for 8000000000000 bytes [run-file]'),
            ('{type: u32, count: 4611686018427387904 * 4 + 64}',
             '3:27: error: the count has more than 64 bits [run-file]')):
        write_run(folder, 'buffers:\n    a: %s\n'
                  'launches: [{kernel: store, grid: 2, block: 32, args: [a]}]\n' % buffer)
        within(('run.yaml:' + message).encode(), ends(sim(folder, 'run.yaml'), 1).err)
    for argument, message in (
            ('["u32:1"]', '4:55: error: the parameter has 8 bytes, but these are 4 [run-file]'),
            ('-a', "4:56: error: a buffer's name alone is its address"),
            ('min(a, 3)', "4:56: error: a buffer's name alone is its address")):
        write_run(folder, 'buffers:\n    a: {type: u32, count: 64}\n'
                  'launches: [{kernel: store, grid: 2, block: 32, args: [\'%s\']}]\n'.replace(
                      "'", '"' if argument[0] != '[' else '') % argument)
        within(message.encode(), ends(sim(folder, 'run.yaml'), 1).err)


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
            within(b'the kernel has .reqntid 64, 2, 1, but the block is '
                   if kernel == 'needs' else b'the kernel has .maxntid 64, 2, 1, but', result.err)


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
    """docs/reference/run-files.md has the tables of keys"""
    fresh_document(DOCUMENT, with_tables(), False, 'tests/sim/runs.py build --update')


@case
def examples_work(folder):
    """the commands in the guide and in docs/reference/run-files.md do what they say when they are typed"""
    text = GUIDE.read_text(encoding='utf-8') + DOCUMENT.read_text(encoding='utf-8')
    commands = re.findall(r'^    (build/cli/ptxoffload(?:-sim)? (?:.*\\\n)*.*)', text, re.M)
    same(len(commands), 10)
    (folder / 'build').symlink_to(BUILD)
    (folder / 'samples').symlink_to(SAMPLES)
    (folder / 'tests').symlink_to(ROOT / 'tests')
    for command in commands:
        note = ('ptxoffload-sim: note: --checkpoint empties the caches after each launch that it '
                'writes: cycles differ from those of a run without it\n'
                'ptxoffload-sim: note: --stop-after stopped the run after launch 9\n'
                if '--stop-after' in command else '')
        ends(run(['sh', '-c', command], folder), 0, note)
    within('c.npy', names(folder))
    within('c.json', names(folder))
    within('srad.json', names(folder))
    scaled = npy(folder / 'scaled.npy')
    (folder / 'scaled.npy').unlink()
    lines = re.search(r'^    program: textures.ptx\n(?:    .*\n)*', text, re.M).group()
    (folder / 'run.yaml').write_text(re.sub('^    ', '', lines, flags=re.M))
    (folder / 'textures.ptx').symlink_to(ROOT / 'tests' / 'sim' / 'textures' / 'textures.ptx')
    ends(sim(folder, 'run.yaml'), 0, '')
    assert npy(folder / 'scaled.npy') == scaled


@case
def json_documented(folder):
    """docs/reference/simulator.md names every key of the summary"""
    text = (REFERENCE / 'simulator.md').read_text(encoding='utf-8')
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
