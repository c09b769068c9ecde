#include "support/file_map.h"
#include "support/file.h"
#include "support/protect.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Smaller files are read: that is as fast, and their contents cannot change afterwards.
enum { LEAST_MAPPED = 16 << 20 };

static bool is_large(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_size >= LEAST_MAPPED &&
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
