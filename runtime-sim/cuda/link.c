#include "runtime-sim/cuda/link.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Tokens

enum token_kind { TOKEN_END, TOKEN_SPACE, TOKEN_WORD, TOKEN_DOT_WORD, TOKEN_NUMBER, TOKEN_OTHER };

struct link_token {
    enum token_kind kind;
    const char *at;
    uint32_t length;
};

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

static struct link_token next_token(const char *at, const char *end)
{
    struct link_token token = {TOKEN_OTHER, at, 1};
    const char *after = at + 1;
    if (at >= end)
        return (struct link_token){TOKEN_END, at, 0};
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

static bool token_is(const struct link_token *token, const char *text)
{
    return strlen(text) == token->length && !memcmp(token->at, text, token->length);
}

static bool token_is_one_of(const struct link_token *token, const char *const *list)
{
    for (; *list; list++)
        if (token_is(token, *list))
            return true;
    return false;
}

// Defined names

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

static const char **find_symbol(const struct link *link, const char *name)
{
    uint32_t at = hash_name(name) & (link->table_size - 1);
    while (link->table[at] && strcmp(link->table[at], name))
        at = (at + 1) & (link->table_size - 1);
    return &link->table[at];
}

static bool is_defined(const struct link *link, const char *name)
{
    return link->table_size && *find_symbol(link, name);
}

static void define(struct link *link, const char *name)
{
    if (link->defined.n * 2 >= link->table_size) {
        link->table_size = link->table_size ? link->table_size * 2 : 256;
        link->table = ARENA_ARRAY(link->arena, const char *, link->table_size);
        for (uint32_t i = 0; i < link->defined.n; i++)
            *find_symbol(link, link->defined.v[i]) = link->defined.v[i];
    }
    const char **place = find_symbol(link, name);
    if (*place)
        return;
    *place = name;
    vec_push(link->arena, &link->defined, name);
}

// A module

struct link_module {
    struct link *link;
    const char *text, *end;
    struct link_names *names;
    uint32_t version, target, address_bits, files;
    VEC(const char *) defined;
};

// State of the parser within a statement of the module.
struct link_statement {
    bool needs_name, is_extern, is_function, is_section;
    const char *name;
    uint32_t name_length;
};

static void add_definition(struct link_module *module, const char *name, uint32_t length)
{
    struct arena *arena = module->link->arena;
    const char *text = arena_strndup(arena, name, length);
    vec_push(arena, &module->defined, text);
}

static void begin_statement(struct link_statement *statement, const struct link_token *token)
{
    static const char *const spaces[] = {".global", ".const",      ".shared",  ".tex",   ".texref",
                                         ".alias",  ".samplerref", ".surfref", ".local", NULL};
    if (token_is(token, ".extern"))
        statement->is_extern = true;
    else if (token_is(token, ".entry") || token_is(token, ".func"))
        statement->needs_name = statement->is_function = true;
    else if (token_is(token, ".section"))
        statement->is_section = true;
    else if (token_is_one_of(token, spaces)) {
        statement->needs_name = true;
        // An .extern .shared array is the module's own dynamic array, so it counts as a definition.
        statement->is_extern &= !token_is(token, ".shared");
    }
}

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

static void read_header(struct link_module *module, const struct link_token *token)
{
    uint32_t value = number_after(token, module->end);
    if (token_is(token, ".version"))
        module->version = value;
    else if (token_is(token, ".target"))
        module->target = value;
    else if (token_is(token, ".address_size"))
        module->address_bits = value;
    else if (token_is(token, ".file") && value > module->files)
        module->files = value;
}

static void end_statement(struct link_module *module, struct link_statement *statement,
                          bool has_body)
{
    bool defines = statement->is_function ? has_body : !statement->is_extern;
    if (statement->name && defines)
        add_definition(module, statement->name, statement->name_length);
    bool section = statement->is_section && has_body;
    *statement = (struct link_statement){.is_section = section};
}

// Finds the module's definitions.
static void read_module(struct link_module *module)
{
    struct link_statement statement = {0};
    uint32_t braces = 0, parentheses = 0;
    for (const char *at = module->text; at < module->end;) {
        struct link_token token = next_token(at, module->end);
        at += token.length;
        bool outside = !braces && !parentheses;
        if (token.kind == TOKEN_DOT_WORD && outside) {
            read_header(module, &token);
            begin_statement(&statement, &token);
        } else if (token.kind == TOKEN_WORD && outside && statement.needs_name && !statement.name) {
            statement.name = token.at;
            statement.name_length = token.length;
        } else if (token.kind == TOKEN_WORD && braces == 1 && statement.is_section &&
                   at < module->end && *at == ':') {
            add_definition(module, token.at, token.length);
        } else if (token.kind == TOKEN_OTHER) {
            char c = *token.at;
            parentheses += c == '(';
            parentheses -= c == ')' && parentheses;
            if (c == '{' && !braces++)
                end_statement(module, &statement, true);
            else if (c == '}' && braces && !--braces)
                statement = (struct link_statement){0};
            else if (c == ';' && !braces)
                end_statement(module, &statement, false);
        }
    }
}

// Renames the definitions whose names the program already has.
static void rename_definitions(struct link_module *module)
{
    struct link *link = module->link;
    for (uint32_t i = 0; i < module->defined.n; i++) {
        const char *from = module->defined.v[i], *to = from;
        if (is_defined(link, from))
            to = arena_printf(link->arena, "%s$m%u", from, link->modules);
        if (to != from)
            vec_push(link->arena, &module->names->list, (struct link_name){from, to});
        define(link, to);
    }
}

// Writing

static void append(struct link *link, const char *text, uint32_t length)
{
    vec_reserve(link->arena, &link->text, link->text.n + length + 2);
    memcpy(link->text.v + link->text.n, text, length);
    link->text.n += length;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct link_name *)a)->from, ((const struct link_name *)b)->from);
}

