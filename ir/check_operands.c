// Matches operands against a form. The syntax tree has their shape, the IR the meaning of each
// name.
#include "ir/check_internal.h"
#include <string.h>

static uint16_t operand_type(const struct form_match *match, const struct form_operand *spec)
{
    uint16_t type = form_operand_type(match, spec);
    return spec->twice ? check_twice_as_wide(type) : type;
}

// Matching

struct fit {
    struct ir_check *c;
    const struct form_match *match;
    const struct form_operand *spec;
    struct ir_fault *fault;
    bool element; // inside the braces of a vector
};

static const struct node *node_at(const struct fit *f, uint32_t node)
{
    return &f->c->tree->nodes.v[node];
}

static bool refuse(const struct fit *f, enum fault_kind kind, uint32_t node)
{
    f->fault->kind = (uint8_t)kind;
    f->fault->node = node;
    f->fault->spec = f->spec;
    return false;
}

const struct ir_operand *check_operand_at(struct ir_check *c, uint32_t node)
{
    const struct ir_operand *operands = c->fn->operands.v + c->inst->operands;
    for (uint32_t i = 0, at = c->cursor; i < c->inst->operand_count; i++) {
        if (operands[at].node == node && operands[at].role != ROLE_KEEP) {
            c->cursor = at;
            return &operands[at];
        }
        at = at + 1 < c->inst->operand_count ? at + 1 : 0;
    }
    return NULL;
}

static bool is_listed(const struct form_operand *spec, uint64_t value)
{
    for (uint32_t i = 0; i < spec->value_count; i++)
        if (spec->value[i] == value)
            return true;
    return !spec->value_count;
}

static bool fit_integer(const struct fit *f, uint32_t node, uint64_t value)
{
    const struct form_operand *spec = f->spec;
    if (spec->kind == FORM_REGISTER || spec->written)
        return refuse(f, FAULT_REGISTER, node);
    if (spec->kind == FORM_SOURCE && !check_allows_integer(operand_type(f->match, spec)))
        return refuse(f, FAULT_NUMBER, node);
    if (spec->negated && value >> 63)
        value = -value;
    value = spec->low ? (uint32_t)value : value;
    if (spec->ranged && (value < spec->min || value > spec->max || value % spec->step))
        return refuse(f, FAULT_RANGE, node);
    return is_listed(spec, value) || refuse(f, FAULT_RANGE, node);
}

static bool fit_float(const struct fit *f, uint32_t node)
{
    if (f->spec->kind == FORM_REGISTER || f->spec->written)
        return refuse(f, FAULT_REGISTER, node);
    if (f->spec->kind == FORM_IMMEDIATE)
        return refuse(f, FAULT_IMMEDIATE, node);
    if (operand_type(f->match, f->spec) == W_UNKNOWN && f->spec->special)
        return refuse(f, FAULT_NUMBER, node);
    return check_allows_float(node_at(f, node)->kind, operand_type(f->match, f->spec)) ||
           refuse(f, FAULT_NUMBER, node);
}

static bool fit_register(const struct fit *f, uint32_t node, const struct ir_operand *operand,
                         bool member)
{
    const struct ir_register *reg = &f->c->fn->registers.v[operand->index];
    if (f->spec->kind == FORM_IMMEDIATE)
        return refuse(f, FAULT_IMMEDIATE, node);
    if (reg->type >= WORD_COUNT)
        return true; // reported at the declaration
    if (reg->bits != isa_words[reg->type].value && !member)
        return refuse(f, FAULT_SCALAR, node);
    uint16_t type = operand_type(f->match, f->spec);
    if (type == W_UNKNOWN) // `d:_` is only the sink, `a:s` only a special register
        return !(f->spec->written && f->spec->sink) && !f->spec->special
                   ? true
                   : refuse(f, FAULT_TYPE, node);
    uint32_t bit = f->c->number[reg->type] ? 1u << (f->c->number[reg->type] - 1) : 0;
    uint32_t set = f->spec->wider ? f->c->wider[type] : f->c->exact[type];
    bool untyped = !f->spec->untyped || check_type_kind(reg->type) == TYPE_BITS;
    return ((set & bit) && untyped) || refuse(f, FAULT_TYPE, node);
}

