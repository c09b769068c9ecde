#include "runtime-sim/cuda/executor.h"
#include "runtime-sim/cuda/threads.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

enum {
    TICK_US = 1000,   // the program is outside calls if none has come for this time
    IDLE_TICKS = 200, // number of ticks after which the executor sleeps until it is woken
    AWAIT_US = 20000, // maximum time between looks of a waiting thread
};
#define SECOND UINT64_C(1000000000) // in nanoseconds
// With a machine: times after which a program that computes, or that sleeps, is taken to wait.
#define COMPUTES (SECOND / 5)
#define SLEEPS SECOND
#define LATE SECOND            // after which streams do not wait for a function of another
#define SILENCE (5 * SECOND)   // time without progress until it is reported
#define PATIENCE (10 * SECOND) // for functions of the program, at its end
#define GIVES_UP (60 * SECOND) // time without progress until a polling kernel is given up

static bool has_ended(const struct cuda *cuda)
{
    return cuda->status.ended;
}

static bool is_stopped(const struct cuda *cuda)
{
    const atomic_int *stop = cuda->gpus->device ? cuda->gpus->device->stop : NULL;
    return stop && atomic_load(stop);
}

// Ends the process after an interrupt or at a limit, with its results.
static void end_by(struct cuda *cuda, enum device_end end)
{
    const struct device_result result = {.end = end};
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL); // the signal ends the process
    cuda_waited(cuda, end, &result);
}

void executor_check_stop(struct cuda *cuda)
{
    if (threads_depth() == 1 && is_stopped(cuda) && !has_ended(cuda))
        end_by(cuda, DEVICE_STOPPED);
}

// Notes

// Returns the time since a call last found that something has changed. Calls themselves only count
// changes, because they are too frequent to read the time.
static uint64_t time_since_change(struct cuda_executor *executor)
{
    uint64_t now = threads_now();
    if (executor->changes != executor->seen_changes)
        executor->changed = now;
    executor->seen_changes = executor->changes;
    return now - executor->changed;
}

// Returns true if no thread of the program can continue without the work of ours.
static bool is_quiet(struct cuda_executor *executor)
{
    uint64_t before = executor->quiet;
    executor->quiet = threads_quiet();
    return executor->quiet && executor->quiet == before;
}

static void note_call(struct cuda *cuda)
{
    const struct host *host = &cuda->host;
    cuda_complain(cuda, DIAG_NOTE,
                  "nothing has progressed for %u s: a host function of stream %u has not returned, "
                  "and %s waits for it",
                  (unsigned)(SILENCE / SECOND), host->functions.v[0]->stream->number,
                  has_ended(cuda)           ? "the end of the program"
                  : cuda->executor.awaiting ? "a call of CUDA"
                                            : "the program");
}

// Reports once that nothing has changed for some time.
static void note_silence(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    if (!cuda->host.functions.n || executor->noted || !(executor->awaiting || is_quiet(executor)) ||
        time_since_change(executor) < SILENCE)
        return;
    executor->noted = true;
    note_call(cuda);
}

// Callbacks of the host

static bool await(void *context)
{
    struct cuda *cuda = context;
    struct cuda_executor *executor = &cuda->executor;
    struct cuda_gpu *gpu = cuda->gpu;
    jmp_buf own;
    memcpy(own, cuda->memory.on_failure, sizeof own);
    executor->awaiting++;
    threads_wait(THREADS_CHANGE, AWAIT_US);
    note_silence(cuda);
    executor->awaiting--;
    memcpy(cuda->memory.on_failure, own, sizeof own);
    cuda->gpu = gpu;
    if (is_stopped(cuda) && !has_ended(cuda) && !cuda->host.computing)
        end_by(cuda, DEVICE_STOPPED);
    return !has_ended(cuda) || time_since_change(executor) < PATIENCE;
}

static void notify(void *context)
{
    struct cuda *cuda = context;
    cuda->executor.changes++;
    cuda->executor.noted = false;
    threads_notify(THREADS_CHANGE);
}

// Kernels

