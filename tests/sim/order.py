#!/usr/bin/env python3
"""Accesses keep the order that barriers, fences and flags give them, with chains and without.

usage: order.py BUILD-ROOT

Each program of tests/sim/order, free of races, leaves the same in memory under every policy, on
machines whose first-level cache makes accesses wait for long, as without a clock.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import add_case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
FOLDER = pathlib.Path(__file__).resolve().parent / 'order'
MACHINES = ([], ['l1.mshrs=4'], ['l1.mshrs=1', 'core.schedulers=4', 'core.memory_queue=1'],
            ['l1.out=2', 'core.memory_queue=64'])
POLICIES = policies_of(PROGRAM)


def execute(folder, launch, *options):
    """what all buffers hold in the end"""
    count = launch.count('--arg')
    saves = ['--save=%d=%d.npy' % (i, i) for i in range(count)]
    ends(run([PROGRAM, 'tagged.ptx', '--kernel=k', *launch, *saves, *options], folder), 0)
    return [(folder / ('%d.npy' % i)).read_bytes() for i in range(count)]


def program(folder, path):
    ends(run([TAGGER, path, '-o', 'tagged.ptx', '-w'], folder), 0)
    launch = re.search(r'^// RUN: (.*)', path.read_text(), re.M).group(1).split()
    expected = execute(folder, launch, '--functional')
    for machine in MACHINES:
        settings = [option for key in machine for option in ('--set', key)]
        for policy in POLICIES:
            found = execute(folder, launch, '--policy=' + policy, *settings)
            for i, (one, other) in enumerate(zip(found, expected)):
                same((policy, machine, i, one == other), (policy, machine, i, True))


for each in sorted(FOLDER.glob('*.ptx')):
    add_case(each.stem, program, each)

main()
