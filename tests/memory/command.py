#!/usr/bin/env python3
"""ptxoffload-dram: what it reads, writes and says.

usage: command.py BUILD-ROOT [--update]

--update writes the table of keys in docs/reference/memory.md and tests/memory/values.json instead of comparing
them.
"""
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (add_case, case, cpu_seconds, ends, environment, fresh_document, main, named_values, run, same,
                 wait_for, within)

BUILD = pathlib.Path(sys.argv[1]).resolve()
UPDATE = '--update' in sys.argv[2:]
PROGRAM = BUILD / 'cli' / 'ptxoffload-dram'
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT, CONFIGS = ROOT / 'docs' / 'reference' / 'memory.md', ROOT / 'runtime-sim' / 'configs' / 'dram'
HINT = "'ptxoffload-dram --help' explains the options\n"
SHORT = '--cycles=20000'
ENOUGH = 0.5 # seconds in which a measurement has done something
UPDATING = 'tests/memory/command.py build --update'
VALUES = ROOT / 'tests' / 'memory' / 'values.json'
# Configuration, pattern, part of writes, load: they give the same values on every host.
SAME = (
    ('gddr5_isca19', 'random', '0.3', '0.1'),
    ('tom_vault', 'random', '0', '0.15'),
    ('hbm2', 'seq', '0.5', '4'),
)
# What is compared of a run, besides the statistics of the whole memory.
NAMED = ('requests_per_clock', 'data_use', 'latency_mean', 'latency_min', 'wait_mean', 'requests',
         'row_hit_rate', 'offered', 'taken', 'answered')


def dram(folder, *arguments, **settings):
    return run([PROGRAM, *arguments], folder, **settings)


def measured(folder, *arguments):
    return json.loads(ends(dram(folder, *arguments, '--json=-'), 0, err='').out)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def near(value, expected, part):
    assert abs(value - expected) <= part * expected, '%r, expected %r' % (value, expected)


# Known limits

LIMITS = [
    ('gddr5_isca19', 'seq', 0, 0.5), ('gddr5_isca19', 'one-bank', 0, 1 / 39),
    ('gddr5_isca19', 'one-bank', 1, 1 / 40), ('gddr5_isca19', 'bank-rr', 0, 0.2),
    ('tom_vault', 'seq', 0, 0.25), ('tom_vault', 'bank-rr', 0, 4 / 24),
]


def limit(folder, name, pattern, writes, expected):
    found = measured(folder, '--config=' + name, '--pattern=' + pattern, '--writes=%d' % writes,
                     '--cycles=200000')
    near(found['requests_per_clock'], expected, 2e-4)
    same(found['taken'], found['answered'])


for values in LIMITS:
    add_case('%s, %s, writes %d: %.4f requests per clock' % values, limit, *values)


@case
def idle(folder):
    """idle latencies: 13 in the open row, 24 from a closed bank, 35 from another row"""
    low = ('--config=gddr5_isca19', '--load=0.0005', '--cycles=2000000')
    found = measured(folder, *low, '--pattern=seq')
    same(found['latency_min'], 13)
    found = measured(folder, *low, '--pattern=random', '--set=page=closed')
    same((found['latency_min'], found['row_hits']), (24, 0))
    near(found['latency_mean'], 24, 0.01)
    found = measured(folder, *low, '--pattern=one-bank')
    near(found['latency_mean'], 35, 0.02)


# Outputs

@case
def results(folder):
    """--json: what was asked for on top, then the results, then the statistics"""
    found = measured(folder, '--config=hbm2', SHORT, '--load=1', '--seed=9', '--writes=0.25',
                     '--set=channels=4')
    same(list(found)[:9], ['program', 'configuration', 'inputs', 'pattern', 'writes_asked', 'seed',
                           'warmup', 'cycles', 'outcome'])
    same((found['seed'], found['cycles'], found['load'], found['outcome']), (9, 20000, 1, 'done'))
    same(found['configuration']['dram']['channels'], 4)
    text = (CONFIGS / 'hbm2.yaml').read_bytes()
    same(found['inputs'][0], {'file': 'dram/hbm2', 'sha256': hashlib.sha256(text).hexdigest()})
    for key in ('requests_per_clock', 'latency_mean', 'latency_min', 'row_hits', 'cpu_seconds'):
        assert isinstance(found[key], (int, float)), key
    statistics = found['statistics']
    for name in ('reads', 'writes', 'row_hits'):
        total = sum(statistics['dram.channel%d.%s' % (i, name)] for i in range(4))
        same((total, total), (statistics['dram.' + name], found[name]))
    near(found['writes'] / found['requests'], 0.25, 0.05)
    near(found['requests_per_clock'], found['offered'] / 20000, 0.02)


