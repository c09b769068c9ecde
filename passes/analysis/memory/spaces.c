// Propagates sets along edges between nodes: SSA versions, parameter variables, arguments and
// results of functions, and memory. A set grows at most five times, so the work is linear in the
// edges.
#include "passes/analysis/memory/spaces.h"
#include <string.h>

struct edge {
    uint32_t from, to;
};

// Functions that are analysed together, and their nodes.
struct space_flow {
    struct arena scratch;
    uint8_t *set;         // per node: enum space_set
    const uint32_t *base; // per function: node of its version 0
    bool single;          // one function without calls
    bool foreign;         // a set contains a space other than global memory
    bool connected;       // edges are listed
    uint32_t nodes;
    VEC(struct edge) edges;
    VEC(uint32_t) work;
};

// NODE_MEMORY holds all addresses in memory. With a single function, NODE_PARAMETERS stands for all
// variables in parameter space. Otherwise nodes for symbols start there, followed by the arguments
// and the results of each function.
enum { NODE_MEMORY, NODE_PARAMETERS };

enum call_state { CALLS_UNKNOWN, CALLS_NOTHING, CALLS_SOME };

struct spaces {
    const struct ir_module *module;
    struct arena *arena;
    uint32_t *body_of; // per name id: function with a body + 1; NULL: the group is not analysed yet
    uint8_t *calls;    // per function: enum call_state
    uint32_t *base;    // per function: node of its version 0
    uint8_t *group;    // sets of the functions that call or are called
    uint8_t *single;   // sets of the last function outside the group
    size_t single_size;
    uint32_t function;
};

struct spaces *spaces_new(struct arena *arena, const struct ir_module *module)
{
    struct spaces *spaces = ARENA_NEW(arena, struct spaces);
    *spaces = (struct spaces){.module = module, .arena = arena, .function = IR_NONE};
    return spaces;
}

static unsigned set_of_space(uint16_t space)
{
    switch (space) {
    case W_shared:
    case W_shared_cta:
    case W_shared_cluster: return SPACE_SHARED;
    case W_local: return SPACE_LOCAL;
    case W_const: return SPACE_CONST;
    case W_param:
    case W_param_entry:
    case W_param_func: return SPACE_PARAM;
    case W_global: return SPACE_GLOBAL;
    default: return 0;
    }
}

// Nodes and edges

static void grow(struct space_flow *f, uint32_t node, unsigned set)
{
    if (node == IR_NONE || (f->set[node] | set) == f->set[node])
        return;
    f->set[node] |= (uint8_t)set;
    f->foreign |= (set & ~(unsigned)SPACE_GLOBAL) != 0;
    vec_push(&f->scratch, &f->work, node);
}

static void connect(struct space_flow *f, uint32_t from, uint32_t to)
{
    if (f->connected && from != IR_NONE && to != IR_NONE && from != to)
        vec_push(&f->scratch, &f->edges, (struct edge){from, to});
}

// The function that is being added.
struct space_builder {
    const struct spaces *spaces;
    struct space_flow *flow;
    const struct ir_module *module;
    const struct ir_function *fn;
    uint32_t function;
};

// Returns the node of a value that an instruction reads or writes, or IR_NONE if it holds no
// address.
static uint32_t value_node(const struct space_builder *b, uint32_t operand)
{
    const struct ir_operand *at = &b->fn->operands.v[operand];
    uint32_t version = b->fn->operand_version.v[operand];
    if (at->kind != OPERAND_REGISTER || version == IR_NONE ||
        b->fn->registers.v[at->index].bits == 1)
        return IR_NONE;
    return b->flow->base[b->function] + version;
}

static bool is_in(const struct space_builder *b, uint32_t node, uint32_t list)
{
    return list != IR_NONE && node != IR_NONE && node >= list &&
           node < node_next(b->module->tree, list);
}

static uint32_t arguments_node(const struct ir_module *module, uint32_t function)
{
    return NODE_PARAMETERS + module->symbols.n + function;
}

