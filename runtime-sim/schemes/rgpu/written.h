// The words of global memory that were written in this launch: the condition of waiting loads in
// their sound form.
#pragma once
#include "runtime-sim/cache/mask.h"
#include "support/vec.h"

enum { WRITTEN_WORDS = 1024 }; // of a page

struct written_page {
    uint64_t page;
    uint64_t bits[WRITTEN_WORDS / 64];
};

struct spatial_written {
    struct arena *arena;
    VEC(struct written_page *) pages; // open addressing, by page
    uint32_t used;
};

void written_init(struct spatial_written *written, struct arena *arena);
// Nothing was written. The memory is kept.
void written_reset(struct spatial_written *written);
// Bytes of a line, whose address is line · line_bytes, were written.
void written_mark(struct spatial_written *written, uint64_t address, struct mask bytes,
                  uint32_t line_bytes);
bool written_has(const struct spatial_written *written, uint64_t address);
// Returns the set of the written words of the 32 from an address on.
uint32_t written_words(const struct spatial_written *written, uint64_t address);
