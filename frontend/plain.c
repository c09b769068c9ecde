// Reads the plain statements of a body without scanner and grammar: labels, .loc, .pragma, .reg,
// and instructions whose operands are names, numbers, addresses, vectors and argument lists. Nearly
// all bytes of a text are in such statements. Builds the same nodes as the grammar. A statement
// with anything else (comments, expressions, unknown words, faults) is left to the grammar as a
// whole.
#include "frontend/parser.h"
#include <string.h>

// Classes of the bytes, one digit each.
enum { WORD = 1, LETTER = 2, DIGIT = 4, BLANK = 8 };
static const char classes[256] = "00000000088008000000000000000000"
                                 "80001000000000005555555555000000"
                                 "03333333333333333333333333300001"
                                 "03333333333333333333333333300000";

enum { NONE = UINT32_MAX, DEEPEST = 3 };

struct plain {
    struct parser *p;
    struct tree *tree;
    const char *at;
};

static bool is(char byte, int class)
{
    return classes[(unsigned char)byte] & class;
}

static uint32_t offset_of(const struct plain *plain, const char *at)
{
    return (uint32_t)(at - plain->p->base);
}

// Returns the first byte from the cursor on that is not blank.
static const char *next_byte(const struct plain *plain)
{
    const char *at = plain->at;
    while (is(*at, BLANK))
        at++;
    return at;
}

static void skip_blanks(struct plain *plain)
{
    plain->at = next_byte(plain);
}

static uint32_t add(struct plain *plain, enum node_kind kind, const char *begin, uint64_t value)
{
    struct node node = {.kind = (uint8_t)kind,
                        .begin = offset_of(plain, begin),
                        .end = offset_of(plain, plain->at),
                        .size = 1,
                        .value = value};
    vec_push(plain->tree->arena, &plain->tree->nodes, node);
    return plain->tree->nodes.n - 1;
}

// Makes all nodes after `node` its subtree, which ends at the cursor.
static void finish(struct plain *plain, uint32_t node)
{
    plain->tree->nodes.v[node].size = plain->tree->nodes.n - node;
    plain->tree->nodes.v[node].end = offset_of(plain, plain->at);
}

// Puts a parent that ends at the cursor around the nodes from `node` on.
static void wrap(struct plain *plain, enum node_kind kind, uint32_t node, uint16_t aux)
{
    parser_wrap(plain->p, kind, node, plain->tree->nodes.v[node].begin,
                offset_of(plain, plain->at));
    plain->tree->nodes.v[node].aux = aux;
}

// Names and words

// Returns the end of the name that begins at the cursor, or NULL.
static const char *name_end(const struct plain *plain)
{
    const char *at = plain->at;
    bool letter = is(*at, LETTER);
    if (!letter && *at != '_' && *at != '$' && *at != '%')
        return NULL;
    at++;
    if (!letter && !is(*at, WORD)) // "_" alone is also a name
        return at[-1] == '_' ? at : NULL;
    while (is(*at, WORD))
        at++;
    return at;
}

static bool is_warp_size(const char *begin, const char *end)
{
    static const char warp_size[] = "WARP_SZ"; // a number, not a name
    return *begin == 'W' && (size_t)(end - begin) == sizeof warp_size - 1 &&
           !memcmp(begin, warp_size, sizeof warp_size - 1);
}

// Moves past a name. Returns its id, or NONE if there is no name.
static uint32_t parse_name(struct plain *plain)
{
    const char *begin = plain->at, *end = name_end(plain);
    if (!end || is_warp_size(begin, end))
        return NONE;
    plain->at = end;
    return intern_add(&plain->tree->names, begin, (size_t)(end - begin));
}

// Returns the end of the word whose dot is at `at`, or NULL. A dot before a digit may begin a
// number.
static const char *word_end(const char *at)
{
    do {
        at += *at == '.' ? 1 : 2;
        if (!is(*at, WORD) || *at == '$' || is(*at, DIGIT))
            return NULL;
        while (is(*at, WORD) && *at != '$')
            at++;
    } while (at[0] == ':' && at[1] == ':');
    return at;
}

// Returns the isa_word of a word that may be a modifier, or W_UNKNOWN.
static uint16_t find_modifier(const struct plain *plain, const char *begin, const char *end)
{
    uint32_t word =
        intern_find(&plain->tree->names, begin, (size_t)(end - begin)) - (uint32_t)OP_COUNT;
    return word < WORD_COUNT && isa_words[word].kind != KIND_DIRECTIVE && word != W_reg
               ? (uint16_t)word
               : W_UNKNOWN;
}

// Operands

