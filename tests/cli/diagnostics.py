#!/usr/bin/env python3
"""Errors and warnings: how they are chosen, told as text, JSON and SARIF, and what rules there are.

usage: diagnostics.py BUILD-ROOT [--update]

--update writes the table of rules in docs/diagnostics.md instead of comparing it. What needs the
Python package jsonschema is skipped without it.
"""
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (Skip, add_case, case, ends, environment, fresh_document, main, run, same, snapshot, within)


BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / 'docs' / 'diagnostics.md'
CASES = ROOT / 'tests' / 'cases' / 'diagnostics'

HEAD = b'.version 8.0\n.target sm_75\n.address_size 64\n'
# Line 6: a warning; line 7: letters of two, three and four bytes, which are worth a warning as well,
# and an error.
BOTH = HEAD + '''.entry k()
{
\tfrob.b32;
/*é漢😀*/ add.s32 1 2;
\tret;
}
'''.encode()
WARNED = HEAD + b'.entry k()\n{\n\tfrob.b32;\n\ttwiddle.b32;\n\tret;\n}\n'
GOOD = HEAD + b'.entry k()\n{\n\tret;\n}\n'


def check(folder, *options, text=WARNED, **settings):
    (folder / 'in.ptx').write_bytes(text)
    return run([PROGRAM, 'in.ptx', '--check', *options], folder, **settings)


def heads(result):
    """The lines that say what is wrong, without excerpts."""
    return [line for line in result.err.decode().splitlines() if re.match(r'\S', line)]


# Warnings by name

UNKNOWN = 'in.ptx:%d:2: %s: unknown opcode \'%s\': kept as it is [%s]'
FROB = UNKNOWN % (6, 'warning', 'frob', 'unknown-opcode')
TWIDDLE = UNKNOWN % (7, 'warning', 'twiddle', 'unknown-opcode')
FROB_ERROR = UNKNOWN % (6, 'error', 'frob', '-Werror=unknown-opcode')
TWIDDLE_ERROR = UNKNOWN % (7, 'error', 'twiddle', '-Werror=unknown-opcode')
WARNINGS, ERRORS = [FROB, TWIDDLE], [FROB_ERROR, TWIDDLE_ERROR]


def warned(folder, options, code, lines):
    result = check(folder, *options.split())
    ends(result, code, out='')
    same(heads(result), lines)


CHOICES = {
    '': (0, WARNINGS),
    '-w': (0, []),
    '-Wall -Wextra -W': (0, WARNINGS),
    '-Wunknown-opcode': (0, WARNINGS),
    '-Wno-unknown-opcode': (0, []),
    '-Wno-unknown-directive': (0, WARNINGS),
    '-Wno-unknown-opcode -Wunknown-opcode': (0, WARNINGS),
    '-Wno-unknown-opcode -Wall': (0, []),
    '-Werror': (1, ERRORS),
    '-Werror -Wno-error': (0, WARNINGS),
    '-Wno-error -Werror': (1, ERRORS),
    '-Werror -w': (0, []),
    '-Werror=unknown-opcode': (1, ERRORS),
    '-Werror=unknown-opcode -w': (0, []),
    '-Werror=unknown-directive': (0, WARNINGS),
    '-Werror -Wno-error=unknown-opcode': (0, WARNINGS),
    '-Wno-error=unknown-opcode -Werror': (0, WARNINGS),
    '-Werror -Wno-error=unknown-directive': (1, ERRORS),
    '-Werror=unknown-opcode -Wno-error=unknown-opcode': (0, WARNINGS),
    '-Werror=unknown-opcode -Wno-error': (1, ERRORS),
    '-Wno-unknown-opcode -Werror=unknown-opcode': (1, ERRORS),
    '-Werror=unknown-opcode -Wno-unknown-opcode': (0, []),
    '-Werror -Wno-unknown-opcode': (0, []),
    # Those are errors already.
    '-Wsyntax -Werror=syntax': (0, WARNINGS),
}
for options, (code, lines) in CHOICES.items():
    add_case('warnings with ' + (options or 'nothing'), warned, options, code, lines)


def unknown(folder, option, text):
    line = 'ptxoffload: warning: %s [unknown-warning]' % text
    same(heads(ends(check(folder, option, text=GOOD), 0)), [line])
    ends(check(folder, option, '-Wno-unknown-warning', text=GOOD), 0, err='')
    ends(check(folder, '-w', option, text=GOOD), 0, err='')
    line = 'ptxoffload: error: %s [-Werror=unknown-warning]' % text
    before = snapshot(folder)
    same(heads(ends(check(folder, '-Werror', option, '-o', 'out', text=GOOD), 1)), [line])
    same(snapshot(folder), before)


