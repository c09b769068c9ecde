// Output of a configuration: as a file, as JSON, and its keys as documentation.
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/foreign.h"
#include "backend/tables/build.h"
#include "support/listing.h"
#include "support/number.h"
#include <inttypes.h>
#include <string.h>

static const void *value_of(const struct config_section *section, const struct config_key *key)
{
    return (const char *)section->values + key->offset;
}

static uint64_t whole_at(const struct config_key *key, const void *value)
{
    return key->type == CONFIG_UINT64 ? *(const uint64_t *)value : *(const uint32_t *)value;
}

const char *config_choice(const struct config_key *key, const void *values)
{
    return key->choices[whole_at(key, (const char *)values + key->offset)];
}

static void print_value(FILE *to, const struct config_section *section,
                        const struct config_key *key)
{
    const void *value = value_of(section, key);
    char number[NUMBER_TEXT];
    switch (key->type) {
    case CONFIG_UINT:
    case CONFIG_UINT64: fprintf(to, "%" PRIu64, whole_at(key, value)); break;
    case CONFIG_REAL:
        number_shortest(number, *(const double *)value);
        fputs(number, to);
        break;
    case CONFIG_BOOL: fputs(*(const bool *)value ? "true" : "false", to); break;
    case CONFIG_CHOICE: fputs(config_choice(key, section->values), to); break;
    case CONFIG_LIST: {
        const struct config_list *list = value;
        putc('[', to);
        for (uint32_t i = 0; i < list->n; i++)
            fprintf(to, "%s%u", i ? ", " : "", list->v[i]);
        putc(']', to);
    }
    }
}

void config_print(const struct config *config, FILE *to)
{
    const bool *given = config->given;
    for (uint32_t i = 0; i < config->texts.n; i++)
        if (config->texts.v[i]->foreign)
            foreign_print(config->texts.v[i]->foreign, to);
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        fprintf(to, "%s:\n", section->name);
        for (uint32_t k = 0; k < section->count; k++) {
            const struct config_key *key = &section->keys[k];
            fprintf(to, "  %s: ", key->name);
            print_value(to, section, key);
            fprintf(to, "  # %s%s%s%s%s%s\n", *key->unit ? key->unit : "", *key->unit ? "; " : "",
                    key->text, *key->source ? "; " : "", key->source,
                    *given++ ? "" : "; not given");
        }
    }
}

static bool is_same(const struct config_key *key, const void *a, const void *b)
{
    const struct config_list *x = a, *y = b;
    switch (key->type) {
    case CONFIG_REAL: return *(const double *)a == *(const double *)b;
    case CONFIG_BOOL: return *(const bool *)a == *(const bool *)b;
    case CONFIG_LIST: return x->n == y->n && (!x->n || !memcmp(x->v, y->v, x->n * sizeof *x->v));
    default: return whole_at(key, a) == whole_at(key, b);
    }
}

void config_print_effective(const struct config *config, FILE *to)
{
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        for (uint32_t k = 0; k < section->count; k++) {
            union {
                uint64_t whole;
                double real;
                struct config_list list;
            } initial = {.list = {NULL, 0}};
            config_initial(config->arena, &section->keys[k], &initial);
            if (is_same(&section->keys[k], value_of(section, &section->keys[k]), &initial))
                continue;
            fprintf(to, "%s.%s: ", section->name, section->keys[k].name);
            print_value(to, section, &section->keys[k]);
            putc('\n', to);
        }
    }
}

static void json_value(struct json *json, const struct config_section *section,
                       const struct config_key *key)
{
    const void *value = value_of(section, key);
    switch (key->type) {
    case CONFIG_UINT:
    case CONFIG_UINT64: json_uint(json, whole_at(key, value)); break;
    case CONFIG_REAL: json_double(json, *(const double *)value); break;
    case CONFIG_BOOL: json_bool(json, *(const bool *)value); break;
    case CONFIG_CHOICE: json_string(json, config_choice(key, section->values)); break;
    case CONFIG_LIST: {
        const struct config_list *list = value;
        json_array_flat(json);
        for (uint32_t i = 0; i < list->n; i++)
            json_uint(json, list->v[i]);
        json_end_array(json);
    }
    }
}

