#!/usr/bin/env python3
"""ptxoffload-sim with time: the same values, statistics that add up, regions, limits, files.

usage: timed.py BUILD-ROOT
"""
import csv
import hashlib
import json
import os
import pathlib
import pty
import random
import re
import select
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (SECONDS, add_case, case, cpu_seconds, ends, environment, main, run, same,
                 wait_for, within)

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'
STORE = ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'
VECADD = [SAMPLES / 'vecadd' / 'vecadd.ptx', '--grid', '32', '--block', '128',
          '--arg', 'buf:f32:4096:uniform', '--arg', 'buf:f32:4096:uniform:2',
          '--arg', 'buf:f32:4096:zero', '--arg', 'u32:4096']
SLOTS = 56 * 48
REASONS = ['issued'] + ['stall_' + reason for reason in (
    'empty fetch result load barrier fence lanes ended unit memory_queue not_selected').split()]

# Kernels that wait at different barriers, spin on a flag, or run long.
STUCK = (ROOT / 'tests' / 'sim' / 'stuck.ptx').read_text()


def sim(folder, *arguments, **settings):
    return run([PROGRAM, *arguments], folder, **settings)


def buffers_of(path):
    """names under `buffers:`, which all samples write one by one"""
    text = path.read_text(encoding='utf-8')
    block = re.search(r'^buffers:\n((?:[ #].*\n|\n)*)', text, re.M).group(1)
    return re.findall(r'^  (\w+):', block, re.M)


def summary(path):
    """of a run, without what differs from host to host"""
    found = json.loads(path.read_text())
    del found['host']
    return found


def statistics(path):
    """(kernels by name, total)"""
    found = json.loads(path.read_text())
    return {kernel['name']: kernel for kernel in found['kernels']}, found['total']


def same_values(folder, run_file):
    names = buffers_of(run_file)
    for place, options in (('plain', ['--functional']), ('timed', []), ('again', ['--shuffle=7'])):
        (folder / place).mkdir()
        saves = [word for name in names for word in ('--save', '%s=%s.npy' % (name, name))]
        if place != 'plain':
            saves += ['--stats=stats.json']
        ends(sim(folder / place, run_file, '--json=out.json', *saves, *options), 0, '', '')
    for name in names:
        same((folder / 'timed' / (name + '.npy')).read_bytes(),
             (folder / 'plain' / (name + '.npy')).read_bytes())
    same(summary(folder / 'timed' / 'out.json'), summary(folder / 'again' / 'out.json'))
    same((folder / 'timed' / 'stats.json').read_bytes(),
         (folder / 'again' / 'stats.json').read_bytes())
    plain, timed = (summary(folder / place / 'out.json') for place in ('plain', 'timed'))
    for one, other in zip(plain['kernels'] + [plain['total']], timed['kernels'] + [timed['total']]):
        for key in ('launches', 'warp_instructions', 'thread_instructions'):
            same(one[key], other[key])
        same((one['cycles'], other['timed_launches']), (None, other['launches']))
    adds_up(folder / 'timed' / 'stats.json', timed)


def without_spread(name):
    return re.sub(r'\.(least|mean|most)$', '', name) if '*' in name else name


def adds_up(path, found):
    kernels, total = statistics(path)
    for name, value in total['statistics'].items():
        if not re.search(r'_most$|_mean$|_rate$|_part$|ipc$|^energy\.(power|per_|delay)|\*', name):
            found_sum = sum(kernel['statistics'][name] for kernel in kernels.values())
            # Energy is rounded to whole picojoules in each kernel.
            assert abs(found_sum - value) <= len(kernels) * name.startswith('energy.'), (name, found_sum, value)
    for record, at in [(kernel, kernels[kernel['name']]['statistics']) for kernel in
                       found['kernels']] + [(found['total'], total['statistics'])]:
        same(sum(at['core.' + reason] for reason in REASONS), at['machine.cycles'] * SLOTS)
        same(at['core.issued'], record['warp_instructions'] + at['core.issued_again'])
        same(at['machine.thread_instructions'], record['thread_instructions'])
        same(at['machine.cycles'], record['cycles'])
        same(at['core.global_loads'],
             at['l1.reads'] + at['core.direct_loads'])
        assert at['l1.read_hits'] + at['l1.merged'] <= at['l1.reads']
        same(at['memory.requests'], at['memory.answers'])
        same(at['memory.data_answers'],
             at['memory.from_llc'] + at['memory.from_merge'] + at['memory.from_dram'])
        same(at['memory.latency_sum'],
             at['memory.injection_sum'] + at['memory.service_sum'] + at['memory.noc_sum'])
        same(at['request.class0.packets_sent'], at['request.class0.packets'])
        same(at['reply.class0.flits_sent'], at['reply.class0.flits'])
        same((record['noc']['weighted_hops'], record['memory']['dram_reads']),
             (at['memory.weighted_hops'], at['dram.reads']))


