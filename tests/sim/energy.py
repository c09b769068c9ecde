#!/usr/bin/env python3
"""Energy of runs: joules of a program that is counted by hand, sums over components, kernels and time, sets of papers,
power of a GPU of the GTX 480's class, DRAM power of constant patterns.

usage: energy.py BUILD-ROOT
"""
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from counted_kernel import CODE_LINES, LAUNCHES, LINE_BITS, LINES, THREADS, WARPS, counted
from tap import case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER, DRAM = (BUILD / 'cli' / name for name in ('ptxoffload-sim', 'ptxoffload', 'ptxoffload-dram'))
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'


def results(folder, *arguments):
    """the energy of the results, of all kernels together, and the statistics"""
    ends(run([PROGRAM, *arguments, '--stats=s.json', '--json=r.json'], folder), 0)
    found = json.loads((folder / 'r.json').read_text())
    stats = json.loads((folder / 's.json').read_text())
    return found, stats['total']['statistics'], stats


def near(got, expected, part, least=0):
    assert abs(got - expected) <= max(part * abs(expected), least), (got, expected)


@case
def by_hand(folder):
    """each component of a program whose events are counted by hand, with the costs of [000]'s set"""
    units, reads, writes = zip(*counted(folder))
    units = collections.Counter(units)
    threads, warps = LAUNCHES * THREADS, LAUNCHES * WARPS
    pairs = (len(reads) + 1) // 2
    found, statistics, _ = results(folder, 'counted.yaml')
    # Lines: code and the first load miss, the second load hits; a store hits what was loaded.
    expected = {
        'fetch': warps * (len(reads) * 17.3 + 2 * pairs * 5.9 + (pairs - CODE_LINES) * 150),
        'registers': threads * (sum(map(int, reads)) * 2.5 + sum(map(int, writes)) * 2.14),
        'alus': threads * (units['int'] * 6.92 + units['fp32'] * 9.99 + units['fp64'] * 14.7 + units['sfu'] * 7.5),
        'shared_memory': threads * units['shared'] * 113,
        'l1': LAUNCHES * LINES * (506 + 338 + 37.3 + 393),
        'llc': (CODE_LINES + LINES) * 68.8 + 3 * LINES * 270,
        'static': (32.3 + 2 * 64 * 0.2) / 1.4e9 * 1e12 * statistics['machine.cycles'],
    }
    rows = statistics['memory.dram_activate']
    expected['dram'] = rows * 4 * 824 + (CODE_LINES + LINES) * LINE_BITS * 1.46
    parts = found['total']['energy']['components']
    for name, picojoules in expected.items():
        near(parts[name]['joules'], picojoules * 1e-12, 1e-9)
        near(statistics['energy.' + name], picojoules, 0, 0.5 + 1e-9 * picojoules)


@case
def sums(folder):
    """components add up to the total, kernels to the program, the least to the value to the most"""
    found, statistics, stats = results(folder, SAMPLES / 'stream' / 'run.yaml', '--config=gtx480')
    total = found['total']['energy']
    for of in [total, *(kernel['energy'] for kernel in found['kernels'])]:
        for key in 'joules', 'least', 'most':
            near(sum(part[key] for part in of['components'].values()), of[key], 1e-12)
        for part in of['components'].values():
            assert part['least'] <= part['joules'] <= part['most'], part
        near(of['watts'] * of['seconds'], of['joules'], 1e-12)
        near(of['delay_product'], of['joules'] * of['seconds'], 1e-12)
    for key in 'joules', 'seconds':
        near(sum(kernel['energy'][key] for kernel in found['kernels']), total[key], 1e-9)
    near(statistics['energy.total'], total['joules'] * 1e12, 1e-6)
    near(statistics['energy.power'], total['watts'], 1e-6)
    near(statistics['machine.thread_instructions'] / total['joules'], total['instructions_per_joule'], 1e-9)
    names = {name[7:] for name in statistics if name.startswith('energy.')}
    assert set(total['components']) <= names, names
    assert {'total', 'least', 'most', 'power'} <= names


@case
def over_time(folder):
    """power in the trace and in the time series, integrated, is the energy of the run"""
    ends(run([PROGRAM, SAMPLES / 'vecadd' / 'run.yaml', '--stats=s.json', '--trace=t.json', '--series=s.csv',
              '--interval=100'], folder), 0)
    statistics = json.loads((folder / 's.json').read_text())['total']['statistics']
    events = [event for event in json.loads((folder / 't.json').read_text())['traceEvents']
              if event['ph'] == 'C' and event['name'] == 'W']
    cycles = statistics['machine.cycles']
    begins = [event['ts'] for event in events]
    same(begins, list(range(0, cycles, 100)))
    spans = [end - begin for begin, end in zip(begins, begins[1:] + [cycles])]
    joules = sum(sum(event['args'].values()) * span / 1.4e9 for event, span in zip(events, spans))
    near(joules, statistics['energy.total'] * 1e-12, 1e-4)
    rows = [line.split(',') for line in (folder / 's.csv').read_text().splitlines()]
    column = rows[0].index('energy.power')
    for event, row in zip(events, rows[1:]):
        near(float(row[column]), sum(event['args'].values()), 1e-4)


@case
def events(folder):
    """each event of the model is a statistic of the machine"""
    for arguments in (['--policy=omni'], ['--config=tom', '--policy=tom-ctrl'], ['--config=ari'], ['--config=rgpu'],
                      ['--config=gtx480'], ['--set', 'fe.enabled=true']):
        listed = ends(run([PROGRAM, '--list-stats', *arguments], folder), 0).out.decode()
        text = ends(run([PROGRAM, '--list-energy', *arguments], folder), 0).out.decode()
        found = re.findall(r'^\S+ +([a-z]\w*\.[a-z]\w*) ', text, re.M)
        assert len(found) > 20, text
        for name in found:
            assert re.search('^%s  #' % re.escape(name), listed, re.M), (arguments, name)


