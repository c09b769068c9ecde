// isa-forms list [OP]     writes the generated instructions: op, row, version, target, text
// isa-forms judge         reads such lines; writes for each 1 (accepted) or 0 and why
#include "ir/check.h"
#include "tests/isa/generate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char registers[] =
#include "tests/isa/registers.inc"
    ;

static void print_sample(void *to, const struct sample *sample)
{
    fprintf(to, "%s\t%u\t%u\t%s\t%s\n", isa_op_names[sample->form->op], sample->row,
            sample->version, sample->target, sample->text);
}

static int list(struct arena *arena, const char *only)
{
    struct forms *forms = forms_new(arena);
    for (uint16_t op = 0; op < OP_COUNT; op++)
        if (!only || !strcmp(only, isa_op_names[op]))
            generate(arena, forms, op, print_sample, stdout);
    return 0;
}

// Samples for one version and target are put in one kernel, one a line.
struct batch {
    char version[8], target[8];
    const char *text; // the lines
    uint32_t count;
};
enum { BATCH = 200 };

// .texref came with PTX 1.5.
static const char old_textures[] = ".tex .u32 tx; .global .b32 su[4];";
static const char textures[] = ".global .texref tx; .global .surfref su;";
static const char head[] = ".global .align 16 .b32 gv[64]; .shared .align 16 .b32 sv[64];"
                           ".const .align 16 .b32 cv[64]; .func fn() { ret; }\n"
                           ".entry k(.param .b64 pp) {\n"
                           ".local .align 16 .b32 lv[64]; .param .align 16 .b8 lp[64];\n";

// What is wrong with each line: the first error in it, or a name that nothing declares.
static void complain(struct arena *arena, struct forms *forms, const struct batch *batch,
                     const char **why)
{
    struct diags diags;
    diags_init(&diags, arena);
    const char *opaque = strcmp(batch->version, "15") < 0 ? old_textures : textures;
    const char *before =
        arena_printf(arena, ".version %c.%c\n.target sm_%s\n.address_size 64\n%s%s%s%s",
                     batch->version[0], batch->version[1], batch->target, opaque, head, registers,
                     "T: .branchtargets L; C: .callprototype _ ();\n");
    const char *module = arena_printf(arena, "%s%sL: exit;\n}\n", before, batch->text);
    size_t length = strlen(module);
    char *copy = arena_alloc(arena, length + 2);
    memcpy(copy, module, length);
    struct source source;
    struct tree tree;
    struct ir_module ir;
    source_init(&source, arena, "samples", copy, (uint32_t)length);
    ptx_parse(&tree, arena, &source, &diags);
    ir_build(&ir, arena, &tree, &diags);
    ir_check(&ir, forms, &diags);
    uint32_t first = source_position_at(&source, (uint32_t)strlen(before)).line;
    for (uint32_t i = 0; i < diags.list.n; i++) {
        const struct diag *diag = &diags.list.v[i];
        uint32_t line = source_position_at(&source, diag->begin).line - first;
        if ((diag->severity == DIAG_ERROR || !strcmp(diag->id, "undeclared")) &&
            line < batch->count && !why[line])
            why[line] = arena_printf(arena, "%s [%s]", diag->message, diag->id);
    }
}

static void check_batch(struct memory *memory, struct forms *forms, struct batch *batch)
{
    const char *why[BATCH] = {0};
    struct arena arena;
    arena_init(&arena, memory);
    if (batch->count)
        complain(&arena, forms, batch, why);
    for (uint32_t i = 0; i < batch->count; i++)
        printf("%d\t%s\n", why[i] == NULL, why[i] ? why[i] : "");
    arena_free(&arena);
    batch->count = 0;
    batch->text = "";
}

static int check_forms(struct memory *memory, struct arena *arena)
{
    char line[4096];
    struct forms *forms = forms_new(arena);
    struct batch batch = {.text = ""};
    struct arena lines;
    arena_init(&lines, memory);
    while (fgets(line, sizeof line, stdin)) {
        strtok(line, "\t");
        strtok(NULL, "\t");
        const char *version = strtok(NULL, "\t"), *target = strtok(NULL, "\t"),
                   *text = strtok(NULL, "\n");
        if (!text || strlen(version) >= sizeof batch.version ||
            strlen(target) >= sizeof batch.target)
            return 2;
        if (batch.count == BATCH || strcmp(version, batch.version) ||
            strcmp(target, batch.target)) {
            check_batch(memory, forms, &batch);
            arena_free(&lines);
        }
        strcpy(batch.version, version);
        strcpy(batch.target, target);
        batch.text = arena_printf(&lines, "%s%s\n", batch.text, text);
        batch.count++;
    }
    check_batch(memory, forms, &batch);
    arena_free(&lines);
    return 0;
}

int main(int argc, char **argv)
{
    struct memory memory = {0};
    struct arena arena;
    if (setjmp(memory.on_failure))
        return 3;
    arena_init(&arena, &memory);
    int status = argc > 1 && !strcmp(argv[1], "judge") ? check_forms(&memory, &arena)
                                                       : list(&arena, argc > 2 ? argv[2] : NULL);
    arena_free(&arena);
    return status;
}
