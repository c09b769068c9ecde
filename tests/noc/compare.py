#!/usr/bin/env python3
"""Writes docs/results/noc-validation.md: every reference measurement beside ours.

usage: compare.py BUILD-ROOT [FOLDER]

Takes some minutes with a release build. Exit code 1 if something differs by more than it may.
"""
import pathlib
import sys

from reference import Noc, credit_loop, curves, difference, zero_load

WARMUP, CYCLES = 10000, 50000
ALLOWED = {'latency': 0.03, 'accepted': 0.03, 'credit': 0.02, 'port': 0.03}
DOCUMENT = 'noc-validation.md'


class Report:
    def __init__(self):
        self.lines, self.worst, self.bad = [], {}, 0

    def say(self, *lines):
        self.lines += lines

    def table(self, *columns):
        self.say('', '| %s |' % ' | '.join(columns), '|%s' % ('---|' * len(columns)))

    def row(self, *cells):
        self.say('| %s |' % ' | '.join(str(cell) for cell in cells))

    def differs(self, kind, ours, reference):
        """The difference as text, in bold if it is too large."""
        found = difference(ours, reference)
        if abs(found) > abs(self.worst.get(kind, 0)):
            self.worst[kind] = found
        if abs(found) <= ALLOWED[kind]:
            return '%+.2f %%' % (100 * found)
        self.bad += 1
        return '**%+.2f %%**' % (100 * found)


def write_zero_load(noc, report):
    report.say('## Zero load', '', 'Cycles from the creation of a packet to the arrival of its tail, '
               'without other traffic:', '',
               '    ptxoffload-noc --config=CONFIG --traffic=flow:FROM,TO --flits=N --load=0.0005·N '
               '--warmup=0 --cycles=20000')
    report.table('network', 'from', 'to', 'routers', 'flits', 'settings', 'reference', 'ours', '')
    rows = list(zero_load())
    found = noc.measure_all([((network, 'flow:%s,%s' % (row['src'], row['dst']), int(row['packet']),
                               0.0005 * int(row['packet']), 0, 20000), {'more': settings})
                             for row, network, settings, _ in rows])
    for (row, network, settings, expected), ours in zip(rows, found):
        good = ours['latency_min'] == expected
        report.bad += not good
        report.row(network, row['src'], row['dst'], row['routers_H'], row['packet'],
                   ' '.join(setting[6:] for setting in settings), expected, ours['latency_min'],
                   'the same' if good else '**differs**')
    report.say('')


def svg_curve(curve, ours):
    """Latency over load: ours as a line, the reference as rings."""
    wide, high, left, top, bottom = 560, 320, 60, 30, 46
    most_x = max(float(row['offered_flits_node_cycle']) for row in curve.rows
                 if float(row['offered_flits_node_cycle']) < 1) * 1.02
    most_y = 120
    pixel = lambda load, latency: (left + load / most_x * (wide - left - 20),
                                   high - bottom - latency / most_y * (high - top - bottom))
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" '
           'role="img"><title>Latency over load, %s, packets of %d</title>' %
           (wide, high, wide, high, curve.network, curve.flits),
           '<style>svg{--p:#fff;--i:#1c1e21;--g:#dfe2e6;--a:#1d5fbf;--b:#a8480f;'
           'font:13px system-ui,sans-serif}@media(prefers-color-scheme:dark){svg{--p:#15171b;'
           '--i:#e8eaed;--g:#363a41;--a:#79b4ff;--b:#f3a871}}text{fill:var(--i)}'
           '.g{stroke:var(--g)}</style>',
           '<rect width="%d" height="%d" style="fill:var(--p)"/>' % (wide, high),
           '<clipPath id="c"><rect x="%d" y="%d" width="%d" height="%d"/></clipPath>' %
           (left, top, wide - left - 20, high - top - bottom)]
    for latency in range(0, most_y + 1, 20):
        x, y = pixel(0, latency)
        out.append('<line class="g" x1="%.1f" y1="%.1f" x2="%d" y2="%.1f"/><text x="%.1f" y="%.1f" '
                   'text-anchor="end">%d</text>' % (x, y, wide - 20, y, x - 8, y + 4, latency))
    for tenth in range(0, int(most_x * 10) + 1):
        x, y = pixel(tenth / 10, 0)
        out.append('<text x="%.1f" y="%.1f" text-anchor="middle">%.1f</text>' % (x, y + 18, tenth / 10))
    points = [(float(row['offered_flits_node_cycle']), found['latency_mean'])
              for row, found in zip(curve.rows, ours)]
    line = ' '.join('%.1f,%.1f' % pixel(*point) for point in points)
    out.append('<g clip-path="url(#c)"><polyline points="%s" style="fill:none;stroke:var(--a);'
               'stroke-width:2"/>' % line)
    for row in curve.rows:
        x, y = pixel(float(row['offered_flits_node_cycle']), float(row['avg_packet_latency']))
        out.append('<circle cx="%.1f" cy="%.1f" r="5" style="fill:none;stroke:var(--b);'
                   'stroke-width:2"/>' % (x, y))
    out.append('</g><text x="%d" y="18">cycles: ours (line), reference (rings)</text>'
               '<text x="%d" y="%d" text-anchor="end">offered flits per node and cycle</text></svg>' %
               (left, wide - 20, high - 8))
    return '\n'.join(out) + '\n'


