#!/usr/bin/env python3
"""--compare=OUT: pairs of texts that are proven to do the same, and pairs that are refuted.

usage: compare.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / 'samples').glob('*/*.ptx'))
TEXTS = SAMPLES + sorted((ROOT / 'tests' / 'cases').glob('*/*.ptx'))

HEAD = '''.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b)
{
    .reg .b64 %rd<5>; .reg .b32 %r<9>; .reg .f32 %f<9>; .reg .pred %p<3>;
    ld.param.u64 %rd1, [a];
    ld.param.u64 %rd2, [b];
    mov.u32 %r8, %tid.x;
'''
TAIL = '    ret;\n}\n'
FIRST = 10  # the line of a body's first instruction


def text(*lines):
    return HEAD + ''.join('    %s\n' % line for line in lines) + TAIL


def compare(folder, one, other, *options):
    (folder / 'in.ptx').write_text(one)
    (folder / 'out.ptx').write_text(other)
    return run([PROGRAM, 'in.ptx', '--compare=out.ptx', *options], folder)


def prove(folder, one, other, *options):
    done = ends(compare(folder, one, other, *options), 0, err='')
    match = re.fullmatch(r"'out\.ptx' is equivalent to 'in\.ptx': (\d+) statements"
                         r"(?:, (\d+) of them moved| in the same order)\n", done.out.decode())
    assert match, done
    return int(match.group(2) or 0)


def refute(folder, one, other, *options):
    """[(file, line, text)] of all that is told"""
    done = ends(compare(folder, one, other, *options), 1, out='')
    return [(name, int(line), message) for name, line, message in
            re.findall(r'^(\w+\.ptx):(\d+):\d+: (?:error|note): (.*)$', done.err.decode(), re.M)]


# Accepted: what is moved changes nothing.
SAME = {
    'the same text': (['add.s32 %r1, %r8, 1;'], ['add.s32 %r1, %r8, 1;'], 0),
    'blanks and comments': (['add.s32 %r1, %r8, 1;'], ['/* + */', '   add.s32 %r1, %r8, 1; // 1'], 0),
    'independent arithmetic': (['add.s32 %r1, %r8, 1;', 'add.s32 %r2, %r8, 2;'],
                               ['add.s32 %r2, %r8, 2;', 'add.s32 %r1, %r8, 1;'], 1),
    'two loads': (['ld.global.u32 %r1, [%rd1];', 'ld.global.u32 %r2, [%rd2];'],
                  ['ld.global.u32 %r2, [%rd2];', 'ld.global.u32 %r1, [%rd1];'], 1),
    'a load and a store of other bytes': (
        ['st.global.u32 [%rd1], %r8;', 'ld.global.u32 %r2, [%rd1+4];'],
        ['ld.global.u32 %r2, [%rd1+4];', 'st.global.u32 [%rd1], %r8;'], 1),
}
# Refuted: the line of the input, and why.
OTHER = {
    'a load over a store that may be the same': (
        ['st.global.u32 [%rd1], %r8;', 'ld.global.u32 %r2, [%rd2];'],
        ['ld.global.u32 %r2, [%rd2];', 'st.global.u32 [%rd1], %r8;'],
        FIRST + 1, 'it has crossed an access to memory that may touch the same bytes'),
    'a use before its definition': (
        ['add.s32 %r1, %r8, 1;', 'add.s32 %r2, %r1, 2;'],
        ['add.s32 %r2, %r1, 2;', 'add.s32 %r1, %r8, 1;'],
        FIRST + 1, 'a register that it reads has another value there'),
    'two definitions': (
        ['mov.u32 %r1, 1;', 'mov.u32 %r1, 2;'], ['mov.u32 %r1, 2;', 'mov.u32 %r1, 1;'],
        FIRST, 'another instruction is now the last to write a register of this one'),
    'a dropped store': (['st.global.u32 [%rd1], %r8;'], [], FIRST, 'it is not in the output'),
    'a doubled atomic operation': (
        ['red.global.add.u32 [%rd1], 1;'], ['red.global.add.u32 [%rd1], 1;'] * 2,
        None, 'the input does not have it'),
    'another guard': (
        ['setp.eq.s32 %p1, %r8, 0;', '@%p1 st.global.u32 [%rd1], %r8;'],
        ['setp.eq.s32 %p1, %r8, 0;', '@!%p1 st.global.u32 [%rd1], %r8;'],
        FIRST + 1, 'it is not in the output'),
    'a move over a barrier': (
        ['ld.global.u32 %r1, [%rd1];', 'bar.sync 0;'],
        ['bar.sync 0;', 'ld.global.u32 %r1, [%rd1];'],
        FIRST + 1, 'it has crossed an access to memory that may touch the same bytes'),
}


def accepted(folder, one, other, moved):
    same(prove(folder, text(*one), text(*other)) > 0, moved > 0)


def refuted(folder, one, other, line, why):
    told = refute(folder, text(*one), text(*other))
    same([name for name, _, _ in told[:2]], ['in.ptx', 'out.ptx'])
    same(told[0][2], "'out.ptx' is not proven equivalent: %s [refuted]" % why)
    if line:
        same(told[0][1], line)


for title, pair in SAME.items():
    add_case('proven: ' + title, accepted, *pair)
for title, pair in OTHER.items():
    add_case('refuted: ' + title, refuted, *pair)


@case
def restricted(folder):
    """--restrict says that a kernel's pointers lead to different memory"""
    one, other, _, _ = OTHER['a load over a store that may be the same']
    refute(folder, text(*one), text(*other))
    same(prove(folder, text(*one), text(*other), '--restrict'), 1)


