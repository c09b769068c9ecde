#!/usr/bin/env python3
"""The library as it is installed: the examples in C, and the Python module.

usage: bindings.py BUILD-ROOT
"""
import ast
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, Skip, case, ends, environment, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ['samples/vecadd/vecadd.ptx', 'samples/bfs/bfs.ptx', 'samples/srad/srad.ptx']
EXAMPLE = ROOT / 'examples' / 'api'


def need(*programs):
    if SANITIZED:
        raise Skip('the library needs the run-time of the sanitizers')
    for program in programs:
        if not shutil.which(program):
            raise Skip('no ' + program)


def install(folder):
    """Installs into the folder; returns the prefix and the environment to use it."""
    need('meson')
    ends(run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', folder / 'root'],
             folder), 0)
    library, = (folder / 'root').rglob('libptxoffload.so')
    program, = (folder / 'root').rglob('bin/ptxoffload')
    prefix = program.parents[1]
    return prefix, environment(LD_LIBRARY_PATH=str(library.parent),
                               PKG_CONFIG_PATH=str(library.parent / 'pkgconfig'),
                               PKG_CONFIG_SYSROOT_DIR=str(folder / 'root'))


def command(folder, source, *options):
    """What the command writes of a source: the text and the metadata."""
    ends(run([BUILD / 'cli/ptxoffload', ROOT / source, '-o', 'command.ptx', '--metadata=command.json',
              *options], folder), 0)
    return [(folder / name).read_bytes() for name in ('command.ptx', 'command.json')]


def tags_as_command(folder, program, env, source):
    text, _ = command(folder, source)
    said = ends(run([program, ROOT / source, 'command.ptx'], folder, env=env), 0).out
    same((folder / 'command.ptx').read_bytes(), text)
    assert b'saves' in said or b'rejected' in said, said


def build(folder, *arguments):
    """Builds the example by pkg-config."""
    need('cc', 'pkg-config')
    prefix, env = install(folder)
    flags = ends(run(['pkg-config', '--cflags', '--libs', *arguments, 'libptxoffload'], folder, env=env),
                 0).out.decode().split()
    ends(run(['cc', '-Wall', '-Werror', EXAMPLE / 'tag.c', '-o', 'tag', *flags], folder, env=env), 0)
    return env


@case
def shared(folder):
    """the example in C tags as the command does"""
    env = build(folder)
    for source in SAMPLES:
        tags_as_command(folder, folder / 'tag', env, source)
    ends(run([folder / 'tag', ROOT / 'README.md', 'x.ptx'], folder, env=env), 1, None)


def models(folder, env, kind, config, trace):
    """Rows NUMBER,ARRIVAL,LATENCY of the example that feeds a model, and of the command; both sorted."""
    mine = ends(run([folder / 'models', kind, config], folder, env=env, stdin=trace.encode()), 0, '').out.decode()
    (folder / 'trace').write_text(trace)
    ends(run([BUILD / 'cli' / ('ptxoffload-' + kind), '--config=' + config, '--trace-in=trace', '--latencies=of.csv'], folder), 0)
    rows = [line.split(',') for line in (folder / 'of.csv').read_text().splitlines()]
    at = [rows[0].index(name) for name in ('number', 'creation' if kind == 'noc' else 'arrival', 'latency')]
    return sorted([int(word) for word in line.split(',')] for line in mine.splitlines()), \
        sorted([int(row[place]) for place in at] for row in rows[1:])


@case
def alone(folder):
    """the example that feeds a memory or a network has the latencies of the commands, while their queues have room"""
    need('cc', 'pkg-config')
    _, env = install(folder)
    flags = ends(run(['pkg-config', '--cflags', '--libs', 'libptxoffload'], folder, env=env), 0).out.decode().split()
    ends(run(['cc', '-Wall', '-Wextra', '-Werror', EXAMPLE / 'models.c', '-o', 'models', *flags], folder, env=env), 0)
    draw = random.Random(10)
    for number, config in enumerate(('gddr5_isca19', 'tom_vault', 'gddr5_isca19')):
        cycle, trace = 0, ''
        for _ in range(400):
            cycle += draw.randrange((120, 60, 2)[number])
            trace += '%d 0x%x %s\n' % (cycle, draw.randrange(1 << 26) & -64, draw.choice('RRW'))
        mine, command = models(folder, env, 'dram', config, trace)
        same(len(mine), 400)
        if number < 2:
            same(mine, command)
        else:  # with full queues the command looks for room in clocks of commands only
            mean = [sum(row[2] for row in rows) / 400 for rows in (mine, command)]
            assert abs(mean[0] / mean[1] - 1) < 0.05, mean
    for config, nodes in (('noc/mesh88_8vc_islip', 64), ('noc/fly43_8vc_islip', 64)):
        cycle, trace = 0, ''
        for _ in range(600):
            cycle += draw.randrange(5)
            trace += '%d %d %d %d\n' % (cycle, *draw.sample(range(nodes), 2), draw.randrange(1, 6))
        mine, command = models(folder, env, 'noc', config, trace)
        same((len(mine), mine), (600, command))
    ends(run([folder / 'models', 'dram', 'nothing'], folder, env=env), 1, None)


