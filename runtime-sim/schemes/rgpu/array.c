// Evaluates a cycle of an array. The units that fire are the largest set in which each unit has its
// tokens and an entry in each receiver's FIFO. The entry is free, or the receiver empties it in
// this cycle. This set is the greatest fixed point and does not depend on the order of evaluation.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"

// Candidates

static bool has_tokens(const struct spatial_array *array, const struct spatial_unit *unit,
                       uint64_t now)
{
    for (uint32_t i = 0; i <= MAP_OPERANDS; i++)
        if (unit->fifos[i] != SPATIAL_NONE && !fifo_has(&array->fifos[unit->fifos[i]], now))
            return false;
    return true;
}

// Returns true if the predicate disables the unit. Requires that its token has arrived.
static bool is_off(const struct spatial_array *array, const struct spatial_unit *unit)
{
    uint32_t fifo = unit->fifos[MAP_OPERANDS];
    if (fifo == SPATIAL_NONE)
        return false;
    return !fifo_head(&array->fifos[fifo]) != unit->node->negated;
}

static enum spatial_cause find_cause(struct spatial_core *c, struct spatial_unit *unit,
                                     uint64_t now)
{
    if (unit->fired == unit->count)
        return SPATIAL_ENDED;
    if (!has_tokens(c->array, unit, now))
        return SPATIAL_INPUT;
    if (unit->busy > now)
        return SPATIAL_UNIT;
    unit->off = is_off(c->array, unit);
    return unit->node->kind == MAP_CORE || unit->off ? SPATIAL_FIRES : spatial_look(c, unit, now);
}

// The firing set

static bool has_room(const struct spatial_array *array, const struct spatial_fifo *fifo,
                     uint64_t now)
{
    uint32_t delay = fifo->from == fifo->to ? 0 : array->hardware.space_delay;
    if (fifo_count(fifo) < fifo->entries)
        return now >= fifo->freed[fifo->pushed % fifo->entries] + delay ||
               fifo->pushed < fifo->entries;
    return !delay && array->fires[fifo->to];
}

static bool have_room(const struct spatial_array *array, const struct spatial_unit *unit,
                      uint64_t now)
{
    for (uint32_t i = 0; !unit->off && i < unit->out_count; i++)
        if (!has_room(array, &array->fifos[array->outs[unit->first_out + i]], now))
            return false;
    return true;
}

static void remove_blocked(struct spatial_array *array, uint64_t now)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t i = array->unit_count; i--;) // receivers often follow their senders
            if (array->fires[i] && !have_room(array, &array->units[i], now)) {
                array->fires[i] = false;
                array->units[i].cause = SPATIAL_SPACE;
                again = true;
            }
    }
}

// Applies the limits on ports of the L1 and of shared memory, with rotating priority of the units.
// Returns true if a unit does not get a port.
static bool limit_ports(struct spatial_core *c)
{
    struct spatial_array *array = c->array;
    uint64_t size = machine_port(c->of->machine).config->memsys.llc.line_bytes;
    uint64_t words = array->config->l1_words, tags = array->config->l1_tags, used = 0, lines = 0;
    uint64_t seen[1024];
    bool limited = false;
    for (uint32_t i = 0; i < array->unit_count; i++) {
        uint32_t number = (i + array->turn) % array->unit_count;
        const struct spatial_unit *unit = &array->units[number];
        if (!array->fires[number] || unit->node->kind == MAP_CORE || unit->off || unit->no_access)
            continue;
        uint64_t at = 0, line = unit->address / size;
        while (at < lines && seen[at] != line)
            at++;
        bool fits = used < words && (!tags || at < lines || lines < tags);
        if (fits) {
            used++;
            if (tags && at == lines)
                seen[lines++] = line;
            continue;
        }
        array->fires[number] = false;
        array->units[number].cause = SPATIAL_PORT;
        limited = true;
    }
    array->turn = (array->turn + 1) % array->unit_count;
    return limited;
}

// Firing

