#!/usr/bin/env python3
"""The language server, by a scripted editor.

usage: lsp.py BUILD-ROOT
"""
import json
import os
import pathlib
import random
import re
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from lsp_client import TEXT, URI, edit, place_of
from lsp_client import Editor as Client
from tap import SANITIZED, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SERVER = BUILD / 'cli' / 'ptxoffload-lsp'


def Editor(*options):
    return Client(SERVER, *options)


@case
def diagnostics(folder):
    """errors come and go with edits, at their places, as ptxoffload --check has them"""
    editor, text = Editor('--stdio'), TEXT
    editor.begin(text)
    same(editor.diagnostics(), [])
    change, text = edit(text, 'bra LOOP', 'bra LOOPS')
    editor.change(change)
    (folder / 'x.ptx').write_text(text)
    expected = run([BUILD / 'cli/ptxoffload', '--check', '--diagnostics=json', 'x.ptx'], folder)
    expected = json.loads(expected.err)
    found = editor.diagnostics()
    same([one['message'] for one in found], [one['message'] for one in expected])
    same([one['severity'] for one in found], [1])
    same(found[0]['range']['start'], place_of(text, 'LOOPS'))
    change, text = edit(text, 'LOOPS', 'LOOP')
    editor.change(change)
    same(editor.diagnostics(), [])
    editor.change({'text': 'nonsense'})
    assert editor.diagnostics()
    editor.end()


@case
def quick_fixes(folder):
    """a misspelled word has a quick fix with the word that was meant, which repairs the text"""
    editor, text = Editor(), TEXT.replace('add.u32 %r3', 'ad.u32 %r3').replace('bra LOOP', 'bra LOP')
    editor.begin(text)
    found = editor.diagnostics()
    same([one['code'] for one in found], ['unknown-opcode', 'label'])

    def fixes(word, **context):
        begin = place_of(text, word)
        end = dict(begin, character=begin['character'] + len(word))
        return editor.ask('textDocument/codeAction', textDocument={'uri': URI}, range={'start': begin, 'end': end},
                          context=dict(context, diagnostics=[]))
    same(fixes('ret;'), [])
    same(fixes('LOP', only=['refactor']), [])
    for at, (word, right) in enumerate((('ad.u32 %r3', 'add'), ('LOP', 'LOOP'))):
        fix, = fixes(word, only=['quickfix'])
        same((fix['title'], fix['kind'], fix['diagnostics']), ("Replace by '%s'" % right, 'quickfix', [found[at]]))
        same(fixes(word), [fix])
        change, = fix['edit']['changes'].pop(URI)
        same((change['newText'], fix['edit']['changes']), (right, {}))
        editor.change({'range': change['range'], 'text': change['newText']})
        text = text.replace(word.split('.')[0], right, 1) if word == 'LOP' else text.replace('ad.u32', 'add.u32')
        found = [None, *editor.diagnostics()]
    same(found, [None])
    editor.end()


@case
def places(folder):
    """places count UTF-16 code units, and survive bytes that are none"""
    editor, text = Editor(), TEXT.replace('// { not', '/* \U0001d54a é */ // { not')
    editor.begin(text)
    same([one['code'] for one in editor.diagnostics()], ['non-ascii'])
    change, text = edit(text, 'not a brace', 'nothing')
    editor.change(change)
    change, text = edit(text, '.visible .entry', '/*\U0001d54a*/ .entry')
    editor.change(change)
    found = editor.at('documentSymbol', {})
    same([one['name'] for one in found], ['table', 'scale'])
    same(found[1]['selectionRange']['start'], place_of(text, 'scale'))
    same([one['code'] for one in editor.diagnostics()], ['non-ascii'])
    editor.end()


@case
def hover(folder):
    """hovering shows forms, what is offloaded, why not, and declarations"""
    editor = Editor()
    editor.begin(TEXT)
    same(editor.diagnostics(), [])

    def shown(word, which=0):
        found = editor.at('hover', place_of(TEXT, word, which))
        return found and found['contents']['value']
    assert '**offloaded**' in shown('ld.global.u32') and 'ld ' in shown('ld.global.u32')
    assert '**offloaded**' in shown('st.global.u32')
    assert 'mul' in shown('mul.wide') and 'offloaded' not in shown('mul.wide')
    assert '.reg .b32 %r<6>;' in shown('%r3, %r2')
    assert '.reg .b32 last;' in shown('last')
    assert 'differs between the lanes' in shown('%tid.x')
    assert '.param .u64 from' in shown('from]')
    same(shown('.version'), None)
    change, _ = edit(TEXT, 'add.u32 %r3, %r2, 7', 'div.u32 %r3, %r2, 7')
    editor.change(change)
    editor.diagnostics()
    text = editor.at('hover', place_of(TEXT, 'ld.global'))['contents']['value']
    assert 'not offloaded: ' in text and '`[operation]`' in text, text
    editor.end()


