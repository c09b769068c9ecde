// Functions go to threads in groups, in order. Each thread has memory and a plan of its own; a
// group knows which part of a thread's plan is its own. So the order of the whole plan does not
// depend on which thread took which group.
#include "passes/plan/crew.h"
#include "passes/analysis/facts.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

enum {
    GROUP = 1024, // instructions: their facts fit into a cache
    MOST_THREADS = 64,
};

struct crew_sizes {
    uint32_t chains, blocks, rejections, edits;
};

struct crew_group {
    uint32_t first, end; // functions
    uint32_t worker;
    struct crew_sizes sizes[MOST_PASSES + 1]; // of the worker's plan, before and after each pass
};

struct crew_worker {
    struct pass_crew *crew;
    uint32_t number;
    pthread_t thread;
    struct memory memory; // of a thread beside others
    struct arena results; // the same
    struct arena own;     // until the end: states of passes
    struct arena facts;   // of the functions of a group
    struct plan plan;
    void *states[MOST_PASSES];
    struct crew_seconds seconds;
    double mark;
    uint32_t invalid; // as in crew_run
    bool out_of_memory;
};

struct pass_crew {
    const struct pipeline *pipeline;
    const struct ir_module *module;
    uint32_t passes;
    struct crew_group *groups;
    uint32_t group_count;
    atomic_uint next; // group
    struct crew_worker *workers;
    uint32_t worker_count;
};

// Groups

static void make_groups(struct pass_crew *crew, struct arena *arena)
{
    const struct ir_module *module = crew->module;
    crew->groups = ARENA_ARRAY(arena, struct crew_group, module->functions.n + 1);
    uint32_t first = 0, insts = 0;
    for (uint32_t i = 0; i < module->functions.n; i++) {
        insts += module->functions.v[i].insts.n;
        if (insts < GROUP && i + 1 < module->functions.n)
            continue;
        crew->groups[crew->group_count++] = (struct crew_group){.first = first, .end = i + 1};
        first = i + 1;
        insts = 0;
    }
}

// Work of one thread

double crew_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void add_seconds(struct crew_worker *w, double *to)
{
    double now = crew_clock();
    *to += now - w->mark;
    w->mark = now;
}

static struct crew_sizes sizes_of(const struct plan *plan)
{
    return (struct crew_sizes){plan->chains.n, plan->blocks.n, plan->rejections.n,
                               plan->edits.list.n};
}

static void validate_group(struct crew_worker *w, const struct crew_group *group, uint32_t done)
{
    for (uint32_t i = group->first; i < group->end; i++)
        if (ir_validate_function(w->crew->module, i, w->own.memory, NULL) &&
            (!w->invalid || done < w->invalid))
            w->invalid = done;
    add_seconds(w, &w->seconds.validate);
}

static void run_group(struct crew_worker *w, struct crew_group *group)
{
    const struct pass_crew *crew = w->crew;
    struct pass_work work = {.module = crew->module,
                             .options = &crew->pipeline->options,
                             .plan = &w->plan,
                             .first = group->first,
                             .end = group->end,
                             .chain = w->plan.chains.n};
    group->worker = w->number;
    group->sizes[0] = sizes_of(&w->plan);
    for (uint32_t i = 0; i < crew->passes; i++) {
        work.state = w->states[i];
        passes[i].run->run(&work);
        group->sizes[i + 1] = sizes_of(&w->plan);
        add_seconds(w, &w->seconds.pass[i]);
        if (crew->pipeline->validate)
            validate_group(w, group, i + 1);
    }
    if (crew->pipeline->keep_facts)
        return;
    facts_forget(&w->plan, group->first, group->end);
    arena_reset(&w->facts);
}

static void run_groups(struct crew_worker *w)
{
    struct pass_crew *crew = w->crew;
    w->mark = crew_clock();
    for (uint32_t i = 0; i < crew->passes; i++)
        if (passes[i].run->begin)
            w->states[i] = passes[i].run->begin(&w->own, crew->module);
    for (uint32_t i; (i = atomic_fetch_add(&crew->next, 1)) < crew->group_count;)
        run_group(w, &crew->groups[i]);
    arena_free(&w->facts);
    arena_free(&w->own);
}

static void *start(void *worker)
{
    struct crew_worker *w = worker;
    if (setjmp(w->memory.on_failure))
        w->out_of_memory = true;
    else
        run_groups(w);
    return NULL;
}

// The whole plan

#define APPEND(arena, to, from, begin, end)                                                        \
    do {                                                                                           \
        uint32_t count_ = (end) - (begin);                                                         \
        vec_reserve(arena, to, (to)->n + count_);                                                  \
        if (count_)                                                                                \
            memcpy((to)->v + (to)->n, (from)->v + (begin), count_ * sizeof *(to)->v);              \
        (to)->n += count_;                                                                         \
    } while (0)

