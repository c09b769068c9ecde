#include "runtime-sim/schemes/kernels.h"
#include "runtime-sim/gpu/scheme/ports.h"

const struct scheme_kernels *scheme_kernels(struct arena *arena, const struct tables *tables,
                                            const struct program *program)
{
    struct scheme_kernels *kernels = ARENA_NEW(arena, struct scheme_kernels);
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        struct scheme_kernel kernel = {.plan = &tables->kernels.v[i]};
        const struct program_function *found = program_find_function(program, kernel.plan->name);
        if (found) {
            kernel.function = (uint32_t)(found - program->functions.v);
            kernel.fn = &program->module->functions.v[found->function];
        }
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
