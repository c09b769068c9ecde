#include "tests/unit/runtime-sim/satellite.h"
#include "runtime-sim/exec/warp/detached.h"
#include "runtime-sim/gpu/scheme/ports.h"

#define SCHEME_CONFIG satellite_config
#define SCHEME_STATS satellite_stats
#define SCHEME_DEF "tests/unit/runtime-sim/satellite.def"
#define SCHEME_STATS_DEF "tests/unit/runtime-sim/satellite_stats.def"
#include "tests/unit/runtime-sim/scheme_tables.inc"

enum { REGISTERS = 64, BLOCKS = 8, STALL_AWAY = 0, STALL_MODE = 1, WARP_REGISTERS = 32 };

// A block of a function: its codes, and the registers that it names.
struct block {
    uint32_t function, begin, end;
    struct warp_register registers[REGISTERS];
    uint32_t count;
};

// A detached warp and the slot that it comes from.
struct traveller {
    struct cta *cta;
    uint32_t core, slot;
    const struct block *block;
    uint32_t mask;
    bool busy;
};

struct satellites {
    const struct satellite_config *config;
    struct machine *machine;
    uint8_t scheme;
    struct block blocks[BLOCKS];
    uint32_t block_count;
    struct traveller *travellers; // one for each slot of the satellites
    uint32_t traveller_count;
    uint8_t values[REGISTERS * sizeof(union lanes)];
    struct satellite_stats stats;
};

// State of a core: sets of slots.
struct satellite_core {
    struct satellites *of;
    uint64_t asking[CORE_WORDS], away[CORE_WORDS];
    uint32_t asked;      // slots in `asking`
    uint64_t mode_until; // 0: not in the other mode
    uint32_t place;      // of the CTA in that mode
};

static struct satellite_core *own_of(const struct core *core)
{
    return core_own(core, &satellite);
}

static bool is_in(const uint64_t *set, uint32_t slot)
{
    return set[slot / 64] & warp_slot_bit(slot);
}

// Cores

static void *init_core(struct core *core, void *scheme)
{
    struct satellite_core *own = ARENA_NEW(core_port(core).arena, struct satellite_core);
    own->of = scheme;
    return own;
}

static enum issue_as leave(struct core *core, void *state, uint64_t now, uint32_t slot)
{
    struct satellite_core *own = state;
    const struct timing *timing = warp_slot_port(core, slot).next;
    (void)now;
    if (!timing_mark_of(timing, own->of->scheme) || warp_slot_port(core, slot).is_detached)
        return ISSUE_AS_NORMAL;
    own->asking[slot / 64] |= warp_slot_bit(slot);
    own->away[slot / 64] |= warp_slot_bit(slot);
    own->asked++;
    return ISSUE_AS_MIGRATED;
}

static bool hold(struct core *core, void *state, uint64_t now, uint32_t slot, uint32_t *reason)
{
    const struct satellite_core *own = state;
    bool in_mode = own->mode_until > now && warp_slot_port(core, slot).place == own->place;
    *reason = is_in(own->away, slot) ? STALL_AWAY : STALL_MODE;
    return is_in(own->away, slot) || in_mode;
}

static void enter_mode(struct core *core, void *state, uint64_t now, uint32_t place,
                       uint32_t opened)
{
    struct satellite_core *own = state;
    const struct cta *cta = core_cta(core, place);
    if (!own->of->config->mode || opened != 1)
        return;
    for (uint32_t i = 0; i < cta->warp_count; i++) // nobody has gone on
        if (cta->warps[i].paths.v[cta->warps[i].current].state != PATH_READY)
            warp_fault(&cta->warps[i], &cta->warps[i].program->codes.v[0], 0, "not at the barrier");
    own->mode_until = now + own->of->config->mode;
    own->place = place;
    EACH_WARP_SLOT (slot, core_port(core).words, core_cta_slots(core, place)[word]) {
        core_wake_at(core, own->mode_until, slot);
        break;
    }
}

