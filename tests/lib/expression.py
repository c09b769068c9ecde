"""What an expression of passes/analysis/trip/trip.h is worth, given what its names stand for."""
import re

WORD = re.compile(r'\s*(\[[^]]*\]|\d+|[%\w$.]+|[-+*/(),])')


def signed(value, bits=64):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(a, b):
    size = abs(a) // abs(b) if b else 0
    return size if (a < 0) == (b < 0) else -size


FUNCTIONS = {
    'min': min, 'max': max, 'and': lambda a, b: a & b, 'or': lambda a, b: a | b,
    'xor': lambda a, b: a ^ b, 'rem': lambda a, b: a - quotient(a, b) * b,
    'shl': lambda a, b: a << b if b < 64 else 0, 'shr': lambda a, b: a >> min(b, 63),
    'if': lambda c, a, b: a if c else b, 'lt': lambda a, b: a < b, 'le': lambda a, b: a <= b,
    'gt': lambda a, b: a > b, 'ge': lambda a, b: a >= b, 'eq': lambda a, b: a == b,
    'ne': lambda a, b: a != b,
}
for _bits in (8, 16, 32):
    FUNCTIONS['s%d' % _bits] = lambda a, bits=_bits: signed(a, bits)
    FUNCTIONS['u%d' % _bits] = lambda a, bits=_bits: a & ((1 << bits) - 1)


class Reader:
    def __init__(self, text, value):
        self.words = WORD.findall(text)
        assert ''.join(self.words) == text.replace(' ', ''), text
        self.value = value
        self.names = set()

    def take(self, *words):
        if self.words and self.words[0] in words:
            return self.words.pop(0)
        return None

    def factor(self):
        word = self.words.pop(0)
        if word.isdigit():
            return int(word)
        if word == '(':
            value = self.sum()
            assert self.take(')')
            return value
        if not self.take('('):
            self.names.add(word)
            return self.value(word)
        arguments = [self.sum()]
        while self.take(','):
            arguments.append(self.sum())
        assert self.take(')')
        return int(FUNCTIONS[word](*arguments))

    def term(self):
        value = self.factor()
        while word := self.take('*', '/'):
            other = self.factor()
            value = signed(value * other if word == '*' else quotient(value, other))
        return value

    def sum(self):
        value = -self.term() if self.take('-') else self.term()
        while word := self.take('+', '-'):
            other = self.term()
            value += other if word == '+' else -other
        return signed(value)


def evaluate(text, value):
    """`value` is called with each name."""
    reader = Reader(text, value)
    result = reader.sum()
    assert not reader.words, text
    return result


def names(text):
    reader = Reader(text, lambda name: 1)
    reader.sum()
    return reader.names
