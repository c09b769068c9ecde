#include "passes/base/capability.h"
#include "support/gpu.h"
#include <math.h>

// The ALU has no mad24 (24 bits), no sad (absolute differences), no bit-field operations, and no
// selp, whose predicate would have to be sent along.
#define ROW(name, kind)                                                                            \
    {                                                                                              \
        OP_##name, #name, ALU_##kind                                                               \
    }
static const struct alu_row {
    uint16_t op;
    const char *name;
    enum alu_kind kind;
} rows[] = {
    ROW(add, COMPUTE),   ROW(sub, COMPUTE), ROW(mul, COMPUTE),  ROW(mad, FUSED),
    ROW(fma, FUSED),     ROW(min, COMPUTE), ROW(max, COMPUTE),  ROW(and, COMPUTE),
    ROW(or, COMPUTE),    ROW(xor, COMPUTE), ROW(not, COMPUTE),  ROW(cnot, COMPUTE),
    ROW(lop3, COMPUTE),  ROW(shl, COMPUTE), ROW(shr, COMPUTE),  ROW(shf, COMPUTE),
    ROW(abs, COMPUTE),   ROW(neg, COMPUTE), ROW(cvt, COMPUTE),  ROW(setp, COMPARE),
    ROW(set, COMPARE),   ROW(div, COMPUTE), ROW(rem, COMPUTE),  ROW(sqrt, COMPUTE),
    ROW(rsqrt, COMPUTE), ROW(rcp, COMPUTE), ROW(sin, COMPUTE),  ROW(cos, COMPUTE),
    ROW(ex2, COMPUTE),   ROW(lg2, COMPUTE), ROW(popc, COMPUTE), ROW(clz, COMPUTE),
};
enum { ROWS = ARRAY_LENGTH(rows) };

// Bits of capability.types.
static const uint16_t types[] = {W_s32, W_u32, W_b32, W_f32, W_s16, W_u16,
                                 W_b16, W_s64, W_u64, W_b64, W_f64};
enum { TYPES = ARRAY_LENGTH(types) };

#define FIRST_TYPES(count) ((UINT32_C(1) << (count)) - 1)
#define FIRST_OPERATIONS(count) ((UINT32_C(1) << (count)) - 1)
#define FIRST_NUMBER(value) (value)
#define FIRST_FLAG(value) (value)
const struct capability capability_usual = {
#define CAPABILITY(member, kind, min, max, initial, unit, text) .member = FIRST_##kind(initial),
#include "passes/base/capability.def"
#undef CAPABILITY
    .text = "",
};

enum { HEAD = 8, ADDRESS = 6 }; // bytes

const char *capability_type_name(uint32_t bit)
{
    return bit < TYPES ? isa_words[types[bit]].text + 1 : NULL;
}

const char *capability_operation_name(uint32_t bit)
{
    return bit < ROWS ? rows[bit].name : NULL;
}

bool alu_has_type(const struct capability *capability, uint16_t type)
{
    for (uint32_t i = 0; i < TYPES; i++)
        if (types[i] == type)
            return capability->types >> i & 1;
    return false;
}

bool alu_is_source(const struct ir_function *fn, uint32_t operand)
{
    enum { LOP3_TABLE = 4 };
    const struct ir_operand *at = &fn->operands.v[operand];
    bool table = fn->insts.v[fn->operand_inst.v[operand]].op == OP_lop3 && at->slot == LOP3_TABLE;
    return at->role == ROLE_USE && !table;
}

// Returns true if the ALU compares values of the type: those of 16 bits are extended to 32, as
// accesses are converted.
static bool compares_type(const struct capability *capability, uint16_t type)
{
    static const uint16_t halves[][2] = {{W_s16, W_s32}, {W_u16, W_u32}, {W_b16, W_b32}};
    for (size_t i = 0; i < ARRAY_LENGTH(halves) && capability->sub_word; i++)
        if (halves[i][0] == type)
            type = halves[i][1];
    return alu_has_type(capability, type);
}

// Returns RULE_OPERATION or RULE_TYPE if a modifier asks for a form that the ALU lacks, or
// RULE_COUNT.
static enum plan_rule fault_of_modifiers(const struct capability *capability,
                                         const struct ir_module *module, const struct ir_inst *inst,
                                         enum alu_kind kind)
{
    bool (*has)(const struct capability *, uint16_t) =
        kind == ALU_COMPARE ? compares_type : alu_has_type;
    uint32_t count;
    const uint16_t *mods = node_mods(module->tree, inst->node, &count);
    enum plan_rule rule = inst->type == W_UNKNOWN ? RULE_TYPE : RULE_COUNT;
    for (uint32_t i = 0; i < count; i++) {
        bool unknown = mods[i] == W_UNKNOWN && inst->op != OP_shf; // .l .r .wrap .clamp
        if (unknown || mods[i] == W_cc)
            return RULE_OPERATION;
        if (mods[i] == W_wide || (isa_is_type(mods[i]) && !has(capability, mods[i])))
            rule = RULE_TYPE;
    }
    return rule;
}

