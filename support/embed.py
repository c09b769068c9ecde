#!/usr/bin/env python3
"""Writes a C file that holds a table of files: embed.py OUT TABLE FOLDER FILE...

Names in the table are the files' paths from FOLDER, without what follows the last dot.
"""
import os
import sys


def constant(byte):
    # A char may be signed.
    return str(byte) if byte < 128 else f"'\\x{byte:02x}'"


def literal(data):
    rows = [data[i:i + 20] for i in range(0, len(data), 20)]
    return ",\n    ".join(",".join(constant(byte) for byte in row) for row in rows + [b"\0\0"])


def main(out, table, folder, files):
    lines = ['#include "support/embed.h"', f"extern const struct embedded {table}[];"]
    rows = []
    for i, path in enumerate(sorted(files)):
        with open(path, "rb") as file:
            data = file.read()
        name = os.path.splitext(os.path.relpath(path, folder))[0]
        lines.append(f"static const char text_{i}[] = {{\n    {literal(data)}}};")
        rows.append(f'    {{"{name}", text_{i}, {len(data)}}},')
    lines += [f"const struct embedded {table}[] = {{", *rows, "    {0, 0, 0},", "};"]
    with open(out, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:])
