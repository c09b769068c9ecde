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
    """the latency of reads is the sum of its stages, and the chart shows the same latency"""
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
        within('mean latency of reads that leave the cores, cycles', page)
        assert 'all replies' not in page
        series = report['series']
        cycles, reads = (sum(sample[2 + series['names'].index(name)] for sample in series['samples'])
                         for name in ('cycles of reads', 'memory.reads_answered'))
        total = {number['name']: number['value'] for number in report['total']['numbers']}['latency of reads']
        assert abs(cycles / reads - total) < 0.01 * total, (policy, cycles / reads, total)


@case
def page(folder):
    """the page of text: what each kernel did; no page beside a file, or with -q"""
    text = ends(sim(folder, *tagged(folder)), 0, '').out.decode()
    for words in ('policy omni', 'srad_1\n', ' cycles in 2 launches\n', 'lines of loads, by the level that served them',
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


def limits_of(kernel):
    """Limit to cycles, by phase."""
    return {phase['name']: {limit['name']: limit['cycles'] for limit in phase['limits']} for phase in kernel['phases']}


@case
def explanation(folder):
    """--explain names what limits, for how long, and the gain without it; the numbers are the document's"""
    (folder / 'copy.ptx').write_text(COPY)
    launch = ['copy.ptx', '--grid', '1024', '--block', '256', '--arg', 'buf:f32:1048576:iota', '--arg',
              'buf:f32:1048576:zero']
    text = ends(sim(folder, *launch, '--explain', '--report=json:r.json'), 0, '').out.decode()
    kernel, = document(folder / 'r.json')['kernels']
    said = ' '.join(text[text.index('bottleneck\n'):].split())
    limits = kernel['limits']
    same([limit['cycles'] for limit in limits], sorted((limit['cycles'] for limit in limits), reverse=True))
    whole = sum(limit['cycles'] for limit in limits)
    first = re.search(r'bottleneck (?:Limited|Probably limited) by ([a-zA-Z ]+) for (\d+) % of the cycles, in which '
                      r'it is used (\d+) %\.', said)
    same(first.groups(), (limits[0]['name'], '%.0f' % (100 * limits[0]['cycles'] / whole),
                          '%.0f' % (100 * limits[0]['used'])))
    gain = whole / (whole - limits[0]['cycles'] + limits[0]['without'])
    within('at most %.2f times as fast; then %s' % (gain, limits[0]['next']) if gain >= 1.05 else
           'Without this limit %s would limit it nearly as much.' % limits[0]['next'], said)
    # One warp: no part is used.
    text = ends(sim(folder, 'copy.ptx', '--grid', '1', '--block', '32', '--arg', 'buf:f32:128:iota', '--arg',
                    'buf:f32:128:zero', '--explain'), 0, '').out.decode()
    within('Limited by latency for 100 % of the cycles', text)


@case
def phases(folder):
    """phases and limits add up to the cycles of the launches, for each kernel and in total"""
    for sample, more in ('bfs', []), ('srad', []), ('red', ['--set=core.schedulers=2']), ('stencil', ['--config=gtx480']):
        run = ROOT / 'samples' / sample / 'run.yaml'
        ends(sim(folder, run, '--report=json:r.json', *more), 0, '', '')
        report = document(folder / 'r.json')
        spans = report['launches']
        for number, kernel in enumerate(report['kernels']):
            cycles = sum(span['ended'] - span['begun'] for span in spans if span['kernel'] == number)
            phased = sum(phase['cycles'] for phase in kernel['phases'])
            assert abs(phased - cycles) < 0.5, (sample, kernel['name'], phased, cycles)
            for phase in kernel['phases']:
                assert abs(sum(limit['cycles'] for limit in phase['limits']) - phase['cycles']) < 0.5, phase
            for limit in kernel['limits']:
                by_phase = sum(limits.get(limit['name'], 0) for limits in limits_of(kernel).values())
                assert abs(by_phase - limit['cycles']) < 0.5, (limit, by_phase)
                assert 0 <= limit['without'] <= limit['cycles'] + 0.5 and 0 <= limit['used'] <= 1, limit
        total = sum(limit['cycles'] for limit in report['total']['limits'])
        same(round(total), round(sum(span['ended'] - span['begun'] for span in spans)))


HALVES = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry halves(.param .u64 from, .param .u32 adds, .param .u32 loads)
{
    .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<6>; .reg .f32 %f<5>;
    ld.param.u64 %rd1, [from];
    ld.param.u32 %r6, [adds];
    ld.param.u32 %r7, [loads];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.u32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 16;
    add.s64 %rd4, %rd1, %rd3;
    mov.f32 %f1, 0f3F800000;
    mov.f32 %f2, %f1;
    mov.f32 %f3, %f1;
    mov.f32 %f4, %f1;
add:
    fma.rn.f32 %f1, %f1, %f1, %f1;
    fma.rn.f32 %f2, %f2, %f2, %f2;
    fma.rn.f32 %f3, %f3, %f3, %f3;
    fma.rn.f32 %f4, %f4, %f4, %f4;
    sub.u32 %r6, %r6, 1;
    setp.ne.u32 %p, %r6, 0;
    @%p bra add;
    bar.sync 0;
load:
    ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd4];
    add.s64 %rd4, %rd4, 917504;
    sub.u32 %r7, %r7, 1;
    setp.ne.u32 %p, %r7, 0;
    @%p bra load;
    ret;
}
'''


@case
def halves(folder):
    """a kernel that computes and then loads has both limits, though each part is idle for half of the time"""
    (folder / 'halves.ptx').write_text(HALVES)

    def limits(adds, loads):
        ends(sim(folder, 'halves.ptx', '--grid', '224', '--block', '256', '--arg', 'buf:f32:%d:iota' % (229376 * (loads + 1)),
                 '--arg', 'u32:%d' % adds, '--arg', 'u32:%d' % loads, '--report=json:r.json'), 0, '', '')
        kernel, = document(folder / 'r.json')['kernels']
        return kernel['cycles'], {limit['name']: limit['cycles'] for limit in kernel['limits']}

    memory = ('DRAM data bus', 'replies into the network', 'DRAM queues', 'reply network')
    cycles, both = limits(140, 6)
    assert both['issue slots'] > 0.25 * cycles, (cycles, both)
    assert sum(both.get(name, 0) for name in memory) > 0.25 * cycles, (cycles, both)
    cycles, computes = limits(600, 1)
    assert computes['issue slots'] > 0.6 * cycles, (cycles, computes)
    cycles, loads = limits(1, 12)
    assert sum(loads.get(name, 0) for name in memory) > 0.6 * cycles, (cycles, loads)


@case
def summary(folder):
    """a run that writes files ends with three notes; none with -q, after a report as text, or for values alone"""
    run_of = tagged(folder)
    ends(sim(folder, *run_of, '--policy=baseline', '--report=json:base.json', '-q'), 0, '', '')
    done = ends(sim(folder, *run_of, '--json=x.json', '--beside=base.json', '--report=json:r.json'), 0, '', '')
    lines = done.summary.decode().splitlines()
    total, base = document(folder / 'r.json')['total'], document(folder / 'base.json')['total']
    same(len(lines), 3)
    within('note: {:,} cycles in {} launches of 7 kernels on isca19, policy omni'.format(
        int(total['cycles']), total['launches']), lines[0])
    within('note: beside base.json: %+.1f %%, from %s cycles on isca19, policy baseline' % (
        100 * (total['cycles'] / base['cycles'] - 1), format(int(base['cycles']), ',')), lines[1])
    whole = sum(limit['cycles'] for limit in total['limits'])
    first = total['limits'][0]
    within('imited by %s' % first['name'], lines[2])
    within('for %.0f %% of the cycles' % (100 * first['cycles'] / whole), lines[2])
    same(sim(folder, *run_of, '--json=x.json', '-q').summary, b'')
    same(sim(folder, *run_of, '--json=x.json', '--report=text:t.txt').summary, b'')
    same(sim(folder, VECADD).summary, b'')
    within(' warp instructions in 1 launch',
           sim(folder, VECADD, '--functional', '--json=x.json').summary.decode())
    # A large change is two values.
    ends(sim(folder, VECADD, '--set=values.n=64', '--report=json:small.json'), 0, '', '')
    small = document(folder / 'small.json')['total']['cycles']
    text = ends(sim(folder, VECADD, '--set=values.n=400000', '--report=text', '--beside=small.json'), 0).out.decode()
    within(' cycles in 1 launch (from %.4g to ' % small, text)
    assert not re.search(r'[+]\d{4,}\.\d %', text), text


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
        assert re.search(r'%s cycles in \d+ launch(es)? \(%s\)' % (format(int(other['cycles']), ','), re.escape(change)),
                         text), change
    (folder / 'bad.json').write_text('{"format": "ptxoffload-run"}')
    within('--beside=bad.json: it was not written',
           ends(sim(folder, *run_of, '--report=text', '--beside=bad.json'), 1).err.decode())
    (folder / 'bad.json').write_text('{')
    within('--beside=bad.json: line 1',
           ends(sim(folder, *run_of, '--report=text', '--beside=bad.json'), 1).err.decode())
    within('--beside with --quiet needs', ends(sim(folder, *run_of, '--beside=base.json', '-q'), 2).err.decode())
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
    assert 4 <= len(links) <= min(12, len(spans)), (links, len(spans))
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
        x = [float(n) for path in re.findall(r'<path class="c\d"[^>]* d="([^"]+)"', chart)
             for n in re.findall(r'[MH]([\d.]+)', path)]
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
