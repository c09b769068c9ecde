// Converts PTX instructions to operations of the service queue's ALU.
#include "runtime-sim/schemes/llc_omni/packet_alu.h"

// Modifiers that change a function. Each row has the set that it supports.
enum attribute {
    A_FTZ = 1,
    A_SAT = 2,
    A_NAN = 4,
    A_ABS = 8,
    A_XORSIGN = 16,
    A_ROUND = 32,    // .rn .rz .rm .rp
    A_INTEGRAL = 64, // .rni .rzi .rmi .rpi
    A_ARITHMETIC = A_FTZ | A_SAT | A_ROUND,
    A_CHOICE = A_FTZ | A_NAN | A_ABS | A_XORSIGN,
};

static const struct attribute_word {
    uint16_t word;
    uint8_t attribute, round;
} attribute_words[] = {
    {W_ftz, A_FTZ, 0},
    {W_sat, A_SAT, 0},
    {W_NaN, A_NAN, 0},
    {W_abs, A_ABS, 0},
    {W_xorsign, A_XORSIGN, 0},
    {W_rn, A_ROUND, ROUND_NEAREST},
    {W_rz, A_ROUND, ROUND_ZERO},
    {W_rm, A_ROUND, ROUND_DOWN},
    {W_rp, A_ROUND, ROUND_UP},
    {W_rni, A_INTEGRAL, ROUND_NEAREST},
    {W_rzi, A_INTEGRAL, ROUND_ZERO},
    {W_rmi, A_INTEGRAL, ROUND_DOWN},
    {W_rpi, A_INTEGRAL, ROUND_UP},
};

enum { MAX_WORDS = 4 };

