#!/usr/bin/env python3
"""The language server: names by scope, and new names.

usage: lsp_names.py BUILD-ROOT
"""
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from lsp_client import TEXT, URI, Editor, place_of
from tap import SANITIZED, Failure, case, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
TAGGER = BUILD / 'cli' / 'ptxoffload'
NESTED = '''.version 8.0
.target sm_80
.address_size 64
.global .u32 count;
.func (.reg .u32 %out) twice (.reg .u32 %in)
{
    add.u32 %out, %in, %in;
    ret;
}
.visible .entry first(.param .u64 to)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, 1;
    {
        .reg .b32 %r1;
        .reg .b64 count;
        mov.u32 %r1, 2;
        mov.u64 count, 0;
        {
            mov.u32 %r2, %r1;
        L:
            bra L;
        }
    }
    call (%r3), twice, (%r1);
    st.global.u32 [%rd1], %r3;
    atom.global.add.u32 %r2, [count], %r1;
L:
    .loc 1 2 3
    bra L;
}
.visible .entry second(.param .u64 to)
{
    .reg .b32 %r<4>;
L:
    mov.u32 %r1, 3;
    bra L;
}
'''


def offset_of(text, place):
    """The offset of a place, in a text of ASCII."""
    return sum(len(line) for line in text.splitlines(True)[:place['line']]) + place['character']


def spans(text, places):
    """Texts and lines, from 1, of locations."""
    return [(text[offset_of(text, one['range']['start']):offset_of(text, one['range']['end'])],
             one['range']['start']['line'] + 1) for one in places or []]


def lines(text, places):
    return [line for _, line in spans(text, places)]


def applied(text, edits):
    """The text after the edits of one document."""
    for one in sorted(edits, key=lambda one: offset_of(text, one['range']['start']), reverse=True):
        begin, end = (offset_of(text, one['range'][which]) for which in ('start', 'end'))
        text = text[:begin] + one['newText'] + text[end:]
    return text


def opened(text):
    editor = Editor(BUILD / 'cli' / 'ptxoffload-lsp')
    editor.begin(text)
    return editor


@case
def scopes(folder):
    """a name belongs to the innermost declaration around it"""
    editor = opened(NESTED)

    def found(word, which=0, **context):
        return lines(NESTED, editor.ask('textDocument/references', textDocument={'uri': URI},
                                        position=place_of(NESTED, word, which), context=context))
    same(found('%r1, 1'), [15, 27, 29])
    same(found('%r1, 1', includeDeclaration=True), [12, 15, 27, 29])
    same(found('%r1, 2', includeDeclaration=True), [17, 19, 22])
    same(found('count, 0', includeDeclaration=True), [18, 20])
    same(found('count]', includeDeclaration=True), [4, 29])
    same(found('bra L', 0), [])  # an opcode
    same(found('L;', 0, includeDeclaration=True), [23, 24])
    same(found('L;', 1, includeDeclaration=True), [30, 32])
    same(found('L;', 2, includeDeclaration=True), [37, 39])
    same(found('to]', includeDeclaration=True), [10, 14])
    same(found('twice', includeDeclaration=True), [5, 27])
    same(found('%in', includeDeclaration=True), [5, 7, 7])
    same(found('%r<4>', includeDeclaration=True), [12, 15, 22, 27, 27, 28, 29, 29])
    same(found('%r<4>', 1, includeDeclaration=True), [36, 38])
    editor.end()


@case
def highlights(folder):
    """places that read and write a register differ"""
    editor = opened(TEXT)
    found = editor.at('documentHighlight', place_of(TEXT, '%r2', 0))
    same([one['kind'] for one in found], [1, 3, 2])
    same(spans(TEXT, found)[1:], [('%r2', 22), ('%r2', 23)])
    found = editor.at('documentHighlight', place_of(TEXT, '%rd5', 0))
    same([one['kind'] for one in found], [1, 3, 2])
    same(editor.at('documentHighlight', place_of(TEXT, 'ld.global')), None)
    editor.end()


