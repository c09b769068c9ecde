// "Did you mean": which of the known words a mistyped one is nearest to.
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct nearest {
    const char *typed;
    size_t length;
    unsigned limit;   // a word must be nearer than this
    const char *best; // NULL while there is none
    size_t best_length;
};

enum { NEAREST_LONGEST = 32 }; // longer words have no neighbours

// Letters to insert, drop, change or swap with a neighbour to get from one text to the other;
// NEAREST_LONGEST if one is too long to say.
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

// Up to a third of the letters may be wrong, one at least.
void nearest_init(struct nearest *nearest, const char *typed, size_t length);
// `word` must live as long as the answer is used. Of several equally near the first one stays.
void nearest_offer(struct nearest *nearest, const char *word, size_t length);
