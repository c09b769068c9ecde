#include "cli/run/program.h"
#include "support/protect.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode) && !access(path, X_OK);
}

static const char *find(struct arena *arena, const char *name)
{
    const char *at = strchr(name, '/') ? NULL : getenv("PATH");
    if (strchr(name, '/'))
        return is_program(name) ? name : NULL;
    while (at && *at) {
        size_t length = strcspn(at, ":");
        const char *path = arena_printf(arena, "%.*s/%s", (int)length, at, name);
        if (length && is_program(path))
            return path;
        at += length + (at[length] != 0);
    }
    return NULL;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), n = strlen(suffix);
    return length > n && !strcmp(name + length - n, suffix);
}

// Returns what the file is if it is an input of another command, or NULL.
static const char *other_input(struct arena *arena, const char *name)
{
    static const struct {
        const char *suffix, *kind, *command;
    } rows[] = {
        {".cu", "a source file: compile it", "nvcc"},
        {".cpp", "a source file: compile it", "nvcc"},
        {".ptx", "PTX: run it with its launch", "ptxoffload-sim --grid=1 --block=32"},
        {".yaml", "a run file: run it", "ptxoffload-sim"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (ends_in(name, rows[i].suffix))
            return arena_printf(arena, "'%s' is %s, '%s %s'", name, rows[i].kind, rows[i].command,
                                name);
    return NULL;
}

// Returns why there is no program of this name.
static const char *missing_program(struct arena *arena, const char *name)
{
    const char *here = arena_printf(arena, "./%s", name);
    const char *other = access(name, F_OK) ? NULL : other_input(arena, name);
    struct stat status;
    if (other)
        return other;
    if (!strchr(name, '/') && is_program(here))
        return arena_printf(arena, "cannot find the program '%s' in PATH; did you mean '%s'?", name,
                            here);
    if (!stat(name, &status) && S_ISDIR(status.st_mode))
        return arena_printf(arena, "'%s' is a folder", name);
    return arena_printf(arena,
                        access(name, F_OK) ? "cannot find the program '%s'"
                                           : "'%s' is not an executable file",
                        name);
}

const char *cuda_application_read(struct cuda_application *program, struct arena *arena,
                                  const char *name)
{
    *program = (struct cuda_application){.path = find(arena, name)};
    if (!program->path)
        return missing_program(arena, name);
    int file = open(program->path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return arena_printf(arena, "cannot read '%s': %s", program->path, strerror(errno));
    protect_open(arena->memory, file);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    program->is_elf = elf && elf_kind(elf) == ELF_K_ELF;
    if (program->is_elf)
        linkage_read(&program->linkage, elf);
    elf_end(elf);
    close(file);
    return program->is_elf ? NULL : other_input(arena, name);
}
