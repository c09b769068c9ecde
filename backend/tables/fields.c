#include "backend/tables/fields.h"
#include <string.h>

bool fields_is_sha256(const char *text, size_t length)
{
    return length == 64 && strspn(text, "0123456789abcdef") >= 64;
}

static uint32_t max_value(const struct record_field *field)
{
    return field->max ? field->max : INT32_MAX;
}

bool fields_in_range(const struct record_field *field, uint64_t number)
{
    return number >= field->min && number <= max_value(field);
}

bool fields_find_word(const struct record_field *field, const char *text, size_t length,
                      unsigned *word)
{
    for (unsigned i = 0; length && field->words[i]; i++)
        if (strlen(field->words[i]) == length && !memcmp(field->words[i], text, length)) {
            *word = i;
            return true;
        }
    return false;
}

static const char *const expected[] = {
    [FIELD_TEXT] = "a string",
    [FIELD_SHA256] = "a SHA-256 digest of 64 lower-case hexadecimal digits",
    [FIELD_UINT] = "a whole number",
    [FIELD_OPTIONAL] = "a whole number from 1 to 2147483647, or none",
    [FIELD_COUNT] = "a positive whole number, or none",
    [FIELD_NUMBER] = "a whole number from 0 to 9223372036854775807",
    [FIELD_ANY] = "anything",
    [FIELD_DOUBLE] = "a number",
    [FIELD_MAYBE] = "a number",
    [FIELD_BOOL] = "true or false",
    [FIELD_WORD] = "one of",
    [FIELD_WORDS] = "a list, each at most once, of",
    [FIELD_TEXTS] = "a list of names",
    [FIELD_FIXED] = "the string",
    [FIELD_OBJECT] = "an object",
    [FIELD_OPTION] = "an object, or none",
    [FIELD_PART] = "its members",
    [FIELD_LIST] = "a list",
};

const char *fields_expected(struct arena *arena, const struct record_field *field)
{
    struct text text;
    uint32_t length;
    text_init(&text, arena);
    text_printf(&text, "expected %s", expected[field->kind]);
    if (field->kind == FIELD_UINT)
        text_printf(&text, " from %u to %u", field->min, max_value(field));
    const char *before = " ";
    for (unsigned i = 0; field->words && field->words[i]; i++) {
        if (!*field->words[i])
            continue;
        text_printf(&text, "%s%s", before, field->words[i]);
        before = ", ";
    }
    return text_end(&text, &length);
}

struct field_uses {
    struct arena *arena;
    VEC(struct record_field_use) list;
};

static void add_in_order(struct field_uses *slots, struct record_field_use slot)
{
    vec_push(slots->arena, &slots->list, slot);
    struct record_field_use *at = &slots->list.v[slots->list.n - 1];
    for (; at > slots->list.v && at[-1].at > slot.at; at--)
        *at = at[-1];
    *at = slot;
}

static const char *path_of(struct field_uses *slots, const char *outer, const char *key)
{
    return arena_printf(slots->arena, "%s%s%s", outer, *outer ? "." : "", key);
}

// Adds the fields of an object; `outer` is the slot of the object itself.
static void add_fields(struct field_uses *slots, const struct record_field *rows, unsigned form,
                       struct record_field_use outer)
{
    bool tag = form == FIELD_SMALL_TAG; // its fields have keys instead of paths
    for (const struct record_field *field = rows; field->key; field++) {
        struct record_field_use slot = outer;
        slot.field = field;
        slot.offset += field->offset;
        slot.at = tag ? field->tag.at : outer.at + field->elf.at;
        if (field->kind == FIELD_PART) {
            add_fields(slots, field->rows, tag ? form : field->rows->elf.part, slot);
            continue;
        }
        slot.path = tag ? field->tag.key : path_of(slots, outer.path, field->key);
        if (tag ? field->tag.key != NULL : field->elf.size && field->elf.part == form)
            add_in_order(slots, slot);
        if (field->kind == FIELD_OBJECT || field->kind == FIELD_OPTION) {
            struct record_field_use inner = outer;
            inner.path = slot.path;
            if (field->kind == FIELD_OPTION)
                inner.option = slot.offset;
            add_fields(slots, field->rows, form, inner);
        }
    }
}

const struct record_field_use *fields_of(struct arena *arena, const struct record_field *rows,
                                         unsigned form)
{
    struct field_uses slots = {.arena = arena};
    add_fields(&slots, rows, form, (struct record_field_use){.path = "", .option = SIZE_MAX});
    vec_push(arena, &slots.list, (struct record_field_use){0});
    return slots.list.v;
}
