// A cache: tags and timing without data. The owner of the values reads or writes them when `serve`
// is called. Used as a slice of the LLC and as an L1.
//
//     input queues → access queue → banks → replies
//                          ↓ miss: MSHR
//                         out → next level → cache_fill
//
// A request moves from its input queue to the access queue; the inputs are served round-robin. It
// has its access in the same clock if its bank is idle. A request that cannot be served stays in
// the access queue. Others may pass it, but a request to the same line may do so only if the
// waiting request's input is marked `is_passed`. All bytes of a request are in one line.
//
// Validity is tracked per byte. A store that covers whole sectors fetches nothing. With `partial:
// mask`, a store that covers a part of a sector fetches nothing either, until a read needs the
// rest.
//
// With forward_misses, a write that misses is forwarded to the next level, which replies to it, and
// the whole line is fetched. Until the line arrives, further writes to it are forwarded as well,
// unless a read waits for it.
//
// Replies leave on paths. Each path has a queue, in which replies are in the order of service. A
// full queue does not block requests of another path: a path without an entry in the access queue
// gets one, no path uses all MSHRs (there is one more than configured), and a read may pass reads
// of another path to the same line. Paths share the ways of a set.
//
// A line is allocated in its set when it is requested. Requests that wait for it are served in the
// order of their arrival. A read that finds all its bytes passes them, unless one of them writes.
#pragma once
#include "runtime-sim/base/config.h"
#include "runtime-sim/base/ipoly.h"
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/mask.h"
#include "support/vec.h"

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

// The source of the bytes of a request. A write that did not find its line is CACHE_FETCHED.
enum cache_from {
    CACHE_HIT,     // the cache; also for a request that needs no bytes
    CACHE_MERGED,  // a fetch in flight for another request
    CACHE_FETCHED, // a fetch for this request
};

// The rank that an access gives to its line. Lines of a lower rank are evicted first; within a
// rank, the least recently used line is evicted first.
enum cache_keep {
    CACHE_KEEP, // unchanged; normal for a new line
    CACHE_KEEP_SHORT,
    CACHE_KEEP_NORMAL,
    CACHE_KEEP_LONG,
    CACHE_KEEP_STILL, // unchanged, and the access does not count as a use
};

struct cache_request {
    uint64_t id;
    uint64_t line; // address of the line divided by its size
    struct mask bytes;
    uint8_t kind; // enum cache_kind
    uint8_t input;
    uint8_t path;            // path of its reply, below CACHE_PATHS
    bool touches;            // a read that fetches the line and transfers no data
    bool silent;             // a forwarded write that waits for the line and gets no reply
    uint8_t keep, keep_next; // enum cache_keep: in this cache, and at the next level
    uint8_t from;            // enum cache_from; CACHE_HIT when put, final when served
    // In the access queue: the location of the line when `changes` of the cache was found_at; 0
    // when put.
    uint32_t place;
    union {
        uint32_t set;  // set of the line; cache_put determines it
        uint32_t next; // at an MSHR: the request after it; see cache_mshr
    };
    uint64_t found_at;
    // Value of the cache's `freed` when all locations of its set were in flight; 0 when put.
    uint64_t full_at;
};

// Returns true if the request may have its access now. Called in every clock in which it could
// otherwise have its access.
typedef bool cache_condition(void *context, const struct cache_request *request, uint64_t now);
// Called when a request is served. Its values must be read or written in the call.
typedef void cache_serve(void *context, const struct cache_request *request, uint64_t now);

struct cache_input {
    cache_condition *condition; // NULL: always
    // The condition must hold when the request is served, so the request does not wait in an MSHR,
    // but in the access queue until its line has arrived.
    bool until_served;
    bool one_waits;     // at most one request of this input is in the access queue
    bool is_passed;     // requests of other inputs to the same line may pass a waiting request
    cache_serve *serve; // may be NULL
    void *context;
    struct cache_request *queue;
    uint32_t head, count;
};

struct cache_reply {
    uint64_t id, ready;
    uint8_t kind, input;
};

// The replies of a path: a ring in the order of `ready`.
struct cache_replies {
    struct cache_reply *ring;
    uint32_t head, count;
    uint64_t last; // `ready` of the newest reply
};

// A request to the next level: a fetch of whole sectors of a line, or written bytes.
struct cache_out {
    uint64_t line;
    uint64_t id; // the read or atomic that needs the bytes, or the write to which the next level
                 // replies; CACHE_NOBODY: not for a request
    struct mask bytes;
    bool write;
    uint8_t keep;   // enum cache_keep
    uint64_t since; // clock in which it was sent
};

