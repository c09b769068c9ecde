// Topics: outputs that options request in place of a run.
#include "cli/sim/machine.h"
#include "cli/sim/configuration.h"
#include "cli/sim/digests.h"
#include "runtime-sim/run/run_file.h"

static void print_storage(const struct machine_config *config, struct arena *arena, FILE *to)
{
    for (uint32_t i = 0; config->schemes[i]; i++)
        if (config->schemes[i]->report.print_storage)
            config->schemes[i]->report.print_storage(config->of_scheme[i], config, to);
    struct energy_model model;
    machine_energy(&model, arena, config, true);
    energy_print_area(&model, to);
}

static void print_energy(const struct machine_config *config, struct arena *arena, FILE *to)
{
    struct energy_model model;
    machine_energy(&model, arena, config, false);
    energy_print_costs(&config->energy, to);
    energy_print_events(&model, to);
}

static bool print_run_keys(void *own, FILE *to)
{
    struct sim_base *base = own;
    (base->frame.options->help.as_markdown ? yaml_keys_print_markdown : yaml_keys_print)(&run_keys,
                                                                                         to);
    return true;
}

static bool print_keys(void *own, FILE *to)
{
    struct sim_base *base = own;
    configuration_print_keys(&base->machine.resolved, base->frame.options->help.as_markdown, to);
    return true;
}

static bool list_configs(void *own, FILE *to)
{
    struct sim_base *base = own;
    config_names_print(&base->machine.resolved, to);
    return true;
}

static bool print_config(void *own, FILE *to)
{
    struct sim_base *base = own;
    config_print(&base->machine.resolved, to);
    return true;
}

static bool print_digests(void *own, FILE *to)
{
    struct sim_base *base = own;
    bool good = false;
    const char *error = sim_digests_print(&base->frame.arena, to, &good);
    if (error)
        message_error(&base->frame.messages, "%s", error);
    return good;
}

static bool list_storage(void *own, FILE *to)
{
    struct sim_base *base = own;
    print_storage(&base->machine.config, &base->frame.arena, to);
    return true;
}

static bool list_energy(void *own, FILE *to)
{
    struct sim_base *base = own;
    print_energy(&base->machine.config, &base->frame.arena, to);
    return true;
}

static bool list_stats(void *own, FILE *to)
{
    struct sim_base *base = own;
    sim_machine_list_stats(&base->machine, &base->frame.arena, to);
    return true;
}

bool sim_prepare(void *own)
{
    struct sim_base *base = own;
    return sim_machine_read(&base->machine, &base->frame.arena,
                            (const struct sim_arguments *)base->frame.options,
                            &base->frame.messages);
}

#define FLAG_OF(name) .flag = offsetof(struct sim_arguments, name)

const struct topic sim_topics[] = {
    TOPIC_OF_HELP(SIM_HELP_RUN, false, print_run_keys),
    TOPIC_OF_HELP(SIM_HELP_KEYS, true, print_keys),
    {FLAG_OF(list_configs), .print = list_configs},
    {FLAG_OF(print_config), .is_late = true, .print = print_config},
    {FLAG_OF(print_digests), .is_late = true, .print = print_digests},
    {FLAG_OF(list_storage), .is_late = true, .print = list_storage},
    {FLAG_OF(list_energy), .is_late = true, .print = list_energy},
    {FLAG_OF(list_stats), .is_late = true, .print = list_stats},
    {0},
};
