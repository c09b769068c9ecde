#!/usr/bin/env python3
"""Whatever is offloaded, the samples leave the same in memory, byte for byte.

usage: policies.py BUILD-ROOT
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import SANITIZED, add_case, case, main, same
from sample_runs import PROGRAM, RUNS, SAMPLES, execute, name_of, same_buffers, tag

POLICIES = policies_of(PROGRAM)
# Other tests run the others with sanitizers; what they compute is compared without.
CHOSEN = ('adaptive',) if SANITIZED else POLICIES
# Options of the tagger; under --fma=fused nothing is divided, as in the program itself.
SPLIT = ['--fma=split']
TAGGED = (SPLIT,) if SANITIZED else (['--fma=fused'], SPLIT, [*SPLIT, '--no-reorder'])
# Folders and run files in which nothing can be offloaded.
WITHOUT_CHAINS = {'blackscholes', 'conv', 'fiblookup', 'fwt', 'hist', 'histogram64', 'hw', 'integr', 'libor',
                  'matrixmul', 'mriq', 'mum', 'nw', 'path/run.yaml', 'ray', 'red/run-stride.yaml'}
SMALL = [option for key in ('l1.sets=1', 'l1.ways=2', 'llc.sets=4', 'llc.ways=2', 'offload.queue=4',
                            'offload.service_queue=3', 'offload.buffer=1', 'offload.partial=true',
                            'offload.core_alu=dedicated') for option in ('--set', key)]
# whose routers compute; small ones, so that networks and queues fill up
BUTTERFLIES = [option for key in ('request_network.topology=fly', 'reply_network.topology=fly',
                                  'request_network.router_nodes=true', 'reply_network.router_nodes=true',
                                  'reply_network.reversed=true') for option in ('--set', key)]
NARROW = [option for key in ('request_network.injection_queue=2', 'reply_network.injection_queue=6',
                             'request_network.vc_buffer=2', 'reply_network.vc_buffer=2',
                             'memory.reply_queue=1') for option in ('--set', key)]
BUTTERFLY_RUNS = ([('omni', SMALL + NARROW)] if SANITIZED else
                  [('omni', []), ('omni', SMALL + NARROW), ('adaptive', [])])


def sample(folder, path):
    """every policy, however the program was tagged"""
    offloaded = 0
    never = bool({path.parent.name, name_of(path)} & WITHOUT_CHAINS)
    for options in (SPLIT,) if never else TAGGED:
        tag(folder, path, options)
        expected, plain = execute(folder, path, '--functional')
        assert expected
        # The baseline reads no tags: it is the same machine, however the program is tagged.
        for policy in [name for name in CHOSEN if name != 'baseline' or options == SPLIT]:
            what = ' '.join(options) + ' ' + policy
            found, summary = execute(folder, path, '--policy=' + policy)
            same_buffers(found, expected, what)
            for key in ('warp_instructions', 'thread_instructions'):
                same(summary['total'][key], plain['total'][key])
            chains = summary['total']['offload']
            assert (chains['chains_tagged'] or 0) >= (chains['chains_offloaded'] or 0)
            offloaded += chains['chains_offloaded'] or 0
        found, _ = execute(folder, path, '--policy=omni', *SMALL)
        same_buffers(found, expected, ' '.join(options) + ' small machine')
        if options != SPLIT or never:
            continue
        for policy, machine in BUTTERFLY_RUNS:
            found, _ = execute(folder, path, '--policy=' + policy, *BUTTERFLIES, *machine)
            same_buffers(found, expected, ' '.join(options) + ' butterflies')
    # With fewer policies a sample may offload nothing that would offload under others.
    assert offloaded == 0 if never else offloaded or SANITIZED


for each in RUNS:
    add_case(name_of(each), sample, each)


@case
def repeated(folder):
    """the same statistics again, in another order of evaluation, and with more threads"""
    for name in ('srad',) if SANITIZED else ('bfs', 'srad'):
        path = SAMPLES / name / 'run.yaml'
        tag(folder, path, ['--fma=split'])
        for policy, machine in [(policy, []) for policy in CHOSEN] + [('omni', BUTTERFLIES)]:
            texts = []
            for more in ([], ['--shuffle=5'], ['--threads=3']):
                execute(folder, path, '--policy=' + policy, '--stats=stats.txt', *machine, *more)
                texts.append((folder / 'stats.txt').read_bytes())
            same(len(set(texts)), 1)


@case
def resumed(folder):
    """from a checkpoint, to the same memory and statistics"""
    path = SAMPLES / 'bfs' / 'run.yaml'
    tag(folder, path, ['--fma=split'])
    for policy in CHOSEN:
        options = ['--policy=' + policy, '--stats=stats.txt', '--checkpoint=state',
                   '--checkpoint-every=4']
        expected, _ = execute(folder, path, *options)
        stats = (folder / 'stats.txt').read_bytes()
        for stop in (4, 9):
            execute(folder, path, *options, '--stop-after=%d' % stop)
            found, _ = execute(folder, path, *options, '--resume=state')
            same_buffers(found, expected, policy)
            same((folder / 'stats.txt').read_bytes(), stats)


main()
