#!/usr/bin/env python3
"""ptxoffload-run --offload=OPTIONS: the options of ptxoffload, and its files.

usage: tagging.py BUILD-ROOT
"""
import json
import re

import lib
from tap import add_case, case, ends, main, run, same, within

CUDA = lib.BUILD / 'cli' / 'cuda'
SUMS = '''.version 7.0
.target sm_70
.address_size 64
.visible .entry sums(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<6>;
    .reg .f32 %f<5>;
    .reg .b64 %d<9>;
    ld.param.u64 %d1, [a];
    ld.param.u64 %d2, [b];
    ld.param.u64 %d3, [c];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ntid.x;
    mov.u32 %r4, %tid.x;
    mad.lo.u32 %r5, %r2, %r3, %r4;
    setp.ge.u32 %p1, %r5, %r1;
    @%p1 bra done;
    cvta.to.global.u64 %d1, %d1;
    cvta.to.global.u64 %d2, %d2;
    cvta.to.global.u64 %d3, %d3;
    mul.wide.u32 %d4, %r5, 4;
    add.u64 %d5, %d1, %d4;
    add.u64 %d6, %d2, %d4;
    add.u64 %d7, %d3, %d4;
    ld.global.f32 %f1, [%d6];
    ld.global.f32 %f2, [%d7];
    ld.global.f32 %f3, [%d5];
    fma.rn.f32 %f4, %f1, %f2, %f3;
    st.global.f32 [%d5], %f4;
done:
    ret;
}
'''


# Its kernel computes the same without a chain: it loads each value twice.
PLAIN = SUMS.replace('sums(', 'plain(').replace('    fma', '''    ld.global.f32 %f1, [%d6];
    ld.global.f32 %f2, [%d7];
    fma''').replace('.global.f32 %f', '.volatile.global.f32 %f')


def make(folder):
    for name, text in ('sums', SUMS), ('more', SUMS.replace('sums(', 'more(')), ('plain', PLAIN):
        (folder / (name + '.ptx')).write_text(text)
    if not (folder / 'tagged').exists():
        ends(run(['cc', '-w', '-o', 'tagged', lib.PROGRAMS / 'tagged.c', CUDA / 'libcuda.so.1'], folder), 0)


def tagged(folder, options, *more, modules=('sums',)):
    make(folder)
    return lib.simulate(folder, './tagged', '--offload' + ('=' + options if options else ''), *more,
                        arguments=['.' if len(modules) == 1 else folder.resolve(), *modules])


def offloaded(folder, options):
    """chains that the run tagged"""
    ends(tagged(folder, options, '--policy=omni', '--json=out.json', '-q'), 0, '', '0 0\n')
    return json.loads((folder / 'out.json').read_text())['total']['offload']['chains_tagged'] or 0


@case
def fma(folder):
    """--fma decides whether the multiply-add is divided, and so what is offloaded"""
    same(offloaded(folder, ''), 0)
    same(offloaded(folder, '--fma=fused'), 0)
    assert offloaded(folder, '--fma=split') > 0
    same(offloaded(folder, '--fma=split --min-saving=1000'), 0)


# Options of the analysis, as the command and a run have them.
SETS = ['', '--fma=split', '--fma=saving --no-reorder', '--cost=tom --candidates=loops,blocks', '--block=128',
        '--restrict --fma=split --min-saving=-3', '--maps --threads=2', '--tags=full --fma=split', '--tags=comment',
        "--capability=unit.yaml --fma=split", '--no-verify --fma=split --tags=full-comment']


def linked(folder):
    """the text that a run tags"""
    ends(tagged(folder, '-o linked.ptx', '--functional', '-q'), 0)
    (folder / 'text').mkdir()
    text = folder / 'text' / 'tagged.ptx'
    ends(run([lib.TAGGER, 'linked.ptx', '--strip', '-o', text], folder), 0)
    return text.parent


def same_text(folder, options):
    """the run tags the text that the command writes, and writes the same metadata"""
    text = linked(folder)
    for place in folder, text:
        (place / 'unit.yaml').write_text('packet_bytes: 30\n')
    ends(tagged(folder, options + ' -o run.ptx --metadata run.json --report=html:run.html', '--policy=omni', '-q'), 0)
    ends(run([lib.TAGGER, 'tagged.ptx', '-o', 'command.ptx', '--metadata=command.json', *options.split()], text), 0)
    assert (folder / 'run.ptx').read_text() == (text / 'command.ptx').read_text(), 'another text'
    documents = [json.loads(path.read_text()) for path in (folder / 'run.json', text / 'command.json')]
    for document in documents:
        document['output'].pop('file')
    assert documents[0] == documents[1], 'other metadata'
    within('<html', (folder / 'run.html').read_text())


