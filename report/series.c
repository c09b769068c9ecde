// Collects samples per interval: a bounded number over the run for its series, and over each busy
// period for the phases of its launches.
#include "report/sim_report.h"
#include <string.h>

// A column of the series: its name, and the statistics whose sum it is.
static const struct {
    const char *name, *statistics;
} counters[] = {
    {"machine.thread_instructions", "machine.thread_instructions"},
    {"cycles of reads", SIM_READ_CYCLES},
    {"memory.reads_answered", "memory.reads_answered"},
};

static void add_states(struct sim_collector *c)
{
    static const char prefix[] = "stall_";
    const struct stats *stats = &c->timed->stats;
    VEC(const char *) names = {0}, texts = {0};
    c->columns.reasons = c->meter.columns.n;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        for (uint32_t k = 0; !strcmp(group->name, "core") && k < group->count; k++) {
            const char *name = group->keys[k].name, *full;
            bool stalls = !strncmp(name, prefix, sizeof prefix - 1);
            if (!stalls && strcmp(name, "issued") != 0)
                continue;
            full = arena_printf(c->arena, "core.%s", name);
            sim_meter_add(&c->meter, full);
            vec_push(c->arena, &c->series.names, full);
            // The keys belong to this machine, which another one may replace.
            name = full + strlen("core.");
            vec_push(c->arena, &names, stalls ? name + sizeof prefix - 1 : name);
            const char *text = group->keys[k].text;
            vec_push(c->arena, &texts, (const char *)arena_strndup(c->arena, text, strlen(text)));
        }
    }
    c->columns.count = names.n;
    c->columns.names = names.v;
    c->columns.texts = texts.v;
}

// Recordings

static void recording_init(struct sim_recording *recording, struct arena *arena, uint32_t columns,
                           uint32_t capacity)
{
    size_t count = (size_t)capacity * columns;
    *recording = (struct sim_recording){.columns = columns, .capacity = capacity};
    vec_fix(arena, &recording->samples, capacity);
    double *values = ARENA_ARRAY(arena, double, count);
    for (uint32_t i = 0; i < capacity; i++)
        recording->samples.v[i].values = values + (size_t)i * columns;
}

static void recording_set(struct sim_recording *r, uint32_t to, const struct sim_sample *from)
{
    struct sim_sample *sample = &r->samples.v[to];
    sample->begun = from->begun;
    sample->ended = from->ended;
    memmove(sample->values, from->values, r->columns * sizeof *from->values);
}

static void recording_extend(struct sim_recording *r, uint32_t to, const struct sim_sample *from)
{
    struct sim_sample *sample = &r->samples.v[to];
    sample->ended = from->ended;
    for (uint32_t k = 0; k < r->columns; k++)
        sample->values[k] += from->values[k];
}

static void merge_pairs(struct sim_recording *r)
{
    uint32_t count = r->samples.n;
    for (uint32_t i = 0; i < count; i++)
        if (i % 2)
            recording_extend(r, i / 2, &r->samples.v[i]);
        else
            recording_set(r, i / 2, &r->samples.v[i]);
    r->samples.n = (count + 1) / 2;
    r->width *= 2;
}

// Adds a sample: to the last one if that is shorter than `width` and ends where this one begins.
static void recording_add(struct sim_recording *r, const struct sim_sample *sample)
{
    uint32_t last = r->samples.n - 1;
    const struct sim_sample *before = r->samples.n ? &r->samples.v[last] : NULL;
    r->width = fmax(r->width, sample->ended - sample->begun);
    if (before && before->ended == sample->begun && sample->ended - before->begun <= r->width) {
        recording_extend(r, last, sample);
        return;
    }
    if (r->samples.n == r->capacity)
        merge_pairs(r);
    recording_set(r, r->samples.n++, sample);
}

// The collector

