// ptxoffload: reads PTX, decides what could run near the data, and writes what was requested.
#include "backend/text.h"
#include "cli/tagger/options.h"
#include "cli/common/container_input.h"
#include "cli/common/input.h"
#include "cli/common/interrupt.h"
#include "cli/common/object_input.h"
#include "cli/tagger/run.h"
#include "passes/base/capability.h"
#include "support/file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The tagger's reports

static bool report(void *context, struct diags *diags, const struct source *source)
{
    struct tagger_run *run = context;
    return messages_diags(&run->messages, diags, source);
}

static void end_step(void *context, const char *name)
{
    struct tagger_run *run = context;
    timing_end(&run->timing, name);
}

static void add_pass(void *context, const char *name, double seconds)
{
    struct tagger_run *run = context;
    timing_add(&run->timing, name, seconds);
}

static bool tag(struct tagger_run *run, struct source *source, const struct tagger_options *options)
{
    const struct tagger_client client = {
        .context = run, .report = report, .step = end_step, .spent = add_pass};
    bool good = tagger_run(&run->tagging, &run->arena, source, options, &client);
    uint32_t functions = run->tagging.module.functions.n;
    if (options->goal >= TAGGER_PROGRAM)
        message_verbose(&run->messages, "%u function%s", functions, functions == 1 ? "" : "s");
    return good;
}

bool run_read(struct tagger_run *run, struct source *source)
{
    const struct tagger_options options = {.goal = TAGGER_PROGRAM,
                                           .as_is = true,
                                           .threads = run->arguments.threads,
                                           .only_check = run->arguments.check};
    return tag(run, source, &options);
}

static bool wants_places(const struct arguments *arguments)
{
    return arguments->beside || arguments->reports[REPORT_JSON].wanted ||
           arguments->locations == LOCATIONS_SOURCE;
}

// Takes the tables and the text that the tagger has made.
static void take_output(struct tagger_run *run)
{
    const struct tagging *t = &run->tagging;
    run->tables = t->tables;
    run->text = t->text;
    run->length = t->length;
    if (t->opened.current)
        message_verbose(&run->messages, "the %s in '%s' are those of this run",
                        run->is_object ? "metadata" : "tags", run->input.name);
    else if (t->proof.statements && !t->proof.list.n)
        message_verbose(&run->messages,
                        "proved that the output is equivalent to the input: %llu statements, %llu "
                        "of them moved",
                        (unsigned long long)t->proof.statements,
                        (unsigned long long)t->proof.moved);
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

// The PTX in an object keeps its name unless it is written anew.
static void name_output(struct tagger_run *run, const char *name)
{
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (run->arguments.requests.v[i].product == PRODUCT_PTX)
            run->known.output.file = text_utf8(
                &run->arena, prefix_map_name(&run->arguments.prefixes, &run->arena, name));
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
    bool can = !run->is_object || !*run->known.profile || !run_explains(run);
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

static struct backend_options output_options(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    return (struct backend_options){
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
        .output_name = arguments_ptx_name(arguments),
        .prefixes = &arguments->prefixes,
        .only_text = are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_IR | 1 << PRODUCT_DOT |
                                             1 << PRODUCT_MAP | 1 << PRODUCT_DEPFILE),
        .undigested =
            are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_TEXT | 1 << PRODUCT_DEPFILE),
    };
}

static int analyse(struct tagger_run *run)
{
    const struct arguments *arguments = &run->arguments;
    const struct tagger_options options = {
        .output = output_options(run),
        .goal = !needs_program(run)       ? TAGGER_INPUT
                : wants_tables(arguments) ? TAGGER_OUTPUT
                                          : TAGGER_PLAN,
        .known = run->is_object ? &run->known : NULL,
        .profile = arguments->profile,
        .threads = arguments->threads,
        .explains = run_explains(run),
        .validate = arguments->validate,
        .unverified = !arguments->verify,
        .has_places = wants_places(arguments),
        .by_source = arguments->locations == LOCATIONS_SOURCE,
        .print_after = arguments->print_after,
        .stop_after = arguments->stop_after,
        .to = run->messages.to,
    };
    if (!can_explain(run))
        return BAD_INPUT;
    if (run->is_object)
        name_output(run, options.output.output_name);
    if (!tag(run, &run->input, &options))
        return BAD_INPUT;
    if (wants_tables(arguments))
        take_output(run);
    run_report_remarks(run);
    if (wants_tables(arguments) && !(make_object(run) && run_explain(run)))
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
    struct diags diags;
    diags_init(&diags, &run->arena);
    ptx_parse(&run->tagging.tree, &run->arena, &run->input, &diags);
    timing_end(&run->timing, "parse");
    if (!messages_diags(&run->messages, &diags, &run->input))
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
        run->is_object = object_input_read(&run->messages, &run->arena, &run->input, &run->known);
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
        return run_read(run, &run->input) ? DONE : BAD_INPUT;
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
    tagger_print_stages(to);
    fputs("write     write all outputs, then rename them into place\n", to);
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
