#!/usr/bin/env python3
"""What nvcc makes of the toolkit's template libraries computes the right answers.

usage: templates.py BUILD-ROOT [--speed]

tests/sim/templates has the sources; nvcc compiles them here, because their PTX is not ours to keep.
The references are Python's own. --speed runs the sorts, sums and choices only and prints thread
instructions per second of CPU time.
"""
import array
import ctypes
import fractions
import functools
import itertools
import json
import math
import os
import pathlib
import random
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


# Several builds can share what nvcc has made for the first of them.
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

# Blocks

# Small numbers, so that sums of any order are exact in all types.
SMALL = 'range:-1000:1000:7'


def whole(kind):
    return '= (i * 7919 + (i >> 4) * 104729) % 2001 - 1000' if kind == 'f64' else SMALL


def block_sorts(folder, variant, kind):
    ptx = compiled('blocks', *variant)
    start, out, _ = execute(folder, ptx, {'from': buffer(kind, 2048, SMALL), 'to': buffer(kind, 2048)},
                            [launch(entry(ptx, '6sortedI' + SIGNED[kind]), 4, 128, ['from', 'to'])],
                            ['from', 'to'])
    for cta in range(4):
        part = slice(512 * cta, 512 * cta + 512)
        same(list(out[part]), sorted(start[part], reverse=cta % 2 == 1))