static void take_results(const struct pass_crew *crew, struct plan *plan, uint32_t pass)
{
    for (uint32_t i = 0; i < crew->group_count; i++) {
        const struct crew_group *group = &crew->groups[i];
        const struct plan *from = &crew->workers[group->worker].plan;
        const struct crew_sizes *a = &group->sizes[pass], *b = &group->sizes[pass + 1];
        APPEND(plan->arena, &plan->chains, &from->chains, a->chains, b->chains);
        APPEND(plan->arena, &plan->blocks, &from->blocks, a->blocks, b->blocks);
        APPEND(plan->arena, &plan->rejections, &from->rejections, a->rejections, b->rejections);
        APPEND(plan->arena, &plan->edits.list, &from->edits.list, a->edits, b->edits);
    }
}

static void take_worker(const struct crew_worker *w, uint32_t passes_run, uint32_t *invalid,
                        struct crew_seconds *seconds)
{
    for (uint32_t i = 0; i < passes_run; i++)
        seconds->pass[i] += w->seconds.pass[i];
    seconds->validate += w->seconds.validate;
    if (w->invalid && (!*invalid || w->invalid < *invalid))
        *invalid = w->invalid;
}

// Threads

static void init_worker(struct crew_worker *w, struct pass_crew *crew, uint32_t number,
                        struct memory *memory, struct arena *results)
{
    *w = (struct crew_worker){.crew = crew, .number = number};
    arena_init(&w->results, memory);
    arena_init(&w->own, memory);
    arena_init(&w->facts, memory);
    w->plan = (struct plan){.arena = results, .facts_arena = &w->facts};
}

// Each thread may use its part of what is left. If that is not enough, one thread tries again with
// all of it.
static void share_memory(struct memory *own, const struct memory *whole, uint32_t threads)
{
    size_t left = whole->limit > whole->bytes ? whole->limit - whole->bytes : 0;
    *own = (struct memory){.sparse = whole->sparse};
    if (whole->limit)
        own->limit = left / threads + 1;
}

static bool run_threads(struct pass_crew *crew, struct plan *plan)
{
    uint32_t started = 1;
    bool good = true;
    for (uint32_t i = 0; i < crew->worker_count; i++) {
        struct crew_worker *w = &crew->workers[i];
        init_worker(w, crew, i, &w->memory, &w->results);
        share_memory(&w->memory, plan->arena->memory, crew->worker_count);
    }
    for (; started < crew->worker_count; started++) {
        struct crew_worker *w = &crew->workers[started];
        if (pthread_create(&w->thread, NULL, start, w))
            break; // the threads that were created do the work
    }
    start(&crew->workers[0]);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(crew->workers[i].thread, NULL);
    for (uint32_t i = 0; i < started; i++)
        good &= !crew->workers[i].out_of_memory;
    for (uint32_t i = 0; i < started; i++)
        if (good)
            arena_join(plan->arena, &crew->workers[i].results);
        else
            memory_free(&crew->workers[i].memory);
    return good;
}

static void run_alone(struct pass_crew *crew, struct plan *plan)
{
    struct crew_worker *w = &crew->workers[0];
    init_worker(w, crew, 0, plan->arena->memory, plan->arena);
    if (crew->pipeline->keep_facts)
        w->plan.facts_arena = NULL;
    run_groups(w);
    if (crew->pipeline->keep_facts)
        plan->facts = w->plan.facts;
}

bool crew_run(const struct pipeline *pipeline, const struct ir_module *module, struct plan *plan,
              uint32_t count, unsigned threads, uint32_t *invalid, struct crew_seconds *seconds)
{
    struct pass_crew crew = {.pipeline = pipeline, .module = module, .passes = count};
    struct arena arena;
    bool good = true;
    *invalid = 0;
    arena_init(&arena, plan->arena->memory);
    make_groups(&crew, &arena);
    threads = threads < MOST_THREADS ? threads : MOST_THREADS;
    threads = threads < crew.group_count ? threads : crew.group_count;
    crew.worker_count = threads > 1 ? threads : 1;
    crew.workers = ARENA_ARRAY(&arena, struct crew_worker, crew.worker_count);
    if (crew.worker_count > 1) {
        good = run_threads(&crew, plan);
    } else {
        run_alone(&crew, plan);
    }
    for (uint32_t pass = 0; good && pass < count; pass++)
        take_results(&crew, plan, pass);
    for (uint32_t i = 0; i < crew.worker_count; i++)
        take_worker(&crew.workers[i], count, invalid, seconds);
    arena_free(&arena);
    return good;
}
