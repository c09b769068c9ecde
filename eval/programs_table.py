"""docs/results/programs.md from the rows of eval/programs.py."""
import collections
import json
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
TO = HERE.parent / 'docs' / 'results' / 'programs.md'
HEAD = '''# Programs of benchmark suites

**%(ran)d of %(built)d programs run functionally, and %(passed)d of %(checks)d of their own checks pass; %(cycles)d run by cycles, and %(offloaded)d with
tagged PTX under `omni` and `tom-ctrl`.** The tables have the reason for each failure. %(left)d more could not be built here.

Each program was compiled by nvcc from its own sources, and run by `ptxoffload-run --functional`. "Check" is what the program says of
its own results: "none" if it says nothing; such a program ended with exit code 0 and without a fault.

Inputs are small by these rules. Rodinia and PolyBench-GPU have inputs and sizes made by `eval/programs_suites.py`. NVIDIA's samples
have their own, or those of the table `SMALLER` there. HeCBench has the arguments of its Makefiles, where an argument that the
program's usage text calls a number of repetitions is 2 at most; if the program takes too long, each number above 256, then above 16,
is divided by a power of two; its first 49 programs were run before there was a rule of repetitions. The limits are 7 to 12 s of CPU time for a functional run, and 10 to 20 s by cycles, for
programs that took at most 0.3 to 2 s functionally.

    eval/programs.py BUILD --hecbench=FOLDER/src --samples=FOLDER --policies=baseline,omni,tom-ctrl
    eval/programs.py --table

'''
NOT_BUILT = 'not built', 'not run', 'not there'
# Why programs did not run, by what their rows say; the first that fits.
CLASSES = [
    (lambda row: 'smaller arguments' in row['reason'], 'time is over, and smaller arguments do not suit the program'),
    (lambda row: row['ran'] == 'time is over', 'time is over'),
    (lambda row: re.search('machine code for sm_', row['reason']), 'it asks NVRTC for machine code, not PTX'),
    (lambda row: re.search(r'linked statically|cuGetExportTable|cu(BLAS|FFT|SOLVER|SPARSE)', row['reason'], re.I),
     "it calls a library of NVIDIA's without symbol table (cuBLAS, cuFFT, cuSOLVER, ...)"),
    (lambda row: row['ran'] == 'exit code 2', 'it declines: it wants several devices, or a property that the device does not report'),
    (lambda row: row['ran'] == 'fault', 'a fault, mostly of the program'),
    (lambda row: True, 'its own error: input files that are not part of the sources, or others'),
]
# Rules of chains: what the paper says. Rules without a sentence are in the table, too.
PAPER = {
    'shared': 'not admitted: "Applications such as RED heavily make use of shared memory in GPUs. This limits the scope of our '
              'computation offloading." [§6.2]',
    'width': 'copies of 64 bits are admitted, and are chains since some of these rows were made; operations on them are not: "a 32-wide '
             'single-precision floating point and integer ALU" [§4.2]; vectors with `--capability` (`vector: 4`)',
    'type': 'as `width`; integers of 16 bits would fit the sentence: comparisons of them are chains since these rows were made, '
            'other operations are left out by our reading (below)',
    'operation': 'division and square roots: as `width`; `--capability` (`operations`)',
    'reuse': 'not admitted: "loads with further reuse at the core should not be offloaded, as it will negatively impact the L1D '
             'locality" [§4.1]',
    'register-operand': 'not admitted: "we concentrate only on patterns that can be packed into a single flit" [§4.1]',
    'varying-scalar': 'as `register-operand`',
    'pattern': 'not admitted: "All nine patterns that we offload for computation start with a load instruction and end either with an '
               'ALU operation or a store operation" [§4.1]; a stored constant starts with no load, and no row of Table 1 leaves '
               'f(a,i) in a register',
    'cross-block': 'not admitted where the value depends on control flow (it has several definitions): "the offload chains\' '
                   'instructions are contiguously stored" [§4.2]; other readers in another block would give no chain (below)',
    'fma': 'admitted if the multiply-add is divided, which rounds differently: `--fma=split`',
    'atomic': 'not admitted: no row of Table 1 has an atomic operation; it is executed at the memory already',
    'volatile': 'not admitted: it must not be moved',
}


def built_rows(rows):
    return [row for row in rows if row['ran'] not in NOT_BUILT]


def counts(rows):
    """programs that ran, programs that were built, passed checks, checks"""
    built = built_rows(rows)
    return (sum(row['ran'] == 'ran' for row in built), len(built), sum(row['check'] == 'passed' for row in built),
            sum(row['check'] in ('passed', 'failed') for row in built))


def timed_rows(rows):
    """Programs whose run by cycles came to its end, and launched a kernel."""
    return [row for row in rows if row.get('baseline', {}).get('ran') == 'ran' and row['baseline'].get('cycles')]


def offloaded_rows(rows):
    return [row for row in timed_rows(rows) if all(row.get(name, {}).get('ran') == 'ran' for name in ('omni', 'tom-ctrl'))]


def cell(text):
    return str(text).replace('|', '\\|').replace('\n', ' ')


