#!/usr/bin/env python3
"""Mechanisms of memories and networks under each way of offloading: the values of a functional run,
or a message that names the key that does not go with it.

usage: mechanisms.py BUILD-ROOT
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, environment, main

BUILD = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parent.parent / 'samples'
SIM = BUILD / 'cli/ptxoffload-sim'
KERNELS = ('chain', 'loads', 'sums', 'atomics')


def both(*settings):
    return ['%s_network.%s' % (side, word) for word in settings for side in ('request', 'reply')]


SECTORS = ['memory.sectors=true', 'llc.sector_bytes=32', 'l1.sector_bytes=32']
MECHANISMS = {
    'written sectors': ['l1.allocate_writes=true', 'l1.sector_bytes=32', 'l1.mshrs=512'],
    'banks of sectors': ['l1.banks=4', 'l1.bank_bytes=32', 'l1.port_bytes=32'],
    '256 ways': ['l1.sets=4', 'l1.ways=256'],
    'slices of a channel': ['memory.channel_slices=2'],
    'polynomial hashes': ['memory.rule=ipoly', 'llc.hash=ipoly', 'l1.hash=ipoly'],
    'packet-wide crossbar': both('topology=crossbar', 'packet_wide=true', 'nodes=64'),
    'clusters': both('topology=crossbar', 'packet_wide=true', 'nodes=64', 'clusters=7',
                     'cluster_nodes=8', 'cluster_ports=2'),
    'replies by sector': [*SECTORS, 'memory.sector_replies=true'],
    'replies of two sectors': [*SECTORS, 'memory.sector_replies=true', 'memory.reply_sectors=2'],
    'slow atomics': ['llc.atomic_latency=50'],
    'posted stores': ['core.posted_stores=true'],
    'copies to the LLC': ['machine.copies_to_llc=true'],
    'refresh by bank': ['dram.tREFI=900', 'dram.tRFC=30', 'dram.refresh=bank'],
    'bits of the bank': ['dram.bank_xor=false', 'dram.bank_bits=%s'],
    'two sides': ['memory.far_delay=50'],
    'asynchronous work': ['core.try_wait=100', 'core.bulk_latency=50', 'core.bulk_interval=3', 'core.cluster_latency=150',
                          'core.cluster_bytes=16', 'core.matrix_f16=64', 'core.mma_percent=60', 'core.wgmma_bytes=128',
                          'machine.cluster_cores=[4,3]'],
}
# How to offload: options, bits of a bank, what each refused mechanism is refused with.
STACKS = {'slices of a channel': 'memory.channel_slices'}
SCHEMES = {
    'nothing': ([], '[8,12,13]', {}),
    'llc': (['--policy=llc'], '[8,12,13]', {}),
    'omni': (['--policy=omni'], '[8,12,13]', {}),
    'adaptive': (['--policy=adaptive'], '[8,12,13]', {}),
    'tom': (['--config=tom', '--policy=tom-ctrl'], '[8,12,13,14]', STACKS),
    'omni beside stacks': (['--config=isca19-stacks', '--policy=omni'], '[8,12,13,14]', STACKS),
    'ari': (['--set=ari.injection=ari'], '[8,12,13]', {}),
    'ports of ari': (['--set=ari.injection=multiport'], '[8,12,13]',
                     {'packet-wide crossbar': 'packet_wide', 'clusters': 'packet_wide'}),
    'full/empty bits': (['--set=fe.enabled=true'], '[8,12,13]',
                        {'written sectors': 'l1.allocate_writes',
                         'replies by sector': 'memory.sector_replies',
                         'replies of two sectors': 'memory.sector_replies'}),
}


def tagged(folder):
    subprocess.run([BUILD / 'cli/ptxoffload', HERE / 'machines.ptx', '-o', folder / 'k.ptx'], check=True)


def run(folder, kernel, options):
    saved = folder / 'out.npy'
    saved.unlink(missing_ok=True)
    done = subprocess.run([SIM, 'k.ptx', '--kernel', kernel, '--grid', '5', '--block', '96', '--arg',
                           'buf:u32:1024:range:0:1000', '--arg', 'buf:u32:512:zero', '--arg', 'u32:480',
                           '--save', '1=out.npy', *options], cwd=folder, capture_output=True,
                          env=environment())
    return done.returncode, done.stderr.decode(), saved.read_bytes() if saved.exists() else None


def with_scheme(folder, scheme):
    options, bits, refused = SCHEMES[scheme]
    tagged(folder)
    expected = {kernel: run(folder, kernel, ['--functional'])[2] for kernel in KERNELS}
    for mechanism, settings in MECHANISMS.items():
        words = ['--set=' + (word % bits if '%' in word else word) for word in settings]
        for kernel in KERNELS:
            code, err, values = run(folder, kernel, options + words)
            if mechanism in refused:
                assert code == 1 and refused[mechanism] in err, (mechanism, code, err)
                break
            assert code == 0 and values == expected[kernel], (mechanism, kernel, code, err)


for name in SCHEMES:
    add_case('with %s: values, or the key that is refused' % name, with_scheme, name)


def sample(folder, path, *options):
    done = subprocess.run([SIM, SAMPLES / path, *options, '--json=out.json'], cwd=folder,
                          capture_output=True, env=environment())
    assert done.returncode == 0, done.stderr.decode()
    return json.loads((folder / 'out.json').read_text())


@case
def maps(folder):
    """maps of spatial cores on a machine with each mechanism"""
    plain = sample(folder, 'stream/run.yaml', '--config=rgpu')
    for mechanism, settings in MECHANISMS.items():
        if mechanism in ('packet-wide crossbar', 'clusters', 'bits of the bank', 'slices of a channel'):
            continue  # other numbers of nodes, banks and partitions
        found = sample(folder, 'stream/run.yaml', '--config=rgpu', *['--set=' + word for word in settings])
        assert found['checks'] == plain['checks'], mechanism


@case
def copies(folder):
    """copies leave their data in the LLC: no read of the DRAM, but for what was not copied"""
    cold = sample(folder, 'vecadd/run.yaml')['total']
    warm = sample(folder, 'vecadd/run.yaml', '--set=machine.copies_to_llc=true')['total']
    lines = -(-5000 * 4 // 128)
    assert cold['memory']['dram_reads'] - warm['memory']['dram_reads'] == 2 * lines, (cold, warm)
    assert warm['cycles'] < cold['cycles']


@case
def order(folder):
    """the order of evaluation changes nothing"""
    options = ['--set=' + word for name in ('written sectors', 'packet-wide crossbar', 'slices of a channel',
                                            'replies by sector', 'two sides', 'refresh by bank')
               for word in MECHANISMS[name]]
    texts = []
    for seed in ('1', '77'):
        sample(folder, 'srad/run.yaml', *options, '--stats=stats.txt', '--shuffle=' + seed)
        texts.append((folder / 'stats.txt').read_text())
    assert texts[0] == texts[1]


main()
