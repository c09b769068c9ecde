#include "frontend/fatbin.h"
#include <inttypes.h>
#include <string.h>

enum { VERSION = 1, ENTRY_VERSION = 0x0101 };

static uint64_t number(const char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes; i-- > 0;)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

static uint16_t u16(const char *at)
{
    return (uint16_t)number(at, 2);
}

static uint32_t u32(const char *at)
{
    return (uint32_t)number(at, 4);
}

static uint64_t u64(const char *at)
{
    return number(at, 8);
}

const char *fatbin_read(struct fatbin *fatbin, struct arena *arena, const char *bytes, uint64_t at,
                        uint64_t limit)
{
    uint64_t left = limit - at;
    *fatbin = (struct fatbin){.begin = at};
    if (left < FATBIN_HEADER_SIZE)
        return arena_printf(arena, "the file ends in the fatbin's header, after %" PRIu64 " bytes",
                            left);
    const char *header = bytes + at;
    uint16_t version = u16(header + 4), header_size = u16(header + 6);
    uint64_t size = u64(header + 8);
    if (memcmp(header, FATBIN_MAGIC, FATBIN_MAGIC_SIZE))
        return arena_printf(arena, "this is not a fatbin: it must begin with 0xba55ed50");
    if (version != VERSION)
        return arena_printf(arena, "fatbins of version %u are not supported", version);
    if (header_size < FATBIN_HEADER_SIZE || header_size > left)
        return arena_printf(arena, "the fatbin's header cannot have %u bytes", header_size);
    if (size > left - header_size)
        return arena_printf(arena, "the fatbin claims %" PRIu64 " bytes; there are %" PRIu64, size,
                            left - header_size);
    fatbin->entries = at + header_size;
    fatbin->end = fatbin->entries + size;
    return NULL;
}

static void decode_entry(struct fatbin_entry *entry, const char *at)
{
    *entry = (struct fatbin_entry){
        .kind = u16(at),
        .version = u16(at + 2),
        .header_size = u32(at + 4),
        .payload_size = u64(at + 8),
        .packed_size = u32(at + 16),
        .options = u32(at + 20),
        .minor = u16(at + 24),
        .major = u16(at + 26),
        .arch = u32(at + 28),
        .name = u32(at + 32),
        .name_size = u32(at + 36),
        .flags = u64(at + 40),
        .key = u64(at + 48),
        .unpacked_size = u64(at + 56),
    };
}

static bool lies_within(uint64_t begin, uint64_t size, uint64_t limit)
{
    return begin <= limit && size <= limit - begin;
}

static const char *find_options(struct fatbin_entry *entry, struct arena *arena, const char *bytes)
{
    if (!entry->options)
        return NULL;
    if (!lies_within(entry->options, 8, entry->header_size))
        return arena_printf(arena, "the entry's options, at %u, lie outside its header of %u bytes",
                            entry->options, entry->header_size);
    const char *at = bytes + entry->begin + entry->options;
    uint32_t begin = u32(at), size = u32(at + 4);
    if (size && !lies_within(begin, size, entry->header_size))
        return arena_printf(
            arena, "the entry's options, %u bytes at %u, lie outside its header of %u bytes", size,
            begin, entry->header_size);
    if (entry->flags & FATBIN_BINARY_OPTIONS)
        return NULL;
    entry->options_begin = entry->begin + begin;
    entry->options_size = size;
    return NULL;
}

// Checks an entry. `left` bytes remain from the entry's beginning on.
static const char *check_entry(const struct fatbin_entry *entry, struct arena *arena, uint64_t left)
{
    if (entry->version != ENTRY_VERSION)
        return arena_printf(arena, "fatbin entries of version 0x%04x are not supported",
                            entry->version);
    if (entry->header_size < FATBIN_ENTRY_SIZE || entry->header_size > left)
        return arena_printf(arena, "the entry's header cannot have %u bytes: %" PRIu64 " are left",
                            entry->header_size, left);
    if (entry->payload_size > left - entry->header_size)
        return arena_printf(
            arena, "the entry claims %" PRIu64 " bytes; %" PRIu64 " are left in the fatbin",
            entry->payload_size, left - entry->header_size);
    if (entry->packed_size > entry->payload_size)
        return arena_printf(arena, "the entry claims %u packed bytes in a payload of %" PRIu64,
                            entry->packed_size, entry->payload_size);
    if (entry->name_size && !lies_within(entry->name, entry->name_size, entry->header_size))
        return arena_printf(
            arena, "the entry's identifier, %u bytes at %u, lies outside its header of %u bytes",
            entry->name_size, entry->name, entry->header_size);
    return NULL;
}

const char *fatbin_read_entry(struct fatbin_entry *entry, struct arena *arena, const char *bytes,
                              uint64_t at, uint64_t limit)
{
    uint64_t left = limit - at;
    if (left < FATBIN_ENTRY_SIZE)
        return arena_printf(arena, "the fatbin ends in an entry's header, after %" PRIu64 " bytes",
                            left);
    decode_entry(entry, bytes + at);
    const char *fault = check_entry(entry, arena, left);
    if (fault)
        return fault;
    entry->begin = at;
    entry->payload = at + entry->header_size;
    entry->end = entry->payload + entry->payload_size;
    return find_options(entry, arena, bytes);
}

bool fatbin_is_at(const char *bytes, uint64_t at, uint64_t limit)
{
    uint64_t left = limit - at;
    if (left < FATBIN_HEADER_SIZE || memcmp(bytes + at, FATBIN_MAGIC, FATBIN_MAGIC_SIZE))
        return false;
    uint64_t header_size = u16(bytes + at + 6), size = u64(bytes + at + 8);
    if (u16(bytes + at + 4) != VERSION || header_size < FATBIN_HEADER_SIZE || header_size > left ||
        size > left - header_size)
        return false;
    if (!size)
        return true;
    struct fatbin_entry entry;
    if (size < FATBIN_ENTRY_SIZE)
        return false;
    decode_entry(&entry, bytes + at + header_size);
    return entry.version == ENTRY_VERSION && entry.header_size >= FATBIN_ENTRY_SIZE &&
           lies_within(entry.header_size, entry.payload_size, size);
}
