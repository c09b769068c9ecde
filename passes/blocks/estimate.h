// Evaluation of a block by a cost model, from the cost of its live values and its saved traffic.
#pragma once
#include "passes/analysis/cost/transfer.h"
#include "passes/base/plan.h"

struct block_terms {
    enum block_kind kind;
    enum trip_kind trip; // of a loop, else TRIP_ONE
    uint64_t trips;      // TRIP_CONSTANT
    bool may_be_zero;    // TRIP_COUNTED: the loop may be left before its first iteration
    const double *mean;  // measured mean of iterations of a loop without a constant count, or NULL
};

// Returns the estimate of a block that may be offloaded.
struct block_estimate block_evaluate(const struct block_terms *terms, enum cost_model cost,
                                     const struct bandwidth *bw);
