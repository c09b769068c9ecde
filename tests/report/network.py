#!/usr/bin/env python3
"""The page of a network's sweep in a headless browser, opened from a disk and without a network.

usage: network.py BUILD-ROOT

Skipped without Chromium and chromedriver (Debian: chromium, chromium-driver).
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from looks import in_browser, readable
from pages import BUILD
from tap import ends, main, run

SHORT = ('--warmup=200', '--cycles=400', '--sweep=0.02,0.04')


def looks(folder, browser):
    """a desktop and a phone: readable, and nothing but pictures and tables scrolls sideways"""
    ends(run([BUILD / 'cli' / 'ptxoffload-noc', '--config=mesh66_4vc_sif', *SHORT, '--plot=mesh.html'],
             folder), 0)
    browser.open(folder / 'mesh.html')
    readable(browser)


in_browser(looks)
in_browser(looks, True)

main()
