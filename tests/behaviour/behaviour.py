#!/usr/bin/env python3
"""Records what the commands write for a broad set of inputs, and compares two such records.

usage: behaviour.py inputs BUILD INPUTS [--kernels=300]
       behaviour.py record COMMANDS INPUTS RECORD [--full] [--only=PART] [--jobs=N]
       behaviour.py compare OLD NEW [--differences=FILE] [--show=N]

`inputs` collects the samples, run files and random kernels of this tree in the folder INPUTS, once for
both records. `record` runs the commands of the folder COMMANDS, such as build/cli of this or of an older
version, on them and writes digests of all outputs to RECORD/digests.tsv; with --full the outputs
themselves, too. PART is a part of a name in that list. What depends on the host's speed is left out.
`compare` fails for each output that differs. --differences names a file of expected ones, a line each:

    GLOB  s/REGULAR EXPRESSION/REPLACEMENT/  the reason

Such a rule is applied to the old outputs whose names match GLOB; it needs records with --full. Any
character may stand for `/`. A rule that changes nothing is an error.
"""
import argparse
import concurrent.futures
import fnmatch
import gzip
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests' / 'lib'))
from policies import policies_of

RUN_FOLDERS = ('samples', 'eval/runs', 'bench/execute')
CYCLES = 12000  # of a timed run; longer ones end there
TRACE_CYCLES = 1500
SECONDS = 600
SHOWN = 10
# What depends on the host.
HOST = (re.compile(rb'\n *"host": \{[^}]*\},?'),
        re.compile(rb'\n *"cpu_seconds": [^\n]*'))
NETWORKS = ('mesh88_8vc_islip', 'mesh66_4vc_sif', 'fly43_8vc_islip', 'crossbar64_8vc_islip')
TRAFFIC = ('uniform', 'transpose', 'many-to-few:56-63')
MEMORIES = ('gddr5_isca19', 'gddr5_ari', 'hbm2', 'tom_vault')
PATTERNS = ('seq', 'random', 'one-bank', 'bank-rr')


def make_inputs(build, folder, kernels):
    """Copies the inputs of this tree, and prints the random kernels with seeds from 1."""
    for name in RUN_FOLDERS:
        shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True)
    (folder / 'kernels').mkdir(exist_ok=True)
    generator = build / 'tests' / 'fuzz' / 'differential'
    for seed in range(1, kernels + 1):
        with open(folder / 'kernels' / ('%d.ptx' % seed), 'wb') as file:
            subprocess.run([generator, '--print', str(seed)], stdout=file, check=True)


class Job:
    """Commands that run one after the other in an empty folder, where `in` is the inputs. What they
    leave there is recorded as NAME/FILE."""

    def __init__(self, name, *commands):
        self.name, self.commands = name, commands


def tag_job(path, name, *options):
    return Job(name,
               ['ptxoffload', path, '-o', 'out.ptx', '--metadata=out.json', '--report=text:out.txt',
                '--report=json:report.json', '--report=html:out.html', *options],
               ['ptxoffload', path, '-o', 'out.ir', '--emit=ir', *options])


def program_of(path):
    """The program that the run file names, as a path below `in`."""
    found = re.search(r'^program: *(\S+)', path.read_text(encoding='utf-8'), re.M)
    return os.path.normpath(path.parent / found.group(1))


def run_jobs(inputs, path, policies):
    """A run file under each policy, with the tagged program, and without a clock."""
    name = 'in/%s' % path.relative_to(inputs)
    program = 'in/%s' % os.path.relpath(program_of(path), inputs)
    tag = ['ptxoffload', program, '-o', 'tagged.ptx', '-w']
    simulate = ['ptxoffload-sim', name, '--program=tagged.ptx']
    plain = 'run/%s' % path.relative_to(inputs).with_suffix('')
    yield Job(plain + '/functional', tag,
              simulate + ['--functional', '--json=run.json', '--profile-out=profile.json'])
    for policy in policies:
        yield Job('%s/%s' % (plain, policy), tag,
                  simulate + ['--policy=' + policy, '--max-cycles=%d' % CYCLES, '--json=run.json',
                              '--stats=stats.txt', '--series=series.csv', '--trace=trace.json',
                              '--trace-window=0:%d' % TRACE_CYCLES])


