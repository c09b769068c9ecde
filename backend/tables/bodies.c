#include "backend/tables/bodies.h"
#include "backend/emit/text.h"
#include "support/search.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Returns true for a load that names global memory or no space.
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

// Translates offsets of the tree's text to the text with the edits.
struct mapping {
    const struct written *written; // NULL: the text has no edits
    uint32_t span;                 // of the last look-up; offsets never decrease
};

static const struct writer_span *span_at(struct mapping *mapping, uint32_t offset)
{
    const struct written *written = mapping->written;
    uint32_t span = mapping->span;
    while (span + 1 < written->spans.n && written->spans.v[span].end <= offset)
        span++;
    mapping->span = span;
    return &written->spans.v[span];
}

static void map_range(struct mapping *mapping, uint32_t *begin, uint32_t *end)
{
    if (!mapping->written)
        return;
    const struct writer_span *span = span_at(mapping, *begin);
    uint32_t last = *end - 1;
    *begin = span->to + (*begin - span->begin);
    span = last < span->end ? span : span_at(mapping, last);
    *end = span->to + (last - span->begin) + 1;
}

static int by_location(const void *a, const void *b)
{
    const struct body_inst *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

static void find_insts(struct body *body, struct arena *arena, uint32_t scope,
                       struct mapping *mapping)
{
    const struct tree *tree = body->tree;
    const struct node *nodes = tree->nodes.v;
    uint32_t count = 0, next = node_next(tree, scope);
    bool sorted = true;
    for (uint32_t node = scope; node < next; node++)
        count += nodes[node].kind == NODE_INSTR;
    vec_fix(arena, &body->insts, count);
    for (uint32_t node = scope; node < next; node++) {
        if (nodes[node].kind != NODE_INSTR)
            continue;
        struct body_inst inst = {nodes[node].begin, nodes[node].end, node};
        map_range(mapping, &inst.begin, &inst.end);
        sorted &= !body->insts.n || body->insts.v[body->insts.n - 1].begin < inst.begin;
        vec_push(arena, &body->insts, inst);
        body->loads += loads_globally(tree, node);
    }
    if (!sorted)
        qsort(body->insts.v, body->insts.n, sizeof *body->insts.v, by_location);
}

static void add_body(struct bodies *bodies, struct arena *arena, const struct tree *tree,
                     uint32_t function, uint32_t scope, struct mapping *mapping)
{
    struct body body = {.tree = tree, .node = function};
    struct mapping whole = *mapping;
    uint32_t begin = tree->nodes.v[scope].begin;
    body.end = tree->nodes.v[scope].end;
    map_range(&whole, &begin, &body.end);
    body.open = begin + 1;
    find_insts(&body, arena, scope, mapping);
    vec_push(arena, &bodies->list, body);
}

static void find(struct bodies *bodies, struct arena *arena, const struct tree *tree,
                 struct mapping mapping)
{
    if (!tree->nodes.n)
        return;
    NODE_EACH (function, tree, 0) {
        if (tree->nodes.v[function].kind != NODE_FUNCTION)
            continue;
        NODE_EACH (scope, tree, function)
            if (tree->nodes.v[scope].kind == NODE_SCOPE) {
                add_body(bodies, arena, tree, function, scope, &mapping);
                break;
            }
    }
}

void bodies_find(struct bodies *bodies, struct arena *arena, const struct tree *tree)
{
    *bodies = (struct bodies){.text = tree->source->text, .length = tree->source->length};
    find(bodies, arena, tree, (struct mapping){NULL, 0});
}

void bodies_written(struct bodies *bodies, struct arena *arena, const struct tree *tree,
                    const struct written *written)
{
    *bodies = (struct bodies){.text = written->text, .length = written->length};
    find(bodies, arena, tree, (struct mapping){written, 0});
}

// Looks for semicolons, because every instruction ends with one.
bool keep_instructions(const struct edits *edits, const struct source *source)
{
    for (uint32_t i = 0; i < edits->list.n; i++) {
        const struct edit *edit = &edits->list.v[i];
        bool leaves = edit->kind == EDIT_REPLACE &&
                      memchr(source->text + edit->begin, ';', edit->end - edit->begin);
        if (leaves || (edit->text && strchr(edit->text, ';')))
            return false;
    }
    return true;
}

const struct body *bodies_at(const struct bodies *bodies, uint32_t offset)
{
    uint32_t low = SEARCH(i, 0, bodies->list.n, bodies->list.v[i].end <= offset);
    const struct body *body = low < bodies->list.n ? &bodies->list.v[low] : NULL;
    return body && body->open <= offset ? body : NULL;
}

const char *body_name(const struct body *body, struct arena *arena)
{
    const struct name *name = tree_name(body->tree, body->tree->nodes.v[body->node].value);
    return arena_strndup(arena, name->text, name->length);
}

uint32_t body_find(const struct body *body, uint32_t offset)
{
    return SEARCH(i, 0, body->insts.n, body_inst(body, i)->begin < offset);
}

// Returns the next dot after white space and comments, or `end`.
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

// Returns the end of the dotted word that begins at `word`.
static const char *end_of_word(const char *word, const char *end)
{
    const char *at = word;
    while (at < end && (at == word || isalnum((unsigned char)*at) || *at == '_' || *at == ':'))
        at++;
    return at;
}

const char *body_opcode(const struct body *body, struct arena *arena, uint32_t index)
{
    struct text text;
    uint32_t begin, end, count, length, node = body->insts.v[index].node;
    const char *source = body->tree->source->text, *stop = source + body->tree->nodes.v[node].end;
    node_opcode_range(body->tree, node, &begin, &end);
    node_mods(body->tree, node, &count);
    const char *at = source + end;
    for (; count && at < stop && *at == '.'; count--)
        at = end_of_word(at, stop);
    if (!count) // usually nothing is between the words
        return arena_strndup(arena, source + begin, (size_t)(at - source) - begin);
    text_init(&text, arena);
    text_add(&text, source + begin, (size_t)(at - source) - begin);
    while (count--) {
        const char *word = find_dot(at, stop);
        at = end_of_word(word, stop);
        text_add(&text, word, (size_t)(at - word));
    }
    return text_end(&text, &length);
}
