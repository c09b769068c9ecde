#!/usr/bin/env python3
"""Traces as the source of ptxoffload-dram and ptxoffload-noc.

usage: traces.py BUILD-ROOT
"""
import csv
import io
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
DRAM, NOC = (BUILD / 'cli' / ('ptxoffload-' + name) for name in ('dram', 'noc'))
MESH = ('--config=noc/mesh88_8vc_islip', '--set=noc.classes=2')


def replay(program, folder, trace, *options):
    """The rows of --latencies, and the results"""
    (folder / 'a.trace').write_text(trace)
    ends(run([program, '--trace-in=a.trace', '--latencies=a.csv', '--json=a.json', *options], folder), 0, err='')
    rows = [{key: value if key == 'kind' else int(value, 0) for key, value in row.items()}
            for row in csv.DictReader(io.StringIO((folder / 'a.csv').read_text()))]
    return rows, json.loads((folder / 'a.json').read_text())


def fails(program, folder, trace, text, *options):
    within(text, ends(run([program, '--trace-in=-', *options], folder, stdin=trace.encode()), 1).err.decode())


@case
def idle(folder):
    """requests far apart have the idle latencies: closed bank 24, open row 13, another row 35"""
    rows, _ = replay(DRAM, folder, '0 0 R\n1000 64 R\n# a comment\n2000,0x4000000,ld\n', '--config=gddr5_isca19',
                     '--set=order=row_bank_column')
    same([(row['number'], row['arrival'], row['latency']) for row in rows[:2]], [(0, 0, 24), (1, 1000, 13)])
    assert rows[2]['latency'] in (24, 35), rows[2]
    same([row['kind'] for row in rows], ['R', 'R', 'R'])


@case
def formats(folder):
    """both formats of Ramulator give the same run"""
    rng = random.Random(3)
    requests = [(rng.randrange(1 << 28), rng.random() < 0.3) for _ in range(500)]
    second, results = replay(DRAM, folder, ''.join('%s %d\n' % ('ST' if write else 'LD', at) for at, write in requests))
    first, _ = replay(DRAM, folder, ''.join('0x%x %s\n' % (at, 'W' if write else 'R') for at, write in requests))
    same(first, second)
    same([(row['address'], row['kind']) for row in second], [(at, 'W' if write else 'R') for at, write in requests])
    same((results['taken'], results['answered'], results['offered']), (500, 500, 500))


@case
def conserved(folder):
    """each request of a random trace has a reply, and the means are those of the statistics"""
    for seed in range(12):
        rng = random.Random(seed)
        config = rng.choice(['gddr5_isca19', 'gddr5_ari', 'tom_vault', 'hbm2', 'hbm2e', 'hbm3', 'lpddr5'])
        cycle, lines = 0, []
        for _ in range(400):
            cycle += rng.choice([0, 0, 1, 3, 200])
            lines.append('%d %d %s' % (cycle, rng.randrange(1 << rng.choice([12, 20, 30])) & -32, rng.choice('RW')))
        rows, results = replay(DRAM, folder, '\n'.join(lines), '--config=' + config)
        same([row['number'] for row in rows], list(range(400)))
        assert all(row['latency'] == row['reply'] - row['arrival'] >= results['latency_min'] or row['kind'] == 'W'
                   for row in rows)
        same([row['arrival'] for row in rows], [int(line.split()[0]) for line in lines])
        for kind, name in (('R', 'read_latency_mean'), ('W', 'write_latency_mean')):
            own = [row['latency'] for row in rows if row['kind'] == kind]
            assert abs(results[name] * len(own) - sum(own)) < 1e-3 * len(own), (config, name)
        clocks = max(row['reply'] for row in rows)
        assert abs(results['requests_per_clock'] - 400 / clocks) < 1e-6


