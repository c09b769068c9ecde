#!/usr/bin/env python3
"""The files for editors: grammars from our tables, and sessions in real editors.

usage: editors.py BUILD-ROOT [--update]

--update writes what the editors show into *.expected beside this file. An editor that is not installed is skipped;
Debian has neovim, and emacs-nox with elpa-eglot.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', name) for name in ('lib', 'isa')]
import modules
from lsp_client import TEXT, URI, Editor
from tap import Failure, Skip, case, environment, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
EDITORS = ROOT / 'editors'
SAMPLES = [ROOT / 'samples' / name for name in ('vecadd/vecadd.ptx', 'bfs/bfs.ptx', 'nn/nn.ptx', 'hw/hw.ptx')]


@case
def current(folder):
    """the grammars have the words of today's tables"""
    done = subprocess.run([sys.executable, EDITORS / 'grammars.py', '--check'], stdout=subprocess.PIPE)
    same((done.returncode, done.stdout.decode()), (0, ''))
    words = json.loads((EDITORS / 'tree-sitter-ptx/words.json').read_text())
    for kind, some in (('opcodes', {'ld', 'mad'}), ('types', {'.u32', '.pred', '.bf16x2'}),
                       ('spaces', {'.global', '.shared::cta'}), ('specials', {'%tid', '%clock64'}),
                       ('directives', {'.maxntid', '.version'}),
                       ('modifiers', {'.relaxed', '.L2::cache_hint'})):
        assert some <= set(words[kind]), (kind, some - set(words[kind]))


def painted(line, patterns):
    """{column: scope} of a line, by a grammar of TextMate without its rules of several lines."""
    at, found = 0, {}
    while at <= len(line):
        best = None
        for pattern in patterns:
            one = pattern['expression'].search(line, at)
            if one and one.end() > one.start() and (not best or one.start() < best[0].start()):
                best = one, pattern
        if not best:
            return found
        one, pattern = best
        for group, part in pattern.get('captures', {'0': pattern}).items():
            if 'name' in part:
                found[one.start(int(group))] = part['name']
        at = one.end()
    return found


@case
def textmate(folder):
    """the grammar of TextMate gives words the scopes that the language server gives them"""
    grammar = json.loads((EDITORS / 'vscode/syntaxes/ptx.tmLanguage.json').read_text())
    patterns = [dict(one, expression=re.compile(one['match'])) for one in grammar['patterns'] if 'match' in one]
    scopes = {'keyword': 'keyword.operator.opcode', 'type': 'support.type', 'macro': 'variable.language',
              'number': 'constant.numeric', 'modifier': ('keyword.other.modifier', 'storage.modifier'),
              'decorator': ('storage.modifier', 'storage.type.function'), 'function': 'entity.name.function'}
    editor = Editor(BUILD / 'cli' / 'ptxoffload-lsp')
    reply, count, wrong = editor.ask('initialize', capabilities={}), 0, []
    legend = reply['capabilities']['semanticTokensProvider']['legend']['tokenTypes']
    for path in SAMPLES + [ROOT / 'tests/cuda/programs/hopper.ptx']:
        text = path.read_text()
        editor.open(text)
        data = editor.ask('textDocument/semanticTokens/full', textDocument={'uri': URI})['data']
        lines, line, character = text.split('\n'), 0, 0
        for at in range(0, len(data), 5):
            down, right, length, kind, _ = data[at:at + 5]
            line, character = line + down, right + (0 if down else character)
            expected = scopes.get(legend[kind])
            if not expected:
                continue
            if not down and at and line == last[0]:
                shown = last[1]
            else:
                shown = painted(lines[line], patterns)
            last = line, shown
            scope = shown.get(character, '')
            count += 1
            if not scope.startswith(expected) and legend[kind] != 'function':
                wrong.append((path.name, line + 1, lines[line][character:character + length], legend[kind], scope))
    editor.end()
    print('# %d words' % count)
    assert count > 1500, count
    if wrong:
        raise Failure('\n'.join(map(repr, wrong[:10])))


