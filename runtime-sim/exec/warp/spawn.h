// Launches by kernels (CUDA's dynamic parallelism). The functions of the device runtime collect the
// commands of threads here; the owner of the device takes them and executes them (device/spawn.h).
//
// A thread asks for a buffer for parameters, writes them, and launches the buffer. Buffers lie in a
// range of addresses of their own, each core in a part of it, so that an address does not depend on
// the order in which cores are evaluated.
#pragma once
#include "runtime-sim/exec/warp/cta.h"
#include "runtime-sim/exec/warp/steps.h"

struct grid_result;

// Streams that are not created: that of the CTA, and those for tail launches and for launches
// without order, as in CUDA.
enum spawn_stream { SPAWN_STREAM_CTA, SPAWN_STREAM_TAIL = 3, SPAWN_STREAM_FREE = 4 };

enum spawn_kind { SPAWN_LAUNCH, SPAWN_COPY, SPAWN_SET, SPAWN_RECORD, SPAWN_WAIT };

// A command of a thread.
struct spawn {
    enum spawn_kind kind;
    const struct launch *parent;
    // Place of the thread, and number of the command among those of its warp, from which the order
    // of commands of the same cycle follows.
    uint32_t cta, warp, number;
    uint64_t stream;                              // handle, or enum spawn_stream
    uint32_t function, grid[3], block[3], shared; // a launch
    const uint8_t *parameters;
    uint64_t to, from, bytes; // a copy or set
    uint8_t value;
    uint64_t event; // to record or wait for
};

struct spawn_buffer {
    struct spawn launch;
    uint64_t address;
};

// Buffers of a core that have not been launched.
struct spawn_core {
    VEC(struct spawn_buffer) buffers; // by their place in the core's addresses
    uint64_t handles;                 // streams and events made so far
};

// The last error of a thread.
struct spawn_error {
    uint32_t launch, cta, thread; // the launch's id
    int error;
};

enum { SPAWN_DEPTH = 24, SPAWN_PENDING = 2048 }; // limits, as in CUDA

// All members are zero at first except the arena and `max_pending`.
struct spawns {
    struct arena *arena;
    uint32_t max_pending; // maximum of `pending`, beyond which launches fail
    uint32_t pending;     // launches that have not begun
    uint32_t number;
    VEC(struct spawn) fresh; // commands that the owner has not taken
    VEC(struct spawn) tails; // tail launches, which an owner without time keeps here
    VEC(struct spawn_core) cores;
    VEC(struct spawn_error) errors;
    // For an owner without time: executes the fresh commands, all of this launch. Returns false,
    // and sets *result, after a fault. NULL: the owner takes the commands when they are made.
    bool (*execute)(void *context, const struct launch *parent, struct grid_result *result);
    void *context;
    const void *failed; // the owner's launch that has failed, or NULL
};

// Returns the function of the device runtime with this name, or NULL.
builtin_fn *spawn_named(const char *name, size_t length);
