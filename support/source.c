#include "support/source.h"
#include "support/search.h"
#include <string.h>

void source_init(struct source *source, struct arena *arena, const char *name, const char *text,
                 uint32_t length)
{
    *source = (struct source){.name = name, .text = text, .length = length};
    source->lines = ARENA_NEW(arena, struct source_lines);
    source->lines->arena = arena;
}

const struct source_lines *source_lines(const struct source *source)
{
    struct source_lines *lines = source->lines;
    if (lines->at.n)
        return lines;
    const char *at = source->text, *end = at + source->length;
    vec_push(lines->arena, &lines->at, 0);
    while ((at = memchr(at, '\n', (size_t)(end - at))))
        vec_push(lines->arena, &lines->at, (uint32_t)(++at - source->text));
    return lines;
}

struct source_position source_position_at(const struct source *source, uint32_t offset)
{
    const struct source_lines *lines = source_lines(source);
    uint32_t line = SEARCH(i, 1, lines->at.n, lines->at.v[i] <= offset);
    return (struct source_position){line, offset - lines->at.v[line - 1] + 1};
}

void source_line(const struct source *source, uint32_t line, uint32_t *begin, uint32_t *end)
{
    const struct source_lines *lines = source_lines(source);
    *begin = lines->at.v[line - 1];
    *end = line < lines->at.n ? lines->at.v[line] - 1 : source->length;
    if (*end > *begin && source->text[*end - 1] == '\r')
        --*end;
}
