#include "passes/chains/shared.h"

struct shared_search {
    struct arena *arena;
    const struct ir_module *module;
    bool any;              // the module has variables in shared memory
    uint32_t round;        // number of the query
    uint32_t *symbol_met;  // per symbol: last query that visited it
    uint32_t *met;         // per function: last query that visited it
    uint32_t *function_of; // per symbol: function, or IR_NONE
    VEC(uint32_t) work;    // functions to visit
    struct shared_memory found;
};

static void visit_function(struct shared_search *s, uint32_t function)
{
    if (function == IR_NONE || s->met[function] == s->round)
        return;
    s->met[function] = s->round;
    vec_push(s->arena, &s->work, function);
}

static bool is_shared(const struct ir_symbol *symbol)
{
    return symbol->space == W_shared || symbol->space == W_shared_cta ||
           symbol->space == W_shared_cluster;
}

static void visit_symbol(struct shared_search *s, uint32_t index, uint32_t inst, bool own)
{
    const struct ir_symbol *symbol = &s->module->symbols.v[index];
    if (symbol->space == W_func)
        visit_function(s, s->function_of[index]);
    if (!is_shared(symbol) || s->symbol_met[index] == s->round)
        return;
    s->symbol_met[index] = s->round;
    uint64_t align = symbol->align ? symbol->align : 1;
    s->found.bytes = align_up(s->found.bytes, align) + symbol->size;
    s->found.more |= !symbol->size;
    if (own && s->found.first == IR_NONE)
        s->found.first = inst;
}

static void read_function(struct shared_search *s, uint32_t function, bool own)
{
    const struct ir_function *fn = &s->module->functions.v[function];
    for (uint32_t i = 0; i < fn->operands.n; i++)
        if (fn->operands.v[i].kind == OPERAND_SYMBOL)
            visit_symbol(s, fn->operands.v[i].index, fn->operand_inst.v[i], own);
}

struct shared_search *shared_search_new(struct arena *arena, const struct ir_module *module)
{
    struct shared_search *s = ARENA_NEW(arena, struct shared_search);
    s->arena = arena;
    s->module = module;
    s->symbol_met = ARENA_ARRAY(arena, uint32_t, module->symbols.n + 1);
    s->met = ARENA_ARRAY(arena, uint32_t, module->functions.n + 1);
    s->function_of = ARENA_ARRAY(arena, uint32_t, module->symbols.n + 1);
    for (uint32_t i = 0; i < module->symbols.n; i++) {
        s->function_of[i] = IR_NONE;
        s->any |= is_shared(&module->symbols.v[i]);
    }
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body && module->functions.v[i].symbol != IR_NONE)
            s->function_of[module->functions.v[i].symbol] = i;
    return s;
}

struct shared_memory shared_memory_of(struct shared_search *s, uint32_t function)
{
    s->found = (struct shared_memory){0, IR_NONE, false};
    s->round++;
    if (s->any)
        visit_function(s, function);
    while (s->work.n) {
        uint32_t at = s->work.v[--s->work.n];
        read_function(s, at, at == function);
    }
    return s->found;
}

bool shared_leaves_queue(const struct capability *capability, const struct shared_memory *shared)
{
    return shared->bytes + capability->service_queue_bytes <= capability->shared_bytes;
}
