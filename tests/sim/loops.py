#!/usr/bin/env python3
"""Predicted trip counts of the loops that nvcc makes against those that the simulator counts.

usage: loops.py BUILD-ROOT

The kernels of loops.ptx write down each time that control comes to a loop's header, and what the
names in the loop's count stand for then. Each time that a loop is entered is compared.
"""
import array
import collections
import json
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from cuda_toolkit import as_made
from expression import evaluate, names, signed
from tap import add_case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
LOOPS = ROOT / 'tests/sim/loops.ptx'
PROGRAM = BUILD / 'cli/ptxoffload-sim'
NAMES = 7                                   # that one record has room for
PROFILED = 11                               # a size for which every loop is entered
SIZES = (0, 1, 2, 3, 4, 5, 8, PROFILED, 16, 17, 64, 65)
NEGATIVE = (-1, -3)
APART = ((3, 40, 7), (2, 32, 300))          # grid, block, size
STRIDES = ('grid_stride', 'block_stride')   # kernels for which the last is not too long
ROOM = 1200                                 # records, beside those of the size squared

# Kernels that take no size below 0: they would not end, or not find their array.
FROM_ZERO = ('by_argument', 'by_seven_equal', 'differs', 'down_short', 'halves', 'halves_to_four',
             'pointer_differs', 'points_end', 'post_decrement_unsigned', 'rows', 'two_exits',
             'unrolled_by_three', 'unrolled_constant', 'unrolled_with_rest', 'up_byte', 'up_size',
             'up_unsigned', 'walks', 'wraps_below', 'wraps_below_less', 'grid_stride_unsigned')

# Loops that nothing is known of, by kernel and number in the text, and why. It is an error, too, if
# one of them is known.
UNKNOWN = {
    ('doubles', 0): 'a logarithm',
    ('halves', 0): 'a logarithm',
    ('trebles', 0): 'a logarithm',
    ('halves_block', 0): 'a logarithm',
    ('halves_to_four', 0): 'a logarithm',
    ('wraps_below_less', 0): 'goes on until the counter has wrapped around',
    ('breaks', 0): 'ends where memory says so',
    ('two_exits', 0): 'one of two exits compares with !=, and may miss its bound',
    ('returns', 0): 'ends where memory says so',
    ('walks', 0): 'ends where memory says so',
    ('list', 0): 'ends where memory says so',
    ('memory_each_time', 0): 'ends where memory says so',
    ('of_square', 0): 'a square root',
    ('stages', 0): 'a logarithm',
    ('counts_both', 0): 'the bound changes, too',
    ('steps_twice', 0): 'the step depends on memory',
}

# Lines of the text, and of the header's first instruction. `analysis` is a number, an expression or
# None; `first`: a round that only tests is no iteration.
Loop = collections.namedtuple('Loop', 'begin header end analysis names first')


def split():
    """{kernel: its own module}"""
    head, *kernels = re.split(r'^(?=\.visible \.entry )', LOOPS.read_text(), flags=re.M)
    return {re.match(r'\.visible \.entry (\w+)', text)[1]: head + text for text in kernels}


def arguments(n, type_text):
    return ['--arg', 'buf:u32:65536:zero', '--arg', 'buf:u32:65536:zero', '--arg', 'buf:s32:256:c.npy',
            '--arg', '%s:%d' % (type_text, n)]


def write_array(folder, n):
    """What `c` holds"""
    data = array.array('i', [(i + 1) * (n + 1) for i in range(256)])
    header = b"{'descr': '<i4', 'fortran_order': False, 'shape': (256,), }".ljust(117) + b'\n'
    (folder / 'c.npy').write_bytes(b'\x93NUMPY\x01\x00' + len(header).to_bytes(2, 'little') + header +
                                   data.tobytes())


def parameter_type(text):
    """Of the size"""
    return re.search(r'\.param \.([us]\d+) \w+_param_3', text)[1]


