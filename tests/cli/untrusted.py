#!/usr/bin/env python3
"""Run files and campaigns of somebody else: where they write, how long they run, what they print.

usage: untrusted.py BUILD-ROOT
"""
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
SIM, CAMPAIGN = BUILD / 'cli' / 'ptxoffload-sim', BUILD / 'cli' / 'ptxoffload-campaign'
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMANDS = ('ptxoffload', 'ptxoffload-sim', 'ptxoffload-noc', 'ptxoffload-dram', 'ptxoffload-campaign',
            'ptxoffload-lsp', 'ptxoffload-map', 'ptxoffload-run')
STORE = ROOT / 'tests' / 'cases' / 'run' / 'store.ptx'
OUTSIDE, TAKEN = 'is outside of the current folder', 'exists and is not a result of an earlier run'


def write_run(folder, save, steps='{kernel: store, grid: 1, block: 32, args: [a]}', name='run.yaml'):
    shutil.copy(STORE, folder / 'store.ptx')
    (folder / name).write_text('program: store.ptx\nbuffers: {a: {type: u32, count: 32%s}}\n'
                               'launches: [%s]\n' % (save and ', save: "%s"' % save, steps))


def sim(folder, *arguments):
    return run([SIM, '--functional', 'run.yaml', *arguments], folder)


def refused(folder, save, why):
    write_run(folder, save)
    err = ends(sim(folder), 1).err.decode()
    within("run.yaml:2:43: error: '%s' %s; --allow-outside permits writing it [run-file]" %
           (save, why), err)


def inner(folder):
    (folder / 'in').mkdir()
    (folder / 'out').mkdir()
    return folder / 'in', folder / 'out'


@case
def saves_below(folder):
    """a run file saves below the current folder"""
    here, out = inner(folder)
    (here / 'sub').mkdir()
    (here / 'away').symlink_to(out)
    (here / 'near').symlink_to('sub')
    (here / 'file.npy').symlink_to(out / 'new.npy')
    (here / 'loop').symlink_to('loop')
    for save in ('../x.npy', '../out/x.npy', str(out / 'x.npy'), 'sub/../../out/x.npy', 'away/x.npy',
                 'file.npy', '/dev/full', '/dev/stdout', '/proc/self/fd/1', '/no/folder/x.npy',
                 'no/../../x.npy', '../in2/x.npy'):
        refused(here, save, OUTSIDE)
    (folder / 'in2').mkdir()
    refused(here, '../in2/x.npy', OUTSIDE)
    same(list(out.iterdir()) + list((folder / 'in2').iterdir()), [])
    for save in ('x.npy', 'sub/x.npy', './sub/../y.npy', 'near/z.npy', str(here / 'w.npy')):
        write_run(here, save)
        ends(sim(here), 0, '', '')
        assert (here / save).is_file(), save
    write_run(here, '-')
    same(ends(sim(here), 0, '').out[:6], b'\x93NUMPY')


@case
def saves_over(folder):
    """a run file saves over results of earlier runs, and over nothing else"""
    header = b"{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }\n"
    theirs = b'\x93NUMPY\x01\x00' + bytes([len(header), 0]) + header + b'1234'
    for name, content in (('text', b'precious'), ('empty', b''), ('data.npy', theirs),
                          ('short.npy', theirs[:9]), ('store.ptx', STORE.read_bytes())):
        (folder / name).write_bytes(content)
        if name != 'store.ptx':
            refused(folder, name, TAKEN)
        else:
            write_run(folder, name)
            ends(sim(folder), 1)
        same((folder / name).read_bytes(), content)
    (folder / 'link').symlink_to('text')
    refused(folder, 'link', TAKEN)
    os.mkfifo(folder / 'pipe')
    refused(folder, 'pipe', 'exists and is not a file')
    (folder / 'folder').mkdir()
    refused(folder, 'folder', 'exists and is not a file')
    for block in ('32', '16'):
        write_run(folder, 'own.npy', '{kernel: store, grid: 1, block: %s, args: [a]}' % block)
        ends(sim(folder), 0, '', '')
    ends(sim(folder, '--save=a=text'), 0, '', '')
    same((folder / 'text').read_bytes()[-128:], (folder / 'own.npy').read_bytes()[-128:])


@case
def saves_anywhere(folder):
    """--allow-outside, and files that the command line names"""
    here, out = inner(folder)
    (out / 'old').write_bytes(b'old')
    write_run(here, '../out/old')
    ends(sim(here, '--save=a=../out/mine.npy'), 0, '', '')
    same((out / 'old').read_bytes(), b'old')
    ends(sim(here, '--allow-outside'), 0, '', '')
    same((out / 'old').read_bytes()[-128:], (out / 'mine.npy').read_bytes()[-128:])
    ends(sim(here, '--save=a=../out/mine.npy', '--json=../out/run.json'), 0, '', '')


