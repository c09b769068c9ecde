#!/usr/bin/env python3
"""The metadata documents keep to their schema, and the schema and docs/reference/metadata.md to each other.

usage: schema.py BUILD-ROOT

Checked with the documents of all samples. What needs the Python package jsonschema is skipped
without it.
"""
import json
import os
import pathlib
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / 'docs' / 'reference' / 'metadata.schema.json').read_text(encoding='utf-8'))
TEXT = (ROOT / 'docs' / 'reference' / 'metadata.md').read_text(encoding='utf-8')


def validator():
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        raise Skip('no Python package jsonschema')
    return Draft202012Validator


def resolve(schema):
    while '$ref' in schema:
        schema = SCHEMA['$defs'][schema['$ref'].rsplit('/', 1)[1]]
    return schema


def unknown(schema, value, path):
    """Keys of the document that the schema does not describe."""
    schema = resolve(schema)
    known = dict(schema.get('properties', {}))
    for part in schema.get('allOf', []) + schema.get('oneOf', []):
        known.update(resolve(part).get('properties', {}))
    if isinstance(value, dict):
        for key, member in value.items():
            if key not in known:
                yield '%s.%s' % (path, key)
            else:
                yield from unknown(known[key], member, '%s.%s' % (path, key))
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from unknown(schema.get('items', {}), member, '%s[%d]' % (path, number))


def documents(folder, sample, *more):
    options = ['--metadata=meta.json', '--report=json:report.json', *more]
    ends(run([PROGRAM, sample, '-o', 'out.ptx', *options], folder), 0)
    for name in ('meta.json', 'report.json'):
        yield name, json.loads((folder / name).read_text(encoding='utf-8'))


def check_keys(folder, sample, *more):
    for name, document in documents(folder, sample, *more):
        more = list(unknown(SCHEMA, document, name))
        assert not more, 'not in the schema: %s' % more
        assert ('summary' in document) == (name == 'report.json')


def check_valid(folder, sample, *more):
    checker = validator()(SCHEMA)
    for name, document in documents(folder, sample, *more):
        faults = ['%s: %s' % (fault.json_path, fault.message) for fault in checker.iter_errors(document)]
        assert not faults, '%s: %s' % (name, faults[:5])


@case
def schema_is_one(folder):
    """the schema is one of draft 2020-12"""
    validator().check_schema(SCHEMA)


@case
def schema_refuses(folder):
    """the schema refuses a document whose parts are changed"""
    checker = validator()(SCHEMA)
    (_, document), _ = documents(folder, ROOT / 'samples' / 'libor' / 'libor.ptx')
    block = document['kernels'][0]['blocks'][0]
    for key in list(block):
        kept = block.pop(key)
        assert not checker.is_valid(document), key + ' may be missing'
        block[key] = {}
        assert not checker.is_valid(document), key + ' may be an object'
        block[key] = kept
    assert checker.is_valid(document)


def keys_of(schema):
    for key, member in schema.get('properties', {}).items():
        yield key
        yield from keys_of(member)
    for part in schema.get('oneOf', []) + schema.get('allOf', []) + list(schema.get('$defs', {}).values()):
        yield from keys_of(part)


@case
def described(folder):
    """docs/reference/metadata.md names every key of the schema"""
    words = set(word for quoted in re.findall(r'`([^`]+)`', TEXT) for word in re.split(r'[^a-z0-9_]+', quoted))
    missing = sorted(set(keys_of(SCHEMA)) - words)
    assert not missing, missing


@case
def with_profile(folder):
    """with a profile: every key is in the schema, and it is valid"""
    sample = ROOT / 'samples' / 'kmn'
    ends(run([PROGRAM.parent / 'ptxoffload-sim', '--functional', sample / 'run.yaml',
              '--profile-out=p.json'], folder), 0)
    check_keys(folder, sample / 'kmn.ptx', '--profile=p.json')
    assert json.loads((folder / 'report.json').read_text())['changes']
    check_valid(folder, sample / 'kmn.ptx', '--profile=p.json')


for path in sorted((ROOT / 'samples').glob('*/*.ptx')):
    add_case('%s: every key is in the schema' % path.name, check_keys, path)
    add_case('%s: valid' % path.name, check_valid, path)

if __name__ == '__main__':
    main(os.cpu_count())
