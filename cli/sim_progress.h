// On a terminal, what a long run is doing: one line that is written over.
#pragma once
#include "runtime-sim/device/timed.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

// How far a launch was at a time.
struct progress_reading {
    double seconds;
    uint64_t cycle, ctas;
};

enum { PROGRESS_READINGS = 8 }; // one a second

struct sim_progress {
    bool running;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, shown;
    double started;
    const char *kernel; // that runs
    uint64_t launch;
    struct progress_reading readings[PROGRESS_READINGS]; // a ring; the launch's start first
    uint32_t read;                                       // that were made
    const struct timed *timed; // says how far the launch is; NULL: nobody does
};

// Does nothing unless standard error is a terminal that can erase a line. The line is written each
// second, from second 1 on.
void progress_start(struct sim_progress *progress);
// The next launch.
void progress_launch(void *progress, const char *kernel, uint64_t launch);
// Clears the line; to be called before anything else is written.
void progress_stop(struct sim_progress *progress);
