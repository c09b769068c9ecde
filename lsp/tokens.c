#include "lsp/tokens.h"
#include "frontend/isa.h"
#include "support/source.h"
#include <ctype.h>
#include <string.h>

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' || byte == '.';
}

// Returns true for the :: of words such as .shared::cta, at its first colon.
static bool joins(const char *at)
{
    return at[0] == ':' && at[1] == ':' && isalnum((unsigned char)at[2]);
}

static uint32_t after(const struct scan_tokens *t, uint32_t at, const char *closing)
{
    const char *found = strstr(t->text + at, closing);
    uint32_t end = found ? (uint32_t)(found - t->text + strlen(closing)) : t->end;
    return end < t->end ? end : t->end;
}

static void skip_blanks(struct scan_tokens *t)
{
    for (;;) {
        while (t->at < t->end && source_is_blank(t->text[t->at]))
            t->at++;
        const char *at = t->text + t->at;
        if (t->at + 1 >= t->end || at[0] != '/' || (at[1] != '/' && at[1] != '*'))
            return;
        t->at = after(t, t->at + 2, at[1] == '/' ? "\n" : "*/");
    }
}

static void skip_word(struct scan_tokens *t)
{
    bool dotted = false;
    while (t->at < t->end && (is_word(t->text[t->at]) || (dotted && joins(t->text + t->at)))) {
        dotted |= t->text[t->at] == '.';
        t->at += t->text[t->at] == ':' ? 2 : 1;
    }
    if (t->at > t->end)
        t->at = t->end;
}

struct scan_tokens scan_tokens(const struct lsp_document *document, struct lsp_span span)
{
    return (struct scan_tokens){document->text, span.begin, span.end};
}

struct scan_token scan_next(struct scan_tokens *t)
{
    skip_blanks(t);
    struct scan_token token = {{t->at, t->at}, 0};
    if (t->at >= t->end)
        return token;
    token.first = t->text[t->at];
    if (!token.first) // a byte 0, which is not the end
        token.first = ' ';
    if (token.first == '"')
        t->at = after(t, t->at + 1, "\"");
    else if (is_word(token.first))
        skip_word(t);
    else
        t->at++;
    token.span.end = t->at;
    return token;
}

bool scan_is(const struct scan_tokens *t, struct scan_token token, const char *word)
{
    size_t length = token.span.end - token.span.begin;
    return strlen(word) == length && !memcmp(t->text + token.span.begin, word, length);
}

bool scan_is_name(struct scan_token token)
{
    return isalpha((unsigned char)token.first) || (token.first && strchr("_$%", token.first));
}

bool scan_is_space(const struct scan_tokens *t, struct scan_token token)
{
    static const char *const spaces[] = {".global",  ".const",      ".shared", ".tex",  ".texref",
                                         ".surfref", ".samplerref", ".local",  ".param"};
    for (uint32_t i = 0; i < ARRAY_LENGTH(spaces); i++)
        if (scan_is(t, token, spaces[i]))
            return true;
    return false;
}

// Words

struct lsp_span scan_word(const struct lsp_document *document, uint32_t offset)
{
    const char *text = document->text;
    uint32_t begin = offset;
    while (begin) {
        if (is_word(text[begin - 1]))
            begin--;
        else if (begin > 1 && joins(text + begin - 2))
            begin -= 2;
        else
            break;
    }
    // A colon between two words without a dot ends a label.
    for (struct scan_tokens t = {text, begin, document->length}; t.at < document->length;) {
        uint32_t from = t.at;
        skip_word(&t);
        if (t.at >= offset || t.at == from)
            return (struct lsp_span){from, t.at >= offset ? t.at : offset};
        while (t.at < offset && text[t.at] == ':')
            t.at++;
    }
    return (struct lsp_span){begin, offset};
}

