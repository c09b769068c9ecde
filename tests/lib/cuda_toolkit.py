"""Where the CUDA toolkit is, asked of its own compiler: the nvcc on the path may be a script."""
import functools
import pathlib
import re
import shutil
import subprocess

from tap import Skip, ends, run, same


def nvcc():
    for name in ('nvcc', '/usr/local/cuda/bin/nvcc'):
        found = shutil.which(name)
        if found:
            return found
    raise Skip('there is no nvcc')


@functools.lru_cache(None)
def toolkit():
    """The toolkit's folder, with bin/ and, in a whole toolkit, include/ and lib64/."""
    said = subprocess.run([nvcc(), '--dryrun', '-x', 'cu', '-'], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    top = re.search(r'^#\$ TOP=(.*)$', said.stderr.decode(), re.M)
    if not top:
        raise Skip('nvcc does not say where its toolkit is')
    return pathlib.Path(top.group(1)).resolve()


def as_made(folder, ptx):
    """Compares a file of PTX with what nvcc 13.0 makes of the .cu file beside it."""
    ends(run([nvcc(), '-ptx', '-arch=sm_75', ptx.with_suffix('.cu'), '-o', 'out.ptx'], folder), 0)
    made = (folder / 'out.ptx').read_text()
    if not re.search(r'release 13\.0, ', made):
        raise Skip('another nvcc')
    same(made, ptx.read_text())
