// A scheme: the proposal of a paper, as tables of functions and rows.
//
// A scheme is one folder in runtime-sim/schemes and one row in schemes.c. The machine reads the
// configuration section of every registered scheme. A scheme is active in a machine if its
// configuration enables it and, if it reads a plan, the program has one. It has four tables, whose
// functions and rows are all optional. If several active schemes claim the same slot or
// instruction, the first registered one gets it.
//
// Cycle: `tick` of all schemes, then the tick of the cores, then their commit. During a core's
// tick, its hooks may only change state of that core, and send.
#pragma once
#include "runtime-sim/base/stats.h"
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/issue.h"
#include "runtime-sim/gpu/machine/machine_config.h"
#include "runtime-sim/gpu/machine/machine_launch.h"
#include "support/inline.h"
#include <stdio.h>

struct core;
struct diags;
struct energy_model;
struct machine;
struct profile_watch;
struct program;
struct tables;
struct trace;

enum {
    CORE_WARPS = 256, // maximum
    CORE_WORDS = CORE_WARPS / 64,
    CORE_CTAS = 64,
    STALLS_MAX = 32, // maximum of all registered schemes
};

// Stall reasons of a slot: what its warp waits for.
enum warp_slot_state {
    WARP_SLOT_EMPTY,
    WARP_SLOT_FETCH,   // an instruction
    WARP_SLOT_RESULT,  // the result of an arithmetic instruction
    WARP_SLOT_LOAD,    // a load
    WARP_SLOT_BARRIER, // other warps at a barrier
    WARP_SLOT_FENCE,   // accesses, of the warp or of its CTA
    WARP_SLOT_LANES,   // other lanes of the warp, or other CTAs
    WARP_SLOT_ENDED,   // stores, and other warps of its CTA
    WARP_SLOT_READY,   // a scheduler
    WARP_SLOT_STATES,  // number of the schemes' first stall
};

// The slot's bit in its word.
static inline uint64_t warp_slot_bit(uint32_t slot)
{
    return UINT64_C(1) << slot % 64;
}

// Loops over the slots of a set of `count` words. `members` is the word of the set with the number
// `word`. An ALWAYS_INLINE function with a parameter `words` has separate code for the usual case
// of one word.
#define EACH_WARP_SLOT(slot, count, members)                                                       \
    for (uint32_t word = 0, slot; word < (count); word++)                                          \
        for (uint64_t rest_ = (members);                                                           \
             rest_ && (slot = word * 64 + (uint32_t)__builtin_ctzll(rest_), true);                 \
             rest_ &= rest_ - 1)

enum part_route {
    ROUTE_SHARED,
    ROUTE_L1,
    ROUTE_DIRECT,
    ROUTE_CONSTANT,
    ROUTE_TEXTURE,
    ROUTE_LOOKUP,       // entry of a scheme: look-up in the L1; a line in flight is a hit
    ROUTE_LOOKUP_THERE, // entry of a scheme: look-up in the L1; a line in flight is a miss
    ROUTE_PASS,         // entry of a scheme: no access
};

// Requesters. Replies carry the number.
enum requester {
    REQUESTER_L1,
    REQUESTER_DIRECT,
    REQUESTER_CODE,
    REQUESTER_CONSTANT,
    REQUESTER_TEXTURE,
    CORE_REQUESTERS, // number of the schemes' first requester
};

// A reason for which slots wait. It gives the statistic core.stall_NAME, and NAME in traces.
struct scheme_stall {
    const char *name, *text;
};

// Ways to issue an instruction.
enum issue_as {
    ISSUE_AS_NORMAL,   // by the core
    ISSUE_AS_FOLLOWED, // by the core; the scheme is informed
    ISSUE_AS_CAPTURED, // by the scheme's `execute`; the scheme sets the times of the registers
    ISSUE_AS_MIGRATED, // not executed; the scheme's `hold` determines how long the slot waits
};

// Hooks of a core get the scheme's state of the core as `own`. `slot` and `entry` are numbers of
// warp slots and of load/store unit entries.

