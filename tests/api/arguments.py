#!/usr/bin/env python3
"""Every function of the library with every pointer NULL, and with sizes of its structs that are none.

usage: arguments.py BUILD-ROOT

The calls are generated from the headers: a new function or struct is covered, or this test fails.
"""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, Skip, case, ends, environment, main, run, same  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../..'))
BUILD = os.path.abspath(sys.argv[1])
HEADERS = ''.join(open(os.path.join(ROOT, 'include/ptxoffload', name), encoding='utf-8').read() for name in ('ptxoffload.h', 'models.h'))
BAD_ARGUMENT = 2

CALLS = r'''
import re, sys
import ptxoffload
from ptxoffload import _ffi, _lib
TEXT = """.version 8.0
.target sm_80
.address_size 64
.global .u32 factor = 3;
.visible .entry add(.param .u64 to, .param .u64 a, .param .u64 b)
{
.reg .b32 %r<6>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [to]; ld.param.u64 %rd2, [a]; ld.param.u64 %rd3, [b];
cvta.to.global.u64 %rd1, %rd1; cvta.to.global.u64 %rd2, %rd2; cvta.to.global.u64 %rd3, %rd3;
mov.u32 %r3, %tid.x; mul.wide.u32 %rd4, %r3, 4;
ld.global.u32 %r1, [%rd2]; mul.lo.u32 %r1, %r1, 7; st.global.u32 [%rd2], %r3;
add.u64 %rd5, %rd2, %rd4; add.u64 %rd6, %rd3, %rd4; add.u64 %rd7, %rd1, %rd4;
ld.global.u32 %r4, [%rd5];
ld.global.u32 %r5, [%rd6];
add.u32 %r4, %r4, %r5;
st.global.u32 [%rd7], %r4;
ret;
}
""".encode()
keep = []
def made(kind, function, *arguments):
    to = _ffi.new('struct ptxoffload_%s **' % kind)
    assert function(*arguments, to) == 0
    return to[0]
context = _lib.ptxoffload_context_new()
text = _ffi.from_buffer(TEXT)
entry = made('input', _lib.ptxoffload_open, context, b'in.ptx', text, len(TEXT))
program = made('program', _lib.ptxoffload_analyse, entry, 0, _ffi.NULL)
device = made('device', _lib.ptxoffload_device_of, program, _ffi.NULL)
address = _ffi.new('uint64_t *')
assert _lib.ptxoffload_allocate(device, 4096, address) == 0
values = _ffi.new('uint64_t *', address[0])
kernel, name = _ffi.new('char[]', b'add'), _ffi.new('char[]', b'machine.cycles')
arguments = _ffi.new('const void *[]', [values] * 3)
room = _ffi.new('double[]', 10000)
objects = {'context': context, 'input': entry, 'program': program, 'device': device}
objects |= {model: made(model, getattr(_lib, 'ptxoffload_%s_new' % model), context, _ffi.NULL, _ffi.NULL) for model in ('dram', 'noc')}
statistics = {'ptxoffload_%s_statistic' % model: _ffi.new('char[]', name) for model, name in (('dram', b'dram.reads'), ('noc', b'noc.class0.hops'))}

def new(struct):
    """The struct as the header's macro or function makes it, exactly as large."""
    to = _ffi.new('struct %s *' % struct)
    initialise = getattr(_lib, struct + '_init', None)
    if initialise:
        initialise(to, _ffi.sizeof('struct ' + struct))
    to.size = _ffi.sizeof('struct ' + struct)
    if struct == 'ptxoffload_launch':
        to.kernel, to.arguments, to.argument_count = kernel, arguments, 3
        to.grid[0], to.block[0] = 1, 32
    if struct == 'ptxoffload_packet':
        to.target, to.flits = 1, 1
    return to

def value(function, parameter):
    """An argument that the function takes."""
    kind, number = parameter
    found = re.fullmatch(r'(?:const )?struct ptxoffload_(\w+) \*', kind)
    if found:
        return objects[found[1]] if found[1] in objects else new('ptxoffload_' + found[1])
    if re.fullmatch(r'struct ptxoffload_(\w+) \*\*', kind):
        return _ffi.new(kind)
    special = {('ptxoffload_open', 'const void *'): text, ('ptxoffload_open', 'size_t'): len(TEXT),
               ('ptxoffload_variable', 'const char *'): _ffi.new('char[]', b'factor'),
               ('ptxoffload_statistic', 'const char *'): kernel if number == 1 else name,
               ('ptxoffload_write', 'uint64_t'): address[0] if number == 1 else 64,
               ('ptxoffload_read', 'uint64_t'): address[0] if number == 2 else 64,
               ('ptxoffload_release', 'uint64_t'): address[0],
               ('ptxoffload_statistics', 'const char *'): _ffi.NULL,
               ('ptxoffload_dram_new', 'const char *'): _ffi.NULL, ('ptxoffload_noc_new', 'const char *'): _ffi.NULL,
               **{(function, 'const char *'): name for function, name in statistics.items()}}
    if (function, kind) in special:
        return special[function, kind]
    if kind in ('uint32_t *', 'double *', 'void *', 'const void *'):
        return _ffi.cast(kind, room)
    if kind in ('ptxoffload_diagnose *', 'ptxoffload_progress *'):
        return _ffi.NULL
    return kernel if kind == 'const char *' else _ffi.new(kind) if kind.endswith('*') else 64 if kind == 'size_t' else 0

calls = []
def call(function, arguments, what):
    print(function, what, file=sys.stderr, flush=True)  # the last line names the call that crashes
    result = getattr(_lib, function)(*arguments)
    calls.append([function, what, None if result is None or not isinstance(result, int) else result])

for function, parameters in FUNCTIONS:
    if function.endswith('_free') or function in ('ptxoffload_context_new', 'ptxoffload_version', 'ptxoffload_release'):
        if parameters and function.endswith('_free'):
            getattr(_lib, function)(_ffi.NULL)
        continue
    good = [value(function, (kind, number)) for number, kind in enumerate(parameters)]
    for number, kind in enumerate(parameters):
        if not kind.endswith('*'):
            continue
        given = list(good)
        given[number] = _ffi.NULL
        call(function, given, 'NULL %d' % number)
        found = re.fullmatch(r'(?:const )?struct (ptxoffload_\w+) \*', kind)
        if not found or found[1][11:] in objects or function.endswith('_init'):
            continue
        whole = _ffi.sizeof('struct ' + found[1])
        for size in (0, 1, 7, whole + 1, whole + 8, 2**32, 2**64 - 1):
            given[number] = new(found[1])
            given[number].size = size
            call(function, given, 'size %s' % ('small' if size < 8 else 'large'))
        for size in [field.offset for _, field in _ffi.typeof('struct ' + found[1]).fields][1:] + [whole]:
            memory = _ffi.new('char[]', size + 64)
            _ffi.memmove(memory, new(found[1]), size)
            _ffi.memmove(memory + size, b'\x5a' * 64, 64)
            given[number] = _ffi.cast('struct %s *' % found[1], memory)
            given[number].size = size
            call(function, given, 'size %d of %d' % (size, whole))
            assert _ffi.buffer(memory, size + 64)[size:] == b'\x5a' * 64, (function, size)
            assert given[number].size == size
    # A request to cancel and a reset would change what later calls do.
    if function not in ('ptxoffload_set_diagnose', 'ptxoffload_set_memory_limit', 'ptxoffload_cancel',
                        'ptxoffload_device_reset'):
        call(function, good, 'good')
for size in (0, 1, 7, 8, 20, 4096):
    for struct in ('ptxoffload_options', 'ptxoffload_device_options'):
        memory = _ffi.new('char[]', b'\x5a' * 8192)
        getattr(_lib, struct + '_init')(_ffi.cast('struct %s *' % struct, memory), size)
        assert _ffi.buffer(memory, 8192)[size if size >= 8 else 0:] == b'\x5a' * (8192 - (size if size >= 8 else 0)), size
import json
print(json.dumps(calls))
'''


