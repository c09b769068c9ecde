#include "runtime-sim/base/stats.h"
#include "backend/build.h"
#include "support/number.h"
#include <nettle/sha2.h>
#include <string.h>

void stats_init(struct stats *stats, struct arena *arena)
{
    *stats = (struct stats){.arena = arena};
}

void stats_add(struct stats *stats, const char *name, const struct stat_key *keys, uint32_t count,
               const void *values)
{
    struct stat_group group = {name, keys, count, values};
    vec_push(stats->arena, &stats->groups, group);
}

static uint64_t counter(const struct stat_group *group, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)group->values + offset, sizeof value);
    return value;
}

// Visits all statistics in their order

struct stat_entry {
    const struct stat_group *group;
    const struct stat_key *key;
    uint64_t whole; // value of a count
    double value;
};

typedef void visit_function(void *context, const struct stat_entry *entry);

static struct stat_entry entry_of(const struct stat_group *group, const struct stat_key *key,
                                  const uint64_t *since)
{
    struct stat_entry entry = {group, key, counter(group, key->offset), 0};
    if (since && key->kind == STAT_MOST)
        entry.whole = entry.whole > since[0] ? entry.whole : since[0];
    else if (since)
        entry.whole -= since[0];
    entry.value = (double)entry.whole;
    if (key->kind == STAT_RATIO) {
        uint64_t parts = counter(group, key->denominator) - (since ? since[1] : 0);
        entry.value = parts ? entry.value / (double)parts : 0;
    }
    return entry;
}

static void visit(const struct stats *stats, const struct stats_mark *since,
                  visit_function *function, void *context)
{
    const uint64_t *at = since ? since->values : NULL;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        for (uint32_t k = 0; k < group->count; k++) {
            struct stat_entry entry = entry_of(group, &group->keys[k], at);
            at = at ? at + 2 : NULL;
            function(context, &entry);
        }
    }
}

// Computes both counters of a key.
typedef void counters_function(uint64_t now[2], const struct stat_key *key, uint64_t *with,
                               const uint64_t *other);

static uint32_t count_keys(const struct stats *stats)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < stats->groups.n; i++)
        count += stats->groups.v[i].count;
    return count;
}

static void each_key(const struct stats *stats, counters_function *function, uint64_t *with,
                     const uint64_t *other)
{
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        for (uint32_t k = 0; k < group->count; k++) {
            const struct stat_key *key = &group->keys[k];
            uint64_t now[2] = {counter(group, key->offset)};
            if (key->kind == STAT_RATIO)
                now[1] = counter(group, key->denominator);
            function(now, key, with, other);
            with += 2;
            other = other ? other + 2 : NULL;
        }
    }
}

static void take(uint64_t now[2], const struct stat_key *key, uint64_t *with, const uint64_t *other)
{
    (void)key, (void)other;
    memcpy(with, now, 2 * sizeof *with);
}

static void add(uint64_t now[2], const struct stat_key *key, uint64_t *with, const uint64_t *other)
{
    for (int i = 0; i < 2; i++)
        if (key->kind != STAT_MOST)
            with[i] += now[i] - other[i];
        else if (now[i] > with[i])
            with[i] = now[i];
}

// Differences are taken modulo 2^64, since a sum may exceed the present count.
static void go_back(uint64_t now[2], const struct stat_key *key, uint64_t *with,
                    const uint64_t *other)
{
    for (int i = 0; i < 2; i++)
        with[i] = key->kind == STAT_MOST ? other[i] : now[i] - other[i];
}

struct stats_mark stats_zero(const struct stats *stats, struct arena *arena)
{
    return (struct stats_mark){ARENA_ARRAY(arena, uint64_t, 2 * (size_t)count_keys(stats) + 1)};
}

void stats_accumulate(void *total, const void *part, const struct stat_key *keys, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint64_t *to = (uint64_t *)((char *)total + keys[i].offset);
        uint64_t value = *(const uint64_t *)((const char *)part + keys[i].offset);
        if (keys[i].kind == STAT_COUNT)
            *to += value;
        else if (keys[i].kind == STAT_MOST && value > *to)
            *to = value;
    }
}

struct stats_mark stats_take(const struct stats *stats, struct arena *arena)
{
    struct stats_mark mark = stats_zero(stats, arena);
    stats_retake(stats, &mark);
    return mark;
}

void stats_retake(const struct stats *stats, struct stats_mark *mark)
{
    each_key(stats, take, mark->values, NULL);
}

