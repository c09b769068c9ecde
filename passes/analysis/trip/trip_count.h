// Number of iterations from a counter, its step and its bound. Private to the trip counts.
#pragma once
#include "passes/analysis/trip/trip.h"

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
