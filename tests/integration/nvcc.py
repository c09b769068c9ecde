#!/usr/bin/env python3
"""ptxoffload-nvcc: nvcc with ptxoffload between compiler and assembler.

usage: nvcc.py BUILD-ROOT

There need be no GPU: programs are linked and looked into, not run.
"""
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, environment, main, run, same, within

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
WRAPPER = ROOT / 'integration' / 'ptxoffload-nvcc'
ARCH = '-arch=sm_80'

MAIN = """
#include "sub/kernels.cuh"
__global__ void add(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + b[i];
}
int main()
{
    add<<<1, 1>>>(0, 0, 0);
    return launch();
}
"""
OTHER = """
#include "kernels.cuh"
__global__ void multiply(const float *a, const float *b, float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i + AWAY] = a[i] * b[i];
}
int launch()
{
    multiply<<<1, 1>>>(0, 0, 0);
    return 0;
}
"""


def prepare(folder):
    """The sources, in a folder with a blank in its name."""
    if not shutil.which('nvcc'):
        raise Skip('no nvcc')
    work = folder / 'a folder'
    (work / 'sub').mkdir(parents=True)
    (folder / 'temporary').mkdir()
    (work / 'main file.cu').write_text(MAIN)
    (work / 'sub/other.cu').write_text(OTHER)
    (work / 'sub/kernels.cuh').write_text('#define AWAY 2\nint launch();\n')
    return work


def nvcc(work, *arguments, code=0, wrapper=True):
    command = [WRAPPER, '--ptxoffload=%s' % PROGRAM] if wrapper else ['nvcc']
    # A folder without a blank: nvcc itself fails in one with a blank if it is given -t.
    temporary = work.parent / 'temporary'
    result = ends(run([*command, *arguments], work, env=environment(TMPDIR=str(temporary))), code)
    same(list(temporary.iterdir()), [])
    return result


def tell(work, *arguments):
    return ends(run([PROGRAM, *arguments], work), 0, '').out


def modules(work, path, kind='ptx'):
    listed = json.loads(tell(work, path, '--list', '--report=json'))['modules']
    return [module['module'] for module in listed if module['kind'] == kind]


def module_text(work, path, number, *options):
    return tell(work, path, '--module=%d' % number, '-o', '-', '--strip', *options)


def tagged_text(work, path, number):
    """The module as it is in the file."""
    return tell(work, path, '--module=%d' % number, '-o', '-', '--tags=none', '--no-reorder')


def made(work):
    """The files beside the sources."""
    return sorted(path.name for path in work.iterdir()
                  if path.is_file() and path.name != 'main file.cu')


def chains(document):
    """What a document says of chains, without the lines: those of packed PTX are others."""
    return [(kernel['name'], chain['pattern'],
             [(i['index'], i['tag'], i['opcode']) for i in chain['instructions']])
            for kernel in document['kernels'] for chain in kernel['chains']]


def check_tags(work, path, number, metadata):
    """The module has tags, and decided again its tables are those that were written when it was compiled."""
    within(b'.pragma "ptxoffload.chain 0 01', tagged_text(work, path, number))
    found = json.loads(tell(work, path, '--module=%d' % number, '--metadata=-'))
    kept = json.loads((work / metadata).read_text())
    assert chains(kept), metadata
    same(chains(found), chains(kept))


@case
def program(folder):
    """two sources become a program with both tagged PTX texts in it"""
    work = prepare(folder)
    result = nvcc(work, ARCH, 'main file.cu', 'sub/other.cu', '-o', 'my app')
    same((result.out, result.err), (b'', b''))
    names = ['my app-main file.compute_80', 'my app-sub-other.compute_80']
    same(made(work), ['my app'] + [name + end for name in names for end in ('.json', '.ptx')])
    found = modules(work, 'my app')
    same(len(found), 2)
    for number, name in zip(found, names):
        check_tags(work, 'my app', number, name + '.json')


def stripped(folder, *options):
    work = prepare(folder)
    for reorder in ((), ('-Xptxoffload', '--no-reorder')):
        nvcc(work, ARCH, *options, '-c', 'sub/other.cu', '-o', 'tagged.o', *reorder)
    nvcc(work, ARCH, *options, '-c', 'sub/other.cu', '-o', 'plain.o', wrapper=False)
    number, = modules(work, 'tagged.o')
    same(modules(work, 'plain.o'), [number])
    same(module_text(work, 'tagged.o', number), tagged_text(work, 'plain.o', number))
    within(b'ptxoffload', tagged_text(work, 'tagged.o', number))
    # The text that was kept is the compiler's, byte for byte.
    nvcc(work, ARCH, *options, '-ptx', 'sub/other.cu', '-o', 'plain.ptx', wrapper=False)
    same(tell(work, 'tagged.compute_80.ptx', '--strip', '-o', '-'),
         (work / 'plain.ptx').read_bytes())


