// Constant expressions by PTX's rules: 64 bits, signed unless a side is unsigned [PTX ISA 4.5].
#include "frontend/parser.h"
#include "frontend/ptx.tab.h"
#include <string.h>

#define NODE(index) (p->tree->nodes.v[index])

static bool is_float(const struct node *node)
{
    return node->kind == NODE_FLOAT32 || node->kind == NODE_FLOAT64;
}

void parser_unwrap(struct parser *p, uint32_t index)
{
    for (;;) {
        struct node *node = &NODE(index);
        if (node->kind != NODE_LIST || node->size < 2 || node[1].size != node->size - 1)
            return;
        uint32_t begin = node->begin, end = node->end;
        memmove(node, node + 1, (p->tree->nodes.n - index - 1) * sizeof *node);
        p->tree->nodes.n--;
        node->begin = begin;
        node->end = end;
    }
}

bool parser_check_index(struct parser *p, const struct token *bracket, uint32_t index)
{
    if (NODE(index).kind == NODE_INT || NODE(index).kind == NODE_ERROR)
        return true;
    diag_add(p->diags, DIAG_ERROR, "syntax", bracket->begin, bracket->end,
             "unexpected '[': only a constant can index an array; is a comma missing?");
    return false;
}

static double as_double(const struct node *node)
{
    double value;
    if (node->kind == NODE_FLOAT32) {
        uint32_t bits = (uint32_t)node->value;
        float single;
        memcpy(&single, &bits, sizeof single);
        return (double)single;
    }
    memcpy(&value, &node->value, sizeof value);
    return value;
}

static void set_double(struct node *node, double value)
{
    node->kind = NODE_FLOAT64;
    memcpy(&node->value, &value, sizeof value);
}

uint32_t parser_unary(struct parser *p, const struct token *op, int kind, uint32_t operand)
{
    parser_unwrap(p, operand);
    struct node *node = &NODE(operand);
    if (node->kind == NODE_INT) {
        node->value = kind == '-'   ? -node->value
                      : kind == '~' ? ~node->value
                      : kind == '!' ? !node->value
                                    : node->value;
        if (kind == '!')
            node->flags = 0;
        node->begin = op->begin;
        return operand;
    }
    if (is_float(node) && (kind == '-' || kind == '+')) {
        if (kind == '-')
            node->value ^= node->kind == NODE_FLOAT32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
        node->begin = op->begin;
        return operand;
    }
    enum node_kind wrapped = kind == '!' ? NODE_NOT : kind == '-' ? NODE_NEGATE : NODE_EXPR;
    return parser_wrap(p, wrapped, operand, op->begin, NODE(operand).end);
}

// True if the operator is defined on these values; sets *result and whether it is unsigned.
static bool fold(int kind, uint64_t a, uint64_t b, bool is_unsigned, uint64_t *result,
                 bool *result_unsigned)
{
    int64_t sa = (int64_t)a, sb = (int64_t)b;
    *result_unsigned = is_unsigned;
    switch (kind) {
    case '+': *result = a + b; return true;
    case '-': *result = a - b; return true;
    case '*': *result = a * b; return true;
    case '/':
    case '%':
        if (!b)
            return false;
        if (is_unsigned)
            *result = kind == '/' ? a / b : a % b;
        else if (sb == -1) // the one signed division that overflows wraps
            *result = kind == '/' ? -a : 0;
        else
            *result = (uint64_t)(kind == '/' ? sa / sb : sa % sb);
        return true;
    case '&': *result = a & b; return true;
    case '^': *result = a ^ b; return true;
    case '|': *result = a | b; return true;
    default: break;
    }
    *result_unsigned = false;
    switch (kind) {
    case '<': *result = is_unsigned ? a < b : sa < sb; return true;
    case '>': *result = is_unsigned ? a > b : sa > sb; return true;
    case T_LE: *result = is_unsigned ? a <= b : sa <= sb; return true;
    case T_GE: *result = is_unsigned ? a >= b : sa >= sb; return true;
    case T_EQ: *result = a == b; return true;
    case T_NE: *result = a != b; return true;
    case T_AND: *result = a && b; return true;
    case T_OR: *result = a || b; return true;
    default: return false;
    }
}

// The shift's type is its left side's [PTX ISA 4.5.6]; bits shifted out are gone.
static uint64_t shift(int kind, uint64_t a, uint64_t count, bool is_unsigned)
{
    if (kind == T_SHL)
        return count > 63 ? 0 : a << count;
    if (is_unsigned)
        return count > 63 ? 0 : a >> count;
    return (uint64_t)((int64_t)a >> (count > 63 ? 63 : count));
}