static void note_polling(struct cuda *cuda, uint64_t since)
{
    struct cuda_executor *executor = &cuda->executor;
    if (executor->polling_noted || threads_now() - since < SILENCE)
        return;
    executor->polling_noted = true;
    cuda_complain(cuda, DIAG_NOTE,
                  "kernel '%s' has polled memory for %u s; no other stream or host thread has "
                  "written what it waits for",
                  executor->kernel, (unsigned)(SILENCE / SECOND));
}

// Lets others change what a kernel polls: first other streams, then the threads of the program.
// Returns false if none can.
static bool wait_for_others(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    struct host *host = &cuda->host;
    enum device_end end;
    if (executor->polling != cuda->gpus->device->launches) {
        executor->polling = cuda->gpus->device->launches;
        executor->polling_since = threads_now();
        executor->polling_noted = executor->polling_quiet = false;
    }
    uint64_t since = executor->polling_since;
    host->busy = false;
    threads_notify(THREADS_CHANGE);
    bool computed = host_compute(host, &end);
    if (!computed)
        threads_wait(THREADS_CHANGE, TICK_US);
    while (host->busy)
        threads_wait(THREADS_CHANGE, TICK_US);
    host->busy = true;
    if (computed)
        return true;
    note_polling(cuda, since);
    bool in_call = executor->awaiting || !executor->is_computing;
    // A thread that claims the host continues as soon as it is scheduled. What a thread has written
    // before it was blocked is polled once more.
    bool quiet = !host->claiming && is_quiet(executor), before = executor->polling_quiet;
    executor->polling_quiet = quiet;
    return !(quiet && before) && !has_ended(cuda) && host->end == DEVICE_DONE &&
           (!in_call || threads_now() - since < GIVES_UP);
}

static bool pause_kernel(void *context, bool stuck)
{
    struct cuda *cuda = context;
    jmp_buf own;
    if (!host_is_apart(&cuda->host) || (!stuck && !threads_are_waiting()))
        return false;
    struct cuda_gpu *gpu = cuda->gpu;
    memcpy(own, cuda->memory.on_failure, sizeof own);
    bool goes_on = true;
    if (stuck)
        goes_on = wait_for_others(cuda);
    else
        threads_yield();
    memcpy(cuda->memory.on_failure, own, sizeof own);
    cuda->gpu = gpu;
    return goes_on;
}

static void begin_kernel(void *context, const char *kernel, uint64_t launch)
{
    struct cuda *cuda = context;
    cuda->executor.kernel = kernel;
    if (cuda->front->progress)
        cuda->front->progress(cuda->front->context, kernel, launch);
}

void executor_pause(struct cuda *cuda)
{
    if (cuda->front->pause)
        cuda->front->pause(cuda->front->context);
}

// The executor

// Returns true if the executor may find something to do without another call of the program.
static bool has_work(const struct cuda *cuda)
{
    return cuda->host.end == DEVICE_DONE && (cuda->host.apart || cuda->host.open);
}

static void check_end(struct cuda *cuda, enum device_end end)
{
    if (end == DEVICE_STOPPED || end == DEVICE_LIMITED)
        end_by(cuda, end);
}

static void compute(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    uint64_t entries = executor->entries;
    enum device_end end;
    executor->is_computing = true;
    while (entries == executor->entries && !has_ended(cuda) && host_compute(&cuda->host, &end)) {
        check_end(cuda, end);
        threads_yield();
    }
    executor->is_computing = false;
    executor_pause(cuda);
}

// Returns true if the program waits: it is blocked, or outside calls for some time.
static bool waits_for_work(struct cuda *cuda)
{
    const struct cuda_executor *executor = &cuda->executor;
    if (is_quiet(&cuda->executor))
        return true;
    return !cuda->gpus->device->planes.initial &&
           (threads_now() > executor->since + SLEEPS ||
            threads_others_time() > executor->since_time + COMPUTES);
}

static void mark_time(struct cuda_executor *executor)
{
    executor->since = threads_now();
    executor->since_time = threads_others_time();
}

static void run_ahead(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    struct host *host = &cuda->host;
    bool is_late = host->functions.n && time_since_change(executor) > LATE;
    if (host->busy || !host->open || executor->stalled == executor->entries ||
        (host->functions.n && !is_late) || !waits_for_work(cuda))
        return;
    uint32_t before = host->open;
    check_end(cuda, host_run_ahead(host));
    executor_pause(cuda);
    mark_time(executor);
    if (host->open == before)
        executor->stalled = executor->entries; // only the program can help
}

