#include "runtime-sim/base/stats.h"
#include "backend/tables/build.h"
#include "support/number.h"
#include <fnmatch.h>
#include <nettle/sha2.h>
#include <string.h>

void stats_init(struct stats *stats, struct arena *arena)
{
    *stats = (struct stats){.arena = arena};
}

void stats_add(struct stats *stats, const char *name, const struct stat_key *keys, uint32_t count,
               const void *values)
{
    stats_add_member(stats, NULL, name, keys, count, values);
}

void stats_add_member(struct stats *stats, const char *collection, const char *name,
                      const struct stat_key *keys, uint32_t count, const void *values)
{
    struct stat_group group = {name, keys, count, values, collection};
    vec_push(stats->arena, &stats->groups, group);
}

static uint64_t counter(const struct stat_group *group, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)group->values + offset, sizeof value);
    return value;
}

// Visiting all statistics in order

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
    if (since && key->kind == STAT_MAX)
        entry.whole = entry.whole > since[0] ? entry.whole : since[0];
    else if (since && key->kind != STAT_REAL)
        entry.whole -= since[0];
    entry.value = (double)entry.whole;
    if (key->kind == STAT_REAL)
        memcpy(&entry.value, &entry.whole, sizeof entry.value);
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

// Updates the two counters of a key in `with`.
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

static void copy_count(uint64_t now[2], const struct stat_key *key, uint64_t *with,
                       const uint64_t *other)
{
    (void)key, (void)other;
    memcpy(with, now, 2 * sizeof *with);
}

static void add(uint64_t now[2], const struct stat_key *key, uint64_t *with, const uint64_t *other)
{
    for (int i = 0; i < 2; i++)
        if (key->kind != STAT_MAX)
            with[i] += now[i] - other[i];
        else if (now[i] > with[i])
            with[i] = now[i];
}

// Differences are modulo 2^64, since a sum may exceed the present count.
static void go_back(uint64_t now[2], const struct stat_key *key, uint64_t *with,
                    const uint64_t *other)
{
    for (int i = 0; i < 2; i++)
        with[i] = key->kind == STAT_MAX ? other[i] : now[i] - other[i];
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
        else if (keys[i].kind == STAT_MAX && value > *to)
            *to = value;
    }
}

struct stats_mark stats_snapshot(const struct stats *stats, struct arena *arena)
{
    struct stats_mark mark = stats_zero(stats, arena);
    stats_retake(stats, &mark);
    return mark;
}

void stats_retake(const struct stats *stats, struct stats_mark *mark)
{
    each_key(stats, copy_count, mark->values, NULL);
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

struct stats stats_layout(const struct stats *stats, struct arena *arena)
{
    struct stats layout = {.arena = arena};
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        struct stat_group group = stats->groups.v[i];
        group.name = arena_strndup(arena, group.name, strlen(group.name));
        group.collection = NULL;
        group.values = NULL;
        vec_push(arena, &layout.groups, group);
    }
    return layout;
}

static bool is_same_group(const struct stat_group *a, const struct stat_group *b)
{
    return a->count == b->count && !strcmp(a->name, b->name);
}

struct stats_mark stats_convert(const struct stats *layout, const struct stats_mark *mark,
                                const struct stats *to, struct arena *arena)
{
    struct stats_mark converted = stats_zero(to, arena);
    uint64_t *into = converted.values;
    const uint64_t *from = mark->values;
    uint32_t next = 0; // common groups have the same order
    for (uint32_t i = 0; i < to->groups.n; i++) {
        const struct stat_group *group = &to->groups.v[i];
        const uint64_t *at = from;
        uint32_t found = next;
        while (found < layout->groups.n && !is_same_group(&layout->groups.v[found], group))
            at += 2 * (size_t)layout->groups.v[found++].count;
        if (found < layout->groups.n) {
            memcpy(into, at, 2 * group->count * sizeof *into);
            from = at + 2 * (size_t)group->count;
            next = found + 1;
        }
        into += 2 * (size_t)group->count;
    }
    return converted;
}

enum { LONGEST_NAME = 256 };

// Format of marks in files

uint32_t stats_values(const struct stats *stats)
{
    return 2 * count_keys(stats);
}

