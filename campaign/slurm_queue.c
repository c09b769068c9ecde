#include "campaign/slurm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "ptxoffload-"

// The states of squeue(1). Any other state counts as lost.
static const struct {
    const char *name;
    enum slurm_state state;
} states[] = {
    {"PENDING", SLURM_WAITING},      {"CONFIGURING", SLURM_WAITING},
    {"REQUEUED", SLURM_WAITING},     {"REQUEUE_FED", SLURM_WAITING},
    {"REQUEUE_HOLD", SLURM_WAITING}, {"RESV_DEL_HOLD", SLURM_WAITING},
    {"SPECIAL_EXIT", SLURM_WAITING}, {"PREEMPTED", SLURM_WAITING},
    {"RUNNING", SLURM_RUNNING},      {"COMPLETING", SLURM_RUNNING},
    {"RESIZING", SLURM_RUNNING},     {"SIGNALING", SLURM_RUNNING},
    {"STAGE_OUT", SLURM_RUNNING},    {"STOPPED", SLURM_RUNNING},
    {"SUSPENDED", SLURM_RUNNING},    {"CANCELLED", SLURM_CANCELLED},
    {"REVOKED", SLURM_CANCELLED},    {"TIMEOUT", SLURM_LIMIT},
    {"DEADLINE", SLURM_LIMIT},       {"OUT_OF_MEMORY", SLURM_LIMIT},
};

static enum slurm_state state_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(states); i++)
        if (!strcmp(states[i].name, name))
            return states[i].state;
    return SLURM_LOST;
}

// Runs one of Slurm's commands, found through PATH. Returns its output, or NULL after setting
// *error.
static const char *ask(struct arena *arena, struct campaign_argv *argv, const char **error)
{
    struct campaign_output output;
    *error = campaign_capture(arena, argv, NULL, 0, &output);
    if (*error)
        return NULL;
    if (!output.status)
        return output.out;
    const char *line = campaign_last_line(arena, output.err);
    *error = arena_printf(arena, "%s: %s", argv->list.v[1],
                          *line ? line : campaign_status_text(arena, output.status));
    return NULL;
}

static int by_task(const void *a, const void *b)
{
    const struct slurm_task *x = a, *y = b;
    int order = strcmp(x->array, y->array);
    return order ? order : (x->task > y->task) - (x->task < y->task);
}

// Reads a line "NAME|TASK|STATE".
static void parse_line(struct arena *arena, struct slurm_tasks *tasks, char *line)
{
    char *task = strchr(line, '|'), *state = task ? strchr(task + 1, '|') : NULL, *end;
    if (!state || strncmp(line, PREFIX, strlen(PREFIX)))
        return;
    *task++ = *state++ = 0;
    unsigned long number = strtoul(task, &end, 10);
    if (end == task)
        return;
    vec_push(arena, &tasks->list,
             (struct slurm_task){line + strlen(PREFIX), (uint32_t)number, state_of(state), state});
}

const char *slurm_queue_read(struct arena *arena, struct slurm_tasks *tasks)
{
    static const char *const words[] = {"/usr/bin/env",     "squeue",  "--me",
                                        "--noheader",       "--array", "--states=all",
                                        "--format=%j|%K|%T"};
    struct campaign_argv argv = {{0}};
    const char *error;
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        campaign_push(arena, &argv, words[i]);
    const char *out = ask(arena, &argv, &error);
    if (!out)
        return error;
    tasks->list.n = 0;
    for (const char *at = out, *end; *at; at = end + (*end == '\n')) {
        end = strchrnul(at, '\n');
        parse_line(arena, tasks, arena_strndup(arena, at, (size_t)(end - at)));
    }
    if (tasks->list.n)
        qsort(tasks->list.v, tasks->list.n, sizeof *tasks->list.v, by_task);
    return NULL;
}

const struct slurm_task *slurm_queue_find(const struct slurm_tasks *tasks, const char *array,
                                          uint32_t task)
{
    const struct slurm_task wanted = {.array = array, .task = task};
    return tasks->list.n ? bsearch(&wanted, tasks->list.v, tasks->list.n, sizeof wanted, by_task)
                         : NULL;
}

const char *slurm_submit(struct arena *arena, const struct campaign_slurm *slurm,
                         const char *folder, const char *array, uint32_t tasks, uint32_t at_a_time)
{
    struct campaign_argv argv = {{0}};
    const char *error, *here = getcwd(arena_alloc(arena, 4096), 4096);
    const char *const limit = at_a_time ? arena_printf(arena, "%%%u", at_a_time) : "";
    const struct {
        const char *name, *value;
    } options[] = {
        {"job-name", arena_printf(arena, PREFIX "%s", array)},
        {"array", arena_printf(arena, "0-%u%s", tasks - 1, limit)},
        {"output", arena_printf(arena, "%s/%s-%%a.out", folder, array)},
        {"open-mode", "append"},
        {"chdir", here},
        {"partition", slurm->partition},
        {"time", slurm->time},
        {"mem", slurm->memory},
    };
    campaign_push(arena, &argv, "/usr/bin/env");
    campaign_push(arena, &argv, "sbatch");
    campaign_push(arena, &argv, "--parsable");
    for (size_t i = 0; i < ARRAY_LENGTH(options); i++)
        if (options[i].value)
            campaign_push(arena, &argv,
                          arena_printf(arena, "--%s=%s", options[i].name, options[i].value));
    for (uint32_t i = 0; i < slurm->sbatch.list.n; i++)
        campaign_push(arena, &argv, slurm->sbatch.list.v[i]);
    campaign_push(arena, &argv, arena_printf(arena, "%s/%s.sh", folder, array));
    ask(arena, &argv, &error);
    return error;
}
