// Checks of a launch. A launch that breaks a rule is refused with the rule, the argument, the limit
// and the value; users of the device make the message.
#pragma once
#include "runtime-sim/device/device.h"

enum launch_argument {
    ARGUMENT_KERNEL,
    ARGUMENT_GRID,
    ARGUMENT_BLOCK,
    ARGUMENT_CLUSTER,
    ARGUMENT_SHARED,
    ARGUMENT_PARAMETERS,
};

enum launch_rule {
    LAUNCH_ALLOWED,
#define LAUNCH_RULE(name, argument, text) LAUNCH_##name,
#include "runtime-sim/device/launch_rules.def"
#undef LAUNCH_RULE
    LAUNCH_RULES,
};

struct launch_refusal {
    enum launch_rule rule; // LAUNCH_ALLOWED: none is broken
    enum launch_argument argument;
    uint32_t dimension;          // 0 to 2, of a rule about one
    uint64_t limit[3], value[3]; // [0] alone unless the rule is about a shape
};

struct launch_request {
    const struct program_function *kernel; // an entry
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // [0] = 0: the kernel's own, or one CTA
    uint64_t shared;     // dynamic, bytes
    bool cooperative;
    const struct map *map;  // that hardware may run instead; NULL: none
    const void *parameters; // copied; NULL: the caller fills launch->parameters
    uint64_t parameter_bytes;
};

// The most that a dimension of a grid, block or cluster can be; for ARGUMENT_SHARED the most bytes.
uint64_t launch_most(enum launch_argument argument, uint32_t dimension);
// Returns a launch that stays until the next synchronisation, or NULL with the first rule that it
// breaks.
struct device_launch *device_prepare(struct device *device, const struct launch_request *request,
                                     struct launch_refusal *refusal);
