// Resolves operands to slots.
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/decode/decode.h"
#include "runtime-sim/exec/decode/prepare.h"
#include <string.h>

const struct ir_operand *decode_operand(const struct decoder *d, enum ir_role role, uint32_t n)
{
    uint32_t id = ir_find_operand(d->fn, d->id, role, n);
    return id == IR_NONE ? NULL : &d->fn->operands.v[id];
}

bool decode_is_vector(const struct decoder *d, enum ir_role role, uint32_t first)
{
    const struct ir_operand *operand = decode_operand(d, role, first);
    if (!operand || operand->kind != OPERAND_REGISTER || operand->member != W_UNKNOWN)
        return false;
    const struct ir_register *reg = &d->fn->registers.v[operand->index];
    return reg->bits > ir_type_bits(reg->type);
}

const struct ir_operand *decode_vector(const struct decoder *d, enum ir_role role, uint32_t first,
                                       uint32_t n, struct ir_operand *own)
{
    static const uint16_t members[] = {W_x, W_y, W_z, W_w};
    if (!decode_is_vector(d, role, first) || n >= ARRAY_LENGTH(members))
        return decode_operand(d, role, first + n);
    *own = *decode_operand(d, role, first);
    own->member = members[n];
    return own;
}

bool decode_has(const struct decoder *d, uint16_t word)
{
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (d->mods[i] == word)
            return true;
    return false;
}

uint32_t decode_temp(struct decoder *d, uint32_t width)
{
    uint32_t class = decode_width_class(width), number = d->temps[class]++;
    if (d->temps[class] > d->max_temps[class])
        d->max_temps[class] = d->temps[class];
    return REG_SLOT(BASE_FRAME, TEMP_MARK | class << TEMP_CLASS_SHIFT | number);
}

void decode_before(struct decoder *d, struct code code)
{
    vec_push(d->program->arena, &d->program->codes, code);
}

// Values that are the same in all lanes

static void fill_lanes(uint8_t *to, uint64_t value, uint32_t width)
{
    uint64_t whole[2] = {value, 0};
    uint32_t mask = value ? FULL_MASK : 0;
    if (width == WIDTH_PREDICATE)
        memcpy(to, &mask, sizeof mask);
    for (uint32_t i = 0; i < LANES; i++)
        memcpy(to + i * width, whole, width);
}

static uint32_t add_constant(struct program *program, uint64_t value, uint32_t width)
{
    uint32_t place = program->constants.n, bytes = (lanes_bytes(width) + 63) & ~63u;
    vec_reserve(program->arena, &program->constants, place + bytes);
    program->constants.n += bytes;
    fill_lanes(program->constants.v + place, value, width);
    return place;
}

static struct constant *find_constant(struct program *program, uint64_t value, uint32_t width)
{
    uint64_t hash = (value + width) * UINT64_C(0x9e3779b97f4a7c15);
    for (uint32_t i = (uint32_t)(hash >> 32);; i++) {
        struct constant *at = &program->constant_table[i & program->constant_mask];
        if (!at->place || (at->value == value && at->width == width))
            return at;
    }
}

static void grow_constants(struct program *program)
{
    struct constant *old = program->constant_table;
    uint32_t count = old ? program->constant_mask + 1 : 0, grown = count ? count * 2 : 64;
    program->constant_table = ARENA_ARRAY(program->arena, struct constant, grown);
    program->constant_mask = grown - 1;
    for (uint32_t i = 0; i < count; i++)
        if (old[i].place)
            *find_constant(program, old[i].value, old[i].width) = old[i];
}

uint32_t decode_constant(struct decoder *d, uint64_t value, uint32_t width)
{
    struct program *program = d->program;
    if (width && width < 8)
        value &= (UINT64_C(1) << width * 8) - 1;
    if (program->constant_count * 2 >= program->constant_mask)
        grow_constants(program);
    struct constant *at = find_constant(program, value, width);
    if (!at->place) {
        program->constant_count++;
        *at = (struct constant){value, width, add_constant(program, value, width) + 1};
    }
    return REG_SLOT(BASE_PROGRAM, at->place - 1);
}

