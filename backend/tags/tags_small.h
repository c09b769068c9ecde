// Records of small tags: what the simulator reads, except for what it can derive.
#pragma once
#include "backend/tables/rows.h"

struct small_rows {
    const struct record_field_use *module, *kernel, *chain, *block;
};
// Returns the fields that small tags have.
struct small_rows small_rows(struct arena *arena);

// Return the values of keys that a tag lacks.
struct tables small_usual_module(void);
struct table_kernel small_usual_kernel(uint32_t loads);
struct table_chain small_usual_chain(uint32_t pattern);
// Requires kind, trips and estimates.
struct table_block small_usual_block(const struct table_block *block);

// Returns true if the block is a candidate by at least one cost model.
bool small_has_block(const struct table_block *block);
// Returns the result of a cost model for a candidate. `words`: in, out, saved to memory, saved from
// memory. Requires the block's kind and number of iterations.
struct table_estimate small_estimate(const struct table_block *block, enum cost_model cost,
                                     const double words[4]);
// Returns true if small_estimate gives this estimate again.
bool small_can_derive(const struct table_block *block, const struct table_estimate *estimate);
