#include "cli/sim/machine.h"
#include "cli/sim/configuration.h"
#include "runtime-sim/schemes/schemes.h"
#include "support/number.h"
#include <inttypes.h>
#include <string.h>

// Configuration

bool sim_machine_read(struct sim_machine *machine, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages)
{
    uint32_t count;
    struct config_section *sections = machine_sections(&machine->config, arena, schemes, &count);
    sections[count++] = host_section(&machine->host_config);
    if (arguments->has_peers)
        sections[count++] = host_peer_section(&machine->peer);
    config_init(&machine->resolved, arena, sections, count);
    const char *policy = sim_policy(arguments, arena);
    struct text_list settings = {0};
    // The policy comes first: --set may combine it with the policy of another scheme.
    for (uint32_t i = 0; policy && schemes[i]; i++) {
        const char *setting = scheme_policy_setting(arena, schemes[i], policy);
        if (setting)
            vec_push(arena, &settings.list, setting);
    }
    for (uint32_t i = 0; i < arguments->machine_settings.n; i++)
        vec_push(arena, &settings.list, arguments->machine_settings.v[i]);
    if (!configuration_read(&machine->resolved, arguments->config, &settings, messages))
        return false;
    const char *wrong = machine_check(arena, &machine->config);
    if (wrong)
        message_error(messages, "%s: %s", arguments->config, wrong);
    machine->options = (struct timed_options){
        .config = &machine->config,
        .resolved = &machine->resolved,
        .shuffle = arguments->shuffle,
        .max_cycles = arguments->max_cycles,
        .sampling = arguments->sampling,
    };
    machine->host.gpus->config = &machine->host_config;
    for (uint32_t i = 0; i < arguments->timed.n; i++)
        vec_push(arena, &machine->options.regions, arguments->timed.v[i]);
    return !wrong;
}

void sim_note_order(const struct messages *messages, const struct device_module *module)
{
    if (module->kept)
        message_note(messages,
                     "kernels with tags keep the order of the PTX, others have that of "
                     "core.schedule: compare policies on the tagged program, also baseline");
}

// Returns true if the launch fits the built-in machine.
static bool has_room(struct arena *arena, const char *name, const struct launch_needs *needs)
{
    uint32_t count;
    struct machine_config *machine = ARENA_NEW(arena, struct machine_config);
    struct host_config host;
    struct config config;
    struct config_section *sections = machine_sections(machine, arena, schemes, &count);
    sections[count++] = host_section(&host);
    config_init(&config, arena, sections, count);
    if (!config_load(&config, name))
        return false;
    const struct launch launch = {.block = {needs->threads, 1, 1},
                                  .shared_bytes = needs->shared_bytes};
    const struct core_needs of_cta = core_needs(&machine->core, &launch, needs->registers);
    const char *why;
    uint64_t cores = machine->memsys.memory.cores;
    uint64_t room = cores * core_capacity(&machine->core, &of_cta, &why);
    return room >= needs->together && needs->cluster <= cores && room;
}

const char *sim_machines_with_room(struct arena *arena, const struct launch_needs *needs)
{
    const char *list = NULL;
    struct arena own;
    arena_init(&own, arena->memory);
    for (const struct embedded *file = config_files; file->name; file++)
        if (!strchr(file->name, '/') && has_room(&own, file->name, needs))
            list = list ? arena_printf(arena, "%s, %s", list, file->name)
                        : arena_strndup(arena, file->name, strlen(file->name));
    arena_free(&own);
    return list ? arena_printf(arena, "machines with room for it (--config=NAME): %s", list)
                : "no built-in machine has room for it";
}

void sim_machine_host(struct sim_machine *machine, const struct sim_arguments *arguments,
                      struct host_gpu *gpu)
{
    host_options(&machine->host_config, arguments->has_peers ? &machine->peer : NULL, gpu,
                 &machine->options);
}

void sim_machine_list_stats(struct sim_machine *machine, struct arena *arena, FILE *to)
{
    host_options(&machine->host_config, NULL, machine->host.gpus, &machine->options);
    timed_list_stats(&machine->options, arena, to);
}

