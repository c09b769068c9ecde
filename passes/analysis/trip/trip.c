// Counted loops: exits whose tests compare a counter with a bound. The counter is a register that
// all paths around the loop change by the same step; the bound does not change in the loop.
#include "passes/analysis/trip/trip_finder.h"

bool trip_unknown(struct trip_finder *f, uint32_t because, const char *why)
{
    f->trip = (struct trip){.kind = TRIP_UNKNOWN, .why = why, .because = because};
    return false;
}

uint32_t trip_use(const struct ir_function *fn, uint32_t inst, uint32_t n)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (fn->operands.v[i].role == ROLE_USE && !n--)
            return i;
    return IR_NONE;
}

uint32_t trip_defining(const struct ir_function *fn, uint32_t version)
{
    const struct ir_version *v = &fn->versions.v[version];
    return v->kind == VERSION_INST ? v->index : IR_NONE;
}

static uint32_t count_role(const struct ir_function *fn, uint32_t inst, enum ir_role role)
{
    uint32_t count = 0;
    while (ir_find_operand(fn, inst, role, count) != IR_NONE)
        count++;
    return count;
}

bool trip_is_integer(uint16_t type)
{
    static const uint16_t types[] = {W_s16, W_s32, W_s64, W_u16, W_u32, W_u64, W_b16, W_b32, W_b64};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (types[i] == type)
            return true;
    return false;
}

static bool read_comparison(struct trip_finder *f, struct test *test)
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
    if (!trip_is_integer(at->type) || uses != 2)
        return trip_unknown(f, test->inst,
                            uses != 2 ? "its exit tests more than one comparison"
                                      : "its exit compares floating-point values");
    test->bits = ir_type_bits(at->type);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (ir_has_modifier(f->module, f->fn, test->inst, words[i].word)) {
            test->comparison = words[i].comparison;
            test->is_signed = !words[i].is_unsigned &&
                              (at->type == W_s16 || at->type == W_s32 || at->type == W_s64);
            return true;
        }
    return trip_unknown(f, test->inst, "its exit has an unknown comparison");
}

// Step of the counter

// Computes the amount that every path around the loop adds to the counter.
static bool find_step(struct trip_finder *f, const struct linear *counter, struct linear *step)
{
    const struct ir_phi *phi = &f->fn->phis.v[counter->phi];
    unsigned bits = f->fn->registers.v[phi->reg].bits;
    struct linear once = linear_constant(0, bits), found = linear_unknown();
    for (uint32_t i = 0; i < f->fn->blocks.v[phi->block].pred_count; i++) {
        if (!trip_in_loop(f, ir_preds(f->fn, phi->block)[i]))
            continue;
        struct linear next = trip_version(&f->tracer, f->fn->phi_args.v[phi->args + i], bits);
        bool cut = next.narrow &&
                   (next.narrow != counter->narrow || next.narrow_signed != counter->narrow_signed);
        if (!next.known || next.phi != counter->phi || next.factor != 1 || cut ||
            (found.known && !linear_same(&found, &next)))
            return false;
        found = next;
    }
    once.phi = found.phi;
    once.factor = 1;
    once.narrow = found.narrow;
    once.narrow_signed = found.narrow_signed;
    *step = linear_sum(&found, &once, -1);
    return step->known && (step->count || step->add);
}

static bool is_negative(const struct linear *sum)
{
    bool negative = sum->add <= 0;
    for (uint32_t i = 0; i < sum->count; i++)
        negative &= sum->terms[i].coefficient < 0;
    return negative;
}

static bool find_constant(const struct affine *value, unsigned bits, struct linear *to)
{
    if (!affine_is_constant(value) || value->exact_bits < bits)
        return false;
    *to = linear_constant(value->constant, bits);
    return true;
}

// Replaces a register that is a constant in every launch, such as %ntid.x with .reqntid.
static void look_up(struct trip_finder *f, struct linear *sum)
{
    struct affine value;
    struct linear constant;
    if (sum->count != 1 || sum->add || !f->facts || sum->terms[0].atom.version == IR_NONE)
        return;
    value = affine_of_version(facts_affines(f->facts), sum->terms[0].atom.version);
    if (find_constant(&value, sum->bits, &constant))
        *sum = linear_scaled(&constant, sum->terms[0].coefficient);
}

