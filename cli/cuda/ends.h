// Ends of the process that run no destructors: _exit, _Exit, quick_exit, abort, and signals that
// the program does not handle. The results are written first. Not within a call of the library,
// where an interrupt lets the kernel's cycle end, and another signal ends the process.
#pragma once
#include <stdbool.h>

// Writes results at such an end of this process from now on.
void ends_begin(void);
// Returns true in a child that was forked from the process with the results.
bool ends_in_child(void);
// Ends the process without results.
void ends_now(int code) __attribute__((noreturn));
