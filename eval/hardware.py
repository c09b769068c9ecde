#!/usr/bin/env python3
"""Kernels of original programs by cycles, beside the cycles that a profiler measured on a Quadro GV100.

usage: hardware.py BUILD-ROOT [--rodinia=FOLDER] [--parboil=FOLDER] [--samples=FOLDER] [--only=NAME,NAME…] [--again]
                   [--config=v100] [--set=KEY=VALUE]... [--seconds=N]
       hardware.py --table

FOLDER is an unpacked suite: Rodinia 3.1, Parboil with `benchmarks` and `common`, or NVIDIA's samples. Each program is built
with nvcc in a temporary folder, with inputs of the size that was measured, and runs with `ptxoffload-run --registers=ptxas`;
one launch of the kernel is counted in cycles, for at most --seconds of CPU time (3600 if absent). Each result is a row of
eval/hardware.jsonl; a program that has one is not run again without --again. --table writes docs/results/hardware.md from
the rows and tests/data/gv100/kernels.tsv.
"""
import argparse
import csv
import datetime
import json
import math
import pathlib
import random
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from programs import copy_of  # noqa: E402
from programs_run import NVCC, OLD, change_copy, compile_sources, run, verdict_of  # noqa: E402
from programs_suites import keys, numbers, pgm, samples_of_k_space  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROWS = ROOT / 'eval' / 'hardware.jsonl'
DATA = ROOT / 'tests' / 'data' / 'gv100' / 'kernels.tsv'
PAGE = ROOT / 'docs' / 'results' / 'hardware.md'
LAUNCH = 5000  # cycles of a launch, which the profiler counts, as SM7_QV100 has them


def matrix(path, rows, columns):
    draw = random.Random(1)
    values = ' '.join('%.2f' % draw.random() for _ in range(rows * columns))
    path.write_text('%d %d %s ' % (rows, columns, values))


def commands(path):
    path.write_text('j 6000 3000\nk 10000\n')


PARBOIL = {'options': ['--use_fast_math', '-I../../../../common/include'],
           'edits': [('../../../../common/include/parboil.h', '#define MEASURE_KERNEL_TIME\n', ''),
                     ('../../../../common/include/parboil.h', 'void pb_sig_clmem', '//')]}
COMMON = ['../../../../common/src/parboil_cuda.c', '../../../../common/src/args.c']


def sample(name, folder, kernel, sources):
    return {'name': name, 'suite': 'samples', 'folder': 'Samples/' + folder, 'shared': ['Common'], 'alone': True,
            'sources': sources, 'options': ['-I../../../Common'], 'kernel': kernel}


