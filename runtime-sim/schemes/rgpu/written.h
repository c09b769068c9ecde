// Words of global memory that were written in this launch. Waiting loads wait for them under
// spatial.wait: full.
#pragma once
#include "runtime-sim/cache/mask.h"
#include "support/vec.h"

enum { WRITTEN_WORDS = 1024 }; // words of a page

struct written_page {
    uint64_t page;
    uint64_t bits[WRITTEN_WORDS / 64];
};

struct spatial_written {
    struct arena *arena;
    VEC(struct written_page *) pages; // hash table with open addressing, by page
    uint32_t used;
};

// Initialises an empty set.
void written_init(struct spatial_written *written, struct arena *arena);
// Empties the set. Its memory is kept.
void written_reset(struct spatial_written *written);
// Adds the words of these bytes of the line at `address`.
void written_mark(struct spatial_written *written, uint64_t address, struct mask bytes,
                  uint32_t line_bytes);
// Returns true if the word that contains the address was written.
bool written_has(const struct spatial_written *written, uint64_t address);
// Returns which of the 32 words from an address on were written, as a set.
uint32_t written_words(const struct spatial_written *written, uint64_t address);
