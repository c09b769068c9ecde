// The adaptive policy: it measures what chains save, and offloads those that do.
//
// For each chain of the program, and separately for chains that one partition computes with all
// their operands and for those that meet elsewhere, one monitor for all cores counts what the
// networks carry, in flits times hops: the packet, its answer, and what the service queue asks for;
// against what the loads and the store would have taken from the core. A load counts only if the
// core's first level would not have had its line: that is looked up in tags of their own, as many
// as the first level's, which all loads pass, also those that are offloaded. A packet that found
// the service queue full, and a chain that was discarded after its lookups, cost what they took,
// the latter if the policy would have allowed it. So does, of packets that save hops, waiting,
// which grows where queues and ALUs are taken: each ADAPTIVE_CYCLES that an answer comes later than
// loads do on average cost a flit hop.
//
// Sums forget: about the last ADAPTIVE_MEMORY instances count. Where they come out negative the
// chain is off, but not before ADAPTIVE_LEAST were offloaded, or ADAPTIVE_MEMORY in vain: those are
// over sooner, and would be all that is known at first. One in ADAPTIVE_PROBE instances of a core
// is offloaded all the same, and counts. A chain is on again when the sum is negative no more.
// Turned off it begins with -ADAPTIVE_MEMORY or less: after a launch its first lines are new to the
// tags, whatever comes then. A chain that is not expected to save (by the metadata) is off at
// first, and begins with -1.
//
// Cores learn within a cycle and see what was learnt from the next one on, so that it does not
// matter in which order they are evaluated.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/cache/cache.h"
#include "support/vec.h"

enum { ADAPTIVE_LEAST = 8, ADAPTIVE_MEMORY = 256, ADAPTIVE_PROBE = 256, ADAPTIVE_CYCLES = 256 };

enum adaptive_kind {
    ADAPTIVE_HERE, // all accesses go to one partition
    ADAPTIVE_MEET, // loads, or load and store, meet on the way
    ADAPTIVE_KINDS,
};

struct adaptive_counts {
    int64_t saved;               // flit hops, of the last instances
    uint32_t instances, in_vain; // that were offloaded, and that were not
    bool off;
};

struct adaptive_stats {
#define STATS_DEF "runtime-sim/schemes/llc_omni/adaptive_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

extern const struct stat_key adaptive_stat_keys[];
extern const uint32_t adaptive_stat_key_count;

// Of all cores, by chain of the program.
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

// A core's.
struct adaptive {
    struct arena *arena;
    const struct adaptive_chain *chains;
    uint32_t *skipped;                   // instances, by chain
    VEC(struct adaptive_lesson) lessons; // of this cycle
    const struct cache_config *l1;
    uint64_t *line, *used; // set · ways + way; UINT64_MAX: none
    uint64_t uses;
};

// Of a chain that is not expected to save.
void adaptive_doubt(struct adaptive_chain *chain);
// `chains`: so many of the program, for all cores. They and the first level's configuration stay.
void adaptive_init(struct adaptive *adaptive, struct arena *arena,
                   const struct adaptive_chain *chains, uint32_t count,
                   const struct cache_config *l1);
// A launch begins: the first level is empty.
void adaptive_flush(struct adaptive *adaptive);
// A load passes. True: the first level would have had its line.
bool adaptive_load(struct adaptive *adaptive, uint64_t line);
// An instance may begin; of these, `probes` are of chains that are off.
bool adaptive_begins(struct adaptive *adaptive, uint32_t chain, bool *probes);
// Lanes of it may be offloaded.
bool adaptive_allows(const struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind);
// What one of them has saved; `in_vain`: one that was not offloaded after all.
void adaptive_learn(struct adaptive *adaptive, uint32_t chain, enum adaptive_kind kind,
                    bool in_vain, int64_t saved);
// What the core has learnt goes to all.
void adaptive_teach(struct adaptive *adaptive, struct adaptive_chain *chains);
