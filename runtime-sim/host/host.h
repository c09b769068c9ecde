// The host's clock: times of calls, the driver and copies [001 §6.1 to §6.3, Table 2].
//
// A command passes three stages: the caller enqueues it, the driver prepares it, and it is
// executed. The driver is a single resource, which a command holds for its stage only. A command
// enters the driver when its predecessor in its stream has ended; among several, the oldest enters
// first. Each direction of copies has an engine and a link. The device's machine executes launches
// and copies cycle by cycle.
//
// The caller's time is `now`. Calls advance it. A call that waits executes commands of all streams
// up to the time at which it returns. Other calls only enqueue.
//
// Several devices share the caller's time. A machine is at most the latency of the link ahead of
// others, and an event of another device is noticed up to this time later.
//
// Without a machine (timed == NULL), launches take no time, and copies take only the time of the
// link. Launches outside a region of interest take no time either.
//
// With an owner (struct host_owner), effects of commands are computed apart from their times:
// functions of the program always, all commands if there is no machine and memory has no full/empty
// bits (host_values.c). Then times do not depend on when the effects are computed.
//
// Times are in picoseconds since the start.
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
#define HOST_LONGEST 1e18                   // maximum time, in picoseconds

// The link of a device to other devices. Each device has a port of its own.
struct host_peer {
#define CONFIG_DEF "runtime-sim/host/peer.def"
#include "runtime-sim/base/config_fields.inc"
};

// Return the sections `host` and `peer` of a configuration.
struct config_section host_section(struct host_config *config);
struct config_section host_peer_section(struct host_peer *peer);

// Order between streams: a command of the default stream begins after all earlier commands of
// blocking streams have ended, and later commands of blocking streams begin after it has ended
// (CUDA's legacy default stream).
enum host_order { HOST_INDEPENDENT, HOST_BLOCKING, HOST_DEFAULT };

// Stages of a command.
enum host_stage { HOST_ENQUEUED, HOST_IN_DRIVER, HOST_EXECUTES, HOST_ENDED };

struct host_event;

struct host_command {
    struct device_command command; // `has_ended` and cycles are set if the machine executes it
    struct host_stream *stream;
    struct host_command *next; // next in its stream
    uint64_t number;           // in the order of calls
    enum host_stage stage;
    struct host_gpu *gpu; // device that executes it
    bool machine;         // its machine executes it
    uint64_t missing;     // without a machine: address of a word that it waits for; 0: none
    uint64_t latency;     // time in the driver; 0 with `at_once`
    bool at_once;         // needs no driver: calls, and records of events and waits for them
    uint64_t enqueued;    // time from which it may enter the driver
    // Times: ready for the driver, in the driver, begun, ended.
    uint64_t ready, driver, begun, ended;
    struct host_event *record;  // event that it records, or NULL
    struct host_command *after; // command whose end it waits for, or NULL
    // Condition for which it waits, about command.context; NULL: none.
    bool (*holds)(const void *context);
    // Its effect is computed apart: it is a function of the program; is being computed; is
    // computed.
    bool apart, outside, computing, computed;
    bool late; // a function of the program that other streams do not wait for any longer
    struct host_command *next_apart; // next in its stream
};

struct host_stream {
    struct host *host;
    struct host_gpu *gpu;
    struct host_stream *next;
    uint32_t number;
    enum host_order order;
    uint64_t ended;                                // time at which the last command ended
    struct host_command *first, *last;             // commands that have not ended
    struct host_command *first_apart, *last_apart; // commands whose effects are not computed
};

// A point in a stream. All members are 0 until it is recorded.
struct host_event {
    struct host_command *command; // command that records it, until it has occurred
    bool has_ended;
    uint64_t time; // time at which it occurred
    // The command's stream and number.
    struct host_stream *stream;
    uint64_t number;
};

// Callbacks to the owner of a host, whose threads compute effects and wait for each other.
struct host_owner {
    void *context;
    // Waits until another thread has changed something, or for a short time. Other threads may use
    // the host meanwhile. Returns false if the caller must give up.
    bool (*await)(void *context);
    // Reports to waiting threads that something has changed.
    void (*notify)(void *context);
    // Lets another thread call a function of the program, and host_called afterwards.
    void (*post)(void *context, struct host_command *command);
};

struct host_log;
struct host_trace;

enum { HOST_GPUS = 16 }; // maximum number of devices
enum { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_PEER, HOST_ENGINES };

