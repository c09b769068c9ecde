#!/usr/bin/env python3
"""ptxoffload-sim --trace: Chrome trace events that say what the statistics say, and windows of them.

usage: trace.py BUILD-ROOT
"""
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, case, compared_case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'
VECADD = [SAMPLES / 'vecadd' / 'vecadd.ptx', '--grid', '64', '--block', '128',
          '--arg', 'buf:f32:8192:uniform', '--arg', 'buf:f32:8192:uniform:2',
          '--arg', 'buf:f32:8192:zero', '--arg', 'u32:8192']
SCP = SAMPLES / 'scp' / 'run.yaml'
BFS = SAMPLES / 'bfs' / 'run.yaml'
FEWER = [BFS, '--set', 'values.n=800']  # vertices
SLOTS = 56 * 48
REASONS = ('empty fetch result load barrier fence lanes forming chain ended unit memory_queue '
           'not_selected').split()
# Entries are few, so that packets are sent back and chains find none; some lanes have no node. A
# line fills the queue of replies, so that others wait.
FEW = [option for key in ('offload.queue=6', 'offload.service_queue=2', 'offload.buffer=1',
                          'offload.partial=true', 'llc.sets=4',
                          'reply_network.injection_queue=5') for option in ('--set', key)]
# A clock of the DRAM is 1.4 cycles: times are cut to thousandths of a cycle.
CLOSE = 0.0021
# Routers compute.
BUTTERFLIES = [option for key in ('request_network.topology=fly', 'reply_network.topology=fly',
                                  'request_network.router_nodes=true',
                                  'reply_network.router_nodes=true', 'reply_network.reversed=true')
               for option in ('--set', key)]


def sim(folder, *arguments):
    return run([PROGRAM, *arguments], folder)


def traced(folder, *arguments, code=0):
    """the trace of a run, and all its statistics"""
    note = ('ptxoffload-sim: note: --checkpoint empties the caches after each launch that it writes: '
            'cycles differ from those of a run without it\n')
    err = note if any(word.startswith('--checkpoint') for word in map(str, arguments)) else ''
    ends(sim(folder, *arguments, '--trace=t.json', '--stats=s.json'), code, None if code else err)
    return (json.loads((folder / 't.json').read_text()),
            json.loads((folder / 's.json').read_text())['total']['statistics'])


class Rows:
    """Spans of a trace by the names of their process and row; and its pairs, joined."""

    def __init__(self, trace):
        names, processes = {}, {}
        self.spans = collections.defaultdict(list)
        self.pairs = collections.defaultdict(list)
        self.open = {}
        for event in trace['traceEvents']:
            if event['ph'] == 'M' and event['name'] == 'thread_name':
                names[event['pid'], event['tid']] = event['args']['name']
            if event['ph'] == 'M' and event['name'] == 'process_name':
                processes[event['pid']] = event['args']['name']
        same(len(set(processes.values())), len(processes))
        for event in sorted((event for event in trace['traceEvents'] if event['ph'] not in 'MC'),
                            key=lambda event: (event['ts'], event['ph'])):
            self.take(event, processes[event['pid']], names)

    def take(self, event, process, names):
        if event['ph'] == 'X':
            assert event['dur'] > 0, event
            self.spans[process, names[event['pid'], event['tid']]].append(event)
            return
        key = process, event['id']
        if event['ph'] == 'b':
            assert key not in self.open, event
            self.open[key] = event
            return
        same(event['ph'], 'e')
        begin = self.open.pop(key)
        self.pairs[process].append((begin['ts'], event['ts'], begin['name'], begin['args']))

    def of(self, word):
        """rows whose names begin so, by process and name"""
        return {key: spans for key, spans in self.spans.items() if key[1].startswith(word)}


def well_formed(trace):
    """The rules of the format, as far as they are used."""
    same(sorted(trace), ['displayTimeUnit', 'otherData', 'traceEvents'])
    needed = {'X': {'name', 'pid', 'tid', 'ts', 'dur'}, 'C': {'name', 'pid', 'ts', 'args'}, 'M': {'name', 'pid', 'args'},
              'b': {'name', 'cat', 'pid', 'ts', 'id', 'args'},
              'e': {'name', 'cat', 'pid', 'ts', 'id'}, 'C': {'name', 'pid', 'ts', 'args'}}
    for event in trace['traceEvents']:
        assert needed[event['ph']] <= set(event), event
        assert event.get('ts', 0) >= 0, event
        if event['ph'] == 'M':
            within(event['name'], ('process_name', 'process_sort_index', 'thread_name',
                                   'thread_sort_index'))
    same(trace['otherData']['microsecond'], 'a cycle of the cores')
    named = [event['pid'] for event in trace['traceEvents'] if event['name'] == 'process_name']
    same(len(named), len(set(named)))


