#!/usr/bin/env python3
"""The HTML report in a headless browser, opened from a disk and without a network.

usage: browser.py BUILD-ROOT

Skipped without Chromium and chromedriver (Debian: chromium, chromium-driver).
"""
import collections
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import in_browser, readable
from pages import BODY, BUILD, HEAD, HOSTILE, HOSTILE_NAME, ROOT, make, module
from tap import add_case, ends, main, run, same, within
from webdriver import DOWN, ENTER, ESCAPE

SIMULATOR = BUILD / 'cli' / 'ptxoffload-sim'
SRAD = (ROOT / 'samples' / 'srad' / 'srad.ptx').read_bytes()
LIBOR = (ROOT / 'samples' / 'libor' / 'libor.ptx').read_bytes()


def rows(browser):
    return browser.run('return [...document.querySelectorAll("#kernels .name")].map(e => e.textContent)')


def current(browser):
    return browser.text('#kernels tr[aria-current] .name')


def focused(browser):
    return browser.run('return document.activeElement.dataset.key || document.activeElement.id')


def brief(number):
    """A number as the page shows it to read"""
    return '%d' % round(number) if abs(number) >= 1000 else '%.4g' % number


def changed_page(folder):
    """A program in whose report a profile changes verdicts; the profile is in folder/long/p.json."""
    text = (ROOT / 'samples' / 'kmn' / 'kmn.ptx').read_bytes()
    ends(run([SIMULATOR, '--functional', ROOT / 'samples' / 'kmn' / 'run.yaml',
              '--profile-out=long/p.json'], folder), 0)
    return text


def spoken(text):
    """Text with the numbers as a program writes them"""
    return text.replace('\u2212', '-').replace('\u00b7', '*').replace('\u00bc', '0.25')


@in_browser
def content(folder, browser):
    """kernels by the flits and then the words that they save; the PTX with chains, blocks, tags and remarks"""
    browser.open(make(folder, SRAD))
    same(browser.run('return document.title'), 'in.ptx \u00b7 offload report')
    names = rows(browser)
    same(len(names), 7)
    savings = browser.run('return [...document.querySelectorAll("#kernels tr")].map(row => '
                          '[...row.querySelectorAll(".number")].map(e => parseFloat(e.textContent) || 0))')
    same(savings, sorted(savings, reverse=True))
    same((current(browser), browser.text('main h1')), (names[0], names[0]))
    # All of the kernel's lines, in order and letter by letter.
    shown = browser.run('return [...document.querySelectorAll(".row")].map(e => '
                        '[+e.querySelector(".no").textContent, e.querySelector(".code").textContent])')
    lines = SRAD.decode().split('\n')
    for number, text in shown:
        same(text, lines[number - 1])
    same([number for number, _ in shown], list(range(shown[0][0], shown[-1][0] + 1)))
    # A chain: four instructions in its colour, with their tags in the margin.
    marked = browser.run('return [...document.querySelectorAll("mark[data-chain=\'0\']")]'
                         '.map(e => [e.textContent, e.closest(".row").querySelector(".chip").textContent])')
    same([tag for _, tag in marked], ['0\u00b701', '0\u00b710', '0\u00b710', '0\u00b711'])
    same([text.split('.')[0] for text, _ in marked], ['ld', 'ld', 'sub', 'st'])
    assert browser.count('.lanes i.good') and browser.count('.lanes i.off')
    assert browser.count('button.pill') > 3


add_case('the same in the dark', content, True)


