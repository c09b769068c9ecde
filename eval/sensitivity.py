#!/usr/bin/env python3
"""How the mean gains of LLC-Compute and Omni-Compute [000] depend on numbers that the paper leaves
open: a seeded sample of machines, each number drawn from its plausible range.

usage: sensitivity.py BUILD-ROOT [--machines=N] [--seed=N] [--group=micro|workload]... [--jobs=N]
                      [--store=FILE] [--earlier=FILE --again=VARIANT] [--out=FILE] [--bounds=FILE]

--store keeps the results, one line of JSON for each machine; a later run of the same groups continues
from there. --out writes the report of all machines in the store; with --jobs=0 no other is run.
--bounds writes a table of each machine's workloads by their distance from the best fixed choice.
--earlier takes the results of machines from another store, except those of the variant of --again,
which are measured.
"""
import argparse
import concurrent.futures
import datetime
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]

# The ranges that runtime-sim/configs/isca19.yaml names.
RANGES = {
    'memory.rule': ('modulo', 'xor'),
    'memory.llc_clock': (700, 1050, 1400),
    'memory.reply_queue': (4, 8, 16, 32, 64),
    'request_network.injection_queue': (8, 16, 36, 64, 256),
    'reply_network.injection_queue': (8, 16, 36, 64, 256),
    '*_network.ejection_queue': (8, 16, 32, 64),
    '*_network.vc_alloc_iterations': (1, 2),
    '*_network.sw_alloc_iterations': (1, 2),
    '*_network.routing_delay': (0, 1),
    'llc.banks': (1, 2, 4),
    'llc.port_bytes': (32, 64, 128),
    'llc.latency': (1, 10, 20, 40, 60),
    'llc.mshrs': (32, 64, 128, 256),
    'llc.merges': (4, 8, 16, 32),
    'llc.input': (4, 8, 16, 32, 64),
    'llc.access_queue': (1, 4, 8, 16),
    'llc.out': (4, 8, 16, 32, 64),
    'core.ctas': (8, 16, 32),
    'core.schedulers': (1, 2),
    'core.pipeline': (4, 6, 8, 10),
    'core.shared_latency': (20, 26, 32, 40),
    'l1.latency': (20, 28, 40),
    'l1.mshrs': (16, 32, 64),
    'l1.merges': (4, 8, 16),
    'dram.row_bytes': (4096, 8192),
    'dram.queue': (16, 32, 64),
    'dram.bank_xor': ('false', 'true'),
    'offload.packet_vcs': (1, 2, 4),
    'offload.emn_at_llc': ('none', 'destination', 'any'),
}

SAMPLES, RUNS = ROOT / 'samples', ROOT / 'eval' / 'runs'
SIZES = {
    'micro': 'The micro-benchmarks have one wave of CTAs, a third of the sizes of [isca19.md](isca19.md).\n',
    'workload': 'FDTD and TRIAD have one wave of CTAs, a third of the sizes of [isca19.md](isca19.md). The other '
                'workloads are smaller, so that a\nmachine takes half a minute; their data fill '
                'less of the LLC.\n',
}
# name: group, run file, run file of the tagged program, values.
WORKLOADS = {
    'BFS': ('workload', SAMPLES / 'bfs/run-large.yaml', None, {'n': 8192}),
    'FDTD': ('workload', SAMPLES / 'fdtd/run-large.yaml', None, {'nx': 304, 'ny': 288, 'steps': 1}),
    'KMN': ('workload', SAMPLES / 'kmn/run-large.yaml', None, {'points': 8192, 'rounds': 1}),
    'MVT': ('workload', SAMPLES / 'mvt/run-large.yaml', None, {'n': 480}),
    'RED': ('workload', SAMPLES / 'red/run-large.yaml', SAMPLES / 'red/run-hybrid2-large.yaml',
            {'tiles': 250}),
    'SCP': ('workload', SAMPLES / 'scp/run-large.yaml', None, {'pairs': 100, 'n': 5024}),
    'SRAD': ('workload', SAMPLES / 'srad/run-large.yaml', None,
             {'height': 160, 'width': 160, 'iterations': 1}),
    'STREAM': ('workload', SAMPLES / 'stream/run-large.yaml', None, {'n': 16384}),
    'TRIAD': ('workload', RUNS / 'triad.yaml', None, {'n': 86272}),
    'COMPARE': ('micro', RUNS / 'compare.yaml', None, {'n': 86272, 'ctas': 336}),
    'COPY-ALIGNED': ('micro', SAMPLES / 'copy-aligned/run-large.yaml', None, {'n': 86272}),
    'COPY-STRIDED': ('micro', SAMPLES / 'copy-strided/run-large.yaml', None, {'n': 86272}),
    'DENSITY': ('micro', SAMPLES / 'density/run-large.yaml', None, {'n': 86272, 'ctas': 336}),
    'VECADD-ALIGNED': ('micro', SAMPLES / 'vecadd/run-large.yaml', None, {'n': 86272}),
    'VECADD-STRIDED': ('micro', SAMPLES / 'vecadd-strided/run-large.yaml', None, {'n': 86272}),
    'NORM': ('micro', SAMPLES / 'norm/run-large.yaml', None, {'n': 86272}),
}
MERGED = ('offload.merge_operands=true', 'offload.operand_sectors=true')
# name: policy, option of the tagger, further settings, which replace those of the sample.
VARIANTS = {
    'llc': ('llc', '--fma=split', ()),
    'omni': ('omni', '--fma=split', ()),
    'merged': ('omni', '--fma=split', MERGED),
    'operand': ('omni', '--fma=split', ('offload.emn_at_llc=operand',)),
    'adaptive': ('adaptive', '--fma=saving', MERGED + ('offload.emn_at_llc=any',)),
}
POLICIES = tuple(VARIANTS)
LABELS = {'llc': 'LLC-Compute', 'omni': 'Omni-Compute', 'merged': 'Omni-Compute, merged, sectors',
          'operand': 'Omni-Compute, at one operand', 'adaptive': 'adaptive, merged, sectors',
          'workload': 'workloads', 'micro': 'micro-benchmarks'}