def follow(spans, nested=False):
    """Spans of a row do not overlap; with `nested` a span may lie in the one before."""
    end = outer = 0
    for span in spans:
        begin, until = span['ts'], span['ts'] + span['dur']
        if nested and span['name'] in ('RD', 'WR'):
            assert begin >= end - CLOSE and until <= outer + CLOSE, span
            end = until
        else:
            assert begin >= outer - CLOSE, span
            end, outer = begin, until


def slots(rows, begin, end):
    """Every slot is in one state at a time, from the begin to the end; returns cycles by state."""
    cycles = collections.Counter()
    found = rows.of('warp slot')
    same(len(found), SLOTS)
    for spans in found.values():
        at = begin
        for span in spans:
            same(span['ts'], at)
            at += span['dur']
            cycles['issued' if span['cat'] == 'issue' else 'stall_' + span['name']] += span['dur']
            assert span['cat'] == 'issue' and span['dur'] == 1 or span['name'] in REASONS, span
        same(at, end)
    return cycles


def channels_agree(rows, found):
    """rows of banks, and their reads and writes, lie in their place and are those counted"""
    counts = collections.Counter()
    for spans in rows.of('bank').values():
        follow(spans, nested=True)
        counts.update(span['name'].split()[0] for span in spans)
    for word in 'data', 'refresh':
        for spans in rows.of(word).values():
            follow(spans)
            counts.update(span['name'].split()[0] for span in spans)
    same((counts['RD'], counts['WR'], counts['row'], counts['REF']),
         (found['dram.reads'], found['dram.writes'], found['dram.activates'],
          found['dram.refreshes']))
    same((counts['read'], counts['write']), (counts['RD'], counts['WR']))


def packets_agree(rows, found):
    """as many packets and flits, from where they were counted"""
    same(rows.open, {})
    for place, network in enumerate(('request', 'reply')):
        pairs = rows.pairs['%s network %d' % (network, place)]
        same(len(pairs), found[network + '.class0.packets'])
        same(sum(args['flits'] for _, _, _, args in pairs), found[network + '.class0.flits'])
        same(sum(end - begin for begin, end, _, _ in pairs), found[network + '.class0.latency_sum'])
    same(collections.Counter(name for _, _, name, _ in rows.pairs['request network 0']),
         +collections.Counter({'read': found['memory.reads'], 'write': found['memory.writes'],
                               'atomic': found['memory.atomics'],
                               'reduction': found['memory.reductions']}))


def ctas_agree(rows, lines):
    """each CTA once, around all that its warps issue; instructions are those of the line"""
    ctas = {}
    for (process, _), spans in rows.of('CTA place').items():
        follow(spans)
        for span in spans:
            key = process, span['name'].split()[0], span['args']['cta'], span['ts']
            ctas[key] = span['ts'] + span['dur']
    for (process, _), spans in rows.of('warp slot').items():
        for span in (span for span in spans if span['cat'] == 'issue'):
            inside = [key for key, end in ctas.items() if key[0] == process and
                      key[2] == span['args']['cta'] and key[3] <= span['ts'] < end]
            same(len(inside), 1)
            line = lines[span['args']['line'] - 1]
            assert re.search(r'(^|[\s}])%s[\s;]' % re.escape(span['name']), line + ' '), (span, line)
    return ctas


@case
def whole(folder):
    """a whole run: slots, CTAs, packets and banks do what the statistics say"""
    trace, found = traced(folder, *VECADD)
    well_formed(trace)
    rows = Rows(trace)
    cycles = slots(rows, 0, found['machine.cycles'])
    same({reason: cycles[reason] for reason in cycles},
         {reason: found['core.' + reason] for reason in cycles})
    same(sum(cycles.values()), SLOTS * found['machine.cycles'])
    ctas = ctas_agree(rows, VECADD[0].read_text().splitlines())
    same(sorted(key[2] for key in ctas), list(range(64)))
    packets_agree(rows, found)
    channels_agree(rows, found)


