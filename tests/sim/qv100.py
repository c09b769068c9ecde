#!/usr/bin/env python3
"""The machine qv100-gpgpusim beside rows of GPGPU-Sim 4.2: the same instructions, sectors and DRAM requests; near cycles.

usage: qv100.py BUILD-ROOT
"""
import argparse
import csv
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
sys.path.insert(0, str(ROOT / 'eval'))
import modern
from tap import add_case, case, main, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
RATIOS = []


def options(*settings):
    return argparse.Namespace(build=BUILD, data=modern.DATA, config='qv100-gpgpusim', set=list(settings))


def beside(folder, row):
    found = modern.compare(row, modern.measure(options(), row))
    for column in modern.COUNTS:
        same((column, found[column][0]), (column, found[column][1]))
    ratio = modern.ratio(*found['cycles'])
    RATIOS.append(ratio)
    assert .8 < ratio < 1.25, '%.3f of the cycles' % ratio


with open(modern.DATA / 'qv100.tsv', encoding='utf-8', newline='') as file:
    ROWS = list(csv.DictReader(file, delimiter='\t'))
for table_row in ROWS:
    add_case('%(row)s, %(memory)s' % table_row, beside, table_row)


@case
def mean(folder):
    """the geometric mean of max(r, 1/r) is at most 1.08, and nine of ten rows are within 15 %"""
    same(len(RATIOS), len(ROWS))
    product = 1
    for ratio in RATIOS:
        product *= max(ratio, 1 / ratio)
    assert product ** (1 / len(RATIOS)) <= 1.08, RATIOS
    assert sum(abs(ratio - 1) <= .15 for ratio in RATIOS) >= .9 * len(RATIOS), RATIOS


@case
def without_sectors(folder):
    """a machine without accesses by sector leaves the limits"""
    row = next(row for row in ROWS if row['row'] == 'm-scatter')
    found = modern.compare(row, modern.measure(options('core.sector_requests=false'), row))
    assert found['l1 sectors'][0] != found['l1 sectors'][1]


main()
