#!/usr/bin/env python3
"""ptxoffload-campaign: what it runs, how often, and what it says of it.

usage: campaign.py BUILD-ROOT [--update]

--update writes the tables of keys in docs/campaign.md instead of comparing them.
"""
import csv
import functools
import hashlib
import html.parser
import io
import json
import math
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (add_case, case, ends, environment, fresh_document, main, run, same, wait_for,
                 within)

BUILD = pathlib.Path(sys.argv[1]).resolve()
UPDATE = '--update' in sys.argv[2:]
PROGRAM = BUILD / 'cli' / 'ptxoffload-campaign'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES, DOCUMENT = ROOT / 'samples', ROOT / 'docs' / 'campaign.md'

CAMPAIGN = """
name: tiny
title: A tiny campaign
workloads:
  - {name: VECADD, run: %(samples)s/vecadd/run.yaml, group: micro, values: {n: 1024}, quick: {n: 64}}
  - {name: COPY, run: %(samples)s/copy-aligned/run.yaml, tagged: %(samples)s/copy-strided/run.yaml, group: micro, values: {n: 1024}}
  - {name: TRIAD, run: %(samples)s/triad/run.yaml, group: large, values: {n: 512}}
variants:
  - {name: base}
  - {name: fast, set: {l1.latency: 1, llc: {latency: 5}}}
  - {name: tagged, like: fast, tag: --fma=split}
points:
  - {name: q8, x: 8, group: queue, set: {memory.reply_queue: 8}}
  - {name: q32, x: 32, group: queue, label: as it is, set: {memory.reply_queue: 32}}
studies:
  - {name: main, workloads: [micro, large], variants: [base, fast, tagged]}
  - {name: queue, workloads: micro, variants: base, points: queue, quick: no}
define:
  cycles: machine.cycles
  rate: machine.warp_instructions / cycles
figures:
  - name: gain
    title: Gain & more
    source: "[000, Figure 11]"
    workloads: [micro, large]
    mean: geometric
    unit: gain
    columns:
      - {name: fast, value: base.cycles / fast.cycles, paper: {mean micro: 19, TRIAD: 4},
         expect: {all: ">= -50", TRIAD: "<= -50"}}
      - {name: tagged, value: base.cycles / tagged.cycles, digits: 3}
  - name: rates
    title: Rates
    workloads: micro
    reference: TRIAD
    plot: stacked
    columns:
      - {name: rate, value: base.rate, digits: 4}
      - {name: beside, value: base.rate / ref.fast.rate, unit: percent, mean: none}
  - name: queue
    title: Queue
    workloads: micro
    points: queue
    plot: lines
    x: packets
    columns: [{name: slowdown, value: base.cycles / plain.base.cycles, unit: gain}]
"""


def write_campaign(folder, text=CAMPAIGN, **more):
    path = folder / 'tiny.yaml'
    path.write_text(text % dict({'samples': SAMPLES}, **more), encoding='utf-8')
    return path


def campaign(folder, *arguments, **settings):
    return run([PROGRAM, *arguments], folder, **settings)


def results(folder, store='tiny.campaign'):
    """(workload, variant, point) -> result"""
    found = {}
    for path in (folder / store / 'results').iterdir():
        result = json.loads(path.read_text(encoding='utf-8'))['result']
        for name in result['names']:
            found[name['workload'], name['variant'], name['point']] = result
    return found


FINISHED = tempfile.TemporaryDirectory(prefix='ptxoffload-test-campaign-')


@functools.lru_cache(maxsize=None)
def finished():
    """A folder in which all jobs are done: they run once for all cases that need their results."""
    folder = pathlib.Path(FINISHED.name)
    write_campaign(folder)
    ends(campaign(folder, 'run', 'tiny.yaml'), 0, '')
    return folder


def write_finished(folder):
    """The campaign with the results of all its jobs."""
    write_campaign(folder)
    shutil.copytree(finished() / 'tiny.campaign', folder / 'tiny.campaign')


def statistic(result, name):
    return result['total']['statistics'][name]


def keys(folder):
    return {path.stem for path in (folder / 'tiny.campaign' / 'results').glob('*.json')}


class Gate:
    """A named pipe: each job of tools with before=gate.before waits until it may pass."""

    def __init__(self, folder):
        os.mkfifo(folder / 'gate')
        self.end = os.open(folder / 'gate', os.O_RDWR)
        self.before = 'read may_pass <%s/gate' % folder

    def let_pass(self, count):
        os.write(self.end, b'go\n' * count)

    def close(self):
        os.close(self.end)


