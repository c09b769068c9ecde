#!/usr/bin/env python3
"""Remarks: what became of every load, store and block, as text, JSON and SARIF.

usage: remarks.py BUILD-ROOT

What needs the Python package jsonschema is skipped without it.
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, snapshot, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / 'samples').glob('*/*.ptx'))
BOTH = ['--remarks', '--remarks-missed']

HEAD = '.version 7.5\n.target sm_75\n.address_size 64\n'
# Line 12 to 14: a chain of pattern 3, a load that is used twice, and an atomic operation.
BODY = '''.visible .entry %s(.param .u64 a, .param .u64 b)
{
    .reg .b64 %%rd<5>; .reg .f32 %%f<5>;
    ld.param.u64 %%rd1, [a];
    ld.param.u64 %%rd2, [b];
    cvta.to.global.u64 %%rd1, %%rd1;
    cvta.to.global.u64 %%rd2, %%rd2;
    ld.global.f32 %%f1, [%%rd1];
    st.global.f32 [%%rd2], %%f1;
    ld.global.f32 %%f2, [%%rd1+4];
    add.f32 %%f3, %%f2, %%f2;
    mul.f32 %%f3, %%f3, %%f2;
    st.global.f32 [%%rd2+4], %%f3;
    ret;
}
'''
TWO = HEAD + BODY % 'first' + BODY % 'second_kernel'


def remarks(folder, *options, text=TWO, name='in.ptx'):
    """The remarks of a run as --diagnostics=json tells them"""
    (folder / name).write_text(text, encoding='utf-8')
    done = run([PROGRAM, name, *options, '--diagnostics=json'], folder)
    return [one for one in json.loads(ends(done, 0, out='').err) if one['severity'] == 'remark']


def heads(result):
    return [line for line in result.err.decode().splitlines()
            if re.match(r'\S.*: (remark|note): ', line)]


# Everything that was considered

ACCESS = re.compile(r'^\s*(?:\{\s*)?(?:@!?%\w+\s+)?((?:ld|ldu|st|atom|red)\.[\w.:]+)')
ELSEWHERE = re.compile(r'\.(param|const|local)\b')


def accesses(text):
    """Lines with an access of global, generic or shared memory"""
    for number, line in enumerate(text.splitlines(), 1):
        match = ACCESS.match(line)
        if match and not ELSEWHERE.search(match.group(1)):
            yield number


def accounted(folder, path):
    text = path.read_text(encoding='utf-8')
    for options in ([], ['--fma=split'], ['--no-reorder']):
        found = remarks(folder, *BOTH, *options, text=text)
        told = {}
        for one in found:
            if one['passed'] and one['id'] == 'chain':
                for place in [one] + one['notes']:
                    told.setdefault(place['line'], []).append('chain')
            elif one['message'].startswith(('load not', 'store not')):
                told.setdefault(one['line'], []).append(one['id'])
        wanted = set(accesses(text))
        for line in wanted:
            same((line, len(told.get(line, []))), (line, 1))
        extra = [line for line in told if line not in wanted and told[line] != ['chain']]
        same(extra, [])
        blocks(folder, found, options)


def blocks(folder, found, options):
    """Each block of the metadata has one remark, which says what they say."""
    done = run([PROGRAM, 'in.ptx', *options, '--report=json'], folder)
    for kernel in json.loads(done.out)['kernels']:
        for block in kernel['blocks']:
            first, last = block['begin_line'], block['end_line']
            lines = 'line %d ' % first if first == last else 'lines %d to %d ' % (first, last)
            head = '%s on %s' % (block['kind'], lines)
            mine = [one for one in found if one['function'] == kernel['name'] and
                    one['line'] == first and one['message'].startswith(head)]
            chosen = block['candidate'] and not block['passed_over']
            within(True, [one['passed'] == chosen for one in mine])
            same(sum(one['passed'] for one in mine), int(chosen))
        same(sum(not one['passed'] for one in found if one['function'] == kernel['name']),
             len(kernel['rejected']))


for path in SAMPLES:
    add_case('every access and block of %s has its remark' % path.name, accounted, path)


# Text

@case
def as_text(folder):
    """text: place, sentence, rule, excerpt, and notes at what else belongs to it"""
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    done = ends(run([PROGRAM, 'in.ptx', *BOTH], folder), 0, out='')
    lines = done.err.decode().splitlines()
    at = lines.index('in.ptx:11:5: remark: chain 0 offloaded: c = a (pattern 3) saves 10 flits per '
                     'warp and hop [chain]')
    same(lines[at + 1:at + 6], [
        '    11 |     ld.global.f32 %f1, [%rd1];',
        '       |     ^~~~~~~~~~~~~~~~~~~~~~~~~~',
        'in.ptx:12:5: note: the store of the chain',
        '    12 |     st.global.f32 [%rd2], %f1;',
        '       |     ^~~~~~~~~~~~~~~~~~~~~~~~~~'])
    at = lines.index('in.ptx:13:5: remark: load not offloaded: %f2 is used again by the mul in line '
                     '15, so the load should stay near its L1 [reuse]')
    same(lines[at + 3], 'in.ptx:15:5: note: because of this')
    assert not any('\033' in line for line in lines)
    done = run([PROGRAM, 'in.ptx', '--remarks', '--color=always'], folder)
    within(b'\033[1;34mremark:\033[0m', done.err)


@case
def which(folder):
    """--remarks tells what is offloaded, --remarks-missed what is not, without either there is none"""
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    passed, missed = remarks(folder, '--remarks'), remarks(folder, '--remarks-missed')
    assert passed and all(one['passed'] for one in passed)
    assert missed and not any(one['passed'] for one in missed)
    both = remarks(folder, *BOTH)
    same(len(both), len(passed) + len(missed))
    same([one['line'] for one in both], sorted(one['line'] for one in both))
    ends(run([PROGRAM, 'in.ptx', '-o', 'out.ptx'], folder), 0, '', '')
    # A report is written where one is asked for; remarks alone are enough to do.
    ends(run([PROGRAM, 'in.ptx', '--remarks'], folder), 0, out='')
    within(b'kernel first', run([PROGRAM, 'in.ptx', '--remarks', '--report=text'], folder).out)


@case
def filtered(folder):
    """--remarks-filter is an extended regular expression that is found in the name"""
    for expression, names in (('first', {'first'}), ('^f', {'first'}), ('kernel$', {'second_kernel'}),
                              ('first|kernel', {'first', 'second_kernel'}), ('none', set()),
                              ('s.*t', {'first'}), ('.', {'first', 'second_kernel'})):
        found = remarks(folder, *BOTH, '--remarks-filter=' + expression)
        same({one['function'] for one in found}, names)


FOUND = HEAD + '''.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p;
    .shared .f32 s[4];
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r4, [n];
    cvta.to.global.u64 %rd1, %rd1;
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 8;
    add.s64 %rd3, %rd1, %rd2;
    mov.u32 %r2, 0;
L:  ld.global.f32 %f1, [%rd3];
    ld.shared.f32 %f2, [s];
    st.global.f32 [%rd1+4], %f1;
    cvt.rzi.s32.f32 %r3, %f1;
    mul.wide.s32 %rd4, %r3, 4;
    add.s64 %rd5, %rd1, %rd4;
    ld.global.f32 %f3, [%rd5];
    add.s64 %rd3, %rd3, 4;
    add.s32 %r2, %r2, 1;
    setp.lt.s32 %p, %r2, %r4;
    @%p bra L;
    ret;
}
'''


@case
def analysed(folder):
    """--remarks-analysis tells of each access of global memory what lines it touches"""
    found = remarks(folder, '--remarks-analysis', text=FOUND)
    same([(one['line'], one['id'], one['message']) for one in found], [
        (15, 'access', 'the lanes of a warp are 8 bytes apart: 2.94 lines for an access on average, '
                       '2 to 3, depending on its alignment; each iteration advances by 4 bytes (serves 744 '
                       'of 752 lines) and 8 warps of a CTA touch the same lines (serves 7 more): '
                       '1 of 752 lines is new'),
        (17, 'access', 'all lanes of a warp have the same address: 1 line for each access'),
        (21, 'access', "the lanes' addresses depend on %r3, which line 18 defines")])
    assert not any('passed' in one for one in found)
    both = remarks(folder, '--remarks-analysis', *BOTH, text=FOUND)
    same(len(both), len(found) + len(remarks(folder, *BOTH, text=FOUND)))
    same([one['line'] for one in both], sorted(one['line'] for one in both))
    # The shape of the block is the run's.
    found = remarks(folder, '--remarks-analysis', '--block=8,4', text=FOUND)
    within('known distances apart', found[0]['message'])
    same(remarks(folder, '--remarks-analysis', '--remarks-filter=no', text=FOUND), [])
    run([PROGRAM, 'in.ptx', '--remarks-analysis', '--diagnostics=sarif:out.sarif'], folder)
    results = json.loads((folder / 'out.sarif').read_text())['runs'][0]['results']
    same([(one['kind'], one['level'], one['ruleId']) for one in results],
         [('informational', 'none', 'access')] * 3)


@case
def rule_ids(folder):
    """SARIF: no two rules have one id, and each result's index is that of its rule"""
    run_of = sarif(folder, TWO, *BOTH)
    ids = [rule['id'] for rule in run_of['tool']['driver']['rules']]
    same(sorted(ids), sorted(set(ids)))
    assert {'type', 'operand-type', 'reuse'} <= set(ids)
    assert run_of['results']
    for result in run_of['results']:
        same(ids[result['ruleIndex']], result['ruleId'])


