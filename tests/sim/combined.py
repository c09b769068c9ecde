#!/usr/bin/env python3
"""Chains and blocks in one machine: the same in memory, and each instruction belongs to one scheme.

usage: combined.py BUILD-ROOT
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, add_case, case, ends, main, run, same
import sample_runs
from sample_runs import PROGRAM, RUNS, TAGGER, name_of, same_buffers

FEW = ('vecadd/run.yaml', 'bfs/run.yaml', 'fdtd/run.yaml', 'mvt/run.yaml', 'scp/run.yaml', 'stream/run.yaml',
         'libor/run-libor32.yaml')
TAG = ['--cost=tom', '--fma=split']
BOTH = ['--policy=omni', '--set=tom.policy=tom-no-ctrl']
REGIONS = ['--set=tom.candidates=regions']
POLICIES = (BOTH, [*BOTH, *REGIONS], ['--policy=llc', '--set=tom.policy=tom-ctrl', '--set=ari.injection=ari'],
            ['--policy=adaptive', '--set=tom.policy=tom-measured', '--set=tom.map=ranges'])

# The loop of a warp is a block, and its first instruction is the first of a chain.
LOOP = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c)
{
    .reg .b64 %rd<8>;
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .pred %p<2>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    ld.param.u64 %rd3, [c];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd4, %r1, 4;
    add.s64 %rd1, %rd1, %rd4;
    add.s64 %rd2, %rd2, %rd4;
    add.s64 %rd3, %rd3, %rd4;
    mov.u32 %r2, 0;
again:
    ld.global.f32 %f1, [%rd1];
    ld.global.f32 %f2, [%rd2];
    add.f32 %f3, %f1, %f2;
    st.global.f32 [%rd3], %f3;
    add.s64 %rd1, %rd1, 1024;
    add.s64 %rd2, %rd2, 1024;
    add.s64 %rd3, %rd3, 1024;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 64;
    @%p1 bra again;
    ret;
}
'''
LAUNCH = ['--kernel=add', '--grid=1', '--block=256', '--arg=buf:f32:16384:uniform', '--arg=buf:f32:16384:uniform:2',
          '--arg=buf:f32:16384:zero', '--config=isca19-stacks', '--stats=stats']


def counted(statistics, name):
    return max([int(value) for value in re.findall(r'^%s = (\d+)' % name, statistics, re.M)], default=0)


def loop(folder, *options):
    ends(run([PROGRAM, 'tagged.ptx', *LAUNCH, '--save=2=c.npy', '--json=out.json', *options], folder), 0)
    return (folder / 'c.npy').read_bytes(), (folder / 'stats').read_text()


@case
def kept(folder):
    """a block whose first instruction begins a chain is asked for, and goes to its stack"""
    (folder / 'add.ptx').write_text(LOOP)
    ends(run([TAGGER, 'add.ptx', '-o', 'tagged.ptx', *TAG], folder), 0)
    expected, _ = loop(folder)
    alone, chains = loop(folder, '--policy=omni')
    same(alone, expected)
    assert counted(chains, 'offload.chains_offloaded') > 0
    for block in ('tom-no-ctrl', 'tom-ctrl'):
        found, statistics = loop(folder, '--policy=omni', '--set=tom.policy=' + block)
        same(found, expected)
        same(counted(statistics, 'tom.asked'), 8)
    _, statistics = loop(folder, *BOTH)
    same((counted(statistics, 'tom.offloaded'), counted(statistics, 'offload.chains_tagged')), (8, 0))
    summary = json.loads((folder / 'out.json').read_text())
    same(summary['total']['offload'], {'chains_tagged': 0, 'chains_offloaded': 0, 'blocks_offloaded': 8})
    same(summary['configuration']['policy'], 'omni+tom-no-ctrl')


@case
def chains_of_blocks_at_home(folder):
    """a block that stays offers its chains"""
    (folder / 'add.ptx').write_text(LOOP)
    ends(run([TAGGER, 'add.ptx', '-o', 'tagged.ptx', *TAG], folder), 0)
    _, chains = loop(folder, '--policy=omni')
    blocks = re.findall(r'number (\d+)', run([PROGRAM, 'tagged.ptx', *LAUNCH, *BOTH, '-v'], folder).err.decode())
    _, statistics = loop(folder, *BOTH, '--set=tom.at_core=[%s]' % ', '.join(blocks))
    same(counted(statistics, 'tom.asked'), 8)
    same(counted(statistics, 'tom.offloaded'), 0)
    same(counted(statistics, 'offload.chains_tagged'), counted(chains, 'offload.chains_tagged'))


@case
def iterations_begin_with_chains(folder):
    """the control of blocks sees each iteration of a loop whose first instruction begins a chain"""
    (folder / 'add.ptx').write_text(LOOP)
    ends(run([TAGGER, 'add.ptx', '-o', 'tagged.ptx', *TAG], folder), 0)
    expected, _ = loop(folder)
    found, statistics = loop(folder, '--policy=omni', '--set=tom.policy=tom-measured', '--set=tom.candidates=paper')
    same(found, expected)
    assert counted(statistics, 'tom.again') > 0
    assert counted(statistics, 'offload.chains_offloaded') > 0


def waits(folder, name, *options):
    path = sample_runs.SAMPLES / name / 'streams.yaml'
    sample_runs.tag(folder, path, ['--cost=tom'])
    machine = ['--config=tom', '--set=fe.enabled=true', '--stats=stats']
    expected, _ = sample_runs.execute(folder, path, *machine, '--set=values.start=0')
    found = {}
    for policy in 'tom-no-ctrl', 'tom-ctrl', 'tom-measured':
        memory, _ = sample_runs.execute(folder, path, *machine, '--policy=' + policy)
        same_buffers(memory, expected, policy)
        found[policy] = (folder / 'stats').read_text()
    again, _ = sample_runs.execute(folder, path, *machine, '--policy=' + policy, '--shuffle=3')
    same_buffers(again, expected, 'another order')
    same((folder / 'stats').read_text(), found[policy])
    return found


@case
def begins_in_advance(folder):
    """a block whose first word has not arrived waits for it, then goes to its stack"""
    for statistics in waits(folder, 'vecadd').values():
        assert counted(statistics, 'tom.empty_cycles') > 0 and counted(statistics, 'tom.offloaded') > 0
        assert counted(statistics, 'fe.past') > 0


@case
def waits_in_stack(folder):
    """an access of an SM in a stack waits for its word, and its stores fill theirs"""
    statistics = waits(folder, 'bfs')['tom-no-ctrl']
    assert counted(statistics, 'fe.past_clocks') > 0, statistics


def sample(folder, path):
    sample_runs.tag(folder, path, TAG)
    expected, _ = sample_runs.execute(folder, path, '--functional')
    for options in POLICIES[:2] if SANITIZED else POLICIES:
        found, _ = sample_runs.execute(folder, path, '--config=isca19-stacks', '--stats=stats', *options)
        same_buffers(found, expected, ' '.join(options))
        statistics = (folder / 'stats').read_text()
        same(counted(statistics, 'tom.returned'), counted(statistics, 'tom.offloaded'))
    again, _ = sample_runs.execute(folder, path, '--config=isca19-stacks', '--stats=stats', '--shuffle=7', *options)
    same_buffers(again, expected, 'another order')
    same((folder / 'stats').read_text(), statistics)


for each in RUNS:
    if name_of(each) in FEW:
        add_case(name_of(each), sample, each)

main()
