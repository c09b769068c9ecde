#!/usr/bin/env python3
"""Time and memory of tagging grow with the size of programs that are large in one way each.

usage: growth.py BUILD-ROOT [SHAPE]…

The shapes are those of bench/growth.py. Between the two sizes time in proportion to the text takes 4
times as long, in proportion to its square 16 times. Memory is counted above that of a small program.
"""
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / 'tests' / 'lib'), str(ROOT / 'bench')]
from tap import add_case, main
import growth

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = str(BUILD / 'cli' / 'ptxoffload')
SMALL, LARGE = 125, 500  # KB
MOST = 9  # times as long
QUICK = 0.1  # seconds: not compared
BYTES = 100  # of memory, for each byte of the text
TRIES = 4
# Their work is bounded, but not at these sizes: a chain may reach over 16,384 instructions.
LATE = {'pressure'}


def grows(folder, shape):
    small, large = growth.text_of(shape, SMALL), growth.text_of(shape, LARGE)
    _, base = growth.measure(PROGRAM, growth.kernel([]), folder)
    base *= len(growth.kernel([]))
    for _ in range(TRIES):
        # The machine may be busy: the first attempt that is fast enough is enough.
        before, _ = growth.measure(PROGRAM, small, folder)
        after, peak = growth.measure(PROGRAM, large, folder)
        memory = peak - base / len(large)
        assert memory < BYTES, '%.0f bytes for each byte of the text' % memory
        if after < QUICK or after * len(small) < before * len(large) * MOST / 4:
            return
    assert shape.__name__ in LATE, '%.2f s, then %.2f s' % (before, after)


for each in growth.SHAPES:
    if not sys.argv[2:] or each.__name__ in sys.argv[2:]:
        add_case(each.__name__, grows, each)

main()
