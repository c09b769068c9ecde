#!/usr/bin/env python3
"""--annotate: counts of instructions and source lines. They add up to the statistics, under all schemes.

usage: annotate.py BUILD-ROOT
"""
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
GENERATOR = BUILD / 'tests' / 'fuzz' / 'differential'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'
PLACE = ('function', 'line', 'column', 'index', 'opcode', 'source', 'chain', 'block', 'file')
POLICIES = {'baseline': [], 'omni': ['--policy=omni'], 'tom-ctrl': ['--config=tom', '--policy=tom-ctrl'],
            'both': ['--config=isca19-stacks', '--policy=omni', '--set=tom.policy=tom-ctrl']}
# Counts whose statistic has another name.
NAMES = {'l1_': 'l1.', 'llc_': 'llc.', 'dram_': 'dram.'}


def sim(folder, *arguments):
    return run([PROGRAM, *arguments], folder)


def annotated(folder, *arguments, code=0):
    """(result, statistics by kernel and in total)"""
    ends(sim(folder, *arguments, '--annotate=a.txt', '--json=a.json', '--stats=s.json'), code)
    stats = json.loads((folder / 's.json').read_text())
    kernels = {kernel['name']: kernel['statistics'] for kernel in stats['kernels']}
    return json.loads((folder / 'a.json').read_text()), kernels, stats['total']['statistics']


def counts(rows):
    total = collections.Counter()
    for row in rows:
        total.update({name: value for name, value in row.items() if name not in PLACE})
    return +total


def statistic(name):
    for prefix, group in NAMES.items():
        if name.startswith(prefix):
            return group + name[len(prefix):]
    return 'core.' + name


def add_up(result, kernels, total):
    """the laws: lines as instructions; instructions of a kernel, and all with the rest, as statistics"""
    everything = counts([result['total']['no_instruction']])
    for kernel in result['kernels']:
        own = counts(kernel['instructions'])
        same(counts(kernel['lines']), own)
        same(own['stall_empty'], 0)
        same((kernel['name'], own['warp_instructions']), (kernel['name'], kernel['warp_instructions']))
        same((kernel['name'], own['thread_instructions']), (kernel['name'], kernel['thread_instructions']))
        for name, value in kernels[kernel['name']].items():
            if re.fullmatch(r'core\.(issued|stall_.*)', name) and name != 'core.stall_empty':
                same((kernel['name'], name, own[name[5:]]), (kernel['name'], name, value))
        everything += own
    slots = [name for name in total if re.fullmatch(r'core\.(issued|stall_\w+)', name)]
    assert len(slots) >= 12, slots
    same(sum(everything[name[5:]] for name in slots), sum(total[name] for name in slots))
    for name in {*everything, *(name[5:] for name in slots), 'llc_read_hits', 'l1_read_hits', 'l1_writes'}:
        if statistic(name) in total and name != 'dram_writes':
            same((name, everything[name]), (name, total[statistic(name)]))
    # Writes may wait in the DRAM at the end of the run.
    same(everything['dram_reads'] + everything['dram_writes'], total['dram.taken'])
    same(everything['transactions'] - everything['read_only_reads'],
         total['core.global_loads'] + total['core.global_stores'] + total['core.atomics'])
    return everything


def tagged(folder, sample):
    to = sample + '.ptx'
    ends(run([TAGGER, SAMPLES / sample / to, '-o', to, '--quiet'], folder), 0)
    return [SAMPLES / sample / 'run.yaml', '--program=' + to]


def laws(folder, sample, policy):
    result, kernels, total = annotated(folder, *tagged(folder, sample), *POLICIES[policy])
    found = add_up(result, kernels, total)
    assert found['issued'] and found['transactions'] and found['dram_reads']


for sample in ('srad', 'vecadd', 'histogram64', 'kmn', 'mriq', 'bp'):
    for policy in POLICIES:
        add_case('sums of %s, %s' % (sample, policy), laws, sample, policy)


BUFFER = ('--arg', 'buf:u32:65536:iota')
GENERATED = ['--grid', '6', '--block', '64', *BUFFER * 7, '--arg', 'u32:5', '--arg', 'u32:7', '--arg',
             'f32:1.5', '--arg', 'f32:2']


