#include "tests/fuzz/launch_timed.h"
#include "backend/tags/tags.h"
#include "runtime-sim/schemes/llc_omni/llc_omni.h"
#include "runtime-sim/schemes/llc_omni/machine_offload.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "runtime-sim/schemes/schemes.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "support/bits.h"
#include "tests/fuzz/launch_internal.h"
#include "tests/lib/machine_run.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct rig {
    struct loaded *loaded;
    struct arena *arena;
    struct timed *timed;
    const struct program_function *function;
    struct machine_config config;
    struct offload_table table;
    struct tom_table blocks;
    struct machine *machine;
    struct stats stats;
    struct grid_result result;
};

__attribute__((format(printf, 2, 3))) static void wrong(struct timed *timed, const char *format,
                                                        ...)
{
    va_list list;
    if (timed->wrong[0])
        return;
    va_start(list, format);
    vsnprintf(timed->wrong, sizeof timed->wrong, format, list);
    va_end(list);
}

// The machine

static void set_all(struct rig *r, struct config *config, const char *settings)
{
    char *at = arena_strndup(r->arena, settings, strlen(settings)), *rest = NULL;
    for (char *each = strtok_r(at, " ", &rest); each; each = strtok_r(NULL, " ", &rest))
        if (!config_set(config, each))
            wrong(r->timed, "the machine has no %s", each);
}

static bool is_for_blocks(const char *policy)
{
    return !strncmp(policy, "tom-", strlen("tom-"));
}

static bool configure(struct rig *r, const struct timed_settings *wish)
{
    struct config config;
    uint32_t count;
    struct config_section *sections = machine_sections(&r->config, r->arena, schemes, &count);
    config_init(&config, r->arena, sections, count);
    if (!config_load(&config, wish->config))
        abort();
    set_all(r, &config, "machine.watchdog=1000000");
    set_all(r, &config, wish->settings);
    set_all(r, &config,
            arena_printf(r->arena, "%s.policy=%s", is_for_blocks(wish->policy) ? "tom" : "offload",
                         wish->policy));
    const char *fault = machine_check(r->arena, &r->config);
    if (fault)
        wrong(r->timed, "%s", fault);
    return !r->timed->wrong[0];
}

static const void *config_of(const struct rig *r, const struct scheme_ops *ops)
{
    return r->config.of_scheme[machine_scheme_number(&r->config, ops)];
}

static void find_plans(struct rig *r, bool blocks)
{
    struct tables tables = {0};
    struct tags tags = {0};
    struct diags diags;
    diags_init(&diags, r->arena);
    tags_find(&tags, r->arena, &r->loaded->source);
    if (!tags.list.n)
        return;
    bool good = tags_read(&tables, r->arena, &r->loaded->source, &diags);
    if (good && blocks)
        good = tom_table_build(&r->blocks, r->arena, &tables, &r->loaded->program,
                               config_of(r, &tom_blocks), &diags);
    else if (good)
        good = offload_table_build(&r->table, r->arena, &tables, &r->loaded->program,
                                   config_of(r, &llc_omni), &diags);
    if (!good)
        wrong(r->timed, "the tags are not taken: %s", diags.list.n ? diags.list.v[0].message : "");
}

static void build(struct rig *r, const struct timed_settings *wish)
{
    struct machine_plans plans = {0};
    if (r->table.chains.n)
        machine_plan_add(&plans, r->arena, &llc_omni, &r->table);
    if (r->blocks.blocks.n)
        machine_plan_add(&plans, r->arena, &tom_blocks, &r->blocks);
    r->machine = machine_new_planned(r->arena, &r->config, &r->loaded->program, &plans);
    machine_shuffle(r->machine, wish->shuffle);
    stats_init(&r->stats, r->arena);
    machine_stats_add(r->machine, &r->stats);
}

