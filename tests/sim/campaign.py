#!/usr/bin/env python3
"""Jobs of ptxoffload-campaign: which run, how often, and after what failures.

usage: campaign.py BUILD-ROOT
"""
import fcntl
import hashlib
import json
import os
import re
import resource
import signal
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, compared_case, ends, environment, main, run, same, wait_for, within
from campaign_lib import (BUILD, CAMPAIGN, Gate, PROGRAM, SAMPLES, SIMULATOR, campaign, finished,
                          is_clean, jobs_left, keys, results, starts, statistic, wrapped_tools, write_campaign,
                          write_finished)


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
def digests_of_configurations(folder):
    """a job's configuration is the one that ptxoffload-sim prints for the options of the job"""
    found = results(finished())
    digests = set()
    for result in found.values():
        words = result['commands'][-1]
        options = [word for word in words if word.startswith('--config=')]
        options += ['--set=' + words[i + 1] for i, word in enumerate(words)
                    if word == '--set' and not words[i + 1].startswith('values.')]
        printed = ends(run([SIMULATOR, '--print-config', *options], folder), 0, '').out
        digests.add(result['ingredients']['configuration'])
        same(result['ingredients']['configuration'], hashlib.sha256(printed).hexdigest())
    same(len(digests), 3)


@compared_case
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
         "ptxoffload-campaign: error: another process uses the store 'tiny.campaign'\n", '')
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
         "ptxoffload-campaign: error: the store 'none.campaign' to reuse does not exist\n", '')
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


def replacement(folder, words):
    """Commands that, once, replace the simulator by another file: these words are the commands that change its copy."""
    return ('if mkdir %(f)s/once 2>/dev/null; then cp %(t)s %(f)s/new; %(w)s; mv %(f)s/new %(t)s; fi' %
            {'f': folder, 't': folder / 'tools' / 'ptxoffload-sim', 'w': words})


