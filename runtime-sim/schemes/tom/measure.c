// Measured times of blocks, and the utilisation of the SMs in stacks.
#include "runtime-sim/gpu/machine_state.h"
#include "runtime-sim/schemes/tom/offload.h"

const struct stat_key block_stat_keys[] = {
#define STATS_DEF "runtime-sim/schemes/tom/block_stats.def"
#define STATS_OF struct tom_block_stats
#include "runtime-sim/base/stats_keys.inc"
};
const uint32_t block_stat_key_count = sizeof block_stat_keys / sizeof *block_stat_keys;

enum {
    FIRST_EACH = 8,     // ended instances of each place to compare
    FIRST_PLACE = 16,   // one of this number stays until both places are known
    OTHER_PLACE = 128,  // then one of this number goes to the other place
    MOST_COUNTED = 256, // instances of a place; then older ones count half
    METER_CYCLES = 256,
};

static struct tom_times *times_of(const struct tom *tom, const struct tom_run *run)
{
    return &tom->times[run->block - tom->table->blocks.v];
}

// Only sums, since cores call it in any order.
void tom_measure(struct tom *tom, const struct tom_run *run, uint64_t now, bool away)
{
    struct tom_times *times = times_of(tom, run);
    uint64_t cycles = now - run->asked;
    uint64_t iterations = run->iterations > 0 ? (uint64_t)run->iterations : 1;
    times->cycles[away] += cycles / iterations;
    times->count[away]++;
    times->stats.iterations += iterations;
    *(away ? &times->stats.away : &times->stats.home) += 1;
    *(away ? &times->stats.away_cycles : &times->stats.home_cycles) += cycles;
    *(away ? &tom->stats.stack_cycles : &tom->stats.home_cycles) += cycles;
}

// Until enough instances of both places have ended nothing is known.
static bool compare_places(struct tom_times *times)
{
    bool known = times->count[TOM_HOME] >= FIRST_EACH && times->count[TOM_AWAY] >= FIRST_EACH;
    for (uint32_t i = 0; i < TOM_PLACES; i++)
        while (times->count[i] > MOST_COUNTED) {
            times->count[i] /= 2;
            times->cycles[i] /= 2;
        }
    bool slower = known && (double)times->cycles[TOM_AWAY] / (double)times->count[TOM_AWAY] >
                               (double)times->cycles[TOM_HOME] / (double)times->count[TOM_HOME];
    return ++times->asked % (known ? OTHER_PLACE : FIRST_PLACE) ? slower : !slower;
}

bool tom_is_slower(struct tom *tom, const struct tom_run *run)
{
    return compare_places(times_of(tom, run));
}

bool tom_sm_is_busy(struct tom *tom, uint32_t stack)
{
    const struct machine *machine = tom->machine;
    struct tom_meter *meter = &tom->meters[stack];
    uint64_t issued = tom_sm_of(tom, stack)->stats.warp_instructions;
    uint64_t cycles = machine->now - meter->since;
    if (cycles < METER_CYCLES)
        return meter->busy;
    meter->busy = (issued - meter->issued) * 100 >= cycles * tom->config->alu_busy;
    meter->since = machine->now;
    meter->issued = issued;
    return meter->busy;
}