// `factor`: factor of the counter in the compared value.
static bool set_step(struct trip_finder *f, struct linear step, int64_t factor, unsigned narrow,
                     struct progress *p)
{
    look_up(f, &step);
    step = linear_scaled(&step, factor);
    p->step_is_constant = linear_is_constant(&step);
    p->step = trip_extended(step.add, narrow ? narrow : step.bits, true);
    p->step_sign = p->step_is_constant ? (p->step < 0 ? -1 : 1) : is_negative(&step) ? -1 : 1;
    if (p->step_is_constant)
        return p->step != 0;
    step = linear_scaled(&step, p->step_sign);
    p->step_text = linear_factor(f->arena, &step, step.bits, true);
    return p->step_text != NULL;
}

// Start of the counter, and bound

static struct linear constant_version(struct trip_finder *f, uint32_t version, unsigned bits)
{
    struct linear value = linear_unknown();
    if (f->facts) {
        struct affine found = affine_of_version(facts_affines(f->facts), version);
        find_constant(&found, bits, &value);
    }
    return value;
}

// Returns the counter's value at the entry: one constant, or its register.
static struct linear entering_value(struct trip_finder *f, uint32_t phi, unsigned bits)
{
    const struct ir_phi *at = &f->fn->phis.v[phi];
    struct linear first = linear_unknown();
    for (uint32_t i = 0; i < f->fn->blocks.v[at->block].pred_count; i++) {
        uint32_t pred = ir_preds(f->fn, at->block)[i];
        if (trip_in_loop(f, pred) || f->fn->blocks.v[pred].rpo == IR_NONE)
            continue;
        uint32_t version = f->fn->phi_args.v[at->args + i];
        struct linear value = trip_version(&f->tracer, version, bits);
        if (!value.known || !linear_is_constant(&value))
            value = constant_version(f, version, bits);
        if (!value.known || (first.known && !linear_same(&first, &value)))
            return trip_entering(&f->tracer, phi, bits);
        first = value;
    }
    return first;
}

static bool set_endpoint(struct trip_finder *f, const struct linear *value, unsigned bits,
                         bool is_signed, struct endpoint *to)
{
    to->is_constant = linear_is_constant(value);
    to->constant = value->add;
    to->bits = bits;
    to->is_signed = is_signed;
    to->text = linear_factor(f->arena, value, bits, is_signed);
    return to->text != NULL;
}

// Returns true if the counter starts at a sum with a constant and `ahead` has the opposite sign.
static bool steps_back(struct trip_finder *f, uint32_t phi, int64_t ahead)
{
    const struct ir_phi *at = &f->fn->phis.v[phi];
    for (uint32_t i = 0; f->facts && i < f->fn->blocks.v[at->block].pred_count; i++) {
        uint32_t pred = ir_preds(f->fn, at->block)[i];
        if (trip_in_loop(f, pred) || f->fn->blocks.v[pred].rpo == IR_NONE)
            continue;
        struct affine start =
            affine_of_version(facts_affines(f->facts), f->fn->phi_args.v[at->args + i]);
        if (start.constant && (start.constant < 0) != (ahead < 0))
            return true;
    }
    return false;
}

// Moves the amount that is added before the first test into the start, if the two may wrap around
// together: `for (j = 0; j <= n; j++)` becomes `j = -1; do ++j; while (j < n)`, unsigned.
static void join_ahead(struct trip_finder *f, uint32_t phi, struct linear *start,
                       struct progress *p)
{
    bool joins = linear_is_constant(start);
    if (!joins && !p->is_signed && p->ahead)
        joins = steps_back(f, phi, p->ahead);
    if (!joins)
        return;
    struct linear ahead = linear_constant(p->ahead, start->bits);
    *start = linear_sum(start, &ahead, 1);
    p->ahead = 0;
}

