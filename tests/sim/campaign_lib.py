"""A small campaign, and programs that count its jobs, for the tests of ptxoffload-campaign.
"""
import functools
import json
import os
import pathlib
import shutil
import stat
import sys
import tempfile

from tap import ends, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-campaign'
SIMULATOR = BUILD / 'cli' / 'ptxoffload-sim'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'

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
  - {name: q64, x: 64, group: queue, label: as it is, set: {memory.reply_queue: 64}}
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
                      (SIMULATOR, folder / 'starts', before, SIMULATOR), encoding='utf-8')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return '--tools=%s' % tools


def starts(folder):
    path = folder / 'starts'
    return path.read_text(encoding='utf-8').split() if path.exists() else []


def is_clean(folder):
    store = folder / 'tiny.campaign'
    same(list((store / 'running').iterdir()), [])
    same([path for path in (store / 'results').iterdir() if path.suffix != '.json'], [])
