#include "backend/emit/backend.h"
#include "backend/tables/bodies.h"
#include "backend/tables/build.h"
#include "backend/emit/text.h"
#include "frontend/ptx_header.h"
#include "passes/base/capability.h"
#include "passes/analysis/memory/measured.h"
#include <string.h>

// Removes all tags. Removing a tag can join the halves of another one, so this repeats a few times.
static void strip_all(struct source *source, struct arena *arena)
{
    enum { LIMIT = 8 };
    for (int i = 0; i < LIMIT; i++) {
        struct tags tags;
        uint32_t length;
        tags_find(&tags, arena, source);
        if (!tags.list.n)
            return;
        char *text = tags_strip(arena, source, &tags, &length);
        source_init(source, arena, source->name, text, length);
    }
}

enum tag_style backend_style(struct arena *arena, const struct source *source)
{
    struct tags tags;
    struct ptx_header header;
    bool old = ptx_header_read(&header, source->text, source->length) && header.major < 2;
    tags_find(&tags, arena, source);
    if (tags.list.n && !tags_are_small(&tags))
        return old ? TAGS_COMMENT_FULL : TAGS_PRAGMA_FULL;
    return old ? TAGS_COMMENT : TAGS_PRAGMA;
}

static bool same_min_saving(const double *a, const double *b)
{
    return a && b ? *a == *b : !a && !b;
}

static bool same_options(const struct pass_options *a, const struct pass_options *b)
{
    return a->cost == b->cost && a->fma == b->fma && a->reorder == b->reorder &&
           a->block.x == b->block.x && a->block.y == b->block.y && a->block.z == b->block.z &&
           a->restrict_parameters == b->restrict_parameters && a->maps == b->maps &&
           a->kinds == b->kinds && same_min_saving(a->min_saving, b->min_saving);
}

// Returns true if this run's output would equal the input.
static bool is_current(struct opened *opened, struct arena *arena, const struct source *input,
                       const struct backend_options *options)
{
    struct tags tags;
    struct diags ignored;
    tags_find(&tags, arena, input);
    diags_init(&ignored, arena);
    bool lacks = tags_are_small(&tags) && !options->only_text;
    if (lacks || !tags_are(&tags, options->tags) ||
        !tags_read(&opened->tables, arena, input, &ignored))
        return false;
    opened->tables.output.file = text_utf8(arena, options->output_name);
    // With a profile all decisions are repeated, because the reports show what it has changed.
    if (options->profiled || *opened->tables.profile)
        return false;
    return same_options(&opened->tables.options, &options->passes) &&
           !strcmp(opened->tables.capability, capability_of(&options->passes)->text);
}

void backend_open(struct opened *opened, struct arena *arena, const struct source *input,
                  const struct backend_options *options)
{
    *opened = (struct opened){.source = *input};
    if (options->tags == TAGS_NONE && !options->passes.reorder)
        return;
    opened->current = is_current(opened, arena, input, options);
    if (!opened->current)
        strip_all(&opened->source, arena);
}

const char *backend_strip(struct arena *arena, const struct source *input, uint32_t *length)
{
    struct source source = *input;
    strip_all(&source, arena);
    *length = source.length;
    return source.text;
}

// Writes the text with the plan's edits, and finds the bodies in it. Parses the text only if an
// edit adds or removes instructions: parsing takes a tenth of the run's time, and as much memory as
// the input's tree. Returns NULL, or the fault of the edits.
static const char *apply_edits(struct output *output, struct arena *arena,
                               const struct ir_module *module, const struct plan *plan,
                               struct written *written)
{
    const struct source *input = module->tree->source;
    const char *wrong = writer_apply(arena, input, &plan->edits, written);
    if (wrong)
        return wrong;
    output->tree = module->tree;
    if (keep_instructions(&plan->edits, input)) {
        bodies_written(&output->bodies, arena, module->tree, written);
        return NULL;
    }
    struct source *source = ARENA_NEW(arena, struct source);
    output->tree = ARENA_NEW(arena, struct tree);
    struct diags ignored;
    diags_init(&ignored, arena);
    source_init(source, arena, input->name, written->text, written->length);
    ptx_parse(output->tree, arena, source, &ignored);
    bodies_find(&output->bodies, arena, output->tree);
    return NULL;
}

static const char *table_name(struct arena *arena, const struct backend_options *options,
                              const char *name)
{
    return text_utf8(arena,
                     options->prefixes ? prefix_map_name(options->prefixes, arena, name) : name);
}

const char *backend_emit(struct output *output, struct arena *arena, const struct ir_module *module,
                         const struct plan *plan, const struct backend_options *options)
{
    const struct source *source = module->tree->source;
    struct written written;
    struct bodies *bodies = &output->bodies;
    struct tables *tables = &output->tables;
    *tables = (struct tables){.version = TABLES_VERSION,
                              .options = options->passes,
                              .capability = capability_of(&options->passes)->text,
                              .profile =
                                  options->passes.measured ? options->passes.measured->sha256 : ""};
    output->style = options->tags;
    tables->source.file = table_name(arena, options, source->name);
    tables->output.file = table_name(arena, options, options->output_name);
    if (!options->undigested || tag_style_is_full(options->tags))
        tables_digest(tables->source.sha256, source->text, source->length);
    const char *wrong = apply_edits(output, arena, module, plan, &written);
    if (wrong)
        return wrong;
    wrong = tables_build(tables, arena, module, plan, &written, bodies);
    if (wrong)
        return wrong;
    output->text = tags_write(arena, bodies, tables, options->tags, &output->length);
    if (!output->text)
        return "a kernel of the tables is not in the output";
    if (!options->undigested)
        tables_digest(tables->output.sha256, output->text, output->length);
    return NULL;
}
