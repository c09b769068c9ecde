#!/usr/bin/env python3
"""Kernels that wait for the clock or sleep: untimed runs skip the wait, timed runs take its time.

usage: waits.py BUILD-ROOT
"""
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from simulated import PROGRAM, npy, sim
from tap import add_case, case, ends, main, run, same

ISAS = '.version 7.0\n.target sm_70\n.address_size 64\n'
# Waits for `time` cycles or, with a sleep, nanoseconds; stores the time that has passed.
WAIT = ISAS + '''.visible .entry wait(.param .u32 time, .param .u64 out)
{
    .reg .pred %%p<3>;
    .reg .b32 %%r<9>;
    .reg .b64 %%d<9>;
    ld.param.u32 %%r1, [time];
    ld.param.u64 %%d1, [out];
    cvta.to.global.u64 %%d1, %%d1;
    mov.u32 %%r5, %%tid.x;
    mul.wide.u32 %%d2, %%r5, 4;
    add.u64 %%d1, %%d1, %%d2;
    mov.u32 %%r2, %s;
%s
    mov.u32 %%r3, %s;
    sub.u32 %%r4, %%r3, %%r2;
    st.global.u32 [%%d1], %%r4;
    ret;
}
'''
POLL = '''poll:
    mov.u32 %r3, CLOCK;
    sub.u32 %r4, %r3, %r2;
    BETWEEN
    setp.lt.u32 %p1, %r4, %r1;
    @%p1 bra poll;'''
SLEEP = '    nanosleep.u32 %r1;'
STEP = 1 << 20  # of a skipped wait, at most


def waited(folder, clock, body, time, *options, warps=1):
    """the times that the threads have waited"""
    (folder / 'wait.ptx').write_text(WAIT % (clock, body.replace('CLOCK', clock), clock))
    command = ['wait.ptx', '--kernel=wait', '--grid=1', '--block=%d' % (32 * warps), '--arg=u32:%d' % time,
               '--arg=buf:u32:%d:zero' % (32 * warps), '--save=1=out.npy', '--quiet', *options]
    ends(sim(folder, *command) if not options else run([PROGRAM, *command], folder), 0, '', '')
    return npy(folder / 'out.npy')[2]


def skips(folder, clock, between):
    body = POLL.replace('BETWEEN', between)
    for time in 1, 2, 1000, 12345678, 2000000000:
        for value in waited(folder, clock, body, time, '--functional', '--max-instructions=100000', warps=3):
            assert time <= value <= 2 * time + STEP, (time, value)


for clock in '%clock', '%globaltimer_lo':
    add_case('untimed: a loop on %s skips its wait' % clock, skips, clock, '')
    add_case('untimed: with arithmetic and a sleep, on ' + clock, skips, clock,
             'nanosleep.u32 5; mad.lo.u32 %r6, %r3, %r4, %r6;')


@case
def not_skipped(folder):
    """untimed: a loop that also accesses memory or reads two clocks reads them one by one"""
    for between in 'ld.global.u32 %r6, [%d1];', 'mov.u32 %r6, %clock;', 'bar.warp.sync 0xffffffff;':
        values = waited(folder, '%clock', POLL.replace('BETWEEN', between), 3000, '--functional')
        assert all(3000 <= value <= 3005 for value in values), (between, values)


@case
def counted_again(folder):
    """untimed: a wait that follows another begins with a small step"""
    first, second = (POLL.replace('BETWEEN', '').replace('poll', name) for name in ('one', 'two'))
    body = '%s\n    mov.u32 %%r2, %%clock;\n    mov.u32 %%r1, 10;\n%s' % (first, second)
    values = waited(folder, '%clock', body, 50000000, '--functional')
    assert all(10 <= value <= 20 for value in values), values


@case
def others_continue(folder):
    """untimed: while one warp waits for the clock, another computes and stores"""
    between = '''mov.u32 %r6, 0;
    setp.gt.u32 %p2, %r5, 31;
    @!%p2 bra wait;
other:
    add.u32 %r6, %r6, 1;
    setp.lt.u32 %p1, %r6, 30000;
    @%p1 bra other;
    st.global.u32 [%d1], %r6;
    ret;
wait:
'''
    values = waited(folder, '%clock', between + POLL.replace('BETWEEN', ''), 2000000000, '--functional', warps=2)
    same(values[32:], 32 * [30000])


@case
def sleeps_untimed(folder):
    """untimed: nanosleep advances the warp's clock by the longest of its lanes"""
    same(set(waited(folder, '%clock', SLEEP, 777, '--functional')), {778})
    lanes = '    mul.lo.u32 %r1, %r1, %r5;\n' + SLEEP
    same(set(waited(folder, '%clock', lanes, 10, '--functional', warps=2)[:32]), {311})
    same(set(waited(folder, '%clock', lanes, 10, '--functional', warps=2)[32:]), {631})


@case
def sleeps_timed(folder):
    """timed: nanosleep takes its time, in cycles and in nanoseconds, and longer sleeps take longer"""
    none = waited(folder, '%clock', SLEEP, 0, '--config=isca19')[0]
    for time in sorted(random.Random(1).sample(range(1, 30000), 12)):
        cycles = waited(folder, '%clock', SLEEP, time, '--config=isca19')[0] - none
        assert abs(cycles - time * 1.4) <= 4, (time, cycles)
        nanoseconds = waited(folder, '%globaltimer_lo', SLEEP, time, '--config=isca19')[0]
        assert abs(nanoseconds - none / 1.4 - time) <= 4, (time, nanoseconds)


@case
def slept_and_ended(folder):
    """timed: a warp that sleeps before it ends ends after it has slept"""
    (folder / 'end.ptx').write_text(ISAS + '.visible .entry end() { nanosleep.u32 10000; ret; }\n')
    ends(run([PROGRAM, 'end.ptx', '--grid=4', '--block=64', '--config=isca19', '--json=end.json', '--quiet'], folder), 0)
    cycles = json.loads((folder / 'end.json').read_text())['total']['cycles']
    assert 14000 <= cycles < 15000, cycles


main()
