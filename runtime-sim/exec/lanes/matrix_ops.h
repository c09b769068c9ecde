// Matrices in the registers of a warp, and their products. Compiled once per instruction set, like
// the lanes.
//
// PTX does not define the order and rounding of sums. Here products of elements are exact and are
// added to c in f64 by increasing k. Each sum is rounded to nearest even, and the last sum is
// rounded again to the type of d. Subnormal numbers are kept; the 13 low bits of tf32 are ignored.
// f64 is a chain of fused multiply-adds by increasing k, in the rounding mode of the instruction.
// Integers are exact and wrap or saturate once at the end. The kept elements of a sparse matrix are
// multiplied in their order in the registers.
#pragma once
#include "runtime-sim/exec/decode/code.h"

enum {
    FRAGMENT_REGISTERS = 8,
    MATRIX_ELEMENTS = 1024, // maximum: a of m16n8k64
    MATRIX_BLOCK = 8,       // the rows of a and columns of b are multiples of this
};

// The placement of the elements of a matrix. Element e of register r of a lane is the matrix's
// element base[r] + lane[lane] + e * step, counted by rows. Registers in excess of the matrix hold
// copies.
struct fragment {
    uint16_t type; // isa_word of an element's type; for .b1, 32 adjacent bits count as one element
    uint8_t bits;  // bits of an element
    uint8_t per;   // elements per register
    uint8_t registers;
    uint8_t first; // index of the first register in code->list
    uint16_t elements;
    uint16_t step, base[FRAGMENT_REGISTERS], lane[LANES];
};

// The kept elements of a sparse matrix: half of each chunk of a row, selected by four bits. Four
// chunks have 16 bits. `half` is the half of the lanes' registers that has these bits, for each row
// and the four chunks that begin at 4·n.
enum { SPARSE_ROWS = 16, SPARSE_WORDS = 4 };
struct sparse {
    uint8_t place; // index of the register in code->list
    uint8_t kept;  // kept elements per chunk: 1, 2 or 4
    uint8_t half[SPARSE_ROWS][SPARSE_WORDS];
};

enum product_kind { PRODUCT_FLOAT, PRODUCT_DOUBLE, PRODUCT_INTEGER, PRODUCT_AND, PRODUCT_XOR };

// d = a·b + c with m × k, k × n and m × n elements; `count` products, one after the other in the
// fragments. If a is sparse, k is the number of kept elements of a row, and b has twice as many
// rows.
struct product {
    struct fragment a, b, c, d;
    const struct sparse *sparse; // NULL: a is dense
    uint8_t kind;                // product_kind
    uint8_t m, n, k, count;
};

// Operations on matrices. `registers` has the lanes of the registers in code->list.
struct matrix_ops {
    // Reads or writes a matrix. `bits` has its elements by rows.
    void (*gather)(const struct fragment *fragment, void *const *registers, uint64_t *bits);
    void (*scatter)(const struct fragment *fragment, void *const *registers, const uint64_t *bits);
    void (*multiply)(const struct product *product, const struct code *code,
                     void *const *registers);
};
