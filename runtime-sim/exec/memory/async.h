// Asynchronous copies. They complete immediately, which PTX allows: it defines no minimum delay,
// and instructions that wait for copies find them complete.
#pragma once
#include "runtime-sim/exec/memory/atomic.h"

// s[0]: size in bytes. s[1]: bytes that cp.async reads, or a predicate to read none; or a mask of
// CTAs or bytes.
struct async_code {
    const struct memory_code *to, *from, *barrier; // NULL: not used
    const struct atomic_op *op;                    // for reductions
    uint32_t element;                              // bytes of an operand of `op`
    uint8_t alignment;                             // alignment of addresses and sizes
    bool limited;                                  // s[1] is the number of bytes to read
    bool ignored;                                  // s[1] is a predicate
    bool multicast;                                // s[1] is a mask of the cluster's CTAs
    bool masked;                                   // s[1] is a mask of the bytes of each 16
    bool bulk;                                     // st.async, red.async and bulk copies
    bool grouped;                                  // a bulk group waits for it
    bool once;                                     // the first lane copies for all
};

step_fn step_copy;        // from memory to memory
step_fn step_async_store; // st.async, red.async; the values are in the list
step_fn step_fill;        // st.bulk
step_fn step_mbarrier, step_mbarrier_pending;
