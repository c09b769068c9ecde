#!/usr/bin/env python3
"""Result pages: makes them anew, and compares them with what today's programs give.

usage: results.py BUILD-ROOT [PAGE…] [--store=FOLDER] [--estimate]
       results.py BUILD-ROOT [PAGE…] --check[=CELLS] [--seed=N] [--seconds=N]

Without --check the campaigns of the pages run, or continue, in the store, and the pages are written. With it, cells of
the pages are chosen by the seed, those with short jobs rather than others; their jobs run, and each number on a page
that these jobs determine is compared. --check takes two minutes of CPU time, --check=200 chooses 200 cells and takes what they
need. Differences are printed with page, table, row and column; the exit code is then 1. PAGES lists the pages.
"""
import argparse
import collections
import dataclasses
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

import page_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
TIMES = ROOT / 'eval' / 'times.tsv'
SECONDS = 100    # of the jobs of --check; reading the campaigns takes some more
UNKNOWN = 20.0   # seconds of a job without a recorded time of its run file
LARGEST = 15.0   # recorded seconds of a job that is chosen
PART = 0.25      # of the seconds, for one cell
ENOUGH = 400     # cells of --check


@dataclasses.dataclass
class Page:
    """A page that one campaign makes: options of the report, notes unless they are those of the campaign, and the plots
    beside the page by their figures"""
    name: str
    campaign: str = ''
    options: tuple = ()
    notes: str = ''
    plots: dict = dataclasses.field(default_factory=dict)
    file: pathlib.Path = None
    definition: str = ''
    text: tuple = ()

    def __post_init__(self):
        self.campaign = self.campaign or self.name
        self.definition = self.definition or 'eval/%s.yaml' % self.campaign
        self.text = ('--notes=' + self.notes,) if self.notes else ()
        self.notes = self.notes or 'eval/%s.md' % self.name
        self.file = self.file or ROOT / 'docs' / 'results' / (self.name + '.md')


PAGES = (
    Page('all', plots={'all': 'all'}),
    Page('ari'),
    Page('ari-overlay'),
    Page('baseline'),
    Page('energy'),
    Page('fe-rgpu', plots={'fe-rgpu': 'together'}),
    Page('fe-tom', plots={'fe-tom': 'together'}),
    Page('full-empty'),
    Page('gpgpusim'),
    Page('isca19'),
    Page('isca19-sweeps', 'isca19', ('--quick',)),
    Page('omni-readings'),
    Page('rgpu'),
    Page('rgpu-tom', plots={'rgpu-tom': 'stacks'}),
    Page('sampling'),
    Page('todays-gpus', plots={'todays-gpus-' + figure: figure for figure in ('gain', 'ari', 'tom', 'rgpu', 'bits')}),
    Page('together', plots={'together-ari-omni': 'ari-omni', 'together-tom-omni': 'tom-omni', 'together-control': 'control'}),
    Page('tom'),
    Page('tom-control', 'tom', options=('--figure=safe',), notes='eval/tom-control.md'),
)

# Pages that other programs make, with the command of each; --check leaves them out.
OTHERS = {
    'cost': 'bench/cost.py build',
    'hardware': 'eval/hardware.py build, then eval/hardware.py --table',
    'modern': 'eval/modern.py build --markdown=docs/results/modern.md',
    'noc-validation': 'tests/noc/compare.py build',
    'originals': 'eval/originals.py build --suites=FOLDER, then eval/originals.py --table',
    'programs': 'eval/programs.py build --hecbench=FOLDER/src --samples=FOLDER --policies=baseline,omni,tom-ctrl, '
                'then eval/programs.py --table',
    'sensitivity': 'eval/sensitivity.py build, then eval/sensitivity.py --table',
}


class Failure(Exception):
    """Its text is all that a user needs"""


# Times: what a job took does not depend much on the machine that it simulates, but on its run file and values.

def time_name(job):
    run = os.path.relpath(ROOT / job['run'], ROOT)
    return ' '.join([run] + ['%s=%s' % one for one in job['values'].items()])


def expected(job, times):
    """(seconds of a job, whether they are recorded); those of the same run file with other values if they are not"""
    name = time_name(job)
    if name in times:
        return times[name], True
    near = [seconds for other, seconds in times.items() if other.split(' ')[0] == name.split(' ')[0]]
    return max(near, default=UNKNOWN), False


def read_times():
    if not TIMES.is_file():
        return {}
    rows = [line.split('\t') for line in TIMES.read_text(encoding='utf-8').splitlines()[1:]]
    return {name: float(seconds) for name, seconds in rows}


