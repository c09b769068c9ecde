// Applies a plan's edits, as in ir/edit.h, in the simplest way, to show the decisions of the
// passes.
#pragma once
#include "passes/base/plan.h"
#include <stdlib.h>
#include <string.h>

struct editing {
    struct arena *arena;
    const struct source *source;
    struct edit *edits; // by place, then order
    uint32_t count;
    VEC(char) out;
};

static int editing_compare(const void *left, const void *right)
{
    const struct edit *a = left, *b = right;
    uint32_t x = a->kind == EDIT_MOVE ? a->to : a->begin;
    uint32_t y = b->kind == EDIT_MOVE ? b->to : b->begin;
    if (x != y)
        return x < y ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void editing_put(struct editing *e, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        vec_push(e->arena, &e->out, text[i]);
}

// Returns the first edit of a kind that begins here (a move: ends here), after `after`; or NULL.
static const struct edit *editing_find(const struct editing *e, enum edit_kind kind, uint32_t at,
                                       bool by_target, const struct edit *after)
{
    for (const struct edit *edit = after ? after + 1 : e->edits; edit < e->edits + e->count; edit++)
        if (edit->kind == kind && (by_target ? edit->to : edit->begin) == at)
            return edit;
    return NULL;
}

static void editing_range(struct editing *e, uint32_t begin, uint32_t end, bool inside)
{
    for (uint32_t at = begin; at < end || (at == end && !inside); at++) {
        const struct edit *edit = NULL;
        while (!inside && (edit = editing_find(e, EDIT_MOVE, at, true, edit))) {
            editing_range(e, edit->begin, edit->end, true);
            if (edit->text)
                editing_put(e, edit->text, strlen(edit->text));
        }
        const struct edit *moved = inside ? NULL : editing_find(e, EDIT_MOVE, at, false, NULL);
        if (moved) {
            at = moved->end - 1;
            continue;
        }
        while ((edit = editing_find(e, EDIT_INSERT, at, false, edit)))
            editing_put(e, edit->text, strlen(edit->text));
        const struct edit *replaced = editing_find(e, EDIT_REPLACE, at, false, NULL);
        if (replaced) {
            editing_put(e, replaced->text, strlen(replaced->text));
            at = replaced->end - 1;
        } else if (at < end) {
            editing_put(e, e->source->text + at, 1);
        }
    }
}

// Returns the text with the edits applied.
static const char *edited(struct arena *arena, const struct source *source,
                          const struct edits *edits)
{
    struct editing e = {.arena = arena, .source = source, .count = edits->list.n};
    e.edits = ARENA_ARRAY(arena, struct edit, e.count + 1);
    if (e.count)
        memcpy(e.edits, edits->list.v, e.count * sizeof *e.edits);
    qsort(e.edits, e.count, sizeof *e.edits, editing_compare);
    editing_range(&e, 0, source->length, false);
    vec_push(arena, &e.out, '\0');
    return e.out.v;
}
