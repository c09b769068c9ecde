"""What ptxas says of single instructions: None (accepted), or why it rejects one; CRASH if it
crashes, finds no registers for one, or refuses modules with 32-bit addresses altogether.

Many instructions are put in one kernel. ptxas tells most faults by line and goes on; some end the
run. What a run does not complain of is asked again without the lines that were rejected, until a run
is clean: then all that are left are accepted.
"""
import os
import re
import resource
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, 'registers.inc')) as text:
    DECLARATIONS = {name: whole for whole, name in re.findall(r'(\.reg \.\w+ (\w+)<9>;)', text.read())}
SYMBOLS = {
    'tx': '.global .texref tx;',
    'su': '.global .surfref su;',
    'gv': '.global .align 16 .b32 gv[64];',
    'sv': '.shared .align 16 .b32 sv[64];',
    'cv': '.const .align 16 .b32 cv[64];',
    'fn': '.func fn() { ret; }',
}
INSIDE = {
    'lv': '.local .align 16 .b32 lv[64];',
    'lp': '.param .align 16 .b8 lp[64];',
    'T': 'T: .branchtargets L;',
    'C': 'C: .callprototype _ ();',
}
# Not of `ptxas <builtin>, line 7`: a line of the body by which ptxas replaces an instruction.
LINE = re.compile(r'(?<!<builtin>, )line (\d+); (error|fatal)\s*: (.*)')
BATCH = 300
MEMORY = 1 << 30 # bytes, more than any module here takes unless ptxas runs away
SECONDS = 60
CRASH = 'ptxas does not say'
# A failure of ptxas itself, on some hosts only: the instruction is not judged.
FAILURES = ('emory allocation failure', 'Register allocation failed')


def ptxas():
    return os.environ.get('PTXAS') or shutil.which('ptxas') or shutil.which('/usr/local/cuda/bin/ptxas')


def release():
    """'ptxas 13.0, V13.0.88'"""
    text = subprocess.run([ptxas(), '--version'], capture_output=True, text=True).stdout
    return 'ptxas ' + re.search(r'release (.*)', text).group(1)


def module(version, target, lines):
    """The text, and the number of lines in front of the first instruction."""
    words = set(re.findall(r'[A-Za-z]\w*', '\n'.join(lines)))
    families = {word.rstrip('0123456789') for word in words}
    head = f'.version {version // 10}.{version % 10}\n.target sm_{target}\n'
    head += '.address_size 64\n' if version >= 23 else ''
    symbols = dict(SYMBOLS, tx='.tex .u32 tx;') if version < 15 else SYMBOLS # before .texref
    head += ''.join(text + '\n' for name, text in symbols.items() if name in words)
    head += '.entry k(.param .b64 pp)\n{\n' if version >= 14 else '.entry k\n{\n'
    head += ''.join(text + '\n' for name, text in DECLARATIONS.items() if name in families)
    head += ''.join(text + '\n' for name, text in INSIDE.items() if name in words)
    body = ''.join(line + '\n' for line in lines)
    return head + body + 'L: exit;\n}\n', head.count('\n')


def run(text, arch, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'a.ptx')
        with open(path, 'w') as out:
            out.write(text)
        try:
            done = subprocess.run([ptxas(), '-O0', '-w', *options, f'-arch={arch}', path, '-o', os.devnull],
                                  capture_output=True, text=True, timeout=SECONDS,
                                  preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
        except subprocess.TimeoutExpired:
            return -1, ''
    return done.returncode, done.stdout + done.stderr


def compile_module(text, arch):
    """Exit code and output for a module that is linked later; as it is where ptxas cannot do that."""
    code, output = run(text, arch, '--compile-only')
    if 'Compile only' in output or 'per-function compilation' in output:
        code, output = run(text, arch)
    return code, output


def arch_of(target):
    """The oldest architecture of this ptxas that runs code for a target."""
    return 'sm_75' if int(re.sub(r'\D', '', target)) < 75 else 'sm_' + target


def ask(version, target, lines):
    """What one run finds: by line, or {} if it is clean, or None if that cannot be told by line."""
    text, before = module(version, target, lines)
    code, output = run(text, arch_of(target))
    if code == 0:
        return {}
    if (code < 0 or any(failure in output for failure in FAILURES) or
            ('32-Bit' in output and not LINE.search(output))):
        return {0: CRASH} if len(lines) == 1 else None
    bad = {}
    for match in LINE.finditer(output):
        index = int(match.group(1)) - before - 1
        if 0 <= index < len(lines):
            bad.setdefault(index, match.group(3))
    if not bad and len(lines) == 1:
        bad[0] = (output.strip().splitlines() or [f'exit {code}'])[0]
    return bad or None


def judge_batch(version, target, lines):
    verdict = [None] * len(lines)
    left = list(range(len(lines)))
    while left:
        bad = ask(version, target, [lines[i] for i in left])
        if bad is None:
            half = len(left) // 2
            for part in (left[:half], left[half:]):
                for i, why in zip(part, judge_batch(version, target, [lines[k] for k in part])):
                    verdict[i] = why
            break
        for index, why in bad.items():
            verdict[left[index]] = why
        left = [i for index, i in enumerate(left) if index not in bad] if bad else []
    return verdict


def judge(version, target, lines):
    found = []
    for at in range(0, len(lines), BATCH):
        found += judge_batch(version, target, lines[at:at + BATCH])
    return found


if __name__ == '__main__':
    import sys
    instructions = [line.rstrip('\n') for line in sys.stdin if line.strip()]
    for line, why in zip(instructions, judge(int(sys.argv[1]), sys.argv[2].replace('sm_', ''), instructions)):
        print(f'{"ERR" if why else "ok "} {line:55} {why or ""}')
