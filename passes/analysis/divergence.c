// Needs a function with its SSA overlay; changes nothing. Optimistic: all is uniform until a reason
// to the contrary arrives by a use, a branch or a loop that lanes leave one by one.
//
// Where lanes meet that a branch has parted is found as in "Divergence analysis" (Sampaio and
// others, 2013) and LLVM's sync dependence: each successor of the branch is a colour that is handed
// on along the edges; a block that two colours reach is a meeting point and a colour of its own.
// The walk ends where the branch's ways all come together. It is bounded over the whole function:
// beyond that, and in irreducible functions, every phi counts as varying.
#include "passes/analysis/divergence.h"
#include "passes/analysis/address.h"
#include "support/bits.h"

enum { WALKS_PER_BLOCK = 64 };

struct divergence {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct block_shape shape;
    enum divergence_shape unknown;
    uint64_t *varying;  // versions
    uint64_t *branches; // blocks
    uint64_t *joins;    // blocks in which parted lanes meet
    uint64_t *leaves;   // loops
    bool coarse;        // every phi varies, and all that leaves a loop
};

struct finder {
    struct divergence *d;
    struct arena *scratch;
    VEC(uint32_t) changed; // versions that have become varying
    VEC(uint32_t) parting; // blocks whose branch has turned out to part a warp
    uint64_t budget;       // blocks that may still be walked through
    // of one walk; blocks by their place in reverse post-order
    uint64_t *pending;
    uint32_t *colour; // per block: colour + 1
    VEC(uint32_t) coloured;
    uint32_t first; // nothing pending lies before it
    uint32_t waiting;
};

// What the results of an instruction follow from.
enum origin {
    FROM_OPERANDS, // all that it reads
    FROM_MASK,     // warp-wide: only who takes part
    FROM_ADDRESS,  // a load: all that it reads, unless lanes have memory of their own
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

// Answers that each warp finds for itself.
static bool is_of_warp(const struct divergence *d, const struct ir_inst *at)
{
    return d->unknown == SHAPE_BETWEEN_WARPS &&
           (at->op == OP_vote || at->op == OP_redux || at->op == OP_activemask ||
            at->op == OP_match || at->op == OP_shfl);
}

// bar.red d, a, b, p: lanes that name different barriers, or counts, get different answers.
static bool barrier_varies(const struct divergence *d, uint32_t inst)
{
    for (uint32_t n = 0; ir_find_operand(d->fn, inst, ROLE_USE, n + 1) != IR_NONE; n++)
        if (!divergence_operand(d, ir_find_operand(d->fn, inst, ROLE_USE, n)))
            return true;
    return false;
}

static enum origin origin_of(const struct divergence *d, uint32_t inst)
{
    const struct ir_inst *at = &d->fn->insts.v[inst];
    if (is_of_warp(d, at))
        return FROM_LANE;
    switch (at->op) {
    case OP_vote:
    case OP_redux:
    case OP_activemask: return FROM_MASK;
    case OP_bar:
    case OP_barrier: return barrier_varies(d, inst) ? FROM_LANE : FROM_MASK;
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

// True if the version is read behind a loop that lanes leave in different iterations.
static bool leaves_apart(const struct divergence *d, uint32_t version, uint32_t block)
{
    uint32_t loop = d->fn->blocks.v[ir_version_block(d->fn, version)].loop;
    for (; loop != IR_NONE && !ir_in_loop(d->fn, loop, block); loop = d->fn->loops.v[loop].parent)
        if (bits_test(d->leaves, loop))
            return true;
    return false;
}

bool divergence_left_apart(const struct divergence *d, uint32_t version, uint32_t block)
{
    return d->coarse || leaves_apart(d, version, block);
}

bool divergence_uniform(const struct divergence *d, uint32_t version)
{
    return !bits_test(d->varying, version);
}

bool divergence_uniform_in(const struct divergence *d, uint32_t version, uint32_t block)
{
    return !bits_test(d->varying, version) && !leaves_apart(d, version, block);
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

bool divergence_leaves(const struct divergence *d, uint32_t loop)
{
    return bits_test(d->leaves, loop);
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

// A load whose lanes read one place if their addresses are the same. Local memory is a thread's
// own, and so may be a generic address that is not known to lead elsewhere.
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

static bool mask_varies(const struct divergence *d, uint32_t inst)
{
    return d->fn->insts.v[inst].operand_count && ir_has_modifier(d->module, d->fn, inst, W_sync) &&
           !divergence_operand(d, last_operand(d->fn, inst));
}

// shfl d|p, a, b, c: one lane's value for all if `a` is the same everywhere, or if all read the
// lane that `b` names and `c` does not divide the warp.
static void judge_shuffle(const struct divergence *d, uint32_t inst, bool *value, bool *predicate)
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
    *value = apart || (!one_lane && !divergence_operand(d, a));
}

static void mark(struct finder *f, uint32_t version)
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
            mark(f, fn->operand_version.v[i]);
        is_first = false;
    }
}

static void judge_results(struct finder *f, uint32_t inst)
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
        judge_shuffle(d, inst, &varies, &others);
        mark_results(f, inst, varies, others);
        return;
    case FROM_LANE: break;
    }
    mark_results(f, inst, varies, varies);
}