PROGRAMS = [
    {'name': 'b+tree-rodinia-3.1', 'suite': 'rodinia', 'folder': 'cuda/b+tree', 'kernel': 'findK',
     'sources': ['main.c', 'kernel/*wrapper*.cu', 'util/*/*.c', 'util/*/*.cu'], 'options': ['-I.', '-I./util'],
     'edits': [('main.c', 'commandBuffer = (char*) malloc (sizeof(char)*lSize);',
                'commandBuffer = (char*) calloc(lSize + 1, 1);')],  # it reads on to a terminating zero
     'made': [('keys.txt', keys, 1000000), ('commands.txt', commands)],
     'arguments': ['file', 'keys.txt', 'command', 'commands.txt']},
    {'name': 'backprop-rodinia-3.1', 'suite': 'rodinia', 'folder': 'cuda/backprop',
     'kernel': '_Z22bpnn_layerforward_CUDAPfS_S_S_ii',
     'sources': ['backprop_cuda.cu', 'backprop.c', 'facetrain.c', 'imagenet.c'], 'arguments': ['65536']},
    {'name': 'hotspot-rodinia-3.1', 'suite': 'rodinia', 'folder': 'cuda/hotspot',
     'kernel': '_Z14calculate_tempiPfS_S_iiiiffffff', 'sources': ['hotspot.cu'],
     'made': [('temp', numbers, 1024 * 1024, 320, 340), ('power', numbers, 1024 * 1024, 0, 0.01)],
     'arguments': ['1024', '2', '2', 'temp', 'power', 'output.out']},
    {'name': 'srad_v1-rodinia-3.1', 'suite': 'rodinia', 'folder': 'cuda/srad/srad_v1', 'launch': 2,
     'kernel': '_Z4sradfiilPiS_S_S_PfS0_S0_S0_fS0_S0_', 'sources': ['main.cu'],
     'made': [('../../../data/srad/image.pgm', pgm, 458, 502)], 'arguments': ['3', '0.5', '502', '458']},
    {'name': 'parboil-mri-q', 'suite': 'parboil', 'folder': 'benchmarks/mri-q/src/cuda', **PARBOIL,
     'kernel': '_Z12ComputeQ_GPUiiPfS_S_S_S_', 'sources': ['main.cu', 'file.cc', *COMMON],
     'made': [('in.bin', samples_of_k_space, 2048, 262144)], 'arguments': ['-i', 'in.bin', '-o', 'out']},
    {'name': 'parboil-sgemm', 'suite': 'parboil', 'folder': 'benchmarks/sgemm/src/cuda', **PARBOIL,
     'kernel': '_Z9mysgemmNTPKfiS0_iPfiiff', 'sources': ['main.cu', 'io.cc', *COMMON],
     'made': [('a', matrix, 1024, 992), ('b', matrix, 992, 1056), ('bt', matrix, 1056, 992)],
     'arguments': ['-i', 'a,b,bt', '-o', 'out']},
    sample('binomialOptions', '5_Domain_Specific/binomialOptions', '_Z21binomialOptionsKernelv', ['*.cu', '*.cpp']),
    sample('cudaTensorCoreGemm', '3_CUDA_Features/cudaTensorCoreGemm', '_Z12compute_gemmPK6__halfS1_PKfPfff', ['*.cu']),
    sample('dct8x8', '2_Concepts_and_Techniques/dct8x8', '_Z14CUDAkernel1DCTPfiiiy', ['*.cu', '*.cpp']),
    sample('mergeSort', '0_Introduction/mergeSort', '_Z21mergeSortSharedKernelILj1EEvPjS0_S0_S0_j', ['*.cu', '*.cpp']),
    sample('quasirandomGenerator', '5_Domain_Specific/quasirandomGenerator', '_Z16inverseCNDKernelPfPjj',
           ['*.cu', '*.cpp']),
    sample('sobolQRNG', '5_Domain_Specific/SobolQRNG', '_Z15sobolGPU_kerneljjPjPf', ['*.cu', '*.cpp']),
]


def read_rows():
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    return {row['name']: row for row in map(json.loads, lines)}


def write_rows(rows):
    beside = ROWS.with_suffix('.new')
    beside.write_text(''.join(json.dumps(rows[key]) + '\n' for key in sorted(rows)))
    beside.rename(ROWS)


def simulate(program, folder, to, options):
    command = [options.build / 'cli' / 'ptxoffload-run', '-w', '-q', '--config=' + options.config, '--registers=ptxas',
               '--timed=%s:%d' % (program['kernel'], program.get('launch', 1)), '--report=json:report.json',
               *('--set=' + text for text in options.set),
               '--', to, *program.get('arguments', [])]
    code, text, spent = run(command, folder, options.seconds)
    ran, check, reason = verdict_of({**program, 'guess': True}, code, text)
    row = {'ran': ran, 'check': check, 'reason': reason, 'seconds': round(spent, 1)}
    try:
        kernels = json.loads((folder / 'report.json').read_text())['kernels']
        timed = next(one for one in kernels if one['timed'])
        numbers = {one['name']: one['value'] for one in timed['numbers']}  # copies do not count
        row.update(cycles=timed['cycles'], room=timed['room'], limit=timed['limits'][0]['name'],
                   instructions=round(timed['cycles'] * numbers['warp IPC']),
                   dram_reads=numbers['DRAM reads'], dram_writes=numbers['DRAM writes'])
    except (OSError, ValueError, StopIteration, KeyError) as wrong:
        row['reason'] = row['reason'] or 'no results: %s' % wrong
    return row


