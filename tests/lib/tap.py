"""Test programs in Python that print TAP.

A program defines functions with @case, in the order in which they run, and ends with main().
"""
import concurrent.futures
import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

CASES = []
SECONDS = 120


class Skip(Exception):
    """Raised by a case that cannot run here; its text says why."""


def case(function):
    """Makes the function a case: its docstring is the name, its argument an empty folder."""
    CASES.append((function.__doc__.strip(), function))
    return function


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


class Result:
    def __init__(self, done):
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr

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
