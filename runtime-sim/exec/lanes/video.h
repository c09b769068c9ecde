// Video instructions: what is computed of which parts of the sources, and what becomes of it.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { VIDEO_PARTS = 4 };

// Some bits of the 64 that the second source and the first one are together, extended.
struct video_part {
    uint8_t at, bits;
    bool sign;
};

enum video_second {
    VIDEO_MERGE, // the result goes into a field of the third source
    VIDEO_ADD,   // … or is combined with it
    VIDEO_MIN,
    VIDEO_MAX,
};

struct video {
    uint8_t count; // results
    struct video_part a[VIDEO_PARTS], b[VIDEO_PARTS];
    uint8_t to[VIDEO_PARTS]; // where a result's field begins
    uint8_t to_bits;
    bool sign;                          // of a result, and of the third source
    bool saturate;                      // to a field's range
    uint8_t second;                     // video_second
    bool if_less, if_equal, if_greater; // vset
    uint32_t count_mask;                // vshl, vshr: bits of the count that are looked at
    // vmad: the product, and the third source, may be complemented; then 1 is added.
    bool invert_product, invert_c;
    uint8_t plus, shift;
};
