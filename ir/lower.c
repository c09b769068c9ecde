// Lowers the tree to instructions. Names are resolved by scope. Registers get dense ids in the
// order of their first use.
#include "ir/internal.h"
#include <string.h>

// Returns the binding of the name at a node. Reports a name that is undeclared or declared later.
static struct binding resolve(struct ir_lower *l, uint32_t node)
{
    struct binding binding = names_resolve(&l->names, (uint32_t)node_at(l, node)->value);
    if (names_is_later(&l->names, binding, node) || !binding.kind)
        names_undeclared(&l->names, node);
    return binding;
}

// Declarations

static struct declared_type read_specs(const struct ir_lower *l, uint32_t decl)
{
    struct declared_type specs = {W_UNKNOWN, W_UNKNOWN, 0, 0, 1};
    bool pointer = false; // .ptr is followed by the space and alignment of the target
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
    specs.bits = (uint16_t)(ir_type_bits(specs.type) * specs.vector);
    return specs;
}

// Returns the product of all dimensions; 0 if the length of one is not defined.
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

static void declare_symbol(struct ir_lower *l, uint32_t decl, uint32_t declarator, uint32_t scope,
                           const struct declared_type *specs, uint32_t parameter)
{
    uint64_t bytes = (specs->bits + 7u) / 8 * element_count(l, declarator);
    struct ir_symbol symbol = {
        .name = (uint32_t)node_at(l, declarator)->value,
        .node = declarator,
        .function = l->fn ? (uint32_t)(l->fn - l->module->functions.v) : IR_NONE,
        .size = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes,
        .align = specs->align,
        .type = specs->type,
        .space = specs->space,
        .parameter = parameter,
    };
    names_declare_symbol(&l->names, decl, scope, &symbol);
}

// Resolves the names in an initialiser. Those of samplers and textures are words.
static void check_initialiser(struct ir_lower *l, uint32_t declarator, uint16_t type)
{
    if (type == W_texref || type == W_samplerref || type == W_surfref)
        return;
    NODE_EACH (child, l->module->tree, declarator) {
        if (node_at(l, child)->kind != NODE_INIT)
            continue;
        for (uint32_t i = child + 1; i < node_next(l->module->tree, child); i++)
            if (node_at(l, i)->kind == NODE_NAME)
                resolve(l, i);
    }
}

