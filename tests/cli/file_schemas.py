#!/usr/bin/env python3
"""The JSON schemas of run files, campaigns and maps accept what the commands accept, and refuse what they refuse.

usage: file_schemas.py BUILD-ROOT [--update]

--update writes the schemas of the documentation anew.
"""
import copy
import json
import os
import pathlib
import random
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from schema import load, validator
from tap import SANITIZED, Skip, add_case, case, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTED = ('run-file', 'campaign-file', 'map-file', 'machine', 'network', 'memory')
REFERENCE = ROOT / 'docs' / 'reference'
DAMAGES = 40 if SANITIZED else 150


def kind_of(path):
    """The kind of a YAML file, or None."""
    if path.name.endswith('.map.yaml'):
        return 'map-file'
    document = load(path.read_text(encoding='utf-8'))
    if not isinstance(document, dict):
        return None
    return 'run-file' if 'program' in document else 'campaign-file' if 'studies' in document else None


def files(kind):
    """The samples and evaluations of this kind."""
    try:
        import yaml  # noqa: F401
    except ImportError:
        raise Skip('no Python module yaml') from None
    return [path for folder in ('samples', 'eval', 'docs') for path in sorted((ROOT / folder).rglob('*.yaml'))
            if kind_of(path) == kind]


def errors_of(valid, document):
    return ['/'.join(map(str, one.absolute_path)) + ': ' + one.message[:300] for one in valid.iter_errors(document)]


def accepts_all(_, kind, least):
    _, valid = validator(BUILD, kind)
    found = files(kind)
    assert len(found) >= least, found
    for path in found:
        same((str(path), errors_of(valid, load(path.read_text(encoding='utf-8')))), (str(path), []))


for kind, least in (('run-file', 90), ('campaign-file', 12), ('map-file', 12)):
    add_case('the schema of a %s accepts all samples and evaluations' % kind, accepts_all, kind, least)


# Damaged files

WORDS = ('x', 'true', 'maybe', '', 'none', 'u32', '1 +', 1, 0, -1, 2.5, True, None, [], {}, ['x'], [1, 2, 3, 4, 5], {'x': 1})


def places(document):
    """(container, key) of all values."""
    found = []
    of = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    for key, value in of:
        found += [(document, key)] + places(value)
    return found


def damage(document, draw, names):
    """Changes the document at one place."""
    container, key = draw.choice(places(document))
    how = draw.choice(('value', 'value', 'remove', 'wrap', 'name', 'more'))
    if how == 'remove':
        del container[key]
    elif how == 'wrap':
        container[key] = draw.choice(([container[key]], {'x': container[key]}, {draw.choice(names): container[key]}))
    elif how == 'name' and isinstance(container, dict):
        container[draw.choice((str(key) + 's', 'x y', *names))] = container.pop(key)
    elif how == 'more' and isinstance(container, dict):
        container[draw.choice(names)] = draw.choice(WORDS)
    else:
        container[key] = draw.choice(WORDS)


def text_of(document):
    """YAML, on one line."""
    return json.dumps(document, ensure_ascii=False).replace(': null', ': ')


def without_nulls(document):
    """A list's null would be the word `null`."""
    return not isinstance(document, list) or None not in document


# What the readers report by the tables: key unknown, missing, without value or of another kind, or a rule.
BY_TABLE = re.compile(r"has no key|error: \S.* needs '|needs (one value|a list|keys with)|has no value|must have keys|"
                      r"needs either 'launches'|must be separate steps|must have one call|exactly one of|"
                      r"exclude each other|must have one of|cannot have initial|either 'register'|'add' needs|"
                      r"it needs a 'buffer'|this needs a '|a repeat needs")
COMMANDS = {
    'run-file': ['ptxoffload-sim', '--functional', '--max-instructions=1', 'damaged.yaml'],
    'campaign-file': ['ptxoffload-campaign', 'status', 'damaged.yaml'],
    'map-file': ['ptxoffload-map', '--quiet', 'damaged.yaml'],
}


def local(document, folder):
    """The document with the paths of a folder as absolute ones."""
    for container, key in places(document):
        value = container[key]
        if isinstance(value, str) and re.search(r'\.(ptx|yaml|npy|md)$', value) and (folder / value).exists():
            container[key] = str(folder / value)
    return document


