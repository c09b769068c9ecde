// Checks which options of ptxoffload-sim can be combined.
#include "cli/sim/options.h"
#include "support/file.h"
#include <string.h>
#include <unistd.h>

static bool check_line(const struct sim_arguments *a, struct command_line *line)
{
    bool good = true;
    // Not for a file that does not exist: the error of reading it is the better message.
    if (!file_is_standard(a->common.input) && access(a->common.input, F_OK))
        return true;
    if (!a->grid)
        good = options_fault(line, "a launch needs --grid");
    if (!a->block)
        good = options_fault(line, "a launch needs --block");
    if (a->program)
        good = options_fault(line, "--program needs a run file, but this is not one: %s",
                             a->common.input);
    if (a->settings.n)
        good =
            options_fault(line, "--set needs a run file, but this is not one: %s", a->common.input);
    return good;
}

static const char *sampling_option(const struct sim_arguments *a)
{
    return a->sampling.period ? "--sample" : a->sampling.waves ? "--sample-ctas" : NULL;
}

bool sim_options_check(struct sim_arguments *a, struct command_line *line)
{
    const char *timed = a->stats                          ? "--stats"
                        : a->series                       ? "--series"
                        : a->trace                        ? "--trace"
                        : a->annotate                     ? "--annotate"
                        : a->max_cycles                   ? "--max-cycles"
                        : a->timed.n && !a->timed_selects ? "--timed"
                                                          : sampling_option(a);
    if (a->functional && timed)
        return options_fault(line, "--functional counts no cycles; it cannot be combined with %s%s",
                             timed,
                             a->stats ? "; --json writes the instructions of each kernel" : "");
    if (!common_options_check(line, &a->common))
        return false;
    if (a->timed.n && sampling_option(a))
        return options_fault(line,
                             "--timed selects the timed launches; it cannot be combined with %s",
                             sampling_option(a));
    if (a->functional && a->policy > 0)
        return options_fault(
            line, "--functional does not offload; it cannot be combined with --policy=%s",
            sim_policy(a, line->arena));
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {!a->functional && a->max_instructions,
         "--max-instructions needs --functional; use --max-cycles for other runs"},
        {a->stats_choice.patterns.list.n && !a->stats,
         "--stats-filter selects what --stats writes, and needs it"},
        {a->beside && a->common.quiet && !a->explains && !a->common.reports[REPORT_TEXT].wanted &&
             !a->common.reports[REPORT_HTML].wanted,
         "--beside with --quiet needs --report=text, --report=html or --explain"},
        {a->trace_until && !a->trace, "--trace-window selects the part of --trace that is written"},
        {a->interval && !a->series, "--interval is the length of a row of --series"},
        {!a->functional && a->checks, "--check needs --functional"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return options_fault(line, "%s", rules[i].text);
    return true;
}

// Checkpoints do not have these counts.
bool sim_options_annotate(const struct sim_arguments *a)
{
    return !a->functional && !a->checkpoint && !a->resume &&
           (a->annotate || a->common.reports[REPORT_HTML].wanted);
}

// Rejects checkpoints with options whose state is not part of a checkpoint.
static bool check_checkpoint(const struct sim_arguments *a, struct command_line *line)
{
    const char *option = a->checks     ? "--check"
                         : a->profile  ? "--profile-out"
                         : a->annotate ? "--annotate"
                                       : sampling_option(a);
    if (a->checkpoint_every && !a->checkpoint && !a->resume)
        return options_fault(line, "--checkpoint-every needs --checkpoint or --resume");
    if (a->checkpoint && file_is_standard(a->checkpoint))
        return options_fault(line, "--checkpoint is rewritten after each launch and needs a file");
    if ((a->checkpoint || a->resume) && option)
        return options_fault(line, "--checkpoint and --resume cannot be combined with %s", option);
    return true;
}

static bool is_run_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml"));
}

static bool check_operands(struct sim_arguments *a, struct command_line *line)
{
    if (!line->operands.n)
        return options_fault(line, "missing input: a run file, or a program");
    if (line->operands.n > 1)
        return options_fault(line, "more than one input: %s", line->operands.v[1]);
    a->common.input = line->operands.v[0];
    a->run_file = is_run_file(a->common.input);
    return *a->common.input || options_fault(line, "the input's name is empty");
}

bool sim_options_check_run(void *arguments, struct command_line *line)
{
    struct sim_arguments *a = arguments;
    if (!check_operands(a, line) || !sim_options_check(a, line) || !check_checkpoint(a, line))
        return false;
    if (!a->run_file)
        return check_line(a, line);
    const char *option = a->kernel                 ? "--kernel"
                         : a->grid                 ? "--grid"
                         : a->block                ? "--block"
                         : a->cluster              ? "--cluster"
                         : a->shared               ? "--shared"
                         : a->cooperative          ? "--cooperative"
                         : a->args.list.n          ? "--arg"
                         : a->textures.list.n      ? "--texture"
                         : a->common.choice.module ? "--module"
                         : a->common.choice.arch   ? "--arch"
                                                   : NULL;
    return !option ||
           options_fault(line, "a run file defines its launches; it cannot be combined with %s",
                         option);
}
