#!/usr/bin/env python3
"""Which blocks stacks execute: those that the tagger has chosen, and alternatives in blocks whose condition is false.

usage: tom_blocks.py BUILD-ROOT [all]
"""
import json
import os
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, case, ends, main, run, same
from sample_runs import PROGRAM, SAMPLES, TAGGER

ALL = sys.argv[2:] == ['all']
SPMV = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'spmv.ptx')


def tag(folder, program, *options):
    """Returns the chosen blocks by kernel, in the order of the metadata's kernels."""
    ends(run([TAGGER, program, '-o', 'tagged.ptx', '-w', '--report=json:tagged.json', *options], folder), 0)
    kernels = json.loads((folder / 'tagged.json').read_text())['kernels']
    return {kernel['name']: [block for block in kernel['blocks'] if block['candidate'] and not block['passed_over']]
            for kernel in kernels}


def offload(folder, path, *options):
    """Runs tagged.ptx. Returns the blocks that the machine has, those it left out, the sentence on who chose them,
    and the statistics of blocks."""
    text = ends(run([PROGRAM, path, '--program=tagged.ptx', '--config=tom', '-v', '--stats=stats', *options], folder),
                0).err.decode()
    kept = re.findall(r"^ +block (\d+) of '(.*)', number", text, re.M)
    out = re.findall(r"^ +block (\d+) of '(.*)': ", text, re.M)
    counts = {}
    for name, value in re.findall(r'^tom\.(\w+) = (\d+)', (folder / 'stats').read_text(), re.M):
        counts[name] = max(int(value), counts.get(name, 0))
    return kept, out, re.search(r'left out; (.*)', text).group(1), counts


def agree(folder, program, path, *options):
    """The machine has the chosen blocks; another one only in the place of a chosen one that it left out."""
    chosen = {(str(block['id']), kernel): block
              for kernel, blocks in tag(folder, program, *options).items() for block in blocks}
    kept, out, _, _ = offload(folder, path, '--policy=tom-ctrl')
    for one in chosen:
        assert (one in kept) != (one in out), (one, kept, out)
    if not any(one in chosen for one in out):
        same(sorted(kept), sorted(chosen))
    return len(kept)


RUN = """program: tagged.ptx
values: {rows: 2048}
buffers:
  row: {type: s32, count: rows + 1, fill: "= i * 7"}
  col: {type: s32, count: rows * 7, fill: "range:0:2047:3"}
  val: {type: f32, count: rows * 7, fill: uniform}
  x: {type: f32, count: rows, fill: "uniform:2"}
  y: {type: f32, count: rows, fill: zero}
launches:
  - {kernel: spmv, grid: rows / 128, block: 128, args: [row, col, val, x, y, rows]}
"""


@case
def spmv(folder):
    """the machine has the blocks that the tagger selects, by either cost model, and says which one decided"""
    path = folder / 'run.yaml'
    path.write_text(RUN)
    for cost in 'refined', 'tom':
        assert agree(folder, SPMV, path, '--cost=' + cost), cost
        same(offload(folder, path, '--policy=tom-ctrl')[2], 'chosen by the tagger with --cost=' + cost)
    # The other model decides on demand.
    found = offload(folder, path, '--policy=tom-ctrl', '--set=tom.cost=refined')[2]
    same(found, 'chosen by tom.cost=refined, not by the tagger, which had --cost=tom')


@case
def samples(folder):
    """the same for samples, with all kinds of candidates"""
    for name in ('bfs', 'cfd', 'libor', 'kmn', 'mvt', 'fdtd', 'srad')[:3 if SANITIZED else 7]:
        path = SAMPLES / name / ('run-libor32.yaml' if name == 'libor' else 'run.yaml')
        program = path.parent / re.search(r'^program: *(\S+)', path.read_text(), re.M).group(1)
        for options in (['--cost=refined'], ['--cost=tom', '--candidates=loops,blocks'], ['--cost=tom']):
            agree(folder, program, path, *options)


V100_STACKS = '{} core.schedule=0 llc.write=through tom.sm_issue=4 tom.map=ahead memory.channel_slices=1 dram.channels=8 ' \
    'dram.channel_bytes=128 dram.request_bytes=64 dram.burst=1 dram.bank_xor=false stack.stacks=4 stack.clock=877 ' \
    'stack.link_gbps=224 stack.cross_gbps=112 stack.internal_gbps=449 stack.tlb_page=2048 values.paths=16384 values.nmat=12 ' \
    'values.nrates=24 machine.watchdog=200000'.replace(' ', ' --set=')


