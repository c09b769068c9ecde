#!/usr/bin/env python3
"""Readings of Omni-Compute: where operands in two partitions are computed, and how they travel there.

usage: readings.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
LINE, PARTITIONS = 32, 8  # floats in a line
KERNEL = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 first, .param .u32 shared)
{
    .reg .pred %%p<2>;
    .reg .b32 %%r<9>;
    .reg .f32 %%f<4>;
    .reg .b64 %%d<9>;
    ld.param.u64 %%d1, [a];
    ld.param.u64 %%d2, [b];
    ld.param.u64 %%d3, [c];
    ld.param.u32 %%r1, [first];
    ld.param.u32 %%r6, [shared];
    mov.u32 %%r2, %%ctaid.x;
    mov.u32 %%r3, %%ntid.x;
    mov.u32 %%r4, %%tid.x;
    mad.lo.u32 %%r5, %%r2, %%r3, %%r4;
    setp.ge.u32 %%p1, %%r4, %d;
    @%%p1 bra done;
    mul.wide.u32 %%d4, %%r5, 4;
    add.u64 %%d5, %%d1, %%d4;
    add.u64 %%d7, %%d3, %%d4;
    and.b32 %%r8, %%r5, %%r6;
    add.u32 %%r7, %%r8, %%r1;
    mul.wide.u32 %%d4, %%r7, 4;
    add.u64 %%d6, %%d2, %%d4;
    ld.global.f32 %%f1, [%%d5];
    ld.global.f32 %%f2, [%%d6];
    add.f32 %%f3, %%f1, %%f2;
    st.global.f32 [%%d7], %%f3;
done:
    ret;
}
'''
CTAS, THREADS = 224, 64
ROOMY = 'offload.service_queue=512'
COUNT = CTAS * THREADS


def statistics(folder, *settings, policy='omni', apart=1, shared=0xffffffff, lanes=THREADS):
    """statistics of c = a + b, with operands that are so many partitions apart"""
    (folder / 'add.ptx').write_text(KERNEL % lanes)
    ends(run([TAGGER, 'add.ptx', '-o', 'tagged.ptx', '-q'], folder), 0)
    (folder / 'run.yaml').write_text('''program: tagged.ptx
buffers:
  a: {type: f32, count: %d, fill: iota}
  b: {type: f32, count: %d, fill: iota}
  c: {type: f32, count: %d}
launches: [{kernel: add, grid: %d, block: %d, args: [a, b, c, %d, %d]}]
expect: [{buffer: c, fill: "= i %% %d < %d ? i + i %% %d + %d : 0"}]
''' % (COUNT, COUNT + 4096, COUNT, CTAS, THREADS, apart * LINE, shared, THREADS, lanes, min(shared + 1, COUNT),
       apart * LINE))
    options = [option for setting in settings for option in ('--set', setting)]
    ends(run([PROGRAM, 'run.yaml', '--config=isca19', '--policy=' + policy, *options, '--stats=stats.json', '-q'],
             folder), 0)
    return json.loads((folder / 'stats.json').read_text())['total']['statistics']


def one_operand(folder, apart):
    """emn_at_llc: operand: both partitions compute half of the chains, and one operand of each travels"""
    stats = statistics(folder, 'offload.emn_at_llc=operand', ROOMY, apart=apart)
    same(stats['offload.chains_offloaded'], CTAS * THREADS // 32)
    same((stats['offload.packets_to_cores'], stats['offload.table_read']), (0, 0))
    # The lines of c are those of a: half of the stores leave the partition that computes.
    same(stats['offload.operand_write'], stats['offload.packets'] if apart % PARTITIONS else 0)
    same(stats['offload.forwarded'], stats['offload.packets'] // 2 if apart % PARTITIONS else 0)


for apart in 0, 1, 4, 7, 8:
    add_case('operand: %d partitions apart' % apart, one_operand, apart)


@case
def without_room(folder):
    """emn_at_llc: operand needs no shared memory of the cores"""
    stats = statistics(folder, 'offload.emn_at_llc=operand', 'core.shared_bytes=1024', ROOMY)
    same((stats['offload.launches_without_cores'], stats['offload.chains_offloaded']), (0, CTAS * THREADS // 32))


def merged(folder, *settings):
    """merge_operands: each operand that is not requested is one request less, and values are right"""
    plain = statistics(folder, *settings, shared=7)
    with_merges = statistics(folder, *settings, 'offload.merge_operands=true', shared=7)
    assert with_merges['offload.merged'] > 0, 'no operand'
    if ROOMY in settings:  # one operand of each chain arrives, but where both have one partition
        same(with_merges['offload.operand_write'], with_merges['offload.packets'] * (PARTITIONS - 1) // PARTITIONS)
    assert with_merges['memory.reads'] < plain['memory.reads'], 'no request less'


add_case('merge: at a partition', merged, 'offload.emn_at_llc=operand', ROOMY)
add_case('merge: at a partition, small queues', merged, 'offload.emn_at_llc=operand', 'offload.service_queue=8')


@case
def not_merged(folder):
    """merge_operands changes nothing where each line is read once"""
    for key in 'any', 'operand':
        plain = statistics(folder, 'offload.emn_at_llc=' + key)
        other = statistics(folder, 'offload.emn_at_llc=' + key, 'offload.merge_operands=true')
        same(other['offload.merged'], 0)
        same(other['machine.cycles'], plain['machine.cycles'])


@case
def sectors(folder):
    """operand_sectors: the reply to an operand carries the sectors that the lanes read"""
    flits = {}
    for lanes in 8, 16, 24, 32:
        for key in 'false', 'true':
            stats = statistics(folder, 'offload.emn_at_llc=operand', 'offload.operand_sectors=' + key, ROOMY,
                               lanes=lanes)
            same(stats['offload.chains_offloaded'], CTAS)
            flits[lanes, key] = sum(value for name, value in stats.items() if re.fullmatch(r'reply\.class\d+\.flits', name))
        # a line has 4 sectors of 32 bytes, a flit each; one operand of each chain travels
        same(flits[lanes, 'false'] - flits[lanes, 'true'], CTAS * (4 - lanes // 8))


@case
def adaptive_nodes(folder):
    """adaptive: only the nodes that emn_at_llc allows compute; values are right"""
    for key in 'any', 'operand', 'destination', 'none':
        stats = statistics(folder, 'offload.emn_at_llc=' + key, policy='adaptive', apart=3)
        if key == 'operand':
            same((stats['offload.packets_to_cores'], stats['offload.table_read']), (0, 0))
        if key == 'none':
            same(stats['offload.packets_to_llc'], 0)
        together = statistics(folder, 'offload.emn_at_llc=' + key, policy='adaptive', apart=8)
        same(together['offload.packets_to_llc'] > 0, key != 'none')


@case
def adaptive_discards(folder):
    """adaptive: a line that all warps share stays in L1, and its chains are discarded by their price or turned off"""
    stats = statistics(folder, ROOMY, policy='adaptive', shared=7)
    away = sum(stats['offload.discarded_' + why] for why in ('price', 'off', 'hit', 'emn'))
    assert away > stats['offload.chains_tagged'] / 2, '%d of %d' % (away, stats['offload.chains_tagged'])


main()
