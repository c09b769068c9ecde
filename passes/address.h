// What an address is made of: traced through copies, conversions and additions of constants.
#pragma once
#include "ir/ir.h"

struct address {
    uint32_t
        parameter; // symbol of the kernel parameter or variable that it is based on, or IR_NONE
    uint32_t
        version; // what remains: SSA version that offset is added to, or IR_NONE (a symbol alone)
    int64_t offset; // constant part in bytes
    uint32_t bytes; // width of the access
    uint16_t space; // isa_word of the space; W_UNKNOWN: generic and not known
    bool read_only; // ld.global.nc, ld.const: nothing in the kernel writes there
};

// The address that a load, store or atomic accesses.
struct address address_of(const struct ir_module *module, const struct ir_function *fn,
                          uint32_t inst);
// False only if the two accesses surely touch different bytes.
bool address_may_alias(const struct ir_module *module, const struct address *a,
                       const struct address *b);

// True if the operand's value is the same for all lanes of a warp, see ir_uniform.
static inline bool value_is_uniform(const struct ir_module *module, const struct ir_function *fn,
                                    uint32_t operand)
{
    (void)module;
    return ir_uniform(fn, operand);
}

// True if the value is a kernel parameter: read by ld.param, handed on by mov and cvta. A value
// that is computed from parameters is not one.
bool value_is_parameter(const struct ir_module *module, const struct ir_function *fn,
                        uint32_t version);