def write_times(times):
    lines = ['run file and values\tCPU seconds of a job\n']
    lines += ['%s\t%.2g\n' % one for one in sorted(times.items())]
    TIMES.write_text(''.join(lines), encoding='utf-8')


def new_times(plans, store):
    """The recorded times, and the means of the jobs that the store has, where they are new or differ by half"""
    times, taken = read_times(), collections.defaultdict(list)
    for plan in plans:
        for job in plan.jobs:
            result = store.result(job)
            if result and not result['failure']:
                taken[time_name(job)].append(result['cpu_seconds'])
    for name, all_seconds in taken.items():
        mean = sum(all_seconds) / len(all_seconds)
        if not 1 / 1.5 < (mean + .05) / (times.get(name, 1e9) + .05) < 1.5:
            times[name] = mean
    return times


# Campaigns

class Store:
    """A store of results, and the program that fills it"""

    def __init__(self, build, folder, jobs):
        self.build, self.folder, self.jobs = pathlib.Path(build).resolve(), folder, jobs
        (folder / 'results').mkdir(parents=True, exist_ok=True)

    def campaign(self, action, page, *options):
        words = [self.build / 'cli' / 'ptxoffload-campaign', action, page.definition, '--store=%s' % self.folder]
        if action == 'report':
            words += [*page.options, '--quiet']
        else:
            words += [one for one in page.options if one == '--quick']
        return subprocess.run([*words, *options], cwd=ROOT, capture_output=True, text=True, check=False)

    def report(self, page, *options):
        done = self.campaign('report', page, *options)
        if done.returncode:
            raise Failure('%s: %s' % (page.name, done.stderr.strip()))

    def run(self, page, jobs):
        """Runs these jobs, and those of an earlier call. Returns the messages of failed ones."""
        names = ['--job=' + job['name'] for job in jobs]
        more = ['--jobs=%d' % self.jobs] if self.jobs else []
        done = self.campaign('run', page, '--quiet', *more, *names)
        if done.returncode not in (0, 3):
            raise Failure('%s: %s' % (page.name, done.stderr.strip()))
        return done.stderr.splitlines() if done.returncode else []

    def result(self, job):
        path = self.folder / 'results' / (job.get('key', '') + '.json')
        return json.loads(path.read_text(encoding='utf-8'))['result'] if path.is_file() else None

    def has(self, job):
        """Whether the job has a good result"""
        result = self.result(job)
        return bool(result) and not result['failure']


class Plan:
    """What a page needs today: jobs, and for each of its tables rows, columns, the jobs of each cell, and digests"""

    def __init__(self, page, store, scratch):
        self.page = page
        path = scratch / (page.name + '.json')
        store.report(page, '--cells=%s' % path)
        made = json.loads(path.read_text(encoding='utf-8'))
        self.jobs = made['jobs']
        self.notes = (ROOT / page.notes).read_text(encoding='utf-8')
        here = page_tables.names_in(self.notes.splitlines())
        self.tables = {table['name']: table for table in made['tables'] if table['name'] in here}

    def cells(self):
        """(table, row, column, jobs) of each cell that has jobs; row and column count from 0"""
        for name, table in self.tables.items():
            for row, one in enumerate(table['rows']):
                for column, jobs in enumerate(one['jobs']):
                    if jobs:
                        yield name, row, column, jobs

    def needed(self):
        """The jobs of all cells"""
        numbers = sorted({job for *_, jobs in self.cells() for job in jobs})
        return [self.jobs[number] for number in numbers]


# Checks of a page

def place_of_columns(heads, columns):
    """Where each column of values is in a table whose head has other columns, too; ValueError without it"""
    places, at = [], 0
    for column in columns:
        at = heads.index(column, at + 1)
        places.append(at)
    return places


def shape(rows, columns):
    """What of a table does not depend on results: names of rows and columns"""
    return [row[0] for row in rows[2:]], place_of_columns(rows[0], columns)