static uint32_t results_node(const struct ir_module *module, uint32_t function)
{
    return arguments_node(module, module->functions.n) + function;
}

// Returns the node of a variable in parameter space.
static uint32_t parameter_node(const struct space_builder *b, uint32_t symbol)
{
    uint32_t node = b->module->symbols.v[symbol].node;
    if (b->flow->single)
        return NODE_PARAMETERS;
    return is_in(b, node, b->fn->params)    ? arguments_node(b->module, b->function)
           : is_in(b, node, b->fn->returns) ? results_node(b->module, b->function)
                                            : NODE_PARAMETERS + symbol;
}

// Returns the variable in parameter space that a ld.param or st.param names, or IR_NONE.
static uint32_t named_parameter(const struct space_builder *b, uint32_t inst)
{
    uint32_t base = ir_find_operand(b->fn, inst, ROLE_ADDRESS, 0);
    const struct ir_operand *at = base == IR_NONE ? NULL : &b->fn->operands.v[base];
    return at && at->kind == OPERAND_SYMBOL ? at->index : IR_NONE;
}

// Connects the values that an instruction reads, except addresses, to the node.
static void connect_sources(struct space_builder *b, uint32_t inst, uint32_t to)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *operand = &b->fn->operands.v[i];
        if (operand->role != ROLE_USE)
            continue;
        if (operand->kind == OPERAND_SYMBOL &&
            b->module->symbols.v[operand->index].space == W_global)
            grow(b->flow, to, SPACE_GLOBAL);
        connect(b->flow, value_node(b, i), to);
    }
}

static bool is_wide(const struct space_builder *b, uint32_t operand)
{
    const struct ir_operand *at = &b->fn->operands.v[operand];
    return at->kind == OPERAND_REGISTER &&
           b->fn->registers.v[at->index].bits >= b->module->address_bits;
}

// Kernel parameters hold addresses of global memory.
static void read_kernel_parameter(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (b->fn->operands.v[i].role == ROLE_DEF && is_wide(b, i))
            grow(b->flow, value_node(b, i), SPACE_GLOBAL);
}

static void read_parameter(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    uint32_t symbol = named_parameter(b, inst);
    bool own = symbol == IR_NONE || is_in(b, b->module->symbols.v[symbol].node, b->fn->params);
    if (at->space == W_param_entry || (b->fn->is_entry && own)) {
        read_kernel_parameter(b, inst);
        return;
    }
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (b->fn->operands.v[i].role != ROLE_DEF)
            continue;
        if (symbol == IR_NONE)
            grow(b->flow, value_node(b, i), SPACE_ANY);
        else
            connect(b->flow, parameter_node(b, symbol), value_node(b, i));
    }
}

// A load yields any address that was stored, or that the host left in global memory.
static void read_memory(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (b->fn->operands.v[i].role != ROLE_DEF)
            continue;
        connect(b->flow, NODE_MEMORY, value_node(b, i));
        if (is_wide(b, i))
            grow(b->flow, value_node(b, i), SPACE_GLOBAL);
    }
}

static void copy_values(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    bool any = false;
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (b->fn->operands.v[i].role == ROLE_DEF) {
            any = true;
            if (value_node(b, i) != IR_NONE)
                connect_sources(b, inst, value_node(b, i));
        }
    if (!any)
        connect_sources(b, inst, NODE_MEMORY); // a store of any form
}

static void define(struct space_builder *b, uint32_t inst, unsigned set)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++)
        if (b->fn->operands.v[i].role == ROLE_DEF)
            grow(b->flow, value_node(b, i), set);
}

// Connects old values that remain in the lanes, or the parts, that the instruction does not write.
static void keep_values(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        if (b->fn->operands.v[i].role != ROLE_KEEP)
            continue;
        for (uint32_t k = at->operands; k < at->operands + at->operand_count; k++)
            if (b->fn->operands.v[k].role == ROLE_DEF &&
                b->fn->operands.v[k].index == b->fn->operands.v[i].index)
                connect(b->flow, value_node(b, i), value_node(b, k));
    }
}

