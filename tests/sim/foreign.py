#!/usr/bin/env python3
"""Configurations of other simulators: gpgpusim.config, trace.config and network files of BookSim as machines of ours.

usage: foreign.py BUILD-ROOT
"""
import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
SIM = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
MACHINES, DAMAGED = 60, 2000

# A machine that no file of another project has.
OPTIONS = {
    'gpgpu_n_clusters': '6', 'gpgpu_n_cores_per_cluster': '2', 'gpgpu_n_mem': '3',
    'gpgpu_n_sub_partition_per_mchannel': '2', 'gpgpu_clock_domains': '1000.0:900:800.4:1500.6',
    'gpgpu_shader_core_pipeline': '1024:32', 'gpgpu_shader_cta': '16', 'gpgpu_shader_registers': '32768',
    'gpgpu_simd_model': '1', 'gpgpu_num_sched_per_core': '2', 'gpgpu_scheduler': 'lrr', 'gpgpu_sub_core_model': '1',
    'gpgpu_num_sp_units': '2', 'gpgpu_num_int_units': '2', 'gpgpu_num_sfu_units': '2', 'gpgpu_num_dp_units': '0',
    'gpgpu_enable_specialized_operand_collector': '0', 'gpgpu_operand_collector_num_units_gen': '6',
    'gpgpu_num_reg_banks': '8', 'gpgpu_pipeline_widths': '2,2,2,2', 'ptx_opcode_latency_int': '4,13,5,6,40',
    'ptx_opcode_initiation_int': '1,2,2,1,8,3', 'ptx_opcode_latency_fp': '4,12,5,6,39',
    'gpgpu_shmem_size': '49152', 'gpgpu_smem_latency': '24', 'gpgpu_cache:dl1': 'S:8:128:8,L:T:m:L:L,A:128:8,16:0,32',
    'gpgpu_l1_banks': '4', 'gpgpu_l1_latency': '30', 'gpgpu_cache:dl2': 'S:64:128:16,L:B:m:L:P,A:96:4,32:0,32',
    'gpgpu_cache:il1': 'N:8:128:4,L:R:f:N:L,S:2:48,4', 'gpgpu_const_cache:l1': 'N:64:64:2,L:R:f:N:L,S:2:32,4',
    'gpgpu_tex_cache:l1': 'N:4:128:256,L:R:m:N:L,T:512:8,128:2', 'gpgpu_dram_partition_queues': '16:24:32:40',
    'gpgpu_memory_partition_indexing': '2', 'gpgpu_l2_rop_latency': '100', 'dram_latency': '80', 'network_mode': '2',
    'icnt_flit_size': '40', 'icnt_in_buffer_limit': '128', 'icnt_out_buffer_limit': '256', 'gpgpu_dram_buswidth': '4',
    'gpgpu_dram_burst_length': '16', 'dram_data_command_freq_ratio': '4', 'gpgpu_n_mem_per_ctrlr': '1',
    'gpgpu_dram_timing_opt': '"nbk=16:CCD=4:RRD=6:RCD=12:RAS=28:RP=12:RC=40:\n   CL=12:WL=4:CDLR=5:WR=12:nbkgrp=4:CCDL=4:RTPL=2"',
    'gpgpu_mem_addr_mapping': 'dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.BBBCCCCB.CCSSSSSS',
    'dram_bnk_indexing_policy': '0', 'dram_bnkgrp_indexing_policy': '1', 'gpgpu_frfcfs_dram_sched_queue_size': '32',
    'gpgpu_dram_return_queue_size': '96', 'gpgpu_kernel_launch_latency': '700', 'gpgpu_runtime_stat': '500',
}
NETWORK = '''// of requests and replies
topology = fly; // one stage
k = 12;
n = 1;
flit_size = 40;
num_vcs = 2;
vc_buf_size = 16;
input_buffer_size = 32;
boundary_buffer_size = 24;
routing_function = dest_tag;
vc_allocator = separable_input_first;
sw_allocator = islip;
alloc_iters = 2;
routing_delay = 0;
internal_speedup = 2.0;
traffic = uniform;
packet_size = {{1,2},{3}};
'''


def text_of(options):
    return '# a machine\n' + ''.join('-%s %s # as it is\n' % item for item in options.items())


