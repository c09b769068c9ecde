#!/usr/bin/env python3
"""Drawings as programs without style sheets see them: all colours are attributes.

usage: drawings.py BUILD-ROOT
"""
import collections
import math
import os
import pathlib
import re
import shutil
import struct
import sys
import xml.etree.ElementTree
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same, within
from webdriver import Browser, programs

BUILD = pathlib.Path(sys.argv[1]).resolve()
CLI = BUILD / 'cli'
ROOT = pathlib.Path(__file__).resolve().parents[2]
MAP = ROOT / 'samples' / 'conv' / 'conv.map.yaml'
SVG = '{http://www.w3.org/2000/svg}'
SHAPES = ('rect', 'circle', 'line', 'polyline', 'polygon', 'path', 'text')
COLOUR = re.compile('#[0-9a-f]{3}([0-9a-f]{3})?$|none$')

CAMPAIGN = '''name: drawn
workloads: [{name: A, run: %(sample)s, values: {n: 64}}, {name: B, run: %(sample)s, values: {n: 256}}]
variants: [{name: base}, {name: fast, set: {l1.latency: 1}}]
points: [{name: p1, x: 8, set: {memory.reply_queue: 8}}, {name: p2, x: 64, set: {memory.reply_queue: 64}}]
studies:
  - {name: all, workloads: [A, B], variants: [base, fast]}
  - {name: swept, workloads: [A, B], variants: [base, fast], points: [p1, p2]}
figures:
  - {name: bars, title: Bars, workloads: [A, B], columns: [
      {name: one, value: base.machine.cycles, paper: {A: 1000}}, {name: two, value: fast.machine.cycles}]}
  - {name: stacked, title: Stacked, workloads: [A, B], plot: stacked, columns: [
      {name: one, value: base.machine.cycles}, {name: two, value: fast.machine.cycles}]}
  - {name: lines, title: Lines, workloads: [A, B], plot: lines, points: [p1, p2], columns: [
      {name: one, value: base.machine.cycles}, {name: two, value: fast.machine.cycles}]}
'''


def draw_campaign(folder, figure, *more):
    (folder / 'c.yaml').write_text((CAMPAIGN % {'sample': ROOT / 'samples/vecadd/run.yaml'}))
    ends(run([CLI / 'ptxoffload-campaign', 'run', 'c.yaml'], folder), 0)
    ends(run([CLI / 'ptxoffload-campaign', 'report', 'c.yaml', '--figure=' + figure, '--svg=x.svg', *more],
             folder), 0)


def draw_map(folder, *more):
    assert run([CLI / 'ptxoffload-map', MAP, '--plot=x.svg', *more], folder).code in (0, 1)


def draw_network(folder, option):
    ends(run([CLI / 'ptxoffload-noc', '--config=mesh66_4vc_sif', '--sweep=0.02,0.1,0.3', '--cycles=500',
              '--warmup=100', option + '=x.svg'], folder), 0)


def draw_tree(folder):
    ends(run([CLI / 'ptxoffload-noc', '--config=fly43_8vc_islip', '--load=0.1', '--cycles=300', '--warmup=100',
              '--heatmap=x.svg'], folder), 0)


def draw_memory(folder):
    ends(run([CLI / 'ptxoffload-dram', '--config=gddr5_isca19', '--sweep=0.1,0.3', '--cycles=2000',
              '--plot=x.svg'], folder), 0)


DRAWINGS = {
    'bars of a campaign': (draw_campaign, 'bars'), 'stacked bars': (draw_campaign, 'stacked'),
    'lines of a campaign': (draw_campaign, 'lines'), 'bars in a column': (draw_campaign, 'bars', '--columns=1'),
    'lines in two columns': (draw_campaign, 'lines', '--columns=2'), 'a map on the ring': (draw_map,),
    'a map that does not fit': (draw_map, '--copies=3'), 'latency of a network': (draw_network, '--plot'),
    'a heat map': (draw_network, '--heatmap'), 'a heat map of a tree': (draw_tree,),
    'a memory': (draw_memory,),
}


def shapes(element, inside=False):
    """The shapes that are drawn: those of a clip path are not."""
    name = element.tag.replace(SVG, '')
    if name in SHAPES and not inside:
        yield name, element
    for child in element:
        yield from shapes(child, inside or name in ('clipPath', 'defs'))


def check_shapes(text):
    root = xml.etree.ElementTree.fromstring(text)
    found = list(shapes(root))
    assert len(found) > 5, found
    for name, element in found:
        fill, stroke = element.get('fill'), element.get('stroke')
        assert fill or (stroke and name == 'line'), (name, element.attrib)
        assert (fill or 'none') != 'none' or (stroke or 'none') != 'none', (name, element.attrib)
        for colour in filter(None, (fill, stroke)):
            assert COLOUR.match(colour), (name, element.attrib)
    assert 'var(' not in text
    for rule in re.findall(r'<style>(.*?)</style>', text, re.S):
        assert re.fullmatch(r':root:is\(svg\)\{color-scheme:light dark\}(\.plot [^{}]*\{[^{}]*\})*', rule), rule