for options in ((), ('-rdc=true',), ('-lineinfo',), ('-G',), ('--maxrregcount=32', '-use_fast_math')):
    add_case('--strip gives back what the compiler wrote: %s' % ' '.join(options), stripped,
             *options)


@case
def same_code(folder):
    """without reordering ptxas makes the same cubin"""
    work = prepare(folder)
    nvcc(work, ARCH, '-cubin', 'sub/other.cu', '-o', 'tagged.cubin', '-Xptxoffload=--no-reorder')
    nvcc(work, ARCH, '-cubin', 'sub/other.cu', '-o', 'plain.cubin', wrapper=False)
    same((work / 'tagged.cubin').read_bytes(), (work / 'plain.cubin').read_bytes())


@case
def device_link(folder):
    """with -rdc=true objects and a library are linked, and keep their tagged PTX"""
    work = prepare(folder)
    nvcc(work, ARCH, '-rdc=true', '-c', 'main file.cu', 'sub/other.cu')
    nvcc(work, ARCH, '-lib', 'other.o', '-o', 'libother.a')
    nvcc(work, ARCH, '-rdc=true', 'main file.o', '-L.', '-lother', '-o', 'app')
    same(made(work), ['app', 'libother.a', 'main file.compute_80.json',
                      'main file.compute_80.ptx', 'main file.o', 'other.o',
                      'sub-other.compute_80.json', 'sub-other.compute_80.ptx'])
    first, second = modules(work, 'app')[-2:]
    check_tags(work, 'app', first, 'main file.compute_80.json')
    check_tags(work, 'app', second, 'sub-other.compute_80.json')


@case
def architectures(folder):
    """every architecture of a -gencode has its own PTX and metadata, with threads as well"""
    work = prepare(folder)
    nvcc(work, '-gencode', 'arch=compute_80,code=[compute_80,sm_80,sm_86]', '-gencode',
         'arch=compute_90,code=compute_90', '-t', '4', '-c', 'sub/other.cu', '-o', 'x.y.o')
    names = ['x.y.compute_80', 'x.y.compute_90']
    same(made(work), sorted([name + end for name in names for end in ('.json', '.ptx')] +
                            ['x.y.o']))
    for number, name in zip(modules(work, 'x.y.o'), names):
        check_tags(work, 'x.y.o', number, name + '.json')


@case
def ptx(folder):
    """-ptx writes tagged PTX, with its metadata beside it"""
    work = prepare(folder)
    nvcc(work, ARCH, '-ptx', 'sub/other.cu', '-o', 'out.ptx')
    same(made(work), ['out.compute_80.json', 'out.ptx'])
    document = json.loads((work / 'out.compute_80.json').read_text())
    same([document[key]['file'] for key in ('source', 'output')], ['out.ptx', 'out.ptx'])
    tell(work, 'out.ptx', '--check')
    within(b'ptxoffload', (work / 'out.ptx').read_bytes())


def with_debug(folder, option):
    work = prepare(folder)
    nvcc(work, '-gencode', 'arch=compute_80,code=sm_80', option, '-c', 'sub/other.cu', '-o', 'x.o')
    number, = modules(work, 'x.o', 'cubin')
    within(b'.pragma "ptxoffload.', tagged_text(work, 'x.o', number))


for option in ('-lineinfo', '-G'):
    add_case('with %s the cubin has the tagged PTX too' % option, with_debug, option)


@case
def warnings(folder):
    """ptxas is not heard on our pragmas, but on everything else, and -Werror is none"""
    work = prepare(folder)
    result = nvcc(work, ARCH, '-c', 'sub/other.cu', '-o', 'x.o', '-Xptxas', '-v')
    within(b'ptxas info', result.err)
    assert b'ragma' not in result.err, result
    tagged = tagged_text(work, 'x.o', *modules(work, 'x.o'))
    for strict in (['-Werror', 'all-warnings'], ['-Xptxas', '-Werror'],
                   ['-Xptxas', '--warning-as-error']):
        result = nvcc(work, ARCH, '-c', 'sub/other.cu', '-o', 'x.o', *strict)
        same(result.err, b'')
        same(tagged_text(work, 'x.o', *modules(work, 'x.o')), tagged)
    (work / 'asm.cu').write_text(
        '__global__ void k() { asm volatile("{ .pragma \\"unheard of\\"; }"); }\n')
    within(b"'unheard of'", nvcc(work, ARCH, '-c', 'asm.cu').err)
    nvcc(work, ARCH, '-c', 'asm.cu', '-Xptxas', '-Werror', code=255)