FULL = TWO.replace('.reg .b64', '.shared .align 4 .b8 big[24577];\n    .reg .b64', 1) \
    .replace('    ret;', '    st.shared.f32 [big], %f3;\n    st.shared.f32 [big+4], %f3;\n    ret;', 1)
NO_ROOM = 'it uses 24577 of the 49152 bytes of shared memory at a core, which leaves too little for ' \
    'the 24576 of the service queue; its chains are computed only if all their accesses go to one ' \
    'LLC partition'


@case
def no_queue(folder):
    """a kernel without room for the service queue: told once, of the kernel, which keeps its chains"""
    told = [one for one in remarks(folder, *BOTH, text=FULL) if 'service queue' in one['message']]
    same([(one['function'], one['line'], one['id'], one['passed'], one['message']) for one in told],
         [('first', 8, 'shared', False, 'kernel not offloaded to cores: ' + NO_ROOM)])
    same([note['line'] for note in told[0]['notes']], [18])
    done = run([PROGRAM, 'in.ptx', *BOTH, '--report=text'], folder)
    within("in.ptx:8:5: remark: kernel not offloaded to cores: %s [shared]" % NO_ROOM, heads(done))
    report = done.out.decode()
    within('kernel first\n  8:5      kernel | it uses 24577 of ', report)
    same(report.count('it uses 24577 of '), 1)
    document = json.loads(run([PROGRAM, 'in.ptx', '--report=json'], folder).out)
    kernels, summary = document['kernels'], document['summary']
    same([one['rejected'] for one in summary['kernels']],
         [len(kernels[0]['rejected']) - 1, len(kernels[1]['rejected'])])
    same(summary['total']['rejected'], sum(one['rejected'] for one in summary['kernels']))
    within('| %d rejected' % (len(kernels[0]['rejected']) - 1), report)
    same([kernel['service_queue_at_core'] for kernel in kernels], [False, True])
    same([[chain['id'] for chain in kernel['chains']] for kernel in kernels], [[0], [0]])
    same([(one['line'], one['rule'], one['because_line'], one['text']) for kernel in kernels
          for one in kernel['rejected'] if one['kind'] == 'kernel'], [(8, 'shared', 18, NO_ROOM)])
    found = [result for result in sarif(folder, FULL, *BOTH)['results']
             if result['message']['text'].startswith('kernel not offloaded to cores: ')]
    same([(one['ruleId'], one['level'], [place['physicalLocation']['region']['startLine']
                                         for place in one['relatedLocations']]) for one in found],
         [('shared', 'note', [18])])


