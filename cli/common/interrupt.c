#include "cli/common/interrupt.h"
#include <stdio.h>

// All that a signal handler can access. The first two are set before the handlers are installed.
static const struct outputs *_Atomic to_remove[3];
static _Atomic(atomic_int *) deferred;

static void end(int signal_number);

static void install(int signal_number)
{
    struct sigaction action = {.sa_handler = end,
                               .sa_flags = SA_RESETHAND | SA_NODEFER | SA_RESTART};
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, signal_number);
    sigaction(signal_number, &action, NULL);
}

static bool may_wait(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP ||
           signal_number == SIGXCPU;
}

static void end(int signal_number)
{
    atomic_int *stop = may_wait(signal_number) ? atomic_exchange(&deferred, NULL) : NULL;
    if (stop) {
        install(signal_number);
        atomic_store(stop, signal_number);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(to_remove); i++) {
        const struct outputs *outputs = to_remove[i];
        if (outputs)
            outputs_remove(outputs);
    }
    // The default action is restored, so this ends the program as the signal would have done.
    raise(signal_number);
}

static bool is_default(int signal_number)
{
    struct sigaction before;
    return !sigaction(signal_number, NULL, &before) && before.sa_handler == SIG_DFL;
}

void interrupt_remove(const struct outputs *outputs, const struct outputs *others)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    to_remove[0] = outputs;
    to_remove[1] = others;
    for (size_t i = 0; i < ARRAY_LENGTH(signals); i++) {
        // Under nohup, SIGHUP must stay ignored; a CUDA program may have a handler of its own.
        if (is_default(signals[i]))
            install(signals[i]);
    }
    // With SIGXFSZ ignored, a write beyond `ulimit -f` fails with an error, as on a full disk.
    if (is_default(SIGXFSZ))
        signal(SIGXFSZ, SIG_IGN);
}

bool interrupt_is_ours(const struct sigaction *action)
{
    return action->sa_handler == end;
}

void interrupt_remove_too(const struct outputs *outputs)
{
    to_remove[2] = outputs;
}

void interrupt_defer(atomic_int *stop)
{
    atomic_store(&deferred, stop);
}

void interrupt_end(int signal_number)
{
    fflush(stdout);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}
