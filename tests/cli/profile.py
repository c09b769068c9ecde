#!/usr/bin/env python3
"""What a run has measured decides: from ptxoffload-sim --profile-out to ptxoffload --profile.

usage: profile.py BUILD-ROOT
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../report'))
from pages import Page
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
SIMULATOR = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'


def prepare(folder, sample):
    """The sample's PTX as in.ptx, and its profile as p.json, which is returned."""
    shutil.copy(SAMPLES / sample / (sample + '.ptx'), folder / 'in.ptx')
    ends(run([SIMULATOR, '--functional', SAMPLES / sample / 'run.yaml', '--profile-out=p.json'],
             folder), 0)
    return json.loads((folder / 'p.json').read_text())


def good(folder, *arguments):
    return ends(run([PROGRAM, *arguments], folder), 0)


def report(folder, *options):
    good(folder, 'in.ptx', '--report=json:r.json', *options)
    return json.loads((folder / 'r.json').read_text())


def block_key(block):
    return block['begin_line'], block['end_line'], block['kind']


def verdict(block):
    if block['passed_over']:
        return 'passed over'
    if not block['candidate']:
        return 'not offloaded'
    if not block['condition']:
        return 'offloaded'
    return 'offloaded if %(value)s >= %(threshold)d' % block['condition']


def verdicts(document):
    """{(kernel, first line, last line, number among those): verdict} of all blocks"""
    found = {}
    for kernel in document['kernels']:
        for block in kernel['blocks']:
            key = kernel['name'], block['begin_line'], block['end_line']
            found.setdefault(key, []).append(verdict(block))
    return found


def check_changes(folder, sample):
    """The report lists what differs between a run without and a run with the profile."""
    profile = prepare(folder, sample)
    without, measured = report(folder), report(folder, '--profile=p.json')
    assert 'changes' not in without
    same(without['options']['profile'], '')
    same(measured['options']['profile'], hashlib.sha256((folder / 'p.json').read_bytes()).hexdigest())
    before, after = verdicts(without), verdicts(measured)
    same(sorted(before), sorted(after))
    expected = sorted((*key, was, now) for key in before
                      for was, now in zip(before[key], after[key]) if was != now)
    told = [change for change in measured['changes'] if change['kind'] == 'block']
    same(sorted((c['kernel'], c['line'], c['end_line'], c['before'], c['after']) for c in told), expected)
    assert expected, 'nothing has changed: the sample shows nothing'
    assert all(change['reason'] for change in told)
    for kernel in measured['kernels']:
        for block in kernel['blocks']:
            loops = [loop for one in profile['kernels'] if one['name'] == kernel['name']
                     for loop in one['functions'][0]['loops']
                     if block['begin_line'] <= loop['line'] <= block['end_line']]
            assert loops or 'trips' not in block['measured']
    assert all(not block['measured'] for kernel in without['kernels'] for block in kernel['blocks'])
    assert 'measurements' not in without
    check_measurements(profile, measured)
    shown(folder, measured)


def check_measurements(profile, report):
    """What the profile says of each access and loop stands in the report."""
    found = {(one['kernel'], one['line'], one['column'], one['kind'] == 'loop'): one
             for one in report['measurements']}
    counted = 0
    for kernel in profile['kernels']:
        for function in kernel['functions']:
            for inst in function['instructions']:
                every = inst.get('memory', {}).get('all', {'accesses': 0})
                if not every['accesses']:
                    continue
                one = found[function['name'], inst['line'], inst['column'], False]
                same((one['times'], one['least'], one['most']),
                     (every['accesses'], every['least_lines'], every['most_lines']))
                near(one['mean'], every['lines'] / every['accesses'])
                # A single number of the analysis is proven, and what was counted.
                proven = re.fullmatch(r'(\d+) lines?', one['analysis'])
                same(one['decides'], not proven and one['kind'] != 'atomic')
                if proven:
                    near(one['mean'], int(proven[1]))
                counted += 1
    loops = [one for one in report['measurements'] if one['kind'] == 'loop']
    same(len(report['measurements']), counted + len(loops))
    assert loops and counted
    for one in loops:
        assert one['least'] <= one['mean'] <= one['most'] and one['times']
        assert one['line'] < one['end_line']


