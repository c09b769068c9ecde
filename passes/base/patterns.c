#include "passes/base/patterns.h"

enum scalars { SCALARS_NONE = 1, SCALARS_NEEDED = 2, SCALARS_OPTIONAL = 3 }; // bit n: n of them

const struct chain_pattern chain_patterns[CHAIN_PATTERNS + 1] = {
    [0] = {.form = ""},
#define CHAIN_PATTERN(number, form, loads, operations, stores, scalar, response)                   \
    [number] = {form, loads, operations, stores, SCALARS_##scalar, RESPONSE_##response},
#include "passes/base/patterns.def"
#undef CHAIN_PATTERN
};

uint32_t pattern_find(uint32_t loads, uint32_t operations, uint32_t scalars, bool stored,
                      bool compares)
{
    enum response response = compares ? RESPONSE_BITMAP : stored ? RESPONSE_ACK : RESPONSE_DATA;
    for (uint32_t i = 1; i <= CHAIN_PATTERNS; i++) {
        const struct chain_pattern *row = &chain_patterns[i];
        if (row->loads == loads && row->operations == operations &&
            row->stores == (stored && !compares) && row->response == response && scalars <= 1 &&
            row->scalars >> scalars & 1)
            return i;
    }
    return 0;
}

uint32_t pattern_without_store(uint32_t pattern)
{
    const struct chain_pattern *row = &chain_patterns[pattern];
    uint32_t scalars = row->scalars == SCALARS_NEEDED;
    return row->stores ? pattern_find(row->loads, row->operations, scalars, false, false) : 0;
}
