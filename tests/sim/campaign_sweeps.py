#!/usr/bin/env python3
"""Sweeps of campaigns: their points, filters, samples, repeats, heat maps and Pareto tables.

usage: campaign_sweeps.py BUILD-ROOT
"""
import csv
import io
import itertools
import os
import re
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, same, within
from campaign_lib import ROOT, SAMPLES, campaign

FILE = """
name: sweeps
workloads: [{name: VECADD, run: %(samples)s/vecadd/run.yaml, values: {n: 256}}]
variants: [{name: base}, {name: fast, set: {core.schedulers: 2}}]
sweeps:
  - {name: s, %(sweep)s}
studies: [{name: main, workloads: VECADD, variants: [base, fast], points: s}]
figures:
  - name: f
    title: F
    workloads: VECADD
    points: s
    %(figure)s
    columns:
      - {name: gain, value: base.machine.cycles / fast.machine.cycles, unit: gain, better: more}
      - {name: cycles, value: base.machine.cycles, better: less}
"""


def write(folder, sweep, figure='plot: lines'):
    (folder / 'c.yaml').write_text(FILE % {'samples': SAMPLES, 'sweep': sweep, 'figure': figure})


def points(folder, sweep):
    """The points of the variant `base`, as dictionaries if their names have values."""
    write(folder, sweep)
    out = ends(campaign(folder, 'run', 'c.yaml', '--dry-run', '--variant=base'), 0).out.decode()
    names = re.findall(r'VECADD, base, s (.*?)(?:: the same as .*)?$', out, re.M)
    return [dict(part.split('=') for part in name.split(', ')) if '=' in name else name
            for name in names]


def product(**keys):
    return [dict(zip(keys, values)) for values in itertools.product(*keys.values())]


SWEEPS = {
    'set: {l1.mshrs: [8, 16], llc.latency: [1, 2, 3]}':
        product(**{'l1.mshrs': ['8', '16'], 'llc.latency': ['1', '2', '3']}),
    'set: {l1.mshrs: {from: 8, to: 20, step: 4}}': product(**{'l1.mshrs': ['8', '12', '16', '20']}),
    'set: {l1.mshrs: {from: 8, to: 70, times: 2}}': product(**{'l1.mshrs': ['8', '16', '32', '64']}),
    'set: {l1.mshrs: {from: 10, to: 20, count: 3}}': product(**{'l1.mshrs': ['10', '15', '20']}),
    'set: {core.clock: {from: 0.1, to: 0.5, step: 0.1}}':
        product(**{'core.clock': ['0.1', '0.2', '0.3', '0.4', '0.5']}),
    'combine: zip, set: {l1.mshrs: [8, 16], core.scheduler: [lrr, gto], llc.latency: 9}':
        [{'l1.mshrs': '8', 'core.scheduler': 'lrr', 'llc.latency': '9'},
         {'l1.mshrs': '16', 'core.scheduler': 'gto', 'llc.latency': '9'}],
    'set: {l1.mshrs: [8, 16], llc.latency: [8, 16]}, where: l1.mshrs >= llc.latency':
        [{'l1.mshrs': '8', 'llc.latency': '8'}, {'l1.mshrs': '16', 'llc.latency': '8'},
         {'l1.mshrs': '16', 'llc.latency': '16'}],
    'config: [isca19, gtx580], set: {l1.mshrs: [8, 16]}':
        product(config=['isca19', 'gtx580'], **{'l1.mshrs': ['8', '16']}),
    'set: {l1.mshrs: [8, 16]}, repeats: {n: [64, 128]}':
        product(**{'l1.mshrs': ['8', '16'], 'n': ['64', '128']}),
}


def makes(folder, sweep, expected):
    if 'core.clock' in sweep:
        # Names only: no configuration has this key.
        write(folder, sweep)
        out = campaign(folder, 'run', 'c.yaml', '--dry-run', '--variant=base').out.decode()
        same(re.findall(r'core\.clock=([\d.]+)', out)[:5], [one['core.clock'] for one in expected])
        return
    same(points(folder, sweep), expected)


