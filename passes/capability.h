// What the ALU near the data computes: the operations of an SP unit on 32 bits [000 §5].
#pragma once
#include "passes/plan.h"

enum alu_kind {
    ALU_NONE,    // not one of its operations
    ALU_COMPUTE, // one result of 32 bits
    ALU_FUSED,   // the same from a product and an addend
    ALU_COMPARE, // a predicate, or the 0 and −1 of `set`
};

struct alu {
    enum alu_kind kind;
    enum plan_rule rule; // why not: RULE_OPERATION or RULE_TYPE
};

struct alu alu_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst);

// True if the operand (role USE) is something that the operation computes with: all but lop3's
// table.
bool alu_is_source(const struct ir_function *fn, uint32_t operand);
// True if the type is one that the ALU computes: s32, u32, b32, f32.
bool alu_has_type(uint16_t type);