// A device with its driver and its copy engines. The first one also has the arena of the host.
struct host_gpu {
    struct host *host;
    struct device *device;
    struct timed *timed; // NULL: no machine
    const struct host_config *config;
    const struct host_peer *peer; // link to other devices; NULL: a single device
    uint64_t clock;               // clock of the machine in MHz
    struct host_command *driver;  // command in the driver; NULL: it is free
    uint64_t driver_until;
    // Without a machine: current copy to the device, to the host, and to or from another device,
    // and end of the previous one.
    struct host_command *engine[HOST_ENGINES];
    uint64_t engine_free[HOST_ENGINES];
    uint64_t ended;           // time at which its last command ended
    struct host_stats counts; // counts so far
    struct host_stats stats;  // statistics of the machine; set to the counts by host_end
};

struct host {
    struct host_gpu gpus[HOST_GPUS];
    uint32_t gpu_count;
    uint64_t now;   // time of the caller
    uint64_t mark;  // time from which `runtime` counts
    uint64_t time;  // time up to which commands have been executed
    uint64_t calls; // number of commands so far
    struct host_stream *streams;
    uint32_t stream_count;
    uint32_t open;                       // number of commands that have not ended
    const char *why;                     // after DEVICE_STUCK: text of host_report
    VEC(struct host_command *) executed; // commands that have begun and not ended
    enum device_end end;            // of the commands; if not DEVICE_DONE, no more are executed
    struct host_trace *trace;       // NULL: no trace
    struct host_log *log;           // NULL: commands are not recorded (host_log.h)
    const struct host_owner *owner; // set after host_begin; NULL: no effect is computed apart
    bool busy;                      // a thread executes commands or computes an effect
    uint32_t claiming;              // threads that wait until it is not busy
    uint32_t apart;                 // number of effects that are not computed
    uint32_t posted, posted_before; // functions posted so far; before host_run_ahead
    bool ahead, blocked;            // host_run_ahead is called; a posted function blocks it
    uint32_t computing; // launches that are being computed, also while they wait for the host
    uint64_t era;       // number of times that all commands were dropped
    VEC(struct host_command *) functions; // posted functions that have not returned
    bool lost;                            // `failure` is not reported yet
    struct device_result failure;
    const struct host_gpu *failed; // device of the failure; NULL: none in particular
};

// Sets the options of a machine that is used by a host with this configuration. `peer` may be NULL.
void host_options(const struct host_config *config, const struct host_peer *peer,
                  struct host_gpu *gpu, struct timed_options *options);
// Initialises a host at time 0. `timed` executes the device's commands, and may be NULL. All
// arguments must stay valid.
void host_begin(struct host *host, struct device *device, struct timed *timed,
                const struct host_config *config, const struct host_peer *peer);
// Adds a device to a host that has no command. `peer`, the link of each device, is NULL if the host
// has a single device.
void host_add_gpu(struct host *host, struct device *device, struct timed *timed,
                  const struct host_config *config, const struct host_peer *peer);
// Add and remove a stream. It must stay at its address until it is removed, and must then have no
// commands.
void host_stream_add(struct host_gpu *gpu, struct host_stream *stream, enum host_order order);
void host_stream_remove(struct host_stream *stream);

// Drops all commands that have not ended, after a result other than DEVICE_DONE, so that others can
// be executed. Their events do not occur.
void host_drop(struct host *host);

// Calls that enqueue. Memory of the host is read and written when the command is executed. If the
// caller's memory may change before, the caller must pass a copy.

// A copy between addresses of any device, or host memory if an address is 0.
struct host_copy {
    uint64_t to, from, bytes; // device addresses; 0: host memory at data_to or data_from
    void *data_to;
    const void *data_from;
    // Trigger and action on words of the device [001 §4.4], see plane_mark. 0: neither.
    uint8_t mark;
};

// Returns NULL, or the reason for which a copy is refused, as a sentence without a full stop: its
// bytes are not in one live allocation, source and destination overlap, or it has a trigger, or an
// action that empties words, on memory without state.
const char *host_check_copy(struct host *host, const struct host_copy *copy);
// Enqueue a copy, and a memory set. Return false if host_check_copy refuses the copy, or if bytes
// of the device are not in one live allocation. Nothing is then enqueued, and no time passes.
bool host_copy(struct host_stream *stream, const struct host_copy *copy);
bool host_set(struct host_stream *stream, uint64_t to, uint8_t value, uint64_t bytes);
// Fills, empties or releases words of the device without data [001 §4.5]. Takes as much time as a
// launch. Returns false if the words have no state.
bool host_set_state(struct host_stream *stream, uint64_t address, uint64_t bytes,
                    enum plane_action action);