// `left`: the compared value, which contains the counter.
static bool set_start(struct trip_finder *f, const struct test *test, struct linear left,
                      const struct linear *step, struct progress *p)
{
    uint32_t phi_id = left.phi;
    unsigned bits = f->fn->registers.v[f->fn->phis.v[phi_id].reg].bits;
    struct linear start = entering_value(f, phi_id, bits);
    int64_t factor = left.factor;
    if (left.narrow || bits != test->bits)
        start = trip_widened(&f->tracer, &start, p->bits, p->is_signed, test->bits);
    left.phi = IR_NONE;
    left.factor = 0;
    bool is_narrow = left.narrow;
    left.narrow = 0;
    left.bits = step->bits;
    p->steps_ahead = factor == 1 && !p->step_is_constant && linear_same(&left, step);
    left.bits = (uint8_t)test->bits;
    if (is_narrow && left.count && !p->steps_ahead) // the sum may wrap around before it is widened
        return false;
    p->ahead = 0;
    if (!p->steps_ahead && factor == 1 && !left.count) {
        p->ahead = p->first_ahead = left.add;
        if (p->plain && p->step_is_constant)
            join_ahead(f, phi_id, &start, p);
    } else if (!p->steps_ahead) {
        start = linear_scaled(&start, factor);
        start = linear_sum(&start, &left, 1);
        return start.known && set_endpoint(f, &start, test->bits, test->is_signed, &p->start);
    }
    return start.known && set_endpoint(f, &start, test->bits, p->is_signed, &p->start);
}

// Separates a constant that is added to a signed bound. An unsigned sum may wrap around, and stays.
static bool set_bound(struct trip_finder *f, const struct test *test, struct linear bound,
                      struct progress *p)
{
    struct affine value;
    if (f->facts && affine_of_operand(facts_affines(f->facts), test->right, &value))
        find_constant(&value, test->bits, &bound);
    bool simple =
        bound.count == 1 && bound.terms[0].coefficient == 1 && bound.terms[0].atom.form != FORM_LOW;
    p->bound_add = 0;
    if (bound.count && (test->bits == 64 || (test->is_signed && simple))) {
        p->bound_add = bound.add;
        bound.add = 0;
    }
    return set_endpoint(f, &bound, test->bits, test->is_signed, &p->bound);
}

// Finds everything that the count depends on, with the counter on the left of the comparison.
static bool find_progress(struct trip_finder *f, struct test *test, struct progress *p)
{
    test->left = trip_use(f->fn, test->inst, 0);
    test->right = trip_use(f->fn, test->inst, 1);
    struct linear left = trip_operand(&f->tracer, test->left, test->bits);
    struct linear right = trip_operand(&f->tracer, test->right, test->bits);
    p->comparison = test->comparison;
    if (right.phi != IR_NONE && left.phi == IR_NONE) {
        struct linear swap = left;
        left = right;
        right = swap;
        test->right = test->left;
        p->comparison = comparison_swapped(p->comparison);
    }
    if (!test->goes_on)
        p->comparison = comparison_negated(p->comparison);
    if (!left.known || left.phi == IR_NONE)
        return trip_unknown(f, test->inst,
                            "its exit compares a value that does not change by a constant step");
    if (!right.known || right.phi != IR_NONE)
        return trip_unknown(f, test->inst, "the bound of its exit is computed in the loop");
    struct linear step;
    p->bits = left.narrow ? left.narrow : test->bits;
    p->is_signed = left.narrow ? left.narrow_signed : test->is_signed;
    p->phi = left.phi;
    p->plain = left.factor == 1 && !left.narrow && !left.count;
    if (!find_step(f, &left, &step) || !set_step(f, step, left.factor, left.narrow, p) ||
        !set_start(f, test, left, &step, p))
        return trip_unknown(f, test->inst,
                            "its counter does not change by the same step each time");
    if (!set_bound(f, test, right, p))
        return trip_unknown(f, test->inst, "the expression of its count is too long");
    return true;
}

// Start and bound that differ by a constant: p < p + 64.

// Returns true if the value is in the range of the comparison, and stays in it when `more` is
// added.
static bool fits(const struct affines *affines, const struct affine *a, int64_t more,
                 const struct test *test)
{
    int64_t min, max, half = INT64_C(1) << (test->bits - 1);
    affine_range(affines, a, &min, &max);
    int64_t low = test->is_signed ? -half : 0, high = test->is_signed ? half - 1 : 2 * half - 1;
    return a->exact_bits == 64 && min >= low && max <= high &&
           (more < 0 ? min >= low - more : max <= high - more);
}

