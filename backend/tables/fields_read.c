#include "backend/tables/fields.h"
#include "support/intern.h"
#include <jansson.h>
#include <string.h>

static bool read_text(struct field_reader *reader, json_t *json, const char **text)
{
    if (!json_is_string(json))
        return false;
    *text = arena_strndup(reader->arena, json_string_value(json), json_string_length(json));
    return true;
}

static bool read_sha256(json_t *json, char *digest)
{
    const char *text = json_string_value(json);
    if (!text || !fields_is_sha256(text, json_string_length(json)))
        return false;
    memcpy(digest, text, json_string_length(json) + 1);
    return true;
}

static bool read_uint(const struct record_field *field, json_t *json, uint32_t *number)
{
    json_int_t value = json_integer_value(json);
    *number = (uint32_t)value;
    return json_is_integer(json) && value >= 0 && fields_in_range(field, (uint64_t)value);
}

static bool read_optional(const struct record_field *field, json_t *json, uint32_t *number)
{
    return json_is_null(json) || (read_uint(field, json, number) && *number);
}

static bool read_count(json_t *json, uint64_t *count)
{
    *count = (uint64_t)json_integer_value(json);
    return json_is_null(json) || (json_is_integer(json) && json_integer_value(json) > 0);
}

static bool read_number(json_t *json, uint64_t *number)
{
    *number = (uint64_t)json_integer_value(json);
    return json_is_integer(json) && json_integer_value(json) >= 0;
}

static bool read_double(json_t *json, double *number)
{
    *number = json_number_value(json);
    return json_is_number(json);
}

static bool read_maybe(struct field_reader *reader, json_t *json, const double **number)
{
    double *copy = ARENA_NEW(reader->arena, double);
    *number = copy;
    return read_double(json, copy);
}

static bool read_bool(json_t *json, bool *flag)
{
    *flag = json_is_true(json);
    return json_is_boolean(json);
}

static bool read_word(const struct record_field *field, json_t *json, unsigned *word)
{
    const char *text = json_string_value(json);
    return text && fields_find_word(field, text, json_string_length(json), word);
}

static bool read_words(const struct record_field *field, json_t *json, unsigned *set)
{
    size_t i;
    json_t *item;
    if (!json_is_array(json))
        return false;
    json_array_foreach(json, i, item)
    {
        unsigned word;
        if (!read_word(field, item, &word) || *set >> word & 1)
            return false;
        *set |= 1u << word;
    }
    return true;
}

static bool read_texts(struct field_reader *reader, json_t *json, struct field_texts *texts)
{
    size_t i;
    json_t *item;
    if (!json_is_array(json))
        return false;
    json_array_foreach(json, i, item)
    {
        const char *text;
        if (!read_text(reader, item, &text) || !*text)
            return false;
        vec_push(reader->arena, &texts->items, text);
    }
    return true;
}

static bool read_value(struct field_reader *reader, const struct record_field *field, json_t *json,
                       void *value)
{
    unsigned word;
    switch (field->kind) {
    case FIELD_TEXT: return read_text(reader, json, value);
    case FIELD_SHA256: return read_sha256(json, value);
    case FIELD_UINT: return read_uint(field, json, value);
    case FIELD_OPTIONAL: return read_optional(field, json, value);
    case FIELD_COUNT: return read_count(json, value);
    case FIELD_NUMBER: return read_number(json, value);
    case FIELD_ANY: return true;
    case FIELD_DOUBLE: return read_double(json, value);
    case FIELD_MAYBE: return read_maybe(reader, json, value);
    case FIELD_BOOL: return read_bool(json, value);
    case FIELD_WORD: return read_word(field, json, value);
    case FIELD_WORDS: return read_words(field, json, value);
    case FIELD_TEXTS: return read_texts(reader, json, value);
    case FIELD_FIXED: return read_word(field, json, &word);
    case FIELD_OBJECT:
    case FIELD_OPTION:
    case FIELD_PART:
    case FIELD_LIST: break; // read by their members
    }
    return false;
}

static bool fault(struct field_reader *reader, const char *path, const char *what)
{
    diag_add(reader->diags, DIAG_ERROR, reader->id, reader->begin, reader->end, "%s: %s", path,
             what);
    return false;
}

static bool read_list(struct field_reader *reader, const struct record_field *field, json_t *json,
                      void *value, const char *path)
{
    if (!json_is_array(json))
        return fault(reader, path, "expected a list");
    size_t count = json_array_size(json);
    struct field_list list = {
        {arena_alloc(reader->arena, count * field->size), (uint32_t)count, (uint32_t)count}};
    memcpy(value, &list, sizeof list);
    bool good = true;
    for (size_t i = 0; i < count; i++)
        good &= fields_read_json(reader, field->rows, list.items.v + i * field->size,
                                 json_array_get(json, i),
                                 arena_printf(reader->arena, "%s[%zu]", path, i));
    return good;
}

static bool read_field(struct field_reader *reader, const struct record_field *field, void *record,
                       json_t *json, const char *path)
{
    void *value = (char *)record + field->offset;
    if (!json && (field->may_lack || field->kind == FIELD_MAYBE))
        return true;
    if (!json)
        return fault(reader, path, "it is missing");
    if (field->kind == FIELD_LIST)
        return read_list(reader, field, json, value, path);
    if (field->kind == FIELD_OPTION) {
        *(bool *)value = !json_is_null(json);
        if (json_is_null(json))
            return true;
    }
    if (field->kind == FIELD_OBJECT || field->kind == FIELD_OPTION)
        return fields_read_json(reader, field->rows, record, json, path);
    return read_value(reader, field, json, value) ||
           fault(reader, path, fields_expected(reader->arena, field));
}

static bool has_row(const struct record_field *rows, const char *key)
{
    for (const struct record_field *field = rows; field->key; field++)
        if (!strcmp(field->key, key))
            return true;
    return false;
}

// Returns true the first time that these rows meet the key.
static bool is_new(const struct field_reader *reader, const struct record_field *rows,
                   const char *key)
{
    size_t length = sizeof rows + strlen(key);
    char *text = arena_alloc(reader->arena, length);
    uint32_t before = reader->unknown->names.n;
    memcpy(text, &rows, sizeof rows);
    memcpy(text + sizeof rows, key, length - sizeof rows);
    return intern_add(reader->unknown, text, length) == before;
}

static void report_unknown(struct field_reader *reader, const struct record_field *rows,
                           json_t *object, const char *path)
{
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member)
    {
        if (has_row(rows, key) || !is_new(reader, rows, key))
            continue;
        diag_add(reader->diags, DIAG_WARNING, reader->id, reader->begin, reader->end,
                 "%s%s%s: unknown key, ignored", path, *path ? "." : "", key);
    }
}

bool fields_read_json(struct field_reader *reader, const struct record_field *rows, void *record,
                      json_t *object, const char *path)
{
    if (!json_is_object(object))
        return fault(reader, *path ? path : "the document", "expected an object");
    bool good = true;
    for (const struct record_field *field = rows; field->key; field++)
        if (field->kind == FIELD_PART)
            good &=
                fields_read_json(reader, field->rows, (char *)record + field->offset, object, path);
        else if (*field->key)
            good &= read_field(
                reader, field, record, json_object_get(object, field->key),
                arena_printf(reader->arena, "%s%s%s", path, *path ? "." : "", field->key));
    if (reader->unknown)
        report_unknown(reader, rows, object, path);
    return good;
}
