// Registers the offloading of blocks to stacks as a scheme.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/allocations.h"
#include "runtime-sim/schemes/tom/analyzer.h"
#include "runtime-sim/schemes/tom/block_table.h"
#include "runtime-sim/schemes/tom/offload.h"

static const struct config_key keys[] = {
#define CONFIG_DEF "runtime-sim/schemes/tom/tom.def"
#define CONFIG_OF struct tom_config
#include "runtime-sim/base/config_keys.inc"
};

static const struct stack_config *stacks_in(const struct machine_config *machine)
{
    return machine->of_scheme[machine_scheme_number(machine, &memory_stacks)];
}

static bool is_on(const void *config)
{
    return ((const struct tom_config *)config)->policy != TOM_BASELINE;
}

static const char *check(struct arena *arena, const void *config,
                         const struct machine_config *machine)
{
    (void)arena;
    if (!stacks_in(machine)->stacks)
        return "tom.policy needs memory stacks, and stack.stacks is 0: --config=tom and "
               "--config=isca19-stacks have "
               "stacks";
    if (machine->memsys.memory.cores <= stacks_in(machine)->stacks)
        return "memory.cores must be more than stack.stacks: each stack takes a core";
    if (((const struct tom_config *)config)->map != TOM_BMAP &&
        stacks_in(machine)->stacks != MAP_STACKS)
        return "tom.map other than bmap chooses two bits of an address: stack.stacks must be 4";
    return NULL;
}

// Configures the SM of a stack. In an ideal machine, neither warps nor lines in flight limit it.
static void require_sm(const struct tom_config *own, struct added_cores *added)
{
    enum { MSHRS_MAX = 1024, QUEUE_MAX = 256, IDEAL_REGISTERS = 256 };
    struct core_config *core = &added->core;
    uint32_t *const units[] = {&core->alu_units, &core->sfu_units, &core->fp64_units,
                               &core->matrix_units};
    if (own->sm_warps > core->warps)
        core->registers = core->registers * own->sm_warps / core->warps;
    if (own->sm_warps) {
        core->threads = own->sm_warps * LANES;
        core->warps = own->sm_warps;
    }
    core->schedulers = own->sm_issue;
    for (uint32_t i = 0; i < ARRAY_LENGTH(units); i++)
        *units[i] = own->sm_issue > *units[i] ? own->sm_issue : *units[i];
    added->l1.mshrs = own->sm_mshrs ? own->sm_mshrs : added->l1.mshrs;
    if (own->policy != TOM_IDEAL)
        return;
    if (!own->sm_warps) {
        core->warps = CORE_WARPS;
        core->threads = CORE_WARPS * LANES;
        core->registers = CORE_WARPS * LANES * IDEAL_REGISTERS;
    }
    if (own->sm_mshrs)
        return;
    added->l1.mshrs = MSHRS_MAX;
    added->l1.access_queue = added->l1.out = QUEUE_MAX;
}

// Moves a core into each stack, so that there are as many cores as in the baseline.
static void require(struct arena *arena, const void *config, const struct machine_config *given,
                    struct machine_config *machine)
{
    const struct tom_config *own = config;
    uint32_t count = stacks_in(given)->stacks;
    struct added_cores *added = machine_add_cores(arena, machine, "stack_core");
    struct memsys_past *past = ARENA_ARRAY(arena, struct memsys_past, count);
    for (uint32_t i = 0; i < count; i++) {
        struct stack_sm *sm = ARENA_NEW(arena, struct stack_sm);
        sm->stack = i;
        past[i] = (struct memsys_past){sm, stacks_can_send, stacks_send};
    }
    added->past = past;
    added->count = count;
    machine->memsys.memory.cores -= count;
    require_sm(own, added);
}

static bool needs_rehearsal(const struct tom_config *config)
{
    return config->map == TOM_ORACLE || config->map == TOM_AHEAD ||
           (tom_is_learnt(config) && !config->learn_instances);
}

static const struct profile_watch *rehearse(struct arena *arena, const void *config,
                                            const void *plan)
{
    const struct tom_table *table = plan;
    if (!needs_rehearsal(config))
        return NULL;
    tom_rehearse(table->rehearsal, arena, table);
    return &table->rehearsal->watch;
}