// Calls

enum { CALLEE_UNKNOWN = UINT32_MAX, CALLEE_SYSTEM = UINT32_MAX - 1 };

// Functions of CUDA's device runtime that keep no address: malloc gives global memory.
static bool is_system(const struct ir_module *module, uint32_t name)
{
    static const char *const names[] = {"malloc", "free", "vprintf", "__assertfail"};
    const struct name *at = tree_name(module->tree, name);
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (strlen(names[i]) == at->length && !memcmp(names[i], at->text, at->length))
            return true;
    return false;
}

// Returns the called function or one of the values above, and its operand in *operand.
static uint32_t callee_of(const struct space_builder *b, uint32_t inst, uint32_t *operand)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        const struct ir_operand *o = &b->fn->operands.v[i];
        if (o->role != ROLE_USE || o->kind != OPERAND_SYMBOL ||
            b->module->symbols.v[o->index].space != W_func)
            continue;
        uint32_t name = b->module->symbols.v[o->index].name, body = b->spaces->body_of[name];
        *operand = i;
        return body ? body - 1 : is_system(b->module, name) ? CALLEE_SYSTEM : CALLEE_UNKNOWN;
    }
    *operand = IR_NONE;
    return CALLEE_UNKNOWN;
}

// Returns the node of an argument or a result at a call.
static uint32_t passed_node(const struct space_builder *b, uint32_t operand)
{
    const struct ir_operand *at = &b->fn->operands.v[operand];
    bool symbol = at->kind == OPERAND_SYMBOL &&
                  set_of_space(b->module->symbols.v[at->index].space) == SPACE_PARAM;
    return symbol ? parameter_node(b, at->index) : value_node(b, operand);
}

static void add_call(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    uint32_t named, callee = callee_of(b, inst, &named);
    if (callee == CALLEE_UNKNOWN)
        grow(b->flow, NODE_MEMORY, SPACE_ANY);
    for (uint32_t i = at->operands; i < at->operands + at->operand_count; i++) {
        uint8_t role = b->fn->operands.v[i].role;
        uint32_t node = i == named ? IR_NONE : passed_node(b, i);
        if (role == ROLE_DEF && callee >= CALLEE_SYSTEM)
            grow(b->flow, node, callee == CALLEE_UNKNOWN ? SPACE_ANY : SPACE_GLOBAL);
        else if (role == ROLE_DEF)
            connect(b->flow, results_node(b->module, callee), node);
        else if (role == ROLE_USE && callee < CALLEE_SYSTEM)
            connect(b->flow, node, arguments_node(b->module, callee));
    }
}

static void add_inst(struct space_builder *b, uint32_t inst)
{
    const struct ir_inst *at = &b->fn->insts.v[inst];
    bool parameter = set_of_space(at->space) == SPACE_PARAM;
    keep_values(b, inst);
    switch (at->op) {
    case OP_cvta:
        if (at->space == W_global || !ir_has_modifier(b->module, b->fn, inst, W_to))
            define(b, inst, set_of_space(at->space));
        return;
    case OP_mapa: define(b, inst, at->space == W_UNKNOWN ? SPACE_SHARED : 0); return;
    case OP_alloca:
    case OP_stacksave:
    case OP_getctarank:
    case OP_createpolicy: return;
    default: break;
    }
    uint32_t symbol = parameter ? named_parameter(b, inst) : IR_NONE;
    switch (at->class) {
    case CLASS_OPAQUE:
        grow(b->flow, NODE_MEMORY, SPACE_ANY);
        define(b, inst, SPACE_ANY);
        break;
    case CLASS_CALL: add_call(b, inst); break;
    case CLASS_LOAD: (parameter ? read_parameter : read_memory)(b, inst); break;
    case CLASS_STORE:
        connect_sources(b, inst, symbol != IR_NONE ? parameter_node(b, symbol) : NODE_MEMORY);
        break;
    case CLASS_ATOMIC:
    case CLASS_TEXTURE:
    case CLASS_SURFACE:
    case CLASS_ASYNC:
    case CLASS_MATRIX:
        connect_sources(b, inst, NODE_MEMORY);
        read_memory(b, inst);
        copy_values(b, inst);
        break;
    case CLASS_BRANCH:
    case CLASS_RETURN:
    case CLASS_BARRIER:
    case CLASS_PREFETCH:
    case CLASS_FENCE: break;
    default: copy_values(b, inst);
    }
}