void config_json(const struct config *config, struct json *json)
{
    json_object(json);
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        json_key(json, section->name);
        json_object(json);
        for (uint32_t k = 0; k < section->count; k++) {
            json_key(json, section->keys[k].name);
            json_value(json, section, &section->keys[k]);
        }
        json_end_object(json);
    }
    json_end_object(json);
}

void config_show_files(struct config *config, const struct prefix_map *prefixes)
{
    for (uint32_t i = 0; i < config->texts.n; i++) {
        struct source *source = &config->texts.v[i]->source;
        source->name = prefix_map_name(prefixes, config->arena, source->name);
    }
}

void config_json_inputs(const struct config *config, struct json *json)
{
    json_key(json, "inputs");
    json_array(json);
    for (uint32_t i = 0; i < config->texts.n; i++) {
        const struct source *source = &config->texts.v[i]->source;
        char digest[SHA256_HEX + 1];
        tables_digest(digest, source->text, source->length);
        json_object_flat(json);
        json_member_string(json, "file", source->name);
        json_member_string(json, "sha256", digest);
        json_end_object(json);
    }
    json_end_array(json);
}

static void print_range(FILE *to, const struct config_key *key)
{
    char min[NUMBER_TEXT], max[NUMBER_TEXT];
    number_shortest(min, key->min);
    number_shortest(max, key->max);
    switch (key->type) {
    case CONFIG_BOOL: fputs("true or false", to); break;
    case CONFIG_CHOICE:
        for (const char *const *at = key->choices; *at; at++)
            fprintf(to, "%s%s", at == key->choices ? "" : ", ", *at);
        break;
    case CONFIG_LIST: fputs("a list of ", to); __attribute__((fallthrough));
    default: fprintf(to, "%s … %s%s%s", min, max, *key->unit ? " " : "", key->unit);
    }
}

void config_keys_print_markdown(const struct config *config, FILE *to)
{
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        fprintf(to, "%s### %s\n\n| key | values | initially | source | |\n|---|---|---|---|---|\n",
                i ? "\n" : "", section->name);
        for (uint32_t k = 0; k < section->count; k++) {
            const struct config_key *key = &section->keys[k];
            fprintf(to, "| `%s` | ", key->name);
            print_range(to, key);
            fprintf(to, " | `%s` | %s | %s |\n", key->initial, key->source, key->text);
        }
    }
}

static void print_key(FILE *to, const struct config_key *key, int column)
{
    char text[1200] = "";
    FILE *made = fmemopen(text, sizeof text, "w");
    if (!made)
        return;
    print_range(made, key);
    fprintf(made, "; initially %s%s%s%s. %s", *key->initial ? key->initial : "nothing",
            *key->source ? " (" : "", key->source, *key->source ? ")" : "", key->text);
    fclose(made);
    listing_row(to, column, key->name, text);
}

void config_keys_print(const struct config *config, FILE *to)
{
    for (uint32_t i = 0; i < config->section_count; i++) {
        const struct config_section *section = &config->sections[i];
        size_t longest = 0;
        for (uint32_t k = 0; k < section->count; k++)
            longest =
                strlen(section->keys[k].name) > longest ? strlen(section->keys[k].name) : longest;
        fprintf(to, "%sKeys of %s:\n", i ? "\n" : "", section->name);
        for (uint32_t k = 0; k < section->count; k++)
            print_key(to, &section->keys[k], listing_column((int)longest));
    }
}

void config_names_print(const struct config *config, FILE *to)
{
    for (const struct embedded *file = config_files; file->name; file++)
        if (config_is_usable(config, file))
            fprintf(to, "%s\n", file->name);
}
