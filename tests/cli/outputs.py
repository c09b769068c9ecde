#!/usr/bin/env python3
"""What is written where, when all goes well.

usage: outputs.py BUILD-ROOT
"""
import json
import os
import pathlib
import pty
import re
import stat
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, environment, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / 'samples' / 'vecadd' / 'vecadd.ptx'
TEXT = SAMPLE.read_bytes()


def prepare(folder):
    (folder / 'in.ptx').write_bytes(TEXT)


def tag(folder, *arguments, **settings):
    return ends(run([PROGRAM, *arguments], folder, **settings), 0)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def is_tagged(text):
    return b'.pragma "ptxoffload.' in text


@case
def plain(folder):
    """-o writes tagged PTX and says nothing"""
    prepare(folder)
    result = tag(folder, 'in.ptx', '-o', 'out.ptx')
    same((result.out, result.err), (b'', b''))
    same(names(folder), ['in.ptx', 'out.ptx'])
    assert is_tagged((folder / 'out.ptx').read_bytes())


@case
def order_of_arguments(folder):
    """options stand anywhere, in all spellings"""
    prepare(folder)
    tag(folder, 'in.ptx', '-o', 'a', '--metadata=a.json', '--tags=comment')
    expected = (folder / 'a').read_bytes()
    for arguments in (['-o', 'a', '--metadata=a.json', '--tags=comment', 'in.ptx'],
                      ['-oa', '--metadata', 'a.json', 'in.ptx', '--tags', 'comment'],
                      ['--tags=none', '-o', 'x', '-o', 'a', '--metadata=a.json', '--tags=comment',
                       '--', 'in.ptx']):
        (folder / 'a').unlink()
        tag(folder, *arguments)
        same((folder / 'a').read_bytes(), expected)
        same(names(folder), ['a', 'a.json', 'in.ptx'])
    os.rename(folder / 'in.ptx', folder / '-in.ptx')
    tag(folder, '-o', 'a', '--metadata=a.json', '--tags=comment', '--', '-in.ptx')


@case
def nothing_changed(folder):
    """--tags=none --no-reorder copies byte for byte"""
    prepare(folder)
    for text in (TEXT, TEXT.replace(b'\n', b'\r\n'), TEXT.rstrip(b'\n'), TEXT + b'\n\n \t// end'):
        (folder / 'in.ptx').write_bytes(text)
        tag(folder, 'in.ptx', '-o', 'out.ptx', '--tags=none', '--no-reorder')
        assert (folder / 'out.ptx').read_bytes() == text
        result = tag(folder, '-', '-o', '-', '--tags=none', '--no-reorder', stdin=text)
        assert result.out == text


STYLES = ('pragma', 'comment', 'full', 'full-comment', 'paper', 'none')


def repacked(text):
    """As nvcc packs PTX: without comments, indentation and tabs."""
    text = re.sub(rb'//[^\n]*', b'', text)
    return b'\n'.join(b' '.join(line.split()) for line in text.split(b'\n'))


@case
def tagged_input(folder):
    """a text with tags, repacked or not, has the output of the text without, or keeps its tags"""
    prepare(folder)
    for first in STYLES[:4]:
        for reorder in ([], ['--no-reorder']):
            tag(folder, 'in.ptx', '-o', 'tagged.ptx', '--tags=' + first, *reorder)
            for text in ((folder / 'tagged.ptx').read_bytes(),
                         repacked((folder / 'tagged.ptx').read_bytes())):
                (folder / 'again.ptx').write_bytes(text)
                stripped = tag(folder, 'again.ptx', '--strip', '-o', '-').out
                for second in STYLES:
                    for order in ([], ['--no-reorder']):
                        options = ['-', '-o', '-', '--tags=' + second, *order]
                        result = tag(folder, *options, stdin=text)
                        same(result.err, b'')
                        # Full tags name the digest of the first input.
                        keeps = ((second == 'none' and order) or
                                 (second == first and 'full' in first and order == reorder))
                        same(result.out, text if keeps else
                             tag(folder, *options, stdin=stripped).out)


@case
def only_report(folder):
    """without -o it reports"""
    prepare(folder)
    plain = tag(folder, 'in.ptx')
    same(plain.out, tag(folder, 'in.ptx', '--report=text').out)
    within(b'vecadd', plain.out)
    report = json.loads(tag(folder, 'in.ptx', '--report=json').out)
    same(report['kernels'][0]['name'], 'vecadd')
    within('summary', report)
    same(names(folder), ['in.ptx'])


