// The adaptive policy: measures the traffic that chains save, and offloads those that save some.
//
// For each chain of the program, and separately for instances that one partition computes with all
// their operands and for those that meet elsewhere, one monitor for all cores counts traffic in
// flits times hops: that of the packet, its reply and the requests of the service queue, minus that
// of the loads and the store without offloading. A load counts only if the core's L1 would not have
// had its line. A tag array of the size of the L1 decides this; all loads pass it, offloaded ones
// included. A packet that a full service queue sent back, and a chain that was discarded after its
// lookups, cost their traffic; the latter only if the policy would have offloaded it. Packets that
// save hops also pay for their wait, which grows with full queues and busy ALUs: a flit hop for
// each ADAPTIVE_CYCLES by which a reply is later than loads on average.
//
// Sums decay: about the last ADAPTIVE_MEMORY instances count. A chain with a negative sum is turned
// off after ADAPTIVE_LEAST offloaded instances, or ADAPTIVE_MEMORY instances in vain: these end
// earlier, and would otherwise be the only ones known at first. One in ADAPTIVE_PROBE instances of
// a core is offloaded all the same, and counts. A chain is turned on again when its sum is no
// longer negative. A chain that is turned off starts with a sum of -ADAPTIVE_MEMORY or less,
// because its first lines after the begin of a launch are new to the tag array in any case. A chain
// whose metadata expect no saving is off at first, with a sum of -1.
//
// The measurements of a cycle take effect in the next one, so that the order in which cores are
// evaluated does not matter.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/cache.h"
#include "support/vec.h"

enum { ADAPTIVE_LEAST = 8, ADAPTIVE_MEMORY = 256, ADAPTIVE_PROBE = 256, ADAPTIVE_CYCLES = 256 };

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

struct adaptive_stats {
#define STATS_DEF "runtime-sim/schemes/llc_omni/adaptive_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key adaptive_stat_keys[];
extern const uint32_t adaptive_stat_key_count;

// State of all cores, by chain of the program.
struct adaptive_chain {
    struct adaptive_counts kind[ADAPTIVE_KINDS];
    struct adaptive_stats stats;
};

struct adaptive_lesson {
    uint32_t chain;
    enum adaptive_kind kind;
    bool in_vain;
    int64_t saved;
};

// State of a core.
struct adaptive {
    struct arena *arena;
    const struct adaptive_chain *chains;
    uint32_t *skipped;                   // instances, by chain
    VEC(struct adaptive_lesson) lessons; // of this cycle
    const struct cache_config *l1;
    uint64_t *line, *used; // by set · ways + way; UINT64_MAX: free
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
// Looks up the line of a load. Returns true if the L1 would have had it.
bool adaptive_load(struct adaptive *adaptive, uint64_t line);
// Returns true if an instance may begin. Sets `probes` if it only measures a chain that is off for
// one of the kinds.
bool adaptive_begins(struct adaptive *adaptive, uint32_t chain, bool *probes);
// Returns true if lanes of the instance may be offloaded.
bool adaptive_allows(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// Records the traffic that an instance has saved; `in_vain`: of an instance that was discarded.
void adaptive_learn(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                    bool in_vain, int64_t saved);
// Adds the measurements of a core's cycle to those of all cores.
void adaptive_teach(struct adaptive *adaptive, struct adaptive_chain *chains);
