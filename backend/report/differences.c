// Matching proceeds from strict to loose keys: items that no stricter key has matched are tried
// with the next one. Items with the same key are matched in their order. For each key the cost is
// linear in the number of items.
#include "backend/report/differences.h"
#include "support/intern.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Parts of a key.
enum { KEY_LINE = 1, KEY_HEAD = 2, KEY_WHOLE = 4, KEY_SOURCE = 8, KEY_VERDICT = 16 };

// For reports on the same text.
static const unsigned line_keys[] = {KEY_LINE | KEY_HEAD | KEY_VERDICT, KEY_LINE | KEY_HEAD, 0};
// For reports on different texts. The first instruction alone is tried after the whole text.
static const unsigned text_keys[] = {
    KEY_WHOLE | KEY_SOURCE | KEY_VERDICT | KEY_LINE,
    KEY_WHOLE | KEY_SOURCE | KEY_VERDICT,
    KEY_WHOLE | KEY_SOURCE,
    KEY_WHOLE | KEY_VERDICT,
    KEY_WHOLE,
    KEY_HEAD | KEY_SOURCE,
    KEY_HEAD | KEY_VERDICT,
    0,
};

struct difference_matcher {
    struct differences *result;
    struct arena *arena;
    const char *kernel;
    struct report_item_list before, after;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static uint32_t key_of(struct difference_matcher *m, struct intern *keys,
                       const struct report_item *item, unsigned parts)
{
    struct text text;
    uint32_t length;
    text_init(&text, m->arena);
    text_printf(&text, "%u", item->kind);
    if (parts & KEY_LINE)
        text_printf(&text, " %u %u %u", item->line, item->column, item->end_line);
    if (parts & KEY_SOURCE)
        text_printf(&text, " %s:%u", base_name(item->source_file), item->source_line);
    if (parts & KEY_HEAD)
        text_string(&text, item->head);
    if (parts & KEY_WHOLE)
        text_string(&text, item->whole);
    if (parts & KEY_VERDICT)
        text_string(&text, item->verdict);
    const char *key = text_end(&text, &length);
    return intern_add(keys, key, length);
}

bool numbers_differ(double before, double after)
{
    return fabs(before - after) > 1e-9 * (fabs(before) + fabs(after));
}

static bool differ(const struct report_item *before, const struct report_item *after)
{
    bool same = !strcmp(before->verdict, after->verdict);
    for (uint32_t i = 0; difference_numbers[before->kind][i]; i++)
        same &= !numbers_differ(before->numbers[i], after->numbers[i]);
    return !same;
}

static void add(struct difference_matcher *m, enum change_kind change,
                const struct report_item *before, const struct report_item *after)
{
    const struct report_item *item = before ? before : after;
    struct difference made = {m->kernel, change, item->kind, before, after, NULL};
    m->result->counts[item->kind][change]++;
    vec_push(m->arena, &m->result->list, made);
}

static void match(struct difference_matcher *m, struct report_item *before,
                  struct report_item *after)
{
    before->matched = after->matched = true;
    if (differ(before, after))
        add(m, CHANGE_CHANGED, before, after);
    else
        m->result->equal[before->kind]++;
}

// Items of the first report that have the same key, in order.
struct key_queue {
    uint32_t first, last; // index + 1; 0: none
};

static void match_by(struct difference_matcher *m, unsigned parts)
{
    struct intern keys;
    uint32_t n = m->before.list.n;
    struct key_queue *queues = ARENA_ARRAY(m->arena, struct key_queue, n + 1);
    uint32_t *next = ARENA_ARRAY(m->arena, uint32_t, n + 1);
    intern_init(&keys, m->arena);
    for (uint32_t i = 0; i < n; i++) {
        if (m->before.list.v[i].matched)
            continue;
        struct key_queue *queue = &queues[key_of(m, &keys, &m->before.list.v[i], parts)];
        *(queue->first ? &next[queue->last - 1] : &queue->first) = i + 1;
        queue->last = i + 1;
    }
    uint32_t known = keys.names.n;
    for (uint32_t i = 0; i < m->after.list.n; i++) {
        struct report_item *after = &m->after.list.v[i];
        uint32_t key = after->matched ? known : key_of(m, &keys, after, parts);
        if (key >= known || !queues[key].first)
            continue;
        struct report_item *before = &m->before.list.v[queues[key].first - 1];
        queues[key].first = next[queues[key].first - 1];
        match(m, before, after);
    }
}

// Unmatched rejections of accesses and chains, by their instruction.
struct rejection_index {
    struct intern keys;
    const struct report_item **first; // by key
};

// Returns the key of an item's first instruction, for reports on the same text.
static const char *location_key(struct arena *arena, const struct report_item *item)
{
    return arena_printf(arena, "%u %u", item->line, item->column);
}

static void index_rejections(const struct difference_matcher *m, struct rejection_index *index,
                             const struct report_item_list *items)
{
    intern_init(&index->keys, m->arena);
    index->first = ARENA_ARRAY(m->arena, const struct report_item *, items->list.n + 1);
    for (uint32_t i = 0; i < items->list.n; i++) {
        const struct report_item *item = &items->list.v[i];
        if (item->kind != ITEM_REJECTION || item->matched || item->candidate == CANDIDATE_BLOCK ||
            item->candidate == CANDIDATE_KERNEL)
            continue;
        // The head is the kind and the instruction.
        const char *text =
            m->result->same_source ? location_key(m->arena, item) : strchr(item->head, '\n') + 1;
        uint32_t key = intern_add(&index->keys, text, strlen(text));
        if (!index->first[key])
            index->first[key] = item;
    }
}

static const struct report_item *find_rejection(const struct rejection_index *index,
                                                const char *text, size_t length)
{
    uint32_t key = intern_find(&index->keys, text, length);
    return key == UINT32_MAX ? NULL : index->first[key];
}

// Returns the other report's first rejection of an instruction of the chain, or NULL. In reports on
// the same text only the chain's first instruction is looked up.
static const struct report_item *instead_of(const struct difference_matcher *m,
                                            const struct rejection_index *index,
                                            const struct report_item *chain)
{
    const struct report_item *found = NULL;
    if (m->result->same_source) {
        const char *place = location_key(m->arena, chain);
        return find_rejection(index, place, strlen(place));
    }
    for (const char *at = chain->whole; m->result->by_text && *at && !found;) {
        size_t length = strcspn(at, "\n") + 1;
        found = find_rejection(index, at, length);
        at += length;
    }
    return found;
}

static void add_rest(struct difference_matcher *m, struct report_item_list *items,
                     const struct report_item_list *other, enum change_kind change)
{
    struct rejection_index index;
    bool vanished = change == CHANGE_VANISHED;
    index_rejections(m, &index, other);
    for (uint32_t i = 0; i < items->list.n; i++) {
        const struct report_item *item = &items->list.v[i];
        if (item->matched)
            continue;
        add(m, change, vanished ? item : NULL, vanished ? NULL : item);
        if (item->kind == ITEM_CHAIN)
            m->result->list.v[m->result->list.n - 1].instead = instead_of(m, &index, item);
    }
}

static const struct report_item *item_of(const struct difference *difference)
{
    return difference->after ? difference->after : difference->before;
}

static int in_order(const void *left, const void *right)
{
    const struct difference *a = left, *b = right;
    const struct report_item *one = item_of(a), *other = item_of(b);
    int by = (int)a->kind - (int)b->kind;
    by = by ? by : (one->line > other->line) - (one->line < other->line);
    by = by ? by : (one->end_line < other->end_line) - (one->end_line > other->end_line);
    by = by ? by : (one->column > other->column) - (one->column < other->column);
    by = by ? by : (int)a->change - (int)b->change;
    by = by ? by : strcmp(one->verdict, other->verdict);
    return by ? by : (one > other) - (one < other);
}

// Compares a kernel of both reports; one of the two may be NULL.
static void compare_kernel(struct differences *result, struct arena *arena,
                           const struct table_kernel *before, const struct table_kernel *after)
{
    struct difference_matcher m = {result,
                                   arena,
                                   before ? before->name : after->name,
                                   {.by_text = result->by_text},
                                   {.by_text = result->by_text}};
    uint32_t first = result->list.n;
    if (before)
        items_of(&m.before, arena, result->before, before);
    if (after)
        items_of(&m.after, arena, result->after, after);
    const unsigned *keys = result->same_source ? line_keys : text_keys;
    for (; *keys; keys++)
        // Without texts, the first instruction alone is too weak a key.
        if (result->same_source || result->by_text || !(*keys & KEY_HEAD))
            match_by(&m, *keys);
    add_rest(&m, &m.before, &m.after, CHANGE_VANISHED);
    add_rest(&m, &m.after, &m.before, CHANGE_APPEARED);
    if (result->list.n > first)
        qsort(result->list.v + first, result->list.n - first, sizeof *result->list.v, in_order);
    if (before && after)
        return;
    struct difference_kernel kernel = {m.kernel, before ? CHANGE_VANISHED : CHANGE_APPEARED};
    vec_push(arena, &result->kernels, kernel);
}

void differences_find(struct differences *differences, struct arena *arena,
                      const struct tables *before, const struct tables *after)
{
    struct intern names;
    differences->before = before;
    differences->after = after;
    differences->same_source = !strcmp(before->source.sha256, after->source.sha256);
    differences->by_text = before->places.n && after->places.n;
    intern_init(&names, arena);
    const struct table_kernel **other =
        ARENA_ARRAY(arena, const struct table_kernel *, before->kernels.n + 1);
    for (uint32_t i = 0; i < before->kernels.n; i++) {
        const char *name = before->kernels.v[i].name;
        uint32_t id = intern_add(&names, name, strlen(name));
        if (!other[id])
            other[id] = &before->kernels.v[i];
    }
    for (uint32_t i = 0; i < after->kernels.n; i++) {
        const char *name = after->kernels.v[i].name;
        uint32_t id = intern_find(&names, name, strlen(name));
        compare_kernel(differences, arena, id == UINT32_MAX ? NULL : other[id],
                       &after->kernels.v[i]);
        if (id != UINT32_MAX)
            other[id] = NULL;
    }
    for (uint32_t i = 0; i < before->kernels.n; i++)
        if (other[i])
            compare_kernel(differences, arena, other[i], NULL);
}
