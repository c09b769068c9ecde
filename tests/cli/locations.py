#!/usr/bin/env python3
"""--locations=source: places of the CUDA source first, in remarks, their documents, reports and differences.

usage: locations.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, case, ends, main, run, same, within

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
SIM = PROGRAM.with_name('ptxoffload-sim')
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / 'docs' / 'reference' / 'diagnostics.schema.json').read_text())
SARIF = json.loads((ROOT / 'tests' / 'cli' / 'sarif.schema.json').read_text())

NAME = '_Z6vecaddPKfS0_Pf'
TEXT = '''.version 7.5
.target sm_75
.address_size 64
.file 1 "k.cu"
.visible .entry %s(.param .u64 a)
{
    .reg .b64 %%rd<9>; .reg .f32 %%f<9>; .reg .b32 %%r<9>;
    ld.param.u64 %%rd1, [a];
    .loc 1 7 3
    ld.global.f32 %%f1, [%%rd1];
    add.f32 %%f2, %%f1, %%f1;
    st.global.f32 [%%rd1+4], %%f2;
    .loc 1 8 0
    ld.volatile.global.f32 %%f3, [%%rd1];
    .loc 1 0 0
    ld.volatile.global.f32 %%f4, [%%rd1+8];
    ret;
}
''' % NAME


def tagged(folder, *options, code=0):
    (folder / 'in.ptx').write_text(TEXT)
    return ends(run([PROGRAM, 'in.ptx', *options], folder), code)


def check_schema(document, schema):
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip('no Python package jsonschema')
    Draft202012Validator(schema).validate(document)


def heads(text):
    return re.findall(r'^(\S+): remark: (\w+)', text, re.MULTILINE)


@case
def remarks(folder):
    """the remark is at the CUDA source, and a note has the place in the PTX"""
    usual = tagged(folder, '--remarks', '--remarks-missed').err.decode()
    by_source = tagged(folder, '--remarks', '--remarks-missed', '--locations=source').err.decode()
    within(('in.ptx:10:5', 'chain'), heads(usual))
    within(('k.cu:7:3', 'chain'), heads(by_source))
    within(('k.cu:8', 'load'), heads(by_source))
    # Without a line, the PTX is all that is known.
    within(('in.ptx:16:5', 'load'), heads(by_source))
    within('in.ptx:10:5: note: in the PTX\n', by_source)
    assert 'in the CUDA source' in usual and 'in the CUDA source' not in by_source
    same(len(heads(usual)), len(heads(by_source)))
    same(tagged(folder, '--remarks', '--remarks-missed', '--locations=ptx').err.decode(), usual)


@case
def documents(folder):
    """the same as JSON and SARIF, by their schemas"""
    options = ['--remarks', '--remarks-missed', '--locations=source']
    found = json.loads(tagged(folder, *options, '--diagnostics=json').err)
    check_schema(found, SCHEMA)
    chain, = [one for one in found if one['id'] == 'chain']
    same((chain['file'], chain['line'], chain['column']), ('k.cu', 7, 3))
    same([(note['message'], note['file'], note['line']) for note in chain['notes']][0],
         ('in the PTX', 'in.ptx', 10))
    document = json.loads(tagged(folder, *options, '--diagnostics=sarif').err)
    check_schema(document, SARIF)
    result, = [one for one in document['runs'][0]['results'] if one['ruleId'] == 'chain']
    place = result['locations'][0]['physicalLocation']
    same((place['artifactLocation']['uri'], place['region']['startLine']), ('k.cu', 7))
    within('in the PTX', json.dumps(result['relatedLocations']))


@case
def report(folder):
    """the text report; the demangled name of a kernel"""
    usual = tagged(folder, '--report=text').out.decode()
    by_source = tagged(folder, '--report=text', '--locations=source').out.decode()
    within('kernel %s | vecadd(float const*, float const*, float*)\n' % NAME, usual)
    within('\n           in.ptx:10..12\n', usual)
    within('\n           k.cu:7 | in.ptx:10..12\n', by_source)
    within('\n  14:5     load |', usual)
    within('\n  k.cu:8   | 14:5 load |', by_source)
    within('\n  16:5     load |', by_source)
    assert 'k.cu' not in usual


@case
def differences(folder):
    """differences, as text and page"""
    tagged(folder, '--report=json:before.json', '-q')
    (folder / 'in.ptx').write_text(TEXT.replace('add.f32 %f2, %f1, %f1;', 'add.rz.f32 %f2, %f3, %f4;'))
    for form in ('text', 'html'):
        ends(run([PROGRAM, 'in.ptx', '--beside=before.json', '--locations=source',
                  '--report=%s:%s' % (form, form)], folder), 0)
    text, page = (folder / 'text').read_text(), (folder / 'html').read_text()
    within('%s | vecadd(float const*, float const*, float*)' % NAME, text)
    within('- chain vanished k.cu:7 (in.ptx:10..12) | ld.global.f32 %f1, [%rd1];', text)
    within('k.cu:7<br><small>line 10..12</small>', page)


@case
def faults(folder):
    """faults and races of the simulator"""
    (folder / 'in.ptx').write_text(TEXT)
    launch = [SIM, 'in.ptx', '--grid=1', '--block=2', '--functional']
    usual = ends(run([*launch, '--arg=u64:0'], folder), 5).err.decode()
    within('in.ptx:10:5: error: ', usual)
    within('in.ptx:10:5: note: compiled from k.cu:7:3', usual)
    by_source = ends(run([*launch, '--arg=u64:0', '--locations=source'], folder), 5).err.decode()
    within('k.cu:7:3: error: ', by_source)
    within('in.ptx:10:5: note: compiled from k.cu:7:3', by_source)
    found = json.loads(ends(run([*launch, '--arg=u64:0', '--locations=source', '--diagnostics=json'], folder), 5).err)
    check_schema(found, SCHEMA)
    same([(one['file'], one['line']) for one in found], [('k.cu', 7)])
    (folder / 'in.ptx').write_text(TEXT.replace('st.global.f32 [%rd1+4], %f2;',
                                                'mov.u32 %r1, %ctaid.x; st.global.u32 [%rd1+4], %r1;'))
    races = ends(run([*launch, '--grid=2', '--arg=buf:f32:8:iota', '--check=race', '--locations=source'],
                     folder), 3).err.decode()
    assert re.search(r'^k\.cu:\d+:\d+: error: .* is in a race', races, re.MULTILINE), races


main(2)
