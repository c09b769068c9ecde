#!/usr/bin/env python3
"""ptxoffload-sim --checkpoint, --stop-after, --resume: a run that goes on ends as one that never
stopped; files that are not of the run, or damaged, are refused.

usage: checkpoints.py BUILD-ROOT
"""
import hashlib
import json
import os
import pathlib
import random
import signal
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import add_case, case, ends, environment, main, run, same, wait_for, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
PROGRAM = BUILD / 'cli' / 'ptxoffload-sim'
SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
BFS = [SAMPLES / 'bfs' / 'run.yaml', '--set', 'values.n=300']
KMN = [SAMPLES / 'kmn' / 'run.yaml', '--set', 'values.points=64', '--set', 'values.rounds=6']
NOTE = 'ptxoffload-sim: note: --stop-after stopped the run after launch %d\n'

# Keeps all that a kernel can leave behind: a module's variable, memory of malloc and what was given
# back of it, also of a buffer in the heap, what clocks say, the grid's number, what was printed.
TICK = '''.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .u32 count;
.global .u64 held[64];
.global .align 1 .b8 text[7] = {103, 111, 32, 37, 100, 10, 0};
.visible .entry tick(.param .u64 out, .param .u64 again, .param .u32 round, .param .u64 given)
{
    .local .align 8 .b8 told[8];
    .reg .b64 %rd<20>;
    .reg .b32 %r<9>;
    .reg .pred %p<4>;
    ld.param.u64 %rd1, [out];
    ld.param.u64 %rd2, [again];
    ld.param.u32 %r1, [round];
    atom.global.add.u32 %r2, [count], 1;
    mov.u64 %rd3, %clock64;
    mov.u64 %rd4, %globaltimer;
    mov.u32 %r3, %gridid;
    mul.wide.u32 %rd5, %r2, 32;
    add.u64 %rd6, %rd1, %rd5;
    st.global.u64 [%rd6], %rd3;
    st.global.u64 [%rd6+8], %rd4;
    st.global.v2.u32 [%rd6+16], {%r3, %r1};
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 24; call (r), malloc, (n); ld.param.b64 %rd7, [r]; }
    cvt.u64.u32 %rd8, %r2;
    st.u64 [%rd7], %rd8;
    mul.wide.u32 %rd9, %r2, 8;
    mov.u64 %rd10, held;
    add.u64 %rd10, %rd10, %rd9;
    st.global.u64 [%rd10], %rd7;
    setp.ne.u32 %p2, %r2, 3;
    @%p2 bra given_back;
    ld.param.u64 %rd15, [given];
    { .param .b64 p; st.param.b64 [p], %rd15; call free, (p); }
given_back:
    setp.lt.u32 %p1, %r2, 2;
    @%p1 bra told_it;
    ld.global.u64 %rd11, [%rd10+-16];
    ld.u64 %rd12, [%rd11];
    st.global.u64 [%rd6+24], %rd12;
    { .param .b64 p; st.param.b64 [p], %rd11; call free, (p); }
told_it:
    st.local.u32 [told], %r2;
    mov.u64 %rd13, text;
    cvta.global.u64 %rd13, %rd13;
    mov.u64 %rd14, told;
    cvta.local.u64 %rd14, %rd14;
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd13; st.param.b64 [a], %rd14;
      call (r), vprintf, (f, a); }
    ld.global.u32 %r4, [%rd2];
    add.u32 %r4, %r4, 1;
    st.global.u32 [%rd2], %r4;
    ret;
}
'''
# 2 rounds of 1 + 3 launches, the last of which change how often the next list would be repeated.
TICKS = '''program: tick.ptx
buffers:
  out: {type: u64, count: 64, fill: zero}
  again: {type: u32, count: 1, fill: "const:2"}
  other: {type: u32, count: 1, fill: zero}
  given: {type: u64, count: 3, fill: iota, heap: true}
heap: 200
launches:
  - repeat:
      times: again[0]
      index: outer
      reset: other
      launches:
        - {kernel: tick, grid: 1, block: 1, args: [out, again, outer, given]}
        - repeat:
            while: other[0] < 3
            max: 5
            index: inner
            launches:
              - {kernel: tick, grid: 1, block: 1, args: [out, other, 10 * outer + inner, given]}
  - {kernel: tick, grid: 1, block: 1, args: [out, again, "77", given]}
'''


