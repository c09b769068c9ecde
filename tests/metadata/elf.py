#!/usr/bin/env python3
"""The ELF object: it says what the JSON document says, stands in for its PTX, and can be read with
binutils and with a small program.

usage: elf.py BUILD-ROOT [--update]

--update writes what readelf shows into docs/reference/metadata.md instead of comparing it.
"""
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / 'samples').glob('*/*.ptx'))
VECADD = ROOT / 'samples' / 'vecadd' / 'vecadd.ptx'
READER = ROOT / 'tests' / 'metadata' / 'print_object.c'
TEXT = (ROOT / 'docs' / 'reference' / 'metadata.md').read_text(encoding='utf-8')
CHAPTER = TEXT[TEXT.index('\n## ELF object\n'):]
SECTIONS = ('ptx', 'module', 'kernels', 'chains', 'instructions', 'blocks', 'estimates', 'registers',
            'rejected', 'strings')


def tool(name):
    if not shutil.which(name):
        raise Skip('no ' + name)
    return name


def tag(folder, *arguments):
    return ends(run([PROGRAM, *arguments], folder), 0)


def make(folder, sample=VECADD, *options):
    """in.ptx, out.ptx, out.json, out.elf"""
    shutil.copy(sample, folder / 'in.ptx')
    tag(folder, 'in.ptx', '-o', 'out.ptx', '--emit=ptx,meta,elf', *options)


def without_places(report):
    """A report without the texts of instructions, which objects do not have."""
    return re.sub(rb',\n  "places": \[.*?\n  \]', b'', report, flags=re.DOTALL)


def content(folder, name):
    return (folder / name).read_bytes()


def check_sample(folder, sample, *options):
    make(folder, sample, *options)
    report = tag(folder, 'in.ptx', '-o', 'out.ptx', '--report=text', *options).out
    summary = tag(folder, 'in.ptx', '-o', 'out.ptx', '--report=json', *options).out
    tag(folder, 'out.elf', '--emit=meta,elf', '-o', 'again.json')
    same(content(folder, 'again.json'), content(folder, 'out.json'))
    same(content(folder, 'again.elf'), content(folder, 'out.elf'))
    same(tag(folder, 'out.elf').out, report)
    again = tag(folder, 'out.elf', '--report=json').out
    same(again, without_places(summary))
    same(tag(folder, 'out.elf', '-o', '-').out, content(folder, 'out.ptx'))
    tag(folder, 'out.elf', '--emit=ptx', '-o', 'again.ptx')
    same(content(folder, 'again.ptx'), content(folder, 'out.ptx'))
    same(tag(folder, 'out.elf', '--strip', '-o', '-').out,
         tag(folder, 'out.ptx', '--strip', '-o', '-').out)


for path in SAMPLES:
    add_case('%s: JSON, reports and PTX come back' % path.name, check_sample, path)
for style in ('comment', 'paper', 'none', 'full', 'full-comment'):
    add_case('--tags=%s: all come back' % style, check_sample, VECADD, '--tags=' + style)
for option in ('--no-reorder', '--fma=split', '--block=64,2', '--restrict', '--min-saving=-1.25',
               '--min-saving=9'):
    add_case('%s: all come back' % option, check_sample, ROOT / 'samples' / 'srad' / 'srad.ptx', option)


@case
def source(folder):
    """--strip gives the source, if nothing was moved"""
    make(folder, VECADD, '--no-reorder')
    same(tag(folder, 'out.elf', '--strip', '-o', '-').out, VECADD.read_bytes())


@case
def same_bytes(folder):
    """the same run makes the same object; its place in the list of outputs does not matter"""
    make(folder)
    first = content(folder, 'out.elf')
    tag(folder, 'in.ptx', '-o', 'out.ptx', '--emit=ptx,elf')
    same(content(folder, 'out.elf'), first)
    same(tag(folder, 'in.ptx', '--emit=elf', '-o', '-').out[:4], b'\177ELF')


@case
def names(folder):
    """the PTX keeps its name unless it is written anew"""
    make(folder)
    tag(folder, 'out.elf', '--emit=ptx,meta', '-o', 'new.ptx')
    document = json.loads(content(folder, 'new.json'))
    same((document['source']['file'], document['output']['file']), ('in.ptx', 'new.ptx'))


@case
def into_folder(folder):
    """an object among the outputs in a folder, and as the input for one"""
    make(folder)
    tag(folder, 'out.elf', '--emit=ptx,elf', '-o', 'all/')
    module, = (folder / 'all').glob('*.elf')
    same(module.with_suffix('.ptx').read_bytes(), content(folder, 'out.ptx'))


