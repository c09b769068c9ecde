// The thread that calls functions of the program, and the start and end of threads of ours.
#include "runtime-sim/cuda/executor.h"
#include "runtime-sim/cuda/threads.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

enum { STACK = 8 << 20 };

static void call_one(struct cuda *cuda, const struct cuda_posted *posted)
{
    struct host *host = &cuda->host;
    if (host->era != posted->era)
        return;
    uint32_t depth = threads_depth();
    threads_set_calling(true);
    cuda->executor.is_calling = true;
    if (depth == 1)
        threads_unlock();
    posted->command->command.call(posted->command->command.context);
    if (depth == 1)
        threads_lock();
    threads_set_calling(false);
    cuda->executor.is_calling = false;
    host_called(host, posted->command, posted->era);
    cuda->executor.stalled = 0;
    threads_notify(THREADS_WORK);
}

static void *run_caller(void *context)
{
    struct cuda *cuda = context;
    struct cuda_executor *executor = &cuda->executor;
    threads_set_name(THREADS_OWN "-call");
    threads_lock();
    while (!executor->ends) {
        if (executor->called == executor->posted.n) {
            executor->called = executor->posted.n = 0;
            threads_wait(THREADS_CALL, 0);
            continue;
        }
        struct cuda_posted posted = executor->posted.v[executor->called++];
        call_one(cuda, &posted);
    }
    threads_unlock();
    return NULL;
}

bool executor_start_thread(struct cuda_thread *thread, void *(*run)(void *context),
                           struct cuda *cuda)
{
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
    pthread_attr_t how;
    sigset_t all, before;
    sigfillset(&all); // signals to the process are for the program's threads
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++)
        sigdelset(&all, faults[i]);
    thread->stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (thread->stack == MAP_FAILED)
        return false;
    pthread_attr_init(&how);
    pthread_attr_setstack(&how, thread->stack, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread->exists = !pthread_create(&thread->id, &how, run, cuda);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&how);
    if (!thread->exists)
        munmap(thread->stack, STACK);
    return thread->exists;
}

void executor_join_thread(struct cuda_thread *thread)
{
    if (!thread->exists || pthread_equal(thread->id, pthread_self()))
        return;
    pthread_join(thread->id, NULL);
    munmap(thread->stack, STACK);
    thread->exists = false;
}

void executor_post(void *context, struct host_command *command)
{
    struct cuda *cuda = context;
    struct cuda_executor *executor = &cuda->executor;
    struct cuda_posted posted = {command, cuda->host.era};
    if (!executor->caller.exists && !executor_start_thread(&executor->caller, run_caller, cuda)) {
        call_one(cuda, &posted);
        return;
    }
    vec_push(&cuda->arena, &executor->posted, posted);
    threads_notify(THREADS_CALL);
}