def tick(folder):
    (folder / 'tick.ptx').write_text(TICK)
    (folder / 'run.yaml').write_text(TICKS)
    return [folder / 'run.yaml']


FLUSHES = (b'ptxoffload-sim: note: --checkpoint empties the caches after each launch that it writes: '
        b'cycles differ from those of a run without it\n')


def sim(folder, *arguments, **settings):
    """a run; where cycles are counted, the note on checkpoints comes first"""
    result = run([PROGRAM, *arguments], folder, **settings)
    writes = any(str(word).startswith('--checkpoint=') for word in arguments)
    if writes and '--functional' not in arguments and result.code != 2 and (
            b'are both written' not in result.err):
        assert result.err.count(FLUSHES) == 1, result
        result.err = result.err.replace(FLUSHES, b'')
    else:
        assert FLUSHES not in result.err, result
    return result


def results(names, timed):
    """options for all that a run can write"""
    saves = [word for name in names for word in ('--save', '%s=%s.npy' % (name, name))]
    return ['--json=out.json', *saves] + (['--stats=out.txt', '--series=out.csv', '--interval=300'] if timed else
                      ['--functional'])


def taken(folder, names, timed):
    """what there is of it, but for the host's part and the series"""
    files = ['%s.npy' % name for name in names] + (['out.txt'] if timed else [])
    found = {name: (folder / name).read_bytes() for name in files}
    found['summary'] = json.loads((folder / 'out.json').read_text())
    del found['summary']['host']
    return found


def all_same(got, expected):
    """the same as taken() has found it"""
    different = [name for name, value in expected.items() if got[name] != value]
    assert not different and len(got) == len(expected), 'other results: %s' % different


def series(folder):
    head, *rows = (folder / 'out.csv').read_text().splitlines()
    return head, rows


def at_every_boundary(folder, make, names, timed):
    """One run never stops; another one stops after each launch, and each of its checkpoints is also
    resumed to the end."""
    what = make(folder) if callable(make) else make
    options = results(names, timed)
    printed = ends(sim(folder, *what, *options, '--checkpoint=whole.ck'), 0, '').out
    whole = taken(folder, names, timed)
    head, rows = series(folder) if timed else ('', [])
    assert not timed or rows
    launches = whole['summary']['total']['launches']
    assert launches > 8
    so_far, output = [], b''
    for launch in range(1, launches + 1):
        resume = ['--resume=at%d.ck' % (launch - 1)] if launch > 1 else []
        stopped = ends(sim(folder, *what, *options, *resume, '--checkpoint=at%d.ck' % launch,
                           '--stop-after=%d' % launch), 0, NOTE % launch)
        output += stopped.out
        summary = json.loads((folder / 'out.json').read_text())
        same((summary['outcome'], summary['partial'], summary['total']['launches']),
             ('stopped', True, launch))
        so_far += series(folder)[1] if timed else []
        for name in names:  # of the run that never stopped
            (folder / (name + '.npy')).unlink(missing_ok=True)
        rest = ends(sim(folder, *what, *options, '--resume=at%d.ck' % launch), 0, '')
        same(output + rest.out, printed)
        all_same(taken(folder, names, timed), whole)
        if timed:
            same(series(folder), (head, rows[len(so_far):]))
            same(so_far, rows[:len(so_far)])
    same((folder / ('at%d.ck' % launches)).read_bytes(), (folder / 'whole.ck').read_bytes())


