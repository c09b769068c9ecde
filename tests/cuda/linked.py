#!/usr/bin/env python3
"""Programs whose device code is in several objects, and kernels that launch kernels.

usage: linked.py BUILD-ROOT

Most cases need no nvcc: programs/linked.c registers fatbins of stored PTX as nvcc -rdc=true does.
"""
import re
import shutil
import struct

import lib
from lib import PROGRAMS, ROOT, build, simulate
from tap import Skip, add_case, case, ends, main, run, same, within

CC = ['cc', '-O2', '-w']
MODES = {'values': ['--functional'], 'cycles': ['-w'], 'shuffled': ['-w', '--shuffle=7', '--config=gtx480']}
HEAD = '.version 7.8\n.target sm_%d\n.address_size 64\n'
PTX, CUBIN, LTO_IR = 1, 2, 8

# The kernel `main_kernel` uses functions and variables of other objects: d[i] is computed below.
OBJECTS = ['''
.extern .func (.param .b32 r) twice (.param .b32 a);
.extern .global .align 4 .b8 table[16];
.extern .const .align 4 .u32 factor;
.extern .global .align 8 .u64 pointer;
.common .global .align 4 .u32 sum;
.global .align 4 .u32 own = 100;
.weak .func (.param .b32 r) shared_by_all (.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) helper (.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; ld.global.u32 %r2, [own]; add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }
.visible .entry main_kernel (.param .u64 d)
{
.reg .b32 %r<9>; .reg .b64 %d<9>;
ld.param.u64 %d1, [d]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
CALL(twice) mov.u32 %r3, %r2;
CALL(helper) add.u32 %r3, %r3, %r2;
CALL(shared_by_all) add.u32 %r3, %r3, %r2;
and.b32 %r4, %r1, 3; mul.wide.u32 %d2, %r4, 4; mov.u64 %d3, table; add.u64 %d2, %d2, %d3;
ld.global.u32 %r4, [%d2]; add.u32 %r3, %r3, %r4;
ld.const.u32 %r4, [factor]; mul.lo.u32 %r3, %r3, %r4;
ld.global.u64 %d4, [pointer];
{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1;
P: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %d4, (p), P; ld.param.b32 %r2, [q]; }
add.u32 %r3, %r3, %r2;
atom.global.add.u32 %r5, [sum], %r1;
st.global.u32 [%d1], %r3;
ret;
}
''', '''
.global .align 4 .u32 own = 1000;
.visible .func (.param .b32 r) thrice (.param .b32 a);
.visible .global .align 8 .u64 pointer = thrice;
.visible .const .align 4 .u32 factor = 5;
.visible .global .align 4 .b8 table[16] = {1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
.weak .func (.param .b32 r) shared_by_all (.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; add.u32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.func (.param .b32 r) helper (.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; ld.global.u32 %r2, [own]; add.u32 %r1, %r1, %r2; st.param.b32 [r], %r1; ret; }
.visible .func (.param .b32 r) twice (.param .b32 a)
{ .reg .b32 %r<3>; ld.param.b32 %r1, [a]; shl.b32 %r1, %r1, 1; st.param.b32 [r], %r1; ret; }
.visible .func (.param .b32 r) thrice (.param .b32 a)
{ .reg .b32 %r<4>; ld.param.b32 %r1, [a]; mul.lo.u32 %r1, %r1, 3; CALL(helper) st.param.b32 [r], %r2; ret; }
''', '''
.common .global .align 4 .b8 sum[8];
.visible .entry second (.param .u64 d)
{ .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [d]; ld.global.u32 %r1, [sum]; st.global.u32 [%d1+400], %r1; ret; }
''']
OBJECTS = [text.replace('CALL(', '{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), ')
           for text in OBJECTS]
for name in ('twice', 'helper', 'shared_by_all'):
    OBJECTS = [text.replace('(q), %s)' % name, '(q), %s, (p); ld.param.b32 %%r2, [q]; }' % name) for text in OBJECTS]
EXPECTED = [5 * (2 * i + i + 100 + i + 1 + (i & 3) + 1) + 3 * i + 1000 for i in range(32)]