for sweep, expected in SWEEPS.items():
    add_case('points of ' + sweep, makes, sweep, expected)


def sampled(folder, seed, more=''):
    """The settings of the points of a Latin hypercube sample."""
    write(folder, 'combine: latin, count: 40, seed: %d, set: {l1.mshrs: {from: 1, to: 80}, '
          'core.scheduler: [gto, lrr], llc.latency: [1, 2, 3, 4]%s}' % (seed, more),
          'plot: none')
    out = ends(campaign(folder, 'report', 'c.yaml', '--text=-'), 0).out.decode()
    return [dict(part.split('=') for part in line.split(', '))
            for line in re.findall(r'^(l1\.mshrs=\S+, \S+, \S+)', out, re.M)]


@case
def latin(folder):
    """a Latin hypercube sample has each value, and each part of a range, equally often"""
    write(folder, 'set: {l1.mshrs: [8]}')
    ends(campaign(folder, 'run', 'c.yaml', '--quiet'), 0)  # a report needs a store
    first = sampled(folder, 1)
    same(len(first), 40)
    for seed in (1, 2, 3):
        found = sampled(folder, seed)
        # 40 parts of two numbers each
        same(sorted((int(one['l1.mshrs']) - 1) // 2 for one in found), list(range(40)))
        for key, values in (('core.scheduler', ['gto', 'lrr']), ('llc.latency', list('1234'))):
            for value in values:
                same(sum(one[key].rstrip(',') == value for one in found), 40 // len(values))
        same(found, sampled(folder, seed))
        same(found == first, seed == 1)
    # Orders of keys are independent of each other and of other keys.
    assert len({one['l1.mshrs'] for one in first}) == 40
    pairs = {(one['core.scheduler'], one['llc.latency']) for one in first}
    assert len(pairs) >= 6, pairs


@case
def two_hundred(folder):
    """the example of the documents runs 200 machines, and a map of two keys"""
    document = (ROOT / 'docs' / 'reference' / 'campaign.md').read_text(encoding='utf-8')
    text = re.search(r'^    name: machines\n(?:    .*\n)+', document, re.M).group(0)
    (folder / 'c.yaml').write_text(re.sub('^    ', '', text, flags=re.M).replace('samples/', '%s/' % SAMPLES))
    out = ends(campaign(folder, 'run', 'c.yaml', '--dry-run'), 0).out.decode()
    sample, cells = (re.findall(r'^(\w{12}) .*%s' % name, out, re.M) for name in (', sample ', ', map '))
    assert len(sample) == len(set(sample)) == 400
    same(len(cells), (4 * 5 - 1) * 3 * 2)  # without 8 MSHRs and 10 cycles
    ends(campaign(folder, 'run', 'c.yaml', '--dry-run', '--study=all'), 0)


@case
def repeats(folder):
    """a repeated point has the median, the smallest and the largest value of its repeats"""
    write(folder, 'set: {l1.mshrs: [8, 32]}, repeats: {n: [64, 4096, 256]}')
    ends(campaign(folder, 'run', 'c.yaml', '--quiet'), 0)
    out = ends(campaign(folder, 'report', 'c.yaml', '--csv=-'), 0).out.decode()
    rows = list(csv.DictReader(io.StringIO(out)))
    same([row['row'] for row in rows], ['s l1.mshrs=8'] * 2 + ['s l1.mshrs=32'] * 2)
    for row in rows:
        values = []
        for n in (64, 4096, 256):
            write(folder, 'set: {%s}, values: {n: [%d]}' % (row['row'][2:].replace('=', ': '), n))
            one = ends(campaign(folder, 'run', 'c.yaml', '--quiet'), 0)
            one = ends(campaign(folder, 'report', 'c.yaml', '--csv=-'), 0).out.decode()
            values += [float(each['value']) for each in csv.DictReader(io.StringIO(one))
                       if each['column'] == row['column']]
        same([float(row[key]) for key in ('low', 'value', 'high')],
             [min(values), statistics.median(values), max(values)])
        assert row['column'] == 'gain' or min(values) < max(values)
    write(folder, 'set: {l1.mshrs: [8, 32]}, repeats: {n: [64, 4096, 256]}')
    text = ends(campaign(folder, 'report', 'c.yaml', '--text=-'), 0).out.decode()
    assert re.search(r'^8 +\S+ \(\S+ … \S+\) ', text, re.M), text
    ends(campaign(folder, 'report', 'c.yaml', '--figure=f', '--svg=f.svg'), 0)
    same((folder / 'f.svg').read_text().count('stroke-width="1.4"'), 4)  # ranges of two series


@case
def heat_map(folder):
    """a heat map has a cell for each pair of values; the darkest is the largest"""
    write(folder, 'set: {l1.mshrs: [8, 16, 32], l1.latency: [5, 50]}', 'plot: heat')
    ends(campaign(folder, 'run', 'c.yaml', '--quiet'), 0)
    ends(campaign(folder, 'report', 'c.yaml', '--figure=f', '--svg=f.svg'), 0)
    svg = (folder / 'f.svg').read_text()
    cells = re.findall(r'<rect class="(h\d)"[^>]* x="([\d.]+)" y="([\d.]+)"[^>]*><title>(.*?)</title>', svg)
    same(len(cells), 6)
    same(len({(x, y) for _, x, y, _ in cells}), 6)
    values = sorted((float(text.rsplit(' ', 1)[1]), shade) for shade, _, _, text in cells)
    same((values[0][1], values[-1][1]), ('h0', 'h9'))
    same([shade for _, shade in values], sorted(shade for _, shade in values))
    for wrong in ('set: {l1.mshrs: [8, 16]}', 'set: {l1.mshrs: [8], l1.latency: [5], l1.ways: [4]}'):
        write(folder, wrong, 'plot: heat')
        within('a heat map needs the points of a sweep over two keys',
               ends(campaign(folder, 'run', 'c.yaml', '--dry-run'), 1).err.decode())


@case
def pareto(folder):
    """a Pareto table has exactly the rows that no other dominates"""
    sweep = 'set: {l1.mshrs: [2, 4, 8, 32], l1.latency: [1, 20, 60]}, values: {n: [64, 512]}'
    tables = []
    for figure in ('pareto: no', 'pareto: yes'):
        write(folder, sweep, figure)
        ends(campaign(folder, 'run', 'c.yaml', '--quiet'), 0)
        out = ends(campaign(folder, 'report', 'c.yaml', '--csv=-'), 0).out.decode()
        table = {}
        for row in csv.DictReader(io.StringIO(out)):
            table.setdefault(row['row'], {})[row['column']] = float(row['value'])
        tables.append(table)
    rows, kept = tables

    def dominates(a, b):
        return (a['gain'] >= b['gain'] and a['cycles'] <= b['cycles'] and
                (a['gain'] > b['gain'] or a['cycles'] < b['cycles']))
    expected = [name for name, row in rows.items()
                if not any(dominates(other, row) for other in rows.values())]
    same(list(kept), expected)
    assert 0 < len(expected) < len(rows)


WRONG = {
    'set: {l1.mshrs: {from: 1}}': "a range needs 'to'",
    'set: {l1.mshrs: {from: 5, to: 1, step: 1}}': 'a range ends at or above its start',
    'set: {l1.mshrs: {from: 1, to: 2}}': 'a range needs step, times or count, except with combine: latin',
    'set: {l1.mshrs: {from: 0, to: 9, times: 2}}': 'a range by factors starts above 0',
    'set: {l1.mshrs: {from: 1, to: 9, step: 0}}': 'the step of a range is above 0',
    'set: {l1.mshrs: {from: 1, to: 9, step: 1, count: 3}}': 'a range has only one of step, times and count',
    'set: {l1.mshrs: {from: 1, to: 1e300, step: 1e-9}}': 'a range has at most 20000 values',
    'set: {l1.mshrs: {from: 1e-300, to: 1e300, times: 1.0000001}}': 'a range has at most 20000 values',
    'set: {l1.mshrs: {from: 1, to: 9, count: 2.5}}': 'the count of a range is a whole number above 1',
    'set: {l1.mshrs: []}': "'l1.mshrs' has no values",
    'set: {l1.mshrs: [1, {a: b}]}': "a value of 'l1.mshrs' is one value or a list",
    'set: {l1.mshrs: {from: 1, to: 9, stp: 1}}': "a range has no key 'stp'; did you mean 'step'?",
    'set: {--option: [1]}': 'a key must be a single word of letters, digits, _ and dots',
    'set: {}': "the sweep 's' has no keys with values",
    'set: {l1.mshrs: [1, 2]}, values: {l1.mshrs: 3}': "the name 'l1.mshrs' is taken",
    'set: {l1.mshrs: [1, 1]}': "the name 's l1.mshrs=1' is taken",
    'set: {l1.mshrs: [1, 2]}, where: l1.mshr > 1': "unknown name 'l1.mshr'",
    'set: {core.scheduler: [gto, lrr]}, where: core.scheduler > 1': "the value 'gto' of 'core.scheduler' is not a number",
    'set: {l1.mshrs: [1, 2]}, where: l1.mshrs > 2': "no point of the sweep 's' fulfils this",
    'set: {l1.mshrs: [1, 2]}, x: llc.latency': "the sweep 's' has no key 'llc.latency'",
    'set: {l1.mshrs: [1, 2]}, combine: latin': 'combine: latin needs count, a whole number of points',
    'set: {l1.mshrs: [1, 2]}, count: 3': 'only combine: latin has a count of points',
    'set: {l1.mshrs: [1, 2]}, combine: zipp': "'zipp' is not allowed here; did you mean 'zip'?",
    'set: {l1.mshrs: [1, 2]}, combine: latin, count: 2, seed: -1': 'a seed is a whole number',
    'combine: zip, set: {l1.mshrs: [1, 2], llc.latency: [1, 2, 3]}': "'llc.latency' has 3 values, and another key 2",
    'set: {l1.mshrs: {from: 1, to: 200, step: 1}, llc.latency: {from: 1, to: 200, step: 1}}': "the sweep 's' has 40000 points; the limit is 20000",
    'set: {l1.mshrs: [1]}, repeats: {n: {from: 1, to: 9}}': 'a range needs step, times or count',
    'combine: latin, count: 2, set: {l1.mshrs: [1]}, repeats: {n: {from: 1, to: 9}}': 'a range needs step, times or count',
    'combine: latin, count: 2, set: {l1.mshrs: [1]}, repeats: {n: []}': "'n' has no values",
}


def is_wrong(folder, sweep, text):
    write(folder, sweep)
    err = ends(campaign(folder, 'run', 'c.yaml', '--dry-run'), 1).err.decode()
    within('error: ' + text, err)
    assert err.startswith('c.yaml:'), err


for sweep, text in WRONG.items():
    add_case('an error: ' + sweep, is_wrong, sweep, text)


@case
def wrong_setting(folder):
    """a key that no machine has, and a value that it cannot have, are found before anything is run"""
    for sweep, text in (('set: {l1.mshr: [1, 2]}', "'l1' has no key 'mshr'"), ('set: {l1.mshrs: [1, -2]}', 'l1.mshrs')):
        write(folder, sweep)
        within(text, ends(campaign(folder, 'run', 'c.yaml', '--dry-run'), 3).out.decode())


main()
