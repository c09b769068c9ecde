"""Texts with errors and warnings, and the rules of faults without a text, for tests.
"""
import json
import pathlib
import re
import sys

from tap import run

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload'
ROOT = pathlib.Path(__file__).resolve().parents[2]

HEAD = b'.version 8.0\n.target sm_75\n.address_size 64\n'
# Line 6: a warning; line 7: letters of two, three and four bytes, which are worth a warning as well,
# and an error.
BOTH = HEAD + '''.entry k()
{
\tfrob.b32;
/*é漢😀*/ add.s32 1 2;
\tret;
}
'''.encode()
WARNED = HEAD + b'.entry k()\n{\n\tfrob.b32;\n\ttwiddle.b32;\n\tret;\n}\n'
GOOD = HEAD + b'.entry k()\n{\n\tret;\n}\n'


def check(folder, *options, text=WARNED, **settings):
    (folder / 'in.ptx').write_bytes(text)
    return run([PROGRAM, 'in.ptx', '--check', *options], folder, **settings)


def heads(result):
    """The lines that say what is wrong, without excerpts."""
    return [line for line in result.err.decode().splitlines() if re.match(r'\S', line)]


def schema_of(form):
    path = {'json': ROOT / 'docs' / 'reference' / 'diagnostics.schema.json',
            'sarif': ROOT / 'tests' / 'cli' / 'sarif.schema.json'}[form]
    return json.loads(path.read_text(encoding='utf-8'))


# Faults that have no place in a text: arguments, rule.
NO_TEXT = {
    'a missing file': (['none.ptx'], 'file'),
    'a file that is no PTX': (['zipped'], 'not-ptx'),
    'a module of a text': (['good.ptx', '--module=1'], 'module-choice'),
    'several modules': (['elf64', '-o', 'x.ptx'], 'module-choice'),
    'an output that cannot be written': (['good.ptx', '-o', 'none/x'], 'file'),
    'an unknown name': (['good.ptx', '-Wnone', '--check'], 'unknown-warning'),
    'memory that runs out': (['large.ptx'], 'memory'),
}