static uint64_t double_as(double value, uint32_t width)
{
    float narrow = (float)value;
    uint64_t bits = 0;
    if (width == 4)
        memcpy(&bits, &narrow, sizeof narrow);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

uint64_t decode_bits(const struct decoder *d, const struct ir_operand *operand, uint32_t width,
                     uint16_t type)
{
    uint64_t bits = (uint64_t)operand->value;
    bool is_float = type == W_f32 || type == W_f64;
    uint8_t kind =
        operand->node == IR_NONE ? NODE_INT : d->program->module->tree->nodes.v[operand->node].kind;
    if (kind == NODE_FLOAT64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        bits = double_as(value, width);
    } else if (kind == NODE_FLOAT32 && is_float && width == 8) {
        float value;
        memcpy(&value, &bits, sizeof value);
        bits = double_as((double)value, width);
    }
    if (operand->negated && kind == NODE_INT)
        bits = width == WIDTH_PREDICATE ? !bits : 0 - bits;
    return bits;
}

uint32_t decode_launch_value(struct decoder *d, struct launch_value value)
{
    struct program *program = d->program;
    for (uint32_t i = 0; i < program->launch_values.n; i++) {
        const struct launch_value *at = &program->launch_values.v[i];
        if (at->kind == value.kind && at->width == value.width && at->special == value.special &&
            at->member == value.member && at->type == value.type && at->offset == value.offset)
            return at->slot;
    }
    value.slot = REG_SLOT(BASE_LAUNCH, program->launch_bytes);
    program->launch_bytes += (lanes_bytes(value.width) + 63) & ~63u;
    vec_push(program->arena, &program->launch_values, value);
    return value.slot;
}

static uint32_t warp_value(struct decoder *d, struct warp_value value)
{
    struct program *program = d->program;
    for (uint32_t i = 0; i < program->warp_values.n; i++) {
        const struct warp_value *at = &program->warp_values.v[i];
        if (at->special == value.special && at->member == value.member && at->width == value.width)
            return at->slot;
    }
    value.slot = REG_SLOT(BASE_WARP, program->warp_bytes);
    program->warp_bytes += (lanes_bytes(value.width) + 63) & ~63u;
    vec_push(program->arena, &program->warp_values, value);
    return value.slot;
}

// Registers

uint32_t decode_register(const struct decoder *d, const struct ir_operand *operand, uint32_t *width)
{
    *width = reg_slots_width(&d->fn->registers.v[operand->index]);
    return REG_SLOT(BASE_FRAME, d->slots.offset[operand->index]);
}

#define RESIZE(name, to, from)                                                                     \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        (void)code;                                                                                \
        to result[LANES];                                                                          \
        for (int i = 0; i < LANES; i++)                                                            \
            result[i] = (to)((const from *)s[0])[i];                                               \
        memcpy(d, result, sizeof result);                                                          \
    }
RESIZE(u8_to_u16, uint16_t, uint8_t)
RESIZE(u8_to_u32, uint32_t, uint8_t)
RESIZE(u8_to_u64, uint64_t, uint8_t)
RESIZE(u16_to_u8, uint8_t, uint16_t)
RESIZE(u16_to_u32, uint32_t, uint16_t)
RESIZE(u16_to_u64, uint64_t, uint16_t)
RESIZE(u32_to_u8, uint8_t, uint32_t)
RESIZE(u32_to_u16, uint16_t, uint32_t)
RESIZE(u32_to_u64, uint64_t, uint32_t)
RESIZE(u64_to_u8, uint8_t, uint64_t)
RESIZE(u64_to_u16, uint16_t, uint64_t)
RESIZE(u64_to_u32, uint32_t, uint64_t)
RESIZE(s8_to_s16, int16_t, int8_t)
RESIZE(s8_to_s32, int32_t, int8_t)
RESIZE(s8_to_s64, int64_t, int8_t)
RESIZE(s16_to_s32, int32_t, int16_t)
RESIZE(s16_to_s64, int64_t, int16_t)
RESIZE(s32_to_s64, int64_t, int32_t)
#undef RESIZE

// Indexed by the classes of the present and the required width: 1, 2, 4, 8 bytes.
static exec_fn *const with_zeros[4][4] = {
    {NULL, u8_to_u16, u8_to_u32, u8_to_u64},
    {u16_to_u8, NULL, u16_to_u32, u16_to_u64},
    {u32_to_u8, u32_to_u16, NULL, u32_to_u64},
    {u64_to_u8, u64_to_u16, u64_to_u32, NULL},
};
static exec_fn *const with_sign[4][4] = {
    {NULL, s8_to_s16, s8_to_s32, s8_to_s64},
    {u16_to_u8, NULL, s16_to_s32, s16_to_s64},
    {u32_to_u8, u32_to_u16, NULL, s32_to_s64},
    {u64_to_u8, u64_to_u16, u64_to_u32, NULL},
};

static struct code resize(uint32_t to, uint32_t to_width, uint32_t from, uint32_t from_width,
                          bool sign)
{
    uint32_t have = decode_width_class(from_width) - 1, want = decode_width_class(to_width) - 1;
    exec_fn *fn = NULL;
    if (have < 4 && want < 4)
        fn = sign ? with_sign[have][want] : with_zeros[have][want];
    return (struct code){.lanes = fn,
                         .guard = REG_SLOT_NONE,
                         .d = to,
                         .d2 = REG_SLOT_NONE,
                         .s = {from},
                         .source_count = 1,
                         .width = (uint8_t)to_width};
}