@case
def sizes(folder):
    """a request of several transfers is complete with the last one"""
    whole, results = replay(DRAM, folder, '0 48 R 100\n', '--config=gddr5_isca19')
    each = results['configuration']['dram']['request_bytes']
    parts = (48 + 99) // each - 48 // each + 1
    single, _ = replay(DRAM, folder, ''.join('0 %d R\n' % (48 // each * each + i * each) for i in range(parts)),
                       '--config=gddr5_isca19')
    same(results['taken'], parts)
    same([row['reply'] for row in whole], [max(row['reply'] for row in single)])


@case
def large_requests(folder):
    """requests of more transfers than 32 bits count, or memory holds, end with a message"""
    for sizes in ((1 << 31, 1 << 31), (1 << 31, 1 << 31, 1), (0xffffffff, 1), (0xffffffff, 0xffffffff, 2), (0xffffffff,) * 3):
        fails(DRAM, folder, ''.join('0 0 R %d\n' % size for size in sizes), 'needs more than 64 MiB of memory', '--max-memory=64M',
              '--set=request_bytes=1', '--set=channel_bytes=1', '--set=row_bytes=64')


@case
def wrong_requests(folder):
    """a wrong line of requests is named with its place"""
    for trace, text in (('0 0 R\nx\n', '-:2:1: error: a request is CYCLE ADDRESS R|W [BYTES]'),
                        ('5 0 R\n4 0 R\n', '-:2:1: error: the cycle is before'),
                        ('0 0 R\nR 7\n', '-:2:1: error: requests above this one have a cycle'),
                        ('R 7\n0 0 R\n', '-:2:1: error: requests above this one have no cycle'),
                        ('0 0 R 0\n', '-:1:7: error: the size is'),
                        ('0 0x1ffffffffffffffff R\n', '-:1:1: error: a request is'),
                        ('0 18446744073709551615 R 9\n', '-:1:3: error: the request ends after'),
                        ('18446744073709551615 0 R\n', '-:1:1: error: the cycle is too large'),
                        ('# nothing\n', "'-' is empty"),
                        ('0 0 R\0\n', '-:1:6: error: the size is')):
        fails(DRAM, folder, trace, text)
    for seed in range(60):
        rng = random.Random(seed)
        trace = ''.join(rng.choice('0123 9xRWLDST,#\n\n\t') for _ in range(rng.randrange(200)))
        done = run([DRAM, '--trace-in=-', '-q'], folder, stdin=trace.encode())
        assert done.code in (0, 1) and (done.code or not done.err), (trace, done)


@case
def hops(folder):
    """packets far apart have the latency of an empty network, 5 H + 2 + L - 1 with delays of 1"""
    rng = random.Random(1)
    packets = [(1000 * i, rng.randrange(16), rng.randrange(16), rng.randrange(1, 9)) for i in range(40)]
    # 4 x 4 mesh; a packet passes a router more than its distance
    rows, results = replay(NOC, folder, ''.join('%d %d %d %d\n' % one for one in packets), '--set=width=4', '--set=height=4')
    for row, (cycle, source, target, flits) in zip(rows, packets):
        routers = 1 + abs(source % 4 - target % 4) + abs(source // 4 - target // 4)
        same((row['creation'], row['latency']), (cycle, 5 * routers + 2 + flits - 1))
    same((results['packets'], results['stable']), (40, True))


@case
def packets(folder):
    """each packet of a random trace arrives, in order between two nodes and class; the mean is that of the results"""
    for seed in range(6):
        rng = random.Random(seed)
        cycle, lines = 0, []
        for _ in range(3000):
            cycle += rng.choice([0, 0, 0, 1, 40])
            lines.append((cycle, rng.randrange(64), rng.choice([5, 9, rng.randrange(64)]), rng.randrange(1, 6), rng.randrange(2)))
        rows, results = replay(NOC, folder, ''.join('%d %d %d %d %d\n' % one for one in lines), *MESH)
        same([(row['creation'], row['source'], row['target'], row['flits'], row['class']) for row in rows], lines)
        same((results['packets'], results['stable']), (3000, True))
        assert abs(results['latency_mean'] - sum(row['latency'] for row in rows) / 3000) < 1e-6
        other, _ = replay(NOC, folder, ''.join('%d %d %d %d %d\n' % one for one in lines), *MESH, '--shuffle=7')
        same(other, rows)


@case
def gaps(folder):
    """cycles without requests or packets take no time, however many"""
    cycles = [0, 3, 10**6, 10**12, 10**12 + 1, 10**18, 2**64 - 10**6]
    rows, _ = replay(DRAM, folder, ''.join('%d 0 R\n' % cycle for cycle in cycles), '--config=gddr5_isca19')
    same([row['arrival'] for row in rows], cycles)
    rows, _ = replay(NOC, folder, ''.join('%d %d 9 2\n' % (cycle, cycle % 64) for cycle in cycles), *MESH)
    same([row['creation'] for row in rows], cycles)
    assert all(row['latency'] < 200 for row in rows), rows


@case
def wrong_packets(folder):
    """a packet that the network does not have is named with its place"""
    for trace, text in (('0 0 1\n', '-:1:1: error: a packet is CYCLE SOURCE TARGET FLITS [CLASS]'),
                        ('0 0 1 0\n', '-:1:7: error: a packet has 1 to 65535 flits'),
                        ('0 0 64 1\n', '-:1:1: error: nodes are numbered from 0 to 63'),
                        ('0 0 1 1\n0 0 1 1 2\n', '-:2:1: error: the network has 2 classes'),
                        ('9 0 1 1\n8 0 1 1\n', '-:2:1: error: the cycle is before')):
        fails(NOC, folder, trace, text, *MESH)


@case
def usage(folder):
    """options that exclude each other"""
    for program in (DRAM, NOC):
        for options, text in ((['--trace-in=a', '--load=0.1'], '--trace-in and --load exclude each other'),
                              (['--trace-in=a', '--sweep'], '--trace-in and --sweep exclude each other'),
                              (['--latencies=a.csv', '--load=0.1'], '--latencies needs --trace-in')):
            within(text, ends(run([program, *options], folder), 2).err.decode())
        within("cannot read 'none'", ends(run([program, '--trace-in=none'], folder), 1).err.decode())


main()
