"""Building and running programs of suites with ptxoffload-run: for eval/programs.py."""
import collections
import json
import os
import pathlib
import re
import resource
import shlex
import shutil
import subprocess

OLD = pathlib.Path(__file__).resolve().parent / 'programs_old'
NVCC = shutil.which('nvcc') or '/usr/local/cuda/bin/nvcc'
PASSED = re.compile(r'\bPASS(ED)?\b|\bsuccess|\bcorrect\b|\bverified\b|\bmatch(es|ed)?\b|\bOK\b', re.I)
FAILED = re.compile(r'\bFAIL(ED|URE)?\b|mismatch|\bincorrect|\bwrong|do(es)? not match', re.I)
# What a program that is too large is tried with: each number above the limit is divided by its largest power of
# two that leaves at least the limit. The first attempt has the suite's own arguments.
LIMITS = (0, 2048, 256, 16)
TIME_OVER = 1000


def run(command, folder, seconds, environment=None):
    """(exit code, or TIME_OVER; output; CPU seconds of all processes)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)

    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 2))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, preexec_fn=limit,
                              stderr=subprocess.STDOUT, timeout=20 * seconds, stdin=subprocess.DEVNULL,
                              env={**os.environ, **(environment or {})})
        text, code = done.stdout.decode(errors='replace'), done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = (late.stdout or b'').decode(errors='replace'), TIME_OVER
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return (TIME_OVER if code in (-24, -9, 152, 137) else code), text, spent


def first_error(text):
    for line in text.splitlines():
        if re.search(r'error|undefined reference|fatal|cannot find', line, re.I):
            return re.sub(r'/\S*/', '', line.strip())[:160]
    return (text.strip().splitlines() or ['no message'])[-1][:160]


# Building

def sources_of(folder, patterns):
    found = []
    for pattern in patterns:
        found += sorted(folder.glob(pattern)) if '*' in pattern else [folder / pattern]
    return list(dict.fromkeys(found))


def change_copy(program, folder):
    """Makes the edits, and replaces sizes that are defined in the program's header."""
    def smaller(match):
        return match[1] + str(min(int(match[3]), program['sizes'].get(match[2], 256)))
    for name, before, after in program.get('edits', ()):
        text = (folder / name).read_text()
        (folder / name).write_text(text.replace(before, after))
    for path in folder.glob(program.get('header', '')) if program.get('header') else ():
        text = path.read_text()
        path.write_text(re.sub(r'^(\s*#\s*define\s+(\w+)\s+)(\d+)', smaller, text, flags=re.M))
    for name, make, *arguments in program.get('made', []):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        make(path, *arguments)


def compile_sources(program, folder, to, options):
    command = [NVCC, '-w', '-O2', '-arch=' + options.arch, '-cudart', options.cudart, '-include',
               OLD / 'old_names.h', '-I', OLD, '-L', options.build / 'cli' / 'cuda', *program.get('options', []),
               '-o', to, *sources_of(folder, program['sources'])]
    code, text, _ = run(command, folder, 600)
    return None if code == 0 else first_error(text)


def make_program(folder, to, options):
    """Builds with the program's own Makefile, whose variables HeCBench has in common."""
    settings = ['ARCH=' + options.arch, 'CC=' + NVCC, 'NVCC=' + NVCC, 'OPTIMIZE=yes']
    appended = {'NVCC_APPEND_FLAGS': '-w -cudart ' + options.cudart}
    code, text, _ = run(['make', *settings], folder, 600, appended)
    if code != 0:
        return first_error(text), []
    code, text, _ = run(['make', '-n', 'run', *settings], folder, 60, appended)
    words = [shlex.split(line) for line in text.splitlines() if './' in line.split(' ')[0]]
    if code != 0 or not words:
        return 'its Makefile has no rule to run it', []
    shutil.copy2(folder / words[0][0], to)
    return None, words[0][1:]


# Running

def smaller_number(word, limit):
    if not re.fullmatch(r'\d+', word) or int(word) <= limit:
        return word
    number = int(word)
    while number // 2 >= limit:
        number //= 2
    return str(number)


