// Reads PTX files, and the PTX in programs and libraries, and holds every text against what this
// project promises. One line a file:
//
//     path  modules  texts  bytes  distinct texts  faults
//
// and on standard error one for each fault. Equal texts are looked at once. Exit code: 0 without
// faults, 1 with.
//
// usage: examine [--most=BYTES] PATH…     larger texts are counted as modules only
#include "backend/emit/backend.h"
#include "backend/tables/build.h"
#include "backend/emit/format.h"
#include "frontend/container.h"
#include "ir/check.h"
#include "passes/plan/pipeline.h"
#include "support/file.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    uint64_t modules, texts, bytes, distinct, faults;
};

struct examiner {
    struct memory memory, kept;
    struct arena arena; // of one text
    struct arena digests_arena, file_arena;
    struct intern digests; // of the texts that were looked at
    uint64_t max;
    const char *path;
    uint32_t module;
    struct counts counts; // of the file at work
    uint64_t faults;      // of all
};

static void fault(struct examiner *e, const char *what, const char *detail)
{
    e->counts.faults++;
    fprintf(stderr, "%s: module %u: %s%s%s\n", e->path, e->module, what, *detail ? ": " : "",
            detail);
}

struct program {
    struct opened opened;
    struct diags diags;
    struct tree tree;
    struct ir_module module;
    struct plan plan;
    struct output output;
};

static struct source copy_source(struct arena *arena, const char *text, size_t length)
{
    struct source source;
    char *copy = arena_alloc(arena, length + 2);
    memcpy(copy, text, length);
    source_init(&source, arena, "in.ptx", copy, (uint32_t)length);
    return source;
}

static bool equal(const struct source *source, const char *text, size_t length)
{
    return source->length == length && !memcmp(source->text, text, length);
}

// What the parser and the checker say: nothing at all is wrong with NVIDIA's own texts.
static void report_diags(struct examiner *e, const struct program *program)
{
    const struct source *source = &program->opened.source;
    for (uint32_t i = 0; i < program->diags.list.n; i++) {
        const struct diag *diag = &program->diags.list.v[i];
        struct source_position place = source_position_at(source, diag->begin);
        uint32_t begin, end;
        source_line(source, place.line, &begin, &end);
        fault(e, severity_word(diag->severity),
              arena_printf(&e->arena, "%u:%u: %s [%s] in: %.*s", place.line, place.column,
                           diag->message, diag->id, (int)(end - begin > 200 ? 200 : end - begin),
                           source->text + begin));
    }
}

// Without tags and reordering: the text as it came. With tags: the same when these are taken out.
static void check_tagging(struct examiner *e, const struct source *source, enum tag_style style)
{
    struct arena *arena = &e->arena;
    struct backend_options options = {
        .tags = style, .passes = {.cost = COST_TOM}, .output_name = "out.ptx"};
    struct program *program = ARENA_NEW(arena, struct program);
    backend_open(&program->opened, arena, source, &options);
    diags_init(&program->diags, arena);
    ptx_parse(&program->tree, arena, &program->opened.source, &program->diags);
    ir_build(&program->module, arena, &program->tree, &program->diags);
    ir_check(&program->module, forms_new(arena), &program->diags);
    program->plan = (struct plan){.arena = arena};
    struct pipeline pipeline = {.options = options.passes, .validate = true, .faults = stderr};
    const char *wrong = pipeline_run(&pipeline, &program->module, &program->plan);
    if (!wrong)
        wrong = backend_emit(&program->output, arena, &program->module, &program->plan, &options);
    if (wrong) {
        fault(e, "internal", wrong);
        return;
    }
    if (style == TAGS_NONE) {
        report_diags(e, program);
        if (!equal(source, program->output.text, program->output.length))
            fault(e, "the text has changed", "");
        return;
    }
    struct source tagged = copy_source(arena, program->output.text, program->output.length);
    uint32_t length;
    const char *stripped = backend_strip(arena, &tagged, &length);
    if (!equal(source, stripped, length))
        fault(e, "without its tags the text has changed", "");
}

static bool is_literal(const struct node *node)
{
    return node->kind == NODE_INT || node->kind == NODE_FLOAT32 || node->kind == NODE_FLOAT64;
}

static bool same_node(const struct node *a, const struct node *b)
{
    return a->kind == b->kind && a->flags == b->flags && a->aux == b->aux && a->size == b->size &&
           (!is_literal(a) || a->value == b->value);
}

