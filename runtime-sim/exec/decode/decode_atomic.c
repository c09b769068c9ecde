// Decodes atom and red: the operation and its operands.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/memory/atomic.h"

// Returns the operation named by the modifiers.
static const struct atomic_op *find_operation(const struct decoder *d)
{
    for (uint32_t i = 0; i < d->mod_count; i++) {
        const struct atomic_op *op = atomic_find(d->mods[i], d->inst->type);
        if (op)
            return op;
    }
    return NULL;
}

// Returns true for `_` instead of a vector: no result is read.
static bool is_one_sink(const struct decoder *d)
{
    const struct ir_operand *first = decode_operand(d, ROLE_DEF, 0);
    return first && first->kind == OPERAND_SINK && !decode_operand(d, ROLE_DEF, 1);
}

static const char *decode_values(struct decoder *d, struct code *code, uint32_t elements,
                                 uint32_t bytes)
{
    bool reads = d->inst->op == OP_atom && !is_one_sink(d);
    for (uint32_t i = 0; i < code->list->count; i++) {
        uint32_t *slot = &code->list->slot[i];
        code->list->width[i] = (uint8_t)bytes;
        if (i >= elements)
            *slot =
                decode_source(d, decode_operand(d, ROLE_USE, i - elements), bytes, d->inst->type);
        else
            *slot = reads ? decode_result(d, decode_operand(d, ROLE_DEF, i), bytes, d->inst->type)
                          : REG_SLOT_NONE;
        if (*slot == REG_SLOT_NONE && (reads || i >= elements))
            return i < elements ? "this destination is not supported"
                                : "this operand is not supported";
    }
    return NULL;
}

const char *prepare_atomic(struct decoder *d, struct code *code)
{
    if (decode_has(d, W_mbarrier_complete_tx_bytes))
        return prepare_async_store(d, code);
    const char *error;
    struct memory_code *memory = decode_memory(d, 0, d->inst->space, &error);
    struct atomic_code *what = ARENA_NEW(d->program->arena, struct atomic_code);
    if (error)
        return error;
    what->memory = memory;
    what->op = find_operation(d);
    if (!what->op)
        return "this atomic operation is not supported";
    if (memory->order == W_weak)
        memory->order = W_relaxed;
    uint32_t n = memory->elements, sources = decode_has(d, W_cas) ? 2 : 1;
    code->extra = what;
    code->list = decode_list(d, n * (1 + sources));
    const char *refusal = decode_values(d, code, n, memory->bytes);
    if (decode_has(d, W_L2_cache_hint))
        memory->policy = decode_source(d, decode_operand(d, ROLE_USE, n * sources), 8, W_b64);
    return refusal;
}
