#!/usr/bin/env python3
"""Mutated run files, maps, campaigns and configurations, through the commands.

usage: hostile.py BUILD-ROOT [--count N] [--seed N] [--keep FOLDER]

Each of N mutations (12) of a few files is given to the commands that take such files, and to those that
do not; and as many files in which one number is an extreme one, drawn from all such files. A command ends with one of its exit codes, says why if it is not 0, sends no control characters
to the terminal, and leaves what lies beside its folder as it is. --keep writes what fails to FOLDER.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE = ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'
CAMPAIGN = b'''name: tiny
title: "A title | <b>"
options: [--max-cycles=100000, -v]
workloads: [{name: W, run: run.yaml, group: g, values: {n: 64}, quick: {n: 32}}]
variants:
  - {name: base}
  - {name: fast, like: base, set: {l1.latency: 1, llc: {latency: 5}}, tag: [--fma=split]}
points: [{name: p, x: 8, set: {memory.reply_queue: 8}}]
sweeps:
  - {name: l, combine: latin, count: 3, seed: 2, set: {l1.mshrs: {from: 8, to: 64}, llc.latency: [1, 2]}, where: l1.mshrs > 0}
  - {name: z, set: {l1.mshrs: {from: 8, to: 16, step: 4}, l1.latency: {from: 1, to: 8, times: 2}}, repeats: {n: [16, 32]}}
  - {name: c, combine: zip, values: {n: {from: 8, to: 16, count: 3}}, x: n}
studies:
  - {name: s, workloads: g, variants: [base, fast]}
  - {name: q, workloads: W, variants: base, points: [p, l, z, c], quick: no}
define: {cycles: machine.cycles, rate: machine.warp_instructions / cycles}
figures:
  - name: f
    title: F
    text: T
    workloads: [g]
    mean: geometric
    columns: [{name: c, value: base.cycles / fast.cycles, unit: gain, paper: {W: 4}, expect: {all: ">= 1"}}]
  - {name: h, title: H, workloads: W, points: z, plot: heat, pareto: yes, columns: [{name: c, value: base.cycles, better: less}]}
'''
MAP = ROOT / 'samples/conv/conv.map.yaml'
MAP_RUN = f'''program: {ROOT}/samples/conv/conv.ptx
values: {{width: 34, height: 12}}
buffers:
  in: {{type: f32, count: (width + 2) * (height + 2), fill: uniform}}
  out: {{type: f32, count: width * height}}
launches:
  - {{kernel: conv_direct, spatial: m.map.yaml, grid: [2, 2], block: [32, 8],
     args: [in, out, width, height, 0.5, 1, 0.5, 0.5, 1, 0.5, 0.5, 1, 0.5]}}
'''
CONFIG = {'noc': b'base: noc/mesh88_8vc_islip\ndescription: x\nnoc: {width: 4, height: 4, vcs: 2, vc_buffer: 4}\n',
          'dram': b'base: dram/hbm2\ndram: {banks: 8, channels: 2, tRCD: 11}\n',
          'machine': b'base: isca19\nclocks: {core_mhz: 1400.5}\ncore: {warps: 48, schedulers: 2}\n'
                     b'l1: {latency: 28, mshrs: 64}\nllc: {latency: 20}\nmemory: {reply_queue: 8}\n'}
EXTREMES = [b'9223372036854775807', b'-9223372036854775808', b'18446744073709551615', b'2147483648', b'4294967295',
            b'-1', b'0', b'1e308', b'-1e308', b'5e-324', b'1e19', b'.nan', b'.inf', b'0.5']
NUMBER = re.compile(rb'(?<![\w.])[0-9]+(?:\.[0-9]+)?(?![\w.])')
WORDS = [b'"', b"'", b'\\e[31m', b'\\x9b', b'\x00', b'\x1b[2J', b'\xff', b'../', b'/tmp/x', b'@run.yaml',
         b'--json=../x', b'-o', b'save: ../x', b'&a [*a]', b'<<: *a', b'9223372036854775807', b'-1', b'1e999',
         b'nan', b'0x', b'n', b'null', b'~', b'true', b'[]', b'{}', b': ', b'- ', b'\n', b'\t', b'? ', b'!!int ',
         b'%TAG', b'---\n', b'...', b'a[0]', b'a', b'/ 0', b'%', b'(', b')', b'repeat', b'together',
         b'while: 1', b'times: 1000000000000', b'max: 0', b'raw:run.yaml', b'= i', b'const:', b'range:1:0',
         b'kernel: _Z', b'/dev/stdin', b'\xc2\x9b', b'<script>', b'A' * 3000]


def mutate(draw, data):
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        at, kind = draw.randrange(len(data) + 1), draw.randrange(7)
        end = min(len(data), at + draw.choice((1, 2, 5, 20, 100)))
        if kind < 3:
            data = data[:at] + draw.choice(WORDS) + data[at if kind else end:]
        elif kind == 3:
            data = data[:at] + data[end:]
        elif kind == 4:
            data = data[:at] + data[at:end] * draw.choice((2, 3, 50)) + data[at:]
        elif kind == 5 and data:
            other = draw.randrange(len(data))
            data = data[:at] + data[other:other + end - at] + data[end:]
        elif data:
            data = data[:at] + bytes([draw.randrange(256)]) + data[at + 1:]
    return data if draw.randrange(60) else data[:draw.randrange(len(data) + 1)]


# All files in which one number is another one; comments stay.
def with_extremes(data):
    lines = [(match.start(), match.end()) for match in NUMBER.finditer(data)
             if b'#' not in data[data.rfind(b'\n', 0, match.start()) + 1:match.start()]]
    return [data[:begin] + extreme + data[end:] for begin, end in lines for extreme in EXTREMES]


def files_below(folder):
    return {path: path.read_bytes() for path in folder.rglob('*') if path.is_file()}


class Trial:
    def __init__(self, build, folder):
        self.build, self.here, self.beside = build, folder / 'here', folder / 'beside'
        self.here.mkdir()
        self.beside.mkdir()
        (self.beside / 'x').write_bytes(b'precious')

    def write(self, name, data):
        shutil.rmtree(self.here)
        self.here.mkdir()
        shutil.copy(STORE, self.here / 'store.ptx')
        shutil.copy(ROOT / 'tests/fuzz/seeds/together.yaml', self.here / 'run.yaml')
        (self.here / name).write_bytes(data)

    # What is wrong, or None.
    def run(self, program, *arguments):
        command = [str(self.build / 'cli' / program), *arguments]
        env = dict(os.environ, NO_COLOR='1', UBSAN_OPTIONS='halt_on_error=1:print_stacktrace=1')
        try:
            done = subprocess.run(command, cwd=self.here, env=env, timeout=60, capture_output=True,
                                  stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return 'it does not end: %s' % command
        said = done.stderr
        shown = said.replace(b'\n', b'').replace(b'\t', b'')
        wrong = ('it ends with %d' % done.returncode if not 0 <= done.returncode <= 5 else
                 'it does not say why' if done.returncode and not said + done.stdout else
                 'an internal error' if b'internal error' in said or b'Sanitizer' in said else
                 'control characters' if re.search(rb'[\x00-\x1f\x7f]|\xc2[\x80-\x9f]', shown) else
                 'files beside' if files_below(self.beside) != {self.beside / 'x': b'precious'} else
                 None)
        return wrong and '%s: %s\n%s' % (wrong, command, said[-3000:].decode(errors='replace'))

    def check(self, kind, data):
        if kind == 'run':
            self.write('run.yaml', data)
            commands = [('ptxoffload-sim', 'run.yaml', '--functional', '--json=out.json'),
                        ('ptxoffload-sim', 'run.yaml', '--max-cycles=20000')]
        elif kind == 'map':
            self.write('m.map.yaml', data)
            (self.here / 'map-run.yaml').write_text(MAP_RUN)
            commands = [('ptxoffload-map', 'm.map.yaml', '--plot=m.svg', '--rewrite=n.yaml'),
                        ('ptxoffload-sim', 'map-run.yaml', '--functional'),
                        ('ptxoffload-sim', 'map-run.yaml', '--config=gtx580', '--set', 'spatial.enabled=true',
                         '--max-cycles=5000')]
        elif kind == 'machine':
            self.write('m.yaml', data)
            commands = [('ptxoffload-sim', '--config=m.yaml', '--print-config'),
                        ('ptxoffload-sim', 'run.yaml', '--config=m.yaml', '--max-cycles=300', '--max-memory=2G')]
        elif kind == 'campaign':
            self.write('c.yaml', data)
            commands = [('ptxoffload-campaign', 'run', 'c.yaml', '--dry-run'),
                        ('ptxoffload-campaign', 'run', 'c.yaml', '--quick', '--jobs=1'),
                        ('ptxoffload-campaign', 'report', 'c.yaml', '--markdown=r.md', '--html=r.html',
                         '--csv=r.csv', '--text=-')]
        else:
            self.write('m.yaml', data)
            commands = [('ptxoffload-noc', '--config=m.yaml', '--print-config'),
                        ('ptxoffload-dram', '--config=m.yaml', '--print-config'),
                        ('ptxoffload-sim', '--config=m.yaml', '--print-config'),
                        ('ptxoffload', 'm.yaml', '--check')]
        return next((wrong for wrong in (self.run(*command) for command in commands) if wrong), None)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--count', type=int, default=12)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--keep', type=pathlib.Path)
    options = parser.parse_args()
    seeds = [('run', (ROOT / 'tests/fuzz/seeds/together.yaml').read_bytes()), ('campaign', CAMPAIGN),
             ('map', MAP.read_bytes()), *CONFIG.items()]
    failed = 0
    with tempfile.TemporaryDirectory(prefix='ptxoffload-test-') as folder:
        trial = Trial(options.build.resolve(), pathlib.Path(folder))
        print('1..%d' % (len(seeds) + 1))
        for number, (kind, data) in enumerate(seeds, 1):
            found = []
            extremes = with_extremes(data)
            for i in range(2 * options.count):
                draw = random.Random('%s %d' % (kind, options.seed + i))
                mutant = draw.choice(extremes) if i % 2 else mutate(draw, data)
                wrong = trial.check(kind, mutant)
                if wrong:
                    found.append(wrong)
                    if options.keep:
                        options.keep.mkdir(exist_ok=True)
                        (options.keep / ('%s-%d.yaml' % (kind, options.seed + i))).write_bytes(mutant)
            print('%sok %d - %d mutations of a file for %s' % ('not ' if found else '', number,
                                                              2 * options.count, kind))
            for line in '\n'.join(found[:3]).splitlines():
                print('# ' + line)
            failed += bool(found)
        wrong = [text for kind, _ in seeds for data in (b'', b'\n', b'\x00', b'---\n') for text in
                 [trial.check(kind, data)] if text]
        print('%sok %d - empty files' % ('not ' if wrong else '', len(seeds) + 1))
        for line in '\n'.join(wrong[:3]).splitlines():
            print('# ' + line)
    sys.exit(bool(failed or wrong))


main()
