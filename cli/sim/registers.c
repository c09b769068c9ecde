#include "cli/sim/registers.h"
#include "frontend/object.h"
#include "frontend/ptx_header.h"
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// A folder with the PTX and what ptxas makes of it.
struct work {
    const struct messages *messages;
    struct arena *arena;
    char *folder, *ptx, *cubin, *said;
};

static bool begin(struct work *work)
{
    const char *parent = getenv("TMPDIR");
    work->folder = arena_printf(work->arena, "%s/ptxoffload-XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(work->folder)) {
        message_error(work->messages, "--registers=ptxas: cannot make the folder '%s': %s",
                      work->folder, strerror(errno));
        return false;
    }
    work->ptx = arena_printf(work->arena, "%s/in.ptx", work->folder);
    work->cubin = arena_printf(work->arena, "%s/out.cubin", work->folder);
    work->said = arena_printf(work->arena, "%s/messages", work->folder);
    return true;
}

static void end(const struct work *work)
{
    unlink(work->ptx);
    unlink(work->cubin);
    unlink(work->said);
    rmdir(work->folder);
}

// Returns the file's bytes, followed by a NUL byte, or NULL.
static char *read_whole(struct work *work, const char *path, size_t *size)
{
    struct stat about;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    char *bytes = NULL;
    if (file >= 0 && !fstat(file, &about)) {
        bytes = arena_alloc(work->arena, (size_t)about.st_size + 1);
        ssize_t read_bytes = read(file, bytes, (size_t)about.st_size);
        *size = read_bytes > 0 ? (size_t)read_bytes : 0;
        bytes[*size] = 0;
    }
    if (file >= 0)
        close(file);
    return bytes;
}

static bool write_ptx(const struct work *work, const struct source *source)
{
    FILE *file = fopen(work->ptx, "w");
    bool good = file && fwrite(source->text, 1, source->length, file) == source->length;
    if (file)
        good = !fclose(file) && good;
    if (!good)
        message_error(work->messages, "--registers=ptxas: cannot write '%s': %s", work->ptx,
                      strerror(errno));
    return good;
}

// The environment without libraries that are loaded into this process only.
static char **own_environment(struct arena *arena)
{
    uint32_t count = 0;
    while (environ[count])
        count++;
    char **list = ARENA_ARRAY(arena, char *, count + 1), **to = list;
    for (char **from = environ; *from; from++)
        if (strncmp(*from, "LD_PRELOAD=", 11) && strncmp(*from, "LD_AUDIT=", 9))
            *to++ = *from;
    *to = NULL;
    return list;
}

// Runs ptxas. Returns its exit code, 127 if it is not found.
static int run_ptxas(const struct work *work, char *arch)
{
    static const char *const names[] = {"ptxas", "/usr/local/cuda/bin/ptxas"};
    char name[] = "ptxas", option[] = "-o";
    char *words[] = {name, option, work->cubin, work->ptx, arch, NULL};
    posix_spawn_file_actions_t actions;
    int status = 127 << 8;
    pid_t child;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, work->said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    for (uint32_t i = 0; i < 2; i++) {
        if (posix_spawnp(&child, names[i], &actions, NULL, words, own_environment(work->arena)))
            continue;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
        break;
    }
    posix_spawn_file_actions_destroy(&actions);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 126;
}

// Translates for the architecture of .target, or, if ptxas no longer knows that, for its default.
static bool translate(struct work *work, const struct source *source)
{
    struct ptx_header header;
    char *arch = NULL;
    size_t size = 0;
    if (ptx_header_read(&header, source->text, source->length) && header.arch)
        arch =
            arena_printf(work->arena, "-arch=sm_%u%.1s", header.arch, (char[2]){header.suffix, 0});
    int code = run_ptxas(work, arch);
    if (code && code != 127)
        code = run_ptxas(work, NULL);
    if (code == 127)
        message_error(work->messages,
                      "--registers=ptxas: ptxas is neither in PATH nor in /usr/local/cuda/bin; "
                      "--registers=estimate needs none");
    else if (code) {
        char *said = read_whole(work, work->said, &size);
        if (said)
            said[strcspn(said, "\n")] = 0;
        message_error(work->messages, "--registers=ptxas: ptxas refuses the program: %s",
                      said && *said ? said : "it does not say why");
    }
    return !code;
}

static bool read_cubin(struct work *work, struct program *program)
{
    size_t size = 0;
    const char *cubin = read_whole(work, work->cubin, &size);
    struct memory *memory = work->arena->memory;
    uint32_t count = cubin ? object_registers(memory, cubin, size, NULL, 0) : 0;
    struct object_kernel *kernels = ARENA_ARRAY(work->arena, struct object_kernel, count + 1);
    if (count)
        object_registers(memory, cubin, size, kernels, count);
    for (uint32_t i = 0; i < count; i++)
        program_set_registers(program, kernels[i].name, kernels[i].registers);
    if (!count)
        message_error(work->messages, "--registers=ptxas: cannot read the output of ptxas");
    return count > 0;
}

bool registers_by_ptxas(const struct messages *messages, struct arena *arena,
                        const struct source *source, struct program *program)
{
    struct work work = {.messages = messages, .arena = arena};
    if (!begin(&work))
        return false;
    bool good = write_ptx(&work, source) && translate(&work, source) && read_cubin(&work, program);
    end(&work);
    return good;
}
