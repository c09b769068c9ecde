#!/usr/bin/env python3
"""Tables, pages and comparisons of ptxoffload-campaign.

usage: campaign_report.py BUILD-ROOT
"""
import csv
import html.parser
import io
import math
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, compared_case, ends, main, same, within
from campaign_lib import (CAMPAIGN, ROOT, campaign, results, statistic, write_campaign,
                          write_finished)


@case
def values_of_points(folder):
    """a point gives a workload other values; the other workloads keep theirs, and their jobs"""
    write_campaign(folder, CAMPAIGN.replace(
        '  - {name: q8,', '  - {name: twice, group: size, values: {VECADD: {n: 2048}}}\n  - {name: q8,').replace(
        'studies:', 'studies:\n  - {name: size, workloads: micro, variants: base, points: size}'))
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=size', '--study=main', '--variant=base'), 0, '')
    found = results(folder)
    for workload, ratio in (('VECADD', 2), ('COPY', 1)):
        one, two = (statistic(found[workload, 'base', point], 'machine.warp_instructions')
                    for point in (None, 'twice'))
        same(two, ratio * one)
    same(found['COPY', 'base', 'twice'], found['COPY', 'base', None])


@case
def notes_of_quick(folder):
    """with --quick the report takes notes of its own"""
    write_finished(folder)
    write_campaign(folder, CAMPAIGN.replace('studies:', 'notes: a.md\nquick_notes: b.md\nstudies:'))
    for name in 'ab':
        (folder / (name + '.md')).write_text('Notes ' + name + '\n', encoding='utf-8')
    for options, name in (([], 'a'), (['--quick'], 'b')):
        ends(campaign(folder, 'report', 'tiny.yaml', '--markdown=out.md', *options), 0)
        within('Notes ' + name, (folder / 'out.md').read_text(encoding='utf-8'))


@case
def notes_of_a_file(folder):
    """with --notes the text is that of a file, which must be readable and needs --markdown"""
    write_finished(folder)
    write_campaign(folder, CAMPAIGN.replace('studies:', 'notes: a.md\nstudies:'))
    (folder / 'a.md').write_text('Notes a\n', encoding='utf-8')
    (folder / 'b.md').write_text('Notes b\n', encoding='utf-8')
    ends(campaign(folder, 'report', 'tiny.yaml', '--markdown=out.md', '--notes=b.md'), 0)
    within('Notes b', (folder / 'out.md').read_text(encoding='utf-8'))
    within("'c.md'", campaign(folder, 'report', 'tiny.yaml', '--markdown=out.md', '--notes=c.md').err.decode())
    ends(campaign(folder, 'report', 'tiny.yaml', '--text=-', '--notes=b.md'), 2)


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
    same(found['VECADD', 'base', 'q64'], found['VECADD', 'base', None])


@case
def words(folder):
    """a column with words shows them instead of its values, and has neither a mean nor bars"""
    write_finished(folder)
    write_campaign(folder, CAMPAIGN.replace(
        "unit: percent, mean: none}", "unit: percent, mean: none}\n"
        "      - {name: known, value: 'base.machine.launches + 1', words: [zero, one, 'two | 2']}\n"
        "      - {name: unknown, value: base.machine.launches, words: [zero]}"))
    ends(campaign(folder, 'report', 'tiny.yaml', '--text=out.txt', '--markdown=out.md', '--html=out.html'), 0)
    table = (folder / 'out.txt').read_text(encoding='utf-8').split('Rates', 1)[1]
    for row, end in ('VECADD', 'two | 2 +[?]'), ('COPY', 'two | 2 +[?]'), ('mean', '– +–'):
        assert re.search('^%s .* %s *$' % (row, end.replace('|', '[|]')), table, re.M), table
    within(r'two \| 2', (folder / 'out.md').read_text(encoding='utf-8'))
    plots = re.findall(r'<svg.*?</svg>', (folder / 'out.html').read_text(encoding='utf-8'), re.S)
    assert not any('known' in plot for plot in plots)


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
    same(plots[0].count('class="outline"'), 2 + 1)  # the values, and the legend
    within('>paper<', plots[0])
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
    # What a reader looks for comes first.
    same(re.findall(r'^## (.*)', markdown, re.M)[-2:], ['Workloads', 'How this page was made'])
    assert markdown.index('| **mean micro** |') < markdown.index('Made by `')


