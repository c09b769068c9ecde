#include "campaign/plan.h"
#include "campaign/configs.h"
#include "runtime-sim/run/run.h"
#include "support/file.h"
#include <nettle/sha2.h>
#include <string.h>

// A run file with its values, which many jobs share.
struct opened_run_file {
    const char *path;
    const char *error;
    char digest[SHA256_HEX + 1];
    const char *program, *module, *arch; // from the run file; module and arch may be NULL
    const char *inputs;
};

// Indices into lists that still grow.
struct job_needs {
    uint32_t run, config, options;
};

struct planning {
    struct campaign_plan *plan;
    struct arena *arena;
    struct campaign_configs configs;
    struct intern run_names;
    VEC(struct opened_run_file) runs; // by id of the name
    VEC(struct job_needs) needs;      // by job
    const char **tag_errors; // by variant: "" if its options for ptxoffload are valid; NULL: not
                             // checked yet
};

const char *campaign_point_name(const struct campaign *campaign, uint32_t point)
{
    return point == CAMPAIGN_NONE ? NULL : campaign->points.v[point].name;
}

// Commands

static void push_settings(struct arena *arena, const char *section,
                          const struct campaign_settings *settings, struct campaign_argv *argv)
{
    for (uint32_t i = 0; i < settings->list.n; i++) {
        campaign_push(arena, argv, "--set");
        campaign_push(arena, argv,
                      arena_printf(arena, "%s%s=%s", section, settings->list.v[i].key,
                                   settings->list.v[i].value));
    }
}

// Returns the path in a form that is neither an option nor a response file.
static const char *as_operand(struct arena *arena, const char *path)
{
    return *path == '-' || *path == '@' ? arena_printf(arena, "./%s", path) : path;
}

void campaign_tag_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, struct campaign_argv *argv)
{
    struct arena *arena = plan->arena;
    const struct text_list *tag = &plan->campaign->variants.v[job->variant].tag;
    campaign_push(arena, argv, plan->tools->tagger.path);
    campaign_push(arena, argv, as_operand(arena, job->program));
    if (job->module)
        campaign_push(arena, argv, arena_printf(arena, "--module=%s", job->module));
    if (job->arch)
        campaign_push(arena, argv, arena_printf(arena, "--arch=%s", job->arch));
    for (uint32_t i = 0; i < tag->list.n; i++)
        campaign_push(arena, argv, tag->list.v[i]);
    campaign_push(arena, argv, "-o");
    campaign_push(arena, argv, tagged);
}

const struct text_list *campaign_job_sample(const struct campaign *campaign,
                                            const struct campaign_job *job)
{
    return campaign->variants.v[job->variant].sampled ? &campaign->workloads.v[job->workload].sample
                                                      : NULL;
}

void campaign_sim_command(const struct campaign_plan *plan, const struct campaign_job *job,
                          const char *tagged, const char *json, const char *stats,
                          struct campaign_argv *argv)
{
    struct arena *arena = plan->arena;
    const struct campaign *campaign = plan->campaign;
    const struct campaign_variant *variant = &campaign->variants.v[job->variant];
    campaign_push(arena, argv, plan->tools->sim.path);
    campaign_push(arena, argv, as_operand(arena, job->run));
    if (variant->tagged)
        campaign_push(arena, argv, arena_printf(arena, "--program=%s", tagged));
    campaign_push(arena, argv, arena_printf(arena, "--config=%s", job->config));
    campaign_push(arena, argv, arena_printf(arena, "--policy=%s", variant->policy));
    push_settings(arena, "", &job->set, argv);
    push_settings(arena, "values.", &job->values, argv);
    for (uint32_t i = 0; i < campaign->options.list.n; i++)
        campaign_push(arena, argv, campaign->options.list.v[i]);
    const struct text_list *sample = campaign_job_sample(campaign, job);
    for (uint32_t i = 0; sample && i < sample->list.n; i++)
        campaign_push(arena, argv, sample->list.v[i]);
    if (campaign->is_trusted)
        campaign_push(arena, argv, "--allow-outside");
    campaign_push(arena, argv, "--quiet");
    campaign_push(arena, argv, arena_printf(arena, "--json=%s", json));
    campaign_push(arena, argv, arena_printf(arena, "--stats=%s", stats));
    campaign_push(arena, argv, "--stats-filter=*"); // figures may name any statistic
}

// Run files and their inputs

