#!/usr/bin/env python3
"""CUDA programs that check themselves, compiled here, run by values, by cycles and with offloading.

usage: programs.py BUILD-ROOT
"""
import json
import re
import shutil
import struct

import lib
from lib import build, simulate
from tap import add_case, case, ends, main, run, same, within

ARCH = '-arch=sm_80'
MODES = {
    'values': ['--functional'],
    'cycles': ['-w'],
    'offloading': ['-w', '--offload', '--policy=omni'],
    'offloading of blocks': ['-w', '--offload', '--config=tom', '--policy=tom-ctrl'],
}
SHORT = ['memory.cu', 'streams.cu', 'kernels.cu', 'surfaces.cu', 'textures.cu', 'threads.cu']


def passes(folder, source, options, mode, more=()):
    program = build(source, ARCH, *more)
    result = ends(simulate(folder, program, *options), 0)
    within('PASSED', result.out.decode())
    same(list(folder.iterdir()), [])  # nothing is written


for name in SHORT:
    for mode, options in MODES.items():
        add_case('%s, %s' % (name, mode), passes, name, options, mode)
for mode in ('values', 'cycles'):
    add_case('two sources, ' + mode, passes, ('two_files_a.cu', 'two_files_b.cu'), MODES[mode], mode)
    add_case('the driver, ' + mode, passes, ('driver.cpp',), MODES[mode], mode,
             ('-L' + str(lib.BUILD / 'cli' / 'cuda'), '-lcuda'))
add_case('the template libraries', passes, 'templates.cu', MODES['values'], 'values')


def static(folder, source, more):
    """With nvcc's static runtime the same is printed as with the shared one."""
    shared = build(source, ARCH)
    program = build(source, ARCH, *more, cudart='static')
    for mode in ('values', 'cycles'):
        expected = ends(simulate(folder, shared, *MODES[mode]), 0)
        ends(simulate(folder, program, *MODES[mode]), 0, expected.err.decode(), expected.out.decode())


for name in (*SHORT, ('two_files_a.cu', 'two_files_b.cu'), 'record.cu', 'times.cu'):
    add_case('%s, static' % (name,), static, name, ())
for how, more in (('not position-independent', ('-Xcompiler', '-fno-pie', '-Xlinker', '-no-pie')),
                  ('exported', ('-Xcompiler', '-rdynamic')), ('not packed', ('-compress-mode=none',)),
                  ('without unused sections', ('-Xlinker', '--gc-sections')), ('by mold', ('-Xcompiler', '-fuse-ld=mold'))):
    add_case('static, ' + how, static, 'threads.cu', more)


@case
def static_libraries(folder):
    """nvcc's static runtime in a program and in a library, linked with it or loaded later"""
    (folder / 'part.cu').write_text('''#include <cstdio>
__device__ int count = 5;
__managed__ int shared = 7;
__global__ void add() { count++; shared += 2; }
extern "C" int part() {
    int value = 0;
    add<<<1, 1>>>();
    cudaError_t error = cudaMemcpyFromSymbol(&value, count, sizeof value);
    printf("%d %d %d\\n", error, value, shared);
    return 0;
}''')
    (folder / 'app.cu').write_text('''#include <dlfcn.h>
#include <cstdio>
extern "C" int part();
__global__ void set(int *to) { *to = 3; }
int main() {
    int *at, value = 0;
    cudaMalloc(&at, sizeof value);
    set<<<1, 1>>>(at);
    cudaMemcpy(&value, at, sizeof value, cudaMemcpyDeviceToHost);
    printf("%d\\n", value);
    part();
    for (int i = 0; i < 3; i++) {
        void *later = dlopen("./liblater.so", RTLD_NOW);
        ((int (*)())dlsym(later, "part"))();
        if (i)
            dlclose(later), dlclose(i == 1 ? later : dlopen(0, RTLD_NOW));
    }
}''')
    compiler = [lib.nvcc(), '-w', ARCH]
    for name in ('libpart.so', 'liblater.so'):
        ends(run([*compiler, '-shared', '-Xcompiler', '-fPIC', 'part.cu', '-o', name], folder), 0)
    ends(run([*compiler, 'app.cu', '-o', 'app', '-L.', '-lpart', '-Xlinker', '-rpath=.'], folder), 0)
    for mode in ('--functional', '-w'):
        ends(simulate(folder, './app', mode), 0, out='3\n0 6 9\n0 6 9\n0 7 11\n0 6 9\n')


