#!/usr/bin/env python3
"""Requests per CPU second of ptxoffload-dram, on one thread.

usage: dram.py PTXOFFLOAD-DRAM

For each memory that is built in and each pattern: the best of three runs of so many clocks that they
take a good part of a second, with queues that are always full; then at a low load, where most clocks
have nothing to do. Time is CPU time of the measurement alone (cpu_seconds).
"""
import json
import subprocess
import sys

RUNS = 3
MEMORIES = ['gddr5_isca19', 'gddr5_ari', 'tom_vault', 'hbm2']
ROWS = [('seq', 0, None), ('seq', 0.3, None), ('random', 0, None), ('random', 0.3, None),
        ('one-bank', 0, None), ('bank-rr', 0, None), ('random', 0, 0.001)]
GOALS = {('gddr5_isca19', 'seq', 0, None): 4, ('gddr5_isca19', 'random', 0, None): 1.5}


def measure(program, memory, pattern, writes, load):
    command = [program, '--config=' + memory, '--pattern=' + pattern, '--writes=%g' % writes,
               '--json=-', '--cycles=%d' % (300000 if memory == 'hbm2' else 3000000)]
    command += ['--load=%g' % load] if load else []
    runs = [json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
            for _ in range(RUNS)]
    return min(runs, key=lambda run: run['cpu_seconds'])


def main(program):
    line = '%-13s %-9s %6s %6s  %10s %8s %12s %12s'
    print(line % ('memory', 'pattern', 'writes', 'load', 'req/clock', 'latency', 'million/s',
                  'Mclocks/s'))
    missed = []
    for memory in MEMORIES:
        for pattern, writes, load in ROWS:
            found = measure(program, memory, pattern, writes, load)
            speed = found['taken'] / found['cpu_seconds'] * 1e-6
            clocks = found['configuration']['dram']['channels'] * found['cycles']
            print(line % (memory, pattern, writes, load or 'full',
                          '%.4f' % found['requests_per_clock'], '%.1f' % found['latency_mean'],
                          '%.2f' % speed, '%.1f' % (clocks / found['cpu_seconds'] * 1e-6)))
            goal = GOALS.get((memory, pattern, writes, load), 0)
            if speed < goal:
                missed.append('%s %s: below %g million requests per second' % (memory, pattern, goal))
    sys.exit('\n'.join(missed) or None)


main(sys.argv[1])
