// The registers that an instruction uses come from the operands of the IR, in the same way for
// every opcode. Their locations are those of the decoder. Values between the codes of one
// instruction are located after the registers in a place that all instructions share, which is one
// slot.
#include "runtime-sim/exec/warp/slots_used.h"
#include "runtime-sim/exec/memory/atomic.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/exec/warp/meet.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/memory/steps_memory.h"
#include "runtime-sim/exec/decode/layout.h"

struct reg_slot_finder {
    struct reg_slots_used *to;
    struct arena *arena;
    const struct program *program;
    const struct program_function *at;
    const struct ir_function *fn;
    struct reg_slots slots;
    uint16_t *number; // by offset / 4: slot + 1; 0: no slot yet
    uint16_t count;
};

static uint16_t number_of(struct reg_slot_finder *f, uint32_t offset)
{
    uint16_t *number = &f->number[offset / 4];
    if (!*number)
        *number = ++f->count;
    return *number - 1;
}

static void add(struct reg_slot_finder *f, uint32_t first, struct reg_slot_use use)
{
    for (uint32_t i = first; i < f->to->uses.n; i++) {
        struct reg_slot_use *old = &f->to->uses.v[i];
        if (old->offset != use.offset || old->written != use.written)
            continue;
        old->late |= use.late;
        return;
    }
    use.slot = number_of(f, use.offset);
    vec_push(f->arena, &f->to->uses, use);
}

static void add_registers(struct reg_slot_finder *f, uint32_t inst, uint32_t first, bool late)
{
    const struct ir_inst *at = &f->fn->insts.v[inst];
    const struct ir_operand *operands = ir_operands(f->fn, inst);
    for (uint32_t i = 0; i < at->operand_count; i++) {
        const struct ir_operand *operand = &operands[i];
        if (operand->kind != OPERAND_REGISTER || operand->role == ROLE_KEEP)
            continue;
        bool written = operand->role == ROLE_DEF;
        add(f, first,
            (struct reg_slot_use){
                .offset = f->slots.offset[operand->index],
                .bytes = lanes_bytes(reg_slots_width(&f->fn->registers.v[operand->index])),
                .version = f->fn->operand_version.v[at->operands + i],
                .written = written,
                .late = written && late});
    }
}

static bool is_between(const struct reg_slot_finder *f, uint32_t slot)
{
    return slot != REG_SLOT_NONE && slot >> REG_SLOT_SHIFT == BASE_FRAME &&
           (slot & ((1u << REG_SLOT_SHIFT) - 1)) >= f->slots.frame_bytes;
}

static bool uses_between(const struct reg_slot_finder *f, const struct code *code)
{
    bool uses = is_between(f, code->d) || is_between(f, code->d2);
    for (uint32_t i = 0; i < code->source_count; i++)
        uses |= is_between(f, code->s[i]);
    for (uint32_t i = 0; code->list && i < code->list->count; i++)
        uses |= is_between(f, code->list->slot[i]);
    return uses;
}

static void add_between(struct reg_slot_finder *f, const struct code *code, uint32_t first,
                        bool late)
{
    if (uses_between(f, code))
        add(f, first,
            (struct reg_slot_use){.offset = f->slots.frame_bytes,
                                  .bytes = f->at->frame_bytes - f->slots.frame_bytes,
                                  .version = IR_NONE,
                                  .written = true,
                                  .between = true,
                                  .late = late});
}

static bool is_ordered(uint16_t order)
{
    return order != W_weak && order != W_relaxed;
}

static bool orders(const struct code *code)
{
    static step_fn *const steps[] = {step_barrier, step_cluster_arrive, step_cluster_wait,
                                     step_bar_warp, step_order};
    const struct memory_code *memory = code->extra;
    const struct atomic_code *atomic = code->extra;
    for (uint32_t i = 0; i < ARRAY_LENGTH(steps); i++)
        if (code->step == steps[i])
            return true;
    if (code->step == step_load || code->step == step_store)
        return is_ordered(memory->order);
    return code->step == step_atomic && is_ordered(atomic->memory->order);
}

static bool drains(const struct code *code)
{
    const struct memory_code *memory = code->extra;
    if (code->step == step_load || code->step == step_store)
        return memory->parameter && memory->space != W_global;
    return code->step == step_call || code->step == step_return || held_touches(code);
}

// Adds the uses of one instruction, whose codes are [begin, end).
static void add_instruction(struct reg_slot_finder *f, uint32_t begin, uint32_t end)
{
    const struct code *codes = f->program->codes.v;
    uint32_t first = f->to->uses.n;
    struct code_reg_slots all = {.first = first};
    bool held = false, late = false;
    for (uint32_t i = begin; i < end; i++) {
        held |= held_can(&codes[i]);
        all.drains |= drains(&codes[i]);
        all.touches |= held_touches(&codes[i]);
        all.orders |= orders(&codes[i]);
        late = held && (codes[i].trailing || codes[i].counted);
        add_between(f, &codes[i], first, late);
        if (codes[i].counted)
            add_registers(f, codes[i].inst, first, held);
    }
    all.count = (uint16_t)(f->to->uses.n - first);
    for (uint32_t i = begin; i < end; i++)
        f->to->codes[i] = all;
}

static void add_function(struct reg_slot_finder *f)
{
    reg_slots_assign(&f->slots, f->arena, f->fn);
    f->number = ARENA_ARRAY(f->arena, uint16_t, f->at->frame_bytes / 4 + 1);
    for (uint32_t i = f->at->begin, end; i < f->at->end; i = end) {
        const struct code *codes = f->program->codes.v;
        for (end = i + 1; !codes[end - 1].ends && codes[end - 1].step != step_reconverge;)
            end++;
        add_instruction(f, i, end);
    }
}

void reg_slots_used_build(struct reg_slots_used *to, struct arena *arena,
                          const struct program *program)
{
    *to = (struct reg_slots_used){
        .codes = ARENA_ARRAY(arena, struct code_reg_slots, program->codes.n + 1),
        .function_reg_slots = ARENA_ARRAY(arena, uint32_t, program->functions.n + 1)};
    for (uint32_t i = 0; i < program->functions.n; i++) {
        const struct program_function *at = &program->functions.v[i];
        struct reg_slot_finder f = {.to = to,
                                    .arena = arena,
                                    .program = program,
                                    .at = at,
                                    .fn = &program->module->functions.v[at->function]};
        add_function(&f);
        to->function_reg_slots[i] = f.count;
    }
}
