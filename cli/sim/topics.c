// Prints what was requested instead of a run.
#include "cli/sim/sim.h"
#include "cli/sim/digests.h"
#include "runtime-sim/run/keys.h"

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

static void list_stats(struct sim *sim, FILE *to)
{
    struct sim_machine *machine = &sim->machine;
    host_options(&machine->host_config, &machine->host, &machine->options);
    timed_list_stats(&machine->options, &sim->arena, to);
}

static bool print_digests(struct sim *sim, FILE *to)
{
    bool good = false;
    const char *error = sim_digests_print(&sim->arena, to, &good);
    if (error)
        message_error(&sim->messages, "%s", error);
    return good;
}

int sim_print_topic(struct sim *sim)
{
    bool good = true;
    const struct sim_arguments *a = &sim->arguments;
    FILE *to = sim_open_output(sim, "-");
    if (!to)
        return BAD_INPUT;
    if (sim->arguments.common.help)
        options_help(sim_command_with_policies(&sim->arena), to);
    else if (sim->arguments.help_run)
        (a->help_run == TOPIC_MARKDOWN ? yaml_keys_print_markdown : yaml_keys_print)(&run_keys, to);
    else if (sim->arguments.help_keys)
        (a->help_keys == TOPIC_MARKDOWN ? config_keys_print_markdown
                                        : config_keys_print)(&sim->machine.resolved, to);
    else if (sim->arguments.list_configs)
        config_names_print(&sim->machine.resolved, to);
    else if (sim->arguments.print_config)
        config_print(&sim->machine.resolved, to);
    else if (sim->arguments.print_digests)
        good = print_digests(sim, to);
    else if (sim->arguments.list_storage)
        print_storage(&sim->machine.config, &sim->arena, to);
    else if (sim->arguments.list_energy)
        print_energy(&sim->machine.config, &sim->arena, to);
    else if (sim->arguments.list_stats)
        list_stats(sim, to);
    else
        options_version(&sim_command, to);
    const char *error = outputs_commit(&sim->outputs);
    if (error)
        message_error(&sim->messages, "%s", error);
    return error || !good ? BAD_INPUT : DONE;
}
