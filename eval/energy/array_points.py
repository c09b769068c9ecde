#!/usr/bin/env python3
"""Runs CACTI 7 for arrays of several sizes and writes them as rows of runtime-sim/energy/array_points.def.

usage: array_points.py CACTI-FOLDER >runtime-sim/energy/array_points.def

CACTI-FOLDER has a built CACTI (github.com/HewlettPackard/cacti) and its cache.cfg, from which all
settings come that the rows below do not replace.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Entries, bytes of each, additional read ports, nm.
RAMS = [
    (32, 32, 0, 45), (64, 8, 0, 45), (64, 32, 0, 45), (64, 128, 0, 45), (128, 32, 0, 45),
    (256, 4, 0, 45), (256, 8, 0, 45), (256, 32, 0, 45), (256, 128, 0, 45), (1024, 4, 0, 45),
    (1024, 32, 0, 45), (1024, 128, 0, 45), (4096, 32, 0, 45), (4096, 128, 0, 45),
    (64, 32, 1, 45), (256, 4, 1, 45), (256, 32, 1, 45), (1024, 32, 1, 45), (1024, 128, 1, 45),
    (64, 32, 0, 32), (256, 32, 0, 32), (1024, 128, 0, 32), (4096, 128, 0, 32),
    (64, 32, 0, 22), (256, 32, 0, 22), (1024, 128, 0, 22), (4096, 128, 0, 22),
    (64, 32, 0, 65), (256, 32, 0, 65), (1024, 128, 0, 65), (4096, 128, 0, 65),
]
CAMS = [(32, 8, 45), (64, 8, 45), (128, 8, 45), (256, 8, 45), (64, 8, 32), (128, 8, 22)]
HEAD = '''// Arrays as CACTI 7 gives them, to which runtime-sim/energy/array.c is fitted. Written by eval/energy/array_points.py.
// HP cells at 360 K, the organisation with the least ED^2, no ECC.
// ARRAY_POINT(kind, entries, bits, additional read ports, nm, read or search pJ, write pJ, leakage mW,
//             area mm2)
'''


def settings(text, **replaced):
    for name, value in replaced.items():
        pattern = {
            'size': r'^-size \(bytes\).*', 'block': r'^-block size \(bytes\).*', 'ways': r'^-associativity.*',
            'reads': r'^-exclusive read port.*', 'nm': r'^-technology \(u\).*', 'bus': r'^-output/input bus width.*',
            'type': r'^-cache type.*', 'ecc': r'^-Add ECC.*', 'searches': r'^-search port.*',
            'tag': r'^-tag size \(b\).*'}[name]
        text, count = re.subn(pattern, value, text, flags=re.M)
        if not count:
            text += '\n' + value
    return text


def value(text, pattern):
    found = re.search(pattern + r'[^:]*:\s*([-\d.e+]+)', text)
    if not found:
        sys.exit('array_points.py: no %r in the output of CACTI:\n%s' % (pattern, text[-2000:]))
    return float(found.group(1))


def run(folder, text):
    with tempfile.NamedTemporaryFile('w', suffix='.cfg') as file:
        file.write(text)
        file.flush()
        return subprocess.run(['./cacti', '-infile', file.name], cwd=folder, check=True, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout


def main():
    folder = pathlib.Path(sys.argv[1])
    base = re.sub(r'^//.*\n', '', (folder / 'cache.cfg').read_text(), flags=re.M)
    sys.stdout.write(HEAD)
    for entries, width, reads, nm in RAMS:
        out = run(folder, settings(
            base, size='-size (bytes) %d' % (entries * width), block='-block size (bytes) %d' % width,
            ways='-associativity 1', reads='-exclusive read port %d' % reads, nm='-technology (u) %.3f' % (nm / 1000),
            bus='-output/input bus width %d' % (8 * width), type='-cache type "ram"', ecc='-Add ECC - "false"'))
        print('ARRAY_POINT(ARRAY_RAM, %d, %d, %d, %d, %.4g, %.4g, %.4g, %.4g)' % (
            entries, 8 * width, reads, nm, 1000 * value(out, r'Total dynamic read energy per access \(nJ\)'),
            1000 * value(out, r'Total dynamic write energy per access \(nJ\)'),
            value(out, r'Total leakage power of a bank'),
            value(out, r'Data array: Area \(mm2\)')))
    for entries, width, nm in CAMS:
        out = run(folder, settings(
            base, size='-size (bytes) %d' % (entries * width), block='-block size (bytes) %d' % width,
            ways='-associativity 0', nm='-technology (u) %.3f' % (nm / 1000),
            bus='-output/input bus width %d' % (8 * width), type='-cache type "cam"', ecc='-Add ECC - "false"',
            searches='-search port 1'))
        print('ARRAY_POINT(ARRAY_CAM, %d, %d, 0, %d, %.4g, %.4g, %.4g, %.4g)' % (
            entries, 8 * width, nm, 1000 * value(out, r'Total dynamic associative search energy per access \(nJ\)'),
            1000 * value(out, r'Total dynamic write energy per access \(nJ\)'),
            value(out, r'Total leakage power of a bank'), value(out, r'CAM array: Area \(mm2\)')))


if __name__ == '__main__':
    main()
