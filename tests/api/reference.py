#!/usr/bin/env python3
"""The contracts of the library's functions are complete, and their pages are those of the headers.

usage: reference.py BUILD-ROOT [--update]: also write docs/reference/library.md
"""
import importlib.util
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, case, ends, main, run, same  # noqa: E402

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADERS = [ROOT / 'include/ptxoffload' / name for name in ('ptxoffload.h', 'models.h')]
DOCUMENT = ROOT / 'docs/reference/library.md'

spec = importlib.util.spec_from_file_location('reference', ROOT / 'api/reference.py')
sys.dont_write_bytecode = True
reference = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reference)
header = reference.Headers(HEADERS)


@case
def contracts(folder):
    """each function has a contract for its text, its parameters and its result"""
    text = re.sub(r'/\*.*?\*/', '', ''.join(path.read_text(encoding='utf-8') for path in HEADERS), flags=re.S)
    declared = re.findall(r'PTXOFFLOAD_API\s[^;]*?(ptxoffload_\w+)\(', text)
    same(sorted(header.functions), sorted(declared))
    same(len(header.functions) > 35, True)
    for name, (contract, declaration) in {**header.functions, **header.callbacks}.items():
        parameters = re.search(r'\((.*)\)', declaration)[1]
        named = [] if parameters == 'void' else [re.search(r'(\w+)$', one)[1] for one in parameters.split(',')]
        same((name, [one for one, _ in contract.parameters]), (name, named))
        same((name, bool(contract.returns)), (name, not re.match(r'(typedef )?void \w', declaration)))
        sentences = [contract.text, contract.returns or '.', *[words for _, words in contract.parameters]]
        same((name, [one for one in sentences if not one.endswith('.')]), (name, []))
        if 'enum ptxoffload_status' in declaration:
            assert 'PTXOFFLOAD_OK' in contract.returns and 'PTXOFFLOAD_BAD_ARGUMENT' in contract.returns, name


@case
def members(folder):
    """structs and enums are described, and structs begin with their size"""
    for name, (contract, rows) in {**header.structs, **header.enums}.items():
        assert contract.text.endswith('.'), name
        same((name, rows[:1] and name in header.structs and rows[0][0] != 'size_t size'), (name, rows[:1] and False))


@case
def document(folder):
    """docs/reference/library.md is that of the headers"""
    made = reference.markdown(header)
    if '--update' in sys.argv:
        DOCUMENT.write_text(made, encoding='utf-8')
    heads = re.findall(r'^### (.*)', made, re.M)
    same(sorted(heads), sorted(['%s()' % name for name in {**header.functions, **header.callbacks}] +
                               ['struct ' + name for name in header.structs] + ['enum ' + name for name in header.enums]))
    assert DOCUMENT.read_text(encoding='utf-8') == made, 'tests/api/reference.py build --update writes it'


@case
def pages(folder):
    """the manual pages are set without a warning"""
    if not shutil.which('groff'):
        raise Skip('no groff')
    for name, (contract, _) in header.functions.items():
        done = ends(run(['groff', '-man', '-Tutf8', '-Kutf8', '-ww', BUILD / 'api' / (name + '.3')], folder), 0, '')
        shown = re.sub('\x1b\\[[0-9;]*m|.\x08', '', done.out.decode())
        for parameter, _ in contract.parameters:
            assert re.search(r'^ +%s\b' % parameter, shown, re.M), (name, parameter)


@case
def doxygen(folder):
    """Doxygen reads the comments without a warning"""
    if not shutil.which('doxygen'):
        raise Skip('no doxygen')
    (folder / 'Doxyfile').write_text('''INPUT = %s
GENERATE_LATEX = NO
GENERATE_HTML = NO
GENERATE_XML = YES
QUIET = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = PTXOFFLOAD_API=
WARN_NO_PARAMDOC = YES
WARN_IF_UNDOCUMENTED = NO
WARN_AS_ERROR = FAIL_ON_WARNINGS
''' % ' '.join(map(str, HEADERS)))
    ends(run(['doxygen'], folder), 0, '', '')


main()
