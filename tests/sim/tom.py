#!/usr/bin/env python3
"""Whatever is offloaded to memory stacks, the samples leave the same in memory, byte for byte.

usage: tom.py BUILD-ROOT [all]
"""
import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, add_case, case, ends, main, run, same
import sample_runs
from sample_runs import PROGRAM, RUNS, SAMPLES, name_of, same_buffers

ALL = sys.argv[2:] == ['all']
# Loops with conditions; divergence; several kernels; accesses behind others; regions.
FEW = ('libor/run-libor32.yaml', 'bfs/run.yaml', 'fdtd/run.yaml', 'vecadd/run.yaml', 'mvt/run.yaml')
# Regions, up to whole kernels, as well as the blocks of the paper.
REGIONS = ['--set', 'tom.candidates=regions']
# Caches, queues and stacks that fill up, and blocks that wait for slots.
SMALL = [option for key in ('l1.sets=1', 'l1.ways=2', 'llc.sets=4', 'llc.ways=2', 'stack.port_queue=1',
                            'stack.vault_queue=1', 'core.warps=8', 'core.threads=256', 'tom.drain=warp',
                            'tom.condition=min', 'stack.tlb_entries=1', 'memory.port_queue=1') for option in ('--set', key)]
# Many instances go at once, and those that are late come back.
MANY = ['--set', 'tom.window=48', '--set', 'tom.pause=1', '--set', 'tom.sample=4']
LEARNT = ['--set', 'tom.map=tmap', '--set', 'tom.learn_instances=16']


def settings(*values):
    return [option for value in values for option in ('--set', value)]


POLICIES = (['tom-ctrl', *LEARNT], ['tom-ctrl', *settings('tom.map=oracle', 'tom.invalidate=epoch')],
            ['tom-no-ctrl', *REGIONS, *settings('tom.map=static', 'tom.parameters=sent', 'stack.tlb_entries=1')],
            ['tom-measured', *settings('tom.map=ranges', 'tom.live_ins=once', 'tom.learn_least=8')],
            ['tom-alu', *REGIONS, *settings('tom.alu_busy=10', 'tom.invalidate=none')],
            ['tom-ideal', *REGIONS])


def tag(folder, path):
    sample_runs.tag(folder, path, ['--cost=tom'])


def execute(folder, path, *options):
    """The contents of all buffers after the run, the summary, and the statistics."""
    if '--functional' in options:
        return *sample_runs.execute(folder, path, *options), ''
    contents, summary = sample_runs.execute(folder, path, '--config=tom', '--stats=stats', *options)
    return contents, summary, (folder / 'stats').read_text()


def counted(statistics, name):
    """of all kernels"""
    return max([int(value) for value in re.findall(r'^%s = (\d+)' % name, statistics, re.M)], default=0)


def sample(folder, path):
    tag(folder, path)
    expected, plain, _ = execute(folder, path, '--functional')
    for policy, *options in POLICIES[:2] if SANITIZED else POLICIES if ALL else POLICIES[:4]:
        found, summary, statistics = execute(folder, path, '--policy=' + policy, *options)
        same_buffers(found, expected, policy)
        same(counted(statistics, 'tom.returned'), counted(statistics, 'tom.offloaded'))
        if not counted(statistics, 'tom.ahead'): # instructions that are executed twice count twice
            same(summary['total']['thread_instructions'], plain['total']['thread_instructions'])
    for policy in (('tom-ctrl', *REGIONS), ('tom-measured', *MANY)):
        options = ['--policy=' + policy[0], *policy[1:], *SMALL]
        found, _, statistics = execute(folder, path, *options)
        same_buffers(found, expected, 'small machine')
        if name_of(path) in FEW:
            assert counted(statistics, 'tom.offloaded') > 0
            again, _, shuffled = execute(folder, path, *options, '--shuffle=7')
            same_buffers(again, expected, 'another order')
            same(shuffled, statistics)


LIBOR = SAMPLES / 'libor' / 'run-libor32.yaml'


def libor(folder, iterations, *options):
    """the statistics of one warp of the loop of [002 Fig. 4]"""
    sizes = [option for value in ('paths=32', 'nmat=%d' % iterations, 'nopt=0')
             for option in ('--set', 'values.' + value)]
    _, _, statistics = execute(folder, LIBOR, *sizes, *options)
    return lambda name: counted(statistics, name)


