// Reads files that describe the unit near the data.
#include "passes/base/capability.h"
#include "support/nearest.h"
#include "support/yaml.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum key_kind { KEY_TYPES, KEY_OPERATIONS, KEY_NUMBER, KEY_FLAG };

static const struct key {
    const char *name;
    enum key_kind kind;
    uint32_t min, max;
    size_t offset;
} keys[] = {
#define CAPABILITY(member, kind, min, max, initial, unit, text)                                    \
    {#member, KEY_##kind, min, max, offsetof(struct capability, member)},
#include "passes/base/capability.def"
#undef CAPABILITY
};
enum { KEYS = ARRAY_LENGTH(keys) };

typedef const char *name_function(uint32_t bit);
static name_function *const names_of[] = {
    [KEY_TYPES] = capability_type_name,
    [KEY_OPERATIONS] = capability_operation_name,
};

struct capability_reading {
    struct arena *arena;
    struct yaml_document document;
    struct diags *diags;
    struct capability *to;
};

static uint32_t *value_of(struct capability *capability, const struct key *key)
{
    return (uint32_t *)((char *)capability + key->offset);
}

static uint32_t value_in(const struct capability *capability, const struct key *key)
{
    return *(const uint32_t *)((const char *)capability + key->offset);
}

static void __attribute__((format(printf, 3, 4)))
fault(struct capability_reading *r, const struct yaml_node *at, const char *format, ...)
{
    va_list args;
    char text[512];
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    diag_add(r->diags, DIAG_ERROR, "capability", at->begin, at->end, "%s", text);
}

static const char *meant(struct capability_reading *r, const struct nearest *nearest)
{
    return nearest->best ? arena_printf(r->arena, "; did you mean '%s'?", nearest->best) : "";
}

static void parse_number(struct capability_reading *r, const struct key *key,
                         const struct yaml_node *node)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = node->kind == YAML_SCALAR ? strtoull(node->text, &end, 0) : 0;
    bool good = end && node->text[0] >= '0' && node->text[0] <= '9' && !*end && !errno;
    bool vector = key->offset == offsetof(struct capability, vector);
    if (!good || value < key->min || value > key->max)
        fault(r, node, "'%s' must be a whole number from %u to %u", key->name, key->min, key->max);
    else if (vector && value == 3)
        fault(r, node, "'vector' is 1, 2 or 4");
    else
        *value_of(r->to, key) = (uint32_t)value;
}

static void parse_flag(struct capability_reading *r, const struct key *key,
                       const struct yaml_node *node)
{
    bool yes = node->kind == YAML_SCALAR && !strcmp(node->text, "true");
    if (!yes && (node->kind != YAML_SCALAR || strcmp(node->text, "false")))
        fault(r, node, "'%s' must be true or false", key->name);
    *value_of(r->to, key) = yes;
}

static void parse_word(struct capability_reading *r, const struct key *key,
                       const struct yaml_node *node)
{
    struct nearest nearest;
    const char *name;
    if (node->kind != YAML_SCALAR) {
        fault(r, node, "an element of '%s' must be a single word", key->name);
        return;
    }
    nearest_init(&nearest, node->text, node->length);
    for (uint32_t bit = 0; (name = names_of[key->kind](bit)); bit++) {
        if (!strcmp(name, node->text)) {
            *value_of(r->to, key) |= UINT32_C(1) << bit;
            return;
        }
        nearest_offer(&nearest, name, strlen(name));
    }
    fault(r, node, "'%s' has no '%s'%s", key->name, node->text, meant(r, &nearest));
}

static void parse_set(struct capability_reading *r, const struct key *key,
                      const struct yaml_node *node)
{
    if (node->kind != YAML_SEQUENCE) {
        fault(r, node, "'%s' must be a list, such as [%s, %s]", key->name, names_of[key->kind](0),
              names_of[key->kind](1));
        return;
    }
    *value_of(r->to, key) = 0;
    for (uint32_t i = 0; i < node->count; i++)
        parse_word(r, key, yaml_at(&r->document, node->items[i]));
}

static const struct key *find_key(struct capability_reading *r, const struct yaml_node *name)
{
    struct nearest nearest;
    if (name->kind != YAML_SCALAR) {
        fault(r, name, "a key must be a single word");
        return NULL;
    }
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < KEYS; i++) {
        if (!strcmp(keys[i].name, name->text))
            return &keys[i];
        nearest_offer(&nearest, keys[i].name, strlen(keys[i].name));
    }
    fault(r, name, "unknown key '%s'%s", name->text, meant(r, &nearest));
    return NULL;
}

static void parse_keys(struct capability_reading *r, const struct yaml_node *mapping)
{
    bool there[KEYS] = {false};
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(&r->document, mapping->items[i]);
        const struct yaml_node *value = yaml_at(&r->document, mapping->items[i + 1]);
        const struct key *key = find_key(r, name);
        if (!key)
            continue;
        if (there[key - keys])
            fault(r, name, "'%s' is given twice", key->name);
        there[key - keys] = true;
        switch (key->kind) {
        case KEY_TYPES:
        case KEY_OPERATIONS: parse_set(r, key, value); break;
        case KEY_NUMBER: parse_number(r, key, value); break;
        case KEY_FLAG: parse_flag(r, key, value); break;
        }
    }
}

static const char *value_text(struct arena *arena, const struct key *key, uint32_t value)
{
    const char *text = "[", *name;
    if (key->kind == KEY_FLAG)
        return value ? "true" : "false";
    if (key->kind == KEY_NUMBER)
        return arena_printf(arena, "%u", value);
    for (uint32_t bit = 0; (name = names_of[key->kind](bit)); bit++)
        if (value >> bit & 1)
            text = arena_printf(arena, "%s%s%s", text, text[1] ? ", " : "", name);
    return arena_printf(arena, "%s]", text);
}

const char *capability_differences(struct arena *arena, const struct capability *capability,
                                   const struct capability *other)
{
    const char *text = "";
    for (uint32_t i = 0; i < KEYS; i++) {
        uint32_t value = value_in(capability, &keys[i]);
        if (value != value_in(other, &keys[i]))
            text = arena_printf(arena, "%s%s%s: %s", text, *text ? ", " : "", keys[i].name,
                                value_text(arena, &keys[i], value));
    }
    return text;
}

bool capability_read(struct capability *capability, struct arena *arena,
                     const struct source *source, struct diags *diags)
{
    struct capability_reading r = {.arena = arena, .diags = diags, .to = capability};
    if (!yaml_read(&r.document, arena, source, diags))
        return false;
    if (r.document.root != YAML_NOTHING) {
        const struct yaml_node *root = yaml_at(&r.document, r.document.root);
        if (root->kind == YAML_MAPPING)
            parse_keys(&r, root);
        else
            fault(&r, root, "a capability file must be a mapping of keys to values");
    }
    capability->text = capability_differences(arena, capability, &capability_usual);
    return !diags->errors;
}

bool capability_from_text(struct capability *capability, struct arena *arena, const char *text)
{
    struct source source;
    struct diags diags;
    *capability = capability_usual;
    if (!*text)
        return true;
    const char *file = arena_printf(arena, "{%s}", text);
    diags_init(&diags, arena);
    source_init(&source, arena, "options.capability", file, (uint32_t)strlen(file));
    return capability_read(capability, arena, &source, &diags) && !strcmp(capability->text, text);
}