@case
def generated(folder):
    """generated kernels, also those that fault: the sums of all instructions are the statistics"""
    done = collections.Counter()
    for seed in range(1, 17):
        text = run([GENERATOR, '--print', str(seed)], folder).out
        (folder / 'g.ptx').write_bytes(text)
        ends(run([TAGGER, 'g.ptx', '-o', 'tagged.ptx', '--quiet'], folder), 0)
        for policy, options in POLICIES.items():
            got = sim(folder, 'tagged.ptx', *GENERATED, *options, '--annotate=a.txt', '--json=a.json',
                      '--stats=s.json', '-w')
            assert got.code in (0, 5), got
            stats = json.loads((folder / 's.json').read_text())
            result = json.loads((folder / 'a.json').read_text())
            if got.code == 0:
                add_up(result, {kernel['name']: kernel['statistics'] for kernel in stats['kernels']},
                       stats['total']['statistics'])
            done[policy, got.code] += 1
    for policy in POLICIES:
        assert done[policy, 0] >= 4, done


@case
def same_results(folder):
    """statistics, results and buffers are those of a run without it, for any order of evaluation"""
    hist = [SAMPLES / 'histogram64' / 'run.yaml']
    for words in ([*tagged(folder, 'srad'), *POLICIES['omni']], [*tagged(folder, 'bp'), *POLICIES['tom-ctrl']], hist):
        found, plain = {}, {}
        for name, more in (('off', []), ('on', ['--annotate=a.txt']), ('on', ['--annotate=b.txt', '--shuffle=5'])):
            ends(sim(folder, *words, '--json=r.json', '--stats=s.csv', '--stats-filter=*', '--series=t.csv', *more), 0)
            result = json.loads((folder / 'r.json').read_text())
            del result['host']
            text = json.dumps(result)
            for kernel in result['kernels']:
                same(('instructions' in kernel, 'lines' in kernel), (bool(more), bool(more)))
                kernel.pop('instructions', None), kernel.pop('lines', None)
            same('no_instruction' in result['total'], bool(more))
            result['total'].pop('no_instruction', None)
            same(found.setdefault(name, text), text)
            now = (result, (folder / 's.csv').read_bytes(), (folder / 't.csv').read_bytes())
            same(plain.setdefault('all', now), now)
        same((folder / 'a.txt').read_text(), (folder / 'b.txt').read_text())


@case
def as_profile(folder):
    """each instruction has the executions, lanes, lines and L1 hits that --profile-out counts"""
    for sample in ('srad', 'bfs', 'vecadd-strided', 'copy-aligned', 'hist'):
        run_file = SAMPLES / sample / 'run.yaml'
        result, _, _ = annotated(folder, run_file)
        ends(sim(folder, run_file, '--profile-out=p.json'), 0)
        for kernel, other in zip(result['kernels'], json.loads((folder / 'p.json').read_text())['kernels']):
            expected = {(function['name'], inst['index']): inst for function in other['functions']
                        for inst in function['instructions']}
            for row in kernel['instructions']:
                if row['opcode'] == '}':
                    continue
                inst = expected.pop((row['function'], row['index']))
                place = (sample, row['line'])
                same((place, row['opcode'], row['column']), (place, inst['opcode'], inst['column']))
                same((place, row.get('warp_instructions', 0)), (place, inst['executions']))
                same((place, row.get('thread_instructions', 0)), (place, inst['lanes']))
                memory = inst.get('memory', {'all': {'accesses': 0, 'lines': 0}})
                same((place, row.get('accesses', 0), row.get('transactions', 0)),
                     (place, memory['all']['accesses'], memory['all']['lines']))
                l1 = memory.get('l1', {'accesses': 0, 'hits': 0, 'merged': 0})
                same((place, *(row.get('l1_' + name, 0) for name in ('reads', 'read_hits', 'read_merged'))),
                     (place, l1['accesses'], l1['hits'], l1['merged']))
            same(expected, {})


