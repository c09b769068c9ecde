// Reads a report from its document. Missing members are empty or unknown.
#include "support/file.h"
#include "report/sim_facts.h"
#include <jansson.h>
#include <string.h>

struct sim_reading {
    struct sim_report *report;
    struct arena *arena;
};

static const char *read_text(const struct sim_reading *r, const json_t *from, const char *key)
{
    const char *text = json_string_value(json_object_get(from, key));
    return text ? arena_strndup(r->arena, text, strlen(text)) : NULL;
}

static const char *read_word(const struct sim_reading *r, const json_t *from, const char *key)
{
    const char *text = read_text(r, from, key);
    return text ? text : "";
}

static double read_double(const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static uint64_t read_count(const json_t *from, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(from, key));
    return value > 0 ? (uint64_t)value : 0;
}

static void read_parts(const struct sim_reading *r, const json_t *from, const char *key,
                       sim_parts *to)
{
    const json_t *list = json_object_get(from, key);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        struct sim_part part = {read_word(r, one, "name"), read_word(r, one, "text"),
                                read_double(one, "value")};
        vec_push(r->arena, to, part);
    }
}

static struct sim_number read_number(const struct sim_reading *r, const json_t *from)
{
    return (struct sim_number){read_word(r, from, "name"), read_word(r, from, "unit"),
                               read_double(from, "value")};
}

static void read_item(const struct sim_reading *r, const json_t *from, struct sim_kernel *kernel)
{
    const json_t *rows = json_object_get(from, "measured");
    struct sim_item item = {.kind = read_word(r, from, "kind"),
                            .function = read_word(r, from, "function"),
                            .text = read_text(r, from, "text"),
                            .source = read_text(r, from, "source"),
                            .id = (uint32_t)read_count(from, "id"),
                            .line = (uint32_t)read_count(from, "line"),
                            .expected = read_double(from, "expected"),
                            .expected_in = read_word(r, from, "expected_in")};
    for (size_t i = 0; i < json_array_size(rows); i++)
        vec_push(r->arena, &item.rows, read_number(r, json_array_get(rows, i)));
    vec_push(r->arena, &kernel->items, item);
}

static struct sim_kernel read_kernel(const struct sim_reading *r, const json_t *from)
{
    struct sim_kernel kernel = {.name = read_word(r, from, "name"),
                                .shown = read_word(r, from, "shown"),
                                .launches = read_count(from, "launches"),
                                .timed = read_count(from, "timed"),
                                .together = read_count(from, "together"),
                                .cycles = read_double(from, "cycles"),
                                .warp_instructions = read_double(from, "warp_instructions"),
                                .thread_instructions = read_double(from, "thread_instructions"),
                                .room = read_text(r, from, "room")};
    read_parts(r, from, "slots", &kernel.stalls);
    read_parts(r, from, "served", &kernel.served);
    read_parts(r, from, "latency", &kernel.stages);
    const json_t *list = json_object_get(from, "numbers");
    for (size_t i = 0; i < json_array_size(list); i++)
        vec_push(r->arena, &kernel.numbers, read_number(r, json_array_get(list, i)));
    list = json_object_get(from, "resources");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        struct sim_resource resource = {read_word(r, one, "name"), read_word(r, one, "unit"),
                                        read_word(r, one, "text"), read_double(one, "used"),
                                        read_double(one, "peak"),  read_double(one, "busiest")};
        vec_push(r->arena, &kernel.resources, resource);
    }
    list = json_object_get(from, "offloaded");
    for (size_t i = 0; i < json_array_size(list); i++)
        read_item(r, json_array_get(list, i), &kernel);
    return kernel;
}

static void read_triple(const json_t *from, const char *key, double to[3])
{
    const json_t *list = json_object_get(from, key);
    for (size_t i = 0; i < 3; i++)
        to[i] = json_number_value(json_array_get(list, i));
}

