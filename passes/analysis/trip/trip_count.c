#include "passes/analysis/trip/trip_finder.h"
#include <stdio.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

enum comparison comparison_swapped(enum comparison comparison)
{
    static const enum comparison swapped[] = {COMPARE_GT, COMPARE_GE, COMPARE_LT,
                                              COMPARE_LE, COMPARE_EQ, COMPARE_NE};
    return swapped[comparison];
}

enum comparison comparison_negated(enum comparison comparison)
{
    static const enum comparison negated[] = {COMPARE_GE, COMPARE_GT, COMPARE_LE,
                                              COMPARE_LT, COMPARE_NE, COMPARE_EQ};
    return negated[comparison];
}

static bool goes_up(const struct progress *p)
{
    return p->step_is_constant ? p->step > 0 : p->step_sign > 0;
}

static bool has_equal(const struct progress *p)
{
    return p->comparison == COMPARE_LE || p->comparison == COMPARE_GE;
}

static const char *leads_to_bound(const struct progress *p)
{
    bool up = p->comparison == COMPARE_LT || p->comparison == COMPARE_LE;
    if (p->comparison == COMPARE_EQ)
        return "it continues only while its counter equals the bound";
    if (p->comparison != COMPARE_NE && goes_up(p) != up)
        return "its counter moves away from the bound";
    return NULL;
}

// Returns a constant as the comparison interprets it.
static wide seen(const struct endpoint *e)
{
    if (e->is_signed)
        return e->constant;
    return e->bits < 64 ? (wide)((uint64_t)e->constant & ((UINT64_C(1) << e->bits) - 1))
                        : (wide)(uint64_t)e->constant;
}

static bool in_range(const struct progress *p, wide value)
{
    wide min = p->is_signed ? -((wide)1 << (p->bits - 1)) : 0;
    wide max = ((wide)1 << (p->bits - p->is_signed)) - 1;
    return value >= min && value <= max;
}

static wide magnitude(int64_t value)
{
    return value < 0 ? -(wide)value : value;
}

static bool all_constant(const struct progress *p)
{
    return p->start.is_constant && p->bound.is_constant && p->step_is_constant;
}

static const char *count_constant(const struct progress *p, struct trip *trip)
{
    wide first = seen(&p->start) + p->ahead;
    wide bound = seen(&p->bound);
    wide away = goes_up(p) ? bound - first : first - bound;
    wide step = magnitude(p->step);
    wide passed; // how often the test passes
    if (p->comparison == COMPARE_NE) {
        if (away < 0 || away % step)
            return "its counter misses the bound and wraps around";
        passed = away / step;
    } else {
        away += has_equal(p);
        passed = away <= 0 ? 0 : (away + step - 1) / step;
    }
    wide last = first + passed * (goes_up(p) ? step : -step);
    if (!in_range(p, first) || !in_range(p, last) || passed + p->at_bottom > (wide)INT64_MAX)
        return "its counter wraps around";
    trip->kind = TRIP_CONSTANT;
    trip->count = (uint64_t)(passed + p->at_bottom);
    trip->may_be_zero = !trip->count;
    return NULL;
}

// Expressions

struct trip_writer {
    const struct progress *p;
    char text[2048];
    size_t length;
    int terms; // of the current sum
    bool cut;
};

static void put(struct trip_writer *w, const char *text, int length)
{
    if (length < 0 || w->length + (size_t)length >= sizeof w->text) {
        w->cut = true;
        return;
    }
    for (int i = 0; i < length; i++)
        w->text[w->length++] = text[i];
    w->text[w->length] = 0;
}

static void put_number(struct trip_writer *w, int64_t value)
{
    char number[32];
    put(w, number, snprintf(number, sizeof number, "%lld", (long long)value));
}

static void put_text(struct trip_writer *w, const char *text)
{
    int length = 0;
    while (text[length])
        length++;
    put(w, text, length);
}

static void put_sign(struct trip_writer *w, bool negative)
{
    if (w->terms++)
        put_text(w, negative ? " - " : " + ");
    else if (negative)
        put_text(w, "-");
}

static void put_steps(struct trip_writer *w, int factor)
{
    put_sign(w, factor < 0);
    if (abs(factor) != 1) {
        put_number(w, abs(factor));
        put_text(w, " * ");
    }
    put_text(w, w->p->step_text);
}

