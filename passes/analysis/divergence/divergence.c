// Requires a function with its SSA overlay; changes nothing. Optimistic: a value is uniform until a
// use, a branch, or a loop that lanes leave separately shows otherwise. divergence_ways.c computes
// the effects of branches.
#include "passes/analysis/affine/address.h"
#include "passes/analysis/divergence/divergence_internal.h"
#include <string.h>

// Sources of the results of an instruction.
enum origin {
    FROM_OPERANDS, // all its sources
    FROM_MASK,     // warp-wide: only the set of active lanes
    FROM_ADDRESS,  // a load: all its sources, unless each lane has its own memory
    FROM_LANE,     // differs from lane to lane
    FROM_SHUFFLE,
};

static enum origin origin_of_class(uint8_t class)
{
    static const uint8_t pure[] = {CLASS_ARITHMETIC, CLASS_SPECIAL, CLASS_LOGIC,
                                   CLASS_SHIFT,      CLASS_COMPARE, CLASS_SELECT,
                                   CLASS_MOVE,       CLASS_CONVERT, CLASS_VIDEO};
    for (size_t i = 0; i < sizeof pure; i++)
        if (pure[i] == class)
            return FROM_OPERANDS;
    return class == CLASS_LOAD ? FROM_ADDRESS : FROM_LANE;
}

// Returns true for results that each warp computes on its own.
static bool is_of_warp(const struct divergence *d, const struct ir_inst *at)
{
    return d->unknown == SHAPE_BETWEEN_WARPS &&
           (at->op == OP_vote || at->op == OP_redux || at->op == OP_activemask ||
            at->op == OP_match || at->op == OP_shfl);
}

static enum origin origin_of(const struct divergence *d, uint32_t inst)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    if (is_of_warp(d, at))
        return FROM_LANE;
    switch (at->op) {
    case OP_vote:
    case OP_redux:
    case OP_activemask:
    case OP_bar:
    case OP_barrier: return FROM_MASK;
    case OP_match: return ir_has_modifier(d->module, d->fn, inst, W_all) ? FROM_MASK : FROM_LANE;
    case OP_shfl: return FROM_SHUFFLE;
    case OP_alloca: return FROM_LANE;
    default: return origin_of_class(at->class);
    }
}

bool divergence_special(const struct divergence *d, uint32_t special, uint16_t member)
{
    enum isa_varies varies = isa_specials[special].varies;
    bool between = d->unknown == SHAPE_BETWEEN_WARPS;
    if (special != SPECIAL_tid)
        return varies == VARIES_LANE || varies == VARIES_TIME || (between && varies == VARIES_WARP);
    if (!shape_is_known(&d->shape))
        return member == W_x || member == W_UNKNOWN || d->unknown != SHAPE_ASSUMED;
    const struct block_shape *s = &d->shape;
    switch (member) {
    case W_x: return s->x > 1;
    case W_y: return s->y > 1 && (between || s->x % WARP_LANES);
    case W_z: return s->z > 1 && (between || s->x * s->y % WARP_LANES);
    default: return true;
    }
}

// Returns true if lanes leave a loop around `from`, but not around `to`, in different iterations.
static bool leaves_apart(const struct divergence *d, uint32_t from, uint32_t to)
{
    uint32_t loop = d->leaving[from];
    return loop != IR_NONE && !ir_in_loop(d->fn, loop, to);
}

bool divergence_apart(const struct divergence *d, uint32_t from, uint32_t to)
{
    const struct ir_function *fn = d->fn;
    if (from == to)
        return false;
    if (d->cyclic && bits_test(d->cyclic, from))
        return true;
    if (leaves_apart(d, from, to))
        return true;
    return d->late[from] && ir_dominates(fn, from, to) &&
           bits_test(d->late[from], fn->blocks.v[to].dom_in - fn->blocks.v[from].dom_in);
}

bool divergence_left_apart(const struct divergence *d, uint32_t version, uint32_t block)
{
    return divergence_apart(d, ir_version_block(d->fn, version), block);
}

bool divergence_argument_apart(const struct divergence *d, uint32_t version, uint32_t pred,
                               uint32_t block)
{
    uint32_t from = ir_version_block(d->fn, version);
    return divergence_apart(d, from, pred) || divergence_apart(d, from, block);
}

bool divergence_iterates(const struct divergence *d, uint32_t loop, uint32_t block)
{
    return !d->cyclic && !bits_test(d->mixed, loop) &&
           !divergence_apart(d, d->fn->loops.v[loop].header, block);
}

