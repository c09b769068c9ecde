#!/usr/bin/env python3
"""The documents as a site: all pages are there, links hold, a browser shows and searches them.

usage: site.py BUILD-ROOT

Skipped without MkDocs (Debian: mkdocs); what needs a browser without Chromium and chromedriver.
"""
import functools
import html.parser
import http.server
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import FAINT, TOO_WIDE, in_browser
from pages import ROOT
from tap import Skip, case, main, same

MADE = tempfile.TemporaryDirectory(prefix='ptxoffload-test-site-')
PHONE, DESK = (390, 844), (1400, 900)
SHOWN = ('index.html', 'docs/reference/simulator.html', 'docs/reference/machine.html', 'docs/results/index.html',
         'docs/results/isca19.html', 'docs/guide/cuda.html')


@functools.lru_cache(maxsize=None)
def site():
    """The folder of the site."""
    if not shutil.which('mkdocs'):
        raise Skip('no mkdocs')
    folder = pathlib.Path(MADE.name) / 'site'
    done = subprocess.run([ROOT / 'docs' / 'site' / 'build.py', folder], stdout=subprocess.PIPE,
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
    """Serves the site below /some/where, and its page for what is missing anywhere."""

    def log_message(self, *_):
        pass

    def translate_path(self, path):
        return super().translate_path(path.removeprefix('/some/where')) if path.startswith('/some/where/') else '/none'

    def send_error(self, code, message=None, explain=None):
        body = (site() / '404.html').read_bytes()
        self.send_response(code)
        self.send_header('Content-Type', 'text/html')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        if self.command != 'HEAD':
            self.wfile.write(body)


class Served:
    """The site on a port of this machine."""

    def __enter__(self):
        self.server = http.server.ThreadingHTTPServer(
            ('127.0.0.1', 0), functools.partial(Quiet, directory=os.fspath(site())))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return 'http://127.0.0.1:%d/some/where/' % self.server.server_port

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


def opened(browser, url):
    browser.open(url)
    same(browser.console(), [])


def look_at(browser, sizes):
    with Served() as at:
        for size in sizes:
            browser.resize(*size)
            for name in SHOWN:
                opened(browser, at + name)
                same((name, size, browser.run(TOO_WIDE), browser.run(FAINT)), (name, size, [], []))


@in_browser
def looks(folder, browser):
    """pages fit a phone and a desk, and their texts can be read"""
    look_at(browser, (PHONE, DESK))


def looks_dark(folder, browser):
    """in a dark theme texts can be read, too"""
    look_at(browser, (DESK,))
    light = browser.run('return getComputedStyle(document.querySelector(".wy-nav-content")).backgroundColor')
    assert max(int(part) for part in re.findall(r'\d+', light)) < 80, light


in_browser(looks_dark, dark=True)


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


FOUND = ('return [...document.querySelectorAll("#mkdocs-search-results article")]'
         '.map(one => [one.querySelector("a").getAttribute("href"), one.querySelector("p").innerText])')


def check_search(browser, at):
    """Options, registers, keys, statistics, rules, and words are found as they are written."""
    for query, page, marked in (('--sample-ctas', 'docs/reference/simulator.html', '--sample-ctas'),
                                ('%tid', '', '%tid'), ('core.warps', '', 'warps'), ('stall_barrier', '', 'stall_barrier'),
                                ('trip-unknown', '', 'trip-unknown'), ('varying-scalar', '', 'varying-scalar'),
                                ('noc.router', '', 'router'), ('"coalescing', None, None), ('coalescing', '', 'coalescing'),
                                ('no-such-word-anywhere', None, None)):
        opened(browser, at + 'search.html?q=' + urllib.parse.quote(query))
        found = browser.run(FOUND)
        if page is None:
            same((query, found), (query, []))
            continue
        assert found and found[0][0].startswith(('docs/', 'CONTRIBUTING', 'README', 'index', 'SECURITY', 'CHANGELOG')), (query, found[:2])
        assert any(marked in text.lower() for _, text in found[:3]), (query, found[:3])
        assert not page or any(link.startswith(page) for link, _ in found[:5]), (query, found[:5])
        assert browser.count('#mkdocs-search-results mark') > 0, query


@in_browser
def search(folder, browser):
    """the search finds options, registers, keys, statistics, rules and words"""
    with Served() as at:
        check_search(browser, at)
        # a result leads to its page
        opened(browser, at + 'search.html?q=--sample-ctas')
        link = browser.run(FOUND)[0][0]
        opened(browser, at + link)
        assert '--sample-ctas' in browser.text('.rst-content'), link


@in_browser
def search_files(folder, browser):
    """the search works without a server"""
    check_search(browser, 'file://%s/' % site())


@in_browser
def missing_page(folder, browser):
    """the page for a missing one leads to the site, from any depth"""
    with Served() as at:
        for missing in ('nothing.html', 'docs/nothing.html', 'docs/a/b/c/d.html'):
            browser.open(at + missing)
            for _ in range(100):
                if browser.run('return document.body.dataset.base'):
                    break
                time.sleep(0.05)
            links = browser.run('return [...document.querySelectorAll("a")].map(one => one.href)')
            same(links, [at + name for name in ('index.html', 'docs/index.html', 'docs/results/index.html')])
            same(browser.run('return document.querySelector("form").action'), at + 'search.html')
            browser.console()  # the browser's own lines about what is missing
            browser.click('a')
            assert 'PTX' in browser.text('body')
            browser.console()


@case
def claims(folder):
    """the index of results has a sentence, a date and a command for each page"""
    sys.path.insert(0, os.fspath(ROOT / 'docs' / 'site'))
    tables = importlib.import_module('tables')
    for page in sorted((ROOT / 'docs' / 'results').glob('*.md')):
        if page.name != 'README.md':
            sentence, date, command = tables.claim(ROOT, page)
            assert len(sentence) > 20 and re.fullmatch(r'20\d\d-\d\d-\d\d', date) and command, (page.name, sentence, date, command)


@case
def names(folder):
    """the page of names has all kinds of names, and the options of the manual pages"""
    sys.path.insert(0, os.fspath(ROOT / 'docs' / 'site'))
    tables = importlib.import_module('tables')
    text = tables.names_page(ROOT)
    for name in ('--sample-ctas', '--policy', '--metadata', '--min-saving', 'warps', 'stall_barrier', 'reuse', 'trip-unknown',
                 'syntax', 'injection_speedup'):
        assert '| `%s` | ' % name in text, name
    assert text.count('\n| `') > 900, text.count('\n| `')


main()
