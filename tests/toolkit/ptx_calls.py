"""One kernel for each overload that libcu++ declares in cuda::ptx.

The headers say in a comment over each function how it is declared, from which target on, and which
values its template parameters can have:

    // mbarrier.arrive.sem.scope.space.b64  state, [addr];  // 3a.  PTX ISA 80, SM_90
    // .scope     = { .cta, .cluster }
    template <cuda::ptx::dot_scope Scope>
    __device__ static inline uint64_t mbarrier_arrive(
      cuda::ptx::sem_release_t, cuda::ptx::scope_t<Scope> scope, …);

Taking a function's address is enough for its PTX to be written.
"""
import itertools
import re

COMMENT = re.compile(r'/\*\n(.*?)\*/', re.DOTALL)
FUNCTION = re.compile(r'(?:template <(?P<parameters>.*?)>\s*\n)?__device__ static inline '
                      r'(?P<result>.*?) (?P<name>\w+)\(\n?(?P<arguments>.*?)\);', re.DOTALL)
TARGET = re.compile(r'SM_(\d+)([af]?)')
VALUES = re.compile(r'// \.(\w+) *= \{ (.*?) \}')
ENUMERATION = re.compile(r'cuda::ptx::dot_(\w+) (\w+)')
PLAIN = {'B8': 'uint8_t', 'B16': 'uint16_t', 'B32': 'uint32_t', 'B64': 'uint64_t', 'B128': 'longlong2'}
TYPES = {'u32': 'uint32_t', 's32': 'int32_t', 'u64': 'uint64_t', 's64': 'int64_t', 'b32': 'uint32_t',
         'b64': 'uint64_t', 'f32': 'float', 'f64': 'double'}
PROLOGUE = '#include <cuda/ptx>\nusing namespace cuda::std;\n'


def is_for(comment, arch):
    """arch: '90a'. A target without a letter is a first one, one with a letter stands alone."""
    number, letter = int(arch.rstrip('af')), arch[-1:]
    for least, exact in TARGET.findall(comment):
        if not exact and number >= int(least):
            return True
        if exact == 'a' and letter == 'a' and number == int(least):
            return True
        if exact == 'f' and letter in 'af' and letter and number // 10 == int(least) // 10:
            return True
    return False


def enumerator(kind, word):
    """.cta_group::1 → cuda::ptx::dot_cta_group::cta_group_1"""
    name = word.lstrip('.').replace('::', '_')
    renamed = {'and': 'and_op', 'or': 'or_op', 'xor': 'xor_op', 'shared_cta': 'shared',
               'shared_cluster': 'cluster'}
    if kind == 'kind':
        name = name.removeprefix('kind_')
    return 'cuda::ptx::dot_%s::%s' % (kind, renamed.get(name, name))


def choices(parameters, comment):
    """For each template parameter that is left to choose: (name, its values)."""
    values = {name: words.split(', ') for name, words in VALUES.findall(comment)}
    for kind, name in ENUMERATION.findall(parameters):
        yield name, [enumerator(kind, word) for word in values.get(kind, [])]
    for name, spelled in PLAIN.items():
        if re.search(r'typename %s\b' % name, parameters):
            yield name, [spelled]
    if 'typename Type' in parameters:
        yield 'Type', [TYPES[word.lstrip('.')] for word in values.get('type', []) if word.lstrip('.') in TYPES]
    if 'int N32' in parameters:
        # The proxy fences take this size only.
        yield 'N32', ['128' if 'fence' in comment else '0']


def argument_type(text):
    """const B32 (&out)[4] → const B32 (&)[4]"""
    text = ' '.join(text.split())
    if '(&' in text:
        return re.sub(r'\(&\w*\)', '(&)', text)
    return re.sub(r'(?<=[\w>*&]) ?\b(?!const\b)\w+$', '', text) if re.search(r'[ *&]\w+$', text) else text


def instances(header, arch):
    """(function, type) of each overload for the target, with each choice of its parameters."""
    for comment in COMMENT.findall(header):
        match = FUNCTION.search(comment)
        if not match or not is_for(comment[:match.start()], arch):
            continue
        named = list(choices(match['parameters'] or '', comment[:match.start()]))
        types = [argument_type(text) for text in match['arguments'].split(',\n') if text.strip()]
        signature = '%s (*)(%s)' % (match['result'], ', '.join(types))
        for picked in itertools.product(*(words for _, words in named)):
            spelled = signature
            for (name, _), word in zip(named, picked):
                spelled = re.sub(r'\b%s\b' % name, word, spelled)
            yield match['name'], spelled


def source(headers, arch):
    """The text of a .cu file, and how many functions it takes."""
    lines, seen = [PROLOGUE], set()
    for header in headers:
        for name, signature in instances(header, arch):
            if (name, signature) in seen:
                continue
            seen.add((name, signature))
            lines.append('__global__ void call_%d(void **to)\n{\n    *to = reinterpret_cast<void *>('
                         'static_cast<%s>(cuda::ptx::%s));\n}\n' % (len(seen), signature, name))
    return '\n'.join(lines), len(seen)
