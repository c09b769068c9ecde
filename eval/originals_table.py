"""docs/results/originals.md from the rows of eval/originals.py, the tables in eval/suites and the pages of our own workloads."""
import math
import pathlib
import re

import page_tables

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / 'docs' / 'results' / 'originals.md'
NAME = re.compile(r'[a-z]\w*(?:\.[\w*]+)*')
FIELD = re.compile(r'{([^{}:]+)(?::([^{}]*))?}')
LARGE = 5  # points or per cent of a ratio: a difference that needs a note
UNITS = {'gain': ', %', 'percent': ', %', 'ratio': '', 'number': ''}


class Missing(Exception):
    """A number that is not there"""


# Numbers

def evaluate(expression, get):
    """The value of an arithmetic expression; get returns those of its names"""
    try:
        return eval(NAME.sub(lambda match: repr(float(get(match[0]))), str(expression)), {'__builtins__': {}})
    except ZeroDivisionError as wrong:
        raise Missing from wrong


class Paper:
    """A paper's table in eval/suites with its rows: values of columns, original and ours"""

    def __init__(self, table, rows):
        self.table, self.pages = table, {}
        self.rows = {key[1:]: row for key, row in sorted(rows.items()) if key[0] == table['paper']}
        self.workloads = [one for one in table['workloads'] if not {'needs', 'whole_of'} & set(one)]

    def statistic(self, workload, variant, name):
        if name in self.table.get('define', {}):
            return evaluate(self.table['define'][name], lambda one: self.statistic(workload, variant, one))
        try:
            row = self.rows[workload['name'], variant]
            if name.startswith('loads.'):
                rule = name[len('loads.'):].replace('_', '-')
                return sum(row['loads'].values()) if rule == 'all' else row['loads'].get(rule, 0)
            return row.get('statistics', row)[name]
        except KeyError as wrong:
            raise Missing from wrong

    def original(self, workload, column):
        """The column's value, in the unit of its figure"""
        def get(name):
            variant, _, rest = name.partition('.')
            return self.statistic(workload, variant, rest)
        return evaluate(column['value'], get)

    def ours(self, workload, column):
        """The number that the page of our own workloads has, or None"""
        page, heading, number, title = column.get('ours', (None,) * 4)
        if not page:
            return None
        rows = self.page_rows(page, heading, number)
        at = rows[0].index(title)
        for row in rows[2:]:
            if row[0] == workload.get('ours', workload['name']):
                text = row[at].replace('%', '').replace('–', '').strip()
                return float(text) if text else None
        return None

    def page_rows(self, page, heading, number):
        if (page, heading, number) not in self.pages:
            lines = (ROOT / 'docs' / 'results' / page).read_text().splitlines()
            start = lines.index('## ' + heading)
            end = next((at for at in range(start + 1, len(lines)) if lines[at].startswith('## ')), len(lines))
            self.pages[page, heading, number] = page_tables.tables(lines[start:end])[number][1]
        return self.pages[page, heading, number]

    def scaled(self, workload, figure, column):
        """The original's value in the unit of the page, or None"""
        try:
            value = self.original(workload, column)
        except Missing:
            return None
        return {'gain': 100 * (value - 1), 'percent': 100 * value}.get(figure['unit'], value)

    def filled(self, workload, text):
        """A note with its numbers: {expression} or {expression:format}. Names are those of columns' values, and o.F.C and
        u.F.C, the original's and our value in column C of figure F. After r0., r1. … they are those of the workload's other
        regions, in the order of the table."""
        def get(name):
            one, (variant, _, rest) = workload, name.partition('.')
            if re.fullmatch(r'r\d', variant):
                one = [other for other in self.table['workloads'] if other.get('whole_of') == workload['name']][int(variant[1])]
                variant, _, rest = rest.partition('.')
            if variant not in ('o', 'u'):
                return self.statistic(one, variant, rest)
            figure = self.table['figures'][int(rest.split('.')[0])]
            column = figure['columns'][int(rest.split('.')[1])]
            found = self.scaled(one, figure, column) if variant == 'o' else self.ours(one, column)
            if isinstance(found, float | int):
                return found
            raise Missing(name)
        def shown(match):
            try:
                return format(evaluate(match[1], get), match[2] or ',.0f')
            except Missing:
                return '(not run)'
        return FIELD.sub(shown, text)

    def differing(self):
        """Names of the workloads whose original is far from ours in a column of the first figure"""
        figure = self.table['figures'][0]
        size = 100 if figure['unit'] == 'ratio' else 1
        found = [name for column in figure['columns'] for name, one, other in self.pairs(figure, column)
                 if other is not None and abs(one - other) * size > LARGE]
        return [one['name'] for one in self.workloads if one['name'] in found]

    def pairs(self, figure, column):
        """(workload's name, original, ours) in the units of the page"""
        found = [(one['name'], self.scaled(one, figure, column), self.ours(one, column)) for one in self.workloads]
        return [one for one in found if one[1] is not None]