def simulate(folder, kernel, text, n, more=(), grid=1, block=1):
    (folder / 'k.ptx').write_text(text)
    write_array(folder, n)
    kind = parameter_type(text)
    if kind[0] == 'u' and n < 0:
        n &= (1 << int(kind[1:])) - 1
    ends(run([PROGRAM, 'k.ptx', '--functional', '--kernel', kernel, '--grid', str(grid), '--block',
              str(block), *arguments(n, kind), '--profile-out=p.json', *more], folder), 0)
    profile, = json.loads((folder / 'p.json').read_text())['kernels']
    return sorted(profile['functions'][-1]['loops'], key=lambda loop: loop['line'])


def label_above(lines, line):
    return next(text[:-1] for text in reversed(lines[:line - 1]) if text.endswith(':'))


def tests_first(lines, begin, header, end):
    """True if an access stands behind the one branch that leaves. The header may stand below others."""
    around = [*range(header, end + 1), *range(begin, header)]
    labels = {lines[i - 1][:-1] for i in around if lines[i - 1].endswith(':')}
    labels.add(label_above(lines, header))
    targets = [re.search(r'@!?%p\d+ bra\s+(\S+);', lines[i - 1]) for i in around]
    leaving = [place for place, target in enumerate(targets)
               if target and (target[1] not in labels or place == len(around) - 1)]
    return len(leaving) == 1 and any('.global' in lines[k - 1] for k in around[leaving[0] + 1:])


def analyse(folder, kernel, text):
    """The loops of the kernel, in the order of the text"""
    profiled = simulate(folder, kernel, text, PROFILED, block=8)
    ends(run([BUILD / 'cli/ptxoffload', 'k.ptx', '-o', 'out.ptx', '--profile=p.json', '-w',
              '--report=json:r.json'], folder), 0)
    told = [m for m in json.loads((folder / 'r.json').read_text())['measurements']
            if m['kind'] == 'loop']
    return [look_at(text.splitlines(), loop['line'], profiled, told) for loop in profiled]


def look_at(lines, header, profiled, told):
    """What is told of the loop: it may begin above its header, with what runs behind that."""
    others = {loop['line'] for loop in profiled} - {header}
    around = [m for m in told if m['line'] <= header <= m['end_line'] and m['line'] not in others]
    at = max(around, key=lambda m: m['line'], default=None)
    assert at, 'nothing is told of the loop in line %d' % header
    analysis = re.sub(r' iterations?$', '', at['analysis'])
    analysis = None if analysis == 'not known' else analysis
    return Loop(at['line'], header, at['end_line'], analysis, sorted(names(analysis or '0')),
                tests_first(lines, at['line'], header, at['end_line']))


def registers(text):
    """{prefix: bits, or 1 of predicates}"""
    return {prefix: 1 if kind == 'pred' else int(kind[1:])
            for kind, prefix in re.findall(r'\.reg \.(\w+)\s+(%[a-z]+)<', text)}


def store_name(text, name, place):
    """Stores what the name stands for, extended with its sign to 64 bits."""
    if name[0] == '[':
        parameter, _, offset = name[1:-1].partition('+')
        bits = int(re.search(r'\.param \.[a-z](\d+) %s\b' % parameter, text)[1]) - 8 * int(offset or 0)
        load = 'ld.param.s%d %%LT%d, %s;' % (bits, bits, name)
    elif re.match(r'%(n?tid|n?ctaid)\.', name):
        bits, load = 32, 'mov.u32 %%LT32, %s;' % name
    else:
        bits = registers(text)[re.match(r'%[a-z]+', name)[0]]
        load = 'selp.b32 %%LT32, 1, 0, %s;' % name if bits == 1 else \
            'mov.b%d %%LT%d, %s;' % (bits, bits, name)
        bits = 32 if bits == 1 else bits
    widen = '' if bits == 64 else 'cvt.s64.s%d %%LT64, %%LT%d;\n' % (bits, bits)
    return '%s\n%sst.global.b64 [%%LOG+%d], %%LT64;\n' % (load, widen, 8 * place)