static bool fit_special(const struct fit *f, uint32_t node, uint32_t special, bool member)
{
    const struct isa_special_info *info = &isa_specials[special];
    uint16_t type = operand_type(f->match, f->spec);
    bool element =
        f->element && !f->spec->written && type != W_UNKNOWN && check_allows_integer(type);
    if (!f->spec->special && !element)
        return refuse(f, FAULT_SPECIAL, node);
    f->c->special = special;
    f->c->special_node = node;
    if (type == W_UNKNOWN) // the whole special register
        return info->parts > 1 || refuse(f, FAULT_SPECIAL_SIZE, node);
    if (info->parts > 1 && !member)
        return refuse(f, FAULT_SCALAR, node);
    uint32_t bits = isa_words[type].value;
    bool large = bits >= info->min || (f->spec->wider && !element);
    return (large && bits <= info->max) || refuse(f, FAULT_SPECIAL_SIZE, node);
}

// Returns true for instructions that ptxas replaces by a text of its own, which allows no sum.
static bool is_replaced(const struct fit *f)
{
    static const struct {
        uint16_t op;
        const char *word;
    } replaced[] = {{OP_shfl, ".sync"},    {OP_vote, ".sync"}, {OP_bar, ".warp"},
                    {OP_barrier, ""},      {OP_match, ""},     {OP_redux, ""},
                    {OP_createpolicy, ""}, {OP_tcgen05, ""}};
    const struct form *form = f->match->form;
    for (size_t i = 0; i < ARRAY_LENGTH(replaced); i++)
        if (replaced[i].op == form->op && strstr(form->modifiers, replaced[i].word))
            return true;
    const char *name = isa_op_names[form->op];
    bool parts = strchr("24", name[strlen(name) - 1]) != NULL; // vadd2, vadd4
    return f->c->inst->class == CLASS_VIDEO && (f->spec->selector || parts);
}

// Returns true if the operand must be a register or a number, not another expression.
static bool is_simple(const struct fit *f)
{
    return f->element || f->spec->inside || f->spec->kind == FORM_REGISTER;
}

// Matches the address of a function or kernel. ptxas accepts it for a register that has the
// instruction's own type and is read.
static bool fit_function_value(const struct fit *f, uint32_t node, const struct ir_symbol *function)
{
    bool moved = f->match->form->op == OP_mov;
    uint16_t type = operand_type(f->match, f->spec);
    bool own = type == f->c->inst->type || type == f->c->inst->type2 || type == W_UNKNOWN ||
               f->spec->type & FORM_CAPTURED;
    if (f->spec->written || f->spec->kind == FORM_IMMEDIATE)
        return refuse(f, f->spec->written ? FAULT_REGISTER : FAULT_IMMEDIATE, node);
    if (is_simple(f) || is_replaced(f) || !own ||
        (type != W_UNKNOWN && check_type_kind(type) == TYPE_PACKED))
        return refuse(f, FAULT_VALUE, node);
    return !moved || f->c->module->version >= (function->is_entry ? 31 : 21) ||
           refuse(f, FAULT_OLD_FUNCTION, node);
}

static bool fit_symbol(const struct fit *f, uint32_t node, const struct ir_operand *operand)
{
    const struct ir_symbol *symbol = &f->c->module->symbols.v[operand->index];
    if (symbol->space == W_func)
        return fit_function_value(f, node, symbol);
    return f->spec->variable || refuse(f, f->spec->written ? FAULT_REGISTER : FAULT_VALUE, node);
}

