#!/usr/bin/env python3
"""The machine isca19-gpgpusim beside measurements of GPGPU-Sim 3.2.2.

usage: gpgpusim.py BUILD-ROOT

Runs each line of tests/data/gpgpusim322.tsv. Instructions and accesses of L1 are the same; requests
of the DRAM differ by 1 % at most, cycles and the mean latency of a read by 10 %. Without one of the
mechanisms of which the machine is made the numbers leave these limits on some workload.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, environment, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1])
STAGES = ('in_request_network', 'in_request_delay', 'in_slice', 'in_slice_out', 'in_dram_delay',
          'in_dram', 'in_fill', 'in_reply_queue', 'in_reply_network')


def simulate(folder, run, settings=()):
    """The statistics of a run: its file and values as in the table."""
    path, *values = run.split()
    out = folder / 'statistics.json'
    subprocess.run([BUILD / 'cli/ptxoffload-sim', ROOT / path,
                    '--config=isca19-gpgpusim', f'--stats={out}',
                    *(f'--set=values.{value}' for value in values),
                    *(f'--set={setting}' for setting in settings)],
                   check=True, capture_output=True, env=environment())
    return json.loads(out.read_text())['total']['statistics']


def measure(s):
    """What the table has, of our statistics."""
    return {
        'cycles': s['machine.cycles'],
        'warp_instructions': s['machine.warp_instructions'],
        'l1_accesses': s['l1.reads'] + s['l1.writes'],
        'l1_misses': s['l1.reads'] - s['l1.read_hits'] - s['l1.read_merged'] +
                     s['l1.writes'] - s['l1.write_hits'],
        'dram_reads': s['dram.reads'],
        'dram_writes': s['dram.writes'],
        'latency_read': sum(s[f'memory.{stage}'] for stage in STAGES) / s['memory.reads_answered'],
    }


# Column, the part by which it may differ, and by how many at least: few writes come of chance.
LIMITS = [('cycles', 0.10, 0), ('warp_instructions', 0, 0), ('l1_accesses', 0, 0),
          ('l1_misses', 0.005, 0), ('dram_reads', 0.01, 0), ('dram_writes', 0.01, 10), ('latency_read', 0.10, 0)]


def compare(row, have):
    for column, part, least in LIMITS:
        theirs = float(row[column])
        if abs(have[column] - theirs) > max(part * theirs, least):
            yield f'{row["workload"]}: {column} is {have[column]:g}, not {theirs:g} within {part:%}'


def check(folder, row):
    faults = list(compare(row, measure(simulate(folder, row['run']))))
    assert not faults, '; '.join(faults)


def check_limits(folder):
    """Without forwarded stores vecadd leaves the limits"""
    row = next(row for row in ROWS if row['workload'] == 'vecadd')
    assert list(compare(row, measure(simulate(folder, row['run'], ['llc.forward_misses=false']))))


with open(ROOT / 'tests/data/gpgpusim322.tsv', encoding='utf-8') as file:
    ROWS = list(csv.DictReader(file, delimiter='\t'))
assert len(ROWS) == 7
for table_row in ROWS:
    add_case(table_row['workload'], check, table_row)
add_case(check_limits.__doc__, check_limits)
main(2)