@compared_case
def launches(folder):
    """several launches: each kernel's CTAs; barriers; the text of a run file's program"""
    trace, found = traced(folder, *FEWER)
    rows = Rows(trace)
    slots(rows, 0, found['machine.cycles'])
    same({key[1] for key in ctas_agree(rows, (SAMPLES / 'bfs' / 'bfs.ptx').read_text().splitlines())},
         {'bfs_expand', 'bfs_commit'})
    packets_agree(rows, found)


def alike(got, expected):
    for one, other in zip(got, expected):
        same(one, other)
    same(len(got), len(expected))


def cut(trace, begin, end):
    """a trace as it is in a window"""
    kept = []
    for event in trace['traceEvents']:
        if event['ph'] != 'X':
            continue
        at, until = max(event['ts'], begin), min(event['ts'] + event['dur'], end)
        if at < until:
            kept.append((event['pid'], event['tid'], round(at, 3), round(until, 3), event['name'],
                         str(event.get('args'))))
    return sorted(kept)


@case
def counters(folder):
    """counters over time: instructions, the DRAM's bus, what is in flight, and the queues"""
    trace, found = traced(folder, *VECADD)
    tracks = collections.defaultdict(list)
    for event in trace['traceEvents']:
        if event['ph'] == 'C':
            tracks[event['name']].append((event['ts'], event['args'].get('value')))
    same(sorted(tracks), ['DRAM data bus, % of the peak', 'IPC', 'W', 'packets in the reply network',
                          'packets in the request network', 'requests in the memory system'])
    # Each value of IPC is the mean up to the next one: together they are the instructions, but for
    # those of the last interval.
    times = [at for at, _ in tracks['IPC']]
    same(times, sorted(times))
    ends_of = times[1:] + [tracks['requests in the memory system'][-1][0]]
    instructions = sum(value * (end - at) for (at, value), end in zip(tracks['IPC'], ends_of))
    total = found['machine.thread_instructions']
    assert 0.95 * total <= instructions <= total + 1, (instructions, total)
    assert max(value for _, value in tracks['requests in the memory system']) > 50
    assert all(0 <= value <= 100 for _, value in tracks['DRAM data bus, % of the peak'])
    assert max(value for _, value in tracks['packets in the reply network']) > 5


@case
def windows(folder):
    """a window is what the whole trace is between its edges"""
    whole_trace, found = traced(folder, SCP)
    whole_rows = Rows(whole_trace)
    for begin, end in ((0, 300), (700, 701), (1000, 1777), (found['machine.cycles'] - 5, 10 ** 15)):
        trace, again = traced(folder, SCP, '--trace-window=%d:%d' % (begin, end))
        well_formed(trace)
        same(again, found)
        same(trace['otherData']['from'], str(begin))
        last = min(end, found['machine.cycles'])
        same(sum(slots(Rows(trace), begin, last).values()), SLOTS * (last - begin))
        alike(cut(trace, begin, end), cut(whole_trace, begin, end))
        for process, pairs in whole_rows.pairs.items():
            within_it = sorted((max(sent, begin), min(arrived, end), name, str(args))
                               for sent, arrived, name, args in pairs
                               if sent < end and arrived >= begin)
            alike(sorted((*pair[:3], str(pair[3])) for pair in Rows(trace).pairs[process]),
                  within_it)


@case
def intervals(folder):
    """packets that were sent in a window are those counted in it"""
    ends(sim(folder, SCP, '--series=s.csv', '--interval=600', '--trace=t.json',
             '--trace-window=600:1200'), 0, '', '')
    header, *lines = (folder / 's.csv').read_text().splitlines()
    row = dict(zip(header.split(','), lines[1].split(',')))
    same(row['cycle'], '1200')
    sent = [begin for begin, _, _, _ in
            Rows(json.loads((folder / 't.json').read_text())).pairs['request network 0']]
    # Those that were on their way already begin at the edge, with those of its first cycle.
    sent_before = sum(begin == 600 for begin in sent)
    requests = int(row['memory.requests'])
    assert requests > 100 and len(sent) - sent_before <= requests <= len(sent), (requests, len(sent))
    issued = sum(span['cat'] == 'issue' for spans in
                 Rows(json.loads((folder / 't.json').read_text())).of('warp slot').values()
                 for span in spans)
    same(issued, int(row['machine.warp_instructions']))