for kind, is_timed in (('values only', False), ('with time', True)):
    for title, lines, saved in (('bfs', BFS, ['cost', 'visited']), ('kmn', KMN, ['member', 'centre']),
                                ('clocks, malloc, nested loops', tick, ['out', 'again'])):
        add_case('%s, %s: stopped at each boundary and resumed' % (title, kind), at_every_boundary,
                 lines, saved, is_timed)


@case
def every(folder):
    """--checkpoint-every: boundaries are those of the run that began, with or without files"""
    options = results(['cost'], True)
    ends(sim(folder, *BFS, *options, '--checkpoint=a.ck', '--checkpoint-every=3'), 0, '', '')
    whole = taken(folder, ['cost'], True)
    ends(sim(folder, *BFS, '--series=x.csv', '--interval=300', '--checkpoint=a.ck',
             '--checkpoint-every=3', '--stop-after=8'), 0, NOTE % 8, '')
    within(b'"launches": 6,', (folder / 'a.ck').read_bytes())
    ends(sim(folder, *BFS, *options, '--resume=a.ck'), 0, '', '')
    all_same(taken(folder, ['cost'], True), whole)
    before = (folder / 'a.ck').read_bytes()
    ends(sim(folder, *BFS, *options, '--resume=a.ck', '--checkpoint=a.ck', '--shuffle=9'), 0, '', '')
    all_same(taken(folder, ['cost'], True), whole)
    assert (folder / 'a.ck').read_bytes() != before
    ends(sim(folder, *BFS, *options), 0, '', '')
    assert taken(folder, ['cost'], True)['out.txt'] != whole['out.txt']  # caches were kept


@case
def regions(folder):
    """with --timed the launches between take no time, and the caches are empty behind boundaries"""
    options = results(['cost'], True) + ['--timed=bfs_expand:2-4']
    ends(sim(folder, *BFS, *options, '--checkpoint=a.ck'), 0, '', '')
    whole = taken(folder, ['cost'], True)
    same(whole['summary']['total']['timed_launches'], 3)
    for launch in (2, 5, 8):
        ends(sim(folder, *BFS, *options, '--checkpoint=a.ck', '--stop-after=%d' % launch), 0)
        ends(sim(folder, *BFS, *options, '--resume=a.ck'), 0, '', '')
        all_same(taken(folder, ['cost'], True), whole)


@case
def limit(folder):
    """--max-cycles counts the cycles before a run was resumed"""
    ends(sim(folder, *BFS, '--checkpoint=a.ck', '--stop-after=6', '--json=six.json'), 0, NOTE % 6, '')
    cycles = json.loads((folder / 'six.json').read_text())['total']['cycles'] + 700
    options = [*results([], True), '--max-cycles=%d' % cycles]
    note = 'ptxoffload-sim: note: --max-cycles stopped the run before its end\n'
    ends(sim(folder, *BFS, *options, '--checkpoint=b.ck'), 0, note, '')
    whole, rows = taken(folder, [], True), series(folder)[1]
    same((whole['summary']['outcome'], whole['summary']['total']['cycles']), ('cycle limit', cycles))
    ends(sim(folder, *BFS, *options, '--resume=a.ck'), 0, note, '')
    all_same(taken(folder, [], True), whole)
    # The file has no rows before; the first one begins where it was resumed.
    assert 0 < len(series(folder)[1]) < len(rows)
    same(series(folder)[1][1:], rows[len(rows) - len(series(folder)[1]) + 1:])