static void add_name(void *context, const struct stat_entry *entry)
{
    char name[LONGEST_NAME];
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

// Returns the part of a statistic's name after the group's name, or NULL. The group's name may
// contain dots.
static const char *after_name(const char *name, const struct stat_group *group)
{
    size_t length = strlen(group->name);
    return !strncmp(name, group->name, length) && name[length] == '.' ? name + length + 1 : NULL;
}

bool stats_refer(const struct stats *stats, const char *name, struct stat_ref *ref)
{
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        const char *own = after_name(name, group);
        for (uint32_t k = 0; own && k < group->count; k++)
            if (!strcmp(own, group->keys[k].name)) {
                *ref = (struct stat_ref){i, k};
                return true;
            }
    }
    return false;
}

uint64_t stats_count(const struct stats *stats, struct stat_ref ref)
{
    const struct stat_group *group = &stats->groups.v[ref.group];
    return counter(group, group->keys[ref.key].offset);
}

bool stats_find(const struct stats *stats, const struct stats_mark *since, const char *name,
                double *value)
{
    struct stat_ref ref;
    size_t before = 0;
    *value = 0;
    if (!stats_refer(stats, name, &ref))
        return false;
    const struct stat_group *group = &stats->groups.v[ref.group];
    for (uint32_t i = 0; since && i < ref.group; i++)
        before += stats->groups.v[i].count;
    const uint64_t *at = since ? since->values + 2 * (before + ref.key) : NULL;
    *value = entry_of(group, &group->keys[ref.key], at).value;
    return true;
}

struct stat_spread stats_spread(const struct stats *stats, const struct stats_mark *since,
                                const char *collection, const char *key)
{
    const uint64_t *at = since ? since->values : NULL;
    struct stat_spread spread = {0};
    for (uint32_t i = 0; i < stats->groups.n; i++) {
        const struct stat_group *group = &stats->groups.v[i];
        bool is_member = group->collection && !strcmp(group->collection, collection);
        for (uint32_t k = 0; is_member && k < group->count; k++) {
            if (strcmp(group->keys[k].name, key))
                continue;
            double value = entry_of(group, &group->keys[k], at ? at + 2 * k : NULL).value;
            if (!spread.count || value < spread.min)
                spread.min = value;
            if (!spread.count || value > spread.max) {
                spread.max = value;
                spread.max_group = group;
            }
            spread.count++;
            spread.mean += value;
        }
        at = at ? at + 2 * (size_t)group->count : NULL;
    }
    spread.mean /= spread.count ? spread.count : 1;
    return spread;
}

static bool is_first_member(const struct stats *stats, const struct stat_group *group)
{
    const struct stat_group *other = stats->groups.v;
    while (!other->collection || strcmp(other->collection, group->collection) != 0)
        other++;
    return other == group;
}

// Selection

static void full_name(char name[LONGEST_NAME], const char *group, const struct stat_key *key)
{
    snprintf(name, LONGEST_NAME, "%s.%s", group, key->name);
}

struct match {
    const char *pattern;
    bool found;
};

static void match_entry(void *context, const struct stat_entry *entry)
{
    struct match *match = context;
    char name[LONGEST_NAME];
    full_name(name, entry->group->name, entry->key);
    match->found |= !fnmatch(match->pattern, name, 0);
}

bool stats_match(const struct stats *stats, const char *pattern)
{
    struct match match = {pattern, false};
    visit(stats, NULL, match_entry, &match);
    return match.found;
}

typedef void spread_function(void *context, const struct stat_entry *entry,
                             const struct stat_spread *spread);

// Calls one of the two functions for each selected value.
struct choice_visit {
    const struct stats *stats;
    const struct stats_mark *since;
    const struct stats_choice *choice;
    visit_function *value;
    spread_function *spread;
    void *context;
};

static bool is_chosen(const struct stats_choice *choice, const struct stat_entry *entry)
{
    char name[LONGEST_NAME];
    bool found = false;
    full_name(name, entry->group->name, entry->key);
    for (uint32_t i = 0; !found && i < choice->patterns.list.n; i++)
        found = !fnmatch(choice->patterns.list.v[i], name, 0);
    return found;
}

static void visit_entry(void *context, const struct stat_entry *entry)
{
    const struct choice_visit *v = context;
    const char *collection = entry->group->collection;
    bool whole = !v->choice || v->choice->patterns.list.n;
    if (whole ? !v->choice || is_chosen(v->choice, entry) : !collection) {
        v->value(v->context, entry);
    } else if (!whole && is_first_member(v->stats, entry->group)) {
        struct stat_spread spread = stats_spread(v->stats, v->since, collection, entry->key->name);
        v->spread(v->context, entry, &spread);
    }
}

static void visit_chosen(struct choice_visit v)
{
    visit(v.stats, v.since, visit_entry, &v);
}

// Writing

