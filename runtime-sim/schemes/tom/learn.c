// Mappings that the machine chooses: learnt, or known from an untimed run.
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "runtime-sim/schemes/tom/static_map.h"
#include <math.h>
#include <string.h>

enum { UNLIMITED_GBPS = 1000000 };

static void map_ranges(struct tom *tom, const struct tom_allocations *table, uint32_t bit)
{
    tom->learning.bit = bit;
    for (uint32_t i = 0; bit && i < table->ranges.n; i++) {
        const struct tom_range *from = &table->ranges.v[i];
        struct partition_range range = {.first = from->first,
                                        .last = from->last,
                                        .count = tom->stacks->count,
                                        .chunk = UINT64_C(1) << (from->bit ? from->bit : bit)};
        if (!from->candidate)
            continue;
        partition_replace(&tom->stacks->map, &range);
        tom->stats.ranges_mapped++;
    }
}

// Start

// Tolerance for rounding errors in the product of a share and a number.
#define ROUNDING 1e-6

// Returns the number of instances to learn from: tom.learn_instances if set, else tom.learn_share
// of all instances that an untimed run has counted [002 §3.2.2], at least tom.learn_least.
static uint64_t instances_to_learn(const struct tom *tom)
{
    const struct tom_config *config = tom->config;
    double share = (double)tom->table->rehearsal->map.instances * config->learn_share / 100;
    share = ceil(share - ROUNDING);
    if (config->learn_instances)
        return config->learn_instances;
    return share > (double)config->learn_least ? (uint64_t)share : config->learn_least;
}

static void begin_learning(struct tom *tom)
{
    struct stacks *s = tom->stacks;
    uint64_t latency = (uint64_t)tom->config->pcie_ns * s->config->clock / 1000;
    uint64_t gbps = tom->config->pcie_gbps ? tom->config->pcie_gbps : UNLIMITED_GBPS;
    stack_link_init(&s->pcie, gbps, s->config->clock, s->config->flit_bytes, latency);
    s->from_cpu = true;
    tom->learning.phase = LEARN_RUNNING;
    tom->learning.instances = instances_to_learn(tom);
}

void tom_map_begin(struct tom *tom)
{
    struct tom_rehearsal *rehearsal = tom->table->rehearsal;
    tom_rehearse_end(rehearsal);
    if (tom_is_learnt(tom->config))
        begin_learning(tom);
    if (tom->config->map == TOM_ORACLE)
        map_ranges(tom, &rehearsal->allocations, map_best(&rehearsal->map, tom->config->metric));
    if (tom->config->map == TOM_AHEAD)
        map_ranges(
            tom, &rehearsal->allocations,
            map_best(tom_rehearsed_first(rehearsal, instances_to_learn(tom)), tom->config->metric));
}

// Records the allocations whose addresses a launch gets. Their data are in the stacks from now on.
static void note_parameters(struct tom *tom, const struct launch *launch)
{
    struct tom_allocations *table = &tom->learning.allocations;
    const struct program_function *at = &launch->program->functions.v[launch->function];
    uint64_t address;
    for (uint32_t i = 0; i + sizeof address <= at->param_bytes; i += sizeof address) {
        memcpy(&address, launch->params + i, sizeof address);
        if (tom_holds(launch->image, address) && !tom_range_at(table, address))
            tom_range_add(table, machine_port(tom->machine).arena, launch->image, address);
    }
}

// Chooses the pair of a launch for the allocations on which addresses of its blocks are based and
// that no previous launch had, since these are copied to the stacks now.
void tom_map_launch(struct tom *tom, const struct launch *launch)
{
    enum { BASES_MAX = 256 };
    uint64_t used[BASES_MAX];
    uint32_t count, bit;
    struct tom_allocations table = {0};
    if (tom->config->map != TOM_STATIC)
        return;
    bit = static_map_choose(tom->table->differences, machine_port(tom->machine).arena, launch, used,
                            BASES_MAX, &count);
    for (uint32_t i = 0; bit && i < count; i++)
        if (tom_holds(launch->image, used[i]) && !tom_range_at(&table, used[i]) &&
            !tom_range_at(&tom->learning.allocations, used[i]))
            tom_range_add(&table, machine_port(tom->machine).arena, launch->image, used[i])
                ->candidate = true;
    if (table.ranges.n)
        map_ranges(tom, &table, bit);
    note_parameters(tom, launch);
}

// Learning

// Fills the allocation table with the allocations that exist when the first candidate block runs.
static void read_allocations(struct tom *tom, const struct image *image)
{
    struct tom_allocations *table = &tom->learning.allocations;
    tom_allocations_fill(table, machine_port(tom->machine).arena, image,
                         &tom->table->rehearsal->allocations, tom->config->allocations);
    tom->stats.ranges_unknown = table->left_out.n;
}