// An operation, and the words that its instruction must have, with types in this order. Other words
// must be attributes that the row allows. Logic of two sources has a truth table.
static const struct row {
    uint16_t op;
    uint8_t function, needed, allowed, table;
    uint16_t words[MAX_WORDS]; // terminated by 0, which is not the number of a word
} rows[] = {
#define ROW(op, function, allowed, ...)                                                            \
    {                                                                                              \
        OP_##op, PACKET_##function, 0, allowed, 0,                                                 \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define LOGIC(op, table, ...)                                                                      \
    {                                                                                              \
        OP_##op, PACKET_logic, 0, 0, table,                                                        \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define NEEDS(op, function, needed, allowed, ...)                                                  \
    {                                                                                              \
        OP_##op, PACKET_##function, needed, (needed) | (allowed), 0,                               \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
    // clang-format off
    LOGIC(and, 8, W_b32), LOGIC(or, 14, W_b32), LOGIC(xor, 6, W_b32), LOGIC(not, 1, W_b32),
    LOGIC(cvt, 8, W_u32, W_u32), LOGIC(cvt, 8, W_u32, W_s32),
    LOGIC(cvt, 8, W_s32, W_u32), LOGIC(cvt, 8, W_s32, W_s32), LOGIC(cvt, 8, W_f32, W_f32),
    LOGIC(lop3, 0, W_b32),
    ROW(cnot, cnot, 0, W_b32), ROW(shl, shl, 0, W_b32),
    ROW(shr, shr_u32, 0, W_b32), ROW(shr, shr_u32, 0, W_u32), ROW(shr, shr_s32, 0, W_s32),
    ROW(shf, shf_l_wrap, 0, W_l, W_wrap, W_b32), ROW(shf, shf_l_clamp, 0, W_l, W_clamp, W_b32),
    ROW(shf, shf_r_wrap, 0, W_r, W_wrap, W_b32), ROW(shf, shf_r_clamp, 0, W_r, W_clamp, W_b32),
    ROW(add, add, 0, W_u32), ROW(add, add, 0, W_s32), NEEDS(add, add_sat, A_SAT, 0, W_s32),
    ROW(sub, sub, 0, W_u32), ROW(sub, sub, 0, W_s32), NEEDS(sub, sub_sat, A_SAT, 0, W_s32),
    ROW(mul, mul_lo, 0, W_lo, W_u32), ROW(mul, mul_lo, 0, W_lo, W_s32),
    ROW(mul, mul_hi_u32, 0, W_hi, W_u32), ROW(mul, mul_hi_s32, 0, W_hi, W_s32),
    ROW(mad, mad_lo, 0, W_lo, W_u32), ROW(mad, mad_lo, 0, W_lo, W_s32),
    ROW(mad, mad_hi_u32, 0, W_hi, W_u32), ROW(mad, mad_hi_s32, 0, W_hi, W_s32),
    NEEDS(mad, mad_hi_sat, A_SAT, 0, W_hi, W_s32),
    ROW(min, min_u32, 0, W_u32), ROW(min, min_s32, 0, W_s32), ROW(min, min_relu, 0, W_relu, W_s32),
    ROW(max, max_u32, 0, W_u32), ROW(max, max_s32, 0, W_s32), ROW(max, max_relu, 0, W_relu, W_s32),
    ROW(abs, abs, 0, W_s32), ROW(neg, neg, 0, W_s32),
    NEEDS(cvt, u32_sat_s32, A_SAT, 0, W_u32, W_s32),
    NEEDS(cvt, s32_sat_u32, A_SAT, 0, W_s32, W_u32),
    ROW(add, add_f32, A_ARITHMETIC, W_f32), ROW(sub, sub_f32, A_ARITHMETIC, W_f32),
    ROW(mul, mul_f32, A_ARITHMETIC, W_f32), ROW(fma, fma_f32, A_ARITHMETIC, W_f32),
    ROW(mad, fma_f32, A_ARITHMETIC, W_f32),
    ROW(min, min_f32, A_CHOICE, W_f32), ROW(max, max_f32, A_CHOICE, W_f32),
    ROW(abs, abs_f32, A_FTZ, W_f32), ROW(neg, neg_f32, A_FTZ, W_f32),
    ROW(cvt, f32_s32, A_ARITHMETIC, W_f32, W_s32), ROW(cvt, f32_u32, A_ARITHMETIC, W_f32, W_u32),
    ROW(cvt, s32_f32, A_INTEGRAL | A_FTZ | A_SAT, W_s32, W_f32),
    ROW(cvt, u32_f32, A_INTEGRAL | A_FTZ | A_SAT, W_u32, W_f32),
    NEEDS(cvt, integral_f32, A_INTEGRAL, A_FTZ | A_SAT, W_f32, W_f32),
    ROW(cvt, f32_f32, A_FTZ | A_SAT, W_f32, W_f32),
    // clang-format on
};

// Marks a word of the row as found. Types must have the order of the row.
static bool match_word(const struct row *row, uint16_t word, uint32_t *taken)
{
    for (uint32_t i = 0; i < MAX_WORDS && row->words[i]; i++) {
        if (*taken >> i & 1)
            continue;
        if (row->words[i] == word) {
            *taken |= 1u << i;
            return true;
        }
        if (isa_is_type(word) && isa_is_type(row->words[i]))
            return false;
    }
    return false;
}

static const struct attribute_word *attribute_of(uint16_t word)
{
    for (uint32_t i = 0; i < ARRAY_LENGTH(attribute_words); i++)
        if (attribute_words[i].word == word)
            return &attribute_words[i];
    return NULL;
}

static uint8_t detail_of(const struct row *row, uint32_t attributes, uint32_t round)
{
    uint32_t rounded = round << PACKET_ROUND_SHIFT | (attributes & A_FTZ ? PACKET_WITH_FTZ : 0) |
                       (attributes & A_SAT ? PACKET_WITH_SAT : 0);
    uint32_t choice = (attributes & A_FTZ ? PACKET_WITH_FTZ : 0) |
                      (attributes & A_NAN ? PACKET_WITH_NAN : 0) |
                      (attributes & A_ABS ? PACKET_WITH_ABS : 0) |
                      (attributes & A_XORSIGN ? PACKET_WITH_XORSIGN : 0);
    switch (packet_detail_of(row->function)) {
    case PACKET_TABLE: return row->table;
    case PACKET_CHOICE: return (uint8_t)choice;
    default: return (uint8_t)rounded & packet_detail_bits(row->function);
    }
}

static bool fits(const struct row *row, const uint16_t *mods, uint32_t count, uint8_t *detail)
{
    uint32_t taken = 0, attributes = 0, round = ROUND_NEAREST;
    for (uint32_t i = 0; i < count; i++) {
        const struct attribute_word *attribute = attribute_of(mods[i]);
        if (match_word(row, mods[i], &taken))
            continue;
        if (!attribute || !(row->allowed & attribute->attribute))
            return false;
        attributes |= attribute->attribute;
        if (attribute->attribute & (A_ROUND | A_INTEGRAL))
            round = attribute->round;
    }
    uint32_t words = 0;
    while (words < MAX_WORDS && row->words[words])
        words++;
    *detail = detail_of(row, attributes, round);
    return taken == (1u << words) - 1 && (attributes & row->needed) == row->needed;
}

// Operands

static const struct ir_operand *use_of(const struct ir_function *fn, uint32_t inst, uint32_t n)
{
    uint32_t id = ir_find_operand(fn, inst, ROLE_USE, n);
    return id == IR_NONE ? NULL : &fn->operands.v[id];
}

static bool is_value(const struct ir_function *fn, const struct ir_operand *operand, uint32_t bits)
{
    if (!operand || operand->part)
        return false;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return operand->member != W_UNKNOWN || fn->registers.v[operand->index].bits == bits;
    case OPERAND_SPECIAL:
    case OPERAND_SYMBOL:
    case OPERAND_IMMEDIATE: return true;
    default: return false;
    }
}

static bool has_result(const struct ir_function *fn, uint32_t inst)
{
    uint32_t first = ir_find_operand(fn, inst, ROLE_DEF, 0);
    if (first == IR_NONE || ir_find_operand(fn, inst, ROLE_DEF, 1) != IR_NONE)
        return false;
    const struct ir_operand *operand = &fn->operands.v[first];
    return operand->kind == OPERAND_REGISTER && is_value(fn, operand, 32) && !operand->part;
}

// Returns true if there are at most two different sources, and stores them.
static bool reduce(const uint8_t *source, uint32_t count, uint8_t *two)
{
    two[0] = two[1] = source[0];
    for (uint32_t i = 1; i < count; i++)
        if (source[i] != two[0] && two[1] == two[0])
            two[1] = source[i];
        else if (source[i] != two[0] && source[i] != two[1])
            return false;
    return true;
}

// Reduces a truth table of three operands to one of the two different operands.
static uint8_t table_of_two(uint32_t table, const uint8_t *source, const uint8_t *two)
{
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t a = i >> 1, b = two[0] == two[1] ? a : i & 1, place = 0;
        for (uint32_t k = 0; k < PACKET_SOURCES; k++)
            place = place << 1 | (source[k] == two[0] ? a : b);
        result |= (table >> place & 1) << i;
    }
    return (uint8_t)result;
}

static bool set_sources(const struct ir_function *fn, uint32_t inst, const uint8_t *source,
                        struct packet_op *op)
{
    enum { LOP3_TABLE = 3 };
    uint32_t count = 0, wanted = packet_sources(op->function);
    const struct ir_operand *table = use_of(fn, inst, LOP3_TABLE);
    while (count < PACKET_SOURCES && use_of(fn, inst, count))
        if (!is_value(fn, use_of(fn, inst, count++), 32))
            return false;
    for (uint32_t i = 0; i < count && i < wanted; i++)
        op->source[i] = source[i];
    if (count == wanted)
        return !table;
    if (wanted != 2 || !count || !reduce(source, count, op->source))
        return false;
    if (op->function != PACKET_logic || count == 1)
        return !table;
    if (!table || table->kind != OPERAND_IMMEDIATE)
        return false;
    op->detail = table_of_two((uint32_t)table->value & 0xff, source, op->source);
    return true;
}

// Comparisons

enum { SIGNED = 1, UNSIGNED = 2, BITS = 4, FLOAT = 8, ANY = 15, ORDERED = 11 };
static const struct comparison {
    uint16_t word;
    uint8_t comparison, types;
} comparisons[] = {
    {W_eq, PACKET_EQ, ANY},      {W_ne, PACKET_NE, ANY},      {W_lt, PACKET_LT, ORDERED},
    {W_le, PACKET_LE, ORDERED},  {W_gt, PACKET_GT, ORDERED},  {W_ge, PACKET_GE, ORDERED},
    {W_lo, PACKET_LT, UNSIGNED}, {W_ls, PACKET_LE, UNSIGNED}, {W_hi, PACKET_GT, UNSIGNED},
    {W_hs, PACKET_GE, UNSIGNED}, {W_equ, PACKET_EQU, FLOAT},  {W_neu, PACKET_NEU, FLOAT},
    {W_ltu, PACKET_LTU, FLOAT},  {W_leu, PACKET_LEU, FLOAT},  {W_gtu, PACKET_GTU, FLOAT},
    {W_geu, PACKET_GEU, FLOAT},  {W_num, PACKET_NUM, FLOAT},  {W_nan, PACKET_NAN, FLOAT},
};

static uint32_t kind_of_type(uint16_t type)
{
    switch (type) {
    case W_s16:
    case W_s32: return SIGNED;
    case W_u16:
    case W_u32: return UNSIGNED;
    case W_b16:
    case W_b32: return BITS;
    case W_f32: return FLOAT;
    default: return 0;
    }
}

struct compared {
    uint16_t comparison, boolean, types[2];
    uint32_t type_count;
    bool ftz;
};

static bool read_compared(const uint16_t *mods, uint32_t count, struct compared *c)
{
    *c = (struct compared){.comparison = W_UNKNOWN, .boolean = W_UNKNOWN};
    for (uint32_t i = 0; i < count; i++) {
        enum isa_kind kind = mods[i] < WORD_COUNT ? isa_words[mods[i]].kind : KIND_PLAIN;
        if (mods[i] == W_ftz && !c->ftz)
            c->ftz = true;
        else if (kind == KIND_COMPARE && c->comparison == W_UNKNOWN)
            c->comparison = mods[i];
        else if (kind == KIND_BOOLEAN && c->boolean == W_UNKNOWN)
            c->boolean = mods[i];
        else if (kind == KIND_TYPE && c->type_count < 2)
            c->types[c->type_count++] = mods[i];
        else
            return false;
    }
    return true;
}

static bool set_comparison(const struct compared *c, uint16_t type, struct packet_op *op)
{
    uint32_t kind = kind_of_type(type);
    op->function = kind == FLOAT    ? (c->ftz ? PACKET_set_ftz_f32 : PACKET_set_f32)
                   : kind == SIGNED ? PACKET_set_s32
                                    : PACKET_set_u32;
    for (uint32_t i = 0; i < ARRAY_LENGTH(comparisons); i++)
        if (comparisons[i].word == c->comparison) {
            op->detail = comparisons[i].comparison;
            return comparisons[i].types & kind && (kind == FLOAT || !c->ftz);
        }
    return false;
}

// Sets the form of the result of `set`, whose type is `type`.
static bool set_made(const struct ir_function *fn, uint32_t inst, uint16_t type,
                     struct packet_op *op)
{
    op->made = type == W_f32 ? PACKET_ONE_F32 : PACKET_ALL_ONES;
    return (type == W_f32 || type == W_u32 || type == W_s32) && has_result(fn, inst);
}

static bool compare_of(const struct ir_function *fn, uint32_t inst, const struct compared *c,
                       const uint8_t *source, struct packet_op *op)
{
    bool set = fn->insts.v[inst].op == OP_set;
    const struct ir_operand *predicate = use_of(fn, inst, 2);
    if (c->type_count != (set ? 2 : 1) || !set_comparison(c, c->types[set], op) ||
        (set && !set_made(fn, inst, c->types[0], op)) || (c->boolean == W_UNKNOWN) != !predicate)
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        if (!is_value(fn, use_of(fn, inst, i), ir_type_bits(c->types[set])))
            return false;
        op->source[i] = source[i];
    }
    if (!predicate)
        return true;
    op->boolean = c->boolean == W_and ? PACKET_AND : c->boolean == W_or ? PACKET_OR : PACKET_XOR;
    op->negated = predicate->negated;
    return is_value(fn, predicate, 1) && source[2] == PACKET_SCALAR;
}

bool packet_op_of(const struct ir_module *module, const struct ir_function *fn, uint32_t inst,
                  const uint8_t *source, struct packet_op *op)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    uint32_t count;
    const uint16_t *mods = node_mods(module->tree, at->node, &count);
    *op = (struct packet_op){0};
    if (at->op == OP_setp || at->op == OP_set) {
        struct compared compared;
        return read_compared(mods, count, &compared) && compare_of(fn, inst, &compared, source, op);
    }
    for (uint32_t i = 0; i < ARRAY_LENGTH(rows); i++)
        if (rows[i].op == at->op && fits(&rows[i], mods, count, &op->detail)) {
            op->function = rows[i].function;
            return has_result(fn, inst) && set_sources(fn, inst, source, op);
        }
    return false;
}
