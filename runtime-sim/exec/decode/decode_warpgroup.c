// Decodes wgmma. Its fragments are those of mma.m16n8, repeated every 8 columns.
#include "runtime-sim/exec/decode/decode_matrix.h"
#include "runtime-sim/exec/warp/steps.h"
#include "runtime-sim/exec/warp/warpgroup.h"
#include <stdio.h>

static const char bad_operand[] = "this operand of wgmma is not supported";

enum { ROWS = 16, COLUMNS = 8, MAX_LIST = 256 / 2 + WARPGROUP_A_REGISTERS + 1 };

static bool push(struct decoder *d, struct code *code, const struct ir_operand *operand,
                 bool result)
{
    uint32_t slot =
        result ? decode_result(d, operand, 4, W_b32) : decode_source(d, operand, 4, W_b32);
    if (slot == REG_SLOT_NONE || code->list->count == MAX_LIST)
        return false;
    code->list->slot[code->list->count] = slot;
    code->list->width[code->list->count++] = 4;
    return true;
}

// Adds the registers at place n of the operand list to the code's list. Returns their number, or 0
// if one is not supported.
static uint32_t push_registers(struct decoder *d, struct code *code, uint32_t n, enum ir_role role)
{
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    uint32_t count = 0;
    for (uint32_t i = 0; i < d->inst->operand_count; i++) {
        if (operands[i].slot != n || operands[i].role != role)
            continue;
        if (!push(d, code, &operands[i], role == ROLE_DEF))
            return 0;
        count++;
    }
    return count;
}

static bool add_source(struct decoder *d, struct code *code, uint32_t n, uint32_t width)
{
    uint32_t slot = decode_source(d, matrix_operand_at(d, n), width, W_b64);
    code->s[code->source_count++] = slot;
    return slot != REG_SLOT_NONE;
}

static int64_t immediate(const struct decoder *d, uint32_t n, int64_t otherwise)
{
    const struct ir_operand *operand = matrix_operand_at(d, n);
    if (!operand)
        return otherwise;
    return operand->negated ? -operand->value : operand->value;
}

static uint32_t signs_of(uint32_t bits)
{
    return bits == 8 ? 0x80808080 : bits == 16 ? 0x80008000 : 0x80000000;
}

static void place(struct fragment *f, uint16_t type, enum matrix_part part, uint32_t first,
                  uint32_t rows, uint32_t columns)
{
    matrix_set_type(f, type);
    f->first = (uint8_t)first;
    f->registers = (uint8_t)(rows * columns / LANES / f->per);
    matrix_place_fragment(f, part, rows, columns);
}

static void place_all(struct warpgroup_code *what, const struct matrix_words *words, bool sparse)
{
    struct product *p = &what->product;
    uint16_t a = words->types[1], b = words->types[2];
    p->m = ROWS;
    p->n = COLUMNS;
    p->count = 1;
    what->b_rows = a == W_b1 ? words->k / 32 : words->k;
    p->k = (uint8_t)(sparse ? what->b_rows / 2 : what->b_rows);
    place(&p->d, words->types[0], PART_D, WARPGROUP_D_AT, ROWS, COLUMNS);
    place(&p->c, words->types[0], PART_D, WARPGROUP_C_AT, ROWS, COLUMNS);
    place(&p->a, a, PART_A, WARPGROUP_A_AT, ROWS, p->k);
    place(&p->b, b, PART_B, WARPGROUP_B_AT, what->b_rows, COLUMNS);
    what->blocks = words->n / COLUMNS;
    what->element_bytes = p->a.bits / 8;
    what->elements = 16 / what->element_bytes;
}

// Resolves the selection bits of a sparse A, at places 3 and 4 of the operand list.
static bool decode_selection(struct decoder *d, struct code *code, struct warpgroup_code *what)
{
    struct sparse *sparse = ARENA_NEW(d->program->arena, struct sparse);
    const struct product *p = &what->product;
    int64_t selector = immediate(d, 4, 0);
    sparse->kept = p->a.bits == 32 ? 1 : 2;
    uint32_t words = what->b_rows / sparse->kept / 8;
    if (selector < 0 || words * ((uint64_t)selector + 1) > SPARSE_WORDS)
        return false;
    matrix_place_halves(sparse, p->a.bits, words, (uint32_t)selector);
    sparse->place = WARPGROUP_BITS_AT;
    what->product.sparse = sparse;
    what->bits_at = (uint8_t)code->list->count;
    return push_registers(d, code, 3, ROLE_USE) == 1;
}

static void decode_modifiers(const struct decoder *d, struct warpgroup_code *what, uint32_t scale)
{
    uint32_t bits = what->product.a.bits;
    what->negate_a = immediate(d, scale + 1, 1) == -1 ? signs_of(bits) : 0;
    what->negate_b = immediate(d, scale + 2, 1) == -1 ? signs_of(bits) : 0;
    what->trans_a = what->a_shared && immediate(d, scale + 3, 0);
    what->trans_b = immediate(d, scale + (what->a_shared ? 4 : 3), 0);
}

static const char *decode_product(struct decoder *d, struct code *code)
{
    struct matrix_words words = matrix_read_words(d);
    struct warpgroup_code *what = ARENA_NEW(d->program->arena, struct warpgroup_code);
    bool sparse = matrix_is_sparse(d);
    uint32_t scale = sparse ? 5 : 3;
    if (words.other || words.type_count != 3 || words.m != 64 ||
        !matrix_find_kind(d, words.types[1], &what->product))
        return "matrices of this type are not supported";
    code->extra = what;
    code->step = step_warpgroup_product;
    code->list = decode_list(d, MAX_LIST);
    code->list->count = 0;
    place_all(what, &words, sparse);
    uint32_t wanted = what->blocks * what->product.d.registers;
    if (push_registers(d, code, 0, ROLE_DEF) != wanted)
        return bad_operand;
    what->a_first = (uint8_t)code->list->count;
    const struct ir_operand *operands = ir_operands(d->fn, d->id);
    uint32_t a_registers = 0;
    for (uint32_t i = 0; i < d->inst->operand_count; i++)
        a_registers += operands[i].slot == 1 && operands[i].role == ROLE_USE;
    what->a_shared = a_registers == 1;
    if ((!what->a_shared && push_registers(d, code, 1, ROLE_USE) != WARPGROUP_A_REGISTERS) ||
        (sparse && !decode_selection(d, code, what)) || !add_source(d, code, 2, 8) ||
        !add_source(d, code, scale, WIDTH_PREDICATE) ||
        (what->a_shared && !add_source(d, code, 1, 8)))
        return bad_operand;
    decode_modifiers(d, what, scale);
    return matrix_name_all_lanes(d, code);
}

const char *prepare_warpgroup(struct decoder *d, struct code *code)
{
    if (decode_has(d, W_mma_async))
        return decode_product(d, code);
    code->step = step_nothing; // products are complete
    return NULL;
}
