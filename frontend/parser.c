#include "frontend/parser.h"
#include "frontend/forms.h"
#include "frontend/ptx.tab.h"
#include "frontend/ptx.lex.h"
#include "support/bits.h"
#include "support/nearest.h"
#include <stdlib.h>
#include <string.h>

#define NODE(index) (p->tree->nodes.v[index])

void parser_fatal(const char *message)
{
    // flex calls this for a corrupt buffer state only; a failed allocation jumps instead.
    (void)message;
    abort();
}

// The scanner keeps a few small tables. Each is prefixed by its size, so that it can grow.
void *parser_scanner_memory(struct parser *p, void *old, size_t size)
{
    size_t *block = arena_alloc(p->tree->arena, size + 2 * sizeof(size_t));
    block[0] = size;
    if (old) {
        size_t before = ((size_t *)old)[-2];
        memcpy(block + 2, old, before < size ? before : size);
    }
    return block + 2;
}

// Scanner side

void parser_open_comment(struct parser *p)
{
    diag_add(p->diags, DIAG_ERROR, "syntax", p->comment_begin, p->comment_begin + 2,
             "comment is not closed");
}

int parser_stray(struct parser *p, const struct token *token)
{
    (void)p;
    (void)token;
    return T_STRAY;
}

// Returns the end of the sequence of `letters` that starts at `at`.
static const char *skip_letters(const char *at, const char *end, const char *letters)
{
    while (at < end && *at && strchr(letters, *at))
        at++;
    return at;
}

// Returns true for a preprocessor's line marker: as in ptxas, a number and a name in quotes.
static bool is_marker(const char *at, const char *end)
{
    static const char blanks[] = " \t", digits[] = "0123456789";
    at = skip_letters(at + 1, end, blanks);
    if (end - at > 4 && !memcmp(at, "line", 4))
        at = skip_letters(at + 4, end, blanks);
    const char *number = at, *blank = at = skip_letters(at, end, digits);
    at = skip_letters(at, end, blanks);
    if (blank == number || at == blank || at == end || *at != '"')
        return false;
    const char *quote = memchr(at + 1, '"', (size_t)(end - at - 1));
    for (at = quote ? quote + 1 : end; quote && at < end; at = number) {
        const char *flag = skip_letters(at, end, " \t\r");
        number = skip_letters(flag, end, digits);
        if (flag == at || (number == flag && flag < end))
            return false;
    }
    return quote;
}

bool parser_is_marker(const struct parser *p, const struct token *token)
{
    return is_marker(p->base + token->begin, p->base + token->end);
}

// WARP_SZ is a number in every context [PTX ISA 4.5.2].
int parser_name(struct parser *p, struct token *token)
{
    static const char warp_size[] = "WARP_SZ";
    const char *text = p->base + token->begin;
    uint32_t length = token->end - token->begin;
    if (length == sizeof warp_size - 1 && !memcmp(text, warp_size, length)) {
        token->value = 32;
        token->is_unsigned = 0;
        return T_NUMBER;
    }
    token->value = intern_add(&p->tree->names, text, length);
    return T_NAME;
}

uint16_t parser_word_of(const struct token *token)
{
    uint32_t word = (uint32_t)token->value - OP_COUNT;
    return word < WORD_COUNT ? (uint16_t)word : W_UNKNOWN;
}

static const struct {
    uint16_t word;
    int token;
} directive_tokens[] = {
    {W_version, T_VERSION},
    {W_address_size, T_VERSION},
    {W_target, T_TARGET},
    {W_file, T_FILE},
    {W_loc, T_LOC},
    {W_section, T_SECTION},
    {W_pragma, T_PRAGMA},
    {W_entry, T_FUNCTION},
    {W_func, T_FUNCTION},
    {W_alias, T_NAMES},
    {W_calltargets, T_NAMES},
    {W_branchtargets, T_NAMES},
    {W_callprototype, T_PROTOTYPE},
    {W_reg, T_REG},
};

int parser_word(struct parser *p, struct token *token)
{
    parser_name(p, token);
    uint16_t word = parser_word_of(token);
    if (word < WORD_COUNT && (isa_words[word].kind == KIND_DIRECTIVE || word == W_reg))
        for (size_t i = 0; i < ARRAY_LENGTH(directive_tokens); i++)
            if (directive_tokens[i].word == word)
                return directive_tokens[i].token;
    return T_DOT;
}

static void bad_literal(struct parser *p, const struct token *token, const char *why)
{
    diag_add(p->diags, DIAG_ERROR, "literal", token->begin, token->end, "%s", why);
    p->bad_number_end = token->end;
}

