// A cache: tags and times, no data (a request's values are bound by the one who owns them, when
// `serve` tells that its time has come). Used as a slice of the last level and as a first level.
//
//     input queues → access queue → banks → answers
//                          ↓ miss: MSHR
//                         out → next level → cache_fill
//
// A request goes from its input queue to the access queue, inputs taking turns, and has its access
// in the same clock if its bank is idle. In the access queue a request that cannot go on waits, and
// others pass it, but never one to the same line, unless its input is_passed. All bytes of a
// request are in one line.
//
// What is known of a line is kept by byte: a store that covers whole sectors fetches nothing, and
// one that covers them in part fetches nothing either until somebody reads the rest (partial:
// mask).
//
// With forward_misses a write that misses is answered by the next level, and its line is fetched
// whole. Until the line has come, further writes to it go on, too, unless a read waits for it.
//
// Answers leave by paths, each with a queue of its own and in the order in which requests were
// served. A full one stops no request of another path: a path that has no place in the access queue
// gets one, no path uses all MSHRs (there is one more than the configuration says), and reads of
// another path to the same line are passed by a read. Ways of a set are not divided.
//
// A line's place in its set is taken when it is asked for. Requests that wait for it are served in
// the order of their coming; reads that find all they need pass those, unless one of them writes.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/mask.h"

enum { CACHE_INPUTS = 10, CACHE_PATHS = 2 };
#define CACHE_NOBODY UINT64_MAX

struct cache_config {
#define CONFIG_DEF "runtime-sim/cache/cache.def"
#include "runtime-sim/base/config_fields.inc"
};

