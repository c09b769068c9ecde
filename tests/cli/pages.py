#!/usr/bin/env python3
"""Manual pages and completions, short names of options, and --quiet.

usage: pages.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, case, ends, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
CLI = BUILD / 'cli'
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ('ptxoffload', 'ptxoffload-sim', 'ptxoffload-noc', 'ptxoffload-dram', 'ptxoffload-campaign',
            'ptxoffload-lsp', 'ptxoffload-map', 'ptxoffload-run')
SAMPLE = ROOT / 'samples/vecadd'


def need(*names):
    for name in names:
        if not shutil.which(name):
            raise Skip('no ' + name)
    if not (CLI / 'pages').exists():
        raise Skip('built for another processor')


def options_of(command, folder):
    """The names of options that --help lists."""
    text = ends(run([CLI / command, '--help'], folder), 0).out.decode()
    return re.findall(r'^  (?:-\w, )?(--[a-z-]+)', text, re.M)


def is_set(folder, page):
    """A page is set without a warning, and not empty."""
    need('groff')
    done = ends(run(['groff', '-man', '-Tutf8', '-Kutf8', '-ww', page], folder), 0, '')
    plain = re.sub('\x1b\\[[0-9;]*m|.\x08', '', done.out.decode())
    assert 'NAME' in plain and len(plain) > 500, plain
    return plain


def has_all_options(folder, command):
    plain = is_set(folder, CLI / (command + '.1')).replace('‐', '-').replace('−', '-')
    for option in options_of(command, folder):
        assert option in plain, option
    for part in ('SYNOPSIS', 'DESCRIPTION', 'OPTIONS', 'NOTES', 'EXAMPLES', 'SEE ALSO'):
        assert part in plain, part


@case
def dated(_):
    """all manual pages have the version and date of the changelog's first section"""
    need()
    version, date = re.search(r'^## \[([\d.]+)\] - ([\d-]+)$', (ROOT / 'CHANGELOG.md').read_text(encoding='utf-8'), re.M).groups()
    pages = [page for folder in ('cli', 'api') for page in (BUILD / folder).glob('ptxoffload*.[1-8]') if page.is_file()]
    for page in pages:
        head = page.read_text(encoding='utf-8').split('\n')[0].split(' ', 3)
        same((page.name, head[0], head[3]), (page.name, '.TH', '"%s" "ptxoffload %s" "ptxoffload"' % (date, version)))
    assert len(pages) > 50, pages


def completes(folder, command):
    """bash completes options, words of options, and files"""
    need('bash')
    script = CLI / 'completions' / command
    ends(run(['bash', '-n', script], folder), 0, '')
    for option in options_of(command, folder):
        text = """
shopt -s extglob; source "$1"; compopt() { :; }
COMP_WORDS=("$2" "$3"); COMP_CWORD=1; "_${2//-/_}"; printf '%s\\n' "${COMPREPLY[@]}"
"""
        done = ends(run(['bash', '-c', text, 'bash', script, command, option[:-1]], folder), 0, '')
        assert option in done.out.decode().split(), (option, done)


for name in COMMANDS:
    add_case('the manual page of %s has all options' % name, has_all_options, name)
    add_case('bash completes the options of %s' % name, completes, name)
for name in ('ptxoffload-nvcc.1', 'ptxoffload-run-file.5', 'ptxoffload-machine.5', 'ptxoffload-network.5',
             'ptxoffload-memory.5', 'ptxoffload-map-file.5', 'ptxoffload-campaign-file.5', 'ptxoffload-diagnostics.7'):
    add_case('the manual page %s is set' % name, is_set, CLI / name)


@case
def choices(folder):
    """bash completes the words of an option"""
    need('bash')
    text = """
source "$1"; COMP_WORDS=(ptxoffload --tags = p); COMP_CWORD=3; _ptxoffload; echo "${COMPREPLY[@]}"
COMP_WORDS=(ptxoffload --tags pa); COMP_CWORD=2; _ptxoffload; echo "${COMPREPLY[@]}"
"""
    done = ends(run(['bash', '-c', text, 'bash', CLI / 'completions/ptxoffload'], folder), 0, '')
    same(done.out.decode(), 'pragma paper\npaper\n')