def jobs_left(folder):
    """The processes that run in the campaign's folder."""
    found = []
    for process in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            if pathlib.Path(os.readlink(process / 'cwd')).is_relative_to(folder):
                found.append(process.name)
        except OSError:  # it has ended, or is somebody else's
            pass
    return found


def wrapped_tools(folder, before=''):
    """A folder with tools that write down when a job starts."""
    tools = folder / 'tools'
    tools.mkdir()
    (tools / 'ptxoffload').symlink_to(BUILD / 'cli' / 'ptxoffload')
    script = tools / 'ptxoffload-sim'
    script.write_text('#!/bin/sh\n'
                      'case "$*" in *--print-config*) exec %s "$@";; esac\n'
                      'key=$(echo "$*" | sed "s#.*/running/\\([0-9a-f]*\\)/stats.json.*#\\1#")\n'
                      'echo "$key" >>%s\n%s\nexec %s "$@"\n' %
                      (BUILD / 'cli' / 'ptxoffload-sim', folder / 'starts', before,
                       BUILD / 'cli' / 'ptxoffload-sim'), encoding='utf-8')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return '--tools=%s' % tools


def starts(folder):
    path = folder / 'starts'
    return path.read_text(encoding='utf-8').split() if path.exists() else []


def is_clean(folder):
    store = folder / 'tiny.campaign'
    same(list((store / 'running').iterdir()), [])
    same([path for path in (store / 'results').iterdir() if path.suffix != '.json'], [])


# Running

@case
def all_jobs(folder):
    """runs each job once, the baseline's program as it is; a second run runs nothing"""
    write_campaign(folder)
    tools = wrapped_tools(folder)
    out = ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '').out.decode()
    same(out, '11 of 11 jobs done, 0 failed, 0 left; 11 run now\n')
    same(sorted(starts(folder)), sorted(keys(folder)))
    out = ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '').out.decode()
    same(out, '11 of 11 jobs done, 0 failed, 0 left; 0 run now\n')
    same(len(starts(folder)), 11)
    found = results(folder)
    same(len(found), 13)
    assert found['VECADD', 'base', None] is not found['VECADD', 'fast', None]
    same(len(found['VECADD', 'base', None]['commands']), 1)
    tag, sim = found['VECADD', 'tagged', None]['commands']
    within('--fma=split', tag)
    within('--program=' + tag[-1], sim)
    tag, sim = found['COPY', 'tagged', None]['commands']
    same((tag[1], sim[1]), tuple('%s/copy-strided/%s' % (SAMPLES, name)
                                 for name in ('copy-strided.ptx', 'run.yaml')))
    is_clean(folder)


@case
def killed(folder):
    """kill -9 twice: no job that had a result is started again, and the results are the same"""
    write_campaign(folder)
    gate = Gate(folder)
    tools = wrapped_tools(folder, gate.before)
    had, at_kill = set(), []
    for wanted in (2, 5):
        running = subprocess.Popen([PROGRAM, 'run', 'tiny.yaml', '--jobs=2', tools], cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        gate.let_pass(wanted - len(had))
        wait_for(lambda: (folder / 'tiny.campaign' / 'results').exists() and
                 len(keys(folder)) >= wanted, running)
        running.send_signal(signal.SIGKILL)
        running.wait()
        wait_for(lambda: not jobs_left(folder))
        had = keys(folder)
        assert wanted <= len(had) < 11
        at_kill.append((had, len(starts(folder))))
    # What a killed job leaves is cleaned, and so is what one leaves that dies while it writes.
    (folder / 'tiny.campaign' / 'running' / ('0' * 64)).mkdir(exist_ok=True)
    (folder / 'tiny.campaign' / 'running' / ('0' * 64) / 'run.json').write_text('{')
    (folder / 'tiny.campaign' / 'results' / ('0' * 64 + '.part')).write_text('{')
    gate.let_pass(22)
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=2', tools), 0, '')
    for had, count in at_kill:
        same(had & set(starts(folder)[count:]), set())
    same(set(starts(folder)), keys(folder))
    same(len(keys(folder)), 11)
    is_clean(folder)
    gate.close()
    expected = {name: result['total'] for name, result in results(finished()).items()}
    same({name: result['total'] for name, result in results(folder).items()}, expected)


@case
def interrupted(folder):
    """SIGINT ends the jobs and leaves no result of them; the next run goes on"""
    write_campaign(folder)
    gate = Gate(folder)
    tools = wrapped_tools(folder, gate.before)
    running = subprocess.Popen([PROGRAM, 'run', 'tiny.yaml', '--jobs=1', tools], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    gate.let_pass(1)
    wait_for(lambda: len(starts(folder)) == 2, running)
    running.send_signal(signal.SIGINT)
    same(running.wait(timeout=60), -signal.SIGINT)
    same(running.stderr.read(), b'')
    running.stderr.close()
    count = len(keys(folder))
    same(count, 1)
    gate.let_pass(11)
    out = ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '').out.decode()
    same(out, '11 of 11 jobs done, 0 failed, 0 left; %d run now\n' % (11 - count))
    gate.close()


@case
def locked(folder):
    """two runs do not share a store; status tells what the first one runs"""
    write_campaign(folder)
    gate = Gate(folder)
    tools = wrapped_tools(folder, gate.before)
    running = subprocess.Popen([PROGRAM, 'run', 'tiny.yaml', '--jobs=1', tools], cwd=folder,
                               stdout=subprocess.DEVNULL)
    wait_for(lambda: starts(folder), running)
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 1,
         "ptxoffload-campaign: error: another run uses the store 'tiny.campaign'\n", '')
    out = ends(campaign(folder, 'status', 'tiny.yaml', tools), 0, '').out.decode()
    same(out, 'running: VECADD, base\n11 jobs: 0 done, 1 running, 0 failed, 10 left\n')
    running.terminate()
    same(running.wait(timeout=60), -signal.SIGTERM)
    gate.close()


