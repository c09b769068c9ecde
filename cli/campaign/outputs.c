#include "cli/campaign/outputs.h"
#include "cli/sim/options.h"
#include "cli/tagger/arguments.h"

// Returns the first word by which the command may write files, an option or a response file, or
// NULL. Ignores wrong words: the command reports them when it runs.
static const char *find_output(struct arena *arena, const struct command *command, void *into,
                               const struct text_list *words)
{
    char **argv = ARENA_ARRAY(arena, char *, words->list.n + 1);
    FILE *nowhere = fopen("/dev/null", "we");
    const char *found = NULL;
    if (!nowhere)
        return "an option that cannot be checked";
    argv[0] = arena_strndup(arena, "", 0);
    for (uint32_t i = 0; i < words->list.n; i++)
        argv[i + 1] = arena_printf(arena, "%s", words->list.v[i]);
    struct command_line line =
        options_read(command, arena, (int)words->list.n + 1, argv, into, nowhere);
    fclose(nowhere);
    for (uint32_t i = 0; i < line.recognized.n && !found; i++)
        if (line.recognized.v[i]->file >= OPTION_WRITES)
            found = line.recognized.v[i]->name;
    for (uint32_t i = 0; i < words->list.n && !found; i++)
        if (words->list.v[i][0] == '@')
            found = words->list.v[i];
    return found;
}

static const char *sim_output(struct arena *arena, const struct text_list *words)
{
    struct sim_arguments ignored = {0};
    return find_output(arena, sim_command_with_policies(arena), &ignored, words);
}

static const char *tag_output(struct arena *arena, const struct text_list *words)
{
    struct arguments ignored = {0};
    return find_output(arena, &ptxoffload_command, &ignored, words);
}

// Reports the option of a workload or variant that may write files. Returns true if `option` is
// NULL.
static bool check_part(const struct messages *messages, const struct campaign *campaign,
                       const char *key, const char *kind, const char *name, const char *option)
{
    if (option)
        message_error(messages,
                      "%s: '%s' of %s '%s' has %s, which may write files; "
                      "--allow-outside permits it",
                      campaign->source->name, key, kind, name, option);
    return !option;
}

bool campaign_outputs_check(struct arena *arena, const struct messages *messages,
                            const struct campaign *campaign)
{
    const char *found = sim_output(arena, &campaign->options);
    if (found)
        message_error(messages,
                      "%s: 'options' has %s, which may write files; --allow-outside permits it",
                      campaign->source->name, found);
    bool good = !found;
    for (uint32_t i = 0; i < campaign->workloads.n; i++) {
        const struct campaign_workload *at = &campaign->workloads.v[i];
        good &= check_part(messages, campaign, "sample", "workload", at->name,
                           sim_output(arena, &at->sample));
    }
    for (uint32_t i = 0; i < campaign->variants.n; i++) {
        const struct campaign_variant *at = &campaign->variants.v[i];
        good &=
            check_part(messages, campaign, "tag", "variant", at->name, tag_output(arena, &at->tag));
    }
    return good;
}