# What is typed last, and words among those that are offered; a word before '!' must not be.
LINES = [
    ('ptxoffload --report=', 'text json html'), ('ptxoffload --report=j', 'json text!'), ('ptxoffload --emit=ptx,m', 'ptx,meta ptx,map'),
    ('ptxoffload --machine=isca', 'isca19 isca19-stacks v100!'), ('ptxoffload --diagnostics=s', 'sarif'),
    ('ptxoffload-sim --policy=', 'baseline llc omni adaptive tom-ctrl'), ('ptxoffload-sim --policy=o', 'omni llc!'),
    ('ptxoffload-sim --config=', 'isca19 v100 gtx480 rgpu'), ('ptxoffload-sim --set=core.sched', 'core.schedulers= core.schedule='),
    ('ptxoffload-sim --registers=', 'estimate ptxas'), ('ptxoffload-sim --help=', 'run keys'),
    ('ptxoffload-run --policy=tom-', 'tom-ctrl tom-ideal'), ('ptxoffload-run --check=race,', 'race,uninit'),
    ('ptxoffload-noc --config=', 'noc/mesh88_8vc_islip'), ('ptxoffload-noc --set=noc.v', 'noc.vcs='),
    ('ptxoffload-noc --traffic=', 'uniform transpose hotspot'), ('ptxoffload-dram --config=', 'dram/hbm2'),
    ('ptxoffload-dram --pattern=', 'seq random'), ('ptxoffload-dram --set=dram.ba', 'dram.banks='),
    ('ptxoffload-map --set=spatial.la', 'spatial.lanes= spatial.latency_2='), ('ptxoffload-map --set=', 'core.schedulers=!'),
    ('ptxoffload-campaign ', 'run status report compare'), ('ptxoffload-campaign st', 'status run!'), ('ptxoffload-campaign run --on=', 'host slurm'),
    ('ptxoffload-lsp --color=', 'auto always never'),
]


def offers(offered, words, line):
    for word in words.split():
        assert (word.rstrip('!') in offered) == (not word.endswith('!')), (line, word, offered[:40])


@case
def values_in_bash(folder):
    """bash completes values of options, keys and subcommands"""
    need('bash')
    text = """
source "$1"; compopt() { :; }; id=$2; shift 2
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_${id//-/_}"; printf '%s\\n' "${COMPREPLY[@]}"
"""
    for line, words in LINES:
        command, *rest = line.split(' ')
        typed = [part for word in rest for part in re.split('(=)', word)]
        done = ends(run(['bash', '-c', text, 'bash', CLI / 'completions' / command, command, command, *typed], folder), 0, '')
        offers(done.out.decode().splitlines(), words, line)


@case
def values_in_fish(folder):
    """fish completes the same"""
    need('fish')
    for line, words in LINES:
        text = 'source %s; complete -C%s' % (CLI / (line.split()[0] + '.fish'), "'%s'" % line)
        done = ends(run(['fish', '--no-config', '-c', text], folder, env=dict(os.environ, HOME=str(folder))), 0, None, None)
        found = [row.split('\t')[0] for row in done.out.decode().splitlines()]
        offers([re.sub(r'^--[a-z-]+=', '', word) for word in found], words, line)


@case
def values_in_zsh(folder):
    """the specifications for zsh have the same words"""
    need()
    for line, words in LINES:
        command, *rest = line.split(' ')
        text = (CLI / ('_' + command)).read_text()
        option = rest[-1].split('=')[0] + '=' if '=' in rest[-1] else '1:action'
        found = [row for row in text.splitlines() if row.strip().startswith("'" + option)]
        same((line, len(found)), (line, 1))
        offered = set(re.split(r"[ (){}';]", found[0]))
        for word in words.split():
            if not word.endswith('!'):
                assert word.split(',')[-1] in offered, (line, word)


@case
def all_values(folder):
    """every built-in configuration and every key of a machine is offered"""
    text = (CLI / 'completions/ptxoffload-sim').read_text()
    offered = set(re.search(r"--set\) .*?'' '(.*)'", text)[1].split())
    section, keys = None, set()
    for line in ends(run([CLI / 'ptxoffload-sim', '--print-config', '--config=isca19'], folder), 0).out.decode().splitlines():
        found = re.match(r'(\w+):$|  (\w+):', line)
        section = found[1] if found and found[1] else section
        keys |= {'%s.%s=' % (section, found[2])} if found and found[2] else set()
    assert len(keys) > 100 and keys <= offered, keys - offered
    offered = set(re.search(r"--config\) .*?'' '(.*)'", text)[1].split())
    same(set(ends(run([CLI / 'ptxoffload-sim', '--list-configs'], folder), 0).out.decode().split()), offered)


