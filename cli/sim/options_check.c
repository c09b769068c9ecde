// Which options of ptxoffload-sim can be combined.
#include "cli/sim/options.h"
#include "cli/common/diagnostics_options.h"
#include "support/file.h"
#include <string.h>
#include <unistd.h>

static bool fault(FILE *errors, const char *text, const char *name)
{
    return sim_options_fault(&sim_command, errors, text, name);
}

bool sim_options_fault(const struct command *command, FILE *errors, const char *text,
                       const char *name)
{
    fprintf(errors, "%s: error: ", command->name);
    fprintf(errors, "%s%s\n", text, name);
    return false;
}

bool sim_is_topic(const struct sim_arguments *arguments)
{
    return arguments->common.help || arguments->common.version || arguments->help_run ||
           arguments->help_keys || arguments->print_config || arguments->print_digests ||
           arguments->list_stats || arguments->list_storage || arguments->list_energy ||
           arguments->list_configs;
}

static bool check_line(const struct sim_arguments *a, FILE *errors)
{
    bool good = true;
    // An unknown file name is not a launch without options: reading the file reports the error.
    if (!file_is_standard(a->common.input) && access(a->common.input, F_OK))
        return true;
    if (!a->grid)
        good = fault(errors, "a launch needs --grid", "");
    if (!a->block)
        good = fault(errors, "a launch needs --block", "");
    if (a->program)
        good = fault(errors, "--program needs a run file, and this is not one: ", a->common.input);
    if (a->settings.n)
        good = fault(errors, "--set needs a run file, and this is not one: ", a->common.input);
    return good;
}

static const char *sampling_option(const struct sim_arguments *a)
{
    return a->sampling.period ? "--sample" : a->sampling.waves ? "--sample-ctas" : NULL;
}

bool sim_options_check(const struct sim_arguments *a, const struct command *command, FILE *errors)
{
    const char *timed = a->stats        ? "--stats"
                        : a->series     ? "--series"
                        : a->trace      ? "--trace"
                        : a->max_cycles ? "--max-cycles"
                        : a->timed.n    ? "--timed"
                                        : sampling_option(a);
    if (a->functional && timed)
        return sim_options_fault(
            command, errors, "--functional counts no cycles; it cannot be combined with ", timed);
    const char *const outputs[] = {a->json, a->stats, a->series, a->trace, a->profile};
    const char *conflict =
        diagnostics_conflict(&a->common, outputs, sizeof outputs / sizeof *outputs);
    if (conflict)
        return sim_options_fault(command, errors, conflict, "");
    if (a->timed.n && sampling_option(a))
        return sim_options_fault(command, errors,
                                 "--timed selects the timed launches; it cannot be combined with ",
                                 sampling_option(a));
    if (a->functional && a->policy_choice > 0)
        return sim_options_fault(
            command, errors,
            "--functional offloads nothing; it cannot be combined with --policy=", a->policy);
    if (!a->functional && a->max_instructions)
        return sim_options_fault(
            command, errors, "--max-instructions is for --functional; --max-cycles ends other runs",
            "");
    if (a->stats_choice.patterns.n && !a->stats)
        return sim_options_fault(command, errors,
                                 "--stats-filter selects what --stats writes, and needs it", "");
    if (a->beside && !a->explains && !a->common.reports[REPORT_TEXT].wanted &&
        !a->common.reports[REPORT_HTML].wanted)
        return sim_options_fault(command, errors,
                                 "--beside needs --report=text, --report=html or --explain", "");
    if (a->trace_until && !a->trace)
        return sim_options_fault(command, errors,
                                 "--trace-window selects the part of --trace that is written", "");
    if (a->interval && !a->series)
        return sim_options_fault(command, errors, "--interval is the length of a row of --series",
                                 "");
    if (!a->functional && a->checks)
        return sim_options_fault(command, errors,
                                 "--check looks at values only and needs --functional", "");
    return true;
}

// Options whose state is not part of a checkpoint.
static bool check_checkpoint(const struct sim_arguments *a, FILE *errors)
{
    const char *option = a->checks ? "--check" : a->profile ? "--profile-out" : sampling_option(a);
    if (a->checkpoint_every && !a->checkpoint && !a->resume)
        return fault(errors, "--checkpoint-every needs --checkpoint or --resume", "");
    if (a->checkpoint && file_is_standard(a->checkpoint))
        return fault(errors, "--checkpoint is written again and again and needs a file", "");
    if ((a->checkpoint || a->resume) && option)
        return fault(errors, "--checkpoint and --resume do not go with ", option);
    return true;
}

bool sim_options_check_run(const struct sim_arguments *a, FILE *errors)
{
    if (!sim_options_check(a, &sim_command, errors) || !check_checkpoint(a, errors))
        return false;
    if (!a->run_file)
        return check_line(a, errors);
    const char *option = a->kernel          ? "--kernel"
                         : a->grid          ? "--grid"
                         : a->block         ? "--block"
                         : a->cluster       ? "--cluster"
                         : a->shared        ? "--shared"
                         : a->cooperative   ? "--cooperative"
                         : a->args.n        ? "--arg"
                         : a->textures.n    ? "--texture"
                         : a->common.module ? "--module"
                         : a->common.arch   ? "--arch"
                                            : NULL;
    return !option ||
           fault(errors, "a run file defines its launches; it cannot be combined with ", option);
}

void sim_list_outputs(const struct sim_arguments *a, struct sim_output to[SIM_OUTPUTS])
{
    const struct sim_output rows[] = {{a->checkpoint, "--checkpoint"},
                                      {a->json, "--json"},
                                      {a->profile, "--profile-out"},
                                      {a->stats, "--stats"},
                                      {a->series, "--series"},
                                      {a->overlap, "--overlap"},
                                      {a->trace, "--trace"}};
    _Static_assert(sizeof rows / sizeof *rows + REPORT_FORMATS == SIM_OUTPUTS, "all are listed");
    for (uint32_t i = 0; i < REPORT_FORMATS; i++)
        to[i] = (struct sim_output){a->common.reports[i].path, "--report"};
    memcpy(to + REPORT_FORMATS, rows, sizeof rows);
}
