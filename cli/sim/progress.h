// The progress of a long run on a terminal: one line that is overwritten.
#pragma once
#include "runtime-sim/device/timed.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// The progress of a launch at one time. `done` counts cycles, or warp instructions of a launch
// without time.
struct progress_reading {
    double seconds;
    uint64_t done, ctas;
};

enum { PROGRESS_READINGS = 8 }; // one per second

struct sim_progress {
    bool running;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, shown;
    double started;
    const char *kernel; // the running kernel
    uint64_t launch;
    struct progress_reading readings[PROGRESS_READINGS]; // a ring buffer; first the launch's start
    uint32_t read;                                       // number of readings
    const struct timed *timed; // progress of the launch; NULL: a functional run
    struct launch_counts counts;
};

// Starts the progress line, which is written each second, from second 1 on. Has no effect unless
// `shown`, the result of messages_progress.
void progress_start(struct sim_progress *progress, bool shown);
// Begins the next launch.
void progress_launch(void *progress, const char *kernel, uint64_t launch);
// Clears the line until the next launch, which may be called from any thread.
void progress_pause(struct sim_progress *progress);
// Clears the line and ends the progress. Call it before other output.
void progress_stop(struct sim_progress *progress);