static void add_phis(struct space_builder *b)
{
    uint32_t base = b->flow->base[b->function];
    for (uint32_t i = 0; i < b->fn->phis.n; i++) {
        const struct ir_phi *phi = &b->fn->phis.v[i];
        if (b->fn->registers.v[phi->reg].bits == 1)
            continue;
        for (uint32_t k = 0; k < b->fn->blocks.v[phi->block].pred_count; k++) {
            uint32_t from = b->fn->phi_args.v[phi->args + k];
            connect(b->flow, from == IR_NONE ? IR_NONE : base + from, base + phi->version);
        }
    }
}

// Other modules may call a visible function with addresses of global memory.
static void add_callers(struct space_builder *b)
{
    NODE_EACH (child, b->module->tree, b->fn->node) {
        const struct node *at = &b->module->tree->nodes.v[child];
        if (at->kind == NODE_SPEC && (at->aux == W_visible || at->aux == W_weak))
            grow(b->flow, arguments_node(b->module, b->function), SPACE_GLOBAL);
    }
}

// Connects parameters and results that are registers.
static void add_registers(struct space_builder *b)
{
    for (uint32_t i = 0; i < b->fn->versions.n && !b->fn->is_entry; i++) {
        const struct ir_version *v = &b->fn->versions.v[i];
        uint32_t decl = b->fn->registers.v[v->reg].decl, node = b->flow->base[b->function] + i;
        if (v->kind == VERSION_ENTRY && is_in(b, decl, b->fn->params))
            connect(b->flow, arguments_node(b->module, b->function), node);
        if (is_in(b, decl, b->fn->returns))
            connect(b->flow, node, results_node(b->module, b->function));
    }
}

static void add_function(struct spaces *spaces, struct space_flow *flow, uint32_t function)
{
    struct space_builder b = {.spaces = spaces,
                              .flow = flow,
                              .module = spaces->module,
                              .fn = &spaces->module->functions.v[function],
                              .function = function};
    for (uint32_t i = 0; i < b.fn->insts.n; i++)
        add_inst(&b, i);
    add_phis(&b);
    add_registers(&b);
    if (!flow->single)
        add_callers(&b);
}

// Propagation

static void propagate(struct space_flow *f)
{
    uint32_t *at = ARENA_ARRAY(&f->scratch, uint32_t, f->nodes + 2);
    uint32_t *to = ARENA_ARRAY(&f->scratch, uint32_t, f->edges.n + 1);
    for (uint32_t i = 0; i < f->edges.n; i++)
        at[f->edges.v[i].from + 2]++;
    for (uint32_t i = 0; i < f->nodes; i++)
        at[i + 2] += at[i + 1];
    for (uint32_t i = 0; i < f->edges.n; i++)
        to[at[f->edges.v[i].from + 1]++] = f->edges.v[i].to;
    while (f->work.n) {
        uint32_t node = f->work.v[--f->work.n];
        for (uint32_t i = at[node]; i < at[node + 1]; i++)
            grow(f, to[i], f->set[node]);
    }
}

// Returns the number of nodes of the listed functions, and sets their bases.
static uint32_t number_nodes(struct spaces *spaces, const uint32_t *list, uint32_t count,
                             bool single)
{
    const struct ir_module *module = spaces->module;
    uint32_t nodes = single ? NODE_PARAMETERS + 1 : results_node(module, module->functions.n);
    for (uint32_t i = 0; i < count; i++) {
        spaces->base[list[i]] = nodes;
        nodes += module->functions.v[list[i]].versions.n;
    }
    return nodes;
}