@case
def static(folder):
    """the static library has no other symbols, and the example works with it"""
    env = build(folder)
    library, = (folder / 'root').rglob('libptxoffload.a')
    names = ends(run(['nm', '--defined-only', '--extern-only', '--format=just-symbols', library], folder),
                 0).out.decode().split()
    odd = [name for name in names
           if not name.startswith('ptxoffload_') and not name.endswith('.o:')]
    same(odd, [])
    needs = ends(run(['pkg-config', '--libs', '--static', 'libptxoffload'], folder, env=env),
                 0).out.decode().split()
    needs = [name for name in needs if name not in ('-lptxoffload',)]
    header = min((folder / 'root').rglob('ptxoffload.h'), key=lambda path: len(path.parts))
    ends(run(['cc', EXAMPLE / 'tag.c', '-o', 'static', '-I', header.parents[1], library, *needs], folder,
             env=env), 0)
    tags_as_command(folder, folder / 'static', environment(), SAMPLES[0])


@case
def cmake(folder):
    """the example builds with find_package"""
    need('cmake', 'cc', 'c++')
    prefix, env = install(folder)
    shutil.copytree(EXAMPLE, folder / 'source')
    programs = environment(PATH='%s:%s' % (prefix / 'bin', os.environ['PATH']))
    ends(run(['cmake', '-S', 'source', '-B', 'built', '-DCMAKE_PREFIX_PATH=%s' % prefix], folder,
             env=programs), 0, None, None)
    ends(run(['cmake', '--build', 'built'], folder, env=programs), 0, None, None)
    tags_as_command(folder, folder / 'built' / 'tag', env, SAMPLES[0])
    ends(run([folder / 'built' / 'compare', ROOT / SAMPLES[0]], folder, env=env), 0)
    wrong = (folder / 'source/CMakeLists.txt').read_text().replace('ptxoffload 0.2', 'ptxoffload 99')
    (folder / 'source/CMakeLists.txt').write_text(wrong)
    ends(run(['cmake', '-S', 'source', '-B', 'other', '-DCMAKE_PREFIX_PATH=%s' % prefix], folder,
             env=programs), 1, None, None)


@case
def cmake_components(folder):
    """a component that does not exist is refused by its name"""
    need('cmake', 'cc', 'c++')
    prefix, env = install(folder)
    programs = environment(PATH='%s:%s' % (prefix / 'bin', os.environ['PATH']))
    for number, (components, good) in enumerate((('COMPONENTS library', True), ('COMPONENTS library cuda', False),
                                                 ('COMPONENTS Library', False), ('', True),
                                                 ('COMPONENTS library OPTIONAL_COMPONENTS cuda', True))):
        (folder / 'CMakeLists.txt').write_text('cmake_minimum_required(VERSION 3.16)\nproject(x C)\nfind_package(ptxoffload '
                                               'REQUIRED %s)\nif(ptxoffload_cuda_FOUND)\nmessage(FATAL_ERROR "found")\nendif()\n'
                                               % components)
        done = ends(run(['cmake', '-S', '.', '-B', str(number), '-DCMAKE_PREFIX_PATH=%s' % prefix], folder, env=programs),
                    0 if good else 1, None, None)
        assert good or 'there is no component %s, only library' % components.split()[-1] in done.err.decode(), done


@case
def cplusplus(folder):
    """the example in C++ compiles without warnings as C++11 to C++20, and counts as ptxoffload-sim does"""
    need('pkg-config')
    compilers = [name for name in ('g++', 'clang++') if shutil.which(name)]
    if not compilers:
        raise Skip('no compiler for C++')
    _, env = install(folder)
    flags = ends(run(['pkg-config', '--cflags', '--libs', 'libptxoffload'], folder, env=env), 0).out.decode().split()
    (folder / 'structs.cpp').write_text('#include <ptxoffload/metadata.h>\n#include <ptxoffload/ptxoffload.h>\nint main()\n{\n' + ''.join(
        'const ptxoffload_%s s%d = PTXOFFLOAD_%s;\nif (s%d.size != sizeof s%d) return 1;\n' % (name.lower(), i, name, i, i)
        for i, name in enumerate(('MODULE_INFO', 'KERNEL_INFO', 'CHAIN_INFO', 'INSTRUCTION_INFO', 'BLOCK_INFO',
                                  'REJECTION_INFO', 'LAUNCH', 'PARAMETER_INFO', 'COMPLETION_INFO', 'PACKET'))) + '}\n')
    for compiler in compilers:
        for standard in ('c++11', 'c++14', 'c++17', 'c++20'):
            for source in (EXAMPLE / 'compare.cpp', 'structs.cpp'):
                ends(run([compiler, '-std=' + standard, '-Wall', '-Wextra', '-pedantic', '-Werror', source, '-o', 'program',
                          *flags], folder, env=env), 0, '', '')
            ends(run([folder / 'program'], folder, env=env), 0)
    ends(run([compilers[0], EXAMPLE / 'compare.cpp', '-o', 'compare', *flags], folder, env=env), 0)
    out = ends(run([folder / 'compare', ROOT / SAMPLES[0]], folder, env=env), 0).out.decode()
    lines = dict(line.split() for line in out.splitlines())
    assert int(lines['omni']) < int(lines['baseline']), lines
    ends(run([folder / 'compare', ROOT / 'README.md'], folder, env=env), 1, None, None)


