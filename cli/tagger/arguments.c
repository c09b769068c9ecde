#include "cli/tagger/arguments.h"
#include "cli/tagger/arguments.h"
#include "support/file.h"
#include "support/output.h"
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct argument_reader {
    struct arguments *arguments;
    struct arena *arena;
    struct command_line *line;
};

// Suffixes of files that the command line does not name.
static const char *const suffixes[PRODUCTS] = {
    [PRODUCT_PTX] = ".ptx",          [PRODUCT_META] = ".json",
    [PRODUCT_ELF] = ".elf",          [PRODUCT_IR] = ".ir",
    [PRODUCT_DOT] = ".dot",          [PRODUCT_MAP] = ".map.yaml",
    [PRODUCT_TEXT] = ".report.txt",  [PRODUCT_JSON] = ".report.json",
    [PRODUCT_HTML] = ".report.html", [PRODUCT_DEPFILE] = ".d",
};

static bool is_folder(const char *path)
{
    struct stat status;
    size_t length = strlen(path);
    return (length && path[length - 1] == '/') || (!stat(path, &status) && S_ISDIR(status.st_mode));
}

static void request_output(struct argument_reader *r, enum command_product product,
                           const char *path, const char *option)
{
    bool in_folder = path && product != PRODUCT_DEPFILE && is_folder(path);
    struct output_request made = {product, path, option, in_folder ? suffixes[product] : NULL};
    vec_push(r->arena, &r->arguments->requests, made);
    r->arguments->in_folders |= in_folder;
}

static bool writes_standard_output(const struct arguments *arguments)
{
    const char *log = arguments->common.diagnostics.path;
    if (log && file_is_standard(log))
        return true;
    for (uint32_t i = 0; i < arguments->requests.n; i++) {
        const char *path = arguments->requests.v[i].path;
        if (path && file_is_standard(path))
            return true;
    }
    return false;
}

// Outputs

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *file_in(struct arena *arena, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    return arena_printf(arena, "%s%s%s", folder, folder[length - 1] == '/' ? "" : "/", name);
}

static const char *replace_suffix(struct arena *arena, const char *path, const char *suffix)
{
    const char *base = base_name(path);
    const char *dot = strrchr(base, '.');
    // The dot of a hidden file starts no suffix.
    size_t length = dot && dot != base ? (size_t)(dot - path) : strlen(path);
    return arena_printf(arena, "%.*s%s", (int)length, path, suffix);
}

static void request_emitted(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    if (!a->output) {
        options_fault(r->line, "--emit needs -o OUT: its suffix is replaced for each output");
        return;
    }
    // Standard output and devices have no suffix. In a folder, files named after the modules get
    // one.
    bool as_it_is =
        file_is_standard(a->output) || output_is_special(a->output) || is_folder(a->output);
    if (as_it_is && !is_folder(a->output) && (a->emit & (a->emit - 1))) {
        options_fault(r->line, "--emit of several outputs needs a file for -o, not '%s'",
                      a->output);
        return;
    }
    for (unsigned product = 0; product < PRODUCT_EMITTED; product++)
        if (a->emit >> product & 1)
            request_output(r, product,
                           as_it_is ? a->output
                                    : replace_suffix(r->arena, a->output, suffixes[product]),
                           "--emit");
}

static void request_reports(struct argument_reader *r)
{
    static const enum command_product products[] = {
        [REPORT_TEXT] = PRODUCT_TEXT,
        [REPORT_JSON] = PRODUCT_JSON,
        [REPORT_HTML] = PRODUCT_HTML,
    };
    const char *otherwise = writes_standard_output(r->arguments) ? NULL : "-";
    for (int format = 0; format < REPORT_FORMATS; format++) {
        const struct format_request *report = &r->arguments->common.reports[format];
        if (report->wanted)
            request_output(r, products[format], report->path ? report->path : otherwise,
                           "--report");
    }
}

// Returns the path next to the first file that is written; in a folder, it is named after the
// input. Returns NULL without such a file.
static const char *default_depfile(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    for (uint32_t i = 0; i < a->requests.n; i++) {
        const struct output_request *made = &a->requests.v[i];
        if (made->suffix && !file_is_standard(a->common.input))
            return replace_suffix(r->arena,
                                  file_in(r->arena, made->path, base_name(a->common.input)),
                                  suffixes[PRODUCT_DEPFILE]);
        if (!made->suffix && made->path && !file_is_standard(made->path))
            return replace_suffix(r->arena, made->path, suffixes[PRODUCT_DEPFILE]);
    }
    return NULL;
}