// Issue: the warps that the scheme holds, the ways in which instructions are issued, and
// notifications.
struct scheme_issue {
    // Returns the scheme's state of a core. `scheme` is the result of create. NULL: the state of
    // the scheme is used for all cores.
    void *(*init)(struct core *core, void *scheme);
    // Called when the slot's next instruction is in its buffer. Returns true if it must not issue
    // now; the slot then waits for *reason, the number of one of the scheme's stalls.
    bool (*hold)(struct core *core, void *own, uint64_t now, uint32_t slot, uint32_t *reason);
    // Called in the cycle given to core_wake_at, or an earlier one.
    void (*wake)(struct core *core, void *own, uint64_t now, uint32_t slot);
    // The first scheme whose `issue_as` does not return ISSUE_AS_NORMAL handles the instruction.
    enum issue_as (*issue_as)(struct core *core, void *own, uint64_t now, uint32_t slot);
    // `issue_as` is called before that of schemes that are registered earlier.
    bool claims_first;
    // Returns true if no other scheme may handle the slot's next instruction (core_keeps).
    bool (*keeps)(const struct core *core, void *own, uint32_t slot);
    // Called when the slot has issued an access that no scheme handles, before the load/store unit
    // accepts it.
    void (*accessed)(struct core *core, void *own, uint64_t now, uint32_t slot,
                     const struct held *held);
    // Called when barriers of the CTA at this place have completed; `opened` is a set of barrier
    // numbers. The warps continue from this cycle on. The scheme may hold them by `hold`; core_look
    // releases them.
    void (*barrier)(struct core *core, void *own, uint64_t now, uint32_t place, uint32_t opened);
    // Called when a detached warp of the scheme is over and its slot is free. Lanes in
    // warp->reached have reached its end code, others have ended. Called in the commit, so it may
    // change state that cores share.
    void (*returned)(struct core *core, void *own, uint64_t now, uint32_t slot, struct warp *warp);
};

// A user of the load/store unit executes instructions that the scheme has captured
// (ISSUE_AS_CAPTURED) or follows (ISSUE_AS_FOLLOWED), claims their entries (lsu_claim), and
// influences the scheduling of their slots.
struct lsu_hooks {
    uint32_t entries_per_warp; // additional entries of the unit per warp slot
    // Called when a launch begins. The L1 is empty.
    void (*flush)(struct core *core, void *own);

    // Return a word of the set of slots that schedulers prefer, and of the set of slots of which at
    // most one may issue per cycle.
    uint64_t (*first)(const struct core *core, void *own, uint32_t word);
    uint64_t (*exclusive)(const struct core *core, void *own, uint32_t word);
    // Called when the slot has no instruction to issue.
    void (*idle)(struct core *core, void *own, uint64_t now, uint32_t slot);
    // Returns true if the scheme determines the cycle in which the operands of the slot's next
    // instruction are ready, and the unit that it uses (enum unit).
    bool (*operands)(const struct core *core, void *own, uint32_t slot, uint64_t *ready,
                     uint8_t *unit);
    // Executes a captured instruction.
    enum issue_result (*execute)(struct core *core, void *own, uint32_t slot, struct held *held);
    // Called when an instruction was issued that the scheme handles. `entry` is its entry if it is
    // held; the parts of a captured instruction are known, but not sent.
    void (*issued)(struct core *core, void *own, uint64_t now, uint32_t slot,
                   const struct timing *timing, uint32_t entry);
    // Returns the slot that fetches next: `slot`, or another one that needs a fetch.
    uint32_t (*fetch_first)(const struct core *core, void *own, uint32_t slot);
    // Called when instructions of the slot were fetched, from number `first` on.
    void (*fetched)(struct core *core, void *own, uint32_t slot, uint32_t first, uint32_t count);

    // Called when a store or an atomic operation of the core to this line was acknowledged.
    void (*written)(struct core *core, void *own, uint64_t now, uint64_t line);
    // Called when a load accesses a line in the L1.
    void (*l1_load)(struct core *core, void *own, uint64_t line);
    // Called when a part with ROUTE_LOOKUP or ROUTE_LOOKUP_THERE of a claimed entry was looked up;
    // `last`: it is the last part of the entry. On a hit the scheme changes the route of the
    // entry's parts.
    void (*looked_up)(struct core *core, void *own, uint64_t now, uint32_t entry, bool hit,
                      bool last);
    // Called when all parts of a claimed entry have their replies. The scheme frees it by lsu_free.
    void (*entry_done)(struct core *core, void *own, uint64_t now, uint32_t entry);
};

