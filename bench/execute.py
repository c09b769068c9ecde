#!/usr/bin/env python3
"""How fast kernels are executed, without cycles.

usage: execute.py PTXOFFLOAD-SIM [RUN.yaml]...

Without arguments: a tiled matrix product and a vector sum (bench/execute). Thread instructions are
counted per second of CPU time spent in kernels, the best of some runs; memory is the most that was
resident, less the buffers. Two threads are compared with one by wall time, run in pairs, one right
after the other. The start is a module of 100 KB of which one small kernel is launched with one
thread.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time

RUNS = 3
PAIRS = 5
STARTS = 10
HERE = pathlib.Path(__file__).resolve().parent
KERNEL = """.visible .entry k%d(.param .u64 p)
{
	.reg .b32 %%r<8>;
	.reg .b64 %%rd<8>;
	ld.param.u64 %%rd1, [p];
	mov.u32 %%r1, %%tid.x;
	mul.wide.u32 %%rd2, %%r1, 4;
	add.s64 %%rd3, %%rd1, %%rd2;
	ld.global.u32 %%r2, [%%rd3];
	mad.lo.s32 %%r3, %%r2, %d, %%r1;
	st.global.u32 [%%rd3], %%r3;
	ret;
}
"""


def run(simulator, path, *options):
    """The run's JSON, and the wall time that it took."""
    with tempfile.NamedTemporaryFile(suffix='.json') as said:
        begin = time.monotonic()
        subprocess.run([simulator, str(path), '--functional', '--json=' + said.name, *options],
                       check=True, stdout=subprocess.DEVNULL)
        return json.load(open(said.name)), time.monotonic() - begin


def speed(simulator, path, lanes):
    best = None
    for _ in range(RUNS):
        said, _ = run(simulator, path, '--lanes=' + lanes)
        seconds = said['host']['kernel_cpu_seconds']
        if best is None or seconds < best['host']['kernel_cpu_seconds']:
            best = said
    return best


def row(simulator, path):
    print('%-12s' % path.stem, end='')
    for lanes in ('avx2', 'plain'):
        try:
            said = speed(simulator, path, lanes)
        except subprocess.CalledProcessError:
            print(' %27s' % ('no ' + lanes), end='')
            continue
        count = said['total']['thread_instructions']
        seconds = said['host']['kernel_cpu_seconds']
        print(' %12s %6.3f %7.0f' % (format(count, ','), seconds, count / seconds / 1e6), end='')
    print(' %9.0f' % (said['host']['peak_rss_bytes'] / 1e6), flush=True)


def pairs(simulator, path):
    """Wall time with one thread over that with two, of each pair."""
    ratios = []
    for _ in range(PAIRS):
        _, one = run(simulator, path, '--threads=1')
        _, two = run(simulator, path, '--threads=2')
        ratios.append(one / two)
    return sorted(ratios)


def start(simulator, folder):
    path = pathlib.Path(folder) / 'module.ptx'
    text = '.version 8.0\n.target sm_80\n.address_size 64\n'
    count = 0
    while len(text) < 100000:
        text += KERNEL % (count, count)
        count += 1
    path.write_text(text)
    seconds = []
    for _ in range(STARTS):
        begin = time.monotonic()
        subprocess.run([simulator, str(path), '--functional', '--kernel=k7', '--grid=1',
                        '--block=1', '--arg=buf:u32:1:zero'], check=True,
                       stdout=subprocess.DEVNULL)
        seconds.append(time.monotonic() - begin)
    return min(seconds)


def main(simulator, *paths):
    paths = [pathlib.Path(path) for path in paths] or sorted((HERE / 'execute').glob('*.yaml'))
    print('%-12s %27s %27s %9s' % ('', 'avx2', 'plain', 'memory'))
    print('%-12s %12s %6s %7s %12s %6s %7s %9s' % ('kernels', 'instructions', 'CPU s', 'M/s',
                                                   'instructions', 'CPU s', 'M/s', 'MB'))
    for path in paths:
        row(simulator, path)
    for path in paths:
        print('%s: one thread takes %s times as long as two' %
              (path.stem, ' '.join('%.2f' % ratio for ratio in pairs(simulator, path))))
    with tempfile.TemporaryDirectory() as folder:
        print('100 KB of PTX, one thread: %.1f ms from start to end' %
              (1000 * start(simulator, folder)))


if len(sys.argv) < 2:
    sys.exit(__doc__)
main(*sys.argv[1:])
