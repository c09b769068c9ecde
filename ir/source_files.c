#include "ir/source_files.h"
#include <string.h>

static const struct source *read_source(struct arena *arena, const char *path, const char *name)
{
    struct file_text file;
    if (!file_is_there(path) || file_read(arena, path, &file))
        return NULL;
    struct source *source = ARENA_NEW(arena, struct source);
    source_init(source, arena, name, file.text, file.length);
    return source;
}

static const struct source *search(struct source_files *files, const char *name)
{
    const char *slash = strrchr(name, '/'), *last = slash ? slash + 1 : name;
    const char *end = strrchr(files->program, '/');
    const char *beside =
        end ? arena_printf(files->arena, "%.*s/", (int)(end - files->program), files->program) : "";
    const char *const paths[] = {
        arena_printf(files->arena, "%s%s", beside, last),
        *name == '/' ? name : arena_printf(files->arena, "%s%s", beside, name), name, last};
    const struct source *found = NULL;
    for (uint32_t i = 0; !found && i < ARRAY_LENGTH(paths); i++)
        found = read_source(files->arena, paths[i], name);
    return found;
}

const struct source *source_find(struct source_files *files, const char *name)
{
    for (uint32_t i = 0; i < files->list.n; i++)
        if (!strcmp(files->list.v[i].name, name))
            return files->list.v[i].source;
    struct source_file file = {name, search(files, name)};
    vec_push(files->arena, &files->list, file);
    return file.source;
}

struct file_text source_text(const struct source *source, uint32_t line)
{
    uint32_t begin, end;
    if (!line || line > source_lines(source)->at.n)
        return (struct file_text){"", 0};
    source_line(source, line, &begin, &end);
    return (struct file_text){source->text + begin, end - begin};
}