static void read_spans(const struct sim_reading *r, const json_t *root)
{
    const json_t *list = json_object_get(root, "launches");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        struct sim_span span = {.kernel = (uint32_t)read_count(from, "kernel"),
                                .begun = read_double(from, "begun"),
                                .ended = read_double(from, "ended")};
        read_triple(from, "grid", span.grid);
        read_triple(from, "block", span.block);
        if (span.kernel < r->report->kernels.n)
            vec_push(r->arena, &r->report->spans, span);
    }
}

static void read_copies(const struct sim_reading *r, const json_t *root)
{
    const json_t *list = json_object_get(root, "copies");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *from = json_array_get(list, i);
        struct sim_copy copy = {read_double(from, "begun"), read_double(from, "ended"),
                                read_double(from, "bytes")};
        vec_push(r->arena, &r->report->copies, copy);
    }
}

static void read_series(const struct sim_reading *r, const json_t *root)
{
    struct sim_series *to = &r->report->series;
    const json_t *series = json_object_get(root, "series");
    const json_t *names = json_object_get(series, "names"),
                 *samples = json_object_get(series, "samples");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        name = name ? name : "";
        vec_push(r->arena, &to->names, (const char *)arena_strndup(r->arena, name, strlen(name)));
    }
    for (size_t i = 0; i < json_array_size(samples); i++) {
        const json_t *row = json_array_get(samples, i);
        struct sim_sample sample = {json_number_value(json_array_get(row, 0)),
                                    json_number_value(json_array_get(row, 1)),
                                    ARENA_ARRAY(r->arena, double, to->names.n + 1)};
        for (uint32_t k = 0; k < to->names.n; k++)
            sample.values[k] = json_number_value(json_array_get(row, 2 + k));
        vec_push(r->arena, &to->samples, sample);
    }
}

static void read_report(const struct sim_reading *r, const json_t *root)
{
    struct sim_report *to = r->report;
    const json_t *list = json_object_get(root, "kernels");
    const json_t *checks = json_object_get(root, "checks"), *host = json_object_get(root, "host");
    *to = (struct sim_report){.arena = r->arena,
                              .program = read_word(r, root, "program"),
                              .run_file = read_text(r, root, "run"),
                              .machine = read_word(r, root, "machine"),
                              .policy = read_word(r, root, "policy"),
                              .outcome = read_word(r, root, "outcome"),
                              .has_time = json_is_true(json_object_get(root, "timed")),
                              .clock = read_double(root, "clock_mhz"),
                              .peak_instructions = read_double(root, "peak_instructions"),
                              .dram_bytes = read_double(root, "dram_bytes"),
                              .passed = (uint32_t)read_count(checks, "passed"),
                              .failed = (uint32_t)read_count(checks, "failed"),
                              .checks_reported = (uint32_t)read_count(checks, "reports"),
                              .cpu_seconds = read_double(host, "cpu_seconds"),
                              .kernel_cpu_seconds = read_double(host, "kernel_cpu_seconds")};
    for (size_t i = 0; i < json_array_size(list); i++)
        vec_push(r->arena, &to->kernels, read_kernel(r, json_array_get(list, i)));
    to->total = read_kernel(r, json_object_get(root, "total"));
    read_spans(r, root);
    read_copies(r, root);
    read_series(r, root);
}

const char *sim_report_read(struct sim_report *report, struct arena *arena, const char *path)
{
    struct file_text file;
    json_error_t fault;
    const char *error = file_read(arena, path, &file);
    if (error)
        return error;
    json_t *root = json_loadb(file.text, file.length, 0, &fault);
    if (!root)
        return arena_printf(arena, "line %d, column %d: %s", fault.line, fault.column, fault.text);
    const char *format = json_string_value(json_object_get(root, "format"));
    bool right = format && !strcmp(format, SIM_FORMAT) &&
                 json_integer_value(json_object_get(root, "version")) == SIM_FORMAT_VERSION;
    struct sim_reading reading = {report, arena};
    if (right)
        read_report(&reading, root);
    json_decref(root);
    return right ? NULL : "it was not written by --report=json of this version of ptxoffload-sim";
}
