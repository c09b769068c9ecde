// A fuzz target is one function. With -Dfuzz=true libFuzzer calls it; otherwise replay.c does, on
// its files, on parts and mutations of them, and with memory running out.
#pragma once
#include <stddef.h>
#include <stdint.h>

// A fuzzer selects one part of a target's work per input, for more inputs per second. The number is
// taken modulo the number of parts.
#define FUZZ_ALL UINT32_MAX

struct fuzz_input {
    const uint8_t *data;
    size_t size;
    uint32_t part; // or FUZZ_ALL
    long fail_in;  // the n-th request of memory fails; 0: none
};

// Tests one input, and aborts with a message if a property does not hold. Returns whether memory is
// exhausted.
int fuzz_one(const struct fuzz_input *input);
