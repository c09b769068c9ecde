// For verify*.c: a window of instructions in which input and output differ.
#pragma once
#include "passes/analysis/facts.h"
#include "passes/verify/verify.h"
#include "passes/verify/verify_text.h"

// An instruction of the input between two places where both texts agree.
struct member {
    struct item item;
    uint32_t inst;
    uint32_t out; // its place in the output's order
    bool hard;    // nothing changes places with it
};

// An instruction of the output there, or the two that a fused multiply-add became.
struct event {
    struct item item;
    struct item sum; // the addition, if `item` is the multiplication in front of it
    uint32_t member;
    bool pairs;
};

// What instructions of a window may cross: `.reg` declarations and `.pragma "nounroll"`.
struct verify_mark {
    struct item in, out;
    uint32_t members, events; // in front of it
};

struct checker {
    struct verified *to;
    struct arena *arena;  // of the faults
    struct arena scratch; // of a window
    const struct ir_module *module;
    const struct pass_options *options;
    struct plan own; // nothing but the facts of the functions
    struct arena facts;
    struct item_reader input, output;
    const struct ir_function *fn; // that the input's item is in, or NULL
    uint32_t function, inst;      // how far the functions are read
    VEC(struct member) members;
    VEC(struct event) events;
    VEC(struct verify_mark) marks;
    // Per register of `fn`: the definition in force, valid if its round is this one.
    const struct ir_function *defs_of;
    uint32_t *def, *def_round, round;
    struct arena registers;
};

// Faults are told once each: whoever finds one leaves the window.
void window_fault(struct checker *c, uint32_t input, uint32_t output, const char *text);
// Which instruction of the input stands at each place of the output: by text, and with --fma=split
// a product and its sum for a fused multiply-add. What has no counterpart keeps IR_NONE.
void window_pair(struct checker *c);
// Needs all pairs. Whether no instruction has come to the other side of the declaration of one of
// its names (verify_marks.c).
bool window_check_marks(struct checker *c);
// True if instructions may cross the item, which is fixed.
bool window_is_mark(const char *text, const struct item *item);
// Needs all pairs. Whether the values that are read are the same, and whether what has changed
// places in memory may; counts what has moved.
void window_check_order(struct checker *c);
// The second half of it (verify_memory.c).
void window_check_memory(struct checker *c);
