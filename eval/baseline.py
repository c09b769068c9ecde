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

# Sizes: at least as many threads as the machine holds (56 x 1,536) wherever a kernel has one for each
# element, and arrays as large as the last level or larger.
WORKLOADS = {
    'BFS': ('bfs', {'n': 131072}),
    'FDTD': ('fdtd', {'nx': 512, 'ny': 512, 'steps': 2}),
    'KMN': ('kmn', {'points': 131072, 'rounds': 2}),
    'MVT': ('mvt', {'n': 2048}),
    'RED': ('red', {'tiles': 1024}),
    'SCP': ('scp', {'pairs': 512, 'n': 4096}),
    'SRAD': ('srad', {'height': 512, 'width': 512, 'iterations': 1}),
    'STREAM': ('stream', {'n': 131072}),
    'TRIAD': ('triad', {'n': 1048576}),
}

# [000, Figure 2]: the mean over the nine.
PAPER_SERVED = (23, 30, 47)
PAPER_LATENCY = (75, 16, 9)

# What the paper leaves open, with the step to either side.
PINNED = [
    ('l1.mshrs', 'MSHRs of a first-level cache', ('16', '32', '64')),
    ('reply_network.injection_queue', 'injection queue of a network interface, flits',
     ('8', '16', '32')),
    ('memory.reply_queue', 'replies between a slice and its network interface', ('4', '8', '16')),
    ('memory.llc_clock', 'clock of the slices, MHz', ('700', '1050', '1400')),
    ('llc.port_bytes', 'width of a slice\'s port, bytes', ('32', '64', '128')),
    ('llc.latency', 'read latency of a slice, clocks', ('10', '20', '40')),
    ('core.ctas', 'CTAs of a core', ('8', '16', '32')),
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
    """shares in per cent and what else is told"""
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
    return str(configuration[section][name])


def write_steps(base, variants, found, to):
    to.write('| number | value | L1 % | LLC % | DRAM % | injection % | service % | NoC % | cycles, '
             'geometric mean of ratios |\n|---|' + '---:|' * 8 + '\n')
    for (key, value), measures in sorted(found.items()):
        ratio = 1.0
        for name, row in measures.items():
            ratio *= row['cycles'] / base[name]['cycles']
        to.write('| `%s` | %s | %s | %s | %.3f |\n' %
                 (key, value, shares(mean(measures, 'served')), shares(mean(measures, 'latency')),
                  ratio ** (1 / len(measures))))


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
    names = arguments.only.split(',')
    settings = dict(pair.split('=', 1) for pair in arguments.set)
    base = run_all(arguments, {'': settings}, names)['']
    write_table(base, sys.stdout)
    print('CPU seconds: %.1f' % sum(row['cpu'] for row in base.values()))


if __name__ == '__main__':
    main()
