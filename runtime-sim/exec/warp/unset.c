#include "runtime-sim/exec/check/check_memory.h"
#include "runtime-sim/exec/warp/warp.h"
#include <string.h>

static uint32_t *written_at(const struct warp *warp, const struct program_unset *unset,
                            uint32_t frame)
{
    return (uint32_t *)(void *)(warp->frames + frame + unset->written);
}

static void clear(const struct warp *warp, const struct program_unset *unset, uint32_t frame,
                  uint32_t mask)
{
    uint8_t *value = warp->frames + frame + unset->offset;
    *written_at(warp, unset, frame) &= ~mask;
    if (unset->width == WIDTH_PREDICATE) {
        uint32_t *predicate = (uint32_t *)(void *)value;
        *predicate &= ~mask;
        return;
    }
    for (; mask; mask &= mask - 1)
        memset(value + (size_t)(uint32_t)__builtin_ctz(mask) * unset->width, 0, unset->width);
}

void unset_enter(struct warp *warp, uint32_t function, uint32_t frame, uint32_t mask)
{
    const struct program_function *fn = &warp->program->functions.v[function];
    for (uint32_t i = 0; i < fn->unset_count; i++)
        clear(warp, &warp->program->unset.v[fn->unset + i], frame, mask);
}

// A move does not count as a read: nvcc packs halves of which it uses only one, and it stores
// structures as vectors, including the padding between members.
static bool moves(const struct ir_inst *inst, const struct ir_operand *operand)
{
    return operand->role == ROLE_USE &&
           (inst->op == OP_mov || (inst->class == CLASS_STORE && inst->vector > 1));
}

// The lanes that read the register in the instruction, and the lanes that write it.
struct use {
    uint32_t reads, writes;
};

static struct use find_use(const struct ir_function *fn, uint32_t inst, uint32_t reg, uint32_t all,
                           uint32_t mask)
{
    const struct ir_operand *operands = ir_operands(fn, inst);
    struct use use = {0, 0};
    for (uint32_t i = 0; i < fn->insts.v[inst].operand_count; i++) {
        const struct ir_operand *operand = &operands[i];
        if (operand->kind != OPERAND_REGISTER || operand->index != reg)
            continue;
        if (operand->role == ROLE_DEF)
            use.writes |= mask;
        else if (operand->role == ROLE_GUARD)
            use.reads |= all;
        else if (operand->role != ROLE_KEEP && !moves(&fn->insts.v[inst], operand))
            use.reads |= mask;
    }
    return use;
}

void unset_look(struct warp *warp, const struct path *path, const struct code *code, uint32_t mask)
{
    const struct program *program = warp->program;
    const struct program_function *at = &program->functions.v[path->function];
    const struct ir_function *fn = &program->module->functions.v[at->function];
    for (uint32_t i = 0; i < at->unset_count; i++) {
        const struct program_unset *unset = &program->unset.v[at->unset + i];
        uint32_t *written = written_at(warp, unset, path->frame);
        struct use use = find_use(fn, code->inst, unset->reg, path->mask, mask);
        if (use.reads & ~*written)
            check_register(warp->check, warp, path->function, code, use.reads & ~*written,
                           unset->reg);
        *written |= use.reads | use.writes; // report only the first read of a lane
    }
}
