// What the files about trip counts share: a search for the count of one loop.
#pragma once
#include "passes/analysis/trip.h"
#include "passes/analysis/trip_count.h"
#include "passes/analysis/trip_internal.h"

enum { TRIP_STEPS = 64, TRIP_VALUES = 128 }; // to look at from a guard, for a count

struct trip_finder {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    struct facts *facts;
    uint32_t loop;
    struct tracer tracer;
    struct trip trip;
};

// A comparison that decides whether the loop goes on.
struct test {
    uint32_t inst; // setp
    bool goes_on;  // the loop goes on if the comparison holds
    enum comparison comparison;
    bool is_signed;
    unsigned bits;
    uint32_t left, right; // operands: what holds the counter, and the bound
};

// What keeps the count from being known; returns false.
bool trip_unknown(struct trip_finder *f, uint32_t because, const char *why);
// The operand that is the n-th use, or IR_NONE.
uint32_t trip_use(const struct ir_function *fn, uint32_t inst, uint32_t n);
// The instruction that defines the version, or IR_NONE.
uint32_t trip_defining(const struct ir_function *fn, uint32_t version);
static inline bool trip_in_loop(const struct trip_finder *f, uint32_t block)
{
    return ir_in_loop(f->fn, f->loop, block);
}

// Counts how often the comparison, whose setp and `goes_on` are given, lets pass. `several`: it may
// be another that ends the loop; `at_bottom`: see trip_count.h.
bool trip_count_test(struct trip_finder *f, struct test test, bool several, bool at_bottom);
bool trip_is_integer(uint16_t type);
// The same by making the rounds, if there are few and all that decides is known in each; leaves the
// reason as it is if not.
bool trip_run(struct trip_finder *f, const struct test *test, bool at_bottom);