@compared_case
def unchanged(folder):
    """a trace changes nothing else, and does not depend on the order of evaluation"""
    for name, options in (('plain', []), ('traced', ['--trace=t.json']),
                          ('window', ['--trace=w.json', '--trace-window=100:900']),
                          ('shuffled', ['--trace=other.json', '--shuffle=3']),
                          ('again', ['--trace=other-window.json', '--trace-window=100:900',
                                     '--shuffle=4'])):
        ends(sim(folder, BFS, '--stats=%s.json' % name, '--series=%s.csv' % name, *options), 0, '',
             '')
        for suffix in '.json', '.csv':
            same((folder / (name + suffix)).read_bytes(), (folder / ('plain' + suffix)).read_bytes())
    same((folder / 'other.json').read_bytes(), (folder / 't.json').read_bytes())
    same((folder / 'other-window.json').read_bytes(), (folder / 'w.json').read_bytes())


@case
def other_machines(folder):
    """clocks that differ, several kinds of networks"""
    for options in (['--config=gtx480'],
                    ['--set', 'memory.network_clock=700', '--set', 'memory.llc_clock=900',
                     '--set', 'dram.clock=933', '--set', 'core.schedulers=2']):
        trace, found = traced(folder, *VECADD, *options)
        rows = Rows(trace)
        issued = 0
        for spans in rows.of('warp slot').values():
            same(sum(span['dur'] for span in spans), found['machine.cycles'])
            issued += sum(span['cat'] == 'issue' for span in spans)
        same(issued, found['core.issued'])
        channels_agree(rows, found)
        same(rows.open, {})


@case
def ended_early(folder):
    """a run that ends early leaves a whole document; so does one that stands still"""
    result = sim(folder, *VECADD, '--max-cycles=150', '--trace=t.json', '--stats=s.json')
    ends(result, 0)
    trace = json.loads((folder / 't.json').read_text())
    found = json.loads((folder / 's.json').read_text())['total']['statistics']
    rows = Rows(trace)
    slots(rows, 0, 150)
    same(len(rows.open) + sum(len(pairs) for pairs in rows.pairs.values()),
         found['request.class0.packets_sent'] + found['reply.class0.packets_sent'])
    same(sum(len(spans) for spans in rows.of('CTA place').values()), 64)
    stuck = ROOT / 'tests' / 'sim' / 'stuck.ptx'
    trace, found = traced(folder, stuck, '--kernel', 'parted', '--grid', '1', '--block', '64',
                          '--arg', 'buf:u32:1:zero', code=4)
    cycles = slots(Rows(trace), 0, found['machine.cycles'])
    same(cycles['stall_barrier'], found['core.stall_barrier'])
    assert cycles['stall_barrier'] > 0


@compared_case
def checkpoints(folder):
    """a trace goes through checkpoints; that of a run that goes on begins where it does"""
    ends(sim(folder, *FEWER, '--checkpoint=a.ck', '--trace=t.json', '--stats=s.json'), 0)
    trace = json.loads((folder / 't.json').read_text())
    found = json.loads((folder / 's.json').read_text())['total']['statistics']
    rows = Rows(trace)
    cycles = slots(rows, 0, found['machine.cycles'])
    same({reason: cycles[reason] for reason in cycles},
         {reason: found['core.' + reason] for reason in cycles})
    packets_agree(rows, found)
    channels_agree(rows, found)
    ends(sim(folder, *FEWER, '--checkpoint=a.ck', '--stop-after=4', '--stats=s.json'), 0)
    begin = json.loads((folder / 's.json').read_text())['total']['statistics']['machine.cycles']
    ends(sim(folder, *FEWER, '--resume=a.ck', '--checkpoint=a.ck', '--trace=r.json'), 0)
    resumed = json.loads((folder / 'r.json').read_text())
    slots(Rows(resumed), begin, found['machine.cycles'])
    cores = [cut({'traceEvents': [event for event in which['traceEvents'] if 'cat' in event]},
                 begin, found['machine.cycles']) for which in (resumed, trace)]
    alike(*cores)


def offloading(folder, name, policy, *options):
    """a sample's run with chains that are offloaded"""
    path = SAMPLES / name
    ends(run([TAGGER, path / (name + '.ptx'), '-o', name + '.ptx', '-w', '--fma=split'], folder), 0)
    return [path / 'run.yaml', '--program=%s.ptx' % name, '--policy=' + policy, *options]


def add(spans, *names):
    """sums of these arguments, or of durations"""
    return tuple(sum(span['dur'] if name == 'dur' else span['args'].get(name, 0) for span in spans)
                 for name in names)