struct cache_mshr {
    uint32_t place;       // location of its line
    uint32_t first, last; // list of waiting requests: numbers in `targets`
    uint32_t count;       // of waiting requests
    uint32_t silent;      // number of silent ones
    bool writes;          // one of the requests writes
    uint8_t paths;        // set of paths that use it
    struct mask coming;   // bytes in flight
};

struct cache_flush {
    bool active, drop;
    uint64_t first, last; // lines, both included
    uint32_t at;          // next location
};

// A location of lines. An access needs most of it, so it is one line of the host's cache.
struct cache_place {
    uint64_t tag;   // 1 + the number of its line; 0: free
    uint64_t used;  // rank of the line, and the count at its last use or allocation
    uint64_t since; // clock from which on its bytes were requested
    struct mask known, dirty;
    uint16_t mshr; // 1 + number of its MSHR, or 0
} __attribute__((aligned(64)));

enum { CACHE_RANKS = 3, CACHE_HINTS = 16 };

// A set: its lines of each rank as lists in the order of eviction. Ways are counted from 1.
struct cache_set_state {
    uint16_t oldest[CACHE_RANKS], newest[CACHE_RANKS];
    uint16_t full; // number of its first locations that are not free
    uint16_t end;  // number of its first locations after which all are free
};

// The neighbours of a location in its list: ways counted from 1, or 0.
struct cache_links {
    uint16_t older, newer;
};

struct cache {
    const struct cache_config *config;
    struct arena *arena;
    struct mask whole;    // all bytes of a line
    uint32_t ways;        // in use: config->ways, or what cache_use_ways has set
    uint32_t sectors;     // number of sectors in a line
    uint32_t unit;        // bytes of a reply from the next level, at least a sector
    uint64_t line_clocks; // clocks that transferring a line through the port of a bank takes
    uint64_t next;        // clock of the next evaluation
    uint64_t free;        // the clock after the last evaluation
    uint64_t clock;       // of the last evaluation
    uint32_t input_count, turn, wake_turn;
    struct cache_input inputs[CACHE_INPUTS];
    struct cache_request *waiting; // the access queue, oldest first
    uint32_t waiting_count;
    uint16_t *before; // see cache_queue.c; defined within one pass over the access queue
    // Indexed by location, which is set · ways + way.
    struct cache_place *places;
    struct cache_links *links;
    uint16_t *hints;    // by set and way: hash of the line; 0: free
    uint32_t hint_ways; // elements of a set in `hints`, a multiple of CACHE_HINTS
    struct cache_set_state *sets;
    uint64_t changes; // number of changes of the lines, from 1
    uint64_t uses;
    struct cache_mshr *mshrs;
    VEC(struct cache_request) targets; // requests that wait at MSHRs
    uint32_t free_target;              // 1 + first unused element of `targets`, or 0
    uint16_t *free_mshrs;
    uint32_t free_count;
    uint64_t freed;                // number of MSHRs freed, plus 1
    uint32_t used_by[CACHE_PATHS]; // MSHRs that each path uses
    uint32_t held[CACHE_PATHS];    // requests of each path that wait in MSHRs
    uint64_t *wake;                // set of MSHRs with a request that may be served
    uint32_t waking;               // number of MSHRs in `wake`
    uint64_t *bank_free;           // clock in which the port of each bank is free
    uint64_t fill_free;            // clock in which the fill port is free, with fill_port: own
    struct cache_out *out;
    uint32_t out_head, out_count;
    struct cache_replies answers[CACHE_PATHS];
    struct cache_flush flush;
    struct cache_stats stats;
};

extern const struct config_key cache_keys[];
extern const uint32_t cache_key_count;
extern const struct stat_key cache_stat_keys[];
extern const uint32_t cache_stat_key_count;

// Returns a fault of the combination of keys as a sentence, or NULL. `name` is the name of the
// section.
const char *cache_config_fault(const struct cache_config *config, const char *name,
                               struct arena *arena);

// Declares that the next level replies with aligned units of `bytes` bytes, a power of two up to
// the line size. Reads request whole units, and a unit is in flight as soon as a part of it was
// requested. Without this call a unit is a sector. Requires a cache without requests.
void cache_replies_in(struct cache *cache, uint32_t bytes);

// Returns the set of a line, which is a number, not an address.
static inline uint32_t cache_set(const struct cache_config *config, uint64_t line)
{
    uint64_t sets = config->sets;
    if (config->hash == CACHE_IPOLY)
        return ipoly_place(config->sets, line);
    uint64_t set = sets & (sets - 1) ? line % sets : line & (sets - 1);
    if (config->hash == CACHE_XOR && sets > 1)
        for (uint64_t rest = line / sets; rest; rest /= sets)
            set ^= rest % sets;
    return (uint32_t)set;
}