static bool same_tree(const struct tree *a, const struct tree *b)
{
    if (a->nodes.n != b->nodes.n || a->mods.n != b->mods.n)
        return false;
    for (uint32_t i = 0; i < a->nodes.n; i++)
        if (!same_node(&a->nodes.v[i], &b->nodes.v[i]))
            return false;
    return !a->mods.n || !memcmp(a->mods.v, b->mods.v, a->mods.n * sizeof *a->mods.v);
}

static void parse(struct tree *tree, struct arena *arena, struct source *source)
{
    struct diags diags;
    diags_init(&diags, arena);
    ptx_parse(tree, arena, source, &diags);
}

static void check_format(struct examiner *e, const struct source *text)
{
    struct source source = copy_source(&e->arena, text->text, text->length);
    struct tree tree, again;
    parse(&tree, &e->arena, &source);
    char *formatted;
    size_t length;
    FILE *to = open_memstream(&formatted, &length);
    if (!to)
        longjmp(e->memory.on_failure, 1);
    format_write(&tree, to);
    fclose(to);
    struct source second = copy_source(&e->arena, formatted, length);
    free(formatted);
    parse(&again, &e->arena, &second);
    if (!same_tree(&tree, &again))
        fault(e, "the formatted text has another tree", "");
}

// True for a text that was not met before.
static bool is_new(struct examiner *e, const char *text, uint32_t length)
{
    char digest[SHA256_HEX + 1];
    tables_digest(digest, text, length);
    uint32_t known = e->digests.names.n;
    char *copy = arena_strndup(&e->digests_arena, digest, SHA256_HEX);
    return intern_add(&e->digests, copy, SHA256_HEX) == known;
}

static void examine_text(struct examiner *e, const char *text, uint32_t length)
{
    e->counts.texts++;
    e->counts.bytes += length;
    if (!is_new(e, text, length))
        return;
    e->counts.distinct++;
    struct source source = copy_source(&e->arena, text, length);
    check_tagging(e, &source, TAGS_NONE);
    check_tagging(e, &source, TAGS_PRAGMA);
    check_format(e, &source);
}

static void examine_module(struct examiner *e, const struct container *container, uint32_t index)
{
    const struct container_module *module = &container->modules.v[index];
    struct diags diags;
    char *text;
    uint32_t length;
    e->module = index;
    e->counts.modules++;
    if (module->kind != MODULE_PTX || (e->max && module->size > e->max))
        return;
    arena_init(&e->arena, &e->memory);
    if (setjmp(e->memory.on_failure)) {
        fault(e, "out of memory", "");
    } else {
        diags_init(&diags, &e->arena);
        if (container_text(container, index, &e->arena, &text, &length, &diags))
            examine_text(e, text, length);
        else
            fault(e, "unpacking", diags.list.v[0].message);
    }
    memory_free(&e->memory);
}

static void print_counts(const char *name, const struct counts *c)
{
    printf("%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", name,
           c->modules, c->texts, c->bytes, c->distinct, c->faults);
    fflush(stdout);
}

static void examine_file(struct examiner *e, const char *path)
{
    struct container container;
    struct diags diags;
    struct file_map map = {0};
    e->path = path;
    e->module = 0;
    e->counts = (struct counts){0};
    diags_init(&diags, &e->file_arena);
    const char *error = file_map(&e->file_arena, path, &map);
    if (error) {
        fault(e, "cannot be read", error);
    } else {
        container_open(&container, &e->file_arena, path, map.bytes, map.size, &diags);
        for (uint32_t i = 0; i < diags.list.n; i++)
            fault(e, "container", diags.list.v[i].message);
        for (uint32_t i = 0; i < container.modules.n; i++)
            examine_module(e, &container, i);
        file_unmap(&map);
    }
    arena_free(&e->file_arena);
    print_counts(path, &e->counts);
    e->faults += e->counts.faults;
}

int main(int argc, char **argv)
{
    static const char max[] = "--most=";
    struct examiner e = {0};
    arena_init(&e.digests_arena, &e.kept);
    arena_init(&e.file_arena, &e.kept);
    if (setjmp(e.kept.on_failure)) {
        fprintf(stderr, "out of memory\n");
        return 1;
    }
    intern_init(&e.digests, &e.digests_arena);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], max, sizeof max - 1))
            e.max = strtoull(argv[i] + sizeof max - 1, NULL, 10);
        else
            examine_file(&e, argv[i]);
    memory_free(&e.kept);
    return e.faults > 0;
}