UNKNOWN_NAMES = {
    '-Wunknown-opcod': "unknown warning '-Wunknown-opcod'; did you mean '-Wunknown-opcode'?",
    '-Wno-unknwon-opcode':
        "unknown warning '-Wno-unknwon-opcode'; did you mean '-Wno-unknown-opcode'?",
    '-Werror=unknown-directiv':
        "unknown warning '-Werror=unknown-directiv'; did you mean '-Werror=unknown-directive'?",
    '-Wno-error=modifer': "unknown warning '-Wno-error=modifer'; did you mean '-Wno-error=modifier'?",
    '-Wsintax': "unknown warning '-Wsintax'; did you mean '-Wsyntax'?",
    # It could not be turned off either.
    '-Wno-sintax': "unknown warning '-Wno-sintax'; --help=warnings lists them",
    '-Wpedantic': "unknown warning '-Wpedantic'; --help=warnings lists them",
    '-Werror=': "unknown warning '-Werror='; --help=warnings lists them",
    '-Wno-syntax': "'-Wno-syntax' has no effect: 'syntax' is always an error",
    '-Wno-error=syntax': "'-Wno-error=syntax' has no effect: 'syntax' is always an error",
}
for option, text in UNKNOWN_NAMES.items():
    add_case('the option ' + option, unknown, option, text)


@case
def errors_stay(folder):
    """no option turns errors off"""
    bad = GOOD.replace(b'ret;', b'ret')
    for option in ('-w', '-Wno-syntax', '-Wno-error', '-Wno-error=syntax'):
        within(b'[syntax]', ends(check(folder, option, text=bad), 1).err)


# Text

@case
def in_order(folder):
    """errors and warnings come in the order of their places"""
    text = HEAD + b'.entry k()\n{\n\tadd.s32 1;\n\tfrob.b32;\n\tadd.s32 1 2;\n\tadd.s32 1;\n}\n'
    lines = [int(line.split(':')[1]) for line in heads(ends(check(folder, text=text), 1))]
    same(lines, [6, 7, 8, 9])


@case
def limit(folder):
    """--max-errors counts errors and warnings each, and says what it left out"""
    names = ['abcdef'[i] * 3 + 'xyzuvw'[k] * 3 for i in range(6) for k in range(6)] * 4
    names = ['%s%d' % (name, number) for number, name in enumerate(names)]
    body = ''.join('\t%s.b32;\n\tadd.s32 1 2;\n' % name for name in names)
    text = HEAD + b'.entry k()\n{\n' + body.encode() + b'}\n'
    for options, most in (((), 100), (('--max-errors=7',), 7), (('-fmax-errors=1',), 1),
                          (('--max-errors', '143'), 143)):
        lines = heads(check(folder, *options, text=text))
        for kind in ('error', 'warning'):
            same(sum(': %s: ' % kind in line for line in lines), most)
        more = 144 - most
        plural = '' if more == 1 else 's'
        same(lines[-1], 'ptxoffload: %d more error%s and %d more warning%s; --max-errors=0 shows all'
             % (more, plural, more, plural))
    for options in (('--max-errors=0',), ('--max-errors=144',)):
        same(len(heads(check(folder, *options, text=text))), 288)
    within('ptxoffload: 144 errors and 144 warnings', heads(check(folder, '-v', text=text)))
    # Documents have all.
    same(len(json.loads(check(folder, '--diagnostics=json', '--max-errors=7', text=text).err)), 288)


def coloured(folder, options, on_terminal, **variables):
    (folder / 'in.ptx').write_bytes(WARNED)
    command = [PROGRAM, 'in.ptx', '--check', *options]
    env = environment(TERM='xterm', **variables)
    if not on_terminal:
        return b'\033[' in run(command, folder, env=env).err
    master, slave = pty.openpty()
    subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stderr=slave, check=True)
    os.close(slave)
    text = os.read(master, 1 << 16)
    os.close(master)
    return b'\033[' in text


@case
def colours(folder):
    """colours: --color, NO_COLOR, CLICOLOR_FORCE, TERM"""
    for terminal in (False, True):
        same(coloured(folder, [], terminal), terminal)
        same(coloured(folder, ['--color=auto'], terminal), terminal)
        same(coloured(folder, ['--color=always'], terminal, NO_COLOR='1'), True)
        same(coloured(folder, ['--color=never'], terminal, CLICOLOR_FORCE='1'), False)
        same(coloured(folder, [], terminal, NO_COLOR='1', CLICOLOR_FORCE='1'), False)
        same(coloured(folder, [], terminal, NO_COLOR=''), terminal)
        same(coloured(folder, [], terminal, CLICOLOR_FORCE='1'), True)
        same(coloured(folder, [], terminal, CLICOLOR_FORCE='0'), terminal)


