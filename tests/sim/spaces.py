#!/usr/bin/env python3
"""Random kernels with generic addresses into all spaces, under every policy that offloads blocks.

usage: spaces.py BUILD-ROOT [--count=N] [--keep=FOLDER] [SEED]

Addresses come from cvta, kernel parameters, names, other addresses by selp, phis, arithmetic and
moves, memory, and functions. Buffers are those of a run without time, on both machines with stacks.
"""
import json
import os
import pathlib
import random
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from policies import policies_of
from tap import SANITIZED, case, ends, main, run, same, within

BUILD = pathlib.Path(sys.argv[1]).resolve()
TAGGER, SIMULATOR = BUILD / 'cli' / 'ptxoffload', BUILD / 'cli' / 'ptxoffload-sim'
OPTIONS = dict(option[2:].split('=') for option in sys.argv[2:] if option.startswith('--'))
SEEDS = [option for option in sys.argv[2:] if not option.startswith('--')]
COUNT = int(OPTIONS.get('count', 4 if SANITIZED else 16))
SEED = int(SEEDS[0]) if SEEDS else 1
MACHINES = ('tom', 'isca19-stacks')
POLICIES = policies_of(SIMULATOR, 'tom', baseline=False)
CTAS, THREADS = 3, 64

HEAD = '''.version 7.8
.target sm_80
.address_size 64
.const .align 16 .b32 coefficients[64] = {%s};
.global .align 16 .b8 numbers[%d];
.shared .align 16 .b8 tile[%d];
.func (.param .b32 value) read(.param .b64 at, .param .b32 offset)
{
    .reg .b64 %%a, %%o; .reg .b32 %%v, %%w;
    ld.param.b64 %%a, [at];
    ld.param.b32 %%w, [offset];
    cvt.u64.u32 %%o, %%w;
    add.s64 %%a, %%a, %%o;
    ld.u32 %%v, [%%a];
    st.param.b32 [value], %%v;
    ret;
}
.func (.param .b64 chosen) choose(.param .b64 one, .param .b64 other, .param .b32 which)
{
    .reg .b64 %%a, %%b; .reg .b32 %%w; .reg .pred %%p;
    ld.param.b64 %%a, [one];
    ld.param.b64 %%b, [other];
    ld.param.b32 %%w, [which];
    setp.eq.u32 %%p, %%w, 0;
    selp.b64 %%a, %%a, %%b, %%p;
    st.param.b64 [chosen], %%a;
    ret;
}
''' % (', '.join(str(i * 7) for i in range(64)), 16 * CTAS * THREADS, 16 * THREADS)

KERNEL = '''.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 table)
{
    .reg .b64 %p<200>, %a, %b, %t, %e, %own, %far;
    .reg .b32 %v<9>, %x<9>, %i, %n, %thread, %number, %s;
    .reg .pred %q<9>;
    .local .align 16 .b8 depot[16];
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    ld.param.u64 %t, [table];
    mov.u32 %thread, %tid.x;
    mov.u32 %x0, %ctaid.x;
    mad.lo.u32 %number, %x0, {threads}, %thread;
    mul.wide.u32 %own, %number, 16;
    mul.wide.u32 %far, %number, 4;
    mul.wide.u32 %e, %number, 8;
    add.s64 %t, %t, %e;
    mov.u32 %v0, 1; mov.u32 %v1, %number; mov.u32 %v2, 3; mov.u32 %v3, %thread;
'''.replace('{threads}', str(THREADS))