static void put_constant(struct trip_writer *w, int64_t value)
{
    if (!value && w->terms)
        return;
    if (w->terms)
        put_sign(w, value < 0);
    else
        w->terms++;
    put_number(w, value < 0 && w->terms > 1 ? -value : value);
}

// Dividend of the count: near - far + constant + factor · step.
struct trip_sum {
    const struct endpoint *near, *far; // the bound and the start, or vice versa
    wide constant;
    int factor;
};

static void put_sum(struct trip_writer *w, const struct trip_sum *sum)
{
    if (!sum->near->is_constant) {
        put_sign(w, false);
        put_text(w, sum->near->text);
    }
    bool constant_first = !w->terms && sum->constant > 0;
    if (constant_first)
        put_constant(w, (int64_t)sum->constant);
    if (!sum->far->is_constant) {
        put_sign(w, true);
        put_text(w, sum->far->text);
    }
    if (sum->factor)
        put_steps(w, sum->factor);
    if (!constant_first)
        put_constant(w, (int64_t)sum->constant);
}

static struct trip_sum build_sum(const struct progress *p)
{
    bool up = goes_up(p), exact = p->comparison == COMPARE_NE;
    wide step = p->step_is_constant ? magnitude(p->step) : 0;
    struct trip_sum sum = {up ? &p->bound : &p->start, up ? &p->start : &p->bound, 0, 0};
    wide ahead = (wide)p->bound_add - p->ahead; // from the first tested value to the bound
    sum.constant = up ? ahead : -ahead;
    if (p->bound.is_constant)
        sum.constant += up ? seen(&p->bound) : -seen(&p->bound);
    if (p->start.is_constant)
        sum.constant += up ? -seen(&p->start) : seen(&p->start);
    if (!exact)
        sum.constant += step - 1 + has_equal(p); // rounds up
    if (p->at_bottom)
        sum.constant += step;
    if (!p->step_is_constant)
        sum.factor = !exact + p->at_bottom - p->steps_ahead;
    return sum;
}

static void put_quotient(struct trip_writer *w, const struct trip_sum *sum)
{
    const struct progress *p = w->p;
    int64_t divisor = p->step_is_constant ? (int64_t)magnitude(p->step) : 0;
    size_t begin = w->length;
    put_sum(w, sum);
    if (divisor == 1)
        return;
    if (w->terms > 1 && !w->cut && w->length + 2 < sizeof w->text) { // parentheses around the sum
        for (size_t i = w->length; i-- > begin;)
            w->text[i + 1] = w->text[i];
        w->text[begin] = '(';
        w->length++;
        put_text(w, ")");
    }
    put_text(w, " / ");
    if (divisor) {
        put_number(w, divisor);
    } else if (p->comparison == COMPARE_NE) {
        put_text(w, p->step_text);
    } else { // a step that leads away from the bound divides by zero
        put_text(w, "max(");
        put_text(w, p->step_text);
        put_text(w, ", 0)");
    }
}

static const char *count_symbolic(struct arena *arena, struct trip_writer *w, struct trip *trip)
{
    const struct progress *p = w->p;
    struct trip_sum sum = build_sum(p);
    bool exact = p->comparison == COMPARE_NE;
    bool starts = p->start.is_constant && p->step_is_constant && !exact;
    if (starts && !in_range(p, seen(&p->start) + p->ahead))
        return "its counter wraps around";
    bool wide_step = p->step_is_constant && magnitude(p->step) > INT64_MAX;
    if (wide_step || sum.constant > INT64_MAX / 2 || sum.constant < INT64_MIN / 2)
        return "its count does not fit 64 bits";
    if (!exact)
        put_text(w, "max(");
    put_quotient(w, &sum);
    if (!exact)
        put_text(w, p->at_bottom ? ", 1)" : ", 0)");
    if (w->cut)
        return "the expression of its count is too long";
    trip->kind = TRIP_COUNTED;
    trip->text = arena_strndup(arena, w->text, w->length);
    trip->may_be_zero = !p->at_bottom;
    return NULL;
}

const char *count_trips(struct arena *arena, const struct progress *progress, struct trip *trip)
{
    struct trip_writer writer = {.p = progress};
    const char *why = leads_to_bound(progress);
    if (why)
        return why;
    *trip = (struct trip){.because = IR_NONE};
    if (all_constant(progress))
        return count_constant(progress, trip);
    return count_symbolic(arena, &writer, trip);
}
