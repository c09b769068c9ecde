// Assigns latency classes to instructions.
#include "frontend/isa.h"
#include "runtime-sim/gpu/timing_class.h"

// Kinds of operands: 32-bit integers and narrower, 64-bit integers, f32 and narrower, f64.
enum operand_kind { KIND_INT, KIND_WIDE, KIND_F32, KIND_F64, KINDS };

struct row {
    uint16_t op;
    uint8_t class[KINDS];
};

#define ROW(op, a, b, c, d)                                                                        \
    {                                                                                              \
        OP_##op,                                                                                   \
        {                                                                                          \
            TIMING_##a, TIMING_##b, TIMING_##c, TIMING_##d                                         \
        }                                                                                          \
    }

// Instructions whose class differs from that of their isa_class.
static const struct row ops[] = {
    ROW(mul, int_mul, wide_mul, fp32_mul, fp64_mul),
    ROW(mul24, int_mul, wide_mul, fp32_mul, fp64_mul),
    ROW(mad, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(mad24, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(madc, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(fma, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(dp4a, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(dp2a, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(sad, int_mad, wide_mul, fp32_fma, fp64_mul),
    ROW(popc, bits, bits, bits, bits),
    ROW(clz, bits, bits, bits, bits),
    ROW(bfind, bits, bits, bits, bits),
    ROW(fns, bits, bits, bits, bits),
    ROW(brev, bits, bits, bits, bits),
    ROW(bfe, bits, bits, bits, bits),
    ROW(bfi, bits, bits, bits, bits),
    ROW(szext, bits, bits, bits, bits),
    ROW(bmsk, bits, bits, bits, bits),
    ROW(prmt, bits, bits, bits, bits),
    ROW(cvta, int_add, wide_add, int_add, wide_add),
    ROW(mapa, int_add, wide_add, int_add, wide_add),
    ROW(getctarank, int_add, wide_add, int_add, wide_add),
    ROW(ldmatrix, memory, memory, memory, memory),
    ROW(stmatrix, memory, memory, memory, memory),
    ROW(movmatrix, warp, warp, warp, warp),
    ROW(mbarrier, memory, memory, memory, memory),
};

#define CLASS(name, a, b, c, d) [CLASS_##name] = {TIMING_##a, TIMING_##b, TIMING_##c, TIMING_##d}

static const uint8_t classes[][KINDS] = {
    CLASS(OPAQUE, control, control, control, control),
    CLASS(ARITHMETIC, int_add, wide_add, fp32_add, fp64_add),
    CLASS(SPECIAL, int_div, int_div, sfu, fp64_div),
    CLASS(LOGIC, int_add, wide_add, int_add, wide_add),
    CLASS(SHIFT, int_add, wide_add, int_add, wide_add),
    CLASS(COMPARE, int_add, wide_add, fp32_add, fp64_add),
    CLASS(SELECT, int_add, wide_add, int_add, wide_add),
    CLASS(MOVE, int_add, wide_add, int_add, wide_add),
    CLASS(CONVERT, convert, convert, convert, convert),
    CLASS(LOAD, memory, memory, memory, memory),
    CLASS(STORE, memory, memory, memory, memory),
    CLASS(ATOMIC, memory, memory, memory, memory),
    CLASS(PREFETCH, memory, memory, memory, memory),
    CLASS(TEXTURE, memory, memory, memory, memory),
    CLASS(SURFACE, memory, memory, memory, memory),
    CLASS(ASYNC, memory, memory, memory, memory),
    CLASS(MATRIX, matrix, matrix, matrix, matrix),
    CLASS(WARP, warp, warp, warp, warp),
    CLASS(VIDEO, bits, bits, bits, bits),
    CLASS(BRANCH, control, control, control, control),
    CLASS(CALL, control, control, control, control),
    CLASS(RETURN, control, control, control, control),
    CLASS(BARRIER, control, control, control, control),
    CLASS(FENCE, control, control, control, control),
    CLASS(STACK, int_add, wide_add, int_add, wide_add),
    CLASS(MISC, control, control, control, control),
};

static enum operand_kind kind_of(uint16_t type)
{
    switch (type) {
    case W_f16:
    case W_f16x2:
    case W_bf16:
    case W_bf16x2:
    case W_f32: return KIND_F32;
    case W_f64: return KIND_F64;
    case W_u64:
    case W_s64:
    case W_b64: return KIND_WIDE;
    default: return KIND_INT;
    }
}

// An instruction and its position.
struct at {
    const struct ir_module *module;
    const struct ir_function *fn;
    const struct ir_inst *inst;
    uint32_t index;
};

static bool has_word(const struct at *at, uint16_t word)
{
    return ir_has_modifier(at->module, at->fn, at->index, word);
}

// Rounded division and roots take many steps, approximate ones take one.
static uint8_t special(const struct at *at, enum operand_kind kind)
{
    bool rounded =
        has_word(at, W_rn) || has_word(at, W_rz) || has_word(at, W_rm) || has_word(at, W_rp);
    bool rough = has_word(at, W_approx) || at->inst->op == OP_ex2 || at->inst->op == OP_lg2;
    if (kind == KIND_F32 && rounded)
        return TIMING_fp32_div;
    return kind == KIND_F64 && rough ? TIMING_sfu : classes[CLASS_SPECIAL][kind];
}

static bool is_product_of_words(const struct at *at)
{
    bool product = at->inst->op == OP_mul || at->inst->op == OP_mad;
    return product && has_word(at, W_wide);
}

static bool is_matrix_access(const struct at *at)
{
    return at->inst->op == OP_wmma && !has_word(at, W_mma);
}

enum timing_class timing_class_of(const struct ir_module *module, const struct ir_function *fn,
                                  uint32_t index)
{
    const struct ir_inst *inst = &fn->insts.v[index];
    const struct at at = {module, fn, inst, index};
    enum operand_kind kind = kind_of(inst->type);
    if (inst->class == CLASS_LOAD && inst->space == W_param)
        return TIMING_parameter;
    if (is_matrix_access(&at))
        return TIMING_memory;
    if (is_product_of_words(&at))
        return inst->op == OP_mul ? TIMING_int_mul : TIMING_int_mad;
    if (inst->class == CLASS_SPECIAL)
        return special(&at, kind);
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ops[i].op == inst->op)
            return ops[i].class[kind];
    return classes[inst->class][kind];
}