class Checked:
    """A page beside a report of the same campaign"""

    def __init__(self, plan, old, new):
        self.plan, self.problems = plan, []
        self.old, self.new = self.read(old, 'the page'), self.read(new, 'the report')
        self.digests = self.compare_digests(old)
        self.problems += ['%s cannot be run: %s' % (job['name'], job['error']) for job in plan.jobs if 'error' in job]

    def read(self, text, what):
        try:
            return {name: rows for name, _, rows in page_tables.named(self.plan.notes.splitlines(), text.splitlines()) if name}
        except ValueError:
            self.problems.append('%s does not have the tables of its notes' % what)
            return {}

    def compare_digests(self, text):
        """Counts the tables by their digests: same, differ, none"""
        there, counts = page_tables.inputs(text), collections.Counter()
        for name, table in self.plan.tables.items():
            own = there.get(name)
            now = table['programs'], table['values']
            changed = [what for what, a, b in zip(('programs', 'values'), own or (), now) if not b.startswith(a)]
            counts['differ' if changed else 'same' if own else 'none'] += 1
            if changed:
                self.problems.append('table %s: other %s than those of the page' % (name, ' and '.join(changed)))
        return counts

    def compare(self, has):
        """Compares all cells whose jobs have a result; returns the number of those"""
        count = 0
        for name, table in self.plan.tables.items():
            if name not in self.old or name not in self.new:
                continue
            try:
                same = shape(self.old[name], table['columns']) == shape(self.new[name], table['columns'])
            except ValueError:
                same = False
            if not same:
                self.problems.append('table %s: other rows or columns than today' % name)
                continue
            count += self.compare_table(name, table, has)
        return count

    def compare_table(self, name, table, has):
        old, new, count = self.old[name], self.new[name], 0
        places = place_of_columns(new[0], table['columns'])
        for row, one in enumerate(table['rows']):
            for column, jobs in enumerate(one['jobs']):
                if not jobs or not all(has(self.plan.jobs[job]) for job in jobs):
                    continue
                count += 1
                was, now = (rows[row + 2][places[column]] for rows in (old, new))
                if was != now:
                    self.problems.append('table %s, row %s, column %s: %s on the page, now %s'
                                         % (name, one['row'], table['columns'][column], was, now))
        return count


# Choice of cells

def cost_of(job, times):
    """Seconds of a job; infinite for one that is not to be chosen"""
    seconds, recorded = expected(job, times)
    return math.inf if 'key' not in job or recorded and seconds > LARGEST else seconds


def choose(plans, seed, seconds, most, times):
    """For each plan the chosen cells, and for each the set of its jobs. Cells with short jobs are more likely."""
    rng = random.Random(seed)
    chosen, jobs, waiting = [0] * len(plans), [set() for _ in plans], []
    for plan in plans:
        cost = [cost_of(job, times) for job in plan.jobs]
        waiting.append([(-math.log(1 - rng.random()), [(job, cost[job]) for job in cell[3]]) for cell in plan.cells()])
    order, left = list(range(len(plans))), seconds
    rng.shuffle(order)
    while order and sum(chosen) < most:
        for at in list(order):
            def extra(cell):
                return sum(cost for job, cost in cell[1] if job not in jobs[at])
            able = [cell for cell in waiting[at] if extra(cell) < math.inf and extra(cell) <= min(left, PART * seconds)]
            if not able or sum(chosen) >= most:
                order.remove(at)
                continue
            cell = min(able, key=lambda one: one[0] * (extra(one) + .2))
            left -= extra(cell)
            waiting[at].remove(cell)
            jobs[at].update(job for job, _ in cell[1])
            chosen[at] += 1
    return chosen, jobs


def spent():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def check(store, pages, seed, seconds, most, scratch):
    """Prints what differs. Returns the number of problems."""
    plans = [Plan(page, store, scratch) for page in pages]
    planned = spent()
    chosen, jobs = choose(plans, seed, seconds, most, read_times())
    compared, problems, counts = 0, 0, collections.Counter()
    for plan, cells, numbers in zip(plans, chosen, jobs):
        failed = store.run(plan.page, [plan.jobs[number] for number in sorted(numbers)]) if numbers else []
        fresh = scratch / (plan.page.name + '.md')
        store.report(plan.page, '--markdown=%s' % fresh, *plan.page.text)
        checked = Checked(plan, plan.page.file.read_text(encoding='utf-8'), fresh.read_text(encoding='utf-8'))
        done = {plan.jobs[number]['key']: store.has(plan.jobs[number]) for number in numbers}
        own = checked.compare(lambda job: done.get(job.get('key')))
        compared += own
        counts += checked.digests
        problems += len(checked.problems) + len(failed)
        print('%s: %d cells chosen, %d compared, %d problems' % (plan.page.name, cells, own, len(checked.problems) + len(failed)))
        for line in checked.problems + failed:
            print('  %s: %s' % (plan.page.name, line))
        sys.stdout.flush()
    print('seed %d: %d cells chosen, %d compared that their jobs determine, %d problems; tables: %d with the digests of today, '
          '%d with others, %d without' % (seed, sum(chosen), compared, problems, counts['same'], counts['differ'], counts['none']))
    print('%.0f CPU seconds, %.0f of them to read the campaigns' % (spent(), planned))
    return problems


