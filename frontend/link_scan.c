// Reads a module for the linker: tokens, header, declarations. The parser would read each body for
// nothing; the linked text is parsed anyway.
#include "frontend/link_internal.h"
#include "frontend/ptx_header.h"
#include <ctype.h>

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static const char *skip_words(const char *at, const char *end, const char *more)
{
    while (at < end && (is_word(*at) || (*at && strchr(more, *at))))
        at++;
    return at;
}

static const char *skip_comment(const char *at, const char *end)
{
    if (at[1] == '/') {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line ? line : end;
    }
    const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
    return close ? close + 2 : end;
}

static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

struct link_token link_next_token(const char *at, const char *end)
{
    struct link_token token = {TOKEN_OTHER, 1, at};
    const char *after = at + 1;
    if (at >= end)
        return (struct link_token){TOKEN_END, 0, at};
    if (isspace((unsigned char)*at)) {
        token.kind = TOKEN_SPACE;
        while (after < end && isspace((unsigned char)*after))
            after++;
    } else if (*at == '/' && after < end && (*after == '/' || *after == '*')) {
        token.kind = TOKEN_SPACE;
        after = skip_comment(at, end);
    } else if (*at == '"') {
        after = skip_string(at, end);
    } else if (*at == '%') { // a register
        after = skip_words(after, end, ".");
    } else if (isdigit((unsigned char)*at)) {
        token.kind = TOKEN_NUMBER;
        after = skip_words(after, end, ".");
    } else if (*at == '.') {
        token.kind = TOKEN_DOT_WORD;
        after = skip_words(after, end, ":");
    } else if (is_word(*at)) {
        token.kind = TOKEN_WORD;
        after = skip_words(after, end, "");
    }
    token.length = (uint32_t)(after - at);
    return token;
}

bool link_token_is(const struct link_token *token, const char *text)
{
    return strlen(text) == token->length && !memcmp(token->at, text, token->length);
}

bool link_token_is_one_of(const struct link_token *token, const char *const *list)
{
    for (; *list; list++)
        if (link_token_is(token, *list))
            return true;
    return false;
}

// Header

// Returns the number after the word, without its point: 90 for 9.0.
static uint32_t number_after(const struct link_token *word, const char *end)
{
    const char *at = word->at + word->length;
    uint32_t value = 0;
    while (at < end && !isdigit((unsigned char)*at) && *at != '\n')
        at++;
    for (; at < end && (isdigit((unsigned char)*at) || *at == '.'); at++)
        if (*at != '.')
            value = value * 10 + (uint32_t)(*at - '0');
    return value;
}

static void read_target(struct link_module *module, const struct link_token *word)
{
    const char *at = word->at + word->length;
    while (at < module->end && (*at == ' ' || *at == '\t'))
        at++;
    if (!arch_read(at, (size_t)(module->end - at), &module->target, &module->suffix))
        module->target = number_after(word, module->end);
}

static void read_header(struct link_module *module, const struct link_token *token)
{
    uint32_t value;
    if (link_token_is(token, ".version"))
        module->version = number_after(token, module->end);
    else if (link_token_is(token, ".target"))
        read_target(module, token);
    else if (link_token_is(token, ".address_size"))
        module->address_bits = number_after(token, module->end);
    else if (link_token_is(token, ".file") && (value = number_after(token, module->end)))
        module->files = value > module->files ? value : module->files;
}

// Declarations

// State of the scanner within a statement of the module.
struct link_scan {
    struct link_module *module;
    struct link_item item;
    bool begun, wants_name, is_variable, is_section;
    uint32_t statement, first; // number of the statement, and of its first item
    uint32_t braces, parentheses;
};

static void push_item(struct link_scan *scan, const char *end)
{
    struct link_item *item = &scan->item;
    bool is_extern = item->linkage == LINK_EXTERN;
    if (!item->name.length)
        return;
    item->declarator_end = end;
    item->head_end = item->head_end ? item->head_end : end;
    item->first = scan->first;
    item->statement = scan->statement;
    item->symbol = UINT32_MAX;
    if (scan->is_variable)
        item->defines = !is_extern;
    vec_push(scan->module->link->arena, &scan->module->items, *item);
    item->name.length = 0;
    item->head_end = NULL;
}

static void end_statement(struct link_scan *scan, const char *item_end, const char *end)
{
    struct link_module *module = scan->module;
    push_item(scan, item_end);
    for (uint32_t i = scan->first; i < module->items.n; i++)
        module->items.v[i].end = end;
    scan->item = (struct link_item){0};
    scan->begun = scan->wants_name = scan->is_variable = scan->is_section = false;
    scan->first = module->items.n;
    scan->statement++;
}

