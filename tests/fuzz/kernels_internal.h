// The parts of the generator: kernels.c (statements and control), kernels_chains.c (chains and
// addresses), kernels_scopes.c (scopes, calls, pointers), kernels_frame.c (declarations, inputs,
// initial values and final stores).
#pragma once
#include "tests/fuzz/kernels.h"

enum {
    WORDS = 8, // %r
    REALS = 4,
    HALVES = 4,
    DOUBLES = 3,
    REAL_DOUBLES = 2,
    PREDICATES = 4,
    SCALARS = 4,      // %u, %v: the same for all threads
    TEMPORARIES = 32, // %t of chains, and as many %y for copies of them
    ADDRESSES = 16,   // %a of accesses
    PLACES = 3,       // %w: pointers to what a thread owns
    TABLES = 2,       // %o: read only
    MAX_LABELS = 32,
    MAX_DEPTH = 3,
    MAX_GROUPS = 1 << 16, // behind them: those of branches, by label
    UNITS = 16,           // of a slice
    TABLE_UNITS = 64,
};

// Target of a pointer: units of `granule` bytes, `unit` bytes apart.
struct array_place {
    uint32_t granule, unit;
};

struct address {
    const char *space; // ".global", or "" for a generic address
    const char *text;  // what stands in the brackets
    const char *step[3];
    uint32_t count; // steps that make it
    uint64_t taken; // its registers
    uint32_t group; // of the steps and of the access: without one there is no other
};

enum { MAX_STEPS = 40, MAX_CHAINS = 5 };

struct chain_step {
    const char *text, *divided;
    uint32_t group;
};

struct open_chain {
    struct chain_step step[MAX_STEPS];
    uint32_t count, next;
    uint64_t temporaries, addresses;
};

struct chains {
    struct open_chain open[MAX_CHAINS];
    uint32_t count;
};

struct maker {
    struct random_kernel *kernel;
    struct arena *arena;
    uint64_t random;
    bool uniform; // all threads of the CTA come here
    bool fixed;
    bool close;  // few places, so that many accesses meet, and more atomics
    bool scopes; // scopes, calls and labels, and more chains at a time
    bool spaces; // generic pointers into shared and local memory
    uint32_t depth, labels;
    uint32_t group, groups; // of what is emitted; how many there are
    uint32_t label;         // what $L stands for
    struct array_place place[PLACES];
    uint64_t temporaries, addresses; // in use
    struct chains chains;
};

uint32_t pick(struct maker *m, uint32_t below);
void emit(struct maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Replaces $R, $F … by random operands of that kind.
const char *fill_in(struct maker *m, const char *form);
void put_body(struct maker *m);
void put_calculation(struct maker *m);
void put_access(struct maker *m);
void put_functions(struct maker *m);
void put_scope(struct maker *m);
void put_call(struct maker *m);
void put_next(struct maker *m);
void put_pointer(struct maker *m);

void emit_steps(struct maker *m, const struct address *address);

// Returns an address of `bytes` bytes that the thread owns, or for a load perhaps in a table.
struct address choose_address(struct maker *m, bool own, uint32_t bytes);
void free_addresses(struct maker *m, uint64_t taken);
// Opens a chain or writes the next step of one; chains_go_on_one only writes a step.
void chains_go_on(struct maker *m);
void chains_go_on_one(struct maker *m);

void put_head(struct maker *m);
void put_tail(struct maker *m);