def entry(kind, arch, payload):
    payload += bytes(8 - len(payload) % 8)
    return struct.pack('<HHIQIIHHIIIQQQ', kind, 0x101, 64, len(payload), 0, 0, 8, 7, arch, 0, 0, 0x11, 0, 0) + payload


def image(*entries):
    """A fatbin of entries (kind, architecture, bytes)."""
    body = b''.join(entry(*one) for one in entries)
    return struct.pack('<IHHQ', 0xba55ed50, 1, 16, len(body)) + body


def ptx(text, arch=80):
    return (PTX, arch, (HEAD % arch + text).encode())


def program(folder, objects, linked=b'', *options, runtime=None):
    """The program of objects, each a fatbin, and of the fatbin that the device linker has made."""
    lines = []
    for number, contents in enumerate([linked or image(), *objects]):
        (folder / ('%d.fatbin' % number)).write_bytes(contents)
        if number:
            lines.append(r'object%d: .incbin \"%d.fatbin\"\n' % (number - 1, number))
    for number in range(len(objects), 3):
        lines.append(r'object%d:\n' % number)
    (folder / 'objects.h').write_text('#define OBJECTS "%s"\n' % ''.join(lines))
    runtime = runtime or lib.BUILD / 'cli' / 'cuda' / 'libcudart.so.13'
    ends(run([*CC, *options, '-include', 'objects.h', '-DLINKED="0.fatbin"', '-DCOUNT=%d' % len(objects),
              PROGRAMS / 'linked.c', runtime, '-o', 'app', '-ldl'], folder), 0)
    return './app'


def words(folder, app, mode, *kernels, **more):
    """The words that the kernels have written."""
    result = ends(simulate(folder, app, *MODES[mode], arguments=kernels, **more), 0)
    errors, *text = result.out.decode().splitlines()
    same(set(errors.split()), {'0'})
    return [int(word) for word in text[0].split()]


def objects_run(folder, mode, arch):
    app = program(folder, [image(ptx(text, arch)) for text in OBJECTS])
    got = words(folder, app, mode, 'main_kernel:1:32', 'second:1:1')
    same(got[:32], EXPECTED)
    same(got[100], sum(range(32)))


for mode in MODES:
    add_case('symbols of three objects, ' + mode, objects_run, mode, 80)


@case
def with_machine_code(folder):
    """the PTX of the objects is used though the device linker has made machine code"""
    cubin = (ROOT / 'tests/data/packed.fatbin').read_bytes()
    objects = [image((CUBIN, 80, b'\x7fELF' + bytes(200)), ptx(text)) for text in OBJECTS]
    app = program(folder, objects, image((CUBIN, 80, cubin)))
    same(words(folder, app, 'values', 'main_kernel:1:32', 'second:1:1')[:32], EXPECTED)


@case
def architectures(folder):
    """of each object the newest PTX up to --arch is used"""
    wrong = '.visible .entry main_kernel (.param .u64 d) { trap; }'
    objects = [image(ptx(text), ptx(wrong, 90)) if number == 0 else image(ptx(text)) for number, text in enumerate(OBJECTS)]
    app = program(folder, objects)
    result = ends(simulate(folder, app, '--functional', '--arch=sm_80', arguments=['main_kernel:1:32']), 0)
    same(result.out.decode().splitlines()[1].split()[:32], [str(word) for word in EXPECTED])


NAMES = ('__cudaRegisterFatBinary', '__cudaRegisterFatBinaryEnd', '__cudaRegisterFunction', 'cudaMalloc', 'cudaFree',
         'cudaMemset', 'cudaMemcpy', 'cudaLaunchKernel', 'cudaDeviceSynchronize', 'cudaDeviceSetLimit',
         '__cudaUnregisterFatBinary', 'cudaGetLastError')
STOP = 'static int stop(const char *name) { dprintf(2, "%s ran\\n", name); _exit(99); }\n'


@case
def static_runtime(folder):
    """a static runtime is replaced in such a program, too"""
    source = '#include <stdio.h>\n#include <unistd.h>\n' + STOP
    for name in NAMES:
        source += '__attribute__((visibility("hidden"))) int %s(void) { return stop("%s"); }\n' % (name, name)
    (folder / 'runtime.c').write_text(source)
    ends(run([*CC, '-fno-reorder-functions', '-c', 'runtime.c'], folder), 0)
    app = program(folder, [image(ptx(text)) for text in OBJECTS], runtime='runtime.o')
    same(words(folder, app, 'values', 'main_kernel:1:32')[:32], EXPECTED)


