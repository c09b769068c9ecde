#!/usr/bin/env python3
"""What a simulated cycle costs, and why: events, instructions and missed cache lines.

usage: model.py BUILD [--machines=NAME,…] [--kernels=NAME,…] [--data=FILE.json] [--markdown]

Each kernel runs under callgrind with the caches of CACHES, from the start of the machine on. Its
instructions and misses are those of the lines of source in each folder of runtime-sim, inlined ones
included, so BUILD needs symbols: `meson setup BUILD --buildtype=release -Ddebug=true`. Events are
the statistics of the same run. All numbers are for one cycle of the cores.

The ideal is what the events would cost if each one touched only the lines and took only the
instructions of IDEAL. Times are COST: an estimate, to compare the columns; they are not measured.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
# First and last cache of a core: bytes, ways, bytes of a line
CACHES = ['--I1=32768,8,64', '--D1=32768,8,64', '--LL=2097152,16,64']
# ns for an instruction, a line from the last cache, and a line from beyond it
COST = {'Ir': 0.12, 'I1': 4, 'D1': 4, 'LL': 25}
# bench-machine's rows, and run files with values
KERNELS = {
    'gather': 'gather',
    'vecadd': 'vecadd, 128 K',
    'matmul': ('matrixmul/run.yaml', ['values.rows=128', 'values.inner=64', 'values.columns=128']),
    'bfs': ('bfs/run-large.yaml', ['values.n=8192']),
    'srad': ('srad/run-large.yaml', ['values.height=96', 'values.width=96', 'values.levels=8', 'values.iterations=1']),
}
PARTS = {'noc': 'networks', 'cache': 'caches', 'dram': 'DRAM', 'memsys': 'memory system', 'gpu/core': 'cores',
         'gpu/lsu': 'load/store units', 'gpu/machine': 'machine', 'exec': 'execution'}
OTHER = 'other'
# Instructions and lines of an event in a layout without waste: what it must read and write, once.
IDEAL = {
    'flits': ('networks', 60, 4),      # buffer, next buffer, port, router
    'packets': ('networks', 80, 3),    # route, virtual channel, packet
    'accesses': ('caches', 60, 3),     # request, location, reply
    'pieces': ('DRAM', 120, 4),        # queue, bank, channel
    'requests': ('memory system', 150, 4),
    'parts': ('load/store units', 100, 3),
    'issued': ('cores', 120, 6),       # slot, warp, instruction, scoreboard, sets
    'executed': ('execution', 100, 9), # three registers of 32 lanes and the warp
    'ticks': ('cores', 60, 4),         # a core in a cycle in which it has work
}


def stats_of(lines):
    found = {}
    for line in lines:
        match = re.match(r'(\S+) = ([0-9.e+-]+)', line)
        if match:
            found[match[1]] = float(match[2])
    return found


def costs(path):
    """Instructions, missed lines of instructions and data by part, and calls by function."""
    parts, calls, files, functions = {}, {}, {}, {}
    columns, part, skip = [], OTHER, False

    def name_of(table, text):
        number, _, name = text.partition(' ')
        if name:
            table[number] = name
        return table.get(number, '')

    for line in open(path):
        if line.startswith('events:'):
            columns = line.split()[1:]
        elif line.startswith(('fl=', 'fi=', 'fe=')):
            name = name_of(files, line[3:].strip())
            part = next((PARTS[key] for key in PARTS if 'runtime-sim/%s/' % key in name), OTHER)
        elif line.startswith(('cfl=', 'cfi=')):
            name_of(files, line[4:].strip())
        elif line.startswith('fn='):
            name_of(functions, line[3:].strip())
        elif line.startswith('cfn='):
            called = name_of(functions, line[4:].strip())
        elif line.startswith('calls='):
            calls[called] = calls.get(called, 0) + int(line[6:].split()[0])
            skip = True
        elif line[:1] in '+-*0123456789' and line.strip():
            if skip:
                skip = False
                continue
            values = dict(zip(columns, map(int, line.split()[1:])))
            sums = parts.setdefault(part, {'Ir': 0, 'I1': 0, 'D1': 0, 'LL': 0})
            sums['Ir'] += values.get('Ir', 0)
            sums['I1'] += values.get('I1mr', 0)
            sums['D1'] += values.get('D1mr', 0) + values.get('D1mw', 0)
            sums['LL'] += values.get('ILmr', 0) + values.get('DLmr', 0) + values.get('DLmw', 0)
    return parts, calls


def measure(build, machine, kernel, folder):
    out, stats = folder / 'callgrind', folder / 'stats'
    profile = ['valgrind', '--tool=callgrind', '--cache-sim=yes', *CACHES, '--toggle-collect=machine_proceed',
               '--trace-children=yes', '--callgrind-out-file=%s.%%p' % out]
    if isinstance(KERNELS[kernel], str):
        command = [build / 'bench' / 'bench-machine', '-n', '1', '-c', machine, '-d', stats,
                   HERE / 'machine' / 'kernels.ptx', KERNELS[kernel]]
    else:
        run, values = KERNELS[kernel]
        command = [build / 'cli' / 'ptxoffload-sim', ROOT / 'samples' / run, '--config=' + machine,
                   '--stats=%s' % stats, *['--set=' + one for one in values]]
    subprocess.run([*profile, *command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    found = max(folder.glob('callgrind.*'), key=lambda one: one.stat().st_size)
    parts, calls = costs(found)
    return {'stats': stats_of(stats.read_text().splitlines()), 'parts': parts, 'calls': calls}


def events(row):
    stats, calls = row['stats'], row['calls']

    def total(*names):
        return sum(stats.get(name, 0) for name in names)

    def called(name):
        return sum(count for function, count in calls.items() if re.sub(r"['.].*", '', function) == name)

    return {
        'flits': total('request.noc_crossbar', 'reply.noc_crossbar'),
        'packets': total('request.vc_grants', 'reply.vc_grants') or total('memory.requests', 'memory.answers'),
        'accesses': total('l1.reads', 'l1.writes', 'llc.reads', 'llc.writes'),
        'pieces': total('dram.reads', 'dram.writes'),
        'requests': total('memory.requests'),
        'parts': total('l1.reads', 'l1.writes', 'core.shared_accesses'),
        'issued': total('core.warp_instructions'),
        'executed': total('core.warp_instructions'),
        'ticks': called('core_tick'),
        'looks': called('core_look'),
    }


def price(sums):
    return sum(COST[key] * sums[key] for key in COST)


def ideal(found, part):
    """Instructions, lines and ns of a part's events."""
    rows = [(found[name], *IDEAL[name][1:]) for name in IDEAL if IDEAL[name][0] == part]
    instructions, lines = (sum(row[0] * row[i] for row in rows) for i in (1, 2))
    return instructions, lines, instructions * COST['Ir'] + lines * COST['D1']


