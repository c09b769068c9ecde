#!/usr/bin/env python3
"""The language of CUDA, and groups, atomics and barriers of its libraries, compute the right answers.

usage: templates_language.py BUILD-ROOT

tests/sim/templates has the sources; nvcc compiles them in the test.
"""
import functools
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, main, same, within
from template_kernels import buffer, compiled, entry, execute, launch

# The language

VARIANTS = [('sm_75',), ('sm_90',), ('sm_80', '-O0', '-G')]


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

main()
