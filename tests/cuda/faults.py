#!/usr/bin/env python3
"""What goes wrong in CUDA programs under ptxoffload-run, and what is reported of it.

usage: faults.py BUILD-ROOT
"""
import itertools
import json
import os
import re
import signal
import subprocess
import time

import lib
from lib import RUN, build, simulate
from tap import add_case, case, ends, main, run, same, within

ARCH = '-arch=sm_80'


def lines(result):
    return result.out.decode().splitlines()


def fault(folder, kind, number, name, report):
    for mode in ('--functional', '-w'):
        result = ends(simulate(folder, build('faults.cu', ARCH), mode, arguments=[kind]), 7)
        same(lines(result), ['malloc: 0 cudaSuccess', 'launch: 0 cudaSuccess',
                             'synchronise: %d %s' % (number, name), 'later: %d %s' % (number, name)])
        assert re.search(report, result.err.decode()), result
    same(list(folder.iterdir()), [])


add_case('an illegal access', fault, 'illegal', 700, 'cudaErrorIllegalAddress',
         r"faults\.ptx:\d+:\d+: error: .*kernel '_Z5storePi', launch 1, CTA \(0, 0, 0\), thread \(0, 0, 0\)")
add_case('a false assertion', fault, 'assert', 710, 'cudaErrorAssert', r"assertion 'n == 3' failed in")
add_case('a trap', fault, 'trap', 719, 'cudaErrorLaunchFailure', 'trap')


@case
def slack(folder):
    """--slack lets an access near an allocation pass"""
    result = ends(simulate(folder, build('faults.cu', ARCH), '--functional', '--slack=4K', arguments=['illegal']), 7)
    within('synchronise: 0 cudaSuccess', result.out.decode())
    within("cannot be '100'", ends(run([RUN, '--slack=100', '--', 'true'], folder), 2).err.decode())


@case
def advised_slack(folder):
    """a fault near an allocation names the --slack that allows the access"""
    program = build('faults.cu', ARCH)
    for at, size in ((-4, 4), (-4096, 4), (-4100, 8), (64, 4), (4096, 4), (4144, 4), (4148, 8), (70000, 72),
                     (1 << 20, 1024), (3 << 20, 0), (-(3 << 20), 0)):
        words = ends(simulate(folder, program, '--functional', arguments=['near', str(at)]), 7).err.decode()
        same(re.findall(r'note: a GPU may not report this access; --slack=(\d+)K', words), [str(size)] if size else [])
        if size:
            done = simulate(folder, program, '--functional', '--slack=%dK' % size, arguments=['near', str(at)])
            within('synchronise: 0 cudaSuccess', done.out.decode())


@case
def without_tags(folder):
    """a policy that reads tags says how the program gets them"""
    program = build('faults.cu', ARCH)
    untagged = ends(simulate(folder, program, '--policy=omni', arguments=['illegal']), 7)
    within("the policy omni offloads nothing; tag it: ptxoffload-run --offload\n", untagged.err.decode())
    tagged = ends(simulate(folder, program, '--offload', '--policy=omni', arguments=['illegal']), 7)
    same('tag it' in tagged.err.decode(), False)


@case
def no_progress(folder):
    """a kernel that waits for ever"""
    for option, kernel in itertools.product(('--set=machine.watchdog=20000', '--functional'), ('spin', 'poll')):
        result = ends(simulate(folder, build('faults.cu', ARCH), option, '-w', arguments=[kernel]), 7)
        within('synchronise: 702 cudaErrorLaunchTimeout', result.out.decode())
        within('no thread of the launch can continue', result.err.decode())


@case
def room(folder):
    """a launch for which a core has too little shared memory fails alone"""
    result = ends(simulate(folder, build('faults.cu', ARCH), '--set=core.shared_bytes=16384', arguments=['room']), 7)
    same(lines(result), ['malloc: 0 cudaSuccess', 'launch: 701 cudaErrorLaunchOutOfResources',
                         'synchronise: 0 cudaSuccess', 'later: 0 cudaSuccess'])
    within('too little shared memory for one CTA of the launch: core.shared_bytes is 16384, but the CTA needs ',
           result.err.decode())
    within('note: machines with room for it (--config=NAME): ', result.err.decode())
    within(' ari, ', result.err.decode())


@case
def not_executable(folder):
    """a kernel that cannot be executed is reported once, with the place of the instruction"""
    result = ends(simulate(folder, build('faults.cu', ARCH), '--functional', arguments=['surface']), 7)
    within('launch: 801 cudaErrorNotSupported', result.out.decode())
    places = re.findall(r"faults\.ptx:\d+:\d+: error: '_Z7surfacey' cannot run: .*\[not-executable\]\n +\d+ \| istypep",
                        result.err.decode())
    same(len(places), 1)


