#!/usr/bin/env python3
"""ptxoffload-noc: what it reads, writes and says.

usage: command.py BUILD-ROOT [--update]

--update writes the table of keys in docs/reference/noc.md and tests/noc/values.json instead of comparing them.
"""
import csv
import hashlib
import io
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (add_case, case, cpu_seconds, ends, environment, fresh_document, main, named_values, run, same,
                 snapshot, wait_for, within)

BUILD = pathlib.Path(sys.argv[1]).resolve()
UPDATE = '--update' in sys.argv[2:]
PROGRAM = BUILD / 'cli' / 'ptxoffload-noc'
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENT, EXPECTED = ROOT / 'docs' / 'reference' / 'noc.md', ROOT / 'tests' / 'noc' / 'values.json'
UPDATING = 'tests/noc/command.py build --update'
ENOUGH = 0.5 # seconds in which a run of some size has done something
MESH, SHORT = '--config=noc/mesh88_8vc_islip', ('--warmup=500', '--cycles=2000')
HINT = "'ptxoffload-noc --help' explains the options\n"
SVG = '{http://www.w3.org/2000/svg}'


def noc(folder, *arguments, **settings):
    return run([PROGRAM, *arguments], folder, **settings)


def measured(folder, *arguments):
    return json.loads(ends(noc(folder, *arguments, '--json=-'), 0, err='').out)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def without_time(text):
    return re.sub(rb',\n *"cpu_seconds": [^\n]*', b'', text)


# Results

@case
def results(folder):
    """--json: what was asked for on top, then the results, then all statistics"""
    found = measured(folder, MESH, *SHORT, '--load=0.1', '--seed=3', '--set=vcs=4')
    same(list(found)[:8], ['program', 'configuration', 'inputs', 'traffic', 'flits', 'seed',
                           'warmup', 'window'])
    same((found['seed'], found['traffic'], found['flits']), (3, 'uniform', 1))
    same(found['configuration']['noc']['vcs'], 4)
    same([text['file'] for text in found['inputs']], ['noc/mesh88_8vc_islip', '--set'])
    config = (ROOT / 'runtime-sim/configs/noc/mesh88_8vc_islip.yaml').read_bytes()
    same(found['inputs'][0]['sha256'], hashlib.sha256(config).hexdigest())
    same((found['outcome'], found['stable']), ('done', True))
    same(found['cycles'], 500 + 2000 + found['drain_cycles'])
    assert 0.08 < found['offered'] < 0.12 and abs(found['accepted'] / found['offered'] - 1) < 0.05
    assert abs(found['accepted'] * 64 - found['accepted_total']) < 1e-9
    assert 6 < found['hops_mean'] < 6.5 and 33 < found['latency_mean'] < 35
    assert (7 <= found['latency_min'] <= found['latency_p50'] <= found['latency_p95'] <=
            found['latency_p99'] <= found['latency_max'])
    assert found['cpu_seconds'] > 0
    assert found['statistics']['noc.class0.packets'] >= found['packets']


@case
def everything_arrives(folder):
    """what is created in the window arrives, each packet once and whole"""
    for arguments in (('--load=0.2',), ('--load=0.2', '--flits=5'),
                      ('--load=0.3', '--traffic=transpose', '--set=routing=adaptive', '--flits=3'),
                      ('--load=0.3', '--set=classes=2', '--set=vcs=4', '--flits=2')):
        found = measured(folder, *SHORT, *arguments)
        if found['stable']:
            same(found['packets'], found['packets_created'])
        same(found['flits_created'], found['packets_created'] * found['flits'])
        total = {}
        for name, value in found['statistics'].items():
            total[name.split('.')[-1]] = total.get(name.split('.')[-1], 0) + value
        assert abs(total['flits_sent'] - total['flits_entered']) < 64 * 40
        same(total['packet_flits'], total['packets'] * found['flits'])


@case
def packets_of_several_sizes(folder):
    """--flits=1:3,5:1: three packets of 1 flit for one of 5; the load counts flits"""
    found = measured(folder, MESH, '--load=0.1', '--flits=1:3,5:1')
    same((found['flits'], found['stable']), (2, True))
    same(found['sizes'], [{'flits': 1, 'weight': 3}, {'flits': 5, 'weight': 1}])
    assert abs(found['offered'] / 0.1 - 1) < 0.02 and abs(found['accepted'] / 0.1 - 1) < 0.02
    assert abs(found['flits_created'] / found['packets_created'] - 2) < 0.02
    # 5·H + 2 + (L − 1) without other traffic, whose means are 6.25 and 2.
    assert 34.25 < found['latency_mean'] < 1.05 * 34.25
    alone = measured(folder, MESH, *SHORT, '--load=0.1', '--flits=5')
    same('sizes' in alone, False)
    weighted = measured(folder, MESH, *SHORT, '--load=0.1', '--flits=5:7')
    same(weighted['latency_mean'], alone['latency_mean'])