@case
def nothing_measured(folder):
    """a figure without a result of ours has no plot: the paper's values alone would be taken for ours"""
    write_campaign(folder)
    ends(campaign(folder, 'run', 'tiny.yaml', '--study=main', '--variant=base'), 0, '')
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain', '--html=t.html'), 0)
    text = (folder / 't.html').read_text(encoding='utf-8')
    within('Gain &amp; more [000, Figure 11]', text)
    assert '<svg' not in text


@case
def plot_alone(folder):
    """--svg writes the plot of one figure, as the page has it"""
    write_finished(folder)
    ends(campaign(folder, 'report', 'tiny.yaml', '--html=t.html'), 0, '', '')
    plots = re.findall(r'<svg.*?</svg>', (folder / 't.html').read_text(encoding='utf-8'), re.S)
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain', '--svg=g.svg', '--csv=g.csv'), 0, '', '')
    same((folder / 'g.svg').read_text(encoding='utf-8').strip(), plots[0])
    assert (folder / 'g.csv').read_text().count('\n') > 4
    for figures in [], ['--figure=gain', '--figure=queue']:
        refused = ends(campaign(folder, 'report', 'tiny.yaml', '--svg=h.svg', *figures), 2)
        within('--svg writes the plot of one figure', refused.err.decode())
    none = CAMPAIGN.replace('  - name: gain\n', '  - name: gain\n    plot: none\n', 1)
    assert none != CAMPAIGN
    write_campaign(folder, none)
    refused = ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain', '--svg=h.svg'), 1)
    within("the figure 'gain' has no plot", refused.err.decode())
    assert not (folder / 'h.svg').exists()


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


ZEROS = """  - name: zeros
    title: Zeros
    workloads: [micro, large]
    mean: geometric
    columns:
      - {name: some, value: base.cycles - ref.base.cycles}
      - {name: none, value: base.cycles * 0}
      - {name: gain, value: base.cycles / fast.cycles * (base.cycles != ref.base.cycles), unit: gain}
      - {name: all, value: base.cycles}
    reference: VECADD
"""


@case
def zeros(folder):
    """a geometric mean says which values it leaves out, in every form of the report"""
    write_finished(folder)
    write_campaign(folder, CAMPAIGN + ZEROS)
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure=zeros', '--text=t', '--html=h', '--markdown=m'), 0)
    for name in 'thm':
        text = (folder / name).read_text(encoding='utf-8').replace('&#39;', "'").replace('\\', '')
        rule = 'a geometric mean omits ratios and values that are not positive: '
        within("mean micro of 'none': over 0 of 2 values only; %sVECADD (0), COPY (0)" % rule, text)
        within("mean micro of 'gain': over 1 of 2 values only; %sVECADD (-100)" % rule, text)
        within("mean micro of 'some': over 0 of 2 values only", text)
        assert "of 'all'" not in text
    text = ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'fast'), 0, '').out.decode()
    rows = [line.split() for line in text.split('\n')[3:-3]]
    marked = [row for row in rows if row[1].endswith('*')]
    assert marked and all(set(row[2:]) & {'0', '-'} for row in marked), marked
    assert all('*' in row[1] or row[1] == '-' or not set(row[2:]) & {'0', '-'} for row in rows), rows
    within('\n* without the workloads whose ratio is 0, negative or not defined\n', text)


@case
def formulas(folder):
    """no cell of a CSV file is a formula of a spreadsheet"""
    names = ['=1+1', '+cmd|x', '-2+3', '@SUM(A1)', '=HYPERLINK("a,b")', '-5', '+3.5e2', 'plain', 'a=b']
    lines = ''.join("      - {name: '%s', value: base.cycles}\n" % name for name in names)
    write_finished(folder)
    write_campaign(folder, CAMPAIGN + '  - name: =cells\n    title: T\n    workloads: micro\n    columns:\n' + lines)
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure==cells', '--csv=x.csv'), 0)
    with open(folder / 'x.csv', newline='', encoding='utf-8') as file:
        rows = list(csv.reader(file))[1:]
    same({row[0] for row in rows}, {"'=cells"})
    same([row[2] for row in rows[:len(names)]],
         ["'" + name for name in names[:5]] + ['-5', '+3.5e2', 'plain', 'a=b'])


