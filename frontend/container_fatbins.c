// Adds the entries of fatbins to the list of modules.
#include "frontend/container_internal.h"
#include "frontend/fatbin.h"
#include <inttypes.h>
#include <string.h>

static const struct {
    uint16_t fatbin;
    uint8_t module;
} kinds[] = {
    {FATBIN_PTX, MODULE_PTX},
    {FATBIN_RELOC, MODULE_PTX},
    {FATBIN_CUBIN, MODULE_CUBIN},
    {FATBIN_LTO_IR, MODULE_LTO_IR},
};

static const struct {
    uint64_t flag;
    uint8_t packing;
} packings[] = {
    {FATBIN_PACKED_ZSTD, PACKING_ZSTD},
    {FATBIN_PACKED_LZ4, PACKING_LZ4},
    {FATBIN_PACKED_OLD, PACKING_OLD},
};

static uint8_t kind_of(const struct fatbin_entry *entry)
{
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (kinds[i].fatbin == entry->kind)
            return kinds[i].module;
    return MODULE_OTHER;
}

static uint8_t packing_of(const struct fatbin_entry *entry)
{
    for (size_t i = 0; i < ARRAY_LENGTH(packings); i++)
        if (entry->flags & packings[i].flag)
            return packings[i].packing;
    return PACKING_NONE;
}

static const char *text_of(const struct container *container, uint64_t begin, uint64_t size)
{
    return size ? container_printable(container, container->bytes + begin, size) : NULL;
}

// Returns the payload's size without the zeros that pad a text up to the next entry.
static uint64_t payload_size(const struct container *container, const struct fatbin_entry *entry,
                             bool is_packed)
{
    if (is_packed)
        return entry->packed_size;
    uint64_t size = entry->payload_size;
    if (entry->kind == FATBIN_PTX || entry->kind == FATBIN_RELOC)
        while (size && !container->bytes[entry->payload + size - 1])
            size--;
    return size;
}

static void add_entry(struct container *container, struct container_location place,
                      const struct fatbin_entry *entry)
{
    uint8_t kind = kind_of(entry), packing = packing_of(entry);
    bool is_packed = packing != PACKING_NONE, is_versioned = kind != MODULE_CUBIN;
    uint64_t size = payload_size(container, entry, is_packed);
    struct container_module module = {
        .kind = kind,
        .packing = packing,
        .suffix = entry->flags & FATBIN_ARCH_SPECIFIC     ? 'a'
                  : entry->flags & FATBIN_FAMILY_SPECIFIC ? 'f'
                                                          : 0,
        .is_debug = entry->flags & FATBIN_DEBUG,
        .arch = entry->arch,
        .major = is_versioned ? entry->major : 0,
        .minor = is_versioned ? entry->minor : 0,
        .fatbin_kind = entry->kind,
        .fatbin_flags = entry->flags,
        .member = place.member,
        .section = place.section,
        .offset = entry->begin,
        .payload = entry->payload,
        .payload_size = size,
        .size = is_packed ? entry->unpacked_size : size,
        .identifier = text_of(container, entry->begin + entry->name, entry->name_size),
        .options = text_of(container, entry->options_begin, entry->options_size),
    };
    vec_push(container->arena, &container->modules, module);
}

// Reads one fatbin. Returns its end, or `at` if its header is invalid.
static uint64_t read_fatbin(struct container *container, struct container_location place,
                            uint64_t at, uint64_t limit)
{
    struct fatbin fatbin;
    struct fatbin_entry entry;
    const char *fault = fatbin_read(&fatbin, container->arena, container->bytes, at, limit);
    if (fault) {
        container_fault(container, place, at, "%s", fault);
        return at;
    }
    for (uint64_t next = fatbin.entries; next < fatbin.end; next = entry.end) {
        fault = fatbin_read_entry(&entry, container->arena, container->bytes, next, fatbin.end);
        if (fault) {
            container_fault(container, place, next, "%s", fault);
            break;
        }
        add_entry(container, place, &entry);
    }
    return fatbin.end;
}

// Returns the start of the next fatbin, or `end`.
static uint64_t find_fatbin(const struct container *container, uint64_t at, uint64_t end)
{
    while (at < end) {
        const char *found =
            memmem(container->bytes + at, end - at, FATBIN_MAGIC, FATBIN_MAGIC_SIZE);
        if (!found)
            return end;
        at = (uint64_t)(found - container->bytes);
        if (fatbin_is_at(container->bytes, at, end))
            return at;
        at++;
    }
    return end;
}

static uint64_t skip_zeros(const struct container *container, uint64_t at, uint64_t end)
{
    while (at < end && !container->bytes[at])
        at++;
    return at;
}

void container_search_fatbins(struct container *container, struct container_location place,
                              uint64_t begin, uint64_t end)
{
    for (uint64_t at = find_fatbin(container, begin, end); at < end;
         at = find_fatbin(container, at, end))
        at = read_fatbin(container, place, at, end);
}

void container_read_fatbins(struct container *container, struct container_location place,
                            uint64_t begin, uint64_t end)
{
    for (uint64_t at = skip_zeros(container, begin, end); at < end;
         at = skip_zeros(container, at, end)) {
        uint64_t next = read_fatbin(container, place, at, end);
        // Data outside fatbins extends to the next fatbin.
        at = next > at ? next : find_fatbin(container, at + 1, end);
    }
}
