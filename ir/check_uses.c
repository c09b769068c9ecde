// Checks the symbols of an instruction that matches its form: the state space of variables against
// that of the access, labels against the kind of branch.
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

// State spaces that are implied by the opcode. The memory of tensor cores has no variables.
static const struct {
    uint16_t op, space;
} own_spaces[] = {
    {OP_prefetchu, W_global},
    {OP_mbarrier, W_shared},
    {OP_mapa, W_shared},
    {OP_getctarank, W_shared},
};

// Returns true for instructions whose operand in brackets may be a variable of any kind.
static bool names_objects(uint16_t op)
{
    return op == OP_tex || op == OP_tld4 || op == OP_txq || op == OP_suld || op == OP_sust ||
           op == OP_sured || op == OP_suq || op == OP_fence;
}

// Returns the state space of address `n`. Modifiers give the spaces of the first addresses;
// barriers that follow are in .shared. W_UNKNOWN is a generic address.
static uint16_t space_of_address(const struct ir_check *c, uint32_t n)
{
    uint32_t count, given = 0;
    const uint16_t *mods = node_mods(c->tree, c->inst->node, &count);
    for (uint32_t i = 0; i < count; i++)
        if (mods[i] < WORD_COUNT && isa_words[mods[i]].kind == KIND_SPACE && given++ == n)
            return mods[i];
    for (size_t i = 0; i < ARRAY_LENGTH(own_spaces); i++)
        if (own_spaces[i].op == c->inst->op)
            return own_spaces[i].space;
    return given ? W_shared : W_UNKNOWN;
}

// Returns true if the access may name the variable. In old modules, registers outside functions are
// symbols too.
static bool agrees(uint16_t access, uint16_t variable)
{
    if (variable == W_reg || variable >= WORD_COUNT)
        return true;
    if (access == W_UNKNOWN)
        return variable == W_global || variable == W_shared || variable == W_local;
    return variable != W_func && whole_space(access) == whole_space(variable);
}

static void check_address(struct ir_check *c, const struct ir_operand *operand, uint16_t space)
{
    uint16_t variable = c->module->symbols.v[operand->index].space;
    if (agrees(space, variable))
        return;
    const char *lies = variable == W_func
                           ? "is a function"
                           : arena_printf(&c->scratch, "lies in %s", isa_words[variable].text);
    const char *access =
        space < WORD_COUNT ? isa_words[space].text : "an access without a state space";
    refuse(c, "operand-type", operand->node,
           arena_printf(&c->scratch, "%s, not in %s", lies, access));
}

// Checks the direction of a parameter access. A function reads its parameters and writes its return
// value; a kernel has only parameters.
static void check_direction(struct ir_check *c, const struct ir_operand *operand)
{
    const struct ir_symbol *symbol = &c->module->symbols.v[operand->index];
    if (symbol->space != W_param)
        return;
    bool returned = c->fn->returns != IR_NONE && symbol->node > c->fn->returns &&
                    symbol->node < node_next(c->tree, c->fn->returns);
    if (c->inst->op == OP_st && symbol->parameter != IR_NONE)
        refuse(c, "operand-type", operand->node, "is a parameter, which cannot be written");
    else if (c->inst->op == OP_ld && returned)
        refuse(c, "operand-type", operand->node, "is the returned value, which cannot be read");
}

static bool is_tensor_memory(const struct ir_check *c)
{
    uint32_t count;
    const uint16_t *mods = node_mods(c->tree, c->inst->node, &count);
    return c->inst->op == OP_tcgen05 && count && mods[0] != W_alloc && mods[0] != W_commit;
}

static void check_spaces(struct ir_check *c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        if (operand->role != ROLE_ADDRESS)
            continue;
        if (operand->kind == OPERAND_SYMBOL && is_tensor_memory(c))
            refuse(c, "operand-type", operand->node, "is not an address of tensor memory");
        else if (operand->kind == OPERAND_SYMBOL) {
            check_address(c, operand, space_of_address(c, n));
            check_direction(c, operand);
        }
        n++;
    }
}

static bool is_conversion(const struct ir_check *c)
{
    uint32_t count;
    const uint16_t *mods = node_mods(c->tree, c->inst->node, &count);
    return c->inst->op == OP_mapa || c->inst->op == OP_getctarank ||
           (c->inst->op == OP_cvta && count && mods[0] != W_to);
}

// Checks variables whose address is used as a value.
static void check_address_operands(struct ir_check *c)
{
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        if (operand->kind != OPERAND_SYMBOL || operand->role != ROLE_USE)
            continue;
        const struct ir_symbol *symbol = &c->module->symbols.v[operand->index];
        bool argument =
            symbol->space == W_param && symbol->parameter == IR_NONE &&
            node_at(c, symbol->node)->kind == NODE_DECLARATOR &&
            (c->fn->returns == IR_NONE || symbol->node > node_next(c->tree, c->fn->returns));
        if (argument)
            refuse(c, "operand-type", operand->node, "is a variable of a call, without an address");
        else if (is_conversion(c))
            check_address(c, operand, space_of_address(c, 0));
    }
}

// Branches

static void check_branch(struct ir_check *c)
{
    for (uint32_t i = 0; i < c->inst->operand_count; i++) {
        const struct ir_operand *operand = &c->fn->operands.v[c->inst->operands + i];
        bool list = operand->kind == OPERAND_TARGETS;
        if (!list && operand->kind != OPERAND_LABEL)
            continue;
        if (list != (c->inst->op == OP_brx) ||
            (list && node_at(c, operand->index)->aux != W_branchtargets))
            refuse(c, "operand-type", operand->node,
                   list ? "is the label of a directive, not of code"
                        : "is not a label of a .branchtargets");
        else if (list && operand->index > c->inst->node)
            refuse(c, "operand-type", operand->node,
                   "is declared later: a branch must follow its .branchtargets");
    }
}

void check_uses(struct ir_check *c)
{
    switch (c->inst->op) {
    case OP_call: check_call(c); break;
    case OP_bra:
    case OP_brx: check_branch(c); break;
    case OP_mov:
    case OP_cvta:
    case OP_mapa:
    case OP_getctarank: check_address_operands(c); break;
    default:
        if (!names_objects(c->inst->op))
            check_spaces(c);
    }
}
