#!/usr/bin/env python3
"""Mathematical functions and half precision numbers of CUDA compute the right answers.

usage: templates_maths.py BUILD-ROOT

tests/sim/templates has the sources; nvcc compiles them in the test.
"""
import array
import ctypes
import fractions
import math
import os
import random
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, main, same
from template_kernels import CODES, buffer, compiled, execute, launch

# Mathematics

# The most that a result may be wrong, in units in the last place, for f64 and f32, from the CUDA
# programming guide's tables; where x and y are taken from.
FUNCTIONS = {
    'sine': ('sin', 2, 2, (-1e3, 1e3), None), 'cosine': ('cos', 2, 2, (-1e3, 1e3), None),
    'tangent': ('tan', 2, 4, (-1e3, 1e3), None), 'arc_sine': ('asin', 2, 2, (-1, 1), None),
    'arc_tangent': ('atan', 2, 2, (-50, 50), None),
    'arc_tangent_two': ('atan2', 2, 3, (-9, 9), (-9, 9)),
    'hyperbolic_sine': ('sinh', 2, 3, (-80, 80), None),
    'hyperbolic_tangent': ('tanh', 1, 2, (-5, 5), None),
    'exponential': ('exp', 1, 2, (-100, 100), None),
    'exponential_less_one': ('expm1', 1, 1, (-3, 3), None),
    'logarithm': ('log', 1, 1, (0, 100), None), 'logarithm_of_more': ('log1p', 1, 1, (-1, 5), None),
    'logarithm_two': ('log2', 1, 1, (0, 9), None), 'power': ('pow', 2, 4, (0, 20), (-20, 20)),
    'cube_root': ('cbrt', 1, 1, (-1e4, 1e4), None), 'error_function': ('erf', 2, 2, (-4, 4), None),
    'error_rest': ('erfc', 5, 4, (-3, 9), None), 'gamma_function': ('tgamma', 10, 5, (0, 33), None),
    'gamma_logarithm': ('lgamma', 4, 6, (0, 200), None),
    'hypotenuse': ('hypot', 2, 3, (-1e5, 1e5), (-1e5, 1e5)),
    'remainder_of': ('fmod', 0, 0, (-1e6, 1e6), (-7, 7)),
    'quotient': (None, 0, 0, (-1e6, 1e6), (-7, 7)), 'square_root': ('sqrt', 0, 0, (0, 1e6), None),
    'nearest': ('rint', 0, 0, (-20, 20), None), 'downwards': ('floor', 0, 0, (-20, 20), None),
}
SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.5, 1e-30, -1e-40, 1e5, 3e38, -1e37, 1e300, 5e-324,
           1e-310, math.inf, -math.inf, math.nan)
# Digits behind the point, least exponent, what is too large for a number.
FORMATS = {'f64': (52, -1022, math.inf), 'f32': (23, -126, 2.0**128)}


def reference(name):
    if not name:
        return lambda x, y: x / y if y else math.nan if math.isnan(x) or not x else math.copysign(
            math.inf, x) * math.copysign(1, y)
    library = ctypes.CDLL('libm.so.6')
    function = getattr(library, name)
    two = name in ('atan2', 'pow', 'hypot', 'fmod')
    function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * (1 + two)
    return function if two else lambda x, y: function(x)


def write_npy(path, code, values):
    header = repr({'descr': code, 'fortran_order': False, 'shape': (len(values),)}) + '\n'
    data = struct.pack('<%d%s' % (len(values), CODES[code]), *values)
    path.write_bytes(b'\x93NUMPY\x01\x00' + struct.pack('<H', len(header)) + header.encode() + data)


def too_far(kind, got, exact, most):
    """Whether got differs from exact by more than `most` units in the last place of exact."""
    digits, least, beyond = FORMATS[kind]
    if math.isnan(exact):
        return not math.isnan(got)
    if abs(exact) >= beyond:
        return got != math.copysign(math.inf, exact)
    if not exact:
        return got != 0 or math.copysign(1, got) != math.copysign(1, exact)
    if math.isinf(got):  # right if exact is so near
        got = math.copysign(beyond, got)
    exponent = max(math.frexp(exact)[1] - 1, least)
    # A result of f32 is compared with one that is not rounded, one of f64 with libm's, which is wrong
    # by less than a unit itself.
    return abs(got - exact) / math.ldexp(1.0, exponent - digits) > most + \
        (0.5 if kind == 'f32' else most > 0)


