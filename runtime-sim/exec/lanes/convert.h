// A conversion that goes through exact numbers, as decoding describes it.
#pragma once
#include "runtime-sim/exec/lanes/number.h"

enum { CONVERT_ELEMENTS = 4 };

struct convert {
    struct format from, to;
    struct rounding how;
    uint8_t elements;               // side by side in a lane
    uint8_t from_stride, to_stride; // bits from one to the next
    uint8_t from_bytes;             // of a lane of the first source
    uint8_t random, scale;          // number of the source; 0: no such source
    uint8_t random_shift[CONVERT_ELEMENTS];
    uint64_t nan;  // what becomes of a NaN, unless `carry`
    bool carry;    // a NaN keeps what it carries
    bool separate; // two elements, the upper one from the first source
    bool flush;    // subnormal sources are 0
    bool integral; // to an integer in a floating-point format
    bool clamp;    // to 0 … 1
    bool relu;     // what is negative becomes 0
    bool multiply; // by the scale, rather than divide
};