@case
def posted_stores(folder):
    """a block waits for the stores of CTAs that have ended, whose slots have other warps: values are right"""
    path = SAMPLES / 'libor' / 'run-large.yaml'
    tag(folder, SAMPLES / 'libor' / 'libor.ptx', '--cost=tom', '--candidates=loops,blocks')
    _, _, _, counts = offload(folder, path, '--policy=tom-ctrl', '--config=v100', *V100_STACKS.split()[1:])
    assert counts['offloaded'] > 0, counts


@case
def kmn_points(folder):
    """5 clusters are too few for the outer loop, and the loop over 34 features goes; from 6 on the outer loop goes"""
    path = SAMPLES / 'kmn' / 'run-points.yaml'
    tag(folder, SAMPLES / 'kmn' / 'kmn_points.ptx', '--cost=tom', '--candidates=loops,blocks')
    sizes = ['--set=values.points=256', '--set=values.features=34', '--save=member=member.npy']
    warps = 256 // 32
    for clusters in 5, 6:
        values = [*sizes, '--set=values.clusters=%d' % clusters]
        ends(run([PROGRAM, path, '--program=tagged.ptx', '--functional', *values], folder), 0)
        expected = (folder / 'member.npy').read_bytes()
        inside = clusters * warps if clusters < 6 else 0
        for options in [], ['--set=tom.map=ahead']:
            counts = offload(folder, path, '--policy=tom-no-ctrl', *values, *options)[3]
            same((counts['asked'], counts['condition_false'], counts['offloaded']),
                 (warps + inside, warps if inside else 0, inside or warps))
            assert (folder / 'member.npy').read_bytes() == expected


# Nests of loops with the bounds n0, n1 and n2, as text and as the lines that a warp executes.

HEAD = """.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n0, .param .u32 n1, .param .u32 n2)
{
    .reg .b64 %in, %out, %t, %a0, %a1, %a2;
    .reg .b32 %n0, %n1, %n2, %i0, %i1, %i2, %id;
    .reg .f32 %s, %x;
    .reg .pred %p;
    ld.param.u64 %in, [in];
    ld.param.u64 %out, [out];
    ld.param.u32 %n0, [n0];
    ld.param.u32 %n1, [n1];
    ld.param.u32 %n2, [n2];
    mov.u32 %id, %tid.x;
    mul.wide.u32 %t, %id, 4;
    add.s64 %in, %in, %t;
    add.s64 %out, %out, %t;
    mov.f32 %s, 0f00000000;
"""


def level_of(condition):
    return int(re.search(r'n(\d)', condition['value']).group(1))


class Nest:
    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.depth = self.draw.choice([2, 2, 3])
        self.lines = HEAD.splitlines()
        self.body = self.loop(0)
        self.lines += ['    st.global.f32 [%out], %s;', '    ret;', '}']

    def add(self, text):
        self.lines.append('    ' + text)
        return len(self.lines)

    def accesses(self, level):
        number = self.draw.choice([0, 1, 2, 4, 6])
        for k in range(number):
            if self.draw.random() < 0.2:
                yield self.add('st.global.f32 [%%out+%d], %%s;' % (128 * self.draw.randrange(1, 4)))
            else:
                yield self.add('ld.global.f32 %%x, [%%a%d+%d];' % (level, 128 * k))
                yield self.add('add.f32 %s, %s, %x;')

    def loop(self, level):
        """the events of a loop: lines, and (level, events) of a loop in it"""
        before = [self.add('mov.u32 %%i%d, 0;' % level), self.add('mov.u64 %%a%d, %%in;' % level)]
        self.lines.append('L%d:' % level)
        body = list(self.accesses(level))
        if level + 1 < self.depth:
            body += self.loop(level + 1)
            body += self.accesses(level)
        body.append(self.add('add.s64 %%a%d, %%a%d, 128;' % (level, level)))
        body.append(self.add('add.u32 %%i%d, %%i%d, 1;' % (level, level)))
        body.append(self.add('setp.lt.u32 %%p, %%i%d, %%n%d;' % (level, level)))
        body.append(self.add('@%%p bra L%d;' % level))
        return before + [(level, body)]

    def bounds(self, blocks):
        """some for which conditions just hold, or just do not"""
        bounds = [self.draw.choice([1, 2, 3, 9]) for _ in range(3)]
        for condition in (block['condition'] for block in blocks if block['condition']):
            bounds[level_of(condition)] = condition['threshold'] - self.draw.randrange(2)
        return bounds

    def trace(self, bounds, events=None):
        for event in self.body if events is None else events:
            if isinstance(event, tuple):
                for _ in range(max(bounds[event[0]], 1)):
                    yield from self.trace(bounds, event[1])
            else:
                yield event


