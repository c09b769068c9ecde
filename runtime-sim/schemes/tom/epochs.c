#include "runtime-sim/schemes/tom/epochs.h"

enum { ENTRIES_OF_LINE = 4 };

static struct tom_fetch *entry_of(const struct tom_epochs *epochs, uint64_t line)
{
    uint64_t hash = line * UINT64_C(0x9e3779b97f4a7c15) >> 32;
    return &epochs->fetches[hash & (epochs->size - 1)];
}

void tom_epochs_init(struct tom_epochs *epochs, struct arena *arena, uint64_t lines, uint32_t slots)
{
    epochs->size = 1;
    while (epochs->size < lines * ENTRIES_OF_LINE)
        epochs->size *= 2;
    epochs->fetches = ARENA_ARRAY(arena, struct tom_fetch, epochs->size);
    epochs->began = ARENA_ARRAY(arena, uint64_t, slots);
}

void tom_epochs_fetch(struct tom_epochs *epochs, uint64_t line, uint64_t cycle)
{
    *entry_of(epochs, line) = (struct tom_fetch){line, cycle};
}

bool tom_epochs_is_old(const struct tom_epochs *epochs, uint64_t line, uint32_t slot)
{
    const struct tom_fetch *fetch = entry_of(epochs, line);
    return fetch->line != line || fetch->cycle < epochs->began[slot];
}