@case
def other_uses(folder):
    """--check, --format and the analyses take the PTX in it"""
    make(folder)
    ends(tag(folder, 'out.elf', '--check'), 0, '', '')
    same(tag(folder, 'out.elf', '--format', '-o', '-').out,
         tag(folder, 'out.ptx', '--format', '-o', '-').out)
    same(tag(folder, 'out.elf', '--emit=ir', '-o', '-').out,
         tag(folder, 'out.ptx', '--emit=ir', '-o', '-').out)
    within(b"the metadata in 'out.elf(.ptxoffload.ptx)' are those of this run",
           tag(folder, 'out.elf', '-v').err)


@case
def listed(folder):
    """--list says what it is"""
    make(folder)
    within(b'.ptxoffload.ptx 0x', tag(folder, '--list', 'out.elf').out)
    document = json.loads(tag(folder, '--list', 'out.elf', '--report=json').out)
    same(document['container'], 'metadata')
    module, = document['modules']
    same((module['kind'], module['arch'], module['section'], module['bytes']),
         ('ptx', 'sm_75', '.ptxoffload.ptx', len(content(folder, 'out.ptx'))))


@case
def archive(folder):
    """the PTX of objects in a library is found"""
    make(folder)
    ends(run([tool('ar'), 'rc', 'all.a', 'out.elf'], folder), 0)
    document = json.loads(tag(folder, '--list', 'all.a', '--report=json').out)
    same([(module['member'], module['section']) for module in document['modules']],
         [('out.elf', '.ptxoffload.ptx')])
    tag(folder, 'all.a', '-o', 'again.ptx')
    same((folder / 'again.ptx').read_bytes(), content(folder, 'out.ptx'))


@case
def other_options(folder):
    """options that it was not made with are refused, unless its PTX alone is asked for"""
    make(folder)
    for option, name in (('--no-reorder', '--no-reorder'), ('--fma=split', 'this --fma'),
                         ('--cost=tom', 'this --cost'),
                         ('--block=64,2', 'this --block'), ('--restrict', '--restrict'),
                         ('--min-saving=3', 'this --min-saving'),
                         ('--tags=comment', '--tags'), ('--tags=full', '--tags'), ('--tags=none', '--tags')):
        ends(run([PROGRAM, 'out.elf', option], folder), 1,
             "ptxoffload: error: 'out.elf' was made without %s and is used unchanged; with --module=0 "
             'its PTX is analysed again\n' % name)
        tag(folder, 'out.elf', option, '--module=0', '--metadata=new.json')
    make(folder, VECADD, '--no-reorder', '--tags=comment')
    tag(folder, 'out.elf', '--no-reorder', '--tags=comment')
    make(folder, VECADD, '--min-saving=3')
    tag(folder, 'out.elf', '--min-saving=3.0')
    ends(run([PROGRAM, 'out.elf', '--min-saving=2'], folder), 1)


@case
def read_again(folder):
    """whatever it was made with, it is read without options, and with the same ones"""
    (folder / 'unit.yaml').write_text('types: [f32]\n')
    others = {'--cost=tom': '--cost=refined', '--cost=refined': '--cost=tom', '--fma=split': '--fma=fused',
              '--fma=fused': '--fma=split', '--min-saving=1': '--min-saving=2',
              '--block=16,16': '--block=16', '--no-reorder': None, '--restrict': None,
              '--capability=unit.yaml': None, '--tags=comment': '--tags=pragma', '--tags=full': '--tags=pragma', '--tags=none': None,
              '--tags=paper': None}
    for option, other in others.items():
        make(folder, VECADD, option)
        ptx = content(folder, 'out.ptx')
        for again in ([], [option]):
            tag(folder, 'out.elf', '-o', 'again.ptx', *again)
            same((option, content(folder, 'again.ptx')), (option, ptx))
        if other:
            ends(run([PROGRAM, 'out.elf', other], folder), 1)


def damage(folder, change, why):
    make(folder)
    whole = bytearray(content(folder, 'out.elf'))
    (folder / 'bad.elf').write_bytes(change(whole, content(folder, 'out.ptx')))
    result = run([PROGRAM, 'bad.elf', '-o', 'new.ptx', '--metadata=new.json'], folder)
    ends(result, 1)
    within(why, result.err.decode())
    within('bad.elf: error: ', result.err.decode())
    assert not (folder / 'new.ptx').exists() and not (folder / 'new.json').exists()


def other_ptx(whole, ptx):
    at = whole.find(ptx)
    whole[at + 10] ^= 1
    return whole