@case
def replaced(folder):
    """a simulator that is replaced during a run starts no job under its old keys; the next run has new keys"""
    write_campaign(folder)
    tools = wrapped_tools(folder, before=replacement(folder, 'echo "# new" >>%s/new' % folder))
    said = ("ptxoffload-campaign: error: '%s/tools/ptxoffload-sim' has changed since the campaign was planned: "
            'run the campaign again\n' % folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=1', tools), 1, said, '')
    same(starts(folder), list(keys(folder)))  # the job that had started has its result
    is_clean(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '', '11 of 11 jobs done, 0 failed, 0 left; 11 run now\n')
    same(len(keys(folder)), 12)


@case
def replaced_within_job(folder):
    """a simulator that is replaced while a job tags its program leaves no result"""
    write_campaign(folder)
    tools = wrapped_tools(folder)
    tagger = folder / 'tools' / 'ptxoffload'
    tagger.unlink()
    tagger.write_text('#!/bin/sh\ncase "$*" in *--version*) ;; *)\n%s\nesac\nexec %s "$@"\n' %
                      (replacement(folder, 'echo "# new" >>%s/new' % folder), BUILD / 'cli' / 'ptxoffload'),
                      encoding='utf-8')
    tagger.chmod(0o755)
    one = ['--workload=VECADD', '--variant=tagged', '--study=main', tools]
    ends(campaign(folder, 'run', 'tiny.yaml', *one), 3,
         "VECADD, tagged: '%s/tools/ptxoffload-sim' has changed since the campaign was planned: "
         'run the campaign again\nptxoffload-campaign: VECADD, tagged has failed: it wrote no result\n' % folder,
         '0 of 1 jobs done, 1 failed, 0 left; 1 run now\n')
    same(keys(folder), set())
    is_clean(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', *one), 0, '', '1 of 1 jobs done, 0 failed, 0 left; 1 run now\n')


@case
def replaced_by_copy(folder):
    """a simulator that is replaced by its copy is the same"""
    write_campaign(folder)
    tools = wrapped_tools(folder, before=replacement(folder, 'touch -d 2001-01-01 %s/new' % folder))
    ends(campaign(folder, 'run', 'tiny.yaml', tools), 0, '', '11 of 11 jobs done, 0 failed, 0 left; 11 run now\n')


@case
def killed_job(folder):
    """a job that is killed leaves no result, stops no other, and is run again"""
    write_campaign(folder)
    tools = wrapped_tools(folder, before='if mkdir %s/once 2>/dev/null; then kill -9 $PPID; exit 1; fi' %
                          folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--jobs=1', tools), 3,
         'ptxoffload-campaign: VECADD, base has failed: it wrote no result\n',
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
def large_counts(folder):
    """a statistic that needs 64 bits is in the result"""
    write_campaign(folder, CAMPAIGN.replace('l1.latency: 1,', 'l1.latency: 1, energy.register_read: 1.0e12, energy.register_write: 1.0e12, memory.core_clock: 1,'))
    ends(campaign(folder, 'run', 'tiny.yaml', '--workload=VECADD', '--variant=fast', '--study=main'), 0, '')
    assert statistic(results(folder)['VECADD', 'fast', None], 'energy.delay_product') > 1 << 63


@compared_case
def memory_of_plans(folder):
    """of the run file of each job only what the job needs is kept: 2,000 jobs need less than 64 MB"""
    points = ''.join('  - {name: p%d, group: all, x: %d, values: {VECADD: {n: %d}}}\n' % (i, i, 64 + i)
                     for i in range(2000))
    (folder / 'many.yaml').write_text(
        'name: many\nworkloads: [{name: VECADD, run: %s/vecadd/run.yaml}]\n'
        'variants: [{name: base}]\npoints:\n%s'
        'studies: [{name: s, workloads: [VECADD], variants: [base], points: [all]}]\n' %
        (SAMPLES, points), encoding='utf-8')
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))
    result = ends(campaign(folder, 'run', 'many.yaml', '--dry-run', preexec_fn=limit), 0)
    within('2000 of 2000 jobs to run', result.err.decode())
    same(len(result.out.splitlines()), 2000)


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


MENDED = ("ptxoffload-campaign: warning: the database of the store 'tiny.campaign' was damaged and has "
          'been rebuilt from the results\n')


@case
def damaged_database(folder):
    """a database that has lost pages or rows is made again, and without the lock it is an error"""
    write_finished(folder)
    before = ends(campaign(folder, 'report', 'tiny.yaml'), 0, '').out
    path = folder / 'tiny.campaign' / 'campaign.sqlite'
    whole = path.read_bytes()
    page = int.from_bytes(whole[16:18], 'big')
    def zero(first):
        path.write_bytes(whole[:first * page] + bytes(page) + whole[(first + 1) * page:])
    def query(text):
        database = sqlite3.connect(path)
        assert database.execute(text).rowcount > 0, text
        database.commit()
        database.close()
    def cut():
        path.write_bytes(whole[:len(whole) // 2 // page * page])
    found = 0
    for damage in (lambda: zero(20), lambda: zero(len(whole) // page - 1), lambda: zero(len(whole) // page // 2), cut,
                   lambda: query('DELETE FROM statistics WHERE name % 97 = 5'),
                   lambda: query('DELETE FROM statistics WHERE job = (SELECT min(id) FROM jobs)')):
        path.write_bytes(whole)
        damage()
        for command in ('report', 'status', 'run'):
            wrong = path.read_bytes()
            done = ends(campaign(folder, command, 'tiny.yaml'), 0)
            assert done.err.decode() in ('', MENDED), done
            found += done.err.decode() == MENDED
            if command == 'report':
                same(done.out, before)
                with (folder / 'tiny.campaign/lock').open() as lock:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                    ends(campaign(folder, command, 'tiny.yaml'), 0, '', before.decode())
                    path.write_bytes(wrong)
                    done = campaign(folder, command, 'tiny.yaml')
                    within("the database 'tiny.campaign/campaign.sqlite' is damaged or of another version",
                           ends(done, 1).err.decode())
    same(found, 12)


@case
def store_that_cannot_be_written(folder):
    """a store that cannot be written is told from one that another run uses, and can be read"""
    write_finished(folder)
    before = ends(campaign(folder, 'report', 'tiny.yaml'), 0, '').out
    (folder / 'tiny.campaign/lock').unlink()
    (folder / 'tiny.campaign/lock').mkdir()
    ends(campaign(folder, 'run', 'tiny.yaml'), 1,
         "ptxoffload-campaign: error: cannot write the store 'tiny.campaign': Is a directory\n", '')
    same(ends(campaign(folder, 'report', 'tiny.yaml'), 0, '').out, before)


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
    same(ends(campaign(folder, 'report', 'tiny.yaml', tools), 0, MENDED).out, before)
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
        line = ends(campaign(folder, 'run', 'one.yaml', '--dry-run'), 0).out.decode()
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
    run_file = moved / 'run.yaml'
    run_file.write_text(run_file.read_text().replace('kernel: vecadd', 'spatial: v.map.yaml, kernel: vecadd') +
                        'metadata: m.json\n')
    for metadata, spatial in (('{}', ''), ('{ }', ''), ('{}', '# more\n')):
        (moved / 'm.json').write_text(metadata)
        (moved / 'v.map.yaml').write_text((SAMPLES / 'conv/conv.map.yaml').read_text() + spatial)
        different.append(key(run_file=moved))
    same(len(set(different)), 9)


@case
def quick(folder):
    """--quick has the quick sizes and quick studies; --workload, --variant and --study choose"""
    write_campaign(folder)
    out = ends(campaign(folder, 'run', 'tiny.yaml', '--quick'), 0, '').out.decode()
    same(out, '9 of 9 jobs done, 0 failed, 0 left; 9 run now\n')
    within('--set values.n=64', ' '.join(results(folder)['VECADD', 'base', None]['commands'][0]))

    def listed(*options):
        out = ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run', *options), 0).out.decode()
        return [line[22:] for line in out.splitlines()]
    same(listed('--workload=large', '--variant=fast'), ['TRIAD, fast'])
    told = [ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run', '--jobs=3', *more), 0).err.decode()
            for more in ([], ['--quick'], ['-q'])]
    same(told[1:], ['', ''])  # all quick jobs are done
    within('jobs to run, 3 at a time; no such job has finished yet', told[0])
    same(listed('--study=queue', '--workload=COPY'),
         ['COPY, base, q8', 'COPY, base, q64'])
    same(listed('--study=queue')[1], 'VECADD, base, q64')
    within(', q64: the same as COPY, base', '\n'.join(listed()))
    # A preview has the first workload of each group, or the chosen ones, and at most three points.
    many = '[%s]' % ', '.join('{name: p%d, x: %d, group: queue, set: {memory.reply_queue: %d}}' % (i, i, 8 + i)
                              for i in range(7))
    text = (folder / 'tiny.yaml').read_text()
    begin, end = text.index('points:\n'), text.index('studies:\n')
    text = text[:begin] + 'points: ' + many + '\n' + text[end:].replace('points: queue, quick: no', 'points: queue')
    (folder / 'tiny.yaml').write_text(text)
    same(listed('--preview'), [*('VECADD, ' + name for name in ('base', 'fast', 'tagged')),
                               *('TRIAD, ' + name for name in ('base', 'fast', 'tagged')),
                               *('VECADD, base, p%d' % i for i in (0, 3, 6))])
    (folder / 'tiny.yaml').write_text(text.replace('name: tiny\n', 'name: tiny\npreview: [COPY]\n'))
    same({line.split(',')[0] for line in listed('--preview')}, {'COPY'})
    ends(campaign(folder, 'run', 'tiny.yaml', '--preview'), 0, '')
    shown = ends(campaign(folder, 'report', 'tiny.yaml', '--preview'), 0, '').out.decode()
    assert 'COPY' in shown and 'VECADD' not in shown and 'no study runs' not in shown, shown
    (folder / 'tiny.yaml').write_text(text.replace('name: tiny\n', 'name: tiny\npreview: [COPY, NONE]\n'))
    within("unknown workload 'NONE'", ends(campaign(folder, 'run', 'tiny.yaml', '--preview'), 1).err.decode())
    (folder / 'tiny.yaml').write_text(text)
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=x'), 1,
         "ptxoffload-campaign: error: unknown study 'x'\n", '')


main()
