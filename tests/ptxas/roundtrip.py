#!/usr/bin/env python3
"""NVIDIA's assembler takes what we write, and makes the same of it.

usage: roundtrip.py BUILD-ROOT

For each sample, and for what nvcc and clang make of the sources in cuda/ and opencl/ on the spot:
nothing to do leaves every byte alone; tags change no section of the cubin; a reordered text is
accepted; the tags can be taken out and put in again. Without ptxas all cases are skipped, without
nvcc or clang those that need them.
"""
import os
import pathlib
import re
import shutil
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Skip, add_case, ends, main, run, same

PROGRAM = pathlib.Path(sys.argv[1]).resolve() / 'cli' / 'ptxoffload'
HERE = pathlib.Path(__file__).resolve().parent
SAMPLES = HERE.parents[1] / 'samples'
# The oldest target that today's ptxas still knows: older texts are assembled for it.
OLDEST = 75
# They hold the text itself, or differ between any two runs. The name of the first ends with a digest
# of the text, and stands in some of the other sections.
NOT_COMPARED = re.compile(r'\.nv_debug_ptx_txt(\.\d+)?|\.note\.nv\.tkinfo')
DIGEST = re.compile(rb'(?<=\.nv_debug_ptx_txt)\.\d+')
# Kinds of section. The last ones are not in the file.
SYMBOLS, NO_BITS = 2, (8, 0x7000000a)


def find(program):
    path = shutil.which(program) or '/usr/local/cuda/bin/' + program
    return path if os.access(path, os.X_OK) else None


PTXAS, NVCC, CLANG = find('ptxas'), find('nvcc'), find('clang')


def text_at(data, at):
    return data[at:data.index(b'\0', at)]


def symbols(table, strings):
    """A symbol table with names in place of where these stand."""
    return [(DIGEST.sub(b'', text_at(strings, name)), *rest)
            for name, *rest in struct.iter_unpack('<IBBHQQ', table)]


def relocations(contents, entry, moved):
    """A relocation table without the bytes by which the places in it were moved."""
    return [(place - moved, *rest) for place, *rest in struct.iter_unpack(entry, contents)]


def without_digest(name, contents, digest):
    """A section without the digest, which has `digest` bytes."""
    if name == '.rel.nv_debug_line_sass':
        return relocations(contents, '<QQ', digest)
    if name == '.rela.nv_debug_line_sass':
        return relocations(contents, '<QQQ', digest)
    plain = DIGEST.sub(b'', contents)
    if name == '.nv_debug_line_sass' and plain != contents:
        # A line number table (DWARF 2) of 32 bits: its lengths count the digest's digits.
        whole, version, header = struct.unpack_from('<IHI', plain)
        plain = struct.pack('<IHI', whole - digest, version, header - digest) + plain[10:]
    return plain


def sections(cubin):
    """The sections of a 64-bit ELF file: name to contents; those of one name in their order."""
    assert cubin[:5] == b'\x7fELF\x02', 'no 64-bit ELF file'
    table, = struct.unpack_from('<Q', cubin, 40)
    size, count, names = struct.unpack_from('<HHH', cubin, 58)
    headers = [struct.unpack_from('<IIQQQQII', cubin, table + i * size) for i in range(count)]
    parts = [b'%d bytes' % header[5] if header[1] in NO_BITS else cubin[header[4]:header[4] + header[5]]
             for header in headers]
    digests = DIGEST.findall(parts[names])
    digest = len(digests[0]) if digests else 0
    found = {}
    for header, contents in zip(headers, parts):
        name = text_at(parts[names], header[0]).decode()
        if NOT_COMPARED.fullmatch(name):
            continue
        kind, flags, link = header[1], header[2], header[6]
        if kind == SYMBOLS:
            contents = symbols(contents, parts[link])
        else:
            contents = without_digest(name, contents, digest)
        found.setdefault(name, []).append((kind, flags, contents))
    return found


def target(text):
    match = re.search(rb'^\s*\.target\s+sm_(\d+)([af]?)', text, re.M)
    number = int(match.group(1)) if match else 0
    return 'sm_%d%s' % (number, match.group(2).decode()) if number >= OLDEST else 'sm_%d' % OLDEST


def assemble(folder, text, options):
    """What ptxas makes of a text, which always has the same name."""
    (folder / 'asm').mkdir(exist_ok=True)
    (folder / 'asm/k.ptx').write_bytes(text)
    # -w: that it does not know our pragmas is not news.
    command = [PTXAS, '-w', '-c', '-arch=' + target(text), *options, 'k.ptx', '-o', 'k.cubin']
    result = run(command, folder / 'asm')
    return result, (folder / 'asm/k.cubin').read_bytes() if not result.code else b''


