// Counted loops: one exit, whose test compares a counter with a bound. The counter is a register
// that all ways around the loop change by the same step; the bound does not change in the loop.
#include "passes/trip.h"
#include "passes/trip_count.h"

enum { MOST_STEPS = 64 }; // of a trace

struct finder {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    uint32_t loop;
    struct trip trip;
};

// A value as base + add + steps · step: what a trace through copies and additions comes to.
struct linear {
    enum { LINEAR_UNKNOWN, LINEAR_CONSTANT, LINEAR_COUNTER, LINEAR_FIXED } kind;
    uint32_t phi;      // LINEAR_COUNTER: phi at the loop's header
    struct atom fixed; // LINEAR_FIXED: the same during all of the loop
    int64_t add;
    int steps; // how often `step` is added: -1, 0, 1
    struct atom step;
};

static bool unknown(struct finder *f, uint32_t because, const char *why)
{
    f->trip = (struct trip){.kind = TRIP_UNKNOWN, .why = why, .because = because};
    return false;
}

static int64_t sign_extend(int64_t value, unsigned bits)
{
    return bits < 64 ? (int64_t)((uint64_t)value << (64 - bits)) >> (64 - bits) : value;
}

// Registers wrap around.
static int64_t wrapping_sum(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrapping_negative(int64_t a)
{
    return (int64_t) - (uint64_t)a;
}

static bool in_loop(const struct finder *f, uint32_t block)
{
    return ir_in_loop(f->fn, f->loop, block);
}

static uint32_t operand_after_defs(const struct ir_function *fn, uint32_t inst, uint32_t n)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_USE && !n--)
            return i;
    return IR_NONE;
}

static uint32_t count_role(const struct ir_function *fn, uint32_t inst, enum ir_role role)
{
    uint32_t count = 0;
    while (ir_find_operand(fn, inst, role, count) != IR_NONE)
        count++;
    return count;
}

static bool is_integer(uint16_t type)
{
    static const uint16_t types[] = {W_s16, W_s32, W_s64, W_u16, W_u32, W_u64, W_b16, W_b32, W_b64};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i] == type)
            return true;
    return false;
}

// A plain instruction with one result of this width and so many sources, the only kind traced.
static bool is_plain(const struct finder *f, uint32_t inst, uint32_t sources, unsigned bits)
{
    const struct ir_inst *at = &f->fn->insts.v[inst];
    return !(at->flags & INST_GUARDED) && at->vector == 1 && is_integer(at->type) &&
           ir_type_bits(at->type) == bits && at->operand_count == sources + 1 &&
           count_role(f->fn, inst, ROLE_DEF) == 1 && count_role(f->fn, inst, ROLE_USE) == sources &&
           !ir_has_modifier(f->module, f->fn, inst, W_sat);
}

static uint32_t defining_inst(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = &fn->versions.v[version];
    return v->kind == VERSION_INST ? v->index : IR_NONE;
}

// Constants, through copies anywhere.
static bool constant_operand(const struct finder *f, uint32_t operand, unsigned bits,
                             int64_t *value)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        const struct ir_operand *o = &f->fn->operands.v[operand];
        if (o->kind == OPERAND_IMMEDIATE &&
            (o->node == IR_NONE || f->module->tree->nodes.v[o->node].kind != NODE_FLOAT64)) {
            *value = sign_extend(o->negated ? wrapping_negative(o->value) : o->value, bits);
            return true;
        }
        uint32_t version = f->fn->operand_version.v[operand];
        if (o->kind != OPERAND_REGISTER || o->negated || version == IR_NONE)
            return false;
        uint32_t inst = defining_inst(f->fn, version);
        if (inst == IR_NONE || f->fn->insts.v[inst].op != OP_mov || !is_plain(f, inst, 1, bits))
            return false;
        operand = operand_after_defs(f->fn, inst, 0);
    }
    return false;
}

// Values that do not change while the loop runs

static bool register_atom(const struct finder *f, uint32_t reg, unsigned bits, struct atom *atom)
{
    *atom = (struct atom){.kind = ATOM_REGISTER, .index = reg};
    return f->fn->registers.v[reg].bits == bits;
}

static bool special_atom(const struct ir_operand *operand, struct atom *atom)
{
    enum isa_varies varies = isa_specials[operand->index].varies;
    *atom = (struct atom){.kind = ATOM_SPECIAL, .index = operand->index, .member = operand->member};
    return varies != VARIES_TIME && varies != VARIES_WARP;
}

