#include "support/parallel.h"
#include <pthread.h>
#include <stdatomic.h>

struct parallel_worker {
    struct parallel_thread thread;
    struct memory memory;
    pthread_t id;
    bool failed;
};

struct parallel {
    uint32_t items;
    atomic_uint next;
    parallel_work *work;
    void *context;
};

uint32_t parallel_threads(const struct memory *memory, uint32_t threads, size_t bytes)
{
    enum { SPARE = 4 }; // threads' shares differ, and each has unused room
    size_t left = memory->limit > memory->bytes ? memory->limit - memory->bytes : 0;
    if (memory->fail_in || (memory->limit && left / SPARE < bytes))
        return 1;
    return threads > 1 ? threads : 1;
}

uint32_t parallel_next(struct parallel_thread *thread)
{
    uint32_t item = atomic_fetch_add(&thread->whole->next, 1);
    return item < thread->whole->items ? item : UINT32_MAX;
}

static void *start(void *argument)
{
    struct parallel_worker *worker = argument;
    struct parallel *whole = worker->thread.whole;
    if (setjmp(worker->memory.on_failure))
        worker->failed = true;
    else
        whole->work(&worker->thread, whole->context);
    return NULL;
}

static void init_worker(struct parallel_worker *worker, struct parallel *whole, uint32_t number,
                        const struct memory *memory)
{
    worker->thread = (struct parallel_thread){.whole = whole, .number = number};
    worker->memory.sparse = memory->sparse;
    if (memory->limit)
        worker->memory.limit = memory->limit - memory->bytes;
    arena_init(&worker->thread.results, &worker->memory);
}

// Joins the results of the workers. Returns true if all had enough memory.
static bool merge_results(struct arena *arena, struct parallel_worker *workers, uint32_t count)
{
    bool failed = false;
    for (uint32_t i = 0; i < count; i++) {
        failed |= workers[i].failed;
        arena->memory->limited |= workers[i].memory.limited;
    }
    for (uint32_t i = 0; i < count; i++)
        if (failed)
            memory_free(&workers[i].memory);
        else
            arena_join(arena, &workers[i].thread.results);
    return !failed;
}

void parallel_run(struct arena *arena, uint32_t threads, uint32_t items, parallel_work *work,
                  void *context)
{
    struct parallel whole = {.items = items, .work = work, .context = context};
    struct arena own;
    uint32_t started = 1;
    arena_init(&own, arena->memory);
    struct parallel_worker *workers = ARENA_ARRAY(&own, struct parallel_worker, threads);
    for (uint32_t i = 0; i < threads; i++)
        init_worker(&workers[i], &whole, i, arena->memory);
    while (started < threads &&
           !pthread_create(&workers[started].id, NULL, start, &workers[started]))
        started++;
    start(&workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(workers[i].id, NULL);
    bool good = merge_results(arena, workers, started);
    arena_free(&own);
    if (!good)
        longjmp(arena->memory->on_failure, 1);
}