// Returns true if exactly one register is written, as wide as a supported type. A comparison may
// write two predicates.
static bool has_result(const struct capability *capability, const struct ir_function *fn,
                       const struct ir_inst *inst, enum alu_kind kind)
{
    uint32_t results = 0;
    for (uint32_t i = inst->operands; i < inst->operands + inst->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[i];
        if (operand->role != ROLE_DEF)
            continue;
        bool plain = operand->kind == OPERAND_REGISTER;
        uint16_t bits = plain ? fn->registers.v[operand->index].bits : 0;
        plain &= alu_has_type(capability, bits == 64   ? W_b64
                                          : bits == 16 ? W_b16
                                                       : W_b32) ||
                 bits == ir_type_bits(inst->type);
        plain &= bits >= 16;
        if (!plain && kind != ALU_COMPARE)
            return false;
        results++;
    }
    return kind == ALU_COMPARE ? results > 0 : results == 1;
}

struct alu alu_of(const struct capability *capability, const struct ir_module *module,
                  const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    struct alu alu = {ALU_NONE, RULE_OPERATION};
    for (uint32_t i = 0; i < ROWS; i++) {
        if (rows[i].op != at->op || !(capability->operations >> i & 1))
            continue;
        alu.rule = fault_of_modifiers(capability, module, at, rows[i].kind);
        if (alu.rule == RULE_COUNT && ir_reads_part(fn, inst)) // rN+4 is not the operand's value
            alu.rule = RULE_OPERATION;
        if (alu.rule == RULE_COUNT && !has_result(capability, fn, at, rows[i].kind))
            alu.rule = RULE_TYPE;
        if (alu.rule == RULE_COUNT)
            alu.kind = rows[i].kind;
        break;
    }
    return alu;
}

enum access_width capability_access(const struct capability *capability, const struct ir_inst *at)
{
    uint16_t bits = ir_type_bits(at->type);
    static const uint16_t parts[] = {W_b8, W_u8, W_s8, W_b16, W_u16, W_s16};
    if (at->vector > capability->vector)
        return ACCESS_NOT;
    if (alu_has_type(capability, at->type))
        return at->vector > 1 && bits != 32 ? ACCESS_NOT : ACCESS_WHOLE;
    for (size_t i = 0; i < ARRAY_LENGTH(parts) && capability->sub_word; i++)
        if (parts[i] == at->type && at->vector == 1)
            return ACCESS_PART;
    if (bits == 64 && at->vector == 1)
        return ACCESS_COPY;
    return bits == 32 && at->vector == 1 ? ACCESS_TYPE : ACCESS_NOT;
}

uint32_t capability_packets(const struct capability *capability, uint32_t lane_bytes)
{
    uint32_t lines = divide_up(lane_bytes * WARP_LANES, LINE_BYTES),
             groups = divide_up(WARP_LANES, capability->lanes);
    return lines > groups ? lines : groups;
}

uint32_t capability_head_flits(const struct capability *capability)
{
    return capability->header_bytes ? divide_up(capability->header_bytes, capability->flit_bytes)
                                    : 1;
}

// Returns the flits of a packet with this many bytes of data.
static uint32_t flits_with_data(const struct capability *capability, uint32_t bytes)
{
    uint32_t header = capability->header_bytes;
    return header ? divide_up(header + bytes, capability->flit_bytes)
                  : 1 + divide_up(bytes, capability->flit_bytes);
}

double capability_access_flits(const struct capability *capability, double lines, double sectors)
{
    bool apart = capability->sectors && capability->sector_packets;
    double packets = apart ? sectors : lines;
    double bytes = capability->sectors ? sectors * SECTOR_BYTES / packets : LINE_BYTES;
    return packets *
           (capability_head_flits(capability) + flits_with_data(capability, (uint32_t)ceil(bytes)));
}

uint32_t capability_data_flits(const struct capability *capability, uint32_t lane_bytes)
{
    uint32_t packets = capability_packets(capability, lane_bytes);
    return packets * flits_with_data(capability, divide_up(lane_bytes * WARP_LANES, packets));
}

uint32_t capability_packet_flits(const struct capability *capability)
{
    return divide_up(capability->packet_bytes, capability->flit_bytes);
}

uint32_t capability_packet_use(const struct capability *capability, uint32_t addresses,
                               uint32_t scalars)
{
    return HEAD + ADDRESS * addresses + 1 + scalars * capability->scalar_bytes;
}