# Making pages

def estimate(plan, store, times):
    """(jobs without a result, their CPU seconds, jobs without a recorded time)"""
    left = {job['key']: job for job in plan.needed() if 'key' in job and not store.has(job)}
    seconds = [expected(job, times) for job in left.values()]
    return len(left), sum(one for one, _ in seconds), sum(not known for _, known in seconds)


def duration(seconds):
    return '%.0f min' % (seconds / 60) if seconds >= 120 else '%.0f s' % seconds


def make(plan, store):
    page = plan.page
    failed = store.run(page, plan.needed())
    for line in failed:
        print('  %s' % line)
    target = os.path.relpath(page.file, ROOT)
    store.report(page, '--markdown=%s' % target, *page.text)
    import originals  # its PyYAML is needed here only
    originals.add_columns([page.file.name], page.file.parent)
    for plot, figure in page.plots.items():
        store.report(page, '--figure=%s' % figure, '--svg=%s' % os.path.relpath(page.file.with_name(plot + '.svg'), ROOT))
    return not failed


def make_all(store, pages, only_estimate, scratch):
    """Makes pages; the cheapest first. Returns the number of pages with failed jobs."""
    plans, times, bad = [Plan(page, store, scratch) for page in pages], read_times(), 0
    needs = {plan.page.name: estimate(plan, store, times) for plan in plans}
    for plan in sorted(plans, key=lambda one: needs[one.page.name][1]):
        jobs, seconds, unknown = needs[plan.page.name]
        print('%s: %d jobs to run, about %s of CPU time%s' % (plan.page.name, jobs, duration(seconds),
                                                             '; %d have no recorded time' % unknown if unknown else ''))
        sys.stdout.flush()
        if not only_estimate:
            bad += not make(plan, store)
            write_times(new_times([plan], store))
    print('all: about %s of CPU time' % duration(sum(one[1] for one in needs.values())))
    return bad


# The program

def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build')
    parser.add_argument('pages', nargs='*', metavar='PAGE')
    parser.add_argument('--store', type=pathlib.Path)
    parser.add_argument('--estimate', action='store_true', help='print the time that the pages take, and make none')
    parser.add_argument('--check', type=int, metavar='CELLS')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=SECONDS, help='CPU seconds of the jobs of --check (%(default)s)')
    parser.add_argument('--times', action='store_true', help='with --check: record the times of the jobs in eval/times.tsv')
    parser.add_argument('--jobs', type=int, default=0)
    options = parser.parse_intermixed_args(['--check=0' if word == '--check' else word for word in words])
    options.checks = any(word.split('=')[0] == '--check' for word in words)
    return options


def selected(names):
    known = {page.name: page for page in PAGES}
    names = [pathlib.PurePath(name).stem for name in names]
    for name in names:
        if name in OTHERS:
            raise Failure('%s is not made by a campaign, but by: %s' % (name, OTHERS[name]))
        if name not in known:
            raise Failure('no page %s; the pages are %s' % (name, ', '.join(known)))
    return [known[name] for name in names] or list(PAGES)


def main(words):
    options = parse(words)
    with tempfile.TemporaryDirectory(prefix='ptxoffload-results-') as scratch:
        scratch = pathlib.Path(scratch)
        try:
            pages = selected(options.pages)
            if not options.checks:
                store = Store(options.build, (options.store or ROOT / 'out' / 'results.campaign').resolve(), options.jobs)
                sys.exit(make_all(store, pages, options.estimate, scratch) > 0)
            store = Store(options.build, (options.store or scratch / 'store').resolve(), options.jobs)
            seconds = math.inf if options.check else options.seconds
            if not options.pages:
                print('not checked, because no campaign makes them: %s' % ', '.join(sorted(OTHERS)))
            problems = check(store, pages, options.seed, seconds, options.check or ENOUGH, scratch)
            if options.times:
                write_times(new_times([Plan(page, store, scratch) for page in pages], store))
            sys.exit(problems > 0)
        except Failure as failure:
            sys.exit('results.py: %s' % failure)


if __name__ == '__main__':
    main(sys.argv[1:])
