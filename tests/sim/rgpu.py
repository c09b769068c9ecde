#!/usr/bin/env python3
"""The drawn maps of the samples leave the memory that the kernels leave.

usage: rgpu.py BUILD-ROOT
"""
import os
import re
import sys
import xml.etree.ElementTree

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, add_case, case, ends, main, run, same, within
import sample_runs
from sample_runs import BUILD, PROGRAM, RUNS, SAMPLES, name_of, same_buffers

# Small L1, queues and FIFOs.
SMALL = [option for key in ('spatial.l1_kib=2', 'spatial.l1_ways=2', 'spatial.mshrs=2', 'spatial.stores=2',
                            'spatial.address_fifo=16', 'llc.input=1', 'spatial.l1_words=2', 'spatial.l1_tags=1')
         for option in ('--set', key)]
# Groups of INTEGR and NW wait for each other; PATH has several launches.
ROOT = SAMPLES.parent
DRAWN = [path for path in RUNS if re.search(r'\bspatial: ', path.read_text())]


def execute(folder, path, *options):
    contents, _ = sample_runs.execute(folder, path, '--stats=stats', *options)
    return contents, (folder / 'stats').read_text()


def counted(statistics, name):
    return max(int(value) for value in re.findall(r'^%s = (\d+)' % re.escape(name), statistics, re.M))


def sample(folder, path):
    sample_runs.tag(folder, path)
    expected, _ = sample_runs.execute(folder, path, '--functional')
    found, statistics = execute(folder, path, '--config=rgpu')
    same_buffers(found, expected, 'the map')
    assert counted(statistics, 'spatial.modes') > 0
    if SANITIZED:
        return
    again, shuffled = execute(folder, path, '--config=rgpu', '--shuffle=5')
    same_buffers(again, expected, 'another order')
    same(shuffled, statistics)
    small, _ = execute(folder, path, '--config=rgpu', *SMALL)
    same_buffers(small, expected, 'small hardware')
    off, statistics = execute(folder, path, '--config=gtx480')
    same_buffers(off, expected, 'without the mode')
    assert 'spatial.modes' not in statistics


@case
def activity(folder):
    """--series has the firings of each interval, whose sum is that of the run"""
    path = SAMPLES / 'conv' / 'run.yaml'
    ends(run([PROGRAM, path, '--config=rgpu', '--series=series.csv', '--interval=100', '--stats=stats',
              '--timed=conv_direct'], folder), 0)
    names, *rows = [line.split(',') for line in (folder / 'series.csv').read_text().splitlines()]
    for name in ('spatial.fired_int', 'spatial.fired_float', 'spatial.fired_load', 'spatial.fired_store'):
        same(sum(float(row[names.index(name)]) for row in rows),
             counted((folder / 'stats').read_text(), name))
    assert len(rows) > 5