@case
def longest_first(folder):
    """jobs that are expected to take longest start first; the expectation is the CPU time of earlier jobs"""
    write_campaign(folder)
    burn = 'case "$*" in *triad/run.yaml*) i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done;; esac'
    tools = wrapped_tools(folder, before=burn)
    # Nothing is known: in the order of the plan.
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=1', '--variant=base', '--study=main', tools), 0, '',
         '3 of 3 jobs done, 0 failed, 0 left; 3 run now\n')
    by_key = lambda: {path.stem: json.loads(path.read_text(encoding='utf-8'))['result']['names'][0]['workload']
                      for path in (folder / 'tiny.campaign' / 'results').iterdir()}
    same([by_key()[key] for key in starts(folder)], ['VECADD', 'COPY', 'TRIAD'])
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=1', '--variant=fast', tools), 0, '',
         '3 of 3 jobs done, 0 failed, 0 left; 3 run now\n')
    same([by_key()[key] for key in starts(folder)][3], 'TRIAD')


@case
def reused(folder):
    """--reuse takes good results of the same jobs from the store of another campaign"""
    write_campaign(folder)
    (folder / 'other.yaml').write_text((folder / 'tiny.yaml').read_text(encoding='utf-8')
                                       .replace('name: tiny', 'name: other')
                                       .replace('VECADD', 'SUM'), encoding='utf-8')
    (folder / 'broken').touch()
    tools = wrapped_tools(folder, before='case "$*" in *triad/run.yaml*--program*)'
                                         ' [ -e %s ] && exit 7;; esac' % (folder / 'broken'))
    same(campaign(folder, 'run', 'tiny.yaml', tools).code, 3)
    (folder / 'broken').unlink()
    damaged = next(path for path in (folder / 'tiny.campaign' / 'results').iterdir()
                   if b'"COPY"' in path.read_bytes())
    damaged.write_bytes(damaged.read_bytes().replace(b'"COPY"', b'"COPX"'))
    ends(campaign(folder, 'run', 'other.yaml', '--reuse=none.campaign', tools), 1,
         "ptxoffload-campaign: error: no store 'none.campaign' to reuse\n", '')
    # Neither the failed job nor the damaged result is taken.
    ends(campaign(folder, 'run', 'other.yaml', '--reuse=tiny.campaign', tools), 0, '',
         '11 of 11 jobs done, 0 failed, 0 left; 2 run now, 9 reused\n')
    same(len(starts(folder)), 13)
    result = results(folder, 'other.campaign')['SUM', 'base', None]
    same([result['campaign'], result['reused_from']], ['other', 'tiny'])
    old = {path.name for path in (folder / 'tiny.campaign' / 'results').iterdir()}
    same({path.name for path in (folder / 'other.campaign' / 'results').iterdir()}, old)
    ends(campaign(folder, 'run', 'other.yaml', '--reuse=tiny.campaign', tools), 0, '',
         '11 of 11 jobs done, 0 failed, 0 left; 0 run now, 0 reused\n')
    ends(campaign(folder, 'status', 'other.yaml', '--reuse=tiny.campaign', tools), 2,
         'ptxoffload-campaign: error: only run accepts --reuse\n'
         "'ptxoffload-campaign --help' explains the options\n", '')


