#!/usr/bin/env python3
"""Activity of the SMs over the run of CONV, on the GPU and in the spatial mode, beside [003, Figures 3 and 10].

usage: activity.py BUILD-ROOT --out=FILE.svg [--interval=CYCLES] [--set=KEY=VALUE]...
"""
import argparse
import csv
import pathlib
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORES = 15
# Of each panel: title, values of the run file, and by name the statistic and its most in a cycle of an SM of 700 MHz.
PANELS = (
    ('best version for the GPU: issue slots that are used', 0, {'slots': ('machine.warp_instructions', 2)}),
    ('drawn map: nodes that fire, of 32 cores and 16 load-store units', 1, {
        'float': ('spatial.fired_float', 64), 'int': ('spatial.fired_int', 64), 'ld/st': ('spatial.fired_load', 32)}),
)
COLOURS = {'slots': '#1b6ca8', 'float': '#1b6ca8', 'int': '#c8553d', 'ld/st': '#588157'}
WIDTH, HEIGHT, LEFT, TOP = 760, 150, 60, 40


def measure(build, drawn, interval, settings):
    """The rows of --series"""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / 'series.csv'
        subprocess.run([build / 'cli' / 'ptxoffload-sim', ROOT / 'eval/runs/rgpu-conv.yaml', '--config=rgpu', '-q',
                        '--set=values.drawn=%d' % drawn, '--series=%s' % out, '--interval=%d' % interval,
                        *('--set=' + text for text in settings)], check=True, stdout=subprocess.DEVNULL)
        with open(out, newline='', encoding='utf-8') as file:
            return list(csv.DictReader(file))


def shares(rows, column, most):
    """(cycle at the end, share) of each interval"""
    before, found = 0, []
    for row in rows:
        cycle = int(row['cycle'])
        count = float(row[column])
        if column == 'spatial.fired_load':
            count += float(row['spatial.fired_store'])
        if cycle > before:
            found.append((cycle, count / (most * CORES * (cycle - before))))
        before = cycle
    return found


def steps(points, last, top):
    """The path of a step line"""
    path, x = [], 0
    for cycle, share in points:
        y = top + HEIGHT * (1 - share)
        path.append('%s%.1f %.1f H%.1f' % ('L' if path else 'M', LEFT + WIDTH * x / last, y, LEFT + WIDTH * cycle / last))
        x = cycle
    return ' '.join(path)


def panel(title, lines, last, top):
    text = ['<text x="%d" y="%d">%s</text>' % (LEFT, top - 10, title)]
    for percent in (0, 25, 50, 75, 100):
        y = top + HEIGHT * (1 - percent / 100)
        text.append('<path d="M%d %.1f h%d" stroke="#ddd"/>' % (LEFT, y, WIDTH))
        text.append('<text x="%d" y="%.1f" text-anchor="end">%d %%</text>' % (LEFT - 6, y + 4, percent))
    for number, (name, points) in enumerate(lines.items()):
        text.append('<path d="%s" fill="none" stroke="%s"/>' % (steps(points, last, top), COLOURS[name]))
        text.append('<text x="%d" y="%d" fill="%s">%s</text>' % (LEFT + WIDTH - 50 * (number + 1), top - 10, COLOURS[name], name))
    text.append('<text x="%d" y="%d" text-anchor="end">%d cycles</text>' % (LEFT + WIDTH, top + HEIGHT + 16, last))
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--out', type=pathlib.Path, required=True)
    parser.add_argument('--interval', type=int, default=2000)
    parser.add_argument('--set', action='append', default=[])
    options = parser.parse_args()
    panels = []
    for title, drawn, columns in PANELS:
        rows = measure(options.build.resolve(), drawn, options.interval, options.set)
        panels.append((title, {name: shares(rows, *column) for name, column in columns.items()}))
    last = max(points[-1][0] for _, lines in panels for points in lines.values())
    text = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' %
            (LEFT + WIDTH + 30, len(panels) * (TOP + HEIGHT + 30)),
            '<rect width="100%" height="100%" fill="#fff"/>']
    for number, (title, lines) in enumerate(panels):
        text += panel(title, lines, last, TOP + number * (TOP + HEIGHT + 20))
    options.out.write_text('\n'.join(text + ['</svg>', '']), encoding='utf-8')


main()
