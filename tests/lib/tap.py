"""Test programs in Python that print TAP.

A program defines functions with @case, in the order in which they run, and ends with main().
"""
import concurrent.futures
import hashlib
import json
import os
import re
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback

CASES = []
# In a build with sanitizers: it takes several times as long, and numbers are compared without.
SANITIZED = bool(os.environ.get('PTXOFFLOAD_TEST_SANITIZED'))
SECONDS = 120
POLL = 0.01  # between two looks of wait_for


class Skip(Exception):
    """Raised by a case that cannot run here; its text says why."""


class Failure(Exception):
    """Raised by a case that fails for a reason that needs no back trace."""


def case(function):
    """Makes the function a case: its docstring is the name, its argument an empty folder."""
    CASES.append((function.__doc__.strip(), function))
    return function


def compared_case(function):
    """A case that compares outputs at length, in which sanitizers find nothing: without them only."""
    return function if SANITIZED else case(function)


def add_case(name, function, *arguments):
    """The same for one of many: called with the folder and these arguments."""
    CASES.append((name, lambda folder: function(folder, *arguments)))


def run_case(name, function):
    """(verdict, what follows the name, lines of explanation)"""
    with tempfile.TemporaryDirectory(prefix='ptxoffload-test-') as folder:
        try:
            function(pathlib.Path(folder))
        except Skip as reason:
            return 'ok', ' # SKIP %s' % reason, []
        except Failure as reason:
            return 'not ok', '', str(reason).splitlines()
        except Exception:  # whatever it is, the case has failed and the next one runs
            return 'not ok', '', traceback.format_exc().splitlines()
    return 'ok', '', []


def main(at_a_time=1):
    failed = False
    print('1..%d' % len(CASES))
    with concurrent.futures.ThreadPoolExecutor(at_a_time) as pool:
        results = pool.map(lambda item: run_case(*item), CASES)
        for number, ((name, _), result) in enumerate(zip(CASES, results), 1):
            verdict, more, lines = result
            print('%s %d - %s%s' % (verdict, number, name, more))
            for line in lines:
                print('# ' + line)
            failed |= verdict != 'ok'
            sys.stdout.flush()
    sys.exit(failed)


# The notes that end a run of the simulator.
SUMMARY = re.compile(rb'^ptxoffload-(?:sim|run): note: (?:[\d,]+ (?:warp instructions|cycles) in |beside |'
                     rb'(?:probably )?limited by |no kernel was launched|\'[^\n]*\' is not linked with CUDA)[^\n]*\n', re.M)


class Result:
    """What a command has done. `summary` has the notes that end a run, which `err` leaves out."""

    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr
        self.summary = b''.join(SUMMARY.findall(self.err or b''))
        self.err = SUMMARY.sub(b'', self.err) if self.err else self.err

    def __repr__(self):
        return 'exit %s\nout: %s\nerr: %s' % (self.code, self.out[:2000], self.err[:2000])


def environment(**more):
    unset = ('CLICOLOR_FORCE', 'NO_COLOR', 'TERM')
    kept = {name: value for name, value in os.environ.items() if name not in unset}
    return dict(kept, LC_ALL='C.UTF-8', **more)


def run(command, folder, stdin=b'', env=None, **more):
    """Runs a command in the folder; output as bytes."""
    more.setdefault('stdout', subprocess.PIPE)
    more.setdefault('stderr', subprocess.PIPE)
    if 'stdin' not in more:
        more['input'] = stdin
    return Result(subprocess.run([os.fspath(word) for word in command], cwd=folder,
                                 env=env or environment(), timeout=SECONDS, **more))


def same(got, expected):
    assert got == expected, 'got %r, expected %r' % (got, expected)


def within(part, whole):
    assert part in whole, '%r is not in %r' % (part, whole)


def ends(result, code, err=None, out=None):
    """The result has this exit code, and exactly this text on standard error and output."""
    assert result.code == code, 'exit code is not %d: %r' % (code, result)
    if err is not None:
        assert result.err.decode() == err, 'standard error is not %r: %r' % (err, result)
    if out is not None:
        assert result.out.decode() == out, 'standard output is not %r: %r' % (out, result)
    return result


def snapshot(folder):
    """All there is in a folder: name to mode and digest."""
    found = {}
    for path in sorted(folder.iterdir()):
        digest = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
        found[path.name] = (path.lstat().st_mode, digest)
    return found


def wait_for(condition, process=None, seconds=60):
    """Waits until the condition holds. It fails if it takes too long or the process ends first.

    It polls: a file that appears, a process that stops and CPU time send no notice. Where a program
    writes output, read that.
    """
    end = time.monotonic() + seconds
    while not condition():
        assert process is None or process.poll() is None, 'it ended with %d' % process.returncode
        assert time.monotonic() < end, 'it took more than %d s' % seconds
        time.sleep(POLL)


def cpu_seconds(process):
    """CPU time of a process that runs."""
    with open('/proc/%d/stat' % process.pid, encoding='ascii', errors='replace') as file:
        fields = file.read().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


def is_asleep(process):
    """Whether a process waits for something, such as the reader of a pipe."""
    with open('/proc/%d/stat' % process.pid, encoding='ascii', errors='replace') as file:
        return file.read().rsplit(')', 1)[1].split()[0] == 'S'


def fresh_document(path, made, update, command):
    """The document has the tables that the program makes; `command` writes it."""
    if update:
        path.write_text(made, encoding='utf-8')
    elif path.read_text(encoding='utf-8') != made:
        raise Failure('a table in %s/%s is stale: run %s' % (path.parent.name, path.name, command))


def named_values(path, made, update, command):
    """The file has these values, runs by name and values by name in each; `command` writes it."""
    if update:
        path.write_text(json.dumps(made, indent=1) + '\n', encoding='utf-8')
    kept = json.loads(path.read_text(encoding='utf-8'))
    wrong = ['%s, %s: %r, and %r in %s' % (run_name, name, made.get(run_name, {}).get(name),
                                           kept.get(run_name, {}).get(name), path.name)
             for run_name in sorted({*made, *kept})
             for name in sorted({*made.get(run_name, {}), *kept.get(run_name, {})})
             if made.get(run_name, {}).get(name) != kept.get(run_name, {}).get(name)]
    if wrong:
        raise Failure('\n'.join(wrong + ['if these changes are meant, run ' + command]))
