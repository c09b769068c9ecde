// Accesses after their first step. They correspond to the accesses of steps_memory.c and atomic.c,
// but find their operands through the frame in which they were issued: the warp may have changed
// its frame, and frames may have moved.
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/warp/compute.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/memory/ldmatrix.h"
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/memory/tensor.h"
#include "runtime-sim/exec/memory/texture.h"
#include "runtime-sim/exec/warp/warpgroup.h"
#include <string.h>

bool held_is_load(const struct code *code)
{
    return code->step == step_load;
}

bool held_is_plain(const struct code *code)
{
    return code->step == step_load || code->step == step_store;
}

static const struct memory_code *memory_of(const struct code *code)
{
    const struct atomic_code *atomic = code->extra;
    return held_is_plain(code) ? code->extra : atomic->memory;
}

bool held_can(const struct code *code)
{
    return (held_is_plain(code) || code->step == step_atomic) && !memory_of(code)->parameter;
}

bool held_touches(const struct code *code)
{
    static step_fn *const steps[] = {step_copy,         step_async_store,   step_fill,
                                     step_mbarrier,     step_matrix_load,   step_matrix_store,
                                     step_tex,          step_tld4,          step_discard,
                                     step_surface_load, step_surface_store, step_surface_reduce,
                                     step_tensor,       step_tensor_field,  step_warpgroup_product};
    for (uint32_t i = 0; i < ARRAY_LENGTH(steps); i++)
        if (code->step == steps[i])
            return true;
    return false;
}

// Operands. The list starts with the results; the others are read.

static uint32_t results_of(const struct code *code)
{
    return code->step == step_store ? 0 : memory_of(code)->elements;
}

// Slots outside the frame do not change.
static uint32_t kept_bytes(const struct code *code, uint32_t n)
{
    if (n < results_of(code) || code->list->slot[n] == REG_SLOT_NONE ||
        code->list->slot[n] >> REG_SLOT_SHIFT != BASE_FRAME)
        return 0;
    return (lanes_bytes(code->list->width[n]) + 63) & ~63u;
}

static void keep_values(struct held *held)
{
    const struct code *code = held->code;
    uint8_t *to = held->values;
    for (uint32_t i = 0; i < code->list->count; i++) {
        uint32_t bytes = kept_bytes(code, i);
        if (bytes)
            memcpy(to, warp_register_lanes(held->warp, code->list->slot[i]),
                   lanes_bytes(code->list->width[i]));
        to += bytes;
    }
}

static void find_operands(struct held *held, void **operands)
{
    const struct code *code = held->code;
    uint8_t *kept = held->values;
    bool keeps = !held->shadow;
    for (uint32_t i = 0; i < code->list->count; i++) {
        uint32_t slot = code->list->slot[i], bytes = keeps ? kept_bytes(code, i) : 0;
        operands[i] = bytes                   ? kept
                      : slot == REG_SLOT_NONE ? NULL
                                              : warp_register_lanes(held->warp, slot);
        kept += bytes;
    }
}

// Returns the maximum number of parts of a step that accesses memory itself.
static size_t count_parts(const struct code *code)
{
    return code->step == step_tex || code->step == step_tld4 ? TOUCHED_PARTS : TOUCHED_PARTS / 4;
}

size_t held_bytes(const struct program *program)
{
    size_t max = 0;
    for (uint32_t i = 0; i < program->codes.n; i++) {
        const struct code *code = &program->codes.v[i];
        size_t bytes = held_touches(code) ? count_parts(code) * sizeof(struct touched_part) : 0;
        for (uint32_t k = 0; held_can(code) && k < code->list->count; k++)
            bytes += kept_bytes(code, k);
        max = bytes > max ? bytes : max;
    }
    return (sizeof(struct held) + max + 63) & ~(size_t)63;
}

// First step

static void sort_generic(struct held *held)
{
    held->global = held->shared = held->local = 0;
    for (uint32_t mask = held->mask; mask; mask &= mask - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        struct spot spot = {.space = W_UNKNOWN, .address = held->access.address[lane]};
        access_settle(held->warp->cta, &spot);
        held->address[lane] = spot.address;
        *(spot.space == W_shared  ? &held->shared
          : spot.space == W_local ? &held->local
                                  : &held->global) |= 1u << lane;
    }
}

