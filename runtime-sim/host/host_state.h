// What the files of the host share: host.c (streams, statistics), host_calls.c (calls),
// host_engine.c (driver and execution), host_trace.c.
#pragma once
#include "runtime-sim/host/host.h"

static inline uint64_t host_us(double microseconds)
{
    return (uint64_t)(microseconds * HOST_US + 0.5);
}

// The rate of the link in MB/s.
static inline uint64_t host_link_rate(const struct host_config *config)
{
    return (uint64_t)(config->link_gbps * 1000 + 0.5);
}

// Executes commands until `is_over` returns true, or up to the time `until`. Returns the end of the
// commands.
enum device_end host_advance(struct host *host, bool (*is_over)(const void *context),
                             const void *context, uint64_t until, struct device_result *result);

// Spans of the trace, if there is one.
void host_trace_call(struct host *host, const char *name, uint64_t from, uint64_t until);
void host_trace_driver(struct host *host, const struct host_command *command, uint64_t until);
void host_trace_execution(struct host *host, const struct host_command *command);
// Returns 0 for copies to the device, 1 for those to the host, 2 for others.
static inline uint32_t host_direction(const struct device_command *command)
{
    bool is_copy = command->kind == COMMAND_COPY;
    return is_copy && !command->from ? 0 : is_copy && !command->to ? 1 : 2;
}
