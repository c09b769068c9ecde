// The adaptive policy offloads an instance of a chain if that takes less of the parts of the memory
// system that limit the program, and computes it at the node where it takes the least.
//
// prices.h has a price for each part. By the present prices an instance has a saving: the price of
// its loads and its store by the core, minus that of the packet, its reply and the requests of the
// service queue at the cheapest node. The instance is discarded if the saving is negative. Nodes
// are of three kinds (enum adaptive_kind). An instance has either the first, or the others.
//
// A load of the core counts only if it would have missed in the core's L1. A tag array of the size
// of the L1 decides this; all loads access it, including offloaded ones. It records which chains
// have loaded a line: for a chain, a line that only other chains have loaded is not in the L1,
// because they are offloaded.
//
// One monitor for all cores learns other costs, for each chain of the program and each kind. Its
// sum has the savings of instances and these costs:
// - A line that an offloaded chain loads does not enter the L1: if a later ordinary load would have
//   hit it there, the chain is charged with that load, unless another chain has loaded it, too.
// - Such a line does not evict another one: if a later ordinary load hits that one in the L1, the
//   chain saves that load, too.
// - A chain that is discarded after its lookups is charged with them, but only if the policy would
//   have offloaded it.
// - A packet that a full service queue sent back has saved nothing and costs its traffic.
// - A packet that saves traffic is charged for its wait, which grows with full queues and busy
// ALUs:
//   one flit hop for each ADAPTIVE_CYCLES by which its reply is later than that of an average load.
//
// The saving of a packet is counted when it is sent, as if it were computed; its reply corrects the
// sum. Packets that are sent back are the first to have replies. If savings were counted with
// replies, only these would count at first, and would turn off each chain that fills a queue.
//
// Sums decay, so that about the last ADAPTIVE_MEMORY instances count. A correction has decayed as
// its instance has: by half for each ADAPTIVE_HALF instances sent since. A kind with a negative sum
// is turned off after ADAPTIVE_MIN offloaded instances, or after ADAPTIVE_DISCARDS discarded ones.
// The latter limit is higher because discarded instances end earlier, so that at first only they
// are known. One in ADAPTIVE_PROBE instances of a core is offloaded nevertheless, as a probe, and
// is counted; cores start to count at different numbers. A kind is turned on again when its sum is
// no longer negative. When it is turned off, its sum is set to -ADAPTIVE_OFF, because its first
// lines after the start of a launch are new to the tag array in any case. The sum never falls below
// this value, so that some probes suffice to detect a change of behaviour. A chain for which the
// metadata expects a loss is off at first, with a sum of -1.
//
// Under the other policies there are no prices. The monitor only measures traffic in flit hops, and
// turns no chain off.
//
// The measurements of a cycle take effect in the next one, so that the order in which cores are
// evaluated does not matter.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/cache.h"
#include "support/vec.h"

enum {
    ADAPTIVE_MIN = 8,
    ADAPTIVE_DISCARDS = 256,
    ADAPTIVE_OFF = 512,
    ADAPTIVE_MEMORY = 1024,
    ADAPTIVE_HALF = 710, // ADAPTIVE_MEMORY · ln 2
    ADAPTIVE_PROBE = 256,
    ADAPTIVE_CYCLES = 256,
    ADAPTIVE_SAMPLE = 64,
    ADAPTIVE_TIMES = 64, // a new time is one part of this number in an average
    ADAPTIVE_SCALE = 16, // unit of these averages: a part of a cycle
    ADAPTIVE_PAIRS = 16, // times of each from which on they are compared
    ADAPTIVE_FASTER = 8, // an offloaded instance is faster if it saves one part of this number
};

enum adaptive_kind {
    ADAPTIVE_HERE,    // all accesses go to one partition
    ADAPTIVE_MEET,    // loads, or load and store, meet on their routes
    ADAPTIVE_OPERAND, // the partition of one of two operands computes
    ADAPTIVE_KINDS,
};

// The saving of an instance.
struct adaptive_saving {
    int64_t hops;   // flit hops, for statistics
    int64_t counts; // by the prices of the parts of the memory system, in units of flit hops; equal
                    // without prices
};

// Returns a saving that does not depend on prices.
static inline struct adaptive_saving adaptive_saving(int64_t hops)
{
    return (struct adaptive_saving){hops, hops};
}

struct adaptive_counts {
    int64_t saved;                 // decaying sum, in flit hops
    uint32_t instances, discarded; // numbers of offloaded and of discarded instances
    bool off;
};

