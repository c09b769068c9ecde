#!/usr/bin/env python3
"""The HTML report as a file: well-formed, complete, alone, the same each time.

usage: page.py BUILD-ROOT
"""
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from pages import BODY, HEAD, HOSTILE, HOSTILE_NAME, PROGRAM, ROOT, SAMPLES, Page, make, module
from tap import add_case, case, ends, main, run, same, within

# What all pages have in common, whatever the program.
FIXED = [*sorted((ROOT / 'backend/report/html').iterdir()), *sorted((ROOT / 'support/page').iterdir())]


KINDS = {'load': 'chains', 'store': 'chains', 'chain': 'chains', 'block': 'blocks', 'map': 'maps'}


def complete(folder, path):
    """Everything that the metadata say is in the page, and every line of the kernels."""
    for options in ([], ['--fma=split'], ['--no-reorder']):
        text = path.read_bytes()
        page = Page(make(folder, text, '--metadata=out.json', *options))
        same((page.reader.faults, page.reader.open), ([], []))
        table = json.loads((folder / 'out.json').read_text(encoding='utf-8'))
        same([kernel['name'] for kernel in page.module['kernels']],
             [kernel['name'] for kernel in table['kernels']])
        lines = text.decode('utf-8').split('\n')
        for number, expected in enumerate(table['kernels']):
            same_kernel(page, number, expected, lines)


        rejected = [(KINDS[one['kind']], one['rule']) for kernel in table['kernels']
                    for one in kernel['rejected'] if one['kind'] != 'kernel']
        same({(kind, rule): count for kind, rules in page.module['reasons'].items() for rule, count in rules},
             collections.Counter(rejected))


def same_kernel(page, number, expected, lines):
    kernel, entry = page.kernel(number), page.module['kernels'][number]
    found = kernel['text'].split('\n')
    same(found, lines[kernel['line'] - 1:kernel['line'] - 1 + len(found)])
    within(expected['name'], kernel['text'])
    # Chains: their instructions stand where the page says.
    same([chain['saving'] for chain in kernel['chains']],
         [chain['saving'] for chain in expected['chains']])
    same([chain['expected'] for chain in kernel['chains']],
         [chain['expected_saving'] for chain in expected['chains']])
    same(entry['queue'], expected['service_queue_at_core'])
    for chain, other in zip(kernel['chains'], expected['chains']):
        for inst, place in zip(chain['instructions'], other['instructions']):
            line, column, end_line, end = inst['at']
            same((line, column, inst['tag']), (place['line'], place['column'], place['tag']))
            span = lines[line - 1][column - 1:end - 1]
            same(end_line, line)
            within(inst['opcode'].split('.')[0].replace('mul', ''), span)
            same(span[-1], ';')
    same(entry['flits'], sum(chain['saving'] for chain in expected['chains']))
    for block, other in zip(kernel['blocks'], expected['blocks']):
        same({key: block[key] for key in other}, other)
        if other['cost'] == 'tom':
            same_costs(block)
    chosen = [block for block in expected['blocks'] if block['candidate'] and not block['passed_over']]
    words = sum(-block['at_threshold']['bw_tx'] - block['at_threshold']['bw_rx'] for block in chosen
                if not any(other['id'] < block['id'] and other['end_index'] >= block['begin_index'] for other in chosen))
    assert abs(words - entry['words']) < 1e-6
    same(sum(not remark['passed'] for remark in kernel['remarks']), len(expected['rejected']))
    same(entry['missed'], sum(one['kind'] != 'kernel' for one in expected['rejected']))
    for node in kernel['graph']:
        assert all(0 <= to < len(kernel['graph']) for to in node[6])
    same(sum(node[1] for node in kernel['graph']) <= expected['instructions'], True)


def same_costs(block):
    """Equations (3) and (4) of [002] with the page's numbers give the page's results."""
    loads, stores = block['loads'], block['stores']
    for n, tx, rx in ((block['n'], block['bw_tx'], block['bw_rx']),
                      (block['n_at'], block['at_threshold']['bw_tx'],
                       block['at_threshold']['bw_rx'])):
        same(tx, block['reg_tx'] * 32 - n * (loads * 0.5 + stores * 33))
        same(rx, block['reg_rx'] * 32 - n * (loads * 32 * 0.5 + stores / 4))


for path in SAMPLES:
    add_case('%s: complete, and equal to the metadata' % path.name, complete, path)


@case
def alone(folder):
    """the page refers to nothing outside it"""
    page = Page(make(folder, SAMPLES[0].read_bytes()))
    for tag, attributes in page.reader.elements:
        assert tag not in ('link', 'img', 'iframe', 'object', 'embed', 'base'), tag
        assert 'src' not in attributes, attributes
        within(attributes.get('href', '#')[0], '#')
    for part in FIXED:
        text = part.read_text(encoding='utf-8')
        # In a style sheet or a script they would end the element, or hide its end.
        for bad in ('</style', '</script', '<!--'):
            assert bad not in text.lower() or part.suffix == '.html', (bad, part)
        for outside in ('http:', 'https:', '@import', 'url(', 'fetch(', 'XMLHttpRequest', 'eval('):
            assert outside not in text, '%s in %s' % (outside, part)


