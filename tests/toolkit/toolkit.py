#!/usr/bin/env python3
"""What NVIDIA's toolkit yields as PTX is read, checked, printed and tagged without a fault.

usage: toolkit.py BUILD-ROOT           a part of it that takes seconds, as a test
       toolkit.py BUILD-ROOT --all     everything, as a table; RESULTS.md beside this file is written

Two sources: the programs in this folder, which make nvcc instantiate the toolkit's headers for
several targets, and the modules of PTX in the toolkit's libraries. `examine` says what must hold.
"""
import collections
import concurrent.futures
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / 'lib'))
sys.path.insert(0, str(HERE))
import ptx_calls
from cuda_toolkit import toolkit
from tap import Skip, add_case, main, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
EXAMINE = BUILD / 'tests' / 'toolkit' / 'examine'
TARGETS = ['75', '80', '90a', '100a', '120a']
# Options that change what the PTX looks like, and the targets that they are tried with.
OPTIONS = [('', TARGETS), ('-G', ['90a']), ('-lineinfo', ['90a']), ('-Xcicc -O0', ['90a'])]
SOURCES = ['cub', 'device', 'groups', 'half', 'matrix', 'thrust']
CALLS = 'cuda::ptx'
PTX_HEADERS = 'include/cccl/cuda/__ptx/instructions/generated'

Row = collections.namedtuple('Row', 'path modules texts bytes distinct faults')


def toolkit_version(root):
    said = subprocess.run([root / 'bin' / 'nvcc', '--version'], stdout=subprocess.PIPE, check=True)
    return re.search(r'release .*', said.stdout.decode()).group(0)


def libraries(root):
    """Each library once, whatever links there are to it."""
    found = {}
    for path in sorted([*root.glob('lib64/*.so*'), *root.glob('lib64/*.a')]):
        found.setdefault(path.resolve(), path)
    return sorted(found.values())


def write_calls(root, target, folder):
    headers = [path.read_text() for path in sorted((root / PTX_HEADERS).glob('*.h'))]
    text, count = ptx_calls.source(headers, target)
    if not count:
        raise Skip('cuda::ptx is not where it is known to be')
    path = folder / 'ptx.cu'
    path.write_text(text)
    return path


