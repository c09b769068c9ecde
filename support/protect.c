#include "support/protect.h"
#include "support/vec.h"
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

struct protected_file {
    dev_t device;
    ino_t inode;
};

struct protected_files {
    struct arena arena;
    VEC(struct protected_file) list;
};

static struct protected_files *files_of(struct memory *memory)
{
    if (!memory->protected_files) {
        struct arena arena;
        arena_init(&arena, memory);
        memory->protected_files = ARENA_NEW(&arena, struct protected_files);
        memory->protected_files->arena = arena;
    }
    return memory->protected_files;
}

static void protect_inode(struct memory *memory, dev_t device, ino_t inode)
{
    struct protected_files *files = files_of(memory);
    struct protected_file made = {device, inode};
    vec_push(&files->arena, &files->list, made);
}

static void protect_status(struct memory *memory, const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        protect_inode(memory, status->st_dev, status->st_ino);
}

void protect_file(struct memory *memory, const char *path)
{
    struct stat status;
    if (!stat(path, &status))
        protect_status(memory, &status);
}

void protect_open(struct memory *memory, int file)
{
    struct stat status;
    if (!fstat(file, &status))
        protect_status(memory, &status);
}

void protect_folder(struct memory *memory, const char *path)
{
    struct stat status;
    DIR *folder = opendir(path);
    bool is_known = folder && !fstat(dirfd(folder), &status);
    for (struct dirent *entry; is_known && (entry = readdir(folder));)
        if (entry->d_type != DT_DIR)
            protect_inode(memory, status.st_dev, entry->d_ino);
    if (folder)
        closedir(folder);
}

// Returns the index of the path's file in the list, or the length of the list.
static uint32_t find_file(const struct protected_files *files, const char *path)
{
    struct stat status;
    uint32_t i = 0;
    if (stat(path, &status))
        return files->list.n;
    while (i < files->list.n &&
           (files->list.v[i].device != status.st_dev || files->list.v[i].inode != status.st_ino))
        i++;
    return i;
}

void protect_release(struct memory *memory, const char *path)
{
    struct protected_files *files = files_of(memory);
    for (uint32_t i; (i = find_file(files, path)) < files->list.n;)
        files->list.v[i] = files->list.v[--files->list.n];
}

bool protect_has(const struct memory *memory, const char *path)
{
    return memory->protected_files &&
           find_file(memory->protected_files, path) < memory->protected_files->list.n;
}