@case
def text(folder):
    """without an output the results are printed"""
    result = ends(dram(folder, SHORT), 0, err='')
    within('requests_per_clock   0.5 ', result.out.decode())
    same(names(folder), [])


@case
def sweep(folder):
    """--sweep: a point for each load as CSV, JSON and picture"""
    ends(dram(folder, '--config=tom_vault', '--pattern=random', SHORT, '--sweep=0.02:0.1:0.04',
              '--csv=a.csv', '--json=a.json', '--plot=a.svg'), 0, err='', out='')
    rows = list(csv.DictReader(io.StringIO((folder / 'a.csv').read_text())))
    points = json.loads((folder / 'a.json').read_text())['points']
    same([float(row['load']) for row in rows], [0.02, 0.06, 0.1])
    same([point['load'] for point in points], [0.02, 0.06, 0.1])
    same([float(row['latency_mean']) for row in rows], [point['latency_mean'] for point in points])
    assert points[0]['latency_mean'] < points[1]['latency_mean'] < points[2]['latency_mean']
    tree = xml.etree.ElementTree.parse(folder / 'a.svg').getroot()
    same(len(tree.findall('.//{http://www.w3.org/2000/svg}circle')), 6)
    automatic = measured(folder, SHORT, '--sweep')
    same((automatic['saturation'], len(automatic['points'])), (0.5, 14))


@case
def trace(folder):
    """--trace: each command as a Chrome trace event, on the track of its bank"""
    found = measured(folder, '--config=gddr5_isca19', '--pattern=random', '--writes=0.5',
                     '--warmup=0', '--cycles=3000', '--trace=t.json', '--set=channels=2',
                     '--set=tREFI=1000', '--set=tRFC=50')
    events = json.loads((folder / 't.json').read_text())['traceEvents']
    spans = [event for event in events if event['ph'] == 'X']
    counts = {}
    for event in spans:
        word = event['name'].split()[0]
        counts[word] = counts.get(word, 0) + 1
        if word == 'row':
            assert event['tid'] < 8 and event['dur'] >= 28, event
    same((counts['RD'], counts['RD'] + counts['WR']), (counts['read'], found['taken']))
    assert counts['row'] >= found['activates'] and counts['REF'] >= 6
    same({event['pid'] for event in spans}, {0, 1})
    # Spans of a track do not overlap but for the commands within rows.
    for pid in (0, 1):
        rows = sorted((event['ts'], event['ts'] + event['dur']) for event in spans
                      if event['pid'] == pid and event['tid'] == 64)
        assert all(before[1] <= after[0] for before, after in zip(rows, rows[1:]))


@case
def statistics(folder):
    """--stats, --list-stats: text, JSON, CSV"""
    listed = ends(dram(folder, '--list-stats'), 0, err='').out.decode().splitlines()
    ends(dram(folder, SHORT, '--stats=s.json'), 0, err='', out='')
    ends(dram(folder, SHORT, '--stats=s.csv'), 0, err='', out='')
    printed = ends(dram(folder, SHORT, '--stats=-'), 0, err='').out.decode().splitlines()
    found = json.loads((folder / 's.json').read_text())
    rows = list(csv.reader(io.StringIO((folder / 's.csv').read_text())))
    same([line.split()[0] for line in listed], list(found))
    same([row[0] for row in rows[1:]], list(found))
    same([line.split()[0] for line in printed], list(found))