static void consume_operands(struct spatial_core *c, struct spatial_unit *unit, uint64_t now)
{
    for (uint32_t i = 0; i <= MAP_OPERANDS; i++) {
        if (unit->fifos[i] == SPATIAL_NONE)
            continue;
        struct spatial_fifo *fifo = &c->array->fifos[unit->fifos[i]];
        if (i < MAP_OPERANDS)
            unit->words[i] = fifo_head(fifo);
        fifo->freed[fifo->popped % fifo->entries] = now;
        fifo->popped++;
        *(fifo->is_address ? &c->stats.address_fifo_read : &c->stats.fifo_read) += 1;
    }
}

static void count_firing(struct spatial_core *c, const struct spatial_unit *unit)
{
    static const size_t counters[MAP_UNITS] = {
        [MAP_INT] = offsetof(struct spatial_stats, fired_int),
        [MAP_FLOAT] = offsetof(struct spatial_stats, fired_float),
        [MAP_SFU] = offsetof(struct spatial_stats, fired_sfu),
        [MAP_LSU] = offsetof(struct spatial_stats, fired_store),
    };
    bool loads = unit->node->kind == MAP_LOAD;
    size_t at = loads ? offsetof(struct spatial_stats, fired_load) : counters[unit->node->unit];
    if (unit->off)
        c->stats.skipped++;
    else
        ++*(uint64_t *)((char *)&c->stats + at);
}

static void send_result(struct spatial_core *c, const struct spatial_unit *unit, uint64_t now)
{
    bool by_lane = false;
    for (uint32_t i = 0; i < unit->out_count; i++) {
        struct spatial_fifo *fifo = &c->array->fifos[c->array->outs[unit->first_out + i]];
        uint64_t at = fifo->pushed++ % fifo->entries, count = fifo_count(fifo);
        uint64_t *max = fifo->is_address ? &c->stats.address_fifo_most : &c->stats.data_fifo_most;
        fifo->words[at] = unit->result;
        fifo->arrives[at] = now + unit->latency;
        *max = count > *max ? count : *max;
        by_lane |= fifo->by_lane;
        *(fifo->is_address ? &c->stats.address_fifo_write : &c->stats.fifo_write) += 1;
    }
    c->stats.lane_tokens += by_lane;
}

// Reads all operands before it writes any result, since an entry may be emptied and filled in the
// same cycle.
static void fire(struct spatial_core *c, uint64_t now)
{
    struct spatial_array *array = c->array;
    for (uint32_t i = 0; i < array->unit_count; i++) {
        struct spatial_unit *unit = &array->units[i];
        if (!array->fires[i])
            continue;
        consume_operands(c, unit, now);
        unit->first = unit->fired ? unit->first : now;
        unit->last = now;
        unit->fired++;
        unit->busy = now + unit->interval;
        count_firing(c, unit);
        core_note_progress(c->core);
    }
    for (uint32_t i = 0; i < array->unit_count; i++) {
        struct spatial_unit *unit = &array->units[i];
        if (!array->fires[i] || unit->off)
            continue;
        if (unit->node->kind == MAP_CORE)
            spatial_compute(array, unit);
        else
            spatial_access(c, unit);
        send_result(c, unit, now);
    }
}

// The cycle

// Counts `cycles` cycles for the reasons for which units do not fire.
static void count_causes(struct spatial_core *c, uint64_t cycles)
{
    static const size_t counters[] = {
        [SPATIAL_ENDED] = offsetof(struct spatial_stats, ended),
        [SPATIAL_INPUT] = offsetof(struct spatial_stats, stall_input),
        [SPATIAL_UNIT] = offsetof(struct spatial_stats, stall_unit),
        [SPATIAL_SPACE] = offsetof(struct spatial_stats, stall_space),
        [SPATIAL_LINE] = offsetof(struct spatial_stats, stall_line),
        [SPATIAL_WAITS] = offsetof(struct spatial_stats, stall_wait),
        [SPATIAL_PORT] = offsetof(struct spatial_stats, stall_port),
        [SPATIAL_STORE] = offsetof(struct spatial_stats, stall_store),
    };
    for (uint32_t i = 0; i < c->array->unit_count; i++) {
        uint8_t cause = c->array->units[i].cause;
        if (cause != SPATIAL_FIRES)
            *(uint64_t *)((char *)&c->stats + counters[cause]) += cycles;
    }
}

