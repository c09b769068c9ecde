#include "passes/plan/pipeline.h"
#include <string.h>

// Blocks are judged on the module as it is and do not depend on the chains or their order. The
// reordering carries out what the chains' pass found to be possible.
const struct pass passes[] = {
    {"chains", pass_chains, "find Load-Compute-Store chains"},
    {"reorder", pass_reorder, "move the instructions of a chain next to each other"},
    {"blocks", pass_blocks, "find candidate blocks and compute their costs and savings"},
    {NULL, NULL, NULL},
};

const struct pass *pass_find(const char *name)
{
    for (const struct pass *pass = passes; pass->name; pass++)
        if (!strcmp(pass->name, name))
            return pass;
    return NULL;
}

static void step(const struct pipeline *pipeline, const char *name)
{
    if (pipeline->step)
        pipeline->step(pipeline->context, name);
}

static bool is_valid(const struct pipeline *pipeline, const struct ir_module *module)
{
    if (!pipeline->validate)
        return true;
    uint32_t faults = ir_validate(module, pipeline->faults);
    step(pipeline, "validate");
    return !faults;
}

const char *pipeline_run(const struct pipeline *pipeline, struct ir_module *module,
                         struct plan *plan)
{
    if (!is_valid(pipeline, module))
        return "ir";
    for (const struct pass *pass = passes; pass->name; pass++) {
        pass->run(module, &pipeline->options, plan);
        step(pipeline, pass->name);
        if (!is_valid(pipeline, module))
            return pass->name;
        if (pass == pipeline->stop_after)
            break;
    }
    return NULL;
}
