#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include <string.h>

// The positions of a warp's lanes in one function.
struct lane_positions {
    uint32_t block[LANES]; // block executed last; IR_NONE: outside the function
    uint64_t *rounds;      // LANES per loop: executions of the header since the lane entered it
};

void profile_init(struct profile *profile, struct arena *arena, const struct program *program)
{
    *profile = (struct profile){.arena = arena, .program = program};
    profile->functions = ARENA_ARRAY(arena, struct profile_function *, program->functions.n);
}

// Functions

static const struct ir_function *ir_of(const struct profile *profile, uint32_t function)
{
    const struct program *program = profile->program;
    return &program->module->functions.v[program->functions.v[function].function];
}

// If two blocks begin at the same code, the first is empty and falls through to the second.
static void find_blocks(const struct profile *profile, uint32_t function,
                        struct profile_function *to)
{
    const struct program_function *at = &profile->program->functions.v[function];
    const struct ir_function *fn = ir_of(profile, function);
    uint32_t count = at->end - at->begin, last = IR_NONE;
    to->block_at = ARENA_ARRAY(profile->arena, uint32_t, count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t inst = profile->program->codes.v[at->begin + i].inst;
        uint32_t block = inst < fn->insts.n && i + 1 < count ? fn->insts.v[inst].block : last;
        to->block_at[i] = block == last ? IR_NONE : block;
        last = block;
    }
}

static struct profile_function *function_of(struct profile *profile, uint32_t function)
{
    struct profile_function **at = &profile->functions[function];
    if (*at)
        return *at;
    const struct ir_function *fn = ir_of(profile, function);
    *at = ARENA_NEW(profile->arena, struct profile_function);
    (*at)->inst_count = fn->insts.n;
    (*at)->loop_count = fn->loops.n;
    (*at)->insts = ARENA_ARRAY(profile->arena, struct profile_inst, fn->insts.n + 1);
    (*at)->loops = ARENA_ARRAY(profile->arena, struct profile_loop, fn->loops.n);
    find_blocks(profile, function, *at);
    return *at;
}

// Sums

static void add_access(struct profile_access *to, const struct profile_access *from)
{
    if (!from->accesses)
        return;
    if (!to->accesses || from->min < to->min)
        to->min = from->min;
    if (!to->accesses || from->min_s < to->min_s)
        to->min_s = from->min_s;
    to->max = from->max > to->max ? from->max : to->max;
    to->max_s = from->max_s > to->max_s ? from->max_s : to->max_s;
    to->accesses += from->accesses;
    to->lines += from->lines;
    to->sectors += from->sectors;
    to->uniform += from->uniform;
}

static void add_cache(struct profile_cache *to, const struct profile_cache *from)
{
    to->accesses += from->accesses;
    to->hits += from->hits;
    to->merged += from->merged;
}

static struct profile_memory *memory_of(struct profile *profile, struct profile_inst *inst)
{
    if (!inst->memory)
        inst->memory = ARENA_NEW(profile->arena, struct profile_memory);
    return inst->memory;
}

struct profile_memory *profile_memory(struct profile *profile, uint32_t function, uint32_t inst)
{
    return memory_of(profile, &function_of(profile, function)->insts[inst]);
}

static void add_inst(struct profile *profile, struct profile_inst *to,
                     const struct profile_inst *from)
{
    to->executions += from->executions;
    to->threads += from->threads;
    to->active += from->active;
    to->lanes += from->lanes;
    to->parted += from->parted;
    to->defined += from->defined;
    to->uniform += from->uniform;
    if (!from->memory)
        return;
    struct profile_memory *memory = memory_of(profile, to);
    add_access(&memory->all, &from->memory->all);
    add_access(&memory->full, &from->memory->full);
    memory->shared += from->memory->shared;
    add_cache(&memory->l1, &from->memory->l1);
    add_cache(&memory->llc, &from->memory->llc);
}

static void add_loop(struct profile_loop *to, const struct profile_loop *from)
{
    if (!from->entries)
        return;
    if (!to->entries || from->min < to->min)
        to->min = from->min;
    to->max = from->max > to->max ? from->max : to->max;
    to->entries += from->entries;
    to->iterations += from->iterations;
}

void profile_add(struct profile *to, const struct profile *from)
{
    for (uint32_t f = 0; f < to->program->functions.n; f++) {
        const struct profile_function *other = from->functions[f];
        if (!other)
            continue;
        struct profile_function *own = function_of(to, f);
        for (uint32_t i = 0; i < own->inst_count; i++)
            add_inst(to, &own->insts[i], &other->insts[i]);
        for (uint32_t i = 0; i < own->loop_count; i++)
            add_loop(&own->loops[i], &other->loops[i]);
    }
}

void profile_shape(struct profile *profile, const uint32_t block[3])
{
    if (!profile->block[0])
        memcpy(profile->block, block, sizeof profile->block);
    profile->blocks_differ |= memcmp(profile->block, block, sizeof profile->block) != 0;
}

// Loops