def rename(editor, text, word, name, which=0):
    reply = editor.call('textDocument/rename', textDocument={'uri': URI},
                        position=place_of(text, word, which), newName=name)
    if 'error' in reply:
        return reply['error']['message']
    return applied(text, reply['result']['changes'].get(URI, []))


@case
def renames(folder):
    """members of a family get a declaration of their own, families keep their numbers"""
    editor = opened(NESTED)
    made = rename(editor, NESTED, '%r1, 1', '%one')
    assert '    .reg .b32 %r<4>;\n    .reg .b32 %one;\n' in made, made
    same((made.count('%one'), made.count('%r1')), (4, NESTED.count('%r1') - 3))
    made = rename(editor, NESTED, '%r<4>', '%x')
    assert '.reg .b32 %x<4>;' in made and 'call (%x3), twice, (%x1);' in made
    same(made.count('%r1'), 4 + 0)
    same(rename(editor, NESTED, 'L:', 'INNER').count('INNER'), 2)
    same(rename(editor, NESTED, 'count;', 'total').count('total'), 2)
    same(rename(editor, NESTED, 'twice', 'double').count('double'), 2)
    same(rename(editor, NESTED, 'to]', 'target').count('target'), 1 + 2)
    same(rename(editor, NESTED, '%r1, 1', '%r1'), NESTED)
    editor.end()


@case
def comments(folder):
    """braces in and after comments and strings do not end a function early or late"""
    head = '.version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n    .reg .b32 %r<9>;\n    .shared .b32 s;\n'
    for middle in ('// begin\n{ .reg .pred p; }\n// end\n', '/* { */ { /* } */ } // }\n', '// {\n', '// a / b }\n', '{ // {\n}\n',
                   '.loc 1 2 3 // }\n{\n}\n', '{ /* */ }\n'):
        text = head + middle + '    mov.u32 %r1, s;\n    ret;\n}\n.global .u32 s2;\n.visible .entry l() { mov.u32 s, s2; ret; }\n'
        editor = opened(text)
        same((middle, rename(editor, text, 's;', 'renamed').count('renamed')), (middle, 2))
        editor.end()


@case
def refusals(folder):
    """a name that is taken or not legal is refused with the reason"""
    editor = opened(NESTED)
    for word, which, name, reason in (
            ('%r1, 1', 0, '%r2', "'%r2' already has a meaning in line 12"),
            ('%r1, 1', 0, '%rd2', "'%rd2' already has a meaning in line 13"),
            ('%r1, 1', 0, 'count', "'count' already has a meaning in line 4"),
            ('%r1, 2', 0, '%r2', "'%r2' already has a meaning in line 12"),
            ('%r1, 1', 0, 'twice', "'twice' already has a meaning in line 5"),
            ('%r1, 1', 0, '%tid', "'%tid' is a word of PTX"),
            ('%r1, 1', 0, 'add', "'add' is a word of PTX"),
            ('%r1, 1', 0, '1x', "'1x' is not a name"),
            ('%r1, 1', 0, '', "'' is not a name"),
            ('%r1, 1', 0, '%', "'%' is not a name"),
            ('%r1, 1', 0, 'a b', "'a b' is not a name"),
            ('%r<4>', 0, '%rd', "'%rd' already has a meaning in line 13"),
            ('%r<4>', 0, '%x1', 'the name of a family of registers cannot end with a digit'),
            ('twice', 0, 'second', "'second' already has a meaning in line 34"),
            ('mov.u32', 0, 'x', 'there is no name with a declaration here'),
            ('.loc', 0, 'x', 'there is no name with a declaration here'),
            ('.version', 0, 'x', 'there is no name with a declaration here')):
        found = rename(editor, NESTED, word, name, which)
        assert found.startswith(reason), (word, name, found)
    reply = editor.call('textDocument/prepareRename', textDocument={'uri': URI}, position=place_of(NESTED, 'mov'))
    same(reply['error']['message'], 'there is no name with a declaration here')
    found = editor.at('prepareRename', place_of(NESTED, 'twice'))
    same(found['placeholder'], 'twice')
    editor.end()


