// Decodes video instructions: parts of registers, and the secondary operation.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/lanes/video.h"
#include <string.h>

// The digits of a part's name from the left: "h10" → 'h', 1 0.
struct part_name {
    char letter;
    uint32_t count;
    uint8_t digit[VIDEO_PARTS];
};

static bool read_part(struct part_name *name, const char *text, size_t length)
{
    if (length < 2 || length > 1 + VIDEO_PARTS)
        return false;
    name->letter = text[0];
    name->count = (uint32_t)length - 1;
    for (uint32_t i = 0; i < name->count; i++) {
        if (text[i + 1] < '0' || text[i + 1] > '7')
            return false;
        name->digit[i] = (uint8_t)(text[i + 1] - '0');
    }
    return true;
}

// Reads the operand's part, which is in the tree's node around the register. An operand without one
// is treated like `otherwise`.
static bool part_of(const struct decoder *d, const struct ir_operand *operand,
                    const char *otherwise, struct part_name *name)
{
    if (!operand->part && operand->member == W_UNKNOWN) // .b1 is also the word of a type
        return read_part(name, otherwise, strlen(otherwise));
    const struct tree *tree = d->program->module->tree;
    const struct node *member = &tree->nodes.v[operand->node - 1];
    const char *text = tree->source->text + member->begin, *end = tree->source->text + member->end;
    const char *dot = memchr(text, '.', (size_t)(end - text));
    return dot && read_part(name, dot + 1, (size_t)(end - dot - 1));
}

// Reads "b0", "h1", "w0": position and length of the part.
static bool scalar_part(const struct part_name *name, struct video_part *part)
{
    part->bits = name->letter == 'b' ? 8 : name->letter == 'h' ? 16 : 32;
    part->at = (uint8_t)(name->digit[0] * part->bits);
    return name->count == 1 && part->at < 32;
}

// Operands

// Returns the operand without its part. The sign of a number is also removed, because it applies to
// the extended value.
static struct ir_operand whole_of(const struct ir_operand *operand)
{
    struct ir_operand whole = *operand;
    whole.negated = 0;
    whole.part = operand->part && operand->value; // keep the sum of a register and a constant
    whole.member = W_UNKNOWN;
    return whole;
}

static uint32_t source(struct decoder *d, uint32_t n)
{
    const struct ir_operand *operand = decode_operand(d, ROLE_USE, n);
    if (!operand)
        return REG_SLOT_NONE;
    struct ir_operand whole = whole_of(operand);
    return decode_source(d, &whole, 4, W_b32);
}

// Resolves a, b and, if present, c.
static const char *decode_registers(struct decoder *d, struct code *code)
{
    const struct ir_operand *result = decode_operand(d, ROLE_DEF, 0);
    if (!result)
        return "this destination is not supported";
    struct ir_operand whole = whole_of(result);
    code->d = decode_result(d, &whole, 4, W_b32);
    code->width = 4;
    code->s[0] = source(d, 0);
    code->s[1] = source(d, 1);
    code->s[2] = decode_operand(d, ROLE_USE, 2) ? source(d, 2) : decode_constant(d, 0, 4);
    code->source_count = 3;
    if (code->d == REG_SLOT_NONE)
        return "this destination is not supported";
    return code->s[0] == REG_SLOT_NONE || code->s[1] == REG_SLOT_NONE || code->s[2] == REG_SLOT_NONE
               ? "this operand is not supported"
               : NULL;
}

// Words

struct types {
    bool sign[3]; // of the result (except for comparisons), a and b
};

static struct types types_of(const struct decoder *d, bool compares)
{
    struct types types = {0};
    uint32_t n = compares;
    for (uint32_t i = 0; i < d->mod_count && n < 3; i++)
        if (d->mods[i] == W_u32 || d->mods[i] == W_s32)
            types.sign[n++] = d->mods[i] == W_s32;
    return types;
}

static uint8_t second_of(const struct decoder *d)
{
    return decode_has(d, W_add)   ? VIDEO_ADD
           : decode_has(d, W_min) ? VIDEO_MIN
           : decode_has(d, W_max) ? VIDEO_MAX
                                  : VIDEO_MERGE;
}

static void read_words(const struct decoder *d, struct video *v, struct types *types)
{
    static const struct {
        uint16_t word;
        bool less, equal, greater;
    } outcomes[] = {{W_eq, 0, 1, 0}, {W_ne, 1, 0, 1}, {W_lt, 1, 0, 0},
                    {W_le, 1, 1, 0}, {W_gt, 0, 0, 1}, {W_ge, 0, 1, 1}};
    bool compares = false;
    for (uint32_t i = 0; i < ARRAY_LENGTH(outcomes); i++) {
        if (!decode_has(d, outcomes[i].word))
            continue;
        compares = true;
        v->if_less = outcomes[i].less;
        v->if_equal = outcomes[i].equal;
        v->if_greater = outcomes[i].greater;
    }
    *types = types_of(d, compares);
    v->sign = types->sign[0];
    v->saturate = decode_has(d, W_sat);
    v->second = second_of(d);
    v->count_mask = decode_has(d, W_wrap) ? 31 : UINT32_MAX;
}

