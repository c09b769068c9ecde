// ptxoffload-dram: measures a DRAM by itself.
#include "cli/measure/dram_options.h"
#include "cli/common/interrupt.h"
#include "tools/dram/dram_report.h"
#include "runtime-sim/dram/dram_trace.h"
#include <string.h>
#include <unistd.h>

struct dram_invocation {
    struct measure_base base;
    struct dram_arguments arguments;
    struct dram_config values;
    struct dram_drive drive;
    struct dram_head head;
    struct dram_trace_file trace;
    struct trace_text requests; // of --trace-in
    struct dram_replay replay;
    struct dram_result result;
    struct dram_sweep sweep;
};

// The configuration

static void begin(void *own)
{
    struct dram_invocation *run = own;
    struct config_section section = {"dram", dram_keys, dram_key_count, &run->values};
    measure_begin_config(&run->base, section, "dram");
}

static bool prepare(void *own)
{
    struct dram_invocation *run = own;
    if (!measure_read_config(&run->base))
        return false;
    const char *fault = dram_config_fault(&run->values, &run->base.frame.arena);
    if (fault)
        message_fault(&run->base.frame.messages, "config", "%s", fault);
    return !fault;
}

// Outputs

static FILE *open_output(struct dram_invocation *run, const char *path)
{
    return frame_open(&run->base.frame, path);
}

static bool write_stats(struct dram_invocation *run, const char *path)
{
    struct stats stats;
    FILE *to = open_output(run, path);
    if (!to)
        return false;
    dram_report_stats(&stats, &run->base.frame.arena, &run->result);
    if (measure_ends_in(path, ".json")) {
        struct json json;
        json_init(&json, to);
        stats_json(&stats, NULL, NULL, &json);
        json_done(&json);
    } else if (measure_ends_in(path, ".csv")) {
        stats_csv(&stats, NULL, NULL, to);
    } else {
        stats_text(&stats, NULL, NULL, to);
    }
    return true;
}

static bool write_json(struct dram_invocation *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to && run->arguments.measure.sweep)
        dram_sweep_json(&run->head, &run->sweep, to);
    else if (to)
        dram_report_json(&run->head, &run->result, to);
    return to;
}

static bool write_csv(struct dram_invocation *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to)
        dram_sweep_csv(&run->sweep, to);
    return to;
}

static bool write_plot(struct dram_invocation *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to)
        dram_sweep_plot(&run->head, &run->sweep, to);
    return to;
}

static bool write_latencies(struct dram_invocation *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to)
        dram_replay_write(&run->replay, to);
    return to;
}

static bool write_text(struct dram_invocation *run)
{
    FILE *to = open_output(run, "-");
    if (to && run->arguments.measure.sweep)
        dram_sweep_csv(&run->sweep, to);
    else if (to)
        dram_report_text(&run->result, to);
    return to;
}

static bool write_all(struct dram_invocation *run)
{
    const struct dram_arguments *a = &run->arguments;
    bool any = a->measure.json || a->measure.csv || a->measure.plot || a->measure.stats ||
               a->measure.latencies || a->trace;
    return (!a->measure.json || write_json(run, a->measure.json)) &&
           (!a->measure.csv || write_csv(run, a->measure.csv)) &&
           (!a->measure.plot || write_plot(run, a->measure.plot)) &&
           (!a->measure.latencies || write_latencies(run, a->measure.latencies)) &&
           (!a->measure.stats || write_stats(run, a->measure.stats)) &&
           (any || a->measure.common.quiet || write_text(run));
}

// Measuring

static bool all_answered(struct dram_invocation *run)
{
    bool good = true;
    for (uint32_t i = 0; i < run->sweep.points.n; i++)
        good &= run->sweep.points.v[i].conserved;
    if (!good)
        message_internal(&run->base.frame.messages, "not every request got exactly one reply");
    return good;
}

static bool begin_trace(struct dram_invocation *run)
{
    FILE *to = open_output(run, run->arguments.trace);
    if (!to)
        return false;
    dram_trace_file_begin(&run->trace, &run->base.frame.arena, &run->values, to);
    run->drive.trace = dram_trace_file_command;
    run->drive.trace_context = &run->trace;
    run->drive.channel = &run->trace.channel;
    return true;
}

static void measure_all(struct dram_invocation *run)
{
    const struct dram_arguments *a = &run->arguments;
    interrupt_defer(&run->base.frame.stop);
    if (a->measure.sweep) {
        dram_sweep(&run->sweep, &run->base.frame.arena, &run->drive, a->measure.loads.v,
                   a->measure.loads.n);
    } else {
        dram_drive(&run->drive, &run->base.frame.arena, &run->result);
        vec_push(&run->base.frame.arena, &run->sweep.points, run->result);
    }
    interrupt_defer(NULL);
}

static bool measure(struct dram_invocation *run)
{
    const struct dram_arguments *a = &run->arguments;
    run->drive = (struct dram_drive){.config = &run->values,
                                     .pattern = (enum dram_pattern)a->pattern,
                                     .writes = a->writes,
                                     .load = a->measure.load > 0 ? a->measure.load : 0,
                                     .warmup = a->measure.warmup,
                                     .cycles = a->measure.cycles,
                                     .seed = a->measure.seed,
                                     .stop = &run->base.frame.stop};
    run->head =
        (struct dram_head){&run->base.config, &run->drive,
                           a->measure.trace_in ? "trace" : dram_pattern_names[run->drive.pattern]};
    if (a->measure.trace_in) {
        run->drive.replay = &run->replay;
        run->drive.warmup = 0;
    }
    if (a->trace && !begin_trace(run))
        return false;
    measure_all(run);
    if (a->trace)
        dram_trace_file_end(&run->trace);
    return all_answered(run);
}

static bool read_requests(struct dram_invocation *run)
{
    if (!run->arguments.measure.trace_in)
        return true;
    if (!measure_read_trace(&run->base, &run->requests, trace_read_requests, NULL))
        return false;
    dram_replay_init(&run->replay, &run->base.frame.arena, &run->requests, &run->values);
    return true;
}

// Topics

static bool list_stats(void *own, FILE *to)
{
    struct dram_invocation *run = own;
    struct stats stats;
    struct dram_stats none = {0};
    stats_init(&stats, &run->base.frame.arena);
    stats_add(&stats, "dram", dram_stat_keys, dram_stat_key_count, &none);
    stats_list(&stats, to);
    return true;
}

static int run_all(void *own)
{
    struct dram_invocation *run = own;
    if (!measure_check_paths(&run->base, NULL) || !read_requests(run) || !measure(run))
        return BAD_INPUT;
    config_show_files(&run->base.config, &run->base.frame.messages.options->prefixes);
    return write_all(run) ? frame_commit(&run->base.frame, DONE) : BAD_INPUT;
}

#define FLAG_OF(name) .flag = offsetof(struct measure_arguments, name)

static const struct topic topics[] = {
    TOPIC_OF_HELP(0, false, measure_print_keys),
    {FLAG_OF(list_configs), .print = measure_print_configs},
    {FLAG_OF(list_stats), .print = list_stats},
    {FLAG_OF(print_config), .is_late = true, .print = measure_print_config},
    {0},
};

const struct cli_program dram_program = {
    .command = &dram_command,
    .size = sizeof(struct dram_invocation),
    .options = offsetof(struct dram_invocation, arguments),
    .topics = topics,
    .begin = begin,
    .set_defaults = dram_options_default,
    .check = dram_options_check,
    .prepare = prepare,
    .run = run_all,
};
