// Values in a loop as sums over register values at its entry. Internal to the trip counts.
#pragma once
#include "ir/ir.h"

// Relation between the text of an atom and its value.
enum trip_form {
    FORM_SIGNED,   // the value, sign-extended from `bits`
    FORM_UNSIGNED, // the value, zero-extended
    FORM_LOW,      // its lowest `bits` equal those of the value
};

// A loop-invariant value.
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

// factor × counter + Σ coefficient × atom + add, modulo 2^bits. If the counter is narrower than the
// sum, or extended from a part of its register, the sum is exact only if the counter does not wrap
// around at `narrow` bits.
struct linear {
    bool known;
    uint32_t phi; // the counter, a phi at the loop's header; or IR_NONE
    int64_t factor;
    int64_t add;
    struct trip_term terms[TRIP_TERMS];
    uint32_t count;
    uint8_t bits;
    uint8_t narrow; // 0: equal to `bits`
    bool narrow_signed;
};

struct tracer {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    uint32_t loop;
    int left; // remaining steps
};

// Return the value of an operand of this width, or of a version, in the loop. It is not `known` if
// it is not such a sum, or takes too long to compute.
struct linear trip_operand(struct tracer *t, uint32_t operand, unsigned bits);
struct linear trip_version(struct tracer *t, uint32_t version, unsigned bits);

// Returns the value of the counter at the entry of the loop.
struct linear trip_entering(const struct tracer *t, uint32_t phi, unsigned bits);
// Extends a value that is known modulo 2^from to a register's bits.
struct linear trip_widened(struct tracer *t, const struct linear *a, unsigned from, bool is_signed,
                           unsigned bits);
// Reads an immediate. Returns false if it is not an integer.
bool trip_immediate(const struct tracer *t, const struct ir_operand *o, unsigned bits,
                    int64_t *value);

// Computes a + factor × b. The result is not known if it has too many terms, or if both have
// counters.
struct linear linear_sum(const struct linear *a, const struct linear *b, int64_t factor);
// Returns true if both are known to be equal.
bool linear_same(const struct linear *a, const struct linear *b);
static inline bool linear_is_constant(const struct linear *a)
{
    return a->phi == IR_NONE && !a->count;
}

// Return an unknown value, a constant, an atom, and factor × a.
struct linear linear_unknown(void);
struct linear linear_constant(int64_t value, unsigned bits);
struct linear linear_of_atom(struct trip_atom atom, unsigned bits);
struct linear linear_scaled(const struct linear *a, int64_t factor);

// Returns a fixed sum as text, sign- or zero-extended from `bits`, or NULL if it is too long.
const char *linear_text(struct arena *arena, const struct linear *sum, unsigned bits,
                        bool is_signed);
// Returns the text in parentheses if a minus or a product needs them.
const char *linear_factor(struct arena *arena, const struct linear *sum, unsigned bits,
                          bool is_signed);
// Return the atoms name(a, b) and "a sign b", without text if a or b has none.
struct trip_atom trip_function(struct arena *arena, enum trip_form form, unsigned bits,
                               const char *name, const char *a, const char *b);
struct trip_atom trip_product(struct arena *arena, enum trip_form form, unsigned bits,
                              const char *sign, const char *a, const char *b);
// Returns a constant's value, extended from `bits`.
int64_t trip_extended(int64_t value, unsigned bits, bool is_signed);
