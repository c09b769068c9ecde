#!/usr/bin/env python3
"""The reports of ptxoffload-sim: the page of text, --explain, --report, --beside.

usage: report.py BUILD-ROOT
"""
import html.parser
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SRAD = ROOT / 'samples' / 'srad'
VECADD = ROOT / 'samples' / 'vecadd' / 'run.yaml'


def sim(folder, *arguments):
    return run([PROGRAM, *arguments], folder)


def tagged(folder):
    ends(run([TAGGER, SRAD / 'srad.ptx', '-o', 'srad.ptx', '--quiet'], folder), 0)
    return [SRAD / 'run.yaml', '--program=srad.ptx', '--policy=omni']


def document(path):
    found = json.loads(path.read_text())
    same((found['format'], found['version']), ('ptxoffload-simulation', 1))
    return found


def without_host(text):
    return re.sub(r'"host": \{[^}]*\}', '', text)


@case
def numbers(folder):
    """the document has what the statistics say: parts, stages, resources beside their peaks"""
    ends(sim(folder, VECADD, '--report=json:r.json', '--stats=s.json', '--stats-filter=*'), 0, '', '')
    found = document(folder / 'r.json')
    stats = json.loads((folder / 's.json').read_text())['total']['statistics']
    kernel, = found['kernels']
    cycles = stats['machine.cycles']
    same(kernel['cycles'], cycles)
    slots = {part['name']: part['value'] for part in kernel['slots']}
    same(slots['load'], stats['core.stall_load'])
    same(sum(slots.values()), cycles * 56 * 48)
    served = {part['name']: part['value'] for part in kernel['served']}
    same((served['LLC'], served['DRAM']), (stats['memory.from_llc'], stats['memory.from_dram']))
    latency = {part['name']: part['value'] for part in kernel['latency']}
    assert abs(latency['request network'] -
               stats['memory.in_request_network'] / stats['memory.reads_answered']) < 1e-9
    resources = {row['name']: row for row in kernel['resources']}
    bus, issue = resources['DRAM data bus'], resources['issue slots']
    clocks = cycles * 1000 / 1400
    assert abs(bus['used'] - stats['dram.data_clocks'] / clocks) < 1e-9
    same((bus['peak'], issue['peak']), (8, 56))
    most = max(stats['dram%d.data_clocks' % i] for i in range(8))
    assert abs(bus['busiest'] - most / clocks) < 1e-9
    assert abs(issue['busiest'] - max(stats['core%d.issued' % i] for i in range(56)) / cycles) < 1e-9
    for row in kernel['resources']:
        assert 0 <= row['used'] <= row['peak'] and (row['busiest'] or 0) <= 1.0001, row
    launch, = found['launches']
    same(launch['grid'], [40, 1, 1] if launch['grid'][0] == 40 else launch['grid'])
    names, samples = found['series']['names'], found['series']['samples']
    at = 2 + names.index('core.issued')
    last = samples[-1][1]
    assert sum(row[at] for row in samples) <= stats['core.issued'] and cycles - last < 256
    same([row[0] for row in samples[1:]], [row[1] for row in samples[:-1]])


@case
def same_bytes(folder):
    """equal runs give equal documents, in any order of evaluation, but for the time of the host"""
    run_of = tagged(folder)
    ends(sim(folder, *run_of, '--report=json:a.json'), 0, '', '')
    ends(sim(folder, *run_of, '--report=json:b.json', '--shuffle=7'), 0, '', '')
    same(without_host((folder / 'a.json').read_text()), without_host((folder / 'b.json').read_text()))


@case
def costs(folder):
    """each chain has its expected saving and what it measured, under each policy; they add up"""
    run_of = tagged(folder)
    for policy in 'llc', 'omni', 'adaptive':
        ends(sim(folder, *run_of, '--policy=' + policy, '--report=json:r.json', '--stats=s.json'), 0, '', '')
        total = document(folder / 'r.json')['total']
        stats = json.loads((folder / 's.json').read_text())['total']['statistics']
        measured = [{row['name']: row['value'] for row in item['measured']} for item in total['offloaded']]
        for name, statistic in (('executed', 'chains_tagged'), ('offloaded', 'chains_offloaded'),
                                ('in L1 already', 'discarded_hit'), ('bounced packets', 'bounced'),
                                ('turned off', 'discarded_off')):
            same((policy, name, sum(one[name] for one in measured)),
                 (policy, name, stats['offload.' + statistic]))
        same(sum(one['latency'] * one['offloaded'] for one in measured) // 1,
             stats['offload.chain_latency_sum'])
        for item in total['offloaded']:
            same((item['kind'], item['expected_in'], item['expected'] > 0), ('chain', 'flits per hop', True))