struct lsp_span scan_stem(const char *text, struct lsp_span word)
{
    uint32_t length = word.end - word.begin;
    const char *dot = length > 1 ? memchr(text + word.begin + 1, '.', length - 1) : NULL;
    return (struct lsp_span){word.begin, dot ? (uint32_t)(dot - text) : word.end};
}

// Items of the module

// Skips a block in braces. Works on bytes instead of tokens, because most of a text consists of
// bodies.
static void skip_braces(struct scan_tokens *t)
{
    for (uint32_t depth = 1; depth && t->at < t->end;) {
        uint32_t at = t->at;
        switch (t->text[at]) {
        case '/':
            skip_blanks(t);
            t->at += t->at == at;
            continue;
        case '"': scan_next(t); continue;
        case '{': depth++; break;
        case '}': depth--; break;
        default: break;
        }
        t->at++;
    }
}

// Reads a function after .entry or .func. Its name is the first name outside parentheses. Ends
// after the body or the semicolon.
static void read_function(struct scan_tokens *t, struct scan_item *item)
{
    uint32_t depth = 0;
    bool named = false;
    for (;;) {
        struct scan_token token = scan_next(t);
        depth += token.first == '(';
        depth -= token.first == ')' && depth;
        if (!depth && !named && scan_is_name(token)) {
            item->symbol.name = token.span;
            named = true;
        }
        item->head.end = token.span.begin;
        if (!token.first || (token.first == ';' && !depth))
            break;
        if (token.first == '{') {
            item->body.begin = t->at;
            skip_braces(t);
            bool closed = t->at > item->body.begin && t->text[t->at - 1] == '}';
            item->body.end = t->at - closed;
            break;
        }
    }
    item->symbol.whole.end = t->at;
}

// Reads a variable declaration. The variable's name is the last name before `[`, `=`, `<`, `,` or
// the semicolon.
static void read_variable(struct scan_tokens *t, struct scan_item *item)
{
    bool named = false;
    for (;;) {
        struct scan_token token = scan_next(t);
        if (!token.first || token.first == ';')
            break;
        if (token.first == '{')
            skip_braces(t);
        if (strchr("[=<,", token.first))
            named = true;
        else if (!named && scan_is_name(token))
            item->symbol.name = token.span;
    }
    item->symbol.whole.end = t->at;
}

bool scan_next_item(struct scan_tokens *t, struct scan_item *item)
{
    for (;;) {
        struct scan_token token = scan_next(t);
        if (!token.first)
            return false;
        if (token.first == '{') { // body of a section
            skip_braces(t);
            continue;
        }
        bool kernel = scan_is(t, token, ".entry"), function = scan_is(t, token, ".func");
        if (!kernel && !function && !scan_is_space(t, token))
            continue;
        *item = (struct scan_item){.symbol = {.kind = kernel     ? LSP_KERNEL
                                                      : function ? LSP_FUNCTION
                                                                 : LSP_VARIABLE,
                                              .whole = token.span,
                                              .name = token.span},
                                   .head = token.span};
        if (kernel || function)
            read_function(t, item);
        else
            read_variable(t, item);
        return true;
    }
}

// Returns true at the end of the text in a function whose body is not closed.
static bool is_open(const struct lsp_document *document, uint32_t offset,
                    const struct scan_item *item)
{
    return offset == document->length && item->body.begin && item->body.end == offset;
}

bool scan_item_at(const struct lsp_document *document, uint32_t offset, struct scan_item *item)
{
    struct scan_tokens t = {document->text, 0, document->length};
    while (scan_next_item(&t, item) && item->symbol.whole.begin <= offset)
        if (offset < item->symbol.whole.end || is_open(document, offset, item))
            return true;
    return false;
}

// Statements of a body

struct scan_walk scan_statements(const struct lsp_document *document, struct lsp_span body)
{
    return (struct scan_walk){.tokens = scan_tokens(document, body), .begins = true};
}

