#include "report/phases.h"
#include <stdlib.h>
#include <string.h>

void sim_phase_sums_init(struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                         struct arena *arena)
{
    uint32_t resources = columns->meter->resources.n;
    *sums = (struct sim_phase_sums){.cycles = {0}};
    for (int phase = 0; phase < SIM_PHASES; phase++) {
        sums->limits[phase] = ARENA_ARRAY(arena, struct sim_limit_sums, resources + 1);
        for (uint32_t i = 0; i <= resources; i++) {
            sums->limits[phase][i].used = ARENA_ARRAY(arena, double, resources + 1);
            sums->limits[phase][i].waits = ARENA_ARRAY(arena, double, columns->count + 1);
        }
    }
}

static double length_of(const struct sim_sample *sample)
{
    return sample->ended - sample->begun;
}

static bool is_running(const char *state)
{
    return strcmp(state, "empty") != 0 && strcmp(state, "ended") != 0;
}

static bool waits(const char *state)
{
    return is_running(state) && strcmp(state, "issued") != 0;
}

// Returns the mean number of warps that run.
static double warps_of(const struct sim_phase_columns *columns, const struct sim_sample *sample)
{
    double sum = 0;
    for (uint32_t i = 0; i < columns->count; i++)
        if (is_running(columns->names[i]))
            sum += sample->values[columns->reasons + i];
    return sum / length_of(sample);
}

// Returns the use of a resource's busiest instance. It may exceed 1 a little, because a transfer is
// counted when it begins.
static double use_of(const struct sim_phase_columns *columns, const struct sim_sample *sample,
                     uint32_t resource)
{
    return columns->factors[resource] * sample->values[columns->meter->used + resource] /
           length_of(sample);
}

static uint32_t most_used(const struct sim_phase_columns *columns, const struct sim_sample *sample,
                          uint32_t but, double *use)
{
    const struct sim_meter *meter = columns->meter;
    uint32_t max = meter->resources.n;
    *use = 0;
    for (uint32_t i = 0; i < meter->resources.n; i++) {
        double one = use_of(columns, sample, i);
        if (i == but || one <= *use)
            continue;
        *use = one;
        max = i;
    }
    return max;
}

// Adds `cycles` of the sample's interval.
static void add_sample(struct sim_limit_sums *limits, const struct sim_phase_columns *columns,
                       const struct sim_sample *sample, double cycles)
{
    const struct sim_meter *meter = columns->meter;
    double use, next;
    uint32_t limit = most_used(columns, sample, METER_NONE, &use);
    most_used(columns, sample, limit, &next);
    if (use < SIM_PRESSES) {
        limit = meter->resources.n;
        next = use;
    }
    struct sim_limit_sums *to = &limits[limit];
    to->cycles += cycles;
    to->without += cycles * fmin(1, next);
    for (uint32_t i = 0; i < meter->resources.n; i++)
        to->used[i] += cycles * fmin(1, use_of(columns, sample, i));
    for (uint32_t i = 0; i < columns->count; i++)
        if (waits(columns->names[i]))
            to->waits[i] += sample->values[columns->reasons + i] * cycles / length_of(sample);
}

void sim_phases_add(struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                    const struct sim_sample *samples, uint32_t count, double begun, double ended)
{
    double max = 0;
    uint32_t first = count, last = 0;
    for (uint32_t i = 0; i < count; i++)
        max = fmax(max, warps_of(columns, &samples[i]));
    for (uint32_t i = 0; i < count; i++)
        if (warps_of(columns, &samples[i]) >= max / 2) {
            first = i < first ? i : first;
            last = i;
        }
    for (uint32_t i = 0; i < count; i++) {
        double cycles = fmin(ended, samples[i].ended) - fmax(begun, samples[i].begun);
        enum sim_phase_kind phase = i < first ? SIM_START : i <= last ? SIM_STEADY : SIM_TAIL;
        if (cycles <= 0)
            continue;
        sums->cycles[phase] += cycles;
        add_sample(sums->limits[phase], columns, &samples[i], cycles);
    }
}

