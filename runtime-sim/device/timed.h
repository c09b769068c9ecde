// A machine as the executor of a device: it simulates launches cycle by cycle, all of them or only
// those of a region of interest.
#pragma once
#include "runtime-sim/device/kernel_name.h"
#include "runtime-sim/device/sample.h"
#include "runtime-sim/device/command.h"
#include "runtime-sim/energy/energy.h"
#include "runtime-sim/gpu/machine/machine.h"

// Launches of a kernel, counted from 1.
struct timed_range {
    uint64_t first, last;
};

struct timed_region {
    const char *kernel;
    VEC(struct timed_range) launches; // empty: all
};

// Called at the end of an interval; all statistics are up to date.
typedef void timed_sample(void *context, const char *kernel, uint64_t cycle);

struct timed_options {
    const struct machine_config *config; // requires that machine_check accepts it
    const struct config *resolved;       // its values, for results
    bool copies;                         // copies are timed
    uint64_t link_rate;                  // rate of the link to host memory in MB/s; 0: no link
    uint64_t peer_rate, peer_latency;    // of the link to other devices, in MB/s and ps; 0: no link
    uint32_t copy_outstanding;           // `outstanding` of struct machine_copy
    bool one_copy_engine;
    uint64_t shuffle;                 // seed for the order of evaluation; 0: by number
    uint64_t max_cycles;              // limit for all launches together; 0: no limit
    VEC(struct timed_region) regions; // empty: every launch is timed
    struct sample_plan sampling;      // instead of regions; period 0: no sampling
    uint64_t interval;                // cycles between samples; 0: no samples
    timed_sample *sample;
    bool marks_samples; // timed_stats_sample is called, and checkpoints keep its counts
    // Called at the end of a busy period, after its launches were counted; may be NULL.
    void (*period_end)(void *context, uint64_t cycle);
    void *context;                                         // of both
    void (*add_stats)(void *context, struct stats *stats); // adds the caller's; may be NULL
    void *stats_context;
};

// Counts of a kernel's timed launches, or of all kernels.
struct timed_kernel {
    uint64_t launches;
    uint64_t cycles; // sum over launches, from begin to end; for all kernels those of the machine
    struct stats_mark sum; // machine statistics of launches that ran alone
    uint64_t together;     // launches at the same time as others, which are not in `sum`
    uint64_t warp_instructions, thread_instructions; // only for a kernel
    struct sample_counts sampled;
    uint32_t registers, room; // as in machine_launch, for the last launch in this process
    const char *registers_source, *limit;
};

