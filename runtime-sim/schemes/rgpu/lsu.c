// Load-store units. The heads of the address FIFO access memory in order, and the prefetcher scans
// the rest.
#include "runtime-sim/exec/warp/warp.h"
#include "runtime-sim/exec/memory/plane.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

static uint32_t line_bytes(const struct spatial_core *c)
{
    return machine_port(c->of->machine).config->memsys.llc.line_bytes;
}

static struct cta *cta_of(const struct spatial_core *c)
{
    return core_cta(c->core, c->place);
}

uint8_t *spatial_memory(const struct spatial_core *c, uint64_t address, uint32_t bytes)
{
    uint32_t hint = 0;
    return image_at(cta_of(c)->launch->image, address, bytes, &hint);
}

void spatial_fault(struct spatial_core *c, const char *text)
{
    struct warp *warp = &cta_of(c)->warps[0];
    const struct path *path = &warp->paths.v[warp->current];
    warp_fault(warp, &warp->program->codes.v[path->pc], path->mask, "%s", text);
}

static uint8_t *shared_memory(const struct spatial_core *c, uint64_t address, uint32_t bytes)
{
    const struct cta *cta = cta_of(c);
    if (address >= cta->shared_bytes || bytes > cta->shared_bytes - address)
        return NULL;
    return cta->shared + address;
}

static uint8_t *memory_of(const struct spatial_core *c, const struct spatial_unit *unit)
{
    return (unit->node->is_shared ? shared_memory : spatial_memory)(c, unit->address,
                                                                    unit->node->type->bytes);
}

static void fault_at(struct spatial_core *c, const struct spatial_unit *unit)
{
    char place[160] = "outside of the shared memory";
    if (!unit->node->is_shared)
        image_describe(cta_of(c)->launch->image, unit->address, place, sizeof place);
    spatial_fault(c, arena_printf(c->arena, "'%s' of the map accesses %u bytes at 0x%llx, %s",
                                  unit->node->name.text, unit->node->type->bytes,
                                  (unsigned long long)unit->address, place));
}

// Lines

static void request_line(struct spatial_core *c, uint64_t line, uint32_t place)
{
    struct memsys_request request = {.line = line,
                                     .bytes = mask_range(0, line_bytes(c)),
                                     .core = core_port(c->core).endpoint,
                                     .tag = place,
                                     .kind = MEMSYS_READ,
                                     .requester = (uint8_t)(c->of->requester + SPATIAL_LOADS_BY)};
    spatial_queue(c, &request);
    c->stats.lines_read++;
}

// Requests a line that is not in the L1. Returns its index, or SPATIAL_NONE if there is no room.
static uint32_t allocate_line(struct spatial_core *c, uint64_t line)
{
    bool unused;
    uint32_t place = spatial_lines_allocate(&c->lines, line, &unused);
    c->stats.prefetches_unused += unused;
    if (place != SPATIAL_NONE)
        request_line(c, line, place);
    return place;
}

bool spatial_fetch(struct spatial_core *c, uint64_t line)
{
    return spatial_lines_find(&c->lines, line) != SPATIAL_NONE ||
           allocate_line(c, line) != SPATIAL_NONE;
}

// Heads

static uint64_t address_of(const struct spatial_unit *unit, uint32_t token)
{
    return unit->base + (uint64_t)(int64_t)(int32_t)token;
}

// Returns true if a store to the bytes is collected by a unit or in flight. Sends a collected one.
static bool awaits_store(struct spatial_core *c, uint64_t line, struct mask bytes)
{
    for (uint32_t i = 0; i < c->array->unit_count; i++) {
        struct spatial_unit *unit = &c->array->units[i];
        if (unit->collected_count && spatial_send_collected(c, unit, line, bytes))
            return true;
    }
    return spatial_is_storing(c, line, bytes);
}

static bool is_blocked(const struct spatial_core *c, const struct spatial_unit *unit)
{
    for (uint32_t i = 0; i < unit->out_count; i++) {
        const struct spatial_fifo *fifo = &c->array->fifos[c->array->outs[unit->first_out + i]];
        if (fifo_count(fifo) >= fifo->entries)
            return true;
    }
    return false;
}

// A head that waits for an entry in a FIFO does not request its line again. Otherwise heads that
// cannot fire would evict each other's lines, and those of heads that can.
static enum spatial_cause look_at_line(struct spatial_core *c, struct spatial_unit *unit)
{
    uint64_t size = line_bytes(c), line = unit->address / size;
    uint32_t at = (uint32_t)(unit->address % size), place = spatial_lines_find(&c->lines, line);
    if (awaits_store(c, line, mask_range(at, at + unit->node->type->bytes)))
        return SPATIAL_LINE;
    if (c->of->config->ideal)
        return SPATIAL_FIRES;
    if (place != SPATIAL_NONE && c->lines.state[place] == LINE_PRESENT) {
        unit->seen_line = line;
        return SPATIAL_FIRES;
    }
    unit->missed = true;
    if (place == SPATIAL_NONE && unit->seen_line == line && is_blocked(c, unit))
        return SPATIAL_SPACE;
    if (place == SPATIAL_NONE)
        allocate_line(c, line);
    else if (c->lines.prefetched[place]) {
        c->lines.prefetched[place] = false;
        c->stats.prefetches_late++;
    }
    return SPATIAL_LINE;
}