// Reads hexadecimal digits from the cursor on. Returns their number. `*value` holds the last 16.
static int parse_hex(struct plain *plain, uint64_t *value)
{
    const char *begin = plain->at;
    for (*value = 0;; plain->at++) {
        char c = *plain->at;
        unsigned letter = (unsigned)(c | 32) - 'a';
        if (!is(c, DIGIT) && letter > 5)
            return (int)(plain->at - begin);
        *value = *value << 4 | (is(c, DIGIT) ? (unsigned)(c - '0') : letter + 10);
    }
}

// Reads a number with a prefix: 0x…, 0f… or 0d….
static bool read_prefixed(struct plain *plain, const char *begin)
{
    uint64_t value;
    char prefix = (char)(plain->at[1] | 32);
    plain->at += 2;
    int digits = parse_hex(plain, &value);
    enum node_kind kind = prefix == 'x' ? NODE_INT : prefix == 'f' ? NODE_FLOAT32 : NODE_FLOAT64;
    bool good = kind == NODE_INT       ? digits >= 1 && digits <= 16
                : kind == NODE_FLOAT32 ? digits == 8
                                       : prefix == 'd' && digits == 16;
    if (!good)
        return false;
    uint32_t node = add(plain, kind, begin, value);
    plain->tree->nodes.v[node].flags = kind == NODE_INT && value >> 63 ? NODE_UNSIGNED : 0;
    return true;
}

// Reads an integer or the bits of a float. Only decimal integers may have a minus sign.
static bool read_number(struct plain *plain)
{
    enum { MAX_DIGITS = 18 };
    const char *begin = plain->at;
    bool minus = *begin == '-';
    plain->at += minus;
    while (minus && is(*plain->at, BLANK))
        plain->at++;
    const char *first = plain->at;
    if (*first == '0' && is(first[1], LETTER))
        return !minus && read_prefixed(plain, begin);
    uint64_t value = 0;
    for (; is(*plain->at, DIGIT); plain->at++)
        value = value * 10 + (unsigned)(*plain->at - '0');
    long digits = plain->at - first;
    if (digits < 1 || digits > MAX_DIGITS || (*first == '0' && digits > 1))
        return false;
    add(plain, NODE_INT, begin, minus ? -value : value);
    return true;
}

// Reads name or name.x.
static bool parse_location(struct plain *plain)
{
    const char *begin = plain->at;
    uint32_t name = parse_name(plain);
    if (name == NONE)
        return false;
    uint32_t node = add(plain, NODE_NAME, begin, name);
    if (*plain->at != '.')
        return true;
    const char *dot = plain->at, *end = word_end(dot);
    uint16_t word = end ? find_modifier(plain, dot, end) : W_UNKNOWN;
    if (word == W_UNKNOWN)
        return false;
    plain->at = end;
    wrap(plain, NODE_MEMBER, node, word);
    return true;
}

static bool read_integer(struct plain *plain)
{
    uint32_t number = plain->tree->nodes.n;
    return read_number(plain) && plain->tree->nodes.v[number].kind == NODE_INT;
}

// Reads a place, a place plus a number, or p|q.
static bool read_name(struct plain *plain)
{
    uint32_t node = plain->tree->nodes.n;
    if (!parse_location(plain))
        return false;
    skip_blanks(plain);
    char sign = *plain->at;
    if (sign != '+' && sign != '|')
        return true;
    plain->at++;
    skip_blanks(plain);
    if (!(sign == '+' ? read_integer(plain) : parse_location(plain)))
        return false;
    wrap(plain, sign == '+' ? NODE_OFFSET : NODE_PAIR, node, 0);
    return true;
}

static bool read_list(struct plain *plain, char close, bool is_call, int depth);

static bool read_group(struct plain *plain, enum node_kind kind, char close, int depth)
{
    uint32_t group = add(plain, kind, plain->at++, 0);
    if (depth == DEEPEST || !read_list(plain, close, false, depth + 1))
        return false;
    finish(plain, group);
    return true;
}

// Reads an operand. Parentheses are read only around the arguments of a call; elsewhere they belong
// to an expression.
static bool read_operand(struct plain *plain, bool is_call, int depth)
{
    switch (*plain->at) {
    case '[': return read_group(plain, NODE_ADDRESS, ']', depth);
    case '{': return read_group(plain, NODE_VECTOR, '}', depth);
    case '(': return is_call && read_group(plain, NODE_LIST, ')', depth);
    case '-': return read_number(plain);
    default: return is(*plain->at, DIGIT) ? read_number(plain) : read_name(plain);
    }
}

// Reads operands separated by commas, and the byte that ends them.
static bool read_list(struct plain *plain, char close, bool is_call, int depth)
{
    for (;; plain->at++) {
        skip_blanks(plain);
        if (!read_operand(plain, is_call, depth))
            return false;
        skip_blanks(plain);
        if (*plain->at != ',')
            return *plain->at++ == close;
    }
}

