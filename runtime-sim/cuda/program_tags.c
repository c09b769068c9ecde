#include "runtime-sim/cuda/program_tags.h"
#include "backend/tables/bodies.h"
#include "backend/tags/tags.h"
#include "frontend/parser.h"
#include "runtime-sim/cuda/cuda.h"
#include "support/diag.h"
#include <string.h>

static const char *first_fault(struct cuda *cuda, const struct diags *diags, struct source *source)
{
    const struct diag *diag = &diags->list.v[0];
    if (diag->begin == NO_OFFSET)
        return diag->message;
    struct source_position place = source_position_at(source, diag->begin);
    return arena_printf(&cuda->arena, "line %u of its PTX: %s", place.line, diag->message);
}

const char *program_read_tags(struct cuda *cuda, struct cuda_binary *binary)
{
    struct arena *arena = &cuda->arena;
    struct source source;
    struct tags tags;
    struct diags diags;
    struct tables *tables = ARENA_NEW(arena, struct tables);
    char *text = arena_alloc(arena, (size_t)binary->length + 2);
    memcpy(text, binary->text, binary->length);
    text[binary->length] = text[binary->length + 1] = 0;
    source_init(&source, arena, cuda->options.program_name, text, binary->length);
    tags_find(&tags, arena, &source);
    if (!tags.list.n)
        return NULL;
    diags_init(&diags, arena);
    bool good = tags_read(tables, arena, &source, &diags);
    binary->tables = good ? tables : NULL;
    binary->text = tags_strip(arena, &source, &tags, &binary->length);
    return good ? NULL : first_fault(cuda, &diags, &source);
}

static void add_kernels(struct cuda *cuda, struct tables *to, const struct cuda_binary *binary)
{
    for (uint32_t i = 0; i < binary->tables->kernels.n; i++) {
        struct table_kernel kernel = binary->tables->kernels.v[i];
        kernel.name = link_find_name(&binary->names, kernel.name);
        vec_push(&cuda->arena, &to->kernels, kernel);
    }
}

void program_put_tags(struct cuda *cuda, struct source *program)
{
    struct arena *arena = &cuda->arena;
    struct tables all = {0};
    struct tree tree;
    struct bodies bodies;
    struct diags ignored; // the program is read again later, with its diagnostics
    bool any = false;
    for (uint32_t i = 0; i < cuda->registry.binaries.n; i++) {
        const struct cuda_binary *binary = cuda->registry.binaries.v[i];
        if (!binary->linked || !binary->tables)
            continue;
        if (!any) {
            all = *binary->tables;
            memset(&all.kernels, 0, sizeof all.kernels);
        }
        any = true;
        add_kernels(cuda, &all, binary);
    }
    if (!any)
        return;
    diags_init(&ignored, arena);
    ptx_parse(&tree, arena, program, &ignored);
    bodies_find(&bodies, arena, &tree);
    uint32_t length;
    const char *text = tags_write(arena, &bodies, &all, TAGS_PRAGMA, &length);
    if (text)
        source_init(program, arena, program->name, text, length);
}
