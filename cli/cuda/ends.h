// Ends of the process without destructors: _exit, _Exit, quick_exit, abort, and signals that the
// program does not handle. The results are written first, except within a call of the library:
// there an interrupt takes effect after the kernel's cycle, and another signal ends the process.
#pragma once
#include <stdbool.h>

// Makes such an end of this process write the results.
void ends_begin(void);
// Returns true in a child that was forked from the process with the results.
bool ends_in_child(void);
// Ends the process without results.
void ends_now(int code) __attribute__((noreturn));
