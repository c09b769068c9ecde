// Learning of a mapping.
#include "runtime-sim/gpu/machine_state.h"
#include "runtime-sim/schemes/tom/offload.h"

void tom_learn_begin(struct tom *tom)
{
    struct stacks *s = tom->stacks;
    uint64_t latency = tom->config->pcie_ns * s->config->clock / 1000;
    stack_link_init(&s->pcie, tom->config->pcie_gbps, s->config->clock, s->config->flit_bytes,
                    latency);
    s->from_cpu = true;
    tom->learning.phase = LEARN_RUNNING;
}

// The allocation table has the allocations of the first launch with a candidate block.
static void read_allocations(struct tom *tom, const struct image *image)
{
    for (uint32_t i = 0; i < image->list.n; i++) {
        const struct allocation *from = &image->list.v[i];
        struct tom_range range = {from->address, from->address + from->bytes - 1, false};
        if (i < tom->config->allocations)
            vec_push(tom->machine->arena, &tom->learning.ranges, range);
        else
            tom->stats.ranges_unknown++;
    }
}

void tom_learn_note(struct tom *tom, const struct image *image, uint64_t address)
{
    struct tom_learning *learning = &tom->learning;
    if (!learning->ranges.n)
        read_allocations(tom, image);
    for (uint32_t i = 0; i < learning->ranges.n; i++)
        if (address >= learning->ranges.v[i].first && address <= learning->ranges.v[i].last)
            learning->ranges.v[i].candidate = true;
}

static void map_ranges(struct tom *tom)
{
    map_choose(&tom->map);
    for (uint32_t i = 0; i < tom->learning.ranges.n; i++) {
        const struct tom_range *from = &tom->learning.ranges.v[i];
        struct partition_range range = {.first = from->first,
                                        .last = from->last,
                                        .rule = PARTITION_MODULO,
                                        .count = tom->stacks->count,
                                        .chunk = UINT64_C(1) << tom->map.best_bit};
        if (!from->candidate)
            continue;
        partition_replace(&tom->stacks->map, &range);
        tom->stats.ranges_mapped++;
    }
}

static void resume_with_mapping(struct tom *tom)
{
    struct machine *machine = tom->machine;
    for (uint32_t i = 0; i < machine->count; i++)
        cache_forget(&machine->cores[i].l1);
    map_ranges(tom);
    tom->stacks->from_cpu = false;
    tom->stats.stopped_cycles += machine->now - tom->learning.since;
    tom->learning.phase = LEARN_NOT;
    machine_resume_cores(machine);
}

void tom_learn_tick(struct tom *tom)
{
    struct tom_learning *learning = &tom->learning;
    struct machine *machine = tom->machine;
    struct memsys *memsys = machine->shared.memsys;
    if (learning->phase == LEARN_RUNNING && !machine->shared.paused &&
        tom->map.instances >= tom->config->learn_instances) {
        learning->phase = LEARN_STOPPING;
        learning->since = machine->now;
        tom->stats.learning_cycles = machine->now;
        machine->shared.paused = true;
    }
    if (learning->phase == LEARN_STOPPING && !memsys_inside(memsys)) {
        learning->phase = LEARN_FLUSHING;
        memsys_flush(memsys);
    } else if (learning->phase == LEARN_FLUSHING && !memsys_flushing(memsys)) {
        resume_with_mapping(tom);
    }
}