// Called once at the end of the mode.
static void leave_mode(struct core *core, void *state, uint64_t now, uint32_t slot)
{
    struct satellite_core *own = state;
    if (own->mode_until > now) // it was too far away
        core_wake_at(core, own->mode_until, slot);
    if (!own->mode_until || own->mode_until > now)
        return;
    own->mode_until = 0;
    own->of->stats.modes++;
    EACH_WARP_SLOT (index, core_port(core).words, core_cta_slots(core, own->place)[word])
        core_look(core, now, index);
}

// Runs in the commit, where both cores may be changed.
static void return_warp(struct core *core, void *state, uint64_t now, uint32_t slot,
                        struct warp *warp)
{
    struct satellites *own = ((struct satellite_core *)state)->of;
    struct traveller *traveller = own->travellers;
    (void)core;
    (void)slot;
    while (traveller->cta != warp->cta)
        traveller++;
    const struct block *block = traveller->block;
    struct core *home = machine_core(own->machine, traveller->core);
    struct warp *at_home = warp_slot_port(home, traveller->slot).warp;
    warp_read_registers(warp, block->registers, block->count, own->values);
    warp_write_registers(at_home, block->registers, block->count, own->values, warp->reached);
    if (warp->reached != traveller->mask)
        warp_fault(at_home, &warp->program->codes.v[0], traveller->mask, "lanes are lost");
    own_of(home)->away[traveller->slot / 64] &= ~warp_slot_bit(traveller->slot);
    cta_end_detached(traveller->cta, at_home);
    traveller->busy = false;
    core_go_on_at(home, now, traveller->slot, block->end);
    machine_wake_core(own->machine, traveller->core, now);
}

// The machine

static bool is_on(const void *config)
{
    return ((const struct satellite_config *)config)->policy == SATELLITE_ON;
}

static void require(struct arena *arena, const void *config, const struct machine_config *given,
                    struct machine_config *machine)
{
    const struct satellite_config *own = config;
    struct added_cores *added = machine_add_cores(arena, machine, "satellite");
    uint32_t *places = ARENA_ARRAY(arena, uint32_t, own->cores);
    for (uint32_t i = 0; i < own->cores; i++)
        places[i] = (uint32_t)(own->at_partitions ? 0 : own->node) + i;
    added->at = own->at_partitions ? MEMSYS_AT_PARTITION : MEMSYS_OF_OWNER;
    added->places = places;
    added->count = (uint32_t)own->cores;
    added->core.warps = own->warps;
    added->core.threads = own->warps * LANES;
    added->core.ctas = 8;
    added->core.registers = given->core.registers * 8;
    added->core.pipeline = own->pipeline;
}

static uint32_t code_of(const struct timings *timings, uint32_t number)
{
    uint32_t code = 0;
    while (timings->of[code] != number)
        code++;
    return code;
}

static void add_register(struct block *block, const struct reg_slot_use *use)
{
    for (uint32_t i = 0; i < block->count; i++)
        if (block->registers[i].offset == use->offset)
            return;
    block->registers[block->count++] = (struct warp_register){use->offset, use->bytes};
}

// Finds the block, from the function's first to after its last special function.
static void find_block(struct satellites *own, struct timings *timings, uint32_t function)
{
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t i = 0; i < timings->count; i++)
        if (timings->list[i].function == function && timings->list[i].class == TIMING_sfu) {
            first = first == UINT32_MAX ? i : first;
            last = i;
        }
    if (first == UINT32_MAX)
        return;
    struct block *block = &own->blocks[own->block_count];
    *block =
        (struct block){function, code_of(timings, first), code_of(timings, last + 1), {{0}}, 0};
    for (uint32_t code = block->begin; code < block->end; code++) {
        const struct reg_slot_use *uses;
        uint32_t count = code_reg_slots_used(&timings->used, code, &uses);
        for (uint32_t i = 0; i < count; i++)
            add_register(block, &uses[i]);
    }
    timing_mark(&timings->list[first], own->scheme, own->block_count++, 0);
}