// The report

static int by_cycles(const void *left, const void *right)
{
    const struct sim_limit *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles < b->cycles ? 1 : -1;
    return strcmp(a->name, b->name);
}

// Sets the reason for which most warps wait, and its part of all waiting.
static void name_wait(struct sim_limit *limit, const struct sim_limit_sums *sums,
                      const struct sim_phase_columns *columns)
{
    double all = 0, max = 0;
    for (uint32_t i = 0; i < columns->count; i++) {
        all += sums->waits[i];
        if (sums->waits[i] <= max)
            continue;
        max = sums->waits[i];
        limit->wait = columns->names[i];
        limit->wait_text = columns->texts[i];
    }
    limit->waiting = all > 0 ? max / all : 0;
}

static void add_limit(sim_limits *to, struct arena *arena, const struct sim_limit_sums *sums,
                      uint32_t number, const struct sim_phase_columns *columns)
{
    const struct sim_meter *meter = columns->meter;
    bool is_part = number < meter->resources.n;
    struct sim_limit limit = {.name = is_part ? meter->resources.v[number].name : "latency",
                              .is_part = is_part,
                              .cycles = sums->cycles,
                              .without = sums->without};
    double max = 0;
    if (sums->cycles <= 0)
        return;
    for (uint32_t i = 0; i < meter->resources.n; i++)
        if (i != number && sums->used[i] > max) {
            max = sums->used[i];
            limit.next = meter->resources.v[i].name;
        }
    limit.used = (is_part ? sums->used[number] : max) / sums->cycles;
    name_wait(&limit, sums, columns);
    vec_push(arena, to, limit);
}

// Returns the sums of a limit over all phases.
static struct sim_limit_sums sum_phases(const struct sim_phase_sums *sums, uint32_t number,
                                        const struct sim_phase_columns *columns,
                                        struct arena *arena)
{
    struct sim_limit_sums sum = {.used =
                                     ARENA_ARRAY(arena, double, columns->meter->resources.n + 1),
                                 .waits = ARENA_ARRAY(arena, double, columns->count + 1)};
    for (int phase = 0; phase < SIM_PHASES; phase++) {
        const struct sim_limit_sums *from = &sums->limits[phase][number];
        sum.cycles += from->cycles;
        sum.without += from->without;
        for (uint32_t i = 0; i < columns->meter->resources.n; i++)
            sum.used[i] += from->used[i];
        for (uint32_t i = 0; i < columns->count; i++)
            sum.waits[i] += from->waits[i];
    }
    return sum;
}

void sim_phases_report(const struct sim_phase_sums *sums, const struct sim_phase_columns *columns,
                       struct arena *arena, struct sim_kernel *kernel)
{
    static const char *const names[SIM_PHASES] = {"start", "steady", "tail"};
    uint32_t limits = columns->meter->resources.n + 1;
    for (int phase = 0; phase < SIM_PHASES; phase++) {
        struct sim_phase one = {.name = names[phase], .cycles = sums->cycles[phase]};
        for (uint32_t i = 0; i < limits; i++)
            add_limit(&one.limits, arena, &sums->limits[phase][i], i, columns);
        if (one.limits.n)
            qsort(one.limits.v, one.limits.n, sizeof *one.limits.v, by_cycles);
        if (one.cycles > 0)
            vec_push(arena, &kernel->phases, one);
    }
    for (uint32_t i = 0; i < limits; i++) {
        struct sim_limit_sums sum = sum_phases(sums, i, columns, arena);
        add_limit(&kernel->limits, arena, &sum, i, columns);
    }
    if (kernel->limits.n)
        qsort(kernel->limits.v, kernel->limits.n, sizeof *kernel->limits.v, by_cycles);
}