@case
def tree_sitter(folder):
    """the grammar of tree-sitter accepts samples and what ptxas accepts, and refuses damaged texts, by a reader of our own"""
    if not shutil.which('node'):
        raise Skip('no node')
    texts = dict((path.name, path.read_text()) for path in SAMPLES)
    texts['one.ptx'] = TEXT
    accepted = [case.text for case in modules.all_cases() if case.verdict == 'accept']
    assert len(accepted) > 1000, len(accepted)
    texts.update(('accepted%d.ptx' % number, text) for number, text in enumerate(accepted))
    bad = {'semicolon.ptx': TEXT.replace('7;', '7'), 'bracket.ptx': TEXT.replace('[%rd4]', '[%rd4'),
           'brace.ptx': TEXT.replace('\n}', ''), 'declared.ptx': TEXT.replace('.reg .b32', '.b32 .reg 7')}
    for name, text in {**texts, **bad}.items():
        (folder / name).write_text(text)
    done = run(['node', HERE / 'recognise.js', EDITORS / 'tree-sitter-ptx/grammar.js', *texts, *bad], folder)
    same((done.code, done.err), (0, b''))
    shown = dict(line.split(': ') for line in done.out.decode().splitlines())
    same([name for name in texts if shown[name] != 'ok'], [])
    same([name for name in bad if shown[name] == 'ok'], [])


@case
def tree_sitter_program(folder):
    """tree-sitter itself generates the parser, which reads the samples"""
    if not shutil.which('tree-sitter'):
        raise Skip('no tree-sitter')
    made = folder / 'tree-sitter-ptx'
    shutil.copytree(EDITORS / 'tree-sitter-ptx', made)
    for command in (['generate'], ['parse', '--quiet', *SAMPLES]):
        done = run(['tree-sitter', *command], made)
        same((command[0], done.code), (command[0], 0))


@case
def extension(folder):
    """the extension has the files that it names, and is bundled where its packages are installed"""
    made = EDITORS / 'vscode'
    package = json.loads((made / 'package.json').read_text())
    contributed = package['contributes']
    for path in (contributed['languages'][0]['configuration'], contributed['grammars'][0]['path'], 'extension.js',
                 'README.md', 'LICENSE'):
        assert (made / path).is_file(), path
    if not (made / 'node_modules/.bin/esbuild').exists():
        raise Skip('no esbuild in editors/vscode/node_modules')
    done = run(['npm', 'run', 'bundle'], made)
    same(done.code, 0)
    assert 50_000 < (made / 'dist/extension.js').stat().st_size < 600_000


def session(folder, name, command):
    """What an editor shows, which is in a file."""
    if not shutil.which(command[0]):
        raise Skip('no ' + command[0])
    (folder / 'x.ptx').write_text(TEXT.replace('add.u32 %r3', 'ad.u32 %r3'))
    env = environment(HOME=os.fspath(folder), XDG_DATA_HOME=os.fspath(folder))
    env['PATH'] = os.pathsep.join([os.fspath(BUILD / 'cli'), env['PATH']])
    done = run(command, folder, env=env)
    shown = re.sub('\r', '', (done.out + (done.err if name == 'neovim' else b'')).decode())
    expected = HERE / (name + '.expected')
    if '--update' in sys.argv:
        expected.write_text(shown)
    if shown != expected.read_text():
        raise Failure(shown)


@case
def neovim(folder):
    """Neovim shows an error, a fix, hints, a hover text, a new name and references"""
    session(folder, 'neovim', ['nvim', '--headless', '--clean', '-i', 'NONE', '--cmd',
                               'luafile %s' % (EDITORS / 'nvim/ptx.lua'), '-c', 'luafile %s' % (HERE / 'neovim.lua')])


@case
def emacs(folder):
    """Emacs shows the same"""
    probe = ['emacs', '--batch', '-q', '--eval', '(progn (require (quote package)) (package-activate-all) (require (quote eglot)))']
    if shutil.which('emacs') and run(probe, folder).code:
        raise Skip('no eglot (Debian: elpa-eglot)')
    session(folder, 'emacs', ['emacs', '--batch', '-q', '-L', EDITORS / 'emacs', '-l', HERE / 'emacs.el'])


main()
