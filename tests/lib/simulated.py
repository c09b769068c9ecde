"""Runs of ptxoffload-sim without time, for tests; the build folder is the first argument."""
import pathlib
import struct
import sys

from tap import run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
ROOT = pathlib.Path(__file__).resolve().parents[2]
STORE = ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'


def sim(folder, *arguments, **settings):
    return run([PROGRAM, '--functional', *arguments], folder, **settings)


def npy(path):
    """(type, shape, values) of a file that the simulator wrote; read without its code"""
    data = path.read_bytes()
    same(data[:8], b'\x93NUMPY\x01\x00')
    length = struct.unpack('<H', data[8:10])[0]
    header = eval(data[10:10 + length], {'__builtins__': {}})  # a Python dictionary, by its definition
    same(header['fortran_order'], False)
    letter = {'<f4': 'f', '<i4': 'i', '<u4': 'I', '|u1': 'B', '<f8': 'd', '<u2': 'H'}[header['descr']]
    return header['descr'], header['shape'], [value for value, in
                                              struct.iter_unpack('<' + letter, data[10 + length:])]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def write_run(folder, text, name='run.yaml'):
    (folder / 'store.ptx').write_bytes(STORE.read_bytes())
    (folder / name).write_text('program: store.ptx\n' + text)
