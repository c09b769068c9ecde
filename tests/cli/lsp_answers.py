#!/usr/bin/env python3
"""The language server: completion, signatures, decisions, tokens, folding, symbols; and any damage.

usage: lsp_answers.py BUILD-ROOT
"""
import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from lsp_client import TEXT, URI, Editor, place_of
from tap import SANITIZED, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT = {'uri': URI}


def opened(text, **options):
    editor = Editor(BUILD / 'cli' / 'ptxoffload-lsp')
    editor.begin(text, **options)
    return editor


def with_line(line, text=TEXT):
    """The text with a line more before the label, and the place of its end."""
    made = text.replace('LOOP:\n', '    %s\nLOOP:\n' % line)
    return made, {'line': made[:made.index('LOOP:')].count('\n') - 1, 'character': 4 + len(line)}


def completed(editor, line, text=TEXT):
    """Labels after a line, in the order that the editor shows them."""
    made, place = with_line(line, text)
    editor.change({'text': made})
    found = editor.at('completion', place)['items']
    for one in found:
        begin, end = one['textEdit']['range']['start'], one['textEdit']['range']['end']
        assert begin['line'] == end['line'] == place['line'] and end == place, one
        assert one['textEdit']['newText'].startswith(line[begin['character'] - 4:]), (line, one)
    return [one['label'] for one in sorted(found, key=lambda one: (one['sortText'], one['label']))]


@case
def completion(folder):
    """completion knows opcodes, modifiers by form, operands by type, labels, functions and directives"""
    editor = opened(TEXT)
    same(completed(editor, 'mad'), ['mad', 'mad24', 'madc'])
    assert {'.hi', '.lo', '.rn', '.f32'} <= set(completed(editor, 'mad.')) and '.global' not in completed(editor, 'mad.')
    same(completed(editor, 'mad.lo.'), ['.cc', '.s16', '.s32', '.s64', '.u16', '.u32', '.u64'])
    same(completed(editor, 'mad.lo.s'), ['.s16', '.s32', '.s64'])
    same(completed(editor, 'mad.lo.s32.'), ['.cc'])
    same(completed(editor, 'nonsense.'), [])
    found = completed(editor, 'ld.global.')
    assert '.u32' in found and '.v4' in found and '.shared' not in found, found
    assert '.shared::cta' in completed(editor, 'ld.sha')
    same(completed(editor, 'add.u32 %r'), ['%r0', '%r1', '%r2', '%r3', '%r4', '%r5'])
    same(completed(editor, 'add.u64 %rd0, %rd1, '), ['%rd0', '%rd1', '%rd2', '%rd3', '%rd4', '%rd5'])
    same(completed(editor, 'add.u32 la'), ['last'])
    same(completed(editor, 'mov.u32 %r1, %ti'), ['%tid.x', '%tid.y', '%tid.z'])
    same(completed(editor, 'ld.param.u64 %rd1, [t'), ['to', 'table'])
    same(completed(editor, 'bra '), ['LOOP'])
    same(completed(editor, '@'), ['%p0', '%p1'])
    same(completed(editor, '@!%p'), ['%p0', '%p1'])
    same(completed(editor, 'setp.lt.u32 '), ['%p0', '%p1'])
    same(completed(editor, '.sh'), ['.shared'])
    assert '.pred' in completed(editor, '.reg .')
    same(completed(editor, 'add.u32 %r1, %r2\n    add.u32 %r3, %p'), [])  # a semicolon is missing before
    text = TEXT.replace('.visible', '.func help;\n.visible')
    assert 'help' in completed(editor, 'call he', text)
    # outside of functions
    editor.change({'text': '.ver'})
    same([one['label'] for one in editor.at('completion', {'line': 0, 'character': 4})['items']], ['.version'])
    editor.change({'text': '.target sm_9'})
    found = editor.at('completion', {'line': 0, 'character': 12})['items']
    same([one['label'] for one in found], ['sm_90', 'sm_90a'])
    editor.end()


@case
def completed_modifiers(folder):
    """instructions that completion builds from its first proposals are accepted"""
    rng, editor, built = random.Random(5), opened(TEXT), []
    for op in ('ld', 'st', 'add', 'mul', 'mad', 'cvt', 'setp', 'atom', 'shfl', 'fma', 'bar', 'prmt', 'red', 'min'):
        for _ in range(6):
            line = op
            for _ in range(8):
                found = completed(editor, line + '.')
                if not found:
                    break
                signature = help_at(editor, line + ' ')
                if signature and rng.random() < 0.5:
                    break
                line += rng.choice(found)
            if help_at(editor, line + ' '):
                built.append(line)
    print('# %d of %d complete: %s' % (len(built), 14 * 6, ' '.join(built[:8])))
    assert len(built) > 60, built
    editor.end()