// Lists edges only if they can change a result.
static void analyse(struct spaces *spaces, struct space_flow *f, const uint32_t *list,
                    uint32_t count)
{
    arena_init(&f->scratch, spaces->arena->memory);
    for (int connected = 0; connected <= f->foreign; connected++) {
        f->connected = connected;
        for (uint32_t i = 0; i < count; i++)
            add_function(spaces, f, list[i]);
    }
    if (f->foreign)
        propagate(f);
    arena_free(&f->scratch);
}

static bool is_single(struct spaces *spaces, uint32_t function)
{
    const struct ir_function *fn = &spaces->module->functions.v[function];
    uint8_t *calls = &spaces->calls[function];
    if (!fn->is_entry)
        return false;
    for (uint32_t i = 0; !*calls && i < fn->insts.n; i++)
        if (fn->insts.v[i].class == CLASS_CALL)
            *calls = CALLS_SOME;
    *calls = *calls ? *calls : CALLS_NOTHING;
    return *calls == CALLS_NOTHING;
}

static void analyse_group(struct spaces *spaces)
{
    const struct ir_module *module = spaces->module;
    uint32_t *list = ARENA_ARRAY(spaces->arena, uint32_t, module->functions.n + 1), count = 0;
    spaces->body_of = ARENA_ARRAY(spaces->arena, uint32_t, module->tree->names.names.n + 1);
    for (uint32_t i = 0; i < module->functions.n; i++) {
        if (!module->functions.v[i].has_body)
            continue;
        spaces->body_of[module->functions.v[i].name] = i + 1;
        if (!is_single(spaces, i))
            list[count++] = i;
    }
    uint32_t nodes = number_nodes(spaces, list, count, false);
    spaces->group = ARENA_ARRAY(spaces->arena, uint8_t, nodes);
    struct space_flow flow = {.set = spaces->group, .base = spaces->base, .nodes = nodes};
    analyse(spaces, &flow, list, count);
}

static void analyse_single(struct spaces *spaces, uint32_t function)
{
    uint32_t nodes = number_nodes(spaces, &function, 1, true);
    if (nodes > spaces->single_size) {
        spaces->single_size = 2 * (size_t)nodes;
        spaces->single = ARENA_ARRAY(spaces->arena, uint8_t, spaces->single_size);
    }
    memset(spaces->single, 0, nodes);
    struct space_flow flow = {
        .set = spaces->single, .base = spaces->base, .nodes = nodes, .single = true};
    analyse(spaces, &flow, &function, 1);
    spaces->function = function;
}

// Requests

static const uint8_t *sets_of(struct spaces *spaces, uint32_t function)
{
    if (!spaces->calls) {
        spaces->calls = ARENA_ARRAY(spaces->arena, uint8_t, spaces->module->functions.n + 1);
        spaces->base = ARENA_ARRAY(spaces->arena, uint32_t, spaces->module->functions.n + 1);
    }
    if (is_single(spaces, function)) {
        if (spaces->function != function)
            analyse_single(spaces, function);
        return spaces->single + spaces->base[function];
    }
    if (!spaces->body_of)
        analyse_group(spaces);
    return spaces->group + spaces->base[function];
}

unsigned spaces_of(struct spaces *spaces, const struct ir_function *fn, uint32_t inst)
{
    unsigned named = set_of_space(fn->insts.v[inst].space);
    uint32_t base = ir_find_operand(fn, inst, ROLE_ADDRESS, 0);
    if (named || base == IR_NONE)
        return named ? named : SPACE_GLOBAL;
    const struct ir_operand *at = &fn->operands.v[base];
    unsigned set = 0;
    if (at->kind == OPERAND_SYMBOL)
        set = set_of_space(spaces->module->symbols.v[at->index].space);
    if (at->kind == OPERAND_REGISTER && fn->operand_version.v[base] != IR_NONE)
        set = sets_of(spaces,
                      (uint32_t)(fn - spaces->module->functions.v))[fn->operand_version.v[base]];
    return set ? set : SPACE_GLOBAL;
}
