#!/usr/bin/env python3
"""ptxoffload-sim: how runs end that do not end by themselves, and what they show until then.

usage: ends.py BUILD-ROOT
"""
import json
import os
import pty
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from simulated import PROGRAM, ROOT, names, sim
from tap import case, cpu_seconds, ends, environment, main, run, same, wait_for, within

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
        within(b"176 bytes after 'arg0' (16 bytes)", result.err)
        found = json.loads((folder / 'out.json').read_text())
        del found['host']
        expected = expected or found
        same(found, expected)


def start_slow(folder, *arguments, **settings):
    (folder / 'slow.ptx').write_bytes((ROOT / 'tests' / 'sim' / 'stuck.ptx').read_bytes())
    return subprocess.Popen([PROGRAM, '--functional', 'slow.ptx', '--kernel', 'slow', '--grid', '1',
                             '--block', '1', '--arg', 'u64:1000000000000', *arguments], cwd=folder,
                            env=environment(TERM='xterm'), **settings)


@case
def interrupted(folder):
    """an interrupt ends a run and leaves no file but a summary of what was done"""
    running = start_slow(folder, '--json=out.json', '--save', 'x=y', stderr=subprocess.PIPE)
    within(b"unknown buffer 'x'", running.communicate()[1])
    for threads in ('1', '2'):
        running = start_slow(folder, '--json=out.json', '--threads', threads,
                             stderr=subprocess.PIPE)
        wait_for(lambda: cpu_seconds(running) > 0.2, running)
        running.send_signal(signal.SIGINT)
        same((running.communicate()[1], running.returncode),
             (b'ptxoffload-sim: interrupted in launch 1; statistics up to then are in out.json\n',
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
         (b'ptxoffload-sim: interrupted in launch 1; statistics up to then are in out.json\n',
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
            'have arrived; missing: warp 2 at line 16; ended: warp 3')
    for threads in ('1', '2'):
        result = ends(sim(folder, 'parted.ptx', '--grid', '1', '--block', '128', '--json=out.json',
                          '--threads', threads), 4)
        found = json.loads((folder / 'out.json').read_text())
        same((found['outcome'], found['partial'], found['exit_code']), ('no progress', True, 4))
        text = result.err.decode()
        within('parted.ptx: error: no thread of the launch can continue: kernel \'parted\', launch 1 '
               '[no-progress]\nparted.ptx:13:5: note: %s\n' % said, text)
        first, second = found['fault']['stalls']
        same(first, {'text': said, 'warps': 2, 'ctas': 1, 'cta': [0, 0, 0], 'warp': 0, 'line': 13,
                     'column': 5, 'source': None})
        same((second['line'], second['warps'], second['warp']), (16, 1, 2))
        within('warp 2 of CTA (0, 0, 0) waits at barrier 1: 32 of 96 threads have arrived; missing: '
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
           'arrived; missing: lanes 0xffff0000 of warp 0 at line 17\n', text)
    within('half.ptx: note: of 3 CTAs: 2 ended, 0 not started\n', text)


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
    note = 'ptxoffload-sim: note: --max-instructions stopped the run before its end\n'
    for options in ([], ['--threads=3']):
        ends(sim(folder, *line, '--max-instructions=100000', '--save', '0=o.npy',
                 '--json=out.json', *options), 0, note)
        found = json.loads((folder / 'out.json').read_text())
        same((found['outcome'], found['exit_code'], found['partial']),
             ('instruction limit', 0, True))
        assert 100000 <= found['total']['warp_instructions'] < 200000, found['total']
        assert not (folder / 'o.npy').exists()
    within(b'--max-instructions needs --functional', ends(
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


main()