@case
def failed(folder):
    """a job that fails is told with its last line, stops no other, and is run again with --retry only"""
    write_campaign(folder)
    tools = wrapped_tools(folder, before='case "$*" in *triad/run.yaml*--program*)'
                                         ' echo first >&2; echo it is broken >&2; exit 7;; esac')
    told = 'ptxoffload-campaign: TRIAD, tagged has failed: ptxoffload-sim: exit code 7: it is broken\n'
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 3, told,
         '10 of 11 jobs done, 1 failed, 0 left; 11 run now\n')
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 3, told,
         '10 of 11 jobs done, 1 failed, 0 left; 0 run now\n')
    ends(campaign(folder, 'status', 'tiny.yaml', tools), 0, told,
         '11 jobs: 10 done, 0 running, 1 failed, 0 left\n')
    same(len(starts(folder)), 11)
    ends(campaign(folder, 'run', 'tiny.yaml', '--retry', tools), 3, told,
         '10 of 11 jobs done, 1 failed, 0 left; 1 run now\n')
    same(len(starts(folder)), 12)
    text = ends(campaign(folder, 'report', 'tiny.yaml', tools), 0, '').out.decode()
    within('– TRIAD, tagged has failed: ptxoffload-sim: exit code 7: it is broken\n', text)


@case
def killed_job(folder):
    """a job that is killed leaves no result, stops no other, and is run again"""
    write_campaign(folder)
    tools = wrapped_tools(folder, before='if mkdir %s/once 2>/dev/null; then kill -9 $PPID; exit 1; fi' %
                          folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=1', tools), 3,
         'ptxoffload-campaign: VECADD, base has failed: it left no result\n',
         '10 of 11 jobs done, 1 failed, 0 left; 11 run now\n')
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '',
         '11 of 11 jobs done, 0 failed, 0 left; 1 run now\n')
    is_clean(folder)


@case
def progress(folder):
    """on a terminal a line tells how far it is, and is gone at the end; on a dumb one there is none"""
    write_campaign(folder)
    said = said_on_terminal(folder, 'xterm')
    told = re.findall(rb'\r\x1b\[K(\d+) of 11 done, \d running, 0 failed', said)
    same([int(number) for number in told][-1], 11)
    same(sorted(told, key=int), told)
    assert said.endswith(b'\r\x1b[K'), said
    assert b'\x1b' not in said_on_terminal(folder, 'dumb')


def said_on_terminal(folder, terminal):
    reader, writer = os.openpty()
    done = subprocess.run([PROGRAM, 'run', 'tiny.yaml', '--jobs=1'], cwd=folder, stderr=writer,
                          stdout=subprocess.DEVNULL, check=True, env=environment(TERM=terminal))
    os.close(writer)
    said = b''
    while True:
        try:
            said += os.read(reader, 65536)
        except OSError:
            break
    os.close(reader)
    same(done.returncode, 0)
    return said


@case
def sampled(folder):
    """variants with sample: yes take the options of the workload, whose estimate is a statistic"""
    text = CAMPAIGN.replace('values: {n: 512}', 'values: {n: 512}, sample: --sample=4:4')
    text = text.replace('variants: [base, fast, tagged]', 'variants: [base, part]')
    text = text.replace('points:\n', '  - {name: part, sample: yes}\npoints:\n', 1)
    write_campaign(folder, text.split('figures:')[0])
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=main'), 0, '')
    found = results(folder)
    same(len(keys(folder)), 4)  # without options both variants are the same job
    whole, part = found['TRIAD', 'base', None], found['TRIAD', 'part', None]
    same('sample.cycles' in whole['total']['statistics'], False)
    same(statistic(part, 'sample.cycles'), statistic(whole, 'machine.cycles'))


@case
def cannot_run(folder):
    """a configuration or run file that is wrong fails its own jobs"""
    text = CAMPAIGN.replace('l1.latency: 1', 'l1.latencies: 1').replace('{n: 512}', '{m: 512}')
    write_campaign(folder, text)
    result = campaign(folder, 'run', 'tiny.yaml')
    ends(result, 3, out='4 of 11 jobs done, 7 failed, 0 left; 4 run now\n')
    within("TRIAD, base has failed: %s/triad/run.yaml:" % SAMPLES, result.err.decode())
    within("--set:1:8: unknown value 'm'", result.err.decode())
    within('''VECADD, fast has failed: --set:1:6: error: 'l1' has no key 'latencies'; did you mean 'latency'? '''
           '[config]\n', result.err.decode())


