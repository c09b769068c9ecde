// The jobs that each cell of a table needs, and digests of what they read. A page has the digests
// of its tables, so that a later change of programs or values is found without a run.
#include "campaign/report.h"
#include "support/json.h"
#include <nettle/sha2.h>
#include <string.h>

static void find_in_rows(const struct campaign_rows *rows, const struct campaign_column *column,
                         struct campaign_query *query, struct campaign_indices *jobs)
{
    for (uint32_t i = 0; i < rows->workloads.list.n; i++) {
        query->workload = rows->workloads.list.v[i];
        campaign_value_jobs(query, column->expr, jobs);
    }
}

// Appends the jobs of a cell.
static void find_jobs(const struct campaign_report *report, const struct campaign_table *table,
                      const struct campaign_row *row, const struct campaign_column *column,
                      struct campaign_indices *jobs)
{
    const struct campaign_figure *figure = table->figure;
    struct campaign_query query = {.store = report->store,
                                   .plan = report->plan,
                                   .workload = row->workload,
                                   .variant = CAMPAIGN_NONE,
                                   .point = CAMPAIGN_NONE,
                                   .reference = figure->reference};
    if (row->workload != CAMPAIGN_NONE)
        campaign_value_jobs(&query, column->expr, jobs);
    else if (!row->point && column->mean != MEAN_NONE)
        find_in_rows(row->of, column, &query, jobs);
    for (uint32_t i = 0; row->point && i < row->point->repeats; i++) {
        query.point = (uint32_t)(row->point - report->campaign->points.v) + i;
        for (uint32_t k = 0; k < figure->rows.n; k++)
            find_in_rows(&figure->rows.v[k], column, &query, jobs);
    }
}

// Digests

static void add(struct sha256_ctx *to, const char *what, const char *value)
{
    sha256_update(to, strlen(what), (const uint8_t *)what);
    sha256_update(to, strlen(value) + 1, (const uint8_t *)value);
}

static void add_list(struct sha256_ctx *to, const char *what, const struct text_list *list)
{
    for (uint32_t i = 0; list && i < list->list.n; i++)
        add(to, what, list->list.v[i]);
}

// Adds the digests of files, without their paths.
static void add_files(struct sha256_ctx *to, const char *inputs)
{
    for (const char *line = inputs; *line; line = strchr(line, '\n') + 1)
        sha256_update(to, SHA256_HEX, (const uint8_t *)line);
}

// The digests of programs after tagging.
struct campaign_tagged {
    struct intern commands;
    VEC(const char *) digests; // by id of the command
};

void campaign_tagged_init(struct campaign_report *report)
{
    report->tagged = ARENA_NEW(report->arena, struct campaign_tagged);
    intern_init(&report->tagged->commands, report->arena);
}

static const char *tag_program(const struct campaign_report *report, struct campaign_argv *argv)
{
    struct arena own;
    struct campaign_output output;
    char *digest = arena_alloc(report->arena, SHA256_HEX + 1);
    arena_init(&own, report->arena->memory);
    bool good = !campaign_capture(&own, argv, NULL, 0, &output) && !output.status;
    if (good)
        tables_digest(digest, output.out, strlen(output.out));
    arena_free(&own);
    return good ? digest : "the program cannot be tagged";
}

// Returns the digest of the tagged program of a job. Jobs with the same command share it.
static const char *tagged_of(const struct campaign_report *report, const struct campaign_job *job)
{
    struct campaign_tagged *tagged = report->tagged;
    struct campaign_argv argv = {{0}};
    const char *words = "";
    campaign_tag_command(report->plan, job, "-", &argv);
    for (uint32_t i = 0; i < argv.list.n; i++)
        words = arena_printf(report->arena, "%s%s\n", words, argv.list.v[i]);
    uint32_t id = intern_find(&tagged->commands, words, strlen(words));
    if (id != UINT32_MAX)
        return tagged->digests.v[id];
    id = intern_add(&tagged->commands, words, strlen(words));
    vec_push(report->arena, &tagged->digests, tag_program(report, &argv));
    return tagged->digests.v[id];
}

static void add_programs(const struct campaign_report *report, const struct campaign_job *job,
                         struct sha256_ctx *to)
{
    add(to, "run ", job->run_digest);
    add_files(to, job->inputs);
    if (report->campaign->variants.v[job->variant].tagged)
        add(to, "tagged ", tagged_of(report, job));
}