def write_curves(noc, report, folder):
    report.say('## Latency and accepted load', '', 'Uniform traffic. Latency in cycles is compared '
               'where the reference accepts 0.98 of the offered load, up to 0.8 of saturation; the '
               'accepted load elsewhere.', '',
               '    ptxoffload-noc --config=CONFIG --traffic=uniform --flits=N --load=LOAD '
               '--warmup=%d --cycles=%d' % (WARMUP, CYCLES))
    for curve in curves():
        found = noc.measure_all([((curve.network, 'uniform', curve.flits,
                                   float(row['offered_flits_node_cycle']), WARMUP,
                                   CYCLES if float(row['offered_flits_node_cycle']) >= 0.01 else
                                   10 * CYCLES), {}) for row in curve.rows])
        name = '%s-%d.svg' % (curve.network, curve.flits)
        (folder / name).write_text(svg_curve(curve, found))
        report.say('', '### %s, packets of %d' % (curve.network, curve.flits), '',
                   '![latency over load](%s)' % name)
        report.table('load', 'latency, reference', 'ours', '', 'accepted, reference', 'ours', '',
                     'routers, reference', 'ours')
        for row, ours in zip(curve.rows, found):
            latency = float(row['avg_packet_latency'])
            accepted = float(row['accepted_flits_node_cycle'])
            by_latency = curve.compares_latency(row)
            report.row(row['offered_flits_node_cycle'], '%.2f' % latency,
                       '%.2f' % ours['latency_mean'],
                       report.differs('latency', ours['latency_mean'], latency)
                       if by_latency else '',
                       '%.4f' % accepted, '%.4f' % ours['accepted'],
                       '' if by_latency else report.differs('accepted', ours['accepted'], accepted),
                       row['avg_hops_routers'], '%.4f' % ours['hops_mean'])
    report.say('')


def write_credit_loop(noc, report):
    report.say('## The credit loop', '', 'Flits per cycle of a flow that always has packets, past '
               'four routers of mesh88_8vc_islip:', '',
               '    ptxoffload-noc --config=mesh88_8vc_islip --traffic=flow:0,3 --flits=N --load=N '
               '--set=vcs=… --set=vc_buffer=… --warmup=1000 --cycles=6000')
    report.table('flits', 'VCs', 'buffer', 'settings', 'reference', 'ours', '')
    rows = list(credit_loop())
    found = noc.measure_all([(('mesh88_8vc_islip', 'flow:0,3', int(row['packet']), int(row['packet']), 1000,
                                6000),
                              {'more': settings}) for row, settings, _ in rows])
    for (row, settings, expected), ours in zip(rows, found):
        report.row(row['packet'], row['num_vcs'], row['vc_buf'],
                   ' '.join(setting[6:] for setting in settings[:-2]), '%.4f' % expected,
                   '%.4f' % ours['accepted'], report.differs('credit', ours['accepted'], expected))
    report.say('')


