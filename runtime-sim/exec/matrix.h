// Matrices that lie in the registers of a warp: fragments, and products of them (mma, wmma.mma).
//
// What PTX leaves open is settled so: elements are multiplied exactly and added to c in f64, by
// increasing k, each sum rounded to the nearest even; the last one is rounded once more, to the
// type of d. Subnormal numbers are kept; of tf32 the 13 low bits do not count. f64 is a chain of
// fused multiply-adds by increasing k, in the rounding mode that is asked for. Integers are exact,
// then wrap or saturate once.
#pragma once
#include "runtime-sim/exec/meet.h"

enum {
    FRAGMENT_REGISTERS = 8,
    MATRIX_ELEMENTS = 1024, // at most: a of m16n8k64
};

// Where the elements of a matrix lie: element e of register r of a lane is the matrix's element
// number base[r] + lane[lane] + e * step, counted by rows. More registers than the matrix needs
// hold copies.
struct fragment {
    uint16_t type; // of an element, isa_word; of .b1, 32 neighbours count as one element
    uint8_t bits;  // of an element
    uint8_t per;   // elements in a register
    uint8_t registers;
    uint8_t first; // of them in code->list
    uint16_t elements;
    uint16_t step, base[FRAGMENT_REGISTERS], lane[LANES];
};

enum product_kind { PRODUCT_FLOAT, PRODUCT_DOUBLE, PRODUCT_INTEGER, PRODUCT_AND, PRODUCT_XOR };

// d = a·b + c: m × k, k × n and m × n elements, `count` times, one after the other in the
// fragments.
struct product {
    struct fragment a, b, c, d;
    uint8_t kind; // product_kind
    uint8_t m, n, k, count;
};

// Reads a matrix from the registers: `bits` of its elements by rows.
void fragment_gather(const struct warp *warp, const struct code *code,
                     const struct fragment *fragment, uint64_t *bits);
void fragment_scatter(const struct warp *warp, const struct code *code,
                      const struct fragment *fragment, const uint64_t *bits);
// True if all lanes of a warp are there; else the warp faults.
bool matrix_lanes(struct warp *warp, const struct code *code, uint32_t mask);
// All lanes come to the instruction, which is done once; it may fault.
enum step_result matrix_meet(struct warp *warp, struct path *path, const struct code *code,
                             uint32_t mask, meet_fn *fn);

step_fn step_mma;
extern const struct exec_row rows_matrix[];
