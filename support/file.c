#include "support/file.h"
#include "support/protect.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_READ = 64 * 1024, TERMINATOR = 2 };

bool file_is_standard(const char *path)
{
    return !strcmp(path, "-");
}

bool file_is_there(const char *path)
{
    struct stat status;
    return !stat(path, &status) && !S_ISDIR(status.st_mode);
}

static const char *system_error(struct arena *arena)
{
    const char *text = strerror(errno);
    return arena_strndup(arena, text, strlen(text));
}

// Determines the initial allocation: the size of a regular file, or a guess. Returns NULL, or an
// error.
static const char *expected_size(struct arena *arena, int fd, size_t *size)
{
    struct stat status;
    *size = FIRST_READ;
    if (fstat(fd, &status))
        return system_error(arena);
    if (S_ISDIR(status.st_mode))
        return "it is a directory";
    if (!S_ISREG(status.st_mode))
        return NULL;
    if (status.st_size > FILE_LIMIT)
        return "it is too large: files of 2 GiB and more are not read";
    // Files in /proc report a size of 0 although they are not empty.
    if (status.st_size)
        *size = (size_t)status.st_size;
    return NULL;
}

static ssize_t read_some(int fd, char *to, size_t size)
{
    ssize_t got;
    do
        got = read(fd, to, size);
    while (got < 0 && errno == EINTR);
    return got;
}

static const char *read_to_end(struct arena *arena, int fd, size_t expected, struct file_text *file)
{
    // One byte more than expected, so that the end is detected without growing.
    size_t room = expected + 1, length = 0;
    char *text = arena_alloc(arena, room + TERMINATOR);
    for (;;) {
        ssize_t got = read_some(fd, text + length, room - length);
        if (got < 0)
            return system_error(arena);
        length += (size_t)got;
        if (length > FILE_LIMIT)
            return "it is too large: files of 2 GiB and more are not read";
        if (!got)
            break;
        if (length == room) {
            text = arena_grow(arena, text, room + TERMINATOR, 2 * room + TERMINATOR);
            room *= 2;
        }
    }
    memset(text + length, 0, TERMINATOR);
    *file = (struct file_text){text, (uint32_t)length};
    return length ? NULL : "it is empty";
}

const char *file_read(struct arena *arena, const char *path, struct file_text *file)
{
    *file = (struct file_text){0};
    int fd = file_is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return system_error(arena);
    protect_open(arena->memory, fd);
    size_t expected;
    const char *error = expected_size(arena, fd, &expected);
    if (!error)
        error = read_to_end(arena, fd, expected, file);
    if (fd != STDIN_FILENO)
        close(fd);
    return error;
}

// Smaller files are read: that is as fast, and their contents cannot change afterwards.
enum { MIN_MAPPED = 16 << 20 };

static bool is_large(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_size >= MIN_MAPPED &&
           (uintmax_t)status->st_size <= SIZE_MAX;
}

// Maps a large file. Leaves `map` unchanged where mapping is not worthwhile or fails.
static void map_large(struct arena *arena, const char *path, struct file_map *map)
{
    struct stat status;
    // Checked before opening, because a named pipe must be opened only once.
    if (stat(path, &status) || !is_large(&status))
        return;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    protect_open(arena->memory, fd);
    if (!fstat(fd, &status) && is_large(&status)) {
        void *at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED)
            *map = (struct file_map){at, (size_t)status.st_size, at};
    }
    close(fd);
}

const char *file_map(struct arena *arena, const char *path, struct file_map *map)
{
    *map = (struct file_map){0};
    if (!file_is_standard(path))
        map_large(arena, path, map);
    if (map->mapping)
        return NULL;
    struct file_text file;
    const char *error = file_read(arena, path, &file);
    if (!error)
        *map = (struct file_map){.bytes = file.text, .size = file.length};
    return error;
}

void file_unmap(struct file_map *map)
{
    if (map->mapping)
        munmap(map->mapping, map->size);
    *map = (struct file_map){0};
}

const char *prefix_map_add(struct prefix_map *map, struct arena *arena, const char *argument)
{
    const char *equals = strchr(argument, '=');
    if (!equals || equals == argument)
        return arena_printf(arena, "cannot be '%s': expected OLD=NEW", argument);
    struct prefix_pair pair = {argument, equals + 1, (size_t)(equals - argument)};
    vec_push(arena, &map->list, pair);
    return NULL;
}

const char *prefix_map_name(const struct prefix_map *map, struct arena *arena, const char *name)
{
    for (uint32_t i = name ? map->list.n : 0; i-- > 0;) {
        const struct prefix_pair *pair = &map->list.v[i];
        if (!strncmp(name, pair->from, pair->length))
            return arena_printf(arena, "%s%s", pair->to, name + pair->length);
    }
    return name;
}
