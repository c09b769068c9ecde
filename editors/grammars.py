#!/usr/bin/env python3
"""Writes the words of PTX from the tables in frontend/ into the grammars of editors.

usage: grammars.py [--check]

Writes vscode/syntaxes/ptx.tmLanguage.json, tree-sitter-ptx/words.json and emacs/ptx-words.el beside this
file. With --check it only says which of them are out of date; the exit code is then 1.
"""
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
TABLES = HERE.parent / 'frontend'


def rows(name, form):
    """The first groups of all rows of a table, in its order."""
    text = (TABLES / name).read_text(encoding='utf-8')
    return [found.groups() if len(found.groups()) > 1 else found.group(1)
            for found in re.finditer('^' + form, text, re.M)]


def words():
    """The words of PTX, by what they are."""
    dotted = rows('words.def', r'WORD\((\w+), "([^"]+)", (\w+)')
    text_of = {name: text for name, text, _ in dotted}
    of_kind = lambda *kinds: {text for _, text, kind in dotted if kind in kinds}
    directives = {text_of[name] for name in rows('directives.def', r'DIRECTIVE\((\w+),') if name not in ('f16x2', 'b128')}
    directives |= of_kind('DIRECTIVE', 'LINK') | {'.weak', '.align'}
    types = of_kind('TYPE') | {'.pred'}
    spaces = of_kind('SPACE')
    return {
        'opcodes': sorted(rows('isa.def', r'ISA_OP\((\w+),')),
        'directives': sorted(directives),
        'types': sorted(types),
        'spaces': sorted(spaces),
        'modifiers': sorted({text for _, text, _ in dotted} - directives - types - spaces),
        'specials': sorted('%' + name for name in rows('special.def', r'SPECIAL\((\w+),')),
    }


def one_of(texts, cut=0):
    """A regular expression for these texts without their first `cut` characters: longer ones first."""
    return '(?:%s)' % '|'.join(re.escape(text[cut:]) for text in sorted(texts, key=lambda text: (-len(text), text)))


def textmate(known):
    """The grammar of TextMate, which Visual Studio Code and others read."""
    end = r'(?![\w$:])'
    single = [
        ('comment.line.double-slash.ptx', r'//.*$'),
        ('comment.line.marker.ptx', r'^#.*$'),
        ('keyword.control.guard.ptx', r'@!?\s*[%$_A-Za-z][\w$]*'),
        ('storage.modifier.ptx', r'(?<![\w$])\.%s%s' % (one_of(known['directives'], 1), end)),
        ('support.type.ptx', r'\.%s%s' % (one_of(known['types'], 1), end)),
        ('storage.modifier.space.ptx', r'\.%s%s' % (one_of(known['spaces'], 1), end)),
        ('keyword.other.modifier.ptx', r'\.%s%s' % (one_of(known['modifiers'], 1), end)),
        ('variable.language.ptx', r'%%%s(?:\.[xyzw])?(?![\w$])' % one_of(known['specials'], 1)),
        ('variable.other.register.ptx', r'%[\w$]+'),
        ('entity.name.label.ptx', r'^\s*[$_%A-Za-z][\w$]*(?=\s*:(?!:))'),
        ('constant.numeric.float.ptx', r'\b(?:0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16})\b'),
        ('constant.numeric.float.ptx', r'\b\d+(?:\.\d*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)'),
        ('constant.numeric.integer.ptx', r'\b(?:0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?\b'),
        ('keyword.operator.opcode.ptx', r'(?<![\w$%%.])%s(?![\w$])(?!\s*:(?!:))' % one_of(known['opcodes'])),
        ('constant.language.ptx', r'\bWARP_SZ\b'),
    ]
    patterns = [{'name': name, 'match': match} for name, match in single]
    patterns[1:1] = [
        {'name': 'comment.block.ptx', 'begin': r'/\*', 'end': r'\*/'},
        {'name': 'string.quoted.double.ptx', 'begin': '"', 'end': '"|$'},
        {'match': r'(\.(?:entry|func))\s+(?:\([^)]*\)\s*)?([%$_A-Za-z][\w$]*)',
         'captures': {'1': {'name': 'storage.type.function.ptx'}, '2': {'name': 'entity.name.function.ptx'}}},
    ]
    return {'$comment': 'Written by editors/grammars.py', 'name': 'PTX', 'scopeName': 'source.ptx', 'fileTypes': ['ptx'],
            'patterns': patterns}


def emacs(known):
    """The words as lists of Emacs Lisp."""
    lines = [';;; ptx-words.el --- Words of PTX  -*- lexical-binding: t -*-',
             ';; Written by editors/grammars.py', ';;; Code:']
    for kind, texts in known.items():
        lines.append("(defconst ptx-%s '(%s))" % (kind, ' '.join(json.dumps(text) for text in texts)))
    return '\n'.join(lines + ["(provide 'ptx-words)", ';;; ptx-words.el ends here', ''])


def files():
    known = words()
    return {
        HERE / 'vscode/syntaxes/ptx.tmLanguage.json': json.dumps(textmate(known), indent=1) + '\n',
        HERE / 'tree-sitter-ptx/words.json': json.dumps(known, indent=1) + '\n',
        HERE / 'emacs/ptx-words.el': emacs(known),
    }


def main():
    old = [path for path, text in files().items() if not path.exists() or path.read_text(encoding='utf-8') != text]
    if sys.argv[1:] == ['--check']:
        for path in old:
            print('%s is out of date: run editors/grammars.py' % path.relative_to(HERE.parent))
        sys.exit(bool(old))
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path in old:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(files()[path], encoding='utf-8')


if __name__ == '__main__':
    main()
