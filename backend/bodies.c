#include "backend/bodies.h"
#include "backend/text.h"
#include <ctype.h>
#include <string.h>

// True unless the instruction names a space other than global memory.
static bool loads_globally(const struct tree *tree, uint32_t node)
{
    uint32_t count;
    const uint16_t *mods = node_mods(tree, node, &count);
    if (isa_form(tree->nodes.v[node].aux, mods, count).class != CLASS_LOAD)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (isa_is_space(mods[i]))
            return mods[i] == W_global;
    return true;
}

static void add_body(struct bodies *bodies, struct arena *arena, const struct tree *tree,
                     uint32_t function, uint32_t scope)
{
    const struct node *nodes = tree->nodes.v;
    struct body body = {tree, function, nodes[scope].begin + 1, nodes[scope].end, 0, {0}};
    uint32_t count = 0;
    for (uint32_t node = scope; node < node_next(tree, scope); node++)
        count += nodes[node].kind == NODE_INSTR;
    vec_fix(arena, &body.insts, count);
    for (uint32_t node = scope; node < node_next(tree, scope); node++) {
        if (nodes[node].kind != NODE_INSTR)
            continue;
        vec_push(arena, &body.insts, node);
        body.loads += loads_globally(tree, node);
    }
    vec_push(arena, &bodies->list, body);
}

void bodies_find(struct bodies *bodies, struct arena *arena, const struct tree *tree)
{
    *bodies = (struct bodies){.tree = tree};
    if (!tree->nodes.n)
        return;
    NODE_EACH (function, tree, 0) {
        if (tree->nodes.v[function].kind != NODE_FUNCTION)
            continue;
        NODE_EACH (scope, tree, function)
            if (tree->nodes.v[scope].kind == NODE_SCOPE) {
                add_body(bodies, arena, tree, function, scope);
                break;
            }
    }
}

const struct body *bodies_at(const struct bodies *bodies, uint32_t offset)
{
    uint32_t low = 0, high = bodies->list.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (bodies->list.v[middle].end <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    const struct body *body = low < bodies->list.n ? &bodies->list.v[low] : NULL;
    return body && body->open <= offset ? body : NULL;
}

const char *body_name(const struct body *body, struct arena *arena)
{
    const struct name *name = tree_name(body->tree, body->tree->nodes.v[body->node].value);
    return arena_strndup(arena, name->text, name->length);
}

bool body_is_entry(const struct body *body)
{
    return body->tree->nodes.v[body->node].aux == W_entry;
}

uint32_t body_find(const struct body *body, uint32_t offset)
{
    uint32_t low = 0, high = body->insts.n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (body_inst(body, middle)->begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Where the next word with a dot begins, past white space and comments.
static const char *find_dot(const char *at, const char *end)
{
    while (at < end && *at != '.') {
        const char *stop = NULL;
        if (!strncmp(at, "//", 2))
            stop = memchr(at, '\n', (size_t)(end - at));
        else if (!strncmp(at, "/*", 2))
            stop = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
        else
            stop = at;
        if (!stop)
            return end;
        at = stop + (*stop == '*' ? 2 : 1);
    }
    return at;
}

// Behind the word with a dot that begins at `word`.
static const char *behind_word(const char *word, const char *end)
{
    const char *at = word;
    while (at < end && (at == word || isalnum((unsigned char)*at) || *at == '_' || *at == ':'))
        at++;
    return at;
}

const char *body_opcode(const struct body *body, struct arena *arena, uint32_t index)
{
    struct text text;
    uint32_t begin, end, count, length, node = body->insts.v[index];
    const char *source = body->tree->source->text, *stop = source + body_inst(body, index)->end;
    node_opcode_range(body->tree, node, &begin, &end);
    node_mods(body->tree, node, &count);
    const char *at = source + end;
    for (; count && at < stop && *at == '.'; count--)
        at = behind_word(at, stop);
    if (!count) // nothing stands between the words, as a rule
        return arena_strndup(arena, source + begin, (size_t)(at - source) - begin);
    text_init(&text, arena);
    text_add(&text, source + begin, (size_t)(at - source) - begin);
    while (count--) {
        const char *word = find_dot(at, stop);
        at = behind_word(word, stop);
        text_add(&text, word, (size_t)(at - word));
    }
    return text_end(&text, &length);
}
