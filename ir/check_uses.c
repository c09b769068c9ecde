// Checks the symbols of an instruction that fits its form: variables against the state space of the
// access, calls against the function's declaration.
#include "ir/check_internal.h"
#include <string.h>

static const struct node *node_at(const struct ir_check *c, uint32_t node)
{
    return &c->tree->nodes.v[node];
}

static void refuse(struct ir_check *c, const char *id, uint32_t node, const char *why)
{
    const struct node *at = node_at(c, node);
    diag_add(c->diags, DIAG_ERROR, id, at->begin, at->end, "'%.*s' %s", (int)(at->end - at->begin),
             c->tree->source->text + at->begin, why);
}

// Accesses

// Returns the space without the part that names its owner.
static uint16_t whole_space(uint16_t space)
{
    switch (space) {
    case W_shared_cta:
    case W_shared_cluster: return W_shared;
    case W_param_entry:
    case W_param_func: return W_param;
    default: return space;
    }
}

static bool accesses_one_space(uint16_t op)
{
    return op == OP_ld || op == OP_ldu || op == OP_st || op == OP_atom || op == OP_red ||
           op == OP_prefetch;
}

// Registers outside of functions, which old modules have, are symbols too.
static bool agrees(uint16_t access, uint16_t variable)
{
    if (variable == W_reg || variable >= WORD_COUNT)
        return true;
    if (variable == W_func)
        return false;
    return access == W_UNKNOWN ? variable != W_param : whole_space(access) == whole_space(variable);
}

static void check_space(struct ir_check *c)
{
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        if (operand->role != ROLE_ADDRESS || operand->kind != OPERAND_SYMBOL)
            continue;
        uint16_t variable = c->module->symbols.v[operand->index].space;
        if (agrees(c->inst->space, variable))
            continue;
        const char *lies = variable == W_func
                               ? "is a function"
                               : arena_printf(&c->scratch, "lies in %s", isa_words[variable].text);
        const char *access = c->inst->space < WORD_COUNT ? isa_words[c->inst->space].text
                                                         : "an access without a state space";
        refuse(c, "operand-type", operand->node,
               arena_printf(&c->scratch, "%s, not in %s", lies, access));
    }
}

// Calls

static uint32_t find_child(const struct ir_check *c, uint32_t parent, uint8_t kind)
{
    NODE_EACH (child, c->tree, parent)
        if (node_at(c, child)->kind == kind)
            return child;
    return IR_NONE;
}

static uint32_t count_children(const struct ir_check *c, uint32_t list)
{
    uint32_t count = 0;
    if (list != IR_NONE)
        NODE_EACH (child, c->tree, list)
            count++;
    return count;
}

// A last parameter of open length, which may be missing: .b8 a[]
static bool is_open(const struct ir_check *c, uint32_t decl)
{
    uint32_t declarator = find_child(c, decl, NODE_DECLARATOR);
    uint32_t length = declarator == IR_NONE ? IR_NONE : find_child(c, declarator, NODE_DIMENSION);
    return length != IR_NONE && node_at(c, length)->size < 2;
}

struct arity {
    uint32_t least, most;
    bool known; // false where a part could not be read
};

static struct arity read_arity(const struct ir_check *c, uint32_t list)
{
    struct arity arity = {0, 0, true};
    if (list == IR_NONE)
        return arity;
    bool open = false;
    NODE_EACH (child, c->tree, list) {
        arity.known &= node_at(c, child)->kind == NODE_DECL;
        open = arity.known && is_open(c, child);
        arity.most++;
    }
    arity.least = arity.most - open;
    return arity;
}

static void check_arity(struct ir_check *c, uint32_t declaration, uint8_t kind, uint32_t given,
                        const char *what)
{
    struct arity arity = read_arity(c, find_child(c, declaration, kind));
    uint32_t count = count_children(c, given);
    if (!arity.known || (count >= arity.least && count <= arity.most))
        return;
    const struct node *at = node_at(c, given == IR_NONE ? c->inst->node : given);
    const struct node *there = node_at(c, declaration);
    uint32_t stop = find_child(c, declaration, NODE_SCOPE);
    diag_add(c->diags, DIAG_ERROR, "operands", at->begin, at->end,
             "the function has %u %s%s, here %s %u", arity.most, what, arity.most == 1 ? "" : "s",
             count == 1 ? "is" : "are", count);
    diag_add(c->diags, DIAG_NOTE, "operands", there->begin,
             stop == IR_NONE ? there->end : node_at(c, stop)->begin, "it is declared here");
}

struct call_check {
    uint32_t results, function, arguments, prototype; // nodes or IR_NONE
};