def print_row(machine, kernel, row):
    found, cycles = events(row), row['stats']['machine.cycles']
    print('\n%s, %s: %d cycles; in one cycle %s' %
          (kernel, machine, cycles, ', '.join('%s %.1f' % (name, count / cycles) for name, count in found.items())))
    print('\n| part | instructions | code lines missed | data lines missed | beyond the last cache | ns | ideal: '
          'instructions | lines | ns |')
    print('|---|---:|---:|---:|---:|---:|---:|---:|---:|')
    all_sums, all_ideal = dict.fromkeys(COST, 0), [0, 0, 0]
    for part in [*PARTS.values(), OTHER]:
        sums = row['parts'].get(part, dict.fromkeys(COST, 0))
        best = ideal(found, part)
        print_part(part, sums, best, cycles)
        all_sums = {key: all_sums[key] + sums[key] for key in COST}
        all_ideal = [a + b for a, b in zip(all_ideal, best)]
    print_part('all', all_sums, all_ideal, cycles)


def print_part(part, sums, best, cycles):
    print('| %s | %.0f | %.0f | %.0f | %.1f | %.0f | %.0f | %.0f | %.0f |' %
          (part, *(sums[key] / cycles for key in ('Ir', 'I1', 'D1', 'LL')), price(sums) / cycles,
           *(one / cycles for one in best)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--machines', default='isca19,v100')
    parser.add_argument('--kernels', default=','.join(KERNELS))
    parser.add_argument('--data', type=pathlib.Path, help='keeps what was measured; rows in it are not measured again')
    asked = parser.parse_args()
    data = json.loads(asked.data.read_text()) if asked.data and asked.data.exists() else {}
    for machine in asked.machines.split(','):
        for kernel in asked.kernels.split(','):
            name = machine + ' ' + kernel
            if name not in data:
                with tempfile.TemporaryDirectory(prefix='ptxoffload-model-') as folder:
                    data[name] = measure(asked.build.resolve(), machine, kernel, pathlib.Path(folder))
            if asked.data:
                asked.data.write_text(json.dumps(data))
            print_row(machine, kernel, data[name])
            sys.stdout.flush()


main()
