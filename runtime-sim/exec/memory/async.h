// Copies that need not be complete when the next instruction runs. Here they are: nothing says how
// late they may be seen, and what waits for them finds them done.
#pragma once
#include "runtime-sim/exec/memory/atomic.h"

// s[0]: bytes. s[1]: what cp.async reads of them, or whether it reads none; a mask of CTAs or
// bytes.
struct async_code {
    const struct memory_code *to, *from, *barrier; // NULL: none
    const struct atomic_op *op;                    // reductions
    uint32_t element;                              // bytes that `op` works on
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
