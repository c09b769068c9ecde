// ptxoffload: reads PTX, decides what could run near the data, and writes what was requested.
#include "backend/changes.h"
#include "backend/measured_list.h"
#include "backend/places.h"
#include "backend/profile_read.h"
#include "backend/text.h"
#include "cli/command.h"
#include "cli/container_input.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/object_input.h"
#include "cli/run.h"
#include "ir/read.h"
#include "passes/base/capability.h"
#include "support/file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Steps

static void end_stage(void *timing, const char *name)
{
    timing_end(timing, name);
}

bool run_build(struct tagger_run *run, struct source *source)
{
    diags_init(&run->diags, &run->arena);
    struct ir_reading reading = {.arena = &run->arena,
                                 .source = source,
                                 .tree = &run->tree,
                                 .module = &run->module,
                                 .diags = &run->diags,
                                 .threads = run->arguments.threads,
                                 .only_check = run->arguments.check,
                                 .step = run->arguments.time_passes ? end_stage : NULL,
                                 .context = &run->timing};
    program_read(&reading);
    uint32_t functions = run->module.functions.n;
    message_verbose(&run->messages, "%u function%s", functions, functions == 1 ? "" : "s");
    return messages_diags(&run->messages, &run->diags, source);
}

static void add_pass(void *timing, const char *name, double seconds)
{
    timing_add(timing, name, seconds);
}

// Prints the program and the plan that the passes up to this one make.
static void print_after(struct tagger_run *run, const struct pass_options *options)
{
    const struct pass *pass = run->arguments.print_after, *stop = run->arguments.stop_after;
    struct plan plan = {.arena = &run->arena};
    struct pipeline pipeline = {.options = *options, .stop_after = pass};
    if (!pass || (stop && stop < pass))
        return;
    pipeline_run(&pipeline, &run->module, &plan);
    ir_print(&run->module, run->messages.to);
    plan_print(&run->module, &plan, run->messages.to);
    timing_end(&run->timing, "print");
}

// Reads what was measured of the program, and decides without it, for comparison.
static bool take_profile(struct tagger_run *run, struct pass_options *options)
{
    struct diags diags;
    if (!run->arguments.profile)
        return true;
    bool stripped = run->opened.source.length != run->input.length;
    diags_init(&diags, &run->arena);
    options->measured = profile_read(&run->arena, run->arguments.profile, &run->module,
                                     stripped ? &run->input : NULL, &run->outcomes, &diags);
    timing_end(&run->timing, "profile");
    if (!messages_diags(&run->messages, &diags, run->arguments.profile))
        return false;
    if (run->outcomes.is_alone) {
        options->measured = NULL;
        return true;
    }
    struct pipeline pipeline = {.options = *options,
                                .stop_after = run->arguments.stop_after,
                                .threads = run->arguments.threads};
    pipeline.options.measured = NULL;
    run->without_profile = (struct plan){.arena = &run->arena};
    pipeline_run(&pipeline, &run->module, &run->without_profile);
    timing_end(&run->timing, "without-profile");
    return true;
}

// Says where what was measured is not what was proven.
static bool compare_profile(struct tagger_run *run, const struct pass_options *options)
{
    struct diags diags;
    if (!options->measured)
        return true;
    diags_init(&diags, &run->arena);
    measured_compare(&run->plan, &run->module, options, &diags);
    return messages_diags(&run->messages, &diags, &run->opened.source);
}

static bool decide(struct tagger_run *run, const struct pass_options *options)
{
#ifdef NDEBUG
    bool validate = run->arguments.validate;
#else
    bool validate = true;
#endif
    struct pipeline pipeline = {
        .options = *options,
        .stop_after = run->arguments.stop_after,
        .validate = validate,
        .faults = run->messages.to,
        .threads = run->arguments.threads,
        .keep_facts = run_explains(run) || options->measured,
        .spent = add_pass,
        .context = &run->timing,
    };
    print_after(run, options);
    run->plan = (struct plan){.arena = &run->arena};
    const char *pass = pipeline_run(&pipeline, &run->module, &run->plan);
    return !pass || run_give_up(run, pass);
}

