#!/usr/bin/env python3
"""What --profile-out writes of the samples.

usage: profiles.py BUILD-ROOT
"""
import hashlib
import json
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'


def profile(folder, run_file, *options):
    ends(run([PROGRAM, '--functional', SAMPLES / run_file, '--profile-out=p.json',
              '--json=r.json', *options], folder), 0)
    return (folder / 'p.json').read_bytes(), json.loads((folder / 'r.json').read_text())


def instructions(kernel):
    return [inst for function in kernel['functions'] for inst in function['instructions']]


def check_sums(folder, run_file):
    text, result = profile(folder, run_file)
    for threads in (2, 3):
        same(profile(folder, run_file, '--threads=%d' % threads)[0], text)
    document = json.loads(text)
    same((document['format'], document['version']), ('ptxoffload-profile', 1))
    source = pathlib.Path(document['source']['file'])
    same(document['source']['sha256'], hashlib.sha256(source.read_bytes()).hexdigest())
    for kernel, counts in zip(document['kernels'], result['kernels']):
        same(kernel['launches'], counts['launches'])
        insts = instructions(kernel)
        same(sum(i['executions'] for i in insts), counts['warp_instructions'])
        same(sum(i['lanes'] for i in insts), counts['thread_instructions'])
        for index, inst in enumerate(kernel['functions'][-1]['instructions']):
            same(inst['index'], index)
            line = source.read_text().splitlines()[inst['line'] - 1]
            same(line[inst['column'] - 1:].split()[-1][-1], ';')
            within(inst['opcode'], line)


for sample in ('vecadd', 'kmn', 'red', 'bfs'):
    add_case('sums of ' + sample, check_sums, sample + '/run.yaml')


@case
def vecadd(folder):
    """5000 threads in 157 warps, of which 156 have all lanes; each touches a line of each array."""
    kernel, = json.loads(profile(folder, 'vecadd/run.yaml')[0])['kernels']
    same(kernel['block'], [256, 1, 1])
    accesses = [i for i in instructions(kernel) if 'memory' in i]
    same([i['opcode'] for i in accesses], ['ld.global.f32', 'ld.global.f32', 'st.global.f32'])
    for inst in accesses:
        same(inst['lanes'], 5000)
        same(inst['memory']['full'], {'accesses': 156, 'lines': 156, 'sectors': 4 * 156,
                                      'least_lines': 1, 'most_lines': 1, 'uniform_addresses': 0})
        same(inst['memory']['all']['lines'], 157)
        same(inst['memory']['all']['sectors'], 4 * 156 + 1)


main()