static void run(struct rig *r, const struct launch_inputs *inputs)
{
    struct executed *done = &r->timed->done;
    launch_add_inputs(r->loaded, inputs);
    struct launch launch = launch_of(r->loaded, r->function, inputs);
    struct machine_launch one = {.launch = &launch};
    struct machine_limits limits = {.cycles = 50000000};
    struct machine_event event = {.launch = &one};
    enum machine_end end = machine_run(r->machine, &event, 1, &limits, &r->result);
    done->thread_instructions = r->result.thread_instructions;
    r->timed->warp_instructions = r->result.warp_instructions;
    r->timed->cycles = one.ended - one.begun;
    if (end != MACHINE_DONE) {
        done->how = FAULTED;
        snprintf(done->why, sizeof done->why, "cycle %llu: %.200s",
                 (unsigned long long)machine_cycle(r->machine),
                 r->result.fault.happened ? r->result.fault.text : "no progress");
    }
    launch_keep_buffers(r->loaded, inputs, done);
}

// Sums

static double stat(struct rig *r, const char *group, const char *name)
{
    double value = 0;
    char all[96];
    snprintf(all, sizeof all, "%s.%s", group, name);
    if (!stats_find(&r->stats, NULL, all, &value))
        wrong(r->timed, "no statistic %s", all);
    return value;
}

static void same(struct rig *r, double a, double b, const char *what)
{
    if (a != b)
        wrong(r->timed, "%s: %.0f and %.0f", what, a, b);
}

// Checks that every slot of every core is counted under one reason in each cycle.
static void check_slots(struct rig *r)
{
    const struct core_shared *shared = &r->machine->shared;
    double sum = stat(r, "core", "issued"), slots = 0;
    for (uint32_t i = 0; i < shared->stat_key_count; i++)
        if (!strncmp(shared->stat_keys[i].name, "stall_", strlen("stall_")))
            sum += stat(r, "core", shared->stat_keys[i].name);
    for (uint32_t i = 0; i < r->machine->count; i++)
        slots += (double)r->machine->cores[i].kind->config->warps;
    same(r, sum, stat(r, "machine", "cycles") * slots, "cycles of slots");
    same(r, stat(r, "core", "issued"),
         stat(r, "core", "warp_instructions") + stat(r, "core", "issued_again"), "issued");
}

static void check_requests(struct rig *r)
{
    static const char *const clients[] = {"l1",      "direct",  "code",   "constant",
                                          "texture", "offload", "service"};
    double requests = 0;
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++) {
        char group[32];
        snprintf(group, sizeof group, "memory.%s", clients[i]);
        same(r, stat(r, group, "requests"), stat(r, group, "answers"), group);
        requests += stat(r, group, "requests");
    }
    same(r, stat(r, "memory", "requests"), requests, "requests");
}

static void check_network(struct rig *r, const char *network, uint32_t classes)
{
    for (uint32_t i = 0; i < classes; i++) {
        char group[32];
        snprintf(group, sizeof group, "%s.class%u", network, i);
        same(r, stat(r, group, "flits_sent"), stat(r, group, "flits"), group);
        same(r, stat(r, group, "packets_sent"), stat(r, group, "packets"), group);
    }
}

static void check_chains(struct rig *r)
{
    const struct offload_stats *t = &r->timed->offload;
    const struct offload_config *config = (const struct offload_config *)config_of(r, &llc_omni);
    uint64_t discarded = t->discarded_hit + t->discarded_full + t->discarded_emn +
                         t->discarded_conflict + t->discarded_unit + t->discarded_lanes +
                         t->discarded_broken + t->discarded_off + t->discarded_credit +
                         t->discarded_price + t->discarded_sample;
    same(r, (double)t->chains_tagged, (double)(t->chains_offloaded + discarded), "chains");
    same(r, (double)t->packets, (double)(t->answered + t->bounced), "packets and answers");
    uint64_t sent = t->packets_to_llc + t->packets_to_cores + t->packets_to_routers;
    same(r, (double)t->packets, (double)sent, "packets");
    same(r, (double)t->packets, stat(r, "request.class1", "packets"), "packets in the network");
    same(r, (double)t->packet_flits, stat(r, "request.class1", "flits"), "flits of packets");
    if (t->chain_lanes < t->offloaded_lanes + t->lanes_without_node + t->lanes_without_entry)
        wrong(r->timed, "more lanes are offloaded than there are");
    if (t->replayed < t->lanes_without_node + t->lanes_without_entry + t->bounced)
        wrong(r->timed, "lanes are neither offloaded nor replayed");
    if (t->queue_most > config->queue || t->service_most > config->service_queue)
        wrong(r->timed, "a queue was more than full");
}

