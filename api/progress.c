// Progress and cancellation of launches. With a function for progress, a launch runs on a thread of
// its own, and the caller's thread waits and calls the function.
#include "api/device.h"
#include <errno.h>
#include <signal.h>
#include <time.h>

struct api_runner {
    struct ptxoffload_device *device;
    struct device_result *result;
    bool has_ended, out_of_memory;
    pthread_mutex_t lock; // of `has_ended`
    pthread_cond_t changed;
};

void api_watch_print(void *context, const char *text, size_t length)
{
    struct api_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    watch->print(watch->print_user, text, length);
    pthread_mutex_unlock(&watch->lock);
}

void ptxoffload_cancel(struct ptxoffload_device *device)
{
    if (device)
        atomic_store(&device->watch.cancelled, true);
}

enum ptxoffload_status ptxoffload_set_progress(struct ptxoffload_device *device,
                                               ptxoffload_progress *progress, void *user,
                                               uint32_t milliseconds)
{
    if (!device || device->watch.is_inside || (progress && !milliseconds))
        return PTXOFFLOAD_BAD_ARGUMENT;
    device->watch.progress = progress;
    device->watch.user = user;
    device->watch.milliseconds = milliseconds;
    return PTXOFFLOAD_OK;
}

enum ptxoffload_device_state ptxoffload_device_state(const struct ptxoffload_device *device)
{
    if (!device || device->object.lost)
        return PTXOFFLOAD_DEVICE_LOST;
    if (device->watch.is_inside)
        return PTXOFFLOAD_DEVICE_RUNNING;
    return device_state(&device->device) == DEVICE_FAULTED ? PTXOFFLOAD_DEVICE_FAULTED
                                                           : PTXOFFLOAD_DEVICE_IDLE;
}

// The longjmp of exhausted memory must stay on the thread that allocates.
static void *run(void *context)
{
    struct api_runner *runner = context;
    struct ptxoffload_device *device = runner->device;
    if (setjmp(device->object.memory.on_failure))
        runner->out_of_memory = true;
    else
        device_synchronise(&device->device, runner->result);
    pthread_mutex_lock(&runner->lock);
    runner->has_ended = true;
    pthread_cond_signal(&runner->changed);
    pthread_mutex_unlock(&runner->lock);
    return NULL;
}

// Returns true if the caller's function has cancelled the launch.
static bool report(struct ptxoffload_device *device, const char *kernel)
{
    struct api_watch *watch = &device->watch;
    const struct timed *timed = device->has_time ? &device->timed : NULL;
    const struct launch_counts *counts = &watch->counts;
    struct ptxoffload_progress_info info = {
        .size = sizeof info,
        .kernel = kernel,
        .ctas = atomic_load(timed ? &timed->ctas : &counts->ctas),
        .ended_ctas = atomic_load(timed ? &timed->ctas_done : &counts->ended),
        .cycles = timed ? atomic_load(&timed->cycle) : 0,
        .instructions = timed ? 0 : atomic_load(&counts->instructions),
    };
    pthread_mutex_lock(&watch->lock);
    bool is_cancelled = watch->progress(watch->user, &info) != 0;
    pthread_mutex_unlock(&watch->lock);
    if (is_cancelled)
        atomic_store(&watch->cancelled, true);
    return is_cancelled;
}

static struct timespec after(const struct timespec *time, uint32_t milliseconds)
{
    long nanoseconds = time->tv_nsec + (long)(milliseconds % 1000) * 1000000;
    return (struct timespec){.tv_sec =
                                 time->tv_sec + milliseconds / 1000 + nanoseconds / 1000000000,
                             .tv_nsec = nanoseconds % 1000000000};
}

// Waits for the end of the launch, or for the time of the next call.
static bool wait_for_end(struct api_runner *runner)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until = after(&until, runner->device->watch.milliseconds);
    pthread_mutex_lock(&runner->lock);
    while (!runner->has_ended &&
           pthread_cond_timedwait(&runner->changed, &runner->lock, &until) != ETIMEDOUT)
        ;
    bool has_ended = runner->has_ended;
    pthread_mutex_unlock(&runner->lock);
    return has_ended;
}

// Signals are for the threads of the caller.
static bool start_thread(pthread_t *thread, struct api_runner *runner)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = !pthread_create(thread, NULL, run, runner);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static void begin_runner(struct api_runner *runner)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&runner->changed, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&runner->lock, NULL);
}

static void zero_counts(struct ptxoffload_device *device)
{
    atomic_store(&device->watch.counts.ctas, 0);
    atomic_store(&device->watch.counts.ended, 0);
    atomic_store(&device->watch.counts.instructions, 0);
    atomic_store(&device->timed.ctas, 0);
    atomic_store(&device->timed.ctas_done, 0);
    atomic_store(&device->timed.cycle, 0);
}

bool api_watch_launch(struct ptxoffload_device *device, const char *kernel,
                      struct device_result *result)
{
    struct api_runner runner = {.device = device, .result = result};
    pthread_t thread;
    bool is_cancelled = false;
    device->watch.is_inside = true;
    begin_runner(&runner);
    zero_counts(device);
    if (device->watch.progress && start_thread(&thread, &runner)) {
        while (!wait_for_end(&runner))
            is_cancelled = is_cancelled || report(device, kernel);
        pthread_join(thread, NULL);
    } else {
        run(&runner);
    }
    pthread_cond_destroy(&runner.changed);
    pthread_mutex_destroy(&runner.lock);
    device->watch.is_inside = false;
    if (is_cancelled) // the launch may have ended before
        atomic_store(&device->watch.cancelled, false);
    return !runner.out_of_memory;
}