for sample in sorted(SAMPLES.glob('*/run*.yaml')):
    if 'large' not in sample.name:
        add_case('%s/%s: the values of a run without time; all adds up; any order of evaluation' %
                 (sample.parent.name, sample.name), same_values, sample)


@case
def files(folder):
    """statistics as text, CSV and JSON are the same, and have other simulators' names"""
    for suffix in ('txt', 'csv', 'json'):
        ends(sim(folder, *VECADD, '--stats=out.' + suffix, '--json=run.json'), 0, '', '')
    found = summary(folder / 'run.json')
    same(found['mode'], 'timed')
    kernels, total = statistics(folder / 'out.json')
    with open(folder / 'out.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    same({row['name']: float(row['value']) for row in rows if row['kernel'] == 'vecadd'},
         kernels['vecadd']['statistics'])
    same({row['name']: float(row['value']) for row in rows if not row['kernel']},
         total['statistics'])
    head, tail = (folder / 'out.txt').read_text().split('# all kernels\n')
    # The statistics in total are those of the only kernel.
    values = dict(re.findall(r'^([^ \n]+) = ([^#\n]+)', head + tail, re.M))
    lines = {}
    for name, text in values.items():
        kinds = ('.least', '.mean', '.most') if '*' in name else ('',)
        if name != 'kernel_name':
            lines.update((name + kind, value) for kind, value in zip(kinds, text.split()))
    for name, value in list(total['statistics'].items()) + list(total['other_names'].items()):
        same(float(lines[name]), value)
    assert len(lines) < 900, len(lines)
    within('kernel_name = vecadd\n', head)
    within('gpu_sim_cycle = %d #' % found['total']['cycles'], head)
    within('gpu_tot_sim_cycle = %d #' % found['total']['cycles'], tail)
    other = total['other_names']
    same(other['gpu_tot_sim_insn'], found['total']['thread_instructions'])
    same(other['gpu_tot_ipc'], found['total']['ipc'])
    same(other['L1D_total_cache_accesses'],
         total['statistics']['l1.reads'] + total['statistics']['l1.writes'])
    listed = set(re.findall(r'^([^ ,]+)', sim(folder, '--list-stats').out.decode(), re.M))
    same({without_spread(name) for name in total['statistics']} - listed, set())
    same(set(kernels['vecadd']['other_names']) - listed, set())


@case
def filters(folder):
    """--stats-filter writes single values; a pattern without a match is an error"""
    def names(*options):
        ends(sim(folder, *VECADD, '--stats=out.csv', *options), 0, '', '')
        with open(folder / 'out.csv', encoding='utf-8') as file:
            rows = list(csv.DictReader(file))
        return {row['name']: float(row['value']) for row in rows if row['kernel']}
    every = names('--stats-filter=*')
    assert len(every) > 6000, len(every)
    chosen = names('--stats-filter=dram*.reads', '--stats-filter', 'core[01].issued')
    same(sorted(chosen), sorted(['core0.issued', 'core1.issued', 'dram.reads'] +
                                ['dram%d.reads' % i for i in range(8)]))
    aggregates = names()
    for key in 'reads', 'row_hits', 'queue_most':
        values = [every['dram%d.%s' % (i, key)] for i in range(8)]
        same([aggregates['dram*.%s.%s' % (key, kind)] for kind in ('least', 'mean', 'most')],
             [min(values), sum(values) / 8, max(values)])
    same([name for name in aggregates if re.match(r'(core|dram|llc|l1_)\d', name)], [])
    within('no statistic of this machine matches',
           ends(sim(folder, *VECADD, '--stats=s.txt', '--stats-filter=core.nothing'), 1).err.decode())
    within('--stats-filter selects', ends(sim(folder, *VECADD, '--stats-filter=*'), 2).err.decode())
    within('dram*.reads  # requests, minimum, mean and maximum of 8: ',
           sim(folder, '--list-stats').out.decode())


