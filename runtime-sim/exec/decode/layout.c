// Assigns an address to every variable, before decoding.
//
// Shared variables that device functions or several kernels may use come first and are part of
// every kernel's shared memory. They are followed by the kernel's own variables and the dynamic
// part.
#include "runtime-sim/exec/decode/layout.h"
#include <string.h>

static uint32_t alignment(const struct ir_symbol *symbol)
{
    uint32_t natural = (uint32_t)(ir_type_bits(symbol->type) + 7) / 8;
    uint32_t align = symbol->align ? symbol->align : natural;
    return align ? align : 1;
}

static bool is_array_without_size(const struct ir_symbol *symbol)
{
    return !symbol->size;
}

// Returns true for handles. Variables in the space .tex of old PTX, of any type, are handles like
// .texref.
static bool is_opaque(const struct ir_symbol *symbol)
{
    return symbol->type == W_texref || symbol->type == W_samplerref || symbol->type == W_surfref ||
           symbol->space == W_tex;
}

static void place_global(struct program *program, uint32_t id, uint64_t *at)
{
    const struct ir_symbol *symbol = &program->module->symbols.v[id];
    uint64_t align = alignment(symbol) < 256 ? 256 : alignment(symbol);
    uint64_t bytes = is_opaque(symbol) ? 8 : symbol->size;
    *at = align_up(*at, align);
    struct program_variable variable = {id, *at, bytes, symbol->space == W_const};
    vec_push(program->arena, &program->variables, variable);
    program->address_of.v[id] = *at;
    *at += bytes + 256; // a gap, so that an access beyond the end reaches no other variable
}

// Returns true for a variable of one kernel, which takes no space from other kernels.
static bool is_own(const struct program *program, const struct ir_symbol *symbol)
{
    return symbol->function != IR_NONE && program->module->functions.v[symbol->function].is_entry;
}

static void place_shared(struct program *program, struct program_function *function, uint32_t id,
                         uint32_t *at)
{
    const struct ir_symbol *symbol = &program->module->symbols.v[id];
    *at = (uint32_t)align_up(*at, alignment(symbol));
    program->address_of.v[id] = *at;
    *at += symbol->size;
    if (function && alignment(symbol) > function->shared_align)
        function->shared_align = alignment(symbol);
}

// Finds the variables that an earlier or later symbol of the same name defines: an .extern
// declaration has the address of its definition. Stores for each symbol the one that is placed.
static uint32_t *find_definitions(const struct program *program)
{
    const struct ir_module *module = program->module;
    uint32_t *of_name = ARENA_ARRAY(program->arena, uint32_t, module->tree->names.names.n);
    uint32_t *of = ARENA_ARRAY(program->arena, uint32_t, module->symbols.n);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < module->symbols.n; i++) {
            const struct ir_symbol *symbol = &module->symbols.v[i];
            uint32_t *last = &of_name[symbol->name];
            of[i] = i;
            if (symbol->function != IR_NONE || symbol->space == W_func)
                continue;
            if (!*last || (ir_is_extern(module, &module->symbols.v[*last - 1]) &&
                           !ir_is_extern(module, symbol)))
                *last = i + 1;
            of[i] = *last - 1;
        }
    return of;
}

static bool is_static_shared(const struct ir_symbol *symbol)
{
    return symbol->space == W_shared && !is_array_without_size(symbol);
}

static uint32_t place_common_shared(struct program *program, const uint32_t *definitions)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < program->module->symbols.n; i++)
        if (definitions[i] == i && is_static_shared(&program->module->symbols.v[i]) &&
            !is_own(program, &program->module->symbols.v[i]))
            place_shared(program, NULL, i, &at);
    return at;
}