WAYS = '''.version 7.5
.target sm_75
.address_size 64
.file 1 "ways.cu"
.file 2 "deep/scale.cuh"
.visible .entry ways(.param .u64 to)
{
    .reg .b64 %rd<6>;
    .reg .b32 %r<9>;
    .reg .f32 %f<6>;
    .shared .align 4 .b8 cells[4096];
    .loc 1 3 5
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    .loc 1 4 9
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3];
    .loc 1 5 7
    .loc 2 2 3, function_name $scale, inlined_at 1 5 7
    mul.f32 %f2, %f1, 0f40000000;
    .loc 1 6 9
    mul.wide.u32 %rd4, %r1, 128;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.f32 %f3, [%rd5];
    mov.u32 %r2, cells;
    mad.lo.u32 %r3, %r1, 128, %r2;
    st.shared.f32 [%r3], %f2;
    .loc 1 7 5
    mad.lo.u32 %r4, %r1, 4, %r2;
    st.shared.f32 [%r4], %f3;
    bar.sync 0;
    st.global.f32 [%rd3], %f2;
    ret;
}
.section .debug_str
{
$scale:
    .b8 115,99,97,108,101,0
}
'''
SOURCE = '''// one
__global__ void ways(float *to)
{
    float here = to[threadIdx.x];
    here = scale(here);
    float there = to[32 * threadIdx.x];
    __syncthreads();
}
'''
SCALE = '''__device__ float scale(float x) {
  return 2 * x; }
'''
WAYS_RUN = ['ways.ptx', '--grid', '1', '--block', '32', '--arg', 'buf:f32:4096:iota']


def put_ways(folder):
    (folder / 'ways.ptx').write_text(WAYS)
    (folder / 'ways.cu').write_text(SOURCE)
    (folder / 'deep').mkdir()
    (folder / 'deep' / 'scale.cuh').write_text(SCALE)


@case
def ways(folder):
    """transactions and ideal ones, bank conflicts, the place of a wait; inlined code by its own line"""
    put_ways(folder)
    result, kernels, total = annotated(folder, *WAYS_RUN)
    add_up(result, kernels, total)
    rows = result['kernels'][0]['instructions']
    near, far = (row for row in rows if row['opcode'] == 'ld.global.f32')
    same([near[name] for name in ('accesses', 'transactions', 'ideal', 'bytes')], [1, 1, 1, 128])
    same([far[name] for name in ('accesses', 'transactions', 'ideal', 'bytes')], [1, 32, 1, 128])
    same((near['l1_reads'], near['llc_reads'], near.get('l1_read_hits', 0)), (1, 1, 0))
    same((far['l1_reads'], far['l1_read_hits'] + far.get('l1_read_merged', 0)), (32, 1))
    bad, good = (row for row in rows if row['opcode'] == 'st.shared.f32')
    same([bad[name] for name in ('shared_accesses', 'shared_cycles', 'shared_ideal')], [1, 32, 1])
    same([good[name] for name in ('shared_accesses', 'shared_cycles', 'shared_ideal')], [1, 1, 1])
    by_opcode = {row['opcode']: row for row in rows}
    # The warp waits for a load where its value is needed.
    assert by_opcode['mul.f32']['stall_load'] > 50 and 'stall_load' not in near
    assert good['stall_load'] > 50
    assert near['load_latency_sum'] > 50 and near['loads_done'] == 1
    scale = by_opcode['mul.f32']
    same([(at['file'], at['line']) for at in scale['source']], [('deep/scale.cuh', 2), ('ways.cu', 5)])
    lines = {(line['file'], line['line']): line for line in result['kernels'][0]['lines']}
    same(set(lines), {('ways.cu', 3), ('ways.cu', 4), ('deep/scale.cuh', 2), ('ways.cu', 6), ('ways.cu', 7)})
    same(lines['deep/scale.cuh', 2]['stall_load'], scale['stall_load'])


