// Epochs of a CTA's accesses. An instruction may have to wait for accesses of other warps that a
// synchronisation within the CTA orders before it.
//
// When a warp arrives at a barrier, or issues a fence or a release, it marks all accesses that the
// CTA has issued so far; later accesses belong to a new epoch. An instruction waits for the epochs
// that were marked when its wait began, so it never waits for later accesses. Only two epochs are
// distinguished: a new one starts only when the one before the current epoch is over.
#pragma once
#include <stdbool.h>
#include <stdint.h>

struct core;

enum { EPOCH_WORDS = 4 }; // words of a set of slots

struct epochs {
    uint32_t now, marked; // numbers of the current epoch and of the last marked one
    // Pending instructions, and lines of stores without an acknowledgement, by the parity of the
    // epoch in which they were issued.
    uint32_t accesses[2], stores[2];
    uint64_t waiting[EPOCH_WORDS]; // set of waiting slots
    bool waits;                    // `waiting` is not empty
};

// Initialises the epochs of a CTA.
void epoch_init(struct epochs *epochs);
// Called when an entry of the load/store unit is accepted, and when it is over.
void epoch_enter(struct core *core, uint32_t entry);
void epoch_free(struct core *core, uint64_t now, uint32_t entry);
// Called when an entry sends a line of a store, and when a store of a slot was acknowledged.
void epoch_store(struct core *core, uint32_t entry);
void epoch_stored(struct core *core, uint64_t now, uint32_t slot, uint32_t epoch);
// Called when the slot's warp synchronises with other warps of its CTA.
void epoch_mark(struct core *core, uint32_t slot);
// Returns true if accesses of the CTA that were marked when the slot first called this for its next
// instruction are pending or, with `stores`, not acknowledged. The slot is evaluated again when
// they are complete.
bool epoch_holds(struct core *core, uint32_t slot, bool stores);
