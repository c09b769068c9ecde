"""The Python module: its version is that of the library's headers, which go with it."""
import pathlib
import re
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

INCLUDE = pathlib.Path(__file__).resolve().parent / 'include/ptxoffload'
HEADERS = [INCLUDE / 'ptxoffload.h', INCLUDE / 'models.h']


class WithHeaders(build_py):
    """Copies the headers beside the module."""

    def run(self):
        super().run()
        if getattr(self, 'editable_mode', False):
            return  # the module finds them in the source
        to = pathlib.Path(self.build_lib) / 'ptxoffload'
        to.mkdir(parents=True, exist_ok=True)
        for header in HEADERS:
            shutil.copy(header, to)


VERSION = '.'.join(re.findall(r'#define PTXOFFLOAD_VERSION_[A-Z]+ (\d+)', HEADERS[0].read_text(encoding='utf-8')))
setup(version=VERSION, cmdclass={'build_py': WithHeaders})
