#!/usr/bin/env python3
"""The reference of the library, from the comments of its headers, which have Doxygen's form.

usage: reference.py names HEADER…                       the functions, one per line
       reference.py man VERSION DATE FOLDER HEADER…     a manual page of section 3 for each of them
       reference.py markdown HEADER…                    all of it as one document, a section for each header after the first
"""
import pathlib
import re
import sys

COMMENT = r'/\*\*(?!<)((?:(?!\*/).)*)\*/\s*'


def plain(comment):
    """The text of a comment without its asterisks; paragraphs and list items stay lines of their own."""
    lines = [re.sub(r'^\s*\* ?', '', line).rstrip() for line in comment.strip().split('\n')]
    text = ''
    for line in lines:
        starts = not line or line.startswith('- ')
        text += ('\n' if starts else ' ' if text and not text.endswith('\n') else '') + line.strip() + ('' if line else '\n')
    return text.strip()


class Contract:
    """A comment: text, parameters, and what is returned."""

    def __init__(self, comment):
        parts = re.split(r'^\s*\*?\s*@', comment, flags=re.M)
        self.text, self.parameters, self.returns = plain(parts[0]), [], None
        for part in parts[1:]:
            kind, rest = part.split(None, 1)
            if kind == 'param':
                name, rest = rest.split(None, 1)
                self.parameters.append((name, plain(rest)))
            elif kind == 'return':
                self.returns = plain(rest)
            else:
                self.text = plain(rest)


class Headers:
    """Everything that headers declare."""

    def __init__(self, paths):
        self.functions, self.callbacks, self.structs, self.enums = {}, {}, {}, {}
        self.order = []  # sections with their introductions, and the names in them
        self.file = {}  # of each function
        for path in map(pathlib.Path, paths):
            text = path.read_text(encoding='utf-8')
            about = Contract(re.match(r'/\*\*(.*?)\*/', text, re.S)[1]).text
            if self.order:
                self.order.append((path.stem.capitalize(), about, []))
            else:
                self.about = about
                self.order.append(('Status', '', []))
            self.read(text.split('/* Initial values of structs')[0])
            self.file.update((name, path.name) for name in self.functions if name not in self.file)

    def read(self, text):
        """Adds what a header declares."""
        for found in re.finditer(COMMENT + r'(PTXOFFLOAD_API [^;]*;|typedef [^;]*;|struct (\w+)(?: \{(.*?)^\})?;|'
                                           r'enum (\w+) \{(.*?)\};)|^/\* (\w+)[^*]*\*/$', text, re.S | re.M):
            comment, declaration, struct, members, enum, values, section = found.groups()
            if section:
                self.order.append((section, '', []))
                continue
            name = struct or enum or re.search(r'(\w+)\(', declaration)[1]
            self.order[-1][2].append((name, not (struct or enum)))
            one = Contract(comment)
            declaration = re.sub(r'\s+', ' ', declaration.replace('PTXOFFLOAD_API ', ''))
            if struct:
                self.structs[name] = (one, self.members(members or '', ';'))
            elif enum:
                self.enums[name] = (one, self.members(values, ','))
            elif declaration.startswith('typedef'):
                self.callbacks[name] = (one, declaration)
            else:
                self.functions[name] = (one, declaration)

    @staticmethod
    def members(text, end):
        """Declarations with their comments."""
        rows = []
        for before, declaration, after in re.findall(
                r'(?:/\*\*(?!<)((?:(?!\*/).)*)\*/\s*)?([^;,/]+(?:\([^)]*\)|,[^;/]+)?)%s?[ ]*(?:/\*\*<((?:(?!\*/).)*)\*/)?' % end
                if end == ';' else r'()(\w+(?: = \d+)?),?[ ]*(?:/\*\*<((?:(?!\*/).)*)\*/)?', text, re.S):
            if declaration.strip():
                rows.append((re.sub(r'\s+', ' ', declaration.strip()), plain(before or after)))
        return rows


GENERAL = {
    'ERRORS': 'Reasons of failures are given to the function for diagnostics, see ptxoffload_set_diagnose(). A function that has an object '
              'and returns a status returns PTXOFFLOAD_NO_MEMORY if memory is exhausted; the object can then only be freed. Pointers that are '
              'NULL give PTXOFFLOAD_BAD_ARGUMENT except where NULL is named above.',
    'THREADS': 'Objects of different contexts can be used by different threads at the same time; one context and its objects by one thread '
               'at a time.',
}


