// Executes one launch with its inputs from a text, for tests that compare the results of two texts.
#pragma once
#include "support/random.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fill {
    FILL_ZERO,
    FILL_MIXED, // words of all kinds: corner cases, small integers, floats, random bits
    FILL_REAL,  // finite floats in [0.5, 1.5)
    FILL_WHOLE, // floats that are small integers, positive or negative
    FILL_BELOW, // random words below `value`
    FILL_ABOVE, // random words from `value` to below 2 · value
    FILL_STEPS, // 0, value, 2 · value …
};

enum input_kind { INPUT_BUFFER, INPUT_ALIAS, INPUT_WORD };

struct input {
    enum input_kind kind;
    enum fill fill;
    uint32_t bytes; // of a buffer
    uint32_t value; // of a word; of the fill; of an alias: bytes from the start of the buffer
    uint32_t of;    // INPUT_ALIAS: which input has the buffer
};

enum { INPUTS = 16 };

struct launch_inputs {
    const char *entry;
    uint32_t grid[3], block[3];
    struct input list[INPUTS];
    uint32_t count;
    uint64_t seed;
};

enum execution {
    EXECUTED,
    REFUSED, // the text has errors, no such kernel, or one that cannot run
    FAULTED, // it ran into a fault or did not end
};

struct executed {
    enum execution how;
    char why[320];
    uint8_t *bytes; // the buffers, one behind the other; from malloc
    size_t size;
    uint64_t thread_instructions;
};

// Executes the text with these lanes ("plain", "avx2"). `schedule`: argument of ir_schedule; 0: in
// the order of the text.
void launch_execute(struct executed *done, const char *text, size_t length,
                    const struct launch_inputs *inputs, const char *lanes, uint32_t schedule);

static inline uint64_t random_next(uint64_t *state)
{
    return splitmix64(state);
}
