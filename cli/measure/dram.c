// ptxoffload-dram: measures a DRAM by itself.
#include "cli/measure/dram_options.h"
#include "cli/common/input.h"
#include "cli/common/interrupt.h"
#include "cli/common/messages.h"
#include "tools/dram/dram_report.h"
#include "runtime-sim/dram/dram_trace.h"
#include <string.h>
#include <unistd.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2 };

struct dram_run {
    struct memory memory;
    struct arena arena;
    struct dram_arguments arguments;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    bool out_of_memory;
    struct dram_config values;
    struct config_section section;
    struct config config;
    struct dram_drive drive;
    struct dram_head head;
    struct dram_trace_file trace;
    struct dram_result result;
    struct dram_sweep sweep;
    atomic_int stop; // the signal that has interrupted the run, or 0
};

// The configuration

static bool print_texts(struct dram_run *run)
{
    bool good = true;
    for (uint32_t i = 0; i < run->config.texts.n; i++) {
        struct config_text *text = run->config.texts.v[i];
        good &= messages_diags(&run->messages, &text->diags, &text->source);
    }
    return good;
}

static bool read_config(struct dram_run *run)
{
    bool good = true;
    if (run->arguments.measure.config)
        good = config_load(&run->config, run->arguments.measure.config);
    for (uint32_t i = 0; i < run->arguments.measure.settings.n; i++)
        good &= config_set(&run->config, run->arguments.measure.settings.v[i]);
    if (!print_texts(run) || !good)
        return false;
    const char *fault = dram_config_fault(&run->values, &run->arena);
    if (fault)
        message_fault(&run->messages, "config", "%s", fault);
    return !fault;
}

// Outputs

static FILE *open_output(struct dram_run *run, const char *path)
{
    const char *error;
    FILE *to = output_open(&run->outputs, path, &error);
    if (!to)
        message_error(&run->messages, "%s", error);
    return to;
}

static bool check_paths(struct dram_run *run)
{
    const struct dram_arguments *a = &run->arguments;
    const char *const paths[] = {a->measure.json, a->measure.csv, a->measure.plot, a->measure.stats,
                                 a->trace};
    const char *const names[] = {"--json", "--csv", "--plot", "--stats", "--trace"};
    bool good = true;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (paths[i] && a->measure.config &&
            output_same(&run->arena, paths[i], a->measure.config)) {
            message_error(&run->messages, "%s would overwrite the configuration '%s'", names[i],
                          paths[i]);
            good = false;
        }
        for (size_t k = 0; k < i; k++)
            if (paths[i] && paths[k] && output_same(&run->arena, paths[i], paths[k])) {
                message_error(&run->messages, "%s and %s are both written to '%s'", names[k],
                              names[i], paths[i]);
                good = false;
            }
    }
    return good;
}

static bool write_stats(struct dram_run *run, const char *path)
{
    struct stats stats;
    FILE *to = open_output(run, path);
    if (!to)
        return false;
    dram_report_stats(&stats, &run->arena, &run->result);
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

static bool write_json(struct dram_run *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to && run->arguments.measure.sweep)
        dram_sweep_json(&run->head, &run->sweep, to);
    else if (to)
        dram_report_json(&run->head, &run->result, to);
    return to;
}

static bool write_csv(struct dram_run *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to)
        dram_sweep_csv(&run->sweep, to);
    return to;
}

static bool write_plot(struct dram_run *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to)
        dram_sweep_plot(&run->head, &run->sweep, to);
    return to;
}

static bool write_text(struct dram_run *run)
{
    FILE *to = open_output(run, "-");
    if (to && run->arguments.measure.sweep)
        dram_sweep_csv(&run->sweep, to);
    else if (to)
        dram_report_text(&run->result, to);
    return to;
}

static bool write_all(struct dram_run *run)
{
    const struct dram_arguments *a = &run->arguments;
    bool any = a->measure.json || a->measure.csv || a->measure.plot || a->measure.stats || a->trace;
    return (!a->measure.json || write_json(run, a->measure.json)) &&
           (!a->measure.csv || write_csv(run, a->measure.csv)) &&
           (!a->measure.plot || write_plot(run, a->measure.plot)) &&
           (!a->measure.stats || write_stats(run, a->measure.stats)) && (any || write_text(run));
}

static int commit(struct dram_run *run)
{
    const char *error = outputs_commit(&run->outputs);
    if (error)
        message_error(&run->messages, "%s", error);
    return error ? BAD_INPUT : DONE;
}

// Measuring

static bool all_answered(struct dram_run *run)
{
    bool good = true;
    for (uint32_t i = 0; i < run->sweep.points.n; i++)
        good &= run->sweep.points.v[i].conserved;
    if (!good)
        message_internal(&run->messages, "not every request got exactly one reply");
    return good;
}

