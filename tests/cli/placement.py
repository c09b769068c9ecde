#!/usr/bin/env python3
"""ptxoffload --placement=CONFIG: where a machine computes the chains of a program, and where its arrays should lie.

usage: placement.py BUILD-ROOT
"""
import itertools
import json
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
TAGGER, SIMULATOR = BUILD / 'cli' / 'ptxoffload', BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'

# d[i] = a[i + first] + b[i + second]; the pointers are in %d1 to %d3, i in %r5, 4 * i in %d4
KERNEL = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d, .param .u32 shift)
{
    .reg .pred %%p<4>; .reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .f32 %%f<9>;
    ld.param.u64 %%d1, [a]; ld.param.u64 %%d2, [b]; ld.param.u64 %%d3, [d]; ld.param.u32 %%r6, [shift];
    mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x; mov.u32 %%r4, %%tid.x; mad.lo.u32 %%r5, %%r2, %%r3, %%r4;
    mul.wide.u32 %%d4, %%r5, 4;
%s
    ret;
}
'''
ONE_ARRAY = '''    add.u64 %%d5, %%d1, %%d4;
    ld.global.f32 %%f1, [%%d5+%d];
    ld.global.f32 %%f2, [%%d5+%d];
    add.f32 %%f3, %%f1, %%f2;
    st.global.f32 [%%d5+%d], %%f3;'''
ARRAYS = '''    add.u64 %%d5, %%d1, %%d4; add.u64 %%d6, %%d2, %%d4; add.u64 %%d7, %%d3, %%d4;
    ld.global.f32 %%f1, [%%d5+%d];
    ld.global.f32 %%f2, [%%d6+%d];
    add.f32 %%f3, %%f1, %%f2;
    st.global.f32 [%%d7+%d], %%f3;'''


def placed(folder, *arguments):
    result = run([TAGGER, *arguments, '--report=json'], folder)
    ends(result, 0)
    return json.loads(result.out)


def placement(folder, body, *options, config='isca19'):
    (folder / 'k.ptx').write_text(KERNEL % body)
    return placed(folder, 'k.ptx', '--placement=%s' % config, *options)


def only_chain(document):
    same([len(kernel['chains']) for kernel in document['kernels']], [1])
    return document['kernels'][0]['chains'][0]


def near(have, expected, text):
    assert abs(have - expected) < 1e-6, '%s: %r, not %r' % (text, have, expected)


# Shares

def share_together(offsets, bases, period, chunk, granule=256):
    """share of places of the first operand, and of all unknown bases, at which all operands are in one partition;
    operand k is at bases[k] + offsets[k], and bases[k] is a number of an unknown multiple of `granule`"""
    unknown = sorted(set(bases))
    hits = every = 0
    for place in range(0, period, 4):
        for values in itertools.product(range(0, period, granule), repeat=len(unknown) - 1):
            at = dict(zip(unknown, (0,) + values))
            parts = {(place + at[base] + offset) % period // chunk for base, offset in zip(bases, offsets)}
            hits += len(parts) == 1
            every += 1
    return hits / every


@case
def random_offsets(folder):
    """the share of instances in one partition, beside a sum over all places, for random offsets and machines"""
    source = random.Random(7)
    for number in range(24):
        partitions, chunk = source.choice(((8, 128), (4, 256), (8, 256), (2, 512), (6, 128)))
        nodes = sorted(source.sample(range(64), partitions))
        (folder / 'm.yaml').write_text('base: isca19\nmemory: {partition_nodes: %s, chunk: %d, cores: %d}\n' %
                                       (nodes, chunk, 64 - partitions))
        offsets = [source.choice((0, 4, 128, 132, 256, 640, 1024, 4096)) for _ in range(3)]
        body, bases = source.choice(((ONE_ARRAY, (0, 0, 0)), (ARRAYS, (0, 1, 2))))
        if body is ONE_ARRAY and len(set(offsets)) < 3:
            continue  # a line that is loaded and stored is another pattern
        chain = only_chain(placement(folder, body % tuple(offsets), config='m.yaml'))
        first = offsets[0]
        expected = share_together([offset - first for offset in offsets], bases, partitions * chunk, chunk)
        near(chain['instances']['one_partition'], expected, '%s of %d * %d' % (offsets, partitions, chunk))
        result = chain['instances']
        near(sum(result[key] for key in ('one_partition', 'meet_at_core', 'meet_at_partition', 'no_node')), 1, 'sum')


def beside_simulation(folder, lines):
    """an operand so many lines behind the other: the shares are those of a run on all cores"""
    body = '''    add.u64 %%d5, %%d1, %%d4; add.u64 %%d7, %%d3, %%d4;
    ld.global.f32 %%f1, [%%d5];
    ld.global.f32 %%f2, [%%d5+%d];
    add.f32 %%f3, %%f1, %%f2;
    mul.f32 %%f4, %%f3, %%f3; fma.rn.f32 %%f5, %%f4, %%f3, %%f4;
    st.global.f32 [%%d7], %%f5;''' % (4 * 65536 + 128 * lines)
    body = body.replace('%%', '%')
    shares = only_chain(placement(folder, body))['instances']
    ends(run([TAGGER, 'k.ptx', '-o', 't.ptx', '-q'], folder), 0)
    (folder / 'run.yaml').write_text('''program: t.ptx