def suite_table(suite, rows):
    lines = ['## %s' % suite, '', '%d of %d programs ran; %d of %d checks passed. %d more could not be built here.' %
             (*counts(rows), len(rows) - len(built_rows(rows))), '', '| program | arguments | | check | reason |', '|---|---|---|---|---|']
    lines += ['| %s |' % ' | '.join(cell(row.get(key, '')) for key in ('name', 'arguments', 'ran', 'check', 'reason'))
              for row in rows]
    return '\n'.join(lines) + '\n\n'


def summary_table(rows, suites):
    lines = ['| suite | programs | ran | checks | passed | by cycles | offloaded | could not be built |',
             '|---|---:|---:|---:|---:|---:|---:|---:|']
    for suite in [*suites, None]:
        of = [row for row in rows if suite in (None, row['suite'])]
        ran, built, passed, checks = counts(of)
        lines.append('| %s | %d | %d | %d | %d | %d | %d | %d |' % (
            suite or 'all', built, ran, checks, passed, len(timed_rows(of)), len(offloaded_rows(of)), len(of) - built))
    return '\n'.join(lines) + '\n\n'


def failures_table(rows):
    """The programs that did not run, by class."""
    found = collections.Counter()
    for row in built_rows(rows):
        if row['ran'] != 'ran':
            found[next(text for fits, text in CLASSES if fits(row))] += 1
    lines = ['## Programs that did not run', '', '| programs | reason |', '|---:|---|']
    lines += ['| %d | %s |' % (count, text) for text, count in found.most_common()]
    return '\n'.join(lines) + '\n\n'


def verdict_of(run):
    if run['ran'] != 'ran':
        return run['reason'] or run['ran']
    return run['check']


def offload_table(rows):
    lines = ['## By cycles, and offloaded', '',
             'On the machines `isca19` and `tom`. Chains and blocks are those that the tagger finds in all kernels of the program; '
             'instances are those that a run offloads. "Check" is that of all three runs.', '',
             '| program | cycles | kernels | chains | offloaded | blocks | offloaded | check |',
             '|---|---:|---:|---:|---:|---:|---:|---|']
    for row in timed_rows(rows):
        omni, tom = row.get('omni', {}), row.get('tom-ctrl', {})
        verdicts = sorted({verdict_of(row[name]) for name in ('baseline', 'omni', 'tom-ctrl') if name in row})
        lines.append('| %s |' % ' | '.join(cell(one if one is not None else '') for one in (
            row['name'], row['baseline'].get('cycles', ''), omni.get('kernels', ''), omni.get('chains', ''),
            omni.get('offloaded', {}).get('chains_offloaded', ''), tom.get('blocks', ''),
            tom.get('offloaded', {}).get('blocks_offloaded', ''), '; '.join(verdicts))))
    return '\n'.join(lines) + '\n\n'


def rules_table(rows):
    """What rejected loads, stores and chains, by rule."""
    tagged = [row['baseline'] for row in rows if 'kernels' in row.get('baseline', {})]
    accesses, kernels, programs = collections.Counter(), collections.Counter(), collections.Counter()
    for one in tagged:
        rules = {name: count for name, count in one['rejected'].items() if name.startswith('load ')}
        accesses.update(rules)
        programs.update(set(rules))
        kernels.update({name: one.get('kernels_rejected', {}).get(name, 0) for name in rules})
    lines = ['## What stops chains', '',
             'In the programs above, %d of %d kernels have a chain, and %d of %d programs. Loads of the kernels that are in no chain, by '
             '[rule](../reference/diagnostics.md), with what [000] says of it:' % (
                 sum(one['kernels'] - one.get('kernels_without', 0) for one in tagged), sum(one['kernels'] for one in tagged),
                 sum(one['chains'] > 0 for one in tagged), len(tagged)), '',
             '| rule | loads | kernels | programs | [000] |', '|---|---:|---:|---:|---|']
    for name, _ in sorted(kernels.items(), key=lambda item: (-item[1], item[0])):
        rule = name.split()[1]
        lines.append('| %s | %d | %d | %d | %s |' % (rule, accesses[name], kernels[name], programs[name], PAPER.get(rule, '')))
    return '\n'.join(lines) + '\n\n' + change_table()


def change_table():
    """Counts of eval/programs_chains.py, before and after a change and with options."""
    stored = json.loads((HERE / 'programs_chains.json').read_text())
    lines = ['%s Each line is a count over the same %d PTX files, which nvcc made of sources of PolyBench-GPU, Rodinia and every fourth '
             'program of HeCBench (`eval/programs_chains.py`):' % (stored['text'], stored['files']), '',
             '| | chains | kernels without, of %d | files without |' % stored['kernels'], '|---|---:|---:|---:|']
    lines += ['| %s | %d | %d | %d |' % tuple(row) for row in stored['rows']]
    return '\n'.join(lines) + '\n\n'


def write_table(rows):
    rows = list(rows)
    suites = sorted({row['suite'] for row in rows})
    ran, built, passed, checks = counts(rows)
    text = HEAD % {'ran': ran, 'built': built, 'passed': passed, 'checks': checks, 'cycles': len(timed_rows(rows)),
                   'offloaded': len(offloaded_rows(rows)), 'left': len(rows) - built}
    text += summary_table(rows, suites) + failures_table(rows) + offload_table(rows) + rules_table(rows)
    for suite in suites:
        text += suite_table(suite, [row for row in rows if row['suite'] == suite])
    dates = sorted({row['date'] for row in rows})
    text += 'Run from %s to %s.\n' % (dates[0], dates[-1])
    TO.write_text(text)
