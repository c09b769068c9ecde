#!/usr/bin/env python3
"""ptxoffload-sim --stats: events of energy as one counts them by hand, and what nodes, routers and
channels of the networks have carried.

usage: events.py BUILD-ROOT
"""
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from counted_kernel import CODE_LINES, LAUNCHES, LINE_BITS, LINES, THREADS, WARPS, counted
from tap import case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
CORES, WIDTH = 56, 8
PARTITION_NODES = [3, 15, 17, 29, 36, 47, 49, 61]
CORE_NODES = [node for node in range(64) if node not in PARTITION_NODES]

def statistics(folder, *arguments):
    ends(run([PROGRAM, *arguments, '--stats=s.json', '--stats-filter=*', '--trace=t.json'], folder), 0, '', '')
    return json.loads((folder / 's.json').read_text())['total']['statistics']


def packets(folder):
    """of both networks: source and target node, flits"""
    found = collections.defaultdict(list)
    trace = json.loads((folder / 't.json').read_text())['traceEvents']
    names = {event['pid']: event['args']['name'].split()[0] for event in trace
             if event['name'] == 'process_name'}
    for event in trace:
        if event['ph'] == 'b':
            ends_at = []
            for end in 'from', 'to':
                what, number = event['args'][end].split()
                ends_at.append({'core': CORE_NODES, 'partition': PARTITION_NODES}[what][int(number)])
            found[names[event['pid']]].append((*ends_at, event['args']['flits']))
    return found


