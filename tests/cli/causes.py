#!/usr/bin/env python3
"""A cause that the notes of a campaign state has its measurement: a link or a table in the same paragraph.

usage: causes.py BUILD-ROOT

A paragraph or list item of eval/*.md with a word of CAUSE has one of SHOWN.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, main, same

ROOT = pathlib.Path(__file__).resolve().parents[2]
CAUSE = re.compile(r'\b(because|therefore|the (cause|reason)s?|caused by|due to|since|so that|hence|explains?|'
                   r'leads? to|owing to|as a result|consequently|thus)\b', re.I)
# A link, a table of the page, or the statement that nobody has measured it.
SHOWN = re.compile(r'\]\([^)]+\)|\btables?\b|\bcolumns?\b|not measured|unexplained', re.I)


def paragraphs(text):
    """Paragraphs and list items as one line each; no headings, tables and blocks of code"""
    text = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    for block in re.split(r'\n\s*\n', text):
        if not block.startswith(('|', '#', '    ')):
            yield from (' '.join(item.split()) for item in re.split(r'\n(?=- |\d+\. )', block))


def sentences(paragraph):
    return re.split(r'(?<=[.;]) (?=[A-Z\[`*])', paragraph)


def without_measurement(text):
    """The sentences that state a cause in paragraphs that show none"""
    return [sentence for paragraph in paragraphs(text) if not SHOWN.search(paragraph)
            for sentence in sentences(paragraph) if CAUSE.search(sentence)]


def found():
    return ['%s: %s' % (path.name, sentence) for path in sorted((ROOT / 'eval').glob('*.md'))
            for sentence in without_measurement(path.read_text(encoding='utf-8'))]


@case
def rule(folder):
    """a cause without a link, a table or 'not measured' in its paragraph is found"""
    same(without_measurement('It is slow, because warps\nwait. It ends.\n\n- Because A.\n- Due to B ([runs](#b)).\n'),
         ['It is slow, because warps wait.', '- Because A.'])
    same(without_measurement('# Because\n\n| because |\n\nThus it gains (next table).\n\nTherefore, not measured: more.\n'), [])


@case
def notes(folder):
    """each cause in the notes of a campaign has its measurement"""
    assert not found(), 'give each a link to the run that shows it, or take it out:\n' + '\n'.join(found())


main()
