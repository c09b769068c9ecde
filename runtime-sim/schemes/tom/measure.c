// Measures times of blocks, and the utilisation of the SMs in stacks.
#include "runtime-sim/gpu/scheme/ports.h"
#include "runtime-sim/schemes/tom/offload.h"

const struct stat_key block_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/block_stats.def"
#define STATS_OF struct tom_block_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t block_stat_key_count = ARRAY_LENGTH(block_stat_keys);

enum { METER_CYCLES = 256 };

// Updates only sums, since cores call it in any order.
void tom_measure(struct tom *tom, const struct tom_run *run, uint64_t now, bool away)
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
