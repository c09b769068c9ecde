#include "runtime-sim/schemes/tom/rehearse.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/schemes/tom/block_table.h"

// Warps

static uint32_t hash_of(const struct warp *warp)
{
    return (uint32_t)((uint64_t)(uintptr_t)warp * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

static struct tom_rehearsed *find(const struct tom_rehearsal *r, const struct warp *warp)
{
    uint32_t at = hash_of(warp) & (r->size - 1);
    while (r->warps[at].warp && r->warps[at].warp != warp)
        at = (at + 1) & (r->size - 1);
    return &r->warps[at];
}

static void grow(struct tom_rehearsal *r)
{
    struct tom_rehearsed *old = r->warps;
    uint32_t size = r->size;
    r->size = size ? 2 * size : 256;
    r->warps = ARENA_ARRAY(r->arena, struct tom_rehearsed, r->size);
    for (uint32_t i = 0; i < size; i++)
        if (old[i].warp)
            *find(r, old[i].warp) = old[i];
}

static struct tom_rehearsed *instance_of(struct tom_rehearsal *r, const struct warp *warp)
{
    if (r->last && r->last->warp == warp)
        return r->last;
    if (2 * r->count >= r->size)
        grow(r);
    r->last = find(r, warp);
    r->count += !r->last->warp;
    if (!r->last->warp)
        r->last->declined = TOM_NONE;
    r->last->warp = warp;
    return r->last;
}

// Instances

static bool is_inside(const struct tom_block *block, uint32_t function, uint32_t inst)
{
    return block && function == block->function && inst >= block->begin && inst <= block->end;
}

// Finds the first code of each block.
static void find_begins(struct tom_rehearsal *r, const struct program *program)
{
    r->begins = ARENA_ARRAY(r->arena, uint32_t, program->codes.n);
    for (uint32_t i = 0; i < r->table->blocks.n; i++) {
        const struct tom_block *block = &r->table->blocks.v[i];
        if (block->around != TOM_NONE && r->table->blocks.v[block->around].begin == block->begin)
            continue;
        uint32_t code = program->functions.v[block->function].begin;
        while (program->codes.v[code].inst != block->begin)
            code++;
        r->begins[code] = 1 + i;
    }
}

static void end_instance(struct tom_rehearsal *r, struct tom_rehearsed *at)
{
    uint64_t last = r->stages.n ? r->stages.v[r->stages.n - 1].instances : 0;
    map_end(&r->map, &at->map);
    if (r->map.instances > last + last / 16)
        vec_push(r->arena, &r->stages, r->map);
}

// Returns the block that a warp begins at the first instruction of `number`: the outermost one
// whose condition holds or that has no alternatives. Returns NULL if no block is to begin.
static const struct tom_block *begin_block(struct tom_rehearsal *r, struct tom_rehearsed *at,
                                           const struct warp *warp, uint32_t mask, uint32_t number)
{
    const struct tom_table *table = r->table;
    while ((number = tom_block_to_ask(table, number, at->declined)) != TOM_NONE) {
        const struct tom_block *block = &table->blocks.v[number];
        if (!block->alternates || !block->has_condition ||
            block_iterations(block, warp, mask, table->lane) >= (int64_t)block->threshold)
            return block;
        at->declined = number;
    }
    return NULL;
}

static void before(void *context, const struct warp *warp, const struct path *path,
                   const struct code *code)
{
    struct tom_rehearsal *r = context;
    struct tom_rehearsed *at = instance_of(r, warp);
    if (is_inside(at->block, path->function, code->inst))
        return;
    at->declined = tom_block_declined(r->table, at->declined, path->function, code->inst);
    if (!r->begins)
        find_begins(r, warp->program);
    if (at->block)
        end_instance(r, at);
    uint32_t begin = r->begins[code - warp->program->codes.v];
    at->block = begin ? begin_block(r, at, warp, path->mask, begin - 1) : NULL;
}

static void note_range(struct tom_rehearsal *r, const struct image *image, uint64_t address)
{
    struct tom_range *range = tom_range_at(&r->allocations, address);
    if (!range)
        range = tom_range_add(&r->allocations, r->arena, image, address);
    range->uses++;
    range->candidate = true;
}

// Records the lines of an access. A line of neighbouring lanes counts once.
static void accessed(void *context, const struct warp *warp, const struct access *access,
                     uint32_t lanes)
{
    struct tom_rehearsal *r = context;
    struct tom_rehearsed *at = instance_of(r, warp);
    uint64_t previous = UINT64_MAX;
    for (uint32_t rest = at->block ? lanes : 0; rest; rest &= rest - 1) {
        uint64_t address = access->address[__builtin_ctz(rest)];
        uint64_t last = (address + access->bytes - 1) / LINE_BYTES;
        for (uint64_t line = address / LINE_BYTES; line <= last; line++) {
            if (line == previous)
                continue;
            previous = line;
            map_note(&r->map, &at->map, line * LINE_BYTES, 0);
            note_range(r, warp->cta->launch->image, address);
        }
    }
}

void tom_rehearse(struct tom_rehearsal *r, struct arena *arena, const struct tom_table *table)
{
    *r = (struct tom_rehearsal){
        .watch = {.context = r, .before = before, .accessed = accessed},
        .arena = arena,
        .table = table,
    };
}

void tom_rehearse_end(struct tom_rehearsal *r)
{
    for (uint32_t i = 0; i < r->size; i++)
        end_instance(r, &r->warps[i]);
}

const struct map_stats *tom_rehearsed_first(const struct tom_rehearsal *r, uint64_t instances)
{
    for (uint32_t i = 0; i < r->stages.n; i++)
        if (r->stages.v[i].instances >= instances)
            return &r->stages.v[i];
    return &r->map;
}
