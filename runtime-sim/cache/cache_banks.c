// Banks that interleave the bytes of a line: part p of line l, of bank_bytes bytes, is in bank
// (l · parts + p) mod banks.
#include "runtime-sim/cache/cache_ports.h"

// A part of a line, and its bank.
struct bank_part {
    uint32_t number, bank;
    uint32_t bytes; // of the set that is looked at
};

// Finds the next part with one of the bytes. Returns false after the last.
static bool next_part(const struct cache *c, uint64_t line, struct mask bytes,
                      struct bank_part *part)
{
    uint32_t size = c->config->bank_bytes, parts = c->config->line_bytes / size;
    for (; part->number < parts; part->number++) {
        struct mask whole = mask_range(part->number * size, (part->number + 1) * size);
        struct mask outside = mask_without(bytes, whole);
        part->bytes = mask_count(mask_without(bytes, outside));
        if (!part->bytes)
            continue;
        part->bank = (uint32_t)((line * parts + part->number++) % c->config->banks);
        return true;
    }
    return false;
}

uint64_t cache_banks_free(const struct cache *c, uint64_t line, struct mask bytes)
{
    uint64_t free = 0;
    for (struct bank_part part = {0}; next_part(c, line, bytes, &part);)
        free = larger(free, c->bank_free[part.bank]);
    return free;
}

void cache_keep_banks(struct cache *c, uint64_t line, struct mask bytes, uint64_t until)
{
    for (struct bank_part part = {0}; next_part(c, line, bytes, &part);)
        c->bank_free[part.bank] = larger(c->bank_free[part.bank], until);
}

uint64_t cache_move_interleaved(struct cache *c, uint64_t line, uint64_t now, struct mask bytes)
{
    uint64_t last = now;
    for (struct bank_part part = {0}; next_part(c, line, bytes, &part);) {
        uint64_t clocks = divide_up(part.bytes, c->config->port_bytes);
        c->bank_free[part.bank] = larger(c->bank_free[part.bank], now) + clocks;
        c->stats.port_clocks += clocks;
        last = larger(last, c->bank_free[part.bank]);
    }
    return last - now;
}
