#!/usr/bin/env python3
"""The papers' own programs: the tables in eval/suites, and eval/originals.py with programs that need no nvcc.

usage: originals.py BUILD-ROOT
"""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
import lib
from lib import PROGRAMS, ROOT, fatbin
from tap import Skip, case, ends, main, run, same, within

EVAL = ROOT / 'eval'
SCRIPT = EVAL / 'originals.py'
# [000, Table 3], [001, Table 3], [002, Table 2], [003, Table I]
WORKLOADS = {
    '000': 'BFS FDTD KMN MVT RED SCP SRAD STREAM TRIAD',
    '001': 'vectorAdd matrixMul histogram64 BlackScholes BFS HotSpot FIBLookup',
    '002': 'BP BFS KM CFD HW LIB RAY FWT SP RD',
    '003': 'CONV HIST INTEGR MRIQ NN NW PATH STENCIL STREAM',
}


def needs_yaml():
    if importlib.util.find_spec('yaml') is None:
        raise Skip('python3-yaml is not installed')


def module(name='originals'):
    """eval/originals.py, or another module of eval"""
    needs_yaml()
    sys.path.insert(0, str(EVAL))
    return importlib.import_module(name)


@case
def workloads(folder):
    """every workload of a paper is listed once, with what a row needs"""
    originals = module()
    papers = {one['paper']: one for one in originals.read_papers()}
    same(sorted(papers), ['000', '001', '002', '003', '004'])
    for name, paper in papers.items():
        listed = [one['name'] for one in paper['workloads'] if 'whole_of' not in one]
        same(len(set(listed)), len(listed))
        assert {one['whole_of'] for one in paper['workloads'] if 'whole_of' in one} <= set(listed)
        same(sorted(listed), sorted(WORKLOADS.get(name, ' '.join(listed)).split()))
        for one in paper['workloads']:
            assert 'needs' in one or {'program', 'input', 'region'} <= set(one), one
        variants = ['functional', *(one['name'] for one in paper['variants'])]
        for figure in paper['figures']:
            assert figure['unit'] in ('gain', 'percent', 'ratio', 'number') and figure['mean'] in ('geometric', 'arithmetic'), figure
            for column in figure['columns']:
                used = {match.split('.')[0] for match in re.findall(r'[a-z]\w*(?:\.[\w*]+)+', column['value'])}
                assert used <= set(variants), column
    assert len(papers['004']['workloads']) >= 6


@case
def programs(folder):
    """every program has a suite at a commit and a digest, and every edit and input the right form"""
    originals = module()
    suites, found = originals.read_programs()
    for suite in suites.values():
        assert re.fullmatch('[0-9a-f]{40}', suite['commit']) and suite['repository'].startswith('https://github.com/'), suite
        assert suite['licence'] and suite['publication'], suite
    for name, program in found.items():
        assert program['suite'] in suites and re.fullmatch('[0-9a-f]{32}', program['digest']), name
    used = set()
    for paper in originals.read_papers():
        for workload in (one for one in paper['workloads'] if 'needs' not in one):
            used.add(workload['program'])
            merged = originals.merged(workload, found)
            assert all(len(edit) == 3 and all(isinstance(text, str) for text in edit) for edit in merged['edits']), workload
            assert all(isinstance(word, str) for word in merged['arguments'] + merged['options']), workload
            assert all(callable(make) for _, make, *_ in merged['made']), workload
    same(used, set(found))


@case
def page(folder):
    """the page has the numbers of the stored rows"""
    needs_yaml()
    ends(run([sys.executable, SCRIPT, '--table=page.md'], folder), 0)
    made, stored = ((at / name).read_text().split('\n') for at, name in ((folder, 'page.md'), (ROOT, 'docs/results/originals.md')))
    same([pair for pair in zip(made, stored) if pair[0] != pair[1]][:3], [])
    same(len(made), len(stored))


