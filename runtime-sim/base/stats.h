// Statistics: counters are plain members of a component's struct. A table has their names, units
// and meanings.
//
// A component has a table with one row per statistic (noc/noc_stats.def):
//
//     STAT_COUNT(flits, "flits", "flits that left their source")
//     STAT_MAX(queue_most, "packets", "largest length of the queue")
//     STAT_RATIO(latency_mean, "cycles", "mean latency of packets", latency_sum, packets)
//
// From it, base/stats_fields.inc generates the members of a struct (uint64_t; a ratio has no
// member), and base/stats_keys.inc the rows that read it. Both are used like those of
// base/config.h, with STATS_DEF and STATS_OF. A group is such a struct with a name: "noc.request"
// has "noc.request.flits". Groups of identical components, such as cores, belong to a collection
// "core*".
#pragma once
#include "support/json.h"
#include "support/vec.h"

enum stat_kind {
    STAT_COUNT, // a count; its value over an interval is the increase
    STAT_MAX,   // a maximum; not defined over an interval
    STAT_RATIO, // quotient of two counts; 0 if the denominator is 0
    STAT_REAL,  // a number, of type double; not defined over an interval
};

struct stat_key {
    const char *name;
    enum stat_kind kind;
    const char *unit, *text;
    size_t offset;      // of the value; for STAT_RATIO, of the numerator
    size_t denominator; // STAT_RATIO
};

struct stat_group {
    const char *name;
    const struct stat_key *keys;
    uint32_t count;
    const void *values;
    const char *collection; // NULL: not in a collection
};

// The statistics to write. Without patterns: each value of a group that is not in a collection, and
// for each statistic of a collection, named with '*', the minimum, mean and maximum. With patterns:
// each single value whose name matches one of them (fnmatch).
struct stats_choice {
    struct text_list patterns;
};

struct stats {
    struct arena *arena;
    VEC(struct stat_group) groups;
};

// The values of all counters at a point in time.
struct stats_mark {
    uint64_t *values; // two for each key, by group and key; for ratios, numerator and denominator
};

// Initialises an empty set of statistics.
void stats_init(struct stats *stats, struct arena *arena);
// Adds a group. `values` is read whenever statistics are written.
void stats_add(struct stats *stats, const char *name, const struct stat_key *keys, uint32_t count,
               const void *values);

// Adds a group for one of several identical components. All groups of a collection must have the
// same keys.
void stats_add_member(struct stats *stats, const char *collection, const char *name,
                      const struct stat_key *keys, uint32_t count, const void *values);

// Adds the counts of a part to a total with the same keys. For STAT_MAX, keeps the maximum.
void stats_accumulate(void *total, const void *part, const struct stat_key *keys, uint32_t count);

// Returns the present values.
struct stats_mark stats_snapshot(const struct stats *stats, struct arena *arena);
// Overwrites a mark with the present values.
void stats_retake(const struct stats *stats, struct stats_mark *mark);

// Sum several intervals: stats_zero returns an empty sum; stats_sum adds the increase since `since`
// to `sum`, and for STAT_MAX keeps the maximum.
struct stats_mark stats_zero(const struct stats *stats, struct arena *arena);
void stats_sum(const struct stats *stats, const struct stats_mark *since, struct stats_mark *sum);
// Returns a mark since which the increase equals `sum`.
struct stats_mark stats_since(const struct stats *stats, const struct stats_mark *sum,
                              struct arena *arena);

// For statistics whose groups change: stats_layout returns their groups, without values, in memory
// of the arena; stats_convert returns a mark of statistics with these groups as one of `to`, with
// the values of the groups that both have, and 0 for the others.
struct stats stats_layout(const struct stats *stats, struct arena *arena);
struct stats_mark stats_convert(const struct stats *layout, const struct stats_mark *mark,
                                const struct stats *to, struct arena *arena);

// The place of a statistic, for values that are read often. It is valid in all sets with the same
// groups.
struct stat_ref {
    uint32_t group, key;
};
// Finds a statistic by its full name. Returns false if the name is unknown.
bool stats_refer(const struct stats *stats, const char *name, struct stat_ref *ref);
// Returns the present value of a STAT_COUNT.
uint64_t stats_count(const struct stats *stats, struct stat_ref ref);

// Finds a value by its full name, as the increase since the mark (NULL: since the beginning).
// Returns false if the name is unknown.
bool stats_find(const struct stats *stats, const struct stats_mark *since, const char *name,
                double *value);

// Write statistics as `name = value # unit: text`, as `name,unit,value` under a heading, and as an
// object with a member per name. Values are since the mark or, if it is NULL, since the beginning.
// If `choice` is NULL, each single value is written. In text, the minimum, mean and maximum of a
// collection are one line; in the other formats they are NAME.least, NAME.mean and NAME.most.
void stats_text(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, FILE *to);
void stats_csv(const struct stats *stats, const struct stats_mark *since,
               const struct stats_choice *choice, FILE *to);
void stats_json(const struct stats *stats, const struct stats_mark *since,
                const struct stats_choice *choice, struct json *json);
// Writes the rows of stats_csv without the heading, each after `before`.
void stats_csv_rows(const struct stats *stats, const struct stats_mark *since,
                    const struct stats_choice *choice, const char *before, FILE *to);
// Returns true if the pattern matches the name of a statistic.
bool stats_match(const struct stats *stats, const char *pattern);

// The values of a statistic over the groups of a collection.
struct stat_spread {
    uint32_t count; // number of groups; 0: the statistic does not exist
    double min, mean, max;
    const struct stat_group *max_group;
};
// Computes the spread of a statistic.
struct stat_spread stats_spread(const struct stats *stats, const struct stats_mark *since,
                                const char *collection, const char *key);

// The format of a mark, for files that contain one: the number of values, and a digest of their
// keys in order, in hexadecimal.
uint32_t stats_values(const struct stats *stats);
void stats_digest(const struct stats *stats, char digest[65]);

// Prints names, units and meanings, once per collection.
void stats_list(const struct stats *stats, FILE *to);

// Calls the function for each statistic in order, with its value since the mark or, if it is NULL,
// since the beginning.
typedef void stats_function(void *context, const struct stat_group *group,
                            const struct stat_key *key, double value);
void stats_each(const struct stats *stats, const struct stats_mark *since, stats_function *function,
                void *context);
