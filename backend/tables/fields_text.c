// Records as ` key=value key='some text'`: printable ASCII without quotation marks, backslashes and
// ends of comments, because the text is written in directives and comments of PTX.
#include "support/number.h"
#include "backend/tables/fields.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ESCAPE = '~' }; // followed by two hexadecimal digits

// Writing

// Returns the number of characters before the first one that needs an escape.
static size_t plain_length(const char *text, bool element)
{
    size_t at = 0;
    for (; text[at] >= ' ' && text[at] < ESCAPE; at++)
        if (text[at] == '\'' || text[at] == '"' || text[at] == '\\' ||
            (text[at] == ',' && element) || (text[at] == '/' && at && text[at - 1] == '*'))
            break;
    return at;
}

static void add_escaped(struct text *to, const char *text, bool element)
{
    for (;;) {
        size_t plain = plain_length(text, element);
        text_add(to, text, plain);
        text += plain;
        if (!*text)
            return;
        text_printf(to, "%c%02x", ESCAPE, (unsigned char)*text++);
    }
}

static void add_texts(struct text *to, const struct field_texts *texts)
{
    for (uint32_t i = 0; i < texts->items.n; i++) {
        text_add(to, ",", i > 0);
        add_escaped(to, texts->items.v[i], true);
    }
}

static void add_words(struct text *to, const char *const *words, unsigned set)
{
    bool comma = false;
    for (unsigned i = 0; words[i]; i++)
        if (set >> i & 1) {
            text_add(to, ",", comma);
            text_string(to, words[i]);
            comma = true;
        }
}

static void add_double(struct text *to, double value)
{
    char text[NUMBER_TEXT];
    number_shortest(text, value);
    text_string(to, text);
}

static void add_value(struct text *to, const struct record_field *field, const void *value)
{
    switch (field->kind) {
    case FIELD_TEXT: add_escaped(to, *(const char *const *)value, false); break;
    case FIELD_SHA256: text_string(to, value); break;
    case FIELD_UINT:
    case FIELD_OPTIONAL: text_uint(to, *(const uint32_t *)value); break;
    case FIELD_COUNT: text_uint(to, *(const uint64_t *)value); break;
    case FIELD_DOUBLE: add_double(to, *(const double *)value); break;
    case FIELD_MAYBE: add_double(to, **(const double *const *)value); break;
    case FIELD_BOOL: text_string(to, *(const bool *)value ? "true" : "false"); break;
    case FIELD_WORD: text_string(to, field->words[*(const unsigned *)value]); break;
    case FIELD_WORDS: add_words(to, field->words, *(const unsigned *)value); break;
    case FIELD_TEXTS: add_texts(to, value); break;
    case FIELD_FIXED: text_string(to, field->words[0]); break;
    case FIELD_NUMBER:
    case FIELD_ANY:
    case FIELD_OBJECT:
    case FIELD_OPTION:
    case FIELD_PART:
    case FIELD_LIST: break; // not values
    }
}

static bool needs_quotes(const struct field_texts *texts)
{
    for (uint32_t i = 0; i < texts->items.n; i++)
        if (strchr(texts->items.v[i], ' '))
            return true;
    return false;
}

// Returns true if the value needs quotation marks. With `brief`, lists of names without blanks need
// none.
static bool is_quoted(const struct record_field *field, const void *value, bool brief)
{
    return field->kind == FIELD_TEXT ||
           (field->kind == FIELD_TEXTS && (!brief || needs_quotes(value)));
}

// Returns true if the field has no key in the text: lists, absent objects, and numbers that are
// null or absent in JSON.
static bool is_absent(const struct record_field *field, const void *value)
{
    return (field->kind == FIELD_OPTIONAL && !*(const uint32_t *)value) ||
           (field->kind == FIELD_COUNT && !*(const uint64_t *)value) ||
           (field->kind == FIELD_MAYBE && !*(const double *const *)value) ||
           (field->kind == FIELD_WORDS && field->may_lack && !*(const unsigned *)value) ||
           (field->kind == FIELD_OPTION && !*(const bool *)value) || field->kind == FIELD_LIST;
}

// The objects that contain a field, innermost first.
struct field_path {
    const struct field_path *outer;
    const char *key;
};

