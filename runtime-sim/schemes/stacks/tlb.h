// Address translation of the SM in a stack [002 §4.4.1]: a TLB behind its L1, and walks through
// page tables, which are in the memory of all stacks.
//
// Pages of the tables are read one after the other, each for one level. Requests wait until the
// walk for their page has ended. Page tables do not change, so there are no shootdowns.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { TLB_NONE = UINT32_MAX };

struct tlb_entry {
    uint64_t page; // UINT64_MAX: free
    uint64_t used;
};

// A walk, and the requests that wait for it: a list by the owner's numbers.
struct tlb_walk {
    uint64_t page;
    uint32_t level; // that is read; reads of the walk are of levels 0, 1, …
    uint32_t first, last;
    bool active;
};

struct tlb {
    uint64_t page_bytes;
    struct tlb_entry *entries;
    uint32_t count, levels; // entries; reads of a walk
    uint64_t uses;
    struct tlb_walk *walks;
    uint32_t walk_count;
};

// Without entries there is no translation.
void tlb_init(struct tlb *tlb, struct arena *arena, uint32_t entries, uint32_t page_bytes,
              uint32_t levels);
static inline uint64_t tlb_page(const struct tlb *tlb, uint64_t address)
{
    return address / tlb->page_bytes;
}
// Returns true if the TLB has the page, which is then its last one in use.
bool tlb_has(struct tlb *tlb, uint64_t page);
// Returns the walk for a page, or TLB_NONE.
uint32_t tlb_walk_of(const struct tlb *tlb, uint64_t page);
// Begins one with its first read.
uint32_t tlb_begin(struct tlb *tlb, struct arena *arena, uint64_t page);
// Returns the address of the entry of the page tables that a walk reads.
uint64_t tlb_table(const struct tlb *tlb, uint32_t walk);
// A read of the walk has ended. Returns true if another one follows. Else the TLB has the page, and
// the walk is over.
bool tlb_step(struct tlb *tlb, uint32_t walk);
