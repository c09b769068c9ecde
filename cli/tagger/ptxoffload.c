// ptxoffload: reads PTX, decides what could run near the data, and writes what was requested.
#include "backend/emit/text.h"
#include "cli/common/input.h"
#include "cli/tagger/machine.h"
#include "passes/base/capability.h"
#include "support/file.h"
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The tagger's reports

static bool report(void *context, struct diags *diags, const struct source *source)
{
    struct tagger_invocation *run = context;
    return messages_diags(&run->frame.messages, diags, source);
}

static void end_step(void *context, const char *name)
{
    struct tagger_invocation *run = context;
    timing_end(&run->timing, name);
}

static void add_pass(void *context, const char *name, double seconds)
{
    struct tagger_invocation *run = context;
    timing_add(&run->timing, name, seconds);
}

static bool tag(struct tagger_invocation *run, struct source *source,
                const struct tagger_options *options)
{
    const struct tagger_callbacks callbacks = {
        .context = run, .report = report, .step = end_step, .spent = add_pass};
    bool good = tagger_process(&run->tagging, &run->arena, source, options, &callbacks);
    uint32_t functions = run->tagging.module.functions.n;
    if (options->goal >= TAGGER_PROGRAM)
        message_verbose(&run->frame.messages, "%u function%s", functions,
                        functions == 1 ? "" : "s");
    return good;
}

bool tag_read(struct tagger_invocation *run, struct source *source)
{
    const struct tagger_options options = {.goal = TAGGER_PROGRAM,
                                           .as_is = true,
                                           .threads = run->arguments.threads,
                                           .only_check = run->arguments.check};
    return tag(run, source, &options);
}

static bool wants_locations(const struct arguments *arguments)
{
    return arguments->beside || arguments->common.reports[REPORT_JSON].wanted ||
           arguments->common.locations == LOCATIONS_SOURCE;
}

// Adopts the tables and the text that the tagger has made.
static void adopt_output(struct tagger_invocation *run)
{
    const struct tagging *t = &run->tagging;
    run->tables = t->tables;
    run->text = t->text;
    run->length = t->length;
    if (t->opened.current)
        message_verbose(&run->frame.messages, "the %s in '%s' are those of this run",
                        run->is_object ? "metadata" : "tags", run->input.name);
    else if (t->proof.statements && !t->proof.list.n)
        message_verbose(&run->frame.messages,
                        "proved that the output is equivalent to the input: %llu statements, %llu "
                        "of them moved",
                        (unsigned long long)t->proof.statements,
                        (unsigned long long)t->proof.moved);
}

static bool wants_tables(const struct arguments *arguments)
{
    if (arguments->embedded)
        return true;
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        if (arguments->requests.v[i].product != PRODUCT_IR &&
            arguments->requests.v[i].product != PRODUCT_MAP &&
            arguments->requests.v[i].product != PRODUCT_DOT &&
            arguments->requests.v[i].product != PRODUCT_DEPFILE)
            return true;
    return false;
}

// Makes the object before the first file is written, because this may fail.
static bool make_object(struct tagger_invocation *run)
{
    if (!(run->arguments.emit >> PRODUCT_ELF & 1))
        return true;
    const char *error =
        tables_write_elf(&run->object, &run->arena, run->tables, run->text, run->length);
    if (error)
        message_error(&run->frame.messages, "%s", error);
    timing_end(&run->timing, "object");
    return !error;
}

// Sets the output's name in the tables of an object, if its PTX is written; otherwise the name is
// kept.
static void name_output(struct tagger_invocation *run, const char *name)
{
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (run->arguments.requests.v[i].product == PRODUCT_PTX)
            run->known.output.file = text_utf8(
                &run->arena, prefix_map_name(&run->arguments.common.prefixes, &run->arena, name));
}

// Returns true if the program must be analysed. An object has its tables, and its PTX may have tags
// that cannot be read back.
static bool needs_program(const struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    bool needs = !run->is_object || arguments->print_after || tag_explains(run);
    for (uint32_t i = 0; i < arguments->requests.n; i++)
        needs |= arguments->requests.v[i].product == PRODUCT_IR ||
                 arguments->requests.v[i].product == PRODUCT_MAP ||
                 arguments->requests.v[i].product == PRODUCT_DOT;
    return needs;
}

static enum tag_style tag_style(struct tagger_invocation *run)
{
    return run->arguments.tags >= 0 ? (enum tag_style)run->arguments.tags
                                    : backend_style(&run->arena, &run->input);
}