@case
def sections(folder):
    """a label is renamed in sections, too, unless several functions have it"""
    text = NESTED + '.section .debug_info\n{\n.b64 M\n}\n'
    text = text.replace('L:\n    mov', 'M:\n    mov').replace('3;\n    bra L', '3;\n    bra M')
    editor = opened(text)
    made = rename(editor, text, 'M:', 'DONE')
    same((made.count('DONE'), made.count('M\n'), made.count('M;')), (3, 0, 0))
    editor.change({'text': text.replace('L', 'M')})
    text = text.replace('L', 'M')
    assert 'several functions have this label' in rename(editor, text, 'M:', 'DONE', -1)
    editor.end()


WORDS = re.compile(r'[%$_A-Za-z][\w$]*')


def checked(path, folder):
    """Exit code and messages of a check, and of the tagged text."""
    done = run([TAGGER, path, '-o', 'tagged.ptx'], folder)
    tagged = (folder / 'tagged.ptx').read_text() if done.code == 0 else ''
    return done.code, re.sub(r':\d+:\d+:|^ .*\n', '', done.err.decode(), flags=re.M), re.sub(r'digest=\w+', 'digest', tagged)


def ordered(result):
    """The same with sorted lists of live values: they are in the order of the declarations."""
    return *result[:2], re.sub(r'\b(in|out)=([^ "]+)',
                               lambda found: found.group(1) + ','.join(sorted(found.group(2).split(','))), result[2])


def texts():
    """Texts of samples, cases and other tests that the tagger accepts."""
    paths = [path for part in ('samples', 'tests/cases', 'tests/isa/modules', 'tests/cuda/programs', 'tests/sim',
                               'tests/data') for path in sorted((ROOT / part).rglob('*.ptx'))]
    return [path for path in paths if path.stat().st_size < 60_000 and not path.name.endswith('.body.ptx')]


@case
def random_renames(folder):
    """after random renames the tagged text is the same but for the name"""
    rng, editor, count, refused, lost = random.Random(11), None, 0, 0, []
    for path in texts():
        text = path.read_bytes().decode('latin-1')
        if not text.isascii() or '\r' in text:
            continue
        (folder / 'x.ptx').write_text(text)
        before = checked('x.ptx', folder)
        if before[0]:
            continue
        if not editor:
            editor = opened(text)
        else:
            editor.change({'text': text})
        body = re.sub(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"', lambda found: ' ' * len(found.group()), text, flags=re.S)
        words = [found.start() for found in WORDS.finditer(body)]
        tried = 0
        for at in rng.sample(words, min(len(words), 40)):
            line = text.count('\n', 0, at)
            place = {'line': line, 'character': at - (text.rfind('\n', 0, at) + 1)}
            new = 'renamed_'
            reply = editor.call('textDocument/rename', textDocument={'uri': URI}, position=place, newName=new)
            if 'error' in reply:
                refused += 1
                continue
            edits = reply['result']['changes'][URI]
            declared = [one['newText'] for one in edits if one['range']['start'] == one['range']['end']]
            old = WORDS.match(text, at).group()
            made = applied(text, edits)
            (folder / 'x.ptx').write_text(made)
            after = checked('x.ptx', folder)
            if declared:
                assert declared[0] in after[2], (path, old, declared, after)
                after = after[0], after[1], after[2].replace(declared[0], '', 1)
            after = tuple(part if isinstance(part, int) else re.sub(r'\b' + new + r'(?=\d*\b)', lambda _: old, part)
                          for part in after)
            if ordered(after) != ordered(before):
                lost.append((path.name, line + 1, old, after[:2], before[:2]))
            count, tried = count + 1, tried + 1
            if tried == (1 if SANITIZED else 4):
                break
    if editor:
        editor.end()
    print('# %d renames, %d places without a name' % (count, refused))
    if lost:
        raise Failure('\n'.join(map(repr, lost[:10])))
    assert count > (40 if SANITIZED else 150), count


main()