static void add_path(struct text *to, const struct field_path *path)
{
    if (!path)
        return;
    add_path(to, path->outer);
    text_string(to, path->key);
    text_add(to, ".", 1);
}

static bool is_same_list(const struct field_texts *a, const struct field_texts *b)
{
    for (uint32_t i = 0; i < a->items.n && i < b->items.n; i++)
        if (strcmp(a->items.v[i], b->items.v[i]) != 0)
            return false;
    return a->items.n == b->items.n;
}

// Compares values of kinds that rows with usual values have.
static bool is_same(const struct record_field *field, const void *a, const void *b)
{
    switch (field->kind) {
    case FIELD_TEXT: return !strcmp(*(const char *const *)a, *(const char *const *)b);
    case FIELD_TEXTS: return is_same_list(a, b);
    case FIELD_COUNT: return *(const uint64_t *)a == *(const uint64_t *)b;
    case FIELD_DOUBLE: return *(const double *)a == *(const double *)b;
    case FIELD_BOOL: return *(const bool *)a == *(const bool *)b;
    case FIELD_UINT:
    case FIELD_OPTIONAL:
    case FIELD_WORD:
    case FIELD_WORDS: return *(const uint32_t *)a == *(const uint32_t *)b;
    default: return false;
    }
}

static void add_pair(struct text *to, const struct field_path *path, const char *key,
                     const struct record_field *field, const void *value, bool brief)
{
    bool quoted = is_quoted(field, value, brief);
    text_add(to, " ", 1);
    add_path(to, path);
    text_string(to, key);
    text_add(to, "='", quoted ? 2 : 1);
    add_value(to, field, value);
    text_add(to, "'", quoted);
}

static void write_fields(struct text *to, const struct record_field *rows, const void *record,
                         const struct field_path *path)
{
    for (const struct record_field *field = rows; field->key; field++) {
        const void *value = (const char *)record + field->offset;
        struct field_path inner = {path, field->key};
        if (!*field->key || is_absent(field, value))
            continue;
        if (field->kind == FIELD_PART)
            write_fields(to, field->rows, value, path);
        else if (field->rows)
            write_fields(to, field->rows, record, &inner);
        else
            add_pair(to, path, field->key, field, value, false);
    }
}

void fields_write_text(struct text *text, const struct record_field *rows, const void *record)
{
    write_fields(text, rows, record, NULL);
}

void fields_write_tag(struct text *text, const struct record_field_use *slots, const void *record,
                      const void *usual)
{
    for (const struct record_field_use *slot = slots; slot->field; slot++) {
        const void *value = (const char *)record + slot->offset;
        if (!is_absent(slot->field, value) &&
            !is_same(slot->field, value, (const char *)usual + slot->offset))
            add_pair(text, NULL, slot->path, slot->field, value, true);
    }
}

// Reading

static bool fault(struct field_reader *reader, const char *key, int length, const char *what)
{
    diag_add(reader->diags, DIAG_ERROR, reader->id, reader->begin, reader->end, "%.*s: %s", length,
             key, what);
    return false;
}