def sources(kind):
    """Documents to damage: small ones, with all contexts of their keys together."""
    small = {
        'run-file': ('samples/vecadd/run.yaml', 'samples/vecadd/streams.yaml', 'samples/bfs/run.yaml',
                     'eval/runs/copies.yaml'),
        'campaign-file': ('eval/rgpu.yaml', 'eval/full-empty.yaml', 'eval/baseline.yaml'),
        'map-file': ('samples/conv/conv.map.yaml', 'samples/hist/hist.map.yaml'),
    }[kind]
    documents = []
    for path in (ROOT / path for path in small):
        text = re.sub('(trigger|action): (full|fill)', r'\1: none', path.read_text(encoding='utf-8'))
        documents.append(local(load(text), path.parent))
    if kind == 'run-file':
        documents.append(dict(copy.deepcopy(documents[0]), textures={
            't': {'buffer': 'a', 'type': 'f32', 'width': 40, 'height': 20, 'address': ['clamp', 'border'], 'border': [0],
                  'filter': 'linear', 'coordinates': 'texels'},
            's': {'address': 'wrap', 'filter': 'point', 'coordinates': 'normalized'}},
            expect=[{'buffer': 'a', 'fill': 'uniform', 'rtol': 0}]))
    return documents


def refused(folder, kind):
    schema, valid = validator(BUILD, kind)
    names = sorted({name for of in [schema, *schema['$defs'].values()] for name in of.get('properties', ())})
    documents, draw = sources(kind), random.Random(48)
    seen = {}
    for number in range(DAMAGES + len(documents)):
        document = copy.deepcopy(documents[number % len(documents)])
        if number >= len(documents):
            damage(document, draw, names)
        if not all(without_nulls(one) for one in [document] + [box[key] for box, key in places(document)]):
            continue
        text = text_of(document)
        (folder / 'damaged.yaml').write_text(text, encoding='utf-8')
        result = run([BUILD / 'cli' / COMMANDS[kind][0], *COMMANDS[kind][1:]], folder)
        said = result.err.decode()
        # Other faults, of expressions and names, are not in the schema.
        good, by_table = 'damaged.yaml:1:' not in said, bool(BY_TABLE.search(said))
        wrong = errors_of(valid, load(text))
        assert result.code in (0, 1, 3, 4, 5), (text, result)
        if number < len(documents):
            same((text, said if not good else '', wrong), (text, '', []))
        if wrong:
            same((wrong, text, said, good), (wrong, text, said, False))
        elif by_table:
            same((text, said), (text, 'refused by the schema, too'))
        key = (bool(wrong), by_table)
        seen[key] = seen.get(key, 0) + 1
    assert seen[(True, True)] >= DAMAGES // 5 and seen[(False, False)] >= DAMAGES // 10, seen


for kind in COMMANDS:
    add_case('what the schema of a %s refuses the command refuses, and what the tables of keys refuse the schema refuses' %
             kind, refused, kind)


# Documentation

@case
def stored(_):
    """the schemas in docs/reference are those of the build"""
    for kind in DOCUMENTED:
        validator(BUILD, kind)
        made, kept = BUILD / 'cli' / (kind + '.schema.json'), REFERENCE / (kind + '.schema.json')
        if '--update' in sys.argv:
            kept.write_bytes(made.read_bytes())
        assert kept.exists() and kept.read_bytes() == made.read_bytes(), 'differs: file_schemas.py BUILD --update writes it'


def campaign_inputs():
    """Files that campaigns read: stored results are found by their bytes."""
    found = set()
    for path in files('campaign-file'):
        for text in re.findall(r'[\w./-]+\.yaml', path.read_text(encoding='utf-8')):
            found.add((path.parent / text).resolve())
    for path in list(found):
        if path.exists():
            found |= {(path.parent / text).resolve() for text in
                      re.findall(r'[\w./-]+\.map\.yaml', path.read_text(encoding='utf-8'))}
    return found


@case
def modelines(_):
    """samples and campaigns name their schema in a modeline, except what campaigns read"""
    inputs, count = campaign_inputs(), 0
    for kind in COMMANDS:
        for path in files(kind):
            line = '# yaml-language-server: $schema=' + os.path.relpath(REFERENCE / (kind + '.schema.json'), path.parent)
            if path in inputs:
                continue
            if '--update' in sys.argv and line not in path.read_text(encoding='utf-8'):
                path.write_text(line + '\n' + path.read_text(encoding='utf-8'), encoding='utf-8')
            same((str(path), path.read_text(encoding='utf-8').split('\n')[0]), (str(path), line))
            count += 1
    assert count >= 50, count


main()
