#include "backend/emit/format.h"
#include <string.h>

enum { WIDTH = 100, TAB = 4 };

// Classes of tokens, which determine the space between two tokens.
enum token_class {
    TOKEN_NONE,  // at the start of a statement
    TOKEN_WORD,  // names, numbers, strings
    TOKEN_DOT,   // .word
    TOKEN_OPEN,  // ( [ and { in operands
    TOKEN_CLOSE, // ) ] }
    TOKEN_COMMA,
    TOKEN_PREFIX, // @ ! ~ and the sign of an operand
    TOKEN_OPERATOR,
    TOKEN_EQUALS,
    TOKEN_END, // ; and :
};

struct format_token {
    uint32_t begin, end;
    enum token_class class;
};

struct formatter {
    const struct tree *tree;
    const char *text;
    FILE *to;
    uint32_t at;     // the source is written up to here
    uint32_t depth;  // of nested scopes
    uint32_t column; // after the text written last; 0: at the start of a line
    bool instruction;
    enum token_class last;
    uint32_t brackets;
};

static void put(struct formatter *f, const char *text, uint32_t length)
{
    fwrite(text, 1, length, f->to);
    f->column += length;
}

static void new_line(struct formatter *f)
{
    if (f->column)
        putc('\n', f->to);
    f->column = 0;
}

static void indent(struct formatter *f, uint32_t depth)
{
    if (f->column)
        return;
    for (uint32_t i = 0; i < depth; i++)
        putc('\t', f->to);
    f->column = depth * TAB;
}

// Comments

static bool is_space(char c)
{
    return source_is_blank(c) || c == '\0';
}

static uint32_t comment_end(const struct formatter *f, uint32_t at, uint32_t end)
{
    bool block = f->text[at] == '/' && at + 1 < end && f->text[at + 1] == '*';
    const char *from = f->text + at;
    const char *stop =
        block ? memmem(from + 2, end - at - 2, "*/", 2) : memchr(from, '\n', end - at);
    return !stop ? end : (uint32_t)(stop - f->text) + (block ? 2 : 0);
}

static bool at_comment(const struct formatter *f, uint32_t at, uint32_t end)
{
    const char *c = f->text + at;
    return *c == '#' || (*c == '/' && at + 1 < end && (c[1] == '/' || c[1] == '*'));
}

// Writes a comment where it stood: after a statement on the same line, or on a line of its own.
static void put_comment(struct formatter *f, uint32_t begin, uint32_t end, bool own_line,
                        uint32_t depth)
{
    uint32_t stop = end;
    while (stop > begin && is_space(f->text[stop - 1]))
        stop--;
    bool marker = f->text[begin] == '#'; // of a preprocessor: must start a line
    if (own_line || marker)
        new_line(f);
    if (f->column)
        put(f, " ", 1);
    indent(f, marker ? 0 : depth);
    put(f, f->text + begin, stop - begin);
    if (own_line || f->text[begin + 1] != '*')
        new_line(f);
}

// Skips white space and writes comments up to the next token. Returns the token's offset.
static uint32_t skip(struct formatter *f, uint32_t end, uint32_t depth)
{
    bool line_seen = !f->column;
    while (f->at < end) {
        if (is_space(f->text[f->at]) || (unsigned char)f->text[f->at] == 0xef) {
            line_seen |= f->text[f->at] == '\n';
            f->at += (unsigned char)f->text[f->at] == 0xef ? 3 : 1; // a byte order mark
        } else if (at_comment(f, f->at, end)) {
            uint32_t stop = comment_end(f, f->at, end);
            put_comment(f, f->at, stop, line_seen, depth);
            f->at = stop;
        } else {
            break;
        }
    }
    return f->at;
}

// Tokens

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$';
}

