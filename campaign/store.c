#include "campaign/store.h"
#include "support/file.h"
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

// Creates a folder. A link is rejected, because files would be removed in the folder that it points
// to.
static const char *make_folder(struct arena *arena, const char *path, bool may_be_link)
{
    struct stat status;
    bool is_link = !may_be_link && !lstat(path, &status) && S_ISLNK(status.st_mode);
    if (is_link)
        return arena_printf(arena, "'%s' is a link, not the folder of a store", path);
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
    for (size_t i = 0; !error && i < ARRAY_LENGTH(parts); i++)
        error = make_folder(arena, arena_printf(arena, "%s%s", folder, parts[i]), !i && chosen);
    return error;
}

// Jobs inherit the lock, so those that briefly outlive a killed collector still hold it.
bool campaign_store_lock(struct campaign_store *store, int milliseconds, const char **error)
{
    enum { STEP = 20 };
    const char *path = arena_printf(store->arena, "%s/lock", store->folder);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    *error = file < 0 ? arena_printf(store->arena, "cannot write the store '%s': %s", store->folder,
                                     strerror(errno))
                      : NULL;
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
        unlink(path); // it was a link or a file
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length > end && !strcmp(name + length - end, suffix);
}

void campaign_store_working(struct campaign_store *store, struct text_list *keys)
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
    struct text_list left = {0};
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

// Result files consist of one line of JSON of exactly this form. The digest covers the bytes of the
// result, so that a modification is detected.

enum { AS_PRINTED = JSON_COMPACT | JSON_REAL_PRECISION(17) };

static const char before_key[] = "{\"format\":\"ptxoffload-campaign-job\",\"version\":1,\"key\":\"";
static const char before_digest[] = "\",\"sha256\":\"";
static const char before_result[] = "\",\"result\":";
static const char after_result[] = "}\n";

// Writes the document with `text` as its result, and a newline.
static bool write_whole(const char *path, const char *key, const char *digest, const char *text)
{
    unlink(path); // also removes a link
    FILE *to = fopen(path, "wbxe");
    bool good =
        to && fprintf(to, "%s%s%s%s%s", before_key, key, before_digest, digest, before_result) > 0;
    good = good && fputs(text, to) != EOF && fputs(after_result, to) != EOF && !fflush(to) &&
           !fsync(fileno(to));
    return (!to || !fclose(to)) && good;
}

const char *campaign_result_write(const struct campaign_store *store, const char *key,
                                  json_t *result)
{
    const char *part = campaign_store_path(store, "results", key, ".part");
    const char *path = campaign_store_path(store, "results", key, ".json");
    char digest[SHA256_HEX + 1], *text = json_dumps(result, AS_PRINTED);
    if (!text)
        return "memory is exhausted";
    tables_digest(digest, text, strlen(text));
    bool good = write_whole(part, key, digest, text) && !rename(part, path);
    int error = errno;
    free(text);
    if (!good)
        unlink(part);
    return good ? NULL : arena_printf(store->arena, "cannot write '%s': %s", path, strerror(error));
}

// Returns the text after the prefix, or NULL if it does not start with it.
static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);
    return text && !strncmp(text, prefix, length) ? text + length : NULL;
}

// Returns the result in a complete document with this key and a correct digest, or NULL. `length`
// is that of the document, and is set to that of the result.
static const char *find_result(const char *text, size_t *length, const char *key)
{
    char digest[SHA256_HEX + 1], expected[SHA256_HEX + 1] = "";
    const char *end = text + *length - strlen(after_result);
    text = after(after(after(text, before_key), key), before_digest);
    if (!text || end < text + SHA256_HEX || strcmp(end, after_result))
        return NULL;
    memcpy(expected, text, SHA256_HEX);
    text = after(text + SHA256_HEX, before_result);
    if (!text || text > end)
        return NULL;
    *length = (size_t)(end - text);
    tables_digest(digest, text, *length);
    return strcmp(digest, expected) ? NULL : text;
}

// Returns the end of the JSON value at `at`, which is followed by a comma or by the end of the
// enclosing object.
static const char *value_end(const char *at, const char *end)
{
    unsigned depth = 0;
    bool quoted = false;
    for (; at < end; at++) {
        if (quoted && *at == '\\')
            at++;
        else if (*at == '"')
            quoted = !quoted;
        else if (!quoted && (*at == '{' || *at == '['))
            depth++;
        else if (!quoted && !depth && (*at == ',' || *at == '}' || *at == ']'))
            return at;
        else if (!quoted && (*at == '}' || *at == ']'))
            depth--;
    }
    return end;
}

// Returns a copy of an object, as compact as it was written, without the unused members.
static const char *without_members(struct arena *arena, const char *text, size_t *length)
{
    static const char *const unused[] = {
        "\"kernels\":", "\"run\":", "\"commands\":", "\"ingredients\":"};
    const char *end = text + *length;
    char *copy = arena_alloc(arena, *length + 1), *to = copy;
    *to++ = '{';
    for (const char *at = text + 1; at < end && *at == '"';) {
        const char *colon = memchr(at, ':', (size_t)(end - at)); // names contain no colon
        const char *next = value_end(colon + 1, end);
        bool is_used = true;
        for (size_t i = 0; i < ARRAY_LENGTH(unused); i++)
            is_used &= strncmp(at, unused[i], strlen(unused[i])) != 0;
        if (is_used && to > copy + 1)
            *to++ = ',';
        if (is_used)
            to = mempcpy(to, at, (size_t)(next - at));
        at = next + (next < end && *next == ',');
    }
    *to++ = '}';
    *length = (size_t)(to - copy);
    return copy;
}

static json_t *read_result(const struct campaign_store *store, const char *key, bool whole)
{
    struct arena own;
    struct file_text file;
    arena_init(&own, store->arena->memory);
    const char *path = campaign_store_path(store, "results", key, ".json");
    const char *text = file_read(&own, path, &file) ? NULL : file.text;
    size_t length = text ? file.length : 0;
    bool is_text = text && length > strlen(after_result) && strlen(text) == length;
    text = is_text ? find_result(text, &length, key) : NULL;
    if (text && !whole)
        text = without_members(&own, text, &length);
    json_t *result = text ? json_loadb(text, length, 0, NULL) : NULL;
    arena_free(&own);
    if (json_is_object(result))
        return result;
    json_decref(result);
    return NULL;
}

json_t *campaign_result_read(const struct campaign_store *store, const char *key)
{
    return read_result(store, key, true);
}

json_t *campaign_result_summary(const struct campaign_store *store, const char *key)
{
    return read_result(store, key, false);
}
