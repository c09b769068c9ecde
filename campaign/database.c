#include "campaign/store.h"
#include "support/protect.h"
#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Increment this when the tables change; databases with another number are rebuilt from the files.
#define SCHEMA "2"

static const char schema[] =
    "CREATE TABLE jobs(id INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, campaign TEXT, quick "
    "INTEGER,"
    " failure TEXT, message TEXT, cpu_seconds REAL, ended TEXT, size INTEGER, changed INTEGER,"
    " statistics INTEGER);"
    "CREATE TABLE names(id INTEGER PRIMARY KEY, name TEXT UNIQUE NOT NULL);"
    "CREATE TABLE statistics(job INTEGER, name INTEGER, value REAL, PRIMARY KEY(job, name))"
    " WITHOUT ROWID;"
    "CREATE TABLE planned(workload TEXT, variant TEXT, point TEXT, quick INTEGER, key TEXT,"
    " PRIMARY KEY(quick, workload, variant, point)) WITHOUT ROWID;"
    "CREATE VIEW results AS SELECT p.workload, p.variant, p.point, p.quick, n.name, s.value"
    " FROM planned p JOIN jobs j USING(key) JOIN statistics s ON s.job = j.id"
    " JOIN names n ON n.id = s.name;"
    "PRAGMA user_version=" SCHEMA ";";

// Statements

static const char *fault(const struct campaign_store *store)
{
    return arena_printf(store->arena, "%s/campaign.sqlite: %s", store->folder,
                        store->database ? sqlite3_errmsg(store->database) : "memory is exhausted");
}

static const char *execute(const struct campaign_store *store, const char *sql)
{
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) ? fault(store) : NULL;
}

// Prepares a statement and binds its values. `kinds` has one letter for each question mark: s text,
// i integer, f real.
static sqlite3_stmt *prepare(const struct campaign_store *store, const char *sql, const char *kinds,
                             ...)
{
    sqlite3_stmt *statement = NULL;
    va_list args;
    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL))
        return NULL;
    va_start(args, kinds);
    for (int i = 1; kinds[i - 1]; i++)
        switch (kinds[i - 1]) {
        case 's':
            sqlite3_bind_text(statement, i, va_arg(args, const char *), -1, SQLITE_TRANSIENT);
            break;
        case 'i': sqlite3_bind_int64(statement, i, va_arg(args, int64_t)); break;
        default: sqlite3_bind_double(statement, i, va_arg(args, double)); break;
        }
    va_end(args);
    return statement;
}

// Runs a statement that returns nothing.
static const char *finish(const struct campaign_store *store, sqlite3_stmt *statement)
{
    bool good = statement && sqlite3_step(statement) == SQLITE_DONE;
    const char *error = good ? NULL : fault(store);
    sqlite3_finalize(statement);
    return error;
}

static const char *text_at(const struct campaign_store *store, sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    return text ? arena_strndup(store->arena, text, strlen(text)) : NULL;
}

// One job

// Most jobs share their thousands of statistics, so the ids of the names are cached here instead of
// being queried.
struct campaign_names {
    struct arena arena;
    struct intern names;
    VEC(int64_t) ids; // ids in the database, by index of the name
};

static void keep_name(struct campaign_names *names, const char *name, int64_t id)
{
    size_t length = strlen(name);
    intern_add(&names->names, arena_strndup(&names->arena, name, length), length);
    vec_push(&names->arena, &names->ids, id);
}

static struct campaign_names *names_of(struct campaign_store *store)
{
    if (store->names)
        return store->names;
    struct campaign_names *names = ARENA_NEW(store->arena, struct campaign_names);
    arena_init(&names->arena, store->arena->memory);
    intern_init(&names->names, &names->arena);
    sqlite3_stmt *row = prepare(store, "SELECT name, id FROM names", "");
    while (row && sqlite3_step(row) == SQLITE_ROW)
        keep_name(names, (const char *)sqlite3_column_text(row, 0), sqlite3_column_int64(row, 1));
    sqlite3_finalize(row);
    return store->names = names;
}

struct adding {
    const struct campaign_store *store;
    struct campaign_names *names;
    sqlite3_stmt *name, *value;
    int64_t job, count;
    bool failed;
};