@in_browser
def summary(folder, browser):
    """at the top are the numbers of kernels, chains, blocks and rejected candidates, with reasons and savings"""
    browser.open(make(folder, SRAD, '--report=json:out.json'))
    table = json.loads((folder / 'out.json').read_text(encoding='utf-8'))
    chains = [chain for kernel in table['kernels'] for chain in kernel['chains']]
    chosen = [block for kernel in table['kernels'] for block in kernel['blocks']
              if block['candidate'] and not block['passed_over']]
    saved = [block['at_threshold'] for block in chosen
             if not any(other['begin_line'] <= block['begin_line'] and other['end_line'] >= block['end_line']
                        for other in chosen if other is not block)]
    rejected = [(one['kind'], one['rule']) for kernel in table['kernels'] for one in kernel['rejected']]
    facts = browser.run('return [...document.querySelectorAll("#total span")].map(e => e.textContent)')
    same(facts[:3], [
        '%d kernels' % len(table['kernels']),
        '%d chains save %d flits per warp and hop (%s expected)' % (
            len(chains), sum(chain['saving'] for chain in chains),
            brief(sum(chain['expected_saving'] for chain in chains))),
        '%d of %d blocks selected for offloading, save %s words per warp' % (
            len(chosen), sum(len(kernel['blocks']) for kernel in table['kernels']),
            brief(-sum(one['bw_tx'] + one['bw_rx'] for one in saved)))])
    rules = collections.Counter('blocks ' * (kind == 'block') + rule for kind, rule in rejected)
    within('%d rejected: %d ' % (len(rejected), max(rules.values())), facts[3])
    same(browser.run('return document.getElementById("reasons").checkVisibility()'), False)
    browser.click('#total')
    same(browser.run('return document.getElementById("reasons").checkVisibility()'), True)
    rows = browser.run('return [...document.querySelectorAll("#reasons tbody tr")].map(row => '
                       '[...row.cells].map(e => e.textContent))')
    same([row[0] for row in rows if row[0]], ['chains', 'blocks'])
    blocks = [row[0] for row in rows].index('blocks')
    for part, wanted in ((rows[:blocks], False), (rows[blocks:], True)):
        counts = collections.Counter(rule for kind, rule in rejected if (kind == 'block') == wanted)
        same({row[2]: int(row[1]) for row in part}, counts)
        same([int(row[1]) for row in part], sorted(counts.values(), reverse=True))
    within('a loaded register is used again: the load stays at the core', [row[3] for row in rows])
    readable(browser)
    browser.keys('e')
    assert browser.count('.panel') > 10
    readable(browser)


add_case('the same in the dark: the summary', summary, True)


@in_browser
def nothing_rejected(folder, browser):
    """the summary of a module without kernels"""
    browser.open(make(folder, HEAD))
    same(browser.text('#total'), '0 kernels 0 chains 0 of 0 blocks selected for offloading 0 rejected')
    browser.click('#total')
    same(browser.run('return document.getElementById("reasons").checkVisibility()'), False)


@in_browser
def equation(folder, browser):
    """a click opens the cost equation, whose numbers give its result; another one closes it"""
    browser.open(make(folder, LIBOR))
    same(browser.count('.panel'), 0)
    keys = browser.run('return [...document.querySelectorAll(".head button")].map(e => e.dataset.key)')
    assert len(keys) > 5, keys
    checked = 0
    for key in keys[:8]:
        button = '[data-key="%s"]' % key
        browser.run('document.querySelector(arguments[0]).scrollIntoView({block: "center"})', button)
        browser.click(button)
        same(browser.run('return document.querySelector(arguments[0]).ariaExpanded', button), 'true')
        for line in browser.run('return [...document.querySelectorAll("#panel-%s .sum")]'
                                '.map(e => e.innerText)' % key):
            terms, value = re.fullmatch(r'n = \S+\s+(.*) = (\S+)', spoken(line)).groups()
            assert re.fullmatch(r'[-+*() 0-9.]+', terms), terms
            # Digits and operators only, as has just been seen; shown are some digits of each.
            assert abs(eval(terms) - float(value)) <= 1e-3 * (1 + abs(float(value))), (terms, value)
            checked += 1
        browser.run('document.querySelector(arguments[0]).scrollIntoView({block: "center"})', button)
        browser.click(button)
        same(browser.count('.panel'), 0)
    assert checked >= 16, checked