struct cache_stats {
#define STATS_DEF "runtime-sim/cache/cache_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum cache_kind { CACHE_READ, CACHE_WRITE, CACHE_ATOMIC };
enum cache_write { CACHE_BACK, CACHE_THROUGH, CACHE_EVICT };

// Where a request that is served found what it wants.
enum cache_from {
    CACHE_HIT,     // in the cache, or it wants nothing of what is there
    CACHE_MERGED,  // already on the way for another request
    CACHE_FETCHED, // at the next level, which was asked for it
};

// What an access says of when its line is to give way.
enum cache_keep {
    CACHE_KEEP,        // nothing: as it was; a new one is a normal one
    CACHE_KEEP_SHORT,  // before others
    CACHE_KEEP_NORMAL, // among the others the one used longest ago first
    CACHE_KEEP_LONG,   // after others
    CACHE_KEEP_STILL,  // as it was, and the access counts as no use
};

struct cache_request {
    uint64_t id;
    uint64_t line; // address of the line divided by its size
    struct mask bytes;
    uint8_t kind; // enum cache_kind
    uint8_t input;
    uint8_t path;            // by which its answer leaves, below CACHE_PATHS
    bool touches;            // a read of no data: the line is to be there
    bool silent;             // of a forwarded write: waits for the line, gets no answer
    uint8_t keep, keep_next; // enum cache_keep: here, and at the next level if it is asked
    uint8_t from; // enum cache_from: CACHE_HIT when it is put; filled in before it is served
    // In the access queue: the line's place, as of so many changes of lines; 0 when it is put.
    uint32_t place;
    uint64_t found_at;
};

// May the request, which is next to have its access, have it now? Asked again every clock while it
// waits in the access queue.
typedef bool cache_condition(void *context, const struct cache_request *request, uint64_t now);
// The request's time has come: its values are read or written now.
typedef void cache_serve(void *context, const struct cache_request *request, uint64_t now);

struct cache_input {
    cache_condition *condition; // NULL: always
    // The condition holds when the request is served, too: a request does not wait in an MSHR, but
    // in the access queue until its line is there.
    bool until_served;
    bool one_waits;     // one request at most of this input is in the access queue
    bool is_passed;     // requests of other inputs to the same line pass one that waits
    cache_serve *serve; // NULL: nobody wants to know
    void *context;
    struct cache_request *queue;
    uint32_t head, count;
};

struct cache_answer {
    uint64_t id, ready;
    uint8_t kind, input;
};

// Those of a path, a ring in the order of `ready`.
struct cache_answers {
    struct cache_answer *ring;
    uint32_t head, count;
    uint64_t last; // the newest one's `ready`
};

// To the next level: bytes of a line that are wanted, in whole sectors, or that were written.
struct cache_out {
    uint64_t line;
    uint64_t id; // of the read or atomic that wants them, or of the write that the next level is to
                 // answer; CACHE_NOBODY: other stores are the reason
    struct mask bytes;
    bool write;
    uint8_t keep;   // enum cache_keep
    uint64_t since; // when it was asked for
};

struct cache_mshr {
    uint32_t place; // of its line
    uint32_t head, count;
    uint32_t silent; // of those waiting
    bool writes;     // one of those waiting writes
    uint8_t paths;   // those that use it: a set
    struct mask coming;
};

struct cache_flush {
    bool active, drop;
    uint64_t first, last; // lines; both included
    uint32_t at;          // next place to look at
};

struct cache {
    const struct cache_config *config;
    struct mask whole;    // a line
    uint32_t sectors;     // of it
    uint32_t unit;        // bytes in which the next level answers, if more than a sector
    uint64_t line_clocks; // in which a bank moves it
    uint64_t next;
    uint64_t free;  // the first clock that was not ticked
    uint64_t clock; // the last that was
    uint32_t input_count, turn, wake_turn;
    struct cache_input inputs[CACHE_INPUTS];
    struct cache_request *waiting; // the access queue, oldest first
    uint32_t waiting_count;
    // Of each place of a line: set · ways + way.
    uint64_t *line;   // UINT64_MAX: none
    uint64_t changes; // of these, from 1
    struct mask *known, *dirty;
    uint64_t *used;    // when last, or when brought in: a count, behind the line's rank
    uint16_t *mshr_of; // 1 + its MSHR, or 0
    uint64_t uses;
    struct cache_mshr *mshrs;
    struct cache_request *targets; // mshr · merges: a ring for each
    uint16_t *free_mshrs;
    uint32_t free_count;
    uint32_t used_by[CACHE_PATHS]; // MSHRs in use by each path
    uint32_t held[CACHE_PATHS];    // requests of each path that wait at MSHRs
    uint64_t *wake;                // the set of MSHRs of which a request may be served
    uint32_t waking;               // how many
    uint64_t *bank_free;
    uint64_t fill_free; // with fill_port: own
    struct cache_out *out;
    uint32_t out_head, out_count;
    struct cache_answers answers[CACHE_PATHS];
    struct cache_flush flush;
    struct cache_stats stats;
};

extern const struct config_key cache_keys[];
extern const uint32_t cache_key_count;
extern const struct stat_key cache_stat_keys[];
extern const uint32_t cache_stat_key_count;

// What is wrong with keys that do not fit together, as a sentence; NULL: nothing. `name` is the
// section's.
const char *cache_config_fault(const struct cache_config *config, const char *name,
                               struct arena *arena);

// The next level answers in aligned units of so many bytes, a power of two up to the line: reads
// ask it for whole units, and all of a unit is on its way as soon as a part of it was asked for.
// Without this call a unit is a sector. Needs a cache that nothing was put into.
void cache_answers_in(struct cache *cache, uint32_t bytes);

// Where a line may be; the line is a number, not an address.
uint32_t cache_set(const struct cache_config *config, uint64_t line);

// Needs a configuration without fault, which stays. What `inputs` ask and tell is set afterwards.
void cache_init(struct cache *cache, struct arena *arena, const struct cache_config *config,
                uint32_t inputs);

static inline bool cache_can_put(const struct cache *cache, uint32_t input)
{
    return cache->inputs[input].count < cache->config->input;
}

// Needs cache_can_put, a request with at least one byte, and request->input.
void cache_put(struct cache *cache, uint64_t now, const struct cache_request *request);

// Does what is to be done at this clock. Returns the next clock at which there is something to do
// (UINT64_MAX: not before something comes, goes or is taken). Calls in between do nothing.
uint64_t cache_tick(struct cache *cache, uint64_t now);

// The oldest answer of a path if it is ready, else NULL. It stays until cache_answer_pop.
const struct cache_answer *cache_answer_peek(const struct cache *cache, uint32_t path,
                                             uint64_t now);
void cache_answer_pop(struct cache *cache, uint32_t path, uint64_t now);
// When the oldest answer of a path is ready; UINT64_MAX if there is none.
uint64_t cache_answer_next(const struct cache *cache, uint32_t path);
// Answers of all paths that were not taken yet.
uint32_t cache_answer_count(const struct cache *cache);

// The oldest request to the next level, or NULL. It stays until cache_out_pop.
const struct cache_out *cache_out_peek(const struct cache *cache);
void cache_out_pop(struct cache *cache, uint64_t now);

// Returns true if the port for lines that come is free.
static inline bool cache_can_fill(const struct cache *cache, uint64_t now)
{
    return cache->fill_free <= now;
}

// Bytes of a line that was asked for have come. Requires cache_can_fill.
void cache_fill(struct cache *cache, uint64_t now, uint64_t line, struct mask bytes);

// Begins to write back the dirty ones of these lines, both ends included, one in a clock, and with
// `drop` forgets all of them. Nothing has its access until that is done: then cache_flushing says
// false. Needs that none is under way.
void cache_flush(struct cache *cache, uint64_t now, uint64_t first, uint64_t last, bool drop);
static inline bool cache_flushing(const struct cache *cache)
{
    return cache->flush.active;
}

// The line is there, on its way, or asked for by a read that has not had its access yet.
bool cache_has(const struct cache *cache, uint64_t line);

// A request to the line was put and is not served yet; with `writes`: one that is no read.
bool cache_waits(const struct cache *cache, uint64_t line, bool writes);

// Reads the data of a line past all queues, for who knows that it is there. `ready`: when they
// come.
enum cache_direct {
    CACHE_DIRECT_READ,
    CACHE_DIRECT_BUSY,   // the bank is: again later
    CACHE_DIRECT_ABSENT, // it is not there, or not all of it
};
enum cache_direct cache_read_directly(struct cache *cache, uint64_t now, uint64_t line,
                                      uint64_t *ready);

// Forgets a line, written bytes included, unless it is on its way. True if it was there.
bool cache_drop(struct cache *cache, uint64_t line);

// The same for all lines, at once: between launches, or where no line has bytes that the next level
// lacks. Returns how many were there.
uint32_t cache_forget(struct cache *cache);

// Requests that were put and whose answer was not taken yet.
uint32_t cache_inside(const struct cache *cache);
