"""Reads what test programs print and counts their cases.

Every program speaks TAP: `ok N - name`, `not ok N - name`, `# SKIP reason` behind either, lines that
belong to a case below it, and a plan `1..N` for each group.
"""
import collections
import os
import re
import signal
import sys

CASE = re.compile(r'\s*(not )?ok\b\s*(?:\d+)?\s*(?:-\s+)?(.*)$')
SKIP = re.compile(r'(.*?)\s*#\s*skip\b:?\s*(.*)$', re.IGNORECASE)
PLAN = re.compile(r'\s*1\.\.(\d+)')
ENDED_BY_SIGNAL = 128
# A word in the reason of a skipped case, and the Debian packages with which the case runs.
PACKAGES = {
    'chromedriver': 'chromium-driver',
    'chromium': 'chromium',
    'clang': 'clang',
    'no cmake': 'cmake',
    'no g++': 'g++',
    'no git repository': 'git',
    'jsonschema': 'python3-jsonschema',
    'no llc': 'llvm',
    'no make': 'make',
    'no pkg-config': 'pkg-config',
    'readelf': 'binutils',
    'rsvg-convert': 'librsvg2-bin',
}


class Case:
    def __init__(self, program, name, verdict):
        self.program, self.name, self.verdict = program, name, verdict
        self.reason = ''
        self.output = []


def read_tap(program, text):
    """The cases in `text`, and how many its plans promise."""
    cases, planned = [], 0
    for line in text.splitlines():
        plan, match = PLAN.match(line), CASE.match(line)
        if plan:
            planned += int(plan.group(1))
        elif match:
            case = Case(program, match.group(2), 'failed' if match.group(1) else 'passed')
            skipped = SKIP.match(case.name)
            if skipped:
                case.verdict = 'skipped'
                case.name, case.reason = skipped.groups()
                if not case.name:  # cmocka writes `not ok 3 # SKIP name` and knows no reasons
                    case.name, case.reason = case.reason, '%s %s' % (program, case.reason)
            cases.append(case)
        elif cases:
            cases[-1].output.append(line)
    return cases, planned


def how_it_ended(entry):
    code = entry.get('returncode', 0)
    if entry.get('result') == 'TIMEOUT':
        return 'ran out of time'
    number = -code if code < 0 else code - ENDED_BY_SIGNAL
    if number in signal.valid_signals():
        return 'was ended by ' + signal.Signals(number).name
    return 'ended with exit code %d' % code


def read_program(entry):
    """The cases of one program. One that broke off, or failed without saying so, is a failure."""
    program = entry['name']
    cases, planned = read_tap(program, entry.get('stdout') or '')
    missing = planned - len(cases)
    went_well = entry.get('result') == 'OK'
    says_so = any(case.verdict == 'failed' for case in cases)
    if missing > 0 or not cases or (not went_well and not says_so):
        name = 'the program ' + how_it_ended(entry)
        if not cases and not planned:
            name += ' and ran no case'
        elif missing > 0:
            name += ' after %d of %d cases' % (len(cases), planned)
        broken = Case(program, name, 'failed')
        broken.output = cases[-1].output if cases else (entry.get('stdout') or '').splitlines()
        cases += [broken] * max(missing, 1)
    if entry.get('stderr') and any(case.verdict == 'failed' for case in cases):
        last = [case for case in cases if case.verdict == 'failed'][-1]
        last.output = last.output + entry['stderr'].splitlines()
    return cases


def paint(text, code):
    if sys.stdout.isatty() and not os.environ.get('NO_COLOR'):
        return '\033[%sm%s\033[0m' % (code, text)
    return text


def show_all(cases):
    for case in cases:
        print('%-8s %s: %s' % (case.verdict, case.program, case.name))


def show_failures(cases):
    shown = set()
    for case in cases:
        if case.verdict == 'failed' and id(case) not in shown:
            shown.add(id(case))
            print(paint('FAILED', '31'), '%s: %s' % (case.program, case.name))
            for line in case.output:
                print('    ' + line)


def show_skips(cases):
    reasons = collections.Counter(case.reason for case in cases if case.verdict == 'skipped')
    for reason, count in reasons.most_common():
        print(paint('skipped', '33'), '%s: %d' % (reason or 'no reason given', count))
    packages = sorted({package for reason in reasons for word, names in PACKAGES.items()
                       if word in reason for package in names.split()})
    if packages:
        print('to run more of them: apt-get install', *packages)


def show_count(cases):
    """The last line. True if something passed and nothing failed."""
    count = collections.Counter(case.verdict for case in cases)
    total = '%d passed, %d failed' % (count['passed'], count['failed'])
    if count['skipped']:
        total += ', %d skipped' % count['skipped']
    print(total)
    return count['passed'] > 0 and not count['failed']
