// Checks calls against their target: the function's declaration, or the prototype or list of
// functions of an indirect call.
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

// Returns true for a parameter of open length, which may be missing in a call: .b8 a[]
static bool is_open(const struct ir_check *c, uint32_t decl)
{
    uint32_t declarator = find_child(c, decl, NODE_DECLARATOR);
    uint32_t length = declarator == IR_NONE ? IR_NONE : find_child(c, declarator, NODE_DIMENSION);
    return length != IR_NONE && node_at(c, length)->size < 2;
}

struct arity {
    uint32_t min, max;
    bool known; // false if a part could not be read
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
        arity.max++;
    }
    arity.min = arity.max - open;
    return arity;
}

static void check_arity(struct ir_check *c, uint32_t declaration, uint8_t kind, uint32_t given,
                        const char *what)
{
    struct arity arity = read_arity(c, find_child(c, declaration, kind));
    uint32_t count = count_children(c, given);
    if (!arity.known || (count >= arity.min && count <= arity.max))
        return;
    const struct node *at = node_at(c, given == IR_NONE ? c->inst->node : given);
    const struct node *there = node_at(c, declaration);
    uint32_t stop = find_child(c, declaration, NODE_SCOPE);
    diag_add(c->diags, DIAG_ERROR, "operands", at->begin, at->end,
             "the function has %u %s%s, here %s %u", arity.max, what, arity.max == 1 ? "" : "s",
             count == 1 ? "is" : "are", count);
    diag_add(c->diags, DIAG_NOTE, "operands", there->begin,
             stop == IR_NONE ? there->end : node_at(c, stop)->begin, "it is declared here");
}

struct call_check {
    uint32_t results, function, arguments, prototype; // nodes, or IR_NONE
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

static bool names_callees(const struct node *node)
{
    return node->kind == NODE_DIRECTIVE &&
           (node->aux == W_callprototype || node->aux == W_calltargets);
}

// Records the labels of the function's prototypes and lists by name: the node of the directive, or
// that of the function if several scopes have such a label.
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
            !names_callees(node_at(c, behind)))
            continue;
        uint32_t name = (uint32_t)node_at(c, i)->value, *known = &c->prototypes.v[name];
        *known = *known ? c->fn->node : behind;
        vec_push(&c->scratch, &c->labels, name);
    }
}

