#!/usr/bin/env python3
"""Every byte of white space stands between any two tokens: it changes no decision and no diagnostic.

usage: blanks.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ['vecadd/vecadd.ptx', 'triad/triad.ptx', 'bfs/bfs.ptx']
BLANKS = ['\t', '\f', '\r', '\x1a', '\n', ' \x1a', '\x1a\x1a\n', '\r\n']
# Comments and lines of the preprocessor end with \n; all else is a token or white space.
PART = re.compile(r'//[^\n]*\n|/\*.*?\*/|"[^"\n]*"|[ \t\r\n]+|[^\s"/]+|/', re.S)


def spaced(text, blank):
    """The text with the blank in place of its white space, and after each token of one character."""
    out = ''
    for part in PART.findall(text):
        out += blank if part.isspace() else part if part.startswith(('//', '"', '/*')) else \
            re.sub(r'([,;{}()\[\]])', lambda found: found.group(1) + blank, part)
    return out


def decisions(folder, text, *options):
    path = folder / 'x.ptx'
    path.write_bytes(text.encode())
    done = run([BUILD / 'cli' / 'ptxoffload', path, '-o', folder / 'out.ptx', '--report=json', *options], folder)
    ends(done, 0)
    assert b"unproven" not in done.err, done
    kernels = json.loads(done.out)['kernels']
    return [(len(kernel['chains']), len(kernel['blocks'])) for kernel in kernels]


def check(folder, sample, blank):
    text = (ROOT / 'samples' / sample).read_text()
    expected = decisions(folder, text)
    assert any(chains or blocks for chains, blocks in expected)
    changed = spaced(text, blank)
    same(decisions(folder, changed), expected)
    tool = BUILD / 'cli' / 'ptxoffload'
    ends(run([tool, 'x.ptx', '--check'], folder), 0, err='')
    ends(run([tool, 'x.ptx', '-o', 'out.ptx', '--no-reorder'], folder), 0, err='')
    ends(run([tool, 'out.ptx', '--strip', '-o', 'y.ptx'], folder), 0, err='')
    same((folder / 'y.ptx').read_bytes(), (folder / 'x.ptx').read_bytes())
    ends(run([tool, 'x.ptx', '--format', '-o', 'z.ptx'], folder), 0, err='')
    same(decisions(folder, (folder / 'z.ptx').read_text()), expected)


for sample in SAMPLES:
    for blank in BLANKS:
        add_case(f'{sample}: {blank!r}', check, sample, blank)
main()
