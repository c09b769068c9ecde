#!/usr/bin/env python3
"""Launches at the same time: `together` of run files.

usage: together.py BUILD-ROOT
"""
import csv
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
KNOWN = ['machine.cycles', 'machine.launches', 'machine.warp_instructions',
         'machine.thread_instructions', 'machine.ipc', 'machine.warp_ipc']

# Each thread writes how often it went round; without a number it goes round for ever.
BODY = '''.visible .entry %s(.param .u64 to, .param .u32 rounds)
{
    .reg .b64 %%rd<6>;
    .reg .b32 %%r<8>;
    .reg .pred %%p<3>;
    ld.param.u64 %%rd1, [to];
    ld.param.u32 %%r1, [rounds];
    mov.u32 %%r2, %%tid.x;
    mov.u32 %%r3, %%ctaid.x;
    mov.u32 %%r4, %%ntid.x;
    mad.lo.s32 %%r2, %%r3, %%r4, %%r2;
    mov.u32 %%r5, 0;
    setp.eq.u32 %%p2, %%r1, 0;
again:
    add.u32 %%r5, %%r5, 1;
    @%%p2 bra again;
    setp.lt.u32 %%p1, %%r5, %%r1;
    @%%p1 bra again;
    mul.wide.u32 %%rd2, %%r2, 4;
    add.s64 %%rd3, %%rd1, %%rd2;
    st.global.u32 [%%rd3], %%r5;
    ret;
}
'''
PTX = '.version 7.0\n.target sm_70\n.address_size 64\n' + BODY % 'first' + BODY % 'second'
RUN = '''program: two.ptx
values: {long: 3000, short: 500, ctas: 8, more: 40}
buffers:
  a: {type: u32, count: ctas * 64, fill: zero}
  b: {type: u32, count: more * 64, fill: zero}
launches:
  %s
expect:
  - {buffer: a, fill: "= long"}
  - {buffer: b, fill: "= short"}
'''
LAUNCHES = '''{kernel: first, grid: ctas, block: 64, args: [a, long]}
{kernel: second, grid: more, block: 64, args: [b, short]}
'''.splitlines()
TOGETHER = '- together:\n' + ''.join('      - %s\n' % launch for launch in LAUNCHES)


def prepare(folder, launches=TOGETHER):
    (folder / 'two.ptx').write_text(PTX)
    (folder / 'run.yaml').write_text(RUN % launches)


def sim(folder, *options, code=0):
    return ends(run([PROGRAM, 'run.yaml', '--json=out.json', *options], folder), code)


def summary(folder):
    found = json.loads((folder / 'out.json').read_text())
    del found['host']
    return found


def alone(folder):
    """cycles of each launch by itself"""
    cycles = []
    for launch in LAUNCHES:
        prepare(folder, '- ' + launch)
        text = (folder / 'run.yaml').read_text().split('expect:')[0]
        (folder / 'run.yaml').write_text(text)
        sim(folder)
        cycles.append(summary(folder)['total']['cycles'])
    return cycles


@case
def share(folder):
    """the second launch runs where the first one has left room: both take as long as by themselves"""
    first, second = alone(folder)
    prepare(folder, TOGETHER)
    sim(folder, '--stats=s.json')
    found = summary(folder)
    one, other = found['kernels']
    assert second < first, (first, second)
    assert first <= found['total']['cycles'] < first * 1.02, (first, found['total']['cycles'])
    assert first * 0.98 < one['cycles'] <= found['total']['cycles'], (first, one)
    assert second * 0.98 < other['cycles'] < second * 1.1, (second, other)
    same([kernel['timed_launches'] for kernel in found['kernels'] + [found['total']]], [1, 1, 2])


@case
def one_core(folder):
    """on one core the second launch waits until the first one leaves room"""
    prepare(folder, TOGETHER)
    sim(folder, '--set', 'memory.cores=1', '--set', 'core.ctas=8')
    found = summary(folder)
    one, other = found['kernels']
    assert other['cycles'] > one['cycles']
    assert other['cycles'] <= found['total']['cycles']


