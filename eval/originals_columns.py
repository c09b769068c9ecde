"""The column "original" of result pages: the papers' own programs beside our workloads, from the rows of eval/originals.py.

The first figure of a paper in eval/suites names the columns of its page. "original" follows each of them, with a sentence
before the table; what the page had is replaced. No campaign runs. eval/results.py adds the column to the pages that it makes.
"""
import re

import page_tables
from originals_table import ROOT, means, text_of

RESULTS = ROOT / 'docs' / 'results'
SENTENCE = 'The column "%s" has [the suites\' own programs](originals.md)' % page_tables.ORIGINAL


def columns_of(papers):
    """page → place of a table (heading, number) → [(paper, figure, column)] with an original"""
    found = {}
    for paper in papers:
        figure = paper.table['figures'][0]
        for column in figure['columns']:
            if 'ours' in column and paper.pairs(figure, column):
                page, heading, number, _ = column['ours']
                found.setdefault(page, {}).setdefault((heading, number), []).append((paper, figure, column))
    return found


# Lines of a table

def split(line):
    return re.split(r'(?<!\\)\|', line)[1:-1]


def joined(parts):
    return '|%s|' % '|'.join(parts)


def without_columns(line, places):
    return joined([part for at, part in enumerate(split(line)) if at not in places])


def without_originals(lines):
    """The page as its campaign made it"""
    kept, places, inside = [], [], False
    for before, line in zip([''] + lines, lines):
        if line.startswith('|') and not inside:
            places = [at for at, head in enumerate(page_tables.cells(line)) if head == page_tables.ORIGINAL]
        inside = line.startswith('|')
        if not line.startswith(SENTENCE) and not before.startswith(SENTENCE):
            kept.append(without_columns(line, places) if inside and places else line)
    return kept


def decimals(rows, at):
    """Of the column's numbers"""
    return max([len(row[at].partition('.')[2]) for row in rows[2:]] + [0])


def add_column(lines, start, rows, paper, figure, column):
    """Adds the originals of a column of the table that starts at the line. Returns their number."""
    pairs, at = paper.pairs(figure, column), rows[0].index(column['ours'][3])
    names = {one.get('ours', one['name']): one['name'] for one in paper.workloads}
    values = {name: value for name, value, _ in pairs}
    figure = {**figure, 'decimals': decimals(rows, at)}
    cells = [page_tables.ORIGINAL, '---:']
    mean = text_of(means(pairs, figure)[0], figure)
    for row in rows[2:]:
        is_mean = row[0].startswith('mean')
        cells.append(mean if is_mean else text_of(values.get(names.get(row[0])), figure))
        mean = '' if is_mean else mean
    place = page_tables.cells(lines[start]).index(column['ours'][3]) + 1
    for line, cell in enumerate(cells, start):
        parts = split(lines[line])
        lines[line] = joined([*parts[:place], cell if cell == '---:' else ' %s ' % cell, *parts[place:]])
    return len(pairs)


def with_originals(text, tables):
    """The page's text with the columns"""
    lines = without_originals(text.splitlines())
    for (heading, number), columns in tables.items():
        first = lines.index('## ' + heading)
        at, rows = page_tables.tables(lines[first:])[number]
        counts = [add_column(lines, first + at, rows, *one) for one in columns]
        lines[first + at:first + at] = ['%s; its mean is over %s of the workloads.' % (
            SENTENCE, ' and '.join(map(str, dict.fromkeys(counts)))), '']
    return '\n'.join(lines) + '\n'


def write(papers, names=(), folder=RESULTS):
    """Writes the columns of the pages with these names, or of all"""
    for page, tables in columns_of(papers).items():
        if not names or page in names:
            path = folder / page
            path.write_text(with_originals(path.read_text(encoding='utf-8'), tables), encoding='utf-8')