bool divergence_uniform(const struct divergence *d, uint32_t version)
{
    return !bits_test(d->varying, version);
}

bool divergence_uniform_in(const struct divergence *d, uint32_t version, uint32_t block)
{
    return !bits_test(d->varying, version) && !divergence_left_apart(d, version, block);
}

bool divergence_operand(const struct divergence *d, uint32_t operand)
{
    const struct ir_operand *o = &d->fn->operands.v[operand];
    uint32_t version = d->fn->operand_version.v[operand];
    switch (o->kind) {
    case OPERAND_REGISTER:
        return version != IR_NONE &&
               divergence_uniform_in(d, version,
                                     d->fn->insts.v[d->fn->operand_inst.v[operand]].block);
    case OPERAND_SPECIAL: return !divergence_special(d, o->index, o->member);
    case OPERAND_IMMEDIATE:
    case OPERAND_SYMBOL:
    case OPERAND_LABEL:
    case OPERAND_TARGETS:
    case OPERAND_SINK: return true;
    default: return false;
    }
}

bool divergence_branches(const struct divergence *d, uint32_t block)
{
    return bits_test(d->branches, block);
}

// Results of instructions

static bool reads_varying(const struct divergence *d, uint32_t inst, unsigned roles)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (roles >> d->fn->operands.v[i].role & 1 && !divergence_operand(d, i))
            return true;
    return false;
}

static const unsigned guard_roles = 1u << ROLE_GUARD | 1u << ROLE_KEEP;
static const unsigned all_roles = 1u << ROLE_USE | 1u << ROLE_ADDRESS;

// Returns true if lanes that load from the same address read the same memory. Local memory belongs
// to a thread, and so may memory at a generic address of unknown space.
static bool reads_shared_memory(const struct divergence *d, uint32_t inst)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    if (at->op == OP_ldu)
        return true;
    if (at->op != OP_ld || at->flags & INST_ORDERED)
        return false;
    struct address address = address_of(d->module, d->fn, inst);
    bool parameter = address.parameter != IR_NONE &&
                     d->module->symbols.v[address.parameter].parameter != IR_NONE &&
                     d->fn->is_entry;
    switch (address.space) {
    case W_global:
    case W_const:
    case W_shared: return true;
    case W_param: // of the kernel; a call's arguments and results differ from lane to lane
    case W_UNKNOWN: return parameter;
    default: return false;
    }
}

static uint32_t last_operand(const struct ir_function *fn, uint32_t inst)
{
    return fn->insts.v[inst].operands + fn->insts.v[inst].operand_count - 1;
}

// Threads that name different barriers or thread counts get different results.
static bool barrier_varies(const struct divergence *d, uint32_t inst)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    for (uint32_t i = at->operands; i + 1 < at->operands + at->operand_count; i++)
        if (d->fn->operands.v[i].role == ROLE_USE && !divergence_operand(d, i))
            return true;
    return false;
}

static bool mask_varies(const struct divergence *d, uint32_t inst)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    if (at->op == OP_bar || at->op == OP_barrier)
        return barrier_varies(d, inst);
    return d->fn->insts.v[inst].operand_count && ir_has_modifier(d->module, d->fn, inst, W_sync) &&
           !divergence_operand(d, last_operand(d->fn, inst));
}

// shfl d|p, a, b, c: d is uniform if `a` is uniform and the warp is complete, or if all lanes read
// the lane `b` and `c` does not split the warp. Where only part of the warp is active, a lane may
// read the value of an inactive one.
static void classify_shuffle(const struct divergence *d, uint32_t inst, bool *value,
                             bool *predicate)
{
    uint32_t a = ir_find_operand(d->fn, inst, ROLE_USE, 0);
    uint32_t b = ir_find_operand(d->fn, inst, ROLE_USE, 1);
    uint32_t c = ir_find_operand(d->fn, inst, ROLE_USE, 2);
    *value = *predicate = true;
    if (c == IR_NONE)
        return;
    const struct ir_operand *limit = &d->fn->operands.v[c];
    bool one_lane = ir_has_modifier(d->module, d->fn, inst, W_idx) && divergence_operand(d, b) &&
                    limit->kind == OPERAND_IMMEDIATE && limit->value == WARP_LANES - 1;
    bool apart = mask_varies(d, inst);
    *predicate = apart || !one_lane;
    bool partial = bits_test(d->partial, d->fn->insts.v[inst].block);
    *value = apart || (!one_lane && (partial || !divergence_operand(d, a)));
}

