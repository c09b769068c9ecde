"""Runs of the samples whose memory is compared, for tests; the build folder is the first argument."""
import json
import pathlib
import re
import sys

from tap import ends, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM, TAGGER = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
RUNS = sorted(path for path in SAMPLES.glob('*/run*.yaml') if 'large' not in path.name)
# The same kernels on less data, or fewer rounds of them: their memory is compared, not their time.
LESS = {'bfs': ['values.n=1500'], 'cfd': ['values.steps=1'], 'fdtd': ['values.steps=2'],
        'hotspot': ['values.steps=4'], 'kmn': ['values.points=300'], 'mvt': ['values.n=100'],
        'nn': ['values.maps=10']}


def name_of(path):
    return '/'.join(path.parts[-2:])


def buffers_of(path):
    """The names of all buffers of a run file."""
    part = re.search(r'^buffers:\n((?:[ #].*\n)+)', path.read_text(), re.M).group(1)
    return re.findall(r'^  (\w+):', part, re.M)


def tag(folder, path, options=()):
    """Writes the tagged program of a run file to tagged.ptx."""
    program = path.parent / re.search(r'^program: *(\S+)', path.read_text(), re.M).group(1)
    ends(run([TAGGER, program, '-o', 'tagged.ptx', '-w', *options], folder), 0)


def execute(folder, path, *options):
    """Runs tagged.ptx. Returns the contents of all buffers after the run, and the summary."""
    names = buffers_of(path)
    saves = ['--save=%s=%s.npy' % (name, name) for name in names]
    less = [option for value in LESS.get(path.parent.name, ()) for option in ('--set', value)]
    result = run([PROGRAM, path, '--program=tagged.ptx', '--json=out.json', *less, *saves, *options],
                 folder)
    same((result.code, result.err if result.code else b''), (0, b''))
    contents = [(name, (folder / (name + '.npy')).read_bytes()) for name in names]
    return contents, json.loads((folder / 'out.json').read_text())


def same_buffers(found, expected, what):
    for (name, one), (_, other) in zip(found, expected, strict=True):
        assert one == other, '%s: buffer %s differs' % (what, name)
