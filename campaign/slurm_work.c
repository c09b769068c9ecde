// Executes a task of an array.
#include "campaign/slurm.h"
#include "campaign/ticket.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *variable(const char *name, const char *without)
{
    const char *value = getenv(name);
    return value && *value ? value : without;
}

// Returns "ARRAY_TASK RESTARTS": Slurm restarts a task whose host fails.
static const char *own_name(struct arena *arena)
{
    return arena_printf(arena, "%s_%s %s", variable("SLURM_ARRAY_JOB_ID", "0"),
                        variable("SLURM_ARRAY_TASK_ID", "0"), variable("SLURM_RESTART_COUNT", "0"));
}

static bool write_owner(const char *path, const char *owner)
{
    FILE *to = fopen(path, "wbe");
    bool good = to && fputs(owner, to) >= 0;
    return (!to || !fclose(to)) && good;
}

// Returns true if the folder's owner is this task before a restart.
static bool was_own(const char *path, const char *owner)
{
    char text[256] = "";
    FILE *from = fopen(path, "rbe");
    size_t length = from ? fread(text, 1, sizeof text - 1, from) : 0;
    size_t name = strcspn(owner, " ");
    if (from)
        fclose(from);
    return length > name && !memcmp(text, owner, name + 1) && strcmp(text, owner);
}

// Claims the job's folder for this task. Returns NULL, or why it belongs to another.
static const char *claim(const struct campaign_store *store, const char *key, const char *owner)
{
    const char *folder = campaign_store_path(store, "running", key, "");
    const char *path = arena_printf(store->arena, "%s/owner", folder);
    bool made = !mkdir(folder, 0777);
    if (!made && errno != EEXIST)
        return arena_printf(store->arena, "cannot make '%s': %s", folder, strerror(errno));
    if (!made && !was_own(path, owner))
        return arena_printf(store->arena, "another task runs it; '%s' names that task", path);
    return write_owner(path, owner)
               ? NULL
               : arena_printf(store->arena, "cannot write '%s': %s", path, strerror(errno));
}

// Runs a ticket in a process of its own, so that the CPU time of its children is the job's.
static int run_ticket(const struct campaign_store *store, json_t *ticket, const char *owner)
{
    const char *key = json_string_value(json_object_get(ticket, "key"));
    const char *name = json_string_value(json_object_get(ticket, "name"));
    if (!key || !name || strlen(key) != SHA256_HEX)
        return fprintf(stderr, "a ticket has no key\n"), 1;
    if (!access(campaign_store_path(store, "results", key, ".json"), F_OK))
        return 0; // written before Slurm restarted the task
    const char *error = claim(store, key, owner);
    if (!error)
        error = campaign_ticket_run(store, ticket, owner);
    if (error)
        fprintf(stderr, "%s: %s\n", name, error);
    fflush(stderr);
    return error != NULL;
}

static int run_line(const struct campaign_store *store, const char *line, const char *owner)
{
    json_t *ticket = json_loads(line, 0, NULL);
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child)
        _exit(run_ticket(store, ticket, owner));
    json_decref(ticket);
    return child < 0 || waitpid(child, &status, 0) < 0 || status;
}

int campaign_slurm_work(struct arena *arena, const char *folder, const char *tickets, uint32_t task)
{
    const struct campaign_store store = {.arena = arena, .folder = folder, .lock = -1};
    const char *owner = own_name(arena);
    char *line = NULL;
    size_t size = 0;
    int failed = 0;
    FILE *from = fopen(tickets, "rbe");
    if (!from)
        return fprintf(stderr, "cannot read '%s': %s\n", tickets, strerror(errno)), 1;
    json_t *head = getline(&line, &size, from) > 0 ? json_loads(line, 0, NULL) : NULL;
    json_int_t each = json_integer_value(json_object_get(head, "jobs_per_task"));
    json_decref(head);
    for (json_int_t i = 0; i < each * (task + 1) && getline(&line, &size, from) > 0; i++)
        if (i >= each * task)
            failed |= run_line(&store, line, owner);
    if (each < 1)
        fprintf(stderr, "'%s' is not a file of tickets\n", tickets);
    free(line);
    fclose(from);
    return failed || each < 1;
}
