#!/usr/bin/env python3
"""The results beside all papers in one table, docs/results/README.md, and the picture of README.md.

usage: overview.py [--check]

The rows are the figures of the campaigns in eval/papers.yaml that have a source in a paper. The numbers are those of
the result pages, so that the table says what the pages say. eval/papers.yaml has the causes of differences, each with
a link to the measurement, and what is missing. The picture, docs/gain-light.svg and docs/gain-dark.svg, has the gains
of docs/results/isca19.md. With --check the files are compared and not written.
"""
import os
import pathlib
import re
import sys

import page_tables
import yaml

ROOT = pathlib.Path(__file__).resolve().parents[1]
EVAL, RESULTS = ROOT / 'eval', ROOT / 'docs' / 'results'
BEGIN, END = '<!-- papers -->', '<!-- end of papers -->'
OF_PAPER = ('paper', 'difference', 'expected')
VERDICTS = ('reproduced', 'direction only', 'not reproduced')
RULE = '''A value is *reproduced* if it is within a tenth of the paper's, or within 2 points of a gain, or 5 points of a share.
It has the *direction only* if it is a gain of 1 point or more with the paper's sign, or a ratio on the paper's side of 1. All others
are *not reproduced*. A row with several values has the verdict of the worst one. *Expectations* are the campaign's requirements for a
table, such as directions in the paper's text. A cause is a measurement or a difference of the input, which the link shows. A cause that
no run shows is marked *not measured*; a difference without a known cause is *unexplained*.
'''


# Figures of a page

def slug(head):
    return re.sub(r'[^\w\- ]', '', head.lower()).replace(' ', '-')


def figures_of(page):
    """name of a figure → (link to its section, rows of its table, its expectations) by the page's notes"""
    notes = (EVAL / page).read_text(encoding='utf-8').splitlines()
    lines = (RESULTS / page).read_text(encoding='utf-8').splitlines()
    found = {}
    for name, number, rows in page_tables.named(notes, lines):
        heads = [line.lstrip('# ') for line in lines[:number] if line.startswith('## ')]
        after = lines[number + len(rows):number + len(rows) + 2]
        hold = re.match(r'- (\d+) of (\d+) expectations hold', after[1]) if len(after) > 1 else None
        link = '%s#%s' % (page, slug(heads[-1])) if heads else page
        found[name] = link, rows, hold and (int(hold[1]), int(hold[2]))
    return found


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


# Verdicts

def judge(ours, paper, unit, is_ratio):
    """0 to 2: the place in VERDICTS, by RULE."""
    near = {'gain': 2, 'percent': 5}.get(unit, 0)
    if abs(ours - paper) <= max(near, abs(paper) / 10) + 1e-9:
        return 0
    if unit == 'gain':
        return 1 if ours * paper > 0 and abs(ours) >= 1 else 2
    if is_ratio:
        return 1 if (ours - 1) * (paper - 1) > 0 and abs(ours - 1) >= .01 else 2
    return 2


class Row:
    """A line of the table: the values of a column, or of all columns of a figure that are no gains"""

    def __init__(self, what):
        self.what, self.values, self.judged = what, [], []

    def add(self, column, rows, at, unit, is_ratio):
        sign = ' %' if unit in ('gain', 'percent') else ''
        found = [(row[0], row[at], row[at + 1]) for row in rows[2:] if row[at + 1]]
        means = [one for one in found if one[0].startswith('mean')]
        for name, ours, paper in means if means and len(found) > 8 else found:
            words = [column] if column else []
            words += [re.sub('^mean ', '', name)] if name != 'mean' or len(found) > 1 else []
            self.values.append((' '.join(words), ours + sign, paper + sign))
            if number(ours) is not None:
                self.judged.append(judge(number(ours), number(paper), unit, is_ratio))

    def text(self, which):
        return '; '.join(' '.join(one for one in (value[0], value[which]) if one) for value in self.values)

    def verdict(self):
        if not self.judged:
            return 'missing'
        worst = max(self.judged)
        text = VERDICTS[worst]
        if len(self.judged) > 1 and worst:
            text += ': %d of %d reproduced' % (self.judged.count(0), len(self.judged))
            text += ', %d in direction' % self.judged.count(1) if worst == 2 and self.judged.count(1) else ''
        return text


