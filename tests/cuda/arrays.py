#!/usr/bin/env python3
"""Arrays, textures and surfaces of CUDA programs, also in recorded launches. Needs no nvcc.

usage: arrays.py BUILD-ROOT
"""
import json
import re

import lib
from tap import add_case, case, ends, main, run, same

CUDA = lib.BUILD / 'cli' / 'cuda'
MODULE = lib.PROGRAMS / 'arrays.ptx'


def compiled(folder):
    ends(run(['cc', '-O1', '-w', '-o', 'arrays', lib.PROGRAMS / 'arrays.c', CUDA / 'libcuda.so.1'], folder), 0)
    return folder / 'arrays'


def model(folder, options, cases):
    """random arrays have the contents of a model, by fetches, surfaces and copies"""
    program = compiled(folder)
    ends(lib.simulate(folder, program, *options, arguments=[MODULE, '1', str(cases)]), 0, out='PASSED\n')


add_case('random arrays, values', model, ['--functional'], 500)
add_case('random arrays, cycles', model, ['-w'], 40)


def hash_of(data):
    """FNV-1a"""
    value = 14695981039346656037
    for byte in data:
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


@case
def recorded(folder):
    """recorded launches that read textures and surfaces have the same results without the program"""
    program = compiled(folder)
    ends(lib.simulate(folder, program, '--functional', '-w', '--record=kept', '--json=program.json',
                      arguments=[MODULE, '5', '20', 'log']), 0)
    states = [tuple(map(int, line.split())) for line in (folder / 'log').read_text().splitlines()]
    done = counted = 0
    for i in range(len(list((folder / 'kept').glob('run-*.yaml')))):
        text = (folder / ('kept/run-%d.yaml' % i)).read_text()
        done += text.count('- {kernel: ')
        address, size, value = states[done - 1]
        name, = re.findall(r'(m\d+): .*address: %d,' % address, text)
        ends(run([lib.SIM, '--functional', '-w', 'kept/run-%d.yaml' % i, '--json=run.json', '--save', name + '=m.npy'],
                 folder), 0)
        counted += json.loads((folder / 'run.json').read_text())['total']['thread_instructions']
        data = (folder / 'm.npy').read_bytes()
        same(hash_of(data[int.from_bytes(data[8:10], 'little') + 10:][:size]), value)
    total = json.loads((folder / 'program.json').read_text())['total']
    same((done, counted), (total['launches'], total['thread_instructions']))
    same(done, len(states))


main()
