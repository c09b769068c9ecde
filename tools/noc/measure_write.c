#include "support/number.h"
#include "tools/noc/measure.h"
#include <inttypes.h>
#include <math.h>

const char *measure_outcome_name(enum measure_outcome outcome)
{
    static const char *const names[] = {
        [MEASURE_DONE] = "done",
        [MEASURE_STUCK] = "no progress",
        [MEASURE_INTERRUPTED] = "interrupted",
        [MEASURE_FAULT] = "internal error",
    };
    return names[outcome];
}

// Writes the mean packet size, and the distribution if there are several sizes.
static void write_sizes(struct json *json, const struct traffic_sizes *sizes)
{
    json_member_double(json, "flits", sizes->mean);
    if (sizes->list.n == 1)
        return;
    json_key(json, "sizes");
    json_array(json);
    for (uint32_t i = 0; i < sizes->list.n; i++) {
        json_object(json);
        json_member_uint(json, "flits", sizes->list.v[i].flits);
        json_member_double(json, "weight", sizes->list.v[i].weight);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_head(struct json *json, const struct measure_head *head)
{
    const struct measure_plan *plan = head->plan;
    json_member_string(json, "program", "ptxoffload-noc " PTXOFFLOAD_VERSION);
    json_key(json, "configuration");
    config_json(head->config, json);
    config_json_inputs(head->config, json);
    json_member_string(json, "traffic", head->traffic);
    write_sizes(json, &plan->flits);
    json_member_uint(json, "seed", plan->seed);
    json_member_uint(json, "warmup", plan->warmup);
    json_member_uint(json, "window", plan->cycles);
}

static void write_results(struct json *json, const struct measured *m)
{
    json_member_string(json, "outcome", measure_outcome_name(m->outcome));
    json_member_bool(json, "stable", m->stable);
#define RESULT_REAL(name, value)                                                                   \
    json_key(json, #name);                                                                         \
    json_double(json, value);
#define RESULT_UINT(name, value) json_member_uint(json, #name, value);
#include "tools/noc/results.def"
#undef RESULT_REAL
#undef RESULT_UINT
}

// Members that vary between identical runs are written last.
static void write_host(struct json *json, const struct measured *measured, uint32_t count)
{
    double seconds = 0;
    for (uint32_t i = 0; i < count; i++)
        seconds += measured[i].cpu_seconds;
    json_member_double(json, "cpu_seconds", seconds);
}

void measure_write_json(const struct measure_head *head, const struct measured *measured, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    write_head(&json, head);
    write_results(&json, measured);
    if (measured->since.values) {
        json_key(&json, "statistics");
        stats_json(&measured->stats, &measured->since, NULL, &json);
    }
    write_host(&json, measured, 1);
    json_end_object(&json);
    json_done(&json);
}

void sweep_write_json(const struct measure_head *head, const struct sweep *sweep, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    write_head(&json, head);
    json_member_double(&json, "saturation", sweep->saturation);
    json_key(&json, "points");
    json_array(&json);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        json_object(&json);
        write_results(&json, &sweep->points.v[i]);
        json_end_object(&json);
    }
    json_end_array(&json);
    write_host(&json, sweep->points.v, sweep->points.n);
    json_end_object(&json);
    json_done(&json);
}

// Writes a number, or an empty field if it is unknown.
static void csv_real(FILE *to, double value)
{
    char number[NUMBER_TEXT] = "";
    if (isfinite(value))
        number_shortest(number, value);
    fprintf(to, ",%s", number);
}

void sweep_write_csv(const struct sweep *sweep, FILE *to)
{
    fputs("outcome,stable", to);
#define RESULT_REAL(name, value) fputs("," #name, to);
#define RESULT_UINT(name, value) fputs("," #name, to);
#include "tools/noc/results.def"
#undef RESULT_REAL
#undef RESULT_UINT
    putc('\n', to);
    for (uint32_t i = 0; i < sweep->points.n; i++) {
        const struct measured *m = &sweep->points.v[i];
        fprintf(to, "%s,%s", measure_outcome_name(m->outcome), m->stable ? "true" : "false");
#define RESULT_REAL(name, value) csv_real(to, value);
#define RESULT_UINT(name, value) fprintf(to, ",%" PRIu64, (uint64_t)(value));
#include "tools/noc/results.def"
#undef RESULT_REAL
#undef RESULT_UINT
        putc('\n', to);
    }
}
