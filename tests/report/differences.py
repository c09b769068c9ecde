#!/usr/bin/env python3
"""The page of --beside in a headless browser, opened from a disk and without a network.

usage: differences.py BUILD-ROOT

Skipped without Chromium and chromedriver (Debian: chromium, chromium-driver).
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import in_browser, readable
from pages import BODY, HEAD, HOSTILE, PROGRAM, ROOT
from tap import ends, main, run, same, within


def page(folder, before, after, *options):
    for name, text, more in (('before', before, ()), ('after', after, options)):
        (folder / (name + '.ptx')).write_bytes(text)
        ends(run([PROGRAM, name + '.ptx', '--report=json:%s.json' % name, '-q', '-w', *more], folder), 0)
    ends(run([PROGRAM, 'after.json', '--beside=before.json', '--report=html:page.html',
              '--report=json:differences.json'], folder), 0)
    return folder / 'page.html', json.loads((folder / 'differences.json').read_text())


def srad(folder):
    text = (ROOT / 'samples' / 'srad' / 'srad.ptx').read_bytes()
    return page(folder, text, text.replace(b'ld.global.f32', b'ld.volatile.global.f32', 2), '--cost=tom')


def looks(folder, browser):
    """a desktop and a phone: readable, and nothing but tables scrolls sideways"""
    browser.open(srad(folder)[0])
    same(browser.run('return document.title'), 'Differences of before.json and after.json')
    readable(browser)


in_browser(looks)
in_browser(looks, True)


@in_browser
def content(folder, browser):
    """a row for each difference, with both places, and the counts"""
    path, document = srad(folder)
    browser.open(path)
    rows = browser.run('return [...document.querySelectorAll(".list tr[class]")].map(row => '
                       '[row.className, ...[...row.cells].map(cell => cell.textContent)])')
    same(len(rows), len(document['differences']))
    for row, one in zip(rows, document['differences']):
        same((row[0], row[1]), (one['change'], '%s %s' % (one['kind'], one['change'])))
        for cell, side in ((row[2], 'before'), (row[3], 'after')):
            same(bool(cell), bool(one[side]))
            if one[side]:
                within('line %d' % one[side]['line'], cell)
                within(one[side]['text'], cell)
        within((one['after'] or one['before'])['verdict'], row[4])
    counts = browser.run('return [...document.querySelectorAll(".counts tr")].slice(1).map(row => '
                         '[...row.cells].map(cell => cell.textContent))')
    same(counts, [[kind, *(str(numbers[name]) for name in ('appeared', 'vanished', 'changed', 'equal'))]
                  for kind, numbers in document['summary'].items()])


@in_browser
def hostile(folder, browser):
    """markup in texts and names is text; a mangled name is shown demangled"""
    path, _ = page(folder, HEAD + BODY % (b'_Z6vecaddPKfS0_Pf', 0, 0), HOSTILE)
    browser.open(path)
    same(browser.run('return typeof owned'), 'undefined')
    same((browser.count('img, iframe'), browser.count('script')), (0, 1))
    same(browser.run('return [...document.querySelectorAll("h2")].map(e => e.textContent)'),
         ['$_kernel$', 'vecadd(float const*, float const*, float*)'])
    within('_Z6vecaddPKfS0_Pf', browser.text('h2 + .quiet'))


main(2)