static enum link_linkage linkage_of(const struct link_token *token)
{
    return link_token_is(token, ".extern")    ? LINK_EXTERN
           : link_token_is(token, ".common")  ? LINK_COMMON
           : link_token_is(token, ".weak")    ? LINK_WEAK
           : link_token_is(token, ".visible") ? LINK_VISIBLE
                                              : LINK_LOCAL;
}

// Reads a dot word on module level.
static void read_dot_word(struct link_scan *scan, const struct link_token *token)
{
    static const char *const functions[] = {".entry", ".func", ".alias", NULL};
    static const char *const spaces[] = {".global", ".const",   ".shared",     ".local", ".tex",
                                         ".texref", ".surfref", ".samplerref", NULL};
    enum link_linkage linkage = linkage_of(token);
    bool is_function = link_token_is_one_of(token, functions);
    bool is_variable = link_token_is_one_of(token, spaces);
    bool is_section = link_token_is(token, ".section");
    if (link_token_is(token, ".noreturn"))
        scan->item.no_return = true;
    if (!linkage && !is_function && !is_variable && !is_section)
        return;
    if (scan->begun && !scan->is_variable && scan->item.name.length)
        end_statement(scan, token->at, token->at); // older compilers wrote no semicolon
    if (!scan->begun)
        scan->item.begin = token->at;
    scan->begun = true;
    scan->is_section = is_section;
    if (linkage)
        scan->item.linkage = linkage;
    if (!(is_function || is_variable) || scan->item.space.at) // as .global .texref t;
        return;
    scan->item.space = *token;
    scan->wants_name = true;
    scan->is_variable = is_variable;
}

static void read_name(struct link_scan *scan, const struct link_token *token)
{
    scan->item.name = *token;
    scan->item.head_end = scan->is_variable ? NULL : token->at + token->length;
    scan->wants_name = false;
}

static void read_punctuation(struct link_scan *scan, const struct link_token *token)
{
    const char *after = token->at + 1;
    bool outside = !scan->braces && !scan->parentheses, named = scan->item.name.length;
    switch (*token->at) {
    case '(': scan->parentheses++; break;
    case ')':
        scan->parentheses -= scan->parentheses > 0;
        if (named && !scan->is_variable && !scan->parentheses && !scan->braces)
            scan->item.head_end = after;
        break;
    case '{':
        if (!scan->braces++ && !scan->is_variable)
            scan->item.defines = true;
        break;
    case '}':
        if (scan->braces && !--scan->braces && !scan->is_variable)
            end_statement(scan, after, after);
        break;
    case '=':
        if (outside && named && scan->is_variable && !scan->item.head_end)
            scan->item.head_end = token->at;
        break;
    case ',':
        if (outside && named && scan->is_variable) {
            push_item(scan, token->at);
            scan->wants_name = true;
        }
        break;
    case ';':
        if (!scan->braces)
            end_statement(scan, token->at, after);
        break;
    default: break;
    }
}

// A prototype whose name is an alias is a definition.
static void find_aliases(struct link_module *module)
{
    for (uint32_t i = 0; i < module->items.n; i++) {
        struct link_item *alias = &module->items.v[i];
        if (alias->space.at[1] != 'a')
            continue;
        for (uint32_t k = 0; k < i; k++) {
            struct link_item *item = &module->items.v[k];
            if (item->name.length != alias->name.length ||
                memcmp(item->name.at, alias->name.at, alias->name.length))
                continue;
            alias->linkage = item->linkage;
            item->defines = true;
        }
    }
}

void link_scan(struct link_module *module)
{
    struct link_scan scan = {.module = module};
    for (const char *at = module->input->text; at < module->end;) {
        struct link_token token = link_next_token(at, module->end);
        at += token.length;
        bool outside = !scan.braces && !scan.parentheses;
        if (token.kind == TOKEN_DOT_WORD && outside) {
            read_header(module, &token);
            read_dot_word(&scan, &token);
        } else if (token.kind == TOKEN_WORD && outside && scan.wants_name) {
            read_name(&scan, &token);
        } else if (token.kind == TOKEN_WORD && scan.is_section && scan.braces == 1 &&
                   at < module->end && *at == ':') {
            vec_push(module->link->arena, &module->labels, token);
        } else if (token.kind == TOKEN_OTHER) {
            read_punctuation(&scan, &token);
        }
    }
    find_aliases(module);
}
