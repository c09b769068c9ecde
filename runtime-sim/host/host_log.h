// Records the commands of a program in the order of its calls, and advises on them: which copies
// may overlap the program's kernels by full/empty bits [001 §5], and how much time this saves
// according to the host's clock. [001] leaves this to the programmer.
#pragma once
#include "runtime-sim/host/host.h"

// The first three kinds are in the order of host_direction.
enum host_note_kind { NOTE_TO_DEVICE, NOTE_TO_HOST, NOTE_WITHIN, NOTE_SET, NOTE_LAUNCH };

struct host_note {
    enum host_note_kind kind;
    uint64_t to, from, bytes;  // device addresses; 0: host memory
    uint32_t function;         // launch: program function
    const uint8_t *parameters; // launch: bytes of the parameters
};

struct host_log {
    VEC(struct host_note) notes;
};

// Records the commands of all later calls.
void host_log_begin(struct host *host);
// Records a command, if host_log_begin was called. Called for each enqueued command.
void host_log_add(struct host *host, const struct device_command *command);
// Writes the advice. A round is a sequence of copies to the device, launches, and copies to the
// host. Consecutive equal rounds are written once. Requires host_log_begin before the first call.
void host_advise(const struct host *host, FILE *to);