@case
def not_run(folder):
    """what has no result is told as missing, and the mean is of the others"""
    write_campaign(folder)
    ends(campaign(folder, 'report', 'tiny.yaml'), 1,
         "ptxoffload-campaign: error: the store 'tiny.campaign' does not exist: no job has been run\n", '')
    ends(campaign(folder, 'run', 'tiny.yaml', '--workload=COPY'), 0, '')
    text = ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain'), 0, '').out.decode()
    within('– VECADD, base has not been run\n', text)
    within("– mean micro of 'fast': over 1 of 2 values only\n", text)
    assert 'Queue' not in text
    wrong = CAMPAIGN.replace('cycles: machine.cycles', 'cycles: machine.cicles')
    write_campaign(folder, wrong)
    text = ends(campaign(folder, 'report', 'tiny.yaml', '--figure=gain'), 0, '').out.decode()
    within("– COPY, base has no statistic 'machine.cicles'\n", text)
    ends(campaign(folder, 'report', 'tiny.yaml', '--figure=x'), 1,
         "ptxoffload-campaign: error: unknown figure 'x'\n", '')


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
         ('64', '8'))
    ends(campaign(folder, 'compare', 'tiny.yaml', 'base', 'slow'), 1,
         "ptxoffload-campaign: error: unknown variant 'slow'\n", '')


@compared_case
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


@compared_case
def evaluation(folder):
    """eval/isca19.yaml can be read, and has all workloads, figures and sizes"""
    def listed(*options):
        out = ends(campaign(folder, 'run', ROOT / 'eval' / 'isca19.yaml', '--dry-run', *options), 0)
        return [line[22:].split(':')[0].split(', ') for line in out.out.decode().splitlines()]
    jobs = listed('--study=main')
    same(len(jobs), (9 + 7) * 4)
    same({job[1] for job in jobs}, {'base', 'llc', 'omni', 'expected'})
    same(len(listed('--study=footprint')), (9 + 7) * 5 * 3)
    text = (ROOT / 'eval' / 'isca19.yaml').read_text(encoding='utf-8')
    figures = re.findall(r'^  - name: (.*)$', text.split('figures:', 1)[1], re.M)
    placed = ['head', 'sizes']
    for name in ('isca19.md', 'isca19-sweeps.md'):
        notes = (ROOT / 'eval' / name).read_text(encoding='utf-8')
        placed += [part for part in re.findall(r'^\{(.*)\}$', notes, re.M) if part not in placed[:2]]
    same(sorted(placed), sorted(figures + ['head', 'sizes']))
    ends(campaign(folder, 'run', ROOT / 'eval' / 'isca19.yaml', '--quick', '--workload=NORM', '--study=main'), 0, '')
    text = ends(campaign(folder, 'report', ROOT / 'eval' / 'isca19.yaml', '--quick'), 0, '').out.decode()
    assert 'has no statistic' not in text, text


@compared_case
def combined(folder):
    """eval/together.yaml and eval/energy.yaml can be read, and their notes have all figures"""
    for name, workload in ('together', 'LIB'), ('energy', 'FWT'):
        path = ROOT / 'eval' / (name + '.yaml')
        figures = re.findall(r'^  - name: (.*)$', path.read_text(encoding='utf-8').split('figures:', 1)[1], re.M)
        notes = path.with_suffix('.md').read_text(encoding='utf-8')
        same(sorted(set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}), sorted(figures))
        study = '--study=' + ('tom-omni' if name == 'together' else 'tom')
        ends(campaign(folder, 'run', path, study, '--workload=' + workload), 0, '')
        assert (folder / (name + '.campaign')).exists()


@compared_case
def injection(folder):
    """eval/ari.yaml and eval/ari-overlay.yaml can be read, and their notes have all figures"""
    for name, jobs in ('ari', 11 * 30), ('ari-overlay', 5 * 30):
        path = ROOT / 'eval' / (name + '.yaml')
        study = '--study=' + ('main' if name == 'ari' else 'overlay')
        same(len(ends(campaign(folder, 'run', path, '--dry-run', study), 0).out.decode().splitlines()), jobs)
        figures = re.findall(r'^  - name: (.*)$', path.read_text(encoding='utf-8').split('figures:', 1)[1], re.M)
        notes = path.with_suffix('.md').read_text(encoding='utf-8')
        used = set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}
        same(sorted(used), sorted(figures))
        ends(campaign(folder, 'run', path, '--quick', '--workload=BLACKSCHOLES'), 0, '')
        text = ends(campaign(folder, 'report', path, '--quick'), 0, '').out.decode()
        assert 'has no statistic' not in text, text


