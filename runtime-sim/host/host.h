// The host's clock: how long calls, the driver and copies take [001 §6.1 to §6.3, Table 2].
//
// A command passes three stages: the caller enqueues it, the driver prepares it, it is executed.
// The driver is one resource, which a command holds for its stage only. A command enters it when
// its predecessor in its stream has ended; of several the oldest one enters. Copies in the two
// directions have an engine each, and cross a link; launches and copies are executed by the machine
// of the device, cycle by cycle.
//
// The caller's time is `now`. Calls advance it; a call that waits lets the commands be executed,
// with those of other streams, up to the moment at which it returns. Other calls only enqueue.
//
// Without a machine (timed == NULL) launches take no time, and copies the time of the link alone.
// Launches outside a region of interest take no time either.
//
// Times are picoseconds from the begin.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/exec/memory/plane.h"

struct host_config {
#define CONFIG_DEF "runtime-sim/host/host.def"
#include "runtime-sim/base/config_fields.inc"
};

struct host_stats {
#define STATS_DEF "runtime-sim/host/host_stats.def"
#include "runtime-sim/base/stats_fields.inc"
};

enum { HOST_US = 1000000, HOST_NS = 1000 }; // in picoseconds
#define HOST_LONGEST 1e18                   // the longest time, in picoseconds

// Returns the section `host` of a configuration.
struct config_section host_section(struct host_config *config);

// Order between streams: a command of the default stream begins after all earlier commands of
// blocking streams have ended, and later ones of theirs after it (the legacy default stream of
// CUDA).
enum host_order { HOST_INDEPENDENT, HOST_BLOCKING, HOST_DEFAULT };

// How far a command is.
enum host_stage { HOST_ENQUEUED, HOST_IN_DRIVER, HOST_EXECUTES, HOST_ENDED };

struct host_event;

struct host_command {
    struct device_command command; // `has_ended`, and cycles if the machine executes it
    struct host_stream *stream;
    struct host_command *next; // in its stream
    uint64_t number;           // in the order of calls
    enum host_stage stage;
    bool machine;      // executes it
    uint64_t missing;  // without a machine: address of a word that it waits for; 0: none
    uint64_t latency;  // of the driver; 0 with `at_once`
    bool at_once;      // needs no driver: calls, and records of events and waits for them
    uint64_t enqueued; // from this time on the driver may take it
    uint64_t ready, driver, begun, ended; // times: ready for the driver, taken, begun, ended
    struct host_event *record;            // the event that it records
    struct host_command *after;           // whose end it waits for; NULL: none
};

struct host_stream {
    struct host *host;
    struct host_stream *next;
    uint32_t number;
    enum host_order order;
    struct host_command *first, *last; // that have not ended
};

// A point in a stream. Zero: not recorded.
struct host_event {
    struct host_command *command; // that records it, until it has happened
    bool has_ended;
    uint64_t time; // at which it happened
};

struct host_log;
struct host_trace;

struct host {
    struct device *device;
    struct timed *timed; // NULL: no machine
    const struct host_config *config;
    uint64_t clock; // MHz, of the machine
    uint64_t now;   // of the caller
    uint64_t mark;  // from which `runtime` counts
    uint64_t time;  // up to which commands were executed
    uint64_t calls; // number of commands so far
    struct host_stream *streams;
    uint32_t stream_count;
    uint32_t open;               // commands that have not ended
    struct host_command *driver; // that it has; NULL: it is free
    uint64_t driver_until;
    // Without a machine, to the device and to the host: the copy of an engine, and its end before.
    struct host_command *engine[2];
    uint64_t engine_free[2];
    const char *why; // after DEVICE_STUCK: which commands wait for what, in lines
    VEC(struct host_command *) executed; // that have begun and not ended
    enum device_end end;      // of the commands; not DEVICE_DONE: none is executed any more
    struct host_stats counts; // so far
    struct host_stats stats;  // of the machine's statistics: the counts, from host_end on
    struct host_trace *trace; // NULL: no trace
    struct host_log *log;     // NULL: commands are not kept (host_log.h)
};

// The options of a machine whose user is a host with this configuration.
void host_options(const struct host_config *config, struct host *host,
                  struct timed_options *options);