void divergence_mark(struct finder *f, uint32_t version)
{
    if (version == IR_NONE || bits_test(f->d->varying, version))
        return;
    bits_set(f->d->varying, version);
    vec_push(f->scratch, &f->changed, version);
}

static void mark_results(struct finder *f, uint32_t inst, bool first, bool others)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_inst *at = &fn->insts.v[inst];
    bool is_first = true;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (fn->operands.v[i].role != ROLE_DEF)
            continue;
        if (is_first ? first : others)
            divergence_mark(f, fn->operand_version.v[i]);
        is_first = false;
    }
}

static void classify_results(struct finder *f, uint32_t inst)
{
    const struct divergence *d = f->d;
    if (reads_varying(d, inst, guard_roles)) {
        mark_results(f, inst, true, true);
        return;
    }
    bool varies = true, others;
    switch (origin_of(d, inst)) {
    case FROM_OPERANDS: varies = reads_varying(d, inst, all_roles); break;
    case FROM_MASK: varies = mask_varies(d, inst); break;
    case FROM_ADDRESS:
        varies = reads_varying(d, inst, all_roles) || !reads_shared_memory(d, inst);
        break;
    case FROM_SHUFFLE:
        classify_shuffle(d, inst, &varies, &others);
        mark_results(f, inst, varies, others);
        return;
    case FROM_LANE: break;
    }
    mark_results(f, inst, varies, varies);
}

static void parts(struct finder *f, uint32_t block)
{
    if (bits_test(f->d->branches, block))
        return;
    bits_set(f->d->branches, block);
    vec_push(f->scratch, &f->parting, block);
}

void divergence_classify(struct finder *f, uint32_t inst)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_inst *at = &fn->insts.v[inst];
    classify_results(f, inst);
    bool branches = at->flags & INST_TERMINATOR && fn->blocks.v[at->block].succ_count > 1;
    if (branches && reads_varying(f->d, inst, guard_roles | all_roles))
        parts(f, at->block);
}

static void visit_uses(struct finder *f, uint32_t version)
{
    const struct ir_function *fn = f->d->fn;
    const uint32_t *uses = ir_uses(fn, version);
    for (uint32_t i = 0; i < fn->versions.v[version].use_count; i++)
        if (uses[i] & USE_PHI)
            divergence_mark(f, fn->phis.v[uses[i] & ~USE_PHI].version);
        else
            divergence_classify(f, fn->operand_inst.v[uses[i]]);
}

static void spread(struct finder *f)
{
    while (f->changed.n || f->parting.n)
        if (f->changed.n)
            visit_uses(f, f->changed.v[--f->changed.n]);
        else
            divergence_follow(f, f->parting.v[--f->parting.n]);
}

struct divergence *divergence_new(struct arena *arena, const struct ir_module *module,
                                  const struct ir_function *fn, struct block_shape shape,
                                  enum divergence_shape unknown)
{
    struct divergence *d = ARENA_NEW(arena, struct divergence);
    *d = (struct divergence){
        .arena = arena, .module = module, .fn = fn, .shape = shape, .unknown = unknown};
    d->varying = bits_new(arena, fn->versions.n + 1);
    d->branches = bits_new(arena, fn->blocks.n + 1);
    d->joins = bits_new(arena, fn->blocks.n + 1);
    d->partial = bits_new(arena, fn->blocks.n + 1);
    d->leaves = bits_new(arena, fn->loops.n + 1);
    d->leaving = ARENA_ARRAY(arena, uint32_t, fn->blocks.n + 1);
    memset(d->leaving, 0xff, fn->blocks.n * sizeof *d->leaving);
    d->mixed = bits_new(arena, fn->loops.n + 1);
    d->late = ARENA_ARRAY(arena, uint64_t *, fn->blocks.n + 1);
    struct arena scratch;
    arena_init(&scratch, arena->memory);
    struct finder f = {.d = d, .scratch = &scratch};
    divergence_prepare(&f);
    for (uint32_t i = 0; i < fn->versions.n; i++) // inputs of the function, or never written
        if (fn->versions.v[i].kind == VERSION_ENTRY)
            divergence_mark(&f, i);
    for (uint32_t inst = 0; inst < fn->insts.n; inst++)
        divergence_classify(&f, inst);
    spread(&f);
    arena_free(&scratch);
    return d;
}
