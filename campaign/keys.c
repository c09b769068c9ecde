#include "campaign/keys.h"
#include "campaign/campaign.h"
#include "support/listing.h"
#include "support/nearest.h"
#include <string.h>

enum { SCALAR = 1 << YAML_SCALAR, SEQUENCE = 1 << YAML_SEQUENCE, MAPPING = 1 << YAML_MAPPING };
enum { OPTIONAL, REQUIRED };

static const struct {
    enum campaign_context context;
    const char *name;
    int takes, needed;
    const char *text;
} keys[CAMPAIGN_KEYS] = {
#define CAMPAIGN_KEY(context, key, takes, needed, text)                                            \
    [CAMPAIGN_##context##_##key] = {CAMPAIGN_OF_##context, #key, takes, needed, text},
#include "campaign/keys.def"
#undef CAMPAIGN_KEY
};

static const char *const contexts[CAMPAIGN_CONTEXTS] = {
    [CAMPAIGN_OF_CAMPAIGN] = "the file", [CAMPAIGN_OF_WORKLOAD] = "a workload",
    [CAMPAIGN_OF_VARIANT] = "a variant", [CAMPAIGN_OF_POINT] = "a point",
    [CAMPAIGN_OF_STUDY] = "a study",     [CAMPAIGN_OF_FIGURE] = "a figure",
    [CAMPAIGN_OF_COLUMN] = "a column",
};

static int find_key(enum campaign_context context, const struct yaml_node *key)
{
    for (int i = 0; i < CAMPAIGN_KEYS; i++)
        if (keys[i].context == context && key->kind == YAML_SCALAR &&
            !strcmp(keys[i].name, key->text))
            return i;
    return -1;
}

static void unknown(enum campaign_context context, const struct yaml_node *key, struct diags *diags)
{
    struct nearest nearest;
    if (key->kind != YAML_SCALAR) {
        diag_add(diags, DIAG_ERROR, "campaign", key->begin, key->end, "a key is a single word");
        return;
    }
    nearest_init(&nearest, key->text, key->length);
    for (int i = 0; i < CAMPAIGN_KEYS; i++)
        if (keys[i].context == context)
            nearest_offer(&nearest, keys[i].name, strlen(keys[i].name));
    diag_add(diags, DIAG_ERROR, "campaign", key->begin, key->end,
             nearest.best ? "%s has no key '%s'; did you mean '%s'?" : "%s has no key '%s'",
             contexts[context], key->text, nearest.best);
}

static const char *kind_word(int takes)
{
    switch (takes) {
    case SCALAR: return "one value";
    case SEQUENCE: return "a list";
    case MAPPING: return "keys with values";
    default: return "one value or a list";
    }
}

static void take(struct campaign_keys *to, int key, const struct yaml_node *name,
                 const struct yaml_node *value, struct diags *diags)
{
    if (to->of[key])
        diag_add(diags, DIAG_ERROR, "campaign", name->begin, name->end, "'%s' is given twice",
                 name->text);
    else if (!(keys[key].takes >> value->kind & 1))
        diag_add(diags, DIAG_ERROR, "campaign", value->begin, value->end, "'%s' needs %s, not %s",
                 name->text, kind_word(keys[key].takes), kind_word(1 << value->kind));
    else if (value->kind == YAML_SCALAR && !value->length)
        diag_add(diags, DIAG_ERROR, "campaign", name->begin, name->end, "'%s' has no value",
                 name->text);
    to->of[key] = value;
}

bool campaign_keys_read(struct campaign_keys *to, const struct yaml_document *document,
                        const struct yaml_node *mapping, enum campaign_context context,
                        struct diags *diags)
{
    uint32_t before = diags->errors;
    *to = (struct campaign_keys){0};
    if (mapping->kind != YAML_MAPPING) {
        diag_add(diags, DIAG_ERROR, "campaign", mapping->begin, mapping->end,
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
            take(to, key, name, yaml_at(document, mapping->items[i + 1]), diags);
    }
    for (int i = 0; i < CAMPAIGN_KEYS; i++)
        if (keys[i].context == context && keys[i].needed && !to->of[i])
            diag_add(diags, DIAG_ERROR, "campaign", mapping->begin, mapping->end, "%s needs '%s'",
                     contexts[context], keys[i].name);
    return diags->errors == before;
}

// As the document has it: a table of Markdown for each context.
static int column_of(int context)
{
    size_t longest = 0;
    for (int i = 0; i < CAMPAIGN_KEYS; i++)
        if ((int)keys[i].context == context && strlen(keys[i].name) > longest)
            longest = strlen(keys[i].name);
    return listing_column((int)longest);
}

static void print_row(FILE *to, int key, int column)
{
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", keys[key].needed ? "needed" : "",
             keys[key].needed && *keys[key].text ? "; " : "", keys[key].text);
    listing_row(to, column, keys[key].name, text);
}

void campaign_keys_print(FILE *to)
{
    for (int context = 0; context < CAMPAIGN_CONTEXTS; context++) {
        fprintf(to, "%sKeys of %s:\n", context ? "\n" : "", contexts[context]);
        for (int i = 0; i < CAMPAIGN_KEYS; i++)
            if ((int)keys[i].context == context)
                print_row(to, i, column_of(context));
    }
}

void campaign_keys_print_markdown(FILE *to)
{
    for (int context = 0; context < CAMPAIGN_CONTEXTS; context++) {
        fprintf(to, "%s### Keys of %s\n\n| key | | |\n|---|---|---|\n", context ? "\n" : "",
                contexts[context]);
        for (int i = 0; i < CAMPAIGN_KEYS; i++)
            if ((int)keys[i].context == context)
                fprintf(to, "| `%s` | %s | %s |\n", keys[i].name, keys[i].needed ? "needed" : "",
                        keys[i].text);
    }
}