def put(folder, name='gpgpusim.config', options=None, **more):
    """A file of options without those that are None"""
    options = dict(OPTIONS if options is None else options, **more)
    (folder / name).write_text(text_of({key: value for key, value in options.items() if value is not None}))
    return folder / name


def keys_of(text):
    """{section.key: value} of a printed configuration"""
    found, section = {}, ''
    for line in text.decode().splitlines():
        line = re.sub('  # .*', '', line)
        if re.match(r'\w+:$', line):
            section = line[:-1]
        elif line.startswith('  '):
            key, _, value = line.strip().partition(':')
            found['%s.%s' % (section, key)] = value.strip()
    return found


def printed(folder, path, *options, program=SIM):
    return ends(run([program, '--config=%s' % path, *options, '--print-config'], folder), 0, '').out


def has(keys, **expected):
    for name, value in expected.items():
        name = name.replace('__', '.')
        same((name, keys[name]), (name, str(value)))


@case
def machine(folder):
    """each option gives its keys; the report has a line for each; the printed machine reads back as itself"""
    out = printed(folder, put(folder))
    keys = keys_of(out)
    has(keys, memory__cores=12, memory__node_cores=2, memory__channel_slices=2, memory__partition_nodes=list(range(6, 12)),
        memory__core_clock=1000, memory__network_clock=900, memory__llc_clock=800, dram__clock=1501, core__warps=32,
        core__subcores='true', core__collectors=3, core__register_banks=4, core__fp64_units=2, core__latency_wide_mul=6,
        core__latency_warp=32, core__interval_warp=3, l1__ways=8, l1__write='through', l1__bank_bytes=32, core__accesses=4,
        llc__hash='ipoly', memory__reply_queue=40, memory__request_delay=80, memory__dram_delay=120,
        request_network__packet_wide='true', reply_network__nodes=12, dram__request_bytes=64, dram__burst=4,
        dram__row_bytes=4096, dram__bank_split=256, dram__tWTR=5, constant_cache__sets=32, texture_cache__ways=64,
        texture_cache__sets=16, machine__launch_latency=700)
    for name in OPTIONS:
        same((name, len(re.findall(rb'^# .*gpgpusim.config:\d+: -%s ' % name.encode(), out, re.M))), (name, 1))
    within(b'-gpgpu_runtime_stat 500: ignored: it selects statistics\n', out)
    within(b'-gpgpu_n_mem 3 -> memory.partition_nodes: [6, 7, 8, 9, 10, 11]: channels\n', out)
    (folder / 'ours.yaml').write_bytes(out)
    same(keys_of(printed(folder, 'ours.yaml')), keys)
    ends(run([SIM, SAMPLES / 'vecadd/run.yaml', '--config=gpgpusim.config', '-q'], folder), 0)


@case
def files(folder):
    """a network file beside it, a trace file after it, a base of a YAML file, and parts of a machine"""
    (folder / 'net').mkdir()
    (folder / 'net/net.icnt').write_text(NETWORK)
    put(folder, 'net/gpgpusim.config', network_mode='1', inter_config_file='net.icnt')
    keys = keys_of(printed(folder, 'net/gpgpusim.config'))
    for section in ('request_network', 'reply_network'):
        has({key.replace(section, 'net'): value for key, value in keys.items()}, net__topology='crossbar', net__nodes=12,
            net__vcs=2, net__vc_buffer=16, net__injection_queue=32, net__ejection_queue=24, net__vc_allocator='separable',
            net__sw_alloc_iterations=2, net__speedup=2, net__routing_delay=0, net__packet_wide='false')
    put(folder, 'trace.config', options={'trace_opcode_latency_initiation_int': '7,2', 'trace_opcode_latency_initiation_sp': '9,1'})
    (folder / 'both.config').write_text('-config net/gpgpusim.config\n-config trace.config\n')
    (folder / 'child.yaml').write_text('base: both.config\ncore: {latency_int_mul: 11}\n')
    both = keys_of(printed(folder, 'child.yaml'))
    has(both, core__latency_int_add=7, core__interval_int_logic=2, core__latency_fp32_fma=9, core__latency_int_mul=11)
    assert all(both[key] == value for key, value in keys.items() if not re.match(r'core\.(latency|interval)_', key))
    has(keys_of(printed(folder, 'net/net.icnt', program=BUILD / 'cli/ptxoffload-noc')), noc__nodes=12, noc__vcs=2)
    has(keys_of(printed(folder, put(folder), program=BUILD / 'cli/ptxoffload-dram')), dram__clock=1501)


