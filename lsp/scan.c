#include "lsp/scan.h"
#include "support/source.h"
#include <ctype.h>
#include <string.h>

// Tokens are words and single bytes of punctuation. Comments and strings are skipped.

struct scan_token {
    struct lsp_span span;
    char first; // first byte of the token; 0: end of the text
};

struct scan_tokens {
    const char *text;
    uint32_t at, end;
};

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '$' || byte == '%' || byte == '.';
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

static struct scan_token next(struct scan_tokens *t)
{
    skip_blanks(t);
    struct scan_token token = {{t->at, t->at}, 0};
    if (t->at >= t->end)
        return token;
    token.first = t->text[t->at];
    if (token.first == '"')
        t->at = after(t, t->at + 1, "\"");
    else if (is_word(token.first))
        while (t->at < t->end && is_word(t->text[t->at]))
            t->at++;
    else
        t->at++;
    token.span.end = t->at;
    return token;
}

static bool is(const struct scan_tokens *t, struct scan_token token, const char *word)
{
    size_t length = token.span.end - token.span.begin;
    return strlen(word) == length && !memcmp(t->text + token.span.begin, word, length);
}

// Items of the module

struct scan_item {
    struct lsp_symbol symbol;
    struct lsp_span head,
        body; // of a function: from its directive to the brace; inside the braces
};

static bool is_name(struct scan_token token)
{
    return isalpha((unsigned char)token.first) || strchr("_$%", token.first);
}

