#!/usr/bin/env python3
"""The pages of docs/results have the numbers of today's programs, as far as two minutes of CPU time show.

usage: results_pages.py BUILD-ROOT

Each number of commits is another seed, so that all cells are compared in the course of time.
"""
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import case, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()


def seed():
    done = subprocess.run(['git', 'rev-list', '--count', 'HEAD'], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout or 0)


@case
def cells_of_pages(folder):
    """cells of all pages, chosen by the number of commits, have the numbers of today"""
    done = subprocess.run([sys.executable, ROOT / 'eval' / 'results.py', BUILD, '--check', '--seed=%d' % seed(), '--jobs=1'],
                          cwd=folder, capture_output=True, text=True, check=False)
    print('\n'.join('# ' + line for line in (done.stdout + done.stderr).splitlines()))
    assert not done.returncode, 'make these pages anew with ./run results PAGE, or find what changed their numbers'


@case
def gains_of_drawn_machines(folder):
    """workloads on machines of eval/sensitivity.jsonl, chosen by the number of commits, have the gains of today"""
    done = subprocess.run([sys.executable, ROOT / 'eval' / 'sensitivity.py', BUILD, '--check=8', '--seed=%d' % seed()],
                          cwd=folder, capture_output=True, text=True, check=False)
    print('\n'.join('# ' + line for line in (done.stdout + done.stderr).splitlines()))
    assert not done.returncode, 'run these machines again with eval/sensitivity.py, or find what changed their numbers'


main()
