// Resolves the symbols of a group of modules.
#include "frontend/link_internal.h"
#include <stdio.h>
#include <stdlib.h>

static void add_error(struct link_group *group, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_error(struct link_group *group, const char *format, ...)
{
    struct arena *arena = group->link->arena;
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(arena, format, args);
    va_end(args);
    group->errors = group->errors ? arena_printf(arena, "%s; %s", group->errors, text) : text;
}

// Sizes and prototypes

// Returns the size of a fundamental type, such as 4 for .u32; 0: another word.
static uint64_t type_bytes(const struct link_token *word)
{
    if (word->length < 3 || !strchr("bsuf", word->at[1]))
        return 0;
    uint64_t bits = strtoul(word->at + 2, NULL, 10);
    return word->length > 5 && !memcmp(word->at + word->length - 2, "x2", 2) ? bits / 4 : bits / 8;
}

static uint64_t vector_elements(const struct link_token *word)
{
    return link_token_is(word, ".v2") ? 2 : link_token_is(word, ".v4") ? 4 : 1;
}

// Returns the size of a variable; 0: its first dimension or its type has no size.
static uint64_t variable_bytes(const struct link_item *item)
{
    uint64_t bytes = 0, elements = 1;
    bool in_dimension = false, has_length = true;
    for (const char *at = item->begin; at < item->head_end;) {
        struct link_token token = link_next_token(at, item->head_end);
        at += token.length;
        if (token.kind == TOKEN_DOT_WORD && at <= item->name.at) {
            bytes = type_bytes(&token) ? type_bytes(&token) : bytes;
            elements *= vector_elements(&token);
        } else if (token.kind == TOKEN_NUMBER && in_dimension) {
            elements *= strtoul(token.at, NULL, 0);
            has_length = true;
        } else if (token.kind == TOKEN_OTHER && at > item->name.at) {
            in_dimension = *token.at == '[';
            has_length &= !in_dimension;
            if (*token.at == ']' && !has_length)
                return 0;
        }
    }
    return bytes * elements;
}

// Returns a number that is equal for functions with the same results and parameters, by size.
static uint64_t prototype_of(const struct link_item *item)
{
    uint64_t hash = 1469598103934665603u;
    for (const char *at = item->begin; at < item->head_end;) {
        struct link_token token = link_next_token(at, item->head_end);
        uint64_t value = 0;
        at += token.length;
        if (token.kind == TOKEN_DOT_WORD)
            value = type_bytes(&token);
        else if (token.kind == TOKEN_NUMBER && at < item->head_end && *at == ']')
            value = 1000 + strtoul(token.at, NULL, 0);
        else if (token.kind == TOKEN_OTHER && strchr("(),", *token.at))
            value = UINT64_MAX - (uint64_t)*token.at;
        else if (token.at == item->name.at)
            value = UINT64_MAX;
        if (value)
            hash = (hash ^ value) * 1099511628211u;
    }
    return hash;
}

// Resolution

static bool is_dynamic(const struct link_item *item)
{
    return item->linkage == LINK_EXTERN && link_token_is(&item->space, ".shared");
}

static bool is_stronger(const struct link_item *a, const struct link_item *b)
{
    if (a->defines != b->defines)
        return a->defines;
    if (a->defines && a->linkage == LINK_COMMON && b->linkage == LINK_COMMON)
        return variable_bytes(a) > variable_bytes(b);
    return a->defines && a->linkage > b->linkage;
}

// Reports two declarations of a symbol that do not match.
static void compare_items(struct link_group *group, const struct link_module *module,
                          const struct link_item *item, const struct link_module *other,
                          const struct link_item *against)
{
    const char *here = module->input->name, *there = other->input->name;
    int length = (int)item->name.length;
    const char *name = item->name.at;
    uint64_t bytes = variable_bytes(item), expected = variable_bytes(against);
    if (item->linkage == LINK_VISIBLE && against->linkage == LINK_VISIBLE && item->defines &&
        against->defines)
        add_error(group, "multiple definition of '%.*s' in '%s', first defined in '%s'", length,
                  name, here, there);
    else if (item->space.length != against->space.length ||
             memcmp(item->space.at, against->space.at, item->space.length))
        add_error(group, "'%.*s' is %.*s in '%s' and %.*s in '%s'", length, name,
                  (int)item->space.length, item->space.at, here, (int)against->space.length,
                  against->space.at, there);
    else if (link_is_function(item) && prototype_of(item) != prototype_of(against))
        add_error(group, "the prototype of '%.*s' in '%s' differs from that in '%s'", length, name,
                  here, there);
    else if (!link_is_function(item) && bytes && expected && bytes != expected &&
             (item->linkage != LINK_COMMON || bytes > expected))
        add_error(group, "the size of '%.*s' in '%s' differs from that in '%s'", length, name, here,
                  there);
}

static struct link_symbol *symbol_of(struct link_group *group, const struct link_item *item)
{
    uint32_t id = intern_add(&group->names, item->name.at, item->name.length);
    if (id == group->symbols.n)
        vec_push(group->link->arena, &group->symbols, (struct link_symbol){0});
    return &group->symbols.v[id];
}

// Finds the definition of each symbol.
static void resolve(struct link_group *group, struct link_module *module)
{
    for (uint32_t i = 0; i < module->items.n; i++) {
        struct link_item *item = &module->items.v[i];
        if (item->linkage == LINK_LOCAL)
            continue;
        struct link_symbol *symbol = symbol_of(group, item);
        item->symbol = (uint32_t)(symbol - group->symbols.v);
        symbol->modules += symbol->last != module;
        symbol->last = module;
        if (symbol->item && !is_stronger(item, symbol->item))
            continue;
        symbol->item = item;
        symbol->module = module;
    }
}

// Compares the declarations with the definitions, and drops those that are declared elsewhere.
static void settle(struct link_group *group, struct link_module *module)
{
    for (uint32_t i = 0; i < module->items.n; i++) {
        struct link_item *item = &module->items.v[i];
        const struct link_symbol *symbol =
            item->symbol == UINT32_MAX ? NULL : &group->symbols.v[item->symbol];
        if (symbol && !symbol->is_shared) {
            item->linkage = LINK_LOCAL;
            item->defines = true;
        }
        if (!symbol || !symbol->is_shared || symbol->modules < 2 || symbol->module == module ||
            !symbol->item->defines)
            continue;
        item->dropped = true;
        if (item->space.at[1] != 'a')
            compare_items(group, module, item, symbol->module, symbol->item);
    }
}

static void resolve_group(struct link_group *group)
{
    for (uint32_t i = 0; i < group->count; i++)
        resolve(group, &group->modules[i]);
    for (uint32_t i = 0; i < group->symbols.n; i++)
        group->symbols.v[i].is_shared = !is_dynamic(group->symbols.v[i].item);
    for (uint32_t i = 0; i < group->count; i++)
        settle(group, &group->modules[i]);
}

static void find_undefined(struct link_group *group)
{
    for (uint32_t i = 0; i < group->symbols.n && group->count > 1; i++) {
        const struct link_symbol *symbol = &group->symbols.v[i];
        const struct link_item *item = symbol->item;
        bool provided = link_is_function(item) && group->link->provides &&
                        group->link->provides(item->name.at, item->name.length);
        if (symbol->is_shared && !item->defines && !provided)
            add_error(group, "undefined reference to '%.*s' in '%s'", (int)item->name.length,
                      item->name.at, symbol->module->input->name);
    }
}

// Names

// Adds a definition to the program. Returns its new name, or NULL if it keeps its own.
static const struct link_name *define(struct link *link, const struct link_token *name)
{
    struct arena *arena = link->arena;
    char *from = arena_strndup(arena, name->at, name->length);
    const char *to = from;
    for (uint32_t i = link->modules; intern_find(&link->defined, to, strlen(to)) != UINT32_MAX; i++)
        to = arena_printf(arena, "%s$m%u", from, i);
    intern_add(&link->defined, to, strlen(to));
    if (to == from)
        return NULL;
    struct link_name *renamed = ARENA_NEW(arena, struct link_name);
    *renamed = (struct link_name){from, to};
    return renamed;
}

static void rename_in(struct link_group *group, struct link_module *module,
                      const struct link_name *name)
{
    if (name)
        vec_push(group->link->arena, &module->renames, name);
}

// Defines the symbols that the modules share.
static void define_shared(struct link_group *group)
{
    for (uint32_t i = 0; i < group->symbols.n; i++) {
        const struct link_symbol *symbol = &group->symbols.v[i];
        if (!symbol->is_shared || !symbol->item->defines)
            continue;
        const struct link_name *name = define(group->link, &symbol->item->name);
        for (uint32_t k = 0; k < group->count; k++)
            rename_in(group, &group->modules[k], name);
        if (name)
            vec_push(group->link->arena, &group->renamed->list, *name);
    }
}

// Defines what belongs to the module alone.
static void define_local(struct link_group *group, struct link_module *module)
{
    struct arena *arena = group->link->arena;
    struct intern seen; // a prototype and its definition are one
    intern_init(&seen, arena);
    for (uint32_t i = 0; i < module->items.n; i++) {
        const struct link_item *item = &module->items.v[i];
        uint32_t known = seen.names.n;
        if (item->linkage != LINK_LOCAL || (!item->defines && !link_is_function(item)) ||
            intern_add(&seen, item->name.at, item->name.length) < known)
            continue;
        const struct link_name *name = define(group->link, &item->name);
        // A local symbol hides a shared one of this name, whose new name is not for this module.
        for (uint32_t k = 0; name && k < module->renames.n; k++)
            if (!strcmp(module->renames.v[k]->from, name->from))
                module->renames.v[k--] = module->renames.v[--module->renames.n];
        rename_in(group, module, name);
        if (name)
            vec_push(arena, &group->renamed->list, *name);
    }
    for (uint32_t i = 0; i < module->labels.n; i++)
        rename_in(group, module, define(group->link, &module->labels.v[i]));
}

static int compare_renames(const void *a, const void *b)
{
    const struct link_name *const *one = a, *const *two = b;
    return strcmp((*one)->from, (*two)->from);
}

static void define_names(struct link_group *group)
{
    define_shared(group);
    for (uint32_t i = 0; i < group->count; i++) {
        struct link_module *module = &group->modules[i];
        define_local(group, module);
        group->link->modules++;
        if (module->renames.n)
            qsort(module->renames.v, module->renames.n, sizeof *module->renames.v, compare_renames);
    }
}

// Interface

static const char *scan_group(struct link_group *group, const struct link_input *inputs)
{
    for (uint32_t i = 0; i < group->count; i++) {
        struct link_module *module = &group->modules[i];
        *module = (struct link_module){.link = group->link, .input = &inputs[i]};
        module->end = inputs[i].text + inputs[i].length;
        link_scan(module);
        if (!module->version)
            return "it has no .version";
        if (module->address_bits != 64)
            return "its addresses have 32 bits";
    }
    return NULL;
}

static void raise_target(struct link *link, const struct link_module *module)
{
    if (module->version > link->version)
        link->version = module->version;
    if (module->target > link->target || (module->target == link->target && module->suffix)) {
        link->target = module->target;
        link->suffix = module->suffix;
    }
}

const char *link_add(struct link *link, const struct link_input *inputs, uint32_t count,
                     struct link_names *names)
{
    struct link_group group = {.link = link, .count = count, .renamed = names};
    group.modules = ARENA_ARRAY(link->arena, struct link_module, count);
    intern_init(&group.names, link->arena);
    if (!link->modules)
        intern_init(&link->defined, link->arena);
    const char *wrong = scan_group(&group, inputs);
    if (wrong)
        return wrong;
    resolve_group(&group);
    find_undefined(&group);
    if (group.errors)
        return group.errors;
    bool is_first = !link->modules;
    define_names(&group);
    if (is_first && count == 1) {
        vec_reserve(link->arena, &link->text, inputs->length + 2);
        memcpy(link->text.v, inputs->text, inputs->length);
        link->text.n = inputs->length;
        link->files = group.modules->files;
    } else {
        link_write(&group);
    }
    for (uint32_t i = 0; i < count; i++)
        raise_target(link, &group.modules[i]);
    return NULL;
}

const char *link_find_name(const struct link_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->list.n; i++)
        if (!strcmp(names->list.v[i].from, name))
            return names->list.v[i].to;
    return name;
}