void tom_learn_note(struct tom *tom, const struct image *image, uint64_t address)
{
    struct tom_allocations *table = &tom->learning.allocations;
    if (!table->ranges.n)
        read_allocations(tom, image);
    struct tom_range *range = tom_range_at(table, address);
    if (range)
        range->candidate = true;
}

void tom_end_instance(struct tom *tom, struct tom_block_instance *run)
{
    struct map_samples *samples = &tom->learning.samples;
    struct arena *arena = machine_port(tom->machine).arena;
    map_end(&tom->map, &run->map);
    for (uint32_t i = 0; i < run->sample.n; i++)
        vec_push(arena, &samples->lines, run->sample.v[i]);
    if (run->sample.n)
        vec_push(arena, &samples->ends, samples->lines.n);
    run->sample.n = 0;
}

static void resume_with_mapping(struct tom *tom)
{
    struct machine *machine = tom->machine;
    uint32_t bit = map_best(&tom->map, tom->config->metric);
    if (tom->config->map == TOM_RANGES)
        range_map_choose(&tom->learning.samples, &tom->learning.allocations, bit);
    machine_forget_l1(machine);
    map_ranges(tom, &tom->learning.allocations, bit);
    tom->stacks->from_cpu = false;
    tom->stats.stopped_cycles += machine_port(machine).now - tom->learning.since;
    tom->learning.phase = LEARN_NOT;
    machine_resume_cores(machine);
}

void tom_learn_tick(struct tom *tom)
{
    struct tom_learning *learning = &tom->learning;
    struct machine *machine = tom->machine;
    struct memsys *memsys = machine_port(machine).memsys;
    if (learning->phase == LEARN_RUNNING && !machine_is_paused(machine) &&
        tom->map.instances >= learning->instances) {
        learning->phase = LEARN_STOPPING;
        learning->since = machine_port(machine).now;
        tom->stats.learning_cycles = machine_port(machine).now;
        machine_pause_cores(machine);
    }
    if (learning->phase == LEARN_STOPPING && !memsys_inside(memsys)) {
        learning->phase = LEARN_FLUSHING;
        memsys_flush(memsys);
    } else if (learning->phase == LEARN_FLUSHING && !memsys_flushing(memsys)) {
        resume_with_mapping(tom);
    }
}

void tom_learn_settle(struct tom *tom)
{
    const struct map_stats *rehearsed = &tom->table->rehearsal->map;
    uint32_t best = map_best(rehearsed, tom->config->metric);
    tom->map.rehearsed = rehearsed->instances;
    tom->map.rehearsed_bit = best;
    tom->map.rehearsed_best = map_one(rehearsed, best);
    tom->map.rehearsed_chosen = map_one(rehearsed, tom->learning.bit);
    if (tom->table->differences) {
        tom->map.candidates = tom->table->blocks.n;
        static_map_count(tom->table->differences, &tom->map.fixed_some, &tom->map.fixed_all);
    }
    map_settle(&tom->map, tom->config->metric, tom->learning.bit);
}

// Measures times of blocks, and the utilisation of the SMs in stacks.

const struct stat_key block_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/block_stats.def"
#define STATS_OF struct tom_block_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t block_stat_key_count = ARRAY_LENGTH(block_stat_keys);

enum { METER_CYCLES = 256 };

// Updates only sums, since cores call it in any order.
void tom_measure(struct tom *tom, const struct tom_block_instance *run, uint64_t now, bool away)
{
    struct tom_times *times = &tom->times[run->block - tom->table->blocks.v];
    uint64_t cycles = now - run->asked;
    times->stats.iterations += run->iterations > 0 ? (uint64_t)run->iterations : 1;
    *(away ? &times->stats.away : &times->stats.home) += 1;
    *(away ? &times->stats.away_cycles : &times->stats.home_cycles) += cycles;
    *(away ? &tom->stats.stack_cycles : &tom->stats.home_cycles) += cycles;
}

bool tom_sm_is_busy(struct tom *tom, uint32_t stack)
{
    const struct machine *machine = tom->machine;
    struct tom_meter *meter = &tom->meters[stack];
    uint64_t issued = core_issued(tom_sm_of(tom, stack));
    uint64_t cycles = machine_port(machine).now - meter->since;
    if (cycles < METER_CYCLES)
        return meter->busy;
    meter->busy = (issued - meter->issued) * 100 >= cycles * tom->config->alu_busy;
    meter->since = machine_port(machine).now;
    meter->issued = issued;
    return meter->busy;
}