# [000, Figure 11]: the paper has one Omni-Compute.
PAPER = {(policy, group): {'workload': 31, 'micro': 51}[group]
         for policy in POLICIES for group in ('workload', 'micro')}
PAPER.update({('llc', 'workload'): 19, ('llc', 'micro'): 30})
PINNED = -1  # number of the machine isca19 itself


def draw(seed, number):
    """The machine of this number, the same after any draws before it."""
    if number == PINNED:
        return {}
    source = random.Random('%d %d' % (seed, number))
    return {key: source.choice(values) for key, values in RANGES.items()}


def settings_of(machine):
    for key, value in machine.items():
        for side in ('request', 'reply') if key[0] == '*' else ('',):
            yield '%s%s=%s' % (side, key.lstrip('*') if side else key, value)


def program_of(run):
    for line in run.read_text(encoding='utf-8').splitlines():
        if line.startswith('program:'):
            return run.parent / line.split()[1]
    raise ValueError('%s has no program' % run)


def tag(build, folder, groups):
    """name → option → path of the tagged program, of the workloads of these groups"""
    tagged = {}
    for name, (group, run, other, _) in WORKLOADS.items():
        if group not in groups:
            continue
        tagged[name] = {}
        for option in sorted({option for _, option, _ in VARIANTS.values()}):
            tagged[name][option] = os.path.join(folder, '%s%s.ptx' % (name, option))
            subprocess.run([os.path.join(build, 'cli', 'ptxoffload'), program_of(other or run),
                            option, '-o', tagged[name][option]], check=True, stdout=subprocess.DEVNULL)
    return tagged


def simulate(build, machine, name, variant, tagged):
    _, run, other, values = WORKLOADS[name]
    policy, option, settings = VARIANTS.get(variant, ('baseline', None, ()))
    with tempfile.NamedTemporaryFile(suffix='.json') as out:
        command = [os.path.join(build, 'cli', 'ptxoffload-sim'),
                   run if policy == 'baseline' else other or run, '--config=isca19',
                   '--policy=' + policy, '--json=' + out.name, '--quiet']
        if policy != 'baseline':
            command.append('--program=' + tagged[name][option])
        for setting in (*settings_of(machine), *settings, *('values.%s=%s' % pair for pair in values.items())):
            command += ['--set', setting]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.load(open(out.name, encoding='utf-8'))['total']['cycles']


def measure(build, pool, machine, tagged, policies):
    jobs = {(name, policy): pool.submit(simulate, build, machine, name, policy, tagged)
            for name in tagged for policy in ('baseline',) + policies}
    return {policy: {name: jobs[name, 'baseline'].result() / jobs[name, policy].result()
                     for name in tagged} for policy in policies}


def read_store(path):
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8') as file:
        rows = [json.loads(line) for line in file if line.endswith('\n')]
    return {(row['seed'], row['number']): row for row in rows}


# Statistics

def columns_of(rows):
    """policies and groups that were measured"""
    groups = {WORKLOADS[name][0] for name in rows[0]['gain'][POLICIES[0]]}
    return [column for column in PAPER if column[1] in groups]