def block_sums(folder, variant, kind):
    ptx = compiled('blocks', *variant)
    start, out, total, _ = execute(
        folder, ptx, {'from': buffer(kind, 2048, whole(kind)), 'to': buffer(kind, 2048),
                      'total': buffer(kind, 4 * 129)},
        [launch(entry(ptx, '6summedI' + SIGNED[kind]), 4, 128, ['from', 'to', 'total'])],
        ['from', 'to', 'total'])
    assert len(set(start)) > 500
    for cta in range(4):
        mine = list(start[512 * cta:512 * cta + 512])
        same(list(out[512 * cta:512 * cta + 512]), [0] + list(itertools.accumulate(mine))[:-1])
        firsts = mine[::4]
        expected = [sum(firsts[i // 16 * 16:i + 1]) for i in range(128)] + [sum(mine)]
        same(list(total[129 * cta:129 * cta + 129]), expected)


SIGNED = {'s32': 'i', 's64': 'x', 'f64': 'd'}
for variant in (('sm_75',), ('sm_90',), ('sm_80', '-G')):
    for kind in SIGNED:
        add_case('blocks sort type %s (%s)' % (kind, ' '.join(variant)), block_sorts, variant, kind)
        add_case('blocks add up type %s (%s)' % (kind, ' '.join(variant)), block_sums, variant, kind)

# The language

VARIANTS = [('sm_75',), ('sm_90',), ('sm_80', '-O0', '-G')]


# What the headers of other architectures choose for the same algorithms
for arch in ('sm_75', 'sm_90'):
    for function, kind, more in ((radix_sort, 'u32', ()), (radix_sort, 'u64', ()),
                                 (reduction, 'f32', ()), (prefix_sums, 'u64', ()),
                                 (choice, 'u32', ('below',))):
        add_case('cub on %s: %s of 100000 of type %s' % (arch, function.__name__, kind), function,
                 arch, kind, 100000, *more)
    add_case('cub on %s: histogram of 100000' % arch, histogram, arch, 100000)


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

# Groups, atomics, barriers

ARCHITECTURES = ('sm_75', 'sm_90')


def groups(folder, arch, kernel, grid, block, buffers, save):
    ptx = compiled('groups', arch)
    return execute(folder, ptx, buffers, [launch(entry(ptx, kernel), grid, block, list(buffers))], save)


def tiles(folder, arch):
    for size in (2, 8, 32):
        start, out, _ = groups(folder, arch, 'tilesILi%dE' % size, 2, 96,
                               {'from': buffer('s32', 192, 'range:0:1000:%d' % size),
                                'to': buffer('s32', 192 * 6)}, ['from', 'to'])
        for me in range(192):
            rank, number = me % size, me % 96 // size
            tile = start[me - rank:me - rank + size]
            ballot = signed(sum(1 << i for i in range(size) if tile[i] % 3 == 0))
            flags = (any(x % 50 == 0 for x in tile) + 2 * all(x < 900 for x in tile) + 4 * number)
            same(list(out[6 * me:6 * me + 6]),
                 [sum(tile), sum(tile[:rank]), max(tile[:rank + 1]), tile[size - 1 - rank], ballot,
                  flags])


def coalesced(folder, arch):
    start, count, out, ranks, _ = groups(
        folder, arch, 'coalesced', 3, 96,
        {'from': buffer('s32', 288, 'range:0:1000:2'), 'count': buffer('s32', 1),
         'to': buffer('s32', 288), 'ranks': buffer('s32', 288)}, ['from', 'count', 'to', 'ranks'])
    chosen = [x for x in start if x % 3 == 1]
    same(count[0], len(chosen))
    same(sorted(out[:count[0]]), sorted(chosen))
    for me in range(288):
        warp = start[me // 32 * 32:me // 32 * 32 + 32]
        alike = sum(x % 3 == 1 and x % 4 == start[me] % 4 for x in warp)
        same(ranks[me], 1000 * alike + 2**alike - 1 if start[me] % 3 == 1 else 0)


def atomics(folder, arch):
    start, total, real, most, _ = groups(
        folder, arch, 'atomics', 4, 256,
        {'from': buffer('s32', 1024, 'range:0:100000'), 'sum': buffer('s32', 2),
         'real': buffer('f64', 1), 'most': buffer('u64', 1)}, ['from', 'sum', 'real', 'most'])
    parity = functools.reduce(lambda x, y: x ^ y * 77, start, 0)
    same((list(total), real[0], most[0]),
         ([sum(start), parity], sum(start) / 2, max(start) * 1000000007))


def locked(folder, arch):
    numbers, _ = groups(folder, arch, 'locked', 5, 70,
                        {'lock': buffer('s32', 1), 'numbers': buffer('s32', 3)}, ['numbers'])
    same(list(numbers), [350, 699, 350])


def barriers(folder, arch):
    out, _ = groups(folder, arch, 'barriers', 3, 96, {'to': buffer('s32', 288)}, ['to'])
    expected = []
    for cta in range(3):
        numbers = [cta + i for i in range(96)]
        for number in range(5):
            total = sum(numbers)
            numbers = [total % 1009 + i * number ^ number for i in range(96)]
        expected += numbers
    same(list(out), expected)


def permits(folder, arch):
    out, _ = groups(folder, arch, 'permits', 1, 64, {'to': buffer('s32', 2)}, ['to'])
    assert 1 <= out[0] <= 3 and out[1] == 0, out


def whole_grid(folder, arch):
    data, _ = groups(folder, arch, 'whole_grid', 7, 64,
                     {'data': buffer('s32', 448, 'iota'), 'arrived': buffer('u32', 1)}, ['data'])
    expected = list(range(448))
    for _ in range(4):
        expected = [expected[i] + expected[(i + 64) % 448] for i in range(448)]
    same(list(data), expected)


def not_cooperative(folder, arch):
    ptx = compiled('groups', arch)
    result, = execute(folder, ptx, {'data': buffer('s32', 128)},
                      [launch('grid_group', 2, 64, ['data'])], [], 5)
    within('the kernel trapped', result.err.decode())


def cooperative(folder, arch):
    for options in ((), ('-rdc=true',)):
        ptx = compiled('groups', arch, *options)
        data, _ = execute(folder, ptx, {'data': buffer('s32', 768, 'iota')},
                          [launch('grid_group', [3, 2, 2], [32, 2], ['data'], cooperative=True)],
                          ['data'])
        same(list(data), [i + (i + 32) % 768 for i in range(768)])


def grid_sums(folder, arch):
    """several barriers each round; twice, so that the second launch finds a fresh counter"""
    ptx, grid, block = compiled('groups', arch), [3, 2, 3], [16, 3, 1]
    step = launch('grid_sums', grid, block, ['data', 'sums', 3], cooperative=True)
    numbers = list(range(18 * 48))
    data, sums, result = execute(folder, ptx, {'data': buffer('u32', len(numbers), 'iota'),
                                               'sums': buffer('u32', 3)}, [step, step],
                                 ['data', 'sums'], 0, ['--check=race'])
    same(result.err, b'')
    for _ in range(2):
        expected = []
        for _ in range(3):
            expected.append(sum(numbers) % 2**32)
            numbers = [(x * 5 + expected[-1] + i // 48 * 3) % 2**32 for i, x in enumerate(numbers)]
    same((list(sums), list(data)), (expected, numbers))


for name, function in (('tiles of a block', tiles), ('groups of lanes that came along', coalesced),
                       ('atomics of libcu++', atomics), ('a lock of libcu++', locked),
                       ('barriers of libcu++', barriers), ('semaphores of libcu++', permits),
                       ('a barrier of the grid', whole_grid),
                       ('grid.sync() in a launch that is not cooperative', not_cooperative),
                       ('grid.sync() in a cooperative launch', cooperative),
                       ('sums over a cooperative grid', grid_sums)):
    for arch in ARCHITECTURES:
        add_case('%s (%s)' % (name, arch), function, arch)

# Mathematics

# The most that a result may be wrong, in units in the last place, for f64 and f32, from the CUDA
# programming guide's tables; where x and y are taken from.
FUNCTIONS = {
    'sine': ('sin', 2, 2, (-1e3, 1e3), None), 'cosine': ('cos', 2, 2, (-1e3, 1e3), None),
    'tangent': ('tan', 2, 4, (-1e3, 1e3), None), 'arc_sine': ('asin', 2, 2, (-1, 1), None),
    'arc_tangent': ('atan', 2, 2, (-50, 50), None),
    'arc_tangent_two': ('atan2', 2, 3, (-9, 9), (-9, 9)),
    'hyperbolic_sine': ('sinh', 2, 3, (-80, 80), None),
    'hyperbolic_tangent': ('tanh', 1, 2, (-5, 5), None),
    'exponential': ('exp', 1, 2, (-100, 100), None),
    'exponential_less_one': ('expm1', 1, 1, (-3, 3), None),
    'logarithm': ('log', 1, 1, (0, 100), None), 'logarithm_of_more': ('log1p', 1, 1, (-1, 5), None),
    'logarithm_two': ('log2', 1, 1, (0, 9), None), 'power': ('pow', 2, 4, (0, 20), (-20, 20)),
    'cube_root': ('cbrt', 1, 1, (-1e4, 1e4), None), 'error_function': ('erf', 2, 2, (-4, 4), None),
    'error_rest': ('erfc', 5, 4, (-3, 9), None), 'gamma_function': ('tgamma', 10, 5, (0, 33), None),
    'gamma_logarithm': ('lgamma', 4, 6, (0, 200), None),
    'hypotenuse': ('hypot', 2, 3, (-1e5, 1e5), (-1e5, 1e5)),
    'remainder_of': ('fmod', 0, 0, (-1e6, 1e6), (-7, 7)),
    'quotient': (None, 0, 0, (-1e6, 1e6), (-7, 7)), 'square_root': ('sqrt', 0, 0, (0, 1e6), None),
    'nearest': ('rint', 0, 0, (-20, 20), None), 'downwards': ('floor', 0, 0, (-20, 20), None),
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-30, -1e-40, 1e5, 3e38, -1e37, 1e300, 5e-324,
           1e-310, math.inf, -math.inf, math.nan)
# Digits behind the point, least exponent, what is too large for a number.
FORMATS = {'f64': (52, -1022, math.inf), 'f32': (23, -126, 2.0**128)}


def reference(name):
    if not name:
        return lambda x, y: x / y if y else math.nan if math.isnan(x) or not x else math.copysign(
            math.inf, x) * math.copysign(1, y)
    library = ctypes.CDLL('libm.so.6')
    function = getattr(library, name)
    two = name in ('atan2', 'pow', 'hypot', 'fmod')
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * (1 + two)
    return function if two else lambda x, y: function(x)


def write_npy(path, code, values):
    header = repr({'descr': code, 'fortran_order': False, 'shape': (len(values),)}) + '\n'
    data = struct.pack('<%d%s' % (len(values), CODES[code]), *values)
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data)


def too_far(kind, got, exact, most):
    """Is got further away from exact than so many units in exact's last place?"""
    digits, least, beyond = FORMATS[kind]
    if math.isnan(exact):
        return not math.isnan(got)
    if abs(exact) >= beyond:
        return got != math.copysign(math.inf, exact)
    if not exact:
        return got != 0 or math.copysign(1, got) != math.copysign(1, exact)
    if math.isinf(got):  # right if exact is so near
        got = math.copysign(beyond, got)
    exponent = max(math.frexp(exact)[1] - 1, least)
    # A result of f32 is compared with one that is not rounded, one of f64 with libm's, which is wrong
    # by less than a unit itself.
    return abs(got - exact) / math.ldexp(1.0, exponent - digits) > most + \
        (0.5 if kind == 'f32' else most > 0)


def mathematics(folder, kernel):
    name, wide, narrow, x_range, y_range = FUNCTIONS[kernel]
    ptx, function = compiled('maths', 'sm_80'), reference(name)
    random_numbers = random.Random(kernel)
    for kind, code, most in (('f64', '<f8', wide), ('f32', '<f4', narrow)):
        pairs = [(random_numbers.uniform(*x_range), random_numbers.uniform(*(y_range or (1, 2))))
                 for _ in range(3200)]
        pairs += [(x, y) for x in SPECIAL for y in (SPECIAL if y_range else (1.0,))]
        pairs = [pair for pair in pairs if kind == 'f64' or all(
            not math.isfinite(x) or abs(x) < FORMATS['f32'][2] for x in pair)]
        if name == 'lgamma':  # between its zeros the guide promises nothing
            pairs = [pair for pair in pairs if not -12 < pair[0] < -2.2]
        pairs += [(1.0, 1.0)] * (-len(pairs) % 64)
        columns = [array.array(CODES[code], column) for column in zip(*pairs)]
        for column, file in zip(columns, ('x.npy', 'y.npy')):
            write_npy(folder / file, code, column)
        buffers = {'x': {'fill': 'x.npy'}, 'y': {'fill': 'y.npy'}, 'to': buffer(kind, len(pairs))}
        out, _ = execute(folder, ptx, buffers, [launch('%s_%s' % (kernel, kind), len(pairs) // 64, 64,
                                                       ['x', 'y', 'to'])], ['to'])
        wrong = [(x, y, got, function(x, y)) for x, y, got in zip(*columns, out)
                 if too_far(kind, got, function(x, y), most)]
        assert not wrong, '%s: %d wrong: %r' % (kind, len(wrong), wrong[:8])


for kernel in FUNCTIONS:
    add_case('mathematics: ' + kernel.replace('_', ' '), mathematics, kernel)

# Half precision


def bits_of(text):
    """value -> bits, bits -> value of a format of 16 bits with so many digits behind the point"""
    digits, bias = {'half': (10, 15), 'bfloat': (7, 127)}[text]
    top = 2 * bias + 1

    def value(bits):
        exponent, rest = bits >> digits & top, bits & (1 << digits) - 1
        if exponent == top:
            return math.nan if rest else math.copysign(math.inf, -1 if bits >> 15 else 1)
        size = math.ldexp(rest + (exponent > 0) * 2**digits, max(exponent, 1) - bias - digits)
        return -size if bits >> 15 else size

    def bits(exact, negative):
        """of a fraction; the sign of zero is told"""
        if not exact:
            return 0x8000 * negative
        size, sign = abs(exact), 0x8000 * (exact < 0)
        exponent = max(math.frexp(float(size))[1] - 1, 1 - bias)
        scaled = size / fractions.Fraction(2) ** (exponent - digits)
        whole = round(scaled)  # halves to even
        return sign | min(whole + (exponent + bias - 1 << digits), top << digits)

    return value, bits


def narrow_add(a, b):
    """None: not a number"""
    if math.isfinite(a) and math.isfinite(b):
        return (fractions.Fraction(a) + fractions.Fraction(b),
                math.copysign(1, a) < 0 and math.copysign(1, b) < 0)
    return a + b


def narrow_multiply(a, b):
    if math.isfinite(a) and math.isfinite(b):
        return fractions.Fraction(a) * fractions.Fraction(b), math.copysign(1, a) != math.copysign(1, b)
    return a * b


def narrow_fma(a, b):
    product = narrow_multiply(a, b)
    return (product[0] + 1, False) if isinstance(product, tuple) else product + 1


def narrow(folder, arch, text):
    ptx, count = compiled('narrow', arch), 16384
    value, bits = bits_of(text)
    infinity = {'half': 0x7c00, 'bfloat': 0x7f80}[text]
    x, y, out, wide, _ = execute(
        folder, ptx, {'x': buffer('u16', count, '= 4 * i + i % 4'),
                      'y': buffer('u16', count, '= i * 40503 % 65536'),
                      'to': buffer('u16', 8 * count), 'wide': buffer('f32', 2 * count)},
        [launch(text + '_numbers', count // 256, 256, ['x', 'y', 'to', 'wide'])],
        ['x', 'y', 'to', 'wide'])

    def coded(result):
        if isinstance(result, tuple):
            return bits(*result)
        return None if math.isnan(result) else infinity | 0x8000 * (result < 0)

    def number(code):
        return None if code & 0x7fff > infinity else code

    for i in range(count):
        a, b = value(x[i]), value(y[i])
        greater = number(y[i]) if math.isnan(a) else number(x[i]) if math.isnan(b) or a > b else y[i]
        total = coded(narrow_add(a, b))
        expected = [total, coded(narrow_multiply(a, b)), coded(narrow_fma(a, b)), greater,
                    number(x[i] ^ 0x8000), total, coded(narrow_add(a, -b)), number(x[i] & 0x7fff)]
        got = [number(code) for code in out[8 * i:8 * i + 8]]
        if a == b == 0:
            got[3] = expected[3] = 0
        same((hex(x[i]), hex(y[i]), got), (hex(x[i]), hex(y[i]), expected))
        assert wide[2 * i] == a or math.isnan(wide[2 * i]) and math.isnan(a)
        same(wide[2 * i + 1], 1 if a < b else 2 if a == b else 3)


for arch in ('sm_80', 'sm_90'):
    for text in ('half', 'bfloat'):
        add_case('%s precision (%s)' % (text, arch), narrow, arch, text)

main()