static void declare(struct ir_lower *l, uint32_t decl, uint32_t scope, uint32_t parameter)
{
    struct declared_type specs = read_specs(l, decl);
    NODE_EACH (child, l->module->tree, decl) {
        if (node_at(l, child)->kind != NODE_DECLARATOR)
            continue;
        check_initialiser(l, child, specs.type);
        // Old PTX may declare registers for all functions of a module. They are symbols.
        if (node_at(l, child)->flags & NODE_COUNTED)
            names_declare_family(&l->names, child, scope, &specs);
        else if (specs.space == W_reg && l->fn)
            names_declare_register(&l->names, child, scope, &specs);
        else
            declare_symbol(l, decl, child, scope, &specs, parameter);
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
    if (current && current->first == fn->insts.n) { // still empty: the label is another one of this
                                                    // block
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
    names_add_label(&l->names, (struct label){.name = name,
                                              .block = l->block,
                                              .scope = scope,
                                              .targets = names_list ? next : IR_NONE,
                                              .node = node});
}

// Instructions

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

static void read_spelling(struct spelled_inst *to, uint16_t op, const uint16_t *mods,
                          uint32_t count)
{
    struct isa_form form = isa_form(op, mods, count);
    *to = (struct spelled_inst){.roles = form.roles, .count = count};
    to->inst = (struct ir_inst){.op = op,
                                .type = W_UNKNOWN,
                                .type2 = W_UNKNOWN,
                                .space = W_UNKNOWN,
                                .class = (uint8_t)form.class,
                                .vector = 1};
    read_modifiers(&to->inst, mods, count);
    if (form.class == CLASS_OPAQUE)
        to->inst.flags |= INST_OPAQUE;
    if (form.class == CLASS_BRANCH || form.class == CLASS_RETURN)
        to->inst.flags |= INST_TERMINATOR;
    to->reads_carry = op == OP_addc || op == OP_subc || op == OP_madc;
    to->sets_carry = has_word(mods, count, W_cc);
}

// Returns the opcode and modifiers of a node. Instructions with the same spelling share them.
static const struct spelled_inst *find_spelling(struct ir_lower *l, uint32_t node)
{
    uint16_t op = node_at(l, node)->aux;
    uint32_t count, place = (uint32_t)node_at(l, node)->value;
    const uint16_t *mods = node_mods(l->module->tree, node, &count);
    vec_reserve(l->arena, &l->spelled, place + 1);
    while (l->spelled.n <= place)
        l->spelled.v[l->spelled.n++].roles = NULL;
    struct spelled_inst *spelled = &l->spelled.v[place];
    if (!spelled->roles || spelled->inst.op != op || spelled->count != count)
        read_spelling(spelled, op, mods, count);
    return spelled;
}

static void add_instruction(struct ir_lower *l, uint32_t node)
{
    struct ir_function *fn = l->fn;
    const struct node *at = node_at(l, node);
    const struct spelled_inst *spelled = find_spelling(l, node);
    bool guarded = at->flags & NODE_HAS_GUARD, negated = guarded && at[1].flags & NODE_NEGATED;
    if (!l->open)
        begin_block(l, IR_NONE);
    vec_push(l->lists, &fn->insts, spelled->inst);
    struct ir_inst *inst = &fn->insts.v[fn->insts.n - 1];
    inst->node = node;
    inst->operands = fn->operands.n;
    inst->block = l->block;
    if (guarded) {
        inst->flags |= INST_GUARDED | (negated ? INST_GUARD_NEGATED : 0);
        lower_guard(l, node + 1, negated);
    }
    lower_operands(l, node, node + 1 + guarded, spelled->roles);
    if (spelled->reads_carry)
        lower_carry(l, ROLE_USE);
    if (spelled->sets_carry)
        lower_carry(l, ROLE_DEF);
    if (at->aux == OP_ret)
        lower_results(l);
    if (spelled->inst.flags & INST_TERMINATOR)
        l->open = false;
}

// Resolves the functions of a list, and records its labels, which are known at the end of the
// function.
static void read_targets(struct ir_lower *l, uint32_t directive)
{
    uint16_t word = node_at(l, directive)->aux;
    if (word != W_branchtargets && word != W_calltargets)
        return;
    NODE_EACH (child, l->module->tree, directive) {
        if (node_at(l, child)->kind != NODE_NAME)
            continue;
        if (word == W_calltargets)
            resolve(l, child);
        else
            vec_push(l->arena, &l->late_names, ((struct late_name){child, directive}));
    }
}

static void lower_scope(struct ir_lower *l, uint32_t scope)
{
    uint32_t undo = l->names.undo.n;
    vec_push(l->lists, &l->fn->scopes, scope);
    l->names.depth++;
    NODE_EACH (child, l->module->tree, scope) {
        switch (node_at(l, child)->kind) {
        case NODE_DECL: declare(l, child, scope, IR_NONE); break;
        case NODE_LABEL: add_label(l, child, scope); break;
        case NODE_INSTR: add_instruction(l, child); break;
        case NODE_SCOPE: lower_scope(l, child); break;
        case NODE_DIRECTIVE: read_targets(l, child); break;
        case NODE_ERROR: l->fn->incomplete = true; break;
        default: break;
        }
    }
    if (node_at(l, scope)->flags & NODE_CUT)
        l->fn->incomplete = true;
    l->names.depth--;
    names_leave(&l->names, undo);
}

// Replaces label operands by blocks, and a list of branch targets by one operand for each.
static void resolve_labels(struct ir_lower *l)
{
    struct ir_function *fn = l->fn;
    for (uint32_t i = 0; i < l->label_operands.n; i++) {
        struct ir_operand *operand = &fn->operands.v[l->label_operands.v[i]];
        const struct label *label = names_find_label(&l->names, operand->index, operand->node);
        if (!label) {
            names_no_label(&l->names, operand->node);
            operand->kind = OPERAND_UNKNOWN;
        } else if (label->targets != IR_NONE) {
            operand->kind = OPERAND_TARGETS;
            operand->index = label->targets;
        } else {
            operand->index = label->block;
        }
    }
    l->label_operands.n = 0;
    for (uint32_t i = 0; i < l->late_names.n; i++) {
        uint32_t node = l->late_names.v[i].node, list = l->late_names.v[i].list;
        const struct label *label =
            names_find_label(&l->names, (uint32_t)node_at(l, node)->value, node);
        if (!label)
            names_no_label(&l->names, node);
        else if (list != IR_NONE && label->targets != IR_NONE && label->targets != list)
            names_add_diag(&l->names, DIAG_ERROR, "label", node,
                           "the label of a directive is not a branch target");
    }
    l->late_names.n = 0;
}

// Stores the blocks of .branchtargets directives in a side table of the function.
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
            if (operand->kind == OPERAND_TARGETS)
                list = operand->index;
        }
        if (list == IR_NONE) {
            fn->incomplete = true;
            continue;
        }
        NODE_EACH (child, l->module->tree, list) {
            const struct label *label =
                node_at(l, child)->kind == NODE_NAME
                    ? names_find_label(&l->names, (uint32_t)node_at(l, child)->value, inst->node)
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
    uint32_t undo = l->names.undo.n, families = l->names.counted.n;
    l->names.fn = fn;
    l->names.depth = 1;
    l->open = false;
    names_add_register(&l->names, IR_NONE, IR_NONE, fn->node,
                       &(struct declared_type){W_reg, W_b32, 1, 0, 1});
    if (fn->returns != IR_NONE)
        declare_parameters(l, fn->returns, fn->node, false);
    if (fn->params != IR_NONE)
        declare_parameters(l, fn->params, fn->node, true);
    if (fn->has_body) {
        begin_block(l, IR_NONE);
        l->names.depth = 0; // a body and its function's parameters are one scope
        NODE_EACH (child, l->module->tree, fn->node)
            if (node_at(l, child)->kind == NODE_SCOPE)
                lower_scope(l, child);
        fn->blocks.v[fn->blocks.n - 1].end = fn->insts.n;
        // If control reaches the end of the body, no instruction reads the results.
        fn->incomplete |= l->open && fn->registers.n > 1 && lower_is_result(l, 1);
        resolve_labels(l);
        resolve_targets(l);
        names_forget_labels(&l->names);
    }
    names_leave(&l->names, undo);
    l->names.counted.n = families;
    l->names.depth = 0;
    l->names.fn = NULL;
    l->fn = NULL;
}

// Adds functions first, so that a body can name a later one without a prototype.
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
    fn.symbol = names_declare_symbol(&l->names, node, 0, &symbol);
    vec_push(module->arena, &module->functions, fn);
}

static void read_directive(struct ir_lower *l, uint32_t directive)
{
    const struct node *node = node_at(l, directive);
    if (node->aux == W_alias)
        names_check_alias(&l->names, directive);
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

struct ir_lower *ir_lower_new(struct ir_work *work, struct arena *arena, struct diags *diags)
{
    struct ir_module *module = work->module;
    struct ir_lower *l = ARENA_NEW(arena, struct ir_lower);
    *l = (struct ir_lower){.module = module, .diags = diags, .arena = arena, .lists = &work->lists};
    names_init(&l->names, module, diags, arena, &work->lists);
    module->address_bits = 32;
    return l;
}

void ir_lower_items(struct ir_lower *l)
{
    const struct tree *tree = l->module->tree;
    names_grow(&l->names);
    uint32_t item = l->item ? node_next(tree, l->item) : 1;
    for (; item < tree->nodes.n; item = node_next(tree, item)) {
        enum node_kind kind = node_at(l, item)->kind;
        l->item = item;
        if (kind == NODE_DIRECTIVE)
            read_directive(l, item);
        else if (kind == NODE_DECL)
            declare(l, item, 0, IR_NONE);
        else if (kind == NODE_FUNCTION)
            add_function(l, item);
    }
}
