#include "runtime-sim/cuda/threads.h"
#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The lock of the process, as the interface of CUDA has no context argument.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t events[THREADS_EVENTS] = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER,
                                                PTHREAD_COND_INITIALIZER};
static atomic_uint waiting; // threads that wait for the lock
static __thread uint32_t depth;
static __thread bool calling;

// The depth is set first: an interrupt then finds the thread inside a call.
void threads_lock(void)
{
    if (depth++)
        return;
    if (!pthread_mutex_trylock(&lock))
        return;
    atomic_fetch_add(&waiting, 1);
    pthread_mutex_lock(&lock);
    atomic_fetch_sub(&waiting, 1);
}

bool threads_try_lock(void)
{
    if (!depth && pthread_mutex_trylock(&lock))
        return false;
    depth++;
    return true;
}

void threads_unlock(void)
{
    if (depth == 1)
        pthread_mutex_unlock(&lock);
    depth--;
}

uint32_t threads_depth(void)
{
    return depth;
}

bool threads_are_waiting(void)
{
    return atomic_load_explicit(&waiting, memory_order_relaxed);
}

void threads_yield(void)
{
    const struct timespec moment = {.tv_nsec = 20000};
    if (!threads_are_waiting())
        return;
    pthread_mutex_unlock(&lock);
    while (atomic_load(&waiting))
        nanosleep(&moment, NULL);
    pthread_mutex_lock(&lock);
}

// Threads that wait for one of ours.
static pid_t waits[64];
static uint32_t wait_count;

static pid_t own_id(void)
{
    return (pid_t)syscall(SYS_gettid);
}

static bool is_waiting(pid_t id)
{
    for (uint32_t i = 0; i < wait_count; i++)
        if (waits[i] == id)
            return true;
    return false;
}

static void add_wait(pid_t id)
{
    if (wait_count < sizeof waits / sizeof *waits)
        waits[wait_count++] = id;
}

static void remove_wait(pid_t id)
{
    for (uint32_t i = 0; i < wait_count; i++)
        if (waits[i] == id)
            waits[i--] = waits[--wait_count];
}

static int wait_until(enum threads_event event, uint64_t microseconds)
{
    struct timespec until;
    if (!microseconds)
        return pthread_cond_wait(&events[event], &lock);
    clock_gettime(CLOCK_REALTIME, &until);
    uint64_t end = (uint64_t)until.tv_nsec + microseconds * 1000;
    until.tv_sec += (time_t)(end / 1000000000);
    until.tv_nsec = (long)(end % 1000000000);
    return pthread_cond_timedwait(&events[event], &lock, &until);
}

bool threads_wait(enum threads_event event, uint64_t microseconds)
{
    add_wait(own_id());
    int error = wait_until(event, microseconds);
    remove_wait(own_id());
    return !error;
}

void threads_notify(enum threads_event event)
{
    pthread_cond_broadcast(&events[event]);
}

void threads_set_calling(bool on)
{
    calling = on;
}

bool threads_is_calling(void)
{
    return calling;
}

void threads_set_name(const char *name)
{
    pthread_setname_np(pthread_self(), name);
}

void threads_forked(void)
{
    static const pthread_mutex_t free_lock = PTHREAD_MUTEX_INITIALIZER;
    static const pthread_cond_t no_waiter = PTHREAD_COND_INITIALIZER;
    memcpy(&lock, &free_lock, sizeof lock);
    for (int i = 0; i < THREADS_EVENTS; i++)
        memcpy(&events[i], &no_waiter, sizeof no_waiter);
    atomic_store(&waiting, 0);
    wait_count = 0;
    depth = 0;
}

// Time

static uint64_t time_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t threads_now(void)
{
    return time_of(CLOCK_MONOTONIC);
}

uint64_t threads_others_time(void)
{
    return time_of(CLOCK_PROCESS_CPUTIME_ID) - time_of(CLOCK_THREAD_CPUTIME_ID);
}

// Other threads, as the system shows them

static bool read_task(const char *id, const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.16s/%s", id, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
    if (file >= 0)
        close(file);
    text[length < 0 ? 0 : length] = 0;
    return length > 0;
}

// Returns true if the system call waits for another thread, without a limit of time. `text` has its
// number and arguments.
static bool is_endless(const char *text)
{
    long number;
    unsigned long words[4];
    if (sscanf(text, "%ld %lx %lx %lx %lx", &number, &words[0], &words[1], &words[2], &words[3]) !=
        5)
        return false; // "running"
    unsigned long operation = words[1] & FUTEX_CMD_MASK;
#ifdef SYS_pause
    if (number == SYS_pause)
        return true;
#endif
    if (number == SYS_rt_sigsuspend || (number == SYS_ppoll && !words[1] && !words[2]))
        return true;
    return number == SYS_futex && !words[3] &&
           (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET ||
            operation == FUTEX_LOCK_PI);
}

static uint64_t mix(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

uint64_t threads_quiet(void)
{
    uint64_t hash = 14695981039346656037u;
    char text[256];
    pid_t self = own_id();
    if (threads_are_waiting())
        return 0; // they continue when they get the lock
    DIR *tasks = opendir("/proc/self/task");
    const struct dirent *task;
    while (tasks && hash && (task = readdir(tasks))) {
        const char *id = task->d_name;
        pid_t number = atoi(id);
        if (!number || number == self || is_waiting(number) ||
            (read_task(id, "comm", text, sizeof text) && !strcmp(text, THREADS_OWN "\n")))
            continue;
        bool endless = read_task(id, "syscall", text, sizeof text) && is_endless(text);
        // The times that it has run and waited, and the number of times that it was scheduled.
        endless = endless && read_task(id, "schedstat", text, sizeof text);
        hash = endless ? mix(mix(hash, id), text) : 0;
    }
    if (tasks)
        closedir(tasks);
    return tasks ? hash : 0;
}