static uint32_t count_clocks(const struct ir_function *fn, const struct ir_inst *inst)
{
    uint32_t clocks = 0;
    for (uint32_t i = 0; i < inst->operand_count; i++) {
        const struct ir_operand *operand = &fn->operands.v[inst->operands + i];
        clocks +=
            operand->kind == OPERAND_SPECIAL && isa_specials[operand->index].varies == VARIES_TIME;
    }
    return clocks;
}

static bool computes(const struct ir_inst *inst)
{
    return (inst->class >= CLASS_ARITHMETIC && inst->class <= CLASS_CONVERT) ||
           inst->class == CLASS_BRANCH || inst->op == OP_nanosleep;
}

// Returns true if the instruction's innermost loop has no inner loop, reads one clock, and
// otherwise only computes.
static bool only_waits(const struct decoder *d)
{
    uint32_t loop = d->fn->blocks.v[d->inst->block].loop, clocks = 0;
    if (loop == IR_NONE || d->fn->loops.v[loop].inner_count > 1)
        return false;
    IR_LOOP_EACH (block, d->fn, loop)
        for (uint32_t i = d->fn->blocks.v[block].first; i < d->fn->blocks.v[block].end; i++) {
            const struct ir_inst *inst = &d->fn->insts.v[i];
            clocks += count_clocks(d->fn, inst);
            if (!computes(inst) || clocks > 1)
                return false;
        }
    return true;
}

// Returns the slot of a clock, which a code before the instruction reads.
static uint32_t time_reg_slot(struct decoder *d, const struct ir_operand *operand, uint32_t width)
{
    uint32_t own = width == 8 ? 8 : 4, temp = decode_temp(d, own), cut = decode_temp(d, width);
    decode_before(d, (struct code){.step = step_clock,
                                   .guard = REG_SLOT_NONE,
                                   .d = temp,
                                   .d2 = REG_SLOT_NONE,
                                   .width = (uint8_t)own,
                                   .attributes = only_waits(d),
                                   .value = operand->index});
    if (own == width)
        return temp;
    struct code resized = resize(cut, width, temp, own, false);
    if (!resized.lanes)
        return REG_SLOT_NONE;
    decode_before(d, resized);
    return cut;
}

static uint32_t special_reg_slot(struct decoder *d, const struct ir_operand *operand,
                                 uint32_t width)
{
    if (width > 8)
        return REG_SLOT_NONE;
    switch (isa_specials[operand->index].varies) {
    case VARIES_NEVER:
        return decode_launch_value(d, (struct launch_value){.kind = LAUNCH_SPECIAL,
                                                            .width = (uint8_t)width,
                                                            .special = (uint16_t)operand->index,
                                                            .member = operand->member});
    case VARIES_TIME: return time_reg_slot(d, operand, width);
    default:
        return warp_value(
            d, (struct warp_value){(uint16_t)operand->index, operand->member, (uint8_t)width, 0});
    }
}

static void not_predicate(const struct code *code, void *d, const void *const *s)
{
    (void)code;
    *(uint32_t *)d = ~*(const uint32_t *)s[0];
}

// Returns the slot of v.x, an element of a vector register, and sets its width; IR_NONE if the
// register has no such element.
static uint32_t element(const struct decoder *d, const struct ir_operand *operand, uint32_t *width)
{
    static const uint16_t members[4][2] = {{W_x, W_r}, {W_y, W_g}, {W_z, W_b}, {W_w, W_a}};
    const struct ir_register *reg = &d->fn->registers.v[operand->index];
    *width = decode_type_bytes(reg->type);
    for (uint32_t i = 0; i < 4; i++)
        if (operand->member == members[i][0] || operand->member == members[i][1])
            return *width && (i + 1) * *width <= reg_slots_width(reg) ? i : IR_NONE;
    return IR_NONE;
}

static uint32_t element_source(struct decoder *d, const struct ir_operand *operand, uint32_t width)
{
    uint32_t whole, slot = decode_register(d, operand, &whole);
    uint32_t part, index = element(d, operand, &part), temp = decode_temp(d, width);
    if (index == IR_NONE || part != width)
        return REG_SLOT_NONE;
    decode_before(d, move_extract(temp, part, slot, whole, index));
    return temp;
}

static uint32_t element_result(struct decoder *d, const struct ir_operand *operand, uint32_t width)
{
    uint32_t whole, slot = decode_register(d, operand, &whole);
    uint32_t part, index = element(d, operand, &part), temp = decode_temp(d, width);
    if (index == IR_NONE || part != width)
        return REG_SLOT_NONE;
    vec_push(&d->scratch, &d->trailing, move_put(slot, whole, temp, part, index));
    return temp;
}

