#include "backend/elf/elf_tables.h"
#include "cli/common/input.h"
#include "frontend/container.h"
#include "support/file.h"
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *bytes;
    size_t length;
} magics[] = {{"\177ELF", 4}, {"\x50\xed\x55\xba", 4}, {"!<arch>\n", 8}};

bool container_input_is(const char *path)
{
    // Not with fopen, which allocates: with exhausted memory, a library would be read as text.
    char begin[8];
    struct stat status;
    // Data read from a pipe is gone, and a named pipe can be opened only once.
    if (file_is_standard(path) || stat(path, &status) || !S_ISREG(status.st_mode))
        return false;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    ssize_t length = read(file, begin, sizeof begin);
    close(file);
    for (size_t i = 0; i < ARRAY_LENGTH(magics); i++)
        if (length >= (ssize_t)magics[i].length &&
            !memcmp(begin, magics[i].bytes, magics[i].length))
            return true;
    return false;
}

struct opened_container {
    struct file_map map;
    struct diags diags;
    struct container container;
    struct source source; // for messages: a name without a text
    int32_t artifact;
};

static bool open_container(struct opened_container *o, const struct messages *messages,
                           struct arena *arena, const char *path)
{
    *o = (struct opened_container){0};
    const char *name = file_is_standard(path) ? "<stdin>" : path;
    const char *error = file_map(arena, path, &o->map);
    if (error) {
        message_error(messages, "cannot read '%s': %s", name, error);
        return false;
    }
    diags_init(&o->diags, arena);
    o->artifact = messages_artifact(messages, name, o->map.bytes, o->map.size, -1);
    source_init(&o->source, arena, name, "", 0);
    return container_open(&o->container, arena, name, o->map.bytes, o->map.size, &o->diags);
}

// Reports the container's diagnostics and closes it. Returns false if there are errors, or if
// `good` is false.
static bool close_container(struct opened_container *o, const struct messages *messages, bool good)
{
    good &= messages_diags(messages, &o->diags, &o->source);
    file_unmap(&o->map);
    return good;
}

bool container_input_list(const struct messages *messages, struct arena *arena, const char *path,
                          bool as_json, FILE *to)
{
    struct opened_container o;
    bool good = open_container(&o, messages, arena, path);
    if (o.container.arena) // modules found before a fault are listed too
        (as_json ? container_print_json : container_print)(&o.container, to);
    return close_container(&o, messages, good);
}

// Other commands use one module and do not write modules.
static bool is_tagger(const struct messages *messages)
{
    return !strcmp(messages->command, "ptxoffload");
}

static uint32_t choose(struct opened_container *o, const struct messages *messages,
                       uint32_t **modules)
{
    return container_choose(&o->container, messages->options->choice, modules, &o->diags);
}

static bool unpack_module(struct opened_container *o, const struct messages *messages,
                          uint32_t module, struct arena *arena, struct source *source,
                          struct diags *diags)
{
    char *text;
    uint32_t length;
    if (!container_text(&o->container, module, arena, &text, &length, diags))
        return false;
    const char *name = arena_printf(arena, "%s.ptx", container_file_name(&o->container, module));
    message_verbose(messages, "module %u of '%s'", module, o->source.name);
    messages_artifact(messages, name, text, length, o->artifact);
    source_init(source, arena, name, text, length);
    return true;
}

static bool read_module(struct opened_container *o, const struct messages *messages,
                        struct arena *arena, struct source *source)
{
    uint32_t *modules, count = choose(o, messages, &modules);
    bool runs = !is_tagger(messages);
    if (count > 1)
        message_fault(messages, "module-choice",
                      "'%s' has %u matching PTX modules: select one with --module=N%s; %s--list "
                      "shows them",
                      o->source.name, count, runs ? "" : ", or write all of them to a folder",
                      runs ? "ptxoffload " : "");
    return count == 1 && unpack_module(o, messages, *modules, arena, source, &o->diags);
}

// Passes a module to `take`. Its errors are reported before the next module is read.
static bool pass_module(struct opened_container *o, const struct messages *messages,
                        uint32_t module, struct arena *arena, container_input_fn *take,
                        void *context)
{
    struct diags diags;
    struct source source;
    diags_init(&diags, arena);
    bool good = unpack_module(o, messages, module, arena, &source, &diags);
    good &= messages_diags(messages, &diags, &o->source);
    return take(context, container_file_name(&o->container, module), good ? &source : NULL);
}

bool container_input_each(const struct messages *messages, struct arena *arena,
                          struct arena *of_module, container_input_fn *take, void *context)
{
    struct opened_container o;
    bool good = open_container(&o, messages, arena, messages->options->input);
    uint32_t *modules, count = o.container.arena ? choose(&o, messages, &modules) : 0;
    for (uint32_t i = 0; i < count; i++) {
        good &= pass_module(&o, messages, modules[i], of_module, take, context);
        arena_free(of_module);
    }
    return close_container(&o, messages, good && count);
}

static bool read_container(const struct messages *messages, struct arena *arena,
                           struct source *source)
{
    struct opened_container o;
    bool good = open_container(&o, messages, arena, messages->options->input);
    good = good && read_module(&o, messages, arena, source);
    return close_container(&o, messages, good);
}

// ELF objects of an earlier run

static bool is_object(const struct messages *messages, struct arena *arena)
{
    const struct common_options *options = messages->options;
    struct file_map map;
    if (options->choice.module || options->choice.arch || !container_input_is(options->input) ||
        file_map(arena, options->input, &map))
        return false;
    bool is_ours = tables_is_elf(map.bytes, map.size);
    file_unmap(&map);
    return is_ours;
}

static bool read_object(const struct messages *messages, struct arena *arena, struct source *ptx,
                        struct tables *tables)
{
    const char *input = messages->options->input;
    struct file_map map;
    struct diags diags;
    struct source whole; // for messages: a name without a text
    const char *error = file_map(arena, input, &map);
    if (error) {
        message_error(messages, "cannot read '%s': %s", input, error);
        return false;
    }
    diags_init(&diags, arena);
    source_init(&whole, arena, input, "", 0);
    int32_t artifact = messages_artifact(messages, input, map.bytes, map.size, -1);
    tables_read_elf(tables, ptx, arena, arena_printf(arena, "%s(.ptxoffload.ptx)", input),
                    map.bytes, map.size, &diags);
    file_unmap(&map);
    if (!messages_diags(messages, &diags, &whole))
        return false;
    messages_artifact(messages, ptx->name, ptx->text, ptx->length, artifact);
    return true;
}

static bool read_text(const struct messages *messages, struct arena *arena, struct source *source)
{
    const struct common_options *options = messages->options;
    if (!input_text(messages, arena, options->input, source))
        return false;
    if (!options->choice.module && !options->choice.arch)
        return true;
    message_fault(messages, "module-choice", "%s in a program or library, but this is PTX text",
                  is_tagger(messages) ? "--module and --arch choose"
                                      : "a module or architecture is chosen");
    return false;
}

bool input_read(const struct messages *messages, struct arena *arena, struct source *source,
                struct tables *tables, bool *is_its_object)
{
    *is_its_object = is_object(messages, arena);
    return *is_its_object ? read_object(messages, arena, source, tables)
           : container_input_is(messages->options->input) ? read_container(messages, arena, source)
                                                          : read_text(messages, arena, source);
}