def help_at(editor, line):
    made, place = with_line(line)
    editor.change({'text': made})
    return editor.at('signatureHelp', place)


@case
def signatures(folder):
    """signature help has the matching form, the operand at the cursor, and what it is"""
    editor = opened(TEXT)
    found = help_at(editor, 'mad.lo.s32 %r1, %r2, ')
    shown, = found['signatures']
    same((shown['label'], found['activeParameter']), ('mad.lo.s32 d, a, b, c', 2))
    begin, end = shown['parameters'][2]['label']
    same(shown['label'][begin:end], 'b')
    same(shown['parameters'][0]['documentation'], 'Written: register of type .s32.')
    same(shown['parameters'][2]['documentation'], 'Read: register or immediate of type .s32.')
    found = help_at(editor, 'ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [')
    same((found['signatures'][0]['label'], found['activeParameter']), ('ld.global.v4.u32 {d}, [a]', 1))
    same(found['signatures'][0]['parameters'][0]['documentation'],
         'Written: vector of 4: each a register of type .u32 or wider, or _ for a value without use.')
    found = help_at(editor, 'shfl.sync.up.b32 %r1|%p1, ')
    same(found['activeParameter'], 1)
    same(help_at(editor, 'nonsense %r1, '), None)
    same(help_at(editor, 'add.nonsense %r1, '), None)
    same(help_at(editor, '.reg .b32 '), None)
    same(help_at(editor, 'add.u32'), None)
    assert len(help_at(editor, 'mov.b32 ')['signatures']) > 1
    editor.end()


@case
def hovers(folder):
    """hovering shows the decision first, then the matching form only; all forms if none matches"""
    editor = opened(TEXT)
    editor.diagnostics()

    def shown(text, word, which=0):
        return editor.at('hover', place_of(text, word, which))['contents']['value']
    text = shown(TEXT, 'ld.global.u32')
    assert text.startswith('**offloaded**: chain'), text
    assert '```ptx\nld.global.u32 d, [a]\n```' in text and '- `d` Written: register' in text, text
    same(text.count('```'), 2)
    made, _ = with_line('.loc 1 2 3\n    ld.global.q32 %r2, [%rd4];')
    editor.change({'text': made})
    text = shown(made, 'ld.global.q32')
    assert text.startswith('No form has these modifiers. The forms:\n```ptx\nld'), text
    assert 'more' in text
    editor.end()


@case
def decisions(folder):
    """hints at what is offloaded, a line over each function, asked again after each analysis"""
    able = {'workspace': {'inlayHint': {'refreshSupport': True}, 'codeLens': {'refreshSupport': True}}}
    editor = opened(TEXT, capabilities=able)
    editor.diagnostics()
    hints = editor.ask('textDocument/inlayHint', textDocument=DOCUMENT,
                       range={'start': {'line': 0, 'character': 0}, 'end': {'line': 99, 'character': 0}})
    for hint, label, word in zip(hints, ('region, saves 33 words sent and 0.25 received per iteration',
                                         'chain c = f(a,i), saves 10 flits'), ('to]', 'ld.global')):
        place = place_of(TEXT, word)
        same((hint['label'], hint['position']['line']), (label, place['line']))
        same(hint['position']['character'], len(TEXT.split('\n')[place['line']]))
    same(len(hints), 2)
    same(editor.ask('textDocument/inlayHint', textDocument=DOCUMENT,
                    range={'start': {'line': 0, 'character': 0}, 'end': {'line': 5, 'character': 0}}), [])
    lens, = editor.ask('textDocument/codeLens', textDocument=DOCUMENT)
    same(lens['command']['title'], 'offloaded: 1 chain (10 flits), 1 block')
    same(lens['range']['start'], place_of(TEXT, '.visible'))
    assert 'workspace/inlayHint/refresh' in editor.requested and 'workspace/codeLens/refresh' in editor.requested
    editor.change({'text': TEXT.replace('add.u32 %r3, %r2, 7', 'div.u32 %r3, %r2, 7')})
    same(editor.ask('textDocument/codeLens', textDocument=DOCUMENT), [])  # not analysed yet
    editor.diagnostics()
    lens, = editor.ask('textDocument/codeLens', textDocument=DOCUMENT)
    assert '; not: 1 load (operation 1)' in lens['command']['title'], lens
    editor.end()


