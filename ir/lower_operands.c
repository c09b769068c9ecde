// Operands of instructions: roles, names, addresses, calls.
#include "ir/internal.h"

enum { CARRY = 0 };

struct operand_role {
    enum ir_role role;
    uint8_t slot;
    bool negated, both; // both: read and written
};

// Adds an operand at a node to the last instruction. Writes the members in place: copying a struct
// that was just written stalls on the stores.
static struct ir_operand *add_operand(struct ir_lower *l, enum ir_operand_kind kind,
                                      struct operand_role place, uint32_t index, uint32_t node)
{
    struct ir_function *fn = l->fn;
    vec_reserve(l->lists, &fn->operands, fn->operands.n + 1);
    vec_push(l->lists, &fn->operand_inst, fn->insts.n - 1);
    fn->insts.v[fn->insts.n - 1].operand_count++;
    struct ir_operand *operand = &fn->operands.v[fn->operands.n++];
    operand->kind = (uint8_t)kind;
    operand->role = (uint8_t)place.role;
    operand->slot = place.slot;
    operand->negated = place.negated;
    operand->part = false;
    operand->index = index;
    operand->node = node;
    operand->member = W_UNKNOWN;
    operand->value = 0;
    return operand;
}

// Adds a ROLE_KEEP operand if the last operand is a guarded or partial definition.
static void keep_value(struct ir_lower *l, bool both)
{
    struct ir_function *fn = l->fn;
    const struct ir_operand *operand = &fn->operands.v[fn->operands.n - 1];
    bool guarded = fn->insts.v[fn->insts.n - 1].flags & INST_GUARDED;
    bool partial = operand->part || operand->member != W_UNKNOWN;
    if (operand->role != ROLE_DEF || !(both || guarded || partial))
        return;
    struct operand_role place = {ROLE_KEEP, operand->slot, operand->negated, false};
    struct ir_operand *kept =
        add_operand(l, OPERAND_REGISTER, place, operand->index, operand->node);
    operand = kept - 1;
    kept->part = operand->part;
    kept->member = operand->member;
    kept->value = operand->value;
}

static bool is_sink(const struct ir_lower *l, uint32_t id)
{
    const struct name *name = tree_name(l->module->tree, id);
    return name->length == 1 && name->text[0] == '_';
}

// Adds the operand of a name that is not a register.
static struct ir_operand *add_other(struct ir_lower *l, uint32_t node, struct operand_role place,
                                    struct binding binding)
{
    uint32_t id = (uint32_t)node_at(l, node)->value;
    if (binding.kind == BOUND_SYMBOL) {
        // The value of a module's register is unknown, because other functions may write it. So is
        // that of a name with a faulty declaration.
        uint16_t space = l->module->symbols.v[binding.index].space;
        bool shared = space == W_reg || space == W_UNKNOWN;
        bool later = names_is_later(&l->names, binding, node);
        l->fn->incomplete |= shared;
        if (later)
            names_undeclared(&l->names, node);
        return add_operand(l, shared || later ? OPERAND_UNKNOWN : OPERAND_SYMBOL, place,
                           binding.index, node);
    }
    if (is_sink(l, id))
        return add_operand(l, OPERAND_SINK, place, binding.index, node);
    if (isa_special_of(id) < SPECIAL_COUNT)
        return add_operand(l, OPERAND_SPECIAL, place, isa_special_of(id), node);
    l->fn->incomplete = true;
    if (binding.kind != BOUND_FAULTY)
        names_undeclared(&l->names, node);
    return add_operand(l, OPERAND_UNKNOWN, place, binding.index, node);
}

