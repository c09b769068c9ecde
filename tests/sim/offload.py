#!/usr/bin/env python3
"""What ptxoffload-sim takes a program's chains from, and what it says when they do not fit.

usage: offload.py BUILD-ROOT
"""
import copy
import itertools
import json
import os
import pathlib
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'
PATTERNS = (ROOT / 'passes/base/patterns.def').read_text(encoding='utf-8').count('\nCHAIN_PATTERN(')
LAUNCH = ['--kernel', 'vecadd', '--grid', '4', '--block', '128', *3 * ['--arg', 'buf:f32:512:iota'],
          '--arg', 'u32:512']
BUTTERFLIES = [option for key in ('request_network.topology=fly', 'reply_network.topology=fly',
                                  'request_network.router_nodes=true', 'reply_network.router_nodes=true',
                                  'reply_network.reversed=true') for option in ('--set', key)]
HINT = "'ptxoffload-sim --help' explains the options\n"
NO_CHAINS = "ptxoffload-sim: note: '%s' has no chains: the policy %s offloads nothing%s\n"
TAG_IT = '; tag it: ptxoffload IN -o OUT'
RUN = '''program: out.ptx
%sbuffers:
  a: {type: f32, count: 512, fill: iota}
  b: {type: f32, count: 512, fill: iota}
  c: {type: f32, count: 512}
launches: [{kernel: vecadd, grid: 4, block: 128, args: [a, b, c, 512]}]
expect: [{buffer: c, fill: "= 2 * i"}]
'''


