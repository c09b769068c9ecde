// ptxoffload-map: checks, rates and places a map.
#include "cli/measure/map_options.h"
#include "passes/maps/map_read.h"
#include "support/file.h"
#include "tools/map/map_report.h"

struct map_invocation {
    struct measure_base base;
    struct map_arguments arguments;
    struct map_hardware hardware;
    struct source source;
    const struct map *map;
    struct map_report report;
};

// Inputs

static bool read_map(struct map_invocation *run)
{
    struct file_text file;
    struct diags diags;
    const char *error =
        file_read(&run->base.frame.arena, run->arguments.measure.common.input, &file);
    if (error) {
        message_error(&run->base.frame.messages, "cannot read '%s': %s",
                      run->arguments.measure.common.input, error);
        return false;
    }
    source_init(&run->source, &run->base.frame.arena, run->arguments.measure.common.input,
                file.text, file.length);
    diags_init(&diags, &run->base.frame.arena);
    run->map = map_read(&run->base.frame.arena, &run->source, &diags);
    return messages_diags(&run->base.frame.messages, &diags, &run->source) && run->map;
}

// Outputs

static FILE *open_output(struct map_invocation *run, const char *path)
{
    return frame_open(&run->base.frame, path);
}

static bool write_plot(struct map_invocation *run, const char *path)
{
    FILE *to = open_output(run, path);
    if (to && measure_ends_in(path, ".html"))
        map_page(&run->report, &run->base.frame.arena, to);
    else if (to && run->report.fault)
        map_picture_graph(&run->report, &run->base.frame.arena, to);
    else if (to)
        map_picture_ring(&run->report, to);
    return to;
}

// Returns true if the report is printed, which says why a map does not fit.
static bool prints_report(const struct map_arguments *a)
{
    return !a->measure.plot && !a->rewrite && !a->measure.common.quiet;
}

static bool write_all(struct map_invocation *run)
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

// The program

static void begin(void *own)
{
    struct map_invocation *run = own;
    measure_begin_config(&run->base, map_report_section(&run->hardware), NULL);
}

static bool prepare(void *own)
{
    return measure_read_config(own);
}

static int run_all(void *own)
{
    struct map_invocation *run = own;
    if (!measure_check_paths(&run->base, run->arguments.measure.common.input) || !read_map(run))
        return BAD_INPUT;
    map_report_make(&run->report, &run->base.frame.arena, run->map, &run->hardware,
                    (uint32_t)run->arguments.copies);
    if (!write_all(run) || frame_commit(&run->base.frame, DONE))
        return BAD_INPUT;
    if (run->report.fault && !prints_report(&run->arguments))
        message_error(&run->base.frame.messages, "%s: the map is not placed: %s", run->source.name,
                      run->report.fault);
    return run->report.fault ? BAD_INPUT : DONE;
}

static const struct topic topics[] = {
    TOPIC_OF_HELP(0, false, measure_print_keys),
    {.flag = offsetof(struct measure_arguments, print_config),
     .is_late = true,
     .print = measure_print_config},
    {0},
};

const struct cli_program map_program = {
    .command = &map_command,
    .size = sizeof(struct map_invocation),
    .options = offsetof(struct map_invocation, arguments),
    .topics = topics,
    .begin = begin,
    .check = map_options_check,
    .prepare = prepare,
    .run = run_all,
};