static bool fit_name(const struct fit *f, uint32_t node, bool member)
{
    const struct ir_operand *operand = check_operand_at(f->c, node);
    if (!operand)
        return true;
    switch (operand->kind) {
    case OPERAND_REGISTER: return fit_register(f, node, operand, member);
    case OPERAND_SPECIAL: return fit_special(f, node, operand->index, member);
    case OPERAND_SYMBOL: return fit_symbol(f, node, operand);
    case OPERAND_SINK: return f->spec->sink || refuse(f, FAULT_SINK, node);
    default: return true; // undeclared names are reported by the lowering
    }
}

// Matches part selectors: .b0 to .b3, .h0, .h1 for scalars; for SIMD sources, two half-words or
// four bytes of two registers, and for the destination a mask.
static bool fit_selector(const struct fit *f, uint32_t node)
{
    const char *text = f->c->tree->source->text + node_at(f, node)->begin;
    uint32_t end = node_at(f, node)->end - node_at(f, node)->begin;
    uint32_t dot = end;
    while (dot && text[dot - 1] != '.')
        dot--;
    const char *digits = text + dot + 1;
    uint32_t count = end - dot - 1, parts = f->spec->selector;
    bool half = text[dot] == 'h';
    if ((!half && text[dot] != 'b') || !count || (parts == 2 && !half) || (parts == 4 && half))
        return refuse(f, FAULT_SELECTOR, node);
    char max = parts == 1         ? (half ? '1' : '3')
               : f->spec->written ? (char)('0' + parts - 1)
                                  : (char)('0' + 2 * parts - 1);
    bool good = parts == 1 ? count == 1 : f->spec->written ? count <= parts : count == parts;
    for (uint32_t i = 0; i < count; i++) {
        good &= digits[i] >= '0' && digits[i] <= max;
        good &= !f->spec->written || !i || digits[i] < digits[i - 1];
    }
    return good || refuse(f, FAULT_SELECTOR, node);
}

// Returns true for the word of a vector element, including the names of colours.
static bool is_element(uint16_t word)
{
    static const uint16_t words[] = {W_x, W_y, W_z, W_w, W_r, W_g, W_b, W_a};
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        if (words[i] == word)
            return true;
    return false;
}

static bool fit_member(const struct fit *f, uint32_t node)
{
    const struct ir_operand *operand = check_operand_at(f->c, node + 1);
    if (operand && operand->kind == OPERAND_UNKNOWN) // reported at name resolution
        return true;
    bool vector = operand && operand->kind == OPERAND_REGISTER &&
                  f->c->fn->registers.v[operand->index].type < WORD_COUNT &&
                  f->c->fn->registers.v[operand->index].bits >
                      isa_words[f->c->fn->registers.v[operand->index].type].value;
    bool special = operand && operand->kind == OPERAND_SPECIAL;
    if ((vector && !is_element(node_at(f, node)->aux)) ||
        (special &&
         (!is_element(node_at(f, node)->aux) || isa_specials[operand->index].parts == 1)))
        return refuse(f, FAULT_SELECTOR, node);
    if (!vector && !special) {
        if (!f->spec->selector)
            return refuse(f, FAULT_SELECTOR, node);
        if (!fit_selector(f, node))
            return false;
    }
    return fit_name(f, node + 1, vector || special);
}

static bool fit_elements(const struct fit *f, uint32_t node, uint32_t length);

// Returns true for loads and stores, which also accept a scalar in braces.
static bool allows_braces(const struct fit *f)
{
    uint16_t op = f->match->form->op;
    return op == OP_ld || op == OP_ldu || op == OP_st || op == OP_suld || op == OP_sust;
}

// Returns true for a name to which a constant may be added, or after which an index may follow.
static bool is_variable(const struct fit *f, uint32_t node)
{
    if (node_at(f, node)->kind != NODE_NAME)
        return false;
    const struct ir_operand *operand = check_operand_at(f->c, node);
    return !operand || operand->kind == OPERAND_SYMBOL || operand->kind == OPERAND_UNKNOWN;
}

