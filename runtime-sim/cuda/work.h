// Works are the commands that the program issues to streams. A capturing stream adds them to its
// graph instead, and a graph issues them again.
#pragma once
#include "runtime-sim/cuda/cuda.h"

enum cuda_work_kind {
    WORK_NOTHING,
    WORK_LAUNCH,
    WORK_COPY,
    WORK_SET,
    WORK_CALL,
    WORK_RECORD, // records an event
    WORK_WAIT,   // waits for an event
    WORK_GRAPH,  // issues the works of another graph
    WORK_CONDITION,
    WORK_WORD,
};

struct cuda_launch {
    struct cuda_function *function;
    struct cuda_gpu *gpu; // current device of the call: that of the stream, or of the graph's node
    uint32_t grid[3], block[3], cluster[3]; // cluster[0] = 0: the kernel's own
    uint64_t shared;
    bool cooperative;
    const uint8_t *parameters;
    uint32_t parameter_bytes;
};

// One side of a copy.
struct cuda_side {
    bool on_device;
    uint64_t address; // if on the device
    uint8_t *host;    // otherwise
    uint64_t pitch, slice;
};

// A copy of rows of `width` bytes.
struct cuda_copy {
    struct cuda_side to, from;
    uint64_t width, height, depth;
    bool waits;   // the call returns when the copy has ended
    uint8_t mark; // trigger and action on full/empty bits: plane_mark
};

struct cuda_set {
    uint64_t to, pitch, slice;
    uint32_t value, element;       // element: bytes of `value`, 1, 2 or 4
    uint64_t width, height, depth; // bytes, rows, slices
};

struct cuda_call {
    void (*function)(void *context); // either this or `callback`
    void (*callback)(void *stream, int status, void *context);
    void *stream, *context;
};

enum cuda_condition_type { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

// Issues graphs as a word in device memory requires.
struct cuda_condition {
    uint64_t handle; // address of the word
    enum cuda_condition_type type;
    uint32_t count;
    struct cuda_graph **graphs;
};

// Waits until a word in memory meets a condition, or writes a word.
struct cuda_word {
    uint64_t address, value;
    uint32_t bytes; // 4 or 8
    bool waits;
    unsigned condition; // enum cuda_word_condition
};

struct cuda_work {
    enum cuda_work_kind kind;
    union {
        struct cuda_launch launch;
        struct cuda_copy copy;
        struct cuda_set set;
        struct cuda_call call;
        struct cuda_event *event;
        struct cuda_graph *graph;
        struct cuda_condition condition;
        struct cuda_word word;
    };
};

// Issues a work to a stream, or adds it to the graph that the stream captures. Pageable host memory
// is copied before this returns. Returns an error.
int work_issue(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work);
// Issues a work of a graph. Returns an error.
int work_run(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work);

// words.c
// Issues a work on a word. Returns an error.
int word_run(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_word *word);

// streams.c
// Returns the stream of a handle, or NULL after setting *error.
struct cuda_stream *stream_of(struct cuda *cuda, void *handle, int *error);
// Returns the event of a handle, or NULL.
struct cuda_event *event_of(struct cuda *cuda, void *handle);

// graphs.c
// Adds a work to the graph that the stream captures. Returns an error.
int graph_capture(struct cuda *cuda, struct cuda_stream *stream, const struct cuda_work *work);
// Adds the allocation of memory that exists already, or with 0 bytes its release, to the graph that
// the stream captures. Returns an error.
int graph_capture_memory(struct cuda *cuda, struct cuda_stream *stream, uint64_t address,
                         uint64_t bytes);
// Issues the works of a graph to a stream, in order. Returns an error.
int graph_run(struct cuda *cuda, const struct cuda_graph *graph, struct cuda_stream *stream);
// Waits for the works issued before, and issues the graphs of a condition. Returns an error.
int graph_run_condition(struct cuda *cuda, const struct cuda_condition *condition,
                        struct cuda_stream *stream);
// Invalidates the capture of a stream because of a call that is not allowed in it. Returns the
// error of that call.
int graph_forbid(struct cuda *cuda, struct cuda_stream *stream);

// launches.c
// A launch as a program describes it. Its parameters are either `parameters`, one pointer for each,
// or one block of bytes at `piece`.
struct launch_source {
    struct cuda_function *function;
    struct cuda_dim3 grid, block, cluster;
    size_t shared;
    void *const *parameters;
    const void *piece;
    size_t piece_bytes;
    bool cooperative;
};

// Builds the work of a launch, with its parameters in `arena`. Returns an error.
int launch_make(struct cuda *cuda, struct arena *arena, const struct launch_source *from,
                struct cuda_work *work);
// Applies a list of launch attributes; those about performance on a GPU have no effect.
void launch_read_attributes(struct launch_source *to, const struct cuda_launch_attribute *list,
                            unsigned count);
// Launches a kernel. Returns an error.
int launch_issue(struct cuda *cuda, const struct launch_source *from, void *stream);
// Store an attribute, or copy its value to `to`: zeros if it was not set. The value has the bytes
// of the union in struct cuda_launch_attribute.
void attribute_set(struct cuda *cuda, struct cuda_attributes *attributes, int id,
                   const void *value);
void attribute_get(const struct cuda_attributes *attributes, int id, void *to);
// Replaces all attributes by those of `from`.
void attributes_copy(struct cuda *cuda, struct cuda_attributes *to,
                     const struct cuda_attributes *from);
