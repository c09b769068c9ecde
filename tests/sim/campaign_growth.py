#!/usr/bin/env python3
"""The CPU time of the collector for each job does not grow with the number of jobs.

usage: campaign_growth.py BUILD-ROOT
"""
import json
import os
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, cpu_seconds, ends, environment, main, run, same
from campaign_lib import BUILD, PROGRAM, SAMPLES, SIMULATOR

VARIANTS, WORKLOADS = 20, 10


def write_tools(folder):
    """A simulator that copies the results of one run."""
    ends(run([SIMULATOR, SAMPLES / 'vecadd/run.yaml', '--json=run.json', '--stats=stats.json'], folder), 0)
    stats = json.loads((folder / 'stats.json').read_text())
    assert 'machine.cycles' in stats['total']['statistics']
    tools = folder / 'tools'
    tools.mkdir()
    (tools / 'ptxoffload').symlink_to(BUILD / 'cli' / 'ptxoffload')
    script = tools / 'ptxoffload-sim'
    script.write_text('#!/bin/sh\n'
                      'case "$*" in *--print-config*) exec %s "$@";; esac\n'
                      'for word; do case "$word" in\n'
                      '--json=*) ln %s/run.json "${word#*=}";;\n'
                      '--stats=*) ln %s/stats.json "${word#*=}";;\n'
                      'esac; done\n' % (SIMULATOR, folder, folder))
    script.chmod(script.stat().st_mode | stat.S_IXUSR)


def write_campaign(folder, points):
    def each(count, text):
        return ''.join('  - ' + text.replace('#', str(i)) + '\n' for i in range(count))

    (folder / 'c.yaml').write_text(
        'name: growth\nworkloads:\n' + each(WORKLOADS, '{name: w#, group: w, run: %s/vecadd/run.yaml, '
                                            'values: {n: 6#}}' % SAMPLES) +
        'variants:\n' + each(VARIANTS, '{name: v#, set: {l1.latency: 1#}}') +
        'points:\n' + each(points, '{name: p#, group: g, set: {memory.reply_queue: 1#}}') +
        'studies: [{name: s, workloads: w, points: g, variants: [%s]}]\n' %
        ', '.join('v%d' % i for i in range(VARIANTS)))


def own_seconds(folder, points):
    """CPU seconds of the collector alone, for each job"""
    write_campaign(folder, points)
    running = subprocess.Popen([PROGRAM, 'run', 'c.yaml', '--tools=tools', '--store=s%d' % points],
                               cwd=folder, stdout=subprocess.PIPE, env=environment())
    seconds = 0
    while True:
        try:
            out = running.communicate(timeout=0.05)[0].decode()
            break
        except subprocess.TimeoutExpired:
            seconds = cpu_seconds(running)
    jobs = WORKLOADS * VARIANTS * points
    same(out, '%d of %d jobs done, 0 failed, 0 left; %d run now\n' % (jobs, jobs, jobs))
    return seconds / jobs


@case
def growth(folder):
    """eight times the jobs take the same time each"""
    write_tools(folder)
    few, many = own_seconds(folder, 1), own_seconds(folder, 8)
    assert many < 1.6 * few + 0.0005, (few, many)


main()
