// The registers that each instruction reads and writes, as places in its function's frame: the
// basis of a scoreboard, built once per program.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// A use covers whole registers. Two uses of one function have the same bytes if their `slot` is
// equal, and disjoint bytes if not.
struct slot_use {
    uint32_t offset, bytes; // in the frame
    uint32_t version;       // of the IR; IR_NONE: `between`
    uint16_t slot;          // from 0, without gaps in a function
    bool written;           // else read; a partial write is also a read
    bool between;           // not a register: a value between the codes of one instruction
    bool late;              // written when a held access is served, not at issue
};

struct slots_used_code {
    uint32_t first;
    uint16_t count;
    // All held accesses of the warp must be complete: registers of another frame are read and
    // written (calls), or memory is accessed at issue (accesses that issue.h serves at once,
    // builtin functions, parameters of functions).
    bool drains;
    bool touches; // accesses memory at issue, all at once
    // Earlier accesses of the warp must be complete: barriers and fences, volatile accesses and
    // those with an order. If it is held itself, later accesses of the warp wait for it.
    bool orders;
};

struct slots_used {
    VEC(struct slot_use) uses;
    struct slots_used_code *codes; // by code; all codes of an instruction have the same uses
    uint32_t *function_slots;      // number of slots, by program function
};

void slots_used_build(struct slots_used *to, struct arena *arena, const struct program *program);

// Returns the number of uses of the instruction to which this code belongs, and the uses.
static inline uint32_t issue_slots(const struct slots_used *all, uint32_t code,
                                   const struct slot_use **uses)
{
    uint32_t count = all->codes[code].count;
    *uses = count ? all->uses.v + all->codes[code].first : NULL; // no list without uses
    return count;
}
