#!/usr/bin/env python3
"""What the two cost models say of the blocks of the samples: cost.py BUILD-ROOT [FILE.md]"""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = """# Verdicts of both cost models

**Both models agree on %d of %d blocks.** The refined model counts the lines that an access really touches, and predicts a gain
for %d blocks for which the model of TOM predicts none; the reverse holds for %d.

`bench/cost.py BUILD` writes this page over the samples, without `--block`. The table has the blocks with different verdicts: words to
move live values (in, out), words that an iteration saves (to and from memory), and the verdict: the number of iterations from which
it saves.

| kernel | block | tom: in, out | saves | verdict | refined: in, out | saves | verdict |
|---|---|---|---|---|---|---|---|
"""


def metadata(program, ptx, cost):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / 'o.json'
        subprocess.run([program, ptx, '-w', '--cost=' + cost, '-o', '/dev/null', '--metadata=%s' % file],
                       check=True)
        return json.loads(file.read_text())


def verdict(block):
    if not block['candidate']:
        return 'no'
    condition = block['condition']
    return 'n ≥ %d' % condition['threshold'] if condition else 'yes'


def cells(block):
    return '%g, %g | %g, %g | %s%s' % (block['words_in'], block['words_out'], block['saved_tx'],
                                       block['saved_rx'], verdict(block),
                                       ', passed over' if block['passed_over'] else '')


def rows(program, ptx):
    tom, refined = (metadata(program, ptx, cost) for cost in ('tom', 'refined'))
    for one, other in zip(tom['kernels'], refined['kernels']):
        for a, b in zip(one['blocks'], other['blocks']):
            assert (a['kind'], a['begin_line'], a['end_line']) == (b['kind'], b['begin_line'], b['end_line'])
            if a['candidate'] or b['candidate']:
                yield '| %s | %s %d–%d | %s | %s |\n' % (one['name'], a['kind'], a['begin_line'],
                                                        a['end_line'], cells(a), cells(b))


def verdicts(row):
    """Those of both models"""
    parts = row.split(' | ')
    return [part.strip(' |\n').replace(', passed over', '') for part in (parts[4], parts[7])]


def counts(table):
    """blocks with one verdict, blocks, blocks that only the refined model offloads, blocks that only TOM's does"""
    pairs = [verdicts(row) for row in table]
    return (sum(a == b for a, b in pairs), len(pairs), sum(a == 'no' for a, _ in pairs), sum(b == 'no' for _, b in pairs))


def main(build, to=None):
    program = pathlib.Path(build) / 'cli' / 'ptxoffload'
    files = sorted(ROOT.glob('samples/*/*.ptx'))
    table = [row for ptx in files for row in rows(program, ptx)]
    text = HEAD % counts(table) + ''.join(row for row in table if len(set(verdicts(row))) > 1)
    if to:
        pathlib.Path(to).write_text(text)
    else:
        sys.stdout.write(text)


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
main(*sys.argv[1:])