def mean(values, figure):
    if not values:
        return None
    if figure['mean'] == 'arithmetic':
        return sum(values) / len(values)
    if figure['unit'] == 'gain':
        return 100 * (math.exp(sum(math.log(1 + one / 100) for one in values) / len(values)) - 1)
    return math.exp(sum(map(math.log, values)) / len(values))


def means(pairs, figure):
    """(originals, ours of the same workloads) or None for each"""
    return (mean([one for _, one, _ in pairs], figure),
            mean([one for _, _, one in pairs if one is not None], figure))


def text_of(value, figure):
    if not isinstance(value, float | int):
        return ''
    form, usual = {'gain': ('%+.*f', 1), 'percent': ('%.*f', 1), 'ratio': ('%.*f', 3), 'number': ('%.*f', 0)}[figure['unit']]
    return form % (figure.get('decimals', usual), value)


# The page

HEAD = '''# The papers' own programs

%(summary)s

The other pages evaluate the papers with workloads of our own, small kernels whose sizes can be chosen. Here the programs are the
suites' own, built by nvcc %(nvcc)s for sm_75 and run by `ptxoffload-run --registers=ptxas` on the same machines, with the same
policies. "ours" is the number of the page of our own workloads, and its mean is over the same workloads. "paper" is the text of
the paper. Cycles are those of the launches that the column "region" names, without copies.

Rules, fixed before the runs that they concern, with four exceptions. Version 2 of SRAD had run first: it has no chains and gained 0.0 %%. For
[001] copies of constants (BFS) and calls that free memory were taken out of the measured time after first results, in all patterns.
The limit for [002] to [004] was lowered for want of CPU time after [000] and [001] had run. The size of STREAM in [000] was reduced
several times before its timed runs:

- The input is that of the paper if it names one, else the suite's default. Files that a suite does not contain are random numbers
  of the default's size.
- A region has at most 7 million warp instructions for [000], and some 2 million for the others. The first turn of a loop over
  launches is counted; if that is larger, sizes are halved until it is not, and the table says so. LIB and HW of [002] keep the 7
  million: LIB's default has 128 warps for 68 cores, and the points of HW are already 8 of 25 pixels wide.
- A program's edits replace what newer toolkits do not have. `eval/suites/*.yaml` lists all of them.
- The program's own check is that of the whole run, in which launches outside the region take no time. "none": it has no check;
  "same output": it has none, and writes the same file under all variants.
  MVT's depends on the order of eight threads that add to each element, in the program itself ([evidence](#the-race-of-mvt)).

[000] and others end a run after a billion instructions of threads, 31 million of warps. How much another region or size changes
is measured for %(regions)d workloads ([below](#the-error-of-the-regions)).
'''


def write_workloads(say, paper, programs, suites):
    say('| workload | program | input | region | warp instructions | check |\n|---|---|---|---|---:|---|')
    first = paper.table['variants'][0]['name']
    for one in paper.table['workloads']:
        if 'whole_of' in one:
            continue
        if 'needs' in one:
            say('| %s | | not there: %s | | | |' % (one['name'], one['needs']))
            continue
        program = programs[one['program']]
        row = paper.rows.get((one['name'], first), {})
        runs = [found for key, found in paper.rows.items() if key[0] == one['name'] and key[1] != 'functional']
        checks = {found['check'] or found['ran'] for found in runs}
        outputs = {found.get('output') for found in runs}
        if outputs - {None}:
            checks = {'same output' if len(outputs) == 1 else 'other output'}
        instructions = row.get('statistics', {}).get('machine.warp_instructions')
        say('| %s | %s, `%s` | %s | %s | %s | %s |' % (
            one['name'], suites[program['suite']]['title'], program['folder'].split('/')[-1], one['input'], one['region'],
            '{:,}'.format(instructions) if instructions else 'not run', ', '.join(sorted(checks))))


