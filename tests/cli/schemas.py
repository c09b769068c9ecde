#!/usr/bin/env python3
"""The JSON schemas of configurations accept what the commands accept, and refuse what they refuse.

usage: schemas.py BUILD-ROOT
"""
import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from schema import load, validator
from tap import add_case, case, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
CONFIGS = ROOT / 'runtime-sim/configs'
KINDS = {'machine': ('.', 'ptxoffload-sim', ['--print-config']), 'network': ('noc', 'ptxoffload-noc', ['--print-config']),
         'memory': ('dram', 'ptxoffload-dram', ['--print-config'])}


def accepts_all(_, kind):
    _, valid = validator(BUILD, kind)
    files = sorted((CONFIGS / KINDS[kind][0]).glob('*.yaml'))
    assert files
    for file in files:
        errors = [one.message for one in valid.iter_errors(load(file.read_text(encoding='utf-8')))]
        same((file.name, errors), (file.name, []))


def accepts_initial(folder, kind):
    """what --print-config writes is valid"""
    _, valid = validator(BUILD, kind)
    text = run([BUILD / 'cli' / KINDS[kind][1], *KINDS[kind][2]], folder).out.decode()
    document = load(text)
    assert len(document) and sum(len(of or {}) for of in document.values()) > 10, text
    same([one.message for one in valid.iter_errors(document)], [])


for name in KINDS:
    add_case('the schema of a %s accepts all that are built in' % name, accepts_all, name)
    add_case('the schema of a %s accepts what --print-config writes' % name, accepts_initial, name)


def draw_value(draw, key):
    """A value of a key that is allowed or not."""
    kind = key.get('type')
    if 'enum' in key:
        return draw.choice([*key['enum'], 'nothing', 3])
    if kind == 'boolean':
        return draw.choice([True, False, 'maybe', 2])
    if kind == 'array':
        return draw.choice([[int(key['items']['minimum'])], [-1], 'x', 1])
    return draw.choice([key['minimum'], key['maximum'], key['minimum'] - 1, key['maximum'] + 1, 'x', [1]])


@case
def agrees(folder):
    """200 random keys and values are accepted by the schema and by ptxoffload-sim, or by neither"""
    schema, valid = validator(BUILD, 'machine')
    draw, seen = random.Random(5), {True: 0, False: 0}
    for _ in range(200):
        section = draw.choice([name for name, of in schema['properties'].items() if 'properties' in of])
        keys = schema['properties'][section]['properties']
        name = draw.choice([*keys, 'no_such_key'])
        given = draw_value(draw, keys[name]) if name in keys else 1
        if isinstance(given, float):
            if abs(given) > 2**53:
                continue  # a double does not have the next number
            given = int(given) if given == int(given) else given
        text = json.dumps({section: {name: given}})
        (folder / 'machine.yaml').write_text(text)
        said = run([BUILD / 'cli/ptxoffload-sim', '--print-config', '--config=machine.yaml'], folder).err.decode()
        # Conditions between keys are not in the schema: only errors of this line count.
        good = not re.search(r'machine\.yaml:1:', said)
        same((text, said, valid.is_valid(json.loads(text))), (text, said, good))
        seen[good] += 1
    assert min(seen.values()) > 30, seen


main()
