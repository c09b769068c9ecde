#!/usr/bin/env python3
"""The measures of silicon.py that take longer: bandwidths of L2 and DRAM of the machines after v100.

usage: silicon_slow.py BUILD-ROOT
"""
from silicon import add_cases, main

add_cases(True)
main()
