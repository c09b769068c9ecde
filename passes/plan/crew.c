// Threads process groups of functions, in order. Each thread has its own memory and plan. A group
// records which part of its thread's plan it added, so the order of the whole plan does not depend
// on which thread processed which group.
#include "passes/analysis/facts.h"
#include "passes/plan/pipeline.h"
#include "support/parallel.h"
#include <string.h>
#include <time.h>

enum { GROUP = 1024 }; // instructions: their facts fit into a cache

struct crew_sizes {
    uint32_t chains, blocks, maps, rejections, edits;
};

struct crew_group {
    uint32_t first, end; // functions
    uint32_t worker;
    struct crew_sizes sizes[MAX_PASSES + 1]; // sizes of the worker's plan before and after each
                                             // pass
};

struct crew_worker {
    struct pass_crew *crew;
    uint32_t number;
    struct arena own;   // memory until the end, for states of passes
    struct arena facts; // memory of one group, for facts of its functions
    struct plan plan;
    void *states[MAX_PASSES];
    struct crew_seconds seconds;
    double mark;
    uint32_t invalid; // as in crew_run
};

struct pass_crew {
    const struct pipeline *pipeline;
    const struct ir_module *module;
    uint32_t passes;
    struct crew_group *groups;
    uint32_t group_count;
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
    return (struct crew_sizes){plan->chains.n, plan->blocks.n, plan->maps.n, plan->rejections.n,
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

static void begin_worker(struct crew_worker *w, struct pass_crew *crew, uint32_t number,
                         struct arena *results)
{
    *w = (struct crew_worker){.crew = crew, .number = number};
    arena_init(&w->own, results->memory);
    arena_init(&w->facts, results->memory);
    w->plan = (struct plan){.arena = results, .facts_arena = &w->facts};
    w->mark = crew_clock();
    for (uint32_t i = 0; i < crew->passes; i++)
        if (passes[i].run->begin)
            w->states[i] = passes[i].run->begin(&w->own, crew->module);
}

static void end_worker(struct crew_worker *w)
{
    arena_free(&w->facts);
    arena_free(&w->own);
}

static void run_thread(struct parallel_thread *thread, void *context)
{
    struct pass_crew *crew = context;
    struct crew_worker *w = &crew->workers[thread->number];
    begin_worker(w, crew, thread->number, &thread->results);
    for (uint32_t i; (i = parallel_next(thread)) != UINT32_MAX;)
        run_group(w, &crew->groups[i]);
    end_worker(w);
}

static void run_alone(struct pass_crew *crew, struct plan *plan)
{
    struct crew_worker *w = &crew->workers[0];
    begin_worker(w, crew, 0, plan->arena);
    if (crew->pipeline->keep_facts)
        w->plan.facts_arena = NULL;
    for (uint32_t i = 0; i < crew->group_count; i++)
        run_group(w, &crew->groups[i]);
    if (crew->pipeline->keep_facts)
        plan->facts = w->plan.facts;
    end_worker(w);
}

// Assembly of the whole plan

#define APPEND(arena, to, from, begin, end)                                                        \
    do {                                                                                           \
        uint32_t count_ = (end) - (begin);                                                         \
        vec_reserve(arena, to, (to)->n + count_);                                                  \
        if (count_)                                                                                \
            memcpy((to)->v + (to)->n, (from)->v + (begin), count_ * sizeof *(to)->v);              \
        (to)->n += count_;                                                                         \
    } while (0)

static void merge_results(const struct pass_crew *crew, struct plan *plan, uint32_t pass)
{
    for (uint32_t i = 0; i < crew->group_count; i++) {
        const struct crew_group *group = &crew->groups[i];
        const struct plan *from = &crew->workers[group->worker].plan;
        const struct crew_sizes *a = &group->sizes[pass], *b = &group->sizes[pass + 1];
        APPEND(plan->arena, &plan->chains, &from->chains, a->chains, b->chains);
        APPEND(plan->arena, &plan->blocks, &from->blocks, a->blocks, b->blocks);
        APPEND(plan->arena, &plan->maps, &from->maps, a->maps, b->maps);
        APPEND(plan->arena, &plan->rejections, &from->rejections, a->rejections, b->rejections);
        APPEND(plan->arena, &plan->edits.list, &from->edits.list, a->edits, b->edits);
    }
}

static void merge_worker(const struct crew_worker *w, uint32_t *invalid,
                         struct crew_seconds *seconds)
{
    for (uint32_t i = 0; i < MAX_PASSES; i++)
        seconds->pass[i] += w->seconds.pass[i];
    seconds->validate += w->seconds.validate;
    if (w->invalid && (!*invalid || w->invalid < *invalid))
        *invalid = w->invalid;
}

void crew_run(const struct pipeline *pipeline, const struct ir_module *module, struct plan *plan,
              uint32_t count, uint32_t threads, uint32_t *invalid, struct crew_seconds *seconds)
{
    struct pass_crew crew = {.pipeline = pipeline, .module = module, .passes = count};
    struct arena arena;
    *invalid = 0;
    arena_init(&arena, plan->arena->memory);
    make_groups(&crew, &arena);
    crew.worker_count = threads < crew.group_count ? threads : crew.group_count;
    crew.worker_count = crew.worker_count > 1 ? crew.worker_count : 1;
    crew.workers = ARENA_ARRAY(&arena, struct crew_worker, crew.worker_count);
    if (crew.worker_count > 1)
        parallel_run(plan->arena, crew.worker_count, crew.group_count, run_thread, &crew);
    else
        run_alone(&crew, plan);
    for (uint32_t pass = 0; pass < count; pass++)
        merge_results(&crew, plan, pass);
    for (uint32_t i = 0; i < crew.worker_count; i++)
        merge_worker(&crew.workers[i], invalid, seconds);
    arena_free(&arena);
}
