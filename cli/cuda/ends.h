// Ends of the process without destructors: _exit, _Exit, quick_exit, abort, and signals that the
// program does not handle. The results are written first. Within a call of the library, or while
// its executor runs a kernel, an interrupt takes effect at the next cycle or turn of the kernel,
// and another signal ends the process. After a signal, issued works are not executed any more.
#pragma once
#include <stdbool.h>

// Makes such an end of this process write the results. Requires interrupt_remove.
void ends_begin(void);
// Returns true in a child that was forked from the process with the results.
bool ends_in_child(void);
// Ends the process without results.
void ends_now(int code) __attribute__((noreturn));
