// Finds the known word nearest to a mistyped one, for "did you mean".
#pragma once
#include <stdbool.h>
#include <stddef.h>

struct nearest {
    const char *typed;
    size_t length;
    unsigned limit;   // distances must be below this
    const char *best; // NULL: no word is near yet
    size_t best_length;
};

enum { NEAREST_LONGEST = 32 }; // longer words are never near

// Returns the edit distance of two texts: insertions, deletions, substitutions and swaps of
// neighbours. NEAREST_LONGEST if one of them is too long.
unsigned nearest_distance(const char *a, size_t a_length, const char *b, size_t b_length);

// Starts a search. Up to a third of the characters may differ, at least one.
void nearest_init(struct nearest *nearest, const char *typed, size_t length);
// Considers a word, which must stay valid while the result is used. Among equally near words the
// first is kept.
void nearest_offer(struct nearest *nearest, const char *word, size_t length);
