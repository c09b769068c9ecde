// Operands of an ALU instruction as the patterns classify them.
#pragma once
#include "passes/chains/match.h"

// Class of an operand in a chain: the first one that applies.
enum input_kind { INPUT_LOAD, INPUT_SCALAR, INPUT_REGISTER };

struct input {
    enum input_kind kind;
    uint32_t operand;
    uint32_t version;  // of a register, else IR_NONE
    struct load *load; // INPUT_LOAD
    bool uniform;      // equal in all lanes of a warp: it can be a scalar
};

enum { MOST_INPUTS = 4 };

// Inputs of an ALU instruction.
struct inputs {
    uint32_t count;     // if more than MOST_INPUTS, `v` is incomplete
    uint32_t number[3]; // of each kind, in `v`
    struct input v[MOST_INPUTS];
};

// Returns the inputs of an instruction. `merge`: a register that is used twice is one input. In a
// fused multiply-add each use has its own place.
struct inputs inputs_of(struct matcher *m, uint32_t inst, bool merge);
// Returns the first input of the kind, or NULL.
const struct input *inputs_find(const struct inputs *inputs, enum input_kind kind);
// Returns true if the instruction has exactly these numbers of inputs.
bool inputs_have(const struct inputs *inputs, uint32_t loads, uint32_t scalars, uint32_t registers);
