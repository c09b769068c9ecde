// Asynchronous copies. They complete at once, which PTX allows: it does not define a minimum delay,
// and instructions that wait for them find them complete.
#pragma once
#include "runtime-sim/exec/memory/atomic.h"

// s[0]: bytes. s[1]: bytes that cp.async reads, or a predicate to read none; a mask of CTAs or
// bytes.
struct async_code {
    const struct memory_code *to, *from, *barrier; // NULL: not used
    const struct atomic_op *op;                    // reductions
    uint32_t element;                              // bytes of an operand of `op`
    uint8_t alignment;                             // of addresses and bytes
    bool limited;                                  // s[1]: bytes that are read
    bool ignored;                                  // s[1]: predicate
    bool multicast;                                // s[1]: CTAs of the cluster
    bool masked;                                   // s[1]: bytes of each 16
};

step_fn step_copy;        // from memory to memory
step_fn step_async_store; // st.async, red.async: the values are in the list
step_fn step_fill;        // st.bulk
step_fn step_mbarrier, step_mbarrier_pending;