def shown(folder, measured):
    """The text and the page have the same changes."""
    good(folder, 'in.ptx', '--profile=p.json', '--report=text:r.txt', '--report=html:r.html')
    text = ' '.join((folder / 'r.txt').read_text().split())
    within('changed by the profile: %d verdict' % len(measured['changes']), text)
    for change in measured['changes']:
        line = '%(kind)s of %(kernel)s | in.ptx:%(line)d..%(end_line)d | before: %(before)s | now: ' \
               '%(after)s %(reason)s' % change
        within(' '.join(line.split()), text)
    for one in measured['measurements']:
        line = '%(line)d:%(column)d %(kind)s' % one
        within(' ' + line + (' to line %d' % one['end_line'] if one['kind'] == 'loop' else '') + ' | %.4g '
               % one['mean'], text)
    same(text.count('| the measured number decides'),
         sum(one['decides'] for one in measured['measurements']))
    page = Page(folder / 'r.html')
    same(page.module['measurements'], measured['measurements'])
    same(page.module['changes'], measured['changes'])
    same(page.module['profile'], measured['options']['profile'])


for name in ('kmn', 'bfs'):
    add_case('changed verdicts of ' + name, check_changes, name)


@case
def same_bytes(folder):
    """equal runs give equal bytes; a file that was tagged with a profile is decided once more"""
    prepare(folder, 'kmn')
    for number in '12':
        good(folder, 'in.ptx', '--profile=p.json', '-o', 'out%s.ptx' % number,
             '--metadata=m%s.json' % number, '--report=text:r%s.txt' % number)
    same((folder / 'out1.ptx').read_bytes(), (folder / 'out2.ptx').read_bytes())
    same((folder / 'm1.json').read_text(), (folder / 'm2.json').read_text().replace('out2', 'out1'))
    good(folder, 'out1.ptx', '--profile=p.json', '-o', 'again.ptx', '--report=text:r3.txt')
    first, again = ((folder / name).read_text() for name in ('out1.ptx', 'again.ptx'))
    tables = re.compile(r"source\.file='[^']*'|tags=[0-9a-f]*")
    same(tables.sub('', again), tables.sub('', first))
    within('changed by the profile', (folder / 'r3.txt').read_text())
    good(folder, 'out1.ptx', '-o', 'without.ptx')
    good(folder, 'in.ptx', '-o', 'plain.ptx')
    same(tables.sub('', (folder / 'without.ptx').read_text()),
         tables.sub('', (folder / 'plain.ptx').read_text()))


@case
def all_forms(folder):
    """JSON, tags and the object say the same of what was measured"""
    prepare(folder, 'kmn')
    good(folder, 'in.ptx', '--profile=p.json', '-o', 'out.ptx', '--emit=ptx,elf,meta')
    document = json.loads((folder / 'out.json').read_text())
    words = set(word for kernel in document['kernels'] for block in kernel['blocks']
                for word in block['measured'])
    same(words, {'lines', 'trips'})
    good(folder, 'out.elf', '--emit=meta', '-o', 'again.json')
    same((folder / 'again.json').read_text(), (folder / 'out.json').read_text())
    within('options.profile=\'%s\'' % document['options']['profile'], (folder / 'out.ptx').read_text())
    result = ends(run([PROGRAM, 'out.elf', '--profile=p.json', '-o', 'x.ptx'], folder), 1)
    within('--profile', result.err.decode())
    result = ends(run([PROGRAM, 'out.elf', '--remarks'], folder), 1)
    within('was made with a profile', result.err.decode())
    assert 'changes' not in json.loads(good(folder, 'out.elf', '--report=json').out)
    assert b'changed by' not in good(folder, 'out.elf', '--report=text').out


