#!/usr/bin/env python3
"""A machine beside the rows of a modern GPU that another simulator ran: cycles, instructions, sectors, DRAM requests.

usage: modern.py BUILD-ROOT [--data=FOLDER] [--config=NAME|FILE] [--row=NAME]... [--memory=cold|warm]
                 [--set=KEY=VALUE]... [--out=FILE.tsv] [--markdown=FILE.md]

FOLDER (tests/data/qv100) has qv100.tsv and rows/NAME.yaml. Names of programs and .npy files in a row are relative to this project or to
FOLDER. A warm row runs on a machine whose copies leave their data in the LLC. The accesses of L1 and LLC are sectors if
the machine has core.sector_requests.
"""
import argparse
import csv
import datetime
import functools
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / 'eval' / 'silicon'))
import curves  # noqa: E402

DATA = ROOT / 'tests' / 'data' / 'qv100'
COPIES = 'machine.copies_to_llc=true'
# column: (names of statistics that are added, columns of the table that are added)
COUNTS = {
    'instructions': (('machine.warp_instructions',), ('warp_instructions',)),
    'l1 sectors': (('l1.reads', 'l1.writes'), ('l1d_accesses',)),
    'l2 sectors': (('llc.reads', 'llc.writes'), ('l2_accesses',)),
    'dram': (('dram.reads', 'dram.writes'), ('dram_reads', 'dram_writes')),
}

TEXT = '''That simulator ran the rows in PTX mode with its published configuration SM7_QV100, which others have compared with hardware;
the cycles are those without its launch latency of 5,000. `runtime-sim/configs/qv100-gpgpusim.yaml` describes that
configuration: each value is that of an option, or has the rule by which it was chosen. "Cold": L2 is empty. "Warm": the copies
before the launch left their data in L2. Registers of a thread are those that `ptxas` states.

What differs most: `scp` takes 13 % fewer cycles here, `copy-strided` and `triad`, cold, 9 % fewer, and `m-scatter` 9 % more. The
causes are not known.

The machines `v100`, `a100`, `a100-80gb`, `h100`, `h100-pcie` and `h200` are those of measurements on hardware instead: `tests/sim/silicon.py` compares
latencies of arithmetic, shared memory, L1, L2 (near and far), atomics and DRAM, and bandwidths of L1, L2 and DRAM. Those that were
published for a machine are within 5 % of the range of their sources. These machines have virtual output queues (`packet_voqs`).
'''


def find_file(name, data):
    return next((folder / name for folder in (ROOT, data, data / 'rows') if (folder / name).exists()), ROOT / name)


def write_run(row, data, folder):
    """The row's run file with absolute names"""
    text = (data / 'rows' / (row['row'] + '.yaml')).read_text()
    text = re.sub(r'^program: (\S+)', lambda m: 'program: %s' % find_file(m[1], data), text, flags=re.M)
    text = re.sub(r'[\w./-]+\.npy', lambda m: str(find_file(m[0], data)), text)
    path = folder / 'run.yaml'
    path.write_text(text)
    return path


def measure(options, row):
    """The statistics of the row's launches in total"""
    settings = options.set + ([COPIES] if row['memory'] == 'warm' else [])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        out = folder / 'statistics.json'
        subprocess.run([options.build / 'cli' / 'ptxoffload-sim', write_run(row, options.data, folder), '-q',
                        '--config=' + options.config, '--set=core.thread_registers=' + row['registers'],
                        '--stats=%s' % out, *('--set=' + text for text in settings)],
                       check=True, stdout=subprocess.DEVNULL)
        return json.loads(out.read_text())['total']['statistics']


def ratio(have, theirs):
    return have / theirs if theirs else 1 if not have else math.inf


def compare(row, statistics):
    """{column: (ours, theirs)}; without a statistic, ours is not a number"""
    found = {'cycles': (statistics['machine.cycles'], float(row['net_cycles']))}
    for column, (names, columns) in COUNTS.items():
        ours = sum(statistics[name] for name in names) if set(names) <= set(statistics) else math.nan
        found[column] = (ours, sum(float(row[name] or 0) for name in columns))
    return found


def summary(ratios):
    """The geometric mean of max(r, 1/r), and the shares within 15 and 25 %"""
    apart = [max(r, 1 / r) for r in ratios]
    mean = math.exp(sum(map(math.log, apart)) / len(apart))
    return 'geometric mean %.3f; within 10 %%: %d, 15 %%: %d, 25 %%: %d of %d' % (
        mean, *(sum(abs(r - 1) <= limit for r in ratios) for limit in (0.10, 0.15, 0.25)), len(ratios))