static const char *error_in(struct arena *arena, const struct source *source,
                            const struct diags *diags)
{
    for (uint32_t i = 0; i < diags->list.n; i++) {
        const struct diag *diag = &diags->list.v[i];
        if (diag->severity != DIAG_ERROR)
            continue;
        if (diag->begin == NO_OFFSET)
            return arena_printf(arena, "%s: %s", source->name, diag->message);
        struct source_position place = source_position_at(source, diag->begin);
        return arena_printf(arena, "%s:%u:%u: %s", source->name, place.line, place.column,
                            diag->message);
    }
    return NULL;
}

static const char *first_error(const struct run *run)
{
    for (uint32_t i = 0; i < run->settings.n; i++) {
        const struct run_setting *setting = &run->settings.v[i];
        const char *error = error_in(run->arena, &setting->source, &setting->diags);
        if (error)
            return arena_printf(run->arena, "%s: %s", run->source->name, error);
    }
    const char *error = error_in(run->arena, run->source, run->diags);
    return error ? error : arena_printf(run->arena, "%s cannot be read", run->source->name);
}

// A run file while it is read. Its arena is freed when the data for the jobs have been copied.
struct run_file_reader {
    struct arena arena;
    struct run run;
    const char *error, *inputs;
};

static void add_input(struct run_file_reader *r, const char *name)
{
    char digest[SHA256_HEX + 1];
    const char *path = name && !r->error ? run_path(&r->run, name) : NULL;
    if (path && !(r->error = campaign_digest(&r->arena, digest, path)))
        r->inputs = arena_printf(&r->arena, "%s%s %s\n", r->inputs, digest, path);
}

static void add_inputs(struct run_file_reader *r)
{
    const struct run *run = &r->run;
    add_input(r, run->program.text);
    add_input(r, run->metadata.text);
    for (uint32_t i = 0; i < run->inputs.n; i++) // maps of launches
        r->inputs = arena_printf(&r->arena, "%s%s %s\n", r->inputs, run->inputs.v[i].sha256,
                                 run->inputs.v[i].file);
    for (uint32_t i = 0; i < run->buffers.n; i++)
        add_input(r, run->buffers.v[i].fill.path);
    for (uint32_t i = 0; i < run->checks.n; i++) {
        const struct run_check *check = &run->checks.v[i];
        add_input(r, check->kind == CHECK_FILE ? check->path.text : check->fill.path);
    }
}

static void read_run_file(struct run_file_reader *r, const struct campaign_settings *values,
                          struct opened_run_file *to)
{
    struct file_text file;
    struct source source;
    struct diags diags;
    const char *error = file_read(&r->arena, to->path, &file);
    if (error) {
        r->error = arena_printf(&r->arena, "cannot read '%s': %s", to->path, error);
        return;
    }
    source_init(&source, &r->arena, to->path, file.text, file.length);
    diags_init(&diags, &r->arena);
    tables_digest(to->digest, file.text, file.length);
    run_init(&r->run, &r->arena, &source, &diags);
    for (uint32_t i = 0; i < values->list.n; i++)
        run_set(&r->run, values->list.v[i].key, values->list.v[i].value);
    if (!run_read(&r->run, &r->arena))
        r->error = first_error(&r->run);
    else
        add_inputs(r);
}

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_strndup(arena, text, strlen(text)) : NULL;
}

static void open_run_file(struct planning *p, const struct campaign_settings *values,
                          struct opened_run_file *to)
{
    struct run_file_reader reading = {.inputs = ""}, *r = &reading;
    arena_init(&r->arena, p->arena->memory);
    read_run_file(r, values, to);
    to->error = copy(p->arena, r->error);
    if (!r->error) {
        to->program = copy(p->arena, run_path(&r->run, r->run.program.text));
        to->module = copy(p->arena, r->run.module.text);
        to->arch = copy(p->arena, r->run.arch.text);
        to->inputs = copy(p->arena, r->inputs);
    }
    arena_free(&r->arena);
}

static uint32_t add_run_file(struct planning *p, const struct campaign_job *job)
{
    struct arena own;
    struct campaign_line name = {{0}};
    arena_init(&own, p->arena->memory);
    campaign_line_add(&own, &name, job->run);
    campaign_line_set(&own, &name, "values.", &job->values);
    uint32_t id = campaign_line_id(&p->run_names, &name);
    arena_free(&own);
    if (id < p->runs.n)
        return id;
    struct opened_run_file made = {.path = job->run};
    open_run_file(p, &job->values, &made);
    vec_push(p->arena, &p->runs, made);
    return id;
}

// Keys