// A member of the results that a scheme defines, and its statistic.
struct scheme_result {
    const char *member, *statistic;
};

// A part of the program that the scheme moves.
struct scheme_item {
    const char *kind;        // word used in reports
    const char *group;       // group of its statistics
    uint32_t function, id;   // program function; number in the function's metadata
    uint32_t first, last;    // first and last instruction in the function's IR
    const char *text;        // form of the item; may be NULL
    double expected;         // saving stated by the metadata
    const char *expected_in; // unit of `expected`
};

struct scheme_items {
    VEC(struct scheme_item) list;
};

// A measured value of an item, as a quotient of statistics of its group. `numerator` and
// `denominator` are names separated by blanks; a minus before a name subtracts the statistic. An
// empty denominator is 1.
struct scheme_item_row {
    const char *name, *unit, *numerator, *denominator;
};

// A part of the scheme's hardware with a limited capacity.
struct scheme_resource {
    const char *name, *unit, *statistic, *text;
    double peak; // capacity per core cycle
};

struct scheme_resources {
    VEC(struct scheme_resource) list;
};

// A scheme's part of a program's metadata.
struct scheme_plan {
    const void *table;   // NULL: no plan
    const char *summary; // text for -v; may be NULL
    const char *lacks;   // plural of what the program lacks, so that the scheme has no effect;
                         // NULL: it lacks nothing
};

enum { SCHEME_COUNTERS = 4 };

// Configuration: keys, policies, and requirements on the machine and the program.
struct scheme_configuration {
    const char *section;
    const struct config_key *keys;
    uint32_t key_count;
    size_t config_bytes;
    // Help text of --policy, whose values are those of the section's key `policy`. The first value,
    // which disables the scheme, is "baseline".
    const char *policy_help;
    // NULL: the scheme is on in each machine. No other function is called for a scheme that is off.
    bool (*is_on)(const void *config);
    // Returns the state planes of host-allocated memory that the scheme needs.
    struct plane_kind (*planes)(const void *config);
    // Returns the first fault that the table of keys cannot detect, as a sentence without a full
    // stop, or NULL.
    const char *(*check)(struct arena *arena, const void *config,
                         const struct machine_config *machine);
    // Applies the requirements of the scheme to the machine's configuration. Lists in it must be
    // replaced, not modified. `given` is the configuration before any scheme changed it.
    void (*require)(struct arena *arena, const void *config, const struct machine_config *given,
                    struct machine_config *machine);
    // Reads the plan of the program. Faults are added to `diags`. NULL: the scheme needs no plan.
    // `tables` is NULL if the program has no metadata.
    void (*read_plan)(struct scheme_plan *plan, struct arena *arena, const struct tables *tables,
                      const struct program *program, const void *config, struct diags *diags);
    // Returns callbacks that observe an untimed run of all launches, which precedes the timed run;
    // NULL: the scheme needs no such run. Their results belong to `plan`, a table of read_plan.
    const struct profile_watch *(*rehearse)(struct arena *arena, const void *config,
                                            const void *plan);
};