@case
def order_of_output(folder):
    """the output of kernels appears when the host waits"""
    text = simulate(folder, build('kernels.cu', ARCH), '--functional').out.decode()
    same(text.split('\n')[:3], ['before the kernel\'s output', 'block 0 of kernel 42', 'block 1 of kernel 42'])


@case
def annotated(folder):
    """--annotate: lines of the program's source, kernels of all modules, standard error without a file"""
    program = build('kernels.cu', ARCH, '-lineinfo')
    ends(simulate(folder, program, '-w', '--annotate=a.txt', '--json=r.json'), 0)
    result = json.loads((folder / 'r.json').read_text())
    for kernel in result['kernels']:
        same(sum(row.get('warp_instructions', 0) for row in kernel['instructions']), kernel['warp_instructions'])
        assert not kernel['warp_instructions'] or any(str(line['file']).endswith('kernels.cu')
                                                      for line in kernel['lines']), kernel
    text = (folder / 'a.txt').read_text()
    within('__global__', text)  # the source is where it was compiled
    found = ends(simulate(folder, program, '-w', '--annotate'), 0)
    same(found.err.decode(), text)
    # A program that loads modules as it runs.
    driver = build('driver.cpp', ARCH, '-L' + str(lib.BUILD / 'cli' / 'cuda'), '-lcuda')
    ends(simulate(folder, driver, '-w', '--annotate=a.txt', '--json=r.json'), 0)
    for kernel in json.loads((folder / 'r.json').read_text())['kernels']:
        same(sum(row.get('warp_instructions', 0) for row in kernel['instructions']), kernel['warp_instructions'])


@case
def packed(folder):
    """fatbins that are not packed, or packed with other methods"""
    for option in ('none', 'speed', 'balance', 'size'):
        program = build('threads.cu', ARCH, '-compress-mode=' + option)
        within('PASSED', ends(simulate(folder, program, '--functional'), 0).out.decode())


@case
def best_text(folder):
    """of several modules of PTX the newest is taken; --arch takes an older one"""
    program = build('kernels.cu', '-gencode=arch=compute_75,code=compute_75',
                    '-gencode=arch=compute_90,code=compute_90')
    for arch in ((), ('--arch=sm_75',)):
        within('PASSED', ends(simulate(folder, program, '--functional', *arch), 0).out.decode())


@case
def recorded(folder):
    """recorded launches run again without the program, with the same memory and the same counts"""
    program = build('record.cu', ARCH)
    for mode in ('--functional', '-w'):
        to = folder / mode
        to.mkdir()
        printed = ends(simulate(to, program, mode, '--record=kept', '--json=program.json'), 0).out.decode()
        runs = sorted(path.name for path in (to / 'kept').glob('run-*.yaml'))
        same(runs, ['run-0.yaml', 'run-1.yaml'])
        counts = [0, 0]
        for i, name in enumerate(runs):
            ends(run([lib.SIM, mode, '-w', 'kept/' + name, '--json=run.json', '--save', 'm2=list.npy'], to), 0)
            total = json.loads((to / 'run.json').read_text())['total']
            counts[0] += total['launches']
            counts[1] += total['thread_instructions']
            sums = struct.unpack('<2i', (to / 'list.npy').read_bytes()[-8:])
            same('run %d: %d %d' % (i, *sums), printed.splitlines()[i])
        total = json.loads((to / 'program.json').read_text())['total']
        same(counts, [total['launches'], total['thread_instructions']])


