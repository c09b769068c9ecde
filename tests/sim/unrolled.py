#!/usr/bin/env python3
"""Maps of what a compiler makes of loops and vectors leave the memory that the kernels leave, and are run where they can be.

usage: unrolled.py BUILD-ROOT

unrolled.ptx is unrolled.cu as nvcc makes it: most loops have four iterations at once, and a loop or branches for the rest. A map
requires that no iteration is left.
"""
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from cuda_toolkit import as_made
from tap import add_case, ends, main, run, same
from sample_runs import PROGRAM, TAGGER, same_buffers

PTX = pathlib.Path(__file__).resolve().with_name('unrolled.ptx')
KERNELS = re.findall(r'^\.visible \.entry (\w+)\(', PTX.read_text(), re.M)
AUTOMATIC = ('--config=rgpu', '--set=spatial.automatic=true', '--set=spatial.gain=0', '-v')
# Kernels without a map, and the rule.
REFUSED = {'one_steps': 'map-loop', 'one_norm': 'map-loop', 'one_vectors_unrolled': 'map-lanes'}
# Kernels whose map requires what no launch fulfils: that words of one array differ.
NEVER = ('one_shift', 'one_same', 'all_update_columns')
SIZES = ((64, 16), (128, 4), (65, 17), (66, 16), (64, 18), (63, 19), (67, 4), (4, 4), (8, 12), (3, 2), (1, 1), (0, 5), (40, 0))
# Sizes for which all iterations are done four at once; of other kernels the first of SIZES.
WHOLE = {'one_most': (65, 16), 'one_recurrence': (66, 16), 'one_differences': (65, 16), 'one_below': (65, 16)}


def is_float(kernel):
    body = re.search(r'\.entry %s\((.*?)^}' % kernel, PTX.read_text(), re.M | re.S).group(1)
    return re.search(r'\.global\.(nc\.)?f32', body)


def execute(folder, kernel, size, *options):
    n, m = size
    words = (n + 8) * (m + 8)
    kind = 'f32' if is_float(kernel) else 's32'
    block = 1 if kernel.startswith('one_') else 32
    grid = 1 if block == 1 else max(1, (n + block - 1) // block)
    (folder / 'run.yaml').write_text(
        'program: %s\nbuffers:\n' % PTX +
        ''.join('  %s: {type: %s, count: %d, fill: "range:-9:9:%d"}\n' % (name, kind, words, seed)
                for seed, name in enumerate('abo', n + m)) +
        'launches:\n  - {kernel: %s, grid: %d, block: %d, args: [a, b, o, %d, %d, 0.5]}\n' % (kernel, grid, block, n, m))
    result = ends(run([PROGRAM, 'run.yaml', '--save=o=o.npy', *options], folder), 0)
    return [('o', (folder / 'o.npy').read_bytes())], result.err.decode()


def runs_map(folder, kernel, size):
    """Compares a size. Returns whether the map was run, or why not."""
    expected, _ = execute(folder, kernel, size, '--functional')
    found, err = execute(folder, kernel, size, *AUTOMATIC)
    same_buffers(found, expected, '%s, n %d, m %d' % (kernel, *size))
    again, _ = execute(folder, kernel, size, *AUTOMATIC, '--shuffle=3', '--set=spatial.store_lines=8')
    same_buffers(again, expected, '%s, n %d, m %d, shuffled' % (kernel, *size))
    match = re.search(r"^kernel '%s' (runs a compiled map|runs without a map: (.*))" % kernel, err, re.M)
    assert match, err
    return match.group(2) or True


def check(folder, kernel):
    reasons = {size: runs_map(folder, kernel, size) for size in SIZES}
    whole = WHOLE.get(kernel, SIZES[0])
    reason = reasons[whole] if whole in reasons else runs_map(folder, kernel, whole)
    if kernel in REFUSED:
        assert reason.startswith(REFUSED[kernel]), reason
        return
    same((kernel, reason is True), (kernel, kernel not in NEVER))
    others = [reason for reason in reasons.values() if reason is not True]
    assert all(reason.startswith('the map requires ') for reason in others), reasons
    assert others or 'vector' in kernel, reasons


def condition(folder):
    """a map names the condition that no iteration is left"""
    ends(run([TAGGER, PTX, '--emit=map', '-o', 'out.ptx'], folder), 0)
    text = (folder / 'out.map.yaml').read_text()
    one = re.search(r"^kernel: '?one_prefix'?$.*?^---", text, re.M | re.S).group()
    assert re.search(r'\(s3\) % 4 \+ 4\) % 4\) == 0', one), one
    for kernel, rule in REFUSED.items():
        assert re.search(r'^# %s: .*\[%s\]$' % (kernel, rule), text, re.M), kernel


for name in KERNELS:
    add_case(name, check, name)
add_case('condition', condition)
add_case('as nvcc makes it', as_made, PTX)
main()
