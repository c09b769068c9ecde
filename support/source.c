#include "support/source.h"
#include <string.h>

void source_init(struct source *source, struct arena *arena, const char *name, const char *text,
                 uint32_t length)
{
    *source = (struct source){.name = name, .text = text, .length = length};
    uint32_t at = 0;
    for (;;) {
        vec_push(arena, &source->lines, at);
        const char *end = memchr(text + at, '\n', length - at);
        if (!end)
            return;
        at = (uint32_t)(end - text) + 1;
    }
}

struct place source_place(const struct source *source, uint32_t offset)
{
    uint32_t low = 0, high = source->lines.n;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (source->lines.v[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return (struct place){low + 1, offset - source->lines.v[low] + 1};
}

void source_line(const struct source *source, uint32_t line, uint32_t *begin, uint32_t *end)
{
    *begin = source->lines.v[line - 1];
    *end = line < source->lines.n ? source->lines.v[line] - 1 : source->length;
    if (*end > *begin && source->text[*end - 1] == '\r')
        --*end;
}
