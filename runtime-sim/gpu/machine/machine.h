// A GPU: cores, the memory system, and an agenda of host events.
//
// A cycle: due events of the agenda begin; due cores tick, in any order; values in memory are read
// and written, core by core; ended CTAs make room for new ones; the memory system advances to the
// next cycle in which a core or the agenda is due.
#pragma once
#include "runtime-sim/exec/warp/grid.h"
#include "runtime-sim/gpu/core/core.h"

// Returns the sections for config_init, which then reads values into *config; there is room for
// two more. `schemes` has the registered schemes, NULL-terminated; NULL: no schemes.
struct config_section *machine_sections(struct machine_config *config, struct arena *arena,
                                        const struct scheme_ops *const *schemes, uint32_t *count);
// Returns the first fault of a configuration that the tables of keys cannot detect, as a sentence
// without a full stop, or NULL.
const char *machine_check(struct arena *arena, const struct machine_config *config);
// Returns true if an enabled scheme reads a plan.
bool machine_reads_plans(const struct machine_config *config);
// Returns the policies of the enabled schemes, which are the values of their keys `policy`, joined
// by "+"; "baseline" if no scheme is enabled.
const char *machine_policy(struct arena *arena, const struct machine_config *config);

struct machine;
struct trace;

// Builds a machine. Requires a configuration without a fault; configuration and program must
// outlive it.
struct machine *machine_new(struct arena *arena, const struct machine_config *config,
                            const struct program *program);
// The schemes' plans in the program's metadata.
struct machine_plans {
    VEC(struct machine_plan {
        const struct scheme_ops *ops;
        const void *table;
    })
    list;
};
// Adds the plan of a scheme. `table` NULL: it has no plan.
void machine_plan_add(struct machine_plans *plans, struct arena *arena,
                      const struct scheme_ops *ops, const void *table);
// Returns the plan of a scheme, or NULL. `plans` may be NULL.
const void *machine_plan_of(const struct machine_plans *plans, const struct scheme_ops *ops);
// Builds a machine with the schemes that the configuration enables. Schemes that read a plan are
// active only if they have one. `plans` may be NULL.
struct machine *machine_new_planned(struct arena *arena, const struct machine_config *config,
                                    const struct program *program,
                                    const struct machine_plans *plans);
// Evaluates components in a random order in each cycle. Results do not change. 0: in the order of
// their numbers.
void machine_shuffle(struct machine *machine, uint64_t seed);
// Sets the first cycle of a machine that has not run yet, which otherwise is 0. For a run that
// continues a run of another machine.
void machine_start_at(struct machine *machine, uint64_t cycle);

// Requests of a copy in flight: default, and maximum.
enum { COPY_OUTSTANDING = 64, COPY_PIECES = 256 };

// A copy of `bytes` bytes. `to` and `from` are addresses in device memory, whose lines are
// requested; 0: host memory. The bytes of a line are moved when its request is served.
struct machine_copy {
    uint64_t to, from, bytes;
    uint8_t *data_to; // the same locations in this process
    const uint8_t *data_from;
    uint64_t rate;        // MB/s of the link that it crosses; 0: no link, a request per cycle
    bool is_peer;         // the other end is another device instead of host memory
    uint32_t outstanding; // requests under way, at most COPY_PIECES; 0: COPY_OUTSTANDING
    uint8_t read_mark, write_mark; // of its requests, for schemes
    bool one_engine;               // copies to the host use the engine of those to the device
};

enum machine_event_kind {
    EVENT_LAUNCH, // ends with its last CTA
    EVENT_COPY,   // ends with its last reply; requires machine_config.copies
    EVENT_PAUSE,  // cores stop issuing; ends when memory has replied to all of them, or when they
                  // resume
    EVENT_RESUME, // cores issue again
    EVENT_CALL,   // calls a function; ends immediately
};

// An event of the agenda. It begins in the first cycle from `cycle` on in which all of `after` have
// ended. Events of the same cycle begin in the agenda's order.
struct machine_event {
    enum machine_event_kind kind;
    uint64_t cycle;                       // in the numbering of machine_cycle
    const struct machine_event *after[2]; // earlier events of the agenda, or NULL
    struct machine_launch *launch;
    struct machine_copy copy;
    void (*call)(void *context, uint64_t cycle); // must not access the machine
    void *context;
    bool has_begun, has_ended; // set by the run
    uint64_t begun, ended;
};

struct machine_limits {
    uint64_t cycles; // cycle at which the run ends; 0: no limit
    // Called in each cycle that is a multiple of `every` (0: never), after statistics were updated.
    uint64_t every;
    void (*sample)(void *context, uint64_t cycle);
    void *context;
    // Pauses the run at the end of a cycle in which this count is not 0. May be NULL.
    const uint32_t *awaited;
    // Progress for another thread: cycles and completed CTAs of this run. May be NULL.
    atomic_uint_fast64_t *cycle, *ctas_done;
};

enum machine_end {
    MACHINE_DONE,
    MACHINE_PAUSED,  // from machine_proceed: an event has ended, `awaited`, or `until` was reached
    MACHINE_STOPPED, // by launch->stop
    MACHINE_CYCLES,  // by the limit of cycles
    MACHINE_STUCK,   // no progress; result->stalls has the waiting warps
    MACHINE_FAULT,   // see result->fault
};

