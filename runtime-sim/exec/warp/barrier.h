// What a barrier instruction says, decoded.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum barrier_reduce { BARRIER_PLAIN, BARRIER_AND, BARRIER_OR, BARRIER_COUNT };

struct barrier_code {
    uint8_t reduce; // barrier_reduce
    bool arrive;    // does not wait
    bool counted;   // how many threads stands in s[1]
};

// path->wait of threads that wait for their cluster: no number of a barrier.
enum { CLUSTER_WAIT = 1 << 17 };

struct cta;
// Opens the barriers that enough threads have come to.
void barrier_check(struct cta *cta);
// The same for the barrier of its cluster.
void cluster_barrier_check(struct cta *cta);