@case
def damaged(folder):
    """a damaged result is run again, and no other; the database is made again of the results"""
    write_campaign(folder)
    tools = wrapped_tools(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '')
    before = ends(campaign(folder, 'report', 'tiny.yaml', tools), 0, '').out
    store = folder / 'tiny.campaign'
    cut, changed, *_ = sorted((store / 'results').iterdir())
    cut.write_bytes(cut.read_bytes()[:1000])
    text = changed.read_text(encoding='utf-8')
    cycles = re.search(r'"machine.cycles":(\d+)', text).group(1)
    changed.write_text(text.replace(cycles, str(int(cycles) + 1)), encoding='utf-8')
    result = campaign(folder, 'run', 'tiny.yaml', tools)
    ends(result, 0, out='11 of 11 jobs done, 0 failed, 0 left; 2 run now\n')
    for path in (cut, changed):
        within('warning: the result tiny.campaign/results/%s is damaged: its job will be run again\n' %
               path.name, result.err.decode())
    same(sorted(starts(folder)[11:]), sorted([cut.stem, changed.stem]))
    (store / 'campaign.sqlite').write_bytes(b'no database at all' * 1000)
    same(ends(campaign(folder, 'report', 'tiny.yaml', tools), 0, '').out, before)
    (store / 'campaign.sqlite').unlink()
    same(ends(campaign(folder, 'report', 'tiny.yaml', tools), 0, '').out, before)
    same(len(starts(folder)), 13)


@case
def keys_of_jobs(folder):
    """a key is of what is run, not of its name; every ingredient changes it"""
    (folder / 'in').mkdir()
    for name in ('vecadd.ptx', 'run.yaml'):
        (folder / 'in' / name).write_bytes((SAMPLES / 'vecadd' / name).read_bytes())
    text = ('name: one\noptions: [%s]\nworkloads: [{name: %s, run: %s/run.yaml, values: {n: %d}}]\n'
            'variants: [{name: base, tag: [%s], set: {l1.latency: %d}}]\n'
            'studies: [{name: s, workloads: %s, variants: base}]\n')

    def key(option='', name='A', run_file='in', n=64, tag='', latency=28):
        (folder / 'one.yaml').write_text(text % (option, name, run_file, n, tag, latency, name))
        line = ends(campaign(folder, 'run', 'one.yaml', '--dry-run'), 0, '').out.decode()
        return line.split()[0]
    first = key()
    same(key(name='B'), first)
    moved = folder / 'elsewhere'
    (folder / 'in').rename(moved)
    same(key(run_file='elsewhere'), first)
    different = [first, key(option='--max-cycles=100000', run_file=moved), key(n=65, run_file=moved),
                 key(tag='--fma=split', run_file=moved), key(latency=29, run_file=moved)]
    program = moved / 'vecadd.ptx'
    program.write_bytes(program.read_bytes() + b'// more\n')
    different.append(key(run_file=moved))
    same(len(set(different)), 6)


@case
def quick(folder):
    """--quick has the quick sizes and quick studies; --workload, --variant and --study choose"""
    write_campaign(folder)
    out = ends(campaign(folder, 'run', 'tiny.yaml', '--quick'), 0, '').out.decode()
    same(out, '9 of 9 jobs done, 0 failed, 0 left; 9 run now\n')
    within('--set values.n=64', ' '.join(results(folder)['VECADD', 'base', None]['commands'][0]))

    def listed(*options):
        out = ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run', *options), 0, '').out.decode()
        return [line[22:] for line in out.splitlines()]
    same(listed('--workload=large', '--variant=fast'), ['TRIAD, fast'])
    same(listed('--study=queue', '--workload=COPY'),
         ['COPY, base, q8', 'COPY, base, q32'])
    same(listed('--study=queue')[1], 'VECADD, base, q32')
    within(', q32: the same as COPY, base', '\n'.join(listed()))
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=x'), 1,
         "ptxoffload-campaign: error: there is no study 'x'\n", '')


# Reporting

def close(value, expected):
    assert math.isclose(float(value), expected, rel_tol=1e-12, abs_tol=1e-12), (value, expected)