def mean_gain(row, policy, group):
    gains = [gain for name, gain in row['gain'][policy].items() if WORKLOADS[name][0] == group]
    if min(gains) <= 0:
        sys.exit('%s has no geometric mean: a gain under %s is %g' % (group, policy, min(gains)))
    return 100 * math.exp(sum(map(math.log, gains)) / len(gains)) - 100


def quantile(values, share):
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low, high = math.floor(at), math.ceil(at)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def ranks(values):
    """Equal values have the mean of their ranks."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) - 1) / 2 for value in values]


def correlation(a, b):
    """Spearman's"""
    a, b = ranks(a), ranks(b)
    mean = (len(a) - 1) / 2
    over = sum((x - mean) * (y - mean) for x, y in zip(a, b))
    under = math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))
    return over / under if under else 0


def write_distribution(rows, pinned, to):
    to.write('| gain, % | least | 10 % | 25 % | median | 75 % | 90 % | most | isca19 | its percentile | paper | '
             'machines that reach it |\n|---|' + '---:|' * 11 + '\n')
    computing = [row for row in rows if row['machine']['offload.emn_at_llc'] != 'none']
    for policy, group in columns_of(rows):
        for of, text in ((rows, ''), (computing, ', LLC nodes compute')):
            gains, paper = [mean_gain(row, policy, group) for row in of], PAPER[policy, group]
            if of is computing and policy != 'omni':
                continue
            own = mean_gain(pinned, policy, group) if pinned else None
            to.write('| %s, %s%s | %s | %s | %d | %d of %d |\n' %
                     (LABELS[policy], LABELS[group], text,
                      ' | '.join('%+.1f' % quantile(gains, share) for share in (0, .1, .25, .5, .75, .9, 1)),
                      '%+.1f | %.0f' % (own, 100 * sum(gain < own for gain in gains) / len(gains)) if pinned else '– | –',
                      paper, sum(gain >= paper for gain in gains), len(gains)))


def write_bound(rows, to):
    """How far the adaptive policy is from the best other choice of each workload, and from the baseline"""
    to.write('| workload | adaptive beside the best choice, %: least | 10 % | median | beside the baseline: least | machines '
             'within 1 % of the best |\n|---|' + '---:|' * 5 + '\n')
    for name in rows[0]['gain'][POLICIES[0]]:
        beside, alone = [], []
        for row in rows:
            gain = row['gain']['adaptive'][name]
            best = max([1] + [row['gain'][policy][name] for policy in POLICIES if policy != 'adaptive'])
            beside.append(100 * gain / best - 100)
            alone.append(100 * gain - 100)
        to.write('| %s | %+.1f | %+.1f | %+.1f | %+.1f | %d of %d |\n' %
                 (name, min(beside), quantile(beside, .1), quantile(beside, .5), min(alone),
                  sum(value >= -1 for value in beside), len(beside)))


def write_bounds(rows, to):
    """Of each machine the workloads near the best fixed choice, the baseline included, and the others"""
    to.write('| machine | within 1 % of the best | further below the best: gain of adaptive (of the best), % |\n|---|---|---|\n')
    for row in rows:
        near, far = [], []
        for name in row['gain'][POLICIES[0]]:
            gain = row['gain']['adaptive'][name]
            best = max([1] + [row['gain'][policy][name] for policy in POLICIES if policy != 'adaptive'])
            if gain / best >= .99:
                near.append(name)
            else:
                far.append('%s %+.1f (%+.1f)' % (name, 100 * gain - 100, 100 * best - 100))
        to.write('| %s | %s | %s |\n' % ('isca19' if row['number'] == PINNED else row['number'], ', '.join(near), ', '.join(far)))


def write_keys(rows, to):
    bound = 2 / math.sqrt(len(rows) - 1)
    columns = columns_of(rows)
    gains = {column: [mean_gain(row, *column) for row in rows] for column in columns}
    table = {key: [correlation([values.index(row['machine'][key]) for row in rows], gains[column])
                   for column in columns] for key, values in RANGES.items()}
    to.write('| key | values | %s |\n|---|---|' %
             ' | '.join('%s, %s' % (LABELS[policy], LABELS[group]) for policy, group in columns) +
             '---:|' * len(columns) + '\n')
    for key, found in sorted(table.items(), key=lambda item: -max(map(abs, item[1]))):
        cells = ['**%+.2f**' % value if abs(value) > bound else '%+.2f' % value for value in found]
        to.write('| `%s` | %s | %s |\n' % (key, ' '.join(map(str, RANGES[key])), ' | '.join(cells)))
    return bound, len(columns)


