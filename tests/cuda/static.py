#!/usr/bin/env python3
"""Programs that contain a static CUDA runtime, nvcc's default, run with our functions in its place.

usage: static.py BUILD-ROOT

The test makes the runtime: functions with the right names that end the program if they run. So it
needs no nvcc. programs.py and samples.py have programs with NVIDIA's.
"""
import json
import pathlib
import re
import shutil
import subprocess

import lib
from lib import PROGRAMS, ROOT, RUN, fatbin, simulate
from tap import Skip, add_case, case, ends, main, run, same, within

CC = ['cc', '-O2', '-w', '-fno-reorder-functions']
DONE = {}
HEAD = '''#ifndef VISIBILITY
#define VISIBILITY "hidden"
#endif
#include <stdio.h>
#include <unistd.h>
static int stop(const char *name)
{
    dprintf(2, "the static runtime's %s ran\\n", name);
    _exit(99);
}
'''
FUNCTION = '__attribute__((visibility(VISIBILITY))) int %s(void) { return stop("%s"); }\n'


def names(version):
    """The functions of a version of the runtime."""
    letters = {11: 'BET', 12: 'BT', 13: 'BN'}[version]
    rows = re.findall(r'^CUDA_(?:YES|NO)\((\w), (\w+)', (ROOT / 'runtime-sim/cuda/functions.def').read_text(), re.M)
    found = sorted({name for letter, name in rows if letter in letters})
    assert len(found) > 400, found
    if version == 11:
        found.remove('cudaGetDeviceProperties_v2')
    return found


def runtime(*options, version=13, without=(), more=()):
    """The object file of a runtime; `more` functions come after the second one."""
    key = (options, version, without, more)
    if key not in DONE:
        known = [name for name in names(version) if name not in without]
        at = pathlib.Path(lib.MADE.name) / ('runtime%d' % len(DONE))
        at.with_suffix('.c').write_text(HEAD + ''.join(FUNCTION % (one, one)
                                                       for one in [*known[:2], *more, *known[2:]]))
        ends(run([*CC, '-fPIC', *options, '-c', at.with_suffix('.c'), '-o', at.with_suffix('.o')], at.parent), 0)
        DONE[key] = at.with_suffix('.o')
    return DONE[key]


def compiled(folder, *options, name='app', objects=None):
    """A program of programs/plain.c."""
    objects = [runtime()] if objects is None else objects
    image = [] if any('FATBIN=' in option for option in options) else fatbin(folder)
    command = [*CC, *image, *options, PROGRAMS / 'plain.c', *objects, '-o', name, '-ldl']
    ends(run(command, folder), 0)
    return './' + name


def library(folder, name, *options):
    objects = [runtime(*options)]
    return compiled(folder, '-shared', '-fPIC', '-DLIBRARY="%s"' % name, name='lib%s.so' % name, objects=objects)


def good(name):
    return name + ': cudaSuccess 0 good\n'


@case
def alone(folder):
    """the test's own runtime ends a program that is not redirected"""
    result = ends(run([compiled(folder), 'own'], folder), 99)
    within("the static runtime's __cudaRegisterFatBinary ran", result.err.decode())


def modes(folder, *options):
    program = compiled(folder, *options)
    for mode in (['--functional'], ['-w'], ['-w', '--offload', '--policy=omni'], ['--functional', '--record=kept'],
                 ['-w', '--json=r.json']):
        ends(simulate(folder, program, *mode, arguments=['own']), 0, out=good('own'))
    within('launches:', (folder / 'kept/run-0.yaml').read_text())
    same(json.loads((folder / 'r.json').read_text())['total']['launches'], 1)


add_case('position-independent', modes, '-fPIE', '-pie')
add_case('not position-independent', modes, '-fno-pie', '-no-pie')
add_case('with code in the segment of the headers', modes, '-Wl,-z,noseparate-code')
add_case('with all symbols exported', modes, '-rdynamic')


@case
def protection(folder):
    """no page is writable and executable afterwards, and the code is executable only"""
    ends(simulate(folder, compiled(folder), '--functional', arguments=['own', 'pages']), 0,
         out=good('own') + 'writable and executable: 0\n')


