// Finds the copies of a kernel's memory that may overlap the kernel, word by word [001 §5]: a copy
// to the device, which delivers words in ascending order of addresses, and a copy to the host,
// which accepts them as the kernel writes them. The result follows from the kernel's addresses as
// sums. CTAs are assumed to start in the order of their numbers.
#pragma once
#include "passes/analysis/facts.h"

// The order in which a kernel touches the words of an array.
enum overlap_order {
    OVERLAP_NOT,       // no access
    OVERLAP_IN_ORDER,  // low addresses first: by CTA, or by iteration in all CTAs together
    OVERLAP_SWEPT,     // each CTA sweeps the array, or high addresses come first
    OVERLAP_SCATTERED, // by loaded or unknown values
};

// The memory of a pointer among the kernel's parameters.
struct overlap_array {
    uint32_t symbol; // the parameter
    enum overlap_order reads, writes;
    uint32_t read, write; // instruction with the worst order, or IR_NONE
    bool atomics;         // some accesses are atomic
    bool by_data;         // a store's condition depends on more than indices and parameters
    bool overwrites;      // a store may write a word that its thread has not read
};

struct overlaps {
    VEC(struct overlap_array) arrays; // accessed arrays, by parameter
    uint32_t unknown;                 // an access with an unknown pointer, or IR_NONE
};

// Finds the arrays that a kernel accesses, and the order of its accesses.
void overlap_find(struct overlaps *to, struct facts *facts);
// Return true if the kernel may start before the array has arrived, with a gain, and if the copy to
// the host may start before the kernel has ended. *why: the reason, a sentence without a full stop.
bool overlap_may_start(const struct overlap_array *array, const char **why);
bool overlap_may_finish(const struct overlap_array *array, const char **why);