def chains_agree(rows, found):
    """each chain that a warp has come to stands there once, with what has become of it"""
    spans = [span for row in rows.of('chain of slot').values() for span in row]
    by = collections.defaultdict(list)
    for span in spans:
        by[span['args']['outcome']].append(span)
    assert set(by) <= {'computed', 'bounced', 'discarded', 'refused'}, by.keys()
    same(len(spans), found['offload.chains_tagged'])
    sent = by['computed'] + by['bounced']
    same(len(sent), found['offload.chains_offloaded'])
    same(add(sent, 'dur', 'packets'),
         (found['offload.chain_latency_sum'], found['offload.packets']))
    same(add(spans, 'packets', 'computed'),
         (found['offload.packets'], found['offload.offloaded_lanes']))
    same(add(sent + by['discarded'], 'lanes'), (found['offload.chain_lanes'],))
    same(collections.Counter(span['args']['why'] for span in by['discarded'] + by['refused']),
         +collections.Counter({name[18:]: value for name, value in found.items()
                               if name.startswith('offload.discarded_')}))
    assert all(span['dur'] == 1 for span in by['refused'])
    assert all(0 < span['args']['forming'] <= span['dur'] for span in spans), spans
    return spans


def sent_agree(rows, found):
    """so does each packet, in its chain; returns them by core and entry"""
    packets = {(int(process.split()[1]), int(row.split()[-1])): spans
               for (process, row), spans in rows.of('offload queue entry').items()}
    every = [span for spans in packets.values() for span in spans]
    computed = [span for span in every if span['args']['outcome'] == 'computed']
    bounced = [span for span in every if span['args']['outcome'] == 'bounced']
    same((len(computed), len(bounced)), (found['offload.answered'], found['offload.bounced']))
    same(len(every), len(computed) + len(bounced))
    same(add(computed, 'dur', 'lanes'),
         (found['offload.packet_latency_sum'], found['offload.offloaded_lanes']))
    same(add(every, 'flits'), (found['offload.packet_flits'],))
    for (core, _), spans in packets.items():
        for span in spans:
            around = [chain for chain in
                      rows.spans['core %d' % core, 'chain of slot %d' % span['args']['slot']]
                      if chain['ts'] < span['ts'] and lies_in(span, chain)]
            same([chain['name'] for chain in around], [span['name']])
    return packets


def lies_in(span, other):
    return (other['ts'] <= span['ts'] and
            span['ts'] + span['dur'] <= other['ts'] + other['dur'])


def services_agree(rows, found, packets):
    """what service queues do with each packet lies in that, one thing after the other"""
    phases = collections.defaultdict(list)
    stays = collections.defaultdict(list)
    for (process, row), spans in rows.spans.items():
        if not process.startswith('service queue of '):
            continue
        for span in spans:
            args = span['args']
            around = [packet for packet in packets[args['core'], args['entry']]
                      if lies_in(span, packet)]
            same([packet['args']['to'] for packet in around], [process[17:]])
            same((around[0]['name'], around[0]['args']['lanes']), (args['chain'], args['lanes']))
            phases[span['name']].append(span)
            stays[process, row, args['core'], args['entry'], around[0]['ts']].append(span)
    same(len(phases['bounces']), found['offload.bounced'])
    same(len(phases['asks']), found['offload.answered'])
    same(len(phases['computes']), found['offload.answered'])
    assert len(phases['stores']) <= found['offload.stores']  # those that could not be sent at once
    same(add(phases['buffered'], 'stalled'), (found['offload.alu_contended'],))
    same(add(phases['reads'], 'lost'), (found['offload.service_lost'],))
    same(sum(span['dur'] for name, spans in phases.items() if name != 'bounces' for span in spans),
         found['offload.service_cycles'])
    order = 'asks waits ready reads buffered computes stores answers'.split()
    for spans in stays.values():
        names = [span['name'] for span in spans]
        assert names == ['bounces'] or names == [name for name in order if name in names], names
        for one, other in zip(spans, spans[1:]):
            same(one['ts'] + one['dur'], other['ts'])
    same(len(stays), found['offload.packets'])
    return phases


