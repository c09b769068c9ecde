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

static const char *read_tags(struct cuda *cuda, struct cuda_part *part)
{
    struct arena *arena = &cuda->arena;
    struct source source;
    struct tags tags;
    struct diags diags;
    struct tables *tables = ARENA_NEW(arena, struct tables);
    uint32_t length = part->input.length;
    char *text = arena_alloc(arena, (size_t)length + 2);
    memcpy(text, part->input.text, length);
    text[length] = text[length + 1] = 0;
    source_init(&source, arena, cuda->options.program_name, text, length);
    tags_find(&tags, arena, &source);
    if (!tags.list.n)
        return NULL;
    diags_init(&diags, arena);
    bool good = tags_read(tables, arena, &source, &diags);
    part->tables = good ? tables : NULL;
    part->input.text = tags_strip(arena, &source, &tags, &part->input.length);
    return good ? NULL : first_fault(cuda, &diags, &source);
}

const char *program_read_tags(struct cuda *cuda, struct cuda_binary *binary)
{
    const char *wrong = NULL;
    for (uint32_t i = 0; i < binary->parts.n && !wrong; i++)
        wrong = read_tags(cuda, &binary->parts.v[i]);
    return wrong;
}

// Adds the tables of a module. The first one gives what is not about kernels.
static void add_tables(struct cuda *cuda, struct tables *to, bool is_first,
                       const struct cuda_binary *binary, const struct tables *from)
{
    if (is_first) {
        *to = *from;
        memset(&to->kernels, 0, sizeof to->kernels);
    }
    for (uint32_t i = 0; i < from->kernels.n; i++) {
        struct table_kernel kernel = from->kernels.v[i];
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
        for (uint32_t k = 0; k < binary->parts.n && binary->linked; k++) {
            const struct tables *tables = binary->parts.v[k].tables;
            if (tables)
                add_tables(cuda, &all, !any, binary, tables);
            any |= tables != NULL;
        }
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