// A kernel parameter that the loop reads again and again.
static bool parameter_atom(const struct finder *f, uint32_t inst, unsigned bits, struct atom *atom)
{
    const struct ir_inst *at = &f->fn->insts.v[inst];
    bool reads =
        at->op == OP_ld && (at->space == W_param || at->space == W_param_entry) && f->fn->is_entry;
    if (!reads || (at->flags & INST_GUARDED) || at->vector != 1 || ir_type_bits(at->type) != bits)
        return false;
    uint32_t address = ir_find_operand(f->fn, inst, ROLE_ADDRESS, 0);
    if (address == IR_NONE || f->fn->operands.v[address].kind != OPERAND_SYMBOL)
        return false;
    const struct ir_operand *o = &f->fn->operands.v[address];
    *atom = (struct atom){.kind = ATOM_PARAMETER, .index = o->index, .offset = o->value};
    return f->module->symbols.v[o->index].parameter != IR_NONE;
}

static bool outside_version(const struct finder *f, uint32_t version)
{
    const struct ir_version *v = &f->fn->versions.v[version];
    return v->kind == VERSION_ENTRY || !in_loop(f, ir_version_block(f->fn, version));
}

// Traces

static bool is_counter(const struct finder *f, uint32_t version)
{
    const struct ir_version *v = &f->fn->versions.v[version];
    return v->kind == VERSION_PHI &&
           f->fn->phis.v[v->index].block == f->fn->loops.v[f->loop].header;
}

// Where a trace ends: a constant, a value from outside, the counter itself.
static bool ends_trace(const struct finder *f, uint32_t operand, unsigned bits, struct linear *to)
{
    const struct ir_operand *o = &f->fn->operands.v[operand];
    uint32_t version = f->fn->operand_version.v[operand];
    int64_t value;
    if (constant_operand(f, operand, bits, &value)) {
        to->kind = LINEAR_CONSTANT;
        to->add = wrapping_sum(to->add, value);
        return true;
    }
    if (o->kind == OPERAND_SPECIAL && special_atom(o, &to->fixed)) {
        to->kind = LINEAR_FIXED;
        return true;
    }
    if (o->kind != OPERAND_REGISTER || o->negated || version == IR_NONE)
        return true;
    if (is_counter(f, version)) {
        to->kind = LINEAR_COUNTER;
        to->phi = f->fn->versions.v[version].index;
        return true;
    }
    if (outside_version(f, version)) {
        to->kind = register_atom(f, o->index, bits, &to->fixed) ? LINEAR_FIXED : LINEAR_UNKNOWN;
        return true;
    }
    uint32_t inst = defining_inst(f->fn, version);
    if (inst != IR_NONE && parameter_atom(f, inst, bits, &to->fixed)) {
        to->kind = LINEAR_FIXED;
        return true;
    }
    return inst == IR_NONE;
}

static bool fixed_operand(const struct finder *f, uint32_t operand, unsigned bits,
                          struct atom *atom)
{
    struct linear found = {.kind = LINEAR_UNKNOWN};
    if (!ends_trace(f, operand, bits, &found) || found.kind != LINEAR_FIXED)
        return false;
    *atom = found.fixed;
    return true;
}

// One addition or subtraction: the operand to go on with, or IR_NONE.
static uint32_t follow_sum(const struct finder *f, uint32_t inst, unsigned bits, struct linear *to)
{
    const struct ir_inst *at = &f->fn->insts.v[inst];
    uint32_t a = operand_after_defs(f->fn, inst, 0), b = operand_after_defs(f->fn, inst, 1);
    int sign = at->op == OP_sub ? -1 : 1;
    int64_t value;
    struct atom step;
    if (constant_operand(f, b, bits, &value)) {
        to->add = wrapping_sum(to->add, sign < 0 ? wrapping_negative(value) : value);
        return a;
    }
    if (sign > 0 && constant_operand(f, a, bits, &value)) {
        to->add = wrapping_sum(to->add, value);
        return b;
    }
    if (to->steps)
        return IR_NONE;
    to->steps = sign;
    if (fixed_operand(f, b, bits, &step)) {
        to->step = step;
        return a;
    }
    if (sign > 0 && fixed_operand(f, a, bits, &step)) {
        to->step = step;
        return b;
    }
    return IR_NONE;
}