static void request_depfile(struct argument_reader *r)
{
    struct arguments *a = r->arguments;
    if (!a->depfile.wanted) {
        if (a->depfile.path || a->depfile.names.list.n || a->depfile.phony)
            options_fault(r->line, "-MF, -MT, -MQ and -MP need -MD");
        return;
    }
    if (!a->depfile.path)
        a->depfile.path = default_depfile(r);
    if (a->depfile.path)
        request_output(r, PRODUCT_DEPFILE, a->depfile.path, "-MD");
    else
        options_fault(r->line, "-MD needs a file: -o OUT, or -MF FILE");
}

static bool wants_report(const struct arguments *arguments)
{
    for (int format = 0; format < REPORT_FORMATS; format++)
        if (arguments->common.reports[format].wanted)
            return true;
    return false;
}

static void collect_requests(struct argument_reader *r)
{
    struct arguments *a = r->arguments;
    if (a->emit)
        request_emitted(r);
    else if (a->output)
        request_output(r, PRODUCT_PTX, a->output, "-o");
    if (a->metadata)
        request_output(r, PRODUCT_META, a->metadata, "--metadata");
    if (a->beside && !wants_report(a))
        a->common.reports[REPORT_TEXT].wanted = true;
    // Files first: a report without one depends on whether standard output is used.
    if (!a->requests.n && !wants_report(a) && !a->remarks && !a->common.quiet && !a->embedded)
        a->common.reports[REPORT_TEXT].wanted = true;
    request_reports(r);
    request_depfile(r);
}

// Checks

// Returns the file of a request; in a folder, the one for a module with this name.
static const char *file_of(struct arena *arena, const struct output_request *request,
                           const char *name)
{
    if (!request->suffix)
        return request->path;
    return file_in(arena, request->path, arena_printf(arena, "%s%s", name, request->suffix));
}

static void check_folders(struct argument_reader *r, const struct output_request *one,
                          const struct output_request *other)
{
    const char *anywhere = "NAME";
    if (!strcmp(file_of(r->arena, one, anywhere), file_of(r->arena, other, anywhere)))
        options_fault(r->line, "%s and %s both write NAME%s in '%s'", one->option, other->option,
                      one->suffix, one->path);
}

static void check_same(struct argument_reader *r, const struct output_request *a,
                       const struct output_request *b)
{
    if (a->suffix && b->suffix)
        check_folders(r, a, b);
    if (a->suffix || b->suffix)
        return;
    if (!a->path && !b->path)
        options_fault(r->line, "two reports go to standard error: give one of them a file");
    if (!a->path || !b->path || !output_same(r->arena, a->path, b->path))
        return;
    if (file_is_standard(a->path))
        options_fault(r->line, "%s and %s both write to standard output", a->option, b->option);
    else
        options_fault(r->line, "%s and %s both write '%s'", a->option, b->option, b->path);
}

// Checks that all outputs are folders if one is, because the input may have several modules.
// Reports in text form may follow each other.
static void check_is_folder(struct argument_reader *r, const struct output_request *made)
{
    bool many = made->suffix || made->product == PRODUCT_DEPFILE ||
                (made->product == PRODUCT_TEXT && (!made->path || file_is_standard(made->path))) ||
                (made->path && output_is_special(made->path));
    if (r->arguments->in_folders && !many)
        options_fault(r->line, "%s needs a folder, such as %s/, because another output is a folder",
                      made->option,
                      made->path && !file_is_standard(made->path) ? made->path : "out");
}

struct overwritten {
    struct arena *arena;
    const char *option, *path; // the file that is written
    const char *wrong;
};

static void add_read(void *context, const char *path, const char *option)
{
    struct overwritten *o = context;
    if (!o->wrong && output_same(o->arena, path, o->path))
        o->wrong = arena_printf(o->arena, "%s would overwrite '%s', which %s reads", o->option,
                                path, option);
}