// Returns true for statistics that are written with all digits.
static bool is_whole(const struct stat_key *key)
{
    return key->kind == STAT_COUNT || key->kind == STAT_MAX;
}

static void value_text(char text[NUMBER_TEXT], const struct stat_entry *entry)
{
    if (!is_whole(entry->key))
        number_shortest(text, entry->value);
    else
        text[number_uint(text, entry->whole)] = 0;
}

static const char *const spread_names[] = {"least", "mean", "most"};
enum { SPREAD = ARRAY_LENGTH(spread_names) };

static void spread_values(double values[SPREAD], const struct stat_spread *spread)
{
    values[0] = spread->min;
    values[1] = spread->mean;
    values[2] = spread->max;
}

static void write_text(void *context, const struct stat_entry *entry)
{
    char text[NUMBER_TEXT];
    value_text(text, entry);
    fprintf(context, "%s.%s = %s # %s%s%s\n", entry->group->name, entry->key->name, text,
            entry->key->unit, *entry->key->unit ? ": " : "", entry->key->text);
}

static void write_text_spread(void *context, const struct stat_entry *entry,
                              const struct stat_spread *spread)
{
    const struct stat_key *key = entry->key;
    double values[SPREAD];
    spread_values(values, spread);
    fprintf(context, "%s.%s =", entry->group->collection, key->name);
    for (uint32_t i = 0; i < SPREAD; i++) {
        char text[NUMBER_TEXT];
        number_shortest(text, values[i]);
        fprintf(context, " %s", text);
    }
    fprintf(context, " # %s%sminimum, mean and maximum of %u: %s\n", key->unit,
            *key->unit ? ", " : "", spread->count, key->text);
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

static void write_csv_spread(void *context, const struct stat_entry *entry,
                             const struct stat_spread *spread)
{
    const struct csv *csv = context;
    double values[SPREAD];
    spread_values(values, spread);
    for (uint32_t i = 0; i < SPREAD; i++) {
        char text[NUMBER_TEXT];
        number_shortest(text, values[i]);
        fprintf(csv->to, "%s%s.%s.%s,%s,%s\n", csv->before, entry->group->collection,
                entry->key->name, spread_names[i], entry->key->unit, text);
    }
}

static void write_json(void *context, const struct stat_entry *entry)
{
    char name[LONGEST_NAME];
    full_name(name, entry->group->name, entry->key);
    json_key(context, name);
    if (!is_whole(entry->key))
        json_double(context, entry->value);
    else
        json_uint(context, entry->whole);
}

static void write_json_spread(void *context, const struct stat_entry *entry,
                              const struct stat_spread *spread)
{
    double values[SPREAD];
    spread_values(values, spread);
    for (uint32_t i = 0; i < SPREAD; i++) {
        char name[LONGEST_NAME];
        snprintf(name, sizeof name, "%s.%s.%s", entry->group->collection, entry->key->name,
                 spread_names[i]);
        json_member_double(context, name, values[i]);
    }
}

static void write_name(void *context, const struct stat_entry *entry)
{
    fprintf(context, "%s.%s  # %s%s%s\n", entry->group->name, entry->key->name, entry->key->unit,
            *entry->key->unit ? ": " : "", entry->key->text);
}

void stats_text(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, FILE *to)
{
    visit_chosen((struct choice_visit){stats, since, choice, write_text, write_text_spread, to});
}

void stats_csv(const struct stats *stats, const struct stats_mark *since,
               const struct stats_choice *choice, FILE *to)
{
    fputs("name,unit,value\n", to);
    stats_csv_rows(stats, since, choice, "", to);
}

void stats_csv_rows(const struct stats *stats, const struct stats_mark *since,
                    const struct stats_choice *choice, const char *before, FILE *to)
{
    struct csv csv = {before, to};
    visit_chosen((struct choice_visit){stats, since, choice, write_csv, write_csv_spread, &csv});
}

void stats_json(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, struct json *json)
{
    json_object(json);
    visit_chosen((struct choice_visit){stats, since, choice, write_json, write_json_spread, json});
    json_end_object(json);
}

static void write_spread_name(void *context, const struct stat_entry *entry,
                              const struct stat_spread *spread)
{
    const struct stat_key *key = entry->key;
    fprintf(context, "%s.%s  # %s%sminimum, mean and maximum of %u: %s\n", entry->group->collection,
            key->name, key->unit, *key->unit ? ", " : "", spread->count, key->text);
}

void stats_list(const struct stats *stats, FILE *to)
{
    static const struct stats_choice all = {0};
    visit_chosen((struct choice_visit){stats, NULL, &all, write_name, write_spread_name, to});
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