@case
def chains(folder):
    """what becomes of chains, packets and the entries of service queues is what was counted"""
    outcomes, phases, places = set(), set(), set()
    once, twice = ('--set', 'values.iterations=1'), ('--set', 'values.rounds=2')
    runs = [('srad', 'omni', once), ('srad', 'omni', [*once, *FEW]),
            ('srad', 'omni', [*once, *BUTTERFLIES]), ('kmn', 'adaptive', twice),
            ('compare', 'llc', FEW)]
    for name, policy, options in runs[-1:] if SANITIZED else runs:
        trace, found = traced(folder, *offloading(folder, name, policy, *options))
        well_formed(trace)
        rows = Rows(trace)
        cycles = slots(rows, 0, found['machine.cycles'])
        same({reason: cycles[reason] for reason in cycles},
             {reason: found['core.' + reason] for reason in cycles})
        for word in 'chain of slot', 'offload queue entry', 'entry', 'sent back':
            for spans in rows.of(word).values():
                follow(spans)
        outcomes.update((span['args']['outcome'], span['args'].get('why'))
                        for span in chains_agree(rows, found))
        phases.update(services_agree(rows, found, sent_agree(rows, found)))
        places.update(process.split()[3] for process, _ in rows.spans
                      if process.startswith('service queue of '))
        same(sum(name == 'ComputePacket' for _, _, name, _ in rows.pairs['request network 0']),
             found['offload.packets'])
    if SANITIZED:
        return
    assert outcomes >= {('computed', None), ('bounced', None), ('discarded', 'hit'),
                        ('discarded', 'emn'), ('discarded', 'conflict'), ('refused', 'full'),
                        ('refused', 'off')}, outcomes
    same(places, {'core', 'partition', 'router'})
    same(phases, set('asks waits ready reads buffered computes stores answers bounces'.split()))


@case
def chains_in_windows(folder):
    """chains that begin in a window are there as in the whole trace; a run that ends leaves them open"""
    command = offloading(folder, 'srad', 'omni', *FEW)
    whole_trace, found = traced(folder, *command)
    for begin, end in ((0, 400), (5000, 5100), (20000, 26000)):
        trace, again = traced(folder, *command, '--trace-window=%d:%d' % (begin, end))
        well_formed(trace)
        same(again, found)
        alike(cut(trace, begin, end), cut(whole_trace, begin, end))
    ends(sim(folder, *command, '--stats=s.json'), 0)
    same(json.loads((folder / 's.json').read_text())['total']['statistics'], found)
    other, _ = traced(folder, *command, '--shuffle=5')
    same(other, whole_trace)
    longest = max((span for row in Rows(whole_trace).of('chain of slot').values() for span in row
                   if span['args']['outcome'] == 'computed'), key=lambda span: span['dur'])
    last = longest['ts'] + longest['dur'] // 2
    ends(sim(folder, *command, '--max-cycles=%d' % last, '--trace=t.json', '--stats=s.json'), 0)
    rows = Rows(json.loads((folder / 't.json').read_text()))
    found = json.loads((folder / 's.json').read_text())['total']['statistics']
    spans = [span for row in rows.of('chain of slot').values() for span in row]
    same(len(spans), found['offload.chains_tagged'])
    out = [span for span in spans if span['args']['outcome'] == 'open']
    assert out and all(span['ts'] + span['dur'] == last for span in out), (last, out)
    same(sum(span['dur'] for (process, row), row_spans in rows.spans.items()
             if process.startswith('service queue') and row.startswith('entry')
             for span in row_spans), found['offload.service_cycles'])


@case
def chains_and_checkpoints(folder):
    """chains go through checkpoints"""
    trace, found = traced(folder, *offloading(folder, 'bfs', 'omni', '--checkpoint=a.ck'))
    rows = Rows(trace)
    chains_agree(rows, found)
    services_agree(rows, found, sent_agree(rows, found))


@case
def refused(folder):
    """windows that are none, and traces where there is no time or another file"""
    for wrong in ('5', '5:5', '6:5', ':', ':5', '5:', '-1:5', 'a:5', '1:2:3', '0x1:5', ' 1:5',
                  '1:99999999999999999999'):
        within(b'expected FROM:TO, two cycles',
               ends(sim(folder, *VECADD, '--trace=t.json', '--trace-window=' + wrong), 2).err)
    within(b'--trace-window selects the part of --trace that is written',
           ends(sim(folder, *VECADD, '--trace-window=1:2'), 2).err)
    within(b'--functional counts no cycles',
           ends(sim(folder, *VECADD, '--functional', '--trace=t.json'), 2).err)
    within(b"are both written to 'x'",
           ends(sim(folder, *VECADD, '--trace=x', '--stats=x'), 1).err)
    ends(sim(folder, *VECADD, '--trace=missing/t.json', '--stats=s.json'), 1)
    same(os.listdir(folder), [])


@case
def standard_output(folder):
    """--trace=- writes to standard output"""
    out = ends(sim(folder, *VECADD, '--trace=-', '--trace-window=10:20'), 0, '').out
    well_formed(json.loads(out))


if __name__ == '__main__':
    main(2)