def run_program(program, source, options):
    with tempfile.TemporaryDirectory(prefix='ptxoffload-programs-') as work:
        work = pathlib.Path(work) / 'suite'
        copy_of(program, source, work)
        folder = work / program['folder']
        to = folder / 'program.simulated'
        for name, _, _ in program.get('edits', ()):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
        change_copy(program, folder)
        wrong = compile_sources(program, folder, to, options)
        if wrong:
            return {'ran': 'not built', 'check': '', 'reason': wrong}
        return simulate(program, folder, to, options)


# The page

TEXT = '''The rows are those of a profiler on a Quadro GV100, means of all launches of a kernel
(`tests/data/gv100/kernels.tsv` names the source). The programs are the original ones, built by nvcc %(nvcc)s for sm_75, with inputs
of the measured sizes and random contents; `ptxoffload-run --registers=ptxas` counts the cycles of one launch on the machine
[`v100`](../reference/machine.md). The profiler's cycles include those of the launch: %(launch)d are added, which is what the
configuration SM7_QV100 of GPGPU-Sim has, another value of which was measured on a TITAN V (7,258); the last column is without them.
Clocks of the card are not given: `v100` has 1,380 MHz. The code is that of another compiler than the measured one.
'''


def say_row(say, reference, row):
    measured = float(reference['cycles'])
    if 'cycles' not in row:
        say('| %s | `%s` | | %.0f | | %s | | | |' % (
            reference['program'], reference['kernel'][:40], measured, row.get('reason') or row.get('ran', 'not run')))
        return
    cycles = row['cycles'] + LAUNCH
    say('| %s | `%s` | %d | %.0f | %.2f | %s | %s | %s | %.2f |' % (
        reference['program'], reference['kernel'][:40], cycles, measured, cycles / measured, row['limit'],
        '{:,}'.format(row['instructions']), row['room'].split(';')[0], row['cycles'] / measured))


def correlation(pairs):
    logs = [(math.log(a), math.log(b)) for a, b in pairs]
    mean = [sum(column) / len(logs) for column in zip(*logs)]
    both = sum((a - mean[0]) * (b - mean[1]) for a, b in logs)
    return both / math.sqrt(sum((a - mean[0]) ** 2 for a, _ in logs) * sum((b - mean[1]) ** 2 for _, b in logs))


def errors_of(pairs):
    return [abs(ours / theirs - 1) for ours, theirs in pairs]


def dram_of(reference):
    """The sectors that the card's DRAM read"""
    words = reference['counters'].split('DRAM sectors read ')[1].split()
    return float(words[0])


