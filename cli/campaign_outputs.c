#include "cli/campaign_outputs.h"
#include "cli/command.h"
#include "cli/sim_options.h"
#include <stdlib.h>

// The words as the program that takes them reads them. What is wrong with them, it says itself.
static void read_words(struct arena *arena, const struct command *command,
                       const struct campaign_words *words, void *into)
{
    char **argv = ARENA_ARRAY(arena, char *, words->list.n + 1);
    FILE *nowhere = fopen("/dev/null", "we");
    if (!nowhere)
        nowhere = stderr;
    argv[0] = arena_strndup(arena, "", 0);
    for (uint32_t i = 0; i < words->list.n; i++)
        argv[i + 1] = arena_printf(arena, "%s", words->list.v[i]);
    options_read(command, arena, (int)words->list.n + 1, argv, into, nowhere);
    if (nowhere != stderr)
        fclose(nowhere);
}

static const char *response_file(const struct campaign_words *words)
{
    for (uint32_t i = 0; i < words->list.n; i++)
        if (words->list.v[i][0] == '@')
            return words->list.v[i];
    return NULL;
}

// The option of ptxoffload-sim that writes a file, or NULL.
static const char *sim_output(struct arena *arena, const struct campaign_words *words)
{
    struct sim_arguments a = {0};
    read_words(arena, &sim_command, words, &a);
    return a.json            ? "--json"
           : a.stats         ? "--stats"
           : a.series        ? "--series"
           : a.trace         ? "--trace"
           : a.profile       ? "--profile-out"
           : a.checkpoint    ? "--checkpoint"
           : a.saves.n       ? "--save"
           : a.allow_outside ? "--allow-outside"
                             : response_file(words);
}

// The same of ptxoffload.
static const char *tag_output(struct arena *arena, const struct campaign_words *words)
{
    struct arguments a = {0};
    read_words(arena, &ptxoffload_command, words, &a);
    for (int i = 0; i < REPORT_FORMATS; i++)
        if (a.reports[i].path)
            return "--report";
    return a.output             ? "-o"
           : a.metadata         ? "--metadata"
           : a.emit             ? "--emit"
           : a.depfile.wanted   ? "-MD"
           : a.depfile.path     ? "-MF"
           : a.diagnostics.path ? "--diagnostics"
                                : response_file(words);
}

// Reports an option of a workload or variant that may write files. Returns false if there is one.
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
