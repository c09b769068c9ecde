#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

enum { PAGE_BYTES = WRITTEN_WORDS * 4 };

void written_init(struct spatial_written *written, struct arena *arena)
{
    *written = (struct spatial_written){.arena = arena};
}

void written_reset(struct spatial_written *written)
{
    for (uint32_t i = 0; i < written->pages.n; i++)
        if (written->pages.v[i])
            memset(written->pages.v[i]->bits, 0, sizeof written->pages.v[i]->bits);
}

// Returns the index of a page in the table, or of the free entry that it would get.
static uint32_t page_index(const struct spatial_written *written, uint64_t page)
{
    uint32_t mask = written->pages.n - 1;
    uint32_t at = (uint32_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 40) & mask;
    while (written->pages.v[at] && written->pages.v[at]->page != page)
        at = (at + 1) & mask;
    return at;
}

static void grow(struct spatial_written *written)
{
    uint32_t before = written->pages.n, size = before ? before * 2 : 64;
    struct written_page **old = written->pages.v;
    written->pages.v = ARENA_ARRAY(written->arena, struct written_page *, size);
    written->pages.n = size;
    for (uint32_t i = 0; i < before; i++)
        if (old[i])
            written->pages.v[page_index(written, old[i]->page)] = old[i];
}

static struct written_page *page_at(struct spatial_written *written, uint64_t page)
{
    if (written->used * 2 >= written->pages.n)
        grow(written);
    uint32_t at = page_index(written, page);
    if (!written->pages.v[at]) {
        written->pages.v[at] = ARENA_NEW(written->arena, struct written_page);
        written->pages.v[at]->page = page;
        written->used++;
    }
    return written->pages.v[at];
}

void written_mark(struct spatial_written *written, uint64_t address, struct mask bytes,
                  uint32_t line_bytes)
{
    struct written_page *page = page_at(written, address / PAGE_BYTES);
    uint32_t first = (uint32_t)(address % PAGE_BYTES) / 4;
    for (uint32_t i = 0; i < line_bytes / 4; i++)
        if (mask_intersects(bytes, mask_range(i * 4, i * 4 + 4)))
            page->bits[(first + i) / 64] |= UINT64_C(1) << (first + i) % 64;
}

bool written_has(const struct spatial_written *written, uint64_t address)
{
    return written_words(written, address & ~UINT64_C(3)) & 1;
}

uint32_t written_words(const struct spatial_written *written, uint64_t address)
{
    const struct written_page *page =
        written->pages.n ? written->pages.v[page_index(written, address / PAGE_BYTES)] : NULL;
    uint32_t first = (uint32_t)(address % PAGE_BYTES) / 4, words = 0;
    for (uint32_t i = 0; page && i < 32 && first + i < WRITTEN_WORDS; i++)
        words |= (uint32_t)(page->bits[(first + i) / 64] >> (first + i) % 64 & 1) << i;
    return words;
}
