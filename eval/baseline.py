#!/usr/bin/env python3
"""The baseline GPU on the nine workloads of [000, Table 3]: which level loads are served from, and
what their latency consists of, beside Figure 2 of that paper.

usage: baseline.py BUILD-ROOT [--config=NAME|FILE] [--set KEY=VALUE]... [--only=NAME,...] [--jobs=N]
       baseline.py BUILD-ROOT --steps --out=docs/results/baseline.md [--jobs=N]

--steps also runs every pinned number one step below and above.
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

# Sizes: more threads than the machine holds (56 x 1,536) wherever a kernel has one for each element,
# arrays of the size of the LLC or larger, rows of whole lines and, lest all CTAs ask the
# same partition at the same time, of an odd number of lines.
WORKLOADS = {
    'BFS': ('bfs', {'n': 100000}),
    'FDTD': ('fdtd', {'nx': 544, 'ny': 544, 'steps': 2}),
    'KMN': ('kmn', {'points': 100000, 'rounds': 2}),
    'MVT': ('mvt', {'n': 1504}),
    'RED': ('red', {'tiles': 1000}),
    'SCP': ('scp', {'pairs': 400, 'n': 5024}),
    'SRAD': ('srad', {'height': 544, 'width': 544, 'iterations': 1}),
    'STREAM': ('stream', {'n': 100000}),
    'TRIAD': ('triad', {'n': 1000000}),
}

# [000, Figure 2]: the mean over the nine.
PAPER_SERVED = (23, 30, 47)
PAPER_LATENCY = (75, 16, 9)

# Parameters that the paper leaves open and that were pinned, with a step to either side. A step may leave the range
# that isca19.yaml calls plausible. A step that does not exist (a port wider than a line) is omitted.
PINNED = [
    ('l1.mshrs', 'MSHRs of L1', (8, 32)),
    ('reply_network.injection_queue', 'NI queue at a partition, flits', (128, 512)),
    ('memory.reply_queue', 'LLC to NI queue, packets', (16, 64)),
    ('memory.llc_clock', 'clock of the slices, MHz', (1050, 1750)),
    ('llc.port_bytes', 'width of a slice\'s port, bytes', (64,)),
    ('llc.latency', 'read latency of a slice, clocks', (5, 20)),
    ('core.ctas', 'CTAs of a core', (4, 16)),
    ('llc.mshrs', 'MSHRs of a slice', (64,)),
    ('llc.input', 'input queue of a slice', (16, 64)),
    ('llc.access_queue', 'accesses of a slice that may overtake', (8, 32)),
    ('llc.out', 'way from a slice to its DRAM', (16, 64)),
]


def run(build, config, name, settings):
    sample, values = WORKLOADS[name]
    with tempfile.TemporaryDirectory() as folder:
        out, stats = os.path.join(folder, 'out.json'), os.path.join(folder, 'stats.json')
        command = [os.path.join(build, 'cli', 'ptxoffload-sim'),
                   os.fspath(ROOT / 'samples' / sample / 'run-large.yaml'), '--config=' + config,
                   '--json=' + out, '--stats=' + stats]
        for key, value in list(settings.items()) + [('values.' + key, value)
                                                    for key, value in values.items()]:
            command += ['--set', '%s=%s' % (key, value)]
        subprocess.run(command, check=True)
        with open(out, encoding='utf-8') as file:
            result = json.load(file)
        with open(stats, encoding='utf-8') as file:
            total = json.load(file)['total']['statistics']
    return result, total


def measure(result, total):
    """Returns shares in per cent and the other results."""
    served = (total['machine.from_l1'] + total['machine.from_l1_merge'],
              total['memory.from_llc'] + total['memory.from_merge'], total['memory.from_dram'])
    latency = (total['memory.injection_sum'], total['memory.service_sum'], total['memory.noc_sum'])
    return {
        'served': [100 * part / sum(served) for part in served],
        'latency': [100 * part / sum(latency) for part in latency],
        'mean': total['memory.latency_mean'],
        'ipc': result['total']['ipc'],
        'cycles': result['total']['cycles'],
        'instructions': result['total']['warp_instructions'],
        'row_hits': 100 * total['dram.row_hits'] / max(1, total['dram.reads'] + total['dram.writes']),
        'cpu': result['host']['kernel_cpu_seconds'],
        'configuration': result['configuration']['resolved'],
    }


def run_all(arguments, variants, names):
    """variant name → workload → measures"""
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {(variant, name): pool.submit(run, arguments.build, arguments.config, name, settings)
                for variant, settings in variants.items() for name in names}
        return {variant: {name: measure(*jobs[variant, name].result()) for name in names}
                for variant in variants}


def mean(measures, key):
    rows = [measure[key] for measure in measures.values()]
    return [sum(column) / len(rows) for column in zip(*rows)]


def shares(values):
    return ' | '.join('%.0f' % value for value in values)


def write_table(measures, to):
    to.write('| workload | L1 % | LLC % | DRAM % | injection % | service % | NoC % | mean latency, '
             'cycles | IPC | cycles | warp instructions | DRAM row hits % |\n' +
             '|---|' + '---:|' * 11 + '\n')
    for name, row in measures.items():
        to.write('| %s | %s | %s | %.0f | %.0f | %d | %d | %.0f |\n' %
                 (name, shares(row['served']), shares(row['latency']), row['mean'], row['ipc'],
                  row['cycles'], row['instructions'], row['row_hits']))
    to.write('| **mean** | %s | %s | | | | | |\n' %
             (shares(mean(measures, 'served')), shares(mean(measures, 'latency'))))
    to.write('| [000, Fig. 2] | %s | %s | | | | | |\n' % (shares(PAPER_SERVED),
                                                         shares(PAPER_LATENCY)))


def value_of(configuration, key):
    section, name = key.split('.')
    return configuration[section][name]


def write_steps(base, found, to):
    to.write('| number | value | step | L1 % | LLC % | DRAM % | injection % | service % | NoC % | '
             'cycles |\n|---|' + '---:|' * 9 + '\n')
    configuration = next(iter(base.values()))['configuration']
    for key, text, steps in PINNED:
        for step in steps:
            measures = found['%s=%s' % (key, step)]
            ratio = 1.0
            for name, row in measures.items():
                ratio *= row['cycles'] / base[name]['cycles']
            to.write('| %s (`%s`) | %s | %s | %s | %s | %+.1f %% |\n' %
                     (text, key, value_of(configuration, key), step,
                      shares(mean(measures, 'served')), shares(mean(measures, 'latency')),
                      100 * (ratio ** (1 / len(measures)) - 1)))


def digest(configuration):
    return hashlib.sha256(json.dumps(configuration, sort_keys=True).encode()).hexdigest()


# The text around the tables: from its first line, with a place for each table.
TEXT = ROOT / 'eval' / 'baseline.md'


def write_document(base, found, to):
    configuration = next(iter(base.values()))['configuration']
    head = ('Made by `eval/baseline.py build --steps --out=docs/results/baseline.md` on %s; '
            'configuration `isca19`, SHA-256 of all its values `%s`.\n' %
            (datetime.date.today(), digest(configuration)))
    sizes = ''.join('- %s: `samples/%s/run-large.yaml`, %s\n' %
                    (name, sample, ', '.join('%s = %s' % pair for pair in values.items()))
                    for name, (sample, values) in WORKLOADS.items())
    for line in TEXT.read_text(encoding='utf-8').splitlines():
        if line == '{head}':
            to.write(head)
        elif line == '{sizes}':
            to.write(sizes)
        elif line == '{baseline}':
            write_table(base, to)
        elif line == '{steps}':
            write_steps(base, found, to)
        else:
            to.write(line + '\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build')
    parser.add_argument('--config', default='isca19')
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('--only', default=','.join(WORKLOADS))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--steps', action='store_true')
    parser.add_argument('--out')
    arguments = parser.parse_args()
    if arguments.steps and not arguments.out:
        parser.error('--steps needs --out')
    names = arguments.only.split(',')
    settings = dict(pair.split('=', 1) for pair in arguments.set)
    base = run_all(arguments, {'': settings}, names)['']
    write_table(base, sys.stdout)
    sys.stdout.flush()
    print('CPU seconds: %.1f' % sum(row['cpu'] for row in base.values()))
    if not arguments.steps:
        return
    variants = {'%s=%s' % (key, step): {**settings, key: step} for key, _, steps in PINNED
                for step in steps}
    found = run_all(arguments, variants, names)
    made = arguments.out + '.new'
    with open(made, 'w', encoding='utf-8') as file:
        write_document(base, found, file)
    os.replace(made, arguments.out)


if __name__ == '__main__':
    main()
