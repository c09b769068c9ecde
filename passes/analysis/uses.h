// Who reads a value. A guarded definition keeps the register's old value in the lanes where the
// guard is false; where nobody can see those lanes, that is no use of the old value.
#pragma once
#include "ir/ir.h"

struct uses {
    const struct ir_function *fn;
    uint64_t *seen; // bit set over versions: of a phi, that its value is read; of a guarded
                    // definition, that the old value in it is
};

// The instructions that read a version, up to two.
struct readers {
    uint32_t count;    // 0, 1, or 2 for two and more
    uint32_t inst[2];  // in the order of the text; IR_NONE: a phi, the value lives on elsewhere
    uint32_t operands; // of inst[0] that read it
};

void uses_init(struct uses *uses, struct arena *arena, const struct ir_function *fn);
struct readers uses_readers(const struct uses *uses, uint32_t version);

// True if both are under the same value of the same predicate, or neither has a guard.
bool uses_same_guard(const struct ir_function *fn, uint32_t a, uint32_t b);
// True if what `from` makes is there in all lanes in which `to` runs, and is of no use in others if
// only `to` reads it: both are under the same guard, or `from` is under none and `to` does not
// leave it in a register of its own where its guard is false.
bool uses_may_feed(const struct uses *uses, uint32_t from, uint32_t to);
