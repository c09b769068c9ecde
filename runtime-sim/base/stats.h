// Statistics: counters are plain members of a component's struct; their names, units and meanings
// stand in a table, once.
//
// A component has a table with one row per statistic (noc/noc_stats.def):
//
//     STAT_COUNT(flits, "flits", "flits that left their source")
//     STAT_MOST(queue_most, "packets", "the longest that the queue was")
//     STAT_RATIO(latency_mean, "cycles", "mean latency of packets", latency_sum, packets)
//
// engine/stats_fields.inc makes the members of a struct from it (uint64_t; a ratio has none),
// base/stats_keys.inc the rows that read it; both like those of base/config.h, with STATS_DEF
// and STATS_OF. A group is such a struct under a name; "noc.request" has "noc.request.flits".
#pragma once
#include "support/json.h"
#include "support/vec.h"

enum stat_kind {
    STAT_COUNT, // grows; over an interval its growth is meant
    STAT_MOST,  // the most so far; not of an interval
    STAT_RATIO, // of two counts; 0 if nothing was counted
};

struct stat_key {
    const char *name;
    enum stat_kind kind;
    const char *unit, *text;
    size_t offset;      // STAT_COUNT, STAT_MOST; of a ratio: the numerator's
    size_t denominator; // STAT_RATIO
};

struct stat_group {
    const char *name;
    const struct stat_key *keys;
    uint32_t count;
    const void *values;
};

struct stats {
    struct arena *arena;
    VEC(struct stat_group) groups;
};

// What all counters were at some time.
struct stats_mark {
    uint64_t *values; // two by group, then key: of ratios the numerator and the denominator
};

void stats_init(struct stats *stats, struct arena *arena);
// `values` is read whenever the statistics are written.
void stats_add(struct stats *stats, const char *name, const struct stat_key *keys, uint32_t count,
               const void *values);

struct stats_mark stats_take(const struct stats *stats, struct arena *arena);
// The same into a mark that there is already.
void stats_retake(const struct stats *stats, struct stats_mark *mark);

// What several intervals have in common: what has grown since `since` is added to `sum`, which is
// as stats_take returns it, or zero (stats_zero); of STAT_MOST the most stays.
struct stats_mark stats_zero(const struct stats *stats, struct arena *arena);
void stats_sum(const struct stats *stats, const struct stats_mark *since, struct stats_mark *sum);
// A mark since which exactly that has been counted what is in `sum`.
struct stats_mark stats_since(const struct stats *stats, const struct stats_mark *sum,
                              struct arena *arena);

// One value by its whole name, since the mark (NULL: since the beginning). False: there is none.
bool stats_find(const struct stats *stats, const struct stats_mark *since, const char *name,
                double *value);

// `name = value # unit: text`, `name,unit,value` under a heading, and an object with a member for
// each name; since the mark or, with NULL, since the beginning.
void stats_text(const struct stats *stats, const struct stats_mark *since, FILE *to);
void stats_csv(const struct stats *stats, const struct stats_mark *since, FILE *to);
void stats_json(const struct stats *stats, const struct stats_mark *since, struct json *json);
// The rows of stats_csv without the heading, each after `before`.
void stats_csv_rows(const struct stats *stats, const struct stats_mark *since, const char *before,
                    FILE *to);
// What a mark consists of, for who keeps one in a file: how many values, and a digest of what they
// count, in this order, in hexadecimal digits.
uint32_t stats_values(const struct stats *stats);
void stats_digest(const struct stats *stats, char digest[65]);

// Names, units and meanings.
void stats_list(const struct stats *stats, FILE *to);
