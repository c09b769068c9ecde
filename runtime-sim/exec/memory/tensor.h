// Bulk copies of tensors: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor,
// cp.async.bulk.prefetch.tensor; and tensormap.replace.
#pragma once
#include "runtime-sim/exec/memory/atomic.h"

enum tensor_action { TENSOR_LOAD, TENSOR_STORE, TENSOR_REDUCE, TENSOR_PREFETCH };
enum tensor_mode { TENSOR_TILE, TENSOR_COLUMNS, TENSOR_ROWS }; // ROWS: gather4, scatter4

// The list has the coordinates, then the offsets of im2col, then the mask of CTAs of a multicast.
struct tensor_code {
    const struct memory_code *map, *shared, *barrier; // NULL: not used
    uint16_t op;                                      // isa_word of a reduction
    uint8_t action, mode;                             // tensor_action, tensor_mode
    uint8_t rank, coordinates, offsets;
    bool multicast;
};

enum tensor_field {
    FIELD_ADDRESS,
    FIELD_RANK,
    FIELD_BOX,
    FIELD_SIZE,
    FIELD_STRIDE,
    FIELD_ELEMENT_STRIDE,
    FIELD_TYPE,
    FIELD_INTERLEAVE,
    FIELD_SWIZZLE,
    FIELD_ATOMICITY,
    FIELD_FILL,
};

// s[0]: the value, of code->value bytes.
struct tensor_field_code {
    const struct memory_code *map;
    uint8_t field; // tensor_field
    uint8_t index; // of FIELD_BOX to FIELD_ELEMENT_STRIDE
};

step_fn step_tensor, step_tensor_field;