MEMORY = '3,8,10,17,18,25,27,32'
PORTS = [('mesh66_4vc_sif', 'many-to-few:' + MEMORY, 8, 'ejection'),
         ('mesh66_4vc_sif', 'few-to-many:' + MEMORY, 8, 'injection'),
         ('crossbar56_8_8vc_islip', 'many-to-few:56-63', 8, 'outputs'),
         ('mesh88_8vc_islip', 'hotspot:27', 1, 'ejection'),
         ('mesh88_8vc_islip', 'hotspot:0,63', 2, 'ejection')]
BOUNDS = [('transpose', 1 / 7, '1/(k − 1)'), ('bitcomp', 2 / 8, '2/k'), ('neighbor', 1, '1'),
          ('uniform', 4 / 8, '4/k')]


def write_ports(noc, report):
    report.say('## Ports', '', 'Flits per cycle in total when each sender creates a packet per cycle, '
               'and the limit of the ports:', '',
               '    ptxoffload-noc --config=CONFIG --traffic=TRAFFIC --flits=N --load=N '
               '--warmup=%d --cycles=%d' % (WARMUP, CYCLES))
    report.table('network', 'traffic', 'flits', 'limited by', 'limit', 'ours', '')
    for network, traffic, limit, what in PORTS:
        # A packet fits a virtual channel.
        for flits in (1, 5) if '8vc' in network else (1, 5, 9):
            found = noc.measure(network, traffic, flits, flits, WARMUP, CYCLES)
            report.row(network, traffic, flits, what, limit, '%.4f' % found['accepted_total'],
                       report.differs('port', found['accepted_total'], limit))
    report.say('')


def saturation(noc, traffic, flits, most):
    """The highest load, to half a percent, that mesh88_8vc_islip bears."""
    low, high = 0, most
    while high - low > 0.005 * high:
        middle = (low + high) / 2
        found = noc.measure('mesh88_8vc_islip', traffic, flits, middle, WARMUP, CYCLES)
        low, high = (middle, high) if found['stable'] else (low, middle)
    return low


def write_bounds(noc, report):
    report.say('## Channels', '', 'The highest stable load of mesh88_8vc_islip (found by bisection), '
               'and the limit of its channels; k = 8:', '',
               '    ptxoffload-noc --config=mesh88_8vc_islip --traffic=TRAFFIC --flits=N --sweep')
    report.table('traffic', 'flits', 'bound', '', 'borne', 'part of the bound')
    for traffic, limit, formula in BOUNDS:
        for flits in (1, 5):
            found = saturation(noc, traffic, flits, min(1, 1.1 * limit))
            report.bad += found > limit * 1.02
            report.row(traffic, flits, formula, '%.4f' % limit, '%.4f' % found,
                       '%.0f %%' % (100 * found / limit))
    report.say('')


def main(build, folder):
    noc, report = Noc(build), Report()
    folder.mkdir(exist_ok=True)
    write_zero_load(noc, report)
    write_curves(noc, report, folder)
    write_credit_loop(noc, report)
    write_ports(noc, report)
    write_bounds(noc, report)
    worst = ', '.join('%s %+.2f %%' % (kind, 100 * value) for kind, value in report.worst.items())
    head = ['# The network against reference measurements', '',
            '**The largest differences from the reference are: %s. Differences beyond the tolerance: %d.** Tables '
            'show those in bold.' % (worst, report.bad), '',
            'The reference numbers are in `tests/data`. They were measured with an independent, published '
            'cycle-accurate simulator; seed 1.', '`tests/noc/compare.py build` writes this page.', '']
    (folder / DOCUMENT).write_text('\n'.join(head + report.lines))
    print('%s: %s; %d too large' % (folder / DOCUMENT, worst, report.bad))
    return bool(report.bad)


if __name__ == '__main__':
    default = pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'results'
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else default))
