#!/usr/bin/env python3
"""What a release needs: one version and date everywhere, licences, bills of materials, recipes, workflows.

usage: release.py [ROOT]

PTXOFFLOAD_SPDX_SCHEMA=FILE, SPDX's own schema of 2.3 as JSON, is a further check of the bills of materials.
"""
import fnmatch
import json
import os
import pathlib
import re
import shutil
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lib'))
from tap import Skip, case, ends, environment, main, run, same

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
ROOT = ROOT if ROOT.is_dir() else ROOT.parents[1]
sys.dont_write_bytecode = True


def text(name):
    return (ROOT / name).read_text(encoding='utf-8')


def one(pattern, name):
    """The only group of a pattern that a file has."""
    found = re.search(pattern, text(name), re.M)
    assert found, '%s has no %s' % (name, pattern)
    return found[1]


VERSION = one(r"^ *version: '([\d.]+)'", 'meson.build')


@case
def versions(_):
    """all files that name the version have that of meson.build"""
    header = re.findall(r'#define PTXOFFLOAD_VERSION_[A-Z]+ (\d+)', text('include/ptxoffload/ptxoffload.h'))
    short = VERSION.rsplit('.', 1)[0]
    same('.'.join(header), VERSION)
    for name, pattern in (('CHANGELOG.md', r'^## \[(\d[\d.]*)\]'), ('CITATION.cff', r'^version: (.*)$'),
                          ('debian/changelog', r'^ptxoffload \(([\d.]+)-'), ('editors/vscode/package.json', r'"version": "(.*?)"'),
                          ('editors/tree-sitter-ptx/package.json', r'"version": "(.*?)"'),
                          ('integration/nix/package.nix', r'version = "(.*?)"'), ('integration/spack/package.py', r'version\("(.*?)"')):
        same((name, one(pattern, name)), (name, VERSION))
    symbols = 'debian/libptxoffload%s.symbols' % short
    same(text(symbols).split('\n')[0], 'libptxoffload.so.%s libptxoffload%s #MINVER#' % (short, short))
    same(one(r'^Package: (libptxoffload\d.*)$', 'debian/control'), 'libptxoffload' + short)
    same(set(re.findall(r'@PTXOFFLOAD_([\d.]+) ', text(symbols))), {short})


@case
def dates(_):
    """the changelog's first date is that of CITATION.cff and of the Debian changelog"""
    import datetime
    date = one(r'^## \[\d[\d.]*\] - (\d{4}-\d\d-\d\d)$', 'CHANGELOG.md')
    same(one(r'^date-released: (.*)$', 'CITATION.cff'), date)
    same(one(r'^ -- .*>  \w+, (\d+ \w+ \d+)', 'debian/changelog'),
         datetime.date.fromisoformat(date).strftime('%d %b %Y'))


@case
def licences(folder):
    """a licence covers each tracked file, and its text is there"""
    done = run(['git', 'ls-files'], ROOT)
    if done.code:
        raise Skip('no git checkout')
    blocks = [dict(re.findall(r'^(\w[\w-]*): (.*)$', block, re.M)) for block in text('.reuse/dep5').split('\n\n')]
    patterns = [(block['Files'].split(), block['License']) for block in blocks if 'Files' in block]
    for name in done.out.decode().splitlines():
        assert any(fnmatch.fnmatchcase(name, pattern) for of, _ in patterns for pattern in of), name
    for _, licence in patterns:
        assert (ROOT / 'LICENSES' / (licence + '.txt')).exists(), licence
    same(text('LICENSES/Apache-2.0.txt'), text('LICENSE'))


@case
def reuse(folder):
    """REUSE finds no fault"""
    if not shutil.which('reuse') or not (ROOT / '.git').exists():
        raise Skip('no reuse, or no git checkout')
    ends(run(['reuse', 'lint', '--quiet'], ROOT), 0)


# Bills of materials

RULES = {
    'type': 'object',
    'required': ['spdxVersion', 'dataLicense', 'SPDXID', 'name', 'documentNamespace', 'creationInfo', 'packages',
                 'relationships'],
    'properties': {
        'spdxVersion': {'const': 'SPDX-2.3'}, 'dataLicense': {'const': 'CC0-1.0'}, 'SPDXID': {'const': 'SPDXRef-DOCUMENT'},
        'documentNamespace': {'type': 'string', 'pattern': '^https://[^#]+$'},
        'creationInfo': {'required': ['created', 'creators'],
                         'properties': {'created': {'pattern': r'^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$'},
                                        'creators': {'items': {'pattern': '^(Organization|Tool): .'}, 'minItems': 1}}},
        'packages': {'type': 'array', 'minItems': 1, 'items': {
            'required': ['name', 'SPDXID', 'downloadLocation', 'versionInfo', 'licenseDeclared'],
            'properties': {'SPDXID': {'pattern': r'^SPDXRef-[A-Za-z0-9.-]+$'}, 'filesAnalyzed': {'const': False},
                           'supplier': {'pattern': '^(Person|Organization): .'}}}},
        'relationships': {'items': {'required': ['spdxElementId', 'relationshipType', 'relatedSpdxElement'], 'properties': {
            'relationshipType': {'enum': ['DESCRIBES', 'DEPENDS_ON', 'STATIC_LINK']}}}},
    },
}

CONTROL = """Package: %s
Version: 0.2.0-1
Architecture: amd64
Maintainer: ptxoffload maintainers <maintainers@ptxoffload.invalid>
Depends: %s
Description: finds what PTX can offload
 A text with
 lines: more.
"""


