// The mode switch of a core [003 §4.3]. After a barrier, or at the start of a CTA, the
// configuration registers and FIFOs are filled, the map runs, its stores are acknowledged, and the
// warps continue.
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

static void *init(struct core *core, void *scheme)
{
    struct spatial_machine *m = scheme;
    const struct spatial_config *config = m->config;
    struct spatial_core *c = ARENA_NEW(core_port(core).arena, struct spatial_core);
    *c = (struct spatial_core){.of = m, .core = core, .arena = core_port(core).arena};
    spatial_lines_init(&c->lines, core_port(core).arena, config,
                       machine_port(m->machine).config->memsys.llc.line_bytes);
    c->stores = ARENA_ARRAY(core_port(core).arena, struct spatial_store, config->stores);
    c->request_room = config->mshrs + config->stores + config->hardware.lsus;
    c->requests = ARENA_ARRAY(core_port(core).arena, struct memsys_request, c->request_room);
    if (core_port(core).index < machine_port(m->machine).ordinary)
        m->cores[core_port(core).index] = c;
    return c;
}

// Time

// Returns the cycles of the mode that begin in this many core cycles.
static uint64_t cycles_until(const struct spatial_core *c, uint64_t core_cycles)
{
    return core_cycles * c->of->config->clock /
           machine_port(c->of->machine).config->memsys.memory.core_clock;
}

// Returns the core cycle in which a cycle of the mode is evaluated.
static uint64_t core_cycle_of(const struct spatial_core *c, uint64_t cycle)
{
    uint64_t clock = c->of->config->clock;
    uint64_t core_clock = machine_port(c->of->machine).config->memsys.memory.core_clock;
    return c->begun + cycle * core_clock / clock;
}

static void wake_at(struct spatial_core *c, uint64_t cycle)
{
    core_wake_at(c->core, cycle, c->slot);
}

// Start and end

static void leave(struct spatial_core *c, uint64_t now)
{
    c->phase = SPATIAL_OFF;
    c->stats.prefetches_unused += spatial_lines_forget(&c->lines);
    EACH_WARP_SLOT (slot, core_port(c->core).words, core_cta_slots(c->core, c->place)[word])
        core_go_on_at(c->core, now, slot, c->binding->leave);
}

static void stop(struct spatial_core *c, const char *fault)
{
    c->phase = SPATIAL_OFF;
    spatial_fault(c, fault);
}

static void begin_loading(struct spatial_core *c, uint64_t now)
{
    bool first = !c->scope.names[MAP_NAME_activation];
    uint64_t cycles = spatial_loading(c, first);
    c->phase = SPATIAL_LOADS;
    c->until = now + (cycles ? cycles : 1);
    c->stats.switch_cycles += cycles;
    c->stats.cr_write += first ? c->array->unit_count : 0;
    for (uint32_t i = 0; i < c->array->fifo_count; i++)
        *(c->array->fifos[i].is_address ? &c->stats.address_fifo_write : &c->stats.fifo_write) +=
            c->array->fifos[i].initial;
    wake_at(c, c->until);
}

static void begin_activation(struct spatial_core *c, uint64_t now)
{
    const char *fault = spatial_activate(c);
    c->stats.activations++;
    if (fault) {
        stop(c, fault);
    } else if (c->fetch_count) {
        c->phase = SPATIAL_FETCHES;
        wake_at(c, now + 1);
    } else {
        begin_loading(c, now);
    }
}

static void begin(struct spatial_core *c, uint64_t now, uint32_t place)
{
    const struct cta *cta = core_cta(c->core, place);
    c->place = place;
    c->entered = true;
    c->result = 0;
    c->image = cta->launch->image;
    c->launched = spatial_launch_of(c->of, cta->launch);
    c->binding = c->launched->binding;
    EACH_WARP_SLOT (slot, core_port(c->core).words, core_cta_slots(c->core, place)[word])
        c->slot = slot;
    c->stats.modes++;
    const char *fault = c->launched->fault;
    if (!fault)
        fault = spatial_group(c, cta->launch, cta->linear);
    if (fault)
        stop(c, fault);
    else if (c->activations > 0)
        begin_activation(c, now);
    else
        leave(c, now);
}

// Results

