#!/usr/bin/env python3
"""Our verdict on instructions, made from the table of forms, against that of NVIDIA's assembler.

usage: verdicts.py check|refresh BUILD-ROOT
       verdicts.py ptxas BUILD-ROOT [PART/PARTS]
       verdicts.py list BUILD-ROOT

check    our verdicts against verdicts.txt, where those of ptxas are kept; needs no ptxas. Where the
         two differ, disagreements.txt must say why.
ptxas    verdicts.txt against what ptxas says now, for a part of the forms: another one each day,
         unless the part is given (0/1: all).
list     disagreements.txt once more, from what verdicts.txt says
refresh  asks ptxas for everything (ten minutes of CPU time), writes verdicts.txt, and
         disagreements.txt with what is new under "new", where a reason must be given.
"""
import collections
import concurrent.futures
import datetime
import hashlib
import itertools
import os
import pathlib
import re
import subprocess
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'lib')]
from tap import Skip, add_case, case, main
import judge

VERDICTS, DISAGREEMENTS = HERE / 'verdicts.txt', HERE / 'disagreements.txt'
NEWEST = 90 # what the ptxas of verdicts.txt reads
PARTS = 16
SHOWN = 20
ACCEPTED, REJECTED, UNKNOWN = 'ar?'

Sample = collections.namedtuple('Sample', 'version target text')


def isa_forms(build, command, text=''):
    done = subprocess.run([build / 'tests/isa/isa-forms', command], input=text, text=True,
                          capture_output=True, check=True)
    return done.stdout.splitlines()


def generated(build):
    """(op, row) to its samples; what an earlier form has made already is left out."""
    forms, seen = collections.OrderedDict(), set()
    for line in isa_forms(build, 'list'):
        op, row, version, target, text = line.split('\t')
        sample = Sample(int(version), target, text)
        samples = forms.setdefault((op, int(row)), [])
        if sample not in seen:
            seen.add(sample)
            samples.append(sample)
    return forms


def ours(build, samples):
    """Sample to None, or why our checker rejects it."""
    lines = ''.join(f'-\t-\t{s.version}\t{s.target}\t{s.text}\n' for s in samples)
    verdicts = isa_forms(build, 'judge', lines)
    assert len(verdicts) == len(samples)
    return {sample: None if line[0] == '1' else line[2:] for sample, line in zip(samples, verdicts)}


def theirs(samples):
    """Sample to 'a', 'r' or '?' by ptxas."""
    groups = collections.defaultdict(list)
    for sample in samples:
        groups[sample.version, sample.target].append(sample)

    def ask(group):
        (version, target), members = group
        if version > NEWEST:
            return [UNKNOWN] * len(members)
        found = judge.judge(version, target, [sample.text for sample in members])
        return [ACCEPTED if why is None else UNKNOWN if why == judge.CRASH else REJECTED
                for why in found]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(ask, groups.items())
        return {sample: verdict for members, found in zip(groups.values(), answers)
                for sample, verdict in zip(members, found)}


# verdicts.txt: a line per form: opcode, its row among the opcode's, a digest of the samples, and their
# verdicts in order: a12r3 is twelve accepted and three rejected

def digest(samples):
    text = ''.join(f'{s.version} {s.target} {s.text}\n' for s in samples)
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def packed(verdicts):
    return ''.join(f'{verdict}{len(list(run))}' for verdict, run in itertools.groupby(verdicts)) or '-'


def unpacked(text):
    return ''.join(verdict * int(count) for verdict, count in re.findall(r'([ar?])(\d+)', text))


def read_verdicts():
    """The release of ptxas, and (op, row) to (digest, verdicts)."""
    first, *lines = VERDICTS.read_text().splitlines()
    table = {}
    for line in lines:
        op, row, key, runs = line.split()
        table[op, int(row)] = key, unpacked(runs)
    return first.removeprefix('# '), table


def write_verdicts(forms, verdicts):
    lines = [f'# {judge.release()}']
    for (op, row), samples in forms.items():
        lines.append(f'{op} {row} {digest(samples)} {packed(verdicts[s] for s in samples)}')
    VERDICTS.write_text('\n'.join(lines) + '\n')


# disagreements.txt: "= class, ptxas takes: reason" or "= class, ptxas rejects: reason", below it lines
# "count pattern": how many instructions, as "version target text", the regular expression is found in
# that no earlier one has. What is listed without a pattern has none yet.

class Pattern:
    def __init__(self, head, line):
        self.head = head
        self.taken = ', ptxas takes: ' in head
        count, self.text = line.split(' ', 1)
        self.count = int(count)
        self.regex = re.compile(self.text)
        self.found = 0

    def explains(self, sample, taken):
        return taken == self.taken and self.regex.search(f'{sample.version} {sample.target} {sample.text}')


def read_patterns():
    head, patterns = None, []
    for line in DISAGREEMENTS.read_text().splitlines():
        if line.startswith('= '):
            head = line
        elif line and line[0] != '#':
            patterns.append(Pattern(head, line))
    return patterns


def sort_out(differing, patterns):
    """Counts what each pattern explains; returns what none does."""
    new = []
    for sample, taken in differing.items():
        for pattern in patterns:
            if pattern.explains(sample, taken):
                pattern.found += 1
                break
        else:
            new.append((sample, taken))
    return new