def says(folder, text, objects, linked=b'', *options, code='209'):
    """The program is not run: it gets the error, and standard error says why, once."""
    app = program(folder, objects, linked, *options)
    for mode in (['--functional'], ['-w']):
        result = ends(simulate(folder, app, *mode, arguments=['k:1:1', 'k:1:1']), 0)
        same(result.out.decode().split()[:2], [code, code])
        errors = [line for line in result.err.decode().splitlines() if ' error: ' in line]
        same(len(errors), 1)
        within(text, errors[0])


CODE = (CUBIN, 80, b'\x7fELF' + bytes(200))
KERNEL = '.visible .entry k (.param .u64 d) { ret; }\n'
USE = '.extern .global .u32 x; .visible .entry k (.param .u64 d) { .reg .b32 %r<2>; ld.global.u32 %r1, [x]; ret; }\n'
for name, text, arguments, code in (
        ('machine code only', 'its device code is machine code for sm_80', ([image(CODE)],), '209'),
        ('machine code only, without -rdc=true', 'its device code is machine code for sm_80', ([], image(CODE), '-DPLAIN'), '209'),
        ('IR for -dlto only', 'IR for -dlto for sm_80; compile it with', ([image((LTO_IR, 80, b'x' * 99))],), '209'),
        ('empty fatbins', "kernel 'k' of 'app' is not in its device code, which is empty", ([image()],), '98'),
        ('an empty fatbin, without -rdc=true', 'which is empty', ([], b'', '-DPLAIN'), '98'),
        ('another kernel', 'which has other kernels', ([image(ptx(KERNEL.replace('k', 'j')))],), '98'),
        ('an undefined symbol', "undefined reference to 'x' in 'object 1'", ([image(ptx(USE)), image(ptx(''))],), '218'),
        ('a kernel twice', "multiple definition of 'k' in 'object 2', first defined in 'object 1'",
         ([image(ptx(KERNEL)), image(ptx(KERNEL))],), '218'),
        ('variables of two sizes', "the size of 'x' in 'object 1' differs from that in 'object 2'",
         ([image(ptx(USE)), image(ptx('.visible .global .u64 x;\n'))],), '218'),
        ('a damaged object', "cannot read a fatbin of 'app'", ([image(ptx(KERNEL))[:4] + b'\x09\x00' + image(ptx(KERNEL))[6:]],), '200')):
    add_case('nothing to run: ' + name, lambda folder, text, arguments, code: says(folder, text, *arguments, code=code),
             text, arguments, code)


# The driver's linker

DRIVER_CUBIN, DRIVER_PTX, DRIVER_FATBIN = range(3)


def driver_links(folder, files):
    """The lines that a program prints which links (name, contents, kind)."""
    for name, contents, _ in files:
        (folder / name).write_bytes(contents)
    library = lib.BUILD / 'cli' / 'cuda' / 'libcuda.so.1'
    ends(run([*CC, PROGRAMS / 'culink.c', library, '-o', 'app'], folder), 0)
    result = simulate(folder, './app', '--functional', arguments=['%s:%d' % (name, kind) for name, _, kind in files])
    return ends(result, 0).out.decode().split('\n', 1), result.err.decode()


def driver_files(*contents):
    return [('%d.ptx' % number, one, DRIVER_PTX if one[:1] == b'.' else DRIVER_FATBIN)
            for number, one in enumerate(contents)]


def text(number):
    return ptx(OBJECTS[number])[2]


@case
def driver_linker(folder):
    """cuLinkCreate and its family link PTX and fatbins, whose data may be freed after they were added"""
    (errors, rest), _ = driver_links(folder, driver_files(text(0), image(ptx(OBJECTS[1])), text(2)))
    same(errors, '0 0 0 0 0')
    same(rest.split('\n')[1:], ['0 2 400', ' '.join(map(str, EXPECTED)) + ' '])


