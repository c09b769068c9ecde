#!/usr/bin/env python3
"""How the mean gains of LLC-Compute and Omni-Compute [000] depend on numbers that the paper leaves
open: a seeded sample of machines, each number drawn from its plausible range.

usage: sensitivity.py BUILD-ROOT [--machines=N] [--seed=N] [--jobs=N]
       sensitivity.py BUILD-ROOT --check=CELLS [--seed=N]
       sensitivity.py --table[=FILE]

Runs the machines of the seed that eval/sensitivity.jsonl lacks, and adds a line for each. --table writes
docs/results/sensitivity.md, or FILE, from these lines. --check runs this many cells, each a workload on a machine under a
variant, which the seed chooses, and compares their gains with those of the lines.
"""
import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
STORE, PAGE = ROOT / 'eval' / 'sensitivity.jsonl', ROOT / 'docs' / 'results' / 'sensitivity.md'

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


def tag(build, folder):
    """name → option → path of the tagged program"""
    tagged = {}
    for name, (_, run, other, _) in WORKLOADS.items():
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


def gain_of(before, after):
    return round(before / after, 6)


def measure(build, pool, machine, tagged):
    jobs = {(name, policy): pool.submit(simulate, build, machine, name, policy, tagged)
            for name in tagged for policy in ('baseline',) + POLICIES}
    return {policy: {name: gain_of(jobs[name, 'baseline'].result(), jobs[name, policy].result())
                     for name in tagged} for policy in POLICIES}


def read_store():
    lines = STORE.read_text(encoding='utf-8').splitlines() if STORE.exists() else []
    return {(row['seed'], row['number']): row for row in map(json.loads, lines)}


# Statistics

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
    for (policy, group), paper in PAPER.items():
        for of, text in ((rows, ''), (computing, ', LLC nodes compute')):
            gains = [mean_gain(row, policy, group) for row in of]
            if of is computing and policy != 'omni':
                continue
            own = mean_gain(pinned, policy, group)
            to.write('| %s, %s%s | %s | %+.1f | %.0f | %d | %d of %d |\n' %
                     (LABELS[policy], LABELS[group], text,
                      ' | '.join('%+.1f' % quantile(gains, share) for share in (0, .1, .25, .5, .75, .9, 1)),
                      own, 100 * sum(gain < own for gain in gains) / len(gains),
                      paper, sum(gain >= paper for gain in gains), len(gains)))
    medians = [quantile([mean_gain(row, 'llc', 'workload') for row in rows if (row['machine']['llc.latency'] == 1) == equal], .5)
               for equal in (True, False)]
    to.write('\n`isca19` has `llc.latency: 1`, because its `memory.request_delay` has the time to the LLC; the other latencies are added to '
             'that. In the median of the machines\nwith 1 LLC-Compute gains %+.1f %% on the workloads, in that of the others %+.1f.\n' % tuple(medians))


def beside_best(row, name):
    """(gain of the adaptive policy, of the best other choice, the baseline included)"""
    gain = row['gain']
    return gain['adaptive'][name], max([1] + [gain[policy][name] for policy in POLICIES if policy != 'adaptive'])


def write_bound(rows, pinned, to):
    """How far the adaptive policy is from the best other choice of each workload, and from the baseline"""
    to.write('| workload | adaptive beside the best choice, %: isca19 | least | 10 % | median | beside the baseline: least | '
             'machines within 1 % of the best | at most 1 % below the baseline |\n|---|' + '---:|' * 7 + '\n')
    near, above = 0, 0
    for name in WORKLOADS:
        own, best = beside_best(pinned, name)
        beside = [100 * gain / other - 100 for gain, other in (beside_best(row, name) for row in rows)]
        alone = [100 * row['gain']['adaptive'][name] - 100 for row in rows]
        counts = [sum(value >= -1 for value in values) for values in (beside, alone)]
        if name != 'RED':
            near, above = near + counts[0], above + counts[1]
        to.write('| %s | %+.1f | %+.1f | %+.1f | %+.1f | %+.1f | %d of %d | %d of %d |\n' % (
            name, 100 * own / best - 100, min(beside), quantile(beside, .1), quantile(beside, .5), min(alone),
            counts[0], len(rows), counts[1], len(rows)))
    cells = len(rows) * (len(WORKLOADS) - 1)
    to.write('\nRED\'s baseline is another program, which sums in shared memory; its chains are in the tagged program only. Of the other '
             '%d pairs of machine and workload\n%.0f %% are within 1 %% of the best choice, and %.0f %% at most 1 %% below the baseline. '
             'Machines 0 and 1 were used to develop the policy.\n' % (cells, 100 * near / cells, 100 * above / cells))


def write_keys(rows, to):
    bound = 2 / math.sqrt(len(rows) - 1)
    gains = {column: [mean_gain(row, *column) for row in rows] for column in PAPER}
    table = {key: [correlation([values.index(row['machine'][key]) for row in rows], gains[column])
                   for column in PAPER] for key, values in RANGES.items()}
    to.write('| key | values | %s |\n|---|---|' %
             ' | '.join('%s, %s' % (LABELS[policy], LABELS[group]) for policy, group in PAPER) +
             '---:|' * len(PAPER) + '\n')
    for key, found in sorted(table.items(), key=lambda item: -max(map(abs, item[1]))):
        cells = ['**%+.2f**' % value if abs(value) > bound else '%+.2f' % value for value in found]
        to.write('| `%s` | %s | %s |\n' % (key, ' '.join(map(str, RANGES[key])), ' | '.join(cells)))
    to.write('\nBold: more than two standard errors, %.2f. Of %d values about %.0f exceed this by chance.\n' % (
        bound, len(PAPER) * len(RANGES), len(PAPER) * len(RANGES) * .046))


