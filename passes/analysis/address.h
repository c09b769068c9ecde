// What an address is made of, and whether two accesses may touch the same bytes.
#pragma once
#include "passes/analysis/facts.h"

struct address {
    uint32_t
        parameter; // symbol of the kernel parameter or variable that it is based on, or IR_NONE
    uint32_t
        version; // what remains: SSA version that offset is added to, or IR_NONE (a symbol alone)
    int64_t offset; // constant part in bytes
    uint32_t bytes; // width of the access
    uint16_t space; // isa_word of the space; W_UNKNOWN: generic and not known
    bool read_only; // ld.global.nc, ld.const: nothing in the kernel writes there
    // Of address_in only.
    bool has_sum;
    struct affine sum;
    uint32_t pointer; // symbol of the parameter or variable that is its only pointer, or IR_NONE
};

// The address that a load, store or atomic accesses.
struct address address_of(const struct ir_module *module, const struct ir_function *fn,
                          uint32_t inst);
// The same, and as a sum.
struct address address_in(struct facts *facts, uint32_t inst);

// False only if the two accesses surely touch different bytes: other spaces, other variables,
// memory that nobody writes, or places that are never the same distance apart. They are taken to
// belong to the same iteration of all loops around both. With --restrict, different pointers among
// a kernel's parameters lead to different memory.
bool address_may_alias(struct facts *facts, const struct address *a, const struct address *b);

// True if the value is a kernel parameter: read by ld.param, handed on by mov and cvta. A value
// that is computed from parameters is not one.
bool value_is_parameter(const struct ir_module *module, const struct ir_function *fn,
                        uint32_t version);
