#!/usr/bin/env python3
"""One table of how fast everything is, beside the last release.

usage: table.py BUILD [--long] [--update] [NAME]...

Each measurement has a calibration loop (bench/calibrate.c) right before and right after it. A row's
`per loop` is what is done in the CPU time of that loop: MB of PTX, or millions of warp instructions.
It depends little on the host and on other work on it. `release` is the stored number of the last
release (bench/release.json), and `ratio` is this one divided by it: 1.2 is 20 % faster. Memory is
bytes of peak memory for each byte of PTX, or MB of the process; its ratio is above 1 if it takes more.

NAME: only rows whose names begin with it. --long: also 10^9 instructions, which take minutes.
--update stores the measured rows as those of the release.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import throughput

HERE = pathlib.Path(__file__).resolve().parent
STORED = HERE / 'release.json'
RUNS = 3
SIZES = [1, 4, 16, 64]
ONCE = 16  # MB from which a text is measured once
KERNELS = ['vecadd, 1 M', 'matmul 256, 16 x 16', 'gather', 'visit', 'strided']
SCALES = ['parallel, 10^5', 'parallel, 10^6', 'parallel, 10^7', 'parallel, 10^8']
LONG = ['parallel, 10^9']
COLUMNS = '%-32s %10s %10s %10s %7s %9s %9s %7s'


class Table:
    def __init__(self, build, folder):
        self.build, self.folder = build, folder
        self.stored = json.loads(STORED.read_text()) if STORED.exists() else {'rows': {}}
        self.rows = {}

    def loop(self):
        """CPU seconds of the calibration loop."""
        said = subprocess.run([self.build / 'bench' / 'bench-calibrate'], check=True,
                              stdout=subprocess.PIPE).stdout
        return float(said.split()[0])

    def measure(self, work, runs):
        """Medians of work per second, of work per loop, and of memory. `work` returns work done, CPU
        seconds and memory."""
        found, before = [], self.loop()
        for _ in range(runs):
            done, seconds, memory = work()
            after = self.loop()
            found.append((done / seconds, done / seconds * (before + after) / 2, memory))
            before = after
        return [statistics.median(column) for column in zip(*found)]

    def row(self, name, unit, work, runs=RUNS):
        rate, per_loop, memory = self.measure(work, runs)
        self.rows[name] = {'per_loop': round(per_loop, 4), 'memory': round(memory, 2)}
        old = self.stored['rows'].get(name)
        print(COLUMNS % (name, '%.2f %s' % (rate, unit), '%.3f' % per_loop,
                         '%.3f' % old['per_loop'] if old else '-',
                         '%.2f' % (per_loop / old['per_loop']) if old else '-', '%.1f' % memory,
                         '%.1f' % old['memory'] if old else '-',
                         '%.2f' % (memory / old['memory']) if old else '-'), flush=True)

    def store(self):
        self.stored['rows'].update(self.rows)
        self.stored['date'] = time.strftime('%Y-%m-%d')
        STORED.write_text(json.dumps(self.stored, indent=1, sort_keys=True) + '\n')


def text_rows(table, wanted):
    program = str(table.build / 'cli' / 'ptxoffload')
    path = os.path.join(table.folder, 'in.ptx')
    written = ['-o', os.path.join(table.folder, 'out.ptx'),
               '--metadata=' + os.path.join(table.folder, 'out.json')]
    kinds = [('check', ['--check']), ('tag', written)]
    for size in SIZES:
        chosen = [one for one in kinds if wanted('%s, %d MB' % (one[0], size))]
        if chosen:
            throughput.make_input(size * 1e6, path)
        for kind, options in chosen:
            def work():
                seconds, peak = throughput.run([program, path, *options])
                length = os.path.getsize(path)
                return length / 1e6, seconds, peak / length
            table.row('%s, %d MB' % (kind, size), 'MB/s', work, 1 if size >= ONCE else RUNS)


def machine_row(table, name, runs):
    def work():
        said = subprocess.run([table.build / 'bench' / 'bench-machine', '-n', '1',
                               HERE / 'machine' / 'kernels.ptx', name], check=True,
                              stdout=subprocess.PIPE).stdout.decode()
        cells = [cell.strip() for cell in said.splitlines()[2].strip('|').split('|')]
        seconds = int(cells[1]) * float(cells[5]) * 1e-9  # cells[3] has too few digits
        return int(cells[2]) / 1e6, seconds, float(cells[6])
    table.row(name, 'M/s', work, runs)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--long', action='store_true')
    parser.add_argument('--update', action='store_true')
    parser.add_argument('names', nargs='*')
    asked = parser.parse_args()

    def wanted(name):
        return not asked.names or any(name.startswith(one) for one in asked.names)

    with tempfile.TemporaryDirectory(prefix='ptxoffload-bench-') as folder:
        table = Table(asked.build.resolve(), folder)
        print('release: %s; a loop takes %.3f s now' % (table.stored.get('date', 'none'),
                                                        table.loop()))
        print(COLUMNS % ('', 'rate', 'per loop', 'release', 'ratio', 'memory', 'release', 'ratio'))
        text_rows(table, wanted)
        for name in KERNELS + SCALES + (LONG if asked.long else []):
            if wanted(name):
                machine_row(table, name, 1 if name in SCALES[2:] + LONG else RUNS)
        if asked.update:
            table.store()


sys.exit(main())
