// A fixed piece of work, for comparing times of different hosts and moments: prints the CPU seconds
// of a loop that computes, follows pointers in 4 MB, and copies 4 MB. It is no part of what is
// measured and never changes: stored ratios hold only for this loop.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WORDS = 1 << 20, HOPS = 1 << 19, ROUNDS = 1 << 27, COPIES = 16 };

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

// One cycle through all words, in an order that no prefetcher finds.
static void link_words(uint32_t *next)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < WORDS; i++)
        next[i] = i;
    for (uint32_t i = WORDS - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t other = (uint32_t)((state >> 33) % i), kept = next[i];
        next[i] = next[other];
        next[other] = kept;
    }
}

int main(void)
{
    uint32_t *next = malloc(WORDS * sizeof *next), *copy = malloc(WORDS * sizeof *next);
    if (!next || !copy)
        return 1;
    link_words(next);
    double begun = cpu_seconds();
    uint64_t value = 1;
    uint32_t at = 0;
    for (uint32_t i = 0; i < ROUNDS; i++)
        value = (value ^ value >> 29) * UINT64_C(0x9e3779b97f4a7c15) + i;
    for (uint32_t i = 0; i < HOPS; i++)
        at = next[at];
    for (uint32_t i = 0; i < COPIES; i++) {
        memcpy(copy, next, WORDS * sizeof *next);
        next[i] ^= copy[(i * 77) % WORDS] & 0;
    }
    double seconds = cpu_seconds() - begun;
    printf("%.6f %llu\n", seconds, (unsigned long long)value + at);
    free(next);
    free(copy);
    return 0;
}
