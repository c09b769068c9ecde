#include "cli/sim/progress.h"
#include "cli/common/messages.h"
#include <inttypes.h>
#include <signal.h>
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
    const struct timed *timed = progress->timed;
    const struct launch_counts *counts = &progress->counts;
    bool counts_cycles = timed && atomic_load(&timed->cycle);
    return (struct progress_reading){
        .seconds = now(),
        .done = atomic_load(counts_cycles ? &timed->cycle : &counts->instructions),
        .ctas = atomic_load(counts_cycles ? &timed->ctas_done : &counts->ended)};
}

// Prints CTAs, cycles or instructions, their rate, and the remaining time of the launch, if CTAs
// end at the rate of the last readings. The rate is unknown if no CTA has ended since the oldest
// reading.
static void show_counts(struct sim_progress *progress)
{
    bool counts_cycles = progress->timed && atomic_load(&progress->timed->cycle);
    struct progress_reading last = read_now(progress);
    const struct progress_reading *first = &progress->readings[progress->read % PROGRESS_READINGS];
    uint64_t ctas = atomic_load(counts_cycles ? &progress->timed->ctas : &progress->counts.ctas);
    if (progress->read < PROGRESS_READINGS)
        first = &progress->readings[0];
    if (last.done < first->done) // a reading of the previous launch
        last = *first;
    double seconds = last.seconds - first->seconds;
    fprintf(stderr,
            counts_cycles ? ", %" PRIu64 " of %" PRIu64 " CTAs, cycle %" PRIu64
                          : ", %" PRIu64 " of %" PRIu64 " CTAs, %" PRIu64 " instructions",
            last.ctas, ctas, last.done);
    if (seconds > 0)
        fprintf(stderr, counts_cycles ? ", %.0f cycles/s" : ", %.0f/s",
                (double)(last.done - first->done) / seconds);
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
    if (atomic_load(&progress->counts.instructions) ||
        (progress->timed && atomic_load(&progress->timed->cycle)))
        show_counts(progress);
    fflush(stderr);
}

static void clear(struct sim_progress *progress)
{
    if (progress->shown)
        fputs("\r\033[K", stderr);
    progress->shown = false;
}

static void *watch(void *argument)
{
    struct sim_progress *progress = argument;
    struct timespec next;
    pthread_setname_np(pthread_self(), "ptxoffload"); // not a thread of a CUDA program
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
    if (!shown)
        return;
    sigset_t all, before;
    sigfillset(&all); // they are for the threads of a CUDA program
    pthread_sigmask(SIG_SETMASK, &all, &before);
    progress->running = !pthread_create(&progress->thread, NULL, watch, progress);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void progress_pause(struct sim_progress *progress)
{
    if (!progress->running || !progress->kernel)
        return;
    pthread_mutex_lock(&progress->lock);
    clear(progress);
    progress->kernel = NULL;
    pthread_mutex_unlock(&progress->lock);
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
    clear(progress);
}