def write_figure(say, paper, figure):
    columns = [(column, paper.pairs(figure, column)) for column in figure['columns']]
    if not any(pairs for _, pairs in columns):
        return
    say('\n### %s\n' % figure['title'])
    if 'text' in figure:
        say(figure['text'].strip() + '\n')
    head = ''.join(' | %s%s | ours | paper' % (column['name'], UNITS[figure['unit']]) for column, _ in columns)
    say('| workload%s |\n|---%s' % (head, '|---:' * (3 * len(columns)) + '|'))
    for workload in paper.workloads:
        cells = []
        for column, pairs in columns:
            found = next((one for one in pairs if one[0] == workload['name']), (None, None, None))
            cells += [text_of(found[1], figure), text_of(found[2], figure),
                      text_of(column.get('paper', {}).get(workload['name']), figure)]
        say('| %s | %s |' % (workload['name'], ' | '.join(cells)))
    cells = []
    for column, pairs in columns:
        cells += [text_of(one, figure) for one in (*means(pairs, figure), column.get('paper', {}).get('mean'))]
    say('| **mean** | %s |' % ' | '.join(cells))


def summary(paper):
    """The paper's sentence with its means: o of the originals, u of ours, by figure and column, and n workloads"""
    table = paper.table
    pairs = [[(paper.pairs(figure, column), figure) for column in figure['columns']] for figure in table['figures']]
    if not any(found for found, _ in pairs[0]):
        return '[%s]: none of its programs has been run yet.' % table['paper']
    found = [[[text_of(one, figure).lstrip('+') for one in means(column, figure)] for column, figure in columns] for columns in pairs]
    return '[%s]: %s' % (table['paper'], table['summary'].format(
        o=[[one[0] for one in columns] for columns in found], u=[[one[1] for one in columns] for columns in found],
        n=max(len(column) for column, _ in pairs[0])))


def write_means(say, papers):
    say('## Means\n\nGeometric means of gains, arithmetic means of shares and runtimes, over the originals that ran.\n')
    say('| paper | figure | column | originals | ours | paper | workloads |\n|---|---|---|---:|---:|---:|---:|')
    for paper in papers:
        for figure in paper.table.get('figures', ()):
            for column in figure['columns']:
                pairs = paper.pairs(figure, column)
                theirs = column.get('paper', {}).get('mean')
                if not isinstance(theirs, float | int) or not pairs:
                    continue
                say('| [%s] | %s | %s%s | %s | %s | %s | %d |' % (
                    paper.table['paper'], figure['title'], column['name'], UNITS[figure['unit']],
                    *(text_of(one, figure) for one in (*means(pairs, figure), theirs)), len(pairs)))


def write_regions(say, papers, notes):
    """The first figure, and those with `regions`, of workloads whose region and another one have run"""
    say('\n## The error of the regions\n\n%s\n' % notes['regions'].strip())
    lines = []
    for paper in papers:
        names = {one['name']: one for one in paper.table['workloads']}
        for whole in (one for one in paper.table['workloads'] if 'whole_of' in one):
            part, figures = names[whole['whole_of']], paper.table['figures']
            for figure, column in ((one, column) for one in figures if one is figures[0] or 'regions' in one
                                   for column in one['columns']):
                values = [text_of(paper.scaled(one, figure, column), figure) for one in (part, whole)]
                if all(values):
                    lines.append('| [%s] %s | %s | %s%s | %s | %s | %s |' % (
                        paper.table['paper'], part['name'], part['region'], column['name'], UNITS[figure['unit']], values[0],
                        whole['region'], values[1]))
    if lines:
        say('| workload | region | column | value | other region | value |\n|---|---|---|---:|---|---:|\n' + '\n'.join(lines))
    else:
        say('None of them has been run yet.')


