// Constant expressions by the rules of PTX: 64 bits, signed unless an operand is unsigned [PTX ISA
// 4.5]. They cannot contain a number 0f…. An expression that ptxas rejects becomes NODE_EXPR or
// stays NODE_LIST, which the checks reject.
#include "frontend/parser.h"
#include "frontend/ptx.tab.h"
#include <string.h>

#define NODE(index) (p->tree->nodes.v[index])

static bool is_float(const struct node *node)
{
    return node->kind == NODE_FLOAT32 || node->kind == NODE_FLOAT64;
}

static bool is_constant(const struct node *node)
{
    return node->kind == NODE_INT || is_float(node) || node->kind == NODE_ERROR;
}

uint32_t parser_unwrap(struct parser *p, uint32_t index)
{
    struct node *node = &NODE(index);
    if (node->kind != NODE_LIST || node->size != 2 || !is_constant(&node[1]))
        return 0;
    node[1].begin = node->begin;
    node[1].end = node->end;
    memmove(node, node + 1, (p->tree->nodes.n - index - 1) * sizeof *node);
    p->tree->nodes.n--;
    return 1;
}

void parser_operand(struct parser *p, uint32_t node)
{
    const struct node *parent = &NODE(p->open.v[p->open.n - 1]);
    if (parent->kind != NODE_INSTR || parent->aux != OP_call)
        parser_unwrap(p, node);
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
        if (kind == '!' || kind == '~') // '!' gives a signed result, '~' an unsigned one
            node->flags = kind == '~' ? NODE_UNSIGNED : 0;
        node->begin = op->begin;
        return operand;
    }
    if (node->kind == NODE_FLOAT64 && (kind == '-' || kind == '+')) {
        if (kind == '-')
            node->value ^= UINT64_C(1) << 63;
        node->begin = op->begin;
        return operand;
    }
    enum node_kind wrapped = kind == '!' ? NODE_NOT : kind == '-' ? NODE_NEGATE : NODE_EXPR;
    return parser_wrap(p, wrapped, operand, op->begin, NODE(operand).end);
}

// Returns true if the operator is defined on these values. Sets *result and whether it is unsigned.
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
        if (!b)
            return false;
        if (is_unsigned)
            *result = a / b;
        else // the only signed division that overflows wraps
            *result = sb == -1 ? -a : (uint64_t)(sa / sb);
        return true;
    case '%': // always unsigned
        *result_unsigned = true;
        *result = b ? a % b : 0;
        return b != 0;
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

// The result has the type of the left operand [PTX ISA 4.5.6]. As in ptxas, the count is taken
// modulo 64.
static uint64_t shift(int kind, uint64_t a, uint64_t count, bool is_unsigned)
{
    count &= 63;
    if (kind == T_SHL)
        return a << count;
    return is_unsigned ? a >> count : (uint64_t)((int64_t)a >> count);
}

static void report_division(struct parser *p, const struct token *op)
{
    diag_add(p->diags, DIAG_ERROR, "literal", op->begin, op->end, "division by zero");
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
        report_division(p, op);
    left->flags = is_unsigned ? NODE_UNSIGNED : 0;
}

static bool set_truth(struct node *node, bool value)
{
    node->kind = NODE_INT;
    node->flags = 0;
    node->value = value;
    return true;
}

static bool fold_floats(struct parser *p, struct node *left, int kind, const struct token *op,
                        const struct node *right)
{
    double a = as_double(left), b = as_double(right);
    switch (kind) {
    case '<': return set_truth(left, a < b);
    case '>': return set_truth(left, a > b);
    case T_LE: return set_truth(left, a <= b);
    case T_GE: return set_truth(left, a >= b);
    case T_EQ: return set_truth(left, a == b);
    case T_NE: return set_truth(left, a != b);
    case '+': set_double(left, a + b); return true;
    case '-': set_double(left, a - b); return true;
    case '*': set_double(left, a * b); return true;
    case '/':
        if (b == 0)
            report_division(p, op);
        set_double(left, a / b);
        return true;
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
    else if (a->kind != NODE_FLOAT64 || b->kind != NODE_FLOAT64 || !fold_floats(p, a, kind, op, b))
        return false;
    a->end = end;
    p->tree->nodes.n = left + 1;
    p->last_end = end;
    return true;
}

static bool is_place(const struct node *node)
{
    return node->kind == NODE_NAME || node->kind == NODE_MEMBER;
}

// Folds a + 4 * 2 - 1 without precedence: everything after the name is one constant.
static bool fold_offset(struct parser *p, uint32_t left, int kind, const struct token *op,
                        uint32_t right)
{
    if (NODE(left).kind != NODE_OFFSET || NODE(right).kind != NODE_INT)
        return false;
    fold_constants(p, right - 1, kind, op, right);
    NODE(left).end = p->last_end;
    return true;
}

uint32_t parser_binary(struct parser *p, uint32_t left, int kind, const struct token *op,
                       uint32_t right)
{
    parser_unwrap(p, right);
    right -= parser_unwrap(p, left);
    if (fold_constants(p, left, kind, op, right) || fold_offset(p, left, kind, op, right))
        return left;
    const struct node *first = &NODE(left), *second = &NODE(right);
    uint32_t begin = first->begin, end = second->end;
    bool offset =
        kind == '+' && (is_place(first) || first->kind == NODE_APPLY) && second->kind == NODE_INT;
    bool pair = kind == '|' && (is_place(first) || first->kind == NODE_VECTOR) && is_place(second);
    return parser_wrap(p, offset ? NODE_OFFSET : pair ? NODE_PAIR : NODE_EXPR, left, begin, end);
}

// Replaces the condition, which ends where `yes` begins, by one of the two operands.
static void choose(struct parser *p, uint32_t condition, uint32_t yes, uint32_t no)
{
    uint32_t end = NODE(no).end, begin = NODE(condition).begin;
    struct node chosen = NODE(condition).value ? NODE(yes) : NODE(no);
    chosen.begin = begin;
    chosen.end = end;
    NODE(condition) = chosen;
    p->tree->nodes.n = condition + 1;
    p->last_end = end;
}

uint32_t parser_choice(struct parser *p, uint32_t condition, uint32_t yes, uint32_t no)
{
    parser_unwrap(p, no);
    no -= parser_unwrap(p, yes);
    uint32_t gone = parser_unwrap(p, condition);
    yes -= gone;
    no -= gone;
    bool offset = NODE(condition).kind == NODE_OFFSET;
    uint32_t number = offset ? yes - 1 : condition;
    if (NODE(number).kind != NODE_INT || NODE(yes).kind != NODE_INT || NODE(no).kind != NODE_INT)
        return parser_wrap(p, NODE_EXPR, condition, NODE(condition).begin, NODE(no).end);
    choose(p, number, yes, no);
    NODE(condition).end = p->last_end;
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
