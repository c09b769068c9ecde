#include "passes/base/passes.h"

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
