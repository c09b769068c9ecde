#!/usr/bin/env python3
"""--beside=BEFORE: differences of two reports, of changed kernels, options and documents.

usage: beside.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / 'samples').glob('*/*.ptx'))

HEAD = '.version 7.5\n.target sm_75\n.address_size 64\n.file 1 "/src/%s/k.cu"\n'
KERNEL = '''.visible .entry %s(.param .u64 a, .param .u64 b)
{
    .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .b32 %%r<9>;
    .loc 1 %d 1
    ld.param.u64 %%rd1, [a];
    ld.param.u64 %%rd2, [b];
    mov.u32 %%r1, %%tid.x;
    mul.wide.u32 %%rd3, %%r1, 4;
    add.s64 %%rd1, %%rd1, %%rd3;
    add.s64 %%rd2, %%rd2, %%rd3;
%s    ret;
}
'''


def chain(number, offset, loc, load='ld.global.f32'):
    """A load, an operation and a store, with registers of these numbers."""
    one, other = '%%f%d' % number, '%%f%d' % (number + 1)
    return ('    .loc 1 %d 3\n    %s %s, [%%rd1+%d];\n    add.f32 %s, %s, %s;\n'
            '    st.global.f32 [%%rd2+%d], %s;\n' % (loc, load, one, offset, other, one, one, offset, other))


def module(*kernels, folder='one'):
    return HEAD % folder + ''.join(KERNEL % (name, loc, body) for name, loc, body in kernels)


def report(folder, name, text, *options, form='--report=json:'):
    (folder / 'in.ptx').write_text(text)
    ends(run([PROGRAM, 'in.ptx', form + name, '-q', *options], folder), 0)


def differences(folder, before, after, *options):
    """The differences as JSON; text and page have the same ones."""
    result = ends(run([PROGRAM, after, '--beside=' + before, '--report=json', '--report=html:page.html',
                       '--report=text:text.txt', *options], folder), 0, err='')
    document = json.loads(result.out)
    text, page = (folder / 'text.txt').read_text(), (folder / 'page.html').read_text()
    same(len(re.findall('^  [-+~] ', text, re.MULTILINE)), len(document['differences']))
    same(len(re.findall('<tr class="', page)), len(document['differences']))
    counted = {}
    for one in document['differences']:
        key = (one['kind'], one['change'])
        counted[key] = counted.get(key, 0) + 1
        same((one['before'] is None, one['after'] is None),
             (one['change'] == 'appeared', one['change'] == 'vanished'))
    for kind, counts in document['summary'].items():
        for change in ('appeared', 'vanished', 'changed'):
            same(counts[change], counted.get((kind, change), 0))
    return document


def brief(document, kind):
    """Change, lines before and after, verdict after or before"""
    found = []
    for one in document['differences']:
        if one['kind'] == kind:
            found.append((one['change'], *((one[side] or {}).get('line') for side in ('before', 'after')),
                          (one['after'] or one['before'])['verdict']))
    return found


@case
def moved(folder):
    """nothing differs where lines, registers, source lines and folders move"""
    report(folder, 'before.json', module(('k', 3, chain(1, 0, 4) + chain(3, 64, 5))))
    report(folder, 'after.json', '// a line\n\n' +
           module(('k', 13, '    mov.f32 %f7, 0f00000000;\n' + chain(4, 0, 14) + chain(2, 64, 15)),
                  folder='two'))
    document = differences(folder, 'before.json', 'after.json')
    same(brief(document, 'chain'), [])
    same(document['summary']['chain']['equal'], 2)
    same(brief(document, 'rejection'), [])


@case
def appeared(folder):
    """a chain in the midst of equal ones, and what was rejected before"""
    three = [chain(1, 0, 4), chain(3, 64, 5), chain(5, 128, 6)]
    report(folder, 'before.json',
           module(('k', 3, three[0] + chain(3, 64, 5, 'ld.volatile.global.f32') + three[2])))
    report(folder, 'after.json', module(('k', 3, ''.join(three))))
    same(brief(differences(folder, 'before.json', 'after.json'), 'chain'),
         [('appeared', None, 20, 'c = f(a)')])
    document = differences(folder, 'after.json', 'before.json')
    lost, = [one for one in document['differences'] if one['kind'] == 'chain']
    same((lost['change'], lost['before']['line'], lost['before']['source_line']), ('vanished', 20, 5))
    same(lost['before']['text'], 'ld.global.f32 %f3, [%rd1+64];')
    # The load has another opcode now; the store has not.
    same((lost['rejection']['line'], lost['rejection']['candidate']), (22, 'store'))
    within('now rejected: ', (folder / 'text.txt').read_text())
    same([one[3] for one in brief(document, 'rejection') if one[0] == 'appeared' and one[2] == 20],
         ['volatile'])


@case
def kernels(folder):
    """kernels that appear and vanish; one that only changes its place"""
    body = chain(1, 0, 4)
    report(folder, 'before.json', module(('a', 3, body), ('b', 9, body)))
    report(folder, 'after.json', module(('b', 9, body), ('c', 9, body)))
    document = differences(folder, 'before.json', 'after.json')
    same(document['kernels'], [{'name': 'c', 'change': 'appeared'}, {'name': 'a', 'change': 'vanished'}])
    same([(one['kernel'], one['change']) for one in document['differences'] if one['kind'] == 'chain'],
         [('c', 'appeared'), ('a', 'vanished')])


@case
def options(folder):
    """two options on one text: by line, with changed numbers and reasons"""
    text = (ROOT / 'samples' / 'srad' / 'srad.ptx').read_text()
    report(folder, 'refined.json', text)
    report(folder, 'tom.json', text, '--cost=tom')
    document = differences(folder, 'refined.json', 'tom.json')
    changed = [one for one in document['differences'] if one['kind'] == 'block']
    assert changed
    for one in changed:
        same(one['change'], 'changed')
        same(one['before']['line'], one['after']['line'])
        assert one['before'] != one['after'], one
    report(folder, 'few.json', text, '--min-saving=15')
    document = differences(folder, 'refined.json', 'few.json')
    chains = [one for one in document['differences'] if one['kind'] == 'chain']
    assert chains
    for one in chains:
        same((one['change'], one['rejection']['verdict']), ('vanished', 'no-gain'))
    back = differences(folder, 'few.json', 'refined.json')
    same([one['before'] for one in chains],
         [one['after'] for one in back['differences'] if one['kind'] == 'chain'])


@case
def documents(folder):
    """reports, metadata, PTX and objects as inputs give the same chains"""
    two = chain(1, 0, 4) + chain(3, 64, 5)
    report(folder, 'before.json', module(('k', 3, two)))
    report(folder, 'before-meta.json', module(('k', 3, two)), form='--metadata=')
    report(folder, 'after.json', module(('k', 3, two + chain(5, 128, 6))))
    report(folder, 'after-meta.json', module(('k', 3, two + chain(5, 128, 6))), form='--metadata=')
    ends(run([PROGRAM, 'in.ptx', '--emit=elf', '-o', 'after.elf', '-q'], folder), 0)
    expected = [('appeared', None, 24, 'c = f(a)')]
    for before in ('before.json', 'before-meta.json'):
        for after in ('after.json', 'after-meta.json', 'in.ptx', 'after.elf'):
            same((before, after, brief(differences(folder, before, after), 'chain')),
                 (before, after, expected))
    same(run([PROGRAM, '-', '--beside=before.json', '--report=json'], folder,
             (folder / 'after.json').read_bytes()).code, 0)


@case
def errors(folder):
    """inputs that are no reports, and outputs that a report does not have"""
    report(folder, 'a.json', module(('k', 3, chain(1, 0, 4))))
    (folder / 'list.json').write_text('{"format": "other"}')
    shutil.copy(folder / 'a.json', folder / 'b.json')
    ends(run([PROGRAM, 'a.json', '--beside=none.json'], folder), 1,
         err="ptxoffload: error: cannot read 'none.json': No such file or directory\n")
    ends(run([PROGRAM, 'a.json', '--beside=b.json', '-o', 'x.ptx'], folder), 1,
         err="ptxoffload: error: 'a.json' is a report: -o needs PTX\n")
    within(b'[metadata]', ends(run([PROGRAM, 'a.json', '--beside=in.ptx'], folder), 1).err)
    within(b'[metadata]', ends(run([PROGRAM, 'list.json', '--beside=a.json'], folder), 1).err)
    within(b'excludes', ends(run([PROGRAM, 'a.json', '--beside=b.json', '--check'], folder), 2).err)
    within(b'--beside', ends(run([PROGRAM, 'a.json', '--beside=b.json', '--report=json:b.json'], folder),
                             2).err)
    same((folder / 'b.json').read_bytes(), (folder / 'a.json').read_bytes())


def alone(folder, sample):
    """A sample, with itself and with a copy whose lines have moved"""
    text = sample.read_text(errors='surrogateescape').encode(errors='surrogateescape')
    for name, bytes in (('one', text), ('two', b'//\n//\n' + text)):
        (folder / 'in.ptx').write_bytes(bytes)
        ends(run([PROGRAM, 'in.ptx', '--report=json:%s.json' % name, '-q', '-w'], folder), 0)
    for before, after in (('one', 'one'), ('one', 'two'), ('two', 'one')):
        same(differences(folder, before + '.json', after + '.json')['differences'], [])


for path in SAMPLES:
    add_case('%s: nothing differs from itself, nor two lines below' % path.name, alone, path)

main(2)