def write_page():
    rows = read_rows()
    references = list(csv.DictReader(DATA.open(), delimiter='\t'))
    found = [(reference, rows.get(reference['program'], {})) for reference in references]
    done = [(reference, row) for reference, row in found if 'cycles' in row]
    pairs = [(row['cycles'] + LAUNCH, float(reference['cycles'])) for reference, row in done]
    without = [(row['cycles'], float(reference['cycles'])) for reference, row in done]
    errors = errors_of(pairs)
    with open(PAGE, 'w', encoding='utf-8') as file:
        def say(text=''):
            print(text, file=file)
        say('# Kernels of original programs, beside a Quadro GV100\n')
        say('**Over %d kernels of Rodinia, Parboil and NVIDIA\'s samples the mean absolute error of the cycles is %.0f %%, and the\n'
            'correlation of their logarithms %.3f.** %d of them are within 15 %%, %d within 30 %%.\n' % (
                len(done), 100 * sum(errors) / len(errors), correlation(pairs),
                sum(error <= 0.15 for error in errors), sum(error <= 0.30 for error in errors)))
        say(TEXT % {'nvcc': rows[done[0][0]['program']]['nvcc'], 'launch': LAUNCH})
        say('| program | kernel | cycles | measured | ratio | limit | warp instructions | occupancy | ratio without a launch |')
        say('|---|---|---:|---:|---:|---|---:|---|---:|')
        for reference, row in found:
            say_row(say, reference, row)
        say('\n| | mean absolute error | correlation | within 15 % | within 30 % |\n|---|---:|---:|---:|---:|')
        for name, these in ('with a launch', pairs), ('without', without):
            apart = errors_of(these)
            say('| %s | %.0f %% | %.3f | %d | %d |' % (name, 100 * sum(apart) / len(apart), correlation(these),
                                                   sum(one <= 0.15 for one in apart), sum(one <= 0.30 for one in apart)))
        counted = [(reference, row) for reference, row in done if 'dram_reads' in row]
        if counted:
            say('## Sectors of the DRAM\n\nHere the copies before a launch leave their data in L2; the profiler counts reads of them.\n\n| program | read | measured |\n|---|---:|---:|')
        for reference, row in counted:
            say('| %s | %d | %.0f |' % (reference['program'], row['dram_reads'], dram_of(reference)))
        write_variants(say, rows, done)
        say('\n## How this page was made\n\nMade by `eval/hardware.py --table` on %s from `eval/hardware.jsonl`, whose rows '
            '`eval/hardware.py build\n--rodinia=… --parboil=… --samples=…` adds.' % datetime.date.today())


def write_variants(say, rows, done):
    """What the assumptions change: rows with --set, whose names have the settings."""
    variants = sorted({row['settings'] for row in rows.values() if row.get('settings')})
    if not variants:
        return
    say('\n## What the assumptions change\n\n| setting | kernels | mean absolute error | with the machine as it is |')
    say('|---|---:|---:|---:|')
    for settings in variants:
        both = [(rows[name], row, float(reference['cycles'])) for reference, row in done
                for name in [reference['program'] + ' ' + settings] if 'cycles' in rows.get(name, {})]
        if both:
            errors = [[abs((one['cycles'] + LAUNCH) / measured - 1) for one in (new, old)] for new, old, measured in both]
            say('| `%s` | %d | %.0f %% | %.0f %% |' % (
                settings, len(both), *(100 * sum(column) / len(both) for column in zip(*errors))))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', nargs='?', type=pathlib.Path)
    for name in 'rodinia', 'parboil', 'samples':
        parser.add_argument('--' + name, type=pathlib.Path)
    parser.add_argument('--only')
    parser.add_argument('--config', default='v100')
    parser.add_argument('--set', action='append', default=[])
    parser.add_argument('--seconds', type=int, default=3600)
    for flag in 'again', 'table':
        parser.add_argument('--' + flag, action='store_true')
    options = parser.parse_args()
    if options.table:
        write_page()
        return
    if not options.build:
        sys.exit(__doc__)
    options.build, options.arch, options.cudart = options.build.resolve(), 'sm_75', 'static'
    settings = ' '.join(options.set)
    for program in PROGRAMS:
        source = getattr(options, program['suite'])
        name = (program['name'] + ' ' + settings).strip()
        if not source or (options.only and program['name'] not in options.only.split(',')) or \
                (name in read_rows() and not options.again):
            continue
        row = {'name': name, 'settings': settings, 'config': options.config, 'nvcc': version(),
               'date': datetime.date.today().isoformat(), **run_program(program, source.resolve(), options)}
        write_rows({**read_rows(), name: row})
        print('%-28s %-10s %-8s %s' % (name, row['ran'], row['check'], row.get('cycles', row['reason'])), flush=True)


def version():
    """The release of nvcc, such as 13.0"""
    text = run([NVCC, '--version'], OLD, 60)[1]
    return text.split('release ')[1].split(',')[0]


main()