def measuring_jobs():
    for network in NETWORKS:
        for traffic in TRAFFIC:
            if traffic == 'uniform' or network.startswith('mesh88'):
                yield Job('noc/%s/%s' % (network, traffic.split(':')[0]),
                          ['ptxoffload-noc', '--config=noc/' + network, '--traffic=' + traffic,
                           '--sweep=0.05,0.2,0.4', '--warmup=500', '--cycles=2000',
                           '--json=out.json', '--plot=out.svg'])
    for memory in MEMORIES:
        for pattern in PATTERNS:
            yield Job('dram/%s/%s' % (memory, pattern),
                      ['ptxoffload-dram', '--config=dram/' + memory, '--pattern=' + pattern,
                       '--sweep=0.05,0.2,0.5', '--writes=0.3', '--cycles=20000',
                       '--json=out.json', '--plot=out.svg'])


def all_jobs(inputs, policies):
    for path in sorted((inputs / 'samples').glob('*/*.ptx')):
        name = path.relative_to(inputs)
        yield tag_job('in/%s' % name, 'tag/%s/plain' % name)
        yield tag_job('in/%s' % name, 'tag/%s/split' % name, '--fma=split', '--cost=tom')
    for path in sorted((inputs / 'kernels').glob('*.ptx'), key=lambda one: int(one.stem)):
        yield tag_job('in/kernels/%s' % path.name, 'kernels/%s' % path.stem)
    for folder in RUN_FOLDERS:
        for path in sorted(set((inputs / folder).rglob('*.yaml')) - set((inputs / folder).rglob('*.map.yaml'))):
            yield from run_jobs(inputs, path, policies)
    yield from measuring_jobs()


def full_path(record, name):
    return record / 'full' / (name + '.gz')


def keep_output(record, name, text, full):
    """The output's line in the list of digests."""
    for pattern in HOST:
        text = pattern.sub(b'', text)
    if full:
        path = full_path(record, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(text, 1, mtime=0))
    return '%s\t%s\t%d\n' % (name, hashlib.sha256(text).hexdigest(), len(text))


def run_job(job, commands, inputs, record, full):
    """The lines of the job's outputs in the list of digests."""
    with tempfile.TemporaryDirectory(prefix='behaviour-') as name:
        folder = pathlib.Path(name)
        (folder / 'in').symlink_to(inputs)
        said = b''
        for program, *words in job.commands:
            done = subprocess.run([commands / program, *words], cwd=folder, timeout=SECONDS,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=dict(os.environ, LC_ALL='C.UTF-8',
                                                                     NO_COLOR='1'))
            said += done.stdout + b'[exit %d]\n' % done.returncode
        rows = [keep_output(record, job.name + '/said', said, full)]
        rows += [keep_output(record, '%s/%s' % (job.name, path.name), path.read_bytes(), full)
                 for path in sorted(folder.iterdir()) if path.is_file()]
    return rows


def write_record(commands, inputs, record, full, only, at_a_time):
    record.mkdir(parents=True, exist_ok=True)
    jobs = [job for job in all_jobs(inputs, policies_of(commands / 'ptxoffload-sim')) if only in job.name]
    if not jobs:
        sys.exit("behaviour.py: no output has '%s' in its name" % only)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        for found in pool.map(lambda job: run_job(job, commands, inputs, record, full), jobs):
            rows += found
    (record / 'digests.tsv').write_text(''.join(sorted(rows)), encoding='utf-8')
    print('%d outputs of %d jobs' % (len(rows), len(jobs)))


