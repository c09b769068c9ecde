#include "backend/emit/writer.h"
#include "backend/emit/text.h"
#include "support/search.h"
#include <stdlib.h>
#include <string.h>

// An edit, at the offset where it applies.
struct piece {
    const struct edit *edit;
    uint32_t at;
    uint32_t place; // index in the list of edits
};

// Sorted by offset, then moves first, then by order, then by place.
struct items {
    VEC(struct piece) list;
};

struct writer {
    struct arena *arena;
    const struct source *source;
    struct items points; // insertions, and moves at their targets
    struct items moves;  // moves at their sources
    struct items replaced;
    struct text text;
    struct written *written;
};

static int compare_u32(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_items(const void *a, const void *b)
{
    const struct piece *x = a, *y = b;
    int by = compare_u32(x->at, y->at);
    by = by ? by : compare_u32(x->edit->kind != EDIT_MOVE, y->edit->kind != EDIT_MOVE);
    by = by ? by : compare_u32(x->edit->order, y->edit->order);
    return by ? by : compare_u32(x->place, y->place);
}

static void sort_items(struct items *items)
{
    if (items->list.n)
        qsort(items->list.v, items->list.n, sizeof *items->list.v, compare_items);
}

static void collect(struct writer *writer, const struct edits *edits)
{
    for (uint32_t i = 0; i < edits->list.n; i++) {
        const struct edit *edit = &edits->list.v[i];
        struct piece item = {edit, edit->begin, i};
        if (edit->kind == EDIT_REPLACE)
            vec_push(writer->arena, &writer->replaced.list, item);
        if (edit->kind == EDIT_MOVE)
            vec_push(writer->arena, &writer->moves.list, item);
        item.at = edit->kind == EDIT_MOVE ? edit->to : edit->begin;
        if (edit->kind != EDIT_REPLACE)
            vec_push(writer->arena, &writer->points.list, item);
    }
    sort_items(&writer->points);
    sort_items(&writer->moves);
    sort_items(&writer->replaced);
}

// Returns the first item at or after the offset.
static uint32_t find_item(const struct items *items, uint32_t at)
{
    return SEARCH(i, 0, items->list.n, items->list.v[i].at < at);
}

// Returns the edit whose range begins at the offset, or NULL.
static const struct edit *range_at(const struct items *items, uint32_t at)
{
    uint32_t item = find_item(items, at);
    return item < items->list.n && items->list.v[item].at == at ? items->list.v[item].edit : NULL;
}

// Returns the edit whose range begins before the offset and ends after it, or NULL.
static const struct edit *range_around(const struct items *items, uint32_t at)
{
    uint32_t item = find_item(items, at);
    const struct edit *edit = item ? items->list.v[item - 1].edit : NULL;
    return edit && edit->end > at ? edit : NULL;
}

// Checks

static const char *fault(const struct writer *writer, const struct edit *edit, const char *what)
{
    return arena_printf(writer->arena, "edit of bytes %u to %u: %s", edit->begin, edit->end, what);
}

static const char *check_single(const struct writer *writer, const struct edit *edit)
{
    uint32_t length = writer->source->length;
    if (edit->begin > length || (edit->kind == EDIT_MOVE && edit->to > length))
        return fault(writer, edit, "it is after the source's end");
    if (edit->kind != EDIT_INSERT && (edit->end <= edit->begin || edit->end > length))
        return fault(writer, edit, "its range is empty or ends after the source's end");
    if (edit->kind != EDIT_MOVE && !edit->text)
        return fault(writer, edit, "it has no text");
    return NULL;
}

static const char *check_disjoint(const struct writer *writer, const struct items *ranges)
{
    for (uint32_t i = 1; i < ranges->list.n; i++)
        if (ranges->list.v[i].at < ranges->list.v[i - 1].edit->end)
            return fault(writer, ranges->list.v[i].edit, "it overlaps another one");
    return NULL;
}

// A replacement must lie entirely inside one moved range or outside all of them.
static const char *check_nesting(const struct writer *writer)
{
    for (uint32_t i = 0; i < writer->replaced.list.n; i++) {
        const struct edit *edit = writer->replaced.list.v[i].edit;
        const struct edit *around = range_around(&writer->moves, edit->begin);
        uint32_t next = find_item(&writer->moves, edit->begin + 1);
        bool enters = next < writer->moves.list.n && writer->moves.list.v[next].at < edit->end;
        around = around ? around : range_at(&writer->moves, edit->begin);
        if (enters || (around && edit->end > around->end))
            return fault(writer, edit, "it overlaps a range that is moved");
    }
    return NULL;
}

static const char *check_points(const struct writer *writer)
{
    for (uint32_t i = 0; i < writer->points.list.n; i++) {
        const struct piece *point = &writer->points.list.v[i];
        if (range_around(&writer->replaced, point->at))
            return fault(writer, point->edit, "it inserts into a range that is replaced");
        if (point->edit->kind == EDIT_MOVE && range_around(&writer->moves, point->at))
            return fault(writer, point->edit, "it inserts into a range that is moved");
    }
    return NULL;
}

static const char *check(struct writer *writer, const struct edits *edits)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < edits->list.n && !wrong; i++)
        wrong = check_single(writer, &edits->list.v[i]);
    if (wrong)
        return wrong;
    collect(writer, edits);
    wrong = check_disjoint(writer, &writer->moves);
    wrong = wrong ? wrong : check_disjoint(writer, &writer->replaced);
    wrong = wrong ? wrong : check_nesting(writer);
    return wrong ? wrong : check_points(writer);
}