static bool step(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    sqlite3_reset(statement);
    return done;
}

static int64_t id_of(struct adding *a, const char *name)
{
    uint32_t number = intern_find(&a->names->names, name, strlen(name));
    if (number != UINT32_MAX)
        return a->names->ids.v[number];
    sqlite3_bind_text(a->name, 1, name, -1, SQLITE_TRANSIENT);
    a->failed = a->failed || !step(a->name);
    int64_t id = sqlite3_last_insert_rowid(a->store->database);
    keep_name(a->names, name, id);
    return id;
}

static void add_value(struct adding *a, const char *name, double value)
{
    sqlite3_bind_int64(a->value, 1, a->job);
    sqlite3_bind_int64(a->value, 2, id_of(a, name));
    sqlite3_bind_double(a->value, 3, value);
    a->failed = a->failed || !step(a->value);
    a->count++;
}

static void add_configuration(struct adding *a, json_t *configuration)
{
    const char *section, *key;
    json_t *keys, *value;
    json_object_foreach(configuration, section, keys)
    {
        json_object_foreach(keys, key, value)
        {
            if (json_is_number(value) || json_is_boolean(value))
                add_value(a, arena_printf(a->store->arena, "config.%s.%s", section, key),
                          json_is_boolean(value) ? json_is_true(value) : json_number_value(value));
        }
    }
}

static const char *add_values(const struct campaign_store *store, int64_t job, json_t *result)
{
    const char *name, *error;
    json_t *value;
    struct adding adding = {
        .store = store,
        .names = store->names,
        .name = prepare(store, "INSERT INTO names(name) VALUES(?)", ""),
        .value = prepare(store, "INSERT OR REPLACE INTO statistics VALUES(?, ?, ?)", ""),
        .job = job,
    };
    json_object_foreach(json_object_get(json_object_get(result, "total"), "statistics"), name,
                        value)
    {
        if (json_is_number(value))
            add_value(&adding, name, json_number_value(value));
    }
    add_configuration(&adding, json_object_get(result, "configuration"));
    error = adding.failed || !adding.name || !adding.value ? fault(store) : NULL;
    sqlite3_finalize(adding.name);
    sqlite3_finalize(adding.value);
    return error ? error
                 : finish(store, prepare(store, "UPDATE jobs SET statistics = ? WHERE id = ?", "ii",
                                         adding.count, job));
}

static const char *add_names(const struct campaign_store *store, const char *key, json_t *result)
{
    const char *error = NULL;
    json_t *name;
    size_t i;
    json_array_foreach(json_object_get(result, "names"), i, name)
    {
        const char *point = json_string_value(json_object_get(name, "point"));
        if (!error)
            error = finish(store,
                           prepare(store, "INSERT OR IGNORE INTO planned VALUES(?, ?, ?, ?, ?)",
                                   "sssis", json_string_value(json_object_get(name, "workload")),
                                   json_string_value(json_object_get(name, "variant")),
                                   point ? point : "",
                                   (int64_t)json_is_true(json_object_get(result, "quick")), key));
    }
    return error;
}

static const char *message_of(const struct campaign_store *store, json_t *result)
{
    const char *failure = json_string_value(json_object_get(result, "failure"));
    const char *said = json_string_value(json_object_get(result, "stderr"));
    if (!failure)
        return NULL;
    const char *last = campaign_last_line(store->arena, said ? said : "");
    return *last ? arena_printf(store->arena, "%s: %s", failure, last) : failure;
}