static bool wants_places(const struct arguments *arguments)
{
    return arguments->beside || arguments->reports[REPORT_JSON].wanted ||
           arguments->locations == LOCATIONS_SOURCE;
}

static bool emit(struct tagger_run *run, const struct backend_options *options)
{
    if (run->opened.current) {
        run->tables = &run->opened.tables;
        run->text = run->input.text;
        run->length = run->input.length;
        message_verbose(&run->messages, "the %s in '%s' are those of this run",
                        run->is_object ? "metadata" : "tags", run->input.name);
        return true;
    }
    struct output *output = ARENA_NEW(&run->arena, struct output);
    if (!run_prove(run, output, options))
        return false;
    if (options->passes.measured) {
        changes_find(&output->tables, &run->arena, &run->module, &run->without_profile, &run->plan);
        measured_list(&output->tables, &run->arena, &run->module, &options->passes, &run->plan);
    }
    output->tables.outcomes = run->outcomes;
    if (wants_places(&run->arguments)) {
        places_find(&output->tables, &run->arena, &run->module, &run->arguments.prefixes);
        output->tables.by_source = run->arguments.locations == LOCATIONS_SOURCE;
        timing_end(&run->timing, "places");
    }
    run->tables = &output->tables;
    run->text = output->text;
    run->length = output->length;
    return true;
}

static bool wants_tables(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        if (arguments->requests.v[i].product != PRODUCT_IR &&
            arguments->requests.v[i].product != PRODUCT_MAP &&
            arguments->requests.v[i].product != PRODUCT_DOT &&
            arguments->requests.v[i].product != PRODUCT_DEPFILE)
            return true;
    return false;
}

// Made before the first file is written, because it may fail.
static bool make_object(struct tagger_run *run)
{
    if (!(run->arguments.emit >> PRODUCT_ELF & 1))
        return true;
    const char *error =
        tables_write_elf(&run->object, &run->arena, run->tables, run->text, run->length);
    if (error)
        message_error(&run->messages, "%s", error);
    timing_end(&run->timing, "object");
    return !error;
}

// An object has been opened when it was read. What was decided then was by its options; the PTX in
// it keeps its name unless it is written anew.
static void open_input(struct tagger_run *run, struct backend_options *options)
{
    if (!run->is_object) {
        backend_open(&run->opened, &run->arena, &run->input, options);
        return;
    }
    struct tables *tables = &run->opened.tables;
    run->opened.source = run->input;
    run->opened.current = true;
    options->passes = tables->options;
    struct capability *capability = ARENA_NEW(&run->arena, struct capability);
    if (capability_from_text(capability, &run->arena, tables->capability))
        options->passes.capability = capability;
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (run->arguments.requests.v[i].product == PRODUCT_PTX)
            tables->output.file =
                text_utf8(&run->arena, prefix_map_name(&run->arguments.prefixes, &run->arena,
                                                       options->output_name));
}

// With its tables, an object needs no analysis; its PTX may be in a form that is for reading only.
static bool needs_program(const struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    bool needs = !run->is_object || arguments->print_after || run_explains(run);
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        needs |= arguments->requests.v[i].product == PRODUCT_IR ||
                 arguments->requests.v[i].product == PRODUCT_MAP ||
                 arguments->requests.v[i].product == PRODUCT_DOT;
    return needs;
}

static enum tag_style tag_style(struct tagger_run *run)
{
    return run->arguments.tags >= 0 ? (enum tag_style)run->arguments.tags
                                    : backend_style(&run->arena, &run->input);
}

// A decision with a profile cannot be repeated, and so not explained, without it.
static bool can_explain(const struct tagger_run *run)
{
    bool can = !run->is_object || !*run->opened.tables.profile || !run_explains(run);
    if (!can)
        message_error(&run->messages,
                      "'%s' was made with a profile; remarks and pages need this profile: make "
                      "them of the PTX, with --profile",
                      run->arguments.input);
    return can;
}

