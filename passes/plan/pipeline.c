#include "passes/plan/pipeline.h"
#include "support/parallel.h"
#include <string.h>

// Blocks are evaluated on the unchanged module, and do not depend on the chains or their order. The
// reorder pass carries out what the chain pass found to be possible.
const struct pass passes[] = {
    {"chains", &pass_chains, "find Load-Compute-Store chains"},
    {"reorder", &pass_reorder, "move the instructions of a chain next to each other"},
    {"blocks", &pass_blocks, "find candidate blocks and compute their costs and savings"},
    {"maps", &pass_maps, "compile kernels to maps for spatial cores, with --maps"},
    {NULL, NULL, NULL},
};

_Static_assert(ARRAY_LENGTH(passes) <= MAX_PASSES + 1, "room for their results");

const struct pass *pass_find(const char *name)
{
    for (const struct pass *pass = passes; pass->name; pass++)
        if (!strcmp(pass->name, name))
            return pass;
    return NULL;
}

static uint32_t count_passes(const struct pipeline *pipeline)
{
    uint32_t count = 0;
    while (passes[count].name && (!count || &passes[count - 1] != pipeline->stop_after))
        count++;
    return count;
}

// The source's line table is built at the first request, which must not come from a worker thread.
static uint32_t threads_of(const struct pipeline *pipeline, const struct ir_module *module,
                           const struct plan *plan)
{
    enum { NEED = 32 }; // bytes for each byte of the text
    const struct source *source = module->tree->source;
    if (pipeline->keep_facts)
        return 1;
    uint32_t threads =
        parallel_threads(plan->arena->memory, pipeline->threads, (size_t)source->length * NEED);
    if (threads > 1)
        source_lines(source);
    return threads;
}

static void report_times(const struct pipeline *pipeline, uint32_t count,
                         const struct crew_seconds *seconds)
{
    if (!pipeline->spent)
        return;
    for (uint32_t i = 0; i < count; i++)
        pipeline->spent(pipeline->context, passes[i].name, seconds->pass[i]);
    if (pipeline->validate)
        pipeline->spent(pipeline->context, "validate", seconds->validate);
}

const char *pipeline_run(const struct pipeline *pipeline, struct ir_module *module,
                         struct plan *plan)
{
    struct crew_seconds seconds = {.validate = 0};
    uint32_t count = count_passes(pipeline), invalid;
    double begin = crew_clock();
    if (pipeline->validate && ir_validate(module, pipeline->faults))
        return "ir";
    seconds.validate = crew_clock() - begin;
    uint32_t threads = threads_of(pipeline, module, plan);
    crew_run(pipeline, module, plan, count, threads, &invalid, &seconds);
    for (uint32_t i = 0; i < count; i++)
        if (passes[i].run->finish)
            passes[i].run->finish(module, plan);
    report_times(pipeline, count, &seconds);
    if (!invalid)
        return NULL;
    ir_validate(module, pipeline->faults);
    return passes[invalid - 1].name;
}
