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
# The inputs of a program whose check is guessed. An argument that the program's own usage text calls a number of
# repetitions is 2 at most. A program that is still too large is tried again with each number above the limit divided
# by the largest power of two that leaves at least the limit.
LIMITS = (0, 256, 16)
REPEATS = re.compile(r'repeat|repetition|iteration|passes|steps|\btimes\b|^nt$|^n?reps?$|loop count', re.I)
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


def make_modules(program, folder, options):
    """Compiles the device code that the program loads from files."""
    for name, source in program.get('modules', ()):
        form = '-ptx' if name.endswith('.ptx') else '-fatbin'
        run([NVCC, '-w', form, '-arch=' + options.arch, '-o', name, source], folder, 600)


def compile_sources(program, folder, to, options):
    command = [NVCC, '-w', '-O2', '-arch=' + options.arch, '-cudart', options.cudart, '-include',
               OLD / 'old_names.h', *program.get('options', []), '-I', OLD, '-L', options.build / 'cli' / 'cuda', '-o', to, *sources_of(folder, program['sources'])]
    code, text, _ = run(command, folder, 600)
    return None if code == 0 else first_error(text)


def make_program(folder, to, options):
    """Builds with the program's own Makefile, whose variables HeCBench has in common."""
    appended = {'NVCC_APPEND_FLAGS': '-w -cudart ' + options.cudart}
    for arch in options.arch, options.arch.split('_')[-1]:  # some put `sm_` before it
        settings = ['ARCH=' + arch, 'CC=' + NVCC, 'NVCC=' + NVCC, 'OPTIMIZE=yes']
        code, text, _ = run(['make', *settings], folder, 600, appended)
        if code == 0 or 'gpu architecture' not in text:
            break
    if code != 0:
        return first_error(text), []
    code, text, _ = run(['make', '-n', 'run', *settings], folder, 60, appended)
    for line in text.replace('\\\n', ' ').splitlines():
        found = re.search(r'(?:^|[\s;&])(\.?/?[\w./+-]+)(?=[\s;&]|$)', line)
        while found and not ((folder / found[1]).is_file() and os.access(folder / found[1], os.X_OK)):
            line = line[found.end():]
            found = re.search(r'(?:^|[\s;&])(\.?/?[\w./+-]+)(?=[\s;&]|$)', line)
        if found:
            shutil.copy2(folder / found[1], to)
            return None, words_of(re.split(r'[;&|>]', line[found.end():])[0])
    return 'its Makefile has no rule to run it', []


def words_of(line):
    try:
        return shlex.split(line)
    except ValueError:  # quotes that only its shell understands
        return line.split()


# Running

def smaller_number(word, limit):
    if not re.fullmatch(r'\d+', word) or int(word) <= limit:
        return word
    number = int(word)
    while number // 2 >= limit:
        number //= 2
    return str(number)


def first_words(text):
    """What a program that failed says of the reason."""
    lines = [line.strip() for line in text.splitlines()]
    for words in r'ptxoffload-run: warning', r'waiv|require', r'not found|error|cannot|unable|no such':
        said = [line for line in lines if re.search(words, line, re.I)]
        if said:
            return re.sub(r'ptxoffload-run: warning: |(?<=[^\w])/\S*/', '', said[0])[:160]
    return ''


def verdict_of(program, code, text):
    """(what ran, what its own check says, reason)"""
    fault = re.search(r'ptxoffload-run: error: (.*)|\.ptx: error: (.*)|\.ptx:\d+:\d+: error: (.*)', text)
    missing = re.findall(r'note: (\w+) is not supported', text)
    note = 'without ' + ', '.join(missing) if missing else program.get('note', '')
    if code == TIME_OVER:
        return 'time is over', '', note
    if code < 0:
        return 'signal %d' % -code, '', note or first_words(text)
    check = 'none'
    if program.get('passed') or program.get('failed'):
        failed = program.get('failed', '\0') in text
        passed = any(one in text for one in program.get('passed', [''])) and not failed
        check = 'passed' if passed else 'failed'
    elif program.get('guess'):
        check = 'failed' if FAILED.search(text) else 'passed' if PASSED.search(text) else 'none'
    if fault and (code != 0 or check == 'failed'):
        return 'fault', '', next(filter(None, fault.groups()))[:200]
    if code != 0:
        return 'exit code %d' % code, check, note or first_words(text)
    return 'ran', check, note


def simulate(program, folder, to, options, arguments, *more, seconds):
    code, text, spent = run([options.build / 'cli' / 'ptxoffload-run', '-w', '-q', *more, *program.get('run', []), '--',
                             to, *arguments], folder, seconds)
    if options.shows:
        print(text)
    return verdict_of(program, code, text), spent


def rejections(kernels, once=False):
    """How often each rule rejected a candidate; with once, in how many kernels."""
    found = collections.Counter()
    for kernel in kernels:
        rules = [one['kind'] + ' ' + one['rule'] for one in kernel['rejected']]
        found.update(set(rules) if once else rules)
    return dict(found)


