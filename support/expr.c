#include "support/expr.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum op {
    OP_NUMBER,
    OP_REF,     // a number by name
    OP_ELEMENT, // buffer[a]
    OP_ADDRESS, // buffer, &buffer[a]
    OP_NEGATE,
    OP_NOT,
    OP_MIN,
    OP_MAX,
    OP_CHOOSE, // a ? b : c
    OP_BINARY, // first operator of the table; the others follow
};

enum { NO_NODE = UINT32_MAX, DEEPEST = 64, MAX_NODES = 1000 };

// Binary operators, as in C. Longer spellings precede their prefixes.
enum binary { MUL, DIV, REM, ADD, SUB, SHL, SHR, LE, GE, LT, GT, EQ, NE, AND, OR };
static const struct {
    const char *text;
    uint8_t binding;
} binaries[] = {
    [MUL] = {"*", 7},  [DIV] = {"/", 7},  [REM] = {"%", 7}, [ADD] = {"+", 6},  [SUB] = {"-", 6},
    [SHL] = {"<<", 5}, [SHR] = {">>", 5}, [LE] = {"<=", 4}, [GE] = {">=", 4},  [LT] = {"<", 4},
    [GT] = {">", 4},   [EQ] = {"==", 3},  [NE] = {"!=", 3}, [AND] = {"&&", 2}, [OR] = {"||", 1},
};
enum { BINARIES = ARRAY_LENGTH(binaries) };

struct expr_parser {
    struct arena *arena;
    const char *text; // NUL-terminated
    uint32_t at, depth;
    const struct expr_names *names;
    struct expr *expr;
    struct expr_fault *fault;
};

static uint32_t fail(struct expr_parser *p, uint32_t begin, uint32_t end, const char *text)
{
    if (!p->fault->text)
        *p->fault = (struct expr_fault){text, begin, end};
    return NO_NODE;
}

static void skip_blanks(struct expr_parser *p)
{
    p->at += (uint32_t)strspn(p->text + p->at, " \t\r\n");
}

static bool accept_token(struct expr_parser *p, const char *token)
{
    skip_blanks(p);
    if (strncmp(p->text + p->at, token, strlen(token)))
        return false;
    p->at += (uint32_t)strlen(token);
    return true;
}

// Each level of recursion has at least one node, so this also limits the depth of evaluation.
static uint32_t node(struct expr_parser *p, struct expr_node made)
{
    if (p->expr->nodes.n == MAX_NODES)
        return fail(p, made.begin, p->at, "the expression has more than 1000 parts");
    made.end = p->at;
    vec_push(p->arena, &p->expr->nodes, made);
    return p->expr->nodes.n - 1;
}

static uint32_t expect(struct expr_parser *p, const char *token, uint32_t value)
{
    if (value == NO_NODE || accept_token(p, token))
        return value;
    return fail(p, p->at, p->at + 1, arena_printf(p->arena, "'%s' is missing here", token));
}

static uint32_t parse_above(struct expr_parser *p, uint8_t binding);
static uint32_t parse_whole(struct expr_parser *p);