@case
def hostile(folder):
    """markup in names, comments and strings, and bytes that are no text, stay what they are"""
    page = Page(make(folder, HOSTILE, name=HOSTILE_NAME.replace('/', '')))
    same((page.reader.faults, page.reader.open), ([], []))
    same(sum(tag == 'script' for tag, _ in page.reader.elements), 3)
    same(len(page.reader.code), 1)
    within('<script>owned=1<script>', page.module['source'])
    text = page.kernel(0)['text']
    for part in ('</script><script>owned=1</script>', '\u2028', '\ufffd', '<!-- <script>',
                 '.pragma "nounroll </script><img src=x onerror=owned=1> & \'it\'";'):
        within(part, text)
    # Between the parts that are always the same there is no markup that is the program's.
    body = page.bytes.split(b'id="module">')[1].split(b"'use strict'")[0]
    same(body.count(b'<'), 2 * body.count(b'</script>'))


@case
def repeated(folder):
    """two runs write the same bytes, and so does one that reads what the first has written"""
    text = SAMPLES[0].read_bytes()
    first = make(folder, text, out='1.html').read_bytes()
    same(make(folder, text, out='2.html').read_bytes() == first, True)
    ends(run([PROGRAM, 'in.ptx', '-o', 'tagged.ptx', '--no-reorder'], folder), 0)
    ends(run([PROGRAM, 'in.ptx', '--no-reorder', '--report=html:3.html'], folder), 0)
    ends(run([PROGRAM, 'tagged.ptx', '--no-reorder', '--report=html:4.html'], folder), 0)
    third, fourth = Page(folder / '3.html'), Page(folder / '4.html')
    same([third.kernel(i) for i in range(len(third.module['kernels']))],
         [fourth.kernel(i) for i in range(len(fourth.module['kernels']))])


@case
def object_input(folder):
    """a page of an object's PTX"""
    (folder / 'in.ptx').write_bytes(SAMPLES[0].read_bytes())
    ends(run([PROGRAM, 'in.ptx', '-o', 'out.elf', '--emit=elf'], folder), 0)
    ends(run([PROGRAM, 'out.elf', '--report=html:out.html'], folder), 0)
    assert Page(folder / 'out.html').module['kernels']


@case
def large(folder):
    """a module of 1,000 kernels: all are there, and the page is not much longer than the text"""
    text = module(1000, 40)
    page = Page(make(folder, text))
    same([kernel['name'] for kernel in page.module['kernels']],
         ['kernel_%d' % i for i in range(1000)])
    for i in (0, 500, 999):
        within('kernel_%d(' % i, page.kernel(i)['text'])
    parts = sum(part.stat().st_size for part in FIXED)
    assert len(page.bytes) - parts < 4 * len(text), (len(page.bytes), len(text))


@case
def cuda_source(folder):
    """the CUDA line stands beside the first instruction of its PTX; without the file, its place alone"""
    text = (BODY % (b'k', 0, 0)).decode().replace('    mov.u32 %r1', '    .loc 1 2 5\n    mov.u32 %r1').replace(
        '    add.s64 %rd1, %rd1', '    .loc 2 1 0\n    add.s64 %rd1, %rd1').replace(
        '    mov.u32 %r2', '    .loc 1 3 1\n    mov.u32 %r2')
    text = HEAD.decode() + text + '.file 1 "/no/such/folder/a.cu"\n.file 2 "b.h"\n'
    (folder / 'a.cu').write_text('void k() {\n    int i = threadIdx.x; // <b>"x"</b>\n')
    lines = text.split('\n')
    starts = [lines.index(next(line for line in lines if line.startswith(part))) + 1
              for part in ('    mov.u32 %r1', '    add.s64 %rd1', '    mov.u32 %r2')]
    found = Page(make(folder, text.encode())).kernel(0)['source']
    same(found, [[starts[0], 'a.cu:2', '    int i = threadIdx.x; // <b>"x"</b>'], [starts[1], 'b.h:1', ''],
                 [starts[2], 'a.cu:3', '']])
    (folder / 'a.cu').unlink()
    same([row[1:] for row in Page(make(folder, text.encode())).kernel(0)['source']],
         [['a.cu:2', ''], ['b.h:1', ''], ['a.cu:3', '']])


@case
def nothing(folder):
    """modules without kernels, and kernels without instructions"""
    same(Page(make(folder, b'.version 7.5\n.target sm_75\n')).module['kernels'], [])
    text = b'.version 7.5\n.target sm_75\n.entry k()\n{\n}\n.visible .func f() { ret; }\n'
    page = Page(make(folder, text))
    same([kernel['name'] for kernel in page.module['kernels']], ['k'])
    same(page.kernel(0)['remarks'], [])


@case
def folder_of_modules(folder):
    """a folder gets a page for each module"""
    (folder / 'in.ptx').write_bytes(SAMPLES[0].read_bytes())
    ends(run([PROGRAM, 'in.ptx', '--report=html:pages/'], folder), 0)
    assert Page(folder / 'pages' / 'in.report.html').module['kernels']


main(os.cpu_count())