def roff(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\n'.join(re.sub(r"^([.'])", r'\\&\1', line) for line in text.split('\n'))


def synopsis(declaration):
    """A declaration with a line for each parameter if it is long."""
    if len(declaration) < 72:
        return declaration
    head, parameters = declaration.split('(', 1)
    return head + '(\n    ' + parameters.replace(', ', ',\n    ')


def man_page(name, contract, declaration, header, release, names):
    """A manual page; `header` is the file that declares the function, and the release is its version and its date."""
    lines = ['.TH "%s" "3" "%s" "ptxoffload %s" "ptxoffload"' % (name, release[1], release[0]), '.nh', '.ad l', '.SH NAME',
             '%s \\- %s' % (name, roff(contract.text.split('. ')[0].rstrip('.').replace('\n', ' '))), '.SH SYNOPSIS', '.nf',
             '#include <ptxoffload/%s>' % header, '', roff(synopsis(declaration)), '.fi', '.SH DESCRIPTION',
             roff(contract.text)]
    if contract.parameters:
        lines.append('.SH PARAMETERS')
        for parameter, text in contract.parameters:
            lines += ['.TP', '.I ' + parameter, roff(text)]
    if contract.returns:
        lines += ['.SH RETURN VALUE', roff(contract.returns)]
    said = contract.text + (contract.returns or '')
    for title, text in GENERAL.items():
        named = {'ERRORS': 'enum ptxoffload_status' in declaration, 'THREADS': 'any thread' not in said}[title]
        if named:
            lines += ['.SH ' + title, roff(text)]
    place = names.index(name)
    near = [other for other in names[max(place - 3, 0):place + 4] if other != name]
    lines += ['.SH SEE ALSO', ',\n'.join('.BR %s (3)' % other for other in near).replace(',\n', ' ,\n')]
    return '\n'.join(lines) + '\n'


def cell(text):
    return text.replace('|', '\\|').replace('\n', ' ')


def table(head, rows):
    lines = ['', '| %s |' % ' | '.join(head), '|' + '---|' * len(head)]
    return lines + ['| %s |' % ' | '.join(row) for row in rows] + ['']


def entry(header, name, is_function):
    """A function, struct or enum as Markdown."""
    if not is_function:
        kind, (contract, rows) = ('struct', header.structs[name]) if name in header.structs else ('enum', header.enums[name])
        rows = [('`%s`' % declaration, cell(text)) for declaration, text in rows]
        return ['### %s %s' % (kind, name), '', contract.text] + (table(('member', 'is'), rows) if rows else [''])
    contract, declaration = {**header.functions, **header.callbacks}[name]
    lines = ['### %s()' % name, '', '    ' + synopsis(declaration).replace('\n', '\n    '), '', contract.text]
    if contract.parameters:
        lines += table(('parameter', 'is'), [('`%s`' % parameter, cell(text)) for parameter, text in contract.parameters])
    else:
        lines.append('')
    return lines + (['Returns: ' + contract.returns, ''] if contract.returns else [])


def markdown(header):
    lines = ['# Reference of the library', '', header.about, '', '<!-- functions -->', '']
    for section, about, names in header.order:
        lines += ['## ' + section, '', about, '']
        for name, is_function in names:
            lines += entry(header, name, is_function)
    text = '\n'.join([*lines, '<!-- end of functions -->'])
    return re.sub(r'\n{3,}', '\n\n', text).rstrip() + '\n'


def main():
    form = sys.argv[1] if len(sys.argv) > 1 else ''
    first = {'names': 2, 'markdown': 2, 'man': 5}.get(form, len(sys.argv))
    if first >= len(sys.argv):
        sys.exit(__doc__)
    header = Headers(sys.argv[first:])
    names = list(header.functions)
    if form == 'names':
        print('\n'.join(names))
    elif form == 'markdown':
        print(markdown(header), end='')
    else:
        for name, (contract, declaration) in header.functions.items():
            page = man_page(name, contract, declaration, header.file[name], sys.argv[2:4], names)
            (pathlib.Path(sys.argv[4]) / (name + '.3')).write_text(page, encoding='utf-8')


if __name__ == '__main__':
    main()
