#include "backend/tables/summary.h"
#include <stdlib.h>
#include <string.h>

static void count_chain(struct summary *summary, const struct table_chain *chain)
{
    summary->flits += chain->saving;
    summary->expected += chain->expected_saving;
    summary->instructions_tagged += chain->instructions.n;
    for (uint32_t i = 0; i < chain->instructions.n; i++)
        summary->loads_tagged += !strncmp(chain->instructions.v[i].opcode, "ld", 2);
}

// An alternative saves nothing in addition to the block around it.
static void count_block(struct summary *summary, const struct table_kernel *kernel,
                        const struct table_block *block)
{
    summary->candidates += block->estimate.candidate;
    if (!table_block_chosen(block))
        return;
    summary->chosen++;
    summary->conditional += block->has_condition;
    if (!table_block_around(kernel, block))
        summary->words -= block->estimate.at_tx + block->estimate.at_rx;
}

struct summary summary_of(const struct table_kernel *kernel)
{
    struct summary summary = {
        .name = kernel->name,
        .instructions = kernel->instructions,
        .loads = kernel->loads,
        .chains = kernel->chains.n,
        .blocks = kernel->blocks.n,
        .maps = kernel->maps.n,
        .no_queue = kernel->chains.n && !kernel->service_queue_at_core,
    };
    for (uint32_t i = 0; i < kernel->rejected.n; i++)
        summary.rejected += kernel->rejected.v[i].kind < CANDIDATE_KERNEL;
    for (uint32_t i = 0; i < kernel->chains.n; i++)
        count_chain(&summary, &kernel->chains.v[i]);
    for (uint32_t i = 0; i < kernel->blocks.n; i++)
        count_block(&summary, kernel, &kernel->blocks.v[i]);
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
        total.maps += one.maps;
        total.no_queue += one.no_queue;
        total.flits += one.flits;
        total.expected += one.expected;
        total.words += one.words;
    }
    return total;
}

static const enum summary_kind kind_of[] = {
    [CANDIDATE_LOAD] = SUMMARY_CHAINS,  [CANDIDATE_CHAIN] = SUMMARY_CHAINS,
    [CANDIDATE_BLOCK] = SUMMARY_BLOCKS, [CANDIDATE_STORE] = SUMMARY_CHAINS,
    [CANDIDATE_KERNEL] = SUMMARY_KINDS, // the kernel itself is not rejected
    [CANDIDATE_MAP] = SUMMARY_MAPS,
};

static int compare_reasons(const void *a, const void *b)
{
    const struct summary_reason *x = a, *y = b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : (x->rule > y->rule) - (x->rule < y->rule);
}

struct summary_reasons summary_reasons(const struct tables *tables, enum summary_kind kind)
{
    struct summary_reasons reasons = {.n = 0};
    for (uint32_t i = 0; i < RULE_COUNT; i++)
        reasons.v[i].rule = (enum plan_rule)i;
    for (uint32_t i = 0; i < tables->kernels.n; i++) {
        const struct table_kernel *kernel = &tables->kernels.v[i];
        for (uint32_t k = 0; k < kernel->rejected.n; k++)
            if (kind_of[kernel->rejected.v[k].kind] == kind)
                reasons.v[kernel->rejected.v[k].rule].count++;
    }
    qsort(reasons.v, RULE_COUNT, sizeof *reasons.v, compare_reasons);
    for (; reasons.n < RULE_COUNT && reasons.v[reasons.n].count; reasons.n++)
        reasons.candidates += reasons.v[reasons.n].count;
    return reasons;
}
