"""Runs samples/vecadd under each policy, and prints cycles and flit hops.

    python3 policies.py samples/vecadd/vecadd.ptx
"""
import sys

import numpy
import ptxoffload

ELEMENTS = 65536
program = ptxoffload.tag(sys.argv[1])
x, y = (numpy.random.default_rng(seed).random(ELEMENTS, 'f4') for seed in (1, 2))
for policy in ('baseline', 'llc', 'omni', 'adaptive'):
    device = ptxoffload.Device(program, policy=policy)
    a, b, c = device.array(x), device.array(y), device.zeros(ELEMENTS)
    device.run('vecadd', ELEMENTS // 256, 256, a, b, c, ELEMENTS)
    assert (c.get() == x + y).all()
    values = device.statistics()
    print('%-10s %8d cycles %10d flit hops' %
          (policy, values['machine.cycles'], values['memory.weighted_hops']))
