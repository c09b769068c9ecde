#include "runtime-sim/schemes/stacks/stacks.h"
#include <string.h>

// Page tables are above all allocations. An entry has 8 bytes, and a table has 512 entries.
#define TABLES_FIRST (UINT64_C(1) << 52)
enum { TABLE_ENTRY_BYTES = 8, TABLE_BITS = 9, LEVEL_BIT = 48 };

void tlb_init(struct tlb *tlb, struct arena *arena, uint32_t entries, uint32_t page_bytes,
              uint32_t levels)
{
    *tlb = (struct tlb){.page_bytes = page_bytes, .count = entries, .levels = levels};
    tlb->entries = ARENA_ARRAY(arena, struct tlb_entry, entries);
    for (uint32_t i = 0; i < tlb->count; i++)
        tlb->entries[i].page = UINT64_MAX;
}

bool tlb_has(struct tlb *tlb, uint64_t page)
{
    for (uint32_t i = 0; i < tlb->count; i++)
        if (tlb->entries[i].page == page) {
            tlb->entries[i].used = ++tlb->uses;
            return true;
        }
    return false;
}

uint32_t tlb_walk_of(const struct tlb *tlb, uint64_t page)
{
    for (uint32_t i = 0; i < tlb->walk_count; i++)
        if (tlb->walks[i].active && tlb->walks[i].page == page)
            return i;
    return TLB_NONE;
}

static uint32_t free_walk(struct tlb *tlb, struct arena *arena)
{
    uint32_t old = tlb->walk_count;
    for (uint32_t i = 0; i < old; i++)
        if (!tlb->walks[i].active)
            return i;
    tlb->walk_count = old ? 2 * old : 8;
    tlb->walks = arena_grow(arena, tlb->walks, old * sizeof *tlb->walks,
                            tlb->walk_count * sizeof *tlb->walks);
    memset(tlb->walks + old, 0, (tlb->walk_count - old) * sizeof *tlb->walks);
    return old;
}

uint32_t tlb_begin(struct tlb *tlb, struct arena *arena, uint64_t page)
{
    uint32_t walk = free_walk(tlb, arena);
    tlb->walks[walk] =
        (struct tlb_walk){.page = page, .first = TLB_NONE, .last = TLB_NONE, .active = true};
    return walk;
}

// The table that a walk reads last has an entry for each page, the previous one for 512 pages, and
// so on.
uint64_t tlb_table(const struct tlb *tlb, uint32_t walk)
{
    const struct tlb_walk *at = &tlb->walks[walk];
    uint64_t above = tlb->levels - 1 - at->level;
    uint64_t entry = above * TABLE_BITS < 64 ? at->page >> above * TABLE_BITS : 0;
    return TABLES_FIRST + ((uint64_t)at->level << LEVEL_BIT) + entry * TABLE_ENTRY_BYTES;
}

static void fill(struct tlb *tlb, uint64_t page)
{
    uint32_t oldest = 0;
    for (uint32_t i = 1; i < tlb->count; i++)
        if (tlb->entries[i].used < tlb->entries[oldest].used)
            oldest = i;
    tlb->entries[oldest] = (struct tlb_entry){page, ++tlb->uses};
}

bool tlb_step(struct tlb *tlb, uint32_t walk)
{
    struct tlb_walk *at = &tlb->walks[walk];
    if (++at->level < tlb->levels)
        return true;
    fill(tlb, at->page);
    at->active = false;
    return false;
}
