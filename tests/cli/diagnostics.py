#!/usr/bin/env python3
"""Errors and warnings as text: the options that choose them, limits, colours, bad usage.

usage: diagnostics.py BUILD-ROOT
"""
import json
import os
import pty
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, environment, main, run, same, snapshot, within
from diagnostics_lib import GOOD, HEAD, PROGRAM, WARNED, check, heads

UNKNOWN = 'in.ptx:%d:2: %s: unknown opcode \'%s\': kept unchanged [%s]'
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
    '-Wno-sintax': "unknown warning '-Wno-sintax'; 'ptxoffload --help=warnings' lists them",
    '-Wpedantic': "unknown warning '-Wpedantic'; 'ptxoffload --help=warnings' lists them",
    '-Werror=': "unknown warning '-Werror='; 'ptxoffload --help=warnings' lists them",
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


@case
def document_and_report(folder):
    """with a document on standard output, the default report goes to standard error"""
    (folder / 'in.ptx').write_bytes(GOOD)
    for arguments in ([], ['--report=text']):
        result = ends(run([PROGRAM, 'in.ptx', '--diagnostics=json:-', *arguments], folder), 0)
        same(json.loads(result.out), [])
        within(b'in.ptx', result.err)


@case
def no_memory(folder):
    """a document is complete when memory is exhausted, with the smallest limit as well"""
    (folder / 'in.ptx').write_bytes(GOOD + b''.join(
        b'.entry k%d()\n{\n\tret;\n}\n' % i for i in range(20000)))
    for limit in ('1M', '2M', '3M'):
        for form in ('json', 'sarif'):
            ends(run([PROGRAM, 'in.ptx', '--max-memory=' + limit,
                      '--diagnostics=%s:log' % form], folder), 1, '', '')
            document = json.loads((folder / 'log').read_bytes())
            within('needs more than %s MiB of memory' % limit[:-1], json.dumps(document))


HINT = "'ptxoffload --help' explains the options\n"
USAGE = {
    '--diagnostics=yaml': "--diagnostics cannot be 'yaml': expected text, json or sarif",
    '--diagnostics=json:': "--diagnostics needs a file after 'json:'",
    '--diagnostics=json -o out --diagnostics=sarif:out':
        "-o and --diagnostics both write 'out'",
    '--diagnostics=json:- -o -': '-o and --diagnostics both write to standard output',
    '--diagnostics=json:/dev/stdout --list':
        '--list and --diagnostics both write to standard output',
    '--diagnostics=json:in.ptx': "--diagnostics would overwrite the input 'in.ptx'",
    '--diagnostics=json:./in.ptx --check': "--diagnostics would overwrite the input 'in.ptx'",
    '--diagnostics=json -v': '-v also writes to standard error: give --diagnostics a file',
    '--diagnostics=sarif --time-passes':
        '--time-passes also writes to standard error: give --diagnostics a file',
    '--diagnostics=sarif -o - --report=text':
        '--report also writes to standard error: give --diagnostics a file',
    '--max-errors=x': "--max-errors cannot be 'x': expected a number from 0 to 999999999",
    '--max-errors=-1': "--max-errors cannot be '-1': expected a number from 0 to 999999999",
    '--max-errors=9999999999':
        "--max-errors cannot be '9999999999': expected a number from 0 to 999999999",
    '--help=warning': "--help cannot be 'warning': expected warnings, or no argument",
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


main(os.cpu_count())