// Returns a sentence if the option's file is one that is read, or NULL. Only a PTX text may replace
// the one that it was made from.
static const char *overwrites(struct arena *arena, const struct arguments *a, const char *option,
                              const char *path, bool in_place)
{
    struct overwritten o = {arena, option, path, NULL};
    if (!path || file_is_standard(path))
        return NULL;
    if (!in_place && output_same(arena, a->common.input, path))
        return arena_printf(arena, "%s would overwrite the input '%s'", option, a->common.input);
    options_files(&ptxoffload_command, a, false, add_read, &o);
    return o.wrong;
}

static void check_overwrites(struct argument_reader *r, const struct output_request *made)
{
    const char *wrong = made->suffix ? NULL
                                     : overwrites(r->arena, r->arguments, made->option, made->path,
                                                  made->product == PRODUCT_PTX);
    if (wrong)
        options_fault(r->line, "%s", wrong);
}

static void check_outputs(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    for (uint32_t i = 0; i < a->requests.n; i++) {
        const struct output_request *made = &a->requests.v[i];
        check_is_folder(r, made);
        for (uint32_t j = 0; j < i; j++)
            check_same(r, &a->requests.v[j], made);
        check_overwrites(r, made);
    }
}

// Checks --strip and --format, which write PTX and nothing else.
static void check_rewrite(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    const char *option = a->strip ? "--strip" : "--format";
    bool other = a->emit & ~(1u << PRODUCT_PTX);
    if (a->strip && a->format)
        options_fault(r->line, "--strip and --format exclude each other");
    else if (!a->output)
        options_fault(r->line, "%s needs -o OUT", option);
    else if (a->metadata || other || wants_report(a))
        options_fault(r->line, "%s does no analysis: it excludes --metadata, --report and --emit",
                      option);
    else if (a->remarks)
        options_fault(r->line, "%s does no analysis: it excludes --remarks", option);
}

static void check_operands(struct argument_reader *r)
{
    const struct command_line *line = r->line;
    if (!line->operands.n) {
        options_fault(r->line, "missing input file");
        options_usage(line->command, line->errors);
        return;
    }
    r->arguments->common.input = line->operands.v[0];
    for (uint32_t i = 1; i < line->operands.n; i++)
        options_fault(r->line, "more than one input file: '%s' and '%s'", line->operands.v[0],
                      line->operands.v[i]);
    if (!*r->arguments->common.input)
        options_fault(r->line, "the input file's name is empty");
}

// Checks that a document of --diagnostics shares its file, or standard error, with no other output.
static void check_diagnostics(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    struct output_request log = {
        .product = PRODUCTS, .path = a->common.diagnostics.path, .option = "--diagnostics"};
    const char *also = a->common.verbose ? "-v"
                       : a->time_passes  ? "--time-passes"
                       : a->print_after  ? "--print-after"
                                         : NULL;
    for (uint32_t i = 0; i < a->requests.n; i++)
        if (log.path)
            check_same(r, &a->requests.v[i], &log);
        else if (!a->requests.v[i].path)
            also = a->requests.v[i].option;
    if (!log.path && a->common.diagnostics.format != DIAGNOSTICS_TEXT && also)
        options_fault(r->line, "%s also writes to standard error: give --diagnostics a file", also);
    if (log.path && (a->list || a->compare) && file_is_standard(log.path))
        options_fault(r->line, "%s and --diagnostics both write to standard output",
                      a->list ? "--list" : "--compare");
    check_overwrites(r, &log);
}

// Checks --compare. Like --check it accepts options of the analysis, which may be those of the run
// that made OUT.
static void check_compare(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    if (a->check || a->list || a->strip || a->format)
        options_fault(r->line, "--compare excludes --check, --list, --strip and --format");
    else if (a->output || a->metadata || a->emit || wants_report(a) || a->remarks ||
             a->depfile.wanted)
        options_fault(
            r->line,
            "--compare writes nothing: it excludes -o, --metadata, --report, --emit, --remarks "
            "and -MD");
    if (file_is_standard(a->common.input) && file_is_standard(a->compare))
        options_fault(r->line, "--compare needs two texts; only one can be standard input");
}

static void check_writing(struct argument_reader *r)
{
    struct arguments *a = r->arguments;
    if (a->strip || a->format)
        check_rewrite(r);
    if (!r->line->failed)
        collect_requests(r);
    if (!r->line->failed)
        check_outputs(r);
    if (a->beside && a->in_folders)
        options_fault(r->line, "--beside compares one module: its outputs are files, not folders");
    if (a->beside && file_is_standard(a->common.input) && file_is_standard(a->beside))
        options_fault(r->line, "--beside needs two inputs; only one can be standard input");
}

