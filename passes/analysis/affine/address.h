// Parts of an address, and aliases of two accesses.
#pragma once
#include "passes/analysis/facts.h"

struct address {
    uint32_t parameter; // symbol of the kernel parameter or variable at its base, or IR_NONE
    uint32_t version;   // SSA version to which the offset is added, or IR_NONE (a symbol alone)
    int64_t offset;     // constant part. Units: bytes
    uint32_t bytes;     // size of the access
    uint16_t space;     // isa_word of the space; W_UNKNOWN: generic and unknown
    bool read_only;     // ld.global.nc, ld.const: the kernel never writes this memory
    // Set by address_in only.
    bool has_sum;
    struct affine sum;
    uint32_t pointer; // symbol of its only pointer, a parameter or variable, or IR_NONE
};

// Returns the address of a load, store or atomic, without `sum` and `pointer`.
struct address address_of(const struct ir_module *module, const struct ir_function *fn,
                          uint32_t inst);
// Returns the address with its sum and pointer.
struct address address_in(struct facts *facts, uint32_t inst);

// Returns false only if the two accesses never touch the same byte: different spaces, different
// variables, memory that is never written, or a difference that is always too large. Assumes the
// same iteration of all loops around both. With --restrict, different pointers among a kernel's
// parameters point to different memory.
bool address_may_alias(struct facts *facts, const struct address *a, const struct address *b);

// Returns true if the value is a kernel parameter, read by ld.param and copied by mov and cvta.
// Values computed from parameters do not count.
bool value_is_parameter(const struct ir_module *module, const struct ir_function *fn,
                        uint32_t version);