// Initialises a cache. Requires a configuration without a fault, which must outlive the cache. The
// caller sets the conditions and functions of the inputs afterwards.
void cache_init(struct cache *cache, struct arena *arena, const struct cache_config *config,
                uint32_t inputs);

// Returns true if the input queue has room for a request.
static inline bool cache_can_put(const struct cache *cache, uint32_t input)
{
    return cache->inputs[input].count < cache->config->input;
}

// Appends a request to its input queue. Requires cache_can_put, at least one byte, and
// request->input.
void cache_put(struct cache *cache, uint64_t now, const struct cache_request *request);

// Evaluates a clock. Returns the next clock in which the state may change by itself; UINT64_MAX if
// it changes only when a request is put, a line arrives, or a reply or request is popped. Calls
// before the returned clock have no effect.
uint64_t cache_tick(struct cache *cache, uint64_t now);

// Returns the oldest reply of a path if it is ready, or NULL. cache_reply_pop removes it.
const struct cache_reply *cache_reply_peek(const struct cache *cache, uint32_t path, uint64_t now);
void cache_reply_pop(struct cache *cache, uint32_t path, uint64_t now);
// Returns the clock in which the oldest reply of a path is ready; UINT64_MAX if there is no reply.
uint64_t cache_reply_next(const struct cache *cache, uint32_t path);
// Returns the number of replies of all paths that were not popped.
uint32_t cache_reply_count(const struct cache *cache);

// Returns the oldest request to the next level, or NULL. cache_out_pop removes it.
const struct cache_out *cache_out_peek(const struct cache *cache);
void cache_out_pop(struct cache *cache, uint64_t now);

// Returns true if the fill port is free.
static inline bool cache_can_fill(const struct cache *cache, uint64_t now)
{
    return cache->fill_free <= now;
}

// Accepts bytes of a line that was requested. Requires cache_can_fill.
void cache_fill(struct cache *cache, uint64_t now, uint64_t line, struct mask bytes);

// Marks bytes as present that were requested and arrived with the reply to a request for other
// bytes of the line. Their own reply may still arrive. Must be called before cache_fill.
void cache_fill_more(struct cache *cache, uint64_t line, struct mask bytes);

// Starts to write back the dirty lines from `first` to `last`, both included, one per clock. With
// `drop`, removes all lines in this range. No request has its access until cache_flushing returns
// false. Requires that no flush is in progress.
void cache_flush(struct cache *cache, uint64_t now, uint64_t first, uint64_t last, bool drop);
static inline bool cache_flushing(const struct cache *cache)
{
    return cache->flush.active;
}

// Returns true if the line is present, in flight, or requested by a read that has not had its
// access.
bool cache_has(const struct cache *cache, uint64_t line);

// Returns true if the line is present and not in flight.
bool cache_holds(const struct cache *cache, uint64_t line);

// Returns the bytes of the line that are present.
struct mask cache_known(const struct cache *cache, uint64_t line);

// Returns true if a request to the line was put and has not been served. With `writes`, considers
// only writes and atomics.
bool cache_waits(const struct cache *cache, uint64_t line, bool writes);

// Reads the data of a line without using the queues. Sets `ready` to the clock in which the last
// bytes are read.
enum cache_direct {
    CACHE_DIRECT_READ,
    CACHE_DIRECT_BUSY,   // the bank is busy
    CACHE_DIRECT_ABSENT, // the line or a part of it is absent
};
enum cache_direct cache_read_directly(struct cache *cache, uint64_t now, uint64_t line,
                                      uint64_t *ready);

// Adds a whole line that the cache did not request; `since` is the clock in which its owner
// requested it. It replaces a line that need not be written back. Returns false if no such line can
// be replaced.
bool cache_bring(struct cache *cache, uint64_t now, uint64_t line, uint64_t since);

// Returns a clock such that all bytes of the line were requested in it or later, or UINT64_MAX if
// the line is absent.
uint64_t cache_since(const struct cache *cache, uint64_t line);

// Updates the state of the line as the access of a request would, immediately: nothing is fetched,
// written back or counted. Has no effect on a line in flight. Returns true if the line was
// allocated.
bool cache_warm(struct cache *cache, const struct cache_request *request);

// Removes a line, including written bytes, unless it is in flight. Returns true if it was removed.
bool cache_drop(struct cache *cache, uint64_t line);

// Removes all lines that are not in flight, immediately. For use between launches, or if no line
// has bytes that the next level lacks. Returns the number of removed lines.
uint32_t cache_forget(struct cache *cache);
// Uses this many ways of each set, 1 to config->ways, from now on; removes all lines if the number
// changes. Does nothing while lines are in flight. For use between launches, with write: through or
// evict.
void cache_use_ways(struct cache *cache, uint32_t ways);

// Returns the number of requests that were put and whose reply was not popped.
uint32_t cache_inside(const struct cache *cache);