def written_down(text, loops, room):
    """The same kernel, which writes a record of 64 bytes at each header"""
    lines = text.splitlines()
    for number, loop in reversed(list(enumerate(loops, 1))):
        assert len(loop.names) <= NAMES, loop
        record = 'mov.b64 %%LT64, %d;\nst.global.b64 [%%LOG], %%LT64;\n' % number
        record += ''.join(store_name(text, name, i) for i, name in enumerate(loop.names, 1))
        lines.insert(loop.header - 1, record + 'add.s64 %LOG, %LOG, 64;')
    text = re.sub(r'(_param_3)\n\)', r'\1,\n.param .u64 logged\n)', '\n'.join(lines) + '\n')
    begin = '''{
.reg .b64 %%LOG, %%LT64; .reg .b32 %%LT32, %%LU; .reg .b16 %%LT16;
mov.u32 %%LT32, %%ctaid.x; mov.u32 %%LU, %%ntid.x; mul.lo.s32 %%LT32, %%LT32, %%LU;
mov.u32 %%LU, %%tid.x; add.s32 %%LT32, %%LT32, %%LU; mul.wide.s32 %%LOG, %%LT32, %d;
ld.param.u64 %%LT64, [logged]; cvta.to.global.u64 %%LT64, %%LT64; add.s64 %%LOG, %%LOG, %%LT64;
''' % (64 * room)
    return re.sub(r'^\{\n', lambda match: begin, text, count=1, flags=re.M)


def entries(records, loops):
    """[loop, values of its names, times at its header], for one thread"""
    found, current = [], {}
    for record in records:
        number = record[0] - 1
        loop = loops[number]
        for other, inner in enumerate(loops):
            if loop.begin <= inner.begin and inner.end <= loop.end and loop != inner:
                current.pop(other, None)
        if number not in current:
            current[number] = [loop, dict(zip(loop.names, record[1:])), 0]
            found.append(current[number])
        current[number][2] += 1
    return found


def measure(folder, kernel, text, loops, n, grid=1, block=1):
    """Entries of all threads; profile and records agree on how many there are."""
    room = n * n + ROOM if n <= 65 else n + 8
    size = grid * block * room * 8
    profiled = simulate(folder, kernel, written_down(text, loops, room), n,
                        ['--arg', 'buf:u64:%d:zero' % size, '--save', '4=log.npy'], grid, block)
    log = array.array('q', (folder / 'log.npy').read_bytes()[-8 * size:])
    found = []
    for thread in range(grid * block):
        records = []
        for at in range(8 * room * thread, 8 * room * (thread + 1), 8):
            if not log[at]:
                break
            records.append(log[at:at + 8])
        assert len(records) < room, 'no room'
        found += entries(records, loops)
    if grid * block == 1:
        for loop, counts in zip(loops, profiled):
            mine = [times for at, _, times in found if at is loop]
            same((len(mine), sum(mine)), (counts['entries'], counts['iterations']))
    return found


def runs(kernel, text):
    """(size, grid, block)"""
    sizes = SIZES + (() if kernel in FROM_ZERO else NEGATIVE)
    result = [(n, 1, 1) for n in sizes]
    result += [(n, grid, block) for grid, block, n in APART
               if n < 100 or kernel.startswith(STRIDES)]
    return result


def check(folder, kernel, text, tally):
    loops = analyse(folder, kernel, text)
    same([i for i, loop in enumerate(loops) if loop.analysis is None],
         [i for at, i in UNKNOWN if at == kernel])
    tally['loops'] += len(loops)
    for n, grid, block in runs(kernel, text):
        for loop, values, times in measure(folder, kernel, text, loops, n, grid, block):
            if loop.analysis is None:
                continue
            told = evaluate(loop.analysis, values.__getitem__)
            told_of = kernel, n, loop.header, loop.analysis, dict(values)
            same((told_of, told), (told_of, times - loop.first))
            tally['entries'] += 1


def check_tally(folder, tally):
    """Says how much of all this is known."""
    print('# %d of %d loops are known; compared each of %d times that they were entered' %
          (tally['loops'] - len(UNKNOWN), tally['loops'], tally['entries']))
    for (kernel, loop), why in UNKNOWN.items():
        print('# not known: %s, loop %d: %s' % (kernel, loop + 1, why))
    assert tally['loops'] > 90 and tally['entries'] > 10000, tally


TALLY = collections.Counter()
for name, module in split().items():
    add_case(name, check, name, module, TALLY)
add_case('all loops', check_tally, TALLY)
add_case('as nvcc makes it', as_made, LOOPS)
main()