@case
def text_file(folder):
    """--diagnostics=text:FILE"""
    told = check(folder).err
    ends(check(folder, '--diagnostics=text'), 0, err=told.decode())
    ends(check(folder, '--diagnostics=text:told'), 0, err='')
    same((folder / 'told').read_bytes(), told)
    ends(check(folder, '--diagnostics=text:told', '-Werror'), 1, err='')
    same((folder / 'told').read_bytes(), check(folder, '-Werror').err)
    ends(check(folder, '--diagnostics=text:-'), 0, err='', out=told.decode())


# JSON

def validator(schema):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip('no Python package jsonschema')
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def schema_of(form):
    path = {'json': ROOT / 'docs' / 'diagnostics.schema.json',
            'sarif': ROOT / 'tests' / 'cli' / 'sarif.schema.json'}[form]
    return json.loads(path.read_text(encoding='utf-8'))


def entry(severity, rule, message, line, begin, end, raised=False):
    return {'severity': severity, 'raised': raised, 'id': rule, 'message': message,
            'file': 'in.ptx', 'line': line, 'column': begin, 'end_line': line, 'end_column': end,
            'notes': []}


@case
def as_json(folder):
    """JSON: places in bytes, in order; severities as the options ask for"""
    opcode = entry('warning', 'unknown-opcode', "unknown opcode 'frob': kept as it is", 6, 2, 6)
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

# What goes wrong without being about a text: arguments, rule.
NO_TEXT = {
    'a missing file': (['none.ptx'], 'file'),
    'a file that is no PTX': (['zipped'], 'not-ptx'),
    'a module of a text': (['good.ptx', '--module=1'], 'module-choice'),
    'several modules': (['elf64', '-o', 'x.ptx'], 'module-choice'),
    'an output that cannot be written': (['good.ptx', '-o', 'none/x'], 'file'),
    'an unknown name': (['good.ptx', '-Wnone', '--check'], 'unknown-warning'),
    'memory that runs out': (['large.ptx'], 'memory'),
}


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


HINT = "'ptxoffload --help' explains the options\n"
USAGE = {
    '--diagnostics=yaml': "--diagnostics cannot be 'yaml': it is text, json or sarif",
    '--diagnostics=json:': "--diagnostics needs a file after 'json:'",
    '--diagnostics=json -o out --diagnostics=sarif:out':
        "-o and --diagnostics both write 'out'",
    '--diagnostics=json:- -o -': '-o and --diagnostics both write to standard output',
    '--diagnostics=json:/dev/stdout --list':
        '--list and --diagnostics both write to standard output',
    '--diagnostics=json:in.ptx': "--diagnostics would overwrite the input 'in.ptx'",
    '--diagnostics=json:./in.ptx --check': "--diagnostics would overwrite the input 'in.ptx'",
    '--diagnostics=json -v': '-v writes to standard error as well: give --diagnostics a file',
    '--diagnostics=sarif --time-passes':
        '--time-passes writes to standard error as well: give --diagnostics a file',
    '--diagnostics=sarif -o - --report=text':
        '--report writes to standard error as well: give --diagnostics a file',
    '--max-errors=x': "--max-errors cannot be 'x': it is a number, 0 for all",
    '--max-errors=-1': "--max-errors cannot be '-1': it is a number, 0 for all",
    '--max-errors=9999999999':
        "--max-errors cannot be '9999999999': it is a number, 0 for all",
    '--help=warning': "--help cannot be 'warning': it is warnings, or omitted",
    '--max-error=3': "unknown option '--max-error'; did you mean '--max-errors'?",
    '--diagnostic=json': "unknown option '--diagnostic'; did you mean '--diagnostics'?",
}


def bad_usage(folder, arguments, message):
    (folder / 'in.ptx').write_bytes(GOOD)
    before = snapshot(folder)
    ends(run([PROGRAM, 'in.ptx', *arguments.split()], folder), 2,
         'ptxoffload: error: %s\n%s' % (message, HINT), '')
    same(snapshot(folder), before)


for arguments, message in USAGE.items():
    add_case('bad usage: ' + arguments, bad_usage, arguments, message)


# The rules

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
            literal = re.fullmatch(r'"([^"]*)"', arguments[number])
            if literal or not re.fullmatch(r'[\w\[\]>.-]*\bid', arguments[number]):
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
    text = ''.join(text for path, text in sources() if path.name != 'diag_rules.c')
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
    """docs/diagnostics.md has the table of rules"""
    fresh_document(DOCUMENT, with_table(), False, 'tests/cli/diagnostics.py build --update')


@case
def keys_described(folder):
    """docs/diagnostics.md names every key of the JSON document"""
    text = DOCUMENT.read_text(encoding='utf-8')
    for key in schema_of('json')['items']['properties']:
        within('`%s`' % key, text)


if sys.argv[2:] == ['--update']:
    DOCUMENT.write_text(with_table(), encoding='utf-8')
else:
    main(os.cpu_count())
