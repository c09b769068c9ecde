#!/usr/bin/env python3
"""What goes wrong says so, ends with the right code, and leaves all files as they were.

usage: failures.py BUILD-ROOT
"""
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import (Skip, add_case, case, ends, environment, is_asleep, main, run, same, snapshot,
                 wait_for, within)

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
HEAD = b'.version 8.0\n.target sm_75\n.address_size 64\n'
KERNEL = HEAD + b'.visible .entry k()\n{\n\tret;\n}\n'
OLD = b'what was there before\n'
HINT = "'ptxoffload --help' explains the options\n"


def prepare(folder, text=KERNEL):
    """An input, and outputs of an earlier run."""
    if text is not None:
        (folder / 'in.ptx').write_bytes(text)
    (folder / 'out.ptx').write_bytes(OLD)
    (folder / 'out.json').write_bytes(OLD)
    return snapshot(folder)


def tag(folder, *more, **settings):
    command = [PROGRAM, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json', *more]
    return run(command, folder, **settings)


# Bad input

def bad_input(folder, text, messages):
    before = prepare(folder, text)
    for options in ((), ('--tags=none', '--no-reorder'), ('--check',), ('--report=json',)):
        result = ends(tag(folder, *options), 1, out='')
        for message in messages:
            within(message, result.err)
        same(snapshot(folder), before)


BAD_TEXTS = {
    'a syntax error': (
        HEAD + b'.entry k()\n{\n\tadd.s32 %r1 %r2;\n\tret;\n}\n',
        [b'in.ptx:6:', b' error: ', b'[syntax]', b'add.s32 %r1 %r2;', b'^']),
    'several errors': (
        HEAD + b'.entry k()\n{\n\tadd.s32 %r1 %r2;\n\tret;\n\tsub.s32 %r1 %r2;\n}\n',
        [b'in.ptx:6:', b'in.ptx:8:']),
    'a text cut in a kernel': (KERNEL[:-3], [b'in.ptx:6:', b'the text ends here']),
    'a text cut in a string': (HEAD + b'.file 1 "a', [b'in.ptx:4:', b'error']),
    'a line of 64 KB': (
        HEAD + b'.entry k()\n{\n\t' + b'x ' * 32768 + b'\n}\n', [b'in.ptx:6:', b'[syntax]']),
    'a zero byte in the text': (KERNEL + b' ' * 600 + b'\0\n', [b'NUL bytes in the text']),
    'random letters': (b'lorem ipsum dolor sit amet\n' * 40, [b'in.ptx:1:1: error: ']),
}
for what, (text, messages) in BAD_TEXTS.items():
    add_case('bad input: ' + what, bad_input, text, messages)


def not_text(folder, content, kind):
    before = prepare(folder, content)
    for options in ((), ('--strip',), ('--check',)):
        command = [PROGRAM, 'in.ptx', '-o', 'out.ptx', *options]
        ends(run(command, folder), 1,
             "ptxoffload: error: 'in.ptx' is not PTX text: it is %s\n" % kind, '')
        same(snapshot(folder), before)


# Files that could hold PTX but are damaged or hold none: what is said is the containers' matter.
BROKEN_CONTAINERS = {
    'an ELF header alone': b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHI', 2, 62, 1) + bytes(40),
    'a cubin header alone': b'\x7fELF\x02\x01\x01' + bytes(9) + struct.pack('<HHI', 2, 190, 1) + bytes(40),
    'the beginning of an ELF file': b'\x7fELF\x02',
    'an empty fat binary': struct.pack('<IHHQ', 0xba55ed50, 1, 16, 0),
    'an archive of nothing': b'!<arch>\n',
}


def broken_container(folder, content):
    before = prepare(folder, content)
    for options in ((), ('--strip',), ('--check',)):
        done = run([PROGRAM, 'in.ptx', '-o', 'out.ptx', *options], folder)
        same(done.code, 1)
        same(done.out, b"")
        same(done.err.startswith(b"in.ptx: error: "), True)
        same(snapshot(folder), before)


for what, content in BROKEN_CONTAINERS.items():
    add_case('broken container: ' + what, broken_container, content)


NOT_TEXT = [
    (b'\x1f\x8b\x08' + bytes(20), 'compressed by gzip'),
    (b'\x28\xb5\x2f\xfd' + bytes(20), 'compressed by zstd'),
    ('.version 8.0\n'.encode('utf-16'), 'text in UTF-16'),
    (b'abc\0def', 'binary data: byte 3 is 0'),
]
for content, kind in NOT_TEXT:
    add_case('not PTX: ' + kind, not_text, content, kind)


@case
def garbage(folder):
    """bytes of all values end with code 0 or 1"""
    seed = 1
    for size in (1, 2, 3, 64, 1000, 20000):
        content = bytearray()
        while len(content) < size:
            seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
            content += struct.pack('<Q', seed)
        (folder / 'in.ptx').write_bytes(content[:size])
        result = run([PROGRAM, 'in.ptx', '-o', 'out.ptx'], folder)
        ends(result, 1)
        assert not (folder / 'out.ptx').exists(), result


def unreadable(folder, name, why, make=None):
    before = prepare(folder, None)
    if make:
        make(folder / name)
    ends(run([PROGRAM, name, '-o', 'out.ptx'], folder), 1,
         "ptxoffload: error: cannot read '%s': %s\n" % (name, why), '')
    if (folder / name).is_dir():
        (folder / name).rmdir()
    else:
        (folder / name).unlink(missing_ok=True)
    same(snapshot(folder), before)


def make_large(path):
    with open(path, 'wb') as file:
        try:
            file.truncate(1 << 31)
        except OSError as error:
            raise Skip(str(error))


add_case('a missing input', unreadable, 'in.ptx', 'No such file or directory')
add_case('an empty input', unreadable, 'in.ptx', 'it is empty', lambda path: path.touch())
add_case('a folder as input', unreadable, 'in.ptx', 'it is a directory', lambda path: path.mkdir())
add_case('an input of 2 GiB', unreadable, 'in.ptx',
         'it is too large: files of 2 GiB and more are not read', make_large)
add_case('a link to itself as input', unreadable, 'in.ptx', 'Too many levels of symbolic links',
         lambda path: path.symlink_to('in.ptx'))


@case
def no_permission(folder):
    """an input without permission"""
    if not os.geteuid():
        raise Skip('root may read everything')
    unreadable(folder, 'in.ptx', 'Permission denied', lambda path: path.touch(0))


@case
def empty_standard_input(folder):
    """nothing on standard input"""
    ends(run([PROGRAM, '-'], folder), 1,
         "ptxoffload: error: cannot read 'standard input': it is empty\n", '')
    ends(run(['sh', '-c', '"$0" - <&-', PROGRAM], folder), 1,
         "ptxoffload: error: cannot read 'standard input': Bad file descriptor\n", '')


@case
def warnings_as_errors(folder):
    """an unknown opcode with -Werror"""
    before = prepare(folder, KERNEL.replace(b'ret;', b'frob.b32;\n\tret;'))
    result = ends(tag(folder, '-Werror'), 1, out='')
    within(b"in.ptx:6:2: error: unknown opcode 'frob'", result.err)
    within(b'[-Werror=unknown-opcode]', result.err)
    same(snapshot(folder), before)
    result = ends(tag(folder), 0)
    within(b"in.ptx:6:2: warning: unknown opcode 'frob'", result.err)
    ends(tag(folder, '-w'), 0, err='')
    ends(tag(folder, '-w', '-Werror'), 0, err='')


# Bad usage

def bad_usage(folder, arguments, message):
    before = prepare(folder)
    ends(run([PROGRAM, *arguments.split()], folder), 2,
         'ptxoffload: error: %s\n%s' % (message, HINT), '')
    same(snapshot(folder), before)


BAD_USAGE = {
    'in.ptx --chek': "unknown option '--chek'; did you mean '--check'?",
    'in.ptx --repotr=text': "unknown option '--repotr'; did you mean '--report'?",
    'in.ptx -metadata=x': "unknown option '-metadata'; did you mean '--metadata'?",
    'in.ptx --no-reoder': "unknown option '--no-reoder'; did you mean '--no-reorder'?",
    'in.ptx --colour=never': "unknown option '--colour'; did you mean '--color'?",
    'in.ptx --output=x': "unknown option '--output'",
    'in.ptx -z': "unknown option '-z'",
    'in.ptx -wx': "unknown option '-wx'",
    'in.ptx -o': '-o needs an argument: OUT',
    'in.ptx -o --report=text': '-o needs an argument: OUT',
    'in.ptx --metadata=': '--metadata needs an argument: FILE',
    'in.ptx --check=yes': '--check takes no argument',
    'in.ptx --tags=none,': "--tags cannot be 'none,': expected pragma, comment, paper, none, full or full-comment",
    'in.ptx --report=': '--report needs an argument: text|json|html[:FILE]',
    'in.ptx --report=yaml': "--report cannot be 'yaml': expected text, json or html",
    'in.ptx --report=text:': "--report needs a file after 'text:'",
    'in.ptx --fma=maybe': "--fma cannot be 'maybe': expected fused, split or saving",
    'in.ptx --block=64,': "--block cannot be '64,': expected X, X,Y or X,Y,Z, up to 1024 threads",
    'in.ptx --block=64,0':
        "--block cannot be '64,0': expected X, X,Y or X,Y,Z, up to 1024 threads",
    'in.ptx --block=64,64':
        "--block cannot be '64,64': expected X, X,Y or X,Y,Z, up to 1024 threads",
    'in.ptx --block=1,1,1,1':
        "--block cannot be '1,1,1,1': expected X, X,Y or X,Y,Z, up to 1024 threads",
    'in.ptx --min-saving=few':
        "--min-saving cannot be 'few': expected a number of flits, such as 4 or -0.5",
    'in.ptx --min-saving=4x':
        "--min-saving cannot be '4x': expected a number of flits, such as 4 or -0.5",
    'in.ptx --min-saving=inf':
        "--min-saving cannot be 'inf': expected a number of flits, such as 4 or -0.5",
    'in.ptx --min-saving=1e999':
        "--min-saving cannot be '1e999': expected a number of flits, such as 4 or -0.5",
    'in.ptx --candidates=loops,':
        "--candidates cannot be 'loops,': expected a comma-separated list of loops, blocks and regions",
    'in.ptx --candidates=loops,loops':
        "--candidates cannot be 'loops,loops': expected a comma-separated list of loops, blocks and regions",
    'in.ptx --candidates=loop':
        "--candidates cannot be 'loop': expected a comma-separated list of loops, blocks and regions",
    'in.ptx --cost=free': "--cost cannot be 'free': expected tom or refined",
    'in.ptx --emit=ptx,obj -o x': "--emit cannot be 'obj': expected ptx, meta, elf, ir, dot or map",
    'in.ptx --emit=ptx': '--emit needs -o OUT: its suffix is replaced for each output',
    'in.ptx --emit=ptx,ir -o -':
        "--emit of several outputs needs a file for -o, not '-'",
    'in.ptx --print-after=none':
        "--print-after names the unknown pass 'none': --print-passes lists all",
    'in.ptx other.ptx': "more than one input file: 'in.ptx' and 'other.ptx'",
    'in.ptx -o new.ptx --metadata=./new.ptx': "-o and --metadata both write './new.ptx'",
    'in.ptx -o out.ptx --metadata=../{}/out.ptx': "-o and --metadata both write '../{}/out.ptx'",
    'in.ptx -o - --metadata=-': '-o and --metadata both write to standard output',
    'in.ptx -o - --metadata=/dev/stdout': '-o and --metadata both write to standard output',
    'in.ptx --report=text --report=json': '--report and --report both write to standard output',
    'in.ptx --emit=meta -o out.json --metadata=out.json':
        "--emit and --metadata both write 'out.json'",
    'in.ptx --metadata=in.ptx': "--metadata would overwrite the input 'in.ptx'",
    'in.ptx --report=text:./in.ptx': "--report would overwrite the input 'in.ptx'",
    'in.ptx --strip': '--strip needs -o OUT',
    'in.ptx --strip -o out.ptx --report=text':
        '--strip does no analysis: it excludes --metadata, --report and --emit',
}


def bad_usage_here(folder, arguments, message):
    bad_usage(folder, arguments.replace('{}', folder.name), message.replace('{}', folder.name))


for arguments, message in BAD_USAGE.items():
    add_case('bad usage: ' + arguments, bad_usage_here, arguments, message)


@case
def no_input(folder):
    """bad usage: nothing at all"""
    result = ends(run([PROGRAM], folder), 2, out='')
    within(b'ptxoffload: error: missing input file\nusage: ptxoffload IN ', result.err)


@case
def all_usage_errors(folder):
    """bad usage: all that is wrong is said"""
    result = ends(run([PROGRAM, '--x', '--y', '--tags=z'], folder), 2)
    same(result.err.count(b'ptxoffload: error: '), 3)


# Outputs that cannot be written

def unwritable(folder, option, path, why):
    before = prepare(folder)
    options = {'-o': ['--metadata=out.json'], '--metadata': ['-o', 'out.ptx']}[option]
    ends(run([PROGRAM, 'in.ptx', option, path, *options], folder), 1,
         "ptxoffload: error: cannot write '%s': %s\n" % (path, why), '')
    same(snapshot(folder), before)


for option in ('-o', '--metadata'):
    for path, why in (('none/out', 'No such file or directory'),
                      ('out.ptx/out' if option == '-o' else 'in.ptx/out', 'Not a directory'),
                      ('/proc/none', 'No such file or directory'),
                      ('/proc/version', None), ('/dev/full', 'No space left on device'),
                      ('x' * 300, 'File name too long')):
        if why:
            add_case('%s %s: %s' % (option, path[:20], why), unwritable, option, path, why)


@case
def full_standard_output(folder):
    """a full disk behind standard output"""
    before = prepare(folder)
    message = 'ptxoffload: error: cannot write standard output: No space left on device\n'
    for arguments in (['in.ptx', '-o', '-'], ['in.ptx', '--report=text'], ['--help'],
                      ['--version'], ['--print-passes'],
                      ['in.ptx', '-o', 'out.ptx', '--report=json']):
        with open('/dev/full', 'wb') as full:
            ends(run([PROGRAM, *arguments], folder, stdout=full), 1, message)
        same(snapshot(folder), before)


@case
def closed_standard_output(folder):
    """standard output that is closed"""
    before = prepare(folder)
    for arguments in ('in.ptx -o out.ptx --report=text', 'in.ptx -o -', '--help'):
        result = run(['sh', '-c', '"$0" %s >&-' % arguments, PROGRAM], folder)
        ends(result, 1,
             'ptxoffload: error: cannot write standard output: Bad file descriptor\n')
        same(snapshot(folder), before)


@case
def write_protected(folder):
    """an output that is write-protected, and a folder that is"""
    if not os.geteuid():
        raise Skip('root may write everything')
    before = prepare(folder)
    (folder / 'out.ptx').chmod(0o444)
    ends(tag(folder), 1, "ptxoffload: error: cannot write 'out.ptx': Permission denied\n")
    (folder / 'out.ptx').chmod(0o644)
    folder.chmod(0o555)
    ends(tag(folder), 1, "ptxoffload: error: cannot write 'out.ptx': Permission denied\n")
    folder.chmod(0o755)
    same(snapshot(folder).keys(), before.keys())


@case
def full_disk(folder):
    """a disk that is full: the old files stay, nothing else is left"""
    disk = folder / 'disk'
    disk.mkdir()
    command = ['mount', '-t', 'tmpfs', '-o', 'size=64k,nr_inodes=16', 'tmpfs', disk]
    try:
        mounted = run(command, folder)
    except FileNotFoundError:
        raise Skip('no mount')
    if mounted.code:
        raise Skip('a small file system cannot be mounted here')
    try:
        # More than the disk holds, in comments that are kept.
        before = prepare(disk, None)
        (folder / 'in.ptx').write_bytes(KERNEL + b'// filler\n' * 10000)
        command = [PROGRAM, folder / 'in.ptx', '-o', 'out.ptx', '--metadata=out.json']
        ends(run(command, disk), 1,
             "ptxoffload: error: cannot write 'out.ptx': No space left on device\n")
        same(snapshot(disk), before)
        # The second output does not fit: the first one is not written either.
        command = [PROGRAM, folder / 'in.ptx', '--metadata=out.json', '--emit=ir', '-o', 'out.ptx']
        result = ends(run(command, disk), 1)
        within(b'No space left on device', result.err)
        same(snapshot(disk), before)
    finally:
        run(['umount', disk], folder)


@case
def file_size_limit(folder):
    """an output beyond `ulimit -f`"""
    before = prepare(folder, KERNEL + b'// filler\n' * 10000)
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    ends(tag(folder, preexec_fn=limit), 1,
         "ptxoffload: error: cannot write 'out.ptx': File too large\n")
    same(snapshot(folder), before)


@case
def out_of_memory(folder):
    """memory that runs out"""
    if b'__asan_init' in PROGRAM.read_bytes():
        raise Skip('a sanitizer needs more address space than it may have')
    before = prepare(folder, KERNEL + b'.global .u32 x;\n' * 400000)
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (64 << 20, 64 << 20))
    result = ends(tag(folder, preexec_fn=limit), 1)
    within(b'ptxoffload: error: out of memory, after ', result.err)
    same(snapshot(folder), before)


