#!/usr/bin/env python3
"""What builds need of the command line: response files, depfiles, folders as outputs.

usage: arguments.py BUILD-ROOT
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
SAMPLE = pathlib.Path(__file__).resolve().parents[2] / 'samples' / 'vecadd' / 'vecadd.ptx'
TEXT = SAMPLE.read_bytes()


def prepare(folder, name='in.ptx'):
    (folder / name).write_bytes(TEXT)


def good(folder, *arguments, **more):
    return ends(run([PROGRAM, *arguments], folder, **more), 0, '')


def usage(folder, message, *arguments):
    result = ends(run([PROGRAM, *arguments], folder), 2, out='')
    same(result.err.decode().splitlines()[0], 'ptxoffload: error: ' + message)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def need(program):
    found = shutil.which(program)
    if not found:
        raise Skip('no ' + program)
    return found


# Response files

@case
def response(folder):
    """@FILE stands for the arguments in it, nested and beside others"""
    prepare(folder)
    (folder / 'inner').write_text('--metadata=m.json\n\n')
    (folder / 'outer').write_text('in.ptx @inner\t-o\r\nout.ptx')
    (folder / 'empty').write_text('')
    good(folder, '@empty', '@outer', '--tags=comment')
    same(names(folder), ['empty', 'in.ptx', 'inner', 'm.json', 'out.ptx', 'outer'])
    tagged = (folder / 'out.ptx').read_bytes()
    assert b'ptxoffload.' in tagged and b'.pragma' not in tagged


QUOTED = [
    ("'a b'", 'a b'), ('"a b"', 'a b'), ("'a \"b'", 'a "b'), ('"a \'b"', "a 'b"),
    (r'a\ b', 'a b'), (r'\"a', '"a'), (r"'a\'b'", "a'b"), (r'"a\\b"', r'a\b'), (r'a\\b', r'a\b'),
    ("a' 'b\" \"c", 'a b c'), ("x'@y'", 'x@y'), ('"a b', 'a b'), ('a\\', 'a'), ("'a\nb'", 'a\nb'),
]


def quoting(folder, written, name):
    prepare(folder)
    (folder / 'arguments').write_text('in.ptx --metadata=' + written)
    good(folder, '@arguments')
    same(names(folder), sorted(['in.ptx', 'arguments', name]))


def quoting_of_gcc(folder, written, name):
    gcc = need('gcc')
    (folder / 'a.c').write_text('')
    (folder / 'arguments').write_text('-E a.c -o ' + written)
    ends(run([gcc, '@arguments'], folder), 0)
    same(names(folder), sorted(['a.c', 'arguments', name]))


for written, name in QUOTED:
    add_case('in a response file %r is %r' % (written, name), quoting, written, name)
    add_case('and for gcc %r is %r' % (written, name), quoting_of_gcc, written, name)


@case
def response_wrong(folder):
    """response files that are missing, include themselves, grow without end or are no text"""
    prepare(folder)
    usage(folder, "cannot read the response file 'none': No such file or directory", '@none')
    usage(folder, "cannot read the response file '.': it is a directory", '@.')
    (folder / 'self').write_text('in.ptx @./self')
    usage(folder, "the response file './self' includes itself", '@self')
    (folder / 'a').write_text('@b')
    (folder / 'b').write_text('in.ptx @a')
    usage(folder, "the response file 'a' includes itself", '@a')
    (folder / 'a').write_text('-w')
    ends(run([PROGRAM, '@a', '@a', '@b', '--check'], folder), 0)  # twice is no recursion
    (folder / 'many').write_text('-w ' * 1000001)
    usage(folder, 'the response files hold more than a million arguments', '@many')


@case
def response_growth(folder):
    """response files that name each other end soon, whatever they hold"""
    prepare(folder)
    for leaf in ('-w', '', '-q'):
        for level in range(60):
            (folder / ('bomb%d' % level)).write_text('@bomb%d @bomb%d' % (level + 1, level + 1))
        (folder / 'bomb60').write_text(leaf)
        begun = sum(os.times()[2:4])
        usage(folder, 'more than 4096 response files are named', '@bomb0')
        assert sum(os.times()[2:4]) - begun < 5
    for ways in (1, 7):
        for level in range(5000):
            (folder / ('deep%d' % level)).write_text(' '.join(['@deep%d' % (level + 1)] * ways))
        usage(folder, 'response files are nested more than 64 levels deep', '@deep0')
    (folder / 'deep63').write_text('in.ptx --check')
    for level in range(63):
        (folder / ('deep%d' % level)).write_text('@deep%d' % (level + 1))
    ends(run([PROGRAM, '@deep0'], folder), 0)
    (folder / 'wide').write_text('@leaf ' * 5000)
    (folder / 'leaf').write_text('')
    usage(folder, 'more than 4096 response files are named', '@wide')
    (folder / 'leaf').write_text(' ' * (1 << 20))
    (folder / 'wide').write_text('@leaf ' * 100)
    usage(folder, 'the response files exceed 64 MiB in total', '@wide')
    (folder / 'leaf').write_bytes(b'')
    os.truncate(folder / 'leaf', 1 << 31)
    usage(folder, 'the response files exceed 64 MiB in total', '@leaf')


@case
def response_not_text(folder):
    """a response file with a byte 0"""
    prepare(folder)
    (folder / 'binary').write_bytes(b'in.ptx\0 -o x')
    usage(folder, "the response file 'binary' is not text", '@binary')


@case
def at_names(folder):
    """a file whose name begins with @ is given as ./@NAME; @ alone is a name"""
    prepare(folder, '@')
    good(folder, '@', '-o', './@out')
    good(folder, './@out', '--check')


# Depfiles

def depfile(folder, expected, *arguments, name='out.d'):
    good(folder, 'in.ptx', '-o', 'out.ptx', '-MD', *arguments)
    same((folder / name).read_text(), expected)


@case
def depfiles(folder):
    """-MD writes beside the output; -MF, -MT and -MQ say otherwise"""
    prepare(folder)
    depfile(folder, 'out.ptx: in.ptx\n')
    depfile(folder, 'out.ptx: in.ptx\n', '-MF', 'x', name='x')
    depfile(folder, 'out.ptx: in.ptx\n', '-MFy', name='y')
    depfile(folder, 'a $b c$$d\\ e: in.ptx\n', '-MT', 'a $b', '-MQ', 'c$d e', '-MP')
    depfile(folder, 'out.ptx: in.ptx\n', '--metadata=m.json', '--report=text:r')
    depfile(folder, 'x' * 80 + ': \\\n in.ptx\n', '-MT', 'x' * 80)
    good(folder, 'in.ptx', '--metadata=sub.json', '-MD')
    same((folder / 'sub.d').read_text(), 'sub.json: in.ptx\n')
    good(folder, 'in.ptx', '--emit=ir,dot', '-o', 'e.x', '-MD')
    same((folder / 'e.d').read_text(), 'e.ir: in.ptx\n')
    result = ends(run([PROGRAM, '-', '-o', 'out.ptx', '-MD', '-MF-'], folder, stdin=TEXT), 0)
    same(result.out, b'out.ptx:\n')


@case
def depfile_of_capability(folder):
    """the file of --capability is a source, for which -MP has a rule"""
    prepare(folder)
    (folder / 'my unit.yaml').write_text('vector: 4\n')
    unit = '--capability=my unit.yaml'
    depfile(folder, 'out.ptx: in.ptx my\\ unit.yaml\n', unit)
    depfile(folder, 'out.ptx: in.ptx my\\ unit.yaml\nmy\\ unit.yaml:\n', unit, '-MP')
    arguments = ['-', '-o', 'out.ptx', '-MD', '-MP', '-MF-', unit]
    result = ends(run([PROGRAM, *arguments], folder, stdin=TEXT), 0)
    same(result.out, b'out.ptx: my\\ unit.yaml\nmy\\ unit.yaml:\n')


@case
def depfile_as_gcc(folder):
    """names are quoted as gcc quotes them"""
    gcc = need('gcc')
    for name in ('a b', 'c$d', 'e#f', 'g\\ h', 'i\\\\ j', 'k\\l', '%m', 'n\to'):
        prepare(folder, name + '.h')
        good(folder, name + '.h', '-o', 'out.ptx', '-MD', '-MQ', name)
        (folder / (name + '.h')).write_text('')
        ends(run([gcc, '-ffreestanding', '-nostdinc', '-E', '-xc', name + '.h', '-MD', '-MF',
                  'gcc.d', '-MQ', name, '-o', 'x'], folder), 0)
        same((folder / 'out.d').read_text(), (folder / 'gcc.d').read_text())


@case
def depfile_names(folder):
    """make and ninja build again by every name that a rule can hold; others are refused"""
    held = ['a b', 'a#b', 'a$b', 'a:b', ':a', 'a\\b', 'a\\ b', 'a[b]', '~a', '(a)', 'a,b', 'é', '%a', "a  b"]
    for name in held:
        prepare(folder, name)
        (folder / 'unit.yaml').write_text('')
        good(folder, name, '-o', name + '.out', '-MD', '-MF', 'out.d', '-MT', 'out')
        for tool in 'make', 'ninja':
            reads_rule(folder, tool, name)
    for name in 'a\nb', 'a\n', '\n', 'a\\':
        prepare(folder, name)
        for words in ([name, '-o', 'new.ptx', '-MD'], ['in.ptx', '-o', name, '-MD', '-MF', 'new.d'],
                      ['in.ptx', '-o', 'new.ptx', '-MD', '-MQ', name]):
            prepare(folder)
            result = run([PROGRAM, *words], folder)
            assert result.code in (1, 2) and b'no rule for make can name' in result.err, result
            assert not (folder / 'new.d').exists() and not (folder / 'new.ptx').exists()


def reads_rule(folder, tool, name):
    """The tool needs `name` for `out`, as out.d says, and nothing else."""
    if not shutil.which(tool):
        return
    text = (folder / 'out.d').read_text()
    (folder / 'out').write_text('')
    os.utime(folder / 'out', (2000, 2000))
    if tool == 'make':
        (folder / 'Makefile').write_text('out:\n\t@echo built\ninclude out.d\n')
        for time, built in ((1000, False), (3000, True)):
            os.utime(folder / name, (time, time))
            result = ends(run([tool, '-s', 'out'], folder), 0, err='')
            same((name, b'built' in result.out), (name, built))
        return
    (folder / 'rule.d').write_text(text)
    (folder / 'build.ninja').write_text('rule r\n  command = cp rule.d in.d && touch out && echo built >> log\n'
                                        '  depfile = in.d\nbuild out: r\n')
    for stale in ('log', '.ninja_log', '.ninja_deps'):
        (folder / stale).unlink(missing_ok=True)
    for change in (None, 3e9):
        if change:
            os.utime(folder / name, (change, change))
        for _ in range(2 if change is None else 1):
            ends(run([tool], folder), 0)
    same((name, (folder / 'log').read_text().count('built')), (name, 2))


@case
def depfile_wrong(folder):
    """a depfile without a place, or in the place of something else"""
    prepare(folder)
    usage(folder, '-MD needs a file: -o OUT, or -MF FILE', 'in.ptx', '-MD')
    usage(folder, '-MD needs a file: -o OUT, or -MF FILE', 'in.ptx', '-MD', '-o', '-')
    usage(folder, '-MF, -MT, -MQ and -MP need -MD', 'in.ptx',
          '-MF', 'x')
    usage(folder, "-o and -MD both write 'x'", 'in.ptx', '-MD', '-MF', 'x', '-o', 'x')
    usage(folder, "-MD would overwrite the input 'in.ptx'", 'in.ptx', '-MD', '-MF', 'in.ptx', '-o',
          'x')
    same(names(folder), ['in.ptx'])


@case
def depfile_with_output(folder):
    """the depfile comes with the outputs or not at all"""
    (folder / 'in.ptx').write_text('wrong')
    ends(run([PROGRAM, 'in.ptx', '-o', 'out.ptx', '-MD'], folder), 1)
    same(names(folder), ['in.ptx'])
    prepare(folder)
    ends(run([PROGRAM, 'in.ptx', '-o', 'out.ptx', '-MD', '-MF', 'none/x'], folder), 1,
         "ptxoffload: error: cannot write 'none/x': No such file or directory\n")
    same(names(folder), ['in.ptx'])


@case
def overwriting(folder):
    """no output takes the place of a file that an option reads, however it is spelled"""
    prepare(folder)
    (folder / 'unit.yaml').write_text('vector: 4\n')
    (folder / 'p.json').write_text('{}')
    (folder / 'd').mkdir()
    (folder / 'd' / 'in.json').write_text('{}')
    unit, profile = '--capability=unit.yaml', '--profile=p.json'
    text = "%s would overwrite '%s', which %s reads"
    for option, output in (('-o', ['-o', 'unit.yaml']), ('-o', ['-o', './d/../unit.yaml']),
                           ('--metadata', ['--metadata=unit.yaml']),
                           ('--report', ['--report=html:unit.yaml']),
                           ('--diagnostics', ['--check', '--diagnostics=json:unit.yaml']),
                           ('-MD', ['-o', 'x', '-MD', '-MF', 'unit.yaml'])):
        usage(folder, text % (option, 'unit.yaml', '--capability'), 'in.ptx', unit, *output)
    usage(folder, text % ('-o', 'p.json', '--profile'), 'in.ptx', profile, '-o', 'p.json')
    usage(folder, text % ('--emit', './p.json', '--profile'), 'in.ptx', '--profile=./p.json',
          '--emit=ptx,meta', '-o', 'p.ptx')
    result = ends(run([PROGRAM, 'in.ptx', '--capability=d/in.json', '--metadata=d/'], folder), 1)
    same(result.err.decode(), 'ptxoffload: error: ' + text %
         ('--metadata', 'd/in.json', '--capability') + '\n')
    same(((folder / 'unit.yaml').read_text(), (folder / 'p.json').read_text()), ('vector: 4\n', '{}'))


BUILD_FILES = {
    'make': ('Makefile', """
