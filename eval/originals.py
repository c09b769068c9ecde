#!/usr/bin/env python3
"""The papers' own programs: runs them on the papers' machines, with and without what the papers propose.

usage: originals.py BUILD-ROOT --suites=FOLDER [--paper=000,001…] [--only=NAME,NAME…] [--variant=NAME,NAME…] [--again]
                    [--functional] [--seconds=N] [--before=COMMAND] [--keep=FOLDER] [--shows]
       originals.py BUILD-ROOT --suites=FOLDER --record=FOLDER [--paper=000,001…] [--only=NAME,NAME…]
       originals.py --sources
       originals.py --digests --suites=FOLDER
       originals.py --table[=FILE]
       originals.py --columns[=PAGE,PAGE…]

eval/suites/programs.yaml names the suites and builds their programs; eval/suites/NNN.yaml has the workloads of paper
[NNN], with input, region and check. FOLDER has one folder for each suite, such as FOLDER/rodinia; --sources prints the
commands that fetch them. A program that is not there, or whose files have another digest than the table, is left out
with a message. --digests prints those of the files that are there.

Each workload is built by nvcc in a temporary folder and run under each variant of its paper, for at most --seconds of CPU time
(900 if absent). Those of a paper with a table of loads also run without time, which counts all instructions and the loads that
are in no chain; --functional runs only this, for all papers. Each run is a row of eval/originals.jsonl; one that is there is not
run again without --again.
--record writes the launches of each workload's region as run files, FOLDER/NNN-NAME/run-0.yaml and so on, with its PTX and its memory
before and after them: ptxoffload-sim runs them without nvcc and without the suite, and compares. Here each is run once, and a line says
for each workload the size, the check of the program itself, and how many run files had its results. Folders of workloads that are
recorded again are emptied.
--before is put before the simulator's command, such as 'nice -n 15'; --keep keeps all statistics. --table writes
docs/results/originals.md, or FILE, from the rows, and --columns the column "original" of the pages of our own workloads, or of
these (tom.md), which else remain as they are.
"""
import argparse
import datetime
import fcntl
import fnmatch
import hashlib
import json
import pathlib
import shlex
import shutil
import sys
import tempfile

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import originals_columns  # noqa: E402
import originals_table  # noqa: E402
import programs_suites  # noqa: E402
from programs import copy_of  # noqa: E402
from programs_run import NVCC, OLD, change_copy, compile_sources, run, verdict_of  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[1]
SUITES = ROOT / 'eval' / 'suites'
ROWS = ROOT / 'eval' / 'originals.jsonl'
CODE = {'.c', '.cc', '.cpp', '.cu', '.cuh', '.h', '.hh', '.hpp'}


def read_programs():
    """(suites, programs) of eval/suites/programs.yaml"""
    table = yaml.safe_load((SUITES / 'programs.yaml').read_text())
    return table['suites'], table['programs']


def read_papers():
    return [yaml.safe_load(path.read_text()) for path in sorted(SUITES.glob('[0-9]*.yaml'))]


def read_rows():
    lines = ROWS.read_text().splitlines() if ROWS.exists() else []
    return {(row['paper'], row['workload'], row['variant']): row for row in map(json.loads, lines)}


def write_row(row):
    with (SUITES / 'programs.yaml').open() as lock:  # of another run at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        rows = {**read_rows(), (row['paper'], row['workload'], row['variant']): row}
        beside = ROWS.with_suffix('.new')
        beside.write_text(''.join(json.dumps(rows[key]) + '\n' for key in sorted(rows)))
        beside.rename(ROWS)


def digest_of(folder):
    """Of all code below the folder: SHA-256 over the lines `path digest`"""
    lines = ['%s %s\n' % (path.relative_to(folder).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest())
             for path in sorted(folder.rglob('*')) if path.suffix in CODE and path.is_file()]
    return hashlib.sha256(''.join(lines).encode()).hexdigest()[:32]


