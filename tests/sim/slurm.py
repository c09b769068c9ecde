#!/usr/bin/env python3
"""Campaigns on a Slurm cluster of one node: the daemons are real, and some of them are killed.

usage: slurm.py BUILD-ROOT [large]

With `large`, 200 jobs and a full file system; without it, the small cases. Skipped without Slurm (Debian:
slurmctld, slurmd, slurm-client, munge) or without root.
"""
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from campaign_lib import PROGRAM, SAMPLES, results
from slurm_lib import Cluster, wait_until
from tap import Skip, case, ends, main, run, same, within

LARGE = sys.argv[2:] == ['large']
CAMPAIGN = """
name: many
workloads: [{name: VECADD, run: %(samples)s/vecadd/run.yaml}]
variants:
  - {name: base}
  - {name: tagged, policy: omni, tag: []}
points: [%(points)s]
studies: [{name: all, workloads: VECADD, variants: [base, tagged], points: n}]
slurm: {array_size: 40, poll: 1}
"""
# What differs from run to run.
TIMES = ('started', 'ended', 'cpu_seconds', 'peak_rss_bytes')


def write(folder, count):
    points = ', '.join('{name: n%d, group: n, values: {VECADD: {n: %d}}}' % (n, 32 * n)
                       for n in range(1, count // 2 + 1))
    (folder / 'many.yaml').write_text(CAMPAIGN % {'samples': SAMPLES, 'points': points}, encoding='utf-8')


def plain(value):
    """A result without times: those of the job, and of the simulator's run."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items() if name not in TIMES + ('host',)}
    return [plain(one) for one in value] if isinstance(value, list) else value


def own_results(folder, store):
    """The text of each result without times; the name of the store is in the command lines."""
    return {name: repr(plain(one)).replace(store, 'STORE')
            for name, one in results(folder, store).items()}


def submitted(folder, cluster, *options, store='slurm.campaign', command='run'):
    return run([PROGRAM, command, 'many.yaml', '--store=' + store, *options], folder,
               env=cluster.environment)


def tidy(folder, store='slurm.campaign'):
    """Nothing is left of jobs and arrays."""
    same(list((folder / store / 'running').iterdir()), [])
    same(list((folder / store / 'slurm').iterdir()), [])


def same_as_here(folder, count, store='slurm.campaign'):
    done = ends(run([PROGRAM, 'run', 'many.yaml', '--store=here.campaign', '-q'], folder), 0)
    within('%d of %d jobs done' % (count, count), done.out.decode())
    same(own_results(folder, store), own_results(folder, 'here.campaign'))
    same(len(own_results(folder, store)), count)


def in_cluster(function):
    """Makes the function a case: it gets an empty folder and a cluster."""
    def test(folder):
        daemons = folder / 'daemons'
        daemons.mkdir()
        with Cluster(daemons) as cluster:
            function(folder, cluster)
    test.__doc__ = function.__doc__
    return case(test)


def tasks(cluster, states):
    """Arrays and tasks in the queue with one of these states."""
    lines = cluster.command('squeue', '--me', '--noheader', '--array', '--states=all', '--format=%F|%K|%T')
    return [line.split('|')[:2] for line in lines.split() if line.split('|')[2] in states]


def small(folder, cluster):
    """jobs in arrays leave the same results as jobs on this host"""
    write(folder, 10)
    done = ends(submitted(folder, cluster, '--on=slurm', '--slurm=jobs_per_task=2', '--slurm=array_size=3'), 0, err='')
    within('10 of 10 jobs done, 0 failed, 0 left; 10 run now', done.out.decode())
    tidy(folder)
    same_as_here(folder, 10)
    done = ends(submitted(folder, cluster, '--on=slurm'), 0)
    within('10 of 10 jobs done, 0 failed, 0 left; 0 run now', done.out.decode())


def refused(folder, cluster):
    """what sbatch refuses is an error with its reason"""
    write(folder, 4)
    done = ends(submitted(folder, cluster, '--on=slurm', '--slurm=partition=nowhere'), 1)
    within('sbatch: ', done.err.decode())
    within('invalid partition', done.err.decode().lower())
    same(list((folder / 'slurm.campaign' / 'slurm').iterdir()), [])
    for option, text in (('--slurm=size=3', "unknown key 'size'"), ('--slurm=poll=0', 'expected a number from 1'),
                         ('--slurm=poll', 'expected KEY=VALUE')):
        within(text, ends(submitted(folder, cluster, '--on=slurm', option), 2).err.decode())
    within('only --on=slurm uses --slurm', ends(submitted(folder, cluster, '--slurm=poll=3'), 2).err.decode())


def interrupted(folder, cluster):
    """an interrupt ends the collector and no job; another run collects; this host runs nothing meanwhile"""
    write(folder, 20)
    words = [PROGRAM, 'run', 'many.yaml', '--store=slurm.campaign', '--on=slurm', '--sbatch=--hold']
    with subprocess.Popen(words, cwd=folder, env=cluster.environment, stdout=subprocess.PIPE) as process:
        wait_until(lambda: tasks(cluster, ['PENDING']))
        process.terminate()
        within("Jobs remain in Slurm's queue", process.stdout.read().decode())
    same(process.returncode, -15)
    within("are in Slurm's queue: collect them with --on=slurm", ends(submitted(folder, cluster), 1).err.decode())
    within("in Slurm's queue: 20 tasks, 0 of them running",
           ends(submitted(folder, cluster, command='status'), 0).out.decode())
    for array, _ in tasks(cluster, ['PENDING'])[:1]:
        cluster.command('scontrol', 'release', array)
    done = ends(submitted(folder, cluster, '--on=slurm'), 0)
    within('20 of 20 jobs done', done.out.decode())
    tidy(folder)
    # Each job has been in one array only.
    same(len(tasks(cluster, ['COMPLETED'])), 20)


def killed(folder, cluster):
    """with a node, an array and the collector killed, no job is lost and none is run twice"""
    count = 200
    write(folder, count)
    words = [PROGRAM, 'run', 'many.yaml', '--store=slurm.campaign', '--on=slurm', '-q']
    found = lambda: len(list((folder / 'slurm.campaign' / 'results').glob('*.json')))
    collector = subprocess.Popen(words, cwd=folder, env=cluster.environment, stdout=subprocess.DEVNULL)
    try:
        wait_until(lambda: (folder / 'slurm.campaign').exists() and found() > 20, 120)
        cluster.kill_node()
        # The last array is cancelled while the others wait for the node.
        arrays = sorted({array for array, _ in tasks(cluster, ['PENDING'])}, key=int)
        cluster.command('scancel', arrays[-1])
        collector.kill()
        collector.wait()
        before = found()
        cluster.start_node()
        collector = subprocess.Popen(words, cwd=folder, env=cluster.environment, stdout=subprocess.PIPE)
        out = collector.stdout.read().decode()
        same(collector.wait(), 0)
    finally:
        collector.kill()
    assert before < count - 40, before
    within(' of 200 jobs done, 0 failed, ', out)
    # What was cancelled is left, and the next run submits it.
    left = count - found()
    assert 0 < left <= 40, left
    done = ends(submitted(folder, cluster, '--on=slurm', '-q'), 0)
    within('200 of 200 jobs done, 0 failed, 0 left; %d run now' % left, done.out.decode())
    tidy(folder)
    same_as_here(folder, count)


def full(folder, cluster):
    """a full file system loses no job: another run with --retry ends them all"""
    write(folder, 12)
    store = folder / 'small'
    store.mkdir()
    if subprocess.run(['mount', '-t', 'tmpfs', '-o', 'size=600k', 'tmpfs', store], capture_output=True).returncode:
        raise Skip('no mount')
    try:
        ballast = store / 'ballast'
        ballast.write_bytes(bytes(300 << 10))
        first = submitted(folder, cluster, '--on=slurm', store='small/slurm.campaign')
        assert first.code in (1, 3), (first.code, first.out, first.err)
        ballast.unlink()
        subprocess.run(['mount', '-o', 'remount,size=64m', store], check=True)
        done = ends(submitted(folder, cluster, '--on=slurm', '--retry', store='small/slurm.campaign'), 0)
        within('12 of 12 jobs done, 0 failed, 0 left', done.out.decode())
        same_as_here(folder, 12, 'small/slurm.campaign')
    finally:
        subprocess.run(['umount', '-l', store])


for one in (killed, full) if LARGE else (small, refused, interrupted):
    in_cluster(one)


# States that a cluster takes minutes to reach: squeue and sbatch of the test's own.
FAKES = {
    'sbatch': '#!/bin/sh\nfor word; do case $word in --job-name=*) name=${word#*=};; --array=*) array=${word#*=};; esac; done\n'
              'echo "$name $array" >>"$FAKE/submitted"\necho 1\n',
    'squeue': '#!/bin/sh\nwhile read -r name array; do\n'
              'for task in $(seq 0 "${array#0-}"); do echo "$name|$task|$STATE"; done\n'
              'done <"$FAKE/submitted"\n'}


def in_state(folder, state):
    for name, text in FAKES.items():
        (folder / name).write_text(text, encoding='utf-8')
        (folder / name).chmod(0o755)
    (folder / 'submitted').write_text('')
    return dict(os.environ, PATH='%s:%s' % (folder, os.environ['PATH']), FAKE=str(folder), STATE=state)


def large_arrays(folder):
    """the number of jobs of an array may be beyond 32 bits"""
    write(folder, 4)
    done = run(['timeout', '60', PROGRAM, 'run', 'many.yaml', '--on=slurm', '--slurm=array_size=65536',
                '--slurm=jobs_per_task=65536'], folder, env=in_state(folder, 'CANCELLED'))
    ends(done, 0)
    same(len((folder / 'submitted').read_text().splitlines()), 1)


def state_case(state, code, out, err, submissions):
    def test(folder):
        write(folder, 4)
        done = run([PROGRAM, 'run', 'many.yaml', '--on=slurm'], folder, env=in_state(folder, state))
        ends(done, code)
        within(out, done.out.decode())
        within(err, done.err.decode())
        same(len((folder / 'submitted').read_text().splitlines()), submissions)
    test.__doc__ = 'jobs whose tasks end in the state %s' % state
    case(test)


if not LARGE:
    case(large_arrays)
    state_case('TIMEOUT', 3, '0 of 4 jobs done, 4 failed, 0 left', 'has failed: Slurm: TIMEOUT', 1)
    state_case('CANCELLED', 0, '0 of 4 jobs done, 0 failed, 4 left', '', 1)
else:
    state_case('NODE_FAIL', 3, '0 of 4 jobs done, 4 failed, 0 left', 'it wrote no result', 3)
main()