static bool is_key(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

bool fields_split_text(struct field_reader *reader, const char *text, uint32_t length,
                       struct pairs *pairs)
{
    const char *at = text, *end = text + length;
    while (at < end) {
        struct field_pair pair = {.key = ++at};
        while (at < end && is_key(*at))
            at++;
        pair.key_length = (uint32_t)(at - pair.key);
        if (pair.key[-1] != ' ' || !pair.key_length || at == end || *at++ != '=')
            return fault(reader, text, (int)length,
                         "expected pairs of key=value, each after a blank");
        char stop = at < end && *at == '\'' ? '\'' : ' ';
        pair.value = at += stop == '\'';
        while (at < end && *at != stop)
            at++;
        pair.value_length = (uint32_t)(at - pair.value);
        if (stop == '\'' && at++ == end)
            return fault(reader, pair.key, (int)pair.key_length, "its text is not terminated");
        vec_push(reader->arena, &pairs->list, pair);
    }
    return true;
}

struct field_pair *fields_use(struct pairs *pairs, const char *key)
{
    for (uint32_t i = 0; i < pairs->list.n; i++) {
        struct field_pair *pair = &pairs->list.v[i];
        if (!pair->taken && strlen(key) == pair->key_length &&
            !memcmp(key, pair->key, pair->key_length)) {
            pair->taken = true;
            return pair;
        }
    }
    return NULL;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_escaped(struct field_reader *reader, const char *from, uint32_t length,
                         const char **text)
{
    char *to = arena_alloc(reader->arena, length + 1);
    *text = to;
    for (uint32_t i = 0; i < length; i++) {
        if (from[i] != ESCAPE) {
            *to++ = from[i];
            continue;
        }
        int high = i + 2 < length ? hex_digit(from[i + 1]) : -1;
        int low = i + 2 < length ? hex_digit(from[i + 2]) : -1;
        if (high < 0 || low < 0 || !(high | low))
            return false;
        *to++ = (char)(high << 4 | low);
        i += 2;
    }
    return true;
}

// Finds the next element of a list with commas, from `*at` on. Returns false at the end.
static bool next_element(const struct field_pair *pair, uint32_t *at, const char **element,
                         uint32_t *length)
{
    if (*at >= pair->value_length)
        return false;
    *element = pair->value + *at;
    const char *comma = memchr(*element, ',', pair->value_length - *at);
    *length = comma ? (uint32_t)(comma - *element) : pair->value_length - *at;
    *at += *length + 1;
    return true;
}

static bool read_texts(struct field_reader *reader, const struct field_pair *pair,
                       struct field_texts *texts)
{
    const char *element, *text;
    for (uint32_t at = 0, length; next_element(pair, &at, &element, &length);) {
        if (!length || !read_escaped(reader, element, length, &text))
            return false;
        vec_push(reader->arena, &texts->items, text);
    }
    return true;
}

static bool read_words(const struct record_field *field, const struct field_pair *pair,
                       unsigned *set)
{
    const char *element;
    for (uint32_t at = 0, length; next_element(pair, &at, &element, &length);) {
        unsigned word;
        if (!fields_find_word(field, element, length, &word) || *set >> word & 1)
            return false;
        *set |= 1u << word;
    }
    return true;
}

static bool read_count(const struct field_pair *pair, uint64_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < pair->value_length; i++) {
        unsigned digit = (unsigned char)pair->value[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(*count, (uint64_t)10, count) ||
            __builtin_add_overflow(*count, (uint64_t)digit, count))
            return false;
    }
    return pair->value_length && *count <= INT64_MAX;
}

static bool read_uint(const struct record_field *field, const struct field_pair *pair,
                      uint32_t *number)
{
    uint64_t count;
    if (!read_count(pair, &count) || !fields_in_range(field, count))
        return false;
    *number = (uint32_t)count;
    return true;
}

static bool read_double(struct field_reader *reader, const struct field_pair *pair, double *number)
{
    const char *text = arena_strndup(reader->arena, pair->value, pair->value_length);
    char *end;
    *number = strtod(text, &end);
    return !*end && end != text && isfinite(*number) &&
           strspn(text, "+-.0123456789e") == strlen(text);
}

static bool read_maybe(struct field_reader *reader, const struct field_pair *pair,
                       const double **number)
{
    double *copy = ARENA_NEW(reader->arena, double);
    *number = copy;
    return read_double(reader, pair, copy);
}

static bool read_bool(const struct field_pair *pair, bool *flag)
{
    *flag = pair->value_length == 4 && !memcmp(pair->value, "true", 4);
    return *flag || (pair->value_length == 5 && !memcmp(pair->value, "false", 5));
}

static bool read_sha256(const struct field_pair *pair, char *digest)
{
    if (!fields_is_sha256(pair->value, pair->value_length))
        return false;
    memcpy(digest, pair->value, pair->value_length);
    digest[pair->value_length] = 0;
    return true;
}

static bool read_value(struct field_reader *reader, const struct record_field *field,
                       const struct field_pair *pair, void *value)
{
    unsigned word;
    switch (field->kind) {
    case FIELD_TEXT: return read_escaped(reader, pair->value, pair->value_length, value);
    case FIELD_SHA256: return read_sha256(pair, value);
    case FIELD_UINT: return read_uint(field, pair, value);
    case FIELD_OPTIONAL: return read_uint(field, pair, value) && *(uint32_t *)value;
    case FIELD_COUNT: return read_count(pair, value) && *(uint64_t *)value;
    case FIELD_DOUBLE: return read_double(reader, pair, value);
    case FIELD_MAYBE: return read_maybe(reader, pair, value);
    case FIELD_BOOL: return read_bool(pair, value);
    case FIELD_WORD: return fields_find_word(field, pair->value, pair->value_length, value);
    case FIELD_WORDS: return read_words(field, pair, value);
    case FIELD_TEXTS: return read_texts(reader, pair, value);
    case FIELD_FIXED: return fields_find_word(field, pair->value, pair->value_length, &word);
    case FIELD_NUMBER:
    case FIELD_ANY:
    case FIELD_OBJECT:
    case FIELD_OPTION:
    case FIELD_PART:
    case FIELD_LIST: break;
    }
    return false;
}

static bool has_prefix(const struct pairs *pairs, const char *prefix)
{
    for (uint32_t i = 0; i < pairs->list.n; i++)
        if (pairs->list.v[i].key_length > strlen(prefix) &&
            !memcmp(pairs->list.v[i].key, prefix, strlen(prefix)))
            return true;
    return false;
}

// Reads the value with this key. Returns false after adding a fault.
static bool read_pair(struct field_reader *reader, const struct record_field *field, void *value,
                      struct pairs *pairs, const char *key, bool may_lack)
{
    const struct field_pair *pair = fields_use(pairs, key);
    if (!pair)
        return may_lack || fault(reader, key, (int)strlen(key), "it is missing");
    return read_value(reader, field, pair, value) ||
           fault(reader, key, (int)strlen(key), fields_expected(reader->arena, field));
}

static bool read_fields(struct field_reader *reader, const struct record_field *rows, void *record,
                        struct pairs *pairs, const char *prefix);

static bool read_field(struct field_reader *reader, const struct record_field *field, void *record,
                       struct pairs *pairs, const char *prefix)
{
    void *value = (char *)record + field->offset;
    if (field->kind == FIELD_PART)
        return read_fields(reader, field->rows, value, pairs, prefix);
    const char *key =
        *prefix ? arena_printf(reader->arena, "%s%s", prefix, field->key) : field->key;
    if (field->kind == FIELD_OBJECT || field->kind == FIELD_OPTION) {
        const char *inner = arena_printf(reader->arena, "%s.", key);
        bool there = field->kind == FIELD_OBJECT || has_prefix(pairs, inner);
        if (field->kind == FIELD_OPTION)
            *(bool *)value = there;
        return !there || read_fields(reader, field->rows, record, pairs, inner);
    }
    return read_pair(reader, field, value, pairs, key,
                     field->kind == FIELD_OPTIONAL || field->kind == FIELD_COUNT ||
                         field->kind == FIELD_MAYBE || field->may_lack);
}

static bool read_fields(struct field_reader *reader, const struct record_field *rows, void *record,
                        struct pairs *pairs, const char *prefix)
{
    bool good = true;
    for (const struct record_field *field = rows; field->key; field++)
        if (*field->key && field->kind != FIELD_LIST)
            good &= read_field(reader, field, record, pairs, prefix);
    return good;
}

bool fields_read_tag(struct field_reader *reader, const struct record_field_use *slots,
                     void *record, struct pairs *pairs)
{
    bool good = true;
    for (const struct record_field_use *slot = slots; slot->field; slot++)
        good &=
            read_pair(reader, slot->field, (char *)record + slot->offset, pairs, slot->path, true);
    return good;
}

bool fields_all_used(struct field_reader *reader, const struct pairs *pairs)
{
    bool good = true;
    for (uint32_t i = 0; i < pairs->list.n; i++) {
        const struct field_pair *pair = &pairs->list.v[i];
        if (!pair->taken)
            good = fault(reader, pair->key, (int)pair->key_length, "unknown, or given twice");
    }
    return good;
}

bool fields_read_text(struct field_reader *reader, const struct record_field *rows, void *record,
                      struct pairs *pairs)
{
    bool good = read_fields(reader, rows, record, pairs, "");
    return fields_all_used(reader, pairs) && good;
}