@case
def libraries(folder):
    """a program and two libraries, each with a runtime of its own, register their kernels before main"""
    for name in ('one', 'two'):
        library(folder, name)
    program = compiled(folder, '-DLINKED', '-L.', '-Wl,--no-as-needed', '-lone', '-ltwo', '-Wl,-rpath,.')
    ends(simulate(folder, program, '-w', arguments=['own', 'linked', 'open', './libtwo.so']), 0,
         out=good('own') + good('one') + good('two'))


@case
def loaded_later(folder):
    """libraries that dlopen loads are redirected before their constructors; dlclose removes them"""
    for name in ('one', 'two'):
        library(folder, name)
    program = compiled(folder)
    for mode in ('--functional', '-w'):
        arguments = ['close', './libone.so', 'own', 'open', './libtwo.so', 'close', './libone.so']
        ends(simulate(folder, program, mode, arguments=arguments), 0,
             out=good('one') + good('own') + good('two') + good('one'))


@case
def exported(folder):
    """libraries that export their runtime, whose functions then replace each other's"""
    for name in ('one', 'two'):
        library(folder, name, '-DVISIBILITY="default"')
    within(' T cudaMalloc\n', ends(run(['nm', '-D', 'libone.so'], folder), 0).out.decode())
    program = compiled(folder, '-DLINKED', '-L.', '-Wl,--no-as-needed', '-lone', '-ltwo', '-Wl,-rpath,.')
    ends(simulate(folder, program, '-w', arguments=['own', 'linked', 'open', './libtwo.so']), 0,
         out=good('own') + good('one') + good('two'))


@case
def opened_by_others(folder):
    """a program without CUDA that loads a library with it, started by a script"""
    library(folder, 'one')
    (folder / 'host.c').write_text(
        '#include <dlfcn.h>\nint main(void) { return ((int (*)(void))dlsym(dlopen("./libone.so", RTLD_NOW), "check"))(); }')
    ends(run(['cc', '-o', 'host', 'host.c', '-ldl'], folder), 0)
    ends(run([RUN, '--functional', '--', 'sh', '-c', './host; exit $?'], folder), 0, out=good('one'))


@case
def started_by_linker(folder):
    """a program that is an argument of the dynamic linker"""
    program = compiled(folder)
    headers = ends(run(['readelf', '-l', program], folder), 0).out.decode()
    linker = re.search(r'interpreter: (\S+)\]', headers)[1]
    ends(run([RUN, '--functional', '--', linker, program, 'own'], folder), 0, out=good('own'))
    ends(run(['strip', program], folder), 0)
    result = ends(run([RUN, '--functional', '--', linker, program, 'own'], folder), 1, out='')
    within("error: './app' is linked statically", result.err.decode())


@case
def stripped(folder):
    """without a symbol table: a program is refused, also one that a script starts; a library is named"""
    program = compiled(folder)
    library(folder, 'one')
    shutil.copy(folder / 'app', folder / 'full')
    for name in ('app', 'libone.so'):
        ends(run(['strip', name], folder), 0)
    text = "is linked statically with the CUDA runtime and has no symbol table"
    advice = 'do not strip it, or link it with nvcc -cudart shared\n'
    for command in (['./app', 'own'], ['sh', '-c', './app own']):
        result = ends(run([RUN, '--functional', '--', *command], folder), 1, out='')
        within("ptxoffload-run: error: './app' " + text, result.err.decode())
        assert result.err.decode().endswith(advice), result
    (folder / 'host.c').write_text('#include <dlfcn.h>\nint main(void) { dlopen("./libone.so", RTLD_NOW); return 0; }')
    ends(run(['cc', '-o', 'host', 'host.c', '-ldl'], folder), 0)
    result = ends(run([RUN, '--functional', '--', './host'], folder), 99)
    within("ptxoffload-run: warning: './libone.so' " + text, result.err.decode())
    ends(simulate(folder, './full', '--functional', arguments=['own']), 0, out=good('own'))


@case
def debug_only(folder):
    """a program without debug information keeps its symbol table"""
    program = compiled(folder, '-g')
    ends(run(['strip', '-g', program], folder), 0)
    ends(simulate(folder, program, '--functional', arguments=['own']), 0, out=good('own'))


