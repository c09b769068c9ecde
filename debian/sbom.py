#!/usr/bin/python3
"""Writes the bill of materials of each binary package into the package, as SPDX 2.3 in JSON.

usage: sbom.py FOLDER

FOLDER is `debian` of a source tree after dh_gencontrol: FOLDER/PACKAGE/DEBIAN/control has the package's dependencies.
Versions are those that are installed where the package is built. SOURCE_DATE_EPOCH is the date of the document.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

LICENSE = 'Apache-2.0'
STATIC = {'libiberty-dev': ('ptxoffload', 'libptxoffload')}  # linked into these packages; has no shared library


def control(path):
    """The fields of a control file."""
    text = re.sub(r'\n[ \t]+', ' ', path.read_text(encoding='utf-8'))
    return dict(line.split(': ', 1) for line in text.splitlines() if ': ' in line)


def installed(name):
    """The version of an installed package, or None."""
    done = subprocess.run(['dpkg-query', '-W', '-f', '${Version}', name], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    return done.stdout.decode() or None


def identifier(name):
    return 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', name)


def package(name, version, license_name, supplier):
    return {'name': name, 'SPDXID': identifier(name), 'versionInfo': version or 'NOASSERTION', 'supplier': supplier,
            'downloadLocation': 'NOASSERTION', 'filesAnalyzed': False, 'licenseConcluded': license_name,
            'licenseDeclared': license_name, 'copyrightText': 'NOASSERTION',
            'externalRefs': [{'referenceCategory': 'PACKAGE-MANAGER', 'referenceType': 'purl', 'referenceLocator':
                              'pkg:deb/debian/%s%s' % (name, '@' + version if version else '')}]}


def dependencies(fields):
    """The first alternative of each dependency."""
    text = ','.join(fields[key] for key in ('Pre-Depends', 'Depends') if key in fields)
    names = [re.match(r'[a-z0-9][a-z0-9.+-]*', one.strip())[0] for one in text.split(',') if one.strip()]
    return list(dict.fromkeys(names))


def document(fields, ours):
    """The bill of materials of a package; `ours` has the versions of the packages of this source."""
    name, version = fields['Package'], fields['Version']
    person = 'Organization: ' + fields['Maintainer'].split(' <')[0]
    relations = [('SPDXRef-DOCUMENT', 'DESCRIBES', identifier(name))]
    packages = [package(name, version, LICENSE, person)]
    packages[0]['copyrightText'] = '2026 ptxoffload maintainers'
    for other in dependencies(fields):
        own = other in ours
        packages.append(package(other, ours.get(other) or installed(other), LICENSE if own else 'NOASSERTION',
                                person if own else 'Organization: Debian'))
        relations.append((identifier(name), 'DEPENDS_ON', identifier(other)))
    for other, users in STATIC.items():
        if re.sub(r'[0-9.]+$', '', name) in users:
            packages.append(package(other, installed(other), 'NOASSERTION', 'Organization: Debian'))
            relations.append((identifier(name), 'STATIC_LINK', identifier(other)))
    digest = hashlib.sha256(json.dumps([packages, relations]).encode()).hexdigest()
    created = datetime.datetime.fromtimestamp(int(os.environ.get('SOURCE_DATE_EPOCH', '0')), datetime.timezone.utc)
    return {'spdxVersion': 'SPDX-2.3', 'dataLicense': 'CC0-1.0', 'SPDXID': 'SPDXRef-DOCUMENT', 'name': name + '-' + version,
            'documentNamespace': 'https://ptxoffload.invalid/spdx/%s-%s-%s' % (name, version, digest[:32]),
            'creationInfo': {'created': created.strftime('%Y-%m-%dT%H:%M:%SZ'), 'creators': [person, 'Tool: sbom.py']},
            'packages': packages,
            'relationships': [{'spdxElementId': of, 'relationshipType': kind, 'relatedSpdxElement': to}
                              for of, kind, to in relations]}


def write_all(folder):
    found = [control(path) for path in sorted(folder.glob('*/DEBIAN/control'))]
    ours = {fields['Package']: fields['Version'] for fields in found}
    for fields in found:
        path = folder / fields['Package'] / 'usr/share/doc' / fields['Package'] / 'sbom.spdx.json'
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document(fields, ours), indent=1) + '\n', encoding='utf-8')
        path.chmod(0o644)


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_all(pathlib.Path(sys.argv[1]))
