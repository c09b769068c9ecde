#include "runtime-sim/schemes/kernels.h"
#include "runtime-sim/gpu/ports.h"
#include <string.h>

// Finds the kernel, or function that kernels call, that the plan names; `fn` stays NULL without
// one.
static void find_function(struct scheme_kernel *kernel, const struct program *program)
{
    const struct ir_module *module = program->module;
    size_t length = strlen(kernel->plan->name);
    for (uint32_t i = 0; i < program->functions.n; i++) {
        const struct ir_function *fn = &module->functions.v[program->functions.v[i].function];
        const struct name *name = tree_name(module->tree, fn->name);
        if (name->length != length || memcmp(name->text, kernel->plan->name, length))
            continue;
        kernel->function = i;
        kernel->fn = fn;
        return;
    }
}

const struct scheme_kernels *scheme_kernels(struct arena *arena, const struct tables *tables,
                                            const struct program *program)
{
    struct scheme_kernels *kernels = ARENA_NEW(arena, struct scheme_kernels);
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        struct scheme_kernel kernel = {.plan = &tables->kernels.v[i]};
        find_function(&kernel, program);
        vec_push(arena, &kernels->list, kernel);
    }
    return kernels;
}

void scheme_read_kernels(struct scheme_plan *plan, struct arena *arena, const struct tables *tables,
                         const struct program *program, const void *config, struct diags *diags)
{
    (void)config;
    (void)diags;
    plan->table = tables ? scheme_kernels(arena, tables, program) : NULL;
}

uint8_t scheme_mark_chains(struct machine *machine, const struct scheme_ops *ops,
                           const struct scheme_kernels *kernels)
{
    struct timings *timings = machine_timings(machine);
    uint8_t scheme = (uint8_t)machine_scheme_number(machine_port(machine).config, ops);
    for (uint32_t i = 0, number = 0; i < kernels->list.n; i++) {
        const struct scheme_kernel *kernel = &kernels->list.v[i];
        for (uint32_t k = 0; kernel->fn && k < kernel->plan->chains.n; k++, number++) {
            const struct table_chain *chain = &kernel->plan->chains.v[k];
            for (uint8_t place = 0; place < chain->instructions.n; place++) {
                uint32_t inst = chain->instructions.v[place].index;
                timing_mark(&timings->list[timings_find(timings, kernel->function, inst)], scheme,
                            number, place);
            }
        }
    }
    return scheme;
}