// Adds a name as an operand. `member` and `value` come from the surrounding node.
static void add_name(struct ir_lower *l, uint32_t node, struct operand_role place, uint16_t member,
                     int64_t value, bool has_member)
{
    uint32_t id = (uint32_t)node_at(l, node)->value;
    struct binding binding = {0};
    struct ir_operand *operand;
    if (place.role != ROLE_LABEL)
        binding = names_resolve(&l->names, id);
    if (place.role == ROLE_LABEL)
        operand = add_operand(l, OPERAND_LABEL, place, id, node);
    else if (binding.kind == BOUND_REGISTER)
        operand = add_operand(l, OPERAND_REGISTER, place, binding.index, node);
    else
        operand = add_other(l, node, place, binding);
    bool sum = place.role == ROLE_USE && value &&
               (operand->kind == OPERAND_REGISTER || operand->kind == OPERAND_SPECIAL);
    operand->part = sum || (has_member && member == W_UNKNOWN);
    operand->member = member;
    operand->value = value;
    if (place.role == ROLE_LABEL)
        vec_push(l->arena, &l->label_operands, l->fn->operands.n - 1);
    else if (binding.kind == BOUND_REGISTER)
        keep_value(l, place.both);
}

static void add_leaf(struct ir_lower *l, uint32_t node, struct operand_role place,
                     enum ir_operand_kind kind)
{
    place.role = place.role == ROLE_DEF ? ROLE_USE : place.role;
    struct ir_operand *operand = add_operand(l, kind, place, IR_NONE, node);
    operand->value = (int64_t)node_at(l, node)->value;
}

static void add_operand_node(struct ir_lower *l, uint32_t node, struct operand_role place);

static void add_children(struct ir_lower *l, uint32_t node, struct operand_role place)
{
    NODE_EACH (child, l->module->tree, node)
        add_operand_node(l, child, place);
}

static void add_unknown(struct ir_lower *l, uint32_t node, struct operand_role place)
{
    place.role = place.role == ROLE_DEF ? ROLE_USE : place.role;
    add_children(l, node, place);
    add_leaf(l, node, place, OPERAND_UNKNOWN);
}

// Adds [base + offset] or [base, {x, y}]: the first part is the address, the others are read.
static void add_address(struct ir_lower *l, uint32_t node, struct operand_role place)
{
    bool first = true;
    place.both = false;
    NODE_EACH (child, l->module->tree, node) {
        place.role = first ? ROLE_ADDRESS : ROLE_USE;
        add_operand_node(l, child, place);
        first = false;
    }
}

static bool accesses_memory(const struct ir_inst *inst)
{
    return inst->class == CLASS_LOAD || inst->class == CLASS_STORE || inst->class == CLASS_ATOMIC;
}

// Adds name[index], an array element: for ld and st its contents, otherwise its address.
static void add_element(struct ir_lower *l, uint32_t node, struct operand_role place)
{
    uint32_t index = node_next(l->module->tree, node + 1);
    struct binding binding = names_resolve(&l->names, (uint32_t)node_at(l, node + 1)->value);
    if (binding.kind != BOUND_SYMBOL || node_at(l, index)->kind != NODE_INT) {
        add_children(l, node, place);
        add_leaf(l, node, place, OPERAND_UNKNOWN);
        return;
    }
    if (accesses_memory(&l->fn->insts.v[l->fn->insts.n - 1]))
        place.role = ROLE_ADDRESS;
    int64_t size = (ir_type_bits(l->module->symbols.v[binding.index].type) + 7) / 8;
    add_name(l, node + 1, place, W_UNKNOWN, size * (int64_t)node_at(l, index)->value, false);
}

static void add_operand_node(struct ir_lower *l, uint32_t node, struct operand_role place)
{
    const struct node *at = node_at(l, node);
    switch (at->kind) {
    case NODE_NAME: add_name(l, node, place, W_UNKNOWN, 0, false); break;
    case NODE_MEMBER: add_name(l, node + 1, place, at->aux, 0, true); break;
    case NODE_OFFSET: {
        if (node_at(l, node + 1)->kind == NODE_APPLY) {
            add_unknown(l, node, place);
            break;
        }
        uint32_t offset = node_next(l->module->tree, node + 1);
        bool member = node_at(l, node + 1)->kind == NODE_MEMBER;
        add_name(l, node + 1 + member, place, member ? node_at(l, node + 1)->aux : W_UNKNOWN,
                 (int64_t)node_at(l, offset)->value, member);
        break;
    }
    case NODE_INT:
    case NODE_FLOAT32:
    case NODE_FLOAT64:
    case NODE_STRING: add_leaf(l, node, place, OPERAND_IMMEDIATE); break;
    case NODE_VECTOR:
    case NODE_LIST:
    case NODE_PAIR: add_children(l, node, place); break;
    case NODE_ADDRESS: add_address(l, node, place); break;
    case NODE_NOT:
    case NODE_NEGATE:
        place.negated = !place.negated;
        add_children(l, node, place);
        break;
    case NODE_ELEMENT: add_element(l, node, place); break;
    default: add_unknown(l, node, place); break;
    }
}

