#include "runtime-sim/base/trace.h"
#include "runtime-sim/device/timed_run.h"
#include "runtime-sim/exec/warp/grid.h"
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Regions

static const char *read_number(const char *at, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(at, &end, 10);
    return *at >= '0' && *at <= '9' && !errno && *value ? end : NULL;
}

static const char *read_range(const char *at, struct timed_range *range)
{
    at = read_number(at, &range->first);
    range->last = range->first;
    if (at && *at == '-')
        at = read_number(at + 1, &range->last);
    return at && range->last >= range->first && (!*at || *at == ',') ? at : NULL;
}

// Returns the list of launches, from a colon that is not part of a C++ name, or NULL.
static const char *launches_of(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon > text && colon[-1] != ':' ? colon : NULL;
}

const char *timed_region_read(struct timed_region *region, struct arena *arena, const char *text)
{
    const char *at = launches_of(text);
    *region = (struct timed_region){.kernel = at ? arena_strndup(arena, text, (size_t)(at - text))
                                                 : text};
    bool good = *region->kernel && *text != ':';
    while (good && at && *at) {
        struct timed_range range;
        at = read_range(at + 1, &range);
        good = at;
        if (good)
            vec_push(arena, &region->launches, range);
    }
    return good ? NULL
                : arena_printf(arena,
                               "cannot be '%s': expected KERNEL, or KERNEL:LAUNCHES with LAUNCHES "
                               "such as 2 or 1,4-6, from 1",
                               text);
}

bool timed_find_kernels(struct timed_options *options, const struct program *program,
                        struct kernel_fault *fault)
{
    for (uint32_t i = 0; i < options->regions.n; i++) {
        struct timed_region *region = &options->regions.v[i];
        const struct program_function *found =
            kernel_find(program, program->arena, region->kernel, fault);
        if (!found)
            return false;
        region->kernel = kernel_name(program, program->arena, found);
    }
    return true;
}

bool timed_includes(const struct timed_options *options, const char *kernel, uint64_t launch)
{
    for (uint32_t i = 0; i < options->regions.n; i++) {
        const struct timed_region *region = &options->regions.v[i];
        if (strcmp(region->kernel, kernel))
            continue;
        if (!region->launches.n)
            return true;
        for (uint32_t k = 0; k < region->launches.n; k++)
            if (launch >= region->launches.v[k].first && launch <= region->launches.v[k].last)
                return true;
    }
    return !options->regions.n;
}

// Launches

struct timed_kernel *timed_counts(struct timed *timed, struct device_kernel *kernel)
{
    if (kernel->timed)
        return kernel->timed;
    kernel->timed = ARENA_NEW(timed->arena, struct timed_kernel);
    *kernel->timed = (struct timed_kernel){.sum = stats_zero(&timed->stats, timed->arena)};
    return kernel->timed;
}

static bool accepts_launch(const void *context, const struct device_kernel *kernel, uint64_t number,
                           uint64_t launch)
{
    const struct timed *timed = context;
    return (number == 1 || sample_includes(&timed->options->sampling, launch)) &&
           timed_includes(timed->options, kernel->name, number);
}

void timed_add_samples(const struct sample_totals *totals, struct stats *stats)
{
    static const struct stat_key keys[] = {
#define STATS_DEF "runtime-sim/device/sample_stats.def"
#define STATS_OF struct sample_totals
#include "runtime-sim/base/stats_keys.inc"
    };
    stats_add(stats, "sample", keys, ARRAY_LENGTH(keys), totals);
}

// The statistics of the next machine may have other groups: plans of an extended program have more
// chains, or make more schemes active.
static void convert_sums(struct timed *timed, const struct stats *before)
{
    struct timed_kernel *total = &timed->total;
    if (!total->sum.values)
        return;
    total->sum = stats_convert(before, &total->sum, &timed->stats, timed->arena);
    for (uint32_t i = 0; i < timed->device->kernels.n; i++) {
        struct timed_kernel *kernel = timed->device->kernels.v[i]->timed;
        if (kernel)
            kernel->sum = stats_convert(before, &kernel->sum, &timed->stats, timed->arena);
    }
}

