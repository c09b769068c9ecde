"""For tests of CUDA programs: compiling them, and running them with ptxoffload-run."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from cuda_toolkit import nvcc  # noqa: E402
from tap import Skip, run  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
RUN = BUILD / 'cli' / 'ptxoffload-run'
SIM = BUILD / 'cli' / 'ptxoffload-sim'
TAGGER = BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
WRAPPER = ROOT / 'integration' / 'ptxoffload-nvcc'
PROGRAMS = pathlib.Path(__file__).resolve().parent / 'programs'
MADE = tempfile.TemporaryDirectory(prefix='ptxoffload-test-cuda-')
DONE = {}


def build(source, *options, name=None, cudart='shared', wrapped=False):
    """The program of a source, or of several; made once. wrapped: by ptxoffload-nvcc."""
    sources = [source] if isinstance(source, (str, pathlib.Path)) else list(source)
    key = (tuple(map(str, sources)), options, cudart, wrapped)
    if key not in DONE:
        to = pathlib.Path(MADE.name) / ('%d' % len(DONE)) / (name or pathlib.Path(sources[0]).stem)
        to.parent.mkdir()
        before = [WRAPPER, '--ptxoffload=%s' % TAGGER] if wrapped else []
        command = [*before, nvcc(), '-w', '-std=c++17', '-cudart', cudart, *options, '-o', to,
                   *[PROGRAMS / one for one in sources]]
        done = subprocess.run([os.fspath(word) for word in command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        assert not done.returncode, done.stdout.decode()
        DONE[key] = to
    return DONE[key]


def fatbin(folder, text=None, name='kernels.fatbin'):
    """The option that names a fatbin as nvcc -compress-mode=none writes it."""
    text = text or (ROOT / 'samples/vecadd/vecadd.ptx').read_bytes()
    text += bytes(8 - len(text) % 8)
    entry = struct.pack('<HHIQIIHHIIIQQQ', 1, 0x101, 64, len(text), 0, 0, 0, 9, 75, 0, 0, 0x11, 0, 0)
    (folder / name).write_bytes(struct.pack('<IHHQ', 0xba55ed50, 1, 16, len(entry + text)) + entry + text)
    return ['-DFATBIN="%s"' % name]


def simulate(folder, program, *options, arguments=(), **more):
    """Runs the program with these options of ptxoffload-run."""
    return run([RUN, *options, '--', program, *arguments], folder, **more)
