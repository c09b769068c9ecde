#!/usr/bin/env python3
"""What is made from backend/tables/metadata.def: the records of include/ptxoffload/metadata.h, the schema
docs/reference/metadata.schema.json, the tables of docs/reference/metadata.md.

usage: generate.py BUILD-ROOT [--update]

--update writes them instead of comparing them.
"""
import json
import os
import pathlib
import re
import sys
import textwrap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))
from tap import Failure, case, fresh_document, main

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / 'backend' / 'tables' / 'metadata.def'
HEADER = ROOT / 'include' / 'ptxoffload' / 'metadata.h'
SCHEMA = ROOT / 'docs' / 'reference' / 'metadata.schema.json'
DOCUMENT = ROOT / 'docs' / 'reference' / 'metadata.md'
UPDATE = '--update' in sys.argv[2:]
COMMAND = 'tests/metadata/generate.py build --update'
MOST = 2 ** 31 - 1
SIZES = {'uint8_t': 1, 'uint32_t': 4, 'uint64_t': 8, 'double': 8, 'ptxoffload_string': 4,
         'struct ptxoffload_range': 8}
VERSION, = re.findall(r'TABLES_VERSION = (\d+)', (ROOT / 'backend' / 'tables' / 'tables.h').read_text(encoding='utf-8'))
PATTERNS = (ROOT / 'passes/base/patterns.def').read_text(encoding='utf-8').count('\nCHAIN_PATTERN(')
NUMBERS = {'INT32_MAX': MOST, 'TABLES_VERSION': int(VERSION), 'CHAIN_PATTERNS': PATTERNS}


# Rows

def calls(text):
    """NAME(argument, …) as [NAME, argument, …], one after the other; strings without their quotes. Calls
    in arguments are lists of this form."""
    token = re.compile(r'\s*(?:"((?:[^"\\]|\\.)*)"|([(),])|([^\s"(),][^"(),]*))')
    stack, at = [[]], 0
    while at < len(text.rstrip()):
        found = token.match(text, at)
        at = found.end()
        string, mark, word = found.groups()
        if mark == '(':
            stack.append([stack[-1].pop()])
        elif mark == ')':
            stack[-2].append(stack.pop())
        elif word:
            stack[-1].append(word.strip())
        elif string is not None:
            stack[-1].append(string.replace('\\"', '"').replace('\\\\', '\\'))
    return stack[0]


class Field:
    def __init__(self, row):
        _, self.record, self.key, kind, _, place, tag, self.unit, self.text = row
        self.kind, *self.args = kind if isinstance(kind, list) else [kind]
        self.place = place[1:] if place != 'NONE' else None
        self.tag = tag[1:] if tag != 'NONE' else None

    def is_optional(self):
        return self.kind in ('MAYBE', 'ANY_OF', 'LIST_OR_NONE')

    def said(self):
        """Text and unit."""
        return self.text + ('; unit: ' + self.unit if self.unit else '')


def read_rows():
    """sets of words, sections, members of sections, records, each by name in the order of the file"""
    text = ROWS.read_text(encoding='utf-8')
    text = re.sub(r'^(//|#).*', '', text, flags=re.M)
    sets, sections, members, records = {}, {}, [], {}
    for row in calls(text.replace('END_WORDS', '').replace('END_RECORD', '')):
        name = row[0]
        if name == 'WORDS':
            words = sets[row[1]] = (row[2], row[3], [])
        elif name in ('WORD', 'BIT'):
            words[2].append(row[1:])
        elif name in ('SECTION', 'RECORDS'):
            sections[row[1]] = row
        elif name == 'MEMBER':
            members.append(row[1:])
        elif name == 'RECORD':
            records[row[1]] = (row[3], [])
        else:
            records[row[1]][1].append(Field(row) if name == 'FIELD' else row)
    return sets, sections, members, records


SETS, SECTIONS, MEMBERS, RECORDS = read_rows()


def words_of(name):
    return [word for _, _, word, _ in SETS[name][2] if word]


def fields_of(record, path=''):
    """path and field of a record, and of the objects in it"""
    for row in RECORDS[record][1]:
        if not isinstance(row, Field):
            inner = path + row[2] + '.' if row[0] == 'GROUP' else path
            yield from fields_of(row[3] if row[0] == 'GROUP' else row[2], inner)
            continue
        yield path + row.key, row
        if row.kind == 'OPTION':
            yield from fields_of(row.args[0], path + row.key + '.')


def replaced(text, begin, end, made):
    """The text with other lines between these two."""
    head, rest = text.split(begin, 1)
    return head + begin + made + end + rest.split(end, 1)[1]


# The header

