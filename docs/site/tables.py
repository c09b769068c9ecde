"""Pages that are made of tables: names of options, keys, statistics and rules; claims of the results."""
import pathlib
import re
import subprocess

STRING = r'"(?:[^"\\]|\\.)*"'
STRINGS = r'(?:%s\s*)+' % STRING


def joined(strings):
    """The text of adjacent strings of C, as a cell of a table."""
    text = ''.join(part[1:-1] for part in re.findall(STRING, strings))
    text = text.replace('\\n', ' ').replace('\\"', '"').replace('\\\\', '\\')
    return re.sub(r'([|<>*_])', r'\\\1', ' '.join(text.split()))


def options(root):
    for path in sorted((root / 'cli').rglob('*.[ch]')):
        text = path.read_text(encoding='utf-8')
        for found in re.finditer(r'\{"(--[a-z][\w-]*)",(.*?)\.help\s*=\s*(%s)' % STRINGS, text, re.S):
            if '{"--' not in found.group(2):
                yield found.group(1), joined(found.group(3)), path


def rows(root, form):
    """Names and last texts of rows whose macro has the form."""
    for path in sorted(root.rglob('*.def')):
        text = re.sub(r'^\s*//.*$', '', path.read_text(encoding='utf-8'), flags=re.M)
        for found in re.finditer(r'^%s\("?([\w-]+)"?,((?:[^()"]|%s|\([^()]*\))*)\)' % (form, STRING), text, re.M):
            texts = re.findall(STRINGS, found.group(2))
            if texts:
                yield found.group(1), joined(texts[-1]), path


def rules(root):
    """Rules that reject, and those of messages."""
    for path, form in ((root / 'passes/base/rules.def', r'^(?:PLAN|MAP)_RULE\(\w+, ("[\w-]+"), (%s)'),
                       (root / 'support/diag_rules.def', r'^\w+\((?:\w+, )?("[\w-]+"), (?:\w+, )*(%s)')):
        for found in re.finditer(form % STRINGS, path.read_text(encoding='utf-8'), re.M):
            yield found.group(1)[1:-1], joined(found.group(2)), path


def names_page(root):
    """All names with what they mean, in Markdown."""
    parts = ['# Names', '', 'Options of the programs, keys of machines, statistics and rules, from the tables of the sources. '
             '`--help=keys`, `--list-stats` and `--help` of the programs print the same with defaults and ranges.']
    for title, found in (('Options', options(root)), ('Keys', rows(root / 'runtime-sim', r'CONFIG_\w+')),
                         ('Statistics', rows(root / 'runtime-sim', r'STAT_\w+')), ('Rules', rules(root))):
        parts += ['', '## ' + title, '', '| name | meaning | table |', '|---|---|---|']
        parts += sorted({'| `%s` | %s | %s |' % (name, text, path.relative_to(root)) for name, text, path in found})
    return '\n'.join(parts) + '\n'


def claim(root, page):
    """(sentence, date, command) of a page of results; a part that it does not have is empty."""
    text = page.read_text(encoding='utf-8')
    bold = re.search(r'\*\*(.+?)\*\*', text, re.S)
    made = re.search(r'Made by `([^`]+)`', text) or re.search(r'`([^`]+)`\s+(?:writes|made|makes) this page', text) or \
        re.search(r'^    ((?:eval|bench|tests)/\S+.*|\./run .*)$', text, re.M) or \
        re.search(r'`((?:ptxoffload-campaign|eval/|bench/|tests/|\./run)[^`]*)`', text)
    dates = re.findall(r'\b20\d\d-\d\d-\d\d\b', text)
    if not dates:
        relative = pathlib.PurePosixPath('docs/results') / page.name
        done = subprocess.run(['git', '-C', root, 'log', '-1', '--format=%cs', '--', relative], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        dates = done.stdout.decode().split()
    sentence = ' '.join(bold.group(1).split()) if bold else ''
    sentence = re.sub(r'\]\(#', '](%s#' % page.name, sentence)
    return sentence, max(dates, default=''), made.group(1).split(' with version')[0] if made else ''


def claims(root, folder):
    """A table of what each page of results claims, with date and command."""
    lines = ['## Claims', '', '| page | claim | date | command |', '|---|---|---|---|']
    for page in sorted(folder.glob('*.md')):
        if page.name != 'README.md':
            title = re.search(r'^# (.+)$', page.read_text(encoding='utf-8'), re.M).group(1)
            sentence, date, command = claim(root, page)
            lines.append('| [%s](%s) | %s | %s | `%s` |' % (title, page.name, sentence.replace('|', '\\|'), date, command))
    return '\n'.join(lines) + '\n'
