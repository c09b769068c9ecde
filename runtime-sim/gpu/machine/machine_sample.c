// Sampling of CTAs: only a few of the waves of a large launch are simulated with time. A wave is
// the number of concurrently resident CTAs. After the first waves the grid is divided into periods
// of equal length, each with a piece: consecutive timed waves at a pseudo-random position, so that
// no period of the program coincides with that of the samples. The CTAs between pieces are executed
// untimed just before the next piece starts, so that the machine never drains. They update the tags
// of the LLC (machine_warm.c). The last CTA is timed.
//
// The first waves of a piece run together with CTAs of the previous piece and change the order in
// which the sets of the LLC evict lines, so they are not measured. The others determine the cycles
// per CTA: the slope of the least-squares line through the cycles in which CTAs start. They start
// in bursts, so the first and last of these cycles alone would vary more.
#include "runtime-sim/exec/decode/program.h"
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/machine/machine_state.h"
#include "support/random.h"
#include <math.h>
#include <stdio.h>

enum {
    WARM_WAVES = 3, // not measured, at the start of a launch and of each piece
    PIECE_WAVES = 6,
    MIN_PIECES = 2, // minimum of a sampled launch
};

void machine_sample_begin(struct machine *machine, struct running *running)
{
    struct machine_launch *from = running->launch;
    const struct launch *launch = from->launch;
    uint64_t wave = (uint64_t)from->room * machine_kind_of(machine, from)->count;
    uint64_t begin = WARM_WAVES * wave, piece = PIECE_WAVES * wave;
    bool ordered = launch->program->functions.v[launch->function].in_order || launch->cooperative ||
                   grid_cluster_ctas(launch) > 1 || from->placement.order != CTAS_ASCENDING;
    from->skipped = (struct machine_skipped){0};
    if (!from->sample_waves || ordered || running->count < begin + 2 * MIN_PIECES * piece)
        return;
    uint64_t pieces = (running->count - begin) / from->sample_waves / piece;
    pieces = pieces < MIN_PIECES ? MIN_PIECES : pieces;
    uint64_t period = (running->count - begin) / pieces;
    if (period < 2 * piece)
        return;
    running->wave = wave;
    running->period = period;
    machine_warm_begin(machine, running);
}

// Returns the first CTA of the piece of a period.
static uint64_t piece_of(const struct running *running, uint64_t period)
{
    uint64_t state = period, room = running->period - PIECE_WAVES * running->wave;
    return WARM_WAVES * running->wave + period * running->period + splitmix64(&state) % (room + 1);
}

// Returns the period of the next CTA. The last period has the rest of the grid.
static uint64_t period_of(const struct running *running)
{
    uint64_t begin = WARM_WAVES * running->wave;
    uint64_t last = (running->count - begin) / running->period - 1;
    return running->next < begin ? 0 : smaller((running->next - begin) / running->period, last);
}

// Returns the number of CTAs before the next timed one; 0 if the next one is timed.
static uint64_t count_left(const struct running *running)
{
    uint64_t next = running->next, period = period_of(running);
    uint64_t piece = piece_of(running, period), size = PIECE_WAVES * running->wave;
    if (next < WARM_WAVES * running->wave || (next >= piece && next < piece + size))
        return 0;
    if (next < piece)
        return piece - next;
    bool is_last = WARM_WAVES * running->wave + (period + 2) * running->period > running->count;
    return (is_last ? running->count - 1 : piece_of(running, period + 1)) - next;
}

// Records the start of a CTA in the measured part of a piece.
static void measure(struct running *running, uint64_t now)
{
    struct machine_skipped *s = &running->launch->skipped;
    uint64_t at =
        running->next - piece_of(running, period_of(running)) - WARM_WAVES * running->wave;
    uint64_t size = (PIECE_WAVES - WARM_WAVES) * running->wave;
    if (at >= size)
        return;
    if (!at) {
        s->first = now;
        s->sum = s->product = 0;
    }
    s->sum += (double)(now - s->first);
    s->product += (double)(now - s->first) * (double)at;
    if (at + 1 < size)
        return;
    double n = (double)size;
    double slope = (s->product - s->sum * (n - 1) / 2) / (n * (n * n - 1) / 12);
    s->pieces++;
    s->slopes += slope;
    s->squares += slope * slope;
}

static void count_skipped(struct machine_skipped *skipped, struct cta *cta)
{
    struct grid_result counts = {0};
    grid_count(&counts, cta);
    skipped->ctas++;
    skipped->warp_instructions += counts.warp_instructions;
    skipped->thread_instructions += counts.thread_instructions;
}

static void run_cta(struct running *running, struct cta *cta, struct fault *fault)
{
    struct launch *launch = running->launch->launch;
    cta->cluster = (struct cluster){.count = 1, .ctas = {cta}};
    cta->core = 0;
    cta_start(cta, grid_cta(launch, running->next, 0));
    enum warp_state state = grid_run_cta(cta, MAX_IDLE, false);
    if (state != WARP_DONE && !fault->happened && !launch_stops(launch)) {
        fault->happened = fault->refused = true;
        snprintf(fault->text, sizeof fault->text,
                 "a CTA that sampling skips waits for an event that cannot occur");
    }
    count_skipped(&running->launch->skipped, cta);
}

void machine_sample_skip(struct machine *machine, struct running *running, struct cta *cta)
{
    struct machine_skipped *skipped = &running->launch->skipped;
    struct fault *fault = machine->shared.fault;
    uint64_t left = count_left(running);
    for (; left && !fault->happened && !launch_stops(running->launch->launch); left--) {
        machine_warm_cta(running, cta, left);
        run_cta(running, cta, fault);
        running->next++;
        running->over++;
        machine->watchdog.progress++;
    }
    machine_warm_end(running, cta);
    uint64_t cycle = machine_cycle(machine);
    if (running->next == WARM_WAVES * running->wave - 1) {
        skipped->begin_ctas = running->next;
        skipped->begin_ended = cycle;
    }
    skipped->timed = running->next + 1 - skipped->ctas;
    skipped->last_begun = cycle;
    measure(running, machine->now);
}

double machine_sample_cycles(const struct machine_launch *launch, double *error)
{
    const struct machine_skipped *s = &launch->skipped;
    *error = 0;
    if (!s->pieces || !s->ctas || !launch->warp_instructions)
        return 0;
    double pieces = (double)s->pieces, slope = s->slopes / pieces, timed = (double)s->timed;
    double skipped = timed * (double)s->warp_instructions / (double)launch->warp_instructions;
    double ctas = skipped + timed - (double)s->begin_ctas;
    double squares = s->squares - pieces * slope * slope;
    if (pieces > 1 && squares > 0)
        *error = 2 * sqrt(squares / (pieces - 1) / pieces) * ctas;
    // The first CTAs, the others at the measured rate, and the last one.
    double cycles = (double)(s->begin_ended - launch->begun) + slope * ctas +
                    (double)(launch->ended - s->last_begun);
    return fmax(cycles - (double)(launch->ended - launch->begun), 0);
}
