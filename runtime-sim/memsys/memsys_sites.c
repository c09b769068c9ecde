// Counts of requests by the instruction that caused them.
#include "runtime-sim/memsys/memsys_state.h"

const struct stat_key memsys_site_keys[] = {
#define STATS_DEF "runtime-sim/memsys/memsys_site.def"
#define STATS_OF struct memsys_site
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t memsys_site_key_count = ARRAY_LENGTH(memsys_site_keys);

void memsys_count_access(struct memsys *m, uint32_t site, uint8_t kind, uint8_t from)
{
    struct memsys_site *at = &m->tables.sites->list[site];
    bool write = kind == CACHE_WRITE;
    at->llc_reads += !write;
    at->llc_read_hits += !write && from == CACHE_HIT;
    at->llc_writes += write;
    at->llc_write_hits += write && from != CACHE_FETCHED;
}

static void count_memory(struct memsys *m, uint32_t site, uint32_t accesses, bool write)
{
    struct memsys_site *at = &m->tables.sites->list[site];
    *(write ? &at->dram_writes : &at->dram_reads) += accesses;
}

// A piece that no request waits for belongs to no instruction.
void memsys_count_piece(struct memsys *m, const struct memsys_piece *piece)
{
    uint32_t size = m->config->dram.request_bytes, line = m->config->llc.line_bytes, accesses = 0;
    for (uint32_t at = 0; at < line; at += size)
        accesses +=
            mask_intersects(mask_range(at, at + size < line ? at + size : line), piece->bytes);
    count_memory(m, piece->entry == MEMSYS_NONE ? 0 : m->pool.entries[piece->entry].request.site,
                 accesses, piece->write);
}

void memsys_count_past(struct memsys *m, const struct memsys_request *request, uint32_t accesses,
                       bool write)
{
    if (m->tables.sites)
        count_memory(m, request->site, accesses, write);
}
