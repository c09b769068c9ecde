#!/usr/bin/env python3
"""Campaign files: errors and their places, usage, keys in docs/campaign.md.

usage: campaign_files.py BUILD-ROOT [--update]

--update writes the tables of keys in docs/campaign.md instead of comparing them.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, fresh_document, main, same, within
from campaign_lib import CAMPAIGN, ROOT, SAMPLES, campaign, write_campaign

UPDATE = '--update' in sys.argv[2:]
DOCUMENT = ROOT / 'docs' / 'campaign.md'


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
         "this is no YAML: did not find expected ',' or ']' while parsing a flow sequence [run-file]"),
        ('key that is not known', 'title: A', '§titel: A',
         "the file has no key 'titel'; did you mean 'title'? [campaign]"),
        ('needed key', 'name: tiny\n', '§', "the file needs 'name' [campaign]"),
        ('value of another kind', 'workloads:\n', 'workloads: §x\nfigures:\n',
         "'workloads' needs a list, not one value [campaign]"),
        ('name that is taken', '{name: fast,', '{name: §base,', "the name 'base' is taken [campaign]"),
        ('name of a variant', '{name: fast,', '{name: §fa-st,',
         "'fa-st' is not a name of a variant: letters, digits and _, but not ref, plain, min or max "
         '[campaign]'),
        ('option of ptxoffload', 'tag: --fma=split', 'tag: §true',
         "'true' is no option of ptxoffload: [] tags with its defaults [campaign]"),
        ('variant to be like', 'like: fast', 'like: §slow', "there is no variant 'slow' [campaign]"),
        ('workload of a study', 'workloads: [micro, large], variants',
         'workloads: [micro, §larg], variants',
         "there is no workload 'larg'; did you mean 'large'? [campaign]"),
        ('workload of a point', 'group: queue, set: {memory.reply_queue: 8}',
         'group: queue, values: {§NONE: {n: 8}}', 'there is no such workload [campaign]'),
        ('values of a point', 'group: queue, set: {memory.reply_queue: 8}',
         'group: queue, values: {VECADD: §8}', 'values of a workload are NAME: VALUE [campaign]'),
        ('point of a study', 'points: queue, quick', 'points: §qeue, quick',
         "there is no point 'qeue'; did you mean 'queue'? [campaign]"),
        ('definition', 'rate: machine.warp_instructions / cycles',
         'rate: machine.warp_instructions / §cycle', "there is no 'cycle' [campaign]"),
        ('variant in an expression', 'value: base.cycles / fast.cycles',
         'value: base.cycles / §fst.cycles', "there is no 'fst.cycles' [campaign]"),
        ('expression', 'value: base.rate,', 'value: base.rate *§,', 'a value is missing here [campaign]'),
        ('ref. without a reference', 'base.cycles / tagged.cycles', '§ref.base.cycles',
         "'ref.' needs the figure's key 'reference' [campaign]"),
        ('row of the paper', 'mean micro: 19', '§mean: 19', "the figure has no row 'mean' [campaign]"),
        ('number of the paper', 'TRIAD: 4}', 'TRIAD: §four}', 'this is not a number [campaign]'),
        ('expectation', '">= -50"', '§"> -50"',
         'an expectation is written as >= N, <= N or N .. M [campaign]'),
        ('plot', 'plot: lines', 'plot: §line', "there is no 'line' here; did you mean 'lines'? [campaign]"),
        ('run file that is not there', '%(samples)s/triad/run.yaml', '§none.yaml',
         "cannot read 'none.yaml' [campaign]"),
]:
    add_case('what is wrong has a place: ' + name, bad, *values)


@case
def usage(folder):
    """bad usage is exit code 2"""
    hint = "'ptxoffload-campaign --help' explains the options\n"
    ends(campaign(folder), 2,
         'ptxoffload-campaign: error: no command: run, status, report or compare\n' + hint, '')
    ends(campaign(folder, 'walk', 'x.yaml'), 2,
         'ptxoffload-campaign: error: unknown command (run, status, report or compare): walk\n' + hint, '')
    ends(campaign(folder, 'report', 'x.yaml', '--retry'), 2,
         'ptxoffload-campaign: error: only run accepts --retry\n' + hint, '')
    ends(campaign(folder, 'run', 'x.yaml', '--jobs=0'), 2)
    ends(campaign(folder, 'run', 'x.yaml'), 1,
         "ptxoffload-campaign: error: cannot read 'x.yaml': No such file or directory\n", '')


@case
def documented(folder):
    """docs/campaign.md has all keys"""
    table = ends(campaign(folder, '--help=keys-markdown'), 0, '').out.decode()
    text = DOCUMENT.read_text(encoding='utf-8')
    before, rest = text.split('<!-- keys -->\n', 1)
    after = rest.split('<!-- end of keys -->\n', 1)[1]
    made = '%s<!-- keys -->\n%s<!-- end of keys -->\n%s' % (before, table, after)
    fresh_document(DOCUMENT, made, UPDATE, 'tests/sim/campaign_files.py build --update')


main()
