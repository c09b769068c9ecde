// Metadata name instructions by their number in the function's text, which is also the number in
// the IR. All entries are checked against the program: a chain must be one that the passes find in
// it with the options with which it was tagged.
#include "runtime-sim/schemes/llc_omni/table.h"
#include "backend/bodies.h"
#include "passes/base/capability.h"
#include "passes/analysis/facts.h"
#include "passes/verify/verify_chain.h"
#include "runtime-sim/schemes/kernels.h"
#include <string.h>

struct table_builder {
    struct offload_table *to;
    struct arena *arena;
    const struct tables *tables;
    const struct program *program;
    const struct offload_config *config;
    struct diags *diags;
    struct bodies bodies;
    struct pass_options options;
    struct plan plan; // owner of the facts
    struct chain_check check;
    // State of the work:
    uint32_t function; // of the program
    const struct ir_function *fn;
    const struct body *body;
    const struct table_kernel *kernel;
    bool checking; // `check` is set up for the function
};

// Faults

static bool fault_at(struct table_builder *b, uint32_t node, const char *text)
{
    const struct node *at = &b->program->module->tree->nodes.v[node];
    diag_add(b->diags, DIAG_ERROR, "metadata", at->begin, at->end, "%s", text);
    return false;
}

static bool fault_of_kernel(struct table_builder *b, const char *text)
{
    return fault_at(b, b->fn->node,
                    arena_printf(b->arena, "chains of '%s': %s", b->kernel->name, text));
}

static bool fault_of_chain(struct table_builder *b, const struct table_chain *chain, uint32_t inst,
                           const char *text)
{
    return fault_at(
        b, b->fn->insts.v[inst].node,
        arena_printf(b->arena, "chain %u of '%s': %s", chain->id, b->kernel->name, text));
}

// Chains

// Checks an instruction of a chain against the program, as far as its pattern does not determine
// it.
static const char *inst_fault(struct table_builder *b, const struct table_instruction *inst)
{
    const char *opcode = body_opcode(b->body, b->arena, inst->index);
    const struct ir_inst *at = &b->fn->insts.v[inst->index];
    if (strcmp(opcode, inst->opcode))
        return arena_printf(b->arena, "this is '%s', but the chain has '%s' here", opcode,
                            inst->opcode);
    if (at->class == CLASS_LOAD || at->class == CLASS_STORE || ir_is_copy(b->fn, inst->index))
        return NULL;
    struct alu alu = alu_of(capability_of(&b->options), b->program->module, b->fn, inst->index);
    return alu.kind == ALU_NONE
               ? arena_printf(b->arena, "the unit near the data cannot compute '%s'", opcode)
               : NULL;
}

// As the passes have it.
static struct chain chain_of(const struct table_builder *b, const struct table_chain *from)
{
    struct chain chain = {.function = b->program->functions.v[b->function].function,
                          .pattern = from->pattern,
                          .count = from->instructions.n,
                          .response = from->response,
                          .response_flits = from->response_flits,
                          .expected_saving = from->expected_saving};
    uint32_t last = b->fn->insts.v[from->instructions.v[chain.count - 1].index].block;
    for (uint32_t i = 0; i < chain.count; i++) {
        chain.inst[i] = from->instructions.v[i].index;
        chain.across |= b->fn->insts.v[chain.inst[i]].block != last;
    }
    return chain;
}

static bool is_chain(struct table_builder *b, const struct table_chain *from,
                     const struct chain *chain)
{
    for (uint32_t i = 0; i < chain->count; i++) {
        const char *wrong = inst_fault(b, &from->instructions.v[i]);
        if (wrong)
            return fault_of_chain(b, from, chain->inst[i], wrong);
    }
    if (b->fn->insts.v[chain->inst[0]].class != CLASS_LOAD)
        return fault_of_chain(b, from, chain->inst[0], "it does not begin with a load");
    if (!b->checking)
        verify_chain_begin(&b->check,
                           facts_of(&b->plan, b->program->module, &b->options, chain->function));
    b->checking = true;
    const char *wrong = verify_chain(&b->check, chain);
    return !wrong || fault_of_chain(b, from, chain->inst[0], wrong);
}

