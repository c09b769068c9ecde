#!/usr/bin/env python3
"""The rules of errors and warnings: the table, its uses in the sources, a case for each, docs/reference/diagnostics.md.

usage: diagnostics_rules.py BUILD-ROOT [--update]

--update writes the table of rules in docs/reference/diagnostics.md instead of comparing it.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, fresh_document, main, run, within
from diagnostics_lib import NO_TEXT, PROGRAM, ROOT, schema_of

DOCUMENT = ROOT / 'docs' / 'reference' / 'diagnostics.md'
CASES = ROOT / 'tests' / 'cases' / 'diagnostics'


def rules():
    """id to its descriptor, in the order of the table"""
    done = subprocess.run([PROGRAM, 'none.ptx', '--diagnostics=sarif'], cwd=ROOT / 'tests',
                          stderr=subprocess.PIPE)
    driver = json.loads(done.stderr)['runs'][0]['tool']['driver']
    return {rule['id']: rule for rule in driver['rules'] + driver['notifications']}


RULES = rules()


def may_warn(rule):
    return 'turns the warning off' in rule['help']['text']


@case
def help_lists(folder):
    """--help=warnings lists every rule, warnings first"""
    text = ends(run([PROGRAM, '--help=warnings'], folder), 0, err='').out.decode()
    text = re.sub(r'\n {24}', ' ', text)  # long lines are broken
    warnings, errors = text.split('\nErrors, ')
    for rule in RULES.values():
        line = '\n  %-20s  %s\n' % (rule['id'], rule['shortDescription']['text'])
        within(line, warnings if may_warn(rule) else errors)


def split_arguments(text, at):
    """The arguments of the call whose parenthesis opens at `at`; None where it does not end."""
    parts, depth, start, quoted = [], 0, at + 1, False
    for i in range(at, len(text)):
        c = text[i]
        if quoted:
            quoted = c != '"' or text[i - 1] == '\\'
        elif c == '"':
            quoted = True
        elif c in '([{':
            depth += 1
        elif c in ')]}':
            depth -= 1
            if not depth:
                return parts + [text[start:i].strip()]
        elif c == ',' and depth == 1:
            parts.append(text[start:i].strip())
            start = i + 1
    return None


def id_takers(text):
    """Functions of a file with a parameter that is a rule's id, and which one."""
    found = {'diag_add': 2, 'message_fault': 1}
    for match in re.finditer(r'^[\w *]*?\b(\w+)\(', text, re.M):
        for number, parameter in enumerate(split_arguments(text, match.end() - 1) or []):
            if re.fullmatch(r'const char \*id', parameter):
                found[match.group(1)] = number
    return found


def named_ids(text):
    """(id, or None where it is a variable; the whole call) of all calls that name a rule"""
    for function, number in id_takers(text).items():
        for match in re.finditer(r'(?<![\w"])%s\(' % function, text):
            arguments = split_arguments(text, match.end() - 1)
            if not arguments or number >= len(arguments) or arguments[number].startswith('const '):
                continue
            choice = re.fullmatch(r'[^"]*\? "([^"]*)" : "([^"]*)"', arguments[number])
            for id in choice.groups() if choice else ():
                yield id, [function] + arguments
            literal = re.fullmatch(r'"([^"]*)"', arguments[number])
            if not choice and (literal or not re.fullmatch(r'[\w\[\]>.-]*\bid', arguments[number])):
                yield literal and literal.group(1), [function] + arguments


def sources():
    for folder in ('support', 'frontend', 'ir', 'passes', 'backend', 'runtime-sim', 'tools',
                   'campaign', 'cli'):
        for path in sorted((ROOT / folder).rglob('*')):
            if path.suffix in ('.c', '.h', '.l', '.y'):
                yield path, path.read_text(encoding='utf-8')


@case
def named_rules_are_known(folder):
    """every rule that the sources name is in the table, and may be as mild as they say"""
    count = 0
    for path, text in sources():
        for rule, call in named_ids(text):
            assert rule, '%s: no literal id: %s' % (path.name, call)
            assert rule in RULES, '%s: no row in support/diag_rules.def: %s' % (path.name, rule)
            if 'DIAG_WARNING' in call:
                assert may_warn(RULES[rule]), '%s: %s is never a warning' % (path.name, rule)
            count += 1
    assert count > 30, 'only %d places name a rule' % count


@case
def known_rules_are_named(folder):
    """every rule in the table is named by the sources"""
    text = ''.join(text for _, text in sources())
    unused = [rule for rule in RULES if '"%s"' % rule not in text]
    assert not unused, unused


# Rules without a file in tests/cases/diagnostics, and the file that triggers them instead.
ELSEWHERE = {
    'tags': 'tests/unit/backend/tags.c',      # ptxoffload drops damaged tags and makes new ones
    'metadata': 'tests/unit/backend/tables.c',  # ptxoffload reads no metadata
}
NO_TEXT_RULES = {rule for _, rule in NO_TEXT.values()}


def triggered(folder, rule):
    if rule in ('internal', 'unproven'):
        raise Skip('no input may trigger it')  # the latter: tests/unit/backend/proof.c
    if rule in NO_TEXT_RULES:
        return
    if rule in ELSEWHERE:
        within('diags.errors', (ROOT / ELSEWHERE[rule]).read_text(encoding='utf-8'))
        return
    answers = list(CASES.glob(rule + '.expected'))
    assert answers, 'no case tests/cases/diagnostics/%s' % rule
    within('[%s]\n' % rule, answers[0].read_text(encoding='utf-8'))


for rule in RULES:
    add_case('a case triggers ' + rule, triggered, rule)


# The documentation

BEGIN, END = '<!-- rules -->\n', '<!-- end of rules -->\n'


def table():
    lines = ['| id | severity | about | |', '|---|---|---|---|']
    for rule in RULES.values():
        severity = rule['defaultConfiguration']['level']
        if severity == 'error' and may_warn(rule):
            severity = 'error or warning'
        lines.append('| `%s` | %s | %s | %s |' % (rule['id'], severity, rule['properties']['tags'][0],
                                                rule['shortDescription']['text']))
    return '\n'.join(lines) + '\n'


def with_table():
    text = DOCUMENT.read_text(encoding='utf-8')
    head, rest = text.split(BEGIN)
    return head + BEGIN + table() + END + rest.split(END)[1]


@case
def described(folder):
    """docs/reference/diagnostics.md has the table of rules"""
    fresh_document(DOCUMENT, with_table(), False, 'tests/cli/diagnostics_rules.py build --update')


@case
def keys_described(folder):
    """docs/reference/diagnostics.md names every key of the JSON document"""
    text = DOCUMENT.read_text(encoding='utf-8')
    for key in schema_of('json')['items']['properties']:
        within('`%s`' % key, text)


if sys.argv[2:] == ['--update']:
    DOCUMENT.write_text(with_table(), encoding='utf-8')
else:
    main(os.cpu_count())