def validate(document):
    try:
        import jsonschema
    except ImportError:
        raise Skip('no Python module jsonschema') from None
    jsonschema.Draft202012Validator(RULES).validate(document)
    if os.environ.get('PTXOFFLOAD_SPDX_SCHEMA'):
        jsonschema.Draft7Validator(json.loads(pathlib.Path(os.environ['PTXOFFLOAD_SPDX_SCHEMA']).read_text())).validate(document)


@case
def bills(folder):
    """each package gets a bill of materials: itself, its dependencies, and what is linked into it"""
    packages = {'ptxoffload': 'libc6 (>= 2.34), libelf1 (>= 0.142), libzstd1 | libzstd0', 'ptxoffload-doc': '',
                'libptxoffload0.2': 'libc6', 'libptxoffload-dev': 'libptxoffload0.2 (= 0.2.0-1)'}
    for name, depends in packages.items():
        (folder / name / 'DEBIAN').mkdir(parents=True)
        (folder / name / 'DEBIAN' / 'control').write_text((CONTROL % (name, depends)).replace('Depends: \n', ''))
    before = {}
    for _ in range(2):
        ends(run([ROOT / 'debian/sbom.py', folder], folder, env=environment(SOURCE_DATE_EPOCH='1764547200')), 0, '', '')
        for name in packages:
            document = json.loads((folder / name / 'usr/share/doc' / name / 'sbom.spdx.json').read_text())
            validate(document)
            same(document, before.setdefault(name, document))
    relations = {name: [(one['spdxElementId'], one['relationshipType'], one['relatedSpdxElement'])
                        for one in before[name]['relationships']] for name in packages}
    same(relations['ptxoffload'], [
        ('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-ptxoffload'), ('SPDXRef-ptxoffload', 'DEPENDS_ON', 'SPDXRef-libc6'),
        ('SPDXRef-ptxoffload', 'DEPENDS_ON', 'SPDXRef-libelf1'), ('SPDXRef-ptxoffload', 'DEPENDS_ON', 'SPDXRef-libzstd1'),
        ('SPDXRef-ptxoffload', 'STATIC_LINK', 'SPDXRef-libiberty-dev')])
    same(len(relations['ptxoffload-doc']), 1)
    same(before['libptxoffload-dev']['packages'][1]['versionInfo'], '0.2.0-1')
    for document in before.values():
        known = {one['SPDXID'] for one in document['packages']} | {'SPDXRef-DOCUMENT'}
        same({one for of in document['relationships'] for one in (of['spdxElementId'], of['relatedSpdxElement'])} - known, set())
        same(document['creationInfo']['created'], '2025-12-01T00:00:00Z')


# Recipes and workflows

PACKAGES = {'jansson': 'jansson', 'libelf': 'elfutils', 'liblz4': 'lz4', 'libzstd': 'zstd', 'nettle': 'nettle',
            'sqlite3': 'sqlite', 'yaml-0.1': 'libyaml', 'iberty': 'libiberty'}


def needed():
    """The libraries that the build looks for, as distributions name them."""
    part = text('meson.build').split('external_versions = {')[1].split('}')[0]
    return {PACKAGES[name] for name in re.findall(r"'([\w.-]+)':", part)} | {'libiberty'}


@case
def spack(_):
    """the recipe for Spack names what the build needs"""
    source = text('integration/spack/package.py')
    compile(source, 'package.py', 'exec')
    found = dict(re.findall(r'depends_on\("([\w-]+)[^"]*"(, type="build")?\)', source))
    same({name for name, kind in found.items() if not kind}, needed())
    assert set(found) >= {'c', 'meson', 'ninja', 'pkgconfig', 'flex', 'bison', 'python'}, found
    options(source)


@case
def nix(folder):
    """the recipe for Nix names what the build needs"""
    source = text('integration/nix/package.nix')
    same(set(re.search(r'buildInputs = \[ (.*?) \]', source.split('nativeBuildInputs')[1])[1].split()), needed())
    arguments = set(re.split(r'[,\s]+', re.search(r'^\{([^?]*)', source, re.M)[1].strip())) - {'src'}
    assert arguments >= needed() | {'lib', 'stdenv', 'meson', 'ninja', 'pkg-config', 'flex', 'bison', 'python3'}, arguments
    options(source)
    if shutil.which('nix-instantiate'):
        ends(run(['nix-instantiate', '--parse', ROOT / 'integration/nix/package.nix'], folder,
                 env=environment(NIX_STATE_DIR=str(folder), NIX_STORE_DIR=str(folder / 'store'))), 0)


def options(source):
    """Options of meson in a recipe exist."""
    known = set(re.findall(r"option\('([\w-]+)'", text('meson_options.txt')))
    same(set(re.findall(r'"-D([\w-]+)=', source)) - known, set())


@case
def workflows(_):
    """workflows run programs of this tree, on Debian 12"""
    try:
        import yaml
    except ImportError:
        raise Skip('no Python module yaml') from None
    commands = []
    for path in sorted((ROOT / '.github/workflows').glob('*.yml')):
        document = yaml.safe_load(path.read_text(encoding='utf-8'))
        for job in document['jobs'].values():
            same(job['container'], 'debian:12')
            commands += [step['run'] for step in job['steps'] if 'run' in step]
    programs = re.findall(r'(?:^|\s)((?:\.ci|docs|debian)/[\w./-]+)', '\n'.join(commands))
    same(sorted(set(programs)), ['.ci/run', 'debian/packages.sh', 'docs/site/build.py'])
    for name in programs:
        assert os.access(ROOT / name, os.X_OK), name


main()