@case
def rounds(folder):
    """repeats are bounded"""
    launch = 'launches: [{kernel: store, grid: 1, block: 32, args: [a]}]'
    for steps, message in (
            ('{repeat: {times: 1000001, %s}}' % launch,
             "'times' is 1000001, and the limit is 1000000 rounds; 'max' sets another limit"),
            ('{repeat: {times: 9223372036854775807, %s}}' % launch, "'times' is 9223372036854775807"),
            ('{repeat: {times: 9, max: 8, %s}}' % launch,
             "'times' is 9, and the limit is 8 rounds [no-progress]"),
            ('{repeat: {while: "1", launches: []}}',
             "'1' still holds after 1000000 rounds; 'max' sets another limit"),
            ('{repeat: {while: "1", max: 3, %s}}' % launch, "'1' still holds after 3 rounds [")):
        write_run(folder, '', steps)
        within('error: ' + message, ends(sim(folder), 4).err.decode())
    for steps in ('{repeat: {times: 9, max: 1000000001, %s}}' % launch,
                  '{repeat: {times: 9, max: 0, %s}}' % launch):
        write_run(folder, '', steps)
        within('the limit of rounds is', ends(sim(folder), 1).err.decode())
    write_run(folder, '', '{repeat: {times: 9, max: 9, %s}}, {repeat: {times: 0, %s}}' %
              (launch, launch))
    ends(sim(folder), 0, '')


@case
def printed(folder):
    """nothing of a file is obeyed by a terminal"""
    for text in ('"\\e[31m": 1\n', 'program: "\\e]0;x\\a.ptx"\n', 'values: {"\\x9b": 1}\n',
                 'program: x.ptx\nlaunches: [{kernel: "a\\x1bb", grid: 1, block: 1}]\n'):
        (folder / 'run.yaml').write_text(text)
        (folder / 'c.yaml').write_text('name: "\\e[31m"\n' + text)
        for command in ([SIM, 'run.yaml'], [CAMPAIGN, 'run', 'c.yaml']):
            err = ends(run(command, folder), 1).err
            within(b'a value contains a control character', err)
            assert not any(byte < 32 and byte != 10 for byte in err) and b'\xc2\x9b' not in err, err
    err = ends(run([SIM, 'a\x1b[31m.yaml'], folder), 1).err
    assert b'\x1b' not in err, err


# Campaigns

TEXT = '''name: tiny
%s
workloads: [{name: W, run: %s, %s}]
variants: [{name: base}, {name: tagged, tag: %s}]
studies: [{name: s, workloads: W, variants: [base, tagged]}]
'''


def write_campaign(folder, more='', run_file='run.yaml', values='values: {}', tag='[]'):
    (folder / 'c.yaml').write_text(TEXT % (more, run_file, values, tag))


def campaign(folder, *arguments):
    return run([CAMPAIGN, 'run', 'c.yaml', '--jobs=1', *arguments], folder)


@case
def campaign_options(folder):
    """options in a campaign write no files"""
    here, out = inner(folder)
    write_run(here, '')
    (here / 'words').write_text('--json=../out/x')
    for option in ('--json=../out/x', '--stats=../out/x', '--series=../out/x', '--trace=../out/x',
                   '--profile-out=../out/x', '--checkpoint=../out/x', '--save=a=../out/x',
                   '--allow-outside', '@words'):
        write_campaign(here, more='options: ["%s"]' % option)
        within("c.yaml: 'options' has %s, which may write files; --allow-outside permits it" %
               option.split('=')[0], ends(campaign(here), 1).err.decode())
    write_campaign(here, more='options: [--json, ../out/x]')
    within("'options' has --json", ends(campaign(here), 1).err.decode())
    write_campaign(here, values='sample: --json=../out/x')
    within("c.yaml: 'sample' of workload 'W' has --json", ends(campaign(here), 1).err.decode())
    for option in ('-o../out/x', '--metadata=../out/x', '--report=html:../out/x', '--emit=elf', '-MD',
                   '-MF../out/x', '--diagnostics=json:../out/x', '@words'):
        write_campaign(here, tag='["%s"]' % option)
        within("c.yaml: 'tag' of variant 'tagged' has %s" % option.split('=')[0].split('.')[0],
               ends(campaign(here), 1).err.decode())
    same(list(out.iterdir()), [])
    write_campaign(here, more='options: [--trace=../out/x]')
    ends(campaign(here, '--allow-outside'), 0)
    assert (out / 'x').is_file()
    write_campaign(here, more='options: [--max-cycles=1000000]', tag='[--fma=split]')
    ends(campaign(here), 0, '')


