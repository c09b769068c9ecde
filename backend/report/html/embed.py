#!/usr/bin/env python3
"""Puts the parts of the HTML report into a C source.

usage: embed.py REPORT.html REPORT.css REPORT.js OUT.c

@CSS@ and @JS@ in the page are replaced by these files; @MODULE@ and @KERNELS@ are where the page is
divided, because what stands there is written at run time.
"""
import sys


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read().strip('\n')


page, css, script = (read(path) for path in sys.argv[1:4])
for text in (css, script):
    # They would end the element that they stand in, or open a comment that hides its end.
    for bad in ('</style', '</script', '<!--'):
        if bad in text.lower():
            sys.exit('embed.py: %s must not stand in a part of the page' % bad)
first, rest = page.replace('@CSS@', css).split('@MODULE@')
second, third = rest.split('@KERNELS@')
third = third.replace('@JS@', script) + '\n'

lines = ['// Made by embed.py from backend/html.', '#include "backend/report/page.h"', '']
parts = [part.encode() for part in (first, second, third)]
for number, part in enumerate(parts):
    lines.append('static const char part_%d[] = {' % number)
    # The bytes of UTF-8 letters are beyond what a signed char holds.
    signed = [byte - 256 if byte > 127 else byte for byte in part]
    lines += ['    ' + ', '.join(map(str, signed[at:at + 20])) + ','
              for at in range(0, len(signed), 20)]
    lines.append('};')
lines.append('const struct page_part page_parts[PAGE_PARTS] = {')
lines += ['    {part_%d, sizeof part_%d},' % (number, number) for number in range(len(parts))]
lines.append('};')
with open(sys.argv[4], 'w', encoding='utf-8') as file:
    file.write('\n'.join(lines) + '\n')
