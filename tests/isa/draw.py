"""Small modules drawn by seed: mostly valid, with up to two odd things in each.

A module is a list of lines. Directives, declarations, scopes, calls, sections and places of sources are
drawn from the tables here; then some modules get other versions and targets, and some have a word
replaced, removed, doubled, exchanged with the next one, or a line moved to another place.
"""
import random
import re

# Targets, and the first PTX version of each
TARGETS = [('sm_10', 10), ('sm_13', 12), ('sm_20', 20), ('sm_30', 30), ('sm_35', 31), ('sm_50', 40),
           ('sm_60', 50), ('sm_70', 60), ('sm_75', 63), ('sm_80', 70), ('sm_86', 71), ('sm_89', 78),
           ('sm_90', 78), ('sm_90a', 80), ('sm_100', 86), ('sm_100a', 86), ('sm_120', 87)]
VERSIONS = [10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 51, 60, 61, 62, 63,
            64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90]
TYPES = 'b8 b16 b32 b64 u8 u16 u32 u64 s8 s16 s32 s64 f16 f16x2 f32 f64 b128 pred'.split()
SPACES = 'global shared local const param reg'.split()
REGISTERS = ['.reg .b64 %rd<9>;', '.reg .b32 %r<9>;', '.reg .f32 %f<9>;', '.reg .b16 %h<5>;',
             '.reg .pred %p<3>;']
NUMBERS = ('0 1 2 3 4 5 8 16 31 32 64 127 128 255 256 1024 65535 65536 -1 -128 -129 4294967295 4294967296 '
           '0x10 010 0b11 1U 1.5 0f3f800000 WARP_SZ 9223372036854775807 9223372036854775808').split()
WORDS = '''.version .target .address_size .alias .file .section .loc .pragma .branchtargets .calltargets
    .callprototype .maxntid .reqntid .minnctapersm .maxnctapersm .maxnreg .local_maxnreg
    .reqnctapercluster .explicitcluster .maxclusterrank .blocksareclusters .noreturn .abi_preserve
    .abi_preserve_control .extern .visible .weak .common .attribute .ptr .align .entry .func .b8 .u8 .b16 .b32
    .u32 .b64 .u64 .f16 .f32 .f64 .b128 .pred .f16x2 .bf16 .v2 .v4 .v8 .global .shared .local .const .param .reg
    .sreg .tex .texref .samplerref .surfref .shared::cta .shared::cluster .param::entry .param::func
    .language_version .static .debug_info .debug_str .debug_abbrev .debug_line .foo .x .y .z .w .q .sat'''.split()
MARKS = '; , : { } ( ) [ ] = + - < > @ !'.split()
PRAGMAS = ['nounroll', 'nounroll 4', 'used_bytes_mask 0xf', 'used_bytes_mask', 'enable_smem_spilling',
           'frequency 5', 'frequency 0', 'abi_param_reg all', 'something', '']
OPTIONS = ['debug', 'texmode_unified', 'texmode_independent', 'map_f64_to_f32', 'sm_75', 'foo']


