// Decodes mma, wmma, ldmatrix, stmatrix and movmatrix: shapes, types, and the elements that each
// lane holds.
//
// PTX leaves the fragments of wmma undefined. Here they are those of mma, with the blocks of 8 rows
// or columns one after the other: for a and d ordered by rows first, for b by k first.
#include "runtime-sim/exec/decode/decode_matrix.h"
#include "runtime-sim/exec/memory/ldmatrix.h"
#include <stdio.h>

static const char bad_operand[] = "this operand of a matrix instruction is not supported";

static bool is_known(uint16_t word)
{
    static const uint16_t known[] = {W_sync,     W_aligned, W_mma,   W_load, W_store,
                                     W_a,        W_b,       W_c,     W_d,    W_satfinite,
                                     W_rn,       W_rz,      W_rm,    W_rp,   W_and,
                                     W_xor,      W_popc,    W_trans, W_sp,   W_sp_ordered_metadata,
                                     W_mma_async};
    for (uint32_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (known[i] == word)
            return true;
    return isa_is_space(word);
}

struct matrix_words matrix_read_words(const struct decoder *d)
{
    struct matrix_words words = {0};
    for (uint32_t i = 0; i < d->mod_count; i++) {
        uint16_t word = d->mods[i];
        if (word >= WORD_COUNT)
            words.other = true;
        else if (word == W_row || word == W_col)
            words.columns[words.layout_count++ & 1] = word == W_col;
        else if (isa_is_type(word))
            words.types[words.type_count++ & 3] = word;
        else if (word == W_x1 || word == W_x2 || word == W_x4)
            words.number = isa_words[word].value;
        else if (sscanf(isa_words[word].text, ".m%un%uk%u", &words.m, &words.n, &words.k) < 2)
            words.other |= !is_known(word);
    }
    return words;
}

// Fragments. The type and registers of `f` are set.

void matrix_set_type(struct fragment *f, uint16_t type)
{
    uint32_t bits = ir_type_bits(type);
    f->type = type;
    f->bits = (uint8_t)(bits == 1 ? 32 : bits);
    f->per = (uint8_t)(f->bits < 32 ? 32 / f->bits : 1);
}

// A lane belongs to group lane / 4, which is a row of a and d and a column of b. Along k it holds
// adjacent elements, of d two.
void matrix_place_fragment(struct fragment *f, enum matrix_part part, uint32_t rows,
                           uint32_t columns)
{
    uint32_t per = f->per, row_blocks = rows / 8, k_blocks = rows / (4 * per);
    f->elements = (uint16_t)(rows * columns);
    f->step = (uint16_t)(part == PART_B ? columns : 1);
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t group = i / 4, place = i % 4;
        f->lane[i] = (uint16_t)(part == PART_A   ? group * columns + place * per
                                : part == PART_B ? place * per * columns + group
                                                 : group * columns + place * 2);
    }
    for (uint32_t r = 0; r < f->registers; r++) {
        uint32_t pair = r * per / 2, row = 0, column = 0;
        switch (part) {
        case PART_A:
            row = r % row_blocks * 8;
            column = r / row_blocks * 4 * per % columns;
            break;
        case PART_B:
            row = r % k_blocks * 4 * per;
            column = r / k_blocks * 8 % columns;
            break;
        case PART_D:
            row = pair % row_blocks * 8;
            column = pair / row_blocks * 8 + r * per % 2;
            break;
        }
        f->base[r] = (uint16_t)(row * columns + column);
    }
}

// The four products of mma.m8n8k4 with f16: lanes 4n … 4n+3 and the lanes 16 above them hold
// product n.

static void place_quads(struct fragment *f, uint32_t rows, uint32_t columns, bool by_rows)
{
    f->elements = (uint16_t)(4 * rows * columns);
    f->step = (uint16_t)(by_rows ? 1 : columns);
    for (uint32_t r = 0; r < f->registers; r++)
        f->base[r] = (uint16_t)(r * f->per * f->step);
    // Each four lanes hold half of the lines; a line that is not whole is held by both halves.
    uint32_t length = by_rows ? columns : rows, line = by_rows ? columns : 1;
    bool whole = f->registers * f->per == length;
    for (uint32_t i = 0; i < LANES; i++) {
        uint32_t product = i / 4 % 4, low = i % 4, high = i / 16 * 4;
        f->lane[i] = (uint16_t)(product * rows * columns +
                                (whole ? (low + high) * line : low * line + high * f->step));
    }
}

