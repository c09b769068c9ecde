// Finds the place to continue after a syntax error: the statement before which a semicolon or a
// brace is missing, if the layout of the text shows it, so that one error affects one statement.
#include "frontend/parser.h"
#include "frontend/ptx.tab.h"
#include <string.h>

static const struct node *node_at(const struct parser *p, uint32_t node)
{
    return &p->tree->nodes.v[node];
}

static bool is_letter(char c)
{
    return c == '_' || c == '$' || c == '%' || (c >= '0' && c <= '9') ||
           ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static uint32_t word_end(const struct parser *p, uint32_t at)
{
    uint32_t end = p->tree->source->length;
    while (at < end && is_letter(p->base[at]))
        at++;
    return at;
}

// Returns true for a directive, a declaration, a guard, a label or a known opcode.
static bool begins_statement(const struct parser *p, uint32_t at)
{
    bool dot = p->base[at] == '.';
    uint32_t end = word_end(p, at + dot);
    uint32_t id = intern_find(&p->tree->names, p->base + at, end - at);
    if (dot) {
        uint32_t word = id - OP_COUNT;
        return word < WORD_COUNT &&
               (parser_is_spec((uint16_t)word) || isa_words[word].kind == KIND_DIRECTIVE);
    }
    if (p->base[at] == '@' || p->base[at] == '}')
        return true;
    return end > at && (id < OP_COUNT || p->base[parser_skip_trivia(p, end)] == ':');
}

// Returns the first byte of the line that is not blank, or `at` if the line begins in a comment.
static uint32_t first_of_line(const struct parser *p, uint32_t at)
{
    uint32_t begin = at;
    while (begin && p->base[begin - 1] != '\n')
        begin--;
    while (begin < at && (p->base[begin] == ' ' || p->base[begin] == '\t'))
        begin++;
    return memmem(p->base + begin, at - begin, "*/", 2) ? at : begin;
}

// Returns the kind of the innermost open node that is a scope, a function's head or a vector, or
// NODE_MODULE.
static enum node_kind surrounding(const struct parser *p)
{
    for (uint32_t i = p->open.n; i-- > 0;) {
        enum node_kind kind = node_at(p, p->open.v[i])->kind;
        if (kind == NODE_SCOPE || kind == NODE_FUNCTION || kind == NODE_VECTOR)
            return kind;
    }
    return NODE_MODULE;
}

// Returns true for the start of an item that is allowed at module level only.
static bool begins_item(const struct parser *p, uint32_t at)
{
    static const uint16_t items[] = {W_entry,  W_func,  W_visible, W_extern,  W_weak, W_common,
                                     W_global, W_const, W_file,    W_section, W_alias};
    if (p->base[at] != '.' || first_of_line(p, at) != at)
        return false;
    uint32_t word = intern_find(&p->tree->names, p->base + at, word_end(p, at + 1) - at) - OP_COUNT;
    for (size_t i = 0; i < ARRAY_LENGTH(items); i++)
        if (items[i] == word)
            return true;
    return false;
}

static uint32_t skip_string(const struct parser *p, uint32_t at)
{
    uint32_t end = p->tree->source->length;
    do
        at++;
    while (at < end && p->base[at] != '"' && p->base[at] != '\n');
    return at < end ? at + 1 : at;
}

// Returns the offset after the brace that closes a body without an opening brace, or the start of
// the next item.
static uint32_t skip_body(const struct parser *p, uint32_t at)
{
    uint32_t end = p->tree->source->length, depth = 0;
    for (at = parser_skip_trivia(p, at); at < end; at = parser_skip_trivia(p, at)) {
        char c = p->base[at];
        if (c == '}' && !depth)
            return at + 1;
        if (begins_item(p, at))
            return at;
        depth += (c == '{') - (c == '}');
        uint32_t word = word_end(p, at);
        at = c == '"' ? skip_string(p, at) : word > at ? word : at + 1;
    }
    return end;
}

static bool is_in_function(const struct parser *p)
{
    for (uint32_t i = 0; i < p->open.n; i++) {
        enum node_kind kind = node_at(p, p->open.v[i])->kind;
        if (kind == NODE_SCOPE || kind == NODE_FUNCTION)
            return true;
    }
    return false;
}

// Returns the offset after the semicolon of a module's item, or the start of the next item. Returns
// 0 for a function with a body. Braces after '=' enclose values.
static uint32_t item_end(const struct parser *p, uint32_t at)
{
    uint32_t end = p->tree->source->length, depth = 0, begin = at;
    char before = 0;
    for (; at < end; at = parser_skip_trivia(p, at)) {
        char c = p->base[at];
        if (!depth && at > begin && begins_item(p, at))
            return at;
        if (!depth && (c == '}' || (c == '{' && before != '=')))
            return 0;
        if (!depth && c == ';')
            return at + 1;
        depth += (c == '{') - (c == '}');
        before = c;
        uint32_t word = word_end(p, at);
        at = c == '"' ? skip_string(p, at) : word > at ? word : at + 1;
    }
    return 0;
}

bool parser_lacks_brace(const struct parser *p, const struct token *token)
{
    uint32_t at = token->begin;
    if (p->tree->source->fragment)
        return false;
    if (p->head)
        return !p->head_depth && p->base[at] != '}' && begins_statement(p, at);
    return surrounding(p) == NODE_MODULE && at == parser_skip_trivia(p, p->statement) &&
           p->base[at] != '.' && p->base[at] != '}' && begins_statement(p, at);
}

static uint32_t begin_at(struct parser *p, uint32_t at, uint32_t braces)
{
    if (p->recover_at == at) // already tried
        return 0;
    p->recovering = p->end_statement = true;
    p->braces = braces;
    p->holds = false;
    p->recover_at = p->recover_end = at;
    // The part that was read may end with blanks, such as a line @@dwarf.
    while (p->recover_end > p->last_end && source_is_blank(p->base[p->recover_end - 1]))
        p->recover_end--;
    return at;
}

// Handles a function in a body: all scopes end before it.
static uint32_t begin_function(struct parser *p, uint32_t at, uint32_t statement)
{
    uint32_t braces = 0, line = first_of_line(p, at);
    for (uint32_t i = 0; i < p->open.n; i++) {
        struct node *node = &p->tree->nodes.v[p->open.v[i]];
        if (node->kind != NODE_SCOPE)
            continue;
        node->flags |= NODE_CUT;
        braces++;
    }
    return begin_at(p, line < statement ? at : line, braces);
}

uint32_t parser_begin_again(struct parser *p, const struct token *token, bool is_function)
{
    uint32_t at = token->begin, statement = parser_skip_trivia(p, p->statement);
    enum node_kind around = surrounding(p);
    bool lacks_brace = parser_lacks_brace(p, token);
    p->head = 0;
    if (lacks_brace)
        return begin_at(p, skip_body(p, at), 0);
    uint32_t item = is_in_function(p) || p->tree->source->fragment ? 0 : item_end(p, statement);
    if (item > at && !is_function)
        return begin_at(p, item, 0);
    char c = p->base[at];
    if (around == NODE_FUNCTION || c == ';')
        return 0;
    if (around == NODE_MODULE && (c == '{' || c == '}'))
        return 0;
    if (is_function)
        return around == NODE_SCOPE ? begin_function(p, at, statement) : 0;
    if (c == '}')
        return around == NODE_SCOPE ? begin_at(p, at, 0) : 0;
    uint32_t line = first_of_line(p, at);
    bool scope = c == '{' && line == at; // after a statement without its semicolon
    return line > statement && (scope || begins_statement(p, line)) ? begin_at(p, line, 0) : 0;
}

// Returns the tokens of the function head around a fragment: .func fragment {
static int frame(struct parser *p, struct token *token)
{
    static const char name[] = "fragment";
    *token = (struct token){.begin = 0, .end = 0};
    switch (p->frame--) {
    case 3: token->value = OP_COUNT + W_func; return T_FUNCTION;
    case 2: token->value = intern_add(&p->tree->names, name, sizeof name - 1); return T_NAME;
    default:
        p->recovering = false;
        p->head = 0;
        return '{';
    }
}

int parser_end(struct parser *p, struct token *token)
{
    uint32_t length = p->tree->source->length;
    if (!p->framed)
        return 0;
    p->framed = false;
    *token = (struct token){.begin = length, .end = length};
    return '}';
}

// Returns true for words that begin an item of the module or a declaration in a body.
static bool begins_declaration(int kind, const struct token *token)
{
    return kind == T_REG || (kind == T_DOT && parser_is_spec(parser_word_of(token)));
}

int parser_head(struct parser *p, int kind, struct token *token)
{
    p->head_depth += (kind == '(') - (kind == ')' && p->head_depth);
    if (p->head_depth || kind == ')')
        return kind;
    bool declares = begins_declaration(kind, token);
    uint16_t word = declares ? parser_word_of(token) : W_UNKNOWN;
    bool in_body = declares && (word == W_reg || word == W_local || word == W_param ||
                                (p->head == W_entry && isa_words[word].kind == KIND_SPACE));
    if (in_body)
        return T_REG; // does not occur in a head
    if (kind == '{' || kind == ';') {
        p->head = 0;
        return kind;
    }
    if (p->head != W_func || (kind && !declares && kind != T_FUNCTION && kind != T_FILE &&
                              kind != T_SECTION && kind != T_NAMES))
        return kind;
    p->head = 0;
    p->holds = true;
    p->held_kind = kind;
    p->held = *token;
    return T_END;
}

int parser_release(struct parser *p, struct token *token)
{
    p->holds = false;
    *token = p->held;
    return p->held_kind ? p->held_kind : parser_end(p, token);
}

int parser_recover(struct parser *p, struct token *token)
{
    if (p->frame)
        return frame(p, token);
    *token = (struct token){.begin = p->recover_at, .end = p->recover_end};
    if (p->end_statement) {
        p->end_statement = false;
        p->recovering = p->braces > 0;
        return T_MEND;
    }
    p->recovering = --p->braces > 0;
    token->begin = p->recover_end;
    return '}';
}

void parser_recovered(struct parser *p, struct mark mark, uint32_t end)
{
    if (parser_skip_trivia(p, mark.begin) < end) {
        parser_error_node(p, mark, end);
        return;
    }
    p->tree->nodes.n = mark.node;
    p->open.n = mark.open;
    p->last_end = mark.begin;
}