@case
def topologies(folder):
    """meshes and butterflies of several stages"""
    for line, expected in (('topology = mesh; k = 5; n = 2; routing_function = dim_order;',
                            {'noc__topology': 'mesh', 'noc__width': 5, 'noc__height': 5, 'noc__routing': 'xy'}),
                           ('topology = fly; k = 3; n = 4; wait_for_tail_credit = 1;',
                            {'noc__topology': 'fly', 'noc__radix': 3, 'noc__stages': 4, 'noc__vc_reuse': 'empty'})):
        (folder / 'net.icnt').write_text(line)
        has(keys_of(printed(folder, 'net.icnt', program=BUILD / 'cli/ptxoffload-noc')), **expected)


@case
def last(folder):
    """of two lines with an option the last applies"""
    put(folder)
    with open(folder / 'gpgpusim.config', 'a') as file:
        file.write('-gpgpu_l1_latency 44\n')
    out = printed(folder, 'gpgpusim.config')
    has(keys_of(out), l1__latency=44)
    within(b'-gpgpu_l1_latency 30: overridden by a later line\n', out)


# (changed options, text in the message)
FAULTS = [
    ({'gpgpu_l1_latencie': '3'}, "unknown option '-gpgpu_l1_latencie' of gpgpusim.config; did you mean '-gpgpu_l1_latency'?"),
    ({'gpgpu_of_a_fork': '3'}, "unknown option '-gpgpu_of_a_fork' of gpgpusim.config; without it"),
    ({'gpgpu_n_clusters': None}, 'without -gpgpu_n_clusters it is a part of a machine'),
    ({'gpgpu_n_mem': None}, "the option '-gpgpu_n_mem' is missing"),
    ({'gpgpu_cache:dl2': None}, "the option '-gpgpu_cache:dl2' is missing"),
    ({'gpgpu_n_clusters': '5000'}, 'together at most 4096'),
    ({'gpgpu_n_clusters': 'x'}, "'-gpgpu_n_clusters' must be a whole number"),
    ({'gpgpu_shader_core_pipeline': '1024:16'}, 'here a warp has 32'),
    ({'gpgpu_shader_cta': '99'}, "'core.ctas' would be 99; it must be at most 64"),
    ({'gpgpu_scheduler': 'two_level_active:6:0:1'}, "'-gpgpu_scheduler' must be lrr or gto"),
    ({'gpgpu_simd_model': '2'}, "'-gpgpu_simd_model' must be 1: lanes reconverge"),
    ({'gpgpu_sub_core_model': '2'}, 'must be 0 or 1'),
    ({'gpgpu_clock_domains': '1:2:3'}, 'must be four numbers of MHz'),
    ({'gpgpu_cache:dl1': 'S:8:128,L:T:m:L:L,A:128:8,16'}, 'must have the form'),
    ({'gpgpu_cache:dl2': 'S:64:128:16,L:B:m:L:C,A:96:4,32:0,32'}, "has 'C' for llc.hash, where only L, H, X, P are known"),
    ({'gpgpu_cache:dl1': 'S:8:64:8,L:T:m:L:L,A:128:8,16:0,32'}, 'must be 128'),
    ({'gpgpu_dram_timing_opt': '8:2:8:12'}, "has '8'; it must be words NAME=CLOCKS"),
    ({'gpgpu_mem_addr_mapping': '00000000.0000RRRR.BBCCDDSS'}, 'must be dramid@N'),
    ({'gpgpu_memory_partition_indexing': '3'}, 'has a rule that memory.rule lacks'),
    ({'gpgpu_dram_burst_length': '6'}, 'must be a multiple of -dram_data_command_freq_ratio'),
    ({'network_mode': '3'}, 'must be 1 or 2'),
    ({'network_mode': '1', 'inter_config_file': 'none.icnt'}, "cannot read 'none.icnt'"),
    ({'network_mode': '1', 'inter_config_file': 'gpgpusim.config'}, 'is its own base'),
    ({'gpgpu_gmem_skip_L1D': '2'}, 'has a rule that core.l1_global lacks'),
    ({'gpgpu_runtime_stat': '5\0'}, 'a text has no byte 0'),
    ({'ptx_opcode_latency_fp': '1,2'}, "must be 5 to 5 whole numbers, separated by ','"),
]


