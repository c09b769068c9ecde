#!/usr/bin/env python3
"""Algorithms of the toolkit's library cub compute the right answers: sorts, sums, choices, blocks.

usage: templates_cub.py BUILD-ROOT [--speed]

--speed prints thread instructions per second of CPU time.
"""
import itertools
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, main, same
from template_kernels import ITSELF, buffer, compiled, entry, execute, launch

LETTERS = {'u32': 'j', 'u64': 'y', 'f32': 'f', 'f64': 'd', 's32': 'i'}
MANY = 1 << 20

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
    """got differs from exact by at most `most`"""
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

# Other architectures, for which the headers choose other algorithms

for arch in ('sm_75', 'sm_90'):
    for function, kind, more in ((radix_sort, 'u32', ()), (radix_sort, 'u64', ()),
                                 (reduction, 'f32', ()), (prefix_sums, 'u64', ()),
                                 (choice, 'u32', ('below',))):
        add_case('cub on %s: %s of 100000 of type %s' % (arch, function.__name__, kind), function,
                 arch, kind, 100000, *more)
    add_case('cub on %s: histogram of 100000' % arch, histogram, arch, 100000)

main()
