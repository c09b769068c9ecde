// Matrices between registers and memory: ldmatrix, stmatrix, wmma.load, wmma.store; movmatrix.
#pragma once
#include "runtime-sim/exec/warp/matrix.h"

// A matrix in memory is `lines` of `length` elements each, without gaps inside a line. The lane
// with a line's number accesses it.
struct matrix_memory {
    struct fragment fragment;
    const struct memory_code *memory;
    uint8_t lines, length;
    bool columns; // a line is a column of the matrix, else a row
    uint8_t align;
    // The distance of lines, in units of `stride_bits`, is the code's source; 0: every lane has the
    // address of its own line.
    uint8_t stride_bits;
};

struct matrix_move {
    struct fragment from, to;
};

step_fn step_matrix_load, step_matrix_store, step_movmatrix;