def comment(text, indent=''):
    return '\n'.join(textwrap.wrap('/* %s */' % text, 100, initial_indent=indent,
                                   subsequent_indent=indent + ' * ', break_long_words=False)) + '\n'


def with_comment(line, said):
    """A line of the header with its comment after it, or before it if it is long."""
    flat = '    %s /* %s */\n' % (line, said)
    if not said:
        return '    %s\n' % line
    return flat if len(flat) <= 101 else '%s    %s\n' % (comment(said, '    '), line)


def header_words(form, text, words):
    name, bits = form[1], form[0] == 'BITS'
    shown = [row for row in words if row[2]]
    lines = []
    for i, (enumerator, number, _, said) in enumerate(shown):
        value = 1 << int(number) if bits else int(number)
        comma = ',' if i + 1 < len(shown) else ''
        lines.append(with_comment('PTXOFFLOAD_%s = %d%s' % (enumerator, value, comma), said))
    return (comment(text) if text else '') + 'enum %s {\n%s};\n' % (name, ''.join(lines))


def said_in_header(field):
    """Its comment: text and unit, and what the type of the member does not show."""
    said = field.said().replace('`', '')
    if field.kind in ('ONE_OF', 'SOME_OF') and field.place[2] == 'uint8_t':
        form = SETS[field.args[0]][0]
        said += '; enum %s%s' % (form[1], ', as bits' if form[0] == 'BITS' else '')
    elif field.kind == 'ANY_OF':
        said += '; bits, 1 << enum %s' % SETS[field.args[0]][0][1]
    elif field.kind in ('BOOL', 'OPTION'):
        said += '; 0 or 1'
    elif field.kind in ('LIST', 'NAMES'):
        part = 'REGISTERS' if field.kind == 'NAMES' else section_of(field.args[0])
        said += '; in ' + SECTIONS[part][2]
    return said


def section_of(record):
    return next(name for name, row in SECTIONS.items() if row[0] == 'RECORDS' and row[4] == record)


def size_of(kind):
    """Bytes of a type of members."""
    if kind in SIZES:
        return SIZES[kind]
    return members_of(next(name for name, row in SECTIONS.items() if 'struct %s' % row[3] == kind))[1]


def members_of(section):
    """offset, type, name, text of each member of a section's records"""
    found = [(int(at), kind, name, '') for part, at, kind, name in MEMBERS if part == section]
    for record in RECORDS:
        for row in RECORDS[record][1]:
            if isinstance(row, Field) and row.place and row.place[0] == section and '.' not in row.place[3]:
                found.append((int(row.place[1]), row.place[2], row.place[3], said_in_header(row)))
    at = 0
    for offset, kind, name, _ in sorted(found):
        if offset != at:
            raise Failure('%s: %s is at %d, expected %d' % (section, name, offset, at))
        count = re.search(r'\[(\d+)\]', name)
        at += size_of(kind) * int(count.group(1) if count else 1)
    return sorted(found), at


def header_record(section):
    _, _, _, struct, _, text = SECTIONS[section]
    members, size = members_of(section)
    lines = [with_comment('%s %s;' % (kind, name), said) for _, kind, name, said in members]
    checks = ['PTXOFFLOAD_ASSERT(offsetof(struct %s, %s) == %d);\n' % (struct, name, at)
              for (_, before, _, _), (at, kind, name, _) in zip(members, members[1:])
              if kind != before and not name.startswith('reserved')]
    return '%sstruct %s {\n%s};\n%sPTXOFFLOAD_ASSERT(sizeof(struct %s) == %d);\n' % (
        comment(text), struct, ''.join(lines), ''.join(checks), struct, size)


def header_list(row):
    text = row[5] if row[0] == 'SECTION' else 'struct ' + row[3]
    return ' *     %-26s %s\n' % (row[2], text)


def made_header():
    text = HEADER.read_text(encoding='utf-8')
    text = replaced(text, 'and may be empty:\n *\n', ' *\n * The symbol table',
                    ''.join(header_list(row) for row in SECTIONS.values()))
    text = replaced(text, '/* Names of sections. */\n', '\n/* Types of notes.', ''.join(
        '#define PTXOFFLOAD_SECTION_%s "%s"\n' % (name, row[2]) for name, row in SECTIONS.items()))
    text = replaced(text, '/* Words. */\n\n', '\n/* Offset of a string', '\n'.join(
        header_words(*words) for words in SETS.values() if words[0] != 'REPORT'))
    order = sorted((name for name, row in SECTIONS.items() if row[0] == 'RECORDS'),
                   key=lambda name: name == 'BLOCKS')  # they hold an estimate
    return replaced(text, '/* Records. */\n\n', '\n#undef PTXOFFLOAD_ASSERT',
                    '\n'.join(header_record(name) for name in order))


