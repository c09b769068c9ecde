// Lane values of versions that are not sums. A value is a base, a sum of atoms that all lanes of a
// warp share, plus a known offset for each lane. Without a base it is fully known. All other values
// are unknown.
//
// As with sums, 32-bit arithmetic is assumed not to wrap around if its result is used as a number;
// `assumes` records this.
#pragma once
#include "passes/analysis/affine/affine_internal.h"

// In addition to the assumptions: the base may differ from warp to warp in a block, because it
// depends on offsets, or on loads of a warp.
enum { WARP_MIXED = 128 };

struct affine_warp_value {
    struct affine base; // its constant is 0
    uint8_t assumes;    // AFFINE_SIGNED | … | WARP_MIXED
    int64_t offset[WARP_LANES];
};

// Place of an operation. The shared part of its result is named after the version.
struct warp_operation {
    struct affines *affines;
    uint32_t version;
    unsigned bits;
    bool is_signed; // interpretation of its sources
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

// Returns true if the offset is equal in all lanes.
bool warp_is_flat(const struct affine_warp_value *v);
// Returns a known value that is equal in all lanes.
struct affine_warp_value warp_constant(int64_t value);
// Allocates a base, valid for the evaluation of one value. Returns false if no room is left.
bool warp_set_base(struct affines *affines, const struct affine_term *terms, uint32_t count,
                   struct affine *to);
// Sets the base of `to` to the shared part of the version, with its zero bits and its range.
// warp_set_mixed: the base also depends on the offsets of its operands.
bool warp_set_common(const struct warp_operation *at, unsigned zeros, int64_t min, int64_t max,
                     struct affine_warp_value *to);
bool warp_set_mixed(const struct warp_operation *at, unsigned zeros, int64_t min, int64_t max,
                    struct affine_warp_value *to);
// Sets the zero bits of a new base for aligned pointers.
void warp_align(struct affines *affines, const struct affine_warp_value *v, unsigned aligned);
// Returns the number of low zero bits of a base. `pointers`: assumes that its pointer is aligned as
// CUDA's allocator aligns memory.
unsigned warp_zeros(const struct affines *affines, const struct affine *base, bool pointers);

// The following functions return false if the result is unknown. `to` may be a source of sums,
// products, divisions and operations on bits.

// Interprets the register's bits as a number.
bool warp_number(const struct affines *affines, struct affine_warp_value *v, unsigned bits,
                 bool is_signed);
// Computes x + factor × y.
bool warp_sum(struct affines *affines, const struct affine_warp_value *x,
              const struct affine_warp_value *y, int64_t factor, struct affine_warp_value *to);
// Computes x × y.
bool warp_product(struct affines *affines, const struct affine_warp_value *x,
                  const struct affine_warp_value *y, struct affine_warp_value *to);
// Computes OP_and, OP_or or OP_xor.
bool warp_logic(const struct warp_operation *at, uint16_t op, const struct affine_warp_value *x,
                const struct affine_warp_value *y, struct affine_warp_value *to);
// Divides numbers, rounding down. Requires a positive divisor.
bool warp_quotient(const struct warp_operation *at, const struct affine_warp_value *x,
                   int64_t divisor, struct affine_warp_value *to);
bool warp_remainder(const struct warp_operation *at, const struct affine_warp_value *x,
                    int64_t divisor, struct affine_warp_value *to);
// Compares numbers. The result is 1 or 0 for each lane, or a shared part.
bool warp_compare(const struct warp_operation *at, enum warp_relation relation,
                  const struct affine_warp_value *x, const struct affine_warp_value *y,
                  struct affine_warp_value *to);
// Selects x in lanes in which the condition is 1, else y.
bool warp_choose(const struct warp_operation *at, const struct affine_warp_value *condition,
                 const struct affine_warp_value *x, const struct affine_warp_value *y,
                 struct affine_warp_value *to);

// Operations on values without a base. Returns the operation of an instruction, or NULL.
struct operation;
const struct operation *operation_find(const struct affines *affines, uint32_t inst);
// Returns the number of sources.
unsigned operation_sources(const struct operation *operation);
// Computes all lanes. Returns false if a result is unknown.
bool operation_compute(const struct operation *operation, const struct affine_warp_value *sources,
                       unsigned bits, bool is_signed, struct affine_warp_value *to);
// Computes one lane; the sources are in the low bits.
bool operation_compute_number(const struct operation *operation, const uint64_t sources[4],
                              unsigned bits, bool is_signed, uint64_t *to);
