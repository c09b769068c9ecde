#!/usr/bin/env python3
"""core.schedule: instructions in the order of an assembler take less time and compute the same.

usage: schedule.py BUILD-ROOT
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
HEAD = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
    .reg .f32 %f<40>; .reg .b64 %d1;
    ld.param.u64 %d1, [p];
    mov.f32 %f0, 0f00000000;
'''
RUN = 'program: k.ptx\nbuffers:\n  p: {type: f32, count: 4096, fill: zero}\nlaunches: [{kernel: k, grid: 1, block: 32, args: [p]}]\n'


def simulate(folder, *options):
    ends(run([BUILD / 'cli/ptxoffload-sim', *options, '-q', '--stats=s.json'], folder), 0)
    return json.loads((folder / 's.json').read_text())['total']['statistics']['machine.cycles']


@case
def loads(folder):
    """each of N loads is used by the next instruction: N latencies without, one with the key; two with half the registers"""
    count = 16
    body = ''.join('    ld.global.f32 %%f%d, [%%d1+%d];\n    add.f32 %%f0, %%f0, %%f%d;\n' % (i, 512 * i, i)
                   for i in range(1, count + 1))
    (folder / 'k.ptx').write_text(HEAD + body + '    st.global.f32 [%d1], %f0;\n    ret;\n}\n')
    (folder / 'k.yaml').write_text(RUN)
    text, early, halves = (simulate(folder, 'k.yaml', '--set=core.schedule=%d' % limit) for limit in (0, 64, 3 + count // 2))
    one = simulate(folder, 'k.yaml', '--set=core.schedule=64', '--set=l1.mshrs=1')
    latency = (text - early) / (count - 1)
    assert 100 < latency < 600, (text, early)
    assert early + 0.8 * latency < halves < early + 8.5 * latency, (text, early, halves)
    assert one > early + latency, (one, early)  # it is the overlap that saves time


def values(folder, name):
    """the checks of a sample's run file hold, and the program executes as many instructions"""
    counts = []
    for limit in 0, 1, 20, 255:
        ends(run([BUILD / 'cli/ptxoffload-sim', SAMPLES / name / 'run.yaml', '-q', '--set=core.schedule=%d' % limit,
                  '--stats=s.json'], folder), 0)
        counts.append(json.loads((folder / 's.json').read_text())['total']['statistics']['machine.warp_instructions'])
    same(counts, counts[:1] * 4)


for sample in 'blackscholes', 'fwt', 'libor', 'matrixmul', 'norm', 'red', 'scp', 'stencil':
    add_case('the values of ' + sample, values, sample)


@case
def tagged(folder):
    """a kernel with tags keeps its order under every policy, and so does a program with metadata in a file"""
    source = SAMPLES / 'stencil/stencil.ptx'
    ends(run([BUILD / 'cli/ptxoffload', source, '-o', 'tagged.ptx', '--metadata=tags.json', '-q'], folder), 0)
    ends(run([BUILD / 'cli/ptxoffload', source, '-o', 'plain.ptx', '--tags=none', '--metadata=plain.json', '-q'], folder), 0)
    for policy in 'baseline', 'llc', 'omni':
        for program in (['--program=tagged.ptx'], ['--program=plain.ptx', '--metadata=plain.json']):
            kept = [simulate(folder, SAMPLES / 'stencil/run.yaml', *program, '--policy=' + policy, '--set=core.schedule=%d' % limit)
                    for limit in (0, 64)]
            same(kept[0], kept[1])
    result = ends(run([BUILD / 'cli/ptxoffload-sim', SAMPLES / 'stencil/run.yaml', '--program=tagged.ptx',
                       '--set=core.schedule=64'], folder), 0)
    within('note: kernels with tags keep the order of the PTX', result.err.decode())
    moved = simulate(folder, SAMPLES / 'stencil/run.yaml', '--set=core.schedule=64')
    assert moved < 0.9 * simulate(folder, SAMPLES / 'stencil/run.yaml'), moved


@case
def profiles(folder):
    """a profile has the order of the text, with and without time"""
    found = []
    for number, options in enumerate(([], ['--set=core.schedule=64'], ['--set=core.schedule=64', '--functional'])):
        name = 'p%d.json' % number
        ends(run([BUILD / 'cli/ptxoffload-sim', SAMPLES / 'stencil/run.yaml', '-q', '--profile-out=' + name, *options], folder), 0)
        kernels = json.loads((folder / name).read_text())['kernels']
        found.append([one['line'] for one in kernels[0]['functions'][0]['instructions']])
    same(found[1], found[0])
    same(found[2], found[0])
    same(found[0], sorted(found[0]))


@case
def listed(folder):
    """--annotate lists the instructions in the order in which they are executed"""
    result = ends(run([BUILD / 'cli/ptxoffload-sim', SAMPLES / 'stencil/run.yaml', '-q', '--annotate',
                       '--set=core.schedule=64'], folder), 0)
    within('ld.global', result.out.decode())


main()
