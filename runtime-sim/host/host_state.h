// Functions shared by the host's files: host.c (streams, statistics), host_calls.c (calls),
// host_engine.c (driver and execution), host_trace.c.
#pragma once
#include "runtime-sim/host/host.h"

// Returns a time in picoseconds as an integer, at most HOST_LONGEST.
static inline uint64_t host_time(double time)
{
    return time < HOST_LONGEST ? (uint64_t)(time + 0.5) : (uint64_t)HOST_LONGEST;
}

// Returns microseconds in picoseconds, at most HOST_LONGEST.
static inline uint64_t host_us(double microseconds)
{
    return host_time(microseconds * HOST_US);
}

// Returns the rate of the link in MB/s.
static inline uint64_t host_link_rate(const struct host_config *config)
{
    return (uint64_t)(config->link_gbps * 1000 + 0.5);
}

// Returns the rate of the link between devices in MB/s.
static inline uint64_t host_peer_rate(const struct host_peer *peer)
{
    return (uint64_t)(peer->link_gbps * 1000 + 0.5);
}

// Executes commands until `is_over` returns true, or up to the time `until`. Returns their end.
enum device_end host_advance(struct host *host, bool (*is_over)(const void *context),
                             const void *context, uint64_t until, struct device_result *result);

// Drops all commands that have not ended.
void host_forget(struct host *host);

// Adds a new command to those whose effects are computed apart, if it is one.
void host_set_apart(struct host *host, struct host_command *command);
// Lets the owner call a function of the program.
void host_post(struct host *host, struct host_command *command);
// Stores a failure of a device, or of none in particular (NULL): no more commands are executed.
void host_fail(struct host *host, const struct host_gpu *gpu, const struct device_result *result);
// The end of host_run_ahead, for host_advance.
bool host_runs_ahead(const void *context);
// Waits for the posted functions that precede a command in the order of streams. Returns false if
// the command must wait longer: host_run_ahead is called, which then ends, or they are late.
bool host_await_calls(struct host *host, const struct host_command *command);
// Returns true if a late function precedes the command.
bool host_is_late(const struct host *host, const struct host_command *command);
// Waits for late functions if there are any. Returns false if no function is late.
bool host_await_late(struct host *host);
// Claims the host for this thread, after waiting for others, and releases it. host_claim returns
// false if the owner gives up.
bool host_claim(struct host *host);
void host_release(struct host *host);
// Returns true if commands of one stream wait for earlier commands of the other.
static inline bool host_orders(const struct host_stream *one, const struct host_stream *other)
{
    return one->gpu == other->gpu &&
           ((one->order == HOST_DEFAULT && other->order == HOST_BLOCKING) ||
            (one->order == HOST_BLOCKING && other->order == HOST_DEFAULT));
}

// Write spans of a call, of a command in the driver, and of its execution, if there is a trace.
void host_trace_call(struct host *host, const char *name, uint64_t from, uint64_t until);
void host_trace_driver(struct host *host, const struct host_command *command, uint64_t until);
void host_trace_execution(struct host *host, const struct host_command *command);
// Returns 0 for copies to the device, 1 for those to the host, 2 for others: within the device,
// between devices.
static inline uint32_t host_direction(const struct device_command *command)
{
    bool is_copy = command->kind == COMMAND_COPY && !command->peer;
    return is_copy && !command->from ? 0 : is_copy && !command->to ? 1 : 2;
}