static struct lane_positions *positions_of(struct warp *warp, uint32_t function)
{
    if (!warp->places)
        warp->places =
            ARENA_ARRAY(warp->arena, struct lane_positions *, warp->program->functions.n);
    struct lane_positions **at = &warp->places[function];
    if (*at)
        return *at;
    *at = ARENA_NEW(warp->arena, struct lane_positions);
    (*at)->rounds =
        ARENA_ARRAY(warp->arena, uint64_t, (size_t)ir_of(warp->profile, function)->loops.n * LANES);
    memset((*at)->block, 0xff, sizeof(*at)->block);
    return *at;
}

// Moves a lane from its block to `block`; IR_NONE: out of the function.
static void leave_loops(struct profile *profile, uint32_t function, struct lane_positions *places,
                        uint32_t lane, uint32_t block)
{
    const struct ir_function *fn = ir_of(profile, function);
    struct profile_function *counts = function_of(profile, function);
    uint32_t from = places->block[lane];
    for (uint32_t loop = from == IR_NONE ? IR_NONE : fn->blocks.v[from].loop; loop != IR_NONE;
         loop = fn->loops.v[loop].parent) {
        if (block != IR_NONE && ir_in_loop(fn, loop, block))
            return;
        uint64_t *rounds = &places->rounds[(size_t)loop * LANES + lane];
        struct profile_loop one = {1, *rounds, *rounds, *rounds};
        add_loop(&counts->loops[loop], &one);
        *rounds = 0;
    }
}

static void come_to_block(struct warp *warp, uint32_t function, uint32_t block, uint32_t mask)
{
    const struct ir_function *fn = ir_of(warp->profile, function);
    struct lane_positions *places = positions_of(warp, function);
    uint32_t loop = fn->blocks.v[block].loop;
    bool header = loop != IR_NONE && fn->loops.v[loop].header == block;
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        leave_loops(warp->profile, function, places, lane, block);
        places->block[lane] = block;
        if (header)
            places->rounds[(size_t)loop * LANES + lane]++;
    }
}

static void leave_function(struct warp *warp, uint32_t function, uint32_t mask)
{
    struct lane_positions *places = positions_of(warp, function);
    for (; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        leave_loops(warp->profile, function, places, lane, IR_NONE);
        places->block[lane] = IR_NONE;
    }
}

static void leave_all(struct warp *warp, uint32_t mask)
{
    for (uint32_t f = 0; warp->places && f < warp->program->functions.n; f++)
        if (warp->places[f])
            leave_function(warp, f, mask);
}

void profile_start(struct warp *warp)
{
    warp->again = 0;
    leave_all(warp, FULL_MASK);
}

// Memory

// The distinct lines or sectors that an access touches. One lane touches at most two lines; in
// local memory, one per word.
enum { MAX_UNITS = LANES * 16 };
struct units {
    uint64_t at[MAX_UNITS];
    uint32_t n;
};

static void add_unit(struct units *units, uint64_t unit)
{
    for (uint32_t i = units->n; i-- > 0;)
        if (units->at[i] == unit)
            return;
    units->at[units->n++] = unit;
}

struct profile_touched {
    struct units lines, sectors;
};

static void touch(struct profile_touched *touched, uint64_t first, uint32_t bytes)
{
    uint64_t last = first + bytes - 1;
    for (uint64_t line = first / LINE_BYTES; line <= last / LINE_BYTES; line++)
        add_unit(&touched->lines, line);
    for (uint64_t sector = first / SECTOR_BYTES; sector <= last / SECTOR_BYTES; sector++)
        add_unit(&touched->sectors, sector);
}

static void touch_local(struct profile_touched *touched, uint64_t first, uint32_t bytes,
                        uint32_t lane)
{
    for (uint64_t word = first / 4; word <= (first + bytes - 1) / 4; word++)
        touch(touched, (word * LANES + lane) * 4, 4);
}

// Returns the space of a lane's address. `at` is set to the address in that space.
static uint16_t space_of(const struct access *access, uint32_t lane, uint64_t *at)
{
    uint16_t space = access->memory->space;
    bool generic = space == W_UNKNOWN || space == W_param;
    *at = access->address[lane];
    if (generic && *at - SHARED_WINDOW < WINDOW_BYTES)
        return W_shared;
    if (!generic || *at - LOCAL_WINDOW >= WINDOW_BYTES)
        return space == W_shared || space == W_local ? space : W_global;
    *at -= LOCAL_WINDOW;
    return W_local;
}

static void touch_lane(struct profile_touched *touched, const struct access *access, uint32_t lane)
{
    uint64_t at;
    uint16_t space = space_of(access, lane, &at);
    if (space == W_local)
        touch_local(touched, at, access->bytes, lane);
    else if (space == W_global)
        touch(touched, at, access->bytes);
}

static void show_access(const struct profile_watch *watch, const struct warp *warp,
                        const struct access *access)
{
    uint32_t lanes = 0;
    uint64_t at;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        if (space_of(access, lane, &at) == W_global)
            lanes |= 1U << lane;
    }
    if (lanes)
        watch->accessed(watch->context, warp, access, lanes);
}

