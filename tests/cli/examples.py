#!/usr/bin/env python3
"""The commands that the documentation shows work.

usage: examples.py BUILD-ROOT

Every line of README.md and of the documents, except tutorials and results, that is set as code and begins with
ptxoffload is run, beside an input with the name that it uses. Lines with brackets or words in capitals are no commands but
explain how to write them.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, environment, main, run

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / 'samples' / 'vecadd' / 'vecadd.ptx'
LINE = re.compile(r'(?:    |\$ )+(?:build/cli/)?(ptxoffload [^#]*)')
NO_COMMAND = re.compile(r'[\[\]{}…]|\b[A-Z]{2,}\b')


def examples(path):
    fenced = False
    for line in path.read_text().splitlines():
        if line.startswith('```'):
            fenced = not fenced
        match = LINE.match('    ' + line if fenced else line)
        if match and not NO_COMMAND.search(match.group(1)):
            yield match.group(1).strip()


def check(folder, command):
    (folder / 'samples').symlink_to(ROOT / 'samples')
    (folder / 'out').mkdir()
    for name in ('in.ptx', 'kernel.ptx', 'k.ptx', 'vecadd.ptx'):
        (folder / name).write_bytes(SAMPLE.read_bytes())
    # Some commands go on with what an earlier one has written.
    path = '%s:%s' % (BUILD / 'cli', os.environ['PATH'])
    ends(run(['ptxoffload', 'in.ptx', '-o', 'out.ptx', '--emit=ptx,elf', '--metadata=out.json'], folder,
             env=environment(PATH=path)), 0)
    for name in ('before.json', 'after.json'):
        ends(run(['ptxoffload', 'in.ptx', '--report=json:' + name], folder, env=environment(PATH=path)), 0)
    ends(run(['ptxoffload-sim', '--functional', SAMPLE.parent / 'run.yaml', '--profile-out=run.json'],
             folder, env=environment(PATH=path)), 0)
    ends(run(['sh', '-c', command], folder, env=environment(PATH=path)), 0)


found = []
DOCUMENTS = [path for path in sorted(ROOT.glob('docs/**/*.md'))
             if not {'results', 'tutorials'} & set(path.relative_to(ROOT).parts)]
for document in [ROOT / 'README.md', *DOCUMENTS]:
    for example in examples(document):
        found.append(example)
        add_case('%s: %s' % (document.name, example), check, example)


@case
def some(folder):
    """the documentation shows commands"""
    assert found


main()