@in_browser
def reasons(folder, browser):
    """a click on a rule tells the sentence, and leads to the line that caused it"""
    browser.open(make(folder, SRAD))
    browser.run('document.querySelector("button.pill").scrollIntoView({block: "center"})')
    rule = browser.text('button.pill')
    browser.click('button.pill')
    within(rule, browser.text('.panel'))
    line = browser.run('return document.querySelector(".panel a").dataset.line')
    browser.click('.panel a')
    same(browser.text('.row.here .no'), line)
    browser.click('button.chip')
    within('saves', browser.text('.panel[id=panel-c0]'))
    browser.click('#misses')
    same(browser.count('button.pill'), 0)
    browser.click('#misses')
    browser.click('#all')
    same(browser.count('[data-key][aria-expanded=false]'), 0)


# What is wider than the page, or lies beyond its right edge without a box of its own to scroll in.
TOO_WIDE = """
const width = document.documentElement.clientWidth, main = document.getElementById('kernel');
const found = [];
if (document.documentElement.scrollWidth > width) found.push('page ' + document.documentElement.scrollWidth);
if (main.scrollWidth > main.clientWidth) found.push('main ' + main.scrollWidth);
for (const element of document.querySelectorAll('body *')) {
    const box = element.getBoundingClientRect();
    if (!box.width || box.right <= width + 1) continue;
    let parent = element.parentElement;
    while (parent && getComputedStyle(parent).overflowX === 'visible') parent = parent.parentElement;
    if (!parent || parent === main || parent === document.body) found.push(element.className + ' ' + box.right);
}
for (const panel of document.querySelectorAll('.panel, .head button'))
    if (panel.getBoundingClientRect().right > width || panel.scrollWidth > panel.clientWidth + 1)
        found.push(panel.className + ' ' + panel.scrollWidth);
return found.slice(0, 5);
"""


@in_browser
def narrow(folder, browser):
    """on a narrow screen nothing but the PTX and the graph, each in its box, is scrolled sideways"""
    (folder / 'long').mkdir()
    pages = [make(folder, LIBOR), make(folder / 'long', changed_page(folder), '--profile=p.json')]
    for width in (320, 360, 480, 600):
        browser.resize(width, 740)
        for page in pages:
            browser.open(page)
            same(browser.count('.measured tbody tr') > 0, page is pages[1])
            same(browser.run('return innerWidth'), width)
            same((width, browser.run(TOO_WIDE)), (width, []))
            browser.keys('e')
            assert browser.count('.panel') > 3
            same((width, browser.run(TOO_WIDE)), (width, []))
            browser.keys('g')
            same((width, browser.run(TOO_WIDE)), (width, []))
            browser.keys('?')
            same(browser.run('const box = document.getElementById("keys").getBoundingClientRect(); '
                             'return box.left >= 0 && box.right <= innerWidth'), True)
            browser.keys(ESCAPE)


@in_browser
def no_queue(folder, browser):
    """a kernel without room for the service queue is marked, in the list and above its PTX"""
    text = HEAD + BODY % (b'small', 0, 0) + BODY % (b'full', 1, 1)
    at = text.rindex(b'    ret;')
    full = text[:at] + b'    st.shared.f32 [big], %f3;\n' + text[at:]
    at = full.rindex(b'    .reg .b64')
    browser.open(make(folder, full[:at] + b'    .shared .b8 big[24577];\n' + full[at:]))
    marked = browser.run('return [...document.querySelectorAll("#kernels tr")].map(e => '
                         '[e.querySelector(".name").firstChild.textContent.trim(), !!e.querySelector(".full")])')
    same(sorted(marked), [['full', True], ['small', False]])
    for name, number in (('full', 1), ('small', 0)):
        browser.click('#kernels tr[data-k="%d"] .name' % number)
        same((browser.text('main h1'), browser.count('main .note')), (name, number))
    browser.click('#kernels tr[data-k="1"] .name')
    within('24577 of the 49152 bytes of shared memory', browser.text('main .note'))
    browser.click('main .note a')
    within('st.shared', browser.text('.row.here'))