static void add_values(const struct campaign_report *report, const struct campaign_job *job,
                       struct sha256_ctx *to)
{
    const struct campaign *campaign = report->campaign;
    const struct campaign_variant *variant = &campaign->variants.v[job->variant];
    add(to, "policy ", variant->policy);
    add(to, "machine ", job->effective);
    add_list(to, "tag ", &variant->tag);
    add_list(to, "option ", &campaign->options);
    add_list(to, "option ", campaign_job_sample(campaign, job));
    for (uint32_t i = 0; i < job->values.list.n; i++) {
        add(to, "value ", job->values.list.v[i].key);
        add(to, "= ", job->values.list.v[i].value);
    }
}

static void digest_jobs(const struct campaign_report *report, const struct campaign_indices *jobs,
                        struct campaign_inputs *inputs)
{
    struct sha256_ctx programs, values;
    sha256_init(&programs);
    sha256_init(&values);
    for (uint32_t i = 0; i < jobs->list.n; i++) {
        const struct campaign_job *job = &report->plan->jobs.v[jobs->list.v[i]];
        add_programs(report, job, &programs);
        add_values(report, job, &values);
    }
    tables_digest_end(inputs->programs, &programs);
    tables_digest_end(inputs->values, &values);
}

void campaign_table_inputs(const struct campaign_report *report, const struct campaign_table *table,
                           struct campaign_inputs *inputs)
{
    struct campaign_indices jobs = {{0}};
    for (uint32_t r = 0; r < table->rows.n; r++)
        for (uint32_t c = 0; c < table->figure->columns.n; c++)
            find_jobs(report, table, &table->rows.v[r], &table->figure->columns.v[c], &jobs);
    digest_jobs(report, &jobs, inputs);
}

// JSON

static void write_job(const struct campaign_job *job, struct json *json)
{
    json_object_flat(json);
    json_member_string(json, "name", job->name);
    json_member_string(json, job->error ? "error" : "key", job->error ? job->error : job->key);
    json_member_string(json, "run", job->run);
    json_key(json, "values");
    json_object_flat(json);
    for (uint32_t i = 0; i < job->values.list.n; i++)
        json_member_string(json, job->values.list.v[i].key, job->values.list.v[i].value);
    json_end_object(json);
    json_end_object(json);
}

static void write_row(const struct campaign_report *report, const struct campaign_table *table,
                      const struct campaign_row *row, struct json *json)
{
    json_object_flat(json);
    json_member_string(json, "row", row->label);
    json_key(json, "jobs");
    json_array_flat(json);
    for (uint32_t c = 0; c < table->figure->columns.n; c++) {
        struct campaign_indices jobs = {{0}};
        find_jobs(report, table, row, &table->figure->columns.v[c], &jobs);
        json_array_flat(json);
        for (uint32_t i = 0; i < jobs.list.n; i++)
            json_uint(json, jobs.list.v[i]);
        json_end_array(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_table(const struct campaign_report *report, const struct campaign_table *table,
                        struct json *json)
{
    struct campaign_inputs inputs;
    campaign_table_inputs(report, table, &inputs);
    json_object(json);
    json_member_string(json, "name", table->figure->name);
    json_member_string(json, "programs", inputs.programs);
    json_member_string(json, "values", inputs.values);
    json_key(json, "columns");
    json_array_flat(json);
    for (uint32_t c = 0; c < table->figure->columns.n; c++) {
        const struct campaign_column *column = &table->figure->columns.v[c];
        json_string(json, arena_printf(report->arena, "%s%s", column->name,
                                       campaign_unit_text(column->unit)));
    }
    json_end_array(json);
    json_key(json, "rows");
    json_array(json);
    for (uint32_t r = 0; r < table->rows.n; r++)
        write_row(report, table, &table->rows.v[r], json);
    json_end_array(json);
    json_end_object(json);
}

void campaign_report_cells(const struct campaign_report *report, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_key(&json, "jobs");
    json_array(&json);
    for (uint32_t i = 0; i < report->plan->jobs.n; i++)
        write_job(&report->plan->jobs.v[i], &json);
    json_end_array(&json);
    json_key(&json, "tables");
    json_array(&json);
    for (uint32_t i = 0; i < report->tables.n; i++)
        write_table(report, &report->tables.v[i], &json);
    json_end_array(&json);
    json_end_object(&json);
    json_done(&json);
}