def with_caches(profile, hits):
    """The same with a first-level cache that has served that share of all lines."""
    for kernel in profile['kernels']:
        for function in kernel['functions']:
            for inst in function['instructions']:
                if inst['opcode'].startswith('ld.global'):
                    lines = inst['memory']['all']['lines']
                    inst['memory']['l1'] = {'accesses': lines, 'hits': int(lines * hits), 'merged': 0}
    return json.dumps(profile)


def near(number, expected):
    """Sums count in 65536th parts of a word."""
    assert abs(number - expected) < 1e-3, '%r, not %r' % (number, expected)


@case
def caches(folder):
    """measured misses: what blocks and chains save is that of the lines that are left"""
    profile = prepare(folder, 'vecadd')
    for hits in (0, 0.5, 1):
        (folder / 'p.json').write_text(with_caches(profile, hits))
        document = report(folder, '--profile=p.json')
        kernel, = document['kernels']
        same([(one['l1_accesses'], one['l1_served'], one['llc_accesses'], one['decides'])
              for one in document['measurements'] if one['kind'] == 'load'],
             [(157, int(157 * hits), 0, True)] * 2)
        miss = (157 - int(157 * hits)) / 157  # of 157 lines, of each array
        chain, = kernel['chains']
        near(chain['expected_saving'], 2 * 6 * miss + 6 - 2)
        block = kernel['blocks'][-1]
        same(block['measured'], ['misses'])
        near(block['saved_tx'], 2 * miss + 32 + 1)
        near(block['saved_rx'], 2 * 32 * miss + 0.25)


def served(cache):
    return cache['hits'] + cache['merged']


def check_misses(folder, sample):
    """What a run with time has counted of caches is what blocks of its kernels save."""
    shutil.copy(SAMPLES / sample / (sample + '.ptx'), folder / 'in.ptx')
    ends(run([SIMULATOR, SAMPLES / sample / 'run.yaml', '--profile-out=p.json'], folder), 0)
    document, memory = report(folder, '--profile=p.json'), {}
    for kernel in json.loads((folder / 'p.json').read_text())['kernels']:
        for inst in kernel['functions'][0]['instructions']:
            memory[kernel['name'], inst['line'], inst['column']] = inst.get('memory')
    none = {'accesses': 0, 'hits': 0, 'merged': 0}
    straight, loads = 0, [one for one in document['measurements'] if one['kind'] == 'load']
    for one in loads:
        at = memory[one['kernel'], one['line'], one['column']]
        l1, llc = at.get('l1', none), at.get('llc', none)
        same((one['l1_accesses'], one['l1_served'], one['llc_accesses'], one['llc_served']),
             (l1['accesses'], served(l1), llc['accesses'], served(llc)))
        assert l1['accesses'] and one['decides']
    for kernel in document['kernels']:
        for block in kernel['blocks']:
            within_it = [one for one in document['measurements'] if one['kernel'] == kernel['name'] and
                         block['begin_line'] <= one['line'] <= block['end_line']]
            own = [one for one in within_it if one['kind'] == 'load']
            assert 'misses' in block['measured'] or not own
            if block['kind'] != 'block' or any(one['analysis'] != '1 line' for one in within_it):
                continue
            misses = [(one['llc_accesses'] - one['llc_served']) / one['l1_accesses'] for one in own]
            near(block['saved_rx'], 32 * sum(misses) + 0.25 * block['stores'])
            straight += 1
    assert straight or sample == 'kmn'


for name in ('vecadd', 'kmn', 'bfs', 'srad'):
    add_case('misses of %s, measured with time' % name, check_misses, name)