uint32_t decode_resized(struct decoder *d, uint32_t slot, uint32_t own, uint32_t width,
                        uint16_t type)
{
    uint32_t temp = decode_temp(d, width);
    struct code code = resize(temp, width, slot, own, decode_is_signed(type));
    if (!code.lanes)
        return REG_SLOT_NONE;
    decode_before(d, code);
    return temp;
}

static uint32_t register_source(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                                uint16_t type)
{
    uint32_t own, slot = decode_register(d, operand, &own);
    if (width == WIDTH_PREDICATE && own == WIDTH_PREDICATE && operand->negated) {
        uint32_t temp = decode_temp(d, WIDTH_PREDICATE);
        decode_before(d, (struct code){.lanes = not_predicate,
                                       .guard = REG_SLOT_NONE,
                                       .d = temp,
                                       .d2 = REG_SLOT_NONE,
                                       .s = {slot},
                                       .source_count = 1});
        return temp;
    }
    return own == width ? slot : decode_resized(d, slot, own, width, type);
}

// Returns true for a register of a type that is not in the tables.
static bool is_unknown(const struct decoder *d, const struct ir_operand *operand)
{
    return operand->kind == OPERAND_REGISTER && !d->fn->registers.v[operand->index].bits;
}

#define ADD(name, type)                                                                            \
    static void name(const struct code *code, void *d, const void *const *s)                       \
    {                                                                                              \
        (void)code;                                                                                \
        for (int i = 0; i < LANES; i++)                                                            \
            ((type *)d)[i] = (type)(((const type *)s[0])[i] + ((const type *)s[1])[i]);            \
    }
ADD(add_u8, uint8_t)
ADD(add_u16, uint16_t)
ADD(add_u32, uint32_t)
ADD(add_u64, uint64_t)
#undef ADD

// Returns the slot of a + 4. As in ptxas, the addition has the width of the register, and the sum
// is then read as a register would be.
static uint32_t sum_source(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                           uint16_t type)
{
    static exec_fn *const add[] = {add_u8, add_u16, add_u32, add_u64};
    struct ir_operand first = *operand;
    first.value = first.part = 0;
    uint32_t own = width;
    if (operand->kind == OPERAND_REGISTER)
        decode_register(d, operand, &own);
    else if (width == 8 && isa_specials[operand->index].min < 64)
        own = 4;
    uint32_t class = decode_width_class(own) - 1, sum = decode_temp(d, own);
    uint32_t slot = decode_source(d, &first, own, type);
    if (class >= ARRAY_LENGTH(add) || slot == REG_SLOT_NONE)
        return REG_SLOT_NONE;
    decode_before(d, (struct code){.lanes = add[class],
                                   .guard = REG_SLOT_NONE,
                                   .d = sum,
                                   .d2 = REG_SLOT_NONE,
                                   .s = {slot, decode_constant(d, (uint64_t)operand->value, own)},
                                   .source_count = 2,
                                   .width = (uint8_t)own});
    return own == width ? sum : decode_resized(d, sum, own, width, type);
}

uint32_t decode_source(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type)
{
    if (!operand || is_unknown(d, operand))
        return REG_SLOT_NONE;
    if (operand->part)
        return operand->value ? sum_source(d, operand, width, type) : REG_SLOT_NONE;
    switch (operand->kind) {
    case OPERAND_REGISTER:
        return operand->member == W_UNKNOWN ? register_source(d, operand, width, type)
                                            : element_source(d, operand, width);
    case OPERAND_IMMEDIATE: return decode_constant(d, decode_bits(d, operand, width, type), width);
    case OPERAND_SPECIAL: return special_reg_slot(d, operand, width);
    case OPERAND_SYMBOL: return decode_symbol(d, operand, width);
    default: return REG_SLOT_NONE;
    }
}

uint32_t decode_result(struct decoder *d, const struct ir_operand *operand, uint32_t width,
                       uint16_t type)
{
    if (!operand || operand->part || is_unknown(d, operand))
        return REG_SLOT_NONE;
    if (operand->kind == OPERAND_SINK)
        return decode_temp(d, width);
    if (operand->kind != OPERAND_REGISTER)
        return REG_SLOT_NONE;
    if (operand->member != W_UNKNOWN)
        return element_result(d, operand, width);
    uint32_t own, slot = decode_register(d, operand, &own);
    if (own == width)
        return slot;
    uint32_t temp = decode_temp(d, width);
    struct code code = resize(slot, own, temp, width, decode_is_signed(type));
    if (!code.lanes)
        return REG_SLOT_NONE;
    vec_push(&d->scratch, &d->trailing, code);
    return temp;
}
