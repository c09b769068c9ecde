#!/usr/bin/env python3
"""Comments, messages and documents keep to the project's words.

usage: words.py [ROOT]

Each row of WORDS is a pattern that is not used, and what to write instead. docs/reference/glossary.md has the
project's words. ROOMS are the folders and files that are checked; the others still have some of
these words. A line that needs one of them for another reason is in ALLOWED.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import Skip, add_case, main, same

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[1]

WORDS = (
    (r'first[- ]level', 'L1'),
    (r'last[- ]level', 'LLC'),
    (r'turn(s|ed)? down', 'reject'),
    (r'tell(s|_\w+)?|told', 'report, print, return'),
    (r'wish(es|ed)?(_\w+)?', 'request'),
    (r'weigh(s|ed|_all)?', 'evaluate, compare, cost'),
    (r'census|tall(y|ies)(_\w+)?', 'count'),
    (r'doubts?', 'check'),
    (r'mend(s|ed|_\w+)?', 'recover'),
    (r'whom?', 'name the component'),
    (r'nobody|somebody', 'name the component'),
    (r'so many', 'this many, N'),
    (r'is none|are none|there are not', 'not, no'),
    (r'lanes (part|meet)|parts? lanes', 'diverge, reconverge'),
    (r'(go(es|ing|ne)?|went) on', 'continue'),
    (r'on (its|their) way', 'in flight'),
)
# A comment begins with the subject or a verb: "Returns true if …".
START = re.compile(r'^\s*//\s*(What|Who|Whose|Of|True:|False:|Is|Does|May)(?!\w)')
ROOMS = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'docs', 'include', 'api', 'lsp', 'cli', 'campaign',
         'report', 'tools', 'tagger', 'backend', 'passes', 'support', 'frontend', 'ir', 'eval', 'runtime-sim')
# Not checked: files of these rooms whose words belong to other rooms, or to a document's history.
EXEMPT = ('docs/results/',)
ALLOWED = (
    ('docs/reference/glossary.md', 'shared last-level cache'),
    ('docs/reference/simulator.md', '(`weighed`)'),
    ('runtime-sim/schemes/llc_omni/adaptive.c', 'stats->weighed'),  # the name of a statistic
    ('runtime-sim/schemes/llc_omni/chain_stats.def', '(weighed,'),
    ('runtime-sim/schemes/llc_omni/llc_omni.c', '"weighed"'),
)
TEXTS = ('.c', '.h', '.def', '.md', '.py')


def files(room):
    try:
        done = subprocess.run(['git', 'ls-files', room], cwd=ROOT, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise Skip('no git repository')
    return [name for name in done.stdout.decode().split('\n')
            if name.endswith(TEXTS) and not name.startswith(EXEMPT)]


def generated(text):
    """The text without the tables of keys, which come from .def files of other rooms."""
    return re.sub(r'<!-- keys.*?<!-- end of keys', lambda m: '\n' * m[0].count('\n'), text,
                  flags=re.S)


def check(folder, room):
    found = []
    for name in files(room):
        text = generated((ROOT / name).read_text(encoding='utf-8'))
        for number, line in enumerate(text.split('\n'), 1):
            for pattern, instead in WORDS:
                word = re.search(r'(?<![\w`])(%s)(?![\w`])' % pattern, line, re.I)
                if word and not any(name == file and part in line for file, part in ALLOWED):
                    found.append('%s:%u: "%s": say %s' % (name, number, word[0], instead))
            if name.endswith(('.c', '.h', '.def')) and START.match(line):
                found.append('%s:%u: a comment begins with a subject or a verb' % (name, number))
    same(found, [])


for one in ROOMS:
    add_case('%s uses the words of the glossary' % one, check, one)
main()
