// Writes the linked text: copies the modules with their new names, without declarations of symbols
// that are defined elsewhere. Such symbols are declared in front of their group instead, in the
// form of their definition, so that each use follows a declaration.
#include "frontend/link_internal.h"
#include <stdio.h>
#include <stdlib.h>

static void append(struct link *link, const char *text, size_t length)
{
    vec_reserve(link->arena, &link->text, link->text.n + length + 2);
    memcpy(link->text.v + link->text.n, text, length);
    link->text.n += (uint32_t)length;
}

static void append_text(struct link *link, const char *text)
{
    append(link, text, strlen(text));
}

static int compare_token(const void *key, const void *element)
{
    const struct link_token *token = key;
    const struct link_name *const *name = element;
    int order = strncmp(token->at, (*name)->from, token->length);
    return order ? order : -((*name)->from[token->length] != 0);
}

static void append_word(const struct link_module *module, const struct link_token *token)
{
    const struct link_name *const *name = module->renames.n
                                              ? bsearch(token, module->renames.v, module->renames.n,
                                                        sizeof *module->renames.v, compare_token)
                                              : NULL;
    if (name)
        append_text(module->link, (*name)->to);
    else
        append(module->link, token->at, token->length);
}

static const char *skip_line(const char *at, const char *end)
{
    const char *line = memchr(at, '\n', (size_t)(end - at));
    return line ? line : end;
}

// Copies a range of the module, without its header. `files` is added to numbers of files.
static void copy(const struct link_module *module, const char *at, const char *end, uint32_t files)
{
    static const char *const header[] = {".version", ".target", ".address_size", NULL};
    static const char *const numbering[] = {".loc", ".file", "inlined_at", NULL};
    struct link *link = module->link;
    bool numbers_file = false;
    while (at < end) {
        struct link_token token = link_next_token(at, end);
        at += token.length;
        if (token.kind == TOKEN_DOT_WORD && link_token_is_one_of(&token, header)) {
            at = skip_line(at, end);
            continue;
        }
        if (token.kind == TOKEN_NUMBER && numbers_file)
            append_text(link,
                        arena_printf(link->arena, "%lu", strtoul(token.at, NULL, 10) + files));
        else if (token.kind == TOKEN_WORD)
            append_word(module, &token);
        else
            append(link, token.at, token.length);
        if (token.kind != TOKEN_SPACE)
            numbers_file = link_token_is_one_of(&token, numbering);
    }
}

// Copies what stands before a variable's name, without its linkage.
static void copy_specs(const struct link_module *module, const struct link_item *item)
{
    const struct link_item *first = &module->items.v[item->first];
    static const char *const linkages[] = {".extern", ".common", ".weak", ".visible", NULL};
    for (const char *at = first->begin; at < first->name.at;) {
        struct link_token token = link_next_token(at, first->name.at);
        at += token.length;
        if (!link_token_is_one_of(&token, linkages))
            append(module->link, token.at, token.length);
    }
}

// Declares a symbol that other modules of the group use.
static void declare(const struct link_symbol *symbol)
{
    const struct link_module *module = symbol->module;
    const struct link_item *item = symbol->item;
    if (link_is_function(item)) {
        copy(module, item->begin, item->head_end, 0);
        append_text(module->link, item->no_return ? " .noreturn;\n" : ";\n");
        return;
    }
    append_text(module->link, ".extern");
    copy_specs(module, item);
    copy(module, item->name.at, item->head_end, 0);
    append_text(module->link, ";\n");
}

static void declare_shared(const struct link_group *group)
{
    for (uint32_t i = 0; i < group->symbols.n; i++) {
        const struct link_symbol *symbol = &group->symbols.v[i];
        if (symbol->is_shared && symbol->item->defines && symbol->modules > 1)
            declare(symbol);
    }
}

// Writes the variables of a statement that are not dropped, each as a statement of its own.
static void copy_kept(const struct link_module *module, const struct link_item *first)
{
    const struct link_item *last = module->items.v + module->items.n;
    static const char *const words[] = {"", ".extern", ".common", ".weak", ".visible"};
    for (const struct link_item *item = first; item < last && item->statement == first->statement;
         item++) {
        if (item->dropped)
            continue;
        append_text(module->link, words[item->linkage]);
        copy_specs(module, item);
        copy(module, item->name.at, item->declarator_end, 0);
        append_text(module->link, ";\n");
    }
}

static void write_module(const struct link_module *module)
{
    struct link *link = module->link;
    const char *at = module->input->text;
    for (uint32_t i = 0; i < module->items.n; i++) {
        const struct link_item *item = &module->items.v[i];
        if (!item->dropped || item->begin < at)
            continue;
        copy(module, at, item->begin, link->files);
        copy_kept(module, &module->items.v[item->first]);
        at = item->end;
    }
    copy(module, at, module->end, link->files);
    append_text(link, "\n");
    link->files += module->files;
}

void link_write(const struct link_group *group)
{
    struct link *link = group->link;
    if (!link->text.n)
        append_text(link, ".version 1.0\n.target sm_10\n.address_size 64\n"); // see link_text
    declare_shared(group);
    for (uint32_t i = 0; i < group->count; i++)
        write_module(&group->modules[i]);
}

// Copies the header with the maximum version and target, and returns the text after it.
static const char *write_header(const struct link *link, char *to, uint32_t *length)
{
    const char *text = link->text.v, *end = text + link->text.n;
    const char *at = text;
    bool version = false, target = false;
    while (at < end && !(version && target)) {
        struct link_token token = link_next_token(at, end);
        at += token.length;
        memcpy(to + *length, token.at, token.length);
        *length += token.length;
        if (token.kind != TOKEN_DOT_WORD)
            continue;
        if (link_token_is(&token, ".version") && !version) {
            *length +=
                (uint32_t)sprintf(to + *length, " %u.%u", link->version / 10, link->version % 10);
            at += strcspn(at, "\n");
            version = true;
        } else if (link_token_is(&token, ".target") && !target) {
            char suffix[2] = {link->suffix};
            *length += (uint32_t)sprintf(to + *length, " sm_%u%s", link->target, suffix);
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
