// Executes one launch on a machine, with time, and checks that its counts add up.
#pragma once
#include "runtime-sim/schemes/llc_omni/offload_queue.h"
#include "runtime-sim/schemes/tom/offload.h"
#include "tests/fuzz/launch.h"

struct timed_settings {
    const char *config;   // isca19, tom or isca19-stacks
    const char *settings; // of the machine, over those: "KEY=VALUE KEY=VALUE …"
    const char *policy;
    uint64_t shuffle;
};

struct timed {
    struct executed done;
    char wrong[320]; // what does not add up, or ""
    uint64_t cycles, warp_instructions;
    char *statistics; // all of them; from malloc
    struct offload_stats offload;
    struct tom_stats blocks;
};

// Executes the text, which must be tagged.
void launch_execute_timed(struct timed *timed, const char *text, size_t length,
                          const struct launch_inputs *inputs, const struct timed_settings *wish);
void timed_free(struct timed *timed);
