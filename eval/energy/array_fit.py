#!/usr/bin/env python3
"""Fits the model of arrays (runtime-sim/energy/array.c) to the points in array_points.def by least squares of the
logarithms.

usage: array_fit.py runtime-sim/energy/array_points.def >runtime-sim/energy/array_fit.def
"""
import math
import re
import sys

MEASURES = ('read', 'write', 'leakage', 'area')
HEAD = '''// Coefficients of the model of arrays, see runtime-sim/energy/array.c. Written by eval/energy/array_fit.py.
// ARRAY_FIT(kind, measure, constant, log entries, log bits, log ports, log (nm / 45), log^2 bits, log^2 entries,
//           log entries * log bits) // error over the points: rms, most
'''


def terms(kind, entries, bits, reads, nm):
    e, b = math.log(entries), math.log(bits)
    full = [1, e, b, math.log(1 + reads), math.log(nm / 45), b * b, e * e, e * b]
    return [full[i] for i in USED[kind]]


# The CAMs have 64 bits.
USED = {'ARRAY_RAM': range(8), 'ARRAY_CAM': (0, 1, 4)}


def least_squares(rows, values):
    n = len(rows[0])
    a = [[sum(r[i] * r[j] for r in rows) for j in range(n)] + [sum(r[i] * v for r, v in zip(rows, values))]
         for i in range(n)]
    for i in range(n):
        best = max(range(i, n), key=lambda k: abs(a[k][i]))
        a[i], a[best] = a[best], a[i]
        for k in range(n):
            if k != i:
                factor = a[k][i] / a[i][i]
                a[k] = [x - factor * y for x, y in zip(a[k], a[i])]
    return [a[i][n] / a[i][i] for i in range(n)]


def main():
    points = [re.findall(r'^ARRAY_POINT\((\w+), (.*)\)', line) for line in open(sys.argv[1])]
    points = [(p[0][0], [float(x) for x in p[0][1].split(', ')]) for p in points if p]
    sys.stdout.write(HEAD)
    for kind in USED:
        rows = [terms(kind, *p[:4]) for k, p in points if k == kind]
        for number, measure in enumerate(MEASURES):
            values = [math.log(p[4 + number]) for k, p in points if k == kind]
            found = least_squares(rows, values)
            errors = [math.exp(sum(c * x for c, x in zip(found, row)) - v) - 1 for row, v in zip(rows, values)]
            full = [0.0] * 8
            for place, coefficient in zip(USED[kind], found):
                full[place] = coefficient
            print('ARRAY_FIT(%s, %s, %s) // %.1f %%, %.1f %%' % (
                kind, measure, ', '.join('%.5f' % c for c in full),
                100 * math.sqrt(sum(e * e for e in errors) / len(errors)), 100 * max(map(abs, errors))))


if __name__ == '__main__':
    main()
