#!/usr/bin/env python3
"""Machines beside curves that were measured on hardware: bandwidth over resident threads and over sizes, latency over sizes.

usage: curves.py BUILD-ROOT [--store=FILE] [--every=N] [--curve=WORD]... [--jobs=N] [--again]
       curves.py BUILD-ROOT --markdown=FILE.md [--store=FILE] [--every=N]

The first form runs the points of tests/data/silicon.tsv that the store does not have, every N-th of each curve and its last one; the second
writes the section of a page and its figure, modern-curves.svg, from the store.

The kernels do what those of RRZE-HPC/gpu-benches do, at reduced length: the time is the difference of two runs, so that starts and ends do not
count. They are generated, with the loads in flight that a compiler gives them.

stream   each thread has one element, a CTA as many threads as the point says; runs of some CTAs for each place on a core. L2 has a 16th of
         its sets, because the kernels do not reuse its lines, and is full of written lines after the shorter run.
cache    one CTA on each core sums two arrays, the same for all. Copies leave them in L2. Sizes up to twice L1 are read once before.
l2-cache CTAs of 1,024 threads sum 512 KB each out of a window, which copies leave in L2; the second wave of CTAs counts. A thread has 32
         registers, as ptxas gives it, so two CTAs are on a core.
latency  one thread follows pointers in steps of 128 bytes, in an order with a stride of 0.618 of the size; all are read once before. Sizes
         beyond three times L2 stand for all larger ones.
"""
import argparse
import concurrent.futures
import csv
import json
import math
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / 'tests' / 'data' / 'silicon.tsv'
STORE = pathlib.Path(__file__).resolve().parent / 'curves.jsonl'
EVERY = 12
BASE = 123148523536384
HEAD = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u64 q, .param .u64 s, .param .u64 t, .param .u32 n, .param .u32 m)
{
    .reg .pred %q<3>; .reg .b32 %r<20>; .reg .b64 %d<80>; .reg .f32 %f<80>; .reg .f64 %g<80>;
    ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [m];
    mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mov.u32 %r3, 0;
'''
# GPU of the data: machine, cores, MHz, bytes of L1 and L2.
MACHINES = {'V100 PCIe 16 GB': ('v100', 80, 1380, 128 << 10, 6 << 20), 'A100 40 GB': ('a100', 108, 1410, 192 << 10, 40 << 20),
            'A100 80 GB': ('a100-80gb', 108, 1410, 192 << 10, 40 << 20), 'H100 PCIe': ('h100-pcie', 114, 1755, 256 << 10, 50 << 20),
            'GH200': ('h200', 132, 1980, 256 << 10, 60 << 20), 'H200': ('h200', 132, 1980, 256 << 10, 60 << 20)}
SETS = {'v100': 32}  # of a slice of L2; others 256
# These rows are of an older gpu-stream (fd7091f), which always has two CTAs on a core and prints the threads of one of them: its 116,736
# threads are "100 %" of the 233,472 that fit.
TWICE = ('H100 PCIe',)
# These points chose machine.cta_latency; no statistic counts them.
CHOSE = {('V100 PCIe 16 GB, gpu-stream init', 1280), ('A100 40 GB, gpu-stream init', 1728)}
# Curves of which more points are run: most points of gpu-cache are plateaus.
DENSER = {'gpu-cache': 2}
# Loads of an element's thread: array and distance; then the operations of a store, or nothing.
STREAMS = {'init': ((), True), 'read': ((('q', 0),), False), 'scale': ((('q', 0),), True), 'triad': ((('q', 0), ('s', 0), ('t', 0)), True),
           '3pt': ((('q', -1), ('q', 0), ('q', 1)), True), '5pt': ((('q', -2), ('q', -1), ('q', 0), ('q', 1), ('q', 2)), True)}
STREAM_BYTES = {'init': 8, 'read': 8, 'scale': 16, 'triad': 32, '3pt': 16, '5pt': 16}

def points(every):
    """(curve, machine, x, value, row) of the rows, by curve; every N-th and the last one"""
    curves = {}
    with open(DATA, encoding='utf-8', newline='') as file:
        for row in csv.DictReader(file, delimiter='\t'):
            curves.setdefault((row['gpu'].replace(' (1380 MHz)', ''), row['suite'], row['kernel']), []).append(row)
    for (gpu, suite, kernel), rows in curves.items():
        name = '%s, %s' % (gpu, suite + (' ' + kernel if suite == 'gpu-stream' else ''))
        step = max(1, every // DENSER.get(suite, 1))
        for row in rows[::step] + ([] if (len(rows) - 1) % step == 0 else rows[-1:]):
            found = re.search(r'(\d+) threads resident', row['input'])
            x = int(found[1]) if found else float(row['input'].split()[0])
            yield {'curve': name, 'gpu': gpu, 'suite': suite, 'kernel': kernel, 'x': x, 'measured': float(row['value']),
                   'block': int(re.match(r'block (\d+)', row['input'])[1]) if found else 0}


def cycles(options, machine, body, arrays, grid, block, n=0, m=0, settings=()):
    """`arrays`: elements and fill of p, q, s, t"""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'k.ptx').write_text(HEAD + body + '    ret;\n}\n')
        text = 'program: k.ptx\nbuffers:\n'
        for i, (array, (count, fill)) in enumerate(zip('pqst', arrays + [(64, '')] * 3)):
            text += '  %s: {type: u64, count: %d, address: %d%s}\n' % (array, count, BASE + (i << 33), fill and ', fill: "%s"' % fill)
        text += 'launches: [{kernel: k, grid: %d, block: %d, args: [p, q, s, t, %d, %d]}]\n' % (grid, block, n, m)
        (folder / 'k.yaml').write_text(text)
        subprocess.run([options.build / 'cli' / 'ptxoffload-sim', 'k.yaml', '--config=' + machine, '--stats=s.json', '-q',
                        '--set=core.schedule=0',  # the kernels have the order of machine code
                        *('--set=' + word for word in settings)], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        return json.loads((folder / 's.json').read_text())['total']['statistics']['machine.cycles']


def stream(options, point):
    """GB/s"""
    machine, cores, clock, _, l2 = MACHINES[point['gpu']]
    threads, block = point['x'] // cores, point['block']
    ctas = threads // block
    if block > 1024:
        block, ctas = block // 2, 2
    if point['gpu'] in TWICE:
        ctas *= 2
    loads, stores = STREAMS[point['kernel']]
    body = 'mad.lo.u32 %r7, %r4, %r5, %r6; setp.ge.s32 %q1, %r7, %r1; @%q1 bra E; setp.ne.u32 %q2, %r2, 0; cvt.s64.s32 %d2, %r7;\n'
    body += 'shl.b64 %d3, %d2, 3; add.u64 %d4, %d1, %d3;\n'
    for array in sorted({array for array, _ in loads}):
        body += 'ld.param.u64 %%d1%d, [%s]; add.u64 %%d2%d, %%d1%d, %%d3;\n' % (('qst'.index(array),) + (array,) + ('qst'.index(array),) * 2)
    for i, (array, distance) in enumerate(loads):
        body += 'ld.global.f64 %%g%d, [%%d2%d+%d];\n' % (i + 1, 'qst'.index(array), 16 + 8 * distance)
    body += 'mov.f64 %g9, 0d3FCD70A3D70A3D71;\n' + ''.join('fma.rn.f64 %%g9, %%g%d, %%g9, %%g9;\n' % (i + 1) for i in range(len(loads)))
    if not stores:
        body += 'setp.eq.f64 %q2, %g9, 0d3FF8000000000000; @!%q2 bra E;\n'
    body += 'st.global.f64 [%d4], %g9;\nE:\n'
    fills = 3 * l2 / 16 / (8 * cores * ctas * block) if stores else 0  # with less, L2 still accepts lines that are written back later
    waves = (max(2, math.ceil(fills)), max(2, math.ceil(fills)) + 4) if threads >= 512 else (8, 32)
    count = max(waves) * cores * ctas * block
    sets = 'llc.sets=%d' % (SETS.get(machine, 256) // 16)
    took = [cycles(options, machine, body, [(count + 4, '')] * 4, wave * cores * ctas, block, count,
                   settings=(sets, 'core.ctas=%d' % ctas)) for wave in waves]
    return STREAM_BYTES[point['kernel']] * (waves[1] - waves[0]) * cores * ctas * block / (took[1] - took[0]) * clock / 1e3


def cache(options, point):
    """GB/s of all cores"""
    machine, cores, clock, l1, l2 = MACHINES[point['gpu']]
    count = int(point['x'] * 1024 / 8)  # floats of an array
    block = 512 if count % 512 == 0 else 256 if count % 256 == 0 else 128
    pairs = count // block
    if pairs > 32:  # a multiple of 16
        pairs = pairs // 16 * 16
    repeats, unroll = (max(1, 32 // pairs), pairs) if pairs <= 32 else (1, 16)
    body = 'mul.wide.u32 %%d2, %%r6, 4; add.u64 %%d3, %%d1, %%d2; ld.param.u64 %%d4, [q]; add.u64 %%d4, %%d4, %%d2; mov.f32 %%f1, 0f00000000;\n' \
           'add.u64 %%d5, %%d3, %d; mov.u64 %%d6, %%d3; mov.u64 %%d7, %%d4;\nL:\n' % (4 * block * pairs)
    places = [4 * block * i for _ in range(repeats) for i in range(unroll)]
    for first in range(0, len(places), 16):
        some = places[first:first + 16]
        body += ''.join('ld.global.f32 %%f%d, [%%d6+%d]; ld.global.f32 %%f%d, [%%d7+%d];\n' % (2 + i, at, 40 + i, at)
                        for i, at in enumerate(some))
        body += ''.join('fma.rn.f32 %%f1, %%f%d, %%f%d, %%f1;\n' % (2 + i, 40 + i) for i in range(len(some)))
    if pairs > unroll:
        body += 'add.u64 %%d6, %%d6, %d; add.u64 %%d7, %%d7, %d; setp.ge.u64 %%q2, %%d6, %%d5; @%%q2 mov.u64 %%d6, %%d3; @%%q2 mov.u64 %%d7, %%d4;\n' % (
            (4 * block * unroll,) * 2)
    body += '''add.u32 %r3, %r3, 1; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;
setp.eq.f32 %q2, %f1, 0f3FC00000; @%q2 st.global.f32 [%d1], %f1;
'''
    turn = 8 * block * unroll * repeats  # bytes of a turn of the loop
    once = max(2, -(-8 * count // turn)) if 8 * count <= 2 * l1 else 8
    more = max(2, -(-max(256 << 10, min(8 * count, 512 << 10)) // turn))
    warm = ('machine.copies_to_llc=true',) if 8 * count <= l2 else ()
    took = [cycles(options, machine, body, [(count // 2, 'zero' if warm else '')] * 2, cores, block, n, settings=warm)
            for n in (once, once + more)]
    return cores * more * turn / (took[1] - took[0]) * clock / 1e3


def l2_cache(options, point):
    """GB/s of all cores"""
    machine, cores, clock, _, l2 = MACHINES[point['gpu']]
    run = int(point['x']) // 512
    body = 'rem.u32 %r7, %r4, %r1; shl.b32 %r8, %r7, 11; add.u32 %r8, %r8, %r6; mul.wide.u32 %d2, %r8, 8; add.u64 %d3, %d1, %d2;\n' \
           'mul.wide.u32 %d4, %r1, 16384; mov.f64 %g1, 0d0000000000000000;\nL:\n'
    for i in range(4):  # as many as fit the registers
        body += 'ld.global.f64 %%g%d, [%%d3]; ld.global.f64 %%g%d, [%%d3+8192]; add.u64 %%d3, %%d3, %%d4;\n' % (2 + i, 20 + i)
    body += ''.join('fma.rn.f64 %%g1, %%g%d, %%g%d, %%g1;\n' % (2 + i, 20 + i) for i in range(4))
    body += '''add.u32 %r3, %r3, 4; setp.lt.u32 %q1, %r3, 32; @%q1 bra L;
setp.eq.f64 %q2, %g1, 0d3FF8000000000000; @%q2 st.global.f64 [%d1], %g1;
'''
    waves = (1, 2)
    # A window beyond twice L2 stands for all larger ones.
    run = min(run, 2 * l2 >> 19)
    took = [cycles(options, machine, body, [(run << 16, 'zero' if run << 19 <= 2 * l2 else '')], 2 * cores * wave, 1024, run,
                   settings=('machine.copies_to_llc=true', 'core.thread_registers=32')) for wave in waves]
    return 2 * cores * (512 << 10) / (took[1] - took[0]) * clock / 1e3


def latency(options, point):
    """cycles of a load"""
    machine, _, _, _, l2 = MACHINES[point['gpu']]
    steps = min(int(point['x'] * 1000) >> 7, 3 * l2 >> 7)
    stride = next(n for n in range(max(1, round(.618 * steps)), steps + 1) if math.gcd(n, steps) == 1)
    body = 'mov.u64 %d2, %d1;\nL:\n' + 'ld.global.u64 %d2, [%d2];\n' * 16 + \
           'add.u32 %r3, %r3, 16; setp.lt.u32 %q1, %r3, %r1; @%q1 bra L;\nst.global.u64 [%d1], %d2;\n'
    first = -(-steps // 16) * 16
    fill = '= %d + ((i + %d) %% %d) * 8' % (BASE, 16 * stride, 16 * steps)
    took = [cycles(options, machine, body, [(16 * steps, fill)], 1, 1, n) for n in (first, first + 2048)]
    return (took[1] - took[0]) / 2048


MEASURES = {'gpu-stream': stream, 'gpu-cache': cache, 'gpu-l2-cache': l2_cache, 'gpu-latency': latency}


def read_store(path):
    found = {}
    if path.exists():
        for line in path.read_text(encoding='utf-8').splitlines():
            point = json.loads(line)
            found[point['curve'], point['x']] = point
    return found


def measure_all(options):
    store = {} if options.again else read_store(options.store)
    todo = [point for point in points(options.every) if (point['curve'], point['x']) not in store and
            all(word in point['curve'] for word in options.curve)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool, open(options.store, 'a', encoding='utf-8') as file:
        for point, found in zip(todo, pool.map(lambda point: MEASURES[point['suite']](options, point), todo)):
            point['simulated'] = round(found, 2)
            print(json.dumps(point), file=file, flush=True)
            print('%-34s %10g: %9.1f, measured %9.1f: %+5.1f %%' % (point['curve'], point['x'], found, point['measured'],
                                                                 100 * (found / point['measured'] - 1)), flush=True)


# The page


def simulated(path, every):
    """{curve: [point]} of the points that the rule chooses and the store has"""
    store, curves = read_store(path), {}
    for point in points(every):
        if (point['curve'], point['x']) in store and (point['curve'], point['x']) not in CHOSE:
            curves.setdefault(point['curve'], []).append(store[point['curve'], point['x']])
    return curves


def error(point):
    return point['simulated'] / point['measured'] - 1


def mean_error(curve):
    return sum(abs(error(point)) for point in curve) / len(curve)


def correlation(pairs):
    """of the logarithms"""
    logs = [[math.log(value) for value in side] for side in zip(*pairs)]
    means = [sum(side) / len(side) for side in logs]
    moved = [[value - mean for value in side] for side, mean in zip(logs, means)]
    return sum(x * y for x, y in zip(*moved)) / math.sqrt(math.prod(sum(x * x for x in side) for side in moved))


CAUSES = '''What limits at the points that were off, by statistics of both, and what became of it:

| point | hardware | before | limiter here | now |
|---|---:|---:|---|---|
| V100 `init`, 16 threads on a core | 362 cycles from CTA to CTA | 250 | acknowledgement of the store, 180 | `core.posted_stores`, `machine.cta_latency` |
| V100 `read`, 16 threads | 744 | 485 | latency of the load, 434 | 785 |
| V100 `read`, 12 warps | 902 | 571 | latency of the slowest load | 848 |
| H100 PCIe `read`, 2 warps | 1,066 | 749 | latency of the load | 1,125 |
| A100 `init`, 1,216 threads | 1,537 GB/s | 1,930 | none: L2 did not yet write back what it accepted | more CTAs before the measurement |
| H200 `gpu-l2-cache`, 1.5 MB | 13,527 GB/s | 8,961 | one CTA on a core, as 41 registers of a thread were estimated | 32 registers, as `ptxas` gives |

**Stores are not awaited.** From CTA to CTA, a kernel that loads takes 382 cycles longer than one that stores on V100, 645 on GH200, 616 on the
H100: nearly the latency of a load of DRAM, 434, 690, 658. If the end of a CTA waited for the acknowledgement, the difference would be
smaller by the 212 to 280 cycles of L2. The time of the kernel that only stores is then that of starting and ending CTAs; it gave `cta_latency`.

What is off, and why, as far as the statistics show it:

- **Half of the threads.** Latency rises earlier on hardware, from half of the bandwidth on, and more if loads and stores are mixed: 3pt of the
  GH200 takes 2,047 cycles at 36 warps of a core, where `read` takes 1,316. The controllers probably collect stores; the DRAM here has one queue for
  both, and no source has the sizes of theirs.
- **Sizes between L1 and twice L1, `gpu-cache`.** Hardware keeps a part of a cyclic set of lines that is larger than L1: at 204 KB the bandwidth is twice that
  of L2, and at 236 KB it is that of L2. A chain of pointers gets no hits from 177 KB on, as with LRU here, so it is not the
  replacement alone. With every 12th point, as of the other curves, this one of 7 would make the mean 10.9 %.
- **Windows of `gpu-l2-cache` near the size of L2.** At 52.7 MB hardware has the bandwidth of a third of misses; here all of the window stays in
  the 60 MB of L2. Hardware keeps copies of far lines in the near half: a chain of pointers on an A100 takes 206 cycles up to 15 MB and
  397 from 26 MB on. The machines here have no copies; a line is near or far by its address.
- **The smallest window of `gpu-l2-cache`.** Here CTAs of a core that read the same part get hits in L1 only while they run side by side.
'''


def section(path, every):
    """The section of the page, with lines of the store"""
    curves = simulated(path, every)
    all_points = [point for curve in curves.values() for point in curve]
    within = sum(mean_error(curve) <= .1 for curve in curves.values())
    text = ['## Curves of hardware\n',
            '**The mean error is at most 10 %% along %d of %d curves; over all %d points it is %.1f %%, the median %.1f %%, and the correlation of the '
            'logarithms is %.4f.**\n' % (within, len(curves), len(all_points), 100 * mean_error(all_points),
                                        100 * sorted(abs(error(point)) for point in all_points)[len(all_points) // 2],
                                        correlation([(point['simulated'], point['measured']) for point in all_points])),
            'The curves are those of RRZE-HPC/gpu-benches: bandwidth over resident threads (`gpu-stream`, arrays of doubles), bandwidth over sizes '
            '(`gpu-cache`, `gpu-l2-cache`) and latency over sizes (`gpu-latency`). Every %dth point of a curve and its last one were run, at reduced '
            'length, of `gpu-cache` every %dth; `eval/silicon/curves.py` has the kernels and the rules. The first points of `gpu-stream init`, one CTA '
            'of 16 threads on a core, chose the time from CTA to CTA of V100, A100 and, with a curve that is not here, GH200; they are left out. No '
            'other point chose a value of a machine; the published figures that chose latencies and the clock of L2 include '
            'plateaus of gpu-latency and gpu-cache of V100. GH200 and H200 are the machine `h200`. The H100 PCIe was measured with an older version '
            'of the program, which has two CTAs on a core and prints the threads of one of them.\n' % (every, every // DENSER['gpu-cache']),
            '![Measured curves and simulated points](modern-curves.svg)\n',
            '| curve | machine | points | mean error | largest | at |', '|---|---|---:|---:|---:|---:|']
    for name, curve in curves.items():
        worst = max(curve, key=lambda point: abs(error(point)))
        text.append('| %s | `%s` | %d | %.1f %% | %+.1f %% | %g %s |' % (
            name, MACHINES[curve[0]['gpu']][0], len(curve), 100 * mean_error(curve), 100 * error(worst), worst['x'],
            'threads' if worst['block'] else 'KB'))
    return '\n'.join([*text, '', CAUSES])


WIDTH, HEIGHT, COLUMNS = 290, 190, 3


def scale(values, low, high, logarithmic):
    least, most = (0 if not logarithmic else min(values)), max(values)
    if logarithmic:
        return lambda x: low + (high - low) * math.log(x / least) / math.log(most / least)
    return lambda x: low + (high - low) * (x - least) / (most - least)


def panel(name, all_points, curve, left, top):
    x_of = scale([point['x'] for point in all_points], left + 46, left + WIDTH - 12, True)
    highest = max([point['measured'] for point in all_points] + [point['simulated'] for point in curve])
    y_of = scale([highest], top + HEIGHT - 26, top + 24, False)
    text = ['<text x="%d" y="%d" font-weight="bold">%s</text>' % (left + 8, top + 14, name)]
    for value in (0, highest / 2, highest):
        text.append('<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>' % (
            left + 46, left + WIDTH - 12, y_of(value), y_of(value), left + 42, y_of(value) + 4, value))
    for point in (all_points[0], all_points[-1]):
        text.append('<text x="%.1f" y="%d" text-anchor="%s">%g %s</text>' % (
            x_of(point['x']), top + HEIGHT - 10, 'start' if point is all_points[0] else 'end', point['x'],
            'threads' if point['block'] else 'KB'))
    text.append('<polyline fill="none" stroke="#888" stroke-width="1.5" points="%s"/>' % ' '.join(
        '%.1f,%.1f' % (x_of(point['x']), y_of(point['measured'])) for point in all_points))
    text += ['<circle cx="%.1f" cy="%.1f" r="3" fill="#c33"/>' % (x_of(point['x']), y_of(point['simulated'])) for point in curve]
    return text


def figure(path, every):
    curves, everything = simulated(path, every), {}
    for point in points(1):
        everything.setdefault(point['curve'], []).append(point)
    rows = -(-len(curves) // COLUMNS)
    text = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">' % (
        COLUMNS * WIDTH, rows * HEIGHT + 24), '<rect width="100%" height="100%" fill="white"/>',
        '<text x="8" y="16">line: measured; dots: simulated. GB/s, and cycles of gpu-latency, over threads or KB (logarithmic)</text>']
    for i, (name, curve) in enumerate(curves.items()):
        text += panel(name, everything[name], curve, i % COLUMNS * WIDTH, i // COLUMNS * HEIGHT + 24)
    return '\n'.join([*text, '</svg>', ''])


def write_page(options):
    """Replaces the section of the page, and writes the figure beside it."""
    page = options.markdown.read_text(encoding='utf-8')
    before, end = page.split('## Curves of hardware')[0], page.index('## How this page was made')
    if '## Curves of hardware' not in page:
        before = page[:end]
    options.markdown.write_text(before + section(options.store, options.every) + '\n' + page[end:], encoding='utf-8')
    options.markdown.with_name('modern-curves.svg').write_text(figure(options.store, options.every), encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('usage: ')[1].split('\n\n')[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--store', type=pathlib.Path, default=STORE)
    parser.add_argument('--every', type=int, default=EVERY)
    parser.add_argument('--curve', action='append', default=[])
    parser.add_argument('--jobs', type=int, default=1)
    parser.add_argument('--again', action='store_true')
    parser.add_argument('--markdown', type=pathlib.Path)
    options = parser.parse_args()
    if options.markdown:
        write_page(options)
    else:
        options.build = options.build.resolve()
        measure_all(options)


if __name__ == '__main__':
    main()