def prepare(folder, *options):
    """vecadd.ptx as in.ptx, out.ptx with tags, out.json, out.elf, and none.ptx without tags"""
    (folder / 'in.ptx').write_bytes((SAMPLES / 'vecadd' / 'vecadd.ptx').read_bytes())
    ends(run([TAGGER, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json', '--emit=ptx,elf', *options],
             folder), 0)
    ends(run([TAGGER, 'in.ptx', '-o', 'none.ptx', '--tags=none', '--metadata=none.json', *options],
             folder), 0)


def sim(folder, *arguments):
    return run([PROGRAM, *arguments], folder)


def summary(folder, *arguments):
    result = sim(folder, *arguments, '--json=result.json')
    ends(result, 0, '', '')
    return json.loads((folder / 'result.json').read_text())


def document(folder):
    return json.loads((folder / 'out.json').read_text())


@case
def sources(folder):
    """tags, a document, an object: the same chains"""
    prepare(folder)
    for source in (['out.ptx'], ['out.ptx', '--metadata=out.json'],
                   ['none.ptx', '--metadata=none.json'], ['out.elf']):
        found = summary(folder, *source, *LAUNCH, '--policy=llc', '--set', 'offload.chains_most=1')
        same(found['configuration']['policy'], 'llc')
        same(found['configuration']['resolved']['offload']['policy'], 'llc')
        files = [each[11:] for each in source[1:]] + [each for each in source if '.elf' in each]
        same([each['file'] for each in found['inputs']], files)
        counts = found['total']['offload']
        same(counts['chains_tagged'], 16)  # one for each warp
        assert 0 < counts['chains_offloaded'] <= 16, counts
        told = sim(folder, *source, *LAUNCH, '--policy=llc', '-v').err.decode()
        within('ptxoffload-sim: 1 chain\n', told)


@case
def tagged(folder):
    """instructions of chains, and loads and stores of these, count once for each warp that comes to one"""
    prepare(folder)
    ends(sim(folder, 'out.ptx', *LAUNCH, '--policy=omni', '--stats=stats.json'), 0, '', '')
    total = json.loads((folder / 'stats.json').read_text())['total']['statistics']
    same(total['offload.tagged_instructions'], 4 * 16)  # two loads, an addition, a store
    same(total['offload.tagged_accesses'], 3 * 16)
    same(total['core.global_loads'] + total['core.global_stores'], 3 * 16)


@case
def styles(folder):
    """tags in comments are read as well, and so is what was decided in other ways"""
    for options in (['--tags=comment'], ['--tags=full'], ['--no-reorder'], ['--fma=split', '--restrict']):
        prepare(folder, *options)
        ends(sim(folder, 'out.ptx', *LAUNCH, '--policy=omni'), 0, '')


@case
def policies(folder):
    """--policy is a key of the machine, which --set overrides; without one nothing is offloaded"""
    prepare(folder)
    for options, policy in (([], 'baseline'), (['--policy=baseline'], 'baseline'),
                            (['--policy=omni'], 'omni'), (['--policy=adaptive'], 'adaptive'),
                            (['--set', 'offload.policy=llc'], 'llc'),
                            (['--set', 'offload.policy=llc', '--policy=omni'], 'llc')):
        found = summary(folder, 'out.ptx', *LAUNCH, *options)
        same(found['configuration']['policy'], policy)
        printed = ends(sim(folder, '--print-config', *options), 0, '').out.decode()
        assert '\noffload:\n  policy: %s ' % policy in printed, policy
    ends(sim(folder, 'out.ptx', *LAUNCH, '--policy=other'), 2,
         "ptxoffload-sim: error: --policy cannot be 'other': expected baseline, llc, omni, "
         'adaptive, tom-no-ctrl, tom-ctrl, tom-alu, tom-measured, tom-ideal or tom-ideal-ctrl\n' + HINT, '')
    ends(sim(folder, 'out.ptx', *LAUNCH, '--policy=omni', '--set=memory.packet_class=0'), 1,
         'ptxoffload-sim: error: isca19: memory.packet_class equals the class of requests, but ComputePackets need '
         'their own\n', '')
    ends(sim(folder, 'out.ptx', *LAUNCH, '--functional', '--policy=llc'), 2,
         'ptxoffload-sim: error: --functional does not offload; it cannot be combined with --policy=llc\n'
         + HINT, '')


@case
def listed(folder):
    """--list-stats has all statistics that there are under a policy"""
    prepare(folder)
    for policy in 'baseline', 'llc', 'adaptive':
        names = {line.split(',')[0].split(' ')[0] for line in
                 ends(sim(folder, '--list-stats', '--policy=' + policy), 0, '').out.decode()
                 .splitlines()}
        ends(sim(folder, 'out.ptx', *LAUNCH, '--policy=' + policy, '--stats=s.json'), 0, '', '')
        total = json.loads((folder / 's.json').read_text())['total']['statistics']
        same({re.sub(r'\.(least|mean|most)$', '', name) if '*' in name else name for name in total} - names,
             set())
        same('offload.packets' in names, policy != 'baseline')
        same('chain0.weighed' in names, policy != 'baseline')


@case
def storage(folder):
    """what it takes of storage, from the configuration, beside the paper's figures"""
    def listed(*options):
        lines = ends(sim(folder, '--list-storage', *options), 0, '').out.decode().splitlines()
        return {line[:16].strip(): line[16:].split(None, 7) for line in itertools.takewhile(lambda line: not line.startswith('metadata table'), lines[1:])}
    usual = listed()
    same(usual['OQSR'], ['48', '55', '2640', '330', '56', '0', '0', '330'])
    same(usual['EMN table'], ['64', '7', '448', '56', '56', '0', '0', '64 entries'])
    same(usual['SQSR'][:1] + usual['SQSR'][4:], ['96', '56', '8', '0', '2,400 with its buffer'])
    same(usual['buffer'], ['4', '2048', '8192', '1024', '56', '8', '0'])
    routers = listed(*BUTTERFLIES)
    same(routers['OQSR'][4:7], ['56', '0', '0'])
    same([routers['EMN table'][0], *routers['EMN table'][4:7]], ['0', '0', '0', '0'])
    for part in ('SQSR', 'irregular lanes', 'buffer'):
        same(routers[part][4:7], ['0', '8', '48'])
    same(listed('--set', 'request_network.topology=crossbar',
                '--set', 'reply_network.topology=crossbar')['SQSR'][4:7], ['0', '8', '0'])
    larger = listed('--set', 'offload.queue=64', '--set', 'offload.service_queue=128',
                    '--set', 'offload.buffer=8', '--set', 'core.warps=32', '--set', 'core.threads=1024')
    same(larger['OQSR'][:3], ['64', '54', '3456'])
    same([larger['SQSR'][0], larger['buffer'][0]], ['128', '8'])


MANY = """program: out.ptx
buffers:
  a: {type: f32, count: 38400, fill: iota}
  b: {type: f32, count: 38400, fill: iota}
  c: {type: f32, count: 38400}
launches: [{kernel: vecadd, grid: 300, block: 128, args: [a, b, c, 38400]}]
expect: [{buffer: c, fill: "= 2 * i"}]
"""


@case
def many_slots(folder):
    """chains of cores with more than 64 warp slots; the result does not depend on the order of evaluation"""
    prepare(folder)
    (folder / 'run.yaml').write_text(MANY)
    settings = [option for key in ('memory.cores=4', 'core.warps=200', 'core.threads=6400', 'core.ctas=50',
                                   'core.registers=1048576', 'core.memory_most=256')
                for option in ('--set', key)]
    for policy in ('llc', 'omni', 'adaptive'):
        found = [summary(folder, 'run.yaml', '--policy=' + policy, *settings, *more)
                 for more in ((), ('--shuffle=3',))]
        same([one['checks']['failed'] for one in found], [0, 0])
        same(found[0]['kernels'], found[1]['kernels'])
        assert found[0]['total']['offload']['chains_offloaded'] > 600


@case
def no_chains(folder):
    """that there are none is only noted"""
    prepare(folder)
    ends(sim(folder, 'in.ptx', *LAUNCH, '--policy=llc'), 0, NO_CHAINS % ('in.ptx', 'llc', TAG_IT))
    ends(sim(folder, 'in.ptx', *LAUNCH), 0, '')
    found = document(folder)
    found['kernels'][0]['chains'] = []
    (folder / 'm.json').write_text(json.dumps(found))
    ends(sim(folder, 'out.ptx', *LAUNCH, '--metadata=m.json', '--policy=omni'), 0,
         NO_CHAINS % ('out.ptx', 'omni', ''))


@case
def run_files(folder):
    """a run file names metadata; a command line overrules it, and they are an input"""
    prepare(folder)
    below = folder / 'below'
    below.mkdir()
    for name in ('out.ptx', 'out.json'):
        (below / name).write_bytes((folder / name).read_bytes())
    (below / 'run.yaml').write_text(RUN % 'metadata: out.json\n')
    found = summary(folder, 'below/run.yaml', '--policy=llc')
    same([each['file'] for each in found['inputs']], ['below/out.json'])
    (below / 'out.json').write_text('{}')
    result = ends(sim(folder, 'below/run.yaml'), 1, out='')
    within("below/out.json: error: format: it is missing", result.err.decode())
    found = summary(folder, 'below/run.yaml', '--policy=llc', '--metadata=out.json')
    same([each['file'] for each in found['inputs']], ['out.json'])
    (below / 'run.yaml').write_text(RUN % '')
    summary(folder, 'below/run.yaml', '--policy=llc')
    before = (folder / 'out.json').read_bytes()
    ends(sim(folder, 'below/run.yaml', '--metadata=out.json', '--json=out.json'), 1,
         "ptxoffload-sim: error: --json would overwrite the metadata 'out.json'\n", '')
    same((folder / 'out.json').read_bytes(), before)


@case
def other_program(folder):
    """--program takes another program than the run file has, without the metadata of that"""
    prepare(folder)
    (folder / 'run.yaml').write_text((RUN % 'metadata: none.json\n').replace('out.ptx', 'none.ptx'))
    for options, program in (([], 'none.ptx'), (['--program=out.elf'], 'out.elf(.ptxoffload.ptx)'),
                             (['--program=out.ptx'], 'out.ptx'),
                             (['--program=out.ptx', '--metadata=out.json'], 'out.ptx')):
        found = summary(folder, 'run.yaml', '--policy=llc', *options)
        same(found['program']['file'], program)
        same(found['run']['file'], 'run.yaml')
    ends(sim(folder, 'run.yaml', '--program=in.ptx', '--policy=llc'), 0,
         NO_CHAINS % ('in.ptx', 'llc', TAG_IT))
    ends(sim(folder, 'run.yaml', '--program=out.ptx', '--metadata=none.json'), 1, out='')
    ends(sim(folder, 'run.yaml', '--program=out.ptx', '--json=out.ptx'), 1,
         "ptxoffload-sim: error: --json would overwrite the program 'out.ptx'\n", '')
    ends(sim(folder, 'run.yaml', '--program=nothing.ptx'), 1,
         "ptxoffload-sim: error: cannot read 'nothing.ptx': No such file or directory\n", '')
    ends(sim(folder, 'in.ptx', *LAUNCH, '--program=out.ptx'), 2,
         'ptxoffload-sim: error: --program needs a run file, but this is not one: in.ptx\n' + HINT, '')


@case
def packed(folder):
    """a fatbin that ptxoffload-nvcc made of vecadd.cu: nvcc 13.0 has changed white space and comments"""
    fatbin = SAMPLES.parent / 'tests/data/packed.fatbin'
    run_file = SAMPLES / 'vecadd/run.yaml'
    found = summary(folder, run_file, '--program=%s' % fatbin, '--policy=llc', '--stats=s.txt')
    same(found['outcome'], 'done')
    counts = re.search(r'offload.chains_offloaded = (\d+)', (folder / 's.txt').read_text())
    assert int(counts.group(1)) > 0, counts
    # The tags are those of this text: they are not made anew.
    ends(run([TAGGER, fatbin, '-o', 'again.ptx'], folder), 0, '', '')
    text = (folder / 'again.ptx').read_text()
    (folder / 'changed.ptx').write_text(text.replace('add.f32', 'sub.f32'))
    result = ends(sim(folder, run_file, '--program=changed.ptx', '--policy=llc'), 1, out='')
    within('the program is not the one that was tagged', result.err.decode())
    (folder / 'lines.ptx').write_text(text.replace('\n', '\n\n// line\n\t'))
    ends(sim(folder, run_file, '--program=lines.ptx', '--policy=llc'), 0, '')


@case
def other_text(folder):
    """metadata of another text, or none at all"""
    prepare(folder)
    result = ends(sim(folder, 'in.ptx', *LAUNCH, '--metadata=out.json'), 1, out='')
    within("out.json: error: these are not the metadata of 'in.ptx': output.sha256 begins with ",
           result.err.decode())
    within(': this text is the input, and the metadata belong to the output', result.err.decode())
    text = (folder / 'out.ptx').read_text()
    (folder / 'm.ptx').write_text(text + '\n')
    result = ends(sim(folder, 'm.ptx', *LAUNCH, '--metadata=out.json'), 1, out='')
    within("these are not the metadata of 'm.ptx'", result.err.decode())
    assert 'made from' not in result.err.decode()
    ends(sim(folder, 'out.ptx', *LAUNCH, '--metadata=nothing.json'), 1,
         "ptxoffload-sim: error: cannot read 'nothing.json': No such file or directory\n", '')
    ends(sim(folder, 'out.elf', *LAUNCH, '--metadata=out.json'), 1,
         "ptxoffload-sim: error: 'out.elf' is an object, which has metadata of its own: 'out.json' "
         'is for PTX\n', '')
    ends(sim(folder, 'out.elf', '--module=0', *LAUNCH, '--metadata=out.json', '--policy=llc'), 0, '')


# Documents in which one thing is wrong: what is changed, where that is told, and how.

def chain(document):
    return document['kernels'][0]['chains'][0]


def instruction(place, **to):
    return lambda m: chain(m)['instructions'][place].update(to)


def twice(m):
    again = copy.deepcopy(chain(m))
    again['id'] = 1
    m['kernels'][0]['chains'].append(again)


BAD_DOCUMENTS = {
    'an instruction outside of the kernel': (
        instruction(3, index=22), 'm.json: error: ',
        "kernel 'vecadd', chain 0: an instruction lies outside the kernel: its index is 22, but "
        'the kernel has 22'),
    'an instruction that is another one': (
        instruction(3, index=21), 'out.ptx:52:2: error: ',
        "chain 0 of 'vecadd': this is 'ret', but the chain has 'st.global.f32' here"),
    'an opcode that is another one': (
        instruction(2, opcode='mul.f32'), 'out.ptx:48:2: error: ',
        "chain 0 of 'vecadd': this is 'add.f32', but the chain has 'mul.f32' here"),
    'an instruction that no unit computes': (
        instruction(3, index=21, opcode='ret'), 'out.ptx:52:2: error: ',
        "chain 0 of 'vecadd': the unit near the data cannot compute 'ret'"),
    'an instruction of another operation': (
        instruction(0, index=10, opcode='cvta.to.global.u64'), 'out.ptx:39:79: error: ',
        "chain 0 of 'vecadd': the unit near the data cannot compute 'cvta.to.global.u64'"),
    'another pattern': (
        lambda m: chain(m).update(pattern=5), 'out.ptx:46:63: error: ',
        "chain 0 of 'vecadd': a chain does not have the loads and stores of its pattern"),
    'a pattern that there is not': (
        lambda m: chain(m).update(pattern=99), 'm.json: error: ',
        'kernels[0].chains[0].pattern: expected a whole number from 1 to %d' % PATTERNS),
    'another answer': (
        lambda m: chain(m)['response'].update(kind='data'), 'out.ptx:46:63: error: ',
        "chain 0 of 'vecadd': the response of a chain is not that of its pattern"),
    'an instruction in two chains': (
        twice, 'm.json: error: ',
        "kernel 'vecadd', chain 1: an instruction also belongs to another chain"),
    'tags in another order': (
        instruction(1, tag='11'), 'm.json: error: ',
        "kernel 'vecadd', chain 0: its tags are not 01, 10 …, 11"),
    'a tag that there is not': (
        instruction(1, tag='00'), 'm.json: error: ',
        'kernels[0].chains[0].instructions[1].tag: expected one of 01, 10, 11'),
    'too many instructions': (
        lambda m: chain(m)['instructions'].extend(copy.deepcopy(chain(m)['instructions'] * 3)),
        'm.json: error: ', "kernel 'vecadd', chain 0: its number of instructions is invalid"),
    'a kernel that there is not': (
        lambda m: m['kernels'][0].update(name='other'), 'out.ptx: error: ',
        "there are chains of 'other', but no such function"),
    'a kernel of another length': (
        lambda m: m['kernels'][0].update(instructions=23), 'out.ptx:15:1: error: ',
        "chains of 'vecadd': they belong to 23 instructions, but the function has 22"),
    'a version that there is not': (
        lambda m: m.update(version=2), 'm.json: error: ',
        'version: expected a whole number from 1 to 1'),
}


def bad_document(folder, change, place, message):
    prepare(folder)
    found = document(folder)
    change(found)
    (folder / 'm.json').write_text(json.dumps(found))
    def run(policy):
        return sim(folder, 'out.ptx', *LAUNCH, '--metadata=m.json', '--policy=' + policy)
    result = ends(run('llc'), 1, out='')
    same(result.err.decode().splitlines()[0], place + message + ' [metadata]')
    # A scheme that is off does not compare its plan with the program; a document is read all the same.
    ends(run('baseline'), 1 if place.startswith('m.json') else 0)


for name, (change, place, message) in BAD_DOCUMENTS.items():
    add_case('a document with ' + name, bad_document, change, place, message)


@case
def no_document(folder):
    """what is no document at all"""
    prepare(folder)
    for text, message in (('{"format": ', 'm.json:1:12: error: not a JSON document: '),
                          ('[]', 'm.json: error: the document: expected an object'),
                          ('{"format": "x"}', 'm.json: error: format: expected the string '
                                              'ptxoffload-metadata')):
        (folder / 'm.json').write_text(text)
        result = ends(sim(folder, 'out.ptx', *LAUNCH, '--metadata=m.json'), 1, out='')
        within(message, result.err.decode())


# Tagged texts in which one thing is replaced.
BAD_TAGS = {
    'tags in another order': (
        'chain 0 01 10', 'chain 0 10 01', "kernel 'vecadd', chain 0: its tags are not 01, 10 …, 11"),
    'a tag that is not there': (
        '01 10 10 11', '01 10 10', ':46:2: error: not all instructions of this chain are tagged'),
    'a tag too many': (
        'ret;', '.pragma "ptxoffload.chain 0 11"; ret;', ": its tags are not 01, 10 …, 11"),
    'a chain that there is not': (
        'chain 0 01', 'chain 7 01', 'error: a chain with a lower id is not tagged'),
    'a pattern that there is not': (
        'pattern=1', 'pattern=99', ':46:2: error: pattern: expected a whole number from 1 to %d' % PATTERNS),
    'other numbers': (
        'saves=16', 'saves=17', ':21:2: error: the tags were changed'),
    'another program': (
        'add.f32', 'sub.f32', 'error: the program is not the one that was tagged'),
}
# The same of full tags.
BAD_FULL_TAGS = {
    'tags in another order': (
        'chain 0 01', 'chain 0 10', ':46:2: error: the tags of a chain are 01, 10 …, 11 in this order'),
    'a tag that is not there': (
        '.pragma "ptxoffload.chain 0 10"; ', '',
        ':21:374: error: not all instructions of this chain are tagged'),
    'a tag too many': (
        'ret;', '.pragma "ptxoffload.chain 0 11"; ret;', ':52:2: error: the chain has fewer instructions'),
    'another program': (
        'add.f32', 'sub.f32', 'error: the program is not the one that was tagged'),
}


def bad_tags(folder, old, new, message, *options):
    prepare(folder, *options)
    text = (folder / 'out.ptx').read_text()
    within(old, text)
    (folder / 'm.ptx').write_text(text.replace(old, new, 1))
    result = ends(sim(folder, 'm.ptx', *LAUNCH, '--policy=omni'), 1, out='')
    within(message, result.err.decode().splitlines()[0])
    within('[tags]', result.err.decode().splitlines()[0])
    ends(sim(folder, 'm.ptx', *LAUNCH), 0, '')


for name, (old, new, message) in BAD_TAGS.items():
    add_case('tags with ' + name, bad_tags, old, new, message)
for name, (old, new, message) in BAD_FULL_TAGS.items():
    add_case('full tags with ' + name, bad_tags, old, new, message, '--tags=full')


def section(data, name):
    """Offset of a section of an ELF64 object"""
    at, = struct.unpack_from('<Q', data, 40)
    size, count, names = struct.unpack_from('<HHH', data, 58)
    headers = [struct.unpack_from('<IIQQQQ', data, at + size * i) for i in range(count)]
    strings = headers[names][4]
    for header in headers:
        start = strings + header[0]
        if data[start:data.index(b'\0', start)] == name.encode():
            return header[4]
    raise AssertionError('no section ' + name)


@case
def bad_objects(folder):
    """objects that are cut, changed, or point outside"""
    prepare(folder)
    data = (folder / 'out.elf').read_bytes()
    index = section(data, '.ptxoffload.instructions') + 8
    same(struct.unpack_from('<I', data, index)[0], 17)
    outside, other = bytearray(data), bytearray(data)
    struct.pack_into('<I', outside, index, 99)
    struct.pack_into('<I', other, index, 16)
    for damaged, message in (
            (data[:300], 'm.elf: error: offset 0x0: it is truncated'),
            (data.replace(b'add.f32', b'sub.f32', 1),
             "m.elf: error: section '.ptxoffload.ptx': the PTX does not belong to the metadata"),
            (outside, 'an instruction lies outside the kernel: its index is 99, but the kernel has 22'),
            (other, "m.elf(.ptxoffload.ptx):45:2: error: chain 0 of 'vecadd': this is ")):
        (folder / 'm.elf').write_bytes(damaged)
        result = ends(sim(folder, 'm.elf', *LAUNCH, '--policy=llc'), 1, out='')
        within(message, result.err.decode())


@case
def room(folder):
    """more chains than the machine has room for"""
    (folder / 'in.ptx').write_bytes((SAMPLES / 'fdtd' / 'fdtd.ptx').read_bytes())
    ends(run([TAGGER, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json'], folder), 0)
    kernels = document(folder)['kernels']
    most = max(kernels, key=lambda kernel: len(kernel['chains']))
    count = len(most['chains'])
    assert count > 1, count
    launch = ['out.ptx', '--kernel', most['name'], '--grid', '1', '--block', '1']
    few = ['--set', 'offload.chains_most=%d' % (count - 1)]
    result = ends(sim(folder, *launch, '--policy=llc', *few), 1, out='')
    within("error: chains of '%s': there are %d, but offload.chains_most is %d [metadata]"
           % (most['name'], count, count - 1), result.err.decode())
    enough = ['--set', 'offload.chains_most=%d' % count]
    for options in (['--policy=llc', *enough], ['--metadata=out.json', *few]):
        assert 'metadata]' not in sim(folder, *launch, *options).err.decode()


@case
def shortfalls(folder):
    """a policy that computes less at cores than it promises says so, before the run or after it"""
    prepare(folder)
    text = (folder / 'in.ptx').read_text()
    shared = text.replace('.reg ', '.shared .align 4 .b8 room[40000];\n.reg ', 1)
    assert shared != text
    (folder / 'in.ptx').write_text(shared)
    ends(run([TAGGER, 'in.ptx', '-o', 'shared.ptx'], folder), 0)
    large = '--set=offload.service_queue=%d'
    for program, policy, option, message in (
            ('out.ptx', 'omni', large % 192, None),
            ('out.ptx', 'omni', large % 193, 'no core computes, since its service queue needs 49408 B'),
            ('out.ptx', 'adaptive', large % 4096, 'no core computes'),
            ('out.ptx', 'omni', '--set=core.shared_bytes=16384', 'core.shared_bytes is 16384'),
            ('out.ptx', 'llc', large % 4096, None),
            ('shared.ptx', 'omni', large % 96, 'no core computed in 1 of 1 launches'),
            ('shared.ptx', 'omni', large % 8, None)):
        result = ends(sim(folder, program, *LAUNCH, '--policy=' + policy, option,
                          '--json=result.json'), 0, out='')
        found = json.loads((folder / 'result.json').read_text()).get('shortfall')
        if message is None:
            same((found, result.err), (None, b''))
        else:
            within(message, found)
            same(result.err.decode(), 'ptxoffload-sim: note: %s\n' % found)


KINDS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 n)
{
    .reg .b64 %%a, %%b, %%c, %%o; .reg .b32 %%x<4>, %%y<4>, %%z<4>, %%t, %%n, %%w; .reg .pred %%p, %%q;
    ld.param.u64 %%a, [pa]; ld.param.u64 %%b, [pb]; ld.param.u64 %%c, [pc]; ld.param.u32 %%n, [n];
    cvta.to.global.u64 %%a, %%a; cvta.to.global.u64 %%b, %%b; cvta.to.global.u64 %%c, %%c;
    mov.u32 %%t, %%tid.x; mul.wide.u32 %%o, %%t, 8; mov.u32 %%w, 0;
    add.s64 %%a, %%a, %%o; add.s64 %%b, %%b, %%o; add.s64 %%c, %%c, %%o; setp.gt.u32 %%p, %%n, 5;
    %s
    st.global.u32 [%%c+4096], %%w;
    ret;
}
"""
SUM = ('%sld.global%s.u32 %%x0, [%%a]; ld.global%s.u32 %%y0, [%%b]; %s '
       'add.u32 %%z0, %%x0, %%y0; st.global.u32 [%%c], %%z0;')
COMPARE = '''ld.global.u32 %x0, [%a]; ld.global.u32 %y0, [%b];
    %s
    setp.lt.u32 %q, %x0, %y0; selp.u32 %z0, 3, 4, %q; st.global.u32 [%c], %z0;'''


def offloaded(folder, statements, *options):
    """the program's chains, and the statistics of a run in which all may be offloaded"""
    (folder / 'kind.ptx').write_text(KINDS % statements)
    ends(run([TAGGER, 'kind.ptx', '-o', 'tagged.ptx', '--metadata=tagged.json', '-w', *options],
             folder), 0)
    launch = ['tagged.ptx', '--kernel', 'k', '--grid', '1', '--block', '64',
              *3 * ['--arg', 'buf:u32:2048:iota'], '--arg', 'u32:9', '--save', '2=%s.npy']
    plain = [each.replace('%s', 'plain') for each in launch]
    timed = [each.replace('%s', 'timed') for each in launch]
    ends(sim(folder, *plain, '--functional'), 0)
    ends(sim(folder, *timed, '--policy=omni', '--stats=stats.json',
             '--set=memory.partition_nodes=[15]'), 0)
    same((folder / 'timed.npy').read_bytes(), (folder / 'plain.npy').read_bytes())
    chains = sum(len(kernel['chains'])
                 for kernel in json.loads((folder / 'tagged.json').read_text())['kernels'])
    return chains, json.loads((folder / 'stats.json').read_text())['total']['statistics']


@case
def kinds(folder):
    """what is tagged is offloaded: cache operators, guards, what stands between, other blocks"""
    words = ('', '.ca', '.cg', '.cs', '.lu', '.cv', '.nc', '.L1::no_allocate', '.L1::evict_last')
    between = ('shfl.sync.bfly.b32 %w, %t, 1, 31, -1;', 'ld.param.u32 %w, [n];', 'div.u32 %w, %t, %n;',
               'prefetch.global.L1 [%b];', 'add.cc.u32 %w, %t, %n; addc.u32 %w, %w, 0;')
    ways = ('bra.uni HERE; HERE:', '@%p bra HERE; add.u32 %w, %w, 1; HERE:',
            '@%p bra ELSE; add.u32 %w, %t, 1; bra HERE; ELSE: mul.lo.u32 %w, %t, 5; HERE:')
    tried = [SUM % ('', word, word, '') for word in words]
    tried += [SUM % ('', '', '', each) for each in between]
    tried += [COMPARE.replace('%s', way) for way in ways]
    for statements in tried:
        chains, stats = offloaded(folder, statements, '--no-reorder')
        same((statements, chains, stats['offload.chains_offloaded']), (statements, 1, 2))


@case
def loops(folder):
    """a comparison behind a loop is no chain"""
    loop = 'LOOP: add.u32 %w, %w, 1; setp.lt.u32 %p, %w, %n; @%p bra LOOP;'
    same(offloaded(folder, COMPARE.replace('%s', loop))[0], 0)


@case
def vectors(folder):
    """our unit has no vectors, whatever the tagger was told of another one"""
    (folder / 'unit.yaml').write_text('vector: 2\n')
    statements = ('ld.global.v2.u32 {%x0, %x1}, [%a]; ld.global.v2.u32 {%y0, %y1}, [%b];'
                  'add.u32 %z0, %x0, %y0; add.u32 %z1, %x1, %y1;'
                  'st.global.v2.u32 [%c], {%z0, %z1};')
    chains, stats = offloaded(folder, statements, '--capability=unit.yaml')
    same((chains, stats['offload.discarded_unit']), (1, 2))


@case
def parted(folder):
    """lanes that form a chain wait for others, which come another way"""
    meets = 'shfl.sync.bfly.b32 %w, %t, 1, 31, -1;'
    statements = ('and.b32 %w, %t, 1; setp.eq.u32 %q, %w, 0; @%q bra ELSE;'
                  + meets + 'bra HERE; ELSE:' + SUM % ('', '', '', meets) + 'HERE:')
    chains, stats = offloaded(folder, statements, '--no-reorder')
    same((chains, stats['offload.discarded_broken']), (1, 2))


WIDE_PTX = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry wide(.param .u64 pa, .param .u64 pb)
{
    .reg .b32 %r<3>; .reg .b64 %a<3>; .reg .f64 %x;
    ld.param.u64 %a1, [pa]; ld.param.u64 %a2, [pb];
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r1, %r1, 128, %r2;
    mad.wide.u32 %a1, %r1, 8, %a1; mad.wide.u32 %a2, %r1, 8, %a2;
    ld.global.f64 %x, [%a1];
    st.global.f64 [%a2], %x;
    ret;
}
'''
WIDE_RUN = '''program: out.ptx
buffers:
  a: {type: f64, count: 256, fill: iota}
  b: {type: f64, count: 256}
launches: [{kernel: wide, grid: 2, block: 128, args: [a, b]}]
expect: [{buffer: b, fill: "= i"}]
'''


def wide(folder, policy):
    """copies of 64 bits are offloaded, in two packets of a warp, with the right values"""
    (folder / 'in.ptx').write_text(WIDE_PTX)
    (folder / 'run.yaml').write_text(WIDE_RUN)
    ends(run([TAGGER, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json'], folder), 0)
    same([one['pattern'] for one in document(folder)['kernels'][0]['chains']], [3])
    counts = summary(folder, 'run.yaml', '--policy=' + policy)['total']['offload']
    same(counts['chains_offloaded'], 8)


HALVES_RUN = '''program: %s
buffers:
  a: {type: u32, count: 1024, fill: "%s"}
  b: {type: u32, count: 1024, fill: "%s"}
  c: {type: u32, count: 512, save: c.npy}
launches: [{kernel: halves, grid: 4, block: 128, args: [a, b, c, 8326]}]
'''
PAIR = '= (i * %d) %% 65536 + 65536 * ((i * %d) %% 65536)'


def halves(folder, policy):
    """comparisons of 16 bits are offloaded, and the unit's 32 bits give what the core gives"""
    (folder / 'in.ptx').write_bytes((ROOT / 'tests/cases/tags/halves-compared.ptx').read_bytes())
    ends(run([TAGGER, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json'], folder), 0)
    same([one['pattern'] for one in document(folder)['kernels'][0]['chains']], [6, 6, 6, 5, 6])
    for name in 'in.ptx', 'out.ptx':
        (folder / name).with_suffix('.yaml').write_text(HALVES_RUN % (name, PAIR % (40503, 7919), PAIR % (30011, 52237)))
    ends(sim(folder, 'in.yaml', '--functional'), 0, '')
    plain = (folder / 'c.npy').read_bytes()
    values = {one[0] for one in struct.iter_unpack('<I', plain[-2048:])}
    same([bit for bit in range(6) if len({value >> bit & 1 for value in values}) < 2], [])
    ends(sim(folder, 'out.yaml', '--policy=' + policy, '--stats=stats.json', '--set=memory.partition_nodes=[15]'), 0, '')
    same((folder / 'c.npy').read_bytes(), plain)
    total = json.loads((folder / 'stats.json').read_text())['total']['statistics']
    assert total['offload.chains_offloaded'] >= 60, total['offload.chains_offloaded']
    same(total['offload.compared'], 32 * total['offload.chains_offloaded'])


for policy in 'llc', 'omni':
    add_case('copies of 64 bits, ' + policy, wide, policy)
    add_case('comparisons of 16 bits, ' + policy, halves, policy)


main()