buffers:
  a: {type: f32, count: 131072, fill: iota}
  d: {type: f32, count: 57344}
launches: [{kernel: k, grid: 224, block: 256, args: [a, a, d, 0]}]
''')
    # Each core has four CTAs, whose eight warps read lines of all partitions. No line is twice in an L1.
    ends(run([SIMULATOR, 'run.yaml', '--config=isca19', '--policy=omni', '--set', 'offload.service_queue=96', '--set',
              'offload.lookups=first', '--set', 'offload.queue=256', '--stats=s.json', '-q'], folder), 0)
    stats = json.loads((folder / 's.json').read_text())['total']['statistics']
    chains = stats['offload.chains_tagged']
    same(chains, 224 * 8)
    tried = chains - stats['offload.discarded_hit'] - stats['offload.discarded_conflict'] - stats['offload.discarded_full']
    assert tried > chains * .8, '%d of %d' % (tried, chains)
    for share, have in ((shares['meet_at_core'], stats['offload.packets_to_cores']),
                        (shares['no_node'], stats['offload.discarded_emn']),
                        (shares['one_partition'] + shares['meet_at_partition'], stats['offload.packets_to_llc'])):
        assert abs(have / tried - share) < .02, '%d lines: %g, not %g' % (lines, have / tried, share)


for lines in (1, 3, 4, 8, 17):
    add_case('shares of a run: %d lines apart' % lines, beside_simulation, lines)


# Costs

@case
def costs_by_hand(folder):
    """flits of one partition: two loads of 1 + 5, a store of 5 + 1; or a packet and an acknowledgement"""
    chain = only_chain(placement(folder, ONE_ARRAY % (0, 1024, 2048)))['instances']
    near(chain['one_partition'], 1, 'share')
    for way, ports in (('baseline', 5 + 5 + 1), ('llc', 1), ('omni', 1), ('operand', 1)):
        near(chain[way]['port_flits'], ports, way)
    near(chain['baseline']['flit_hops'] / chain['llc']['flit_hops'], 18 / 2, 'hops')
    # Other partitions: one operand and the acknowledgement of the store travel, or both and the result's response.
    apart = only_chain(placement(folder, ONE_ARRAY % (0, 128, 1024 + 128)))['instances']
    near(apart['one_partition'], 0, 'share')
    # At the first load's partition its operand stays; the store is with the second one: 5 + 1 + 1, or 5 + 1.
    near(apart['operand']['port_flits'], (5 + 1 + 1 + 5 + 1) / 2, 'operand')


# Proposals

@case
def proposal_helps(folder):
    """arrays placed as proposed: all chains are computed by one partition, and the run is faster"""
    kernel = placed(folder, SAMPLES / 'vecadd' / 'vecadd.ptx', '--placement=isca19')['kernels'][0]
    same([base['place'] for base in kernel['proposal']], [0, 0, 0])
    near(kernel['chains'][0]['proposed']['one_partition'], 1, 'share')
    ends(run([TAGGER, SAMPLES / 'vecadd' / 'vecadd.ptx', '-o', 'v.ptx', '-q'], folder), 0)
    cycles = {}
    for name, places in (('apart', (0, 256, 512)), ('proposed', (0, 0, 0))):
        (folder / 'run.yaml').write_text('program: v.ptx\nbuffers:\n' + ''.join(
            '  %s: {type: f32, count: 65536, fill: iota, address: %d}\n' % (array, (7 << 44) + (1 << 28) * (number + 1) + place)
            for number, (array, place) in enumerate(zip('abc', places))) +
            'launches: [{kernel: vecadd, grid: 256, block: 256, args: [a, b, c, 65536]}]\n')
        ends(run([SIMULATOR, 'run.yaml', '--config=isca19', '--policy=llc', '--stats=s.json', '-q'], folder), 0)
        stats = json.loads((folder / 's.json').read_text())['total']['statistics']
        cycles[name] = stats['machine.cycles']
        same(stats['offload.discarded_emn'] == 0, name == 'proposed')
    assert cycles['proposed'] * 1.2 < cycles['apart'], cycles


@case
def proposal_of_several(folder):
    """offsets within the arrays count; two chains that disagree get the place of the one that saves more"""
    chain = placement(folder, ARRAYS % (0, 384, 128))
    places = {base['base']: base['place'] for base in chain['kernels'][0]['proposal']}
    same(places, {'[a]': 0, '[b]': (0 - 384) % 1024, '[d]': (0 - 128) % 1024})
    near(only_chain(chain)['proposed']['one_partition'], 1, 'share')


@case
def no_proposal(folder):
    """operands of one array keep their distance; with memory.rule xor no place is proposed"""
    document = placement(folder, ONE_ARRAY % (0, 128, 256))
    same(document['kernels'][0]['proposal'], [])
    (folder / 'x.yaml').write_text('base: isca19\nmemory: {rule: xor}\n')
    document = placement(folder, ARRAYS % (0, 0, 0), config='x.yaml')
    same((document['period'], document['kernels'][0]['proposal']), (0, []))
    share = only_chain(document)['instances']['one_partition']
    assert abs(share - 1 / 64) < .004, share


@case
def mistakes(folder):
    """no such machine, a machine whose routers compute, other modes, no chain"""
    (folder / 'k.ptx').write_text(KERNEL % (ARRAYS % (0, 0, 0)))
    out = run([TAGGER, 'k.ptx', '--placement=isca20'], folder)
    assert out.code and 'isca20' in out.err.decode(), out
    (folder / 'r.yaml').write_text('base: isca19\nrequest_network: {topology: fly, router_nodes: true}\n'
                                   'reply_network: {topology: fly, router_nodes: true, reversed: true}\n')
    out = run([TAGGER, 'k.ptx', '--placement=r.yaml'], folder)
    assert out.code and 'router_nodes' in out.err.decode(), out
    for option in ('--check', '-o', '--metadata', '--overlap', '--emit'):
        value = {'-o': ['x.ptx'], '--metadata': ['=x'], '--emit': ['=ir']}.get(option, [])
        words = [option + value[0]] if value and value[0][0] == '=' else [option, *value]
        out = run([TAGGER, 'k.ptx', '--placement=isca19', *words], folder)
        assert out.code and '--placement' in out.err.decode(), (option, out)
    (folder / 'e.ptx').write_text(KERNEL % '')
    ends(run([TAGGER, 'e.ptx', '--placement=isca19'], folder), 0, '', 'no chain\n')


@case
def all_machines_and_samples(folder):
    """every sample on machines of each kind: shares add up"""
    for machine in ('isca19', 'isca19-gpgpusim', 'gtx480', 'tom'):
        for sample in sorted(SAMPLES.glob('*/*.ptx')):
            document = placed(folder, sample, '--placement=' + machine)
            for kernel in document['kernels']:
                for chain in kernel['chains']:
                    result = chain['instances']
                    near(sum(result[key] for key in ('one_partition', 'meet_at_core', 'meet_at_partition', 'no_node')), 1,
                         '%s on %s' % (sample, machine))
                    if kernel['proposal']:
                        assert chain['proposed']['baseline']['port_flits'] > 0


main()
