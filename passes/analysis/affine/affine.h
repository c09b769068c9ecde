// Integers and addresses as sums: constant + Σ coefficient × product of up to three atoms.
//
//   4*%tid.x + 4*%ntid.x*%ctaid.x + [out] + 16
//
// An atom is a value that the analysis does not expand: a special register, a kernel parameter, the
// address of a variable, the number of a loop's iteration (0, 1, 2 …), or an SSA version.
//
// An expression describes a value at one moment. Two expressions may be compared or subtracted only
// if they belong to the same iteration of all loops around both instructions. After a loop, its
// iteration number is that of its last iteration.
//
// Expressions are mathematical integers. The value in the register equals the expression modulo
// 2^exact_bits. The higher bits are equal if the assumptions in `assumes` hold.
#pragma once
#include "passes/analysis/divergence/divergence.h"

enum affine_kind {
    AFFINE_SPECIAL,   // index: isa_special; member: W_x …
    AFFINE_PARAMETER, // index: symbol of a kernel parameter; the value at `offset` bytes in it
    AFFINE_SYMBOL,    // index: symbol (variable, shared or local array, parameter); its address
    AFFINE_ITERATION, // index: loop
    AFFINE_VERSION,   // index: SSA version
    AFFINE_COMMON,    // the part of a version's value that all lanes of a warp share; never in an
                      // address
};

struct affine_atom {
    uint8_t kind;
    uint8_t bits;     // of the register or parameter; 64 for iterations and addresses
    bool is_unsigned; // the bits are read as an unsigned number
    bool varies;      // between the active lanes of a warp at its definition; see affine_uniform
    uint8_t zeros;    // number of its lowest bits that are 0
    uint8_t aligned;  // AFFINE_COMMON: `zeros` if pointers are aligned to 256 bytes
    uint16_t member;
    uint32_t index;
    int64_t offset;   // AFFINE_PARAMETER
    int64_t min, max; // range of its value
};

enum { AFFINE_FACTORS = 3 };

struct affine_term {
    int64_t coefficient;           // not 0
    uint32_t atom[AFFINE_FACTORS]; // ascending, then IR_NONE
};

enum affine_assumption {
    AFFINE_SIGNED = 1,   // signed 32-bit (16-bit) arithmetic does not wrap around before widening
    AFFINE_UNSIGNED = 2, // nor do unsigned sums of non-negative terms
};

struct affine {
    int64_t constant;
    const struct affine_term *terms; // ascending by atoms, which differ
    uint32_t count;
    uint8_t exact_bits; // 64: no assumption
    uint8_t assumes;    // AFFINE_SIGNED | …
};

struct affines;

// Creates the analysis of a function. Each value is computed once, on request. `shape` bounds %tid
// and %ntid.
struct affines *affines_new(struct arena *arena, const struct ir_module *module,
                            const struct ir_function *fn, const struct divergence *divergence,
                            struct block_shape shape);

// Returns the expression of a version of an integer or untyped register; the version itself, as an
// atom, if it cannot be expanded.
struct affine affine_of_version(struct affines *affines, uint32_t version);
// Computes the expression of a register, immediate, special register or symbol; for a register in
// an address without its constant offset. Returns false for other operands, and for special
// registers that may change between reads.
bool affine_of_operand(struct affines *affines, uint32_t operand, struct affine *to);
// Computes the address of a load, store or atomic, including its constant offset. Returns false for
// other instructions and for those without an address.
bool affine_of_address(struct affines *affines, uint32_t inst, struct affine *address);

// Returns an atom by its number. Valid until the next value is requested.
const struct affine_atom *affine_atom(const struct affines *affines, uint32_t atom);

// Computes a - b. Returns false if the result has too many terms. With exact_bits less
// than 64, the result is certain modulo 2^exact_bits only.
bool affine_difference(struct affines *affines, const struct affine *a, const struct affine *b,
                       struct affine *to);
static inline bool affine_is_constant(const struct affine *a)
{
    return !a->count;
}
// Computes the minimum and the maximum from the ranges of the atoms; INT64_MIN and INT64_MAX mean
// unbounded.
void affine_range(const struct affines *affines, const struct affine *a, int64_t *min,
                  int64_t *max);

// Returns true if accesses of these sizes at a and at b have no byte in common, for all values of
// the atoms and without assumptions: by the range of a - b, or by a divisor of its terms.
bool affine_apart(const struct affines *affines, const struct affine *a, uint32_t a_bytes,
                  const struct affine *b, uint32_t b_bytes);
// Returns the pointer-wide atom (parameter, variable or version) to which the address is an offset,
// or IR_NONE if no atom or several atoms qualify.
uint32_t affine_base(const struct affines *affines, const struct affine *address);

// Computes the change of the expression per step of the atom: the sum of the terms with the atom,
// without it. Returns false if the atom is a factor more than once.
bool affine_step(struct affines *affines, const struct affine *a, uint32_t atom,
                 struct affine *step);
// Returns true if no atom of the expression changes while the loop runs.
bool affine_invariant(const struct affines *affines, const struct affine *a, uint32_t loop);
// Returns true if the value is equal in all lanes of a warp that are active in this basic block.
bool affine_uniform(const struct affines *affines, const struct affine *a, uint32_t block);

// Distances between the lanes of a warp.
struct affine_lanes {
    bool known;
    bool same_in_all_warps;     // else `offset` holds for the requested warp only
    uint32_t because;           // not known: an atom with unknown differences
    int64_t offset[WARP_LANES]; // value of each lane minus that of lane 0
    uint32_t active;            // bit per lane that exists; the last warp of a block may be short
    uint8_t assumes;            // AFFINE_SIGNED | …, in addition to those of the expression
};

// Returns the distances in the warp with this number in its block, for a value that is read in this
// basic block.
struct affine_lanes affine_lanes(struct affines *affines, const struct affine *a, uint32_t block,
                                 uint32_t warp);

// An atom's value in each lane of a warp, as far as the position of a thread in its block
// determines it: special registers, and versions computed from these, from constants, and from a
// part that all lanes share. A block of unknown shape counts as one-dimensional.
struct affine_warp {
    bool exact;       // else an unknown value that is equal in all lanes must be added
    bool anywhere;    // equal in all warps of a block: %tid was not used
    bool apart;       // that value is equal in all warps of a block
    uint8_t assumes;  // AFFINE_SIGNED | …
    uint64_t granule; // a power of two that divides that value; pointers are aligned to 256 bytes
    int64_t value[WARP_LANES];
};

// Returns the values of an atom in a warp, or NULL if they are unknown. Valid until the next
// request.
const struct affine_warp *affine_warp(struct affines *affines, uint32_t atom, uint32_t warp);

// An atom's values over all warps of a one-dimensional block of unknown shape.
struct affine_all_warps {
    bool known;    // known in all warps
    bool alike;    // the distances between the lanes are equal in all warps
    bool same;     // lane 0 has exactly the value `first` in all warps
    bool anywhere; // %tid was not used, and the unknown part is equal in all warps
    uint8_t assumes;
    int64_t first;    // lane 0's value in the first warp, as in `affine_warp`
    uint64_t divisor; // a power of two that divides the distance of lane 0's value from `first`
};

// Returns the values of an atom over all warps; computed once per atom.
struct affine_all_warps affine_all_warps(struct affines *affines, uint32_t atom);

// Returns the atom as text, without the interpretation of its bits: symbols plain, parameters in
// brackets, loops as `i@` and the line of their header.
const char *affine_atom_text(const struct affines *affines, struct arena *arena, uint32_t atom);
