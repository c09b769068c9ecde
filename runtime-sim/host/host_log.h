// The commands of a program in the order of its calls, and advice on them: which copies may overlap
// the program's kernels by full/empty bits [001 §5], and what that saves by the times of the host's
// clock. [001] leaves this to the programmer.
#pragma once
#include "runtime-sim/host/host.h"

// The first three are in the order of host_direction.
enum host_note_kind { NOTE_TO_DEVICE, NOTE_TO_HOST, NOTE_WITHIN, NOTE_SET, NOTE_LAUNCH };

struct host_note {
    enum host_note_kind kind;
    uint64_t to, from, bytes;  // of the device
    uint32_t function;         // a program function, of a launch
    const uint8_t *parameters; // bytes, of a launch
};

struct host_log {
    VEC(struct host_note) notes;
};

// Keeps the commands of all later calls.
void host_log_begin(struct host *host);
// Adds a command; called for each that is enqueued.
void host_log_add(struct host *host, const struct device_command *command);
// Writes the advice. A round is a sequence of copies to the device, launches, and copies to the
// host; equal rounds in a row are written once. Requires host_log_begin before the first call.
void host_advise(const struct host *host, FILE *to);