def expect(blocks, trace, bounds):
    """decisions, false conditions and offloaded blocks of a warp, without control"""
    asked = false = offloaded = 0
    active, declined = None, []

    def holds(block, line):
        return block['begin_line'] <= line <= block['end_line']

    for line in trace:
        if active and holds(active, line):
            continue
        active, declined = None, [block for block in declined if holds(block, line)]
        for block in blocks: # outer ones first
            if block['begin_line'] != line or block in declined:
                continue
            asked += 1
            condition = block['condition']
            value = condition and bounds[level_of(condition)]
            if not condition or max(value, 1) >= condition['threshold']:
                offloaded += 1
                active = block
                break
            false += 1
            within = [other for other in blocks if other is not block and holds(block, other['begin_line'])
                      and holds(block, other['end_line'])]
            if not within:
                active = block
                break
            declined.append(block)
    return asked, false, offloaded


def run_nest(folder, blocks, bounds, trace, *options):
    """Compares decisions and memory. Returns the expected decisions."""
    words = ['--kernel=k', '--grid=1', '--block=32', '--arg=buf:f32:8192:uniform', '--arg=buf:f32:1024:zero',
             *('--arg=u32:%d' % bound for bound in bounds), '--save=1=out.npy']
    ends(run([PROGRAM, 'tagged.ptx', *words, '--functional'], folder), 0)
    expected = (folder / 'out.npy').read_bytes()
    ends(run([PROGRAM, 'tagged.ptx', *words, '--config=tom', '--policy=tom-no-ctrl', '--stats=stats', *options],
             folder), 0)
    found = dict(re.findall(r'^tom\.(\w+) = (\d+)', (folder / 'stats').read_text(), re.M))
    wanted = expect(blocks, trace, bounds)
    same((bounds, *(int(found[name]) for name in ('asked', 'condition_false', 'offloaded'))), (bounds, *wanted))
    same(found['returned'], found['offloaded'])
    assert (folder / 'out.npy').read_bytes() == expected, bounds
    return wanted


@case
def same_start(folder):
    """a loop under a condition whose first instruction is that of a block in it"""
    nest = Nest(0)
    nest.lines = HEAD.splitlines()
    nest.lines += ['    add.s64 %a0, %in, 128;', '    add.s64 %a1, %in, 256;', '    mov.u32 %i0, 0;', 'L0:']
    stores = [nest.add('st.global.f32 [%%out+%d], %%s;' % (128 * k)) for k in range(5)]
    stores.append(nest.add('mov.u32 %i1, 0;'))
    nest.lines.append('L1:')
    inner = [nest.add(text) for text in ('ld.global.f32 %x, [%in];', 'add.f32 %s, %s, %x;', 'ld.global.f32 %x, [%a0];',
                                         'add.f32 %s, %s, %x;', 'ld.global.f32 %x, [%a1];', 'add.f32 %s, %s, %x;',
                                         'add.u32 %i1, %i1, 1;', 'setp.lt.u32 %p, %i1, %n1;', '@%p bra L1;')]
    end = [nest.add(text) for text in ('add.u32 %i0, %i0, 1;', 'setp.lt.u32 %p, %i0, %n0;', '@%p bra L0;')]
    nest.lines += ['    st.global.f32 [%out], %s;', '    ret;', '}']
    nest.body = [(0, [*stores, (1, inner), *end])]
    (folder / 'k.ptx').write_text('\n'.join(nest.lines) + '\n')
    blocks = tag(folder, 'k.ptx', '--no-reorder', '--cost=tom', '--candidates=loops,blocks')['k']
    starts = [block['begin_line'] for block in blocks]
    same((starts[0], blocks[0]['condition']['threshold']), (starts[1], 2))
    for bounds in [1, 3, 0], [1, 40, 0], [2, 3, 0]:
        for mapping in 'bmap', 'ahead':
            run_nest(folder, blocks, bounds, nest.trace(bounds), '--set=tom.map=' + mapping)


@case
def nests(folder):
    """decisions in random nests of loops are those of a model, and memory is as without offloading"""
    alternatives = 0
    for seed in range(400 if ALL else 13 if SANITIZED else 25):
        nest = Nest(seed)
        (folder / 'k.ptx').write_text('\n'.join(nest.lines) + '\n')
        options = ['--cost=' + nest.draw.choice(['tom', 'tom', 'refined']),
                   '--candidates=' + nest.draw.choice(['loops', 'loops,blocks'])]
        blocks = tag(folder, 'k.ptx', '--no-reorder', *options)['k']
        if not blocks:
            continue
        for _ in range(3):
            bounds = nest.bounds(blocks)
            mapping = '--set=tom.map=' + nest.draw.choice(['bmap', 'ahead'])
            wanted = run_nest(folder, blocks, bounds, nest.trace(bounds), mapping)
            alternatives += 0 < wanted[1] < wanted[0]
    assert alternatives >= 3, alternatives


main()