def compile_ptx(root, name, target, options, folder):
    source = write_calls(root, target, folder) if name == CALLS else HERE / (name + '.cu')
    spelled = re.sub(r'\W+', '', options)
    to = folder / ('%s.sm_%s%s.ptx' % (name.replace(':', '_'), target, '.' * bool(spelled) + spelled))
    done = subprocess.run([root / 'bin' / 'nvcc', '-std=c++17', '-w', '-ptx', '-arch=sm_' + target,
                           *options.split(), '-o', to, source],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert not done.returncode, done.stdout.decode()[-4000:]
    return to


def examine(*arguments):
    """(rows, what was wrong)"""
    done = subprocess.run([EXAMINE, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    rows = [line.split('\t') for line in done.stdout.decode().splitlines()]
    rows = [Row(row[0], *map(int, row[1:])) for row in rows]
    said = done.stderr.decode(errors='replace')
    assert done.returncode in (0, 1) and len(rows) > 0, said[-4000:]
    same(sum(row.faults for row in rows), len(said.splitlines()))
    return rows, said


# The test

def check_compiled(folder, name, target, options):
    rows, said = examine(compile_ptx(toolkit(), name, target, options, folder))
    same(said, '')
    same(rows[0].texts, 1)


def check_library(folder, name, most):
    path = toolkit() / 'lib64' / name
    if not path.exists():
        raise Skip('the toolkit has no ' + name)
    rows, said = examine('--most=%d' % most, path)
    same(said, '')
    assert rows[0].texts > 0, rows


def check_damage(folder):
    """A fault is found and counted."""
    bad = folder / 'bad.ptx'
    bad.write_text('.version 8.0\n.target sm_80\n.entry k()\n{\n    .reg .b32 %r<2>;\n'
                   '    add.s32 %r0, %r1;\n}\n')
    rows, said = examine(bad)
    same(rows[0].faults, 1)
    assert '6:5' in said, said


def test():
    add_case('a text with a fault', check_damage)
    add_case('cuda::ptx, sm_90a', check_compiled, CALLS, '90a', '')
    add_case('half.cu, sm_80, -G', check_compiled, 'half', '80', '-G')
    add_case('matrix.cu, sm_120a, -lineinfo', check_compiled, 'matrix', '120a', '-lineinfo')
    add_case('libcudadevrt.a', check_library, 'libcudadevrt.a', 0)
    add_case('libcurand.so, texts below 1 MiB', check_library, 'libcurand.so', 1 << 20)
    main()


# Everything

def table(head, rows):
    """Markdown with columns of the same width."""
    rows = [[str(cell) if isinstance(cell, str) else format(cell, ',') for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    numbers = [i > 0 and all(re.fullmatch(r'[\d,]+', row[i]) for row in rows) for i in range(len(head))]
    lines = [['-' * (width - 1) + ':' if number else '-' * width for width, number in zip(widths, numbers)]]
    for row in [head, *rows]:
        lines.append([cell.rjust(width) if number else cell.ljust(width)
                      for cell, width, number in zip(row, widths, numbers)])
    lines[0], lines[1] = lines[1], lines[0]
    return ''.join('| %s |\n' % ' | '.join(line) for line in lines)


def total(name, rows):
    return Row(name, *(sum(row[i] for row in rows) for i in range(1, len(Row._fields))))


def compiled_rows(root, folder):
    """Rows of the table, and what was wrong."""
    rows, said = [], ''
    for name in [CALLS, *SOURCES]:
        for options, targets in OPTIONS:
            paths = [compile_ptx(root, name, target, options, folder) for target in targets]
            found, faults = examine(*paths)
            row = total('%s %s' % (name, options), found)
            print('%s: %d files, %d bytes, %d faults' % (row.path, row.texts, row.bytes, row.faults),
                  flush=True)
            rows.append([name, options or '-', ' '.join(targets), row.texts, row.bytes, row.faults])
            said += faults
            for path in paths:
                path.unlink()
    return rows, said


def library_rows(root):
    rows, said = [], ''
    for path in libraries(root):
        (row, *_), faults = examine(path)
        if row.modules:
            print('%s: %d of PTX, %d bytes, %d faults' % (path.name, row.texts, row.bytes, row.faults),
                  flush=True)
            rows.append([path.name, row.modules, row.texts, row.bytes, row.distinct, row.faults])
        said += faults
    return rows, said


def sums(rows, name, first):
    blank = [''] * (first - 1)
    return [name, *blank, *(sum(row[i] for row in rows) for i in range(first, len(rows[0])))]


def everything():
    root = toolkit()
    begin = os.times()
    with tempfile.TemporaryDirectory(prefix='ptxoffload-toolkit-') as folder, \
            concurrent.futures.ThreadPoolExecutor(1) as pool:
        # nvcc is at work while libraries are read.
        reading = pool.submit(library_rows, root)
        compiled, said = compiled_rows(root, pathlib.Path(folder))
        in_libraries, more = reading.result()
    said += more
    spent = sum(os.times()[:4]) - sum(begin[:4])
    compiled.append(sums(compiled, 'all', 3))
    in_libraries.append(sums(in_libraries, 'all', 1))
    text = RESULTS % {
        'date': time.strftime('%Y-%m-%d', time.gmtime()),
        'version': toolkit_version(root),
        'machine': platform.machine(),
        'minutes': spent / 60,
        'compiled': table(['source', 'options', 'targets (sm_)', 'files', 'bytes', 'faults'], compiled),
        'libraries': table(['library', 'modules', 'of PTX', 'bytes', 'distinct', 'faults'], in_libraries),
    }
    (HERE / 'RESULTS.md').write_text(text)
    print(text)
    sys.stderr.write(said)
    return bool(said)


RESULTS = """# PTX of the CUDA toolkit

Written by `./run toolkit` on %(date)s: CUDA %(version)s, %(machine)s, %(minutes).0f minutes of processor time.

For every text: the parser and the checker say nothing, not even a warning; without tags and
reordering the output equals the input, byte for byte; with tags it equals the input when these are
taken out; the formatted text has the same tree. Whatever does not hold is a fault.

## From its headers

`cuda::ptx` is one call of each overload in libcu++'s headers that the target has; the others are the
programs in this folder.

%(compiled)s
## In its libraries

Modules of other kinds than PTX are machine code and LTO code. Equal texts are looked at once.

%(libraries)s"""

if __name__ == '__main__':
    if sys.argv[2:] == ['--all']:
        try:
            sys.exit(everything())
        except Skip as reason:
            print('toolkit: skipped: %s' % reason)
    else:
        test()
