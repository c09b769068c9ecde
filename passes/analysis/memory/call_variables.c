#include "passes/analysis/memory/call_variables.h"
#include "support/search.h"

struct variable_search {
    struct call_variables *to;
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    uint32_t function;
    VEC(uint32_t) symbols;            // per mention; IR_NONE: an address in a register
    uint32_t min, max;                // range of the symbols that are named
    struct call_mention *of;          // per symbol - least: first and last mention
    bool *taken;                      // per symbol - least: its address is in a register
    struct call_mention by_registers; // first and last access through a register
};

// Returns true for variables of the body. Parameters of the function precede its body.
static bool is_variable(const struct variable_search *s, uint32_t symbol)
{
    const struct ir_symbol *at = &s->module->symbols.v[symbol];
    return at->space == W_param && at->function == s->function && s->fn->scopes.n &&
           at->node > s->fn->scopes.v[0];
}

static void add_mention(struct variable_search *s, uint32_t inst, uint32_t symbol)
{
    struct call_mention mention = {inst, inst, inst};
    vec_push(s->arena, &s->to->list, mention);
    vec_push(s->arena, &s->symbols, symbol);
    if (symbol == IR_NONE)
        return;
    s->min = symbol < s->min ? symbol : s->min;
    s->max = symbol > s->max ? symbol : s->max;
}

static void add_inst(struct variable_search *s, uint32_t inst)
{
    const struct ir_inst *at = &s->fn->insts.v[inst];
    const struct ir_operand *operands = ir_operands(s->fn, inst);
    for (uint32_t i = 0; i < at->operand_count; i++)
        if (operands[i].kind == OPERAND_SYMBOL && is_variable(s, operands[i].index))
            add_mention(s, inst, operands[i].index);
    bool access = at->class == CLASS_LOAD || at->class == CLASS_STORE;
    if (access && (at->space == W_param || at->space == W_param_func)) {
        uint32_t address = ir_find_operand(s->fn, inst, ROLE_ADDRESS, 0);
        if (address != IR_NONE && s->fn->operands.v[address].kind == OPERAND_REGISTER)
            add_mention(s, inst, IR_NONE);
    }
}

static bool has_address_operand(const struct ir_function *fn, uint32_t inst)
{
    const struct ir_inst *at = &fn->insts.v[inst];
    return at->class != CLASS_LOAD && at->class != CLASS_STORE && at->class != CLASS_CALL;
}

static void extend(struct call_mention *to, uint32_t inst)
{
    to->first = inst < to->first ? inst : to->first;
    to->last = inst > to->last ? inst : to->last;
}

// Returns the range of the mention's variable. Variables reached through registers share one range.
static struct call_mention *range_of(struct variable_search *s, uint32_t mention)
{
    uint32_t symbol = s->symbols.v[mention];
    return symbol == IR_NONE || s->taken[symbol - s->min] ? &s->by_registers
                                                          : &s->of[symbol - s->min];
}

static void find_ranges(struct variable_search *s)
{
    uint32_t count = s->min > s->max ? 0 : s->max - s->min + 1;
    s->of = ARENA_ARRAY(s->arena, struct call_mention, count + 1);
    s->taken = ARENA_ARRAY(s->arena, bool, count + 1);
    for (uint32_t i = 0; i < count; i++)
        s->of[i].first = UINT32_MAX;
    for (uint32_t i = 0; i < s->symbols.n; i++)
        if (s->symbols.v[i] != IR_NONE && has_address_operand(s->fn, s->to->list.v[i].inst))
            s->taken[s->symbols.v[i] - s->min] = true;
    for (uint32_t i = 0; i < s->symbols.n; i++)
        extend(range_of(s, i), s->to->list.v[i].inst);
    for (uint32_t i = 0; i < s->symbols.n; i++) {
        s->to->list.v[i].first = range_of(s, i)->first;
        s->to->list.v[i].last = range_of(s, i)->last;
    }
}

void call_variables_find(struct call_variables *variables, struct arena *arena,
                         const struct ir_module *module, uint32_t function)
{
    struct variable_search s = {.to = variables,
                                .arena = arena,
                                .module = module,
                                .fn = &module->functions.v[function],
                                .function = function,
                                .min = UINT32_MAX,
                                .by_registers = {.first = UINT32_MAX}};
    *variables = (struct call_variables){0};
    for (uint32_t inst = 0; inst < s.fn->insts.n; inst++)
        add_inst(&s, inst);
    if (s.symbols.n)
        find_ranges(&s);
}

uint32_t call_variables_cut(const struct call_variables *variables, uint32_t first, uint32_t last)
{
    uint32_t low = SEARCH(i, 0, variables->list.n, variables->list.v[i].inst < first);
    for (; low < variables->list.n && variables->list.v[low].inst <= last; low++)
        if (variables->list.v[low].first < first || variables->list.v[low].last > last)
            return variables->list.v[low].inst;
    return IR_NONE;
}
