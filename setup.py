"""The Python module: its version is that of meson.build, and the library's header goes with it."""
import pathlib
import re
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = pathlib.Path(__file__).resolve().parent


class WithHeader(build_py):
    """Copies the header beside the module."""

    def run(self):
        super().run()
        to = pathlib.Path(self.build_lib) / 'ptxoffload'
        to.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / 'include/ptxoffload/ptxoffload.h', to)


VERSION = re.search(r"version: '([^']+)'", (ROOT / 'meson.build').read_text()).group(1)
setup(version=VERSION, cmdclass={'build_py': WithHeader})
