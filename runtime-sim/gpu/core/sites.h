// Counts by instruction: for each instruction of each kernel the times that warps issued it, the
// slot cycles in which a warp waited at it, by reason, and its accesses to memory.
//
// A site is an instruction of a kernel. The sites of all kernels are numbered from 1. The functions
// of a kernel get their numbers when a warp first executes them. Site 0 counts what belongs to no
// instruction: empty slots, instruction fetches, write-backs, copies.
//
// A warp that waits is counted at the instruction that it cannot issue; at a barrier, after its
// end, and while lanes wait for other lanes, at the instruction that it issued last.
#pragma once
#include "runtime-sim/gpu/core/core.h"

struct core_site {
#define STATS_DEF "runtime-sim/gpu/core/core_site.def"
#include "runtime-sim/base/stats_fields.inc"
    uint64_t scheme_stalls[STALLS_MAX];
};

extern const struct stat_key core_site_keys[];
extern const uint32_t core_site_key_count;

// Returns the rows of struct core_site, including the stalls of registered schemes.
const struct stat_key *core_site_stat_keys(const struct core_shared *shared, struct arena *arena,
                                           uint32_t *count);

struct sites {
    struct arena *arena;
    struct core_site *list;
    struct memsys_sites memory; // in the same order
    uint32_t count, room;
};

// The sites of a kernel.
struct kernel_sites {
    struct sites *all;
    uint32_t *first; // by program function: site of its first instruction; 0: never executed
    uint32_t functions;
};

// Initialises the counts, with site 0.
void sites_init(struct sites *sites, struct arena *arena);
// Creates the sites of a kernel of a program with `functions` functions.
struct kernel_sites *sites_of_kernel(struct sites *sites, uint32_t functions);
// Makes room for the functions of a longer program.
void sites_extend(struct kernel_sites *kernel, uint32_t functions);

// The instruction and the statistic to which the time of a slot counts from `since` on.
struct site_slot {
    uint64_t since;
    uint32_t site;
    uint32_t reason; // index of the statistic among the members of struct core_site
};

// The accounts of a core. `blocked` and `by_memory` are those of the last call of sites_ready,
// which the reasons of ready slots follow.
struct core_sites {
    struct sites *all;
    struct site_slot *slots;
    uint64_t blocked[CORE_WORDS], by_memory[CORE_WORDS];
};

// Creates the accounts of a core.
struct core_sites *sites_of_core(struct arena *arena, struct sites *sites, uint32_t slots);

// All following functions require core->sites.

// Called when the state of a slot changes, at this cycle.
void sites_state(const struct core *core, uint64_t now, uint32_t slot, uint32_t state);
// Sets the reasons of the ready slots of a word from this cycle on, see core_follow_ready.
void sites_ready(const struct core *core, uint64_t now, uint32_t word, uint64_t chosen,
                 uint64_t blocked, uint64_t by_memory);
// Counts an issued instruction.
void sites_issued(const struct core *core, uint32_t slot, uint64_t instructions, uint64_t threads);
// Counts the parts of an access.
void sites_access(const struct core *core, const struct entry *entry);
// Counts an access that the L1 has served.
void sites_l1(const struct core *core, const struct entry *entry,
              const struct cache_request *request);
// Counts a read of the caches for constants and textures.
void sites_read_only(const struct core *core, const struct entry *entry, bool hit);
// Counts the latency of a completed load.
void sites_loaded(const struct core *core, const struct entry *entry, uint64_t cycles);
