// Each thread fetches the next CTA when it has completed one. A fault cancels later CTAs. Earlier
// ones are completed, so that the reported fault is that of the first CTA.
#include "runtime-sim/exec/check/profile.h"
#include "runtime-sim/exec/warp/grid.h"
#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 256 };

struct crew {
    struct launch *launch;
    uint64_t max_idle;
    uint64_t count;
    bool alone;              // one worker
    atomic_ullong next, end; // CTAs from `end` on are not run
};

struct worker {
    struct crew *crew;
    pthread_t thread;
    struct memory memory;
    struct profile profile; // used if the launch has a profile
    struct grid_result result;
    uint64_t fault_at; // CTA of its fault
    bool out_of_memory;
};

static void end_at(struct crew *crew, uint64_t cta)
{
    unsigned long long end = atomic_load(&crew->end);
    while (cta < end && !atomic_compare_exchange_weak(&crew->end, &end, cta))
        ;
}

// The warps take the same turns as on one thread.
enum warp_state grid_run_cta(struct cta *cta, uint64_t max_idle, bool alone)
{
    enum warp_state state = WARP_YIELDS;
    uint64_t seen = cta->events, idle = 0;
    struct repeats repeats = {.arena = cta->warps->arena};
    bool repeat;
    while (state == WARP_YIELDS && !launch_stops(cta->launch)) {
        state = cta_run(cta, TURN);
        idle = cta->events == seen ? idle + 1 : 0;
        seen = cta->events;
        repeat = state == WARP_YIELDS && repeats_turn(&repeats, &cta, 1, idle);
        bool stuck = idle > max_idle || repeat;
        bool goes_on = alone && launch_pause(cta->launch, stuck);
        if (stuck && !goes_on)
            break;
        idle = stuck ? 0 : idle;
    }
    return state;
}

static void work(struct worker *worker, struct arena *arena)
{
    struct crew *crew = worker->crew;
    struct profile *profile = crew->launch->profile ? &worker->profile : NULL;
    if (profile)
        profile_init(profile, arena, crew->launch->program);
    struct cta *cta = cta_new(arena, crew->launch, profile, &worker->result.fault);
    for (;;) {
        uint64_t next = atomic_fetch_add(&crew->next, 1);
        if (next >= crew->count || next > atomic_load(&crew->end))
            return;
        cta_start(cta, (uint32_t)next);
        enum warp_state state = grid_run_cta(cta, crew->max_idle, crew->alone);
        grid_count(&worker->result, cta);
        worker->result.stopped = launch_stops(crew->launch);
        if (state == WARP_DONE && !worker->result.stopped)
            continue;
        worker->result.stuck = state != WARP_FAULT && !worker->result.stopped;
        if (worker->result.stuck)
            stall_look(&worker->result.stalls, &cta, 1);
        worker->fault_at = next;
        end_at(crew, next);
        return;
    }
}

static void *start(void *context)
{
    struct worker *worker = context;
    struct arena arena;
    if (setjmp(worker->memory.on_failure)) {
        worker->out_of_memory = true;
        end_at(worker->crew, 0);
    } else {
        arena_init(&arena, &worker->memory);
        work(worker, &arena);
    }
    return NULL;
}

// Adds the worker's counts, which are in its own memory.
static void merge_profile(const struct crew *crew, struct worker *worker)
{
    if (crew->launch->profile && !worker->out_of_memory)
        profile_add(crew->launch->profile, &worker->profile);
    memory_free(&worker->memory);
}

static void merge_result(struct grid_result *result, const struct worker *worker, uint64_t *first)
{
    result->warp_instructions += worker->result.warp_instructions;
    result->thread_instructions += worker->result.thread_instructions;
    result->stopped |= worker->result.stopped;
    if ((!worker->result.stuck && !worker->result.fault.happened) || worker->fault_at >= *first)
        return;
    *first = worker->fault_at;
    result->stuck = worker->result.stuck;
    result->fault = worker->result.fault;
    result->stalls = worker->result.stalls;
}

void grid_run_parallel(struct launch *launch, struct memory *memory, uint32_t threads,
                       uint64_t max_idle, struct grid_result *result)
{
    struct crew crew = {.launch = launch,
                        .max_idle = max_idle,
                        .alone = threads <= 1,
                        .count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2]};
    atomic_init(&crew.next, 0);
    atomic_init(&crew.end, UINT64_MAX);
    struct arena arena;
    arena_init(&arena, memory);
    threads = !threads ? 1 : threads < THREADS ? threads : THREADS;
    struct worker *workers = ARENA_ARRAY(&arena, struct worker, threads);
    uint32_t started = 0;
    for (; started + 1 < threads; started++) {
        workers[started].crew = &crew;
        if (pthread_create(&workers[started].thread, NULL, start, &workers[started]))
            break; // the existing threads do the work
    }
    workers[started].crew = &crew;
    start(&workers[started]);
    uint64_t first = UINT64_MAX;
    bool out_of_memory = workers[started].out_of_memory;
    merge_result(result, &workers[started], &first);
    merge_profile(&crew, &workers[started]);
    for (uint32_t i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        out_of_memory |= workers[i].out_of_memory;
        merge_result(result, &workers[i], &first);
        merge_profile(&crew, &workers[i]);
    }
    arena_free(&arena);
    if (out_of_memory)
        longjmp(memory->on_failure, 1);
}
