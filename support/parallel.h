// Work on several threads, each with memory of its own.
#pragma once
#include "support/arena.h"

struct parallel;

struct parallel_thread {
    struct parallel *whole;
    uint32_t number;      // from 0
    struct arena results; // goes to the caller's arena
};

typedef void parallel_work(struct parallel_thread *thread, void *context);

// Returns the number of threads to use: `threads`, or 1 if the limit of the memory is not far above
// the `bytes` that the work may need, or if a test counts allocations.
uint32_t parallel_threads(const struct memory *memory, uint32_t threads, size_t bytes);

// Runs `work` on this many threads, the caller's among them. Its arenas are of the memory of
// thread->results. Where the system gives fewer threads, these do all work.
void parallel_run(struct arena *arena, uint32_t threads, uint32_t items, parallel_work *work,
                  void *context);

// Returns the next item, or UINT32_MAX if no item is left. Each item goes to one thread. Those that
// one thread gets ascend.
uint32_t parallel_next(struct parallel_thread *thread);
