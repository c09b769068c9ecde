#!/usr/bin/env python3
"""Keys of the offloading of blocks that select readings of the paper.

usage: tom_readings.py BUILD-ROOT
"""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, main, same
import sample_runs
from sample_runs import SAMPLES

PAPER = ['--cost=tom', '--candidates=loops,blocks']


def counts(folder, path, *options):
    """The statistics of all kernels by name."""
    sample_runs.execute(folder, path, '--config=tom', '--stats=stats', *options)
    return dict(re.findall(r'^(\S+) = (\S+)', (folder / 'stats').read_text(), re.M))


def settings(*values):
    return [option for value in values for option in ('--set', value)]


RAY = SAMPLES / 'ray' / 'run.yaml'
LIBOR = SAMPLES / 'libor' / 'run-libor32.yaml'
SCP = SAMPLES / 'scp' / 'run.yaml'


@case
def registers(folder):
    """blocks with their own registers wait for no slot under tom-ctrl, and more of them are in a stack"""
    sample_runs.tag(folder, RAY, PAPER)
    few = settings('core.registers=8192', 'values.spheres=8')
    own = counts(folder, RAY, '--policy=tom-ctrl', *few)
    kernel = counts(folder, RAY, '--policy=tom-ctrl', '--set', 'tom.registers=kernel', *few)
    assert int(own['tom.most_pending']) > int(kernel['tom.most_pending']) > 0, (own['tom.most_pending'], kernel['tom.most_pending'])
    for found in own, kernel: # the limit is the number that has room
        assert int(found['tom.full']) > 0
        same(found['tom.queue_cycles'], '0')


@case
def warps(folder):
    """tom.sm_warps is the number of pending blocks, with as many registers for each"""
    sample_runs.tag(folder, LIBOR, PAPER)
    for number in (2, 4, 96):
        found = counts(folder, LIBOR, '--policy=tom-ctrl', '--set', 'tom.sm_warps=%d' % number, *settings('values.paths=16384'))
        most = int(found['tom.most_pending'])
        assert most == number if number < 10 else 48 < most <= number, (number, most)


@case
def ideal_with_control(folder):
    """no packets, no other stacks, and at most as many blocks as slots"""
    sample_runs.tag(folder, LIBOR, PAPER)
    found = counts(folder, LIBOR, '--policy=tom-ideal-ctrl', '--set', 'tom.sm_warps=4', *settings('values.paths=8192'))
    same([found['stack.' + name] for name in ('tx_offload', 'rx_ack', 'rx_coherence', 'cross', 'remote')], ['0'] * 5)
    same(found['tom.most_pending'], '4')
    assert int(found['tom.full']) > 0
    free = counts(folder, LIBOR, '--policy=tom-ideal', '--set', 'tom.sm_warps=4', *settings('values.paths=8192'))
    assert int(free['tom.most_pending']) > 48
    same(free['tom.full'], '0')


@case
def latency_only(folder):
    """without a bandwidth, learning takes less time, and latency still counts"""
    sample_runs.tag(folder, SCP, PAPER)
    learn = ['--policy=tom-ctrl', '--set', 'tom.map=tmap', *settings('values.pairs=16', 'values.n=4096')]
    none, slow, far = (int(counts(folder, SCP, *learn, *settings(*more))['tom.learning_cycles'])
                       for more in ([], ['tom.pcie_gbps=12'], ['tom.pcie_ns=2000']))
    assert none < far < 2.5 * none, (none, far)
    assert slow > none, (slow, none)


@case
def learnt_ahead(folder):
    """the first instances decide, in no time; with all of them it is the oracle"""
    sample_runs.tag(folder, SCP, PAPER)
    sizes = settings('values.pairs=16', 'values.n=4096')
    first = counts(folder, SCP, '--policy=tom-ctrl', '--set', 'tom.map=ahead', *sizes)
    same(first['tom.learning_cycles'], '0')
    assert int(first['tom.ranges_mapped']) == 2
    whole = counts(folder, SCP, '--policy=tom-ctrl', '--set', 'tom.map=ahead', '--set', 'tom.learn_share=100', *sizes)
    oracle = counts(folder, SCP, '--policy=tom-ctrl', '--set', 'tom.map=oracle', *sizes)
    same(whole['machine.cycles'], oracle['machine.cycles'])
    same(whole['map.rehearsed_chosen'], oracle['map.rehearsed_best'])


main()