static void add_chain(struct table_builder *b, const struct chain *from, uint32_t id,
                      struct offload_place *places)
{
    struct offload_chain chain = {
        .function = b->function,
        .id = id,
        .pattern = (uint8_t)from->pattern,
        .count = (uint8_t)from->count,
        .response = (uint8_t)from->response,
        .response_flits = (uint8_t)from->response_flits,
        .vector = b->fn->insts.v[from->inst[0]].vector,
        .expected_saving = from->expected_saving,
    };
    for (uint32_t i = 0; i < from->count; i++) {
        const struct ir_inst *at = &b->fn->insts.v[from->inst[i]];
        chain.inst[i] = from->inst[i];
        chain.loads += at->class == CLASS_LOAD;
        chain.stores |= at->class == CLASS_STORE;
        chain.copies |= (uint32_t)ir_is_copy(b->fn, from->inst[i]) << i;
        places[from->inst[i]] = (struct offload_place){b->to->chains.n, (uint8_t)i,
                                                       i == 0                ? 1
                                                       : i + 1 < from->count ? 2
                                                                             : 3};
    }
    vec_push(b->arena, &b->to->chains, chain);
}

// Functions

static bool is_room(struct table_builder *b)
{
    uint32_t count = b->kernel->chains.n;
    if (b->config->policy == OFFLOAD_BASELINE || count <= b->config->chains_most)
        return true;
    return fault_of_kernel(b,
                           arena_printf(b->arena, "there are %u, but offload.chains_most is %llu",
                                        count, (unsigned long long)b->config->chains_most));
}

static bool add_chains(struct table_builder *b)
{
    struct offload_function *to = &b->to->functions.v[b->function];
    struct offload_place *places = ARENA_ARRAY(b->arena, struct offload_place, b->fn->insts.n);
    bool good = true;
    for (uint32_t i = 0; i < b->fn->insts.n; i++)
        places[i].chain = OFFLOAD_NO_CHAIN;
    *to = (struct offload_function){.places = places,
                                    .first = b->to->chains.n,
                                    .service_queue_at_core = b->kernel->service_queue_at_core};
    for (uint32_t i = 0; i < b->kernel->chains.n; i++) {
        struct chain chain = chain_of(b, &b->kernel->chains.v[i]);
        good &= is_chain(b, &b->kernel->chains.v[i], &chain);
        if (good)
            add_chain(b, &chain, i, places);
    }
    to->count = b->to->chains.n - to->first;
    return good;
}

static bool add_function(struct table_builder *b, const struct scheme_kernel *kernel)
{
    b->kernel = kernel->plan;
    b->function = kernel->function;
    b->fn = kernel->fn;
    b->checking = false;
    if (!b->fn) {
        diag_add(b->diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET,
                 "there are chains of '%s', but no such function", b->kernel->name);
        return false;
    }
    b->body = &b->bodies.list.v[b->function];
    if (b->to->functions.v[b->function].places)
        return fault_of_kernel(b, "they are there twice");
    if (b->fn->incomplete)
        return fault_of_kernel(b, "the function branches to unknown places");
    if (b->kernel->instructions != b->fn->insts.n)
        return fault_of_kernel(
            b, arena_printf(b->arena, "they are those of %u instructions, but there are %u",
                            b->kernel->instructions, b->fn->insts.n));
    return is_room(b) && add_chains(b);
}

static void take_options(struct table_builder *b)
{
    struct capability *capability = ARENA_NEW(b->arena, struct capability);
    b->options = b->tables->options;
    b->options.capability = NULL;
    b->options.measured = NULL;
    if (b->tables->capability && capability_from_text(capability, b->arena, b->tables->capability))
        b->options.capability = capability;
}

bool offload_table_build(struct offload_table *table, struct arena *arena,
                         const struct tables *tables, const struct program *program,
                         const struct offload_config *config, struct diags *diags)
{
    struct arena own;
    struct table_builder b = {.to = table,
                              .arena = arena,
                              .tables = tables,
                              .program = program,
                              .config = config,
                              .diags = diags,
                              .check = {.module = program->module}};
    bool good = true;
    arena_init(&own, arena->memory);
    arena_init(&b.check.scratch, arena->memory);
    b.plan.arena = &own;
    *table = (struct offload_table){0};
    for (uint32_t i = 0; i < program->functions.n; i++)
        vec_push(arena, &table->functions, (struct offload_function){0});
    bodies_find(&b.bodies, &own, program->module->tree);
    take_options(&b);
    const struct scheme_kernels *kernels = scheme_kernels(&own, tables, program);
    for (uint32_t i = 0; i < kernels->list.n; i++)
        if (kernels->list.v[i].plan->chains.n)
            good &= add_function(&b, &kernels->list.v[i]);
    arena_free(&b.check.scratch);
    arena_free(&own);
    return good;
}
