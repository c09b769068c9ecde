#!/usr/bin/env python3
"""Errors and warnings as JSON and SARIF documents.

usage: diagnostics_documents.py BUILD-ROOT

Cases that need the Python package jsonschema are skipped without it.
"""
import hashlib
import json
import os
import re
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within
from diagnostics_lib import (BOTH, BUILD, GOOD, HEAD, NO_TEXT, PROGRAM, WARNED, check, heads,
                             schema_of)


def validator(schema):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip('no Python package jsonschema')
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def entry(severity, rule, message, line, begin, end, raised=False):
    return {'severity': severity, 'raised': raised, 'id': rule, 'message': message,
            'file': 'in.ptx', 'line': line, 'column': begin, 'end_line': line, 'end_column': end,
            'notes': []}


@case
def as_json(folder):
    """JSON: places in bytes, in order; severities as the options ask for"""
    opcode = entry('warning', 'unknown-opcode', "unknown opcode 'frob': kept unchanged", 6, 2, 6)
    syntax = entry('error', 'syntax', "unexpected '2', expected ';'", 7, 25, 26)
    raised = dict(opcode, severity='error', raised=True)
    for option, expected in (('-Wall', [opcode, syntax]), ('-w', [syntax]),
                             ('-Werror=unknown-opcode', [raised, syntax])):
        found = json.loads(ends(check(folder, '--diagnostics=json', option, text=BOTH), 1, out='').err)
        same([one for one in found if one['id'] != 'non-ascii'], expected)
    same(ends(check(folder, '--diagnostics=json', text=GOOD), 0).err, b'[]\n')


@case
def json_notes(folder):
    """JSON and SARIF: notes lie in what they belong to"""
    text = HEAD + b'.version 7.0\n' + GOOD[len(HEAD):]
    shown = heads(check(folder, text=text))
    same([re.search(' (error|note): ', line).group(1) for line in shown], ['error', 'note'])
    found, = json.loads(check(folder, '--diagnostics=json', text=text).err)
    note, = found['notes']
    same((note['file'], note['line'], note['column']), ('in.ptx', 1, 1))
    within(': note: ' + note['message'], shown[1])
    result, = sarif(folder, text=text)['results']
    related, = result['relatedLocations']
    same(related['message']['text'], note['message'])
    same(related['physicalLocation']['region']['startLine'], 1)


# SARIF

def sarif(folder, *options, **settings):
    result = check(folder, '--diagnostics=sarif', *options, **settings)
    return json.loads(result.err)['runs'][0]


@case
def as_sarif(folder):
    """SARIF: results, rules, places in UTF-16 code units, artifacts with digests"""
    found = sarif(folder, text=BOTH)
    same(found['columnKind'], 'utf16CodeUnits')
    results = [result for result in found['results'] if result['ruleId'] != 'non-ascii']
    same([(result['ruleId'], result['level']) for result in results],
         [('unknown-opcode', 'warning'), ('syntax', 'error')])
    for result in found['results']:
        same(found['tool']['driver']['rules'][result['ruleIndex']]['id'], result['ruleId'])
    # Before the error: é and the Chinese character are one unit each, the face is two.
    place = results[1]['locations'][0]['physicalLocation']
    same(place['region'], {'startLine': 7, 'startColumn': 20, 'endLine': 7, 'endColumn': 21})
    same(place['artifactLocation'], {'uri': 'in.ptx', 'index': 0})
    same(found['artifacts'], [{'location': {'uri': 'in.ptx', 'index': 0}, 'length': len(BOTH),
                               'hashes': {'sha-256': hashlib.sha256(BOTH).hexdigest()}}])
    same(found['invocations'], [{
        'arguments': ['in.ptx', '--check', '--diagnostics=sarif'], 'exitCode': 1,
        'executionSuccessful': True, 'toolExecutionNotifications': []}])
    raised = sarif(folder, '-Werror', text=BOTH)['results']
    same({result['level'] for result in raised}, {'error'})
    same(len(raised), len(found['results']))
    same(sarif(folder, '-w', text=WARNED)['results'], [])
    same(sarif(folder, text=WARNED)['invocations'][0]['exitCode'], 0)


MISSPELLED = ('.version 7.5\n.target sm_75\n.address_size 64\n'
              '«.gobal»«.global» .align 4 .b8 table[16];\n'
              '.visible .entry k(.param .u64 a)\n{\n'
              '    .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .b32 counter; .reg .pred %p;\n'
              '    ld«.paramm»«.param».u64 %rd1, [a];\n'
              '    /* \U0001d54a */ mov.u32 counter, 0; ld«.globl»«.global».u32 %r1, [%rd1];\n'
              'Loop:\n'
              '    «ad»«add».s32 %r1, %r1, «countr»«counter»;\n'
              '    add.s32 %r2, %r1, «%q3»«%r3»;\n'
              '    setp.lt.s32 %p, %r1, 3;\n'
              '    @%p bra «Lop»«Loop»;\n'
              '    ret;\n}\n')