// Sums wrap around at the width, so that the constant part is taken modulo 2^bits.
static struct linear trace(const struct finder *f, uint32_t operand, unsigned bits)
{
    struct linear to = {.kind = LINEAR_UNKNOWN};
    for (int i = 0; i < MOST_STEPS; i++) {
        if (ends_trace(f, operand, bits, &to)) {
            to.add = sign_extend(to.add, bits);
            return to;
        }
        uint32_t inst = defining_inst(f->fn, f->fn->operand_version.v[operand]);
        enum isa_op op = f->fn->insts.v[inst].op;
        if (op == OP_mov && is_plain(f, inst, 1, bits))
            operand = operand_after_defs(f->fn, inst, 0);
        else if ((op == OP_add || op == OP_sub) && is_plain(f, inst, 2, bits))
            operand = follow_sum(f, inst, bits, &to);
        else
            operand = IR_NONE;
        if (operand == IR_NONE)
            break;
    }
    return (struct linear){.kind = LINEAR_UNKNOWN};
}

// The counter: by how much it changes, and where it begins.

// What all ways around the loop bring to the counter; the trace starts from a version, so it needs
// the operand that reads or defines it.
static struct linear trace_version(const struct finder *f, uint32_t version, unsigned bits)
{
    const struct ir_version *v = &f->fn->versions.v[version];
    struct linear to = {.kind = LINEAR_UNKNOWN};
    if (is_counter(f, version)) {
        to.kind = LINEAR_COUNTER;
        to.phi = v->index;
        return to;
    }
    return v->kind == VERSION_INST ? trace(f, v->operand, bits) : to;
}

static bool same_atom(const struct atom *a, const struct atom *b)
{
    return a->kind == b->kind && a->index == b->index && a->member == b->member &&
           a->offset == b->offset;
}

static bool find_step(struct finder *f, uint32_t phi, unsigned bits, struct linear *step)
{
    const struct ir_phi *at = &f->fn->phis.v[phi];
    bool found = false;
    for (uint32_t i = 0; i < f->fn->blocks.v[at->block].pred_count; i++) {
        if (!in_loop(f, ir_preds(f->fn, at->block)[i]))
            continue;
        struct linear next = trace_version(f, f->fn->phi_args.v[at->args + i], bits);
        if (next.kind != LINEAR_COUNTER || next.phi != phi)
            return false;
        if (found && (next.add != step->add || next.steps != step->steps ||
                      !same_atom(&next.step, &step->step)))
            return false;
        *step = next;
        found = true;
    }
    return found && (step->steps ? !step->add : step->add != 0);
}

static bool constant_version(const struct finder *f, uint32_t version, unsigned bits,
                             int64_t *value)
{
    uint32_t inst = defining_inst(f->fn, version);
    return inst != IR_NONE && f->fn->insts.v[inst].op == OP_mov && is_plain(f, inst, 1, bits) &&
           constant_operand(f, operand_after_defs(f->fn, inst, 0), bits, value);
}

// The value with which the counter enters: one constant, or what its register holds.
static bool find_start(const struct finder *f, uint32_t phi, unsigned bits, struct endpoint *start)
{
    const struct ir_phi *at = &f->fn->phis.v[phi];
    bool constant = true, found = false;
    for (uint32_t i = 0; i < f->fn->blocks.v[at->block].pred_count; i++) {
        int64_t value = 0;
        uint32_t pred = ir_preds(f->fn, at->block)[i];
        if (in_loop(f, pred) || f->fn->blocks.v[pred].rpo == IR_NONE)
            continue;
        constant &= constant_version(f, f->fn->phi_args.v[at->args + i], bits, &value) &&
                    (!found || value == start->constant);
        start->constant = value;
        found = true;
    }
    start->is_constant = constant && found;
    return register_atom(f, at->reg, bits, &start->atom);
}

// The test

struct test {
    uint32_t inst; // setp
    bool goes_on;  // the loop goes on if the comparison holds
    enum comparison comparison;
    bool is_signed;
    unsigned bits;
};

