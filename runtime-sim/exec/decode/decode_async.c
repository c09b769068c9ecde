// Decodes cp.async and related copies, and mbarrier: addresses, sizes, barriers.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/memory/mbarrier.h"
#include "runtime-sim/exec/warp/steps.h"

static const struct ir_operand *use(const struct decoder *d, uint32_t n)
{
    return decode_operand(d, ROLE_USE, n);
}

static const char *add_source(struct decoder *d, struct code *code, uint32_t n, uint32_t width,
                              uint16_t type)
{
    uint32_t to = code->source_count++;
    code->s[to] = decode_source(d, use(d, n), width, type);
    return code->s[to] == REG_SLOT_NONE ? "this operand is not supported" : NULL;
}

static const struct atomic_op *find_operation(const struct decoder *d)
{
    for (uint32_t i = 0; i < d->mod_count; i++)
        if (atomic_find(d->mods[i], d->inst->type))
            return atomic_find(d->mods[i], d->inst->type);
    return NULL;
}

static bool is_shared(uint16_t space)
{
    return space == W_shared || space == W_shared_cta || space == W_shared_cluster;
}

// Resolves both addresses of a copy, and its barrier if it has one.
static const char *decode_addresses(struct decoder *d, struct async_code *what)
{
    const char *error;
    what->to = decode_memory(d, 0, decode_space(d, 0), &error);
    if (!error)
        what->from = decode_memory(d, 1, decode_space(d, 1), &error);
    if (!error && decode_has(d, W_mbarrier_complete_tx_bytes))
        what->barrier = decode_memory(d, 2, W_shared, &error);
    return error;
}

// Decodes cp.async. After the size come optional operands: the number of bytes to read, or a
// predicate that disables reading; and a policy.
static const char *prepare_small_copy(struct decoder *d, struct code *code, struct async_code *what)
{
    const char *error = decode_addresses(d, what);
    bool policy = decode_has(d, W_L2_cache_hint);
    const struct ir_operand *second = use(d, policy && !use(d, 2) ? 2 : 1);
    uint32_t width = 4;
    if (error)
        return error;
    error = add_source(d, code, 0, 4, W_u32);
    if (!second || error)
        return error;
    if (second->kind == OPERAND_REGISTER)
        decode_register(d, second, &width);
    what->ignored = width == WIDTH_PREDICATE;
    what->limited = !what->ignored;
    return add_source(d, code, 1, what->ignored ? WIDTH_PREDICATE : 4, W_u32);
}

static const char *prepare_bulk_copy(struct decoder *d, struct code *code, struct async_code *what)
{
    const char *error = decode_addresses(d, what);
    what->alignment = 16;
    what->bulk = true;
    what->grouped = decode_has(d, W_bulk_group);
    what->multicast = decode_has(d, W_multicast_cluster);
    what->masked = decode_has(d, W_cp_mask);
    if (decode_has(d, W_reduce)) {
        what->op = find_operation(d);
        what->element = decode_type_bytes(d->inst->type);
        if (!what->op)
            return "this reduction is not supported";
    }
    if (!error)
        error = add_source(d, code, 0, 4, W_u32);
    if (!error && what->multicast)
        error = add_source(d, code, 1, 4, W_u16);
    if (!error && what->masked) // the mask follows the policy
        error = add_source(d, code, decode_has(d, W_L2_cache_hint) ? 2 : 1, 4, W_u16);
    return error;
}

static const char *prepare_copy_arrive(struct decoder *d, struct code *code)
{
    struct mbarrier_code *what = ARENA_NEW(d->program->arena, struct mbarrier_code);
    const char *error;
    what->memory = decode_memory(d, 0, decode_space(d, 0), &error);
    what->op = MBARRIER_ARRIVE;
    what->quiet = !decode_has(d, W_noinc);
    code->extra = what;
    code->step = step_mbarrier;
    return error;
}

const char *prepare_copy(struct decoder *d, struct code *code)
{
    if (decode_has(d, W_tensor))
        return prepare_tensor(d, code);
    if (decode_has(d, W_commit_group) || decode_has(d, W_wait_group) || decode_has(d, W_wait_all) ||
        decode_has(d, W_prefetch))
        return NULL; // a step without effect
    if (decode_has(d, W_mbarrier))
        return prepare_copy_arrive(d, code);
    struct async_code *what = ARENA_NEW(d->program->arena, struct async_code);
    code->extra = what;
    code->step = step_copy;
    return decode_has(d, W_bulk) ? prepare_bulk_copy(d, code, what)
                                 : prepare_small_copy(d, code, what);
}

