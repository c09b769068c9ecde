#include "support/output.h"
#include "support/file.h"
#include "support/protect.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 64 * 1024, MAX_LINKS = 40 };

void outputs_init(struct outputs *outputs, struct arena *arena)
{
    *outputs = (struct outputs){.arena = arena};
}

static const char *failure(struct arena *arena, const char *path, int error)
{
    if (file_is_standard(path))
        return arena_printf(arena, "cannot write standard output: %s", strerror(error));
    if (error == OUTPUT_IS_INPUT)
        return arena_printf(arena, "cannot write '%s': this command reads or runs that file", path);
    return arena_printf(arena, "cannot write '%s': %s", path, strerror(error));
}

// Paths

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static const char *folder_of(struct arena *arena, const char *path)
{
    size_t length = folder_length(path);
    return length ? arena_strndup(arena, path, length) : "./";
}

// Follows the links at the end of the path to a file that need not exist.
static const char *follow_links(struct arena *arena, const char *path)
{
    char link[PATH_MAX];
    for (int i = 0; i < MAX_LINKS; i++) {
        ssize_t length = readlink(path, link, sizeof link);
        if (length < 0 || length == sizeof link)
            break;
        const char *folder = *link == '/' ? "" : folder_of(arena, path);
        path = arena_printf(arena, "%s%.*s", folder, (int)length, link);
    }
    return path;
}

// Returns true for names of pipes or open files, whose links do not lead to their targets.
static bool names_a_descriptor(const char *path)
{
    static const char *const prefixes[] = {"/dev/fd/", "/dev/std"};
    for (size_t i = 0; i < ARRAY_LENGTH(prefixes); i++)
        if (!strncmp(path, prefixes[i], strlen(prefixes[i])))
            return true;
    return !strncmp(path, "/proc/", 6) && strstr(path, "/fd/");
}

