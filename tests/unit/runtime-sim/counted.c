#include "tests/unit/runtime-sim/counted.h"
#include "passes/base/passes.h"

#define EXPECT(condition, what)                                                                    \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("line %u: %s", ir_position(module, fn, inst).line, what);                     \
    } while (0)

static void compare_lines(const struct ir_module *module, const struct ir_function *fn,
                          uint32_t inst, const struct coalescing *c,
                          const struct profile_memory *memory, struct bounds_counts *tally)
{
    const struct profile_access *full = &memory->full;
    if (c->uniform)
        EXPECT(memory->all.uniform == memory->all.accesses, "addresses differ");
    if (!full->accesses)
        return;
    tally->compared++;
    EXPECT(full->min >= c->min && full->max <= c->max, "lines");
    EXPECT(full->min_s >= c->min_s && full->max_s <= c->max_s, "sectors");
    if (coalescing_is_exact(c))
        EXPECT(full->lines * c->lines.of == full->accesses * c->lines.count, "sum of lines");
    if (c->min_s == c->max_s)
        EXPECT(full->sectors * c->sectors.of == full->accesses * c->sectors.count,
               "sum of sectors");
}

static void compare_access(struct coalescings *coalescings, const struct ir_module *module,
                           const struct ir_function *fn, uint32_t inst,
                           const struct profile_inst *counts, struct bounds_counts *tally)
{
    struct coalescing c = coalescing_of(coalescings, inst);
    if (!c.access || fn->blocks.v[fn->insts.v[inst].block].rpo == IR_NONE)
        return;
    if (c.space != W_local) {
        tally->accesses++;
        tally->known += c.known;
        tally->exact += coalescing_is_exact(&c);
    }
    if (counts->memory && counts->memory->all.accesses)
        compare_lines(module, fn, inst, &c, counts->memory, tally);
}

// Returns true if the analysis calls all definitions of the instruction uniform.
static bool said_uniform(const struct ir_function *fn, const struct divergence *divergence,
                         uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    bool any = false, all = true;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_DEF && fn->operand_version.v[i] != IR_NONE) {
            any = true;
            all &= divergence_uniform(divergence, fn->operand_version.v[i]);
        }
    return any && all;
}

static void compare_results(const struct ir_module *module, const struct ir_function *fn,
                            const struct divergence *divergence, uint32_t inst,
                            const struct profile_inst *counts, struct bounds_counts *tally)
{
    uint32_t block = fn->insts.v[inst].block;
    if (fn->blocks.v[block].rpo == IR_NONE)
        return;
    if (said_uniform(fn, divergence, inst)) {
        tally->uniform++;
        EXPECT(counts->uniform == counts->defined, "results differ");
    }
    bool last = inst + 1 == fn->blocks.v[block].end && fn->insts.v[inst].class == CLASS_BRANCH;
    if (last && !divergence_branches(divergence, block))
        EXPECT(!counts->parted, "the branch parts a warp");
}

// Compares trip counts. A loop that is tested before its body reaches its header once more than the
// body runs.
static void compare_trips(struct arena *arena, const struct ir_module *module, uint32_t function,
                          const struct profile_function *counts, struct bounds_counts *tally)
{
    const struct ir_function *fn = &module->functions.v[function];
    struct plan plan = {.arena = arena};
    struct pass_options options = {.cost = COST_TOM};
    pass_all(&pass_blocks, (struct ir_module *)(uintptr_t)module, &options, &plan);
    for (uint32_t i = 0; i < plan.blocks.n; i++) {
        const struct block_plan *block = &plan.blocks.v[i];
        if (block->function != function || block->kind != BLOCK_LOOP ||
            block->trip != TRIP_CONSTANT)
            continue;
        for (uint32_t k = 0; k < fn->loops.n; k++) {
            const struct profile_loop *loop = &counts->loops[k];
            uint32_t inst = block->first;
            if (fn->loops.v[k].header != block->entry || !loop->entries)
                continue;
            tally->loops++;
            EXPECT(loop->min == loop->max, "not the same number of iterations");
            EXPECT(loop->max == block->trips || loop->max == block->trips + 1, "iterations");
        }
    }
}

void counted_compare(struct arena *arena, const struct ir_module *module, uint32_t function,
                     const struct profile_function *counts, struct block_shape shape,
                     struct bounds_counts *tally)
{
    const struct ir_function *fn = &module->functions.v[function];
    struct divergence *divergence = divergence_new(arena, module, fn, shape, SHAPE_ASSUMED);
    struct affines *affines = affines_new(arena, module, fn, divergence, shape);
    struct coalescings *coalescings = coalescings_new(arena, module, fn, affines, shape);
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        compare_access(coalescings, module, fn, i, &counts->insts[i], tally);
        compare_results(module, fn, divergence, i, &counts->insts[i], tally);
    }
    compare_trips(arena, module, function, counts, tally);
}