@case
def series(folder):
    """the rows of a time series add up to what was counted until the last of them"""
    ends(sim(folder, SAMPLES / 'bfs' / 'run.yaml', '--series=out.csv', '--interval=500',
             '--stats=out.json', '--json=run.json'), 0, '', '')
    with open(folder / 'out.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    kernels, total = statistics(folder / 'out.json')
    for kernel in summary(folder / 'run.json')['kernels']:
        same(kernel['warp_instructions'],
             kernels[kernel['name']]['statistics']['machine.warp_instructions'])
    total = total['statistics']
    same([int(row['cycle']) for row in rows],
         list(range(500, total['machine.cycles'] + 1, 500)))
    for row in rows:
        same(sum(float(row['core.' + reason]) for reason in REASONS), 500 * SLOTS)
    instructions = sum(float(row['machine.warp_instructions']) for row in rows)
    left = total['machine.warp_instructions'] - instructions
    assert 0 <= left <= 500 * 56, (left, total['machine.warp_instructions'])
    ends(sim(folder, SAMPLES / 'bfs' / 'run.yaml', '--stats=other.json', '--json=without.json'), 0,
         '', '')
    same((folder / 'out.json').read_bytes(), (folder / 'other.json').read_bytes())
    same(summary(folder / 'run.json'), summary(folder / 'without.json'))


@case
def regions(folder):
    """--timed takes some launches of some kernels; the values are those of all"""
    run_file = SAMPLES / 'bfs' / 'run.yaml'
    ends(sim(folder, run_file, '--functional', '--json=plain.json', '--save', 'cost=plain.npy'), 0)
    ends(sim(folder, run_file, '--timed=bfs_expand:2,4-5', '--json=out.json', '--save',
             'cost=cost.npy'), 0, '', '')
    found, plain = summary(folder / 'out.json'), summary(folder / 'plain.json')
    same((folder / 'cost.npy').read_bytes(), (folder / 'plain.npy').read_bytes())
    for one, other in zip(found['kernels'], plain['kernels']):
        same(one['warp_instructions'], other['warp_instructions'])
    expand, commit = found['kernels']
    same((expand['name'], expand['timed_launches'], commit['timed_launches']), ('bfs_expand', 3, 0))
    same((commit['cycles'], commit['memory']['l1_hits']), (None, None))
    same(found['total']['cycles'], expand['cycles'])
    ends(sim(folder, run_file, '--timed=bfs_expnd'), 1,
         "ptxoffload-sim: error: --timed: unknown kernel 'bfs_expnd'; did you mean "
         "'bfs_expand'?\nptxoffload-sim: note: the program has 2 kernels: 'bfs_expand', "
         "'bfs_commit'\n", '')
    for wrong in (':', 'k:', 'k:0', 'k:3-2', 'k:1,,2', 'k:x', 'k:1-'):
        within(b"expected KERNEL, or KERNEL:LAUNCHES", ends(sim(folder, run_file, '--timed=' + wrong),
                                                         2).err)
    within(b'--stats; --json writes the instructions of each kernel', ends(
        sim(folder, *VECADD, '--functional', '--stats=x'), 2).err)
    ends(sim(folder, *VECADD, '--functional', '--json=x'), 0)
    assert json.loads((folder / 'x').read_text())['kernels'][0]['thread_instructions'] > 0
    (folder / 'x').unlink()


@case
def sampled_launches(folder):
    """--sample: the values of all launches; an estimate that is exact if all take time"""
    run_file = SAMPLES / 'bfs' / 'run.yaml'
    ends(sim(folder, run_file, '--json=plain.json', '--save', 'cost=plain.npy'), 0)
    plain = summary(folder / 'plain.json')
    for option, timed in ('4:4', plain['total']['launches']), ('4:2', None):
        ends(sim(folder, run_file, '--sample=' + option, '--json=out.json', '--stats=stats.json',
                 '--save', 'cost=cost.npy'), 0, '', '')
        same((folder / 'cost.npy').read_bytes(), (folder / 'plain.npy').read_bytes())
        found, kernels = summary(folder / 'out.json'), plain['kernels']
        same([one['warp_instructions'] for one in found['kernels']],
             [one['warp_instructions'] for one in kernels])
        _, total = statistics(folder / 'stats.json')
        counts = total['statistics']
        same(counts['sample.launches'], plain['total']['launches'])
        same(counts['sample.timed'], found['total']['timed_launches'])
        if timed:
            same((counts['sample.timed'], counts['sample.cycles'], counts['sample.error']),
                 (timed, plain['total']['cycles'], 0))
        else:
            same(counts['sample.timed'] < counts['sample.launches'], True)
            same(counts['sample.cycles'] > found['total']['cycles'], True)
    for wrong in ('4', '0:0', '4:0', '4:5', '4:2:3', '4:2:', 'x:2', '4:2:1:1'):
        within(b"expected PERIOD:MEASURED", ends(sim(folder, run_file, '--sample=' + wrong), 2).err)
    for option, value in (('--sample', '4:2'), ('--sample-ctas', '4')):
        within(b'--timed selects the timed launches; it cannot be combined with %s\n' % option.encode(),
               ends(sim(folder, run_file, option + '=' + value, '--timed=bfs_expand'), 2).err)
    within(b'cannot be combined with --sample',
           ends(sim(folder, run_file, '--sample=4:2', '--checkpoint=c'), 2).err)


@case
def sampled_ctas(folder):
    """--sample-ctas: the values of all CTAs; the estimate is near the cycles of all"""
    words = [SAMPLES / 'vecadd' / 'vecadd.ptx', '--grid', '6400', '--block', '32',
             '--arg', 'buf:f32:204800:uniform', '--arg', 'buf:f32:204800:uniform:2',
             '--arg', 'buf:f32:204800:zero', '--arg', 'u32:204800', '--set=core.ctas=1']

    def measure(*options):
        ends(sim(folder, *words, *options, '--json=out.json', '--stats=stats.json',
                 '--save=2=c.npy'), 0, '', '')
        return (summary(folder / 'out.json')['total'],
                statistics(folder / 'stats.json')[1]['statistics'], (folder / 'c.npy').read_bytes())

    plain, _, values = measure()
    found, counts, sampled = measure('--sample-ctas=4')
    same(sampled, values)
    same(found['warp_instructions'], plain['warp_instructions'])
    same(found['cycles'] < plain['cycles'] / 3, True)
    same(abs(counts['sample.cycles'] / plain['cycles'] - 1) < 0.1, True)
    same(0 < counts['sample.error'] < plain['cycles'] / 10, True)
    # Fifteen waves: nothing is left out.
    few, counts, _ = measure('--sample-ctas=4', '--set=core.ctas=8')
    same((counts['sample.cycles'], counts['sample.error']), (few['cycles'], 0))


@case
def sampled_reductions(folder):
    """--sample-ctas: CTAs are left out if their atomics are reductions of one kind"""
    text = (SAMPLES / 'compare' / 'compare.ptx').read_text()
    add = 'atom.global.add.u32 \t%r18, [%rd14], %r21;'
    assert add in text
    line = ['--grid', '4000', '--block', '32', '--arg', 'buf:s32:128000:range:0:4:1',
            '--arg', 'buf:s32:128000:range:0:4:2', '--arg', 'buf:s32:2:zero', '--arg', 'u32:128000',
            '--set=core.ctas=1']

    def measure(code, *options):
        (folder / 'c.ptx').write_text(text.replace(add, code))
        ends(sim(folder, 'c.ptx', *line, *options, '--json=out.json', '--stats=stats.json',
                 '--save=2=c.npy'), 0, '', '')
        return (summary(folder / 'out.json')['total']['cycles'],
                statistics(folder / 'stats.json')[1]['statistics'].get('sample.cycles'),
                (folder / 'c.npy').read_bytes())

    plain, _, values = measure(add)
    for code in add, 'red.global.add.u32 [%rd14], %r21;', 'red.add.u64 [%rd14], 1;':
        timed, estimate, sampled = measure(code, '--sample-ctas=4')
        same((timed < plain / 2, timed < estimate), (True, True))
        same(sampled, values)
    for code in (add + ' st.global.u32 [%rd14+4], %r18;', add + ' red.global.max.u32 [%rd14], %r21;',
                 'atom.global.exch.b32 %r18, [%rd14], %r21;', 'red.global.add.f32 [%rd14], 0f3F800000;',
                 'ld.volatile.global.u32 %r18, [%rd14]; ' + add):
        timed, estimate, _ = measure(code, '--sample-ctas=4')
        same(timed, estimate)


@case
def limit(folder):
    """--max-cycles ends a run: statistics until then, no results"""
    result = ends(sim(folder, *VECADD, '--max-cycles=300', '--json=out.json', '--stats=out.txt',
                      '--save', '2=c.npy'), 0, None, '')
    same(result.err, b'ptxoffload-sim: note: --max-cycles stopped the run before its end\n')
    found = summary(folder / 'out.json')
    same((found['outcome'], found['partial'], found['total']['cycles']), ('cycle limit', True, 300))
    assert 0 < found['total']['warp_instructions'] < 128 * 30
    same(sorted(os.listdir(folder)), ['out.json', 'out.txt'])
    ends(sim(folder, *VECADD, '--max-cycles=100000', '--json=out.json'), 0, '', '')
    same(summary(folder / 'out.json')['outcome'], 'done')


@case
def stands_still(folder):
    """a barrier that not all reach, a kernel that spins: exit code 4, reports, statistics"""
    (folder / 'spin.ptx').write_text(STUCK)
    line = ['spin.ptx', '--grid', '2', '--block', '64', '--arg', 'buf:u32:1:zero',
            '--stats=out.txt', '--json=out.json', '--set', 'machine.watchdog=100000']
    text = ends(sim(folder, *line, '--kernel', 'parted'), 4).err.decode()
    within('no thread of the launch can continue', text)
    within('spin.ptx:23:5: note: 2 warps of 2 CTAs, one of them warp 0 of CTA (0, 0, 0), wait at '
           'barrier 0', text)
    # Behind the warps: requests in memory and networks. The store before the barrier is done.
    report = text[text.index('memory system in cycle'):]
    within(': 0 requests are unanswered; the last one moved in cycle', report)
    assert 'note:' not in report, report
    without = ends(sim(folder, *line[:-4], '--functional', '--kernel', 'parted'), 4).err.decode()
    assert 'memory system' not in without, without
    text = ends(sim(folder, *line, '--kernel', 'spin'), 4).err.decode()
    within('[no-progress]', text)
    within('4 warps of 2 CTAs, one of them warp 0 of CTA (0, 0, 0), loop in lines 11 to 13',
           text)
    found = summary(folder / 'out.json')
    same((found['outcome'], found['exit_code']), ('no progress', 4))
    assert found['total']['cycles'] > 100000
    within('gpu_tot_sim_cycle = %d' % found['total']['cycles'], (folder / 'out.txt').read_text())


@case
def interrupted(folder):
    """an interrupt leaves the statistics until then"""
    (folder / 'spin.ptx').write_text(STUCK)
    command = [PROGRAM, 'spin.ptx', '--kernel', 'slow', '--grid', '500', '--block', '256', '--arg',
               'u64:1000000000000', '--json=out.json', '--stats=out.txt', '--series=out.csv']
    running = subprocess.Popen([os.fspath(word) for word in command], cwd=folder,
                               env=environment(), stderr=subprocess.PIPE)
    wait_for(lambda: cpu_seconds(running) > 0.5, running)
    running.send_signal(signal.SIGINT)
    before = time.monotonic()
    err = running.communicate()[1].decode()
    assert time.monotonic() - before < 5, 'it took %s s' % (time.monotonic() - before)
    same(running.returncode, -signal.SIGINT)
    found = summary(folder / 'out.json')
    same((found['outcome'], found['partial']), ('interrupted', True))
    assert found['total']['cycles'] > 1000
    assert found['total']['cycles'] % 1024, 'it looks for an interrupt too rarely'
    same(err, 'ptxoffload-sim: interrupted at cycle %d; statistics up to then are in out.txt, '
         'out.json, out.csv\n' % found['total']['cycles'])
    same(sorted(os.listdir(folder)), ['out.csv', 'out.json', 'out.txt', 'spin.ptx'])


def read_terminal(end):
    """The next bytes that a program writes to its terminal; none when it has ended."""
    assert select.select([end], [], [], SECONDS)[0], 'it wrote nothing in %d s' % SECONDS
    try:
        return os.read(end, 4096)
    except OSError:  # the other end is closed
        return b''


def said_in(folder, terminal, wait):
    """Output of a long run on a terminal; wait(run, end) returns its first part, an interrupt follows."""
    (folder / 'spin.ptx').write_text(STUCK)
    main_end, other_end = pty.openpty()
    running = subprocess.Popen([PROGRAM, 'spin.ptx', '--kernel', 'spin', '--grid', '500', '--block',
                                '256', '--arg', 'buf:u32:1:zero'], cwd=folder, stderr=other_end,
                               env=environment(TERM=terminal))
    os.close(other_end)
    try:
        said = wait(running, main_end)
        running.send_signal(signal.SIGINT)
        while part := read_terminal(main_end):
            said += part
    finally:
        running.kill()
        os.close(main_end)
        running.wait()
    same(running.returncode, -signal.SIGINT)
    return said


ROW = re.compile(rb'launch 1, spin, \d+ s, 0 of 500 CTAs, cycle (\d+), (\d+) cycles/s')


def two_rows(running, end):
    said = b''
    while len(ROW.findall(said)) < 2 and (part := read_terminal(end)):
        said += part
    return said


def second_and_half(running, end):
    wait_for(lambda: cpu_seconds(running) > 1.5, running)
    return b''


@case
def progress(folder):
    """the line on a terminal has cycles from the first row on; there is none on a dumb one"""
    said = said_in(folder, 'xterm', two_rows)
    rows = ROW.findall(said)
    cycles = [int(row[0]) for row in rows]
    assert len(rows) >= 2 and cycles == sorted(set(cycles)) and cycles[0] > 0, said
    assert int(rows[0][1]) > 0, said
    assert b'left' not in said, said  # no CTA has ended
    assert said.count(b'launch 1') == len(rows), said
    assert re.fullmatch(rb'ptxoffload-sim: interrupted at cycle \d+\r\n', said_in(
        folder, 'dumb', second_and_half)), said


@case
def configurations(folder):
    """a configuration that was printed gives the same results; settings and files are checked"""
    (folder / 'mine.yaml').write_bytes(ends(sim(folder, '--print-config', '--set',
                                                'core.schedulers=2'), 0).out)
    ends(sim(folder, *VECADD, '--config=mine.yaml', '--stats=mine.txt'), 0, '', '')
    ends(sim(folder, *VECADD, '--set', 'core.schedulers=2', '--stats=set.txt',
             '--json=set.json'), 0, '', '')
    same((folder / 'mine.txt').read_bytes(), (folder / 'set.txt').read_bytes())
    resolved = summary(folder / 'set.json')['configuration']['resolved']
    same((resolved['core']['schedulers'], resolved['request_network']['topology']), (2, 'mesh'))
    (folder / 'own.yaml').write_text('base: isca19\ncore:\n  warps: 0\n')
    within(b'own.yaml:3:10: error:', ends(sim(folder, *VECADD, '--config=own.yaml'), 1).err)
    within(b"did you mean 'warps'", ends(sim(folder, *VECADD, '--set', 'core.warp=2'), 1).err)
    within(b'SECTION.KEY', ends(sim(folder, *VECADD, '--set', 'warps=2'), 2).err)
    within(b'core.threads exceeds', ends(sim(folder, *VECADD, '--set', 'core.warps=4'), 1).err)
    within(b'reply_network.vc_buffer is 0: no packet would arrive', ends(
        sim(folder, *VECADD, '--set', 'reply_network.vc_buffer=0'), 1).err)
    within(b'56 cores have 67109056 lines each, and the slices 4096: in total more than', ends(
        sim(folder, *VECADD, '--set', 'l1.sets=1048576', '--set', 'l1.ways=64'), 1).err)
    within(b"'core.memory_most' must be at least 2", ends(
        sim(folder, *VECADD, '--set', 'core.memory_most=1'), 1).err)
    within(b'would overwrite the configuration', ends(
        sim(folder, *VECADD, '--config=mine.yaml', '--stats=mine.yaml'), 1).err)
    within(b'isca19\n', sim(folder, '--list-configs').out)
    ends(sim(folder, *VECADD, '--config=gtx480', '--json=other.json'), 0, '', '')
    assert summary(folder / 'other.json')['total']['cycles'] > 0


@case
def digests_of_configurations(folder):
    """--print-config-digests has for each line what --print-config has with its options, and errors of one line only"""
    (folder / 'my machine.yaml').write_text('base: isca19\nl1: {latency: 5}\n')
    lines = {
        '': [],
        '  --config=gtx480\t--policy=baseline ': ['--config=gtx480', '--policy=baseline'],
        "--config='my machine.yaml' --set l1.ways=8": ['--config=my machine.yaml', '--set=l1.ways=8'],
        '--config=my\\ machine.yaml': ['--config=my machine.yaml'],
        '--set=l1.latenci=4': "--set:1:6: error: 'l1' has no key 'latenci'; did you mean 'latency'? [config]\n",
        '--set=core.warps=4': 'core.threads exceeds',
        '--walk': "ptxoffload-sim: error: unknown option '--walk'\n",
        "'--set=l1.latency=\n5'": ['--set=l1.latency=5'],
        '@none': 'cannot read the response file',
        '--set=l1.latency=6': ['--set=l1.latency=6'],
    }
    result = ends(sim(folder, '--print-config-digests', stdin='\n'.join(lines).encode()), 1, '')
    answers = [json.loads(line) for line in result.out.decode().splitlines()]
    same(len(answers), len(lines))
    effective = []
    for answer, expected in zip(answers, lines.values()):
        machines = [] if isinstance(expected, str) else [word for word in expected if word.endswith('.yaml')]
        same(answer.pop('files', []), [word.removeprefix('--config=') for word in machines])
        if isinstance(expected, str):
            within(expected, answer.pop('errors'))
        else:
            printed = ends(sim(folder, '--print-config', *expected), 0, '').out
            same(answer.pop('sha256'), hashlib.sha256(printed).hexdigest())
            effective.append(answer.pop('effective', None))
        same(answer, {})
    assert effective[3] == effective[4] not in (effective[0], effective[1], effective[2], effective[5]), effective
    same(len(ends(sim(folder, '--print-config-digests', stdin=b'\n\n'), 0, '').out.splitlines()), 2)
    for text, why in ((b'', 'it is empty'), (b'--config=isca19\n\0', 'it is not text')):
        ends(sim(folder, '--print-config-digests', stdin=text), 1,
             'ptxoffload-sim: error: cannot read standard input: %s\n' % why, '')


@case
def clocks(folder):
    """the parts of latencies add up where a clock of the networks is no whole number of the cores'"""
    for setting in ('memory.core_clock=3', 'memory.network_clock=59', 'memory.llc_clock=100000'):
        ends(sim(folder, *VECADD, '--set', setting, '--json=run.json', '--stats=out.json'), 0, '', '')
        adds_up(folder / 'out.json', summary(folder / 'run.json'))


@case
def keys(folder):
    """--help=keys explains every key that --print-config prints; -v says what room cores have"""
    explained = set()
    for line in ends(sim(folder, '--help=keys-markdown'), 0, '').out.decode().splitlines():
        if line.startswith('### '):
            section = line[4:]
        elif line.startswith('| `'):
            explained.add(section + '.' + line.split('`')[1])
    printed = set()
    for line in ends(sim(folder, '--print-config'), 0, '').out.decode().splitlines():
        found = re.match(r'( *)(\w+):', line)
        if found and not found.group(1):
            section = found.group(2)
        elif found:
            printed.add(section + '.' + found.group(2))
    assert len(printed) > 100
    same(printed - explained, set())
    said = ends(sim(folder, *VECADD, '-v', '--set', 'core.thread_registers=16'), 0).err.decode()
    within('vecadd: 8 CTAs fit a core, limited by CTAs; 16 registers per thread (core.thread_registers)', said)


@case
def modes(folder):
    """what counts cycles does not go with --functional, and --check not without it"""
    for option in ('--stats=x', '--series=x', '--max-cycles=5', '--timed=vecadd'):
        within(b'--functional counts no cycles', ends(sim(folder, *VECADD, '--functional', option),
                                                      2).err)
    within(b'--check needs --functional', ends(sim(folder, *VECADD, '--check=race'), 2).err)
    within(b'--interval is the length of a row of --series', ends(
        sim(folder, *VECADD, '--interval=500'), 2).err)
    same(os.listdir(folder), [])
    within(b"cannot write 'none/x'", ends(sim(folder, *VECADD, '--series=none/x', '--json=out.json'),
                                          1).err)
    same(summary(folder / 'out.json')['outcome'], 'bad input')


@case
def machines_with_room(folder):
    """the note about a launch that does not fit names the machines on which it fits, and no others"""
    machines = sorted(path.stem for path in (ROOT / 'runtime-sim' / 'configs').glob('*.yaml'))
    chosen = random.Random(7)
    for shared in sorted(chosen.sample(range(16 << 10, 112 << 10), 4)) + [200 << 10]:
        for options in ([], ['--cooperative']):
            refused = set()
            for machine in machines:
                result = sim(folder, *VECADD, '--shared', str(shared), *options, '--config=' + machine, '--quiet')
                refused |= {machine} if result.code else set()
            result = ends(sim(folder, *VECADD, '--shared', str(shared), *options, '--set', 'core.shared_bytes=1024'), 1)
            note = re.search(rb'note: (no built-in machine has room for it|machines with room for it .*: (.*))\n', result.err)
            listed = set(note[2].decode().split(', ')) if note[2] else set()
            same(listed, set(machines) - refused)


@case
def no_room(folder):
    """a machine too small for a CTA is an error of the configuration, and says what it lacks"""
    result = ends(sim(folder, *VECADD, '--set', 'core.registers=64', '--json=out.json'), 1)
    within(b'error: a core has too few registers for one CTA of the launch: core.registers is 64, '
           b'but the CTA needs ', result.err)
    within(b'--set=core.thread_registers=N sets it): kernel \'vecadd\', launch 1 [config]', result.err)
    same(summary(folder / 'out.json')['outcome'], 'bad input')
    within(b'core.threads is 96, but the CTA needs 128', ends(
        sim(folder, *VECADD, '--set', 'core.threads=96'), 1).err)
    within(b'core.warps is 3, but the CTA needs 4', ends(
        sim(folder, *VECADD, '--set', 'core.warps=3', '--set', 'core.threads=96'), 1).err)
    within(b'core.shared_bytes is 0, but the CTA needs 128', ends(
        sim(folder, *VECADD, '--shared', '4', '--set', 'core.shared_bytes=0'), 1).err)
    within(b'a cluster has 2 CTAs, one per core, but memory.cores is 1', ends(
        sim(folder, *VECADD, '--cluster', '2', '--set', 'memory.cores=1'), 1).err)
    within(b'CTAs must be resident at once, but each of the machine\'s 1 cores has room for only', ends(
        sim(folder, *VECADD, '--cooperative', '--set', 'memory.cores=1'), 1).err)


@case
def sectors(folder):
    """whatever L1 asks for, and in whatever parts it is answered, the values are the same"""
    line = [ROOT / 'tests' / 'sim' / 'machines.ptx', '--kernel', 'loads', '--grid', '5', '--block',
            '96', '--arg', 'buf:u32:1024:iota', '--arg', 'buf:u32:512:zero', '--arg', 'u32:480',
            '--save', '1=out.npy']
    ends(sim(folder, *line, '--functional'), 0)
    values, fetched = (folder / 'out.npy').read_bytes(), {}
    for size in (1, 16, 32, 64, 128):
        for answered in ('sectors=false', 'sector_bytes=32', 'sector_bytes=128'):
            ends(sim(folder, *line, '--set', 'l1.sector_bytes=%d' % size, '--set',
                     'memory.sectors=%s' % ('false' if 'false' in answered else 'true'), '--set',
                     'memory.' + answered, '--stats=stats.json'), 0)
            same((folder / 'out.npy').read_bytes(), values)
            stats = statistics(folder / 'stats.json')[1]['statistics']
            same(stats['l1.fetches'], stats['l1.fills'])
            fetched[size, answered] = stats['l1.fetches'] * size
    # What is answered in whole lines is asked for once a line.
    for size in (1, 16, 32, 64):
        same(fetched[size, 'sectors=false'], fetched[128, 'sectors=false'])
        same(fetched[size, 'sector_bytes=128'], fetched[128, 'sectors=false'])
    assert fetched[32, 'sector_bytes=32'] < fetched[128, 'sectors=false'], fetched


# Each lane reads registers that it has not written, and writes them then, for who comes next.
UNWRITTEN = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 to)
{
    .reg .b32 %r<9>;
    .reg .b64 %rd<6>;
    .reg .pred %p<4>;
    .reg .b16 %h<3>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    mov.u32 %r4, %ctaid.x;
    mov.u32 %r5, %ntid.x;
    mad.lo.u32 %r1, %r4, %r5, %r1;
    mul.wide.u32 %rd2, %r1, 4;
    add.u64 %rd3, %rd1, %rd2;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 mov.u32 %r2, 7;
    add.u32 %r6, %r2, %r1;
    cvt.u32.u16 %r7, %h1;
    add.u32 %r6, %r6, %r7;
    selp.u32 %r7, 100, 0, %p3;
    add.u32 %r6, %r6, %r7;
    cvt.u32.u64 %r7, %rd5;
    add.u32 %r6, %r6, %r7;
    st.global.u32 [%rd3], %r6;
    mov.u32 %r2, 12345;
    setp.eq.u32 %p3, %r2, %r2;
    mov.u16 %h1, 77;
    mov.u64 %rd5, 99;
    st.global.u32 [%rd3+8192], %r2;
    @%p3 st.global.u16 [%rd3+8192], %h1;
    @%p3 st.global.u64 [%rd1+16376], %rd5;
    ret;
}
'''


@case
def unwritten(folder):
    """a register that was not written is 0, however the kernel is run"""
    (folder / 'k.ptx').write_text(UNWRITTEN)
    for options in (['--functional'], ['--functional', '--threads=4'], [], ['--config=gtx480'],
                    ['--functional', '--lanes=plain'], ['--set=memory.cores=1']):
        ends(sim(folder, 'k.ptx', '--grid', '60', '--block', '32', '--arg', 'buf:u32:4096:zero',
                 '--save', '0=out.npy', *options), 0)
        words = memoryview((folder / 'out.npy').read_bytes()[-4 * 4096:]).cast('I')
        same(list(words[:1920]), [i + 7 * (i < 8) for i in range(1920)])


@case
def reply_injection(folder):
    """the machines of [004]: the same values; an ideal reply network is faster, in any order"""
    def measure(*options):
        ends(sim(folder, *VECADD, '--save=2=c.npy', '--stats=s.json', *options), 0, '', '')
        return ((folder / 'c.npy').read_bytes(), (folder / 's.json').read_bytes(),
                statistics(folder / 's.json')[1]['statistics']['machine.cycles'])

    ends(sim(folder, *VECADD, '--save=2=plain.npy', '--functional'), 0, '', '')
    for machine in 'ari', 'ari44', 'ari88':
        cycles = []
        for key in 'ideal=false', 'ideal=true':
            values, text, took = measure('--config=' + machine, '--set=reply_network.' + key)
            same(values, (folder / 'plain.npy').read_bytes())
            same(measure('--config=' + machine, '--set=reply_network.' + key, '--shuffle=7')[1],
                 text)
            cycles.append(took)
        same(cycles[1] < cycles[0], True)


@case
def injection_schemes(folder):
    """ari.injection: the same values and packets in any order; statistics are listed, storage printed"""
    ends(sim(folder, *VECADD, '--save=2=plain.npy', '--functional'), 0, '', '')
    sent = set()
    for injection in 'baseline', 'supply', 'consume', 'both', 'ari', 'multiport':
        keys = ['--config=ari', '--set=ari.monitor=true', '--set=ari.injection=' + injection]
        runs = []
        for order in [], ['--shuffle=5']:
            ends(sim(folder, *VECADD, '--save=2=c.npy', '--stats=s.json', *keys, *order), 0, '', '')
            same((folder / 'c.npy').read_bytes(), (folder / 'plain.npy').read_bytes())
            runs.append((folder / 's.json').read_bytes())
        same(runs[0], runs[1])
        found = statistics(folder / 's.json')[1]['statistics']
        sent.add((found['ari.replies'], found['ari.reply_flits'], found['reply.class0.packets']))
        same(found['ari.ranked'] > 0, injection == 'ari')
        same(found['ari.stall_cycles'] > 0, True)
        names = ends(sim(folder, '--list-stats', *keys), 0, '').out.decode()
        within('ari.stall_cycles', names)
        storage = ends(sim(folder, '--list-storage', *keys), 0, '').out.decode()
        same('crosspoints' in storage, injection != 'baseline')
    same(len(sent), 1)
    within(b'needs one for each of 5 injection links',
           ends(sim(folder, *VECADD, '--config=ari', '--set=ari.injection=supply', '--set=ari.links=5'), 1).err)


@case
def registers(folder):
    """core.thread_registers says how many a thread has"""
    said = ends(sim(folder, *VECADD, '-v', '--set=core.thread_registers=128'), 0).err.decode()
    within('vecadd: 1 CTA fits a core, limited by registers; 128 registers per thread', said)
    for wrong in ('256', 'x', '-1'):
        within(b"'core.thread_registers' must be", ends(
            sim(folder, *VECADD, '--set=core.thread_registers=' + wrong), 1).err)


if __name__ == '__main__':
    main(2)