@case
def driver_errors(folder):
    """cuLinkComplete fails with a log that names the symbols; a cubin is refused with the remedy"""
    (errors, log), _ = driver_links(folder, driver_files(text(0)))
    same(errors, '0 0 218')
    within('Unresolved extern', log)
    (errors, log), _ = driver_links(folder, driver_files(text(0), text(1), text(1)))
    same(errors, '0 0 0 0 218')
    within("error   : multiple definition of 'pointer' in '2.ptx', first defined in '1.ptx'; ", log)
    (errors, log), _ = driver_links(folder, driver_files(b'.version 7.8\n.target sm_80\n.address_size 64\n.entry k( { ret; }'))
    same(errors, '0 218 218')
    (errors, _), standard = driver_links(folder, [('c.cubin', image(CODE), DRIVER_CUBIN)])
    same(errors, '0 209 1')
    within('its device code is machine code for sm_80; compile it with', standard)


# nvlink

X = '.extern .global .align 4 .u32 x;\n.visible .entry j (.param .u64 d) ' \
    '{ .reg .b32 %r<2>; ld.global.u32 %r1, [x]; st.global.u32 [x], %r1; ret; }\n'
F = '.extern .func (.param .b32 r) f (.param .b32 a);\n.visible .entry j (.param .u64 d) { .reg .b32 %r<2>;\n' \
    '{ .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r1, [q]; } ret; }\n'
FUNCTION = '.func (.param .b32 r) f (.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; st.param.b32 [r], %r1; ret; }\n'
LINKED = ((X, ''), (X, '.visible .global .align 4 .u32 x = 5;'), (X, '.global .align 4 .u32 x;'),
          (X, '.visible .global .align 8 .u64 x;'), (X, '.weak .global .align 4 .u32 x = 1;'),
          (X, '.visible .const .align 4 .u32 x = 5;'), (X, '.common .global .align 4 .u32 x;'),
          ('.visible .global .u32 y;', '.visible .global .u32 y;'), ('.weak .global .u32 y;', '.weak .global .u64 y;'),
          ('.weak .global .u32 y = 1;', '.visible .global .u32 y = 2;'), ('.visible .global .u32 y;', '.global .u32 y;'),
          ('.common .global .b8 y[4];', '.common .global .b8 y[8];'), ('.visible .global .u32 y;', '.common .global .b8 y[8];'),
          (F, ''), (F, '.visible ' + FUNCTION), (F, '.weak ' + FUNCTION), (F, FUNCTION),
          ('.visible ' + FUNCTION, '.visible ' + FUNCTION), ('.weak ' + FUNCTION, '.weak ' + FUNCTION),
          (F, '.visible ' + FUNCTION.replace('.b32 a)', '.b32 a, .param .b32 b)')),
          (KERNEL.replace('k', 'j'), KERNEL.replace('k', 'j')))


@case
def as_nvlink(folder):
    """nvlink, where it is installed, accepts and rejects the same modules"""
    if not shutil.which('nvlink') or not shutil.which('ptxas'):
        raise Skip('there is no nvlink')
    differing = []
    for number, texts in enumerate(LINKED):
        cubins = []
        for name, one in zip('ab', texts):
            (folder / (name + '.ptx')).write_bytes(ptx(one)[2])
            ends(run(['ptxas', '-c', '-arch=sm_80', name + '.ptx', '-o', name + '.cubin'], folder), 0)
            cubins.append(name + '.cubin')
        theirs = not run(['nvlink', '-arch=sm_80', *cubins, '-o', 'out.cubin'], folder).code
        app = program(folder, [image(ptx(one)) for one in (*texts, KERNEL)])
        ours = ends(simulate(folder, app, '--functional', arguments=['k:1:1']), 0).out.decode().split()[0] == '0'
        if ours != theirs:
            differing.append((number, ours, texts))
    same(differing, [])


# Kernels that launch kernels

def spawned(folder):
    return program(folder, [image((PTX, 80, (PROGRAMS / 'spawn.ptx').read_bytes()))])


def check_sort(got):
    same(got[:1000], sorted((i * 7919 + 13) % 10007 for i in range(1000)))
    assert got[4095] > 300, got[4095]


