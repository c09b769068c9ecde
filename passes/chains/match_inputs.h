// Operands of an ALU instruction as the patterns classify them.
#pragma once
#include "passes/chains/match.h"

// Class of an operand in a chain. If several apply, the first.
enum input_kind { INPUT_LOAD, INPUT_SCALAR, INPUT_REGISTER };

struct input {
    enum input_kind kind;
    uint32_t operand;
    uint32_t version;  // of a register, else IR_NONE
    struct load *load; // INPUT_LOAD
    bool uniform;      // equal in all lanes of a warp: it can be a scalar
};

enum { MOST_INPUTS = 4 };

// A register that is used twice is one input, except in a fused multiply-add, where each use has
// its place.
struct inputs {
    uint32_t count;     // more than MOST_INPUTS: `v` is not complete
    uint32_t number[3]; // of each kind, among v
    struct input v[MOST_INPUTS];
};

struct inputs inputs_of(struct matcher *m, uint32_t inst, bool merge);
// Returns the first input of the kind, or NULL.
const struct input *inputs_find(const struct inputs *inputs, enum input_kind kind);
bool inputs_have(const struct inputs *inputs, uint32_t loads, uint32_t scalars, uint32_t registers);