bool sim_machine_finds(struct sim_machine *machine, const struct program *program,
                       const struct messages *messages)
{
    struct kernel_fault fault;
    bool good = timed_find_kernels(&machine->options, program, &fault);
    if (!good) {
        message_error(messages, "--timed: %s", fault.text);
        message_note(messages, "%s", fault.kernels);
    }
    return good;
}

// Time series

static const char *const series_rows[] = {
    "machine.warp_instructions",
    "machine.ipc",
    "machine.l1_hit_rate",
    "core.issued",
    "core.stall_empty",
    "core.stall_fetch",
    "core.stall_result",
    "core.stall_load",
    "core.stall_barrier",
    "core.stall_fence",
    "core.stall_lanes",
    NULL, // stalls of schemes go here
    "core.stall_ended",
    "core.stall_unit",
    "core.stall_memory_queue",
    "core.stall_not_selected",
    "memory.requests",
    "memory.from_llc",
    "memory.from_dram",
    "memory.latency_mean",
    "memory.weighted_hops",
    "dram.reads",
    "dram.writes",
    "dram.row_hits",
    "energy.power",
};

enum { SERIES_ROWS = ARRAY_LENGTH(series_rows) };

static void name_stalls(struct sim_machine *machine)
{
    struct arena *arena = machine->resolved.arena;
    for (uint32_t i = 0; schemes[i]; i++)
        for (uint32_t k = 0; k < schemes[i]->report.stall_count; k++)
            vec_push(arena, &machine->series_names,
                     arena_printf(arena, "core.stall_%s", schemes[i]->report.stalls[k].name));
}

static void name_series(struct sim_machine *machine)
{
    for (uint32_t i = 0; schemes[i]; i++)
        if (schemes[i]->report.series && machine_enables(&machine->config, i))
            for (const char *const *name = schemes[i]->report.series; *name; name++)
                vec_push(machine->resolved.arena, &machine->series_names, *name);
}

static void write_row(struct sim_machine *machine, const char *kernel, uint64_t cycle)
{
    struct arena own;
    arena_init(&own, machine->timed.arena->memory);
    struct timed_stats view = timed_stats_sample(&machine->timed, &own);
    fprintf(machine->series, "%" PRIu64 ",%s", cycle, kernel);
    for (uint32_t i = 0; i < machine->series_names.n; i++) {
        char text[NUMBER_TEXT];
        double value;
        stats_find(view.stats, &view.since, machine->series_names.v[i], &value);
        number_shortest(text, value);
        fprintf(machine->series, ",%s", text);
    }
    fputc('\n', machine->series);
    arena_free(&own);
}

static void record_sample(void *context, const char *kernel, uint64_t cycle)
{
    struct sim_machine *machine = context;
    if (machine->series)
        write_row(machine, kernel, cycle);
    if (machine->collector)
        sim_collect(machine->collector, cycle);
}

static void record_period(void *context, uint64_t cycle)
{
    struct sim_machine *machine = context;
    sim_collect_period(machine->collector, cycle);
}

void sim_machine_collect(struct sim_machine *machine, struct sim_collector *collector)
{
    machine->collector = collector;
    machine->options.sample = record_sample;
    machine->options.period_end = record_period;
    machine->options.context = machine;
    if (!machine->options.interval)
        machine->options.interval = SIM_INTERVAL;
}

void sim_machine_interval(struct sim_machine *machine, const struct sim_arguments *arguments)
{
    enum { INTERVAL = 1000 }; // cycles
    if (arguments->series || arguments->trace)
        machine->options.interval = arguments->interval ? arguments->interval : INTERVAL;
}

void sim_machine_series(struct sim_machine *machine, FILE *to)
{
    machine->series = to;
    machine->options.marks_samples = true;
    machine->options.sample = record_sample;
    machine->options.context = machine;
    for (uint32_t i = 0; i < SERIES_ROWS; i++)
        if (series_rows[i])
            vec_push(machine->resolved.arena, &machine->series_names, series_rows[i]);
        else
            name_stalls(machine);
    name_series(machine);
    fputs("cycle,kernel", to);
    for (uint32_t i = 0; i < machine->series_names.n; i++)
        fprintf(to, ",%s", machine->series_names.v[i]);
    fputc('\n', to);
}
