// The results of a run as JSON.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/session.h"

// The process: CPU seconds of all its threads, most memory that it had resident.
struct result_host {
    double cpu_seconds;
    uint64_t peak_rss_bytes;
};

struct result {
    const struct session *session;
    const struct timed *timed; // NULL: values only
    const char *run_file;      // NULL: the run is described on the command line
    enum session_outcome outcome;
    int exit_code;
    struct result_host host;
};

struct result_host result_host_now(void);
// Returns the word for an outcome of a run with or without time.
const char *result_outcome(enum session_outcome outcome, bool timed);
void result_write(const struct result *result, FILE *to);