@case
def same_output(folder):
    """remarks change nothing of what is written"""
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    options = ['in.ptx', '-o', 'out.ptx', '--metadata=out.json', '--report=text:out.txt']
    ends(run([PROGRAM, *options], folder), 0)
    before = snapshot(folder)
    ends(run([PROGRAM, *options, *BOTH], folder), 0, out='')
    same(snapshot(folder), before)
    # Nor of what is passed through because it is there already.
    ends(run([PROGRAM, 'out.ptx', '-o', 'again.ptx', *BOTH], folder), 0, out='')
    same((folder / 'again.ptx').read_bytes(), (folder / 'out.ptx').read_bytes())


def told_again(folder, emit, again):
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    ends(run([PROGRAM, 'in.ptx', '-o', 'out.ptx', '--emit=' + emit, '--no-reorder'], folder), 0)
    plain = [(one['line'], one['id'], one['message']) for one in remarks(folder, *BOTH, '--no-reorder')]
    done = run([PROGRAM, again, *BOTH, '--diagnostics=json'] +
               ([] if emit == 'elf' else ['--no-reorder']), folder)
    same([(one['line'], one['id'], one['message']) for one in json.loads(ends(done, 0, out='').err)],
         plain)


add_case('a tagged text gives the remarks of the text without tags', told_again, 'ptx', 'out.ptx')
add_case('an object gives the remarks of its PTX', told_again, 'elf', 'out.elf')


# Where the CUDA source is

LINES = HEAD + '''.visible .entry k(.param .u64 a)
{
    .reg .b64 %rd<5>; .reg .f32 %f<5>;
    .loc 1 3 7
    ld.param.u64 %rd1, [a];
    cvta.to.global.u64 %rd1, %rd1;
    .loc 1 5 9
    ld.global.f32 %f1, [%rd1];
    st.global.f32 [%rd1+4], %f1;
    ret;
}
.file 1 "kernels/k e.cu"
'''


