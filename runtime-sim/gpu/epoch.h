// The accesses of a CTA, in epochs. An instruction may have to wait for accesses of other warps
// that a synchronisation within the CTA orders before it.
//
// A warp that arrives at a barrier, or issues a fence or a release, marks all accesses that the CTA
// has issued until then, and a new epoch begins for those behind. What waits, waits for the epochs
// that were marked when it began to, so that it waits for nothing that is issued later for ever.
// Accesses of two epochs are told apart: a new one begins only when the one before the current is
// over.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct core;

enum { EPOCH_WORDS = 4 }; // of a set of slots

struct epochs {
    uint32_t now, marked; // numbers: of the current one, and of the last that was marked
    // Not over, by the parity of the epoch in which they were issued: instructions, and of stores
    // the lines that were not acknowledged.
    uint32_t accesses[2], stores[2];
    uint64_t waiting[EPOCH_WORDS]; // slots
    bool waits;                    // there is one
};

void epoch_init(struct epochs *epochs);
// An entry of the load/store unit is in use, and is over.
void epoch_take(struct core *core, uint32_t entry);
void epoch_free(struct core *core, uint64_t now, uint32_t entry);
// A line that an entry stores to is on its way, and was acknowledged to a slot.
void epoch_store(struct core *core, uint32_t entry);
void epoch_stored(struct core *core, uint64_t now, uint32_t slot, uint32_t epoch);
// The slot's warp synchronises with others of its CTA.
void epoch_mark(struct core *core, uint32_t slot);
// True if accesses of the CTA that were marked when the slot first asked, on behalf of what it
// issues next, are not over; `stores`: or not acknowledged. The slot is looked at when they are.
bool epoch_holds(struct core *core, uint32_t slot, bool stores);
