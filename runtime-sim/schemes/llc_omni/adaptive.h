// The adaptive policy: measures the traffic that chains save, and offloads those that save some.
//
// For each chain of the program, and separately for instances that one partition computes with all
// their operands and for those that meet elsewhere, one monitor for all cores counts traffic in
// flits times hops: that of the packet, its reply and the requests of the service queue, minus that
// of the loads and the store without offloading. A load counts only if the core's L1 would not have
// had its line. A tag array of the size of the L1 decides this; all loads pass it, offloaded ones
// included. A line that an offloaded chain loads does not enter the L1: if an ordinary load would
// have found it there later, the traffic of that load is a cost of the chain. A chain that was
// discarded after its lookups costs these, but only if the policy would have offloaded it.
//
// The saving of a packet counts when it is sent, as if it were computed. Its reply corrects that: a
// packet that a full service queue sent back has saved nothing and costs its traffic, and packets
// that save hops pay for their wait, which grows with full queues and busy ALUs: a flit hop for
// each ADAPTIVE_CYCLES by which a reply is later than loads on average. Packets that are sent back
// have the first replies: if these were counted alone at first, they would turn off each chain that
// fills a queue.
//
// Sums decay: about the last ADAPTIVE_MEMORY instances count. A correction counts as far as its
// instance still does: half for each ADAPTIVE_HALF sent since. A chain with a negative sum is
// turned off after ADAPTIVE_LEAST offloaded instances, or ADAPTIVE_VAIN instances in vain: these
// end earlier, and would otherwise be the only ones known at first. One in ADAPTIVE_PROBE instances
// of a core is offloaded all the same, and counts; cores begin to count at different numbers. A
// chain is turned on again when its sum is no longer negative. A chain that is turned off starts
// with a sum of -ADAPTIVE_OFF, because its first lines after the begin of a launch are new to the
// tag array in any case, and never has less, so that a change of its behaviour shows after some
// probes. A chain whose metadata expect no saving is off at first, with a sum of -1.
//
// Under the other policies the monitor only measures: it turns nothing off.
//
// The measurements of a cycle take effect in the next one, so that the order in which cores are
// evaluated does not matter.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/cache.h"
#include "support/vec.h"

enum {
    ADAPTIVE_LEAST = 8,
    ADAPTIVE_VAIN = 256,
    ADAPTIVE_OFF = 512,
    ADAPTIVE_MEMORY = 1024,
    ADAPTIVE_HALF = 710, // ADAPTIVE_MEMORY · ln 2
    ADAPTIVE_PROBE = 256,
    ADAPTIVE_CYCLES = 256
};

enum adaptive_kind {
    ADAPTIVE_HERE, // all accesses go to one partition
    ADAPTIVE_MEET, // loads, or load and store, meet on their routes
    ADAPTIVE_KINDS,
};

struct adaptive_counts {
    int64_t saved;               // flit hops of the last instances
    uint32_t instances, in_vain; // offloaded, and discarded
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
    struct chain_stats stats;
};

enum adaptive_event {
    ADAPTIVE_SENT,
    ADAPTIVE_IN_VAIN,   // discarded
    ADAPTIVE_CORRECTED, // of one that was sent
};

struct adaptive_lesson {
    uint32_t chain;
    enum adaptive_kind kind;
    enum adaptive_event event;
    int64_t saved;
    uint32_t since; // of a correction: instances when its instance was sent
};

// A line in the tag array that an offloaded chain has kept out of the L1.
struct adaptive_debtor {
    bool is_any;
    uint32_t chain;
    enum adaptive_kind kind;
    uint32_t since; // instances when it was sent
};

// State of a core.
struct adaptive {
    struct arena *arena;
    const struct adaptive_chain *chains;
    uint32_t *skipped;                   // instances, by chain
    uint32_t phase;                      // of its probes
    bool only_measures;                  // no chain is turned off
    VEC(struct adaptive_lesson) lessons; // of this cycle
    const struct cache_config *l1;
    uint64_t *line, *used; // by set · ways + way; UINT64_MAX: free
    struct adaptive_debtor *debtor;
    uint64_t uses;
};

// Initialises a chain that is not expected to save.
void adaptive_init_off(struct adaptive_chain *chain);
// `chains`: those of the program, for all cores. They and the configuration of the L1 stay valid.
void adaptive_init(struct adaptive *adaptive, struct arena *arena,
                   const struct adaptive_chain *chains, uint32_t count,
                   const struct cache_config *l1);
// Begins a launch: the L1 is empty.
void adaptive_flush(struct adaptive *adaptive);
// Looks up the line of an offloaded load. Returns true if the L1 would have had it.
bool adaptive_load(struct adaptive *adaptive, uint64_t line, uint32_t chain,
                   enum adaptive_kind kind);
// Looks up the line of an ordinary load. Returns the chain that has kept it out of the L1, once.
struct adaptive_debtor adaptive_load_plain(struct adaptive *adaptive, uint64_t line);
// Returns true if an instance may begin. Sets `probes` if it only measures a chain that is off for
// one of the kinds.
bool adaptive_begins(struct adaptive *adaptive, uint32_t chain, bool *probes);
// Returns true if no instance may be offloaded but those that probe.
static inline bool adaptive_is_off(const struct adaptive *adaptive, uint32_t chain)
{
    const struct adaptive_counts *kind = adaptive->chains[chain].kind;
    return kind[ADAPTIVE_HERE].off && kind[ADAPTIVE_MEET].off;
}
// Returns true if lanes of the instance may be offloaded.
bool adaptive_allows(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// Records the traffic that an instance saves.
void adaptive_learn(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                    enum adaptive_event event, int64_t saved);
// Records that an instance that was sent has saved `more`; `since`: adaptive_sent at that time.
void adaptive_correct(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                      uint32_t since, int64_t more);
// Returns the number of instances that all cores had sent before this cycle.
uint32_t adaptive_sent(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// Adds the measurements of a core's cycle to those of all cores.
void adaptive_teach(struct adaptive *adaptive, struct adaptive_chain *chains);
