#include "campaign/store.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// A link could lead to a folder of others, in which files are removed.
static const char *make_folder(struct arena *arena, const char *path, bool may_be_link)
{
    struct stat status;
    bool is_link = !may_be_link && !lstat(path, &status) && S_ISLNK(status.st_mode);
    if (is_link)
        return arena_printf(arena, "'%s' is a link, and not a folder of a store", path);
    if (!mkdir(path, 0777) || errno == EEXIST)
        return NULL;
    return arena_printf(arena, "cannot make the folder '%s': %s", path, strerror(errno));
}

const char *campaign_store_open(struct campaign_store *store, struct arena *arena,
                                const char *folder, bool chosen)
{
    static const char *const parts[] = {"", "/results", "/running"};
    const char *error = NULL;
    *store = (struct campaign_store){.arena = arena, .folder = folder, .lock = -1};
    for (size_t i = 0; !error && i < sizeof parts / sizeof *parts; i++)
        error = make_folder(arena, arena_printf(arena, "%s%s", folder, parts[i]), !i && chosen);
    return error;
}

// Jobs that outlive a killed collector for a moment hold the lock as well: it is inherited.
bool campaign_store_lock(struct campaign_store *store, int milliseconds)
{
    enum { STEP = 20 };
    const char *path = arena_printf(store->arena, "%s/lock", store->folder);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file < 0)
        return false;
    for (; flock(file, LOCK_EX | LOCK_NB); milliseconds -= STEP) {
        if (milliseconds <= 0) {
            close(file);
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = STEP * 1000000}, NULL);
    }
    store->lock = file;
    return true;
}

const char *campaign_store_path(const struct campaign_store *store, const char *part,
                                const char *key, const char *suffix)
{
    return arena_printf(store->arena, "%s/%s/%s%s", store->folder, part, key, suffix);
}

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

void campaign_store_remove_folder(struct arena *arena, const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = file < 0 ? NULL : fdopendir(file);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *inner = arena_printf(arena, "%s/%s", path, entry->d_name);
        struct stat status;
        if (is_dots(entry->d_name) || lstat(inner, &status))
            continue;
        if (S_ISDIR(status.st_mode))
            campaign_store_remove_folder(arena, inner);
        else
            unlink(inner);
    }
    if (folder)
        closedir(folder);
    else if (file >= 0)
        close(file);
    if (rmdir(path))
        unlink(path); // a link, or a file
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

void campaign_store_working(struct campaign_store *store, struct campaign_words *keys)
{
    DIR *folder = opendir(arena_printf(store->arena, "%s/running", store->folder));
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (!is_dots(entry->d_name))
            vec_push(store->arena, &keys->list,
                     arena_strndup(store->arena, entry->d_name, strlen(entry->d_name)));
    if (folder)
        closedir(folder);
}

bool campaign_store_has_arrays(struct campaign_store *store)
{
    DIR *folder = opendir(arena_printf(store->arena, "%s/slurm", store->folder));
    bool any = false;
    for (struct dirent *entry; folder && !any && (entry = readdir(folder));)
        any = ends_in(entry->d_name, ".tickets");
    if (folder)
        closedir(folder);
    return any;
}

void campaign_store_clean(struct campaign_store *store)
{
    if (campaign_store_has_arrays(store))
        return; // jobs may be running on other hosts
    const char *results = arena_printf(store->arena, "%s/results", store->folder);
    struct campaign_words left = {0};
    campaign_store_working(store, &left);
    for (uint32_t i = 0; i < left.list.n; i++)
        campaign_store_remove_folder(store->arena,
                                     campaign_store_path(store, "running", left.list.v[i], ""));
    DIR *folder = opendir(results);
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        if (ends_in(entry->d_name, ".part"))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

// Result files. The digest is of the result as it is printed here, so that a changed byte is seen.

enum { AS_PRINTED = JSON_COMPACT | JSON_REAL_PRECISION(17) };

static bool digest_of(json_t *result, char digest[SHA256_HEX + 1])
{
    char *text = json_dumps(result, AS_PRINTED);
    if (text)
        tables_digest(digest, text, strlen(text));
    free(text);
    return text;
}

static bool write_whole(const char *path, json_t *all)
{
    unlink(path); // of a link, too
    FILE *to = fopen(path, "wbxe");
    bool good = to && !json_dumpf(all, to, AS_PRINTED) && fputc('\n', to) != EOF && !fflush(to) &&
                !fsync(fileno(to));
    return (!to || !fclose(to)) && good;
}

const char *campaign_result_write(const struct campaign_store *store, const char *key,
                                  json_t *result)
{
    const char *part = campaign_store_path(store, "results", key, ".part");
    const char *path = campaign_store_path(store, "results", key, ".json");
    char digest[SHA256_HEX + 1];
    if (!digest_of(result, digest))
        return "memory is exhausted";
    json_t *all = json_pack("{s:s, s:i, s:s, s:s, s:O}", "format", "ptxoffload-campaign-job",
                            "version", 1, "key", key, "sha256", digest, "result", result);
    bool good = all && write_whole(part, all) && !rename(part, path);
    int error = errno;
    json_decref(all);
    if (!good)
        unlink(part);
    return good ? NULL : arena_printf(store->arena, "cannot write '%s': %s", path, strerror(error));
}

json_t *campaign_result_read(const struct campaign_store *store, const char *key)
{
    json_t *all = json_load_file(campaign_store_path(store, "results", key, ".json"), 0, NULL);
    json_t *result = json_incref(json_object_get(all, "result"));
    const char *of = json_string_value(json_object_get(all, "key"));
    const char *expected = json_string_value(json_object_get(all, "sha256"));
    char digest[SHA256_HEX + 1];
    bool good = json_is_object(result) && of && !strcmp(of, key) && expected &&
                digest_of(result, digest) && !strcmp(expected, digest);
    json_decref(all);
    if (good)
        return result;
    json_decref(result);
    return NULL;
}
