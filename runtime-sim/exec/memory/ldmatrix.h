// Transfer of matrices between registers and memory: ldmatrix, stmatrix, wmma.load, wmma.store; and
// movmatrix.
#pragma once
#include "runtime-sim/exec/warp/matrix.h"

// A matrix in memory: `lines` of `length` consecutive elements each. The lane with a line's number
// accesses it.
struct matrix_memory {
    struct fragment fragment;
    const struct memory_code *memory;
    uint8_t lines, length;
    bool columns; // a line is a column of the matrix, otherwise a row
    uint8_t align;
    // If not 0, the distance between lines is a source operand, in units of `stride_bits`. If 0,
    // every lane has the address of its own line.
    uint8_t stride_bits;
};

struct matrix_move {
    struct fragment from, to;
};

step_fn step_matrix_load, step_matrix_store, step_movmatrix;