@case
def columns(folder):
    """the pages of our own workloads have the originals of the stored rows, and a second time changes nothing"""
    originals, results = module(), ROOT / 'docs/results'
    columns_of = module('originals_columns').columns_of
    papers = [module('originals_table').Paper(table, originals.read_rows()) for table in originals.read_papers()]
    names = [name for name in columns_of(papers) if '| original |' in (results / name).read_text()]
    assert len(names) >= 4, names
    for name in names:
        (folder / name).write_text((results / name).read_text())
    originals.add_columns(names, folder)
    same([name for name in names if (folder / name).read_text() != (results / name).read_text()], [])


@case
def notes(folder):
    """each workload whose original is far from ours has a note, whose numbers are those of the rows"""
    originals, table = module(), module('originals_table')
    for one in originals.read_papers():
        paper = table.Paper(one, originals.read_rows())
        same((one['paper'], [name for name in paper.differing() if name not in one['notes']]), (one['paper'], []))
        named = {workload['name']: workload for workload in paper.workloads}
        for name, text in one['notes'].items():
            assert not re.search(r'[{}]|not run', paper.filled(named[name], text)), text
    rows = {('9', 'x', 'a'): {'statistics': {'b.c': 1234567.6}, 'loads': {'no-gain': 1, 'width': 3}}}
    paper = table.Paper({'paper': '9', 'workloads': [{'name': 'x'}], 'figures': []}, rows)
    same(paper.filled({'name': 'x'}, '{a.b.c} and {100 * a.loads.no_gain / a.loads.all:.1f} %'), '1,234,568 and 25.0 %')
    other = [{'name': 'y', 'whole_of': 'w'}, {'name': 'x', 'whole_of': 'w'}, {'name': 'w'}]
    paper = table.Paper({'paper': '9', 'workloads': other, 'figures': []}, rows)
    same(paper.filled(other[2], '{a.b.c}, {r0.a.b.c}, {r1.a.b.c}'), '(not run), (not run), 1,234,568')


OWN_PAGE = '''# Page

## Gain

Text.

| workload | new, % | paper |
|---|---:|---:|
| X | +1.25 |  |
| Y | +2.00 | +3.00 |
| **mean** | +1.62 |  |

## End
'''


@case
def one_column(folder):
    """a column follows ours, with as many digits, and its mean; readers of tables do not see it"""
    table = module('originals_table')
    column = {'value': 'base.c / new.c', 'ours': ['own.md', 'Gain', 0, 'new, %']}
    paper = table.Paper({'paper': '9', 'workloads': [{'name': 'x', 'ours': 'X'}, {'name': 'Y'}],
                         'figures': [{'unit': 'gain', 'mean': 'geometric', 'columns': [column]}]},
                        {('9', 'x', one): {'statistics': {'c': count}} for one, count in (('base', 3), ('new', 2))})
    paper.ours = lambda workload, column: None
    (folder / 'own.md').write_text(OWN_PAGE)
    for _ in range(2):
        module('originals_columns').write([paper], folder=folder)
        lines = (folder / 'own.md').read_text().splitlines()
        same(lines[6:12], ['The column "original" has [the suites\' own programs](originals.md); its mean is over 1 of the workloads.',
                           '', '| workload | new, % | original | paper |', '|---|---:|---:|---:|', '| X | +1.25 | +50.00 |  |',
                           '| Y | +2.00 |  | +3.00 |'])
        same(lines[12], '| **mean** | +1.62 | +50.00 |  |')
        same(len(lines), 15)
    module()  # eval is in the path
    same([rows for _, rows in importlib.import_module('page_tables').tables(lines)],
         [rows for _, rows in importlib.import_module('page_tables').tables(OWN_PAGE.splitlines())])


@case
def no_suite_source(folder):
    """no file of a suite is in the tree"""
    names = {path.name for path in (EVAL / 'suites').iterdir()}
    same(names, {'000.yaml', '001.yaml', '002.yaml', '003.yaml', '004.yaml', 'overlap.h', 'page.yaml', 'programs.yaml'})


