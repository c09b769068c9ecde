// Linear-scan allocation over the instructions in the order of the text. The lifetime of a register
// is the range from its first to its last occurrence, including blocks that it is live through.
// This is less precise than exact liveness, but only needs one sort.
#include "runtime-sim/exec/decode/code.h"
#include "runtime-sim/exec/decode/layout.h"
#include <stdlib.h>

struct life {
    uint32_t reg, first, last;
};

enum { CLASSES = 6 }; // predicate, 1, 2, 4, 8, 16 bytes

static uint32_t class_of(uint32_t width)
{
    return width ? (uint32_t)__builtin_ctz(width) + 1 : 0;
}

uint32_t reg_slots_width(const struct ir_register *reg)
{
    if (reg->bits == 1)
        return WIDTH_PREDICATE;
    uint32_t width = 1;
    while (width * 8 < reg->bits)
        width *= 2;
    return width;
}

static void extend(struct life *life, uint32_t place)
{
    if (place < life->first)
        life->first = place;
    if (place > life->last || life->last == IR_NONE)
        life->last = place;
}

// Extends the lifetime of a register that is live on entry to the block.
static void extend_block(const struct ir_function *fn, uint32_t b, struct life *life)
{
    const struct ir_block *block = &fn->blocks.v[b];
    extend(life, block->first);
    for (uint32_t p = 0; p < block->pred_count; p++) {
        const struct ir_block *from = &fn->blocks.v[ir_preds(fn, b)[p]];
        extend(life, from->end > from->first ? from->end - 1 : from->first);
    }
}

static void find_lives(const struct ir_function *fn, struct life *lives)
{
    for (uint32_t i = 0; i < fn->registers.n; i++)
        lives[i] = (struct life){i, IR_NONE, IR_NONE};
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        const struct ir_operand *operands = ir_operands(fn, i);
        for (uint32_t k = 0; k < fn->insts.v[i].operand_count; k++)
            if (operands[k].kind == OPERAND_REGISTER)
                extend(&lives[operands[k].index], i);
    }
    for (uint32_t reg = 0; reg < fn->registers.n; reg++)
        for (uint32_t i = fn->live_at.v[reg]; i < fn->live_at.v[reg + 1]; i++)
            for (uint32_t b = fn->live.v[i].first; b <= fn->live.v[i].last; b++)
                extend_block(fn, b, &lives[reg]);
}

static bool is_parameter(const struct ir_function *fn, uint32_t reg)
{
    return fn->registers.v[reg].scope == fn->node && fn->registers.v[reg].decl != IR_NONE;
}

// Parameters and results in registers are written before the first and read after the last
// instruction.
static void keep_parameters(const struct ir_function *fn, struct life *lives)
{
    for (uint32_t i = 0; i < fn->registers.n; i++) {
        if (!is_parameter(fn, i))
            continue;
        extend(&lives[i], 0);
        extend(&lives[i], fn->insts.n);
    }
}

// Places the masks `written` from offset `at` on. Returns the end.
static uint32_t find_unset(struct reg_slots *slots, struct arena *arena,
                           const struct ir_function *fn, uint32_t at)
{
    uint32_t count = 0;
    for (uint32_t reg = 0; reg < fn->registers.n && fn->blocks.n; reg++)
        count += ir_live_in(fn, 0, reg);
    slots->unset = ARENA_ARRAY(arena, struct unset_reg_slot, count);
    slots->unset_count = 0;
    for (uint32_t reg = 0; reg < fn->registers.n && count; reg++) {
        if (!ir_live_in(fn, 0, reg) || is_parameter(fn, reg) || slots->offset[reg] == IR_NONE)
            continue;
        slots->unset[slots->unset_count++] = (struct unset_reg_slot){reg, at};
        at += lanes_bytes(WIDTH_PREDICATE);
    }
    return at;
}

static int by_first(const void *a, const void *b)
{
    const struct life *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->reg > y->reg) - (x->reg < y->reg);
}