// Whether the branch at the end of the exit's block goes on for a true guard.
static bool find_branch(struct finder *f, uint32_t block, uint32_t *guard, bool *goes_on)
{
    const struct ir_block *b = &f->fn->blocks.v[block];
    uint32_t inst = b->end - 1;
    const struct ir_inst *at = &f->fn->insts.v[inst];
    if (b->first == b->end || at->op != OP_bra || !(at->flags & INST_GUARDED) || b->succ_count != 2)
        return unknown(f, b->first < b->end ? inst : IR_NONE,
                       "its exit is not a conditional branch");
    uint32_t label = ir_find_operand(f->fn, inst, ROLE_LABEL, 0);
    *guard = ir_find_operand(f->fn, inst, ROLE_GUARD, 0);
    if (label == IR_NONE || *guard == IR_NONE || f->fn->operands.v[*guard].kind != OPERAND_REGISTER)
        return unknown(f, inst, "its exit is not a conditional branch");
    bool negated = at->flags & INST_GUARD_NEGATED;
    *goes_on = in_loop(f, f->fn->operands.v[label].index) != negated;
    return true;
}

static bool is_second_result(const struct ir_function *fn, uint32_t inst, uint32_t version)
{
    uint32_t second = ir_find_operand(fn, inst, ROLE_DEF, 1);
    return second != IR_NONE && fn->operand_version.v[second] == version;
}

// From the guard back to the comparison, through negations and copies of predicates.
static bool find_comparison(struct finder *f, uint32_t operand, struct test *test)
{
    for (int i = 0; i < MOST_STEPS; i++) {
        uint32_t version = f->fn->operand_version.v[operand];
        uint32_t inst = version == IR_NONE ? IR_NONE : defining_inst(f->fn, version);
        if (inst == IR_NONE || !in_loop(f, f->fn->insts.v[inst].block))
            return unknown(f, f->fn->operand_inst.v[operand],
                           "its exit does not test a comparison made in the loop");
        const struct ir_inst *at = &f->fn->insts.v[inst];
        bool plain = !(at->flags & INST_GUARDED);
        test->inst = inst;
        if (at->op == OP_setp && plain) {
            test->goes_on ^= is_second_result(f->fn, inst, version);
            return true;
        }
        bool copies = (at->op == OP_mov || at->op == OP_not) && plain && at->operand_count == 2;
        if (!copies || f->fn->operands.v[at->operands + 1].kind != OPERAND_REGISTER)
            return unknown(f, inst, "its exit tests more than one comparison");
        test->goes_on ^= (at->op == OP_not) ^ f->fn->operands.v[at->operands + 1].negated;
        operand = at->operands + 1;
    }
    return unknown(f, test->inst, "its exit tests more than one comparison");
}

static bool read_comparison(struct finder *f, struct test *test)
{
    static const struct {
        uint16_t word;
        enum comparison comparison;
        bool is_unsigned;
    } words[] = {
        {W_lt, COMPARE_LT, false}, {W_le, COMPARE_LE, false}, {W_gt, COMPARE_GT, false},
        {W_ge, COMPARE_GE, false}, {W_eq, COMPARE_EQ, false}, {W_ne, COMPARE_NE, false},
        {W_lo, COMPARE_LT, true},  {W_ls, COMPARE_LE, true},  {W_hi, COMPARE_GT, true},
        {W_hs, COMPARE_GE, true},
    };
    const struct ir_inst *at = &f->fn->insts.v[test->inst];
    uint32_t uses = count_role(f->fn, test->inst, ROLE_USE);
    if (!is_integer(at->type) || uses != 2)
        return unknown(f, test->inst,
                       uses != 2 ? "its exit tests more than one comparison"
                                 : "its exit compares floating-point values");
    test->bits = ir_type_bits(at->type);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ir_has_modifier(f->module, f->fn, test->inst, words[i].word)) {
            test->comparison = words[i].comparison;
            test->is_signed = !words[i].is_unsigned &&
                              (at->type == W_s16 || at->type == W_s32 || at->type == W_s64);
            return true;
        }
    return unknown(f, test->inst, "its exit makes a comparison that is not known");
}

