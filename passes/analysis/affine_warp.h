// Values lane by lane, for what is no sum. A value is what all lanes of a warp have in common, a
// sum of atoms, plus an offset for each lane that is known; without a base, it is known altogether.
// What is not such a value is not known.
//
// As with sums, 32-bit arithmetic is taken not to wrap around where a number is made of it; that is
// recorded in `assumes`.
#pragma once
#include "passes/analysis/affine_internal.h"

// Beside what is assumed: the base may differ from warp to warp in a block, for it has been made of
// offsets, too, or of what a warp has loaded.
enum { WARP_MIXED = 128 };

struct affine_warp_value {
    struct affine base; // its constant is 0
    uint8_t assumes;    // AFFINE_SIGNED | … | WARP_MIXED
    int64_t offset[WARP_LANES];
};

// Where an operation is made: what its result has in common is named after the version.
struct warp_place {
    struct affines *affines;
    uint32_t version;
    unsigned bits;
    bool is_signed; // how its sources are read as numbers
};

enum warp_relation { WARP_EQ, WARP_NE, WARP_LT, WARP_LE, WARP_GT, WARP_GE };

static inline bool warp_is_exact(const struct affine_warp_value *v)
{
    return !v->base.count;
}

static inline uint64_t extended_number(uint64_t value, unsigned bits, bool is_signed)
{
    return (uint64_t)affine_extended((int64_t)value, bits, is_signed);
}

bool warp_is_flat(const struct affine_warp_value *v);
struct affine_warp_value warp_constant(int64_t value);
// Bases last as long as the search for one value. False: there is no room for more.
bool warp_set_base(struct affines *affines, const struct affine_term *terms, uint32_t count,
                   struct affine *to);
// Gives `to` as its base what the lanes have in common of the version: in what zero bits it ends,
// and what it lies between. warp_set_mixed: it follows from the offsets of what it is made of, too.
bool warp_set_common(const struct warp_place *at, unsigned zeros, int64_t least, int64_t most,
                     struct affine_warp_value *to);
bool warp_set_mixed(const struct warp_place *at, unsigned zeros, int64_t least, int64_t most,
                    struct affine_warp_value *to);
// Of a base that has just been made: its zero bits if pointers are aligned.
void warp_align(struct affines *affines, const struct affine_warp_value *v, unsigned aligned);
// With `pointers`: if the pointer in it is aligned as memory is that CUDA allocates.
unsigned warp_zeros(const struct affines *affines, const struct affine *base, bool pointers);

// What follows is false if it is not known; `to` may be a source of sums, products, divisions and
// operations on bits.

// The register's bits as a number.
bool warp_number(const struct affines *affines, struct affine_warp_value *v, unsigned bits,
                 bool is_signed);
bool warp_sum(struct affines *affines, const struct affine_warp_value *x,
              const struct affine_warp_value *y, int64_t factor, struct affine_warp_value *to);
bool warp_product(struct affines *affines, const struct affine_warp_value *x,
                  const struct affine_warp_value *y, struct affine_warp_value *to);
// OP_and, OP_or, OP_xor.
bool warp_logic(const struct warp_place *at, uint16_t op, const struct affine_warp_value *x,
                const struct affine_warp_value *y, struct affine_warp_value *to);
// Of numbers, rounded down; the divisor is positive.
bool warp_quotient(const struct warp_place *at, const struct affine_warp_value *x, int64_t divisor,
                   struct affine_warp_value *to);
bool warp_remainder(const struct warp_place *at, const struct affine_warp_value *x, int64_t divisor,
                    struct affine_warp_value *to);
// Numbers; 1 or 0 for each lane, or something in common.
bool warp_compare(const struct warp_place *at, enum warp_relation relation,
                  const struct affine_warp_value *x, const struct affine_warp_value *y,
                  struct affine_warp_value *to);
bool warp_choose(const struct warp_place *at, const struct affine_warp_value *condition,
                 const struct affine_warp_value *x, const struct affine_warp_value *y,
                 struct affine_warp_value *to);

// Operations on values without a base.
struct operation;
const struct operation *operation_find(const struct affines *affines, uint32_t inst);
unsigned operation_sources(const struct operation *operation);
bool operation_compute(const struct operation *operation, const struct affine_warp_value *sources,
                       unsigned bits, bool is_signed, struct affine_warp_value *to);
// The same of one lane; sources are read from their low bits.
bool operation_compute_number(const struct operation *operation, const uint64_t sources[4],
                              unsigned bits, bool is_signed, uint64_t *to);
