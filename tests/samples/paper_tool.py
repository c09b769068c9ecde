#!/usr/bin/env python3
"""A tool as [002 §5.2] describes it, on the text of the samples, beside ptxoffload.

usage: paper_tool.py BUILD

The tool finds loops by backward conditional branches and straight-line code between labels and branches. It counts
registers that the text of a block reads before it writes them, and those that it writes and that are read behind it, and
applies equations (3) and (4). Every block that it finds must be in the metadata of ptxoffload with the same numbers and,
where the trip count is not a constant, the same verdict; and ptxoffload must find no other loops and straight-line code.
The reading of docs/reference/cost.md is shared: parameters, and what is the same in the whole grid, are free.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SAMPLES = pathlib.Path(__file__).resolve().parents[2] / 'samples'
REGISTER = re.compile(r'%[A-Za-z]\w*(?:\.[xyz])?')
FREE_SPECIAL = re.compile(r'%n(?:tid|ctaid)')
BARRIERS = re.compile(r'(bar|barrier|membar|fence|atom|red|call|ret|exit|trap|vote|shfl|match|activemask)\b')


class Instruction:
    def __init__(self, line, text):
        self.line = line
        guard = re.match(r'@!?(%\w+)\s+', text)
        rest = text[guard.end():] if guard else text
        self.opcode, _, operands = rest.partition(' ') if ' ' in rest else (rest, '', '')
        self.opcode = self.opcode.split('\t')[0]
        operands = rest[len(self.opcode):]
        writes = not re.match(r'(st|bra|bar|ret|exit|membar|red)\b', self.opcode)
        first = re.match(r'\s*(?:\{[^}]*\}|[^,]*)' if writes else '', operands).group(0)
        self.defs = REGISTER.findall(first)
        self.uses = REGISTER.findall(operands[len(first):])
        self.keeps = bool(guard) # lanes whose guard is false keep the old value
        if guard:
            self.uses.append(guard.group(1))
        self.operands = operands
        self.target = operands.strip() if self.opcode.startswith('bra') else None
        self.conditional = bool(guard)

    def is_load(self):
        return bool(re.match(r'ld\.(global|local|volatile\.global)|ld\.[usfb]\d', self.opcode))

    def is_store(self):
        return bool(re.match(r'st\.(global|local|volatile\.global)|st\.[usfb]\d', self.opcode))

    def is_barred(self):
        return bool(BARRIERS.match(self.opcode)) or '.shared' in self.opcode


class Kernel:
    """Instructions, and the number of the one behind each label."""

    def __init__(self, name, body):
        self.name, self.code, self.labels = name, [], {}
        for line, text in body:
            label = re.match(r'([$\w]+):\s*', text)
            if label:
                self.labels[label.group(1)] = len(self.code)
                text = text[label.end():]
            text = text.strip().rstrip(';').strip()
            if text and text[0] not in '.{}':
                self.code.append(Instruction(line, text))
        self.successors = [self.next_of(i) for i in range(len(self.code))]
        self.free = self.find_free()
        self.live = self.find_live()

    def next_of(self, i):
        at = self.code[i]
        after = [i + 1] if i + 1 < len(self.code) else []
        if at.opcode in ('ret', 'exit'):
            return after if at.conditional else []
        if at.target is None:
            return after
        return [self.labels[at.target]] + (after if at.conditional else [])

    def find_free(self):
        """Registers in front of each instruction that hold parameters, as they were loaded or handed on."""
        everything = {name for at in self.code for name in at.defs}
        free = [set()] + [set(everything) for _ in self.code]
        changed = True
        while changed:
            changed = False
            for i, at in enumerate(self.code):
                behind = (free[i] | set(at.defs)) if self.hands_on(at, free[i]) else free[i] - set(at.defs)
                for k in self.successors[i]:
                    if not free[k] <= behind:
                        free[k] &= behind
                        changed = True
        return free

    @staticmethod
    def hands_on(at, free):
        if at.keeps:
            return False
        if at.opcode.startswith('ld.param'):
            return True
        return bool(re.match(r'(mov|cvta)\b', at.opcode)) and len(at.uses) == 1 and \
            (at.uses[0] in free or bool(FREE_SPECIAL.match(at.uses[0])))

    def find_live(self):
        """Registers that are live in front of each instruction."""
        live = [set() for _ in self.code] + [set()]
        changed = True
        while changed:
            changed = False
            for i in range(len(self.code) - 1, -1, -1):
                at = self.code[i]
                behind = set().union(*(live[k] for k in self.successors[i])) if self.successors[i] else set()
                now = (behind - (set() if at.keeps else set(at.defs))) | set(at.uses)
                if now != live[i]:
                    live[i], changed = now, True
        return live


def read(path):
    kernels, name, body, depth = [], None, None, 0
    for number, text in enumerate(path.read_text().splitlines(), 1):
        text = text.split('//')[0]
        entry = re.match(r'\s*(?:\.visible\s+)?\.entry\s+(\w+)', text)
        if entry:
            name, body, depth = entry.group(1), None, 0
        if name and body is None and text.strip() == '{':
            body = []
        elif body is not None and text.strip() == '}':
            kernels.append(Kernel(name, body))
            name = body = None
        elif body is not None:
            body.append((number, text.strip()))
    return kernels


def numbers(kernel, first, last):
    """What a block of the instructions first to last moves and saves."""
    code = kernel.code[first:last + 1]
    inside = range(first, last + 1)
    written = {name for at in code for name in at.defs}
    behind = {k for i in inside for k in kernel.successors[i] if k not in inside}
    read_behind = set().union(*(kernel.live[k] for k in behind)) if behind else set()
    live_in = {name for name in kernel.live[first] if any(name in at.uses for at in code)}
    # a value that is only kept by lanes, and read behind, comes in as well
    live_in |= {name for name in kernel.live[first] if name in written and name in read_behind}
    live_in = {name for name in live_in if name not in kernel.free[first] or name in written}
    specials = {name for at in code for name in at.uses if re.match(r'%(tid|ctaid|laneid)', name)}
    live_in = {name for name in live_in if not FREE_SPECIAL.match(name)} | specials
    live_out = written & read_behind
    return live_in, live_out, sum(at.is_load() for at in code), sum(at.is_store() for at in code)


def words(names):
    return sum(1 if re.match(r'%p\d', name) else 32 for name in names)


def threshold(found):
    live_in, live_out, loads, stores = found
    moved = words(live_in) + words(live_out)
    saved = loads * (0.5 + 16) + stores * (33 + 0.25)
    return int(moved // saved) + 1 if saved else 0


def loops(kernel):
    """First and last instruction of each loop whose text is in one piece."""
    ends = {}
    for i, at in enumerate(kernel.code):
        if at.target and at.conditional and kernel.labels[at.target] <= i:
            ends[kernel.labels[at.target]] = i
    for first, last in ends.items():
        inside = range(first, last + 1)
        exits = {k for i in inside for k in kernel.successors[i] if k not in inside}
        enters = [i for i in range(len(kernel.code)) if i not in inside
                  for k in kernel.successors[i] if k in inside and k != first]
        barred = any(kernel.code[i].is_barred() for i in inside)
        yield first, last, len(exits) == 1 and not enters and not barred


def straight(kernel):
    """First and last instruction of straight-line code without its final branch."""
    begins = set(kernel.labels.values()) | {0}
    begins |= {i + 1 for i, at in enumerate(kernel.code) if at.target or at.opcode in ('ret', 'exit')}
    starts = sorted(i for i in begins if i < len(kernel.code)) + [len(kernel.code)]
    for first, after in zip(starts, starts[1:]):
        last = after - 1
        at = kernel.code[last]
        if at.target or at.opcode in ('ret', 'exit'):
            last -= 1
        accesses = any(each.is_load() or each.is_store() for each in kernel.code[first:last + 1])
        if last >= first and accesses and not any(each.is_barred() for each in kernel.code[first:last + 1]):
            yield first, last


def compare(kernel, blocks):
    """Yields what differs, for one kernel."""
    code, expected = kernel.code, set()
    by_place = {(block['kind'], block['begin_line'], block['end_line']): block for block in blocks}
    inner = {(first, last) for first, last, _ in loops(kernel)}
    for first, last, good in loops(kernel):
        key = 'loop', code[first].line, code[last].line
        expected.add(key)
        nested = any(f >= first and l <= last and (f, l) != (first, last) for f, l in inner)
        yield from differences(kernel, key, by_place.get(key), numbers(kernel, first, last), good, nested)
    for first, last in straight(kernel):
        key = 'block', code[first].line, code[last].line
        expected.add(key)
        yield from differences(kernel, key, by_place.get(key), numbers(kernel, first, last), True, False)
    for key in sorted(set(by_place) - expected):
        yield '%s: %s, which the tool does not find' % (kernel.name, key)


def differences(kernel, key, block, found, good, nested):
    where = '%s: %s' % (kernel.name, key)
    if block is None:
        yield where + ' is not in the metadata'
        return
    same = {'live_in': len(found[0]), 'live_out': len(found[1])}
    if not nested: # a loop with a constant trip count in it multiplies
        same.update(loads=found[2], stores=found[3])
    for name, value in same.items():
        theirs = len(block[name]) if isinstance(block[name], list) else block[name]
        if theirs != value:
            yield '%s: %s %s, by the tool %s %s' % (where, name, block[name], value, sorted(found[0 if name == 'live_in' else 1]))
    least = threshold(found)
    constant = key[0] == 'loop' and not block['condition'] and block['candidate'] != (good and least == 1)
    if nested or constant:
        return
    if block['condition']:
        if not good or least != block['condition']['threshold']:
            yield '%s: condition %s, by the tool >= %d' % (where, block['condition'], least)
    elif block['candidate'] != (good and least == 1):
        yield '%s: candidate %s, by the tool from %d iterations' % (where, block['candidate'], least)


def main():
    command, count, failed = sys.argv[1] + '/cli/ptxoffload', 0, False
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(SAMPLES.glob('*/*.ptx')):
            subprocess.run([command, str(path), '-w', '--cost=tom', '--candidates=loops,blocks', '-o', folder + '/o.ptx',
                            '--metadata=' + folder + '/o.json'], check=True)
            document = json.loads(pathlib.Path(folder, 'o.json').read_text())
            blocks = {kernel['name']: kernel['blocks'] for kernel in document['kernels']}
            wrong = [text for kernel in read(path) for text in compare(kernel, blocks.get(kernel.name, []))]
            count += 1
            failed |= bool(wrong)
            print('%s %d - %s' % ('not ok' if wrong else 'ok', count, path.relative_to(SAMPLES)))
            for text in wrong:
                print('# ' + text)
    print('1..%d' % count)
    return 1 if failed or not count else 0


if __name__ == '__main__':
    sys.exit(main())