// Matches the address of a variable plus a constant, a number that is known at link time.
static bool fit_variable_sum(const struct fit *f, uint32_t node, const struct ir_operand *operand)
{
    bool function = f->c->module->symbols.v[operand->index].space == W_func;
    uint16_t type = operand_type(f->match, f->spec);
    bool number = f->spec->kind == FORM_SOURCE && type != W_pred && check_allows_integer(type);
    if (f->spec->kind == FORM_IMMEDIATE)
        return refuse(f, FAULT_IMMEDIATE, node);
    return !function && (number || f->spec->variable) ? true : refuse(f, FAULT_VALUE, node);
}

// Matches the sum of a register and a constant, which is an integer addition.
static bool fit_register_sum(const struct fit *f, uint32_t node, const struct ir_operand *operand)
{
    const struct ir_register *reg = &f->c->fn->registers.v[operand->index];
    if (!fit_register(f, node + 1, operand, false))
        return false;
    bool integer = reg->type >= WORD_COUNT || (reg->bits <= 64 && check_allows_integer(reg->type));
    return integer || refuse(f, FAULT_ADDEND, node);
}

static bool fit_special_sum(const struct fit *f, uint32_t node, const struct ir_operand *operand)
{
    struct form_operand any = *f->spec;
    struct fit inner = *f;
    any.special = true;
    inner.spec = &any;
    bool good = fit_special(&inner, node + 1, operand->index, false);
    f->fault->spec = f->spec;
    return good;
}

// Matches name + constant.
static bool fit_sum(const struct fit *f, uint32_t node)
{
    uint32_t name = node + 1;
    if (f->spec->written)
        return refuse(f, FAULT_REGISTER, node);
    if (node_at(f, name)->kind != NODE_NAME || is_simple(f) || is_replaced(f))
        return refuse(f, FAULT_VALUE, node);
    const struct ir_operand *operand = check_operand_at(f->c, name);
    if (!operand || operand->kind == OPERAND_UNKNOWN)
        return true;
    switch (operand->kind) {
    case OPERAND_REGISTER: return fit_register_sum(f, node, operand);
    case OPERAND_SPECIAL: return fit_special_sum(f, node, operand);
    case OPERAND_SYMBOL: return fit_variable_sum(f, node, operand);
    default: return refuse(f, FAULT_VALUE, node);
    }
}

static bool fit_value(const struct fit *f, uint32_t node)
{
    const struct node *at = node_at(f, node);
    switch (at->kind) {
    case NODE_NAME: return fit_name(f, node, false);
    case NODE_MEMBER: return fit_member(f, node);
    case NODE_INT: return fit_integer(f, node, at->value);
    case NODE_FLOAT32:
    case NODE_FLOAT64: return fit_float(f, node);
    case NODE_NEGATE:
        return f->spec->negated ? fit_value(f, node + 1) : refuse(f, FAULT_NEGATION, node);
    case NODE_OFFSET: return fit_sum(f, node);
    case NODE_ELEMENT:
        return (f->spec->variable && is_variable(f, node + 1)) ||
               refuse(f, f->spec->written ? FAULT_REGISTER : FAULT_VALUE, node);
    case NODE_VECTOR:
        return allows_braces(f) ? fit_elements(f, node, 1) : refuse(f, FAULT_SCALAR, node);
    default:
        return refuse(
            f, f->spec->written || f->spec->kind == FORM_REGISTER ? FAULT_REGISTER : FAULT_VALUE,
            node);
    }
}

// Returns true for a register that was declared as a vector of this length; 0: of any length.
static bool is_vector_register(const struct fit *f, uint32_t node, uint32_t length)
{
    if (node_at(f, node)->kind != NODE_NAME)
        return false;
    const struct ir_operand *operand = check_operand_at(f->c, node);
    if (!operand || operand->kind != OPERAND_REGISTER)
        return false;
    const struct ir_register *reg = &f->c->fn->registers.v[operand->index];
    uint32_t bits = reg->type < WORD_COUNT ? isa_words[reg->type].value : 0;
    return bits && reg->bits > bits && (!length || reg->bits == bits * length);
}

