// wgmma: products of a warpgroup, whose operands lie in shared memory as descriptors say.
//
// Each warp of a warpgroup computes the 16 rows of its quarter when it executes wgmma.mma_async.
// PTX allows this: until wgmma.wait_group the operands must not change and the result must not be
// read. Sums are rounded as in lanes/matrix_ops.h.
#pragma once
#include "runtime-sim/exec/lanes/matrix_ops.h"

enum { WARPGROUP_WARPS = 4, WARPGROUP_A_REGISTERS = 4 };

// First registers of the operands of a product of 8 columns, as its fragments number them.
enum {
    WARPGROUP_D_AT = 0,
    WARPGROUP_A_AT = 4,
    WARPGROUP_B_AT = 8,
    WARPGROUP_C_AT = 12,
    WARPGROUP_BITS_AT = 16,
    WARPGROUP_REGISTERS = 17,
};

// The list has the registers of D, 8 columns after each other, those of A and the one with the
// selection bits of a sparse A. s[0]: descriptor of B; s[1]: D is added to the product; s[2]:
// descriptor of A; the last source: all lanes.
struct warpgroup_code {
    struct product product; // of 8 columns; fragments with the registers above
    uint32_t blocks;        // blocks of 8 columns
    uint32_t b_rows;
    uint32_t element_bytes, elements; // elements: in 16 bytes
    bool a_shared;
    bool trans_a, trans_b;       // the operand is stored with M or N adjacent instead of K
    uint32_t negate_a, negate_b; // sign bits of a register's elements
    uint8_t a_first, bits_at;    // places in the list
};

step_fn step_warpgroup_product;