@case
def origins(folder):
    """.loc: the line of the CUDA source is a note, in each form"""
    (folder / 'in.ptx').write_text(LINES, encoding='utf-8')
    told = heads(run([PROGRAM, 'in.ptx', '--remarks'], folder))
    within('kernels/k e.cu:5:9: note: in the CUDA source', told)
    chain, = [one for one in remarks(folder, '--remarks', text=LINES) if one['id'] == 'chain']
    note = chain['notes'][-1]
    same((note['file'], note['line'], note['column'], note['end_line'], note['end_column']),
         ('kernels/k e.cu', 5, 9, None, None))
    found = sarif(folder, LINES, '--remarks')
    place = [result for result in found['results'] if result['ruleId'] == 'chain'][0]
    place = place['relatedLocations'][-1]['physicalLocation']
    same(place['artifactLocation']['uri'], 'kernels/k%20e.cu')
    same(place['region'], {'startLine': 5, 'startColumn': 9})
    same(found['artifacts'][1]['location']['uri'], 'kernels/k%20e.cu')


# Documents

def sarif(folder, text, *options):
    (folder / 'in.ptx').write_text(text, encoding='utf-8')
    done = run([PROGRAM, 'in.ptx', *options, '--diagnostics=sarif'], folder)
    return json.loads(ends(done, 0, out='').err)['runs'][0]


@case
def as_sarif(folder):
    """SARIF: what is offloaded has passed, what is not is a note; rules, places, functions"""
    found = sarif(folder, TWO, *BOTH)
    same(len(found['results']), len(remarks(folder, *BOTH)))
    for result in found['results']:
        rule = found['tool']['driver']['rules'][result['ruleIndex']]
        same((rule['id'], rule['properties']['tags']), (result['ruleId'], ['remark']))
        passed = result['ruleId'] in ('chain', 'block')
        same((result.get('kind'), result['level']), ('pass', 'none') if passed else (None, 'note'))
        within(result['locations'][0]['logicalLocations'][0]['name'], ('first', 'second_kernel'))
    reuse = [result for result in found['results'] if result['ruleId'] == 'reuse'][0]
    same([note['physicalLocation']['region']['startLine'] for note in reuse['relatedLocations']], [15])
    # Who asks for none is not told their rules either.
    plain = sarif(folder, TWO, '-o', 'out.ptx')
    same([rule for rule in plain['tool']['driver']['rules'] if 'remark' in rule['properties']['tags']], [])


def schema_of(form):
    path = {'json': ROOT / 'docs' / 'reference' / 'diagnostics.schema.json',
            'sarif': ROOT / 'tests' / 'cli' / 'sarif.schema.json'}[form]
    return json.loads(path.read_text(encoding='utf-8'))


def valid(folder, form):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip('no Python package jsonschema')
    checker = Draft202012Validator(schema_of(form))
    texts = [path.read_text(encoding='utf-8') for path in SAMPLES] + [TWO, LINES]
    for text in texts + [TWO.replace('add.f32', '/*é*/ frob.f32', 1)]:
        (folder / 'in.ptx').write_text(text, encoding='utf-8')
        run([PROGRAM, 'in.ptx', *BOTH, '--remarks-analysis', '--diagnostics=%s:out.json' % form], folder)
        document = json.loads((folder / 'out.json').read_text(encoding='utf-8'))
        faults = ['%s: %s' % (fault.json_path, fault.message)
                  for fault in checker.iter_errors(document)]
        assert not faults, faults[:5]


for form in ('json', 'sarif'):
    add_case('%s is valid' % form, valid, form)


# Wrong command lines

HINT = "'ptxoffload --help' explains the options\n"
USAGE = {
    '--remarks-filter=k': '--remarks-filter needs --remarks, --remarks-missed or '
                          '--remarks-analysis',
    '--remarks --strip -o out': '--strip does no analysis: it excludes --remarks',
    '--remarks-missed --format -o out': '--format does no analysis: it excludes --remarks',
    '--remarks=k': '--remarks takes no argument',
}


def bad_usage(folder, arguments, message):
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    ends(run([PROGRAM, 'in.ptx', *arguments.split()], folder), 2,
         'ptxoffload: error: %s\n%s' % (message, HINT), '')


for arguments, message in USAGE.items():
    add_case('bad usage: ' + arguments, bad_usage, arguments, message)


@case
def bad_expression(folder):
    """bad usage: an expression that is none"""
    (folder / 'in.ptx').write_text(TWO, encoding='utf-8')
    done = ends(run([PROGRAM, 'in.ptx', '--remarks', '--remarks-filter=k['], folder), 2, out='')
    within(b"--remarks-filter cannot be 'k[': ", done.err)


main(os.cpu_count())
