// Conformance of single instructions: thousands of operand tuples through a kernel, against a
// reference in plain C, with every instruction set that this machine has.
//
//     {"mul.hi.s64 %d, %a, %b;", "s64=s64,s64", mul_hi_s64}
//
// The instruction names its operands %d (and %e for a second result), %a, %b, %c, %g. `types` are
// those of the registers: a PTX type without its dot, `pred` for predicates. `extra` operands that
// are immediates stand in the instruction's text.
#pragma once
#include "tests/unit/runtime-sim/kernel.h"

// Tables of cases leave out members.
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

enum { CONFORM_SOURCES = 4, CONFORM_RESULTS = 2, CONFORM_TUPLES = 4096 };

// Computes result bits from source bits; unused high bits are 0.
typedef void conform_reference(const uint64_t *in, uint64_t *out);

enum conform_flag {
    CONFORM_ANY_NAN = 1,   // one NaN is as good as another
    CONFORM_SMALL = 2,     // integer sources: mostly small numbers (shift counts, positions)
    CONFORM_ZERO_SIGN = 4, // +0 and −0 are the same
};

struct conform_case {
    const char *instruction, *types;
    conform_reference *reference;
    uint32_t flags;
    double ulp;      // a floating-point result may be this many units in the last place off,
    double absolute; // or by this much
    const char *version, *target; // NULL: 9.0, sm_90
};

// Runs the cases. Prints the first difference of each, and fails the test if there is one.
void conform(const struct conform_case *cases, size_t count);

static inline void conform_one(const char *instruction, const char *types,
                               conform_reference *reference, uint32_t flags)
{
    conform(&(struct conform_case){instruction, types, reference, flags}, 1);
}

// Returns the next number of splitmix64.
uint64_t conform_random(uint64_t *state);
// Returns bits that are interesting as an integer or a floating-point number of this size, up to
// 64.
uint64_t conform_bits(uint64_t *state, uint32_t bits);
