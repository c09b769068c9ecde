// Checks of a launch. A launch that violates a rule is refused with the rule, the argument, the
// limit and the value. Users of the device compose the message.
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
    enum launch_rule rule; // LAUNCH_ALLOWED: no rule is violated
    enum launch_argument argument;
    uint32_t dimension;          // 0 to 2, for a rule about one dimension
    uint64_t limit[3], value[3]; // only [0], unless the rule is about a shape
};

struct launch_request {
    const struct program_function *kernel; // an entry
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; // [0] = 0: the cluster that the kernel requires, or one CTA
    uint64_t shared;     // dynamic shared memory in bytes
    bool cooperative;
    const struct map *map;  // spatial map that hardware may run instead; may be NULL
    const void *parameters; // copied; NULL: the caller fills launch->parameters
    uint64_t parameter_bytes;
};

// Returns the maximum of a dimension of a grid, block or cluster; for ARGUMENT_SHARED the maximum
// in bytes.
uint64_t launch_max(enum launch_argument argument, uint32_t dimension);
// Returns a launch that is valid until the next synchronisation, or NULL with the first rule that
// the request violates in *refusal.
struct device_launch *device_prepare(struct device *device, const struct launch_request *request,
                                     struct launch_refusal *refusal);