void parser_integer(struct parser *p, struct token *token, uint32_t prefix, unsigned base)
{
    const char *text = p->base;
    uint32_t end = token->end;
    token->is_unsigned = 0;
    if (text[end - 1] == 'U') {
        token->is_unsigned = 1;
        end--;
    }
    uint64_t value = 0;
    bool overflow = false;
    for (uint32_t i = token->begin + prefix; i < end; i++) {
        unsigned digit =
            text[i] <= '9' ? (unsigned)(text[i] - '0') : (unsigned)(text[i] | 32) - 'a' + 10;
        overflow |= __builtin_mul_overflow(value, (uint64_t)base, &value);
        overflow |= __builtin_add_overflow(value, (uint64_t)digit, &value);
    }
    if (overflow)
        bad_literal(p, token, "integer does not fit in 64 bits");
    if (value >> 63)
        token->is_unsigned = 1;
    token->value = value;
}

void parser_bits(struct parser *p, struct token *token)
{
    char digits[17] = {0};
    memcpy(digits, p->base + token->begin + 2, token->end - token->begin - 2);
    token->value = strtoull(digits, NULL, 16);
    token->is_unsigned = 0;
}

void parser_decimal(struct parser *p, struct token *token)
{
    char digits[512];
    uint32_t length = token->end - token->begin;
    if (length >= sizeof digits) {
        bad_literal(p, token, "decimal constant is longer than 511 characters");
        length = sizeof digits - 1;
    }
    memcpy(digits, p->base + token->begin, length);
    digits[length] = 0;
    double value = strtod(digits, NULL);
    memcpy(&token->value, &value, sizeof value);
    token->is_unsigned = 0;
}

void parser_bad_number(struct parser *p, struct token *token)
{
    bad_literal(p, token, "not a number");
    token->value = 0;
    token->is_unsigned = 0;
}

// Nodes

static uint32_t add(struct parser *p, struct node node)
{
    uint32_t index = p->tree->nodes.n;
    vec_push(p->tree->arena, &p->tree->nodes, node);
    p->last_end = node.end;
    return index;
}

uint32_t parser_push(struct parser *p, enum node_kind kind, const struct token *token)
{
    struct node node = {.kind = (uint8_t)kind,
                        .begin = token->begin,
                        .end = token->end,
                        .size = 1,
                        .value = token->value};
    switch (kind) {
    case NODE_INT:
    case NODE_FLOAT32:
    case NODE_FLOAT64:
        node.flags = token->is_unsigned ? NODE_UNSIGNED : 0;
        if (token->end == p->bad_number_end) // it has no value, so its parent is not checked
            node.kind = NODE_ERROR;
        break;
    case NODE_DIRECTIVE:
    case NODE_FUNCTION:
    case NODE_SPEC:
    case NODE_TUNING:
        node.aux = parser_word_of(token);
        node.value = 0;
        if (kind == NODE_SPEC && p->open.n && NODE(p->open.v[p->open.n - 1]).kind == NODE_FUNCTION)
            node.flags = NODE_LATE;
        break;
    case NODE_INSTR: // the text may end between a guard and its opcode
        node.aux = OP_OPAQUE;
        node.value = 0;
        break;
    default: break;
    }
    return add(p, node);
}

void parser_empty(struct parser *p, const struct token *token)
{
    struct node *last = &NODE(p->tree->nodes.n - 1);
    if (last->kind == NODE_EMPTY && last->end == token->begin)
        last->end = p->last_end = token->end;
    else
        parser_push(p, NODE_EMPTY, token);
}

uint32_t parser_open(struct parser *p, enum node_kind kind, const struct token *token)
{
    uint32_t node = parser_push(p, kind, token);
    vec_push(p->tree->arena, &p->open, node);
    return node;
}

uint32_t parser_wrap(struct parser *p, enum node_kind kind, uint32_t node, uint32_t begin,
                     uint32_t end)
{
    uint32_t count = p->tree->nodes.n - node;
    add(p, (struct node){0});
    memmove(&NODE(node + 1), &NODE(node), count * sizeof(struct node));
    NODE(node) =
        (struct node){.kind = (uint8_t)kind, .begin = begin, .end = end, .size = count + 1};
    p->last_end = end;
    return node;
}

void parser_open_around(struct parser *p, enum node_kind kind, struct mark mark,
                        const struct token *token)
{
    uint32_t begin = mark.node < p->tree->nodes.n ? NODE(mark.node).begin : token->begin;
    parser_wrap(p, kind, mark.node, begin, token->end);
    NODE(mark.node).aux = parser_word_of(token);
    vec_push(p->tree->arena, &p->open, mark.node);
}