@case
def a_sweep_goes_as_far_as_the_ports(folder):
    """--sweep looks beyond a flit per cycle where senders have more than one port"""
    found = measured(folder, MESH, *SHORT, '--traffic=few-to-many:27', '--flits=4', '--sweep',
                     '--set=injection_ports=3', '--set=routing=xy')
    assert 1.5 < found['saturation'] <= 3, found['saturation']


@case
def summary(folder):
    """without an output a table is printed; nothing else is written"""
    result = ends(noc(folder, MESH, *SHORT, '--load=0.1'), 0, err='')
    lines = result.out.decode().splitlines()
    same(lines[0].split(), ['load', 'accepted', 'latency', 'p99', 'routers', 'stable'])
    same((len(lines), lines[1].split()[0], lines[1].split()[-1]), (2, '0.1', 'yes'))
    same(names(folder), [])


@case
def not_stable(folder):
    """a load that the network does not bear is said not to be stable, with exit code 0"""
    found = measured(folder, MESH, *SHORT, '--load=0.9')
    same((found['stable'], found['drain_cycles'], found['outcome']), (False, 0, 'done'))
    assert found['accepted'] < 0.6 * found['offered']


@case
def no_traffic(folder):
    """a load of 0: nothing arrives, and what is not known is null"""
    found = measured(folder, MESH, '--load=0')
    same((found['packets'], found['latency_mean'], found['hops_mean']), (0, None, None))
    same((found['cycles'], found['stable']), (40000, True))


@case
def same_bytes(folder):
    """two equal runs write the same CSV and text, and the same JSON up to its last member"""
    texts = []
    for name in ('one', 'two'):
        (folder / name).mkdir()
        out = ends(noc(folder / name, MESH, *SHORT, '--sweep=0.1,0.2', '--csv=s.csv', '--json=s.json'),
                   0).out
        text = (folder / name / 's.json').read_text()
        assert json.loads(text)['cpu_seconds'] > 0 and 'cpu_seconds' not in text.split('"points"')[0]
        texts.append((out, (folder / name / 's.csv').read_bytes(), text.rpartition('"cpu_seconds"')[0]))
    same(texts[0], texts[1])


@case
def every_configuration(folder):
    """all built-in configurations are read, by name and by path, and say what they are"""
    listed = ends(noc(folder, '--list-configs'), 0, err='').out.decode().split()
    for path in sorted((ROOT / 'runtime-sim/configs/noc').iterdir()):
        listed.remove('noc/' + path.stem)
        by_name = ends(noc(folder, '--config=' + path.stem, '--print-config'), 0, err='')
        for other in ('noc/' + path.stem, 'noc/' + path.name, path):
            same(noc(folder, '--config=%s' % other, '--print-config').out, by_name.out)
    same(listed, [])


@case
def a_configuration_that_is_printed_reads_back(folder):
    """--print-config prints a file with the same values"""
    first = ends(noc(folder, '--config=fly43_8vc_islip', '--set=noc.vc_buffer=3', '--print-config'), 0)
    (folder / 'copy.yaml').write_bytes(first.out)
    second = ends(noc(folder, '--config=copy.yaml', '--print-config'), 0, err='')
    same(second.out, first.out.replace(b'; not given', b''))
    within(b'vc_buffer: 3 ', first.out)


@case
def statistics(folder):
    """--stats writes as text, JSON and CSV what --list-stats lists"""
    for name in ('s.txt', 's.json', 's.csv'):
        ends(noc(folder, MESH, *SHORT, '--load=0.1', '--stats=' + name), 0, err='', out='')
    values = json.loads((folder / 's.json').read_text())
    text = (folder / 's.txt').read_text().splitlines()
    same([line.split(' = ')[0] for line in text], list(values))
    rows = list(csv.DictReader(open(folder / 's.csv', encoding='ascii')))
    same([row['name'] for row in rows], list(values))
    same([float(row['value']) for row in rows], [float(value) for value in values.values()])
    listed = ends(noc(folder, '--list-stats'), 0, err='').out.decode()
    for name in values:
        within(name, listed)


