// Reads a checkpoint. Returns it, or why the bytes are not a complete one.
#include "runtime-sim/run/checkpoint_file.h"
#include "runtime-sim/run/json_line.h"
#include <string.h>

#define BEGIN "{\"format\": \"" CHECKPOINT_FORMAT "\""

static const char damaged[] = "it is damaged or truncated";

// The version is checked first: the other fields depend on it.
static const char *check_version(struct arena *arena, const char *bytes, size_t length)
{
    static const struct record_field rows[] = {{.key = "version", .kind = FIELD_UINT}, {0}};
    uint32_t version = 0;
    if (!json_line_read(&version, rows, arena, bytes, length))
        return damaged;
    if (version == CHECKPOINT_VERSION)
        return NULL;
    return arena_printf(arena, "it has format version %u, but this program reads version %d",
                        version, CHECKPOINT_VERSION);
}

static bool has_its_digest(const char *bytes, size_t size)
{
    char digest[SHA256_HEX + 1];
    if (size < CHECKPOINT_END)
        return false;
    tables_digest(digest, bytes, size - CHECKPOINT_END);
    return !memcmp(bytes + size - CHECKPOINT_END, digest, SHA256_HEX) && bytes[size - 1] == '\n';
}

// Returns false if the allocations are not in increasing order. *bytes is the size of the live
// ones, whose contents are in the file.
static bool add_up(const struct checkpoint *c, uint64_t *bytes)
{
    uint64_t end = 0;
    *bytes = 0;
    for (uint32_t i = 0; i < c->allocations.n; i++) {
        const struct checkpoint_allocation *at = &c->allocations.v[i];
        if (at->address < end || at->bytes > INT64_MAX - at->address)
            return false;
        end = at->address + at->bytes;
        *bytes += at->freed ? 0 : at->bytes;
    }
    return c->next >= end;
}

static bool is_whole(struct checkpoint *c, const char *behind, size_t size)
{
    uint64_t memory, sums = checkpoint_sums(c);
    if (!add_up(c, &memory) || memory > size)
        return false;
    size -= memory;
    // Dividing avoids an overflow: the numbers are not trusted.
    if (c->values > size / sizeof(uint64_t) || (c->values && sums > size / c->values) ||
        sums * c->values * sizeof(uint64_t) != size)
        return false;
    c->sums = behind;
    c->memory = behind + size;
    return true;
}

const char *checkpoint_read(struct checkpoint **checkpoint, struct arena *arena, const char *bytes,
                            size_t size)
{
    struct checkpoint *c = *checkpoint = ARENA_NEW(arena, struct checkpoint);
    if (size < strlen(BEGIN) || memcmp(bytes, BEGIN, strlen(BEGIN)))
        return "it is not a checkpoint";
    const char *end = memchr(bytes, '\n', size);
    if (!end)
        return damaged;
    size_t length = (size_t)(end - bytes) + 1;
    const char *wrong = check_version(arena, bytes, length);
    if (wrong)
        return wrong;
    c->arena = arena;
    bool good = size - length >= CHECKPOINT_END && has_its_digest(bytes, size) &&
                json_line_read(c, checkpoint_rows, arena, bytes, length) &&
                is_whole(c, end + 1, size - length - CHECKPOINT_END);
    return good ? NULL : damaged;
}
