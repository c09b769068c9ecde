#!/usr/bin/env python3
"""What --profile-out writes of the samples.

usage: profiles.py BUILD-ROOT
"""
import hashlib
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'


def profile(folder, run_file, *options):
    ends(run([PROGRAM, '--functional', SAMPLES / run_file, '--profile-out=p.json',
              '--json=r.json', *options], folder), 0)
    return (folder / 'p.json').read_bytes(), json.loads((folder / 'r.json').read_text())


def instructions(kernel):
    return [inst for function in kernel['functions'] for inst in function['instructions']]


def check_sums(folder, run_file):
    text, result = profile(folder, run_file)
    for threads in (2, 3):
        same(profile(folder, run_file, '--threads=%d' % threads)[0], text)
    document = json.loads(text)
    same((document['format'], document['version']), ('ptxoffload-profile', 1))
    source = pathlib.Path(document['source']['file'])
    same(document['source']['sha256'], hashlib.sha256(source.read_bytes()).hexdigest())
    for kernel, counts in zip(document['kernels'], result['kernels']):
        same(kernel['launches'], counts['launches'])
        insts = instructions(kernel)
        same(sum(i['executions'] for i in insts), counts['warp_instructions'])
        same(sum(i['lanes'] for i in insts), counts['thread_instructions'])
        for index, inst in enumerate(kernel['functions'][-1]['instructions']):
            same(inst['index'], index)
            line = source.read_text().splitlines()[inst['line'] - 1]
            same(line[inst['column'] - 1:].split()[-1][-1], ';')
            within(inst['opcode'], line)


for sample in ('vecadd', 'kmn', 'red', 'bfs'):
    add_case('sums of ' + sample, check_sums, sample + '/run.yaml')


WAYS = '''.version 7.0
.target sm_80
.address_size 64
.const .align 4 .u32 table[32] = {1};
.visible .entry ways(.param .u64 to, .param .u64 other)
{
    .reg .b64 %rd<4>;
    .reg .b32 %r<12>;
    .shared .align 4 .b8 near[4];
    ld.param.u64 %rd1, [to];
    ld.param.u64 %rd2, [other];
    ld.global.u32 %r1, [%rd1];
    membar.gl;
    ld.global.u32 %r3, [%rd1+8];
    ld.global.cg.u32 %r4, [%rd2];
    membar.gl;
    ld.volatile.global.u32 %r5, [%rd2];
    atom.global.add.u32 %r6, [%rd2], 1;
    red.global.add.u32 [%rd2+4], 1;
    ld.const.u32 %r7, [table];
    membar.gl;
    ld.const.u32 %r8, [table];
    cp.async.ca.shared.global [near], [%rd1], 4;
    cp.async.wait_all;
    st.global.u32 [%rd1], %r8;
    ret;
}
'''


def caches(kernel, level):
    """sums over the instructions of what a cache was asked for"""
    found = [inst['memory'][level] for inst in instructions(kernel) if level in inst.get('memory', {})]
    return [sum(cache[key] for cache in found) for key in ('accesses', 'hits', 'merged')]


def without_caches(kernel):
    """what the instructions of a kernel have executed; those that touch memory all by themselves
    are asked after by caches alone; what an atomic operation returns depends on the order"""
    for inst in instructions(kernel):
        if inst['opcode'].startswith('atom.'):
            inst.pop('uniform', None)
        memory = inst.get('memory', {})
        memory.pop('l1', None)
        memory.pop('llc', None)
        if memory and not memory['all']['accesses'] and not memory['shared']:
            del inst['memory']
    return kernel


def check_timed(folder, run_file, *options):
    """With time the same is executed, and what instructions ask caches for is all that these are
    asked for."""
    plain = json.loads(profile(folder, run_file, *options)[0])
    texts = []
    for shuffle in ('0', '7'):
        ends(run([PROGRAM, SAMPLES / run_file, '--profile-out=p.json', '--stats=s.json',
                  '--shuffle=' + shuffle, *options], folder), 0)
        texts.append((folder / 'p.json').read_bytes())
    same(*texts)
    timed, stats = json.loads(texts[0]), json.loads((folder / 's.json').read_text())
    for kernel, counts in zip(timed['kernels'], stats['kernels']):
        at = counts['statistics']
        same(caches(kernel, 'l1'), [at['l1.reads'], at['l1.read_hits'], at['l1.read_merged']])
        clients = [{name: at['memory.%s.%s' % (client, name)] for name in
                    ('data_answers', 'from_llc', 'from_merge')}
                   for client in ('l1', 'direct', 'constant', 'texture')]
        accesses, hits, merged = caches(kernel, 'llc')
        same(accesses, sum(one['data_answers'] for one in clients) + at['memory.reductions'])
        if not at['memory.reductions']:
            same((hits, merged), (sum(one['from_llc'] for one in clients),
                                  sum(one['from_merge'] for one in clients)))
        else:
            assert hits + merged <= accesses and hits <= at['llc.read_hits']
    same(*[[without_caches(kernel) for kernel in found['kernels']] for found in (timed, plain)])


for path in sorted(SAMPLES.glob('*/run*.yaml')):
    if 'large' not in path.name:
        add_case('%s/%s with time' % (path.parent.name, path.name), check_timed,
                 path.relative_to(SAMPLES))


@case
def ways(folder):
    """the first level serves what goes through it, the last one answers what passes that"""
    (folder / 'ways.ptx').write_text(WAYS)
    ends(run([PROGRAM, 'ways.ptx', '--grid=1', '--block=64', '--arg=buf:u32:32:zero',
              '--arg=buf:u32:32:zero', '--profile-out=p.json'], folder), 0)
    kernel, = json.loads((folder / 'p.json').read_text())['kernels']
    found = [(inst['opcode'], *(tuple(inst['memory'].get(level, {}).values())
                                for level in ('l1', 'llc')))
             for inst in instructions(kernel) if 'memory' in inst]
    same(found, [('ld.global.u32', (2, 0, 1), (1, 0, 0)),  # the second warp's is on its way
                 ('ld.global.u32', (2, 2, 0), ()),
                 ('ld.global.cg.u32', (), (2, 0, 1)),
                 ('ld.volatile.global.u32', (), (2, 2, 0)),
                 ('atom.global.add.u32', (), (2, 2, 0)),
                 ('red.global.add.u32', (), (2, 2, 0)),
                 ('ld.const.u32', (), (1, 0, 0)),  # two warps, one line
                 ('ld.const.u32', (), ()),
                 ('cp.async.ca.shared.global', (2, 2, 0), ()),
                 ('st.global.u32', (), ())])
    ends(run([BUILD / 'cli' / 'ptxoffload', 'ways.ptx', '--profile=p.json', '-o', 'out.ptx'],
             folder), 0)


@case
def vecadd(folder):
    """5000 threads in 157 warps, of which 156 have all lanes; each touches a line of each array."""
    kernel, = json.loads(profile(folder, 'vecadd/run.yaml')[0])['kernels']
    same(kernel['block'], [256, 1, 1])
    accesses = [i for i in instructions(kernel) if 'memory' in i]
    same([i['opcode'] for i in accesses], ['ld.global.f32', 'ld.global.f32', 'st.global.f32'])
    for inst in accesses:
        same(inst['lanes'], 5000)
        same(inst['memory']['full'], {'accesses': 156, 'lines': 156, 'sectors': 4 * 156,
                                      'least_lines': 1, 'most_lines': 1, 'uniform_addresses': 0})
        same(inst['memory']['all']['lines'], 157)
        same(inst['memory']['all']['sectors'], 4 * 156 + 1)


main()
