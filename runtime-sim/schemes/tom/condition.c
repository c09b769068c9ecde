#include "runtime-sim/schemes/tom/block_table.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// Functions

typedef int64_t function_value(const int64_t *x, uint32_t bits);

static int64_t low_signed(const int64_t *x, uint32_t bits)
{
    return (int64_t)((uint64_t)x[0] << (64 - bits)) >> (64 - bits);
}
static int64_t low_unsigned(const int64_t *x, uint32_t bits)
{
    return (int64_t)((uint64_t)x[0] << (64 - bits) >> (64 - bits));
}

// Returns the quotient rounded towards zero; x / 0 is 0.
static int64_t quotient(int64_t a, int64_t b)
{
    if (!b)
        return 0;
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}

#define FUNCTION(name, value)                                                                      \
    static int64_t function_##name(const int64_t *x, uint32_t bits)                                \
    {                                                                                              \
        (void)bits;                                                                                \
        return value;                                                                              \
    }
FUNCTION(min, x[0] < x[1] ? x[0] : x[1])
FUNCTION(max, x[0] > x[1] ? x[0] : x[1])
FUNCTION(and, x[0] & x[1])
FUNCTION(or, x[0] | x[1])
FUNCTION(xor, x[0] ^ x[1])
FUNCTION(rem, (int64_t)((uint64_t)x[0] - (uint64_t)quotient(x[0], x[1]) * (uint64_t)x[1]))
FUNCTION(shl, x[1]<0 || x[1]> 63 ? 0 : (int64_t)((uint64_t)x[0] << x[1]))
FUNCTION(shr, x[0] >> (x[1] < 0 || x[1] > 63 ? 63 : x[1]))
FUNCTION(if, x[0] ? x[1] : x[2])
FUNCTION(lt, x[0] < x[1])
FUNCTION(le, x[0] <= x[1])
FUNCTION(gt, x[0] > x[1])
FUNCTION(ge, x[0] >= x[1])
FUNCTION(eq, x[0] == x[1])
FUNCTION(ne, x[0] != x[1])

static const struct function {
    const char *name;
    uint32_t arguments, bits;
    function_value *value;
} functions[] = {
    {"min", 2, 0, function_min}, {"max", 2, 0, function_max},  {"and", 2, 0, function_and},
    {"or", 2, 0, function_or},   {"xor", 2, 0, function_xor},  {"rem", 2, 0, function_rem},
    {"shl", 2, 0, function_shl}, {"shr", 2, 0, function_shr},  {"if", 3, 0, function_if},
    {"lt", 2, 0, function_lt},   {"le", 2, 0, function_le},    {"gt", 2, 0, function_gt},
    {"ge", 2, 0, function_ge},   {"eq", 2, 0, function_eq},    {"ne", 2, 0, function_ne},
    {"s8", 1, 8, low_signed},    {"s16", 1, 16, low_signed},   {"s32", 1, 32, low_signed},
    {"u8", 1, 8, low_unsigned},  {"u16", 1, 16, low_unsigned}, {"u32", 1, 32, low_unsigned},
};

// Compilation

struct condition_reader {
    struct condition *to;
    struct arena *arena;
    const char *at;
    condition_name *name;
    void *context;
    uint32_t depth, nesting; // operands on the stack; nested expressions
};

static bool read_sum(struct condition_reader *r);

static bool emit(struct condition_reader *r, struct condition_op op, uint32_t takes)
{
    r->depth = r->depth - takes + 1;
    vec_push(r->arena, &r->to->ops, op);
    return r->depth <= CONDITION_DEPTH;
}