// Returns true if no product but these is requested.
static bool are_only(const struct arguments *arguments, unsigned products)
{
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        if (!(products >> arguments->requests.v[i].product & 1))
            return false;
    return true;
}

static int analyse(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    struct backend_options options = {
        .tags = tag_style(run),
        .passes =
            {
                .cost = arguments_cost(arguments),
                .fma = arguments_fma(arguments),
                .reorder = arguments->reorder,
                .block = arguments->block,
                .restrict_parameters = arguments->restrict_parameters,
                .maps = arguments->maps,
                .min_saving = arguments->min_saving,
                .kinds = arguments->kinds,
                .capability = arguments->capability,
            },
        .profiled = arguments->profile != NULL,
        .output_name = arguments_ptx_name(arguments),
        .prefixes = &arguments->prefixes,
        .only_text = are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_IR | 1 << PRODUCT_DOT |
                                             1 << PRODUCT_MAP | 1 << PRODUCT_DEPFILE),
        .undigested =
            are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_TEXT | 1 << PRODUCT_DEPFILE),
    };
    open_input(run, &options);
    if (!can_explain(run))
        return BAD_INPUT;
    if (run->opened.current && run_explains(run))
        run_read_untagged(run);
    timing_end(&run->timing, "read");
    bool good = !needs_program(run) ||
                (run_build(run, &run->opened.source) && take_profile(run, &options.passes) &&
                 decide(run, &options.passes) && compare_profile(run, &options.passes));
    if (!good)
        return BAD_INPUT;
    if (wants_tables(arguments) && !emit(run, &options))
        return BAD_INPUT;
    run_report_remarks(run, &options);
    if (wants_tables(arguments) && !(make_object(run) && run_explain(run, &options)))
        return BAD_INPUT;
    if (arguments->beside && !run_find_differences(run))
        return BAD_INPUT;
    return run_write_all(run);
}

static int strip(struct tagger_run *run)
{
    run->text = backend_strip(&run->arena, &run->input, &run->length);
    timing_end(&run->timing, "strip");
    return run_write_all(run);
}

static int format(struct tagger_run *run)
{
    diags_init(&run->diags, &run->arena);
    ptx_parse(&run->tree, &run->arena, &run->input, &run->diags);
    timing_end(&run->timing, "parse");
    if (!messages_diags(&run->messages, &run->diags, &run->input))
        return BAD_INPUT;
    return run_write_all(run);
}

static int list(struct tagger_run *run)
{
    const char *error;
    FILE *to = output_open(&run->outputs, "-", &error);
    if (!to) {
        message_error(&run->messages, "%s", error);
        return BAD_INPUT;
    }
    bool as_json = run->arguments.reports[REPORT_JSON].wanted;
    bool good =
        container_input_list(&run->messages, &run->arena, run->arguments.input, as_json, to);
    return run_commit(run) && good ? DONE : BAD_INPUT;
}

static bool read_text(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    const char *id, *error = input_read(&run->input, &run->arena, arguments->input, &id);
    run->input.fragment = arguments->fragment;
    if (!error && (arguments->module || arguments->arch)) {
        error = "--module and --arch choose in a program or library: this is PTX text";
        id = "module-choice";
    }
    if (error)
        message_fault(&run->messages, id, "%s", error);
    else
        messages_artifact(&run->messages, run->input.name, run->input.text, run->input.length, -1);
    return !error;
}

static bool read_input(struct tagger_run *run)
{
    if (object_input_is(&run->arena, &run->arguments)) {
        run->is_object =
            object_input_read(&run->messages, &run->arena, &run->input, &run->opened.tables);
        return run->is_object;
    }
    return container_input_is(run->arguments.input)
               ? container_input_read(&run->messages, &run->arena, &run->input)
               : read_text(run);
}