void parser_close(struct parser *p, uint32_t end)
{
    struct node *node = &NODE(p->open.v[--p->open.n]);
    node->size = p->tree->nodes.n - (uint32_t)(node - p->tree->nodes.v);
    node->end = end;
    p->last_end = end;
}

void parser_close_here(struct parser *p)
{
    parser_close(p, p->last_end);
}

// Removes the contents of a body, which is the last child of its function.
static void drop_body(struct parser *p, uint32_t function)
{
    uint32_t scope = function + 1;
    while (NODE(scope).kind != NODE_SCOPE)
        scope = node_next(p->tree, scope);
    NODE(scope).size = 1;
    NODE(function).size = scope + 1 - function;
    p->tree->nodes.n = scope + 1;
}

void parser_close_function(struct parser *p)
{
    uint32_t function = p->open.v[p->open.n - 1];
    parser_close_here(p);
    if (!p->visitor || p->open.n != 1)
        return;
    NODE(0).size = p->tree->nodes.n;
    p->stopped = !p->visitor->visit(p->visitor->context, function);
    if (!p->stopped)
        drop_body(p, function);
}

// Returns the end of the comment or line marker that begins at `at`, or `at`.
static uint32_t skip_comment(const struct parser *p, uint32_t at, uint32_t end)
{
    const char *text = p->base;
    bool slash = text[at] == '/' && at + 1 < end;
    if (text[at] == '#' || (slash && text[at + 1] == '/')) {
        const char *stop = memchr(text + at, '\n', end - at);
        stop = stop ? stop : text + end;
        return slash || is_marker(text + at, stop) ? (uint32_t)(stop - text) : at;
    }
    if (!slash || text[at + 1] != '*')
        return at;
    const char *stop = memmem(text + at + 2, end - at - 2, "*/", 2);
    return stop ? (uint32_t)(stop - text) + 2 : end;
}

uint32_t parser_skip_trivia(const struct parser *p, uint32_t at)
{
    uint32_t end = p->tree->source->length;
    while (at < end) {
        char c = p->base[at];
        uint32_t next = !c || source_is_blank(c) ? at + 1 : skip_comment(p, at, end);
        if (next == at && at == 0 && !strncmp(p->base, "\xef\xbb\xbf", 3))
            next = 3; // a byte order mark
        if (next == at)
            break;
        at = next;
    }
    return at;
}

struct mark parser_mark(const struct parser *p)
{
    return (struct mark){p->tree->nodes.n, p->open.n, p->last_end};
}

void parser_error_node(struct parser *p, struct mark mark, uint32_t end)
{
    uint32_t begin = parser_skip_trivia(p, mark.begin);
    p->tree->nodes.n = mark.node;
    p->open.n = mark.open;
    add(p, (struct node){
               .kind = NODE_ERROR, .begin = begin < end ? begin : end, .end = end, .size = 1});
}

static const enum isa_kind spec_kinds[] = {KIND_TYPE, KIND_SPACE, KIND_LINK, KIND_VECTOR};
static const uint16_t spec_words[] = {W_weak, W_align, W_ptr, W_attribute};

bool parser_is_spec(uint16_t word)
{
    if (word >= WORD_COUNT)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(spec_kinds); i++)
        if (isa_words[word].kind == spec_kinds[i])
            return true;
    for (size_t i = 0; i < ARRAY_LENGTH(spec_words); i++)
        if (spec_words[i] == word)
            return true;
    return false;
}

static bool first_warning(struct parser *p, uint32_t name)
{
    if (name >= p->warned_size * 64) {
        uint32_t words = name / 64 * 2 + 64;
        uint64_t *grown = ARENA_ARRAY(p->tree->arena, uint64_t, words);
        if (p->warned)
            memcpy(grown, p->warned, p->warned_size * sizeof *grown);
        p->warned = grown;
        p->warned_size = words;
    }
    if (bits_test(p->warned, name))
        return false;
    bits_set(p->warned, name);
    return true;
}

void parser_version(struct parser *p)
{
    double version;
    const struct node *number = &NODE(p->tree->nodes.n - 1);
    if (NODE(p->open.v[p->open.n - 1]).aux != W_version || number->kind != NODE_FLOAT64)
        return;
    memcpy(&version, &number->value, sizeof version);
    p->described = version > 0 && version * 10 < FORM_TABLE_VERSION + 0.5;
}