def hash_of(data):
    """FNV-1a"""
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def compiled_random(folder):
    """The program record_random.c, which needs no nvcc."""
    text = (lib.PROGRAMS / 'record_random.ptx').read_bytes()
    libraries = [lib.BUILD / 'cli/cuda' / name for name in ('libcudart.so.13', 'libcuda.so.1')]
    ends(run(['cc', '-O1', '-w', *lib.fatbin(folder, text), lib.PROGRAMS / 'record_random.c', *libraries, '-o', 'app'],
             folder), 0)
    return folder / 'app'


def replay(folder, seed):
    """Runs the recorded launches and compares memory and counts with those of the program. Returns the launches."""
    states = [[tuple(map(int, line.split())) for line in part.splitlines()]
              for part in (folder / 'log').read_text().split('launch\n')[1:]]
    done = counted = 0
    for i in range(len(list((folder / 'kept').glob('run-*.yaml')))):
        text = (folder / ('kept/run-%d.yaml' % i)).read_text()
        buffers = [(int(first), int(count), name) for name, count, first in
                   re.findall(r'(m\d+): .*count: (\d+), address: (\d+)', text)]
        done += text.count('- {kernel: ')
        same(len(buffers), len(states[done - 1]))
        saved = [option for _, _, name in buffers for option in ('--save', '%s=%s.npy' % (name, name))]
        ends(run([lib.SIM, '--functional', '-w', 'kept/run-%d.yaml' % i, '--json=run.json', *saved], folder), 0)
        counted += json.loads((folder / 'run.json').read_text())['total']['thread_instructions']
        for address, size, value in states[done - 1]:
            first, count, name = max(one for one in buffers if one[0] <= address)
            data = (folder / (name + '.npy')).read_bytes()[-count:][address - first:][:size]  # it may be padded
            assert hash_of(data) == value, (seed, i, name)
    total = json.loads((folder / 'program.json').read_text())['total']
    same((done, counted), (total['launches'], total['thread_instructions']))
    same(done, len(states))
    return done


@case
def recorded_at_random(folder):
    """any calls between launches: recorded launches leave the same memory as in the program, with the same counts"""
    program = compiled_random(folder)
    launches = 0
    for seed in range(1, 201):
        to = folder / str(seed)
        to.mkdir()
        slack, more = (['slack'], ['--slack=4K']) if seed % 2 else ([], ['--expect'])
        ends(simulate(to, program, '--functional', '-w', '--record=kept', '--json=program.json', *more,
                      arguments=[str(seed), 'log', lib.PROGRAMS / 'record_late.ptx', *slack]), 0, out='PASSED\n')
        launches += replay(to, seed)
        shutil.rmtree(to)
    assert launches > 3000, launches


def launches_of(folder):
    """The launches of each run file, without their arguments"""
    count = len(list(folder.glob('run-*.yaml')))
    return [re.findall(r'- {kernel: (.*), args', (folder / ('run-%d.yaml' % i)).read_text()) for i in range(count)]


def changes_of(text):
    """Names of the buffers of a run file whose expected contents are not those at its start"""
    fills = dict(re.findall(r'^    (\w+): .*fill: (\S+)}$', text, re.M))
    return [name for name, file in re.findall(r'{buffer: (\w+), (?:file|fill): (\S+)}', text) if fills[name] != file]