// Skips a block in braces. Works on bytes instead of tokens, because most of a text consists of
// bodies.
static void skip_braces(struct scan_tokens *t)
{
    for (uint32_t depth = 1; depth && t->at < t->end;) {
        switch (t->text[t->at]) {
        case '/':
        case '"':
            if (!next(t).first)
                return;
            continue;
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
        struct scan_token token = next(t);
        depth += token.first == '(';
        depth -= token.first == ')' && depth;
        if (!depth && !named && token.first && is_name(token)) {
            item->symbol.name = token.span;
            named = true;
        }
        item->head.end = token.span.begin;
        if (!token.first || (token.first == ';' && !depth))
            break;
        if (token.first == '{') {
            item->body.begin = t->at;
            skip_braces(t);
            item->body.end = t->at;
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
        struct scan_token token = next(t);
        if (!token.first || token.first == ';')
            break;
        if (token.first == '{')
            skip_braces(t);
        if (strchr("[=<,", token.first))
            named = true;
        else if (!named && is_name(token))
            item->symbol.name = token.span;
    }
    item->symbol.whole.end = t->at;
}

static bool is_space(const struct scan_tokens *t, struct scan_token token)
{
    static const char *const spaces[] = {".global",  ".const",      ".shared", ".tex",  ".texref",
                                         ".surfref", ".samplerref", ".local",  ".param"};
    for (uint32_t i = 0; i < ARRAY_LENGTH(spaces); i++)
        if (is(t, token, spaces[i]))
            return true;
    return false;
}

// Reads the next function or variable of the module. Returns false at the end.
static bool next_item(struct scan_tokens *t, struct scan_item *item)
{
    for (;;) {
        struct scan_token token = next(t);
        if (!token.first)
            return false;
        if (token.first == '{') { // body of a section
            skip_braces(t);
            continue;
        }
        bool kernel = is(t, token, ".entry"), function = is(t, token, ".func");
        if (!kernel && !function && !is_space(t, token))
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

static struct scan_tokens tokens_of(const struct lsp_document *document, uint32_t begin,
                                    uint32_t end)
{
    return (struct scan_tokens){document->text, begin, end};
}

// Finds the next label: a name at the start of a statement, followed by a colon.
static bool next_label(struct scan_tokens *t, struct lsp_span *label)
{
    bool begins = true;
    for (struct scan_token token = next(t); token.first; token = next(t)) {
        if (begins && is_name(token)) {
            struct scan_tokens ahead = *t;
            if (next(&ahead).first == ':') {
                *label = token.span;
                *t = ahead;
                return true;
            }
        }
        begins = strchr(";{}", token.first);
    }
    return false;
}

void scan_symbols(const struct lsp_document *document,
                  void (*take)(void *context, const struct lsp_symbol *symbol), void *context)
{
    struct scan_tokens t = tokens_of(document, 0, document->length);
    struct scan_item item;
    while (next_item(&t, &item)) {
        take(context, &item.symbol);
        struct scan_tokens body = tokens_of(document, item.body.begin, item.body.end);
        struct lsp_symbol label = {.kind = LSP_LABEL};
        while (next_label(&body, &label.name)) {
            label.whole = label.name;
            take(context, &label);
        }
    }
}

// Words

struct lsp_span scan_word(const struct lsp_document *document, uint32_t offset)
{
    struct lsp_span word = {offset, offset};
    while (word.begin && is_word(document->text[word.begin - 1]))
        word.begin--;
    while (word.end < document->length && is_word(document->text[word.end]))
        word.end++;
    return word;
}

static bool find_item(const struct lsp_document *document, uint32_t offset, struct scan_item *item)
{
    struct scan_tokens t = tokens_of(document, 0, document->length);
    while (next_item(&t, item) && item->symbol.whole.begin <= offset)
        if (offset < item->symbol.whole.end)
            return true;
    return false;
}

struct lsp_span scan_opcode(const struct lsp_document *document, uint32_t offset)
{
    struct scan_item item;
    struct lsp_span none = {offset, offset}, opcode = none;
    if (!find_item(document, offset, &item) || offset < item.body.begin || offset >= item.body.end)
        return none;
    struct scan_tokens t = tokens_of(document, item.body.begin, item.body.end);
    bool begins = true, guard = false;
    for (struct scan_token token = next(&t); token.first; token = next(&t)) {
        if (token.span.begin > offset && begins)
            return none;
        if (strchr(";{}:", token.first)) {
            if (token.first == ';' && offset < token.span.end)
                return opcode;
            begins = true;
            opcode = none;
            continue;
        }
        if (begins && token.first == '@') {
            guard = true;
        } else if (guard && token.first == '!') {
            continue;
        } else if (guard) {
            guard = false; // the predicate
        } else if (begins) {
            begins = false;
            opcode = is_name(token) ? token.span : none;
        }
    }
    return none;
}

// Definitions

struct scan_wanted {
    const char *name;
    uint32_t length;
    uint32_t stem; // length without trailing digits, for name<n>
};

static struct scan_wanted wanted_of(const struct lsp_document *document, struct lsp_span name)
{
    struct scan_wanted wanted = {document->text + name.begin, name.end - name.begin, 0};
    const char *dot = memchr(wanted.name, '.', wanted.length);
    if (dot && dot > wanted.name) // %tid.x, v.x: only the part before the dot
        wanted.length = (uint32_t)(dot - wanted.name);
    wanted.stem = wanted.length;
    while (wanted.stem && isdigit((unsigned char)wanted.name[wanted.stem - 1]))
        wanted.stem--;
    return wanted;
}

static bool matches(const struct scan_tokens *t, struct scan_token token,
                    const struct scan_wanted *wanted, uint32_t length)
{
    return token.span.end - token.span.begin == length &&
           !memcmp(t->text + token.span.begin, wanted->name, length);
}

// Finds a register or variable declared by a directive of the body, as `name` or as `stem<n>`.
static struct lsp_span find_declared(struct scan_tokens t, const struct scan_wanted *wanted)
{
    bool declares = false, begins = true;
    for (struct scan_token token = next(&t); token.first; token = next(&t)) {
        if (begins && token.first == '.')
            declares = is(&t, token, ".reg") || is_space(&t, token);
        else if (begins)
            declares = false;
        begins = strchr(";{}", token.first);
        if (!declares || !is_name(token))
            continue;
        struct scan_tokens ahead = t;
        bool counted = next(&ahead).first == '<';
        if (matches(&t, token, wanted, counted ? wanted->stem : wanted->length))
            return token.span;
    }
    return (struct lsp_span){0, 0};
}

static struct lsp_span find_label(struct scan_tokens t, const struct scan_wanted *wanted)
{
    struct lsp_span label;
    while (next_label(&t, &label))
        if (matches(&t, (struct scan_token){label, 0}, wanted, wanted->length))
            return label;
    return (struct lsp_span){0, 0};
}

// Finds a parameter: a name in the function's head, after .param or .reg.
static struct lsp_span find_parameter(struct scan_tokens t, const struct scan_wanted *wanted)
{
    for (struct scan_token token = next(&t); token.first; token = next(&t))
        if (is_name(token) && matches(&t, token, wanted, wanted->length))
            return token.span;
    return (struct lsp_span){0, 0};
}

static struct lsp_span find_in_function(const struct lsp_document *document,
                                        const struct scan_item *item,
                                        const struct scan_wanted *wanted)
{
    struct scan_tokens body = tokens_of(document, item->body.begin, item->body.end);
    struct lsp_span found = find_declared(body, wanted);
    if (lsp_is_empty(found))
        found = find_label(body, wanted);
    if (lsp_is_empty(found))
        found = find_parameter(tokens_of(document, item->head.begin, item->head.end), wanted);
    return found;
}

struct lsp_span scan_definition(const struct lsp_document *document, struct lsp_span name)
{
    struct scan_item item;
    struct lsp_span none = {0, 0};
    if (lsp_is_empty(name))
        return none;
    struct scan_wanted wanted = wanted_of(document, name);
    if (find_item(document, name.begin, &item)) {
        struct lsp_span found = find_in_function(document, &item, &wanted);
        if (!lsp_is_empty(found))
            return found;
    }
    struct scan_tokens t = tokens_of(document, 0, document->length);
    while (next_item(&t, &item))
        if (matches(&t, (struct scan_token){item.symbol.name, 0}, &wanted, wanted.length))
            return item.symbol.name;
    return none;
}