@case
def divided(folder):
    """a divided multiply-add rounds twice: only --fma=split takes it for the same"""
    one = text('fma.rn.f32 %f1, %f2, %f3, %f4;')
    other = text('.reg .f32 %product_f<2>;', 'mul.rn.f32 %product_f1, %f2, %f3;',
                 'add.rn.f32 %f1, %product_f1, %f4;')
    refute(folder, one, other)
    prove(folder, one, other, '--fma=split')


def own(folder, path, options):
    """What ptxoffload writes is proven, and refuted when one of its lines is gone."""
    one = path.read_text(encoding='utf-8')
    (folder / 'in.ptx').write_text(one)
    ends(run([PROGRAM, 'in.ptx', '-o', 'other.ptx', *options], folder), 0)
    other = (folder / 'other.ptx').read_text()
    prove(folder, one, other, *options)
    lines = other.split('\n')
    at = next(i for i, line in enumerate(lines) if re.search(r'\bld\.param\.', line))
    refute(folder, one, '\n'.join(lines[:at] + lines[at + 1:]), *options)


for path in SAMPLES:
    for options in ([], ['--fma=split']):
        add_case('output of %s %s' % (path.name, ' '.join(options)), own, path, options)


def formatted(folder, path):
    """The canonical form of a text, and of what is made of it, does what the text does."""
    (folder / 'in.ptx').write_bytes(path.read_bytes())
    if run([PROGRAM, 'in.ptx', '--check'], folder).code:
        raise Skip('it has errors')
    for options in (['--tags=none', '--no-reorder'], [], ['--tags=comment']):
        ends(run([PROGRAM, 'in.ptx', '-w', '-o', 'made.ptx', *options], folder), 0)
        ends(run([PROGRAM, 'made.ptx', '-w', '--format', '-o', 'out.ptx'], folder), 0)
        ends(run([PROGRAM, 'in.ptx', '-w', '--compare=out.ptx'], folder), 0)


for path in TEXTS:
    add_case('canonical form of %s/%s' % (path.parent.name, path.name), formatted, path)

# What separates words makes no difference, wherever it stands; words that grow together do.
SPELLINGS = {
    'blanks in a directive': ('.version 7.5', '.version  7.5', True),
    'a comment in a directive': ('.target sm_75', '.target/* ; { */sm_75', True),
    'a comment at the end of a directive': ('.address_size 64', '.address_size 64 // ;', True),
    'a comment in front of a function': ('.visible', '// .globl k {\n.visible', True),
    'blanks in a list of parameters': ('(.param .u64 a, .param', '( .param .u64 a\n,.param', True),
    'blanks in an address': ('[a]', '[ a ]', True),
    'a blank in an opcode': ('ld.param', 'ld .param', True),
    'a blank less': ('.reg .b64 %rd', '.reg.b64 %rd', True),
    'a comment in an instruction': ('%rd2, [b]', '%rd2, /* ; */ // ]\n [b]', True),
    'a byte order mark': ('.version', '\ufeff.version', True),
    'another version': ('.version 7.5', '.version 7.6', False),
    'another parameter': ('.u64 b', '.u64 b, .param .u64 c', False),
    'a directive more': ('.visible', '.global .b32 x;\n.visible', False),
    'a directive less': ('.visible .entry', '.entry', False),
}