static uint32_t word_end(const struct formatter *f, uint32_t at, uint32_t end)
{
    const char *text = f->text;
    bool digit = text[at] >= '0' && text[at] <= '9', dot = text[at] == '.';
    bool decimal = digit && !(text[at] == '0' && at + 1 < end && strchr("xXfFdD", text[at + 1]));
    for (at++; at < end; at++) {
        bool exponent =
            decimal && (text[at] == '+' || text[at] == '-') && (text[at - 1] | 32) == 'e';
        bool scope =
            dot && text[at] == ':' && at + 1 < end && (text[at + 1] == ':' || text[at - 1] == ':');
        if (!is_word(text[at]) && !(digit && text[at] == '.') && !exponent && !scope)
            break;
    }
    return at;
}

static uint32_t string_end(const struct formatter *f, uint32_t at, uint32_t end)
{
    for (at++; at < end && f->text[at] != '"'; at++)
        at += f->text[at] == '\\';
    return at < end ? at + 1 : end;
}

static enum token_class punctuation_class(const struct formatter *f, char c)
{
    static const char letters[] = "([{)]},@!~=;:";
    static const uint8_t classes[] = {TOKEN_OPEN,   TOKEN_OPEN,   TOKEN_OPEN,   TOKEN_CLOSE,
                                      TOKEN_CLOSE,  TOKEN_CLOSE,  TOKEN_COMMA,  TOKEN_PREFIX,
                                      TOKEN_PREFIX, TOKEN_PREFIX, TOKEN_EQUALS, TOKEN_END,
                                      TOKEN_END};
    const char *found = memchr(letters, c, sizeof classes);
    if (found)
        return classes[found - letters];
    if (c == '%') // an operator; without a space it would start a name
        return TOKEN_WORD;
    bool operand_before =
        f->last == TOKEN_WORD || f->last == TOKEN_CLOSE || (f->last == TOKEN_DOT && f->brackets);
    return c == '-' && !operand_before ? TOKEN_PREFIX : TOKEN_OPERATOR;
}

static struct format_token next_token(const struct formatter *f, uint32_t end)
{
    struct format_token token = {f->at, f->at + 1, TOKEN_WORD};
    char c = f->text[f->at], next = f->at + 1 < end ? f->text[f->at + 1] : 0;
    if (c == '"') {
        token.end = string_end(f, f->at, end);
    } else if (is_word(c) || (c == '%' && (is_word(next))) || (c == '.' && is_word(next))) {
        token.end = word_end(f, f->at, end);
        token.class = c == '.' ? TOKEN_DOT : TOKEN_WORD;
    } else if (next && memchr("<>=!&|", c, 6) &&
               (next == '=' || (next == c && c != '=' && c != '!'))) {
        token.end = f->at + 2;
        token.class = TOKEN_OPERATOR;
    } else {
        token.class = punctuation_class(f, c);
    }
    return token;
}

static bool space_between(const struct formatter *f, const struct format_token *token)
{
    if (f->last == TOKEN_NONE || f->last == TOKEN_OPEN || f->last == TOKEN_PREFIX ||
        f->last == TOKEN_OPERATOR)
        return false;
    switch (token->class) {
    case TOKEN_DOT:
        // Modifiers and members follow without a space; words of a declaration do not.
        return !f->instruction;
    case TOKEN_CLOSE:
    case TOKEN_COMMA:
    case TOKEN_END:
    case TOKEN_OPERATOR: return false;
    case TOKEN_OPEN: {
        // No space in name[4] and name(…); one before an opcode's first operand.
        char c = f->text[token->begin];
        bool declarator =
            !f->instruction && (f->last == TOKEN_WORD || f->last == TOKEN_CLOSE) && c != '{';
        return !declarator && !(f->instruction && f->brackets && f->last != TOKEN_COMMA);
    }
    default: return true;
    }
}

static void put_token(struct formatter *f, const struct format_token *token, uint32_t depth)
{
    bool space = space_between(f, token);
    if (f->last == TOKEN_COMMA && f->column > WIDTH) {
        new_line(f);
        indent(f, depth + 1);
    } else if (space && f->column) {
        put(f, " ", 1);
    }
    indent(f, depth);
    put(f, f->text + token->begin, token->end - token->begin);
    f->brackets += token->class == TOKEN_OPEN;
    f->brackets -= token->class == TOKEN_CLOSE && f->brackets;
    f->last = token->class;
    f->at = token->end;
}