@case
def soname(folder):
    """the name of the shared library and the macros of the header follow the version"""
    need('readelf')
    version = ends(run([BUILD / 'cli/ptxoffload', '--version'], folder), 0).out.decode().split()[1]
    parts = version.split('.')
    said = ends(run(['readelf', '-d', BUILD / 'api/libptxoffload.so'], folder), 0).out.decode()
    wanted = 'libptxoffload.so.' + ('.'.join(parts[:2]) if parts[0] == '0' else parts[0])
    assert 'soname: [%s]' % wanted in said, said
    header = (ROOT / 'include/ptxoffload/ptxoffload.h').read_text()
    same(re.findall(r'#define PTXOFFLOAD_VERSION_[A-Z]+ (\d+)', header), parts)


@case
def symbols(folder):
    """the symbols of the Debian package are those of the library"""
    need('nm')
    exported = ends(run(['nm', '-D', '--defined-only', '--format=just-symbols', BUILD / 'api/libptxoffload.so'], folder), 0)
    names = {name.split('@')[0] for name in exported.out.decode().split()}
    lines = (ROOT / 'debian/libptxoffload0.2.symbols').read_text().splitlines()
    listed = {line.split('@')[0].strip() for line in lines if line.startswith(' ')}
    same(names - listed, set())
    same(listed - names - {'PTXOFFLOAD_0.2'}, set())


def python(folder):
    """An interpreter with the packages, and the environment in which it finds module and library."""
    need()
    found = [path for path in (sys.executable, '/usr/bin/python3') if path and not
             subprocess.run([path, '-c', 'import cffi, numpy'], capture_output=True, check=False).returncode]
    if not found:
        raise Skip('no Python with cffi and numpy')
    return found[0], environment(PYTHONPATH=str(ROOT / 'python'), PYTHONDONTWRITEBYTECODE='1',
                                 PTXOFFLOAD_LIBRARY=str(BUILD / 'api/libptxoffload.so'))


def evaluate(folder, text, *arguments):
    """Runs Python text; returns what it prints as JSON."""
    interpreter, env = python(folder)
    done = ends(run([interpreter, '-c', 'import json, sys, numpy, ptxoffload\n' + text, *arguments],
                    folder, env=env), 0)
    return json.loads(done.out)


@case
def python_tags(folder):
    """the Python module tags as the command does"""
    for source in SAMPLES:
        text, metadata = command(folder, source)
        got = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], output='command.ptx')
print(json.dumps([p.ptx, p.metadata, ptxoffload.strip(p.ptx) == open(sys.argv[1]).read()]))
''', ROOT / source)
        same(got[0].encode(), text)
        same(got[1], json.loads(metadata))
    plain = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], reorder=False)
print(json.dumps(ptxoffload.strip(p.ptx) == open(sys.argv[1]).read()))
''', ROOT / SAMPLES[0])
    same(plain, True)


@case
def python_options(folder):
    """options of the Python module do what those of the command do"""
    for options, given in ((['--cost=tom', '--fma=split', '--no-reorder'],
                            "cost='tom', split_fma=True, reorder=False"),
                           (['--restrict', '--block=128', '--tags=comment', '--min-saving=3'],
                            "restrict=True, block=(128,), tags='comment', min_saving=3")):
        text, metadata = command(folder, SAMPLES[2], *options)
        got = evaluate(folder, '''
p = ptxoffload.tag(sys.argv[1], output='command.ptx', %s)
print(json.dumps([p.ptx, p.metadata]))''' % given, ROOT / SAMPLES[2])
        same(got, [text.decode(), json.loads(metadata)])


@case
def python_errors(folder):
    """errors of the Python module have places and rules"""
    got = evaluate(folder, r'''
def tried(call):
    try:
        call()
    except ptxoffload.Error as error:
        return [error.status, str(error)]
text = '.version 8.0\n.target sm_80\n.entry k(.param .u32 n)\n{\nbra nowhere;\n}\n'
good = text.replace('bra nowhere', 'ret')
device = ptxoffload.Device(good, functional=True)
print(json.dumps([tried(lambda: ptxoffload.check(text, name='a.ptx')),
                  tried(lambda: ptxoffload.Device(good, policy='onmi')),
                  tried(lambda: device.run('k', 1, 2048, 1)),
                  tried(lambda: device.run('j', 1, 1, 1)),
                  len(ptxoffload.check(good))]))
''')
    same([one[0] for one in got[:4]], [1, 1, 2, 2])
    assert got[0][1].startswith('a.ptx:5:'), got[0]
    assert 'onmi' in got[1][1] and 'limit 1024' in got[2][1] and "'j'" in got[3][1], got
    same(got[4], 0)