static uint32_t number(struct expr_parser *p)
{
    const char *from = p->text + p->at;
    size_t digits = strspn(from, "0123456789");
    bool real = !strncmp(from + digits, ".", 1) || (from[digits] && strchr("eE", from[digits]));
    char *end;
    struct expr_node made = {.op = OP_NUMBER, .begin = p->at};
    errno = 0;
    if (real) {
        made.number.kind = NUMBER_REAL;
        made.number.real = strtod(from, &end);
    } else { // a leading 0 does not mean octal
        bool hexadecimal = from[0] == '0' && (from[1] == 'x' || from[1] == 'X');
        made.number.integer = (int64_t)strtoull(from, &end, hexadecimal ? 16 : 10);
        if (errno)
            return fail(p, p->at, p->at + (uint32_t)(end - from),
                        "the number has more than 64 bits");
    }
    p->at += (uint32_t)(end - from);
    return node(p, made);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static uint32_t name_length(const char *text, bool dotted)
{
    uint32_t length = 0;
    while (is_letter(text[length]) || (length && text[length] >= '0' && text[length] <= '9') ||
           (dotted && length && text[length] == '.' && is_letter(text[length + 1])))
        length++;
    return length;
}

static uint32_t call(struct expr_parser *p, uint8_t op, uint32_t begin)
{
    struct expr_node made = {.op = op, .begin = begin};
    made.a = expect(p, ",", parse_whole(p));
    if (made.a == NO_NODE)
        return NO_NODE;
    made.b = expect(p, ")", parse_whole(p));
    return made.b == NO_NODE ? NO_NODE : node(p, made);
}

static uint32_t reference(struct expr_parser *p, uint32_t begin, bool address)
{
    const char *from = p->text + p->at;
    uint32_t length = name_length(from, p->names && p->names->dotted), at = p->at;
    struct expr_node made = {.begin = begin, .a = NO_NODE};
    p->at += length;
    if (!address && length == 3 && !strncmp(from, "min", 3) && accept_token(p, "("))
        return call(p, OP_MIN, begin);
    if (!address && length == 3 && !strncmp(from, "max", 3) && accept_token(p, "("))
        return call(p, OP_MAX, begin);
    if (!p->names || !p->names->find(p->names->context, from, length, &made.ref))
        return fail(p, at, p->at, arena_printf(p->arena, "unknown name '%.*s'", (int)length, from));
    bool element = accept_token(p, "[");
    if (made.ref.kind == REF_NUMBER) {
        if (element || address)
            return fail(p, at, p->at,
                        arena_printf(p->arena, "'%.*s' is not a buffer", (int)length, from));
        made.op = OP_REF;
        return node(p, made);
    }
    made.op = element && !address ? OP_ELEMENT : OP_ADDRESS;
    if (element && (made.a = expect(p, "]", parse_whole(p))) == NO_NODE)
        return NO_NODE;
    return node(p, made);
}

static uint32_t unary(struct expr_parser *p, uint8_t op, uint32_t begin)
{
    struct expr_node made = {.op = op, .begin = begin};
    made.a = parse_above(p, 8);
    return made.a == NO_NODE ? NO_NODE : node(p, made);
}

static uint32_t parse_operand(struct expr_parser *p)
{
    skip_blanks(p);
    uint32_t begin = p->at;
    char c = p->text[begin];
    if (accept_token(p, "("))
        return expect(p, ")", parse_whole(p));
    if (accept_token(p, "-"))
        return unary(p, OP_NEGATE, begin);
    if (accept_token(p, "!"))
        return unary(p, OP_NOT, begin);
    if (accept_token(p, "&")) {
        skip_blanks(p);
        if (is_letter(p->text[p->at]))
            return reference(p, begin, true);
        return fail(p, p->at, p->at + 1, "the name of a buffer is missing here");
    }
    if ((c >= '0' && c <= '9') ||
        (c == '.' && p->text[begin + 1] >= '0' && p->text[begin + 1] <= '9'))
        return number(p);
    if (is_letter(c))
        return reference(p, begin, false);
    return fail(p, begin, begin + 1, c ? "this is not a value" : "a value is missing here");
}

static int find_binary(struct expr_parser *p)
{
    skip_blanks(p);
    for (int i = 0; i < BINARIES; i++)
        if (!strncmp(p->text + p->at, binaries[i].text, strlen(binaries[i].text)) &&
            // The `<` of `<<` is not an operator.
            !((i == LT || i == GT) && p->text[p->at + 1] == p->text[p->at]))
            return i;
    return -1;
}

// Parses operators that bind at least as strongly as `binding`; those of equal precedence are
// left-associative.
static uint32_t parse_above(struct expr_parser *p, uint8_t binding)
{
    if (++p->depth > DEEPEST) {
        return fail(p, p->at, p->at + 1, "the expression is nested too deeply");
    }
    uint32_t left = parse_operand(p);
    for (int op;
         left != NO_NODE && (op = find_binary(p)) >= 0 && binaries[op].binding >= binding;) {
        p->at += (uint32_t)strlen(binaries[op].text);
        struct expr_node made = {
            .op = (uint8_t)(OP_BINARY + op), .begin = p->expr->nodes.v[left].begin, .a = left};
        made.b = parse_above(p, binaries[op].binding + 1);
        left = made.b == NO_NODE ? NO_NODE : node(p, made);
    }
    p->depth--;
    return left;
}

static uint32_t parse_whole(struct expr_parser *p)
{
    uint32_t condition = parse_above(p, 1);
    if (condition == NO_NODE || !accept_token(p, "?"))
        return condition;
    struct expr_node made = {
        .op = OP_CHOOSE, .begin = p->expr->nodes.v[condition].begin, .a = condition};
    made.b = expect(p, ":", parse_whole(p));
    made.c = made.b == NO_NODE ? NO_NODE : parse_whole(p);
    return made.c == NO_NODE ? NO_NODE : node(p, made);
}

struct expr *expr_parse(struct arena *arena, const char *text, size_t length,
                        const struct expr_names *names, struct expr_fault *fault)
{
    struct expr_parser p = {
        .arena = arena,
        .text = arena_strndup(arena, text, length),
        .names = names,
        .expr = ARENA_NEW(arena, struct expr),
        .fault = fault,
    };
    *fault = (struct expr_fault){0};
    // Each node needs at least one character. Exact sizes matter because run files have thousands
    // of short expressions.
    vec_fix(arena, &p.expr->nodes, length < 8 ? length + !length : 8);
    p.expr->root = parse_whole(&p);
    skip_blanks(&p);
    if (p.expr->root != NO_NODE && p.text[p.at])
        p.expr->root = fail(&p, p.at, (uint32_t)length, "unexpected text after the expression");
    return p.expr->root == NO_NODE ? NULL : p.expr;
}

// Evaluation

struct expr_evaluation {
    const struct expr *expr;
    const struct expr_names *names;
    struct expr_fault *fault;
};

static bool wrong(const struct expr_evaluation *e, const struct expr_node *at, const char *text)
{
    *e->fault = (struct expr_fault){text, at->begin, at->end};
    return false;
}

static struct host_number of_integer(int64_t value)
{
    return (struct host_number){.kind = NUMBER_INTEGER, .integer = value};
}

static struct host_number of_real(double value)
{
    return (struct host_number){.kind = NUMBER_REAL, .real = value};
}

static bool is_true(const struct host_number *number)
{
    return number->kind == NUMBER_REAL ? number->real != 0 : number->integer != 0;
}

static bool compare(int op, double a, double b)
{
    switch (op) {
    case LT: return a < b;
    case LE: return a <= b;
    case GT: return a > b;
    case GE: return a >= b;
    case EQ: return a == b;
    default: return a != b;
    }
}

static const char *of_reals(int op, double a, double b, struct host_number *to)
{
    switch (op) {
    case MUL: *to = of_real(a * b); return NULL;
    case DIV: *to = of_real(a / b); return NULL;
    case REM: *to = of_real(fmod(a, b)); return NULL;
    case ADD: *to = of_real(a + b); return NULL;
    case SUB: *to = of_real(a - b); return NULL;
    case SHL:
    case SHR: return "only integers can be shifted";
    default: *to = of_integer(compare(op, a, b)); return NULL;
    }
}

static const char *of_integers(int op, int64_t a, int64_t b, struct host_number *to)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    int64_t result;
    bool wraps;
    switch (op) {
    case MUL: wraps = __builtin_mul_overflow(a, b, &result); break;
    case ADD: wraps = __builtin_add_overflow(a, b, &result); break;
    case SUB: wraps = __builtin_sub_overflow(a, b, &result); break;
    case DIV:
    case REM:
        if (!b)
            return "division by zero";
        if (b == -1)
            *to = of_integer(op == DIV ? (int64_t)-x : 0);
        else
            *to = of_integer(op == DIV ? a / b : a % b);
        return NULL;
    case SHL:
        result = y < 64 ? (int64_t)(x << y) : 0;
        wraps = (y < 64 ? result >> y : 0) != a;
        break;
    case SHR: *to = of_integer(a >> (y < 63 ? y : 63)); return NULL;
    case LT: *to = of_integer(a < b); return NULL;
    case LE: *to = of_integer(a <= b); return NULL;
    case GT: *to = of_integer(a > b); return NULL;
    case GE: *to = of_integer(a >= b); return NULL;
    case EQ: *to = of_integer(a == b); return NULL;
    default: *to = of_integer(a != b); return NULL;
    }
    *to = of_integer(result);
    to->wrapped = wraps;
    return NULL;
}