def missing(program, options):
    """Why the program cannot be built, or None"""
    folder = options.suites / program['suite'] / program['folder']
    if not folder.is_dir():
        return 'the suite %s has no folder %s; --sources says how to fetch it' % (program['suite'], program['folder'])
    if digest_of(folder) != program['digest']:
        return '%s has other sources than eval/suites/programs.yaml: %s' % (program['folder'], digest_of(folder))
    return None


# A workload

def merged(workload, programs):
    """The program with what the workload adds, in the form of programs_suites.py"""
    program = {'alone': True, **programs[workload['program']]}
    sizes = dict(workload.get('sizes', {}))
    program.update(edits=program.get('edits', []) + workload.get('edits', []),
                   options=program.get('options', []) + workload.get('options', []), arguments=workload.get('arguments', []),
                   header=sizes.pop('header', ''), sizes=sizes, guess=True, run=workload.get('run', []),
                   made=[(name, getattr(programs_suites, function), *arguments)
                         for name, function, *arguments in workload.get('made', [])])
    return program


def build(program, source, work, options):
    """(the folder, the executable, an error or None) in a copy of the program"""
    copy_of(program, source, work)
    folder = work / program['folder']
    program['options'] = [word.format(suites=options.suites, root=ROOT) for word in program['options']]
    change_copy(program, folder)
    return folder, folder / 'program.simulated', compile_sources(program, folder, folder / 'program.simulated', options)


def simulate(program, folder, to, options, more, environment=None):
    command = [*options.before, options.build / 'cli' / 'ptxoffload-run', '-w', '-q', *more, *program['run'], '--', to,
               *program['arguments']]
    code, text, spent = run(command, folder, options.seconds, environment)
    if options.shows:
        print(text)
    ran, check, reason = verdict_of(program, code, text)
    return {'ran': ran, 'check': check, 'reason': reason, 'seconds': round(spent, 1)}


def of_kernels(result):
    """The statistics of all kernels together, without those of copies; of the host, and of what has none for kernels, the total.
    Means and maxima are those of the run: they are less than the sum."""
    kernels = [one['statistics'] for one in result['kernels']]
    return {name: min(total, sum(one[name] for one in kernels))
            if not name.startswith('host.') and all(name in one for one in kernels)
            else total for name, total in result['total']['statistics'].items()}


def settings(paper, variant):
    return ['--set=%s=%s' % (key, json.dumps(value).strip('"'))
            for key, value in {**paper.get('set', {}), **variant.get('set', {})}.items()]


def run_variant(paper, workload, variant, program, folder, to, options):
    """A row's results: the statistics that the paper's tables name, cycles of kernel0 and so on, and the digest of the workload's
    output"""
    words = ['--config=' + paper['machine'], '--registers=ptxas', '--stats=stats.json', *workload.get('timed', []),
             *settings(paper, variant)]
    words += ['--policy=' + variant['policy']] if 'policy' in variant else []
    words += ['--offload=' + variant['offload']] if 'offload' in variant else []
    row = simulate(program, folder, to, options, words, variant.get('environment'))
    try:
        result = json.loads((folder / 'stats.json').read_text())
        statistics = of_kernels(result)
    except (OSError, ValueError) as wrong:
        row['reason'] = row['reason'] or 'no results: %s' % wrong
        return row
    if row['ran'] != 'ran':
        return row
    output = folder / workload.get('output', 'none')
    if output.is_file():
        row['output'] = hashlib.sha256(output.read_bytes()).hexdigest()[:16]
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
        name = '%s-%s-%s.json' % (paper['paper'], workload['name'], variant['name'])
        (options.keep / name).write_text(json.dumps(statistics))
    row['statistics'] = {name: value for name, value in statistics.items()
                         if any(fnmatch.fnmatchcase(name, pattern) for pattern in paper['statistics'])}
    row['statistics'].update(('kernel%d.cycles' % n, one['statistics']['machine.cycles'])
                             for n, one in enumerate(result['kernels']))
    return row


