// A decoded call.
#pragma once
#include <stdbool.h>
#include <stdint.h>

// An argument or result of the caller: in its local memory, or in a slot.
struct call_value {
    uint32_t offset; // in the function's part of local memory
    uint32_t bytes;  // 0: an unused result
    uint32_t slot;   // SLOT_NONE: it is in local memory
    uint8_t width;
};

struct warp;
struct path;
struct code;
// Executes a function of the CUDA runtime that has no PTX, for the lanes in `mask`. Returns NULL or
// the error; in the latter case sets `mask` to the lanes from the first failed one on.
struct call;
typedef const char *builtin_fn(struct warp *warp, const struct path *path, const struct call *call,
                               uint32_t *mask);

struct call {
    uint32_t function;   // program function; IR_NONE: given by `handle`
    uint32_t handle;     // slot of the function's handle
    builtin_fn *builtin; // NULL: a PTX function
    uint32_t argument_count, result_count;
    struct call_value *arguments, *results;
};