// Enqueues a launch that device_prepare has returned since the last synchronisation.
void host_launch(struct host_stream *stream, struct device_launch *launch);
// Calls a function of the host when the commands before it have ended. It must not use the device.
// A function of the program may wait for other threads; an owner posts it.
void host_call(struct host_stream *stream, void (*call)(void *context), void *context);
void host_call_program(struct host_stream *stream, void (*call)(void *context), void *context);
// Record an event, and let later commands of the stream wait for a recorded one. Take no time of
// the caller.
void host_record(struct host_stream *stream, struct host_event *event);
void host_wait(struct host_stream *stream, const struct host_event *event);
// Lets later commands of the stream wait until a condition about memory holds. With a machine it is
// evaluated when a command of any stream ends. If effects are computed apart, the wait takes no
// simulated time.
void host_wait_until(struct host_stream *stream, bool (*holds)(const void *context), void *context);

// Calls that wait. They return the end of all commands that were executed during the wait, in all
// streams. If it is not DEVICE_DONE, the device is lost: all commands that have not ended and all
// later ones are dropped, and later calls that wait return this end immediately, without
// `result->grid`.

// As host_copy, and waits for the copy. *enqueued is set to the result of host_copy.
enum device_end host_copy_now(struct host_stream *stream, const struct host_copy *copy,
                              bool *enqueued, struct device_result *result);
// Wait for all commands of a stream, for a recorded event, or for all commands.
enum device_end host_synchronise_stream(struct host_stream *stream, struct device_result *result);
enum device_end host_synchronise_event(struct host *host, struct host_event *event,
                                       struct device_result *result);
enum device_end host_synchronise(struct host *host, struct device_result *result);
// Waits for all commands in streams of a device.
enum device_end host_synchronise_gpu(struct host_gpu *gpu, struct device_result *result);
// Executes all commands after the caller's last call. Takes no time of the caller.
enum device_end host_finish(struct host *host, struct device_result *result);
// Executes commands up to `now`. Takes no time of the caller. Updates host_is_idle and
// event->has_ended.
enum device_end host_look(struct host *host, struct device_result *result);
// Returns true if the stream has no commands that have not ended.
static inline bool host_is_idle(const struct host_stream *stream)
{
    return !stream->first;
}

// For an owner's threads. The caller's time does not change.

// Returns true if effects of all commands are computed apart from their times.
static inline bool host_is_apart(const struct host *host)
{
    return host->owner && !host->gpus->timed && !host->gpus->device->planes.initial;
}
// Computes the effect of the oldest command that depends on no other, or posts its function.
// Returns false if no command is left, or if another thread is busy. `*end` is set if it is not
// DEVICE_DONE; the failure is returned by the next call that waits.
bool host_compute(struct host *host, enum device_end *end);
// Computes effects until no command without a dependence is left.
void host_compute_all(struct host *host);
// Waits until the effects of commands up to this number are computed, in a stream or, for NULL, in
// all. Returns false if the owner gives up. host_is_settled returns true if they are.
bool host_settle(struct host *host, const struct host_stream *stream, uint64_t number);
bool host_is_settled(const struct host *host, const struct host_stream *stream, uint64_t number);
// Called after a posted function has returned, with `host->era` at the time of the call.
void host_called(struct host *host, struct host_command *command, uint64_t era);
// Executes commands after the caller's time, until none is left, or a function was posted. Posted
// functions that have not returned are late: the work of other streams continues. Requires
// a host whose effects are not computed apart. Returns the end like calls that wait; the failure is
// returned by the next of these, too.
enum device_end host_run_ahead(struct host *host);
// Makes a child process usable in which no other thread exists.
void host_forked(struct host *host);

// Advance the caller's time by a number of picoseconds, and by the time for elements of work
// (host.cpu_ns).
void host_pass(struct host *host, uint64_t time);
void host_work(struct host *host, uint64_t elements);
// Restarts the count of the runtime.
void host_mark(struct host *host);
// Returns the time since the last mark.
static inline uint64_t host_runtime(const struct host *host)
{
    return host->now - host->mark;
}

// Adds the counts to the statistics of the machine's total. Called once, at the end.
void host_end(struct host *host);
// Adds the group `host` to the statistics.
void host_stats_add(const struct host_gpu *gpu, struct stats *stats);
// Starts rows for calls, driver, copies and streams in the machine's trace (timed_trace).
void host_trace_begin(struct host *host);
// Writes the first command of each stream with the cause for which it waits, and the commands that
// could change the state of the word for which a request waits. After DEVICE_STUCK, host->why has
// this text.
void host_report(const struct host *host, FILE *to);
