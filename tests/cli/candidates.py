#!/usr/bin/env python3
"""Kinds of candidate blocks that --candidates selects.

usage: candidates.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
KINDS = ('loop', 'block', 'region')


def tag(folder, source, *options):
    """The metadata; the tagged program is out.ptx, the object out.elf."""
    ends(run([PROGRAM, source, '-o', 'out.ptx', '-w', '--metadata=out.json', *options], folder), 0)
    return json.loads((folder / 'out.json').read_text())


def blocks(document):
    return [block for kernel in document['kernels'] for block in kernel['blocks']]


@case
def kinds(folder):
    """each list gives the blocks of these kinds, with the estimates of all kinds"""
    source = SAMPLES / 'bp' / 'bp.ptx'
    whole = tag(folder, source)
    assert 'candidates' not in whole['options']
    same({block['kind'] for block in blocks(whole)}, set(KINDS))
    key = lambda block: (block['begin_line'], block['end_line'], block['kind'])
    estimates = {key(block): (block['bw_tx'], block['bw_rx'], block['candidate']) for block in blocks(whole)}
    for option in ('loops', 'blocks', 'regions', 'loops,blocks', 'blocks,loops', 'regions,blocks', 'loops,blocks,regions'):
        document = tag(folder, source, '--candidates=' + option)
        wanted = [kind for kind in KINDS if kind + 's' in option.split(',')]
        same(document['options']['candidates'], wanted)
        found = {key(block): (block['bw_tx'], block['bw_rx'], block['candidate']) for block in blocks(document)}
        same(found, {at: values for at, values in estimates.items() if at[2] in wanted})


@case
def choice(folder):
    """a block that a region has passed over is chosen without regions"""
    source = SAMPLES / 'libor' / 'libor.ptx'
    chosen = lambda document: {(block['kind'], block['begin_line']) for block in blocks(document)
                               if block['candidate'] and not block['passed_over']}
    assert any(kind == 'region' for kind, _ in chosen(tag(folder, source, '--cost=tom')))
    few = chosen(tag(folder, source, '--cost=tom', '--candidates=loops,blocks'))
    same({kind for kind, _ in few}, {'loop'})
    same(len(few), 4)


@case
def again(folder):
    """a tagged program and an object keep the kinds, and other kinds are decided again"""
    source = SAMPLES / 'bp' / 'bp.ptx'
    tag(folder, source, '--candidates=loops', '--emit=ptx,elf')
    text = (folder / 'out.ptx').read_text()
    same(len(re.findall(r'options\.candidates=loop[ "]', text)), 1)
    (folder / 'tagged.ptx').write_text(text)
    same(tag(folder, 'tagged.ptx', '--candidates=loops')['options']['candidates'], ['loop'])
    same({block['kind'] for block in blocks(tag(folder, 'tagged.ptx'))}, set(KINDS))
    ends(run([PROGRAM, 'out.elf', '--metadata=elf.json', '-o', 'x.ptx'], folder), 0)
    same(json.loads((folder / 'elf.json').read_text())['options']['candidates'], ['loop'])
    result = ends(run([PROGRAM, 'out.elf', '--candidates=regions', '-o', 'x.ptx'], folder), 1)
    assert 'this --candidates' in result.err.decode(), result.err


main()
