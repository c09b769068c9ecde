// Matrices that lie in the registers of a warp, and their products, compiled for each instruction
// set like the lanes.
//
// PTX does not define the order and rounding of sums. Here elements are multiplied exactly and
// added to c in f64, by increasing k, each sum rounded to the nearest even; the last sum is rounded
// once more, to the type of d. Subnormal numbers are kept; the 13 low bits of tf32 are ignored. f64
// is a chain of fused multiply-adds by increasing k, in the rounding mode of the instruction.
// Integers are exact, then wrap or saturate once. The kept elements of a sparse matrix are
// multiplied in their order in the registers.
#pragma once
#include "runtime-sim/exec/decode/code.h"

enum {
    FRAGMENT_REGISTERS = 8,
    MATRIX_ELEMENTS = 1024, // at most: a of m16n8k64
    MATRIX_BLOCK = 8,       // every matrix has a multiple of this many rows of a and columns of b
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

// The elements of a sparse matrix that are kept: half of each chunk of a row, selected by four
// bits. Four chunks have 16 bits; `half` is the half of the lanes' registers with these bits, for
// each row and the four chunks that begin at 4·n.
enum { SPARSE_ROWS = 16, SPARSE_WORDS = 4 };
struct sparse {
    uint8_t place; // of the register in code->list
    uint8_t kept;  // elements of a chunk: 1, 2 or 4
    uint8_t half[SPARSE_ROWS][SPARSE_WORDS];
};

enum product_kind { PRODUCT_FLOAT, PRODUCT_DOUBLE, PRODUCT_INTEGER, PRODUCT_AND, PRODUCT_XOR };

// d = a·b + c: m × k, k × n and m × n elements, `count` times, one after the other in the
// fragments. With a sparse a, k is what is kept of a row, and b has twice as many rows.
struct product {
    struct fragment a, b, c, d;
    const struct sparse *sparse; // NULL: all of a is there
    uint8_t kind;                // product_kind
    uint8_t m, n, k, count;
};

// `registers`: the lanes of those in code->list.
struct matrix_ops {
    // Reads or writes a matrix: `bits` of its elements by rows.
    void (*gather)(const struct fragment *fragment, void *const *registers, uint64_t *bits);
    void (*scatter)(const struct fragment *fragment, void *const *registers, const uint64_t *bits);
    void (*multiply)(const struct product *product, const struct code *code,
                     void *const *registers);
};