static void add(struct sha256_ctx *pieces, const char *what, const char *value)
{
    sha256_update(pieces, strlen(what), (const uint8_t *)what);
    sha256_update(pieces, strlen(value) + 1, (const uint8_t *)value);
}

// Adds only the digests: equal bytes under another path are the same input.
static void add_digests(struct sha256_ctx *pieces, const char *inputs)
{
    for (const char *line = inputs; *line; line = strchr(line, '\n') + 1)
        sha256_update(pieces, SHA256_HEX, (const uint8_t *)line);
}

static void make_key(const struct campaign_plan *plan, struct campaign_job *job)
{
    const struct campaign *campaign = plan->campaign;
    const struct campaign_variant *variant = &campaign->variants.v[job->variant];
    struct sha256_ctx pieces;
    sha256_init(&pieces);
    add(&pieces, "campaign ", "1");
    add(&pieces, "sim ", plan->tools->sim.digest);
    if (variant->tagged)
        add(&pieces, "tagger ", plan->tools->tagger.digest);
    for (uint32_t i = 0; i < variant->tag.list.n; i++)
        add(&pieces, "tag ", variant->tag.list.v[i]);
    add(&pieces, "policy ", variant->policy);
    add(&pieces, "configuration ", job->config_digest);
    for (uint32_t i = 0; i < campaign->options.list.n; i++)
        add(&pieces, "option ", campaign->options.list.v[i]);
    const struct text_list *sample = campaign_job_sample(campaign, job);
    for (uint32_t i = 0; sample && i < sample->list.n; i++)
        add(&pieces, "option ", sample->list.v[i]);
    add(&pieces, "run ", job->run_digest);
    for (uint32_t i = 0; i < job->values.list.n; i++) {
        add(&pieces, "value ", job->values.list.v[i].key);
        add(&pieces, "= ", job->values.list.v[i].value);
    }
    add_digests(&pieces, job->inputs);
    tables_digest_end(job->key, &pieces);
}

// Jobs

static void copy_settings(struct arena *arena, const struct campaign_settings *from,
                          struct campaign_settings *to)
{
    for (uint32_t i = 0; i < from->list.n; i++)
        vec_push(arena, &to->list, from->list.v[i]);
}

static void replace_values(struct planning *p, const struct campaign_settings *by,
                           struct campaign_job *job)
{
    for (uint32_t k = 0; k < by->list.n; k++) {
        uint32_t place = 0;
        while (place < job->values.list.n &&
               strcmp(job->values.list.v[place].key, by->list.v[k].key))
            place++;
        if (place == job->values.list.n)
            vec_push(p->arena, &job->values.list, by->list.v[k]);
        job->values.list.v[place] = by->list.v[k];
    }
}

// Sets the run-file values of a job. The variant's override the workload's, and the point's
// override both.
static void merge_values(struct planning *p, const struct campaign_settings *of,
                         const struct campaign_point *at, struct campaign_job *job)
{
    copy_settings(p->arena, of, &job->values);
    replace_values(p, &p->plan->campaign->variants.v[job->variant].values, job);
    for (uint32_t i = 0; at && i < at->values.n; i++)
        if (at->values.v[i].workload == job->workload)
            replace_values(p, &at->values.v[i].list, job);
}

// Returns the error of ptxoffload for the variant's options, or "".
static const char *check_tag(struct planning *p, uint32_t variant)
{
    const struct campaign_variant *of = &p->plan->campaign->variants.v[variant];
    struct campaign_argv argv = {{0}};
    struct campaign_output output;
    if (!of->tagged || !of->tag.list.n)
        return "";
    campaign_push(p->arena, &argv, p->plan->tools->tagger.path);
    for (uint32_t i = 0; i < of->tag.list.n; i++)
        campaign_push(p->arena, &argv, of->tag.list.v[i]);
    campaign_push(p->arena, &argv, "--version"); // the options are checked without a program
    const char *error = campaign_capture(p->arena, &argv, NULL, 0, &output);
    return error ? error : output.status ? campaign_last_line(p->arena, output.err) : "";
}

static const char *tag_error(struct planning *p, uint32_t variant)
{
    if (!p->tag_errors[variant])
        p->tag_errors[variant] = check_tag(p, variant);
    return *p->tag_errors[variant] ? p->tag_errors[variant] : NULL;
}