def refused(folder, changed, text):
    put(folder, **changed)
    result = ends(run([SIM, '--config=gpgpusim.config', '--print-config'], folder), 1, out='')
    within(text, result.err.decode())
    assert b'gpgpusim.config:' in result.err or b'missing' in result.err or b'must be 128' in result.err, result


for case_changed, case_text in FAULTS:
    add_case('refused: ' + ', '.join('%s %s' % item for item in case_changed.items()), refused, case_changed, case_text)


@case
def growth(folder):
    """files that name each other many times, and a file of many options, end with a message"""
    for i in range(14):
        (folder / ('%d.config' % i)).write_text('-config %d.config\n' % (i + 1) * 8)
    put(folder, '14.config')
    result = ends(run([SIM, '--config=0.config', '--print-config'], folder), 1, out='')
    within('there are more than 256 files', result.err.decode())
    (folder / 'long.config').write_text('-gpgpu_l1_latency 4\n' * 100000)
    within('more than 4096 options', ends(run([SIM, '--config=long.config', '--print-config'], folder), 1, out='').err.decode())


@case
def network_faults(folder):
    """parameters of networks that none of ours has"""
    for text, message in (('topology = torus; k = 4; n = 2;', "'topology' must be fly, or mesh with n = 2"),
                          ('topology = fly; k = 4; vc_allocator = wavefront;', 'where only islip, separable_input_first are known'),
                          ('topology = fly; k = 4; colour = red;', "unknown option 'colour' of BookSim"),
                          ('topology = fly; k', "a parameter must have the form 'name = value;'"),
                          ('topology = fly; k = 4; speculative = 1;', 'must be 0: switch and virtual channels'),
                          ('topology = fly; k = 4; internal_speedup = nan;', 'must be a number from 1 to 64')):
        (folder / 'net.icnt').write_text(text)
        result = ends(run([BUILD / 'cli/ptxoffload-noc', '--config=net.icnt', '--print-config'], folder), 1, out='')
        within(message, result.err.decode())
        within('net.icnt:1:', result.err.decode())


def drawn(chance):
    """Options of a random machine, and the keys by a formula for each"""
    clusters, each, channels, shared = (chance.randint(1, most) for most in (60, 3, 12, 2))
    clocks = [50 * chance.randint(4, 50) for _ in range(4)]
    sets, ways, groups = 2 ** chance.randint(3, 7), chance.randint(1, 64), chance.choice((1, 2, 4))
    banks, columns, burst = chance.randint(2, 4), chance.randint(4, 6), chance.choice((1, 2, 4))
    delay, dram, latencies = chance.randint(0, 300), chance.randint(0, 300), [chance.randint(1, 99) for _ in range(6)]
    lowest = chance.randint(0, columns)
    fields = ('0' * 64 + 'R' * 12 + 'B' * (banks - 1) + 'C' * (columns - lowest) + 'B' + 'C' * lowest + 'S' * 5)[-64:]
    options = dict(
        OPTIONS, gpgpu_n_clusters=str(clusters), gpgpu_n_cores_per_cluster=str(each), gpgpu_n_mem=str(channels),
        gpgpu_n_sub_partition_per_mchannel=str(shared), gpgpu_clock_domains=':'.join(map(str, clocks)),
        gpgpu_num_sched_per_core=str(groups), gpgpu_num_sp_units=str(groups), gpgpu_num_int_units=str(groups),
        gpgpu_num_sfu_units=str(groups), gpgpu_num_reg_banks=str(8 * groups), gpgpu_operand_collector_num_units_gen=str(2 * groups),
        gpgpu_l2_rop_latency=str(delay), dram_latency=str(dram), ptx_opcode_latency_int=','.join(map(str, latencies)),
        gpgpu_dram_burst_length=str(4 * burst), gpgpu_dram_buswidth='2',
        gpgpu_dram_timing_opt='nbk=%d:CCD=2:CCDL=3:RRD=5:RCD=11:RAS=28:RP=11:RC=39:CL=11:WL=4:CDLR=5:WR=12:nbkgrp=2:RTPL=2' % 2 ** banks,
        gpgpu_mem_addr_mapping='dramid@8;' + fields)
    options['gpgpu_cache:dl2'] = 'S:%d:128:%d,L:B:m:L:L,A:%d:4,32:0,32' % (sets, ways, sets)
    split = 0 if lowest == columns else 2 ** (lowest + 5)
    return options, {
        'memory.cores': clusters * each, 'memory.partition_nodes': list(range(clusters, clusters + channels * shared)),
        'memory.channel_slices': shared, 'reply_network.nodes': clusters + channels * shared, 'memory.core_clock': clocks[0],
        'llc.sets': sets, 'llc.ways': ways, 'llc.mshrs': sets, 'core.collectors': 2, 'core.register_banks': 8,
        'memory.request_delay': '%.0f' % (delay * clocks[2] / clocks[0]), 'memory.dram_delay': '%.0f' % (dram * clocks[3] / clocks[0]),
        'core.latency_int_add': latencies[0], 'core.latency_wide_minmax': latencies[1], 'core.latency_int_mul': latencies[2],
        'core.latency_wide_mul': latencies[3], 'core.latency_int_div': latencies[4], 'core.latency_warp': latencies[5],
        'dram.banks': 2 ** banks, 'dram.row_bytes': 2 ** (columns + 5), 'dram.bank_split': split, 'dram.burst': burst,
        'dram.request_bytes': 8 * burst}