static void place_own_shared(struct program *program, uint32_t common)
{
    for (uint32_t i = 0; i < program->functions.n; i++) {
        program->functions.v[i].shared_bytes = common;
        program->functions.v[i].shared_align = 16;
    }
    for (uint32_t i = 0; i < program->module->symbols.n; i++) {
        const struct ir_symbol *symbol = &program->module->symbols.v[i];
        if (!is_static_shared(symbol) || !is_own(program, symbol))
            continue;
        uint32_t function = program->function_of.v[symbol->function];
        if (function != IR_NONE)
            place_shared(program, &program->functions.v[function], i,
                         &program->functions.v[function].shared_bytes);
    }
    for (uint32_t i = 0; i < program->module->symbols.n; i++) {
        const struct ir_symbol *symbol = &program->module->symbols.v[i];
        if (symbol->space != W_shared || !is_array_without_size(symbol))
            continue;
        for (uint32_t k = 0; k < program->functions.n; k++)
            if (alignment(symbol) > program->functions.v[k].shared_align)
                program->functions.v[k].shared_align = alignment(symbol);
    }
}

// Parameters

static uint32_t symbol_of(const struct program *program, uint32_t declarator)
{
    for (uint32_t i = 0; i < program->module->symbols.n; i++)
        if (program->module->symbols.v[i].node == declarator)
            return i;
    return IR_NONE; // a register
}

static void add_parameter(struct program *program, uint32_t declarator, uint32_t *at)
{
    struct program_parameter parameter = {
        .symbol = symbol_of(program, declarator), .node = declarator, .slot = REG_SLOT_NONE};
    if (parameter.symbol != IR_NONE) {
        const struct ir_symbol *symbol = &program->module->symbols.v[parameter.symbol];
        *at = (uint32_t)align_up(*at, alignment(symbol));
        parameter.offset = *at;
        parameter.bytes = symbol->size;
        parameter.open = is_array_without_size(symbol);
        program->address_of.v[parameter.symbol] = *at;
        *at += symbol->size;
    }
    vec_push(program->arena, &program->parameters, parameter);
}

// Places the parameters of a list. Returns their number.
static uint32_t place_parameters(struct program *program, uint32_t list, uint32_t *at)
{
    const struct tree *tree = program->module->tree;
    uint32_t first = program->parameters.n;
    if (list == IR_NONE)
        return 0;
    NODE_EACH (decl, tree, list)
        if (tree->nodes.v[decl].kind == NODE_DECL)
            NODE_EACH (child, tree, decl)
                if (tree->nodes.v[child].kind == NODE_DECLARATOR)
                    add_parameter(program, child, at);
    return program->parameters.n - first;
}

static bool is_within(const struct program *program, uint32_t node, uint32_t list)
{
    return list != IR_NONE && node > list && node < node_next(program->module->tree, list);
}

// Places the variables of the body in local memory: .local, and .param for calls.
static uint32_t place_locals(struct program *program, const struct program_function *function,
                             uint32_t at)
{
    const struct ir_module *module = program->module;
    const struct ir_function *fn = &module->functions.v[function->function];
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        const struct ir_symbol *symbol = &module->symbols.v[i];
        if (symbol->function != function->function ||
            (symbol->space != W_param && symbol->space != W_local) ||
            is_within(program, symbol->node, fn->params) ||
            is_within(program, symbol->node, fn->returns))
            continue;
        at = (uint32_t)align_up(at, alignment(symbol));
        program->address_of.v[i] = at;
        at += symbol->size;
    }
    return at;
}

// Places the arguments of a variadic function after everything that has a size.
static void place_open(struct program *program, const struct program_function *function)
{
    for (uint32_t i = 0; i < function->param_count; i++) {
        struct program_parameter *parameter = &program->parameters.v[function->params + i];
        if (!parameter->open)
            continue;
        parameter->offset = function->local_bytes;
        program->address_of.v[parameter->symbol] = function->local_bytes;
    }
}

// Reads a directive with three numbers, of which omitted ones are 1. Leaves the shape unchanged if
// there is no directive.
static void read_shape(const struct tree *tree, const struct ir_function *fn, uint16_t directive,
                       uint32_t shape[3])
{
    NODE_EACH (child, tree, fn->node) {
        const struct node *at = &tree->nodes.v[child];
        if (at->kind != NODE_TUNING || at->aux != directive)
            continue;
        shape[0] = shape[1] = shape[2] = 1;
        uint32_t n = 0;
        NODE_EACH (number, tree, child)
            if (tree->nodes.v[number].kind == NODE_INT && n < 3)
                shape[n++] = (uint32_t)tree->nodes.v[number].value;
    }
}

