// One job, in a process of its own: tags the program if the variant requires it, simulates, and
// writes the result. Values are made with json_pack, because other functions of jansson have the
// names of functions in support/json.h.
#include "campaign/store.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct working {
    const struct campaign_store *store;
    const struct campaign_plan *plan;
    const struct campaign_job *job;
    struct arena *arena;
    const char *folder;
    struct campaign_argv tag, sim;
    const char *failed; // the program that has failed, or NULL
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

// Running

static void step(struct working *w, struct campaign_argv *argv, const char *name)
{
    if (w->failed)
        return;
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    int err = open(in_folder(w, "err"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    pid_t child = out < 0 || err < 0 ? -1 : campaign_start(w->arena, argv, out, err);
    w->status = 127 << 8; // as if it had ended with this
    if (child > 0)
        waitpid(child, &w->status, 0);
    if (w->status)
        w->failed = name;
    close(out);
    close(err);
}

// Writing

static json_t *words_json(const struct campaign_argv *argv)
{
    json_t *words = json_pack("[]");
    for (uint32_t i = 0; i < argv->list.n; i++)
        json_array_append_new(words, json_pack("s", argv->list.v[i]));
    return words;
}

static json_t *settings_json(const struct campaign_settings *settings)
{
    json_t *object = json_pack("{}");
    for (uint32_t i = 0; i < settings->list.n; i++)
        json_object_set_new(object, settings->list.v[i].key,
                            json_pack("s", settings->list.v[i].value));
    return object;
}

static json_t *commands_json(const struct working *w)
{
    json_t *commands = json_pack("[]");
    if (w->tag.list.n)
        json_array_append_new(commands, words_json(&w->tag));
    json_array_append_new(commands, words_json(&w->sim));
    return commands;
}

static json_t *inputs_json(const struct working *w)
{
    json_t *inputs = json_pack("[]");
    for (const char *at = w->job->inputs, *end; *at; at = end + 1) {
        end = strchr(at, '\n');
        json_array_append_new(inputs, json_pack("{s:s%, s:s%}", "file", at + SHA256_HEX + 1,
                                                (size_t)(end - at) - SHA256_HEX - 1, "sha256", at,
                                                (size_t)SHA256_HEX));
    }
    return inputs;
}

static json_t *ingredients_json(const struct working *w)
{
    const struct campaign_tools *tools = w->plan->tools;
    const struct campaign_job *job = w->job;
    const struct campaign_variant *variant = &w->plan->campaign->variants.v[job->variant];
    return json_pack("{s:s, s:s, s:s?, s:s, s:s, s:o, s:o, s:s, s:o}", "version",
                     PTXOFFLOAD_VERSION, "ptxoffload-sim", tools->sim_digest, "ptxoffload",
                     variant->tagged ? tools->tagger_digest : NULL, "policy", variant->policy,
                     "configuration", job->config_digest, "set", settings_json(&job->set), "values",
                     settings_json(&job->values), "run", job->run_digest, "inputs", inputs_json(w));
}

static json_t *names_json(const struct campaign_plan *plan, const char *key)
{
    const struct campaign *campaign = plan->campaign;
    json_t *names = json_pack("[]");
    for (uint32_t i = 0; i < plan->jobs.n; i++) {
        const struct campaign_job *job = &plan->jobs.v[i];
        if (job->error || strcmp(job->key, key))
            continue;
        json_array_append_new(names, json_pack("{s:s, s:s, s:s?}", "workload",
                                               campaign->workloads.v[job->workload].name, "variant",
                                               campaign->variants.v[job->variant].name, "point",
                                               campaign_point_name(campaign, job->point)));
    }
    return names;
}

// The last line of its output, which has the reason of a failure.
static json_t *said_json(const struct working *w)
{
    enum { MOST = 4000 };
    char text[MOST];
    FILE *from = fopen(in_folder(w, "err"), "rbe");
    if (from && !fseek(from, 0, SEEK_END) && ftell(from) > MOST)
        fseek(from, -MOST, SEEK_END);
    else if (from)
        rewind(from);
    size_t length = from ? fread(text, 1, sizeof text, from) : 0;
    if (from)
        fclose(from);
    campaign_clean(text, length);
    return json_stringn(text, length);
}

static void put_statistics(const struct working *w, json_t *result)
{
    json_t *stats = json_load_file(in_folder(w, "stats.json"), 0, NULL);
    json_t *run = json_load_file(in_folder(w, "run.json"), 0, NULL);
    json_object_set(result, "configuration", json_object_get(stats, "configuration"));
    json_object_set(result, "total", json_object_get(stats, "total"));
    json_object_set(result, "kernels", json_object_get(stats, "kernels"));
    json_object_del(run, "configuration"); // it is there once
    json_object_set(result, "run", run);
    json_decref(stats);
    json_decref(run);
}

// A run that has ended well has its statistics.
static bool is_complete(json_t *result)
{
    return json_is_object(json_object_get(json_object_get(result, "total"), "statistics")) &&
           json_is_object(json_object_get(result, "run"));
}

static json_t *result_json(struct working *w)
{
    const struct campaign *campaign = w->plan->campaign;
    struct rusage usage;
    char ended[32];
    now(ended);
    getrusage(RUSAGE_CHILDREN, &usage);
    double cpu = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                 (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
    json_t *result = json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:s, s:s, s:f, s:I}", "campaign", campaign->name, "quick",
        w->plan->is_quick, "names", names_json(w->plan, w->job->key), "commands", commands_json(w),
        "ingredients", ingredients_json(w), "started", w->started, "ended", ended, "cpu_seconds",
        cpu, "peak_rss_bytes", (json_int_t)usage.ru_maxrss * 1024);
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

static const char *work(struct working *w)
{
    const char *tagged = in_folder(w, "tagged.ptx");
    if (mkdir(w->folder, 0777) && errno != EEXIST)
        return arena_printf(w->arena, "cannot make '%s': %s", w->folder, strerror(errno));
    now(w->started);
    campaign_sim_command(w->plan, w->job, tagged, in_folder(w, "run.json"),
                         in_folder(w, "stats.json"), &w->sim);
    if (w->plan->campaign->variants.v[w->job->variant].tagged) {
        campaign_tag_command(w->plan, w->job, tagged, &w->tag);
        step(w, &w->tag, "ptxoffload");
    }
    step(w, &w->sim, "ptxoffload-sim");
    json_t *result = result_json(w);
    const char *error = campaign_result_write(w->store, w->job->key, result);
    json_decref(result);
    campaign_store_remove_folder(w->arena, w->folder);
    return error;
}

const char *campaign_job_reuse(const struct campaign_store *store, const char *folder,
                               const struct campaign_plan *plan, const struct campaign_job *job,
                               bool *taken)
{
    const struct campaign_store other = {.arena = store->arena, .folder = folder, .lock = -1};
    const char *error = NULL;
    json_t *result = campaign_result_read(&other, job->key);
    *taken = result && json_is_null(json_object_get(result, "failure"));
    if (*taken) {
        json_object_set(result, "reused_from", json_object_get(result, "campaign"));
        json_object_set_new(result, "campaign", json_pack("s", plan->campaign->name));
        json_object_set_new(result, "quick", json_pack("b", plan->is_quick));
        json_object_set_new(result, "names", names_json(plan, job->key));
        error = campaign_result_write(store, job->key, result);
    }
    json_decref(result);
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
    // Paths are made here, too, and where memory runs out the process that forked is not to
    // continue.
    struct campaign_store own = *store;
    struct campaign_plan planned = *plan;
    own.arena = planned.arena = &arena;
    struct working working = {&own, &planned, job, &arena, NULL, {{0}}, {{0}}, NULL, 0, ""};
    working.folder = campaign_store_path(&own, "running", job->key, "");
    const char *error = work(&working);
    if (error)
        fprintf(stderr, "%s: %s\n", job->name, error);
    fflush(stderr);
    _exit(error ? 1 : 0);
}