class Draw:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names = 0

    def one(self, items):
        return self.r.choice(items)

    def often(self, chance):
        return self.r.random() < chance

    def fits(self, version, chance=0.03):
        """Whether the module's version has a feature; sometimes also if it has not."""
        return self.version >= version or self.often(chance)

    def name(self, prefix):
        self.names += 1
        return f'{prefix}{self.names}'

    def number(self):
        return self.one(NUMBERS)

    def length(self):
        return self.one(['1', '2', '4', '8', '16', '3', 'WARP_SZ'])

    # Declarations

    def variable(self, spaces, linkages=('',), name=None):
        space = self.one(spaces)
        kind = self.one([t for t in TYPES if t != 'pred' and (t != 'b128' or self.version >= 83)])
        vector = self.one(['', '', '', '', '.v2 ', '.v4 ' if '64' not in kind else '']) if kind != 'b128' else ''
        align = self.one(['', '', '', '.align 4 ', '.align 8 ', '.align 16 ', '.align 128 '])
        dims = self.one(['', '', '', f'[{self.length()}]', '[2][3]'])
        linkage = self.one(linkages)
        if linkage == '.common ' and space != 'global':
            linkage = ''
        value = ''
        if space in ('global', 'const') and linkage != '.extern ' and not vector and self.often(0.4):
            value = self.value(kind, dims)
        if space == 'shared' and linkage == '.extern ':
            dims = '[]'
        name = name or self.name('v')
        return f'{linkage}.{space} {align}{vector}.{kind} {name}{dims}{value};', name, space, kind

    def value(self, kind, dims):
        if kind in ('f16', 'f16x2', 'b128'):
            return ''
        scalar = (self.one(['1.5', '0.0', '-2.0']) if kind[0] == 'f' else self.one(['1', '0', '-1', '7', '0x7f']))
        if not dims:
            return f' = {scalar}'
        if dims == '[2][3]':
            return f' = {{{{{scalar}, {scalar}}}, {{{scalar}}}}}'
        return f' = {{{scalar}}}'

    def registers(self):
        kind = self.one([t for t in TYPES if t != 'b128' or self.version >= 83])
        vector = self.one(['', '', '', '.v2 ', '.v4 ']) if kind not in ('pred', 'b64', 'f64', 'b128', 'u64', 's64') else ''
        name = self.name('%x')
        return f'.reg {vector}.{kind} {name}{self.one(["", "<4>", f", {name}b", f"<2>, {name}c"])};'

    def parameter(self, place):
        name = self.name('p')
        if place == 'entry' and self.often(0.3):
            target = self.one(['', '.global ', '.shared ', '.const ', '.local '])
            return f'.param .u64 .ptr {target}{self.one(["", ".align 16 "])}{name}', name, 'b64'
        kind = self.one(['b32', 'b64', 'f32', 'u32', 'u64', 'f64'] + (['u8', 's16'] if place == 'entry' else ['b8', 'b16']))
        if self.often(0.2):
            return f'.param .align {self.one(["4", "8", "16"])} .b8 {name}[{self.one(["8", "16", "32"])}]', name, 'b8'
        return f'.param .{kind} {name}', name, kind

    # Functions

    def prototype(self):
        """(results, name, parameters) with their declarations."""
        results = [self.parameter('func')] if self.often(0.4) else []
        parameters = [self.parameter('func') for _ in range(self.r.randrange(3))]
        return results, self.name('f'), parameters

    @staticmethod
    def head(prototype, linkage=''):
        results, name, parameters = prototype
        back = f'({", ".join(p[0] for p in results)}) ' if results else ''
        return f'{linkage}.func {back}{name}({", ".join(p[0] for p in parameters)})'

    def call(self, prototype):
        """A scope with the call of a function."""
        results, name, parameters = prototype
        lines, arguments, back = ['{'], [], []
        for declaration, parameter, _ in parameters:
            lines.append(declaration.replace(parameter, 'a' + parameter) + ';')
            arguments.append('a' + parameter)
        for declaration, parameter, _ in results:
            lines.append(declaration.replace(parameter, 'r' + parameter) + ';')
            back.append('r' + parameter)
        for declaration, parameter, kind in parameters:
            store = {'b8': 'st.param.b8 [a{}], %h1;', 'b16': 'st.param.b16 [a{}], %h1;', 'f32': 'st.param.f32 [a{}], %f1;'}
            wide = 'st.param.b64 [a{}], %rd1;' if kind in ('b64', 'u64', 'f64') else 'st.param.b32 [a{}], %r1;'
            lines.append(store.get(kind, wide).format(parameter))
        form = self.one(['direct', 'direct', 'prototype', 'targets'])
        back = f'({", ".join(back)}), ' if back else ''
        inside = f'({", ".join(arguments)})'
        if form == 'direct' or self.version < 21:
            lines.append(f'call{self.one(["", ".uni"])} {back}{name}, {inside};')
        elif form == 'prototype':
            label = self.name('P')
            lines.append(f'mov.b64 %rd2, {name};')
            # the names of parameters in a prototype do not matter
            shape = self.head(prototype).split('.func ')[1].replace(name, '_', 1)
            lines += [f'{label}: .callprototype {shape};', f'call {back}%rd2, {inside}, {label};']
        else:
            label = self.name('T')
            lines += [f'mov.b64 %rd2, {name};', f'{label}: .calltargets {name};',
                      f'call {back}%rd2, {inside}, {label};']
        return lines + ['}']

    def place(self):
        numbers = (self.one([1, 1, 1, 2]), self.r.randrange(1, 30), self.r.randrange(1, 9))
        text = '.loc {} {} {}'.format(*numbers)
        if self.places and self.labels and self.version >= 72 and self.often(0.4):
            label = self.one(self.labels) + self.one(['', '', '+2'])
            text += ', function_name {}, inlined_at {} {} {}'.format(label, *self.one(self.places))
        self.places.append(numbers)
        return text

    def access(self):
        space, spelled = self.one([('global', 'gv'), ('shared', 'sv'), ('const', 'cv'), ('global', '%rd1')])
        if space == 'const':
            return f'ld.const.b32 %r1, [{spelled}];'
        return self.one([f'ld.{space}.b32 %r1, [{spelled}];', f'st.{space}.f32 [{spelled}+4], %f1;',
                         f'ld.{space}.v2.b32 {{%r1, %r2}}, [{spelled}];', f'atom.{space}.add.u32 %r1, [{spelled}], %r2;'])

    def conversion(self):
        space, variable = self.one([('global', 'gv'), ('shared', 'sv'), ('const', 'cv')])
        return self.one([f'cvta.{space}.u64 %rd1, {variable};', f'cvta.to.{space}.u64 %rd1, %rd2;',
                         f'isspacep.{self.one(["global", "shared", "local"])} %p1, %rd1;',
                         'prefetchu.L1 [gv];', f'prefetch.{self.one(["global", "local"])}.L1 [%rd1];',
                         f'mov.u64 %rd1, {variable};'])

    def arithmetic(self):
        n = self.number() if self.often(0.1) else self.one(['1', '8', '31'])
        return self.one([f'add.u32 %r1, %r2, {self.one(["1", "%r3", "-1"])};', f'bfe.u32 %r1, %r2, {n}, 4;',
                         f'bfi.b32 %r1, %r2, %r3, {n}, 4;', f'shl.b32 %r1, %r2, {self.one(["1", "31", "%r3"])};',
                         'mad.lo.s32 %r1, %r2, %r3, %r4;', 'fma.rn.f32 %f1, %f2, %f3, %f1;',
                         'setp.lt.s32 %p1, %r1, %r2;', 'selp.b32 %r1, %r2, %r3, %p1;',
                         'mov.b64 {%r1, %r2}, %rd1;', f'mov.u32 %r1, %tid.{self.one("xyz")};',
                         'mov.u32 %r1, %laneid;', 'cvt.u64.u32 %rd1, %r1;', 'bar.sync 0;'])

    def branch(self):
        a, b = self.name('L'), self.name('L')
        if self.version >= 60 and self.often(0.4):
            t = self.name('T')
            return [f'{t}: .branchtargets {a}, {b};', f'brx.idx %r1, {t};', f'{a}:', f'{b}:']
        return [f'@{self.one(["", "!"])}%p1 bra {a};', 'add.u32 %r1, %r1, 1;', f'{a}:']

    def pragma(self):
        text = self.one(PRAGMAS) if self.often(0.15) else 'nounroll'
        return f'.pragma "{text}";'

    def statements(self, count, depth=0):
        lines = []
        for _ in range(count):
            kind = self.r.randrange(14)
            if kind == 0 and depth < 2:
                lines += ['{', *self.statements(2, depth + 1), '}']
            elif kind == 1:
                lines.append(self.registers())
            elif kind == 2:
                lines.append(self.variable(['local', 'shared', 'global', 'const', 'local'])[0])
            elif kind == 3 and self.functions and self.version >= 20:
                lines += self.call(self.one(self.functions))
            elif kind == 4:
                lines.append(self.place())
            elif kind == 5:
                lines.append(self.pragma())
            elif kind in (6, 7):
                lines.append(self.access())
            elif kind == 8 and self.version >= 31:
                lines.append(self.conversion())
            elif kind == 9:
                lines += self.branch()
            elif kind == 10 and depth < 2:  # names of an outer scope again
                lines += ['{', '.reg .b32 %r<4>, %f1x;', *self.statements(1, depth + 1), '}']
            else:
                lines.append(self.arithmetic())
        return lines

    def kernel(self):
        parameters = [self.parameter('entry') for _ in range(self.r.randrange(3))] if self.version >= 22 else []
        tunings = []
        if self.often(0.4):
            n = self.one(['1', '32', '128', '2', '64, 2', '8, 8, 2'])
            choice = [f'.maxntid {n}', f'.reqntid {n}', '.minnctapersm 2', '.maxnreg 64', '.pragma "nounroll";',
                      '.maxntid 128 .minnctapersm 2', '.maxntid 128\n.maxnreg 32']
            if self.often(0.1) or (self.clusters and self.version >= 78):
                choice += ['.reqnctapercluster 2', '.explicitcluster', '.maxclusterrank 8']
            if self.often(0.1) or self.version >= 88:
                choice += ['.local_maxnreg 32']
            tunings.append(self.one(choice))
        lines = [f'{self.one(["", ".visible ", ".visible ", ".weak "])}.entry {self.name("k")}({", ".join(p[0] for p in parameters)})']
        lines += tunings + ['{', *REGISTERS]
        for _, name, kind in parameters:
            if kind in ('b64', 'u64', 'f64') and self.often(0.7):
                lines.append(f'ld.param.b64 %rd1, [{name}];')
        return lines + self.statements(self.r.randrange(1, 7)) + ['ret;', '}']

    def function(self):
        prototype = self.prototype()
        linkage = self.one(['', '', '.visible ', '.weak '])
        lines = [self.head(prototype, linkage) + ';'] if self.often(0.2) else []
        if self.often(0.15):
            self.functions.append(prototype)
            return [self.head(prototype, '.extern ') + ';']
        results, name, parameters = prototype
        lines += [self.head(prototype, linkage), '{', *REGISTERS]
        for _, parameter, kind in parameters:
            if kind in ('b32', 'u32'):
                lines.append(f'ld.param.b32 %r1, [{parameter}];')
        lines += self.statements(self.r.randrange(3))
        for _, result, kind in results:
            if kind in ('b32', 'u32'):
                lines.append(f'st.param.b32 [{result}], %r1;')
        self.functions.append(prototype)
        if self.version >= 63 and not linkage and self.often(0.2):
            alias = (results, self.name('f'), parameters)
            return lines + ['ret;', '}', self.head(alias) + ';', f'.alias {alias[1]}, {name};']
        return lines + ['ret;', '}']

    # Debugging information

    def strings(self):
        lines = ['.section .debug_str', '{']
        for label in self.labels:
            lines += [f'{label}:', '.b8 102, 111, 0']
        return lines + ['}']

    def section(self):
        name = self.one(['.debug_info', '.debug_abbrev', '.debug_line', '.debug_loc', '.nv_debug'])
        lines, labels = [f'.section {name}', '{'], []
        for _ in range(self.r.randrange(5)):
            if self.often(0.3) and self.fits(70):
                labels.append(self.name('D'))
                lines.append(labels[-1] + ':')
            kind = self.one(['b8', 'b8', 'b16', 'b32', 'b64'])
            places = ['.debug_str', '.debug_abbrev+2', 'gv'] + labels
            if len(labels) > 1 and self.fits(75):
                places.append(f'{labels[-1]}-{labels[0]}')
            if kind in ('b32', 'b64') and self.often(0.4):
                lines.append(f'.{kind} {self.one(places)}')
            else:
                value = self.number() if self.often(0.1) else self.one(['0', '1', '17', '127', '0x20'])
                lines.append(f'.{kind} {value}{self.one(["", ", 1", ",2,3"])}')
        return lines + ['}']

    # The module

    def header(self):
        target, first = self.one(TARGETS if self.often(0.1) else TARGETS[5:])
        self.version = self.one([v for v in VERSIONS if v >= max(first, 20)])
        self.clusters = target[3:].rstrip('a') >= '9' or target.startswith('sm_1') and first > 80
        shown = self.version
        options = ''
        if self.often(0.04):
            options = ', ' + self.one(OPTIONS)
        if self.often(0.06):
            shown = self.one(VERSIONS)
        if self.often(0.04):
            target = self.one(TARGETS)[0]
        size = '.address_size 64' if shown >= 23 else ''
        return [f'.version {shown // 10}.{shown % 10}', f'.target {target}{options}', size]

    def lines(self):
        head = self.header()
        self.functions, self.places = [], []
        self.labels = [self.name('I') for _ in range(self.r.randrange(3))] if self.fits(70) else []
        lines = ['.global .align 16 .b32 gv[16];', '.shared .align 16 .b32 sv[16];', '.const .align 16 .b32 cv[16];']
        lines += ['.file 1 "a.cu"'] + (['.file 2 "b.cu", 1234, 99'] if self.often(0.3) and self.version >= 32 else [])
        for _ in range(self.r.randrange(4)):
            kind = self.r.randrange(6)
            if kind < 2:
                links = ['', '', '.visible ', '.extern ', '.weak ' if self.version >= 31 else '', '.common ' if self.version >= 50 else '']
                lines.append(self.variable(['global', 'const', 'shared', 'global'], links)[0])
            elif kind < 5:
                lines += self.function()
            else:
                lines.append(self.pragma())
        lines += self.kernel()
        if self.labels:
            lines += self.strings()
        if self.often(0.3):
            lines += self.section()
        return head + self.spoil(lines)

    # Odd things

    def spoil(self, lines):
        for _ in range(self.r.choices([0, 1, 2], [35, 45, 20])[0]):
            if self.often(0.15):
                line = lines.pop(self.r.randrange(len(lines)))
                lines.insert(self.r.randrange(len(lines) + 1), line)
                continue
            # directives more often than instructions
            weights = [4 if '.' == line[:1] else 1 if line in REGISTERS else 2 for line in lines]
            index = self.r.choices(range(len(lines)), weights)[0]
            lines[index] = self.spoil_line(lines[index], lines)
        return lines

    def spoil_line(self, line, lines):
        words = re.findall(r'"[^"]*"|\.[A-Za-z_][\w:]*|[%$]?\w+|\S', line)
        if not words:
            return line
        at = self.r.randrange(len(words))
        act = self.r.randrange(10)
        if act == 0:
            del words[at]
        elif act == 1:
            words.insert(at, words[at])
        elif act == 2 and at:
            words[at - 1], words[at] = words[at], words[at - 1]
        elif act == 3:
            words.insert(at, self.one(WORDS))
        elif act == 4:
            words.insert(at, self.one(MARKS))
        else:
            words[at] = self.other(words[at], lines)
        text = ''
        for word in words:
            glue = not text or (word[0] in ';,:)]}>' or text[-1] in '([{<@!') or (word[0] == '.' and re.search(r'[\w%]$', text) and not text.rstrip().startswith('.'))
            text += word if glue else ' ' + word
        return text

    def other(self, word, lines):
        """Another word of the same kind."""
        if word[0] == '.':
            return self.one(WORDS)
        if word[0].isdigit() or word[0] == '-':
            return self.number()
        if word[0] == '"':
            return self.one(['"x"', '""', '"nounroll"', '"frequency 3"'])
        if re.match(r'[%$\w]', word):
            names = re.findall(r'(?<![.\w])[%$A-Za-z_]\w*', '\n'.join(lines))
            return self.one(names or ['x'])
        return self.one(MARKS)


def module(seed):
    return '\n'.join(line for line in Draw(seed).lines() if line) + '\n'


if __name__ == '__main__':
    import sys
    print(module(int(sys.argv[1])), end='')
