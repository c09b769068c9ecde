#!/usr/bin/env python3
"""--registers=ptxas: the registers of a kernel are those of the machine code beside its PTX, or of ptxas.

usage: registers.py BUILD-ROOT

Needs neither nvcc nor ptxas: the machine code is an ELF file without instructions, and ptxas a script that copies it.
"""
import json
import os
import random
import struct

import lib
from tap import case, ends, main, run, same, within

VECADD = lib.ROOT / 'samples/vecadd'
TEXT = (VECADD / 'vecadd.ptx').read_bytes()


def cubin(kernels, arch=75):
    """An ELF file with .nv.info, in which `kernels` are (name, registers)."""
    names, strings, symbols, info = b'\0.shstrtab\0.strtab\0.symtab\0.nv.info\0', b'\0', bytes(24), b'\4\x37\4\0\0\0\0\0\3\x1b\xff\0'
    for number, (name, registers) in enumerate(kernels, 1):
        symbols += struct.pack('<IBBHQQ', len(strings), 0x12, 0, 1, 0, 0)
        strings += name.encode() + b'\0'
        info += struct.pack('<BBHII', 4, 0x2f, 8, number, registers)
    parts = [names, strings, symbols, info]
    header = struct.pack('<16sHHIQQQIHHHHHH', b'\x7fELF\2\1\1\x33\7' + bytes(7), 2, 190, 1, 0, 0,
                         64 + sum(map(len, parts)), arch, 64, 0, 0, 64, 5, 1)
    table, at = bytes(64), 64
    for word, kind, link, each, part in zip(('.shstrtab', '.strtab', '.symtab', '.nv.info'), (3, 3, 2, 0x70000000), (0, 0, 2, 3),
                                            (0, 0, 24, 0), parts):
        table += struct.pack('<IIQQQQIIQQ', names.index(word.encode()), kind, 0, 0, at, len(part), link, 1, 1, each)
        at += len(part)
    return header + b''.join(parts) + table


