#!/usr/bin/env python3
"""The page of a simulation in a headless browser, opened from a disk and without a network.

usage: simulation.py BUILD-ROOT

Skipped without Chromium and chromedriver (Debian: chromium, chromium-driver).
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import in_browser, readable
from pages import BUILD, PROGRAM, ROOT
from tap import ends, main, run, same

SIMULATOR = BUILD / 'cli' / 'ptxoffload-sim'
RUN = ROOT / 'samples' / 'srad' / 'run.yaml'


def page(folder):
    """two runs side by side, with chains"""
    ends(run([PROGRAM, RUN.parent / 'srad.ptx', '-o', 'srad.ptx', '--quiet'], folder), 0)
    ends(run([SIMULATOR, RUN, '--report=json:base.json'], folder), 0)
    ends(run([SIMULATOR, RUN, '--program=srad.ptx', '--policy=omni', '--report=html:page.html',
              '--beside=base.json'], folder), 0)
    return folder / 'page.html'


def looks(folder, browser):
    """a desktop and a phone: readable, and nothing but pictures and tables scrolls sideways"""
    browser.open(page(folder))
    same(browser.run('return document.title'), 'Simulation of %s' % RUN)
    readable(browser)


in_browser(looks)
in_browser(looks, True)


@in_browser
def content(folder, browser):
    """links from the list to kernels; bars as long as their numbers; the launches open"""
    browser.open(page(folder))
    same(browser.count('h2[id^=k]'), 7)
    browser.click('a[href="#k4"]')
    same(browser.run('return location.hash'), '#k4')
    wrong = browser.run('''
        const wrong = [];
        for (const row of document.querySelectorAll('.bars tr')) {
            const text = row.querySelector('td').firstChild.textContent;
            const track = row.querySelector('.track'), bar = track.querySelector('i');
            if (!text.includes('%')) continue;
            const share = bar.getBoundingClientRect().width / track.getBoundingClientRect().width;
            if (Math.abs(100 * share - parseFloat(text)) > 0.2) wrong.push(text + ' ' + share);
        }
        return wrong;''')
    same(wrong, [])
    assert browser.count('.bars tr') > 100
    same(browser.run('return document.querySelector("details").open'), False)
    browser.click('summary')
    assert browser.count('details tr') > 40
    browser.click('a[href^="#launch-"]')
    same(browser.run('return document.querySelector(location.hash).closest("details").open'), True)
    assert browser.count('svg rect[class^=c]') > 300  # launches, and reasons over time


@in_browser
def lists(folder, browser):
    """lists of instructions: ordered by each column without a script; links from chains and the busiest ones"""
    browser.open(page(folder))
    busiest = browser.run('return [...document.querySelectorAll("#busiest ~ .src tr:not(.head)")]'
                          '.slice(0, 10).map(row => parseFloat(row.children[2].textContent))')
    same((len(busiest), busiest), (10, sorted(busiest, reverse=True)))
    assert browser.run('return document.getElementById("busiest").getBoundingClientRect().top <'
                       'document.getElementById("time").getBoundingClientRect().top')
    columns = {'': 0, '.by0': 2, '.by1': 3, '.by3': 10}
    for choice, column in columns.items():
        shown = browser.run('''
            const list = document.querySelector('#k4-source ~ details.src');
            list.querySelector('input' + arguments[0]).click();
            const rows = [...list.querySelectorAll('tr')];
            rows.sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
            return rows.map(row => row.children[arguments[1]].textContent);''', choice, column)
        head, numbers = shown[0], [float(text.split()[0]) if text else 0 for text in shown[1:]]
        assert len(numbers) > 20 and head.isalpha() and sum(numbers) > 0, shown
        same((choice, numbers), (choice, sorted(numbers, reverse=choice != '')))
    browser.click('#k4 ~ .cards a[href^="#k4-p"]')
    hit = browser.run('const row = document.querySelector(location.hash);'
                      'return [row.closest("details").open, row.textContent.includes("ld.global")]')
    same(hit, [True, True])


main()