bool output_is_special(const char *path)
{
    struct stat status;
    return !stat(path, &status) && !S_ISREG(status.st_mode);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_is_protected(const struct memory *memory, const char *path)
{
    struct stat own, status;
    return !file_is_standard(path) &&
           (protect_has(memory, path) ||
            (!stat(path, &status) && !stat("/proc/self/exe", &own) && same_file(&own, &status)));
}

bool output_same(struct arena *arena, const char *a, const char *b)
{
    if (file_is_standard(a) || file_is_standard(b))
        return file_is_standard(a) && file_is_standard(b);
    struct stat status_a, status_b;
    bool has_a = !stat(a, &status_a), has_b = !stat(b, &status_b);
    if (has_a || has_b)
        return has_a && has_b && same_file(&status_a, &status_b) && S_ISREG(status_a.st_mode);
    a = follow_links(arena, a);
    b = follow_links(arena, b);
    if (strcmp(a + folder_length(a), b + folder_length(b)))
        return false;
    return !stat(folder_of(arena, a), &status_a) && !stat(folder_of(arena, b), &status_b) &&
           same_file(&status_a, &status_b);
}

static bool is_below(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    while (length && folder[length - 1] == '/')
        length--;
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

const char *output_refusal(struct arena *arena, const char *path)
{
    if (file_is_standard(path))
        return NULL;
    const char *target = follow_links(arena, path);
    char *here = realpath(".", NULL), *folder = realpath(folder_of(arena, target), NULL);
    bool below = here && folder && is_below(here, folder);
    // A target without a folder cannot be written; opening it reports the error.
    bool missing = here && !folder && errno == ENOENT && *target != '/' && !strstr(target, "..");
    free(here);
    free(folder);
    if (!below && !missing)
        return "is outside of the current folder";
    return output_is_special(target) ? "exists and is not a file" : NULL;
}

// Opening

// Truncates a directly written file before the first write, when all inputs are known.
static void truncate_direct(struct output_file *output)
{
    struct stat status;
    output->is_truncated = true;
    if (output_is_protected(output->memory, output->path))
        output->error = OUTPUT_IS_INPUT;
    else if (!fstat(output->fd, &status) && S_ISREG(status.st_mode) && ftruncate(output->fd, 0))
        output->error = errno;
}

static ssize_t write_output(void *cookie, const char *data, size_t size)
{
    struct output_file *output = cookie;
    size_t done = 0;
    if (!output->is_truncated)
        truncate_direct(output);
    while (done < size && !output->error) {
        ssize_t wrote = write(output->fd, data + done, size - done);
        if (wrote > 0)
            done += (size_t)wrote;
        else if (wrote < 0 && errno != EINTR)
            output->error = errno;
    }
    // stdio expects 0 for a failure, and remembers it.
    return output->error ? 0 : (ssize_t)size;
}

static bool open_stream(struct arena *arena, struct output_file *output)
{
    // A stream of fdopen would lose the reason of a failed write.
    output->to = fopencookie(output, "w", (cookie_io_functions_t){.write = write_output});
    if (!output->to)
        return false;
    setvbuf(output->to, arena_alloc(arena, BUFFER), _IOFBF, BUFFER);
    return true;
}

// Determines the mode of the file: that of the existing file, or that of a new one. Returns an
// errno, or 0.
static int check_target(struct output_file *output)
{
    struct stat status;
    size_t length = strlen(output->target);
    if (stat(output->target, &status)) {
        if (length && output->target[length - 1] == '/')
            return EISDIR;
        mode_t mask = umask(0);
        umask(mask);
        output->mode = 0666 & ~mask;
        return errno == ENOENT ? 0 : errno;
    }
    if (S_ISDIR(status.st_mode))
        return EISDIR;
    output->mode = status.st_mode & 0777;
    // A new file could replace a write-protected one, so this is rejected.
    return euidaccess(output->target, W_OK) ? errno : 0;
}

// Creates the temporary file and adds the output with signals blocked, so that a signal cannot
// leave the file behind.
static int open_temporary(struct outputs *outputs, struct output_file *output)
{
    char *name = arena_printf(outputs->arena, "%s.ptxoffload-XXXXXX",
                              folder_of(outputs->arena, output->target));
    vec_reserve(outputs->arena, &outputs->list, outputs->list.n + 1);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    output->fd = mkostemp(name, O_CLOEXEC);
    int error = output->fd < 0 ? errno : 0;
    if (!error) {
        output->is_truncated = true;
        output->temporary = name;
        outputs->list.v[outputs->list.n++] = output;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return error;
}

static int open_directly(struct outputs *outputs, struct output_file *output)
{
    vec_reserve(outputs->arena, &outputs->list, outputs->list.n + 1);
    output->fd = STDOUT_FILENO;
    output->is_truncated = file_is_standard(output->path);
    if (!file_is_standard(output->path))
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    if (output->fd < 0)
        return errno;
    outputs->list.v[outputs->list.n++] = output;
    return 0;
}

FILE *output_open(struct outputs *outputs, const char *path, const char **error)
{
    struct output_file *output = ARENA_NEW(outputs->arena, struct output_file);
    output->path = path;
    output->fd = -1;
    bool direct = file_is_standard(path) || names_a_descriptor(path) || output_is_special(path);
    output->target = direct ? path : follow_links(outputs->arena, path);
    int failed = file_is_standard(path) ? 0 : check_target(output);
    output->memory = outputs->arena->memory;
    if (!failed && output_is_protected(output->memory, path))
        failed = OUTPUT_IS_INPUT;
    if (!failed)
        failed = direct ? open_directly(outputs, output) : open_temporary(outputs, output);
    if (!failed && !open_stream(outputs->arena, output))
        failed = ENOMEM;
    if (failed)
        *error = failure(outputs->arena, path, failed);
    return failed ? NULL : output->to;
}

// Closing

static void close_stream(struct output_file *output)
{
    if (output->to && fclose(output->to) && !output->error)
        output->error = EIO;
    output->to = NULL;
}

static void close_output(struct output_file *output)
{
    close_stream(output);
    if (output->fd < 0)
        return;
    if (!output->is_truncated && !output->error)
        truncate_direct(output);
    if (output->temporary && !output->error && output_is_protected(output->memory, output->target))
        output->error = OUTPUT_IS_INPUT;
    // Some file systems cannot set modes, which is not an error.
    if (output->temporary)
        fchmod(output->fd, output->mode);
    if (output->fd != STDOUT_FILENO && close(output->fd) && !output->error)
        output->error = errno;
    output->fd = -1;
}

// Renames the outputs with signals blocked, so that an interrupted run leaves all of them or none.
static struct output_file *rename_all(struct outputs *outputs)
{
    struct output_file *failed = NULL;
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (uint32_t i = 0; i < outputs->list.n && !failed; i++) {
        struct output_file *output = outputs->list.v[i];
        if (!output->temporary)
            continue;
        if (rename(output->temporary, output->target)) {
            output->error = errno;
            failed = output;
        } else {
            output->temporary = NULL;
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return failed;
}

const char *outputs_commit(struct outputs *outputs)
{
    struct output_file *failed = NULL;
    for (uint32_t i = 0; i < outputs->list.n; i++) {
        close_output(outputs->list.v[i]);
        if (outputs->list.v[i]->error && !failed)
            failed = outputs->list.v[i];
    }
    if (!failed)
        failed = rename_all(outputs);
    const char *message = failed ? failure(outputs->arena, failed->path, failed->error) : NULL;
    outputs_abandon(outputs);
    return message;
}

void outputs_abandon(struct outputs *outputs)
{
    outputs_remove(outputs);
    for (uint32_t i = 0; i < outputs->list.n; i++) {
        struct output_file *output = outputs->list.v[i];
        output->temporary = NULL;
        // An error discards the buffered data.
        if (!output->error)
            output->error = ECANCELED;
        close_output(output);
    }
    outputs->list.n = 0;
}

void outputs_remove(const struct outputs *outputs)
{
    for (uint32_t i = 0; i < outputs->list.n; i++)
        if (outputs->list.v[i]->temporary)
            unlink(outputs->list.v[i]->temporary);
}
