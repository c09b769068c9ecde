#!/usr/bin/env python3
"""Our verdict on modules drawn by seed (draw.py), against that of NVIDIA's assembler.

usage: drawn.py check BUILD-ROOT
       drawn.py ptxas BUILD-ROOT [FIRST-SEED COUNT]
       drawn.py refresh BUILD-ROOT

check    the modules whose verdicts by ptxas are in drawn.txt; needs no ptxas
ptxas    the first of them, or others, which ptxas judges now
refresh  asks ptxas for the modules of drawn.txt and writes it

The two may differ where a line of REASONS says why: by what ptxas says, or by what we say.
"""
import hashlib
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / 'lib')]
from tap import Skip, add_case, main, run
import draw
import judge

STORED = HERE / 'drawn.txt'
COUNT = 2000 # modules in drawn.txt
ASKED = 200  # those that ptxas is asked for
GROUP = 100  # modules in a case
SHOWN = 5
# What ptxas says, or what we say, where the other one accepts; and why
REASONS = [
    (r'^(ptxas fatal   : )?$', 'ptxas fails without a message'),
    (r'32-[Bb]it', 'this ptxas has no 32-bit addresses any more'),
    (r'ABI mismatch when', 'ptxas does not compile abi_param_reg for functions that it made itself'),
    (r'cannot use cvta\.const', 'a kernel with a pointer to .const excludes cvta.const elsewhere; we do not look there'),
    (r"must be a register or a number", 'ptxas takes functions and sums as values'),
    (r'cannot be compiled to future architecture', 'of the command line'),
    (r'Illegal branch target, label expected',
     'ptxas takes a name of the module for the label of this name that follows'),
    (r'a texture, sampler or surface|samplers need',
     'the manual has opaque variables in .global only; ptxas does not look at arrays'),
    (r'is not allowed for per-function compilation modes', 'of the command line'),
    (r'Not a name of any known instruction', 'we keep unknown opcodes, with a warning'),
    (r'more than 16777216 registers', 'a limit of ours, so that a declaration takes no gigabytes'),
    (r'a number of 32 bits|an index of 32 bits', 'ptxas takes 2^63 alone, by an overflow'),
    (r"^.*'\.func' in a body", 'the manual declares functions outside of bodies'),
    (r"'\.version', expected name", 'ptxas takes .version alone of all directives as the name of a section'),
    (r'number of parameter registers differ', 'abi_param_reg changes one of two equal declarations in ptxas'),
    (r'does not fit in 64 bits', 'ptxas reads the lower 64 bits of an integer'),
]


def asked(text):
    """None if ptxas accepts the module, else what it says first."""
    target = re.search(r'\.target\s+(sm_\w+)', text)
    arch = judge.arch_of(target.group(1)[3:]) if target else 'sm_75'
    code, output = judge.compile_module(text, arch)
    first = (output.strip().splitlines() or [''])[0]
    return None if code == 0 else re.sub(r'^ptxas \S+, ', '', first)


def ours(folder, program, text):
    """None if we accept the module, else our first error."""
    (folder / 'a.ptx').write_text(text)
    done = run([program, '--check', 'a.ptx'], folder)
    assert done.code in (0, 1), done
    errors = [line for line in done.err.decode(errors='replace').splitlines() if ': error: ' in line]
    return None if done.code == 0 else (errors or [''])[0]


def reason(theirs, our):
    said = theirs if our is None else our
    return next((why for pattern, why in REASONS if re.search(pattern, said)), None)


def compare(folder, program, seeds, verdict):
    wrong = []
    for seed in seeds:
        text = draw.module(seed)
        theirs, our = verdict(seed, text), ours(folder, program, text)
        if (theirs is None) != (our is None) and not reason(theirs, our):
            wrong.append(f'seed {seed}: ptxas: {theirs or "accepts it"}\nwe: {our or "accept it"}')
    assert not wrong, f'{len(wrong)} of {len(seeds)} differ\n' + '\n'.join(wrong[:SHOWN])


def digest(count):
    return hashlib.sha256(''.join(map(draw.module, range(count))).encode()).hexdigest()[:16]


def read_stored():
    """What ptxas said to each module: None, or its complaint."""
    _, known, *lines = STORED.read_text().splitlines()
    assert known == f'# {digest(COUNT)}', 'the generator has changed: refresh drawn.txt'
    return [None if line == '-' else line for line in lines]


def check(build):
    program, stored = build / 'cli/ptxoffload', read_stored()
    assert len(stored) == COUNT
    for first in range(0, COUNT, GROUP):
        add_case(f'modules {first} to {first + GROUP - 1}', compare, program,
                 range(first, first + GROUP), lambda seed, _: stored[seed])
    main()


def skip(folder, why):
    raise Skip(why)


def ask(build, first=0, count=ASKED):
    program = build / 'cli/ptxoffload'
    known = STORED.read_text().splitlines()[0].removeprefix('# ')
    release = judge.release() if judge.ptxas() else 'no ptxas here'
    if release != known:
        add_case('ptxas', skip, f'{release}; the verdicts are those of {known}')
        main()
    for at in range(first, first + count, GROUP):
        seeds = range(at, min(at + GROUP, first + count))
        add_case(f'modules {at} to {seeds[-1]}', compare, program, seeds, lambda _, text: asked(text))
    main()


def refresh(build):
    lines = [asked(draw.module(seed)) for seed in range(COUNT)]
    STORED.write_text(f'# {judge.release()}\n# {digest(COUNT)}\n' +
                      ''.join('-\n' if line is None else line + '\n' for line in lines))


if __name__ == '__main__':
    commands = {'check': check, 'ptxas': ask, 'refresh': refresh}
    commands[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve(), *map(int, sys.argv[3:]))