static void put_registers(struct spatial_core *c, const struct map_result *result,
                          const struct spatial_register *reg, const struct spatial_fifo *fifo,
                          uint32_t first)
{
    struct cta *cta = core_cta(c->core, c->place);
    for (uint64_t i = 0; i < fifo_count(fifo); i++) {
        uint32_t thread = first + (uint32_t)i, lane = thread % LANES;
        uint32_t values[LANES] = {0};
        (void)result;
        if (thread / LANES >= cta->warp_count)
            return;
        values[lane] = fifo->words[(fifo->popped + i) % fifo->entries];
        warp_write_registers(&cta->warps[thread / LANES],
                             &(struct warp_register){reg->offset, reg->bytes}, 1,
                             (const uint8_t *)values, UINT32_C(1) << lane);
    }
}

static const struct spatial_fifo *fifo_of(const struct spatial_core *c,
                                          const struct map_result *result, uint32_t copy)
{
    const struct spatial_array *array = c->array;
    uint32_t unit = copy * c->binding->map->nodes.n + result->node;
    return &array->fifos[array->units[unit].fifos[result->operand]];
}

// Writes token number `token` of a result to memory. Returns false if there is no room yet.
static bool put_word(struct spatial_core *c, const struct map_result *result,
                     const struct spatial_fifo *fifo, uint64_t token)
{
    int64_t base, step;
    const char *fault = map_integer(&c->scope, &result->base, 0, &base);
    if (!fault)
        fault = map_integer(&c->scope, &result->step, 4, &step);
    uint64_t address = fault ? 0 : (uint64_t)(base + (int64_t)token * step);
    if (!fault && !spatial_memory(c, address, 4))
        fault =
            arena_printf(c->arena, "the result '%s' is outside all allocations", result->name.text);
    if (fault) {
        stop(c, fault);
        return false;
    }
    return spatial_write(c, address,
                         (const uint8_t *)&fifo->words[(fifo->popped + token) % fifo->entries], 4);
}

// Writes the results, in memory from number c->result on, in the order of copies, results and
// tokens. Returns false if there is no room yet.
static bool put_results(struct spatial_core *c)
{
    const struct map *map = c->binding->map;
    uint64_t number = 0;
    for (uint32_t copy = 0; copy < c->binding->placement.copies; copy++)
        for (uint32_t i = 0; i < map->results.n; i++) {
            const struct map_result *result = &map->results.v[i];
            const struct spatial_fifo *fifo = fifo_of(c, result, copy);
            c->scope.names[MAP_NAME_copy] = copy;
            if (result->reg.text)
                put_registers(c, result, &c->binding->registers[i], fifo,
                              copy * (uint32_t)fifo_count(fifo));
            for (uint64_t k = 0; !result->reg.text && k < fifo_count(fifo); k++, number++) {
                if (number < c->result)
                    continue;
                if (!put_word(c, result, fifo, k))
                    return false;
                c->result++;
            }
        }
    return true;
}

// A cycle of the core

// Requests lines ahead. Reads a word in the cycle in which its line arrives, before another line
// can evict it.
static void run_fetches(struct spatial_core *c, uint64_t now)
{
    enum { AHEAD = 16 };
    uint64_t size = machine_port(c->of->machine).config->memsys.llc.line_bytes;
    for (; c->fetched < c->fetch_count; c->fetched++) {
        uint32_t place = spatial_lines_find(&c->lines, c->fetches[c->fetched].address / size);
        if (!c->of->config->ideal &&
            (place == SPATIAL_NONE || c->lines.state[place] != LINE_PRESENT))
            break;
        const char *fault = spatial_load_word(c, c->fetched);
        if (fault) {
            stop(c, fault);
            return;
        }
    }
    for (uint32_t i = c->fetched; i < c->fetch_count && i < c->fetched + AHEAD; i++)
        if (!spatial_fetch(c, c->fetches[i].address / size))
            break;
    if (c->fetched == c->fetch_count)
        begin_loading(c, now);
}

static void run_drain(struct spatial_core *c, uint64_t now)
{
    bool flushed = true;
    for (uint32_t i = 0; i < c->array->unit_count; i++)
        flushed &= spatial_flush(c, &c->array->units[i]);
    if (!flushed || !put_results(c) || spatial_has_stores(c))
        return;
    c->stats.drain_cycles += now - c->drained_from;
    if (c->scope.names[MAP_NAME_activation] + 1 < c->activations) {
        c->result = 0;
        begin_activation(c, now);
    } else {
        leave(c, now);
    }
}