// Begins at time 0. `timed` executes the device's commands, or is NULL. All stay.
void host_begin(struct host *host, struct device *device, struct timed *timed,
                const struct host_config *config);
// The stream stays at its place until it is removed; requires that it has no commands then.
void host_stream_add(struct host *host, struct host_stream *stream, enum host_order order);
void host_stream_remove(struct host_stream *stream);

// After an end other than DEVICE_DONE: drops all commands that have not ended, so that others can
// be executed. Their events have not happened.
void host_drop(struct host *host);

// Calls that enqueue. Memory of the host is read and written when the command is executed: a
// caller whose memory may change until then passes a copy.

// A copy. Addresses of the device; 0: the memory of the host at `data_…`.
struct host_copy {
    uint64_t to, from, bytes;
    void *data_to;
    const void *data_from;
    // Trigger and action on the words of the device [001 §4.4]: plane_mark. 0: none of both.
    uint8_t mark;
};

// Returns NULL, or why the copy is refused, as a sentence without a full stop: bytes that are not
// in one live allocation, source and destination that overlap, a trigger, or an action that
// empties, on memory without state.
const char *host_check_copy(const struct host *host, const struct host_copy *copy);
// Return false if the copy is refused, or if bytes of the device are not in one live allocation:
// nothing was enqueued, and no time has passed.
bool host_copy(struct host_stream *stream, const struct host_copy *copy);
bool host_set(struct host_stream *stream, uint64_t to, uint8_t value, uint64_t bytes);
// Fills, empties or releases words of the device without data [001 §4.5]. Takes the times of a
// launch.
bool host_set_state(struct host_stream *stream, uint64_t address, uint64_t bytes,
                    enum plane_action action);
// A launch that device_prepare has returned since the last call.
void host_launch(struct host_stream *stream, struct device_launch *launch);
// Calls a function of the host when the commands before it have ended. It must not use the device.
void host_call(struct host_stream *stream, void (*call)(void *context), void *context);
// Take no time of the caller.
void host_record(struct host_stream *stream, struct host_event *event);
void host_wait(struct host_stream *stream, const struct host_event *event);

// Calls that wait. They return the end of what was executed meanwhile, of all streams. After
// another end than DEVICE_DONE the device is lost: all commands that have not ended and all later
// ones are dropped, and all later calls that wait return that end at once, without `result->grid`.

// As host_copy, and waits for the copy. *enqueued: what host_copy returns.
enum device_end host_copy_now(struct host_stream *stream, const struct host_copy *copy,
                              bool *enqueued, struct device_result *result);
enum device_end host_synchronise_stream(struct host_stream *stream, struct device_result *result);
enum device_end host_synchronise_event(struct host *host, struct host_event *event,
                                       struct device_result *result);
enum device_end host_synchronise(struct host *host, struct device_result *result);
// Executes all commands. Takes no time of the caller, whose work is done.
enum device_end host_finish(struct host *host, struct device_result *result);
// Executes what happens up to `now`. Takes no time of the caller. host_is_idle and event->has_ended
// are up to date afterwards.
enum device_end host_look(struct host *host, struct device_result *result);
static inline bool host_is_idle(const struct host_stream *stream)
{
    return !stream->first;
}

// The caller's own time: in picoseconds, and for elements of work (host.cpu_ns).
void host_pass(struct host *host, uint64_t time);
void host_work(struct host *host, uint64_t elements);
// The runtime counts from now on.
void host_mark(struct host *host);
// Returns the time from the last mark to now.
static inline uint64_t host_runtime(const struct host *host)
{
    return host->now - host->mark;
}

// At the end: the counts belong to the statistics of the machine's total.
void host_end(struct host *host);
// Adds the group `host`.
void host_stats_add(const struct host *host, struct stats *stats);
// Writes rows of calls, driver, copies and streams to the machine's trace (timed_trace), from now
// on.
void host_trace_begin(struct host *host);
// Writes what the first command of each stream waits for, and which commands could change the state
// of the word that is waited for. After DEVICE_STUCK host->why has it.
void host_report(const struct host *host, FILE *to);
