#!/usr/bin/env python3
"""Makes an archive from which a shared library exports what the product hides.

usage: export_floor.py AR ARCHIVE OBJECT…

The product is compiled with -fvisibility=hidden, and tests call functions inside a floor. This copies
the objects of a floor into ARCHIVE with every hidden symbol that they define made visible. Only the
visibility in the symbol table changes: the tests run the product's own code. The shared library has
to be linked with -Bsymbolic, since the code expects its symbols in the same file.
"""
import os
import struct
import subprocess
import sys
import tempfile

SYMBOL_TABLE = 2
VISIBILITY, HIDDEN = 3, 2
GLOBAL, WEAK = 1, 2
OBJECT, FUNCTION = 1, 2


class Layout:
    """Where the fields of an ELF file are: (format of the section header's fields, of a symbol's)."""

    def __init__(self, data):
        order = '<' if data[5] == 1 else '>'
        self.wide = data[4] == 2
        self.table_offset = struct.Struct(order + ('Q' if self.wide else 'I'))
        self.table_shape = struct.Struct(order + 'HH')
        self.section = struct.Struct(order + ('IIQQQQIIQQ' if self.wide else 'IIIIIIIIII'))
        self.symbol = struct.Struct(order + ('IBBHQQ' if self.wide else 'IIIBBH'))

    def sections(self, data):
        start = self.table_offset.unpack_from(data, 40 if self.wide else 32)[0]
        size, count = self.table_shape.unpack_from(data, 58 if self.wide else 46)
        if not count:  # more than 65,279: the number is in the first one
            count = self.section.unpack_from(data, start)[5]
        return (self.section.unpack_from(data, start + size * i) for i in range(count))


def export_symbols(data):
    """Makes the hidden functions and objects that the ELF object defines visible, in place."""
    assert data[:4] == b'\x7fELF', 'not an ELF object'
    layout = Layout(data)
    info, other, section = (1, 2, 3) if layout.wide else (3, 4, 5)
    other_at = 5 if layout.wide else 13
    for fields in list(layout.sections(data)):
        if fields[1] != SYMBOL_TABLE:
            continue
        for at in range(fields[4], fields[4] + fields[5], layout.symbol.size):
            symbol = layout.symbol.unpack_from(data, at)
            bound, kind = symbol[info] >> 4, symbol[info] & 15
            if symbol[section] and bound in (GLOBAL, WEAK) and kind in (OBJECT, FUNCTION) and \
                    symbol[other] & VISIBILITY == HIDDEN:
                data[at + other_at] &= ~VISIBILITY


def main(ar, archive, *objects):
    with tempfile.TemporaryDirectory(dir=os.path.dirname(archive) or '.') as folder:
        copies = []
        for number, path in enumerate(objects):
            with open(path, 'rb') as file:
                data = bytearray(file.read())
            export_symbols(data)
            # Objects of the same name come from different folders.
            copies.append('%s/%d-%s' % (folder, number, os.path.basename(path)))
            with open(copies[-1], 'wb') as file:
                file.write(data)
        if os.path.exists(archive):
            os.remove(archive)
        subprocess.run([ar, 'qcsD', archive] + copies, check=True)


if __name__ == '__main__':
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