@case
def statistics(folder):
    """of each kernel what is counted for its CTAs, in total all; in every order of evaluation"""
    prepare(folder)
    texts = []
    for shuffle in '07':
        sim(folder, '--stats=s.json', '--series=s.csv', '--interval=500', '--shuffle=' + shuffle)
        texts.append(((folder / 's.json').read_bytes(), (folder / 's.csv').read_bytes(),
                      summary(folder)))
    same(*texts)
    sim(folder, '--stats=s.txt')
    sim(folder, '--stats=t.csv')
    timed = summary(folder)
    sim(folder, '--functional')
    plain = summary(folder)
    stats = json.loads((folder / 's.json').read_text())
    for kernel, one, other in zip(stats['kernels'], timed['kernels'], plain['kernels']):
        same(list(kernel['statistics']), KNOWN)
        at = kernel['statistics']
        same((at['machine.cycles'], at['machine.warp_instructions'], at['machine.ipc']),
             (one['cycles'], one['warp_instructions'], one['ipc']))
        same((one['warp_instructions'], one['thread_instructions']),
             (other['warp_instructions'], other['thread_instructions']))
        same(one['ipc'], one['thread_instructions'] / one['cycles'])
        same((set(one['noc'].values()), set(one['memory'].values())), ({None}, {None}))
        same(kernel['other_names']['gpu_sim_cycle'], one['cycles'])
        assert 'L1D_total_cache_accesses' not in kernel['other_names']
    total = stats['total']['statistics']
    same(total['core.issued'], timed['total']['warp_instructions'])
    same(timed['total']['warp_instructions'],
         sum(kernel['warp_instructions'] for kernel in timed['kernels']))
    same(timed['total']['memory']['l1_hits'], total['machine.from_l1'])
    text = (folder / 's.txt').read_text()
    head = text.split('# all kernels\n')[0]
    within('gpu_sim_cycle = %d' % timed['kernels'][0]['cycles'], head)
    assert 'l1.reads' not in head and 'l1.reads' in text
    with open(folder / 't.csv', encoding='utf-8') as file:
        rows = list(csv.DictReader(file))
    same([row['name'] for row in rows if row['kernel'] == 'second'], KNOWN)
    with open(folder / 's.csv', encoding='utf-8') as file:
        same({row['kernel'] for row in csv.DictReader(file)}, {'first+second'})


@case
def profiles(folder):
    """each kernel's profile has its own instructions, with time as without"""
    prepare(folder)
    sim(folder, '--profile-out=t.json')
    sim(folder, '--profile-out=f.json', '--functional')
    same((folder / 't.json').read_bytes(), (folder / 'f.json').read_bytes())


@case
def both_ways(folder):
    """a kernel with launches by itself, too: nothing of its memory is told; the total has all"""
    prepare(folder, '- %s\n  - %s\n  ' % tuple(LAUNCHES) + TOGETHER)
    sim(folder, '--stats=s.json')
    found = summary(folder)
    same([kernel['timed_launches'] for kernel in found['kernels'] + [found['total']]], [2, 2, 4])
    for kernel in json.loads((folder / 's.json').read_text())['kernels']:
        same(list(kernel['statistics']), KNOWN)
        same(kernel['statistics']['machine.launches'], 2)
    first, second = alone(folder)
    assert first * 1.9 < found['kernels'][0]['cycles'] < first * 2.1


@case
def same_kernel(folder):
    """launches of one kernel, again and again"""
    prepare(folder, '''- repeat:
      times: 3
      launches:
        - together:
            - {kernel: first, grid: ctas, block: 64, args: [a, long]}
            - {kernel: first, grid: more, block: 64, args: [b, short]}
''')
    sim(folder)
    kernel, = summary(folder)['kernels']
    same((kernel['launches'], kernel['timed_launches']), (6, 6))
    assert kernel['cycles'] > summary(folder)['total']['cycles']
    timed = kernel['warp_instructions']
    sim(folder, '--functional')
    same(summary(folder)['kernels'][0]['warp_instructions'], timed)


@case
def faults(folder):
    """a fault names the launch that has failed"""
    for number, name, buffer in ((1, 'first', '[a,'), (2, 'second', '[b,')):
        prepare(folder, TOGETHER.replace(buffer, '["u64:64",'))
        for options in ([], ['--functional']):
            result = sim(folder, *options, code=5)
            within("in no allocation: kernel '%s', launch %d, CTA" % (name, number),
                   result.err.decode())
            fault = summary(folder)['fault']
            same((fault['kernel'], fault['launch']), (name, number))