def write_disagreements(differing):
    patterns = read_patterns()
    new = sort_out(differing, patterns)
    text = '\n'.join(itertools.takewhile(lambda line: not line.startswith('= '),
                                         DISAGREEMENTS.read_text().splitlines())).rstrip() + '\n'
    for head, members in itertools.groupby(patterns, lambda pattern: pattern.head):
        lines = [f'{pattern.found} {pattern.text}\n' for pattern in members if pattern.found]
        text += f'\n{head}\n' + ''.join(lines) if lines else ''
    for taken in True, False:
        lines = [f'1 ^{re.escape(f"{s.version} {s.target} {s.text}")}$\n' for s, was in new if was == taken]
        text += f'\n= new, ptxas {"takes" if taken else "rejects"}: \n' + ''.join(lines) if lines else ''
    DISAGREEMENTS.write_text(text)


def compare(samples, verdicts, own):
    """What the two do not agree on, to whether ptxas takes it."""
    return {sample: verdict == ACCEPTED for sample, verdict in zip(samples, verdicts)
            if verdict != UNKNOWN and (verdict == ACCEPTED) != (own[sample] is None)}


def complaint(sample, taken, own):
    said = 'ptxas takes it' if taken else 'ptxas rejects it'
    return (f'PTX {sample.version}, sm_{sample.target}: {sample.text} {said}, '
            f'we {"reject it: " + own[sample] if own[sample] else "take it"}')


def fail(lines):
    if lines:
        more = [f'... and {len(lines) - SHOWN} more'] if len(lines) > SHOWN else []
        raise AssertionError('\n'.join(['', *lines[:SHOWN], *more]))


def check_op(folder, op, forms, table, own, patterns):
    complaints = []
    for (name, row), samples in forms.items():
        if name != op:
            continue
        key, verdicts = table.get((op, row), (None, ''))
        if key != digest(samples):
            complaints.append(f'form {row}: no verdicts for what is generated now; refresh them')
            continue
        new = sort_out(compare(samples, verdicts, own), patterns)
        complaints += [complaint(sample, taken, own) for sample, taken in new]
    fail(complaints)


def check(build):
    forms = generated(build)
    _, table = read_verdicts()
    patterns = read_patterns()
    own = ours(build, [sample for samples in forms.values() for sample in samples])
    for op in dict.fromkeys(op for op, _ in forms):
        count = sum(len(samples) for (name, _), samples in forms.items() if name == op)
        add_case(f'{op}: {count} instructions', check_op, op, forms, table, own, patterns)

    @case
    def all_there(folder):
        """each disagreement that is listed is there and has a reason; each verdict has its form"""
        fail([f'{pattern.text}: {pattern.found} disagreements, not {pattern.count}'
              for pattern in patterns if pattern.found != pattern.count] +
             [f'{pattern.text}: no reason' for pattern in patterns if pattern.head.endswith(': ')] +
             [f'no such form: {op} {row}' for op, row in table if (op, row) not in forms])
    main()


# ptxas crashes on some instructions on some hosts only, so that a kept verdict may not be had again,
# and one that was not had before may be had now.
MOST_CRASHES = 10


def ask_group(folder, forms, table):
    samples = [sample for chosen in forms.values() for sample in chosen]
    now = theirs(samples)
    complaints, crashes = [], []
    for name, chosen in forms.items():
        kept = table.get(name, (None, ''))[1]
        for s, before in zip(chosen, kept):
            if now[s] != before != UNKNOWN:
                crashed = now[s] == UNKNOWN and before == ACCEPTED
                (crashes if crashed else complaints).append(
                    f'PTX {s.version}, sm_{s.target}: {s.text} was {before}, is {now[s]}')
    fail(complaints if len(crashes) <= MOST_CRASHES else complaints + crashes)


def skip(folder, reason):
    raise Skip(reason)


def ask_ptxas(build, part=None):
    known, table = read_verdicts()
    release = judge.release() if judge.ptxas() else 'no ptxas here'
    if release != known:
        add_case('ptxas', skip, f'{release}; the verdicts are those of {known}')
        return main()
    day = datetime.date.today().timetuple().tm_yday
    part, parts = map(int, part.split('/')) if part else (day % PARTS, PARTS)
    forms = {name: samples for name, samples in generated(build).items()
             if zlib.crc32(repr(name).encode()) % parts == part}
    count = sum(map(len, forms.values()))
    add_case(f'part {part}/{parts}: {len(forms)} forms, {count} instructions', ask_group, forms, table)
    return main()


def refresh(build):
    forms = generated(build)
    samples = [sample for chosen in forms.values() for sample in chosen]
    verdicts, own = theirs(samples), ours(build, samples)
    write_verdicts(forms, verdicts)
    differing = compare(samples, [verdicts[sample] for sample in samples], own)
    write_disagreements(differing)
    print(f'{len(forms)} forms, {len(samples)} instructions, {len(differing)} disagreements')


def list_differing(build):
    """The disagreements by verdicts.txt, into disagreements.txt."""
    forms, (_, table) = generated(build), read_verdicts()
    samples = [sample for chosen in forms.values() for sample in chosen]
    verdicts = ''.join(table[name][1] for name in forms)
    write_disagreements(compare(samples, verdicts, ours(build, samples)))


if __name__ == '__main__':
    commands = {'check': check, 'ptxas': ask_ptxas, 'refresh': refresh, 'list': list_differing}
    commands[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:])
