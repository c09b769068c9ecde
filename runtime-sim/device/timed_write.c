// Statistics of a device whose launches take time, as text, JSON and CSV.
#include "runtime-sim/device/timed_energy.h"
#include "support/number.h"
#include <string.h>

// Other names

struct public_name {
    const char *kernel, *total, *numerator, *denominator, *text;
};

static const struct public_name public_names[] = {
#define NAME(kernel, total, numerator, denominator, text)                                          \
    {#kernel, #total, numerator, denominator, text},
#include "runtime-sim/device/public_names.def"
#undef NAME
};

enum { PUBLIC_NAMES = sizeof public_names / sizeof *public_names, LONGEST_NAME = 64 };

// Adds up statistics. `names`: separated by blanks, a minus before one that is subtracted. Returns
// false if one of them is unknown.
static bool add_up(const struct stats *stats, const struct stats_mark *since, const char *names,
                   double *sum)
{
    *sum = 0;
    while (*names) {
        char name[LONGEST_NAME];
        bool minus = *names == '-';
        names += minus;
        size_t length = strcspn(names, " ");
        memcpy(name, names, length);
        name[length] = 0;
        double value;
        if (!stats_find(stats, since, name, &value))
            return false;
        *sum += minus ? -value : value;
        names += length + (names[length] == ' ');
    }
    return true;
}

static bool public_value(const struct stats *stats, const struct stats_mark *since,
                         const struct public_name *name, double *value)
{
    double denominator = 1;
    if (!add_up(stats, since, name->numerator, value) ||
        (*name->denominator && !add_up(stats, since, name->denominator, &denominator)))
        return false;
    *value = denominator != 0 ? *value / denominator : 0;
    return true;
}

// Statistics of a kernel

// For a kernel with launches at the same time as others: the counts of each launch.
static struct stats *own_stats(const struct timed *timed, const struct timed_kernel *counts,
                               struct arena *arena)
{
    static const char *const names[] = {
        "cycles", "launches", "warp_instructions", "thread_instructions", "ipc", "warp_ipc"};
    enum { NAMES = sizeof names / sizeof *names };
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

static struct timed_view view_of(const struct timed *timed, const struct timed_kernel *counts,
                                 struct arena *arena)
{
    if (!counts->together) {
        struct stats_mark since = stats_since(&timed->stats, &counts->sum, arena);
        return timed_view_with_energy(timed, &since, arena);
    }
    const struct stats *stats = own_stats(timed, counts, arena);
    return (struct timed_view){stats, stats_zero(stats, arena)};
}

// Kernels, one after the other, then all together

typedef void scope_function(const struct timed *timed, const struct device_kernel *kernel,
                            const struct timed_kernel *counts, void *context);

static void each_scope(const struct timed *timed, scope_function *function, void *context)
{
    for (uint32_t i = 0; i < timed->device->kernels.n; i++) {
        const struct device_kernel *kernel = timed->device->kernels.v[i];
        if (kernel->timed)
            function(timed, kernel, kernel->timed, context);
    }
    function(timed, NULL, &timed->total, context);
}

static void write_number(FILE *to, double value)
{
    char text[NUMBER_TEXT];
    number_shortest(text, value);
    fputs(text, to);
}

static void write_text(const struct timed *timed, const struct device_kernel *kernel,
                       const struct timed_kernel *counts, void *to)
{
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct timed_view known = view_of(timed, counts, &own);
    if (kernel)
        fprintf(to, "kernel_name = %s\n", kernel->name);
    else
        fputs("# all kernels\n", to);
    for (uint32_t i = 0; i < PUBLIC_NAMES; i++) {
        const struct public_name *name = &public_names[i];
        double value;
        if (!public_value(known.stats, &known.since, name, &value))
            continue;
        fprintf(to, "%s = ", kernel ? name->kernel : name->total);
        write_number(to, value);
        fprintf(to, " # %s\n", name->text);
    }
    stats_text(known.stats, &known.since, to);
    fputs(kernel ? "\n" : "", to);
    arena_free(&own);
}

static void write_csv(const struct timed *timed, const struct device_kernel *kernel,
                      const struct timed_kernel *counts, void *to)
{
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct timed_view known = view_of(timed, counts, &own);
    stats_csv_rows(known.stats, &known.since,
                   kernel ? arena_printf(&own, "%s,", kernel->name) : ",", to);
    arena_free(&own);
}

static void write_public_json(const struct timed_view *known, bool total, struct json *json)
{
    json_key(json, "other_names");
    json_object(json);
    for (uint32_t i = 0; i < PUBLIC_NAMES; i++) {
        double value;
        if (!public_value(known->stats, &known->since, &public_names[i], &value))
            continue;
        json_key(json, total ? public_names[i].total : public_names[i].kernel);
        json_double(json, value);
    }
    json_end_object(json);
}

static void write_json(const struct timed *timed, const struct device_kernel *kernel,
                       const struct timed_kernel *counts, void *context)
{
    struct json *json = context;
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct timed_view known = view_of(timed, counts, &own);
    if (!kernel) {
        json_end_array(json);
        json_key(json, "total");
    }
    json_object(json);
    if (kernel) {
        json_key(json, "name");
        json_string(json, kernel->name);
    }
    json_key(json, "launches");
    json_uint(json, counts->launches);
    json_key(json, "statistics");
    stats_json(known.stats, &known.since, json);
    write_public_json(&known, !kernel, json);
    json_end_object(json);
    arena_free(&own);
}

static void write_json_file(const struct timed *timed, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_key(&json, "format");
    json_string(&json, "ptxoffload-statistics");
    json_key(&json, "version");
    json_int(&json, 1);
    json_key(&json, "configuration");
    config_json(timed->options->resolved, &json);
    json_key(&json, "kernels");
    json_array(&json);
    each_scope(timed, write_json, &json);
    json_end_object(&json);
    json_done(&json);
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

void timed_write_stats(const struct timed *timed, const char *path, FILE *to)
{
    if (ends_in(path, ".json")) {
        write_json_file(timed, to);
    } else if (ends_in(path, ".csv")) {
        fputs("kernel,name,unit,value\n", to);
        each_scope(timed, write_csv, to);
    } else {
        each_scope(timed, write_text, to);
    }
}

bool timed_value(const struct timed *timed, const struct timed_kernel *kernel, const char *name,
                 double *value)
{
    struct arena own;
    arena_init(&own, timed->arena->memory);
    struct timed_view known = view_of(timed, kernel ? kernel : &timed->total, &own);
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
