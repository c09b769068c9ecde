// Binary search in sorted elements. bsearch finds only elements that equal the key, and any of
// them.
#pragma once
#include <stdint.h>

// Returns the first index `at` in [from, end) for which the expression `precedes` is false, or
// `end`. Requires that it is true for all smaller indices.
#define SEARCH(at, from, end, precedes)                                                            \
    __extension__({                                                                                \
        uint32_t low_ = (from), high_ = (end);                                                     \
        while (low_ < high_) {                                                                     \
            uint32_t at = low_ + (high_ - low_) / 2;                                               \
            if (precedes)                                                                          \
                low_ = at + 1;                                                                     \
            else                                                                                   \
                high_ = at;                                                                        \
        }                                                                                          \
        low_;                                                                                      \
    })
