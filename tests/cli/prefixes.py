#!/usr/bin/env python3
"""--file-prefix-map: no output of any command has the name of the folder; -W and --diagnostics in all commands.

usage: prefixes.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve() / 'cli'
ROOT = pathlib.Path(__file__).resolve().parents[2]

KERNEL = '''.version 7.5
.target sm_75
.address_size 64
.file 1 "%s/k.cu"
.visible .entry k(.param .u64 a)
{
    .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .b32 %%r<9>;
    .loc 1 7 3
    ld.param.u64 %%rd1, [a];
    ld.global.f32 %%f1, [%%rd1];
    add.f32 %%f2, %%f1, %%f1;
    st.global.f32 [%%rd1+4], %%f2;
    ld.volatile.global.f32 %%f3, [%%rd1];
    ret;
}
'''


def place(folder, fault=''):
    """A PTX in a folder of its own, whose name no output may have"""
    inner = folder / 'secret'
    inner.mkdir(exist_ok=True)
    (inner / 'in.ptx').write_text(KERNEL % inner + fault)
    return inner


def without_folder(folder, *names):
    for name in names:
        path = folder / name
        data = path.read_bytes()
        assert b'secret' not in data, (name, data[max(0, data.index(b'secret') - 200):][:400])
        assert b'/root' in data, name


def mapped(program, inner, *arguments, code=0, **more):
    result = run([BUILD / program, *arguments, '--file-prefix-map=%s=/root' % inner], inner.parent, **more)
    ends(result, code)
    assert b'secret' not in result.out + result.err, result
    return result


@case
def tagger(folder):
    """reports, metadata, full tags, objects, remarks and .loc of ptxoffload"""
    inner = place(folder)
    source = inner / 'in.ptx'
    mapped('ptxoffload', inner, source, '--metadata=m.json', '--report=json:r.json', '--report=html:r.html',
           '--report=text:r.txt', '-q')
    without_folder(folder, 'm.json', 'r.json', 'r.txt')
    page = (folder / 'r.html').read_bytes()
    assert b'/root/k.cu' in page and b'/root/in.ptx' in page
    # The PTX itself, with its .file, is text of the input.
    same(page.count(b'secret'), 0)
    document = json.loads((folder / 'r.json').read_text())
    same(document['source']['file'], '/root/in.ptx')
    same({one['source_file'] for one in document['places']}, {'/root/k.cu'})
    for form in ('text', 'json', 'sarif'):
        mapped('ptxoffload', inner, source, '--remarks', '--remarks-missed',
               '--diagnostics=%s:%s.txt' % (form, form))
    without_folder(folder, 'text.txt', 'json.txt')
    run([BUILD / 'ptxoffload', source, '-o', inner / 'out.ptx', '-q'], folder)
    mapped('ptxoffload', inner, inner / 'out.ptx', '--metadata=again.json', '-q')
    without_folder(folder, 'again.json')


@case
def errors(folder):
    """errors of a text, in all forms; in SARIF only the arguments have the folder"""
    inner = place(folder, 'garbage;\n')
    within(b'/root/in.ptx:', mapped('ptxoffload', inner, inner / 'in.ptx', code=1).err)
    found = json.loads(mapped('ptxoffload', inner, inner / 'in.ptx', '--diagnostics=json', code=1).err)
    same({one['file'] for one in found}, {'/root/in.ptx'})
    result = run([BUILD / 'ptxoffload', inner / 'in.ptx', '--diagnostics=sarif',
                  '--file-prefix-map=%s=/root' % inner], folder)
    document = json.loads(result.err)['runs'][0]
    assert 'secret' not in json.dumps([document['results'], document['artifacts']])
    within('file:///root/in.ptx', json.dumps(document['artifacts']))


@case
def order(folder):
    """the last pair that matches counts, and -ffile-prefix-map is the same; OLD=NEW is checked"""
    inner = place(folder, 'garbage;\n')
    def named(*options):
        return run([BUILD / 'ptxoffload', inner / 'in.ptx', *options], folder).err.split(b':')[0]
    same(named('--file-prefix-map=%s=/a' % inner, '-ffile-prefix-map=%s/=/b/' % inner), b'/b/in.ptx')
    same(named('--file-prefix-map=%s/in=out' % inner, '--file-prefix-map=/none=/c'), b'out.ptx')
    same(named('--file-prefix-map=%s/in.ptx=' % inner), b'')
    for wrong in ('x', '=x'):
        within(b'expected OLD=NEW', ends(run([BUILD / 'ptxoffload', 'x', '--file-prefix-map=' + wrong], folder),
                                      2).err)


@case
def simulator(folder):
    """results, reports, profile and a fault of the simulator"""
    inner = folder / 'secret'
    shutil.copytree(ROOT / 'samples' / 'vecadd', inner)
    mapped('ptxoffload-sim', inner, inner / 'run.yaml', '--json=s.json', '--report=json:r.json',
           '--report=html:r.html', '--profile-out=p.json')
    without_folder(folder, 's.json', 'r.json', 'r.html', 'p.json')
    # The program's .loc, and a fault at it.
    (inner / 'in.ptx').write_text(KERNEL % inner)
    result = mapped('ptxoffload-sim', inner, inner / 'in.ptx', '--functional', '--grid=1', '--block=32',
                    '--arg=u64:16', code=5)
    within(b'/root/in.ptx:10:', result.err)
    within(b'compiled from /root/k.cu:7:3', result.err)


CONFIG = 'base: %s\n'


@case
def measured(folder):
    """results of ptxoffload-dram and -noc, and errors in their configurations, as JSON"""
    inner = folder / 'secret'
    inner.mkdir()
    for program, base, options in (
            ('ptxoffload-dram', 'gddr5_isca19', ['--cycles=2000']),
            ('ptxoffload-noc', 'mesh88_8vc_islip', ['--load=0.01', '--cycles=500', '--warmup=100'])):
        (inner / 'c.yaml').write_text(CONFIG % base)
        mapped(program, inner, '--config=%s' % (inner / 'c.yaml'), '--json=m.json', *options)
        without_folder(folder, 'm.json')
        (inner / 'c.yaml').write_text(CONFIG % base + 'nothing: 1\n')
        result = mapped(program, inner, '--config=%s' % (inner / 'c.yaml'), '--diagnostics=json', *options,
                        code=1)
        same({(one['id'], one['file']) for one in json.loads(result.err)}, {('config', '/root/c.yaml')})


def family(folder, program, arguments, code):
    """An input with an error: as a document, mapped, and at most one error"""
    inner = folder / 'secret'
    inner.mkdir()
    for name in ('in.ptx', 'in.map.yaml', 'in.yaml'):
        (inner / name).write_text('nothing: 1\nnor: 2\n')
    arguments = [argument.replace('IN', str(inner)) for argument in arguments]
    found = json.loads(mapped(program, inner, *arguments, '--diagnostics=json', code=code).err)
    assert found
    within('/root/', json.dumps(found))
    mapped(program, inner, *arguments, '--diagnostics=json:d.json', code=code)
    same(json.loads((folder / 'd.json').read_text()), found)
    document = json.loads(run([BUILD / program, *arguments, '--diagnostics=sarif'], folder).err)
    same(document['runs'][0]['tool']['driver']['name'], program)
    text = mapped(program, inner, *arguments, '--max-errors=1', code=code).err
    same(len(re.findall(rb': error: .*\[', text)), 1)
    if len(found) > 1:
        within(b'--max-errors=0 shows all', text)
    ends(run([BUILD / program, *arguments, '-W', '-Wno-profile', '-Werror', '-w', '-q'], folder), code)
    within(b'give --diagnostics a file', ends(
        run([BUILD / program, *arguments, '--diagnostics=json', '-v'], folder), 2).err)


for program, arguments, code in (
        ('ptxoffload', ['IN/in.ptx'], 1), ('ptxoffload-sim', ['IN/in.yaml'], 1),
        ('ptxoffload-map', ['IN/in.map.yaml'], 1), ('ptxoffload-campaign', ['status', 'IN/in.yaml'], 1),
        ('ptxoffload-dram', ['--config=IN/in.yaml'], 1),
        ('ptxoffload-noc', ['--config=IN/in.yaml', '--load=0.1'], 1)):
    add_case('%s has the options of diagnostics' % program, family, program, arguments, code)

main(2)
