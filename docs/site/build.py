#!/usr/bin/env python3
"""Builds the documents as a site of static pages, with a search that needs no network.

usage: build.py FOLDER [URL]

Needs MkDocs (Debian: mkdocs), and no built programs. The pages are those of the installed documentation; an existing
FOLDER is replaced. URL is where the site will be, for links of the page that replaces a missing one. The pages work
from a server and as files.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import tables

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def copy_documents(folder):
    """Copies what meson.build installs as documentation."""
    text = (ROOT / 'meson.build').read_text(encoding='utf-8')
    part = text[text.index('# Installed as they lie here'):text.index("if get_option('tests')")]
    part = re.sub(r'(install_dir|exclude_\w+): (\[[^]]*\]|[^\n]*)', '', part)
    for name in re.findall(r"'([\w./-]+)'", part):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, dirs_exist_ok=True, ignore=shutil.ignore_patterns(
                '__pycache__', '.gitattributes', *(['meson.build'] if name == 'docs' else [])))
        elif (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)


def add_tables(pages):
    """Adds the page of names, and the claims to the index of results."""
    (pages / 'docs' / 'names.md').write_text(tables.names_page(ROOT), encoding='utf-8')
    index = pages / 'docs' / 'results' / 'README.md'
    text = index.read_text(encoding='utf-8')
    found = tables.claims(ROOT, ROOT / 'docs' / 'results')
    index.write_text(text.replace('## All items', found + '\n## All items', 1), encoding='utf-8')


def write_index(site):
    """The texts of the search as a script, which a page also loads without a server."""
    index = json.loads((site / 'search' / 'search_index.json').read_text(encoding='utf-8'))
    shutil.rmtree(site / 'search')
    pages = {one['location']: one['title'] for one in index['docs'] if '#' not in one['location']}
    texts = [[one['location'], one['title'], one['text'], pages[one['location'].split('#')[0]]] for one in index['docs']]
    (site / 'js' / 'texts.js').write_text('var texts = %s;\n' % json.dumps(texts, ensure_ascii=False).replace('</', '<\\/'),
                                          encoding='utf-8')


def mkdocs():
    """The command of MkDocs: that of Debian's Python, which has its modules."""
    found = shutil.which('mkdocs')
    if not found:
        sys.exit('build.py: error: there is no mkdocs; Debian has it as the package mkdocs')
    return ['/usr/bin/python3', found] if found == '/usr/bin/mkdocs' else [found]


def make_site(folder, url):
    with tempfile.TemporaryDirectory(prefix='ptxoffload-site-') as made:
        made = pathlib.Path(made)
        pages = made / 'pages'
        copy_documents(pages)
        # Notes of campaigns are parts of the documents among the results.
        for note in (pages / 'eval').glob('*.md'):
            note.unlink()
        shutil.rmtree(pages / 'docs' / 'site')
        add_tables(pages)
        settings = (HERE / 'mkdocs.yml').read_text(encoding='utf-8')
        (made / 'mkdocs.yml').write_text(settings + ('site_url: %s\n' % json.dumps(url) if url else ''), encoding='utf-8')
        shutil.copytree(HERE / 'theme', made / 'theme')
        done = subprocess.run([*mkdocs(), 'build', '--quiet', '--strict', '--config-file', made / 'mkdocs.yml'],
                              cwd=made, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=dict(os.environ, PYTHONWARNINGS='ignore'))
        if done.returncode:
            sys.exit('build.py: error: mkdocs could not build the pages:\n' + done.stdout.decode())
        write_index(made / 'site')
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(folder, ignore_errors=True)
        shutil.move(made / 'site', folder)


if __name__ == '__main__':
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    make_site(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else '')