def check_each(got):
    same(got, [i // 2 + i % 2 for i in range(2 * 512)])


def check_adaptive(got):
    expected = [0] * 64 * 60
    for block in range(60):
        n = block * 13 % 50
        expected[block * 64:block * 64 + n] = [n] * n
    while not expected[-1]:
        expected.pop()
    same(got, expected)


SPAWNED = {
    'sort:1:1': check_sort,
    'order:1:1': lambda got: same(got, [8, 1, 2, 3, 10, 11, 12, 13, 20]),
    'events:1:1': lambda got: same(got, [7, 14, 14, 28, 56, 0x01010101]),
    'each:4:128': check_each,
    'recursion:1:1': lambda got: same(got, list(range(1, 1025))),
    'adaptive:60:64': check_adaptive,
    'errors:1:1': lambda got: same(got, [24, 65, 9, 9, 0, 9, 1, 1, 0, 9, 0, 1]),
    'many:1:1': lambda got: same(got, [100]),
}


def spawn_case(folder, kernel, mode):
    SPAWNED[kernel](words(folder, spawned(folder), mode, kernel))


for kernel in SPAWNED:
    for mode in MODES:
        add_case('launches by kernels: %s, %s' % (kernel, mode), spawn_case, kernel, mode)


@case
def pending(folder):
    """launches fail if more than the limit are pending; the others run; by values few are pending at a time"""
    for mode in ('cycles', 'shuffled'):
        got = words(folder, spawned(folder), mode, 'many:1:1', env={'PENDING': '16'})
        assert 16 <= got[0] < 100 and got[1] == 69, got


@case
def latency(folder):
    """a launch begins after machine.device_launch_latency; a parent ends after its launches"""
    app, cycles = spawned(folder), []
    for latency in (0, 1000, 5000):
        ends(simulate(folder, app, '-w', '--set=machine.device_launch_latency=%d' % latency, '--stats=s.csv',
                      arguments=['order:1:1']), 0)
        cycles.append(int(re.search(r'^,machine.cycles,cycles,(\d+)', (folder / 's.csv').read_text(), re.M)[1]))
    # three in the CTA's stream begin together and run in turn; then two tails, the first with three of its own
    assert 6 * 900 < cycles[1] - cycles[0] < 6 * 1100 and 6 * 3900 < cycles[2] - cycles[1] < 6 * 4100, cycles


@case
def same_results(folder):
    """results are the same bytes in any order of evaluation"""
    app, seen = spawned(folder), set()
    for shuffle in (0, 1, 2):
        ends(simulate(folder, app, '-w', '--shuffle=%d' % shuffle, '--stats=s.txt', arguments=['each:4:128', 'sort:1:1']), 0)
        seen.add((folder / 's.txt').read_bytes())
    same(len(seen), 1)


@case
def a_fault(folder):
    """a fault of a launched kernel is reported with its place, and ends the program's commands"""
    text = (PROGRAMS / 'spawn.ptx').read_text().replace('atom.global.add.u32', 'trap; atom.global.add.u32')
    app = program(folder, [image((PTX, 80, text.encode()))])
    for mode in (['--functional'], ['-w']):
        result = ends(simulate(folder, app, *mode, arguments=['many:1:1']), 0)
        same(result.out.decode().split()[:2], ['0', '719'])
        within("kernel 'count", result.err.decode().replace('_Z5countPi', 'count'))


# With nvcc

TWO = ('two_objects_a.cu', 'two_objects_b.cu')


def compiled(folder, sources, options, cudart):
    """Sources with -rdc=true, linked by nvcc with either runtime."""
    app = build(sources, '-rdc=true', *options, cudart=cudart)
    for mode in ('values', 'cycles'):
        result = ends(simulate(folder, app, *MODES[mode]), 0)
        within('PASSED', result.out.decode())


for cudart in ('static', 'shared'):
    for options in (('-arch=sm_80',), ('-arch=compute_80',)):
        add_case('nvcc -rdc=true %s, %s' % (' '.join(options), cudart), compiled, TWO, options, cudart)
        add_case('nvcc -rdc=true %s, %s, a kernel that launches' % (' '.join(options), cudart), compiled, 'nested.cu', options, cudart)


@case
def machine_code_of_nvcc(folder):
    """nvcc -rdc=true with machine code only: the message names the remedy"""
    app = build(TWO, '-rdc=true', '-gencode=arch=compute_80,code=sm_80')
    result = simulate(folder, app, '--functional')
    within('has no PTX: its device code is machine code for sm_80; compile it with', result.err.decode())


main()
