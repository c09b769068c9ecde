// Moves and conversions, as set up by the decoder.
#pragma once
#include "runtime-sim/exec/lanes/number.h"

enum { CONVERT_ELEMENTS = 4 };

// A conversion through exact numbers.
struct convert {
    struct format from, to;
    struct rounding how;
    uint8_t elements;               // elements in a lane
    uint8_t from_stride, to_stride; // bits from one element to the next
    uint8_t from_bytes;             // bytes per lane of the first source
    uint8_t random, scale;          // index of the source; 0: no such source
    uint8_t random_shift[CONVERT_ELEMENTS];
    uint64_t nan;  // result for a NaN, unless `carry`
    bool carry;    // a NaN keeps its payload
    bool separate; // two elements, the upper one from the first source
    bool flush;    // subnormal sources become 0
    bool integral; // rounds to an integer in a floating-point format
    bool clamp;    // clamps to 0 … 1
    bool relu;     // negative results become 0
    bool multiply; // multiplies by the scale instead of dividing
};

// The code->value of mov: a kind, and in the bits above it the index of the part.

enum move_kind { MOVE_COPY, MOVE_PACK, MOVE_EXTRACT };
enum { MOVE_INDEX_SHIFT = 8 };