// Returns false after reporting that decisions with a profile cannot be explained: without the
// profile they cannot be repeated.
static bool can_explain(const struct tagger_invocation *run)
{
    bool can = !run->is_object || !*run->known.profile || !tag_explains(run);
    if (!can)
        message_error(&run->frame.messages,
                      "'%s' was made with a profile; remarks and pages need this profile: generate "
                      "them from the PTX, with --profile",
                      run->arguments.common.input);
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

static struct backend_options output_options(struct tagger_invocation *run)
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
        .output_name = arguments->embedded ? run->input.name : arguments_ptx_name(arguments),
        .prefixes = &arguments->common.prefixes,
        .only_text = are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_IR | 1 << PRODUCT_DOT |
                                             1 << PRODUCT_MAP | 1 << PRODUCT_DEPFILE),
        .undigested =
            are_only(arguments, 1 << PRODUCT_PTX | 1 << PRODUCT_TEXT | 1 << PRODUCT_DEPFILE),
    };
}

int tag_analyse(struct tagger_invocation *run)
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
        .explains = tag_explains(run),
        .validate = arguments->validate,
        .unverified = !arguments->verify,
        .has_locations = wants_locations(arguments),
        .by_source = arguments->common.locations == LOCATIONS_SOURCE,
        .print_after = arguments->print_after,
        .stop_after = arguments->stop_after,
        .to = run->frame.messages.to,
    };
    if (!can_explain(run))
        return BAD_INPUT;
    if (run->is_object)
        name_output(run, options.output.output_name);
    if (!tag(run, &run->input, &options))
        return BAD_INPUT;
    if (wants_tables(arguments))
        adopt_output(run);
    tag_report_remarks(run);
    if (wants_tables(arguments) && !(make_object(run) && tag_explain(run)))
        return BAD_INPUT;
    if (arguments->beside && !tag_find_differences(run))
        return BAD_INPUT;
    return tag_write_all(run);
}

// Decides, and prints the placement of the chains.
static int decide_and_place(struct tagger_invocation *run)
{
    const struct tagger_options options = {.output = output_options(run),
                                           .goal = TAGGER_PLAN,
                                           .profile = run->arguments.profile,
                                           .explains = true,
                                           .threads = 1};
    if (!tag(run, &run->input, &options))
        return BAD_INPUT;
    return tag_placement(run, &options.output.passes);
}

static int strip(struct tagger_invocation *run)
{
    run->text = backend_strip(&run->arena, &run->input, &run->length);
    timing_end(&run->timing, "strip");
    return tag_write_all(run);
}

static int format(struct tagger_invocation *run)
{
    struct diags diags;
    diags_init(&diags, &run->arena);
    ptx_parse(&run->tagging.tree, &run->arena, &run->input, &diags);
    timing_end(&run->timing, "parse");
    if (!messages_diags(&run->frame.messages, &diags, &run->input))
        return BAD_INPUT;
    return tag_write_all(run);
}

static int list(struct tagger_invocation *run)
{
    FILE *to = frame_open(&run->frame, "-");
    if (!to)
        return BAD_INPUT;
    bool as_json = run->arguments.common.reports[REPORT_JSON].wanted;
    bool good = container_input_list(&run->frame.messages, &run->arena, run->arguments.common.input,
                                     as_json, to);
    return good ? frame_commit(&run->frame, DONE) : BAD_INPUT;
}

static bool is_tagged_as(struct arena *arena, const struct source *ptx, enum tag_style style)
{
    struct tags tags;
    tags_find(&tags, arena, ptx);
    return tags.list.n ? tags_are(&tags, style) : style == TAGS_NONE || style == TAGS_PAPER;
}

// Returns an option that differs from those with which the object was made, or NULL. Options that
// were not given do not differ.
static const char *other_option(struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    const struct tables *tables = &run->known;
    const struct pass_options *made = &tables->options;
    if (!arguments->reorder && made->reorder)
        return "--no-reorder";
    if (arguments->cost >= 0 && arguments->cost != (int)made->cost)
        return "this --cost";
    if (arguments->fma >= 0 && arguments->fma != (int)made->fma)
        return "this --fma";
    if (shape_is_known(&arguments->block) &&
        memcmp(&arguments->block, &made->block, sizeof made->block))
        return "this --block";
    if (arguments->restrict_parameters && !made->restrict_parameters)
        return "--restrict";
    if (arguments->capability && strcmp(arguments->capability->text, tables->capability) != 0)
        return arguments->machine ? "this --machine" : "this --capability";
    if (arguments->min_saving && (!made->min_saving || *arguments->min_saving != *made->min_saving))
        return "this --min-saving";
    if (arguments->kinds && arguments->kinds != made->kinds)
        return "this --candidates";
    if (arguments->profile_path)
        return "this --profile";
    if (arguments->tags >= 0 &&
        !is_tagged_as(&run->arena, &run->input, (enum tag_style)arguments->tags))
        return "--tags";
    return NULL;
}

