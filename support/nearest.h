// "Did you mean": the known word nearest to a mistyped one.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct nearest {
    const char *typed;
    size_t length;
    unsigned limit;   // a word must be nearer than this
    const char *best; // NULL until a word is near
    size_t best_length;
};

enum { NEAREST_LONGEST = 32 }; // longer words are never near

// Returns the number of characters to insert, drop, change or swap with a neighbour to get from one
// text to the other; NEAREST_LONGEST if one is too long.
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

// Up to a third of the characters may differ, at least one.
void nearest_init(struct nearest *nearest, const char *typed, size_t length);
// `word` must stay valid while the result is used. Among equally near words the first one is kept.
void nearest_offer(struct nearest *nearest, const char *word, size_t length);