@case
def python_runs(folder):
    """the example in Python runs a program under every policy, as ptxoffload-sim does"""
    interpreter, env = python(folder)
    done = ends(run([interpreter, EXAMPLE / 'policies.py', ROOT / SAMPLES[0]], folder, env=env), 0)
    lines = [line.split() for line in done.out.decode().splitlines()]
    same([line[0] for line in lines], ['baseline', 'llc', 'omni', 'adaptive'])
    ends(run([BUILD / 'cli/ptxoffload', ROOT / SAMPLES[0], '-o', 'tagged.ptx'], folder), 0)
    count = 65536
    for line in lines:
        ends(run([BUILD / 'cli/ptxoffload-sim', 'tagged.ptx', '--grid=%d' % (count // 256), '--block=256',
                  *['--arg=buf:f32:%d:zero' % count] * 3, '--arg=u32:%d' % count,
                  '--policy=' + line[0], '--json=run.json'], folder), 0, None, None)
        total = json.loads((folder / 'run.json').read_text())['total']
        same([int(line[1]), int(line[3])], [total['cycles'], total['noc']['weighted_hops']])


KERNELS = """
text = '.version 8.0\\n.target sm_80\\n.address_size 64\\n'
def entry(kind, size, words):
    loads = ''.join('ld.param.b%d %%v%d, [k+%d]; st.global.b%d [%%a+%d], %%v%d;\\n'
                    % (min(size, 4) * 8, min(size, 4) * 8, 4 * i, min(size, 4) * 8, 4 * i, min(size, 4) * 8)
                    for i in range(words))
    return ('.visible .entry k_%s(.param .u64 to, .param %s)\\n{ .reg .b64 %%a; .reg .b16 %%v8, %%v16; .reg .b32 %%v32;\\n'
            'ld.param.u64 %%a, [to]; cvta.to.global.u64 %%a, %%a;\\n%sret; }\\n'
            % (kind, '.align 4 .b8 k[12]' if kind == 'record' else '.%s k' % kind, loads))
TYPES = [c + str(8 * n) for c in 'usb' for n in (1, 2, 4, 8)] + ['f16', 'f32', 'f64']
text += ''.join(entry(kind, int(kind[1:]) // 8, max(int(kind[1:]) // 32, 1)) for kind in TYPES) + entry('record', 4, 3)
device = ptxoffload.Device(text, functional=True)
buffer = device.zeros(16, 'u1')
def tried(kind, value):
    buffer.set(0)
    try:
        device.run('k_' + kind, 1, 1, buffer, value)
    except (TypeError, ValueError, OverflowError) as error:
        assert "'." in str(error) and " k'" in str(error), str(error)
        return type(error).__name__
    size = 12 if kind == 'record' else int(kind[1:]) // 8
    return buffer.get().tobytes()[:size].hex()
"""


@case
def python_arguments(folder):
    """an argument is converted to its parameter's type, or refused with its name"""
    rows = [  # type, value, what the kernel gets: as a numpy type and value, or an error
        ('f32', '2', ('f4', 2)), ('f32', '2.0', ('f4', 2)), ('f32', '0.1', ('f4', 0.1)), ('f64', '0.1', ('f8', 0.1)),
        ('f32', 'numpy.int32(2)', ('f4', 2)), ('f32', 'numpy.float64(2)', ('f4', 2)), ('f32', 'True', ('f4', 1)),
        ('f64', 'numpy.float32(0.5)', ('f8', 0.5)), ('f32', 'numpy.float16(0.5)', ('f4', 0.5)),
        ('f32', 'numpy.array(3)', ('f4', 3)), ('f32', 'numpy.array(3, ">f8")', ('f4', 3)),
        ('f32', '2**24 + 1', 'ValueError'), ('f32', '1e39', 'OverflowError'), ('f32', '10**400', 'OverflowError'),
        ('f32', 'float("inf")', ('f4', float('inf'))), ('f32', '"2"', 'TypeError'), ('f32', 'None', 'TypeError'),
        ('f32', '2j', 'TypeError'), ('f32', '[2.0]', 'TypeError'), ('f32', 'numpy.ones(1, "f4")', 'TypeError'),
        ('f32', 'buffer', 'TypeError'), ('f64', 'buffer', 'TypeError'), ('u32', 'buffer', 'ValueError'),
        ('f16', '2', ('f2', 2)), ('f16', '0.1', ('f2', 0.1)), ('f16', 'numpy.float32(0.5)', ('f2', 0.5)), ('f16', '2049', 'ValueError'),
        ('f16', '70000.0', 'OverflowError'), ('f16', 'float("-inf")', ('f2', float('-inf'))), ('f16', 'None', 'TypeError'),
        ('u32', '4', ('u4', 4)), ('u32', '4.0', ('u4', 4)), ('u32', 'numpy.float32(4)', ('u4', 4)),
        ('u32', '-1', ('i4', -1)), ('u32', '2**32 - 1', ('u4', 2**32 - 1)), ('u32', '4.5', 'ValueError'),
        ('u32', '2**32', 'OverflowError'), ('u32', '2**40', 'OverflowError'), ('u32', '-2**31 - 1', 'OverflowError'),
        ('u32', 'float("nan")', 'ValueError'), ('u32', 'float("inf")', 'ValueError'), ('u32', 'None', 'TypeError'),
        ('u32', '"4"', 'TypeError'), ('u32', 'True', ('u4', 1)), ('u32', 'numpy.bool_(True)', ('u4', 1)),
        ('u32', 'numpy.datetime64("2000")', 'TypeError'), ('u32', 'numpy.array(7, ">i8")', ('u4', 7)),
        ('u32', '1e30', 'OverflowError'), ('u32', 'b"abcd"', ('S4', b'abcd')), ('u32', 'b"abc"', 'ValueError'),
        ('s32', '2**31', 'OverflowError'), ('s32', '-2**31', ('i4', -2**31)), ('s8', '128', 'OverflowError'),
        ('u8', '255', ('u1', 255)), ('u8', '256', 'OverflowError'), ('s16', '-3', ('i2', -3)), ('u16', '65536', 'OverflowError'),
        ('u64', '2**64 - 1', ('u8', 2**64 - 1)), ('u64', '2**64', 'OverflowError'), ('s64', '-1', ('i8', -1)),
        ('b32', '7', ('u4', 7)), ('b32', 'numpy.float32(7)', ('f4', 7)), ('b32', '7.0', 'TypeError'),
        ('b32', 'numpy.float64(7)', 'TypeError'), ('b64', 'numpy.float64(7)', ('f8', 7)), ('b16', 'numpy.float16(7)', ('f2', 7)),
        ('record', 'bytes(range(12))', ('S12', bytes(range(12)))), ('record', 'bytes(11)', 'ValueError'),
        ('record', 'numpy.arange(3, dtype="<i4")', ('S12', b'\0\0\0\0\1\0\0\0\2\0\0\0')),
        ('record', 'numpy.arange(3, dtype=">i4")', ('S12', b'\0\0\0\0\1\0\0\0\2\0\0\0')),
        ('record', 'numpy.array([(1, 2)], "i4,f8")[0]', ('S12', bytes.fromhex('010000000000000000000040'))),
        ('record', 'numpy.array([(1, 2)], ">i4,>f8")[0]', ('S12', bytes.fromhex('010000000000000000000040'))),
        ('record', '1', 'TypeError'), ('record', 'numpy.array([None] * 3)', 'TypeError'),
    ]
    got = evaluate(folder, KERNELS + 'print(json.dumps([%s]))' % ', '.join(
        'tried(%r, %s)' % (kind, value) for kind, value, _ in rows))
    code = {'i': int, 'u': int}
    for (kind, value, expected), one in zip(rows, got):
        if isinstance(expected, tuple):
            form, number = expected
            if form[0] == 'S':
                expected = number.hex()
            elif form[0] in code:
                expected = number.to_bytes(int(form[1]), 'little', signed=form[0] == 'i').hex()
            else:
                expected = struct.pack({'f2': '<e', 'f4': '<f', 'f8': '<d'}[form], number).hex()
        assert one == expected, (kind, value, one, expected)


@case
def python_parameters(folder):
    """names, types, sizes and elements of parameters"""
    got = evaluate(folder, KERNELS + """
print(json.dumps([[[p.name, p.type, p.bytes, p.alignment, p.elements] for p in device.parameters('k_' + kind)]
                  for kind in ('u8', 'f64', 'record')]))""")
    first = ['to', 'u64', 8, 8, 0]
    same(got, [[first, ['k', 'u8', 1, 1, 0]], [first, ['k', 'f64', 8, 8, 0]], [first, ['k', 'b8', 12, 4, 12]]])


@case
def python_arrays(folder):
    """arrays of every kind are right in the device, or refused"""
    got = evaluate(folder, KERNELS + """
good = [numpy.array([0, 1, 0, 1, 1], kind) for kind in '? i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8 c8 c16'.split()]
good += [numpy.arange(7, dtype='>' + kind) for kind in 'i2 u4 i8 f2 f4 f8 c8'.split()]
good += [numpy.arange(12.).reshape(3, 4).T, numpy.arange(12)[::-2], numpy.float32(3), numpy.array(5), numpy.zeros(0),
         numpy.zeros((3, 0, 2), 'i4'), [1, 2, 3], 7, True, numpy.ma.array([1., 2.]), numpy.broadcast_to(numpy.float32(2), (3, 2)),
         numpy.arange(4.).reshape(2, 2).astype('f4', order='F')]
good[0].setflags(write=False)
right = []
for values in good:
    b = device.array(values)
    back = b.get()
    right.append(bool(back.dtype.isnative and back.shape == numpy.shape(values) and (back == numpy.asarray(values)).all()))
bad = [numpy.array([None]), numpy.array(['a']), numpy.array([b'a']), numpy.zeros(2, 'i4,f4'), numpy.zeros(2, 'M8[s]'),
       numpy.zeros(2, 'm8[s]'), numpy.ma.array([1., 2.], mask=[0, 1]), numpy.zeros(2, 'g'), None, 'text', [1, None], [object()]]
def error(call):
    try:
        call()
    except Exception as error:
        return type(error).__name__
refused = [error(lambda: device.array(values)) for values in bad]
refused += [error(lambda: device.zeros(2, kind)) for kind in 'O S4 U4 V8 M8[s] g i4,f4'.split()]
b = device.zeros(4, '>i4')
sets = []
for values in ([1, 2, 3, 4], numpy.arange(4, dtype='>i8'), 5, numpy.array([1., 2., 3., 4.]), True):
    b.set(values)
    sets.append(bool((b.get() == values).all()) and b.dtype.isnative)
half, eight = device.zeros(1, 'f2'), device.zeros(1, 'u1')
unfit = [error(lambda: buffer.set(values)) for buffer, values in (
    (b, [1.5] * 4), (b, 2**31), (b, numpy.uint32(2**31)), (b, float('nan')), (b, [1, 2, 3]), (b, 1j), (b, 'x'), (b, None),
    (half, 70000.), (half, 2049), (eight, -1), (eight, 256), (device.zeros(1, 'f8'), 2**53 + 1),
    (device.zeros(1, 'f8'), 2**64 - 1), (device.zeros(1, 'u8'), -1), (device.zeros(1, 'i8'), numpy.uint64(2**63)),
    (device.zeros(1, '?'), 2), (device.zeros(1, 'f4'), 1j), (device.zeros(1, 'f4'), 1e39))]
b.free()
unfit += [error(call) for call in (b.free, b.get, lambda: b.set(1), lambda: device.run('k_u32', 1, 1, b, 1),
                                   lambda: ptxoffload.Device(text, functional=True).run('k_u32', 1, 1, half, 1))]
print(json.dumps([right, refused, sets, unfit]))""")
    same(got[0], [True] * len(got[0]))
    same(got[1], ['TypeError'] * len(got[1]))
    same(got[2], [True] * len(got[2]))
    same([one for one in got[3] if one not in ('TypeError', 'ValueError', 'OverflowError')], [])


ENDLESS = r"""
text = ('.version 8.0\n.target sm_80\n.address_size 64\n.global .u32 kept = 7;\n'
        '.visible .entry endless(.param .u64 to)\n{ .reg .b32 %r<3>; .reg .b64 %d<3>; .reg .pred %p;\n'
        'ld.param.u64 %d1, [to]; mov.u32 %r1, 0;\n'
        'L: add.u32 %r1, %r1, 1; st.global.u32 [%d1], %r1; setp.ne.u32 %p, %r1, 0; @%p bra L;\nret; }\n'
        '.visible .entry add(.param .u64 to)\n{ .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [to]; mov.u32 %r1, %tid.x;\n'
        'mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2; ld.global.u32 %r2, [%d1]; add.u32 %r2, %r2, 5;\n'
        'st.global.u32 [%d1], %r2; ret; }\n')
def error(call):
    try:
        call()
    except BaseException as error:
        return type(error).__name__
"""


@case
def python_interrupts(folder):
    """Ctrl-C, an exception in `progress`, and another thread end a launch at once; the device stays usable"""
    got = evaluate(folder, ENDLESS + """
import os, signal, threading, time
out = []
for options in ({'functional': True}, {'functional': True, 'threads': 3}, {}, {'policy': 'omni'}, {'config': 'gtx480'}):
    device = ptxoffload.Device(text, **options)
    b = device.array(numpy.zeros(64, 'u4'))
    def late(action):
        threading.Timer(0.2, action).start()
        begun = time.monotonic()
        name = error(lambda: device.run('endless', 2, 32, b))
        return [name, time.monotonic() - begun, device.state]
    out.append(late(lambda: os.kill(os.getpid(), signal.SIGINT)))
    out.append(late(device.cancel))
    seen = []
    device.progress = lambda now: seen.append(now) or (now.kernel == 'endless' and device.state == 'running' and now.ctas == 2)
    out.append([error(lambda: device.run('endless', 2, 32, b)), 0, device.state])
    device.progress = lambda now: {}['nothing']
    out.append([error(lambda: device.run('endless', 2, 32, b)), 0, device.state])
    device.progress = lambda now: error(b.get) == 'Error' and error(lambda: device.run('add', 1, 1, b)) == 'Error'
    out.append([error(lambda: device.run('endless', 2, 32, b)), 0, device.state])
    device.progress = None
    b.set(0)
    device.run('add', 1, 64, b)
    assert device.state == 'idle' and (b.get() == 5).all()
    device.cancel()
    out.append([error(lambda: device.run('add', 1, 64, b)), 0, 'faulted' if device.state == 'idle' else ''])
    device.reset()
    assert error(b.get) == 'ValueError' and device.state == 'idle'
    b = device.array(numpy.ones(64, 'u4'))
    device.run('add', 1, 64, b)
    assert (b.get() == 6).all()
print(json.dumps(out))""")
    same([[name, state] for name, _, state in got],
         [[name, 'faulted'] for name in ('KeyboardInterrupt', 'Error', 'Error', 'KeyError', 'Error', 'Error')] * 5)
    assert max(seconds for _, seconds, _ in got) < 20, got  # an endless launch, on a busy host


@case
def python_faults(folder):
    """random launches, faults, interrupts and resets: each good launch gives what it gives on a new device"""
    got = evaluate(folder, ENDLESS + """
import random
text += ('.visible .entry wild(.param .u64 to)\\n{ .reg .b32 %r<3>; .reg .b64 %d<3>; ld.param.u64 %d1, [to]; shl.b64 %d1, %d1, 9;\\n'
         'ld.global.u32 %r1, [%d1]; st.global.u32 [%d1], %r1; ret; }\\n'
         '.visible .entry stuck(.param .u64 to)\\n{ bar.sync 0, 96; ret; }\\n')
draw, faults = random.Random(1), 0
for options in ({'functional': True}, {}, {'policy': 'omni'}, {'policy': 'adaptive'}, {'config': 'tom', 'policy': 'tom-ctrl'}):
    device = ptxoffload.Device(text, settings={'machine.watchdog': 4000}, **options)
    values = numpy.arange(64, dtype='u4')
    b = device.array(values)
    for step in range(12):
        kind = draw.choice(['wild', 'stuck', 'endless', 'reset', 'reject', 'none'])
        if kind in ('wild', 'stuck'):
            assert error(lambda: device.run(kind, 2, 32, b)) == 'Error' and device.state == 'faulted'
        elif kind == 'endless':
            device.progress = lambda now: True
            assert error(lambda: device.run(kind, 2, 32, b)) == 'Error' and device.state == 'faulted'
            device.progress = None
        elif kind == 'reject':
            before = device.state
            assert error(lambda: device.run('add', 1, 2048, b)) == 'Error' and device.state == before
        elif kind == 'reset':
            device.reset()
            b = device.array(values)
        faults += device.state == 'faulted'
        values = b.get()
        device.run('add', 1, 64, b)
        fresh = ptxoffload.Device(text, **options)
        other = fresh.array(values)
        fresh.run('add', 1, 64, other)
        assert device.state == 'idle' and (b.get() == other.get()).all() and (b.get() == values + 5).all()
        values = b.get()
print(json.dumps(faults))""")
    assert got > 10, got


@case
def python_numpy(folder):
    """numpy takes buffers; programs and devices have records, and HTML for notebooks"""
    got = evaluate(folder, """
import xml.etree.ElementTree
p = ptxoffload.tag(sys.argv[1])
d = ptxoffload.Device(p, policy='omni')
a, c = d.array(numpy.arange(4096, dtype='f4')), d.zeros(4096)
empty = d._repr_html_()
d.run('vecadd', 16, 256, a, a, c, 4096)
assert isinstance(numpy.asarray(c), numpy.ndarray) and numpy.array_equal(c, 2 * numpy.asarray(a)) and len(c) == 4096
assert numpy.asarray(c, 'f8').dtype == 'f8' and numpy.sum(c) == 2 * numpy.arange(4096).sum()
assert (d.array(c).get() == c.get()).all()
rows = d.records()
assert [row['kernel'] for row in rows] == ['vecadd'] and rows[0]['machine.cycles'] == d.statistics()['machine.cycles']
for html in (p._repr_html_(), d._repr_html_(), empty, ptxoffload.Device(p, functional=True)._repr_html_()):
    xml.etree.ElementTree.fromstring('<x>%s</x>' % html)
flat = [row for kind in ('chains', 'blocks', 'rejected') for row in p.records(kind)]
assert flat and not any(isinstance(value, dict) for row in flat for value in row.values())
print(json.dumps([ptxoffload.__version__ == ptxoffload.version(), p.records()[0]['response.flits']]))""", ROOT / SAMPLES[0])
    same(got, [True, 1])


@case
def python_library(folder):
    """without the library, or with one of another version, the import says what to do"""
    need('cc')
    interpreter, env = python(folder)
    for name, text in (('other', '#include <stddef.h>\nconst char *ptxoffload_version(void) { return "99.1.0"; }\n'),
                       ('none', 'int x;\n')):
        (folder / (name + '.c')).write_text(text)
        ends(run(['cc', '-shared', '-fPIC', name + '.c', '-o', name + '.so'], folder), 0)
    for library, words in ((folder / 'missing.so', ('Install the package libptxoffload', 'PTXOFFLOAD_LIBRARY')),
                           (folder / 'other.so', ('99.1.0', 'the same version')), (folder / 'none.so', ('ptxoffload_version',))):
        said = ends(run([interpreter, '-c', 'import ptxoffload'], folder, env=dict(env, PTXOFFLOAD_LIBRARY=str(library))),
                    1).err.decode().splitlines()[-1]
        assert said.startswith('ImportError: ') and all(word in said for word in words), said


@case
def python_stubs(folder):
    """the stubs have the classes, functions and parameters of the module"""
    got = evaluate(folder, """
import ast, inspect, pathlib
def signature(function):
    return [name for name in inspect.signature(function).parameters]
def stub(node):
    return [one.arg for one in node.args.posonlyargs + node.args.args] + [
        one.arg for one in [node.args.vararg] if one] + [one.arg for one in node.args.kwonlyargs] + [
        one.arg for one in [node.args.kwarg] if one]
wrong = []
def compare(tree, of, where):
    names = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names.add(node.name)
            found = inspect.getattr_static(of, node.name, None)
            found = found.fget if isinstance(found, property) else found
            if not callable(found) or signature(found) != stub(node):
                wrong.append(where + node.name)
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
            if 'NamedTuple' in [getattr(base, 'id', '') for base in node.bases]:
                if list(getattr(of, node.name)._fields) != [one.target.id for one in node.body]:
                    wrong.append(where + node.name)
            else:
                compare(node, getattr(of, node.name), where + node.name + '.')
    wrong.extend(where + name for name, one in vars(of).items()
                 if not name.startswith('_') and (inspect.isfunction(one) or isinstance(one, property))
                 and name not in names and one.__module__ == getattr(of, '__module__', of.__name__) if inspect.isfunction(one))
folder = pathlib.Path(ptxoffload.__file__).parent
assert (folder / 'py.typed').exists()
compare(ast.parse((folder / '__init__.pyi').read_text()), ptxoffload, '')
compare(ast.parse((folder / 'values.pyi').read_text()), ptxoffload.values, 'values.')
print(json.dumps(wrong))""")
    same(got, [])


@case
def notebook(folder):
    """the cells of the notebook run one after the other"""
    document = json.loads((EXAMPLE / 'kernel-to-figure.ipynb').read_text())
    same([document['nbformat'], document['nbformat_minor']], [4, 5])
    same({cell['cell_type'] for cell in document['cells']}, {'markdown', 'code'})
    same(len({cell['id'] for cell in document['cells']}), len(document['cells']))
    same([cell for cell in document['cells'] if cell.get('outputs') or cell.get('execution_count')], [])
    cells = [''.join(cell['source']) for cell in document['cells'] if cell['cell_type'] == 'code']
    got = evaluate(folder, """
import ast
shown, names = [], {}
for text in json.loads(sys.argv[1]):
    tree = ast.parse(text)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, 'cell', 'exec'), names)
    value = eval(compile(last, 'cell', 'eval'), names) if last else None
    shown.append(value._repr_html_() if hasattr(value, '_repr_html_') else repr(value))
print(json.dumps(shown))""", json.dumps(cells))
    assert '<caption>Offload candidates' in got[1] and '<svg' in got[-1] and "'pattern'" in got[2], got
    cycles = ast.literal_eval(got[-3])
    assert dict((row[0], row[1]) for row in cycles)['omni'] < cycles[0][1], cycles


def build_python(interpreter, folder, source, form):
    """The file of a source package ('sdist') or wheel that is built without a network."""
    text = 'import setuptools.build_meta, sys; print(setuptools.build_meta.build_%s(sys.argv[1]))' % form
    name = ends(run([interpreter, '-c', text, folder], source, env=environment()), 0, None, None).out.decode().split()[-1]
    return folder / name


@case
def typed(folder):
    """mypy finds no fault in the type hints, and a program's errors by them"""
    if not shutil.which('mypy'):
        raise Skip('no mypy')
    ends(run(['mypy', '--strict', '--cache-dir', folder / 'cache', 'ptxoffload/__init__.pyi', 'ptxoffload/values.pyi'],
             ROOT / 'python'), 0, None, None)
    (folder / 'use.py').write_text('import ptxoffload\nprogram = ptxoffload.Program("a.ptx")\nreveal_type(program)\n'
                                   'program.no_such_member\n')
    said = run(['mypy', '--strict', '--cache-dir', folder / 'cache', 'use.py'], folder,
               env=environment(MYPYPATH=str(ROOT / 'python'))).out.decode()
    assert 'has no attribute "no_such_member"' in said and 'import' not in said, said


@case
def python_installs(folder):
    """a source package is made of a clean checkout; `pip install` of it alone installs module, header and stubs"""
    interpreter, env = python(folder)
    if subprocess.run([interpreter, '-c', 'import setuptools, wheel, pip'], capture_output=True,
                      check=False).returncode:
        raise Skip('no pip, setuptools or wheel')
    source, alone = folder / 'tree', folder / 'alone'
    for name in ('python', 'include', 'pyproject.toml', 'setup.py', 'MANIFEST.in', 'README.md', 'CHANGELOG.md', 'LICENSE'):
        of = ROOT / name
        (shutil.copytree if of.is_dir() else shutil.copy)(of, (source / name) if of.is_dir() else source)
    package = build_python(interpreter, folder, source, 'sdist')
    shutil.rmtree(source)
    alone.mkdir()
    ends(run(['tar', '-xzf', package, '--strip-components=1'], alone), 0)
    wheel = build_python(interpreter, folder, alone, 'wheel')
    with zipfile.ZipFile(wheel) as packed:
        names = {pathlib.Path(name).name for name in packed.namelist()}
    same({'__init__.py', '__init__.pyi', 'values.py', 'values.pyi', 'show.py', 'py.typed', 'ptxoffload.h', 'models.h', 'LICENSE'} - names,
         set())
    for number, given in enumerate((package, wheel, alone)):
        site = folder / ('site%d' % number)
        ends(run([interpreter, '-m', 'pip', 'install', '--quiet', '--no-build-isolation', '--no-deps',
                  '--no-index', '--target', site, given], folder, env=environment()), 0, None, None)
        env['PYTHONPATH'] = str(site)
        done = ends(run([interpreter, '-c', 'import ptxoffload, importlib.metadata as m; print(ptxoffload.version(), '
                         'ptxoffload.__version__, m.version("ptxoffload"), ptxoffload.__file__)'], folder, env=env), 0)
        words = done.out.decode().split()
        same(len(set(words[:3])), 1)
        assert words[3].startswith(str(site)), words


main()
