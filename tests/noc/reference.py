"""The reference measurements in tests/data, and the same measurements made with ptxoffload-noc."""
import ast
import concurrent.futures
import json
import pathlib
import subprocess

DATA = pathlib.Path(__file__).resolve().parents[1] / 'data'

# What a latency is compared up to: there the network takes what it is offered, and is not so near
# saturation that the latency says more about the length of the run than about the network.
LEAST_ACCEPTED, MOST_OF_SATURATION = 0.98, 0.8

# Our names for what the reference simulator overrides; what it has and a router here has not
# (speculation, delays that change no number) is left out.
OVERRIDES = {
    'routing_delay': lambda value: 'routing_delay=%d' % value,
    'vc_alloc_delay': lambda value: 'vc_alloc_delay=%d' % value,
    'sw_alloc_delay': lambda value: 'sw_alloc_delay=%d' % value,
    'st_final_delay': lambda value: 'st_final_delay=%d' % value,
    'st_prepare_delay': lambda value: 'st_final_delay=%d' % (1 + value),
    'credit_delay': lambda value: 'credit_delay=%d' % value,
}
NETWORKS = {'fly4^3': 'fly43_8vc_islip', 'xbar64': 'crossbar64_8vc_islip'}


def rows(name):
    """The rows of a file as dictionaries."""
    lines = [line.rstrip('\n').split('\t') for line in open(DATA / name, encoding='ascii')
             if not line.startswith('#')]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def overrides(text):
    """--set arguments, or None if the network here has nothing like it."""
    given = ast.literal_eval(text) if text else {}
    if any(name not in OVERRIDES for name in given):
        return None
    return ['--set=' + OVERRIDES[name](value) for name, value in given.items()]


class Noc:
    def __init__(self, build):
        self.program = pathlib.Path(build).resolve() / 'cli' / 'ptxoffload-noc'

    def command(self, network, traffic, flits, load, warmup, cycles, more=()):
        return ['--config=' + network, '--traffic=' + traffic, '--flits=%d' % flits,
                '--load=%g' % load, '--warmup=%d' % warmup, '--cycles=%d' % cycles, *more]

    def measure(self, *arguments, **more):
        command = [self.program, *self.command(*arguments, **more), '--json=-']
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 0 and not done.stderr, (command, done)
        return json.loads(done.stdout)

    def measure_all(self, points, at_a_time=1):
        """The results of many (arguments, keywords), in their order."""
        with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
            return list(pool.map(lambda point: self.measure(*point[0], **point[1]), points))


def zero_load():
    """(row, network, settings, expected latency) of what can be compared"""
    for row in rows('noc-zero-load.tsv'):
        settings = overrides(row['overrides'])
        if settings is not None and row['lat_min']:
            network = NETWORKS.get(row['test'], 'mesh88_8vc_islip')
            yield row, network, settings, int(row['lat_min'])


class Curve:
    """Latency and accepted load of one network and packet length over the offered load."""

    def __init__(self, network, flits, found):
        self.network, self.flits = network, flits
        # Where a reference run did not end there is nothing to compare with.
        self.rows = [row for row in found if row['stable'] == 'yes']
        self.saturation = max(float(row['accepted_flits_node_cycle']) for row in self.rows)

    def compares_latency(self, row):
        offered = float(row['offered_flits_node_cycle'])
        return (float(row['accepted_flits_node_cycle']) >= LEAST_ACCEPTED * offered and
                offered <= MOST_OF_SATURATION * self.saturation)


def curves():
    found = {}
    for row in rows('noc-latency-load.tsv'):
        found.setdefault((row['config'], int(row['packet_flits'])), []).append(row)
    return [Curve(*key, value) for key, value in found.items()]


def credit_loop():
    """(row, settings, expected flits per cycle)"""
    for row in rows('noc-credit-loop.tsv'):
        settings = overrides(row['overrides'])
        assert settings is not None, row
        settings += ['--set=vcs=' + row['num_vcs'], '--set=vc_buffer=' + row['vc_buf']]
        yield row, settings, float(row['accepted_flits_per_cycle_of_the_flow(min..max node max)'])


def difference(ours, reference):
    return ours / reference - 1