@case
def unsupported(folder):
    """functions that we lack are named, also those of later versions; the program's own are kept"""
    program = compiled(folder, '-DUNKNOWN', objects=[runtime(more=('cudaNotKnownYet',))])
    result = ends(simulate(folder, program, '--functional', arguments=['call', 'call', 'own']), 0,
                  out='call: 801 801 21\n' * 2 + good('own'))
    for name in ('cudaDestroyExternalMemory', 'cudaNotKnownYet'):
        within('note: %s is not supported\n' % name, result.err.decode())
        within('note: %s is not supported; calls: 2\n' % name, result.err.decode())


@case
def versions(folder):
    """structures have the layout of the runtime's version"""
    sizes = {11: (728, 52), 12: (1032, 144), 13: (1008, 144)}
    for version, (properties, attributes) in sizes.items():
        options = ['-DcudaGetDeviceProperties=cudaGetDeviceProperties_v2'] if version == 12 else []
        program = compiled(folder, *options, objects=[runtime(version=version)])
        ends(simulate(folder, program, '--functional', arguments=['own', 'layout']), 0,
             out=good('own') + 'layout: %d %d\n' % (properties, attributes))


@case
def omitted(folder):
    """a runtime of which the linker kept only what the program needs"""
    program = compiled(folder, '-Wl,--gc-sections', objects=[runtime('-ffunction-sections')])
    symbols = ends(run(['nm', program], folder), 0).out.decode()
    assert 0 < len(re.findall(r' [tT] _*cuda[A-Z]', symbols)) < 40, symbols
    ends(simulate(folder, program, '--functional', arguments=['own', 'layout']), 0,
         out=good('own') + 'layout: 1008 144\n')


@case
def too_short(folder):
    """a function without room for a jump, or with the code of another one, is refused by name"""
    two = ('cudaFree', 'cudaMalloc')
    for functions, name in ((('cudaFree: ret', 'cudaMalloc: ret'), 'cudaFree'),
                            (('cudaFree:', 'cudaMalloc: ret'), 'cuda(Free|Malloc)')):
        (folder / 'short.s').write_text('.text\n' + ''.join(
            '.globl %s\n.hidden %s\n.type %s, %%function\n' % (one, one, one) for one in two) +
            '\n'.join(functions) + '\n.skip 64\n.section .note.GNU-stack,"",%progbits\n')
        program = compiled(folder, objects=['short.s', runtime(without=two)])
        result = ends(simulate(folder, program, arguments=['own']), 1, out='')
        assert re.search(r"error: '\./app' has a static CUDA runtime whose %s is too short" % name,
                         result.err.decode()), result


@case
def forbidden(folder):
    """a system that forbids changed code: the program and a library that it loads are refused"""
    library(folder, 'one')
    (folder / 'host.c').write_text('''#include <dlfcn.h>
#include <sys/prctl.h>
#include <unistd.h>
int main(int count, char **arguments)
{
    if (count == 1)
        return !dlopen("./libone.so", RTLD_NOW);
    if (prctl(65, 1, 0, 0, 0)) // PR_SET_MDWE, of Linux 6.3
        return 77;
    return execv(arguments[1], arguments + 1);
}''')
    ends(run(['cc', '-o', 'host', 'host.c', '-ldl'], folder), 0)
    if run(['./host', './host'], folder).code == 77:
        raise Skip('the system cannot forbid it')
    for command, name in (([compiled(folder), 'own'], './app'), (['./host'], './libone.so')):
        result = ends(run([RUN, '--functional', '--', './host', *command], folder), 1, out='')
        within("error: '%s' has a static CUDA runtime that cannot be replaced: Permission denied" % name,
               result.err.decode())