@case
def folders(folder):
    """bash completes folders alone where an option names one"""
    need('bash')
    (folder / 'in').mkdir()
    (folder / 'in.yaml').write_text('')
    text = """
cd "$2"; source "$1"; COMP_WORDS=(ptxoffload-campaign --store = i); COMP_CWORD=3
_ptxoffload_campaign 2>/dev/null; echo "${COMPREPLY[@]}"
"""
    done = ends(run(['bash', '-c', text, 'bash', CLI / 'completions/ptxoffload-campaign', folder], folder), 0)
    same(done.out.decode(), 'in\n')


@case
def other_shells(folder):
    """zsh and fish read their completions"""
    need()
    found = [shell for shell in ('zsh', 'fish') if shutil.which(shell)]
    if not found:
        raise Skip('no zsh or fish')
    for command in COMMANDS:
        for shell in found:
            file = CLI / {'zsh': '_' + command, 'fish': command + '.fish'}[shell]
            ends(run([shell, '-n', file], folder), 0, '')


def has_short_names(folder, command):
    for brief, name in (('-h', '--help'), ('-V', '--version')):
        same(ends(run([CLI / command, brief], folder), 0, '').out,
             ends(run([CLI / command, name], folder), 0, '').out)


def is_narrow(folder, command):
    text = ends(run([CLI / command, '-h'], folder), 0, '').out.decode()
    same([line for line in text.splitlines() if len(line) > 80], [])


@case
def same_messages(folder):
    """the options of messages are the same in all commands, and so are their errors"""
    shared = ('--max-memory', '--quiet', '-v', '--color', '--version')
    for command in COMMANDS:
        text = ends(run([CLI / command, '--help'], folder), 0, '').out.decode()
        first = ends(run([CLI / COMMANDS[0], '--help'], folder), 0, '').out.decode()
        for option in shared:
            row = re.compile(r'^  (?:-\w, )?%s\b.*\n(?: {24}.*\n)*' % option, re.M)
            same(row.findall(text), row.findall(first))
        said = ends(run([CLI / command, '--color=red', '--max-memory=x'], folder), 2, None, '').err.decode()
        same(said.splitlines()[:2],
             [command + ': error: --color cannot be \'red\': expected auto, always or never',
              command + ': error: --max-memory must be a number of bytes, such as 512M or 8G, or 0 for no limit'])
        said = ends(run([CLI / command, '--max-memory=1023K'], folder), 2, None, '').err.decode()
        same(said.splitlines()[0],
             command + ': error: --max-memory must be at least 1M, or 0 for no limit')


def has_examples(folder, command):
    """Examples begin with the command's name, and use options that exist."""
    text = ends(run([CLI / command, '-h'], folder), 0, '').out.decode()
    examples = text.split('\nExamples:\n')[1]
    lines = [line for line in examples.splitlines() if line.startswith('  ' + command + ' ')]
    assert len(lines) >= 2, examples
    known = set(re.findall(r'(?<![\w-])--?[a-zA-Z][a-z-]*', text.split('\nExamples:\n')[0]))
    for option in re.findall(r'(?<= )--?[a-z][a-z-]*', '\n'.join(lines)):
        assert option in known, option


for name in COMMANDS:
    add_case('%s -h and -V' % name, has_short_names, name)
    add_case('%s --help has examples' % name, has_examples, name)
    add_case('%s --help fits 80 columns' % name, is_narrow, name)


@case
def quiet(folder):
    """with --quiet nothing is printed that was not requested"""
    sim = [CLI / 'ptxoffload-sim', SAMPLE / 'run.yaml']
    assert ends(run(sim, folder), 0).out
    for option in ('-q', '--quiet'):
        ends(run([*sim, option], folder), 0, '', '')
    note = ends(run([*sim, '--policy=omni', '--json=o.json'], folder), 0)
    assert 'note: ' in note.err.decode()
    ends(run([*sim, '--policy=omni', '--json=o.json', '-q'], folder), 0, '', '')
    assert json.loads((folder / 'o.json').read_text())['total']['cycles'] > 0
    tagger = [CLI / 'ptxoffload', SAMPLE / 'vecadd.ptx']
    assert ends(run(tagger, folder), 0, '').out
    ends(run([*tagger, '-q'], folder), 0, '', '')
    assert ends(run([*tagger, '-q', '--report=text'], folder), 0, '').out
    (folder / 'wrong.ptx').write_text('.version 8.0\n.target sm_80\n.entry k() { bra x; }\n')
    assert ends(run([CLI / 'ptxoffload', 'wrong.ptx', '-q'], folder), 1).err


main()
