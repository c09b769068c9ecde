// Address translation of the SM in a stack [002 §4.4.1]: a TLB after its L1, and walks through page
// tables, which are distributed over the memory of all stacks.
//
// A walk reads one table per level, one after the other. Requests wait until the walk for their
// page has ended. Page tables do not change, so there are no shootdowns.
#pragma once
#include "support/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum { TLB_NONE = UINT32_MAX };

struct tlb_entry {
    uint64_t page; // UINT64_MAX: free
    uint64_t used;
};

// A walk, and the list of requests that wait for it.
struct tlb_walk {
    uint64_t page;
    uint32_t level;       // level that is being read: 0, 1, …
    uint32_t first, last; // requests, by the owner's numbers
    bool active;
};

struct tlb {
    uint64_t page_bytes;
    struct tlb_entry *entries;
    uint32_t count, levels; // number of entries; reads per walk
    uint64_t uses;
    struct tlb_walk *walks;
    uint32_t walk_count;
};

// Initialises an empty TLB. Other functions require at least one entry.
void tlb_init(struct tlb *tlb, struct arena *arena, uint32_t entries, uint32_t page_bytes,
              uint32_t levels);
// Returns the page of an address.
static inline uint64_t tlb_page(const struct tlb *tlb, uint64_t address)
{
    return address / tlb->page_bytes;
}
// Returns true if the TLB has the page, which becomes the most recently used.
bool tlb_has(struct tlb *tlb, uint64_t page);
// Returns the walk for a page, or TLB_NONE.
uint32_t tlb_walk_of(const struct tlb *tlb, uint64_t page);
// Begins a walk at its first read. Returns its number.
uint32_t tlb_begin(struct tlb *tlb, struct arena *arena, uint64_t page);
// Returns the address of the page table entry that a walk reads.
uint64_t tlb_table(const struct tlb *tlb, uint32_t walk);
// Ends a read of the walk. Returns true if another one follows. Otherwise the walk has ended, and
// the TLB has the page.
bool tlb_step(struct tlb *tlb, uint32_t walk);