// Memory: the scheme's state of a machine, and its part of the memory system.
struct scheme_memory {
    const struct memsys_requester *requesters; // rows of every machine that has the scheme
                                               // registered
    uint32_t requester_count;
    // Its requests pass a gate of the memory system (struct memsys_gate), if there is one.
    bool passes_gates;
    const struct lsu_hooks *lsu; // requires `issue`
    // Called before memory system and cores are created. Returns the scheme's state.
    void *(*create)(struct machine *machine, const void *config, const void *plan);
    // Adds message classes, slice inputs, endpoints or a backend to the memory system.
    void (*extend)(struct machine *machine, void *state, struct memsys_tables *tables);
    // Called after memory system and cores were created.
    void (*connect)(struct machine *machine, void *state);
    // Called before a launch begins. May change its grid, its CTAs' shape and their placement.
    void (*place_launch)(struct machine *machine, void *state, struct machine_launch *launch);
    // Called when launches begin, and when all running ones have ended.
    void (*launch)(struct machine *machine, void *state, bool begins);
    // `tick` is called in a cycle before the cores' tick. `next` returns the next cycle that needs
    // a tick, or UINT64_MAX.
    void (*tick)(struct machine *machine, void *state);
    uint64_t (*next)(const struct machine *machine, const void *state);
    // Called before any request is served. MEMSYS_WAIT delays the request; the call is repeated in
    // later cycles.
    enum memsys_served (*admit)(struct machine *machine, void *state,
                                const struct memsys_request *request);
    // Called when a request of one of the scheme's requesters is served. Its values must be read or
    // written in the call.
    void (*serve)(struct machine *machine, void *state, const struct memsys_request *request);
    // Sends one packet of a core. Returns false if the network has no room. Called once for each
    // call of core_has_packet.
    bool (*send)(struct core *core, void *own, uint64_t now);
    // Called when a core gets a reply to a request of one of the scheme's requesters.
    void (*accept_reply)(struct core *core, void *own, uint64_t now,
                         const struct memsys_request *reply);
};

// Reports: statistics, stalls, trace rows, energy, storage, notes.
struct scheme_report {
    const struct scheme_stall *stalls; // rows of every machine that has the scheme registered
    uint32_t stall_count;
    const struct scheme_result *results; // as `stalls`, NULL-terminated
    const char *const *series;           // statistics that are columns of time series,
                                         // NULL-terminated
    // Updates statistics up to and without this cycle.
    void (*settle)(struct machine *machine, void *state);
    // Adds the statistics. `state` NULL: those of any program, with any values.
    void (*add_stats)(const void *state, struct stats *stats);
    // Add the items that the scheme moves, and its hardware, for reports.
    const struct scheme_item_row *item_rows; // NULL-terminated
    void (*add_items)(const struct machine *machine, const void *state, struct arena *arena,
                      struct scheme_items *to);
    void (*add_resources)(const struct machine *machine, const void *state, struct arena *arena,
                          struct scheme_resources *to);
    // Print the storage that the scheme adds to such a machine; add the arrays of this storage,
    // their events and other events of the scheme to the energy model.
    void (*print_storage)(const void *config, const struct machine_config *machine, FILE *to);
    void (*energy)(const void *config, const struct machine_config *machine,
                   struct energy_model *model);
    // Returns the reason for which the scheme does less on this machine, or did less in the
    // launches so far, than its policy promises, as a sentence without a full stop. NULL: it does
    // what the policy promises.
    const char *(*shortfall)(const struct machine *machine, const void *state, struct arena *arena);
    // Writes notes about a run, after it, as lines.
    void (*write_notes)(const struct machine *machine, const void *state, FILE *to);
    // Returns the address of a word of memory for whose state a request waits, or 0. Prints what
    // the scheme's state waits for, in a run without progress. `to` may be NULL.
    uint64_t (*waits)(const struct machine *machine, const void *state, FILE *to);
    // Writes the counters of the trace at this cycle to `values`, with their names. Returns their
    // number, at most SCHEME_COUNTERS.
    uint32_t (*counters)(const struct machine *machine, const void *state, const char **names,
                         double *values);
    // Starts the trace. Its processes are numbered from *process on, which is advanced. Returns the
    // state of the trace.
    void *(*begin_trace)(struct machine *machine, void *state, struct arena *arena,
                         struct trace *to, uint32_t *process);
    void (*end_trace)(void *trace, uint64_t now);
};

struct scheme_ops {
    const char *name;
    struct scheme_configuration configuration;
    const struct scheme_issue *issue; // NULL: the scheme has no hooks in cores
    struct scheme_memory memory;
    struct scheme_report report;
};

// Returns "SECTION.policy=NAME", or =baseline if the scheme has no such policy; NULL: it has no
// policies.
const char *scheme_policy_setting(struct arena *arena, const struct scheme_ops *ops,
                                  const char *name);