def entry(kind, arch, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack('<HHIQIIHHIIIQQQ', kind, 0x101, 64, len(payload), 0, 0, 0, 7, arch, 0, 0, 0x11, 0, 0) + payload


def fatbin(folder, *entries):
    entries = b''.join(entries)
    (folder / 'kernels.fatbin').write_bytes(struct.pack('<IHHQ', 0xba55ed50, 1, 16, len(entries)) + entries)


def program(folder):
    command = ['cc', '-O2', '-w', '-DFATBIN="kernels.fatbin"', lib.PROGRAMS / 'plain.c', '-o', 'app', '-ldl',
               '-L', lib.BUILD / 'cli/cuda', '-l:libcudart.so.13']
    ends(run(command, folder), 0)
    return './app'


def room(folder, *options):
    """What a report says of the kernel's registers"""
    ends(lib.simulate(folder, program(folder), '-w', '--report=json:r.json', *options, arguments=['own']), 0)
    return json.loads((folder / 'r.json').read_text())['kernels'][0]['room']


@case
def beside(folder):
    """an executable's machine code: the lowest architecture that is not below the PTX's, or the highest"""
    vecadd = {arch: entry(2, arch, cubin([('other', 9), ('vecadd', arch)], arch)) for arch in (60, 70, 75, 90, 120)}
    text = entry(1, 75, TEXT + b'\0')
    for archs, wanted in (((75, 90), 75), ((120, 90), 90), ((60, 70), 70), ((60, 75), 75), ((90, 60), 90)):
        fatbin(folder, *(vecadd[arch] for arch in archs), text)
        within('%d registers per thread (of the kernel\'s machine code)' % wanted, room(folder, '--registers=ptxas'))
        within("(estimated from the kernel's PTX)", room(folder))
    within('40 registers per thread (core.thread_registers)',
           room(folder, '--registers=ptxas', '--set=core.thread_registers=40'))


def fake_ptxas(folder, script):
    (folder / 'bin').mkdir(exist_ok=True)
    (folder / 'bin/ptxas').write_text('#!/bin/sh\n' + script)
    (folder / 'bin/ptxas').chmod(0o755)
    return {**os.environ, 'PATH': '%s:%s' % (folder / 'bin', os.environ['PATH'])}


COPY = 'echo "$@" > arguments\ncat "$3" > text\ncp made.cubin "$2"\n'


@case
def assembled(folder):
    """ptxas translates the PTX of a file, and that of a program without machine code"""
    (folder / 'made.cubin').write_bytes(cubin([('vecadd', 33)]))
    own = fake_ptxas(folder, COPY)
    ends(run([lib.SIM, VECADD / 'run.yaml', '--registers=ptxas', '-q', '--report=json:r.json'], folder, env=own), 0)
    within("33 registers per thread (of the kernel's machine code)",
           json.loads((folder / 'r.json').read_text())['kernels'][0]['room'])
    same((folder / 'text').read_bytes(), TEXT)
    within('-arch=sm_', (folder / 'arguments').read_text())
    fatbin(folder, entry(1, 75, TEXT + b'\0'))
    ends(run([lib.RUN, '-w', '--report=json:r.json', '--registers=ptxas', '--', program(folder), 'own'], folder, env=own), 0)
    within('33 registers', json.loads((folder / 'r.json').read_text())['kernels'][0]['room'])
    same([name for name in os.listdir(os.environ.get('TMPDIR', '/tmp')) if name.startswith('ptxoffload-') and
          len(name) == 17 and os.path.exists(os.path.join(os.environ.get('TMPDIR', '/tmp'), name, 'in.ptx'))], [])


@case
def older(folder):
    """an architecture that ptxas no longer knows is translated for its default one"""
    (folder / 'made.cubin').write_bytes(cubin([('vecadd', 21)]))
    own = fake_ptxas(folder, 'case "$4" in -arch*) echo "ptxas fatal: not defined" >&2; exit 1;; esac\n' + COPY)
    ends(run([lib.SIM, VECADD / 'run.yaml', '--registers=ptxas', '-q', '--report=json:r.json'], folder, env=own), 0)
    within('21 registers', json.loads((folder / 'r.json').read_text())['kernels'][0]['room'])


@case
def mistakes(folder):
    """what ptxas refuses, no output of it, and other values of the option"""
    for script, words in (('echo "ptxas in.ptx, line 3; fatal: bad" >&2; exit 255\n', 'ptxas refuses the program: ptxas in.ptx, line 3'),
                          ('exit 3\n', 'it does not say why'), ('echo > "$2"\n', 'cannot read the output of ptxas')):
        result = run([lib.SIM, VECADD / 'run.yaml', '--registers=ptxas'], folder, env=fake_ptxas(folder, script))
        ends(result, 1)
        within(words, result.err.decode())
    for value in ('12', 'none'):
        result = run([lib.SIM, VECADD / 'run.yaml', '--registers=' + value], folder)
        ends(result, 2)
        within('expected estimate or ptxas; --set=core.thread_registers=N sets a number', result.err.decode())


@case
def damaged(folder):
    """damaged machine code beside the PTX does not stop the program"""
    draw, good = random.Random(7), cubin([('vecadd', 50), ('k' * 300, 255)])
    app = None
    for number in range(60):
        bad = bytearray(good)
        for _ in range(draw.randint(1, 8)):
            bad[draw.randrange(len(bad))] = draw.choice((0, 1, 127, 255, draw.randrange(256)))
        bad = bad[:draw.randrange(len(bad))] if number % 3 == 0 else bad
        fatbin(folder, entry(2, 75, bytes(bad)), entry(1, 75, TEXT + b'\0'))
        app = program(folder)
        result = lib.simulate(folder, app, '-w', '--registers=ptxas', arguments=['own'])
        assert result.code in (0, 1), (number, result)


main()
