// The command line of ptxoffload-sim.
#pragma once
#include "cli/tagger/arguments.h"
#include "runtime-sim/device/timed.h"

struct sim_setting {
    const char *name, *value;
};

enum { CHECK_OF_RACES, CHECK_OF_READS }; // bits of `checks`

struct sim_arguments {
    struct arguments common; // first member: messages and readers of programs use it
    bool run_file; // the input's name is that of a run file; common.input becomes its program
    const char *kernel, *grid, *block, *cluster, *shared;
    VEC(const char *) args;
    VEC(const char *) textures;         // --texture VARIABLE=…
    VEC(struct sim_setting) saves;      // --save NAME=FILE
    VEC(struct sim_setting) settings;   // --set NAME=VALUE
    const char *config;                 // of the machine: a name or a file
    VEC(const char *) machine_settings; // --set SECTION.KEY=VALUE
    VEC(struct timed_region) timed;     // --timed
    struct sample_plan sampling;        // --sample
    uint64_t max_cycles, max_instructions, interval, shuffle;
    const char *json, *profile, *stats, *series, *trace;
    struct stats_choice stats_choice; // --stats-filter
    const char *beside;               // document of another run; NULL: none
    const char *overlap;              // file for --overlap=advise; "-": no name given; NULL: none
    int explains;
    uint64_t trace_from, trace_until;      // --trace-window, in cycles
    const char *checkpoint, *resume;       // files
    uint64_t checkpoint_every, stop_after; // launches; 0: not given
    const char *lanes;                     // instruction set of this machine; NULL: the best
    uint32_t threads;
    unsigned checks;
    const char *program, *metadata; // instead of the run file's; NULL: not given
    int functional, cooperative, allow_outside;
    int policy_choice;  // of the values of --policy; -1: not given
    const char *policy; // the value; NULL: not given
    int help_run, help_keys, print_config, print_digests, list_stats, list_storage, list_energy,
        list_configs;
};

extern const struct command sim_command;

// The command with the policies of all schemes.
const struct command *sim_command_with_policies(struct arena *arena);

// Reads the command line, response files included. Returns false after printing errors to `errors`.
bool sim_arguments_read(struct sim_arguments *arguments, struct arena *arena, int argc,
                        char *const *argv, FILE *errors);
// Returns true if the command only prints a topic, such as --print-config, and runs no kernel.
bool sim_is_topic(const struct sim_arguments *arguments);

// For commands with some of these options: defaults; checks of the mode, and an error, which return
// false; other names of standard output.
void sim_options_default(struct sim_arguments *arguments);
bool sim_options_check(const struct sim_arguments *arguments, const struct command *command,
                       FILE *errors);
// Checks the options of ptxoffload-sim after its operand.
bool sim_options_check_run(const struct sim_arguments *arguments, FILE *errors);
bool sim_options_fault(const struct command *command, FILE *errors, const char *text,
                       const char *name);
void sim_options_name_outputs(struct sim_arguments *arguments);

// A file that an option makes the command write.
struct sim_output {
    const char *path; // NULL: not given
    const char *option;
};
enum { SIM_OUTPUTS = 7 + REPORT_FORMATS };
// Lists the files that the options name, without those of --record, --diagnostics and buffers.
void sim_list_outputs(const struct sim_arguments *arguments, struct sim_output to[SIM_OUTPUTS]);
