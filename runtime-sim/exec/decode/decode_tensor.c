// Decodes copies of tensors and tensormap.
#include "runtime-sim/exec/decode/prepare.h"
#include "runtime-sim/exec/memory/async.h"
#include "runtime-sim/exec/memory/tensor.h"
#include "runtime-sim/exec/memory/tensor_map.h"

enum { MAX_NUMBERS = TENSOR_RANK + TENSOR_RANK - 2 + 1 };

static uint16_t find_word(const struct decoder *d, const uint16_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (decode_has(d, words[i]))
            return words[i];
    return W_UNKNOWN;
}

static void read_words(const struct decoder *d, struct tensor_code *what)
{
    static const uint16_t ranks[] = {W_n1d, W_n2d, W_n3d, W_n4d, W_n5d};
    static const uint16_t ops[] = {W_add, W_min, W_max, W_inc, W_dec, W_and, W_or, W_xor};
    what->rank = 1;
    while (what->rank < TENSOR_RANK && !decode_has(d, ranks[what->rank - 1]))
        what->rank++;
    bool rows = decode_has(d, W_tile_gather4) || decode_has(d, W_tile_scatter4);
    bool offsets = decode_has(d, W_im2col);
    what->mode = rows                                         ? TENSOR_ROWS
                 : offsets || decode_has(d, W_im2col_no_offs) ? TENSOR_COLUMNS
                                                              : TENSOR_TILE;
    what->coordinates = rows ? TENSOR_RANK : what->rank;
    what->offsets = offsets ? what->rank - 2 : 0;
    what->action = decode_has(d, W_prefetch)                     ? TENSOR_PREFETCH
                   : decode_has(d, W_mbarrier_complete_tx_bytes) ? TENSOR_LOAD
                   : decode_has(d, W_reduce)                     ? TENSOR_REDUCE
                                                                 : TENSOR_STORE;
    if (what->action == TENSOR_REDUCE)
        what->op = find_word(d, ops, ARRAY_LENGTH(ops));
    what->multicast = decode_has(d, W_multicast_cluster);
}

static const char *decode_addresses(struct decoder *d, struct tensor_code *what)
{
    const char *error = NULL;
    bool loads = what->action == TENSOR_LOAD;
    what->map = decode_memory(d, loads ? 1 : 0, W_UNKNOWN, &error);
    if (!error && what->action != TENSOR_PREFETCH)
        what->shared = decode_memory(d, loads ? 0 : 1, W_shared, &error);
    if (!error && loads)
        what->barrier = decode_memory(d, 2, W_shared, &error);
    return error;
}

const char *prepare_tensor(struct decoder *d, struct code *code)
{
    struct tensor_code *what = ARENA_NEW(d->program->arena, struct tensor_code);
    if (decode_has(d, W_im2col_w) || decode_has(d, W_im2col_w_128))
        return "copies of tensors with .im2col::w are not supported";
    if (decode_has(d, W_cta_group_2))
        return "copies of tensors with .cta_group::2 are not supported";
    read_words(d, what);
    const char *error = decode_addresses(d, what);
    uint32_t numbers = (uint32_t)what->coordinates + what->offsets + what->multicast;
    code->extra = what;
    code->step = step_tensor;
    code->list = decode_list(d, MAX_NUMBERS);
    code->list->count = numbers;
    for (uint32_t i = 0; !error && i < numbers; i++) {
        uint16_t type = i < what->coordinates ? W_s32 : W_u16;
        code->list->width[i] = 4;
        code->list->slot[i] = decode_source(d, decode_operand(d, ROLE_USE, i), 4, type);
        if (code->list->slot[i] == REG_SLOT_NONE)
            error = "this operand is not supported";
    }
    return error;
}

static const char *prepare_map_copy(struct decoder *d, struct code *code)
{
    struct async_code *what = ARENA_NEW(d->program->arena, struct async_code);
    const char *error;
    what->to = decode_memory(d, 0, decode_space(d, 0), &error);
    if (!error)
        what->from = decode_memory(d, 1, decode_space(d, 1), &error);
    what->once = true;
    code->extra = what;
    code->step = step_copy;
    code->s[code->source_count++] = decode_constant(d, TENSOR_MAP_BYTES, 4);
    return error;
}

const char *prepare_tensor_map(struct decoder *d, struct code *code)
{
    static const struct {
        uint16_t word;
        uint8_t field;
        bool indexed;
    } fields[] = {
        {W_global_address, FIELD_ADDRESS, false},
        {W_rank, FIELD_RANK, false},
        {W_box_dim, FIELD_BOX, true},
        {W_global_dim, FIELD_SIZE, true},
        {W_global_stride, FIELD_STRIDE, true},
        {W_element_stride, FIELD_ELEMENT_STRIDE, true},
        {W_elemtype, FIELD_TYPE, false},
        {W_interleave_layout, FIELD_INTERLEAVE, false},
        {W_swizzle_mode, FIELD_SWIZZLE, false},
        {W_swizzle_atomicity, FIELD_ATOMICITY, false},
        {W_fill_mode, FIELD_FILL, false},
    };
    if (decode_has(d, W_cp_fenceproxy))
        return prepare_map_copy(d, code);
    struct tensor_field_code *what = ARENA_NEW(d->program->arena, struct tensor_field_code);
    uint32_t n = 0;
    while (!decode_has(d, fields[n].word))
        n++;
    const char *error;
    what->map = decode_memory(d, 0, decode_space(d, 0), &error);
    what->field = fields[n].field;
    const struct ir_operand *index = decode_operand(d, ROLE_USE, 0);
    if (fields[n].indexed &&
        (index->kind != OPERAND_IMMEDIATE || index->value < 0 || index->value >= TENSOR_RANK))
        return "the ordinal of tensormap.replace must be a number from 0 to 4";
    what->index = fields[n].indexed ? (uint8_t)index->value : 0;
    code->extra = what;
    code->step = step_tensor_field;
    code->value = fields[n].word == W_global_address || fields[n].word == W_global_stride ? 8 : 4;
    const struct ir_operand *value = decode_operand(d, ROLE_USE, fields[n].indexed);
    code->s[code->source_count++] = decode_source(d, value, (uint32_t)code->value, W_b64);
    return !error && code->s[0] == REG_SLOT_NONE ? "this operand is not supported" : error;
}
