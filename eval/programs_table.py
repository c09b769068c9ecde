"""docs/results/programs.md from the rows of eval/programs.py."""
import collections
import pathlib

TO = pathlib.Path(__file__).resolve().parents[1] / 'docs' / 'results' / 'programs.md'
HEAD = '''# Programs of benchmark suites

**%d of %d programs run functionally, and %d of %d of their own checks pass%s.** The tables have the reason for
each failure.

Each program was compiled by nvcc from its own sources, and run by `ptxoffload-run --functional`. Rodinia and PolyBench-GPU
have inputs and small sizes made by `eval/programs_suites.py`. HeCBench has the arguments of its Makefiles, or smaller ones
where these take too long, as the table shows. "Check" is what the program says of its own results: "none" if it says
nothing; such a program ended with exit code 0 and without a fault.

    eval/programs.py BUILD --hecbench=FOLDER/src --samples=FOLDER --policies=baseline,omni,tom-ctrl
    eval/programs.py --table

'''


def counts(rows):
    """programs that ran, programs that were built, passed checks, checks"""
    built = [row for row in rows if row['ran'] not in ('not built', 'not run', 'not there')]
    return (sum(row['ran'] == 'ran' for row in built), len(built), sum(row['check'] == 'passed' for row in built),
            sum(row['check'] in ('passed', 'failed') for row in built))


def timed_rows(rows):
    return [row for row in rows if 'baseline' in row]


def cell(text):
    return str(text).replace('|', '\\|').replace('\n', ' ')


def suite_table(suite, rows):
    left = [row for row in rows if row['ran'] in ('not built', 'not run')]
    lines = ['## %s' % suite, '', '%d of %d programs ran; %d of %d checks passed. %d more could not be built here.' %
             (*counts(rows), len(left)), '', '| program | arguments | | check | reason |', '|---|---|---|---|---|']
    lines += ['| %s |' % ' | '.join(cell(row.get(key, '')) for key in ('name', 'arguments', 'ran', 'check', 'reason'))
              for row in rows]
    return '\n'.join(lines) + '\n\n'


def offload_table(rows):
    policies = [name for name in ('omni', 'tom-ctrl') if any(name in row for row in rows)]
    if not policies:
        return ''
    lines = ['## By cycles, and offloaded', '',
             'Programs that are small enough, on the machines `isca19` and `tom`. Chains and blocks are those that the '
             'tagger finds in all kernels of the program; instances are those that a run offloads.', '',
             '| program | cycles | kernels | chains | offloaded | blocks | offloaded | check |', '|---|---:|---:|---:|---:|---:|---:|---|']
    for row in timed_rows(rows):
        omni, tom = row.get('omni', {}), row.get('tom-ctrl', {})
        checks = [row[name] for name in ('baseline', *policies) if name in row]
        verdict = '; '.join(sorted({one['reason'] or one['ran'] if one['ran'] != 'ran' else one['check'] for one in checks}))
        lines.append('| %s |' % ' | '.join(cell(one if one is not None else '') for one in (
            row['name'], row['baseline'].get('cycles', ''), omni.get('kernels', ''), omni.get('chains', ''),
            omni.get('offloaded', {}).get('chains_offloaded', ''), tom.get('blocks', ''),
            tom.get('offloaded', {}).get('blocks_offloaded', ''), verdict)))
    rules = collections.Counter()
    none = [row for row in rows if row.get('omni', {}).get('chains') == 0]
    for row in none:
        rules.update(row['omni'].get('rejected', {}))
    lines += ['', '%d of %d programs have no chain. Their loads and chains were rejected for these reasons '
              '([rules](../reference/diagnostics.md)):' % (len(none), sum('omni' in row for row in rows)), '',
              '| rule | instructions | programs |', '|---|---:|---:|']
    for rule, count in rules.most_common(12):
        lines.append('| %s | %d | %d |' % (rule, count, sum(rule in row['omni'].get('rejected', {}) for row in none)))
    return '\n'.join(lines) + '\n\n'


def write_table(rows):
    rows = list(rows)
    suites = sorted({row['suite'] for row in rows})
    timed = timed_rows(rows)
    by_cycles = '; %d of %d run by cycles' % (sum(row['baseline']['ran'] == 'ran' for row in timed), len(timed))
    text = HEAD % (*counts(rows), by_cycles if timed else '')
    text += offload_table(rows)
    for suite in suites:
        text += suite_table(suite, [row for row in rows if row['suite'] == suite])
    dates = sorted({row['date'] for row in rows})
    text += 'Run from %s to %s.\n' % (dates[0], dates[-1])
    TO.write_text(text)