// Output

static void put_span(struct writer *writer, uint32_t begin, uint32_t end, const char *text,
                     size_t length, bool replaced)
{
    struct writer_span span = {begin, end, writer->text.bytes.n, 0, replaced};
    text_add(&writer->text, text, length);
    span.to_end = writer->text.bytes.n;
    vec_push(writer->arena, &writer->written->spans, span);
}

static void put(struct writer *writer, uint32_t begin, uint32_t end, bool moved);

// Writes the insertions and moved ranges at `at`. Insertions before a range that is moved from `at`
// move with it; a range that is moved to `at` takes the old place of that range.
static void put_points(struct writer *writer, uint32_t at, bool moved)
{
    bool insertions = moved || !range_at(&writer->moves, at);
    for (uint32_t i = find_item(&writer->points, at);
         i < writer->points.list.n && writer->points.list.v[i].at == at; i++) {
        const struct edit *edit = writer->points.list.v[i].edit;
        if (edit->kind == EDIT_MOVE && !moved)
            put(writer, edit->begin, edit->end, true);
        if (edit->kind == EDIT_MOVE ? !moved && edit->text : insertions)
            text_add(&writer->text, edit->text, strlen(edit->text));
    }
}

// Returns the first offset after `at` where an edit applies, at most `end`.
static uint32_t next_event(const struct writer *writer, uint32_t at, uint32_t end)
{
    const struct items *all[] = {&writer->points, &writer->moves, &writer->replaced};
    for (size_t i = 0; i < ARRAY_LENGTH(all); i++) {
        uint32_t item = find_item(all[i], at + 1);
        if (item < all[i]->list.n && all[i]->list.v[item].at < end)
            end = all[i]->list.v[item].at;
    }
    return end;
}

// Writes [begin, end): a moved range at its target, or the whole source with its moved ranges left
// out.
static void put(struct writer *writer, uint32_t begin, uint32_t end, bool moved)
{
    for (uint32_t at = begin; at < end;) {
        put_points(writer, at, moved);
        const struct edit *leaves = moved ? NULL : range_at(&writer->moves, at);
        const struct edit *replaced = range_at(&writer->replaced, at);
        if (leaves) {
            at = leaves->end;
        } else if (replaced) {
            put_span(writer, at, replaced->end, replaced->text, strlen(replaced->text), true);
            at = replaced->end;
        } else {
            uint32_t next = next_event(writer, at, end);
            put_span(writer, at, next, writer->source->text + at, next - at, false);
            at = next;
        }
    }
}

static int compare_spans(const void *a, const void *b)
{
    const struct writer_span *x = a, *y = b;
    return compare_u32(x->begin, y->begin);
}

const char *writer_apply(struct arena *arena, const struct source *source,
                         const struct edits *edits, struct written *written)
{
    *written = (struct written){0};
    struct writer writer = {.arena = arena, .source = source, .written = written};
    const char *wrong = check(&writer, edits);
    if (wrong)
        return wrong;
    if (!edits->list.n) {
        struct writer_span whole = {0, source->length, 0, source->length, false};
        vec_push(arena, &written->spans, whole);
        written->text = source->text;
        written->length = source->length;
        return NULL;
    }
    text_init(&writer.text, arena);
    vec_fix(arena, &writer.text.bytes, source->length + source->length / 64 + 64);
    put(&writer, 0, source->length, false);
    put_points(&writer, source->length, false);
    if (written->spans.n)
        qsort(written->spans.v, written->spans.n, sizeof *written->spans.v, compare_spans);
    written->text = text_end(&writer.text, &written->length);
    return NULL;
}

// Returns the span that contains the offset, or NULL after the last one.
static const struct writer_span *find_span(const struct written *written, uint32_t offset)
{
    uint32_t low = SEARCH(i, 0, written->spans.n, written->spans.v[i].end <= offset);
    return low < written->spans.n ? &written->spans.v[low] : NULL;
}

uint32_t writer_offset(const struct written *written, uint32_t offset)
{
    const struct writer_span *span = find_span(written, offset);
    if (!span)
        return written->length;
    return span->replaced ? span->to : span->to + (offset - span->begin);
}

void writer_range(const struct written *written, uint32_t begin, uint32_t end, uint32_t *to,
                  uint32_t *to_end)
{
    *to = writer_offset(written, begin);
    const struct writer_span *last = end > begin ? find_span(written, end - 1) : NULL;
    *to_end = !last ? *to : last->replaced ? last->to_end : last->to + (end - last->begin);
}