def mathematics(folder, kernel):
    name, wide, narrow, x_range, y_range = FUNCTIONS[kernel]
    ptx, function = compiled('maths', 'sm_80'), reference(name)
    random_numbers = random.Random(kernel)
    for kind, code, most in (('f64', '<f8', wide), ('f32', '<f4', narrow)):
        pairs = [(random_numbers.uniform(*x_range), random_numbers.uniform(*(y_range or (1, 2))))
                 for _ in range(3200)]
        pairs += [(x, y) for x in SPECIAL for y in (SPECIAL if y_range else (1.0,))]
        pairs = [pair for pair in pairs if kind == 'f64' or all(
            not math.isfinite(x) or abs(x) < FORMATS['f32'][2] for x in pair)]
        if name == 'lgamma':  # between its zeros the guide promises nothing
            pairs = [pair for pair in pairs if not -12 < pair[0] < -2.2]
        pairs += [(1.0, 1.0)] * (-len(pairs) % 64)
        columns = [array.array(CODES[code], column) for column in zip(*pairs)]
        for column, file in zip(columns, ('x.npy', 'y.npy')):
            write_npy(folder / file, code, column)
        buffers = {'x': {'fill': 'x.npy'}, 'y': {'fill': 'y.npy'}, 'to': buffer(kind, len(pairs))}
        out, _ = execute(folder, ptx, buffers, [launch('%s_%s' % (kernel, kind), len(pairs) // 64, 64,
                                                       ['x', 'y', 'to'])], ['to'])
        wrong = [(x, y, got, function(x, y)) for x, y, got in zip(*columns, out)
                 if too_far(kind, got, function(x, y), most)]
        assert not wrong, '%s: %d wrong: %r' % (kind, len(wrong), wrong[:8])


for kernel in FUNCTIONS:
    add_case('mathematics: ' + kernel.replace('_', ' '), mathematics, kernel)

# Half precision


def bits_of(text):
    """value -> bits, bits -> value of a format of 16 bits"""
    digits, bias = {'half': (10, 15), 'bfloat': (7, 127)}[text]
    top = 2 * bias + 1

    def value(bits):
        exponent, rest = bits >> digits & top, bits & (1 << digits) - 1
        if exponent == top:
            return math.nan if rest else math.copysign(math.inf, -1 if bits >> 15 else 1)
        size = math.ldexp(rest + (exponent > 0) * 2**digits, max(exponent, 1) - bias - digits)
        return -size if bits >> 15 else size

    def bits(exact, negative):
        """The bits of a fraction; `negative` is the sign of a zero."""
        if not exact:
            return 0x8000 * negative
        size, sign = abs(exact), 0x8000 * (exact < 0)
        exponent = max(math.frexp(float(size))[1] - 1, 1 - bias)
        scaled = size / fractions.Fraction(2) ** (exponent - digits)
        whole = round(scaled)  # halves to even
        return sign | min(whole + (exponent + bias - 1 << digits), top << digits)

    return value, bits


def narrow_add(a, b):
    """None: not a number"""
    if math.isfinite(a) and math.isfinite(b):
        return (fractions.Fraction(a) + fractions.Fraction(b),
                math.copysign(1, a) < 0 and math.copysign(1, b) < 0)
    return a + b


def narrow_multiply(a, b):
    if math.isfinite(a) and math.isfinite(b):
        return fractions.Fraction(a) * fractions.Fraction(b), math.copysign(1, a) != math.copysign(1, b)
    return a * b


def narrow_fma(a, b):
    product = narrow_multiply(a, b)
    return (product[0] + 1, False) if isinstance(product, tuple) else product + 1


def narrow(folder, arch, text):
    ptx, count = compiled('narrow', arch), 16384
    value, bits = bits_of(text)
    infinity = {'half': 0x7c00, 'bfloat': 0x7f80}[text]
    x, y, out, wide, _ = execute(
        folder, ptx, {'x': buffer('u16', count, '= 4 * i + i % 4'),
                      'y': buffer('u16', count, '= i * 40503 % 65536'),
                      'to': buffer('u16', 8 * count), 'wide': buffer('f32', 2 * count)},
        [launch(text + '_numbers', count // 256, 256, ['x', 'y', 'to', 'wide'])],
        ['x', 'y', 'to', 'wide'])

    def coded(result):
        if isinstance(result, tuple):
            return bits(*result)
        return None if math.isnan(result) else infinity | 0x8000 * (result < 0)

    def number(code):
        return None if code & 0x7fff > infinity else code

    for i in range(count):
        a, b = value(x[i]), value(y[i])
        greater = number(y[i]) if math.isnan(a) else number(x[i]) if math.isnan(b) or a > b else y[i]
        total = coded(narrow_add(a, b))
        expected = [total, coded(narrow_multiply(a, b)), coded(narrow_fma(a, b)), greater,
                    number(x[i] ^ 0x8000), total, coded(narrow_add(a, -b)), number(x[i] & 0x7fff)]
        got = [number(code) for code in out[8 * i:8 * i + 8]]
        if a == b == 0:
            got[3] = expected[3] = 0
        same((hex(x[i]), hex(y[i]), got), (hex(x[i]), hex(y[i]), expected))
        assert wide[2 * i] == a or math.isnan(wide[2 * i]) and math.isnan(a)
        same(wide[2 * i + 1], 1 if a < b else 2 if a == b else 3)


for arch in ('sm_80', 'sm_90'):
    for text in ('half', 'bfloat'):
        add_case('%s precision (%s)' % (text, arch), narrow, arch, text)

main()