// A run executes an agenda of events. Launches run at the same time unless they are ordered: CTAs
// of the launch that began first have priority over those of later ones. A launch that begins while
// no other runs finds empty L1s. Time advances without a CTA as long as an event is pending.
// Launches are identified by their ids: result->fault.launch is that of the failed one or, if the
// run is stuck, of the first that is not over.
//
// machine_open begins a run without events. machine_add_event adds one, also during the run; it
// stays until machine_close; `after` may name earlier events of the run. machine_proceed runs until
// all events have ended (MACHINE_DONE), to the end of a cycle in which one of them has ended or in
// which *limits->awaited is not 0, or up to the cycle `until` (UINT64_MAX: none). With `until` it
// waits for that cycle even if no event is left. After another end than MACHINE_DONE and
// MACHINE_PAUSED the run must be closed; machine_close gets the end that was the last. `limits` and
// `result` stay until then.
void machine_open(struct machine *machine, const struct machine_limits *limits,
                  struct grid_result *result);
void machine_add_event(struct machine *machine, struct machine_event *event);
enum machine_end machine_proceed(struct machine *machine, uint64_t until,
                                 struct grid_result *result);
void machine_close(struct machine *machine, enum machine_end end, struct grid_result *result);

// Returns the number of cores that execute the CTAs of launches. Cores that a scheme adds, or
// takes from memory.cores for itself, do not count.
uint32_t machine_cores(const struct machine *machine);
// Returns the number of registers per thread of a launch. Sets *source to the source of the number.
uint32_t machine_registers(const struct machine *machine, const struct machine_launch *launch,
                           const char **source);
// Returns the number of CTAs of the launch that fit a core of its kind; 0 if not even one fits.
// Sets *why to the limiting resource.
uint32_t machine_occupancy(const struct machine *machine, const struct machine_launch *launch,
                           const char **why);
// Sets the launch's registers and room with their sources. Returns true if the launch fits the
// machine. Otherwise sets `refused`, the text and the needs of the fault.
bool machine_fits(const struct machine *machine, struct machine_launch *launch,
                  struct fault *fault);

// Returns an estimate of the cycles that the CTAs skipped by sampling would have taken. Sets *error
// to twice its standard error.
double machine_sample_cycles(const struct machine_launch *launch, double *error);

// Returns the current cycle.
uint64_t machine_cycle(const struct machine *machine);
// Writes back and removes all lines of the LLC, in simulated time. Must be called after completed
// launches. Statistics count this as part of the previous run. Only `every` and `sample` of
// `limits` are used; NULL: no samples.
void machine_flush(struct machine *machine, const struct machine_limits *limits);
// Lets the LLC have the data of a copy that was made without time, as clean sectors.
void machine_warm_copy(struct machine *machine, uint64_t address, uint64_t bytes);

// A trace in which a microsecond is a cycle: writes the names of processes and rows, once; starts
// the trace; ends it, while nothing runs. Results do not change.
void machine_trace_name(const struct machine *machine, struct trace *to);
void machine_trace_begin(struct machine *machine, struct arena *arena, struct trace *to);
void machine_trace_end(struct machine *machine);

// Observation. Statistics are updated by machine_close.
struct machine_totals {
#define STATS_DEF "runtime-sim/gpu/machine/machine_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// Adds the statistics of the machine.
void machine_stats_add(struct machine *machine, struct stats *stats);
// Returns the rows of the counts by instruction (struct core_site).
const struct stat_key *machine_site_keys(const struct machine *machine, struct arena *arena,
                                         uint32_t *count);
// Adds the statistics of a machine with this configuration, for any program.
void machine_stats_name(struct arena *arena, const struct machine_config *config,
                        struct stats *stats);
// Returns the reason for which an active scheme does less, or did less in the launches so far, than
// its policy promises, as a sentence without a full stop; NULL: there is no such scheme.
const char *machine_shortfall(const struct machine *machine, struct arena *arena);
// Writes the active schemes' notes about the runs so far, as lines.
void machine_write_notes(const struct machine *machine, FILE *to);
// Called for each item that an active scheme moves, with the rows that describe it.
typedef void machine_item_function(void *context, const struct scheme_item *item,
                                   const struct scheme_item_row *rows);
// Calls the function for all items.
void machine_each_item(const struct machine *machine, struct arena *arena,
                       machine_item_function *function, void *context);
// Adds the hardware of active schemes.
void machine_add_resources(const struct machine *machine, struct arena *arena,
                           struct scheme_resources *to);
// Returns a network, for reading its state.
const struct noc *machine_network(const struct machine *machine, enum memsys_network network);
// Builds the energy model of a machine with this configuration. `all` includes the arrays and
// events of all registered schemes, otherwise only of active ones.
void machine_energy(struct energy_model *model, struct arena *arena,
                    const struct machine_config *config, bool all);
// Prints the waiting requests in networks and memory.
void machine_report(const struct machine *machine, FILE *to);
// Returns the address of a word of memory for whose state a request waits; 0: no request waits.
uint64_t machine_waited(const struct machine *machine);
// Must be called when the owner has changed state planes: requests that wait for them are
// evaluated.
void machine_look_at_planes(struct machine *machine);
