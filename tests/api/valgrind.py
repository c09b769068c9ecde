#!/usr/bin/env python3
"""valgrind finds no error and no lost memory in programs that use the library.

usage: valgrind.py BUILD-ROOT [SEQUENCES]

SEQUENCES, 1: random sequences of launches of each kind of device, some of which fail.
"""
import os
import pathlib
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
import tap
from tap import Skip, add_case, case, ends, main, run

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
tap.SECONDS = 3000

# A launch with a wrong pointer, then two that are right.
FAULT = r"""
#include <ptxoffload/ptxoffload.h>
#include <stdio.h>
#include <string.h>
static char text[1 << 16];
int main(int count, char **arguments)
{
    FILE *from = fopen(arguments[1], "rb");
    size_t length = fread(text, 1, sizeof text, from);
    struct ptxoffload_context *context = ptxoffload_context_new();
    struct ptxoffload_input *input;
    struct ptxoffload_device *device;
    struct ptxoffload_device_options options;
    uint64_t a, b, c, wrong = (uint64_t)1 << 50;
    uint32_t n = 4096;
    static float ones[4096], got[2];
    const void *good[] = {&a, &b, &c, &n}, *bad[] = {&wrong, &b, &c, &n};
    struct ptxoffload_launch launch = PTXOFFLOAD_LAUNCH;
    for (int i = 0; i < 4096; i++)
        ones[i] = 1;
    ptxoffload_open(context, "vecadd.ptx", text, length, &input);
    ptxoffload_device_options_init(&options, sizeof options);
    options.functional = count > 2;
    ptxoffload_device_new(input, 0, &options, &device);
    ptxoffload_allocate(device, sizeof ones, &a);
    ptxoffload_allocate(device, sizeof ones, &b);
    ptxoffload_allocate(device, sizeof ones, &c);
    ptxoffload_write(device, a, ones, sizeof ones);
    ptxoffload_write(device, b, ones, sizeof ones);
    launch.kernel = "vecadd";
    launch.grid[0] = 1;
    launch.block[0] = 32;
    launch.argument_count = 4;
    launch.arguments = bad;
    printf("%d\n", ptxoffload_run(device, &launch));
    launch.block[0] = 1;
    launch.arguments = good;
    for (int i = 0; i < 2; i++) {
        int status = ptxoffload_run(device, &launch);
        ptxoffload_read(device, got, c, sizeof got);
        printf("%d %g %g\n", status, got[0], got[1]);
    }
    ptxoffload_device_free(device);
    ptxoffload_input_free(input);
    ptxoffload_context_free(context);
    return fclose(from);
}
"""


def clean(folder, command, code=0):
    if not shutil.which('valgrind'):
        raise Skip('no valgrind')
    return ends(run(['valgrind', '-q', '--error-exitcode=9', '--leak-check=full', *command], folder), code).out.decode()


def after_fault(folder, *options):
    if not shutil.which('cc'):
        raise Skip('no cc')
    (folder / 'fault.c').write_text(FAULT)
    ends(run(['cc', '-g', '-I', ROOT / 'include', 'fault.c', '-o', 'fault', BUILD / 'api/libptxoffload.so',
              '-Wl,-rpath,%s' % (BUILD / 'api')], folder), 0)
    said = clean(folder, [folder / 'fault', ROOT / 'samples/vecadd/vecadd.ptx', *options])
    assert said == '5\n0 2 0\n0 2 0\n', said


add_case('a launch after a fault, with time', after_fault)
add_case('a launch after a fault, without time', after_fault, 'functional')


@case
def models(folder):
    """models of memories and networks"""
    clean(folder, [BUILD / 'tests/unit/test-api-models'])


@case
def sequences(folder):
    """random sequences of launches, of which some fail, against a fresh device"""
    clean(folder, [BUILD / 'tests/unit/test-api-faults', sys.argv[2] if len(sys.argv) > 2 else '1', 'test_sequences'])


main()
