#include "passes/base/passes.h"
#include "passes/base/plan.h"

static uint32_t count_all(const struct plan *plan)
{
    return plan->chains.n + plan->blocks.n + plan->maps.n + plan->rejections.n + plan->edits.list.n;
}

bool pass_all(const struct function_pass *pass, const struct ir_module *module,
              const struct pass_options *options, struct plan *plan)
{
    uint32_t before = count_all(plan);
    struct arena arena;
    arena_init(&arena, plan->arena->memory);
    struct pass_work work = {.module = module,
                             .options = options,
                             .plan = plan,
                             .end = module->functions.n,
                             .state = pass->begin ? pass->begin(&arena, module) : NULL};
    pass->run(&work);
    if (pass->finish)
        pass->finish(module, plan);
    arena_free(&arena);
    return count_all(plan) > before;
}

#define MAP_RULE(name, id, text)                                                                   \
    _Static_assert((int)RULE_MAP_##name >= (int)RULE_COUNT - MAP_RULES,                            \
                   "rules of maps are the last rows");
#define PLAN_RULE(...)
#include "passes/base/rules.def"

const struct plan_rule_info plan_rules[RULE_COUNT] = {
#define PLAN_RULE(name, id, text, sentences) {id, text},
#include "passes/base/rules.def"
};

enum scalars { SCALARS_NONE = 1, SCALARS_NEEDED = 2, SCALARS_OPTIONAL = 3 }; // bit n: n of them

const struct chain_pattern chain_patterns[CHAIN_PATTERNS + 1] = {
    [0] = {.form = ""},
#define CHAIN_PATTERN(number, form, loads, operations, stores, scalar, response)                   \
    [number] = {form, loads, operations, stores, SCALARS_##scalar, RESPONSE_##response},
#include "passes/base/patterns.def"
#undef CHAIN_PATTERN
};

uint32_t pattern_find(uint32_t loads, uint32_t operations, uint32_t scalars, bool stored,
                      bool compares)
{
    enum response response = compares ? RESPONSE_BITMAP : stored ? RESPONSE_ACK : RESPONSE_DATA;
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++) {
        const struct chain_pattern *row = &chain_patterns[i];
        if (row->loads == loads && row->operations == operations &&
            row->stores == (stored && !compares) && row->response == response && scalars <= 1 &&
            row->scalars >> scalars & 1)
            return i;
    }
    return 0;
}

uint32_t pattern_without_store(uint32_t pattern)
{
    const struct chain_pattern *row = &chain_patterns[pattern];
    uint32_t scalars = row->scalars == SCALARS_NEEDED;
    return row->stores ? pattern_find(row->loads, row->operations, scalars, false, false) : 0;
}