def pixels(png):
    """The pixels of a PNG of 8 bits with or without alpha, as (red, green, blue) by rows."""
    width, height, depth, kind = struct.unpack('>IIBB', png[16:26])
    same(depth, 8)
    size = {2: 3, 6: 4}[kind]
    data, at = b'', 8
    while at < len(png):
        length, = struct.unpack('>I', png[at:at + 4])
        if png[at + 4:at + 8] == b'IDAT':
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    data, before, rows = zlib.decompress(data), bytearray(width * size), []
    for y in range(height):
        how, row = data[y * (width * size + 1)], bytearray(data[y * (width * size + 1) + 1:(y + 1) * (width * size + 1)])
        for i in range(len(row)):
            left = row[i - size] if i >= size else 0
            corner = before[i - size] if i >= size else 0
            if how == 4:
                estimate = left + before[i] - corner
                nearest = min((left, before[i], corner), key=lambda value: abs(estimate - value))
            row[i] = (row[i] + (0, left, before[i], (left + before[i]) // 2, nearest if how == 4 else 0)[how]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, len(row), size)])
        before = row
    return rows


def check_rendered(folder, text):
    """What is drawn has the colours of the shapes, and nothing is black."""
    if not shutil.which('rsvg-convert'):
        raise Skip('no rsvg-convert')
    ends(run(['rsvg-convert', 'x.svg', '-o', 'x.png'], folder), 0)
    rows = pixels((folder / 'x.png').read_bytes())
    drawn = [pixel for row in rows for pixel in row]
    same(rows[1][1], (255, 255, 255))
    assert drawn.count((0, 0, 0)) == 0, drawn.count((0, 0, 0))
    assert drawn.count((255, 255, 255)) > len(drawn) // 4
    for fill in set(re.findall(r'<(?:rect|polygon)[^>]* fill="#([0-9a-f]{6})"[^>]* height="(?:[4-9]|\d\d)', text)):
        within(tuple(bytes.fromhex(fill)), drawn)


def check_drawing(folder, draw, *arguments):
    draw(folder, *arguments)
    text = (folder / 'x.svg').read_text(encoding='utf-8')
    check_shapes(text)


def check_picture(folder, draw, *arguments):
    draw(folder, *arguments)
    check_rendered(folder, (folder / 'x.svg').read_text(encoding='utf-8'))


def coverage(rows):
    """The part of the picture that each colour covers."""
    drawn = [pixel for row in rows for pixel in row]
    return {colour: count / len(drawn) for colour, count in collections.Counter(drawn).items()}


def check_renderers(folder, draw, *arguments):
    """rsvg-convert and a browser fill areas of the same size with each colour"""
    missing, _, _ = programs()
    if missing or not shutil.which('rsvg-convert'):
        raise Skip('no rsvg-convert, or no browser')
    draw(folder, *arguments)
    text = (folder / 'x.svg').read_text(encoding='utf-8')
    width, height = map(float, re.search(r'width="([0-9.]+)" height="([0-9.]+)"', text).groups())
    ends(run(['rsvg-convert', 'x.svg', '-o', 'x.png'], folder), 0)
    one = coverage(pixels((folder / 'x.png').read_bytes()))
    (folder / 'x.html').write_text('<!DOCTYPE html><meta name="viewport" content="width=device-width">'
                                   '<body style="margin:0"><img src="x.svg" style="display:block">')
    with Browser(folder) as browser:
        browser.resize(math.ceil(width), math.ceil(height))
        browser.open(folder / 'x.html')
        other = coverage(pixels(browser.screenshot()))
    fills = {tuple(bytes.fromhex(fill)) for fill in
             re.findall(r'<(?:rect|polygon|path|circle)[^>]* fill="#([0-9a-f]{6})"', text)}
    assert fills
    for fill in fills:
        a, b = one.get(fill, 0), other.get(fill, 0)
        assert abs(a - b) < 0.004 + 0.08 * max(a, b), (fill, a, b)


for what, how in DRAWINGS.items():
    add_case('%s looks the same in two renderers' % what, check_renderers, *how)
for what, how in DRAWINGS.items():
    add_case('%s has its colours as attributes' % what, check_drawing, *how)
for what, how in DRAWINGS.items():
    add_case('%s is rendered in colours' % what, check_picture, *how)


@case
def pages(folder):
    """drawings in pages, too"""
    ends(run([CLI / 'ptxoffload-sim', ROOT / 'samples/vecadd/run.yaml', '--report=html:x.html'], folder), 0)
    ends(run([CLI / 'ptxoffload-map', MAP, '--plot=y.html'], folder), 0)
    for name in ('x.html', 'y.html'):
        found = re.findall(r'<svg.*?</svg>', (folder / name).read_text(encoding='utf-8'), re.S)
        assert len(found) >= 2 or name == 'x.html' and found, name
        for text in found:
            if 'class="plot"' in text:
                check_shapes(text)


@case
def no_place(folder):
    """a map that does not fit is reported where no report is printed"""
    for option in ('--plot=x.svg', '--plot=x.html', '--rewrite=x.yaml'):
        ends(run([CLI / 'ptxoffload-map', MAP, '--copies=3', option], folder), 1,
             'ptxoffload-map: error: %s: the map is not placed: 3 copies of the map are requested, but only 2 fit\n' % MAP, '')
    done = ends(run([CLI / 'ptxoffload-map', MAP, '--copies=3'], folder), 1, '')
    within(b'not placed: 3 copies', done.out)


main()
