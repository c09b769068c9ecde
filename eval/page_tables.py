"""The tables of a result page, by the names that the notes of its campaign give them.

eval/originals_columns.py adds the column ORIGINAL to a page. All others read a page without it, as its campaign made it.
"""
import re

ORIGINAL = 'original'
PARTS = ('{head}', '{sizes}')
INPUTS = re.compile(r'^<!-- inputs of (\S+): programs (\w+), values (\w+) -->$', re.M)


def cells(line):
    return [cell.strip().strip('*').replace('\\', '') for cell in re.split(r'(?<!\\)\|', line)[1:-1]]


def without_originals(rows):
    kept = [at for at, head in enumerate(rows[0]) if head != ORIGINAL]
    return [[row[at] for at in kept if at < len(row)] for row in rows]


def tables(lines):
    """(first line, rows) of each table, without the column ORIGINAL"""
    found, inside = [], False
    for number, line in enumerate(lines):
        if line.startswith('|') and not inside:
            found.append((number, []))
        inside = line.startswith('|')
        if inside:
            found[-1][1].append(cells(line))
    return [(number, without_originals(rows)) for number, rows in found]


def names_in(notes):
    """For each table of a page the figure's name, or None for a table that is written in the notes"""
    return [line[1:-1] if line.startswith('{') else None for number, line in enumerate(notes)
            if (line.startswith('|') and not notes[number - 1].startswith('|')) or
            (re.fullmatch(r'\{[\w-]+\}', line) and line not in PARTS)]


def named(notes, lines):
    """(name, first line, rows) of each table; ValueError if the page has not the tables of its notes"""
    return [(name, number, rows) for name, (number, rows) in zip(names_in(notes), tables(lines), strict=True)]


def inputs(text):
    """name of a table → (digest of the programs, digest of the values) that the page has"""
    return {name: (programs, values) for name, programs, values in INPUTS.findall(text)}