// Reports a failure that a blocked program does not see.
static void report_failure(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    struct device_result failure = cuda->host.failure;
    if (!cuda->host.lost || time_since_change(executor) < SILENCE || !is_quiet(executor))
        return;
    cuda_complain(cuda, DIAG_NOTE, "the program waits for work that has failed");
    cuda->host.lost = false;
    cuda_waited(cuda, failure.end, &failure);
}

static void step(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    if (is_stopped(cuda) && !cuda->host.busy)
        end_by(cuda, DEVICE_STOPPED);
    if (executor->entries != executor->seen) {
        executor->seen = executor->entries;
        mark_time(executor);
        return;
    }
    if (threads_are_waiting())
        return; // a call begins
    note_silence(cuda);
    report_failure(cuda);
    if (!has_work(cuda))
        return;
    if (host_is_apart(&cuda->host))
        compute(cuda);
    else
        run_ahead(cuda);
}

static void step_safely(struct cuda *cuda)
{
    if (setjmp(cuda->memory.on_failure))
        cuda_out_of_memory(cuda);
    if (!has_ended(cuda))
        step(cuda);
}

static void *run_executor(void *context)
{
    struct cuda *cuda = context;
    struct cuda_executor *executor = &cuda->executor;
    uint32_t idle = 0;
    threads_set_name(THREADS_OWN);
    threads_lock();
    while (!executor->ends) {
        idle = has_work(cuda) || cuda->host.lost ? 0 : idle + 1;
        executor->asleep = idle > IDLE_TICKS;
        threads_wait(THREADS_WORK, executor->asleep ? 0 : TICK_US);
        executor->asleep = false;
        step_safely(cuda);
    }
    threads_unlock();
    return NULL;
}

void executor_wake(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    if (executor->asleep)
        threads_notify(THREADS_WORK);
    if (!executor->thread.exists && !executor->failed) {
        executor->failed = !executor_start_thread(&executor->thread, run_executor, cuda);
        mark_time(executor);
    }
}

bool executor_settle(struct cuda *cuda, const struct host_stream *stream, uint64_t number)
{
    uint64_t until = threads_now() + SECOND;
    while (!host_is_settled(&cuda->host, stream, number) && threads_now() < until) {
        host_compute_all(&cuda->host);
        if (is_quiet(&cuda->executor) || !await(cuda))
            break;
    }
    return host_is_settled(&cuda->host, stream, number);
}

// A child process has no other thread, and continues with those works that were not begun.

static struct cuda *forking;

static void prepare_fork(void)
{
    threads_lock();
}

static void continue_parent(void)
{
    threads_unlock();
}

static void continue_child(void)
{
    threads_forked();
    host_forked(&forking->host);
    forking->executor = (struct cuda_executor){0};
}

void executor_begin(struct cuda *cuda)
{
    struct host_owner *owner = ARENA_NEW(&cuda->arena, struct host_owner);
    *owner = (struct host_owner){
        .context = cuda, .await = await, .notify = notify, .post = executor_post};
    cuda->host.owner = owner;
    cuda->executor.changed = threads_now();
    for (uint32_t i = 0; i < cuda->gpu_count; i++) {
        struct device *device = cuda->gpus[i].device;
        device->pause = pause_kernel;
        device->progress = begin_kernel;
        device->pause_context = device->progress_context = cuda;
    }
    forking = cuda;
    pthread_atfork(prepare_fork, continue_parent, continue_child);
}

void executor_end(struct cuda *cuda)
{
    cuda->executor.ends = true;
    for (int i = 0; i < THREADS_EVENTS; i++)
        threads_notify((enum threads_event)i);
}

void executor_join(struct cuda *cuda)
{
    struct cuda_executor *executor = &cuda->executor;
    if (!executor->ends || threads_depth() || cuda->host.busy)
        return;
    executor_join_thread(&executor->thread);
    if (!executor->is_calling) // a function may never return
        executor_join_thread(&executor->caller);
}
