// The registers that each instruction reads and writes, as locations in its function's frame. The
// basis of a scoreboard; built once per program.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// A use of a whole register. Two uses in one function have the same bytes if their `slot` is equal,
// and disjoint bytes otherwise.
struct reg_slot_use {
    uint32_t offset, bytes; // in the frame
    uint32_t version;       // IR version; IR_NONE for `between`
    uint16_t slot;          // from 0, dense within a function
    bool written;           // otherwise read; a partial write is also a read
    bool between;           // a value between the codes of one instruction, not a register
    bool late;              // written when a held access is served, not at issue
};

struct code_reg_slots {
    uint32_t first;
    uint16_t count;
    // All held accesses of the warp must be complete, because registers of another frame are read
    // and written (calls), or because memory is accessed at issue (accesses that issue.h serves at
    // once, builtin functions, parameters of functions).
    bool drains;
    bool touches; // accesses memory at issue, all at once
    // Earlier accesses of the warp must be complete: barriers, fences, and volatile or ordered
    // accesses. If the instruction itself is held, later accesses of the warp must wait for it.
    bool orders;
};

struct reg_slots_used {
    VEC(struct reg_slot_use) uses;
    struct code_reg_slots *codes; // per code; all codes of an instruction have the same uses
    uint32_t *function_reg_slots; // per program function: number of slots
};

// Builds the uses of a program.
void reg_slots_used_build(struct reg_slots_used *to, struct arena *arena,
                          const struct program *program);

// Returns the number of uses of the instruction to which this code belongs, and the uses.
static inline uint32_t code_reg_slots_used(const struct reg_slots_used *all, uint32_t code,
                                           const struct reg_slot_use **uses)
{
    uint32_t count = all->codes[code].count;
    *uses = count ? all->uses.v + all->codes[code].first : NULL; // NULL if there are no uses
    return count;
}