void sim_collect_begin(struct sim_collector *c, struct timed *timed, struct arena *arena,
                       bool fixed)
{
    *c = (struct sim_collector){.timed = timed, .arena = arena, .fixed = fixed};
    sim_meter_init(&c->meter, timed, arena);
    for (size_t i = 0; i < ARRAY_LENGTH(counters); i++)
        if (sim_meter_add(&c->meter, counters[i].statistics) != METER_NONE)
            vec_push(arena, &c->series.names, counters[i].name);
    add_states(c);
    sim_meter_add_resources(&c->meter, false);
    sim_meter_init(&c->busiest, timed, arena);
    sim_meter_add_resources(&c->busiest, true);
    c->columns.factors = ARENA_ARRAY(arena, double, c->meter.resources.n + 1);
    for (uint32_t i = 0; i < c->meter.resources.n; i++)
        vec_push(arena, &c->series.names,
                 arena_printf(arena, "use of %s", c->meter.resources.v[i].name));
    c->columns.meter = &c->meter;
    recording_init(&c->run, arena, c->meter.columns.n, SIM_SHOWN);
    recording_init(&c->period, arena, c->meter.columns.n, SIM_SAMPLES);
    c->values = ARENA_ARRAY(arena, double, c->meter.columns.n);
    sim_phase_sums_init(&c->total, &c->columns, arena);
    c->last = timed_cycle(timed);
}

void sim_collect(struct sim_collector *c, uint64_t cycle)
{
    struct sim_sample sample = {(double)c->last, (double)cycle, c->values};
    if (cycle <= c->last)
        return;
    sim_meter_read(&c->meter, c->values);
    c->last = cycle;
    recording_add(&c->run, &sample);
    recording_add(&c->period, &sample);
    if (!c->fixed && (uint64_t)c->period.width > c->timed->interval)
        timed_set_interval(c->timed, (uint64_t)c->period.width);
}

static struct sim_phase_sums *phases_of(struct sim_collector *c, const struct device_kernel *kernel)
{
    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].kernel == kernel)
            return &c->kernels.v[i].sums;
    struct sim_kernel_phases one = {.kernel = kernel};
    sim_phase_sums_init(&one.sums, &c->columns, c->arena);
    vec_push(c->arena, &c->kernels, one);
    return &c->kernels.v[c->kernels.n - 1].sums;
}

// Sets the use of the busiest instance of each resource relative to the mean, in this period.
static void set_factors(struct sim_collector *c)
{
    sim_meter_read(&c->busiest, c->values);
    for (uint32_t i = 0; i < c->meter.resources.n; i++) {
        double used = 0, busiest = c->values[c->busiest.used + i];
        for (uint32_t k = 0; k < c->period.samples.n; k++)
            used += c->period.samples.v[k].values[c->meter.used + i];
        c->columns.factors[i] = used > 0 && busiest > used ? busiest / used : 1;
    }
}

void sim_collect_period(struct sim_collector *c, uint64_t cycle)
{
    uint32_t launches = c->timed->spans.n - c->spans;
    const struct timed_span *span = vec_from(&c->timed->spans, c->spans);
    double begun = 0, ended = (double)cycle;
    sim_collect(c, cycle);
    set_factors(c);
    if (launches == 1) {
        begun = (double)span->begun;
        ended = (double)span->ended;
        sim_phases_add(phases_of(c, span->kernel), &c->columns, c->period.samples.v,
                       c->period.samples.n, begun, ended);
    }
    if (launches)
        sim_phases_add(&c->total, &c->columns, c->period.samples.v, c->period.samples.n, begun,
                       ended);
    c->spans = c->timed->spans.n;
    c->period.samples.n = 0;
    c->period.width = 0;
    if (!c->fixed)
        timed_set_interval(c->timed, SIM_INTERVAL);
}

const struct sim_phase_sums *sim_collected(const struct sim_collector *c,
                                           const struct device_kernel *kernel)
{
    for (uint32_t i = 0; i < c->kernels.n; i++)
        if (c->kernels.v[i].kernel == kernel)
            return &c->kernels.v[i].sums;
    return NULL;
}