def verdict_of(program, code, text):
    """(what ran, what its own check says, reason)"""
    fault = re.search(r'ptxoffload-run: error: (.*)|\.ptx: error: (.*)|\.ptx:\d+:\d+: error: (.*)', text)
    missing = re.findall(r'note: (\w+) is not supported', text)
    note = 'without ' + ', '.join(missing) if missing else program.get('note', '')
    if code == TIME_OVER:
        return 'time is over', '', note
    if fault:
        return 'fault', '', next(filter(None, fault.groups()))[:200]
    if code < 0:
        return 'signal %d' % -code, '', note
    check = 'none'
    if program.get('passed') or program.get('failed'):
        failed = program.get('failed', '\0') in text
        passed = any(one in text for one in program.get('passed', [''])) and not failed
        check = 'passed' if passed else 'failed'
    elif program.get('guess'):
        check = 'failed' if FAILED.search(text) else 'passed' if PASSED.search(text) else 'none'
    return ('ran' if code == 0 else 'exit code %d' % code), check, note


def simulate(program, folder, to, options, arguments, *more, seconds):
    code, text, spent = run([options.build / 'cli' / 'ptxoffload-run', '-w', '-q', *more, *program.get('run', []), '--',
                             to, *arguments], folder, seconds)
    if options.shows:
        print(text)
    return verdict_of(program, code, text), spent


def offload(program, folder, to, options, arguments, policy):
    """A run by cycles with tagged PTX: its verdict, instances, chains and blocks found, and rules of rejection."""
    (verdict, check, reason), spent = simulate(
        program, folder, to, options, arguments, '--offload=--metadata=tags.json', '--json=out.json', *policy,
        seconds=options.timed_seconds)
    row = {'ran': verdict, 'check': check, 'reason': reason, 'seconds': round(spent, 1)}
    try:
        kernels = json.loads((folder / 'tags.json').read_text())['kernels']
        rejected = collections.Counter(one['kind'] + ' ' + one['rule'] for kernel in kernels
                                       for one in kernel['rejected'])
        blocks = sum(block['candidate'] and not block['passed_over'] for kernel in kernels for block in kernel['blocks'])
        row.update(chains=sum(len(kernel['chains']) for kernel in kernels), blocks=blocks, kernels=len(kernels),
                   rejected=dict(rejected))
        total = json.loads((folder / 'out.json').read_text())['total']
        row.update(cycles=total['cycles'], offloaded=total['offload'])
    except (OSError, ValueError):  # the program did not end
        pass
    return row


POLICIES = {'baseline': ['--config=isca19'], 'omni': ['--config=isca19', '--policy=omni'],
            'tom-ctrl': ['--config=tom', '--policy=tom-ctrl']}


def try_program(program, folder, to, options):
    """The row of a program that was built: functional, by cycles, and offloaded, as far as wanted."""
    tried = []
    for limit in LIMITS if program.get('guess') else (0,):
        arguments = [smaller_number(word, limit) if limit else word for word in program.get('arguments', [])]
        if arguments in tried:
            continue
        tried.append(arguments)
        (ran, check, reason), spent = simulate(program, folder, to, options, arguments, '--functional',
                                               seconds=options.seconds)
        if ran != 'time is over':
            break
    if len(tried) > 1 and (ran != 'ran' or check == 'failed'):  # sizes that the program may not accept
        ran, check, reason = 'time is over', '', 'smaller arguments: %s' % (reason or check or ran)
    row = {'ran': ran, 'check': check, 'reason': reason, 'seconds': round(spent, 1), 'arguments': ' '.join(arguments)}
    if ran != 'ran' or check == 'failed' or spent > options.timed_limit:
        return row
    for policy in options.policies:
        row[policy] = offload(program, folder, to, options, arguments, POLICIES[policy])
    return row


def run_program(program, work, options):
    folder = work / program['folder']
    if program.get('needs'):
        return {'ran': 'not run', 'check': '', 'reason': program['needs']}
    if not folder.is_dir():
        return {'ran': 'not there', 'check': '', 'reason': ''}
    to = folder / 'program.simulated'
    change_copy(program, folder)
    if program.get('makefile'):
        wrong, program['arguments'] = make_program(folder, to, options)
    else:
        wrong = compile_sources(program, folder, to, options)
    if wrong:
        return {'ran': 'not built', 'check': '', 'reason': wrong}
    return try_program(program, folder, to, options)