// Branches

static void mark_phis(struct finder *f, uint32_t block)
{
    const struct ir_block *b = &f->d->fn->blocks.v[block];
    if (bits_test(f->d->joins, block))
        return;
    bits_set(f->d->joins, block);
    for (uint32_t i = b->phi; i < b->phi + b->phi_count; i++)
        mark(f, f->d->fn->phis.v[i].version);
}

static void judge(struct finder *f, uint32_t inst);

// What reads the version: all of it, or only what lies outside a loop.
static void visit_uses(struct finder *f, uint32_t version, uint32_t outside)
{
    const struct ir_function *fn = f->d->fn;
    const uint32_t *uses = ir_uses(fn, version);
    for (uint32_t i = 0; i < fn->versions.v[version].use_count; i++) {
        uint32_t use = uses[i], phi = use & ~USE_PHI, inst = use & USE_PHI ? 0 : use;
        inst = use & USE_PHI ? IR_NONE : fn->operand_inst.v[inst];
        uint32_t block = inst == IR_NONE ? fn->phis.v[phi].block : fn->insts.v[inst].block;
        if (outside != IR_NONE && ir_in_loop(fn, outside, block))
            continue;
        if (inst == IR_NONE)
            mark(f, fn->phis.v[phi].version);
        else
            judge(f, inst);
    }
}

// Lanes leave the loop in different iterations: what it defines differs between them behind it.
static void leave_apart(struct finder *f, uint32_t loop)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_loop *l = &fn->loops.v[loop];
    if (bits_test(f->d->leaves, loop))
        return;
    bits_set(f->d->leaves, loop);
    for (uint32_t i = 0; i < l->block_count; i++) {
        const struct ir_block *b = &fn->blocks.v[l->blocks[i]];
        for (uint32_t k = b->phi; k < b->phi + b->phi_count; k++)
            visit_uses(f, fn->phis.v[k].version, loop);
        uint32_t end = b->first < b->end ? last_operand(fn, b->end - 1) + 1 : 0;
        for (uint32_t k = end ? fn->insts.v[b->first].operands : 0; k < end; k++)
            if (fn->operands.v[k].role == ROLE_DEF && fn->operand_version.v[k] != IR_NONE)
                visit_uses(f, fn->operand_version.v[k], loop);
    }
}

// Gives up telling where lanes meet.
static void make_coarse(struct finder *f)
{
    struct divergence *d = f->d;
    if (d->coarse)
        return;
    d->coarse = true;
    for (uint32_t loop = 0; loop < d->fn->loops.n; loop++)
        bits_set(d->leaves, loop);
    for (uint32_t block = 0; block < d->fn->blocks.n; block++)
        mark_phis(f, block);
    for (uint32_t inst = 0; inst < d->fn->insts.n; inst++)
        judge(f, inst);
}

static void colour(struct finder *f, uint32_t block, uint32_t hue, uint32_t from, uint32_t to)
{
    uint32_t *at = &f->colour[block];
    if (!*at)
        vec_push(f->scratch, &f->coloured, block);
    if (*at == hue + 1)
        return;
    if (*at) // two ways meet
        mark_phis(f, block);
    if (*at == block + 1)
        return;
    *at = (*at ? block : hue) + 1;
    uint32_t place = f->d->fn->blocks.v[block].rpo;
    if (block == from || block == to || place == IR_NONE || bits_test(f->pending, place))
        return;
    bits_set(f->pending, place);
    f->waiting++;
    f->first = place < f->first ? place : f->first;
}

