// Readers of a value. A guarded definition keeps the register's old value in the lanes whose guard
// is false. If these lanes are never read, this is not a use of the old value.
#pragma once
#include "ir/ir.h"

struct uses {
    const struct ir_function *fn;
    uint64_t *seen; // bit set of versions: phis whose value is read, and guarded definitions whose
                    // old value is read
};

// The instructions that read a version, up to two.
struct readers {
    uint32_t count;    // 0, 1, or 2 for two and more
    uint32_t inst[2];  // in the order of the text; IR_NONE: a phi that is read elsewhere
    uint32_t operands; // operands of inst[0] that read it
};

// Finds the versions that are read.
void uses_init(struct uses *uses, struct arena *arena, const struct ir_function *fn);
// Returns the instructions that read a version.
struct readers uses_readers(const struct uses *uses, uint32_t version);

// Returns true if both have the same guard with the same sign, or both have none.
bool uses_same_guard(const struct ir_function *fn, uint32_t a, uint32_t b);
// Returns true if the result of `from` is defined in all lanes in which `to` is executed, and is
// not used in others if only `to` reads it: both have the same guard, or `from` has none and `to`
// does not keep it in a register of its own where its guard is false.
bool uses_may_feed(const struct uses *uses, uint32_t from, uint32_t to);