static void put_tokens(struct formatter *f, uint32_t end, uint32_t depth)
{
    while (skip(f, end, depth) < end) {
        struct format_token token = next_token(f, end);
        put_token(f, &token, depth);
    }
}

static void begin_statement(struct formatter *f, uint32_t node, uint32_t depth, bool instruction)
{
    f->last = TOKEN_NONE;
    f->brackets = 0;
    f->instruction = instruction;
    skip(f, f->tree->nodes.v[node].begin, depth);
    new_line(f);
}

static void put_statement(struct formatter *f, uint32_t node, uint32_t depth, bool instruction)
{
    begin_statement(f, node, depth, instruction);
    put_tokens(f, f->tree->nodes.v[node].end, depth);
}

static void put_items(struct formatter *f, uint32_t node);

static void put_scope(struct formatter *f, uint32_t node)
{
    begin_statement(f, node, f->depth, false);
    indent(f, f->depth);
    put(f, "{", 1);
    f->at = f->tree->nodes.v[node].begin + 1;
    f->depth++;
    put_items(f, node);
    uint32_t close = f->tree->nodes.v[node].end - 1;
    skip(f, close, f->depth);
    f->depth--;
    new_line(f);
    indent(f, f->depth);
    put(f, "}", 1);
    f->at = close + 1;
}

static void put_parameters(struct formatter *f, uint32_t node)
{
    put_tokens(f, f->tree->nodes.v[node].begin + 1, 0); // the parenthesis
    f->brackets = 0;
    NODE_EACH (child, f->tree, node) {
        put_tokens(f, f->tree->nodes.v[child].begin, 0); // a comma
        skip(f, f->tree->nodes.v[child].begin, 1);
        new_line(f);
        f->last = TOKEN_NONE;
        put_tokens(f, f->tree->nodes.v[child].end, 1);
    }
    skip(f, f->tree->nodes.v[node].end - 1, 1);
    if (f->tree->nodes.v[node].size > 1)
        new_line(f);
    put_tokens(f, f->tree->nodes.v[node].end, 0);
}

static void put_function(struct formatter *f, uint32_t node)
{
    begin_statement(f, node, 0, false);
    NODE_EACH (child, f->tree, node) {
        const struct node *at = &f->tree->nodes.v[child];
        if (at->kind == NODE_PARAMS) {
            put_tokens(f, at->begin, 0);
            put_parameters(f, child);
        } else if (at->kind == NODE_SCOPE) {
            put_tokens(f, at->begin, 0);
            put_scope(f, child);
        } else if (at->kind == NODE_TUNING || at->kind == NODE_DIRECTIVE) {
            put_tokens(f, at->begin, 0);
            new_line(f);
            f->last = TOKEN_NONE;
            put_tokens(f, at->end, 0);
        }
    }
    put_tokens(f, f->tree->nodes.v[node].end, 0);
}

static void put_verbatim(struct formatter *f, uint32_t node)
{
    const struct node *at = &f->tree->nodes.v[node];
    begin_statement(f, node, f->depth, false);
    put(f, f->text + at->begin, at->end - at->begin);
    f->at = at->end;
}

static void put_items(struct formatter *f, uint32_t node)
{
    NODE_EACH (child, f->tree, node) {
        switch (f->tree->nodes.v[child].kind) {
        case NODE_FUNCTION: put_function(f, child); break;
        case NODE_SCOPE: put_scope(f, child); break;
        case NODE_SECTION:
        case NODE_DWARF:
        case NODE_ERROR: put_verbatim(f, child); break;
        case NODE_LABEL: put_statement(f, child, 0, false); break;
        default:
            put_statement(f, child, f->depth, f->tree->nodes.v[child].kind == NODE_INSTR);
            break;
        }
    }
}

void format_write(const struct tree *tree, FILE *to)
{
    struct formatter f = {.tree = tree, .text = tree->source->text, .to = to};
    put_items(&f, 0);
    skip(&f, tree->source->length, 0);
    new_line(&f);
}
