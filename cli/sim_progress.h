// On a terminal, what a long run is doing: one line that is written over.
#pragma once
#include "runtime-sim/run/timed.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool running;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool stop, shown;
    double started;
    const char *kernel; // that runs
    uint64_t launch;
    double launched;
    const struct timed *timed; // says how far the launch is; NULL: nobody does
};

// Does nothing unless standard error is a terminal. Nothing is shown in the first seconds.
void progress_start(struct progress *progress);
// The next launch.
void progress_launch(void *progress, const char *kernel, uint64_t launch);
// Clears the line; to be called before anything else is written.
void progress_stop(struct progress *progress);