@case
def configuration(folder):
    """--print-config reads back as the same; names with and without folder and suffix"""
    for name in ('gddr5_isca19', 'dram/gddr5_ari', 'tom_vault.yaml', 'hbm2'):
        printed = ends(dram(folder, '--config=' + name, '--set=queue=16', '--print-config'), 0,
                       err='').out
        (folder / 'again.yaml').write_bytes(printed)
        again = ends(dram(folder, '--config=again.yaml', '--print-config'), 0, err='').out
        same(re.sub(rb' +#.*', b'', again), re.sub(rb' +#.*', b'', printed))
        within(b'queue: 16', printed)
    listed = ends(dram(folder, '--list-configs'), 0, err='').out.decode().split()
    for path in CONFIGS.glob('*.yaml'):
        listed.remove('dram/' + path.stem)
    same(listed, [])
    for name, text in (('gddr5', "there is no configuration 'gddr5'; did you mean 'gddr5_ari' or "
                        "'gddr5_isca19'? --list-configs lists them"),
                       ('isca19', "the configuration 'isca19' is not for a memory"),
                       ('no.yaml', "cannot read 'no.yaml': No such file or directory")):
        within('--config: error: ' + text, ends(dram(folder, '--config=' + name), 1).err.decode())
    (folder / 'mine.yaml').write_text('base: dram/tom_vault\ndram: {banks: 8}\n')
    found = measured(folder, '--config=mine.yaml', SHORT)
    same((found['configuration']['dram']['banks'], found['configuration']['dram']['tFAW']), (8, 24))


# Faults

@case
def bad_usage(folder):
    """a wrong command line: what is wrong, exit code 2"""
    for arguments, text in [
            (['--load=0'], "--load cannot be '0': expected a number of requests, such as 0.25"),
            (['--writes=2'], "--writes cannot be '2': expected a fraction of the requests, from 0 to 1"),
            (['--pattern=all'],
             "--pattern cannot be 'all': expected seq, random, one-bank or bank-rr"),
            (['--sweep=0.1,,2'], "--sweep cannot be '0.1,,2': expected 0.1,0.2,0.3 or "
                                 "FROM:TO:STEP, above 0"),
            (['--sweep', '--load=1'], '--load and --sweep exclude each other'),
            (['--plot=a.svg'], '--plot needs --sweep'),
            (['--plot=a.png', '--sweep'], "--plot cannot be 'a.png': the name must end in .svg"),
            (['--trace=t', '--sweep'], '--trace needs a single measurement and excludes --sweep'),
            (['--cycles=0'], "--cycles cannot be '0': expected a number from 1 to 1000000000000"),
            (['file'], 'unexpected operand (options begin with --): file'),
            (['--seeds=1'], "unknown option '--seeds'; did you mean '--seed'?")]:
        ends(dram(folder, *arguments), 2, err='ptxoffload-dram: error: %s\n%s' % (text, HINT),
             out='')


@case
def bad_input(folder):
    """a wrong configuration: where and what, exit code 1, nothing written"""
    (folder / 'a.yaml').write_text('dram:\n  tCL: 0\n  tFWA: 24\n')
    result = ends(dram(folder, '--config=a.yaml', '--json=out'), 1, out='')
    within("a.yaml:2:8: error: 'dram.tCL' must be at least 1 clocks [config]", result.err.decode())
    within("a.yaml:3:3: error: 'dram' has no key 'tFWA'; did you mean 'tFAW'? [config]",
           result.err.decode())
    ends(dram(folder, '--config=tom_vault', '--set=row_bytes=100'), 1, out='',
         err='ptxoffload-dram: error: dram.row_bytes is 100, not a multiple of dram.request_bytes: '
             '64\n')
    within('did you mean', ends(dram(folder, '--config=dram/gddr5_isca18'), 1, out='').err.decode())
    same(names(folder), ['a.yaml'])


@case
def bad_outputs(folder):
    """outputs that cannot be written, or would overwrite the configuration or each other"""
    (folder / 'a.yaml').write_text('dram: {banks: 4}\n')
    ends(dram(folder, '--config=a.yaml', '--json=./a.yaml'), 1, out='',
         err="ptxoffload-dram: error: --json would overwrite the configuration 'a.yaml'\n")
    ends(dram(folder, '--json=x', '--stats=x'), 1, out='',
         err="ptxoffload-dram: error: --json and --stats are both written to 'x'\n")
    within('no/x', ends(dram(folder, SHORT, '--json=y', '--stats=no/x'), 1, out='').err.decode())
    same(names(folder), ['a.yaml'])