def tag(folder, text, *options):
    """The text after a run in place, so that no name differs; says nothing."""
    (folder / 'k.ptx').write_bytes(text)
    ends(run([PROGRAM, 'k.ptx', '-o', 'k.ptx', *options], folder), 0, err='', out='')
    return (folder / 'k.ptx').read_bytes()


def check_same_sections(name, old, new):
    old, new = sections(old), sections(new)
    same(sorted(new), sorted(old))
    for section in old:
        assert old[section] == new[section], '%s: section %s differs' % (name, section)


def check_text(folder, text, assembler_options, styles=('pragma', 'comment')):
    """Assembles the text as it is and with tags of these styles, with each set of options."""
    ends(run([PROGRAM, '-', '--check'], folder, stdin=text), 0, err='')
    assert tag(folder, text, '--tags=none', '--no-reorder') == text, 'not the same bytes'
    for style in ('pragma', 'comment'):
        tagged = tag(folder, text, '--no-reorder', '--tags=' + style)
        same(tagged.count(b'\n'), text.count(b'\n'))
        assert tag(folder, tagged, '--no-reorder', '--tags=' + style) == tagged, \
            'tagging twice changes something'
        assert tag(folder, tagged, '--strip') == text, 'the tags do not come out'
        moved = tag(folder, text, '--tags=' + style)
        assert tag(folder, moved, '--tags=' + style) == moved, \
            'tagging twice with reordering changes something'
    if not PTXAS:
        return
    for options in assembler_options:
        before, cubin = assemble(folder, text, options)
        if before.code:
            raise Skip('its text passes, but ptxas does not take it: %s'
                       % before.err.decode().splitlines()[0].split(': ')[-1])
        for style in styles:
            tagged = tag(folder, text, '--no-reorder', '--tags=' + style)
            after, again = assemble(folder, tagged, options)
            ends(after, 0)
            check_same_sections('%s tags %s' % (style, options), cubin, again)
    for options in ((), ('--fma=split',)):
        ends(assemble(folder, tag(folder, text, *options), [])[0], 0)


def check_sample(folder, path):
    if not PTXAS:
        raise Skip('no ptxas')
    check_text(folder, path.read_bytes(), ([], ['-lineinfo'], ['-g']))


def check_compiled(folder, compiler, program, options, source):
    if not compiler:
        raise Skip('no ' + program)
    result = run([compiler, *options, source, '-o', 'made.ptx'], folder)
    if result.code:
        raise Skip('this %s does not compile it' % program)
    text = (folder / 'made.ptx').read_bytes()
    if SAMPLES in source.parents:  # check_sample has the same code without line numbers
        check_text(folder, text, (['-lineinfo'],), styles=('pragma',))
        return
    debugging = [['-lineinfo']] if '-lineinfo' in options else [['-g']] if '-G' in options else []
    check_text(folder, text, ([], *debugging))


FLAGS = (['-arch=compute_75'], ['-arch=compute_80', '-rdc=true', '-maxrregcount=32'],
         ['-arch=compute_90', '-lineinfo'], ['-arch=compute_100', '-use_fast_math'],
         ['-arch=compute_75', '-O0', '-G'], ['-arch=compute_90', '-O0', '-G'])

for path in [*sorted(SAMPLES.glob('*/*.ptx')), HERE.parent / 'cases/tags/halves-compared.ptx']:
    add_case('sample ' + path.name, check_sample, path)
for path in sorted(SAMPLES.glob('*/*.cu')):
    add_case('sample %s -lineinfo' % path.name, check_compiled, NVCC, 'nvcc',
             ['-ptx', '-arch=compute_75', '-lineinfo'], path)
for path in sorted(HERE.glob('cuda/*.cu')):
    for flags in FLAGS:
        add_case('nvcc %s %s' % (path.name, ' '.join(flags)), check_compiled, NVCC, 'nvcc',
                 ['-ptx', *flags], path)
for path in sorted(HERE.glob('opencl/*.cl')):
    for bits in ('nvptx', 'nvptx64'):
        for flags in (['-O2'], ['-O1']):
            add_case('clang %s %s %s' % (path.name, bits, ' '.join(flags)), check_compiled, CLANG,
                     'clang', ['--target=%s-nvidia-cuda' % bits, '-S', *flags], path)
main(os.cpu_count())
