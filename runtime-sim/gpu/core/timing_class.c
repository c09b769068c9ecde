// Assigns latency classes to instructions.
#include "frontend/isa.h"
#include "runtime-sim/gpu/core/timing_class.h"

// Kinds of operands: 32-bit integers and narrower, 64-bit integers, f32 and narrower, pairs of f16
// or bf16, f64.
enum operand_kind { KIND_INT, KIND_WIDE, KIND_F32, KIND_HALVES, KIND_F64, KINDS };

enum op_time {
    TIME_add,
    TIME_sign,
    TIME_minmax,
    TIME_compare,
    TIME_word,
    TIME_mul,
    TIME_mad,
    TIME_divide,
    TIME_bits,
    TIME_convert,
    TIME_memory,
    TIME_matrix,
    TIME_warp,
    TIME_control,
};

#define ROW(name, a, b, c, d, e)                                                                   \
    [TIME_##name] = {TIMING_##a, TIMING_##b, TIMING_##c, TIMING_##d, TIMING_##e}

static const uint8_t classes[][KINDS] = {
    ROW(add, int_add, wide_add, fp32_add, half_add, fp64_add),
    ROW(sign, int_add, wide_add, fp32_compare, fp32_compare, fp64_compare),
    ROW(minmax, int_minmax, wide_minmax, fp32_minmax, fp32_minmax, fp64_minmax),
    ROW(compare, int_compare, wide_compare, fp32_compare, fp32_compare, fp64_compare),
    ROW(word, int_logic, wide_logic, int_logic, int_logic, wide_logic),
    ROW(mul, int_mul, wide_mul, fp32_mul, half_mul, fp64_mul),
    ROW(mad, int_mad, wide_mul, fp32_fma, half_fma, fp64_mul),
    ROW(divide, int_div, int_div, sfu, sfu, fp64_div),
    ROW(bits, bits, bits, bits, bits, bits),
    ROW(convert, convert_int, convert_int, convert, convert, convert),
    ROW(memory, memory, memory, memory, memory, memory),
    ROW(matrix, matrix, matrix, matrix, matrix, matrix),
    ROW(warp, warp, warp, warp, warp, warp),
    ROW(control, control, control, control, control, control),
};

static const uint8_t times[OP_COUNT] = {
#define ISA_OP(name, class, roles, time, rows) [OP_##name] = TIME_##time,
#define ISA_SUB(name, modifier, class, roles)
#include "frontend/isa.def"
#undef ISA_OP
#undef ISA_SUB
};

static enum operand_kind kind_of(uint16_t type)
{
    switch (type) {
    case W_f16:
    case W_bf16:
    case W_f32: return KIND_F32;
    case W_f16x2:
    case W_bf16x2: return KIND_HALVES;
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
    if ((kind == KIND_F32 || kind == KIND_HALVES) && rounded)
        return TIMING_fp32_div;
    return kind == KIND_F64 && rough ? TIMING_sfu : classes[TIME_divide][kind];
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
    if (inst->op == OP_wgmma)
        return has_word(&at, W_mma_async) ? TIMING_wgmma : TIMING_control;
    if (is_product_of_words(&at))
        return inst->op == OP_mul ? TIMING_int_mul : TIMING_int_mad;
    enum op_time time = inst->op == OP_OPAQUE ? TIME_control : times[inst->op];
    if (time == TIME_convert && inst->type2 != W_UNKNOWN && !ir_type_is_integer(inst->type2))
        return TIMING_convert;
    return time == TIME_divide ? special(&at, kind) : classes[time][kind];
}