// Statements

// Returns the opcode and modifiers of a spelling. Instructions with the same spelling share their
// modifiers.
static struct parser_spelling resolve_spelling(struct plain *plain, const char *begin,
                                               const char *end)
{
    struct tree *tree = plain->tree;
    uint32_t first = tree->mods.n;
    const char *at = memchr(begin, '.', (size_t)(end - begin));
    at = at ? at : end;
    uint32_t op = intern_find(&tree->names, begin, (size_t)(at - begin));
    while (op < OP_COUNT && at < end) {
        const char *stop = word_end(at);
        uint16_t word = find_modifier(plain, at, stop);
        if (word == W_UNKNOWN)
            op = NONE;
        vec_push(tree->arena, &tree->mods, word);
        at = stop;
    }
    if (op >= OP_COUNT)
        tree->mods.n = first;
    return (struct parser_spelling){op < OP_COUNT ? (uint16_t)op : OP_OPAQUE, first,
                                    tree->mods.n - first};
}

static const struct parser_spelling *find_spelling(struct plain *plain, const char *begin,
                                                   const char *end)
{
    struct parser *p = plain->p;
    uint32_t id = intern_add(&p->spelled, begin, (size_t)(end - begin));
    if (id == p->spellings.n)
        vec_push(plain->tree->arena, &p->spellings, resolve_spelling(plain, begin, end));
    return &p->spellings.v[id];
}

static bool read_opcode(struct plain *plain, uint32_t instr)
{
    const char *begin = plain->at, *end = begin;
    while (is(*end, WORD))
        end++;
    while (end && *end == '.')
        end = word_end(end);
    if (!end || !is(*begin, LETTER) || (!is(*end, BLANK) && *end != ';'))
        return false;
    const struct parser_spelling *spelling = find_spelling(plain, begin, end);
    struct node *node = &plain->tree->nodes.v[instr];
    node->aux = spelling->op;
    node->value = spelling->mods | (uint64_t)spelling->count << 32;
    plain->at = end;
    skip_blanks(plain);
    return spelling->op != OP_OPAQUE;
}

// Reads @p or @!p.
static bool read_guard(struct plain *plain, uint32_t instr)
{
    const char *begin = plain->at++;
    bool negated = *plain->at == '!';
    plain->at += negated;
    uint32_t name = parse_name(plain);
    if (name == NONE)
        return false;
    uint32_t guard = add(plain, NODE_GUARD, begin, name);
    plain->tree->nodes.v[guard].flags = negated ? NODE_NEGATED : 0;
    plain->tree->nodes.v[instr].flags = NODE_HAS_GUARD;
    skip_blanks(plain);
    return true;
}

static bool read_instruction(struct plain *plain)
{
    uint32_t instr = add(plain, NODE_INSTR, plain->at, 0);
    if (*plain->at == '@' && !read_guard(plain, instr))
        return false;
    if (!read_opcode(plain, instr))
        return false;
    if (*plain->at == ';')
        plain->at++;
    else if (!read_list(plain, ';', plain->tree->nodes.v[instr].aux == OP_call, 0))
        return false;
    finish(plain, instr);
    return true;
}

// Reads a name followed by a colon. Returns false, without advancing, for other text.
static bool read_label(struct plain *plain)
{
    const char *begin = plain->at, *end = name_end(plain);
    if (!end || *end != ':' || end[1] == ':' || is_warp_size(begin, end))
        return false;
    uint32_t name = parse_name(plain);
    plain->at++;
    add(plain, NODE_LABEL, begin, name);
    return true;
}

static bool push_name(struct plain *plain)
{
    const char *begin = plain->at;
    uint32_t name = parse_name(plain);
    if (name != NONE)
        add(plain, NODE_NAME, begin, name);
    return name != NONE;
}

// Reads integers separated by blanks. The cursor stays directly after the last one.
static bool read_numbers(struct plain *plain)
{
    for (const char *at; is(*(at = next_byte(plain)), DIGIT);) {
        plain->at = at;
        if (!read_integer(plain) || (!is(*plain->at, BLANK) && *plain->at != ','))
            return false;
    }
    return true;
}

// Reads the text after the comma of .loc: "name numbers", "name name" or "name name+number".
static bool read_attribute(struct plain *plain)
{
    skip_blanks(plain);
    if (!push_name(plain))
        return false;
    skip_blanks(plain);
    if (is(*plain->at, DIGIT))
        return read_numbers(plain);
    if (!push_name(plain))
        return false;
    if (*next_byte(plain) != '+')
        return true;
    skip_blanks(plain);
    plain->at++;
    skip_blanks(plain);
    return read_integer(plain) && !is(*plain->at, WORD);
}