static bool read_input(struct tagger_invocation *run)
{
    const char *input = run->arguments.common.input, *option = NULL;
    if (!input_read(&run->frame.messages, &run->arena, &run->input, &run->known, &run->is_object))
        return false;
    run->input.fragment = run->arguments.fragment && !container_input_is(input);
    if (run->is_object)
        option = other_option(run);
    if (option)
        message_error(&run->frame.messages,
                      "'%s' was made without %s and is used unchanged; with --module=0 its PTX is "
                      "analysed again",
                      input, option);
    return !option;
}

static int process_input(struct tagger_invocation *run)
{
    timing_end(&run->timing, "read");
    message_verbose(&run->frame.messages, "read %u bytes from '%s'", run->input.length,
                    run->input.name);
    if (run->arguments.overlap)
        return tag_overlap(run);
    if (run->arguments.placement)
        return decide_and_place(run);
    if (run->arguments.compare)
        return tag_compare(run);
    if (run->arguments.check)
        return tag_read(run, &run->input) ? DONE : BAD_INPUT;
    if (run->arguments.format)
        return format(run);
    if (tag_is_report(run))
        return tag_beside(run);
    return run->arguments.strip ? strip(run) : tag_analyse(run);
}

// Folders of outputs

struct many {
    struct tagger_invocation *run;
    struct arguments all; // all arguments; outputs are folders
};

static bool make_folders(struct tagger_invocation *run)
{
    for (uint32_t i = 0; i < run->arguments.requests.n; i++) {
        const struct output_request *request = &run->arguments.requests.v[i];
        if (request->suffix && mkdir(request->path, 0777) && errno != EEXIST) {
            message_error(&run->frame.messages, "cannot make the folder '%s': %s", request->path,
                          strerror(errno));
            return false;
        }
    }
    return true;
}

static int process_module(struct many *many, const char *name)
{
    struct tagger_invocation *run = many->run;
    const char *error = arguments_for_module(&run->arguments, &many->all, &run->arena, name);
    if (error) {
        message_error(&run->frame.messages, "%s", error);
        return BAD_INPUT;
    }
    return process_input(run);
}

// Processes one module. A failing module does not stop the others.
static bool accept_module(void *context, const char *name, const struct source *source)
{
    struct many *many = context;
    if (!source)
        return false;
    many->run->input = *source;
    int status = process_module(many, name);
    // Abandon the outputs before the memory that they use is freed.
    outputs_abandon(&many->run->frame.outputs);
    outputs_init(&many->run->frame.outputs, &many->run->arena);
    many->run->arguments = many->all;
    return status == DONE;
}

static bool process_text(struct many *many)
{
    struct tagger_invocation *run = many->run;
    if (!read_input(run))
        return false;
    const char *slash = strrchr(run->input.name, '/'), *base = slash ? slash + 1 : run->input.name;
    const char *dot = strrchr(base, '.');
    size_t length = dot && dot != base ? (size_t)(dot - base) : strlen(base);
    const char *name = file_is_standard(run->arguments.common.input)
                           ? "stdin"
                           : arena_strndup(&run->arena, base, length);
    return accept_module(many, name, &run->input);
}

// Writes the depfile: one rule lists all modules.
static bool finish_depfile(struct tagger_invocation *run)
{
    if (!tag_check_rule(run))
        return false;
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (run->arguments.requests.v[i].product == PRODUCT_DEPFILE &&
            !tag_write(run, &run->arguments.requests.v[i]))
            return false;
    return frame_commit(&run->frame, DONE) == DONE;
}

static int process_folder(struct tagger_invocation *run)
{
    struct many many = {run, run->arguments};
    if (!make_folders(run))
        return BAD_INPUT;
    bool good = container_input_is(run->arguments.common.input)
                    ? container_input_each(&run->frame.messages, &run->frame.arena, &run->arena,
                                           accept_module, &many)
                    : process_text(&many);
    return good && finish_depfile(run) ? DONE : BAD_INPUT;
}