// Returns which cost model has chosen the blocks, and where.
static const char *decided_by(struct arena *arena, const struct tom_table *table,
                              const struct tables *tables)
{
    const char *model = table_cost_names[table->cost];
    return table->tagged
               ? arena_printf(arena, "chosen by the tagger with --cost=%s", model)
               : arena_printf(arena,
                              "chosen by tom.cost=%s, not by the tagger, which had --cost=%s",
                              model, table_cost_names[tables->options.cost]);
}

static void read_plan(struct scheme_plan *plan, struct arena *arena, const struct tables *tables,
                      const struct program *program, const void *config, struct diags *diags)
{
    struct tom_table *table = ARENA_NEW(arena, struct tom_table);
    if (tables && !tom_table_build(table, arena, tables, program, config, diags))
        return;
    plan->table = table->blocks.n ? table : NULL;
    plan->lacks = table->blocks.n ? NULL : "blocks";
    if (!tables)
        return;
    plan->summary = arena_printf(arena, "%u block%s to offload, %u left out; %s", table->blocks.n,
                                 table->blocks.n == 1 ? "" : "s", table->left_out,
                                 decided_by(arena, table, tables));
    for (uint32_t i = 0; i < table->blocks.n; i++) {
        const struct tom_block *block = &table->blocks.v[i];
        plan->summary =
            arena_printf(arena,
                         "%s\n  block %u of '%s', number %u: %u instructions, %u accesses, %u B to "
                         "the stack, %u B back",
                         plan->summary, block->id, block->kernel, block->number,
                         block->instructions, block->accesses, block->bytes_in, block->bytes_out);
    }
    for (uint32_t i = 0; i < table->reasons.n; i++)
        plan->summary = arena_printf(arena, "%s\n  %s", plan->summary, table->reasons.v[i]);
}

static void print_storage(const void *config, const struct machine_config *machine, FILE *to)
{
    const struct tom_config *own = config;
    uint32_t entries = own->metadata_entries, warps = machine->core.warps;
    fprintf(to, "metadata table of a core: %u entries of %d bits, %u bits of shared memory\n",
            entries, TOM_ENTRY_BITS, TOM_ENTRY_BITS * entries);
    fprintf(to, "memory-map analyzer of a core: %u warps of %d bits, %u bits\n", warps, MAP_BITS,
            MAP_BITS * warps);
    fprintf(to, "memory allocation table: %u entries of %d bits, %u bits\n", own->allocations,
            TOM_ALLOCATION_BITS, TOM_ALLOCATION_BITS * own->allocations);
}

static void settle(struct machine *machine, void *state)
{
    struct tom *tom = state;
    (void)machine;
    tom->stats.shared = 0;
    for (uint32_t i = 0; i < tom->stacks->count; i++)
        tom->stats.shared += tom_core_of(tom_sm_of(tom, i))->shared;
    tom_learn_settle(tom);
}

// Lists the allocations without an entry, least used first.
static void write_notes(const struct machine *machine, const void *state, FILE *to)
{
    const struct tom_allocations *table = &((const struct tom *)state)->learning.allocations;
    (void)machine;
    for (uint32_t i = 0; i < table->left_out.n; i++)
        fprintf(to, "%s%s%s",
                i ? ", " : "the memory allocation table has no room for: ", table->left_out.v[i],
                i + 1 < table->left_out.n ? "" : "\n");
}

// Names the statistics without a program. Blocks have statistics only with one.
static void name_stats(struct stats *stats)
{
    static const struct tom_stats none;
    static const struct map_stats no_map;
    stats_add(stats, "map", map_stat_keys, map_stat_key_count, &no_map);
    stats_add(stats, "tom", tom_stat_keys, tom_stat_key_count, &none);
}

