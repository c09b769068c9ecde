#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

void plane_add(struct image *image, uint64_t address, bool full)
{
    struct allocation *at = &image->list.v[image_find(image, address)];
    uint64_t lines = (at->bytes + PLANE_LINE - 1) / PLANE_LINE;
    struct plane *plane = at->plane = ARENA_NEW(image->arena, struct plane);
    plane->exists = ARENA_ARRAY(image->arena, uint32_t, lines);
    plane->full = ARENA_ARRAY(image->arena, uint32_t, lines);
    plane->filled = ARENA_ARRAY(image->arena, uint8_t, lines * PLANE_WORDS);
    plane->read = ARENA_ARRAY(image->arena, uint8_t, lines * PLANE_WORDS);
    for (uint64_t i = 0; i < lines; i++) {
        uint64_t left = at->bytes - i * PLANE_LINE;
        plane->exists[i] = plane_words(0, left < PLANE_LINE ? left : PLANE_LINE);
        plane->full[i] = full ? plane->exists[i] : 0;
    }
    image->has_planes = true;
    image->round += !image->round;
}

struct plane_line plane_find(const struct image *image, uint64_t address)
{
    uint32_t found = image->has_planes ? image_find(image, address) : UINT32_MAX;
    if (found == UINT32_MAX)
        return (struct plane_line){NULL, 0};
    const struct allocation *at = &image->list.v[found];
    uint64_t offset = address - at->address;
    if (offset >= at->bytes || at->state != ALLOCATION_LIVE || !at->plane)
        return (struct plane_line){NULL, 0};
    return (struct plane_line){at->plane, (uint32_t)(offset / PLANE_LINE)};
}

uint32_t plane_missing(struct plane_line line, uint32_t words, enum plane_trigger trigger)
{
    if (!line.plane || trigger == PLANE_ALWAYS)
        return 0;
    uint32_t full = line.plane->full[line.index];
    return words & line.plane->exists[line.index] & (trigger == PLANE_WAIT_FULL ? ~full : full);
}

uint32_t plane_act(struct plane_line line, uint32_t words, enum plane_action action, uint8_t round)
{
    uint32_t stale = 0;
    if (!line.plane || action == PLANE_KEEP)
        return 0;
    uint32_t *full = &line.plane->full[line.index];
    words &= line.plane->exists[line.index];
    for (uint32_t rest = action == PLANE_FILL ? words : 0; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(rest);
        uint8_t *filled = &line.plane->filled[line.index * PLANE_WORDS + bit];
        stale += *full >> bit & 1 && *filled && *filled != round &&
                 line.plane->read[line.index * PLANE_WORDS + bit] == round;
        *filled = round;
    }
    *full = action == PLANE_FILL ? *full | words : *full & ~words;
    return stale;
}

void plane_note_read(struct plane_line line, uint32_t words, uint8_t round)
{
    if (!line.plane)
        return;
    for (uint32_t rest = words; rest; rest &= rest - 1)
        line.plane->read[line.index * PLANE_WORDS + (uint32_t)__builtin_ctz(rest)] = round;
}

// The part of a range in the line of its first byte. Returns its words.
static uint32_t first_words(uint64_t address, uint64_t bytes, uint64_t *part)
{
    uint64_t at = address % PLANE_LINE;
    *part = PLANE_LINE - at < bytes ? PLANE_LINE - at : bytes;
    return plane_words(at, *part);
}

uint64_t plane_find_missing(const struct image *image, uint64_t address, uint64_t bytes,
                            enum plane_trigger trigger)
{
    for (uint64_t part; bytes && trigger != PLANE_ALWAYS; address += part, bytes -= part) {
        uint32_t words = first_words(address, bytes, &part);
        uint32_t missing = plane_missing(plane_find(image, address), words, trigger);
        if (missing)
            return address / PLANE_LINE * PLANE_LINE +
                   (uint64_t)__builtin_ctz(missing) * PLANE_WORD;
    }
    return 0;
}

void plane_act_all(const struct image *image, uint64_t address, uint64_t bytes,
                   enum plane_action action)
{
    for (uint64_t part; bytes && action != PLANE_KEEP; address += part, bytes -= part) {
        uint32_t words = first_words(address, bytes, &part);
        plane_act(plane_find(image, address), words, action, image->round);
    }
}

bool plane_covers(const struct image *image, uint64_t address, uint64_t bytes)
{
    return plane_find(image, address).plane && plane_find(image, address + bytes - 1).plane;
}

static void empty_read(const struct plane *plane, uint64_t lines, uint8_t round)
{
    for (uint64_t i = 0; i < lines * PLANE_WORDS; i++)
        if (plane->read[i] == round)
            plane->full[i / PLANE_WORDS] &= ~(UINT32_C(1) << i % PLANE_WORDS);
}

void plane_empty_read(const struct image *image)
{
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (at->plane && at->state == ALLOCATION_LIVE)
            empty_read(at->plane, (at->bytes + PLANE_LINE - 1) / PLANE_LINE, image->round);
    }
}

void plane_next_round(struct image *image)
{
    image->round = image->round == UINT8_MAX ? 1 : image->round + 1;
}