// Decodes st.async and red.async to shared memory. Those to global memory have no barrier.
const char *prepare_async_store(struct decoder *d, struct code *code)
{
    struct async_code *what = ARENA_NEW(d->program->arena, struct async_code);
    const char *error;
    struct memory_code *to = decode_memory(d, 0, W_shared, &error);
    if (!error)
        what->barrier = decode_memory(d, 1, W_shared, &error);
    if (error)
        return error;
    what->to = to;
    what->bulk = true;
    code->extra = what;
    code->step = step_async_store;
    if (d->inst->op == OP_red && !(what->op = find_operation(d)))
        return "this atomic operation is not supported";
    what->element = to->bytes;
    code->list = decode_list(d, to->elements);
    for (uint32_t i = 0; i < to->elements; i++) {
        code->list->width[i] = to->bytes;
        code->list->slot[i] = decode_source(d, use(d, i), to->bytes, to->type);
        if (code->list->slot[i] == REG_SLOT_NONE)
            return "this operand is not supported";
    }
    return NULL;
}

const char *prepare_fill(struct decoder *d, struct code *code)
{
    struct async_code *what = ARENA_NEW(d->program->arena, struct async_code);
    uint16_t space = decode_space(d, 0);
    const char *error;
    what->to = decode_memory(d, 0, is_shared(space) ? W_shared : W_UNKNOWN, &error);
    code->extra = what;
    code->step = step_fill;
    return error ? error : add_source(d, code, 0, 4, W_u32);
}

// mbarrier

static const struct {
    uint16_t word;
    uint8_t op;
} operations[] = {
    {W_init, MBARRIER_INIT},
    {W_inval, MBARRIER_INVALIDATE},
    {W_arrive, MBARRIER_ARRIVE},
    {W_arrive_drop, MBARRIER_ARRIVE},
    {W_test_wait, MBARRIER_TEST},
    {W_try_wait, MBARRIER_TEST},
    {W_complete_tx, MBARRIER_COMPLETE},
    {W_expect_tx, MBARRIER_EXPECT}, // also a modifier of .arrive
};

static void decode_words(const struct decoder *d, struct mbarrier_code *what)
{
    for (uint32_t i = ARRAY_LENGTH(operations); i-- > 0;)
        if (decode_has(d, operations[i].word))
            what->op = operations[i].op;
    what->drops = decode_has(d, W_arrive_drop);
    what->expects = what->op == MBARRIER_ARRIVE && decode_has(d, W_expect_tx);
    what->parity = decode_has(d, W_parity);
    what->waits = decode_has(d, W_try_wait);
}

static const char *prepare_pending(struct decoder *d, struct code *code)
{
    code->step = step_mbarrier_pending;
    code->width = 4;
    code->d = decode_result(d, decode_operand(d, ROLE_DEF, 0), 4, W_u32);
    return code->d == REG_SLOT_NONE ? "this destination is not supported"
                                    : add_source(d, code, 0, 8, W_u64);
}

const char *prepare_mbarrier(struct decoder *d, struct code *code)
{
    if (decode_has(d, W_pending_count))
        return prepare_pending(d, code);
    struct mbarrier_code *what = ARENA_NEW(d->program->arena, struct mbarrier_code);
    const struct ir_operand *result = decode_operand(d, ROLE_DEF, 0);
    const char *error;
    decode_words(d, what);
    what->memory = decode_memory(d, 0, decode_space(d, 0), &error);
    if (error)
        return error;
    d->function->ordered = true; // lanes wait for each other
    code->extra = what;
    if (result) {
        code->width = what->op == MBARRIER_TEST ? WIDTH_PREDICATE : 8;
        code->d = decode_result(d, result, code->width, W_b64);
        if (code->d == REG_SLOT_NONE)
            return "this destination is not supported";
    }
    code->value = what->op == MBARRIER_TEST && !what->parity ? 8 : 4;
    return use(d, 0) ? add_source(d, code, 0, (uint32_t)code->value, W_u32) : NULL;
}