// Reports an unknown word, once. It is an error for a directive if the tables describe the module's
// version. Name ids of known opcodes come first, followed by dot words.
static void report_unknown(struct parser *p, const char *id, const char *what, uint32_t begin,
                           uint32_t end)
{
    const char *text = p->base + begin;
    uint32_t name = intern_add(&p->tree->names, text, end - begin);
    if (!first_warning(p, name))
        return;
    struct nearest nearest;
    nearest_init(&nearest, text, end - begin);
    bool opcode = *text != '.';
    for (uint32_t i = opcode ? 0 : OP_COUNT; i < (opcode ? OP_COUNT : OP_COUNT + WORD_COUNT); i++)
        nearest_offer(&nearest, tree_name(p->tree, i)->text, tree_name(p->tree, i)->length);
    bool error = !opcode && p->described;
    diag_add(p->diags, error ? DIAG_ERROR : DIAG_WARNING, id, begin, end,
             "unknown %s '%.*s'%s%.*s%s%s", what, (int)(end - begin), text,
             nearest.best ? ", did you mean '" : "", (int)nearest.best_length,
             nearest.best ? nearest.best : "", nearest.best ? "'" : "",
             error ? "" : ": kept unchanged");
    if (nearest.best)
        diag_suggest(p->diags, nearest.best, nearest.best_length);
}

// The first word of a declaration determines its kind. A declaration with an unknown word is kept.
void parser_declaration(struct parser *p, struct mark mark, uint32_t end)
{
    const struct node *first = &NODE(mark.node);
    if (!parser_is_spec(first->aux)) {
        uint32_t begin = first->begin, stop = begin + 1;
        while (stop < first->end && p->base[stop] != ' ' && p->base[stop] != '\t')
            stop++;
        enum isa_kind kind = first->aux < WORD_COUNT ? isa_words[first->aux].kind : KIND_TYPE;
        if (kind == KIND_DIRECTIVE || kind == KIND_PLAIN) // .maxntid, for example, which belongs to
                                                          // a kernel
            diag_add(p->diags, DIAG_ERROR, "directive", begin, stop, "'%.*s' is not allowed here",
                     (int)(stop - begin), p->base + begin);
        else
            report_unknown(p, "unknown-directive", "directive", begin, stop);
    }
    parser_wrap(p, NODE_DECL, mark.node, NODE(mark.node).begin, end);
}

void parser_tuning(struct parser *p, const struct token *word)
{
    uint32_t node = parser_open(p, NODE_TUNING, word);
    if (NODE(node).aux >= WORD_COUNT)
        report_unknown(p, "unknown-directive", "directive", word->begin, word->end);
}

void parser_counted(struct parser *p, const struct token *number, uint32_t end)
{
    NODE(p->open.v[p->open.n - 1]).flags |= NODE_COUNTED;
    parser_push(p, NODE_INT, number);
    p->last_end = end;
}

void parser_function_name(struct parser *p, const struct token *name)
{
    struct node *function = &NODE(p->open.v[p->open.n - 1]);
    function->value = name->value;
    p->last_end = name->end;
    p->head = function->aux;
    p->head_depth = 0;
}

// Instructions

void parser_guard(struct parser *p, const struct token *at, const struct token *name, bool negated)
{
    NODE(p->open.v[p->open.n - 1]).flags |= NODE_HAS_GUARD;
    struct token both = *name;
    both.begin = at->begin;
    uint32_t guard = parser_push(p, NODE_GUARD, &both);
    NODE(guard).flags = negated ? NODE_NEGATED : 0;
}

void parser_opcode(struct parser *p, const struct token *opcode)
{
    struct node *node = &NODE(p->open.v[p->open.n - 1]);
    node->aux = opcode->value < OP_COUNT ? (uint16_t)opcode->value : OP_OPAQUE;
    node->value = p->tree->mods.n;
    p->last_end = opcode->end;
    if (node->aux == OP_OPAQUE)
        report_unknown(p, "unknown-opcode", "opcode", opcode->begin, opcode->end);
}

void parser_modifier(struct parser *p, const struct token *word)
{
    vec_push(p->tree->arena, &p->tree->mods, parser_word_of(word));
    NODE(p->open.v[p->open.n - 1]).value += UINT64_C(1) << 32;
    p->last_end = word->end;
}

void parser_member(struct parser *p, uint32_t name, const struct token *word)
{
    parser_wrap(p, NODE_MEMBER, name, NODE(name).begin, word->end);
    NODE(name).aux = parser_word_of(word);
}

