#include "support/yaml_keys.h"
#include "support/listing.h"
#include "support/nearest.h"
#include <assert.h>
#include <string.h>

// Reading

// Reports an error; its text is in the diagnostics' arena.
#define REPORT(table, at, diags, ...)                                                              \
    (table)->report(diags, (at)->begin, (at)->end, arena_printf((diags)->arena, __VA_ARGS__))

static const struct yaml_key *find_key(const struct yaml_keys *table, uint32_t context,
                                       const struct yaml_node *name)
{
    for (uint32_t i = 0; i < table->count; i++) {
        const struct yaml_key *key = &table->keys[i];
        if (key->context == context && name->kind == YAML_SCALAR &&
            strlen(key->name) == name->length && !memcmp(key->name, name->text, name->length))
            return key;
    }
    return NULL;
}

static void report_unknown(const struct yaml_keys *table, uint32_t context,
                           const struct yaml_node *name, struct diags *diags)
{
    struct nearest nearest;
    if (name->kind != YAML_SCALAR) {
        REPORT(table, name, diags, "a key must be a single word");
        return;
    }
    nearest_init(&nearest, name->text, name->length);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context)
            nearest_offer(&nearest, table->keys[i].name, strlen(table->keys[i].name));
    REPORT(table, name, diags,
           nearest.best ? "%s has no key '%s'; did you mean '%s'?" : "%s has no key '%s'",
           table->contexts[context], name->text, nearest.best);
}

// Sets of enum yaml_kind.
enum { SCALAR = 1 << YAML_SCALAR, SEQUENCE = 1 << YAML_SEQUENCE, MAPPING = 1 << YAML_MAPPING };

static const char *kind_word(int takes)
{
    switch (takes) {
    case SCALAR: return "one value";
    case SEQUENCE: return "a list";
    case MAPPING: return "keys with values";
    case SCALAR | SEQUENCE: return "one value or a list";
    case SCALAR | MAPPING: return "one value, or keys with values";
    default: return "a list, or keys with values";
    }
}

static void accept_value(const struct yaml_keys *table, const struct yaml_key *key,
                         const struct yaml_node *name, const struct yaml_node *value,
                         const struct yaml_node **to, struct diags *diags)
{
    int takes = yaml_form_kinds(key->form);
    if (*to)
        REPORT(table, name, diags, "'%s' is given twice", name->text);
    else if (!(takes >> value->kind & 1))
        REPORT(table, value, diags, "'%s' needs %s, not %s", name->text, kind_word(takes),
               kind_word(1 << value->kind));
    else if (value->kind == YAML_SCALAR && !value->length)
        REPORT(table, name, diags, "'%s' has no value", name->text);
    *to = value;
}

// Returns the value of the key with this name in a context, or NULL.
static const struct yaml_node *value_of(const struct yaml_keys *table, uint32_t context,
                                        const char *name, size_t length,
                                        const struct yaml_node **of)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context && strlen(table->keys[i].name) == length &&
            !memcmp(table->keys[i].name, name, length))
            return of[i];
    assert(!"a rule names an unknown key");
    return NULL;
}

static void check_rule(const struct yaml_keys *table, const struct yaml_rule *rule,
                       const struct yaml_node *mapping, const struct yaml_node **of,
                       struct diags *diags)
{
    const struct yaml_node *last = NULL;
    uint32_t given = 0;
    bool has_first = false;
    for (const char *at = rule->keys; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        const struct yaml_node *value = value_of(table, rule->context, at, length, of);
        if (at == rule->keys)
            has_first = value;
        last = value ? value : last;
        given += value != NULL;
        at += length;
    }
    bool good = rule->kind == YAML_ONE_OF   ? given == 1
                : rule->kind == YAML_ANY_OF ? given
                : rule->kind == YAML_NEEDS  ? has_first || !given
                                            : given <= 1;
    if (!good)
        REPORT(table, given ? last : mapping, diags, "%s", rule->text);
}

bool yaml_keys_read(const struct yaml_keys *table, uint32_t context,
                    const struct yaml_document *document, const struct yaml_node *mapping,
                    const struct yaml_node **of, struct diags *diags)
{
    uint32_t before = diags->errors;
    for (uint32_t i = 0; i < table->count; i++)
        of[i] = NULL;
    if (mapping->kind != YAML_MAPPING) {
        REPORT(table, mapping, diags, "%s must have keys with values, not %s",
               table->contexts[context], kind_word(1 << mapping->kind));
        return false;
    }
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(document, mapping->items[i]);
        const struct yaml_key *key = find_key(table, context, name);
        if (key)
            accept_value(table, key, name, yaml_at(document, mapping->items[i + 1]),
                         &of[key - table->keys], diags);
        else
            report_unknown(table, context, name, diags);
    }
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context && table->keys[i].needed && !of[i])
            REPORT(table, mapping, diags, "%s needs '%s'", table->contexts[context],
                   table->keys[i].name);
    for (uint32_t i = 0; i < table->rule_count; i++)
        if (table->rules[i].context == context && diags->errors == before)
            check_rule(table, &table->rules[i], mapping, of, diags);
    return diags->errors == before;
}

// Printing

static int find_column(const struct yaml_keys *table, uint32_t context)
{
    size_t longest = 0;
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context && strlen(table->keys[i].name) > longest)
            longest = strlen(table->keys[i].name);
    return listing_column((int)longest);
}

static void print_row(FILE *to, const struct yaml_key *key, int column)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", key->needed ? "needed" : "",
             key->needed && *key->text ? "; " : "", key->text);
    listing_row(to, column, key->name, text);
}

void yaml_keys_print(const struct yaml_keys *table, FILE *to)
{
    for (uint32_t context = 0; context < table->context_count; context++) {
        fprintf(to, "%sKeys of %s:\n", context ? "\n" : "", table->contexts[context]);
        for (uint32_t i = 0; i < table->count; i++)
            if (table->keys[i].context == context)
                print_row(to, &table->keys[i], find_column(table, context));
    }
}

void yaml_keys_print_markdown(const struct yaml_keys *table, FILE *to)
{
    for (uint32_t context = 0; context < table->context_count; context++) {
        fprintf(to, "%s### Keys of %s\n\n| key | | |\n|---|---|---|\n", context ? "\n" : "",
                table->contexts[context]);
        for (uint32_t i = 0; i < table->count; i++)
            if (table->keys[i].context == context)
                fprintf(to, "| `%s` | %s | %s |\n", table->keys[i].name,
                        table->keys[i].needed ? "needed" : "", table->keys[i].text);
    }
}
