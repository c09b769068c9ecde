// Writes statistics of a device with timed launches as text, JSON and CSV.
#include "runtime-sim/device/timed_run.h"
#include "support/number.h"
#include <string.h>

// Names of other simulators

struct public_name {
    const char *kernel, *total, *numerator, *denominator, *text;
};

static const struct public_name public_names[] = {
#define NAME(kernel, total, numerator, denominator, text)                                          \
    {#kernel, #total, numerator, denominator, text},
#include "runtime-sim/device/public_names.def"
#undef NAME
};

enum { PUBLIC_NAMES = ARRAY_LENGTH(public_names), LONGEST_NAME = 64 };

bool timed_add_up(const struct timed_stats *stats, const char *names, double *sum)
{
    *sum = 0;
    while (*names) {
        char name[LONGEST_NAME];
        bool minus = *names == '-';
        names += minus;
        size_t length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        double value;
        if (!stats_find(stats->stats, &stats->since, name, &value))
            return false;
        *sum += minus ? -value : value;
        names += length + (names[length] == ' ');
    }
    return true;
}

static bool public_value(const struct timed_stats *stats, const struct public_name *name,
                         double *value)
{
    double denominator = 1;
    if (!timed_add_up(stats, name->numerator, value) ||
        (*name->denominator && !timed_add_up(stats, name->denominator, &denominator)))
        return false;
    *value = denominator != 0 ? *value / denominator : 0;
    return true;
}

// Statistics of a kernel

// Returns the statistics that are counted for each launch, for kernels with launches that ran at
// the same time as others.
static struct stats *own_stats(const struct timed *timed, const struct timed_kernel *counts,
                               struct arena *arena)
{
    static const char *const names[] = {
        "cycles", "launches", "warp_instructions", "thread_instructions", "ipc", "warp_ipc"};
    enum { NAMES = ARRAY_LENGTH(names) };
    const struct stat_group *machine = &timed->stats.groups.v[0];
    struct machine_totals *totals = ARENA_NEW(arena, struct machine_totals);
    struct stat_key *keys = ARENA_ARRAY(arena, struct stat_key, NAMES);
    struct stats *stats = ARENA_NEW(arena, struct stats);
    uint32_t count = 0;
    *totals = (struct machine_totals){.cycles = counts->cycles,
                                      .launches = counts->launches,
                                      .warp_instructions = counts->warp_instructions,
                                      .thread_instructions = counts->thread_instructions};
    for (uint32_t i = 0; i < machine->count; i++)
        for (uint32_t k = 0; k < NAMES; k++)
            if (!strcmp(machine->keys[i].name, names[k]))
                keys[count++] = machine->keys[i];
    stats_init(stats, arena);
    stats_add(stats, machine->name, keys, count, totals);
    return stats;
}

struct timed_stats timed_stats_of(const struct timed *timed, const struct timed_kernel *counts,
                                  struct arena *arena)
{
    counts = counts ? counts : &timed->total;
    if (!counts->together) {
        struct stats_mark since = stats_since(&timed->stats, &counts->sum, arena);
        return timed_stats_with_energy(timed, &since, arena);
    }
    const struct stats *stats = own_stats(timed, counts, arena);
    return (struct timed_stats){stats, stats_zero(stats, arena)};
}

// Output for each kernel, then for all together

struct stats_output {
    const struct timed *timed;
    const struct stats_choice *choice;
    FILE *to;
    struct json json;
};

typedef void scope_function(struct stats_output *output, const struct device_kernel *kernel,
                            const struct timed_kernel *counts);

// Calls the function for each kernel with timed launches. Returns their number.
static uint32_t each_kernel(struct stats_output *output, scope_function *function)
{
    const struct device *device = output->timed->device;
    uint32_t count = 0;
    for (uint32_t i = 0; i < device->kernels.n; i++) {
        const struct device_kernel *kernel = device->kernels.v[i];
        if (!kernel->timed)
            continue;
        function(output, kernel, kernel->timed);
        count++;
    }
    return count;
}

static void each_scope(struct stats_output *output, scope_function *function)
{
    each_kernel(output, function);
    function(output, NULL, &output->timed->total);
}

static void write_number(FILE *to, double value)
{
    char text[NUMBER_TEXT];
    number_shortest(text, value);
    fputs(text, to);
}

static void write_public_text(const struct stats_output *output, const struct timed_stats *known,
                              bool total)
{
    for (uint32_t i = 0; !output->choice->patterns.list.n && i < PUBLIC_NAMES; i++) {
        const struct public_name *name = &public_names[i];
        double value;
        if (!public_value(known, name, &value))
            continue;
        fprintf(output->to, "%s = ", total ? name->total : name->kernel);
        write_number(output->to, value);
        fprintf(output->to, " # %s\n", name->text);
    }
}

static void write_text(struct stats_output *output, const struct device_kernel *kernel,
                       const struct timed_kernel *counts)
{
    struct arena own;
    FILE *to = output->to;
    arena_init(&own, output->timed->arena->memory);
    struct timed_stats known = timed_stats_of(output->timed, counts, &own);
    if (kernel)
        fprintf(to, "kernel_name = %s\n", kernel->name);
    else
        fputs("# all kernels\n", to);
    write_public_text(output, &known, !kernel);
    stats_text(known.stats, &known.since, output->choice, to);
    fputs(kernel ? "\n" : "", to);
    arena_free(&own);
}

// Writes only the names for all kernels: the statistics of all are those of the only kernel.
static void write_total_names(struct stats_output *output)
{
    struct arena own;
    arena_init(&own, output->timed->arena->memory);
    struct timed_stats known = timed_stats_of(output->timed, NULL, &own);
    fputs("# all kernels\n", output->to);
    write_public_text(output, &known, true);
    arena_free(&own);
}

static void write_csv(struct stats_output *output, const struct device_kernel *kernel,
                      const struct timed_kernel *counts)
{
    struct arena own;
    arena_init(&own, output->timed->arena->memory);
    struct timed_stats known = timed_stats_of(output->timed, counts, &own);
    stats_csv_rows(known.stats, &known.since, output->choice,
                   kernel ? arena_printf(&own, "%s,", kernel->name) : ",", output->to);
    arena_free(&own);
}

static void write_public_json(const struct timed_stats *known, bool total, struct json *json)
{
    json_key(json, "other_names");
    json_object(json);
    for (uint32_t i = 0; i < PUBLIC_NAMES; i++) {
        double value;
        if (!public_value(known, &public_names[i], &value))
            continue;
        json_member_double(json, total ? public_names[i].total : public_names[i].kernel, value);
    }
    json_end_object(json);
}

static void write_json(struct stats_output *output, const struct device_kernel *kernel,
                       const struct timed_kernel *counts)
{
    struct json *json = &output->json;
    struct arena own;
    arena_init(&own, output->timed->arena->memory);
    struct timed_stats known = timed_stats_of(output->timed, counts, &own);
    if (!kernel) {
        json_end_array(json);
        json_key(json, "total");
    }
    json_object(json);
    if (kernel) {
        json_member_string(json, "name", kernel->name);
    }
    json_member_uint(json, "launches", counts->launches);
    json_key(json, "statistics");
    stats_json(known.stats, &known.since, output->choice, json);
    if (!output->choice->patterns.list.n)
        write_public_json(&known, !kernel, json);
    json_end_object(json);
    arena_free(&own);
}

static void write_json_file(struct stats_output *output)
{
    struct json *json = &output->json;
    json_init(json, output->to);
    json_object(json);
    json_member_string(json, "format", "ptxoffload-statistics");
    json_member_int(json, "version", 1);
    json_key(json, "configuration");
    config_json(output->timed->options->resolved, json);
    json_key(json, "kernels");
    json_array(json);
    each_scope(output, write_json);
    json_end_object(json);
    json_done(json);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

void timed_write_stats(const struct timed *timed, const struct stats_choice *choice,
                       const char *path, FILE *to)
{
    struct stats_output output = {.timed = timed, .choice = choice, .to = to};
    if (ends_in(path, ".json")) {
        write_json_file(&output);
    } else if (ends_in(path, ".csv")) {
        fputs("kernel,name,unit,value\n", to);
        each_scope(&output, write_csv);
    } else if (each_kernel(&output, write_text) != 1) {
        write_text(&output, NULL, &timed->total);
    } else {
        write_total_names(&output);
    }
}

bool timed_value(const struct timed *timed, const struct timed_kernel *kernel, const char *name,
                 double *value)
{
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct timed_stats known = timed_stats_of(timed, kernel, &own);
    bool found = stats_find(known.stats, &known.since, name, value);
    arena_free(&own);
    return found;
}

bool timed_energy(const struct timed *timed, const struct timed_kernel *kernel, struct arena *arena,
                  struct energy_result *result)
{
    const struct timed_kernel *counts = kernel ? kernel : &timed->total;
    if (counts->together)
        return false;
    struct stats_mark since = stats_since(&timed->stats, &counts->sum, arena);
    return energy_evaluate(&timed->energy, &timed->stats, &since, arena, result);
}

void timed_list_stats(const struct timed_options *options, struct arena *arena, FILE *to)
{
    struct stats stats;
    stats_init(&stats, arena);
    machine_stats_name(arena, options->config, &stats);
    timed_add_samples(&(struct sample_totals){0}, &stats);
    if (options->add_stats)
        options->add_stats(options->stats_context, &stats);
    timed_name_energy(options, arena, &stats);
    stats_list(&stats, to);
    for (uint32_t i = 0; i < PUBLIC_NAMES; i++) {
        const struct public_name *name = &public_names[i];
        fprintf(to, "%s%s%s  # %s: %s%s%s\n", name->kernel,
                strcmp(name->kernel, name->total) ? ", in total " : "",
                strcmp(name->kernel, name->total) ? name->total : "", name->text, name->numerator,
                *name->denominator ? " / " : "", name->denominator);
    }
}