static const char *add_result(const struct campaign_store *store, const char *key, json_t *result,
                              const struct stat *file)
{
    const char *error = finish(
        store,
        prepare(store,
                "INSERT OR REPLACE INTO jobs(key, campaign, quick, failure, message,"
                " cpu_seconds, ended, size, changed) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
                "ssissfsii", key, json_string_value(json_object_get(result, "campaign")),
                (int64_t)json_is_true(json_object_get(result, "quick")),
                json_string_value(json_object_get(result, "failure")), message_of(store, result),
                json_number_value(json_object_get(result, "cpu_seconds")),
                json_string_value(json_object_get(result, "ended")), (int64_t)file->st_size,
                (int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec));
    if (!error)
        error = add_values(store, sqlite3_last_insert_rowid(store->database), result);
    return error ? error : add_names(store, key, result);
}

static const char *remove_rows(const struct campaign_store *store, const char *key)
{
    const char *error = finish(
        store,
        prepare(store, "DELETE FROM statistics WHERE job = (SELECT id FROM jobs WHERE key = ?)",
                "s", key));
    return error ? error
                 : finish(store, prepare(store, "DELETE FROM jobs WHERE key = ?", "s", key));
}

// Commits a transaction, or rolls it back after an error.
static const char *end_transaction(const struct campaign_store *store, const char *error)
{
    if (!error)
        error = execute(store, "COMMIT");
    if (error)
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return error;
}

// Discards the cache, because a rollback removes names that the transaction added.
static void forget_names(struct campaign_store *store)
{
    arena_free(&store->names->arena);
    store->names = NULL;
}

static const char *replace_rows(const struct campaign_store *store, const char *key, json_t *result,
                                const struct stat *file)
{
    const char *error = execute(store, "BEGIN IMMEDIATE");
    if (error)
        return error;
    error = remove_rows(store, key);
    return end_transaction(store, error ? error : add_result(store, key, result, file));
}

// Uses a temporary arena: a collector reads tens of thousands of results.
static const char *replace(struct campaign_store *store, const char *key, json_t *result,
                           const struct stat *file)
{
    struct arena own;
    names_of(store);
    struct campaign_store with_own = *store;
    arena_init(&own, store->arena->memory);
    with_own.arena = &own;
    const char *error = replace_rows(&with_own, key, result, file);
    if (error) {
        error = arena_strndup(store->arena, error, strlen(error));
        forget_names(store);
    }
    arena_free(&own);
    return error;
}

const char *campaign_database_accept(struct campaign_store *store, const char *key)
{
    struct stat file;
    json_t *result = campaign_result_summary(store, key);
    if (!result || stat(campaign_store_path(store, "results", key, ".json"), &file)) {
        json_decref(result);
        return arena_printf(store->arena, "no result of the job %s", key);
    }
    const char *error = replace(store, key, result, &file);
    json_decref(result);
    return error;
}

const char *campaign_database_forget(struct campaign_store *store, const char *key)
{
    unlink(campaign_store_path(store, "results", key, ".json"));
    return remove_rows(store, key);
}

// All jobs

static bool is_known(struct campaign_store *store, const char *key, const struct stat *file)
{
    sqlite3_stmt *row = prepare(
        store, "SELECT 1 FROM jobs WHERE key = ? AND size = ? AND changed = ?", "sii", key,
        (int64_t)file->st_size, (int64_t)file->st_mtim.tv_sec * 1000000000 + file->st_mtim.tv_nsec);
    bool known = sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return known;
}

static const char *accept_file(struct campaign_store *store, const char *name,
                               struct text_list *damaged)
{
    const char *key = arena_strndup(store->arena, name, SHA256_HEX);
    const char *path = campaign_store_path(store, "results", key, ".json");
    struct stat file;
    if (stat(path, &file) || is_known(store, key, &file))
        return NULL;
    json_t *result = campaign_result_summary(store, key);
    if (!result) {
        vec_push(store->arena, &damaged->list, key);
        return campaign_database_forget(store, key);
    }
    const char *error = replace(store, key, result, &file);
    json_decref(result);
    return error;
}

static const char *accept_files(struct campaign_store *store, struct text_list *damaged)
{
    DIR *folder = opendir(arena_printf(store->arena, "%s/results", store->folder));
    const char *error = NULL;
    for (struct dirent *entry; folder && !error && (entry = readdir(folder));)
        if (strlen(entry->d_name) == SHA256_HEX + 5 && !strcmp(entry->d_name + SHA256_HEX, ".json"))
            error = accept_file(store, entry->d_name, damaged);
    if (folder)
        closedir(folder);
    return error;
}

static const char *drop_missing(struct campaign_store *store)
{
    struct text_list gone = {0};
    const char *error = NULL;
    sqlite3_stmt *row = prepare(store, "SELECT key FROM jobs", "");
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *key = text_at(store, row, 0);
        if (access(campaign_store_path(store, "results", key, ".json"), F_OK))
            vec_push(store->arena, &gone.list, key);
    }
    sqlite3_finalize(row);
    for (uint32_t i = 0; !error && i < gone.list.n; i++)
        error = remove_rows(store, gone.list.v[i]);
    return error;
}

