#!/usr/bin/env python3
"""What `meson install` installs can be used from there.

usage: install.py BUILD-ROOT
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import Skip, case, ends, environment, main, run, same

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = ROOT / 'samples' / 'vecadd' / 'vecadd.ptx'
OPTIONS = {option['name']: option['value'] for option in
           json.loads((BUILD / 'meson-info' / 'intro-buildoptions.json').read_text(encoding='utf-8'))}


def install(folder):
    """Installs below the folder; returns where prefix, datadir … are."""
    if not shutil.which('meson'):
        raise Skip('no meson')
    ends(run(['meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', folder / 'root'],
             folder), 0)
    prefix = folder / 'root' / OPTIONS['prefix'].lstrip('/')
    return lambda name: prefix / OPTIONS[name]


def tracked(folder):
    """The files that the project has in a folder."""
    try:
        done = subprocess.run(['git', 'ls-files', folder], cwd=ROOT, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        raise Skip('no git repository')
    return [ROOT / name for name in done.stdout.decode().split()]


def document_links(path):
    """The files that a Markdown document links to."""
    for target in re.findall(r'\]\(([^)\s]+)\)', path.read_text(encoding='utf-8')):
        name = target.partition('#')[0]
        if name and '://' not in name:
            yield name


def same_file(installed, source):
    same(installed.read_bytes(), source.read_bytes())


@case
def command(folder):
    """the command runs"""
    at = install(folder)
    program = at('bindir') / 'ptxoffload'
    ends(run([program, SAMPLE, '-o', 'out.ptx', '--emit=ptx,elf'], folder), 0, '', '')
    same((folder / 'out.elf').read_bytes()[:4], b'\177ELF')


@case
def documentation(folder):
    """documentation, licence and changes are there, and the schemas where programs look"""
    at = install(folder)
    documents = at('datadir') / 'doc' / 'ptxoffload'
    for folder in ('docs', 'eval', 'examples', 'samples'):
        for source in tracked(folder):
            if source.name not in ('meson.build', '.gitattributes') or folder == 'examples':
                same_file(documents / source.relative_to(ROOT), source)
            if source.name.endswith('.schema.json'):
                same_file(at('datadir') / 'ptxoffload' / source.name, source)
    for name in ('LICENSE', 'CHANGELOG.md', 'CITATION.cff', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md'):
        same_file(documents / name, ROOT / name)


@case
def completions(folder):
    """shells find a completion for each command"""
    at = install(folder)
    if not (BUILD / 'cli' / 'pages').exists():
        raise Skip('built for another processor')
    commands = [path.name for path in at('bindir').iterdir() if path.name != 'ptxoffload-nvcc']
    for name in commands:
        for place in ('bash-completion/completions/' + name, 'zsh/site-functions/_' + name,
                      'fish/vendor_completions.d/%s.fish' % name):
            assert (at('datadir') / place).stat().st_size > 100, place


@case
def links(folder):
    """links of installed documents lead to installed files"""
    at = install(folder)
    documents = at('datadir') / 'doc' / 'ptxoffload'
    count, broken = 0, []
    for document in documents.rglob('*.md'):
        for target in document_links(document):
            count += 1
            # Notes of a campaign become a document among the results.
            of_notes = document.is_relative_to(documents / 'eval')
            folder_of = documents / 'docs' / 'results' if of_notes else document.parent
            if not (folder_of / target).exists():
                broken.append('%s: %s' % (document.relative_to(documents), target))
    same(broken, [])
    assert count > 100, count


@case
def samples(folder):
    """installed samples, campaigns and commands work together"""
    at = install(folder)
    documents = at('datadir') / 'doc' / 'ptxoffload'
    sim, campaign = (at('bindir') / name for name in ('ptxoffload-sim', 'ptxoffload-campaign'))
    ends(run([sim, '--functional', documents / 'samples/bfs/run.yaml', '--json=bfs.json'], folder), 0, '')
    listed = ends(run([campaign, 'run', documents / 'eval/isca19.yaml', '--quick', '--dry-run', '-q'],
                      folder), 0, '').out
    assert listed.count(b'  left ') > 20 and b'cannot be run' not in listed, listed[:2000]


@case
def headers(folder):
    """every public header is there"""
    at = install(folder)
    sources = [source for source in tracked('include') if source.suffix == '.h']
    assert sources
    for source in sources:
        same_file(at('includedir') / source.relative_to(ROOT / 'include'), source)


@case
def nothing_else(folder):
    """no libraries but the public one and those of CUDA programs, no tests or build files are installed"""
    at = install(folder)
    libraries = at('libdir') / 'ptxoffload'
    same(sorted(path.name for path in libraries.iterdir()),
         ['libcuda.so', 'libcuda.so.1', 'libcudart.so.12', 'libcudart.so.13', 'libptxoffload-audit.so',
          'libptxoffload-cuda.so'])
    found = [path.name for path in (folder / 'root').rglob('*')
             if path.is_file() and libraries not in path.parents]
    own = {path.name for path in tracked('examples')}
    own |= {'libptxoffload.a', 'libptxoffload.so'}
    odd = [name for name in found if name not in own and
           name.endswith(('.a', '.o', '.so', '.c', '.build'))]
    odd += [name for name in found if name.startswith(('test-', 'replay-'))]
    same(odd, [])


def pkg_config(folder, at, *arguments):
    if not shutil.which('pkg-config'):
        raise Skip('no pkg-config')
    env = environment(PKG_CONFIG_LIBDIR=str(at('libdir') / 'pkgconfig'),
                      PKG_CONFIG_SYSROOT_DIR=str(folder / 'root'))
    return ends(run(['pkg-config', *arguments, 'libptxoffload'], folder, env=env), 0, '').out.decode().strip()


@case
def package(folder):
    """pkg-config knows the version and where the schema is"""
    at = install(folder)
    version = ends(run([at('bindir') / 'ptxoffload', '--version'], folder), 0).out.decode().split()[1]
    same(pkg_config(folder, at, '--modversion'), version)
    # pkg-config puts the root in front of folders of headers only.
    schema = pkg_config(folder, at, '--variable=schema').removeprefix(str(folder / 'root'))
    assert json.loads((folder / 'root' / schema.lstrip('/')).read_text(encoding='utf-8'))['$schema']
    same(pkg_config(folder, at, '--libs').split()[-1], '-lptxoffload')
    same([path.name for path in (folder / 'root').rglob('*.pc')], ['libptxoffload.pc'])


@case
def reader(folder):
    """a program is compiled with the installed header, and reads what the installed command writes"""
    at = install(folder)
    flags = shlex.split(pkg_config(folder, at, '--cflags'))
    compiler = shlex.split(os.environ.get('CC', 'cc'))
    # Where includedir is one of the compiler's own, pkg-config does not name it.
    ends(run([*compiler, *(flags or ['-I', at('includedir')]), '-o', 'reader',
              ROOT / 'tests' / 'metadata' / 'print_object.c'], folder), 0, '')
    ends(run([at('bindir') / 'ptxoffload', SAMPLE, '-o', 'out.elf', '--emit=elf'], folder), 0)
    shown = ends(run(['./reader', 'out.elf'], folder), 0).out.decode()
    assert shown.startswith('kernel vecadd '), shown


if __name__ == '__main__':
    main()  # one at a time: installing writes to the build folder