static void set_inputs(struct planning *p, const struct job_needs *needs, struct campaign_job *job)
{
    const struct opened_run_file *opened = &p->runs.v[needs->run];
    const struct campaign_config *config = &p->configs.list.v[needs->config];
    job->error = opened->error ? opened->error : config->error;
    if (!job->error)
        job->error = p->configs.list.v[needs->options].error;
    if (!job->error)
        job->error = tag_error(p, job->variant);
    if (job->error)
        return;
    job->program = opened->program;
    job->module = opened->module;
    job->arch = opened->arch;
    job->inputs = opened->inputs;
    memcpy(job->run_digest, opened->digest, sizeof job->run_digest);
    memcpy(job->config_digest, config->digest, sizeof job->config_digest);
    memcpy(job->effective, config->effective, sizeof job->effective);
    make_key(p->plan, job);
}

static const char *name_of(struct arena *arena, const struct campaign *campaign,
                           const struct campaign_job *job)
{
    const char *point = campaign_point_name(campaign, job->point);
    return arena_printf(arena, "%s, %s%s%s", campaign->workloads.v[job->workload].name,
                        campaign->variants.v[job->variant].name, point ? ", " : "",
                        point ? point : "");
}

// The id of this name is the job's index in the plan.
struct job_name {
    uint32_t workload, variant, point;
};

const struct campaign_job *campaign_plan_find(const struct campaign_plan *plan, uint32_t workload,
                                              uint32_t variant, uint32_t point)
{
    struct job_name name = {workload, variant, point};
    uint32_t id = intern_find(&plan->names, (const char *)&name, sizeof name);
    return id == UINT32_MAX ? NULL : &plan->jobs.v[id];
}

static bool selects(const struct text_list *names, const char *name)
{
    bool found = !names->list.n;
    for (uint32_t i = 0; name && i < names->list.n; i++)
        found |= !strcmp(names->list.v[i], name);
    return found;
}

static void add_job(struct planning *p, const struct campaign_selection *selection,
                    uint32_t workload, uint32_t variant, uint32_t point)
{
    struct campaign_plan *plan = p->plan;
    const struct campaign *campaign = plan->campaign;
    const struct campaign_workload *of = &campaign->workloads.v[workload];
    const struct campaign_point *at = point == CAMPAIGN_NONE ? NULL : &campaign->points.v[point];
    if (campaign_plan_find(plan, workload, variant, point))
        return;
    struct campaign_job made = {.workload = workload, .variant = variant, .point = point};
    made.name = name_of(p->arena, campaign, &made);
    if (!selects(&selection->jobs, made.name))
        return;
    made.run = campaign->variants.v[variant].tagged ? of->tagged : of->run;
    merge_values(p, plan->is_quick ? &of->quick : &of->values, at, &made);
    made.config = at && at->config ? at->config : campaign->variants.v[variant].config;
    copy_settings(p->arena, &campaign->variants.v[variant].set, &made.set);
    if (at)
        copy_settings(p->arena, &at->set, &made.set);
    struct job_needs needs = {.run = add_run_file(p, &made)};
    needs.config = campaign_configs_add(&p->configs, made.config, &made.set);
    needs.options =
        campaign_configs_add_options(&p->configs, campaign->variants.v[variant].policy,
                                     &campaign->options, campaign_job_sample(campaign, &made));
    struct job_name *name = ARENA_NEW(p->arena, struct job_name);
    *name = (struct job_name){workload, variant, point};
    intern_add(&plan->names, (const char *)name, sizeof *name);
    vec_push(p->arena, &p->needs, needs);
    vec_push(p->arena, &plan->jobs, made);
}

// Makes the keys of all jobs and finds jobs with equal keys.
static const char *make_keys(struct planning *p)
{
    struct campaign_plan *plan = p->plan;
    struct intern keys;
    VEC(uint32_t) first = {0}; // by the id of the key
    const char *error = campaign_configs_resolve(&p->configs, plan->tools);
    intern_init(&keys, p->arena);
    for (uint32_t i = 0; !error && i < plan->jobs.n; i++) {
        struct campaign_job *job = &plan->jobs.v[i];
        set_inputs(p, &p->needs.v[i], job);
        job->same = i;
        if (job->error)
            continue;
        uint32_t id = intern_add(&keys, job->key, SHA256_HEX);
        if (id == first.n)
            vec_push(p->arena, &first, i);
        job->same = first.v[id];
    }
    return error;
}

// Returns true if the workload is one of a preview.
static bool previews(const struct campaign *campaign, uint32_t workload)
{
    const char *group = campaign->workloads.v[workload].group;
    if (campaign->preview.list.n)
        return selects(&campaign->preview, campaign->workloads.v[workload].name);
    for (uint32_t i = 0; i < workload; i++) {
        const char *other = campaign->workloads.v[i].group;
        if (group == other || (group && other && !strcmp(group, other)))
            return false;
    }
    return true;
}

