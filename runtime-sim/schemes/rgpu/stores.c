// Stores and reductions. A unit collects the bytes that it stores to up to `store_lines` lines. It
// sends the oldest line when it needs room for another one, and all lines when the map ends. If its
// node is write-through, it sends each store immediately. Two requests for the same bytes are never
// in flight together, so they take effect in the order of the unit.
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <assert.h>
#include <string.h>

static uint64_t line_bytes(const struct spatial_core *c)
{
    return machine_port(c->of->machine).config->memsys.llc.line_bytes;
}

void spatial_queue(struct spatial_core *c, const struct memsys_request *request)
{
    c->requests[(c->request_head + c->request_count++) % c->request_room] = *request;
    core_has_packet(c->core);
}

bool spatial_has_stores(const struct spatial_core *c)
{
    return c->store_count;
}

bool spatial_is_storing(const struct spatial_core *c, uint64_t line, struct mask bytes)
{
    for (uint32_t i = 0; c->store_count && i < c->of->config->stores; i++)
        if (c->stores[i].used && c->stores[i].line.line == line &&
            mask_intersects(c->stores[i].line.bytes, bytes))
            return true;
    return false;
}

// Returns true if bytes of a line can be sent now, in addition to those of units that fire in this
// cycle and store immediately.
static bool can_send(const struct spatial_core *c, uint64_t line, struct mask bytes)
{
    return c->store_count + c->store_reserved < c->of->config->stores &&
           !spatial_is_storing(c, line, bytes);
}

static void send_line(struct spatial_core *c, const struct spatial_line *line,
                      const struct map_node *reduces)
{
    uint32_t at = 0;
    assert(c->store_count < c->of->config->stores);
    while (c->stores[at].used)
        at++;
    c->stores[at] =
        (struct spatial_store){true, reduces ? MEMSYS_REDUCE : MEMSYS_WRITE, reduces, *line};
    c->store_count++;
    struct memsys_request request = {.line = line->line,
                                     .bytes = line->bytes,
                                     .core = core_port(c->core).endpoint,
                                     .tag = at,
                                     .carries = reduces ? 4 : 0,
                                     .kind = c->stores[at].kind,
                                     .requester = (uint8_t)(c->of->requester + SPATIAL_STORES_BY)};
    spatial_queue(c, &request);
    c->stats.stores_sent++;
}

// Sends a collected line. Returns false if there is no room yet.
static bool send_collected(struct spatial_core *c, struct spatial_unit *unit, uint32_t at)
{
    struct spatial_line *line = &unit->collected[at];
    if (!can_send(c, line->line, line->bytes))
        return false;
    send_line(c, line, NULL);
    unit->collected_count--;
    memmove(line, line + 1, (unit->collected_count - at) * sizeof *line);
    return true;
}

bool spatial_flush(struct spatial_core *c, struct spatial_unit *unit)
{
    while (unit->collected_count)
        if (!send_collected(c, unit, 0))
            return false;
    return true;
}

static uint32_t find_collected(const struct spatial_unit *unit, uint64_t line)
{
    uint32_t i = 0;
    while (i < unit->collected_count && unit->collected[i].line != line)
        i++;
    return i;
}

bool spatial_send_collected(struct spatial_core *c, struct spatial_unit *unit, uint64_t line,
                            struct mask bytes)
{
    uint32_t at = find_collected(unit, line);
    if (at == unit->collected_count || !mask_intersects(unit->collected[at].bytes, bytes))
        return false;
    send_collected(c, unit, at);
    return true;
}

static bool stores_at_once(const struct spatial_unit *unit)
{
    return unit->node->kind == MAP_REDUCE || unit->node->is_through;
}

bool spatial_can_store(struct spatial_core *c, struct spatial_unit *unit)
{
    uint64_t size = line_bytes(c), line = unit->address / size;
    uint32_t at = (uint32_t)(unit->address % size);
    if (unit->node->is_shared)
        return true;
    if (stores_at_once(unit)) {
        bool can = can_send(c, line, mask_range(at, at + unit->node->type->bytes));
        c->store_reserved += can;
        return can;
    }
    return find_collected(unit, line) < unit->collected_count ||
           unit->collected_count < c->array->hardware.store_lines || send_collected(c, unit, 0);
}

static void put_bytes(struct spatial_line *line, uint32_t at, const void *bytes, uint32_t count)
{
    memcpy(line->data + at, bytes, count);
    line->bytes = mask_or(line->bytes, mask_range(at, at + count));
}

// Reductions

static uint32_t reduce(const char *op, uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    bool is_signed = strstr(op, ".s32"), less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    if (strstr(op, ".add.f32")) {
        x += y;
        memcpy(&a, &x, 4);
        return a;
    }
    return strstr(op, ".add.")   ? a + b
           : strstr(op, ".min.") ? (less ? a : b)
           : strstr(op, ".max.") ? (less ? b : a)
           : strstr(op, ".and.") ? (a & b)
           : strstr(op, ".xor.") ? (a ^ b)
                                 : (a | b);
}

static void reduce_at(const struct map_node *node, uint8_t *to, uint32_t value)
{
    uint32_t before;
    memcpy(&before, to, 4);
    value = reduce(node->op.text, before, value);
    memcpy(to, &value, 4);
}

// Stores

void spatial_store(struct spatial_core *c, struct spatial_unit *unit)
{
    uint64_t size = line_bytes(c);
    uint32_t at = (uint32_t)(unit->address % size), bytes = unit->node->type->bytes;
    struct spatial_line line = {.line = unit->address / size};
    if (unit->node->is_shared) {
        uint8_t *to = core_cta(c->core, c->place)->shared + unit->address;
        if (unit->node->kind == MAP_REDUCE)
            reduce_at(unit->node, to, unit->words[1]);
        else
            memcpy(to, &unit->words[1], bytes);
        return;
    }
    put_bytes(&line, at, &unit->words[1], bytes);
    if (stores_at_once(unit)) {
        c->store_reserved--;
        send_line(c, &line, unit->node->kind == MAP_REDUCE ? unit->node : NULL);
        return;
    }
    uint32_t place = find_collected(unit, line.line);
    if (place == unit->collected_count)
        unit->collected[unit->collected_count++] = line;
    else
        put_bytes(&unit->collected[place], at, &unit->words[1], bytes);
    if (mask_count(unit->collected[place].bytes) == size)
        send_collected(c, unit, place); // sent later if there is no room
}

bool spatial_write(struct spatial_core *c, uint64_t address, const uint8_t *bytes, uint32_t count)
{
    uint64_t size = line_bytes(c);
    uint32_t at = (uint32_t)(address % size);
    struct spatial_line line = {.line = address / size};
    put_bytes(&line, at, bytes, count);
    if (!can_send(c, line.line, line.bytes))
        return false;
    send_line(c, &line, NULL);
    return true;
}

// Called by the memory system, outside the cores' tick.
void spatial_serve_store(struct spatial_core *c, const struct memsys_request *request)
{
    const struct spatial_store *store = &c->stores[request->tag];
    uint64_t address = store->line.line * line_bytes(c);
    for (uint32_t i = 0; i < line_bytes(c); i++) {
        if (!mask_intersects(store->line.bytes, mask_range(i, i + 1)))
            continue;
        uint32_t value;
        uint8_t *to = spatial_memory(c, address + i, 1);
        if (store->kind != MEMSYS_REDUCE) {
            *to = store->line.data[i];
            continue;
        }
        memcpy(&value, store->line.data + i, 4);
        reduce_at(store->node, to, value);
        break;
    }
    core_note_progress(c->core);
}