@case
def text(folder):
    """the list as text: the busiest ten, the source beside the PTX, or where it is named, or not found"""
    put_ways(folder)
    found = ends(sim(folder, *WAYS_RUN, '--annotate'), 0, '').out.decode()
    for words in ('ways: ', ' slot cycles with a warp in 1 launch\n', 'top ten', '\n  ways.cu\n',
                  'float there = to[32 * threadIdx.x];', '  deep/scale.cuh\n', 'return 2 * x; }', 'PTX of ways',
                  'mul.f32 %f2, %f1, 0f40000000; // scale.cuh:2, inlined at ways.cu:5', ' 32.0   1.0 ',
                  ' 32.0c  1.0', 'not of an instruction: '):
        within(words, found)
    # Shares add up to all.
    shares = [float(n) for n in re.findall(r'^ +([\d.]+)% ', found.split('PTX of ways')[1], re.M)]
    assert abs(sum(shares) - 100) < 1, shares
    (folder / 'away').mkdir()
    for name in ('ways.cu', 'deep/scale.cuh'):
        (folder / name).rename(folder / 'away' / pathlib.Path(name).name)
    found = ends(sim(folder, *WAYS_RUN, '--annotate'), 0, '').out.decode()
    within('ways.cu (not found)', found)
    # In the current folder, or by its whole name.
    (folder / 'away' / 'run').mkdir()
    found = ends(run([PROGRAM, '../ways.ptx', *WAYS_RUN[1:], '--annotate'], folder / 'away'), 0, '').out.decode()
    within('return 2 * x; }', found)
    (folder / 'ways.ptx').write_text(WAYS.replace('deep/scale.cuh', str(folder / 'away' / 'scale.cuh')))
    within('return 2 * x; }', ends(sim(folder, *WAYS_RUN, '--annotate'), 0, '').out.decode())


@case
def page(folder):
    """the page: the source and the PTX with an anchor for each line, and links between them; its weight"""
    put_ways(folder)
    ends(sim(folder, *WAYS_RUN, '--report=html:r.html', '--json=r.json'), 0, '', '')
    found = (folder / 'r.html').read_text()
    for words in ('float there = to[32 * threadIdx.x];', 'scale.cuh:2, inlined at ways.cu:5', 'mul.f32 %f2, %f1'):
        within(words, found)
    links = set(re.findall(r'href="#(k0-[^"]*)"', found))
    assert len(links) > 4 and links <= set(re.findall(r'id="(k0-[^"]*)"', found)), links
    assert 'instructions' not in json.loads((folder / 'r.json').read_text())['kernels'][0]
    ends(sim(folder, SAMPLES / 'vecadd' / 'run.yaml', '--report=html:v.html'), 0, '', '')
    for name in ('r.html', 'v.html'):
        assert (folder / name).stat().st_size < 300000, name


CALLS = '''.version 7.5
.target sm_75
.address_size 64
.func (.param .b32 out) twice(.param .b32 in)
{
    .reg .b32 %r<3>;
    ld.param.u32 %r1, [in];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [out], %r2;
    ret;
}
.visible .entry KERNEL(.param .u64 to)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [to];
    mov.u32 %r1, %tid.x;
    { .param .b32 a; .param .b32 b;
      st.param.b32 [a], %r1;
      call (b), twice, (a);
      ld.param.b32 %r2, [b]; }
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    st.global.u32 [%rd3], %r2;
    ret;
}
'''
TWO = '''program: two.ptx
buffers:
  to: {type: u32, count: 1024, fill: zero}
launches:
  - {kernel: one, grid: 2, block: 64, args: [to]}
  - {kernel: two, grid: 3, block: 32, args: [to]}
  - {kernel: one, grid: 2, block: 64, args: [to]}
'''