@case
def adds_up(folder):
    """what emptying the caches takes is the kernel's before it: all is accounted for"""
    ends(sim(folder, *BFS, '--checkpoint=a.ck', '--stats=out.json'), 0, '', '')
    ends(sim(folder, *BFS, '--stats=plain.json'), 0, '', '')
    found, plain = (json.loads((folder / name).read_text()) for name in ('out.json', 'plain.json'))
    total = found['total']['statistics']
    for key in ('machine.cycles', 'core.issued', 'dram.writes', 'llc.write_backs'):
        same(sum(kernel['statistics'][key] for kernel in found['kernels']), total[key])
    same(total['llc.write_backs'], total['dram.writes'])
    assert total['dram.writes'] > plain['total']['statistics']['dram.writes']
    slots = sum(value for key, value in total.items()
                if key == 'core.issued' or key.startswith('core.stall_'))
    same(slots, total['machine.cycles'] * 56 * 48)


@case
def killed(folder):
    """kill -9 after a checkpoint, an interrupt: the file is whole, and the run goes on from it"""
    what = [SAMPLES / 'bfs' / 'run-large.yaml', '--functional', '--json=out.json', '--save',
            'cost=cost.npy']
    ends(sim(folder, *what, '--checkpoint=whole.ck'), 0, '', '')
    whole = taken(folder, ['cost'], False)
    for number in (signal.SIGKILL, signal.SIGINT):
        (folder / 'cost.npy').unlink()
        running = subprocess.Popen([os.fspath(w) for w in [PROGRAM, *what, '--checkpoint=a.ck']],
                                   cwd=folder, env=environment(), stderr=subprocess.PIPE)
        wait_for(lambda: (folder / 'a.ck').exists() or running.poll() is not None)
        running.send_signal(number)
        running.communicate()
        if running.returncode != -number:  # it was faster
            same(running.returncode, 0)
        ends(sim(folder, *what, '--resume=a.ck'), 0, '', '')
        all_same(taken(folder, ['cost'], False), whole)
        (folder / 'a.ck').unlink()


@case
def other_runs(folder):
    """a checkpoint of another program, run, machine, or of other data is refused"""
    (folder / 'bfs.ptx').write_bytes((SAMPLES / 'bfs' / 'bfs.ptx').read_bytes())
    text = (SAMPLES / 'bfs' / 'run.yaml').read_text().replace('range:0:n:5', 'raw:edge.raw')
    (folder / 'run.yaml').write_text(text)
    (folder / 'edge.raw').write_bytes(bytes(3000 * 4 * 4))
    ends(sim(folder, 'run.yaml', '--checkpoint=a.ck', '--stop-after=1'), 0)
    ends(sim(folder, 'run.yaml', '--functional', '--checkpoint=f.ck', '--stop-after=1'), 0)

    def refused(text, *options, file='a.ck', run_file='run.yaml'):
        result = ends(sim(folder, run_file, '--resume=' + file, '--json=x.json', *options), 1, None, '')
        within("error: cannot resume from '%s': %s" % (file, text), result.err.decode())
        same(len(result.err.splitlines()), 1)

    ends(sim(folder, 'run.yaml', '--resume=a.ck', '--json=x.json'), 0, '', '')
    (folder / 'x.json').unlink()
    refused('it was made without --functional', '--functional')
    refused('it was made with --functional', file='f.ck')
    refused('it was made on another machine', '--set', 'core.schedulers=2')
    refused('it was made by another run', '--set', 'values.n=2999')
    refused('it was made without --timed', '--timed=bfs_expand')
    refused('it was made with --checkpoint-every=1', '--checkpoint-every=2')
    refused('it was made after launch 1, which is later than --stop-after', '--stop-after=1')
    refused('No such file', file='none.ck')
    refused('it is not a checkpoint', file='run.yaml')
    refused('it was made by another run', run_file=SAMPLES / 'bfs' / 'run.yaml')
    (folder / 'edge.raw').write_bytes(bytes(3000 * 4 * 4 - 4) + bytes([1, 0, 0, 0]))
    refused("'edge.raw' has changed")
    (folder / 'bfs.ptx').write_text((folder / 'bfs.ptx').read_text() + '// more\n')
    refused('it was made with another program')
    same((folder / 'x.json').exists() and json.loads((folder / 'x.json').read_text())['outcome'],
         'bad input')
    line = [SAMPLES / 'vecadd' / 'vecadd.ptx', '--grid', '1', '--block', '32', '--arg',
            'buf:f32:32:iota', '--arg', 'buf:f32:32:iota', '--arg', 'buf:f32:32:zero', '--arg', 'u32:32']
    ends(sim(folder, *line, '--checkpoint=l.ck', '--save', '2=a.npy'), 0, '', '')
    ends(sim(folder, *line, '--resume=l.ck', '--save', '2=b.npy'), 0, '', '')
    same((folder / 'a.npy').read_bytes(), (folder / 'b.npy').read_bytes())
    within(b'it was made by another run', ends(sim(folder, *line, '--cooperative', '--resume=l.ck'),
                                               1).err)