FORMS = ('../out/x', 'x.html', 'json:../out/x', 'html:x', 'advise:../out/x', 'a=../out/x')
TOOLS = {'ptxoffload-sim': ('options', 'sample'), 'ptxoffload': ('tag',)}


def listed_options(tool, folder):
    """(name, whether it takes an argument) of each option, by all its names."""
    text = ends(run([BUILD / 'cli' / tool, '--help'], folder), 0).out.decode()
    for brief, name, argument in re.findall(r'^  (-\w, )?(--?[\w-]+)(\S* ?\S*)', text, re.M):
        for spelled in filter(None, (brief[:2], name)):
            yield spelled, bool(argument.strip())


def words_with(name, takes_argument):
    """Command lines with the option."""
    if not takes_argument:
        return [[name]]
    joint = '=' if name.startswith('--') else ''
    return [[name + joint + form] for form in FORMS] + [[name, FORMS[0]], [name]]


def write_words(folder, key, words):
    words = '[%s]' % ', '.join('"%s"' % word for word in words)
    write_campaign(folder, more='options: %s' % (words if key == 'options' else '[]'),
                   values='sample: %s' % (words if key == 'sample' else '[]'),
                   tag=words if key == 'tag' else '[]')
    text = (folder / 'c.yaml').read_text()
    text = text.replace('{name: base}', '{name: base, sample: yes}')
    only = 'tagged' if key == 'tag' else 'base'
    (folder / 'c.yaml').write_text(text.replace('variants: [base, tagged]', 'variants: ' + only))


@case
def campaign_all_options(folder):
    """no option of a command in a campaign writes a file, in any form of its argument"""
    here, out = inner(folder)
    write_run(here, '')
    files = {path.name for path in here.iterdir()} | {'c.yaml', 'tiny.campaign'}
    for tool, keys in TOOLS.items():
        options = list(listed_options(tool, folder))
        assert len(options) > 40, options
        for name, takes_argument in options:
            for words in words_with(name, takes_argument):
                write_words(here, keys[0], words)
                campaign(here)
                left = {path.name for path in here.iterdir()} - files, list(out.iterdir())
                same((words, *left), (words, set(), []))


def file_options(tool, folder):
    """name -> reads, writes or permits: as the table of options says"""
    if not (BUILD / 'cli' / 'pages').exists():
        raise Skip('built for another processor')
    rows = ends(run([BUILD / 'cli' / 'pages', 'files', tool], folder), 0, '').out.decode().split('\n')
    return dict(row.split()[1:] for row in rows if row)


@case
def campaign_marked_options(folder):
    """each option that the tables mark as writing is refused by its name, wherever it stands"""
    here, _ = inner(folder)
    write_run(here, '')
    for tool, keys in TOOLS.items():
        options = dict(listed_options(tool, folder))
        for name, kind in file_options(tool, folder).items():
            for key in keys if kind != 'reads' else ():
                value = [name, FORMS[0]] if options[name] else [name]
                write_words(here, key, ['--quiet', *value])
                within(' has %s, which may write files; --allow-outside permits it' % name,
                       ends(campaign(here), 1).err.decode())


@case
def file_tables(folder):
    """docs/reference/files.md lists the options of all commands that concern files"""
    text = (ROOT / 'docs' / 'reference' / 'files.md').read_text(encoding='utf-8')
    listed = {}
    for command, kind, names in re.findall(r'^\| `(ptxoffload[\w-]*)` \| (\w+) \| (.*) \|$', text, re.M):
        for name in re.findall('`(-[^`]*)`', names):
            assert (command, name) not in listed, name
            listed[command, name] = kind
    made = {(tool, name): kind for tool in COMMANDS for name, kind in file_options(tool, folder).items()}
    same(listed, made)
    for tool in COMMANDS:
        text = ends(run([BUILD / 'cli' / tool, '--help'], folder), 0).out.decode()
        for name, words in re.findall(r'^  (?:-\w, )?(--?[\w-]+)[ =]?(\S*(?:FILE|OUT|FOLDER)\S*)', text, re.M):
            within((tool, name), made)


@case
def campaign_runs(folder):
    """run files of a campaign save below the current folder"""
    here, out = inner(folder)
    write_run(here, '../out/x.npy')
    write_campaign(here)
    within(OUTSIDE, ends(campaign(here), 3).err.decode())
    same(list(out.iterdir()), [])
    ends(campaign(here, '--allow-outside', '--retry'), 0)
    same([path.name for path in out.iterdir()], ['x.npy'])


