#!/usr/bin/env python3
"""One mistake, one message: tokens of a correct module are left out, doubled, exchanged and replaced.

usage: mistakes.py BUILD-ROOT [COUNT]
"""
import collections
import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Failure, add_case, case, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 400
TEXT = '''.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 msg[4] = {65, 66, 67, 0};
.global .align 8 .b32 two[2][2] = {{1, 2}, {3, 4}};
.const .f32 c = 0f3f800000;
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
.func (.reg .u32 %r) add(.reg .u32 %a, .reg .u32 %b)
{
    add.u32 %r, %a, %b;
    ret;
}
.visible .entry k(.param .u64 p, .param .align 8 .b8 s[16])
.maxntid 128, 1, 1
{
    .reg .pred %q<3>;
    .reg .b32 %r<9>;
    .reg .b64 %d<5>;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    setp.lt.u32 %q1|%q2, %r1, 5;
    @%q1 bra A;
    {
        .param .b64 x;
        .param .b32 y;
        st.param.b64 [x], %d1;
        call.uni (y), vprintf, (x, x);
        ld.param.b32 %r2, [y];
    }
A:
    call (%r3), add, (%r1, %r2);
    st.global.v2.u32 [%d1+8], {%r1, %r3};
    @!%q2 st.global.u32 [%d1], %r3;
    bar.sync 0;
    ret;
}
.visible .entry last(.param .u64 p)
{
    ret;
}
'''
PART = re.compile(r'[ \t\r\n]+|[.%$\w]+|.', re.S)
JUNK = ['.text', 'x', '5', ',', ';', '(', ')', '{', '}', '[', ']', '=', '+', '@', '.b32', '"', '0x', '%', 'ret', '//']
# Mistakes that were answered by several messages, with the number that they get.
KNOWN = [
    ('msg[4]', 'msg.text[4]', 1),
    ('two[2][2]', 'two.text[2][2]', 1),
    ('{65, 66', '{65 66', 1),
    ('{{1, 2}', '{{1 2}', 1),
    ('.f32 c =', '.f32 c = =', 1),
    ('.reg .b32 %r<9>', '.b32 %r<9>', 1),
    ('.reg .b32 %r<9>', '.reg .b32 %r9>', 1),
    ('.reg .b32 %r<9>', '.reg .b32 <9>', 1),
    ('.reg .b32 %r<9>', '.reg .b32 %r<9', 1),
    ('.reg .pred %q<3>', '.reg .pred %q<3>>', 1),
    ('.param .b32 y;', '.b32 y;', 1),
    ('%r1, %r3}', '%r1, !r3}', 1),
    ('bra A;', 'bra A', 1),
    ('{3, 4}};', '{3, 4}} };', 1),
    ('bar.sync 0;\n    ret;', 'bar.sync 0ret\n    ;;', 1),
    ('.shared .align 4 .b8', '.shared 4 .align .b8', 1),
    ('.shared .align 4 .b8', '.shared .align .b8 4', 1),
    ('.entry last(.param .u64 p)\n{\n    ret;\n}\n', '.entry last(.param .u64 p', 1),
    ('bar.sync 0;', 'bar.sync 0', 1),
]


def errors(folder, text):
    (folder / 'x.ptx').write_text(text)
    done = run([BUILD / 'cli' / 'ptxoffload', '--check', '--diagnostics=json', 'x.ptx'], folder)
    return [one['message'] for one in json.loads(done.err or b'[]') if one['severity'] == 'error']


def mutate(rng):
    parts = PART.findall(TEXT)
    places = [i for i, part in enumerate(parts) if part.strip()][6:]
    at = rng.randrange(len(places) - 1)
    place, after = places[at], places[at + 1]
    kind = rng.randrange(4)
    if kind == 0:
        parts[place] = ''
    elif kind == 1:
        parts[place] += ' ' + parts[place]
    elif kind == 2:
        parts[place] = rng.choice(JUNK)
    else:
        parts[place], parts[after] = parts[after], parts[place]
    return ''.join(parts)


def known(folder, old, new, count):
    found = errors(folder, TEXT.replace(old, new))
    same((len(found), found), (count, found))


@case
def correct(folder):
    """the module has no mistake"""
    same(errors(folder, TEXT), [])


@case
def random_mistakes(folder):
    """of random mistakes, most get one message and none more than six"""
    rng, counts = random.Random(1), collections.Counter()
    for _ in range(COUNT):
        text = mutate(rng)
        found = errors(folder, text)
        counts[len(found)] += 1
        if len(found) > 6:
            raise Failure(f'{len(found)} messages, {found[:7]}, of\n{text}')
    print(f'# messages: {dict(sorted(counts.items()))}')
    assert counts[1] >= 0.85 * (COUNT - counts[0]), counts


for row in KNOWN:
    add_case(f'{row[0]} written as {row[1]}'.replace('\n', ' '), known, *row)
main()
