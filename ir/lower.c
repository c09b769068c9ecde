// Tree → instructions. Names are resolved by scope; registers get dense ids as they are met.
#include "ir/internal.h"
#include <string.h>

enum { CARRY = 0, MOST_COUNTED = 1 << 24 };

enum binding_kind { BOUND_NOTHING, BOUND_REGISTER, BOUND_SYMBOL, BOUND_COUNTED };

struct binding {
    uint8_t kind;
    uint32_t depth; // of the scope that declares it
    uint32_t index;
};

struct undo {
    uint32_t name;
    struct binding before;
};

// name<count>: registers name0 … ; made when they are first used.
struct counted {
    uint32_t count, decl, scope;
    uint16_t type, bits;
    uint32_t *reg;        // id + 1
    struct binding outer; // the family of the same name that this one hides in part
};

// A name as prefix and number, found once.
struct split {
    uint32_t prefix; // name id + 1; 0: not looked at; IR_NONE: does not end in a number
    uint32_t number;
};

struct label {
    uint32_t name, block, scope, next; // next label with this name, or IR_NONE
    uint32_t targets;                  // node of the .branchtargets that it names, or IR_NONE
};

struct ir_lower {
    struct ir_module *module;
    struct diags *diags;
    struct arena *arena; // for one module
    struct arena *lists; // for one function
    struct ir_function *fn;
    uint32_t name_count; // the tables' size
    struct binding *bindings;
    struct split *splits;
    uint32_t *label_of; // per name: first label + 1
    uint32_t depth;
    uint32_t block; // current
    bool open;      // the current block takes instructions
    VEC(struct undo) undo;
    VEC(struct counted) counted;
    VEC(struct label) labels;
    VEC(uint32_t) label_operands; // operands whose index still is a name id
};

static const struct node *node_at(const struct ir_lower *l, uint32_t node)
{
    return &l->module->tree->nodes.v[node];
}

// Names

static void bind(struct ir_lower *l, uint32_t name, enum binding_kind kind, uint32_t index)
{
    vec_push(l->arena, &l->undo, (struct undo){name, l->bindings[name]});
    l->bindings[name] = (struct binding){(uint8_t)kind, l->depth, index};
}

static void leave_scope(struct ir_lower *l, uint32_t undo)
{
    while (l->undo.n > undo) {
        const struct undo *last = &l->undo.v[--l->undo.n];
        l->bindings[last->name] = last->before;
    }
}

static uint32_t add_register(struct ir_lower *l, uint32_t name, uint32_t decl, uint32_t scope,
                             uint16_t type, uint16_t bits)
{
    struct ir_register reg = {name, decl, scope, type, bits};
    vec_push(l->lists, &l->fn->registers, reg);
    return l->fn->registers.n - 1;
}

static struct split split_name(struct ir_lower *l, uint32_t id)
{
    struct split *split = &l->splits[id];
    if (split->prefix)
        return *split;
    const struct name *name = tree_name(l->module->tree, id);
    uint32_t digits = name->length;
    while (digits > 1 && name->text[digits - 1] >= '0' && name->text[digits - 1] <= '9')
        digits--;
    split->prefix = IR_NONE;
    uint32_t length = name->length - digits;
    bool leading_zero = length > 1 && name->text[digits] == '0';
    if (!length || length > 8 || leading_zero)
        return *split;
    uint32_t prefix = intern_find(&l->module->tree->names, name->text, digits);
    if (prefix >= l->name_count)
        return *split;
    split->prefix = prefix + 1;
    for (uint32_t i = digits; i < name->length; i++)
        split->number = split->number * 10 + (uint32_t)(name->text[i] - '0');
    return *split;
}

// The innermost family name<count> that has this number, if it is not further out than `depth`.
static struct binding resolve_counted(struct ir_lower *l, uint32_t id, struct split split,
                                      uint32_t depth)
{
    struct binding family = l->bindings[split.prefix - 1];
    while (family.kind == BOUND_COUNTED && family.depth > depth) {
        struct counted *counted = &l->counted.v[family.index];
        if (split.number < counted->count) {
            uint32_t *reg = &counted->reg[split.number];
            if (!*reg)
                *reg = add_register(l, id, counted->decl, counted->scope, counted->type,
                                    counted->bits) +
                       1;
            return (struct binding){BOUND_REGISTER, family.depth, *reg - 1};
        }
        family = counted->outer;
    }
    return (struct binding){0};
}

