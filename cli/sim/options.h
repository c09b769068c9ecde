// The command line of ptxoffload-sim.
#pragma once
#include "cli/common/frame.h"
#include "runtime-sim/device/timed.h"

struct sim_setting {
    const char *name, *value;
};

enum { CHECK_OF_RACES, CHECK_OF_READS }; // bits of `checks`

struct sim_arguments {
    struct common_options common;
    bool run_file; // the input is a run file; common.input becomes its program
    const char *kernel, *grid, *block, *cluster, *shared;
    struct text_list args, textures;    // --arg, --texture VARIABLE=…
    VEC(struct sim_setting) saves;      // --save NAME=FILE
    VEC(struct sim_setting) settings;   // --set NAME=VALUE
    const char *config;                 // of the machine: name or file
    bool has_peers;                     // the machine has a link to other devices
    VEC(const char *) machine_settings; // --set SECTION.KEY=VALUE
    VEC(struct timed_region) timed;     // --timed
    bool timed_selects;                 // --timed has an effect without cycles, too
    struct sample_plan sampling;        // --sample
    uint64_t max_cycles, max_instructions, interval, shuffle;
    const char *json, *profile, *stats, *series, *trace;
    struct stats_choice stats_choice; // --stats-filter
    const char *beside;               // --report=json of another run; NULL: none
    const char *overlap;              // file of --overlap; "-": without a name; NULL: none
    const char *annotate;             // file of --annotate, as above
    int explains;
    bool assembled;                        // --registers=ptxas
    uint64_t trace_from, trace_until;      // --trace-window, in cycles
    const char *checkpoint, *resume;       // files
    uint64_t checkpoint_every, stop_after; // launches; 0: not given
    const char *lanes;                     // host instruction set; NULL: the best
    uint64_t threads;
    unsigned checks;
    const char *program, *metadata; // in place of the run file's; NULL: not given
    int functional, cooperative, allow_outside;
    int policy; // index among the values of --policy; -1: not given
    int print_config, print_digests, list_stats, list_storage, list_energy, list_configs;
};

enum { SIM_HELP_RUN, SIM_HELP_KEYS }; // topics of --help

extern const struct command sim_command;
extern const struct cli_program sim_program;

// Returns the command with the policies of all schemes.
const struct command *sim_command_with_policies(struct arena *arena);

// For commands with some of these options: sets defaults; checks the options together. The check
// returns false after reporting an error.
void sim_options_default(void *arguments, struct arena *arena);
bool sim_options_check(struct sim_arguments *arguments, struct command_line *line);
// Returns true if the options need counts by instruction.
bool sim_options_annotate(const struct sim_arguments *arguments);
// Reads the operand and checks all options of ptxoffload-sim. Returns false after an error.
bool sim_options_check_run(void *arguments, struct command_line *line);
// Returns the value of --policy, or NULL if it was not given.
const char *sim_policy(const struct sim_arguments *arguments, struct arena *arena);
