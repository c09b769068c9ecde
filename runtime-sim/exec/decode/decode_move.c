// Decodes mov: registers, immediates, addresses; packing and unpacking; whole vectors.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/convert.h"
#include <string.h>

static const char bad_source[] = "this operand is not supported";
static const char bad_result[] = "this destination is not supported";

void move_copy(const struct code *code, void *d, const void *const *s)
{
    memmove(d, s[0], lanes_bytes(code->width));
}

// Extracts a part. `value` is the index of the part, `round` the size of the whole in bytes.
static void extract_part(const struct code *code, void *d, const void *const *s)
{
    uint8_t *to = d;
    const uint8_t *from = s[0];
    uint32_t whole = code->round, part = code->width;
    for (uint32_t i = 0; i < LANES; i++)
        memcpy(to + i * part, from + i * whole + code->value * part, part);
}

// Inserts a part. `round` is the size of the part in bytes. The second source is the previous
// value.
static void put_part(const struct code *code, void *d, const void *const *s)
{
    uint8_t *to = d;
    const uint8_t *from = s[0];
    uint32_t whole = code->width, part = code->round;
    memmove(d, s[1], lanes_bytes(whole));
    for (uint32_t i = 0; i < LANES; i++)
        memcpy(to + i * whole + code->value * part, from + i * part, part);
}

struct code move_put(uint32_t whole, uint32_t whole_width, uint32_t part, uint32_t part_width,
                     uint32_t index)
{
    return (struct code){.lanes = put_part,
                         .guard = REG_SLOT_NONE,
                         .d = whole,
                         .d2 = REG_SLOT_NONE,
                         .s = {part, whole},
                         .source_count = 2,
                         .width = (uint8_t)whole_width,
                         .round = (uint8_t)part_width,
                         .value = index};
}

struct code move_extract(uint32_t part, uint32_t part_width, uint32_t whole, uint32_t whole_width,
                         uint32_t index)
{
    return (struct code){.lanes = extract_part,
                         .guard = REG_SLOT_NONE,
                         .d = part,
                         .d2 = REG_SLOT_NONE,
                         .s = {whole},
                         .source_count = 1,
                         .width = (uint8_t)part_width,
                         .round = (uint8_t)whole_width,
                         .value = index};
}

static uint32_t count_role(const struct decoder *d, enum ir_role role)
{
    uint32_t count = 0;
    while (decode_operand(d, role, count))
        count++;
    return count;
}

// Returns the source of element n of a vector: an operand of its own, or a member of the special
// register that is moved as a whole.
static uint32_t element_source(struct decoder *d, uint32_t n, uint32_t width, uint32_t sources)
{
    static const uint16_t members[] = {W_x, W_y, W_z, W_w};
    const struct ir_operand *operand = decode_operand(d, ROLE_USE, sources == 1 ? 0 : n);
    struct ir_operand member = *operand;
    if (sources == 1)
        member.member = members[n & 3];
    return decode_source(d, &member, width, d->inst->type);
}

static const char *pack(struct decoder *d, struct code *code, uint32_t width, uint32_t count,
                        uint32_t sources)
{
    uint32_t part = width / count;
    if (count > CODE_SOURCES || part * count != width)
        return bad_source;
    for (uint32_t i = 0; i < count; i++) {
        code->s[i] = element_source(d, i, part, sources);
        if (code->s[i] == REG_SLOT_NONE)
            return bad_source;
    }
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), width, W_b64);
    code->source_count = (uint8_t)count;
    code->width = (uint8_t)width;
    code->value = MOVE_PACK;
    return code->d == REG_SLOT_NONE ? bad_result : NULL;
}

// The instruction's own code moves the first part, later codes the others. Parts are narrower than
// the whole, so no part overwrites a source.
static const char *unpack(struct decoder *d, struct code *code, uint32_t width, uint32_t count)
{
    uint32_t part = width / count, taken = 0;
    uint32_t whole = decode_source(d, decode_operand(d, ROLE_USE, 0), width, d->inst->type);
    if (whole == REG_SLOT_NONE || part * count != width)
        return bad_source;
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_operand *to = decode_operand(d, ROLE_DEF, i);
        if (to->kind == OPERAND_SINK)
            continue;
        uint32_t resized = d->trailing.n;
        struct code take = move_extract(REG_SLOT_NONE, part, whole, width, i);
        take.lanes = code->lanes;
        take.value = MOVE_EXTRACT | (uint64_t)i << MOVE_INDEX_SHIFT;
        take.d = decode_result(d, to, part, d->inst->type);
        if (take.d == REG_SLOT_NONE || d->trailing.n != resized)
            return bad_result;
        if (!taken++) {
            take.guard = code->guard;
            take.guard_negated = code->guard_negated;
            take.inst = code->inst;
            *code = take;
        } else {
            vec_push(&d->scratch, &d->trailing, take);
        }
    }
    return taken ? NULL : bad_result;
}

// Returns piece `index` of `pieces` of the value, extended by zeros to the value's width. A piece
// has at least one byte, so that the last pieces of a narrow value are zero.
static uint32_t piece_of(struct decoder *d, uint32_t whole, uint32_t width, uint32_t index,
                         uint32_t pieces)
{
    uint32_t part = width < pieces ? 1 : width / pieces;
    if (whole == REG_SLOT_NONE)
        return REG_SLOT_NONE;
    if (index * part >= width)
        return decode_constant(d, 0, width);
    uint32_t piece = decode_temp(d, part);
    decode_before(d, move_extract(piece, part, whole, width, index));
    return decode_resized(d, piece, part, width, W_b64);
}

