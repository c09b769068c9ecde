#include "backend/emit/format.h"
#include "backend/report/page.h"
#include "cli/tagger/run.h"
#include "support/file.h"
#include "support/protect.h"
#include <unistd.h>

static void write_ptx(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    if (run->arguments.format)
        format_write(&run->tagging.tree, to);
    else
        fwrite(run->text, 1, run->length, to);
}

static void write_metadata(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    tables_write_json(run->tables, to);
}

static void write_object(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    fwrite(run->object.bytes, 1, run->object.size, to);
}

static void write_ir(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    ir_print(&run->tagging.module, to);
}

static void write_dot(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    ir_print_dot(&run->tagging.module, to);
}

static void write_maps(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    tagger_write_maps(&run->tagging, to);
}

static void write_text_report(const struct tagger_invocation *run, FILE *to,
                              struct report_style style)
{
    struct arena arena;
    arena_init(&arena, run->arena.memory);
    if (run->differences)
        differences_text(run->differences, &arena, to);
    else
        report_text(run->tables, &arena, to, style);
    arena_free(&arena);
}

static void write_json_report(const struct tagger_invocation *run, FILE *to,
                              struct report_style style)
{
    (void)style;
    if (run->differences)
        differences_json(run->differences, to);
    else
        report_json(run->tables, to);
}

static void write_differences_page(const struct tagger_invocation *run, FILE *to)
{
    struct arena arena;
    arena_init(&arena, run->arena.memory);
    differences_page(run->differences, &arena, to);
    arena_free(&arena);
}

static void write_html_report(const struct tagger_invocation *run, FILE *to,
                              struct report_style style)
{
    (void)style;
    if (run->differences) {
        write_differences_page(run, to);
        return;
    }
    struct page_input input = {
        .tables = run->explained,
        .module = &run->tagging.module,
        .plan = &run->tagging.plan,
        .prefixes = &run->arguments.common.prefixes,
    };
    report_html(&input, to);
}

static void write_depfile(const struct tagger_invocation *run, FILE *to, struct report_style style)
{
    (void)style;
    const struct depfile *depfile = &run->arguments.depfile;
    struct depfile_rule rule = {
        .targets = depfile->names.list.n ? depfile->names.list.v : run->targets.v,
        .n_targets = depfile->names.list.n ? depfile->names.list.n : run->targets.n,
        .sources = run->sources.v,
        .n_sources = run->sources.n,
        .has_main = !file_is_standard(run->arguments.common.input),
        .phony = depfile->phony,
    };
    depfile_write(&rule, to);
}

static void (*const writers[])(const struct tagger_invocation *run, FILE *to,
                               struct report_style style) = {
    [PRODUCT_PTX] = write_ptx,          [PRODUCT_META] = write_metadata,
    [PRODUCT_ELF] = write_object,       [PRODUCT_IR] = write_ir,
    [PRODUCT_DOT] = write_dot,          [PRODUCT_MAP] = write_maps,
    [PRODUCT_TEXT] = write_text_report, [PRODUCT_JSON] = write_json_report,
    [PRODUCT_HTML] = write_html_report, [PRODUCT_DEPFILE] = write_depfile,
};

bool tag_write(struct tagger_invocation *run, const struct output_request *request)
{
    FILE *to = run->frame.messages.to;
    bool is_standard = !request->path || file_is_standard(request->path);
    int descriptor = request->path ? STDOUT_FILENO : STDERR_FILENO;
    if (request->path) {
        // Only a PTX text may replace the one that it is made from.
        if (request->product == PRODUCT_PTX)
            protect_release(run->frame.arena.memory, run->arguments.common.input);
        to = frame_open(&run->frame, request->path);
        if (!to)
            return false;
    }
    struct report_style style = {.colour = is_standard &&
                                           messages_colour(&run->arguments.common, descriptor),
                                 .width = is_standard ? messages_width(descriptor) : 0};
    writers[request->product](run, to, style);
    return true;
}

// Records the target of the depfile's rule: the first file. The others are written along with it.
static void note_target(struct tagger_invocation *run)
{
    const struct arguments *arguments = &run->arguments;
    for (uint32_t i = 0; i < arguments->requests.n; i++) {
        const char *path = arguments->requests.v[i].path;
        if (path && !file_is_standard(path)) {
            vec_push(&run->frame.arena, &run->targets, depfile_quote(&run->frame.arena, path));
            return;
        }
    }
}

static bool check_names(struct tagger_invocation *run, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *fault = depfile_fault(names[i]);
        if (fault)
            message_error(&run->frame.messages, "no rule for make can name '%s': %s", names[i],
                          fault);
        if (fault)
            return false;
    }
    return true;
}

bool tag_check_rule(struct tagger_invocation *run)
{
    const struct depfile *depfile = &run->arguments.depfile;
    return !depfile->wanted ||
           (check_names(run, run->sources.v, run->sources.n) &&
            (depfile->names.list.n || check_names(run, run->targets.v, run->targets.n)));
}

int tag_write_all(struct tagger_invocation *run)
{
    note_target(run);
    if (!tag_check_rule(run))
        return BAD_INPUT;
    for (uint32_t i = 0; i < run->arguments.requests.n; i++)
        if (!tag_write(run, &run->arguments.requests.v[i]))
            return BAD_INPUT;
    if (frame_commit(&run->frame, DONE))
        return BAD_INPUT;
    timing_end(&run->timing, "output");
    for (uint32_t i = 0; i < run->arguments.requests.n; i++) {
        const char *path = run->arguments.requests.v[i].path;
        if (path && !file_is_standard(path))
            message_verbose(&run->frame.messages, "wrote '%s'", path);
    }
    return DONE;
}