static bool fit_vector_register(const struct fit *f, uint32_t node)
{
    return fit_register(f, node, check_operand_at(f->c, node), true);
}

static bool is_sink(const struct fit *f, uint32_t node)
{
    if (node_at(f, node)->kind != NODE_NAME)
        return false;
    const struct ir_operand *operand = check_operand_at(f->c, node);
    return operand && operand->kind == OPERAND_SINK;
}

static bool fit_elements(const struct fit *f, uint32_t node, uint32_t length)
{
    uint32_t count = 0;
    NODE_EACH (child, f->c->tree, node)
        count++;
    f->fault->number = length;
    if (length && count != length)
        return refuse(f, FAULT_LENGTH, node);
    bool all_thrown = count > 0;
    struct fit inner = *f;
    inner.element = true;
    NODE_EACH (child, f->c->tree, node) {
        if (!fit_value(&inner, child))
            return false;
        all_thrown &= is_sink(f, child);
    }
    if (all_thrown)
        return refuse(f, FAULT_SINK, node);
    uint32_t at = node;
    enum fault_kind kind = count > 1 ? check_elements(f->c, node, &at) : FAULT_NONE;
    return kind == FAULT_NONE || refuse(f, kind, at);
}

static bool fit_vector(const struct fit *f, uint32_t node)
{
    bool any = f->spec->length == FORM_ANY_LENGTH;
    uint32_t length = any ? 0
                      : f->spec->length == FORM_BY_MODIFIER
                          ? (uint32_t)f->match->vector * f->spec->factor
                          : f->spec->length;
    if (node_at(f, node)->kind == NODE_VECTOR)
        return fit_elements(f, node, length);
    if (is_vector_register(f, node, length))
        return fit_vector_register(f, node);
    if (is_sink(f, node) && f->spec->written && f->match->form->op == OP_atom)
        return true; // the sink stands for all elements
    if (any || (f->spec->length == FORM_BY_MODIFIER && !form_fills(f->match, '#')))
        return fit_value(f, node);
    f->fault->number = length;
    return refuse(f, FAULT_VECTOR, node);
}

static bool fit_predicate(const struct fit *f, uint32_t node)
{
    const struct node *at = node_at(f, node);
    if (at->kind == NODE_NOT && !f->spec->written)
        return fit_predicate(f, node + 1);
    if (at->kind == NODE_INT)
        return !f->spec->written || refuse(f, FAULT_PREDICATE, node);
    if (at->kind != NODE_NAME)
        return refuse(f, FAULT_PREDICATE, node);
    const struct ir_operand *operand = check_operand_at(f->c, node);
    if (!operand || operand->kind == OPERAND_UNKNOWN)
        return true;
    if (operand->kind == OPERAND_SINK)
        return f->spec->sink || refuse(f, FAULT_SINK, node);
    if (operand->kind == OPERAND_SPECIAL && isa_specials[operand->index].max == 1 &&
        f->spec->special)
        return true;
    if (operand->kind != OPERAND_REGISTER)
        return refuse(f, FAULT_PREDICATE, node);
    uint16_t type = f->c->fn->registers.v[operand->index].type;
    return type == W_pred || type >= WORD_COUNT || refuse(f, FAULT_PREDICATE, node);
}

static bool fit_operand(struct fit *f, const struct form_operand *spec, uint32_t node);

static bool fit_pair(struct fit *f, uint32_t node)
{
    struct form_operand second = {.kind = FORM_PREDICATE,
                                  .written = true,
                                  .type = W_UNKNOWN,
                                  .sink = f->spec->pair == FORM_MAYBE_PAIR};
    struct form_operand first = *f->spec;
    const struct form_operand *spec = f->spec;
    first.pair = FORM_SINGLE;
    uint32_t behind = node_next(f->c->tree, node + 1);
    bool good = fit_operand(f, &first, node + 1) && fit_operand(f, &second, behind);
    if (good && is_sink(f, node + 1) && is_sink(f, behind))
        return refuse(f, FAULT_SINK, node);
    if (!good)
        f->fault->spec = spec;
    return good;
}

