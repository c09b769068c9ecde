#!/usr/bin/env python3
"""Directives, initialisers, constants, names and scopes: our verdict on small modules, against that of
NVIDIA's assembler.

usage: modules.py check|ptxas|refresh BUILD-ROOT

The cases are in modules/*.ptx, one below the other, each behind a line

    //= accept: name
    //= reject: name
    //= reject, here accept because of REASON: name

that says what ptxas does with it, and why we differ where we do. A case without .version gets PTX 9.0
for sm_90; one in a file *.body.ptx is put in a kernel.

check    what we say; needs no ptxas
ptxas    what ptxas says
refresh  writes into the files what ptxas says
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'lib')]
from tap import Skip, add_case, main, run
import judge

HEAD = re.compile(r'^//= (accept|reject)(?:, here (?:accept|reject) because of (.*?))?: (.*)$', re.M)
VERSION = '.version 9.0\n.target sm_90\n.address_size 64\n'
KERNEL = '.entry k(.param .b64 pp)\n{\n'


class Case:
    def __init__(self, path, match, text):
        self.path, self.verdict, self.reason, self.name = path, *match.groups()
        self.line = match.string.count('\n', 0, match.start()) + 1
        body = f'{KERNEL}{text}\nexit;\n}}\n' if path.name.endswith('.body.ptx') else text
        self.text = body if '.version' in body else VERSION + body
        target = re.search(r'\.target\s+sm_(\w+)', self.text)
        self.arch = judge.arch_of(target.group(1)) if target else 'sm_90'

    def asked(self):
        """The verdict of ptxas, and why it rejects."""
        # Modules with 32-bit addresses it only takes as they are.
        ask = judge.compile_module if '.address_size 64' in self.text else judge.run
        code, output = ask(self.text, self.arch)
        return ('accept', '') if code == 0 else ('reject', output)


def cases_of(path):
    text = path.read_text()
    heads = list(HEAD.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [Case(path, head, text[head.end() + 1:end]) for head, end in zip(heads, ends)]


def all_cases():
    return [case for path in sorted((HERE / 'modules').glob('*.ptx')) for case in cases_of(path)]


def check_case(folder, case, program):
    (folder / 'a.ptx').write_text(case.text)
    done = run([program, '--check', 'a.ptx'], folder)
    assert done.code in (0, 1), done
    ours = 'accept' if done.code == 0 else 'reject'
    agreed = ours == case.verdict
    assert agreed or case.reason, f'ptxas: {case.verdict}, we: {ours}\n{case.text}\n{done.err.decode()}'
    assert not (agreed and case.reason), f'we say the same as ptxas by now: take out "{case.reason}"'


def ask_case(folder, case):
    verdict, why = case.asked()
    assert verdict == case.verdict, f'{verdict}: {why}\n{case.text}'


def skip(folder, reason):
    raise Skip(reason)


def name_of(case):
    return f'{case.path.name}:{case.line} {case.name}'


def check(build):
    for case in all_cases():
        add_case(name_of(case), check_case, case, build / 'cli/ptxoffload')
    main()


def ask(build):
    known = (HERE / 'verdicts.txt').read_text().splitlines()[0].removeprefix('# ')
    release = judge.release() if judge.ptxas() else 'no ptxas here'
    if release != known:
        add_case('ptxas', skip, f'{release}; the verdicts are those of {known}')
    else:
        for case in all_cases():
            add_case(name_of(case), ask_case, case)
    main()


def refresh(build):
    for path in sorted((HERE / 'modules').glob('*.ptx')):
        verdicts = iter([case.asked()[0] for case in cases_of(path)])
        path.write_text(HEAD.sub(lambda head: f'//= {next(verdicts)}' + head.group(0)[10:], path.read_text()))


if __name__ == '__main__':
    commands = {'check': check, 'ptxas': ask, 'refresh': refresh}
    commands[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
