// Internals of the trip counts: the search for the count of one loop.
#pragma once
#include "passes/analysis/trip/trip.h"
#include "passes/analysis/trip/trip_internal.h"

// Number of iterations from a counter, its step and its bound.

enum comparison { COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE, COMPARE_EQ, COMPARE_NE };

struct endpoint {
    bool is_constant;
    int64_t constant; // sign-extended
    unsigned bits;    // of the comparison
    bool is_signed;
    const char *text; // if not constant: its value, in parentheses if a minus needs them
};

// The loop continues while  start + ahead + (k + steps_ahead) · step  compares true with  bound +
// bound_add  at the k-th test, k from 0. A constant step is part of `ahead`.
struct progress {
    struct endpoint start, bound;
    int64_t bound_add;
    bool step_is_constant;
    int step_sign; // sign of a step that is not constant
    int64_t step;
    const char *step_text;
    int64_t ahead;
    int64_t first_ahead; // `ahead` before it was moved into the start
    bool steps_ahead;
    enum comparison comparison;
    unsigned bits; // width at which the counter wraps around
    bool is_signed;
    uint32_t phi;   // number of the counter
    bool plain;     // the counter is compared directly, or plus a constant
    bool at_bottom; // executions before the test are counted, else executions after it
};

// Return the comparison with swapped operands, and the one that holds if this one does not.
enum comparison comparison_swapped(enum comparison comparison);
enum comparison comparison_negated(enum comparison comparison);

// Sets kind, count or text, and may_be_zero. Returns NULL, or why the count is unknown.
const char *count_trips(struct arena *arena, const struct progress *progress, struct trip *trip);

enum { TRIP_STEPS = 64, TRIP_VALUES = 128 }; // limits: steps from a guard, values of a count

struct trip_finder {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct facts *facts;
    uint32_t loop;
    struct tracer tracer;
    struct trip trip;
};

// A comparison that decides whether the loop continues.
struct test {
    uint32_t inst; // setp
    bool goes_on;  // the loop continues if the comparison holds
    enum comparison comparison;
    bool is_signed;
    unsigned bits;
    uint32_t left, right; // operands: the counter and the bound
};

// Records the reason why the count is unknown. Returns false.
bool trip_unknown(struct trip_finder *f, uint32_t because, const char *why);
// Returns the operand of the n-th use, or IR_NONE.
uint32_t trip_use(const struct ir_function *fn, uint32_t inst, uint32_t n);
// Returns the instruction that defines the version, or IR_NONE.
uint32_t trip_defining(const struct ir_function *fn, uint32_t version);
static inline bool trip_in_loop(const struct trip_finder *f, uint32_t block)
{
    return ir_in_loop(f->fn, f->loop, block);
}

// Counts how often the comparison passes, from its setp and `goes_on`. `several`: another
// comparison may end the loop; `at_bottom`: see struct progress. Returns false with a recorded
// reason.
bool trip_count_test(struct trip_finder *f, struct test test, bool several, bool at_bottom);
// Returns true for integer and untyped words of 16, 32 or 64 bits.
bool trip_is_integer(uint16_t type);
// Counts by simulating the iterations, if they are few and all values are known; otherwise returns
// false and keeps the recorded reason.
bool trip_simulate(struct trip_finder *f, const struct test *test, bool at_bottom);
