"""Kernels that nvcc makes of the sources in tests/sim/templates, for tests.

nvcc compiles the sources in the test, because their PTX contains code of the toolkit's headers. The
references are Python's own. With --speed the tests print thread instructions per second of CPU time.
"""
import array
import functools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

from tap import Skip, ends, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SOURCES = pathlib.Path(__file__).resolve().parent / 'templates'
CODES = {'<f4': 'f', '<i4': 'i', '<u4': 'I', '|u1': 'B', '|i1': 'b', '<f8': 'd', '<u2': 'H',
         '<i8': 'q', '<u8': 'Q'}


def nvcc_program():
    for path in ('nvcc', '/usr/local/cuda/bin/nvcc'):
        found = shutil.which(path)
        if found:
            return found
    raise Skip('there is no nvcc')


# Several builds can share the PTX that nvcc has made for the first of them.
KEPT = os.environ.get('PTXOFFLOAD_TEST_PTX')
COMPILED = None if KEPT else tempfile.TemporaryDirectory(prefix='ptxoffload-test-templates-')


@functools.lru_cache(maxsize=None)
def compiled(source, arch, *options):
    """The path of the PTX that nvcc makes of a source, made once."""
    path = os.path.join(KEPT or COMPILED.name,
                        '-'.join((source, arch) + options).replace('/', '_') + '.ptx')
    if os.path.exists(path):
        return path
    fresh = '%s.%d' % (path, os.getpid())
    done = subprocess.run([nvcc_program(), '-ptx', '-arch=' + arch, *options, '-o', fresh,
                           SOURCES / (source + '.cu')], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode()
    if 'Unsupported gpu architecture' in text or 'is not defined for option' in text:
        raise Skip('this nvcc does not know ' + arch)
    if done.returncode and 'cannot open source file' in text:
        raise Skip('a header is missing: ' + text.splitlines()[0])
    assert not done.returncode, text
    os.rename(fresh, path)
    return path


@functools.lru_cache(maxsize=None)
def entries(path):
    return re.findall(r'\.entry (\w+)', pathlib.Path(path).read_text())


def entry(path, pattern):
    """The one kernel whose mangled name has this pattern."""
    found = [name for name in entries(path) if re.search(pattern, name)]
    same(len(found), 1)
    return found[0]


def npy(path):
    data = path.read_bytes()
    length = struct.unpack('<H', data[8:10])[0]
    header = eval(data[10:10 + length], {'__builtins__': {}})  # a Python dictionary, by its definition
    values = array.array(CODES[header['descr']])
    values.frombytes(data[10 + length:])
    return values


def execute(folder, ptx, buffers, launches, save, code=0, options=()):
    """Runs launches; returns the buffers whose names are in save, and what was printed."""
    text = {'program': ptx, 'buffers': buffers, 'launches': launches}
    (folder / 'run.yaml').write_text(json.dumps(text))
    named = [word for name in save for word in ('--save', '%s=%s.npy' % (name, name))]
    result = ends(run([PROGRAM, '--functional', 'run.yaml', '--json=out.json', *named, *options],
                      folder), code)
    if '--speed' in sys.argv:
        found = json.loads((folder / 'out.json').read_text())
        count, seconds = found['total']['thread_instructions'], found['host']['kernel_cpu_seconds']
        print('# %d million thread instructions, %.2f s: %d million/s'
              % (count / 1e6, seconds, count / seconds / 1e6))
    return [npy(folder / (name + '.npy')) for name in save] + [result]


def launch(kernel, grid, block, args, **more):
    return dict(kernel=kernel, grid=grid, block=block, args=args, **more)


def buffer(kind, count, fill='zero'):
    return {'type': kind, 'count': count, 'fill': fill}


ITSELF = ['u8:0']  # an object without members is a byte