static void run_map(struct spatial_core *c, uint64_t now)
{
    uint64_t end = cycles_until(c, now + 1 - c->begun);
    while (c->next < end)
        c->next = spatial_cycle(c, c->next);
    if (c->next != UINT64_MAX) {
        uint64_t cycle = core_cycle_of(c, c->next);
        wake_at(c, cycle > now ? cycle : now + 1);
        return;
    }
    if (!spatial_is_quiet(c->array))
        return; // spatial_accept_reply wakes the core
    c->stats.cycles += c->array->evaluated;
    c->phase = SPATIAL_DRAINS;
    c->drained_from = now;
    const char *fault = spatial_leftover(c);
    if (fault)
        stop(c, fault);
    else
        wake_at(c, now + 1);
}

static void spatial_wake(struct core *core, void *own, uint64_t now, uint32_t slot)
{
    struct spatial_core *c = own;
    (void)core;
    if (c->phase == SPATIAL_OFF || slot != c->slot)
        return;
    if (c->phase == SPATIAL_LOADS && c->until <= now) {
        c->phase = SPATIAL_RUNS;
        c->begun = now;
        c->next = 0;
    } else if (c->phase == SPATIAL_LOADS) {
        wake_at(c, c->until); // woken early, because the cycle was too far in the future
    }
    if (c->phase == SPATIAL_FETCHES)
        run_fetches(c, now);
    if (c->phase == SPATIAL_RUNS)
        run_map(c, now);
    else if (c->phase == SPATIAL_DRAINS)
        run_drain(c, now);
}

// Hooks

// Resets the state if the CTA is new to the core.
static void enter_cta(struct spatial_core *c, const struct cta *cta)
{
    if (c->known && c->launch == cta->launch->id && c->linear == cta->linear)
        return;
    c->known = true;
    c->launch = cta->launch->id;
    c->linear = cta->linear;
    c->entered = false;
}

static bool hold(struct core *core, void *own, uint64_t now, uint32_t slot, uint32_t *reason)
{
    struct spatial_core *c = own;
    struct warp_slot_port at = warp_slot_port(core, slot);
    const struct cta *cta = at.warp->cta;
    *reason = SPATIAL_STALL;
    if (!cta->launch->map || at.is_detached)
        return false;
    enter_cta(c, cta);
    if (!c->entered && cta->launch->map->enter.kind == MAP_AT_BEGIN)
        begin(c, now, at.place);
    return c->phase != SPATIAL_OFF;
}

static void spatial_barrier(struct core *core, void *own, uint64_t now, uint32_t place,
                            uint32_t opened)
{
    struct spatial_core *c = own;
    const struct cta *cta = core_cta(core, place);
    (void)opened;
    if (!cta->launch->map || cta->launch->map->enter.kind != MAP_AT_BARRIER)
        return;
    enter_cta(c, cta);
    const struct spatial_launch *launched = spatial_launch_of(c->of, cta->launch);
    const struct warp *warp = &cta->warps[0];
    if (!c->entered &&
        (launched->fault || warp->paths.v[warp->current].pc == launched->binding->enter))
        begin(c, now, place);
}

bool spatial_send(struct core *core, void *own, uint64_t now)
{
    struct spatial_core *c = own;
    const struct memsys_request *request = &c->requests[c->request_head];
    (void)now;
    if (!c->request_count || !memsys_can_send(core_port(core).memsys, request))
        return false;
    memsys_send(core_port(core).memsys, request);
    c->request_head = (c->request_head + 1) % c->request_room;
    c->request_count--;
    return true;
}

static void accept_words(struct spatial_core *c, const struct memsys_request *reply)
{
    struct spatial_unit *unit = &c->array->units[reply->tag];
    unit->wait_line = reply->line;
    unit->wait_words = c->granted[reply->tag];
    unit->wait_sent = false;
}

void spatial_accept_reply(struct core *core, void *own, uint64_t now,
                          const struct memsys_request *reply)
{
    struct spatial_core *c = own;
    (void)core;
    switch (reply->requester - c->of->requester) {
    case SPATIAL_LOADS_BY: spatial_lines_arrive(&c->lines, reply->tag); break;
    case SPATIAL_STORES_BY:
        c->stores[reply->tag].used = false;
        c->store_count--;
        break;
    default: accept_words(c, reply);
    }
    if (c->phase != SPATIAL_RUNS)
        spatial_lines_seen(&c->lines);
    if (c->phase == SPATIAL_OFF)
        return;
    uint64_t cycle = cycles_until(c, now - c->begun);
    if (c->phase == SPATIAL_RUNS && cycle < c->next)
        c->next = cycle > c->array->evaluated ? cycle : c->array->evaluated;
    wake_at(c, now);
}

const struct scheme_issue spatial_issue = {
    .init = init,
    .hold = hold,
    .wake = spatial_wake,
    .barrier = spatial_barrier,
};
