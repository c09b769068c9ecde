// Runs one job: executes the commands of its ticket and writes the result. Values are built with
// json_pack, because other functions of jansson have the same names as functions of support/json.h.
#include "campaign/ticket.h"
#include "support/file.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct working {
    const struct campaign_store *store;
    struct arena *arena;
    json_t *ticket;
    const char *folder;
    const char *failed;  // program that failed, or NULL
    const char *changed; // error if a program differs from that of the plan, or NULL
    int status;
    char started[32];
};

static const char *in_folder(const struct working *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->folder, name);
}

static void now(char text[32])
{
    time_t seconds = time(NULL);
    struct tm utc;
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &utc));
}

static const char *text_of(json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

// Checks a program's digest after its start, so that the checked file is the one that runs. Returns
// NULL, or the error.
static const char *check_tool(const struct working *w, const char *path, json_t *planned)
{
    struct campaign_tool tool = {.path = path, .stamp = text_of(planned, "stamp")};
    snprintf(tool.digest, sizeof tool.digest, "%s", text_of(planned, "sha256"));
    return campaign_tool_check(w->arena, &tool);
}

static void step(struct working *w, json_t *command, json_t *tool, const char *name)
{
    struct campaign_argv argv = {{0}};
    if (w->failed || w->changed)
        return;
    for (size_t i = 0; i < json_array_size(command); i++)
        campaign_push(w->arena, &argv, json_string_value(json_array_get(command, i)));
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int err = open(in_folder(w, "err"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    pid_t child = out < 0 || err < 0 ? -1 : campaign_start(w->arena, &argv, -1, out, err);
    w->status = 127 << 8; // as if it had exited with 127
    w->changed = child > 0 ? check_tool(w, argv.list.v[0], tool) : NULL;
    if (w->changed)
        kill(child, SIGKILL);
    if (child > 0)
        waitpid(child, &w->status, 0);
    if (w->status)
        w->failed = name;
    close(out);
    close(err);
}

// Returns the last part of the program's standard error, which has the reason of a failure.
static json_t *said_json(const struct working *w)
{
    enum { LIMIT = 4000 };
    char text[LIMIT];
    FILE *from = fopen(in_folder(w, "err"), "rbe");
    if (from && !fseek(from, 0, SEEK_END) && ftell(from) > LIMIT)
        fseek(from, -LIMIT, SEEK_END);
    else if (from)
        rewind(from);
    size_t length = from ? fread(text, 1, sizeof text, from) : 0;
    if (from)
        fclose(from);
    campaign_clean(text, length);
    return json_stringn(text, length);
}

// Reads a JSON file. Integers of 2^63 or more only fit if all are read as real numbers.
static json_t *load_file(const struct working *w, const char *name)
{
    struct file_text file;
    if (file_read(w->arena, in_folder(w, name), &file))
        return NULL;
    json_t *read = json_loadb(file.text, file.length, 0, NULL);
    return read ? read : json_loadb(file.text, file.length, JSON_DECODE_INT_AS_REAL, NULL);
}

static void put_statistics(const struct working *w, json_t *result)
{
    json_t *stats = load_file(w, "stats.json");
    json_t *run = load_file(w, "run.json");
    json_object_set(result, "configuration", json_object_get(stats, "configuration"));
    json_object_set(result, "total", json_object_get(stats, "total"));
    json_object_set(result, "kernels", json_object_get(stats, "kernels"));
    json_object_del(run, "configuration"); // it is already in the statistics
    json_object_set(result, "run", run);
    json_decref(stats);
    json_decref(run);
}

// Returns true if the result has the statistics of a successful run.
static bool is_complete(json_t *result)
{
    return json_is_object(json_object_get(json_object_get(result, "total"), "statistics")) &&
           json_is_object(json_object_get(result, "run"));
}

static void put_ticket(json_t *result, json_t *ticket)
{
    static const char *const names[] = {"campaign", "quick", "names", "commands", "ingredients"};
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        json_object_set(result, names[i], json_object_get(ticket, names[i]));
}

static json_t *result_json(struct working *w)
{
    struct rusage usage;
    char ended[32];
    now(ended);
    getrusage(RUSAGE_CHILDREN, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    json_t *result = json_pack("{}"), *times;
    put_ticket(result, w->ticket);
    times = json_pack("{s:s, s:s, s:f, s:I}", "started", w->started, "ended", ended, "cpu_seconds",
                      cpu, "peak_rss_bytes", (json_int_t)usage.ru_maxrss * 1024);
    json_object_update(result, times);
    json_decref(times);
    if (!w->failed)
        put_statistics(w, result);
    if (!w->failed && !is_complete(result))
        w->failed = "ptxoffload-sim wrote no statistics";
    json_object_set_new(result, "exit_code",
                        WIFEXITED(w->status) ? json_integer(WEXITSTATUS(w->status))
                                             : json_pack("n"));
    json_object_set_new(
        result, "failure",
        w->failed ? json_pack("s", arena_printf(w->arena, "%s: %s", w->failed,
                                                campaign_status_text(w->arena, w->status)))
                  : json_pack("n"));
    json_object_set_new(result, "stderr", w->failed ? said_json(w) : json_pack("n"));
    return result;
}

const char *campaign_ticket_fail(const struct campaign_store *store, json_t *ticket,
                                 const char *failure)
{
    const char *key = json_string_value(json_object_get(ticket, "key"));
    char ended[32];
    now(ended);
    json_t *result = json_pack("{}"), *of;
    put_ticket(result, ticket);
    of = json_pack("{s:s, s:f, s:n, s:s, s:n}", "ended", ended, "cpu_seconds", 0.0, "exit_code",
                   "failure", failure, "stderr");
    json_object_update(result, of);
    json_decref(of);
    const char *error = campaign_result_write(store, key, result);
    json_decref(result);
    return error;
}

// Returns true if the folder still belongs to this process: the job may have been reassigned.
static bool is_owned(const struct working *w, const char *owner)
{
    char text[256] = "";
    FILE *from = owner ? fopen(in_folder(w, "owner"), "rbe") : NULL;
    size_t length = from ? fread(text, 1, sizeof text - 1, from) : 0;
    if (from)
        fclose(from);
    return !owner || (length == strlen(owner) && !memcmp(text, owner, length));
}

const char *campaign_ticket_run(const struct campaign_store *store, json_t *ticket,
                                const char *owner)
{
    const char *key = json_string_value(json_object_get(ticket, "key"));
    json_t *commands = json_object_get(ticket, "commands");
    size_t count = json_array_size(commands);
    struct working w = {.store = store, .arena = store->arena, .ticket = ticket};
    w.folder = campaign_store_path(store, "running", key, "");
    if (mkdir(w.folder, 0777) && errno != EEXIST)
        return arena_printf(w.arena, "cannot make '%s': %s", w.folder, strerror(errno));
    now(w.started);
    for (size_t i = 0; i < count; i++)
        step(&w, json_array_get(commands, i), json_array_get(json_object_get(ticket, "tools"), i),
             i + 1 < count ? "ptxoffload" : "ptxoffload-sim");
    json_t *result = result_json(&w);
    if (!is_owned(&w, owner)) {
        json_decref(result);
        return "the job was given to another task";
    }
    const char *error = w.changed ? w.changed : campaign_result_write(store, key, result);
    json_decref(result);
    campaign_store_remove_folder(w.arena, w.folder);
    return error;
}

void campaign_job_run(const struct campaign_store *store, const struct campaign_plan *plan,
                      const struct campaign_job *job)
{
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        _exit(1);
    arena_init(&arena, &memory);
    // Paths are allocated here as well; if memory runs out, the process that forked must not
    // continue.
    struct campaign_store own = *store;
    struct campaign_plan planned = *plan;
    own.arena = planned.arena = &arena;
    json_t *ticket = campaign_ticket_make(&own, &planned, job);
    const char *error = ticket ? campaign_ticket_run(&own, ticket, NULL) : "memory is exhausted";
    if (error)
        fprintf(stderr, "%s: %s\n", job->name, error);
    fflush(stderr);
    _exit(error ? 1 : 0);
}