static bool begin_trace(struct dram_run *run)
{
    FILE *to = open_output(run, run->arguments.trace);
    if (!to)
        return false;
    dram_trace_file_begin(&run->trace, &run->arena, &run->values, to);
    run->drive.trace = dram_trace_file_command;
    run->drive.trace_context = &run->trace;
    run->drive.channel = &run->trace.channel;
    return true;
}

static void measure_all(struct dram_run *run)
{
    const struct dram_arguments *a = &run->arguments;
    interrupt_defer(&run->stop);
    if (a->measure.sweep) {
        dram_sweep(&run->sweep, &run->arena, &run->drive, a->measure.loads.v, a->measure.loads.n);
    } else {
        dram_drive(&run->drive, &run->arena, &run->result);
        vec_push(&run->arena, &run->sweep.points, run->result);
    }
    interrupt_defer(NULL);
}

static bool measure(struct dram_run *run)
{
    const struct dram_arguments *a = &run->arguments;
    run->drive = (struct dram_drive){.config = &run->values,
                                     .pattern = (enum dram_pattern)a->pattern,
                                     .writes = a->writes,
                                     .load = a->measure.load > 0 ? a->measure.load : 0,
                                     .warmup = a->measure.warmup,
                                     .cycles = a->measure.cycles,
                                     .seed = a->measure.seed,
                                     .stop = &run->stop};
    run->head =
        (struct dram_head){&run->config, &run->drive, dram_pattern_names[run->drive.pattern]};
    if (a->trace && !begin_trace(run))
        return false;
    measure_all(run);
    if (a->trace)
        dram_trace_file_end(&run->trace);
    return all_answered(run);
}

// Information without a run

static void list_stats(struct dram_run *run, FILE *to)
{
    struct stats stats;
    struct dram_stats none = {0};
    stats_init(&stats, &run->arena);
    stats_add(&stats, "dram", dram_stat_keys, dram_stat_key_count, &none);
    stats_list(&stats, to);
}

static int print_only(struct dram_run *run)
{
    const struct dram_arguments *a = &run->arguments;
    FILE *to = open_output(run, "-");
    if (!to)
        return BAD_INPUT;
    if (a->measure.common.help)
        options_help(&dram_command, to);
    else if (a->measure.common.version)
        options_version(&dram_command, to);
    else if (a->measure.help_keys)
        (a->measure.help_keys == TOPIC_MARKDOWN ? config_keys_print_markdown
                                                : config_keys_print)(&run->config, to);
    else if (a->measure.list_configs)
        config_names_print(&run->config, to);
    else if (a->measure.list_stats)
        list_stats(run, to);
    else
        config_print(&run->config, to);
    return commit(run);
}

// Without a look at the configuration.
static bool only_explains(const struct dram_arguments *a)
{
    return a->measure.common.help || a->measure.common.version || a->measure.help_keys ||
           a->measure.list_configs || a->measure.list_stats;
}

static int do_all(struct dram_run *run, int argc, char **argv)
{
    if (!dram_arguments_read(&run->arguments, &run->arena, argc, argv, stderr))
        return BAD_USAGE;
    messages_init(&run->messages, dram_command.name, &run->arguments.measure.common, &run->log);
    run->section = (struct config_section){"dram", dram_keys, dram_key_count, &run->values};
    config_init(&run->config, &run->arena, &run->section, 1);
    run->config.folder = "dram";
    if (only_explains(&run->arguments))
        return print_only(run);
    if (!messages_begin(&run->messages, &run->arena) || !read_config(run))
        return BAD_INPUT;
    if (run->arguments.measure.print_config)
        return print_only(run);
    if (!check_paths(run) || !measure(run))
        return BAD_INPUT;
    config_show_files(&run->config, &run->messages.arguments->prefixes);
    if (!write_all(run))
        return BAD_INPUT;
    return commit(run);
}

static int out_of_memory(struct dram_run *run)
{
    outputs_abandon(&run->outputs);
    if (!run->out_of_memory) {
        run->out_of_memory = true;
        message_memory(&run->messages, &run->memory);
    }
    return BAD_INPUT;
}

static int work(struct dram_run *run, int argc, char **argv)
{
    if (setjmp(run->memory.on_failure))
        return messages_end(&run->messages, argc, argv, out_of_memory(run));
    int status = do_all(run, argc, argv);
    outputs_abandon(&run->outputs);
    return messages_end(&run->messages, argc, argv, status);
}

int main(int argc, char **argv)
{
    struct dram_run run = {0};
    input_open_standard();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    arena_init(&run.arena, &run.memory);
    outputs_init(&run.outputs, &run.arena);
    outputs_init(&run.log.outputs, &run.arena);
    messages_init(&run.messages, dram_command.name, &run.arguments.measure.common, &run.log);
    interrupt_remove(&run.outputs, &run.log.outputs);
    int status = work(&run, argc, argv);
    memory_free(&run.memory);
    if (run.stop)
        interrupt_end(run.stop);
    return status;
}
