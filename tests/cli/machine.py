#!/usr/bin/env python3
"""ptxoffload --machine=NAME|FILE: costs with the sizes of a machine, by a formula of their own.

usage: machine.py BUILD-ROOT
"""
import json
import math
import os
import pathlib
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
TAGGER, SIMULATOR = BUILD / 'cli' / 'ptxoffload', BUILD / 'cli' / 'ptxoffload-sim'
MACHINES, PACKET, MASK, LANES, LINE, SECTOR = 60, 32, 1, 32, 128, 32

# d[S * i] = a[S * i] + b[S * i] with elements of four bytes; S is the distance in bytes
KERNEL = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 d)
{
    .reg .b32 %%r<20>; .reg .b64 %%d<20>; .reg .f32 %%f<9>;
    ld.param.u64 %%d1, [a]; ld.param.u64 %%d2, [b]; ld.param.u64 %%d3, [d];
    mov.u32 %%r2, %%ctaid.x; mov.u32 %%r3, %%ntid.x; mov.u32 %%r4, %%tid.x; mad.lo.u32 %%r5, %%r2, %%r3, %%r4;
    mul.wide.u32 %%d4, %%r5, %d;
    add.u64 %%d5, %%d1, %%d4; add.u64 %%d6, %%d2, %%d4; add.u64 %%d7, %%d3, %%d4;
    ld.global.f32 %%f1, [%%d5];
    ld.global.f32 %%f2, [%%d6];
    add.f32 %%f3, %%f1, %%f2;
    st.global.f32 [%%d7], %%f3;
    ret;
}
'''


def tagged(folder, distance, *options):
    """The metadata of the kernel, and what the tagger said"""
    (folder / 'k.ptx').write_text(KERNEL % distance)
    result = ends(run([TAGGER, 'k.ptx', '-o', 'out.ptx', '--metadata=out.json', '--candidates=blocks', *options], folder), 0)
    return json.loads((folder / 'out.json').read_text()), result.err.decode()


def put_machine(folder, m):
    (folder / 'm.yaml').write_text('''base: isca19