static bool is_far(const void *context, uint64_t address)
{
    const struct device *device = context;
    return image_is_remote(device->image, address);
}

static void make_machine(struct timed *timed, uint64_t cycle)
{
    struct arena scratch;
    arena_init(&scratch, timed->arena->memory);
    struct stats before = stats_layout(&timed->stats, &scratch);
    if (timed->trace)
        machine_trace_end(timed->machine);
    arena_free(&timed->own);
    arena_init(&timed->own, timed->arena->memory);
    timed->config = *timed->options->config;
    timed->config.copies = timed->options->copies;
    timed->config.image = &timed->device->image;
    timed->config.sites = timed->device->sites;
    timed->config.far = (struct memsys_far){.context = timed->device,
                                            .is_far = is_far,
                                            .rate = timed->options->peer_rate,
                                            .latency = timed->options->peer_latency};
    timed->machine = machine_new_planned(&timed->own, &timed->config, timed->device->program,
                                         timed->device->plans);
    timed->machines++;
    timed->last = NULL;
    timed->used = timed->broken = false;
    machine_start_at(timed->machine, cycle);
    machine_shuffle(timed->machine, timed->options->shuffle);
    stats_init(&timed->stats, &timed->own);
    machine_stats_add(timed->machine, &timed->stats);
    if (timed->options->sampling.period || timed->options->sampling.waves)
        timed_add_samples(&timed->samples, &timed->stats);
    if (timed->options->add_stats)
        timed->options->add_stats(timed->options->stats_context, &timed->stats);
    if (timed->trace)
        machine_trace_begin(timed->machine, &timed->own, timed->trace);
    convert_sums(timed, &before);
    arena_free(&scratch);
}

void timed_begin(struct timed *timed, struct device *device, const struct timed_options *options)
{
    *timed = (struct timed){.options = options, .device = device, .arena = device->arena};
    timed->interval = options->interval;
    arena_init(&timed->own, device->arena->memory);
    machine_energy(&timed->energy, device->arena, options->config, false);
    make_machine(timed, 0);
    arena_init(&timed->period.arena, device->arena->memory);
    timed->total.sum = stats_zero(&timed->stats, device->arena);
    timed->sampled = stats_zero(&timed->stats, &timed->own);
    device->planes = machine_planes(options->config);
    device->keeps_copies = options->config->machine.copies_to_llc;
    device->accepts = accepts_launch;
    device->execute = timed_execute;
    device->executor = timed;
}

void timed_trace(struct timed *timed, FILE *to, uint64_t from, uint64_t until)
{
    timed->trace = ARENA_NEW(timed->arena, struct trace);
    trace_begin(timed->trace, timed->arena, to, "a cycle of the cores", trace_microseconds(from),
                trace_microseconds(until));
    machine_trace_name(timed->machine, timed->trace);
    timed_trace_power_name(timed);
    machine_trace_begin(timed->machine, &timed->own, timed->trace);
}

// Sampling

// Sets the totals of a kernel. Returns the square of the error.
static double sample_kernel(const struct device_kernel *kernel, struct sample_totals *to)
{
    struct timed_kernel *timed = kernel->timed;
    struct sample_estimate rest = sample_untimed(
        &timed->sampled, kernel->launches - timed->launches,
        kernel->warp_instructions - timed->warp_instructions - timed->sampled.skipped_instructions);
    double squares =
        timed->sampled.skipped_squares + (rest.error > 0 ? rest.error * rest.error : 0);
    *to = (struct sample_totals){.launches = kernel->launches,
                                 .timed = timed->launches,
                                 .cycles = timed->cycles +
                                           (uint64_t)(rest.cycles + timed->sampled.skipped_cycles),
                                 .error = (uint64_t)sqrt(squares),
                                 .unknown = rest.error < 0};
    return squares;
}