static void add_stats(const void *state, struct stats *stats)
{
    const struct tom *tom = state;
    if (!tom) {
        name_stats(stats);
        return;
    }
    stats_add(stats, "tom", tom_stat_keys, tom_stat_key_count, &tom->stats);
    stats_add(stats, "map", map_stat_keys, map_stat_key_count, &tom->map);
    for (uint32_t i = 0; i < tom->table->blocks.n; i++)
        stats_add(stats, arena_printf(stats->arena, "block%u", tom->table->blocks.v[i].number),
                  block_stat_keys, block_stat_key_count, &tom->times[i].stats);
}

static void add_items(const struct machine *machine, const void *state, struct arena *arena,
                      struct scheme_items *to)
{
    const struct tom *tom = state;
    (void)machine;
    for (uint32_t i = 0; i < tom->table->blocks.n; i++) {
        const struct tom_block *block = &tom->table->blocks.v[i];
        struct scheme_item item = {.kind = "block",
                                   .group = arena_printf(arena, "block%u", block->number),
                                   .function = block->function,
                                   .id = block->id,
                                   .first = block->begin,
                                   .last = block->end,
                                   .expected = block->saving,
                                   .expected_in = "words"};
        vec_push(arena, &to->list, item);
    }
}

static const struct scheme_item_row item_rows[] = {
    {"executed", "", "home away", ""},
    {"offloaded", "", "away", ""},
    {"latency in the GPU", "cycles", "home_cycles", "home"},
    {"latency when offloaded", "cycles", "away_cycles", "away"},
    {"iterations", "", "iterations", "home away"},
    {0},
};

static const struct scheme_result results[] = {{"blocks_offloaded", "tom.offloaded"}, {0}};

static const struct scheme_stall stalls[] = {
    {"decision", "waited for the decision about a block"},
    {"drain", "waited for stores before a block was sent"},
    {"stack", "the warp's block was in a memory stack"},
};

// Adds the hardware tables of offloading [002 §6.6].
static void tom_energy(const void *own, const struct machine_config *machine,
                       struct energy_model *model)
{
    const struct tom_config *config = own;
    const struct array table = {.entries = (double)config->metadata_entries,
                                .bits = TOM_ENTRY_BITS};
    const struct array analyzer = {.entries = (double)machine->core.warps, .bits = MAP_BITS};
    const struct array ranges = {.entries = (double)config->allocations,
                                 .bits = TOM_ALLOCATION_BITS};
    double cores = (double)machine->memsys.memory.cores;
    energy_add_structure(model, "blocks", "metadata table", table, cores,
                         "[002 §6.6]: 10,320 bits");
    energy_add_structure(model, "blocks", "memory-map analyzer", analyzer, cores,
                         "[002 §6.6]: 1,920 bits");
    energy_add_structure(model, "blocks", "memory allocation table", ranges, 1,
                         "[002 §6.6]: 9,700 bits; all 0.11 mm2, 0.018 %");
}

const struct scheme_ops tom_blocks = {
    .name = "tom",
    .configuration = {.section = "tom",
                      .keys = keys,
                      .key_count = ARRAY_LENGTH(keys),
                      .config_bytes = sizeof(struct tom_config),
                      .policy_help = "tom-*: offload blocks to SMs in memory stacks: under their\n"
                                     "condition (tom-no-ctrl), also unless channels or stacks are\n"
                                     "busy (tom-ctrl), also by share of arithmetic (tom-alu) or\n"
                                     "measured cycles (tom-measured); or at no cost (tom-ideal\n"
                                     "as tom-no-ctrl, tom-ideal-ctrl as tom-ctrl)",
                      .is_on = is_on,
                      .check = check,
                      .require = require,
                      .read_plan = read_plan,
                      .rehearse = rehearse},
    .issue = &tom_issue,
    .memory = {.create = tom_create,
               .connect = tom_connect,
               .place_launch = tom_place_launch,
               .tick = tom_tick,
               .next = tom_next},
    .report = {.print_storage = print_storage,
               .energy = tom_energy,
               .write_notes = write_notes,
               .stalls = stalls,
               .stall_count = ARRAY_LENGTH(stalls),
               .settle = settle,
               .results = results,
               .item_rows = item_rows,
               .add_items = add_items,
               .add_stats = add_stats,
               .begin_trace = tom_begin_trace,
               .end_trace = tom_end_trace},
};