// Adds the operands of call (results), function, (arguments), prototype.
static void add_call_operands(struct ir_lower *l, uint32_t node, uint32_t first)
{
    bool named = false;
    uint8_t slot = 0;
    for (uint32_t child = first; child < node_next(l->module->tree, node);
         child = node_next(l->module->tree, child)) {
        const struct node *at = node_at(l, child);
        struct operand_role place = {.slot = slot++};
        if (at->kind == NODE_LIST) {
            place.role = named ? ROLE_USE : ROLE_DEF;
            add_operand_node(l, child, place);
        } else if (!named && at->kind == NODE_NAME) {
            named = true;
            place.role = ROLE_USE;
            add_name(l, child, place, W_UNKNOWN, 0, false);
        } else if (at->kind == NODE_NAME && !names_resolve(&l->names, (uint32_t)at->value).kind) {
            // The label of a prototype or of a list of targets, or else a table of functions.
            vec_push(l->arena, &l->late_names, ((struct late_name){child, IR_NONE}));
        }
    }
}

static enum ir_role role_of(char letter)
{
    return letter == 'd' || letter == 'm' ? ROLE_DEF : letter == 'b' ? ROLE_LABEL : ROLE_USE;
}

static bool is_braced_alone(const struct ir_lower *l, uint32_t node)
{
    return node_at(l, node)->kind == NODE_VECTOR && node_at(l, node)->size == 2;
}

// Marks the operands of mov.b32 {a}, b; and mov.b32 a, {b}; which read the lowest byte of b, as in
// ptxas.
static void mark_lowest_byte(struct ir_lower *l, uint32_t node, uint32_t first)
{
    uint32_t second = node_next(l->module->tree, first);
    struct ir_operand *last = &l->fn->operands.v[l->fn->operands.n - 1];
    if (second < node_next(l->module->tree, node) && last->role == ROLE_USE &&
        (is_braced_alone(l, first) || is_braced_alone(l, second)))
        last->part = true;
}

void lower_operands(struct ir_lower *l, uint32_t node, uint32_t first, const char *roles)
{
    if (*roles == 'f') {
        add_call_operands(l, node, first);
        return;
    }
    uint8_t slot = 0;
    for (uint32_t child = first; child < node_next(l->module->tree, node);
         child = node_next(l->module->tree, child)) {
        struct operand_role place = {role_of(*roles), slot, false, *roles == 'm'};
        add_operand_node(l, child, place);
        if (*roles && roles[1])
            roles++;
        slot += slot < UINT8_MAX;
    }
    if (l->fn->insts.v[l->fn->insts.n - 1].op == OP_mov && slot == 2)
        mark_lowest_byte(l, node, first);
}

void lower_guard(struct ir_lower *l, uint32_t node, bool negated)
{
    add_name(l, node,
             (struct operand_role){.role = ROLE_GUARD, .slot = UINT8_MAX, .negated = negated},
             W_UNKNOWN, 0, false);
}

void lower_carry(struct ir_lower *l, enum ir_role role)
{
    struct operand_role place = {.role = role, .slot = UINT8_MAX};
    add_operand(l, OPERAND_REGISTER, place, CARRY, IR_NONE);
    keep_value(l, false);
}

void lower_results(struct ir_lower *l)
{
    const struct ir_function *fn = l->fn;
    struct operand_role place = {.role = ROLE_USE, .slot = UINT8_MAX};
    for (uint32_t reg = CARRY + 1; reg < fn->registers.n && lower_is_result(l, reg); reg++)
        add_operand(l, OPERAND_REGISTER, place, reg, IR_NONE);
}