static void layout_function(struct program *program, struct program_function *function)
{
    const struct ir_function *fn = &program->module->functions.v[function->function];
    uint32_t at = 0;
    function->returns = program->parameters.n;
    function->return_count = place_parameters(program, fn->returns, &at);
    function->params = program->parameters.n;
    function->param_count = place_parameters(program, fn->params, &at);
    if (fn->is_entry) {
        const struct tree *tree = program->module->tree;
        read_shape(tree, fn, W_reqnctapercluster, function->cluster);
        read_shape(tree, fn, W_reqntid, function->block);
        read_shape(tree, fn, W_maxntid, function->max);
        uint32_t registers[3] = {0};
        read_shape(tree, fn, W_maxnreg, registers);
        function->maxnreg = registers[0];
        function->param_bytes = at;
        at = 0;
    }
    function->local_bytes = (uint32_t)align_up(place_locals(program, function, at), 16);
    if (!fn->is_entry)
        place_open(program, function);
}

// Returns the definition of a function. In the module, declarations before it are separate
// functions. Returns a function without definition itself.
static uint32_t definition_of(const struct ir_module *module, uint32_t function)
{
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body &&
            module->functions.v[i].name == module->functions.v[function].name)
            return i;
    return function;
}

static void number_functions(struct program *program)
{
    const struct ir_module *module = program->module;
    vec_reserve(program->arena, &program->function_of, module->functions.n + 1);
    program->function_of.n = module->functions.n;
    for (uint32_t i = 0; i < module->functions.n; i++) {
        const struct ir_function *fn = &module->functions.v[i];
        program->function_of.v[i] = fn->has_body ? program->functions.n : IR_NONE;
        program->address_of.v[fn->symbol] = FUNCTION_HANDLE + definition_of(module, i);
        struct program_function function = {.function = i};
        if (fn->has_body)
            vec_push(program->arena, &program->functions, function);
    }
}

void layout_module(struct program *program)
{
    const struct ir_module *module = program->module;
    vec_reserve(program->arena, &program->address_of, module->symbols.n + 1);
    program->address_of.n = module->symbols.n;
    const uint32_t *definitions = find_definitions(program);
    uint64_t at = program->global_first;
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        uint16_t space = module->symbols.v[i].space;
        program->address_of.v[i] = 0;
        if (definitions[i] == i && (space == W_global || space == W_const || space == W_tex))
            place_global(program, i, &at);
    }
    program->global_end = at;
    number_functions(program);
    for (uint32_t i = 0; i < program->functions.n; i++)
        layout_function(program, &program->functions.v[i]);
    place_own_shared(program, place_common_shared(program, definitions));
    for (uint32_t i = 0; i < module->symbols.n; i++)
        program->address_of.v[i] = program->address_of.v[definitions[i]];
}

struct location layout_locate(const struct program *program,
                              const struct program_function *function, uint32_t id)
{
    const struct ir_symbol *symbol = &program->module->symbols.v[id];
    struct location place = {LOCATION_FIXED, 0, program->address_of.v[id]};
    bool entry = program->module->functions.v[function->function].is_entry;
    switch (symbol->space) {
    case W_global:
    case W_const:
    case W_tex:
    case W_func: break;
    case W_shared:
        if (is_array_without_size(symbol)) {
            place.kind = LOCATION_LAUNCH;
            place.launch = LAUNCH_DYNAMIC_SHARED;
            place.address = 0;
        }
        break;
    case W_param:
        if (entry && symbol->parameter != IR_NONE) {
            place.kind = LOCATION_LAUNCH;
            place.launch = LAUNCH_PARAMETERS;
            break;
        } // fallthrough: parameters of functions and calls are in local memory
        __attribute__((fallthrough));
    case W_local: place.kind = LOCATION_FRAME; break;
    default: place.kind = LOCATION_UNKNOWN; break;
    }
    return place;
}
