// A fuzz target is one function. With -Dfuzz=true libFuzzer calls it; without, replay.c does, on
// the files it is given, on parts and mutations of them, and with memory running out.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Feeds one input to what is tested, and aborts with a message if what must hold does not.
// fail_in: the n-th request of memory fails; 0: none. Returns whether memory ran out.
int fuzz_one(const uint8_t *data, size_t size, long fail_in);