// Results of sampling, summed at the end.
struct sample_totals {
#define STATS_DEF "runtime-sim/device/sample_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

// Adds the group `sample` to the statistics.
void timed_add_samples(const struct sample_totals *totals, struct stats *stats);

struct timed_family;

// An event that a kernel has recorded: the last command of a stream.
struct timed_mark {
    uint64_t handle;
    const struct machine_event *at; // NULL: the stream had no command
};

// A busy period: from the first command until the machine is idle.
struct timed_period {
    struct arena arena;
    bool is_open;
    VEC(struct device_command *) commands;
    VEC(struct machine_event *) events;  // by command
    VEC(struct timed_family *) families; // likewise
    VEC(struct timed_mark) marks;        // events that kernels have recorded
    uint32_t ended, first;               // number of ended commands; all before `first` have ended
    struct stats_mark before;
    uint64_t begun;
    struct machine_limits limits;
    struct grid_result result;
};

// A timed launch, in cycles of the machine.
struct timed_span {
    const struct device_kernel *kernel;
    uint64_t begun, ended;
    uint32_t grid[3], block[3];
};

// A timed copy or set of memory.
struct timed_copy {
    uint64_t begun, ended, bytes;
};

struct timed {
    const struct timed_options *options;
    struct device *device;
    struct arena *arena;
    struct arena own; // for the machine and its statistics
    struct machine_config config;
    struct machine *machine;
    uint32_t machines;   // number of machines made so far: counts of a new one begin at 0
    struct trace *trace; // NULL: no trace
    struct stats stats;
    struct energy_model energy;
    struct timed_kernel total;
    struct sample_totals samples;
    bool used;                 // this machine has executed commands
    bool broken;               // a period ended with a fault, so the next one needs a new machine
    struct timed_kernel *last; // counts of the last launch if it ran alone, or NULL
    struct stats_mark sampled; // statistics at the last sample
    uint64_t power_from;       // cycle of the trace's last power sample
    struct timed_period period;
    VEC(struct timed_span) spans;                // in the order of their ends
    VEC(struct timed_copy) copies;               // likewise
    uint64_t interval;                           // cycles between samples
    const char *kernel;                          // names of the running kernels
    atomic_uint_fast64_t cycle, ctas, ctas_done; // progress of this period, for another thread
};

// Reads a region in the format of --timed: KERNEL or KERNEL:1,3-5. Returns NULL, or the fault.
const char *timed_region_read(struct timed_region *region, struct arena *arena, const char *text);
// Replaces the kernels' names in the regions by those of the program. Returns false with the fault
// of the first one that is not found.
bool timed_find_kernels(struct timed_options *options, const struct program *program,
                        struct kernel_fault *fault);
// Returns true if the regions include this launch of the kernel, counted from 1.
bool timed_includes(const struct timed_options *options, const char *kernel, uint64_t launch);

// Makes a machine the executor of the device, whose program and arena it uses. `options` must stay
// valid.
void timed_begin(struct timed *timed, struct device *device, const struct timed_options *options);

// Execution for an owner that has its own clock (runtime-sim/host) and does not synchronise the
// device

// Starts a command in this cycle, or in the machine's next one if that is later. The command must
// stay valid until the machine is idle.
void timed_start(struct timed *timed, struct device_command *command, uint64_t cycle);
// Runs until a command has ended (its `has_ended`), or up to the cycle `until` (UINT64_MAX: no
// limit). Returns immediately if no command is running. After a result other than DEVICE_DONE, no
// command is running any more.
enum device_end timed_proceed(struct timed *timed, uint64_t until, struct device_result *result);
// Returns true if a command is running.
static inline bool timed_is_running(const struct timed *timed)
{
    return timed->period.is_open;
}
// Ends the running commands, if any, before they are dropped.
void timed_abandon(struct timed *timed);
// Evaluates requests that wait for state planes again, after the caller has changed these.
void timed_look_at_planes(struct timed *timed);
// Returns the address of a word for whose state a request waits, or 0.
uint64_t timed_waited(const struct timed *timed);
// Returns the machine's next cycle.
uint64_t timed_cycle(const struct timed *timed);

// Returns the counts of a kernel's timed launches.
struct timed_kernel *timed_counts(struct timed *timed, struct device_kernel *kernel);
// Flushes the caches and continues with a new machine at the same cycle. Called before a
// checkpoint, so that a run that continues and a run that is resumed have the same state. The
// cycles of the flush are added to those of the last launch, or only to the total if several
// launches ran at the same time. After a fault nothing is flushed.
void timed_renew(struct timed *timed);
// Continues with a new machine at the same cycle, without a flush. Requires that no command is
// running.
void timed_discard(struct timed *timed);
// timed_since_sample returns the counts since the last sample. timed_resume continues with these
// counts at this cycle, with a new machine.
struct stats_mark timed_since_sample(const struct timed *timed, struct arena *arena);
void timed_resume(struct timed *timed, uint64_t cycle, const struct stats_mark *since_sample);
// Traces the machine's activity from the cycle `from` up to, not including, `until`, as Chrome
// trace events. Called before the first launch.
void timed_trace(struct timed *timed, FILE *to, uint64_t from, uint64_t until);
// Completes the trace, and estimates the cycles of launches that sampling skipped. After it the
// statistics are complete.
void timed_end(struct timed *timed);

// Writes the requests in flight in memory and networks, and the cause for which each waits.
void timed_report(const struct timed *timed, FILE *to);

// Returns the reason for which the policy does less than it promises, see machine_shortfall.
const char *timed_shortfall(const struct timed *timed, struct arena *arena);
// Writes the active schemes' notes about the run, as lines.
void timed_write_notes(const struct timed *timed, FILE *to);

// Statistics, and the mark from which they count.
struct timed_stats {
    const struct stats *stats;
    struct stats_mark since;
};
// Returns the statistics of a kernel's timed launches (NULL: of all), which are valid as long as
// the arena. They are only a few if some of the launches ran at the same time as others.
struct timed_stats timed_stats_of(const struct timed *timed, const struct timed_kernel *kernel,
                                  struct arena *arena);
// Sums statistics. `names` are separated by blanks; a minus before a name subtracts the statistic.
// Returns false if one is unknown.
bool timed_add_up(const struct timed_stats *stats, const char *names, double *sum);

// Returns how many CTAs of the kernel's last launch fit a core, and why not more; NULL: unknown.
const char *timed_room(const struct timed_kernel *kernel, struct arena *arena);

// Changes the interval between samples, from the next sample on.
void timed_set_interval(struct timed *timed, uint64_t interval);

// Finds the value of a statistic of a kernel's timed launches (NULL: of all). Returns false if it
// is not known because some of them ran at the same time as others.
bool timed_value(const struct timed *timed, const struct timed_kernel *kernel, const char *name,
                 double *value);

// Writes the chosen statistics, for each kernel and in total, as JSON (.json), CSV (.csv) or text,
// according to the ending of `path`. A text has no total if there is a single kernel. Text and JSON
// also have the names of other simulators' statistics, unless `choice` has patterns.
void timed_write_stats(const struct timed *timed, const struct stats_choice *choice,
                       const char *path, FILE *to);
// Returns the statistics since the last sample. They are valid until the machine continues.
// Requires marks_samples.
struct timed_stats timed_stats_sample(const struct timed *timed, struct arena *arena);
// Computes the energy of a kernel's timed launches (NULL: of all). Returns false if it is not known
// because some of them ran at the same time as others.
bool timed_energy(const struct timed *timed, const struct timed_kernel *kernel, struct arena *arena,
                  struct energy_result *result);

// Writes names, units and meanings of all statistics, including the names of other simulators.
void timed_list_stats(const struct timed_options *options, struct arena *arena, FILE *to);