@case
def launches(folder):
    """several kernels and launches: a function that both call counts for each, launches are summed"""
    head, kernel = CALLS.split('.visible')
    (folder / 'two.ptx').write_text(head + ''.join('.visible' + kernel.replace('KERNEL', name) for name in ('one', 'two')))
    (folder / 'run.yaml').write_text(TWO)
    result, kernels, total = annotated(folder, 'run.yaml')
    add_up(result, kernels, total)
    for kernel, warps in zip(result['kernels'], (8, 3)):
        same({row['function'] for row in kernel['instructions']}, {kernel['name'], 'twice'})
        for row in kernel['instructions']:
            same((row['opcode'], row['warp_instructions']), (row['opcode'], warps))
        stored, = (row for row in kernel['instructions'] if row['opcode'] == 'st.global.u32')
        same((stored['l1_writes'], stored['llc_writes']), (warps, warps))
    # Only timed launches count.
    ends(sim(folder, 'run.yaml', '--timed=one:2', '--annotate=a.txt', '--json=a.json'), 0)
    one, two = json.loads((folder / 'a.json').read_text())['kernels']
    same([row['warp_instructions'] for row in one['instructions']], [4] * len(one['instructions']))
    same(two['instructions'], [])


@case
def offloaded(folder):
    """chains and blocks are named; what was offloaded reads and writes for the instructions of the chain"""
    result, _, total = annotated(folder, *tagged(folder, 'vecadd'), *POLICIES['omni'])
    ends(run([TAGGER, SAMPLES / 'vecadd' / 'vecadd.ptx', '-o', 'x.ptx', '--metadata=m.json', '--quiet'], folder), 0)
    kernel, = json.loads((folder / 'm.json').read_text())['kernels']
    expected = {inst['index']: chain['id'] for chain in kernel['chains'] for inst in chain['instructions']}
    rows = result['kernels'][0]['instructions']
    same({row['index']: row['chain'] for row in rows if 'chain' in row}, expected)
    assert total['offload.chains_offloaded'] > 0
    for row in rows:
        if 'chain' in row and row['opcode'].startswith('ld.'):
            same((row.get('l1_reads', 0), row['llc_reads'] >= total['offload.chains_offloaded']), (0, True))
        if 'chain' in row and row['opcode'].startswith('st.'):
            same((row.get('l1_writes', 0), row['llc_writes']), (0, total['offload.stores']))
    same(sum(row.get('llc_reads', 0) for row in rows if 'chain' not in row), 0)
    waits = [row for row in rows if 'stall_chain' in row]
    same(sum(row['stall_chain'] for row in waits), total['core.stall_chain'])
    result, _, total = annotated(folder, *tagged(folder, 'vecadd'), *POLICIES['tom-ctrl'])
    inside = [row for row in result['kernels'][0]['instructions'] if 'block' in row]
    assert inside and total['tom.offloaded'] > 0, total
    assert sum(row.get('dram_reads', 0) for row in inside) > 0.9 * counts(result['kernels'][0]['instructions'])['dram_reads']


@case
def options(folder):
    """what it excludes; a run that ends early has the counts up to then"""
    put_ways(folder)
    within('--functional counts no cycles', ends(sim(folder, *WAYS_RUN, '--functional', '--annotate'), 2).err.decode())
    within('cannot be combined with --annotate',
           ends(sim(folder, *WAYS_RUN, '--checkpoint=c', '--annotate=a.txt'), 2).err.decode())
    result, _, _ = annotated(folder, SAMPLES / 'bfs' / 'run.yaml', '--max-cycles=3000')
    same((result['outcome'], counts(result['kernels'][0]['instructions'])['issued'] > 0), ('cycle limit', True))
    result, _, _ = annotated(folder, 'ways.ptx', '--grid', '1', '--block', '32', '--arg', 'buf:f32:64:iota', code=5)
    same((result['outcome'], len(result['kernels'][0]['instructions']) > 10), ('fault', True))


@case
def documented(folder):
    """docs/reference/simulator.md has a row for each count, with its unit"""
    text = (ROOT / 'docs' / 'reference' / 'simulator.md').read_text()
    rows = dict(re.findall(r'^\| `(\w+)` \| ([^|]+) \|', text.split('| count | unit |')[1].split('\n\n')[0], re.M))
    expected = {}
    for path in ('gpu/core/core_site.def', 'memsys/memsys_site.def'):
        for name, unit in re.findall(r'STAT_COUNT\((\w+), "([^"]*)"', (ROOT / 'runtime-sim' / path).read_text()):
            expected[name] = unit
    same(rows, expected)
    del folder


main()
