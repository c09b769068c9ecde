#include "passes/shared.h"
#include "support/bits.h"

struct search {
    struct arena scratch;
    const struct ir_module *module;
    uint64_t *symbols, *functions; // bit sets: those that were met
    uint32_t *function_of;         // per symbol: function, or IR_NONE
    VEC(uint32_t) work;            // functions
    struct shared_memory found;
};

static void meet_function(struct search *s, uint32_t function)
{
    if (function == IR_NONE || bits_test(s->functions, function))
        return;
    bits_set(s->functions, function);
    vec_push(&s->scratch, &s->work, function);
}

static bool is_shared(const struct ir_symbol *symbol)
{
    return symbol->space == W_shared || symbol->space == W_shared_cta ||
           symbol->space == W_shared_cluster;
}

static void meet_symbol(struct search *s, uint32_t index, uint32_t inst, bool own)
{
    const struct ir_symbol *symbol = &s->module->symbols.v[index];
    if (symbol->space == W_func)
        meet_function(s, s->function_of[index]);
    if (!is_shared(symbol) || bits_test(s->symbols, index))
        return;
    bits_set(s->symbols, index);
    uint64_t align = symbol->align ? symbol->align : 1;
    s->found.bytes = (s->found.bytes + align - 1) / align * align + symbol->size;
    s->found.more |= !symbol->size;
    if (own && s->found.first == IR_NONE)
        s->found.first = inst;
}

static void read_function(struct search *s, uint32_t function, bool own)
{
    const struct ir_function *fn = &s->module->functions.v[function];
    for (uint32_t i = 0; i < fn->operands.n; i++)
        if (fn->operands.v[i].kind == OPERAND_SYMBOL)
            meet_symbol(s, fn->operands.v[i].index, fn->operand_inst.v[i], own);
}

// True if the module has such variables at all: else nothing is to be searched.
static bool has_shared(const struct ir_module *module)
{
    for (uint32_t i = 0; i < module->symbols.n; i++)
        if (is_shared(&module->symbols.v[i]))
            return true;
    return false;
}

struct shared_memory shared_memory_of(struct arena *arena, const struct ir_module *module,
                                      uint32_t function)
{
    struct search s = {.module = module, .found = {0, IR_NONE, false}};
    if (!has_shared(module))
        return s.found;
    arena_init(&s.scratch, arena->memory);
    s.symbols = bits_new(&s.scratch, module->symbols.n + 1);
    s.functions = bits_new(&s.scratch, module->functions.n + 1);
    s.function_of = ARENA_ARRAY(&s.scratch, uint32_t, module->symbols.n + 1);
    for (uint32_t i = 0; i < module->symbols.n; i++)
        s.function_of[i] = IR_NONE;
    for (uint32_t i = 0; i < module->functions.n; i++)
        if (module->functions.v[i].has_body && module->functions.v[i].symbol != IR_NONE)
            s.function_of[module->functions.v[i].symbol] = i;
    meet_function(&s, function);
    while (s.work.n) {
        uint32_t at = s.work.v[--s.work.n];
        read_function(&s, at, at == function);
    }
    arena_free(&s.scratch);
    return s.found;
}

bool shared_leaves_queue(const struct capability *capability, const struct shared_memory *shared)
{
    return shared->bytes + capability->service_queue_bytes <= capability->shared_bytes;
}
