// Between the files of the generator.
#pragma once
#include "tests/isa/generate.h"

enum { MAX_WORDS = FORM_MODIFIERS };

struct maker {
    struct arena *arena;
    struct forms *forms;
    const struct form *form;
    uint32_t row;
    sample_sink *sink;
    void *to;
    int8_t choice[FORM_MODIFIERS]; // word of each slot, −1: left out
    // Variation of the operands.
    bool all_optional, immediates, sinks;
    int changed; // this operand is `replacement`, −1: none
    const char *replacement;
    int dropped;            // this operand is left out, −1: none
    const char *added;      // a further operand
    const char *extra_word; // behind the modifiers
    int dropped_slot;
    int swapped; // this modifier and the one behind it have changed places, −1: none
};

// Chooses the first word of each slot that must be filled.
void maker_first(struct maker *m);
// Writes the chosen words to `mods`; returns their number.
uint32_t maker_words(const struct maker *m, uint16_t *mods);
// Returns the match of the chosen words with the maker's own form, or NULL.
const struct form_match *maker_match(const struct maker *m, const uint16_t *mods, uint32_t count);
// Returns the text of a scalar operand, or of one element.
const char *maker_value(struct maker *m, const struct form_match *match,
                        const struct form_operand *spec, uint32_t number);
// Sends the instruction as chosen, for the oldest module that has what its words need.
void maker_send(struct maker *m);

// Puts each kind of operand expression at each operand.
void change_values(struct maker *m);
