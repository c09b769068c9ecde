// Sampling of CTAs: of a launch with many waves one wave in each period takes time. A wave is the
// number of CTAs that are resident at the same time. The CTAs between are executed without time as
// soon as the next one with time is about to start, so that the machine runs as if they did not
// exist: it never drains. The last CTA takes time. Cycles for each wave are measured behind the
// first ones, in which the caches, the rows of the DRAM and the distances of CTAs are not yet those
// of the rest.
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/warp/grid_parallel.h"
#include "runtime-sim/gpu/machine_state.h"
#include <stdio.h>

enum {
    WARM_WAVES = 3,  // until a wave takes as long as the next one
    LEAST_WAVES = 6, // with time, in a launch that is sampled
};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void machine_sample_begin(const struct machine *machine, struct running *running)
{
    struct machine_launch *from = running->launch;
    const struct launch *launch = from->launch;
    uint64_t wave = (uint64_t)from->room * machine_kind_of(machine, from)->count;
    bool ordered = launch->program->functions.v[launch->function].alone || launch->cooperative ||
                   grid_cluster_ctas(launch) > 1 || from->placement.order != CTAS_ASCENDING;
    from->skipped = (struct machine_skipped){0};
    if (!from->sample_waves || ordered)
        return;
    uint64_t period = least(from->sample_waves, running->count / wave / LEAST_WAVES);
    if (period < 2)
        return;
    running->wave = wave;
    running->period = wave * period;
}

static bool takes_time(const struct running *running)
{
    return running->next % running->period < running->wave || running->next + 1 == running->count;
}

// The window that is measured has whole waves.
static void note_wave(struct running *running, uint64_t now)
{
    struct machine_skipped *skipped = &running->launch->skipped;
    uint64_t timed = running->next - skipped->ctas;
    skipped->waves_timed = (double)(timed + 1) / (double)running->wave;
    if (timed % running->wave || timed < WARM_WAVES * running->wave)
        return;
    if (timed == WARM_WAVES * running->wave)
        skipped->window_begun = now;
    skipped->window_waves = timed / running->wave - WARM_WAVES;
    skipped->window_ended = now;
}

static void count_skipped(struct machine_skipped *skipped, struct cta *cta)
{
    struct grid_result counts = {0};
    grid_count(&counts, cta);
    skipped->ctas++;
    skipped->warp_instructions += counts.warp_instructions;
    skipped->thread_instructions += counts.thread_instructions;
}

void machine_sample_skip(struct machine *machine, struct running *running, struct cta *cta)
{
    struct launch *launch = running->launch->launch;
    struct fault *fault = machine->shared.fault;
    while (!takes_time(running) && !fault->happened && !launch_stops(launch)) {
        cta->cluster = (struct cluster){.count = 1, .ctas = {cta}};
        cta->core = 0;
        cta_start(cta, grid_cta(launch, running->next, 0));
        enum warp_state state = grid_run_cta(cta, MOST_IDLE);
        if (state != WARP_DONE && !fault->happened && !launch_stops(launch)) {
            fault->happened = fault->refused = true;
            snprintf(fault->text, sizeof fault->text,
                     "a CTA that is left out by sampling waits for an event that cannot occur");
        }
        count_skipped(&running->launch->skipped, cta);
        running->next++;
        running->over++;
        machine->progress++;
    }
    note_wave(running, machine->now);
}

double machine_sample_cycles(const struct machine_launch *launch)
{
    const struct machine_skipped *skipped = &launch->skipped;
    if (!skipped->ctas || !skipped->window_waves || !launch->warp_instructions)
        return 0;
    double cycles = (double)(skipped->window_ended - skipped->window_begun);
    double waves_skipped = (double)skipped->warp_instructions / (double)launch->warp_instructions *
                           skipped->waves_timed;
    return cycles / (double)skipped->window_waves * waves_skipped;
}
