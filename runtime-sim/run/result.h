// The results of a run as JSON.
#pragma once
#include "runtime-sim/device/timed.h"
#include "runtime-sim/run/listing.h"
#include "runtime-sim/run/session.h"

// Resource use of the process: CPU time of all threads and peak resident memory.
struct result_host {
    double cpu_seconds;
    uint64_t peak_rss_bytes;
};

struct result {
    const struct session *session;
    const struct timed *timed;          // NULL: functional only
    const struct site_listing *listing; // counts by instruction; NULL: none
    const char *run_file;               // NULL: the run is described on the command line
    enum session_outcome outcome;
    int exit_code;
    struct result_host host;
};

// Returns the resource use of the process so far.
struct result_host result_host_now(void);
// Returns the word for an outcome of a timed or functional run.
const char *result_outcome(enum session_outcome outcome, bool timed);
// Writes the JSON document of the results.
void result_write(const struct result *result, FILE *to);
