#!/usr/bin/env python3
"""No command writes over a file that it reads or over a program that it runs, by whatever name.

Each output option is given each input, by its own name and by other names that lead to it. The
commands end with an error, and all inputs are as before.

usage: overwrites.py BUILD-ROOT
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
CLI = BUILD / 'cli'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES, CONFIGS = ROOT / 'samples', ROOT / 'runtime-sim' / 'configs'
STORE = ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'

RUN = '''program: store.ptx
metadata: store.json
values: {n: 32}
buffers:
  a: {type: u32, count: n}
  b: {type: u32, fill: data.npy}
  c: {type: u8, count: 4, fill: 'raw:bytes.bin'}
launches: [{kernel: store, grid: 1, block: 32, args: [a]}]
expect: [{buffer: b, file: expected.npy}]
'''
CAMPAIGN = '''name: q
notes: notes.md
config: machine.yaml
workloads: [{name: W, run: run.yaml}]
variants: [{name: base}, {name: tagged, tag: []}]
studies: [{name: s, workloads: W, variants: [base, tagged]}]
figures: [{name: f, title: F, workloads: W, columns: [{name: c, value: base.machine.cycles}]}]
'''


def npy(values):
    header = b"{'descr': '<u4', 'fortran_order': False, 'shape': (%d,), }" % len(values)
    header += b' ' * (63 - (10 + len(header)) % 64) + b'\n'
    return (b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header +
            b''.join(value.to_bytes(4, 'little') for value in values))


def write_run(folder):
    shutil.copy(STORE, folder / 'store.ptx')
    ends(run([CLI / 'ptxoffload', 'store.ptx', '-o', 'store.ptx', '--metadata=store.json', '-q'],
             folder), 0)
    (folder / 'run.yaml').write_text(RUN)
    for name in ('data.npy', 'expected.npy'):
        (folder / name).write_bytes(npy([1, 2, 3]))
    (folder / 'bytes.bin').write_bytes(b'1234')
    (folder / 'base.yaml').write_text('base: isca19\n')
    (folder / 'machine.yaml').write_text('base: base.yaml\ncore: {schedulers: 2}\n')


def names_of(folder, name, suffix):
    """Names that lead to the file; all end in the suffix, or in that of the file."""
    away = folder / 'away'
    away.mkdir(exist_ok=True)
    end = suffix or pathlib.Path(name).suffix
    links = {'soft' + end: os.symlink, 'hard' + end: os.link}
    for link, make in links.items():
        (away / link).unlink(missing_ok=True)
        make(folder / name, away / link)
    found = ['away/soft' + end, 'away/hard' + end]
    if name.endswith(end):
        found += [name, './' + name, 'away/../' + name, str(folder / name), '/proc/self/cwd/' + name]
    return found


def contents(folder, inputs):
    return {name: (folder / name).read_bytes() for name in inputs}


def check_all(folder, command, outputs, inputs, allowed=()):
    """The command with each output on each input, by two of its names."""
    before, wrong, turn = contents(folder, inputs), [], 0
    for option in outputs:
        option, _, suffix = option.partition(' ')
        for name in inputs:
            names = names_of(folder, name, suffix)
            for path in {names[turn % len(names)], names[(turn + 3) % len(names)]}:
                if (option, name) in allowed:
                    continue
                done = run([*command, option + path], folder)
                if not done.code or b'rror: ' not in done.err + done.out:
                    wrong.append((option + path, done))
                if contents(folder, inputs) != before:
                    wrong.append(('changed ' + option + path, done))
                    for kept, data in before.items():
                        (folder / kept).write_bytes(data)
            turn += 1
    assert not wrong, '%d: %s' % (len(wrong), '\n'.join(map(str, wrong[:5])))


@case
def tagger(folder):
    """ptxoffload"""
    shutil.copy(STORE, folder / 'in.ptx')
    tool = CLI / 'ptxoffload'
    ends(run([tool, 'in.ptx', '--report=json:before.json', '-q'], folder), 0)
    (folder / 'words').write_text('-q')
    (folder / 'unit.txt').write_text('')
    check_all(folder, [tool, 'in.ptx', '--beside=before.json', '@words'],
              ('--metadata=', '--report=text:', '--report=json:', '--report=html:', '-MF',
               '--diagnostics=text:', '--diagnostics=json:', '-o'),
              ('in.ptx', 'before.json', 'words'), (('-o', 'in.ptx'),))
    check_all(folder, [tool, 'in.ptx', '--emit=meta,dot', '@words'], ('-o .json', '-o .dot'), ('in.ptx',))
    for name in names_of(folder, 'in.ptx', ''):
        shutil.copy(STORE, folder / 'in.ptx')
        ends(run([tool, 'in.ptx', '-o', name, '-q'], folder), 0)


@case
def simulator(folder):
    """ptxoffload-sim"""
    write_run(folder)
    tool = CLI / 'ptxoffload-sim'
    command = [tool, 'run.yaml', '--config=machine.yaml']
    ends(run([*command, '--report=json:before.json', '--json=j'], folder), 0)
    (folder / 'words').write_text('-q')
    inputs = ('run.yaml', 'store.ptx', 'store.json', 'data.npy', 'bytes.bin', 'expected.npy',
              'machine.yaml', 'base.yaml', 'before.json', 'words')
    check_all(folder, [*command, '--beside=before.json', '--report=text:r', '@words'],
              ('--json=', '--stats=', '--series=', '--trace=', '--profile-out=', '--checkpoint=',
               '--save=a=', '--report=html:', '--report=json:', '--diagnostics=json:'), inputs)


@case
def saves(folder):
    """a run file's own outputs, also with --allow-outside"""
    write_run(folder)
    ends(run([CLI / 'ptxoffload-sim', 'run.yaml', '--save=b=saved.npy'], folder), 0)
    text = RUN.replace('data.npy', 'saved.npy')
    before = (folder / 'saved.npy').read_bytes()
    for name in names_of(folder, 'saved.npy', ''):
        (folder / 'run.yaml').write_text(text.replace('count: n}', 'count: n, save: "%s"}' % name))
        for more in ([], ['--allow-outside']):
            ends(run([CLI / 'ptxoffload-sim', 'run.yaml', *more], folder), 1)
            same((folder / 'saved.npy').read_bytes(), before)