static bool selects_workload(const struct planning *p, const struct campaign_selection *selection,
                             uint32_t number)
{
    const struct campaign *campaign = p->plan->campaign;
    const struct campaign_workload *workload = &campaign->workloads.v[number];
    return (selects(&selection->workloads, workload->name) ||
            selects(&selection->workloads, workload->group)) &&
           (!selection->is_preview || previews(campaign, number));
}

static void add_study(struct planning *p, const struct campaign_study *study,
                      const struct campaign_selection *selection)
{
    const struct campaign *campaign = p->plan->campaign;
    uint32_t points = study->points.list.n;
    for (uint32_t w = 0; w < study->workloads.list.n; w++) {
        if (!selects_workload(p, selection, study->workloads.list.v[w]))
            continue;
        for (uint32_t i = 0; i < (points ? points : 1); i++)
            for (uint32_t v = 0; v < study->variants.list.n; v++) {
                uint32_t variant = study->variants.list.v[v];
                bool is_shown =
                    !selection->is_preview || i == 0 || i == points / 2 || i + 1 == points;
                if (is_shown && selects(&selection->variants, campaign->variants.v[variant].name))
                    add_job(p, selection, study->workloads.list.v[w], variant,
                            points ? study->points.list.v[i] : CAMPAIGN_NONE);
            }
    }
}

static const char *check_names(const struct campaign_plan *plan,
                               const struct campaign_selection *selection)
{
    const struct campaign *campaign = plan->campaign;
    for (uint32_t i = 0; i < selection->studies.list.n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < campaign->studies.n; k++)
            found |= !strcmp(campaign->studies.v[k].name, selection->studies.list.v[i]);
        if (!found)
            return arena_printf(plan->arena, "unknown study '%s'", selection->studies.list.v[i]);
    }
    for (uint32_t i = 0; i < selection->workloads.list.n; i++) {
        const char *name = selection->workloads.list.v[i];
        bool found = campaign_workload(campaign, name) != CAMPAIGN_NONE;
        for (uint32_t k = 0; k < campaign->workloads.n; k++)
            found |=
                campaign->workloads.v[k].group && !strcmp(campaign->workloads.v[k].group, name);
        if (!found)
            return arena_printf(plan->arena, "unknown workload '%s'", name);
    }
    for (uint32_t i = 0; i < selection->variants.list.n; i++)
        if (campaign_variant(campaign, selection->variants.list.v[i]) == CAMPAIGN_NONE)
            return arena_printf(plan->arena, "unknown variant '%s'", selection->variants.list.v[i]);
    return NULL;
}

static const char *check_jobs(const struct campaign_plan *plan,
                              const struct campaign_selection *selection)
{
    for (uint32_t i = 0; i < selection->jobs.list.n; i++) {
        bool found = false;
        for (uint32_t k = 0; k < plan->jobs.n && !found; k++)
            found = !strcmp(plan->jobs.v[k].name, selection->jobs.list.v[i]);
        if (!found)
            return arena_printf(plan->arena,
                                "unknown job '%s': run --dry-run lists the names of the jobs",
                                selection->jobs.list.v[i]);
    }
    return NULL;
}

const char *campaign_plan_make(struct campaign_plan *plan, struct arena *arena,
                               const struct campaign *campaign, const struct campaign_tools *tools,
                               const struct campaign_selection *selection)
{
    struct planning planning = {.plan = plan,
                                .arena = arena,
                                .tag_errors =
                                    ARENA_ARRAY(arena, const char *, campaign->variants.n)};
    *plan = (struct campaign_plan){.campaign = campaign,
                                   .arena = arena,
                                   .tools = tools,
                                   .is_quick = selection->is_quick,
                                   .is_preview = selection->is_preview};
    intern_init(&plan->names, arena);
    intern_init(&planning.run_names, arena);
    campaign_configs_init(&planning.configs, arena);
    const char *error = check_names(plan, selection);
    for (uint32_t i = 0; !error && i < campaign->studies.n; i++) {
        const struct campaign_study *study = &campaign->studies.v[i];
        if (selects(&selection->studies, study->name) && (study->is_quick || !plan->is_quick))
            add_study(&planning, study, selection);
    }
    if (!error)
        error = check_jobs(plan, selection);
    return error ? error : make_keys(&planning);
}