def rows_of(figure, known, own):
    """(what, paper, ours, verdict) for each line of a figure"""
    _, rows, hold = known
    columns = [(column['name'].strip(), column.get('unit', figure.get('unit', 'number'))) for column in figure['columns']]
    places = [at for at, head in enumerate(rows[0]) if at and head not in OF_PAPER]
    heads = [re.sub(r', %$', '', rows[0][at]).strip() for at in places]
    assert [re.sub(r', %$', '', name) for name, _ in columns] == heads, (figure['name'], columns, heads)
    with_paper = [(name, unit, at) for (name, unit), at in zip(columns, places)
                  if rows[0][at + 1:at + 2] == ['paper'] and name not in own.get('skip', ())]
    joint, lines = Row(''), []
    for name, unit, at in with_paper:
        is_alone = unit == 'gain' or name in own.get('ratios', ()) or name in own.get('causes', {})
        row = Row(name) if is_alone or len(with_paper) == 1 else joint
        row.add(name if row is joint else '', rows, at, unit, name in own.get('ratios', ()))
        if row not in lines:
            lines.append(row)
    for row in lines:
        yield row.what, row.text(2), row.text(1), row.verdict()
    if hold:
        yield 'expectations', str(hold[1]), '%d hold' % hold[0], \
            VERDICTS[0] if hold[0] == hold[1] else '%s: %d of %d fail' % (VERDICTS[2], hold[1] - hold[0], hold[1])


# The table

def figures_with_source(paper):
    """(figure, its table, link with the name of the item) of the campaigns of a paper"""
    for campaign, pages in paper['campaigns'].items():
        found = {}
        for page in pages:
            found.update(figures_of(page))
        plan = yaml.safe_load((EVAL / (campaign + '.yaml')).read_text(encoding='utf-8'))
        for figure in plan['figures']:
            source = figure.get('source', '')
            if source.startswith('[' + paper['id']) and figure['name'] in found:
                item = re.sub(r'^\[%s,? ?(.*)\]$' % paper['id'], r'\1', source)
                yield figure, found[figure['name']], '[%s](%s)' % (item, found[figure['name']][0])


def checked(cause):
    """A cause that links to its measurement, or states that it has no measurement"""
    if not re.search(r'\]\(|not measured|unexplained', cause):
        sys.exit("overview.py: a cause of eval/papers.yaml has no link to its measurement; add it, 'not measured' or "
                 "'unexplained': %s" % cause)
    return cause


def lines_of(paper):
    """Rows of the table: item, paper, ours, verdict, cause; and the figures without a number"""
    lines, silent = [], []
    for figure, known, link in figures_with_source(paper):
        own = paper.get('figures', {}).get(figure['name'], {})
        made = list(rows_of(figure, known, own))
        if not made and 'skip' not in own:
            silent.append(link)
        for what, theirs, ours, verdict in made:
            causes = own.get('causes', {})
            cause = '' if verdict == VERDICTS[0] else checked(causes.get(what) or causes.get('all') or 'unexplained')
            lines.append(('%s: %s%s' % (link, figure['title'], ', ' + what if what else ''), theirs, ours, verdict, cause))
    lines += [(one['item'], one['paper'], one['ours'], one['verdict'],
               '' if one['verdict'] == VERDICTS[0] else checked(one.get('cause', 'unexplained'))) for one in paper.get('others', ())]
    lines += [(one['item'], '', '', 'missing', one['why']) for one in paper.get('missing', ())]
    return lines, silent


def conclusion(paper):
    """The first sentences of the first page, which are bold"""
    page = next(page for pages in paper['campaigns'].values() for page in pages)
    text = (RESULTS / page).read_text(encoding='utf-8')
    return '- [%s] [%s](%s): %s' % (paper['id'], paper['title'], page,
                                  re.search(r'^\*\*(.*?)\*\*', text, re.M | re.S)[1].replace('\n', ' '))


def counted(lines):
    counts = [sum(line[3].startswith(one) for line in lines) for one in (*VERDICTS, 'missing')]
    return ', '.join('%d %s' % one for one in zip(counts, (*VERDICTS, 'missing')))


def overview():
    papers = yaml.safe_load((EVAL / 'papers.yaml').read_text(encoding='utf-8'))['papers']
    every, text = [], ''
    for paper in papers:
        lines, silent = lines_of(paper)
        every += lines
        text += '\n### [%s] %s\n\n%s.\n\n' % (paper['id'], paper['title'], counted(lines))
        text += '| item | paper | ours | verdict | cause, or why it is missing |\n|---|---|---|---|---|\n'
        text += ''.join('| %s |\n' % ' | '.join(one.replace('|', '\\|') for one in line) for line in lines)
        if silent:
            text += '\nMeasured, but without a number in the text of the paper: %s.\n' % ', '.join(silent)
    heads = '\n'.join(conclusion(paper) for paper in papers)
    return '%s\n\n%s\n## All items\n\n%s\nOf %d items: %s.\n%s' % (
        heads, originals(), RULE, len(every), counted(every), text)


def originals():
    """The means over the papers' own programs, of docs/results/originals.md"""
    section = (RESULTS / 'originals.md').read_text(encoding='utf-8').split('\n## Means\n')[1].split('\n## ')[0]
    return '## Means over the papers\' own programs\n\nThe column originals is that of [the suites\' programs](originals.md), ' \
        'ours that of our own kernels for the same workloads.\n' + section


