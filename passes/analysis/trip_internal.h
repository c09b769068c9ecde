// What a value is while a loop runs, as a sum over what registers hold when control comes to the
// loop from outside. Private to the trip counts.
#pragma once
#include "ir/ir.h"

// How the text of an atom stands for the atom's value.
enum trip_form {
    FORM_SIGNED,   // it is the value, sign-extended from `bits`
    FORM_UNSIGNED, // it is the value, zero-extended
    FORM_LOW,      // its lowest `bits` are those of the value
};

// A value that does not change while the loop runs.
struct trip_atom {
    const char *text; // by the grammar in trip.h
    bool is_sum;      // the text needs parentheses within a product
    uint8_t form, bits;
    uint32_t version; // of a register, else IR_NONE
};

enum { TRIP_TERMS = 6 };

struct trip_term {
    int64_t coefficient;
    struct trip_atom atom;
};

// factor × counter + Σ coefficient × atom + add, modulo 2^bits. A counter that is narrower than
// what it is added to, or extended from a part of its register, is exact only as long as it does
// not wrap around at `narrow` bits.
struct linear {
    bool known;
    uint32_t phi; // the counter: a phi at the loop's header, or IR_NONE
    int64_t factor;
    int64_t add;
    struct trip_term terms[TRIP_TERMS];
    uint32_t count;
    uint8_t bits;
    uint8_t narrow; // 0: as wide as `bits`
    bool narrow_signed;
};

struct tracer {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    uint32_t loop;
    int left; // steps that may still be made
};

// What an operand of so many bits, or a version, is worth in the loop; not `known` if that is not
// a sum of these parts, or would take too long to find out.
struct linear trip_operand(struct tracer *t, uint32_t operand, unsigned bits);
struct linear trip_version(struct tracer *t, uint32_t version, unsigned bits);

// What the counter is when control comes to the loop.
struct linear trip_entering(const struct tracer *t, uint32_t phi, unsigned bits);
// What is known modulo 2^from, extended to a register's bits.
struct linear trip_widened(struct tracer *t, const struct linear *a, unsigned from, bool is_signed,
                           unsigned bits);
// False if it is no integer.
bool trip_immediate(const struct tracer *t, const struct ir_operand *o, unsigned bits,
                    int64_t *value);

// a + factor × b. Not known if there are too many terms, or both have counters.
struct linear linear_sum(const struct linear *a, const struct linear *b, int64_t factor);
bool linear_same(const struct linear *a, const struct linear *b);
static inline bool linear_is_constant(const struct linear *a)
{
    return a->phi == IR_NONE && !a->count;
}

struct linear linear_unknown(void);
struct linear linear_constant(int64_t value, unsigned bits);
struct linear linear_of_atom(struct trip_atom atom, unsigned bits);
struct linear linear_scaled(const struct linear *a, int64_t factor);

// A fixed sum as text: sign- or zero-extended from `bits`. NULL if it is too long.
const char *linear_text(struct arena *arena, const struct linear *sum, unsigned bits,
                        bool is_signed);
// The same, with parentheses where it would need them behind a minus or as a factor.
const char *linear_factor(struct arena *arena, const struct linear *sum, unsigned bits,
                          bool is_signed);
// Atoms as name(a, b) and as a sign b, without text if one of the two has none.
struct trip_atom trip_function(struct arena *arena, enum trip_form form, unsigned bits,
                               const char *name, const char *a, const char *b);
struct trip_atom trip_product(struct arena *arena, enum trip_form form, unsigned bits,
                              const char *sign, const char *a, const char *b);
// A constant's value when it is extended from `bits`.
int64_t trip_extended(int64_t value, unsigned bits, bool is_signed);