static bool evaluate(const struct expr_evaluation *e, uint32_t id, struct host_number *to);

// Returns why this value cannot be an operand, or NULL.
static const char *no_operand(const struct host_number *number)
{
    if (number->kind == NUMBER_ADDRESS)
        return "a buffer's name alone is its address: write buffer[0] for its element";
    if (number->kind == NUMBER_HANDLE)
        return "a texture's name is its handle, which cannot be an operand";
    return NULL;
}

static bool evaluate_binary(const struct expr_evaluation *e, const struct expr_node *at,
                            struct host_number *to)
{
    int op = at->op - OP_BINARY;
    struct host_number a, b;
    if (!evaluate(e, at->a, &a))
        return false;
    if (op == AND || op == OR) {
        *to = of_integer(is_true(&a));
        if (is_true(&a) == (op == OR))
            return true;
        if (!evaluate(e, at->b, &b))
            return false;
        *to = of_integer(is_true(&b));
        return true;
    }
    if (!evaluate(e, at->b, &b))
        return false;
    const char *error = no_operand(number_is_reference(&a) ? &a : &b);
    if (error)
        return wrong(e, at, error);
    error = a.kind == NUMBER_REAL || b.kind == NUMBER_REAL
                ? of_reals(op, number_real(&a), number_real(&b), to)
                : of_integers(op, a.integer, b.integer, to);
    if (error)
        return wrong(e, at, error);
    to->wrapped |= a.wrapped || b.wrapped;
    return true;
}