@compared_case
def streamed(folder):
    """the pairs of eval/ can be read, and their notes have all figures"""
    for name, study, jobs in ('fe-rgpu', 'maps', 7 * 3), ('fe-tom', 'blocks', 11 * 5), ('rgpu-tom', 'maps', 5 * 6):
        path = ROOT / 'eval' / (name + '.yaml')
        same(len(ends(campaign(folder, 'run', path, '--dry-run', '--study=' + study), 0).out.decode().splitlines()), jobs)
        figures = re.findall(r'^  - name: (.*)$', path.read_text(encoding='utf-8').split('figures:', 1)[1], re.M)
        notes = path.with_suffix('.md').read_text(encoding='utf-8')
        same(sorted(set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}), sorted(figures))
    path = ROOT / 'eval' / 'fe-rgpu.yaml'
    ends(campaign(folder, 'run', path, '--study=maps', '--workload=STREAM', '--variant=gpu', '--variant=bits'), 0, '')


@compared_case
def stacks(folder):
    """eval/tom.yaml can be read, its two notes have all figures, and a workload gives all values of its columns"""
    path = ROOT / 'eval' / 'tom.yaml'
    same(len(ends(campaign(folder, 'run', path, '--dry-run', '--study=main'), 0).out.decode().splitlines()), 12 * 10)
    figures = re.findall(r'^  - name: (.*)$', path.read_text(encoding='utf-8').split('figures:', 1)[1], re.M)
    notes = ''.join((ROOT / 'eval' / name).read_text(encoding='utf-8') for name in ('tom.md', 'tom-control.md'))
    used = set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}
    same(sorted(used), sorted(figures))
    ends(campaign(folder, 'run', path, '--quick', '--workload=SP'), 0, '')
    text = ends(campaign(folder, 'report', path, '--quick', '--workload=SP'), 0, '').out.decode()
    assert 'has no statistic' not in text, text
    row = re.search(r'^SP +(.*)$', text.split('Required directions', 1)[1], re.M).group(1)
    assert '–' not in row, row


@compared_case
def spatial(folder):
    """eval/rgpu.yaml can be read, its notes have all figures, its words are the rules, and CONV gives all values"""
    path = ROOT / 'eval' / 'rgpu.yaml'
    text = path.read_text(encoding='utf-8')
    jobs = ends(campaign(folder, 'run', path, '--dry-run', '--study=main'), 0).out.decode().splitlines()
    same(len(jobs), 9 * 5)
    figures = re.findall(r'^  - name: (.*)$', text.split('figures:', 1)[1], re.M)
    notes = path.with_suffix('.md').read_text(encoding='utf-8')
    same(sorted(set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}), sorted(figures))
    rules = re.findall(r'^MAP_RULE\(\w+, "([\w-]+)"', (ROOT / 'passes/base/rules.def').read_text(), re.M)
    for words in re.findall(r'words: \[none, (.*), "', text):
        same(words.split(', '), rules)
    ends(campaign(folder, 'run', path, '--quick', '--workload=CONV', '--study=main'), 0, '')
    text = ends(campaign(folder, 'report', path, '--quick', '--workload=CONV'), 0, '').out.decode()
    assert 'has no statistic' not in text, text
    for title in 'Maps [', 'Rates of', 'Cycles of the nodes', 'Activity', 'Speed-up', 'Compiled maps', 'Power', 'Words':
        row = re.search(r'^CONV +(.*)$', text.split(': ' + title, 1)[1], re.M).group(1)
        assert '–' not in row, row


@compared_case
def today(folder):
    """eval/todays-gpus.yaml can be read, its notes have all figures, and a program gives all values of its rows"""
    path = ROOT / 'eval' / 'todays-gpus.yaml'
    for study, jobs in ('main', 16 * 12), ('ari', 4 * 13), ('tom', 6 * 6), ('rgpu', 9 * 8), ('bits', 7 * 14):
        same(len(ends(campaign(folder, 'run', path, '--dry-run', '--study=' + study), 0).out.decode().splitlines()), jobs)
    figures = re.findall(r'^  - name: (.*)$', path.read_text(encoding='utf-8').split('figures:', 1)[1], re.M)
    notes = path.with_suffix('.md').read_text(encoding='utf-8')
    same(sorted(set(re.findall(r'^\{(.*)\}$', notes, re.M)) - {'head', 'sizes'}), sorted(figures))
    ends(campaign(folder, 'run', path, '--study=bits', '--workload=FIBLookup'), 0, '')
    text = ends(campaign(folder, 'report', path, '--workload=FIBLookup'), 0, '').out.decode()
    assert 'has no statistic' not in text, text
    for title in 'Runtime with full/empty bits', 'Runtimes':
        row = re.search(r'^FIBLookup +(.*)$', text.split(title, 1)[1], re.M).group(1)
        assert '–' not in row, row


main()