// Returns the values of --policy, NULL-terminated: "baseline", then those of all schemes.
const char *const *scheme_policies(struct arena *arena, const struct scheme_ops *const *schemes);

// Functions that schemes call; ports.h has more.

// Evaluates a slot again, after what it waits for has occurred or changed.
void core_look(struct core *core, uint64_t now, uint32_t slot);
// Schedules a call of `wake` in this cycle, or an earlier one.
void core_wake_at(struct core *core, uint64_t cycle, uint32_t slot);
// Ends the warp of a slot if it and all its accesses have ended.
void core_maybe_over(struct core *core, uint64_t now, uint32_t slot);
// Returns the instruction that an issue info describes.
const struct ir_inst *core_inst(const struct core *core, const struct timing *timing);
// Returns a slot without a warp.
uint32_t core_find_free_slot(const struct core *core);
// Returns the maximum number of detached warps in an empty core, with `registers` registers per
// thread.
uint32_t core_max_warps(const struct core *core, uint32_t registers);
// Returns true if there is room for a detached warp with `registers` registers per thread.
bool core_has_warp_room(const struct core *core, uint32_t registers);
// Starts the detached warp of `cta`, which cta_start_detached has prepared with the core's number.
// Requires core_has_warp_room. `now` is this cycle in the core's tick, and the next one in a
// commit. Its instructions count for `kernel`. `returned` of `ops` is called at its end. `local` is
// core_local_of the warp that it represents. In a scheme's tick, machine_wake_core must be called
// afterwards.
void core_start_warp(struct core *core, uint64_t now, struct cta *cta, uint32_t kernel,
                     uint32_t registers, uint32_t local, const struct scheme_ops *ops);
// Ends a detached warp that a scheme holds at its next instruction, whose code is `code`, as if its
// lanes had reached the end. Requires that all lanes are at this instruction.
void core_stop_warp(struct core *core, uint64_t now, uint32_t slot, uint32_t code);
// Continues the warp of a slot that a scheme holds at another code of its function.
void core_go_on_at(struct core *core, uint64_t now, uint32_t slot, uint32_t code);
// Sends these lanes of an entry, again or for the first time.
void lsu_send_lanes(struct core *core, uint64_t now, uint32_t entry, uint32_t lanes);
// Frees an entry of a scheme.
void lsu_free(struct core *core, uint64_t now, uint32_t entry);
// Frees a claimed entry, whether or not it has its replies.
void lsu_drop(struct core *core, uint64_t now, uint32_t entry);
// Returns true if the entry accesses only global memory, through the L1 or past it.
bool lsu_is_global(const struct core *core, uint32_t entry);
// Returns true if the first line of the entry bypasses the L1.
bool lsu_passes_l1(const struct core *core, uint32_t entry);
// Looks up the lines of a claimed load in the way `how` (enum part_route) instead of loading them,
// except lines that bypass the L1.
void lsu_look_up(struct core *core, uint32_t entry, enum part_route how);
// Sends the lines of a claimed load past the L1. Requires that lsu_send_lanes was just called.
void lsu_pass_l1(struct core *core, uint32_t entry);
// Returns true if the entry accesses the line.
bool lsu_has_line(const struct core *core, uint32_t entry, uint64_t line);
// Returns true if an entry of the slot that no scheme has claimed waits for the reply of a line for
// which `meets` returns true.
bool lsu_awaits_line(const struct core *core, uint32_t slot,
                     bool (*meets)(const void *context, uint64_t line), const void *context);
// Returns the maximum number of bytes of shared memory that the CTAs of a running launch occupy on
// a core.
uint64_t machine_shared_bytes(const struct machine *machine);
// Lets the cores issue again after machine_pause_cores.
void machine_resume_cores(struct machine *machine);
// Return the number of a scheme's first requester, and the slot state of its first stall.
uint32_t machine_requester(const struct machine *machine, const struct scheme_ops *ops);
uint8_t machine_stall(const struct machine *machine, const struct scheme_ops *ops);
// Returns the state that the scheme's create returned; NULL if the scheme is not active.
void *machine_scheme(const struct machine *machine, const struct scheme_ops *ops);
