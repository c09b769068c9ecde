// These functions precede libc's, because ptxoffload-run preloads this library.
#include "cli/cuda/ends.h"
#include "cli/common/interrupt.h"
#include "runtime-sim/cuda/cuda.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default"), noreturn))

enum { PATIENCE = 60 }; // seconds for writing the results after a signal

// The process that has results to write; 0: none. A forked child has none.
static _Atomic pid_t owner;

// Returns true once, in the process that owns the results.
static bool claim(void)
{
    pid_t self = getpid();
    return atomic_compare_exchange_strong(&owner, &self, 0);
}

bool ends_in_child(void)
{
    pid_t of = atomic_load(&owner);
    return of && of != getpid();
}

static void finish(void)
{
    if (claim())
        cuda_end_early(true);
}

void ends_now(int code)
{
    atomic_store(&owner, 0);
    for (;;)
        syscall(SYS_exit_group, code);
}

EXPORT void _exit(int code)
{
    finish();
    ends_now(code);
}

EXPORT void _Exit(int code)
{
    finish();
    ends_now(code);
}

EXPORT void quick_exit(int code)
{
    void (*next)(int);
    *(void **)&next = dlsym(RTLD_NEXT, "quick_exit");
    finish();
    if (next)
        next(code);
    ends_now(code);
}

EXPORT void abort(void)
{
    finish();
    signal(SIGABRT, SIG_DFL);
    raise(SIGABRT);
    ends_now(128 + SIGABRT);
}

// Writes the results. The program may hold locks that they need: then SIGALRM, or a second signal,
// ends the process.
static bool finish_in_signal(void)
{
    pid_t self = getpid();
    alarm(PATIENCE);
    bool ended = atomic_load(&owner) == self && cuda_end_early(false);
    if (ended)
        atomic_store(&owner, 0);
    else
        alarm(0);
    return ended;
}

static void handle_fault(int number)
{
    finish_in_signal();
    raise(number);
}

static struct sigaction deferring; // the previous handler, which defers interrupts

static void handle_interrupt(int number)
{
    if (!finish_in_signal() && deferring.sa_handler != SIG_DFL) {
        deferring.sa_handler(number);
        return;
    }
    raise(number);
}

static void install(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler,
                               .sa_flags = SA_RESETHAND | SA_NODEFER | SA_ONSTACK | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void ends_begin(void)
{
    static const int faults[] = {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP},
                     interrupts[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    struct sigaction before;
    atomic_store(&owner, getpid());
    for (size_t i = 0; i < ARRAY_LENGTH(faults); i++) {
        sigaction(faults[i], NULL, &before);
        if (before.sa_handler == SIG_DFL) // otherwise the program has a handler
            install(faults[i], handle_fault);
    }
    for (size_t i = 0; i < ARRAY_LENGTH(interrupts); i++) {
        sigaction(interrupts[i], NULL, &before);
        if (!interrupt_is_ours(&before))
            continue;
        install(interrupts[i], handle_interrupt);
        deferring = before;
    }
}