def replaced(lines, edits):
    """the lines with these (line, from, to, text), from the last one on"""
    for line, begin, end, text in sorted(edits, reverse=True):
        lines[line - 1] = lines[line - 1][:begin] + text + lines[line - 1][end:]
    return b'\n'.join(lines)


@case
def replacements(folder):
    """JSON and SARIF: replacements of misspelled words give the text that was meant"""
    wrong, right = (re.sub('«(.*?)»«(.*?)»', which, MISSPELLED) for which in (r'\1', r'\2'))
    found = json.loads(check(folder, '--diagnostics=json', text=wrong.encode()).err)
    edits = [(one['line'], one['column'] - 1, one['end_column'] - 1, one['replacement'].encode())
             for one in found if 'replacement' in one]
    same(replaced(wrong.encode().split(b'\n'), edits).decode(), right)
    same(len(edits), MISSPELLED.count('«') // 2)
    fixes = [fix for result in sarif(folder, text=wrong.encode())['results'] for fix in result.get('fixes', [])]
    edits = []
    for fix in fixes:
        change, = fix['artifactChanges']
        same(change['artifactLocation'], {'uri': 'in.ptx', 'index': 0})
        replacement, = change['replacements']
        region = replacement['deletedRegion']
        same(region['startLine'], region['endLine'])
        edits.append((region['startLine'], 2 * region['startColumn'] - 2, 2 * region['endColumn'] - 2,
                      replacement['insertedContent']['text'].encode('utf-16-le')))
    lines = [line.encode('utf-16-le') for line in wrong.split('\n')]
    same(replaced(lines, edits).replace(b'\n', '\n'.encode('utf-16-le')).decode('utf-16-le'), right)
    same([one['id'] for one in json.loads(check(folder, '--diagnostics=json', text=right.encode()).err)],
         ['non-ascii'])


@case
def sarif_names(folder):
    """SARIF: names of files as URIs"""
    for name, uri in (('a b#c%d?.ptx', 'a%20b%23c%25d%3F.ptx'), ('a:b.ptx', 'a%3Ab.ptx'),
                      ('é.ptx', '%C3%A9.ptx'), ('./x.ptx', './x.ptx'),
                      (str(folder / 'y.ptx'), 'file://%s/y.ptx' % folder)):
        (folder / name).write_bytes(WARNED)
        done = run([PROGRAM, name, '--check', '--diagnostics=sarif'], folder)
        found = json.loads(ends(done, 0).err)['runs'][0]
        same(found['artifacts'][0]['location'], {'uri': uri, 'index': 0})
    done = run([PROGRAM, '-', '--check', '--diagnostics=sarif'], folder, stdin=WARNED)
    found = json.loads(ends(done, 0).err)['runs'][0]
    place = {'index': 0, 'description': {'text': 'standard input'}}
    same(found['artifacts'][0]['location'], place)
    same(found['results'][0]['locations'][0]['physicalLocation']['artifactLocation'], place)


@case
def sarif_container(folder):
    """SARIF: a module of a library is an artifact within the library"""
    library = BUILD / 'tests' / 'fuzz' / 'elf64'
    done = run([PROGRAM, library, '--module=1', '--check', '--diagnostics=sarif'], folder)
    outer, inner = json.loads(done.err)['runs'][0]['artifacts']
    same(outer['hashes']['sha-256'], hashlib.sha256(library.read_bytes()).hexdigest())
    same((outer.get('parentIndex'), inner['parentIndex']), (None, 0))
    text = run([PROGRAM, library, '--module=1', '-o', '-', '--strip'], folder).out
    same(inner['hashes']['sha-256'], hashlib.sha256(text).hexdigest())


# Documents in general

def prepare(folder):
    (folder / 'good.ptx').write_bytes(GOOD)
    (folder / 'zipped').write_bytes(b'PK\x03\x04' + bytes(20))
    (folder / 'elf64').write_bytes((BUILD / 'tests' / 'fuzz' / 'elf64').read_bytes())
    with open(folder / 'large.ptx', 'wb') as file:
        file.write(GOOD)
        file.truncate(1 << 30)


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))