@case
def offloading(folder):
    """what a chain saves and costs is in the components: registers and ALUs of cores, queues and ALUs elsewhere"""
    ends(run([TAGGER, SAMPLES / 'vecadd' / 'vecadd.ptx', '-o', 'tagged.ptx', '-w'], folder), 0)
    base, plain, _ = results(folder, SAMPLES / 'vecadd' / 'run.yaml')
    omni, tagged, _ = results(folder, SAMPLES / 'vecadd' / 'run.yaml', '--program=tagged.ptx', '--policy=omni')
    assert 'offload' not in base['total']['energy']['components']
    count = {name[8:]: value for name, value in tagged.items() if name.startswith('offload.')}
    near(tagged['energy.offload'],
         27.5 * (count['queue_write'] + count['service_write'] + 4 * count['buffer_write']) +
         26.3 * (count['queue_read'] + count['service_read'] + count['table_read'] + 4 * count['buffer_read']) +
         32 * 113 * (count['operand_write'] + count['operand_read'] + count['shared_write'] + count['shared_read']) +
         6.92 * count['alu_int'] + 9.99 * count['alu_fp32'] + 338 * count['lookups'], 1e-6)
    near(plain['energy.alus'] - tagged['energy.alus'], 9.99 * 5000, 1e-6)
    assert tagged['energy.registers'] < plain['energy.registers']


@case
def links(folder):
    """stacks: 2 pJ for a bit on a link, 1.5 for one that it could have carried, 11.8 nJ for a row"""
    _, statistics, _ = results(folder, SAMPLES / 'libor' / 'run.yaml', '--config=tom')
    near(statistics['energy.links'], 2 * statistics['stack.offchip_link'] + 1.5 * statistics['stack.offchip_link_idle'],
         1e-6)
    near(statistics['energy.stacks'],
         11800 * statistics['stack.stack_row_activate'] + 4 * statistics['stack.stack_row_read'], 1e-6)


@case
def keys(folder):
    """a key replaces a cost; technology and voltage scale those of public models, and no others"""
    def alus(*settings):
        words = [word for setting in settings for word in ('--set', 'energy.' + setting)]
        return results(folder, SAMPLES / 'vecadd' / 'run.yaml', *words)[1]['energy.registers']
    paper = alus()
    same(alus('technology=20'), paper)
    twice = alus('register_read=5', 'register_write=4.28')
    near(twice, 2 * paper, 1e-9)
    public = alus('set=public', 'technology=40')
    near(alus('set=public', 'technology=40', 'voltage=0.5'), public * (0.5 / (0.9 + 0.1 * 8 / 13)) ** 2, 1e-4)
    bad = run([PROGRAM, SAMPLES / 'vecadd' / 'run.yaml', '--set', 'energy.technology=1'], folder)
    same(bad.code, 1)
    assert b'energy.technology' in bad.err, bad.err


@case
def gtx480(folder):
    """a GTX 480 takes more than its static 56 W and less than its 250 W; with much arithmetic some 153 W are in the range"""
    for sample, size in (('mum', ''), ('stream', '-large'), ('matrixmul', '-large'), ('blackscholes', '-large')):
        path = SAMPLES / sample / ('run%s.yaml' % size)
        found, statistics, _ = results(folder, path, '--config=gtx480', '--max-cycles=60000')
        watts = found['total']['energy']['watts']
        print('# %s: %.1f W' % (sample, watts))
        assert 56 < watts < 250, (sample, watts)
        if sample == 'matrixmul':
            assert statistics['energy.power_least'] < 153 < statistics['energy.power_most'], statistics


@case
def dram(folder):
    """constant patterns: counted commands times their energies, beside the maker's currents in closed form"""
    volts, ns, idd0, idd2n, idd3n, idd4r, bits, ras, rc = 1.5, 0.667, 71, 60, 61, 248, 128, 56, 80
    devices, hertz, line = 4, 1e9, 1024
    listed = ends(run([PROGRAM, '--list-energy', '--config=gtx480'], folder), 0).out.decode()
    costs = {name: float(re.search('^%s +(\\S+)' % name, listed, re.M).group(1))
             for name in ('dram_activate', 'dram_read', 'dram_background')}
    opened = volts * ns * (idd0 * rc - idd3n * ras - idd2n * (rc - ras)) * 1e-12
    for pattern, rows, lines in (('seq', 1 / 16, 1 / 2),        # 8 lines of a row, one in two clocks
                                 ('one-bank', 1 / 39, 1 / 39),  # tRC
                                 ('bank-rr', 1 / 5, 1 / 5)):    # tRRD
        out = ends(run([DRAM, '--config=dram/gddr5_isca19', '--pattern=' + pattern, '--cycles=40000', '--json=-'], folder), 0).out
        counts = json.loads(out)
        clocks = counts['cycles']
        ours = devices * costs['dram_activate'] * 1e-12 * counts['activates'] + costs['dram_read'] * 1e-12 * line * counts['reads']
        watts = ours / (clocks / hertz) + devices * costs['dram_background'] * 1e-3
        # The current of the reads' share of the time; a device transfers 256 bits of a line in 2 * 0.667 ns.
        busy = lines * line / devices / bits * ns
        closed = devices * (opened * rows * hertz + volts * 1e-3 * (idd3n + (idd4r - idd3n) * busy * hertz * 1e-9))
        near(watts, closed, 0.002)


if __name__ == '__main__':
    main(2)
