// Inputs: the modules of a text, program, object or library.
#include "api/api.h"
#include "frontend/container.h"
#include "ir/read.h"
#include <string.h>

struct ptxoffload_input {
    struct api_object object;
    const char *name;
    struct container container;
    struct arena unpacked; // text that api_unpack has unpacked last
};

struct ptxoffload_context *api_input_context(const struct ptxoffload_input *input)
{
    return input->object.context;
}

static enum ptxoffload_status open_bytes(struct ptxoffload_input *input, const char *name,
                                         const void *bytes, size_t size)
{
    struct diags diags;
    struct source about;
    API_ENTER(&input->object);
    struct arena *arena = &input->object.arena;
    arena_init(&input->unpacked, &input->object.memory);
    input->name = arena_printf(arena, "%s", name ? name : "input.ptx");
    diags_init(&diags, arena);
    source_init(&about, arena, input->name, "", 0);
    bool good =
        container_open(&input->container, arena, input->name, bytes ? bytes : "", size, &diags);
    return api_report(input->object.context, &diags, &about) && good ? PTXOFFLOAD_OK
                                                                     : PTXOFFLOAD_BAD_INPUT;
}

enum ptxoffload_status ptxoffload_open(struct ptxoffload_context *context, const char *name,
                                       const void *bytes, size_t size,
                                       struct ptxoffload_input **input)
{
    if (!context || !input || (!bytes && size))
        return PTXOFFLOAD_BAD_ARGUMENT;
    *input = NULL;
    struct ptxoffload_input *made = api_new(context, sizeof *made);
    if (!made)
        return PTXOFFLOAD_NO_MEMORY;
    enum ptxoffload_status status = open_bytes(made, name, bytes, size);
    if (status == PTXOFFLOAD_OK)
        *input = made;
    else
        api_free(made);
    return status;
}

void ptxoffload_input_free(struct ptxoffload_input *input)
{
    api_free(input);
}

// Modules

uint32_t ptxoffload_module_count(const struct ptxoffload_input *input)
{
    return !input || input->object.lost ? 0 : input->container.modules.n;
}

static const char *name_of(struct ptxoffload_input *input, uint32_t module, struct arena *arena)
{
    if (input->container.kind == CONTAINER_TEXT)
        return arena_printf(arena, "%s", input->name);
    return arena_printf(arena, "%s.ptx", container_file_name(&input->container, module));
}

enum ptxoffload_status ptxoffload_module_at(struct ptxoffload_input *input, uint32_t module,
                                            struct ptxoffload_module_info *to)
{
    if (!input || !api_sized(to, sizeof *to))
        return PTXOFFLOAD_BAD_ARGUMENT;
    API_ENTER(&input->object);
    if (module >= input->container.modules.n)
        return PTXOFFLOAD_BAD_ARGUMENT;
    const struct container_module *from = &input->container.modules.v[module];
    struct ptxoffload_module_info info = {
        .name = name_of(input, module, &input->object.arena),
        .has_ptx = from->kind == MODULE_PTX,
        .architecture = from->arch,
        .version = from->kind == MODULE_PTX ? from->major * 10u + from->minor : 0,
        .bytes = from->size,
    };
    return api_give(to, &info, sizeof info);
}

enum ptxoffload_status api_unpack(struct ptxoffload_input *input, uint32_t module,
                                  struct api_text *to)
{
    struct diags diags;
    struct source about;
    char *text;
    API_ENTER(&input->object);
    struct arena *arena = &input->unpacked;
    arena_free(arena);
    if (module >= input->container.modules.n)
        return PTXOFFLOAD_BAD_ARGUMENT;
    diags_init(&diags, arena);
    source_init(&about, arena, input->name, "", 0);
    bool good = container_text(&input->container, module, arena, &text, &to->length, &diags);
    to->text = text;
    to->name = good ? name_of(input, module, arena) : input->name;
    to->tables = NULL;
    return api_report(input->object.context, &diags, &about) && good ? PTXOFFLOAD_OK
                                                                     : PTXOFFLOAD_BAD_INPUT;
}

void api_drop_unpacked(struct ptxoffload_input *input)
{
    if (!input->object.lost)
        arena_free(&input->unpacked);
}

void api_source(struct source *source, struct arena *arena, const struct api_text *text)
{
    enum { TERMINATOR = 2 };
    char *copy = arena_alloc(arena, text->length + TERMINATOR);
    memcpy(copy, text->text, text->length);
    source_init(source, arena, arena_printf(arena, "%s", text->name), copy, text->length);
}

// Checking

static enum ptxoffload_status check_text(struct api_object *object, const struct api_text *text)
{
    struct source source;
    struct tree tree;
    struct ir_module built;
    struct diags diags;
    API_ENTER(object);
    api_source(&source, &object->arena, text);
    diags_init(&diags, &object->arena);
    struct ir_reading reading = {.arena = &object->arena,
                                 .source = &source,
                                 .tree = &tree,
                                 .module = &built,
                                 .diags = &diags,
                                 .only_check = true};
    ir_read_program(&reading);
    return api_report(object->context, &diags, &source) ? PTXOFFLOAD_OK : PTXOFFLOAD_BAD_INPUT;
}

enum ptxoffload_status ptxoffload_check(struct ptxoffload_input *input, uint32_t module)
{
    struct api_text text;
    if (!input)
        return PTXOFFLOAD_BAD_ARGUMENT;
    enum ptxoffload_status status = api_unpack(input, module, &text);
    if (status != PTXOFFLOAD_OK)
        return status;
    struct api_object *object = api_new(input->object.context, sizeof *object);
    status = object ? check_text(object, &text) : PTXOFFLOAD_NO_MEMORY;
    api_free(object);
    api_drop_unpacked(input);
    return status;
}

static enum ptxoffload_status strip_text(struct ptxoffload_input *input,
                                         const struct api_text *from, const char **text,
                                         size_t *length)
{
    struct source source;
    uint32_t stripped;
    API_ENTER(&input->object);
    source_init(&source, &input->unpacked, from->name, from->text, from->length);
    const char *without = backend_strip(&input->unpacked, &source, &stripped);
    *text = arena_strndup(&input->object.arena, without, stripped);
    *length = stripped;
    return PTXOFFLOAD_OK;
}

enum ptxoffload_status ptxoffload_strip(struct ptxoffload_input *input, uint32_t module,
                                        const char **text, size_t *length)
{
    struct api_text from;
    if (!input || !text || !length)
        return PTXOFFLOAD_BAD_ARGUMENT;
    enum ptxoffload_status status = api_unpack(input, module, &from);
    if (status == PTXOFFLOAD_OK)
        status = strip_text(input, &from, text, length);
    api_drop_unpacked(input);
    return status;
}
