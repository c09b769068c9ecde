#!/usr/bin/env python3
"""Builds the documents as a site of static pages, with a search that needs no network.

usage: build.py BUILD-ROOT FOLDER

Needs MkDocs (Debian: mkdocs). The pages are those of the installed documentation; an existing FOLDER is
replaced. `python3 -m http.server -d FOLDER` shows them; without a server all but the search works.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def installed(build, root):
    """Installs below the folder `root`; returns where the documents are."""
    subprocess.run(['meson', 'install', '-C', build, '--no-rebuild', '--quiet', '--destdir', root],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    options = json.loads((build / 'meson-info' / 'intro-buildoptions.json').read_text(encoding='utf-8'))
    values = {option['name']: option['value'] for option in options}
    return root / values['prefix'].lstrip('/') / values['datadir'] / 'doc' / 'ptxoffload'


def mkdocs():
    """The command of MkDocs: that of Debian's Python, which has its modules."""
    found = shutil.which('mkdocs')
    if not found:
        sys.exit('build.py: error: there is no mkdocs; Debian has it as the package mkdocs')
    return ['/usr/bin/python3', found] if found == '/usr/bin/mkdocs' else [found]


def make_site(build, folder):
    with tempfile.TemporaryDirectory(prefix='ptxoffload-site-') as made:
        made = pathlib.Path(made)
        documents = installed(build, made / 'root')
        # Notes of campaigns are parts of the documents among the results.
        for note in (documents / 'eval').glob('*.md'):
            note.unlink()
        shutil.rmtree(documents / 'docs' / 'site')
        pages = made / 'pages'
        shutil.move(documents, pages)
        shutil.copy(HERE / 'mkdocs.yml', made)
        shutil.copytree(HERE / 'theme', made / 'theme')
        done = subprocess.run([*mkdocs(), 'build', '--quiet', '--strict', '--config-file', made / 'mkdocs.yml'],
                              cwd=made, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, PYTHONWARNINGS='ignore'))
        if done.returncode:
            sys.exit('build.py: error: mkdocs could not build the pages:\n' + done.stdout.decode())
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(made / 'site', folder)


if __name__ == '__main__':
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    make_site(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve())