@case
def numbers(folder):
    """a report's numbers are those of the result files"""
    write_finished(folder)
    found = results(folder)
    out = ends(campaign(folder, 'report', 'tiny.yaml', '--csv=-'), 0, '').out.decode()
    rows = {(row['figure'], row['row'], row['column']): row for row in csv.DictReader(io.StringIO(out))}

    def cycles(*name):
        return statistic(found[name], 'machine.cycles')

    def rate(*name):
        return statistic(found[name], 'machine.warp_instructions') / cycles(*name)
    gains = {name: cycles(name, 'base', None) / cycles(name, 'fast', None)
             for name in ('VECADD', 'COPY', 'TRIAD')}
    assert gains['TRIAD'] > 1 and gains['VECADD'] != gains['COPY']
    for name, gain in gains.items():
        close(rows['gain', name, 'fast']['value'], 100 * (gain - 1))
    mean = math.sqrt(gains['VECADD'] * gains['COPY'])
    close(rows['gain', 'mean micro', 'fast']['value'], 100 * (mean - 1))
    same(rows['gain', 'mean micro', 'fast']['paper'], '19')
    same(rows['gain', 'VECADD', 'fast']['paper'], '')
    same((rows['gain', 'COPY', 'fast']['least'], rows['gain', 'TRIAD', 'fast']['most']), ('-50', '-50'))
    close(rows['rates', 'mean', 'rate']['value'],
          (rate('VECADD', 'base', None) + rate('COPY', 'base', None)) / 2)
    close(rows['rates', 'COPY', 'beside']['value'],
          100 * rate('COPY', 'base', None) / rate('TRIAD', 'fast', None))
    same(rows['rates', 'mean', 'beside']['value'], '')
    close(rows['queue', 'q8', 'slowdown']['value'],
          100 * ((cycles('VECADD', 'base', 'q8') / cycles('VECADD', 'base', None) +
                  cycles('COPY', 'base', 'q8') / cycles('COPY', 'base', None)) / 2 - 1))
    same(found['VECADD', 'base', 'q32'], found['VECADD', 'base', None])


