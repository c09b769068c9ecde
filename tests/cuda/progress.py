#!/usr/bin/env python3
"""Work progresses while the program does not call CUDA, with results that do not depend on when.

usage: progress.py BUILD-ROOT
"""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import time

import lib
from lib import RUN, simulate
from tap import SANITIZED, add_case, case, ends, environment, main, run, same, within

MODES = {'values': ['--functional'], 'cycles': ['-w']}
REPEATS = 4 if SANITIZED else 20


def compiled():
    """progress.c, which needs no nvcc"""
    to = pathlib.Path(lib.MADE.name)
    image = lib.fatbin(to, (lib.PROGRAMS / 'progress.ptx').read_bytes())
    ends(run(['cc', '-O1', '-w', *image, lib.PROGRAMS / 'progress.c', lib.BUILD / 'cli/cuda/libcudart.so.13',
              '-lpthread', '-o', 'app'], to), 0)
    return to / 'app'


PROGRAM = compiled()


def passes(folder, way, mode):
    ends(simulate(folder, PROGRAM, *MODES[mode], arguments=[way]), 0, out='PASSED\n')


for way, text in {
        'condition': 'a host function signals a condition variable', 'callback': 'a callback sets an atomic variable',
        'mapped': 'a kernel writes mapped memory that the program polls',
        'managed': 'a kernel writes managed memory that the program polls',
        'threads': 'several threads, each with its own stream', 'helper': 'a host function waits for a thread that calls CUDA',
        'lock': 'the program issues work with a lock held that host functions take',
        'query': 'loops of queries', 'fork': 'fork with pending work', 'end': 'the end with pending work',
        'kernel': 'a kernel polls what a kernel in another stream writes',
        'reset': 'cudaDeviceReset frees memory and restores variables'}.items():
    for mode in MODES:
        add_case('%s, %s' % (text, mode), passes, way, mode)
add_case('a kernel polls what the program writes after the launch', passes, 'host-flag', 'values')


@case
def under_load(folder):
    """the same beside busy processes, where threads wait for a processor"""
    busy = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(4 * os.cpu_count())]
    try:
        for _ in range(3 if SANITIZED else 24):
            passes(folder, 'host-flag', 'values')
    finally:
        for process in busy:
            process.kill()
            process.wait()


add_case('atomic operations of scope .sys with atomic operations of the host', passes, 'atomic', 'values')
add_case('a kernel polls what a copy in another stream writes', passes, 'copy', 'values')


def ends_in_function(folder, mode):
    """exit in a host function writes the results"""
    ends(simulate(folder, PROGRAM, *MODES[mode], '--json=r.json', arguments=['end-function']), 3)
    same(json.loads((folder / 'r.json').read_text())['total']['launches'], 1)


for mode in MODES:
    add_case('exit in a host function, ' + mode, ends_in_function, mode)


def repeated(folder, mode):
    """Random delays between calls change neither times nor statistics."""
    files = ['r.json'] + ['s.csv'] * (mode == 'cycles')
    seen = set()
    for _ in range(REPEATS):
        result = ends(simulate(folder, PROGRAM, *MODES[mode], '--json=r.json',
                               *['--stats=s.csv'] * (mode == 'cycles'), arguments=['delays']), 0)
        document = json.loads((folder / 'r.json').read_text())
        del document['host']  # time and memory of this process
        seen.add((result.out, result.err, json.dumps(document), *((folder / name).read_bytes() for name in files[1:])))
    same(len(seen), 1)


for mode in MODES:
    add_case('delays in the program do not change results, ' + mode, repeated, mode)


def started(folder, way, mode, **more):
    running = subprocess.Popen([RUN, *MODES[mode], '--json=r.json', '--', PROGRAM, way], cwd=folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
    return running


def interrupted(folder, way, mode, number, code, launches):
    """A signal ends the program within seconds, with its results."""
    running = started(folder, way, mode)
    same(running.stdout.readline(), b'ready\n')
    time.sleep(1.5)
    running.send_signal(number)
    said = running.communicate(timeout=60)[1].decode()
    same(running.returncode, code)
    if launches:
        written = json.loads((folder / 'r.json').read_text())
        same((written['outcome'], written['total']['launches']), ('interrupted', launches))
        assert re.search(r'interrupted in launch 1.*; results up to then are in \S*r\.json', said), said


for way, text, launches in (('long-call', 'within a call', 1), ('long-outside', 'while the host computes beside a kernel', 1),
                            ('long-blocked', 'while the host is blocked beside a kernel', 1),
                            ('never', 'while a host function does not return', 0), ('no-work', 'while nothing runs', 0)):
    for mode in MODES:
        for number in (signal.SIGINT, signal.SIGTERM):
            add_case('%s %s, %s' % (number.name, text, mode), interrupted, way, mode, number, -number, launches)
for mode in MODES:
    add_case("the program's own handler, " + mode, interrupted, 'handler', mode, signal.SIGINT, 40 + signal.SIGINT, 0)


def noted(folder, way, mode, text):
    """What does not progress is named on standard error."""
    running = started(folder, way, mode)
    try:
        said = b''
        while text.encode() not in said:
            part = running.stderr.readline()
            assert part, said
            said += part
    finally:
        running.kill()
        running.communicate()


for mode in MODES:
    for way, text in {'hang': 'a host function of stream 2 has not returned, and a call of CUDA waits for it',
                      'hang-end': 'has not returned, and the end of the program waits for it',
                      'hang-outside': 'has not returned, and the program waits for it',
                      'fail': 'the program waits for work that has failed'}.items():
        add_case('a note: %s, %s' % (text, mode), noted, way, mode, text)
add_case('a note about a kernel that polls', noted, 'poll', 'values', "kernel 'await' has polled memory for 5 s")


def on_terminal(folder, mode, row):
    """The progress of a long kernel on a terminal."""
    end, other = pty.openpty()
    running = subprocess.Popen([RUN, *MODES[mode], '--', PROGRAM, 'long-call'], cwd=folder, stderr=other,
                               stdout=subprocess.PIPE, env=environment(TERM='xterm'))
    os.close(other)
    said = b''
    while len(re.findall(row, said)) < 2:
        said += os.read(end, 4096)
    running.kill()
    running.communicate()
    os.close(end)


add_case('progress on a terminal, cycles', on_terminal, 'cycles', rb'launch 1, work, \d+ s, 0 of 1 CTAs, cycle \d+, \d+ cycles/s')
add_case('progress on a terminal, values', on_terminal, 'values', rb'launch 1, work, \d+ s')


@case
def checkpoints(folder):
    """options for checkpoints are refused with what to do instead"""
    for option in ('--checkpoint=x', '--resume=x'):
        within('record the launches with --record=FOLDER', ends(run([RUN, option, '--', 'true'], folder), 2).err.decode())


main(at_a_time=2)
