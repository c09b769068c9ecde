// A fuzz target is one function. With -Dfuzz=true libFuzzer calls it; without, replay.c does, on
// the files it is given, on parts and mutations of them, and with memory running out.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Of what a target does with an input, a fuzzer asks for one part at a time: more inputs a second.
// The number is taken modulo how many parts there are.
#define FUZZ_ALL UINT32_MAX

struct fuzz_input {
    const uint8_t *data;
    size_t size;
    uint32_t part; // or FUZZ_ALL
    long fail_in;  // the n-th request of memory fails; 0: none
};

// Feeds one input to what is tested, and aborts with a message if what must hold does not. Returns
// whether memory is exhausted.
int fuzz_one(const struct fuzz_input *input);
