#!/usr/bin/env python3
"""No function of CUDA's libraries crashes for NULL: each is called with NULL in place of each subset of its pointers.

usage: nulls.py BUILD-ROOT
"""
import itertools
import re

import lib
from tap import case, ends, environment, main, run

CUDA = lib.BUILD / 'cli' / 'cuda'
SOURCES = lib.PROGRAMS.parents[2] / 'runtime-sim' / 'cuda'
# Handles by the name of a parameter. An event is also tried where the parameter can be another thing.
HANDLES = ('event', 'stream', 'graph', 'exec', 'node', 'module', 'function', 'pool', 'array', 'image')
SAME_AS = {'library': 'module', 'kernel': 'function', 'handle': 'event', 'of': 'event', 'on': 'stream', 'begin': 'event',
           'end': 'event', 'host': 'function', 'child': 'graph', 'from': 'event', 'to': 'event'}
HEAD = r'''
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static char memory[9000];
static void *stream, *event, *graph, *exec, *node, *module, *function, *pool, *array, *device;
static const char image[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry f() { ret; }\n";
static int failures;

static int child(const char *call)
{
    int status;
    fflush(stdout);
    pid_t pid = fork();
    if (!pid) {
        alarm(20);
        return 1;
    }
    waitpid(pid, &status, 0);
    if (WIFSIGNALED(status)) {
        failures++;
        printf("%s: signal %d\n", call, WTERMSIG(status));
    }
    return 0;
}
'''
BEGIN = '''
int main(void)
{
    int channels[5] = {32, 0, 0, 0, 2};
    ptxo_cuInit(0);
    ptxo_cuModuleLoadData(&module, image);
    ptxo_cuModuleGetFunction(&function, module, "f");
    ptxo_cudaStreamCreate(&stream);
    ptxo_cudaEventCreate(&event);
    ptxo_cudaEventRecord(event, 0);
    ptxo_cudaDeviceGetDefaultMemPool(&pool, 0);
    ptxo_cudaMallocArray(&array, channels, 4L, 4L, 0);
    ptxo_cudaMalloc(&device, 64L);
    ptxo_cudaGraphCreate(&graph, 0);
    ptxo_cudaGraphAddEmptyNode(&node, graph, 0L, 0L);
    ptxo_cudaGraphInstantiate(&exec, graph, 0L);
    if (!exec || !function || !array || !event || !stream || !pool || !device)
        return 3;
'''


def declarations():
    """(name, parameters) of all functions, except those with structures as values."""
    for source in sorted(SOURCES.glob('*.c')):
        for name, text in re.findall(r'^CUDA_API\((\w+),\s*([^{}]*)\)\s*\{', source.read_text(), re.M):
            text = re.sub(r'\(\*(\w+)\)\([^()]*\)', r'*\1', text)  # pointers to functions
            parameters = [one.strip() for one in text.split(',') if one.strip() != 'void']
            by_value = any('struct ' in one and '*' not in one for one in parameters)
            if not by_value and not name.startswith('__cuda'):
                yield name, parameters


def values(parameter, number):
    """What an argument can be."""
    name = re.search(r'\w+$', parameter)[0]
    if name == 'shared_of':  # a function of the program, which is called
        return [0]
    if '*' not in parameter:
        return [0 if 'uint64_t' in parameter else number]  # the driver's addresses
    handle = SAME_AS.get(name, name)
    is_handle = handle in HANDLES and parameter.count('*') == 1
    return [0, *([handle] if is_handle else []), *([] if handle in HANDLES[1:] and is_handle else ['memory'])]


def calls():
    """The calls of each function, with all numbers 0 and with all numbers 1."""
    for name, parameters in declarations():
        for number in (0, 1):
            for arguments in itertools.product(*(values(one, number) for one in parameters)):
                yield name, arguments


@case
def nulls(folder):
    """no crash for NULL"""
    made = {'ptxo_%s(%s)' % (name, ', '.join('(uintptr_t)%s' % one for one in arguments)) for name, arguments in calls()}
    names = sorted({re.match(r'\w+', call)[0] for call in made})
    assert len(names) > 200, names
    (folder / 'nulls.c').write_text('%s%s%s%s\n    return failures != 0;\n}\n' % (
        HEAD, '\n'.join('int %s();' % name for name in names), BEGIN,
        '\n'.join('    if (child("%s"))\n        _exit(%s & 0);' % (call.replace('(uintptr_t)', ''), call)
                  for call in sorted(made))))
    ends(run(['cc', '-w', '-std=gnu11', '-o', 'nulls', 'nulls.c', CUDA / 'libptxoffload-cuda.so'], folder), 0)
    ends(run([lib.RUN, '--functional', '--', './nulls'], folder, env=environment(LD_LIBRARY_PATH=str(CUDA))), 0, out='')


main()