static bool is_opcode(const struct scan_tokens *t, struct scan_token token)
{
    struct lsp_span stem = scan_stem(t->text, token.span);
    for (uint32_t i = 0; i < OP_COUNT; i++)
        if (isa_op_names[i][0] == token.first &&
            scan_is(t, (struct scan_token){stem, token.first}, isa_op_names[i]))
            return true;
    return false;
}

static bool on_a_new_line(const struct scan_walk *w)
{
    uint32_t from = w->before.span.end;
    return memchr(w->tokens.text + from, '\n', w->token.span.begin - from);
}

// Returns true if the token begins a statement although the one before has no semicolon: after
// .loc, which ends without, and where it was forgotten.
static bool ends_without_semicolon(const struct scan_walk *w)
{
    const struct scan_tokens *t = &w->tokens;
    struct scan_token head = {w->head, lsp_is_empty(w->head) ? ' ' : t->text[w->head.begin]};
    if (scan_is(t, head, ".loc"))
        return !isdigit((unsigned char)w->token.first) && !strchr(",+-", w->token.first) &&
               !scan_is(t, w->token, "function_name") && !scan_is(t, w->token, "inlined_at") &&
               !scan_is(t, w->before, "function_name");
    if (!scan_is_name(head) || !scan_is_name(w->token) || strchr(",([{|?", w->before.first) ||
        !on_a_new_line(w))
        return false;
    struct scan_tokens ahead = *t;
    return is_opcode(t, w->token) || scan_next(&ahead).first == ':';
}

static void begin_statement(struct scan_walk *w)
{
    w->begins = true;
    w->guarded = false;
    w->head = (struct lsp_span){w->token.span.begin, w->token.span.begin};
    w->operand = w->inside = w->depth = 0;
    w->address = w->value = false;
}

static void read_label_or_opcode(struct scan_walk *w)
{
    struct scan_tokens ahead = w->tokens;
    struct scan_token colon = scan_next(&ahead);
    if (w->guarded) {
        w->guarded = false;
        w->place = PLACE_GUARD;
    } else if (colon.first == ':') {
        w->tokens = ahead;
        w->place = PLACE_LABEL;
    } else {
        w->begins = false;
        w->head = w->token.span;
        w->place = PLACE_OPCODE;
    }
}

static void read_begin(struct scan_walk *w)
{
    char first = w->token.first;
    w->place = first == '{' ? PLACE_OPEN : first == '}' ? PLACE_CLOSE : PLACE_OTHER;
    if (scan_is_name(w->token)) {
        read_label_or_opcode(w);
    } else if (first == '.') {
        w->begins = false;
        w->head = w->token.span;
        w->place = PLACE_DIRECTIVE;
    } else if (first == '@') {
        w->guarded = true;
    } else if (!strchr("{};!", first)) {
        w->begins = false;
    }
}

static void read_operand(struct scan_walk *w)
{
    char first = w->token.first;
    w->place = is_word(first) ? PLACE_OPERAND : PLACE_OTHER;
    if (strchr("[({", first)) {
        w->depth++;
        w->inside = 0;
        w->address |= first == '[';
    } else if (first == '}' && !w->depth) { // the last statement of a block has no semicolon
        w->place = PLACE_CLOSE;
        begin_statement(w);
    } else if (strchr("])}", first) && w->depth) {
        w->depth--;
        w->address &= first != ']';
    } else if (first == ',') {
        *(w->depth ? &w->inside : &w->operand) += 1;
        w->value &= w->depth > 0;
    } else if (first == '=') {
        w->value = true;
    } else if (first == ';') {
        w->begins = true;
    }
}

bool scan_step(struct scan_walk *w)
{
    w->before = w->token;
    w->token = scan_next(&w->tokens);
    if (!w->token.first)
        return false;
    if (w->begins || ends_without_semicolon(w)) {
        bool guarded = w->guarded;
        begin_statement(w);
        w->guarded = guarded && w->before.first != ';';
        read_begin(w);
    } else {
        read_operand(w);
    }
    return true;
}
