#include "cli/sim/progress.h"
#include "cli/common/messages.h"
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

static struct progress_reading read_now(const struct sim_progress *progress)
{
    return (struct progress_reading){.seconds = now(),
                                     .cycle = atomic_load(&progress->timed->cycle),
                                     .ctas = atomic_load(&progress->timed->ctas_done)};
}

// Prints CTAs, cycles, cycles per second, and the remaining time of the launch, if CTAs end at the
// rate of the last readings. The rate is unknown if no CTA has ended since the oldest reading.
static void show_timed(struct sim_progress *progress)
{
    struct progress_reading last = read_now(progress);
    const struct progress_reading *first = &progress->readings[progress->read % PROGRESS_READINGS];
    uint64_t ctas = atomic_load(&progress->timed->ctas);
    if (progress->read < PROGRESS_READINGS)
        first = &progress->readings[0];
    if (last.cycle < first->cycle) // a reading of the previous launch
        last = *first;
    double seconds = last.seconds - first->seconds;
    fprintf(stderr, ", %" PRIu64 " of %" PRIu64 " CTAs, cycle %" PRIu64, last.ctas, ctas,
            last.cycle);
    if (seconds > 0)
        fprintf(stderr, ", %.0f cycles/s", (double)(last.cycle - first->cycle) / seconds);
    if (seconds > 0 && last.ctas > first->ctas)
        fprintf(stderr, ", about %.0f s left",
                seconds * (double)(ctas - last.ctas) / (double)(last.ctas - first->ctas));
    progress->readings[progress->read++ % PROGRESS_READINGS] = last;
}

static void show(struct sim_progress *progress)
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
    struct sim_progress *progress = argument;
    struct timespec next;
    pthread_mutex_lock(&progress->lock);
    clock_gettime(CLOCK_REALTIME, &next);
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

void progress_start(struct sim_progress *progress, bool shown)
{
    *progress = (struct sim_progress){.started = now(), .timed = progress->timed};
    pthread_mutex_init(&progress->lock, NULL);
    pthread_cond_init(&progress->changed, NULL);
    progress->running = shown && !pthread_create(&progress->thread, NULL, watch, progress);
}

void progress_launch(void *argument, const char *kernel, uint64_t launch)
{
    struct sim_progress *progress = argument;
    pthread_mutex_lock(&progress->lock);
    progress->kernel = kernel;
    progress->launch = launch;
    progress->readings[0] = (struct progress_reading){.seconds = now()};
    progress->read = 1;
    pthread_mutex_unlock(&progress->lock);
}

void progress_stop(struct sim_progress *progress)
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
