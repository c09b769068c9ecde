#!/usr/bin/env python3
"""What nvcc makes of the toolkit's template libraries computes the right answers.

usage: templates.py BUILD-ROOT [--speed]

tests/sim/templates has the sources; nvcc compiles them here, because their PTX is not ours to keep.
The references are Python's own. --speed runs the sorts, sums and choices only and prints thread
instructions per second of CPU time.
"""
import array
import functools
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SOURCES = pathlib.Path(__file__).resolve().parent / 'templates'
CODES = {'<f4': 'f', '<i4': 'i', '<u4': 'I', '|u1': 'B', '|i1': 'b', '<f8': 'd', '<u2': 'H',
         '<i8': 'q', '<u8': 'Q'}
MANY = 1 << 20


def nvcc_program():
    for path in ('nvcc', '/usr/local/cuda/bin/nvcc'):
        found = shutil.which(path)
        if found:
            return found
    raise Skip('there is no nvcc')


COMPILED = tempfile.TemporaryDirectory(prefix='ptxoffload-test-templates-')


@functools.lru_cache(maxsize=None)
def compiled(source, arch, *options):
    """The path of the PTX that nvcc makes of a source, made once."""
    path = os.path.join(COMPILED.name, '-'.join((source, arch) + options).replace('/', '_') + '.ptx')
    done = subprocess.run([nvcc_program(), '-ptx', '-arch=' + arch, *options, '-o', path,
                           SOURCES / (source + '.cu')], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    text = done.stdout.decode()
    if 'Unsupported gpu architecture' in text or 'is not defined for option' in text:
        raise Skip('this nvcc does not know ' + arch)
    if done.returncode and 'cannot open source file' in text:
        raise Skip('a header is missing: ' + text.splitlines()[0])
    assert not done.returncode, text
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


LETTERS = {'u32': 'j', 'u64': 'y', 'f32': 'f', 'f64': 'd', 's32': 'i'}
ITSELF = ['u8:0']  # an object without members is a byte

# Sorting


def radix_sort(folder, arch, kind, count):
    ptx = compiled('sort', arch)
    letter, digits = LETTERS[kind], 8 if kind == 'u64' else 4
    sweep = entry(ptx, 'OnesweepKernel.*policy_hubI' + letter)
    fill = 'range:-1000:1000:3' if kind == 'f32' else 'uniform:3'

    def pass_of(number, to, source):
        return launch(sweep, '(%d + size[3] - 1) / size[3]' % count, 'size[2]',
                      ['look', '&counter[%s]' % number, 0, '&bins[256 * (%s)]' % number, to, source, 0,
                       0, count, '8 * (%s)' % number, 8, ITSELF])

    # Each sweep needs its look-back area anew; a repeat of one round resets it.
    def fresh(one):
        return {'repeat': {'times': 1, 'reset': 'look', 'launches': [one]}}

    both = [fresh(pass_of('2 * p', 'other', 'keys')), fresh(pass_of('2 * p + 1', 'keys', 'other'))]
    launches = [
        launch(entry(ptx, 'sort_sizesI' + letter), 1, 1, ['size']),
        launch(entry(ptx, 'HistogramKernel.*policy_hubI' + letter), 16, 'size[0]',
               ['bins', 'keys', count, 0, 8 * digits, ITSELF]),
        launch(entry(ptx, 'ExclusiveSumKernel.*policy_hubI' + letter), digits, 'size[1]', ['bins']),
        {'repeat': {'times': digits // 2, 'index': 'p', 'launches': both}},
    ]
    buffers = {'keys': buffer(kind, count, fill), 'before': buffer(kind, count, fill),
               'other': buffer(kind, count), 'size': buffer('u32', 5), 'bins': buffer('u32', 256 * digits),
               'counter': buffer('u32', digits), 'look': buffer('u32', count // 4 + 4096)}
    keys, before, size, _ = execute(folder, ptx, buffers, launches, ['keys', 'before', 'size'])
    same(size[4], 8)
    assert len(set(before)) > min(count, 1000) // 2
    assert list(keys) == sorted(before)


for kind in ('u32', 'u64', 'f32'):
    add_case('cub sorts 1 M keys of type ' + kind, radix_sort, 'sm_80', kind, MANY)

# Sums


def close(got, exact, most):
    """got differs from exact by at most so many parts of a magnitude"""
    assert abs(got - exact) <= most, '%r is not %r within %r' % (got, exact, most)


def wrapped(kind, value):
    return value % 2 ** {'u32': 32, 'u64': 64}[kind]


def unit(kind):
    """Half the distance of 1 and the next number."""
    return {'f32': 2.0 ** -24, 'f64': 2.0 ** -53}[kind]


def reduction(folder, arch, kind, count):
    ptx = compiled('sums', arch)
    letter = LETTERS[kind]
    launches = [
        launch(entry(ptx, 'reduce_planI' + letter), 1, 1, ['size', 'share', count, 64]),
        launch(entry(ptx, 'DeviceReduceKernel.*policy_hubI' + letter), 'size[2]', 'size[0]',
               ['data', 'part', count, ['u32:share[%d]' % i for i in range(10)], ITSELF, ITSELF]),
        launch(entry(ptx, 'SingleTile.*policy_hubI' + letter), 1, 'size[1]',
               ['part', 'sum', 'size[2]', ITSELF, 7, ITSELF]),
    ]
    buffers = {'data': buffer(kind, count, 'uniform:5'), 'part': buffer(kind, 64),
               'sum': buffer(kind, 1), 'size': buffer('u32', 3), 'share': buffer('u32', 10)}
    data, total, _ = execute(folder, ptx, buffers, launches, ['data', 'sum'])
    if kind in ('u32', 'u64'):
        same(total[0], wrapped(kind, sum(data) + 7))
    else:
        # Each number goes through some 64 additions of a thread's own and a few between threads.
        exact = math.fsum(data) + 7
        close(total[0], exact, exact * 200 * unit(kind))


def prefix_sums(folder, arch, kind, count):
    ptx = compiled('sums', arch)
    letter = LETTERS[kind]
    state = ['b64:&state[0]']
    launches = [
        launch(entry(ptx, 'scan_planI' + letter), 1, 1, ['size', count]),
        launch(entry(ptx, 'ScanInitKernel.*TileStateI' + letter), '(size[1] + 127) / 128', 128,
               [state, 'size[1]']),
        launch(entry(ptx, 'DeviceScanKernel.*policy_hubI' + letter), 'size[1]', 'size[0]',
               ['data', 'out', state, 0, ITSELF, ITSELF, count]),
    ]
    buffers = {'data': buffer(kind, count, 'uniform:6'), 'out': buffer(kind, count),
               'size': buffer('u32', 2), 'state': buffer('u64', 2 * (count // 128 + 64))}
    data, out, _ = execute(folder, ptx, buffers, launches, ['data', 'out'])
    if kind in ('u32', 'u64'):
        assert list(out) == [wrapped(kind, x) for x in itertools.accumulate(data)]
        return
    # All numbers are multiples of 2⁻⁵³ below 1, so that these integers are exact sums.
    scale = 2 ** 53
    for got, exact in zip(out, itertools.accumulate(int(x * scale) for x in data)):
        if abs(int(got * scale) - exact) > exact * 1000 * unit(kind):
            raise AssertionError('%r is not %r' % (got, exact / scale))


for kind in ('u32', 'u64', 'f32', 'f64'):
    add_case('cub adds up 1 M numbers of type ' + kind, reduction, 'sm_80', kind, MANY)
    add_case('cub computes 1 M prefix sums of type ' + kind, prefix_sums, 'sm_80', kind, MANY)

# Choices


def choice(folder, arch, kind, count, what):
    ptx = compiled('choice', arch)
    letter = LETTERS[kind]
    state = ['b64:&state[0]']
    functor = {'below': '5below', 'unique': '8equal_to'}[what]
    fill = {'below': 'uniform:8', 'unique': 'range:0:4:8'}[what]
    launches = [
        launch(entry(ptx, 'choice_planI' + letter), 1, 1, ['size', count]),
        launch(entry(ptx, 'CompactInitKernel'), '(size[1] + 127) / 128', 128, [state, 'size[1]', 'kept']),
        launch(entry(ptx, 'SelectSweepKernel.*policy_hubI%s.*%s' % (letter, functor)), 'size[1]',
               'size[0]', ['data', 0, 'out', 'kept', state, ['u32:300'] if what == 'below' else ITSELF,
                           ITSELF, count, 'size[1]', ITSELF, ['b64:0']]),
    ]
    buffers = {'data': buffer(kind, count, fill), 'out': buffer(kind, count), 'kept': buffer('s32', 1),
               'size': buffer('u32', 2), 'state': buffer('u64', count // 128 + 64)}
    data, out, kept, _ = execute(folder, ptx, buffers, launches, ['data', 'out', 'kept'])
    if what == 'below':
        expected = [x for x in data if x % 1024 < 300]
    else:
        expected = [x for x, _ in itertools.groupby(data)]
    same(kept[0], len(expected))
    assert list(out[:kept[0]]) == expected


for kind in ('u32', 'u64'):
    add_case('cub chooses among 1 M numbers of type ' + kind, choice, 'sm_80', kind, MANY, 'below')
    add_case('cub keeps one of equal neighbours of type ' + kind, choice, 'sm_80', kind, MANY, 'unique')


def histogram(folder, arch, count):
    ptx = compiled('choice', arch)
    queue = ['b64:&queue[0]']
    launches = [
        launch(entry(ptx, 'histogram_plan'), 1, 1, ['size']),
        launch(entry(ptx, 'HistogramInitKernel'), 1, 256, [['u32:256'], ['b64:&bins[0]'], queue]),
        launch(entry(ptx, 'HistogramSweepKernel'), 8, 'size[0]',
               ['data', ['u32:256'], ['u32:256'], ['b64:&bins[0]'], ['b64:&private[0]'], ITSELF, ITSELF,
                count, 1, count, '(%d + size[1] - 1) / size[1]' % count, queue]),
    ]
    # The lowest of two numbers, so that the bins are not alike.
    buffers = {'data': buffer('u8', count, '= min((i * 2654435761 >> 24) % 256, (i * 40503 >> 8) % 256)'),
               'bins': buffer('u32', 256, 'const:99'), 'private': buffer('u32', 256 * 8),
               'queue': buffer('u32', 8), 'size': buffer('u32', 2)}
    data, bins, _ = execute(folder, ptx, buffers, launches, ['data', 'bins'])
    expected = [0] * 256
    for x in data:
        expected[x] += 1
    same(list(bins), expected)
    assert len(set(expected)) > 50


add_case('cub counts 1 M bytes', histogram, 'sm_80', MANY)

# The language

VARIANTS = [('sm_75',), ('sm_80',), ('sm_90',), ('sm_80', '-O0', '-G')]


def variants(name, function, *arguments):
    for variant in VARIANTS:
        add_case('%s (%s)' % (name, ' '.join(variant)), function, variant, *arguments)


def language(folder, variant, kernel, grid, block, buffers, save, code=0, args=None, **more):
    ptx = compiled('language', *variant)
    return execute(folder, ptx, buffers, [launch(kernel, grid, block, args or list(buffers), **more)],
                   save, code)


def signed(value):
    return (value + 2**31) % 2**32 - 2**31


def objects(folder, variant):
    out, _ = language(folder, variant, 'objects', 5, 96, {'to': buffer('s64', 480)}, ['to'])
    for me in range(480):
        total = 0
        for i in range(4):
            side = me + 1000 * i
            area, corners = ((side * side, 4), (6 * side * side, 8), (-side, 0))[(me + i * i) % 3]
            total = 3 * total + area + corners
        same((me, out[me]), (me, total))


def ackermann(m, n):
    return (n + 1, n + 2, 2 * n + 3)[m]


def recursion(folder, variant):
    out, _ = language(folder, variant, 'recursion', 2, 80, {'to': buffer('u32', 160)}, ['to'])
    same(list(out), [2 * ackermann(me % 3, me % 11) + (me % 2 == 0) for me in range(160)])


PROGRAMS = ('0123', '3210', '2222', '1111', '0303', '2020', '1331', '0021')


def pointers(folder, variant):
    out, _ = language(folder, variant, 'pointers', 3, 64, {'to': buffer('s32', 192)}, ['to'])
    for me in range(192):
        x = me
        for i, operation in enumerate(PROGRAMS[me % 8]):
            y = me + i
            x = signed({'0': x + y, '1': x - y, '2': x * y, '3': x | y}[operation])
        same((me, out[me]), (me, x))


def lambdas(folder, variant):
    out, _ = language(folder, variant, 'lambdas', 1, 100, {'to': buffer('s32', 100)}, ['to'],
                      args=['to', 13])
    same(list(out), [(me * 13 + me) * 13 + me + 13 for me in range(100)])


def rotation(folder, variant):
    data, size, _ = language(folder, variant, 'rotation', 3, 200,
                             {'data': buffer('s32', 600, 'iota'), 'size': buffer('s32', 3)},
                             ['data', 'size'], shared=200 * 4)
    same(list(data), [200 * cta + (i + 50) % 200 for cta in range(3) for i in range(200)])
    same(list(size), [800] * 3)


def talk(folder, variant):
    numbers, result = language(folder, variant, 'talk', 1, 64,
                               {'numbers': buffer('f64', 64, 'range:-9:9')}, ['numbers'])
    lines = ['%d %5.2f|%-8s|%c %x %% %+d %e 0x%x'
             % (me, numbers[me], 'text', ord('a') + me, 0x123456789abc * me, -me, numbers[me],
                0x1000 + me) for me in range(3, 28, 8)]
    same(sorted(result.out.decode('latin-1').splitlines())[:4], sorted(lines))


def claim(folder, variant):
    language(folder, variant, 'claim', 1, 64, {'numbers': buffer('s32', 64, 'iota')}, [])
    result, = language(folder, variant, 'claim', 1, 96, {'numbers': buffer('s32', 96, 'iota')}, [], 5)
    within('numbers[threadIdx.x] < 77', (result.out + result.err).decode())
    within('thread (77, 0, 0)', (result.out + result.err).decode())


def growing(folder, variant):
    out, _ = language(folder, variant, 'growing', 1, 64, {'to': buffer('s32', 64)}, ['to'])
    for me in range(64):
        total = 0
        for i in range(me, -1, -1):
            own = i * i
            total = signed((total + own, total ^ own << 1, total - own, total + 3 * own, total | own,
                            total & ~own, total ^ 0x5555, -total, total + 7)[i % 9])
        same((me, out[me]), (me, total))


def assembly(folder, variant):
    start, out, _ = language(folder, variant, 'assembly', 1, 64,
                             {'from': buffer('u32', 128, 'uniform:4'), 'to': buffer('u32', 512)},
                             ['from', 'to'])
    for me in range(64):
        x, y = start[2 * me], start[2 * me + 1]
        low, high = x * y % 2**32, x * y >> 32
        wide = low * y + 1 + (high << 64)
        expected = [wide % 2**32, (wide >> 32) % 2**32, wide >> 64,
                    int.from_bytes(x.to_bytes(4, 'little'), 'big'),
                    (y << 32 | x) << 13 >> 32 & 0xffffffff, x.bit_length() - 1, x ^ y ^ 0x0ff0f00f,
                    min(x + y, 2**32 - 1)]
        same(list(out[8 * me:8 * me + 8]), expected)


for name, function in (('virtual functions and objects on the heap', objects),
                       ('recursion to different depths', recursion),
                       ('a table of functions', pointers), ('lambdas', lambdas),
                       ('dynamic shared memory', rotation), ('printf', talk), ('assert', claim),
                       ('alloca and a switch', growing), ('assembly', assembly)):
    variants(name, function)

main()