// Everything that the count depends on, with the counter on the left of the comparison.
static bool find_progress(struct finder *f, struct test *test, struct progress *p)
{
    struct linear left = trace(f, operand_after_defs(f->fn, test->inst, 0), test->bits);
    struct linear right = trace(f, operand_after_defs(f->fn, test->inst, 1), test->bits);
    p->comparison = test->comparison;
    if (right.kind == LINEAR_COUNTER && left.kind != LINEAR_COUNTER) {
        struct linear swap = left;
        left = right;
        right = swap;
        p->comparison = comparison_swapped(p->comparison);
    }
    if (!test->goes_on)
        p->comparison = comparison_negated(p->comparison);
    bool bound = (right.kind == LINEAR_FIXED || right.kind == LINEAR_CONSTANT) && !right.steps;
    if (left.kind != LINEAR_COUNTER)
        return unknown(f, test->inst,
                       "what its exit compares is not changed by additions of the same step");
    if (!bound)
        return unknown(f, test->inst,
                       "the bound that its exit compares with is computed in the loop");
    struct linear step = {.kind = LINEAR_UNKNOWN};
    if (!find_step(f, left.phi, test->bits, &step))
        return unknown(f, test->inst, "its counter is not changed by the same step each time");
    bool same_step = !left.steps || (left.steps == step.steps && same_atom(&left.step, &step.step));
    if (!same_step || !find_start(f, left.phi, test->bits, &p->start))
        return unknown(f, test->inst, "its counter is not changed by the same step each time");
    p->bound = (struct endpoint){right.kind == LINEAR_CONSTANT, right.add, right.fixed};
    p->bound_add = right.kind == LINEAR_CONSTANT ? 0 : right.add;
    p->step = step.add;
    p->step_sign = step.steps ? step.steps : step.add < 0 ? -1 : 1;
    p->step_atom = step.step;
    p->step_is_constant = !step.steps;
    p->ahead = left.add;
    p->steps_ahead = left.steps != 0;
    p->bits = test->bits;
    p->is_signed = test->is_signed;
    return true;
}

// The test

static bool tests_each_time(struct finder *f, uint32_t block)
{
    const struct ir_block *header = &f->fn->blocks.v[f->fn->loops.v[f->loop].header];
    if (f->fn->blocks.v[block].loop != f->loop)
        return false;
    for (uint32_t i = 0; i < header->pred_count; i++) {
        uint32_t pred = f->fn->edges.v[header->pred + i];
        if (in_loop(f, pred) && !ir_dominates(f->fn, block, pred))
            return false;
    }
    return true;
}

// True if the loop has an access that runs only if the test has let pass.
static bool accesses_behind(const struct finder *f, uint32_t block, const bool *accesses)
{
    const struct ir_loop *loop = &f->fn->loops.v[f->loop];
    for (uint32_t i = 0; i < loop->block_count; i++) {
        const struct ir_block *b = &f->fn->blocks.v[loop->blocks[i]];
        if (loop->blocks[i] == block || !ir_dominates(f->fn, block, loop->blocks[i]))
            continue;
        for (uint32_t inst = b->first; inst < b->end; inst++)
            if (accesses[inst])
                return true;
    }
    return false;
}

static bool find(struct finder *f, const struct loop_exits *exits, const bool *accesses)
{
    struct test test = {0};
    struct progress progress = {0};
    uint32_t guard;
    if (exits->edges != 1 || exits->to == IR_NONE) {
        uint32_t block = exits->edges ? exits->from : f->fn->loops.v[f->loop].header;
        const struct ir_block *b = &f->fn->blocks.v[block];
        return unknown(f, b->first < b->end ? b->end - 1 : IR_NONE,
                       exits->edges ? "it has several exits" : "it has no exit");
    }
    if (!tests_each_time(f, exits->from))
        return unknown(f, f->fn->blocks.v[exits->from].end - 1,
                       "some iterations go round its test");
    if (!find_branch(f, exits->from, &guard, &test.goes_on) || !find_comparison(f, guard, &test) ||
        !read_comparison(f, &test) || !find_progress(f, &test, &progress))
        return false;
    progress.at_bottom = !accesses_behind(f, exits->from, accesses);
    const char *why = count_trips(f->arena, f->module, f->fn, &progress, &f->trip);
    return why ? unknown(f, test.inst, why) : true;
}

struct trip trip_of(struct arena *arena, const struct ir_module *module,
                    const struct ir_function *fn, uint32_t loop, const struct loop_exits *exits,
                    const bool *accesses)
{
    struct finder finder = {.arena = arena, .module = module, .fn = fn, .loop = loop};
    find(&finder, exits, accesses);
    return finder.trip;
}
