#!/usr/bin/env python3
"""How fast PTX is read, analysed and written, and with how much memory.

usage: throughput.py PTXOFFLOAD [MEBIBYTES]

The input is made of the samples' kernels, repeated under new names. Every step is run three times;
the table shows the run that took the least CPU time.
"""
import os
import pathlib
import re
import sys
import tempfile

RUNS = 3
SAMPLES = pathlib.Path(__file__).resolve().parent.parent / 'samples'
HEAD = '.version 9.0\n.target sm_75\n.address_size 64\n'
ENTRY = re.compile(r'\.entry\s+(\w+)')


def bodies():
    """What follows the head of each sample that declares nothing but kernels."""
    for path in sorted(SAMPLES.glob('*/*.ptx')):
        head, _, body = path.read_text().partition('.address_size 64')
        outside = re.sub(r'\{.*?\n\}', '', body, flags=re.DOTALL)
        if body and not re.search(r'^\s*(\.visible\s+)?\.(global|shared|const|func)', outside, re.M):
            yield body


def make_input(size):
    parts, length, number, samples = [HEAD], 0, 0, list(bodies())
    while length < size:
        body = samples[number % len(samples)]
        for name in ENTRY.findall(body):
            body = re.sub(r'\b%s(?=\b|_param)' % name, '%s_%d' % (name, number), body)
        parts.append(body)
        length += len(body)
        number += 1
    return ''.join(parts)


def measure(command):
    """(CPU seconds, peak MiB) of the best of some runs; the command's output is thrown away."""
    best = None
    for _ in range(RUNS):
        child = os.fork()
        if not child:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in range(3):
                os.dup2(null, descriptor)
            os.execv(command[0], command)
        _, status, usage = os.wait4(child, 0)
        if status:
            sys.exit('%s: ended with status %d' % (' '.join(command), status))
        used = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
        best = min(best or used, used)
    return best


def main(arguments):
    if len(arguments) not in (1, 2):
        sys.exit(__doc__)
    program = os.path.abspath(arguments[0])
    size = float(arguments[1] if len(arguments) > 1 else 8)
    with tempfile.TemporaryDirectory(prefix='ptxoffload-bench-') as folder:
        path, out = os.path.join(folder, 'in.ptx'), os.path.join(folder, 'out.ptx')
        text = make_input(size * 2**20)
        pathlib.Path(path).write_text(text)
        steps = {
            'check': ['--check'],
            'tag': ['-o', out],
            'tag, metadata and report': ['-o', out, '--metadata=' + out + '.json', '--report=text'],
        }
        print('%.1f MiB of PTX, %d kernels' % (len(text) / 2**20, text.count('.entry')))
        print('%-26s %9s %9s %9s' % ('', 'CPU s', 'MiB/s', 'peak MiB'))
        for name, options in steps.items():
            seconds, peak = measure([program, path, *options])
            print('%-26s %9.3f %9.1f %9.1f'
                  % (name, seconds, len(text) / 2**20 / seconds, peak))


main(sys.argv[1:])
