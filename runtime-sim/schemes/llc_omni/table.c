// Builds the table of chains. All entries of the metadata are checked against the program.
#include "runtime-sim/schemes/llc_omni/table.h"
#include "backend/tags/read_chains.h"
#include "support/bits.h"
#include <string.h>

struct table_builder {
    struct offload_table *to;
    struct arena *arena;
    const struct program *program;
    const struct offload_config *config;
    struct diags *diags;
    struct arena own;
    struct bodies bodies;
    struct chain_reader chains;
    uint64_t *read; // set of program functions that were read
    // Kernel that is being read.
    uint32_t function;
    const struct ir_function *fn;
    const struct table_kernel *kernel;
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

static bool is_chain(struct table_builder *b, const struct table_chain *from, struct chain *chain)
{
    uint32_t inst;
    const char *wrong = read_chain(&b->chains, from, chain, &inst);
    return !wrong || fault_of_chain(b, from, inst, wrong);
}

static void add_chain(struct table_builder *b, const struct chain *from, uint32_t id)
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
    }
    vec_push(b->arena, &b->to->chains, chain);
}

// Functions

static bool is_room(struct table_builder *b)
{
    uint32_t count = b->kernel->chains.n;
    if (b->config->policy == OFFLOAD_BASELINE || count <= b->config->chains_most)
        return true;
    return fault_of_kernel(b, arena_printf(b->arena, "there are %u, but offload.chains_most is %u",
                                           count, b->config->chains_most));
}

static bool add_chains(struct table_builder *b)
{
    bool good = true;
    bits_set(b->read, b->function);
    for (uint32_t i = 0; i < b->kernel->chains.n; i++) {
        struct chain chain;
        good &= is_chain(b, &b->kernel->chains.v[i], &chain);
        if (good)
            add_chain(b, &chain, i);
    }
    return good;
}

static bool add_function(struct table_builder *b, const struct scheme_kernel *kernel)
{
    b->kernel = kernel->plan;
    b->function = kernel->function;
    b->fn = kernel->fn;
    if (!b->fn) {
        diag_add(b->diags, DIAG_ERROR, "metadata", NO_OFFSET, NO_OFFSET,
                 "there are chains of '%s', but no such function", b->kernel->name);
        return false;
    }
    read_chains_of(&b->chains, b->program->functions.v[b->function].function,
                   &b->bodies.list.v[b->function]);
    if (bits_test(b->read, b->function))
        return fault_of_kernel(b, "they are listed twice");
    if (b->fn->incomplete)
        return fault_of_kernel(b, "the function branches to unknown targets");
    if (b->kernel->instructions != b->fn->insts.n)
        return fault_of_kernel(
            b, arena_printf(b->arena, "they belong to %u instructions, but the function has %u",
                            b->kernel->instructions, b->fn->insts.n));
    return is_room(b) && add_chains(b);
}

bool offload_table_build(struct offload_table *table, struct arena *arena,
                         const struct tables *tables, const struct program *program,
                         const struct offload_config *config, struct diags *diags)
{
    struct table_builder b = {
        .to = table, .arena = arena, .program = program, .config = config, .diags = diags};
    bool good = true;
    arena_init(&b.own, arena->memory);
    read_chains_begin(&b.chains, arena, program->module, tables);
    *table = (struct offload_table){.kernels = scheme_kernels(arena, tables, program)};
    b.read = bits_new(&b.own, program->functions.n);
    bodies_find(&b.bodies, &b.own, program->module->tree);
    for (uint32_t i = 0; i < table->kernels->list.n; i++)
        if (table->kernels->list.v[i].plan->chains.n)
            good &= add_function(&b, &table->kernels->list.v[i]);
    read_chains_end(&b.chains);
    arena_free(&b.own);
    return good;
}