@in_browser
def expected(folder, browser):
    """what a chain saves with the lines that its accesses touch stands beside what the paper counts"""
    browser.open(make(folder, SRAD, '--metadata=out.json'))
    document = json.loads((folder / 'out.json').read_text())
    kernel, = [one for one in document['kernels'] if one['name'] == current(browser)]
    total = sum(chain['expected_saving'] for chain in kernel['chains'])
    within('(%s expected)' % brief(total), browser.text('.facts').replace('\u2212', '-'))
    browser.run('document.querySelector("button.chip").scrollIntoView({block: "center"})')
    browser.click('button.chip')
    within('; %s expected.' % brief(kernel['chains'][0]['expected_saving']),
           browser.text('#panel-c0').replace('\u2212', '-'))


@in_browser
def keyboard(folder, browser):
    """keys: remarks, opening, kernels, filter, graph, theme, help"""
    browser.open(make(folder, SRAD))
    stops = browser.run('return [...document.querySelectorAll("main [data-key]")].map(e => e.dataset.key)')
    browser.keys('j')
    same(focused(browser), stops[0])
    browser.keys('jj')
    same(focused(browser), stops[2])
    browser.keys('k' + DOWN + DOWN)
    same(focused(browser), stops[3])
    browser.keys(ENTER)
    same((browser.count('#panel-' + stops[3]), focused(browser)), (1, stops[3]))
    browser.keys(ENTER)
    same((browser.count('.panel'), focused(browser)), (0, stops[3]))
    browser.keys('e')
    same(browser.count('.panel'), len(stops))
    names = rows(browser)
    browser.keys('n')
    same(current(browser), names[1])
    browser.keys('p')
    same(current(browser), names[0])
    browser.keys('/')
    same(focused(browser), 'filter')
    browser.keys('REDUCE')
    same(rows(browser), ['srad_reduce'])
    browser.keys(ENTER)
    same((current(browser), browser.text('main h1'), focused(browser)),
         ('srad_reduce', 'srad_reduce', 'kernel'))
    browser.keys('/')
    browser.keys('none such')
    same((rows(browser), browser.text('#count')), ([], '0 of 7 kernels'))
    browser.keys(ESCAPE)
    same(len(rows(browser)), 7)
    browser.keys('g')
    assert browser.count('.graph .node') > 2
    browser.keys('g')
    before = browser.run('return getComputedStyle(document.body).color')
    browser.keys('t')
    assert browser.run('return getComputedStyle(document.body).color') != before
    browser.keys('?')
    same(browser.run('return document.getElementById("keys").open'), True)
    browser.keys(ESCAPE)
    same(browser.run('return document.getElementById("keys").open'), False)


@in_browser
def sorting(folder, browser):
    """the list of kernels by any column, both ways"""
    browser.open(make(folder, SRAD))
    browser.click('[data-sort=name]')
    same(rows(browser), sorted(rows(browser)))
    browser.click('[data-sort=name]')
    same(rows(browser), sorted(rows(browser), reverse=True))
    same(browser.run('return document.querySelector("[data-sort=name]").closest("th").ariaSort'),
         'descending')
    browser.click('#kernels tr:nth-child(3) .name')
    same(current(browser), rows(browser)[2])