static struct binding resolve(struct ir_lower *l, uint32_t id)
{
    struct binding direct = l->bindings[id];
    if (direct.kind == BOUND_COUNTED)
        direct = (struct binding){0};
    struct split split = split_name(l, id);
    if (split.prefix == IR_NONE)
        return direct;
    struct binding numbered = resolve_counted(l, id, split, direct.kind ? direct.depth : 0);
    return numbered.kind ? numbered : direct;
}

// Declarations

struct decl_specs {
    uint16_t space, type;
    uint32_t align, vector;
};

static struct decl_specs read_specs(const struct ir_lower *l, uint32_t decl)
{
    struct decl_specs specs = {W_UNKNOWN, W_UNKNOWN, 0, 1};
    bool pointer = false; // behind .ptr stand the space and alignment of what is pointed to
    NODE_EACH (child, l->module->tree, decl) {
        const struct node *node = node_at(l, child);
        if (node->kind != NODE_SPEC || node->aux >= WORD_COUNT)
            continue;
        const struct isa_word_info *word = &isa_words[node->aux];
        pointer |= node->aux == W_ptr;
        if (word->kind == KIND_TYPE)
            specs.type = node->aux;
        else if (word->kind == KIND_SPACE && specs.space == W_UNKNOWN)
            specs.space = node->aux;
        else if (word->kind == KIND_VECTOR)
            specs.vector = word->value;
        else if (node->aux == W_align && !pointer && node->size > 1)
            specs.align = (uint32_t)node[1].value;
    }
    return specs;
}

static void declare_register(struct ir_lower *l, uint32_t declarator, uint32_t scope,
                             const struct decl_specs *specs)
{
    const struct node *node = node_at(l, declarator);
    uint16_t bits = (uint16_t)(ir_type_bits(specs->type) * specs->vector);
    uint32_t name = (uint32_t)node->value;
    if (!(node->flags & NODE_COUNTED)) {
        bind(l, name, BOUND_REGISTER, add_register(l, name, declarator, scope, specs->type, bits));
        return;
    }
    uint64_t count = node[1].value;
    if (count > MOST_COUNTED) {
        diag_add(l->diags, DIAG_ERROR, "register-count", node->begin, node->end,
                 "more than %d registers in one declaration", MOST_COUNTED);
        count = MOST_COUNTED;
    }
    struct counted counted = {(uint32_t)count,  declarator, scope, specs->type, bits, NULL,
                              l->bindings[name]};
    counted.reg = ARENA_ARRAY(l->lists, uint32_t, count + 1);
    vec_push(l->arena, &l->counted, counted);
    bind(l, name, BOUND_COUNTED, l->counted.n - 1);
}

// Elements of all dimensions; 0 if one is open and nothing tells its length.
static uint64_t element_count(const struct ir_lower *l, uint32_t declarator)
{
    uint64_t count = 1;
    NODE_EACH (child, l->module->tree, declarator) {
        const struct node *node = node_at(l, child);
        if (node->kind == NODE_DIMENSION)
            count *= node->size > 1 && node[1].kind == NODE_INT ? node[1].value : 0;
    }
    return count;
}

static void declare_symbol(struct ir_lower *l, uint32_t declarator, const struct decl_specs *specs,
                           uint32_t parameter)
{
    const struct node *node = node_at(l, declarator);
    uint64_t bytes =
        (ir_type_bits(specs->type) * specs->vector + 7) / 8 * element_count(l, declarator);
    struct ir_symbol symbol = {
        .name = (uint32_t)node->value,
        .node = declarator,
        .function = l->fn ? (uint32_t)(l->fn - l->module->functions.v) : IR_NONE,
        .size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes,
        .align = specs->align,
        .type = specs->type,
        .space = specs->space,
        .parameter = parameter,
    };
    vec_push(l->module->arena, &l->module->symbols, symbol);
    bind(l, symbol.name, BOUND_SYMBOL, l->module->symbols.n - 1);
}