static bool has_schema(struct campaign_store *store)
{
    sqlite3_stmt *row = prepare(store, "PRAGMA user_version", "");
    bool same = row && sqlite3_step(row) == SQLITE_ROW &&
                !strcmp((const char *)sqlite3_column_text(row, 0), SCHEMA);
    sqlite3_finalize(row);
    return same;
}

// Returns true if the file is a database of any version.
static bool is_database(struct campaign_store *store)
{
    return !sqlite3_exec(store->database, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

static const char *open_at(struct campaign_store *store, const char *path, int flags)
{
    if (sqlite3_open_v2(path, &store->database, flags, NULL))
        return fault(store);
    sqlite3_busy_timeout(store->database, 10000);
    return NULL;
}

// Returns true if the statement returns exactly one row, with this text.
static bool says(const struct campaign_store *store, const char *sql, const char *text)
{
    sqlite3_stmt *row = prepare(store, sql, "");
    bool good = row && sqlite3_step(row) == SQLITE_ROW;
    const char *found = good ? (const char *)sqlite3_column_text(row, 0) : NULL;
    good = found && !strcmp(found, text) && sqlite3_step(row) == SQLITE_DONE;
    sqlite3_finalize(row);
    return good;
}

// Returns true if the database is consistent and each job has all its statistics. Lost rows would
// be missing from reports without notice.
static bool is_whole(const struct campaign_store *store)
{
    return says(store, "PRAGMA quick_check(1)", "ok") &&
           says(
               store,
               "SELECT count(*) FROM jobs LEFT JOIN (SELECT job, count(*) AS present FROM"
               " statistics GROUP BY job) ON job = id WHERE coalesce(present, 0) IS NOT statistics",
               "0");
}

// Opens the database, or replaces it if it is damaged or of another version: all its data are in
// the files.
static const char *open_or_make(struct campaign_store *store, const char *path)
{
    struct stat status;
    bool is_there = !lstat(path, &status);
    if (is_there && S_ISLNK(status.st_mode))
        unlink(path);
    const char *error = open_at(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    bool is_current = !error && has_schema(store);
    if (error || (is_current && is_whole(store)))
        return error;
    store->was_damaged = is_current || (is_there && status.st_size && !is_database(store));
    sqlite3_close(store->database);
    store->database = NULL;
    unlink(path);
    unlink(arena_printf(store->arena, "%s-journal", path));
    error = open_at(store, path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    return error ? error : execute(store, schema);
}

// Opens the database without the lock, so that it cannot be rebuilt.
static const char *open_to_read(struct campaign_store *store, const char *path)
{
    const char *error = open_at(store, path, SQLITE_OPEN_READONLY);
    if (error || (has_schema(store) && is_whole(store)))
        return error;
    return arena_printf(store->arena,
                        "the database '%s' is damaged or of another version: if the store can be "
                        "written and no run uses it, it is made again from the results",
                        path);
}

const char *campaign_database_open(struct campaign_store *store, struct text_list *damaged)
{
    const char *path = arena_printf(store->arena, "%s/campaign.sqlite", store->folder);
    protect_file(store->arena->memory, path);
    protect_folder(store->arena->memory, arena_printf(store->arena, "%s/results", store->folder));
    if (store->lock < 0)
        return open_to_read(store, path);
    const char *error = open_or_make(store, path);
    // Data lost in a power failure are read from the files again, so writes need not wait for the
    // disk.
    if (!error)
        error = execute(store, "PRAGMA synchronous=OFF");
    if (!error)
        error = drop_missing(store);
    return error ? error : accept_files(store, damaged);
}

void campaign_store_close(struct campaign_store *store)
{
    sqlite3_close(store->database);
    store->database = NULL;
    if (store->lock >= 0)
        close(store->lock);
    store->lock = -1;
}

// Queries

void campaign_time_add(struct campaign_time *to, const struct campaign_time *more)
{
    to->seconds += more->seconds;
    to->jobs += more->jobs;
}

const char *campaign_database_plan(struct campaign_store *store, const struct campaign_plan *plan)
{
    const struct campaign *campaign = plan->campaign;
    const char *error = execute(store, "BEGIN IMMEDIATE");
    if (error)
        return error;
    for (uint32_t i = 0; !error && i < plan->jobs.n; i++) {
        const struct campaign_job *job = &plan->jobs.v[i];
        const char *point = campaign_point_name(campaign, job->point);
        if (!job->error)
            error =
                finish(store, prepare(store, "INSERT OR REPLACE INTO planned VALUES(?, ?, ?, ?, ?)",
                                      "sssis", campaign->workloads.v[job->workload].name,
                                      campaign->variants.v[job->variant].name, point ? point : "",
                                      (int64_t)plan->is_quick, job->key));
    }
    return end_transaction(store, error);
}

void campaign_database_find(struct campaign_store *store, const char *key,
                            struct campaign_found *found)
{
    *found = (struct campaign_found){0};
    sqlite3_stmt *row =
        prepare(store, "SELECT message, cpu_seconds, ended FROM jobs WHERE key = ?", "s", key);
    if (row && sqlite3_step(row) == SQLITE_ROW) {
        found->is_there = true;
        found->failure = text_at(store, row, 0);
        found->cpu = sqlite3_column_double(row, 1);
        found->ended = text_at(store, row, 2);
    }
    sqlite3_finalize(row);
}

bool campaign_database_value(struct campaign_store *store, const char *key, const char *statistic,
                             double *value)
{
    sqlite3_stmt *row = prepare(store,
                                "SELECT value FROM statistics WHERE job = (SELECT id FROM jobs "
                                "WHERE key = ?) AND name = (SELECT id FROM names WHERE name = ?)",
                                "ss", key, statistic);
    bool there = row && sqlite3_step(row) == SQLITE_ROW;
    if (there)
        *value = sqlite3_column_double(row, 0);
    sqlite3_finalize(row);
    return there;
}

void campaign_database_times(struct campaign_store *store, const struct campaign *campaign,
                             bool is_quick, struct campaign_time *of, struct campaign_time *all)
{
    sqlite3_stmt *row =
        prepare(store,
                "SELECT workload, sum(cpu_seconds), count(*) FROM planned JOIN jobs USING(key)"
                " WHERE failure IS NULL AND planned.quick = ? GROUP BY workload",
                "i", (int64_t)is_quick);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        uint32_t workload = name ? campaign_workload(campaign, name) : CAMPAIGN_NONE;
        struct campaign_time time = {sqlite3_column_double(row, 1),
                                     (uint32_t)sqlite3_column_int64(row, 2)};
        campaign_time_add(all, &time);
        if (workload != CAMPAIGN_NONE)
            campaign_time_add(&of[workload], &time);
    }
    sqlite3_finalize(row);
}

void campaign_database_jobs(struct campaign_store *store, struct campaign_stored_list *to)
{
    sqlite3_stmt *row = prepare(store,
                                "SELECT workload, variant, point, planned.quick, key FROM planned "
                                "JOIN jobs USING(key) WHERE failure IS NULL "
                                "ORDER BY workload, variant, point, planned.quick",
                                "");
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        struct campaign_stored made = {text_at(store, row, 0), text_at(store, row, 1),
                                       text_at(store, row, 2), sqlite3_column_int(row, 3),
                                       text_at(store, row, 4)};
        vec_push(store->arena, &to->list, made);
    }
    sqlite3_finalize(row);
}

void campaign_database_names(struct campaign_store *store, const char *key, struct text_list *to)
{
    sqlite3_stmt *row =
        prepare(store,
                "SELECT names.name FROM statistics JOIN names ON names.id = "
                "statistics.name WHERE job = (SELECT id FROM jobs WHERE key = ?) ORDER BY 1",
                "s", key);
    while (row && sqlite3_step(row) == SQLITE_ROW) {
        const char *name = text_at(store, row, 0);
        vec_push(store->arena, &to->list, name);
    }
    sqlite3_finalize(row);
}