@case
def read_latency(folder):
    """the latency of reads is the sum of its stages, and the chart of all replies says so"""
    for policy in ('baseline', 'llc', 'omni'):
        more = tagged(folder)
        ends(sim(folder, *more, '--policy=' + policy, '--report=json:r.json', '--report=html:r.html',
                 '--stats=s.json'), 0)
        report = json.loads((folder / 'r.json').read_text())
        stats = json.loads((folder / 's.json').read_text())['total']['statistics']
        for kernel in [*report['kernels'], report['total']]:
            latency = {number['name']: number['value'] for number in kernel['numbers']}['latency of reads']
            parts = sum(part['value'] for part in kernel['latency'])
            assert abs(parts - latency) < 1e-6 * latency, (policy, parts, latency)
        assert policy == 'baseline' or stats['memory.data_answers'] != stats['memory.reads_answered']
        page = (folder / 'r.html').read_text()
        within('mean latency of all replies with data, cycles', page)
        assert 'mean latency of reads' not in page


@case
def page(folder):
    """the page of text: what each kernel did; no page beside a file, or with -q"""
    text = ends(sim(folder, *tagged(folder)), 0, '').out.decode()
    for words in ('policy omni', 'srad_1\n', ' cycles in 3 of 3 launches', 'lines of loads, by the level that served them',
                  'latency of reads that leave the core', 'resources, per clock', 'offloading by omni',
                  'chain 0 of srad_1, line ', 'expected to save', '; it costs instead', 'total\n',
                  ' cycles per second\n'):
        within(words, text)
    assert 'bottleneck' not in text
    ends(sim(folder, VECADD, '--json=x.json'), 0, '', '')
    ends(sim(folder, VECADD, '-q'), 0, '', '')
    ends(sim(folder, VECADD, '--report=html:x.html'), 0, '', '')
    within('vecadd', ends(sim(folder, VECADD, '--report=text:x.txt', '--json=y.json'), 0, '', '') and
           (folder / 'x.txt').read_text())


