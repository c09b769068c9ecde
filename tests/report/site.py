#!/usr/bin/env python3
"""The documents as a site: all pages are there, links hold, a browser shows and searches them.

usage: site.py BUILD-ROOT

Skipped without MkDocs (Debian: mkdocs); what needs a browser without Chromium and chromedriver.
"""
import functools
import html.parser
import http.server
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import FAINT, TOO_WIDE, in_browser
from pages import BUILD, ROOT
from tap import Skip, case, main, same

MADE = tempfile.TemporaryDirectory(prefix='ptxoffload-test-site-')
PHONE, DESK = (390, 844), (1400, 900)
SHOWN = ('index.html', 'docs/reference/simulator.html', 'docs/reference/machine.html', 'docs/results/index.html',
         'docs/results/isca19.html', 'docs/guide/cuda.html')


@functools.lru_cache(maxsize=None)
def site():
    """The folder of the site."""
    for name in ('mkdocs', 'meson'):
        if not shutil.which(name):
            raise Skip('no ' + name)
    folder = pathlib.Path(MADE.name) / 'site'
    done = subprocess.run([ROOT / 'docs' / 'site' / 'build.py', BUILD, folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    same((done.returncode, done.stdout.decode()), (0, ''))
    return folder


class Reader(html.parser.HTMLParser):
    """Links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding='utf-8'))

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors.update(values[name] for name in ('id', 'name') if values.get(name))
        self.links += [values[name] for name in ('href', 'src') if values.get(name)]


@functools.lru_cache(maxsize=None)
def read(path):
    return Reader(path)


@case
def links(folder):
    """links lead to pages and anchors of the site"""
    count, broken = 0, []
    for path in site().rglob('*.html'):
        if path.name in ('404.html', 'search.html'):
            continue
        for link in read(path).links:
            url = urllib.parse.urlparse(link)
            if url.scheme:
                continue
            count += 1
            target = path.parent / urllib.parse.unquote(url.path) if url.path else path
            if not target.exists() or (url.fragment and target.suffix == '.html' and
                                       urllib.parse.unquote(url.fragment) not in read(target).anchors):
                broken.append('%s: %s' % (path.relative_to(site()), link))
    same(broken, [])
    assert count > 1000, count


@case
def all_pages(folder):
    """each document is in the list of pages"""
    menu = {(site() / link).resolve() for link in read(site() / 'index.html').links}
    for document in sorted(ROOT.glob('docs/**/*.md')):
        page = (site() / document.relative_to(ROOT)).with_suffix('.html')
        if document.name == 'README.md':
            page = page.with_name('index.html')
        assert page.resolve() in menu, document


@case
def alone(folder):
    """pages load nothing from elsewhere"""
    for path in site().rglob('*.html'):
        text = path.read_text(encoding='utf-8')
        for form in ('src="http', 'src="//', 'rel="stylesheet" href="http'):
            assert form not in text, (path, form)


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Served:
    """The site on a port of this machine."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), functools.partial(Quiet, directory=os.fspath(site())))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return 'http://127.0.0.1:%d/' % self.server.server_port

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def opened(browser, url):
    """Opens a page, and waits until its search is ready: a page that is left before has errors."""
    browser.open(url)
    lines = []
    for _ in range(100):
        lines += browser.console()
        if any('search ready' in line for line in lines):
            break
        time.sleep(0.1)
    same([line for line in lines if not line.startswith('INFO ')], [])


@in_browser
def looks(folder, browser):
    """pages fit a phone and a desk, and their texts can be read"""
    with Served() as at:
        for size in (PHONE, DESK):
            browser.resize(*size)
            for name in SHOWN:
                opened(browser, at + name)
                same((name, size, browser.run(TOO_WIDE), browser.run(FAINT)), (name, size, [], []))


@in_browser
def menu(folder, browser):
    """on a phone a button shows the list of pages"""
    left = 'return document.querySelector(".wy-nav-side").getBoundingClientRect().left'
    with Served() as at:
        browser.resize(*PHONE)
        opened(browser, at + 'docs/reference/chains.html')
        assert browser.run(left) < 0
        browser.click('[data-toggle="wy-nav-top"]')
        time.sleep(0.5)
        same(browser.run(left), 0)


@in_browser
def search(folder, browser):
    """the search finds a page by a word in it"""
    with Served() as at:
        opened(browser, at + 'search.html?q=coalescing')
        for _ in range(100):
            found = browser.run('return [...document.querySelectorAll("#mkdocs-search-results article a")]'
                                '.map(one => one.getAttribute("href"))')
            if found:
                break
            time.sleep(0.1)
        assert any('docs/' in one for one in found), found


main()