@case
def no_room(folder):
    """so does a launch for which the machine has no room"""
    prepare(folder, TOGETHER.replace('block: 64, args: [b', 'block: 64, shared: 65536, args: [b'))
    text = sim(folder, code=1).err.decode()
    within('a core has too little shared memory for one CTA of the launch: core.shared_bytes is '
           '49152, but the CTA needs 65', text)
    within(': kernel \'second\', launch 2', text)


@case
def stuck(folder):
    """one that spins for ever is told, when the other has long ended"""
    prepare(folder, TOGETHER.replace('[b, short]', '[b, 0]'))
    text = sim(folder, '--set', 'machine.watchdog=100000', '--stats=s.json', code=4).err.decode()
    within("no thread of the launch can continue: kernel 'second', launch 2", text)
    within('of 48 CTAs: 8 ended, 0 not started', text)
    assert (folder / 's.json').exists()


@case
def limit(folder):
    """--max-cycles ends all of them"""
    prepare(folder)
    sim(folder, '--max-cycles=2000')
    found = summary(folder)
    same((found['outcome'], found['total']['cycles']), ('cycle limit', 2000))
    same([kernel['cycles'] for kernel in found['kernels']], [2000, 2000])
    assert all(kernel['warp_instructions'] for kernel in found['kernels'])


@case
def regions(folder):
    """--timed takes all of them or none"""
    prepare(folder, TOGETHER + '  - ' + LAUNCHES[0])
    for options in (['--timed=first'], ['--timed=first', '--timed=second:2']):
        text = sim(folder, *options, code=1).err.decode()
        within('run.yaml:8:7: error: --timed or --sample selects only some of these launches', text)
    sim(folder, '--timed=first', '--timed=second')
    same([kernel['timed_launches'] for kernel in summary(folder)['kernels']], [2, 1])
    sim(folder, '--timed=first:2')
    same([kernel['timed_launches'] for kernel in summary(folder)['kernels']], [1, 0])
    same(summary(folder)['kernels'][0]['memory']['l1_hits'], 0)


@case
def checkpoints(folder):
    """a checkpoint comes behind all of them, and what was counted goes on"""
    prepare(folder, TOGETHER + '  ' + TOGETHER + '  - ' + LAUNCHES[0])
    sim(folder, '--checkpoint=c', '--checkpoint-every=3', '--stats=whole.json')
    whole = summary(folder)
    (folder / 'c').unlink()
    sim(folder, '--checkpoint=c', '--checkpoint-every=3', '--stop-after=3')
    same(summary(folder)['total']['launches'], 4)
    sim(folder, '--resume=c', '--stats=resumed.json')
    same(summary(folder), whole)
    same((folder / 'resumed.json').read_bytes(), (folder / 'whole.json').read_bytes())
    prepare(folder, TOGETHER)  # emptying the caches is of no kernel
    sim(folder)
    plain = summary(folder)
    sim(folder, '--checkpoint=c')
    emptied = summary(folder)
    same(emptied['kernels'], plain['kernels'])
    assert emptied['total']['cycles'] > plain['total']['cycles']


@case
def run_files(folder):
    """what is wrong is told"""
    for launches, text in (
            ('- together: []', "run.yaml:7:15: error: the list has no launch"),
            ('- {together: [%s], repeat: {times: 2, launches: []}}' % LAUNCHES[0],
             "'repeat' and 'together' must be separate steps"),
            ('- together: [{repeat: {times: 2, launches: []}}]', "a launch has no key 'repeat'"),
            ('- together: %s' % LAUNCHES[0], "'together' needs a list, not keys with values"),
            ('- {together: [], grid: 2}', "a launch, repeat or together has no key 'grid'"),
            ('- together: [%s, {kernel: third, grid: 1, block: 1}]' % LAUNCHES[0],
             "unknown kernel 'third'")):
        prepare(folder, launches)
        within(text, ends(run([PROGRAM, 'run.yaml'], folder), 1).err.decode())


main()