COPY = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry copy(.param .u64 from, .param .u64 to)
{
    .reg .b32 %r<5>; .reg .b64 %rd<6>; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [from];
    ld.param.u64 %rd2, [to];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 16;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];
    st.global.v4.f32 [%rd5], {%f1, %f2, %f3, %f4};
    ret;
}
'''


@case
def explanation(folder):
    """--explain names the part that limits, and the next one; the numbers are the document's"""
    (folder / 'copy.ptx').write_text(COPY)
    launch = ['copy.ptx', '--grid', '1024', '--block', '256', '--arg', 'buf:f32:1048576:iota', '--arg',
              'buf:f32:1048576:zero']
    text = ends(sim(folder, *launch, '--explain', '--report=json:r.json'), 0, '').out.decode()
    kernel, = document(folder / 'r.json')['kernels']
    shares = sorted((max(row['used'] / row['peak'], row['busiest'] or 0), row['name'])
                    for row in kernel['resources'] if row['name'] != 'warp slots')
    said = text[text.index('bottleneck\n'):]
    first = re.search(r'(Limited by|Probably limited by) ([a-zA-Z ]+): the busiest is used (\d+) % ', said)
    same((first.group(2), first.group(3)), (shares[-1][1], '%.0f' % (100 * shares[-1][0])))
    following = re.search(r'Next is ([a-zA-Z ]+): ', said)
    same(following.group(1), shares[-2][1])
    gain = re.search(r'at most ([0-9.]+) times as', said)
    same(gain.group(1), '%.2f' % (shares[-1][0] / shares[-2][0]))
    # One warp: no part is used.
    text = ends(sim(folder, 'copy.ptx', '--grid', '1', '--block', '32', '--arg', 'buf:f32:128:iota', '--arg',
                    'buf:f32:128:zero', '--explain'), 0, '').out.decode()
    within('No part of the machine is near its peak', text)


@case
def beside(folder):
    """--beside: changes of cycles, the other's shares; a wrong file is an error before the run"""
    run_of = tagged(folder)
    ends(sim(folder, *run_of, '--policy=baseline', '--report=json:base.json'), 0, '', '')
    text = ends(sim(folder, *run_of, '--report=text', '--report=json:omni.json', '--beside=base.json'), 0,
                '').out.decode()
    old, new = (document(folder / name)['kernels'] for name in ('base.json', 'omni.json'))
    for one, other in zip(old, new):
        change = '%+.1f %%' % (100 * (other['cycles'] / one['cycles'] - 1))
        within('%s cycles (%s)' % (format(int(other['cycles']), ','), change), text)
    (folder / 'bad.json').write_text('{"format": "ptxoffload-run"}')
    within('--beside=bad.json: it was not written',
           ends(sim(folder, *run_of, '--report=text', '--beside=bad.json'), 1).err.decode())
    (folder / 'bad.json').write_text('{')
    within('--beside=bad.json: line 1',
           ends(sim(folder, *run_of, '--report=text', '--beside=bad.json'), 1).err.decode())
    within('--beside needs', ends(sim(folder, *run_of, '--beside=base.json'), 2).err.decode())
    within("would overwrite the document of --beside", ends(
        sim(folder, *run_of, '--report=text:base.json', '--beside=base.json'), 1).err.decode())


class Reader(html.parser.HTMLParser):
    VOID = ('meta', 'br')

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.tags = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.ids += [value for name, value in attributes if name == 'id']
        for name, value in attributes:
            assert name not in ('src', 'onload') and not (name == 'href' and value[0] != '#'), (tag, name, value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        same(self.open.pop(), tag)


@case
def web(folder):
    """the page: well formed, without anything from outside, a section for each kernel"""
    run_of = tagged(folder)
    ends(sim(folder, *run_of, '--policy=baseline', '--report=json:base.json'), 0, '', '')
    ends(sim(folder, *run_of, '--report=html:r.html', '--beside=base.json'), 0, '', '')
    text = (folder / 'r.html').read_text()
    reader = Reader()
    reader.feed(text)
    same(reader.open, [])
    same(len(reader.ids), len(set(reader.ids)))
    for name in ['time', 'roofline', 'networks', 'total'] + ['k%d' % i for i in range(7)]:
        within(name, reader.ids)
    assert 'script' not in reader.tags
    within('expected to save', text)
    within('measured saving', text)


@case
def launches(folder):
    """charts of single launches: those that the list links to, with the cycles of the launch alone; none of a run of one"""
    bfs = ROOT / 'samples' / 'bfs' / 'run.yaml'
    ends(sim(folder, bfs, '--report=html:r.html', '--report=json:r.json'), 0, '', '')
    text, spans = (folder / 'r.html').read_text(), document(folder / 'r.json')['launches']
    links = [int(n) for n in re.findall(r'href="#launch-(\d+)"', text)]
    same(links, [int(n) for n in re.findall(r'id="launch-(\d+)"', text)])
    assert 4 <= len(links) <= 24 and len(links) < len(spans), (links, len(spans))
    rows = re.findall(r'<tr><td>(?:<a[^>]*>)?(\d+)(?:</a>)?</td>(?:<td>[^<]*</td>){4}', text)
    same([int(n) for n in rows[:len(spans)]], list(range(1, len(spans) + 1)))
    longest = max(range(len(spans)), key=lambda i: spans[i]['ended'] - spans[i]['begun'])
    within(longest + 1, links)
    for number in links:
        chart = text.split('id="launch-%d"' % number)[1].split('</svg>')[0]
        ticks = [float(n) for n in re.findall(r'class="small"[^>]*text-anchor="middle">([\d.e+]+)<', chart)]
        assert ticks, chart[-2000:]
        span = spans[number - 1]
        assert all(span['begun'] <= tick <= span['ended'] for tick in ticks), (number, ticks, span)
        x = [float(n) for n in re.findall(r'<rect class="c\d"[^>]* x="([\d.]+)"', chart)]
        assert x and 150 <= min(x) and max(x) <= 920, (min(x), max(x))
    ends(sim(folder, VECADD, '--report=html:one.html'), 0, '', '')
    assert 'launch-1' not in (folder / 'one.html').read_text()


@case
def profile(folder):
    """--profile-out carries what chains measured to the tagger's reports: by the lines of the source"""
    ends(run([TAGGER, SRAD / 'srad.ptx', '--tags=full', '-o', 'srad.ptx', '--quiet'], folder), 0)
    ends(sim(folder, SRAD / 'run.yaml', '--program=srad.ptx', '--policy=omni', '--profile-out=p.json',
             '--report=json:r.json'), 0, '', '')
    items = document(folder / 'r.json')['total']['offloaded']
    ends(run([TAGGER, SRAD / 'srad.ptx', '--profile=p.json', '--report=json:t.json', '--report=text:t.txt',
              '--report=html:t.html', '--report=json:t.json'], folder), 0)
    report = json.loads((folder / 't.json').read_text())
    same((report['outcomes']['policy'], report['outcomes']['machine']), ('omni', 'isca19'))
    assert 'measurements' not in report  # the instructions are those of the text with tags
    chains = {(kernel['name'], chain['instructions'][0]['line']): chain for kernel in report['kernels']
              for chain in kernel['chains']}
    found = report['outcomes']['offloaded']
    same(len(found), len(items))
    for one, item in zip(found, items):
        same(one['expected'], chains[one['kernel'], one['line']]['expected_saving'])
        measured = {row['name']: row['value'] for row in one['measured']}
        for row in item['measured']:
            same(measured[row['name']], row['value'])
    text = re.sub(r'\s+', ' ', (folder / 't.txt').read_text())
    within('measured by omni on isca19: executed 60, offloaded 60, latency 160.2 cycles', text)
    within('"policy": "omni"', (folder / 't.html').read_text())
    # A profile of the program itself, whose chains are in a document, has both.
    ends(run([TAGGER, SRAD / 'srad.ptx', '--no-reorder', '--tags=none', '-o', 'plain.ptx', '--metadata=m.json',
              '--quiet'], folder), 0)
    ends(sim(folder, SRAD / 'run.yaml', '--program=plain.ptx', '--metadata=m.json', '--policy=omni',
             '--profile-out=p.json'), 0, '', '')
    ends(run([TAGGER, SRAD / 'srad.ptx', '--profile=p.json', '--report=json:t.json'], folder), 0)
    report = json.loads((folder / 't.json').read_text())
    assert report['outcomes']['offloaded'] and report['measurements']


main()