// Sets the statistics of sampling, which were 0 up to now, for each kernel and in total.
static void end_samples(struct timed *timed)
{
    struct sample_totals total = {0};
    struct arena own;
    double squares = 0;
    arena_init(&own, timed->arena->memory);
    struct stats_mark before = stats_snapshot(&timed->stats, &own);
    for (uint32_t i = 0; i < timed->device->kernels.n; i++) {
        const struct device_kernel *kernel = timed->device->kernels.v[i];
        if (!kernel->timed)
            continue;
        squares += sample_kernel(kernel, &timed->samples);
        stats_sum(&timed->stats, &before, &kernel->timed->sum);
        total.launches += timed->samples.launches;
        total.timed += timed->samples.timed;
        total.cycles += timed->samples.cycles;
        total.unknown += timed->samples.unknown;
    }
    total.error = (uint64_t)sqrt(squares);
    timed->samples = total;
    stats_sum(&timed->stats, &before, &timed->total.sum);
    arena_free(&own);
}

void timed_end(struct timed *timed)
{
    if (timed->options && (timed->options->sampling.period || timed->options->sampling.waves))
        end_samples(timed);
    if (!timed->trace)
        return;
    timed_trace_power(timed, machine_cycle(timed->machine));
    machine_trace_end(timed->machine);
    trace_end(timed->trace);
    timed->trace = NULL;
}

const char *timed_room(const struct timed_kernel *kernel, struct arena *arena)
{
    bool one = kernel->room == 1;
    if (!kernel->room)
        return NULL;
    return arena_printf(arena, "%u CTA%s a core, limited by %s; %u registers per thread (%s)",
                        kernel->room, one ? " fits" : "s fit", kernel->limit, kernel->registers,
                        kernel->registers_source);
}

void timed_report(const struct timed *timed, FILE *to)
{
    machine_report(timed->machine, to);
}

const char *timed_shortfall(const struct timed *timed, struct arena *arena)
{
    return machine_shortfall(timed->machine, arena);
}

void timed_write_notes(const struct timed *timed, FILE *to)
{
    machine_write_notes(timed->machine, to);
}

// Continuation with another machine

void timed_discard(struct timed *timed)
{
    assert(!timed->period.is_open);
    timed->broken = timed->used;
}

struct stats_mark timed_since_sample(const struct timed *timed, struct arena *arena)
{
    struct stats_mark since = stats_zero(&timed->stats, arena);
    stats_sum(&timed->stats, &timed->sampled, &since);
    return since;
}

void timed_resume(struct timed *timed, uint64_t cycle, const struct stats_mark *since_sample)
{
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct stats before = stats_layout(&timed->stats, &own);
    make_machine(timed, cycle);
    struct stats_mark since = stats_convert(&before, since_sample, &timed->stats, &own);
    timed->sampled = stats_since(&timed->stats, &since, &timed->own);
    arena_free(&own);
    uint64_t interval = timed->options->interval;
    timed->power_from = interval ? cycle / interval * interval : cycle;
}

void timed_renew(struct timed *timed)
{
    struct machine_limits limits = timed_limits(timed);
    struct arena own;
    if (!timed->used)
        return;
    arena_init(&own, timed->arena->memory);
    struct stats_mark before = stats_snapshot(&timed->stats, &own);
    uint64_t begun = machine_cycle(timed->machine);
    if (!timed->broken)
        machine_flush(timed->machine, &limits);
    uint64_t cycle = machine_cycle(timed->machine);
    timed_count_run(timed, timed->last, &before, 0, cycle - begun);
    struct stats_mark since_sample = timed_since_sample(timed, &own);
    timed_resume(timed, cycle, &since_sample);
    arena_free(&own);
}