// Returns true for loads and atomics from global memory through a register.
static bool allows_unified(const struct fit *f, uint32_t node)
{
    uint16_t op = f->match->form->op, space = f->c->inst->space;
    if ((op != OP_ld && op != OP_ldu && op != OP_atom) || (space != W_UNKNOWN && space != W_global))
        return false;
    for (uint32_t at = node + 1; at < node_next(f->c->tree, node); at++) {
        const struct ir_operand *operand =
            node_at(f, at)->kind == NODE_NAME ? check_operand_at(f->c, at) : NULL;
        if (operand && operand->kind != OPERAND_REGISTER)
            return false;
    }
    return true;
}

// Returns true for a name, a number, or a name plus a constant.
static bool is_sum(const struct fit *f, uint32_t base)
{
    base += node_at(f, base)->kind == NODE_OFFSET;
    uint8_t kind = node_at(f, base)->kind;
    return kind == NODE_NAME || kind == NODE_INT;
}

// Matches an address: its offset and the other operands in the brackets.
static bool fit_address(struct fit *f, uint32_t node)
{
    const struct node *at = node_at(f, node);
    if (at->kind == NODE_ELEMENT)
        return true;
    if (at->kind != NODE_ADDRESS || at->size < 2)
        return refuse(f, FAULT_ADDRESS, node);
    if (at->aux == W_unified_mod && !allows_unified(f, node))
        return refuse(f, FAULT_UNIFIED, node);
    uint32_t base = node + 1;
    uint8_t kind = node_at(f, base)->kind;
    bool alone = node_next(f->c->tree, base) == node_next(f->c->tree, node);
    if (!is_sum(f, base) || (kind == NODE_OFFSET && !alone)) // rejects [a + 4, {x, y}]
        return refuse(f, FAULT_SUM, base);
    uint32_t name = kind == NODE_OFFSET ? base + 1 : base;
    if (node_at(f, name)->kind == NODE_INT)
        return f->c->inst->space == W_local || refuse(f, FAULT_NUMBER_BASE, name);
    if (node_at(f, name)->kind != NODE_NAME)
        return true;
    const struct ir_operand *operand = check_operand_at(f->c, name);
    if (operand && operand->kind == OPERAND_SPECIAL && !alone)
        return refuse(f, FAULT_SPECIAL, name);
    if (operand && operand->kind == OPERAND_SYMBOL &&
        f->c->module->symbols.v[operand->index].space == W_func)
        return refuse(f, FAULT_CODE, name);
    if (!operand || operand->kind != OPERAND_REGISTER)
        return true;
    uint16_t type = f->c->fn->registers.v[operand->index].type;
    if (type >= WORD_COUNT || !f->c->number[type])
        return true;
    uint32_t set = f->spec->type < WORD_COUNT ? f->c->exact[f->spec->type] : f->c->addresses;
    bool untyped = !f->spec->untyped || check_type_kind(type) == TYPE_BITS;
    return (set >> (f->c->number[type] - 1) & 1 && untyped) || refuse(f, FAULT_BASE, name);
}

static bool fit_function(const struct fit *f, uint32_t node)
{
    if (node_at(f, node)->kind != NODE_NAME)
        return refuse(f, FAULT_NAME, node);
    const struct ir_operand *operand = check_operand_at(f->c, node);
    bool function = operand && operand->kind == OPERAND_SYMBOL &&
                    f->c->module->symbols.v[operand->index].space == W_func;
    return !operand || operand->kind == OPERAND_UNKNOWN || function ||
           refuse(f, FAULT_FUNCTION, node);
}

// Rejects a name that cannot be declared. The lowering looks up the other names.
static bool fit_list_name(const struct fit *f, uint32_t node)
{
    const struct node *at = node_at(f, node);
    if (at->kind != NODE_NAME)
        return refuse(f, FAULT_NAME, node);
    const struct name *name = tree_name(f->c->tree, at->value);
    bool sink = name->length == 1 && *name->text == '_';
    return (!sink && isa_special_of((uint32_t)at->value) == SPECIAL_COUNT) ||
           refuse(f, FAULT_NAME, node);
}