// Returns the .callprototype or .calltargets with this label, or IR_NONE.
static uint32_t find_prototype(struct ir_check *c, uint32_t label)
{
    if (c->prototypes_of != c->fn)
        find_prototypes(c);
    uint32_t found = c->prototypes.v[node_at(c, label)->value];
    if (!found && !c->fn->incomplete)
        refuse(c, "operand-type", label, "is not a label of a .callprototype or .calltargets");
    else if (found > c->inst->node)
        refuse(c, "operand-type", label, "is declared later: a call must follow its prototype");
    return found > c->fn->node && found < c->inst->node ? found : IR_NONE;
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

// Types of passed values

struct passed {
    uint16_t type; // W_UNKNOWN: not known
    bool array, open;
    uint64_t bytes;
    uint32_t align;
};

// Returns the type of a declared parameter.
static struct passed read_parameter(const struct ir_check *c, uint32_t decl)
{
    struct passed passed = {.type = W_UNKNOWN};
    uint32_t declarator = find_child(c, decl, NODE_DECLARATOR);
    NODE_EACH (child, c->tree, decl) {
        const struct node *node = node_at(c, child);
        if (node->kind != NODE_SPEC || node->aux >= WORD_COUNT)
            continue;
        if (isa_words[node->aux].kind == KIND_TYPE)
            passed.type = node->aux;
        else if (node->aux == W_align && node->size > 1)
            passed.align = (uint32_t)node[1].value;
        else if (isa_words[node->aux].kind == KIND_VECTOR) // reported elsewhere, or not checked
            return (struct passed){.type = W_UNKNOWN};
    }
    uint32_t length = declarator == IR_NONE ? IR_NONE : find_child(c, declarator, NODE_DIMENSION);
    if (passed.type >= WORD_COUNT)
        return passed;
    uint32_t size = (ir_type_bits(passed.type) + 7u) / 8;
    passed.array = length != IR_NONE;
    passed.open = passed.array && (node_at(c, length)->size < 2 || !node_at(c, length)[1].value);
    passed.bytes = size * (passed.array && !passed.open ? node_at(c, length)[1].value : 1);
    passed.align = passed.align ? passed.align : size;
    return passed;
}

// Returns the type of a register or .param variable.
static struct passed read_passed(const struct ir_check *c, const struct ir_operand *operand)
{
    struct passed passed = {.type = W_UNKNOWN};
    if (operand->kind == OPERAND_REGISTER) {
        const struct ir_register *reg = &c->fn->registers.v[operand->index];
        bool scalar = reg->type < WORD_COUNT && reg->bits == isa_words[reg->type].value;
        passed.type = scalar ? reg->type : W_UNKNOWN;
        passed.bytes = passed.align = (reg->bits + 7u) / 8;
    } else if (operand->kind == OPERAND_SYMBOL) {
        const struct ir_symbol *symbol = &c->module->symbols.v[operand->index];
        passed =
            (struct passed){.type = symbol->type, .bytes = symbol->size, .align = symbol->align};
        if (!passed.align && passed.type < WORD_COUNT)
            passed.align = (ir_type_bits(passed.type) + 7u) / 8;
        passed.array = find_child(c, symbol->node, NODE_DIMENSION) != IR_NONE;
    }
    return passed;
}

static bool is_float(uint16_t type)
{
    return type == W_f16 || type == W_f32 || type == W_f64;
}

static bool accepts_type(const struct ir_check *c, uint16_t formal, uint16_t actual)
{
    formal = formal == W_f16x2 ? W_b32 : formal;
    actual = actual == W_f16x2 ? W_b32 : actual;
    return c->number[actual] && c->exact[formal] >> (c->number[actual] - 1) & 1;
}

// Returns the reason for which the value cannot be passed for the parameter, or NULL.
static const char *compare_types(const struct ir_check *c, uint32_t decl, uint32_t node)
{
    static const char other[] = "has another type than the parameter";
    struct passed formal = read_parameter(c, decl);
    const struct ir_operand *operand = find_operand(c, node);
    if (formal.type >= WORD_COUNT)
        return NULL;
    switch (node_at(c, node)->kind) {
    case NODE_INT: return formal.array || is_float(formal.type) ? other : NULL;
    case NODE_FLOAT32:
    case NODE_FLOAT64: {
        char kind = isa_words[formal.type].text[1];
        return formal.array || kind == 'u' || kind == 's' ? other : NULL;
    }
    default: break;
    }
    struct passed actual = operand ? read_passed(c, operand) : (struct passed){.type = W_UNKNOWN};
    if (actual.type >= WORD_COUNT)
        return NULL;
    if (formal.array != actual.array || (formal.array ? !formal.open && formal.bytes != actual.bytes
                                                      : !accepts_type(c, formal.type, actual.type)))
        return other;
    return formal.align != actual.align ? "has another alignment than the parameter" : NULL;
}

// Returns true for types that the calling convention passes as .b32.
static bool is_short(uint16_t type)
{
    return type == W_u8 || type == W_s8 || type == W_u16 || type == W_s16 || type == W_pred;
}

static void compare_list(struct ir_check *c, uint32_t formals, uint32_t given)
{
    if (formals == IR_NONE || given == IR_NONE)
        return;
    uint32_t node = given + 1, end = node_next(c->tree, given);
    NODE_EACH (decl, c->tree, formals) {
        if (node >= end || node_at(c, decl)->kind != NODE_DECL)
            return;
        struct passed formal = read_parameter(c, decl);
        const char *why = compare_types(c, decl, node);
        if (!why && !formal.array && is_short(formal.type))
            why = "is passed as a predicate or an integer of 8 or 16 bits: use .b8, .b16 or .b32";
        if (why)
            refuse(c, "operand-type", node, why);
        node = node_next(c->tree, node);
    }
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

// Returns the module's symbol with this name, or NULL.
static const struct ir_symbol *find_global(const struct ir_check *c, uint32_t name)
{
    for (uint32_t i = c->module->symbols.n; i-- > 0;)
        if (c->module->symbols.v[i].name == name && c->module->symbols.v[i].function == IR_NONE)
            return &c->module->symbols.v[i];
    return NULL;
}

static void check_callee(struct ir_check *c, const struct call_check *call, uint32_t declaration)
{
    uint32_t found = c->diags->list.n;
    check_arity(c, declaration, NODE_RETURNS, call->results, "result");
    check_arity(c, declaration, NODE_PARAMS, call->arguments, "parameter");
    if (c->diags->list.n > found)
        return;
    compare_list(c, find_child(c, declaration, NODE_RETURNS), call->results);
    compare_list(c, find_child(c, declaration, NODE_PARAMS), call->arguments);
}

// Checks a call against the functions of a .calltargets.
static void check_list(struct ir_check *c, const struct call_check *call, uint32_t list)
{
    NODE_EACH (child, c->tree, list) {
        uint32_t name = (uint32_t)node_at(c, child)->value;
        const struct ir_symbol *symbol =
            node_at(c, child)->kind == NODE_NAME ? find_global(c, name) : NULL;
        if (symbol && symbol->space != W_func)
            refuse(c, "operand-type", child, "is not a function");
        else if (symbol)
            check_callee(c, call, symbol->node);
    }
}

void check_call(struct ir_check *c)
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
    if (node_at(c, declaration)->aux == W_calltargets)
        check_list(c, &call, declaration);
    else if (node_at(c, declaration)->kind == NODE_FUNCTION &&
             node_at(c, declaration)->aux == W_entry)
        refuse(c, "operand-type", call.function, "is a kernel, which cannot be called");
    else
        check_callee(c, &call, declaration);
}