@case
def chain_turned_down(folder):
    """a chain whose loads the cache serves is a change, with its reason"""
    profile = prepare(folder, 'kmn')
    (folder / 'p.json').write_text(with_caches(profile, 1))
    document = report(folder, '--profile=p.json')
    lost = [change for change in document['changes'] if change['kind'] == 'chain']
    assert lost, 'no chain was rejected'
    for change in lost:
        same(change['after'], 'not offloaded')
        within('L1 serves', change['reason'])
        within('measured', change['reason'])
    result = good(folder, 'in.ptx', '--profile=p.json', '--remarks-analysis')
    within('of which L1 served 100 %', result.err.decode())


@case
def min_saving(folder):
    """--min-saving asks for what was measured, not for what is expected without"""
    lines = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
    .reg .b64 %rd<9>; .reg .b32 %r<9>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd3, %r1, 4;
    add.s64 %rd1, %rd1, %rd3;
    add.s64 %rd2, %rd2, %rd3;
    ld.global.u32 %r2, [%rd1];
    mul.wide.u32 %rd4, %r2, 4;
    add.s64 %rd5, %rd2, %rd4;
    ld.global.u32 %r3, [%rd5];
    add.u32 %r4, %r3, 1;
    st.global.u32 [%rd5], %r4;
    ret;
}
'''
    (folder / 'in.ptx').write_text(lines, encoding='utf-8')
    good(folder, 'in.ptx', '--metadata=plain.json')
    ends(run([SIMULATOR, '--functional', 'in.ptx', '--grid=1', '--block=32', '--arg=buf:u32:64:zero',
              '--arg=buf:u32:64:zero', '--profile-out=p.json'], folder), 0)
    def chains(*options):
        return [chain for kernel in report(folder, *options)['kernels'] for chain in kernel['chains']]

    (plain,), (measured,) = chains(), chains('--profile=p.json')
    low, high = sorted(one['expected_saving'] for one in (plain, measured))
    assert low < high
    bound = '--min-saving=%r' % ((low + high) / 2)
    same(len(chains(bound)), plain['expected_saving'] == high)
    same(len(chains('--profile=p.json', bound)), measured['expected_saving'] == high)
    good(folder, 'in.ptx', '--profile=p.json', bound, '--remarks-missed', '-o', 'out.ptx')


@case
def tom_keeps(folder):
    """the paper's model decides as without; the alternative has the measured numbers"""
    prepare(folder, 'kmn')
    without, measured = report(folder, '--cost=tom'), report(folder, '--cost=tom', '--profile=p.json')
    same(measured['changes'], [])
    assert not any(one['decides'] for one in measured['measurements'])
    same(verdicts(without), verdicts(measured))
    other = lambda document: [block['alternatives'] for kernel in document['kernels']
                              for block in kernel['blocks']]
    assert other(without) != other(measured)


@case
def of_tagged_text(folder):
    """a profile of the tagged text is not one of the text"""
    shutil.copy(SAMPLES / 'vecadd' / 'vecadd.ptx', folder / 'in.ptx')
    good(folder, 'in.ptx', '-o', 'out.ptx')
    ends(run([SIMULATOR, '--functional', 'out.ptx', '--grid=1', '--block=32', '--arg=buf:f32:32:iota',
              '--arg=buf:f32:32:iota', '--arg=buf:f32:32:zero', '--arg=u32:32', '--profile-out=p.json'],
             folder), 0)
    result = ends(run([PROGRAM, 'out.ptx', '--profile=p.json', '-o', 'x.ptx'], folder), 1)
    within('the tagged text', result.err.decode())
    assert not (folder / 'x.ptx').exists()


@case
def depfile(folder):
    """-MD names the profile, and the capability, behind the input"""
    prepare(folder, 'vecadd')
    (folder / 'c.yaml').write_text('vector: 4\n')
    good(folder, 'in.ptx', '--profile=p.json', '--capability=c.yaml', '-o', 'out.ptx', '-MD', '-MP')
    same((folder / 'out.d').read_text(), 'out.ptx: in.ptx c.yaml p.json\nc.yaml:\np.json:\n')


if __name__ == '__main__':
    main(os.cpu_count())
