#!/usr/bin/env python3
"""Random machines: each computes the right values, or says why it cannot be.

usage: machines.py BUILD-ROOT [--count=N] [--seed=N]

A machine is a built-in one in which one to four keys have other values: their least and most, what
is beside these, powers of two, any others. Some differ in what belongs together, as the nodes of
two networks, first. A small kernel runs on it, under a policy. Right is: the values of a functional
run; or exit code 1 and an error that says which keys do not go together; or exit code 4 if the
watchdog's time was drawn. Anything else fails: a signal, a machine that runs for a minute, other
values, a statistic that is a share and lies outside 0 to 1.
"""
import argparse
import collections
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import environment

SECONDS = 60
HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ['chain', 'loads', 'sums', 'atomics']
LIKELY = ('l1.', 'llc.', 'memory.', 'offload.', 'core.', 'dram.')  # of the others there are many

# Kernels and settings that had other values once.
FOUND = [
    # an access that starts later than its latency ends
    *(('sums', ['--config', config, '--set', 'core.access_delay=%d' % delay])
      for config in ('isca19', 'gtx480', 'v100', 'a100') for delay in (33, 64)),
    ('sums', ['--config', 'isca19', '--set', 'core.access_delay=40', '--set', 'core.shared_latency=20']),
    ('loads', ['--config', 'v100', '--set', 'core.access_delay=64', '--set', 'constant_cache.latency=1']),
]

# Shares of a whole that users and campaigns divide from counts: the sum of the first over that of the second.
SHARES = [row.strip().split(' / ') for row in '''
    ari.stall_cycles / ari.cycles
    ari.above_bound / ari.intervals
    ari.ranked / ari.replies
    ari.reply_flits / ari.read_reply_flits ari.write_reply_flits ari.result_flits
    l1.read_hits l1.read_merged / l1.reads
    l1.write_hits / l1.writes
    llc.read_hits llc.read_merged / llc.reads
    llc.write_hits / llc.writes
    machine.from_l1 machine.from_l1_merge / machine.l1_requests
    core.issued_again / core.issued
    core.warp_instructions / core.issued
    memory.from_llc memory.from_merge memory.from_dram / memory.data_answers
    memory.injection_sum memory.service_sum memory.noc_sum / memory.latency_sum
    memory.data_answers / memory.answers
    memory.answers / memory.requests
    request.class0.packets / request.class0.packets_sent
    request.class0.wait_sum / request.class0.latency_sum
    reply.class0.packets / reply.class0.packets_sent
    reply.class0.wait_sum / reply.class0.latency_sum
    dram.row_hits / dram.reads dram.writes
    offload.chains_offloaded / offload.chains_tagged
    offload.offloaded_lanes / offload.chain_lanes
    offload.answered / offload.packets
    offload.lookup_hits / offload.lookups
    offload.bounced / offload.packets
    tom.offloaded / tom.asked
    tom.condition_false tom.busy_tx tom.busy_rx tom.full tom.offloaded / tom.asked
    tom.returned / tom.offloaded
    tom.again / tom.asked
    map.one_base / map.instances
    stack.tlb_remote / stack.tlb_reads
'''.strip().splitlines()]

# What must fit together for a machine of another shape.
SHAPES = [
    [],
    [],
    [],
    ['memory.partition_nodes=[0]', 'memory.cores=1'],
    ['memory.sectors=true'],
    ['request_network.topology=crossbar', 'reply_network.topology=crossbar',
     'request_network.nodes=12', 'reply_network.nodes=12', 'memory.cores=8',
     'memory.partition_nodes=[8,9,10,11]'],
    ['request_network.topology=fly', 'reply_network.topology=fly', 'request_network.radix=4',
     'reply_network.radix=4', 'request_network.stages=2', 'reply_network.stages=2',
     'memory.cores=12', 'memory.partition_nodes=[3,7,11,15]', 'reply_network.reversed=true',
     'request_network.router_nodes=true', 'reply_network.router_nodes=true'],
    ['request_network.width=2', 'reply_network.width=2', 'request_network.height=3',
     'reply_network.height=3', 'memory.cores=4', 'memory.partition_nodes=[0,5]'],
    ['request_network.topology=crossbar', 'reply_network.topology=crossbar',
     'request_network.packet_wide=true', 'reply_network.packet_wide=true', 'request_network.nodes=12',
     'reply_network.nodes=12', 'memory.cores=8', 'memory.partition_nodes=[8,9,10,11]',
     'memory.channel_slices=2', 'memory.rule=ipoly'],
    ['memory.sectors=true', 'memory.sector_replies=true', 'l1.sector_bytes=32',
     'l1.allocate_writes=true', 'l1.banks=4', 'l1.bank_bytes=32'],
    ['memory.sectors=true', 'memory.sector_replies=true', 'memory.reply_sectors=3', 'l1.sector_bytes=32',
     'llc.atomic_latency=30'],
    ['dram.tREFI=900', 'dram.tRFC=40', 'dram.refresh=bank', 'dram.bank_xor=false',
     'dram.bank_bits=[8,10,13]'],
    ['request_network.vcs=4', 'offload.packet_vcs=1', 'request_network.routing=adaptive'],
]