static void place_quads_f32(struct fragment *f)
{
    f->elements = 4 * 8 * 8;
    f->step = 1;
    for (uint32_t r = 0; r < f->registers; r++)
        f->base[r] = (uint16_t)((r & 2) * 8 + (r & 4) + (r & 1));
    for (uint32_t i = 0; i < LANES; i++)
        f->lane[i] = (uint16_t)(i / 4 % 4 * 64 + ((i & 1) + i / 16 * 4) * 8 + (i & 2));
}

// Operands

// Resolves operand `n`, counted from 0, as a fragment of at least `least` registers.
static bool decode_registers(struct decoder *d, struct code *code, struct fragment *f, uint32_t n,
                             uint32_t min)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    uint8_t width = f->bits == 64 ? 8 : 4;
    uint16_t type = f->bits < 32 ? W_b32 : f->type;
    f->first = (uint8_t)code->list->count;
    for (uint32_t i = 0; i < d->inst->operand_count && f->registers < FRAGMENT_REGISTERS; i++) {
        const struct ir_operand *at = &operands[i];
        if (at->slot != n || (at->role != ROLE_DEF && at->role != ROLE_USE))
            continue;
        uint32_t slot = at->role == ROLE_DEF || at->kind == OPERAND_SINK
                            ? decode_result(d, at, width, type)
                            : decode_source(d, at, width, type);
        if (slot == REG_SLOT_NONE)
            return false;
        code->list->slot[code->list->count] = slot;
        code->list->width[code->list->count++] = width;
        f->registers++;
    }
    return f->registers >= min;
}

static void new_list(struct decoder *d, struct code *code)
{
    code->list = decode_list(d, 4 * FRAGMENT_REGISTERS);
    code->list->count = 0;
}

const char *matrix_name_all_lanes(struct decoder *d, struct code *code)
{
    code->s[code->source_count++] = decode_constant(d, FULL_MASK, 4);
    code->value = code->source_count;
    return NULL;
}

// Products

bool matrix_find_kind(const struct decoder *d, uint16_t type, struct product *product)
{
    switch (type) {
    case W_f16:
    case W_bf16:
    case W_tf32:
    case W_e4m3:
    case W_e5m2: product->kind = PRODUCT_FLOAT; return true;
    case W_f64: product->kind = PRODUCT_DOUBLE; return true;
    case W_s8:
    case W_u8:
    case W_s4:
    case W_u4: product->kind = PRODUCT_INTEGER; return true;
    case W_b1: product->kind = decode_has(d, W_and) ? PRODUCT_AND : PRODUCT_XOR; return true;
    default: return false;
    }
}

static void place_product(struct product *p, const struct matrix_words *words)
{
    if (p->count == 1) {
        matrix_place_fragment(&p->a, PART_A, p->m, p->k);
        matrix_place_fragment(&p->b, PART_B, p->sparse ? 2 * p->k : p->k, p->n);
        matrix_place_fragment(&p->c, PART_D, p->m, p->n);
        matrix_place_fragment(&p->d, PART_D, p->m, p->n);
        return;
    }
    place_quads(&p->a, p->m, p->k, !words->columns[0]);
    place_quads(&p->b, p->k, p->n, !words->columns[1]);
    struct fragment *accumulators[] = {&p->c, &p->d};
    for (uint32_t i = 0; i < 2; i++)
        if (accumulators[i]->type == W_f32)
            place_quads_f32(accumulators[i]);
        else
            place_quads(accumulators[i], p->m, p->n, true);
}