@case
def libor_decisions(folder):
    """3 iterations stay; 4 go, unless TX is busy; 5 go"""
    tag(folder, LIBOR)
    for iterations, busy, goes in ((3, 100, 0), (4, 100, 1), (5, 100, 1), (4, 1, 0), (5, 1, 1)):
        # On slow links the loads in front of the loop are enough to be busy.
        found = libor(folder, iterations, '--policy=tom-ctrl', '--set', 'tom.busy=%d' % busy,
                      '--set', 'stack.link_gbps=4')
        same((iterations, busy, found('tom.offloaded')), (iterations, busy, goes))
        same(found('tom.condition_false'), int(iterations < 4))
        same(found('tom.busy_tx'), int(iterations == 4 and busy == 1))


@case
def libor_flits(folder):
    """40 + 40 flits become 42 + 3, and 800 + 800 become 42 + 31"""
    tag(folder, LIBOR)
    none = libor(folder, 4)
    for iterations, list_and_ack in ((4, 3), (80, 31)):
        # Without: ten flits each way for each of further iterations, when all stores are in memory.
        more = libor(folder, iterations + 40)
        found = libor(folder, iterations, '--policy=tom-ctrl')
        same(found('stack.tx_offload'), 42)
        same(found('stack.rx_ack') + found('stack.rx_coherence'), list_and_ack)
        same(found('tom.lines_written'), iterations)
        same(more('stack.reads') - none('stack.reads'), iterations + 36)


class Spans:
    """the spans of a trace by the names of their process and row"""

    def __init__(self, path):
        events = json.loads(path.read_text())['traceEvents']
        names = {(e['pid'], e.get('tid') if e['name'] == 'thread_name' else None): e['args']['name']
                 for e in events if e['ph'] == 'M' and e['name'] in ('process_name', 'thread_name')}
        self.all = [(names[e['pid'], None], names.get((e['pid'], e.get('tid'))), e)
                    for e in events if e['ph'] == 'X']

    def of(self, row, name):
        """the spans with a name, on rows whose name begins so"""
        return [e for _, where, e in self.all if where and where.startswith(row) and e['name'] == name]

    def one(self, row, name):
        found = self.of(row, name)
        same((row, name, len(found)), (row, name, 1))
        return found[0]


def ends_at(span):
    return span['ts'] + span['dur']


