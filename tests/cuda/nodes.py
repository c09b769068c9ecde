#!/usr/bin/env python3
"""Graphs that are built node by node, and memory that a program maps itself. Needs no nvcc.

usage: nodes.py BUILD-ROOT
"""
import lib
from tap import add_case, case, ends, main, run, same

CUDA = lib.BUILD / 'cli' / 'cuda'


def model(folder, name, arguments, options):
    ends(run(['cc', '-O1', '-w', '-o', name, lib.PROGRAMS / (name + '.c'), CUDA / 'libcuda.so.1'], folder), 0)
    ends(lib.simulate(folder, './' + name, *options, arguments=arguments), 0, out='PASSED\n')
    if name == 'nodes':
        same((folder / 'graph.dot').read_text().count('conditional'), 2)


for mode, options, steps in (('values', ['--functional'], '400'), ('cycles', ['-w'], '8')):
    add_case('random graphs, ' + mode, model, 'nodes', [lib.PROGRAMS / 'nodes.ptx'], options)
    add_case('random mappings, ' + mode, model, 'virtual', [lib.PROGRAMS / 'nodes.ptx', steps], options)


@case
def recorded(folder):
    """launches between random mappings are recorded, without expectations, as two addresses may be the same memory"""
    model(folder, 'virtual', [lib.PROGRAMS / 'nodes.ptx', '100'], ['--functional', '--record=kept', '--expect'])
    runs = sorted((folder / 'kept').glob('run-*.yaml'))
    assert len(runs) > 10, runs
    for path in runs:
        assert 'expect:' not in path.read_text(), path
        ends(run([lib.SIM, '--functional', '-w', path], folder), 0)


main()
