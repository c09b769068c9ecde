#!/usr/bin/env python3
"""ptxoffload-sim: names of kernels, arguments of launches, and what is said of wrong ones.

usage: launches.py BUILD-ROOT
"""
import os
import pathlib
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'

ADD, SCALE_F, SCALE_I = '_Z3addPfPKfj', '_ZN2ns5scaleIfLi3EEEvPT_if', '_ZN2ns5scaleIiLi2EEEvPT_if'
HEAD = '.version 7.0\n.target sm_70\n.address_size 64\n.const .align 4 .b8 ck[16];\n'
BODY = '.visible .entry %s(%s)\n{\n    ret;\n}\n'
PROGRAM_TEXT = HEAD + (
    BODY % (ADD, '.param .u64 a, .param .u64 b, .param .u32 n') +
    BODY % (SCALE_F, '.param .u64 p, .param .u32 n, .param .f32 f') +
    BODY % (SCALE_I, '.param .u64 p, .param .u32 n, .param .f32 f') +
    BODY % ('plain', '.param .u64 .ptr .global .align 4 p, .param .b32 w, .param .f64 d, '
            '.param .align 4 .b8 s[12]'))
BUFFER = 'buf:f32:4:zero'


def launch(folder, kernel, *values, code=0):
    (folder / 'k.ptx').write_text(PROGRAM_TEXT)
    words = ['--arg=' + value for value in values]
    return ends(run([PROGRAM, 'k.ptx', '--functional', '-v', '--kernel', kernel, '--grid', '1',
                     '--block', '32', *words], folder), code)


def launched(folder, kernel, *values):
    err = launch(folder, kernel, *values).err.decode()
    return [line.split(': ')[1] for line in err.splitlines() if 'launches 1' in line]


def told(folder, message, kernel, *values):
    err = launch(folder, kernel, *values, code=1).err.decode()
    within('error: ' + message, err)
    return err


@case
def names(folder):
    """a kernel is named as in the program, or as in the CUDA source"""
    for name in (ADD, 'add', 'add(float*, float const*, unsigned int)',
                 'add( float * ,float const*,unsigned int)'):
        same(launched(folder, name, BUFFER, BUFFER, '4'), [ADD])
    for name in ('scale<float, 3>', 'ns::scale<float,3>', 'scale<float, 3>(float*, int, float)',
                 'void ns::scale<float, 3>(float*, int, float)'):
        same(launched(folder, name, BUFFER, '4', '1.5'), [SCALE_F])


@case
def unknown_names(folder):
    """an unknown or ambiguous name: the kernels are listed, the nearest is suggested"""
    listed = ("k.ptx: note: the program has 4 kernels: 'add(float*, float const*, unsigned int)', "
              "'ns::scale<float, 3>(float*, int, float)', 'ns::scale<int, 2>(int*, int, float)', "
              "'plain'\n").replace('k.ptx', '<command line>')
    within(listed, told(folder, "unknown kernel 'sclae'; did you mean 'scale'?", 'sclae'))
    within(listed, told(folder, "unknown kernel 'ad'; did you mean 'add'?", 'ad'))
    within(listed, told(folder, "unknown kernel 'add(int)' [", 'add(int)'))
    within("note: they are 'ns::scale<float, 3>(float*, int, float)', "
           "'ns::scale<int, 2>(int*, int, float)'\n",
           told(folder, "'ns::scale' names 2 kernels: add the signature to select one [", 'ns::scale'))
    (folder / 'none.ptx').write_text(HEAD)
    err = ends(run([PROGRAM, 'none.ptx', '--kernel=k', '--grid=1', '--block=1'], folder), 1).err
    within(b'note: the program has no kernel\n', err)


@case
def timed_names(folder):
    """--timed takes the same names"""
    (folder / 'k.ptx').write_text(PROGRAM_TEXT)
    words = ['k.ptx', '--kernel=scale<int, 2>', '--grid=1', '--block=32', '--arg=buf:s32:4:zero',
             '--arg=4', '--arg=1', '--json=-']
    for timed, wanted in (('ns::scale<int, 2>', True), ('scale<int,2>:1', True),
                          ('scale<int,2>(int*, int, float):2-3', False), (SCALE_I, True)):
        out = ends(run([PROGRAM, *words, '--timed=' + timed], folder), 0, '').out
        same(b'"cycles": null' not in out, wanted)
    err = ends(run([PROGRAM, *words, '--timed=adds'], folder), 1).err.decode()
    within("error: --timed: unknown kernel 'adds'; did you mean 'add'?\n"
           "ptxoffload-sim: note: the program has 4 kernels: ", err)
    for timed in ('add:', 'add:x', ':1', 'add:2-1'):
        within(b"--timed cannot be '%s'" % timed.encode(),
               ends(run([PROGRAM, *words, '--timed=' + timed], folder), 2).err)


