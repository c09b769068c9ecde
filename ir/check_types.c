// Types of registers, and the instructions that accept them.
#include "ir/check_internal.h"
#include <string.h>

static const uint16_t register_types[] = {W_b8,  W_b16, W_b32,   W_b64, W_b128, W_u8,
                                          W_u16, W_u32, W_u64,   W_s8,  W_s16,  W_s32,
                                          W_s64, W_f16, W_f16x2, W_f32, W_f64,  W_pred};
enum { REGISTER_TYPE_COUNT = ARRAY_LENGTH(register_types) };

enum type_kind check_type_kind(uint16_t type)
{
    if (type == W_pred)
        return TYPE_PREDICATE;
    if (type == W_f16 || type == W_f32 || type == W_f64)
        return TYPE_FLOAT;
    if (type == W_f16x2 || type == W_u16x2 || type == W_s16x2)
        return TYPE_HALVES;
    const char *text = isa_words[type].text;
    if (strchr(text, 'x'))
        return TYPE_PACKED;
    if (text[1] == 'b' && text[2] != 'f')
        return TYPE_BITS;
    return (text[1] == 'u' || text[1] == 's') && text[2] >= '0' && text[2] <= '9' ? TYPE_INTEGER
                                                                                  : TYPE_PACKED;
}

// Returns true if an instruction of one type accepts a register of another type of the same size,
// or of a larger one, by the rules of ptxas. Integer instructions never accept floating-point
// registers and vice versa. Formats without a register type of their own are stored in .bN
// registers.
static bool allows_register(uint16_t type, uint16_t reg, bool larger)
{
    enum type_kind kind = check_type_kind(type), of = check_type_kind(reg);
    switch (kind) {
    case TYPE_PREDICATE: return of == TYPE_PREDICATE;
    case TYPE_INTEGER: return of == TYPE_INTEGER || of == TYPE_BITS || of == TYPE_HALVES;
    case TYPE_FLOAT: return of == TYPE_BITS || (!larger && reg == type);
    case TYPE_BITS: return of != TYPE_PREDICATE;
    case TYPE_HALVES: return of == TYPE_BITS || (!larger && of == TYPE_HALVES);
    case TYPE_PACKED: return !larger && of == TYPE_BITS;
    }
    return false;
}

static void init_type(struct ir_check *c, uint16_t type)
{
    for (uint32_t i = 0; i < REGISTER_TYPE_COUNT; i++) {
        uint16_t reg = register_types[i];
        bool same = isa_words[type].value == isa_words[reg].value;
        bool larger = isa_words[type].value < isa_words[reg].value;
        if (same && allows_register(type, reg, false))
            c->exact[type] |= 1u << i;
        if ((same && allows_register(type, reg, false)) ||
            (larger && allows_register(type, reg, true)))
            c->wider[type] |= 1u << i;
    }
}

void check_init_types(struct ir_check *c)
{
    for (uint32_t i = 0; i < REGISTER_TYPE_COUNT; i++) {
        uint16_t reg = register_types[i];
        enum type_kind kind = check_type_kind(reg);
        c->number[reg] = (uint8_t)(i + 1);
        if ((kind == TYPE_INTEGER || kind == TYPE_BITS) && reg != W_b128)
            c->addresses |= 1u << i;
    }
    for (uint16_t type = 0; type < WORD_COUNT; type++)
        if (isa_is_type(type))
            init_type(c, type);
}

uint16_t check_twice_as_wide(uint16_t type)
{
    static const uint16_t wide[][2] = {
        {W_u8, W_u16},  {W_u16, W_u32}, {W_u32, W_u64}, {W_s8, W_s16},  {W_s16, W_s32},
        {W_s32, W_s64}, {W_b8, W_b16},  {W_b16, W_b32}, {W_b32, W_b64}, {W_b64, W_b128}};
    for (size_t i = 0; i < ARRAY_LENGTH(wide); i++)
        if (wide[i][0] == type)
            return wide[i][1];
    return W_UNKNOWN;
}

bool check_allows_float(uint8_t kind, uint16_t type)
{
    if (type == W_f32 || type == W_f64 || type == W_UNKNOWN)
        return true;
    return type == (kind == NODE_FLOAT32 ? W_b32 : W_b64);
}

bool check_allows_integer(uint16_t type)
{
    if (type == W_UNKNOWN)
        return true;
    enum type_kind kind = check_type_kind(type);
    return kind == TYPE_INTEGER || kind == TYPE_PREDICATE || kind == TYPE_BITS;
}
