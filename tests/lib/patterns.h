// Patterns of chains, by the saving of [000 Table 1].
#pragma once
#include "passes/base/plan.h"

// Returns true if a chain of the pattern saves flits. Others are selected with --cost=tom only.
static inline bool pattern_saves(uint32_t pattern)
{
    enum { ACCESS = 6, PACKET = 1, ANSWER = 1, DATA = 5 }; // flits
    const struct chain_pattern *row = &chain_patterns[pattern];
    int response = row->response == RESPONSE_DATA ? DATA : ANSWER;
    return ACCESS * (row->loads + row->stores) > PACKET + response;
}