// The slots of one width: those in use, as a heap by the end of their lifetime.
struct width_slots {
    VEC(struct life) busy; // reg: the slot
    VEC(uint32_t) free;
    uint32_t count;
};

static void heap_push(struct arena *arena, struct width_slots *places, struct life life)
{
    vec_push(arena, &places->busy, life);
    struct life *heap = places->busy.v;
    for (uint32_t i = places->busy.n - 1; i && heap[(i - 1) / 2].last > heap[i].last;
         i = (i - 1) / 2) {
        struct life swap = heap[i];
        heap[i] = heap[(i - 1) / 2];
        heap[(i - 1) / 2] = swap;
    }
}

static struct life heap_pop(struct width_slots *places)
{
    struct life *heap = places->busy.v, top = heap[0];
    uint32_t n = --places->busy.n;
    heap[0] = heap[n];
    for (uint32_t i = 0, child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && heap[child + 1].last < heap[child].last)
            child++;
        if (heap[i].last <= heap[child].last)
            break;
        struct life swap = heap[i];
        heap[i] = heap[child];
        heap[child] = swap;
    }
    return top;
}

static uint32_t allocate_offset(struct arena *arena, struct width_slots *places, struct life life)
{
    while (places->busy.n && places->busy.v[0].last < life.first)
        vec_push(arena, &places->free, heap_pop(places).reg);
    uint32_t place = places->free.n ? places->free.v[--places->free.n] : places->count++;
    heap_push(arena, places, (struct life){place, life.first, life.last});
    return place;
}

// Returns the maximum number of live 32-bit registers, from the starts and ends of lifetimes.
static uint32_t max_at_once(const struct ir_function *fn, const struct life *lives, uint32_t count,
                            struct arena *scratch)
{
    uint32_t *change = ARENA_ARRAY(scratch, uint32_t, fn->insts.n + 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t words = (reg_slots_width(&fn->registers.v[lives[i].reg]) + 3) / 4;
        change[lives[i].first] += words;
        change[lives[i].last + 1] -= words;
    }
    uint32_t max = 0, now = 0;
    for (uint32_t i = 0; i <= fn->insts.n; i++) {
        now += change[i];
        max = now > max ? now : max;
    }
    return max;
}

void reg_slots_assign(struct reg_slots *slots, struct arena *arena, const struct ir_function *fn)
{
    struct arena scratch;
    arena_init(&scratch, arena->memory);
    uint32_t count = fn->registers.n, used = 0;
    struct life *lives = ARENA_ARRAY(&scratch, struct life, count);
    struct width_slots places[CLASSES] = {0};
    slots->offset = ARENA_ARRAY(arena, uint32_t, count);
    find_lives(fn, lives);
    keep_parameters(fn, lives);
    for (uint32_t i = 0; i < count; i++) {
        slots->offset[i] = IR_NONE;
        if (lives[i].first != IR_NONE)
            lives[used++] = lives[i];
    }
    qsort(lives, used, sizeof *lives, by_first);
    for (uint32_t i = 0; i < used; i++) {
        uint32_t class = class_of(reg_slots_width(&fn->registers.v[lives[i].reg]));
        slots->offset[lives[i].reg] = allocate_offset(&scratch, &places[class], lives[i]);
    }
    uint32_t begin[CLASSES], at = 0;
    for (uint32_t class = CLASSES; class -- > 0;) {
        begin[class] = at;
        at += places[class].count * lanes_bytes(class ? 1u << (class - 1) : WIDTH_PREDICATE);
    }
    for (uint32_t i = 0; i < used; i++) {
        uint32_t width = reg_slots_width(&fn->registers.v[lives[i].reg]);
        uint32_t *offset = &slots->offset[lives[i].reg];
        *offset = begin[class_of(width)] + *offset * lanes_bytes(width);
    }
    at = find_unset(slots, arena, fn, at);
    slots->frame_bytes = (at + 63) & ~63u;
    slots->registers = max_at_once(fn, lives, used, &scratch);
    arena_free(&scratch);
}
