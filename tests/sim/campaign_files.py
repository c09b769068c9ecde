#!/usr/bin/env python3
"""Campaign files: errors and their places, usage, keys in docs/reference/campaign.md.

usage: campaign_files.py BUILD-ROOT [--update]

--update writes the tables of keys in docs/reference/campaign.md instead of comparing them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, fresh_document, main, run, same, within
from campaign_lib import CAMPAIGN, ROOT, SAMPLES, SIMULATOR, campaign, write_campaign

UPDATE = '--update' in sys.argv[2:]
DOCUMENT = ROOT / 'docs' / 'reference' / 'campaign.md'


def bad(folder, old, new, text):
    """`§` is where the error is told."""
    within(old, CAMPAIGN)
    wrong = CAMPAIGN.replace(old, new, 1)
    before = (wrong[:wrong.index('§')] % {'samples': SAMPLES}).split('\n')
    write_campaign(folder, wrong.replace('§', ''))
    result = campaign(folder, 'run', 'tiny.yaml')
    same(result.code, 1)
    same(result.err.decode().splitlines()[0],
         'tiny.yaml:%d:%d: error: %s' % (len(before), len(before[-1]) + 1, text))
    assert not (folder / 'tiny.campaign').exists()


for name, *values in [
        ('no YAML', 'name: tiny\ntitle:', 'name: [tiny\ntitle§:',
         "this is not YAML: did not find expected ',' or ']' while parsing a flow sequence [run-file]"),
        ('key that is not known', 'title: A', '§titel: A',
         "the file has no key 'titel'; did you mean 'title'? [campaign]"),
        ('needed key', 'name: tiny\n', '§', "the file needs 'name' [campaign]"),
        ('value of another kind', 'workloads:\n', 'workloads: §x\nfigures:\n',
         "'workloads' needs a list, not one value [campaign]"),
        ('name that is taken', '{name: fast,', '{name: §base,', "the name 'base' is already used [campaign]"),
        ('name of a variant', '{name: fast,', '{name: §fa-st,',
         "'fa-st' is not a name of a variant: letters, digits and _, but not ref, plain, min or max "
         '[campaign]'),
        ('option of ptxoffload', 'tag: --fma=split', 'tag: §true',
         "'true' is not an option of ptxoffload: [] tags with its defaults [campaign]"),
        ('variant to be like', 'like: fast', 'like: §slow', "unknown variant 'slow' [campaign]"),
        ('workload of a study', 'workloads: [micro, large], variants',
         'workloads: [micro, §larg], variants',
         "unknown workload 'larg'; did you mean 'large'? [campaign]"),
        ('workload of a point', 'group: queue, set: {memory.reply_queue: 8}',
         'group: queue, values: {§NONE: {n: 8}}', 'unknown workload [campaign]'),
        ('values of a point', 'group: queue, set: {memory.reply_queue: 8}',
         'group: queue, values: {VECADD: §8}', 'values of a workload must be NAME: VALUE [campaign]'),
        ('point of a study', 'points: queue, quick', 'points: §qeue, quick',
         "unknown point 'qeue'; did you mean 'queue'? [campaign]"),
        ('definition', 'rate: machine.warp_instructions / cycles',
         'rate: machine.warp_instructions / §cycle', "unknown name 'cycle' [campaign]"),
        ('variant in an expression', 'value: base.cycles / fast.cycles',
         'value: base.cycles / §fst.cycles', "unknown name 'fst.cycles' [campaign]"),
        ('expression', 'value: base.rate,', 'value: base.rate *§,', 'a value is missing here [campaign]'),
        ('ref. without a reference', 'base.cycles / tagged.cycles', '§ref.base.cycles',
         "'ref.' needs the figure's key 'reference' [campaign]"),
        ('row of the paper', 'mean micro: 19', '§mean: 19', "the figure has no row 'mean' [campaign]"),
        ('number of the paper', 'TRIAD: 4}', 'TRIAD: §four}', 'this is not a number [campaign]'),
        ('expectation', '">= -50"', '§"> -50"',
         'an expectation must be written as >= N, <= N or N .. M [campaign]'),
        ('plot', 'plot: lines', 'plot: §line', "'line' is not allowed here; did you mean 'lines'? [campaign]"),
        ('run file that is not there', '%(samples)s/triad/run.yaml', '§none.yaml',
         "cannot read 'none.yaml' [campaign]"),
]:
    add_case('what is wrong has a place: ' + name, bad, *values)


MANY = """name: many
workloads: [{name: VECADD, run: %s/vecadd/run.yaml}]
variants: [{name: base}]
points:
%s
studies: [{name: s, workloads: [VECADD], variants: [base], points: [all]}]
"""


def write_many(folder, settings):
    """a campaign with a point for each setting"""
    points = '\n'.join('  - {name: p%d, group: all, set: {%s}}' % item for item in enumerate(settings))
    (folder / 'many.yaml').write_text(MANY % (SAMPLES, points), encoding='utf-8')


def make_tools(folder, script):
    """Tools whose simulator is this script, which writes its arguments to the file `starts`."""
    tools = folder / 'tools'
    tools.mkdir()
    for name, text in (('ptxoffload', ''), ('ptxoffload-sim', 'echo "$@" >>%s/starts\n%s' % (folder, script))):
        (tools / name).write_text('#!/bin/sh\n%s\n' % text, encoding='utf-8')
        (tools / name).chmod(0o755)
    return tools


@case
def many_configurations(folder):
    """one process resolves the configurations of all jobs; a wrong one fails its own job"""
    settings = ['l1.latency: %d' % i for i in range(1, 31)] + ['l1.latency: 1']
    settings[7] = 'l1.latenci: 3'
    write_many(folder, settings)
    tools = make_tools(folder, 'exec %s "$@"' % SIMULATOR)
    listed = ends(campaign(folder, 'run', 'many.yaml', '--dry-run', '--tools=%s' % tools), 3)
    lines = listed.out.decode().splitlines()
    same((folder / 'starts').read_text(encoding='utf-8'), '--print-config-digests\n')
    same(len({line[:12] for line in lines}), 30)
    within("cannot be run  VECADD, base, p7: --set:1:6: error: 'l1' has no key 'latenci'", lines[7])
    within('VECADD, base, p30: the same as VECADD, base, p0', lines[30])
    same([line for line in lines if 'cannot be run' in line], [lines[7]])


def no_answer(folder, script, said):
    write_many(folder, ['l1.latency: 1', 'l1.latency: 2', 'l1.latency: 3'])
    tools = make_tools(folder, script)
    ends(campaign(folder, 'run', 'many.yaml', '--dry-run', '--tools=%s' % tools), 1,
         "ptxoffload-campaign: error: '%s/ptxoffload-sim' does not resolve the configurations: %s\n" %
         (tools, said), '')


for name, *values in [
        ('says nothing', '', 'exit code 0'),
        ('does not know the option', 'echo "tool: error: what is that?" >&2; exit 2', 'tool: error: what is that?'),
        ('is killed after an answer', '%s "$@" | head -n 1; kill -9 $$' % SIMULATOR, 'killed by signal 9'),
        ('answers in another form', '%s "$@" | tr {} "<>"' % SIMULATOR, 'exit code 0'),
]:
    add_case('a simulator is an error that ' + name, no_answer, *values)


@case
def misspelt(folder):
    """a misspelt policy, option or statistic is an error before anything is run"""
    for old, new, text in (
            ('{name: base}', '{name: base, policy: adaptve}', "--policy cannot be 'adaptve': expected baseline, llc,"),
            ('{name: base}', '{name: base, policy: Baseline}', "--policy cannot be 'Baseline'"),
            ('title: A', 'options: [--max-cycels=100]\ntitle: A', "unknown option '--max-cycels'"),
            ('title: A', 'options: [--max-cycles=many]\ntitle: A', "--max-cycles cannot be 'many'")):
        write_campaign(folder, CAMPAIGN.replace(old, new, 1))
        for more in (['--dry-run'], []):
            done = ends(campaign(folder, 'run', 'tiny.yaml', '--study=queue', *more), 3)
            within('ptxoffload-sim: error: ' + text, (done.out + done.err).decode())
    for options, text in (
            ('--fma=splt', "--fma cannot be 'splt'"),
            ('[--cost=tom, --no-reoder]', "unknown option '--no-reoder'; did you mean '--no-reorder'?")):
        write_campaign(folder, CAMPAIGN.replace('tag: --fma=split', 'tag: ' + options, 1))
        for more in (['--dry-run'], []):
            done = ends(campaign(folder, 'run', 'tiny.yaml', *more), 3)
            within('ptxoffload: error: ' + text, (done.out + done.err).decode())
    for old, new, name, line in (
            ('cycles: machine.cycles', 'cycles: machine.cicles', "machine.cicles'; did you mean 'machine.cycles'?", 24),
            ('{name: slowdown, value: base.cycles', '{name: slowdown, value: base.llc_omni.sent + base.cycles',
             "llc_omni.sent'", 52),
            ('machine.warp_instructions', 'core3x.issued', "core3x.issued'", 25)):
        write_campaign(folder, CAMPAIGN.replace(old, new, 1))
        for more in (['--dry-run'], []):
            err = ends(campaign(folder, 'run', 'tiny.yaml', *more), 1).err.decode()
            within("error: no machine of this campaign has the statistic '" + name, err)
            assert err.startswith('tiny.yaml:'), err
    for name in ('core12.issued', 'config.core.schedulers', 'l1_3.reads', 'sample.cycles', 'host.runtime'):
        write_campaign(folder, CAMPAIGN.replace('machine.warp_instructions', name, 1))
        ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run'), 0)
    write_campaign(folder, CAMPAIGN.replace('machine.warp_instructions', 'offload.chains_tagged', 1)
                   .replace('{name: tagged, like: fast,', '{name: tagged, like: fast, policy: llc,'))
    ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run'), 0)


@case
def hidden_configurations(folder):
    """a folder that has the name of a configuration is not taken for it"""
    for name in ('isca19', 'gtx580', 'gtx580.yaml', 'mesh66_4vc_sif', 'gddr5_isca19', 'noc'):
        (folder / name).mkdir()
    tools = SIMULATOR.parent
    (folder / 'mine.yaml').write_text('base: gtx580\n')
    for words in (['ptxoffload-sim', '--config=isca19', '--print-config'],
                  ['ptxoffload-sim', '--config=gtx580.yaml', '--print-config'],
                  ['ptxoffload-sim', '--config=mine.yaml', '--print-config'],
                  ['ptxoffload-noc', '--config=mesh66_4vc_sif', '--print-config'],
                  ['ptxoffload-dram', '--config=gddr5_isca19', '--print-config']):
        ends(run([tools / words[0], *words[1:]], folder), 0, '')
    write_campaign(folder, CAMPAIGN.replace('title: A', 'config: gtx580\ntitle: A', 1))
    within('11 jobs', ends(campaign(folder, 'status', 'tiny.yaml'), 0, '').out.decode())
    err = ends(run([tools / 'ptxoffload-sim', '--config=noc', '--print-config'], folder), 1).err.decode()
    within("there is no configuration 'noc'", err)


@case
def usage(folder):
    """bad usage is exit code 2"""
    hint = "'ptxoffload-campaign --help' explains the options\n"
    ends(campaign(folder), 2,
         'ptxoffload-campaign: error: missing command: run, status, report or compare\n' + hint, '')
    ends(campaign(folder, 'walk', 'x.yaml'), 2,
         'ptxoffload-campaign: error: unknown command (expected run, status, report or compare): walk\n' + hint, '')
    ends(campaign(folder, 'report', 'x.yaml', '--retry'), 2,
         'ptxoffload-campaign: error: only run accepts --retry\n' + hint, '')
    ends(campaign(folder, 'run', 'x.yaml', '--jobs=0'), 2)
    ends(campaign(folder, 'run', 'x.yaml'), 1,
         "ptxoffload-campaign: error: cannot read 'x.yaml': No such file or directory\n", '')


@case
def no_store(folder):
    """what only reads a store makes none, neither of a folder nor of a file"""
    write_campaign(folder)
    (folder / 'mine').mkdir()
    (folder / 'file').write_text('x')
    for store in ('mine', 'file'):
        said = "ptxoffload-campaign: error: the store '%s' does not exist: no job has been run\n" % store
        ends(campaign(folder, 'compare', store, store), 1, said, '')
        ends(campaign(folder, 'report', 'tiny.yaml', '--store=' + store), 1, said, '')
        ends(campaign(folder, 'status', 'tiny.yaml', '--store=' + store), 0, '',
             '11 jobs: 0 done, 0 running, 0 failed, 11 left\n')
        ends(campaign(folder, 'run', 'tiny.yaml', '--dry-run', '--store=' + store), 0)
    same(list((folder / 'mine').iterdir()), [])


@case
def documented(folder):
    """docs/reference/campaign.md has all keys"""
    table = ends(campaign(folder, '--help=keys-markdown'), 0, '').out.decode()
    text = DOCUMENT.read_text(encoding='utf-8')
    before, rest = text.split('<!-- keys -->\n', 1)
    after = rest.split('<!-- end of keys -->\n', 1)[1]
    made = '%s<!-- keys -->\n%s<!-- end of keys -->\n%s' % (before, table, after)
    fresh_document(DOCUMENT, made, UPDATE, 'tests/sim/campaign_files.py build --update')


main()
