// JSON schemas of files whose keys a table defines.
#include "support/json.h"
#include "support/scalar.h"
#include "support/yaml_keys.h"
#include <string.h>

// Kinds of single values in forms. An editor gives a plain value its type: 3 is a number.
enum { STRING = 1, NUMBER = 2, BOOLEAN = 4, EMPTY = 8 };

static const struct {
    const char *name;
    int types;
    const char *pattern; // of strings, or NULL
    const char *words;   // NULL, or the only strings allowed
} kinds[] = {
    {"any", STRING | NUMBER | BOOLEAN | EMPTY, NULL, NULL},
    {"text", STRING | NUMBER | BOOLEAN, ".", NULL},
    {"expression", STRING | NUMBER, ".", NULL},
    {"number", STRING | NUMBER, "^\\s*[-+]?(\\.?[0-9]|0[xX])[-+.0-9a-fA-FpPxX]*$", NULL},
    {"whole", STRING | NUMBER, "^[0-9]+$", NULL},
    {"name", STRING, "^[A-Za-z_][A-Za-z0-9_]*$", NULL},
    {"key", STRING, "^[A-Za-z0-9_.]+$", NULL},
    {"bounds", STRING, "^([<>]=|.*\\.\\.)", NULL},
    {"flag", BOOLEAN, NULL, "true false"},
    {"yes-no", BOOLEAN, NULL, "yes no true false"},
    {"type", STRING, NULL, NULL}, // the words are those of `scalars`
};

// A form is read from left to right.
struct form_text {
    struct json *json;
    const char *at;
};

static void put_types(struct json *json, int types)
{
    static const char *const names[] = {"string", "number", "boolean", "null"};
    json_key(json, "type");
    json_array_flat(json);
    for (int i = 0; i < 4; i++)
        if (types >> i & 1)
            json_string(json, names[i]);
    json_end_array(json);
}

static void put_words(struct json *json, const char *words, int types)
{
    json_key(json, "enum");
    json_array_flat(json);
    for (const char *at = words; at && *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        json_text(json, at, length);
        at += length;
    }
    for (const struct scalar *type = scalars; !words && type->name; type++)
        json_string(json, type->name);
    if (types & BOOLEAN) {
        json_bool(json, true);
        json_bool(json, false);
    }
    json_end_array(json);
}

static void put_kinds(struct json *json)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        json_key(json, kinds[i].name);
        json_object_flat(json);
        if (kinds[i].words || !strcmp(kinds[i].name, "type"))
            put_words(json, kinds[i].words, kinds[i].types);
        else
            put_types(json, kinds[i].types);
        if (kinds[i].pattern)
            json_member_string(json, "pattern", kinds[i].pattern);
        if (!strcmp(kinds[i].name, "whole"))
            json_member_int(json, "multipleOf", 1);
        json_end_object(json);
    }
}

// Forms

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
}

static void put_reference(struct form_text *form)
{
    char path[64];
    size_t length = 0;
    while (is_letter(form->at[length]))
        length++;
    snprintf(path, sizeof path, "#/$defs/%.*s", (int)length, form->at);
    json_member_string(form->json, "$ref", path);
    form->at += length;
}

// Writes consecutive words.
static void put_choice(struct form_text *form)
{
    json_key(form->json, "enum");
    json_array_flat(form->json);
    for (;;) {
        size_t length = strcspn(++form->at, "'");
        json_text(form->json, form->at, length);
        form->at += length + 1;
        if (strncmp(form->at, " | '", 4))
            break;
        form->at += 3;
    }
    json_end_array(form->json);
}

static void put_form(struct form_text *form);

static void put_inner(struct form_text *form, const char *key)
{
    json_key(form->json, key);
    json_object_flat(form->json);
    put_form(form);
    json_end_object(form->json);
}

static void put_list(struct form_text *form)
{
    form->at++;
    json_member_string(form->json, "type", "array");
    if (*form->at >= '0' && *form->at <= '9') {
        json_member_int(form->json, "minItems", *form->at - '0');
        form->at += 3; // "1.."
        if (*form->at != ' ')
            json_member_int(form->json, "maxItems", *form->at++ - '0');
        form->at++;
    }
    put_inner(form, "items");
    form->at++;
}

static void put_mapping(struct form_text *form)
{
    size_t length = 1;
    json_member_string(form->json, "type", "object");
    while (is_letter(form->at[length]))
        length++;
    form->at++;
    if (form->at[length - 1] == ':') {
        json_key(form->json, "propertyNames");
        json_object_flat(form->json);
        put_reference(form);
        json_end_object(form->json);
        form->at += 2;
    }
    put_inner(form, "additionalProperties");
    form->at++;
}

static void put_alternative(struct form_text *form)
{
    if (*form->at == '\'')
        put_choice(form);
    else if (*form->at == '[')
        put_list(form);
    else if (*form->at == '{')
        put_mapping(form);
    else
        put_reference(form);
}

