#!/usr/bin/env python3
"""Several devices in one process: calls, values, times and results.

usage: devices.py BUILD-ROOT
"""
import json
import pathlib
import re

import lib
from lib import RUN, simulate
from tap import add_case, case, ends, main, run, same, within

MODES = {'values': ['--functional'], 'cycles': ['-w']}
CUDA = lib.BUILD / 'cli' / 'cuda'


def compiled(name):
    """A program that needs no nvcc."""
    to = pathlib.Path(lib.MADE.name)
    image = lib.fatbin(to, (lib.PROGRAMS / 'devices.ptx').read_bytes())
    ends(run(['cc', '-O1', '-w', *image, lib.PROGRAMS / (name + '.c'), CUDA / 'libcudart.so.13',
              CUDA / 'libcuda.so.1', '-lpthread', '-o', name], to), 0)
    return to / name


PROGRAM, RANDOM, WORDS = compiled('devices'), compiled('devices_random'), compiled('words')


def passes(folder, way, devices, mode):
    result = simulate(folder, PROGRAM, '--devices=%d' % devices, *MODES[mode], arguments=[way, str(devices)])
    ends(result, 0, out='PASSED\n')
    return result.err.decode()


def random(folder, devices, seed, steps, *options):
    ends(simulate(folder, RANDOM, *['--devices=%d' % devices] * (devices > 1), *options,
                  arguments=map(str, (devices, seed, steps))), 0, out='PASSED\n')


for mode in MODES:
    for way, devices, text in (('properties', 3, 'count, numbers, attributes, and what there is not'),
                               ('errors', 2, 'errors of peer access, and of streams and events of another device'),
                               ('memory', 3, 'variables, managed and pinned memory, and the reset of one device'),
                               ('events', 4, 'works in order by events of other devices'),
                               ('poll', 2, 'a kernel polls what a kernel of another device stores'),
                               ('threads', 4, 'a thread for each device'),
                               ('driver', 2, 'contexts, peer copies, mapped memory and pools of the driver')):
        add_case('%s, %s' % (text, mode), passes, way, devices, mode)
    for devices in (1, 2, 3, 4):
        for seed in range(3):
            add_case('random calls %d on %d devices, %s' % (seed, devices, mode), random, devices, seed,
                     500 if mode == 'values' else 100, *MODES[mode])
add_case('random calls on 16 devices', random, 16, 9, 500, '--functional')
add_case('random calls with slack', random, 3, 5, 300, '--functional', '--slack=64K')
add_case('random calls with several host threads', random, 3, 6, 300, '--functional', '--threads=3')


def words(folder, devices, mode):
    """streams wait for words and write them"""
    ends(simulate(folder, WORDS, '--devices=%d' % devices, *MODES[mode], arguments=[mode, str(devices)]), 0, out='PASSED\n')


for mode in MODES:
    for devices in (1, 2):
        add_case('streams wait for words in memory of %d devices, %s' % (devices, mode), words, devices, mode)


def faults(folder, mode):
    """Access without permission is a fault, which names the remedy."""
    said = passes(folder, 'fault', 2, mode)
    within("is in no allocation: kernel 'bump', launch 2", said)
    within('is in memory of device 1; cudaDeviceEnablePeerAccess(1, 0) lets kernels of device 0 access it', said)


for mode in MODES:
    add_case('access without permission, ' + mode, faults, mode)


def times_of(folder, way, *options):
    out = ends(simulate(folder, PROGRAM, *options, arguments=[way, '2']), 0).out.decode()
    return [float(word) for word in out.split()[:-1]]


def near(got, expected, by=0.02):
    assert abs(got - expected) <= by * expected, (got, expected)


@case
def link(folder):
    """copies and accesses take the time of the link"""
    for gbps, us in ((6.8, 1), (50, 0.5), (2, 4)):
        keys = ['--devices=2', '--set=peer.link_gbps=%g' % gbps, '--set=peer.latency_us=%g' % us]
        within_device, between, _, _ = times_of(folder, 'times', '--functional', *keys)
        near(between - within_device, 65536 / gbps / 1000 + us)
        own, between, load, far_load = times_of(folder, 'times', *keys)
        at_least = 65536 / gbps / 1000 + us
        assert at_least <= between - 7.2 < at_least * 1.1 + 1, (between, at_least)
        near((far_load - load) / 64, 2 * us, 0.05)  # loads of which each waits for the one before
    one, two = times_of(folder, 'overlap', '--devices=2')
    assert two - one < 0.3 * one, (one, two)  # machines run side by side


def results(folder, *options):
    """The files of a run with two devices."""
    ends(simulate(folder, RANDOM, '--devices=2', '-w', '--json=r.json', '--stats=s.csv', *options,
                  arguments=['2', '2', '200']), 0, out='PASSED\n')
    files = [folder / name for name in ('s-0.csv', 's-1.csv')]
    documents = [json.loads((folder / name).read_text()) for name in ('r-0.json', 'r-1.json')]
    for document in documents:
        del document['host']
    return documents, [file.read_bytes() for file in files]


@case
def sections(folder):
    """each device has results of its own, which are the same in each run and order of evaluation"""
    documents, stats = results(folder)
    same([document['device'] for document in documents], [0, 1])
    for document, table in zip(documents, stats):
        same(document['configuration']['resolved']['peer'], {'link_gbps': 6.8, 'latency_us': 1})
        rows = {name: float(value) for name, value in re.findall(r'^,(peer\.\w+),\w+,([\d.]+)$', table.decode(), re.M)}
        assert rows['peer.requests'] and rows['peer.cycles_mean'] >= 2 * 1400, rows  # 1400 MHz, 1 us
    assert documents[0]['total']['cycles'] != documents[1]['total']['cycles']
    same(results(folder), (documents, stats))
    same(results(folder, '--shuffle=7')[1], stats)


@case
def machines(folder):
    """--devices=MACHINE,MACHINE gives each device a machine"""
    ends(simulate(folder, RANDOM, '--devices=gtx480,isca19', '--json=r.json', '-w', arguments=['2', '4', '60']), 0)
    names = [json.loads((folder / ('r-%d.json' % i)).read_text())['configuration']['inputs'][0]['file'] for i in (0, 1)]
    same(names, ['gtx480', 'isca19'])


@case
def one(folder):
    """--devices=1 changes nothing"""
    files = []
    for options in ([], ['--devices=1']):
        ends(simulate(folder, RANDOM, '--json=r.json', '--stats=s.csv', *options, arguments=['1', '4', '60']), 0)
        document = json.loads((folder / 'r.json').read_text())
        del document['host']
        files.append((document, (folder / 's.csv').read_bytes()))
    same(files[0], files[1])
    assert 'device' not in document and 'peer' not in files[0][1].decode()


@case
def refused(folder):
    """what is for one device is refused with what to do"""
    for option in ('--record=x', '--overlap=x'):
        said = ends(run([RUN, '--devices=2', option, '--', 'true'], folder), 2).err.decode()
        within('is for one device: leave out --devices', said)
    for devices in ('0', '17', 'x,', '-1'):
        within('expected 1 to 16 devices', ends(run([RUN, '--devices=' + devices, '--', 'true'], folder), 2).err.decode())
    for options, text in ((['--devices=gtx480,nomachine'], "there is no configuration 'nomachine'"),
                          (['--set=peer.link_gbps=1'], "unknown section 'peer'"),
                          (['--devices=2', '--set=fe.enabled=true'], 'full/empty bits are for one device')):
        within(text, ends(simulate(folder, RANDOM, *options, arguments=['2', '1', '1']), 1).err.decode())


main(at_a_time=2)