static int process_input(struct tagger_run *run)
{
    timing_end(&run->timing, "read");
    message_verbose(&run->messages, "read %u bytes from '%s'", run->input.length, run->input.name);
    if (run->arguments.overlap >= 0)
        return run_overlap(run);
    if (run->arguments.compare)
        return run_compare(run);
    if (run->arguments.check)
        return run_build(run, &run->input) ? DONE : BAD_INPUT;
    if (run->arguments.format)
        return format(run);
    if (run_is_report(run))
        return run_beside(run);
    return run->arguments.strip ? strip(run) : analyse(run);
}

// Folders of outputs

struct many {
    struct tagger_run *run;
    struct arguments all; // with folders for outputs
};

static bool make_folders(struct tagger_run *run)
{
    for (uint32_t i = 0; i < run->arguments.requests.n; i++) {
        const struct output_request *request = &run->arguments.requests.v[i];
        if (request->suffix && mkdir(request->path, 0777) && errno != EEXIST) {
            message_error(&run->messages, "cannot make the folder '%s': %s", request->path,
                          strerror(errno));
            return false;
        }
    }
    return true;
}

static int process_module(struct many *many, const char *name)
{
    struct tagger_run *run = many->run;
    const char *error = arguments_for_module(&run->arguments, &many->all, &run->arena, name);
    if (error) {
        message_error(&run->messages, "%s", error);
        return BAD_INPUT;
    }
    run->opened = (struct opened){0};
    return process_input(run);
}

// A module that cannot be done does not keep the others from being written.
static bool take_module(void *context, const char *name, const struct source *source)
{
    struct many *many = context;
    if (!source)
        return false;
    many->run->input = *source;
    int status = process_module(many, name);
    // Before what it points to goes.
    outputs_abandon(&many->run->outputs);
    outputs_init(&many->run->outputs, &many->run->arena);
    many->run->arguments = many->all;
    return status == DONE;
}

static bool take_text(struct many *many)
{
    struct tagger_run *run = many->run;
    if (!read_text(run))
        return false;
    const char *slash = strrchr(run->input.name, '/'), *base = slash ? slash + 1 : run->input.name;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    const char *name =
        file_is_standard(run->arguments.input) ? "stdin" : arena_strndup(&run->arena, base, length);
    return take_module(many, name, &run->input);
}

// All modules are reported of in one rule.
static bool finish_depfile(struct tagger_run *run)
{
    if (!run_check_rule(run))
        return false;
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (run->arguments.requests.v[i].product == PRODUCT_DEPFILE &&
            !run_write(run, &run->arguments.requests.v[i]))
            return false;
    return run_commit(run);
}

static int process_folder(struct tagger_run *run)
{
    struct many many = {run, run->arguments};
    if (!make_folders(run))
        return BAD_INPUT;
    bool good =
        container_input_is(run->arguments.input)
            ? container_input_each(&run->messages, &run->whole, &run->arena, take_module, &many)
            : take_text(&many);
    return good && finish_depfile(run) ? DONE : BAD_INPUT;
}

static int process(struct tagger_run *run)
{
    if (run->arguments.list)
        return list(run);
    if (run->arguments.in_folders)
        return process_folder(run);
    return read_input(run) ? process_input(run) : BAD_INPUT;
}

// Requests of information instead of a run

// The whole pipeline, from the input to the outputs.
static void print_passes(FILE *to)
{
    static const char row[] = "%-8s  %s\n";
    fprintf(to, row, "open", "find the PTX in a text, object, program or library");
    for (const struct read_stage *stage = read_stages; stage->name; stage++)
        fprintf(to, row, stage->name, stage->what);
    for (const struct pass *pass = passes; pass->name; pass++)
        fprintf(to, row, pass->name, pass->what);
    fprintf(to, row, "emit", "edit a copy of the text, make the metadata tables");
    fprintf(to, row, "verify", "prove plan and output against the input; leave out the rest");
    fprintf(to, row, "write", "write all outputs, then rename them into place");
}

