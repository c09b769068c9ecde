"""Cases in a headless browser, and what they look at on any page."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, same
from webdriver import Browser, programs


def in_browser(function, dark=False):
    """Makes the function a case: it gets an empty folder and a browser, whose console stays empty."""
    def test(folder, dark):
        missing, _, _ = programs()
        if missing:
            raise Skip('no ' + ' and no '.join(missing))
        with Browser(folder, dark) as browser:
            function(folder, browser)
            same(browser.console(), [])
    add_case(function.__doc__, test, dark)
    return test


# What is wider than the page, or lies beyond its right edge without a box of its own to scroll in.
TOO_WIDE = """
const width = document.documentElement.clientWidth, found = [];
if (document.documentElement.scrollWidth > width) found.push('page ' + document.documentElement.scrollWidth);
for (const element of document.querySelectorAll('body *')) {
    const box = element.getBoundingClientRect();
    if (!box.width || box.right <= width + 1) continue;
    let parent = element.parentElement;
    while (parent && getComputedStyle(parent).overflowX === 'visible') parent = parent.parentElement;
    if (!parent || parent === document.body) found.push(element.tagName + '.' + element.className + ' ' + box.right);
}
return found.slice(0, 5);
"""

# Texts whose contrast with what is behind them is below that of WCAG's level AA.
FAINT = """
const channel = value => value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
const numbers = text => (text.match(/[0-9.]+/g) || []).map(Number);
const light = rgb => [0.2126, 0.7152, 0.0722].reduce((sum, part, i) => sum + part * channel(rgb[i] / 255), 0);
const solid = colour => colour && colour !== 'none' && !(colour.startsWith('rgba') && numbers(colour)[3] === 0);
const behind = element => {
    for (let at = element; at; at = at.parentElement) {
        const svg = at.tagName.toLowerCase() === 'svg' && at.querySelector('rect.paper');
        if (svg) return numbers(getComputedStyle(svg).fill);
        const colour = getComputedStyle(at).backgroundColor;
        if (solid(colour)) return numbers(colour);
    }
    return [255, 255, 255];
};
const found = new Set();
for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim())) continue;
    if (['TITLE', 'STYLE', 'SCRIPT', 'title', 'style'].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    if (!element.getBoundingClientRect().width) continue;
    const front = numbers(element instanceof SVGElement ? style.fill : style.color);
    const [low, high] = [light(front), light(behind(element))].sort((a, b) => a - b);
    const ratio = (high + 0.05) / (low + 0.05);
    if (ratio < (parseFloat(style.fontSize) >= 24 ? 3 : 4.5))
        found.add(`${element.tagName} ${element.textContent.trim().slice(0, 30)}: ${ratio.toFixed(2)}`);
}
return [...found].slice(0, 5);
"""


def readable(browser):
    """On a desktop and a phone the page can be read, and nothing but boxes of their own scrolls sideways."""
    for width in (1400, 800, 390):
        browser.resize(width, 800)
        same((width, browser.run('return innerWidth')), (width, width))
        same((width, browser.run(TOO_WIDE)), (width, []))
        same((width, browser.run(FAINT)), (width, []))
