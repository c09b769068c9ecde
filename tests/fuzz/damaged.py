#!/usr/bin/env python3
"""Programs and libraries that are cut short or have bits flipped: a message and exit code 1, or an
answer and exit code 0; never a signal, a report of a sanitizer, or half an output file.

usage: damaged.py BUILD-ROOT SEED…

The seeds are containers that were made for this; what nvcc makes joins them where it is installed.
"""
import os
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from cuda_toolkit import nvcc, toolkit
from tap import Skip, add_case, main, run, same

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
SEEDS = [pathlib.Path(path).resolve() for path in sys.argv[2:]]
SOURCE = '__global__ void k(float *a) { a[threadIdx.x] += 1; }\n'
CUTS, FLIPS, HEADER = 10, 20, 64
COMMANDS = (['--list'], ['--module=0', '-o', 'out.ptx'])


def damages(data, seed):
    """The data as it is, cut short, and with one bit changed: more often in what stands first."""
    chance = random.Random(seed)
    yield data
    for i in range(CUTS):
        yield data[:len(data) * i // CUTS + i]
    for i in range(FLIPS):
        at = chance.randrange(min(HEADER, len(data)) if i % 2 else len(data))
        yield data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1:]


def check(folder, data, command):
    (folder / 'in').write_bytes(data)
    result = run([PROGRAM, 'in', *command], folder)
    assert result.code in (0, 1), result
    assert b'Sanitizer' not in result.err and b'runtime error' not in result.err, result
    assert b'internal' not in result.err, result
    if result.code:
        assert b'error: ' in result.err, result
        same(sorted(path.name for path in folder.iterdir()), ['in'])
    (folder / 'out.ptx').unlink(missing_ok=True)
    return result.code


def check_all(folder, path):
    data = path.read_bytes()
    codes = [check(folder, damaged, command)
             for number, damaged in enumerate(damages(data, path.name))
             for command in (COMMANDS if not number else [COMMANDS[number % 2]])]
    same(codes[0], 0)  # sound, it can be listed
    assert 1 in codes, 'no damage was noticed'


def made_by_nvcc(folder, suffix, options):
    with tempfile.TemporaryDirectory() as elsewhere:
        source = pathlib.Path(elsewhere) / 'k.cu'
        source.write_text(SOURCE)
        made = source.with_suffix(suffix)
        subprocess.run([nvcc(), *options, '-o', made, source], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        check_all(folder, made)


def static_library(folder):
    path = toolkit() / 'lib64' / 'libcudadevrt.a'
    if not path.exists():
        raise Skip('there is no libcudadevrt.a')
    check_all(folder, path)


for seed in SEEDS:
    add_case('made: ' + seed.name, check_all, seed)
add_case('nvcc: object', made_by_nvcc, '.o', ['-c', '-gencode=arch=compute_80,code=compute_80'])
add_case('nvcc: fatbin', made_by_nvcc, '.fatbin',
         ['-fatbin', '-gencode=arch=compute_75,code=[sm_75,compute_75]'])
add_case('nvcc: cubin with its PTX', made_by_nvcc, '.cubin', ['-cubin', '-lineinfo', '-arch=sm_90'])
add_case('libcudadevrt.a', static_library)
main()