def other_byte(at, value):
    def change(whole, ptx):
        whole[at] = value
        return whole
    return change


for what, change, why in (
        ('cut short', lambda whole, ptx: whole[:-1], 'its section table is truncated [container]'),
        ('with another PTX', other_ptx,
         "section '.ptxoffload.ptx': the PTX does not belong to the metadata: its digest differs "
         '[metadata]'),
        ('of another version', lambda whole, ptx: whole.replace(
            b'ptxoffload\0\0\1\0\0\0', b'ptxoffload\0\0\2\0\0\0', 1),
         'the metadata have version 2; only version 1 is supported [metadata]'),
        ('of another machine', other_byte(18, 62), 'the ELF object has a machine'),
        ('that is big-endian', other_byte(5, 2), ''),
        ('of 32 bits', other_byte(4, 1), '')):
    add_case('an object %s is refused' % what, damage, change, why)


# Other programs

def readelf(folder, *options):
    result = ends(run([tool('readelf'), *options, 'out.elf'], folder), 0, '')
    return result.out.decode()


@case
def readelf_sections(folder):
    """readelf shows the sections and the kernels' symbols"""
    make(folder, ROOT / 'samples' / 'srad' / 'srad.ptx')
    document = json.loads(content(folder, 'out.json'))
    shown = readelf(folder, '-SWh')
    for name in SECTIONS:
        within('.ptxoffload.%s ' % name, shown)
    within('Machine:                           None', shown)
    symbols = re.findall(r' OBJECT +LOCAL +DEFAULT +\d+ (\w+)', readelf(folder, '-sW'))
    same(symbols, [kernel['name'] for kernel in document['kernels']])


@case
def readelf_notes(folder):
    """readelf --notes shows version and digests"""
    make(folder)
    document = json.loads(content(folder, 'out.json'))
    data = re.findall(r'description data: ([0-9a-f ]+)', readelf(folder, '--notes', '-W'))
    digests = [document[key]['sha256'] for key in ('source', 'output')]
    same([text.replace(' ', '') for text in data], ['01000000', *digests])
    same(digests[1], hashlib.sha256(content(folder, 'out.ptx')).hexdigest())


@case
def readelf_strings(folder):
    """readelf -p shows the strings, each once"""
    make(folder)
    texts = re.findall(r'\[ *[0-9a-f]+\]  (.*)', readelf(folder, '-p', '.ptxoffload.strings'))
    for text in ('in.ptx', 'out.ptx', 'vecadd', 'ld.global.f32', '%tid.x', 'passed-over'):
        same(texts.count(text), 1)


@case
def objcopy(folder):
    """what objcopy copies says the same"""
    make(folder)
    ends(run([tool('objcopy'), '-I', 'elf64-little', 'out.elf', 'copy.elf'], folder), 0)
    tag(folder, 'copy.elf', '--emit=meta', '-o', 'copy.json')
    same(content(folder, 'copy.json'), content(folder, 'out.json'))


@case
def objcopy_section(folder):
    """objcopy takes the PTX out"""
    make(folder)
    ends(run([tool('objcopy'), '-I', 'elf64-little', '-O', 'binary',
              '--only-section=.ptxoffload.ptx', '--set-section-flags', '.ptxoffload.ptx=alloc',
              'out.elf', 'copy.ptx'], folder), 0)
    same(content(folder, 'copy.ptx'), content(folder, 'out.ptx'))


@case
def documented(folder):
    """docs/reference/metadata.md has every section, with the size of its records"""
    make(folder)
    shown = re.findall(r'\] (\.\S+) +[A-Z]+ +\S+ \S+ \S+ (\S+)', readelf(folder, '-SW'))
    same(len(shown), 14)
    rows = dict(re.findall(r'^\| `(\.\S+)`.* \|(?: (\d+)|) \|$', CHAPTER, re.M))
    for name, size in shown:
        if name.startswith('.ptxoffload.'):
            same((name, int(rows[name] or 0)), (name, int(size, 16)))
        else:
            within('`%s`' % name, CHAPTER + '`.shstrtab`')


def shape(text):
    """A text without its numbers and without blanks at the ends of lines."""
    lines = [re.sub(r'\b(0x)?[0-9a-f]*\d[0-9a-f]*\b|\b[a-f]{2}\b', '#', line).rstrip()
             for line in text.strip('\n').split('\n')]
    return [line for line in lines if line]


