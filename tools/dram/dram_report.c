#include "tools/dram/dram_report.h"
#include "support/number.h"
#include <inttypes.h>

static double ratio(uint64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : 0;
}

double dram_report_bandwidth(const struct dram_result *r)
{
    const struct dram_config *c = r->drive->config;
    return dram_result_rate(r) * (double)c->request_bytes * (double)c->clock * 1e-3;
}

// Text

static void text_real(FILE *to, const char *name, double value, const char *text)
{
    char number[NUMBER_TEXT];
    snprintf(number, sizeof number, "%.6g", value);
    fprintf(to, "%-20s %-12s # %s\n", name, number, text);
}

static void text_uint(FILE *to, const char *name, uint64_t value, const char *text)
{
    fprintf(to, "%-20s %-12" PRIu64 " # %s\n", name, value, text);
}

void dram_report_text(const struct dram_result *r, FILE *to)
{
#define RESULT_REAL(name, value, text) text_real(to, #name, value, text);
#define RESULT_UINT(name, value, text) text_uint(to, #name, value, text);
#include "tools/dram/dram_results.def"
#undef RESULT_REAL
#undef RESULT_UINT
}

void dram_report_stats(struct stats *stats, struct arena *arena, const struct dram_result *r)
{
    uint32_t count = r->drive->config->channels;
    stats_init(stats, arena);
    stats_add(stats, "dram", dram_stat_keys, dram_stat_key_count, &r->all);
    for (uint32_t i = 0; count > 1 && i < count; i++)
        stats_add(stats, arena_printf(arena, "dram.channel%u", i), dram_stat_keys,
                  dram_stat_key_count, &r->channels[i]);
}

// JSON

static void json_real_of(struct json *json, const char *key, double value)
{
    json_member_double(json, key, value);
}

static void json_uint_of(struct json *json, const char *key, uint64_t value)
{
    json_member_uint(json, key, value);
}

static void write_head(struct json *json, const struct dram_head *head)
{
    const struct dram_drive *drive = head->drive;
    json_member_string(json, "program", "ptxoffload-dram " PTXOFFLOAD_VERSION);
    json_key(json, "configuration");
    config_json(head->config, json);
    config_json_inputs(head->config, json);
    json_member_string(json, "pattern", head->pattern);
    json_real_of(json, "writes_asked", drive->writes);
    json_uint_of(json, "seed", drive->seed);
    json_uint_of(json, "warmup", drive->warmup);
    json_uint_of(json, "cycles", drive->cycles);
}

// Writes the results. `load` is null if queues are always full.
static void write_results(struct json *json, const struct dram_result *r)
{
    json_member_string(json, "outcome", r->stopped ? "interrupted" : "done");
    json_key(json, "load");
    if (r->drive->load > 0)
        json_double(json, r->drive->load);
    else
        json_null(json);
#define RESULT_REAL(name, value, text) json_real_of(json, #name, value);
#define RESULT_UINT(name, value, text) json_uint_of(json, #name, value);
#include "tools/dram/dram_results.def"
#undef RESULT_REAL
#undef RESULT_UINT
}

// Members that vary between identical runs are written last.
void dram_report_json(const struct dram_head *head, const struct dram_result *result, FILE *to)
{
    struct json json;
    struct stats stats;
    json_init(&json, to);
    json_object(&json);
    write_head(&json, head);
    write_results(&json, result);
    json_key(&json, "statistics");
    dram_report_stats(&stats, head->config->arena, result);
    stats_json(&stats, NULL, NULL, &json);
    json_real_of(&json, "cpu_seconds", result->cpu_seconds);
    json_end_object(&json);
    json_done(&json);
}

void dram_sweep_json(const struct dram_head *head, const struct dram_sweep *sweep, FILE *to)
{
    struct json json;
    double seconds = 0;
    json_init(&json, to);
    json_object(&json);
    write_head(&json, head);
    json_real_of(&json, "saturation", sweep->saturation);
    json_key(&json, "points");
    json_array(&json);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        seconds += sweep->points.v[i].cpu_seconds;
        json_object(&json);
        write_results(&json, &sweep->points.v[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    json_real_of(&json, "cpu_seconds", seconds);
    json_end_object(&json);
    json_done(&json);
}

// CSV

static void csv_real(FILE *to, double value)
{
    char number[NUMBER_TEXT];
    number_shortest(number, value);
    fprintf(to, ",%s", number);
}

void dram_sweep_csv(const struct dram_sweep *sweep, FILE *to)
{
    fputs("load", to);
#define RESULT_REAL(name, value, text) fputs("," #name, to);
#define RESULT_UINT(name, value, text) fputs("," #name, to);
#include "tools/dram/dram_results.def"
#undef RESULT_REAL
#undef RESULT_UINT
    putc('\n', to);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct dram_result *r = &sweep->points.v[i];
        char load[NUMBER_TEXT] = "";
        if (r->drive->load > 0)
            number_shortest(load, r->drive->load);
        fputs(load, to);
#define RESULT_REAL(name, value, text) csv_real(to, value);
#define RESULT_UINT(name, value, text) fprintf(to, ",%" PRIu64, (uint64_t)(value));
#include "tools/dram/dram_results.def"
#undef RESULT_REAL
#undef RESULT_UINT
        putc('\n', to);
    }
}
