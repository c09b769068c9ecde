#include "backend/emit/text.h"
#include "support/json.h"
#include "support/number.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_init(struct text *text, struct arena *arena)
{
    *text = (struct text){.arena = arena};
}

// Returns room for `length` more bytes. Offsets have 32 bits, so 2 GiB of text count as exhausted
// memory.
static char *text_room(struct text *text, size_t length)
{
    if (length > INT32_MAX - (size_t)text->bytes.n)
        longjmp(text->arena->memory->on_failure, 1);
    vec_reserve(text->arena, &text->bytes, text->bytes.n + length);
    return text->bytes.v + text->bytes.n;
}

void text_add_growing(struct text *text, const char *bytes, size_t length)
{
    memcpy(text_room(text, length), bytes, length);
    text->bytes.n += (uint32_t)length;
}

void text_uint(struct text *text, uint64_t number)
{
    char digits[NUMBER_TEXT];
    text_add(text, digits, number_uint(digits, number));
}

void text_printf(struct text *text, const char *format, ...)
{
    enum { USUAL = 100 };
    size_t room = USUAL;
    for (;;) {
        char *to = text_room(text, room);
        va_list args;
        va_start(args, format);
        size_t length = (size_t)vsnprintf(to, room, format, args);
        va_end(args);
        if (length < room) {
            text->bytes.n += (uint32_t)length;
            return;
        }
        room = length + 1;
    }
}

char *text_end(struct text *text, uint32_t *length)
{
    memset(text_room(text, 2), 0, 2);
    *length = text->bytes.n;
    return text->bytes.v;
}

const char *text_utf8(struct arena *arena, const char *name)
{
    struct text text;
    uint32_t length;
    text_init(&text, arena);
    for (size_t left = strlen(name); left;) {
        size_t bytes = json_utf8_length(name, left);
        text_add(&text, bytes ? name : "\xef\xbf\xbd", bytes ? bytes : 3);
        name += bytes ? bytes : 1;
        left -= bytes ? bytes : 1;
    }
    return text_end(&text, &length);
}