@case
def example(folder):
    """docs/reference/metadata.md shows what readelf prints"""
    if b' 2.40' not in run([tool('readelf'), '--version'], folder).out:
        raise Skip('readelf is not the one of binutils 2.40')
    shutil.copy(VECADD, folder / 'vecadd.ptx')
    tag(folder, 'vecadd.ptx', '-o', 'out.ptx', '--emit=ptx,elf')
    block = CHAPTER[CHAPTER.index('    $ readelf'):CHAPTER.index('Without `ptxoffload`, `objcopy`')]
    commands = re.split(r'^    \$ ', block, flags=re.M)[1:]
    assert len(commands) == 4
    for command in commands:
        line, text = command.split('\n', 1)
        shown = readelf(folder, *line.split()[1:-1]).split('Key to Flags')[0]
        same(shape(re.sub('^    ', '', text, flags=re.M)), shape(shown))


def expected(document):
    """What print_object prints."""
    responses = ('ack', 'data', 'bitmap')
    for kernel in document['kernels']:
        yield 'kernel %(name)s instructions %(instructions)d loads %(loads)d' % kernel
        for chain in kernel['chains']:
            response = chain['response']
            yield '  chain %d pattern %d response %d %d saving %d' % (
                chain['id'], chain['pattern'], responses.index(response['kind']),
                response['flits'], chain['saving'])
            for inst in chain['instructions']:
                yield '    %(line)d:%(column)d index %(index)d tag %(tag)s %(opcode)s' % inst
        for block in kernel['blocks']:
            line = '  block %(id)d lines %(begin_line)d-%(end_line)d bw %(bw_tx)g %(bw_rx)g' % block
            for what in ('in', 'out'):
                line += (' %s %s' % (what, ','.join(block['live_' + what]))).rstrip()
            if block['condition']:
                line += ' if %(value)s >= %(threshold)d' % block['condition']
            yield line + (' offload' if block['candidate'] and not block['passed_over'] else '')


def check_reader(folder, compiler, sample):
    command = [*compiler, '-Wall', '-Wextra', '-Wpedantic', '-Werror', '-I', ROOT / 'include']
    ends(run([*command, '-o', 'print_object', READER], folder), 0, '')
    make(folder, sample)
    shown = ends(run(['./print_object', 'out.elf'], folder), 0).out.decode()
    same(shown.splitlines(), list(expected(json.loads(content(folder, 'out.json')))))
    within('offload', shown)


def check_c(folder, sample):
    check_reader(folder, [*shlex.split(os.environ.get('CC', 'cc')), '-std=c11', '-D_GNU_SOURCE'], sample)


def check_cxx(folder, sample):
    check_reader(folder, [tool('g++'), '-std=c++11', '-x', 'c++'], sample)


for name in ('srad', 'kmn', 'mvt'):
    path = ROOT / 'samples' / name / (name + '.ptx')
    add_case('a program in C reads %s' % path.name, check_c, path)
    add_case('a program in C++ reads %s' % path.name, check_cxx, path)


def listings():
    """Command, and what the document says it prints: blocks of lines behind `    $ `."""
    text = CHAPTER[CHAPTER.index('The output of binutils for'):CHAPTER.index('Without `ptxoffload`, `objcopy`')]
    for block in re.split(r'^    \$ ', text, flags=re.M)[1:]:
        command, _, rest = block.partition('\n')
        yield command, [re.sub(r'^    ', '', line).rstrip() for line in rest.strip('\n').split('\n')]


def printed(folder, command):
    shutil.copy(VECADD, folder / 'vecadd.ptx')
    tag(folder, 'vecadd.ptx', '-o', 'out.ptx', '--emit=ptx,elf')
    tool('readelf')
    text = ends(run(shlex.split(command), folder), 0).out.decode().strip('\n')
    return [line.rstrip() for line in text.split('\n')]


def listed(folder, command):
    """Without the legend, in which versions of readelf differ."""
    lines = printed(folder, command)
    return lines[:lines.index('Key to Flags:')] if 'Key to Flags:' in lines else lines


@case
def listings_are_current(folder):
    """docs/reference/metadata.md shows what readelf shows"""
    found = list(listings())
    assert len(found) == 4, found
    for command, shown in found:
        same([line for line in shown if line], [line for line in listed(folder, command) if line])


def update():
    text = TEXT
    with tempfile.TemporaryDirectory() as folder:
        for command, shown in listings():
            lines = listed(pathlib.Path(folder), command)
            old, new = ('\n'.join('    ' + line if line else '' for line in part).rstrip()
                        for part in (shown, lines))
            text = text.replace(old, new)
    (ROOT / 'docs' / 'reference' / 'metadata.md').write_text(text, encoding='utf-8')


if '--update' in sys.argv[2:]:
    update()
    sys.exit()
main(os.cpu_count())