@case
def decisions_of_samples(folder):
    """hints and lines over functions are what the metadata says of samples"""
    editor = None
    for name in ('bfs', 'kmn', 'red', 'srad', 'stream', 'hw'):
        path = next(iter(sorted((ROOT / 'samples' / name).glob('*.ptx'))))
        text = path.read_text()
        if editor:
            editor.change({'text': text})
        else:
            editor = opened(text)
        editor.diagnostics()
        ends(run([BUILD / 'cli/ptxoffload', path, '-o', 'x.ptx', '--metadata=x.json'], folder), 0)
        kernels = json.loads((folder / 'x.json').read_text())['kernels']
        hints = [one['label'] for one in editor.ask('textDocument/inlayHint', textDocument=DOCUMENT)]
        same(sum(label.startswith('chain ') for label in hints), sum(len(one['chains']) for one in kernels))
        lenses = [one['command']['title'] for one in editor.ask('textDocument/codeLens', textDocument=DOCUMENT)]
        for kernel in kernels:
            count = len(kernel['chains'])
            words = '%d chain%s (' % (count, '' if count == 1 else 's')
            assert not count or any(words in one for one in lenses), (name, words, lenses)
    editor.end()


def decoded(data, text, legend):
    """(text, type, is declared) of semantic tokens."""
    lines, line, character, found = text.split('\n'), 0, 0, []
    for at in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[at:at + 5]
        line, character = line + down, right + (0 if down else character)
        found.append((lines[line][character:character + length], legend[kind], bool(modifiers)))
    return found


@case
def tokens(folder):
    """semantic tokens name what a word is; those of ranges are the same"""
    text = TEXT.replace('LOOP:', '    call help, (%r1);\nLOOP:').replace('.visible', '.func help(.reg .u32 a);\n.visible')
    editor = Editor(BUILD / 'cli' / 'ptxoffload-lsp')
    reply = editor.ask('initialize', capabilities={})
    legend = reply['capabilities']['semanticTokensProvider']['legend']['tokenTypes']
    editor.open(text)
    data = editor.ask('textDocument/semanticTokens/full', textDocument=DOCUMENT)['data']
    found = decoded(data, text, legend)
    for expected in (('ld', 'keyword', False), ('.global', 'modifier', False), ('.u32', 'type', False),
                     ('scale', 'function', True), ('help', 'function', True), ('help', 'function', False),
                     ('%tid', 'macro', False), ('%r', 'variable', True), ('%r2', 'variable', False),
                     ('to', 'parameter', True), ('from', 'parameter', False), ('LOOP', 'label', True),
                     ('LOOP', 'label', False), ('table', 'property', True), ('.reg', 'decorator', False),
                     ('7', 'number', False), ('8.0', 'number', False)):
        assert expected in found, (expected, found)
    assert 'brace' not in [word for word, _, _ in found]
    for first in range(0, text.count('\n'), 7):
        end = {'line': first + 6, 'character': 1000}
        part = editor.ask('textDocument/semanticTokens/range', textDocument=DOCUMENT,
                          range={'start': {'line': first, 'character': 0}, 'end': end})['data']
        part = decoded(part, text, legend)
        assert part == found[found.index(part[0]):][:len(part)] or ' '.join(map(str, part)) in ' '.join(
            map(str, found)), (first, part)
    editor.end()


@case
def folding(folder):
    """functions, blocks, source lines and comments fold"""
    text = '''// one
// two
.version 8.0
/* three
 four */
.visible .entry k()
{
    .reg .b32 %r<4>;
    .loc 1 1 1
    mov.u32 %r1, 1;
    mov.u32 %r2, 1;
    .loc 1 2 1
    mov.u32 %r2, 1;
    {
        .reg .b32 %x;
        mov.u32 %x, "// no comment";
    }
    ret;
}
'''
    editor = opened(text)
    found = editor.ask('textDocument/foldingRange', textDocument=DOCUMENT)
    same(sorted((one['startLine'], one['endLine'], one.get('kind')) for one in found),
         [(0, 1, 'comment'), (3, 4, 'comment'), (5, 17, None), (8, 10, 'region'), (13, 15, None)])
    editor.end()


