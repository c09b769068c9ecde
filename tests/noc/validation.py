#!/usr/bin/env python3
"""ptxoffload-noc against the reference measurements in tests/data, and against bounds.

usage: validation.py BUILD-ROOT

Takes about a minute: of the curves some points. tests/noc/compare.py measures all.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from reference import Noc, credit_loop, curves, difference, zero_load
from tap import add_case, case, main

NOC = Noc(sys.argv[1])
LATENCY, ACCEPTED, CREDIT, PORT = 0.03, 0.03, 0.02, 0.03

# Of each curve: the loads that are measured here.
CHOSEN = {
    ('mesh88_8vc_islip', 1): ('0.02', '0.1', '0.2', '0.3', '0.42', '0.5', '1.0'),
    ('mesh88_8vc_islip', 5): ('0.05', '0.15', '0.25', '0.3', '0.5', '1.0'),
    ('mesh66_4vc_sif', 1): ('0.05', '0.2', '0.35', '0.4', '0.55', '1.0'),
    ('fly43_8vc_islip', 1): ('0.1', '0.3', '0.5', '0.8', '1.0'),
}


def close(ours, reference, tolerance, what):
    assert abs(difference(ours, reference)) <= tolerance, '%s: %g, reference %g: %+.2f %%' % (
        what, ours, reference, 100 * difference(ours, reference))


@case
def zero_load_is_exact(_):
    """zero load: the latency of each pair in the data, to the cycle"""
    points = list(zero_load())
    assert len(points) > 30, len(points)
    for row, network, settings, expected in points:
        found = NOC.measure(network, 'flow:%s,%s' % (row['src'], row['dst']), int(row['packet']),
                            0.0005 * int(row['packet']), 0, 20000, more=settings)
        assert found['latency_min'] == expected, (row, found['latency_min'])
        assert found['hops_mean'] == int(row['routers_H']), (row, found['hops_mean'])


def curve_point(_, curve, row):
    offered = float(row['offered_flits_node_cycle'])
    latency, accepted = float(row['avg_packet_latency']), float(row['accepted_flits_node_cycle'])
    found = NOC.measure(curve.network, 'uniform', curve.flits, offered,
                        *(3000, 10000) if curve.compares_latency(row) else (10000, 10000))
    if curve.compares_latency(row):
        close(found['latency_mean'], latency, LATENCY, 'latency')
        assert found['stable']
    else:
        close(found['accepted'], accepted, ACCEPTED, 'accepted')


for curve in curves():
    chosen = CHOSEN[curve.network, curve.flits]
    for row in curve.rows:
        if row['offered_flits_node_cycle'] in chosen:
            add_case('%s, packets of %d, load %s' % (curve.network, curve.flits,
                                                     row['offered_flits_node_cycle']),
                     curve_point, curve, row)


@case
def a_flow_is_limited_by_its_credits(_):
    """a flow that always has packets: what its buffers let through"""
    for row, settings, expected in credit_loop():
        found = NOC.measure('mesh88_8vc_islip', 'flow:0,3', int(row['packet']), int(row['packet']), 1000, 3000,
                            more=settings)
        close(found['accepted'], expected, CREDIT, str(row))


def bound(_, network, traffic, flits, limit, part):
    """The network bears `part` of the limit, and no more than the limit."""
    below = NOC.measure(network, traffic, flits, part * limit, 3000, 10000)
    assert below['stable'], below
    above = NOC.measure(network, traffic, flits, min(1, 1.05 * limit), 3000, 10000)
    assert limit == 1 or not above['stable'], above
    assert above['latency_mean'] > below['latency_mean']


def port(_, network, traffic, flits, per_cycle):
    """With a packet from each sender in each cycle the network passes what its ports can, to 3 %."""
    found = NOC.measure(network, traffic, flits, flits, 10000, 20000)
    close(found['accepted_total'], per_cycle, PORT, 'flits per cycle')
    assert found['accepted_total'] <= per_cycle * 1.0001, found['accepted_total']


MEMORY = '3,8,10,17,18,25,27,32'  # of a 6x6 mesh, in a diamond
for flits in (1, 5, 9):
    add_case('28 to 8 on a 6x6 mesh, packets of %d: the ejection ports' % flits, port,
             'mesh66_4vc_sif', 'many-to-few:' + MEMORY, flits, 8)
    add_case('8 to 28 on a 6x6 mesh, packets of %d: the injection ports' % flits, port,
             'mesh66_4vc_sif', 'few-to-many:' + MEMORY, flits, 8)
for flits in (1, 5):
    add_case('56 to 8 through a crossbar, packets of %d: the outputs' % flits, port,
             'crossbar56_8_8vc_islip', 'many-to-few:56-63', flits, 8)
add_case('a hotspot: its ejection port', port, 'mesh88_8vc_islip', 'hotspot:27', 1, 1)

add_case('transpose: the channels at the diagonal', bound, 'mesh88_8vc_islip', 'transpose', 1,
         1 / 7, 0.9)
add_case('bit complement: the channels in the middle', bound, 'mesh88_8vc_islip', 'bitcomp', 1,
         2 / 8, 0.9)
add_case('neighbor: one flow on each channel', bound, 'mesh88_8vc_islip', 'neighbor', 1, 1, 0.9)

main()
