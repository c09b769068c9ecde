// Decodes cvta, isspacep, mapa, getctarank, createpolicy, alloca, stacksave and stackrestore.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/warp/steps.h"
#include <string.h>

static void same(const struct code *code, void *d, const void *const *s)
{
    memmove(d, s[0], lanes_bytes(code->width));
}

static uint32_t own_width(const struct decoder *d, const struct ir_operand *operand, uint32_t width)
{
    if (operand && operand->kind == OPERAND_REGISTER)
        decode_register(d, operand, &width);
    return width;
}

// Resolves d of `to` bytes and a of `from` bytes.
static const char *decode_pair(struct decoder *d, struct code *code, uint32_t to, uint32_t from)
{
    code->width = (uint8_t)to;
    code->value = from;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), to, W_u64);
    code->s[0] = decode_source(d, decode_operand(d, ROLE_USE, 0), from, W_u64);
    code->source_count = 1;
    if (code->d == REG_SLOT_NONE)
        return "this destination is not supported";
    return code->s[0] == REG_SLOT_NONE ? "this operand is not supported" : NULL;
}

const char *prepare_cvta(struct decoder *d, struct code *code)
{
    uint32_t width = decode_type_bytes(d->inst->type);
    bool to = decode_has(d, W_to);
    switch (decode_space(d, 0)) {
    case W_shared:
    case W_shared_cta:
    case W_shared_cluster: code->step = to ? step_generic_to_shared : step_shared_to_generic; break;
    case W_local: code->step = to ? step_generic_to_local : step_local_to_generic; break;
    default: code->lanes = same; code->step = NULL;
    }
    return decode_pair(d, code, width, width);
}

const char *prepare_isspacep(struct decoder *d, struct code *code)
{
    struct space_code *what = ARENA_NEW(d->program->arena, struct space_code);
    what->space = decode_space(d, 0);
    what->width =
        (uint8_t)own_width(d, decode_operand(d, ROLE_USE, 0), d->program->module->address_bits / 8);
    code->extra = what;
    return decode_pair(d, code, WIDTH_PREDICATE, what->width);
}

const char *prepare_mapa(struct decoder *d, struct code *code)
{
    uint32_t width = decode_type_bytes(d->inst->type);
    const char *error = decode_pair(d, code, width, width);
    code->s[1] = decode_source(d, decode_operand(d, ROLE_USE, 1), 4, W_u32);
    code->source_count = 2;
    code->step = decode_space(d, 0) == W_UNKNOWN ? step_map_generic : step_map_shared;
    return error ? error : code->s[1] == REG_SLOT_NONE ? "this operand is not supported" : NULL;
}

const char *prepare_getctarank(struct decoder *d, struct code *code)
{
    const struct ir_operand *a = decode_operand(d, ROLE_USE, 0);
    bool generic = decode_space(d, 0) == W_UNKNOWN && a && a->kind != OPERAND_SYMBOL;
    code->step = generic ? step_rank_generic : step_rank_shared;
    return decode_pair(d, code, 4, decode_type_bytes(d->inst->type));
}

// A policy is a number that only cache hints read. It encodes the instruction's modifiers.
const char *prepare_policy(struct decoder *d, struct code *code)
{
    uint64_t policy = 0;
    if (decode_has(d, W_cvt)) {
        code->lanes = same;
        code->step = NULL;
        return decode_pair(d, code, 8, 8);
    }
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (d->mods[i] < WORD_COUNT && isa_words[d->mods[i]].kind == KIND_CACHE)
            policy = policy << 16 | d->mods[i];
    code->lanes = same;
    code->step = NULL;
    code->width = 8;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 8, W_u64);
    code->s[0] = decode_constant(d, policy, 8);
    code->source_count = 1;
    return code->d == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

const char *prepare_alloca(struct decoder *d, struct code *code)
{
    const struct ir_operand *align = decode_operand(d, ROLE_USE, 1);
    struct space_code *what = ARENA_NEW(d->program->arena, struct space_code);
    uint32_t width = decode_type_bytes(d->inst->type);
    what->align = align && align->value > 16 ? (uint32_t)align->value : 16;
    code->extra = what;
    return decode_pair(d, code, width, width);
}

const char *prepare_stack_save(struct decoder *d, struct code *code)
{
    code->width = (uint8_t)decode_type_bytes(d->inst->type);
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), code->width, W_u64);
    return code->d == REG_SLOT_NONE ? "this destination is not supported" : NULL;
}

const char *prepare_stack_restore(struct decoder *d, struct code *code)
{
    uint32_t width = decode_type_bytes(d->inst->type);
    code->value = width;
    code->s[0] = decode_source(d, decode_operand(d, ROLE_USE, 0), width, W_u64);
    code->source_count = 1;
    return code->s[0] == REG_SLOT_NONE ? "this operand is not supported" : NULL;
}