// A waiting load requests its word from the L2. The reply has the set of words of the line that may
// be used. The load waits in the slice. Full/empty bits do not block it, since they would also
// block the requests after it.
static enum spatial_cause look_at_word(struct spatial_core *c, struct spatial_unit *unit)
{
    uint64_t size = line_bytes(c), line = unit->address / size;
    uint32_t word = (uint32_t)(unit->address % size) / 4;
    uint32_t number = (uint32_t)(unit - c->array->units);
    if (unit->wait_line == line && unit->wait_words >> word & 1)
        return SPATIAL_FIRES;
    if (unit->wait_sent)
        return SPATIAL_WAITS;
    struct memsys_request request = {.line = line,
                                     .bytes = mask_range(word * 4, word * 4 + 4),
                                     .core = core_port(c->core).endpoint,
                                     .tag = number,
                                     .kind = MEMSYS_READ,
                                     .message = c->of->message,
                                     .mark = PLANE_AS_MARKED,
                                     .requester = (uint8_t)(c->of->requester + SPATIAL_WAITS_BY)};
    c->waiting[number] = line * size + word * 4;
    c->granted[number] = 0;
    unit->wait_sent = true;
    spatial_queue(c, &request);
    c->stats.waits_sent++;
    return SPATIAL_WAITS;
}

enum spatial_cause spatial_look(struct spatial_core *c, struct spatial_unit *unit, uint64_t now)
{
    uint32_t fifo = unit->fifos[0];
    uint32_t token = fifo == SPATIAL_NONE ? unit->words[0] : fifo_head(&c->array->fifos[fifo]);
    (void)now;
    unit->address = address_of(unit, token);
    if (unit->no_access)
        return SPATIAL_FIRES;
    if (unit->node->kind != MAP_LOAD)
        return spatial_can_store(c, unit) ? SPATIAL_FIRES : SPATIAL_STORE;
    if (unit->node->is_shared)
        return SPATIAL_FIRES;
    return unit->waits ? look_at_word(c, unit) : look_at_line(c, unit);
}

uint32_t spatial_value(const struct scalar *type, const uint8_t *from)
{
    uint32_t value = 0;
    memcpy(&value, from, type->bytes);
    if (type->class == SCALAR_SIGNED && type->bytes < 4) {
        uint32_t shift = 32 - type->bytes * 8;
        value = (uint32_t)((int32_t)(value << shift) >> shift);
    }
    return value;
}

static void count_load(struct spatial_core *c, struct spatial_unit *unit)
{
    uint32_t place = spatial_lines_find(&c->lines, unit->address / line_bytes(c));
    if (unit->waits || unit->node->is_shared || place == SPATIAL_NONE)
        return;
    c->lines.used[place] = ++c->lines.uses;
    c->stats.prefetches_useful += c->lines.prefetched[place];
    c->lines.prefetched[place] = false;
    *(unit->missed ? &c->stats.l1_misses : &c->stats.l1_hits) += 1;
    unit->missed = false;
}

void spatial_access(struct spatial_core *c, struct spatial_unit *unit)
{
    unit->result = 0;
    if (unit->no_access)
        return;
    const uint8_t *memory = memory_of(c, unit);
    if (!memory)
        fault_at(c, unit);
    else if (unit->node->kind != MAP_LOAD)
        spatial_store(c, unit);
    else {
        unit->result = spatial_value(unit->node->type, memory);
        count_load(c, unit);
    }
}

// The prefetcher

bool spatial_prefetch(struct spatial_core *c, struct spatial_unit *unit, uint64_t now)
{
    if (unit->waits || unit->no_access || unit->node->is_shared || unit->fifos[0] == SPATIAL_NONE ||
        c->of->config->ideal)
        return false;
    const struct spatial_fifo *fifo = &c->array->fifos[unit->fifos[0]];
    if (unit->scanned < fifo->popped)
        unit->scanned = fifo->popped;
    uint64_t at = unit->scanned % fifo->entries;
    bool there = unit->scanned < fifo->pushed && unit->scanned - fifo->popped < fifo->depth;
    if (!there || fifo->arrives[at] > now)
        return false;
    uint64_t line = address_of(unit, fifo->words[at]) / line_bytes(c);
    if (line != unit->scanned_line && spatial_lines_find(&c->lines, line) == SPATIAL_NONE) {
        uint32_t place = allocate_line(c, line);
        if (place == SPATIAL_NONE)
            return false;
        c->lines.prefetched[place] = true;
        c->stats.prefetches++;
    }
    unit->scanned_line = line;
    unit->scanned++;
    c->stats.address_fifo_read++;
    return true;
}
