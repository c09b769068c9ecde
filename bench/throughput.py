#!/usr/bin/env python3
"""How fast PTX is read, analysed and written, and with how much memory.

usage: throughput.py PTXOFFLOAD [FILE.ptx | MEGABYTES]...

Without arguments: texts of 1 to 64 MB, made of the samples' kernels, repeated under new names.
Time is CPU time (user and system) of the best of three runs; memory is the most that was resident.
1 MB is 10^6 bytes. Where ptxas is in the PATH, it assembles the same text, as long as that takes less
than half a minute.
"""
import os
import pathlib
import re
import shutil
import sys
import tempfile

RUNS = 3
SIZES = [1, 2, 4, 8, 16, 32, 64]
MOST_ASSEMBLING = 30
SAMPLES = pathlib.Path(__file__).resolve().parent.parent / 'samples'
HEAD = '.version 9.0\n.target sm_75\n.address_size 64\n'
ENTRY = re.compile(r'\.entry\s+(\w+)')
COLUMNS = '%-20s %8s %8s %8s %6s   %8s %8s %6s   %8s %8s'


def bodies():
    """What follows the head of each sample that declares nothing but kernels."""
    for path in sorted(SAMPLES.glob('*/*.ptx')):
        head, _, body = path.read_text().partition('.address_size 64')
        outside = re.sub(r'\{.*?\n\}', '', body, flags=re.DOTALL)
        if body and not re.search(r'^\s*(\.visible\s+)?\.(global|shared|const|func)', outside, re.M):
            yield body


def make_input(size, path):
    number, samples = 0, list(bodies())
    with open(path, 'w') as to:
        to.write(HEAD)
        while to.tell() < size:
            body = samples[number % len(samples)]
            for name in ENTRY.findall(body):
                body = re.sub(r'\b%s(?=\b|_param)' % name, '%s_%d' % (name, number), body)
            to.write(body)
            number += 1


def run(command, to=os.devnull):
    """(CPU seconds, peak bytes); the command's output goes to the file."""
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDONLY)
        said = os.open(to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for descriptor, onto in ((null, 0), (said, 1), (said, 2)):
            os.dup2(descriptor, onto)
        os.execv(command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status:
        sys.exit('%s: ended with status %d' % (' '.join(command), status))
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def best(command):
    return min(run(command) for _ in range(RUNS))


def architecture(path):
    with open(path) as text:
        return re.search(r'^\s*\.target\s+(sm_\w+)', text.read(1 << 16), re.M).group(1)


class Bench:
    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = folder
        self.ptxas = shutil.which('ptxas')

    def file(self, name):
        return os.path.join(self.folder, name)

    def whole(self, path):
        return [self.program, path, '-o', self.file('out.ptx'),
                '--metadata=' + self.file('out.json'), '--report=text:' + self.file('out.txt')]

    def row(self, name, path):
        size = os.path.getsize(path)
        check, check_peak = best([self.program, path, '--check'])
        whole, whole_peak = best(self.whole(path))
        assembling = None
        if self.ptxas:
            assembling, _ = run([self.ptxas, '-w', '-arch=' + architecture(path), path,
                                 '-o', self.file('out.cubin')])
            if assembling > MOST_ASSEMBLING:
                self.ptxas = None
        print(COLUMNS % (name, '%.2f' % (size / 1e6),
                         '%.3f' % check, '%.1f' % (size / 1e6 / check), '%.1f' % (check_peak / size),
                         '%.3f' % whole, '%.1f' % (size / 1e6 / whole), '%.1f' % (whole_peak / size),
                         '%.2f' % assembling if assembling else '-',
                         '%.2f' % (size / 1e6 / assembling) if assembling else '-'), flush=True)

    def steps(self, path):
        said = self.file('steps.txt')
        run(self.whole(path) + ['--time-passes'], said)
        return pathlib.Path(said).read_text()


def inputs(arguments, folder):
    """(name, path) of each text."""
    for argument in arguments or SIZES:
        if not re.fullmatch(r'[0-9.]+', str(argument)):
            yield os.path.basename(argument), argument
            continue
        path = os.path.join(folder, 'in.ptx')
        make_input(float(argument) * 1e6, path)
        yield 'samples', path


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory(prefix='ptxoffload-bench-') as folder:
        bench = Bench(arguments[0], folder)
        print(COLUMNS % ('', '', '--check', '', '', 'all', '', '', 'ptxas', ''))
        print(COLUMNS % ('text', 'MB', 'CPU s', 'MB/s', 'B/B', 'CPU s', 'MB/s', 'B/B', 'CPU s',
                         'MB/s'))
        for name, path in inputs(arguments[1:], folder):
            bench.row(name, path)
        print('\nSteps of the last one:\n' + bench.steps(path), end='')


if __name__ == '__main__':
    main(sys.argv[1:])