def write_loads(say, paper):
    """Loads by what the tagger says of them, weighted by executions"""
    rows = [(one['name'], paper.rows.get((one['name'], 'functional'), {})) for one in paper.workloads]
    rows = [(name, row) for name, row in rows if 'loads' in row]
    totals = {}
    for _, row in rows:
        for rule, count in row['loads'].items():
            totals[rule] = totals.get(rule, 0) + count / max(1, sum(row['loads'].values())) / len(rows)
    rules = sorted(totals, key=lambda rule: -totals[rule])
    say('| workload | instructions in chains, %% | accesses in chains, %% | %s |' % ' | '.join(
        one + ', %' for one in rules))
    say('|---%s|' % ('|---:' * (2 + len(rules))))
    for name, row in rows:
        loads = max(1, sum(row['loads'].values()))
        say('| %s | %.1f | %.1f | %s |' % (
            name, 100 * row['tagged'] / row['instructions'], 100 * row['tagged_accesses'] / max(1, row['accesses']),
            ' | '.join('%.1f' % (100 * row['loads'].get(rule, 0) / loads) for rule in rules)))
    say('| **mean** | %.1f | %.1f | %s |' % (
        100 * sum(row['tagged'] / row['instructions'] for _, row in rows) / len(rows),
        100 * sum(row['tagged_accesses'] / max(1, row['accesses']) for _, row in rows) / len(rows),
        ' | '.join('%.1f' % (100 * totals[rule]) for rule in rules)))


def write_paper(say, paper, programs, suites):
    table = paper.table
    say('\n## [%s] %s\n' % (table['paper'], table['title']))
    write_workloads(say, paper, programs, suites)
    for figure in table.get('figures', ()):
        write_figure(say, paper, figure)
    if table.get('loads'):
        say('\n### Loads, weighted by executions\n\n%s\n' % table['loads'].strip())
        write_loads(say, paper)
    if table.get('notes'):
        say('\n### Where the two differ by more than %d points\n' % LARGE)
        for one in (one for one in paper.workloads if one['name'] in table['notes']):
            say('- **%s**: %s' % (one['name'], ' '.join(paper.filled(one, table['notes'][one['name']]).split())))


def write(page, tables, suites, programs, rows, notes):
    """Writes the page; notes has `regions`, the text about their error"""
    papers = [Paper(table, rows) for table in tables]
    nvcc = sorted({row['nvcc'] for row in rows.values()})
    with page.open('w', encoding='utf-8') as file:
        def say(text=''):
            print(text, file=file)
        first, *others = map(summary, papers)
        say(HEAD % {'regions': len({(paper.table['paper'], one['whole_of']) for paper in papers for one in paper.table['workloads']
                                    if 'whole_of' in one and any(key[0] == one['name'] for key in paper.rows)}), 'summary': '\n- '.join(['**%s**\n' % first, *others]), 'nvcc': ' and '.join(nvcc)})
        write_means(say, papers)
        for paper in papers:
            write_paper(say, paper, programs, suites)
        write_regions(say, papers, notes)
        say('\n## The race of MVT\n\n%s' % notes['race'].strip())
        say('\n## How this page was made\n')
        say('On %s, by `eval/originals.py --table` from `eval/originals.jsonl`, whose %d rows `eval/originals.py build\n'
            '--suites=FOLDER` adds in these minutes of CPU time: %s. `eval/originals.py --sources`\n'
            'prints how to get the suites:\n' % (
                max(row['date'] for row in rows.values()), len(rows),
                ', '.join('[%s] %.1f' % (paper.table['paper'], sum(row['seconds'] for row in paper.rows.values()) / 60)
                          for paper in papers)))
        say('| suite | repository | commit | licence | publication of recorded runs |\n|---|---|---|---|---|')
        for suite in suites.values():
            say('| %s | %s | `%s` | %s | %s |' % (suite['title'], suite['repository'], suite['commit'][:12], suite['licence'],
                                                suite['publication']))
        say('\n' + notes['recorded'].strip())