void stats_sum(const struct stats *stats, const struct stats_mark *since, struct stats_mark *sum)
{
    each_key(stats, add, sum->values, since->values);
}

struct stats_mark stats_since(const struct stats *stats, const struct stats_mark *sum,
                              struct arena *arena)
{
    struct stats_mark mark = stats_zero(stats, arena);
    each_key(stats, go_back, mark.values, sum->values);
    return mark;
}

// For files

uint32_t stats_values(const struct stats *stats)
{
    return 2 * count_keys(stats);
}

static void add_name(void *context, const struct stat_entry *entry)
{
    char name[256];
    int length = snprintf(name, sizeof name, "%s.%s %d\n", entry->group->name, entry->key->name,
                          (int)entry->key->kind);
    sha256_update(context, (size_t)length, (const uint8_t *)name);
}

void stats_digest(const struct stats *stats, char digest[65])
{
    struct sha256_ctx all;
    sha256_init(&all);
    visit(stats, NULL, add_name, &all);
    tables_digest_end(digest, &all);
}

// Finding

// A group's name may contain points.
static const char *behind_name(const char *name, const struct stat_group *group)
{
    size_t length = strlen(group->name);
    return !strncmp(name, group->name, length) && name[length] == '.' ? name + length + 1 : NULL;
}

bool stats_find(const struct stats *stats, const struct stats_mark *since, const char *name,
                double *value)
{
    const uint64_t *at = since ? since->values : NULL;
    *value = 0;
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        const char *own = behind_name(name, group);
        for (uint32_t k = 0; own && k < group->count; k++)
            if (!strcmp(own, group->keys[k].name)) {
                *value = entry_of(group, &group->keys[k], at ? at + 2 * k : NULL).value;
                return true;
            }
        at = at ? at + 2 * (size_t)group->count : NULL;
    }
    return false;
}

// Writing

static void value_text(char text[NUMBER_TEXT], const struct stat_entry *entry)
{
    if (entry->key->kind == STAT_RATIO)
        number_shortest(text, entry->value);
    else
        text[number_uint(text, entry->whole)] = 0;
}

static void write_text(void *context, const struct stat_entry *entry)
{
    char text[NUMBER_TEXT];
    value_text(text, entry);
    fprintf(context, "%s.%s = %s # %s%s%s\n", entry->group->name, entry->key->name, text,
            entry->key->unit, *entry->key->unit ? ": " : "", entry->key->text);
}

struct csv {
    const char *before;
    FILE *to;
};

static void write_csv(void *context, const struct stat_entry *entry)
{
    const struct csv *csv = context;
    char text[NUMBER_TEXT];
    value_text(text, entry);
    fprintf(csv->to, "%s%s.%s,%s,%s\n", csv->before, entry->group->name, entry->key->name,
            entry->key->unit, text);
}

static void write_json(void *context, const struct stat_entry *entry)
{
    char name[256];
    snprintf(name, sizeof name, "%s.%s", entry->group->name, entry->key->name);
    json_key(context, name);
    if (entry->key->kind == STAT_RATIO)
        json_double(context, entry->value);
    else
        json_uint(context, entry->whole);
}

static void write_name(void *context, const struct stat_entry *entry)
{
    fprintf(context, "%s.%s  # %s%s%s\n", entry->group->name, entry->key->name, entry->key->unit,
            *entry->key->unit ? ": " : "", entry->key->text);
}

void stats_text(const struct stats *stats, const struct stats_mark *since, FILE *to)
{
    visit(stats, since, write_text, to);
}

void stats_csv(const struct stats *stats, const struct stats_mark *since, FILE *to)
{
    fputs("name,unit,value\n", to);
    stats_csv_rows(stats, since, "", to);
}

void stats_csv_rows(const struct stats *stats, const struct stats_mark *since, const char *before,
                    FILE *to)
{
    struct csv csv = {before, to};
    visit(stats, since, write_csv, &csv);
}

void stats_json(const struct stats *stats, const struct stats_mark *since, struct json *json)
{
    json_object(json);
    visit(stats, since, write_json, json);
    json_end_object(json);
}

void stats_list(const struct stats *stats, FILE *to)
{
    visit(stats, NULL, write_name, to);
}

struct each_call {
    stats_function *function;
    void *context;
};

static void call_function(void *context, const struct stat_entry *entry)
{
    const struct each_call *call = context;
    call->function(call->context, entry->group, entry->key, entry->value);
}

void stats_each(const struct stats *stats, const struct stats_mark *since, stats_function *function,
                void *context)
{
    struct each_call call = {function, context};
    visit(stats, since, call_function, &call);
}