# The picture of README.md: the gains of [000, Figure 11]. Sizes are in pixels.

SERIES = ('LLC-Compute', 'Omni-Compute')
THEMES = {'light': {'page': '#fff', 'ink': '#1c1e21', 'faint': '#5b616a', 'grid': '#dfe2e6', 'bars': ('#1d5fbf', '#d2691e')},
          'dark': {'page': '#15171b', 'ink': '#e8eaed', 'faint': '#a2a9b3', 'grid': '#363a41', 'bars': ('#79b4ff', '#f3a871')}}
LEFT, TOP, RIGHT, BOTTOM = 48, 62, 868, 262
LOWEST, HIGHEST, STEP = -20, 80, 20
BAR = 14


def y_of(gain):
    return BOTTOM - (gain - LOWEST) * (BOTTOM - TOP) / (HIGHEST - LOWEST)


def bar(x, gain, colour):
    low, high = sorted((y_of(0), y_of(gain)))
    return '<rect x="%.1f" y="%.1f" width="%d" height="%.1f" fill="%s"/>' % (x, low, BAR - 2, max(high - low, 1), colour)


def gains():
    """(program, gain of each series, the paper's gain of each or None) of the rows of Figure 11"""
    _, rows, _ = figures_of('isca19.md')['figure-11-performance']
    places = [rows[0].index(name + ', %') for name in SERIES]
    return [(row[0].replace('mean workload', 'mean').replace('mean micro', 'mean'),
             [float(row[at]) for at in places], [number(row[at + 1]) for at in places]) for row in rows[2:]]


def key(theme):
    for at, (name, colour) in enumerate(zip(SERIES, theme['bars'])):
        yield '<rect x="%d" y="40" width="12" height="10" fill="%s"/>' % (LEFT + at * 130, colour)
        yield '<text x="%d" y="49">%s</text>' % (LEFT + 17 + at * 130, name)
    yield '<path d="M%d 45h16" stroke="%s" stroke-width="2.5"/>' % (LEFT + 262, theme['ink'])
    yield '<text x="%d" y="49">mean that the paper reports</text>' % (LEFT + 284)


def picture(theme):
    rows = gains()
    step = (RIGHT - LEFT) / (len(rows) + .5)
    lines = ['<svg xmlns="http://www.w3.org/2000/svg" width="880" height="344" viewBox="0 0 880 344" role="img" '
             'font-family="system-ui,sans-serif" font-size="12" fill="%s">' % theme['ink'],
             '<title>Gain in cycles of LLC-Compute and Omni-Compute by program</title>',
             '<rect width="880" height="344" rx="6" fill="%s"/>' % theme['page'],
             '<text x="%d" y="24" font-size="15" font-weight="600">Gain in cycles over the same GPU without hardware '
             'near the data, %%</text>' % LEFT, *key(theme)]
    for value in range(LOWEST, HIGHEST + 1, STEP):
        lines.append('<path d="M%d %.1fH%d" stroke="%s"/>' % (LEFT, y_of(value), RIGHT, theme['grid' if value else 'faint']))
        lines.append('<text x="%d" y="%.1f" text-anchor="end" fill="%s">%s</text>'
                     % (LEFT - 8, y_of(value) + 4, theme['faint'], '%+d' % value if value else '0'))
    x = LEFT + step / 2
    for name, ours, paper in rows:
        for at, (gain, theirs) in enumerate(zip(ours, paper)):
            left = x + (at - 1) * BAR + 1
            lines.append(bar(left, gain, theme['bars'][at]))
            if theirs is not None:
                lines.append('<path d="M%.1f %.1fh16" stroke="%s" stroke-width="2.5"/>' % (left - 2, y_of(theirs), theme['ink']))
        weight = ' font-weight="600"' if name == 'mean' else ''
        lines.append('<text transform="translate(%.1f %d) rotate(-38)" text-anchor="end" font-size="11"%s>%s</text>'
                     % (x + 4, BOTTOM + 16, weight, name))
        x += step * (1.5 if name == 'mean' else 1)
    return '\n'.join(lines + ['</svg>', ''])


def main(words):
    if words not in ([], ['--check']):
        sys.exit(__doc__)
    path = RESULTS / 'README.md'
    head, rest = path.read_text(encoding='utf-8').split(BEGIN)
    files = {path: '%s%s\n%s%s%s' % (head, BEGIN, overview(), END, rest.split(END)[1])}
    files.update({ROOT / 'docs' / ('gain-%s.svg' % name): picture(theme) for name, theme in THEMES.items()})
    for path, text in files.items():
        if not words:
            path.write_text(text, encoding='utf-8')
        elif not path.is_file() or path.read_text(encoding='utf-8') != text:
            sys.exit('overview.py: %s is not what eval/overview.py writes' % os.path.relpath(path, ROOT))


if __name__ == '__main__':
    main(sys.argv[1:])