static struct call_check read_call(const struct ir_check *c)
{
    struct call_check call = {IR_NONE, IR_NONE, IR_NONE, IR_NONE};
    NODE_EACH (child, c->tree, c->inst->node) {
        uint8_t kind = node_at(c, child)->kind;
        if (kind == NODE_LIST)
            *(call.function == IR_NONE ? &call.results : &call.arguments) = child;
        else if (kind == NODE_NAME)
            *(call.function == IR_NONE ? &call.function : &call.prototype) = child;
    }
    return call;
}

// Notes the labels of the function's prototypes by name: the prototype, or the function itself
// where several scopes have such a label.
static void find_prototypes(struct ir_check *c)
{
    uint32_t end = node_next(c->tree, c->fn->node), names = c->tree->names.names.n;
    for (uint32_t i = 0; i < c->labels.n; i++)
        c->prototypes.v[c->labels.v[i]] = 0;
    c->labels.n = 0;
    vec_reserve(&c->scratch, &c->prototypes, names);
    if (names > c->prototypes.n)
        memset(c->prototypes.v + c->prototypes.n, 0,
               (names - c->prototypes.n) * sizeof *c->prototypes.v);
    c->prototypes.n = names;
    c->prototypes_of = c->fn;
    for (uint32_t i = c->fn->node; i + 1 < end; i++) {
        uint32_t behind = node_next(c->tree, i);
        if (node_at(c, i)->kind != NODE_LABEL || behind >= end ||
            node_at(c, behind)->kind != NODE_DIRECTIVE ||
            node_at(c, behind)->aux != W_callprototype)
            continue;
        uint32_t name = (uint32_t)node_at(c, i)->value, *known = &c->prototypes.v[name];
        *known = *known ? c->fn->node : behind;
        vec_push(&c->scratch, &c->labels, name);
    }
}

// The .callprototype that a label names, or IR_NONE.
static uint32_t find_prototype(struct ir_check *c, uint32_t label)
{
    if (c->prototypes_of != c->fn)
        find_prototypes(c);
    uint32_t found = c->prototypes.v[node_at(c, label)->value];
    return found > c->fn->node ? found : IR_NONE;
}

static const struct ir_operand *find_operand(const struct ir_check *c, uint32_t node)
{
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        if (operand->node == node)
            return operand;
    }
    return NULL;
}

static const struct ir_symbol *find_callee(const struct ir_check *c, const struct call_check *call)
{
    const struct ir_operand *operand = find_operand(c, call->function);
    return operand && operand->kind == OPERAND_SYMBOL ? &c->module->symbols.v[operand->index]
                                                      : NULL;
}

// Returns true for a value that a call may pass or return: a register, a .param variable of the
// body, a constant for an argument, the sink for a result.
static bool may_pass(const struct ir_check *c, uint32_t node, bool is_result)
{
    switch (node_at(c, node)->kind) {
    case NODE_INT:
    case NODE_FLOAT32:
    case NODE_FLOAT64:
    case NODE_ERROR: return !is_result;
    case NODE_NAME: break;
    default: return false;
    }
    const struct ir_operand *operand = find_operand(c, node);
    if (!operand || operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_UNKNOWN)
        return true;
    if (operand->kind == OPERAND_SINK)
        return is_result;
    if (operand->kind != OPERAND_SYMBOL)
        return false;
    const struct ir_symbol *symbol = &c->module->symbols.v[operand->index];
    return symbol->space == W_param && symbol->parameter == IR_NONE;
}

static void check_passed(struct ir_check *c, uint32_t list, bool is_result)
{
    if (list == IR_NONE)
        return;
    NODE_EACH (child, c->tree, list)
        if (!may_pass(c, child, is_result))
            refuse(c, "operand-type", child,
                   is_result ? "must be a register or a .param variable of the body"
                             : "must be a register, a number or a .param variable of the body");
}

static void check_call(struct ir_check *c)
{
    struct call_check call = read_call(c);
    if (call.function == IR_NONE)
        return;
    check_passed(c, call.results, true);
    check_passed(c, call.arguments, false);
    const struct ir_symbol *callee = find_callee(c, &call);
    uint32_t declaration = IR_NONE;
    if (callee && callee->space == W_func)
        declaration = callee->node;
    else if (call.prototype != IR_NONE)
        declaration = find_prototype(c, call.prototype);
    if (declaration == IR_NONE)
        return;
    if (node_at(c, declaration)->kind == NODE_FUNCTION && node_at(c, declaration)->aux == W_entry) {
        refuse(c, "operand-type", call.function, "is a kernel, which cannot be called");
        return;
    }
    check_arity(c, declaration, NODE_RETURNS, call.results, "result");
    check_arity(c, declaration, NODE_PARAMS, call.arguments, "parameter");
}

void check_uses(struct ir_check *c)
{
    if (c->inst->op == OP_call)
        check_call(c);
    else if (accesses_one_space(c->inst->op))
        check_space(c);
}