# Sweeps

@case
def loads_of_a_sweep(folder):
    """--sweep=LOADS measures these, in order; as single runs do"""
    found = measured(folder, MESH, *SHORT, '--sweep=0.3,0.1')
    same([point['load'] for point in found['points']], [0.1, 0.3])
    single = measured(folder, MESH, *SHORT, '--load=0.3')
    for key, value in found['points'][1].items():
        same((key, single[key]), (key, value))
    found = measured(folder, MESH, *SHORT, '--sweep=0.1:0.3:0.1')
    same([point['load'] for point in found['points']], [0.1, 0.2, 0.3])
    same(found['saturation'], 0.3)


@case
def a_sweep_finds_saturation(folder):
    """--sweep finds what the network bears, as JSON, CSV and on a page"""
    ends(noc(folder, MESH, '--warmup=2000', '--cycles=4000', '--sweep', '--json=s.json',
             '--csv=s.csv', '--plot=s.svg'), 0, err='', out='')
    found = json.loads((folder / 's.json').read_text())
    assert 0.40 < found['saturation'] < 0.45, found['saturation']
    points = found['points']
    loads = [point['load'] for point in points]
    same(loads, sorted(set(loads)))
    assert len(loads) > 12 and loads[-1] == 1
    for point in points:
        same(point['stable'], point['load'] <= found['saturation'])
    rows = list(csv.DictReader(open(folder / 's.csv', encoding='ascii')))
    same(list(rows[0]), list(points[0]))
    for row, point in zip(rows, points):
        for key, value in point.items():
            same(row[key], json.dumps(value).strip('"'))


# Pictures

def drawing(path):
    text = path.read_text()
    assert 'http' not in text.replace('http://www.w3.org/2000/svg', ''), 'refers to the network'
    assert 'light-dark(' in text
    return xml.etree.ElementTree.fromstring(text)


@case
def a_plot(folder):
    """--plot=FILE.svg has a dot in both panels for what the network bears, else in one"""
    ends(noc(folder, MESH, *SHORT, '--sweep=0.1,0.2,0.3,0.8', '--plot=p.svg'), 0, err='', out='')
    root = drawing(folder / 'p.svg')
    same(len(root.findall(SVG + 'circle')), 3 + 4)
    same(len(root.findall(SVG + 'polyline')), 3)
    same([dot.get('class') for dot in root.findall(SVG + 'circle')].count('hollow'), 1)
    width, height = float(root.get('width')), float(root.get('height'))
    for text in root.iter(SVG + 'text'):
        assert 0 < float(text.get('x')) < width and 0 < float(text.get('y')) < height
    titles = [dot.find(SVG + 'title').text for dot in root.iter(SVG + 'circle')]
    assert any(re.match(r'load 0\.3: accepted 0\.[23]\d+, latency 3\d', title) for title in titles)


@case
def a_heat_map(folder):
    """--heatmap has an arrow for each channel between routers, and ports"""
    ends(noc(folder, MESH, *SHORT, '--load=0.1', '--traffic=flow:0,2', '--heatmap=h.svg'), 0, err='')
    root = drawing(folder / 'h.svg')
    arrows = root.findall(SVG + 'polygon')
    same(len(arrows), 2 * 2 * 7 * 8)
    busy = [arrow.find(SVG + 'title').text for arrow in arrows if arrow.get('class') != 'h0']
    same([title.split(':')[0] for title in sorted(busy)],
         ['router 0 to router 1', 'router 1 to router 2'])
    for network, channels in (('fly43_8vc_islip', 4 * 64), ('crossbar64_8vc_islip', 2 * 64)):
        ends(noc(folder, '--config=' + network, *SHORT, '--load=0.1', '--heatmap=h.svg'), 0, err='')
        same(len(drawing(folder / 'h.svg').findall(SVG + 'path')), channels)


@case
def a_heat_map_of_a_butterfly(folder):
    """packets go from the left to the right, reversed or not, and routers' nodes have their marks"""
    for reverse in ('false', 'true'):
        ends(noc(folder, '--config=fly43_8vc_islip', *SHORT, '--load=0.1', '--heatmap=h.svg',
                 '--set=router_nodes=true', '--set=reversed=' + reverse), 0, err='')
        root = drawing(folder / 'h.svg')
        paths = root.findall(SVG + 'path')
        same(len(paths), 4 * 64)
        for path in paths:
            numbers = [float(number) for number in re.findall(r'[\d.]+', path.get('d'))]
            assert numbers[0] < numbers[6], path.get('d')
        marks = [rect.find(SVG + 'title').text for rect in root.iter(SVG + 'rect')
                 if rect.find(SVG + 'title') is not None]
        for which in ('from its nodes', 'to its nodes'):
            same(marks.count(which + ': 0.0000 flits per cycle'), 48)


