"""The Python module: its version is that of the library's header, which goes with it."""
import pathlib
import re
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

HEADER = pathlib.Path(__file__).resolve().parent / 'include/ptxoffload/ptxoffload.h'


class WithHeader(build_py):
    """Copies the header beside the module."""

    def run(self):
        super().run()
        if getattr(self, 'editable_mode', False):
            return  # the module finds it in the source
        to = pathlib.Path(self.build_lib) / 'ptxoffload'
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy(HEADER, to)


VERSION = '.'.join(re.findall(r'#define PTXOFFLOAD_VERSION_[A-Z]+ (\d+)', HEADER.read_text(encoding='utf-8')))
setup(version=VERSION, cmdclass={'build_py': WithHeader})