void parser_attribute(struct parser *p, uint32_t address, const struct token *word)
{
    NODE(address).aux = parser_word_of(word);
    NODE(address).end = p->last_end = word->end;
    if (NODE(address).aux != W_unified_mod)
        diag_add(p->diags, DIAG_ERROR, "syntax", word->begin, word->end,
                 "only .unified is allowed after an address");
}

bool parser_at_statement(const struct parser *p)
{
    static const char ends[] = ";{}:";
    return p->previous && p->previous < 128 && strchr(ends, p->previous) &&
           p->previous_end == p->last_end && NODE(p->open.v[p->open.n - 1]).kind == NODE_SCOPE;
}

// Faults

static bool in_body(const struct parser *p)
{
    for (uint32_t i = 0; i < p->open.n; i++)
        if (NODE(p->open.v[i]).kind == NODE_SCOPE)
            return true;
    return false;
}

static bool is_word(const struct token *token, uint16_t word)
{
    return token->end - token->begin == strlen(isa_words[word].text) &&
           token->value == (uint64_t)OP_COUNT + word;
}

void parser_syntax_error(struct parser *p, const struct token *token, bool at_end, bool stray,
                         const char *expected)
{
    const char *text = p->base + token->begin;
    uint32_t length = token->end - token->begin;
    if (at_end || token->begin == p->tree->source->length) {
        uint32_t last = p->tree->source->length;
        p->cut = true;
        diag_add(p->diags, DIAG_ERROR, "syntax", last, last, "the text ends here%s", expected);
    } else if (stray && !(*text >= ' ' && *text < 127)) {
        diag_add(p->diags, DIAG_ERROR, "syntax", token->begin, token->end, "stray byte 0x%02x",
                 (unsigned char)*text);
    } else if (stray && *text == '"') {
        diag_add(p->diags, DIAG_ERROR, "syntax", token->begin, token->end,
                 "string is not closed on its line");
    } else if (in_body(p) && (is_word(token, W_entry) || is_word(token, W_func))) {
        diag_add(p->diags, DIAG_ERROR, "syntax", token->begin, token->end,
                 "'%.*s' in a body: a '}' is missing before it", (int)length, text);
    } else if (parser_lacks_brace(p, token)) {
        diag_add(p->diags, DIAG_ERROR, "syntax", token->begin, token->end,
                 p->head
                     ? "'%.*s' after the head of a function: a '{' is missing before it"
                     : "'%.*s' outside of a function: a '{' is missing, or there is an extra '}'",
                 (int)(length > 40 ? 40 : length), text);
    } else {
        diag_add(p->diags, DIAG_ERROR, "syntax", token->begin, token->end, "unexpected '%.*s'%s",
                 (int)(length > 40 ? 40 : length), text, expected);
    }
}

// Called after an error from which the grammar did not recover: puts the rest in one error node.
static void close_all(struct parser *p)
{
    uint32_t length = p->tree->source->length;
    if (p->last_end < length) {
        struct mark rest = parser_mark(p);
        if (parser_skip_trivia(p, rest.begin) < length)
            parser_error_node(p, rest, length);
    }
    while (p->open.n) {
        NODE(p->open.v[p->open.n - 1]).flags |= NODE_CUT;
        parser_close(p, length);
    }
}

void ptx_parse_each(struct tree *tree, struct arena *arena, struct source *source,
                    struct diags *diags, const struct tree_visitor *visitor)
{
    *tree = (struct tree){.arena = arena, .source = source};
    intern_init(&tree->names, arena);
    isa_intern(&tree->names);
    struct parser parser = {.tree = tree, .diags = diags, .base = source->text, .visitor = visitor};
    struct parser *p = &parser;
    intern_init(&p->spelled, arena);
    struct token whole = {.begin = 0, .end = 0};
    parser_open(p, NODE_MODULE, &whole);
    text_check(source, diags);
    if (source->fragment && text_is_body(p)) {
        p->recovering = p->framed = true;
        p->frame = 3;
    }
    yyscan_t scanner;
    ptx_yylex_init_extra(p, &scanner);
    ptx_yy_scan_buffer((char *)source->text, source->length + 2, scanner);
    if (ptx_yyparse(p, scanner) || p->stopped)
        ptx_scanner_restore(scanner);
    close_all(p);
    NODE(0).flags &= (uint8_t)~NODE_CUT;
}

void ptx_parse(struct tree *tree, struct arena *arena, struct source *source, struct diags *diags)
{
    ptx_parse_each(tree, arena, source, diags, NULL);
}