static void count_access(struct profile *profile, struct profile_inst *inst,
                         const struct access *access)
{
    struct profile_touched touched;
    struct profile_memory *memory = memory_of(profile, inst);
    touched.lines.n = touched.sectors.n = 0;
    for (uint32_t mask = access->mask; mask; mask &= mask - 1)
        touch_lane(&touched, access, (uint32_t)__builtin_ctz(mask));
    if (!touched.lines.n) {
        memory->shared++;
        return;
    }
    struct profile_access one = {.accesses = 1,
                                 .lines = touched.lines.n,
                                 .sectors = touched.sectors.n,
                                 .uniform = access->span.min == access->span.max,
                                 .min = touched.lines.n,
                                 .max = touched.lines.n,
                                 .min_s = touched.sectors.n,
                                 .max_s = touched.sectors.n};
    add_access(&memory->all, &one);
    if (access->mask == FULL_MASK)
        add_access(&memory->full, &one);
}

// Results

static bool same_in(const struct warp *warp, uint32_t slot, uint32_t width, uint32_t mask)
{
    const uint8_t *lanes = warp_register_lanes(warp, slot);
    if (width == WIDTH_PREDICATE) {
        uint32_t truths = *(const uint32_t *)(const void *)lanes & mask;
        return !truths || truths == mask;
    }
    const uint8_t *first = lanes + (size_t)width * (uint32_t)__builtin_ctz(mask);
    for (mask &= mask - 1; mask; mask &= mask - 1)
        if (memcmp(first, lanes + (size_t)width * (uint32_t)__builtin_ctz(mask), width))
            return false;
    return true;
}

// Returns the number of results in the list: elements of a load, old values of an atomic access.
static uint32_t listed_results(const struct code *code, const struct access *access)
{
    if (code->step == step_load || code->step == step_atomic)
        return access->memory->elements;
    return 0;
}

static void count_results(struct warp *warp, struct profile_inst *inst, const struct code *code,
                          uint32_t mask, const struct access *access)
{
    uint32_t listed = listed_results(code, access), defined = 0;
    bool same = true;
    for (uint32_t i = 0; i < listed; i++) {
        if (code->list->slot[i] == REG_SLOT_NONE)
            continue;
        same &= same_in(warp, code->list->slot[i], code->list->width[i], mask);
        defined++;
    }
    if (code->d != REG_SLOT_NONE && ++defined)
        same &= same_in(warp, code->d, code->width, mask);
    if (code->d2 != REG_SLOT_NONE && ++defined)
        same &= same_in(warp, code->d2, code->width2, mask);
    inst->defined += defined != 0;
    inst->uniform += defined && same;
}

// Instructions

static struct profile_inst *inst_of(struct warp *warp, uint32_t function, const struct code *code)
{
    return &function_of(warp->profile, function)->insts[code->inst];
}

static void count(struct profile_inst *inst, uint32_t came, uint32_t mask)
{
    inst->executions++;
    inst->threads += (uint32_t)__builtin_popcount(came);
    inst->active += mask != 0;
    inst->lanes += (uint32_t)__builtin_popcount(mask);
    inst->parted += mask && mask != came;
}

void profile_before(struct warp *warp, const struct path *path, const struct code *code,
                    uint32_t mask)
{
    const struct program_function *at = &warp->program->functions.v[path->function];
    uint32_t offset = (uint32_t)(code - warp->program->codes.v) - at->begin;
    bool again = path->mask & warp->again;
    const struct profile_watch *watch = warp->profile->watch;
    warp->again &= ~path->mask;
    if (watch)
        watch->before(watch->context, warp, path, code);
    if (!again) {
        uint32_t block = function_of(warp->profile, path->function)->block_at[offset];
        if (block != IR_NONE)
            come_to_block(warp, path->function, block, path->mask);
        if (code->counted)
            count(inst_of(warp, path->function, code), path->mask, mask);
    }
    if (code->step == step_exit)
        leave_all(warp, mask);
    else if (code->step == step_return)
        leave_function(warp, path->function, mask);
}

void profile_after(struct warp *warp, const struct code *code, uint32_t mask)
{
    if (!mask || !code->counted)
        return;
    struct profile_inst *inst = inst_of(warp, warp->paths.v[warp->current].function, code);
    if (warp->profile->watch && (code->step == step_load || code->step == step_store))
        show_access(warp->profile->watch, warp, &warp->access);
    if (code->step == step_load || code->step == step_store || code->step == step_atomic)
        count_access(warp->profile, inst, &warp->access);
    count_results(warp, inst, code, mask, &warp->access);
}

void profile_begun(struct warp *warp, const struct access *access)
{
    count_access(warp->profile, inst_of(warp, access->function, access->code), access);
}

void profile_done(struct warp *warp, uint32_t function, const struct code *code, uint32_t mask,
                  const struct access *access)
{
    count_results(warp, inst_of(warp, function, code), code, mask, access);
}
