#!/usr/bin/env python3
"""Pages of results: the jobs of each cell, digests of inputs, and what eval/results.py finds.

usage: results.py BUILD-ROOT
"""
import contextlib
import io
import json
import math
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../sim'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../eval'))
import results as pages
from campaign_lib import BUILD, CAMPAIGN, ROOT, SAMPLES, campaign, keys, write_campaign
from tap import case, ends, main, run, same, within

NOTES = '# Tiny\n\n{gain}\n\nText.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n{queue}\n\n{head}\n'


def cells(folder, *options):
    """What --cells writes, with the names of the jobs instead of their numbers"""
    (folder / 'tiny.campaign' / 'results').mkdir(parents=True, exist_ok=True)
    made = json.loads(ends(campaign(folder, 'report', 'tiny.yaml', '--quiet', '--cells=-', *options), 0, '').out)
    names = [job['name'] for job in made['jobs']]
    return {table['name']: dict(table, rows={row['row']: [[names[job] for job in jobs] for jobs in row['jobs']]
                                             for row in table['rows']})
            for table in made['tables']}


@case
def jobs_of_cells(folder):
    """--cells has the jobs of each cell: of definitions, references, means, points, and both sides of a choice"""
    write_campaign(folder, CAMPAIGN.replace('value: base.rate, digits', 'value: "base.rate > 0 ? base.rate : fast.rate", digits'))
    made = cells(folder)
    same(list(made), ['gain', 'rates', 'queue'])
    same(made['gain']['columns'], ['fast, %', 'tagged, %'])
    same(made['gain']['rows']['TRIAD'], [['TRIAD, base', 'TRIAD, fast'], ['TRIAD, base', 'TRIAD, tagged']])
    same(made['gain']['rows']['mean micro'][0], ['VECADD, base', 'VECADD, fast', 'COPY, base', 'COPY, fast'])
    same(made['rates']['rows']['COPY'], [['COPY, base', 'COPY, fast'], ['COPY, base', 'TRIAD, fast']])
    same(made['rates']['rows']['mean'][1], [])
    same(made['queue']['rows']['q8'][0], ['VECADD, base, q8', 'VECADD, base', 'COPY, base, q8', 'COPY, base'])


@case
def chosen_jobs(folder):
    """--job runs and reports the jobs of these names only; an unknown name is an error"""
    write_campaign(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--job=TRIAD, base', '--job=COPY, base, q8'), 0, '',
         '2 of 2 jobs done, 0 failed, 0 left; 2 run now\n')
    same(len(keys(folder)), 2)
    within("unknown job 'TRIAD, bass'", ends(campaign(folder, 'run', 'tiny.yaml', '--job=TRIAD, bass'), 1).err.decode())
    within('results of 1 of 1 jobs', ends(campaign(folder, 'report', 'tiny.yaml', '--job=TRIAD, base'), 0, '').out.decode())


def digests(folder, old='', new=''):
    within(old, CAMPAIGN)
    write_campaign(folder, CAMPAIGN.replace(old, new, 1) if old else CAMPAIGN)
    return {name: (table['programs'], table['values']) for name, table in cells(folder).items()}


def changed(folder, old, new, table='gain'):
    """Which digests of a table change with the campaign file"""
    before, after = digests(folder)[table], digests(folder, old, new)[table]
    return [what for what, a, b in zip(('programs', 'values'), before, after) if a != b]


@case
def digests_of_values(folder):
    """a digest covers values that differ from the initial ones, run-file values, options and the tagged program"""
    same(changed(folder, 'l1.latency: 1,', 'l1.latency: 2,'), ['values'])
    same(changed(folder, 'l1.latency: 1,', 'l1.latency: 1, memory.node_cores: 1, memory.sector_replies: false,'), [])
    same(changed(folder, 'values: {n: 512}', 'values: {n: 513}'), ['values'])
    same(changed(folder, 'values: {n: 512}', 'values: {n: 513}', 'queue'), [])
    same(changed(folder, 'name: tiny\n', 'name: tiny\noptions: [--max-cycles=100000000]\n'), ['values'])
    same(changed(folder, '--fma=split', '--tags=comment'), ['programs', 'values'])
    same(changed(folder, 'title: Rates', 'title: Other'), [])


@case
def digests_of_programs(folder):
    """another program has another digest, and the same one in another folder has not"""
    shutil.copytree(SAMPLES / 'triad', folder / 'triad')
    shutil.copytree(SAMPLES / 'triad', folder / 'other')
    old, new = '%(samples)s/triad/run.yaml', '%(copy)s/run.yaml'

    def of(name):
        write_campaign(folder, CAMPAIGN.replace(old, new), copy=folder / name)
        return [cells(folder)['gain'][what] for what in ('programs', 'values')]
    before = of('triad')
    same(of('other'), before)
    path = next((folder / 'other').glob('*.ptx'))
    path.write_text(path.read_text(encoding='utf-8') + '// another\n', encoding='utf-8')
    after = of('other')
    assert after[0] != before[0] and after[1] == before[1], (before, after)


def make_page(folder, text=CAMPAIGN):
    """A page that eval/results.py has made, with the results in `store`"""
    write_campaign(folder, text.replace('title: A', 'notes: tiny.md\ntitle: A', 1))
    (folder / 'tiny.md').write_text(NOTES, encoding='utf-8')
    page = pages.Page('tiny', notes=str(folder / 'tiny.md'), file=folder / 'page.md', plots={'plot': 'queue'},
                      definition=str(folder / 'tiny.yaml'))
    store = pages.Store(BUILD, folder / 'store', 0)
    plan = pages.Plan(page, store, folder)
    assert pages.make(plan, store)
    return page, store