// Decodes mov.v4.u32 {a, b, c, d}, e; which divides e into pieces.
static const char *cut_pieces(struct decoder *d, struct code *code, uint32_t width, uint32_t count)
{
    uint32_t whole = decode_source(d, decode_operand(d, ROLE_USE, 0), width, d->inst->type);
    uint32_t written = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_operand *to = decode_operand(d, ROLE_DEF, i);
        if (to->kind == OPERAND_SINK)
            continue;
        struct code copy = {.lanes = move_copy,
                            .guard = REG_SLOT_NONE,
                            .d = decode_result(d, to, width, d->inst->type),
                            .d2 = REG_SLOT_NONE,
                            .s = {piece_of(d, whole, width, i, count)},
                            .source_count = 1,
                            .width = (uint8_t)width};
        if (copy.s[0] == REG_SLOT_NONE)
            return bad_source;
        if (copy.d == REG_SLOT_NONE)
            return bad_result;
        if (written++) {
            vec_push(&d->scratch, &d->trailing, copy);
        } else {
            code->d = copy.d;
            code->s[0] = copy.s[0];
        }
    }
    code->source_count = 1;
    code->width = (uint8_t)width;
    return written ? NULL : bad_result;
}

// Decodes {a, b} = {b, a}: reads all sources before writing a result.
static const char *move_vector(struct decoder *d, struct code *code, uint32_t width, uint32_t count,
                               uint32_t sources)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = element_source(d, i, width, sources), beside = decode_temp(d, width);
        uint32_t to = decode_result(d, decode_operand(d, ROLE_DEF, i), width, d->inst->type);
        if (from == REG_SLOT_NONE)
            return bad_source;
        if (to == REG_SLOT_NONE)
            return bad_result;
        struct code copy = {.lanes = move_copy,
                            .guard = REG_SLOT_NONE,
                            .d = beside,
                            .d2 = REG_SLOT_NONE,
                            .s = {from},
                            .source_count = 1,
                            .width = (uint8_t)width};
        decode_before(d, copy);
        copy.d = to;
        copy.s[0] = beside;
        if (i)
            vec_push(&d->scratch, &d->trailing, copy);
        code->d = i ? code->d : to;
        code->s[0] = i ? code->s[0] : beside;
    }
    code->source_count = 1;
    code->width = (uint8_t)width;
    return NULL;
}

// Extends the address of a variable, which has at most 64 bits.
static uint32_t wide_symbol(struct decoder *d, const struct ir_operand *from)
{
    uint32_t whole = decode_temp(d, 16), low = decode_source(d, from, 8, W_b64);
    uint32_t high = decode_constant(d, 0, 8);
    if (low == REG_SLOT_NONE)
        return REG_SLOT_NONE;
    decode_before(d, move_put(whole, 16, low, 8, 0));
    decode_before(d, move_put(whole, 16, high, 8, 1));
    return whole;
}

// Returns true if one of the operands is a single element in braces: only its lowest byte is moved.
static bool is_braced(const struct decoder *d)
{
    const struct tree *tree = d->program->module->tree;
    NODE_EACH (child, tree, d->inst->node)
        if (tree->nodes.v[child].kind == NODE_VECTOR && tree->nodes.v[child].size == 2)
            return true;
    return false;
}

static const char *move_one(struct decoder *d, struct code *code, uint32_t width)
{
    const struct ir_operand *from = decode_operand(d, ROLE_USE, 0);
    struct ir_operand whole = *from;
    bool byte = is_braced(d);
    bool sum = from->value && (from->kind == OPERAND_REGISTER || from->kind == OPERAND_SPECIAL);
    whole.part = byte ? sum : from->part;
    code->s[0] = width == 16 && from->kind == OPERAND_SYMBOL
                     ? wide_symbol(d, from)
                     : decode_source(d, &whole, width, d->inst->type);
    if (byte)
        code->s[0] = piece_of(d, code->s[0], width, 0, width);
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), width, d->inst->type);
    code->source_count = 1;
    code->width = (uint8_t)width;
    if (code->s[0] == REG_SLOT_NONE)
        return bad_source;
    return code->d == REG_SLOT_NONE ? bad_result : NULL;
}

// Returns true for an operand with elements of its own: a register that was declared as a vector.
static bool is_vector(const struct decoder *d, const struct ir_operand *operand)
{
    if (operand->kind != OPERAND_REGISTER || operand->member != W_UNKNOWN)
        return false;
    const struct ir_register *reg = &d->fn->registers.v[operand->index];
    return reg->type < WORD_COUNT && reg->bits > isa_words[reg->type].value;
}

const char *prepare_move(struct decoder *d, struct code *code)
{
    uint32_t results = count_role(d, ROLE_DEF), sources = count_role(d, ROLE_USE);
    uint32_t bytes = d->inst->type == W_pred ? WIDTH_PREDICATE : decode_type_bytes(d->inst->type);
    uint32_t width = bytes * d->inst->vector;
    const struct ir_operand *from = decode_operand(d, ROLE_USE, 0);
    bool special = sources == 1 && from->kind == OPERAND_SPECIAL &&
                   isa_specials[from->index].parts > 1 && from->member == W_UNKNOWN;
    if (!results || !sources)
        return bad_source;
    if (results == 1 && special && d->inst->vector > 1)
        return pack(d, code, width, d->inst->vector, sources);
    if (results == 1 && sources == 1)
        return move_one(d, code, width);
    if (results == sources || (special && results == d->inst->vector))
        return move_vector(d, code, bytes, results, sources);
    if (results > 1 && sources == 1 && d->inst->vector > 1 && !is_vector(d, from))
        return cut_pieces(d, code, bytes, results);
    if (results == 1)
        return pack(d, code, width, sources, sources);
    return sources == 1 ? unpack(d, code, width, results) : bad_source;
}