@case
def unsupported(folder):
    """a function that is not supported is named although the program crashes then"""
    result = ends(simulate(folder, build('faults.cu', ARCH), '--functional', arguments=['crash']), -signal.SIGABRT)
    within('note: cudaIpcGetMemHandle is not supported', result.err.decode())


@case
def results_of_a_fault(folder):
    """the results name the fault and are complete"""
    ends(simulate(folder, build('faults.cu', ARCH), '--json=result.json', '-w', arguments=['illegal']), 7)
    text = (folder / 'result.json').read_text()
    within('"outcome": "fault"', text)
    within('"kernel": "_Z5storePi"', text)


@case
def interrupted(folder):
    """an interrupt in a kernel writes the statistics and ends the program as a signal does"""
    program = build('faults.cu', ARCH)
    child = subprocess.Popen([RUN, '-w', '--json=result.json', '--', program, 'forever'], cwd=folder,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    same(child.returncode, -signal.SIGINT)
    within('"outcome": "interrupted"', (folder / 'result.json').read_text())


def ended(folder, how, code, launches=1):
    """Results are complete however the program ends."""
    for mode in (['-w', '--stats=s.txt', '--trace=t.json'], ['--functional', '--record=kept']):
        result = simulate(folder, build('ends.cu', ARCH), *mode, '--json=r.json', arguments=[how])
        same((result.code, result.out.decode().split('\n')[0]), (code, 'done'))
        written = json.loads((folder / 'r.json').read_text())
        same((written['outcome'], written['total']['launches']), ('done', launches))
        (folder / 'r.json').unlink()
    same(json.loads((folder / 't.json').read_text())['traceEvents'] != [], True)
    within('machine.cycles', (folder / 's.txt').read_text())
    within('launches:', (folder / 'kept/run-0.yaml').read_text())


for how, code in {'_exit': 3, '_Exit': 3, 'quick_exit': 3, 'abort': -signal.SIGABRT, 'assert': -signal.SIGABRT,
                  'throw': -signal.SIGABRT, 'segv': -signal.SIGSEGV, 'raise': -signal.SIGTERM, 'return': 0}.items():
    add_case('results after ' + how, ended, how, code)
add_case('results after fork', ended, 'fork', 0, 2)
add_case('results of work that nobody waits for', ended, 'before', 3, 2)


@case
def interrupted_on_host(folder):
    """a signal while the program computes on the host: the results are written, and it ends"""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        child = subprocess.Popen([RUN, '-w', '--json=r.json', '--', build('ends.cu', ARCH), 'loop'], cwd=folder,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        same(child.stdout.readline(), b'done\n')
        time.sleep(0.3)
        child.send_signal(number)
        child.communicate(timeout=60)
        same(child.returncode, -number)
        same(json.loads((folder / 'r.json').read_text())['total']['launches'], 1)
        (folder / 'r.json').unlink()


@case
def reset(folder):
    """after cudaDeviceReset the device runs on, and nothing else is reported"""
    for mode in ('--functional', '-w'):
        result = ends(simulate(folder, build('ends.cu', ARCH), mode, arguments=['reset']), 0)
        same(lines(result), ['done', '700 700 0 1'])
        same(result.err.decode().count('error: '), 1)


@case
def limited(folder):
    """--max-cycles ends the program, with its statistics"""
    ends(simulate(folder, build('faults.cu', ARCH), '-w', '--max-cycles=5000', '--json=result.json',
                  arguments=['forever']), 0)
    within('"outcome": "cycle limit"', (folder / 'result.json').read_text())


@case
def machine_code_only(folder):
    """a program without PTX says so, and its launches fail as on a GPU that it was not compiled for"""
    program = build('faults.cu', '-gencode=arch=compute_80,code=sm_80')
    result = ends(simulate(folder, program, '--functional', arguments=['illegal']), 7)
    within("has no PTX: its device code is machine code for sm_80", result.err.decode())
    within('launch: 209 cudaErrorNoKernelImageForDevice', result.out.decode())


@case
def old_library(folder):
    """a program for another version of the library"""
    (folder / 'empty.c').write_text('int cudaMalloc(void) { return 0; }\n')
    ends(run(['cc', '-shared', '-fPIC', '-Wl,-soname,libcudart.so.11.0', '-o', 'libold.so', 'empty.c'],
             folder), 0)
    (folder / 'main.c').write_text('int cudaMalloc(void);\nint main(void) { return cudaMalloc(); }\n')
    ends(run(['cc', '-o', 'main', 'main.c', 'libold.so'], folder), 0)
    result = ends(simulate(folder, './main'), 1)
    within('is linked with libcudart.so.11, but ptxoffload-run supports versions 12 and 13', result.err.decode())


@case
def document(folder):
    """--diagnostics: the fault as a document, at the place of the CUDA source; errors of the command itself"""
    program = build('faults.cu', ARCH, '-lineinfo')
    ends(simulate(folder, program, '-w', '--diagnostics=json:d.json', '--locations=source', '--functional',
                  arguments=['illegal']), 7, err='')
    finding, = json.loads((folder / 'd.json').read_text())
    same((finding['severity'], finding['id'], os.path.basename(finding['file']), finding['line']),
         ('error', 'fault', 'faults.cu', 11))
    within('faults.ptx', finding['notes'][0]['file'])
    ends(run([RUN, '--diagnostics=sarif:d.sarif', '--', './nothing'], folder), 1, '', '')
    within("cannot find the program './nothing'", json.loads((folder / 'd.sarif').read_text())['runs'][0]['invocations'][0]
           ['toolExecutionNotifications'][0]['message']['text'])
    ends(run([RUN, '--diagnostics=json:d.json', '--config=nosuch', '--', program, 'illegal'], folder), 7, err='')
    within("there is no configuration 'nosuch'", (folder / 'd.json').read_text())
    for option in ('--overlap', '--annotate'):
        within(option + ' also writes to standard error',
               ends(run([RUN, '--diagnostics=json', option, '--', 'true'], folder), 2).err.decode())


@case
def overwriting(folder):
    """no option writes over the program or the configuration, by any name"""
    script = '#!/bin/sh\necho ran\n'
    (folder / 'app').write_text(script)
    (folder / 'app').chmod(0o755)
    (folder / 'link').symlink_to('app')
    os.link(folder / 'app', folder / 'hard')
    machine = 'base: gtx480\n'
    (folder / 'm.yaml').write_text(machine)
    for option, name, end in itertools.product(
            ('--json=', '--stats=', '--series=', '--trace=', '--profile-out=', '--overlap=',
             '--diagnostics=json:', '--diagnostics=sarif:', '--report=html:', '--report=json:', '--report=text:'),
            ('app', './app', 'link', 'hard', str(folder / 'app')), ('./app', './link')):
        result = ends(run([RUN, option + name, '--', end], folder), 1, out='')
        within('would overwrite the program', result.err.decode())
        same((folder / 'app').read_text(), script)
    result = ends(run([RUN, '--config=m.yaml', '--json=m.yaml', '--', './app'], folder), 1, out='')
    within("--json would overwrite the configuration 'm.yaml'", result.err.decode())
    same((folder / 'm.yaml').read_text(), machine)
    ends(run([RUN, '--config=m.yaml', '--json=other.json', '--', './app'], folder), 0, '', 'ran\n')


@case
def overwriting_by_record(folder):
    """--record replaces a link in its folder, not the file that it leads to"""
    program = build('ends.cu', ARCH)
    before = program.read_bytes()
    (folder / 'kept').mkdir()
    for name in ('run-0.yaml', 'program-1.ptx'):
        (folder / 'kept' / name).symlink_to(program)
    ends(simulate(folder, program, '--functional', '--record=kept', arguments=['return']), 0, '', 'done\n')
    same(program.read_bytes(), before)
    within('launches:', (folder / 'kept/run-0.yaml').read_text())


@case
def usage(folder):
    """errors of the command line"""
    within('missing program', ends(run([RUN], folder), 2).err.decode())
    within('missing program', ends(run([RUN, '--functional', '--'], folder), 2).err.decode())
    within('--wrong', ends(run([RUN, '--wrong', '--', 'true'], folder), 2).err.decode())
    within("cannot find the program './nothing'", ends(run([RUN, '--', './nothing'], folder), 1).err.decode())
    for name, text in (('a.cu', "'a.cu' is a source file: compile it, 'nvcc a.cu'"),
                       ('a.ptx', "'a.ptx' is PTX: run it"), ('run.yaml', "'run.yaml' is a run file: run it"),
                       ('data', "'data' is not an executable file"), ('.', "'.' is a folder")):
        if name != '.':
            (folder / name).write_text('x')
        within('error: ' + text, ends(run([RUN, '--', name], folder), 1).err.decode())
    (folder / 'a.cu').chmod(0o755)
    within("'./a.cu' is a source file", ends(run([RUN, '--', './a.cu'], folder), 1).err.decode())
    (folder / 'app').symlink_to('/bin/true')
    within("cannot find the program 'app' in PATH; did you mean './app'?", ends(run([RUN, '--', 'app'], folder), 1).err.decode())
    within('--stats; --json writes', ends(run([RUN, '--functional', '--stats=x', '--', 'true'], folder), 2)
           .err.decode())
    ends(run([RUN, '--', 'sh', '-c', 'exit 9'], folder), 9, '', '')
    within('usage: ptxoffload-run', ends(run([RUN, '--help'], folder), 0).out.decode())


main()
