#include "runtime-sim/exec/memory/plane.h"
#include <string.h>

void plane_add(struct image *image, uint64_t address, struct plane_kind kind)
{
    bool full = kind.initial == PLANES_FULL;
    struct allocation *at = &image->list.v[image_find(image, address)];
    uint64_t lines = plane_lines(at);
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
    plane->fills = 1;
    image->has_planes = true;
    image->discards = kind.discards;
    image->state_bits = kind.bits;
    image->round += !image->round;
}

// Returns the live allocation that contains the address if it has a plane, or NULL.
static const struct allocation *find(const struct image *image, uint64_t address)
{
    uint32_t found = image->has_planes ? image_find(image, address) : UINT32_MAX;
    const struct allocation *at = found == UINT32_MAX ? NULL : &image->list.v[found];
    return at && address - at->address < at->bytes && at->state == ALLOCATION_LIVE && at->plane
               ? at
               : NULL;
}

const char *plane_set_counts(struct image *image, uint64_t address, uint32_t fills, uint32_t reads)
{
    const struct allocation *at = find(image, address);
    if (!at)
        return "counts need memory with full/empty bits";
    if (fills + (uint64_t)(reads ? reads : 1) > UINT64_C(1) << image->state_bits)
        return "the counts need more bits than fe.counter_bits";
    at->plane->fills = (uint8_t)fills;
    at->plane->reads = (uint8_t)reads;
    at->plane->count = ARENA_ARRAY(image->arena, uint8_t, plane_lines(at) * PLANE_WORDS);
    image->counts_reads |= reads > 0;
    return NULL;
}

struct plane_line plane_find(const struct image *image, uint64_t address)
{
    const struct allocation *at = find(image, address);
    return at ? (struct plane_line){at->plane, (uint32_t)((address - at->address) / PLANE_LINE)}
              : (struct plane_line){NULL, 0};
}

// Returns the words whose state differs from that of the trigger.
static uint32_t other_state(struct plane_line line, uint32_t words, enum plane_trigger trigger)
{
    if (!line.plane || trigger == PLANE_ALWAYS)
        return 0;
    uint32_t full = line.plane->full[line.index];
    return words & line.plane->exists[line.index] & (trigger == PLANE_WAIT_FULL ? ~full : full);
}

uint32_t plane_missing(struct plane_line line, uint32_t words, enum plane_trigger trigger)
{
    uint32_t other = other_state(line, words, trigger);
    return other && line.plane->released ? other & ~line.plane->released[line.index] : other;
}

bool plane_lacks(struct plane_line line, uint32_t words, enum plane_trigger trigger)
{
    return other_state(line, words, trigger);
}

// Counts an access to each of the words. Returns the words whose count reached `most`; their counts
// restart.
static uint32_t count_words(struct plane_line line, uint32_t words, uint32_t max)
{
    uint32_t done = 0;
    for (uint32_t rest = words; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(rest);
        uint8_t *count = &line.plane->count[line.index * PLANE_WORDS + bit];
        if (++*count < max)
            continue;
        *count = 0;
        done |= UINT32_C(1) << bit;
    }
    return done;
}

// Records the round in which words are filled. Returns the stale words.
static uint32_t note_fill(struct plane_line line, uint32_t words, uint8_t round)
{
    uint32_t stale = 0;
    for (uint32_t rest = words; rest; rest &= rest - 1) {
        uint32_t bit = (uint32_t)__builtin_ctz(rest), at = line.index * PLANE_WORDS + bit;
        uint8_t *filled = &line.plane->filled[at];
        stale += line.plane->full[line.index] >> bit & 1 && *filled && *filled != round &&
                 line.plane->read[at] == round;
        *filled = round;
    }
    return stale;
}

static void fill(struct plane_line line, uint32_t words)
{
    uint32_t *full = &line.plane->full[line.index];
    *full |= line.plane->fills > 1 ? count_words(line, words & ~*full, line.plane->fills) : words;
}

static void empty(struct plane_line line, uint32_t words)
{
    line.plane->full[line.index] &= ~words;
    for (uint32_t rest = line.plane->count ? words : 0; rest; rest &= rest - 1)
        line.plane->count[line.index * PLANE_WORDS + (uint32_t)__builtin_ctz(rest)] = 0;
}

uint32_t plane_act(struct plane_line line, uint32_t words, enum plane_action action, uint8_t round)
{
    uint32_t stale = 0;
    if (!line.plane || action == PLANE_KEEP)
        return 0;
    words &= line.plane->exists[line.index];
    if (line.plane->released)
        line.plane->released[line.index] &= ~words;
    if (action == PLANE_FILL) {
        stale = note_fill(line, words, round);
        fill(line, words);
    } else if (action == PLANE_EMPTY) {
        empty(line, words);
    } else if (line.plane->released) {
        line.plane->released[line.index] |= words;
    }
    return stale;
}

void plane_note_read(struct plane_line line, uint32_t words, uint8_t round, bool counts)
{
    if (!line.plane)
        return;
    words &= line.plane->exists[line.index];
    for (uint32_t rest = words; rest; rest &= rest - 1)
        line.plane->read[line.index * PLANE_WORDS + (uint32_t)__builtin_ctz(rest)] = round;
    if (counts && line.plane->reads)
        empty(line, count_words(line, words & line.plane->full[line.index], line.plane->reads));
}

bool plane_holds_atomics(struct plane_line line)
{
    return line.plane && line.plane->fills == 1;
}

// Determines the part of a range in the line of its first byte. Returns its words.
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
    const struct allocation *at = action == PLANE_RELEASE ? find(image, address) : NULL;
    if (at && !at->plane->released)
        at->plane->released = ARENA_ARRAY(image->arena, uint32_t, plane_lines(at));
    for (uint64_t part; bytes && action != PLANE_KEEP; address += part, bytes -= part) {
        uint32_t words = first_words(address, bytes, &part);
        plane_act(plane_find(image, address), words, action, image->round);
    }
}

void plane_count_reads(const struct image *image, uint64_t address, uint64_t bytes)
{
    for (uint64_t part; bytes && image->counts_reads; address += part, bytes -= part) {
        uint32_t words = first_words(address, bytes, &part);
        plane_note_read(plane_find(image, address), words, image->round, true);
    }
}

bool plane_covers(const struct image *image, uint64_t address, uint64_t bytes)
{
    return plane_find(image, address).plane && plane_find(image, address + bytes - 1).plane;
}

static void empty_read(struct plane *plane, uint64_t lines, uint8_t round)
{
    for (uint64_t i = 0; i < lines * PLANE_WORDS; i++)
        if (plane->read[i] == round)
            empty((struct plane_line){plane, (uint32_t)(i / PLANE_WORDS)}, UINT32_C(1)
                                                                               << i % PLANE_WORDS);
}

void plane_empty_read(const struct image *image)
{
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (at->plane && at->state == ALLOCATION_LIVE)
            empty_read(at->plane, plane_lines(at), image->round);
    }
}

void plane_next_round(struct image *image)
{
    image->round = image->round == UINT8_MAX ? 1 : image->round + 1;
    for (uint32_t i = 0; image->has_planes && i < image->list.n; i++) {
        const struct allocation *at = &image->list.v[i];
        if (at->plane && at->plane->released)
            memset(at->plane->released, 0, plane_lines(at) * sizeof *at->plane->released);
    }
}