def write_workloads(rows, to):
    to.write('| workload | %s |\n|---|' % ' | '.join(LABELS[policy] + ': 10 % | median | 90 %' for policy in POLICIES) +
             '---:|' * 3 * len(POLICIES) + '\n')
    for name in WORKLOADS:
        gains = [[100 * row['gain'][policy][name] - 100 for row in rows] for policy in POLICIES]
        to.write('| %s | %s |\n' % (name, ' | '.join('%+.1f' % quantile(of, share) for of in gains for share in (.1, .5, .9))))


def conclusion(rows):
    """The first paragraph: the gains beside the paper's"""
    sentences = []
    for policy, group in PAPER:
        if policy in ('llc', 'omni', 'adaptive'):
            gains = [mean_gain(row, policy, group) for row in rows]
            sentences.append('%s gains %+.1f %% on the %s in the median of %d machines and at most %+.1f %%%s.' % (
                'Our policy `adaptive`' if policy == 'adaptive' else LABELS[policy], quantile(gains, .5), LABELS[group], len(gains), max(gains),
                '' if policy == 'adaptive' else '; [000] has %+d' % PAPER[policy, group]))
    return '**%s**\n' % '\n'.join(sentences)


def write_page(rows, pinned, to):
    to.write('# Sensitivity of the gains to what [000] leaves open\n\n')
    to.write(conclusion(rows))
    to.write('\nEach machine is `isca19`, with each key of the third table drawn independently from '
             'the values there. All values are equally likely.\nA gain is the cycles of the baseline of the same machine over '
             'those of the variant; means over workloads are geometric. The numbers of\n[000] are gains in IPC. '
             '[Readings of Omni-Compute](omni-readings.md) describes the variants.\n\n'
             'The micro-benchmarks, FDTD and TRIAD have one wave of CTAs, a third of the sizes of [isca19.md](isca19.md). The other '
             'workloads are smaller,\nso that a machine takes half a minute; their data fill less of the LLC.\n')
    to.write('\n## Distribution of the mean gains\n\n')
    write_distribution(rows, pinned, to)
    to.write('\n## The adaptive policy beside the others\n\n')
    write_bound(rows, pinned, to)
    to.write('\n## Which keys explain it\n\nSpearman\'s rank correlation of each key, in the order of '
             'its values, with the mean gain.\n\n')
    write_keys(rows, to)
    to.write('\n## By workload\n\n')
    write_workloads(rows, to)
    to.write('\n## Workloads\n\n')
    for name, (_, run, _, values) in WORKLOADS.items():
        to.write('- %s: `%s`, %s\n' % (name, run.relative_to(ROOT), ', '.join('%s = %s' % pair for pair in values.items())))
    to.write('\n## How this page was made\n\n`eval/sensitivity.py build` ran the machines, and `eval/sensitivity.py --table` wrote '
             'this page from `eval/sensitivity.jsonl`, which has %d machines of seed %d, and `isca19`.\n' % (len(rows), rows[0]['seed']))


def check(build, done, seed, cells):
    """Returns the number of cells whose gain is not that of the store"""
    source, wrong = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as folder:
        tagged = tag(build, folder)
        for _ in range(cells):
            row = done[source.choice(sorted(done))]
            name, policy = source.choice(list(WORKLOADS)), source.choice(POLICIES)
            gain = gain_of(*(simulate(build, row['machine'], name, variant, tagged) for variant in ('baseline', policy)))
            print('machine %d, %s, %s: %s' % (row['number'], name, policy, gain))
            if gain != row['gain'][policy][name]:
                print('eval/sensitivity.jsonl has %s' % row['gain'][policy][name])
                wrong += 1
    return wrong


def run_machines(arguments, done):
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        tagged = tag(arguments.build, folder)
        for number in range(PINNED, arguments.machines):
            if (arguments.seed, number) not in done:
                machine = draw(arguments.seed, number)
                row = {'seed': arguments.seed, 'number': number, 'machine': machine,
                       'gain': measure(arguments.build, pool, machine, tagged)}
                with STORE.open('a', encoding='utf-8') as file:
                    file.write(json.dumps(row) + '\n')


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', nargs='?')
    parser.add_argument('--machines', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--check', type=int)
    parser.add_argument('--table', nargs='?', type=pathlib.Path, const=PAGE)
    arguments = parser.parse_args()
    done = read_store()
    if arguments.table:
        rows = [row for (seed, number), row in sorted(done.items()) if seed == arguments.seed and number != PINNED]
        with arguments.table.open('w', encoding='utf-8') as file:
            write_page(rows, done[arguments.seed, PINNED], file)
    elif not arguments.build:
        parser.error('BUILD-ROOT is missing')
    elif arguments.check:
        return check(arguments.build, done, arguments.seed, arguments.check) > 0
    else:
        run_machines(arguments, done)
    return 0


if __name__ == '__main__':
    sys.exit(main())
