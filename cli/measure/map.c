// ptxoffload-map: checks, rates and places a map.
#include "cli/common/input.h"
#include "cli/common/interrupt.h"
#include "cli/measure/map_options.h"
#include "cli/common/messages.h"
#include "passes/maps/map_read.h"
#include "passes/maps/map_write.h"
#include "support/file.h"
#include "tools/map/map_report.h"
#include <string.h>

enum { DONE = 0, BAD_INPUT = 1, BAD_USAGE = 2 };

struct map_run {
    struct memory memory;
    struct arena arena;
    struct map_arguments arguments;
    struct messages messages;
    struct message_log log;
    struct outputs outputs;
    bool out_of_memory;
    struct map_report_keys keys;
    struct config_section section;
    struct config config;
    struct source source;
    const struct map *map;
    struct map_report report;
};

// Inputs

static bool read_settings(struct map_run *run)
{
    const struct measure_arguments *a = &run->arguments.measure;
    bool good = true;
    for (uint32_t i = 0; i < a->settings.n; i++)
        good &= config_set(&run->config, a->settings.v[i]);
    for (uint32_t i = 0; i < run->config.texts.n; i++) {
        struct config_text *text = run->config.texts.v[i];
        good &= messages_diags(&run->messages, &text->diags, &text->source);
    }
    return good;
}

static bool read_map(struct map_run *run)
{
    struct file_text file;
    struct diags diags;
    const char *error = file_read(&run->arena, run->arguments.input, &file);
    if (error) {
        message_error(&run->messages, "cannot read '%s': %s", run->arguments.input, error);
        return false;
    }
    source_init(&run->source, &run->arena, run->arguments.input, file.text, file.length);
    diags_init(&diags, &run->arena);
    run->map = map_read(&run->arena, &run->source, &diags);
    return messages_diags(&run->messages, &diags, &run->source) && run->map;
}

// Outputs

static FILE *open_output(struct map_run *run, const char *path)
{
    const char *error;
    FILE *to = output_open(&run->outputs, path, &error);
    if (!to)
        message_error(&run->messages, "%s", error);
    return to;
}

static int commit(struct map_run *run)
{
    const char *error = outputs_commit(&run->outputs);
    if (error)
        message_error(&run->messages, "%s", error);
    return error ? BAD_INPUT : DONE;
}

static bool write_plot(struct map_run *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to && measure_ends_in(path, ".html"))
        map_page(&run->report, &run->arena, to);
    else if (to && run->report.fault)
        map_picture_graph(&run->report, &run->arena, to);
    else if (to)
        map_picture_ring(&run->report, to);
    return to;
}

// The report on standard output says why a map does not fit.
static bool prints_report(const struct map_arguments *a)
{
    return !a->measure.plot && !a->rewrite;
}

static bool write_all(struct map_run *run)
{
    const struct map_arguments *a = &run->arguments;
    FILE *to;
    if (a->measure.plot && !write_plot(run, a->measure.plot))
        return false;
    if (a->rewrite && (to = open_output(run, a->rewrite)))
        map_write(run->map, to);
    else if (a->rewrite)
        return false;
    if (!prints_report(a))
        return true;
    to = open_output(run, "-");
    if (to)
        map_report_text(&run->report, to);
    return to;
}

static bool check_paths(struct map_run *run)
{
    const char *const paths[] = {run->arguments.measure.plot, run->arguments.rewrite};
    const char *const names[] = {"--plot", "--rewrite"};
    bool good = true;
    for (uint32_t i = 0; i < 2; i++)
        if (paths[i] && output_same(&run->arena, paths[i], run->arguments.input)) {
            message_error(&run->messages, "%s would overwrite the map '%s'", names[i], paths[i]);
            good = false;
        }
    return good;
}

static int print_only(struct map_run *run)
{
    const struct measure_arguments *a = &run->arguments.measure;
    FILE *to = open_output(run, "-");
    if (!to)
        return BAD_INPUT;
    if (a->common.help)
        options_help(&map_command, to);
    else if (a->common.version)
        options_version(&map_command, to);
    else if (a->help_keys)
        (a->help_keys == TOPIC_MARKDOWN ? config_keys_print_markdown
                                        : config_keys_print)(&run->config, to);
    else
        config_print(&run->config, to);
    return commit(run);
}

static int do_all(struct map_run *run, int argc, char **argv)
{
    if (!map_arguments_read(&run->arguments, &run->arena, argc, argv, stderr))
        return BAD_USAGE;
    const struct measure_arguments *a = &run->arguments.measure;
    messages_init(&run->messages, map_command.name, &a->common, &run->log);
    run->section = map_report_section(&run->keys);
    config_init(&run->config, &run->arena, &run->section, 1);
    if (a->common.help || a->common.version || a->help_keys)
        return print_only(run);
    if (!messages_begin(&run->messages, &run->arena) || !read_settings(run))
        return BAD_INPUT;
    if (a->print_config)
        return print_only(run);
    if (!check_paths(run) || !read_map(run))
        return BAD_INPUT;
    map_report_make(&run->report, &run->arena, run->map, &run->keys,
                    (uint32_t)run->arguments.copies);
    if (!write_all(run) || commit(run))
        return BAD_INPUT;
    if (run->report.fault && !prints_report(&run->arguments))
        message_error(&run->messages, "%s: the map is not placed: %s", run->source.name,
                      run->report.fault);
    return run->report.fault ? BAD_INPUT : DONE;
}

static int out_of_memory(struct map_run *run)
{
    outputs_abandon(&run->outputs);
    if (!run->out_of_memory) {
        run->out_of_memory = true;
        message_memory(&run->messages, &run->memory);
    }
    return BAD_INPUT;
}

static int work(struct map_run *run, int argc, char **argv)
{
    if (setjmp(run->memory.on_failure))
        return messages_end(&run->messages, argc, argv, out_of_memory(run));
    int status = do_all(run, argc, argv);
    outputs_abandon(&run->outputs);
    return messages_end(&run->messages, argc, argv, status);
}

int main(int argc, char **argv)
{
    struct map_run run = {0};
    input_open_standard();
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    arena_init(&run.arena, &run.memory);
    outputs_init(&run.outputs, &run.arena);
    outputs_init(&run.log.outputs, &run.arena);
    messages_init(&run.messages, map_command.name, &run.arguments.measure.common, &run.log);
    interrupt_remove(&run.outputs, &run.log.outputs);
    int status = work(&run, argc, argv);
    memory_free(&run.memory);
    return status;
}