for options in SETS:
    add_case('as the command: ' + (options or 'no options'), same_text, options)


@case
def remarks(folder):
    """remarks go to standard error, with the run's messages"""
    err = ends(tagged(folder, '--fma=split --remarks', '--policy=omni'), 0).err.decode()
    within('remark: chain 0 offloaded', err)


@case
def reports_nothing(folder):
    """without --report nothing is reported, and no file is written"""
    ends(tagged(folder, '', '--functional', '-q'), 0, '', '0 0\n')
    same(sorted(path.name for path in folder.iterdir()), ['more.ptx', 'plain.ptx', 'sums.ptx', 'tagged'])


WRONG = {
    '--fma=splitt': "error: --fma cannot be 'splitt': expected fused, split or saving",
    '--fmaa': "error: unknown option '--fmaa'",
    'other.ptx': 'error: more than one input file',
    '--min-saving': 'error: --min-saving needs an argument',
    '--check': 'error: --check makes no tagged program that can run',
    '--strip -o a.ptx': 'error: --strip makes no tagged program that can run',
    '--list': 'error: --list makes no tagged program that can run',
    '--help': 'error: --help makes no tagged program that can run',
    '--tags=none': 'error: --tags=none makes no tagged program that can run',
    '--metadata=a --report=json:a': "error: --metadata and --report both write 'a'",
}


def wrong(folder, options, message):
    result = ends(tagged(folder, options, '--functional'), 2, out='')
    within(message, result.err.decode())


for options, message in WRONG.items():
    add_case('wrong: ' + options, wrong, options, message)


@case
def missing(folder):
    """a file that is missing is reported with its path, and the program sees the error"""
    result = ends(tagged(folder, '--capability=none.yaml', '--functional'), 2)
    within("error: cannot read '%s/none.yaml': No such file" % folder.resolve(), result.err.decode())
    within('load: ', result.out.decode())


def statistics(folder, modules, *options):
    """statistics of each kernel and in total of a program that loads these modules one by one"""
    ends(tagged(folder, '--fma=split', *options, '--stats=stats.json', '--report=html:page.html', '--json=out.json',
                '--annotate=a.txt', '-q', modules=modules), 0, '', len(modules) * '0 0\n')
    document = json.loads((folder / 'stats.json').read_text())
    return {kernel['name']: kernel['statistics'] for kernel in document['kernels']}, document['total']['statistics']


POLICIES = {'omni': ['--policy=omni'], 'adaptive': ['--policy=adaptive'], 'tom': ['--config=tom', '--policy=tom-ctrl'],
            'both': ['--config=isca19-stacks', '--policy=omni', '--set=tom.policy=tom-ctrl'], 'baseline': []}
ORDERS = [('plain', 'sums'), ('sums', 'plain'), ('plain', 'sums', 'more'), ('sums', 'more', 'plain')]


def blocks(statistics):
    """instances of TOM's blocks"""
    return sum(value for name, value in statistics.items() if re.search(r'^block.*\.(home|away)$', name))


def loaded_later(folder, policy, modules):
    """chains and blocks of modules that are loaded later are offloaded; counts are kept in a larger machine"""
    options = POLICIES[policy]
    alone = {name: statistics(folder, [name], *options)[0][name] for name in modules}
    kernels, total = statistics(folder, modules, *options)
    for name in modules:
        for key in 'core.warp_instructions', 'offload.chains_tagged':
            same((name, key, kernels[name].get(key, 0)), (name, key, alone[name].get(key, 0)))
        same(blocks(kernels[name]), blocks(alone[name]))
    for key in 'core.warp_instructions', 'core.thread_instructions', 'offload.chains_tagged':
        same(total.get(key, 0), sum(kernels[name].get(key, 0) for name in modules))
    if policy == 'omni':
        same(kernels['sums']['offload.chains_tagged'], 128)
    if policy in ('tom', 'both'):
        assert blocks(kernels['sums']) > 0


for policy in POLICIES:
    for modules in ORDERS:
        add_case('loaded later: %s, %s' % (policy, ' '.join(modules)), loaded_later, policy, modules)

main()
