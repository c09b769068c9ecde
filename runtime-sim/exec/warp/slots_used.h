// Which registers each instruction reads and writes, as places in its function's frame: what a
// scoreboard is built from, once for a program.
#pragma once
#include "runtime-sim/exec/decode/program.h"

// A use covers whole registers. Two uses of one function are of the same bytes if their `slot` is
// the same, and have no byte in common if not.
struct slot_use {
    uint32_t offset, bytes; // in the frame
    uint32_t version;       // of the IR; IR_NONE: `between`
    uint16_t slot;          // from 0, without gaps in a function
    bool written;           // else read; what is written in part is read too
    bool between;           // no register: what the codes of one instruction pass on
    bool late;              // written when a held access is served, not at issue
};

struct slots_used_code {
    uint32_t first;
    uint16_t count;
    // Nothing that the warp has held may be left: registers of another frame are read and written
    // (calls), or memory is accessed at issue (what issue.h gives as served, builtin functions,
    // parameters of functions).
    bool drains;
    bool touches; // accesses memory at issue, all at once
    // Memory that the warp has accessed before must have been: barriers and fences, volatile
    // accesses and those with an order. If it is held itself, what the warp accesses behind it
    // waits for it.
    bool orders;
};

struct slots_used {
    VEC(struct slot_use) uses;
    struct slots_used_code *codes; // by code; all codes of an instruction have the same uses
    uint32_t *function_slots;      // how many there are, by program function
};

void slots_used_build(struct slots_used *to, struct arena *arena, const struct program *program);

// The uses of the instruction to which this code belongs; returns how many.
static inline uint32_t issue_slots(const struct slots_used *all, uint32_t code,
                                   const struct slot_use **uses)
{
    uint32_t count = all->codes[code].count;
    *uses = count ? all->uses.v + all->codes[code].first : NULL; // without uses there is no list
    return count;
}
