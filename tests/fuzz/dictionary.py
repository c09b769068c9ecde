#!/usr/bin/env python3
"""The fuzzers' dictionary has what the tables have, in a form that fuzzers read.

usage: dictionary.py DICTIONARY

The rows are read here from the tables' text, not through the program that writes the dictionary.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, main, same

DICTIONARY = pathlib.Path(sys.argv[1])
TABLES = pathlib.Path(__file__).resolve().parents[2] / 'frontend'
ENTRY = re.compile(rb'"((?:[^"\\]|\\\\|\\"|\\x[0-9a-f]{2})+)"')


def entries():
    return {match.group(1) for match in ENTRY.finditer(DICTIONARY.read_bytes())}


def rows(table, pattern):
    found = re.findall(pattern, (TABLES / table).read_text(), re.MULTILINE)
    assert len(found) > 20, '%s has only %d rows' % (table, len(found))
    return found


def has_all(folder, table, pattern, spelling):
    words = entries()
    missing = [row for row in rows(table, pattern) if (spelling % row).encode() not in words]
    same(missing, [])


add_case('each opcode', has_all, 'isa.def', r'^ISA_OP\((\w+),', '%s')
add_case('each word', has_all, 'words.def', r'^WORD\(\w+, "([^"]{,63})",', '%s')
add_case('each special register', has_all, 'special.def', r'^SPECIAL\((\w+),', '%%%s')


@case
def forms(folder):
    """spellings of the forms"""
    words = entries()
    for word in (b'add.s32 ', b'fma.rn.f32 ', b'ld.b8 ', b'bar.sync '):
        assert word in words, word
    assert sum(b'.' in word[1:] for word in words) > 1000


@case
def syntax(folder):
    """one word a line, none longer than libFuzzer takes"""
    for line in DICTIONARY.read_bytes().splitlines():
        match = ENTRY.fullmatch(line)
        assert match, line
        assert len(match.group(1).decode('unicode_escape')) <= 64, line


main()