def spelled(folder, old, new, proven):
    one = text('st.global.u32 [%rd1], %r8;')
    other = one.replace(old, new, 1)
    assert other != one
    (prove if proven else refute)(folder, one, other, '-w')
    (prove if proven else refute)(folder, other, one, '-w')


for title, spelling in SPELLINGS.items():
    add_case('spelling: ' + title, spelled, *spelling)


@case
def byte_order_mark(folder):
    """a byte order mark is passed over by everything that reads PTX, with a warning"""
    path = ROOT / 'samples' / 'vecadd' / 'vecadd.ptx'
    (folder / 'in.ptx').write_bytes(b'\xef\xbb\xbf' + path.read_bytes())
    (folder / 'plain.ptx').write_bytes(path.read_bytes())
    warned = '[non-ascii]'
    for options in (['-o', 'out.ptx'], ['--check'], ['--format', '-o', 'format.ptx'],
                    ['--report=json'], ['--compare=plain.ptx'],
                    ['--emit=elf', '-o', 'out.ptx']):
        done = ends(run([PROGRAM, 'in.ptx', *options], folder), 0)
        within(warned, done.err.decode())
    same((folder / 'format.ptx').read_bytes()[:2], b'//')
    ends(run([PROGRAM, 'out.ptx', '--strip', '-o', 'back.ptx'], folder), 0, err='')
    same((folder / 'back.ptx').read_bytes()[:3], b'\xef\xbb\xbf')
    prove_files = [PROGRAM, 'plain.ptx', '--compare=back.ptx', '-w']
    ends(run(prove_files, folder), 0, err='')
    listed = ends(run([PROGRAM, 'in.ptx', '--list'], folder), 0, err='')
    within('sm_75', listed.out.decode())


@case
def wrong_text(folder):
    """both texts are checked: each of their errors is told with its file"""
    wrong = text('add.s32 %r1, %f1, 1;')
    for one, other, name in ((text(), wrong, 'out.ptx'), (wrong, text(), 'in.ptx')):
        done = ends(compare(folder, one, other), 1, out='')
        within(name + ':%d:' % FIRST, done.err.decode())
        within('[operand-type]', done.err.decode())
    (folder / 'out.ptx').unlink()
    done = ends(run([PROGRAM, 'in.ptx', '--compare=out.ptx'], folder), 1)
    within("cannot read 'out.ptx'", done.err.decode())


@case
def documents(folder):
    """SARIF: the result is in the input, the related place in the other text"""
    pair = OTHER['a dropped store']
    done = ends(compare(folder, text(*pair[0]), text(*pair[1]), '--diagnostics=sarif'), 1)
    result, = json.loads(done.err)['runs'][0]['results']
    same(result['ruleId'], 'refuted')
    uri = lambda place: place['physicalLocation']['artifactLocation']['uri']
    same([uri(result['locations'][0])] + [uri(place) for place in result['relatedLocations']],
         ['in.ptx', 'out.ptx'])


@case
def standard_input(folder):
    """either text may be standard input"""
    (folder / 'in.ptx').write_text(text())
    for arguments in (['in.ptx', '--compare=-'], ['-', '--compare=in.ptx']):
        done = ends(run([PROGRAM, *arguments], folder, stdin=text().encode()), 0, err='')
        within("'standard input'", done.out.decode())
    done = ends(run([PROGRAM, '-', '--compare=-'], folder, stdin=b''), 2)
    within('only one can be standard input', done.err.decode())


@case
def usage(folder):
    """nothing is written, and nothing else is done"""
    (folder / 'in.ptx').write_text(text())
    for options in (['-o', 'x'], ['--metadata=x'], ['--report=text'], ['--remarks'], ['--check'],
                    ['--strip'], ['--list'], ['--diagnostics=json:-'],
                    ['--diagnostics=json:in.ptx']):
        ends(run([PROGRAM, 'in.ptx', '--compare=in.ptx', *options], folder), 2, out='')
        assert not (folder / 'x').exists()


main(os.cpu_count())