@in_browser
def graph(folder, browser):
    """the flow graph: every block and way, loops, and a node that leads to its lines"""
    path = make(folder, LIBOR, '--metadata=out.json')
    browser.open(path)
    browser.click('[data-tab=graph]')
    kernel = browser.run('return JSON.parse(document.getElementById("k0").textContent)')
    nodes, edges = kernel['graph'], sum(len(node[6]) for node in kernel['graph'])
    same(browser.count('.graph .node'), len(nodes))
    same(browser.count('.graph .edge'), edges)
    same(browser.count('.graph .edge.back'), sum(to <= at for at, node in enumerate(nodes)
                                                 for to in node[6]))
    same(browser.count('.graph text.loop'), len(kernel['loops']))
    assert browser.count('.graph .node.good')
    # No two nodes lie over each other.
    boxes = browser.run('return [...document.querySelectorAll(".graph rect.body")].map(e => '
                        '[e.x.baseVal.value, e.y.baseVal.value, e.width.baseVal.value, '
                        'e.height.baseVal.value])')
    for i, (x, y, width, height) in enumerate(boxes):
        for x2, y2, width2, height2 in boxes[:i]:
            assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y
    browser.run('document.querySelectorAll(".graph .node")[3].focus()')
    browser.keys(ENTER)
    same(browser.text('.row.here .no'), str(nodes[3][2]))


@in_browser
def places(folder, browser):
    """an address leads to a kernel and a line"""
    path = make(folder, SRAD)
    line = 1 + SRAD[:SRAD.index(b'.entry srad_2(')].count(b'\n') + 20
    kernel = browser.open(path) and browser.run(
        'return JSON.parse(document.getElementById("module").textContent).kernels'
        '.findIndex(kernel => kernel.name === "srad_2")')
    browser.open('about:blank')
    browser.open('file://%s#k%d-L%d' % (path, kernel, line))
    same(browser.text('main h1'), 'srad_2')
    same(browser.text('.row.here .no'), str(line))


@in_browser
def hostile(folder, browser):
    """markup in names, comments and strings is text"""
    path = make(folder, HOSTILE, name=HOSTILE_NAME.replace('/', ''))
    browser.open(path)
    same(browser.run('return typeof owned'), 'undefined')
    within('<script>owned=1<script>', browser.text('#file'))
    same(browser.text('main h1'), '$_kernel$')
    text = browser.run('return [...document.querySelectorAll(".code")].map(e => e.textContent).join("\\n")')
    for part in ('// </script><script>owned=1</script>', '\u2028', '\ufffd',
                 '.pragma "nounroll </script><img src=x onerror=owned=1> & \'it\'";'):
        within(part, text)
    same(browser.count('img, svg[onload], iframe'), 0)
    same(browser.count('script'), 3)
    # Both accesses of a line, each with what became of it.
    same(browser.count('mark'), 2)
    browser.keys('e')
    within('volatile', browser.text('.ptx'))
    same(browser.run('return typeof owned'), 'undefined')


@in_browser
def by_source(folder, browser):
    """with --locations=source, marks have the file and line of the CUDA source"""
    text = (ROOT / 'tests' / 'cases' / 'blocks' / 'loops-debug.ptx').read_bytes()
    (folder / 'usual').mkdir()
    marks = 'return [...document.querySelectorAll("button.pill")].map(e => e.textContent)'
    browser.open(make(folder / 'usual', text))
    usual = browser.run(marks)
    browser.open(make(folder, text, '--locations=source'))
    found = browser.run(marks)
    assert len(found) > 1, found
    for mark in found:
        assert re.fullmatch(r'loops\.cu:[0-9]+ [a-z-]+', mark), mark
    same([mark.split()[1] for mark in found], usual)


