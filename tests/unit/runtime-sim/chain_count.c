// Counts the chains that warps start, and offloads nothing.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/kernels.h"

static const struct config_key keys[] = {
    {"enabled", CONFIG_BOOL, "", 0, 0, NULL, "false", "", "whether chains are counted", 0},
};

static bool is_on(const void *config)
{
    return *(const bool *)config;
}

extern const struct scheme_ops chain_count;
struct chain_counts {
    uint8_t scheme;
    uint64_t begun;
};

static void *create(struct machine *machine, const void *config, const void *plan)
{
    struct chain_counts *counts = ARENA_NEW(machine_port(machine).arena, struct chain_counts);
    (void)config;
    counts->scheme = scheme_mark_chains(machine, &chain_count, plan);
    return counts;
}

static enum issue_as look(struct core *core, void *own, uint64_t now, uint32_t slot)
{
    struct chain_counts *counts = own;
    const struct timing *next = warp_slot_port(core, slot).next;
    const struct timing_mark *mark = timing_mark_of(next, counts->scheme);
    (void)now;
    counts->begun += mark && mark->place == 0;
    return ISSUE_AS_NORMAL;
}

static const struct stat_key stat_keys[] = {
    {"begun", STAT_COUNT, "chains", "that warps began", offsetof(struct chain_counts, begun), 0},
};

static void add_stats(const void *state, struct stats *stats)
{
    static const struct chain_counts none;
    stats_add(stats, "chain_count", stat_keys, 1, state ? state : &none);
}

static const struct scheme_issue issue = {.issue_as = look};
const struct scheme_ops chain_count = {
    .name = "chain_count",
    .configuration = {"chain_count", keys, 1, sizeof(bool), .is_on = is_on,
                      .read_plan = scheme_read_kernels},
    .issue = &issue,
    .memory = {.create = create},
    .report = {.add_stats = add_stats},
};
