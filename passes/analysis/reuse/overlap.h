// Which copies of a kernel's memory may overlap the kernel, word by word [001 §5]: a copy that
// delivers words in the order of their addresses, from the lowest on, and a copy that takes them as
// the kernel writes them. From the addresses of the kernel's accesses as sums; CTAs begin in the
// order of their numbers.
#pragma once
#include "passes/analysis/facts.h"

// The order in which a kernel touches the words of an array.
enum overlap_order {
    OVERLAP_NOT,       // it does not
    OVERLAP_IN_ORDER,  // low addresses first: by CTA, or by iteration in all CTAs together
    OVERLAP_SWEPT,     // each CTA goes over the array, or high addresses come first
    OVERLAP_SCATTERED, // by values that are loaded or unknown
};

// The memory of a pointer among the kernel's parameters.
struct overlap_array {
    uint32_t symbol; // the parameter
    enum overlap_order reads, writes;
    uint32_t read, write; // instructions of the worst order; IR_NONE
    bool atomics;         // some accesses are atomic
    bool by_data;         // a store depends on a condition that is not of indices and parameters
    bool overwrites;      // a store may write a word that its thread has not read
};

struct overlaps {
    VEC(struct overlap_array) arrays; // by parameter, of those that are accessed
    uint32_t unknown;                 // an access with an unknown pointer; IR_NONE
};

void overlap_find(struct overlaps *to, struct facts *facts);
// Returns true if the kernel may begin before the array has arrived, with gain; or if its copy to
// the host may begin before the kernel has ended. *why: the reason, as a sentence without a full
// stop.
bool overlap_may_start(const struct overlap_array *array, const char **why);
bool overlap_may_finish(const struct overlap_array *array, const char **why);
