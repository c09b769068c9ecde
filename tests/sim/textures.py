#!/usr/bin/env python3
"""Textures of run files and command lines: what nvcc makes of texture objects, and what the CUDA
programming guide says is fetched (textures/reference.c).

usage: textures.py BUILD-ROOT REFERENCE
"""
import array
import itertools
import json
import os
import pathlib
import random
import struct
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD, REFERENCE = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
PTX = pathlib.Path(__file__).resolve().parent / 'textures' / 'textures.ptx'
CODES = {'f32': 'f', 'u8': 'B', 's8': 'b', 'u16': 'H', 's16': 'h', 'u32': 'I', 's32': 'i'}
MANY = 512


def simulate(folder, text, code=0, options=()):
    (folder / 'run.yaml').write_text('program: %s\n%s' % (PTX, text))
    return ends(run([PROGRAM, '--functional', 'run.yaml', *options], folder), code)


def saved(path, kind):
    data = path.read_bytes()
    length = struct.unpack('<H', data[8:10])[0]
    return array.array(CODES[kind], data[10 + length:])


def floats(values):
    return array.array('f', values)


def fetched(texels, points, *words):
    """what the reference takes out of these texels"""
    command = [str(REFERENCE), *map(str, words)]
    done = subprocess.run(command, input=texels.tobytes() + points.tobytes(), check=True,
                          stdout=subprocess.PIPE)
    return floats(struct.unpack('<%df' % (len(done.stdout) // 4), done.stdout))


def compare(got, expected, points):
    # Bits, so that -0 and NaN count as what they are.
    for i, (x, y) in enumerate(zip(got, expected)):
        if struct.pack('f', x) != struct.pack('f', y):
            raise AssertionError('value %d of %d: %r, not %r; points %r' % (
                i, len(expected), x, y, list(points[:8])))
    same(len(got), len(expected))


def some_points(seed, count, size, normalized):
    """in and around a texture: on texels, between them, halfway, anywhere"""
    drawn, points = random.Random(seed), []
    for i in range(count):
        for n in size:
            at = drawn.randrange(-2 * n, 3 * n) + (0, 0.5, drawn.random(), drawn.randrange(256) / 256,
                                                   drawn.randrange(512) / 512)[i % 5]
            points.append(at / n if normalized else at)
    return floats(points)


def normal(kind, values):
    """integers as numbers from 0 or -1 to 1"""
    most = {'u8': 255, 's8': 127, 'u16': 65535, 's16': 32767}[kind]
    return floats(max(value / most, -1) for value in values)


# Every filter, address mode and kind of coordinates

def texel_values(kind, count, seed):
    drawn = random.Random(seed)
    if kind == 'f32':
        return array.array('f', (drawn.randrange(-1 << 12, 1 << 12) / 64 for _ in range(count)))
    bits = 8 * array.array(CODES[kind]).itemsize
    least = -1 << bits - 1 if kind[0] == 's' else 0
    return array.array(CODES[kind], (drawn.randrange(least, least + (1 << bits)) for _ in range(count)))


def filtered(folder, kernel, kind, channels, size, x, y, coordinates, filter):
    width, height = size
    texels = texel_values(kind, width * max(height, 1) * channels, kernel)
    points = some_points(x + y + filter, MANY, size if height else (width,), coordinates == 'normalized')
    (folder / 'texels.raw').write_bytes(texels.tobytes())
    (folder / 'points.raw').write_bytes(points.tobytes())
    each = 4 if kernel in ('colours', 'around') else 1
    simulate(folder, '''
buffers:
  texels: {type: %s, count: %d, fill: "raw:texels.raw"}
  points: {type: f32, count: %d, fill: "raw:points.raw"}
  to: {type: f32, count: %d, save: to.npy}
textures:
  image: {buffer: texels, channels: %d, width: %d, %s address: %s, filter: %s, coordinates: %s,
          read: %s}
launches:
- {kernel: %s, grid: 4, block: 128, args: [image, points, to, %d]}
''' % (kind, len(texels), len(points), each * MANY, channels, width,
       'height: %d,' % height if height else '', '[%s, %s]' % (x, y) if height else x,
       'point' if filter == 'gather' else filter, coordinates,
       'element' if kind == 'f32' else 'normalized-float', kernel, MANY))
    values = texels if kind == 'f32' else normal(kind, texels)
    compare(saved(folder / 'to.npy', 'f32'),
            fetched(values, points, width, height, channels, x, y, coordinates, filter), points)


MODES = {'texels': ('clamp', 'border'), 'normalized': ('clamp', 'border', 'wrap', 'mirror')}
for kernel, kind, channels, size, filters in (('line', 'f32', 1, (37, 0), ('point', 'linear')),
                                              ('grey', 'f32', 1, (13, 9), ('point', 'linear')),
                                              ('grey', 'u16', 1, (8, 16), ('linear',)),
                                              ('colours', 'f32', 4, (7, 5), ('point', 'linear')),
                                              ('colours', 'u8', 4, (5, 12), ('linear',)),
                                              ('colours', 's8', 4, (6, 3), ('point', 'linear')),
                                              ('around', 'u8', 4, (9, 5), ('gather',))):
    for coordinates, filter in itertools.product(MODES, filters):
        for x in MODES[coordinates]:
            y = MODES[coordinates][(MODES[coordinates].index(x) + 1) % len(MODES[coordinates])]
            y = y if size[1] else 'clamp'
            add_case('%s of %s, %s, %s, %s %s' % (kernel, kind, filter, coordinates, x, y), filtered,
                     kernel, kind, channels, size, x, y, coordinates, filter)

# The rest


@case
def linear_memory(folder):
    """texels of linear memory by their numbers; outside is the edge, or the border"""
    for address, outside in (('clamp', (100, 199)), ('border, border: 7.5', (7.5, 7.5))):
        simulate(folder, '''
buffers:
  table: {type: f32, count: 100, fill: "= i + 100"}
  from: {type: s32, count: 128, fill: "= i * 3 - 40"}
  to: {type: f32, count: 128, save: to.npy}
textures: {table_texture: {buffer: table, address: %s}}
launches:
- {kernel: lookup, grid: 1, block: 128, args: {lookup_param_0: table_texture, lookup_param_1: from,
   lookup_param_2: to, lookup_param_3: 128}}
''' % address)
        expected = [at + 100 if 0 <= at < 100 else outside[at >= 100] for at in range(-40, 344, 3)]
        same(list(saved(folder / 'to.npy', 'f32')), expected)


@case
def whole_numbers(folder):
    """texels as they are, in rows with a pitch, out of a part of the buffer"""
    simulate(folder, '''
buffers:
  texels: {type: u8, count: 64 * 6, fill: "= i % 251"}
  points: {type: f32, count: 80, fill: "= (i % 2 ? i / 2 / 8 : i / 2 % 8) + 0.5"}
  to: {type: u32, count: 40, save: to.npy}
textures: {image: {buffer: texels, channels: 4, width: 8, height: 5, pitch: 64}}
launches: [{kernel: pixels, grid: 1, block: 64, args: [image, points, to, 40]}]
''')
    texels = bytes(i % 251 for i in range(64 * 6))
    expected = [texels[64 * y + 4 * x:64 * y + 4 * x + 4] for y in range(5) for x in range(8)]
    same(saved(folder / 'to.npy', 'u32').tobytes(), b''.join(expected))


HANDLES = '''
buffers:
  a: {type: f32, count: 35, fill: "uniform:1"}
  b: {type: f32, count: 35, fill: "uniform:2"}
  points: {type: f32, count: 128, fill: "range:-1:2:3", save: points.npy}
  handles: {type: u64, count: 3, fill: "= i == 1 ? second : first"}
  to: {type: f32, count: 64, save: to.npy}
  a_copy: {type: f32, count: 35, fill: "uniform:1", save: a.npy}
  b_copy: {type: f32, count: 35, fill: "uniform:2", save: b.npy}
textures:
  first: {buffer: a, width: 7, height: 5, coordinates: normalized, address: wrap, filter: linear}
  second: {buffer: b, width: 5, height: 7, coordinates: normalized, address: [mirror, clamp]}
launches: [%s]
'''


def handles(folder, launch):
    simulate(folder, HANDLES % launch)
    points = saved(folder / 'points.npy', 'f32')
    first = fetched(saved(folder / 'a.npy', 'f32'), points, 7, 5, 1, 'wrap', 'wrap', 'normalized',
                    'linear')
    second = fetched(saved(folder / 'b.npy', 'f32'), points, 5, 7, 1, 'mirror', 'clamp', 'normalized',
                     'point')
    return first, second, saved(folder / 'to.npy', 'f32'), points


@case
def in_structures(folder):
    """handles in a structure that is an argument"""
    first, second, got, points = handles(
        folder, '{kernel: blend, grid: 2, block: 32, args: [["u64:first", "u64:second", "f32:0.25", '
        '"f32:2"], points, to, 64]}')
    # 0 + 0.25 a, then an fma
    expected = floats(x / 4 + 2 * y for x, y in zip(first, second))
    compare(got, expected, points)


@case
def in_memory(folder):
    """handles in a buffer"""
    first, second, got, points = handles(
        folder, '{kernel: choose, grid: 1, block: 64, args: [handles, 3, points, to, 64]}')
    compare(got, [second[i] if i % 3 == 1 else first[i] for i in range(64)], points)


@case
def several_launches(folder):
    """a texture shows what a launch before has written to its buffer"""
    simulate(folder, '''
buffers:
  a: {type: f32, count: 16, fill: iota}
  b: {type: f32, count: 16, save: b.npy}
textures:
  from_a: {buffer: a, width: 4, height: 4, coordinates: normalized, filter: linear}
  from_b: {buffer: b, width: 4, height: 4, coordinates: normalized, filter: linear, address: border}
launches:
- repeat:
    times: 2
    launches:
    - {kernel: scale, grid: 1, block: [4, 4], args: [from_a, b, 4, 4]}
    - {kernel: scale, grid: 1, block: [4, 4], args: [from_b, a, 4, 4]}
expect:
- {buffer: a, fill: iota}
- {buffer: b, fill: iota}
''')


@case
def command_line(folder):
    """a texture as --arg, its buffer by --save"""
    ends(run([PROGRAM, '--functional', PTX, '--kernel', 'scale', '--grid', '1', '--block', '6,5', '--arg',
              'tex:f32:3,5:linear,normalized,mirror:= i * i', '--arg', 'buf:f32:30:zero', '--arg', '6',
              '--arg', '5', '--save', '0=texels.npy', '--save', '1=to.npy'], folder), 0, '', '')
    texels = saved(folder / 'texels.npy', 'f32')
    same(list(texels), [i * i for i in range(15)])
    points = floats(c for j in range(5) for i in range(6)
                    for c in (floats([(i + 0.5) / 6])[0], floats([(j + 0.5) / 5])[0]))
    compare(saved(folder / 'to.npy', 'f32'),
            fetched(texels, points, 3, 5, 1, 'mirror', 'mirror', 'normalized', 'linear'), points)


@case
def rows_in_a_line(folder):
    """a filtered texture whose rows share lines ends by cycles too, with the same values"""
    shape = [PTX, '--kernel', 'scale', '--grid', '1', '--block', '16,8', '--arg',
             'tex:f32:16,8:linear,normalized,clamp:iota', '--arg', 'buf:f32:128:zero', '--arg', '16',
             '--arg', '8']
    for name, mode in ('values', ['--functional']), ('cycles', []):
        ends(run([PROGRAM, *shape, '--save', '1=%s.npy' % name, *mode], folder), 0, '', '')
    same(saved(folder / 'cycles.npy', 'f32'), saved(folder / 'values.npy', 'f32'))


@case
def cache_of_textures(folder):
    """a texture cache with a longer latency, fewer lines or fewer MSHRs takes longer"""
    def cycles(*settings):
        ends(run([PROGRAM, PTX, '--kernel', 'scale', '--grid', '128', '--block', '16,8', '--arg',
                  'tex:f32:64,8:linear,normalized,clamp:iota', '--arg', 'buf:f32:16384:zero', '--arg',
                  '2048', '--arg', '8', '--set=memory.cores=2', '--json=out.json', *settings], folder),
             0, '', '')
        return json.loads((folder / 'out.json').read_text())['total']['cycles']
    plain, one_way = cycles(), cycles('--set=texture_cache.ways=1')
    assert plain < one_way < cycles('--set=texture_cache.ways=1', '--set=texture_cache.sets=1')
    assert plain < cycles('--set=texture_cache.latency=500')
    assert plain < cycles('--set=texture_cache.mshrs=1')


WRONG = '''
buffers:
  texels: {type: f32, count: 16}
  to: {type: f32, count: 16}
textures: {image: {buffer: texels, width: 4, height: 4, coordinates: normalized}}
launches: [{kernel: scale, grid: 1, block: [4, 4], args: [%s, to, 4, 4]}]
'''


@case
def wrong_handles(folder):
    """a handle of no texture ends the run, with kernel, thread and line"""
    line = next(i for i, text in enumerate(PTX.read_text().splitlines(), 1)
                if 'tex.2d' in text and i > PTX.read_text().split('.entry scale(')[0].count('\n'))
    for argument, more in (('0', b'0x0: '), ('u64:77', b'0x4d: '),
                           ('"&texels[2]"', b"note: the address is 8 bytes into 'texels' (64 bytes)")):
        result = simulate(folder, WRONG % argument, 5, ['--json=-'])
        within(b'textures.ptx:%d:2: error: no texture is bound to the handle ' % line, result.err)
        within(b"kernel 'scale', launch 1, CTA (0, 0, 0), thread (0, 0, 0) [fault]", result.err)
        within(more, result.err)
        within(b'"kernel": "scale"', result.out)
    for argument, more in (('image + 1', b'which cannot be an operand'),
                           ('-image', b'which cannot be an operand'),
                           ('min(4, image)', b'which cannot be an operand'),
                           ('image[0]', b"'image' is not a buffer"), ('u32:image', b'is a u64 of 8 bytes, but a u32 has 4'),
                           ('f64:image', b"'scale_param_0' is a u64, but this is a f64")):
        within(more, simulate(folder, WRONG % ('"%s"' % argument), 1).err)


@case
def never_written(folder):
    """--check=uninit sees texels that nobody has written, --check=race those that are written too"""
    result = simulate(folder, WRONG % 'image', 3, ['--check=uninit'])
    within(b'reads bytes that were never written', result.err)
    within(b"bytes into 'texels'", result.err)
    filled = WRONG.replace('count: 16}\n  to', 'count: 16, fill: zero}\n  to') % 'image'
    same(simulate(folder, filled, 0, ['--check=uninit,race']).err, b'')
    # Each thread writes the texel in which it is, and reads those around.
    over = filled.replace('image, to', 'image, texels').replace('normalized', 'normalized, filter: linear')
    over = over.replace('width: 4, height: 4', 'width: 2, height: 8')
    within(b'is in a race', simulate(folder, over, 3, ['--check=race']).err)


main()
