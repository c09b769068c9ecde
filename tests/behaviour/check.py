#!/usr/bin/env python3
"""The recorder of outputs: equal records compare equal, and a change is found or explained.

usage: check.py BUILD-ROOT
"""
import gzip
import hashlib
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, os.fspath(HERE.parent / 'lib'))
from policies import policies_of
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = HERE / 'behaviour.py'


def behaviour(folder, *words):
    return run([sys.executable, PROGRAM, *words], folder)


def make_records(folder, part):
    ends(behaviour(folder, 'inputs', BUILD, 'inputs', '--kernels=2'), 0, '', '')
    for name in ('old', 'new'):
        ends(behaviour(folder, 'record', BUILD / 'cli', 'inputs', name, '--full', '--only=' + part),
             0, '')


def change(folder, name, old, new):
    """Replaces bytes in an output of the new record."""
    path = folder / 'new' / 'full' / (name + '.gz')
    text = gzip.decompress(path.read_bytes())
    assert old in text, text
    text = text.replace(old, new)
    path.write_bytes(gzip.compress(text))
    digests = folder / 'new' / 'digests.tsv'
    rows = dict(row.split('\t', 1) for row in digests.read_text().splitlines())
    rows[name] = '%s\t%d' % (hashlib.sha256(text).hexdigest(), len(text))
    digests.write_text(''.join('%s\t%s\n' % row for row in rows.items()))


@case
def kernels(folder):
    """random kernels: equal records, a difference, a rule that explains it, a rule without use"""
    make_records(folder, 'kernels/')
    same(behaviour(folder, 'compare', 'old', 'new').out, b'14 outputs, 0 differ\n')
    change(folder, 'kernels/1/out.ir', b'.version', b'.VERSION')
    out = ends(behaviour(folder, 'compare', 'old', 'new'), 1, '').out.decode()
    within('kernels/1/out.ir: line ', out)
    within('\n14 outputs, 1 differ\n', out)
    (folder / 'rules').write_text('*/1/out.ir s/[.]version/.VERSION/ directives are capitals\n')
    ends(behaviour(folder, 'compare', 'old', 'new', '--differences=rules'), 0, '',
         '1 outputs: directives are capitals\n14 outputs, 0 differ\n')
    (folder / 'rules').write_text('*/1/out.ir s/[.]version/.VERSION/ directives are capitals\n'
                                  '*/out.txt s/nothing/something/ nobody sees this\n')
    ends(behaviour(folder, 'compare', 'old', 'new', '--differences=rules'), 1, '')
    (folder / 'rules').write_text('*/1/out.ir s/[.]version/.VERSION/\n')
    within(b'no rule with a reason', behaviour(folder, 'compare', 'old', 'new',
                                               '--differences=rules').err)


@case
def runs(folder):
    """a run file under each policy: all outputs are there, twice the same"""
    make_records(folder, 'run/samples/vecadd/run/')
    rows = (folder / 'old' / 'digests.tsv').read_text().splitlines()
    names = {row.split('\t')[0][len('run/samples/vecadd/run/'):] for row in rows}
    for policy in policies_of(BUILD / 'cli' / 'ptxoffload-sim'):
        for output in ('run.json', 'stats.txt', 'series.csv', 'trace.json', 'said', 'tagged.ptx'):
            assert '%s/%s' % (policy, output) in names, names
    for output in ('run.json', 'profile.json', 'said', 'tagged.ptx'):
        assert 'functional/' + output in names, names
    said = gzip.decompress((folder / 'old' / 'full' / 'run' / 'samples' / 'vecadd' / 'run' / 'omni' /
                            'said.gz').read_bytes())
    assert said.count(b'[exit 0]') == 2, said
    ends(behaviour(folder, 'compare', 'old', 'new'), 0, '')


main()
