// A machine as the executor of a device: launches take time, cycle by cycle, or only those of a
// region of interest.
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
    VEC(struct timed_range) launches; // none: all
};

// Called at the end of an interval; all statistics are up to date.
typedef void timed_sample(void *context, const char *kernel, uint64_t cycle);

struct timed_options {
    const struct machine_config *config; // that machine_check finds right
    const struct config *resolved;       // its values, for results
    bool copies;                         // copies take time
    uint64_t link_rate;                  // MB/s to and from host memory, instead; 0: no link
    uint32_t copy_outstanding;           // as struct machine_copy has it
    bool one_copy_engine;
    uint64_t shuffle;                 // order of evaluation; 0: by number
    uint64_t max_cycles;              // of all launches together; 0: no limit
    VEC(struct timed_region) regions; // none: every launch takes time
    struct sample_plan sampling;      // instead of regions; period 0: none
    uint64_t interval;                // cycles between samples; 0: no samples
    timed_sample *sample;
    void *context;
    void (*add_stats)(void *context, struct stats *stats); // of the caller; NULL: it has none
    void *stats_context;
};

// Counts of a kernel's launches that took time.
struct timed_kernel {
    uint64_t launches;
    uint64_t cycles; // each launch's from its own begin to its end; in total those of the machine
    struct stats_mark sum; // of the machine's statistics, of launches by themselves
    uint64_t together;     // launches at the same time as others, which `sum` leaves out
    uint64_t warp_instructions, thread_instructions; // of a kernel
    struct sample_counts sampled;
    uint32_t registers, room; // of the last launch of this process, as machine_launch has it
    const char *registers_source, *limit;
};

