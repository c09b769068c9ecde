// Binds a map to a launch: parameters and codes of the kernel, instructions of the cores,
// placement.
#include "frontend/isa.h"
#include "ir/ir.h"
#include "runtime-sim/exec/lanes/rows.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/rgpu/spatial.h"
#include <string.h>

struct binding_work {
    struct spatial_machine *m;
    struct arena *arena;
    struct spatial_binding *to;
    struct spatial_launch *launched;
    const struct launch *launch;
    const struct program *program;
    const struct program_function *kernel;
    const struct ir_function *fn;
};

static bool is_named(const struct binding_work *w, uint32_t id, const char *text)
{
    const struct name *name = &w->program->module->tree->names.names.v[id];
    return strlen(text) == name->length && !memcmp(text, name->text, name->length);
}

// Parameters

static struct host_number param_value(const struct binding_work *w,
                                      const struct program_parameter *param)
{
    uint16_t type =
        param->symbol == IR_NONE ? W_UNKNOWN : w->program->module->symbols.v[param->symbol].type;
    const char *text = type < WORD_COUNT ? isa_words[type].text + 1 : "";
    const struct scalar *scalar = scalar_find(text, strlen(text));
    if (!scalar || scalar->bytes != param->bytes)
        return (struct host_number){.kind = NUMBER_INTEGER};
    return scalar_load(scalar, w->launch->params + param->offset);
}

static const char *bind_params(struct binding_work *w, const struct map *map)
{
    if (map->params.n > w->kernel->param_count)
        return arena_printf(w->arena, "the map has %u parameters, but the kernel has %u",
                            map->params.n, w->kernel->param_count);
    w->launched->params = ARENA_ARRAY(w->arena, struct host_number, map->params.n + 1);
    for (uint32_t i = 0; i < map->params.n; i++)
        w->launched->params[i] = param_value(w, &w->program->parameters.v[w->kernel->params + i]);
    return NULL;
}

const char *spatial_params(struct spatial_machine *m, const struct launch *launch,
                           const struct map *map, struct spatial_launch *to)
{
    struct binding_work w = {.m = m,
                             .arena = machine_port(m->machine).arena,
                             .launched = to,
                             .launch = launch,
                             .program = launch->program,
                             .kernel = &launch->program->functions.v[launch->function]};
    return bind_params(&w, map);
}

// Codes of the kernel

// Returns the first code of an instruction, or the one after its last.
static uint32_t code_of(const struct binding_work *w, uint32_t inst, bool behind)
{
    uint32_t code = w->kernel->begin;
    while (code < w->kernel->end && w->program->codes.v[code].inst != inst)
        code++;
    while (behind && code < w->kernel->end && w->program->codes.v[code].inst == inst)
        code++;
    return code;
}

// Returns the instruction of the kernel's `number`th barrier, or IR_NONE.
static uint32_t find_barrier(const struct binding_work *w, uint32_t number)
{
    for (uint32_t i = 0; i < w->fn->insts.n; i++)
        if (w->fn->insts.v[i].class == CLASS_BARRIER && !number--)
            return i;
    return IR_NONE;
}

static uint32_t find_end(const struct binding_work *w)
{
    uint32_t i = w->fn->insts.n;
    while (i && w->fn->insts.v[i - 1].class != CLASS_RETURN)
        i--;
    return i ? i - 1 : IR_NONE;
}

static const char *bind_endpoints(struct binding_work *w)
{
    const struct map *map = w->to->map;
    bool at_barrier = map->enter.kind == MAP_AT_BARRIER;
    uint32_t enter = at_barrier ? find_barrier(w, map->enter.barrier) : 0;
    uint32_t leave =
        map->leave.kind == MAP_AT_BARRIER ? find_barrier(w, map->leave.barrier) : find_end(w);
    if (enter == IR_NONE || leave == IR_NONE)
        return "the kernel has no such barrier, or no end";
    if (at_barrier && leave <= enter)
        return "the mode ends before it begins";
    w->to->enter = at_barrier ? code_of(w, enter, true) : UINT32_MAX;
    w->to->leave = code_of(w, leave, false);
    return NULL;
}

// Registers of results

static uint32_t find_register(const struct binding_work *w, const char *name)
{
    for (uint32_t i = 0; i < w->fn->registers.n; i++)
        if (w->fn->registers.v[i].name != IR_NONE && is_named(w, w->fn->registers.v[i].name, name))
            return i;
    return IR_NONE;
}

// Finds the frame offset of a register, from an instruction that writes it. Returns false if no
// instruction does.
static bool find_register_slot(const struct binding_work *w, uint32_t reg,
                               struct spatial_register *to)
{
    for (uint32_t i = w->kernel->begin; i < w->kernel->end; i++) {
        const struct code *code = &w->program->codes.v[i];
        const struct ir_inst *inst = &w->fn->insts.v[code->inst];
        if (code->d == REG_SLOT_NONE || code->width != 4 || !inst->operand_count)
            continue;
        const struct ir_operand *operand = &w->fn->operands.v[inst->operands];
        if (operand->kind != OPERAND_REGISTER || operand->index != reg)
            continue;
        *to = (struct spatial_register){code->d & ((1u << REG_SLOT_SHIFT) - 1), lanes_bytes(4)};
        return true;
    }
    return false;
}