static int process(struct tagger_invocation *run)
{
    if (run->arguments.list)
        return list(run);
    if (run->arguments.in_folders)
        return process_folder(run);
    return read_input(run) ? process_input(run) : BAD_INPUT;
}

// Topics

// Prints the whole pipeline, from the input to the outputs.
static bool print_passes(void *own, FILE *to)
{
    (void)own;
    tagger_print_stages(to);
    fputs("write     write all outputs, then rename them into place\n", to);
    return true;
}

static bool print_warnings(void *own, FILE *to)
{
    (void)own;
    warnings_help(to);
    return true;
}

struct source *tag_read_file(struct tagger_invocation *run, struct arena *arena, const char *path)
{
    struct file_text file;
    const char *error = file_read(arena, path, &file);
    if (error) {
        message_error(&run->frame.messages, "cannot read '%s': %s", path, error);
        return NULL;
    }
    struct source *source = ARENA_NEW(arena, struct source);
    source_init(source, arena, path, file.text, file.length);
    return source;
}

static bool read_profile(struct tagger_invocation *run)
{
    struct arguments *arguments = &run->arguments;
    if (arguments->profile_path)
        arguments->profile = tag_read_file(run, &run->frame.arena, arguments->profile_path);
    return !arguments->profile_path || arguments->profile;
}

// Says which keys of --capability replace those of the machine.
static void note_replaced(struct tagger_invocation *run, const struct capability *machine,
                          const struct capability *capability)
{
    const char *text = capability_differences(&run->frame.arena, capability, machine);
    if (run->arguments.machine && *text)
        message_note(&run->frame.messages, "--capability replaces values of --machine=%s: %s",
                     run->arguments.machine, text);
}

// Applies the machine first, so that the file replaces its values.
static bool read_capability(struct tagger_invocation *run)
{
    struct arguments *arguments = &run->arguments;
    struct capability machine = capability_usual;
    struct diags diags;
    if (!arguments->capability_path && !arguments->machine)
        return true;
    struct capability *capability = ARENA_NEW(&run->frame.arena, struct capability);
    arguments->capability = capability;
    if (arguments->machine && !tag_set_machine(run, &machine))
        return false;
    *capability = machine;
    if (!arguments->capability_path)
        return true;
    struct source *source = tag_read_file(run, &run->frame.arena, arguments->capability_path);
    if (!source)
        return false;
    diags_init(&diags, &run->frame.arena);
    capability_read(capability, &run->frame.arena, source, &diags);
    note_replaced(run, &machine, capability);
    return messages_diags(&run->frame.messages, &diags, source);
}

static void note_source(void *context, const char *path, const char *option)
{
    struct tagger_invocation *run = context;
    // A machine is a name, or has files of its own: tag_set_machine adds them.
    if (!file_is_standard(path) && !(option && !strcmp(option, "--machine")))
        vec_push(&run->frame.arena, &run->sources, depfile_quote(&run->frame.arena, path));
}

bool tag_read_files(struct tagger_invocation *run)
{
    return read_capability(run) && read_profile(run);
}

static int run_all(void *own)
{
    struct tagger_invocation *run = own;
    const struct arguments *arguments = &run->arguments;
    timing_init(&run->timing, &run->frame.arena);
    arena_init(&run->arena, &run->frame.memory);
    outputs_init(&run->frame.outputs, &run->arena);
    run->frame.log.findings.remarks = arguments->remarks;
    note_source(run, arguments->common.input, NULL);
    options_files(&ptxoffload_command, arguments, false, note_source, run);
    int status = tag_read_files(run) ? process(run) : BAD_INPUT;
    outputs_abandon(&run->frame.outputs);
    if (arguments->time_passes)
        timing_print(&run->timing, run->frame.messages.to);
    message_verbose(&run->frame.messages, "at most %zu KiB of memory",
                    run->frame.memory.peak >> 10);
    return status;
}

static const struct topic topics[] = {
    TOPIC_OF_HELP(0, false, print_warnings),
    {.flag = offsetof(struct arguments, print_passes), .print = print_passes},
    {0},
};

const struct cli_program ptxoffload_program = {
    .command = &ptxoffload_command,
    .size = sizeof(struct tagger_invocation),
    .options = offsetof(struct tagger_invocation, arguments),
    .topics = topics,
    .set_defaults = arguments_default,
    .check = arguments_check,
    .run = run_all,
};
