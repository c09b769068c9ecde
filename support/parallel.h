// Runs work on several threads, each with its own memory: a jump out of a failed allocation must
// not leave its thread, which thread pools of libraries do not catch.
#pragma once
#include "support/arena.h"

struct parallel;

struct parallel_thread {
    struct parallel *whole;
    uint32_t number;      // number of the thread, from 0
    struct arena results; // joined to the caller's arena at the end
};

typedef void parallel_work(struct parallel_thread *thread, void *context);

// Returns the number of threads to use: `threads`, or 1 if the memory's limit leaves little more
// than the `bytes` that the work may need, or if a test counts allocations.
uint32_t parallel_threads(const struct memory *memory, uint32_t threads, size_t bytes);

// Runs `work` on this many threads, including the caller's. Arenas of the work must use the memory
// of thread->results. If the system provides fewer threads, these do all the work.
void parallel_run(struct arena *arena, uint32_t threads, uint32_t items, parallel_work *work,
                  void *context);

// Returns the next item, or UINT32_MAX if none is left. Each item is given to one thread, and each
// thread gets its items in ascending order.
uint32_t parallel_next(struct parallel_thread *thread);
