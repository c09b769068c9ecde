#include "backend/summary.h"
#include <string.h>

static void count_chain(struct summary *summary, const struct table_chain *chain)
{
    summary->instructions_tagged += chain->instructions.n;
    for (uint32_t i = 0; i < chain->instructions.n; i++)
        summary->loads_tagged += !strncmp(chain->instructions.v[i].opcode, "ld", 2);
}

struct summary summary_of(const struct table_kernel *kernel)
{
    struct summary summary = {
        .name = kernel->name,
        .instructions = kernel->instructions,
        .loads = kernel->loads,
        .chains = kernel->chains.n,
        .blocks = kernel->blocks.n,
    };
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        summary.rejected += kernel->rejected.v[i].kind < CANDIDATE_KERNEL;
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        count_chain(&summary, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++) {
        const struct table_block *block = &kernel->blocks.v[i];
        summary.candidates += block->estimate.candidate;
        summary.chosen += table_block_chosen(block);
        summary.conditional += table_block_chosen(block) && block->has_condition;
    }
    return summary;
}

struct summary summary_total(const struct tables *tables)
{
    struct summary total = {0};
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        struct summary one = summary_of(&tables->kernels.v[i]);
        total.instructions += one.instructions;
        total.instructions_tagged += one.instructions_tagged;
        total.loads += one.loads;
        total.loads_tagged += one.loads_tagged;
        total.chains += one.chains;
        total.blocks += one.blocks;
        total.candidates += one.candidates;
        total.chosen += one.chosen;
        total.conditional += one.conditional;
        total.rejected += one.rejected;
    }
    return total;
}