static bool evaluate_element(const struct expr_evaluation *e, const struct expr_node *at,
                             struct host_number *to)
{
    struct host_number index = of_integer(0);
    int64_t element;
    if (at->a != NO_NODE && !evaluate(e, at->a, &index))
        return false;
    if (!number_integer(&index, &element))
        return wrong(e, at, "the index is not an integer");
    const char *error = at->op == OP_ADDRESS
                            ? e->names->address(e->names->context, at->ref.index, element, to)
                            : e->names->load(e->names->context, at->ref, element, to);
    return error ? wrong(e, at, error) : true;
}

static bool evaluate_min(const struct expr_evaluation *e, const struct expr_node *at,
                         struct host_number *to)
{
    struct host_number b;
    if (!evaluate(e, at->a, to) || !evaluate(e, at->b, &b))
        return false;
    const char *error = no_operand(number_is_reference(to) ? to : &b);
    if (error)
        return wrong(e, at, error);
    bool less = to->kind == NUMBER_REAL || b.kind == NUMBER_REAL ? number_real(&b) < number_real(to)
                                                                 : b.integer < to->integer;
    if (less == (at->op == OP_MIN))
        *to = b;
    return true;
}

static bool evaluate_negated(const struct expr_evaluation *e, const struct expr_node *at,
                             struct host_number *to)
{
    if (!evaluate(e, at->a, to))
        return false;
    const char *error = no_operand(to);
    if (error)
        return wrong(e, at, error);
    if (at->op == OP_NOT)
        *to = of_integer(!is_true(to));
    else if (to->kind == NUMBER_REAL)
        to->real = -to->real;
    else
        to->integer = (int64_t) - (uint64_t)to->integer;
    return true;
}

static bool evaluate(const struct expr_evaluation *e, uint32_t id, struct host_number *to)
{
    const struct expr_node *at = &e->expr->nodes.v[id];
    const char *error;
    switch (at->op) {
    case OP_NUMBER: *to = at->number; return true;
    case OP_REF:
        error = e->names->load(e->names->context, at->ref, 0, to);
        return error ? wrong(e, at, error) : true;
    case OP_ELEMENT:
    case OP_ADDRESS: return evaluate_element(e, at, to);
    case OP_NEGATE:
    case OP_NOT: return evaluate_negated(e, at, to);
    case OP_MIN:
    case OP_MAX: return evaluate_min(e, at, to);
    case OP_CHOOSE: return evaluate(e, at->a, to) && evaluate(e, is_true(to) ? at->b : at->c, to);
    default: return evaluate_binary(e, at, to);
    }
}

void expr_visit_numbers(const struct expr *expr, void *context,
                        void (*visit)(void *context, struct expr_ref ref))
{
    for (uint32_t i = 0; i < expr->nodes.n; i++)
        if (expr->nodes.v[i].op == OP_REF)
            visit(context, expr->nodes.v[i].ref);
}

bool expr_evaluate(const struct expr *expr, const struct expr_names *names,
                   struct host_number *number, struct expr_fault *fault)
{
    struct expr_evaluation e = {expr, names, fault};
    return evaluate(&e, expr->root, number);
}
