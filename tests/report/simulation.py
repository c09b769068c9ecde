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
            const track = row.querySelector('.track'), bar = track && track.querySelector('i');
            if (!track || !text.includes('%')) continue;
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
    assert browser.count('svg rect[class^=c]') > 60  # launches
    assert browser.count('svg g.data path[class^=c]') > 20  # reasons over time


@in_browser
def verdict(folder, browser):
    """the page begins with cycles, the gain and the limit; its phases are as long as their cycles"""
    path = page(folder)
    browser.open(path)
    kernel = browser.run('return [...document.querySelectorAll(".tile")].map(tile => tile.innerText.split(/\\n+/))')
    same([tile[0] for tile in kernel][:1], ['Cycles'])
    assert kernel[1][0].startswith('Against ') and ' times ' in kernel[1][1], kernel
    assert 'imited by' in kernel[2][0], kernel
    same(browser.run('return document.querySelector(".tiles").getBoundingClientRect().top < 400'), True)
    shares = browser.run("""return [...document.querySelector('.phases').closest('table').rows].map(row =>
        [parseFloat(row.cells[1].textContent), row.querySelector('.phases').getBoundingClientRect().width,
         row.cells[2].getBoundingClientRect().width])""")
    for percent, width, whole in shares:
        assert abs(100 * width / whole - max(1, percent)) < 4, shares
    assert abs(sum(percent for percent, _, _ in shares) - 100) < 0.3, shares


@in_browser
def theme(folder, browser):
    """the switch changes page and drawings, and the choice stays"""
    browser.open(page(folder))
    colours = """return [getComputedStyle(document.documentElement).backgroundColor,
        getComputedStyle(document.querySelector('svg rect.paper')).fill]"""
    light = browser.run(colours)
    browser.click('#theme')
    dark = browser.run(colours)
    assert light[0] != dark[0] and light[1] != dark[1], (light, dark)
    readable(browser)
    browser.click('#theme')
    same(browser.run(colours), light)


@in_browser
def timeline(folder, browser):
    """the pointer reads counts; a dragged part and the buttons change the scale; All restores it"""
    browser.open(page(folder))
    move = """
        const svg = document.querySelector('.timeline svg'), box = svg.getBoundingClientRect();
        const at = (kind, part) => svg.dispatchEvent(new PointerEvent(kind, {bubbles: true, pointerType: 'mouse',
            clientX: box.left + part * box.width, clientY: box.top + 60}));
        for (const [kind, part] of arguments[0]) at(kind, part);
        return document.querySelector('.said').textContent;"""
    ticks = 'return [...document.querySelector("g.ticks").querySelectorAll("text")].map(t => t.textContent)'
    said = browser.run(move, [['pointermove', 0.5]])
    assert said.startswith('cycle ') and 'IPC' in said and 'DRAM data bus in %' in said, said
    whole = browser.run(ticks)
    browser.run(move, [['pointerdown', 0.4], ['pointermove', 0.5], ['pointerup', 0.5]])
    part = browser.run(ticks)
    assert part != whole and '0' not in part, (whole, part)
    same(browser.run('return document.querySelector("g.data").getAttribute("transform").startsWith("matrix(")'), True)
    # The middle of the enlarged part is the middle of what was dragged.
    cycle = lambda text: float(text.split(' · ')[0].split(' ')[1].replace(',', ''))
    middle = browser.run(move, [['pointermove', (150 + 894) / 2 / 920]])
    browser.click('.scale button:last-child')
    before = browser.run(move, [['pointermove', 0.45]])
    assert abs(cycle(middle) - cycle(before)) <= 0.002 * cycle(said) + 1, (middle, before)


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
