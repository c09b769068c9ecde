// The whole pipeline, from text to tagged text: for any input the IR is valid and stays valid;
// options that change nothing give the input; tags can be stripped; and outputs read back.
#include "backend/emit/backend.h"
#include "backend/report/page.h"
#include "backend/report/remarks.h"
#include "ir/check.h"
#include "passes/plan/pipeline.h"
#include "tests/fuzz/forms_kept.h"

enum { PARTS = 3 };

struct fuzz_context {
    const struct fuzz_input *input;
    struct arena *arena;
    struct forms *forms;
    struct source source;
    struct fuzz_sink *sink;
};

struct fuzz_program {
    struct opened opened;
    struct tree tree;
    struct diags diags;
    struct ir_module module;
    struct plan plan;
    struct output output;
};

static struct fuzz_program *tag(const struct fuzz_context *run,
                                const struct backend_options *options)
{
    struct fuzz_program *program = ARENA_NEW(run->arena, struct fuzz_program);
    backend_open(&program->opened, run->arena, &run->source, options);
    diags_init(&program->diags, run->arena);
    ptx_parse(&program->tree, run->arena, &program->opened.source, &program->diags);
    ir_build(&program->module, run->arena, &program->tree, &program->diags);
    ir_check(&program->module, run->forms, &program->diags);
    program->plan = (struct plan){.arena = run->arena};
    struct pipeline pipeline = {.options = options->passes, .validate = true, .faults = stderr};
    const char *pass = pipeline_run(&pipeline, &program->module, &program->plan);
    must(!pass, pass);
    const char *wrong =
        backend_emit(&program->output, run->arena, &program->module, &program->plan, options);
    must(!wrong, wrong);
    return program;
}

static bool is_source(const struct fuzz_context *run, const char *text, uint32_t length)
{
    return length == run->source.length && !memcmp(text, run->source.text, length);
}

// Checks that nothing changes.
static void check_untouched(const struct fuzz_context *run)
{
    struct backend_options options = {.tags = TAGS_NONE, .output_name = "out.ptx"};
    struct fuzz_program *program = tag(run, &options);
    must(is_source(run, program->output.text, program->output.length),
         "without tags and reordering the text has changed");
}

static void check_strip(const struct fuzz_context *run, const struct fuzz_program *program)
{
    struct source written;
    uint32_t length;
    make_source(&written, run->arena, program->output.text, program->output.length);
    const char *stripped = backend_strip(run->arena, &written, &length);
    must(is_source(run, stripped, length), "without its tags the output is not the input");
}

static void check_written(const struct fuzz_context *run, const struct fuzz_program *program,
                          const struct backend_options *options)
{
    // Without a function body there is no place for a tag.
    if (is_source(run, program->output.text, program->output.length))
        return;
    struct source written;
    make_source(&written, run->arena, program->output.text, program->output.length);
    struct fuzz_program *again = ARENA_NEW(run->arena, struct fuzz_program);
    backend_open(&again->opened, run->arena, &written, options);
    must(again->opened.current, "the output is not known again");
    struct diags diags;
    struct tree tree;
    diags_init(&diags, run->arena);
    ptx_parse(&tree, run->arena, &written, &diags);
    must(!diags.errors, "the output does not parse");
}

static void write_tables(const struct fuzz_context *run, const struct fuzz_program *program)
{
    tables_write_json(&program->output.tables, sink_begin(run->sink));
    report_text(&program->output.tables, run->arena, sink_begin(run->sink),
                (struct report_style){.colour = true, .width = 80});
    report_json(&program->output.tables, sink_begin(run->sink));
    sink_end(run->sink);
}

// Checks that no part of the text ends the element that contains it.
static void check_page(const struct fuzz_context *run, const struct fuzz_program *program)
{
    static const char end[] = "</script";
    struct page_input input = {
        .tables = &program->output.tables, .module = &program->module, .plan = &program->plan};
    report_html(&input, sink_begin(run->sink));
    sink_end(run->sink);
    uint32_t scripts = 0;
    const char *at = run->sink->text, *behind = at + run->sink->length;
    for (; (at = memmem(at, (size_t)(behind - at), end, sizeof end - 1)); at += sizeof end - 1)
        scripts++;
    must(scripts == program->output.tables.kernels.n + 2,
         "the page has other scripts than its own");
}

// Checks that every selected or rejected candidate has a remark with a place in the text.
static void check_remarks(const struct fuzz_context *run, const struct fuzz_program *program)
{
    struct remarks remarks;
    const struct plan *plan = &program->plan;
    uint32_t chosen = 0;
    remarks_collect(&remarks, run->arena, &program->module, plan, REMARKS_PASSED | REMARKS_MISSED,
                    NULL);
    for (uint32_t i = 0; i < plan->blocks.n; i++)
        chosen += plan->blocks.v[i].estimate.candidate && plan->blocks.v[i].chosen;
    must(remarks.list.n == plan->chains.n + plan->rejections.n + chosen,
         "there are more or fewer remarks than there is to remark");
    for (uint32_t i = 0; i < remarks.list.n; i++) {
        const struct remark *remark = &remarks.list.v[i];
        must(remark->begin <= remark->end && remark->end <= program->opened.source.length,
             "a remark outside of the text");
        must(*remark->text && remark_rule_find(remark->rule) < remark_rule_count(),
             "a remark without a text or rule");
    }
}

static void check_tags(const struct fuzz_context *run, enum tag_style style, bool reorder,
                       enum fma_mode fma)
{
    struct backend_options options = {
        .tags = style,
        .passes = {.cost = COST_TOM, .fma = fma, .reorder = reorder},
        .output_name = "out.ptx",
        .only_text = true,
    };
    struct fuzz_program *program = tag(run, &options);
    write_tables(run, program);
    check_remarks(run, program);
    check_page(run, program);
    // What follows holds for a text that is PTX and does not come with tags of its own.
    const struct source *source = &run->source;
    if (program->diags.errors || memmem(source->text, source->length, "ptxoffload", 10))
        return;
    if (!reorder && fma == FMA_FUSED)
        check_strip(run, program);
    check_written(run, program, &options);
}

static void try_all(const struct fuzz_input *input, struct arena *arena)
{
    static struct forms_kept kept;
    static struct fuzz_sink sink;
    forms_kept_ready(&kept);
    struct fuzz_context run = {.input = input, .arena = arena, .sink = &sink};
    make_source(&run.source, arena, (const char *)input->data, input->size);
    run.forms = forms_for(&kept, input, arena);
    if (fuzz_wants(input, 0, PARTS))
        check_untouched(&run);
    if (fuzz_wants(input, 1, PARTS))
        check_tags(&run, TAGS_PRAGMA, false, FMA_FUSED);
    if (fuzz_wants(input, 2, PARTS))
        check_tags(&run, TAGS_COMMENT_FULL, true, FMA_SPLIT);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, try_all);
}