struct chain_stats {
#define STATS_DEF "runtime-sim/schemes/llc_omni/chain_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key chain_stat_keys[];
extern const uint32_t chain_stat_key_count;

// State of all cores, by chain of the program.
struct adaptive_chain {
    struct adaptive_counts kind[ADAPTIVE_KINDS];
    // Average times of an instance, offloaded and by the core, and numbers of both.
    uint64_t time[2];
    uint32_t timed[2];
    bool slow; // offloaded instances take longer, and nothing limits the others
    struct chain_stats stats;
};

enum adaptive_event {
    ADAPTIVE_SENT,
    ADAPTIVE_DISCARDED,  // discarded
    ADAPTIVE_CORRECTED,  // correction of an instance that was sent
    ADAPTIVE_TIMED,      // time of an offloaded instance
    ADAPTIVE_TIMED_CORE, // time of an instance by the core
};

struct adaptive_lesson {
    uint32_t chain;
    enum adaptive_kind kind;
    enum adaptive_event event;
    struct adaptive_saving saving;
    uint32_t since; // correction: adaptive_sent when the instance was sent
};

// The offloaded chain that has kept a line of the tag array out of the L1; or the one whose line
// would have evicted a line that the tag array lacks.
struct adaptive_debtor {
    bool is_any; // such a chain exists
    uint32_t chain;
    enum adaptive_kind kind;
    uint32_t since; // adaptive_sent when the instance was sent
};

struct adaptive_plain {
    struct adaptive_debtor debtor, creditor;
};

// State of a core.
struct adaptive {
    struct arena *arena;
    const struct adaptive_chain *chains;
    uint32_t *skipped;                   // instances while a kind was off, by chain
    uint32_t *begun;                     // instances, by chain
    uint32_t phase;                      // offset at which the core's probes start
    bool only_measures;                  // no chain is turned off
    VEC(struct adaptive_lesson) lessons; // measurements of this cycle
    const struct cache_config *l1;
    uint64_t *line, *used;          // tag and last use, by set · ways + way; tag UINT64_MAX: free
    uint64_t *users;                // set of the chains that loaded it, and other loads
    struct adaptive_debtor *debtor; // indexed like line
    // The last lines that offloaded chains have evicted from the tag array, and these chains.
    uint64_t *evicted; // UINT64_MAX: none
    struct adaptive_debtor *creditor;
    uint64_t uses;
};

// Turns off a chain that is expected to cost traffic.
void adaptive_init_off(struct adaptive_chain *chain);
// Initialises the monitor of a core. `chains` are the `count` chains of the program, shared by all
// cores. They and `l1` must stay valid.
void adaptive_init(struct adaptive *adaptive, struct arena *arena,
                   const struct adaptive_chain *chains, uint32_t count,
                   const struct cache_config *l1);
// Empties the tag array. Called when a launch begins, with an empty L1.
void adaptive_flush(struct adaptive *adaptive);
// Looks up the line of an offloaded load. Returns true if it would have hit in the L1.
bool adaptive_load(struct adaptive *adaptive, uint64_t line, uint32_t chain,
                   enum adaptive_kind kind);
// Returns true if the line of a load would hit in the L1, and changes nothing.
bool adaptive_has(const struct adaptive *adaptive, uint64_t line, uint32_t chain);
// Looks up the line of an ordinary load. Returns the chains that have kept it out of the L1, or in
// it, and clears them.
struct adaptive_plain adaptive_load_plain(struct adaptive *adaptive, uint64_t line);
// Returns true if an instance may begin. *probes is true if it is a probe of a chain that is off
// for at least one kind.
bool adaptive_begins(struct adaptive *adaptive, uint32_t chain, bool *probes);
// Returns whether the next instance of the chain is to be timed: at the core, and the following one
// offloaded, so that both have the same times.
enum adaptive_turn { ADAPTIVE_UNTIMED, ADAPTIVE_AT_CORE, ADAPTIVE_AWAY };
enum adaptive_turn adaptive_turn(struct adaptive *adaptive, uint32_t chain);
// Records the cycles of an instance, which was offloaded or was computed by the core.
void adaptive_time(struct adaptive *adaptive, uint32_t chain, bool offloaded, uint64_t cycles);
// Returns true if only probes of the chain may be offloaded.
static inline bool adaptive_is_off(const struct adaptive *adaptive, uint32_t chain)
{
    const struct adaptive_counts *kind = adaptive->chains[chain].kind;
    return adaptive->chains[chain].slow ||
           (kind[ADAPTIVE_HERE].off && kind[ADAPTIVE_MEET].off && kind[ADAPTIVE_OPERAND].off);
}
// Returns true if instances of this kind may be offloaded.
bool adaptive_allows(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// Records the flit hops that an instance saves.
void adaptive_learn(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                    enum adaptive_event event, struct adaptive_saving saving);
// Adds `more` flit hops to the saving of an instance that was sent when adaptive_sent was `since`.
void adaptive_correct(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                      uint32_t since, struct adaptive_saving more);
// Returns the number of instances that all cores had sent before this cycle.
uint32_t adaptive_sent(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// Adds a core's measurements of this cycle to `chains`. `limits`: without offloading a part of the
// memory system would limit the program, so that longer times of instances cost nothing.
void adaptive_teach(struct adaptive *adaptive, struct adaptive_chain *chains, bool limits);