def arrival(cycle, flits):
    """the cycle in which a packet is there that is given to a free link in a cycle: 25 clocks are 28 cycles"""
    clock = -(-cycle * 25 // 28) + -(-flits // 4) + 8
    return clock * 28 // 25 + 1


@case
def sequence(folder):
    """each event of a block is where the sum of its ways is: 10 cycles, 11 + 8 clocks there, 1 + 8 back"""
    tag(folder, LIBOR)
    found = libor(folder, 4, '--policy=tom-ctrl', '--trace=trace')
    spans = Spans(folder / 'trace')
    packing, away = spans.one('block of slot', 'packing'), spans.one('block of slot', 'away')
    inside = spans.one('block of slot', 'block')
    there, back = spans.one('TX of stack', 'block'), spans.one('RX of stack', 'block back')
    same(packing['dur'], 10)
    same(away['ts'], ends_at(packing))
    assert away['args'] == inside['args'], (away, inside)
    same((there['args']['flits'], back['args']['flits']), (42, 3))
    same(inside['ts'], arrival(away['ts'], 42))
    last = ends_at(inside) - 1 # it ends at the end of this cycle
    same(ends_at(away), arrival(last, 3))
    clock = 28 / 25
    for link, cycle, flits in ((there, away['ts'], 42), (back, last, 3)):
        same(round(link['dur'], 2), round(flits / 4 * clock, 2))
        same(round(link['ts'], 2), round(-(-cycle * 25 // 28) * clock, 2))
    waits = sum(e['dur'] for name in ('decision', 'stack decision') for e in spans.of('block of slot', name))
    same(waits, found('tom.decision_cycles'))
    same(away['dur'], found('tom.away_cycles'))


@case
def traced(folder):
    """the trace has all packets of links and all blocks, and changes nothing"""
    tag(folder, LIBOR)
    plain = libor(folder, 20, '--policy=tom-no-ctrl')('machine.cycles')
    for options in ([], [*LEARNT, *settings('tom.pcie_gbps=12')]): # without it packets take no time on the link to the CPU
        found = libor(folder, 20, '--policy=tom-no-ctrl', '--set', 'values.paths=512', '--trace=trace', *options)
        spans = Spans(folder / 'trace')

        def flits(row):
            return sum(e['args']['flits'] for _, where, e in spans.all if where and where.startswith(row))
        same(flits('TX of stack'), found('stack.tx_request') + found('stack.tx_offload'))
        same(flits('RX of stack'), sum(found('stack.' + name) for name in ('rx_reply', 'rx_ack', 'rx_coherence')))
        same(flits('to stack'), found('stack.cross'))
        same(len(spans.of('block of slot', 'block')), found('tom.returned'))
        same(sum(e['dur'] for e in spans.of('block of slot', 'away')), found('tom.away_cycles'))
        same(bool(options), any(process.startswith('link to the CPU') for process, _, _ in spans.all))
    same(libor(folder, 20, '--policy=tom-no-ctrl', '--trace=trace')('machine.cycles'), plain)


@case
def no_bytes(folder):
    """blocks without packets and without other stacks, under tom-ideal"""
    tag(folder, LIBOR)
    found = libor(folder, 80, '--policy=tom-ideal')
    same([found('stack.' + name) for name in ('tx_offload', 'rx_ack', 'rx_coherence', 'cross', 'remote')],
         [0] * 5)
    same(found('tom.returned'), 1)


@case
def storage(folder):
    """10,320, 1,920 and 9,700 bits [002 §6.6]"""
    text = ends(run([PROGRAM, '--config=tom', '--policy=tom-ctrl', '--list-storage'], folder), 0, '').out.decode()
    for part, bits in (('metadata table', 10320), ('memory-map analyzer', 1920), ('memory allocation table', 9700)):
        assert re.search(r'^%s.* %d bits' % (part, bits), text, re.M), text


@case
def signs(folder):
    """a best pair that changes between launches makes no count negative"""
    tag(folder, SAMPLES / 'bfs' / 'run.yaml')
    ends(run([PROGRAM, SAMPLES / 'bfs' / 'run-large.yaml', '--program=tagged.ptx', '--config=tom', '--policy=tom-ctrl',
              *settings('values.n=2048', 'values.degree=6', 'tom.map=ahead', 'tom.metric=home'), '--stats=stats.json'],
             folder), 0)
    for kernel in json.loads((folder / 'stats.json').read_text())['kernels']:
        negative = [name for name, value in kernel['statistics'].items() if isinstance(value, int) and value >> 63]
        same(negative, [])


@case
def rehearsal(folder):
    """a run without time counts the instances that the run with time has, and names allocations without room"""
    tag(folder, LIBOR)
    for options in ([], settings('values.paths=1024')):
        found = libor(folder, 20, '--policy=tom-ctrl', '--set', 'tom.map=oracle', *options)
        same(found('map.rehearsed'), found('map.instances'))
        same(found('map.rehearsed_bit'), found('map.best_bit'))
        same(found('map.chosen_bit'), found('map.best_bit'))
        same(found('map.one_base'), found('map.one_best'))
        assert found('map.chosen_bit') >= 7
    # Half of 192 instances are learnt from, of which 32 run at a time.
    found = libor(folder, 20, '--policy=tom-no-ctrl', '--set', 'values.paths=6144', '--set', 'tom.map=tmap',
                  *settings('tom.learn_least=7', 'tom.learn_share=50', 'memory.cores=8', 'core.warps=8',
                            'core.threads=256'))
    same(found('map.rehearsed'), 192)
    assert found('tom.learning_cycles') > 0 and 64 <= found('tom.offloaded') <= 96, found('tom.offloaded')
    result = ends(run([PROGRAM, LIBOR, '--program=tagged.ptx', '--config=tom', '--policy=tom-ctrl', '-v',
                       *settings('tom.map=tmap', 'tom.allocations=2', 'tom.learn_least=1')], folder), 0)
    assert 'the memory allocation table has no room for: b, v\n' in result.err.decode(), result


STREAMS = """program: tagged.ptx
values: {n: 16384}
buffers:
  g: {type: f32, count: n, host: uniform}
  sum: {type: f32, count: 64, save: sum.npy}
streams:
  - copy: {buffer: g, direction: to-device}
  - launch: {kernel: red_stride, grid: 64, block: 256, args: [g, sum, n]}
  - copy: {buffer: sum, direction: to-host}
"""


@case
def rehearsed_streams(folder):
    """a run without time in front has the host of the run with time"""
    ends(run([sample_runs.TAGGER, SAMPLES / 'red' / 'red_stride.ptx', '-o', 'tagged.ptx', '--cost=tom'],
             folder), 0)
    (folder / 'streams.yaml').write_text(STREAMS)
    sums = []
    for options in (['--functional'], *(['--config=tom', '--policy=tom-ctrl', '--set', 'tom.map=' + name]
                                        for name in ('tmap', 'oracle', 'ahead', 'ranges', 'static'))):
        ends(run([PROGRAM, 'streams.yaml', *options], folder), 0)
        sums.append((folder / 'sum.npy').read_bytes())
        (folder / 'sum.npy').unlink()
    assert len(set(sums)) == 1, sums


LOOP = """
    mov.u64 %%rd3, %%rd2;
    mov.u32 %%r5, 0;
L%d:
%s    st.global.f32 [%%rd3], %%f1;
    add.s64 %%rd3, %%rd3, 4096;
    add.s32 %%r5, %%r5, 1;
    setp.lt.s32 %%p1, %%r5, %%r1;
    @%%p1 bra L%d;
"""
KERNEL = """.version 8.0
.target sm_75
.address_size 64
.visible .entry many(.param .u64 a, .param .u32 n)
{
    .reg .pred %%p<2>;
    .reg .f32 %%f<3>;
    .reg .b32 %%r<6>;
    .reg .b64 %%rd<4>;
    ld.param.u64 %%rd1, [a];
    ld.param.u32 %%r1, [n];
    mov.u32 %%r2, %%tid.x;
    mul.wide.u32 %%rd2, %%r2, 4;
    add.s64 %%rd2, %%rd1, %%rd2;
    mov.f32 %%f1, 0f00000000;
%s    ret;
}
"""


def write_loops(folder, loops, buffers):
    """A kernel with loops that have one to six loads, and a run file with more buffers than it uses."""
    load = '    ld.global.f32 %%f2, [%%rd3+%d];\n    add.f32 %%f1, %%f1, %%f2;\n'
    text = ''.join(LOOP % (i, ''.join(load % (128 * k) for k in range(i % 6 + 1)), i) for i in range(loops))
    (folder / 'many.ptx').write_text(KERNEL % text)
    (folder / 'run.yaml').write_text(
        'program: many.ptx\nvalues: {n: 8}\nbuffers:\n  a: {type: f32, count: 16384, fill: uniform}\n'
        + ''.join('  b%d: {type: f32, count: 64}\n' % i for i in range(buffers - 1))
        + 'launches:\n  - {kernel: many, grid: 1, block: 32, args: [a, n]}\n')
    sample_runs.tag(folder, folder / 'run.yaml', ['--cost=tom', '--candidates=loops,blocks'])


@case
def full_tables(folder):
    """43 blocks and 102 allocations: three and two are left out and named, and memory is as without offloading"""
    write_loops(folder, 43, 102)
    path = folder / 'run.yaml'

    def listed(*options):
        text = ends(run([PROGRAM, path, '--program=tagged.ptx', '--config=tom', '--policy=tom-ctrl', '-v', '--save=a=a.npy',
                         *settings('tom.map=tmap', 'tom.learn_least=1'), *options], folder), 0).err.decode()
        kept = re.findall(r"^  block (\d+) of 'many', number", text, re.M)
        out = re.findall(r"^  block (\d+) of 'many': the metadata table is full", text, re.M)
        return kept, out, re.findall(r'^the memory allocation table has no room for: (.*)', text, re.M)
    ends(run([PROGRAM, path, '--program=tagged.ptx', '--functional', '--save=a=a.npy'], folder), 0)
    plain = (folder / 'a.npy').read_bytes()
    kept, out, without_room = listed()
    same((len(kept), len(out), without_room), (40, 3, ['b100, b99']))
    assert (folder / 'a.npy').read_bytes() == plain
    every, none, no_allocation = listed('--set', 'tom.metadata_entries=64', '--set', 'tom.allocations=102')
    same((every[:40], every[:39:-1], none, no_allocation), (kept, out, [], [])) # the least useful first
    assert (folder / 'a.npy').read_bytes() == plain


@case
def blocks_that_do_not_exist(folder):
    """tom.at_core with a number of no block"""
    tag(folder, LIBOR)
    result = ends(run([PROGRAM, LIBOR, '--program=tagged.ptx', '--config=tom', '--policy=tom-ctrl',
                       '--set', 'tom.at_core=[1000]'], folder), 1)
    assert 'tom.at_core has 1000, but the metadata have no such candidate block' in result.err.decode(), result


@case
def machines_that_cannot_be(folder):
    """configurations that the tables of keys cannot refuse"""
    tag(folder, LIBOR)
    for setting, text in (('stack.stacks=0', 'stack.stacks is 0'), ('stack.stacks=2', 'stack.stacks must be 4'), ('stack.stacks=8', 'stack.stacks must be 4'),
                          ('stack.stacks=3', 'power of two'), ('memory.cores=4', 'each stack takes a core'),
                          ('stack.clock=1000', 'not a multiple of dram.clock'),
                          ('stack.internal_gbps=170', 'the vaults of a stack have 160 GB/s')):
        result = ends(run([PROGRAM, LIBOR, '--program=tagged.ptx', '--config=tom', '--policy=tom-ctrl',
                           '--set', 'tom.map=static', '--set', setting], folder), 1)
        assert text in result.err.decode(), (setting, result)


for each in RUNS if ALL else [SAMPLES / name for name in FEW]:
    add_case(name_of(each), sample, each)

main()