@case
def depfiles(folder):
    """nvcc's own depfiles come out as ever"""
    work = prepare(folder)
    for wrapper, name in ((True, 'tagged.d'), (False, 'plain.d')):
        nvcc(work, ARCH, '-c', 'sub/other.cu', '-o', 'x.o', '-MD', '-MF', name, '-MT', 'x.o',
             wrapper=wrapper)
    same((work / 'tagged.d').read_bytes(), (work / 'plain.d').read_bytes())
    within(b'sub/kernels.cuh', (work / 'tagged.d').read_bytes())


@case
def options(folder):
    """the options of the wrapper, and quotes on the way through"""
    work = prepare(folder)
    (work / 'text.cu').write_text('#include <cstdio>\n' + MAIN.replace(
        'return launch();', 'return std::puts(TEXT "$HOME");').replace('#include "sub', '//'))
    nvcc(work, shutil.which('nvcc'), ARCH, '-DTEXT=\\"a b\\"', '-c', 'text.cu', '-odir', 'sub',
         '--ptxoffload-metadata=new folder/meta', '-Xptxoffload', '--tags=none',
         '-Xptxoffload=--no-reorder')
    within(b'a b$HOME', (work / 'sub/text.o').read_bytes())
    same(sorted(path.name for path in (work / 'new folder/meta').iterdir()),
         ['text.compute_80.json', 'text.compute_80.ptx'])
    assert b'ptxoffload' not in (work / 'new folder/meta/text.compute_80.ptx').read_bytes()
    same(nvcc(work, '--version').out, nvcc(work, '--version', wrapper=False).out)
    within(b'usage: ptxoffload-nvcc', nvcc(work, '--ptxoffload-help').out)


@case
def failures(folder):
    """what fails leaves no object, and nvcc's exit code is ours"""
    work = prepare(folder)
    (work / 'bad.cu').write_text('not CUDA')
    codes = [nvcc(work, ARCH, '-c', 'bad.cu', '-o', 'x.o', code=2, wrapper=wrapper).code
             for wrapper in (True, False)]
    same(codes, [2, 2])
    result = nvcc(work, ARCH, '-c', 'sub/other.cu', '-o', 'x.o', '-Xptxoffload=--no', code=2)
    within(b"unknown option '--no'", result.err)
    assert not (work / 'x.o').exists()
    result = nvcc(work, '--ptxoffload-no', code=2)
    within(b"unknown option '--ptxoffload-no'", result.err)
    result = nvcc(work, '--ptxoffload=none', '-c', 'bad.cu', code=2)
    within(b"cannot find 'none'", result.err)
    result = nvcc(work, './nvcc', '-c', 'bad.cu', code=2)
    within(b"cannot run './nvcc'", result.err)


@case
def collisions(folder):
    """sources of the same name have metadata of their own; where they cannot, that is an error"""
    work = prepare(folder)
    (work / 'other.cu').write_text((work / 'sub/other.cu').read_text().replace(
        'multiply', 'multiply2').replace('launch', 'launch2').replace('"ker', '"sub/ker'))
    nvcc(work, ARCH, 'main file.cu', 'sub/other.cu', 'other.cu', '-o', 'app')
    for name in ('sub-other', 'other', 'main file'):
        assert (work / ('app-%s.compute_80.json' % name)).exists(), made(work)
    (work / 'sub-other.cu').write_text((work / 'other.cu').read_text())
    result = nvcc(work, ARCH, 'main file.cu', 'sub/other.cu', 'sub-other.cu', '-o', 'app2', code=1)
    within(b"two sources would write './app2-sub-other.compute_80.json'", result.err)


@case
def without_ptx(folder):
    """it is told when no PTX goes into the object"""
    work = prepare(folder)
    result = nvcc(work, '-gencode', 'arch=compute_80,code=sm_80', '-c', 'sub/other.cu')
    same(result.err, b'ptxoffload-nvcc: note: no PTX is kept beside the machine code: '
                     b'code=compute_N in -gencode keeps it\n')
    same(nvcc(work, ARCH, '-dlto', '-c', 'sub/other.cu').err, b'')


main()