out.ptx: arguments
	echo ran >>log
	%s @arguments -o out.ptx -MD
-include out.d
"""),
    'ninja': ('build.ninja', """
rule tag
  command = echo ran >>log; %s @arguments -o $out -MD
  depfile = out.d
  deps = gcc
build out.ptx: tag arguments
"""),
}


def rebuilds(folder, tool):
    command = need(tool)
    prepare(folder, 'in put$.ptx')
    name, text = BUILD_FILES[tool]
    (folder / name).write_text(text % str(PROGRAM).replace('$', '$$'))
    (folder / 'arguments').write_text('"in put$.ptx"')

    def runs():
        ends(run([command], folder), 0)
        return len((folder / 'log').read_text().split())

    same(runs(), 1)
    same(runs(), 1)  # nothing touched
    # Only the depfile knows of this file.
    later = (folder / 'out.ptx').stat().st_mtime_ns + 2 * 10**9
    os.utime(folder / 'in put$.ptx', ns=(later, later))
    same(runs(), 2)


for tool in BUILD_FILES:
    add_case('%s builds again through the depfile, and only then' % tool, rebuilds, tool)


# Folders

@case
def folder_of_text(folder):
    """a folder gets a file named after the input"""
    prepare(folder, 'in.x.ptx')
    good(folder, 'in.x.ptx', '-o', 'new/', '--metadata=new/', '-MD')
    same(names(folder / 'new'), ['in.x.d', 'in.x.json', 'in.x.ptx'])
    same((folder / 'new/in.x.d').read_text(), 'new/in.x.ptx: in.x.ptx\n')
    document = json.loads((folder / 'new/in.x.json').read_text())
    same([document[key]['file'] for key in ('source', 'output')], ['in.x.ptx', 'new/in.x.ptx'])
    good(folder, 'in.x.ptx', '-o', 'plain.ptx')
    same((folder / 'plain.ptx').read_bytes(), (folder / 'new/in.x.ptx').read_bytes())
    ends(run([PROGRAM, '-', '-o', 'new'], folder, stdin=TEXT), 0)
    within('stdin.ptx', names(folder / 'new'))
    same(ends(run([PROGRAM, 'new/in.x.ptx', '-o', 'new'], folder), 1).err,
         b"ptxoffload: error: -o would overwrite the input 'new/in.x.ptx'\n")


@case
def folder_wrong(folder):
    """with one folder all outputs need one, and a name for each"""
    prepare(folder)
    (folder / 'd').mkdir()
    usage(folder, '--metadata needs a folder, such as m.json/, because another output is a folder',
          'in.ptx', '-o', 'd', '--metadata=m.json')
    usage(folder, '--report needs a folder, such as out/, because another output is a folder', 'in.ptx',
          '-o', 'd/', '--report=json')
    usage(folder, "--emit and --metadata both write NAME.json in 'd/'", 'in.ptx', '-o', 'd/',
          '--emit=meta', '--metadata=d')
    ends(run([PROGRAM, 'in.ptx', '-o', 'none/d/'], folder), 1,
         "ptxoffload: error: cannot make the folder 'none/d/': No such file or directory\n")
    same(names(folder), ['d', 'in.ptx'])
    same(names(folder / 'd'), [])


def fatbin(text, arch):
    """A fatbin with one module of plain PTX."""
    payload = text + b'\0' * (8 - len(text) % 8)
    entry = bytearray(64)
    entry[0:2] = (1).to_bytes(2, 'little')
    entry[2:4] = (0x101).to_bytes(2, 'little')
    entry[4:8] = (64).to_bytes(4, 'little')
    entry[8:16] = len(payload).to_bytes(8, 'little')
    entry[24:28] = ((8 << 16) | 0).to_bytes(4, 'little')
    entry[28:32] = arch.to_bytes(4, 'little')
    entry[40:48] = (0x11).to_bytes(8, 'little')
    body = bytes(entry) + payload
    return (0xba55ed50).to_bytes(4, 'little') + (1).to_bytes(2, 'little') + \
        (16).to_bytes(2, 'little') + len(body).to_bytes(8, 'little') + body


def make_library(folder, name, *modules):
    """An archive of fatbins, one for each text and architecture."""
    archive = need('ar')
    members = []
    for number, (text, arch) in enumerate(modules):
        members.append('%d.fatbin' % number)
        (folder / members[-1]).write_bytes(fatbin(text, arch))
    ends(run([archive, 'qc', name, *members], folder), 0)
    for member in members:
        (folder / member).unlink()
    return folder / name


def listed(path, folder):
    modules = json.loads(good(folder, path.name, '--list', '--report=json').out)['modules']
    return {'%s.%d.%s' % (path.name, m['module'], m['arch']): m for m in modules
            if m['kind'] == 'ptx'}


@case
def folder_of_modules(folder):
    """every module of a container gets its own files, the same as with --module"""
    library = make_library(folder, 'a b.a', (TEXT, 80), (TEXT, 90), (TEXT, 80))
    expected = listed(library, folder)
    same(list(expected), ['a b.a.0.sm_80', 'a b.a.1.sm_90', 'a b.a.2.sm_80'])
    good(folder, library.name, '-o', 'all/', '--emit=ptx,meta', '--report=text:reports/', '-MD')
    same(names(folder / 'all'), sorted([name + suffix for name in expected
                                        for suffix in ('.ptx', '.json')] + ['a b.d']))
    same(names(folder / 'reports'), sorted(name + '.report.txt' for name in expected))
    same((folder / 'all/a b.d').read_text(),
         'all/a\\ b.a.0.sm_80.ptx all/a\\ b.a.1.sm_90.ptx all/a\\ b.a.2.sm_80.ptx: \\\n a\\ b.a\n')
    for name, module in expected.items():
        good(folder, library.name, '--module=%d' % module['module'], '-o', 'one.ptx')
        same((folder / 'all' / (name + '.ptx')).read_bytes(), (folder / 'one.ptx').read_bytes())
        document = json.loads((folder / 'all' / (name + '.json')).read_text())
        same(document['output']['file'], 'all/%s.ptx' % name)
    arch = list(expected.values())[0]['arch']
    good(folder, library.name, '-o', 'some/', '--arch=' + arch)
    same(names(folder / 'some'),
         sorted(name + '.ptx' for name, m in expected.items() if m['arch'] == arch))
    number = list(expected.values())[-1]['module']
    good(folder, library.name, '-o', 'single/', '--module=%d' % number)
    same(names(folder / 'single'), [list(expected)[-1] + '.ptx'])
    good(folder, library.name, '--strip', '-o', 'stripped/')
    same(len(names(folder / 'stripped')), len(expected))


@case
def folder_with_error(folder):
    """what is wrong with one module is told, and the others are written"""
    wrong = b'.version 8.0\n.target sm_80\n.wrong\n'
    library = make_library(folder, 'lib.a', (TEXT, 80), (wrong, 80), (TEXT, 80))
    same(len(listed(library, folder)), 3)
    checked = ends(run([PROGRAM, 'lib.a', '-o', 'out/', '-MD', '--check'], folder), 1)
    assert not (folder / 'out').exists()
    (folder / 'out').mkdir()
    result = ends(run([PROGRAM, 'lib.a', '-o', 'out', '-MD'], folder), 1)
    within(b'lib.a.1.sm_80.ptx:4:1: error', result.err)
    same(result.err, checked.err)
    same(names(folder / 'out'), ['lib.a.0.sm_80.ptx', 'lib.a.2.sm_80.ptx'])
    good(folder, 'lib.a', '--module=2', '-o', 'one.ptx')
    same((folder / 'out/lib.a.2.sm_80.ptx').read_bytes(), (folder / 'one.ptx').read_bytes())


main()