# The schema

def integer(least, most=MOST):
    return {'type': 'integer', 'minimum': least, 'maximum': most}


def word_schema(field):
    return {'enum': words_of(field.args[0])}


def list_schema(field):
    record, _, _, *bounds = field.args
    schema = {'type': 'array', 'items': {'$ref': '#/$defs/' + record}}
    for name, bound in zip(('minItems', 'maxItems'), bounds):
        schema.update({name: int(bound)} if int(bound) else {})
    return schema


def uint_schema(field):
    least, most = (int(NUMBERS.get(number, number)) for number in field.args)
    return {'const': least} if least == most else integer(least, most)


SCHEMAS = {
    'TEXT': lambda field: {'type': 'string'},
    'TEXT_LIKE': lambda field: {'type': 'string', 'pattern': field.args[0]},
    'TEXT_OF': lambda field: {'enum': field.args},
    'DIGEST': lambda field: {'type': 'string', 'pattern': '^[0-9a-f]{64}$'},
    'UINT': uint_schema,
    'OPTIONAL': lambda field: {'type': ['integer', 'null'], 'minimum': 1},
    'COUNT': lambda field: {'type': ['integer', 'null'], 'minimum': 1},
    'POSITIVE': lambda field: {'type': 'integer', 'minimum': 1},
    'NUMBER': lambda field: {'type': 'integer', 'minimum': 0},
    'DOUBLE': lambda field: {'type': 'number'},
    'MAYBE': lambda field: {'type': 'number'},
    'BOOL': lambda field: {'type': 'boolean'},
    'ONE_OF': word_schema,
    'WORD_OF': lambda field: {'enum': field.args[1:]},
    'SOME_OF': lambda field: {'type': 'array', 'items': word_schema(field), 'uniqueItems': True},
    'ANY_OF': lambda field: {'type': 'array', 'items': word_schema(field), 'minItems': 1, 'uniqueItems': True},
    'RULE': lambda field: {'type': 'string', 'pattern': '^[a-z]+(-[a-z]+)*$'},
    'NAMES': lambda field: {'type': 'array', 'items': {'type': 'string', 'minLength': 1}},
    'FIXED': lambda field: {'const': field.args[0]},
    'LIST': list_schema,
    'LIST_OR_NONE': list_schema,
    'OPTION': lambda field: {'oneOf': [{'type': 'null'}, object_schema(field.args[0])]},
}


def properties(record):
    """key, schema and whether it is required, of each member of an object"""
    for row in RECORDS[record][1]:
        if isinstance(row, Field):
            if row.key:
                yield row.key, dict(SCHEMAS[row.kind](row), description=row.said()), not row.is_optional()
        elif row[0] == 'GROUP':
            yield row[2], object_schema(row[3]), True
        else:
            yield from properties(row[2])


def object_schema(record):
    found = list(properties(record))
    return {'type': 'object', 'required': [key for key, _, needed in found if needed],
            'properties': {key: schema for key, schema, _ in found}}


def lists_in(record):
    """Names of the records in lists of this one."""
    for _, field in fields_of(record):
        if field.kind in ('LIST', 'LIST_OR_NONE'):
            yield field.args[0]
            yield from lists_in(field.args[0])


def schema_text(value, indent=0):
    """JSON with short objects and lists on one line."""
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + indent <= 120 or not isinstance(value, (dict, list)):
        return flat
    inner = ' ' * (indent + 2)
    if isinstance(value, list):
        parts, marks = [schema_text(item, indent + 2) for item in value], '[]'
    else:
        parts = ['%s: %s' % (json.dumps(key), schema_text(item, indent + 2)) for key, item in value.items()]
        marks = '{}'
    return '%s\n%s\n%s%s' % (marks[0], ',\n'.join(inner + part for part in parts), ' ' * indent, marks[1])


def made_schema():
    tops = ('document', 'report', 'comparison')
    schema = {
        '$schema': 'https://json-schema.org/draft/2020-12/schema',
        'title': 'ptxoffload metadata',
        'description': 'What ptxoffload --metadata writes, and --report=json with a summary; see metadata.md',
        **object_schema('document')}
    for record in tops[1:]:
        schema['properties'].update(object_schema(record)['properties'])
    schema['properties']['outcomes'] = object_schema('outcomes')
    schema['properties']['summary'] = {
        'type': 'object', 'required': ['kernels', 'total'],
        'properties': {'kernels': {'type': 'array', 'items': object_schema('kernel_counts')},
                       'total': object_schema('counts')}}
    lists = [name for top in (*tops, 'outcomes') for name in lists_in(top)]
    schema['$defs'] = {name: object_schema(name) for name in dict.fromkeys(lists)}
    return schema_text(schema) + '\n'


