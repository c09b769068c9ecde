#include "backend/tables/fields.h"
#include "support/json.h"
#include <string.h>

static void write_count(struct json *json, uint64_t count)
{
    if (count)
        json_uint(json, count);
    else
        json_null(json);
}

static void write_words(struct json *json, const char *const *words, unsigned set)
{
    json_array_flat(json);
    for (unsigned i = 0; words[i]; i++)
        if (set >> i & 1)
            json_string(json, words[i]);
    json_end_array(json);
}

static void write_texts(struct json *json, const struct field_texts *texts)
{
    json_array_flat(json);
    for (uint32_t i = 0; i < texts->items.n; i++)
        json_string(json, texts->items.v[i]);
    json_end_array(json);
}

static void write_object(struct json *json, const struct record_field *field, const void *record)
{
    if (field->kind != FIELD_LIST || field->flat)
        json_object_flat(json);
    else
        json_object(json);
    fields_write_json(json, field->rows, record);
    json_end_object(json);
}

static void write_list(struct json *json, const struct record_field *field, const void *value)
{
    struct field_list list;
    memcpy(&list, value, sizeof list);
    json_array(json);
    for (uint32_t i = 0; i < list.items.n; i++)
        write_object(json, field, list.items.v + i * field->size);
    json_end_array(json);
}

static void write_value(struct json *json, const struct record_field *field, const void *record)
{
    const void *value = (const char *)record + field->offset;
    switch (field->kind) {
    case FIELD_TEXT: json_string(json, *(const char *const *)value); break;
    case FIELD_SHA256: json_string(json, value); break;
    case FIELD_UINT: json_uint(json, *(const uint32_t *)value); break;
    case FIELD_OPTIONAL: write_count(json, *(const uint32_t *)value); break;
    case FIELD_COUNT: write_count(json, *(const uint64_t *)value); break;
    case FIELD_NUMBER: json_uint(json, *(const uint64_t *)value); break;
    case FIELD_ANY: json_null(json); break;
    case FIELD_DOUBLE: json_double(json, *(const double *)value); break;
    case FIELD_MAYBE: json_double(json, **(const double *const *)value); break;
    case FIELD_BOOL: json_bool(json, *(const bool *)value); break;
    case FIELD_WORD: json_string(json, field->words[*(const unsigned *)value]); break;
    case FIELD_WORDS: write_words(json, field->words, *(const unsigned *)value); break;
    case FIELD_TEXTS: write_texts(json, value); break;
    case FIELD_FIXED: json_string(json, field->words[0]); break;
    case FIELD_OBJECT: write_object(json, field, record); break;
    case FIELD_PART: break; // written by its members
    case FIELD_LIST: write_list(json, field, value); break;
    case FIELD_OPTION:
        if (*(const bool *)value)
            write_object(json, field, record);
        else
            json_null(json);
        break;
    }
}

static bool is_empty(const void *value)
{
    struct field_list list;
    memcpy(&list, value, sizeof list);
    return !list.items.n;
}

static bool is_absent(const struct record_field *field, const void *record)
{
    const void *value = (const char *)record + field->offset;
    return !*field->key || (field->kind == FIELD_MAYBE && !*(const double *const *)value) ||
           (field->kind == FIELD_WORDS && field->may_lack && !*(const unsigned *)value) ||
           (field->kind == FIELD_LIST && field->may_lack && is_empty(value));
}

void fields_write_json(struct json *json, const struct record_field *rows, const void *record)
{
    for (const struct record_field *field = rows; field->key; field++) {
        if (field->kind == FIELD_PART)
            fields_write_json(json, field->rows, (const char *)record + field->offset);
        if (field->kind == FIELD_PART || is_absent(field, record))
            continue;
        json_key(json, field->key);
        write_value(json, field, record);
    }
}
