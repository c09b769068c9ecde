#include "frontend/tree.h"
#include <string.h>

// Returns the first byte from `at` on that is neither white space nor part of a comment.
static uint32_t skip_blank(const char *text, uint32_t at, uint32_t end)
{
    for (;;) {
        while (at < end && source_is_blank(text[at]))
            at++;
        if (end - at < 2 || text[at] != '/' || (text[at + 1] != '/' && text[at + 1] != '*'))
            return at;
        bool line = text[at + 1] == '/';
        const char *close =
            line ? memchr(text + at, '\n', end - at) : memmem(text + at + 2, end - at - 2, "*/", 2);
        if (!close)
            return end;
        at = (uint32_t)(close - text) + (line ? 1 : 2);
    }
}

void node_opcode_range(const struct tree *tree, uint32_t node, uint32_t *begin, uint32_t *end)
{
    const struct node *instr = &tree->nodes.v[node];
    const char *text = tree->source->text;
    *begin = instr->begin;
    if (instr->flags & NODE_HAS_GUARD)
        *begin = skip_blank(text, instr[1].end, instr->end);
    *end = *begin;
    while (*end < instr->end && !source_is_blank(text[*end]) && !strchr(".;{[(,/", text[*end]))
        ++*end;
}
