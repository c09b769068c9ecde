// The patterns of chains [000 Table 1], numbered from 1 to CHAIN_PATTERNS.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum response { RESPONSE_ACK, RESPONSE_DATA, RESPONSE_BITMAP };

enum {
    CHAIN_PATTERNS = 0
#define CHAIN_PATTERN(...) +1
#include "passes/base/patterns.def"
#undef CHAIN_PATTERN
};

struct chain_pattern {
    const char *form;
    uint8_t loads, operations, stores;
    uint8_t scalars; // bit n: n scalars are allowed
    enum response response;
};
extern const struct chain_pattern chain_patterns[CHAIN_PATTERNS + 1]; // row 0 has no pattern

// Returns the pattern with these counts, or 0. `compares`: the operation is a comparison, whose
// result is a bitmap.
uint32_t pattern_find(uint32_t loads, uint32_t operations, uint32_t scalars, bool stored,
                      bool compares);
// Returns the pattern of the same chain without its store, or 0.
uint32_t pattern_without_store(uint32_t pattern);