@case
def nodes_at_routers_are_silent(folder):
    """traffic goes between the nodes at the sides, and what it meets is as without router_nodes"""
    results = []
    for nodes in ('false', 'true'):
        ends(noc(folder, '--config=fly43_8vc_islip', *SHORT, '--load=0.5', '--flits=1,5',
                 '--set=router_nodes=' + nodes, '--json=o.json'), 0, err='', out='')
        result = json.loads((folder / 'o.json').read_text())
        results.append({key: result[key] for key in
                        ('latency_mean', 'latency_max', 'packets', 'senders', 'receivers',
                         'hops_mean', 'accepted', 'statistics')})
    same(results[1], results[0])
    same(results[0]['senders'], 64)


@case
def a_page(folder):
    """--plot=FILE.html has both pictures, the numbers and the configuration"""
    ends(noc(folder, MESH, *SHORT, '--sweep=0.1,0.2', '--plot=p.html'), 0, err='', out='')
    text = (folder / 'p.html').read_text()
    same((text.count('<svg'), text.count('</svg>'), text.count('<tr>')), (2, 2, 3))
    within('vc_allocator: islip', text)
    ends(noc(folder, MESH, *SHORT, '--load=0.1', '--plot=p.html'), 0, err='', out='')
    same((folder / 'p.html').read_text().count('<svg'), 1)


# The same again

# What is compared of a run.
NAMED = ('offered', 'accepted', 'latency_mean', 'latency_p99', 'latency_max', 'hops_mean', 'packets',
         'flits_arrived', 'flits_behind', 'cycles')
NAMED_STATISTICS = ('noc_buffer_write', 'noc_crossbar', 'noc_switch_arbitration', 'noc_link',
                    'noc_vc_arbitration', 'flits', 'hops', 'latency_sum', 'wait_sum')
RUNS = {
    'mesh': (MESH, '--load=0.3', '--flits=5'),
    'separable': ('--config=mesh66_4vc_sif', '--load=0.45'),
    'mixed': (MESH, '--load=0.3', '--flits=1:3,5:1'),
    'butterfly': ('--config=fly43_8vc_islip', '--load=0.5'),
    'reversed butterfly': ('--config=fly43_8vc_islip', '--set=reversed=true',
                           '--set=router_nodes=true', '--load=0.5'),
    'crossbar': ('--config=crossbar64_8vc_islip', '--traffic=many-to-few:56-63', '--load=0.12'),
    'adaptive': (MESH, '--load=0.2', '--set=routing=adaptive', '--traffic=transpose', '--flits=4'),
    'saturated': (MESH, '--load=1', '--set=injection_queue=16'),
}


def outputs(folder, *arguments):
    ends(noc(folder, *SHORT, *arguments, '--json=o.json', '--stats=o.txt', '--heatmap=o.svg'), 0,
         err='', out='')
    return [without_time((folder / name).read_bytes()) for name in ('o.json', 'o.txt', 'o.svg')]


def same_bytes(folder, arguments):
    first = outputs(folder, *arguments)
    same(outputs(folder, *arguments), first)
    for seed in (1, 2, 12345):
        same(outputs(folder, *arguments, '--shuffle=%d' % seed), first)
    assert outputs(folder, *arguments, '--seed=2') != first


for name, arguments in RUNS.items():
    add_case('the same bytes again, and whatever the order of evaluation: ' + name, same_bytes,
             arguments)


@case
def same_everywhere(folder):
    """the same results whatever compiler built the program and whatever machine runs it"""
    found = {}
    for name, arguments in RUNS.items():
        data = json.loads(outputs(folder, *arguments)[0])
        found[name] = {key: data[key] for key in NAMED}
        found[name].update((key, value) for key, value in data['statistics'].items()
                           if key.split('.')[-1] in NAMED_STATISTICS)
    named_values(EXPECTED, found, UPDATE, UPDATING)


# What goes wrong

def bad_usage(folder, arguments, message):
    before = snapshot(folder)
    ends(noc(folder, *arguments), 2, 'ptxoffload-noc: error: %s\n%s' % (message, HINT), '')
    same(snapshot(folder), before)


