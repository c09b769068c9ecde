#include "cli/common/files.h"
#include "support/file.h"
#include <string.h>

void files_add(struct named_files *files, const char *path, const char *what, bool written)
{
    struct named_file made = {path, what, written};
    if (path)
        vec_push(files->arena, &files->list, made);
}

// Leaves out the document of --diagnostics, where errors are reported: it is checked when it is
// opened.
static void add_output(void *context, const char *path, const char *option)
{
    if (strcmp(option, "--diagnostics") != 0)
        files_add(context, path, option, true);
}

void files_add_outputs(struct named_files *files, const struct command *command,
                       const void *options)
{
    options_files(command, options, true, add_output, files);
}

static bool differ(const struct named_files *files, const struct named_file *a,
                   const struct named_file *b)
{
    // Standard input and output have the same name but are different.
    bool two = a->written != b->written && file_is_standard(a->path);
    if (two || !(a->written || b->written) || !output_same(files->arena, a->path, b->path))
        return true;
    if (a->written && b->written)
        message_error(files->messages, "%s and %s are both written to '%s'", a->what, b->what,
                      a->path);
    else
        message_error(files->messages, "%s would overwrite %s '%s'", b->what, a->what, a->path);
    return false;
}

// Returns true if a listed file that is read has this name; differ reports it.
static bool is_listed(const struct named_files *files, const char *path)
{
    for (uint32_t i = 0; i < files->list.n; i++)
        if (!files->list.v[i].written && output_same(files->arena, files->list.v[i].path, path))
            return true;
    return false;
}

// Reports a file that the run has read and that would be overwritten. Files that other files name,
// such as maps, are known only after they have been read.
static bool is_protected(const struct named_files *files, const struct named_file *file)
{
    bool wrong = file->written && !is_listed(files, file->path) &&
                 output_is_protected(files->arena->memory, file->path);
    if (wrong)
        message_error(files->messages, "%s would overwrite '%s', which is an input", file->what,
                      file->path);
    return wrong;
}

bool files_check(struct named_files *files)
{
    bool good = true;
    for (uint32_t i = 0; i < files->list.n; i++)
        good &= !is_protected(files, &files->list.v[i]);
    for (uint32_t i = 0; i < files->list.n; i++)
        for (uint32_t k = 0; k < i; k++)
            good &= differ(files, &files->list.v[k], &files->list.v[i]);
    return good;
}
