#include "backend/tags/tags_small.h"
#include "backend/tables/build.h"
#include "passes/blocks/estimate.h"
#include "passes/chains/saving.h"
#include <string.h>

struct small_rows small_rows(struct arena *arena)
{
    return (struct small_rows){fields_of(arena, rows_document, FIELD_SMALL_TAG),
                               fields_of(arena, rows_kernel, FIELD_SMALL_TAG),
                               fields_of(arena, rows_chain, FIELD_SMALL_TAG),
                               fields_of(arena, rows_block, FIELD_SMALL_TAG)};
}

struct tables small_usual_module(void)
{
    return (struct tables){.version = TABLES_VERSION,
                           .options = {.cost = COST_REFINED, .reorder = true},
                           .capability = "",
                           .profile = ""};
}

struct table_kernel small_usual_kernel(uint32_t loads)
{
    return (struct table_kernel){.service_queue_at_core = true, .loads = loads};
}

struct table_chain small_usual_chain(uint32_t pattern)
{
    return (struct table_chain){.response = chain_patterns[pattern].response, .response_flits = 1};
}

// Estimates

static int64_t parts(double words, int64_t scale)
{
    double limit = (double)(INT64_MAX / 4), all = words * (double)scale;
    return all > limit ? INT64_MAX / 4 : all < -limit ? -INT64_MAX / 4 : (int64_t)all;
}

static struct block_estimate estimate_block(const struct table_block *block, enum cost_model cost,
                                            const double words[4])
{
    int64_t scale = cost == COST_TOM ? BW_QUARTERS : BW_REFINED;
    struct bandwidth bw = {.scale = scale,
                           .in = parts(words[0], scale),
                           .out = parts(words[1], scale),
                           .saved_tx = parts(words[2], scale),
                           .saved_rx = parts(words[3], scale)};
    struct block_terms terms = {.kind = block->kind,
                                .trip = block->kind != BLOCK_LOOP ? TRIP_ONE
                                        : block->trips            ? TRIP_CONSTANT
                                                                  : TRIP_COUNTED,
                                .trips = block->trips};
    return block_evaluate(&terms, cost, &bw);
}

struct table_estimate small_estimate(const struct table_block *block, enum cost_model cost,
                                     const double words[4])
{
    struct block_estimate estimate = estimate_block(block, cost, words);
    estimate.candidate = true;
    return tables_estimate(&estimate);
}

bool small_can_derive(const struct table_block *block, const struct table_estimate *estimate)
{
    const double words[] = {estimate->in, estimate->out, estimate->saved_tx, estimate->saved_rx};
    struct table_estimate derived = small_estimate(block, estimate->cost, words);
    return derived.in == estimate->in && derived.out == estimate->out &&
           derived.saved_tx == estimate->saved_tx && derived.saved_rx == estimate->saved_rx &&
           derived.bw_tx == estimate->bw_tx && derived.bw_rx == estimate->bw_rx &&
           derived.at_tx == estimate->at_tx && derived.at_rx == estimate->at_rx &&
           derived.threshold_tx == estimate->threshold_tx &&
           derived.threshold_rx == estimate->threshold_rx && derived.saves == estimate->saves;
}

bool small_has_block(const struct table_block *block)
{
    bool has = block->estimate.candidate;
    for (uint32_t i = 0; i < block->alternatives.n; i++)
        has |= block->alternatives.v[i].candidate;
    return has;
}

struct table_block small_usual_block(const struct table_block *block)
{
    const struct table_estimate *of = &block->estimate;
    const double words[] = {of->in, of->out, of->saved_tx, of->saved_rx};
    uint64_t threshold = estimate_block(block, of->cost, words).threshold;
    return (struct table_block){.kind = BLOCK_BASIC,
                                .condition = "",
                                .threshold = threshold < INT64_MAX ? threshold : INT64_MAX};
}