@case
def counts(folder):
    """a wrong number of arguments: the parameters' types and what was given"""
    told(folder, 'the kernel has 3 parameters (float*, float const*, unsigned int), but 2 arguments '
         'are given (buf:f32:4:zero, 7) [', 'add', BUFFER, '7')
    told(folder, 'the kernel has 4 parameters (u64, b32, f64, a structure of 12 bytes), but 1 '
         'argument is given (buf:f32:4:zero) [', 'plain', BUFFER)
    told(folder, 'the kernel has 3 parameters (float*, float const*, unsigned int), but 0 arguments '
         'are given [', 'add')
    err = told(folder, 'the kernel has 3 parameters', 'add', *['u32:123456789'] * 100)
    assert len(err) < 4000 and '…' in err, err


@case
def kinds(folder):
    """an argument of another kind than its parameter"""
    for kernel, values, message in (
            ('add', (BUFFER, BUFFER, BUFFER),
             "'n' is a u32 (unsigned int), but this is the address of a buffer: give a number, or "
             "buffer[0] for an element"),
            ('add', (BUFFER, '4096', '4'),
             "'b' is a pointer (float const*), but this is a number: give a buffer, or u64:NUMBER "
             'for an address'),
            ('add', (BUFFER, 'u32:7', '4'),
             "'b' is a pointer (float const*) of 8 bytes, but a u32 has 4: give a buffer"),
            ('add', (BUFFER, BUFFER, 'u64:4'),
             "'n' is a u32 (unsigned int) of 4 bytes, but a u64 has 8"),
            ('add', (BUFFER, BUFFER, 'f32:4'),
             "'n' is a u32 (unsigned int), but this is a f32; b32:BITS passes bits unchanged"),
            ('scale<float,3>', (BUFFER, '4', 'u32:1'),
             "'f' is a f32 (float), but this is a u32; b32:BITS passes bits unchanged"),
            ('scale<float,3>', (BUFFER, '4', BUFFER),
             "'f' is a f32 (float), but this is the address of a buffer"),
            ('add', (BUFFER, BUFFER, '1.5'), 'the value does not fit into a u32: it is not an integer'),
            ('add', (BUFFER, 'f64:1', '4'), "'b' is a pointer (float const*), but this is a f64"),
            ('plain', ('7', '1', '1', '1'), "'p' is a pointer, but this is a number"),
            ('plain', (BUFFER, 'f32:1', '1', '1'),
             "'s' is a structure of 12 bytes: give a list of TYPE:EXPRESSION")):
        told(folder, message, kernel, *values)
    launch(folder, 'add', BUFFER, '0', '-1')
    launch(folder, 'add', BUFFER, 'u64:4096', 's32:-1')
    launch(folder, 'scale<float,3>', BUFFER, 'b32:4', 'b32:1065353216')


@case
def file_types(folder):
    """a buffer that stands for a variable takes the type of its file"""
    (folder / 'k.ptx').write_text(PROGRAM_TEXT)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n"
    (folder / 'k.npy').write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header +
                                   struct.pack('<4f', 1, 2, 3, 4))
    text = ('program: k.ptx\nbuffers: {ck: {fill: %s, variable: ck, save: out.npy}}\n'
            'launches: [{kernel: add, grid: 1, block: 1, args: [0, 0, 0]}]\n'
            'expect: [{buffer: ck, file: k.npy}]\n')
    (folder / 'run.yaml').write_text(text % 'k.npy')
    ends(run([PROGRAM, '--functional', 'run.yaml'], folder), 0, '')
    same((folder / 'out.npy').read_bytes()[-16:], struct.pack('<4f', 1, 2, 3, 4))
    for fill, message in (('zero', "the buffer 'ck' needs a type"),
                          ('raw:k.npy', "the buffer 'ck' needs a type"),
                          ('no.npy', "cannot read 'no.npy'")):
        (folder / 'run.yaml').write_text(text % fill)
        within(message, ends(run([PROGRAM, '--functional', 'run.yaml'], folder), 1).err.decode())


main()