@case
def sources(folder):
    """--sources prints how to get each suite, and what is not there is left out by name"""
    needs_yaml()
    text = ends(run([sys.executable, SCRIPT, '--sources'], folder), 0).out.decode()
    suites = module().read_programs()[0]
    same(len(text.splitlines()), len(suites))
    for suite in suites.values():
        within(suite['commit'], text)
    (folder / 'suites').mkdir()
    result = ends(run([sys.executable, SCRIPT, lib.BUILD, '--suites=suites', '--only=HW,NN', '--again'], folder), 0)
    same(result.out.decode().count(' is left out: '), 2)
    within('002 HW is left out: the suite rodinia has no folder cuda/heartwall; --sources says how to fetch it',
           result.out.decode())


@case
def other_sources(folder):
    """a program with another digest is left out"""
    needs_yaml()
    at = folder / 'suites/rodinia/cuda/heartwall'
    at.mkdir(parents=True)
    (at / 'main.cu').write_text('int main() {}\n')
    result = ends(run([sys.executable, SCRIPT, lib.BUILD, '--suites=suites', '--only=HW', '--again'], folder), 0)
    line = 'main.cu %s\n' % hashlib.sha256(b'int main() {}\n').hexdigest()
    within('has other sources than eval/suites/programs.yaml: ' + hashlib.sha256(line.encode()).hexdigest()[:32],
           result.out.decode())


@case
def expressions(folder):
    """columns of a figure are evaluated with the definitions of the paper; what is missing has no number"""
    table = module('originals_table')
    paper = {'paper': '9', 'define': {'time': 'machine.cycles + 2', 'rate': 'time / a.b'},
             'workloads': [{'name': 'x'}, {'name': 'y'}, {'name': 'z', 'needs': 'all'}]}
    rows = {('9', 'x', 'base'): {'statistics': {'machine.cycles': 98, 'a.b': 4}},
            ('9', 'x', 'new'): {'statistics': {'machine.cycles': 48}}, ('9', 'y', 'base'): {'statistics': {'a.b': 0}}}
    made = table.Paper(paper, rows)
    same(made.original({'name': 'x'}, {'value': 'base.time / new.time'}), 2)
    same(made.original({'name': 'x'}, {'value': 'base.rate'}), 25)
    figure = {'unit': 'gain', 'mean': 'geometric'}
    same(made.pairs(figure, {'value': '(base.time) / new.time'}), [('x', 100.0, None)])
    same(table.means([('x', 100.0, None), ('y', -50.0, 3.0)], figure)[0], 0.0)
    same(table.mean([], figure), None)


@case
def loads(folder):
    """loads are counted by rule of rejection, weighted by executions"""
    def at(line, opcode, executions):
        return {'line': line, 'column': 1, 'opcode': opcode, 'executions': executions}
    profile = {'kernels': [{'name': 'k', 'functions': [{'instructions': [
        at(1, 'ld.param.u64', 5), at(2, 'ld.global.f32', 5), at(3, 'ld.global.nc.f32', 7), at(4, 'st.global.f32', 5),
        at(5, 'ld.shared.f32', 9), at(6, 'ld.global.u8', 2), at(7, 'red.global.add.u32', 3)]}]}]}
    tags = {'kernels': [{'name': 'k', 'chains': [{'instructions': [at(2, '', 0), at(4, '', 0)]}],
                         'rejected': [{'line': 3, 'column': 1, 'kind': 'load', 'rule': 'width'},
                                      {'line': 6, 'column': 1, 'kind': 'chain', 'rule': 'type'}]}]}
    same(module().count_loads(profile, tags),
         {'instructions': 36, 'tagged': 10, 'accesses': 22, 'tagged_accesses': 10,
          'loads': {'in a chain': 5, 'width': 7, 'no rule': 2}})


