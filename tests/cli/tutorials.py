#!/usr/bin/env python3
"""The commands of README and of the tutorials print what these documents show.

usage: tutorials.py BUILD-ROOT [--update]

README.md and each docs/guide/tutorials/NAME.md are executed from the start in a folder with samples/ and build/cli/, one case
per command. An indented block after a line that ends with `FILE`: is the contents of this file. In other indented blocks a line
`$ COMMAND` is executed, and the lines below it are its output; a line `...` stands for any lines. Times, digests and dates may
differ.
Files beside the document stand for those that nvcc writes, so that the output does not depend on its version. --update
writes the output into the documents; it keeps the number of lines before and behind `...`.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import SANITIZED, Failure, Skip, add_case, main

BUILD = pathlib.Path(sys.argv[1]).resolve()
UPDATE = '--update' in sys.argv
ROOT = pathlib.Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / 'docs' / 'guide' / 'tutorials'
INDENT = '    '
LONG = 24  # lines
MASKS = [(r'\d[\d.]* CPU seconds, \d[\d.]* of them in kernels: [\d,]+ cycles', 'CPU SECONDS'),
         (r'\d[\d.]* CPU seconds', 'CPU SECONDS'), (r'\b[0-9a-f]{12,64}\b', 'DIGEST'),
         (r'\b\d{4}-\d\d-\d\d\b', 'DATE')]


def blocks(text):
    """(line before the block, its first line, its lines without the indentation) of each indented block"""
    lines, found, at = text.split('\n'), [], 0
    while at < len(lines):
        if not lines[at].startswith(INDENT):
            at += 1
            continue
        first = at
        while at < len(lines) and (lines[at].startswith(INDENT) or
                                   (not lines[at] and lines[at + 1:at + 2] and lines[at + 1].startswith(INDENT))):
            at += 1
        before = [line for line in lines[:first] if line]
        found.append((before[-1] if before else '', first, [line[len(INDENT):] for line in lines[first:at]]))
    return found


def commands(lines):
    """[place in the block, lines of the command, lines that the document shows as its output] of each command"""
    found = []
    for number, line in enumerate(lines):
        if line.startswith('$ '):
            found.append([number, [line], []])
        elif found[-1][1][-1].endswith('\\'):
            found[-1][1].append(line)
        else:
            found[-1][2].append(line)
    return found


def masked(line):
    for pattern, name in MASKS:
        line = re.sub(pattern, name, line)
    return line.rstrip()


def agrees(shown, printed):
    """whether the printed lines are those shown, where `...` stands for any number of lines"""
    reached = {0}  # numbers of printed lines that those shown so far may stand for
    for line in shown:
        reached = (set(range(min(reached), len(printed) + 1)) if line == '...' and reached else
                   {at + 1 for at in reached if at < len(printed) and masked(line) == masked(printed[at])})
    return len(printed) in reached


def shortened(shown, printed):
    """the printed lines, with `...` where the document has it, or in the middle of a long new text"""
    if not shown and len(printed) > LONG:
        return printed[:12] + ['...'] + printed[-4:]
    if '...' not in shown:
        return printed
    first, last = shown.index('...'), len(shown) - 1 - shown[::-1].index('...')
    behind = len(shown) - 1 - last
    return printed[:first] + ['...'] + (printed[-behind:] if behind else [])


def missing(command):
    """the tool of the CUDA toolkit that the command needs and that is not there, or None"""
    tool = re.match(r'(nvcc|ptxas)\b', command)
    return tool.group(1) if tool and not shutil.which(tool.group(1)) else None


def execute(folder, command, where):
    environment = dict(os.environ, PATH='%s:%s' % (BUILD / 'cli', os.environ['PATH']), LC_ALL='C.UTF-8')
    result = subprocess.run(command, shell=True, cwd=folder, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=100, check=False)
    text = result.stdout.decode()
    if result.returncode:
        raise Failure('%s: exit code %d of %s\n%s' % (where, result.returncode, command, text))
    return text.rstrip('\n').split('\n') if text.strip() else []


class Tutorial:
    """A document, the folder of its commands, and its lines, in which --update replaces the output"""

    def __init__(self, path):
        self.path, self.text = path, path.read_text(encoding='utf-8')
        self.temporary = tempfile.TemporaryDirectory(prefix='ptxoffload-test-')
        self.folder = pathlib.Path(self.temporary.name)
        self.written = []  # (first line, number of lines, new lines) of the outputs that differ
        self.stopped = None  # why no command can run any more
        (self.folder / 'samples').symlink_to(ROOT / 'samples')
        (self.folder / 'build').mkdir()
        (self.folder / 'build' / 'cli').symlink_to(BUILD / 'cli')
        self.take_files()

    def take_files(self):
        for made in TUTORIALS.glob('*.ptx'):
            shutil.copy(made, self.folder / made.name)

    def skip(self, tool, command):
        """Commands behind this one can run if a file beside the document stands for the output."""
        if tool == 'nvcc' and '-ptx' not in command:
            self.stopped = 'no nvcc, which makes the program of this tutorial'
            raise Skip(self.stopped)
        raise Skip('no %s%s' % (tool, ': the PTX beside the tutorial is taken' if tool == 'nvcc' else ''))

    def update(self):
        lines = self.text.split('\n')
        for first, count, printed in reversed(self.written):
            lines[first:first + count] = [INDENT + line if line else '' for line in printed]
        self.path.write_text('\n'.join(lines), encoding='utf-8')


def take_command(_, document, files, command, first, shown):
    """Writes the files that stand before the command, executes it, and compares its output."""
    for name, lines in files:
        (document.folder / name).write_text('\n'.join(lines) + '\n', encoding='utf-8')
    if SANITIZED and command.startswith('ptxoffload-run'):
        document.stopped = 'the library needs the run-time of the sanitizers'
    if document.stopped:
        raise Skip(document.stopped)
    tool = missing(command)
    if tool:
        document.skip(tool, command)
    where = '%s:%d' % (document.path.name, first)
    printed = execute(document.folder, command, where)
    if command.startswith('nvcc'):
        document.take_files()
    if agrees(shown, printed):
        return
    if not UPDATE:
        raise Failure('%s: %s\nshown:\n%s\nprinted:\n%s' % (where, command, '\n'.join(shown), '\n'.join(printed)))
    document.written.append((first, len(shown), shortened(shown, printed)))
    document.update()


def add_block(document, files, first, block):
    """Adds a case for each command of a block."""
    for place, lines, shown in commands(block):
        while shown and not shown[-1]:
            shown = shown[:-1]
        command = '\n'.join(lines)[2:].replace('\\\n', ' ')
        add_case('%s: %s' % (document.path.name, ' '.join(command.split()).replace('#', '')), take_command, document,
                 files, command, first + place + len(lines), shown)
        files = []


def add_tutorial(path):
    document, files = Tutorial(path), []
    for before, first, block in blocks(document.text):
        name = re.search(r'`([\w.-]+)`:$', before)
        if block[0].startswith('$ '):
            add_block(document, files, first, block)
            files = []
        elif name:
            files.append((name.group(1), block))


for tutorial in [ROOT / 'README.md', *sorted(TUTORIALS.glob('*.md'))]:
    add_tutorial(tutorial)

main()