static int compare_token(const void *key, const void *element)
{
    const struct link_token *token = key;
    const struct link_name *name = element;
    int order = strncmp(token->at, name->from, token->length);
    return order ? order : -(name->from[token->length] != 0);
}

static void append_word(struct link_module *module, const struct link_token *token)
{
    const struct link_names *names = module->names;
    const struct link_name *name = names->list.n ? bsearch(token, names->list.v, names->list.n,
                                                           sizeof *names->list.v, compare_token)
                                                 : NULL;
    const char *text = name ? name->to : token->at;
    append(module->link, text, name ? (uint32_t)strlen(text) : token->length);
}

// Skips a header line, because the program already has a header.
static const char *skip_header(const struct link_token *token, const char *end)
{
    const char *line = memchr(token->at, '\n', (size_t)(end - token->at));
    return line ? line : end;
}

static void append_module(struct link_module *module)
{
    static const char *const header[] = {".version", ".target", ".address_size", NULL};
    struct link *link = module->link;
    bool numbers_file = false;
    for (const char *at = module->text; at < module->end;) {
        struct link_token token = next_token(at, module->end);
        at += token.length;
        if (token.kind == TOKEN_DOT_WORD && token_is_one_of(&token, header)) {
            at = skip_header(&token, module->end);
            continue;
        }
        if (token.kind == TOKEN_NUMBER && numbers_file) {
            const char *number =
                arena_printf(link->arena, "%lu", strtoul(token.at, NULL, 10) + link->files);
            append(link, number, (uint32_t)strlen(number));
        } else if (token.kind == TOKEN_WORD) {
            append_word(module, &token);
        } else {
            append(link, token.at, token.length);
        }
        if (token.kind != TOKEN_SPACE)
            numbers_file = token_is(&token, ".loc") || token_is(&token, ".file") ||
                           token_is(&token, "inlined_at");
    }
    append(link, "\n", 1);
}

const char *link_add(struct link *link, const char *text, uint32_t length, struct link_names *names)
{
    struct link_module module = {.link = link, .text = text, .end = text + length, .names = names};
    read_module(&module);
    if (!module.version)
        return "it has no .version";
    if (module.address_bits != 64)
        return "its addresses have 32 bits";
    rename_definitions(&module);
    if (names->list.n)
        qsort(names->list.v, names->list.n, sizeof *names->list.v, compare_names);
    if (!link->modules++)
        append(link, text, length);
    else
        append_module(&module);
    link->version = module.version > link->version ? module.version : link->version;
    link->target = module.target > link->target ? module.target : link->target;
    link->files += module.files;
    return NULL;
}

// Copies the header with the maximum version and target, and returns the text after it.
static const char *write_header(const struct link *link, char *to, uint32_t *length)
{
    const char *text = link->text.v, *end = text + link->text.n;
    const char *at = text;
    bool version = false, target = false;
    while (at < end && !(version && target)) {
        struct link_token token = next_token(at, end);
        at += token.length;
        memcpy(to + *length, token.at, token.length);
        *length += token.length;
        if (token.kind != TOKEN_DOT_WORD)
            continue;
        if (token_is(&token, ".version") && !version) {
            *length +=
                (uint32_t)sprintf(to + *length, " %u.%u", link->version / 10, link->version % 10);
            at += strcspn(at, "\n");
            version = true;
        } else if (token_is(&token, ".target") && !target) {
            *length += (uint32_t)sprintf(to + *length, " sm_%u", link->target);
            at += strcspn(at, "\n,");
            target = true;
        }
    }
    return at;
}

const char *link_text(struct link *link, uint32_t *length)
{
    enum { HEADER = 64 };
    char *to = arena_alloc(link->arena, (size_t)link->text.n + HEADER + 2);
    const char *rest = link->text.v;
    *length = 0;
    if (link->modules > 1)
        rest = write_header(link, to, length);
    uint32_t left = (uint32_t)(link->text.v + link->text.n - rest);
    memcpy(to + *length, rest, left);
    *length += left;
    to[*length] = to[*length + 1] = 0;
    return to;
}

const char *link_find_name(const struct link_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->list.n; i++)
        if (!strcmp(names->list.v[i].from, name))
            return names->list.v[i].to;
    return name;
}
