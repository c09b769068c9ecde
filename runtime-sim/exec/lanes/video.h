// Video instructions: the parts of the sources, the operation, and the use of its result.
#pragma once
#include <stdbool.h>
#include <stdint.h>

enum { VIDEO_PARTS = 4 };

// A bit field in the 64 bits that the second and the first source form together, extended.
struct video_part {
    uint8_t at, bits;
    bool sign;
};

enum video_second {
    VIDEO_MERGE, // the result replaces a field of the third source
    VIDEO_ADD,   // the result is combined with the third source
    VIDEO_MIN,
    VIDEO_MAX,
};

struct video {
    uint8_t count; // number of results
    struct video_part a[VIDEO_PARTS], b[VIDEO_PARTS];
    uint8_t to[VIDEO_PARTS]; // start of each result's field
    uint8_t to_bits;
    bool sign;                          // sign of the result and of the third source
    bool saturate;                      // saturates to the field's range
    uint8_t second;                     // video_second
    bool if_less, if_equal, if_greater; // for vset
    uint32_t count_mask;                // for vshl, vshr: bits of the shift count that are used
    // vmad: product and third source may be complemented, and then 1 is added.
    bool invert_product, invert_c;
    uint8_t plus, shift;
};