@case
def workspace(folder):
    """symbols of the open texts and of the texts in the folder, which has limits"""
    (folder / 'deep' / 'ä b').mkdir(parents=True)
    (folder / '.hidden').mkdir()
    (folder / 'deep' / 'ä b' / 'one.ptx').write_text(TEXT.replace('scale', 'inner_scale'))
    (folder / '.hidden' / 'two.ptx').write_text(TEXT)
    (folder / 'deep' / 'three.txt').write_text(TEXT)
    (folder / 'deep' / 'loop').symlink_to(folder)
    editor = opened(TEXT, workspaceFolders=[{'uri': folder.as_uri(), 'name': 'x'}])

    def found(query):
        return [(one['name'], one['location']['uri']) for one in editor.ask('workspace/symbol', query=query)]
    inner = (folder / 'deep' / 'ä b' / 'one.ptx').as_uri()
    same(found('scale'), [('scale', URI), ('inner_scale', inner)])
    same(found('inner'), [('inner_scale', inner)])
    same(found('LOOP'), [])
    same(len(found('')), 4)
    editor.notify('textDocument/didOpen', textDocument={'uri': inner, 'languageId': 'ptx', 'version': 1,
                                                        'text': '.func edited;'})
    same(found('edit'), [('edited', inner)])
    same(found('inner'), [])
    for number in range(1100):
        (folder / ('%04d.ptx' % number)).write_text('.func f%d;' % number)
    assert 400 < len(found('')) <= 503, len(found(''))
    editor.end()
    editor = opened(TEXT, rootUri='file:///nowhere/at/all')
    same([one['name'] for one in editor.ask('workspace/symbol', query='')], ['table', 'scale'])
    editor.end()


def damaged(rng, text):
    """The text with a few random parts removed, repeated, or replaced."""
    pieces = ['{', '}', '(', '[', ';', ',', '"', '/*', '//', '\r', '.loc 1 2 3', '::', '<', '%', '.', ' = ', '\0', 'é\U0001d54a',
              '@', '@!', 'add', 'ld.', '.reg .b32 %r<9999999999>, ', 'L:', '.section .x {', '.func', '.entry (', '99999999999999']
    for _ in range(rng.choice((1, 2, 5, 20))):
        begin = rng.randrange(len(text) + 1)
        end = min(len(text), begin + rng.choice((0, 0, 1, 5, 60)))
        text = text[:begin] + rng.choice((rng.choice(pieces), text[end:end + 40], '')) + text[end:]
    return text


@case
def any_damage(folder):
    """requests at all places of damaged texts get replies, and the ranges are in the text"""
    rng, editor, count = random.Random(21), opened(TEXT), 0
    samples = [TEXT, (ROOT / 'samples/red/red.ptx').read_text()[:3000] if (ROOT / 'samples/red/red.ptx').exists() else TEXT,
               (ROOT / 'tests/isa/modules/lists.ptx').read_text()[:3000],
               (ROOT / 'tests/isa/modules/locations.ptx').read_text()[:3000]]
    for number in range(12 if SANITIZED else 40):
        text = damaged(rng, rng.choice(samples))
        editor.change({'text': text})
        lines = re.split('\r\n|\n|\r', text)
        step = rng.choice((1, 3, 7)) if not SANITIZED else 11
        for line, content in enumerate(lines):
            for character in range(rng.randrange(step), len(content) + 1, step):
                place = {'line': line, 'character': character}
                method = rng.choice(('hover', 'definition', 'references', 'documentHighlight', 'prepareRename', 'rename',
                                     'completion', 'completion', 'signatureHelp'))
                reply = editor.call('textDocument/' + method, textDocument=DOCUMENT, position=place, newName='zz',
                                    context={'includeDeclaration': True})
                assert 'result' in reply or reply['error']['code'] == -32803, reply
                count += 1
        for method in ('foldingRange', 'semanticTokens/full', 'semanticTokens/range', 'documentSymbol', 'inlayHint',
                       'codeLens'):
            reply = editor.ask('textDocument/' + method, textDocument=DOCUMENT)
            if method == 'foldingRange':
                assert all(one['startLine'] < one['endLine'] < len(lines) for one in reply), (reply, text)
        if number % 10 == 0:
            editor.diagnostics()
    print('# %d requests' % count)
    editor.end()


main()
