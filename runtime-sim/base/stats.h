// Statistics: counters are plain members of a component's struct; a table has their names, units
// and meanings.
//
// A component has a table with one row per statistic (noc/noc_stats.def):
//
//     STAT_COUNT(flits, "flits", "flits that left their source")
//     STAT_MOST(queue_most, "packets", "largest length of the queue")
//     STAT_RATIO(latency_mean, "cycles", "mean latency of packets", latency_sum, packets)
//
// base/stats_fields.inc generates the members of a struct from it (uint64_t; a ratio has no
// member), base/stats_keys.inc the rows that read it; both like those of base/config.h, with
// STATS_DEF and STATS_OF. A group is such a struct with a name; "noc.request" has
// "noc.request.flits". Groups of equal components, such as cores, belong to a collection "core*".
#pragma once
#include "support/json.h"
#include "support/vec.h"

enum stat_kind {
    STAT_COUNT, // a count; its value over an interval is its growth
    STAT_MOST,  // a maximum; not defined over an interval
    STAT_RATIO, // quotient of two counts; 0 if the denominator is 0
    STAT_REAL,  // a number, of type double; not defined over an interval
};

struct stat_key {
    const char *name;
    enum stat_kind kind;
    const char *unit, *text;
    size_t offset;      // of the value; STAT_RATIO: of the numerator
    size_t denominator; // STAT_RATIO
};

struct stat_group {
    const char *name;
    const struct stat_key *keys;
    uint32_t count;
    const void *values;
    const char *collection; // NULL: none
};

// The statistics to be written. A value of each group in no collection, and for each statistic of a
// collection, by its name with '*', the least value, the mean and the largest one; or, with
// patterns, each single value whose name matches one of them (fnmatch).
struct stats_choice {
    struct text_list patterns;
};

struct stats {
    struct arena *arena;
    VEC(struct stat_group) groups;
};

// The values of all counters at one time.
struct stats_mark {
    uint64_t *values; // two for each key, by group and key; for ratios numerator and denominator
};

void stats_init(struct stats *stats, struct arena *arena);
// `values` is read whenever the statistics are written.
void stats_add(struct stats *stats, const char *name, const struct stat_key *keys, uint32_t count,
               const void *values);

// The same for one of several equal components. The keys of all groups of a collection are the
// same.
void stats_add_member(struct stats *stats, const char *collection, const char *name,
                      const struct stat_key *keys, uint32_t count, const void *values);

// Adds the counts of a part to a total with the same keys; for STAT_MOST it keeps the maximum.
void stats_accumulate(void *total, const void *part, const struct stat_key *keys, uint32_t count);

struct stats_mark stats_take(const struct stats *stats, struct arena *arena);
// Overwrites an existing mark.
void stats_retake(const struct stats *stats, struct stats_mark *mark);

// Adds several intervals: stats_sum adds the growth since `since` to `sum`, which is a result of
// stats_take or stats_zero; for STAT_MOST it keeps the maximum.
struct stats_mark stats_zero(const struct stats *stats, struct arena *arena);
void stats_sum(const struct stats *stats, const struct stats_mark *since, struct stats_mark *sum);
// Returns a mark such that the growth since then equals `sum`.
struct stats_mark stats_since(const struct stats *stats, const struct stats_mark *sum,
                              struct arena *arena);

// Finds one value by its full name, since the mark (NULL: since the beginning). Returns false for
// an unknown name.
bool stats_find(const struct stats *stats, const struct stats_mark *since, const char *name,
                double *value);

// `name = value # unit: text`, `name,unit,value` under a heading, and an object with a member for
// each name; since the mark or, with NULL, since the beginning. `choice` NULL: each single value.
// The three values of a statistic of a collection are one line of the text, least first; in the
// other forms they are NAME.least, NAME.mean and NAME.most.
void stats_text(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, FILE *to);
void stats_csv(const struct stats *stats, const struct stats_mark *since,
               const struct stats_choice *choice, FILE *to);
void stats_json(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, struct json *json);
// The rows of stats_csv without the heading, each after `before`.
void stats_csv_rows(const struct stats *stats, const struct stats_mark *since,
                    const struct stats_choice *choice, const char *before, FILE *to);
// Returns true if the pattern matches the name of a statistic.
bool stats_match(const struct stats *stats, const char *pattern);

// The values of a statistic in the groups of a collection.
struct stat_spread {
    uint32_t count; // groups; 0: there is no such statistic
    double least, mean, most;
    const struct stat_group *most_group;
};
struct stat_spread stats_spread(const struct stats *stats, const struct stats_mark *since,
                                const char *collection, const char *key);

// The format of a mark, for files that contain one: the number of values, and a digest of their
// keys in order, in hexadecimal digits.
uint32_t stats_values(const struct stats *stats);
void stats_digest(const struct stats *stats, char digest[65]);

// Names, units and meanings; of a collection once.
void stats_list(const struct stats *stats, FILE *to);

// Calls the function for each statistic in their order, with its value since the mark or, with
// NULL, since the beginning.
typedef void stats_function(void *context, const struct stat_group *group,
                            const struct stat_key *key, double value);
void stats_each(const struct stats *stats, const struct stats_mark *since, stats_function *function,
                void *context);