def with_digest(data):
    """the file as if its writer had meant it"""
    return data[:-65] + hashlib.sha256(data[:-65]).hexdigest().encode() + b'\n'


@case
def damaged(folder):
    """cut short, with bits flipped, with numbers changed: an error or a run, never more"""
    what = [*tick(folder), '--functional']
    ends(sim(folder, *what, '--checkpoint=a.ck', '--stop-after=5'), 0)
    data = (folder / 'a.ck').read_bytes()
    draw = random.Random(7)
    for _ in range(20):
        at = draw.randrange(34, len(data))
        (folder / 'b.ck').write_bytes(data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) +
                                      data[at + 1:])
        within(b"cannot resume from 'b.ck': it ", ends(sim(folder, *what, '--resume=b.ck'), 1).err)
    for length in [1, 33, 34, 64, 65, 66, len(data) - 66, len(data) - 1] + [
            draw.randrange(1, len(data)) for _ in range(6)]:
        (folder / 'b.ck').write_bytes(data[:length])
        within(b"cannot resume from 'b.ck': it is", ends(sim(folder, *what, '--resume=b.ck'), 1).err)
    (folder / 'b.ck').write_bytes(data.replace(b'"version": 1', b'"version": 2', 1))
    within(b'it has format version 2, but this program reads version 1',
           ends(sim(folder, *what, '--resume=b.ck'), 1).err)
    (folder / 'b.ck').write_bytes(with_digest(data.replace(b'"simulator": "', b'"simulator": "9', 1)))
    within(b'of the program wrote it', ends(sim(folder, *what, '--resume=b.ck'), 1).err)


@case
def usage(folder):
    """what cannot be combined is said before anything is run"""
    for text, *options in (
            (b'cannot be combined with --check', '--check=race', '--functional', '--checkpoint=a.ck'),
            (b'cannot be combined with --check', '--check=race', '--functional', '--resume=a.ck'),
            (b'cannot be combined with --profile-out', '--profile-out=p', '--functional', '--checkpoint=a.ck'),
            (b'needs --checkpoint or --resume', '--checkpoint-every=2'),
            (b'needs a file', '--checkpoint=-'),
            (b"from 1 on", '--stop-after=0'), (b"from 1 on", '--checkpoint=a', '--checkpoint-every=0')):
        within(text, ends(sim(folder, *BFS, *options), 2, None, '').err)
    within(b'are both written', ends(sim(folder, *BFS, '--checkpoint=a', '--json=a'), 1).err)
    (folder / 'a').write_text('x')
    within(b'would overwrite the checkpoint', ends(sim(folder, *BFS, '--resume=a', '--json=a'), 1).err)
    same(os.listdir(folder), ['a'])


@case
def not_written(folder):
    """a checkpoint that cannot be written is an error, and the run goes on to its end"""
    result = ends(sim(folder, *KMN, '--functional', '--checkpoint=none/a.ck', '--json=out.json'), 1)
    within(b"cannot write 'none/a.ck'", result.err)
    same(json.loads((folder / 'out.json').read_text())['outcome'], 'done')


if __name__ == '__main__':
    main(2)