@case
def definitions(folder):
    """definitions of labels, registers, parameters and variables are found"""
    text = TEXT.replace('[from]', '[from]; mov.u32 last, table')
    editor = Editor()
    editor.begin(text)
    for word, which, target, index in (('LOOP', 1, 'LOOP', 0), ('%r2', 1, '%r<6>', 0), ('%rd4', 1, '%rd<6>', 0),
                                       ('%p1', 1, '%p<2>', 0), ('from', 1, 'from', 0), ('to]', 0, 'to,', 0),
                                       ('last', 1, 'last', 0), ('table', 1, 'table', 0)):
        found = editor.at('definition', place_of(text, word, which))
        same(found['range']['start'], place_of(text, target, index))
    same(editor.at('definition', place_of(text, 'mul')), None)
    editor.end()


@case
def outline(folder):
    """the outline has functions with their labels, and variables"""
    editor = Editor()
    editor.begin(TEXT)
    found = editor.at('documentSymbol', {})
    same([one['name'] for one in found], ['table', 'scale'])
    same([one['name'] for one in found[1]['children']], ['LOOP'])
    lines = TEXT.count('\n')
    same(found[1]['range']['end'], {'line': lines - 1, 'character': 1})
    editor.end()


@case
def formatting(folder):
    """formatting gives what ptxoffload --format writes, and nothing for a text with errors"""
    text = (ROOT / 'samples/bfs/bfs.ptx').read_text()
    text = text.replace('\t', '  \t ').replace('ret;', ' ret ;')
    (folder / 'x.ptx').write_text(text)
    ends(run([BUILD / 'cli/ptxoffload', 'x.ptx', '--format', '-o', 'y.ptx'], folder), 0)
    editor = Editor()
    editor.begin(text)
    change, = editor.ask('textDocument/formatting', textDocument={'uri': URI}, options={})
    same(change['newText'], (folder / 'y.ptx').read_text())
    same(change['range']['start'], {'line': 0, 'character': 0})
    editor.change({'text': TEXT.replace('}', '')})
    same(editor.ask('textDocument/formatting', textDocument={'uri': URI}, options={}), None)
    editor.end()


@case
def wrong_messages(folder):
    """wrong requests get errors, and the server goes on"""
    editor = Editor()
    same(editor.call('textDocument/hover', textDocument={'uri': URI}, position={})['error']['code'], -32002)
    editor.begin(TEXT)
    same(editor.call('textDocument/nothing')['error']['code'], -32601)
    same(editor.call('textDocument/hover', textDocument={'uri': 'file:///y'})['error']['code'], -32602)
    editor.process.stdin.write(b'Content-Length: 3\r\n\r\n{x}')
    editor.process.stdin.flush()
    while True:
        message = editor.receive()
        if 'error' in message:
            break
    same(message['error']['code'], -32700)
    far = {'line': 1 << 30, 'character': 1 << 30}
    same(editor.at('hover', far), None)
    editor.change({'range': {'start': far, 'end': {'line': 0, 'character': 0}}, 'text': '// end\n'})
    same(editor.diagnostics(), [])
    editor.notify('textDocument/didClose', textDocument={'uri': URI})
    editor.notify('textDocument/didClose', textDocument={'uri': URI})
    editor.notify('textDocument/didChange', textDocument={'uri': URI}, contentChanges=[])
    editor.end()
    editor = Editor()  # without a shutdown
    editor.notify('exit')
    same(editor.process.wait(60), 1)
    ends(run([SERVER, 'x.ptx'], folder), 2)
    ends(run([SERVER], folder, stdin=b'Content-Length: 9\r\n\r\n{"a": 1}'), 1)


@case
def no_memory(folder):
    """a text that needs more memory than allowed is not analysed, and the server goes on"""
    kernel = TEXT[TEXT.index('.visible'):]
    editor = Editor('--max-memory=1M')
    editor.begin(TEXT + ''.join(kernel.replace('scale', 'scale%d' % i) for i in range(200)))
    same(editor.diagnostics(), [])
    assert 'offloaded' not in editor.at('hover', place_of(TEXT, 'ld.global'))['contents']['value']
    editor.end()


def resident(process):
    text = pathlib.Path('/proc/%d/status' % process.pid).read_text()
    return int(re.search(r'VmRSS:\s+(\d+)', text).group(1))


