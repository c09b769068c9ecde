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

bool campaign_outputs_check(struct arena *arena, const struct messages *messages,
                            const struct campaign *campaign)
{
    const char *found = sim_output(arena, &campaign->options);
    if (found)
        message_error(messages,
                      "%s: 'options' has %s, which may write files; --allow-outside permits it",
                      campaign->source->name, found);
    for (uint32_t i = 0; i < campaign->workloads.n; i++) {
        const char *other = sim_output(arena, &campaign->workloads.v[i].sample);
        if (other)
            message_error(messages,
                          "%s: 'sample' of workload '%s' has %s, which may write files; "
                          "--allow-outside permits it",
                          campaign->source->name, campaign->workloads.v[i].name, other);
        found = other ? other : found;
    }
    for (uint32_t i = 0; i < campaign->variants.n; i++) {
        const char *other = tag_output(arena, &campaign->variants.v[i].tag);
        if (other)
            message_error(messages,
                          "%s: 'tag' of variant '%s' has %s, which may write files; "
                          "--allow-outside permits it",
                          campaign->source->name, campaign->variants.v[i].name, other);
        found = other ? other : found;
    }
    return !found;
}