// Returns the length of the part of a form up to the next " | " or the end of the form.
static size_t part_length(const char *form)
{
    int depth = 0;
    size_t length = 0;
    for (; form[length]; length++) {
        if (!depth &&
            (form[length] == ']' || form[length] == '}' || !strncmp(form + length, " | ", 3)))
            break;
        depth += form[length] == '[' || form[length] == '{';
        depth -= form[length] == ']' || form[length] == '}';
    }
    return length;
}

// Writes the members of a form's schema.
static void put_form(struct form_text *form)
{
    const char *at = form->at;
    bool one = true, words = true;
    for (; !strncmp(at + part_length(at), " | ", 3); at += part_length(at) + 3) {
        one = false;
        words &= *at == '\'';
    }
    if (one || (words && *at == '\'')) {
        put_alternative(form);
        return;
    }
    json_key(form->json, "anyOf");
    json_array(form->json);
    for (;; form->at += 3) {
        json_object_flat(form->json);
        put_alternative(form);
        json_end_object(form->json);
        if (strncmp(form->at, " | ", 3))
            break;
    }
    json_end_array(form->json);
}

int yaml_form_kinds(const char *form)
{
    int found = 0;
    for (const char *at = form;; at += 3) {
        bool is_mapping = *at == '{' || (*at >= 'A' && *at <= 'Z');
        found |= 1 << (*at == '[' ? YAML_SEQUENCE : is_mapping ? YAML_MAPPING : YAML_SCALAR);
        at += part_length(at);
        if (!*at)
            return found;
    }
}

// Rules

static void put_required(struct json *json, const char *keys, size_t length)
{
    json_object_flat(json);
    json_key(json, "required");
    json_array_flat(json);
    json_text(json, keys, length);
    json_end_array(json);
    json_end_object(json);
}

// Writes a rule on which of the keys are given.
static void put_count_rule(struct json *json, const struct yaml_rule *rule)
{
    json_object(json);
    json_member_string(json, "description", rule->text);
    json_key(json, rule->kind == YAML_ANY_OF ? "anyOf" : "oneOf");
    json_array(json);
    for (const char *at = rule->keys; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        put_required(json, at, length);
        at += length;
    }
    if (rule->kind == YAML_AT_MOST_ONE) { // none of them
        json_object_flat(json);
        json_key(json, "not");
        json_object_flat(json);
        json_key(json, "anyOf");
        json_array_flat(json);
        for (const char *at = rule->keys; *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");
            put_required(json, at, length);
            at += length;
        }
        json_end_array(json);
        json_end_object(json);
        json_end_object(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void put_needs(struct json *json, const struct yaml_rule *rule)
{
    size_t first = strcspn(rule->keys, " ");
    json_object(json);
    json_member_string(json, "description", rule->text);
    json_key(json, "dependentRequired");
    json_object(json);
    for (const char *at = rule->keys + first; *at; at += strcspn(at, " ")) {
        char name[64];
        at += strspn(at, " ");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, " "), at);
        json_key(json, name);
        json_array_flat(json);
        json_text(json, rule->keys, first);
        json_end_array(json);
    }
    json_end_object(json);
    json_end_object(json);
}

static void put_rules(struct json *json, const struct yaml_keys *table, uint32_t context)
{
    bool any = false;
    for (uint32_t i = 0; i < table->rule_count; i++) {
        if (table->rules[i].context != context)
            continue;
        if (!any) {
            json_key(json, "allOf");
            json_array(json);
        }
        any = true;
        (table->rules[i].kind == YAML_NEEDS ? put_needs : put_count_rule)(json, &table->rules[i]);
    }
    if (any)
        json_end_array(json);
}

// The schema

static void put_key(struct json *json, const struct yaml_key *key)
{
    struct form_text form = {json, key->form};
    json_key(json, key->name);
    json_object(json);
    if (*key->text)
        json_member_string(json, "description", key->text);
    put_form(&form);
    json_end_object(json);
}

// Writes the members of the schema of a mapping.
static void put_context(struct json *json, const struct yaml_keys *table, uint32_t context)
{
    json_member_string(json, "type", "object");
    json_member_bool(json, "additionalProperties", false);
    json_key(json, "properties");
    json_object(json);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context)
            put_key(json, &table->keys[i]);
    json_end_object(json);
    json_key(json, "required");
    json_array_flat(json);
    for (uint32_t i = 0; i < table->count; i++)
        if (table->keys[i].context == context && table->keys[i].needed)
            json_string(json, table->keys[i].name);
    json_end_array(json);
    put_rules(json, table, context);
}

void yaml_keys_print_schema(const struct yaml_keys *table, const char *title, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_member_string(&json, "title", title);
    put_context(&json, table, 0);
    json_key(&json, "$defs");
    json_object(&json);
    put_kinds(&json);
    for (uint32_t i = 0; i < table->count; i++) {
        const struct yaml_key *key = &table->keys[i];
        if (!key->context || (i && key[-1].context == key->context))
            continue;
        json_key(&json, key->context_name);
        json_object(&json);
        put_context(&json, table, key->context);
        json_end_object(&json);
    }
    json_end_object(&json);
    json_end_object(&json);
    json_done(&json);
}