static int print_only(struct tagger_run *run)
{
    const char *error;
    FILE *to = output_open(&run->outputs, "-", &error);
    if (!to) {
        message_error(&run->messages, "%s", error);
        return BAD_INPUT;
    }
    if (run->arguments.help)
        options_help(&ptxoffload_command, to);
    else if (run->arguments.help_warnings)
        warnings_help(to);
    else if (run->arguments.version)
        options_version(&ptxoffload_command, to);
    else
        print_passes(to);
    return run_commit(run) ? DONE : BAD_INPUT;
}

// A file that an option names, as a text; NULL, after saying why, if it cannot be read.
static struct source *read_file(struct tagger_run *run, const char *path)
{
    struct file_text file;
    const char *error = file_read(&run->whole, path, &file);
    if (error) {
        message_error(&run->messages, "cannot read '%s': %s", path, error);
        return NULL;
    }
    struct source *source = ARENA_NEW(&run->whole, struct source);
    source_init(source, &run->whole, path, file.text, file.length);
    return source;
}

static bool read_profile(struct tagger_run *run)
{
    struct arguments *arguments = &run->arguments;
    if (arguments->profile_path)
        arguments->profile = read_file(run, arguments->profile_path);
    return !arguments->profile_path || arguments->profile;
}

static bool read_capability(struct tagger_run *run)
{
    struct arguments *arguments = &run->arguments;
    struct diags diags;
    if (!arguments->capability_path)
        return true;
    struct source *source = read_file(run, arguments->capability_path);
    if (!source)
        return false;
    struct capability *capability = ARENA_NEW(&run->whole, struct capability);
    diags_init(&diags, &run->whole);
    arguments->capability = capability;
    capability_read(capability, &run->whole, source, &diags);
    return messages_diags(&run->messages, &diags, source);
}

static void note_sources(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    const char *const paths[] = {arguments->input, arguments->capability_path,
                                 arguments->profile_path, arguments->beside};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i] && !file_is_standard(paths[i]))
            vec_push(&run->whole, &run->sources, depfile_quote(&run->whole, paths[i]));
}

static int run_all(struct tagger_run *run, int argc, char **argv)
{
    if (!arguments_read(&run->arguments, &run->whole, argc, argv, stderr))
        return BAD_USAGE;
    messages_init(&run->messages, ptxoffload_command.name, &run->arguments, &run->log);
    timing_init(&run->timing, &run->whole);
    const struct arguments *arguments = &run->arguments;
    if (arguments_only_print(arguments))
        return print_only(run);
    run->memory.limit = arguments->max_memory;
    if (!messages_begin(&run->messages, &run->whole))
        return BAD_INPUT;
    note_sources(run);
    int status = read_capability(run) && read_profile(run) ? process(run) : BAD_INPUT;
    outputs_abandon(&run->outputs);
    if (arguments->time_passes)
        timing_print(&run->timing, run->messages.to);
    message_verbose(&run->messages, "%zu KiB of memory at most", run->memory.peak >> 10);
    return status;
}

static int out_of_memory(struct tagger_run *run, int argc, char **argv)
{
    outputs_abandon(&run->outputs);
    // Not again if telling what was wrong is what it ran out in.
    if (run->out_of_memory)
        return BAD_INPUT;
    run->out_of_memory = true;
    message_memory(&run->messages, &run->memory);
    return messages_end(&run->messages, argc, argv, BAD_INPUT);
}

static int work(struct tagger_run *run, int argc, char **argv)
{
    if (setjmp(run->memory.on_failure))
        return out_of_memory(run, argc, argv);
    return messages_end(&run->messages, argc, argv, run_all(run, argc, argv));
}

int main(int argc, char **argv)
{
    struct tagger_run run = {0};
    input_open_standard();
    // A line at a time: excerpts are written letter by letter.
    setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
    arena_init(&run.whole, &run.memory);
    arena_init(&run.arena, &run.memory);
    outputs_init(&run.outputs, &run.arena);
    outputs_init(&run.log.outputs, &run.whole);
    messages_init(&run.messages, ptxoffload_command.name, &run.arguments, &run.log);
    interrupt_remove(&run.outputs, &run.log.outputs);
    int status = work(&run, argc, argv);
    memory_free(&run.memory);
    return status;
}