# Without time: how often each load is executed, and which are in a chain

def count_loads(profile, metadata):
    """Executions of all instructions, of those in chains, of accesses to memory, and of loads by rule of rejection"""
    counts = {'instructions': 0, 'tagged': 0, 'accesses': 0, 'tagged_accesses': 0, 'loads': {}}
    for kernel in profile['kernels']:
        tags = next((one for one in metadata['kernels'] if one['name'] == kernel['name']), {'chains': [], 'rejected': []})
        chains = {(one['line'], one['column']) for chain in tags['chains'] for one in chain['instructions']}
        rules = {(one['line'], one['column']): one['rule'] for one in tags['rejected'] if one['kind'] == 'load'}
        for one in kernel['functions'][0]['instructions']:
            place, executed = (one['line'], one['column']), one['executions']
            counts['instructions'] += executed
            counts['tagged'] += executed * (place in chains)
            is_load = one['opcode'].startswith(('ld.global', 'ld.volatile.global', 'ldu.global'))
            if is_load or one['opcode'].startswith(('st.global', 'st.volatile.global', 'atom.', 'red.')):
                counts['accesses'] += executed
                counts['tagged_accesses'] += executed * (place in chains)
            if is_load:
                rule = 'in a chain' if place in chains else rules.get(place, 'no rule')
                counts['loads'][rule] = counts['loads'].get(rule, 0) + executed
    return counts


def run_functional(program, folder, to, options):
    row = simulate(program, folder, to, options, ['--functional', '--profile-out=profile.json'])
    simulate(program, folder, to, options, ['--functional', '--offload=--fma=split --metadata=tags.json'])
    try:
        row.update(count_loads(*(json.loads((folder / name).read_text()) for name in ('profile.json', 'tags.json'))))
    except (OSError, ValueError) as wrong:
        row['reason'] = row['reason'] or 'no results: %s' % wrong
    return row


# Recorded runs

def replay(folder, options):
    """Runs the recorded launches: (launches, run files, those with the program's results, CPU seconds)"""
    launches = right = spent = 0
    paths = sorted(folder.glob('run-*.yaml'))
    for path in paths:
        command = [options.build / 'cli' / 'ptxoffload-sim', '-w', '-q', '--functional', path]
        code, text, seconds = run(command, folder, options.seconds)
        right, spent = right + (code == 0), spent + seconds
        launches += path.read_text().count('- {kernel: ')
        if options.shows:
            print(text)
    return launches, len(paths), right, spent


def record(paper, workload, program, options):
    """Writes the launches of the workload's region with their results, without time, and runs them"""
    variant = paper['variants'][0]
    words = ['--functional', '--config=' + paper['machine'], *settings(paper, variant), *workload.get('timed', [])]
    to_folder = options.record / ('%s-%s' % (paper['paper'], workload['name']))
    shutil.rmtree(to_folder, ignore_errors=True)
    options.record.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix='ptxoffload-originals-') as work:
        folder, to, wrong = build(program, options.suites / program['suite'], pathlib.Path(work) / 'suite', options)
        if not wrong:
            row = simulate(program, folder, to, options, [*words, '--expect', '--record=%s' % to_folder],
                           variant.get('environment'))
            wrong = row['reason'] or (row['ran'] if row['ran'] != 'ran' else '')
    if not wrong:
        launches, count, right, spent = replay(to_folder, options)
        wrong = '' if launches else 'nothing was recorded'
    if not wrong:
        size = sum(path.stat().st_size for path in to_folder.iterdir()) / 1e6
        wrong = '%8.1f MB %4d launches, %s, %d of %d runs have its results, %.1f s' % (
            size, launches, row['check'], right, count, row['seconds'] + spent)
    print('%s %-18s %s' % (paper['paper'], workload['name'], wrong), flush=True)