@case
def interposed(folder):
    """a library that exports functions of the runtime, as a profiler does, is left as it is"""
    (folder / 'trace.c').write_text('''#include <dlfcn.h>
#include <stdio.h>
void **__cudaRegisterFatBinary(void *wrapper)
{
    puts("traced");
    return ((void **(*)(void *))dlsym(RTLD_NEXT, "__cudaRegisterFatBinary"))(wrapper);
}''')
    ends(run([*CC, '-D_GNU_SOURCE', '-shared', '-fPIC', '-o', 'libtrace.so', 'trace.c', '-ldl'], folder), 0)
    cudart = lib.BUILD / 'cli' / 'cuda' / 'libcudart.so.13'
    ends(run([*CC, *fatbin(folder), PROGRAMS / 'plain.c', cudart, '-o', 'app', '-ldl'], folder), 0)
    command = 'LD_PRELOAD="$PWD/libtrace.so $LD_PRELOAD" exec ./app own'
    ends(run([RUN, '--functional', '--', 'sh', '-c', command], folder), 0, out='traced\n' + good('own'))


def references(folder, *options):
    """texture and surface references of version 11"""
    image = fatbin(folder, (PROGRAMS / 'references.ptx').read_bytes())
    ends(run([*CC, *image, PROGRAMS / 'references.c', runtime(version=11), '-o', 'app'], folder), 0)
    ends(simulate(folder, './app', *options), 0, out='PASSED\n')


for options in (['--functional'], ['-w'], ['--functional', '--devices=2']):
    add_case('texture and surface references of version 11, ' + ' '.join(options), references, *options)


@case
def without_libc(folder):
    """a program that is linked statically with libc is refused"""
    done = run([*CC, *fatbin(folder), '-static', PROGRAMS / 'plain.c', runtime(), '-o', 'app'], folder)
    if done.code:
        raise Skip('there is no static libc')
    result = ends(simulate(folder, './app', arguments=['own']), 1, out='')
    within("'./app' is linked statically with libc: link it dynamically\n", result.err.decode())


POLICIES = (['--policy=llc'], ['--policy=omni'], ['--policy=adaptive'], ['--config=tom', '--policy=tom-ctrl'])


@case
def wrapped(folder):
    """tags that ptxoffload-nvcc made and nvcc packed are used under each policy that reads tags"""
    program = compiled(folder, '-DFATBIN="%s"' % (ROOT / 'tests/data/packed.fatbin'))
    for policy in POLICIES:
        ends(simulate(folder, program, '-w', *policy, arguments=['own']), 0, err='', out=good('own'))
    ends(simulate(folder, program, '-w', '--policy=llc', '--stats=s.txt', arguments=['own']), 0)
    chains = re.search(r'offload\.chains_offloaded = (\d+)', (folder / 's.txt').read_text())
    assert int(chains[1]) > 0, chains


@case
def changed(folder):
    """a text that was changed after it was tagged: a message, then the error at the first call and all later ones"""
    ends(run([lib.TAGGER, ROOT / 'tests/data/packed.fatbin', '-o', 'tagged.ptx'], folder), 0)
    text = (folder / 'tagged.ptx').read_bytes()
    assert text.count(b'add.f32') == 1, text
    program = compiled(folder, *fatbin(folder, text.replace(b'add.f32', b'sub.f32'), 'changed.fatbin'))
    for policy in POLICIES:
        command = [RUN, '-w', *policy, '--', program, 'first', 'own']
        lines = ends(run(command, folder, stderr=subprocess.STDOUT), 1).out.decode().splitlines()
        within("error: the tags of 'app' cannot be used: line", lines[0])
        within('the program is not the one that was tagged', lines[0])
        same([line for line in lines[1:] if ': note: ' not in line],
             ['first: cudaErrorInvalidPtx', 'own: cudaErrorInvalidPtx 999 errors'])
    wrong = ends(simulate(folder, program, '--functional', arguments=['first', 'own']), 1, err='').out.decode()
    same(wrong, 'first: cudaSuccess\nown: cudaSuccess 999 good\n')


@case
def checked(folder):
    """valgrind finds no error in a program with a library that it loads and removes"""
    if not shutil.which('valgrind'):
        raise Skip('there is no valgrind')
    library(folder, 'one')
    command = ['valgrind', '-q', '--error-exitcode=9', '--run-libc-freeres=no', '--leak-check=full',
               compiled(folder, '-g'), 'own', 'close', './libone.so']
    ends(run([RUN, '--functional', '--', *command], folder), 0, err='', out=good('own') + good('one'))


main()
