#!/usr/bin/env python3
"""Documents and help texts agree with the tree and with each other.

usage: documents.py BUILD-ROOT
"""
import collections
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
import unused
from tap import Skip, add_case, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / 'README.md').read_text(encoding='utf-8')
WIDEST = 100
REPEATED = 12  # words


def tracked(*what):
    try:
        done = subprocess.run(['git', 'ls-files', *what], cwd=ROOT, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise Skip('no git repository')
    return done.stdout.decode().split('\n')[:-1]


# Links and lists

def anchors(text):
    """The names of a document's headings, as GitHub makes them."""
    heads = re.findall(r'^#+ (.*)$', text, re.M)
    return {re.sub(r'[^\w\- ]', '', head.lower()).replace(' ', '-') for head in heads}


def prose(text):
    """The text without code, made parts and tables."""
    text = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    text = re.sub(r'<!-- (.*?) -->.*?<!-- end of \1 -->', '', text, flags=re.S)
    return '\n'.join(line for line in text.split('\n') if not line.startswith(('|', '    ')))


@case
def said_once(folder):
    """no section has a heading twice, no document 12 words in a row twice; each table has a head"""
    wrong = []
    for name in documents() + ['CHANGELOG.md']:
        text = (ROOT / name).read_text(encoding='utf-8')
        for section in re.split(r'^## ', text, flags=re.M):
            heads = re.findall(r'^###+ .*$', section, re.M)
            wrong += ['%s: twice: %s' % (name, head) for head in set(heads) if heads.count(head) > 1]
        wrong += ['%s: a table without a head: %s' % (name, table.split('\n')[0])
                  for table in re.findall(r'(?:^\|.*\n)+', text, re.M)
                  if not re.match(r'.*\n\|(?: ?:?-+:? ?\|)+\n', table)]
        words, seen = re.findall(r'[\w`.-]+', prose(text)), {}
        for at in range(len(words) - REPEATED):
            run_of_words = ' '.join(words[at:at + REPEATED])
            if at - seen.setdefault(run_of_words, at) >= REPEATED:
                wrong.append('%s: twice: %s' % (name, run_of_words))
                break
    same(wrong, [])


@case
def links(folder):
    """links between documents lead to files and headings that are there"""
    broken, count = [], 0
    for name in tracked('*.md'):
        text = (ROOT / name).read_text(encoding='utf-8')
        for target in re.findall(r'\]\(([^)\s]+)\)', text):
            path, _, anchor = target.partition('#')
            if '://' in target:
                continue
            count += 1
            # Notes of a campaign become a document among the results.
            folder_of = ROOT / 'docs' / 'results' if name.startswith('eval/') else (ROOT / name).parent
            at = folder_of / path if path else ROOT / name
            if not at.exists() or (anchor and at.suffix == '.md' and
                                   anchor not in anchors(at.read_text(encoding='utf-8'))):
                broken.append('%s: %s' % (name, target))
    same(broken, [])
    assert count > 100, count


@case
def conclusions(folder):
    """each result page opens with its conclusion, whose numbers are on the page"""
    wrong = []
    for name in tracked('docs/results/*.md'):
        parts = (ROOT / name).read_text(encoding='utf-8').split('\n\n', 2)
        if name.endswith('/README.md'):
            continue
        wrong += [] if parts[1].startswith('**') else [name]
        wrong += ['%s: %s' % (name, found) for found in re.findall(r'\d+\.\d+', parts[1]) if found not in parts[2]]
    same(wrong, [])


@case
def papers(folder):
    """docs/results/README.md and the picture of README have the numbers of the result pages"""
    if importlib.util.find_spec('yaml') is None:
        raise Skip('no module yaml')
    ends(run([sys.executable, ROOT / 'eval' / 'overview.py', '--check'], folder), 0, '', '')


def listed(text, head):
    """The words that begin the indented lines below a heading or sentence."""
    block = text.split(head, 1)[1].split('\n\n', 2)[1]
    return re.findall(r'^    (\S+) +\S', block, re.M)


@case
def folders(folder):
    """CONTRIBUTING lists the folders of the tree"""
    there = {name.split('/')[0] for name in tracked() if '/' in name and not name.startswith('.')}
    text = (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    same(sorted(listed(text, 'Each folder is a floor') + listed(text, 'Other folders')), sorted(there))


@case
def floors(folder):
    """CONTRIBUTING lists the floors, from the top, as meson.build links them"""
    build = (ROOT / 'meson.build').read_text()
    steps = re.findall(r'^ *floors \+?= (.*)', build, re.M)
    names = [name for step in steps for name in re.findall(r"'([^']+)'", step)] + ['cli']
    text = (ROOT / 'CONTRIBUTING.md').read_text(encoding='utf-8')
    same(listed(text, 'Each folder is a floor'), names[::-1])
    build += (ROOT / 'cli/meson.build').read_text()
    rooms = re.findall(r'^(?:pass|simulator|command)_rooms = (\[[^]]*\])', build, re.M)
    wanted = [re.findall(r"'([^']+)'", room) for room in rooms]
    found = [re.findall(r'\w+', line) for line in re.findall(r'^    rooms: (.*)', text, re.M)]
    same(sorted(found), sorted(wanted))


# Names

# Folders of what documents speak of; their own words prove nothing.
CODE = ('*.c', '*.h', '*.def', '*.inc', '*.l', '*.y', '*.py', '*.sh', '*.yaml', '*.json', '*.ptx', '*.cu',
        '*.js', '*.html', '*.cmake', '*.mk', 'meson*', '*/meson.build', 'run', '.ci/run', '*/Makefile',
        '*/words', '*.pc', '*.txt')
# Words of other programs, of examples and of the style itself.
FOREIGN = {'--cflags', 'CMAKE_PREFIX_PATH', 'SM2_GTX480', 'SM7_TITANV', 'compute_N', 'cooperative_groups',
           'dram_bnk_indexing_policy', 'dram_write_queue_size', 'gpgpu_l2_rop_latency', 'interval_C',
           'latency_C', 'link9_10', 'sm_90a', 'snake_case'}
# Documents that explain tests may name what only tests have.
OF_TESTS = {'CONTRIBUTING.md', 'docs/design/adding-hardware.md'}
TEST_FOLDERS = ('tests/', 'bench/')
STRING_OR_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
FILE = re.compile(r'(?<![\w./=])[\w.*/-]+/[\w.*-]+\.(?:c|h|def|py|sh|md|yaml|inc|json|tsv)(?![\w.])')
SOURCE = r'^[\w*-]+\.(?:c|h|def|inc|sh)$'
PLACE_HOLDER = re.compile(r'(^|/)[A-Z]+(\.|/|$)')


def words_of(names):
    """How often each word stands in these files; comments in C do not count."""
    words = collections.Counter()
    for path in (ROOT / name for name in names):
        if path.is_file() and path.name != 'documents.py':
            text = path.read_text(encoding='utf-8', errors='replace')
            if path.suffix in ('.c', '.h', '.def', '.inc'):
                text = STRING_OR_COMMENT.sub(lambda found: found.group(1) or ' ', text)
            words.update(re.findall(r'--[a-z][a-z0-9-]+|\w+', text))
    return words


def spans(text):
    """What stands in code font, within lines; blocks of code are commands and examples."""
    text = re.sub(r'^```.*?^```', '', text, flags=re.M | re.S)
    return re.findall(r'`([^`\n]+)`', text)


def names_in(span):
    """Options, words with an underscore, and functions."""
    yield from re.findall(r'(?<![\w-])--[a-z][a-z0-9-]+', span)
    yield from re.findall(r'\b[A-Za-z]\w*_\w*[A-Za-z0-9]\b', span)
    yield from re.findall(r'\b([a-z]\w+)\(', span)


def path_is_there(name, document):
    """In the tree, beside the document, or the end of a path; with * in it any such file."""
    if PLACE_HOLDER.search(name) or name.startswith('build'):
        return True
    places = (ROOT, document.parent)
    return any(next(place.glob(name.rstrip('/')), None) for place in places if name.strip('/')) or \
        any(path.endswith('/' + name) for path in tracked())


def documents():
    return [name for name in tracked('docs/*.md', 'README.md', 'CONTRIBUTING.md')
            if not name.startswith('docs/results/')]


def spans_of(name):
    return spans((ROOT / name).read_text(encoding='utf-8'))


@case
def names(folder):
    """options, keys, symbols and files that documents name are in the tree, and not in tests alone"""
    files = tracked(*CODE)
    product = words_of(name for name in files if not name.startswith(TEST_FOLDERS))
    tests = words_of(name for name in files if name.startswith(TEST_FOLDERS))
    test_files = {name.split('/')[-1] for name in files if name.startswith(TEST_FOLDERS)}
    both, wrong = product + tests, []
    for name in documents():
        for span in spans_of(name):
            of_tests = span.split('/')[-1] in test_files or span.startswith('test-')
            known = both if of_tests or name in OF_TESTS else product
            missing = [word for word in names_in(FILE.sub(' ', span))
                       if not known[word] and not known[word.lstrip('-')] and word not in FOREIGN]
            missing += [path for path in FILE.findall(span) + re.findall(SOURCE, span)
                        if not path_is_there(path, ROOT / name)]
            wrong += ['%s: %s' % (name, word) for word in missing]
    assert not wrong, 'not in the tree, or in tests only:\n' + '\n'.join(sorted(set(wrong)))


# Comments name files of their own floor by the end of the path. Not files: special registers; files of
# libraries.
COMMENT_FILE = re.compile(r'(?<![\w./*<-])(?:[\w*-]+/)*[\w*-]+\.'
                          r'(?:c|h|def|inc|l|y|py|sh|md|cu|cuh)\b(?![\w(/])')
NO_FILE = re.compile(r'(n?tid|n?ctaid)\.y|jansson\.h|meson\.build')


def comments(path):
    """(line, comment) of a source file"""
    text = path.read_text(encoding='utf-8')
    if path.suffix in ('.py', '.sh', '.build') or not path.suffix:
        return [(number, line[line.index('#'):]) for number, line in enumerate(text.split('\n'), 1)
                if re.match(r'\s*#(?!include)', line)]
    found = re.finditer(r'"(?:\\.|[^"\\\n])*"|(//[^\n]*|/\*.*?\*/)', text, re.S)
    return [(text.count('\n', 0, one.start()) + 1, one[1]) for one in found if one[1]]


def file_is_there(name, files):
    return any(fnmatch.fnmatch(file, '*/' + name) or fnmatch.fnmatch(file, name) for file in files)


@case
def files_of_comments(folder):
    """source files that comments name are in the tree"""
    files, wrong, known = tracked(), [], {}
    for name in tracked('*.c', '*.h', '*.def', '*.inc', '*.l', '*.y', '*.py', '*.sh', '*meson.build',
                        'run'):
        for line, comment in comments(ROOT / name):
            for file in COMMENT_FILE.findall(comment):
                if not NO_FILE.fullmatch(file) and not PLACE_HOLDER.search(file) and \
                        not known.setdefault(file, file_is_there(file, files)):
                    wrong.append('%s:%d: %s' % (name, line, file))
    assert len(known) > 100, known
    same(wrong, [])


@case
def functions(folder):
    """functions that documents name have a caller in the product, or wait for one with a reason"""
    allowed = unused.read_allowed()
    idle = {name for _, name in unused.find_all(BUILD)} - {name for _, name in allowed}
    wrong = ['%s: %s' % (name, word) for name in documents() for span in spans_of(name)
             for word in re.findall(r'\w+', span) if word in idle]
    assert not wrong, 'without a caller:\n' + '\n'.join(sorted(set(wrong)))


# Help

HELP = {'ptxoffload': ('', '=warnings'), 'ptxoffload-sim': ('', '=run', '=keys'),
        'ptxoffload-noc': ('', '=keys'), 'ptxoffload-dram': ('', '=keys'),
        'ptxoffload-map': ('', '=keys'),
        'ptxoffload-campaign': ('', '=keys')}


def is_plain(folder, program, topic):
    text = ends(run([BUILD / 'cli' / program, '--help' + topic], folder), 0, '').out.decode()
    assert text.count('\n') > 5, text
    for line in text.splitlines():
        assert not line.startswith(('|', '#')) and '`' not in line and line == line.rstrip(), line
        # Usage lines are longer than a terminal already; texts beside options are not.
        assert len(line) <= WIDEST or line.startswith('usage: '), line
    if topic not in ('=run', '=keys'):
        return
    for block in text.split('\n\n'):
        rows = block.splitlines()[1:]
        starts = {len(re.match(r'  \S+ +|  \S+$| +', row).group()) for row in rows
                  if not re.fullmatch(r'  \S+', row)}
        assert len(starts) == 1, (starts, block)


for command, topics in HELP.items():
    for one in topics:
        add_case('%s --help%s is plain and aligned' % (command, one), is_plain, command, one)


@case
def tables_of_keys(folder):
    """what --help=keys lists is what the tables of the documentation list"""
    for program in ('ptxoffload-sim', 'ptxoffload-noc', 'ptxoffload-dram', 'ptxoffload-campaign'):
        plain, tables = (ends(run([BUILD / 'cli' / program, '--help=keys' + end], folder), 0,
                              '').out.decode() for end in ('', '-markdown'))
        same(re.findall(r'^  (\w+)', plain, re.M), re.findall(r'^\| `(\w+)`', tables, re.M))


# README's commands. What takes long is asked for less of it; ./app is the reader's.
SHORTER = {'ptxoffload-campaign run': ' --dry-run', 'ptxoffload-noc': ' --cycles=500'}


@case
def chain_patterns(folder):
    """docs/reference/chains.md, the schema and the checker of plans have the rows of patterns.def"""
    text = (ROOT / 'passes' / 'base' / 'patterns.def').read_text(encoding='utf-8')
    rows = re.findall(r'^CHAIN_PATTERN\((\d+), "([^"]*)", (\d+), (\d+), (\d+), (\w+), (\w+)\)$', text, re.M)
    same([int(row[0]) for row in rows], list(range(1, text.count('\nCHAIN_PATTERN(') + 1)))
    wanted = ''.join('| %s | `%s` | %s | %s | %s | %s | %s |\n'
                     % (*row[:5], row[5].lower(), row[6].lower()) for row in rows)
    document = (ROOT / 'docs' / 'reference' / 'chains.md').read_text(encoding='utf-8')
    same(''.join(re.findall(r'^\| \d+ \| `.*\n', document, re.M)), wanted)
    checker = (ROOT / 'passes' / 'verify' / 'verify_chain.c').read_text(encoding='utf-8')
    shapes = re.findall(r'\[(\d+)\] = \{(\d), (\d), (\d), SCALAR_(\w+), (\w+)\}', checker)
    scalars = {'NONE': 'NEVER', 'NEEDED': 'ALWAYS', 'OPTIONAL': 'MAYBE'}
    same(str(shapes), str([(row[0], row[2], row[4], row[3], scalars[row[5]],
                            str(row[6] == 'BITMAP').lower()) for row in rows]))
    schema = json.loads((ROOT / 'docs' / 'reference' / 'metadata.schema.json').read_text(encoding='utf-8'))
    same(schema['$defs']['chain']['properties']['pattern']['maximum'], len(rows))


@case
def readme_commands(folder):
    """the commands in the tables of README run; tutorials.py compares the output of its examples"""
    (folder / 'samples').symlink_to(ROOT / 'samples')
    (folder / 'eval').symlink_to(ROOT / 'eval')
    (folder / 'build').mkdir()
    (folder / 'build' / 'cli').symlink_to(BUILD / 'cli')
    (folder / 'in.ptx').symlink_to(ROOT / 'samples/vecadd/vecadd.ptx')
    commands = [line for line in re.findall(r'`(build/cli/ptxoffload[^`]*)`', README) if './app' not in line]
    assert len(commands) >= 6, commands
    for line in commands:
        more = next((SHORTER[name] for name in SHORTER if name in line), '')
        result = run(['sh', '-c', line + more], folder)
        assert result.code == 0, (line, result)
    for name in ('mesh.html', 'conv.html'):
        assert (folder / name).stat().st_size, name


@case
def readme_numbers(folder):
    """numbers that README reports beside a result page are on that page"""
    rows = re.findall(r'^\| .*\]\((docs/results/[\w-]+\.md)\).*$', README, re.M)
    lines = [line for line in README.split('\n') if '](docs/results/' in line and line.startswith('|')]
    assert len(rows) == len(lines) >= 10, rows
    for name, line in zip(rows, lines):
        words = numbers_of(ROOT / name)
        same([one for one in re.findall(r'\d+(?:\.\d+)*', line.replace('[00', '')) if one not in words], [])


def numbers_of(path):
    """The numbers on a page"""
    return set(re.findall(r'\d+(?:\.\d+)*', path.read_text(encoding='utf-8')))


@case
def linked_numbers(folder):
    """a link between result pages whose text is a number has a number of the other page"""
    results = ROOT / 'docs' / 'results'
    links = [(page.name, text, name) for page in results.glob('*.md')
             for text, name in re.findall(r'\[([-+\d., %]+)\]\(([\w-]+\.md)', page.read_text(encoding='utf-8'))]
    assert len(links) >= 6, links
    same([(page, number, name) for page, text, name in links
          for number in re.findall(r'\d+(?:\.\d+)*', text) if number not in numbers_of(results / name)], [])


@case
def readme_install(folder):
    """README says how to build for use"""
    within('--buildtype=release', README)


main()
