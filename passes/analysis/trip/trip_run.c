// Simulates loops whose counter starts at a constant and is changed by constants, but not by
// additions: for (i = 1; i < 100; i *= 2), for (s = 128; s > 0; s >>= 1)
#include "passes/analysis/affine/affine_warp.h"
#include "passes/analysis/trip/trip_finder.h"

enum { MAX_ROUNDS = 128, MAX_PHIS = 8, MAX_STEPS = 32 };

struct runner {
    struct trip_finder *f;
    struct affines *affines;
    uint32_t phi;     // the counter
    uint64_t counter; // in this iteration
    int left;         // instructions that may still be evaluated in it
};

static bool operand_number(struct runner *r, uint32_t operand, unsigned bits, uint64_t *to);

static bool constant_number(struct runner *r, uint32_t version, unsigned bits, uint64_t *to)
{
    struct affine value = affine_of_version(r->affines, version);
    *to = (uint64_t)value.constant;
    return affine_is_constant(&value) && value.exact_bits >= bits;
}

static bool inst_number(struct runner *r, uint32_t inst, unsigned bits, uint64_t *to)
{
    const struct ir_function *fn = r->f->fn;
    const struct ir_inst *at = &fn->insts.v[inst];
    const struct operation *operation = operation_find(r->affines, inst);
    uint64_t sources[4] = {0};
    if (!operation || r->left-- <= 0 || (at->flags & INST_GUARDED) || at->vector != 1 ||
        !trip_is_integer(at->type) || ir_type_bits(at->type) != bits ||
        operation_sources(operation) + 1 != at->operand_count ||
        ir_has_modifier(r->f->module, fn, inst, W_sat))
        return false;
    for (uint32_t i = 0; i < operation_sources(operation); i++) {
        bool shifts = i == 1 && (at->op == OP_shl || at->op == OP_shr);
        if (!operand_number(r, trip_use(fn, inst, i), shifts ? 32 : bits, &sources[i]))
            return false;
    }
    bool is_signed = at->type == W_s16 || at->type == W_s32 || at->type == W_s64;
    return operation_compute_number(operation, sources, bits, is_signed, to);
}

static bool version_number(struct runner *r, uint32_t version, unsigned bits, uint64_t *to)
{
    const struct ir_function *fn = r->f->fn;
    const struct ir_version *v = &fn->versions.v[version];
    if (fn->registers.v[v->reg].bits != bits)
        return false;
    if (v->kind == VERSION_PHI && v->index == r->phi) {
        *to = r->counter;
        return true;
    }
    if (v->kind == VERSION_INST && trip_in_loop(r->f, fn->insts.v[v->index].block))
        return inst_number(r, v->index, bits, to);
    return constant_number(r, version, bits, to);
}

static bool operand_number(struct runner *r, uint32_t operand, unsigned bits, uint64_t *to)
{
    const struct ir_operand *o = operand == IR_NONE ? NULL : &r->f->fn->operands.v[operand];
    int64_t value;
    if (!o || o->part)
        return false;
    if (o->kind == OPERAND_IMMEDIATE) {
        bool known = trip_immediate(&r->f->tracer, o, bits, &value);
        *to = known ? (uint64_t)value : 0;
        return known;
    }
    uint32_t version = r->f->fn->operand_version.v[operand];
    return o->kind == OPERAND_REGISTER && !o->negated && o->member == W_UNKNOWN &&
           version != IR_NONE && version_number(r, version, bits, to);
}

static bool holds(const struct test *test, uint64_t left, uint64_t right)
{
    uint64_t x = extended_number(left, test->bits, test->is_signed);
    uint64_t y = extended_number(right, test->bits, test->is_signed);
    bool less = test->is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (test->comparison) {
    case COMPARE_LT: return less;
    case COMPARE_LE: return less || x == y;
    case COMPARE_GT: return !less && x != y;
    case COMPARE_GE: return !less;
    case COMPARE_EQ: return x == y;
    default: return x != y;
    }
}

// Requires one constant from outside, and one path around the loop. Finds the latter's version.
static bool find_ends(struct runner *r, unsigned bits, uint32_t *next)
{
    const struct ir_function *fn = r->f->fn;
    const struct ir_phi *phi = &fn->phis.v[r->phi];
    bool entered = false;
    *next = IR_NONE;
    for (uint32_t i = 0; i < fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(fn, phi->block)[i], version = fn->phi_args.v[phi->args + i];
        uint64_t start;
        if (fn->blocks.v[pred].rpo == IR_NONE)
            continue;
        if (trip_in_loop(r->f, pred)) {
            if (*next != IR_NONE)
                return false;
            *next = version;
        } else {
            if (!constant_number(r, version, bits, &start) || (entered && start != r->counter))
                return false;
            r->counter = start;
            entered = true;
        }
    }
    return entered && *next != IR_NONE;
}

// Counts how often the test passes.
static bool run(struct runner *r, const struct test *test, uint64_t *passed)
{
    const struct ir_function *fn = r->f->fn;
    unsigned bits = fn->registers.v[fn->phis.v[r->phi].reg].bits;
    uint32_t next;
    if (!find_ends(r, bits, &next))
        return false;
    for (*passed = 0; *passed < MAX_ROUNDS; ++*passed) {
        uint64_t left, right;
        r->left = MAX_STEPS;
        if (!operand_number(r, trip_use(fn, test->inst, 0), test->bits, &left) ||
            !operand_number(r, trip_use(fn, test->inst, 1), test->bits, &right))
            return false;
        if (holds(test, left, right) != test->goes_on)
            return true;
        if (!version_number(r, next, bits, &r->counter))
            return false;
    }
    return false;
}

bool trip_simulate(struct trip_finder *f, const struct test *test, bool at_bottom)
{
    const struct ir_block *header = &f->fn->blocks.v[f->fn->loops.v[f->loop].header];
    struct runner r = {.f = f};
    uint64_t passed;
    if (!f->facts || header->phi_count > MAX_PHIS)
        return false;
    r.affines = facts_affines(f->facts);
    for (uint32_t i = 0; i < header->phi_count; i++) {
        r.phi = header->phi + i;
        if (!run(&r, test, &passed))
            continue;
        uint64_t count = passed + at_bottom;
        f->trip = (struct trip){
            .kind = TRIP_CONSTANT, .count = count, .may_be_zero = !count, .because = IR_NONE};
        return true;
    }
    return false;
}