// Follows the ways from a branch to where they have all met, or to their ends.
static void find_joins(struct finder *f, uint32_t from)
{
    const struct ir_function *fn = f->d->fn;
    uint32_t to = fn->blocks.v[from].ipdom;
    f->first = fn->rpo.n;
    for (uint32_t i = 0; i < fn->blocks.v[from].succ_count; i++)
        colour(f, ir_succs(fn, from)[i], ir_succs(fn, from)[i], from, to);
    while (f->waiting && f->budget) {
        f->first = bits_next(f->pending, f->first, fn->rpo.n);
        uint32_t block = fn->rpo.v[f->first];
        bits_clear(f->pending, f->first);
        f->waiting--;
        f->budget--;
        for (uint32_t i = 0; i < fn->blocks.v[block].succ_count; i++)
            colour(f, ir_succs(fn, block)[i], f->colour[block] - 1, from, to);
    }
    for (uint32_t i = 0; i < f->coloured.n; i++)
        f->colour[f->coloured.v[i]] = 0;
    f->coloured.n = 0;
    if (!f->budget)
        make_coarse(f);
}

// Where lanes meet that the branch parts, and which loops they leave apart.
static void follow_ways(struct finder *f, uint32_t block)
{
    const struct ir_function *fn = f->d->fn;
    if (f->d->coarse)
        return;
    if (fn->irreducible) {
        make_coarse(f);
        return;
    }
    find_joins(f, block);
    uint32_t meet = fn->blocks.v[block].ipdom, loop = fn->blocks.v[block].loop;
    bool meets = meet < fn->blocks.n;
    for (; loop != IR_NONE && !(meets && ir_in_loop(fn, loop, meet));
         loop = fn->loops.v[loop].parent)
        leave_apart(f, loop);
}

static void parts(struct finder *f, uint32_t block)
{
    if (bits_test(f->d->branches, block))
        return;
    bits_set(f->d->branches, block);
    vec_push(f->scratch, &f->parting, block);
}

static void judge(struct finder *f, uint32_t inst)
{
    const struct ir_function *fn = f->d->fn;
    const struct ir_inst *at = &fn->insts.v[inst];
    judge_results(f, inst);
    bool branches = at->flags & INST_TERMINATOR && fn->blocks.v[at->block].succ_count > 1;
    if (branches && reads_varying(f->d, inst, guard_roles | all_roles))
        parts(f, at->block);
}

static void spread(struct finder *f)
{
    while (f->changed.n || f->parting.n)
        if (f->changed.n)
            visit_uses(f, f->changed.v[--f->changed.n], IR_NONE);
        else
            follow_ways(f, f->parting.v[--f->parting.n]);
}

struct divergence *divergence_new(struct arena *arena, const struct ir_module *module,
                                  const struct ir_function *fn, struct block_shape shape,
                                  enum divergence_shape unknown)
{
    struct divergence *d = ARENA_NEW(arena, struct divergence);
    *d = (struct divergence){arena, module, fn, shape, unknown, NULL, NULL, NULL, NULL, false};
    d->varying = bits_new(arena, fn->versions.n + 1);
    d->branches = bits_new(arena, fn->blocks.n + 1);
    d->joins = bits_new(arena, fn->blocks.n + 1);
    d->leaves = bits_new(arena, fn->loops.n + 1);
    struct arena scratch;
    arena_init(&scratch, arena->memory);
    struct finder f = {.d = d, .scratch = &scratch};
    f.budget = (uint64_t)(fn->blocks.n + 1) * WALKS_PER_BLOCK;
    f.pending = bits_new(&scratch, fn->rpo.n + 1);
    f.colour = ARENA_ARRAY(&scratch, uint32_t, fn->blocks.n + 1);
    for (uint32_t i = 0; i < fn->versions.n; i++) // what the caller left, or nobody wrote
        if (fn->versions.v[i].kind == VERSION_ENTRY)
            mark(&f, i);
    for (uint32_t inst = 0; inst < fn->insts.n; inst++)
        judge(&f, inst);
    spread(&f);
    arena_free(&scratch);
    return d;
}