// Follows copies and additions of constants back. Returns the version that they start from.
static uint32_t origin(struct trip_finder *f, uint32_t version, unsigned bits, int64_t *distance)
{
    for (int i = 0; i < TRIP_STEPS; i++) {
        uint32_t inst = trip_defining(f->fn, version), operand, number;
        if (inst == IR_NONE)
            return version;
        const struct ir_inst *at = &f->fn->insts.v[inst];
        bool adds = at->op == OP_add && at->operand_count == 3;
        int64_t value = 0;
        if ((at->op != OP_mov && !adds) || (at->flags & INST_GUARDED) || at->vector != 1 ||
            ir_type_bits(at->type) != bits || ir_has_modifier(f->module, f->fn, inst, W_sat) ||
            ir_reads_part(f->fn, inst))
            return version;
        operand = trip_use(f->fn, inst, 0);
        number = adds ? trip_use(f->fn, inst, 1) : IR_NONE;
        if (operand == IR_NONE || f->fn->operands.v[operand].kind != OPERAND_REGISTER ||
            (adds && (f->fn->operands.v[number].kind != OPERAND_IMMEDIATE ||
                      !trip_immediate(&f->tracer, &f->fn->operands.v[number], bits, &value))))
            return version;
        if (f->fn->operand_version.v[operand] == IR_NONE)
            return version;
        version = f->fn->operand_version.v[operand];
        *distance = (int64_t)((uint64_t)*distance + (uint64_t)value);
    }
    return version;
}

// Computes the bound minus the counter's first value, modulo the width of the comparison.
static bool find_difference(struct trip_finder *f, const struct test *test,
                            const struct progress *p, uint32_t first, int64_t *distance)
{
    bool in_range = p->comparison != COMPARE_NE && test->bits < 64;
    struct affines *affines = facts_affines(f->facts);
    struct affine start = affine_of_version(affines, first), bound, difference;
    int64_t from = 0, to = 0;
    uint32_t version = f->fn->operand_version.v[test->right];
    if (!affine_of_operand(affines, test->right, &bound) ||
        !affine_invariant(affines, &bound, f->loop) ||
        (in_range &&
         !(fits(affines, &start, p->first_ahead, test) && fits(affines, &bound, p->step, test))))
        return false;
    if (version != IR_NONE &&
        origin(f, first, test->bits, &from) == origin(f, version, test->bits, &to)) {
        *distance = (int64_t)((uint64_t)to - (uint64_t)from);
        return true;
    }
    bool sure = affine_difference(affines, &bound, &start, &difference) &&
                affine_is_constant(&difference) && difference.exact_bits >= test->bits;
    *distance = sure ? difference.constant : 0;
    return sure;
}

static bool find_distance(struct trip_finder *f, const struct test *test, const struct progress *p,
                          int64_t *distance)
{
    const struct ir_phi *phi = &f->fn->phis.v[p->phi];
    bool found = false;
    if (!f->facts || !p->plain || !p->step_is_constant ||
        (p->start.is_constant && p->bound.is_constant))
        return false;
    for (uint32_t i = 0; i < f->fn->blocks.v[phi->block].pred_count; i++) {
        uint32_t pred = ir_preds(f->fn, phi->block)[i];
        int64_t next;
        if (trip_in_loop(f, pred) || f->fn->blocks.v[pred].rpo == IR_NONE)
            continue;
        if (!find_difference(f, test, p, f->fn->phi_args.v[phi->args + i], &next) ||
            (found && next != *distance))
            return false;
        *distance = next;
        found = true;
    }
    return found;
}

static bool count_distance(struct trip_finder *f, const struct test *test, struct progress p)
{
    int64_t distance = 0;
    if (!find_distance(f, test, &p, &distance))
        return false;
    p.start = (struct endpoint){true, 0, 64, true, NULL};
    p.bound = (struct endpoint){true, distance, 64, true, NULL};
    p.ahead = p.first_ahead;
    p.bound_add = 0;
    p.bits = 64;
    p.is_signed = true;
    return !count_trips(f->arena, &p, &f->trip);
}

bool trip_count_test(struct trip_finder *f, struct test test, bool several, bool at_bottom)
{
    struct progress progress = {0};
    f->tracer.left = TRIP_VALUES;
    if (!read_comparison(f, &test))
        return false;
    if (!find_progress(f, &test, &progress))
        return !several && trip_simulate(f, &test, at_bottom);
    if (several && progress.comparison == COMPARE_NE)
        return trip_unknown(f, test.inst, "one of its comparisons with != may miss the bound");
    progress.at_bottom = at_bottom;
    if (count_distance(f, &test, progress))
        return true;
    const char *why = count_trips(f->arena, &progress, &f->trip);
    return why ? trip_unknown(f, test.inst, why) : true;
}
