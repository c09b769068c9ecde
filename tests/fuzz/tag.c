// The whole road, from text to tagged text: whatever the input, the IR is valid and stays so; what
// is to change nothing changes nothing; tags come off again; and what was written can be read.
#include "backend/backend.h"
#include "passes/pipeline.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

static void must(int holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static struct source make_source(struct arena *arena, const char *text, size_t length)
{
    // A copy exactly as long as promised, which parsing may write to.
    struct source source;
    char *copy = arena_alloc(arena, length + 2);
    memcpy(copy, text, length);
    source_init(&source, arena, "fuzz.ptx", copy, (uint32_t)length);
    return source;
}

struct program {
    struct opened opened;
    struct tree tree;
    struct diags diags;
    struct ir_module module;
    struct plan plan;
    struct output output;
};

static void tag(struct program *program, struct arena *arena, const struct source *source,
                const struct backend_options *options)
{
    backend_open(&program->opened, arena, source, options);
    diags_init(&program->diags, arena);
    ptx_parse(&program->tree, arena, &program->opened.source, &program->diags);
    ir_build(&program->module, arena, &program->tree, &program->diags);
    program->plan = (struct plan){.arena = arena};
    struct pipeline pipeline = {.options = options->passes, .validate = true, .faults = stderr};
    const char *pass = pipeline_run(&pipeline, &program->module, &program->plan);
    must(!pass, pass);
    const char *wrong =
        backend_emit(&program->output, arena, &program->module, &program->plan, options);
    must(!wrong, wrong);
}

static int equal(const char *text, uint32_t length, const struct source *source)
{
    return length == source->length && !memcmp(text, source->text, length);
}

// Nothing may change.
static void check_untouched(struct arena *arena, const struct source *source)
{
    struct backend_options options = {.tags = TAGS_NONE, .output_name = "out.ptx"};
    struct program *program = ARENA_NEW(arena, struct program);
    tag(program, arena, source, &options);
    must(equal(program->output.text, program->output.length, source),
         "without tags and reordering the text has changed");
}

static void check_strip(struct arena *arena, const struct source *source,
                        const struct program *program)
{
    struct source written = make_source(arena, program->output.text, program->output.length);
    uint32_t length;
    const char *stripped = backend_strip(arena, &written, &length);
    must(equal(stripped, length, source), "without its tags the output is not the input");
}

static void check_written(struct arena *arena, const struct source *source,
                          const struct program *program, const struct backend_options *options)
{
    // Without a function body there is no place for a tag.
    if (equal(program->output.text, program->output.length, source))
        return;
    struct source written = make_source(arena, program->output.text, program->output.length);
    struct program *again = ARENA_NEW(arena, struct program);
    backend_open(&again->opened, arena, &written, options);
    must(again->opened.current, "the output is not known again");
    struct diags diags;
    struct tree tree;
    diags_init(&diags, arena);
    ptx_parse(&tree, arena, &written, &diags);
    must(!diags.errors, "the output does not parse");
}

static void check_tags(struct arena *arena, const struct source *source, enum tag_style style,
                       bool reorder, enum fma_mode fma)
{
    struct backend_options options = {
        .tags = style,
        .passes = {.cost = COST_TOM, .fma = fma, .reorder = reorder},
        .output_name = "out.ptx",
    };
    struct program *program = ARENA_NEW(arena, struct program);
    tag(program, arena, source, &options);
    // What follows holds for a text that is PTX and does not come with tags of its own.
    if (program->diags.errors || memmem(source->text, source->length, "ptxoffload", 10))
        return;
    if (!reorder && fma == FMA_FUSED)
        check_strip(arena, source, program);
    check_written(arena, source, program, &options);
}

int fuzz_one(const uint8_t *data, size_t size, long fail_in)
{
    struct memory memory = {.fail_in = fail_in};
    struct arena arena;
    arena_init(&arena, &memory);
    int ran_out = setjmp(memory.on_failure);
    if (!ran_out) {
        struct source source = make_source(&arena, (const char *)data, size);
        check_untouched(&arena, &source);
        check_tags(&arena, &source, TAGS_PRAGMA, false, FMA_FUSED);
        check_tags(&arena, &source, TAGS_COMMENT, true, FMA_SPLIT);
    }
    memory_free(&memory);
    must(!ran_out || fail_in, "memory ran out");
    must(memory.bytes == 0, "memory was kept");
    return ran_out;
}