static const char *bind_registers(struct binding_work *w)
{
    const struct map *map = w->to->map;
    w->to->registers = ARENA_ARRAY(w->arena, struct spatial_register, map->results.n + 1);
    for (uint32_t i = 0; i < map->results.n; i++) {
        const char *name = map->results.v[i].reg.text;
        uint32_t reg = name ? find_register(w, name) : IR_NONE;
        if (name && (reg == IR_NONE || !find_register_slot(w, reg, &w->to->registers[i])))
            return arena_printf(w->arena, "the kernel writes no 32-bit register '%s'", name);
    }
    return NULL;
}

// Cores

static const char *bind_function(struct binding_work *w, uint32_t number)
{
    const struct map_node *node = &w->to->map->nodes.v[number];
    struct spatial_function *to = &w->to->functions[number];
    const struct program *program = &w->to->program;
    const struct program_function *fn =
        &program->functions.v[program->function_of.v[w->to->code.function[number]]];
    if (fn->refusal)
        return arena_printf(w->arena, "'%s' cannot run: %s", node->op.text, fn->refusal);
    to->codes = &program->codes.v[fn->begin];
    while (fn->begin + to->count < fn->end && to->codes[to->count].lanes &&
           to->codes[to->count].d2 == REG_SLOT_NONE)
        to->count++;
    for (uint32_t i = 0; i < node->operand_count; i++)
        to->operands[i] = program->parameters.v[fn->params + i].slot;
    to->result = program->parameters.v[fn->returns].slot;
    if (!to->count)
        return arena_printf(w->arena, "'%s' is not an instruction of a core", node->op.text);
    if (fn->frame_bytes > w->to->frame_bytes)
        w->to->frame_bytes = fn->frame_bytes;
    return NULL;
}

static const char *bind_functions(struct binding_work *w)
{
    const struct map *map = w->to->map;
    struct diags diags;
    const char *fault = NULL;
    diags_init(&diags, w->arena);
    map_code_make(&w->to->code, w->arena, map, &diags);
    program_build(&w->to->program, w->arena, &w->to->code.module, lanes_best());
    w->to->functions = ARENA_ARRAY(w->arena, struct spatial_function, map->nodes.n);
    for (uint32_t i = 0; !fault && i < map->nodes.n; i++)
        if (map->nodes.v[i].kind == MAP_CORE)
            fault = bind_function(w, i);
    return fault;
}

static const char *bind_placement(struct binding_work *w)
{
    return map_place(&w->to->placement, w->arena, &w->m->hardware, w->to->map,
                     (uint32_t)w->to->copies, MAP_STATES);
}

static const char *check_kernel(struct binding_work *w)
{
    const char *of = w->to->map->kernel.text;
    const struct name *name = &w->program->module->tree->names.names.v[w->fn->name];
    if (!of || is_named(w, w->fn->name, of))
        return NULL;
    return arena_printf(w->arena, "the map is for the kernel '%s', but '%.*s' is launched", of,
                        (int)name->length, name->text);
}

// Returns an earlier binding of the map and the kernel with this number of copies, or a new one.
static struct spatial_binding *find_binding(struct binding_work *w, int64_t copies)
{
    static const char *(*const steps[])(struct binding_work *) = {
        check_kernel, bind_endpoints, bind_registers, bind_functions, bind_placement};
    const struct launch *launch = w->launch;
    for (uint32_t i = 0; i < w->m->bindings.n; i++) {
        struct spatial_binding *known = w->m->bindings.v[i];
        if (known->map == launch->map && known->function == launch->function &&
            known->copies == copies)
            return known;
    }
    w->to = ARENA_NEW(w->arena, struct spatial_binding);
    *w->to = (struct spatial_binding){
        .map = launch->map, .function = launch->function, .copies = copies};
    for (uint32_t i = 0; !w->to->fault && i < ARRAY_LENGTH(steps); i++)
        w->to->fault = steps[i](w);
    vec_push(w->arena, &w->m->bindings, w->to);
    return w->to;
}

static const char *find_copies(struct binding_work *w, int64_t *copies)
{
    struct map_scope scope = {
        .map = w->launch->map, .arena = w->arena, .params = w->launched->params};
    for (uint32_t i = 0; i < 6; i++)
        scope.names[MAP_NAME_grid_x + i] = w->launched->shape[i];
    const char *fault = map_integer(&scope, &w->launch->map->copies, *copies, copies);
    if (!fault && (*copies < 0 || *copies > 1024))
        fault = "the number of copies is not from 0 to 1024";
    return fault;
}

struct spatial_launch *spatial_bind(struct spatial_machine *m, const struct launch *launch,
                                    int64_t copies)
{
    struct arena *arena = machine_port(m->machine).arena;
    struct spatial_launch *made = ARENA_NEW(arena, struct spatial_launch);
    struct binding_work w = {.m = m,
                             .arena = arena,
                             .launched = made,
                             .launch = launch,
                             .program = launch->program,
                             .kernel = &launch->program->functions.v[launch->function]};
    w.fn = &launch->program->module->functions.v[w.kernel->function];
    made->id = launch->id;
    memcpy(made->shape, launch->grid, sizeof launch->grid);
    memcpy(made->shape + 3, launch->block, sizeof launch->block);
    made->fault = bind_params(&w, launch->map);
    if (!made->fault)
        made->fault = find_copies(&w, &copies);
    made->binding = find_binding(&w, copies);
    if (!made->fault)
        made->fault = made->binding->fault;
    vec_push(arena, &m->launches, made);
    return made;
}

const struct spatial_launch *spatial_launch_of(const struct spatial_machine *m,
                                               const struct launch *launch)
{
    uint32_t i = m->launches.n - 1;
    while (i && m->launches.v[i]->id != launch->id)
        i--;
    return m->launches.v[i];
}