// Checks that every decision has a result, and that no block is left.
static void check_blocks(struct rig *r, const struct tom *tom)
{
    const struct tom_stats *t = &tom->stats;
    uint64_t stayed = t->condition_false + t->busy_tx + t->busy_rx + t->full + t->busy_sm +
                      t->slower + t->placed + t->no_access + t->diverged;
    if (!tom_is_learnt(tom->config))
        same(r, (double)t->asked, (double)(t->offloaded + stayed), "decisions");
    same(r, (double)t->offloaded, (double)t->returned, "blocks");
    same(r, bits_next(tom->polling, 0, r->machine->ordinary), r->machine->ordinary,
         "waiting cores");
    for (uint32_t i = 0; i < tom->stacks->count; i++) {
        const struct stack *stack = &tom->stacks->stacks[i];
        same(r, tom->pending[i] + tom->queues[i].count + stack->untranslated + stack->late.count, 0,
             "blocks or requests left");
    }
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        same(r, (double)tom->times[i].window.outside, 0, "instances outside");
    for (uint32_t i = 0; i < tom->run_count; i++)
        if (tom->runs[i].state != TOM_NO_BLOCK && tom->runs[i].state != TOM_IN_CORE)
            wrong(r->timed, "a block is left");
    r->timed->blocks = *t;
}

// Checks that no chain is left.
static void check_rest(struct rig *r)
{
    const struct machine *machine = r->machine;
    const struct machine_offload *o = machine_scheme(machine, &llc_omni);
    for (uint32_t i = 0; i < machine->count; i++) {
        const struct core *core = &machine->cores[i];
        const struct offload_queue *oq = core_own(core, &llc_omni);
        same(r, oq->free_count, oq->count, "free entries of an offload queue");
        same(r, oq->ring_count + core->lsu.parked, 0, "packets or accesses left");
        same(r, oq->forming, OQ_NONE, "chains that are formed");
        for (uint32_t k = 0; k < r->config.core.warps; k++)
            same(r, oq->chains[k].state, OQ_IDLE, "chains left");
    }
    for (uint32_t i = 0; i < o->ends; i++) {
        same(r, o->services[i].free_count, o->services[i].count, "free entries of a service queue");
        same(r, o->services[i].buffered + o->services[i].bounce.active, 0, "buffers left");
    }
}

static void check(struct rig *r)
{
    const struct machine_offload *offload = machine_scheme(r->machine, &llc_omni);
    const struct tom *tom = machine_scheme(r->machine, &tom_blocks);
    bool offloads = offload != NULL;
    check_slots(r);
    check_requests(r);
    check_network(r, "request", 1 + offloads);
    check_network(r, "reply", 1);
    if (tom)
        check_blocks(r, tom);
    if (!offloads)
        return;
    r->timed->offload = offload->stats;
    check_chains(r);
    check_rest(r);
}

static char *all_statistics(const struct rig *r)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to)
        abort();
    stats_text(&r->stats, NULL, NULL, to);
    fclose(to);
    return text;
}

void launch_execute_timed(struct timed *timed, const char *text, size_t length,
                          const struct launch_inputs *inputs, const struct timed_settings *wish)
{
    struct memory memory = {0};
    struct arena arena;
    memset(timed, 0, sizeof *timed);
    if (setjmp(memory.on_failure))
        abort();
    arena_init(&arena, &memory);
    struct rig *r = ARENA_NEW(&arena, struct rig);
    *r = (struct rig){.arena = &arena, .timed = timed};
    r->loaded = ARENA_NEW(&arena, struct loaded);
    *r->loaded = (struct loaded){.arena = &arena};
    r->function = launch_load(r->loaded, &timed->done, text, length, inputs->entry, "plain", 0);
    if (r->function && configure(r, wish)) {
        find_plans(r, is_for_blocks(wish->policy));
        build(r, wish);
        run(r, inputs);
        if (timed->done.how == EXECUTED)
            check(r);
        timed->statistics = all_statistics(r);
    }
    arena_free(&arena);
}

void timed_free(struct timed *timed)
{
    free(timed->done.bytes);
    free(timed->statistics);
}