static void declare(struct ir_lower *l, uint32_t decl, uint32_t scope, uint32_t parameter)
{
    struct decl_specs specs = read_specs(l, decl);
    NODE_EACH (child, l->module->tree, decl) {
        if (node_at(l, child)->kind != NODE_DECLARATOR)
            continue;
        // Old PTX may declare registers for all functions of a module: they are symbols.
        if (specs.space == W_reg && l->fn)
            declare_register(l, child, scope, &specs);
        else
            declare_symbol(l, child, &specs, parameter);
    }
}

static void declare_parameters(struct ir_lower *l, uint32_t list, uint32_t function, bool numbered)
{
    uint32_t position = 0;
    NODE_EACH (child, l->module->tree, list)
        if (node_at(l, child)->kind == NODE_DECL)
            declare(l, child, function, numbered ? position++ : IR_NONE);
}

// Blocks

static void begin_block(struct ir_lower *l, uint32_t label)
{
    struct ir_function *fn = l->fn;
    struct ir_block *current = fn->blocks.n ? &fn->blocks.v[fn->blocks.n - 1] : NULL;
    if (current && current->first == fn->insts.n) { // still empty: another label of the same block
        if (current->label == IR_NONE)
            current->label = label;
    } else {
        if (current)
            current->end = fn->insts.n;
        struct ir_block block = {.first = fn->insts.n, .label = label};
        vec_push(l->lists, &fn->blocks, block);
    }
    l->block = fn->blocks.n - 1;
    l->open = true;
}

static uint32_t next_sibling_kind(const struct ir_lower *l, uint32_t node, uint32_t parent_end)
{
    uint32_t next = node_next(l->module->tree, node);
    return next < parent_end ? next : IR_NONE;
}

static void add_label(struct ir_lower *l, uint32_t node, uint32_t scope)
{
    uint32_t next = next_sibling_kind(l, node, node_next(l->module->tree, scope));
    const struct node *directive = next == IR_NONE ? NULL : node_at(l, next);
    bool names_list = directive && directive->kind == NODE_DIRECTIVE &&
                      (directive->aux == W_branchtargets || directive->aux == W_calltargets ||
                       directive->aux == W_callprototype);
    uint32_t name = (uint32_t)node_at(l, node)->value;
    if (!names_list)
        begin_block(l, node);
    struct label label = {name, l->block, scope, l->label_of[name] - 1,
                          names_list ? next : IR_NONE};
    vec_push(l->arena, &l->labels, label);
    l->label_of[name] = l->labels.n;
}

// The label that a name means at a node: of several, that of the innermost scope around the node.
static const struct label *find_label(const struct ir_lower *l, uint32_t name, uint32_t at)
{
    const struct label *best = NULL;
    for (uint32_t i = l->label_of[name] - 1; i != IR_NONE; i = l->labels.v[i].next) {
        const struct label *label = &l->labels.v[i];
        bool around = label->scope < at && at < node_next(l->module->tree, label->scope);
        if (around && (!best || label->scope > best->scope))
            best = label;
    }
    return best;
}

// Operands

struct place_role {
    enum ir_role role;
    uint8_t slot;
    bool negated, both; // both: read and written
};

static uint32_t add_operand(struct ir_lower *l, struct ir_operand operand)
{
    struct ir_function *fn = l->fn;
    vec_push(l->lists, &fn->operands, operand);
    vec_push(l->lists, &fn->operand_inst, fn->insts.n - 1);
    fn->insts.v[fn->insts.n - 1].operand_count++;
    return fn->operands.n - 1;
}

static void warn_undeclared(struct ir_lower *l, uint32_t node)
{
    const struct node *at = node_at(l, node);
    diag_add(l->diags, DIAG_WARNING, "undeclared", at->begin, at->end, "'%.*s' is not declared",
             (int)(at->end - at->begin), l->module->tree->source->text + at->begin);
    l->fn->incomplete = true;
}