static bool fit_operand(struct fit *f, const struct form_operand *spec, uint32_t node)
{
    f->spec = spec;
    uint8_t kind = node_at(f, node)->kind;
    if (spec->inside && (kind == NODE_INT || kind == NODE_FLOAT32 || kind == NODE_FLOAT64))
        return refuse(f, FAULT_REGISTER, node);
    if (spec->pair && kind == NODE_PAIR)
        return fit_pair(f, node);
    if (kind == NODE_PAIR || spec->pair == FORM_ALWAYS_PAIR)
        return refuse(f, FAULT_PAIR, node);
    switch (spec->kind) {
    case FORM_SOURCE:
    case FORM_REGISTER:
    case FORM_IMMEDIATE:
        return spec->length == FORM_SCALAR ? fit_value(f, node) : fit_vector(f, node);
    case FORM_PREDICATE: return fit_predicate(f, node);
    case FORM_ADDRESS: return fit_address(f, node);
    case FORM_LIST: return kind == NODE_LIST || refuse(f, FAULT_LIST, node);
    case FORM_LABEL: return kind == NODE_NAME || refuse(f, FAULT_LABEL, node);
    case FORM_FUNCTION: return fit_function(f, node);
    case FORM_NAME: return fit_list_name(f, node);
    default: return true;
    }
}

// Matches specs [first, end) with sibling nodes [node, stop). Optional specs are dropped from the
// right. Inside brackets the first sibling is the address itself.
static bool fit_sequence(struct fit *f, uint32_t first, uint32_t end, bool inside, uint32_t node,
                         uint32_t stop)
{
    const struct form *form = f->match->form;
    uint32_t must = 0, may = 0, given = 0;
    for (uint32_t i = first; i < end; i++) {
        int presence = form->operand[i].inside == inside
                           ? form_operand_presence(f->match, &form->operand[i])
                           : -1;
        must += presence > 0;
        may += presence >= 0;
    }
    for (uint32_t at = node; at < stop; at = node_next(f->c->tree, at))
        given++;
    if (given < must || given > may)
        return refuse(f, inside ? FAULT_INSIDE : FAULT_COUNT, node < stop ? node : node - 1);
    uint32_t spare = given - must;
    for (uint32_t i = first; i < end; i++) {
        const struct form_operand *spec = &form->operand[i];
        int presence = spec->inside == inside ? form_operand_presence(f->match, spec) : -1;
        if (presence < 0 || (!presence && !spare))
            continue;
        spare -= !presence;
        if (!fit_operand(f, spec, node))
            return false;
        if (spec->kind == FORM_ADDRESS && !inside) {
            uint32_t last = i + 1;
            while (last < end && form->operand[last].inside)
                last++;
            bool address = node_at(f, node)->kind == NODE_ADDRESS;
            uint32_t behind = node_next(f->c->tree, node);
            if (!fit_sequence(f, i + 1, last, true,
                              address ? node_next(f->c->tree, node + 1) : behind, behind))
                return false;
        }
        f->fault->depth++;
        node = node_next(f->c->tree, node);
    }
    return true;
}

bool check_operands_fit(struct ir_check *c, const struct form_match *match, struct ir_fault *fault)
{
    *fault = (struct ir_fault){.match = match};
    struct fit f = {c, match, NULL, fault, false};
    uint32_t node = c->inst->node;
    uint32_t first = node + 1 + ((c->tree->nodes.v[node].flags & NODE_HAS_GUARD) != 0);
    c->cursor = 0;
    c->special = SPECIAL_COUNT;
    bool good =
        fit_sequence(&f, 0, match->form->operand_count, false, first, node_next(c->tree, node));
    if (fault->kind == FAULT_COUNT)
        fault->node = node;
    else if (!good)
        fault->depth++;
    return good;
}