@in_browser
def mangled(folder, browser):
    """mangled names are shown as what a person calls them, and filtered as they are"""
    names = ['_ZN3cub6detail10SortKernelINS_6PolicyEEEvPT_', '_Z6vecaddPKfS0_Pf', '_ZL4copyPf',
             '_ZN3cub6detail10SortKernelINS_5OtherEEEvPT_', '_Z', '_Z9x']
    text = HEAD + b''.join(BODY % (name.encode(), at, at) for at, name in enumerate(names))
    browser.open(make(folder, text))
    same(rows(browser), ['SortKernel<\u2026>', 'vecadd', 'copy', 'SortKernel<\u2026> 2', '_Z', 'x'])
    same((browser.text('main h1'), browser.text('.mangled')), ('SortKernel<\u2026>', names[0]))
    browser.keys('/')
    browser.keys('other')
    same(rows(browser), ['SortKernel<\u2026> 2'])
    # The number that tells kernels of one name apart stays visible where the name is cut.
    long = 'A' * 90
    text = HEAD + b''.join(BODY % (b'_ZN1%s%d%sE' % (space, len(long), long.encode()), at, at)
                           for at, space in enumerate((b'a', b'b')))
    browser.open(make(folder, text, name='long.ptx'))
    same(rows(browser), [long, long + ' 2'])
    same(browser.run('const name = document.querySelectorAll("#kernels .name")[1], stem = name.querySelector(".stem");'
                     'const range = document.createRange(); range.selectNodeContents(stem.nextSibling);'
                     'return range.getBoundingClientRect().right <= name.getBoundingClientRect().right + 1'), True)


@in_browser
def large(folder, browser):
    """a module of 1,000 kernels opens at once, and so does each of its kernels"""
    seconds = browser.open(make(folder, module(1000, 100)))
    same(len(rows(browser)), 1000)
    assert seconds < 15, seconds
    spent = browser.run('const begin = performance.now(); '
                        'document.querySelectorAll("#kernels tr")[700].click(); '
                        'document.body.offsetHeight; return performance.now() - begin')
    same(browser.text('main h1'), rows(browser)[700])
    assert spent < 2000, spent
    browser.keys('/')
    browser.keys('_77')
    same(len(rows(browser)), 11)


@in_browser
def long_kernel(folder, browser):
    """a kernel of 30,000 lines is drawn as far as it is seen, and can be gone to anywhere"""
    browser.open(make(folder, module(1, 30000)))
    drawn = browser.count('.row')
    assert 100 < drawn < 5000, drawn
    browser.keys('jjjjjj')
    key = focused(browser)
    assert browser.run('const r = document.activeElement.getBoundingClientRect(); '
                       'return r.top >= 0 && r.bottom <= innerHeight'), key
    assert int(browser.run('return document.activeElement.closest(".head, .row")'
                           '.parentElement.dataset.from')) > 20000


def ladder(count):
    """A kernel of so many basic blocks, half of which can be left at once, in nested loops"""
    lines = ['.visible .entry ladder()', '{', '.reg .pred %p; .reg .b32 %r<4>;',
             'mov.u32 %r1, %tid.x;', 'setp.eq.u32 %p, %r1, 3;']
    for number in range(count // 2):
        lines += ['$l%d:' % number, 'add.u32 %r1, %r1, 1;', '@%%p bra $l%d;' % min(
            number + 5 if number % 3 else max(number - 40, 0), count // 2), 'add.u32 %r2, %r1, 2;']
    return ('\n'.join(lines) + '\n$l%d:\nret;\n}\n' % (count // 2)).encode()


@in_browser
def large_graph(folder, browser):
    """a flow graph of 6,000 blocks is drawn in seconds"""
    browser.open(make(folder, b'.version 7.5\n.target sm_75\n.address_size 64\n' + ladder(6000)))
    spent = browser.run('const begin = performance.now(); '
                        'document.querySelector("[data-tab=graph]").click(); '
                        'document.body.offsetHeight; return performance.now() - begin')
    assert browser.count('.graph .node') > 5000
    assert spent < 20000, spent


@in_browser
def printed(folder, browser):
    """on paper everything is open, and nothing else is there"""
    browser.open(make(folder, LIBOR))
    browser.run('dispatchEvent(new Event("beforeprint"))')
    same(browser.count('[data-key][aria-expanded=false]'), 0)
    assert browser.count('.panel') > 5


main(2)
