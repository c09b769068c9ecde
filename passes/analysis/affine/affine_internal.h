// Internals of the affine analysis.
#pragma once
#include "passes/analysis/affine/affine.h"

enum { AFFINE_MAX_TERMS = 16 }; // maximum of an expression; a longer one becomes an atom

// Values in a loop are first computed with the phis of headers as atoms (BODY), which gives the
// step per iteration, then as start + iteration × step (WHOLE).
enum affine_view { VIEW_BODY, VIEW_WHOLE, VIEWS };

enum { KEPT_WARPS = 8, BASE_TERMS = 1024 };

struct kept_warp {
    bool known;
    uint32_t atom, warp;
    struct affine_warp value;
};

struct affines {
    struct arena *arena;
    const struct ir_module *module;
    const struct ir_function *fn;
    const struct divergence *divergence;
    const struct divergence *between; // of the warps of a block; NULL: not requested yet
    struct block_shape shape;
    bool warps_alike; // the distances in x, y and z between lanes are equal in all warps
    VEC(struct affine_atom) atoms;
    VEC(struct affine_all_warps *) places; // per atom, on demand; NULL: not computed
    VEC(bool) failed;                      // per atom, on demand: no lane values are known
    uint64_t *hopeless;        // versions without known lane values; NULL: not allocated
    struct kept_warp *kept;    // KEPT_WARPS; NULL: not allocated
    struct affine_term *bases; // BASE_TERMS, of one evaluation
    uint32_t base_count;
    uint32_t *buckets; // of a hash table: atom + 1
    uint32_t bucket_count;
    uint32_t *place[VIEWS]; // per version: place in `values` + 1; 0: not computed; or AFFINE_OPEN
    VEC(struct affine) values;
    VEC(uint32_t) stack; // version × VIEWS + view
};

enum { AFFINE_OPEN = UINT32_MAX };

// A sum under construction.
struct sum {
    int64_t constant;
    struct affine_term terms[AFFINE_MAX_TERMS];
    uint32_t count;
    uint8_t exact_bits, assumes;
    bool too_long;
};

// affine_math.c
// Returns an empty sum.
struct sum sum_new(void);
// Adds factor × a.
void sum_add(struct sum *to, const struct affine *a, int64_t factor);
// Adds a × b. Sets `too_long` if the terms do not fit.
void sum_product(struct sum *to, const struct affine *a, const struct affine *b);
// Reduces constant and coefficients modulo 2^bits, as signed numbers.
void sum_cut(struct sum *sum, unsigned bits);
// Returns false if the sum has too many terms.
bool sum_keep(struct affines *affines, const struct sum *sum, struct affine *to);
// Returns a constant, without assumptions.
struct affine affine_constant(int64_t value);
// Returns the low `bits` bits, sign- or zero-extended; the value itself for 0, 64 and more bits.
int64_t affine_extended(int64_t value, unsigned bits, bool is_signed);
// Returns true if constants and terms are equal; assumptions may differ.
bool affine_equal(const struct affine *a, const struct affine *b);
// Returns true if all values in the range fit into this many bits.
bool affine_fits(const struct affines *affines, const struct affine *a, unsigned bits,
                 bool is_signed);
// Returns the number of low zero bits that all terms share, without the constant; 64 if there are
// no terms.
unsigned affine_low_zeros(const struct affine *a);

// affine_atoms.c
// Returns the number of an equal atom, which is added if it is new.
uint32_t affine_intern(struct affines *affines, const struct affine_atom *atom);
// Returns the atom as an expression.
struct affine affine_of_atom(struct affines *affines, const struct affine_atom *atom);
// Returns the version itself as an atom.
struct affine affine_opaque(struct affines *affines, uint32_t version);
// Computes a special register's value. Returns false if it may change between reads.
bool affine_of_special(struct affines *affines, uint32_t special, uint16_t member,
                       struct affine *to);
// Returns the address of a variable, array, parameter or function.
struct affine affine_of_symbol(struct affines *affines, uint32_t symbol);
// Returns the version's bits as an unsigned number.
struct affine affine_unsigned(struct affines *affines, uint32_t version);

// affine_inst.c
// Returns true if an atom may exceed this number of bits.
bool affine_is_wider(const struct affines *affines, const struct affine *a, unsigned bits);
// Computes the version that an instruction defines from the instruction's operands, which must have
// been computed where possible. Returns false if the version stays an atom.
bool affine_of_inst(struct affines *affines, enum affine_view view, uint32_t version,
                    struct affine *to);
// Returns true if affine_of_inst uses the registers that this instruction reads.
bool affine_follows(const struct affines *affines, uint32_t inst);
// Computes the value of a register, immediate, special register or symbol as an instruction of this
// width reads it. Returns false for other operands.
bool affine_read(struct affines *affines, enum affine_view view, uint32_t operand, unsigned bits,
                 struct affine *to);
