#include "cli/interrupt.h"
#include <signal.h>

// The one thing that a signal handler can reach; written before the handlers are installed.
static const struct outputs *to_remove[2];

static void end(int signal_number)
{
    outputs_remove(to_remove[0]);
    outputs_remove(to_remove[1]);
    // The default action is back in place: this ends the program as the signal would have done.
    raise(signal_number);
}

void interrupt_remove(const struct outputs *outputs, const struct outputs *others)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU};
    to_remove[0] = outputs;
    to_remove[1] = others;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before,
            action = {.sa_handler = end, .sa_flags = SA_RESETHAND | SA_NODEFER};
        sigfillset(&action.sa_mask);
        sigdelset(&action.sa_mask, signals[i]);
        // Who started the program under nohup wants a hang-up to be ignored.
        if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
    // Beyond `ulimit -f` a write then fails with a reason, as on a full disk.
    signal(SIGXFSZ, SIG_IGN);
}
