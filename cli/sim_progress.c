#include "cli/sim_progress.h"
#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// CTAs, cycles, cycles in a second, and the time that is left of this launch if the CTAs to come
// take as long as those before.
static void show_timed(const struct progress *progress)
{
    uint64_t cycle = atomic_load(&progress->timed->cycle);
    uint64_t done = atomic_load(&progress->timed->ctas_done);
    uint64_t ctas = atomic_load(&progress->timed->ctas);
    double seconds = now() - progress->launched;
    fprintf(stderr, ", %" PRIu64 " of %" PRIu64 " CTAs, cycle %" PRIu64 ", %.0f cycles/s", done,
            ctas, cycle, seconds > 0 ? (double)cycle / seconds : 0);
    if (done)
        fprintf(stderr, ", about %.0f s left", seconds * (double)(ctas - done) / (double)done);
}

static void show(struct progress *progress)
{
    progress->shown = true;
    fprintf(stderr, "\r\033[Klaunch %" PRIu64 ", %s, %.0f s", progress->launch, progress->kernel,
            now() - progress->started);
    if (progress->timed && atomic_load(&progress->timed->cycle))
        show_timed(progress);
    fflush(stderr);
}

static void *watch(void *argument)
{
    struct progress *progress = argument;
    struct timespec next;
    pthread_mutex_lock(&progress->lock);
    clock_gettime(CLOCK_REALTIME, &next);
    next.tv_sec++;
    while (!progress->stop) {
        next.tv_sec++;
        while (!progress->stop &&
               !pthread_cond_timedwait(&progress->changed, &progress->lock, &next))
            continue;
        if (!progress->stop && progress->kernel)
            show(progress);
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void progress_start(struct progress *progress)
{
    *progress = (struct progress){.started = now(), .timed = progress->timed};
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->changed, NULL);
    progress->running =
        isatty(STDERR_FILENO) && !pthread_create(&progress->thread, NULL, watch, progress);
}

void progress_launch(void *argument, const char *kernel, uint64_t launch)
{
    struct progress *progress = argument;
    pthread_mutex_lock(&progress->lock);
    progress->kernel = kernel;
    progress->launch = launch;
    progress->launched = now();
    pthread_mutex_unlock(&progress->lock);
}

void progress_stop(struct progress *progress)
{
    if (!progress->running)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->stop = true;
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    progress->running = false;
    if (progress->shown)
        fputs("\r\033[K", stderr);
}