// Returns true at the beginning of a statement or brace. They end a .loc, which has no semicolon.
static bool is_beginning(const char *at)
{
    return is(*at, LETTER) || (*at && strchr("@$_%{};", *at)) || (*at == '.' && is(at[1], LETTER));
}

static bool read_location(struct plain *plain)
{
    skip_blanks(plain);
    bool good = is(*plain->at, DIGIT) && read_numbers(plain);
    while (good && *next_byte(plain) == ',') {
        skip_blanks(plain);
        plain->at++;
        good = read_attribute(plain);
    }
    return good && is_beginning(next_byte(plain));
}

// Reads the string of a .pragma, and the semicolon.
static bool read_string(struct plain *plain)
{
    skip_blanks(plain);
    const char *begin = plain->at;
    if (*begin != '"')
        return false;
    plain->at += 1 + strcspn(begin + 1, "\"\n");
    if (*plain->at++ != '"')
        return false;
    add(plain, NODE_STRING, begin, 0);
    skip_blanks(plain);
    return *plain->at++ == ';';
}

static uint32_t add_word(struct plain *plain, enum node_kind kind, const char *begin, uint32_t word)
{
    uint32_t node = add(plain, kind, begin, 0);
    plain->tree->nodes.v[node].aux = (uint16_t)word;
    return node;
}

// Reads name or name<count>.
static bool read_declarator(struct plain *plain)
{
    const char *begin = plain->at;
    uint32_t name = parse_name(plain);
    if (name == NONE)
        return false;
    uint32_t declarator = add(plain, NODE_DECLARATOR, begin, name);
    if (*next_byte(plain) != '<')
        return true;
    skip_blanks(plain);
    plain->at++;
    skip_blanks(plain);
    if (!is(*plain->at, DIGIT) || !read_integer(plain))
        return false;
    skip_blanks(plain);
    if (*plain->at++ != '>')
        return false;
    plain->tree->nodes.v[declarator].flags = NODE_COUNTED;
    finish(plain, declarator);
    return true;
}

// Reads .reg, a type, and declarators separated by commas.
static bool read_registers(struct plain *plain, const char *begin)
{
    uint32_t decl = add(plain, NODE_DECL, begin, 0);
    add_word(plain, NODE_SPEC, begin, W_reg);
    skip_blanks(plain);
    const char *dot = plain->at, *end = *dot == '.' ? word_end(dot) : NULL;
    uint16_t type = end ? find_modifier(plain, dot, end) : W_UNKNOWN;
    if (!isa_is_type(type))
        return false;
    plain->at = end;
    add_word(plain, NODE_SPEC, dot, type);
    do {
        skip_blanks(plain);
        if (!read_declarator(plain))
            return false;
        skip_blanks(plain);
    } while (*plain->at++ == ',');
    finish(plain, decl);
    return plain->at[-1] == ';';
}

static bool read_directive(struct plain *plain)
{
    const char *begin = plain->at, *end = word_end(begin);
    if (!end || !is(*end, BLANK))
        return false;
    uint32_t word =
        intern_find(&plain->tree->names, begin, (size_t)(end - begin)) - (uint32_t)OP_COUNT;
    if (word != W_loc && word != W_pragma && word != W_reg)
        return false;
    plain->at = end;
    if (word == W_reg)
        return read_registers(plain, begin);
    uint32_t directive = add_word(plain, NODE_DIRECTIVE, begin, word);
    if (!(word == W_loc ? read_location(plain) : read_string(plain)))
        return false;
    finish(plain, directive);
    return true;
}

static bool read_statement(struct plain *plain)
{
    if (*plain->at == '.')
        return read_directive(plain);
    return read_label(plain) || read_instruction(plain);
}

// Moves past blanks and line comments.
static void skip_between(struct plain *plain)
{
    const char *end = plain->p->base + plain->tree->source->length;
    for (;;) {
        skip_blanks(plain);
        if (plain->at[0] != '/' || plain->at[1] != '/')
            return;
        const char *line = memchr(plain->at, '\n', (size_t)(end - plain->at));
        plain->at = line ? line : end;
    }
}

uint32_t parser_plain(struct parser *p, uint32_t at)
{
    struct plain plain = {p, p->tree, p->base + at};
    for (;;) {
        uint32_t nodes = p->tree->nodes.n;
        skip_between(&plain);
        if (!read_statement(&plain)) {
            p->tree->nodes.n = nodes;
            p->last_end = at;
            return at;
        }
        p->statement = at;
        at = offset_of(&plain, plain.at);
    }
}
