#include "cli/arguments.h"
#include "cli/command.h"
#include "support/file.h"
#include "support/output.h"
#include <stdarg.h>
#include <string.h>

struct reader {
    struct arguments *arguments;
    struct arena *arena;
    FILE *errors;
    bool failed;
};

static void __attribute__((format(printf, 2, 3))) fail(struct reader *r, const char *format, ...)
{
    va_list args;
    fprintf(r->errors, "%s: error: ", ptxoffload_command.name);
    va_start(args, format);
    vfprintf(r->errors, format, args);
    va_end(args);
    putc('\n', r->errors);
    r->failed = true;
}

static void wish(struct reader *r, enum product product, const char *path, const char *option)
{
    struct wish made = {product, path, option};
    vec_push(r->arena, &r->arguments->wishes, made);
}

static bool writes_standard_output(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->wishes.n; i++) {
        const char *path = arguments->wishes.v[i].path;
        if (path && file_is_standard(path))
            return true;
    }
    return false;
}

// Outputs

static const char *const suffixes[PRODUCT_EMITTED] = {
    [PRODUCT_PTX] = ".ptx",
    [PRODUCT_META] = ".json",
    [PRODUCT_IR] = ".ir",
    [PRODUCT_DOT] = ".dot",
};

static const char *replace_suffix(struct arena *arena, const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    // A name may begin with a dot.
    size_t length = dot && dot != base ? (size_t)(dot - path) : strlen(path);
    return arena_printf(arena, "%.*s%s", (int)length, path, suffix);
}

static void wish_emitted(struct reader *r)
{
    const struct arguments *a = r->arguments;
    if (!a->output) {
        fail(r, "--emit needs -o OUT: its suffix is replaced for each output");
        return;
    }
    // Standard output and devices have no suffix.
    bool as_it_is = file_is_standard(a->output) || output_is_special(a->output);
    if (as_it_is && (a->emit & (a->emit - 1))) {
        fail(r, "--emit of several outputs needs a file behind -o, not '%s'", a->output);
        return;
    }
    for (unsigned product = 0; product < PRODUCT_EMITTED; product++)
        if (a->emit >> product & 1)
            wish(r, product,
                 as_it_is ? a->output : replace_suffix(r->arena, a->output, suffixes[product]),
                 "--emit");
}

static void wish_reports(struct reader *r)
{
    static const enum product products[] = {
        [REPORT_TEXT] = PRODUCT_TEXT,
        [REPORT_JSON] = PRODUCT_JSON,
    };
    const char *otherwise = writes_standard_output(r->arguments) ? NULL : "-";
    for (int format = 0; format < REPORT_FORMATS; format++) {
        const struct report_wish *report = &r->arguments->reports[format];
        if (report->wanted)
            wish(r, products[format], report->path ? report->path : otherwise, "--report");
    }
}

static void collect_wishes(struct reader *r)
{
    struct arguments *a = r->arguments;
    if (a->emit)
        wish_emitted(r);
    else if (a->output)
        wish(r, PRODUCT_PTX, a->output, "-o");
    if (a->metadata)
        wish(r, PRODUCT_META, a->metadata, "--metadata");
    // Files first, so that a report without one sees whether standard output is taken.
    bool any = a->wishes.n || a->reports[REPORT_TEXT].wanted || a->reports[REPORT_JSON].wanted;
    if (!any)
        a->reports[REPORT_TEXT].wanted = true;
    wish_reports(r);
}

// Checks

static void check_same(struct reader *r, const struct wish *a, const struct wish *b)
{
    if (!a->path && !b->path)
        fail(r, "two reports on standard error: give one of them a file");
    if (!a->path || !b->path || !output_same(r->arena, a->path, b->path))
        return;
    if (file_is_standard(a->path))
        fail(r, "%s and %s both write to standard output", a->option, b->option);
    else
        fail(r, "%s and %s both write '%s'", a->option, b->option, b->path);
}

static void check_outputs(struct reader *r)
{
    const struct arguments *a = r->arguments;
    for (uint32_t i = 0; i < a->wishes.n; i++) {
        const struct wish *made = &a->wishes.v[i];
        for (uint32_t j = 0; j < i; j++)
            check_same(r, &a->wishes.v[j], made);
        // Only a PTX text may take the place of the one that it was made from.
        if (made->product != PRODUCT_PTX && made->path && !file_is_standard(made->path) &&
            output_same(r->arena, a->input, made->path))
            fail(r, "%s would overwrite the input '%s'", made->option, a->input);
    }
}

// --strip and --format write PTX and nothing else.
static void check_rewrite(struct reader *r)
{
    const struct arguments *a = r->arguments;
    const char *option = a->strip ? "--strip" : "--format";
    bool other = a->emit & ~(1u << PRODUCT_PTX);
    if (a->strip && a->format)
        fail(r, "--strip and --format are two runs");
    else if (!a->output)
        fail(r, "%s needs -o OUT", option);
    else if (a->metadata || other || a->reports[REPORT_TEXT].wanted || a->reports[REPORT_JSON].wanted)
        fail(r, "%s does no analysis: there is nothing for --metadata, --report and --emit", option);
}

// Standard output by another name, so that all is one.
static void name_standard_output(const char **path)
{
    if (*path && !strcmp(*path, "/dev/stdout"))
        *path = "-";
}

static void take_operands(struct reader *r, const struct command_line *line)
{
    if (!line->operands.n) {
        fail(r, "no input file");
        return;
    }
    r->arguments->input = line->operands.v[0];
    for (uint32_t i = 1; i < line->operands.n; i++)
        fail(r, "more than one input file: '%s' and '%s'", line->operands.v[0],
             line->operands.v[i]);
    if (!*r->arguments->input)
        fail(r, "the input file's name is empty");
}

static void check(struct reader *r)
{
    struct arguments *a = r->arguments;
    name_standard_output(&a->output);
    name_standard_output(&a->metadata);
    for (int i = 0; i < REPORT_FORMATS; i++)
        name_standard_output(&a->reports[i].path);
    if (a->list && (a->output || a->metadata || a->emit))
        fail(r, "--list writes nothing else: there is nothing for -o, --metadata and --emit");
    // As compilers do, a check takes the options of the run that it stands for.
    if (a->check || a->list)
        return;
    if (a->strip || a->format)
        check_rewrite(r);
    if (!r->failed)
        collect_wishes(r);
    if (!r->failed)
        check_outputs(r);
}

bool arguments_read(struct arguments *arguments, struct arena *arena, int argc, char *const *argv,
                    FILE *errors)
{
    *arguments = (struct arguments){.reorder = 1, .tags = TAGS_PRAGMA};
    struct command_line line =
        options_read(&ptxoffload_command, arena, argc, argv, arguments, errors);
    struct reader reader = {arguments, arena, errors, line.failed};
    bool only_tells = arguments->help || arguments->version || arguments->print_passes;
    if (!only_tells && !line.failed) {
        take_operands(&reader, &line);
        if (!reader.failed)
            check(&reader);
    }
    if (reader.failed) {
        if (!line.operands.n && !line.failed)
            options_usage(&ptxoffload_command, errors);
        fprintf(errors, "'%s --help' explains the options\n", ptxoffload_command.name);
    }
    return !reader.failed;
}

const char *arguments_ptx_name(const struct arguments *arguments)
{
    for (uint32_t i = 0; i < arguments->wishes.n; i++) {
        const struct wish *made = &arguments->wishes.v[i];
        if (made->product == PRODUCT_PTX)
            return file_is_standard(made->path) ? "<stdout>" : made->path;
    }
    return "<none>";
}