def print_line(row, found):
    cells = ['%-14s %-4s %8.0f %8.0f %6.3f' % (row['row'], row['memory'], *found['cycles'], ratio(*found['cycles']))]
    for column in COUNTS:
        ours, theirs = found[column]
        cells.append('%9s %9.0f' % ('-' if math.isnan(ours) else '%.0f' % ours, theirs))
    print(' '.join(cells), flush=True)


def write_table(path, lines):
    with open(path, 'w', encoding='utf-8') as file:
        columns = ['cycles', *COUNTS]
        print('row', 'memory', *('%s%s' % (name, of) for name in columns for of in ('', ' there')), sep='\t', file=file)
        for row, found in lines:
            print(row['row'], row['memory'], *('' if math.isnan(value) else '%.0f' % value for name in columns
                                               for value in found[name]), sep='\t', file=file)


def same_counts(lines, column):
    """How many rows have the other simulator's count"""
    return sum(ours == theirs for ours, theirs in (found[column] for _, found in lines))


def write_page(options, lines):
    ratios = [ratio(*found['cycles']) for _, found in lines]
    exact = {column: same_counts(lines, column) for column in COUNTS}
    with open(options.markdown, 'w', encoding='utf-8') as file:
        say = functools.partial(print, file=file)
        say('# A Quadro GV100, beside GPGPU-Sim 4.2\n')
        say('**The machine `%s` takes the cycles of that simulator within %s.** Of %d rows, %d have the same instructions, %d '
            'the same\nsectors of L1, %d the same sectors of L2, and %d the same requests of the DRAM.\n' %
            (options.config, '%.0f %%' % (100 * max(abs(r - 1) for r in ratios)), len(lines), exact['instructions'],
             exact['l1 sectors'], exact['l2 sectors'], exact['dram']))
        say(TEXT)
        say('| row | memory | cycles | there | ratio | instructions | L1 sectors | L2 sectors | DRAM requests |')
        say('|---|---|' + '---:|' * 7)
        for row, found in lines:
            counts = ['%.0f%s' % (ours, '' if ours == theirs else ' (there %.0f)' % theirs)
                      for ours, theirs in (found[column] for column in COUNTS)]
            say('| %s | %s | %.0f | %.0f | %.3f | %s |' % (row['row'], row['memory'], *found['cycles'],
                                                        ratio(*found['cycles']), ' | '.join(counts)))
        say('\n| rows | of max(r, 1/r) |\n|---|---|')
        for memory in ('cold', 'warm', 'all'):
            chosen = [ratio(*found['cycles']) for row, found in lines if memory in ('all', row['memory'])]
            if chosen:
                say('| %s | %s |' % (memory, summary(chosen)))
        say('\n' + curves.section(curves.STORE, curves.EVERY))
        say('## How this page was made\n\nMade by `eval/modern.py build --markdown=docs/results/modern.md` on %s, with the '
            'rows of `tests/data/qv100`. The section on curves is made by `eval/silicon/curves.py build\n--markdown=docs/results/modern.md` '
            'of `eval/silicon/curves.jsonl`, which `eval/silicon/curves.py build` extends.' % datetime.date.today())


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--data', type=pathlib.Path, default=DATA)
    parser.add_argument('--config', default='qv100-gpgpusim')
    parser.add_argument('--row', action='append')
    parser.add_argument('--memory', choices=('cold', 'warm'))
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('--out')
    parser.add_argument('--markdown')
    options = parser.parse_args()
    options.data = options.data.resolve()
    with open(options.data / 'qv100.tsv', encoding='utf-8', newline='') as file:
        rows = [row for row in csv.DictReader(file, delimiter='\t')
                if (not options.row or row['row'] in options.row) and (options.memory or row['memory']) == row['memory']]
    print('%-19s %8s %8s %6s %19s %19s %19s %19s' % ('row', 'cycles', 'there', 'ratio', *COUNTS))
    lines = []
    for row in rows:
        lines.append((row, compare(row, measure(options, row))))
        print_line(*lines[-1])
    for memory in ('cold', 'warm'):
        ratios = [ratio(*found['cycles']) for row, found in lines if row['memory'] == memory]
        if ratios:
            print('%s: %s' % (memory, summary(ratios)))
    print('all: %s' % summary([ratio(*found['cycles']) for _, found in lines]))
    if options.out:
        write_table(options.out, lines)
    if options.markdown:
        write_page(options, lines)


if __name__ == '__main__':
    main()