def check(folder, page, store, seed=1, cells_of=1000):
    """(number of problems, lines that --check prints)"""
    out = io.StringIO()
    (folder / 'scratch').mkdir(exist_ok=True)
    with contextlib.redirect_stdout(out):
        count = pages.check(store, [page], seed, math.inf, cells_of, folder / 'scratch')
    return count, out.getvalue().split('\n')


def page_of(text, old, new, page):
    within(old, text)
    page.file.write_text(text.replace(old, new, 1), encoding='utf-8')


@case
def current_page(folder):
    """a page that was just made has no differences, and the digests of all its tables"""
    page, _ = make_page(folder)
    text = page.file.read_text(encoding='utf-8')
    same(re.findall(r'^<!-- inputs of (\w+): programs [0-9a-f]{16}, values [0-9a-f]{16} -->$', text, re.M), ['gain', 'queue'])
    assert (folder / 'plot.svg').stat().st_size
    fresh = pages.Store(BUILD, folder / 'fresh', 0)
    count, lines = check(folder, page, fresh)
    same((count, lines[0]), (0, 'tiny: 10 cells chosen, 10 compared, 0 problems'))
    within('2 with the digests of today, 0 with others, 0 without', lines[1])
    ran = {path.name for path in (folder / 'fresh' / 'results').iterdir()}
    same(ran, {path.name for path in (folder / 'store' / 'results').iterdir()})


@case
def some_cells(folder):
    """a few cells run their jobs only; another seed chooses others; a cell that they determine is compared, too"""
    page, _ = make_page(folder)
    sets = set()
    for seed in range(4):
        store = pages.Store(BUILD, folder / str(seed), 0)
        count, lines = check(folder, page, store, seed, 1)
        same(count, 0)
        within('tiny: 1 cells chosen, ', lines[0])
        sets.add(frozenset(path.name for path in (folder / str(seed) / 'results').iterdir()))
    assert len(sets) > 1 and all(2 <= len(one) <= 6 for one in sets), sets


@case
def stale_page(folder):
    """a number, a row, a table or an input that differs is found, with its place"""
    page, store = make_page(folder)
    text = page.file.read_text(encoding='utf-8')
    number = re.search(r'^\| TRIAD \| (\S+) \|', text, re.M)[1]
    page_of(text, '| TRIAD | %s |' % number, '| TRIAD | +1234.5 |', page)
    count, lines = check(folder, page, store)
    same((count, lines[1]), (1, '  tiny: table gain, row TRIAD, column fast, %%: +1234.5 on the page, now %s' % number))
    page_of(text, '| TRIAD |', '| TRIADE |', page)
    same(check(folder, page, store)[1][1], '  tiny: table gain: other rows or columns than today')
    page_of(text, '| a | b |\n|---|---|\n| 1 | 2 |\n', '', page)
    same(check(folder, page, store)[1][1], '  tiny: the page does not have the tables of its notes')
    page_of(text, '<!-- inputs of gain: programs ', '<!-- inputs of gain: programs 0', page)
    same(check(folder, page, store)[1][1], '  tiny: table gain: other programs than those of the page')
    page.file.write_text(re.sub(r'<!-- inputs of queue.*', '', text), encoding='utf-8')
    count, lines = check(folder, page, store)
    same(count, 0)
    within('1 with the digests of today, 0 with others, 1 without', lines[1])


@case
def broken_job(folder):
    """a job that cannot be run is a problem of its page"""
    page, store = make_page(folder)
    text = (folder / 'tiny.yaml').read_text(encoding='utf-8')
    (folder / 'tiny.yaml').write_text(text.replace('l1.latency: 1,', 'l1.latenci: 1,', 1), encoding='utf-8')
    count, lines = check(folder, page, store)
    assert count >= 3, lines
    within("  tiny: VECADD, fast cannot be run: --set:1:6: error: 'l1' has no key 'latenci'", '\n'.join(lines))
    within('table gain: other programs and values than those of the page', '\n'.join(lines))


@case
def all_pages(folder):
    """each page of docs/results is in a list of eval/results.py, with its files"""
    there = {path.stem for path in (ROOT / 'docs' / 'results').glob('*.md')} - {'README'}
    same(sorted(there), sorted([page.name for page in pages.PAGES] + list(pages.OTHERS)))
    plots = {path.stem for path in (ROOT / 'docs' / 'results').glob('*.svg')}
    for page in pages.PAGES:
        assert (ROOT / page.definition).is_file() and (ROOT / page.notes).is_file(), page
        assert set(page.plots) <= plots, page
    names = [name for name in pages.read_times()]
    assert len(names) == len(set(names)) > 50, len(names)
    for name in names:
        assert (ROOT / name.split(' ')[0]).is_file(), name


@case
def usage(folder):
    """a page of another program is an error that names its command, and an unknown one lists the pages"""
    program = ROOT / 'eval' / 'results.py'
    within('bench/cost.py', run([sys.executable, program, BUILD, 'docs/results/cost.md', '--check'], folder).err.decode())
    within('the pages are all, ari', run([sys.executable, program, BUILD, 'alll'], folder).err.decode())


main()