BAD_USAGE = {
    'missing --load, --sweep or --trace-in': (),
    '--load and --sweep exclude each other': ('--load=0.1', '--sweep'),
    'unexpected operand: options begin with --': ('--load=0.1', 'x'),
    'a sender creates at most one packet per cycle: --load is at most --flits': ('--load=1.5',),
    '--plot needs --sweep; --heatmap does not':
        ('--load=0.1', '--plot=x.svg'),
    "--plot cannot be 'x.png': the name must end in .svg or .html": ('--load=0.1', '--plot=x.png'),
    "--load cannot be 'much': expected a number of flits, such as 0.25": ('--load=much',),
    "--sweep cannot be '0.1;2': expected 0.1,0.2,0.3 or FROM:TO:STEP":
        ('--sweep=0.1;2',),
    "--flits cannot be '0': expected a number from 1 to 1024, or several, such as 1,5 or 1:3,5:1":
        ('--load=0.1', '--flits=0'),
    "--flits cannot be '1;5': expected sizes such as 1,5 or 1:3,5:1": ('--load=0.1', '--flits=1;5'),
    "--set cannot be 'vcs': expected KEY=VALUE": ('--load=0.1', '--set=vcs'),
    "--traffic is invalid: unknown pattern 'unifrom'; did you mean 'uniform'?":
        ('--load=0.1', '--traffic=unifrom'),
}
for message, arguments in BAD_USAGE.items():
    add_case('bad usage: ' + message, bad_usage, arguments, message)


def bad_input(folder, arguments, message):
    (folder / 'out.json').write_text('what was there before\n')
    (folder / 'bad.yaml').write_text('noc: {vcs: 1000, vc: 4}\n')
    before = snapshot(folder)
    result = ends(noc(folder, '--load=0.1', '--json=out.json', *arguments), 1, out='')
    within(message, result.err.decode())
    same(snapshot(folder), before)


BAD_INPUT = {
    'a configuration of another kind': (('--config=gtx480',), "--config: error: the configuration "
                                        "'gtx480' is not for a network; --list-configs lists those that are"),
    'no such configuration': (('--config=mesh99',), "--config: error: there is no configuration 'mesh99'; "
                              '--list-configs lists them'),
    'the beginning of a name': (('--config=mesh88',), "--config: error: there is no configuration "
                                "'mesh88'; did you mean 'mesh88_8vc_islip'?"),
    'a mistyped name': (('--config=noc/mesh88_8vc_islp',),
                        "did you mean the configuration 'noc/mesh88_8vc_islip'?"),
    'a value out of range': (('--config=bad.yaml',), "bad.yaml:1:12: error: "),
    'an unknown key': (('--config=bad.yaml',), "'vc'"),
    'a setting out of range': (('--set=vcs=0',), '--set:1:12: error: '),
    'a pattern that does not fit': (('--traffic=transpose', '--set=width=4'),
                                    "--traffic: 'transpose' needs a square"),
    'a place that is not there': (('--traffic=hotspot:64',), 'names place 64, but places are 0 to 63'),
    'a packet that fits no queue': (('--flits=8', '--set=injection_queue=4'),
                                    'a packet of 8 flits does not fit into an injection queue of 4'),
    'two outputs in one file': (('--csv=out.json',),
                                "--json and --csv are both written to 'out.json'"),
    'an output over the configuration': (('--config=bad.yaml', '--set=vcs=4', '--csv=bad.yaml'),
                                         'error'),
    'an output that cannot be written': (('--csv=none/x.csv',), 'none/x.csv'),
}
for what, (arguments, message) in BAD_INPUT.items():
    add_case('bad input: ' + what, bad_input, arguments, message)


@case
def output_over_input(folder):
    """an output does not take the configuration's place"""
    (folder / 'net.yaml').write_text('noc: {vcs: 4}\n')
    result = ends(noc(folder, '--config=net.yaml', '--load=0.1', '--json=net.yaml'), 1, out='')
    same(result.err, b"ptxoffload-noc: error: --json would overwrite the configuration 'net.yaml'\n")
    same((folder / 'net.yaml').read_text(), 'noc: {vcs: 4}\n')