@case
def launches(folder):
    """statistics have the size, the lanes and the rate of a map, and the rule that refuses a kernel"""
    rules = re.findall(r'^MAP_RULE\(\w+, "([\w-]+)"', (ROOT / 'passes/base/rules.def').read_text(), re.M)
    path = SAMPLES / 'conv' / 'run.yaml'

    def count(*options):
        statistics = execute(folder, path, '--config=rgpu', *options)[1]
        names = re.findall(r'^spatial\.((?:area|map_|drawn|compiled|refused)\w*) = (\d+)', statistics, re.M)
        return {name: int(value) for name, value in names[-13:]}
    sample_runs.tag(folder, path)
    drawn = {'map_cores': 13, 'map_lsus': 4, 'map_copies': 2, 'map_lanes': 4, 'map_lanes_least': 4,
             'map_rate': 11 * 1000000 // 19, 'area_lanes': 13040000, 'area_data': 2520000, 'area_address': 7440000}
    same(count(), dict(drawn, drawn=1, compiled=0, refused=0, refused_by=0))
    found = count('--set=spatial.automatic=true', '--set=spatial.gain=0')
    same((found['drawn'], found['compiled'], found['refused']), (1, 2, 1))
    same(rules[found['refused_by'] - 1], 'map-barrier')
    found = count('--set=spatial.automatic=true', '--set=spatial.gain=1000')
    same((found['compiled'], found['refused']), (0, 3))
    same(rules[found['refused_by'] - 1], 'map-no-gain')
    within('the map needs 2 cores with special functions, but there are 1',
           ends(run([PROGRAM, SAMPLES / 'mriq' / 'run.yaml', '--config=rgpu', '--set=spatial.sfus=1'],
                    folder), 5).err.decode())


@case
def activity_drawn(folder):
    """eval/activity.py draws the activity of both machines"""
    sizes = ['--set=values.width=64', '--set=values.height=32', '--interval=100']
    ends(run([sys.executable, ROOT / 'eval/activity.py', BUILD, '--out=both.svg', *sizes], folder), 0, '')
    picture = xml.etree.ElementTree.parse(folder / 'both.svg').getroot()
    lines = [path.get('d') for path in picture.iter('{http://www.w3.org/2000/svg}path') if path.get('fill') == 'none']
    same(len(lines), 4)
    assert all(line.count('L') > 3 for line in lines), lines


@case
def documented(folder):
    """docs/reference/rgpu.md has the keys of maps"""
    of = {'MAP': 'map', 'NODE': 'node', 'OPERAND': 'operand', 'INITIAL': 'initial tokens', 'RESULT': 'result'}
    keys = (ROOT / 'passes/maps/keys.def').read_text()
    rows = re.findall(r'^MAP_KEY\((\w+), (\w+), "[^"]*", (\w+), "(.*)"\)$', keys, re.M)
    wanted = ''.join('| `%s` | %s | %s | %s |\n' % (key, of[context], 'yes' if needed == 'REQUIRED' else '', text)
                     for context, key, needed, text in rows)
    assert len(rows) == keys.count('\nMAP_KEY(')
    within(wanted, (ROOT / 'docs/reference/rgpu.md').read_text())


@case
def pictures(folder):
    """ptxoffload-map draws each position, node, lane and edge"""
    path = SAMPLES / 'conv' / 'conv.map.yaml'
    for name in ('ring.svg', 'all.html'):
        ends(run([BUILD / 'cli' / 'ptxoffload-map', path, '--plot=' + name], folder), 0, '', '')
    ring = xml.etree.ElementTree.parse(folder / 'ring.svg').getroot()
    kind = '{http://www.w3.org/2000/svg}%s'
    same(len(ring.findall('.//' + kind % 'rect')), 1 + 48 + 2 * 17)
    texts = [text.text for text in ring.findall('.//' + kind % 'text')]
    same([text for text in texts if len(text) == 1], list('ABCD'))
    same(texts.count('top0'), 2)
    page = (folder / 'all.html').read_text()
    graph = page[page.index('<svg'):page.index('</svg>') + 6]
    graph = xml.etree.ElementTree.fromstring(graph)
    # Each FIFO is an edge: two of increments, three and one of addresses, data.
    same(len(graph.findall('.//' + kind % 'path')), 2 + 4 + 1 + 9 + 6 + 4)
    within('rate 11/19', page)


@case
def faults(folder):
    """a run file reports a map that cannot be read, with the place in the map"""
    text = (SAMPLES / 'conv' / 'run.yaml').read_text().replace('conv.ptx', str(SAMPLES / 'conv' / 'conv.ptx'))
    (folder / 'bad.map.yaml').write_text('nodes:\n  at: {op: increment, count: 8}\n')
    for name, fault in (('bad.map.yaml', b"'bad.map.yaml', line 2, column 3: no other node uses the result of 'at'"),
                        ('none.map.yaml', b"cannot read 'none.map.yaml': No such file or directory")):
        (folder / 'run.yaml').write_text(text.replace('conv.map.yaml', name))
        result = run([PROGRAM, 'run.yaml', '--config=rgpu'], folder)
        same((result.code, result.out), (1, b''))
        assert fault in result.err, result.err
    (folder / 'run.yaml').write_text(text.replace('conv.map.yaml', 'off'))
    ends(run([PROGRAM, 'run.yaml', '--config=rgpu'], folder), 0)
    (folder / 'run.yaml').write_text(text.replace('conv.map.yaml', 'auto'))
    result = ends(run([PROGRAM, 'run.yaml', '--config=rgpu', '--set=spatial.gain=0', '-v'], folder), 0)
    within(b"kernel 'conv_direct' runs a compiled map", result.err)


@case
def store_places(folder):
    """units that send lines in the cycle in which another one stores at once leave it a place"""
    path = SAMPLES / 'integr' / 'run-serial.yaml'
    size = ('--set=values.width=256', '--set=values.height=8')
    sample_runs.tag(folder, path)
    expected, _ = sample_runs.execute(folder, path, '--functional', *size)
    found, _ = execute(folder, path, '--config=rgpu', '--set=spatial.stores=3', *size)
    same_buffers(found, expected, 'three stores at a time')


@case
def sampled(folder):
    """no group of a map is left out by sampling"""
    path = SAMPLES / 'conv' / 'run.yaml'
    sample_runs.tag(folder, path)
    expected, _ = sample_runs.execute(folder, path, '--functional')
    for option in ('--sample-ctas=2', '--sample=2:1'):
        found, _ = execute(folder, path, '--config=rgpu', option)
        same_buffers(found, expected, option)


same(len(DRAWN), 9)
for one in DRAWN:
    add_case('%s: the map leaves the same memory' % name_of(one), sample, one)

if __name__ == '__main__':
    main()