def way(source, target):
    """nodes from source to target: along the column, then along the row"""
    nodes = [source]
    while nodes[-1] != target:
        at = nodes[-1]
        if at // WIDTH != target // WIDTH:
            nodes.append(at + (WIDTH if at // WIDTH < target // WIDTH else -WIDTH))
        else:
            nodes.append(at + (1 if at < target else -1))
    return nodes


@case
def cores(folder):
    """events of cores, counted by hand"""
    instructions = counted(folder)
    found = statistics(folder, 'counted.yaml')
    units = collections.Counter(unit for unit, _, _ in instructions)
    times = LAUNCHES * THREADS
    pairs = (len(instructions) + 1) // 2  # a buffer holds two instructions
    expected = {
        'scheduler': LAUNCHES * WARPS * len(instructions),
        'fetch_decode': LAUNCHES * WARPS * 2 * pairs,
        # On a core, and each launch has another one, both warps wait for each line of code.
        'icache_hit': LAUNCHES * WARPS * (pairs - CODE_LINES),
        'register_read': times * sum(int(reads) for _, reads, _ in instructions),
        'register_write': times * sum(int(writes) for _, _, writes in instructions),
        'alu_int': times * units['int'],
        'alu_fp32': times * units['fp32'],
        'alu_fp64': times * units['fp64'],
        'sfu': times * units['sfu'],
        'shared_memory': times * units['shared'],
        'l1_read_hit': LAUNCHES * LINES,    # the second load
        'l1_read_miss': LAUNCHES * LINES,   # the first one
        'l1_write_hit': LAUNCHES * LINES,   # to what was loaded
        'l1_write_miss': LAUNCHES * LINES,  # to the other array
    }
    same({name: found['core.' + name] for name in expected}, expected)
    for core in 'core0.', 'core1.':
        same({name: LAUNCHES * found[core + name] for name in expected}, expected)
    trace = json.loads((folder / 't.json').read_text())['traceEvents']
    busy = {event['pid'] - 1: event['dur'] for event in trace if event.get('cat') == 'cta'}
    same(sorted(busy), [0, 1])
    same(found['core.core_idle'], CORES * found['machine.cycles'] - sum(busy.values()))
    same(found['core1.core_idle'], found['machine.cycles'] - busy[1])
    same(found['core2.core_idle'], found['machine.cycles'])


@case
def memory(folder):
    """events of the LLC, the DRAM and the networks, counted by hand"""
    counted(folder)
    found = statistics(folder, 'counted.yaml')
    sent = packets(folder)
    # The second launch finds all lines in the LLC; both find there those that they have loaded.
    expected = {
        'llc_read_hit': CODE_LINES + LINES,
        'llc_write_hit': LINES + 2 * LINES,
        'dram_read': (CODE_LINES + LINES) * LINE_BITS,
        'dram_write': 0,
        'dram_activate': len({target for _, target, flits in sent['request'] if flits == 1}),
    }
    same({name: found['memory.' + name] for name in expected}, expected)
    reads, writes = LAUNCHES * (CODE_LINES + LINES), LAUNCHES * 2 * LINES
    same(sum(flits for _, _, flits in sent['request']), reads + 5 * writes)
    same(sum(flits for _, _, flits in sent['reply']), 5 * reads + writes)
    for network in 'request', 'reply':
        hops = sum((len(way(source, target)) - 1) * flits for source, target, flits in sent[network])
        flits = sum(flits for _, _, flits in sent[network])
        same(found[network + '.noc_link'], hops)
        for event in 'buffer_write', 'buffer_read', 'crossbar':
            same(found['%s.noc_%s' % (network, event)], hops + flits)
        assert hops + flits <= found[network + '.noc_switch_arbitration'] <= 1.1 * (hops + flits)
        same(found[network + '.noc_router_clock'], 64 * found[network + '.cycles'])
    # With a delay in front of the DRAM the last writes are there when the run ends.
    found = statistics(folder, 'counted.yaml', '--set', 'llc.write=through', '--set', 'memory.dram_delay=0')
    same(found['memory.dram_write'], writes * LINE_BITS)


@case
def chains(folder):
    """events of chains, counted by hand from packets: c = a + b, all lines of a packet in a partition"""
    sample, elements = SAMPLES / 'vecadd', 5000
    ends(run([TAGGER, sample / 'vecadd.ptx', '-o', 'tagged.ptx', '-w'], folder), 0)
    plain = statistics(folder, sample / 'run.yaml')
    found = statistics(folder, sample / 'run.yaml', '--program=tagged.ptx', '--policy=omni')
    flits = [event['args']['flits'] for event in json.loads((folder / 't.json').read_text())
             ['traceEvents'] if event.get('name') == 'ComputePacket' and event['ph'] == 'b']
    chains = (elements + 31) // 32
    same((len(flits), sum(flits)), (chains, chains + 1))  # the last warp has a mask
    expected = {
        'queue_write': 4 * chains + sum(flits),  # two loads, an addition, a store
        'queue_read': sum(flits) + chains,
        'table_read': 0,
        'service_write': sum(flits) + 2 * chains,
        'service_read': 6 * chains,  # two requests, two reads, the addition, the store
        'buffer_write': 2 * chains,
        'buffer_read': 2 * chains,
        'operand_write': 0,
        'operand_read': 0,
        'shared_write': 0,
        'shared_read': 0,
        'alu_fp32': elements,
        'alu_int': 0,
    }
    same({name: found['offload.' + name] for name in expected}, expected)
    same((plain['core.alu_fp32'], found['core.alu_fp32']), (elements, 0))
    same(found['core.scheduler'], found['machine.warp_instructions'])


@case
def names(folder):
    """every event of energy that the machine has is there under its name, and explained"""
    listed = ends(run([PROGRAM, '--list-stats', '--policy=omni'], folder), 0).out.decode()
    for name in ('request.noc_buffer_write reply.noc_buffer_read request.noc_crossbar '
                 'request.noc_switch_arbitration request.noc_link request.noc_router_clock '
                 'core.fetch_decode core.icache_hit core.scheduler core.register_read '
                 'core.register_write core.alu_int core.alu_fp32 core.alu_fp64 core.sfu '
                 'core.shared_memory core.l1_read_hit core.l1_read_miss core.l1_write_hit '
                 'core.l1_write_miss core.core_idle memory.llc_read_hit memory.llc_write_hit '
                 'memory.dram_activate memory.dram_read memory.dram_write '
                 'offload.queue_write offload.queue_read offload.table_read offload.service_write '
                 'offload.service_read offload.operand_write offload.operand_read '
                 'offload.shared_write offload.shared_read offload.buffer_write '
                 'offload.buffer_read offload.alu_int offload.alu_fp32 '
                 'request.node*.queue_mean reply.router*.buffer_most '
                 'request.link*.flits_mean').split():
        assert re.search('^%s  # .*[a-z]' % re.escape(name), listed, re.M), name


@case
def links(folder):
    """each channel, router and node carries what the packets on its way say"""
    found = statistics(folder, SAMPLES / 'scp' / 'run.yaml')
    for network, sent in packets(folder).items():
        expected = collections.Counter()
        for source, target, flits in sent:
            nodes = way(source, target)
            expected['node%d.packets_sent' % source] += 1
            expected['node%d.flits_entered' % source] += flits
            expected['node%d.flits_arrived' % target] += flits
            for node in nodes:
                expected['router%d.flits' % node] += flits
            for pair in zip(nodes, nodes[1:]):
                expected['link%d_%d.flits' % pair] += flits
        for name, value in found.items():
            group = re.match(network + r'\.((node|router|link)[\d_]+\.'
                             r'(flits|packets_sent|flits_entered|flits_arrived))$', name)
            if group:
                same((name, value), (name, expected.pop(group.group(1), 0)))
        same(expected, {})


@case
def occupancy(folder):
    """means and most of buffers and queues fit each other, their room and what was carried"""
    found = statistics(folder, SAMPLES / 'scp' / 'run.yaml')
    keys = json.loads((folder / 's.json').read_text())['configuration']
    for network in 'request', 'reply':
        room = keys[network + '_network']['injection_queue']
        cycles, seen = found[network + '.cycles'], 0
        for node in range(64):
            at = {name: found['%s.%s' % (network, name)] for name in (
                'node%d.%s' % (node, word) for word in (
                    'queue_sum', 'queue_mean', 'queue_most', 'flits_entered', 'entered_mean'))}
            total, mean, most, flits, use = at.values()
            same((mean, use), (total / cycles, flits / cycles))
            assert (most > 0) == (flits > 0) and mean <= most <= room, at
            total, mean, most, flits, use = (
                found['%s.router%d.%s' % (network, node, word)] for word in (
                    'buffer_sum', 'buffer_mean', 'buffer_most', 'flits', 'flits_mean'))
            same((mean, use), (total / cycles, flits / cycles))
            # A flit waits for at least one cycle; there is room for 5 ports of 8 times 8 flits.
            assert flits <= total and mean <= most <= 5 * 8 * 8 and (most > 0) == (flits > 0)
            seen += flits
        same(seen, found[network + '.noc_crossbar'])


if __name__ == '__main__':
    main(2)