// Sparse matrices: the lanes that hold the bits that select the kept elements of a row. If not all
// lanes are needed, the last operand, a number, selects one of each four. The manual shows this in
// figures; for m16n8k32 with 16-bit and m16n8k64 with 8-bit elements, it was measured on GPUs.
//
// For elements of 16 and 32 bits, the low half of a register belongs to one of the upper eight
// rows, the high half to the row eight below it, and the adjacent lanes hold the columns that
// follow. For elements of 8 and 4 bits, a register belongs to one row, the adjacent lane holds the
// row eight below it, and the next two lanes hold the columns that follow.
void matrix_place_halves(struct sparse *sparse, uint32_t bits, uint32_t words, uint32_t selector)
{
    for (uint32_t row = 0; row < SPARSE_ROWS; row++)
        for (uint32_t n = 0; n < words; n++) {
            uint32_t lane = row % 8 * 4, half = bits >= 16 ? row / 8 : n % 2;
            lane += bits >= 16 ? words * selector + n : 2 * (selector + n / 2) + row / 8;
            sparse->half[row][n] = (uint8_t)(2 * lane + half);
        }
}

const struct ir_operand *matrix_operand_at(const struct decoder *d, uint32_t n)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    for (uint32_t i = 0; i < d->inst->operand_count; i++)
        if (operands[i].slot == n && operands[i].role == ROLE_USE)
            return &operands[i];
    return NULL;
}

bool matrix_is_sparse(const struct decoder *d)
{
    return decode_has(d, W_sp) || decode_has(d, W_sp_ordered_metadata);
}

// Resolves the selection bits. On entry, the product's k is that of b.
static bool decode_sparse(struct decoder *d, struct code *code, struct product *product)
{
    struct sparse *sparse = ARENA_NEW(d->program->arena, struct sparse);
    const struct ir_operand *bits = matrix_operand_at(d, 4), *selector = matrix_operand_at(d, 5);
    if (!bits || !selector || selector->kind != OPERAND_IMMEDIATE)
        return false;
    sparse->kept = product->a.bits == 32 ? 1 : product->a.bits == 4 ? 4 : 2;
    uint32_t words = product->k / sparse->kept / 8;
    if (words * (selector->value + 1) > SPARSE_WORDS)
        return false;
    matrix_place_halves(sparse, product->a.bits, words, (uint32_t)selector->value);
    sparse->place = (uint8_t)code->list->count;
    uint32_t slot = decode_source(d, bits, 4, W_b32);
    code->list->slot[code->list->count] = slot;
    code->list->width[code->list->count++] = 4;
    product->sparse = sparse;
    product->k /= 2;
    return slot != REG_SLOT_NONE;
}

static const char *decode_product(struct decoder *d, struct code *code,
                                  const struct matrix_words *words)
{
    struct product *p = ARENA_NEW(d->program->arena, struct product);
    uint16_t a = words->types[1];
    if (!matrix_find_kind(d, a, p))
        return "matrices of this type are not supported";
    if (code->attributes & ATTR_SAT && p->kind != PRODUCT_INTEGER)
        return "a floating-point matrix product with .satfinite";
    p->m = (uint8_t)words->m;
    p->n = (uint8_t)words->n;
    p->k = (uint8_t)(a == W_b1 ? words->k / 32 : words->k);
    p->count = d->inst->op == OP_mma && words->m == 8 && a == W_f16 ? 4 : 1;
    struct fragment *fragments[] = {&p->d, &p->a, &p->b, &p->c};
    const uint32_t elements[] = {p->m * p->n, p->m * p->k / (matrix_is_sparse(d) ? 2 : 1),
                                 p->k * p->n, p->m * p->n};
    new_list(d, code);
    for (uint32_t i = 0; i < 4; i++) {
        struct fragment *f = fragments[i];
        matrix_set_type(f, words->types[i]);
        if (!decode_registers(d, code, f, i, p->count * elements[i] / LANES / f->per))
            return bad_operand;
    }
    if (matrix_is_sparse(d) && !decode_sparse(d, code, p))
        return bad_operand;
    place_product(p, words);
    code->extra = p;
    return matrix_name_all_lanes(d, code);
}

const char *prepare_mma(struct decoder *d, struct code *code)
{
    struct matrix_words words = matrix_read_words(d);
    if (words.other || words.type_count != 4)
        return "block-scaled matrix products and those with a .kind are not supported";
    return decode_product(d, code, &words);
}

// Matrices in memory

static const char *decode_matrix_memory(struct decoder *d, struct code *code,
                                        struct matrix_memory *matrix)
{
    const char *error;
    matrix->memory = decode_memory(d, 0, d->inst->space, &error);
    code->extra = matrix;
    return error ? error : matrix_name_all_lanes(d, code);
}