static void fold_ints(struct parser *p, struct node *left, int kind, const struct token *op,
                      const struct node *right)
{
    bool left_unsigned = left->flags & NODE_UNSIGNED;
    bool is_unsigned = left_unsigned || (right->flags & NODE_UNSIGNED);
    if (kind == T_SHL || kind == T_SHR) {
        left->value = shift(kind, left->value, right->value, left_unsigned);
        return;
    }
    if (!fold(kind, left->value, right->value, is_unsigned, &left->value, &is_unsigned))
        diag_add(p->diags, DIAG_ERROR, "literal", op->begin, op->end, "division by zero");
    left->flags = is_unsigned ? NODE_UNSIGNED : 0;
}

static bool fold_floats(struct node *left, int kind, const struct node *right)
{
    double a = as_double(left), b = as_double(right);
    switch (kind) {
    case '+': set_double(left, a + b); return true;
    case '-': set_double(left, a - b); return true;
    case '*': set_double(left, a * b); return true;
    case '/': set_double(left, a / b); return true;
    default: return false;
    }
}

static bool fold_constants(struct parser *p, uint32_t left, int kind, const struct token *op,
                           uint32_t right)
{
    struct node *a = &NODE(left), *b = &NODE(right);
    uint32_t end = b->end;
    if (a->kind == NODE_INT && b->kind == NODE_INT)
        fold_ints(p, a, kind, op, b);
    else if (!is_float(a) || !is_float(b) || !fold_floats(a, kind, b))
        return false;
    a->end = end;
    p->tree->nodes.n = left + 1;
    p->last_end = end;
    return true;
}

static bool is_place(const struct node *node)
{
    return node->kind == NODE_NAME || node->kind == NODE_MEMBER || node->kind == NODE_OFFSET;
}

uint32_t parser_binary(struct parser *p, uint32_t left, int kind, const struct token *op,
                       uint32_t right)
{
    parser_unwrap(p, right);
    if (NODE(left).kind == NODE_LIST && NODE(left).size > 1) {
        uint32_t before = p->tree->nodes.n;
        parser_unwrap(p, left);
        right -= before - p->tree->nodes.n;
    }
    if (fold_constants(p, left, kind, op, right))
        return left;
    uint32_t begin = NODE(left).begin, end = NODE(right).end;
    bool offset =
        (kind == '+' || kind == '-') && is_place(&NODE(left)) && NODE(right).kind == NODE_INT;
    if (offset && kind == '-')
        NODE(right).value = -NODE(right).value;
    if (offset && NODE(left).kind == NODE_OFFSET) { // a + 4 + 4
        NODE(right - 1).value += NODE(right).value;
        NODE(right - 1).end = NODE(left).end = p->last_end = end;
        p->tree->nodes.n = right;
        return left;
    }
    bool pair = kind == '|' && (is_place(&NODE(left)) || NODE(left).kind == NODE_VECTOR) &&
                is_place(&NODE(right));
    return parser_wrap(p, offset ? NODE_OFFSET : pair ? NODE_PAIR : NODE_EXPR, left, begin, end);
}

uint32_t parser_choice(struct parser *p, uint32_t condition, uint32_t yes, uint32_t no)
{
    uint32_t end = NODE(no).end, begin = NODE(condition).begin;
    if (NODE(condition).kind != NODE_INT || NODE(yes).kind != NODE_INT || NODE(no).kind != NODE_INT)
        return parser_wrap(p, NODE_EXPR, condition, begin, end);
    struct node chosen = NODE(condition).value ? NODE(yes) : NODE(no);
    chosen.begin = begin;
    chosen.end = end;
    NODE(condition) = chosen;
    p->tree->nodes.n = condition + 1;
    p->last_end = end;
    return condition;
}

uint32_t parser_cast(struct parser *p, const struct token *open, const struct token *type,
                     uint32_t operand)
{
    parser_unwrap(p, operand);
    struct node *node = &NODE(operand);
    uint32_t word = (uint32_t)type->value - OP_COUNT;
    if (node->kind != NODE_INT || (word != W_s64 && word != W_u64))
        return parser_wrap(p, NODE_EXPR, operand, open->begin, node->end);
    node->flags = word == W_u64 ? NODE_UNSIGNED : 0;
    node->begin = open->begin;
    return operand;
}