@case
def campaign_words(folder):
    """no name in a campaign becomes an option or a response file"""
    here, out = inner(folder)
    for name in ('@evil.yaml', '--json=x.yaml'):
        write_run(here, '', name=name)
        write_campaign(here, run_file='"%s"' % name)
        ends(campaign(here), 0, '')
    write_run(here, '')
    (here / 'run.yaml').write_text((here / 'run.yaml').read_text().replace('store.ptx', '"@p.ptx"'))
    (here / '@p.ptx').write_bytes(STORE.read_bytes())
    (here / 'p.ptx').write_text('--metadata=../out/x')
    write_campaign(here)
    ends(campaign(here), 0, '')
    for key in ('@words', '--json=../out/x', '-v', 'a b', ''):
        write_campaign(here, values='values: {"%s": 1}' % key)
        within('a key must be a single word of letters, digits, _ and dots',
               ends(campaign(here), 1).err.decode())
    same(list(out.iterdir()), [])
    for name in ('../x', '/x', 'a/b'):
        write_campaign(here)
        (here / 'c.yaml').write_text((here / 'c.yaml').read_text().replace('tiny', name))
        within('a name must not contain a slash', ends(campaign(here), 1).err.decode())


@case
def campaign_links(folder):
    """a store that came with a campaign leads nowhere"""
    here, out = inner(folder)
    (out / 'keep').mkdir()
    (out / 'keep' / 'file').write_text('precious')
    (out / 'notes').write_text('precious')
    write_run(here, '')
    write_campaign(here)
    store = here / 'tiny.campaign'
    store.symlink_to(out)
    within("'tiny.campaign' is a link, not the folder of a store",
           ends(campaign(here), 1).err.decode())
    store.unlink()
    for part in ('running', 'results'):
        store.mkdir()
        (store / part).symlink_to(out)
        within("'tiny.campaign/%s' is a link" % part, ends(campaign(here), 1).err.decode())
        (store / part).unlink()
        for left in store.iterdir():
            left.rmdir()
        store.rmdir()
    (store / 'running').mkdir(parents=True)
    (store / 'running' / 'abc').symlink_to(out / 'keep')
    (store / 'running' / 'def').symlink_to(out / 'notes')
    (store / 'lock').symlink_to(out / 'lock')
    ends(campaign(here), 1)
    (store / 'lock').unlink()
    (store / 'campaign.sqlite').symlink_to(out / 'notes')
    ends(campaign(here), 0, '')
    same(sorted(str(path.relative_to(out)) for path in out.rglob('*')), ['keep', 'keep/file', 'notes'])
    same([(out / 'notes').read_text(), (out / 'keep' / 'file').read_text()], ['precious'] * 2)
    ends(campaign(here, '--store=../out/chosen'), 0)


@case
def campaign_reports(folder):
    """what comes from a campaign file is text in its reports"""
    evil = '<script>x</script> a|b `c` [l](javascript:x) \\\\ &lt; "q"'
    text = TEXT % ('title: \'%s\'' % evil, 'run.yaml', 'group: \'%s\'' % evil, '[]') + '''
notes: notes.md
figures:
  - {name: f, title: 'T %(e)s', source: 'S %(e)s', text: 'P %(e)s', workloads: ['%(e)s'],
     columns: [{name: 'C %(e)s', value: base.machine.cycles}]}
''' % {'e': evil}
    write_run(folder, '')
    (folder / 'notes.md').write_text('# N\n<img src=x onerror=y> 1 < 2\n\n{f}\n')
    (folder / 'c.yaml').write_text(text.replace('workloads: W,', "workloads: ['%s']," % evil))
    ends(campaign(folder), 0, '')
    report = [CAMPAIGN, 'report', 'c.yaml', '--markdown=r.md', '--html=r.html', '--csv=r.csv', '--text=-']
    ends(run(report, folder), 0, '')
    (folder / 'c.yaml').write_text((folder / 'c.yaml').read_text().replace('notes: notes.md\n', ''))
    ends(run([*report[:3], '--markdown=all.md'], folder), 0, '')
    page, notes, whole = ((folder / name).read_text() for name in ('r.html', 'r.md', 'all.md'))
    for written in (page, notes, whole):
        for part in ('<script>x', '<img'):
            assert part not in written, part
    same(page.count('<script'), page.count('</script>'))
    within('&lt;img src=x onerror=y> 1 < 2', notes)
    for written in (notes, whole):
        assert '](java' not in written, written
        rows = [line for line in written.splitlines() if line.startswith('|')]
        same({line.replace('\\|', '').count('|') for line in rows}, {3})
    within('# &lt;script>x&lt;/script> a\\|b \\`c\\` [l]\\(javascript:x) ', whole)
    import csv
    with open(folder / 'r.csv', newline='') as lines:
        same({len(row) for row in csv.reader(lines)}, {11})


main()
