// Tests that a text and the tagger's output compute the same.
#pragma once
#include "tests/fuzz/kernels.h"
#include "tests/fuzz/tagged.h"

enum outcome {
    OUTCOME_SAME,
    OUTCOME_DIFFERENT,
    OUTCOME_BROKEN,  // the original does not run
    OUTCOME_SKIPPED, // not comparable: a division into two roundings with no reference
};

struct trial {
    const char *lanes;
    enum fma_mode fma;
    enum mutation mutation;
    uint64_t seed; // of the damage
};

struct comparison {
    enum outcome outcome;
    char why[400];
    struct tagged tagged; // without its text
    uint64_t thread_instructions;
};

// Returns the text that is executed in place of the original if the tagger divides fused
// multiply-adds, or NULL to skip the comparison. Called with the tagger's result. May return the
// text itself, if the inputs are such that one more rounding makes no difference.
typedef const char *reference_fn(void *context, const struct tagged *tagged);

void compare_launch(struct comparison *result, const struct trial *trial, const char *text,
                    const struct launch_inputs *inputs, reference_fn *reference, void *context);
void compare_kernel(struct comparison *result, const struct trial *trial,
                    struct random_kernel *kernel);

// Drops statements as long as the kernel still fails in the trial.
void shrink_kernel(const struct trial *trial, struct random_kernel *kernel);

// Compares every kernel of samples/ and prints a case for each, with numbers from `first` on.
// Returns their number; adds to `failed`.
uint32_t compare_samples(const char *root, uint32_t first, uint32_t *failed);
