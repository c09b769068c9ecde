// What integers and addresses are made of: constant + Σ coefficient × product of up to three atoms.
//
//   4*%tid.x + 4*%ntid.x*%ctaid.x + [out] + 16
//
// An atom is what the analysis does not look into: a special register, a kernel parameter, the
// address of a variable, the number of a loop's iteration (0, 1, 2 …), or an SSA version.
//
// An expression is about one moment: two of them may be compared or subtracted if they belong to
// the same iteration of all loops that hold both instructions. Behind a loop the number of its
// iteration is that of the last one.
//
// Expressions are mathematical integers. The value in the register equals the expression modulo
// 2^exact_bits for sure; beyond these bits it does if what `assumes` names is true of the program.
#pragma once
#include "passes/analysis/divergence.h"

enum affine_kind {
    AFFINE_SPECIAL,   // index: isa_special; member: W_x …
    AFFINE_PARAMETER, // what is read at index: symbol, + offset bytes, of the kernel's parameters
    AFFINE_SYMBOL,    // the address of index: symbol (variable, shared or local array, parameter)
    AFFINE_ITERATION, // index: loop
    AFFINE_VERSION,   // index: SSA version
    AFFINE_COMMON, // of a version's value, what all lanes of a warp have in common; in no address
};

struct affine_atom {
    uint8_t kind;
    uint8_t bits;     // of the register or parameter; 64 for iterations and addresses
    bool is_unsigned; // the bits are read as an unsigned number
    bool varies;      // between the active lanes of a warp, where it is defined; see affine_uniform
    uint8_t zeros;    // of its lowest bits, that are surely 0
    uint8_t aligned;  // AFFINE_COMMON: the same if pointers are aligned to 256 bytes
    uint16_t member;
    uint32_t index;
    int64_t offset;      // AFFINE_PARAMETER
    int64_t least, most; // of its value
};

enum { AFFINE_FACTORS = 3 };

struct affine_term {
    int64_t coefficient;           // not 0
    uint32_t atom[AFFINE_FACTORS]; // ascending, then IR_NONE
};

enum affine_assumption {
    AFFINE_SIGNED = 1,   // signed 32-bit (16-bit) arithmetic does not wrap around before widening
    AFFINE_UNSIGNED = 2, // nor do unsigned sums of what is not negative
};

struct affine {
    int64_t constant;
    const struct affine_term *terms; // ascending by atoms; no two with the same
    uint32_t count;
    uint8_t exact_bits; // 64: nothing is assumed
    uint8_t assumes;    // AFFINE_SIGNED | …
};

struct affines;

// Works on demand: a value costs nothing before it is asked for, and each is computed once. The
// shape bounds %tid and %ntid.
struct affines *affines_new(struct arena *arena, const struct ir_module *module,
                            const struct ir_function *fn, const struct divergence *divergence,
                            struct block_shape shape);

// Every version of an integer or untyped register has an expression, if only itself.
struct affine affine_of_version(struct affines *affines, uint32_t version);
// Register, immediate, special register or symbol; a register in an address without its constant
// offset. False if it is none of these, or differs each time that it is read.
bool affine_of_operand(struct affines *affines, uint32_t operand, struct affine *to);
// The address that a load, store or atomic accesses, its constant offset included; of other
// instructions and of those without an address: false.
bool affine_of_address(struct affines *affines, uint32_t inst, struct affine *address);

// Stays where it is until a value is asked for.
const struct affine_atom *affine_atom(const struct affines *affines, uint32_t atom);

// a - b. Returns false if there are too many terms. Where exact_bits is less than 64, the result is
// sure modulo 2^exact_bits only.
bool affine_sum(struct affines *affines, const struct affine *a, const struct affine *b,
                struct affine *to);
bool affine_difference(struct affines *affines, const struct affine *a, const struct affine *b,
                       struct affine *to);
static inline bool affine_is_constant(const struct affine *a)
{
    return !a->count;
}
// Least and most value, from the ranges of the atoms, as far as 64 bits hold them.
void affine_range(const struct affines *affines, const struct affine *a, int64_t *least,
                  int64_t *most);

// True if accesses of so many bytes at a and at b surely have no byte in common, whatever the atoms
// are and whatever is assumed of them: by the range of a - b, or by what divides its terms.
bool affine_apart(const struct affines *affines, const struct affine *a, uint32_t a_bytes,
                  const struct affine *b, uint32_t b_bytes);
// The one pointer that the address is an offset to: an atom (parameter, variable, version) as wide
// as an address. IR_NONE: there is none, or several.
uint32_t affine_base(const struct affines *affines, const struct affine *address);

// The sum of the coefficients' terms that contain the atom, without it: what one step of the atom
// adds. False if the atom is a factor more than once.
bool affine_step(struct affines *affines, const struct affine *a, uint32_t atom,
                 struct affine *step);
// True if no atom of the expression changes while the loop runs.
bool affine_invariant(const struct affines *affines, const struct affine *a, uint32_t loop);
// True if all lanes of a warp that are active in this basic block have the same.
bool affine_uniform(const struct affines *affines, const struct affine *a, uint32_t block);

// How far the lanes of a warp are apart, if that is known.
struct affine_lanes {
    bool known;
    bool same_in_all_warps;     // else `offset` is that of the warp asked for
    uint32_t because;           // not known: an atom that differs in a way that is not known
    int64_t offset[WARP_LANES]; // value of each lane minus that of lane 0
    uint32_t active;            // bit per lane: it exists, the last warp of a block may be short
    uint8_t assumes;            // AFFINE_SIGNED | …, beside what the expression does
};

// Of the warp with this number in its block, for a value that is read in this basic block.
struct affine_lanes affine_lanes(struct affines *affines, const struct affine *a, uint32_t block,
                                 uint32_t warp);

// The atom's value in each lane of a warp, as far as it follows from the threads' places in the
// block: of special registers, and of versions that are computed from these, from constants, and
// from what all lanes have in common. Of a block of unknown shape, that of the warp with this
// number if it has one dimension.
struct affine_warp {
    bool exact;       // else something is to be added to all values that is the same for all lanes
    bool anywhere;    // the same in all warps of a block: %tid has not been asked for
    bool apart;       // what is to be added is the same for all warps of a block
    uint8_t assumes;  // AFFINE_SIGNED | …
    uint64_t granule; // a power of two that divides it; pointers are aligned to 256 bytes
    int64_t value[WARP_LANES];
};

// NULL: it is not known. Lasts until the next is asked for.
const struct affine_warp *affine_warp(struct affines *affines, uint32_t atom, uint32_t warp);

// The same over all warps of a block of unknown shape that has one dimension.
struct affine_places {
    bool known;    // as above, in all of them
    bool alike;    // the lanes are equally far apart in all of them
    bool same;     // lane 0 has the value `first` in all of them, exactly
    bool anywhere; // %tid has not been asked for, and what is to be added is the same
    uint8_t assumes;
    int64_t first;    // what is known of lane 0's value in the first of them
    uint64_t divisor; // a power of two that divides how far lane 0's value is from `first`
};

struct affine_places affine_places(struct affines *affines, uint32_t atom);

// One atom as text, without how its bits are read: symbols plain, parameters in brackets, loops as
// `i@` and the line of their header.
const char *affine_atom_text(const struct affines *affines, struct arena *arena, uint32_t atom);