def run_workload(paper, workload, programs, options):
    wanted = [] if options.functional else paper['variants']
    rows = read_rows()
    wanted = [one for one in [*([{'name': 'functional'}] if 'loads' in paper or options.functional else []), *wanted]
              if (options.again or (paper['paper'], workload['name'], one['name']) not in rows)
              and (not options.variant or one['name'] in options.variant)]
    if 'needs' in workload or ('whole_of' in workload if options.record else not wanted):
        return
    program = merged(workload, programs)
    wrong = missing(program, options)
    if wrong:
        print('%s %s is left out: %s' % (paper['paper'], workload['name'], wrong), flush=True)
        return
    if options.record:
        record(paper, workload, program, options)
        return
    with tempfile.TemporaryDirectory(prefix='ptxoffload-originals-') as work:
        folder, to, wrong = build(program, options.suites / program['suite'], pathlib.Path(work) / 'suite', options)
        for variant in wanted:
            row = {'paper': paper['paper'], 'workload': workload['name'], 'variant': variant['name'],
                   'date': datetime.date.today().isoformat(), 'nvcc': version()}
            if wrong:
                row.update(ran='not built', check='', reason=wrong, seconds=0)
            elif variant['name'] == 'functional':
                row.update(run_functional(program, folder, to, options))
            else:
                row.update(run_variant(paper, workload, variant, program, folder, to, options))
            write_row(row)
            print('%s %-14s %-12s %-12s %-8s %6.1f %s' % (
                row['paper'], row['workload'], row['variant'], row['ran'], row['check'], row['seconds'],
                row['reason'] or row.get('statistics', row).get('machine.cycles', row.get('instructions', ''))), flush=True)


def version():
    """The release of nvcc, such as 13.0"""
    return run([NVCC, '--version'], OLD, 60)[1].split('release ')[1].split(',')[0]


def print_sources(suites):
    for name, suite in suites.items():
        print('git clone %s %s && git -C %s checkout %s' % (suite['repository'], name, name, suite['commit']))


def add_columns(pages=(), folder=originals_columns.RESULTS):
    """Adds the originals to these result pages, or to all"""
    rows = read_rows()
    originals_columns.write([originals_table.Paper(table, rows) for table in read_papers()], pages, folder)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument('build', nargs='?', type=pathlib.Path)
    for name in 'suites', 'record':
        parser.add_argument('--' + name, type=lambda text: pathlib.Path(text).resolve())
    for name in 'paper', 'only', 'variant':
        parser.add_argument('--' + name, type=lambda text: text.split(','), default=[])
    parser.add_argument('--seconds', type=int, default=900)
    parser.add_argument('--before', type=shlex.split, default=[])
    parser.add_argument('--keep', type=pathlib.Path)
    parser.add_argument('--table', nargs='?', type=pathlib.Path, const=originals_table.PAGE)
    parser.add_argument('--columns', nargs='?', type=lambda text: text.split(','), const=[])
    for flag in 'again', 'shows', 'functional', 'sources', 'digests':
        parser.add_argument('--' + flag, action='store_true')
    options = parser.parse_args()
    suites, programs = read_programs()
    if options.table:
        notes = yaml.safe_load((SUITES / 'page.yaml').read_text())
        originals_table.write(options.table, read_papers(), suites, programs, read_rows(), notes)
        return
    if options.columns is not None:
        add_columns(options.columns)
        return
    if options.sources:
        print_sources(suites)
        return
    if not options.suites or not (options.build or options.digests):
        sys.exit(__doc__)
    if options.digests:
        for name, program in programs.items():
            folder = options.suites / program['suite'] / program['folder']
            print(name, digest_of(folder) if folder.is_dir() else 'is not there')
        return
    options.build, options.arch, options.cudart = options.build.resolve(), 'sm_75', 'static'
    for paper in read_papers():
        for workload in paper['workloads']:
            if (not options.paper or paper['paper'] in options.paper) and \
                    (not options.only or workload['name'] in options.only):
                run_workload(paper, workload, programs, options)


if __name__ == '__main__':
    main()
