#!/usr/bin/env python3
"""Memory runs out at each request that a run makes, in its libraries as well: the run says so and
leaves no file behind, or does not need that memory and writes what it always writes.

usage: memory.py BUILD-ROOT FAILING-LIBRARY CONTAINER…

The library is preloaded and lets one request fail, or all from one on.
"""
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, environment, main, run, same

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
LIBRARY = pathlib.Path(sys.argv[2]).resolve()
CONTAINERS = [pathlib.Path(path).resolve() for path in sys.argv[3:]]
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
MOST = 400  # requests that are tried; of more, some in equal distances


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def attempt(folder, command, **settings):
    """The result, and the files that were written."""
    for path in folder.iterdir():
        path.unlink()
    preload = dict(LD_PRELOAD=str(LIBRARY), **{name: str(value) for name, value in settings.items()})
    return run([PROGRAM, *command], folder, env=environment(**preload)), files(folder)


def count_requests(folder, command):
    count = folder.with_suffix('.count')
    with open(count, 'wb') as to:
        result = run([PROGRAM, *command], folder, pass_fds=[to.fileno()],
                     env=environment(LD_PRELOAD=str(LIBRARY), FAIL_COUNT_TO=str(to.fileno())))
    requests = int(count.read_text())
    count.unlink()
    same(result.code, 0)
    assert requests > 3, requests
    return requests


def check(result, written, sound, expected):
    if result.code == 0:
        same((result.out, written), (sound.out, expected))
        return
    same(result.code, 1)
    assert b'memory' in result.err, result
    same(written, {})


def fail_each(folder, command, fail_all):
    requests = count_requests(folder, command)
    sound, expected = attempt(folder, command)
    same(sound.code, 0)
    failed = 0
    for number in range(1, requests + 1, requests // MOST + 1):
        result, written = attempt(folder, command, FAIL_IN=number, FAIL_ALL=fail_all)
        try:
            check(result, written, sound, expected)
        except AssertionError as error:
            raise AssertionError('request %d of %d: %s' % (number, requests, error)) from None
        failed += result.code
    assert failed > 0, 'no failure was noticed'


SAMPLE = str(SAMPLES / 'vecadd' / 'vecadd.ptx')
COMMANDS = [
    ('tag', [SAMPLE, '-o', 'out.ptx', '--metadata=out.json', '--report=json:report.json']),
    ('report', [SAMPLE, '-o', 'out.ptx', '--report=text']),
    ('check', [SAMPLE, '--check']),
    ('format', [SAMPLE, '--format', '-o', 'out.ptx']),
    # Without elf: libelf's elf_newdata (0.188) itself reads through NULL then.
    ('analyses', [SAMPLE, '--emit=ir,dot,meta', '-o', 'out.ptx']),
]
for path in CONTAINERS:
    COMMANDS += [('list ' + path.name, ['--list', '--report=json', str(path)])]
COMMANDS += [('unpack ' + path.name, ['--module=0', '-o', 'out.ptx', str(path)])
             for path in CONTAINERS if path.name in ('archive', 'fatbin', 'elf64')]
for title, words in COMMANDS:
    add_case(title + ': one request fails', fail_each, words, 0)
    add_case(title + ': all fail from one on', fail_each, words, 1)
main()