@case
def no_credits(folder):
    """without buffers nothing moves: exit code 4, and who waits for whom"""
    result = ends(noc(folder, MESH, '--load=0.1', '--set=vc_buffer=0', '--json=o.json'), 4, out='')
    lines = result.err.decode().splitlines()
    assert re.fullmatch(r'ptxoffload-noc: error: no progress: no flit has moved since cycle \d+, and '
                        r'\d+ packets are in flight', lines[0]), lines[0]
    assert len(lines) > 5, lines
    found = json.loads((folder / 'o.json').read_text())
    same((found['outcome'], found['stable'], found['packets']), ('no progress', False, 0))


@case
def slow_is_not_stuck(folder):
    """what is on its way through long stages and channels moves, however short the patience is"""
    found = measured(folder, MESH, *SHORT, '--load=0.001', '--patience=1')
    same((found['outcome'], found['packets']), ('done', found['packets_created']))
    found = measured(folder, MESH, *SHORT, '--load=0.001', '--patience=1', '--set=routing_delay=64',
                     '--set=channel_latency=64', '--set=vc_alloc_delay=64', '--set=credit_delay=64',
                     '--set=vc_buffer=1', '--flits=3')
    same((found['outcome'], found['packets'] > 0), ('done', True))
    result = ends(noc(folder, MESH, '--load=0.1', '--set=vc_buffer=0', '--patience=1'), 4)
    within('no progress: no flit has moved since cycle', result.err.decode())


@case
def interrupted(folder):
    """an interrupt ends the run, and the results so far are written"""
    process = subprocess.Popen([PROGRAM, MESH, '--load=0.3', '--cycles=1000000000', '--json=o.json'],
                               cwd=folder, stderr=subprocess.PIPE, env=environment())
    wait_for(lambda: cpu_seconds(process) > ENOUGH, process)
    process.send_signal(signal.SIGINT)
    err = process.communicate(timeout=60)[1]
    same((process.returncode, err), (-signal.SIGINT, b''))
    found = json.loads((folder / 'o.json').read_text())
    same((found['outcome'], found['stable']), ('interrupted', False))
    same(names(folder), ['o.json'])


@case
def progress(folder):
    """on a terminal a sweep says where it is, and clears the line; on a dumb one it is silent"""
    said = said_on_terminal(folder, 'xterm')
    within(b'load 0.2, 2 of 2: cycle ', said)
    within(b' s left', said)
    assert said.endswith(b'\r\x1b[K'), said
    same(said_on_terminal(folder, 'dumb'), b'')


def said_on_terminal(folder, terminal):
    master, slave = pty.openpty()
    process = subprocess.Popen([PROGRAM, MESH, '--sweep=0.1,0.2', '--csv=o.csv'], cwd=folder,
                               stderr=slave, env=environment(TERM=terminal))
    os.close(slave)
    said = b''
    try:
        while True:
            some = os.read(master, 4096)
            if not some:
                break
            said += some
    except OSError:  # the other end is closed
        pass
    os.close(master)
    same(process.wait(), 0)
    return said


@case
def quiet(folder):
    """-q prints no report; a heat map is SVG; no file has two outputs, by any name"""
    ends(noc(folder, MESH, *SHORT, '--load=0.1', '-q'), 0, err='', out='')
    ends(noc(folder, MESH, '--load=0.1', '--json=x', '--diagnostics=json:./x'), 2, out='')
    within('--heatmap', ends(noc(folder, MESH, '--load=0.1', '--heatmap=h.png'), 2).err.decode())


# What it tells

@case
def information(folder):
    """--help names all patterns, --version the version; both alone and on standard output"""
    text = ends(noc(folder, '--help'), 0, err='').out.decode()
    for pattern in re.findall(r'^TRAFFIC\("([^"]*)"',
                              (ROOT / 'tools/noc/traffic.def').read_text(), re.M):
        assert re.search(r'^  %s\b' % pattern, text, re.M), pattern
    for line in text.splitlines():
        assert len(line) < 110, line
    assert re.fullmatch(r'ptxoffload-noc \d+\.\d+\.\d+( \(\S+\))?\n',
                        ends(noc(folder, '--version'), 0, err='').out.decode())


@case
def keys_are_documented(folder):
    """docs/reference/noc.md has the keys that --help=keys-markdown prints (command.py BUILD --update writes them)"""
    table = ends(noc(folder, '--help=keys-markdown'), 0, err='').out.decode()
    text = DOCUMENT.read_text()
    begin, end = '<!-- keys -->\n', '<!-- end of keys -->\n'
    written = text[:text.index(begin) + len(begin)] + table + text[text.index(end):]
    fresh_document(DOCUMENT, written, UPDATE, UPDATING)


main()
