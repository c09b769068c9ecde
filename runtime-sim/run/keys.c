#include "runtime-sim/run/keys.h"
#include "support/listing.h"
#include "support/nearest.h"
#include <string.h>

enum { SCALAR = 1 << YAML_SCALAR, SEQUENCE = 1 << YAML_SEQUENCE, MAPPING = 1 << YAML_MAPPING };
enum { OPTIONAL, REQUIRED };

static const struct {
    enum run_context context;
    const char *name;
    int takes, needed;
    const char *text;
} keys[RUN_KEYS] = {
#define RUN_KEY(context, key, takes, needed, text)                                                 \
    [KEY_##context##_##key] = {CONTEXT_##context, #key, takes, needed, text},
#include "runtime-sim/run/keys.def"
#undef RUN_KEY
};

static const char *const contexts[CONTEXTS] = {
    [CONTEXT_RUN] = "the file",
    [CONTEXT_BUFFER] = "a buffer",
    [CONTEXT_TEXTURE] = "a texture",
    [CONTEXT_LAUNCH] = "a launch",
    [CONTEXT_STEP] = "a launch, repeat or together",
    [CONTEXT_REPEAT] = "a repeat",
    [CONTEXT_EXPECT] = "an expectation",
};

static int find_key(enum run_context context, const struct yaml_node *key)
{
    for (int i = 0; i < RUN_KEYS; i++)
        if (keys[i].context == context && key->kind == YAML_SCALAR &&
            strlen(keys[i].name) == key->length && !memcmp(keys[i].name, key->text, key->length))
            return i;
    return -1;
}

static void unknown(enum run_context context, const struct yaml_node *key, struct diags *diags)
{
    struct nearest nearest;
    if (key->kind != YAML_SCALAR) {
        diag_add(diags, DIAG_ERROR, "run-file", key->begin, key->end, "a key is a single word");
        return;
    }
    nearest_init(&nearest, key->text, key->length);
    for (int i = 0; i < RUN_KEYS; i++)
        if (keys[i].context == context)
            nearest_offer(&nearest, keys[i].name, strlen(keys[i].name));
    diag_add(diags, DIAG_ERROR, "run-file", key->begin, key->end,
             nearest.best ? "%s has no key '%s'; did you mean '%s'?" : "%s has no key '%s'",
             contexts[context], key->text, nearest.best);
}

static const char *kind_word(int takes)
{
    switch (takes) {
    case SCALAR: return "one value";
    case SEQUENCE: return "a list";
    case MAPPING: return "keys with values";
    case SCALAR | SEQUENCE: return "one value or a list";
    default: return "a list, or keys with values";
    }
}

static void take(struct key_values *values, int key, const struct yaml_node *name,
                 const struct yaml_node *value, struct diags *diags)
{
    if (values->of[key])
        diag_add(diags, DIAG_ERROR, "run-file", name->begin, name->end,
                 "'%s' is there a second time", name->text);
    else if (!(keys[key].takes >> value->kind & 1))
        diag_add(diags, DIAG_ERROR, "run-file", value->begin, value->end, "'%s' takes %s, not %s",
                 name->text, kind_word(keys[key].takes), kind_word(1 << value->kind));
    else if (value->kind == YAML_SCALAR && !value->length)
        diag_add(diags, DIAG_ERROR, "run-file", name->begin, name->end, "'%s' has no value",
                 name->text);
    values->of[key] = value;
}

bool keys_read(struct key_values *values, const struct yaml_document *document,
               const struct yaml_node *mapping, enum run_context context, struct diags *diags)
{
    uint32_t before = diags->errors;
    *values = (struct key_values){0};
    if (mapping->kind != YAML_MAPPING) {
        diag_add(diags, DIAG_ERROR, "run-file", mapping->begin, mapping->end,
                 "%s has keys with values, not %s", contexts[context],
                 kind_word(1 << mapping->kind));
        return false;
    }
    for (uint32_t i = 0; i < mapping->count; i += 2) {
        const struct yaml_node *name = yaml_at(document, mapping->items[i]);
        int key = find_key(context, name);
        if (key < 0)
            unknown(context, name, diags);
        else
            take(values, key, name, yaml_at(document, mapping->items[i + 1]), diags);
    }
    for (int i = 0; i < RUN_KEYS; i++)
        if (keys[i].context == context && keys[i].needed && !values->of[i])
            diag_add(diags, DIAG_ERROR, "run-file", mapping->begin, mapping->end, "%s needs '%s'",
                     contexts[context], keys[i].name);
    return diags->errors == before;
}

static void print_row(FILE *to, int key, int column)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s", keys[key].needed ? "needed; " : "", keys[key].text);
    listing_row(to, column, keys[key].name, text);
}

static int column_of(int context)
{
    size_t longest = 0;
    for (int i = 0; i < RUN_KEYS; i++)
        if ((int)keys[i].context == context && strlen(keys[i].name) > longest)
            longest = strlen(keys[i].name);
    return listing_column((int)longest);
}

void keys_print(FILE *to)
{
    for (int context = 0; context < CONTEXTS; context++) {
        fprintf(to, "%sKeys of %s:\n", context ? "\n" : "", contexts[context]);
        for (int i = 0; i < RUN_KEYS; i++)
            if ((int)keys[i].context == context)
                print_row(to, i, column_of(context));
    }
}

void keys_print_markdown(FILE *to)
{
    for (int context = 0; context < CONTEXTS; context++) {
        fprintf(to, "%s### Keys of %s\n\n| key | | |\n|---|---|---|\n", context ? "\n" : "",
                contexts[context]);
        for (int i = 0; i < RUN_KEYS; i++)
            if ((int)keys[i].context == context)
                fprintf(to, "| `%s` | %s | %s |\n", keys[i].name, keys[i].needed ? "needed" : "",
                        keys[i].text);
    }
}
