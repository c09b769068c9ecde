#!/usr/bin/env python3
"""Runs the test programs of a build folder and counts their cases.

usage: suite.py [-v] [--all | --part=K/N] [--jobs N] BUILD [NAME…]

Without NAME it runs the programs that are not in the suite `slow`; --all adds these, --part every N-th of
them: the one at place i, counted by name from 0, if i and K have the same remainder by N. NAME is a part
of a program's name, slow or not, or of GROUP/NAME of a case under tests/cases. A program in the suite
`unsanitized` is left out of builds with sanitizers. -v lists every case.

On a terminal a line shows the progress. Prints the failed cases with what they printed, why cases were
skipped, and last `N passed, N failed` and where there are some `, N skipped`. BUILD/test-log.json and
BUILD/test-times.tsv keep what the programs printed and the CPU time that they took. Exit code: 0 if
something passed and nothing failed, 1 if not, 2 for a NAME that is unknown, 130 after an interrupt.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tally

CASES = pathlib.Path(__file__).resolve().parents[1] / 'cases'
SLOW, UNSANITIZED = 'slow', 'unsanitized'
LOOK_EVERY = 0.02  # between two looks at the programs that run: they end in any order
SHOW_EVERY = 0.25
GRACE = 3
INTERRUPTED = 130


class Interrupted(Exception):
    """Somebody asked to stop."""


def introspect(build, what):
    path = build / 'meson-info' / ('intro-%s.json' % what)
    return json.loads(path.read_text(encoding='utf-8'))


def has_sanitizer(build):
    chosen = {option['name']: option['value'] for option in introspect(build, 'buildoptions')}
    return chosen.get('b_sanitize', 'none') not in ('none', [])


def in_suite(test, suite):
    return any(name.split(':')[-1] == suite for name in test['suite'])


def case_names():
    return ['%s/%s' % (path.parent.name, path.name) for path in CASES.glob('*/*')
            if path.suffix != '.expected']


class Selection:
    """The tests to run, the cases that `golden` is to run (all if none), and what is left out."""

    def __init__(self, tests, names, part, sanitized):
        self.unknown, self.cases = [], []
        chosen = {}
        for name in names:
            found = [test for test in tests if name in test['name']]
            cases = any(name in case for case in case_names())
            chosen.update((test['name'], test) for test in found)
            if cases:
                self.cases.append(name)
            elif not found:
                self.unknown.append(name)
        if 'golden' in chosen:
            self.cases = []
        elif self.cases:
            chosen.update((test['name'], test) for test in tests if test['name'] == 'golden')
        wanted = list(chosen.values()) if names else tests
        self.unsanitized = [test['name'] for test in wanted
                            if sanitized and in_suite(test, UNSANITIZED)]
        wanted = [test for test in wanted if test['name'] not in self.unsanitized]
        slow = sorted(test['name'] for test in wanted if in_suite(test, SLOW))
        self.slow = [] if names else [name for i, name in enumerate(slow)
                                      if not part or i % part[1] != part[0]]
        wanted = [test for test in wanted if test['name'] not in self.slow]
        self.tests = sorted(wanted, key=lambda test: -test['priority'])


class Running:
    """A test program that runs, in a process group of its own."""

    def __init__(self, test, build, environment):
        self.test, self.started = test, time.monotonic()
        self.late = False
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            test['cmd'], cwd=test['workdir'] or build, env=dict(environment, **test['env']),
            stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True)

    def seconds(self):
        return time.monotonic() - self.started

    def send(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def ended(self):
        """What the log keeps of the program, or None while it runs."""
        if not self.late and self.seconds() > self.test['timeout']:
            self.late = True
            self.send(signal.SIGKILL)
        pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
        if not pid:
            return None
        self.process.returncode = code = os.waitstatus_to_exitcode(status)
        entry = {
            'name': self.test['name'],
            'result': 'TIMEOUT' if self.late else 'OK' if code == 0 else 'FAIL',
            'returncode': code,
            'seconds': round(self.seconds(), 2),
            'cpu_seconds': round(used.ru_utime + used.ru_stime, 2),
        }
        for name, file in (('stdout', self.out), ('stderr', self.err)):
            file.seek(0)
            entry[name] = file.read().decode('utf-8', 'replace')
            file.close()
        return entry


class Progress:
    """One line on a terminal: how many programs are done, which one runs, since when."""

    def __init__(self, total):
        self.total, self.next = total, 0.0
        self.shown = sys.stdout.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'

    def show(self, done, running):
        if not self.shown or not running or time.monotonic() < self.next:
            return
        self.next = time.monotonic() + SHOW_EVERY
        oldest = min(running, key=lambda one: one.started)
        seconds = int(oldest.seconds())
        line = '%d/%d %s %d:%02d' % (done, self.total, oldest.test['name'], seconds // 60,
                                     seconds % 60)
        width = shutil.get_terminal_size().columns - 1
        sys.stdout.write('\r\033[K' + line[:width])
        sys.stdout.flush()

    def clear(self):
        if self.shown:
            sys.stdout.write('\r\033[K')
            sys.stdout.flush()


def stop(running):
    """Ends the programs: they may clean up, but not for long."""
    for one in running:
        one.send(signal.SIGTERM)
    end = time.monotonic() + GRACE
    for one in running:
        while one.ended() is None and time.monotonic() < end:
            time.sleep(LOOK_EVERY)
        one.send(signal.SIGKILL)
        one.process.wait()


def run_tests(tests, jobs, build, environment, entries):
    """Runs the tests and appends what the log keeps of them. Raises Interrupted on a signal."""
    waiting, running, progress = list(tests), [], Progress(len(tests))

    def interrupt(number, frame):
        raise Interrupted

    old = {number: signal.signal(number, interrupt)
           for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        while waiting or running:
            alone = any(not one.test['is_parallel'] for one in running)
            while waiting and len(running) < jobs and not alone:
                if running and not waiting[0]['is_parallel']:
                    break
                running.append(Running(waiting.pop(0), build, environment))
                alone = not running[-1].test['is_parallel']
            for one in list(running):
                entry = one.ended()
                if entry:
                    running.remove(one)
                    entries.append(entry)
            progress.show(len(entries), running)
            time.sleep(LOOK_EVERY)
    finally:
        for number in old:
            signal.signal(number, signal.SIG_IGN)
        stop(running)
        progress.clear()
        for number, handler in old.items():
            signal.signal(number, handler)


def write_logs(build, entries):
    with open(build / 'test-log.json', 'w', encoding='utf-8') as file:
        for entry in entries:
            file.write(json.dumps(entry) + '\n')
    with open(build / 'test-times.tsv', 'w', encoding='utf-8') as file:
        file.write('program\tcpu_seconds\tseconds\n')
        for entry in sorted(entries, key=lambda one: -one['cpu_seconds']):
            file.write('%s\t%.2f\t%.2f\n' % (entry['name'], entry['cpu_seconds'],
                                             entry['seconds']))


def read_part(text):
    """`9/4` as (1, 4)."""
    part, parts = map(int, text.split('/'))
    if parts < 1:
        raise ValueError
    return part % parts, parts


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument('-v', '--verbose', action='store_true')
    options.add_argument('--all', dest='part', action='store_const', const=(0, 1))
    options.add_argument('--part', type=read_part, metavar='K/N')
    options.add_argument('--jobs', type=int, default=len(os.sched_getaffinity(0)), metavar='N')
    options.add_argument('build', type=pathlib.Path, metavar='BUILD')
    options.add_argument('names', nargs='*', metavar='NAME')
    options = options.parse_args()
    build = options.build.resolve()
    selection = Selection(introspect(build, 'tests'), options.names, options.part,
                          has_sanitizer(build))
    if selection.unknown:
        print('run: no test program and no case has %s in its name' %
              ' or '.join("'%s'" % name for name in selection.unknown), file=sys.stderr)
        return 2
    environment = dict(os.environ, GOLDEN_CASES=' '.join(selection.cases))
    entries, interrupted = [], False
    try:
        run_tests(selection.tests, options.jobs, build, environment, entries)
    except Interrupted:
        interrupted = True
    write_logs(build, entries)
    cases = [case for entry in entries for case in tally.read_program(entry)]
    if options.verbose:
        tally.show_all(cases)
    tally.show_failures(cases)
    tally.show_skips(cases)
    for names, reason in ((selection.unsanitized, 'not run with sanitizers'),
                          (selection.slow, 'slow, not run')):
        if names:
            print('%s: %s' % (reason, ' '.join(sorted(names))))
    if interrupted:
        print('interrupted: %d of %d test programs have run' %
              (len(entries), len(selection.tests)))
    good = tally.show_count(cases)
    return INTERRUPTED if interrupted else 0 if good else 1


if __name__ == '__main__':
    sys.exit(main())