// Scalar: one result from a part of a and a part of b.

static bool scalar_sources(const struct decoder *d, struct video *v, const struct types *types)
{
    struct part_name name;
    const struct ir_operand *a = decode_operand(d, ROLE_USE, 0);
    const struct ir_operand *b = decode_operand(d, ROLE_USE, 1);
    if (!a || !b || !part_of(d, a, "w0", &name) || !scalar_part(&name, &v->a[0]) ||
        !part_of(d, b, "w0", &name) || !scalar_part(&name, &v->b[0]))
        return false;
    v->b[0].at += 32;
    v->a[0].sign = types->sign[1];
    v->b[0].sign = types->sign[2];
    v->count = 1;
    return true;
}

static bool scalar(const struct decoder *d, struct video *v, const struct types *types)
{
    struct part_name name;
    struct video_part to;
    const struct ir_operand *result = decode_operand(d, ROLE_DEF, 0);
    if (!result || !scalar_sources(d, v, types) || !part_of(d, result, "w0", &name) ||
        !scalar_part(&name, &to))
        return false;
    v->to[0] = to.at;
    v->to_bits = to.bits;
    return true;
}

// SIMD: a result for each selected part of the destination. For each part, counted from the left, a
// digit selects the source part.

static bool choose(struct video_part *part, const struct part_name *name, uint32_t count,
                   uint32_t place, bool sign)
{
    uint32_t bits = 32 / count;
    if (name->count != count || name->digit[count - 1 - place] >= 2 * count)
        return false;
    *part =
        (struct video_part){(uint8_t)(name->digit[count - 1 - place] * bits), (uint8_t)bits, sign};
    return true;
}

static bool simd(const struct decoder *d, struct video *v, const struct types *types,
                 uint32_t count)
{
    struct part_name to, a, b;
    const struct ir_operand *result = decode_operand(d, ROLE_DEF, 0);
    const struct ir_operand *first = decode_operand(d, ROLE_USE, 0);
    const struct ir_operand *second = decode_operand(d, ROLE_USE, 1);
    if (!result || !first || !second || !part_of(d, result, count == 2 ? "h10" : "b3210", &to) ||
        !part_of(d, first, count == 2 ? "h10" : "b3210", &a) ||
        !part_of(d, second, count == 2 ? "h32" : "b7654", &b))
        return false;
    v->to_bits = (uint8_t)(32 / count);
    for (uint32_t i = 0; i < to.count; i++) {
        uint32_t n = v->count++, place = to.digit[i];
        if (place >= count || !choose(&v->a[n], &a, count, place, types->sign[1]) ||
            !choose(&v->b[n], &b, count, place, types->sign[2]))
            return false;
        v->to[n] = (uint8_t)(place * v->to_bits);
    }
    return true;
}

static uint32_t results_of(uint16_t op)
{
    const char *name = isa_op_names[op];
    char last = name[strlen(name) - 1];
    return last == '2' || last == '4' ? (uint32_t)(last - '0') : 1;
}

const char *prepare_video(struct decoder *d, struct code *code)
{
    struct video *v = ARENA_NEW(d->program->arena, struct video);
    struct types types;
    uint32_t count = results_of(d->inst->op);
    read_words(d, v, &types);
    if (!(count == 1 ? scalar(d, v, &types) : simd(d, v, &types, count)))
        return "this part of a register is not supported";
    code->extra = v;
    return decode_registers(d, code);
}

const char *prepare_vmad(struct decoder *d, struct code *code)
{
    struct video *v = ARENA_NEW(d->program->arena, struct video);
    struct types types = types_of(d, false);
    const struct ir_operand *c = decode_operand(d, ROLE_USE, 2);
    if (!c || !scalar_sources(d, v, &types))
        return "this part of a register is not supported";
    v->invert_product =
        decode_operand(d, ROLE_USE, 0)->negated != decode_operand(d, ROLE_USE, 1)->negated;
    v->invert_c = c->negated && !v->invert_product;
    v->plus = decode_has(d, W_po) || v->invert_product || v->invert_c;
    v->sign = types.sign[1] || types.sign[2] || v->invert_product || c->negated;
    v->saturate = decode_has(d, W_sat);
    v->shift = decode_has(d, W_shr7) ? 7 : decode_has(d, W_shr15) ? 15 : 0;
    code->extra = v;
    return decode_registers(d, code);
}