@case
def maps(folder):
    """a map that a launch reads"""
    for name in ('conv.ptx', 'conv.map.yaml', 'run.yaml'):
        shutil.copy(SAMPLES / 'conv' / name, folder / name)
    text = (folder / 'run.yaml').read_text()
    (folder / 'run.yaml').write_text(text[:text.index('  - kernel: conv_tile')])
    assert 'conv.map.yaml' in (folder / 'run.yaml').read_text()
    check_all(folder, [CLI / 'ptxoffload-sim', 'run.yaml', '--config=rgpu'],
              ('--json=', '--report=html:', '--diagnostics=text:'), ('conv.map.yaml',))
    check_all(folder, [CLI / 'ptxoffload-map', 'conv.map.yaml'],
              ('--rewrite=', '--plot= .svg', '--plot= .html', '--diagnostics=json:'), ('conv.map.yaml',))


def measure(folder, tool, config, more, outputs):
    (folder / 'base.yaml').write_text((CONFIGS / config).read_text())
    (folder / 'it.yaml').write_text('base: base.yaml\n')
    command = [CLI / tool, '--config=it.yaml', '--cycles=50', '--warmup=10', *more]
    ends(run(command, folder), 0)
    check_all(folder, command, outputs, ('it.yaml', 'base.yaml'))


add_case('ptxoffload-noc', measure, 'ptxoffload-noc', 'noc/mesh66_4vc_sif.yaml', ['--load=0.1'],
         ('--json=', '--csv=', '--stats=', '--plot= .svg', '--plot= .html', '--heatmap= .svg',
          '--diagnostics=json:'))
add_case('ptxoffload-dram', measure, 'ptxoffload-dram', 'dram/gddr5_isca19.yaml', [],
         ('--json=', '--csv=', '--stats=', '--plot= .svg', '--trace=', '--diagnostics=json:'))


@case
def campaigns(folder):
    """ptxoffload-campaign: its file, run files and what they read, machines, notes, tools, the store"""
    write_run(folder)
    tools = folder / 'tools'
    tools.mkdir()
    for name in ('ptxoffload', 'ptxoffload-sim'):
        shutil.copy(CLI / name, tools / name)
    (folder / 'q.yaml').write_text(CAMPAIGN)
    (folder / 'notes.md').write_text('# Q\n\n{f}\n')
    (folder / 'words').write_text('-q')
    (folder / 'run.yaml').write_text(RUN.replace('metadata: store.json\n', ''))
    tool = [CLI / 'ptxoffload-campaign']
    more = ['q.yaml', '--tools=tools', '@words']
    ends(run([*tool, 'run', *more], folder), 0)
    results = [str(path.relative_to(folder)) for path in (folder / 'q.campaign/results').iterdir()]
    inputs = ['q.yaml', 'run.yaml', 'store.ptx', 'data.npy', 'bytes.bin', 'expected.npy', 'machine.yaml',
              'base.yaml', 'notes.md', 'words', 'tools/ptxoffload', 'tools/ptxoffload-sim',
              'q.campaign/campaign.sqlite', *results]
    check_all(folder, [*tool, 'report', *more, '--figure=f'],
              ('--html=', '--text=', '--csv=', '--markdown=', '--cells=', '--svg=', '--diagnostics=json:'), inputs)
    check_all(folder, [*tool, 'compare', *more[:2], 'base', 'tagged', '-q'], ('--text=', '--csv='), inputs[:3])
    for _ in range(2):
        ends(run([*tool, 'report', *more, '--html=q.campaign/r.html'], folder), 0)


@case
def own_programs(folder):
    """the program itself"""
    shutil.copy(STORE, folder / 'in.ptx')
    shutil.copy(SAMPLES / 'conv' / 'conv.map.yaml', folder / 'conv.map.yaml')
    for name, words in (('ptxoffload', ['in.ptx', '--report=text:']),
                        ('ptxoffload-map', ['conv.map.yaml', '--rewrite=']),
                        ('ptxoffload-sim', ['in.ptx', '--grid=1', '--block=1', '--arg=buf:u32:32:iota', '--json='])):
        shutil.copy(CLI / name, folder / name)
        before = (folder / name).read_bytes()
        done = ends(run([folder / name, *words[:-1], words[-1] + name], folder), 1)
        within('cannot write' if name == 'ptxoffload' else 'would overwrite', done.err.decode())
        same((folder / name).read_bytes(), before)


@case
def descriptors(folder):
    """an open file is written in place, but not one that is read"""
    shutil.copy(STORE, folder / 'in.ptx')
    (folder / 'old').write_text('x' * 100000)
    command = '%s in.ptx --report=text:/dev/fd/5 -q 5<>old' % (CLI / 'ptxoffload')
    ends(run(['sh', '-c', command], folder), 0)
    within('store', (folder / 'old').read_text())
    assert 'xxx' not in (folder / 'old').read_text()
    for option in ('--report=text:', '--diagnostics=json:'):
        command = '%s in.ptx %s/dev/fd/5 -q 5<>in.ptx' % (CLI / 'ptxoffload', option)
        assert run(['sh', '-c', command], folder).code in (1, 2), option
        same((folder / 'in.ptx').read_bytes(), STORE.read_bytes())


main()
