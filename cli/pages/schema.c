// JSON schemas of configurations and of other files, from the tables of their keys.
#include "campaign/reading.h"
#include "cli/pages/words.h"
#include "passes/maps/map_read.h"
#include "runtime-sim/run/run_file.h"
#include "support/json.h"
#include <string.h>

static void put_range(struct json *json, const struct config_key *key)
{
    json_member_string(json, "type", key->type == CONFIG_REAL ? "number" : "integer");
    json_member_double(json, "minimum", key->min);
    json_member_double(json, "maximum", key->max);
}

static void put_type(struct json *json, const struct config_key *key)
{
    switch (key->type) {
    case CONFIG_UINT:
    case CONFIG_UINT64:
    case CONFIG_REAL: put_range(json, key); break;
    case CONFIG_BOOL: json_member_string(json, "type", "boolean"); break;
    case CONFIG_LIST:
        json_member_string(json, "type", "array");
        json_key(json, "items");
        json_object_flat(json);
        put_range(json, key);
        json_end_object(json);
        break;
    case CONFIG_CHOICE:
        json_key(json, "enum");
        json_array_flat(json);
        for (const char *const *word = key->choices; *word; word++)
            json_string(json, *word);
        json_end_array(json);
    }
}

static void put_key(struct json *json, const struct config_key *key, struct arena *arena)
{
    json_key(json, key->name);
    json_object(json);
    json_member_string(json, "description",
                       arena_printf(arena, "%s%s%s%s; initially %s%s%s", key->text,
                                    *key->unit ? " (" : "", key->unit, *key->unit ? ")" : "",
                                    *key->initial ? key->initial : "empty", *key->source ? " " : "",
                                    key->source));
    put_type(json, key);
    json_end_object(json);
}

static void put_section(struct json *json, const struct config_section *section,
                        struct arena *arena)
{
    json_key(json, section->name);
    json_object(json);
    json_key(json, "type");
    json_array_flat(json);
    json_string(json, "object");
    json_string(json, "null");
    json_end_array(json);
    json_member_bool(json, "additionalProperties", false);
    json_key(json, "properties");
    json_object(json);
    for (uint32_t i = 0; i < section->count; i++)
        put_key(json, &section->keys[i], arena);
    json_end_object(json);
    json_end_object(json);
}

static void put_text_member(struct json *json, const char *name, const char *description)
{
    json_key(json, name);
    json_object_flat(json);
    json_member_string(json, "type", "string");
    json_member_string(json, "description", description);
    json_end_object(json);
}

void page_write_schema(const struct command *command, struct arena *arena)
{
    uint32_t count;
    struct json json;
    const struct config_section *sections = page_sections_of(command, arena, &count);
    json_init(&json, stdout);
    json_object(&json);
    json_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_member_string(
        &json, "title",
        arena_printf(arena, "a configuration that %s --config reads", command->name));
    json_member_string(&json, "type", "object");
    json_member_bool(&json, "additionalProperties", false);
    json_key(&json, "properties");
    json_object(&json);
    put_text_member(&json, "base", "name of the configuration or file that this one changes");
    put_text_member(&json, "description", "sources of the values");
    for (uint32_t i = 0; i < count; i++)
        put_section(&json, &sections[i], arena);
    json_end_object(&json);
    json_end_object(&json);
    json_done(&json);
}

void page_write_file_schema(const struct command *command)
{
    static const struct {
        const char *command;
        const struct yaml_keys *keys;
        const char *title;
    } files[] = {
        {"ptxoffload-sim", &run_keys, "a run file of ptxoffload-sim"},
        {"ptxoffload-campaign", &campaign_file_keys, "a campaign of ptxoffload-campaign"},
        {"ptxoffload-map", &map_keys, "a spatial map of ptxoffload-sim and ptxoffload-map"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strcmp(files[i].command, command->name))
            yaml_keys_print_schema(files[i].keys, files[i].title, stdout);
}