@case
def recorded_selection(folder):
    """--record --timed has only these launches, with the memory before them, and --expect that after them"""
    program, found, changed = compiled_random(folder), 0, 0
    for seed in range(1, 41):
        to = folder / str(seed)
        to.mkdir()
        for name, more in ('all', []), ('part', ['--expect', '--timed=mix:2,4-6']):
            ends(simulate(to, program, '--functional', '-w', '--record=' + name, *more,
                          arguments=[str(seed), 'log', lib.PROGRAMS / 'record_late.ptx']), 0, out='PASSED\n')
        every = [one for launches in launches_of(to / 'all') for one in launches]
        mixes = [at for at, one in enumerate(every) if one.startswith("'mix'")]
        chosen = [at for number, at in enumerate(mixes, 1) if number in (2, 4, 5, 6)]
        parts = launches_of(to / 'part') if chosen else []
        same([every[at] for at in chosen], [one for launches in parts for one in launches])
        places = iter(chosen)
        for launches in parts:  # a launch that is not recorded ends a run file
            at = [next(places) for _ in launches]
            same(at, list(range(at[0], at[0] + len(at))))
        for i in range(len(parts)):
            path = to / 'part' / ('run-%d.yaml' % i)
            ends(run([lib.SIM, '--functional', '-w', path], to), 0)
            changed += bool(changes_of(path.read_text()))
        found += len(parts)
        shutil.rmtree(to)
    assert found > 100 and changed > found / 2, (found, changed)  # mapped memory has no expectations


@case
def recorded_results(folder):
    """a recorded run with other memory fails its expectations; the options need each other"""
    program = compiled_random(folder)
    arguments = ['1', 'log', lib.PROGRAMS / 'record_late.ptx']
    ends(simulate(folder, program, '--functional', '-w', '--record=kept', '--expect', arguments=arguments), 0)
    path = next(one for one in sorted((folder / 'kept').glob('run-*.yaml')) if changes_of(one.read_text()))
    ends(run([lib.SIM, '--functional', '-w', path], folder), 0)
    text = path.read_text()
    path.write_text(re.sub(r'^(    %s: .*fill: )\S+}$' % changes_of(text)[0], r'\1"= i % 7 + 1"}', text, flags=re.M))
    ends(run([lib.SIM, '--functional', '-w', path], folder), 3)
    within('--expect is for the run files of --record', ends(run([lib.RUN, '--expect', '--', 'true'], folder), 2).err.decode())
    within('--functional counts no cycles',
           ends(run([lib.RUN, '--functional', '--timed=mix', '--', 'true'], folder), 2).err.decode())
    within("--timed: ", ends(simulate(folder, program, '--functional', '--record=none', '--timed=other', arguments=arguments), 1)
           .err.decode())


@case
def region_of_interest(folder):
    """--profiler: only launches between start and stop take time"""
    program = build('record.cu', ARCH)
    ends(simulate(folder, program, '-w', '--profiler', '--json=run.json'), 0)
    kernels = json.loads((folder / 'run.json').read_text())['kernels']
    same([(one['launches'], one['timed_launches']) for one in kernels], [(3, 1)])


@case
def times(folder):
    """events and the total have the times of the host's clock [001 Table 2]"""
    program = build('times.cu', ARCH)
    for mode in (['--functional'], ['-w', '--stats=stats.csv']):
        printed = ends(simulate(folder, program, *mode), 0).out.decode().split()
        whole, halves = (float(word) for word in printed)
        exact = mode == ['--functional']
        # The call 1.2 us, the driver 6 us for each copy, and 6,800 bytes in a microsecond.
        for got, expected in ((whole, 7.2 + 131072 / 6800), (halves, 13.2 + 131072 / 6800)):
            assert abs(got - expected) < (0.01 if exact else 1), (mode, got, expected)


@case
def statistics(folder):
    """all outputs of the simulator are written, and count from the first folder"""
    program = build('record.cu', ARCH)
    ends(simulate(folder, program, '-w', '--json=a.json', '--stats=b.txt', '--trace=c.json', '--profile-out=d.json',
                  '--series=e.csv'), 0)
    same(sorted(path.name for path in folder.iterdir()), ['a.json', 'b.txt', 'c.json', 'd.json', 'e.csv'])
    within('host.runtime = ', (folder / 'b.txt').read_text())
    events = json.loads((folder / 'c.json').read_text())['traceEvents']
    processes = {event['pid']: event['args']['name'] for event in events if event['name'] == 'process_name'}
    assert {'host 0', 'power 0'} <= set(processes.values()), processes
    names = {event.get('name') for event in events}
    assert {'copy', 'launch', 'wait'} <= names, sorted(map(str, names))[:50]


main()