memory: {header_bytes: %(header)d, sectors: %(sectors)s, sector_bytes: %(unit)d, sector_replies: %(apart)s}
request_network: {flit_bytes: %(flit)d}
reply_network: {flit_bytes: %(flit)d}
core: {shared_bytes: %(shared)d}
l1: {sector_bytes: %(l1)d}
llc: {sector_bytes: %(unit)d}
offload: {service_queue: %(queue)d}
''' % {key: str(value).lower() if isinstance(value, bool) else value for key, value in m.items()})


def drawn(chance):
    sectors = chance.random() < .7
    unit = chance.choice((32, 32, 64))
    return {'flit': chance.choice((8, 16, 24, 32, 40, 64, 72, 128)), 'header': chance.randint(1, 48), 'sectors': sectors, 'unit': unit,
            'l1': chance.choice((unit, unit, 128)) if sectors else 128, 'shared': 1024 * chance.randint(48, 200),
            'apart': False, 'queue': chance.randint(8, 128)}


def units_of(m, distance):
    """Lines that a warp's access touches, its sectors, and the bytes of a sector"""
    size = SECTOR if m['sectors'] and m['unit'] == m['l1'] == SECTOR else LINE
    count = lambda bytes_: len({lane * distance // bytes_ for lane in range(LANES)})
    return count(LINE), count(size), size


def access(m, distance):
    """Flits of requests and replies"""
    lines, sectors, size = units_of(m, distance)
    packets = sectors if m['apart'] and size < LINE else lines
    data = sectors * size / packets
    return packets * (math.ceil(m['header'] / m['flit']) + math.ceil((m['header'] + data) / m['flit']))


def savings(m, distance):
    """Of the chain: with adjacent lanes, and with the lines that it touches; the flits of its answer"""
    answer, packet = math.ceil(m['header'] / m['flit']), math.ceil(PACKET / m['flit'])
    lines, _, _ = units_of(m, distance)
    sent = lines * (packet + answer + (MASK if lines > 1 else 0))
    return max(0, 3 * access(m, 4) - packet - answer), 3 * access(m, distance) - sent, answer


def words(m, distance):
    """Saved by the block in both directions: two loads without reuse, and a store of 32 words"""
    lines, sectors, size = units_of(m, distance)
    packets = sectors if m['apart'] and size < LINE else lines
    return 2 * packets + 32 + packets, 2 * sectors * size / 4 + packets / 4


def check(m, distance, document):
    kernel = document['kernels'][0]
    chain, block = kernel['chains'][0], kernel['blocks'][0]
    plain, expected, answer = savings(m, distance)
    same((m, distance, chain['saving'], chain['response']['flits']), (m, distance, plain, answer))
    assert abs(chain['expected_saving'] - expected) < 1e-9, (m, distance, chain, expected)
    same((m, distance, block['saved_tx'], block['saved_rx']), (m, distance, *words(m, distance)))


@case
def random_machines(folder):
    """chains and blocks cost what the machine's flits, headers and sectors say"""
    chance = random.Random(4)
    for _ in range(MACHINES):
        m, distance = drawn(chance), 4 * 2 ** chance.randint(0, 6)
        m['apart'] = m['sectors'] and m['l1'] <= m['unit'] and chance.random() < .5
        put_machine(folder, m)
        document, said = tagged(folder, distance, '--machine=m.yaml')
        check(m, distance, document)
        same(said.count('note'), 0)
        queue = document['kernels'][0]['service_queue_at_core']
        same(queue, m['queue'] * 256 <= m['shared'])


@case
def usual(folder):
    """isca19 has the costs of the default"""
    for distance in (4, 8, 128):
        plain, machine = (tagged(folder, distance, *options)[0]['kernels'][0] for options in ((), ('--machine=isca19',)))
        same((machine['chains'], machine['blocks']), (plain['chains'], plain['blocks']))


@case
def explicit(folder):
    """values of --capability replace those of the machine, and a note lists them"""
    m = {'flit': 64, 'header': 8, 'sectors': True, 'unit': 32, 'l1': 32, 'shared': 98304, 'apart': True, 'queue': 96}
    (folder / 'c.yaml').write_text('flit_bytes: 64\nvector: 2\n')
    for options in (('--machine=v100', '--capability=c.yaml'), ('--capability=c.yaml', '--machine=v100')):
        document, said = tagged(folder, 8, *options)
        check(m, 8, document)
        within('note: --capability replaces values of --machine=v100: flit_bytes: 64, vector: 2\n', said)
        same(document['options']['capability'], 'flit_bytes: 64, header_bytes: 8, sectors: true, sector_packets: true, vector: 2, '
             'shared_bytes: 98304')
    same('note' in tagged(folder, 8, '--capability=c.yaml')[1], False)
    result = run([TAGGER, 'out.ptx', '--machine=v100', '--report=json'], folder)  # decided again
    same(json.loads(ends(result, 0).out)['options']['capability'],
         'flit_bytes: 40, header_bytes: 8, sectors: true, sector_packets: true, shared_bytes: 98304')


@case
def tom(folder):
    """TOM's model does not depend on the machine"""
    blocks = [tagged(folder, 8, '--cost=tom', *options)[0]['kernels'][0]['blocks'] for options in ((), ('--machine=v100',))]
    for members in blocks:
        for block in members:
            del block['alternatives']
    same(*blocks)


@case
def other_files(folder):
    """a gpgpusim.config is a machine, too; faults of a file have its place"""
    (folder / 'm.config').write_text('-config isca19\n-gpgpu_shmem_size 65536\n')
    same(tagged(folder, 4, '--machine=m.config')[0]['options']['capability'], 'header_bytes: 8, shared_bytes: 65536')
    (folder / 'm.yaml').write_text('base: isca19\nrequest_network: {flit_bytes: 4}\n')
    result = ends(run([TAGGER, 'k.ptx', '--machine=m.yaml'], folder), 1, out='')
    within("--machine:1:13: error: 'flit_bytes' must be a whole number from 8 to 128", result.err.decode())
    (folder / 'm.yaml').write_text('base: isca19\ncore: {warpz: 4}\n')
    within("m.yaml:2:8: error: 'core' has no key 'warpz'",
           ends(run([TAGGER, 'k.ptx', '--machine=m.yaml'], folder), 1, out='').err.decode())


@case
def dependencies(folder):
    """the rule of -MD has the files of a machine, and no name"""
    (folder / 'base.yaml').write_text('base: isca19\n')
    (folder / 'm.yaml').write_text('base: base.yaml\n')
    for machine, expected in (('m.yaml', 'out.ptx: k.ptx base.yaml m.yaml'), ('v100', 'out.ptx: k.ptx')):
        tagged(folder, 4, '--machine=' + machine, '-MD')
        same(sorted((folder / 'out.d').read_text().replace('\\\n', '').split()), sorted(expected.split()))


@case
def unknown(folder):
    """the machines are listed after a name that none of them has"""
    (folder / 'k.ptx').write_text(KERNEL % 4)
    known = [line for line in ends(run([SIMULATOR, '--list-configs'], folder), 0).out.decode().split() if '/' not in line]
    for option in ('--machine', '--placement'):
        result = ends(run([TAGGER, 'k.ptx', option + '=h900'], folder), 1, out='')
        within("%s: error: there is no configuration 'h900'" % option, result.err.decode())
        within('note: machines: %s\n' % ', '.join(known), result.err.decode())


main()