def no_text(folder, arguments, rule):
    prepare(folder)
    settings = {}
    if rule == 'memory':
        if not can_limit(folder):
            raise Skip('a sanitizer takes more than is left')
        settings['preexec_fn'] = little_memory
    text = run([PROGRAM, *arguments], folder, **settings)
    said = re.match(r'ptxoffload: (error|warning): (.*?)( \[.*)?$', text.err.decode().splitlines()[0])
    done = run([PROGRAM, *arguments, '--diagnostics=json:j'], folder, **settings)
    same((done.code, done.err), (text.code, b''))
    found, = json.loads((folder / 'j').read_text())
    same((found['severity'], found['message'], found['id'], found['file'], found['line']),
         (said.group(1), said.group(2), rule, None, None))
    done = run([PROGRAM, *arguments, '--diagnostics=sarif:s'], folder, **settings)
    same((done.code, done.err), (text.code, b''))
    found = json.loads((folder / 's').read_text())['runs'][0]
    same(found['results'], [])
    invocation, = found['invocations']
    same(invocation['executionSuccessful'], said.group(1) == 'warning')
    same(invocation['exitCode'], text.code)
    notification, = invocation['toolExecutionNotifications']
    same((notification['level'], notification['message']['text']), said.groups()[:2])
    descriptor = notification['descriptor']
    same(descriptor['id'], rule)
    same(found['tool']['driver']['notifications'][descriptor['index']]['id'], rule)


def can_limit(folder):
    """False where the program does not even start with little memory."""
    return run([PROGRAM, '--version'], folder, preexec_fn=little_memory).code == 0


for what, (arguments, rule) in NO_TEXT.items():
    add_case('documents tell of ' + what, no_text, arguments, rule)


def valid(folder, form):
    prepare(folder)
    (folder / 'both.ptx').write_bytes(BOTH)
    (folder / 'raw.ptx').write_bytes(HEAD + b'"\xff\x00\x1b' + b'\xed\xa0\x80\n')
    (folder / 'notes.ptx').write_bytes(HEAD + b'.version 7.0\n')
    checker = validator(schema_of(form))
    for arguments in (['both.ptx'], ['raw.ptx'], ['notes.ptx', '--check'], ['both.ptx', '-Werror'],
                      ['good.ptx'], ['none.ptx'], ['zipped'], ['elf64'], ['good.ptx', '-Wno-none'],
                      ['elf64', '--module=99'], ['elf64', '--check', '-o', 'out/']):
        run([PROGRAM, *arguments, '--diagnostics=%s:out.json' % form], folder)
        document = json.loads((folder / 'out.json').read_text(encoding='utf-8'))
        faults = ['%s: %s' % (fault.json_path, fault.message)
                  for fault in checker.iter_errors(document)]
        assert not faults, '%s: %s' % (arguments, faults[:5])


for form in ('json', 'sarif'):
    add_case('%s is valid' % form, valid, form)


@case
def whole_or_not(folder):
    """the file of --diagnostics is written whole or not at all, whatever else goes wrong"""
    for form in ('text', 'json', 'sarif'):
        (folder / 'told').write_bytes(b'old')
        ends(check(folder, '--diagnostics=%s:none/told' % form), 1,
             "ptxoffload: error: cannot write 'none/told': No such file or directory\n", '')
        ends(check(folder, '--diagnostics=%s:/dev/full' % form), 1,
             "ptxoffload: error: cannot write '/dev/full': No space left on device\n", '')
        # Bad usage is told on standard error, and writes nothing.
        ends(check(folder, '--diagnostics=%s:told' % form, '--none'), 2)
        same((folder / 'told').read_bytes(), b'old')
        ends(check(folder, '--diagnostics=%s:told' % form, text=BOTH), 1, err='')
        assert (folder / 'told').read_bytes() not in (b'', b'old')
        same(sorted(path.name for path in folder.iterdir()), ['in.ptx', 'told'])


@case
def products_too(folder):
    """a run that writes files writes diagnostics beside them"""
    (folder / 'in.ptx').write_bytes(WARNED)
    options = ['-o', 'out.ptx', '--metadata=out.json', '--diagnostics=sarif:out.sarif']
    ends(run([PROGRAM, 'in.ptx', *options], folder), 0, err='', out='')
    same(len(json.loads((folder / 'out.sarif').read_text())['runs'][0]['results']), 2)
    same(sorted(path.name for path in folder.iterdir()),
         ['in.ptx', 'out.json', 'out.ptx', 'out.sarif'])


@case
def same_bytes(folder):
    """two runs write the same document"""
    for form in ('json', 'sarif'):
        same(check(folder, '--diagnostics=' + form, text=BOTH).err,
             check(folder, '--diagnostics=' + form, text=BOTH).err)


main(os.cpu_count())
