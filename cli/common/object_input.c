#include "cli/common/object_input.h"
#include "backend/elf_tables.h"
#include "cli/common/container_input.h"
#include "passes/base/capability.h"
#include "support/file_map.h"
#include <string.h>

bool object_input_is(struct arena *arena, const struct arguments *arguments)
{
    struct file_map map;
    if (arguments->module || arguments->arch || !container_input_is(arguments->input) ||
        file_map(arena, arguments->input, &map))
        return false;
    bool is_ours = tables_is_elf(map.bytes, map.size);
    file_unmap(&map);
    return is_ours;
}

static bool is_tagged_as(struct arena *arena, const struct source *ptx, enum tag_style style)
{
    struct tags tags;
    tags_find(&tags, arena, ptx);
    return tags.list.n ? tags_are(&tags, style) : style == TAGS_NONE || style == TAGS_PAPER;
}

// An option that asks for something else than what the object has, or NULL. What was not requested
// is as the object has it.
static const char *other_option(struct arena *arena, const struct arguments *arguments,
                                const struct source *ptx, const struct tables *tables)
{
    const struct pass_options *made = &tables->options;
    if (!arguments->reorder && made->reorder)
        return "--no-reorder";
    if (arguments->cost >= 0 && arguments->cost != (int)made->cost)
        return "this --cost";
    if (arguments->fma >= 0 && arguments->fma != (int)made->fma)
        return "this --fma";
    if (shape_is_known(&arguments->block) &&
        memcmp(&arguments->block, &made->block, sizeof made->block))
        return "this --block";
    if (arguments->restrict_parameters && !made->restrict_parameters)
        return "--restrict";
    if (arguments->capability && strcmp(arguments->capability->text, tables->capability) != 0)
        return "this --capability";
    if (arguments->min_saving && (!made->min_saving || *arguments->min_saving != *made->min_saving))
        return "this --min-saving";
    if (arguments->kinds && arguments->kinds != made->kinds)
        return "this --candidates";
    if (arguments->profile_path)
        return "this --profile";
    if (arguments->tags >= 0 && !is_tagged_as(arena, ptx, (enum tag_style)arguments->tags))
        return "--tags";
    return NULL;
}

bool object_input_read(const struct messages *messages, struct arena *arena, struct source *ptx,
                       struct tables *tables)
{
    const struct arguments *arguments = messages->arguments;
    struct file_map map;
    struct diags diags;
    struct source whole; // for messages: a name without a text
    const char *error = file_map(arena, arguments->input, &map);
    if (error) {
        message_error(messages, "cannot read '%s': %s", arguments->input, error);
        return false;
    }
    diags_init(&diags, arena);
    source_init(&whole, arena, arguments->input, "", 0);
    int32_t artifact = messages_artifact(messages, arguments->input, map.bytes, map.size, -1);
    tables_read_elf(tables, ptx, arena,
                    arena_printf(arena, "%s(.ptxoffload.ptx)", arguments->input), map.bytes,
                    map.size, &diags);
    file_unmap(&map);
    if (!messages_diags(messages, &diags, &whole))
        return false;
    messages_artifact(messages, ptx->name, ptx->text, ptx->length, artifact);
    const char *option = other_option(arena, arguments, ptx, tables);
    if (option)
        message_error(messages,
                      "'%s' was made without %s, and is used unchanged; --module=0 uses its PTX "
                      "and decides anew",
                      arguments->input, option);
    return !option;
}