static void add_register_operand(struct ir_lower *l, struct ir_operand operand, bool both)
{
    bool guarded = l->fn->insts.v[l->fn->insts.n - 1].flags & INST_GUARDED;
    bool partial = operand.part || (operand.member != W_UNKNOWN && operand.role == ROLE_DEF);
    add_operand(l, operand);
    if (operand.role == ROLE_DEF && (both || guarded || partial)) {
        operand.role = ROLE_KEEP;
        add_operand(l, operand);
    }
}

// A name as an operand; `member` and `value` come from what stands around it.
static void add_name(struct ir_lower *l, uint32_t node, struct place_role place, uint16_t member,
                     int64_t value, bool has_member)
{
    uint32_t id = (uint32_t)node_at(l, node)->value;
    struct ir_operand operand = {
        .role = (uint8_t)place.role,
        .slot = place.slot,
        .negated = place.negated,
        .part = has_member && member == W_UNKNOWN,
        .index = id,
        .node = node,
        .member = member,
        .value = value,
    };
    if (place.role == ROLE_LABEL) {
        operand.kind = OPERAND_LABEL;
        vec_push(l->arena, &l->label_operands, add_operand(l, operand));
        return;
    }
    struct binding binding = resolve(l, id);
    operand.index = binding.index;
    const struct name *name = tree_name(l->module->tree, id);
    if (binding.kind == BOUND_REGISTER) {
        operand.kind = OPERAND_REGISTER;
        add_register_operand(l, operand, place.both);
    } else if (binding.kind == BOUND_SYMBOL) {
        // Other functions see a register of the module, so nothing is known of its value.
        bool shared = l->module->symbols.v[binding.index].space == W_reg;
        operand.kind = shared ? OPERAND_UNKNOWN : OPERAND_SYMBOL;
        l->fn->incomplete |= shared;
        add_operand(l, operand);
    } else if (name->length == 1 && name->text[0] == '_') {
        operand.kind = OPERAND_SINK;
        add_operand(l, operand);
    } else if (isa_special_of(id) < SPECIAL_COUNT) {
        operand.kind = OPERAND_SPECIAL;
        operand.index = isa_special_of(id);
        add_operand(l, operand);
    } else if (name->length == 7 && !memcmp(name->text, "WARP_SZ", 7)) {
        operand.kind = OPERAND_IMMEDIATE;
        operand.value = 32;
        add_operand(l, operand);
    } else {
        operand.kind = OPERAND_UNKNOWN;
        add_operand(l, operand);
        warn_undeclared(l, node);
    }
}

static void add_leaf(struct ir_lower *l, uint32_t node, struct place_role place,
                     enum ir_operand_kind kind)
{
    add_operand(
        l, (struct ir_operand){.kind = (uint8_t)kind,
                               .role = (uint8_t)(place.role == ROLE_DEF ? ROLE_USE : place.role),
                               .slot = place.slot,
                               .negated = place.negated,
                               .index = IR_NONE,
                               .node = node,
                               .member = W_UNKNOWN,
                               .value = (int64_t)node_at(l, node)->value});
}

static void add_operand_node(struct ir_lower *l, uint32_t node, struct place_role place);

static void add_children(struct ir_lower *l, uint32_t node, struct place_role place)
{
    NODE_EACH (child, l->module->tree, node)
        add_operand_node(l, child, place);
}

// [base + offset], [base, {x, y}]: the first part is the address, what follows is read.
static void add_address(struct ir_lower *l, uint32_t node, struct place_role place)
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