static bool accept_token(struct condition_reader *r, const char *text)
{
    size_t length = strlen(text);
    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

static bool read_call(struct condition_reader *r, uint32_t number)
{
    for (uint32_t i = 0; i < functions[number].arguments; i++)
        if ((i && !accept_token(r, ", ")) || !read_sum(r))
            return false;
    struct condition_op op = {.kind = CONDITION_FUNCTION, .place = number};
    return accept_token(r, ")") && emit(r, op, functions[number].arguments);
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    if (*at == '[')
        return strcspn(at, "]") + 1;
    while (isalnum((unsigned char)at[length]) || (at[length] && strchr("_$%.@", at[length])))
        length++;
    return length;
}

static bool read_name(struct condition_reader *r)
{
    size_t length = name_length(r->at);
    struct condition_op op = {0};
    for (uint32_t i = 0; i < ARRAY_LENGTH(functions); i++)
        if (strlen(functions[i].name) == length && r->at[length] == '(' &&
            !memcmp(functions[i].name, r->at, length)) {
            r->at += length + 1;
            return read_call(r, i);
        }
    if (!length || !r->name(r->context, r->at, length, &op))
        return false;
    r->at += length;
    return emit(r, op, 0);
}

static bool read_number(struct condition_reader *r)
{
    char *end;
    struct condition_op op = {.kind = CONDITION_NUMBER};
    op.value = (int64_t)strtoull(r->at, &end, 10);
    r->at = end;
    return emit(r, op, 0);
}

static bool read_factor(struct condition_reader *r)
{
    if (isdigit((unsigned char)*r->at))
        return read_number(r);
    if (!accept_token(r, "("))
        return read_name(r);
    return read_sum(r) && accept_token(r, ")");
}

static bool read_term(struct condition_reader *r)
{
    if (!read_factor(r))
        return false;
    for (;;) {
        enum condition_kind kind = accept_token(r, " * ")   ? CONDITION_PRODUCT
                                   : accept_token(r, " / ") ? CONDITION_QUOTIENT
                                                            : CONDITION_NUMBER;
        if (kind == CONDITION_NUMBER)
            return true;
        if (!read_factor(r) || !emit(r, (struct condition_op){.kind = kind}, 2))
            return false;
    }
}

static bool read_sum(struct condition_reader *r)
{
    bool negative = accept_token(r, "-");
    if (r->nesting++ > CONDITION_DEPTH || !read_term(r) ||
        (negative && !emit(r, (struct condition_op){.kind = CONDITION_NEGATIVE}, 1)))
        return false;
    for (;;) {
        enum condition_kind kind = accept_token(r, " + ")   ? CONDITION_SUM
                                   : accept_token(r, " - ") ? CONDITION_DIFFERENCE
                                                            : CONDITION_NUMBER;
        if (kind == CONDITION_NUMBER) {
            r->nesting--;
            return true;
        }
        if (!read_term(r) || !emit(r, (struct condition_op){.kind = kind}, 2))
            return false;
    }
}

bool condition_compile(struct condition *to, struct arena *arena, const char *text,
                       condition_name *name, void *context)
{
    struct condition_reader r = {
        .to = to, .arena = arena, .at = text, .name = name, .context = context};
    *to = (struct condition){0};
    return read_sum(&r) && !*r.at;
}

// Evaluation

static int64_t binary(enum condition_kind kind, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (kind) {
    case CONDITION_SUM: return (int64_t)(x + y);
    case CONDITION_DIFFERENCE: return (int64_t)(x - y);
    case CONDITION_PRODUCT: return (int64_t)(x * y);
    default: return quotient(a, b);
    }
}

int64_t condition_value(const struct condition *condition, condition_read *read, void *context)
{
    int64_t stack[CONDITION_DEPTH + 3];
    uint32_t n = 0;
    for (uint32_t i = 0; i < condition->ops.n; i++) {
        const struct condition_op *op = &condition->ops.v[i];
        switch (op->kind) {
        case CONDITION_NUMBER: stack[n++] = op->value; break;
        case CONDITION_REGISTER:
        case CONDITION_PARAMETER: stack[n++] = read(context, op); break;
        case CONDITION_NEGATIVE: stack[n - 1] = (int64_t)(0 - (uint64_t)stack[n - 1]); break;
        case CONDITION_FUNCTION:
            n -= functions[op->place].arguments;
            stack[n] = functions[op->place].value(&stack[n], functions[op->place].bits);
            n++;
            break;
        default:
            n--;
            stack[n - 1] = binary(op->kind, stack[n - 1], stack[n]);
            break;
        }
    }
    return stack[0];
}

// Values of a warp

uint64_t warp_lane_value(const struct warp *warp, const struct warp_register *reg, uint32_t lane)
{
    union lanes all __attribute__((aligned(64)));
    uint64_t value = 0;
    warp_read_registers(warp, reg, 1, (uint8_t *)&all);
    if (reg->bytes < LANES)
        return all.mask >> lane & 1;
    memcpy(&value, (const uint8_t *)&all + lane * (reg->bytes / LANES), reg->bytes / LANES);
    return value;
}

struct condition_lane {
    const struct warp *warp;
    const struct tom_block *block;
    uint32_t lane;
};

static int64_t read_operand(void *context, const struct condition_op *op)
{
    const struct condition_lane *at = context;
    uint64_t value = 0;
    if (op->kind == CONDITION_REGISTER)
        value = warp_lane_value(at->warp, &at->block->registers.v[op->place], at->lane);
    else
        memcpy(&value, at->warp->cta->launch->params + op->place, op->bits / 8);
    return op->bits == 1 ? (int64_t)(value & 1)
                         : (int64_t)(value << (64 - op->bits)) >> (64 - op->bits);
}

int64_t block_iterations(const struct tom_block *block, const struct warp *warp, uint32_t mask,
                         enum tom_lane which)
{
    int64_t found = 0;
    bool first = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        struct condition_lane at = {warp, block, (uint32_t)__builtin_ctz(rest)};
        int64_t value = condition_value(&block->condition, read_operand, &at);
        bool takes = which == TOM_LANE_MAX   ? value > found
                     : which == TOM_LANE_MIN ? value < found
                                             : false;
        if (first || takes)
            found = value;
        first = false;
    }
    return found;
}