static const char *decode_stride(struct decoder *d, struct code *code, uint32_t otherwise)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    code->s[0] = decode_constant(d, otherwise, 4);
    code->source_count = 1;
    for (uint32_t i = 0; i < d->inst->operand_count; i++)
        if (operands[i].slot == 2 && operands[i].role == ROLE_USE)
            code->s[0] = decode_source(d, &operands[i], 4, W_u32);
    return code->s[0] == REG_SLOT_NONE ? bad_operand : NULL;
}

static const char *decode_wmma_memory(struct decoder *d, struct code *code,
                                      const struct matrix_words *words)
{
    struct matrix_memory *matrix = ARENA_NEW(d->program->arena, struct matrix_memory);
    struct fragment *f = &matrix->fragment;
    bool is_load = decode_has(d, W_load);
    enum matrix_part part = decode_has(d, W_a) ? PART_A : decode_has(d, W_b) ? PART_B : PART_D;
    uint32_t k = words->types[0] == W_b1 ? words->k / 32 : words->k;
    uint32_t rows = part == PART_B ? k : words->m, columns = part == PART_A ? k : words->n;
    matrix->columns = words->columns[0];
    matrix->lines = (uint8_t)(matrix->columns ? columns : rows);
    matrix->length = (uint8_t)(matrix->columns ? rows : columns);
    matrix->stride_bits = (uint8_t)ir_type_bits(words->types[0]);
    code->step = is_load ? step_matrix_load : step_matrix_store;
    matrix_set_type(f, words->types[0]);
    new_list(d, code);
    if (!decode_registers(d, code, f, is_load ? 0 : 1, rows * columns / LANES / f->per))
        return bad_operand;
    matrix_place_fragment(f, part, rows, columns);
    // A line must have the alignment of a lane's part of the matrix, but at most 16 bytes.
    uint32_t bytes = f->registers * (f->bits == 64 ? 8u : 4u);
    matrix->align = (uint8_t)(bytes < 16 ? bytes : 16);
    const char *error =
        decode_stride(d, code, matrix->length * (uint32_t)f->bits / matrix->stride_bits);
    return error ? error : decode_matrix_memory(d, code, matrix);
}

const char *prepare_wmma(struct decoder *d, struct code *code)
{
    struct matrix_words words = matrix_read_words(d);
    if (words.other)
        return "this instruction is not supported";
    if (!decode_has(d, W_mma))
        return decode_wmma_memory(d, code, &words);
    if (words.type_count == 2) { // the types of a and b are implied
        words.types[3] = words.types[1];
        words.types[1] = words.types[2] = W_f16;
    }
    return decode_product(d, code, &words);
}

const char *prepare_ldmatrix(struct decoder *d, struct code *code)
{
    struct matrix_words words = matrix_read_words(d);
    if (words.other || words.m != 8 || words.n != 8)
        return "only matrices of 8 x 8 elements of 16 bits can be loaded and stored";
    struct matrix_memory *matrix = ARENA_NEW(d->program->arena, struct matrix_memory);
    matrix->lines = (uint8_t)(8 * words.number);
    matrix->length = 8;
    matrix->align = 16;
    matrix_set_type(&matrix->fragment, W_b16);
    new_list(d, code);
    if (!decode_registers(d, code, &matrix->fragment, d->inst->op == OP_ldmatrix ? 0 : 1,
                          words.number))
        return bad_operand;
    matrix_place_fragment(&matrix->fragment, decode_has(d, W_trans) ? PART_B : PART_D,
                          matrix->lines, 8);
    return decode_matrix_memory(d, code, matrix);
}

const char *prepare_movmatrix(struct decoder *d, struct code *code)
{
    struct matrix_move *move = ARENA_NEW(d->program->arena, struct matrix_move);
    matrix_set_type(&move->from, W_b16);
    matrix_set_type(&move->to, W_b16);
    new_list(d, code);
    if (!decode_registers(d, code, &move->to, 0, 1) ||
        !decode_registers(d, code, &move->from, 1, 1))
        return bad_operand;
    matrix_place_fragment(&move->from, PART_D, 8, 8);
    matrix_place_fragment(&move->to, PART_B, 8, 8);
    code->extra = move;
    return matrix_name_all_lanes(d, code);
}
