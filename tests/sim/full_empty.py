#!/usr/bin/env python3
"""Run files with streams, and full/empty bits: the programs of [001] in four variants, closed forms of
the host's clock, faults.

usage: full_empty.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
MACHINE = ['--config=gtx580', '--set', 'fe.enabled=true']
VARIANTS = {'baseline': (0, 0), 'start': (1, 0), 'finish': (0, 1), 'full': (1, 1)}

# Name: sizes, copies in and out in bytes, kernels, results with the buffer of run.yaml that has them.
PROGRAMS = {
    'vecadd': ('n=32768', [131072, 131072], [131072], 1, {'c': 'c'}),
    'matrixmul': ('rows=64', [16384, 16384], [16384], 1, {'c': 'c'}),
    'histogram64': ('words=65536', [262144], [256], 2, {'histogram': 'histogram'}),
    'blackscholes': ('n=65536', [262144] * 3, [262144] * 2, 1, {'call': 'call', 'put': 'put'}),
    'fiblookup': ('n=512', [2048], [2048], 1, {'hop': 'hop'}),
    'hotspot': ('steps=16', [16384] * 2, [16384], 16, {'result': 'one'}),
    'bfs': ('n=4096 degree=6', None, None, None, {'cost': 'cost'}),
}


def sim(folder, *arguments, **settings):
    return run([PROGRAM, *arguments], folder, **settings)


def sizes(name):
    return [word for size in PROGRAMS[name][0].split() for word in ('--set', 'values.' + size)]


def variant(name):
    start, finish = VARIANTS[name]
    return ['--set', 'values.start=%d' % start, '--set', 'values.finish=%d' % finish]


def stream_run(folder, name, *arguments):
    """(results, times)"""
    buffers = PROGRAMS[name][4]
    saves = [word for buffer in buffers for word in ('--save', '%s=%s.npy' % (buffer, buffer))]
    ends(sim(folder, SAMPLES / name / 'streams.yaml', *MACHINE, *sizes(name), *arguments,
             '--json=out.json', *saves), 0)
    found = json.loads((folder / 'out.json').read_text())
    return [(folder / (buffer + '.npy')).read_bytes() for buffer in buffers], found['host_clock']


def reference(folder, name):
    buffers = PROGRAMS[name][4]
    saves = [word for buffer, other in buffers.items()
             for word in ('--save', '%s=ref-%s.npy' % (other, buffer))]
    ends(sim(folder, SAMPLES / name / 'run.yaml', '--functional', *sizes(name), *saves), 0)
    return [(folder / ('ref-%s.npy' % buffer)).read_bytes() for buffer in buffers]


def closed_form(name, which):
    """microseconds without the time of kernels"""
    _, copies_in, copies_out, kernels, _ = PROGRAMS[name]
    start, finish = VARIANTS[which]
    time = 1.2 + sum(6 + size / 6800 for size in copies_in) + 1
    time += 0 if start else 3 * kernels
    if start and kernels > 1:  # in advance only the first is past the driver
        time += 3 * (kernels - 1)
    line = min(copies_out[-1], 128) / 6800
    if not finish:
        return time + sum(6 + size / 6800 for size in copies_out)
    # The first has waited, and has a line left; then come the others of the engine.
    return time + (line if len(copies_out) == 1 else 128 / 6800 + copies_out[-1] / 6800)


def four_variants(folder, name):
    expected = reference(folder, name)
    times = {}
    for which in VARIANTS:
        found, clock = stream_run(folder, name, *variant(which), '--functional')
        assert found == expected, '%s, functional' % which
        if PROGRAMS[name][1]:
            near = closed_form(name, which)
            assert abs(clock['runtime_us'] - near) < 0.003, (which, clock['runtime_us'], near)
        ideal = clock['runtime_us']
        found, clock = stream_run(folder, name, *variant(which))
        assert found == expected, which
        assert clock['runtime_us'] >= ideal - 0.003, (which, clock['runtime_us'], ideal)
        times[which] = clock['runtime_us']
        found, again = stream_run(folder, name, *variant(which), '--shuffle=5')
        assert found == expected and again == clock, '%s, shuffled' % which
    assert times['full'] <= times['baseline'], times
    if PROGRAMS[name][1]:
        assert times['full'] < min(times['start'], times['finish']) < times['baseline'], times


for program in PROGRAMS:
    add_case('%s: the same results in four variants, with and without time' % program,
             four_variants, program)


@case
def without_bits(folder):
    """a machine without full/empty bits runs the baseline"""
    ends(sim(folder, SAMPLES / 'vecadd' / 'streams.yaml', '--config=gtx580', *variant('baseline'),
             '--save', 'c=c.npy'), 0)
    assert [(folder / 'c.npy').read_bytes()] == reference(folder, 'vecadd')


def crossover(folder, which, n):
    """GPU against CPU with 1.99 ns for an element, without the time of kernels [001 Fig. 12]"""
    _, clock = stream_run(folder, 'vecadd', *variant(which), '--functional', '--set',
                          'values.n=%d' % n)
    return clock['runtime_us'] < n * 1.99 / 1000


@case
def crossovers(folder):
    """vectorAdd is faster on the GPU from 128 K elements on, with full overlap from 32 K"""
    won = {which: [n for n in range(13, 19) if crossover(folder, which, 2 ** n)]
           for which in ('baseline', 'full')}
    assert won == {'baseline': [17, 18], 'full': [15, 16, 17, 18]}, won


STEPS = '''program: %s
values: {n: 1024}
buffers:
  a: {type: f32, count: n, host: uniform}
  b: {type: f32, count: n, host: "uniform:2"}
  c: {type: f32, count: n}
  v: {type: f32, count: n, fill: zero}
streams:
%%s''' % (SAMPLES / 'vecadd' / 'vecadd.ptx')
LAUNCH = '  - launch: {kernel: vecadd, grid: 4, block: 256, args: [a, b, c, n]}\n'
OUT = '  - copy: {buffer: c, direction: to-host, stream: 2, trigger: full}\n'
IN = ''.join('  - copy: {buffer: %s, direction: to-device, stream: 1, action: fill}\n' % name
             for name in 'ab')


def steps(folder, text, *arguments, code=0):
    (folder / 'run.yaml').write_text(STEPS % text)
    return ends(sim(folder, 'run.yaml', *arguments), code)


@case
def nobody_fills(folder):
    """a kernel whose input nobody fills ends the run at once, with the word and its buffer"""
    for mode in ([], ['--functional']):
        found = steps(folder, LAUNCH + OUT + '  - sync: all\n', *MACHINE, *mode, code=4).err.decode()
        assert re.search("bytes into '[ab]'", found), found
        for text in ('deadlock: no command can proceed', 'command 1 in stream 0 (vecadd) is '
                     'executing', 'command 2 in stream 2 (copy to the host, 4096 bytes)'):
            within(text, found)


@case
def deadlocks(folder):
    """one copy engine, or a driver that is held, and full overlap: who waits for whom"""
    text = LAUNCH + OUT + IN + '  - sync: 2\n'
    steps(folder, text, *MACHINE)
    for setting, expected in (('host.engines=1', '(copy to the device, 4096 bytes) is queued'),
                              ('host.driver=held', 'waits for the driver, which command 1 occupies')):
        for mode in ([], ['--functional']):
            found = steps(folder, text, *MACHINE, '--set', setting, *mode, code=4).err.decode()
            within(expected, found)


@case
def rounds(folder):
    """a second round without emptying reads old words, which are counted; with it there are none"""
    text = '  - repeat:\n      times: 2\n      steps:\n%s'
    body = ''.join('      ' + line[2:] + '\n' if line.startswith('  - ') else line
                   for line in (LAUNCH + OUT + IN + '  - sync: all\n').splitlines())
    body = body.replace('      - ', '        - ')
    empty = ''.join('        - empty: %s\n' % name for name in 'abc') + '        - sync: all\n'
    for more, count in (('', 2048), (empty, 0)):
        steps(folder, text % (body + more), *MACHINE, '--stats=stats.json')
        found = json.loads((folder / 'stats.json').read_text())['total']['statistics']
        assert found['fe.stale_reads'] == count, found['fe.stale_reads']


# [001 §4.5]: `sums` adds word i of each CTA's part to word i of the result; `last` writes twice each
# word that it reads, and then discards the line; `shared_by_all` reads the same line in each warp; `bytes` writes a word with four stores of a byte.
KERNELS = '''.version 8.0
.target sm_80
.address_size 64
.visible .entry sums(.param .u64 to, .param .u64 from)
{
.reg .b32 %r<8>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mul.wide.u32 %rd3, %r3, 4; add.u64 %rd1, %rd1, %rd3;
mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;
ld.global.u32 %r4, [%rd2]; red.global.add.u32 [%rd1], %r4; ret;
}
.visible .entry last(.param .u64 to, .param .u64 from)
{
.reg .b32 %r<8>; .reg .b64 %rd<6>; .reg .pred %p<2>;
ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd2, %rd3;
add.u64 %rd1, %rd1, %rd3; ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, %r4;
st.global.u32 [%rd1], %r4; and.b32 %r5, %r3, 31; setp.ne.u32 %p1, %r5, 0; @%p1 ret;
discard.global.L2 [%rd2], 128; ret;
}
.visible .entry shared_by_all(.param .u64 to, .param .u64 from)
{
.reg .b32 %r<8>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [from];
mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
and.b32 %r4, %r3, 31; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd2, %rd2, %rd3;
mad.lo.u32 %r1, %r1, %r2, %r3; mul.wide.u32 %rd3, %r1, 4; add.u64 %rd1, %rd1, %rd3;
ld.global.u32 %r4, [%rd2]; add.u32 %r4, %r4, %r4; st.global.u32 [%rd1], %r4; ret;
}
.visible .entry bytes(.param .u64 to)
{
.reg .b32 %r<8>; .reg .b64 %rd<6>;
ld.param.u64 %rd1, [to]; mov.u32 %r3, %tid.x; mul.wide.u32 %rd3, %r3, 1;
add.u64 %rd1, %rd1, %rd3; st.global.u8 [%rd1], %r3; ret;
}
'''


def kernels(folder, buffers, calls, *arguments, code=0):
    (folder / 'kernels.ptx').write_text(KERNELS)
    (folder / 'run.yaml').write_text(
        'program: kernels.ptx\nbuffers:\n%sstreams:\n%s' % (
            ''.join('  %s\n' % line for line in buffers), ''.join('  - %s\n' % line for line in calls)))
    return ends(sim(folder, 'run.yaml', *arguments), code)


def saved(folder, name, size):
    return (folder / (name + '.npy')).read_bytes()[-size:]


MODES = [[], ['--functional'], ['--shuffle=3']]


@case
def counted_fills(folder):
    """a copy of a sum waits for all its atomics: fe.counter_bits, fills"""
    buffers = ('in: {type: u32, count: 4096, host: iota}', 'out: {type: u32, count: 256, fills: 16}')
    calls = ('launch: {kernel: sums, grid: 16, block: 256, args: [out, in]}',
             'copy: {buffer: out, direction: to-host, stream: 2, trigger: full}',
             'copy: {buffer: in, direction: to-device, stream: 1, action: fill}', 'sync: all')
    for mode in MODES:
        kernels(folder, buffers, calls, *MACHINE, '--set', 'fe.counter_bits=5', *mode, '--save', 'out=out.npy')
        sums = struct.unpack('<256I', saved(folder, 'out', 1024))
        assert sums == tuple(16 * i + 256 * 120 for i in range(256)), sums[:4]
    found = kernels(folder, buffers, calls, *MACHINE, '--set', 'fe.counter_bits=4', code=1).err.decode()
    within('the counts need more bits than fe.counter_bits', found)
    # Without counts the kernel waits for the words of the sum itself, which nobody fills.
    # The last progress is in cycle 123026.
    found = kernels(folder, [line.replace(', fills: 16', '') for line in buffers], calls, *MACHINE,
                    '--set', 'machine.watchdog=2000000', code=4).err.decode()
    within("into 'out'", found)


@case
def counted_words(folder):
    """an access of a warp to a word counts once"""
    buffers = ('out: {type: u8, count: 128, fills: %d}',)
    calls = ('launch: {kernel: bytes, grid: 1, block: 128, args: [out]}',
             'copy: {buffer: out, direction: to-host, stream: 2, trigger: full}', 'sync: all')
    for mode in MODES:
        for fills, code in ((1, 0), (2, 4)):
            kernels(folder, [buffers[0] % fills], calls, *MACHINE, '--set', 'fe.counter_bits=2', *mode, code=code)


def stream_of_rounds(folder, kernel, counts, *arguments, words=2048):
    """Rounds that use one input again; each has a result of its own."""
    outs = ['out%d' % i for i in range(3)]
    buffers = ['in: {type: u32, count: %d, host: iota%s}' % (words, counts)] + [
        '%s: {type: u32, count: 2048}' % out for out in outs]
    calls = [text.replace('OUT', out) for out in outs for text in (
        'launch: {kernel: %s, grid: 8, block: 256, args: [OUT, in]}' % kernel,
        'copy: {buffer: OUT, direction: to-host}')]
    calls += ['copy: {buffer: in, direction: to-device, stream: 1, trigger: empty, action: fill}'] * 3
    calls += ['sync: all']
    saves = [word for out in outs for word in ('--save', '%s=%s.npy' % (out, out))]
    kernels(folder, buffers, calls, *MACHINE, *arguments, *saves)
    for out in outs:
        assert saved(folder, out, 8192) == struct.pack('<2048I', *(2 * (i % words) for i in range(2048))), out


@case
def counted_reads(folder):
    """an input is used in three rounds without a synchronisation: a word that was read is empty"""
    for mode in MODES:
        stream_of_rounds(folder, 'last', ', reads: 1', '--set', 'fe.counter_bits=2', '--set',
                         'fe.discard=keep', *mode)
        # 64 warps read each word: no read of another warp is served by the L1.
        stream_of_rounds(folder, 'shared_by_all', ', reads: 64', '--set', 'fe.counter_bits=7', *mode, words=32)


@case
def discarded(folder):
    """the instruction discard empties the words of its line: the same without counts"""
    for mode in MODES:
        stream_of_rounds(folder, 'last', '', *mode)
    kernels(folder, ['in: {type: u32, count: 32, fill: iota}', 'out: {type: u32, count: 32}'],
            ['launch: {kernel: last, grid: 1, block: 32, args: [out, in]}', 'sync: all',
             'copy: {buffer: in, direction: to-host, stream: 1, trigger: empty}',
             'copy: {buffer: out, direction: to-host, stream: 1, trigger: full}', 'sync: all'],
            *MACHINE, '--stats=stats.json')
    found = json.loads((folder / 'stats.json').read_text())['total']['statistics']
    assert (found['fe.discards'], found['fe.emptied']) == (1, 32), found


@case
def released(folder):
    """a kernel that waits for what nobody fills goes on after a release, with what the memory has"""
    buffers = ('in: {type: u32, count: 2048, fill: iota}', 'out: {type: u32, count: 2048}')
    calls = ('empty: in', 'launch: {kernel: last, grid: 8, block: 256, args: [out, in]}',
             'copy: {buffer: out, direction: to-host, stream: 2, trigger: full}', 'cpu: 10000', '%s', 'sync: all')
    for mode in MODES:
        for step, code in (('release: {buffer: in, stream: 1}', 0),
                           ('fill: {buffer: in, stream: 1}', 0),
                           ('release: {buffer: in, stream: 1, first: 1}', 4),
                           ('release: in', 4)):  # in stream 0, behind the kernel
            kernels(folder, buffers, [call.replace('%s', step) for call in calls], *MACHINE, *mode,
                    '--save', 'out=out.npy', *(() if '--functional' in mode else ('--stats=stats.json',)), code=code)
            if code:
                continue
            assert saved(folder, 'out', 8192) == struct.pack('<2048I', *range(0, 4096, 2)), step
            if '--functional' not in mode:
                found = json.loads((folder / 'stats.json').read_text())['total']['statistics']
                assert (found['fe.overridden'] == 64) == step.startswith('release'), found['fe.overridden']


# The pattern that the advice names for a program.
ADVISED = {'histogram64': 'start', 'bfs': 'baseline'}


def advice(folder, name):
    """the advice on a program predicts the times of its pattern and of the baseline"""
    found = ends(sim(folder, SAMPLES / name / 'streams.yaml', *MACHINE, *sizes(name), *variant('baseline'),
                     '--functional', '--overlap'), 0).out.decode()
    last = found.rstrip().split('\n')[-1]
    times = [float(text) for text in re.findall(r'([0-9.]+) us', last)]
    for which, predicted in ((ADVISED.get(name, 'full'), times[0]), ('baseline', times[-1])):
        _, clock = stream_run(folder, name, *variant(which), '--functional')
        if name != 'bfs':  # its rounds end with synchronisations, whose number is not predicted
            assert abs(clock['runtime_us'] - predicted) < 0.05, (which, clock['runtime_us'], predicted)
    assert (times[0] < times[-1]) == (ADVISED.get(name) != 'baseline'), last
    within({'full': 'full overlap', 'start': 'overlap-start;'}.get(ADVISED.get(name, 'full'), 'pattern: none'), found)


for program in PROGRAMS:
    add_case('%s: --overlap predicts the times of its pattern' % program, advice, program)


def advised(folder, buffers, calls):
    """lines of the advice"""
    return kernels(folder, buffers, calls, *MACHINE, '--functional', '--overlap', '--set',
                   'fe.discard=keep').out.decode().split('\n')


@case
def advice_on_rounds(folder):
    """equal rounds are listed once; who else writes an array; copies that no kernel reads"""
    buffers = ('in: {type: u32, count: 2048, host: iota}', 'out: {type: u32, count: 2048}',
               'other: {type: u32, count: 256}')
    copy_in = 'copy: {buffer: in, direction: to-device, action: fill}'
    copy_out = 'copy: {buffer: out, direction: to-host}'
    launch = 'launch: {kernel: last, grid: 8, block: 256, args: [%s, %s]}'
    one = (copy_in, launch % ('out', 'in'), copy_out)
    found = advised(folder, buffers, one * 3 + ('copy: {buffer: other, direction: to-device, action: fill}',) + one)
    within('rounds 1 to 3: last', found[0])
    within('round 4: last', found[4])
    within('device: may overlap: no kernel of the round reads it', found[5])
    within('all rounds: ', found[-2])
    assert 'launches' not in ''.join(found), found
    found = advised(folder, buffers, (copy_in, launch % ('out', 'in'), launch % ('out', 'in'), copy_out))
    within('last (2 launches)', found[0])
    within('must wait for the kernels\' end: several kernels write it', found[2])
    within('pattern: overlap-start;', found[3])
    found = advised(folder, buffers, (copy_in, launch % ('out', 'in'), launch % ('in', 'out'), copy_out))
    within('may overlap: the kernel reads it in the order in which a copy delivers it; a later kernel writes it', found[1])
    found = advised(folder, buffers, (copy_in, 'copy: {buffer: out, direction: to-device, action: fill}',
                                      launch % ('out', 'in'), copy_out))
    within('must end before the kernels start: a kernel writes it before it is read', found[2])
    within('must wait for the kernels\' end: a copy or a memory set also fills it', found[3])
    within('pattern: none', found[4])
    same(advised(folder, buffers, ('sync: all',)), ['the program launches no kernels', ''])
    found = kernels(folder, buffers, one, *MACHINE, '--functional', '--overlap=advice.txt').out.decode()
    same(found, '')
    within('full overlap', (folder / 'advice.txt').read_text())


@case
def advice_refused(folder):
    """--overlap needs streams"""
    within("--overlap needs a run file with 'streams'",
           ends(sim(folder, SAMPLES / 'vecadd' / 'run.yaml', '--functional', '--overlap'), 1).err.decode())


EVAL = SAMPLES.parent / 'eval' / 'runs'
SPATIAL = {'conv': ('width=90 height=20', 'out'), 'integr': ('width=70 height=21', 'out'),
           'stream': ('n=3000', 'distance')}


def spatial(folder, name):
    """spatial cores and full/empty bits: the same results in all patterns, under every order of evaluation"""
    size, out = SPATIAL[name]
    base = [EVAL / ('fe-rgpu-%s.yaml' % name), *MACHINE, '--set', 'spatial.enabled=true',
            *(word for one in size.split() for word in ('--set', 'values.' + one)), '--save', out + '=out.npy']
    found, times = {}, {}
    for which in VARIANTS:
        for drawn in (0, 1):
            for more in ([], ['--shuffle=7']):
                ends(sim(folder, *base, *variant(which), '--set', 'values.drawn=%d' % drawn, *more,
                         '--json=out.json'), 0)
                found[which, drawn, bool(more)] = (folder / 'out.npy').read_bytes()
                times[which, drawn] = json.loads((folder / 'out.json').read_text())['host_clock']['runtime_us']
    assert len(set(found.values())) == 1, [key for key, value in found.items() if value != found['baseline', 0, False]]
    for drawn in (0, 1):
        assert times['full', drawn] < times['baseline', drawn], times


for one in SPATIAL:
    add_case('%s by a map whose input arrives word by word' % one, spatial, one)


@case
def spatial_refused(folder):
    """waits of spatial cores as printed pass no bits; other schemes neither"""
    within("requests of 'rgpu' bypass the full/empty bits",
           ends(sim(folder, SAMPLES / 'vecadd' / 'streams.yaml', *MACHINE, '--set', 'spatial.enabled=true', '--set',
                    'spatial.wait=hit'), 1).err.decode())


def bad_steps(folder, text, expected, *arguments):
    within(expected, steps(folder, text, *(arguments or MACHINE), code=1).err.decode())


for title, bad, message in (
        ('a trigger on memory without bits', OUT, 'needs memory with full/empty bits'),
        ('a change of full/empty bits without bits', '  - empty: a\n', 'has no full/empty bits')):
    add_case('%s is refused' % title, bad_steps, bad, message, '--config=gtx580')
for title, bad, message in (
        ('an unknown direction', '  - copy: {buffer: a, direction: up}\n', "'to-device' or"),
        ('an unknown trigger', '  - copy: {buffer: a, direction: to-host, trigger: x}\n', "'none', 'f"),
        ('two calls in a step', '  - {sync: all, empty: a}\n', 'a step of streams must have one call'),
        ('an unknown buffer', '  - empty: d\n', "unknown buffer 'd'"),
        ('more elements than the buffer has',
         '  - copy: {buffer: a, direction: to-device, first: 1, count: n}\n', 'number of elements'),
        ('a stream beyond 15', '  - sync: 16\n', 'must be 0 to 15'),
        ('a time that is over', '  - cpu: 1000000\n  - at: 5\n', "'at' must be a later time"),
        ('a repeat without end', '  - repeat: {steps: [sync: all]}\n', "needs 'while' or 'times'")):
    add_case('%s is an error' % title, bad_steps, bad, message)


@case
def no_checkpoints(folder):
    """a run with streams has no checkpoints"""
    for option in ('--checkpoint=c', '--stop-after=1'):
        within('does not support',
               steps(folder, '  - sync: all\n', *MACHINE, option, code=1).err.decode())


@case
def launches_or_streams(folder):
    """a run file has launches or streams"""
    for text in ('program: x.ptx\n', 'program: x.ptx\nlaunches: []\nstreams: []\n'):
        (folder / 'run.yaml').write_text(text)
        within("'launches' or 'streams'", ends(sim(folder, 'run.yaml'), 1).err.decode())


@case
def work_and_copies(folder):
    """copies that wait, parts of buffers, work of the host, results of the host's memory"""
    text = ('  - copy: {buffer: a, direction: to-device, action: fill, wait: true}\n'
            '  - copy: {buffer: b, direction: to-device, first: 0, count: 512, action: fill}\n'
            '  - copy: {buffer: b, direction: to-device, first: 512, action: fill}\n'
            '  - cpu: 1000\n' + LAUNCH +
            '  - copy: {buffer: c, direction: to-host}\n  - sync: all\n'
            'expect:\n  - {buffer: c, reference: d}\n')
    text = (STEPS % text).replace('  v: {', '  d: {type: f32, count: n, fill: "= x[i] + y[i]"}\n  v: {')
    text = text.replace('buffers:\n', 'buffers:\n  x: {type: f32, count: n, fill: uniform}\n'
                        '  y: {type: f32, count: n, fill: "uniform:2"}\n')
    (folder / 'run.yaml').write_text(text)
    for mode in ([], ['--functional']):
        ends(sim(folder, 'run.yaml', *MACHINE, *mode, '--json=out.json'), 0)
        found = json.loads((folder / 'out.json').read_text())
        assert found['checks']['passed'] == 1, found['checks']
        assert found['host_clock']['cpu_us'] == 1.99, found['host_clock']
        assert found['host_clock']['to_device_bytes'] == 8192


@case
def trace(folder):
    """--trace has the host's rows and the gates"""
    steps(folder, LAUNCH + OUT + IN + '  - sync: 2\n', *MACHINE, '--trace=trace.json')
    events = json.loads((folder / 'trace.json').read_text())
    events = events['traceEvents'] if isinstance(events, dict) else events
    names = {event['args']['name'] for event in events if event['ph'] == 'M' and
             'name' in event.get('args', {})}
    for name in ('host 0', 'driver 0', 'stream 2', 'copies to the host 0', 'gate of partition 3'):
        assert name in names, sorted(names)
    spans = [event for event in events if event.get('cat') == 'host' and event['name'] == 'copy']
    assert len(spans) >= 3 * 3, len(spans)  # in the driver, in a stream, in an engine
    assert any(event.get('cat') == 'full_empty' for event in events)


@case
def storage(folder):
    """--list-storage: 3.125 % of the DRAM, and the queues"""
    found = ends(sim(folder, '--list-storage', *MACHINE), 0).out.decode()
    within('3.125 %', found)
    within('two more queues', found)


main()