def functions():
    """Name and types of the parameters of every function."""
    text = re.sub(r'/\*.*?\*/', '', HEADERS, flags=re.S)
    found = []
    for one in re.findall(r'PTXOFFLOAD_API\s+([^;{]*?)\s*;', text):
        one = re.sub(r'\s+', ' ', one)
        name, parameters = re.fullmatch(r'.*?(ptxoffload_\w+)\((.*)\)', one).groups()
        kinds = [] if parameters == 'void' else [re.fullmatch(r'(.*?)\w+', part.strip())[1].strip()
                                                 for part in parameters.split(',')]
        found.append((name, kinds))
    return found


# Where the headers allow NULL: functions, and the numbers of their parameters.
ALLOWED = {'ptxoffload_open': [1], 'ptxoffload_analyse': [2], 'ptxoffload_device_new': [2], 'ptxoffload_device_of': [1],
           'ptxoffload_statistic': [1], 'ptxoffload_statistics': [1], 'ptxoffload_statistic_at': [2, 3, 4],
           'ptxoffload_parameters': [2], 'ptxoffload_set_progress': [1, 2],
           'ptxoffload_dram_new': [1, 2], 'ptxoffload_noc_new': [1, 2]}
# Functions that return a number, and what it is if an argument is NULL.
NUMBERS = {'transfer': 0, 'nodes': 0, 'pending': 0, 'completed': 0, 'count': 0, 'next': 2**64 - 1}
LOST = 3


def interpreter():
    if SANITIZED:
        raise Skip('the library needs the run-time of the sanitizers')
    for path in (sys.executable, '/usr/bin/python3'):
        if path and not subprocess.run([path, '-c', 'import cffi, numpy'], capture_output=True, check=False).returncode:
            return path
    raise Skip('no Python with cffi and numpy')


@case
def generated(folder):
    """NULL for each pointer, and sizes of structs: no crash, no write past the struct, the right status"""
    listed = functions()
    assert len(listed) > 30, listed
    env = environment(PYTHONPATH=os.path.join(ROOT, 'python'), PYTHONDONTWRITEBYTECODE='1',
                      PTXOFFLOAD_LIBRARY=os.path.join(BUILD, 'api/libptxoffload.so'))
    done = ends(run([interpreter(), '-c', 'FUNCTIONS = %r\n' % listed + CALLS], folder, env=env), 0, err=None)
    called = json.loads(done.out)
    same({name for name, _ in listed if not name.endswith('_free')} - {one[0] for one in called},
         {'ptxoffload_version', 'ptxoffload_context_new', 'ptxoffload_release'})
    for function, what, status in called:
        word, number = what.split()[0], what.split()[-1]
        if function == 'ptxoffload_device_state':
            expected = 0 if word == 'good' else LOST
        elif status is None or function.split('_')[-1] in NUMBERS:
            expected = status if word == 'good' or status is None else NUMBERS[function.split('_')[-1]]
        elif what in ('size small', 'size large'):
            expected = BAD_ARGUMENT
        elif word == 'size':  # of an earlier version, in which members are missing
            expected = status if function in ('ptxoffload_run', 'ptxoffload_noc_offer') else 0
        elif word == 'good' or int(number) in ALLOWED.get(function, []):
            expected = 0
        else:
            expected = BAD_ARGUMENT
        assert status == expected, (function, what, status, expected)


main()