static void sort_lanes(struct held *held)
{
    const struct access *access = &held->access;
    uint16_t space = access->memory->space;
    if (space == W_UNKNOWN && access->span.min < GLOBAL_FIRST) {
        sort_generic(held);
        return;
    }
    held->shared = space == W_shared ? held->mask : 0;
    held->local = space == W_local ? held->mask : 0;
    held->global = held->mask & ~held->shared & ~held->local;
    memcpy(held->address, access->address, sizeof held->address);
}

static enum held_kind kind_of(const struct code *code)
{
    if (held_is_plain(code))
        return code->step == step_load ? HELD_LOAD : HELD_STORE;
    for (uint32_t i = 0; i < results_of(code); i++)
        if (code->list->slot[i] != REG_SLOT_NONE)
            return HELD_ATOMIC;
    return HELD_REDUCE;
}

static void begin_plain(struct held *held, const struct path *path,
                        const struct memory_code *memory)
{
    struct access *access = &held->access;
    access_addresses(held->warp, path, held->code, memory, held->mask,
                     (uint32_t)memory->bytes * memory->elements, access);
    access->plain = true;
    access->reads = held->kind == HELD_LOAD;
    access->writes = held->kind == HELD_STORE;
    memcpy(access->width, held->code->list->width, memory->elements);
    if (access->reads && memory->order != W_weak)
        held->warp->budget -= ORDERED_COST;
}

// Records the address of one lane, for the report of a launch without progress.
static void note_access(const struct held *held)
{
    const struct access *from = &held->access;
    struct access *to = &held->warp->access;
    uint32_t lane = held->mask ? (uint32_t)__builtin_ctz(held->mask) : 0;
    to->code = from->code;
    to->memory = from->memory;
    to->function = from->function;
    to->mask = held->mask & (1u << lane);
    to->address[lane] = from->address[lane];
}

void held_begin(struct held *held, struct warp *warp, const struct path *path,
                const struct code *code, uint32_t mask)
{
    const struct memory_code *memory = memory_of(code);
    held->warp = warp;
    held->code = code;
    held->kind = (uint8_t)kind_of(code);
    held->served = held->changed = false;
    held->order = memory->order;
    held->scope = memory->scope;
    memcpy(held->cache, memory->cache, sizeof held->cache);
    held->mask = held->left = mask;
    held->frame = path->frame;
    held->shadow = NULL;
    held->touched.count = 0;
    if (held_is_plain(code))
        begin_plain(held, path, memory);
    else
        atomic_begin(warp, path, code, mask, &held->access);
    held->bytes = held->access.bytes;
    sort_lanes(held);
    keep_values(held);
    note_access(held);
    if (warp->profile)
        profile_begun(warp, &held->access);
}

// Second and third step

static bool serve_plain(struct held *held)
{
    find_operands(held, held->access.data);
    return access_memory(held->warp, &held->access) != STEP_FAULT;
}

static bool serve_atomic(struct held *held)
{
    void *operands[ATOMIC_OPERANDS];
    find_operands(held, operands);
    return atomic_lanes(held->warp, &held->access, operands, &held->changed) != STEP_FAULT;
}

static void end(const struct held *held)
{
    if (held->warp->profile)
        profile_done(held->warp, held->access.function, held->code, held->mask, &held->access);
    if (held->access.atomic && !held->changed)
        atomic_yield(held->warp, held->code);
}

static bool serve(struct held *held, uint32_t mask)
{
    held->access.mask = mask;
    return (held_is_plain(held->code) ? serve_plain : serve_atomic)(held);
}

// Lanes are served in the order of their lines. If several fault, the first one is reported, as in
// an untimed run.
static bool report_first(struct held *held)
{
    held->warp->fault->happened = false;
    return serve(held, held->left);
}

bool held_serve(struct held *held, uint32_t mask)
{
    struct warp *warp = held->warp;
    bool faulted = warp->fault->happened;
    warp->bases[BASE_FRAME] = held->shadow ? held->shadow : warp->frames + held->frame;
    if (!serve(held, mask))
        return faulted ? false : report_first(held);
    for (const struct code *code = held->code; !code->ends;)
        compute(warp, ++code, mask);
    held->left &= ~mask;
    if (!held->left)
        end(held);
    return true;
}