// name[index]: an element of an array; with ld and st what is there, else its address.
static void add_element(struct ir_lower *l, uint32_t node, struct place_role place)
{
    uint32_t index = node_next(l->module->tree, node + 1);
    struct binding binding = resolve(l, (uint32_t)node_at(l, node + 1)->value);
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

static void add_operand_node(struct ir_lower *l, uint32_t node, struct place_role place)
{
    const struct node *at = node_at(l, node);
    switch (at->kind) {
    case NODE_NAME: add_name(l, node, place, W_UNKNOWN, 0, false); break;
    case NODE_MEMBER: add_name(l, node + 1, place, at->aux, 0, true); break;
    case NODE_OFFSET: {
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
    default:
        place.role = place.role == ROLE_DEF ? ROLE_USE : place.role;
        add_children(l, node, place);
        add_leaf(l, node, place, OPERAND_UNKNOWN);
        break;
    }
}

// call (results), function, (arguments), prototype
static void add_call_operands(struct ir_lower *l, uint32_t node, uint32_t first)
{
    bool named = false;
    uint8_t slot = 0;
    for (uint32_t child = first; child < node_next(l->module->tree, node);
         child = node_next(l->module->tree, child)) {
        const struct node *at = node_at(l, child);
        struct place_role place = {.slot = slot++};
        if (at->kind == NODE_LIST) {
            place.role = named ? ROLE_USE : ROLE_DEF;
            add_operand_node(l, child, place);
        } else if (!named && at->kind == NODE_NAME) {
            named = true;
            place.role = ROLE_USE;
            add_name(l, child, place, W_UNKNOWN, 0, false);
        } // what follows the arguments names a prototype or a list of targets
    }
}

static enum ir_role role_of(char letter)
{
    return letter == 'd' || letter == 'm' ? ROLE_DEF : letter == 'b' ? ROLE_LABEL : ROLE_USE;
}

static void add_operands(struct ir_lower *l, uint32_t node, uint32_t first, const char *roles)
{
    if (*roles == 'f') {
        add_call_operands(l, node, first);
        return;
    }
    uint8_t slot = 0;
    for (uint32_t child = first; child < node_next(l->module->tree, node);
         child = node_next(l->module->tree, child)) {
        struct place_role place = {role_of(*roles), slot, false, *roles == 'm'};
        add_operand_node(l, child, place);
        if (*roles && roles[1])
            roles++;
        slot += slot < UINT8_MAX;
    }
}

static void add_carry(struct ir_lower *l, enum ir_role role)
{
    struct ir_operand carry = {.kind = OPERAND_REGISTER,
                               .role = (uint8_t)role,
                               .slot = UINT8_MAX,
                               .index = CARRY,
                               .node = IR_NONE,
                               .member = W_UNKNOWN};
    add_register_operand(l, carry, false);
}

static void read_modifiers(struct ir_inst *inst, const uint16_t *mods, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (mods[i] >= WORD_COUNT)
            continue;
        switch (isa_words[mods[i]].kind) {
        case KIND_TYPE:
            if (inst->type == W_UNKNOWN)
                inst->type = mods[i];
            else if (inst->type2 == W_UNKNOWN)
                inst->type2 = mods[i];
            break;
        case KIND_SPACE:
            if (inst->space == W_UNKNOWN)
                inst->space = mods[i];
            break;
        case KIND_ORDER:
            if (mods[i] != W_weak)
                inst->flags |= INST_ORDERED;
            break;
        case KIND_VECTOR: inst->vector = (uint8_t)isa_words[mods[i]].value; break;
        default: break;
        }
    }
}

static bool has_word(const uint16_t *mods, uint32_t count, uint16_t word)
{
    for (uint32_t i = 0; i < count; i++)
        if (mods[i] == word)
            return true;
    return false;
}

static void add_instruction(struct ir_lower *l, uint32_t node)
{
    struct ir_function *fn = l->fn;
    const struct node *at = node_at(l, node);
    uint32_t mod_count;
    const uint16_t *mods = node_mods(l->module->tree, node, &mod_count);
    struct isa_form form = isa_form(at->aux, mods, mod_count);
    struct ir_inst inst = {.node = node,
                           .operands = fn->operands.n,
                           .op = at->aux,
                           .type = W_UNKNOWN,
                           .type2 = W_UNKNOWN,
                           .space = W_UNKNOWN,
                           .class = (uint8_t)form.class,
                           .vector = 1};
    read_modifiers(&inst, mods, mod_count);
    if (form.class == CLASS_OPAQUE)
        inst.flags |= INST_OPAQUE;
    if (form.class == CLASS_BRANCH || form.class == CLASS_RETURN)
        inst.flags |= INST_TERMINATOR;
    bool guarded = at->flags & NODE_HAS_GUARD;
    if (guarded)
        inst.flags |= INST_GUARDED | (at[1].flags & NODE_NEGATED ? INST_GUARD_NEGATED : 0);
    if (!l->open)
        begin_block(l, IR_NONE);
    inst.block = l->block;
    vec_push(l->lists, &fn->insts, inst);
    if (guarded)
        add_name(l, node + 1,
                 (struct place_role){.role = ROLE_GUARD,
                                     .slot = UINT8_MAX,
                                     .negated = inst.flags & INST_GUARD_NEGATED},
                 W_UNKNOWN, 0, false);
    add_operands(l, node, node + 1 + guarded, form.roles);
    if (inst.op == OP_addc || inst.op == OP_subc || inst.op == OP_madc)
        add_carry(l, ROLE_USE);
    if (has_word(mods, mod_count, W_cc))
        add_carry(l, ROLE_DEF);
    if (inst.flags & INST_TERMINATOR)
        l->open = false;
}

static void lower_scope(struct ir_lower *l, uint32_t scope)
{
    uint32_t undo = l->undo.n;
    l->depth++;
    NODE_EACH (child, l->module->tree, scope) {
        switch (node_at(l, child)->kind) {
        case NODE_DECL: declare(l, child, scope, IR_NONE); break;
        case NODE_LABEL: add_label(l, child, scope); break;
        case NODE_INSTR: add_instruction(l, child); break;
        case NODE_SCOPE: lower_scope(l, child); break;
        case NODE_ERROR: l->fn->incomplete = true; break;
        default: break;
        }
    }
    if (node_at(l, scope)->flags & NODE_CUT)
        l->fn->incomplete = true;
    l->depth--;
    leave_scope(l, undo);
}

// Label operands become blocks; a list of branch targets becomes one operand for each.
static void resolve_labels(struct ir_lower *l)
{
    struct ir_function *fn = l->fn;
    for (uint32_t i = 0; i < l->label_operands.n; i++) {
        struct ir_operand *operand = &fn->operands.v[l->label_operands.v[i]];
        const struct label *label = find_label(l, operand->index, operand->node);
        if (!label) {
            const struct node *at = node_at(l, operand->node);
            diag_add(l->diags, DIAG_ERROR, "label", at->begin, at->end, "no label '%.*s' in reach",
                     (int)(at->end - at->begin), l->module->tree->source->text + at->begin);
            operand->kind = OPERAND_UNKNOWN;
            fn->incomplete = true;
        } else if (label->targets != IR_NONE) {
            operand->kind = OPERAND_SYMBOL; // ir_build_edges reads the list
            operand->index = label->targets;
        } else {
            operand->index = label->block;
        }
    }
    l->label_operands.n = 0;
}

static void forget_labels(struct ir_lower *l)
{
    for (uint32_t i = 0; i < l->labels.n; i++)
        l->label_of[l->labels.v[i].name] = 0;
    l->labels.n = 0;
}

// The blocks that a .branchtargets directive lists, as operands in a side table of the function.
static void resolve_targets(struct ir_lower *l)
{
    struct ir_function *fn = l->fn;
    for (uint32_t i = 0; i < fn->insts.n; i++) {
        struct ir_inst *inst = &fn->insts.v[i];
        if (inst->op != OP_brx)
            continue;
        uint32_t list = IR_NONE;
        for (uint32_t k = 0; k < inst->operand_count; k++) {
            const struct ir_operand *operand = &fn->operands.v[inst->operands + k];
            if (operand->role == ROLE_LABEL && operand->kind == OPERAND_SYMBOL)
                list = operand->index;
        }
        if (list == IR_NONE) {
            fn->incomplete = true;
            continue;
        }
        NODE_EACH (child, l->module->tree, list) {
            const struct label *label =
                node_at(l, child)->kind == NODE_NAME
                    ? find_label(l, (uint32_t)node_at(l, child)->value, inst->node)
                    : NULL;
            if (!label || label->targets != IR_NONE)
                fn->incomplete = true;
            else
                vec_push(l->lists, &fn->targets, (struct ir_target){i, label->block});
        }
    }
}

void ir_lower_function(struct ir_lower *l, uint32_t function)
{
    struct ir_function *fn = l->fn = &l->module->functions.v[function];
    uint32_t undo = l->undo.n;
    l->depth = 1;
    l->open = false;
    add_register(l, IR_NONE, IR_NONE, fn->node, W_b32, 1);
    if (fn->returns != IR_NONE)
        declare_parameters(l, fn->returns, fn->node, false);
    if (fn->params != IR_NONE)
        declare_parameters(l, fn->params, fn->node, true);
    if (fn->has_body) {
        begin_block(l, IR_NONE);
        NODE_EACH (child, l->module->tree, fn->node)
            if (node_at(l, child)->kind == NODE_SCOPE)
                lower_scope(l, child);
        fn->blocks.v[fn->blocks.n - 1].end = fn->insts.n;
        resolve_labels(l);
        resolve_targets(l);
        forget_labels(l);
    }
    leave_scope(l, undo);
    l->counted.n = 0;
    l->depth = 0;
    l->fn = NULL;
}

// Functions first, so that a body can name one that comes later in a prototype-free text.
static void add_function(struct ir_lower *l, uint32_t node)
{
    struct ir_module *module = l->module;
    struct ir_function fn = {.node = node,
                             .name = (uint32_t)node_at(l, node)->value,
                             .is_entry = node_at(l, node)->aux == W_entry,
                             .returns = IR_NONE,
                             .params = IR_NONE};
    NODE_EACH (child, module->tree, node) {
        enum node_kind kind = node_at(l, child)->kind;
        if (kind == NODE_RETURNS)
            fn.returns = child;
        else if (kind == NODE_PARAMS)
            fn.params = child;
        fn.has_body |= kind == NODE_SCOPE;
    }
    struct ir_symbol symbol = {.name = fn.name,
                               .node = node,
                               .function = IR_NONE,
                               .type = W_UNKNOWN,
                               .space = W_func,
                               .parameter = IR_NONE,
                               .is_entry = fn.is_entry};
    vec_push(module->arena, &module->symbols, symbol);
    fn.symbol = module->symbols.n - 1;
    bind(l, fn.name, BOUND_SYMBOL, fn.symbol);
    vec_push(module->arena, &module->functions, fn);
}

static void read_header(struct ir_lower *l, uint32_t directive)
{
    const struct node *node = node_at(l, directive);
    if (node->size < 2)
        return;
    if (node->aux == W_address_size && node[1].kind == NODE_INT)
        l->module->address_bits = node[1].value == 64 ? 64 : 32;
    if (node->aux == W_version && node[1].kind == NODE_FLOAT64) {
        double version;
        memcpy(&version, &node[1].value, sizeof version);
        l->module->version = (uint16_t)(version * 10 + 0.5);
    }
}

struct ir_lower *ir_lower_module(struct ir_work *work, struct arena *arena, struct diags *diags)
{
    struct ir_module *module = work->module;
    struct tree *tree = module->tree;
    struct ir_lower *l = ARENA_NEW(arena, struct ir_lower);
    *l = (struct ir_lower){.module = module,
                           .diags = diags,
                           .arena = arena,
                           .lists = &work->lists,
                           .name_count = tree->names.names.n};
    l->bindings = ARENA_ARRAY(arena, struct binding, l->name_count);
    l->splits = ARENA_ARRAY(arena, struct split, l->name_count);
    l->label_of = ARENA_ARRAY(arena, uint32_t, l->name_count);
    module->address_bits = 32;
    NODE_EACH (child, tree, 0) {
        enum node_kind kind = node_at(l, child)->kind;
        if (kind == NODE_DIRECTIVE)
            read_header(l, child);
        else if (kind == NODE_DECL)
            declare(l, child, 0, IR_NONE);
        else if (kind == NODE_FUNCTION)
            add_function(l, child);
    }
    return l;
}
