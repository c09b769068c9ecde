#!/usr/bin/env python3
"""The runner of the tests: what it selects, shows and counts.

usage: suite.py
"""
import json
import os
import pathlib
import pty
import re
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import case, ends, environment, main, run, same, wait_for, within

RUNNER = pathlib.Path(__file__).resolve().parent / 'lib' / 'suite.py'
PASSES = "printf '1..1\\nok 1 - it holds\\n'"
WAITS = 'touch begun; ' + PASSES + '; exec tail -f /dev/null'
SECONDS = 60


def make_build(folder, commands, suites=(), sanitizer='none'):
    """A build folder whose test programs are these shell commands."""
    info = folder / 'meson-info'
    info.mkdir()
    suites = dict(suites)
    (info / 'intro-tests.json').write_text(json.dumps([
        {'name': name, 'cmd': ['sh', '-c', command], 'workdir': str(folder), 'env': {},
         'timeout': 60, 'priority': 0, 'is_parallel': True,
         'suite': ['ptxoffload' + (':' + suites[name] if name in suites else '')]}
        for name, command in commands.items()]))
    (info / 'intro-buildoptions.json').write_text(
        json.dumps([{'name': 'b_sanitize', 'value': sanitizer}]))


def suite(folder, *arguments):
    return run([RUNNER, *arguments[:-1], folder, *arguments[-1].split()], folder,
               env=environment(NO_COLOR='1'))


def ran(folder):
    return sorted(json.loads(line)['name'] for line in
                  (folder / 'test-log.json').read_text().splitlines())


@case
def tiers(folder):
    """slow programs run with --all or by name, and are named where they do not"""
    make_build(folder, {'quick': PASSES, 'long': PASSES}, {'long': 'slow'})
    ends(suite(folder, ''), 0, '', 'slow, not run: long\n1 passed, 0 failed\n')
    same(ran(folder), ['quick'])
    ends(suite(folder, '--all', ''), 0, '', '2 passed, 0 failed\n')
    ends(suite(folder, 'long'), 0, '', '1 passed, 0 failed\n')
    same(ran(folder), ['long'])


@case
def parts(folder):
    """--part=K/N runs every N-th slow program, and any N that follow one another run all"""
    slow = {name: 'slow' for name in 'abcde'}
    make_build(folder, {'quick': PASSES, **{name: PASSES for name in slow}}, slow)
    ends(suite(folder, '--part=0/2', ''), 0, '', 'slow, not run: b d\n4 passed, 0 failed\n')
    same(ran(folder), ['a', 'c', 'e', 'quick'])
    ends(suite(folder, '--part=17/2', ''), 0, '', 'slow, not run: a c e\n3 passed, 0 failed\n')
    same(ran(folder), ['b', 'd', 'quick'])
    within("argument --part: invalid", ends(suite(folder, '--part=1/0', ''), 2).err.decode())


@case
def sanitizers(folder):
    """what a build with sanitizers leaves out is named"""
    make_build(folder, {'quick': PASSES, 'judge': PASSES}, {'judge': 'unsanitized'},
               'address,undefined')
    ends(suite(folder, '--all', ''), 0, '', 'not run with sanitizers: judge\n1 passed, 0 failed\n')


@case
def names(folder):
    """a name selects programs and cases, and an unknown one is an error"""
    tell = 'echo 1..1; echo "ok 1 - $GOLDEN_CASES"'
    make_build(folder, {'cli-diagnostics': PASSES, 'golden': tell, 'unlike': PASSES})
    out = ends(suite(folder, '-v', 'diagnostics'), 0, '').out.decode()
    within('passed   golden: diagnostics\n', out)
    same(ran(folder), ['cli-diagnostics', 'golden'])
    ends(suite(folder, 'unlike'), 0, '')
    same(ran(folder), ['unlike'])
    ends(suite(folder, 'unlike nosuch'), 2,
         "run: no test program and no case has 'nosuch' in its name\n", '')


@case
def counted(folder):
    """failures are shown, a program that breaks off is one, and skips name their packages"""
    make_build(folder, {
        'bad': "printf '1..2\\nok 1 - a\\nnot ok 2 - b\\n# because\\n'; exit 1",
        'broken': "printf '1..2\\nok 1 - c\\n'; kill -9 $$",
        'skips': "printf '1..1\\nok 1 - d # SKIP no g++\\n'",
    })
    out = ends(suite(folder, '--jobs', '1', ''), 1, '').out.decode()
    same(out, 'FAILED bad: b\n    # because\n'
              'FAILED broken: the program was ended by SIGKILL after 1 of 2 cases\n'
              'skipped no g++: 1\nto run more of them: apt-get install g++\n'
              '2 passed, 2 failed, 1 skipped\n')


def start(folder, **settings):
    return subprocess.Popen([RUNNER, '--jobs', '1', folder], cwd=folder, start_new_session=True,
                            **settings)


@case
def interrupted(folder):
    """an interrupt ends the programs and counts those that have ended"""
    make_build(folder, {'first': PASSES, 'waits': WAITS, 'never': PASSES})
    running = start(folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment())
    wait_for(lambda: (folder / 'begun').exists(), running)
    running.send_signal(signal.SIGINT)
    out = running.communicate(timeout=SECONDS)[0].decode()
    same(out, 'interrupted: 1 of 3 test programs have run\n1 passed, 0 failed\n')
    same(running.returncode, 130)


def on_terminal(folder, kind):
    """What the runner writes to a terminal until its second program runs and is interrupted."""
    master, slave = pty.openpty()
    running = start(folder, stdout=slave, stderr=slave, env=environment(TERM=kind, NO_COLOR='1'))
    os.close(slave)
    wait_for(lambda: (folder / 'begun').exists(), running)
    said, stopped = b'', False
    while True:
        if not stopped and (kind == 'dumb' or b'1/2 waits 0:0' in said):
            running.send_signal(signal.SIGINT)
            stopped = True
        try:
            said += os.read(master, 4096)
        except OSError:  # the terminal has no other end
            break
    os.close(master)
    running.wait(SECONDS)
    return said.decode().replace('\r\n', '\n')


@case
def progress(folder):
    """on a terminal a line shows the progress and is cleared; on a dumb one there is none"""
    make_build(folder, {'first': PASSES, 'waits': WAITS})
    said = on_terminal(folder, 'xterm')
    assert re.search(r'\r\033\[K1/2 waits 0:0\d', said), said
    same(said.split('\r\033[K')[-1],
         'interrupted: 1 of 2 test programs have run\n1 passed, 0 failed\n')
    (folder / 'begun').unlink()
    same(on_terminal(folder, 'dumb'),
         'interrupted: 1 of 2 test programs have run\n1 passed, 0 failed\n')


main()