def read_keys(program):
    """{name: ('number', least, most) or ('choice', words) or ('list', least, most)}"""
    text = subprocess.run([program, '--help=keys-markdown'], capture_output=True, check=True,
                          encoding='utf-8').stdout
    keys, section = {}, None
    for line in text.splitlines():
        if line.startswith('### '):
            section = line[4:].strip(' `')
        row = re.match(r'\| `(\w+)` \| ([^|]*) \|', line)
        if not row or not section:
            continue
        name, values = section + '.' + row.group(1), row.group(2).strip()
        numbers = re.search(r'(-?[0-9.e+]+) … (-?[0-9.e+]+)', values)
        if numbers:
            kind = 'list' if values.startswith('a list') else 'number'
            keys[name] = (kind, float(numbers.group(1)), float(numbers.group(2)))
        else:
            words = ['true', 'false'] if values == 'true or false' else values.split(', ')
            keys[name] = ('choice', words)
    return keys


def draw_number(draw, least, most):
    kind = draw.random()
    if kind < 0.3:
        value = draw.choice([least, least + 1, most, most - 1])
    elif kind < 0.6:
        value = 2 ** draw.randrange(0, 12)
    else:
        value = least + (most - least) * draw.random() ** draw.choice([1, 4, 8])
    return min(max(int(value), int(least)), int(most))


def draw_value(draw, key):
    if key[0] == 'choice':
        return draw.choice(key[1])
    if key[0] == 'number':
        return str(draw_number(draw, key[1], key[2]))
    return '[%s]' % ', '.join(str(draw_number(draw, key[1], min(key[2], 80)))
                              for _ in range(draw.randrange(0, 5)))


def draw_machine(draw, keys, policies):
    names = sorted(keys)
    likely = [name for name in names if name.startswith(LIKELY)]
    chosen = [draw.choice(likely if draw.random() < 0.6 else names)
              for _ in range(draw.choice([1, 2, 2, 2, 3, 3, 4]))]
    settings = draw.choice(SHAPES) + ['%s=%s' % (name, draw_value(draw, keys[name]))
                                      for name in chosen]
    return [word for setting in settings for word in ('--set', setting)] + [
        '--config', draw.choice(['isca19', 'isca19', 'gtx480', 'ari', 'tom', 'isca19-stacks']),
        '--set', draw.choice(['ari.monitor=true', 'ari.monitor=false']),
        '--policy', draw.choice(policies), '--set', draw.choice(['core.schedule=0', 'core.schedule=16'])]


def count_shares(text):
    """the shares of SHARES whose parts and wholes are statistics of the run: {name: [value]}"""
    counts = {name: float(value) for name, value in re.findall(r'^(\S+) = ([\d.]+) #', text, re.M)}
    shares = {}
    for part, whole in SHARES:
        names = part.split() + whole.split()
        if all(name in counts for name in names):
            of = sum(counts[name] for name in whole.split())
            found = sum(counts[name] for name in part.split())
            shares['%s / %s' % (part, whole)] = [found / of if of else 0 if not found else 2]
    return shares


def read_shares(text):
    """the statistics that are shares of a whole: {name: its values}"""
    shares = count_shares(text)
    for line in text.splitlines():
        row = re.match(r'(\S+) = ([^#]*) # (.*)', line)
        if row and re.search(r'\b(fraction|utilization) of ', row.group(3)):
            shares[row.group(1)] = [float(value) for value in
                                    re.findall(r'-?[\d.]+(?:e[-+]?\d+)?|-?nan|-?inf', row.group(2))]
    return shares