COMPILER = '''#!/bin/sh
case $1 in --version) echo "Cuda compilation tools, release 99.1, V99.1.0"; exit;; esac
while [ $# -gt 0 ]; do case $1 in -o) to=$2;; esac; shift; done
exec cc -O2 -w %s plain.c -o "$to" %s -ldl
'''
TABLES = {
    'programs.yaml': '''
suites: {own: {title: own, repository: r, commit: c}}
programs: {plain: {suite: own, folder: app, sources: [plain.c], passed: [good], digest: DIGEST}}
''',
    '9.yaml': '''
paper: "9"
machine: isca19
set: {core.schedulers: 2, fe.enabled: false}
variants: [{name: base}, {name: omni, policy: omni, offload: --fma=split}]
workloads:
  - {name: run, program: plain, arguments: [own, own], input: i, region: r, edits: [[plain.c, "N = 1000", "N = 500"]],
     timed: ["--timed=vecadd:2"]}
  - {name: wrong, program: plain, arguments: [own], input: i, region: r, edits: [[plain.c, "#include <dlfcn.h>", "#error"]]}
  - {name: ended, program: plain, arguments: [own], input: i, region: r, edits: [[plain.c, "int wrong = 0;", "int wrong = 1;"]]}
loads: counted
statistics: [machine.cycles, "offload.chains_*"]
''',
}


@case
def whole(folder):
    """a program is built in a copy, run with each variant, checked by itself, stored, and not run again"""
    originals = module()
    at = folder / 'suites/own/app'
    (folder / 'tables').mkdir()
    at.mkdir(parents=True)
    (at / 'plain.c').write_text((PROGRAMS / 'plain.c').read_text())
    for name, text in TABLES.items():
        (folder / 'tables' / name).write_text(text.replace('DIGEST', originals.digest_of(at)))
    image = fatbin(folder)[0].replace('kernels.fatbin', str(folder / 'kernels.fatbin'))
    stub = folder / 'nvcc'
    stub.write_text(COMPILER % (shlex.quote(image), lib.BUILD / 'cli/cuda/libcudart.so.13'))
    stub.chmod(stub.stat().st_mode | stat.S_IXUSR)
    script = ('import sys, pathlib; sys.path.insert(0, %r)\n'
              'import originals, programs_run\n'
              'originals.NVCC = programs_run.NVCC = %r\n'
              'originals.SUITES, originals.ROWS = pathlib.Path("tables"), pathlib.Path("rows.jsonl")\n'
              'originals.main()\n' % (str(EVAL), str(stub)))
    command = [sys.executable, '-c', script, lib.BUILD, '--suites=suites']
    ends(run(command, folder), 0)
    rows = {(row['workload'], row['variant']): row for row in map(json.loads, (folder / 'rows.jsonl').read_text().splitlines())}
    same(sorted(rows), [('ended', 'base'), ('ended', 'functional'), ('ended', 'omni'), ('run', 'base'), ('run', 'functional'), ('run', 'omni'), ('wrong', 'base'), ('wrong', 'functional'),
                        ('wrong', 'omni')])
    same(rows['ended', 'base']['ran'], 'exit code 1')
    for variant in 'base', 'omni':
        row = rows['run', variant]
        same((row['ran'], row['check'], row['nvcc'], row['reason']), ('ran', 'passed', '99.1', ''))
        assert row['statistics']['machine.cycles'] > 100, row
    assert rows['run', 'omni']['statistics']['offload.chains_tagged'] > 0, rows
    assert rows['run', 'functional']['loads']['in a chain'] > 0, rows
    same(rows['wrong', 'base']['ran'], 'not built')
    same((at / 'plain.c').read_text(), (PROGRAMS / 'plain.c').read_text())
    same(ends(run(command, folder), 0).out, b'')
    stored = (folder / 'rows.jsonl').read_text()
    said = ends(run([*command, '--record=recorded/here'], folder), 0).out.decode().splitlines()
    same([line.split()[:2] for line in said], [['9', 'run'], ['9', 'wrong'], ['9', 'ended']])
    within(' 1 launches, passed, 1 of 1 runs have its results, ', said[0])
    within('error', said[1])
    within('exit code 1', said[2])
    shutil.rmtree(folder / 'suites')
    recorded = sorted((folder / 'recorded/here/9-run').glob('run-*.yaml'))
    same([path.name for path in recorded], ['run-0.yaml'])
    within(b'expectations hold', ends(run([lib.BUILD / 'cli/ptxoffload-sim', *recorded, '--config=isca19'], folder), 0).out)
    same((folder / 'rows.jsonl').read_text(), stored)


main()