def offload(program, folder, to, options, arguments, policy):
    """A run by cycles with tagged PTX: its verdict, instances, chains and blocks found, and rules of rejection."""
    (verdict, check, reason), spent = simulate(
        program, folder, to, options, arguments, '--offload=--metadata=tags.json', '--json=out.json', *policy,
        seconds=options.timed_seconds)
    row = {'ran': verdict, 'check': check, 'reason': reason, 'seconds': round(spent, 1)}
    try:
        kernels = json.loads((folder / 'tags.json').read_text())['kernels']
        blocks = sum(block['candidate'] and not block['passed_over'] for kernel in kernels for block in kernel['blocks'])
        row.update(chains=sum(len(kernel['chains']) for kernel in kernels), blocks=blocks, kernels=len(kernels),
                   kernels_without=sum(not kernel['chains'] for kernel in kernels), rejected=rejections(kernels),
                   kernels_rejected=rejections(kernels, True))
        total = json.loads((folder / 'out.json').read_text())['total']
        row.update(cycles=total['cycles'], offloaded=total['offload'])
    except (OSError, ValueError):  # the program did not end
        pass
    return row


POLICIES = {'baseline': ['--config=isca19'], 'omni': ['--config=isca19', '--policy=omni'],
            'tom-ctrl': ['--config=tom', '--policy=tom-ctrl']}


def usage_of(folder):
    """The names of the arguments in the text about usage in the program's sources."""
    for path in sorted(folder.rglob('*.c*')):
        found = re.search(r'[Uu]sage:?\W.{1,800}?\b(return|exit)\b', path.read_text(errors='replace'),
                          re.S) if path.is_file() else None
        names = re.findall(r'<\s*(\w[^<>]*)>|\[([^\[\]]+)\]', re.sub(r'argv\[0\]', '', found[0])) if found else []
        if names:
            return [one or other for one, other in names]
    return []


def attempts(program, folder):
    """The lists of arguments that the program is tried with, the largest first."""
    own, names = program.get('arguments', []), usage_of(folder) if program.get('guess') else []
    if len(names) < len(own):  # an option's name is in front of its value
        names = [''] + [word if word.startswith('-') else '' for word in own]
    own = [str(min(int(word), 2)) if REPEATS.search(name) and word.isdigit() else word
           for word, name in zip(own, names)]
    found = []
    for limit in LIMITS if program.get('guess') else (0,):
        arguments = [smaller_number(word, limit) if limit else word for word in own]
        if arguments not in found:
            found.append(arguments)
    return found


def launches_none(folder):
    """Whether the last run launched no kernel."""
    try:
        return not json.loads((folder / 'ran.json').read_text())['total']['launches']
    except (OSError, ValueError, KeyError):
        return False


def is_right(verdict):
    return verdict[0] == 'ran' and verdict[1] != 'failed'


def try_program(program, folder, to, options):
    """The row of a program that was built: functional, by cycles, and offloaded, as far as wanted."""
    left = attempts(program, folder)
    for number, arguments in enumerate(left):
        verdict, spent = simulate(program, folder, to, options, arguments, '--functional', '--json=ran.json',
                                  seconds=options.seconds)
        if verdict[0] != 'time is over':
            break
    if number > 0 and not is_right(verdict):  # sizes that the program may not accept
        verdict = 'time is over', '', 'smaller arguments: %s' % (verdict[2] or verdict[1] or verdict[0])
    row = {'ran': verdict[0], 'check': verdict[1], 'reason': verdict[2], 'seconds': round(spent, 1),
           'arguments': ' '.join(arguments)}
    if is_right(verdict) and launches_none(folder):
        row['reason'] = 'it launches no kernel'
        return row
    if not is_right(verdict) or not options.policies:
        return row
    for smaller in left[number + 1:] if spent > options.timed_limit else ():
        verdict, spent = simulate(program, folder, to, options, smaller, '--functional', seconds=options.seconds)
        if not is_right(verdict):
            break
        arguments = smaller
        row['timed_arguments'] = ' '.join(smaller)
        if spent <= options.timed_limit:
            break
    for policy in options.policies if is_right(verdict) and spent <= options.timed_limit else ():
        row[policy] = offload(program, folder, to, options, arguments, POLICIES[policy])
        if row[policy]['ran'] == 'time is over':
            break
    return row


def run_program(program, work, options):
    folder = work / program['folder']
    if program.get('needs'):
        return {'ran': 'not run', 'check': '', 'reason': program['needs']}
    if not folder.is_dir():
        return {'ran': 'not there', 'check': '', 'reason': ''}
    to = folder / 'program.simulated'
    change_copy(program, folder)
    make_modules(program, folder, options)
    if program.get('makefile'):
        wrong, program['arguments'] = make_program(folder, to, options)
    else:
        wrong = compile_sources(program, folder, to, options)
    if wrong:
        return {'ran': 'not built', 'check': '', 'reason': wrong}
    return try_program(program, folder, to, options)
