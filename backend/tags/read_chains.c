// Metadata identify instructions by their number in the function's text, which is also their number
// in the IR. A chain must be one that the passes find in the program with the same options.
#include "backend/tags/read_chains.h"
#include "passes/analysis/facts.h"
#include "passes/base/capability.h"
#include <string.h>

void read_chains_begin(struct chain_reader *r, struct arena *arena, const struct ir_module *module,
                       const struct tables *tables)
{
    *r = (struct chain_reader){
        .arena = arena, .module = module, .options = tables->options, .check = {.module = module}};
    arena_init(&r->own, arena->memory);
    arena_init(&r->facts, arena->memory);
    arena_init(&r->check.scratch, arena->memory);
    r->plan.arena = &r->own;
    r->plan.facts_arena = &r->facts;
    r->options.capability = NULL;
    r->options.measured = NULL;
    struct capability *capability = ARENA_NEW(&r->own, struct capability);
    if (tables->capability && capability_from_text(capability, &r->own, tables->capability))
        r->options.capability = capability;
}

void read_chains_of(struct chain_reader *r, uint32_t function, const struct body *body)
{
    facts_forget(&r->plan, r->function, r->function + 1);
    arena_reset(&r->facts);
    r->function = function;
    r->body = body;
    r->begun = false;
}

// Checks an instruction of a chain against the program, except for what the pattern determines.
// Returns NULL, or the fault.
static const char *inst_fault(struct chain_reader *r, const struct ir_function *fn,
                              const struct table_instruction *inst)
{
    const char *opcode = body_opcode(r->body, r->arena, inst->index);
    const struct ir_inst *at = &fn->insts.v[inst->index];
    if (strcmp(opcode, inst->opcode))
        return arena_printf(r->arena, "this is '%s', but the chain has '%s' here", opcode,
                            inst->opcode);
    if (at->class == CLASS_LOAD || at->class == CLASS_STORE || ir_is_copy(fn, inst->index))
        return NULL;
    struct alu alu = alu_of(capability_of(&r->options), r->module, fn, inst->index);
    return alu.kind == ALU_NONE
               ? arena_printf(r->arena, "the unit near the data cannot compute '%s'", opcode)
               : NULL;
}

// Returns the chain in the form of the passes.
static struct chain chain_of(const struct chain_reader *r, const struct ir_function *fn,
                             const struct table_chain *from)
{
    struct chain chain = {.function = r->function,
                          .pattern = from->pattern,
                          .count = from->instructions.n,
                          .response = from->response,
                          .response_flits = from->response_flits,
                          .expected_saving = from->expected_saving};
    uint32_t last = fn->insts.v[from->instructions.v[chain.count - 1].index].block;
    for (uint32_t i = 0; i < chain.count; i++) {
        chain.inst[i] = from->instructions.v[i].index;
        chain.across |= fn->insts.v[chain.inst[i]].block != last;
    }
    return chain;
}

const char *read_chain(struct chain_reader *r, const struct table_chain *from, struct chain *chain,
                       uint32_t *inst)
{
    const struct ir_function *fn = &r->module->functions.v[r->function];
    *chain = chain_of(r, fn, from);
    for (uint32_t i = 0; i < chain->count; i++) {
        *inst = chain->inst[i];
        const char *wrong = inst_fault(r, fn, &from->instructions.v[i]);
        if (wrong)
            return wrong;
    }
    *inst = chain->inst[0];
    if (fn->insts.v[*inst].class != CLASS_LOAD)
        return "it does not begin with a load";
    if (!r->begun)
        verify_chain_begin(&r->check, facts_of(&r->plan, r->module, &r->options, r->function));
    r->begun = true;
    return verify_chain(&r->check, chain);
}

void read_chains_end(struct chain_reader *r)
{
    arena_free(&r->check.scratch);
    arena_free(&r->facts);
    arena_free(&r->own);
}