class Trial:
    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.expected = {}
        self.shares = collections.Counter()

    def run(self, kernel, options):
        saved = self.folder / 'out.npy'
        saved.unlink(missing_ok=True)
        (self.folder / 'stats.txt').unlink(missing_ok=True)
        command = [self.program, 'k.ptx', '--kernel', kernel, '--grid', '5', '--block', '96',
                   '--arg', 'buf:u32:1024:range:0:1000', '--arg', 'buf:u32:512:zero', '--arg',
                   'u32:480', '--save', '1=out.npy', *options]
        try:
            done = subprocess.run(command, cwd=self.folder, capture_output=True, timeout=SECONDS,
                                  env=environment())
        except subprocess.TimeoutExpired:
            return 'more than %d s' % SECONDS, '', None
        values = saved.read_bytes() if saved.exists() else None
        return done.returncode, done.stderr.decode(errors='replace'), values

    def judge(self, kernel, options):
        """(class, what is wrong or None)"""
        if kernel not in self.expected:
            self.expected[kernel] = self.run(kernel, ['--functional'])[2]
            assert self.expected[kernel], kernel
        code, err, values = self.run(kernel, options + ['--stats=stats.txt'])
        if code == 0:
            if values != self.expected[kernel]:
                return 'wrong values', 'the values differ'
            shares = read_shares((self.folder / 'stats.txt').read_text())
            self.shares.update(list(shares))
            wrong = [name for name, values in shares.items()
                     if not all(0 <= value <= 1 for value in values)]
            return ('wrong share', ', '.join(wrong)) if wrong else ('run', None)
        if code == 1 and 'error: ' in err and values is None:
            return 'error', None
        if code == 4 and any('watchdog' in word for word in options):
            return 'given up', None
        return 'exit %s' % code, err[-1500:]


def main():
    options = argparse.ArgumentParser()
    options.add_argument('build', type=pathlib.Path)
    options.add_argument('--count', type=int, default=60)
    options.add_argument('--seed', type=int, default=1)
    options.add_argument('-v', action='store_true', dest='verbose')
    options = options.parse_args()
    programs = options.build.resolve() / 'cli'
    keys, policies = read_keys(programs / 'ptxoffload-sim'), policies_of(programs / 'ptxoffload-sim')
    assert len(keys) > 100, keys
    counts, failures = collections.Counter(), 0
    with tempfile.TemporaryDirectory(prefix='ptxoffload-test-') as name:
        folder = pathlib.Path(name)
        subprocess.run([programs / 'ptxoffload', HERE / 'machines.ptx', '-o', folder / 'k.ptx'],
                       check=True)
        trial = Trial(programs / 'ptxoffload-sim', folder)
        for number in range(options.seed, options.seed + options.count):
            draw = random.Random(number)
            machine, kernel = draw_machine(draw, keys, policies), draw.choice(KERNELS)
            kind, wrong = trial.judge(kernel, machine)
            counts[kind] += 1
            if wrong is not None:
                failures += 1
                print('# seed %d: %s: %s\n# %s' % (
                    number, kind, wrong.replace('\n', '\n# '),
                    ' '.join([kernel] + ["'%s'" % word for word in machine])), flush=True)
        found = [(row, trial.judge(*row)) for row in FOUND]
    for row, verdict in found:
        if verdict != ('run', None):
            print('# %s: %s' % (row, verdict))
    print('1..4')
    print('%sok 1 - %d machines: %s' % ('not ' if failures else '', options.count, ', '.join(
        '%d %s' % (count, kind) for kind, count in sorted(counts.items()))))
    few = options.count >= 20 and min(counts['run'], counts['error']) < options.count // 20
    print('%sok 2 - some of them run, and some are refused' % ('not ' if few else ''))
    print('%sok 3 - %d statistics are shares' % ('' if trial.shares else 'not ',
                                                 len(trial.shares)))
    failed = any(verdict != ('run', None) for _, verdict in found)
    print('%sok 4 - machines that had other values' % ('not ' if failed else ''))
    sys.exit(bool(failures or few or not trial.shares or failed))


main()