# Signals

def stopped(folder, number):
    """The report goes to a pipe that nobody reads: the run waits with its files half written."""
    before = prepare(folder)
    os.mkfifo(folder / 'pipe')
    waiting = subprocess.Popen([PROGRAM, 'in.ptx', '-o', 'out.ptx', '--metadata=out.json',
                                '--report=text:pipe'], cwd=folder, env=environment(),
                               preexec_fn=lambda: signal.signal(number, signal.SIG_DFL)) # nohup
    wait_for(lambda: len(list(folder.glob('.ptxoffload-*'))) == 2, waiting)
    wait_for(lambda: is_asleep(waiting), waiting)
    waiting.send_signal(number)
    same(waiting.wait(60), -number)
    (folder / 'pipe').unlink()
    same(snapshot(folder), before)


for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    add_case('ended by %s' % number.name, stopped, number)


@case
def hang_up_ignored(folder):
    """a hang-up is ignored under nohup"""
    prepare(folder)
    os.mkfifo(folder / 'pipe')
    waiting = subprocess.Popen(['sh', '-c', 'trap "" HUP; exec "$0" "$@"', PROGRAM, 'in.ptx', '-o',
                                'out.ptx', '--report=text:pipe'], cwd=folder, env=environment())
    wait_for(lambda: list(folder.glob('.ptxoffload-*')), waiting)
    waiting.send_signal(signal.SIGHUP)
    (folder / 'pipe').read_bytes()
    same(waiting.wait(60), 0)
    assert (folder / 'out.ptx').read_bytes() != OLD


@case
def reader_gone(folder):
    """standard output that nobody reads any more"""
    before = prepare(folder, KERNEL + b'// filler\n' * 100000)
    receiver, sender = os.pipe()
    os.close(receiver)
    command = [PROGRAM, 'in.ptx', '--metadata=out.json', '-o', '-']
    # Python ignores the signal, and what it starts would inherit that.
    default = lambda: signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    same(run(command, folder, stdout=sender, preexec_fn=default).code, -signal.SIGPIPE)
    same(snapshot(folder), before)
    ignored = lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    ends(run(command, folder, stdout=sender, preexec_fn=ignored), 1,
         'ptxoffload: error: cannot write standard output: Broken pipe\n')
    os.close(sender)
    same(snapshot(folder), before)


main()
