#!/usr/bin/env python3
"""Counts the chains that the tagger finds in PTX files, and the rules that reject loads.

usage: programs_chains.py PTXOFFLOAD [OPTION…] FILE.ptx…

OPTION is one of ptxoffload, for instance --fma=split. A file of a suite is made by nvcc -ptx.
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile


def kernels_of(program, options, path, to):
    done = subprocess.run([program, path, '-o', '/dev/null', '-w', '--metadata=%s' % to, *options], capture_output=True)
    return json.loads(to.read_text())['kernels'] if done.returncode == 0 else []


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    options = [word for word in sys.argv[2:] if word.startswith('--')]
    paths = [word for word in sys.argv[2:] if not word.startswith('--')]
    with tempfile.TemporaryDirectory() as folder:
        files = [kernels_of(sys.argv[1], options, path, pathlib.Path(folder) / 'tags.json') for path in paths]
    kernels = [kernel for file in files for kernel in file]
    rules, within = collections.Counter(), collections.Counter()
    for kernel in kernels:
        found = [one['rule'] for one in kernel['rejected'] if one['kind'] == 'load']
        rules.update(found)
        within.update(set(found))
    print('%d files, %d without a chain; %d kernels, %d without; %d chains' % (
        len(files), sum(not any(kernel['chains'] for kernel in file) for file in files), len(kernels),
        sum(not kernel['chains'] for kernel in kernels), sum(len(kernel['chains']) for kernel in kernels)))
    for rule, count in within.most_common():
        print('%-20s %6d loads in %4d kernels' % (rule, rules[rule], count))


main()
