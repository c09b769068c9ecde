#include "passes/analysis/uses.h"
#include "support/bits.h"

static uint32_t guard_version(const struct ir_function *fn, uint32_t inst)
{
    uint32_t operand = ir_find_operand(fn, inst, ROLE_GUARD, 0);
    return operand == IR_NONE ? IR_NONE : fn->operand_version.v[operand];
}

bool uses_same_guard(const struct ir_function *fn, uint32_t a, uint32_t b)
{
    unsigned both = fn->insts.v[a].flags ^ fn->insts.v[b].flags;
    if (both & (INST_GUARDED | INST_GUARD_NEGATED))
        return false;
    if (!(fn->insts.v[a].flags & INST_GUARDED))
        return true;
    uint32_t guard = guard_version(fn, a);
    return guard != IR_NONE && guard == guard_version(fn, b);
}

static bool is_guarded_definition(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = &fn->versions.v[version];
    return v->kind == VERSION_INST && fn->insts.v[v->index].flags & INST_GUARDED;
}

// Returns true if the reader executes only in lanes in which the guarded definition wrote.
static bool is_covered(const struct ir_function *fn, uint32_t version, uint32_t operand)
{
    uint32_t definition = fn->versions.v[version].index, reader = fn->operand_inst.v[operand];
    return fn->operands.v[operand].role != ROLE_GUARD &&
           fn->insts.v[definition].block == fn->insts.v[reader].block &&
           uses_same_guard(fn, definition, reader);
}

// Returns true if an instruction reads it. Phis and kept values are followed later.
static bool is_read(const struct ir_function *fn, uint32_t version)
{
    bool guarded = is_guarded_definition(fn, version);
    for (uint32_t i = 0; i < fn->versions.v[version].use_count; i++) {
        uint32_t use = ir_uses(fn, version)[i];
        if (use & USE_PHI || fn->operands.v[use].role == ROLE_KEEP)
            continue;
        if (!guarded || !is_covered(fn, version, use))
            return true;
    }
    return false;
}

struct worklist {
    struct arena arena;
    VEC(uint32_t) versions;
};

static void see(struct uses *uses, struct worklist *list, uint32_t version)
{
    const struct ir_function *fn = uses->fn;
    bool matters =
        fn->versions.v[version].kind == VERSION_PHI || is_guarded_definition(fn, version);
    if (!matters || bits_test(uses->seen, version))
        return;
    bits_set(uses->seen, version);
    vec_push(&list->arena, &list->versions, version);
}

// The sources of a version that is read are read, too.
static void spread(struct uses *uses, struct worklist *list, uint32_t version)
{
    const struct ir_function *fn = uses->fn;
    const struct ir_version *v = &fn->versions.v[version];
    if (v->kind == VERSION_PHI) {
        const struct ir_phi *phi = &fn->phis.v[v->index];
        for (uint32_t i = 0; i < fn->blocks.v[phi->block].pred_count; i++)
            if (fn->phi_args.v[phi->args + i] != IR_NONE)
                see(uses, list, fn->phi_args.v[phi->args + i]);
        return;
    }
    const struct ir_inst *inst = &fn->insts.v[v->index];
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_KEEP && fn->operands.v[i].index == v->reg)
            see(uses, list, fn->operand_version.v[i]);
}

void uses_init(struct uses *uses, struct arena *arena, const struct ir_function *fn)
{
    struct worklist list = {0};
    arena_init(&list.arena, arena->memory);
    *uses = (struct uses){fn, bits_new(arena, fn->versions.n + 1)};
    for (uint32_t version = 0; version < fn->versions.n; version++)
        if (is_read(fn, version))
            see(uses, &list, version);
    while (list.versions.n)
        spread(uses, &list, list.versions.v[--list.versions.n]);
    arena_free(&list.arena);
}

static bool counts(const struct uses *uses, uint32_t use)
{
    const struct ir_function *fn = uses->fn;
    if (use & USE_PHI)
        return bits_test(uses->seen, fn->phis.v[use & ~USE_PHI].version);
    if (fn->operands.v[use].role != ROLE_KEEP)
        return true;
    uint32_t made = ir_made_version(fn, fn->operand_inst.v[use], fn->operands.v[use].index);
    return made == IR_NONE || !is_guarded_definition(fn, made) || bits_test(uses->seen, made);
}

struct readers uses_readers(const struct uses *uses, uint32_t version)
{
    const struct ir_function *fn = uses->fn;
    struct readers readers = {.inst = {IR_NONE, IR_NONE}};
    for (uint32_t i = 0; i < fn->versions.v[version].use_count && readers.count < 2; i++) {
        uint32_t use = ir_uses(fn, version)[i];
        if (!counts(uses, use))
            continue;
        uint32_t inst = use & USE_PHI ? IR_NONE : fn->operand_inst.v[use];
        if (!readers.count || readers.inst[0] != inst)
            readers.inst[readers.count++] = inst;
        readers.operands += readers.count == 1 && inst != IR_NONE;
    }
    return readers;
}

bool uses_may_feed(const struct uses *uses, uint32_t from, uint32_t to)
{
    const struct ir_function *fn = uses->fn;
    const struct ir_inst *at = &fn->insts.v[to];
    if (uses_same_guard(fn, from, to))
        return true;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        uint32_t version = fn->operand_version.v[i];
        bool made = version != IR_NONE && fn->versions.v[version].kind == VERSION_INST &&
                    fn->versions.v[version].index == from;
        if (made && fn->operands.v[i].role == ROLE_KEEP && counts(uses, i))
            return false;
    }
    return !(fn->insts.v[from].flags & INST_GUARDED);
}
