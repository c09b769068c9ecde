// The machine of ptxoffload-sim: its configuration and its time series.
#pragma once
#include "cli/common/messages.h"
#include "cli/sim/options.h"
#include "runtime-sim/host/host.h"
#include "report/sim_report.h"

struct sim_machine {
    struct machine_config config;
    struct host_config host_config;
    struct host_peer peer; // with has_peers
    struct host host;      // for runs with streams
    struct config resolved;
    struct timed_options options;
    struct timed timed;
    struct sim_collector *collector; // NULL: no report has a series
    FILE *series;                    // NULL: no series
    VEC(const char *) series_names;
};

// The first member of the states of programs with a machine, whose options begin with struct
// sim_arguments.
struct sim_base {
    struct frame frame;
    struct sim_machine machine;
};

// Topics of these programs, which print the machine.
extern const struct topic sim_topics[];
// Reads the machine, for struct cli_program. Returns false after errors.
bool sim_prepare(void *base);

// Reads --config, --policy and --set. Returns false after errors.
bool sim_machine_read(struct sim_machine *machine, struct arena *arena,
                      const struct sim_arguments *arguments, const struct messages *messages);
// Returns a note that names the built-in machines on which a refused launch fits.
const char *sim_machines_with_room(struct arena *arena, const struct launch_needs *needs);
// Prints the statistics of --list-stats.
void sim_machine_list_stats(struct sim_machine *machine, struct arena *arena, FILE *to);
// Finds the kernels of --timed in the program. Returns false after errors.
bool sim_machine_finds(struct sim_machine *machine, const struct program *program,
                       const struct messages *messages);
// Returns the limit of ir_schedule for a run; 0 without time, and if a profile is written, whose
// numbers of instructions are those of the text.
static inline uint32_t sim_schedule(const struct sim_arguments *arguments,
                                    const struct machine_config *machine)
{
    return arguments->functional || arguments->profile ? 0 : machine->core.schedule;
}
// Notes that functions with tags keep the order of the text, if others do not.
void sim_note_order(const struct messages *messages, const struct device_module *module);
// Sets the interval of the time series and of the trace, if there are such files. Call it before
// timed_begin.
void sim_machine_interval(struct sim_machine *machine, const struct sim_arguments *arguments);
// Writes the heading of the time series; the session then writes its rows.
void sim_machine_series(struct sim_machine *machine, FILE *to);
// Sets the options of a host's device.
void sim_machine_host(struct sim_machine *machine, const struct sim_arguments *arguments,
                      struct host_gpu *gpu);
// Makes the collector sample at the end of each interval, which is that of the time series or,
// without one, SIM_INTERVAL at first. Call it before timed_begin.
void sim_machine_collect(struct sim_machine *machine, struct sim_collector *collector);