@case
def report_beside_output(folder):
    """the report goes to standard output, or to standard error if that is taken, or to a file"""
    prepare(folder)
    report = tag(folder, 'in.ptx', '-o', 'out.ptx', '--report=text')
    within(b'vecadd', report.out)
    same(report.err, b'')
    result = tag(folder, 'in.ptx', '-o', '-', '--report=text')
    assert is_tagged(result.out)
    within(b'vecadd', result.err)
    assert not is_tagged(result.err)
    result = tag(folder, 'in.ptx', '-o', '/dev/stdout', '--report=text:report')
    assert is_tagged(result.out)
    same(result.err, b'')
    within(b'vecadd', (folder / 'report').read_bytes())
    result = tag(folder, 'in.ptx', '--metadata=-', '--report=text')
    same(json.loads(result.out)['format'], 'ptxoffload-metadata')
    within(b'vecadd', result.err)
    both = tag(folder, 'in.ptx', '--report=text', '--report=json:a:b.json')
    within(b'vecadd', both.out)
    within('summary', json.loads((folder / 'a:b.json').read_bytes()))


@case
def metadata(folder):
    """--metadata names the files and their digests"""
    prepare(folder)
    tag(folder, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json')
    document = json.loads((folder / 'out.json').read_bytes())
    for key, path in (('source', 'in.ptx'), ('output', 'out.ptx')):
        same(document[key]['file'], path)
        digest = run(['sha256sum', path], folder).out.split()[0].decode()
        same(document[key]['sha256'], digest)


@case
def emit(folder):
    """--emit replaces the suffix"""
    prepare(folder)
    (folder / 'sub.d').mkdir()
    tag(folder, 'in.ptx', '--emit=ptx,meta,ir,dot', '-o', 'sub.d/out.tagged.ptx')
    same(names(folder / 'sub.d'),
         ['out.tagged.dot', 'out.tagged.ir', 'out.tagged.json', 'out.tagged.ptx'])
    assert is_tagged((folder / 'sub.d/out.tagged.ptx').read_bytes())
    within(b'digraph', (folder / 'sub.d/out.tagged.dot').read_bytes())
    tag(folder, 'in.ptx', '--emit=ir', '--emit=dot', '-o', 'sub.d/.hidden')
    tag(folder, 'in.ptx', '--emit=dot', '-o', 'sub.d/plain')
    within('.hidden.ir', names(folder / 'sub.d'))
    within('plain.dot', names(folder / 'sub.d'))
    within(b'digraph', tag(folder, 'in.ptx', '--emit=dot', '-o', '-').out)
    tag(folder, 'in.ptx', '--emit=ir', '-o', '/dev/null')


@case
def dump_is_input(folder):
    """what --emit=ir prints is read back and prints the same"""
    prepare(folder)
    first = tag(folder, 'in.ptx', '--emit=ir', '-o', '-').out
    same(tag(folder, '-', '--emit=ir', '-o', '-', stdin=first).out, first)


@case
def in_place(folder):
    """OUT may be IN"""
    prepare(folder)
    (folder / 'in.ptx').chmod(0o640)
    tag(folder, 'in.ptx', '-o', 'other.ptx')
    tag(folder, 'in.ptx', '-o', 'in.ptx')
    same((folder / 'in.ptx').read_bytes().replace(b'in.ptx', b''),
         (folder / 'other.ptx').read_bytes().replace(b'other.ptx', b'').replace(b'in.ptx', b''))
    same(stat.S_IMODE((folder / 'in.ptx').stat().st_mode), 0o640)


@case
def strip(folder):
    """--strip gives back what was tagged, and leaves alone what was not"""
    prepare(folder)
    for style in ('pragma', 'comment'):
        tag(folder, 'in.ptx', '-o', 'out.ptx', '--no-reorder', '--tags=' + style)
        assert (folder / 'out.ptx').read_bytes() != TEXT
        tag(folder, 'out.ptx', '-o', 'again.ptx', '--strip')
        same((folder / 'again.ptx').read_bytes(), TEXT)
    same(tag(folder, '-', '--strip', '-o', '-', stdin=b'no PTX at all').out, b'no PTX at all')


@case
def links_and_modes(folder):
    """a link stays a link, a new file gets its mode from the mask"""
    prepare(folder)
    (folder / 'real').mkdir()
    (folder / 'link.ptx').symlink_to('real/out.ptx')
    masked = lambda: os.umask(0o037)
    tag(folder, 'in.ptx', '-o', 'link.ptx', preexec_fn=masked)
    assert (folder / 'link.ptx').is_symlink()
    same(names(folder / 'real'), ['out.ptx'])
    same(stat.S_IMODE((folder / 'real/out.ptx').stat().st_mode), 0o640)


@case
def devices(folder):
    """devices are written to, and stay"""
    prepare(folder)
    tag(folder, 'in.ptx', '-o', '/dev/null', '--metadata=/dev/null', '--report=text:/dev/null')
    assert stat.S_ISCHR(os.stat('/dev/null').st_mode)


@case
def check(folder):
    """--check writes nothing"""
    prepare(folder)
    result = tag(folder, 'in.ptx', '--check', '-o', 'out.ptx', '--metadata=out.json',
                 '--report=text')
    same((result.out, result.err), (b'', b''))
    same(names(folder), ['in.ptx'])


@case
def verbose(folder):
    """-v says what is done"""
    prepare(folder)
    result = tag(folder, 'in.ptx', '-v', '-o', 'out.ptx')
    same(result.out, b'')
    for line in (b"read %d bytes from 'in.ptx'" % len(TEXT), b'1 function\n', b"wrote 'out.ptx'"):
        within(b'ptxoffload: ' + line, result.err)


@case
def time_passes(folder):
    """--time-passes names every step, and the shares add up"""
    prepare(folder)
    lines = tag(folder, 'in.ptx', '--time-passes', '-o', 'out.ptx').err.decode().splitlines()
    rows = [re.fullmatch(r' *([\d.]+) +([\d.]+)%  (\S+)', line).groups() for line in lines[1:]]
    steps = [row[2] for row in rows]
    for step in ('read', 'parse', 'ir', 'chains', 'reorder', 'blocks', 'emit', 'output'):
        within(step, steps)
    same(steps[-1], 'total')
    assert abs(sum(float(row[1]) for row in rows[:-1]) - 100) < 1
    assert abs(sum(float(row[0]) for row in rows[:-1]) - float(rows[-1][0])) < 1e-4


@case
def print_and_stop(folder):
    """--print-after prints after its pass; --stop-after runs none behind it"""
    prepare(folder)
    result = tag(folder, 'in.ptx', '--print-after=chains', '-o', '-')
    within(b'.visible .entry vecadd', result.err)
    within(b'// chain of vecadd: pattern 1', result.err)
    assert b'// chain' not in result.out
    late = tag(folder, 'in.ptx', '--print-after=blocks', '--stop-after=chains', '-o', 'out.ptx')
    same(late.err, b'')
    document = json.loads(tag(folder, 'in.ptx', '--stop-after=chains', '--metadata=-').out)
    same([len(document['kernels'][0][key]) for key in ('chains', 'blocks')], [1, 0])


# Colours

def on_terminal(command, folder, **variables):
    """Standard error of a command whose standard error is a terminal."""
    mine, its = pty.openpty()
    done = subprocess.Popen([os.fspath(word) for word in command], cwd=folder, stderr=its,
                            stdout=subprocess.DEVNULL, env=environment(**variables))
    os.close(its)
    said = b''
    while True:
        try:
            part = os.read(mine, 65536)
        except OSError:  # how Linux says that the other end is closed
            break
        if not part:
            break
        said += part
    os.close(mine)
    done.wait()
    return said


def colours(folder, arguments, variables, expected):
    (folder / 'in.ptx').write_bytes(b'wrong\n')
    said = on_terminal([PROGRAM, 'in.ptx', *arguments], folder, **variables)
    within(b'in.ptx:1:', said)
    same(b'\033[' in said, expected)


for arguments, variables, expected in (
        ([], {'TERM': 'xterm'}, True), ([], {'TERM': 'dumb'}, False),
        ([], {'TERM': 'xterm', 'NO_COLOR': '1'}, False),
        ([], {'TERM': 'xterm', 'NO_COLOR': ''}, True),
        (['--color=never'], {'TERM': 'xterm'}, False),
        (['--color=always'], {'NO_COLOR': '1'}, True)):
    add_case('a terminal with %s %s: %s' % (
        ' '.join('%s=%s' % item for item in variables.items()), ' '.join(arguments),
        'colours' if expected else 'none'), colours, arguments, variables, expected)


@case
def no_colours_in_files(folder):
    """no colours where there is no terminal"""
    (folder / 'in.ptx').write_bytes(b'wrong\n')
    result = run([PROGRAM, 'in.ptx'], folder, env=environment(TERM='xterm'))
    assert b'\033' not in result.err
    prepare(folder)
    assert b'\033' not in tag(folder, 'in.ptx', '--report=text', env=environment(TERM='xterm')).out
    tag(folder, 'in.ptx', '--color=always', '--report=text:report')
    assert b'\033' not in (folder / 'report').read_bytes()


@case
def same_twice(folder):
    """the same input gives the same bytes"""
    prepare(folder)
    first = tag(folder, 'in.ptx', '-o', '-', '--metadata=a.json')
    second = tag(folder, 'in.ptx', '-o', '-', '--metadata=b.json')
    same(first.out, second.out)
    same((folder / 'a.json').read_bytes(), (folder / 'b.json').read_bytes())


main()
