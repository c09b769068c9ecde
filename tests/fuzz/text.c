// From text to a checked program and back: any bytes give a complete tree and IR, reports are
// inside the text, and printed text reads back.
#include "backend/emit/format.h"
#include "ir/check.h"
#include "ir/loc.h"
#include "tests/fuzz/forms_kept.h"
#include "tests/lib/tree_validate.h"

enum { PARTS = 3 };

struct fuzz_program {
    struct source source;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
};

// Parsing writes to the text, and restores it.
static void parse(struct fuzz_program *program, struct arena *arena, const char *text,
                  size_t length)
{
    source_init(&program->source, arena, "fuzz.ptx", text, (uint32_t)length);
    diags_init(&program->diags, arena);
    ptx_parse(&program->tree, arena, &program->source, &program->diags);
}

// Parses a written text, with its two NUL bytes.
static void parse_sink(struct fuzz_program *program, struct arena *arena,
                       const struct fuzz_sink *sink)
{
    char *copy = arena_alloc(arena, sink->length + 2);
    memcpy(copy, sink->text, sink->length);
    parse(program, arena, copy, sink->length);
}

static void build(struct fuzz_program *program, struct arena *arena)
{
    ir_build(&program->module, arena, &program->tree, &program->diags);
}

static void check_diags(struct fuzz_program *program, struct fuzz_sink *sink)
{
    FILE *to = sink_begin(sink);
    uint32_t errors = 0;
    diags_sort(&program->diags);
    for (uint32_t i = 0; i < program->diags.list.n; i++) {
        const struct diag *diag = &program->diags.list.v[i];
        must(diag->message && *diag->message, "a diagnostic without a message");
        must(diag->begin <= diag->end && diag->end <= program->source.length,
             "a diagnostic outside of the text");
        errors += diag->severity == DIAG_ERROR;
        diag_print(diag, &program->source, to, false);
    }
    sink_end(sink);
    must(errors == program->diags.errors, "the errors are not as many as counted");
}

// Checks that every look-up terminates, whatever .loc has.
static void check_locs(const struct fuzz_program *program, struct arena *arena)
{
    struct ir_locs *locs = ir_locs_new(arena, &program->module);
    for (uint32_t f = 0; f < program->module.functions.n; f++)
        for (uint32_t i = 0; i < program->module.functions.v[f].insts.n; i++) {
            uint32_t depth = 0;
            for (const struct ir_loc *loc = ir_loc_find(locs, f, i); loc; loc = loc->inlined_at)
                must(depth++ < program->source.length,
                     "calls that are inlined into each other without end");
        }
}

static void check_dump(struct fuzz_program *program, struct arena *arena, struct fuzz_sink sinks[2])
{
    ir_print_dot(&program->module, sink_begin(&sinks[0]));
    ir_print(&program->module, sink_begin(&sinks[0]));
    sink_end(&sinks[0]);
    if (program->diags.errors)
        return;
    struct fuzz_program *again = ARENA_NEW(arena, struct fuzz_program);
    parse_sink(again, arena, &sinks[0]);
    build(again, arena);
    must(!again->diags.errors, "a dump cannot be read");
    must(again->module.functions.n == program->module.functions.n, "a dump has lost a function");
}

static void format(struct fuzz_program *program, struct fuzz_sink *sink)
{
    format_write(&program->tree, sink_begin(sink));
    sink_end(sink);
}

static void check_format(struct fuzz_program *program, struct arena *arena,
                         struct fuzz_sink sinks[2])
{
    // Bytes 0 at the end of a text are let pass; formatted, it goes on behind them.
    if (program->diags.errors || memchr(program->source.text, 0, program->source.length))
        return;
    format(program, &sinks[0]);
    struct fuzz_program *again = ARENA_NEW(arena, struct fuzz_program);
    parse_sink(again, arena, &sinks[0]);
    must(!again->diags.errors, "a formatted text does not parse");
    must(again->tree.nodes.n == program->tree.nodes.n, "a formatted text has another tree");
    format(again, &sinks[1]);
    must(sinks[0].length == sinks[1].length &&
             !memcmp(sinks[0].text, sinks[1].text, sinks[0].length),
         "a formatted text changes when it is formatted again");
}

// Returns a copy of exactly the input's length, so that AddressSanitizer detects over-reads; valid
// until the next call.
static char *copy_text(const struct fuzz_input *input)
{
    static char *text;
    free(text);
    text = calloc(1, input->size + 2);
    must(text != NULL, "the test itself has no memory");
    if (input->size)
        memcpy(text, input->data, input->size);
    return text;
}

static void run(const struct fuzz_input *input, struct arena *arena)
{
    static struct forms_kept kept;
    static struct fuzz_sink sinks[2];
    forms_kept_ready(&kept);
    const char *text = copy_text(input);
    struct fuzz_program *program = ARENA_NEW(arena, struct fuzz_program);
    parse(program, arena, text, input->size);
    const char *wrong = tree_validate(&program->tree);
    must(!wrong, wrong);
    must(!memcmp(text, input->data, input->size), "the text was changed");
    if (fuzz_wants(input, 0, PARTS))
        check_format(program, arena, sinks);
    build(program, arena);
    must(!ir_validate(&program->module, stderr), "the IR is not valid");
    check_locs(program, arena);
    ir_check(&program->module, forms_for(&kept, input, arena), &program->diags);
    if (fuzz_wants(input, 1, PARTS))
        check_dump(program, arena, sinks);
    if (fuzz_wants(input, 2, PARTS))
        check_diags(program, &sinks[0]);
}

int fuzz_one(const struct fuzz_input *input)
{
    return fuzz_in_memory(input, run);
}