static void *create(struct machine *machine, const void *config, const void *plan)
{
    struct satellites *own = ARENA_NEW(machine_port(machine).arena, struct satellites);
    struct timings *timings = machine_timings(machine);
    (void)plan;
    *own = (struct satellites){
        .config = config,
        .machine = machine,
        .scheme = (uint8_t)machine_scheme_number(machine_port(machine).config, &satellite)};
    for (uint32_t i = 0; own->config->blocks && i < machine_port(machine).program->functions.n; i++)
        find_block(own, timings, i);
    own->traveller_count = own->config->cores * own->config->warps;
    own->travellers =
        ARENA_ARRAY(machine_port(machine).arena, struct traveller, own->traveller_count);
    for (uint32_t i = 0; i < own->traveller_count; i++)
        own->travellers[i].cta =
            cta_new_detached(machine_port(machine).arena, machine_port(machine).program);
    return own;
}

static void place_launch(struct machine *machine, void *state, struct machine_launch *launch)
{
    const struct satellite_config *config = ((struct satellites *)state)->config;
    (void)machine;
    launch->placement = (struct cta_placement){
        .kind = config->ctas,
        .order = config->order == SATELLITE_DESCENDING ? CTAS_DESCENDING : CTAS_ASCENDING,
        .one_per_core = config->one_per_core};
}

// Starts the block of a slot, if its satellite has room.
static bool start(struct satellites *own, uint32_t index, uint32_t slot)
{
    struct machine *machine = own->machine;
    const struct core *from = machine_core(machine, index);
    const struct warp *warp = warp_slot_port(from, slot).warp;
    const struct block *block =
        &own->blocks[timing_mark_of(warp_slot_port(from, slot).next, own->scheme)->plan];
    uint32_t nearest = (index + slot) % own->config->cores;
    struct core *core = machine_core(machine, machine_first_core(machine, 1) + nearest);
    if (!core_has_warp_room(core, WARP_REGISTERS))
        return false;
    struct traveller *traveller = own->travellers;
    while (traveller->busy)
        traveller++;
    *traveller = (struct traveller){
        traveller->cta, index, slot, block, warp->paths.v[warp->current].mask, true};
    warp_read_registers(warp, block->registers, block->count, own->values);
    traveller->cta->core = core_port(core).index;
    cta_start_detached(traveller->cta, &(struct detached_start){.of = warp,
                                                                .function = block->function,
                                                                .begin = block->begin,
                                                                .end = block->end,
                                                                .mask = traveller->mask,
                                                                .registers = block->registers,
                                                                .register_count = block->count,
                                                                .values = own->values});
    core_start_warp(core, machine_port(machine).now, traveller->cta, warp_slot_kernel(from, slot),
                    WARP_REGISTERS, core_local_of(from, slot), &satellite);
    machine_wake_core(machine, core_port(core).index, machine_port(machine).now);
    own->stats.started++;
    return true;
}

static void tick(struct machine *machine, void *state)
{
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++) {
        struct satellite_core *own = own_of(machine_core(machine, i));
        EACH_WARP_SLOT (slot, core_port(machine_core(machine, i)).words, own->asking[word])
            if (start(state, i, slot)) {
                own->asking[word] &= ~warp_slot_bit(slot);
                own->asked--;
            }
    }
}

static uint64_t next(const struct machine *machine, const void *state)
{
    (void)state;
    for (uint32_t i = 0; i < machine_port(machine).ordinary; i++)
        if (own_of(machine_core(machine, i))->asked)
            return machine_port(machine).now + 1;
    return UINT64_MAX;
}

static void add_stats(const void *state, struct stats *stats)
{
    stats_add(stats, "satellites", stat_keys, STAT_KEYS,
              &((const struct satellites *)state)->stats);
}

static const struct scheme_issue issue = {
    .init = init_core,
    .hold = hold,
    .wake = leave_mode,
    .issue_as = leave,
    .barrier = enter_mode,
    .returned = return_warp,
};

static const struct scheme_stall stalls[] = {
    {"away", "the warp's block ran at a satellite"},
    {"mode", "the core was in its other mode"},
};

const struct scheme_ops satellite = {
    .name = "satellite",
    .configuration = {SCHEME_SECTION("satellite"), .is_on = is_on, .require = require},
    .issue = &issue,
    .memory = {.create = create, .place_launch = place_launch, .tick = tick, .next = next},
    .report = {.stalls = stalls, .stall_count = 2, .add_stats = add_stats},
};
