// The grammar of PTX for tree-sitter. words.json is written by ../grammars.py from the tables of
// ptxoffload; `tree-sitter generate` makes the parser.
const words = require('./words.json');

const list = (rule, by = ',') => seq(rule, repeat(seq(by, rule)));
const optionalList = (rule) => optional(list(rule));
const OPERATORS = [['||'], ['&&'], ['|'], ['^'], ['&'], ['==', '!='], ['<', '<=', '>', '>='], ['<<', '>>'], ['+', '-'],
  ['*', '/', '%']];

module.exports = grammar({
  name: 'ptx',
  word: ($) => $.identifier,
  extras: ($) => [/[\s\u001a]/, $.comment, $.line_marker, $.dwarf_line],

  rules: {
    source_file: ($) => repeat($._item),

    comment: () => token(choice(/\/\/[^\n]*/, /\/\*[^*]*\*+([^/*][^*]*\*+)*\//)),
    line_marker: () => token(/#[^\n]*/),
    dwarf_line: () => token(/@@[^\n]*/),

    _item: ($) => choice($._directive, $.declaration, $.function, $.section, ';'),

    // Directives
    _directive: ($) => choice($.version_directive, $.target_directive, $.address_size_directive, $.file_directive,
      $.loc_directive, $.pragma_directive, $.names_directive, $.prototype_directive),
    version_directive: ($) => seq('.version', $.number),
    target_directive: ($) => seq('.target', list($.identifier)),
    address_size_directive: ($) => seq('.address_size', $.number),
    file_directive: ($) => seq('.file', $.number, $.string, optional(seq(',', $.number, optional(seq(',', $.number))))),
    loc_directive: ($) => prec.right(seq('.loc', repeat1($._count), repeat($._loc_attribute))),
    _loc_attribute: ($) => prec.right(seq(',', $.identifier, choice(repeat1($._count), seq($._loc_label, optional(seq('+', $.number)))))),
    _loc_label: ($) => choice($.identifier, $.section_name),
    pragma_directive: ($) => seq('.pragma', list($.string), ';'),
    names_directive: ($) => seq(choice('.alias', '.branchtargets', '.calltargets'), list(seq($.identifier, optional($.count))), ';'),
    prototype_directive: ($) => seq('.callprototype', optional($.parameters), $.identifier, optional($.parameters),
      repeat($.performance_directive), ';'),
    section: ($) => seq('.section', repeat1(choice($.identifier, $.section_name)), $.section_body),
    section_name: () => /\.[A-Za-z0-9_]+/,
    section_body: () => token(seq('{', /[^}]*/, '}')),

    // Declarations
    declaration: ($) => seq(repeat1($._specifier), optionalList($.declarator), ';'),
    _specifier: ($) => choice($.type, $.space, $.attribute, $.linkage, $.alignment, $.vector),
    linkage: () => choice('.extern', '.visible', '.weak', '.common', '.ptr'),
    alignment: ($) => seq('.align', $._count),
    vector: () => choice('.v2', '.v4', '.v8'),
    attribute: ($) => seq('.attribute', '(', list($._attribute_value), ')'),
    _attribute_value: ($) => choice('.managed', seq('.unified', optional($.arguments))),
    type: () => choice(...words.types, '.texref', '.surfref', '.samplerref'),
    space: ($) => seq(choice(...words.spaces), optional(seq('[', $.number, ']'))),
    declarator: ($) => seq(field('name', $.identifier), optional($.count), repeat($.dimension), optional($.initialiser)),
    count: ($) => seq('<', $._count, '>'),
    _count: ($) => choice($.number, alias('WARP_SZ', $.special_register)),
    dimension: ($) => seq('[', optional($._expression), ']'),
    initialiser: ($) => seq('=', $._expression),

    // Functions
    // ptxas accepts a declaration without a semicolon.
    function: ($) => prec.right(seq(repeat($._specifier), choice('.entry', '.func'), repeat($.attribute),
      optional(seq(field('returns', $.parameters), repeat($.attribute))), field('name', $.identifier),
      optional(field('parameters', $.parameters)), repeat(choice($.performance_directive, $.pragma_directive)),
      optional(choice(';', field('body', $.block))))),
    parameters: ($) => seq('(', optionalList(choice($.parameter, '...')), ')'),
    parameter: ($) => seq(repeat1($._specifier), $.declarator),
    performance_directive: ($) => seq(choice('.maxntid', '.reqntid', '.minnctapersm', '.maxnctapersm', '.maxnreg',
      '.local_maxnreg', '.reqnctapercluster', '.explicitcluster', '.maxclusterrank', '.blocksareclusters', '.noreturn',
      '.abi_preserve', '.abi_preserve_control'), optionalList($._count)),

    // Bodies
    block: ($) => seq('{', repeat($._statement), '}'),
    _statement: ($) => choice($._directive, $.declaration, $.block, $.label, $.instruction, ';'),
    label: ($) => seq(field('name', choice($.identifier, alias(choice(...words.opcodes), $.identifier))), ':'),
    instruction: ($) => seq(optional($.guard), $.opcode, repeat(choice($.type, $._word)), optionalList($._expression), ';'),
    guard: ($) => seq('@', optional('!'), $.identifier),
    opcode: ($) => choice(...words.opcodes, $.identifier),
    // The words of modifiers, among them those that are directives elsewhere.
    _word: ($) => alias(choice($.modifier, ...words.spaces, '.alias', '.weak', '.common', '.unified', '.v2', '.v4', '.v8', '.noreturn'), $.modifier),
    modifier: () => /\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+)*/,

    // Expressions
    _expression: ($) => choice($.number, $.string, $.identifier, $.special_register, $.member, $.element, $.application,
      $.vector_expression, $.address, $.arguments, $.unary, $.cast, $.binary, $.conditional),
    special_register: () => choice(...words.specials, 'WARP_SZ'),
    member: ($) => prec(12, seq(choice($.identifier, $.special_register), repeat1($.modifier))),
    element: ($) => prec(12, seq($.identifier, '[', $._expression, ']')),
    application: ($) => prec(12, seq(choice($.identifier, $.number), $.arguments)),
    arguments: ($) => seq('(', optionalList($._expression), ')'),
    vector_expression: ($) => seq('{', optionalList(choice($._expression, seq($.identifier, '=', $._expression))), '}'),
    address: ($) => prec.right(seq('[', optionalList($._expression), ']', optional('.unified'))),
    unary: ($) => prec(11, seq(choice('-', '+', '!', '~'), $._expression)),
    cast: ($) => prec(11, seq('(', $.type, ')', $._expression)),
    binary: ($) => choice(...OPERATORS.map((operators, level) =>
      prec.left(level + 1, seq($._expression, choice(...operators), $._expression)))),
    conditional: ($) => prec.right(0, seq($._expression, '?', $._expression, ':', $._expression)),

    // Words
    identifier: () => /[a-zA-Z][a-zA-Z0-9_$]*|[_$%][a-zA-Z0-9_$]+|_/,
    number: () => token(choice(/0[fF][0-9a-fA-F]{8}/, /0[dD][0-9a-fA-F]{16}/, /0[xX][0-9a-fA-F]+U?/, /0[bB][01]+U?/,
      /[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?/, /[0-9]+\.([eE][+-]?[0-9]+)?/, /[0-9]+[eE][+-]?[0-9]+/, /[0-9]+U?/)),
    string: () => /"[^"\n]*"/,
  },
});