# The document

def words_text(words):
    return ', '.join('`"%s"`' % word for word in words)


def type_text(field):
    kind, args = field.kind, field.args
    if kind == 'UINT':
        least, most = (NUMBERS.get(number, number) for number in args)
        return str(least) if least == most else 'from %s' % least if most == MOST else '%s to %s' % (least, most)
    return {'TEXT_LIKE': 'string', 'TEXT': 'string', 'RULE': 'string', 'DIGEST': '64 hexadecimal digits',
            'OPTIONAL': 'from 1, or null', 'COUNT': 'from 1, or null', 'POSITIVE': 'from 1', 'NUMBER': 'from 0', 'DOUBLE': 'number',
            'MAYBE': 'number', 'BOOL': 'true or false', 'NAMES': 'list of names', 'OPTION': 'object, or null',
            'LIST': 'list', 'LIST_OR_NONE': 'list'}.get(kind) or (
                words_text(args) if kind in ('TEXT_OF', 'FIXED') else
                words_text(args[1:]) if kind == 'WORD_OF' else
                ('list of ' if kind != 'ONE_OF' else '') + words_text(words_of(args[0])))


def table_text(rows):
    """Lines of a table; empty columns are left out."""
    kept = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])]
    lines = ['|' + ''.join(' %s |' % row[i] if row[i] else ' |' for i in kept) for row in rows]
    return '\n'.join([lines[0], '|' + '---|' * len(kept), *lines[1:]]) + '\n'


def place_text(record, field):
    """Where objects have a field of the record: `section.member`, with the struct that holds it."""
    if not field.place:
        return ''
    section, member = field.place[0], field.place[3]
    own = [name for name, row in SECTIONS.items() if row[0] == 'RECORDS' and row[4] == record]
    for part, _, kind, name in MEMBERS:
        if [part] == own and section not in own and kind == 'struct ' + SECTIONS[section][3]:
            section, member = part, '%s.%s' % (name, member)
    return '`%s.%s`' % (SECTIONS[section][2].split('.')[-1 if section != 'NOTE' else 1], member)


def field_table(record):
    return table_text([('key', 'type', 'unit', 'in objects', 'in small tags', 'meaning')] + [
        ('`%s`' % path, type_text(field), field.unit, place_text(record, field),
         field.tag and '`%s`' % field.tag[1], field.text) for path, field in fields_of(record) if field.key])


def tag_table():
    """The keys of small tags, in the order in which they are written."""
    rows = [('tag', 'key', 'meaning', 'value if absent')]
    for tag, record in (('`tags`', 'document'), ('`kernel`', 'kernel'), ('`chain` with `01`', 'chain'),
                        ('`begin`, `other`', 'block')):
        found = sorted((int(field.tag[0]), path, field) for path, field in fields_of(record) if field.tag)
        rows += [(tag, '`%s`' % field.tag[1], '`%s`' % path if field.key else field.text, field.tag[2])
                 for _, path, field in found]
    return table_text(rows)


def section_table():
    return table_text([('section', 'contents', 'bytes of a record')] + [
        ('`%s`' % row[2], row[5], row[0] == 'RECORDS' and members_of(name)[1])
        for name, row in SECTIONS.items()])


def made_document():
    text = DOCUMENT.read_text(encoding='utf-8')
    tables = {'small tags': tag_table, 'sections': section_table}
    for name in re.findall(r'^<!-- rows of (.+) -->$', text, re.M):
        made = tables[name]() if name in tables else field_table(name)
        text = replaced(text, '<!-- rows of %s -->\n' % name, '<!-- end of rows of %s -->' % name, made)
    missing = [name for name, (title, _) in RECORDS.items()
               if title and '<!-- rows of %s -->' % name not in text]
    if missing:
        raise Failure('docs/reference/metadata.md has no table of %s' % ', '.join(missing))
    return text


@case
def header(folder):
    """include/ptxoffload/metadata.h has the words and records of metadata.def"""
    fresh_document(HEADER, made_header(), UPDATE, COMMAND)


@case
def schema(folder):
    """docs/reference/metadata.schema.json describes the document as metadata.def has it"""
    fresh_document(SCHEMA, made_schema(), UPDATE, COMMAND)


@case
def document(folder):
    """docs/reference/metadata.md has the tables of metadata.def"""
    fresh_document(DOCUMENT, made_document(), UPDATE, COMMAND)


main()
