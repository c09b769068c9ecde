// A decoded barrier instruction.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum barrier_reduce { BARRIER_PLAIN, BARRIER_AND, BARRIER_OR, BARRIER_COUNT };

struct barrier_code {
    uint8_t reduce; // barrier_reduce
    bool arrive;    // does not wait
    bool counted;   // s[1] has the number of threads
};

// path->wait of threads that wait for their cluster; not a barrier number.
enum { CLUSTER_WAIT = 1 << 17 };

struct cta;
// Completes the barriers at which enough threads have arrived.
void barrier_check(struct cta *cta);
// Removes all arrivals.
void barrier_clear(struct cta *cta);
// Completes the barrier of the CTA's cluster if all its threads have arrived.
void cluster_barrier_check(struct cta *cta);