static void check_overlap(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    if (a->check || a->list || a->strip || a->format || a->compare)
        options_fault(r->line,
                      "--overlap excludes --check, --list, --strip, --format and --compare");
    else if (a->output || a->metadata || a->emit || wants_report(a) || a->remarks ||
             a->depfile.wanted)
        options_fault(
            r->line,
            "--overlap writes only its advice: it excludes -o, --metadata, --report, --emit, "
            "--remarks and -MD");
}

static void check_placement(struct argument_reader *r)
{
    const struct arguments *a = r->arguments;
    const struct format_request *reports = a->common.reports;
    if (a->check || a->list || a->strip || a->format || a->compare || a->overlap || a->beside)
        options_fault(r->line, "--placement excludes --check, --list, --strip, --format, "
                               "--compare, --overlap and --beside");
    else if (a->output || a->metadata || a->emit || reports[REPORT_TEXT].path ||
             reports[REPORT_HTML].wanted || a->remarks || a->depfile.wanted)
        options_fault(r->line,
                      "--placement writes only its report, as text or, with --report=json, as "
                      "JSON: it excludes -o, --metadata, --emit, --remarks and -MD");
}

static void check(struct argument_reader *r)
{
    struct arguments *a = r->arguments;
    a->remarks = (a->remarks_passed ? REMARKS_PASSED : 0) |
                 (a->remarks_missed ? REMARKS_MISSED : 0) |
                 (a->remarks_analysis ? REMARKS_ANALYSIS : 0);
    if (a->remarks_filter && !a->remarks)
        options_fault(r->line,
                      "--remarks-filter needs --remarks, --remarks-missed or --remarks-analysis");
    if (a->list && (a->output || a->metadata || a->emit || a->depfile.wanted))
        options_fault(r->line,
                      "--list writes nothing else: it excludes -o, --metadata, --emit and -MD");
    if (a->fragment && !a->check)
        options_fault(r->line, "--fragment needs --check: all other modes need a whole module");
    if (a->beside && (a->check || a->list || a->strip || a->format || a->compare || a->overlap))
        options_fault(
            r->line, "--beside compares decisions: it excludes --check, --list, --strip, --format, "
                     "--compare and --overlap");
    // As in compilers, a check accepts the options of the run that it stands for.
    a->in_folders = a->check && a->output && is_folder(a->output);
    if (a->placement)
        check_placement(r);
    else if (a->overlap)
        check_overlap(r);
    else if (a->compare)
        check_compare(r);
    else if (!a->check && !a->list)
        check_writing(r);
    if (!r->line->failed)
        check_diagnostics(r);
}

enum { USUAL_THREADS = 4 }; // at most

static unsigned usual_threads(void)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors < USUAL_THREADS ? (unsigned)processors : USUAL_THREADS;
}

void arguments_default(void *into, struct arena *arena)
{
    struct arguments *arguments = into;
    (void)arena;
    arguments->reorder = arguments->verify = 1;
    arguments->cost = arguments->fma = arguments->tags = -1;
    arguments->threads = usual_threads();
}

bool arguments_check(void *arguments, struct command_line *line)
{
    struct argument_reader reader = {arguments, line->arena, line};
    check_operands(&reader);
    if (!line->failed)
        check(&reader);
    return !line->failed;
}

const char *arguments_for_module(struct arguments *one, const struct arguments *all,
                                 struct arena *arena, const char *name)
{
    *one = *all;
    memset(&one->requests, 0, sizeof one->requests);
    for (uint32_t i = 0; i < all->requests.n; i++) {
        struct output_request made = all->requests.v[i];
        // All modules share one depfile.
        if (made.product == PRODUCT_DEPFILE)
            continue;
        made.path = file_of(arena, &made, name);
        const char *wrong =
            made.suffix ? overwrites(arena, all, made.option, made.path, false) : NULL;
        if (wrong)
            return wrong;
        made.suffix = NULL;
        vec_push(arena, &one->requests, made);
    }
    return NULL;
}

const char *arguments_ptx_name(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->requests.n; i++) {
        const struct output_request *made = &arguments->requests.v[i];
        if (made->product == PRODUCT_PTX)
            return file_is_standard(made->path) ? "<stdout>" : made->path;
    }
    return "<none>";
}