class Balance(html.parser.HTMLParser):
    """Every element is closed where it should be."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attributes):
        if tag not in ('meta',):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        same(self.open.pop(), tag)


@case
def page(folder):
    """the page is well-formed, with a plot for each figure; text and Markdown say the same"""
    write_finished(folder)
    ends(campaign(folder, 'report', 'tiny.yaml', '--html=t.html', '--text=t.txt', '--markdown=t.md'),
         0, '', '')
    text = (folder / 't.html').read_text(encoding='utf-8')
    balance = Balance()
    balance.feed(text)
    same(balance.open, [])
    plots = re.findall(r'<svg.*?</svg>', text, re.S)
    same(len(plots), 3)
    for plot in plots:
        xml.etree.ElementTree.fromstring(plot)
    within('Gain &amp; more [000, Figure 11]', text)
    same(plots[0].count('class="outline"'), 2)
    same(plots[0].count('class="c0"'), 1 + 4)
    lines = (folder / 't.txt').read_text(encoding='utf-8').splitlines()
    same(lines[0], 'A tiny campaign: results of 11 of 11 jobs')
    row = next(line for line in lines if line.startswith('TRIAD')).split()
    same(row[2], '+4.0')
    same(row[4:7], ['≤', '-50', 'NO'])
    within('2 of 3 expectations hold', lines)
    within('<p>2 of 3 expectations hold</p>', text)
    markdown = (folder / 't.md').read_text(encoding='utf-8')
    within('| **mean micro** | ' + next(line for line in lines if 'mean micro' in line).split()[2],
           markdown)
    within('Made by `ptxoffload-campaign report tiny.yaml --html=t.html', markdown)
    within('SHA-256 of all values', markdown)


@case
def notes(folder):
    """Markdown with the words of a file around the tables"""
    write_campaign(folder, CAMPAIGN.replace('title:', 'notes: words.md\ntitle:', 1))
    (folder / 'words.md').write_text('# Mine\n\n{head}\n\n{sizes}\nbefore\n{queue}\nafter {gain}\n')
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=queue'), 0, '')
    text = ends(campaign(folder, 'report', 'tiny.yaml', '--markdown=-'), 0, '').out.decode()
    assert text.startswith('# Mine\n\nMade by `ptxoffload-campaign report')
    within('results of 4 of 11 jobs', text)
    within('before\n| packets | slowdown, % |\n|---|---:|\n| q8 | +', text)
    within('after {gain}\n', text)


@case
def not_run(folder):
    """what has no result is told as missing, and the mean is of the others"""
    write_campaign(folder)
    ends(campaign(folder, 'report', 'tiny.yaml'), 1,
         "ptxoffload-campaign: error: no store 'tiny.campaign': no job has been run\n", '')
    ends(campaign(folder, 'run', 'tiny.yaml', '--workload=COPY'), 0, '')
    text = ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain'), 0, '').out.decode()
    within('– VECADD, base has not been run\n', text)
    within("– mean micro of 'fast': of 1 of 2 only\n", text)
    assert 'Queue' not in text
    wrong = CAMPAIGN.replace('cycles: machine.cycles', 'cycles: machine.cicles')
    write_campaign(folder, wrong)
    text = ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain'), 0, '').out.decode()
    within("– COPY, base has no statistic 'machine.cicles'\n", text)
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure=x'), 1,
         "ptxoffload-campaign: error: there is no figure 'x'\n", '')


def compared(out):
    return {(row['statistic'], row['workload']): row for row in csv.DictReader(io.StringIO(out))}


@case
def comparison(folder):
    """compare has the ratio of every statistic, and its geometric mean"""
    write_finished(folder)
    found = results(folder)
    out = ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'fast', '--csv=-'), 0, '').out.decode()
    rows = compared(out)
    for name in ('VECADD', 'COPY', 'TRIAD'):
        for counted in ('machine.cycles', 'memory.latency_sum', 'core.stall_load', 'l1.reads'):
            a, b = (statistic(found[name, variant, None], counted) for variant in ('base', 'fast'))
            row = rows[counted, name]
            close(row['a'], a)
            close(row['b'], b)
            close(row['ratio'], b / a)
    assert not [key for key in rows if key[0].startswith(('core3.', 'config.', 'llc0.'))]
    ratios = [float(rows['machine.cycles', name]['ratio']) for name in ('VECADD', 'COPY', 'TRIAD')]
    text = ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'fast'), 0, '').out.decode()
    line = next(line for line in text.splitlines() if line.startswith('machine.cycles ')).split()
    same(line[1], '%.4g' % math.prod(ratios) ** (1 / 3))
    same(line[2:], ['%.4g' % ratio for ratio in ratios])
    out = ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'base@q8', '--csv=-', '--all'), 0, '')
    rows = compared(out.out.decode())
    same((rows['config.memory.reply_queue', 'COPY']['a'], rows['config.memory.reply_queue', 'COPY']['b']),
         ('32', '8'))
    ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'slow'), 1,
         "ptxoffload-campaign: error: there is no variant 'slow'\n", '')


@case
def stores(folder):
    """compare of two stores takes the jobs of the same names"""
    write_campaign(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--store=a', '--study=main'), 0, '')
    write_campaign(folder, CAMPAIGN.replace('l1.latency: 1,', 'l1.latency: 60,'))
    ends(campaign(folder, 'run', 'tiny.yaml', '--store=b', '--workload=COPY'), 0, '')
    rows = compared(ends(campaign(folder, 'compare', 'a', 'b', '--csv=-'), 0, '').out.decode())
    same({key[1] for key in rows}, {'COPY,base', 'COPY,fast', 'COPY,tagged'})
    same(rows['machine.cycles', 'COPY,base']['ratio'], '1')
    a, b = (statistic(results(folder, store)['COPY', 'fast', None], 'machine.cycles')
            for store in ('a', 'b'))
    assert b > a
    close(rows['machine.cycles', 'COPY,fast']['ratio'], b / a)


@case
def evaluation(folder):
    """eval/isca19.yaml can be read, has all workloads and figures, and its quick form runs no sweep"""
    def listed(*options):
        out = ends(campaign(folder, 'run', ROOT / 'eval' / 'isca19.yaml', '--dry-run', *options), 0, '')
        return [line[22:].split(':')[0].split(', ') for line in out.out.decode().splitlines()]
    jobs = listed('--study=main')
    same(len(jobs), (9 + 7) * 5)
    same({job[1] for job in jobs}, {'base', 'llc', 'omni', 'expected', 'adaptive'})
    same([job for job in listed('--quick') if len(job) > 2], [])
    same(len([job for job in listed('--study=pins') if job[1] == 'base']), 9 * 20)
    text = (ROOT / 'eval' / 'isca19.yaml').read_text(encoding='utf-8')
    notes = (ROOT / 'eval' / 'isca19.md').read_text(encoding='utf-8')
    figures = re.findall(r'^  - name: (.*)$', text.split('figures:', 1)[1], re.M)
    same(sorted(re.findall(r'^\{(.*)\}$', notes, re.M)), sorted(figures + ['head', 'sizes']))
    ends(campaign(folder, 'run', ROOT / 'eval' / 'isca19.yaml', '--quick', '--workload=NORM'), 0, '')
    text = ends(campaign(folder, 'report', ROOT / 'eval' / 'isca19.yaml', '--quick'), 0, '').out.decode()
    assert 'has no statistic' not in text, text


# What is wrong with a file

def bad(folder, old, new, text):
    """`§` is where the error is told."""
    within(old, CAMPAIGN)
    wrong = CAMPAIGN.replace(old, new, 1)
    before = (wrong[:wrong.index('§')] % {'samples': SAMPLES}).split('\n')
    write_campaign(folder, wrong.replace('§', ''))
    result = campaign(folder, 'run', 'tiny.yaml')
    same(result.code, 1)
    same(result.err.decode().splitlines()[0],
         'tiny.yaml:%d:%d: error: %s' % (len(before), len(before[-1]) + 1, text))
    assert not (folder / 'tiny.campaign').exists()


for name, *values in [
        ('no YAML', 'name: tiny\ntitle:', 'name: [tiny\ntitle§:',
         "this is no YAML: did not find expected ',' or ']' while parsing a flow sequence [run-file]"),
        ('key that is not known', 'title: A', '§titel: A',
         "the file has no key 'titel'; did you mean 'title'? [campaign]"),
        ('needed key', 'name: tiny\n', '§', "the file needs 'name' [campaign]"),
        ('value of another kind', 'workloads:\n', 'workloads: §x\nfigures:\n',
         "'workloads' needs a list, not one value [campaign]"),
        ('name that is taken', '{name: fast,', '{name: §base,', "the name 'base' is taken [campaign]"),
        ('name of a variant', '{name: fast,', '{name: §fa-st,',
         "'fa-st' is not a name of a variant: letters, digits and _, but not ref, plain, min or max "
         '[campaign]'),
        ('variant to be like', 'like: fast', 'like: §slow', "there is no variant 'slow' [campaign]"),
        ('workload of a study', 'workloads: [micro, large], variants',
         'workloads: [micro, §larg], variants',
         "there is no workload 'larg'; did you mean 'large'? [campaign]"),
        ('point of a study', 'points: queue, quick', 'points: §qeue, quick',
         "there is no point 'qeue'; did you mean 'queue'? [campaign]"),
        ('definition', 'rate: machine.warp_instructions / cycles',
         'rate: machine.warp_instructions / §cycle', "there is no 'cycle' [campaign]"),
        ('variant in an expression', 'value: base.cycles / fast.cycles',
         'value: base.cycles / §fst.cycles', "there is no 'fst.cycles' [campaign]"),
        ('expression', 'value: base.rate,', 'value: base.rate *§,', 'a value is missing here [campaign]'),
        ('ref. without a reference', 'base.cycles / tagged.cycles', '§ref.base.cycles',
         "'ref.' needs the figure's key 'reference' [campaign]"),
        ('row of the paper', 'mean micro: 19', '§mean: 19', "the figure has no row 'mean' [campaign]"),
        ('number of the paper', 'TRIAD: 4}', 'TRIAD: §four}', 'this is not a number [campaign]'),
        ('expectation', '">= -50"', '§"> -50"',
         'an expectation is written as >= N, <= N or N .. M [campaign]'),
        ('plot', 'plot: lines', 'plot: §line', "there is no 'line' here; did you mean 'lines'? [campaign]"),
        ('run file that is not there', '%(samples)s/triad/run.yaml', '§none.yaml',
         "cannot read 'none.yaml' [campaign]"),
]:
    add_case('what is wrong has a place: ' + name, bad, *values)


@case
def usage(folder):
    """bad usage is exit code 2"""
    hint = "'ptxoffload-campaign --help' explains the options\n"
    ends(campaign(folder), 2,
         'ptxoffload-campaign: error: no command: run, status, report or compare\n' + hint, '')
    ends(campaign(folder, 'walk', 'x.yaml'), 2,
         'ptxoffload-campaign: error: unknown command (run, status, report or compare): walk\n' + hint, '')
    ends(campaign(folder, 'report', 'x.yaml', '--retry'), 2,
         'ptxoffload-campaign: error: only run accepts --retry\n' + hint, '')
    ends(campaign(folder, 'run', 'x.yaml', '--jobs=0'), 2)
    ends(campaign(folder, 'run', 'x.yaml'), 1,
         "ptxoffload-campaign: error: cannot read 'x.yaml': No such file or directory\n", '')


@case
def documented(folder):
    """docs/campaign.md has all keys"""
    table = ends(campaign(folder, '--help=keys-markdown'), 0, '').out.decode()
    text = DOCUMENT.read_text(encoding='utf-8')
    before, rest = text.split('<!-- keys -->\n', 1)
    after = rest.split('<!-- end of keys -->\n', 1)[1]
    made = '%s<!-- keys -->\n%s<!-- end of keys -->\n%s' % (before, table, after)
    fresh_document(DOCUMENT, made, UPDATE, 'tests/sim/campaign.py build --update')


main()
