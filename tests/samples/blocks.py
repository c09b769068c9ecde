#!/usr/bin/env python3
"""The candidate blocks of every sample against the facts in its `expected` file, which were found by
reading the PTX. Usage: blocks.py BUILD"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'


def facts(path):
    """Yields (line number, words, numbers by name) of each `block` fact."""
    for number, line in enumerate(path.read_text().splitlines(), 1):
        words = line.split('#')[0].split()
        if words and words[0] == 'block':
            rest = ' '.join(words[6:])
            numbers = {name: int(re.search(name + r' (\d+)', rest)[1])
                       for name in ('live_in', 'live_out', 'loads', 'stores')}
            condition = re.search(r'condition ">= (\d+)"', rest)
            numbers['threshold'] = int(condition[1]) if condition else None
            yield number, words, numbers


def metadata(command, ptx, folder):
    subprocess.run([command, str(ptx), '-w', '--cost=tom', '-o', folder + '/o.ptx', '--metadata=' + folder + '/o.json'], check=True)
    with open(folder + '/o.json', encoding='utf-8') as file:
        return json.load(file)


def fault(document, words, numbers):
    """What is wrong with the block that a fact speaks of, or None."""
    kernel, kind, lines, verdict = words[2:6]
    begin, end = map(int, lines.split('-'))
    blocks = [b for k in document['kernels'] if k['name'] == kernel for b in k['blocks']
              if (b['kind'], b['begin_line'], b['end_line']) == (kind, begin, end)]
    if not blocks:
        return 'no such block'
    block = blocks[0]
    found = {'live_in': len(block['live_in']), 'live_out': len(block['live_out']),
             'loads': block['loads'], 'stores': block['stores'],
             'threshold': block['condition'] and block['condition']['threshold']}
    if found != numbers:
        return 'expected %s, found %s' % (numbers, found)
    if block['candidate'] != (verdict == 'candidate'):
        return 'it is %sa candidate' % ('' if block['candidate'] else 'not ')
    return None


def main():
    command, count = sys.argv[1] + '/cli/ptxoffload', 0
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(SAMPLES.glob('*/expected')):
            documents = {}
            for number, words, numbers in facts(path):
                if words[1] not in documents:
                    documents[words[1]] = metadata(command, path.parent / words[1], folder)
                wrong = fault(documents[words[1]], words, numbers)
                count += 1
                failed |= wrong is not None
                print('%s %d - %s:%d' % ('not ok' if wrong else 'ok', count, path.relative_to(SAMPLES), number))
                if wrong:
                    print('# %s: %s' % (' '.join(words[1:5]), wrong))
    print('1..%d' % count)
    return 1 if failed or not count else 0


if __name__ == '__main__':
    sys.exit(main())
