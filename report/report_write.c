// Writes the report as a document with everything that the other forms show, except the networks.
#include "support/json.h"
#include "report/sim_report.h"

static void write_parts(struct json *json, const char *key, const sim_parts *parts)
{
    json_key(json, key);
    json_array(json);
    for (uint32_t i = 0; i < parts->n; i++) {
        json_object_flat(json);
        json_member_string(json, "name", parts->v[i].name);
        json_member_double(json, "value", parts->v[i].value);
        json_member_string(json, "text", parts->v[i].text);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_number(struct json *json, const struct sim_number *number)
{
    json_object_flat(json);
    json_member_string(json, "name", number->name);
    json_member_double(json, "value", number->value);
    json_member_string(json, "unit", number->unit);
    json_end_object(json);
}

static void write_resources(struct json *json, const struct sim_kernel *kernel)
{
    json_key(json, "resources");
    json_array(json);
    for (uint32_t i = 0; i < kernel->resources.n; i++) {
        const struct sim_resource *r = &kernel->resources.v[i];
        json_object_flat(json);
        json_member_string(json, "name", r->name);
        json_member_double(json, "used", r->used);
        json_member_double(json, "peak", r->peak);
        json_member_double(json, "busiest", r->busiest);
        json_member_string(json, "unit", r->unit);
        json_member_string(json, "text", r->text);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_item(struct json *json, const struct sim_item *item)
{
    json_object(json);
    json_member_string(json, "kind", item->kind);
    json_member_uint(json, "id", item->id);
    json_member_string(json, "function", item->function);
    json_member_uint(json, "line", item->line);
    json_member_string(json, "source", item->source);
    json_member_string(json, "text", item->text);
    json_member_double(json, "expected", item->expected);
    json_member_string(json, "expected_in", item->expected_in);
    json_key(json, "measured");
    json_array(json);
    for (uint32_t i = 0; i < item->rows.n; i++)
        write_number(json, &item->rows.v[i]);
    json_end_array(json);
    json_end_object(json);
}

static void write_limits(struct json *json, const sim_limits *limits)
{
    json_key(json, "limits");
    json_array(json);
    for (uint32_t i = 0; i < limits->n; i++) {
        const struct sim_limit *limit = &limits->v[i];
        json_object_flat(json);
        json_member_string(json, "name", limit->name);
        json_member_double(json, "cycles", limit->cycles);
        json_member_double(json, "used", limit->used);
        json_member_double(json, "without", limit->without);
        json_member_string(json, "next", limit->next);
        json_member_string(json, "wait", limit->wait);
        json_member_double(json, "waiting", limit->waiting);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_phases(struct json *json, const struct sim_kernel *kernel)
{
    write_limits(json, &kernel->limits);
    json_key(json, "phases");
    json_array(json);
    for (uint32_t i = 0; i < kernel->phases.n; i++) {
        json_object(json);
        json_member_string(json, "name", kernel->phases.v[i].name);
        json_member_double(json, "cycles", kernel->phases.v[i].cycles);
        write_limits(json, &kernel->phases.v[i].limits);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_kernel(struct json *json, const struct sim_kernel *kernel)
{
    json_object(json);
    json_member_string(json, "name", kernel->name);
    json_member_string(json, "shown", kernel->shown);
    json_member_uint(json, "launches", kernel->launches);
    json_member_uint(json, "timed", kernel->timed);
    json_member_uint(json, "together", kernel->together);
    json_member_double(json, "cycles", kernel->cycles);
    json_member_double(json, "warp_instructions", kernel->warp_instructions);
    json_member_double(json, "thread_instructions", kernel->thread_instructions);
    json_member_string(json, "room", kernel->room);
    write_parts(json, "slots", &kernel->stalls);
    write_parts(json, "served", &kernel->served);
    write_parts(json, "latency", &kernel->stages);
    json_key(json, "numbers");
    json_array(json);
    for (uint32_t i = 0; i < kernel->numbers.n; i++)
        write_number(json, &kernel->numbers.v[i]);
    json_end_array(json);
    write_resources(json, kernel);
    write_phases(json, kernel);
    json_key(json, "offloaded");
    json_array(json);
    for (uint32_t i = 0; i < kernel->items.n; i++)
        write_item(json, &kernel->items.v[i]);
    json_end_array(json);
    json_end_object(json);
}

static void write_triple(struct json *json, const char *key, const double of[3])
{
    json_key(json, key);
    json_array_flat(json);
    for (int i = 0; i < 3; i++)
        json_double(json, of[i]);
    json_end_array(json);
}

static void write_spans(struct json *json, const struct sim_report *report)
{
    json_key(json, "launches");
    json_array(json);
    for (uint32_t i = 0; i < report->spans.n; i++) {
        const struct sim_span *span = &report->spans.v[i];
        json_object_flat(json);
        json_member_uint(json, "kernel", span->kernel);
        json_member_double(json, "begun", span->begun);
        json_member_double(json, "ended", span->ended);
        write_triple(json, "grid", span->grid);
        write_triple(json, "block", span->block);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_copies(struct json *json, const struct sim_report *report)
{
    json_key(json, "copies");
    json_array(json);
    for (uint32_t i = 0; i < report->copies.n; i++) {
        json_object_flat(json);
        json_member_double(json, "begun", report->copies.v[i].begun);
        json_member_double(json, "ended", report->copies.v[i].ended);
        json_member_double(json, "bytes", report->copies.v[i].bytes);
        json_end_object(json);
    }
    json_end_array(json);
}

static void write_series(struct json *json, const struct sim_series *series)
{
    json_key(json, "series");
    json_object(json);
    json_key(json, "names");
    json_array(json);
    for (uint32_t i = 0; i < series->names.n; i++)
        json_string(json, series->names.v[i]);
    json_end_array(json);
    json_key(json, "samples");
    json_array(json);
    for (uint32_t i = 0; i < series->samples.n; i++) {
        const struct sim_sample *sample = &series->samples.v[i];
        json_array_flat(json);
        json_double(json, sample->begun);
        json_double(json, sample->ended);
        for (uint32_t k = 0; k < series->names.n; k++)
            json_double(json, sample->values[k]);
        json_end_array(json);
    }
    json_end_array(json);
    json_end_object(json);
}

static void write_checks(struct json *json, const struct sim_report *report)
{
    json_key(json, "checks");
    json_object_flat(json);
    json_member_uint(json, "passed", report->passed);
    json_member_uint(json, "failed", report->failed);
    json_member_uint(json, "reports", report->checks_reported);
    json_end_object(json);
}

static void write_host(struct json *json, const struct sim_report *report)
{
    json_key(json, "host");
    json_object_flat(json);
    json_member_double(json, "cpu_seconds", report->cpu_seconds);
    json_member_double(json, "kernel_cpu_seconds", report->kernel_cpu_seconds);
    json_end_object(json);
}

void sim_report_json(const struct sim_report *report, FILE *to)
{
    struct json json;
    json_init(&json, to);
    json_object(&json);
    json_member_string(&json, "format", SIM_FORMAT);
    json_member_int(&json, "version", SIM_FORMAT_VERSION);
    json_member_string(&json, "program", report->program);
    json_member_string(&json, "run", report->run_file);
    json_member_string(&json, "machine", report->machine);
    json_member_string(&json, "policy", report->policy);
    json_member_string(&json, "outcome", report->outcome);
    json_member_bool(&json, "timed", report->has_time);
    json_member_double(&json, "clock_mhz", report->clock);
    json_member_double(&json, "peak_instructions", report->peak_instructions);
    json_member_double(&json, "dram_bytes", report->dram_bytes);
    json_key(&json, "kernels");
    json_array(&json);
    for (uint32_t i = 0; i < report->kernels.n; i++)
        write_kernel(&json, &report->kernels.v[i]);
    json_end_array(&json);
    json_key(&json, "total");
    write_kernel(&json, &report->total);
    write_spans(&json, report);
    write_copies(&json, report);
    write_series(&json, &report->series);
    write_checks(&json, report);
    write_host(&json, report);
    json_end_object(&json);
    json_done(&json);
}
