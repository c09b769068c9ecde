// Write-back and invalidation of a range of lines.
#include "runtime-sim/cache/cache_lines.h"
#include "runtime-sim/cache/cache_ports.h"
#include <assert.h>

void cache_flush(struct cache *c, uint64_t now, uint64_t first, uint64_t last, bool drop)
{
    assert(!c->flush.active);
    c->flush = (struct cache_flush){.active = true, .drop = drop, .first = first, .last = last};
    cache_wake_at(c, now);
}

void cache_flush_one(struct cache *c, uint64_t now, struct waits *waits)
{
    struct cache_flush *flush = &c->flush;
    uint32_t places = c->config->sets * c->config->ways;
    bool sent = false;
    if (c->free_count < cache_mshrs(c->config))
        return;
    for (; flush->at < places; flush->at++) {
        uint64_t line = c->line[flush->at];
        if (line == NO_LINE || line < flush->first || line > flush->last)
            continue;
        if (c->is_dirty[flush->at]) {
            if (sent || cache_lacks_room(c, 1))
                break;
            cache_write_back(c, flush->at, now);
            c->dirty[flush->at] = (struct mask){{0}};
            c->is_dirty[flush->at] = false;
            sent = true;
        }
        if (flush->drop)
            cache_clear(c, flush->at);
    }
    flush->active = flush->at < places;
    waits->done |= sent || !flush->active;
}