// Results of sampling, of what is added up at the end.
struct sample_totals {
#define STATS_DEF "runtime-sim/device/sample_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

void timed_add_samples(const struct sample_totals *totals, struct stats *stats);

// A run of the machine: from the begin of a command while nothing else is under way, until nothing
// is under way again.
struct timed_period {
    struct arena arena;
    bool is_open;
    VEC(struct device_command *) commands;
    VEC(struct machine_event *) events; // of the commands
    uint32_t ended, first;              // of the commands; all before `first` have ended
    struct stats_mark before;
    uint64_t begun;
    struct machine_limits limits;
    struct grid_result result;
};

// A launch that took time, in cycles of the run.
struct timed_span {
    const struct device_kernel *kernel;
    uint64_t begun, ended;
    uint32_t grid[3], block[3];
};

struct timed {
    const struct timed_options *options;
    struct device *device;
    struct arena *arena;
    struct arena own; // of the machine and its statistics
    struct machine_config config;
    struct machine *machine;
    struct trace *trace; // NULL: no trace
    struct stats stats;
    struct energy_model energy;
    struct timed_kernel total;
    struct sample_totals samples;
    bool used;                 // this machine has run something
    bool broken;               // and ended in the middle of it: the next run needs a new machine
    struct timed_kernel *last; // of the last launch, if it ran by itself; or NULL
    struct stats_mark sampled; // at the last sample
    uint64_t power_from;       // cycle of the trace's last sample of the power
    struct timed_period period;
    VEC(struct timed_span) spans;                // in the order of their ends
    uint64_t interval;                           // between samples
    const char *kernel;                          // that runs
    atomic_uint_fast64_t cycle, ctas, ctas_done; // of this run, for another thread
};

// Reads a region as --timed has it: KERNEL or KERNEL:1,3-5. Returns NULL, or its fault.
const char *timed_region_read(struct timed_region *region, struct arena *arena, const char *text);
// Finds the kernels of the regions, and names them as the program does. Returns false with the
// fault of the first that is not found.
bool timed_find_kernels(struct timed_options *options, const struct program *program,
                        struct kernel_fault *fault);

// Makes a machine the executor of the device, which has its program and arena. `options` stays.
void timed_begin(struct timed *timed, struct device *device, const struct timed_options *options);

// Execution for an owner that has a clock of its own (runtime-sim/host) and does not synchronise
// the device.

// The command begins in this cycle, or in the next one of the machine if that is later. It stays
// until the machine is idle.
void timed_start(struct timed *timed, struct device_command *command, uint64_t cycle);
// Runs until a command has ended (its `has_ended`), or up to the cycle `until` (UINT64_MAX: no such
// cycle). Returns at once if no command is under way. After another end than DEVICE_DONE no command
// is under way any more.
enum device_end timed_proceed(struct timed *timed, uint64_t until, struct device_result *result);
// The caller has changed state planes; and the address of a word that a request waits for, or 0.
void timed_look_at_planes(struct timed *timed);
uint64_t timed_waited(const struct timed *timed);
// The cycle that comes next.
uint64_t timed_cycle(const struct timed *timed);

// Returns the counts of a kernel.
struct timed_kernel *timed_counts(struct timed *timed, struct device_kernel *kernel);
// Flushes the caches and continues with a new machine at the same cycle. Called before a
// checkpoint, so that a run that continues and a run that is resumed have the same state. The
// cycles of the flush count for the last launch; after several at the same time for the total only.
// After a run that did not end well nothing is flushed.
void timed_renew(struct timed *timed);
// Counts since the last sample; and continuation with them in this cycle, of a machine that has run
// nothing.
struct stats_mark timed_since_sample(const struct timed *timed, struct arena *arena);
void timed_resume(struct timed *timed, uint64_t cycle, const struct stats_mark *since_sample);
// Before the first launch: writes the machine's activity in these cycles, the last left out, as
// Chrome trace events. timed_end completes the document, and estimates the cycles of launches that
// sampling left out; the statistics are complete after it.
void timed_trace(struct timed *timed, FILE *to, uint64_t from, uint64_t until);
void timed_end(struct timed *timed);

// Writes the requests that are under way in memory and networks, and what each waits for.
void timed_report(const struct timed *timed, FILE *to);

// Returns why the policy does less than it promises: see machine_shortfall.
const char *timed_shortfall(const struct timed *timed, struct arena *arena);
// Writes what active schemes note about the run, as lines.
void timed_write_notes(const struct timed *timed, FILE *to);

// The statistics of a kernel's timed launches (NULL: of all), as long as the arena lives: a few if
// some of them ran at the same time as others.
struct timed_stats {
    const struct stats *stats;
    struct stats_mark since;
};
struct timed_stats timed_stats_of(const struct timed *timed, const struct timed_kernel *kernel,
                                  struct arena *arena);
// Adds up values: names separated by blanks, a minus before one that is subtracted. Returns false
// if one of them is unknown.
bool timed_add_up(const struct timed_stats *stats, const char *names, double *sum);

// Changes the interval between samples, from the next sample on.
void timed_set_interval(struct timed *timed, uint64_t interval);

// Finds the value of a statistic of a kernel's timed launches (NULL: of all). Returns false if it
// is not known because some of them ran at the same time as others.
bool timed_value(const struct timed *timed, const struct timed_kernel *kernel, const char *name,
                 double *value);

// Results: the chosen statistics, for each kernel and in total, by the name of the file as JSON
// (.json), CSV (.csv) or text. A text has no total of a single kernel. Text and JSON also have the
// names of another simulator's statistics, unless `choice` has patterns.
void timed_write_stats(const struct timed *timed, const struct stats_choice *choice,
                       const char *path, FILE *to);
// Returns the statistics since the last sample. They are valid until the machine continues.
struct timed_stats timed_stats_sample(const struct timed *timed, struct arena *arena);
// Computes the energy of a kernel's timed launches (NULL: of all). Returns false if it is not known
// because some of them ran at the same time as others.
bool timed_energy(const struct timed *timed, const struct timed_kernel *kernel, struct arena *arena,
                  struct energy_result *result);

// Writes names, units and meanings, also of the public names.
void timed_list_stats(const struct timed_options *options, struct arena *arena, FILE *to);