@case
def long_session(folder):
    """500 edits of a large text: quick answers, flat memory"""
    size, edits = (200_000, 60) if SANITIZED else (5_000_000, 500)
    body = TEXT[TEXT.index('.visible'):]
    kernels = []
    while sum(map(len, kernels)) < size:
        kernels.append(body.replace('scale', 'scale%d' % len(kernels)))
    text = TEXT[:TEXT.index('.visible')] + ''.join(kernels)
    lines, rng = text.split('\n'), random.Random(1)
    places = [i for i, line in enumerate(lines) if 'add.u32' in line]
    editor, slowest, sizes = Editor(), [], []
    editor.begin(text)
    same(editor.diagnostics(), [])
    for number in range(edits):
        line = rng.choice(places)
        begin = lines[line].index('7')
        editor.change({'range': {'start': {'line': line, 'character': begin},
                                 'end': {'line': line, 'character': begin + 1}}, 'text': '7'})
        before = time.monotonic()
        found = editor.at('hover', {'line': line, 'character': 6})
        editor.at('definition', {'line': line, 'character': lines[line].index('%r2')})
        slowest.append((time.monotonic() - before) / 2)
        assert 'add' in found['contents']['value']
        if number % (edits // 10) == 0:
            same(editor.diagnostics(), [])
            sizes.append(resident(editor.process))
    slowest.sort()
    print('# %d edits of %d bytes: median %.1f ms, most %.1f ms; memory %s KiB' %
          (edits, len(text), slowest[len(slowest) // 2] * 1e3, slowest[-1] * 1e3, sizes))
    if not SANITIZED:  # which keep freed memory
        assert max(sizes[1:]) < 1.2 * sizes[0] + 20_000, sizes
        assert slowest[len(slowest) // 2] < 0.1, slowest[-5:]
    editor.end()


def line_starts(text):
    """The offsets of the lines of a text, by the protocol: \\n, \\r\\n and \\r end one."""
    return [0, *(end.end() for end in re.finditer('\r\n|\n|\r', text))]


def place_in(text, starts, line, units):
    """(place, offset) of so many UTF-16 units after the start of a line, or of its end."""
    at, left = starts[line], units
    while at < len(text) and text[at] not in '\r\n':
        size = 1 + (text[at] > '\uffff')
        if size > left:
            break
        at, left = at + 1, left - size
    return {'line': line, 'character': units}, at


def random_edit(rng, text):
    """A change of a part of the text, and the text after it."""
    pieces = ['\r', '\n', '\r\n', '\r\r\n', '\n\r', '', '', ' // é\U0001d54a\n', 'add.u32 %r3, %r2, 7;', '/* \r */', '%r9',
              ', \r', ';\r\n\tret;', '"a', '}']
    starts = line_starts(text)
    first, begin = place_in(text, starts, rng.randrange(len(starts)), rng.randrange(40))
    last, end = place_in(text, starts, min(first['line'] + rng.choice((0, 0, 0, 1, 2)), len(starts) - 1),
                         rng.randrange(40))
    if end < begin:
        first, begin, last, end = last, end, first, begin
    piece = rng.choice(pieces)
    return {'range': {'start': first, 'end': last}, 'text': piece}, text[:begin] + piece + text[end:]


@case
def line_ends(folder):
    """random edits of texts with all kinds of line ends give what the whole text gives"""
    rng, edited, whole = random.Random(3), Editor(), Editor()
    for number in range(12):
        text = ''.join(line + rng.choice(('\n', '\r\n', '\r')) for line in TEXT.splitlines())
        for editor in edited, whole:
            editor.begin(text) if not number else editor.change({'text': text})
        for _ in range(25):
            changes = []
            for _ in range(rng.choice((1, 1, 2, 3))):
                change, text = random_edit(rng, text)
                changes.append(change)
            edited.change(*changes)
            whole.change({'text': text})
            same(edited.diagnostics(), whole.diagnostics())
            starts = line_starts(text)
            place, _ = place_in(text, starts, rng.randrange(len(starts)), 5)
            same(edited.at('hover', place), whole.at('hover', place))
        found = edited.diagnostics()
        assert all(one['range']['start']['line'] < len(starts) for one in found), found
    for editor in edited, whole:
        editor.end()


@case
def after_returns(folder):
    """a mistake behind lone carriage returns is on the line that the editor shows"""
    editor = Editor()
    text = TEXT.replace('// { not a brace\n', '') # ptxas ends a comment at a line feed only
    editor.begin(text.replace('\n', '\r').replace('%r3, %r2, 7', '%r3, %r2'))
    found = editor.diagnostics()
    same([one['range']['start']['line'] for one in found], [21])
    editor.end()


main()