@case
def random_machines(folder):
    """random machines have the keys that a formula for each gives"""
    chance = random.Random(5)
    accepted = 0
    for _ in range(MACHINES):
        options, expected = drawn(chance)
        result = run([SIM, '--config=%s' % put(folder, options=options), '--print-config'], folder)
        assert result.code in (0, 1) and (not result.code or b'error: ' in result.err), result
        if result.code:
            continue
        keys = keys_of(result.out)
        same({key: keys[key] for key in expected}, {key: str(value) for key, value in expected.items()})
        accepted += 1
    assert accepted > MACHINES // 2, accepted


def damage(text, chance):
    """The text cut short, with bytes changed, lines moved, or numbers replaced by others"""
    kind = chance.randrange(5)
    if kind == 0:
        return text[:chance.randrange(len(text))]
    if kind == 1:
        for _ in range(chance.randint(1, 4)):
            at = chance.randrange(len(text))
            text = text[:at] + bytes([chance.randrange(256)]) + text[at + 1:]
        return text
    if kind == 2:
        lines = text.splitlines(True)
        lines[chance.randrange(len(lines))] = chance.choice(lines)
        return b''.join(lines)
    places = [match.span() for match in re.finditer(rb'[0-9]+' if kind == 3 else rb'[ :,;=.@"]', text)]
    begin, end = chance.choice(places)
    other = [b'0', b'-1', b'1', b'4096', b'999999999', b'99999999999999999999', b'', b'x', b':', b',', b'"', b';']
    return text[:begin] + chance.choice(other) + text[end:]


@case
def damaged(folder):
    """2,000 damaged files give a machine or a message"""
    chance = random.Random(9)
    put(folder, 'whole.config')
    whole = (folder / 'whole.config').read_bytes()
    put(folder, 'file.config', network_mode='1', inter_config_file='net.icnt')
    lines = []
    for i in range(DAMAGED):
        if i % 4:
            name = '%d.config' % i
            (folder / name).write_bytes(damage(whole, chance))
        else:
            name = '%d.icnt' % i
            (folder / name).write_bytes(damage(NETWORK.encode(), chance))
        lines.append('--config=%s\n' % name)
    (folder / 'net.icnt').write_text(NETWORK)
    lines.append('--config=file.config\n')
    result = ends(run([SIM, '--print-config-digests'], folder, stdin=''.join(lines).encode()), 1)
    assert b'Sanitizer' not in result.err and b'runtime error' not in result.err, result
    answers = [json.loads(line) for line in result.out.splitlines()]
    same(len(answers), len(lines))
    assert 'sha256' in answers[-1], answers[-1]
    messages = [answer['errors'] for answer in answers if 'errors' in answer]
    assert all('error: ' in message for message in messages)
    assert len(messages) > DAMAGED // 4 and len(messages) < DAMAGED, len(messages)


main()