class Kernel:
    """A kernel, and the addresses that it has: each of 16 bytes of this thread."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines, self.addresses, self.labels = [], [], 0
        self.spaces = self.random.sample(('global', 'shared', 'local', 'const', 'variable', 'param'),
                                         self.random.randint(1, 6))
        self.calls = self.random.random() < 0.4
        self.stores = self.random.random() < 0.4

    def add(self, text):
        self.lines.append('    ' + text)

    def new(self, writable, words=4):
        name = '%%p%d' % len(self.addresses)
        self.addresses.append((name, writable, words))
        return name

    def pick(self, writable=False):
        return self.random.choice([one for one in self.addresses if one[1] or not writable])

    def label(self):
        self.labels += 1
        return 'L%d' % self.labels

    def base(self, space):
        """Addresses as compilers make them."""
        to = self.new(space != 'const' and space != 'param', 1 if space == 'param' else 4)
        if space == 'global':
            self.add(self.random.choice(('', 'cvta.to.global.u64 %b, %b; cvta.global.u64 %b, %b; ')) +
                     'add.s64 {0}, %b, %own;'.format(to))
        elif space == 'variable':
            self.add('mov.u64 {0}, numbers; cvta.global.u64 {0}, {0}; add.s64 {0}, {0}, %own;'.format(to))
        elif space == 'shared':
            self.add(self.random.choice((
                'mov.u32 %x1, tile; cvt.u64.u32 {0}, %x1; cvta.shared.u64 {0}, {0};',
                'mov.u64 {0}, tile; cvta.shared.u64 {0}, {0};', 'cvta.shared.u64 {0}, tile;')).format(to))
            self.add('mul.wide.u32 %e, %thread, 16; add.s64 {0}, {0}, %e;'.format(to))
        elif space == 'local':
            self.add(self.random.choice((
                'mov.u64 {0}, depot; cvta.local.u64 {0}, {0};', 'cvta.local.u64 {0}, depot;')).format(to))
        elif space == 'const':
            self.add('mov.u64 {0}, coefficients; cvta.const.u64 {0}, {0}; and.b32 %x1, %thread, 15; '
                     'mul.wide.u32 %e, %x1, 16; add.s64 {0}, {0}, %e;'.format(to))
        else:
            self.add('mov.b64 {0}, table; cvta.param.u64 {0}, {0};'.format(to))

    def offset(self, words):
        return 4 * self.random.randrange(words)

    def derive(self):
        """An address from others."""
        one, other = self.pick(), self.pick()
        number = self.random.randrange(4)
        kind = self.random.choice(('selp', 'phi', 'guard', 'add', 'pieces', 'shfl', 'memory', 'call'))
        if kind == 'memory' and not self.stores or kind == 'call' and not self.calls:
            kind = 'selp'
        to = self.new(one[1] and other[1], min(one[2], other[2]))
        self.add('and.b32 %x1, %thread, {0}; setp.eq.u32 %q0, %x1, 0;'.format(1 << number))
        if kind == 'selp':
            self.add('selp.b64 {0}, {1}, {2}, %q0;'.format(to, one[0], other[0]))
        elif kind == 'phi':
            label = self.label()
            self.add('mov.b64 {0}, {1}; @%q0 bra {3}; mov.b64 {0}, {2};\n{3}:'.format(
                to, one[0], other[0], label))
        elif kind == 'guard':
            self.add('mov.b64 {0}, {1}; @%q0 mov.b64 {0}, {2};'.format(to, one[0], other[0]))
        elif kind == 'call':
            self.add('{{ .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 r0; '
                     'st.param.b64 [p0], {1}; st.param.b64 [p1], {2}; st.param.b32 [p2], %x1; '
                     'call (r0), choose, (p0, p1, p2); ld.param.b64 {0}, [r0]; }}'.format(
                         to, one[0], other[0]))
        else:
            self.addresses[-1] = (to, one[1], one[2])
            self.add({'add': 'add.s64 {0}, {1}, 64; sub.s64 {0}, {0}, 64;',
                      'pieces': 'mov.b64 {{%x1, %x2}}, {1}; mov.b64 {0}, {{%x1, %x2}};',
                      'shfl': 'xor.b64 {0}, {1}, 255; not.b64 {0}, {0}; not.b64 {0}, {0}; '
                              'xor.b64 {0}, {0}, 255;',
                      'memory': 'st.global.u64 [%t], {1}; ld.global.u64 {0}, [%t];'}[kind].format(to, one[0]))

    def access(self):
        at = self.pick()
        value, other = self.random.randrange(4), self.random.randrange(4)
        kind = self.random.choice(('load', 'load', 'store', 'store', 'vector', 'far', 'far', 'call'))
        if kind == 'store' and not any(one[1] for one in self.addresses):
            kind = 'load'
        if kind == 'load':
            self.add('ld.u32 %x3, [{0}+{1}]; mad.lo.u32 %v{2}, %v{2}, 3, %x3;'.format(
                at[0], self.offset(at[2]), value))
        elif kind == 'store':
            at = self.pick(True)
            self.add('st.u32 [{0}+{1}], %v{2};'.format(at[0], self.offset(4), value))
        elif kind == 'vector' and at[2] == 4:
            self.add('ld.v2.u32 {{%x3, %x4}}, [{0}+{1}]; xor.b32 %v{2}, %v{2}, %x3; '
                     'add.u32 %v{3}, %v{3}, %x4;'.format(at[0], 8 * self.random.randrange(2), value, other))
        elif kind == 'call' and self.calls:
            self.add('{{ .param .b64 p0; .param .b32 p1; .param .b32 r0; st.param.b64 [p0], {0}; '
                     'st.param.b32 [p1], {1}; call (r0), read, (p0, p1); ld.param.b32 %x3, [r0]; }} '
                     'add.u32 %v{2}, %v{2}, %x3;'.format(at[0], self.offset(at[2]), value))
        else:
            self.add('add.s64 %e, %a, %far; ld{0}.u32 %x3, [%e+{1}]; add.u32 %v{2}, %v{2}, %x3;'.format(
                self.random.choice(('', '.global')), 1024 * self.random.randrange(8), value))

    def statements(self, count):
        for _ in range(count):
            self.random.choice((self.access, self.access, self.access, self.derive))()

    def loop(self):
        """Addresses that are made in a loop may be swapped from one iteration to the next."""
        label = self.label()
        self.add('mov.u32 %i, 0; and.b32 %n, %v2, 7;\n{0}:'.format(label))
        self.statements(self.random.randint(1, 6))
        if self.random.random() < 0.4:
            one, other = self.random.sample(self.addresses, 2) if len(self.addresses) > 1 else (None, None)
            if one and one[1:] == other[1:]:
                self.add('mov.b64 %e, {0}; mov.b64 {0}, {1}; mov.b64 {1}, %e;'.format(one[0], other[0]))
        self.add('add.u32 %i, %i, 1; setp.lt.u32 %q1, %i, {0}; @%q1 bra {1};'.format(
            self.random.choice(('2', '4', '9', '%n')), label))

    def text(self):
        for space in self.spaces:
            self.base(space)
        for i in range(4):
            for name, writable, words in list(self.addresses):
                if writable and words == 4:
                    self.add('st.u32 [{0}+{1}], %v{2};'.format(name, 4 * i, i % 4))
        self.statements(self.random.randint(0, 3))
        for _ in range(self.random.randint(1, 3)):
            self.loop()
        self.add('mad.lo.u32 %v0, %v0, 5, %v1; mad.lo.u32 %v0, %v0, 5, %v2; mad.lo.u32 %v0, %v0, 5, %v3;')
        self.add('add.s64 %e, %b, %far; st.global.u32 [%e+{0}], %v0;'.format(16 * CTAS * THREADS))
        self.add('mov.u64 %e, 0; st.global.u64 [%t], %e; ret;') # addresses may be anywhere
        return HEAD + KERNEL + '\n'.join(self.lines) + '\n}\n'


def execute(folder, name, *options):
    """Returns the buffers, and the number of offloaded blocks."""
    numbers = CTAS * THREADS
    words = ['--arg', 'buf:u32:4096:iota', '--arg', 'buf:u32:%d:zero' % (5 * numbers),
             '--arg', 'buf:u64:%d:zero' % numbers]
    ends(run([SIMULATOR, name, '--kernel', 'k', '--grid', str(CTAS), '--block', str(THREADS), *words,
              '--json=out.json', '--save', '1=b.npy', *options], folder), 0)
    total = json.loads((folder / 'out.json').read_text())['total']
    return (folder / 'b.npy').read_bytes(), (total.get('offload') or {}).get('blocks_offloaded') or 0


def try_seed(folder, seed, offloaded):
    (folder / 'k.ptx').write_text(Kernel(seed).text())
    kinds = ('loops,blocks,regions', 'loops', 'blocks')[seed % 3]
    ends(run([TAGGER, 'k.ptx', '-o', 'tagged.ptx', '-w', '--candidates=' + kinds,
              '--cost=' + ('tom', 'refined')[seed % 2]], folder), 0)
    expected, _ = execute(folder, 'tagged.ptx', '--functional')
    for machine in MACHINES:
        for policy in POLICIES:
            chosen = '--policy=' + policy if machine == 'tom' else '--set=tom.policy=' + policy
            found, blocks = execute(folder, 'tagged.ptx', '--config=' + machine, chosen,
                                    '--set=tom.candidates=' + ('regions', 'paper')[seed % 3 == 1])
            assert found == expected, '%s, %s' % (machine, policy)
            offloaded[policy] = offloaded.get(policy, 0) + blocks


# Tagged by an earlier version, which took every generic address for one that a stack reaches.
TAGGED = '''.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)
{ .pragma "ptxoffload.tags options.candidates=loop digest=5a67276d84154c72";
    .reg .b64 %a, %b, %p, %e; .reg .b32 %i, %v, %w, %t; .reg .pred %q;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %a, [a];
    ld.param.u64 %b, [b];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %e, %t, 4;
    add.s64 %a, %a, %e;
    add.s64 %b, %b, %e;
    mov.u32 %i, tile;
    cvt.u64.u32 %p, %i;
    cvta.shared.u64 %p, %p;
    add.s64 %p, %p, %e;
    mov.u32 %i, 0;
loop:
    .pragma "ptxoffload.begin 0 kind=loop in=%a,%p,%i trips=8 refined=129,0,33.34375,11.25 tom=96,0,33.5,16.25"; ld.u32 %w, [%a];
    st.u32 [%p], %w;
    add.s64 %a, %a, 256;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 8;
    .pragma "ptxoffload.end 0"; @%q bra loop;
    ld.u32 %w, [%p];
    st.global.u32 [%b], %w;
    ret;
}
'''

# Addresses that only the launch knows: of global memory, or of the window of shared memory.
UNKNOWN = '''.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 p)
{
    .reg .b64 %a, %b, %p, %e; .reg .b32 %i, %v, %w, %t; .reg .pred %q;
    .shared .align 4 .b8 tile[256];
    ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %p, [p];
    mov.u32 %t, %tid.x;
    mul.wide.u32 %e, %t, 4;
    add.s64 %a, %a, %e; add.s64 %b, %b, %e; add.s64 %p, %p, %e;
    mov.u32 %v, tile; add.u32 %v, %v, %t; add.u32 %v, %v, %t; add.u32 %v, %v, %t; add.u32 %v, %v, %t;
    st.shared.u32 [%v], %t;
    mov.u32 %i, 0; mov.u32 %v, 0;
loop:
    ld.u32 %w, [first];
    add.u32 %v, %v, %w;
    ld.u32 %w, [%p];
    mad.lo.u32 %v, %v, 3, %w;
    st.u32 [%p], %v;
    add.s64 %a, %a, 256;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 16;
    @%q bra loop;
    ld.u32 %w, [%p];
    add.u32 %v, %v, %w;
    st.global.u32 [%b], %v;
    ret;
}
'''
SHARED_WINDOW = 0x1000000


def offloads(folder, program, *options):
    """Returns buffer 1 and the statistics of a kernel with two buffers and a number."""
    ends(run([SIMULATOR, program, '--kernel', 'k', '--grid', '1', '--block', '64', '--arg',
              'buf:u32:4096:iota', '--arg', 'buf:u32:64:zero', '--arg', 'u64:%d' % SHARED_WINDOW,
              '--save', '1=b.npy', *options], folder), 0)
    stats = (folder / 'stats.txt').read_text() if '--stats=stats.txt' in options else ''
    numbers = dict(line.split(' = ') for line in stats.splitlines() if ' = ' in line)
    return (folder / 'b.npy').read_bytes(), {key: value.split()[0] for key, value in numbers.items()}


@case
def old_tags(folder):
    """a tagged block that accesses shared memory stays in the GPU"""
    (folder / 'k.ptx').write_text(TAGGED)
    expected, _ = offloads(folder, 'k.ptx', '--functional')
    found, _ = offloads(folder, 'k.ptx', '--config=tom', '--policy=tom-no-ctrl')
    same(found, expected)
    result = run([SIMULATOR, 'k.ptx', '--kernel', 'k', '--arg', 'buf:u32:4096:iota', '--arg',
                  'buf:u32:64:zero', '--arg', 'u64:0', '--grid', '1', '--block', '64', '-v',
                  '--config=tom', '--policy=tom-no-ctrl'], folder)
    within(b"block 0 of 'k': an access may go to shared memory", result.err)


@case
def unknown_addresses(folder):
    """addresses of shared memory that no analysis sees: executed in the stack, or not offloaded"""
    for first, offloaded in (('[%a]', '2'), ('[%p]', '0')):
        (folder / 'k.ptx').write_text(UNKNOWN.replace('[first]', first))
        ends(run([TAGGER, 'k.ptx', '-o', 'tagged.ptx', '-w', '--candidates=loops'], folder), 0)
        expected, _ = offloads(folder, 'tagged.ptx', '--functional')
        for machine in MACHINES:
            found, stats = offloads(folder, 'tagged.ptx', '--config=' + machine, '--stats=stats.txt',
                                    '--set=tom.policy=tom-no-ctrl')
            same(found, expected)
            same(stats['tom.offloaded'], offloaded)
            assert (stats['tom.shared'] != '0') == (offloaded != '0'), stats['tom.shared']


@case
def random_kernels(folder):
    """buffers of random kernels with generic addresses"""
    offloaded, failed = {}, []
    for seed in range(SEED, SEED + COUNT):
        try:
            try_seed(folder, seed, offloaded)
        except AssertionError as why:
            failed.append('seed %d: %s' % (seed, why))
            if 'keep' in OPTIONS:
                shutil.copy(folder / 'k.ptx', '%s/spaces-%d.ptx' % (OPTIONS['keep'], seed))
    print('# %d kernels, offloaded: %s' % (COUNT, offloaded))
    assert not failed, '\n'.join(failed[:9])
    assert COUNT < 16 or all(offloaded.get(policy) for policy in POLICIES), offloaded


main()