def write_workloads(rows, to):
    to.write('| workload | %s |\n|---|' % ' | '.join(LABELS[policy] + ': 10 % | median | 90 %' for policy in POLICIES) +
             '---:|' * 3 * len(POLICIES) + '\n')
    for name in rows[0]['gain'][POLICIES[0]]:
        to.write('| %s |' % name)
        for policy in POLICIES:
            gains = [100 * row['gain'][policy][name] - 100 for row in rows]
            to.write(' %s |' % ' | '.join('%+.1f' % quantile(gains, share)
                                          for share in (.1, .5, .9)))
        to.write('\n')


def conclusion(rows):
    """The first paragraph: the gains beside the paper's"""
    sentences = []
    for policy, group in columns_of(rows):
        gains, paper = [mean_gain(row, policy, group) for row in rows], PAPER[policy, group]
        sentences.append('%s gains %+.1f %% on the %s in the median of %d machines and at most %+.1f %%; [000] has %+d.' % (
            LABELS[policy], quantile(gains, .5), LABELS[group], len(gains), max(gains), paper))
    return '**%s**\n' % '\n'.join(sentences)


def write_sizes(rows, to):
    for name in rows[0]['gain'][POLICIES[0]]:
        _, run, _, values = WORKLOADS[name]
        to.write('- %s: `%s`, %s\n' % (name, run.relative_to(ROOT), ', '.join(
            '%s = %s' % pair for pair in values.items())))


def write_report(arguments, rows, pinned, to):
    to.write('# Sensitivity of the gains of %s to what [000] leaves open\n\n' % ' and '.join(
        LABELS[group] for policy, group in columns_of(rows) if policy == POLICIES[0]))
    to.write(conclusion(rows))
    to.write('\nEach machine is `isca19`, with each key of the second table drawn independently from '
             'the values there. All values are equally likely.\nA gain is relative to the '
             'baseline of the same machine; means over workloads are geometric.\n\n')
    to.write('\n'.join(SIZES[group] for policy, group in columns_of(rows) if policy == POLICIES[0]))
    to.write('\n## Distribution of the mean gains\n\n')
    write_distribution(rows, pinned, to)
    to.write('\n## The adaptive policy beside the others\n\n')
    write_bound(rows, to)
    to.write('\n## Which keys explain it\n\nSpearman\'s rank correlation of each key, in the order of '
             'its values, with the mean gain.\n\n')
    bound, columns = write_keys(rows, to)
    to.write('\nBold: more than two standard errors, %.2f. Of %d values about %.0f exceed this by '
             'chance.\n\n## By workload\n\n' % (bound, columns * len(RANGES), columns * len(RANGES) * .046))
    write_workloads(rows, to)
    to.write('\n## Workloads\n\n')
    write_sizes(rows, to)
    groups = ''.join(' --group=' + group for group in arguments.group or ())
    to.write('\n## How this page was made\n\nMade by `eval/sensitivity.py build --machines=%d --seed=%d%s --store=FILE '
             '--out=%s` on %s.\n' %
             (arguments.machines, arguments.seed, groups, arguments.out, datetime.date.today()))
    if len(rows) < arguments.machines:
        to.write('It has the first %d machines of %d; the same command with the same store runs the '
                 'others.\n' % (len(rows), arguments.machines))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build')
    parser.add_argument('--machines', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--group', action='append', choices=('micro', 'workload'))
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--store')
    parser.add_argument('--earlier')
    parser.add_argument('--again', choices=POLICIES, default='adaptive')
    parser.add_argument('--bounds')
    parser.add_argument('--out')
    arguments = parser.parse_args()
    done, earlier = read_store(arguments.store), read_store(arguments.earlier)
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        tagged = tag(arguments.build, folder, arguments.group or ('micro', 'workload'))
        for number in range(PINNED, arguments.machines):
            if (arguments.seed, number) in done or not arguments.jobs:
                continue
            machine = draw(arguments.seed, number)
            gain = dict(earlier.get((arguments.seed, number), {}).get('gain', {}))
            gain.update(measure(arguments.build, pool, machine, tagged, (arguments.again,) if gain else POLICIES))
            row = {'seed': arguments.seed, 'number': number, 'machine': machine, 'gain': gain}
            done[arguments.seed, number] = row
            if arguments.store:
                with open(arguments.store, 'a', encoding='utf-8') as file:
                    file.write(json.dumps(row) + '\n')
    rows = [done[arguments.seed, number] for number in range(arguments.machines)
            if (arguments.seed, number) in done]
    if arguments.bounds:
        pinned = [done[arguments.seed, PINNED]] if (arguments.seed, PINNED) in done else []
        with open(arguments.bounds, 'w', encoding='utf-8') as file:
            write_bounds(pinned + rows, file)
    if arguments.out:
        with open(arguments.out, 'w', encoding='utf-8') as file:
            write_report(arguments, rows, done.get((arguments.seed, PINNED)), file)


if __name__ == '__main__':
    sys.exit(main())