class Rule:
    """An expected difference, with the outputs that it changed."""

    def __init__(self, line):
        found = re.fullmatch(r'(\S+)\s+s(\S)(.*?)(?<!\\)\2(.*?)(?<!\\)\2\s+(\S.*)', line)
        if not found:
            sys.exit('behaviour.py: no rule with a reason: %s' % line)
        self.glob, _, old, new, self.reason = found.groups()
        self.old, self.new = re.compile(old.encode(), re.M), new.encode()
        self.changed = 0

    def apply(self, name, text):
        if not fnmatch.fnmatch(name, self.glob):
            return text
        text, count = self.old.subn(self.new, text)
        self.changed += count > 0
        return text


def read_rules(path):
    lines = path.read_text(encoding='utf-8').splitlines() if path else []
    return [Rule(line) for line in lines if line.strip() and not line.startswith('#')]


def read_digests(record):
    rows = (record / 'digests.tsv').read_text(encoding='utf-8').splitlines()
    return dict(row.split('\t', 1) for row in rows)


def read_full(record, name):
    path = full_path(record, name)
    return gzip.decompress(path.read_bytes()) if path.exists() else None


def first_difference(old, new):
    """The first lines that differ."""
    lines = [text.split(b'\n') for text in (old, new)]
    for number, (before, after) in enumerate(zip(*lines), 1):
        if before != after:
            return 'line %d\n    - %s\n    + %s' % (number, before[:300].decode('utf-8', 'replace'),
                                                  after[:300].decode('utf-8', 'replace'))
    return 'one has %d lines, the other %d' % tuple(map(len, lines))


def difference(name, old, new, records, rules):
    """Why the output is not the same, or None."""
    if old is None or new is None:
        return 'only in the %s record' % ('new' if old is None else 'old')
    if old == new:
        return None
    texts = [read_full(record, name) for record in records]
    if None in texts:
        return 'differs'
    for rule in rules:
        texts[0] = rule.apply(name, texts[0])
    return None if texts[0] == texts[1] else first_difference(*texts)


def compare_records(old, new, rules, shown):
    digests = [read_digests(record) for record in (old, new)]
    wrong = {}
    names = sorted({*digests[0], *digests[1]})
    for name in names:
        reason = difference(name, *(rows.get(name) for rows in digests), (old, new), rules)
        if reason:
            wrong[name] = reason
    for name, reason in list(wrong.items())[:shown]:
        print('%s: %s' % (name, reason))
    if len(wrong) > shown:
        print('and %d more' % (len(wrong) - shown))
    idle = [rule for rule in rules if not rule.changed]
    for rule in rules:
        print('%d outputs: %s' % (rule.changed, rule.reason))
    print('%d outputs, %d differ' % (len(names), len(wrong)))
    return bool(wrong or idle or not names)


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    actions = options.add_subparsers(dest='action', required=True)
    inputs = actions.add_parser('inputs')
    inputs.add_argument('build', type=pathlib.Path)
    inputs.add_argument('inputs', type=pathlib.Path)
    inputs.add_argument('--kernels', type=int, default=300)
    record = actions.add_parser('record')
    record.add_argument('commands', type=pathlib.Path)
    record.add_argument('inputs', type=pathlib.Path)
    record.add_argument('record', type=pathlib.Path)
    record.add_argument('--full', action='store_true')
    record.add_argument('--only', default='')
    record.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)))
    compare = actions.add_parser('compare')
    compare.add_argument('old', type=pathlib.Path)
    compare.add_argument('new', type=pathlib.Path)
    compare.add_argument('--differences', type=pathlib.Path)
    compare.add_argument('--show', type=int, default=SHOWN)
    options = options.parse_args()
    if options.action == 'inputs':
        return make_inputs(options.build.resolve(), options.inputs, options.kernels)
    if options.action == 'record':
        return write_record(options.commands.resolve(), options.inputs.resolve(), options.record,
                            options.full, options.only, options.jobs)
    return compare_records(options.old, options.new, read_rules(options.differences), options.show)


if __name__ == '__main__':
    sys.exit(main())