// Returns the first cycle after `now` in which a token arrives, or an entry or a unit becomes free.
static uint64_t next_change(const struct spatial_array *array, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < array->fifo_count; i++) {
        const struct spatial_fifo *fifo = &array->fifos[i];
        uint64_t arrives = fifo->arrives[fifo->popped % fifo->entries];
        if (fifo->pushed != fifo->popped && arrives > now)
            next = smaller(next, arrives);
        uint64_t place = fifo->freed[fifo->pushed % fifo->entries] + array->hardware.space_delay;
        if (array->hardware.space_delay && place > now && fifo->pushed >= fifo->entries)
            next = smaller(next, place);
    }
    for (uint32_t i = 0; i < array->unit_count; i++)
        if (array->units[i].busy > now)
            next = smaller(next, array->units[i].busy);
    return next;
}

uint64_t spatial_cycle(struct spatial_core *c, uint64_t now)
{
    struct spatial_array *array = c->array;
    bool any = false;
    if (now > array->evaluated)
        count_causes(c, now - array->evaluated);
    for (uint32_t i = 0; i < array->unit_count; i++) {
        struct spatial_unit *unit = &array->units[i];
        unit->cause = (uint8_t)find_cause(c, unit, now);
        array->fires[i] = unit->cause == SPATIAL_FIRES;
    }
    remove_blocked(array, now);
    if (limit_ports(c))
        remove_blocked(array, now);
    for (uint32_t i = 0; i < array->unit_count; i++)
        any |= array->fires[i];
    if (any)
        fire(c, now);
    c->store_reserved = 0;
    count_causes(c, 1);
    array->evaluated = now + 1;
    for (uint32_t i = 0; i < array->unit_count; i++)
        if (array->units[i].node->kind == MAP_LOAD)
            any |= spatial_prefetch(c, &array->units[i], now);
    for (uint32_t i = 0; i < array->unit_count; i++)
        any |= array->units[i].cause == SPATIAL_PORT;
    any |= spatial_lines_seen(&c->lines); // a head may now evict these lines
    return any ? now + 1 : next_change(array, now);
}

bool spatial_is_quiet(const struct spatial_array *array)
{
    for (uint32_t i = 0; i < array->unit_count; i++) {
        uint8_t cause = array->units[i].cause;
        if (cause != SPATIAL_ENDED && cause != SPATIAL_INPUT && cause != SPATIAL_SPACE)
            return false;
    }
    return true;
}

// End of an activation

static bool is_result(const struct spatial_array *array, const struct spatial_fifo *fifo)
{
    const struct map *map = array->binding->map;
    const struct spatial_unit *unit = &array->units[fifo->to];
    for (uint32_t i = 0; i < map->results.n; i++)
        if (map->results.v[i].node == unit->number && map->results.v[i].operand == fifo->operand)
            return true;
    return false;
}

// Returns the number of initial tokens in loops. Streams through loops may be longer by this
// number.
static uint64_t count_slack(const struct spatial_array *array)
{
    uint64_t slack = 0;
    for (uint32_t i = 0; i < array->fifo_count; i++)
        if (!array->units[array->fifos[i].to].node->is_increment)
            slack += array->fifos[i].initial;
    return slack;
}

const char *spatial_leftover(struct spatial_core *c)
{
    const struct spatial_array *array = c->array;
    uint64_t slack = count_slack(array);
    for (uint32_t i = 0; i < array->unit_count; i++) {
        const struct spatial_unit *unit = &array->units[i];
        if (unit->node->count.at.text && unit->fired < unit->count)
            return arena_printf(c->arena, "the map stalls: '%s' has fired %llu of %llu times",
                                unit->node->name.text, (unsigned long long)unit->fired,
                                (unsigned long long)unit->count);
    }
    for (uint32_t i = 0; i < array->fifo_count; i++) {
        const struct spatial_fifo *fifo = &array->fifos[i];
        if (fifo_count(fifo) > fifo->initial + slack && !is_result(array, fifo))
            return arena_printf(
                c->arena, "%llu tokens are left between '%s' and '%s', which began with %u",
                (unsigned long long)fifo_count(fifo), array->units[fifo->from].node->name.text,
                array->units[fifo->to].node->name.text, fifo->initial);
    }
    return NULL;
}