@case
def interrupted(folder):
    """an interrupt ends the measurement and still writes what was counted"""
    process = subprocess.Popen([PROGRAM, '--cycles=1000000000000', '--json=a.json'], cwd=folder,
                               env=environment())
    wait_for(lambda: cpu_seconds(process) > ENOUGH, process)
    process.send_signal(signal.SIGINT)
    same(process.wait(60), -signal.SIGINT)
    found = json.loads((folder / 'a.json').read_text())
    same(found['outcome'], 'interrupted')
    near(found['requests_per_clock'], 0.5, 1e-3)
    same(found['taken'], found['answered'])


@case
def same_bytes(folder):
    """two equal sweeps write the same CSV and text, and the same JSON up to its last member"""
    texts = []
    for name in ('one', 'two'):
        (folder / name).mkdir()
        out = ends(dram(folder / name, '--config=hbm2', SHORT, '--sweep=0.1,0.2', '--csv=s.csv',
                        '--json=s.json'), 0).out
        text = (folder / name / 's.json').read_text()
        assert json.loads(text)['cpu_seconds'] > 0
        texts.append((out, (folder / name / 's.csv').read_bytes(), text.rpartition('"cpu_seconds"')[0]))
    same(texts[0], texts[1])


# The same everywhere

def same_values(folder, name, pattern, writes, load):
    arguments = ['--config=' + name, '--pattern=' + pattern, '--writes=' + writes, '--load=' + load,
                 '--cycles=50000', '--json=-']
    texts = [re.sub(rb',\n *"cpu_seconds": [^\n]*|\n *"program": [^\n]*', b'',
                    ends(dram(folder, *arguments), 0, err='').out) for _ in range(2)]
    same(texts[0], texts[1])
    found = json.loads(texts[0])
    values = {name: found[name] for name in NAMED}
    values.update((name, value) for name, value in found['statistics'].items()
                  if name.count('.') == 1)
    return values


@case
def same_everywhere(folder):
    """the same bytes again, and the same values on every host"""
    named_values(VALUES, {' '.join(key): same_values(folder, *key) for key in SAME}, UPDATE,
                 UPDATING)


# Documentation

@case
def keys_are_documented(folder):
    """docs/reference/memory.md has the keys that --help=keys-markdown prints (command.py BUILD --update writes them)"""
    table = ends(dram(folder, '--help=keys-markdown'), 0, err='').out.decode()
    text = DOCUMENT.read_text()
    begin, end = '<!-- keys -->\n', '<!-- end of keys -->\n'
    written = text[:text.index(begin) + len(begin)] + table + text[text.index(end):]
    fresh_document(DOCUMENT, written, UPDATE, UPDATING)


@case
def examples(folder):
    """the commands that docs/reference/memory.md shows work, and print what is shown"""
    count = 0
    lines = DOCUMENT.read_text().splitlines()
    for number, line in enumerate(lines):
        command = re.match(r'    (?:\$ )?(?:build/cli/)?ptxoffload-dram ([^#]*)', line)
        if not command or re.search(r'\b[A-Z]{3,}\b', command.group(1)):
            continue
        (folder / 'my.yaml').write_text('base: dram/gddr5_isca19\n')
        (folder / 'loads.trace').write_text('0 0x1000 R\n')
        result = ends(dram(folder, *command.group(1).split()), 0, err='').out.decode()
        count += 1
        for shown in lines[number + 1:]:
            if not line.startswith('    $ ') or not shown.startswith('    ') or \
                    shown.startswith('    $ '):
                break
            if shown.strip() != '…':
                within(shown[4:], result)
    assert count >= 6, count


@case
def help_texts(folder):
    """--help, --version"""
    within('usage: ptxoffload-dram ', ends(dram(folder, '--help'), 0, err='').out.decode())
    within('ptxoffload-dram ', ends(dram(folder, '--version'), 0, err='').out.decode())


main()
