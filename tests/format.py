#!/usr/bin/env python3
"""The C code has the layout of .clang-format.

usage: format.py SOURCE-ROOT

Another version of clang-format has another layout of some lines: the cases need version 14.
`./run format` formats the code.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import Skip, add_case, main, same

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[1]
VERSION = 14


def formatter():
    for name in ('clang-format-%d' % VERSION, 'clang-format'):
        path = shutil.which(name)
        said = path and subprocess.run([path, '--version'], stdout=subprocess.PIPE).stdout.decode()
        if said and re.search(r'version %d\.' % VERSION, said):
            return path
    raise Skip('no clang-format %d (package clang-format)' % VERSION)


def tracked():
    try:
        done = subprocess.run(['git', 'ls-files', '*.c', '*.h'], cwd=ROOT, check=True,
                              capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return done.stdout.decode().split()


def formatted(folder, names):
    done = subprocess.run([formatter(), '--dry-run', '-Werror', *names], cwd=ROOT,
                          stderr=subprocess.PIPE)
    wrong = re.findall(r'^(\S+:\d+):\d+: error', done.stderr.decode(), re.M)
    same(wrong, [])
    assert not done.returncode, done.stderr.decode()


folders = {}
for name in tracked():
    folders.setdefault(name.split('/')[0], []).append(name)
for name in folders:
    add_case('%s has the layout of .clang-format' % name, formatted, folders[name])
if not folders:
    add_case('the layout of .clang-format', lambda folder: formatter() and None)
main(os.cpu_count())
